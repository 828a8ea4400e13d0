package naive

import (
	"testing"

	"bourse/internal/schema"
)

// payingSub is the sub-account of newApprovals.
const payingSub = emil + 1

// newApprovals is newPayouts with a sub-account of dora's that has 50 BTC, and withdrawals of which dora confirms.
func newApprovals(t *testing.T) *chainWorld {
	w := newPayouts(t)
	w.must(&schema.SetSub{Master: dora, Alias: "sub", External: "sub", ShareKYC: true})
	w.must(&schema.Deposit{Account: payingSub, Asset: btc, Amount: d("50")})
	w.must(w.sets(dora, func(a *schema.Account) { a.Approvals = true }))
	return w
}

// subAsks is a withdrawal of the sub-account's.
func subAsks(unique, amount string) *schema.RequestWithdrawal {
	return with(asks(unique, amount), func(c *schema.RequestWithdrawal) { c.Account = payingSub })
}

func confirms(id schema.WithdrawalID) *schema.ConfirmWithdrawal {
	return &schema.ConfirmWithdrawal{Master: dora, Withdrawal: id}
}

func TestConfirmWithdrawal(t *testing.T) {
	w := newApprovals(t)
	w.must(asks("own", "1"))
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	got := w.must(subAsks("a", "5"))
	w.happened("106 main of 1 by withdrawal for 0: 45 5", "withdrawal 2 of 106: 5 for 0 unconfirmed at 0")
	if got.Withdrawal.Status != schema.WithdrawalUnconfirmed {
		t.Errorf("the result is %+v", *got.Withdrawal)
	}
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalUnconfirmed, 0)

	w.refused(because(schema.AccountUnknown), &schema.ConfirmWithdrawal{Master: 9, Withdrawal: 2})
	w.refused(because(schema.NoPermission), &schema.ConfirmWithdrawal{Master: anna, Withdrawal: 2})
	w.refused(because(schema.NoPermission), &schema.ConfirmWithdrawal{Master: payingSub, Withdrawal: 2})
	w.must(w.sets(anna, func(a *schema.Account) { a.Approvals = true }))
	w.refused(because(schema.WithdrawalUnknown), &schema.ConfirmWithdrawal{Master: anna, Withdrawal: 2})
	w.refused(because(schema.WithdrawalUnknown), confirms(9))
	w.refused(because(schema.WithdrawalUnknown), confirms(1))
	w.must(w.sets(payingSub, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.AccountBlocked), confirms(2))
	w.must(w.sets(payingSub, func(a *schema.Account) { a.Blocked = false }))
	for _, id := range []schema.AccountID{payingSub, dora} {
		until := w.time/schema.Second + 100
		w.must(w.sets(id, func(a *schema.Account) { a.RestrictedUntil = until*schema.Second + 1 }))
		w.refused(about(schema.Restricted, whole(int64(until)+1)), confirms(2))
		w.withdrawal(2, schema.WithdrawalUnconfirmed, 0)
		w.must(w.sets(id, func(a *schema.Account) { a.RestrictedUntil = 0 }))
	}
	answer := w.must(confirms(2))
	w.happened("withdrawal 2 of 106: 5 for 0 queued at 0")
	if answer.Withdrawal.Status != schema.WithdrawalQueued || answer.Withdrawal.Changed != w.time || answer.Withdrawal.Created == w.time {
		t.Errorf("the result is %+v", *answer.Withdrawal)
	}
	w.refused(because(schema.WithdrawalConfirmed), confirms(2))
	w.must(w.sets(payingSub, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.WithdrawalConfirmed), confirms(2))
}

// TestWhoLetsMoneyOutNeedsTheRight: to withdraw, beside that to confirm; and the master must be one that confirms.
func TestWhoLetsMoneyOutNeedsTheRight(t *testing.T) {
	w := newApprovals(t)
	w.must(subAsks("a", "5"))
	confirm := right("/api/v4/sub-account/withdraw/confirm")
	nonce := uint64(0)
	tries := func(want schema.Reason, urls ...string) {
		t.Helper()
		nonce++
		w.must(&schema.SetKey{Key: schema.Key{Key: "clerk", Account: dora, Sealed: []byte("s"), Enabled: true, URLs: urls}})
		if r := w.from(schema.Origin{Key: w.accounts.public("clerk").ID, Nonce: nonce, Op: confirm.Op}, confirms(1)); r != because(want) {
			t.Errorf("%q: got %q", urls, r.Text())
		}
	}
	tries(schema.KeyNotAllowed, confirm.Path)
	tries(schema.KeyNotAllowed, confirm.Path, "/api/v4/main-account/withdraw-pay")
	w.must(w.sets(dora, func(a *schema.Account) { a.Approvals = false }))
	tries(schema.KeyNotAllowed, confirm.Path)
	tries(schema.NoPermission, confirm.Path, "/api/v4/main-account/withdraw")
	w.refused(because(schema.NoPermission), confirms(1))
	w.must(w.sets(dora, func(a *schema.Account) { a.Approvals = true }))
	w.withdrawal(1, schema.WithdrawalUnconfirmed, 0)
	tries(schema.OK, confirm.Path, "/api/v4/main-account/withdraw")
	w.withdrawal(1, schema.WithdrawalQueued, 0)
}

