package naive

import (
	"testing"

	"bourse/internal/schema"
)

// forPool is a receipt of bitcoins at the address for blocks of the pool.
func forPool(id, amount string) schema.Receipt {
	return schema.Receipt{ID: id, Asset: btc, Amount: d(amount), Own: poolAddress, Text: "address of the pool"}
}

// creditsTo lets an operator credit a deposit to an account.
func creditsTo(id schema.DepositID, to schema.AccountID) *schema.DecideDeposit {
	return &schema.DecideDeposit{Deposit: id, Decision: schema.CreditDeposit, Account: to}
}

// freezes lets an operator freeze a deposit.
func freezes(id schema.DepositID) *schema.DecideDeposit {
	return &schema.DecideDeposit{Deposit: id, Decision: schema.FreezeDeposit}
}

// TestBlockOfThePool: it is the pool's with all confirmations, free of charge, whatever customers may deposit.
func TestBlockOfThePool(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.CanDeposit, n.MaxDeposit = false, d("1") })
	w.grow(forPool("a", "3.125"), paid("b", 0, "2"))
	w.happened("deposit 1 of 0: 3.125 confirming at 1002", "deposit 2 of 0: 2 confirming at 1002", "chain 1 at 1002")
	w.grow()
	w.happened("chain 1 at 1003", "deposit 1 of 0: 3.125 uncredited at 1002", "deposit 2 of 0: 2 uncredited at 1002")
	w.refused(because(schema.DepositShallow), creditsTo(1, dora))
	w.grow()
	w.happened("chain 1 at 1004")
	w.grow()
	w.happened("chain 1 at 1005",
		"8 main of 1 by deposit for 0: -3.125 0", "9 main of 1 by deposit for 0: 3.125 0",
		"9 main of 1 by deposit for 0: 0 0", "12 main of 1 by deposit for 0: 3.125 0", "deposit 1 of 12: 3.125 credited at 1002",
		"8 main of 1 by deposit for 0: -5.125 0", "9 main of 1 by deposit for 0: 2 0")
	if got := w.chains.deposit(1); got.Changed != w.time {
		t.Errorf("the deposit changed at %d", got.Changed)
	}
	w.deposit(1, schema.DepositCredited, 1002, "0")
	w.deposit(2, schema.DepositUncredited, 1002, "0")
	w.refused(because(schema.DepositDecided), creditsTo(1, dora))
	w.refused(because(schema.DepositDecided), freezes(1))
	w.holds(schema.Coin{ID: "a", Amount: d("3.125"), Height: 1002, Own: poolAddress}, schema.Coin{ID: "b", Amount: d("2"), Height: 1002, Own: 1})
	w.growBy(97)
	w.happened("chain 1 at 1102")
	if w.chains.deposit(1) != nil {
		t.Error("the deposit is known")
	}
	w.has(miners, "3.125", "0", "0", "0")
}

// TestBlockOfThePoolAtOnce: where one confirmation is enough.
func TestBlockOfThePoolAtOnce(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	w.grow(forPool("a", "3.125"))
	w.happened("deposit 1 of 0: 3.125 confirming at 1002", "chain 1 at 1002", "deposit 1 of 0: 3.125 uncredited at 1002",
		"8 main of 1 by deposit for 0: -3.125 0", "9 main of 1 by deposit for 0: 3.125 0",
		"9 main of 1 by deposit for 0: 0 0", "12 main of 1 by deposit for 0: 3.125 0", "deposit 1 of 12: 3.125 credited at 1002")
}

// TestAddressOfThePool: there is one where there are coins, beside those of payouts, and nowhere else.
func TestAddressOfThePool(t *testing.T) {
	at := func(own schema.OwnAddress, index schema.AddressIndex) schema.Receipt {
		r := forPool("a", "1")
		r.Own, r.Index = own, index
		return r
	}
	w := newChains(t)
	for _, own := range []schema.OwnAddress{ownAhead + 2, poolAddress - 1, poolAddress + 1, coldFirst} {
		w.refused(because(schema.BlockInvalid), w.nextBlock(at(own, 0)))
	}
	w.refused(because(schema.BlockInvalid), w.nextBlock(at(poolAddress, 1)))
	w.grow(at(poolAddress, 0))

	w = newTokens(t)
	w.refused(because(schema.BlockInvalid), w.nextBlock(at(poolAddress, 0)))
	w.grow(at(schema.Hot, 0))

	w = newSandbox(t)
	w.refused(because(schema.BlockInvalid), with(pays(0, "1"), func(p *schema.PaySandbox) { p.Receipt.Own = poolAddress }))
	w.must(pays(0, "1"))
}

// TestBlockOfThePoolInAnotherBlock: it counts from the block in which it is at last, and is credited once.
func TestBlockOfThePoolInAnotherBlock(t *testing.T) {
	w := newChains(t)
	w.grow(forPool("a", "3.125"))
	w.growBy(2)
	w.fall(3)
	w.grow()
	w.grow(forPool("a", "3.125")) // 1003
	w.growBy(2)
	w.deposit(1, schema.DepositUncredited, 1003, "0")
	w.has(miners, "0", "0", "0", "0")
	w.grow()
	w.deposit(1, schema.DepositCredited, 1003, "0")
	w.has(miners, "3.125", "0", "0", "0")
	w.fall(4) // 1002
	w.deposit(1, schema.DepositCredited, 0, "0")
	w.grow(forPool("a", "3.125"))
	w.growBy(3)
	w.happened("chain 1 at 1006")
	w.has(miners, "3.125", "0", "0", "0")
}

