package earn

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowded is an exchange with investments of both kinds, money that waits, debts to an open and a closed investment, and a private plan.
func crowded(t *testing.T) *exchange {
	x := open(t)
	x.with(mixed, func(p *schema.Plan) { p.Private = true })
	x.do(noon, &schema.AssignPlan{Plan: mixed, Account: alice, On: true}, schema.OK)
	x.do(noon, &schema.AssignPlan{Plan: mixed, Account: ben, On: true}, schema.OK)
	x.do(noon, invest(alice, term, "100"), schema.OK)
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	x.do(noon, reinvest(ben, flexed, "123.45"), schema.OK)
	x.do(noon, invest(ben, mixed, "100"), schema.OK)
	x.do(noon, reinvest(sub, flexed, "200"), schema.OK)
	x.at(midnight)
	x.do(midnight+hour+1, invest(ben, flexed, "10"), schema.OK)
	x.do(midnight+hour+1, invest(alice, term, "50"), schema.OK)
	x.fund(dollar, x.ledger.Available(x.house(dollar)).Neg().String())
	x.do(midnight+hour+1, all(alice, flexed), schema.OK)
	x.at(midnight + day)
	x.do(midnight+day+1, invest(alice, mixed, "50"), schema.OK)
	return x
}

func TestSectionsComeBack(t *testing.T) {
	x := crowded(t)
	if x.debts.count != 3 || x.terms.First == 0 || x.flexes.First == x.flexes.Last {
		t.Fatalf("%d debts", x.debts.count)
	}
	x.round.next = x.flexes.Last // as in the middle of a day's credits
	back := x.restarted()
	if v := back.open.At(back.round.next); v.account != sub || back.round.day != x.round.day || back.last != 7 || back.lastAction != x.lastAction {
		t.Errorf("%+v", back.round)
	}
	if !slices.Equal(back.Assigned(mixed), []schema.AccountID{alice, ben}) || back.Invested(flexed) != x.Invested(flexed) {
		t.Error("something is lost")
	}
	if err := back.Verify(); err != nil {
		t.Error(err)
	}
}

// TestInvestmentsOfAnAccountComeBackInOrder: those of one kind are restored after those of the other, whatever their numbers.
func TestInvestmentsOfAnAccountComeBackInOrder(t *testing.T) {
	x := crowded(t)
	x.fund(dollar, "1000")
	x.do(midnight+day+1, invest(ben, term, "50"), schema.OK)
	for _, account := range []schema.AccountID{alice, ben, sub} {
		want, got := x.Investments(account), x.restarted().Investments(account)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("account %d has %+v, and after a restart %+v", account, want, got)
		}
	}
	if list := x.Investments(ben); len(list) < 2 || list[0].Due != 0 || list[len(list)-1].Due == 0 {
		t.Errorf("no fixed investment is newer than a flex one: %+v", list)
	}
}

