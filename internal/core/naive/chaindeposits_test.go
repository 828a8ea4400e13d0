package naive

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRewindBeforeHeld: the deposit counts from the block in which it is again.
func TestRewindBeforeHeld(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	created := w.time
	w.fall(1)
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 confirming at 0")
	w.growBy(2)
	w.grow(paid("a", 1, "2"))
	w.happened("deposit 1 of 104: 2 confirming at 1004", "chain 1 at 1004")
	if got := w.chains.deposit(1); got.Created != created || got.Changed != created {
		t.Errorf("the deposit is of %d and %d, want %d", got.Created, got.Changed, created)
	}
	w.has(dora, "0", "0", "0", "0")
	w.grow()
	w.has(dora, "1.9", "1.9", "0", "0")
	w.growBy(2)
	w.has(dora, "1.9", "0", "0", "0")
}

// TestRewindAfterHeld: the money stays where it is while the deposit is waited for.
func TestRewindAfterHeld(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.grow()
	w.fall(2)
	w.deposit(1, schema.DepositHeld, 0, "0.1")
	w.has(dora, "1.9", "1.9", "0", "0")
	w.growBy(7)
	w.deposit(1, schema.DepositHeld, 0, "0.1")
	w.grow() // 1009: the height that was and six more
	w.deposit(1, schema.DepositLost, 0, "0.1")
	w.has(dora, "0", "0", "0", "0")
	w.grow(paid("a", 1, "2"))
	w.deposit(2, schema.DepositConfirming, 1010, "0")
	w.growBy(2)
	w.deposit(2, schema.DepositConfirming, 1010, "0") // one that returns is not held
	w.grow()
	w.deposit(2, schema.DepositCredited, 1010, "0.1")
	w.has(dora, "1.9", "0", "0", "0")
}

// TestMissingUntilItsDeadline: in the block at which it would be lost it is there again.
func TestMissingUntilItsDeadline(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.grow()
	w.fall(2)
	w.growBy(7)
	w.grow(paid("a", 1, "2"))
	w.happened("deposit 1 of 104: 2 held at 1009", "chain 1 at 1009")
	w.growBy(2)
	w.has(dora, "1.9", "1.9", "0", "0")
	w.grow()
	w.happened("chain 1 at 1012", "104 main of 1 by deposit for 0: 1.9 0", "deposit 1 of 104: 2 credited at 1009")
	w.has(dora, "1.9", "0", "0", "0")
}

// TestDeadlinesAreInOrder: what left its block later is not lost earlier, also where fewer blocks are waited for.
func TestDeadlinesAreInOrder(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations = 20 })
	w.grow(paid("a", 1, "2"), paid("b", 2, "3"))
	w.fall(1) // both are waited for until 1022
	w.grow(paid("a", 1, "2"))
	w.network(func(n *schema.Network) { n.Confirmations = 4 })
	w.fall(1)   // until 1008, but not before the other
	w.growBy(9) // 1010
	w.deposit(1, schema.DepositConfirming, 0, "0")
	w.deposit(2, schema.DepositConfirming, 0, "0")
	w.growBy(12)
	w.happened("chain 1 at 1022", "deposit 2 of 105: 3 lost at 0", "deposit 1 of 104: 2 lost at 0")
}

// TestReceiptThatChanges: a receipt with another asset, amount or address is another.
func TestReceiptThatChanges(t *testing.T) {
	w := newTokens(t)
	n := w.net
	n.Contract = "LTC"
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "LTC", CanDeposit: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{n}}})
	w.grow(paid("a", 1, "2"), paid("b", 1, "3"), paid("c", 1, "4"))
	w.grow()
	w.has(dora, "8.7", "8.7", "0", "0")
	w.fall(2)
	other := paid("c", 1, "4")
	other.Asset = 3
	w.grow(paid("a", 2, "2"), paid("b", 1, "3.1"), other)
	w.has(dora, "0", "0", "0", "0")
	for id := range schema.DepositID(3) {
		w.deposit(id+1, schema.DepositLost, 0, "0.1")
		w.deposit(id+4, schema.DepositConfirming, 1002, "0")
	}
	w.growBy(3)
	w.has(emil, "1.9", "0", "0", "0")
	w.has(dora, "3", "0", "0", "0")
	w.main(dora, 3, "3.9")
	// The id belongs to the new one.
	w.fall(4)
	w.grow(paid("a", 2, "2"))
	w.deposit(4, schema.DepositCredited, 1002, "0.1")
}

