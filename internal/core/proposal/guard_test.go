package proposal_test

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// row is a command that takes two operators in some worlds, or does not.
type row struct {
	name    string
	set     func(*world) schema.Command
	guarded bool
}

// bounds of a network of which each lets more money go when it rises.
var bounds = []struct {
	name string
	of   func(*schema.Network) *fixed.Decimal
}{
	{"max_withdraw", func(n *schema.Network) *fixed.Decimal { return &n.MaxWithdraw }},
	{"held_cap", func(n *schema.Network) *fixed.Decimal { return &n.HeldCap }},
	{"approve_above", func(n *schema.Network) *fixed.Decimal { return &n.ApproveAbove }},
	{"approve2_above", func(n *schema.Network) *fixed.Decimal { return &n.Approve2Above }},
	{"hour_cap", func(n *schema.Network) *fixed.Decimal { return &n.HourCap }},
	{"hot_cap", func(n *schema.Network) *fixed.Decimal { return &n.HotCap }},
}

var least = fixed.FromUnits(1, 8)

func rows() (list []row) {
	row := func(name string, guarded bool, set func(*world) schema.Command) {
		list = append(list, row{name, set, guarded})
	}
	network := func(name string, guarded bool, change func(*schema.Network)) {
		row(name, guarded, func(w *world) schema.Command { return w.network(coin, change) })
	}
	asset := func(name string, guarded bool, change func(*schema.Asset)) {
		row(name, guarded, func(w *world) schema.Command { return w.asset(coin, change) })
	}
	for _, b := range bounds {
		network(b.name+" rises", true, func(n *schema.Network) { *b.of(n) = b.of(n).Add(least) })
		network(b.name+" is gone", true, func(n *schema.Network) { *b.of(n) = fixed.Zero })
		network(b.name+" falls", false, func(n *schema.Network) { *b.of(n) = b.of(n).Sub(least) })
		row(b.name+" is new", false, func(w *world) schema.Command {
			w.prepare(func(a *schema.Asset) { *b.of(&a.Networks[0]) = fixed.Zero })
			return w.network(coin, func(n *schema.Network) { *b.of(n) = least })
		})
	}
	network("nothing changes", false, func(*schema.Network) {})
	network("fewer confirmations", true, func(n *schema.Network) { n.Confirmations-- })
	network("more confirmations", false, func(n *schema.Network) { n.Confirmations++ })
	network("fewer confirmations for trading", true, func(n *schema.Network) { n.ConfirmationsForTrading-- })
	network("more confirmations for trading", false, func(n *schema.Network) { n.ConfirmationsForTrading++ })
	network("what takes one", false, func(n *schema.Network) {
		n.Name, n.MinDeposit, n.MaxDeposit, n.MinWithdraw, n.WithdrawFixed = "OTHER", d("2"), d("300"), d("0.1"), d("0.01")
	})
	network("closed", false, func(n *schema.Network) { n.CanDeposit, n.CanWithdraw = false, false })
	asset("the asset's max_withdraw rises", true, func(a *schema.Asset) { a.MaxWithdraw = d("500.00000001") })
	asset("the asset's max_withdraw is gone", true, func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero })
	asset("the asset's max_withdraw falls", false, func(a *schema.Asset) { a.MaxWithdraw = d("499.99999999") })
	asset("the asset's max_withdraw rises with the last network gone", true, func(a *schema.Asset) { a.MaxWithdraw, a.Networks = d("501"), nil })
	asset("the network is gone", false, func(a *schema.Asset) { a.Networks = nil })
	asset("on another chain, not begun", false, func(a *schema.Asset) {
		a.Networks = append(a.Networks, schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: "0xc", ConfirmationsForTrading: 1, Confirmations: 1})
	})
	row("on another chain, begun", true, func(w *world) schema.Command {
		w.begin(evm)
		return w.asset(coin, func(a *schema.Asset) {
			a.Networks = append(a.Networks, schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: "0xc", ConfirmationsForTrading: 1, Confirmations: 1})
		})
	})
	asset("on no chain", false, func(a *schema.Asset) { a.Networks = append(a.Networks, schema.Network{Name: "BOOKED"}) })
	contract := func(name string, guarded bool, change func(*schema.Network)) {
		row(name, guarded, func(w *world) schema.Command {
			if guarded {
				w.begin(evm)
			}
			return w.network(ether, change)
		})
	}
	contract("another contract", true, func(n *schema.Network) { n.Contract = "0xc" })
	contract("another contract, not begun", false, func(n *schema.Network) { n.Contract = "0xc" })
	contract("other decimals", true, func(n *schema.Network) { n.Decimals = 17 })
	contract("other decimals, not begun", false, func(n *schema.Network) { n.Decimals = 17 })
	row("an asset of a sandbox", false, func(w *world) schema.Command {
		return w.asset(toy, func(a *schema.Asset) {
			a.MaxWithdraw, a.Networks[0].ApproveAbove, a.Networks[0].Confirmations = fixed.Zero, fixed.Zero, 2
		})
	})
	row("an asset of no chain", false, func(w *world) schema.Command {
		return w.asset(usdt, func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero })
	})
	row("an asset that is new", false, func(w *world) schema.Command {
		return w.asset(ether, func(a *schema.Asset) {
			a.Ticker, a.Networks = "NEW", []schema.Network{{Name: "BTC", ConfirmationsForTrading: 1, Confirmations: 1}}
		})
	})

	fee := func(name string, id schema.ChainID, guarded bool, most uint64) {
		row(name, guarded, func(w *world) schema.Command {
			return w.chain(id, func(c *schema.Chain) { c.FeeRateMax = most })
		})
	}
	fee("fee_rate_max rises", bitcoin, true, 101)
	fee("fee_rate_max is gone", bitcoin, true, 0)
	fee("fee_rate_max falls", bitcoin, false, 99)
	fee("fee_rate_max stays", bitcoin, false, 100)
	fee("fee_rate_max rises, not begun", evm, false, 101)
	row("fee_rate_max is new", false, func(w *world) schema.Command {
		w.both(w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 0 }))
		return w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 1 })
	})
	row("paused", false, func(w *world) schema.Command { return w.chain(bitcoin, func(c *schema.Chain) { c.Paused = true }) })

	limits := func(name string, guarded bool, c schema.Command) {
		row(name, guarded, func(*world) schema.Command { return c })
	}
	limits("day rises", true, tier(1, "100.00000001", "1000"))
	limits("day is gone", true, tier(1, "0", "1000"))
	limits("month rises", true, tier(1, "100", "1000.00000001"))
	limits("month is gone", true, tier(1, "100", "0"))
	limits("day and month fall", false, tier(1, "99", "999"))
	limits("a tier that was never set", false, tier(2, "100000", "0"))

	limits("much is brought", true, bring("10.00000001"))
	limits("as much is brought as needs no approval", false, bring("10"))
	limits("much is brought by no chain", false, &schema.Deposit{Account: ben, Asset: usdt, Amount: d("1000000")})
	limits("much is brought by a sandbox", false, &schema.Deposit{Account: ben, Asset: toy, Amount: d("1000000")})
	limits("much is brought by a chain that did not begin", false, &schema.Deposit{Account: ben, Asset: ether, Amount: d("1000000")})
	row("nothing needs approval", false, func(w *world) schema.Command {
		w.prepare(func(a *schema.Asset) { a.Networks[0].ApproveAbove = fixed.Zero })
		return bring("1000000")
	})
	row("the least of two networks counts", true, func(w *world) schema.Command {
		w.prepare(func(a *schema.Asset) {
			a.Networks = append(a.Networks, schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: "0xc", ConfirmationsForTrading: 1, Confirmations: 1, ApproveAbove: d("5")})
		})
		w.begin(evm)
		return bring("5.00000001")
	})
	row("of two networks, the other chain not begun", false, func(w *world) schema.Command {
		w.prepare(func(a *schema.Asset) {
			a.Networks = append(a.Networks, schema.Network{Name: "ETH", Chain: evm, Decimals: 8, Contract: "0xc", ConfirmationsForTrading: 1, Confirmations: 1, ApproveAbove: d("5")})
		})
		return bring("10")
	})

	limits("much is credited", true, credit(2))
	limits("little is credited", false, credit(3))
	row("as much is credited as needs no approval", false, func(w *world) schema.Command {
		w.prepare(func(a *schema.Asset) { a.Networks[0].ApproveAbove = d("31") })
		return credit(2)
	})
	row("much is credited and nothing needs approval", false, func(w *world) schema.Command {
		w.prepare(func(a *schema.Asset) { a.Networks[0].ApproveAbove = fixed.Zero })
		return credit(2)
	})
	limits("much is canceled", false, &schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit})
	limits("much is frozen", false, &schema.DecideDeposit{Deposit: 2, Decision: schema.FreezeDeposit})
	row("much is credited that came by a sandbox", false, func(w *world) schema.Command {
		w.do("", &schema.OpenAddress{Account: alice, Chain: play}, schema.OK)
		w.do("", &schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: d("1000"), Index: 1, Text: "address"}}, schema.OK)
		w.do("", &schema.MineSandbox{Chain: play, Blocks: 5}, schema.OK)
		return credit(4)
	})

	limits("what is owed is forgiven", true, forgive("0.00000001"))
	return list
}

