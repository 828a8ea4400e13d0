package earn

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the plans and who sees the private ones, the open investments, what is owed to investments, and how far the last day is
// credited.
func (e *Earn) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagPlans, Name: "plans", Version: 1, Write: e.writePlans, Read: e.readPlans},
		{Tag: product.TagAssignedPlans, Name: "accounts that see private plans", Version: 1, Write: e.writeAssigned, Read: e.readAssigned},
		{Tag: product.TagFixedInvestments, Name: "investments in fixed plans", Version: 1, Write: e.writeFixed, Read: e.readFixed},
		{Tag: product.TagFlexInvestments, Name: "investments in flex plans", Version: 1, Write: e.writeFlex, Read: e.readFlex},
		{Tag: product.TagInterestOwed, Name: "interest that is owed", Version: 1, Write: e.writeDebts, Read: e.readDebts},
		{Tag: product.TagAccrualRun, Name: "crediting of interest", Version: 1, Write: e.writeRound, Read: e.readRound},
		product.Counter(product.TagInvestmentCounter, "the number of investments", &e.last),
		product.Counter(product.TagEarnCounter, "the number of what happened to investments", &e.lastAction),
	}
}

// planRecord is a plan as snapshots keep it.
type planRecord struct {
	plan  schema.Plan
	meter meter
	used  bool
}

func (r *planRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "plan", &r.plan)
	wire.Uint(c, 2, "hour", &r.meter.hour)
	wire.Uint(c, 3, "index", &r.meter.index)
	wire.Uint(c, 4, "running", &r.meter.running)
	wire.Uint(c, 5, "midnight", &r.meter.midnight)
	c.Bool(6, "used", &r.used)
}

func (e *Earn) writePlans(w *product.Writer) {
	for _, p := range e.plans {
		w.Message(&planRecord{p.Plan, p.meter, p.used})
	}
}

func (e *Earn) readPlans(r *product.Reader) error {
	for m, err := range product.Messages[planRecord](r) {
		if err != nil {
			return err
		}
		p := &plan{Plan: m.plan, meter: m.meter, used: m.used}
		_, taken := e.names[p.Name]
		if int(p.ID) != len(e.plans)+1 || len(e.plans) == mostPlans || taken {
			return fmt.Errorf("plan %d: it stands in the wrong place, or its name is that of another", p.ID)
		}
		if err := e.checkPlan(p); err != nil {
			return fmt.Errorf("plan %d: %w", p.ID, err)
		}
		e.plans, e.names[p.Name] = append(e.plans, p), p.ID
	}
	return nil
}

// checkPlan refuses a plan that no command could have left. The precision of its asset may have been finer when it was set.
func (e *Earn) checkPlan(p *plan) error {
	asset := e.listing.Asset(p.Asset)
	fastest, _ := mostRate.Units(9)
	switch {
	case asset == nil || e.listing.Asset(p.Payout) == nil || !sound(&p.Plan, int(asset.Scale)):
		return errors.New("it cannot be as it is")
	case p.midnight > p.index || p.running > uint64(fastest) || p.Created < 0 || p.hour < uint32(p.Created/hour):
		return errors.New("its index cannot be")
	}
	return nil
}

// assignment is an account that sees a private plan.
type assignment struct {
	plan    schema.PlanID
	account schema.AccountID
}

func (r *assignment) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "plan", &r.plan)
	wire.Uint(c, 2, "account", &r.account)
}

func (e *Earn) writeAssigned(w *product.Writer) {
	for _, p := range e.plans {
		for _, account := range p.assigned {
			w.Message(&assignment{p.ID, account})
		}
	}
}

func (e *Earn) readAssigned(r *product.Reader) error {
	var last assignment
	for m, err := range product.Messages[assignment](r) {
		if err != nil {
			return err
		}
		p := e.plan(m.plan)
		switch {
		case p == nil || e.accounts.Get(m.account) == nil || len(p.assigned) == mostAssigned:
			return fmt.Errorf("plan %d and account %d: one is not there, or there are too many", m.plan, m.account)
		case m.plan < last.plan || m.plan == last.plan && m.account <= last.account:
			return fmt.Errorf("plan %d and account %d: they stand in the wrong place", m.plan, m.account)
		}
		p.assigned, last = append(p.assigned, m.account), *m
	}
	return nil
}

