package chain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	coin  schema.AssetID = 1
	alice                = schema.FirstCustomer
	ben                  = alice + 1

	bitcoin schema.ChainID = 1 // watched
	play    schema.ChainID = 2 // a sandbox
)

// exchange has a coin that comes by a watched chain and one that comes by a sandbox, both after two blocks for trading and three for
// good, and two customers with an address each: alice has index 1, ben 2.
type exchange struct {
	*Chains
	t        *testing.T
	handlers product.Handlers
	products []product.Product
	now      schema.Time
	orders   []fixed.Decimal // of alice, which the test lets give back
}

const toy schema.AssetID = 2

func open(t *testing.T) *exchange {
	t.Helper()
	x := build(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}}, schema.OK)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}}, schema.OK)
	x.do(asset("COIN", bitcoin), schema.OK)
	x.do(asset("TOY", play), schema.OK)
	for _, name := range []string{"alice", "ben"} {
		x.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}, schema.OK)
	}
	for _, chain := range []schema.ChainID{bitcoin, play} {
		for _, account := range []schema.AccountID{alice, ben} {
			x.do(&schema.OpenAddress{Account: account, Chain: chain}, schema.OK)
		}
	}
	x.block(9, 0, 0)
	return x
}

// build is an exchange without anything.
func build(t *testing.T) *exchange {
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero },
	}
	x := &exchange{t: t, Chains: New(l, listed, a, w, tier.New(a, w, out), out)}
	listed.Chains, w.ChainHeld = x.Offers, x.Held
	x.Orders = func(schema.AccountID, schema.AssetID, int) int {
		freed := x.orders
		if len(freed) > 1 {
			freed = freed[:1]
		}
		for _, amount := range freed {
			x.ledger.Freeze(x.ledger.Find(alice, schema.Trade, coin), amount.Neg(), ledger.Note{})
		}
		x.orders = x.orders[len(freed):]
		return len(freed) * mostOrders
	}
	x.tiers.Clock = func() schema.Time { return x.now }
	x.products = []product.Product{listed, a, w, x.tiers, x.Chains}
	for _, p := range x.products {
		p.Commands(&x.handlers)
	}
	return x
}

// asset is a coin on a chain; what is special about its network is said by edits.
func asset(ticker string, chain schema.ChainID, edits ...func(*schema.Asset, *schema.Network)) *schema.SetAsset {
	n := schema.Network{Name: "MAIN", CanDeposit: true, Chain: chain, ConfirmationsForTrading: 2, Confirmations: 3}
	a := schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 4, CanDeposit: true, CanWithdraw: true}
	if chain == bitcoin {
		n.Decimals = 8
	}
	for _, edit := range edits {
		edit(&a, &n)
	}
	a.Networks = []schema.Network{n}
	return &schema.SetAsset{Asset: a}
}

// do applies a command, says why it was refused, and verifies.
func (x *exchange) do(c schema.Command, want schema.Reason) schema.Rejection {
	x.t.Helper()
	x.now++
	x.out.Reset(x.now)
	r := x.handlers[c.Kind()](c)
	if r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
	x.check()
	return r
}

// tick lets a moment pass.
func (x *exchange) tick(after schema.Time) {
	x.t.Helper()
	x.now += after
	x.out.Reset(x.now)
	x.Tick()
	x.check()
}

// check verifies, and that a snapshot gives the same state back.
func (x *exchange) check() {
	x.t.Helper()
	if err := x.Verify(); err != nil {
		x.t.Fatal(err)
	}
	written := x.snapshot()
	again := build(x.t)
	*again.listing, *again.accounts, *again.ledger = *x.listing, *x.accounts, *x.ledger
	if err := (&product.Reader{Rest: written}).Sections(again.Chains.Sections()); err != nil {
		x.t.Fatal(err)
	}
	if !slices.Equal(again.snapshot(), written) {
		x.t.Fatal("a snapshot that was read gives another one")
	}
	if err := again.Verify(); err != nil {
		x.t.Fatal(err)
	}
}

