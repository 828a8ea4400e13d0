package operator_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestAVerdictIsWhatCustomersRead: a check ends with what was said when it ends, and with a low risk once that is taken back.
func TestAVerdictIsWhatCustomersRead(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/accounts/alice", `{"checker":true}`)
	check := func(want string) {
		t.Helper()
		id := s.call("alice", "/api/v4/aml/checks/create", map[string]any{"asset": "USDT", "address": "0xbad"}).is(200).at("id")
		s.pass(3 * schema.Second)
		r := s.call("alice", "/api/v4/aml/checks/result", map[string]any{"id": id[1 : len(id)-1]}).is(200)
		if got := r.at("status") + " " + r.at("riskLevel") + " " + r.at("riskDescription"); got != want {
			t.Errorf("the check ended with %s instead of %s", got, want)
		}
	}
	check(`"Success" "low" "No risk was found."`)
	s.must("PUT", "/v1/verdicts/0xbad", `{"risk":"high","description":"Funds of a thief."}`)
	check(`"Success" "high" "Funds of a thief."`)
	s.must("PUT", "/v1/verdicts/0xbad", `{"risk":"medium"}`).has(`{"address":"0xbad","description":"","fails":false,"risk":"medium"}`)
	check(`"Success" "medium" null`)
	s.must("PUT", "/v1/verdicts/0xbad", `{"fails":true}`)
	check(`"Failed" null null`)
	s.must("DELETE", "/v1/verdicts/0xbad", "")
	s.must("DELETE", "/v1/verdicts/0xbad", "") // of an address on which there is none
	check(`"Success" "low" "No risk was found."`)
	s.holds("alice", schema.Main, "USDT", "39992 0 0") // four succeeded
}
