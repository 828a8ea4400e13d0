package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// TestLeavingWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers to the commands of worldLeaving
// that a few hundred worlds must see, and what must become of checks and refunds there.
func TestLeavingWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(400) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := newborn(r)
		if w.leaving == nil {
			w.wantLeaving(r)
		}
		if chance(r, 4) != 0 {
			w.wantChains(r)
		}
		w.oracle = naive.New()
		for _, c := range w.birth() {
			w.oracle.Apply(w.now, schema.Origin{}, c)
		}
		for range 200 {
			at, cmd := w.next(r)
			out := w.oracle.Apply(at, w.decider(r, cmd, schema.Origin{}), cmd)
			seen[fmt.Sprintf("%T %s", cmd, out.Result.Rejection.Reason)]++
			for _, e := range out.Events {
				switch e := e.(type) {
				case *schema.CheckChanged:
					seen["check "+e.Check.Status.String()]++
				case *schema.WithdrawalChanged:
					if e.Withdrawal.Refund != 0 {
						seen["refund "+e.Withdrawal.Status.String()]++
					}
				case *schema.CreditChanged:
					if e.Credit.Amount.IsZero() {
						seen["credit is over"]++
					}
				}
			}
			w.learn(r, cmd, out.Result)
		}
	}
	want := []string{
		"check in_progress", "check success", "check failed", "credit is over",
		"refund queued", "refund review", "refund frozen", "refund canceled", "refund mined", "refund sent", "refund done",
	}
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetTier{}:           {schema.OK, schema.TierInvalid},
		&schema.SetAccount{}:        {schema.OK, schema.TierInvalid},
		&schema.CreateCode{}:        {schema.OK, schema.DayLimit, schema.MonthLimit, schema.RateUnknown, schema.Restricted, schema.AssetNotOffered},
		&schema.ApplyCode{}:         {schema.OK, schema.AssetNotOffered},
		&schema.RequestWithdrawal{}: {schema.OK, schema.DayLimit, schema.MonthLimit, schema.RateUnknown, schema.Restricted},
		&schema.RefundDeposit{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.DepositUnknown, schema.NotRefundable, schema.WithdrawAddressInvalid,
		},
		&schema.OpenCredit{}: {
			schema.OK, schema.AccountBlocked, schema.CreditUnavailable, schema.AssetUnknown, schema.MoveTooPrecise, schema.CreditInvalid, schema.CreditActive, schema.MoveTooLarge,
		},
		&schema.ChargeCredit{}: {schema.OK, schema.AccountUnknown, schema.CreditNone, schema.MoveTooPrecise, schema.WithdrawNotCovered, schema.MoveHeld},
		&schema.RepayCredit{}:  {schema.OK, schema.AccountUnknown, schema.CreditNone, schema.MoveTooPrecise, schema.CreditLess, schema.WithdrawNotCovered, schema.MoveHeld},
		&schema.CheckAddress{}: {schema.OK, schema.AccountBlocked, schema.CheckUnavailable, schema.AssetUnknown, schema.CheckInvalid, schema.CheckNotCovered},
		&schema.SetVerdict{}:   {schema.OK, schema.VerdictInvalid},
		&schema.RequestExpress{}: {
			schema.OK, schema.AccountBlocked, schema.ExpressUnavailable, schema.AssetUnknown, schema.ExpressDisabled, schema.MoveTooPrecise, schema.ExpressInvalid,
			schema.ExpressPaid, schema.ExpressPending, schema.ExpressAboveCap, schema.RateUnknown,
			schema.AssetNotOffered,
		},
		&schema.PayExpress{}: {
			schema.OK, schema.AccountBlocked, schema.ExpressUnknown, schema.ExpressOwn, schema.WithdrawNotCovered, schema.DayLimit,
			schema.AssetNotOffered,
		},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	slices.Sort(want)
	for _, what := range want {
		if seen[what] == 0 {
			t.Errorf("no world came to: %s", what)
		}
	}
}