// TestBlockOfThePoolIsLostBefore: nobody bears what nobody had, and all of what returns is the pool's.
func TestBlockOfThePoolIsLostBefore(t *testing.T) {
	w := newChains(t)
	w.grow(forPool("a", "3.125"))
	w.growBy(2)
	w.fall(3)   // 1001
	w.growBy(8) // 1009
	w.deposit(1, schema.DepositUncredited, 0, "0")
	w.grow()
	w.happened("chain 1 at 1010", "deposit 1 of 0: 3.125 lost at 0")
	w.grow(forPool("a", "3.125"))
	w.growBy(2)
	w.deposit(2, schema.DepositConfirming, 1011, "0")
	w.grow()
	w.happened("chain 1 at 1014",
		"8 main of 1 by deposit for 0: -3.125 0", "9 main of 1 by deposit for 0: 3.125 0", "deposit 2 of 0: 3.125 uncredited at 1011",
		"9 main of 1 by deposit for 0: 0 0", "12 main of 1 by deposit for 0: 3.125 0", "deposit 2 of 12: 3.125 credited at 1011")
	w.has(miners, "3.125", "0", "0", "0")
	w.has(house, "0", "0", "0", "0")
}

// newOrphan is a world whose house bears 3.125 that were the pool's, at 1011.
func newOrphan(t *testing.T) *chainWorld {
	w := newChains(t)
	w.grow(forPool("a", "3.125"))
	w.growBy(3)
	w.fall(4)   // 1001
	w.growBy(9) // 1010
	w.deposit(1, schema.DepositCredited, 0, "0")
	w.grow()
	w.happened("chain 1 at 1011", "4 main of 1 by reversal for 0: -3.125 0", "8 main of 1 by reversal for 0: 0 0",
		"deposit 1 of 12: 3.125 credited at 0, reversed")
	w.has(miners, "3.125", "0", "0", "0")
	return w
}

// TestBlockOfThePoolIsLostAndReturns: the house has its money first.
func TestBlockOfThePoolIsLostAndReturns(t *testing.T) {
	for amount, want := range map[string][2]string{"3.125": {"3.125", "0"}, "1": {"3.125", "-2.125"}, "5": {"5", "0"}} {
		w := newOrphan(t)
		w.grow(forPool("a", amount))
		w.happened("deposit 2 of 0: "+amount+" confirming at 1012", "chain 1 at 1012")
		w.growBy(2)
		w.has(house, "-3.125", "0", "0", "0")
		w.grow()
		w.deposit(2, schema.DepositCredited, 1012, "0")
		w.has(miners, want[0], "0", "0", "0")
		w.has(house, want[1], "0", "0", "0")
	}
	w := newOrphan(t)
	w.grow(forPool("a", "5"))
	w.growBy(3)
	w.happened("chain 1 at 1015",
		"8 main of 1 by deposit for 0: -5 0", "9 main of 1 by deposit for 0: 5 0", "deposit 2 of 0: 5 uncredited at 1012",
		"9 main of 1 by deposit for 0: 1.875 0", "4 main of 1 by deposit for 0: 0 0",
		"9 main of 1 by deposit for 0: 0 0", "12 main of 1 by deposit for 0: 5 0", "deposit 2 of 12: 5 credited at 1012")
}

// TestBlockOfThePoolReturnsElsewhere: what comes to another of our addresses is nobody's, and the house has nothing of it.
func TestBlockOfThePoolReturnsElsewhere(t *testing.T) {
	w := newOrphan(t)
	w.grow(paid("a", 0, "3.125"))
	w.growBy(3)
	w.deposit(2, schema.DepositUncredited, 1012, "0")
	w.must(creditsTo(2, dora))
	w.has(dora, "3.125", "0", "0", "0")
	w.has(miners, "3.125", "0", "0", "0")
	w.has(house, "-3.125", "0", "0", "0")
}

