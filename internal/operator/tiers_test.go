package operator_test

import (
	"context"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// refused lets alice ask for a withdrawal that the core refuses, and checks why.
func (s *site) refused(amount string, want schema.Rejection) {
	s.t.Helper()
	var result schema.Result
	err := s.x.Node.Submit(context.Background(), &schema.RequestWithdrawal{
		Account: s.account("alice").ID, Asset: s.asset("USDT").ID, Chain: s.chain("ETH").ID, Amount: fixed.MustParse(amount), Address: outside, Unique: "refused",
	}, &result)
	if err != nil || result.Rejection != want {
		s.t.Errorf("a withdrawal of %s: %q instead of %q, %v", amount, result.Rejection.Text(), want.Text(), err)
	}
}

// TestATierBindsItsAccounts: who is not verified is in tier 0, whatever tier is set; a tier without limits binds nobody.
func TestATierBindsItsAccounts(t *testing.T) {
	s := found(t)
	s.must("PUT", "/v1/tiers/0", `{"day":"100"}`)
	s.must("PUT", "/v1/tiers/2", `{"day":"1000","month":"1500"}`)
	s.must("PATCH", "/v1/accounts/alice", `{"tier":2}`)
	s.withdraw("60", "one", 0)
	s.refused("40.000001", schema.Rejection{Reason: schema.DayLimit, Value: fixed.FromInt(40)})
	s.must("PATCH", "/v1/accounts/alice", `{"verified":true}`)
	s.refused("940.000001", schema.Rejection{Reason: schema.DayLimit, Value: fixed.FromInt(940)})
	s.withdraw("940", "two", 0)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"cancel"}`) // and counts no more
	s.pass(24 * 3600 * schema.Second)
	s.refused("560.000001", schema.Rejection{Reason: schema.MonthLimit, Value: fixed.FromInt(560)})
	s.must("PUT", "/v1/tiers/2", `{}`)
	s.withdraw("2000", "three", 0)
}

// TestARestrictedAccountKeepsItsMoney: until the moment that is set, or an operator lifts it.
func TestARestrictedAccountKeepsItsMoney(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":"2026-09-21T14:13:30Z"}`)
	restricted := schema.Rejection{Reason: schema.Restricted, Value: fixed.FromInt(1_790_000_010)}
	s.refused("5", restricted)
	s.pass(9 * schema.Second)
	s.refused("5", restricted)
	s.pass(schema.Second)
	s.withdraw("5", "one", 0)
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":"2030-01-01T00:00:00Z"}`)
	s.refused("5", schema.Rejection{Reason: schema.Restricted, Value: fixed.FromInt(1_893_456_000)})
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":null}`)
	s.withdraw("5", "two", 0)
}