// TestConfirmedWithdrawalGoesItsWay: to another account at once, and to operators where it is much.
func TestConfirmedWithdrawalGoesItsWay(t *testing.T) {
	w := newApprovals(t)
	w.must(with(subAsks("a", "5"), func(c *schema.RequestWithdrawal) { c.Index = 2 }))
	w.main(emil, btc, "0")
	w.must(confirms(1))
	w.main(emil, btc, "5")
	w.network(func(n *schema.Network) { n.ApproveAbove = d("10") })
	w.must(subAsks("b", "7"))
	w.must(subAsks("c", "7"))
	w.must(confirms(3))
	w.withdrawal(3, schema.WithdrawalQueued, 0)
	w.must(confirms(2))
	w.withdrawal(2, schema.WithdrawalReview, 0)
	if needed := w.chains.withdrawal(2).Needed; needed != 1 {
		t.Errorf("%d operators are needed", needed)
	}
}

// TestUnconfirmedWithdrawalsEnd: a day after they were asked for, when their account is blocked, and when an operator says so.
func TestUnconfirmedWithdrawalsEnd(t *testing.T) {
	w := newApprovals(t)
	w.must(&schema.SetTier{Tier: schema.Tier{Day: d("1000")}})
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	first := w.must(subAsks("a", "5")).Withdrawal
	w.must(subAsks("b", "6"))
	w.must(subAsks("c", "7"))
	if day, _ := w.Leaves(dora); day != d("180") {
		t.Errorf("%s left", day)
	}
	for _, v := range []schema.Verdict{schema.ApproveWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal} {
		w.stays(schema.WithdrawalDecided, "olga", 3, v)
	}
	w.decided("olga", 3, schema.CancelWithdrawal)
	if day, _ := w.Leaves(dora); day != d("110") {
		t.Errorf("%s left", day)
	}
	over := first.Created + 24*hour
	w.timer(over)
	w.Apply(over-1, &schema.Tick{})
	w.withdrawal(1, schema.WithdrawalUnconfirmed, 0)
	w.Apply(over, &schema.Tick{})
	w.happened("106 main of 1 by withdrawal for 0: 44 6", "withdrawal 1 of 106: 5 for 0 canceled at 0")
	w.withdrawal(2, schema.WithdrawalUnconfirmed, 0)
	w.time = over
	w.must(&schema.BlockSub{Master: dora, Sub: payingSub, Blocked: true})
	w.refused(because(schema.WithdrawalUnknown), confirms(2))
	w.main(payingSub, btc, "50")
	w.noTimer()
}

func TestManyUnconfirmedWithdrawalsEnd(t *testing.T) {
	w := newApprovals(t)
	w.must(&schema.SetSub{Master: dora, Alias: "two", External: "two", ShareKYC: true})
	w.must(&schema.Deposit{Account: payingSub + 1, Asset: btc, Amount: d("50")})
	for i := range 1000 {
		w.must(subAsks(string(rune(i+1)), "0.001"))
	}
	w.must(with(subAsks("last", "1"), func(c *schema.RequestWithdrawal) { c.Account = payingSub + 1 }))
	w.refused(about(schema.WithdrawalsTooMany, whole(1000)), subAsks("one more", "1"))
	w.time += 24 * hour
	for _, want := range []int{701, 401, 101, 0} {
		w.tickNow()
		if left := w.Withdrawals(sand); len(left) != want || want > 0 && left[0].ID != schema.WithdrawalID(1002-want) {
			t.Errorf("%d are left, want %d", len(left), want)
		}
	}
}

