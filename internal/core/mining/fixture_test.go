package mining

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/chain"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	coin schema.AssetID = 1 // with 8 decimals
	toy  schema.AssetID = 2 // with 18, of which 2 can be sent
	play schema.ChainID = 1 // a sandbox
	anna                = schema.FirstCustomer
	ben                 = anna + 1
	carl                = anna + 2
	sub                 = anna + 3 // anna's

	rig   schema.MiningID = 1 // anna's
	barn  schema.MiningID = 2 // ben's
	attic schema.MiningID = 3 // anna's
)

// noon is a day's noon.
const (
	midnight = 20_000 * day
	noon     = midnight + day/2
	hour     = 3600 * schema.Second
)

// one is the target of difficulty 1.
const one = 0x1d00ffff

// exchange is a pool that pays coins of which a block is worth 50, keeps a hundredth, and has 1000. Work is counted in units of difficulty 1.
// Coins leave by a sandbox for a fee of 1, after three blocks. Anna has two mining accounts, ben one; a listener has lease 1.
type exchange struct {
	*Pool
	t        *testing.T
	handlers product.Handlers
	tick     schema.Time
	clock    schema.Time
	quiet    bool // too much happens to verify it all
	seq      uint64
}

func usual() schema.PoolTerms {
	return schema.PoolTerms{Open: true, Asset: coin, Chain: play, Fee: d("0.01"), Least: d("2"), Accounts: 2, Links: 2}
}

// open is an exchange with the usual terms.
func open(t *testing.T, edits ...func(*schema.PoolTerms)) *exchange {
	t.Helper()
	x := bare(t)
	terms := usual()
	for _, edit := range edits {
		edit(&terms)
	}
	x.must(noon, &schema.SetPool{Terms: terms})
	x.asOperator(noon, &schema.SetPoolRate{Rate: d("50")})
	for _, m := range []schema.OpenMining{{Account: anna, Name: "rig"}, {Account: ben, Name: "barn"}, {Account: anna, Name: "attic", Referral: "friend"}} {
		x.must(noon, &m)
	}
	x.must(noon, &schema.LeasePool{})
	x.fund("1000")
	return x
}

// bare is an exchange without terms.
func bare(t *testing.T) *exchange {
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.MarketChanged = func(schema.MarketID) {}
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero },
	}
	tiers := tier.New(a, w, out)
	c := chain.New(l, listed, a, w, tiers, out)
	listed.Chains, w.ChainHeld = c.Offers, c.Held
	x := &exchange{t: t}
	tiers.Clock = func() schema.Time { return x.clock }
	c.Withdrew = func(w *schema.Withdrawal, _ schema.WithdrawalStatus) { x.Withdrew(w) }
	x.use(x.wired(New(l, listed, a, w, c, out)))
	x.must(noon, &schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Testnet}})
	x.network(schema.Network{})
	x.must(noon, &schema.SetAsset{Asset: schema.Asset{Ticker: "TOY", Class: schema.Crypto, Scale: 18, Precision: 2, CanDeposit: true, CanWithdraw: true}})
	for _, name := range []string{"anna", "ben", "carl"} {
		x.must(noon, &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}})
	}
	x.must(noon, &schema.SetSub{Master: anna, External: "s", Alias: "s", ShareKYC: true, Active: true})
	return x
}

// network lists coins, with what is special about their network.
func (x *exchange) network(n schema.Network) {
	n.Name, n.Chain, n.CanDeposit, n.CanWithdraw = "MAIN", play, true, true
	n.WithdrawFixed, n.ConfirmationsForTrading, n.Confirmations = d("1"), 2, 3
	x.must(x.clock, &schema.SetAsset{Asset: schema.Asset{
		Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{n},
	}})
}

// use lets the pool be p.
func (x *exchange) use(p *Pool) {
	x.Pool, x.handlers = p, product.Handlers{}
	for _, q := range []product.Product{p.listing, p.accounts, p.wallets, p.chains, p} {
		q.Commands(&x.handlers)
	}
}

func (x *exchange) wired(p *Pool) *Pool {
	p.Clock, p.LastTick = func() schema.Time { return x.clock }, func() schema.Time { return x.tick }
	return p
}

// apply applies a command at a moment.
func (x *exchange) apply(at schema.Time, c schema.Command) schema.Rejection {
	at = max(at, x.clock)
	x.out.Reset(at)
	var r schema.Rejection
	if _, ticks := c.(*schema.Tick); ticks {
		x.chains.Tick()
		x.Tick()
		x.tick = at
	} else {
		r = x.handlers[c.Kind()](c)
	}
	if !r.Refused() {
		x.clock = at
	}
	return r
}