// same reports whether a proposal is as it should be, with a command.
func same(got, want schema.Proposal, c schema.Command) bool {
	equal := slices.Equal(wire.Append(nil, got.Command), wire.Append(nil, c))
	got.Command = nil
	return got == want && equal
}

// both does a command that may take two operators, at once.
func (w *world) both(c schema.Command) {
	w.t.Helper()
	if id := w.do("olga", c, schema.OK).Proposal; id != 0 {
		w.do("otto", approve(id), schema.OK)
		w.tick(schema.ProposalDelay)
	}
	w.waits()
}

// prepare changes the coin by two operators.
func (w *world) prepare(change func(*schema.Asset)) {
	w.t.Helper()
	w.both(w.asset(coin, change))
}

// begin lets the first block of a chain of others come.
func (w *world) begin(id schema.ChainID) {
	w.t.Helper()
	w.do("", &schema.ChainBlock{Chain: id, Height: 50, Hash: hash(50, 2)}, schema.OK)
}

// settings are what commands of two operators change, but for the clock.
func (w *world) settings() string {
	text := ""
	for _, a := range w.Listing().Assets() {
		text += fmt.Sprintf("%+v\n", *a)
	}
	for _, c := range w.Chains().All() {
		text += fmt.Sprintf("%+v\n", c)
	}
	text += fmt.Sprintf("%+v\n", w.Tiers().All())
	for c := range w.Chains().Deposits(bitcoin) {
		text += fmt.Sprintf("%+v\n", *c)
	}
	for _, account := range []schema.AccountID{alice, ben, schema.House, schema.Outside, schema.Suspense} {
		for _, of := range []schema.Wallet{schema.Main, schema.Owed} {
			available, frozen, held := w.Balance(account, of, coin)
			text += fmt.Sprintln(account, of, available, frozen, held)
		}
	}
	return text
}