// unreadable holds an error to a part of what is said when a snapshot is read that was changed.
func (x *exchange) unreadable(says string, change func()) {
	x.t.Helper()
	change()
	again := build(x.t)
	again.listing, again.accounts, again.ledger = x.listing, x.accounts, x.ledger
	err := (&product.Reader{Rest: x.snapshot()}).Sections(again.Chains.Sections())
	if err == nil {
		err = again.Verify()
	}
	if err == nil || !strings.Contains(err.Error(), says) {
		x.t.Errorf("read with %v, want %q", err, says)
	}
}

func (x *exchange) snapshot() []byte {
	var w product.Writer
	for _, s := range x.Chains.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

func hash(height uint64, branch byte) schema.Digest {
	return schema.Digest{branch, byte(height), 31: 1}
}

// block gives the watched chain a block on top of the one before, of a branch that may be another.
func (x *exchange) block(height uint64, branch, parent byte, receipts ...schema.Receipt) {
	x.t.Helper()
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: height, Hash: hash(height, branch), Parent: hash(height-1, parent), Receipts: receipts}, schema.OK)
}

func (x *exchange) rewound(height uint64, branch byte) {
	x.t.Helper()
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: height, Hash: hash(height, branch)}, schema.OK)
}

func receipt(id string, amount string, index schema.AddressIndex) schema.Receipt {
	r := schema.Receipt{ID: id, Asset: coin, Amount: fixed.MustParse(amount), Index: index, Text: "address", Memo: "memo"}
	if index == 0 { // nobody's: it came to an address of the exchange itself
		r.Own = schema.Hot
	}
	return r
}

// has holds a balance of the coin to what is available and held there.
func (x *exchange) has(account schema.AccountID, w schema.Wallet, available, held string) {
	x.t.Helper()
	got, _, on := x.ledger.Balance(x.ledger.Find(account, w, coin))
	if got != fixed.MustParse(available) || on != fixed.MustParse(held) {
		x.t.Errorf("account %d has %s, %s held, in %s, want %s and %s", account, got, on, w, available, held)
	}
}

// is holds a deposit to its status.
func (x *exchange) is(id schema.DepositID, status schema.DepositStatus, height uint64) schema.ChainDeposit {
	x.t.Helper()
	d, known := x.Deposit(id)
	if !known || d.Status != status || d.Height != height {
		x.t.Errorf("deposit %d is %s at %d (%v), want %s at %d", id, d.Status, d.Height, known, status, height)
	}
	return d
}

// said are the changes of deposits that the last command announced.
func (x *exchange) said() (list []string) {
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.ChainDepositChanged:
			list = append(list, fmt.Sprintf("%d %s at %d", e.Deposit.ID, e.Deposit.Status, e.Deposit.Height))
		case *schema.ChainMoved:
			list = append(list, fmt.Sprintf("moved to %d", e.Height))
		}
	}
	return list
}

func (x *exchange) says(want ...string) {
	x.t.Helper()
	if got := x.said(); !slices.Equal(got, want) {
		x.t.Errorf("said %q, want %q", got, want)
	}
}

func TestADepositIsTradableThenTheAccounts(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "2.5", 1))
	x.says("1 confirming at 10", "moved to 10")
	d := x.is(1, schema.DepositConfirming, 10)
	if d.Account != alice || d.Receipt != "a" || d.Address != "address" || d.Memo != "memo" || d.Created != x.now || d.Changed != x.now || d.Chain != bitcoin || d.Asset != coin {
		t.Errorf("%+v", d)
	}
	x.has(alice, schema.Main, "0", "0")
	x.block(11, 0, 0)
	x.says("moved to 11", "1 held at 10")
	x.has(alice, schema.Main, "2.5", "2.5")
	x.has(schema.Custody, schema.Main, "-2.5", "0")
	x.do(&schema.Withdraw{Account: alice, Asset: coin, Amount: fixed.MustParse("1")}, schema.MoveHeld)
	x.do(&schema.ConfirmDeposit{Account: alice, Asset: coin, Amount: fixed.MustParse("1")}, schema.ConfirmTooMuch)
	x.block(12, 0, 0)
	x.says("moved to 12", "1 credited at 10")
	x.has(alice, schema.Main, "2.5", "0")
	x.do(&schema.Withdraw{Account: alice, Asset: coin, Amount: fixed.MustParse("1")}, schema.OK)
}

