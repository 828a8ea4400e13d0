package demo

import (
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// pit is a future of a demo whose bots are not at work, with what its index comes from, for one who plays them by hand.
type pit struct {
	*house
	spot, future *stage
	feed         *feed
	gambler      *gambler
}

func openPit(t *testing.T, h *house) *pit {
	t.Helper()
	stages, _ := openDesks(t, h)
	p := &pit{house: h, spot: stages["BTC_USDT"], future: stages["BTC_PERP"]}
	p.feed = &feed{h.Node, []*market{p.spot.market}, seeded(1)}
	p.gambler = &gambler{newClient(h.gate, h.world.gamblers[0].identity), []*market{p.future.market}, seeded(2)}
	if err := p.gambler.client.choose(t.Context(), h.world.gamblers[0].leverage); err != nil {
		t.Fatal(err)
	}
	p.move(0)
	return p
}

// move lets the price of the asset go by so many hundredths of a percent: the index first, then the quotes.
func (p *pit) move(hundredths int64) {
	p.t.Helper()
	mid := &p.spot.market.mid
	mid.Add(mid.Load() * hundredths / 10_000)
	if err := p.feed.tell(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	p.future.move()
	if err := p.future.quote(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// play lets the gambler look, and returns what it holds then.
func (p *pit) play() []position {
	p.t.Helper()
	if err := p.gambler.play(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return p.holding()
}

func (p *pit) holding() []position {
	p.t.Helper()
	list, err := p.gambler.client.holding(p.t.Context(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// balance is what an account has of USDT in a wallet.
func (h *house) balance(name string, w schema.Wallet) (have fixed.Decimal) {
	h.Node.Read(func(m core.View) {
		have, _, _ = m.Balance(m.Accounts().ByName(name).ID, w, m.Listing().AssetByTicker("USDT").ID)
	})
	return have
}

// TestIndexHasThreeSources: each says a price of its own near that of the demo, and the index is the middle one.
func TestIndexHasThreeSources(t *testing.T) {
	p := openPit(t, enter(t, t.TempDir()))
	m := p.spot.market
	p.Node.Read(func(v core.View) {
		btc := v.Listing().AssetByTicker("BTC").ID
		index, fresh := v.Prices().Index(btc)
		below := 0
		for source := 1; source <= 3; source++ {
			said, counts, _ := v.Prices().Source(btc, source)
			if off := m.ticks(said.Price) - m.mid.Load(); !counts || max(off, -off) > m.gap {
				t.Errorf("source %d says %s, %d ticks from the price", source, said.Price, off)
			}
			if said.Price.Cmp(index) < 0 {
				below++
			}
		}
		if !fresh || below != 1 {
			t.Errorf("the index is %s, and %d sources are below it", index, below)
		}
		if _, counts, _ := v.Prices().Source(btc, 0); counts {
			t.Error("source 0 is that of operators")
		}
	})
}

// TestFuturesAreQuotedAroundTheIndex, wherever it goes: both sides whole, the best of them beside it.
func TestFuturesAreQuotedAroundTheIndex(t *testing.T) {
	p := openPit(t, enter(t, t.TempDir()))
	m := p.future.market
	for _, jump := range []int64{0, 30, -60, 200, -400} {
		p.move(jump)
		var futures struct {
			Result []struct {
				Name  string  `json:"ticker_id"`
				Index decimal `json:"index_price"`
				Mark  decimal `json:"mark_price"`
			}
		}
		p.get("/api/v4/public/futures", &futures)
		b, f := p.book("BTC_PERP"), futures.Result[0]
		if f.Name != "BTC_PERP" || len(b.Asks) != sideLevels || len(b.Bids) != sideLevels {
			t.Fatalf("%s has %d asks and %d bids", f.Name, len(b.Asks), len(b.Bids))
		}
		bid, ask, index := m.ticks(b.Bids[0][0].Decimal), m.ticks(b.Asks[0][0].Decimal), m.ticks(f.Index.Decimal)
		// A source is at most a gap beside the price, a quote a gap and a step of the grid.
		if bid >= index+m.gap || bid < index-2*m.gap-m.grid-1 || ask <= index-m.gap || ask > index+2*m.gap+m.grid+1 {
			t.Errorf("bid %d and ask %d around an index of %d ticks", bid, ask, index)
		}
		if off := f.Mark.Sub(f.Index.Decimal).Abs(); off.Cmp(multiply(f.Index.Decimal, dec("0.005"))) > 0 || f.Mark.IsZero() {
			t.Errorf("the mark is %s, and the index %s", f.Mark, f.Index)
		}
	}
}

// TestTheGamblerIsLiquidated: it bets all that it has at 100x; when the price goes against it by seven tenths of a percent the
// exchange sells it up, and it begins again with another stake.
func TestTheGamblerIsLiquidated(t *testing.T) {
	p := openPit(t, enter(t, t.TempDir()))
	for range 4 {
		begun := p.play()
		if len(begun) != 1 {
			t.Fatalf("it began %+v", begun)
		}
		worth := multiply(begun[0].Amount.Abs(), p.future.market.value())
		if worth.Cmp(dec("44990")) < 0 || worth.Cmp(dec("45000")) > 0 {
			t.Errorf("it bet %s", worth)
		}
		// A position may be worth more or less than before: the mark follows what is in the book, tick by tick.
		if after := p.play(); len(after) != 1 || after[0].ID != begun[0].ID || after[0].Amount != begun[0].Amount {
			t.Fatalf("%+v became %+v though nothing happened", begun, after)
		}
		against := int64(-70)
		if begun[0].Amount.Sign() < 0 {
			against = 70
		}
		p.move(against)
		ruined := p.holding()
		for _, rest := range ruined {
			if rest.Amount.Abs().Cmp(multiply(begun[0].Amount.Abs(), dec("0.76"))) > 0 {
				t.Fatalf("of %s it still has %s", begun[0].Amount, rest.Amount)
			}
		}
		liquidations := 0
		eventually(t, soon, "in the history", func() bool {
			var orders map[string][]struct {
				ClientOrderID string `json:"clientOrderId"`
			}
			p.ask(p.gambler.client, "/api/v4/trade-account/order/history", nil, &orders)
			for _, o := range orders["BTC_PERP"] {
				if strings.HasPrefix(o.ClientOrderID, "liquidation_") {
					liquidations++
				}
			}
			return liquidations > 0
		})
		if len(ruined) > 0 {
			if kept := p.play(); len(kept) != 0 {
				t.Fatalf("it keeps %+v", kept)
			}
		}
		lost := stake.Sub(p.balance("gambler-one", schema.Collateral))
		if lost.Cmp(dec("200")) < 0 || lost.Cmp(stake) > 0 {
			t.Errorf("of its stake it lost %s", lost)
		}
		main := p.balance("gambler-one", schema.Main)
		if err := p.gambler.even(t.Context()); err != nil {
			t.Fatal(err)
		}
		if have, paid := p.balance("gambler-one", schema.Collateral), main.Sub(p.balance("gambler-one", schema.Main)); stake.Sub(have).Abs().Cmp(dec("0.000001")) >= 0 || paid.Sub(lost).Abs().Cmp(dec("0.000001")) >= 0 {
			t.Errorf("after a loss of %s it paid %s and has %s", lost, paid, have)
		}
	}
}

// TestTheGamblerTakesWins: four tenths of a percent are enough for it, and what it won goes to its main account.
func TestTheGamblerTakesWins(t *testing.T) {
	p := openPit(t, enter(t, t.TempDir()))
	begun := p.play()
	main, along := p.balance("gambler-one", schema.Main), int64(20)
	if begun[0].Amount.Sign() < 0 {
		along = -20
	}
	p.move(along)
	if kept := p.play(); len(kept) != 1 {
		t.Fatal("it took a fifth of a percent")
	}
	p.move(along)
	if kept := p.play(); len(kept) != 0 {
		t.Fatalf("it keeps %+v", kept)
	}
	if err := p.gambler.even(t.Context()); err != nil {
		t.Fatal(err)
	}
	if won := p.balance("gambler-one", schema.Main).Sub(main); won.Cmp(dec("100")) < 0 || won.Cmp(dec("180")) > 0 {
		t.Errorf("it won %s", won)
	}
}

// TestMakersHoldWhatOthersDoNot: a desk knows the positions of its makers, and shifts its quotes against them.
func TestMakersHoldWhatOthersDoNot(t *testing.T) {
	p := openPit(t, enter(t, t.TempDir()))
	var placed struct{ DealStock decimal }
	if p.ask(p.visitor("alice"), "/api/v4/order/collateral/market", fields{"market": "BTC_PERP", "side": buy, "amount": "2"}, &placed); placed.DealStock.Decimal != dec("2") {
		t.Fatalf("alice bought %s", placed.DealStock)
	}
	if err := p.future.quote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sum := p.future.positions[0].Add(p.future.positions[1]); sum != dec("-2") {
		t.Errorf("the makers hold %s", sum)
	}
	p.move(0)
	if shift := p.future.market.mid.Load() - p.spot.market.mid.Load()/10; shift != 2*p.future.market.grid {
		t.Errorf("the quotes were shifted by %d ticks", shift)
	}
}

func TestSkew(t *testing.T) {
	m := newMarket(scene{start: dec("97250"), unit: dec("0.005"), future: true}, &rules{TickSize: decimal{dec("0.1")}, StepSize: decimal{dec("0.00001")}})
	for position, want := range map[string]int64{"0": 0, "1": -97, "-1": 97, "0.5": -48, "-0.004": 0, "100": -485, "-100": 485} {
		if got := m.skew(dec(position)); got != want {
			t.Errorf("with a position of %s quotes are shifted by %d ticks, not %d", position, got, want)
		}
	}
}

// TestMakersStayNearEachOther plays a week of trades of two noise traders and a gambler: what each maker holds stays within
// little more than what the others can hold together.
func TestMakersStayNearEachOther(t *testing.T) {
	m := newMarket(scene{start: dec("97250"), unit: dec("0.005"), future: true}, &rules{TickSize: decimal{dec("0.1")}, StepSize: decimal{dec("0.00001")}})
	d := newDesk(m, make([]*client, 2), seeded(3))
	var most fixed.Decimal
	room, others := m.room(), make([]fixed.Decimal, 2)
	for n := range 7 * 24 * 3600 {
		one := &others[d.chance.IntN(2)]
		bite, side := times(m.unit, 1+d.chance.Int64N(biteMax)), sell
		if d.chance.Int64N(1000) >= leaning(room, room.Add(*one)) {
			bite, side = bite.Neg(), buy
		}
		if n%300 == 0 { // the gambler begins, or ends
			bite = times(m.unit, 90-180*int64(n/300%2))
			side = [2]string{sell, buy}[n/300%2]
		} else {
			*one = one.Add(bite)
		}
		maker := &d.positions[d.pick(side)]
		*maker = maker.Sub(bite)
		most = fixed.MaxOf(most, maker.Abs())
	}
	if most.Cmp(dec("3")) > 0 {
		t.Errorf("a maker held %s", most)
	}
}
