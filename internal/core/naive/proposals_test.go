package naive

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newGuarded is a world of the watched chain, which has a block, with a second chain beside it that has none, and with bounds everywhere.
func newGuarded(t *testing.T) *chainWorld {
	w := newChainsBy(t, schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: 50})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1, FeeRateMax: 50}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.net.MaxWithdraw, w.net.HeldCap, w.net.ApproveAbove, w.net.Approve2Above, w.net.HourCap, w.net.HotCap = d("50"), d("60"), d("10"), d("20"), d("30"), d("40")
	w.network(func(*schema.Network) {})
	w.tier(0, "5", "9")
	w.must(&schema.SetFeature{Feature: schema.TwoOperators, On: true})
	return w
}

// by lets an operator give a command.
func (w *chainWorld) by(operator string, c schema.Command, want schema.Reason) {
	w.t.Helper()
	if r := w.from(schema.Origin{Operator: operator}, c); r.Reason != want {
		w.t.Errorf("%T of %q: got %d %q, want %d", c, operator, r.Reason, r.Text(), want)
	}
}

// asked lets an operator give a command that becomes a proposal, and returns its number.
func (w *chainWorld) asked(operator string, c schema.Command) schema.ProposalID {
	w.t.Helper()
	w.by(operator, c, schema.OK)
	id := w.last.Result.Proposal
	if id == 0 || w.last.Result.ID != 0 {
		w.t.Errorf("%T is no proposal: %+v", c, w.last.Result)
	}
	return id
}

// done lets an operator give a command that is done at once.
func (w *chainWorld) done(c schema.Command) {
	w.t.Helper()
	w.by("olga", c, schema.OK)
	if id := w.last.Result.Proposal; id != 0 {
		w.t.Errorf("%T is proposal %d", c, id)
	}
}

// two wants a command to take two operators: nobody else can give it. It is canceled.
func (w *chainWorld) two(c schema.Command) {
	w.t.Helper()
	w.by("", c, schema.OperatorMissing)
	w.happened()
	w.by("olga", &schema.DecideProposal{Proposal: w.asked("olga", c)}, schema.OK)
}

// approves approves a proposal.
func (w *chainWorld) approves(operator string, id schema.ProposalID, want schema.Reason) {
	w.t.Helper()
	w.by(operator, &schema.DecideProposal{Proposal: id, Approve: true}, want)
}

// asset is the asset as it is, with changes.
func (w *chainWorld) asset(change func(*schema.Asset)) *schema.SetAsset {
	c := &schema.SetAsset{Asset: w.listing.assets[btc-1]}
	c.Asset.Networks = slices.Clone(c.Asset.Networks)
	change(&c.Asset)
	return c
}

// net1 is the same with a change of its first network.
func (w *chainWorld) net1(change func(*schema.Network)) *schema.SetAsset {
	return w.asset(func(a *schema.Asset) { change(&a.Networks[0]) })
}

// bids is the watched chain with a bound of what is bid.
func bids(most uint64) *schema.SetChain {
	return &schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: most}}
}

func bounds(number uint8, day, month string) *schema.SetTier {
	return &schema.SetTier{Tier: schema.Tier{Number: number, Day: d(day), Month: d(month)}}
}

func brings(amount string) *schema.Deposit {
	return &schema.Deposit{Account: dora, Asset: btc, Amount: d(amount)}
}

// waits compares the proposals that wait: their numbers, and the status of each.
func (w *chainWorld) waits(want ...string) {
	w.t.Helper()
	var got []string
	for _, p := range w.Proposals() {
		got = append(got, fmt.Sprint(p.ID, " ", p.Status))
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("these wait: %q, want %q", got, want)
	}
}

