package core

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// rim draws commands for a future, or for a spot market with margin, at the edges of what can be counted: the coarsest and the finest prices and amounts, all the
// money that there can be, marks from one tick to the largest number. No oracle is asked; nothing may break.
type rim struct {
	m     *Machine
	info  schema.MarketInfo
	marks []int64 // in ticks, of which prices are near
	spot  bool
	// dollar is what USD is worth, where prices are in it.
	dollar fixed.Decimal
}

const rimAccounts = 4

func newRim(t *dice, of schema.MarketType) *rim {
	spot := of == schema.Spot
	r := &rim{m: NewExchange(), spot: spot}
	for _, ticker := range []string{"USDT", "BTC"} {
		r.apply(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 18, Precision: 18, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	}
	stock := uint8(chance(t, 19))
	r.info = schema.MarketInfo{
		ID: 1, Name: "BTC_PERP", Base: 2, Quote: 1, Type: schema.Futures, Enabled: true,
		StockPrec: stock, MoneyPrec: pick(t, 0, (18-stock)/2, 18-stock), FeePrec: pick[uint8](t, 0, 8, 18),
		MakerFee: pick(t, fixed.Zero, mostPercent, mostPercent.Neg(), leastPercent), TakerFee: pick(t, fixed.Zero, mostPercent, leastPercent),
		TakerBand: pick(t, fixed.Zero, d("50"), leastPercent),
		Margin: schema.Margin{
			MaxLeverage: pick[uint8](t, 100, 10, 1), PriceBand: pick(t, d("100"), d("10")), MarkBand: pick(t, fixed.Zero, d("100")), ImpactNotional: pick(t, smallest, d("100"), listing.HighestPrice),
			FundingMinutes: pick[uint32](t, 1, 480), FundingCap: pick(t, fixed.Zero, d("1")), FundingFloor: pick(t, fixed.Zero, d("-1")), LiquidationFee: pick(t, fixed.Zero, d("1")), LiquidationBand: d("2"),
		},
	}
	if of == schema.TradFiFutures {
		r.apply(&schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Scale: 18, Precision: 18, Class: schema.Crypto}})
		r.info.Name, r.info.Type, r.info.Quote = "BTC_USD", of, 3
		r.dollar = fixed.MaxOf(smallest, fixed.FromUnits(edgeUnits(t), pick(t, 0, 9, 18)))
	}
	if spot {
		r.info.Name, r.info.Type = "BTC_USDT", schema.Spot
		r.info.Margin = schema.Margin{MaxLeverage: pick[uint8](t, 10, 10, 1), LiquidationBand: pick(t, d("2"), d("100"), leastPercent)}
	} else if coin(t) {
		r.info.Bracket100, r.info.Bracket50 = pick(t, fixed.One, ledger.Limit), fixed.Max
	}
	most, _ := listing.HighestPrice.Units(int(r.info.MoneyPrec))
	for range 3 {
		mark := edgeUnits(t)
		if most > 0 {
			mark = min(mark, most)
		}
		r.marks = append(r.marks, mark)
	}
	if why := r.apply(&schema.SetMarket{Market: r.info}).Result.Rejection; why.Refused() {
		panic(why.Text())
	}
	if of == schema.TradFiFutures {
		r.apply(&schema.SetMarket{Market: schema.MarketInfo{Name: "USD_USDT", Base: 3, Quote: 1, Type: schema.Spot, Enabled: true}})
		r.apply(&schema.SetIndex{Market: 2, Price: r.dollar})
	}
	for asset := schema.AssetID(1); asset <= schema.AssetID(len(r.m.Listing().Assets())); asset++ {
		r.apply(&schema.SetCollateral{
			Asset: asset, Weight: pick(t, fixed.One, d("0.0001")), Rate: pick(t, fixed.Zero, d("0.9999")), IndexMaxAge: 3600 * schema.Second,
			PoolCap: pick(t, fixed.Max, ledger.Limit), AccountCap: pick(t, fixed.Max, d("1000000")),
		})
		if spot {
			half, _ := fixed.Div(ledger.Limit, fixed.FromInt(2), 18, fixed.Down)
			r.apply(&schema.FundSystem{Account: schema.Lending, Asset: asset, Amount: pick(t, half, d("1000000"))})
		}
	}
	for i := range rimAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		r.apply(&schema.SetAccount{Account: schema.Account{Name: string(rune('a' + i)), Region: schema.Global, TradFi: true}})
		for asset := schema.AssetID(1); asset <= 2; asset++ {
			amount := pick(t, ledger.Limit, ledger.Limit, d("1000000"), d("1000000"), smallest)
			if quarter, _ := fixed.Div(amount, fixed.FromInt(rimAccounts), 18, fixed.Down); amount == ledger.Limit {
				amount = quarter
			}
			r.apply(&schema.Deposit{Account: account, Asset: asset, Amount: amount})
			to := schema.Collateral
			if spot {
				to = pick(t, schema.Collateral, schema.Collateral, schema.Trade)
			}
			r.apply(&schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Main, To: to})
		}
		r.apply(&schema.SetLeverage{Account: account, Leverage: pick[uint8](t, 100, 10, 1)})
		if chance(t, 3) == 0 {
			r.apply(&schema.SetHedgeMode{Account: account, On: true})
		}
	}
	r.apply(&schema.SetIndex{Market: 1, Price: r.price(r.marks[0])})
	return r
}

