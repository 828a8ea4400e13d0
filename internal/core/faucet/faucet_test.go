package faucet

import (
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	dollar schema.AssetID = 1
	alice                 = schema.FirstCustomer
	day                   = 24 * 3600 * schema.Second
)

// exchange is faucets with one asset and one account.
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
	for _, p := range []product.Product{x.Listing, x.Accounts, x.Faucets} {
		p.Commands(&x.handlers)
	}
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Fiat, Scale: 4, Precision: 2}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}, schema.OK)
	return x
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
