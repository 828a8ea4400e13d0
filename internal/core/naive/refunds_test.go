package naive

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// newRefunds is a world where dora's first deposit, of 5 BTC, was not accepted and is in Suspense. A withdrawal costs 0.5.
func newRefunds(t *testing.T) *chainWorld {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("0.5") })
	w.must(pays(1, "5"))
	w.must(mines(1))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.must(mines(2)) // height 3
	return w
}

func refunds() *schema.RefundDeposit {
	return &schema.RefundDeposit{Account: dora, Deposit: 1, Address: "r9", Memo: "7"}
}

// system compares what Suspense, Custody, House and Fees have of bitcoins.
func (w *chainWorld) system(inSuspense, inCustody, inHouse, inFees string) {
	w.t.Helper()
	w.main(suspense, btc, inSuspense)
	w.main(custody, btc, inCustody)
	w.main(house, btc, inHouse)
	w.main(schema.Fees, btc, inFees)
	w.audit()
}

func TestRefund(t *testing.T) {
	w := newRefunds(t)
	w.system("5", "-5", "0", "0")
	got := w.must(refunds())
	want := schema.Withdrawal{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("4.5"), Fee: d("0.5"), Status: schema.WithdrawalQueued,
		Created: w.time, Changed: w.time, Address: "r9", Memo: "7", Refund: 1, Deposited: got.Withdrawal.Deposited,
	}
	if *got.Withdrawal != want || got.ID != 0 {
		t.Errorf("the result is %+v with the id %d", *got.Withdrawal, got.ID)
	}
	w.happened("withdrawal 1 of 104: 4.5 for 0.5 queued at 0")
	if e := w.last.Events[0].(*schema.WithdrawalChanged); e.Withdrawal != want {
		t.Errorf("the event is %+v", e.Withdrawal)
	}
	w.frozen("100", "0")
	w.refused(because(schema.NotRefundable), refunds())
	w.must(mines(1))
	w.happened("withdrawal 1 of 104: 4.5 for 0.5 mined at 4", "chain 1 at 4")
	w.coins("0.5")
	w.system("5", "-5", "0", "0")
	w.must(mines(2))
	w.happened("chain 1 at 5", "chain 1 at 6", "9 main of 1 by withdrawal for 0: 0.5 0", "8 main of 1 by withdrawal for 0: -0.5 0",
		"9 main of 1 by withdrawal for 0: 0 0", "2 main of 1 by withdrawal for 0: 0.5 0", "withdrawal 1 of 104: 4.5 for 0.5 done at 4")
	w.system("0", "-0.5", "0", "0.5")
	w.frozen("100", "0")
	w.deposit(1, schema.DepositCanceled, 1, "0")
	w.noTimer()

	// It is refunded for good, also when the refund is forgotten.
	w.refused(because(schema.NotRefundable), refunds())
	w.must(mines(100))
	w.must(mines(100))
	if w.chains.withdrawal(1) != nil {
		t.Error("the refund is known")
	}
	w.refused(because(schema.NotRefundable), refunds())
	w.refused(because(schema.DepositDecided), &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	w.system("0", "-0.5", "0", "0.5")
}

// TestRefundsAreCheckedInOrder: each command has the fault that is refused, and all that are looked at later.
func TestRefundsAreCheckedInOrder(t *testing.T) {
	w := newPayouts(t)
	w.must(pays(1, "5"))
	w.must(mines(1))
	c := &schema.RefundDeposit{Account: schema.House, Deposit: 9, Index: 1}
	refuses := func(reason schema.Reason) {
		t.Helper()
		w.refused(because(reason), c)
	}
	refuses(schema.AccountUnknown)
	w.block(carl, "carl")
	c.Account = carl
	refuses(schema.AccountBlocked)
	c.Account = dora
	refuses(schema.DepositUnknown)
	c.Account, c.Deposit = emil, 1
	refuses(schema.DepositUnknown)
	c.Account = dora
	refuses(schema.NotRefundable) // it is not canceled
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.must(mines(1))
	refuses(schema.NotRefundable) // it is not in Suspense
	w.must(mines(1))
	w.must(reorgs(3))
	w.chains.deposits[0].Height = 0
	refuses(schema.NotRefundable) // it is in no block
	w.chains.deposits[0].Height = 1
	w.setBTC(func(a *schema.Asset) { a.Networks = nil })
	refuses(schema.NotRefundable)
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.CanWithdraw = d("5"), false })
	for _, address := range []string{"", strings.Repeat("a", 129), "a"} {
		c.Address = address
		refuses(schema.WithdrawAddressInvalid)
	}
	c.Index, c.Memo = 0, strings.Repeat("m", 256)
	refuses(schema.WithdrawAddressInvalid)
	c.Memo, c.Address = strings.Repeat("m", 255), strings.Repeat("a", 128)
	refuses(schema.NotRefundable)
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.WithdrawMinFee = cutMax(8), cutMax(8) })
	refuses(schema.NotRefundable)
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.WithdrawMinFee = d("4.99999999"), d("0") })
	if got := w.must(c).Withdrawal; got.Amount != d("0.00000001") {
		t.Errorf("the refund is %+v", got)
	}
}