func (r *rim) apply(c schema.Command) *schema.Outcome { return r.m.Apply(r.m.Time()+schema.Second, c) }

func (r *rim) price(ticks int64) fixed.Decimal {
	return fixed.FromUnits(ticks, int(r.info.MoneyPrec))
}

// near is one of a few prices around the mark, where orders meet, or any.
func (r *rim) near(t *dice) fixed.Decimal {
	mark := r.marks[0]
	off := mark / 20 * int64(chance(t, 5)-2)
	switch {
	case rarely(t):
		return r.price(edgeUnits(t))
	case off > 0 && mark > math.MaxInt64-off:
		return r.price(math.MaxInt64)
	}
	return r.price(max(mark+off, 1))
}

func (r *rim) amount(t *dice) fixed.Decimal {
	if chance(t, 5) > 0 { // what somebody could pay
		whole, fits := fixed.Div(pick(t, ledger.Limit, d("1000000")), r.price(r.marks[0]), int(r.info.StockPrec), fixed.Down)
		if n, counts := whole.Units(int(r.info.StockPrec)); fits && counts && n > 0 {
			return fixed.FromUnits(n/int64(pick(t, 10, 10, 20, 100))+1, int(r.info.StockPrec))
		}
	}
	return fixed.FromUnits(edgeUnits(t), int(r.info.StockPrec))
}

