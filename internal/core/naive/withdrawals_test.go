package naive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// newPayouts is a sandbox by which bitcoins can go too: dora has 100 of them, and emil the second address.
func newPayouts(t *testing.T) *chainWorld {
	w := newSandbox(t)
	w.must(&schema.SetAccount{Account: schema.Account{Name: "emil", Region: schema.Global}})
	w.must(&schema.OpenAddress{Account: emil, Chain: sand})
	w.network(func(n *schema.Network) { n.CanWithdraw = true })
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("100")})
	return w
}

// asks is a withdrawal of dora's to an address outside.
func asks(unique, amount string) *schema.RequestWithdrawal {
	return &schema.RequestWithdrawal{Account: dora, Asset: btc, Chain: sand, Amount: d(amount), Address: "r9", Memo: "7", Unique: unique}
}

// sends is one to emil's address.
func sends(unique, amount string) *schema.RequestWithdrawal {
	return with(asks(unique, amount), func(c *schema.RequestWithdrawal) { c.Index = 2 })
}

// decides lets an operator decide about a withdrawal.
func (w *chainWorld) decides(operator string, id schema.WithdrawalID, v schema.Verdict) schema.Rejection {
	return w.from(schema.Origin{Operator: operator}, &schema.DecideWithdrawal{Withdrawal: id, Decision: v})
}

// decided wants the decision to be accepted.
func (w *chainWorld) decided(operator string, id schema.WithdrawalID, v schema.Verdict) {
	w.t.Helper()
	if r := w.decides(operator, id, v); refused(r) {
		w.t.Errorf("%s of %d by %s: %s", v, id, operator, r.Text())
	}
	w.audit()
}

// stays wants it to be refused.
func (w *chainWorld) stays(want schema.Reason, operator string, id schema.WithdrawalID, v schema.Verdict) {
	w.t.Helper()
	if r := w.decides(operator, id, v); r != because(want) {
		w.t.Errorf("%s of %d by %q: got %d %q, want %d", v, id, operator, r.Reason, r.Text(), want)
	}
}

// frozen compares what dora has and what her withdrawals set aside.
func (w *chainWorld) frozen(available, frozen string) {
	w.t.Helper()
	if a, f, _ := w.Balance(dora, schema.Main, btc); a != d(available) || f != d(frozen) {
		w.t.Errorf("dora has %s and %s set aside, want %s and %s", a, f, available, frozen)
	}
	w.audit()
}

// withdrawal compares how far a withdrawal is.
func (w *chainWorld) withdrawal(id schema.WithdrawalID, status schema.WithdrawalStatus, height uint64) {
	w.t.Helper()
	got := w.chains.withdrawal(id)
	if got == nil {
		w.t.Errorf("withdrawal %d is unknown", id)
		return
	}
	if got.Status != status || got.Height != height {
		w.t.Errorf("withdrawal %d is %s at %d, want %s at %d", id, got.Status, got.Height, status, height)
	}
	w.audit()
}

func TestRequestWithdrawal(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("0.5") })
	got := w.must(asks("a", "10"))
	want := schema.Withdrawal{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("9.5"), Fee: d("0.5"), Status: schema.WithdrawalQueued,
		Created: w.time, Changed: w.time, Address: "r9", Memo: "7", Unique: "a",
	}
	if *got.Withdrawal != want || got.ID != 0 {
		t.Errorf("the result is %+v with the id %d", *got.Withdrawal, got.ID)
	}
	w.happened("104 main of 1 by withdrawal for 0: 90 10", "withdrawal 1 of 104: 9.5 for 0.5 queued at 0")
	if e := w.last.Events[1].(*schema.WithdrawalChanged); e.Withdrawal != want {
		t.Errorf("the event is %+v", e.Withdrawal)
	}
	got = w.must(with(asks("b", "10"), func(c *schema.RequestWithdrawal) { c.Pay, c.Memo = true, "" }))
	want.ID, want.Amount, want.Unique, want.Memo, want.Created, want.Changed = 2, d("10"), "b", "", w.time, w.time
	if *got.Withdrawal != want {
		t.Errorf("the result is %+v", *got.Withdrawal)
	}
	w.frozen("79.5", "20.5")
}