// TestTwoOperatorsForAssets is the first row of the table.
func TestTwoOperatorsForAssets(t *testing.T) {
	w := newGuarded(t)
	for _, change := range []func(*schema.Network){
		func(n *schema.Network) { n.Confirmations = 3 },
		func(n *schema.Network) { n.ConfirmationsForTrading = 1 },
		func(n *schema.Network) { n.MaxWithdraw = d("50.1") },
		func(n *schema.Network) { n.MaxWithdraw = d("0") },
		func(n *schema.Network) { n.HeldCap = d("60.1") },
		func(n *schema.Network) { n.HeldCap = d("0") },
		func(n *schema.Network) { n.ApproveAbove = d("10.1") },
		func(n *schema.Network) { n.ApproveAbove = d("0") },
		func(n *schema.Network) { n.Approve2Above = d("20.1") },
		func(n *schema.Network) { n.Approve2Above = d("0") },
		func(n *schema.Network) { n.HourCap = d("30.1") },
		func(n *schema.Network) { n.HourCap = d("0") },
		func(n *schema.Network) { n.HotCap = d("40.1") },
		func(n *schema.Network) { n.HotCap = d("0") },
		func(n *schema.Network) { n.Confirmations, n.HotCap = 3, d("39") },
	} {
		w.two(w.net1(change))
	}
	before := w.net
	for _, change := range []func(*schema.Network){
		func(*schema.Network) {},
		func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 9, 3 },
		func(n *schema.Network) { n.MaxWithdraw, n.HeldCap = d("49"), d("59") },
		func(n *schema.Network) {
			n.ApproveAbove, n.Approve2Above, n.HourCap, n.HotCap = d("9"), d("19"), d("29"), d("39")
		},
		func(n *schema.Network) { n.Name, n.Default, n.CanDeposit, n.CanWithdraw = "other", true, false, true },
		func(n *schema.Network) { n.MinDeposit, n.MaxDeposit, n.MinWithdraw = d("1"), d("90"), d("0.1") },
		func(n *schema.Network) { n.DepositFixed, n.WithdrawFixed, n.WithdrawPercent = d("0"), d("1"), d("2") },
		func(n *schema.Network) { n.DepositPercent, n.DepositMinFee, n.WithdrawMaxFee = d("1"), d("1"), d("2") },
	} {
		w.done(w.net1(change))
	}
	w.waits()
	// A bound that was not there rises never.
	w.done(w.net1(func(n *schema.Network) { n.MaxWithdraw = d("1") }))
	free := before
	free.MaxWithdraw, free.HeldCap, free.ApproveAbove, free.Approve2Above, free.HourCap, free.HotCap = d("0"), d("0"), d("0"), d("0"), d("0"), d("0")
	w.listing.assets[btc-1].Networks = []schema.Network{free}
	w.done(w.net1(func(n *schema.Network) {
		n.MaxWithdraw, n.HeldCap, n.ApproveAbove, n.Approve2Above, n.HourCap, n.HotCap = d("1"), d("1"), d("1"), d("1"), d("1"), d("1")
	}))

	// Another network: on a chain without a block by one operator, as are sandboxes; on a guarded one by two, and to take one away by one.
	w = newGuarded(t)
	w.done(w.asset(func(a *schema.Asset) { a.MaxWithdraw = d("10") }))
	w.two(w.asset(func(a *schema.Asset) { a.MaxWithdraw = d("11") }))
	w.two(w.asset(func(a *schema.Asset) { a.MaxWithdraw = d("0") }))
	w.two(w.asset(func(a *schema.Asset) { a.MaxWithdraw, a.Networks = d("11"), nil })) // it was on a guarded chain
	w.done(w.asset(func(a *schema.Asset) { a.MaxWithdraw = d("9") }))
	w.done(w.asset(func(a *schema.Asset) {
		a.Networks = append(a.Networks, schema.Network{Name: "evm", Chain: 2, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8, Contract: "0x1"})
	}))
	w.done(w.asset(func(a *schema.Asset) {
		a.Networks[1].Contract, a.Networks[1].Decimals, a.Networks[1].HotCap = "0x2", 7, d("3")
	}))
	w.done(w.asset(func(a *schema.Asset) { a.Networks[1].HotCap = d("4") }))
	w.must(&schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Parts: 1})
	w.two(w.asset(func(a *schema.Asset) { a.Networks[1].Contract = "0x3" }))
	w.two(w.asset(func(a *schema.Asset) { a.Networks[1].Decimals = 8 }))
	w.two(w.asset(func(a *schema.Asset) { a.Networks[1].Decimals = 6 }))
	w.two(w.asset(func(a *schema.Asset) { a.Networks[1].HotCap = d("5") }))
	w.done(w.asset(func(a *schema.Asset) { slices.Reverse(a.Networks) }))
	w.done(w.asset(func(a *schema.Asset) { a.Networks = a.Networks[1:] }))
	w.two(w.asset(func(a *schema.Asset) {
		a.Networks = append(a.Networks, schema.Network{Name: "evm", Chain: 2, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8, Contract: "0x2"})
	}))
	w.done(w.asset(func(a *schema.Asset) { a.Networks = nil }))
	w.done(w.asset(func(a *schema.Asset) { a.MaxWithdraw = d("90") })) // nothing is guarded
	w.done(w.asset(func(a *schema.Asset) {
		a.Networks = []schema.Network{{Name: "sand", Chain: 3, Confirmations: 1, ConfirmationsForTrading: 1, HotCap: d("1")}}
	}))
	w.done(w.asset(func(a *schema.Asset) { a.Networks[0].HotCap, a.MaxWithdraw = d("2"), d("0") }))
	w.two(w.asset(func(a *schema.Asset) { a.Networks = []schema.Network{before} }))
	w.done(w.asset(func(a *schema.Asset) { a.Networks, a.MaxWithdraw = nil, d("3") }))
	w.two(w.asset(func(a *schema.Asset) { a.Networks, a.MaxWithdraw = []schema.Network{before}, d("4") }))
	w.done(w.asset(func(a *schema.Asset) { a.Ticker, a.Networks = "NEW", []schema.Network{before} })) // nobody owns any
}