func (e *Earn) writeFixed(w *product.Writer) {
	for place := e.terms.First; place != 0; place = e.open.At(place).After {
		m := e.open.At(place).public()
		w.Message(&m)
	}
}

func (e *Earn) readFixed(r *product.Reader) error {
	last := schema.InvestmentID(0)
	for m, err := range product.Messages[schema.Investment](r) {
		if err != nil {
			return err
		}
		v := investment{
			id: m.ID, account: m.Account, plan: m.Plan, amount: m.Amount, interest: m.Interest, due: m.Due, created: m.Created, updated: m.Updated,
		}
		if err := e.check(&v, schema.FixedPlan, last); err != nil {
			return fmt.Errorf("investment %d: %w", v.id, err)
		}
		if v.public() != *m {
			return fmt.Errorf("investment %d: it cannot be paid, closed, or reinvested", v.id)
		}
		last = v.id
		e.add(v)
		e.last = max(e.last, last)
	}
	return nil
}

// flexRecord is an investment in a flex plan as snapshots keep it.
type flexRecord struct {
	public   schema.Investment
	interest fixed.Decimal
	accrual
}

func (r *flexRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "investment", &r.public)
	c.Decimal(2, "interest", &r.interest)
	wire.Uint(c, 3, "rest", &r.rest)
	wire.Uint(c, 4, "base", &r.base)
	c.Decimal(5, "waiting", &r.waiting)
	wire.Uint(c, 6, "from", &r.from)
	wire.Uint(c, 7, "joins", &r.joins)
	wire.Uint(c, 8, "day", &r.day)
}

func (e *Earn) writeFlex(w *product.Writer) {
	for place := e.flexes.First; place != 0; place = e.open.At(place).After {
		v := e.open.At(place)
		w.Message(&flexRecord{v.public(), v.interest, v.accrual})
	}
}

func (e *Earn) readFlex(r *product.Reader) error {
	last := schema.InvestmentID(0)
	for m, err := range product.Messages[flexRecord](r) {
		if err != nil {
			return err
		}
		p := m.public
		v := investment{
			id: p.ID, account: p.Account, plan: p.Plan, amount: p.Amount, reinvest: p.Reinvest, created: p.Created, updated: p.Updated,
			interest: m.interest, accrual: m.accrual,
		}
		if err := e.check(&v, schema.FlexPlan, last); err != nil {
			return fmt.Errorf("investment %d: %w", v.id, err)
		}
		if v.public() != p {
			return fmt.Errorf("investment %d: it cannot have a term, or be paid or closed", v.id)
		}
		last = v.id
		e.add(v)
		e.last = max(e.last, last)
	}
	return nil
}

// check refuses an investment that no command could have left. Numbers are dealt to both kinds, so that those of one leave gaps.
func (e *Earn) check(v *investment, kind schema.PlanKind, last schema.InvestmentID) error {
	p := e.plan(v.plan)
	if v.id <= last || e.find(v.id) != 0 {
		return errors.New("it stands in the wrong place, or twice")
	}
	if e.accounts.Get(v.account) == nil || p == nil || p.Kind != kind || !p.used {
		return errors.New("its account or its plan cannot be")
	}
	before, count := e.inPlan(v.account, v.plan)
	asset, payout := e.listing.Asset(p.Asset), e.listing.Asset(p.Payout)
	_, fits := p.total.AddChecked(v.amount)
	switch {
	case count >= mostOpen || before != 0 && kind == schema.FlexPlan:
		return errors.New("its account has too many")
	case v.amount.Sign() <= 0 || v.amount.Decimals() > int(asset.Scale) || !fits:
		return errors.New("its amount cannot be")
	case v.created < 0 || v.updated < v.created:
		return errors.New("its times cannot be")
	case kind == schema.FixedPlan && (v.interest.Sign() <= 0 || v.interest.Decimals() > int(payout.Scale) || v.due <= v.created):
		return errors.New("its interest or its end cannot be")
	case kind == schema.FlexPlan && !v.accrualSound(p):
		return errors.New("what it earned cannot be")
	}
	return nil
}