// TestRequestsAreCheckedInOrder: each request has the fault that is refused, and all that are looked at later.
func TestRequestsAreCheckedInOrder(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Testnet}})
	w.network(func(n *schema.Network) {
		n.MinWithdraw, n.MaxWithdraw, n.WithdrawFixed = d("1"), d("90"), d("2")
	})
	w.must(asks("used", "5"))
	c := &schema.RequestWithdrawal{Account: schema.House, Asset: 9, Index: 1, Memo: strings.Repeat("m", 256), Amount: d("-1")}
	refuses := func(reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, c)
	}
	refuses(schema.AccountUnknown, "0")
	c.Account = carl
	w.block(carl, "carl")
	refuses(schema.AccountBlocked, "0")
	c.Account = dora
	refuses(schema.AssetUnknown, "0")
	c.Asset, c.Chain = btc, sand
	w.setBTC(func(a *schema.Asset) { a.CanWithdraw, a.Networks = false, []schema.Network{w.net} })
	refuses(schema.WithdrawDisabled, "0")
	w.setBTC(func(a *schema.Asset) {
		a.Networks = []schema.Network{*with(&schema.Network{}, func(n *schema.Network) { *n = w.net; n.CanWithdraw = false })}
	})
	refuses(schema.WithdrawDisabled, "0")
	w.setBTC(func(a *schema.Asset) {
		a.Networks = []schema.Network{w.net, {Name: "manual", CanWithdraw: true, Confirmations: 1, ConfirmationsForTrading: 1}}
	})
	for _, chain := range []schema.ChainID{0, 2, 3} {
		c.Chain = chain
		refuses(schema.WithdrawDisabled, "0")
	}
	c.Chain = sand
	for _, unique := range []string{"", strings.Repeat("u", 1021), "used"} {
		c.Unique = unique
		refuses(schema.UniqueTaken, "0")
	}
	c.Unique = strings.Repeat("u", 1020)
	for _, address := range []string{"", strings.Repeat("a", 129), "a"} {
		c.Address = address
		refuses(schema.WithdrawAddressInvalid, "0")
	}
	c.Address, c.Memo, c.Index = strings.Repeat("a", 128), strings.Repeat("m", 255), 3
	refuses(schema.WithdrawAddressInvalid, "0")
	c.Index = 1
	refuses(schema.WithdrawOwnAddress, "0")
	c.Index = 0
	for _, amount := range []string{"-1", "0"} {
		c.Amount = d(amount)
		refuses(schema.MoveNotPositive, "0.00000001")
	}
	c.Amount = d("0.000000001")
	refuses(schema.WithdrawTooPrecise, "8")
	c.Amount = d("0.99999999")
	refuses(schema.WithdrawBelowMin, "1")
	c.Amount = d("90.00000001")
	refuses(schema.WithdrawAboveMax, "90")
	c.Amount = d("2")
	refuses(schema.WithdrawBelowFee, "2")
	w.must(&schema.Withdraw{Account: dora, Asset: btc, Amount: d("94")}) // 1 is left
	c.Amount = d("2.00000001")
	refuses(schema.WithdrawNotCovered, "1")
	c.Amount, c.Pay = d("1"), true
	refuses(schema.WithdrawNotCovered, "1")
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("2"), Held: true})
	refuses(schema.MoveHeld, "1")
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("2")})
	w.must(c)
	w.frozen("0", "8")
}

// TestLimitsOfAssetAndNetwork: the closer one binds, and one of zero does not.
func TestLimitsOfAssetAndNetwork(t *testing.T) {
	w := newPayouts(t)
	refuses := func(amount string, reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, asks("u", amount))
	}
	set := func(assetMin, assetMax, netMin, netMax string) {
		t.Helper()
		w.net.MinWithdraw, w.net.MaxWithdraw = d(netMin), d(netMax)
		w.setBTC(func(a *schema.Asset) {
			a.MinWithdraw, a.MaxWithdraw, a.Precision, a.Networks = d(assetMin), d(assetMax), 2, []schema.Network{w.net}
		})
	}
	set("2", "20", "1", "30")
	refuses("0", schema.MoveNotPositive, "0.01")
	refuses("1.001", schema.WithdrawTooPrecise, "2")
	refuses("1.99", schema.WithdrawBelowMin, "2")
	refuses("20.01", schema.WithdrawAboveMax, "20")
	set("1", "30", "2", "20")
	refuses("1.99", schema.WithdrawBelowMin, "2")
	refuses("20.01", schema.WithdrawAboveMax, "20")
	set("0", "0", "0", "20")
	refuses("20.01", schema.WithdrawAboveMax, "20")
	set("0", "20", "0", "0")
	refuses("20.01", schema.WithdrawAboveMax, "20")
	w.must(asks("a", "20"))
	w.must(asks("b", "0.01"))
	set("0", "0", "0", "0")
	w.must(asks("c", "79.99"))
	w.frozen("0", "100")
}

