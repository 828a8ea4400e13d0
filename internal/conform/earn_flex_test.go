package conform_test

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestFlexPlans: those that an account can invest in (exchange-api-v4, smart-flex/plans; earn 3).
func TestFlexPlans(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	const path = "main-account/smart-flex/plans"
	answers(t, v.alice.ask(path, nil), arr{})
	plan, _ := v.offers(v.daily())
	shape := obj{"id": aUUID, "ticker": "USDT", "minInvestment": "10", "maxInvestment": "2000", "maxRate": "0.0876"}
	second := v.daily()
	second.Name, second.Asset, second.Payout, second.Rate, second.Max = "cod", v.asset("COD"), v.asset("COD"), fixed.FromUnits(5, 2), fixed.Zero
	v.offers(second)
	other := changed(shape, obj{"ticker": "COD", "maxInvestment": "0", "maxRate": "0.05"})
	for _, c := range []struct {
		fields obj
		want   arr
	}{
		{nil, arr{shape, other}},
		{obj{"ticker": "COD"}, arr{other}},
		{obj{"limit": 1}, arr{shape}},
		{obj{"limit": 1, "offset": 1}, arr{other}},
		{obj{"offset": 2}, arr{}},
		{obj{"offset": 10000}, arr{}},
	} {
		answers(t, v.alice.ask(path, c.fields), c.want)
	}
	for fields, want := range map[*obj]refusal{
		{"ticker": "NIX"}: broken("ticker", "The selected ticker is invalid."),
		{"limit": "x"}:    broken("limit", "The limit must be an integer."),
		{"limit": 101}:    broken("limit", "The limit may not be greater than 100."),
		{"offset": "x"}:   broken("offset", "The offset must be an integer."),
		{"offset": -1}:    broken("offset", "The offset must be at least 0."),
	} {
		refuses(t, v.alice.ask(path, *fields), want)
	}
	v.set(plan, func(p *schema.Plan) { p.Status = schema.PlanPaused })
	answers(t, v.alice.ask(path, nil), arr{other})
	v.set(plan, func(p *schema.Plan) { p.Regions = schema.In(schema.EU) })
	answers(t, v.alice.ask(path, nil), arr{other})
	answers(t, v.trader(t, "eve").ask(path, nil), arr{shape, other})
}

// moneyMoved is the answer of what moves money into a flex plan or out of it.
func moneyMoved(t *testing.T, c trader, what string, fields obj) (id any) {
	t.Helper()
	answer := c.must("main-account/smart-flex/investments/"+what, fields)
	is(t, what, answer, obj{"data": obj{"transaction_id": aUUID, "transactionId": aUUID}})
	data := answer["data"].(map[string]any)
	if data["transaction_id"] != data["transactionId"] {
		t.Errorf("%v", data)
	}
	return data["transaction_id"]
}