// accrualSound reports whether a flex investment can have earned what it did.
func (v *investment) accrualSound(p *plan) bool {
	waits := !v.waiting.IsZero()
	switch {
	case v.waiting.Sign() < 0 || v.waiting.Cmp(v.amount) > 0 || v.interest.Sign() < 0 || v.rest >= perUnit || v.base > p.index:
		return false
	case waits != (v.joins != 0) || !waits && v.from != 0 || waits && (v.from < v.base || v.from-v.base > p.index+p.running-v.base || v.joins > p.hour+1):
		return false
	}
	// What was not credited since the last midnight was not looked at since either.
	return v.day == p.hour/24 || v.day < p.hour/24 && v.base <= p.midnight && v.from <= p.midnight
}

// debtRecord is what an investment is owed as snapshots keep it.
type debtRecord struct{ debt }

func (r *debtRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "investment", &r.investment)
	wire.Uint(c, 2, "account", &r.account)
	wire.Uint(c, 3, "plan", &r.plan)
	c.Decimal(4, "amount", &r.amount)
}

func (e *Earn) writeDebts(w *product.Writer) {
	for i := range e.debts.order {
		for _, place := range e.debts.order[i].Down(&e.debts.nodes) {
			w.Message(&debtRecord{*e.debts.all.At(place)})
		}
	}
}

func (e *Earn) readDebts(r *product.Reader) error {
	var last schema.InvestmentID
	var of schema.AssetID
	for m, err := range product.Messages[debtRecord](r) {
		if err != nil {
			return err
		}
		if err := e.checkDebt(&m.debt); err != nil {
			return fmt.Errorf("investment %d: %w", m.investment, err)
		}
		asset := e.plan(m.plan).Asset
		if asset < of || asset == of && m.investment <= last {
			return fmt.Errorf("investment %d: it stands in the wrong place", m.investment)
		}
		last, of = m.investment, asset
		e.debts.add(asset, m.debt)
		e.last = max(e.last, last)
	}
	return nil
}

// checkDebt refuses a debt that cannot be.
func (e *Earn) checkDebt(d *debt) error {
	p := e.plan(d.plan)
	if e.accounts.Get(d.account) == nil || p == nil || p.Kind != schema.FlexPlan || !p.used || d.investment == 0 {
		return errors.New("its account or its plan cannot be")
	}
	if d.amount.Sign() <= 0 || d.amount.Decimals() > int(e.listing.Asset(p.Asset).Scale) {
		return errors.New("the amount cannot be")
	}
	if place := e.find(d.investment); place != 0 {
		if v := e.open.At(place); v.account != d.account || v.plan != d.plan {
			return errors.New("it is that of another account or plan")
		}
	}
	return nil
}

// roundRecord is how far crediting the last day has come, as snapshots keep it.
type roundRecord struct {
	day  uint32
	next schema.InvestmentID
}

func (r *roundRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "day", &r.day)
	wire.Uint(c, 2, "next", &r.next)
}

func (e *Earn) writeRound(w *product.Writer) {
	if e.flexes.First == 0 {
		return
	}
	m := roundRecord{day: e.round.day}
	if e.round.next != 0 {
		m.next = e.open.At(e.round.next).id
	}
	w.Message(&m)
}

func (e *Earn) readRound(r *product.Reader) error {
	known := false
	for m, err := range product.Messages[roundRecord](r) {
		if err != nil {
			return err
		}
		next := e.find(m.next)
		if known || e.flexes.First == 0 || m.next != 0 && (next == 0 || e.open.At(next).Where != &e.flexes) || m.day > uint32(e.Clock()/day) {
			return errors.New("it stands there twice, there is nothing to credit, or the day is to come")
		}
		known, e.round = true, round{m.day, next}
	}
	return nil
}