// TestWithdrawalFees: a fixed part and a percentage between two bounds, from the amount or on top of it.
func TestWithdrawalFees(t *testing.T) {
	w := newPayouts(t)
	n := 0
	costs := func(amount string, pay bool, net, fee string) {
		t.Helper()
		n++
		got := w.must(with(asks(fmt.Sprint(n), amount), func(c *schema.RequestWithdrawal) { c.Pay = pay })).Withdrawal
		if got.Amount != d(net) || got.Fee != d(fee) {
			t.Errorf("of %s %s arrives for %s, want %s for %s", amount, got.Amount, got.Fee, net, fee)
		}
		gross := got.Amount.Add(got.Fee)
		if _, frozen, _ := w.Balance(dora, schema.Main, btc); frozen != gross {
			t.Errorf("%s is set aside", frozen)
		}
		w.decided("olga", got.ID, schema.CancelWithdrawal)
	}
	costs("10", false, "10", "0")
	costs("100", true, "100", "0")
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.WithdrawPercent = d("0.1"), d("3.3333333333333333") })
	costs("10", false, "9.56666667", "0.43333333") // toward zero
	costs("10", true, "10", "0.43333333")
	w.network(func(n *schema.Network) { n.WithdrawMinFee, n.WithdrawMaxFee = d("0.5"), d("2") })
	costs("10", false, "9.4", "0.6")
	costs("10", true, "10", "0.6")
	costs("90", false, "87.9", "2.1")
	costs("90", true, "90", "2.1")
	costs("30", false, "28.90000001", "1.09999999")
	w.refused(schema.Rejection{Reason: schema.WithdrawBelowFee, Value: d("0.6")}, asks("x", "0.6"))
	costs("0.60000001", false, "0.00000001", "0.6")
	costs("0.00000001", true, "0.00000001", "0.6")
	w.network(func(n *schema.Network) { n.WithdrawMinFee, n.WithdrawMaxFee = d("0"), d("0") })
	costs("96", true, "96", "3.29999999")
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, with(asks("x", "96.8"), func(c *schema.RequestWithdrawal) { c.Pay = true }))
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.WithdrawPercent = d("0"), d("100") })
	w.refused(schema.Rejection{Reason: schema.WithdrawBelowFee, Value: d("10")}, asks("x", "10"))
	costs("50", true, "50", "50")

	// A fee that is no number.
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.WithdrawMinFee = cutMax(8), cutMax(8) })
	w.refused(because(schema.WithdrawBelowFee), asks("x", "10"))
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, with(asks("x", "10"), func(c *schema.RequestWithdrawal) { c.Pay = true }))
	w.network(func(n *schema.Network) { n.WithdrawMinFee, n.WithdrawPercent = d("0"), d("0") })
	w.refused(schema.Rejection{Reason: schema.WithdrawBelowFee, Value: cutMax(8)}, asks("x", "10"))
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, with(asks("x", "10"), func(c *schema.RequestWithdrawal) { c.Pay = true }))
	w.must(sends("y", "10")) // between accounts it is free
}

func TestWithdrawalChargesAreChecked(t *testing.T) {
	w := newPayouts(t)
	wrong := func(change func(*schema.Network)) {
		t.Helper()
		n := w.net
		change(&n)
		a := schema.Asset{Ticker: "BTC", CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{n}}
		w.refused(because(schema.ChargeInvalid), &schema.SetAsset{Asset: a})
	}
	for _, bad := range []string{"-0.1", "0.000000001"} {
		wrong(func(n *schema.Network) { n.WithdrawFixed = d(bad) })
		wrong(func(n *schema.Network) { n.WithdrawMinFee = d(bad) })
		wrong(func(n *schema.Network) { n.WithdrawMaxFee = d(bad) })
		wrong(func(n *schema.Network) { n.ApproveAbove = d(bad) })
		wrong(func(n *schema.Network) { n.Approve2Above = d(bad) })
		wrong(func(n *schema.Network) { n.HourCap = d(bad) })
		wrong(func(n *schema.Network) { n.HotCap = d(bad) })
	}
	for _, bad := range []string{"-0.1", "100.0000000000000001", "0.00000000000000001"} {
		wrong(func(n *schema.Network) { n.WithdrawPercent = d(bad) })
	}
	wrong(func(n *schema.Network) { n.WithdrawMinFee, n.WithdrawMaxFee = d("2"), d("1.99999999") })
	w.network(func(n *schema.Network) {
		n.WithdrawMinFee, n.WithdrawMaxFee, n.WithdrawPercent, n.ApproveAbove, n.Approve2Above = d("2"), d("2"), d("100"), d("3"), d("2")
	})
}