func TestCreditedAndThenLost(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.must(&schema.Withdraw{Account: dora, Asset: btc, Amount: d("1")})
	w.fall(4)
	w.growBy(9) // 1010
	w.deposit(1, schema.DepositCredited, 0, "0.1")
	w.grow()
	w.happened("chain 1 at 1011", "4 main of 1 by reversal for 0: -1.9 0", "8 main of 1 by reversal for 0: -0.1 0", "2 main of 1 by reversal for 0: 0 0",
		"8 main of 1 by reversal for 0: 0 0", "deposit 1 of 104: 2 credited at 0, reversed")
	if got := w.chains.deposit(1); got.Changed != w.time {
		t.Errorf("the deposit changed at %d", got.Changed)
	}
	w.has(dora, "0.9", "0", "0", "0") // nothing is owed: it was the account's

	// It returns with less: the house gets it all, and still bears the rest.
	w.grow(paid("a", 1, "1"))
	w.happened("deposit 2 of 104: 1 confirming at 1012", "chain 1 at 1012")
	w.growBy(3)
	w.happened("chain 1 at 1015", "8 main of 1 by deposit for 0: -0.9 0", "4 main of 1 by deposit for 0: -1 0",
		"8 main of 1 by deposit for 0: -1 0", "2 main of 1 by deposit for 0: 0.1 0", "deposit 2 of 104: 1 credited at 1012")
	w.has(dora, "0.9", "0", "0", "0")
	w.refused(because(schema.DepositDecided), &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
}

// TestReturnOfMoreThanTheHouseCarries: lost twice before it is credited, what the house carries goes with it.
func TestReturnOfMoreThanTheHouseCarries(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.fall(4)
	w.growBy(10)
	w.grow(paid("a", 1, "5"))
	w.fall(1)
	w.growBy(7)
	w.deposit(2, schema.DepositLost, 0, "0")
	w.grow(paid("a", 1, "5"))
	w.growBy(3)
	w.happened("chain 1 at 1022", "8 main of 1 by deposit for 0: -1.9 0", "4 main of 1 by deposit for 0: 0 0",
		"8 main of 1 by deposit for 0: -4.9 0", "104 main of 1 by deposit for 0: 4.9 0",
		"8 main of 1 by deposit for 0: -5 0", "2 main of 1 by deposit for 0: 0.1 0", "deposit 3 of 104: 5 credited at 1019")
	w.has(dora, "4.9", "0", "0", "0")
}

// TestHeldAndThenLost: it is taken from main, then from trade; the rest is owed.
func TestHeldAndThenLost(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "10.1"))
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("9"), From: schema.Main, To: schema.Trade})
	w.place(dora, limit(schema.Sell, "6", "1000"))
	w.fall(2)
	w.growBy(8)
	w.happened("chain 1 at 1009", "104 main of 1 by deposit for 0: 1 0", "2 main of 1 by reversal for 0: 0 0", "8 main of 1 by reversal for 0: -10 0",
		"104 main of 1 by reversal for 0: 0 0", "8 main of 1 by reversal for 0: -9 0",
		"104 trade of 1 by reversal for 0: 0 6", "8 main of 1 by reversal for 0: -6 0",
		"4 main of 1 by reversal for 0: -6 0", "8 main of 1 by reversal for 0: 0 0",
		"4 owed of 1 by reversal for 0: -6 0", "104 owed of 1 by reversal for 0: 6 0",
		"deposit 1 of 104: 10.1 lost at 0")
	w.has(dora, "0", "0", "0", "6")
	w.timer(w.time)
	w.tickNow()
	w.happened("104 trade of 1 by reversal for 1: 6 0", "level sell 1000: 0", "order 1 closed by reversal: CANCELED left 6",
		"104 trade of 1 by reversal for 0: 0 0", "4 main of 1 by reversal for 0: 0 0",
		"104 owed of 1 by reversal for 0: 0 0", "4 owed of 1 by reversal for 0: 0 0")
	w.has(dora, "0", "0", "0", "0")
	w.noTimer()
}

