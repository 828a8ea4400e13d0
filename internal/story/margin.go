package story

import (
	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// future reports whether a market is one; all orders there are paid from collateral.
func (t *teller) future(id schema.MarketID) bool {
	m := t.machine.Listing().Market(id)
	return m != nil && m.Future()
}

// collateral sets what an asset is worth as collateral, or changes of what was set what the line names.
func (t *teller) collateral(l *line) {
	cmd := schema.SetCollateral{IndexMaxAge: schema.DefaultIndexMaxAge}
	asset := t.asset(l)
	if old, set := t.machine.Prices().Collateral(asset); set {
		cmd = old
	}
	cmd.Asset = asset
	decimals := map[string]*fixed.Decimal{"weight": &cmd.Weight, "rate": &cmd.Rate, "pool": &cmd.PoolCap, "cap": &cmd.AccountCap}
	for l.more() {
		word := l.next("a setting")
		switch {
		case decimals[word] != nil:
			*decimals[word] = l.decimal(word)
		case word == "age":
			cmd.IndexMaxAge = l.span("an age")
		default:
			l.fail("%q is not a setting of collateral", word)
		}
	}
	t.set(l, &cmd)
}

// fund brings the operator's money into the insurance fund or the pool of loans.
func (t *teller) fund(l *line) {
	cmd := &schema.FundSystem{}
	switch word := l.next("what to fund"); word {
	case "insurance":
		cmd.Account = schema.Insurance
	case "lending":
		cmd.Account = schema.Lending
	default:
		l.fail("what is funded is insurance or lending, not %q", word)
	}
	cmd.Amount = l.decimal("an amount")
	cmd.Asset = t.asset(l)
	t.set(l, cmd)
}

func (t *teller) uses(l *line) {
	switch {
	case l.take("leverage"):
		t.set(l, &schema.SetLeverage{Account: l.trader, Leverage: l.leverage()})
	case l.take("hedge", "mode"):
		t.set(l, &schema.SetHedgeMode{Account: l.trader, On: true})
	default:
		l.want("one-way", "mode")
		t.set(l, &schema.SetHedgeMode{Account: l.trader})
	}
}

// closes closes the position of a trader on a market, in hedge mode the one that the line names. To close what is not
// there is for the exchange to refuse.
func (t *teller) closes(l *line) {
	cmd := &schema.ClosePosition{Account: l.trader, Market: t.market(l)}
	of := schema.BothSides
	switch {
	case l.take("long"):
		of = schema.LongSide
	case l.take("short"):
		of = schema.ShortSide
	}
	for _, p := range t.machine.Collateral().Positions(l.trader) {
		if p.Market == cmd.Market && p.Side == of {
			cmd.Position = p.ID
		}
	}
	t.apply(l, cmd)
}

// positionChange prints what a fill, funding, liquidation or delisting made of a position.
func (t *teller) positionChange(e *schema.PositionChanged) {
	p := &e.Position
	text := "closed"
	if !p.Amount.IsZero() {
		text = t.size(p) + " for " + p.Cost.Abs().String()
	}
	switch {
	case e.Cause == schema.ByFunding:
		text += ", funding " + e.Funding.String()
	case e.Deal == 0:
		text += " at the mark " + e.Price.String() + ", realized " + e.Realized.String()
	case !e.Realized.IsZero():
		text += ", realized " + e.Realized.String()
	}
	t.say("position %d (%s) %s", p.ID, t.name(p.Account), text)
}

// size is how much of what a position is.
func (t *teller) size(p *schema.Position) string {
	side := "long "
	if p.Amount.Sign() < 0 {
		side = "short "
	}
	return side + p.Amount.Abs().String() + " " + t.marketName(p.Market)
}

func (t *teller) loanChange(e *schema.LoanChanged) {
	owed := e.Principal.Add(e.Interest)
	switch {
	case !owed.IsZero():
		t.say("loan of %s: %s %s, interest %s", t.name(e.Account), e.Principal, t.ticker(e.Asset), e.Interest)
	case e.Liquidated:
		t.say("loan of %s: liquidated, interest %s %s", t.name(e.Account), e.Cost, t.ticker(e.Asset))
	default:
		t.say("loan of %s: repaid, interest %s %s", t.name(e.Account), e.Cost, t.ticker(e.Asset))
	}
}

func (t *teller) showPositions(account schema.AccountID) {
	list := t.machine.Collateral().Valuations(account, 0)
	for i := range list {
		t.say("%s", t.valuation(&list[i]))
	}
	if len(list) == 0 {
		t.say("none")
	}
}

// valuation says what a position is and what it is worth.
func (t *teller) valuation(v *collateral.Valuation) string {
	liquidation := "never liquidated"
	if v.Liquidation.Set() {
		liquidation = "liquidated at " + v.Liquidation.Value().String()
	}
	p := &v.Position
	return t.size(p) + " @ " + v.Entry.String() + ", unrealized " + v.Unrealized.String() + ", realized " + p.Realized.String() +
		", fees " + p.Fees.String() + ", funding " + p.Funding.Neg().String() + ", " + liquidation
}

// showMargin prints what an account has and what is asked of it.
func (t *teller) showMargin(account schema.AccountID) {
	s := t.machine.Collateral().Summary(account)
	mode := ""
	if s.Hedge {
		mode = " in hedge mode"
	}
	t.say("equity %s, unrealized %s, margin %s, free %s, maintenance %s, leverage %d%s, risk %s",
		s.Equity, s.Unrealized, s.Margin, s.Free(), s.Maintenance, s.Leverage, mode, t.machine.Collateral().Risk(account))
}

func (t *teller) showLoans(account schema.AccountID) {
	list := t.machine.Collateral().Loans(account)
	for _, loan := range list {
		t.say("%s %s, interest %s, accrued %s", loan.Principal, t.ticker(loan.Asset), loan.Interest, loan.Accrued)
	}
	if len(list) == 0 {
		t.say("none")
	}
}

// showPrices prints what positions on a future are valued by, or the index of another market.
func (t *teller) showPrices(id schema.MarketID) {
	f, is := t.machine.Prices().Future(id)
	if !is {
		t.say("index %s", t.machine.Trading().Market(id).Index.Price)
		return
	}
	stale := ""
	if !f.Fresh {
		stale = ", stale"
	}
	t.say("mark %s, index %s%s, funding %s at %s", f.Mark, f.Index, stale, f.Rate, clock(f.Settles))
}
