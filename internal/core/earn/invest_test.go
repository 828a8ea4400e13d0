package earn

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestInvestIsCheckedInOrder: each refusal, once what comes before it is put right.
func TestInvestIsCheckedInOrder(t *testing.T) {
	for _, kind := range []schema.PlanKind{schema.FixedPlan, schema.FlexPlan} {
		t.Run(kind.String(), func(t *testing.T) {
			x := open(t)
			id, hidden, inactive := term, schema.PlanUnknown, schema.PlanIsInactive
			if kind == schema.FlexPlan {
				id, hidden, inactive = flexed, schema.PlanPrivate, schema.PlanUnknown
			}
			x.with(id, func(p *schema.Plan) {
				p.Regions, p.Private, p.Status, p.Min, p.Max, p.Cap = schema.In(schema.EU), true, schema.PlanInactive, d("10"), d("100"), d("400")
			})
			dave := schema.Account{ID: sub + 1, Name: "dave", Region: schema.Global, Blocked: true}
			m := invest(sub+1, 99, "-1")
			x.do(noon, m, schema.AccountUnknown)
			dave.ID = 0
			x.must(noon, &schema.SetAccount{Account: dave})
			dave.ID = sub + 1
			x.do(noon, m, schema.AccountBlocked)
			dave.Blocked = false
			x.must(noon, &schema.SetAccount{Account: dave})
			x.do(noon, m, schema.NoPermission)
			dave.Partner = true
			x.must(noon, &schema.SetAccount{Account: dave})
			x.do(noon, m, schema.PlanUnknown)
			m.Plan = id
			x.do(noon, m, schema.PlanUnknown) // not in this region
			dave.Region = schema.EU
			x.must(noon, &schema.SetAccount{Account: dave})
			x.do(noon, m, hidden)
			x.must(noon, &schema.AssignPlan{Plan: id, Account: dave.ID, On: true})
			x.do(noon, m, inactive)
			x.with(id, func(p *schema.Plan) { p.Status = schema.PlanPaused })
			x.do(noon, m, schema.PlanIsPaused)
			x.with(id, func(p *schema.Plan) { p.Status = schema.PlanSoldOut })
			x.do(noon, m, schema.PlanIsSoldOut)
			x.with(id, func(p *schema.Plan) { p.Status = schema.PlanActive })
			if r := x.do(noon, m, schema.MoveNotPositive); r.Value != d("0.01") {
				t.Errorf("the refusal says %s", r.Value)
			}
			m.Amount = d("5000.001")
			if r := x.do(noon, m, schema.MoveTooPrecise); r.Value != d("2") {
				t.Errorf("the refusal says %s", r.Value)
			}
			m.Amount = d("400.01")
			if kind == schema.FixedPlan {
				if r := x.do(noon, m, schema.PlanSpent); r.Value != d("400") {
					t.Errorf("the refusal says %s", r.Value)
				}
			} else {
				x.do(noon, m, schema.InvestmentAboveLimit)
			}
			m.Amount = d("9.99")
			x.do(noon, m, schema.InvestmentBelowMin)
			m.Amount = d("100.01")
			x.do(noon, m, schema.InvestmentAboveMax)
			m.Amount = d("100")
			if r := x.do(noon, m, schema.InvestmentNotCovered); r.Value != fixed.Zero {
				t.Errorf("the refusal says %s", r.Value)
			}
			x.must(noon, &schema.Deposit{Account: dave.ID, Asset: dollar, Amount: d("100")})
			x.must(noon, &schema.Deposit{Account: dave.ID, Asset: dollar, Amount: d("50"), Held: true})
			m.Amount = d("100")
			x.must(noon, &schema.Transfer{Account: dave.ID, Asset: dollar, Amount: d("0.01"), From: schema.Main, To: schema.Trade})
			if r := x.do(noon, m, schema.InvestmentNotCovered); r.Value != d("99.99") {
				t.Errorf("the refusal says %s", r.Value)
			}
			m.Amount = d("99.99")
			x.must(noon, &schema.Deposit{Account: dave.ID, Asset: coin, Amount: d("1"), Held: true})
			x.must(noon, &schema.MoveSub{Master: alice, Sub: sub, Asset: dollar, Amount: d("1"), ToSub: true})
			main, away := x.ledger.Find(dave.ID, schema.Main, coin), x.ledger.Find(schema.Outside, schema.Main, coin)
			x.ledger.Move(main, away, d("0.5"), note()) // as if it was traded
			x.do(noon, m, schema.MoveHeld)
			x.ledger.Move(away, main, d("0.5"), note())
			owed := x.ledger.Open(dave.ID, schema.Owed, dollar)
			x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, dollar), owed, d("0.01"), note())
			x.do(noon, m, schema.Owing)
			x.ledger.Move(owed, x.ledger.Find(schema.House, schema.Owed, dollar), d("0.01"), note())
			x.fund(dollar, "-1000")
			x.do(noon, m, schema.InterestNotCovered)
			x.fund(dollar, "9.99")
			x.do(noon, m, schema.OK)
		})
	}
}