// TestUniqueForEver: of an account, also after the withdrawal is forgotten; what was refused uses nothing up.
func TestUniqueForEver(t *testing.T) {
	w := newPayouts(t)
	taken := because(schema.UniqueTaken)
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, asks("a", "101"))
	w.must(asks("a", "1"))
	w.refused(taken, asks("a", "1"))
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.refused(taken, asks("a", "1"))
	w.must(sends("b", "1"))
	w.refused(taken, sends("b", "1"))
	w.must(asks("c", "1"))
	for range 3 {
		w.must(mines(100))
	}
	if w.chains.withdrawal(3) != nil {
		t.Error("the withdrawal is known")
	}
	w.refused(taken, asks("c", "1"))
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("1")})
	w.must(with(asks("c", "1"), func(c *schema.RequestWithdrawal) { c.Account = anna }))
}

// TestOpenWithdrawalsAreBounded: an account may have a thousand under way.
func TestOpenWithdrawalsAreBounded(t *testing.T) {
	w := newPayouts(t)
	for i := range 1000 {
		w.must(asks(fmt.Sprint(i), "0.1"))
	}
	w.frozen("0", "100")
	full := schema.Rejection{Reason: schema.WithdrawalsTooMany, Value: d("1000")}
	w.refused(full, asks("x", "0.1")) // which is not covered either
	w.refused(full, sends("x", "0.1"))
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.refused(full, asks("x", "0.1"))
	w.must(mines(1)) // mined ones count
	w.refused(full, asks("x", "0.1"))
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.must(asks("x", "0.1"))
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("1")})
	w.refused(full, asks("y", "0.1"))
	w.must(mines(2)) // the first hundred are done
	w.must(asks("y", "0.1"))
}

// TestApprovals: by what left in 24 hours without them, with this one.
func TestApprovals(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.ApproveAbove, n.Approve2Above, n.WithdrawFixed = d("10"), d("20"), d("1") })
	first := w.time + 1
	if got := w.must(asks("a", "6")).Withdrawal; got.Needed != 0 || got.Status != schema.WithdrawalQueued {
		t.Errorf("the first is %+v", got)
	}
	w.timer(first + 24*hour)
	needs := func(unique, amount string, want uint8) schema.WithdrawalID {
		t.Helper()
		got := w.must(asks(unique, amount)).Withdrawal
		if got.Needed != want || (got.Status == schema.WithdrawalReview) != (want > 0) {
			t.Errorf("%s is %s and needs %d, want %d", unique, got.Status, got.Needed, want)
		}
		return got.ID
	}
	needs("b", "4.00000001", 1)
	needs("c", "14.00000001", 2)
	needs("d", "14", 1) // those that wait do not count
	w.decided("olga", 2, schema.ApproveWithdrawal)
	w.happened("withdrawal 2 of 104: 3.00000001 for 1 queued at 0", "*schema.AuditRecord")
	needs("e", "4", 0) // neither do those that were approved
	w.decided("olga", 1, schema.CancelWithdrawal)
	needs("f", "1.00000001", 1) // but those that were canceled do

	// Other accounts and assets count for themselves, chains do not.
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("10")})
	if got := w.must(with(asks("a", "10"), func(c *schema.RequestWithdrawal) { c.Account = anna })).Withdrawal; got.Needed != 0 {
		t.Errorf("anna's is %+v", got)
	}

	// A day later the first does not count any more, but only after a tick.
	w.time = first + 24*hour - 2
	w.tickNow()
	needs("g", "6", 1)
	w.timer(first + 24*hour)
	w.network(func(n *schema.Network) { n.Approve2Above = d("9") }) // also where it is below the other
	needs("h", "6", 2)
	w.network(func(n *schema.Network) { n.Approve2Above = d("0") })
	w.time = first + 24*hour - 1
	w.tickNow()
	needs("i", "6", 0)
	// What leaves where no approval is ever needed does not count.
	w.network(func(n *schema.Network) { n.ApproveAbove = d("0") })
	needs("j", "40", 0)
	w.network(func(n *schema.Network) { n.ApproveAbove = d("12") })
	needs("k", "2", 0)
	needs("l", "1.00000001", 1)
}

