package proposal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	alice = schema.FirstCustomer
	ben   = alice + 1

	coin  schema.AssetID = 1 // comes by bitcoin, has a market
	usdt  schema.AssetID = 2 // comes by no chain
	toy   schema.AssetID = 3 // comes by a sandbox
	ether schema.AssetID = 4 // comes by a chain of others of which no block was taken yet

	bitcoin schema.ChainID = 1
	play    schema.ChainID = 2
	evm     schema.ChainID = 3

	start = 1000 * schema.Second
)

// world is an exchange with a guarded chain. Deposits 2 and 3 came by it to alice and wait in suspense, of 31 and 0.5 coins, where 10 may be
// withdrawn without approval; she owes 2 coins, of a deposit that was lost when she had sold it.
type world struct {
	t *testing.T
	*core.Machine
	now    schema.Time
	height uint64
	branch byte     // of the blocks
	last   []string // what the last command said
	ready  bool     // the world is there: every command is looked at closely
}

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

func hash(height uint64, branch byte) schema.Digest {
	return schema.Digest{branch, byte(height), 31: 1}
}

// open is the world, with a machine that was just made. Without begun no block was taken of any chain of others.
func open(t *testing.T, m *core.Machine, begun bool) *world {
	t.Helper()
	w := &world{t: t, Machine: m, now: start, height: 9}
	for _, c := range []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: 100}},
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		&schema.SetChain{Chain: schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Testnet, Number: 7, FeeRateMax: 100}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "COIN", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, MaxWithdraw: d("500"),
			Networks: []schema.Network{{
				Name: "MAIN", Chain: bitcoin, Decimals: 8, CanDeposit: true, CanWithdraw: true, Confirmations: 3, ConfirmationsForTrading: 2,
				MinDeposit: d("1"), MaxDeposit: d("30"), MaxWithdraw: d("100"), HeldCap: d("50"),
				ApproveAbove: d("10"), Approve2Above: d("20"), HourCap: d("1000"), HotCap: d("200"),
			}},
		}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, MaxWithdraw: d("500")}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "TOY", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, MaxWithdraw: d("500"),
			Networks: []schema.Network{{Name: "PLAY", Chain: play, Confirmations: 3, ConfirmationsForTrading: 2, ApproveAbove: d("10"), HotCap: d("200")}},
		}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "ETHER", Class: schema.Crypto, Scale: 18, Precision: 8, CanDeposit: true, CanWithdraw: true, MaxWithdraw: d("500"),
			Networks: []schema.Network{{Name: "MAIN", Chain: evm, Decimals: 18, Confirmations: 3, ConfirmationsForTrading: 2, ApproveAbove: d("10")}},
		}},
		&schema.SetMarket{Market: schema.MarketInfo{Name: "COIN_USDT", Base: coin, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8, Enabled: true}},
		&schema.SetTier{Tier: schema.Tier{Number: 1, Day: d("100"), Month: d("1000")}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}},
		&schema.Deposit{Account: ben, Asset: usdt, Amount: d("100")},
		&schema.Transfer{Account: ben, Asset: usdt, Amount: d("100"), From: schema.Main, To: schema.Trade},
		&schema.OpenAddress{Account: alice, Chain: bitcoin},
	} {
		w.do("", c, schema.OK)
	}
	if w.ready = !begun; w.ready {
		return w
	}
	w.block()
	w.block(paid("sold", "2"))
	w.block()
	w.do("", &schema.Transfer{Account: alice, Asset: coin, Amount: d("2"), From: schema.Main, To: schema.Trade}, schema.OK)
	w.do("", &schema.PlaceOrder{Account: alice, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Sell, Amount: d("2"), Price: d("5")}}, schema.OK)
	w.do("", &schema.PlaceOrder{Account: ben, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("2"), Price: d("5")}}, schema.OK)
	w.do("", &schema.ChainRewind{Chain: bitcoin, Height: 10, Hash: hash(10, 0)}, schema.OK)
	w.height, w.branch = 10, 1
	w.block()
	w.block(paid("much", "31"), paid("little", "0.5"))
	for range 8 {
		w.block()
	}
	w.tick(1)
	w.has(alice, schema.Owed, "2")
	w.ready = true
	return w
}

func guarded(t *testing.T) *world {
	t.Helper()
	return open(t, core.NewExchange(), true)
}

func paid(id, amount string) schema.Receipt {
	return schema.Receipt{ID: id, Asset: coin, Amount: d(amount), Index: 1, Text: "address"}
}

// block gives the watched chain its next block.
func (w *world) block(receipts ...schema.Receipt) {
	w.t.Helper()
	w.height++
	_, parent := w.Chains().Cursor(bitcoin)
	w.do("", &schema.ChainBlock{Chain: bitcoin, Height: w.height, Hash: hash(w.height, w.branch), Parent: parent, Receipts: receipts}, schema.OK)
}

