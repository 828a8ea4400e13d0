package earn

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	dollar schema.AssetID = 1 // with 2 decimals of 8
	coin   schema.AssetID = 2 // with 8
	alice                 = schema.FirstCustomer
	ben                   = alice + 1
	carl                  = alice + 2 // is no partner
	sub                   = alice + 3 // alice's
	term   schema.PlanID  = 1         // 10 percent of dollars in 30 minutes, in dollars
	mixed  schema.PlanID  = 2         // 3 percent of dollars in an hour, in coins of 40,000
	flexed schema.PlanID  = 3         // 8.76 a year on dollars: a thousandth an hour
)

// noon is a day's noon.
const noon = 20_000*day + 12*hour

// exchange is plans for three customers. Alice and ben are partners and have 10,000 dollars each; there are 1,000 dollars and a coin for
// interest.
type exchange struct {
	*Earn
	t        *testing.T
	handlers product.Handlers
	tick     schema.Time
	clock    schema.Time
	quiet    bool // too much happens to verify it all
}

func open(t testing.TB) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.MarketChanged = func(schema.MarketID) {}
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index:     func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero },
		ChainHeld: func(schema.AccountID, schema.AssetID) fixed.Decimal { return fixed.Zero },
	}
	x := &exchange{}
	x.t, _ = t.(*testing.T)
	x.use(x.wired(New(l, listed, a, w, out)))
	for _, asset := range []schema.Asset{{Ticker: "USD", Scale: 8, Precision: 2}, {Ticker: "BTC", Scale: 8, Precision: 8}} {
		asset.Class, asset.CanDeposit, asset.CanWithdraw = schema.Crypto, true, true
		x.must(noon-day, &schema.SetAsset{Asset: asset})
	}
	for _, name := range []string{"alice", "ben", "carl"} {
		x.must(noon-day, &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, Partner: name != "carl"}})
	}
	x.must(noon-day, &schema.SetSub{Master: alice, External: "s", Alias: "s", ShareKYC: true, Active: true})
	x.fund(dollar, "1000")
	x.fund(coin, "1")
	for _, account := range []schema.AccountID{alice, ben, carl, sub} {
		x.must(noon-day, &schema.Deposit{Account: account, Asset: dollar, Amount: d("10000")})
	}
	x.must(noon-day, &schema.SetPlan{Plan: termPlan()})
	x.must(noon-day, &schema.SetPlan{Plan: mixedPlan()})
	x.must(noon-day, &schema.SetPlan{Plan: flexPlan()})
	return x
}

// use lets investments be those of e.
func (x *exchange) use(e *Earn) {
	x.Earn, x.handlers = e, product.Handlers{}
	for _, p := range []product.Product{e.listing, e.accounts, e.wallets, e} {
		p.Commands(&x.handlers)
	}
}

func (x *exchange) wired(e *Earn) *Earn {
	e.Clock, e.LastTick = func() schema.Time { return x.clock }, func() schema.Time { return x.tick }
	return e
}

func termPlan(edits ...func(*schema.Plan)) schema.Plan {
	p := schema.Plan{
		Name: "term", Kind: schema.FixedPlan, Asset: dollar, Payout: dollar, Percent: d("10"), Minutes: 30, Ratio: fixed.One,
		Min: d("1"), Max: d("1000"), Cap: d("3000"), Status: schema.PlanActive,
	}
	return edited(p, edits)
}

func mixedPlan(edits ...func(*schema.Plan)) schema.Plan {
	p := schema.Plan{
		Name: "mixed", Kind: schema.FixedPlan, Asset: dollar, Payout: coin, Percent: d("3"), Minutes: 60, Ratio: d("40000"),
		Min: d("0.01"), Status: schema.PlanActive,
	}
	return edited(p, edits)
}

func flexPlan(edits ...func(*schema.Plan)) schema.Plan {
	p := schema.Plan{
		Name: "flex", Kind: schema.FlexPlan, Asset: dollar, Payout: dollar, Rate: d("8.76"), Min: d("10"), Max: d("1000"), Cap: d("3000"), Status: schema.PlanActive,
	}
	return edited(p, edits)
}

