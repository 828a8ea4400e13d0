package naive

import (
	"testing"

	"pgregory.net/rapid"

	coreposition "bourse/internal/core/position"
	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The arithmetic of the core is held against that of the oracle here, number by number. Neither knows the other.

// agrees compares a number of the core with one of the oracle.
func agrees(t *rapid.T, what string, got fixed.Decimal, want num) {
	t.Helper()
	if of(got).cmp(want) != 0 {
		t.Fatalf("%s is %v in the core, %s in the oracle", what, got, want.rat().FloatString(20))
	}
}

// decimals are numbers of so many decimals, also the least and large ones.
func decimals(places int) *rapid.Generator[fixed.Decimal] {
	return rapid.Custom(func(t *rapid.T) fixed.Decimal {
		most := rapid.SampledFrom([]int64{2, 1000, 1_000_000_000, 1 << 50}).Draw(t, "most")
		return fixed.FromUnits(rapid.Int64Range(1, most).Draw(t, "units"), places)
	})
}

var chosenLeverages = rapid.SampledFrom([]coreposition.Leverage{1, 2, 3, 5, 10, 20, 50, 100})

// tierPair is a market's tiers as both know them.
func tierPair(t *rapid.T) (coreposition.Tiers, []bracket) {
	ours := coreposition.Tiers{Max: chosenLeverages.Draw(t, "market")}
	var theirs []bracket
	top := fixed.Zero
	for i, at := range []int64{100, 50, 20} {
		if rapid.Bool().Draw(t, "bracket") {
			top = top.Add(decimals(rapid.SampledFrom([]int{0, 8, 18}).Draw(t, "places")).Draw(t, "width"))
			ours.Brackets[i] = top
			theirs = append(theirs, bracket{at, of(top)})
		}
	}
	return ours, theirs
}

func TestCoreAgreesAboutTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := tierPair(t)
		account := chosenLeverages.Draw(t, "account")
		leverage := int64(min(account, ours.Max))
		notional := decimals(rapid.SampledFrom([]int{0, 2, 18}).Draw(t, "places")).Draw(t, "notional")
		agrees(t, "the initial margin", ours.Initial(notional, account), initialMargin(of(notional), leverage, theirs))
		agrees(t, "the maintenance margin", ours.Maintenance(notional, account), maintenanceMargin(of(notional), leverage, theirs))
	})
}

func TestCoreAgreesAboutPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := coreposition.Scale{Stock: uint8(rapid.IntRange(0, 6).Draw(t, "stock")), Money: 2, Fee: uint8(rapid.IntRange(0, 8).Draw(t, "fee")), Quote: 8}
		var ours coreposition.Position
		theirs := seat{market: &instrument{future: true, scale: s.Quote, feePrec: s.Fee}}
		for range rapid.IntRange(1, 20).Draw(t, "deals") {
			most := rapid.SampledFrom([]int64{3, 1000, 1 << 40}).Draw(t, "most")
			lots := rapid.Int64Range(-most, most).Filter(func(n int64) bool { return n != 0 }).Draw(t, "lots")
			money := decimals(int(s.Quote)).Draw(t, "money")
			fee := decimals(int(s.Fee)).Draw(t, "fee")
			after, c, fits := ours.Fill(coreposition.Deal{Lots: lots, Money: money, Fee: fee}, s)
			if !fits {
				t.Fatalf("%d lots do not fit", lots)
			}
			ours = after
			realized, closed := num{}, num{}
			for _, part := range theirs.fill(whole(lots).times(unit(s.Stock)), of(money), of(fee)) {
				realized = realized.plus(part.realized)
				if part.closes {
					closed = closed.plus(part.fee)
				}
			}
			agrees(t, "what is realized", c.Realized, realized)
			agrees(t, "the fee of what is closed", c.Closed.Fee, closed)
			agrees(t, "the size", fixed.FromUnits(ours.Lots, int(s.Stock)), theirs.net())
			agrees(t, "the cost", ours.Cost, theirs.cost())
			if entry, open := ours.Entry(s); open {
				held := theirs.long
				if held.empty() {
					held = theirs.short
				}
				agrees(t, "the entry", entry, held.basePrice(s.Money))
			}
		}
	})
}

func TestCoreAgreesAboutLiquidationPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		tiers, brackets := tierPair(t)
		v.perp.brackets, v.perp.maxLeverage = brackets, int64(tiers.Max)
		account := chosenLeverages.Draw(t, "account")
		money := fixed.FromUnits(rapid.Int64Range(-1_000_000_000_000, 1_000_000_000_000).Draw(t, "money"), 6)
		lots := rapid.Int64Range(-1_000_000, 1_000_000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "lots")
		entry := fixed.FromUnits(rapid.Int64Range(1, 10_000_000).Draw(t, "price"), 2)
		p := v.account(int64(account), money.String(), "0")
		p.trade(0, fixed.FromUnits(lots, 3).String(), entry.String(), "0")
		price, there := p.liquidationPrice(p.seats[0], lots > 0)

		scale := coreposition.Scale{Stock: 3, Money: 2, Fee: 6, Quote: 8}
		cost, _ := fixed.Mul(fixed.FromUnits(lots, 3), entry, 8, fixed.Down)
		got, found := coreposition.Position{Lots: lots, Cost: cost}.Liquidation(&coreposition.Stake{
			Rest: money.Sub(p.loanTier(p.holdings[0]).maintenance().decimal()), PriceRate: fixed.One, CostRate: fixed.One, Tiers: &tiers, Leverage: account, Scale: scale,
		})
		if found != there {
			t.Fatalf("%v, %v in the core, %s, %v in the oracle", got, found, price.rat().FloatString(2), there)
		}
		if found {
			agrees(t, "the liquidation price", got, price)
		}
	})
}

func TestCoreAgreesAboutIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const maxAge = 30 * schema.Second
		var ours price.Index
		theirs := index{maxAge: maxAge, stale: true}
		now := schema.Time(1_000_000)
		for range rapid.IntRange(1, 40).Draw(t, "moments") {
			now += schema.Time(rapid.SampledFrom([]int64{0, 1, 1_000_000, 29_999_999, 30_000_000}).Draw(t, "passes"))
			if rapid.Bool().Draw(t, "quote") {
				source := rapid.IntRange(0, price.Sources-1).Draw(t, "source")
				said := decimals(rapid.SampledFrom([]int{0, 2, 18}).Draw(t, "places")).Draw(t, "price")
				if !ours.Set(source, said, now, maxAge) {
					t.Fatalf("%v is refused", said)
				}
				theirs.quote(source, of(said), now)
			} else {
				ours.Refresh(now, maxAge)
				theirs.refresh(now)
			}
			value, fresh := ours.Price()
			agrees(t, "the index", value, theirs.price)
			if fresh == theirs.stale {
				t.Fatalf("fresh is %v in the core, stale %v in the oracle", fresh, theirs.stale)
			}
		}
	})
}

// side draws a side of a book for both.
func side(t *rapid.T, best int64, step int64) (levels []stake, ours func(notional fixed.Decimal) fixed.Decimal) {
	type level struct{ price, size fixed.Decimal }
	var list []level
	for i := range rapid.IntRange(0, 5).Draw(t, "levels") {
		l := level{fixed.FromUnits(best+int64(i)*step, 2), fixed.FromUnits(rapid.Int64Range(1, 1_000_000).Draw(t, "size"), 6)}
		list = append(list, l)
		levels = append(levels, stake{of(l.price), of(l.size)})
	}
	return levels, func(notional fixed.Decimal) fixed.Decimal {
		i := price.NewImpact(notional)
		for _, l := range list {
			if !i.Level(l.price, l.size) {
				break
			}
		}
		return i.Price()
	}
}

func TestCoreAgreesAboutMarksAndFunding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		band := fixed.FromUnits(rapid.Int64Range(1, 1000).Draw(t, "band"), 4)
		notional := decimals(2).Draw(t, "notional")
		terms := price.Terms{
			Minutes: rapid.SampledFrom([]int64{5, 60, 480}).Draw(t, "minutes"),
			Floor:   fixed.FromUnits(-rapid.Int64Range(0, 1000).Draw(t, "floor"), 5), Cap: fixed.FromUnits(rapid.Int64Range(0, 1000).Draw(t, "cap"), 5),
		}
		var ours price.Sampler
		var theirs sampler
		now, settled := schema.Time(1_700_000_000)*schema.Second, 0
		for range rapid.IntRange(1, 80).Draw(t, "ticks") {
			now += schema.Time(rapid.SampledFrom([]int64{1_000_000, 5_000_000, 5_000_001, 60_000_000}).Draw(t, "passes"))
			middle := rapid.Int64Range(4_900_000, 5_100_000).Draw(t, "middle")
			bids, bid := side(t, middle-1, -7)
			asks, ask := side(t, middle+1, 7)
			index := fixed.FromUnits(rapid.Int64Range(4_900_000_000, 5_100_000_000).Draw(t, "index"), 5)
			if due := theirs.due(now); due != ours.Due(now) {
				t.Fatalf("due is %v in the oracle", due)
			} else if due {
				ours.Tick(now, price.Sample{Index: index, Bid: bid(notional), Ask: ask(notional)}, band)
				theirs.fill(now, sampleOf(bids, asks, of(notional), of(index), of(band)))
			}
			mark, there := ours.Mark(index, band, 2)
			if !there {
				t.Fatal("there is no mark")
			}
			agrees(t, "the mark", mark, markPrice(of(index), theirs.basis(), of(band), 2))
			rate := ours.Rate(terms)
			agrees(t, "the rate", rate, fundingRate(theirs.samples[settled:], fundingRules{terms.Minutes, of(terms.Floor), of(terms.Cap)}))
			size := fixed.FromUnits(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "size"), 3)
			value, _ := fixed.Mul(size, mark, fixed.Places, fixed.Down)
			share, _ := (&price.Split{Rate: rate, Mark: mark}).Share(value, 6)
			agrees(t, "the share", share, funding(of(size), of(mark), of(rate), 6))
			if rapid.IntRange(0, 9).Draw(t, "settle") == 0 {
				ours.Settled()
				settled = len(theirs.samples)
			}
		}
	})
}