// TestTwoOperatorsForChains is the second row of the table.
func TestTwoOperatorsForChains(t *testing.T) {
	w := newGuarded(t)
	w.two(bids(51))
	w.two(bids(0))
	w.done(bids(49))
	w.two(bids(50))
	paused := bids(49)
	paused.Chain.Paused = true
	w.done(paused)
	w.two(with(bids(50), func(c *schema.SetChain) { c.Chain.Paused = true }))
	w.chains.all[0].FeeRateMax = 0
	w.done(bids(1<<64 - 1))
	evm := &schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1}}
	w.done(evm) // it has no block
	evm.Chain.FeeRateMax = 3
	w.done(evm)
	// Half of its first block is none.
	w.must(&schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Parts: 2})
	evm.Chain.FeeRateMax = 4
	w.done(evm)
	w.must(&schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Part: 1, Parts: 2})
	evm.Chain.FeeRateMax = 5
	w.two(evm)
}

// TestTwoOperatorsForTiers is the third row of the table.
func TestTwoOperatorsForTiers(t *testing.T) {
	w := newGuarded(t)
	w.two(bounds(0, "5.1", "9"))
	w.two(bounds(0, "0", "9"))
	w.two(bounds(0, "5", "9.1"))
	w.two(bounds(0, "5", "0"))
	w.two(bounds(0, "4", "10"))
	w.done(bounds(0, "4", "8"))
	w.done(bounds(1, "900", "900")) // it was never set
	w.done(bounds(2, "0", "0"))
	w.done(bounds(2, "0", "7"))
	w.done(bounds(2, "3", "7"))
	w.two(bounds(2, "0", "7"))

	w = &chainWorld{world: newWorld(t)} // nothing is guarded
	w.must(&schema.SetFeature{Feature: schema.TwoOperators, On: true})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.MineSandbox{Chain: 1, Blocks: 1})
	w.must(bids(50))
	w.must(bounds(0, "5", "9"))
	w.must(bounds(0, "0", "0"))
}

