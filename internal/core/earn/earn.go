// Package earn is investments: accounts move money of their main wallet into a plan, and are paid interest for it. A fixed plan pays so
// much at the end of a term, a flex plan by the hour, credited once a day. docs/earn.md is the contract.
//
// What must hold: the earn wallet of an account has what is in its open investments; what is frozen of the account of interest is what
// fixed plans will pay; interest comes from that account alone, which is never negative: what it cannot pay it owes.
package earn

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of what there is, and of what a Tick does.
const (
	mostPlans    = 1000
	mostAssigned = 1000 // accounts that see a private plan
	mostOpen     = 100  // investments of an account
	termSlice    = 1000 // fixed investments that end
	creditSlice  = 2000 // flex investments that are credited or looked at
	debtSlice    = 2000 // debts that are paid
)

const (
	hour = 3600 * schema.Second
	day  = 24 * hour
)

// Earn is the plans and the investments that are open.
type Earn struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	out      *schema.Outcome
	// Clock is the moment of the last accepted command, and LastTick that of the last Tick.
	Clock, LastTick func() schema.Time

	plans []*plan // plan i+1
	names map[string]schema.PlanID

	// open are the open investments; terms and flexes are those of fixed and of flex plans, in order by number.
	open   slab.Shelf[investment, *investment]
	terms  slab.List
	flexes slab.List
	places slab.Index                  // of open, by number
	newest map[schema.AccountID]uint32 // open investment of an account: the others follow it, by falling number; only ever asked
	dues   dues
	debts  debts
	round  round

	last       schema.InvestmentID
	lastAction schema.EarnID
}

// investment is an open one.
type investment struct {
	slab.Links
	id       schema.InvestmentID
	account  schema.AccountID
	plan     schema.PlanID
	next     uint32 // open investment of the same account: the one before
	reinvest bool
	// main and earn are the balances of the account in the asset of the plan.
	main, earn       ledger.Cell
	amount           fixed.Decimal
	created, updated schema.Time
	// interest is what a fixed plan pays at due, and what of a flex plan accrued and is not credited: exactly, with the rest of accrual.
	interest fixed.Decimal
	due      schema.Time
	accrual
}

// New makes an exchange without plans.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, out *schema.Outcome) *Earn {
	return &Earn{
		ledger: l, listing: listed, accounts: a, wallets: w, out: out,
		names: map[string]schema.PlanID{}, newest: map[schema.AccountID]uint32{}, debts: debts{of: map[schema.AccountID]int{}},
	}
}

// Commands registers what operators do with plans, and customers with investments.
func (e *Earn) Commands(h *product.Handlers) {
	product.On(h, e.setPlan)
	product.On(h, e.assignPlan)
	product.On(h, e.invest)
	product.On(h, e.divest)
	product.On(h, e.setReinvest)
}

// Holds reports whether an account has an open investment, or is owed interest.
func (e *Earn) Holds(account schema.AccountID) bool {
	return e.newest[account] != 0 || e.debts.of[account] > 0
}

// NextTimer is when the next fixed investment ends or the next day does, and at once while a day is being credited or a debt can be paid.
func (e *Earn) NextTimer() (next schema.Time, running bool) {
	if e.round.next != 0 || e.payable() {
		return e.LastTick() + 1, true
	}
	if first := e.dues.order.Last(); first.Found() {
		next, running = e.open.At(first.Item()).due, true
	}
	if midnight := schema.Time(e.round.day+1) * day; e.flexes.First != 0 && (!running || midnight < next) {
		next, running = midnight, true
	}
	return next, running
}

// Tick ends fixed investments, credits what flex plans pay, and pays what is owed, some of each at once.
func (e *Earn) Tick() {
	e.endTerms()
	e.creditSome()
	e.payDebts()
}

// add puts an investment among the open ones, behind all others of its kind: it has the highest number.
func (e *Earn) add(v investment) uint32 {
	p := e.plan(v.plan)
	place, at := e.open.Take()
	v.main, v.earn = e.ledger.Open(v.account, schema.Main, p.Asset), e.ledger.Open(v.account, schema.Earn, p.Asset)
	*at = v
	if p.Kind == schema.FixedPlan {
		e.open.Push(&e.terms, place)
		e.dues.order.Put(&e.dues.nodes, due{v.due, v.id}, place)
	} else {
		if e.flexes.First == 0 {
			e.round.day = v.day
		}
		e.open.Push(&e.flexes, place)
	}
	e.places.Add(slab.HashRun(uint64(v.id)), place)
	e.list(place)
	p.total, p.used = p.total.Add(v.amount), true
	return place
}