// TestNotCredited: each reason for which a deposit is not credited by itself.
func TestNotCredited(t *testing.T) {
	for name, c := range map[string]struct {
		asset   func(*schema.Asset)
		network func(*schema.Network)
		receipt schema.Receipt
	}{
		"nobody's":          {receipt: paid("a", 0, "2")},
		"asset off":         {asset: func(a *schema.Asset) { a.CanDeposit = false }},
		"network off":       {network: func(n *schema.Network) { n.CanDeposit = false }},
		"too little":        {asset: func(a *schema.Asset) { a.MinDeposit = d("2.00000001") }},
		"too much":          {asset: func(a *schema.Asset) { a.MaxDeposit = d("1.99999999") }},
		"too little there":  {network: func(n *schema.Network) { n.MinDeposit = d("2.00000001") }},
		"too much there":    {network: func(n *schema.Network) { n.MaxDeposit = d("1.99999999") }},
		"the fee is all":    {network: func(n *schema.Network) { n.DepositFixed = d("2") }},
		"the fee is beyond": {network: func(n *schema.Network) { n.DepositFixed, n.DepositMinFee = cutMax(8), cutMax(8) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newChains(t)
			w.setBTC(func(a *schema.Asset) {
				n := w.net
				if c.network != nil {
					c.network(&n)
				}
				a.Networks = []schema.Network{n}
				if c.asset != nil {
					c.asset(a)
				}
			})
			r, owner := paid("a", 1, "2"), dora
			if c.receipt.ID != "" {
				r, owner = c.receipt, 0
			}
			w.grow(r)
			w.grow()
			w.happened("chain 1 at 1003", fmt.Sprintf("deposit 1 of %d: 2 uncredited at 1002", owner))
			w.grow()
			w.happened("chain 1 at 1004")
			w.grow()
			w.happened("chain 1 at 1005", "8 main of 1 by deposit for 0: -2 0", "9 main of 1 by deposit for 0: 2 0")
			w.fall(4)
			w.growBy(9)
			w.deposit(1, schema.DepositUncredited, 0, "0")
			w.grow()
			w.happened("chain 1 at 1011", "9 main of 1 by reversal for 0: 0 0", "8 main of 1 by reversal for 0: 0 0",
				fmt.Sprintf("deposit 1 of %d: 2 lost at 0", owner))
			w.audit()
		})
	}
}

// cutMax is the greatest number with so many decimals.
func cutMax(places uint8) fixed.Decimal { return largest.truncate(unit(places)).decimal() }

// TestBoundsOfDepositsCountThemselves.
func TestBoundsOfDepositsCountThemselves(t *testing.T) {
	w := newChains(t)
	w.setBTC(func(a *schema.Asset) {
		n := w.net
		n.MinDeposit, n.MaxDeposit = d("2"), d("2")
		a.Networks, a.MinDeposit, a.MaxDeposit = []schema.Network{n}, d("2"), d("2")
	})
	w.grow(paid("a", 1, "2"))
	w.grow()
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
}

// TestDepositOfAnAssetWithoutNetwork: it waits for six blocks.
func TestDepositOfAnAssetWithoutNetwork(t *testing.T) {
	w := newChains(t)
	w.setBTC(func(*schema.Asset) {})
	w.grow(paid("a", 1, "2"))
	w.growBy(4)
	w.deposit(1, schema.DepositConfirming, 1002, "0")
	w.grow()
	w.happened("chain 1 at 1007", "deposit 1 of 104: 2 uncredited at 1002", "8 main of 1 by deposit for 0: -2 0", "9 main of 1 by deposit for 0: 2 0")
}

// TestUncreditedAtLast: what changes between trading and all confirmations counts, but only for what was not held.
func TestUncreditedAtLast(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.HeldCap = d("2.9") })
	w.grow(paid("a", 1, "2"), paid("b", 1, "2"))
	w.grow()
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.deposit(2, schema.DepositConfirming, 1002, "0")
	w.network(func(n *schema.Network) { n.CanDeposit = false })
	w.growBy(2)
	w.happened("chain 1 at 1005", "104 main of 1 by deposit for 0: 1.9 0", "deposit 1 of 104: 2 credited at 1002",
		"8 main of 1 by deposit for 0: -4 0", "9 main of 1 by deposit for 0: 2 0", "deposit 2 of 104: 2 uncredited at 1002")
}