// TestExitsLeaveTheListByTicks: a thousand at once, the first first.
func TestExitsLeaveTheListByTicks(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("10000")})
	w.network(func(n *schema.Network) { n.Approve2Above = d("2000") })
	for i := range 1005 {
		w.must(sends(fmt.Sprint(i), "1"))
	}
	last := w.time
	w.network(func(n *schema.Network) { n.ApproveAbove = d("5") })
	w.time += 25 * hour
	w.tickNow()
	w.timer(last - 4 + 24*hour)
	if got := w.must(asks("x", "0.00000001")).Withdrawal; got.Needed != 1 {
		t.Errorf("it is %+v", got)
	}
	w.tickNow()
	w.noTimer()
	if got := w.must(asks("y", "5")).Withdrawal; got.Needed != 0 {
		t.Errorf("it is %+v", got)
	}
}

// TestExitsThatAreNoNumber: the sum of what left is above every bound.
func TestExitsThatAreNoNumber(t *testing.T) {
	w := newPayouts(t)
	most := owedMost.minus(whole(1000)).truncate(unit(8)).decimal()
	w.network(func(n *schema.Network) { n.ApproveAbove = cutMax(8) })
	for i := range 2 { // half of the greatest number, twice there and back
		w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: most})
		got := w.must(with(sends(fmt.Sprint(i), "1"), func(c *schema.RequestWithdrawal) { c.Account, c.Amount = anna, most })).Withdrawal
		if got.Needed != 0 || got.Status != schema.WithdrawalDone {
			t.Errorf("it is %+v", got)
		}
		w.must(&schema.Withdraw{Account: emil, Asset: btc, Amount: most})
	}
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("1000")})
	out := with(sends("x", "1000"), func(c *schema.RequestWithdrawal) { c.Account, c.Amount = anna, d("1000") })
	if got := w.must(out).Withdrawal; got.Needed != 0 {
		t.Errorf("it is %+v", got)
	}
	w.must(&schema.Withdraw{Account: emil, Asset: btc, Amount: d("1000")})
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: most})
	out = with(sends("y", "1"), func(c *schema.RequestWithdrawal) { c.Account, c.Amount = anna, most })
	if got := w.must(out).Withdrawal; got.Needed != 1 {
		t.Errorf("it is %+v", got)
	}
	w.network(func(n *schema.Network) { n.Approve2Above = cutMax(8) })
	w.decided("olga", 4, schema.CancelWithdrawal)
	out.Unique = "z"
	if got := w.must(out).Withdrawal; got.Needed != 2 {
		t.Errorf("it is %+v", got)
	}
}

// TestDecideWithdrawal: what can be decided about a withdrawal in each state.
func TestDecideWithdrawal(t *testing.T) {
	w := newPayouts(t)
	w.stays(schema.OperatorMissing, "", 1, schema.ApproveWithdrawal)
	w.stays(schema.WithdrawalUnknown, "olga", 0, schema.ApproveWithdrawal)
	w.stays(schema.WithdrawalUnknown, "olga", 1, 9)
	all := []schema.Verdict{0, schema.ApproveWithdrawal, schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal, 6}
	only := func(id schema.WithdrawalID, possible ...schema.Verdict) {
		t.Helper()
		for _, v := range all {
			if !slices.Contains(possible, v) {
				w.stays(schema.WithdrawalDecided, "olga", id, v)
			}
		}
	}
	w.must(asks("a", "10"))
	created := w.time
	only(1, schema.CancelWithdrawal, schema.FreezeWithdrawal) // queued
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.happened("withdrawal 1 of 104: 10 for 0 frozen at 0", "*schema.AuditRecord")
	if got := w.chains.withdrawal(1); got.Created != created || got.Changed != w.time {
		t.Errorf("it is %+v", got)
	}
	only(1, schema.CancelWithdrawal, schema.ReleaseWithdrawal)
	w.must(mines(1))
	w.withdrawal(1, schema.WithdrawalFrozen, 0)
	w.decided("olga", 1, schema.ReleaseWithdrawal)
	w.happened("withdrawal 1 of 104: 10 for 0 review at 0", "*schema.AuditRecord")
	if got := w.chains.withdrawal(1); got.Needed != 1 || got.Approver != "" || got.Changed != w.time {
		t.Errorf("it is %+v", got)
	}
	only(1, schema.ApproveWithdrawal, schema.CancelWithdrawal, schema.FreezeWithdrawal)
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.decided("olga", 1, schema.ReleaseWithdrawal)
	w.decided("olga", 1, schema.ApproveWithdrawal)
	if got := w.chains.withdrawal(1); got.Needed != 0 || got.Approver != "" || got.Status != schema.WithdrawalQueued || got.Changed != w.time {
		t.Errorf("it is %+v", got)
	}
	w.must(mines(1))
	w.withdrawal(1, schema.WithdrawalMined, 2)
	only(1)
	w.must(mines(2))
	w.withdrawal(1, schema.WithdrawalDone, 2)
	only(1)
	w.frozen("90", "0")

	w.must(asks("b", "20"))
	w.decided("olga", 2, schema.CancelWithdrawal)
	w.happened("104 main of 1 by withdrawal for 0: 90 0", "withdrawal 2 of 104: 20 for 0 canceled at 0", "*schema.AuditRecord")
	w.stays(schema.WithdrawalUnknown, "olga", 2, schema.CancelWithdrawal)
	w.must(sends("c", "20"))
	w.stays(schema.WithdrawalUnknown, "olga", 3, schema.CancelWithdrawal)
}