// TestFlexInvestments lives through a day of an investment: it earns by full hours, and is credited at midnight (earn 3 and 4).
func TestFlexInvestments(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	_, plan := v.offers(v.daily())
	opened := moneyMoved(t, v.alice, "invest", obj{"planId": plan, "amount": "600"}) // by the older name
	v.clock.advance(schema.Second)
	added := moneyMoved(t, v.alice, "invest", obj{"plan": plan, "amount": 400, "withReinvest": true})
	v.alice.owns("USDT", "4000")
	const path = "main-account/smart-flex/investments"
	shape := obj{
		"id": aUUID, "planId": plan, "currency": "USDT", "invested": "1000", "withAutoReinvest": true, "status": 1, "createdAt": at(noon), "updatedAt": at(noon) + 1,
	}
	page := func(limit int, records ...any) obj { return obj{"data": arr(records), "limit": limit, "offset": 0} }
	answers(t, v.alice.ask(path, nil), page(100, shape))
	var list struct {
		Data []struct{ ID string }
	}
	v.alice.ask(path, nil).Read(t, &list)
	investment := list.Data[0].ID
	answers(t, v.alice.ask(path+"/auto-invest", obj{"plan": plan}), obj{"data": arr{}})
	shape["withAutoReinvest"] = false
	answers(t, v.alice.ask(path, obj{"investment": investment}), page(100, changed(shape, obj{"updatedAt": test(func(any) error { return nil })})))
	answers(t, v.alice.ask(path+"/auto-invest", obj{"plan": plan, "enabled": true}), obj{"data": arr{}})

	v.goes(midnight) // nine full hours
	v.alice.owns("USDT", "4000")
	v.clock.advance(schema.Second)
	taken := moneyMoved(t, v.alice, "withdraw", obj{"plan": plan, "amount": "500.09"})
	v.alice.owns("USDT", "4500.09")
	v.clock.advance(2 * hour)
	closed := moneyMoved(t, v.alice, "close", obj{"plan": plan})
	v.alice.owns("USDT", "5000.1") // and an hour of 500, as the first ended only at 01:00 for what stayed
	action := func(id any, kind int, amount string, time schema.Time) obj {
		return obj{
			"createdAt": at(time), "planId": plan, "investmentId": investment, "currency": "USDT", "amount": amount, "transaction_id": id, "transactionId": id, "actionType": kind,
		}
	}
	end := midnight + 2*hour + schema.Second
	all := arr{
		action(aUUID, 4, "0.01", end), action(closed, 5, "500", end), action(taken, 3, "500.09", midnight+schema.Second),
		action(aUUID, 2, "0.09", midnight), action(aUUID, 4, "0.09", midnight), action(added, 1, "400", noon+schema.Second), action(opened, 6, "600", noon),
	}
	for _, c := range []struct {
		fields obj
		want   arr
	}{
		{nil, all},
		{obj{"plan": plan, "investment": investment}, all},
		{obj{"investment": investment, "actionTypes": arr{}}, all},
		{obj{"plan": plan, "actionTypes": arr{1, "6", 1}}, arr{all[5], all[6]}},
		{obj{"transaction": taken}, arr{all[2]}},
		{obj{"transaction": taken, "plan": plan, "actionTypes": arr{5}}, arr{}},
		{obj{"transaction": opened, "dateTo": at(noon)}, arr{all[6]}},
		{obj{"transaction": opened, "dateFrom": at(noon) + 1}, arr{}},
		{obj{"dateFrom": at(noon) + 1, "dateTo": at(midnight)}, arr{all[3], all[4], all[5]}},
		{obj{"dateTo": 0}, arr{}},
	} {
		answers(t, v.alice.ask(path+"/history", c.fields), page(50, c.want...))
	}
	answers(t, v.alice.ask(path+"/history", obj{"limit": 2, "offset": 5}), obj{"data": all[5:], "limit": 2, "offset": 5})
	answers(t, v.alice.ask(path+"/payment-history", obj{"plan": plan}), page(50, all[0], all[4]))
	over := changed(shape, obj{"invested": "0", "status": 0, "withAutoReinvest": true, "updatedAt": at(end)})
	for _, c := range []struct {
		fields obj
		want   arr
	}{
		{nil, arr{over}},
		{obj{"investmentStatus": 0}, arr{over}},
		{obj{"investmentStatus": 1}, arr{}},
		{obj{"plan": plan, "ticker": "USDT", "investment": investment}, arr{over}},
		{obj{"ticker": "COD"}, arr{}},
	} {
		answers(t, v.alice.ask(path, c.fields), page(100, c.want...))
	}
	refuses(t, v.alice.ask(path+"/withdraw", obj{"plan": plan, "amount": "1"}), inner(422, 0, "investment", "Cannot withdraw from closed investment"))
	refuses(t, v.alice.ask(path+"/close", obj{"plan": plan}), inner(422, 0, "investment", "Cannot withdraw from closed investment"))
}