func TestFeesAreTaken(t *testing.T) {
	x := open(t)
	for i, c := range []struct{ fixed, percent, least, most, amount, fee string }{
		{"0.1", "0", "0", "0", "1", "0.1"},
		{"0", "1.5", "0", "0", "2", "0.03"},
		{"0.1", "1.5", "0.05", "0", "2", "0.15"},
		{"0.1", "1.5", "0", "0.02", "2", "0.12"},
		{"0", "33.3333333333333333", "0", "0", "0.00000002", "0"},
	} {
		x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) {
			n.DepositFixed, n.DepositPercent, n.DepositMinFee, n.DepositMaxFee = fixed.MustParse(c.fixed), fixed.MustParse(c.percent), fixed.MustParse(c.least), fixed.MustParse(c.most)
			n.Confirmations, n.ConfirmationsForTrading = 1, 1
		}), schema.OK)
		x.block(uint64(10+i), 0, 0, receipt(fmt.Sprint(i), c.amount, 1))
		if d := x.is(schema.DepositID(i+1), schema.DepositCredited, uint64(10+i)); d.Fee != fixed.MustParse(c.fee) {
			t.Errorf("%+v: the fee is %s", c, d.Fee)
		}
	}
	x.has(schema.Fees, schema.Main, "0.4", "0")
}

func TestWhatIsNotCreditedIsInSuspense(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(a *schema.Asset, n *schema.Network) {
		a.MinDeposit, n.MaxDeposit, n.DepositFixed = fixed.MustParse("0.1"), fixed.MustParse("5"), fixed.MustParse("0.2")
	}), schema.OK)
	x.block(10, 0, 0, receipt("small", "0.05", 1), receipt("fee", "0.2", 1), receipt("large", "6", 1), receipt("nobody", "1", 0))
	x.block(11, 0, 0)
	x.says("moved to 11", "1 uncredited at 10", "2 uncredited at 10", "3 uncredited at 10", "4 uncredited at 10")
	x.do(&schema.DecideDeposit{Deposit: 3, Decision: schema.CreditDeposit}, schema.DepositShallow)
	x.has(schema.Suspense, schema.Main, "0", "0")
	x.block(12, 0, 0)
	x.says("moved to 12")
	x.has(schema.Suspense, schema.Main, "7.25", "0")
	decide := func(id schema.DepositID, d schema.Decision, account schema.AccountID, want schema.Reason) {
		t.Helper()
		x.do(&schema.DecideDeposit{Deposit: id, Decision: d, Account: account}, want)
	}
	decide(9, schema.CreditDeposit, 0, schema.DepositUnknown)
	decide(3, 0, 0, schema.DepositDecided)
	decide(3, schema.CreditDeposit, ben, schema.DepositOwner)
	decide(3, schema.CreditDeposit, 0, schema.OK)
	decide(3, schema.CreditDeposit, 0, schema.DepositDecided)
	x.has(alice, schema.Main, "6", "0")
	decide(4, schema.CancelDeposit, 0, schema.DepositOwner)
	decide(4, schema.CreditDeposit, 0, schema.DepositOwner)
	decide(4, schema.CreditDeposit, 999, schema.AccountUnknown)
	decide(4, schema.FreezeDeposit, 0, schema.OK)
	decide(4, schema.FreezeDeposit, 0, schema.DepositDecided)
	decide(4, schema.CreditDeposit, ben, schema.OK)
	x.has(ben, schema.Main, "1", "0")
	decide(1, schema.CancelDeposit, 0, schema.OK)
	decide(1, schema.CreditDeposit, 0, schema.DepositDecided)
	x.is(1, schema.DepositCanceled, 10)
	x.has(schema.Suspense, schema.Main, "0.25", "0")
	x.has(schema.Custody, schema.Main, "-7.25", "0")
}

func TestWhatIsDecidedEarlyIsNotCredited(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "1", 1), receipt("b", "2", 1))
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit}, schema.OK)
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit, Account: alice}, schema.OK)
	x.block(11, 0, 0)
	x.block(12, 0, 0)
	x.has(alice, schema.Main, "0", "0")
	x.has(schema.Suspense, schema.Main, "3", "0")
}