func TestHeldCap(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.HeldCap = d("5") })
	w.grow(paid("a", 1, "2"), paid("b", 1, "3.20000001"), paid("c", 1, "3.2"), paid("d", 2, "5.1"))
	w.grow()
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.deposit(2, schema.DepositConfirming, 1002, "0") // 1.9 + 3.10000001
	w.deposit(3, schema.DepositHeld, 1002, "0.1")     // 1.9 + 3.1
	w.deposit(4, schema.DepositHeld, 1002, "0.1")     // of another account
	w.network(func(n *schema.Network) { n.HeldCap = fixed.Zero })
	w.grow()
	w.deposit(2, schema.DepositConfirming, 1002, "0") // it was looked at
	w.grow()
	w.deposit(2, schema.DepositCredited, 1002, "0.1")
	w.has(dora, "8.10000001", "0", "0", "0")
}

func TestDepositFee(t *testing.T) {
	for _, c := range []struct{ fixed, percent, low, high, amount, fee string }{
		{"0", "0", "0", "0", "10", "0"},
		{"0.5", "0", "0", "0", "10", "0.5"},
		{"0.5", "10", "0", "0", "10", "1.5"},
		{"0", "10", "0", "0", "0.00000019", "0.00000001"},
		{"0", "100", "0", "0", "7", "7"},
		{"0.5", "10", "1.2", "0", "10", "1.7"},
		{"0.5", "10", "0", "0.7", "10", "1.2"},
		{"0.5", "10", "0.8", "1", "10", "1.5"},
		{"0", "0", "0.8", "1", "10", "0.8"},
	} {
		n := &schema.Network{DepositFixed: d(c.fixed), DepositPercent: d(c.percent), DepositMinFee: d(c.low), DepositMaxFee: d(c.high)}
		if got := depositFee(&schema.Asset{Scale: 8}, n, of(d(c.amount))).decimal(); got != d(c.fee) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestDepositsWaitForThoseBefore: also when fewer blocks are enough for those that come later.
func TestDepositsWaitForThoseBefore(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading, n.Confirmations = 3, 5 })
	w.grow(paid("a", 1, "2"))
	w.grow(paid("b", 1, "3"))
	w.grow() // 1004
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.deposit(2, schema.DepositConfirming, 1003, "0")
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading, n.Confirmations = 2, 3 })
	w.deposit(2, schema.DepositConfirming, 1003, "0") // settings alone change nothing
	w.grow()
	w.happened("chain 1 at 1005",
		"104 main of 1 by deposit for 0: 1.9 0", "deposit 1 of 104: 2 credited at 1002",
		"8 main of 1 by deposit for 0: -4.9 0", "104 main of 1 by deposit for 0: 4.8 0",
		"8 main of 1 by deposit for 0: -5 0", "2 main of 1 by deposit for 0: 0.2 0", "deposit 2 of 104: 3 credited at 1003")
}

// TestPhasesGoThroughAssets: all deposits are traded before any is the account's.
func TestPhasesGoThroughAssets(t *testing.T) {
	w := newTokens(t)
	n := w.net
	n.Contract = "LTC"
	n.ConfirmationsForTrading = 4
	n.Confirmations = 5
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "LTC", CanDeposit: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{n}}})
	other := paid("a", 1, "2")
	other.Asset = 3
	w.grow(other, paid("b", 1, "3"))
	w.growBy(2)
	w.grow()
	w.happened("chain 1 at 1005", "8 main of 3 by deposit for 0: -1.9 0", "104 main of 3 by deposit for 0: 1.9 0",
		"8 main of 3 by deposit for 0: -2 0", "2 main of 3 by deposit for 0: 0.1 0", "104 main of 3 by deposit for 0: 1.9 0",
		"deposit 1 of 104: 2 held at 1002",
		"104 main of 1 by deposit for 0: 2.9 0", "deposit 2 of 104: 3 credited at 1002")
}

