package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// TestTravelWorldsReachTheirRules is TestLeavingWorldsReachTheirRules for the travel rule and for blocks of the mining pool.
func TestTravelWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(200) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := newborn(r)
		w.wantChains(r)
		w.oracle = naive.New()
		for _, c := range w.birth() {
			w.oracle.Apply(w.now, schema.Origin{}, c)
		}
		pool := newPoolReach(w.chains.all, seen)
		deposits := map[schema.DepositID]schema.DepositStatus{}
		for range 200 {
			at, cmd := w.next(r)
			out := w.oracle.Apply(at, w.decider(r, cmd, schema.Origin{}), cmd)
			seen[fmt.Sprintf("%T %s", cmd, out.Result.Rejection.Reason)]++
			pool.see(cmd, &out.Result, out.Events)
			if made := out.Result.Withdrawal; made != nil && w.oracle.TravelOf(made.ID) != nil {
				seen["a withdrawal that says who gets it is in "+made.Status.String()]++
			}
			for _, e := range out.Events {
				if e, is := e.(*schema.ChainDepositChanged); is {
					was := deposits[e.Deposit.ID]
					deposits[e.Deposit.ID] = e.Deposit.Status
					what := fmt.Sprintf("a deposit in %s is in %s", was, e.Deposit.Status)
					if seen[what]++; e.Deposit.Height == 0 {
						seen[what+" and no block"]++
					}
				}
			}
			w.learn(r, cmd, out.Result)
		}
	}
	want := append(ofPool(),
		"a deposit in confirming is in travel", "a deposit in travel is in review", "a withdrawal that says who gets it is in queued",
		"a withdrawal that says who gets it is in review",
	)
	for _, from := range []schema.DepositStatus{schema.DepositTravel, schema.DepositReview} {
		want = append(want, fmt.Sprintf("a deposit in %s is in %s and no block", from, from))
		for _, to := range []schema.DepositStatus{schema.DepositCredited, schema.DepositCanceled, schema.DepositFrozen, schema.DepositLost} {
			want = append(want, fmt.Sprintf("a deposit in %s is in %s", from, to))
		}
	}
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetVASP{}:           {schema.OK, schema.VASPInvalid},
		&schema.SubmitTravel{}:      {schema.OK, schema.AccountUnknown, schema.DepositUnknown, schema.TravelNotAsked, schema.TravelInvalid},
		&schema.RequestWithdrawal{}: {schema.OK, schema.TravelMissing, schema.TravelInvalid, schema.AssetNotOffered},
		&schema.OpenAddress{}:       {schema.OK, schema.AssetNotOffered, schema.AssetUnknown},
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