// TestNothingBoundsRefunds: no tier, no restriction, no sums of an hour or a day; they are no withdrawals of the account.
func TestNothingBoundsRefunds(t *testing.T) {
	w := newRefunds(t)
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.tier(0, "1", "1")
	w.network(func(n *schema.Network) { n.ApproveAbove, n.Approve2Above, n.HourCap = d("3"), d("4"), d("3") })
	w.isDora(func(a *schema.Account) { a.RestrictedUntil = 9 * hour })
	if got := w.must(refunds()).Withdrawal; got.Needed != 0 || got.Status != schema.WithdrawalQueued {
		t.Errorf("the refund is %+v", got)
	}
	w.left("0", "0")
	if n := w.chains.underWay(dora); n != 0 {
		t.Errorf("%d withdrawals are under way", n)
	}
	w.isDora(func(*schema.Account) {})
	w.tier(0, "0", "0")
	if got := w.must(asks("a", "3")).Withdrawal; got.Needed != 0 {
		t.Errorf("the withdrawal is %+v", got)
	}
}

// TestOperatorsDecideAboutRefunds: what is canceled can be refunded again.
func TestOperatorsDecideAboutRefunds(t *testing.T) {
	w := newRefunds(t)
	w.must(refunds())
	w.isDora(func(a *schema.Account) { a.Blocked = true })
	w.must(mines(1))
	w.happened("withdrawal 1 of 104: 4.5 for 0.5 review at 0", "chain 1 at 4")
	w.isDora(func(*schema.Account) {})
	w.refused(because(schema.NotRefundable), refunds())
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.must(mines(1))
	w.withdrawal(1, schema.WithdrawalFrozen, 0)
	w.decided("olga", 1, schema.ReleaseWithdrawal)
	w.decided("olga", 1, schema.ApproveWithdrawal)
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.decided("oscar", 1, schema.CancelWithdrawal)
	w.happened("withdrawal 1 of 104: 4.5 for 0.5 canceled at 0", "*schema.AuditRecord")
	w.system("5", "-5", "0", "0")
	w.frozen("100", "0")
	if got := w.must(refunds()).Withdrawal; got.ID != 2 {
		t.Errorf("the refund is %+v", got)
	}
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalMined, 6)
	w.stays(schema.WithdrawalDecided, "olga", 2, schema.CancelWithdrawal)
}

// TestRefundOfARewoundDeposit: one that was not sent is canceled, and the deposit can be refunded when it is in a block again.
func TestRefundOfARewoundDeposit(t *testing.T) {
	w := newRefunds(t)
	w.must(refunds())
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 3})
	w.happened("chain 1 at 0", "deposit 1 of 104: 5 canceled at 0", "withdrawal 1 of 104: 4.5 for 0.5 canceled at 0",
		"deposit 1 of 104: 5 canceled at 1", "chain 1 at 1", "chain 1 at 2", "chain 1 at 3", "chain 1 at 4")
	w.system("5", "-5", "0", "0")
	w.must(refunds())
	w.must(mines(1)) // 5
	w.withdrawal(2, schema.WithdrawalMined, 5)
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 5})
	w.withdrawal(2, schema.WithdrawalDone, 1) // the first block pays it again, and the deposit returns
	w.deposit(1, schema.DepositCanceled, 1, "0")
	w.system("0", "-0.5", "0", "0.5")
	w.must(mines(1))
	w.system("0", "-0.5", "0", "0.5") // it is not given to Suspense again
}

