package operator_test

import (
	"strings"
	"testing"

	"bourse/internal/operator"
	"bourse/internal/schema"
)

// What greta says of who sent her deposit, and of who receives her withdrawal.
const (
	gretasSender = `{"originator":{"address":{"addressLine1":"Ring 1","city":"Linz","country":"AUT","postCode":"4020"},"firstName":"Olaf","lastName":"Ordinary",` +
		`"residenceCountry":"AUT","type":"individual","walletAddress":"0xolaf"},"vasp":{"vaspId":"acme"},"walletType":"hosted"}`
	gretasReceiver = `{"beneficiary":{"address":{"addressLine1":"Quay 7","city":"Bari","country":"ITA"},"fullName":"Boats Ltd","residenceCountry":"ITA","type":"entity"},` +
		`"walletType":"unhosted"}`
)

// trace opens an account in the EU, greta's, with 100 USDT. A deposit of 50 comes to it, in review, and a withdrawal of 5 waits for an operator.
func (s *site) trace() {
	s.t.Helper()
	s.must("POST", "/v1/accounts", `{"name":"greta","region":"eu"}`)
	s.must("POST", "/v1/accounts/greta/deposits", `{"asset":"USDT","amount":"100"}`)
	s.must("POST", "/v1/accounts/greta/keys", `{"key":"greta-key","secret":"greta-secret"}`)
	s.must("POST", "/v1/accounts/greta/faucet", `{"asset":"USDT","amount":"50"}`)
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":32}`)
	id := s.call("greta", "/api/v4/main-account/history", map[string]any{"status": []int{27}}).is(200).at("records", 0, "transaction_id")
	s.call("greta", "/api/v4/travel-rule/deposit/verification", map[string]any{
		"uniqueId": strings.Trim(id, `"`), "walletType": "hosted", "vaspData": map[string]any{"vaspId": "acme"},
		"originator": map[string]any{
			"type": "individual", "firstName": "Olaf", "lastName": "Ordinary", "residenceCountry": "AUT", "walletAddress": "0xolaf",
			"address": map[string]any{"country": "AUT", "city": "Linz", "addressLine1": "Ring 1", "postCode": "4020"},
		},
	}).is(200)
	s.call("greta", "/api/v4/main-account/withdraw", map[string]any{
		"ticker": "USDT", "amount": "5", "address": outside, "uniqueId": "boats", "travelRule": map[string]any{
			"walletType": "unhosted", "beneficiary": map[string]any{
				"type": "entity", "fullName": "Boats Ltd", "residenceCountry": "ITA", "address": map[string]any{"country": "ITA", "city": "Bari", "addressLine1": "Quay 7"},
			},
		},
	}).is(200)
}

// particular reports whether an act shows what only some payments have: what was said about people in the EU, or what operators sign where
// there are keys.
func particular(a operator.Act) bool {
	return strings.HasSuffix(a.Path, "/travel") || strings.HasSuffix(a.Path, "/approval")
}

// TestPeopleBehindPayments: operators read who sent a deposit until it is decided, and who receives a withdrawal; who reads is in the log of
// the program, and what they read is nowhere else.
func TestPeopleBehindPayments(t *testing.T) {
	s := found(t)
	s.trace()
	before := s.mark()
	s.must("GET", "/v1/deposits?status=review", "").has(`"greta"`, 0, "account").has(`"50"`, 0, "amount")
	s.must("GET", "/v1/deposits?status=travel", "").has("[]")
	s.must("GET", "/v1/deposits/1/travel", "").has(gretasSender)
	s.must("GET", "/v1/withdrawals", "").has("1", 0, "needed").has(`"review"`, 0, "status")
	s.must("GET", "/v1/withdrawals/1/travel", "").has(gretasReceiver)
	if s.mark() != before {
		t.Error("looking left something in the log of the exchange")
	}
	for _, want := range []string{"operator=operator deposit=1", "operator=operator withdrawal=1"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	audit := s.must("GET", "/v1/audit?limit=1000", "").body
	for _, secret := range []string{"Olaf", "Ordinary", "Ring 1", "Boats", "Quay 7"} {
		if strings.Contains(audit, secret) || strings.Contains(s.log.String(), secret) {
			t.Errorf("%s is in the audit or the log", secret)
		}
	}
	s.must("POST", "/v1/deposits/1/decision", `{"decision":"credit"}`)
	s.holds("greta", schema.Main, "USDT", "145 5 0")
	s.ask("GET", "/v1/deposits/1/travel", "").is(404).has(`{"message":"nothing was said about the people behind deposit \"1\""}`)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"approve"}`).has("0", "needed")
	s.must("GET", "/v1/withdrawals/1/travel", "").has(gretasReceiver)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"cancel"}`)
	s.ask("GET", "/v1/withdrawals/1/travel", "").is(404)
}