func TestARewoundDepositComesBack(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "2", 1))
	x.block(12, 0, 0)
	x.has(alice, schema.Main, "2", "2")
	x.rewound(10, 0)
	x.says("moved to 10", "1 held at 0")
	x.has(alice, schema.Main, "2", "2") // nothing happens to it meanwhile
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit}, schema.DepositDecided)
	x.block(11, 1, 0)
	x.block(12, 1, 1, receipt("a", "2", 1))
	x.says("1 held at 12", "moved to 12")
	x.block(13, 1, 1)
	x.block(14, 1, 1)
	x.says("moved to 14", "1 credited at 12")
	x.has(alice, schema.Main, "2", "0")
}

func TestALostDepositIsTakenBackAndTheRestIsOwed(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "5", 1))
	x.block(12, 0, 0)
	x.do(&schema.Transfer{Account: alice, Asset: coin, Amount: fixed.MustParse("4"), From: schema.Main, To: schema.Trade}, schema.OK)
	// One coin is sold, one and a half are in two orders.
	trade := x.ledger.Find(alice, schema.Trade, coin)
	x.ledger.Move(trade, x.ledger.Open(ben, schema.Trade, coin), fixed.One, ledger.Note{})
	x.orders = []fixed.Decimal{fixed.One, fixed.MustParse("0.5")}
	x.ledger.Freeze(trade, fixed.MustParse("1.5"), ledger.Note{})
	x.rewound(10, 0)
	for height := uint64(11); height <= 17; height++ {
		x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 11])
	}
	x.is(1, schema.DepositHeld, 0)
	x.block(18, 1, 1) // six above the height that was
	x.says("moved to 18", "1 lost at 0")
	x.has(alice, schema.Main, "0", "0")
	x.has(alice, schema.Trade, "0", "0")
	x.has(alice, schema.Owed, "2.5", "0")
	x.has(schema.House, schema.Main, "-2.5", "0")
	x.has(schema.House, schema.Owed, "-2.5", "0")
	x.has(schema.Custody, schema.Main, "0", "0")
	if at, running := x.NextTimer(); !running || at != x.now {
		t.Errorf("collecting is due at %d, %v", at, running)
	}
	x.tick(1)
	x.has(alice, schema.Owed, "1.5", "0")
	x.tick(1)
	x.has(alice, schema.Owed, "1", "0")
	x.tick(1)
	if _, running := x.NextTimer(); running {
		t.Error("there is nothing to collect any more")
	}
	// What comes pays the rest first, and nothing of anything leaves before.
	x.do(&schema.Deposit{Account: alice, Asset: toy, Amount: fixed.One}, schema.OK)
	x.do(&schema.Withdraw{Account: alice, Asset: toy, Amount: fixed.One}, schema.Owing)
	x.do(&schema.ForgiveOwed{Account: alice, Asset: coin, Amount: fixed.MustParse("2")}, schema.OwedLess)
	x.do(&schema.ForgiveOwed{Account: alice, Asset: coin, Amount: fixed.MustParse("0.25")}, schema.OK)
	x.do(&schema.Deposit{Account: alice, Asset: coin, Amount: fixed.One}, schema.OK)
	x.has(alice, schema.Main, "0.25", "0")
	x.has(alice, schema.Owed, "0", "0")
	x.has(schema.House, schema.Main, "-0.25", "0")
	x.do(&schema.Withdraw{Account: alice, Asset: toy, Amount: fixed.One}, schema.OK)

	// It comes back after all: a new deposit that is not held in between.
	x.block(19, 1, 1, receipt("a", "5", 1))
	x.block(20, 1, 1)
	x.is(2, schema.DepositConfirming, 19)
	x.block(21, 1, 1)
	x.is(2, schema.DepositCredited, 19)
	x.has(alice, schema.Main, "5.25", "0")
}

