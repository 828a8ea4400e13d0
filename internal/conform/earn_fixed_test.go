package conform_test

import (
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestFixedPlans: those that an account can invest in, as they are now (earn 2).
func TestFixedPlans(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	const path = "main-account/smart/plans"
	answers(t, v.alice.ask(path, nil), arr{})
	first, id := v.offers(v.tenDays())
	shape := obj{
		"id": aUUID, "ticker": "USDT", "status": 1, "percent": "10", "duration": 14400, "interestTicker": "USDT", "interestRatio": "1",
		"minInvestment": "10", "maxInvestment": "1000", "maxPossibleInvestment": "1000",
	}
	answers(t, v.alice.ask(path, nil), arr{shape})
	v.alice.must("main-account/smart/investment", obj{"planId": id, "amount": "900"})
	answers(t, v.alice.ask(path, nil), arr{changed(shape, obj{"maxPossibleInvestment": "600"})})

	other := v.tenDays()
	other.Name, other.Asset, other.Ratio, other.Max, other.Cap, other.Regions = "other", v.asset("COD"), fixed.FromInt(2), fixed.Zero, fixed.FromInt(7), schema.In(schema.Global)
	second, _ := v.offers(other)
	more := changed(shape, obj{"ticker": "COD", "interestRatio": "2", "maxInvestment": "0", "maxPossibleInvestment": "7"})
	answers(t, v.alice.ask(path, obj{"ticker": "COD"}), arr{more})
	answers(t, v.alice.ask(path, obj{"ticker": ""}), arr{changed(shape, obj{"maxPossibleInvestment": "600"}), more})
	answers(t, v.trader(t, "eve").ask(path, obj{"ticker": "COD"}), arr{}) // another region
	refuses(t, v.alice.ask(path, obj{"ticker": "NIX"}), broken("ticker", "The selected ticker is invalid."))
	refuses(t, v.alice.ask(path, obj{"ticker": 5}), broken("ticker", "The ticker must be a string."))

	// Private ones are seen by those to whom they are assigned.
	v.set(second, func(p *schema.Plan) { p.Private = true })
	answers(t, v.alice.ask(path, obj{"ticker": "COD"}), arr{})
	v.Do(&schema.AssignPlan{Plan: second.ID, Account: v.account("alice").ID, On: true})
	answers(t, v.alice.ask(path, obj{"ticker": "COD"}), arr{more})
	for _, status := range []schema.PlanStatus{schema.PlanSoldOut, schema.PlanInactive, schema.PlanPaused} {
		v.set(first, func(p *schema.Plan) { p.Status = status })
		answers(t, v.alice.ask(path, nil), arr{more})
	}
	for _, path := range earnPaths {
		refuses(t, v.bob.ask("main-account/"+path, nil), noPermission)
	}
}

// earnPaths are all endpoints of the group.
var earnPaths = []string{
	"smart/plans", "smart/investment", "smart/investment/close", "smart/investments", "smart/interest-payment-history",
	"smart-flex/plans", "smart-flex/investments", "smart-flex/investments/history", "smart-flex/investments/payment-history",
	"smart-flex/investments/invest", "smart-flex/investments/withdraw", "smart-flex/investments/close", "smart-flex/investments/auto-invest",
}

// TestFixedInvestments: money goes in at once and comes back with its interest, or before without (earn 2 and 4).
func TestFixedInvestments(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	_, plan := v.offers(v.tenDays())
	answers(t, v.alice.ask("main-account/smart/investments", nil), obj{"records": arr{}, "limit": 100, "offset": 0})
	made := v.alice.must("main-account/smart/investment", obj{"planId": plan, "amount": "100.12345678"})
	is(t, "made", made, obj{"id": aUUID})
	v.alice.owns("USDT", "4899.87654322")
	shape := obj{
		"id": made["id"], "plan": test(func(any) error { return nil }), "status": 1, "created": at(noon), "updated": at(noon), "paymentTime": at(noon + 240*hour), "amount": "100.12345678",
		"interestPaid": "0",
	}
	page := func(records ...any) obj { return obj{"records": arr(records), "limit": 100, "offset": 0} }
	answers(t, v.alice.ask("main-account/smart/investments", nil), page(shape))
	refuses(t, v.alice.ask("main-account/smart/investment", obj{"planId": plan, "amount": "10"}), inner(422, 1, "amount", "The investment in this investment plan already exists"))

	v.goes(noon + 240*hour - 1)
	v.alice.owns("USDT", "4899.87654322")
	answers(t, v.alice.ask("main-account/smart/interest-payment-history", nil), page())
	v.goes(noon + 240*hour)
	v.alice.owns("USDT", "5010.01234567") // 10.012345678 of interest, rounded down
	paid := changed(shape, obj{"status": 2, "updated": at(noon + 240*hour), "interestPaid": "10.01234567"})
	answers(t, v.alice.ask("main-account/smart/investments", nil), page(paid))
	interest := obj{"planId": plan, "investmentId": made["id"], "amount": "10.01234567", "ticker": "USDT", "timestamp": at(noon + 240*hour)}
	const history = "main-account/smart/interest-payment-history"
	for _, c := range []struct {
		fields obj
		want   obj
	}{
		{nil, page(interest)},
		{obj{"planId": plan}, page(interest)},
		{obj{"ticker": "USDT"}, page(interest)},
		{obj{"ticker": "COD"}, page()},
		{obj{"limit": 1, "offset": 1}, obj{"records": arr{}, "limit": 1, "offset": 1}},
	} {
		answers(t, v.alice.ask(history, c.fields), c.want)
	}

	// Closed before the end, it pays nothing.
	second := v.alice.must("main-account/smart/investment", obj{"planId": plan, "amount": "1000"})
	v.clock.advance(hour)
	answers(t, v.alice.ask("main-account/smart/investment/close", obj{"id": second["id"]}), obj{})
	v.alice.owns("USDT", "5010.01234567")
	ended := obj{
		"id": second["id"], "plan": shape["plan"], "status": 2, "created": at(noon + 240*hour), "updated": at(noon + 241*hour), "paymentTime": at(noon + 480*hour), "amount": "1000", "interestPaid": "0",
	}
	for _, c := range []struct {
		fields obj
		want   obj
	}{
		{nil, page(ended, paid)},
		{obj{"status": 1}, page()},
		{obj{"status": "2"}, page(ended, paid)},
		{obj{"id": made["id"]}, page(paid)},
		{obj{"id": made["id"], "status": 1}, page()},
		{obj{"ticker": "USDT", "limit": 1}, obj{"records": arr{ended}, "limit": 1, "offset": 0}},
		{obj{"ticker": "COD"}, page()},
		{obj{"offset": 1}, obj{"records": arr{paid}, "limit": 100, "offset": 1}},
	} {
		answers(t, v.alice.ask("main-account/smart/investments", c.fields), c.want)
	}
	answers(t, v.alice.ask(history, nil), page(interest))
	for _, id := range []any{made["id"], second["id"]} {
		refuses(t, v.alice.ask("main-account/smart/investment/close", obj{"id": id}), inner(422, 0, "error", "Investment is already closed"))
	}
}

// TestInterestInAnotherAsset: the ratio says how much of what is invested one unit of it is worth (earn 4).
func TestInterestInAnotherAsset(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	p := v.tenDays()
	p.Asset, p.Ratio = v.asset("COD"), fixed.FromInt(3)
	_, plan := v.offers(p)
	v.alice.must("main-account/smart/investment", obj{"planId": plan, "amount": "100"})
	v.goes(noon + 240*hour)
	v.alice.owns("COD", "100")
	v.alice.owns("USDT", "5003.33333333")
}

// TestFixedRefusals: what is wrong with a request, with nothing moved (earn 2).
func TestFixedRefusals(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	plan, id := v.offers(v.tenDays())
	_, flexID := v.offers(v.daily())
	const path = "main-account/smart/investment"
	number := broken("amount", "The amount field must be a valid number")
	unknown := broken("planId", "The selected planId is invalid.")
	decimals := broken("amount", "Invalid decimal amount")
	for _, c := range []struct {
		name    string
		changes obj
		want    refusal
	}{
		{"nothing", obj{"planId": nil, "amount": nil}, broken("planId", "The plan id field is required.").and("amount", "The amount field is required.")},
		{"no amount", obj{"amount": nil}, broken("amount", "The amount field is required.")},
		{"a number as a plan", obj{"planId": 7}, broken("planId", "The plan id must be a string.")},
		{"no plan", obj{"planId": noPlan}, unknown},
		{"no UUID", obj{"planId": "x"}, unknown},
		{"empty", obj{"planId": ""}, unknown},
		{"a flex plan", obj{"planId": flexID}, unknown},
		{"a word", obj{"amount": "much"}, number},
		{"an object", obj{"amount": obj{}}, number},
		{"true", obj{"amount": true}, number},
		{"zero", obj{"amount": "0"}, broken("amount", "The amount must be at least 0.00000001.")},
		{"below zero", obj{"amount": "-5"}, broken("amount", "The amount must be at least 0.00000001.")},
		{"far below zero", obj{"amount": "-1e40"}, broken("amount", "The amount must be at least 0.00000001.")},
		{"too fine", obj{"amount": "10.123456789"}, decimals},
		{"finer than money", obj{"amount": "10.1234567890123456789"}, decimals},
		{"too small", obj{"amount": "9.99999999"}, inner(422, 2, "amount", "Amount is less than min investment")},
		{"too large", obj{"amount": "1000.00000001"}, inner(422, 3, "amount", "Amount is more than max investment")},
		{"more than is left", obj{"amount": 1501}, broken("amount", "The amount is more than the 1500 that are left in the plan.")},
		{"beyond all money", obj{"amount": "1e40"}, broken("amount", "The amount is more than the 1500 that are left in the plan.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			refuses(t, v.trader(t, "alice").ask(path, changed(obj{"planId": id, "amount": "10"}, c.changes)), c.want)
		})
	}
	ask := func(want refusal) {
		t.Helper()
		refuses(t, v.alice.ask(path, obj{"planId": id, "amount": "100"}), want)
	}
	for status, text := range map[schema.PlanStatus]string{
		schema.PlanInactive: "Plan is inactive", schema.PlanPaused: "Plan is paused", schema.PlanSoldOut: "There are no coins left in the plan",
	} {
		v.set(plan, func(p *schema.Plan) { p.Status = status })
		ask(broken("planId", text))
	}
	v.set(plan, func(p *schema.Plan) { p.Private = true })
	ask(unknown)
	v.set(plan, func(p *schema.Plan) { p.Regions = schema.In(schema.EU) })
	ask(unknown)
	v.set(plan, func(p *schema.Plan) { p.Max, p.Cap = fixed.Zero, fixed.Zero })
	refuses(t, v.alice.ask(path, obj{"planId": id, "amount": "5000.5"}), inner(422, 4, "amount", "Available 5000 < 5000.5"))
	v.Do(&schema.FundSystem{Account: schema.Interest, Asset: v.asset("USDT"), Amount: fixed.FromInt(-991)})
	ask(inner(422, 5, "amount", "Not enough money to pay interest"))
	v.set(plan, func(p *schema.Plan) { p.Min, p.Percent = fixed.FromUnits(1, 8), fixed.FromUnits(1, 6) })
	refuses(t, v.alice.ask(path, obj{"planId": id, "amount": "0.9"}), inner(422, 0, "amount", "The interest on this amount is less than can be paid."))
	v.alice.owns("USDT", "5000")

	for fields, want := range map[*obj]refusal{
		{}:                         broken("id", "The id field is required."),
		{"id": 5}:                  broken("id", "The id must be a string."),
		{"id": "x"}:                broken("id", "Investment not found"),
		{"id": id}:                 broken("id", "Investment not found"),
		{"id": investmentLike(id)}: broken("id", "Investment not found"),
	} {
		refuses(t, v.alice.ask("main-account/smart/investment/close", *fields), want)
	}
	for fields, want := range map[*obj]refusal{
		{"id": "x"}:      broken("id", "The selected id is invalid."),
		{"ticker": "x"}:  broken("ticker", "The selected ticker is invalid."),
		{"status": 3}:    broken("status", "The selected status is invalid."),
		{"status": "on"}: broken("status", "The selected status is invalid."),
		{"limit": 0}:     broken("limit", "The limit must be at least 1."),
		{"limit": 101}:   broken("limit", "The limit may not be greater than 100."),
		{"limit": "x"}:   broken("limit", "The limit must be an integer."),
		{"offset": -1}:   broken("offset", "The offset must be at least 0."),
	} {
		refuses(t, v.alice.ask("main-account/smart/investments", *fields), want)
	}
	for fields, want := range map[*obj]refusal{
		{"planId": flexID}: unknown,
		{"ticker": "x"}:    broken("ticker", "The selected ticker is invalid."),
		{"limit": 101}:     broken("limit", "The limit may not be greater than 100."),
		{"offset": 10001}:  broken("offset", "The offset may not be greater than 10000."),
	} {
		refuses(t, v.alice.ask("main-account/smart/interest-payment-history", *fields), want)
	}
}

// investmentLike is the UUID of an investment of a plan that nobody has.
func investmentLike(plan string) string { return plan[:15] + "006" + plan[18:35] + "9" }

// TestNobodyElsesInvestment: one cannot be seen or closed by others; a sub-account of a partner invests for itself (earn, sub-accounts).
func TestNobodyElsesInvestment(t *testing.T) {
	t.Parallel()
	v := newEarnVenue(t)
	_, plan := v.offers(v.tenDays())
	made := v.alice.must("main-account/smart/investment", obj{"planId": plan, "amount": "100"})
	eve := v.trader(t, "eve")
	refuses(t, eve.ask("main-account/smart/investment/close", made), broken("id", "Investment not found"))
	refuses(t, eve.ask("main-account/smart/investments", made), broken("id", "The selected id is invalid."))
	answers(t, eve.ask("main-account/smart/investments", nil), obj{"records": arr{}, "limit": 100, "offset": 0})

	f := family{depositWorld{venue: v.venue, clock: v.clock}, v.alice, v.bob}
	desk := v.alice.opens("desk")
	v.alice.feeds(desk, "USDT", "50")
	key := f.operators(t, desk, "desk")
	key.must("main-account/smart/investment", obj{"planId": plan, "amount": "40"})
	key.owns("USDT", "10")
	bobs := v.bob.opens("bobs")
	refuses(t, f.operators(t, bobs, "bobs").ask("main-account/smart/plans", nil), noPermission)
}

// TestPlansOfADeployment: an exchange for a region has the plans of that region, whatever accounts are of (exchange-api-v4, smart/plans).
func TestPlansOfADeployment(t *testing.T) {
	t.Parallel()
	clock := newClock()
	people := map[string]obj{"alice": {"partner": true, "deposits": obj{"USDT": "5000"}, "trade": obj{}}}
	v := &earnVenue{venue{conform.Inside(t, worldOf(t, plain("COD_USDT"), people), func(o *exchange.Options) {
		o.Node.Clock, o.Region = clock.read, schema.EU
	})}, t, clock, trader{}, trader{}}
	v.alice = v.trader(t, "alice")
	v.Do(&schema.FundSystem{Account: schema.Interest, Asset: v.asset("USDT"), Amount: fixed.FromInt(1000)})
	plan, id := v.offers(v.tenDays())
	if got := len(v.alice.list("main-account/smart/plans", nil)); got != 1 {
		t.Errorf("%d plans of all regions", got)
	}
	v.set(plan, func(p *schema.Plan) { p.Regions = schema.In(schema.Global) })
	answers(t, v.alice.ask("main-account/smart/plans", nil), arr{})
	invest := func() conform.Reply {
		return v.alice.ask("main-account/smart/investment", obj{"planId": id, "amount": "100"})
	}
	refuses(t, invest(), broken("planId", "The selected planId is invalid."))
	v.alice.owns("USDT", "5000")
	v.set(plan, func(p *schema.Plan) { p.Regions = schema.In(schema.EU) })
	if r := invest(); r.Status/100 != 2 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	v.alice.owns("USDT", "4900")
}
