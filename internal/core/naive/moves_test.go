package naive

import (
	"testing"

	"bourse/internal/schema"
)

// moves is a movement between anna and her sub-account.
func moves(toSub bool, amount string) *schema.MoveSub {
	return &schema.MoveSub{Master: anna, Sub: kid, ToSub: toSub, Asset: btc, Amount: d(amount)}
}

func TestMoveSub(t *testing.T) {
	w := newFamily(t)
	w.must(moves(false, "4"))
	w.happened("104 main of 1 by transfer for 0: 6 0", "101 main of 1 by transfer for 0: 4 0", "*schema.SubMoved")
	first := w.last.Events[2].(*schema.SubMoved)
	w.must(moves(true, "1.5"))
	w.happened("101 main of 1 by transfer for 0: 2.5 0", "104 main of 1 by transfer for 0: 7.5 0", "*schema.SubMoved")
	second := w.last.Events[2].(*schema.SubMoved)
	w.must(&schema.Transfer{Account: kid, Asset: btc, Amount: d("1"), From: schema.Main, To: schema.Trade})
	third := w.last.Events[2].(*schema.Transferred)
	if first.ID != 7 || second.ID != 8 || third.ID != 9 || second.Move != *moves(true, "1.5") {
		t.Errorf("%+v, %+v, %+v", first, second, third)
	}
}

// TestMovesAreCheckedInOrder: each command has the fault that is refused, and all that are looked at later.
func TestMovesAreCheckedInOrder(t *testing.T) {
	w := newFamily(t)
	w.must(&schema.SetSub{Master: anna, Alias: "later", External: "later", Email: "e"})
	c := moves(false, "-1")
	c.Master, c.Asset = 100, 9
	w.refused(because(schema.AccountUnknown), c)
	c.Master = ben
	w.refused(because(schema.SubUnknown), c)
	c.Master, c.Sub = anna, kid+1
	w.must(w.sets(kid+1, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.SubNotConfirmed), c)
	c.Sub = kid
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.SubInactive), c)
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = false }))
	w.must(&schema.BlockSub{Master: anna, Sub: kid, Blocked: true})
	w.refused(because(schema.SubInactive), c)
	w.must(&schema.BlockSub{Master: anna, Sub: kid})
	w.refused(because(schema.AssetUnknown), c)
	c.Asset = btc
	w.refused(about(schema.MoveNotPositive, unit(8)), c)
	c.Amount = d("10.000000001")
	w.refused(about(schema.MoveTooPrecise, whole(8)), c)
	w.must(&schema.Deposit{Account: kid, Asset: btc, Amount: d("1"), Held: true})
	c.Amount = d("11.5")
	w.refused(about(schema.WithdrawNotCovered, whole(11)), c)
	c.Amount = d("10.5")
	w.refused(about(schema.MoveHeld, whole(10)), c)
	w.ledger.receive(kid, schema.Owed, usd, whole(1), byReversal)
	c.Amount = d("10")
	w.refused(because(schema.Owing), c)
	w.ledger.receive(kid, schema.Owed, usd, whole(-1), byReversal)
	w.must(c)
}

// TestMoveRepaysWhatTheReceiverOwes: also a sub-account's debt is paid with what its master gives it.
func TestMoveRepaysWhatTheReceiverOwes(t *testing.T) {
	w := newFamily(t)
	w.ledger.receive(anna, schema.Owed, btc, whole(3), byReversal)
	w.must(moves(false, "5"))
	w.main(anna, btc, "2")
	if owed, _, _ := w.Balance(anna, schema.Owed, btc); !owed.IsZero() {
		t.Errorf("anna owes %s", owed)
	}
}

// TestMovesAreNotBounded: neither by tiers nor by a time until which nothing may leave.
func TestMovesAreNotBounded(t *testing.T) {
	w := newFamily(t)
	w.setBTC(func(a *schema.Asset) { a.Codes = true })
	w.must(&schema.SetTier{Tier: schema.Tier{Day: d("0.00000001")}})
	w.must(w.sets(kid, func(a *schema.Account) { a.RestrictedUntil = w.time + hour }))
	w.must(moves(false, "5"))
	w.refused(because(schema.RateUnknown), &schema.CreateCode{
		Account: kid, Asset: btc, Amount: d("1"), Digest: digest(1), Sealed: []byte("s"),
	})
}
