package core

import (
	"testing"

	"bourse/internal/schema"
)

func TestTimeNeverGoesBackwards(t *testing.T) {
	m := New()
	apply(t, m, start, genesis()...)
	for _, tt := range []struct{ sent, happens schema.Time }{
		{start + 10, start + 10},
		{start + 5, start + 10}, // earlier than the last one: at its time
		{0, start + 10},
		{-1 << 62, start + 10},
		{start + 10, start + 10},
		{start + 11, start + 11},
	} {
		out := m.Apply(tt.sent, &schema.Deposit{Account: 101, Asset: 1, Amount: d("1")})
		if out.Result.Rejection.Refused() || out.Time != tt.happens || m.Time() != tt.happens {
			t.Errorf("sent at %d: happened at %d, the clock is %d, want %d", tt.sent-start, out.Time-start, m.Time()-start, tt.happens-start)
		}
	}
}

func TestOrderIsCreatedAtTheTimeOfTheClock(t *testing.T) {
	m := New()
	apply(t, m, start+7, genesis()...)
	out := m.Apply(start, order(101, schema.OrderRequest{Side: schema.Buy, Amount: d("1"), Price: d("20")}))
	if o := out.Result.Order; o.Created != start+7 || o.Updated != start+7 {
		t.Errorf("created at %d, updated at %d after the start", o.Created-start, o.Updated-start)
	}
}

func TestRefusedCommandDoesNotAdvanceTheClock(t *testing.T) {
	m := New()
	apply(t, m, start, genesis()...)
	hash := m.Hash()
	out := m.Apply(start+1000*schema.Second, &schema.Withdraw{Account: 101, Asset: 1, Amount: d("999999")})
	if !out.Result.Rejection.Refused() || out.Time != start+1000*schema.Second {
		t.Fatalf("got %v at %d", out.Result.Rejection, out.Time)
	}
	if m.Time() != start || m.Hash() != hash {
		t.Error("a refused command moved the clock")
	}
	if out := m.Apply(start+1, &schema.Tick{}); out.Time != start+1 {
		t.Errorf("the next command happens %d after the start", out.Time-start)
	}
}

func TestTickThatIsNotLaterIsIgnored(t *testing.T) {
	m := lively(t) // its last tick is at start+2
	deadline := start + 2 + 60*schema.Second
	hash := m.Hash()
	for _, at := range []schema.Time{start + 2, start + 1, 0} {
		if out := m.Apply(at, &schema.Tick{}); out.Result.Rejection.Refused() || out.Events.Len() != 0 || m.Hash() != hash {
			t.Errorf("a tick at %d did something: %d events", at-start, out.Events.Len())
		}
	}
	if n := m.Apply(deadline-1, &schema.Tick{}).Events.Len(); n != 0 {
		t.Errorf("%d events before the deadline of a kill switch", n)
	}
	if n := m.Apply(deadline, &schema.Tick{}).Events.Len(); n == 0 {
		t.Error("the kill switch did not fire at its deadline")
	}
	hash = m.Hash()
	// Another node proposes the same tick.
	if out := m.Apply(deadline, &schema.Tick{}); out.Events.Len() != 0 || m.Hash() != hash {
		t.Error("the same tick did something twice")
	}
}

// TestTickAfterALaterCommandRunsAtTheClock: the clock is ahead of the last tick, so a tick that arrives late
// still runs, at the time of the clock.
func TestTickAfterALaterCommandRunsAtTheClock(t *testing.T) {
	m := lively(t)
	deadline := start + 2 + 60*schema.Second
	apply(t, m, deadline, &schema.Deposit{Account: 101, Asset: 1, Amount: d("1")})
	if out := m.Apply(deadline-30*schema.Second, &schema.Tick{}); out.Time != deadline || out.Events.Len() == 0 {
		t.Errorf("it happened %d before the deadline with %d events", deadline-out.Time, out.Events.Len())
	}
}

// TestEveryCommandIsDispatched gives the core an empty command of every kind: what is listed in
// the schema must have a place here, and nonsense is refused, not a panic.
func TestEveryCommandIsDispatched(t *testing.T) {
	for _, m := range []*Machine{New(), lively(t)} {
		for _, c := range schema.Commands() {
			before := m.Hash()
			out := m.Apply(m.Time(), c)
			_, tick := c.(*schema.Tick)
			_, goesOn := c.(*schema.Continue)
			_, tier := c.(*schema.SetTier) // the lowest, without bounds
			_, lease := c.(*schema.LeasePool)
			if out.Result.Rejection.Refused() == (tick || goesOn || tier || lease) {
				t.Errorf("an empty %T: refused %v", c, out.Result.Rejection.Refused())
			}
			if !tick && !tier && !lease && m.Hash() != before {
				t.Errorf("an empty %T changed the state", c)
			}
		}
	}
}
