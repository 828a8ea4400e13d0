package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// nowhere is the answer to accounts that are not to know of an endpoint.
var nowhere = refusal{404, 0, "", obj{}}

// newCheckWorld is the world of deposits where alice has 5 USDT, a credit line and the checker of addresses, and bob has neither.
func newCheckWorld(t *testing.T) (w depositWorld, alice, bob trader) {
	t.Helper()
	w = newDepositWorld(t, "", "alice", "bob")
	a := w.account("alice")
	a.Checker, a.CreditLine = true, true
	w.Do(&schema.SetAccount{Account: a})
	w.Do(&schema.Deposit{Account: a.ID, Asset: w.asset("USDT"), Amount: decimal(t, "5")})
	return w, w.trader(t, "alice"), w.trader(t, "bob")
}

// TestCreditLine: the loan as it is, none, and accounts without a credit line (account-wallet 13).
func TestCreditLine(t *testing.T) {
	t.Parallel()
	w, alice, bob := newCheckWorld(t)
	refuses(t, bob.ask("credit-line/loans/info", nil), nowhere)
	none := refusal{400, 0, "No active loan at the moment", obj{}}
	refuses(t, alice.ask("credit-line/loans/info", nil), none)
	began := w.clock.seconds()
	id := w.account("alice").ID
	w.Do(&schema.OpenCredit{
		Account: id, Asset: w.asset("USDT"), Amount: decimal(t, "15"), Initial: decimal(t, "50"), MarginCall: decimal(t, "70"), Liquidation: decimal(t, "85.5"),
	})
	loan := obj{
		"asset": "USDT", "amount": "15", "totalFunding": "0", "currentLtv": "75", "initialLtv": "50", "marginCallLtv": "70", "liquidationLtv": "85.5", "createdAt": began,
	}
	answers(t, alice.ask("credit-line/loans/info", nil), loan)
	w.clock.advance(schema.Second)
	w.Do(&schema.ChargeCredit{Account: id, Amount: decimal(t, "1.5")})
	w.Do(&schema.RepayCredit{Account: id, Amount: decimal(t, "5")})
	loan["amount"], loan["totalFunding"], loan["currentLtv"] = "10", "1.5", "74.08" // of 13.5
	answers(t, alice.ask("credit-line/loans/info", nil), loan)
	w.Do(&schema.RepayCredit{Account: id, Amount: decimal(t, "10")})
	refuses(t, alice.ask("credit-line/loans/info", nil), none)
}

// TestAddressChecks: they run for three seconds, cost 2 USDT if they succeed, and are found by all filters (account-wallet 15).
func TestAddressChecks(t *testing.T) {
	t.Parallel()
	w, alice, bob := newCheckWorld(t)
	w.Do(&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: "bad", Risk: schema.HighRisk, Description: "Stolen."}})
	w.Do(&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: "dark", Fails: true}})
	began := w.clock.seconds()
	var ids []string
	begins := func(fields obj) {
		t.Helper()
		made := alice.must("aml/checks/create", fields)
		is(t, "created", made, obj{"id": aUUID})
		ids = append(ids, made["id"].(string))
	}
	begins(obj{"asset": "DEP", "address": "good", "network": "DEP"})
	w.clock.advance(schema.Second)
	begins(obj{"asset": "USDT", "address": "bad", "network": nil})
	begins(obj{"asset": "USDT", "address": "dark", "network": "TRC20"})
	answers(t, alice.ask("aml/checks/result", obj{"id": ids[0]}), obj{"id": ids[0], "checkedAt": nil, "status": "In progress", "riskLevel": nil, "riskDescription": nil})
	w.clock.advance(2 * schema.Second)
	w.Do(&schema.Tick{})
	answers(t, alice.ask("aml/checks/result", obj{"id": ids[0]}), obj{
		"id": ids[0], "checkedAt": began + 3, "status": "Success", "riskLevel": "low", "riskDescription": "No risk was found.",
	})
	alice.owns("USDT", "3")
	w.clock.advance(schema.Second)
	w.Do(&schema.Tick{})
	alice.owns("USDT", "1")
	answers(t, alice.ask("aml/checks/result", obj{"id": ids[2]}), obj{"id": ids[2], "checkedAt": began + 4, "status": "Failed", "riskLevel": nil, "riskDescription": nil})
	answers(t, alice.ask("aml/checks/create", obj{"asset": "DEP", "address": "good"}), obj{"errors": arr{obj{"balance": "Insufficient balance"}}})

	good := obj{
		"id": ids[0], "asset": "DEP", "network": "DEP", "address": "good", "riskLevel": "low", "riskDescription": "No risk was found.", "status": "success", "checkedAt": began + 3,
	}
	bad := obj{
		"id": ids[1], "asset": "USDT", "network": nil, "address": "bad", "riskLevel": "high", "riskDescription": "Stolen.", "status": "success", "checkedAt": began + 4,
	}
	dark := obj{
		"id": ids[2], "asset": "USDT", "network": "TRC20", "address": "dark", "riskLevel": nil, "riskDescription": nil, "status": "failed", "checkedAt": began + 4,
	}
	for name, c := range map[string]struct {
		filter obj
		want   arr
	}{
		"all":               {nil, arr{dark, bad, good}},
		"success":           {obj{"status": arr{"success"}}, arr{bad, good}},
		"failed or running": {obj{"status": arr{"failed", "in_progress"}}, arr{dark}},
		"high":              {obj{"riskLevel": arr{"high"}}, arr{bad}},
		"failed and high":   {obj{"status": arr{"failed"}, "riskLevel": arr{"high"}}, arr{}},
		"address":           {obj{"address": "good"}, arr{good}},
		"asset":             {obj{"asset": arr{"usdt"}}, arr{dark, bad}},
		"assets":            {obj{"asset": arr{"USDT", "DEP"}, "riskLevel": arr{"low", "high"}}, arr{bad, good}},
		"no asset":          {obj{"asset": arr{"NONE"}}, arr{}},
		"network":           {obj{"asset": arr{"USDT"}, "network": arr{"TRC20"}}, arr{dark}},
		"networks":          {obj{"asset": arr{"USDT", "DEP"}, "network": arr{"TRC20", "DEP"}}, arr{dark, good}},
		"from":              {obj{"from": began + 1}, arr{dark, bad}},
		"to":                {obj{"to": began}, arr{good}},
	} {
		t.Run(name, func(t *testing.T) {
			answers(t, alice.ask("aml/checks/history", c.filter), obj{"data": c.want, "limit": 100, "offset": 0})
		})
	}
	answers(t, alice.ask("aml/checks/history", obj{"limit": 1, "offset": 1}), obj{"data": arr{bad}, "limit": 1, "offset": 1})
	answers(t, alice.ask("aml/checks/history", obj{"limit": 1, "offset": 1, "asset": arr{"USDT", "DEP"}}), obj{"data": arr{bad}, "limit": 1, "offset": 1})

	// Nobody else sees them, and who may not check sees nothing.
	b := w.account("bob")
	for _, path := range []string{"assets", "create", "result", "history"} {
		refuses(t, bob.ask("aml/checks/"+path, nil), nowhere)
	}
	b.Checker = true
	w.Do(&schema.SetAccount{Account: b})
	answers(t, bob.ask("aml/checks/history", nil), obj{"data": arr{}, "limit": 100, "offset": 0})
	refuses(t, bob.ask("aml/checks/result", obj{"id": ids[0]}), broken("id", "The selected id is invalid."))
}