// TestTwoOperatorsForMoney is the last three rows of the table.
func TestTwoOperatorsForMoney(t *testing.T) {
	w := newGuarded(t)
	w.done(brings("10"))
	w.two(brings("10.00000001"))
	w.two(with(brings("11"), func(c *schema.Deposit) { c.Held = true }))
	w.done(&schema.Deposit{Account: dora, Asset: usd, Amount: d("1000")})
	// The least of the bounds on guarded chains counts.
	w.done(w.asset(func(a *schema.Asset) {
		a.Networks = append(a.Networks, schema.Network{Name: "evm", Chain: 2, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8, ApproveAbove: d("2")})
	}))
	w.done(brings("9"))
	w.must(&schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Parts: 1})
	w.two(brings("9"))
	w.done(brings("2"))
	w.done(w.net1(func(n *schema.Network) { n.ApproveAbove = d("1") }))
	w.two(brings("2"))
	w.done(brings("1"))
	w.listing.assets[btc-1].Networks[0].ApproveAbove = d("0")
	w.done(brings("2"))
	w.two(brings("3"))
	w.listing.assets[btc-1].Networks[1].ApproveAbove = d("0")
	w.done(brings("3000"))

	// Deposits that are credited by hand.
	w = newGuarded(t)
	w.grow(paid("a", 0, "10"), paid("b", 0, "10.1"), paid("c", 0, "99"))
	w.growBy(3)
	credit := func(id schema.DepositID) *schema.DecideDeposit {
		return &schema.DecideDeposit{Deposit: id, Decision: schema.CreditDeposit, Account: dora}
	}
	w.done(credit(1))
	w.two(credit(2))
	w.done(&schema.DecideDeposit{Deposit: 3, Decision: schema.FreezeDeposit})
	w.two(credit(3))
	w.listing.assets[btc-1].Networks[0].ApproveAbove = d("0")
	w.done(credit(2))
	w.done(w.asset(func(a *schema.Asset) { a.Networks = nil }))
	w.done(credit(3))
	// Another chain.
	w.must(w.asset(func(a *schema.Asset) {
		a.Networks = []schema.Network{{Name: "sand", Chain: 3, Confirmations: 1, ConfirmationsForTrading: 1, ApproveAbove: d("1")}}
	}))
	w.must(with(pays(0, "50"), func(c *schema.PaySandbox) { c.Chain = 3 }))
	w.must(&schema.MineSandbox{Chain: 3, Blocks: 2})
	w.done(credit(4))
	w.main(dora, btc, "169.1")

	// What is owed, of an asset that is guarded.
	forgive := func(amount string) *schema.ForgiveOwed {
		return &schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d(amount)}
	}
	w = newIndebted(t)
	w.two(forgive("1"))
	w.done(w.asset(func(a *schema.Asset) { a.Networks = nil }))
	w.done(forgive("1"))
}

// newIndebted is the same world with dora owing bitcoins.
func newIndebted(t *testing.T) *chainWorld {
	w := newGuarded(t)
	w.ledger.balance(dora, schema.Owed, btc).available = whole(5)
	w.ledger.balance(house, schema.Owed, btc).available = whole(-5)
	return w
}

