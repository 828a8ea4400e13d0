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