// signs lets an operator decide with a signature.
func (w *chainWorld) signs(operator string, id schema.WithdrawalID, v schema.Verdict, signature string) schema.Reason {
	w.t.Helper()
	r := w.from(schema.Origin{Operator: operator}, &schema.DecideWithdrawal{Withdrawal: id, Decision: v, Signature: []byte(signature)})
	w.audit()
	return r.Reason
}

// signed compares who signed a withdrawal, and with what it begins, the oldest first.
func (w *chainWorld) signed(id schema.WithdrawalID, want string) {
	w.t.Helper()
	var got []string
	for _, s := range w.chains.withdrawal(id).signed {
		got = append(got, s.Operator+" "+string(s.Bytes[:1]))
	}
	if strings.Join(got, ", ") != want {
		w.t.Errorf("withdrawal %d is signed by %q, want %q", id, got, want)
	}
}

// TestSignatures: an approval may have one, and nothing but a signature must; the last of each operator is kept, and those of three.
func TestSignatures(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.Approve2Above = d("1") })
	w.must(asks("a", "10"))
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	for _, c := range []struct {
		v    schema.Verdict
		with string
	}{
		{schema.SignWithdrawal, ""},
		{schema.SignWithdrawal, one[1:]},
		{schema.SignWithdrawal, one + "1"},
		{schema.ApproveWithdrawal, "1"},
		{schema.ApproveWithdrawal, one + "1"},
		{schema.CancelWithdrawal, one},
		{schema.FreezeWithdrawal, one},
		{schema.ReleaseWithdrawal, one},
		{0, one},
		{6, one},
	} {
		if r := w.signs("olga", 1, c.v, c.with); r != schema.SignatureInvalid {
			t.Errorf("%s with %d bytes: %d", c.v, len(c.with), r)
		}
	}
	does := func(want schema.Reason, operator string, v schema.Verdict, with string) {
		t.Helper()
		if r := w.signs(operator, 1, v, with); r != want {
			t.Errorf("%s by %s: %d, want %d", v, operator, r, want)
		}
	}
	does(schema.OperatorMissing, "", schema.SignWithdrawal, one)
	does(schema.OK, "olga", schema.ApproveWithdrawal, one)
	does(schema.ApprovedBefore, "olga", schema.ApproveWithdrawal, two)
	w.signed(1, "olga 1")
	does(schema.OK, "otto", schema.SignWithdrawal, one)
	w.happened("*schema.AuditRecord")
	does(schema.OK, "olga", schema.SignWithdrawal, two)
	w.signed(1, "otto 1, olga 2")
	does(schema.OK, "oscar", schema.ApproveWithdrawal, "")
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.signed(1, "otto 1, olga 2")
	does(schema.OK, "oscar", schema.SignWithdrawal, one)
	does(schema.OK, "ann", schema.SignWithdrawal, one)
	w.signed(1, "olga 2, oscar 1, ann 1")
	does(schema.OK, "olga", schema.FreezeWithdrawal, "")
	does(schema.WithdrawalDecided, "olga", schema.SignWithdrawal, one)
	does(schema.OK, "olga", schema.ReleaseWithdrawal, "")
	w.signed(1, "olga 2, oscar 1, ann 1") // they are of the same withdrawal
	does(schema.OK, "oscar", schema.ApproveWithdrawal, "")
	w.must(mines(1))
	w.withdrawal(1, schema.WithdrawalMined, 1)
	does(schema.WithdrawalDecided, "olga", schema.SignWithdrawal, one)
	if got := w.chains.withdrawal(1).signed; len(got) != 3 {
		t.Errorf("%d signatures are left", len(got))
	}
	if r := w.signs("olga", 2, schema.SignWithdrawal, one); r != schema.WithdrawalUnknown {
		t.Errorf("one that nobody asked for: %d", r)
	}
}

