package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// whereBarred says whom the rules of the EU kept from an asset.
func (w *world) whereBarred(cmd schema.Command, from schema.Origin) string {
	var id schema.AccountID
	switch c := cmd.(type) {
	case *schema.OpenAddress:
		id = c.Account
	case *schema.RequestWithdrawal:
		id = c.Account
	case *schema.CreateCode:
		id = c.Account
	case *schema.ApplyCode:
		id = c.Account
	}
	for _, a := range w.oracle.Accounts() {
		switch {
		case a.ID != id:
		case a.Region == schema.Global && from.Region == schema.EU:
			return "a deployment in the EU bars an account of elsewhere"
		case a.IsSub() && w.oracle.Accounts()[a.Parent-schema.FirstCustomer].Region == schema.Global:
			return "a sub-account in the EU of a master elsewhere is barred"
		}
	}
	return "another is barred"
}

// TestSubWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers to commands of families and keys that
// a few hundred worlds must see, and what must become of sub-accounts and of withdrawals that wait for masters.
func TestSubWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(800) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := newborn(r)
		w.oracle = naive.New()
		if chance(r, 4) != 0 {
			w.wantChains(r)
		}
		w.wantSubs(r)
		for _, c := range w.birth() {
			w.oracle.Apply(w.now, schema.Origin{}, c)
		}
		for range 300 {
			at, cmd := w.next(r)
			from := w.decider(r, cmd, w.caller(r, cmd))
			out := w.oracle.Apply(at, from, cmd)
			seen[fmt.Sprintf("%T %s", cmd, out.Result.Rejection.Reason)]++
			if out.Result.Rejection.Reason == schema.AssetNotOffered {
				seen[w.whereBarred(cmd, from)]++
			}
			for _, e := range out.Events {
				switch e := e.(type) {
				case *schema.AccountChanged:
					if e.Account.IsSub() {
						seen[fmt.Sprintf("%T makes a sub-account %s", cmd, e.Account.Status)]++
					}
				case *schema.WithdrawalChanged:
					seen[fmt.Sprintf("%T makes a withdrawal %s", cmd, e.Withdrawal.Status)]++
				case *schema.KeyChanged:
					_, ticked := cmd.(*schema.Tick)
					switch {
					case e.Deleted:
						seen[fmt.Sprintf("%T ends a key", cmd)]++
					case ticked && e.Key.Idle:
						seen["a key is idle"]++
					}
				case *schema.OrderChanged:
					if e.Cause == schema.ByBlock {
						seen["a block ends an order"]++
					}
				case *schema.ChainDepositChanged:
					if e.Deposit.Account == 0 && e.Deposit.Index != 0 {
						seen["a deposit to a deleted sub-account"]++
					}
				}
			}
			w.learn(r, cmd, out.Result)
		}
	}
	want := []string{
		"a sub-account in the EU of a master elsewhere is barred", "a deployment in the EU bars an account of elsewhere",
		"a key is idle", "a block ends an order", "a deposit to a deleted sub-account",
		"*schema.SetSub makes a sub-account pending", "*schema.SetSub makes a sub-account active", "*schema.SetSub makes a sub-account blocked",
		"*schema.BlockSub makes a sub-account blocked", "*schema.BlockSub makes a sub-account active", "*schema.BlockSub makes a withdrawal canceled",
		"*schema.DeleteSub makes a sub-account deleted", "*schema.DeleteSub ends a key",
		"*schema.SetAccount makes a sub-account pending", "*schema.SetAccount makes a sub-account active", "*schema.SetAccount makes a sub-account blocked",
		"*schema.RequestWithdrawal makes a withdrawal unconfirmed", "*schema.Tick makes a withdrawal canceled",
		"*schema.DecideWithdrawal makes a withdrawal canceled",
		"*schema.ConfirmWithdrawal makes a withdrawal queued", "*schema.ConfirmWithdrawal makes a withdrawal review", "*schema.ConfirmWithdrawal makes a withdrawal done",
		"*schema.CloseKey ends a key", "*schema.ResetKey ends a key", "*schema.DeleteKey ends a key",
	}
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetAccount{}: {schema.OK, schema.NameInvalid, schema.NameTaken, schema.KeyNotAllowed},
		&schema.SetSub{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.SubNested, schema.NameTaken, schema.SubAliasInvalid, schema.SubAliasTaken,
			schema.SubEmailMissing, schema.SubsTooMany, schema.SubUnknown,
		},
		&schema.VerifySub{}: {schema.OK, schema.SubUnknown, schema.SubNotConfirmed, schema.SubInactive, schema.SubSharesKYC},
		&schema.BlockSub{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.SubUnknown, schema.SubBlockedBefore, schema.SubNotConfirmed, schema.SubNotBlocked,
		},
		&schema.MoveSub{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.SubUnknown, schema.SubNotConfirmed, schema.SubInactive, schema.AssetUnknown,
			schema.MoveNotPositive, schema.MoveTooPrecise, schema.WithdrawNotCovered, schema.MoveHeld,
		},
		&schema.DeleteSub{}: {schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.SubUnknown, schema.SubNotEmpty},
		&schema.ConfirmWithdrawal{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.WithdrawalUnknown, schema.WithdrawalConfirmed, schema.SubUnknown,
			schema.KeyNotAllowed, schema.NoPermission, schema.Restricted,
		},
		&schema.OpenKey{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.SubUnknown, schema.SubNotConfirmed, schema.KeyTypeInvalid, schema.KeyTitleInvalid,
			schema.KeyInvalid, schema.KeysTooMany,
		},
		&schema.EditKey{}: {
			schema.OK, schema.AccountBlocked, schema.KeyUnknown, schema.KeyTitleInvalid, schema.KeyURLsInvalid, schema.KeyURLsNotYours, schema.KeyNotAllowed, schema.SubNotPermitted,
		},
		&schema.SetKeyAddress{}: {
			schema.OK, schema.AccountBlocked, schema.KeyUnknown, schema.KeyAddressInvalid, schema.KeyAddressKnown, schema.KeyAddressUnknown, schema.KeyAddressesTooMany,
		},
		&schema.CloseKey{}:       {schema.OK, schema.AccountBlocked, schema.KeyUnknown},
		&schema.ResetKey{}:       {schema.OK, schema.AccountBlocked, schema.KeyUnknown, schema.KeyInvalid, schema.SubNotPermitted},
		&schema.TouchKeys{}:      {schema.OK, schema.KeyInvalid},
		&schema.SetKey{}:         {schema.OK, schema.KeyInvalid, schema.KeyUnknown},
		&schema.Transfer{}:       {schema.SubNotPermitted, schema.AccountBlocked},
		&schema.OpenAddress{}:    {schema.SubNotPermitted, schema.NoPermission},
		&schema.RequestInvoice{}: {schema.SubNotPermitted, schema.NoPermission},
		&schema.RequestExpress{}: {schema.SubNotPermitted},
		&schema.PayExpress{}:     {schema.SubNotPermitted},
		&schema.CheckAddress{}:   {schema.SubNotPermitted},
		&schema.CreateCode{}:     {schema.SubNotPermitted, schema.DayLimit, schema.Restricted},
		&schema.RefundDeposit{}:  {schema.SubNotPermitted},
		&schema.RequestWithdrawal{}: {
			schema.OK, schema.DayLimit, schema.Restricted, schema.WithdrawAddressInvalid,
		},
		&schema.DecideWithdrawal{}: {schema.OK, schema.WithdrawalDecided, schema.SignatureInvalid, schema.SubUnknown},
		&schema.Deposit{}:          {schema.OK, schema.AccountUnknown},
		&schema.Tick{}:             {schema.OK, schema.KeyRefused, schema.NonceUsed, schema.KeyNotAllowed},
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
		t.Logf("%s: %d times", what, seen[what])
	}
}
