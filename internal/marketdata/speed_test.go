package marketdata

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// BenchmarkDeal is one deal in the trades and in the candles of all intervals, a thousand deals a
// second, as part of batches of 64.
func BenchmarkDeal(b *testing.B) {
	var d Data
	deals := make([]schema.Deal, 64)
	for i := range deals {
		deals[i] = schema.Deal{Market: 1, TakerSide: schema.Buy, Price: fixed.FromUnits(int64(5_000_000+i*7919%100), 2), Amount: fixed.FromUnits(15, 3), Money: fixed.FromUnits(75_000, 2)}
	}
	at := start
	seq := uint64(0)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		i := n % len(deals)
		at += schema.Second / 1000
		deals[i].ID = schema.DealID(n + 1)
		d.note(at, &deals[i])
		if i == len(deals)-1 {
			seq++
			d.settle(seq)
		}
	}
}

// BenchmarkRareDeal is a deal that begins a new candle of several intervals.
func BenchmarkRareDeal(b *testing.B) {
	var d Data
	deal := schema.Deal{Market: 1, TakerSide: schema.Buy, Price: fixed.FromInt(50_000), Amount: fixed.FromUnits(15, 3), Money: fixed.FromInt(750)}
	at := start
	b.ReportAllocs()
	for n := uint64(1); b.Loop(); n++ {
		at += 20 * schema.Second
		deal.ID = schema.DealID(n)
		d.note(at, &deal)
		d.settle(n)
	}
}

// deep is a market with as many levels on each side.
func deep(levels int) *Data {
	d := new(Data)
	m := d.open(1)
	for i := range levels {
		m.book.set(schema.Buy, fixed.FromInt(int64(1+i)), fixed.One)
		m.book.set(schema.Sell, fixed.FromInt(int64(3*levels-i)), fixed.One)
	}
	m.book.commit(start)
	return d
}

// BenchmarkLevel changes, removes and brings back levels near the best price of a large book.
func BenchmarkLevel(b *testing.B) {
	const levels = 200_000
	d := deep(levels)
	event := schema.LevelChanged{Market: 1, Side: schema.Buy}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		event.Price, event.Amount = fixed.FromInt(int64(levels-n%32)), fixed.FromInt(int64(n/32%3))
		d.note(start, &event)
		d.settle(uint64(n + 1))
	}
}

func BenchmarkDepth100(b *testing.B) {
	d := deep(200_000)
	b.ReportAllocs()
	for b.Loop() {
		if asks, bids, _ := d.Depth(1, 100); len(asks) != 100 || len(bids) != 100 {
			b.Fatal("the book is not as deep")
		}
	}
}

// BenchmarkDay is the rolling summary of a market that trades every second.
func BenchmarkDay(b *testing.B) {
	var d Data
	deal := schema.Deal{Market: 1, TakerSide: schema.Buy, Price: fixed.FromInt(50_000), Amount: fixed.FromUnits(15, 3), Money: fixed.FromInt(750)}
	at := start
	for n := range uint64(2 * 86400) {
		at += schema.Second
		d.note(at, &deal)
		d.settle(n + 1)
	}
	at += 30*minute + 17*schema.Second
	b.ReportAllocs()
	for b.Loop() {
		if s := d.Day(1, at); s.Volume.IsZero() {
			b.Fatal("nothing was traded")
		}
	}
}

// BenchmarkEncode is the file of one market whose books, trades and candles are full.
func BenchmarkEncode(b *testing.B) {
	d := deep(10_000)
	deal := schema.Deal{Market: 1, TakerSide: schema.Buy, Price: fixed.FromInt(50_000), Amount: fixed.FromUnits(15, 3), Money: fixed.FromInt(750)}
	for n := range uint64(CandlesKept) {
		d.note(start+schema.Time(n)*40*day, &deal)
		d.settle(n + 1)
	}
	for b.Loop() {
		b.SetBytes(int64(len(d.encode(1))))
	}
}
