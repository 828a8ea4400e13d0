package marketdata

import (
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestWindowGathersAwayFromTheOtherSide(t *testing.T) {
	d := new(Data)
	levels := func(texts ...string) (list []Level) {
		for i := 0; i < len(texts); i += 2 {
			list = append(list, Level{number(texts[i]), number(texts[i+1])})
		}
		return list
	}
	asks := levels("10.01", "1", "10.1", "2", "10.11", "3", "10.25", "4", "11", "5")
	bids := levels("10", "1", "9.99", "2", "9.9", "3", "9.85", "4")
	for side, list := range map[schema.Side][]Level{schema.Sell: asks, schema.Buy: bids} {
		for _, l := range list {
			d.note(5*schema.Second, &schema.LevelChanged{Market: 1, Side: side, Price: l.Price, Amount: l.Amount})
		}
	}
	d.settle(1)
	for _, c := range []struct {
		limit      int
		width      fixed.Decimal
		asks, bids []Level
	}{
		{100, fixed.Zero, asks, bids},
		{2, fixed.Zero, asks[:2], bids[:2]},
		{100, number("0.001"), asks, bids},
		{100, number("0.1"), levels("10.1", "3", "10.2", "3", "10.3", "4", "11", "5"), levels("10", "1", "9.9", "5", "9.8", "4")},
		{2, number("0.1"), levels("10.1", "3", "10.2", "3"), levels("10", "1", "9.9", "5")},
		{1, number("0.1"), levels("10.1", "3"), levels("10", "1")},
	} {
		w := d.Window(1, c.limit, c.width)
		if !slices.Equal(w.Asks, c.asks) || !slices.Equal(w.Bids, c.bids) || w.Version != 1 || w.Changed != 5*schema.Second {
			t.Errorf("%d of width %v: %+v", c.limit, c.width, w)
		}
	}
	if w := d.Window(9, 5, number("0.1")); len(w.Asks)+len(w.Bids) != 0 || w.Version != 0 {
		t.Errorf("a market that is not known: %+v", w)
	}
}

// TestWindowsLookAtABoundedPartOfABook: however many levels there are, those behind the Deepest best do
// not count.
func TestWindowsLookAtABoundedPartOfABook(t *testing.T) {
	d := new(Data)
	for i := range int64(Deepest + 500) {
		for side, price := range map[schema.Side]int64{schema.Sell: 1_000_000 + i, schema.Buy: 999_999 - i} {
			d.note(1, &schema.LevelChanged{Market: 1, Side: side, Price: fixed.FromUnits(price, 8), Amount: fixed.FromInt(1)})
		}
	}
	d.settle(1)
	w := d.Window(1, 100, number("0.1"))
	if !slices.Equal(w.Asks, []Level{{number("0.1"), fixed.FromInt(Deepest)}}) || !slices.Equal(w.Bids, []Level{{fixed.Zero, fixed.FromInt(Deepest)}}) {
		t.Errorf("%+v", w)
	}
	// Nothing is missing of what is not so deep.
	if w := d.Window(1, 100, number("0.00001")); len(w.Asks) != 11 || w.Asks[0] != (Level{number("0.01"), fixed.FromInt(1)}) || w.Asks[1].Amount != fixed.FromInt(1000) {
		t.Errorf("%+v", w.Asks)
	}
}

func TestTradesUpToOne(t *testing.T) {
	d := new(Data)
	for id := schema.DealID(1); id <= 5; id++ {
		d.note(1, &schema.Deal{ID: 2 * id, Market: 1, Price: number("1"), Amount: number("1"), Money: number("1"), TakerSide: schema.Buy})
	}
	d.settle(1)
	for _, c := range []struct {
		last  schema.DealID
		limit int
		want  []schema.DealID
	}{{100, 2, []schema.DealID{10, 8}}, {7, 100, []schema.DealID{6, 4, 2}}, {6, 1, []schema.DealID{6}}, {1, 5, nil}, {10, 0, nil}} {
		var got []schema.DealID
		for _, trade := range d.TradesUpTo(1, c.last, c.limit) {
			got = append(got, trade.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d up to %d: %v", c.limit, c.last, got)
		}
	}
}