func TestWhatTakesTwoOperators(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			w := guarded(t)
			c := r.set(w)
			if !r.guarded {
				if got := w.do("", c, schema.OK); got.Proposal != 0 {
					t.Errorf("it became proposal %d", got.Proposal)
				}
				w.waits()
				return
			}
			w.do("", c, schema.OperatorMissing)
			before := w.settings()
			first := w.Proposals()
			got := w.do("olga", c, schema.OK)
			if got.Proposal == 0 || got.ID != 0 || len(first) != 0 || w.settings() != before {
				t.Errorf("it became proposal %d beside %v, made %d, and changed something", got.Proposal, first, got.ID)
			}
			list := w.Proposals()
			if want := (schema.Proposal{ID: got.Proposal, Status: schema.ProposalAsked, Operator: "olga", Asked: w.now}); len(list) != 1 || !same(list[0], want, c) {
				t.Errorf("%+v waits", list)
			}
			w.says(spelled(list[0]), fmt.Sprintf("audit of olga: %s %d", named(c), got.Proposal))
			w.do("oscar", cancel(got.Proposal), schema.OK)
			w.both(c)
			if w.settings() == before {
				t.Error("two operators changed nothing")
			}
		})
	}
}

// TestBeforeTheFirstBlockOneOperatorDoesAll, and nobody has to be one.
func TestBeforeTheFirstBlockOneOperatorDoesAll(t *testing.T) {
	w := open(t, core.NewExchange(), false)
	for _, c := range []schema.Command{
		w.raise("0"), w.asset(coin, func(a *schema.Asset) { a.MaxWithdraw = fixed.Zero }), w.network(coin, func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 }),
		w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax = 0 }), tier(1, "0", "0"), bring("1000000"),
	} {
		if got := w.do("", c, schema.OK); got.Proposal != 0 {
			t.Errorf("%T became proposal %d", c, got.Proposal)
		}
	}
}