// TestAsking: nothing changes, and what would be refused is.
func TestAsking(t *testing.T) {
	w := newGuarded(t)
	before := w.listing.assets[btc-1]
	w.by("olga", w.net1(func(n *schema.Network) { n.Confirmations = 3 }), schema.OK)
	want := schema.Proposal{ID: 1, Status: schema.ProposalAsked, Operator: "olga", Asked: w.time, Command: w.net1(func(n *schema.Network) { n.Confirmations = 3 })}
	if e := w.last.Events[0].(*schema.ProposalChanged); len(w.last.Events) != 2 || !reflect.DeepEqual(e.Proposal, want) || !reflect.DeepEqual(w.Proposals(), []schema.Proposal{want}) {
		t.Errorf("the events are %+v", w.last.Events)
	}
	if w.last.Result.Proposal != 1 || w.last.Result.ID != 0 || !reflect.DeepEqual(before, w.listing.assets[btc-1]) {
		t.Errorf("the result is %+v", w.last.Result)
	}
	// The operator is missing before anything else is wrong.
	w.by("", w.net1(func(n *schema.Network) { n.Confirmations, n.Name = 3, "" }), schema.OperatorMissing)
	w.by("olga", w.net1(func(n *schema.Network) { n.Confirmations, n.Name = 3, "" }), schema.NetworkInvalid)
	w.by("olga", w.net1(func(n *schema.Network) { n.HotCap, n.Decimals = d("90"), 7 }), schema.ContractInvalid)
	w.by("olga", with(bids(51), func(c *schema.SetChain) { c.Chain.Net = schema.Mainnet }), schema.ImmutableChanged)
	w.by("olga", with(bids(51), func(c *schema.SetChain) { c.Chain.Stuck = true }), schema.ChainInvalid)
	w.by("olga", bounds(0, "10", "9"), schema.TierInvalid)
	w.by("olga", with(brings("11"), func(c *schema.Deposit) { c.Account = 99 }), schema.AccountUnknown)
	w.by("olga", brings("11.000000001"), schema.MoveTooPrecise)
	w.by("olga", brings(owedMost.truncate(unit(8)).decimal().String()), schema.MoveTooLarge)
	w.by("olga", &schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("1")}, schema.OwedLess)
	w.by("", &schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("1")}, schema.OperatorMissing)
	w.by("", &schema.ForgiveOwed{Account: dora, Asset: 9, Amount: d("1")}, schema.AssetUnknown)
	w.by("", brings("10"), schema.OK)
	w.grow(paid("a", 0, "11"))
	w.grow()
	decide := &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}
	w.by("", decide, schema.OperatorMissing)
	w.by("olga", decide, schema.DepositOwner)
	w.by("olga", with(decide, func(c *schema.DecideDeposit) { c.Account = 99 }), schema.AccountUnknown)
	w.by("olga", with(decide, func(c *schema.DecideDeposit) { c.Account = dora }), schema.DepositShallow)
	w.by("olga", with(decide, func(c *schema.DecideDeposit) { c.Deposit = 2 }), schema.DepositUnknown)
	w.waits("1 asked")

	// Without the feature nothing takes two, and it cannot be switched off.
	w.refused(because(schema.FeatureForGood), &schema.SetFeature{Feature: schema.TwoOperators})
	w = newChains(t)
	w.must(brings("10000"))
	w.network(func(n *schema.Network) { n.Confirmations = 2 })
	w.by("olga", &schema.DecideProposal{Proposal: 1}, schema.ProposalUnknown)
	w.by("", &schema.DecideProposal{Proposal: 1}, schema.OperatorMissing)
}

// TestProposalsHaveTheirOwnCommand: who gave it may change it.
func TestProposalsHaveTheirOwnCommand(t *testing.T) {
	w := newGuarded(t)
	for _, c := range []schema.Command{w.net1(func(n *schema.Network) { n.HotCap = d("41") }), bids(51), bounds(0, "6", "9"), brings("11")} {
		w.asked("olga", c)
		switch c := c.(type) {
		case *schema.SetAsset:
			c.Asset.Networks[0].HotCap = d("99")
		case *schema.SetChain:
			c.Chain.FeeRateMax = 99
		case *schema.SetTier:
			c.Tier.Month = d("99")
		case *schema.Deposit:
			c.Amount = d("99")
		}
	}
	for id := range schema.ProposalID(4) {
		w.approves("oscar", id+1, schema.OK)
	}
	w.time += proposalDelay
	w.tickNow()
	w.waits()
	if n := w.listing.assets[btc-1].Networks[0]; n.HotCap != d("41") || w.chains.all[0].FeeRateMax != 51 || w.limits.tiers[0].Month != d("9") {
		t.Errorf("the network is %+v", n)
	}
	w.main(dora, btc, "11")
}

