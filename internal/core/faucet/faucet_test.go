package faucet

import (
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
	dollar schema.AssetID = 1
	alice                 = schema.FirstCustomer
	day                   = 24 * 3600 * schema.Second
)

// exchange is faucets with one asset and one account. A toy that comes by a sandbox, with two confirmations, is added by withSandbox.
type exchange struct {
	*Faucets
	t        *testing.T
	handlers product.Handlers
}

func newExchange(t *testing.T) *exchange {
	t.Helper()
	out := &schema.Outcome{}
	x := &exchange{t: t, Faucets: &Faucets{Ledger: ledger.New(&out.Events), Listing: listing.New(), Accounts: accounts.New(), Out: out}}
	x.Listing.Out, x.Accounts.Out = out, out
	w := &wallet.Wallets{Ledger: x.Ledger, Listing: x.Listing, Accounts: x.Accounts, Out: out}
	x.Chains = chain.New(x.Ledger, x.Listing, x.Accounts, w, tier.New(x.Accounts, w, out), out)
	x.Listing.Chains = x.Chains.Offers
	for _, p := range []product.Product{x.Listing, x.Accounts, x.Chains, x.Faucets} {
		p.Commands(&x.handlers)
	}
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Fiat, Scale: 4, Precision: 2}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}, schema.OK)
	return x
}

const (
	toy  schema.AssetID = 2
	play schema.ChainID = 1
	ben                 = alice + 1
)

func (x *exchange) withSandbox() {
	x.t.Helper()
	x.do(0, &schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}}, schema.OK)
	x.do(0, &schema.SetAsset{Asset: schema.Asset{
		Ticker: "TOY", Class: schema.Crypto, Scale: 8, Precision: 4, CanDeposit: true, MinDeposit: fixed.FromInt(2),
		Networks: []schema.Network{{Name: "PLAY", Chain: play, CanDeposit: true, ConfirmationsForTrading: 1, Confirmations: 2}},
	}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}}, schema.OK)
	for _, account := range []schema.AccountID{alice, ben} {
		x.do(0, &schema.OpenAddress{Account: account, Chain: play}, schema.OK)
	}
}

// pay takes toys to the address with an index.
func pay(index schema.AddressIndex, amount string) *schema.PayFaucet {
	receipt := schema.Receipt{Asset: toy, Amount: fixed.MustParse(amount), Index: index, Text: "address"}
	return &schema.PayFaucet{Account: alice, Payment: schema.PaySandbox{Chain: play, Receipt: receipt}}
}

// has is what alice has of toys in the main wallet.
func (x *exchange) has(want string) {
	x.t.Helper()
	if got := x.Ledger.Available(x.Ledger.Find(alice, schema.Main, toy)); got != fixed.MustParse(want) {
		x.t.Errorf("the main wallet has %s, want %s", got, want)
	}
}

// do applies a command at a moment and says why it was refused.
func (x *exchange) do(at schema.Time, c schema.Command, want schema.Reason) schema.Rejection {
	x.t.Helper()
	x.Out.Reset(at)
	r := x.handlers[c.Kind()](c)
	if r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
	return r
}

func take(amount string) *schema.TakeFaucet {
	return &schema.TakeFaucet{Account: alice, Asset: dollar, Amount: fixed.MustParse(amount)}
}

// TestADayHasALimit: what was taken counts for its day of UTC and for no other.
func TestADayHasALimit(t *testing.T) {
	x := newExchange(t)
	x.do(0, take("1"), schema.FaucetUnavailable)
	x.do(0, &schema.SetFaucet{Asset: dollar, Limit: fixed.MustParse("10.5")}, schema.OK)
	x.do(day-1, take("10"), schema.OK)
	if left := x.Out.Result.Left; left != fixed.MustParse("0.5") {
		t.Errorf("%s is left", left)
	}
	if r := x.do(day-1, take("0.51"), schema.FaucetSpent); r.Value != fixed.MustParse("0.5") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(day, take("10.5"), schema.OK)
	if available := x.Ledger.Available(x.Ledger.Find(alice, schema.Trade, dollar)); available != fixed.MustParse("20.5") {
		t.Errorf("the trade wallet has %s", available)
	}
}