// TestTwoOperatorsApprove: who are not the same.
func TestTwoOperatorsApprove(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.Approve2Above = d("1") })
	w.must(asks("a", "10"))
	created := w.time
	w.decided("olga", 1, schema.ApproveWithdrawal)
	w.happened("withdrawal 1 of 104: 10 for 0 review at 0", "*schema.AuditRecord")
	if got := w.chains.withdrawal(1); got.Needed != 1 || got.Approver != "olga" || got.Changed != created {
		t.Errorf("it is %+v", got)
	}
	w.stays(schema.ApprovedBefore, "olga", 1, schema.ApproveWithdrawal)
	w.stays(schema.WithdrawalDecided, "olga", 1, schema.ReleaseWithdrawal)
	w.decided("oscar", 1, schema.ApproveWithdrawal)
	if got := w.chains.withdrawal(1); got.Needed != 0 || got.Approver != "olga" || got.Status != schema.WithdrawalQueued || got.Changed != w.time {
		t.Errorf("it is %+v", got)
	}
	// One that was held back is approved from the beginning, as often as was still needed.
	w.must(asks("b", "10"))
	w.decided("olga", 2, schema.FreezeWithdrawal)
	w.decided("olga", 2, schema.ReleaseWithdrawal)
	if got := w.chains.withdrawal(2); got.Needed != 2 {
		t.Errorf("it is %+v", got)
	}
	w.decided("olga", 2, schema.ApproveWithdrawal)
	w.decided("olga", 2, schema.FreezeWithdrawal)
	if got := w.chains.withdrawal(2); got.Needed != 1 || got.Approver != "olga" {
		t.Errorf("it is %+v", got)
	}
	w.decided("olga", 2, schema.ReleaseWithdrawal)
	if got := w.chains.withdrawal(2); got.Needed != 1 || got.Approver != "olga" {
		t.Errorf("it is %+v", got)
	}
	w.decided("otto", 2, schema.ApproveWithdrawal)
	w.withdrawal(2, schema.WithdrawalQueued, 0)
}

// TestDelivery: to the address of another customer it is there at once, and costs nothing.
func TestDelivery(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed, n.ApproveAbove = d("1"), d("30") })
	w.must(pays(2, "1"))
	w.must(mines(1)) // deposit 1
	got := w.must(with(sends("a", "30"), func(c *schema.RequestWithdrawal) { c.Pay = true }))
	want := schema.Withdrawal{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("30"), Status: schema.WithdrawalDone, To: emil,
		Created: w.time, Changed: w.time, Address: "r9", Memo: "7", Unique: "a",
	}
	if *got.Withdrawal != want {
		t.Errorf("the result is %+v", *got.Withdrawal)
	}
	w.happened("104 main of 1 by withdrawal for 0: 70 30", "withdrawal 1 of 104: 30 for 0 queued at 0",
		"104 main of 1 by withdrawal for 0: 70 0", "105 main of 1 by withdrawal for 0: 30 0", "withdrawal 1 of 104: 30 for 0 done at 0",
		"deposit 2 of 105: 30 credited at 0")
	deposit := schema.ChainDeposit{
		ID: 2, Account: emil, Chain: sand, Asset: btc, Amount: d("30"), Status: schema.DepositCredited, Created: w.time, Changed: w.time,
		Address: "r9", Memo: "7", From: dora,
	}
	if e := w.last.Events[5].(*schema.ChainDepositChanged); e.Deposit != deposit {
		t.Errorf("the event is %+v", e.Deposit)
	}
	w.has(emil, "30", "0", "0", "0")
	w.frozen("70", "0")
	w.refused(because(schema.DepositUnknown), &schema.DecideDeposit{Deposit: 2, Decision: schema.FreezeDeposit})
	if coins := w.Coins(sand, btc); coins != d("1") {
		t.Errorf("%s is in blocks", coins)
	}

	// One that needs approval is delivered when it has it.
	got = w.must(sends("b", "1"))
	if got.Withdrawal.Status != schema.WithdrawalReview || got.Withdrawal.To != emil {
		t.Errorf("the result is %+v", *got.Withdrawal)
	}
	w.must(pays(2, "2"))
	w.must(mines(1)) // deposit 3
	w.withdrawal(2, schema.WithdrawalReview, 0)
	w.decided("olga", 2, schema.ApproveWithdrawal)
	w.happened("withdrawal 2 of 104: 1 for 0 queued at 0", "104 main of 1 by withdrawal for 0: 69 0", "105 main of 1 by withdrawal for 0: 32 0",
		"withdrawal 2 of 104: 1 for 0 done at 0", "deposit 4 of 105: 1 credited at 0", "*schema.AuditRecord")
	if w.last.Result.Withdrawal != nil {
		t.Error("a decision has no withdrawal as its result")
	}
	w.deposit(3, schema.DepositConfirming, 2, "0")
}