// do lets a command of an operator ("": nobody's) happen a microsecond later, and holds it to why it was refused. What is refused changes
// nothing; every state can be restored.
func (w *world) do(operator string, c schema.Command, want schema.Reason) schema.Result {
	w.t.Helper()
	w.now++
	var before [32]byte
	if w.ready {
		before = w.Hash()
	}
	out := w.ApplyFrom(w.now, schema.Origin{Operator: operator}, c)
	r := out.Result.Rejection
	if r.Reason != want {
		w.t.Fatalf("%T %+v of %q: %v (%s), want %v", c, c, operator, r.Reason, r.Text(), want)
	}
	w.last = nil
	for e := range out.Events.All() {
		w.last = append(w.last, said(e))
	}
	if !w.ready {
		return out.Result
	}
	if r.Refused() && w.Hash() != before {
		w.t.Errorf("%T was refused and changed the state", c)
	}
	if err := w.Verify(); err != nil {
		w.t.Fatal(err)
	}
	w.restored()
	return out.Result
}

func (w *world) tick(after schema.Time) {
	w.t.Helper()
	w.now += after - 1
	w.do("", &schema.Tick{}, schema.OK)
}

// restored is a machine in the same state, of a snapshot.
func (w *world) restored() *core.Machine {
	w.t.Helper()
	back, err := core.Restore(w.Snapshot())
	if err != nil {
		w.t.Fatal(err)
	}
	if back.Hash() != w.Hash() || !slices.EqualFunc(back.Proposals(), w.Proposals(), func(a, b schema.Proposal) bool { return spelled(a) == spelled(b) }) {
		w.t.Fatal("a snapshot gives another state back")
	}
	return back
}

// spelled is a proposal in words: its status, who asked and approved, why it was refused, and what kind of command it is.
func spelled(p schema.Proposal) string {
	text := fmt.Sprintf("%d %s by %s", p.ID, p.Status, p.Operator)
	if p.Approver != "" {
		text += " and " + p.Approver
	}
	if p.Reason != schema.OK {
		text += fmt.Sprint(" refused ", p.Reason)
	}
	return text + ": " + named(p.Command)
}

// named is the type of a command or an event.
func named(of any) string { return strings.TrimPrefix(fmt.Sprintf("%T", of), "*schema.") }

// said is an event: a proposal as it is spelled, a record of the audit with the number under which its command waits, others by their types.
func said(e schema.Event) string {
	switch e := e.(type) {
	case *schema.ProposalChanged:
		return spelled(e.Proposal)
	case *schema.AuditRecord:
		return fmt.Sprintf("audit of %s: %s %d", e.Operator, named(e.Command), e.Proposal)
	}
	return named(e)
}

// says holds the last command to its events, in order, but those of balances.
func (w *world) says(want ...string) {
	w.t.Helper()
	list := slices.DeleteFunc(slices.Clone(w.last), func(e string) bool { return e == "BalanceChanged" })
	if !slices.Equal(list, want) {
		w.t.Errorf("said %q, want %q", list, want)
	}
}

// waits holds what waits.
func (w *world) waits(want ...string) {
	w.t.Helper()
	var list []string
	for _, p := range w.Proposals() {
		list = append(list, spelled(p))
	}
	if !slices.Equal(list, want) {
		w.t.Errorf("%q wait, want %q", list, want)
	}
}

func (w *world) has(account schema.AccountID, of schema.Wallet, want string) {
	w.t.Helper()
	if got, _, _ := w.Balance(account, of, coin); got != d(want) {
		w.t.Errorf("account %d has %s in %s, want %s", account, got, of, want)
	}
}

// asset is the command that sets an asset as it is, but for a change.
func (w *world) asset(id schema.AssetID, change func(*schema.Asset)) *schema.SetAsset {
	a := *w.Listing().Asset(id)
	a.Networks = slices.Clone(a.Networks)
	change(&a)
	return &schema.SetAsset{Asset: a}
}

// network is asset for a change of the first network.
func (w *world) network(id schema.AssetID, change func(*schema.Network)) *schema.SetAsset {
	return w.asset(id, func(a *schema.Asset) { change(&a.Networks[0]) })
}

func (w *world) chain(id schema.ChainID, change func(*schema.Chain)) *schema.SetChain {
	c := *w.Chains().Get(id)
	change(&c)
	return &schema.SetChain{Chain: c}
}

func tier(number uint8, day, month string) *schema.SetTier {
	return &schema.SetTier{Tier: schema.Tier{Number: number, Day: d(day), Month: d(month)}}
}

// raise is the setting by which more is withdrawn without approval.
func (w *world) raise(to string) *schema.SetAsset {
	return w.network(coin, func(n *schema.Network) { n.ApproveAbove = d(to) })
}

func credit(deposit schema.DepositID) *schema.DecideDeposit {
	return &schema.DecideDeposit{Deposit: deposit, Decision: schema.CreditDeposit}
}

func bring(amount string) *schema.Deposit {
	return &schema.Deposit{Account: ben, Asset: coin, Amount: d(amount)}
}

func forgive(amount string) *schema.ForgiveOwed {
	return &schema.ForgiveOwed{Account: alice, Asset: coin, Amount: d(amount)}
}

func approve(id schema.ProposalID) *schema.DecideProposal {
	return &schema.DecideProposal{Proposal: id, Approve: true}
}

func cancel(id schema.ProposalID) *schema.DecideProposal {
	return &schema.DecideProposal{Proposal: id}
}