// TestOneProposalForEachThing takes the place of the other about it.
func TestOneProposalForEachThing(t *testing.T) {
	w := newIndebted(t)
	w.grow(paid("a", 0, "11"), paid("b", 0, "12"))
	w.growBy(3)
	credit := func(id schema.DepositID, to schema.AccountID) *schema.DecideDeposit {
		return &schema.DecideDeposit{Deposit: id, Decision: schema.CreditDeposit, Account: to}
	}
	forgive := func(a schema.AccountID, amount string) *schema.ForgiveOwed {
		return &schema.ForgiveOwed{Account: a, Asset: btc, Amount: d(amount)}
	}
	w.ledger.balance(emil, schema.Owed, btc).available = whole(5)
	w.ledger.balance(house, schema.Owed, btc).available = whole(-10)
	w.must(bounds(1, "1", "2"))
	for i, c := range []schema.Command{
		w.net1(func(n *schema.Network) { n.Confirmations = 3 }), bids(51), bounds(0, "6", "9"), bounds(1, "1.5", "2"), brings("11"), credit(1, dora), credit(2, dora), forgive(dora, "1"), forgive(emil, "1"),
	} {
		if id := w.asked("olga", c); id != schema.ProposalID(i+1) {
			t.Errorf("%T is proposal %d", c, id)
		}
	}
	for i, c := range []schema.Command{
		w.net1(func(n *schema.Network) { n.HotCap = d("0") }), bids(0), bounds(0, "5", "0"), brings("11"), credit(1, emil), forgive(dora, "2"),
	} {
		if id := w.asked("oscar", c); id != schema.ProposalID(i+10) {
			t.Errorf("%T is proposal %d", c, id)
		}
		if _, another := c.(*schema.Deposit); another {
			w.happened("proposal 13 asked", audited)
		} else {
			w.happened(fmt.Sprintf("proposal %d canceled", []int{1, 2, 3, 0, 6, 8}[i]), fmt.Sprintf("proposal %d asked", i+10), audited)
		}
	}
	w.waits("4 asked", "5 asked", "7 asked", "9 asked", "10 asked", "11 asked", "12 asked", "13 asked", "14 asked", "15 asked")
	// What is refused does not, and what one operator does about the same does.
	w.by("otto", w.net1(func(n *schema.Network) { n.HotCap, n.Name = d("50"), "" }), schema.NetworkInvalid)
	w.by("otto", w.net1(func(n *schema.Network) { n.Name = "" }), schema.NetworkInvalid)
	w.waits("4 asked", "5 asked", "7 asked", "9 asked", "10 asked", "11 asked", "12 asked", "13 asked", "14 asked", "15 asked")
	w.by("", w.net1(func(n *schema.Network) { n.HotCap = d("39") }), schema.OK)
	w.happened("*schema.AssetChanged", "proposal 10 canceled")
	w.by("", bids(49), schema.OK)
	w.happened("*schema.ChainChanged", "proposal 11 canceled")
	w.by("", bounds(0, "5", "8"), schema.OK)
	w.happened("*schema.TierChanged", "proposal 12 canceled")
	w.by("", with(brings("9"), func(c *schema.Deposit) { c.Account = ben }), schema.OK)
	w.by("", &schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit}, schema.OK)
	w.happened("deposit 1 of 0: 11 frozen at 1002", "proposal 14 canceled")
	w.by("", &schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.DepositOwner)
	w.listing.assets[btc-1].Networks[0].ApproveAbove = d("0")
	w.by("", credit(2, emil), schema.OK)
	w.waits("4 asked", "5 asked", "9 asked", "13 asked", "15 asked")
	w.done(w.asset(func(a *schema.Asset) { a.Networks = nil }))
	w.done(forgive(dora, "1")) // what is proposed about it stays
	w.waits("4 asked", "5 asked", "9 asked", "13 asked", "15 asked")
	w.approves("otto", 15, schema.OK)
	w.has(dora, "0", "0", "0", "2")
}