func TestTheHouseBearsWhatIsLostAfterItWasCredited(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.DepositFixed = fixed.MustParse("0.1") }), schema.OK)
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "1", 1))
	x.block(12, 0, 0)
	x.block(13, 0, 0)
	x.is(1, schema.DepositCredited, 11)
	x.rewound(10, 0)
	for height := uint64(11); height <= 19; height++ {
		x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 11])
	}
	if d := x.is(1, schema.DepositCredited, 0); !d.Reversed {
		t.Error("it is not reversed")
	}
	x.has(alice, schema.Main, "0.9", "0")
	x.has(alice, schema.Owed, "0", "0")
	x.has(schema.House, schema.Main, "-0.9", "0")
	x.has(schema.Fees, schema.Main, "0", "0")
	// What returns pays the exchange.
	x.block(20, 1, 1, receipt("a", "1", 1))
	x.block(21, 1, 1)
	x.block(22, 1, 1)
	x.has(alice, schema.Main, "0.9", "0")
	x.has(schema.House, schema.Main, "0", "0")
	x.has(schema.Fees, schema.Main, "0.1", "0")
}

// What the exchange lost by one account is not paid by another whose deposit has the same receipt.
func TestAReceiptForAnotherPaysNothingForTheFirst(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "1", 1))
	x.block(12, 0, 0)
	x.block(13, 0, 0)
	x.rewound(10, 0)
	for height := uint64(11); height <= 19; height++ {
		x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 11])
	}
	x.has(schema.House, schema.Main, "-1", "0")
	x.block(20, 1, 1, receipt("a", "3", 2))
	x.block(21, 1, 1)
	x.block(22, 1, 1)
	x.has(ben, schema.Main, "3", "0")
	x.has(schema.House, schema.Main, "-1", "0")
}

func TestAReceiptThatIsAnotherAfterARewindIsAnother(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "1", 1))
	x.block(12, 0, 0)
	x.rewound(10, 0)
	x.block(11, 1, 0, receipt("a", "3", 2))
	x.says("1 lost at 0", "2 confirming at 11", "moved to 11")
	x.has(alice, schema.Main, "0", "0")
	x.block(12, 1, 1)
	x.block(13, 1, 1)
	x.has(ben, schema.Main, "3", "0")
}

func TestWhatIsHeldOfAnAccountIsBounded(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.HeldCap = fixed.MustParse("3") }), schema.OK)
	x.block(10, 0, 0, receipt("a", "2", 1), receipt("b", "2", 1), receipt("c", "1", 1), receipt("d", "3", 2))
	x.block(11, 0, 0)
	x.says("moved to 11", "1 held at 10", "3 held at 10", "4 held at 10")
	x.block(12, 0, 0)
	x.is(2, schema.DepositCredited, 10)
	x.has(alice, schema.Main, "5", "0")
}

func TestAddresses(t *testing.T) {
	x := open(t)
	ask := func(c schema.OpenAddress, want schema.Reason) schema.Address {
		t.Helper()
		x.do(&c, want)
		if x.out.Result.Address == nil {
			return schema.Address{}
		}
		return *x.out.Result.Address
	}
	want := schema.Address{Family: schema.Bitcoin, Net: schema.Regtest, Index: 1, Type: schema.Bech32, Account: alice}
	if a := ask(schema.OpenAddress{Account: alice, Chain: bitcoin}, schema.OK); a != want || x.out.Events.Len() != 0 {
		t.Errorf("%+v with %d events", a, x.out.Events.Len())
	}
	want.Index, want.Type = 3, schema.P2SHSegwit
	if a := ask(schema.OpenAddress{Account: alice, Chain: bitcoin, Type: schema.P2SHSegwit}, schema.OK); a != want || x.out.Events.Len() != 1 {
		t.Errorf("%+v with %d events", a, x.out.Events.Len())
	}
	want.Index, want.Type = 4, schema.Bech32
	if a := ask(schema.OpenAddress{Account: alice, Chain: bitcoin, Fresh: true}, schema.OK); a != want {
		t.Errorf("%+v", a)
	}
	if a, has := x.First(alice, want.Space(), 0); !has || a.Index != 1 {
		t.Errorf("the first is %+v", a)
	}
	ask(schema.OpenAddress{Account: 999, Chain: bitcoin}, schema.AccountUnknown)
	ask(schema.OpenAddress{Account: alice, Chain: 9}, schema.ChainUnknown)
	ask(schema.OpenAddress{Account: alice, Chain: play, Type: schema.Bech32}, schema.AddressTypeInvalid)
	ask(schema.OpenAddress{Account: alice, Chain: bitcoin, Type: 3}, schema.AddressTypeInvalid)
	// A chain of the same family and net has the same addresses.
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "PLAY2", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}}, schema.OK)
	if a := ask(schema.OpenAddress{Account: ben, Chain: 3}, schema.OK); a.Index != 2 || a.Account != ben {
		t.Errorf("%+v", a)
	}
	for range mostAddresses {
		x.assign(x.space(want.Space()), ben, schema.P2SHSegwit)
	}
	ask(schema.OpenAddress{Account: ben, Chain: bitcoin, Type: schema.P2SHSegwit, Fresh: true}, schema.AddressesTooMany)
	ask(schema.OpenAddress{Account: ben, Chain: bitcoin, Type: schema.P2SHSegwit}, schema.OK)
}