// TestFrozenBlockOfThePool: before full depth an operator can freeze it, and then it is whose the operator says, but not the pool's.
func TestFrozenBlockOfThePool(t *testing.T) {
	w := newChains(t)
	w.grow(forPool("a", "3.125"), forPool("b", "2"), forPool("c", "1"))
	w.must(freezes(1)) // while it is confirming
	w.grow()
	w.must(freezes(2)) // while it is uncredited
	w.growBy(2)
	w.happened("chain 1 at 1005",
		"8 main of 1 by deposit for 0: -3.125 0", "9 main of 1 by deposit for 0: 3.125 0",
		"8 main of 1 by deposit for 0: -5.125 0", "9 main of 1 by deposit for 0: 5.125 0",
		"8 main of 1 by deposit for 0: -6.125 0", "9 main of 1 by deposit for 0: 6.125 0",
		"9 main of 1 by deposit for 0: 5.125 0", "12 main of 1 by deposit for 0: 1 0", "deposit 3 of 12: 1 credited at 1002")
	w.growBy(100)
	w.deposit(1, schema.DepositFrozen, 1002, "0")
	w.deposit(2, schema.DepositFrozen, 1002, "0")
	w.refused(because(schema.DepositOwner), &schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.refused(because(schema.DepositOwner), creditsTo(1, 0))
	w.refused(because(schema.AccountUnknown), creditsTo(1, miners))
	w.must(creditsTo(1, dora))
	w.happened("9 main of 1 by deposit for 0: 2 0", "104 main of 1 by deposit for 0: 3.125 0", "deposit 1 of 104: 3.125 credited at 1002")
	w.has(miners, "1", "0", "0", "0")
}

// TestFrozenBlockOfThePoolIsLost: frozen nobody had it. Once a customer has it the house bears it, and is paid first when the pool gets it.
func TestFrozenBlockOfThePoolIsLost(t *testing.T) {
	w := newChains(t)
	w.grow(forPool("a", "3.125"), forPool("b", "2"))
	w.must(freezes(1))
	w.must(freezes(2))
	w.growBy(3)
	w.must(creditsTo(1, dora))
	w.fall(4)
	w.growBy(10) // 1011
	w.deposit(1, schema.DepositCredited, 0, "0")
	w.deposit(2, schema.DepositLost, 0, "0")
	w.has(house, "-3.125", "0", "0", "0")
	w.has(suspense, "0", "0", "0", "0")
	w.grow(forPool("a", "4"), forPool("b", "2"))
	w.growBy(3)
	w.has(house, "0", "0", "0", "0")
	w.has(dora, "3.125", "0", "0", "0")
	w.has(miners, "2.875", "0", "0", "0")
}

// TestNoRoomForABlockOfThePool: it stays uncredited, until it has its confirmations again and there is room.
func TestNoRoomForABlockOfThePool(t *testing.T) {
	w := newChains(t)
	room := owedMost.truncate(unit(8)).minus(whole(300)).minus(whole(3))
	w.ledger.move(in(house), in(anna), btc, room, byDeposit)
	w.grow(forPool("a", "3.125"))
	w.growBy(3)
	w.happened("chain 1 at 1005")
	w.deposit(1, schema.DepositUncredited, 1002, "0")
	w.refused(because(schema.DepositShallow), creditsTo(1, dora))
	w.ledger.move(in(anna), in(house), btc, whole(1), byDeposit)
	w.grow()
	w.has(miners, "0", "0", "0", "0")
	w.fall(5)
	w.grow(forPool("a", "3.125"))
	w.growBy(3)
	w.deposit(1, schema.DepositCredited, 1002, "0")
	w.has(miners, "3.125", "0", "0", "0")
}

// TestBlocksOfThePoolArePaidOut: their coins are spent beside others, but not while they are frozen, and no change comes to their address.
func TestBlocksOfThePoolArePaidOut(t *testing.T) {
	w := newChains(t).withCold()
	w.grow(forPool("a", "3.125"), paid("b", 0, "1"))
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("5")})
	w.must(&schema.RequestWithdrawal{Account: anna, Asset: btc, Chain: watched, Amount: d("2"), Pay: true, Address: "out", Unique: "u"})
	pays := func(inputs []string, outputs ...schema.OwnOutput) *schema.PlanPayout {
		p := plans(1, "x", inputs, outputs...)
		p.Withdrawals = []schema.WithdrawalID{1}
		return p
	}
	w.invalid(pays([]string{"a", "b"}, own(poolAddress, "1.125")))
	w.must(pays([]string{"a", "b"}, own(2, "1.125")))
	w.mined(1, 0)
	w.holds(schema.Coin{ID: "x:1", Amount: d("1.125"), Height: 1003, Own: 2})
	w.main(miners, btc, "3.125") // the withdrawal was anna's, and the house paid the miners of the chain
	w.main(house, btc, "-1")

	b := w.nextBlock(forPool("c", "4"), forPool("d", "5"))
	b.Parts = 2
	w.must(b)
	w.must(freezes(4))
	b.Part, b.Receipts = 1, nil
	w.must(b)
	w.tip = point{b.Height, b.Hash}
	w.main(miners, btc, "7.125")
	w.refused(because(schema.CoinUnavailable), plans(2, "y", []string{"d"}, own(3, "4")))
	w.must(plans(2, "y", []string{"c"}, own(coldTwo, "3")))
	w.mined(2, 0)
	w.holds(schema.Coin{ID: "d", Amount: d("5"), Height: 1004, Own: poolAddress}, schema.Coin{ID: "x:1", Amount: d("1.125"), Height: 1003, Own: 2},
		schema.Coin{ID: "y:0", Amount: d("3"), Height: 1005, Own: coldTwo})
	w.must(creditsTo(4, dora))
	w.must(plans(3, "z", []string{"d"}, own(4, "4")))
	w.main(miners, btc, "7.125")
}