// TestProposalsThatWait: a hundred.
func TestProposalsThatWait(t *testing.T) {
	w := newGuarded(t)
	for range 98 {
		w.asked("olga", brings("11"))
	}
	tier, chain := w.asked("olga", bounds(0, "6", "9")), w.asked("olga", bids(51))
	w.approves("oscar", tier, schema.OK) // it waits on
	full := schema.Rejection{Reason: schema.ProposalsTooMany, Value: d("100")}
	if r := w.from(schema.Origin{Operator: "olga"}, brings("11")); r != full {
		t.Errorf("got %q", r.Text())
	}
	if r := w.from(schema.Origin{Operator: "olga"}, w.net1(func(n *schema.Network) { n.HotCap = d("0") })); r != full {
		t.Errorf("got %q", r.Text())
	}
	w.by("olga", brings("0"), schema.MoveNotPositive)
	w.by("olga", with(brings("11"), func(c *schema.Deposit) { c.Account = 99 }), schema.AccountUnknown)
	w.by("", brings("11"), schema.OperatorMissing)
	w.asked("oscar", bounds(0, "7", "9")) // instead of another one
	w.asked("oscar", bids(52))
	w.by("olga", &schema.DecideProposal{Proposal: chain}, schema.ProposalUnknown)
	w.by("olga", &schema.DecideProposal{Proposal: 7}, schema.OK)
	if id := w.asked("oscar", brings("11")); id != 103 {
		t.Errorf("it is proposal %d", id)
	}
}

// TestApproving: by another one, once. What is no setting is done at once, or stays.
func TestApproving(t *testing.T) {
	w := newGuarded(t)
	w.grow(paid("a", 0, "11"))
	w.growBy(3)
	asked := w.time + 1
	w.asked("olga", brings("11"))
	w.approves("", 1, schema.OperatorMissing)
	w.approves("oscar", 2, schema.ProposalUnknown)
	w.approves("oscar", 0, schema.ProposalUnknown)
	w.approves("olga", 1, schema.ApprovedBefore)
	w.approves("oscar", 1, schema.OK)
	w.happened("1 main of 1 by deposit for 0: -311 0", "104 main of 1 by deposit for 0: 11 0", "proposal 1 done", audited)
	if e := w.last.Events[2].(*schema.ProposalChanged).Proposal; !reflect.DeepEqual(e, schema.Proposal{
		ID: 1, Status: schema.ProposalDone, Operator: "olga", Approver: "oscar", Asked: asked, Command: brings("11"),
	}) {
		t.Errorf("the proposal is %+v", e)
	}
	if w.last.Result.ID != 0 || w.last.Result.Proposal != 0 {
		t.Errorf("the result is %+v", w.last.Result)
	}
	w.approves("oscar", 1, schema.ProposalUnknown)
	w.by("olga", &schema.DecideProposal{Proposal: 1}, schema.ProposalUnknown)

	// What is refused waits on.
	id := w.asked("olga", &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit, Account: emil})
	w.fall(4)
	w.approves("oscar", id, schema.DepositDecided)
	w.happened(audited)
	w.waits("2 asked")
	w.grow(paid("a", 0, "11"))
	w.approves("oscar", id, schema.OK)
	w.happened("9 main of 1 by deposit for 0: 0 0", "105 main of 1 by deposit for 0: 11 0", "deposit 1 of 105: 11 credited at 1002", "proposal 2 done", audited)

	// It is canceled by who asked, too.
	id = w.asked("oscar", brings("12"))
	w.by("oscar", &schema.DecideProposal{Proposal: id}, schema.OK)
	w.happened("proposal 3 canceled", audited)
	if e := w.last.Events[0].(*schema.ProposalChanged).Proposal; e.Approver != "" || e.Operator != "oscar" {
		t.Errorf("the proposal is %+v", e)
	}
	w.by("oscar", &schema.DecideProposal{Proposal: id}, schema.ProposalUnknown)
}