// TestTheDeploymentBinds: one of the EU offers plans for the EU alone.
func TestTheDeploymentBinds(t *testing.T) {
	x := open(t)
	x.with(term, func(p *schema.Plan) { p.Regions = schema.In(schema.Global) })
	x.out.Region = schema.EU
	x.do(noon, invest(alice, term, "1"), schema.PlanUnknown)
	x.out.Region = schema.Global
	x.do(noon, invest(alice, term, "1"), schema.OK)
}

// TestSubAccountsInvest by the leave of their masters, which they need not have themselves.
func TestSubAccountsInvest(t *testing.T) {
	x := open(t)
	x.do(noon, invest(sub, term, "1"), schema.OK)
	x.do(noon, invest(carl, term, "1"), schema.NoPermission)
	x.must(noon, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}})
	x.do(noon, invest(sub, flexed, "10"), schema.NoPermission)
	if !x.Holds(sub) || x.Holds(alice) {
		t.Error("somebody else has the investment")
	}
}

// TestCapsAndEdges of what may be invested.
func TestCapsAndEdges(t *testing.T) {
	x := open(t)
	x.with(term, func(p *schema.Plan) { p.Min, p.Max, p.Cap = d("10"), d("100"), d("150") })
	x.do(noon, invest(alice, term, "9.99"), schema.InvestmentBelowMin)
	x.do(noon, invest(alice, term, "100.01"), schema.InvestmentAboveMax)
	x.do(noon, invest(alice, term, "100"), schema.OK)
	if r := x.do(noon, invest(ben, term, "50.01"), schema.PlanSpent); r.Value != d("50") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(noon, invest(ben, term, "50"), schema.OK)
	x.with(term, func(p *schema.Plan) { p.Cap = d("120") })
	if r := x.do(noon, invest(sub, term, "10"), schema.PlanSpent); r.Value != fixed.Zero {
		t.Errorf("the refusal says %s", r.Value)
	}
	if x.Invested(term) != d("150") || x.Invested(9) != fixed.Zero {
		t.Errorf("%s are invested", x.Invested(term))
	}
	x.do(noon, end(alice, 1), schema.OK)
	x.do(noon, invest(sub, term, "70"), schema.OK)
	x.with(term, func(p *schema.Plan) { p.Cap, p.Max = fixed.Zero, fixed.Zero })
	x.do(noon, invest(alice, term, fixed.Max.Sub(d("0.007303715884105727")).String()), schema.InvestmentNotCovered)
	x.with(flexed, func(p *schema.Plan) { p.Cap, p.Max = fixed.Zero, fixed.Zero })
	x.do(noon, invest(alice, flexed, fixed.Max.Sub(d("0.007303715884105727")).String()), schema.InvestmentNotCovered)
}