// TestSectionsRefuse what no command could have left.
func TestSectionsRefuse(t *testing.T) {
	flex := func(e *Earn) *investment { return e.open.At(e.flexes.First) }
	fix := func(e *Earn) *investment { return e.open.At(e.terms.First) }
	owed := func(e *Earn) *debt { return e.debts.first(dollar) }
	for i, tt := range []struct {
		want  string
		spoil func(e *Earn)
	}{
		{"plan 3: it stands in the wrong place, or its name is that of another", func(e *Earn) { e.plans[0].Name = "flex" }},
		{"plan 5: it stands in the wrong place", func(e *Earn) { e.plans[0].ID = 5 }},
		{"plan 1: it cannot be as it is", func(e *Earn) { e.plans[0].Minutes = 0 }},
		{"plan 1: it cannot be as it is", func(e *Earn) { e.plans[0].Asset = 9 }},
		{"plan 3: its index cannot be", func(e *Earn) { e.plans[2].midnight = e.plans[2].index + 1 }},
		{"plan 3: its index cannot be", func(e *Earn) { e.plans[2].running = 10_000_000_001 }},
		{"plan 3: its index cannot be", func(e *Earn) { e.plans[2].hour = 5 }},
		{"one is not there, or there are too many", func(e *Earn) { e.plans[1].assigned[0] = schema.House }},
		{"they stand in the wrong place", func(e *Earn) { e.plans[1].assigned[0] = sub }},
		{"its account or its plan cannot be", func(e *Earn) { fix(e).account = 5 }},
		{"its account or its plan cannot be", func(e *Earn) { fix(e).plan = flexed }},
		{"its account or its plan cannot be", func(e *Earn) { fix(e).plan = 9 }},
		{"its account or its plan cannot be", func(e *Earn) { flex(e).plan = term }},
		{"its account or its plan cannot be", func(e *Earn) { e.plans[2].used = false }},
		{"it stands in the wrong place, or twice", func(e *Earn) { flex(e).id = 99 }},
		{"it stands in the wrong place, or twice", func(e *Earn) { flex(e).id = fix(e).id }},
		{"its account has too many", func(e *Earn) { e.open.At(e.flexes.Last).account = ben }},
		{"its amount cannot be", func(e *Earn) { fix(e).amount = fixed.Zero }},
		{"its amount cannot be", func(e *Earn) { fix(e).amount = d("0.000000001") }},
		{"its amount cannot be", func(e *Earn) {
			e.open.At(e.flexes.Last).amount = d("170141183460469231731.68730371")
		}},
		{"its times cannot be", func(e *Earn) { fix(e).updated = fix(e).created - 1 }},
		{"its interest or its end cannot be", func(e *Earn) { fix(e).interest = fixed.Zero }},
		{"its interest or its end cannot be", func(e *Earn) { fix(e).due = fix(e).created }},
		{"it cannot be paid, closed, or reinvested", func(e *Earn) { fix(e).reinvest = true }},
		{"it cannot have a term", func(e *Earn) { flex(e).due = 5 }},
		{"what it earned cannot be", func(e *Earn) { flex(e).interest = d("-1") }},
		{"what it earned cannot be", func(e *Earn) { flex(e).rest = perUnit }},
		{"what it earned cannot be", func(e *Earn) { flex(e).base = e.plans[2].index + 1 }},
		{"what it earned cannot be", func(e *Earn) { flex(e).waiting = d("1") }},
		{"what it earned cannot be", func(e *Earn) { flex(e).joins = 1 }},
		{"what it earned cannot be", func(e *Earn) { v := flex(e); v.waiting, v.joins = v.amount.Add(d("1")), e.plans[2].hour }},
		{"what it earned cannot be", func(e *Earn) { v := flex(e); v.waiting, v.joins = d("-1"), e.plans[2].hour }},
		{"what it earned cannot be", func(e *Earn) { v := flex(e); v.waiting, v.joins, v.from = d("1"), e.plans[2].hour+2, v.base }},
		{"what it earned cannot be", func(e *Earn) { v := flex(e); v.waiting, v.joins, v.from = d("1"), e.plans[2].hour, v.base-1 }},
		{"what it earned cannot be", func(e *Earn) { flex(e).from = 7 }},
		{"what it earned cannot be", func(e *Earn) { flex(e).day++ }},
		{"what it earned cannot be", func(e *Earn) { flex(e).day--; e.plans[2].midnight = flex(e).base - 1 }},
		{"its account or its plan cannot be", func(e *Earn) { owed(e).plan = mixed }},
		{"its account or its plan cannot be", func(e *Earn) { owed(e).account = 9 }},
		{"its account or its plan cannot be", func(e *Earn) { owed(e).investment = 0 }},
		{"the amount cannot be", func(e *Earn) { owed(e).amount = fixed.Zero }},
		{"the amount cannot be", func(e *Earn) { owed(e).amount = d("0.000000001") }},
		{"it is that of another account or plan", func(e *Earn) { owed(e).investment = flex(e).id }},
		{"it stands in the wrong place", func(e *Earn) { owed(e).investment = 99 }},
		{"there is nothing to credit, or the day is to come", func(e *Earn) { e.round.day++ }},
		{"there is nothing to credit, or the day is to come", func(e *Earn) { e.round.next = e.terms.First }},
		{"it is less than a number that was given", func(e *Earn) { e.last = 6 }},
	} {
		x := crowded(t)
		tt.spoil(x.Earn)
		back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.out))
		err := (&product.Reader{Rest: written(x.Earn)}).Sections(back.Sections())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("case %d: %v, want %q", i, err, tt.want)
		}
	}
}

// TestVerifyFinds what is wrong though each part looks right.
func TestVerifyFinds(t *testing.T) {
	for i, tt := range []struct {
		want  string
		spoil func(x *exchange)
	}{
		{"is not found by its number", func(x *exchange) { x.open.At(x.terms.First).id = 3 }},
		{"is not found by its end", func(x *exchange) { x.open.At(x.terms.First).due++ }},
		{"cannot have earned what it did", func(x *exchange) { x.open.At(x.flexes.First).rest = perUnit }},
		{"has the balances of another account", func(x *exchange) { x.open.At(x.terms.First).main++ }},
		{"is not found by its name", func(x *exchange) { delete(x.names, "term") }},
		{"in plan 3 there is 330", func(x *exchange) { x.plans[2].total = d("330") }},
		{"account 102 has 2 investments, and finds 1", func(x *exchange) { x.must(x.clock, invest(ben, mixed, "1")); x.open.At(x.newest[ben]).next = 0 }},
		{"finds investment", func(x *exchange) { x.newest[sub], x.newest[alice] = x.newest[alice], x.newest[sub] }},
		{"in its earn wallet", func(x *exchange) {
			x.ledger.Move(x.ledger.Find(alice, schema.Main, dollar), x.ledger.Find(alice, schema.Earn, dollar), d("1"), note())
		}},
		{"for interest there is", func(x *exchange) { x.ledger.Freeze(x.house(coin), d("0.1"), note()) }},
		{"and knows of", func(x *exchange) { x.debts.of[alice]++ }},
		{"sums are owed", func(x *exchange) { x.debts.count++ }},
		{"is found by another", func(x *exchange) { x.debts.first(dollar).investment = 7 }},
		{"goes on with an investment that is none", func(x *exchange) { x.round.next = x.terms.First }},
	} {
		x := crowded(t)
		tt.spoil(x)
		if err := x.Verify(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("case %d: %v, want %q", i, err, tt.want)
		}
	}
}
