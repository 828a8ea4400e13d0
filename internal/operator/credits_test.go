package operator_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestACreditIsTheHouses: it comes out of house and goes back there with its interest, from an account that is blocked too; what is
// repaid is over and is shown for the last time, and the next can be opened.
func TestACreditIsTheHouses(t *testing.T) {
	s := found(t)
	s.trust()
	house := func(want string) {
		t.Helper()
		s.must("GET", "/v1/accounts/house/balances", "").has(`[{"asset":"USDT","available":"` + want + `","frozen":"0","held":"0","wallet":"main"}]`)
	}
	const terms = `"initial":"0.01","margin_call":"0.01","liquidation":"100"}`
	s.must("POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"3000",`+terms).has(`"75"`, "ltv")
	house("-3000")
	s.ask("POST", "/v1/accounts/erin/credit", `{"asset":"BTC","amount":"1",`+terms).is(422).has(`"account"`, "field").
		has(`"The account has a credit: it must be repaid before the next."`, "message")

	s.pass(10 * schema.Second)
	s.must("PATCH", "/v1/accounts/erin", `{"blocked":true,"credit_line":false}`)
	s.must("POST", "/v1/accounts/erin/credit/charges", `{"amount":"12.5"}`).has(`"12.5"`, "funding").has(`"3000"`, "amount")
	s.must("POST", "/v1/accounts/erin/credit/charges", `{"amount":"0.5"}`).has(`"13"`, "funding")
	house("-2987")
	s.ask("POST", "/v1/accounts/erin/credit/charges", `{"amount":"3988"}`).is(422).has(`"amount"`, "field").has(`"Not enough money, balance = 3987"`, "message")
	s.ask("POST", "/v1/accounts/erin/credit/repayments", `{"amount":"3000.1"}`).is(422).has(`"amount"`, "field").has(`"Only 3000 of the credit is not repaid."`, "message")
	s.ask("POST", "/v1/accounts/erin/credit/repayments", `{"amount":"-1"}`).is(422).has(`"amount"`, "field")
	s.must("GET", "/v1/credits", "").has(`"3000"`, 0, "amount")

	s.must("POST", "/v1/accounts/erin/credit/repayments", `{"amount":"3000"}`).
		has(`{"account":"erin","amount":"0","asset":"USDT","created":"2026-09-21T14:13:20Z","funding":"13","initial":"0.01","liquidation":"100","ltv":"0","margin_call":"0.01"}`)
	house("13")
	s.holds("erin", schema.Main, "USDT", "987 0 0")
	s.must("GET", "/v1/credits", "").has("[]")
	s.ask("POST", "/v1/accounts/erin/credit/repayments", `{"amount":"1"}`).is(422).has(`{"message":"No active loan at the moment"}`)

	s.must("PATCH", "/v1/accounts/erin", `{"blocked":false,"credit_line":true}`)
	s.must("POST", "/v1/accounts/erin/credit", `{"asset":"BTC","amount":"1",`+terms).has(`"0"`, "funding").has(`"2026-09-21T14:13:30Z"`, "created").
		has(`"0"`, "ltv") // BTC has no price
}

// TestPagesOfCredits: the oldest account first, whatever credit was opened first.
func TestPagesOfCredits(t *testing.T) {
	s := found(t)
	for _, name := range []string{"bob", "alice"} {
		s.must("PATCH", "/v1/accounts/"+name, `{"credit_line":true}`)
		s.must("POST", "/v1/accounts/"+name+"/credit", `{"asset":"USDT","amount":"1","initial":"1","margin_call":"2","liquidation":"3"}`)
	}
	for query, want := range map[string]string{"": "alice bob", "?limit=1": "alice", "?limit=1&offset=1": "bob", "?offset=2": ""} {
		if got := s.must("GET", "/v1/credits"+query, "").every("account"); got != want {
			t.Errorf("%s: credits of %s instead of %s", query, got, want)
		}
	}
}
