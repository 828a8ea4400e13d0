package core

import (
	"testing"

	"bourse/internal/schema"
)

// sliced is a machine with the market of genesis that has no steps, on which commands do one unit of
// work at a time.
func sliced(t *testing.T) *Machine {
	t.Helper()
	m := New()
	m.SetSlice(1)
	for _, f := range schema.BirthFeatures() {
		apply(t, m, start, &schema.SetFeature{Feature: f.Feature, On: f.On})
	}
	apply(t, m, start, genesis()...)
	return m
}

// finish sends Continue until nothing is left to be done and returns the answer to a command.
func finish(t *testing.T, m *Machine, at schema.Time, cmd schema.Command) schema.Result {
	t.Helper()
	out := m.Apply(at, cmd)
	answer, work := *copied(&out.Result), out.Work
	for n := 0; m.Busy(); n++ {
		if n > 1000 {
			t.Fatal("the work does not end")
		}
		if out = m.Apply(at, &schema.Continue{}); out.Finished == work {
			answer = *copied(&out.Result)
		}
	}
	if answer.Rejection.Refused() {
		t.Fatalf("%T %+v: %s", cmd, cmd, answer.Rejection.Text())
	}
	return answer
}

// TestAnswerOfAnOrderThatEndedBeforeItsWork: the order is over after the first slice, and the stop
// that it woke up keeps the machine busy.
func TestAnswerOfAnOrderThatEndedBeforeItsWork(t *testing.T) {
	m := sliced(t)
	apply(t, m, start+1,
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")}),
		order(102, schema.OrderRequest{Market: 2, Side: schema.Buy, Amount: d("1"), Price: d("20")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("21")}),
		order(103, schema.OrderRequest{Market: 2, Type: schema.StopLimit, Side: schema.Buy, Amount: d("1"), Price: d("19"), ActivationPrice: d("21")}),
	)
	got := finish(t, m, start+2, order(102, schema.OrderRequest{Market: 2, Side: schema.Buy, Amount: d("1"), Price: d("21")})).Order
	if got.ID != 5 || got.Status != schema.Filled || got.DealStock != d("1") {
		t.Errorf("the answer is %+v", got)
	}
}

// TestMaintenanceThatIsOverBeforeItsWork: a late tick begins and ends a maintenance at once, also if
// ending the orders takes more than a slice.
func TestMaintenanceThatIsOverBeforeItsWork(t *testing.T) {
	m := sliced(t)
	apply(t, m, start+1,
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("21")}),
		&schema.PlanMaintenance{Market: 2, From: start + 2, To: start + 3},
	)
	finish(t, m, start+4, &schema.Tick{})
	if info := m.Listing().Market(2); info.InMaintenance || info.MaintenanceFrom != 0 || m.Trading().Count(2) != 0 {
		t.Errorf("%d orders are open on %+v", m.Trading().Count(2), info)
	}
}

// TestBusyMarketUsesUpNothing: a signed command for a busy market can be sent again with its nonce.
func TestBusyMarketUsesUpNothing(t *testing.T) {
	m := sliced(t)
	apply(t, m, start+1,
		&schema.SetKey{Key: schema.Key{Key: "signer", Account: 101, Sealed: []byte("sealed"), Enabled: true}},
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("21")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("22")}),
	)
	from := schema.Origin{Key: 1, Nonce: 7, Operator: "olga"}
	place := order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("23")})
	work := m.Apply(start+2, &schema.CancelAll{Account: 101, Market: 2}).Work
	if work == 0 || !m.Busy() || !m.Blocks(place) {
		t.Fatalf("three orders ended in one slice of one: work %d", work)
	}
	before := m.Hash()
	out := m.ApplyFrom(start+3, from, place)
	if out.Result.Rejection != schema.Refuse(schema.MarketBusy) || out.Events.Len() != 0 || m.Hash() != before {
		t.Errorf("on a busy market: %q, %d events", out.Result.Rejection.Text(), out.Events.Len())
	}
	elsewhere := order(101, schema.OrderRequest{Market: 1, Side: schema.Sell, Amount: d("1"), Price: d("23")})
	apply(t, m, start+3, elsewhere)
	for n := 0; ; n++ {
		out := m.Apply(start+3, &schema.Continue{})
		if out.Finished == work {
			break
		}
		if n > 3 {
			t.Fatal("three orders did not end in four slices")
		}
	}
	if m.Busy() || m.Trading().Count(2) != 0 {
		t.Errorf("busy is %t, %d orders are open", m.Busy(), m.Trading().Count(2))
	}
	if r := m.ApplyFrom(start+4, from, place).Result.Rejection; r.Refused() {
		t.Errorf("sent again: %s", r.Text())
	}
}