// TestDeliveryPaysWhatIsOwed: the receiver's debt first.
func TestDeliveryPaysWhatIsOwed(t *testing.T) {
	w := newOwing(t)
	w.network(func(n *schema.Network) { n.CanWithdraw = true })
	w.must(&schema.Deposit{Account: emil, Asset: btc, Amount: d("10")})
	w.must(&schema.RequestWithdrawal{Account: emil, Asset: btc, Chain: watched, Amount: d("4"), Address: "bc1", Index: 1, Unique: "a"})
	w.happened("105 main of 1 by withdrawal for 0: 6 4", "withdrawal 1 of 105: 4 for 0 queued at 0",
		"105 main of 1 by withdrawal for 0: 6 0", "104 main of 1 by withdrawal for 0: 4 0", "withdrawal 1 of 105: 4 for 0 done at 0",
		"deposit 2 of 104: 4 credited at 0",
		"104 main of 1 by reversal for 0: 0 0", "4 main of 1 by reversal for 0: -2 0",
		"104 owed of 1 by reversal for 0: 2 0", "4 owed of 1 by reversal for 0: -2 0")
	w.paysBack("0", "2")
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("1")})
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("1"), Held: true})
	out := &schema.RequestWithdrawal{Account: dora, Asset: btc, Chain: watched, Amount: d("1"), Address: "bc1", Unique: "a"}
	w.refused(because(schema.MoveHeld), out)
	w.must(&schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("1.5")})
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("1")})
	w.paysBack("0.5", "0")
	w.must(with(out, func(c *schema.RequestWithdrawal) { c.Amount = d("0.5") }))
}

// TestOwingStopsWithdrawals: it is looked at last.
func TestOwingStopsWithdrawals(t *testing.T) {
	w := newOwing(t)
	other := schema.ChainID(w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1}}).ID)
	w.must(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "LTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8,
		Networks: []schema.Network{*with(&schema.Network{}, func(n *schema.Network) { *n = w.net; n.CanWithdraw, n.Chain = true, other })},
	}})
	w.must(&schema.Deposit{Account: dora, Asset: 3, Amount: d("1")})
	out := &schema.RequestWithdrawal{Account: dora, Asset: 3, Chain: other, Amount: d("1.1"), Address: "bc1", Unique: "a"}
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("1")}, out)
	out.Amount = d("1")
	w.refused(because(schema.Owing), out)
	w.must(&schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("6")})
	w.must(out)
	// Chains that are watched pay nothing: it waits, and can be canceled.
	w.growBy(5)
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.main(dora, 3, "1")
}

// TestWhatIsOnItsWayOutIsNotOwned: nothing is left for what is held elsewhere.
func TestWhatIsOnItsWayOutIsNotOwned(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("500"), Held: true})
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("500"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Sell, "50", "10"))
	w.place(dora, limit(schema.Buy, "50", "10")) // 49.9 bitcoins, and 100 in main
	w.place(dora, limit(schema.Sell, "9.9", "90"))
	held := func(free string) schema.Rejection { return schema.Rejection{Reason: schema.MoveHeld, Value: d(free)} }
	w.refused(held("99.9"), asks("a", "99.90000001"))
	w.must(asks("a", "60"))
	w.refused(held("39.9"), asks("b", "40"))
	w.refused(held("39.9"), &schema.Withdraw{Account: dora, Asset: btc, Amount: d("39.90000001")})
	w.must(sends("b", "39.9"))
	w.refused(held("0"), asks("c", "0.00000001"))
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: usd, Amount: d("500")})
	w.must(asks("c", "0.1"))
	w.frozen("0", "60.1")
}

// TestWhatIsOnItsWayOutCoversNothingHeld: bitcoins that leave are not those that are held.
func TestWhatIsOnItsWayOutCoversNothingHeld(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.must(asks("a", "60"))
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("10"), Held: true})
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("50"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Buy, "50", "10"))
	w.place(dora, limit(schema.Sell, "50", "10"))
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("499"), From: schema.Trade, To: schema.Main})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("399")}, &schema.Withdraw{Account: dora, Asset: usd, Amount: d("399.01")})
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.must(&schema.Withdraw{Account: dora, Asset: usd, Amount: d("499")})
}