// list puts an investment among those of its account, the newest first: a restore adds those of one kind after those of the other.
func (e *Earn) list(place uint32) {
	v := e.open.At(place)
	first := e.newest[v.account]
	if first == 0 || e.open.At(first).id < v.id {
		v.next, e.newest[v.account] = first, place
		return
	}
	before := e.open.At(first)
	for before.next != 0 && e.open.At(before.next).id > v.id {
		before = e.open.At(before.next)
	}
	v.next, before.next = before.next, place
}

// remove takes an investment from the open ones.
func (e *Earn) remove(place uint32) {
	v := e.open.At(place)
	p := e.plan(v.plan)
	p.total = p.total.Sub(v.amount)
	if p.Kind == schema.FixedPlan {
		e.dues.order.Remove(&e.dues.nodes, due{v.due, v.id})
	}
	if e.round.next == place {
		e.round.next = v.After
	}
	e.open.Pull(place)
	if e.flexes.First == 0 {
		e.round = round{}
	}
	e.places.Remove(slab.HashRun(uint64(v.id)), place)
	if first := e.newest[v.account]; first != place {
		for e.open.At(first).next != place {
			first = e.open.At(first).next
		}
		e.open.At(first).next = v.next
	} else if v.next != 0 {
		e.newest[v.account] = v.next
	} else {
		delete(e.newest, v.account)
	}
	e.open.Give(place)
}

// find is the place of an open investment; 0: there is none.
func (e *Earn) find(id schema.InvestmentID) uint32 {
	probe := e.places.Find(slab.HashRun(uint64(id)))
	for {
		place := probe.Next()
		if place == 0 || e.open.At(place).id == id {
			return place
		}
	}
}

// inPlan is the place of an open investment of an account in a plan, the newest of them, and how many investments the account has.
func (e *Earn) inPlan(account schema.AccountID, id schema.PlanID) (found uint32, count int) {
	for place := e.newest[account]; place != 0; place = e.open.At(place).next {
		count++
		if found == 0 && e.open.At(place).plan == id {
			found = place
		}
	}
	return found, count
}

// number is the number of the next investment.
func (e *Earn) number() schema.InvestmentID {
	e.last++
	return e.last
}

// house is the balance that interest of an asset is paid from.
func (e *Earn) house(asset schema.AssetID) ledger.Cell {
	return e.ledger.Find(schema.Interest, schema.Main, asset)
}

// toMain pays money of a balance to the main wallet of the account, where it repays what is owed to chains.
func (e *Earn) toMain(v *investment, from ledger.Cell, asset schema.AssetID, amount fixed.Decimal) {
	e.ledger.Move(from, v.main, amount, v.note())
	e.wallets.Repay(v.account, asset)
}

func (v *investment) note() ledger.Note {
	return ledger.Note{Cause: schema.ByInvestment, Ref: uint64(v.id)}
}

// public is what customers see of an investment.
func (v *investment) public() schema.Investment {
	m := schema.Investment{
		ID: v.id, Account: v.account, Plan: v.plan, Amount: v.amount, Due: v.due, Reinvest: v.reinvest, Created: v.created, Updated: v.updated,
	}
	if v.due != 0 { // what a flex plan pays is known when it is credited
		m.Interest = v.interest
	}
	return m
}

func (e *Earn) changed(m schema.Investment) {
	e.out.Events.Add(&schema.InvestmentChanged{Investment: m})
}

// earned records what happened to an investment, and returns its number.
func (e *Earn) earned(v *investment, asset schema.AssetID, amount fixed.Decimal, action schema.EarnAction) schema.EarnID {
	e.lastAction++
	e.out.Events.Add(&schema.Earned{
		ID: e.lastAction, Investment: v.id, Account: v.account, Plan: v.plan, Asset: asset, Amount: amount, Action: action,
	})
	return e.lastAction
}