// TestDelistingAndKillSwitches: a kill switch of a market that is gone fires at its time, on nothing.
// Without bounded work it goes with the market.
func TestDelistingAndKillSwitches(t *testing.T) {
	for _, bounded := range []bool{false, true} {
		tr := newTrial(1)
		log := []moment{}
		if bounded {
			log = append(log, moment{at: start, cmd: &schema.SetFeature{Feature: schema.BoundedWork, On: true}})
		}
		for _, c := range genesis() {
			log = append(log, moment{at: start, cmd: c})
		}
		log = append(log,
			moment{at: start, cmd: order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")})},
			moment{at: start, cmd: order(102, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")})},
			moment{at: start, cmd: &schema.SetKillSwitch{Account: 101, Market: 2, Timeout: schema.MinKillSwitch}},
			moment{at: start, cmd: &schema.PlanDelisting{Market: 2, At: start + 1}},
			moment{at: start + 1, cmd: &schema.Tick{}})
		if err := sender(tr.apply).run(log...); err != nil {
			t.Fatal(err)
		}
		if timers := tr.fast.Trading().KillSwitches(); len(timers) == 1 != bounded {
			t.Errorf("bounded work %t: the timers are %+v", bounded, timers)
		}
		if err := sender(tr.apply).run(moment{at: start + schema.MinKillSwitch, cmd: &schema.Tick{}}); err != nil {
			t.Fatal(err)
		}
		if timers := tr.fast.Trading().KillSwitches(); len(timers) != 0 {
			t.Errorf("bounded work %t: the timers are still %+v", bounded, timers)
		}
	}
}

// TestClaimsWaitForABusyMarket: what an account owes may be in orders on a market with unfinished work. The claim stays until the
// market is free.
func TestClaimsWaitForABusyMarket(t *testing.T) {
	m := sliced(t)
	coin := *m.Listing().Asset(m.Listing().Market(2).Base)
	coin.Networks = []schema.Network{{Name: "PLAY", Chain: 1, CanDeposit: true, Confirmations: 2, ConfirmationsForTrading: 1}}
	coin.CanDeposit = true
	apply(t, m, start+1,
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		&schema.SetAsset{Asset: coin}, &schema.SetAccount{Account: schema.Account{Name: "eve", Region: schema.Global}})
	eve := m.Accounts().ByName("eve").ID
	apply(t, m, start+1,
		&schema.OpenAddress{Account: eve, Chain: 1},
		&schema.PaySandbox{Chain: 1, Receipt: schema.Receipt{Asset: coin.ID, Amount: d("1"), Index: 1}},
		&schema.MineSandbox{Chain: 1, Blocks: 1},
		&schema.Transfer{Account: eve, Asset: coin.ID, Amount: d("1"), From: schema.Main, To: schema.Trade},
		order(eve, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("30")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("20")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("21")}),
		order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("1"), Price: d("22")}),
		&schema.ReorgSandbox{Chain: 1, Depth: 1, DropAll: true},
		&schema.MineSandbox{Chain: 1, Blocks: 10})
	owed := func() string {
		owes, _, _ := m.Balance(eve, schema.Owed, coin.ID)
		return owes.String()
	}
	m.Apply(start+2, &schema.CancelAll{Account: 101, Market: 2})
	m.Apply(start+3, &schema.Tick{})
	if !m.Busy() || owed() != "1" {
		t.Fatalf("busy %v, owed %s", m.Busy(), owed())
	}
	for m.Busy() {
		m.Apply(start+4, &schema.Continue{})
	}
	m.Apply(start+5, &schema.Tick{})
	if owed() != "0" || m.Trading().Count(2) != 0 {
		t.Errorf("%s is owed, and %d orders are open", owed(), m.Trading().Count(2))
	}
}