// TestAddressChecksThatAreRefused: and the list of what can be checked.
func TestAddressChecksThatAreRefused(t *testing.T) {
	t.Parallel()
	w, alice, _ := newCheckWorld(t)
	w.Do(&schema.SetAsset{Asset: schema.Asset{Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 2, Precision: 2}})
	w.Do(&schema.SetAsset{Asset: schema.Asset{Ticker: "LONE", Name: "Lone", Class: schema.Crypto, Scale: 2, Precision: 2}})
	list := alice.list("aml/checks/assets", nil)
	seen := map[string]bool{}
	for _, item := range list {
		row := item.(map[string]any)
		network, _ := row["network"].(string)
		seen[row["asset"].(string)+" "+network] = true
	}
	if !seen["USDT TRC20"] || !seen["USDT ERC20"] || !seen["DEP DEP"] || !seen["LONE "] || seen["EUR "] || seen["USDT "] {
		t.Errorf("%v", list)
	}
	for name, c := range map[string]struct {
		path   string
		fields obj
		want   refusal
	}{
		"nothing":       {"create", nil, refusal{400, 0, "Validation failed", obj{"asset": arr{"The asset field is required."}, "address": arr{"The address field is required."}}}},
		"no asset":      {"create", obj{"asset": "NONE", "address": "a"}, broken("asset", "The selected asset is invalid.")},
		"fiat":          {"create", obj{"asset": "EUR", "address": "a"}, broken("asset", "The selected asset is invalid.")},
		"no network":    {"create", obj{"asset": "DEP", "address": "a", "network": "TRC20"}, broken("network", "The selected network is invalid.")},
		"too long":      {"create", obj{"asset": "DEP", "address": string(make([]byte, 129))}, broken("address", "The address may not be greater than 128 characters.")},
		"no id":         {"result", nil, broken("id", "The id field is required.")},
		"an unknown id": {"result", obj{"id": "00000000-0000-8004-8000-000000000009"}, broken("id", "The selected id is invalid.")},
		"another id":    {"result", obj{"id": "x"}, broken("id", "The selected id is invalid.")},
		"a status":      {"history", obj{"status": arr{"Success"}}, broken("status", "The selected status is invalid.")},
		"no list":       {"history", obj{"status": "success"}, broken("status", "The status must be an array.")},
		"a risk":        {"history", obj{"riskLevel": arr{"none"}}, broken("riskLevel", "The selected riskLevel is invalid.")},
		"network alone": {"history", obj{"network": arr{"DEP"}}, broken("network", "The network filter needs an asset filter.")},
		"limit":         {"history", obj{"limit": 101}, broken("limit", "The limit may not be greater than 100.")},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, alice.ask("aml/checks/"+c.path, c.fields), c.want) })
	}
}