// TestSettingsWait for a day, and may be refused by then.
func TestSettingsWait(t *testing.T) {
	w := newGuarded(t)
	w.asked("olga", bids(51))
	w.asked("olga", bounds(0, "6", "9"))
	asked := w.time
	w.noTimer()
	w.approves("olga", 2, schema.ApprovedBefore)
	w.approves("oscar", 2, schema.OK)
	approved := w.time
	w.happened("proposal 2 approved", audited)
	want := schema.Proposal{
		ID: 2, Status: schema.ProposalApproved, Operator: "olga", Approver: "oscar", Asked: asked, Due: approved + 24*3600*schema.Second, Command: bounds(0, "6", "9"),
	}
	if got := w.Proposals()[1]; !reflect.DeepEqual(got, want) {
		t.Errorf("the proposal is %+v", got)
	}
	w.approves("olga", 2, schema.ApprovedBefore)
	w.approves("oscar", 2, schema.ProposalDecided)
	w.approves("otto", 2, schema.ProposalDecided)
	w.approves("oscar", 1, schema.OK)
	if at, is := w.NextTimer(); !is || at != want.Due {
		t.Errorf("the next timer is %d %t", at, is)
	}
	w.time = want.Due - 2
	w.tickNow()
	w.happened()
	w.tickNow()
	w.happened("*schema.TierChanged", "proposal 2 done")
	want.Status = schema.ProposalDone
	if e := w.last.Events[1].(*schema.ProposalChanged).Proposal; !reflect.DeepEqual(e, want) {
		t.Errorf("the proposal is %+v", e)
	}
	if got := w.Tiers()[0]; got != (schema.Tier{Day: d("6"), Month: d("9")}) {
		t.Errorf("the tier is %+v", got)
	}
	w.waits("1 approved")
	w.approves("otto", 2, schema.ProposalUnknown)
	// It can be canceled until the last moment, also by who asked, and by another setting.
	w.by("olga", &schema.DecideProposal{Proposal: 1}, schema.OK)
	w.happened("proposal 1 canceled", audited)
	if e := w.last.Events[0].(*schema.ProposalChanged).Proposal; e.Approver != "oscar" || e.Due == 0 || e.Status != schema.ProposalCanceled {
		t.Errorf("the proposal is %+v", e)
	}
	w.asked("olga", bids(51))
	w.approves("oscar", 3, schema.OK)
	w.must(bids(48))
	w.happened("*schema.ChainChanged", "proposal 3 canceled")
	w.time += 2 * proposalDelay
	w.tickNow()
	w.happened()

	// Several of one tick, in the order of their numbers; one cannot be any more.
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1}})
	w.must(&schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Parts: 1})
	token := schema.Network{Name: "evm", Chain: 2, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8, Contract: "0x1"}
	w.asked("olga", w.asset(func(a *schema.Asset) { a.Networks = append(a.Networks, token) }))
	w.asked("olga", bounds(0, "7", "9"))
	w.asked("olga", bids(60))
	for _, id := range []schema.ProposalID{6, 5, 4} {
		w.approves("oscar", id, schema.OK)
	}
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "TOK", Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{token}}})
	w.time += proposalDelay
	w.tickNow()
	w.happened("proposal 4 refused", "*schema.TierChanged", "proposal 5 done", "*schema.ChainChanged", "proposal 6 done")
	if e := w.last.Events[0].(*schema.ProposalChanged).Proposal; e.Reason != schema.ContractInvalid || e.Approver != "oscar" || e.Due == 0 {
		t.Errorf("the proposal is %+v", e)
	}
	w.waits()
	w.noTimer()
	if len(w.listing.assets[btc-1].Networks) != 1 || w.chains.all[0].FeeRateMax != 60 {
		t.Error("the settings are others")
	}
}