// TestOtherExitsOfApprovedSubs: money leaves by withdrawals that the master sees, or not at all.
func TestOtherExitsOfApprovedSubs(t *testing.T) {
	w := newApprovals(t)
	exits := []schema.Command{
		&schema.CreateCode{Account: payingSub},
		&schema.RefundDeposit{Account: payingSub},
	}
	for _, c := range exits {
		w.refused(because(schema.SubNotPermitted), c)
	}
	w.must(w.sets(dora, func(a *schema.Account) { a.Approvals = false }))
	w.refused(because(schema.AssetUnknown), exits[0])
	w.refused(because(schema.DepositUnknown), exits[1])
	for _, c := range []schema.Command{
		&schema.RequestInvoice{Account: payingSub}, &schema.RequestExpress{Account: payingSub}, &schema.CheckAddress{Account: payingSub},
		&schema.OpenAddress{Account: payingSub},
	} {
		w.refused(because(schema.SubNotPermitted), c)
	}
	w.must(w.sets(payingSub, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.AccountBlocked), &schema.RequestInvoice{Account: payingSub})
}

// TestFamilyHasOneTier: that of the master, which counts what leaves all of them, and only where both are verified.
func TestFamilyHasOneTier(t *testing.T) {
	w := newApprovals(t)
	w.must(&schema.SetTier{Tier: schema.Tier{Number: 0, Day: d("100")}})
	w.must(&schema.SetTier{Tier: schema.Tier{Number: 2, Day: d("1000")}})
	w.must(&schema.SetTier{Tier: schema.Tier{Number: 3, Day: d("10000")}})
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.must(&schema.SetSub{Master: dora, Alias: "own", External: "own", Email: "e", Active: true})
	const own = payingSub + 1
	w.must(&schema.Deposit{Account: own, Asset: btc, Amount: d("200")})
	ownAsks := func(unique, amount string) schema.Command {
		return with(asks(unique, amount), func(c *schema.RequestWithdrawal) { c.Account = own })
	}
	w.must(w.sets(own, func(a *schema.Account) { a.Tier, a.Verified = 3, true }))
	w.must(asks("a", "4"))
	w.refused(about(schema.DayLimit, whole(60)), ownAsks("b", "7"))
	w.must(w.sets(dora, func(a *schema.Account) { a.Tier, a.Verified = 2, true }))
	w.must(ownAsks("b", "7"))
	w.refused(about(schema.DayLimit, whole(890)), ownAsks("c", "90"))
	w.refused(about(schema.DayLimit, whole(890)), asks("c", "90"))
	w.must(w.sets(own, func(a *schema.Account) { a.Verified = false }))
	w.refused(about(schema.DayLimit, num{}), ownAsks("c", "90"))
	w.must(w.sets(own, func(a *schema.Account) { a.Verified = true }))

	until := (w.time/schema.Second + 100) * schema.Second
	w.must(w.sets(dora, func(a *schema.Account) { a.RestrictedUntil = until }))
	w.refused(about(schema.Restricted, whole(int64(until/schema.Second))), ownAsks("c", "1"))
	w.must(w.sets(own, func(a *schema.Account) { a.RestrictedUntil = until + schema.Second }))
	w.refused(about(schema.Restricted, whole(int64(until/schema.Second)+1)), ownAsks("c", "1"))
	w.must(w.sets(dora, func(a *schema.Account) { a.RestrictedUntil = 0 }))
	w.refused(about(schema.Restricted, whole(int64(until/schema.Second)+1)), ownAsks("c", "1"))
	w.must(asks("c", "1"))
}

// TestFamilyIsApprovedTogether: what left a sub-account without approval counts when its master or another one asks.
func TestFamilyIsApprovedTogether(t *testing.T) {
	w := newApprovals(t)
	w.must(w.sets(dora, func(a *schema.Account) { a.Approvals = false }))
	w.network(func(n *schema.Network) { n.ApproveAbove = d("10") })
	w.must(subAsks("a", "7"))
	w.must(asks("b", "4"))
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.withdrawal(2, schema.WithdrawalReview, 0)
	w.must(&schema.Deposit{Account: emil, Asset: btc, Amount: d("50")})
	w.must(with(asks("c", "4"), func(c *schema.RequestWithdrawal) { c.Account = emil }))
	w.withdrawal(3, schema.WithdrawalQueued, 0)
}

// TestPartnersAndTheirFamilies: a sub-account pays no token of its master, and none unseen by it.
func TestPartnersAndTheirFamilies(t *testing.T) {
	w := newExpress(t)
	sub := schema.AccountID(w.must(child("kid", "first")).ID)
	w.must(&schema.Deposit{Account: sub, Asset: btc, Amount: d("50")})
	w.must(wants(1, "3"))
	w.refused(because(schema.ExpressOwn), &schema.PayExpress{Account: sub, Digest: digest(1)})
	w.must(w.sets(anna, func(a *schema.Account) { a.Approvals = true }))
	w.refused(because(schema.SubNotPermitted), &schema.PayExpress{Account: sub, Digest: digest(1)})
	w.must(w.sets(ben, func(a *schema.Account) { a.Approvals = true }))
	w.must(paysToken(1))
}