// TestFlexRefusals: what is wrong with a request, with nothing moved (earn 3).
func TestFlexRefusals(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	plan, id := v.offers(v.daily())
	_, fixedID := v.offers(v.tenDays())
	const path = "main-account/smart-flex/investments/"
	unknown, number := broken("plan", "The selected plan is invalid."), broken("amount", "The amount field must be a valid number")
	decimals := broken("amount", "Invalid decimal amount")
	required := broken("plan", "The plan field is required.")
	shared := []struct {
		name    string
		changes obj
		want    refusal
	}{
		{"no plan", obj{"plan": nil}, required},
		{"a number as a plan", obj{"plan": 7}, broken("plan", "The plan must be a string.")},
		{"unknown", obj{"plan": noPlan}, unknown},
		{"empty", obj{"plan": ""}, unknown},
		{"a fixed plan", obj{"plan": fixedID}, unknown},
		{"no amount", obj{"amount": nil}, broken("amount", "The amount field is required.")},
		{"a word", obj{"amount": "much"}, number},
		{"a list", obj{"amount": arr{}}, number},
		{"finer than money", obj{"amount": "10.1234567890123456789"}, decimals},
	}
	for _, what := range []string{"invest", "withdraw"} {
		for _, c := range shared {
			t.Run(what+" "+c.name, func(t *testing.T) {
				refuses(t, v.trader(t, "alice").ask(path+what, changed(obj{"plan": id, "amount": "10"}, c.changes)), c.want)
			})
		}
	}
	invest := func(amount any, want refusal) {
		t.Helper()
		refuses(t, v.alice.ask(path+"invest", obj{"plan": id, "amount": amount}), want)
	}
	small := inner(422, 0, "amount", "Amount is too small")
	invest("0", small)
	invest("-1", small)
	invest("-1e40", small)
	invest("10.123456789", decimals)
	invest("9.9", inner(422, 2, "amount", "Amount is less than min investment"))
	invest("2000.1", inner(422, 3, "amount", "Amount is more than max investment"))
	invest("1e40", inner(422, 3, "amount", "Amount is more than max investment"))
	refuses(t, v.alice.ask(path+"invest", obj{"plan": id, "amount": "10", "withReinvest": "yes"}), broken("withReinvest", "The with reinvest field must be true or false."))
	for status, want := range map[schema.PlanStatus]refusal{
		schema.PlanInactive: unknown, schema.PlanPaused: inner(422, 0, "plan", "Plan is paused"), schema.PlanSoldOut: inner(422, 0, "plan", "Plan is unavailable"),
	} {
		v.set(plan, func(p *schema.Plan) { p.Status = status })
		invest("10", want)
	}
	v.set(plan, func(p *schema.Plan) { p.Private = true })
	invest("10", inner(422, 0, "plan", "Private plan not available for this user"))
	v.set(plan, func(p *schema.Plan) { p.Regions = schema.In(schema.EU) })
	invest("10", unknown)
	v.set(plan, func(p *schema.Plan) { p.Cap = fixed.FromInt(100) })
	invest("100.1", inner(422, 0, "amount", "Investment limit is exceeded"))
	v.set(plan, func(p *schema.Plan) { p.Max = fixed.Zero })
	invest("5000.1", inner(422, 4, "amount", "Available 5000 < 5000.1"))
	v.set(plan, func(p *schema.Plan) { p.Max, p.Rate = fixed.Zero, fixed.FromInt(10) })
	v.Do(&schema.FundSystem{Account: schema.Interest, Asset: v.asset("USDT"), Amount: fixed.FromInt(-999)})
	invest("1000", inner(422, 5, "amount", "Not enough money to pay interest"))
	v.alice.owns("USDT", "5000")

	none := inner(422, 0, "amount", "Investment does not exist")
	refuses(t, v.alice.ask(path+"withdraw", obj{"plan": id, "amount": "1"}), none)
	refuses(t, v.alice.ask(path+"close", obj{"plan": id}), none)
	refuses(t, v.alice.ask(path+"close", nil), required)
	refuses(t, v.alice.ask(path+"close", obj{"plan": noPlan}), unknown)
	refuses(t, v.alice.ask(path+"auto-invest", nil), required)
	refuses(t, v.alice.ask(path+"auto-invest", obj{"plan": id, "enabled": 1}), broken("enabled", "The enabled field must be true or false."))
	refuses(t, v.alice.ask(path+"auto-invest", obj{"plan": id}), inner(422, 0, "plan", "No existing investments for this plan"))

	v.set(plan, func(*schema.Plan) {})
	moneyMoved(t, v.alice, "invest", obj{"plan": id, "amount": "100"})
	invest("1900.1", inner(422, 0, "amount", "Investment limit is exceeded"))
	for amount, want := range map[string]refusal{
		"0": inner(422, 0, "amount", "Withdraw amount is too small"), "-1": inner(422, 0, "amount", "Withdraw amount is too small"), "1.123456789": decimals,
		"100.1": inner(422, 0, "amount", "Withdraw amount exceeds total invested"), "1e40": inner(422, 0, "amount", "Withdraw amount exceeds total invested"),
		"90.1": inner(422, 0, "minAmountLeft", "Amount left < min investment"),
	} {
		refuses(t, v.alice.ask(path+"withdraw", obj{"plan": id, "amount": amount}), want)
	}
	v.alice.owns("USDT", "4900")
	moneyMoved(t, v.alice, "withdraw", obj{"plan": id, "amount": "100"}) // which closes it
	v.alice.owns("USDT", "5000")
}

