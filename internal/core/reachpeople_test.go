package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// TestPeopleWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers and outcomes that a few hundred worlds
// of people and clients of OAuth must see, and what must end.
func TestPeopleWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(600) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := &peopleWorld{now: start, oracle: naive.New()}
		for _, c := range w.birth(r) {
			w.oracle.Apply(w.now, schema.Origin{}, c)
		}
		for range 250 {
			m := w.next(r)
			web := isSession(w.oracle, m.from.Key)
			out := w.oracle.Apply(m.at, m.from, m.cmd)
			w.see(seen, m, web, &out)
			w.learn(r, m, out.Result)
		}
	}
	want := []string{
		"a lock", "a lock again", "*schema.StepUp ends a session", "*schema.Tick ends a session", "*schema.SignIn ends a session",
		"*schema.Enrol ends a session", "*schema.SetFactor ends a session", "*schema.DeleteSub ends a session", "*schema.SignOut ends a session",
		"*schema.SetFactor ends a key", "*schema.Enrol ends a key", "*schema.SetAccount ends a key", "*schema.RevokePartner ends a key", "*schema.RedeemGrant ends a key",
		"*schema.SetFactor ends a grant", "*schema.Enrol ends a grant", "*schema.SetAccount ends a grant", "*schema.RevokePartner ends a grant",
		"*schema.AuthorizePartner ends a grant", "*schema.RedeemGrant ends a grant", "*schema.RefreshGrant ends a grant",
		"*schema.Enrol makes a sub-account active", "*schema.DeleteSub ends a user", "a session OnceUsed", "a session SessionUnknown", "a session KeyRefused", "a session OK", "a master invites",
	}
	for _, o := range []schema.SignOutcome{schema.SignedIn, schema.FactorWrong, schema.FactorUsed} {
		want = append(want, "*schema.SignIn "+o.String(), "*schema.StepUp "+o.String())
	}
	for _, o := range []schema.GrantOutcome{schema.GrantRedeemed, schema.GrantReplayed} {
		want = append(want, "*schema.RedeemGrant "+o.String(), "*schema.RefreshGrant "+o.String())
	}
	want = append(want, "*schema.RedeemGrant "+schema.GrantBurned.String())
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.Invite{}: {
			schema.OK, schema.AccountUnknown, schema.InvitationInvalid, schema.LoginTaken, schema.StepUpNeeded, schema.KeyNotAllowed, schema.SubUnknown,
			schema.SubInactive, schema.UserExists, schema.AccountBlocked,
		},
		&schema.Enrol{}: {schema.OK, schema.InvitationUnknown, schema.FactorInvalid, schema.SessionInvalid, schema.AccountBlocked},
		&schema.SignIn{}: {
			schema.OK, schema.UserUnknown, schema.AccountUnknown, schema.AccountBlocked, schema.GenerationOld, schema.SignInLocked, schema.FactorInvalid,
			schema.PasskeyRefused, schema.ChallengeUsed, schema.SessionInvalid,
		},
		&schema.StepUp{}: {
			schema.OK, schema.SessionUnknown, schema.UserUnknown, schema.AccountBlocked, schema.GenerationOld, schema.FactorInvalid, schema.PasskeyRefused, schema.ChallengeUsed,
		},
		&schema.SignOut{}: {schema.OK, schema.AccountUnknown, schema.SessionUnknown},
		&schema.SetFactor{}: {
			schema.OK, schema.SessionUnknown, schema.UserUnknown, schema.AccountBlocked, schema.GenerationOld, schema.StepUpNeeded, schema.FactorInvalid, schema.SessionInvalid,
		},
		&schema.TouchSession{}: {schema.OK, schema.SessionUnknown},
		&schema.SetPartner{}:   {schema.OK, schema.PartnerUnknown, schema.PartnerInvalid},
		&schema.AuthorizePartner{}: {
			schema.OK, schema.SessionUnknown, schema.StepUpNeeded, schema.PartnerUnknown, schema.GrantInvalid, schema.AccountBlocked, schema.SubNotPermitted,
			schema.FactorMissing, schema.NotVerified, schema.KeyURLsInvalid, schema.Restricted, schema.PartnerKeyExists, schema.KeysTooMany, schema.OnceUsed,
		},
		&schema.RedeemGrant{}: {
			schema.OK, schema.PartnerUnknown, schema.GrantUnknown, schema.GrantInvalid, schema.NotVerified, schema.Restricted, schema.KeysTooMany,
		},
		&schema.RefreshGrant{}:      {schema.OK, schema.PartnerUnknown, schema.GrantUnknown, schema.GrantInvalid},
		&schema.TakeSecret{}:        {schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.PartnerUnknown, schema.GrantUnknown, schema.KeyUnknown, schema.SecretTaken},
		&schema.RevokePartner{}:     {schema.OK, schema.AccountUnknown, schema.PartnerUnknown, schema.GrantUnknown, schema.KeyUnknown, schema.SessionUnknown},
		&schema.CreateCode{}:        {schema.OK, schema.StepUpNeeded, schema.Restricted},
		&schema.RequestWithdrawal{}: {schema.FactorMissing, schema.StepUpNeeded},
		&schema.PayExpress{}:        {schema.SubNotPermitted, schema.StepUpNeeded, schema.ExpressUnknown},
		&schema.MoveSub{}:           {schema.OK, schema.StepUpNeeded},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	slices.Sort(want)
	for _, what := range want {
		if seen[what] < 3 {
			t.Errorf("the worlds came %d times to: %s", seen[what], what)
		}
		t.Logf("%s: %d times", what, seen[what])
	}
}

func isSession(x *naive.Exchange, id schema.KeyID) bool {
	return slices.ContainsFunc(x.Keys(), func(k schema.Key) bool { return k.ID == id && k.Web })
}

// see notes what became of a command.
func (w *peopleWorld) see(seen map[string]int, m moment, web bool, out *naive.Outcome) {
	seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Rejection.Reason)]++
	if web {
		seen["a session "+out.Result.Rejection.Reason.String()]++
		if _, invites := m.cmd.(*schema.Invite); invites && !out.Result.Rejection.Refused() {
			seen["a master invites"]++
		}
	}
	if out.Result.Sign != 0 {
		seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Sign)]++
	}
	if out.Result.Grant != 0 {
		seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Grant)]++
	}
	for _, e := range out.Events {
		switch e := e.(type) {
		case *schema.UserChanged:
			if e.User.Wrong == 0 && out.Result.Sign > schema.SignedIn && e.User.Locks > 0 {
				seen["a lock"]++
				if e.User.Locks > 1 {
					seen["a lock again"]++
				}
			}
			if e.User.Login.IsZero() {
				seen[fmt.Sprintf("%T ends a user", m.cmd)]++
			}
		case *schema.KeyChanged:
			if e.Deleted && e.Key.Web {
				seen[fmt.Sprintf("%T ends a session", m.cmd)]++
			} else if e.Deleted && e.Key.Partner != 0 {
				seen[fmt.Sprintf("%T ends a key", m.cmd)]++
			}
		case *schema.GrantChanged:
			if e.Ended {
				seen[fmt.Sprintf("%T ends a grant", m.cmd)]++
			}
		case *schema.AccountChanged:
			if e.Account.IsSub() {
				seen[fmt.Sprintf("%T makes a sub-account %s", m.cmd, e.Account.Status)]++
			}
		}
	}
}