func TestDecideDepositChecksInOrder(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"), paid("b", 0, "3"), paid("c", 1, "0.1"))
	decide := func(id schema.DepositID, decision schema.Decision, a schema.AccountID) *schema.DecideDeposit {
		return &schema.DecideDeposit{Deposit: id, Decision: decision, Account: a}
	}
	credit, cancel, freeze := schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit
	w.refused(because(schema.DepositUnknown), decide(0, 0, 0))
	w.refused(because(schema.DepositUnknown), decide(4, 0, 0))
	w.refused(because(schema.DepositDecided), decide(1, 0, 9))
	w.refused(because(schema.DepositDecided), decide(1, 4, 9))
	w.refused(because(schema.DepositDecided), decide(1, credit, 9)) // it confirms
	w.refused(because(schema.DepositOwner), decide(1, cancel, emil))
	w.refused(because(schema.DepositOwner), decide(2, cancel, 0))
	w.refused(because(schema.DepositOwner), decide(2, cancel, dora))
	w.refused(because(schema.DepositOwner), decide(2, freeze, dora))
	w.grow()
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	for _, decision := range []schema.Decision{credit, cancel, freeze} {
		w.refused(because(schema.DepositDecided), decide(1, decision, 9))
	}
	w.refused(because(schema.DepositOwner), decide(2, credit, 0))
	w.refused(because(schema.AccountUnknown), decide(2, credit, 99))
	w.refused(because(schema.AccountUnknown), decide(2, credit, schema.House))
	w.refused(because(schema.DepositShallow), decide(2, credit, emil))
	w.refused(because(schema.DepositOwner), decide(3, credit, emil))
	w.refused(because(schema.DepositShallow), decide(3, credit, dora))
	w.refused(because(schema.DepositShallow), decide(3, credit, 0))
	w.must(decide(2, freeze, 0))
	w.happened("deposit 2 of 0: 3 frozen at 1002")
	w.refused(because(schema.DepositDecided), decide(2, freeze, 0))
	w.refused(because(schema.DepositShallow), decide(2, credit, emil))
	w.growBy(2)
	w.must(decide(2, credit, emil))
	w.happened("9 main of 1 by deposit for 0: 0.1 0", "105 main of 1 by deposit for 0: 3 0", "deposit 2 of 105: 3 credited at 1002")
	w.must(decide(3, credit, 0))
	w.happened("9 main of 1 by deposit for 0: 0 0", "104 main of 1 by deposit for 0: 2 0", "deposit 3 of 104: 0.1 credited at 1002")
	w.deposit(2, schema.DepositCredited, 1002, "0")
	for _, decision := range []schema.Decision{credit, cancel, freeze} {
		w.refused(because(schema.DepositDecided), decide(2, decision, 0))
	}
	// It is taken back as any other, and the house bears it.
	w.fall(4)
	w.refused(because(schema.DepositDecided), decide(2, freeze, 0))
	w.growBy(10)
	w.has(emil, "3", "0", "0", "0")
	w.main(schema.House, btc, "-5") // 3, 1.9 and 0.1
}

// TestDecidedBeforeItIsDeep: what is frozen or canceled goes to Suspense when it is deep.
func TestDecidedBeforeItIsDeep(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"), paid("b", 1, "3"), paid("c", 1, "4"))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit})
	w.must(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit, Account: dora})
	w.happened("deposit 2 of 104: 3 canceled at 1002")
	w.must(&schema.DecideDeposit{Deposit: 3, Decision: schema.FreezeDeposit})
	w.must(&schema.DecideDeposit{Deposit: 3, Decision: schema.CancelDeposit})
	w.refused(because(schema.DepositDecided), &schema.DecideDeposit{Deposit: 3, Decision: schema.CancelDeposit})
	w.grow()
	w.happened("chain 1 at 1003")
	w.growBy(2)
	w.happened("chain 1 at 1005", "8 main of 1 by deposit for 0: -2 0", "9 main of 1 by deposit for 0: 2 0",
		"8 main of 1 by deposit for 0: -5 0", "9 main of 1 by deposit for 0: 5 0", "8 main of 1 by deposit for 0: -9 0", "9 main of 1 by deposit for 0: 9 0")
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	w.has(dora, "2", "0", "0", "0")
	w.fall(4)
	w.grow(paid("b", 1, "3"))
	w.growBy(3)
	w.happened("chain 1 at 1005") // it is there already
	w.audit()
}

// TestForgottenDeposits: what is so deep that no rewind reaches it is forgotten, if it is credited and was never missing.
func TestForgottenDeposits(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"), paid("b", 0, "3"), paid("c", 1, "4"))
	w.fall(1)
	w.grow(paid("a", 1, "2"), paid("e", 1, "1"), paid("b", 0, "3"), paid("c", 1, "4"), paid("f", 0, "1")) // 1002
	w.growBy(99)
	w.deposit(4, schema.DepositCredited, 1002, "0.1")
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("e", 1, "1")))
	w.grow() // 1102
	if w.chains.deposit(4) != nil {
		t.Error("deposit 4 is known")
	}
	w.refused(because(schema.DepositUnknown), &schema.DecideDeposit{Deposit: 4, Decision: schema.CreditDeposit})
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("a", 1, "2"))) // once missing, known for ever
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("f", 0, "1")))
	// Those that are decided later are forgotten then.
	w.must(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit, Account: emil})
	w.refused(because(schema.DepositDecided), &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit, Account: emil})
	w.must(&schema.DecideDeposit{Deposit: 5, Decision: schema.CreditDeposit, Account: emil})
	w.refused(because(schema.DepositUnknown), &schema.DecideDeposit{Deposit: 5, Decision: schema.CreditDeposit, Account: emil})
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("e", 1, "1"))) // there is such a coin already
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("f", 0, "1")))
	w.audit()
}