// TestOneInvestmentInAFixedPlan, unless an operator lets an account have several.
func TestOneInvestmentInAFixedPlan(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, term, "1"), schema.OK)
	x.do(noon, invest(alice, term, "0.5"), schema.InvestmentExists) // before the least amount is looked at
	x.do(noon, invest(alice, mixed, "1"), schema.OK)
	x.do(noon, invest(ben, term, "1"), schema.OK)
	x.must(noon, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Partner: true, MultiInvest: true}})
	x.do(noon, invest(alice, term, "1"), schema.OK)
	x.do(noon, invest(sub, term, "1"), schema.OK)
	x.do(noon, invest(sub, term, "1"), schema.InvestmentExists) // the right is the master's alone
	x.do(noon, end(alice, 1), schema.OK)
	if list := x.Investments(alice); len(list) != 2 || list[0].ID != 2 || list[1].ID != 4 {
		t.Errorf("%+v", list)
	}
}

// TestSoManyInvestments, of both kinds together. More money in a flex plan is none more.
func TestSoManyInvestments(t *testing.T) {
	x := open(t)
	x.must(noon, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Partner: true, MultiInvest: true}})
	x.do(noon, invest(alice, flexed, "10"), schema.OK)
	for range 99 {
		x.must(noon, invest(alice, term, "1"))
	}
	if r := x.do(noon, invest(alice, term, "0.5"), schema.InvestmentsTooMany); r.Value != d("100") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.must(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) { p.Name = "flex2" })})
	if r := x.do(noon, invest(alice, 4, "1"), schema.InvestmentsTooMany); r.Value != d("100") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(noon, invest(alice, flexed, "1"), schema.OK)
	x.do(noon, end(alice, 50), schema.OK)
	x.do(noon, invest(alice, 4, "10"), schema.OK)
	x.do(noon, invest(alice, term, "1"), schema.InvestmentsTooMany)
	for i, v := range x.Investments(alice) {
		if i > 0 && v.ID <= x.Investments(alice)[i-1].ID {
			t.Fatal("they are out of order")
		}
	}
}

// TestNumbersAreNeverUsedAgain, neither of investments nor of what happens to them.
func TestNumbersAreNeverUsedAgain(t *testing.T) {
	x := open(t)
	for n := range 4 {
		x.do(noon, invest(alice, term, "1"), schema.OK)
		if x.out.Result.ID != uint64(n+1) {
			t.Errorf("investment %d", x.out.Result.ID)
		}
		x.do(noon, end(alice, schema.InvestmentID(n+1)), schema.OK)
		x.tells(fmt.Sprintf("%d is closed with 1 and 0 paid", n+1), fmt.Sprintf("%d: principal 1 of %d", 2*n+2, n+1))
	}
}

// TestWhatIsPaidRepaysChains: principal and interest, before anything can be done with them.
func TestWhatIsPaidRepaysChains(t *testing.T) {
	x := open(t)
	owe := func(asset schema.AssetID, amount string) {
		x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, asset), x.ledger.Open(alice, schema.Owed, asset), d(amount), note())
	}
	x.do(noon, invest(alice, mixed, "100"), schema.OK)
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	x.ledger.Move(x.ledger.Find(alice, schema.Main, dollar), x.ledger.Find(schema.Outside, schema.Main, dollar), d("9800"), note())
	owe(dollar, "150.5")
	owe(coin, "0.00007")
	x.apply(noon+hour, &schema.Tick{})
	x.has(alice, schema.Owed, dollar, "50.5", "0")
	x.has(alice, schema.Owed, coin, "0", "0")
	x.has(alice, schema.Main, coin, "0.000005", "0")
	x.apply(noon+12*hour, &schema.Tick{})
	x.has(alice, schema.Owed, dollar, "49.4", "0")
	x.apply(noon+12*hour, divest(alice, flexed, "40"))
	x.has(alice, schema.Owed, dollar, "9.4", "0")
	x.apply(noon+12*hour, all(alice, flexed))
	x.has(alice, schema.Owed, dollar, "0", "0")
	x.has(alice, schema.Main, dollar, "50.6", "0")
}