func (r *rim) command(t *dice) schema.Command {
	account := schema.FirstCustomer + schema.AccountID(chance(t, rimAccounts))
	side, of := pick(t, schema.Buy, schema.Sell), pick(t, schema.BothSides, schema.LongSide, schema.ShortSide)
	stp := pick(t, schema.STPNo, schema.STPNo, schema.STPCancelOld, schema.STPCancelBoth)
	if !r.m.Collateral().Summary(account).Hedge {
		of = schema.BothSides
	}
	exit := func() fixed.Decimal {
		if chance(t, 4) > 0 {
			return fixed.Zero
		}
		return r.near(t)
	}
	switch chance(t, 16) {
	case 0, 1:
		return &schema.PlaceOCO{
			Account: account, Market: 1, Side: side, Amount: r.amount(t), Price: r.near(t), ActivationPrice: r.near(t), StopPrice: r.near(t),
			STP: stp, ReduceOnly: chance(t, 3) == 0, PositionSide: of,
		}
	case 2:
		return &schema.PlaceTPSL{Account: account, Market: 1, PositionSide: of, STP: stp, TakeProfit: exit(), StopLoss: exit()}
	case 3:
		next := chance(t, int(r.m.Trading().Counters().Order)+2)
		return pick[schema.Command](t, &schema.CancelGroup{Account: account, Market: 1, Group: schema.OrderID(next)}, &schema.CancelAll{Account: account})
	case 4:
		for _, p := range r.m.Collateral().Positions(account) {
			return &schema.ClosePosition{Account: account, Market: 1, Position: p.ID}
		}
		return &schema.Continue{}
	case 5:
		for _, o := range r.m.Trading().Open(account, 1) {
			if coin(t) {
				return &schema.ModifyOrder{Account: account, Order: schema.OrderRef{Market: 1, ID: o.ID}, Amount: schema.Some(r.amount(t)), KeepSTP: true}
			}
		}
		return &schema.Tick{}
	case 6, 7:
		if !r.dollar.IsZero() && chance(t, 3) == 0 {
			return &schema.SetIndex{Market: 2, Price: pick(t, r.dollar, r.dollar, fixed.FromUnits(edgeUnits(t), pick(t, 0, 9, 18)))}
		}
		switch {
		case rarely(t):
			r.marks[0] = edgeUnits(t)
		case coin(t):
			r.marks[0] = r.marks[chance(t, len(r.marks))]
		default:
			r.marks[0] = max(r.marks[0]/20*int64(19+chance(t, 2)), 1)
		}
		return &schema.SetIndex{Market: 1, Price: r.price(r.marks[0])}
	case 8:
		return &schema.Tick{}
	case 9:
		_, free, _ := r.m.Balance(account, schema.Collateral, 1)
		return &schema.Transfer{Account: account, Asset: 1, Amount: fixed.MaxOf(free, smallest), From: schema.Collateral, To: schema.Main}
	}
	c := &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: 1, Side: side, Type: pick(t, schema.Limit, schema.Limit, schema.StockMarket, schema.StopLimit, schema.StopStockMarket), Amount: r.amount(t),
		Price: r.near(t), ActivationPrice: r.near(t), STP: stp, Collateral: true, ReduceOnly: chance(t, 4) == 0, PositionSide: of, TakeProfit: exit(), StopLoss: exit(),
	}}
	if chance(t, 8) == 0 {
		c.Order.BBO = pick(t, schema.BBOQueue, schema.BBOCounterparty)
	}
	if r.spot && chance(t, 3) == 0 {
		c.Order.Collateral = false
	}
	if (r.spot || !r.dollar.IsZero()) && rarely(t) && rarely(t) {
		return &schema.PlanDelisting{Market: 1, At: r.m.Time() + 2*schema.Second}
	}
	return c
}

// TestFuturesAtTheirEdges: whatever the numbers are, nothing panics, every invariant holds and a snapshot can be restored.
func TestFuturesAtTheirEdges(t *testing.T) { atTheirEdges(t, schema.Futures) }

// TestPairsAtTheirEdges is the same for spot markets with margin.
func TestPairsAtTheirEdges(t *testing.T) { atTheirEdges(t, schema.Spot) }

// TestStocksAtTheirEdges is the same for TradFi futures, whatever a dollar is worth.
func TestStocksAtTheirEdges(t *testing.T) { atTheirEdges(t, schema.TradFiFutures) }

func atTheirEdges(t *testing.T, of schema.MarketType) {
	rapid.Check(t, func(rt *rapid.T) {
		rolled := roll(rt)
		r := newRim(rolled, of)
		for i := range 80 {
			c := r.command(rolled)
			if rarely(rolled) { // interest of a day
				r.m.Apply(r.m.Time()+24*3600*schema.Second, &schema.Tick{})
			}
			r.apply(c)
			for r.m.Busy() {
				r.apply(&schema.Continue{})
			}
			if err := r.m.Verify(); err != nil {
				rt.Fatalf("after %T %+v: %v", c, c, err)
			}
			if i%8 == 0 {
				restored, err := Restore(r.m.Snapshot())
				if err != nil || restored.Hash() != r.m.Hash() {
					rt.Fatalf("after %T: %v", c, err)
				}
			}
		}
	})
}