func (x *exchange) must(at schema.Time, c schema.Command) {
	if r := x.apply(at, c); r.Refused() {
		panic(fmt.Sprintf("%T %+v: %s", c, c, r.Text()))
	}
}

func (x *exchange) asOperator(at schema.Time, c schema.Command) {
	x.out.Operator = "oscar"
	x.must(at, c)
	x.out.Operator = ""
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
		x.t.Fatal(err)
	}
	if err := x.restarted().Verify(); err != nil {
		x.t.Fatal(err)
	}
}

// written is the sections of a snapshot.
func written(p *Pool) []byte {
	w := &product.Writer{}
	for _, s := range p.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// state is all that can change.
func (x *exchange) state() []byte {
	if x.quiet {
		return nil
	}
	w := &product.Writer{Bytes: written(x.Pool)}
	for r := range x.ledger.Records() {
		w.Message(&r)
	}
	return w.Bytes
}

// restarted is what a snapshot of the pool gives.
func (x *exchange) restarted() *Pool {
	x.t.Helper()
	back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.chains, x.out))
	if err := (&product.Reader{Rest: written(x.Pool)}).Sections(back.Sections()); err != nil {
		x.t.Fatal(err)
	}
	if !slices.Equal(written(back), written(x.Pool)) {
		x.t.Fatal("another snapshot")
	}
	return back
}

// fund brings money that rewards are paid from; a negative amount takes it out.
func (x *exchange) fund(amount string) {
	outside, house := x.ledger.Open(schema.Outside, schema.Main, coin), x.ledger.Open(schema.Pool, schema.Main, coin)
	x.ledger.Move(outside, house, d(amount), ledger.Note{})
}

// has holds a main wallet to what is available and frozen of coins.
func (x *exchange) has(account schema.AccountID, available, frozen string) {
	x.t.Helper()
	a, f, _ := x.ledger.Balance(x.ledger.Find(account, schema.Main, coin))
	if a != d(available) || f != d(frozen) {
		x.t.Errorf("account %d has %s and %s frozen, want %s and %s", account, a, f, available, frozen)
	}
}

// story is the events of the last command about mining and withdrawals, and whose money moved.
func (x *exchange) story() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.PoolChanged:
			add("terms")
		case *schema.MiningChanged:
			add("mining %d", e.Mining.ID)
		case *schema.WatchChanged:
			add("link %d", e.Watch.ID)
		case *schema.SharesReported:
			add("%d+%d rows", len(e.Shares), len(e.Workers))
		case *schema.MiningMeasured:
			add("%d of %d at %d: %d %d-%d", e.Mining, e.Account, e.Time-midnight, e.Work, e.Accepted, e.Rejected)
		case *schema.BlockFound:
			add("block %d", e.Block.Height)
		case *schema.RewardChanged:
			m := e.Reward
			text := fmt.Sprintf("reward %d of %d: %s %s", m.ID, m.Mining, m.Amount, m.Status)
			if m.Withdrawal != 0 {
				text += fmt.Sprintf(" by %d to %s", m.Withdrawal, m.Address)
			}
			if m.Paid != 0 {
				text += " paid"
			}
			list = append(list, text)
		case *schema.WithdrawalChanged:
			add("withdrawal %d: %s", e.Withdrawal.ID, e.Withdrawal.Status)
		}
	}
	return list
}

// tells holds the events of the last command to a list.
func (x *exchange) tells(want ...string) {
	x.t.Helper()
	if got := x.story(); !slices.Equal(got, want) {
		x.t.Errorf("what happened is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// rewards are those that the last command changed, by their last state.
func (x *exchange) rewards() (list []schema.Reward) {
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.RewardChanged); is {
			list = append(list, e.Reward)
		}
	}
	return list
}

// shares are rows of the next report.
func (x *exchange) shares(rows ...schema.Shares) *schema.ReportShares {
	x.seq++
	return &schema.ReportShares{Lease: 1, Seq: x.seq, Shares: rows}
}

// brought reports that a mining account brought work of difficulty 1.
func (x *exchange) brought(at schema.Time, id schema.MiningID, work uint64) {
	x.t.Helper()
	x.do(at, x.shares(row(id, work)), schema.OK)
}

func row(id schema.MiningID, work uint64) schema.Shares {
	return schema.Shares{Mining: id, Bits: one, Work: work, Accepted: 1}
}

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

func external(account schema.AccountID, id schema.MiningID, address string) *schema.SetMiningPayout {
	return &schema.SetMiningPayout{Account: account, Mining: id, External: true, Address: address}
}

func inside(account schema.AccountID, id schema.MiningID) *schema.SetMiningPayout {
	return &schema.SetMiningPayout{Account: account, Mining: id}
}

var ledgerNote = ledger.Note{}
