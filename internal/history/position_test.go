package history

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestClosedPositionsSayWhatTheyBrought: a long brings what was paid and what was won, a short what was paid less that, however it was closed.
func TestClosedPositionsSayWhatTheyBrought(t *testing.T) {
	number := fixed.MustParse
	deal := &schema.Deal{ID: 7, TakerSide: schema.Buy, Taker: schema.DealSide{Order: 4}, Maker: schema.DealSide{Order: 3}}
	for _, tt := range []struct {
		name string
		e    schema.PositionChanged
		want string
	}{
		{"a long that a resting order sold", schema.PositionChanged{Order: 3, Deal: 7}, "110"},
		{"a short that a taker bought back", schema.PositionChanged{Order: 4, Deal: 7}, "90"},
		{"a long of hedge mode", schema.PositionChanged{Order: 4, Deal: 7, Position: schema.Position{Side: schema.LongSide}}, "110"},
		{"a short of hedge mode", schema.PositionChanged{Order: 3, Deal: 7, Position: schema.Position{Side: schema.ShortSide}}, "90"},
		{"a delisted long", schema.PositionChanged{Cause: schema.ByDelisting, Amount: fixed.One}, "110"},
		{"a delisted short", schema.PositionChanged{Cause: schema.ByDelisting, Amount: fixed.One.Neg()}, "90"},
	} {
		tt.e.Position.Paid, tt.e.Position.Realized = number("100"), number("10")
		list := appendPosition(nil, &tt.e, deal, 5*schema.Second+1, 9)
		if len(list) != 2 || list[1].Kind != Closed || list[1].Time != 5*schema.Second {
			t.Fatalf("%s: %+v", tt.name, list)
		}
		if got := list[1].Payload.(*ClosedPosition).Received; got != number(tt.want) {
			t.Errorf("%s brought %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestClosedPositionsAreWorthTheMoneyOfTheirPrices: of a position that is priced in USD and paid in USDT.
func TestClosedPositionsAreWorthTheMoneyOfTheirPrices(t *testing.T) {
	number := fixed.MustParse
	e := schema.PositionChanged{Position: schema.Position{
		Side: schema.LongSide, Paid: number("459.9699"), Realized: number("18.07096"), QuotedPaid: number("460.2"), QuotedRealized: number("18.08"),
	}}
	p := appendPosition(nil, &e, nil, 1, 9)[1].Payload.(*ClosedPosition)
	if p.Received != number("478.28") || p.Position.Realized != number("18.07096") {
		t.Errorf("%+v", p)
	}
}

func TestALoanIsLiquidatedOrRepaid(t *testing.T) {
	for class, e := range map[Class]schema.LoanChanged{
		Active: {Principal: fixed.One}, Repaid: {}, Liquidated: {Liquidated: true},
	} {
		if got := loan(&e).Class; got != class {
			t.Errorf("%+v is of class %d, want %d", e, got, class)
		}
	}
}