// TestFlexFilters: what lists can be narrowed by, and by what not (earn 3).
func TestFlexFilters(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	_, id := v.offers(v.daily())
	const path = "main-account/smart-flex/investments"
	plan, investment, transaction := broken("plan", "The selected plan is invalid."), broken("investment", "The selected investment is invalid."), broken("transaction", "The selected transaction is invalid.")
	for fields, want := range map[*obj]refusal{
		{"ticker": "NIX"}:         broken("ticker", "The selected ticker is invalid."),
		{"plan": noPlan}:          plan,
		{"investment": "x"}:       investment,
		{"investment": id}:        investment,
		{"investmentStatus": 2}:   broken("investmentStatus", "The selected investment status is invalid."),
		{"investmentStatus": "x"}: broken("investmentStatus", "The selected investment status is invalid."),
		{"limit": 101}:            broken("limit", "The limit may not be greater than 100."),
	} {
		refuses(t, v.alice.ask(path, *fields), want)
	}
	for _, what := range []string{"/history", "/payment-history"} {
		for fields, want := range map[*obj]refusal{
			{"plan": "x"}:              plan,
			{"investment": noPlan}:     investment,
			{"transaction": "x"}:       transaction,
			{"transaction": noPlan}:    transaction,
			{"dateFrom": "x"}:          broken("dateFrom", "The date from is invalid."),
			{"dateTo": -1}:             broken("dateTo", "The date to is invalid."),
			{"dateTo": "253402300800"}: broken("dateTo", "The date to is invalid."),
			{"limit": 0}:               broken("limit", "The limit must be at least 1."),
			{"offset": 10001}:          broken("offset", "The offset may not be greater than 10000."),
		} {
			refuses(t, v.alice.ask(path+what, *fields), want)
		}
	}
	for types, want := range map[*any]refusal{
		value(5):                 broken("actionTypes", "The action types must be an array."),
		value("4"):               broken("actionTypes", "The action types must be an array."),
		value(obj{}):             broken("actionTypes", "The action types must be an array."),
		value(arr{0}):            broken("actionTypes.0", "The selected action type is invalid."),
		value(arr{1, 7, "x"}):    broken("actionTypes.1", "The selected action type is invalid.").and("actionTypes.2", "The selected action type is invalid."),
		value(arr{arr{}, obj{}}): broken("actionTypes.0", "The selected action type is invalid.").and("actionTypes.1", "The selected action type is invalid."),
	} {
		refuses(t, v.alice.ask(path+"/history", obj{"actionTypes": *types}), want)
	}
	answers(t, v.alice.ask(path+"/payment-history", obj{"actionTypes": 5}), obj{"data": arr{}, "limit": 50, "offset": 0}) // which it does not read
}

func value(v any) *any { return &v }