// TestFirstBlockIsNeverRewound: what it paid is forgotten as soon as it is credited.
func TestFirstBlockIsNeverRewound(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "OTHER", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.network(func(n *schema.Network) { n.Chain = 2 })
	block := func(height uint64, receipts ...schema.Receipt) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: 2, Height: height, Hash: digest(int(height)), Parent: digest(int(height) - 1), Receipts: receipts}
	}
	w.must(block(7, paid("a", 1, "2")))
	for height := range uint64(3) {
		w.deposit(1, []schema.DepositStatus{schema.DepositConfirming, schema.DepositHeld, schema.DepositHeld}[height], 7, []string{"0", "0.1", "0.1"}[height])
		w.must(block(8 + height))
	}
	if w.chains.deposit(1) != nil {
		t.Error("the deposit is known")
	}
	w.has(dora, "1.9", "0", "0", "0")
}

// TestNoRoomForWhatTheHouseOwes: what is spent of its own money and of the fees counts against what chains may bring.
func TestNoRoomForWhatTheHouseOwes(t *testing.T) {
	for name, owes := range map[string]schema.AccountID{"house": schema.House, "fees": schema.Fees} {
		t.Run(name, func(t *testing.T) {
			w := newChains(t)
			room := owedMost.truncate(unit(8)).minus(whole(300)).minus(whole(5))
			w.ledger.move(in(owes), in(anna), btc, room, byDeposit)
			w.grow(paid("a", 1, "5"), paid("b", 1, "0.2"))
			w.grow()
			w.deposit(1, schema.DepositHeld, 1002, "0.1")
			w.deposit(2, schema.DepositUncredited, 1002, "0")
			w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("100")})
			w.growBy(2)
			w.refused(because(schema.DepositShallow), &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
		})
	}
}

// TestForgettingIsLaterWithMoreConfirmations: and stops at what is not through.
func TestForgettingIsLaterWithMoreConfirmations(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.grow(paid("b", 1, "2"))
	w.grow(paid("c", 1, "2"))
	w.network(func(n *schema.Network) { n.Confirmations = 60 })
	w.growBy(118) // 1122
	if w.chains.deposit(1) != nil {
		t.Error("deposit 1 is known")
	}
	w.deposit(2, schema.DepositCredited, 1003, "0.1")
	w.network(func(n *schema.Network) { n.Confirmations = 200 })
	w.growBy(200)
	w.deposit(2, schema.DepositCredited, 1003, "0.1")
	w.growBy(81) // 1403
	if w.chains.deposit(2) != nil {
		t.Error("deposit 2 is known")
	}
	w.deposit(3, schema.DepositCredited, 1004, "0.1")
}

// TestHaltedChain: it was rewound deeper than it remembers.
func TestHaltedChain(t *testing.T) {
	w := newChains(t)
	w.growBy(110) // 1111: it knows 1011 and higher
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: watched, Height: 1011, Hash: digest(1)})
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: watched, Height: 1111, Hash: w.tip.hash})
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: watched, Height: 1112, Hash: digest(1)})
	w.fall(100)
	w.happened("chain 1 at 1011")
	w.growBy(1)
	w.must(&schema.ChainRewind{Chain: watched, Height: 1010, Hash: digest(1)})
	w.happened("chain 1 at 1012, halted")
	w.refused(because(schema.ChainHalted), w.nextBlock())
	w.refused(because(schema.ChainHalted), &schema.ChainRewind{Chain: watched, Height: 1011})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, Paused: true}})
	w.refused(because(schema.ChainHalted), w.nextBlock())
}

// TestPointsAreTwiceTheConfirmations.
func TestPointsAreTwiceTheConfirmations(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations = 51 })
	w.growBy(110)
	w.fall(102)
	w.growBy(102)
	w.network(func(n *schema.Network) { n.Confirmations = 50 })
	if got := len(w.chains.all[0].points); got != 103 {
		t.Errorf("%d points", got)
	}
	w.grow()
	if got := len(w.chains.all[0].points); got != 101 {
		t.Errorf("%d points", got)
	}
}