func edited(p schema.Plan, edits []func(*schema.Plan)) schema.Plan {
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// with changes a plan that there is.
func (x *exchange) with(id schema.PlanID, edits ...func(*schema.Plan)) {
	x.must(x.clock, &schema.SetPlan{Plan: edited(*x.Plan(id), edits)})
}

// apply applies a command at a moment.
func (x *exchange) apply(at schema.Time, c schema.Command) schema.Rejection {
	at = max(at, x.clock)
	x.out.Reset(at)
	var r schema.Rejection
	if _, ticks := c.(*schema.Tick); ticks {
		x.Tick()
		x.tick = at
	} else {
		r = x.handlers[c.Kind()](c)
	}
	x.clock = at
	return r
}

func (x *exchange) must(at schema.Time, c schema.Command) {
	if r := x.apply(at, c); r.Refused() {
		panic(fmt.Sprintf("%T %+v: %s", c, c, r.Text()))
	}
}

// do applies a command at a moment, says why it was refused, and verifies: a refused command changes nothing, and a snapshot comes back.
func (x *exchange) do(at schema.Time, c schema.Command, want schema.Reason) schema.Rejection {
	x.t.Helper()
	before := x.state()
	r := x.apply(at, c)
	if r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
	if r.Refused() && (!slices.Equal(before, x.state()) || x.out.Events.Len() != 0 || x.out.Result.ID != 0) {
		x.t.Errorf("%T %+v was refused and changed something", c, c)
	}
	x.verify()
	return r
}

// at lets the timers run at a moment.
func (x *exchange) at(at schema.Time) {
	x.t.Helper()
	x.do(at, &schema.Tick{}, schema.OK)
}

func (x *exchange) verify() {
	x.t.Helper()
	if x.quiet {
		return
	}
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
	if err := x.restarted().Verify(); err != nil {
		x.t.Error(err)
	}
}

// written is the sections of a snapshot.
func written(e *Earn) []byte {
	w := &product.Writer{}
	for _, s := range e.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// state is all that can change.
func (x *exchange) state() []byte {
	w := &product.Writer{Bytes: written(x.Earn)}
	for r := range x.ledger.Records() {
		w.Message(&r)
	}
	return w.Bytes
}

// restarted is what a snapshot of the investments gives.
func (x *exchange) restarted() *Earn {
	x.t.Helper()
	back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.out))
	if err := (&product.Reader{Rest: written(x.Earn)}).Sections(back.Sections()); err != nil {
		x.t.Fatal(err)
	}
	if !slices.Equal(written(back), written(x.Earn)) {
		x.t.Fatal("another snapshot")
	}
	return back
}

// fund brings money that interest is paid from; a negative amount takes it out.
func (x *exchange) fund(asset schema.AssetID, amount string) {
	outside, house := x.ledger.Open(schema.Outside, schema.Main, asset), x.ledger.Open(schema.Interest, schema.Main, asset)
	x.ledger.Move(outside, house, d(amount), note())
}

// has holds a balance to what is available and frozen.
func (x *exchange) has(account schema.AccountID, w schema.Wallet, asset schema.AssetID, available, frozen string) {
	x.t.Helper()
	a, f, _ := x.ledger.Balance(x.ledger.Find(account, w, asset))
	if a != d(available) || f != d(frozen) {
		x.t.Errorf("account %d has %s and %s frozen in %s, want %s and %s", account, a, f, w, available, frozen)
	}
}

// story is the events of the last command about investments, and whose money moved, in order.
func (x *exchange) story() (list []string) {
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.InvestmentChanged:
			m := e.Investment
			text := fmt.Sprintf("%d has %s", m.ID, m.Amount)
			if m.Closed {
				text = fmt.Sprintf("%d is closed with %s and %s paid", m.ID, m.Amount, m.Paid)
			}
			if m.Reinvest {
				text += " and reinvests"
			}
			list = append(list, text)
		case *schema.Earned:
			list = append(list, fmt.Sprintf("%d: %s %s of %d", e.ID, e.Action, e.Amount, e.Investment))
		case *schema.BalanceChanged:
			if e.Cause != schema.ByInvestment || e.Ref == 0 {
				x.t.Errorf("money moves by %s of %d", e.Cause, e.Ref)
			}
		}
	}
	return list
}

// tells holds the events of the last command to a list.
func (x *exchange) tells(want ...string) {
	x.t.Helper()
	if got := x.story(); !slices.Equal(got, want) {
		x.t.Errorf("what happened is\n%q, want\n%q", got, want)
	}
}

func note() ledger.Note { return ledger.Note{} }

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

func invest(account schema.AccountID, plan schema.PlanID, amount string) *schema.Invest {
	return &schema.Invest{Account: account, Plan: plan, Amount: d(amount)}
}

func reinvest(account schema.AccountID, plan schema.PlanID, amount string) *schema.Invest {
	return &schema.Invest{Account: account, Plan: plan, Amount: d(amount), Reinvest: true}
}

func divest(account schema.AccountID, plan schema.PlanID, amount string) *schema.Divest {
	return &schema.Divest{Account: account, Plan: plan, Amount: d(amount)}
}

func all(account schema.AccountID, plan schema.PlanID) *schema.Divest {
	return &schema.Divest{Account: account, Plan: plan, All: true}
}

func end(account schema.AccountID, id schema.InvestmentID) *schema.Divest {
	return &schema.Divest{Account: account, Investment: id}
}