func TestChainsThatCannotBe(t *testing.T) {
	x := open(t)
	good := schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1, FeeRateMax: 9}
	for _, edit := range []func(*schema.Chain){
		func(c *schema.Chain) { c.Name = "" },
		func(c *schema.Chain) { c.Name = "eth" },
		func(c *schema.Chain) { c.Driver = 0 },
		func(c *schema.Chain) { c.Family = schema.Bitcoin },
		func(c *schema.Chain) { c.Driver = schema.BitcoinNode },
		func(c *schema.Chain) { c.Net = 6 },
		func(c *schema.Chain) { c.Interval = schema.Second },
		func(c *schema.Chain) { c.Stuck = true },
		func(c *schema.Chain) { c.Number = 0 },
		func(c *schema.Chain) { c.Driver, c.FeeRateMax = schema.Sandbox, 0 },
		func(c *schema.Chain) { c.Driver, c.Number = schema.Sandbox, 0 },
		func(c *schema.Chain) { c.Driver, c.Family = schema.BitcoinNode, schema.Bitcoin },
		func(c *schema.Chain) {
			c.Driver, c.Number, c.FeeRateMax, c.Interval = schema.Sandbox, 0, 0, leastInterval-1
		},
		func(c *schema.Chain) {
			c.Driver, c.Number, c.FeeRateMax, c.Interval = schema.Sandbox, 0, 0, mostInterval+1
		},
	} {
		c := good
		edit(&c)
		x.do(&schema.SetChain{Chain: c}, schema.ChainInvalid)
	}
	x.do(&schema.SetChain{Chain: good}, schema.OK)
	good.Number = 2
	x.do(&schema.SetChain{Chain: good}, schema.ImmutableChanged)
	good.Number, good.Net = 1, schema.Testnet
	x.do(&schema.SetChain{Chain: good}, schema.ImmutableChanged)

	network := func(edit func(*schema.Asset, *schema.Network)) *schema.SetAsset { return asset("COIN", bitcoin, edit) }
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.Chain = 9 }), schema.NetworkChainInvalid)
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.ConfirmationsForTrading = 0 }), schema.NetworkChainInvalid)
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.DepositPercent = fixed.FromInt(101) }), schema.ChargeInvalid)
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.HeldCap = fixed.FromInt(-1) }), schema.ChargeInvalid)
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.HourCap = fixed.FromInt(-1) }), schema.ChargeInvalid)
	x.do(network(func(_ *schema.Asset, n *schema.Network) { n.HourCap = fixed.FromUnits(1, 9) }), schema.ChargeInvalid)
	mixed := asset("COIN", bitcoin)
	mixed.Asset.Networks = append(mixed.Asset.Networks, schema.Network{Name: "PLAY", Chain: play, Confirmations: 1, ConfirmationsForTrading: 1})
	x.do(mixed, schema.NetworkChainInvalid)
	mixed.Asset.Networks[1].Chain = bitcoin
	x.do(mixed, schema.NetworkChainInvalid)
	mixed.Asset.Networks[1].Chain = 3
	x.do(mixed, schema.ContractInvalid)
	mixed.Asset.Networks[1].Decimals = 8
	x.do(mixed, schema.OK)
}