// TestBusyChain: more than 1,000 steps take another command.
func TestBusyChain(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading, n.Confirmations = 1, 2 })
	part := func(i uint32, from, n int) *schema.ChainBlock {
		b := &schema.ChainBlock{Chain: watched, Height: 1002, Hash: digest(1), Parent: w.tip.hash, Part: i, Parts: 2}
		for k := range n {
			b.Receipts = append(b.Receipts, paid(fmt.Sprint(from+k), 1, "1"))
		}
		return b
	}
	w.must(part(0, 0, 1000))
	w.noTimer()
	w.must(part(1, 1000, 500))
	at := w.time
	w.timer(at)
	w.has(dora, "900", "900", "0", "0")
	w.tip = point{1002, digest(1)}
	w.refused(because(schema.ChainBusy), w.nextBlock())
	w.refused(because(schema.ChainBusy), &schema.ChainRewind{Chain: watched, Height: 1001})
	w.tickNow()
	w.has(dora, "1350", "1350", "0", "0")
	w.noTimer()
	w.grow() // 1,000 become the account's
	w.has(dora, "1350", "450", "0", "0")
	w.timer(w.time)
	w.time += 5
	w.tickNow()
	w.has(dora, "1350", "0", "0", "0")
	w.noTimer()
	w.fall(1)
	w.noTimer()
	w.grow()
	w.fall(2)
	w.timer(w.time)
	if got := len(w.chains.missing(w.chains.all[0], btc)); got != 1000 {
		t.Errorf("%d deposits are missing", got)
	}
	w.deposit(1500, schema.DepositCredited, 0, "0.1")
	w.deposit(500, schema.DepositCredited, 1002, "0.1")
	w.tickNow()
	w.deposit(1, schema.DepositCredited, 0, "0.1")
	w.noTimer()
	w.growBy(8) // 1009
	w.timer(w.time)
	w.main(schema.House, btc, "-900")
	w.tickNow()
	w.main(schema.House, btc, "-1350")
	w.noTimer()
	w.audit()
}

// TestExactlyTheBudget: nothing is left after 1,000 steps that were all.
func TestExactlyTheBudget(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading, n.Confirmations = 1, 1 })
	b := w.nextBlock()
	for k := range 500 {
		b.Receipts = append(b.Receipts, paid(fmt.Sprint(k), 1, "1"))
	}
	w.must(b)
	w.has(dora, "450", "0", "0", "0")
	w.noTimer()
}

// TestLimitIsOfChainsAndOutside: together they owe no more than the ledger can count.
func TestLimitIsOfChainsAndOutside(t *testing.T) {
	w := newChains(t)
	there := whole(300)
	room := owedMost.truncate(unit(8)).minus(there).minus(whole(5))
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: room.decimal()})
	w.grow(paid("a", 1, "3"), paid("b", 1, "2.1"), paid("c", 0, "2"))
	w.grow()
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.deposit(2, schema.DepositUncredited, 1002, "0")
	w.refused(because(schema.MoveTooLarge), &schema.Deposit{Account: anna, Asset: btc, Amount: d("2.00000001")})
	w.must(&schema.SetFaucet{Asset: btc, Limit: d("10")})
	w.refused(because(schema.MoveTooLarge), &schema.TakeFaucet{Account: anna, Asset: btc, Amount: d("2.00000001")})
	w.refused(because(schema.MoveTooLarge), &schema.FundSystem{Account: schema.Insurance, Asset: btc, Amount: d("2.00000001")})
	w.growBy(2)
	w.happened("chain 1 at 1005", "104 main of 1 by deposit for 0: 2.9 0", "deposit 1 of 104: 3 credited at 1002",
		"8 main of 1 by deposit for 0: -5 0", "9 main of 1 by deposit for 0: 2 0")
	w.refused(because(schema.DepositShallow), &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
	// There is room again, but it was looked at.
	w.must(&schema.Withdraw{Account: anna, Asset: btc, Amount: d("100")})
	w.grow()
	w.refused(because(schema.DepositShallow), &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
	w.fall(5)
	w.grow(paid("b", 1, "2.1"))
	w.growBy(3)
	w.must(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
	w.audit()
}
