package naive

import (
	"slices"

	"bourse/internal/schema"
)

// margins is trading with collateral: how accounts do it, what they have open on futures and pairs and what they owe.
type margins struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	prices   *prices

	modes        map[schema.AccountID]mode
	open         []*held // positions, by id
	lastPosition int
	ended        []held // positions that were closed since orders were last looked at

	debts    map[debtor]*debt
	interest map[schema.AssetID]*accrual

	// overdrawn are the accounts that a forced loan left with more than they may borrow. They pay it at the end of the next tick.
	overdrawn map[schema.AccountID]bool

	fundingSlice *int // the exchange's
}

// tick counts interest, settles funding and then closes what is open on markets that are delisted.
func (g *margins) tick() {
	g.countInterest()
	g.settleFunding()
	g.closeDelisted()
}

// mode is what an account chose; a leverage of zero is none that it chose.
type mode struct {
	leverage int64
	hedge    bool
}

func (g *margins) apply(cmd schema.Command) *schema.Result {
	var r schema.Rejection
	switch c := cmd.(type) {
	case *schema.SetLeverage:
		r = g.setLeverage(c)
	case *schema.SetHedgeMode:
		r = g.setHedgeMode(c)
	default:
		return nil
	}
	return &schema.Result{Rejection: r}
}

// mode is that of an account, also of one that never chose.
func (g *margins) mode(a schema.AccountID) mode {
	m := g.modes[a]
	if m.leverage == 0 {
		m.leverage = 10
	}
	return m
}

func (g *margins) setLeverage(c *schema.SetLeverage) schema.Rejection {
	account, r := g.accounts.trader(c.Account)
	if refused(r) {
		return r
	}
	most := int64(account.MaxLeverage)
	if most == 0 {
		most = 100
	}
	p, leverage := g.portfolio(c.Account), int64(c.Leverage)
	valid := p.validLeverage(leverage, most)
	for _, s := range p.seats {
		if s.market.future && s.used() {
			most = min(most, s.market.maxLeverage)
		}
	}
	switch {
	case !valid:
		return about(schema.LeverageInvalid, whole(most))
	case !p.admitsLeverage(leverage):
		return because(schema.LeverageNotCovered)
	}
	chosen := g.mode(c.Account)
	chosen.leverage = leverage
	g.choose(c.Account, chosen)
	return accepted
}

func (g *margins) setHedgeMode(c *schema.SetHedgeMode) schema.Rejection {
	if _, r := g.accounts.trader(c.Account); refused(r) {
		return r
	}
	chosen := g.mode(c.Account)
	if chosen.hedge != c.On && !g.portfolio(c.Account).mayHedge() {
		return because(schema.HedgeModeInUse)
	}
	chosen.hedge = c.On
	g.choose(c.Account, chosen)
	return accepted
}

// choose says what an account chose, also if that is nothing new.
func (g *margins) choose(a schema.AccountID, chosen mode) {
	g.modes[a] = chosen
	g.call.record(&schema.MarginChanged{Account: a, Leverage: uint8(chosen.leverage), Hedge: chosen.hedge})
}

// free is what an account may take out of its collateral wallet. One that has no position, order or debt may take
// all.
func (g *margins) free(a schema.AccountID, asset schema.AssetID) num {
	p := g.portfolio(a)
	owes := slices.ContainsFunc(p.holdings, func(h *holding) bool { return h.debt.sign() > 0 })
	for _, h := range p.holdings {
		if h.id == int(asset) && (owes || slices.ContainsFunc(p.seats, (*seat).used)) {
			return p.free(h)
		}
	}
	return g.ledger.balance(a, schema.Collateral, asset).available
}