// TestWithoutTheFeatureOneOperatorDoesAll, and there are no proposals.
func TestWithoutTheFeatureOneOperatorDoesAll(t *testing.T) {
	for _, r := range rows() {
		if !r.guarded {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			old := core.New()
			for _, f := range schema.BirthFeatures() {
				if f.Feature != schema.TwoOperators {
					old.Apply(0, &f)
				}
			}
			w := open(t, old, true)
			c := r.set(w)
			before := w.settings()
			if got := w.do("", c, schema.OK); got.Proposal != 0 || w.settings() == before {
				t.Errorf("it became proposal %d, or nothing was done", got.Proposal)
			}
			w.do("olga", approve(1), schema.ProposalUnknown)
			w.do("olga", &schema.SetFeature{Feature: schema.TwoOperators, On: true}, schema.OK)
			if !w.Features().TwoOperators || !w.restored().Features().TwoOperators {
				t.Error("the feature is off")
			}
			w.do("olga", &schema.SetFeature{Feature: schema.TwoOperators}, schema.FeatureForGood)
			w.do("", tier(2, "5", "5"), schema.OK)
			w.do("", tier(2, "6", "6"), schema.OperatorMissing)
		})
	}
}

// TestWhatOneCouldNotDoCannotBeAsked: a command that takes two operators is refused for what it would be refused for otherwise, and changes
// nothing.
func TestWhatOneCouldNotDoCannotBeAsked(t *testing.T) {
	w := guarded(t)
	rise := func(change func(*schema.Asset)) *schema.SetAsset {
		return w.asset(coin, func(a *schema.Asset) {
			a.MaxWithdraw = d("501")
			change(a)
		})
	}
	for _, tt := range []struct {
		name  string
		c     schema.Command
		want  schema.Reason
		value string
	}{
		{"an asset that cannot be", rise(func(a *schema.Asset) { a.Precision = 9 }), schema.ScaleInvalid, "0"},
		{"an asset that changes what cannot", rise(func(a *schema.Asset) { a.Scale = 9 }), schema.ImmutableChanged, "0"},
		{"networks that cannot be", rise(func(a *schema.Asset) { a.Networks = append(slices.Clone(a.Networks), a.Networks...) }), schema.NetworkInvalid, "0"},
		{"a chain that is not there", rise(func(a *schema.Asset) { a.Networks[0].Chain = 9 }), schema.NetworkChainInvalid, "0"},
		{"decimals that cannot be", rise(func(a *schema.Asset) { a.Networks[0].Decimals = 7 }), schema.ContractInvalid, "0"},
		{"a chain that cannot be", w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax, c.Stuck = 0, true }), schema.ChainInvalid, "0"},
		{"a chain that changes what cannot", w.chain(bitcoin, func(c *schema.Chain) { c.FeeRateMax, c.Net = 0, schema.Mainnet }), schema.ImmutableChanged, "0"},
		{"a tier that cannot be", tier(1, "2000", "1000"), schema.TierInvalid, "0"},
		{"an account that is not there", &schema.Deposit{Account: 999, Asset: coin, Amount: d("11")}, schema.AccountUnknown, "0"},
		{"too fine", bring("10.000000001"), schema.MoveTooPrecise, "8"},
		{"more than there can be", &schema.Deposit{Account: ben, Asset: coin, Amount: d("85070591730234615866")}, schema.MoveTooLarge, "0"},
		{"a deposit of somebody else", &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit, Account: ben}, schema.DepositOwner, "0"},
		{"more than is owed", forgive("2.00000001"), schema.OwedLess, "2"},
		{"nothing", forgive("0"), schema.MoveNotPositive, "0.00000001"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			w.do("", tt.c, schema.OperatorMissing)
			if r := w.do("olga", tt.c, tt.want); r.Rejection.Value != d(tt.value) || r.Proposal != 0 {
				t.Errorf("refused with %s, proposal %d", r.Rejection.Value, r.Proposal)
			}
		})
	}
	w.t = t
	w.waits()
	for _, unknown := range []schema.Command{ // what is not there takes nobody
		&schema.Deposit{Account: ben, Asset: 99, Amount: d("11")}, &schema.ForgiveOwed{Account: alice, Asset: 99, Amount: d("1")},
	} {
		w.do("", unknown, schema.AssetUnknown)
	}
	w.do("", credit(99), schema.DepositUnknown)
	w.block(paid("later", "31"))
	w.block()
	w.do("olga", credit(4), schema.DepositShallow)
}