// TestLostDepositThatWasRefunded: the house bears it, and has first claim on the receipt when it returns.
func TestLostDepositThatWasRefunded(t *testing.T) {
	for _, done := range []bool{false, true} {
		w := newRefunds(t)
		w.must(refunds())
		if done {
			w.must(mines(3))
		} else {
			w.network(func(n *schema.Network) { n.Confirmations = 50 })
			w.must(mines(1))
		}
		w.must(&schema.ReorgSandbox{Chain: sand, Depth: uint32(w.chains.all[0].height()), Drop: schema.SandboxReceipt("SAND", 1)})
		w.must(mines(60))
		w.deposit(1, schema.DepositLost, 0, "0")
		w.withdrawal(1, schema.WithdrawalDone, 1)
		w.system("0", "4.5", "-5", "0.5")
		w.refused(because(schema.NotRefundable), refunds())
		w.frozen("100", "0")
	}
}

// TestLostWhileItsRefundIsSent: Suspense keeps what the refund needs.
func TestLostWhileItsRefundIsSent(t *testing.T) {
	w := newRefunds(t)
	w.must(refunds())
	w.must(mines(1))
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Stuck: true}})
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 4, DropAll: true})
	w.must(mines(20))
	w.deposit(1, schema.DepositLost, 0, "0")
	w.withdrawal(1, schema.WithdrawalSent, 0)
	w.system("5", "0", "-5", "0")
	w.setSandbox(0, false)
	w.must(mines(3))
	w.system("0", "4.5", "-5", "0.5")
}

// TestReceiptOfARefundReturns: what the house carries is paid first, the rest is the account's.
func TestReceiptOfARefundReturns(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("0.5") })
	w.grow(paid("a", 1, "5"))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.growBy(3)
	w.must(&schema.RefundDeposit{Account: dora, Deposit: 1, Address: "outside"})
	refund := w.chains.withdrawals[0]
	w.chains.turnTo(refund, schema.WithdrawalSent) // as a chain with a driver will
	refund.line = 1
	w.fall(4)
	w.growBy(10)
	w.deposit(1, schema.DepositLost, 0, "0")
	w.happened("chain 1 at 1011", "4 main of 1 by reversal for 0: -5 0", "8 main of 1 by reversal for 0: 0 0", "deposit 1 of 104: 5 lost at 0")
	w.grow(paid("a", 1, "7"))
	w.growBy(3)
	w.happened("chain 1 at 1015", "8 main of 1 by deposit for 0: -5 0", "4 main of 1 by deposit for 0: 0 0",
		"8 main of 1 by deposit for 0: -6.9 0", "104 main of 1 by deposit for 0: 1.9 0",
		"8 main of 1 by deposit for 0: -7 0", "2 main of 1 by deposit for 0: 0.1 0", "deposit 2 of 104: 7 credited at 1012")
	w.system("5", "-7", "0", "0.1")
}

// TestStuckSandbox: its blocks pay nothing out, and send nothing back to operators.
func TestStuckSandbox(t *testing.T) {
	w := newPayouts(t)
	stuck := schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Stuck: true, Interval: schema.Second}
	w.must(&schema.SetChain{Chain: stuck})
	if got := w.Chains()[0]; !got.Stuck {
		t.Errorf("the chain is %+v", got)
	}
	w.must(asks("a", "1"))
	w.timer(w.time + schema.Second) // its blocks go on
	w.must(pays(1, "2"))
	w.isDora(func(a *schema.Account) { a.Blocked = true })
	w.must(mines(1))
	w.happened("deposit 1 of 104: 2 confirming at 1", "chain 1 at 1")
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	stuck.Stuck = false
	w.must(&schema.SetChain{Chain: stuck})
	w.must(mines(1))
	w.withdrawal(1, schema.WithdrawalReview, 0)
	for _, driven := range []schema.Chain{
		{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Testnet, Stuck: true},
		{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Testnet, Stuck: true},
	} {
		w.refused(because(schema.ChainInvalid), &schema.SetChain{Chain: driven})
	}
}