// TestATakingIsADeposit: it waits for a block, is credited when it is deep enough, and counts for its day whatever becomes of it.
func TestATakingIsADeposit(t *testing.T) {
	x := newExchange(t)
	x.withSandbox()
	x.do(0, pay(1, "3"), schema.FaucetUnavailable)
	x.do(0, &schema.SetFaucet{Asset: toy, Limit: fixed.FromInt(10)}, schema.OK)
	x.do(0, pay(1, "3"), schema.OK)
	if left, id := x.Out.Result.Left, x.Out.Result.ID; left != fixed.FromInt(7) || id != 1 {
		t.Errorf("payment %d, %s is left", id, left)
	}
	x.has("0")
	x.do(0, &schema.MineSandbox{Chain: play, Blocks: 1}, schema.OK)
	x.has("3")
	x.do(0, &schema.ReorgSandbox{Chain: play, Depth: 1, DropAll: true}, schema.OK)
	x.do(0, pay(1, "7.0001"), schema.FaucetSpent)
	x.do(0, pay(1, "7"), schema.OK)
	x.do(day, pay(1, "10"), schema.OK)
	x.do(day, &schema.MineSandbox{Chain: play, Blocks: 2}, schema.OK)
	x.has("20") // the first is waited for, and not lost yet
}

// TestOnlyWhatIsCreditedIsGiven: nothing is counted for the day of what would not arrive.
func TestOnlyWhatIsCreditedIsGiven(t *testing.T) {
	x := newExchange(t)
	x.withSandbox()
	x.do(0, &schema.SetFaucet{Asset: toy, Limit: fixed.FromInt(10)}, schema.OK)
	x.do(0, &schema.SetFaucet{Asset: dollar, Limit: fixed.FromInt(10)}, schema.OK)
	fiat, elsewhere := pay(1, "3"), pay(1, "3")
	fiat.Payment.Receipt.Asset, elsewhere.Payment.Chain = dollar, 2
	x.do(0, fiat, schema.FaucetUnavailable)
	x.do(0, elsewhere, schema.FaucetUnavailable)
	x.do(0, pay(1, "0"), schema.MoveNotPositive)
	x.do(0, pay(1, "3.00001"), schema.MoveTooPrecise)
	if r := x.do(0, pay(1, "1.9999"), schema.DepositBelowMin); r.Value != fixed.FromInt(2) {
		t.Errorf("the least is %s", r.Value)
	}
	x.do(0, pay(2, "3"), schema.BlockInvalid) // ben's address
	x.do(0, pay(0, "3"), schema.BlockInvalid)
	x.do(0, pay(3, "3"), schema.BlockInvalid)
	x.do(0, pay(1, "10"), schema.OK)
}

// TestSectionsComeBack restores what was written, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := newExchange(t)
	x.do(0, &schema.SetFaucet{Asset: dollar, Limit: fixed.MustParse("10")}, schema.OK)
	x.do(0, take("4"), schema.OK)
	w := &product.Writer{}
	for _, s := range x.Sections() {
		w.Section(&s)
	}
	back := newExchange(t)
	if err := (&product.Reader{Rest: w.Bytes}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	back.do(0, take("6.01"), schema.FaucetSpent)
	back.do(0, take("6"), schema.OK)

	limit := func(asset schema.AssetID, amount string) *schema.SetFaucet {
		return &schema.SetFaucet{Asset: asset, Limit: fixed.MustParse(amount)}
	}
	taken := func(account schema.AccountID, asset schema.AssetID, amount string) record {
		return record{account, asset, 1, fixed.MustParse(amount)}
	}
	for want, write := range map[string]func(*Faucets){
		"limits of the faucet: a limit cannot be one": func(f *Faucets) { f.limits = append(f.limits, *limit(2, "1")) },
		"a limit cannot be one":                       func(f *Faucets) { f.limits = append(f.limits, *limit(dollar, "-1")) },
		"or stands there twice":                       func(f *Faucets) { f.limits = append(f.limits, *limit(dollar, "1"), *limit(dollar, "1")) },
		"what was taken cannot have been":             func(f *Faucets) { f.taken = append(f.taken, taken(alice, dollar, "1")) },
		"what was taken from the faucet: what": func(f *Faucets) {
			f.limits, f.taken = append(f.limits, *limit(dollar, "1")), append(f.taken, taken(alice+1, dollar, "1"))
		},
		"taken cannot have been": func(f *Faucets) {
			f.limits, f.taken = append(f.limits, *limit(dollar, "1")), append(f.taken, taken(alice, dollar, "0"))
		},
		"cannot have been, or": func(f *Faucets) {
			f.limits, f.taken = append(f.limits, *limit(dollar, "1")), append(f.taken, taken(alice, dollar, "0.00001"))
		},
	} {
		bad, w := &Faucets{}, &product.Writer{}
		write(bad)
		for _, s := range bad.Sections() {
			w.Section(&s)
		}
		err := (&product.Reader{Rest: w.Bytes}).Sections(newExchange(t).Sections())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
