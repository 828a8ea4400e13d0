package core

import (
	"fmt"
	"math"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// edges is a listing at the edges of what is accepted: the finest and the coarsest precisions, the
// highest fees, absurd ticks and steps, all the money that there can be. Prices and amounts of each
// market come from a few values, so that orders meet there.
type edges struct {
	assets  []schema.Asset
	markets []edgeMarket
}

type edgeMarket struct {
	info    schema.MarketInfo
	prices  []int64 // in units of 10^-MoneyPrec
	amounts []int64 // in lots
}

func newEdges(t *dice) *edges {
	e := &edges{}
	for _, ticker := range []string{"AAA", "BBB", "CCC"} {
		scale := pick[uint8](t, 18, 18, 18, 17, 9, 0)
		e.assets = append(e.assets, schema.Asset{
			Ticker: ticker, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true,
			Scale: scale, Precision: pick(t, scale, scale, scale/2, 0),
		})
	}
	for _, pair := range [][2]schema.AssetID{{1, 3}, {2, 3}, {1, 2}} {
		m := edgeMarket{info: e.market(t, pair[0], pair[1])}
		for range 3 {
			m.prices = append(m.prices, edgeUnits(t))
			m.amounts = append(m.amounts, edgeUnits(t))
		}
		e.markets = append(e.markets, m)
	}
	return e
}

// market draws a listing. Nearly all that is drawn is accepted.
func (e *edges) market(t *dice, baseID, quoteID schema.AssetID) schema.MarketInfo {
	base, quote := e.assets[baseID-1], e.assets[quoteID-1]
	finest := min(base.Scale, quote.Scale)
	m := schema.MarketInfo{
		Name: base.Ticker + "_" + quote.Ticker, Base: baseID, Quote: quoteID, Type: schema.Spot, Enabled: true,
		StockPrec: pick(t, 0, finest/2, finest), FeePrec: pick(t, 0, finest, finest),
	}
	room := quote.Scale - m.StockPrec
	m.MoneyPrec = pick(t, 0, room/2, room)
	e.sharpen(t, &m)
	return m
}

// sharpen draws the settings of a market that can change.
func (e *edges) sharpen(t *dice, m *schema.MarketInfo) {
	finest := min(e.assets[m.Base-1].Scale, e.assets[m.Quote-1].Scale)
	m.FeePrec = pick(t, 0, finest, finest)
	m.TickSize, m.StepSize = edgeStep(t, m.MoneyPrec), edgeStep(t, m.StockPrec)
	m.MakerFee = pick(t, fixed.Zero, mostPercent, mostPercent.Neg(), leastPercent, leastPercent.Neg())
	m.TakerFee = pick(t, fixed.Zero, mostPercent, leastPercent)
	m.RPIPremium = pick(t, schema.Optional{}, schema.Some(mostPercent), schema.Some(mostPercent.Neg()), schema.Some(leastPercent))
	m.TakerBand = pick(t, fixed.Zero, fixed.Zero, mostPercent.Add(mostPercent), leastPercent)
	m.MaxOrders = pick[uint32](t, 0, 0, 0, 1, 2, schema.HighestMaxOrders)
	if rarely(t) {
		m.MinAmount, m.MinTotal, m.MaxTotal = pick(t, fixed.Zero, fixed.Max), pick(t, fixed.Zero, smallest), pick(t, fixed.Zero, fixed.Max)
	}
}

var (
	smallest     = fixed.FromUnits(1, 18)
	leastPercent = fixed.FromUnits(1, 16)
	mostPercent  = fixed.FromUnits(499_999_999_999_999_999, 16)
)

// cut is a positive number with no more than so many decimals.
func cut(d fixed.Decimal, places int) fixed.Decimal {
	rounded, _ := d.Round(places, fixed.Down)
	return rounded
}

// edgeStep is a tick or step: none, the smallest, the largest, or something between.
func edgeStep(t *dice, places uint8) fixed.Decimal {
	if chance(t, 3) != 0 {
		return fixed.Zero
	}
	if rarely(t) {
		return cut(fixed.Max, int(places))
	}
	return pick(t, fixed.FromUnits(1, int(places)), fixed.FromUnits(edgeUnits(t), int(places)))
}

// edgeUnits is a count of the smallest units.
func edgeUnits(t *dice) int64 {
	power := int64(1)
	for range chance(t, 19) {
		power *= 10
	}
	return pick(t, 1, 2, 3, math.MaxInt64, math.MaxInt64-1, math.MaxInt64/2, math.MaxInt64/2+1, power, power, power, power/2+1)
}

// near is one of the usual values of a market, or close to one.
func near(t *dice, usual []int64) int64 {
	n := usual[chance(t, len(usual))]
	switch chance(t, 12) {
	case 0:
		return max(n-1, 1)
	case 1:
		return n + min(1, math.MaxInt64-n)
	case 2:
		return edgeUnits(t)
	case 3:
		return n/2 + 1
	}
	return n
}

// genesis lists everything and gives away all the money that may be, or some of it.
func (e *edges) genesis(t *dice) []schema.Command {
	var list []schema.Command
	for _, a := range e.assets {
		list = append(list, &schema.SetAsset{Asset: a})
	}
	for i := range e.markets {
		list = append(list, &schema.SetMarket{Market: e.markets[i].info})
	}
	for i := range worldAccounts {
		a := schema.Account{Name: fmt.Sprintf("trader%d", i), Region: schema.Global, Retail: true, RPI: true}
		list = append(list, &schema.SetAccount{Account: a})
	}
	for j, a := range e.assets {
		owners := int64(pick(t, 1, worldAccounts, 16)) // of nearly all of it
		share, _ := fixed.Div(ledger.Limit, fixed.FromInt(owners), int(a.Precision), fixed.Down)
		for i := range worldAccounts {
			account := schema.FirstCustomer + schema.AccountID(i)
			amount := pick(t, share, share, share, fixed.FromInt(1), fixed.FromUnits(edgeUnits(t), int(a.Precision)))
			half, _ := fixed.Div(amount, fixed.FromInt(2), int(a.Precision), fixed.Down)
			asset := schema.AssetID(j + 1)
			list = append(list,
				&schema.Deposit{Account: account, Asset: asset, Amount: amount, Held: rarely(t)},
				&schema.Transfer{Account: account, Asset: asset, Amount: pick(t, amount, amount, half), From: schema.Main, To: schema.Trade})
		}
	}
	return list
}

// request puts numbers from the edges into an order.
func (e *edges) request(t *dice, r *schema.OrderRequest) {
	if r.Market < 1 || int(r.Market) > len(e.markets) || rarely(t) {
		return
	}
	r.Price, r.ActivationPrice = e.price(t, r.Market), e.price(t, r.Market)
	if r.Type.InQuote(r.Side) {
		r.Amount = e.total(t, r.Market)
	} else {
		r.Amount = e.amount(t, r.Market)
	}
}

// allIn makes an order cost all that somebody has. It stays as it was if no price is so high.
func (e *edges) allIn(t *dice, c *schema.PlaceOrder, bank *Machine) {
	r := &c.Order
	m := bank.Listing().Market(r.Market)
	if m == nil || r.Amount.Sign() <= 0 {
		return
	}
	payer := schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
	money, _, _ := bank.Balance(payer, schema.Trade, m.Quote)
	if r.Type.InQuote(r.Side) {
		r.Amount = cut(money, int(m.MoneyPrec))
		return
	}
	if stock, _, _ := bank.Balance(c.Account, schema.Trade, m.Base); r.Side == schema.Sell && coin(t) {
		r.Amount = fixed.MinOf(cut(stock, int(m.StockPrec)), fixed.FromUnits(math.MaxInt64, int(m.StockPrec)))
	}
	if r.Amount.Sign() <= 0 {
		return
	}
	if price, fits := fixed.Div(money, r.Amount, int(m.MoneyPrec), fixed.Down); fits && price.Sign() > 0 {
		r.Price = price
	}
}

// modify puts numbers from the edges into a modification, where it has any.
func (e *edges) modify(t *dice, c *schema.ModifyOrder) {
	id := c.Order.Market
	if id < 1 || int(id) > len(e.markets) || rarely(t) {
		return
	}
	numbers := []struct {
		field *schema.Optional
		draw  func(*dice, schema.MarketID) fixed.Decimal
	}{{&c.Amount, e.amount}, {&c.Total, e.total}, {&c.Price, e.price}, {&c.ActivationPrice, e.price}}
	for _, n := range numbers {
		if n.field.Set() {
			*n.field = schema.Some(n.draw(t, id))
		}
	}
}

func (e *edges) price(t *dice, id schema.MarketID) fixed.Decimal {
	m := &e.markets[id-1]
	return fixed.FromUnits(near(t, m.prices), int(m.info.MoneyPrec))
}

func (e *edges) amount(t *dice, id schema.MarketID) fixed.Decimal {
	m := &e.markets[id-1]
	return fixed.FromUnits(near(t, m.amounts), int(m.info.StockPrec))
}

// total is what some lots cost, and sometimes a little more or less.
func (e *edges) total(t *dice, id schema.MarketID) fixed.Decimal {
	m := &e.markets[id-1]
	places := int(m.info.MoneyPrec)
	cost, ok := fixed.Mul(e.price(t, id), e.amount(t, id), places, pick(t, fixed.Down, fixed.Up))
	if !ok || cost.Sign() == 0 || chance(t, 4) == 0 {
		cost = pick(t, cut(fixed.Max, places), fixed.FromUnits(edgeUnits(t), places))
	}
	return cost
}

// money is an amount of an asset that moves.
func (e *edges) money(t *dice, asset schema.AssetID) fixed.Decimal {
	if asset < 1 || int(asset) > len(e.assets) {
		return fixed.One
	}
	a := &e.assets[asset-1]
	places := int(pick(t, a.Precision, a.Precision, a.Scale))
	return pick(t, fixed.FromUnits(edgeUnits(t), places), cut(ledger.Limit, places), ledger.Limit, fixed.FromUnits(1, places))
}

// index is an index price.
func (e *edges) index(t *dice) fixed.Decimal {
	return pick(t, fixed.Zero, fixed.One, smallest, fixed.Max, fixed.FromUnits(edgeUnits(t), chance(t, 19)))
}

// fee is a fee of an account.
func (e *edges) fee(t *dice) schema.Optional {
	return pick(t, schema.Optional{}, schema.Some(fixed.Zero), schema.Some(mostPercent), schema.Some(mostPercent.Neg()), schema.Some(leastPercent))
}
