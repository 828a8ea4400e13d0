package ws

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestEveryReasonHasARow(t *testing.T) {
	reasons := schema.Reasons()[1:]
	for _, r := range reasons {
		if rows[r].code == 0 || rows[r].text == "" {
			t.Errorf("%d (%s) has no row", r, schema.Refuse(r).Text())
		}
		if e := refused(schema.Rejection{Reason: r, Value: fixed.FromUnits(5, 2)}); strings.ContainsAny(e.Message, "%#") {
			t.Errorf("%d: %s", r, e.Message)
		}
	}
	if len(rows) != len(reasons) {
		t.Errorf("%d rows for %d reasons", len(rows), len(reasons))
	}
	if e := refused(schema.Rejection{Reason: schema.PriceTooPrecise, Value: fixed.FromUnits(1, 8)}); e.Message != "price: precision is greater than 8" || e.Code != 1 {
		t.Errorf("%+v", e)
	}
}

func TestMethodsAboutOrders(t *testing.T) {
	s := bare(Options{})
	s.orderMethods()
	if len(s.methods) != 21 {
		t.Errorf("%d methods, want 21", len(s.methods))
	}
	for name, m := range s.methods {
		if !m.private || m.place != strings.HasSuffix(name, "_place") {
			t.Errorf("%s: private %v, place %v", name, m.private, m.place)
		}
	}
}

func TestBudgets(t *testing.T) {
	now := time.Unix(1000, 0)
	var b budget
	took := func(place bool, factor int) (n int) {
		for b.take(now, place, factor) {
			n++
		}
		return n
	}
	// The two budgets are apart from each other.
	if n := took(true, 1); n != 10_000 {
		t.Errorf("%d placements, want 10000", n)
	}
	if n := took(false, 1); n != 12_000 {
		t.Errorf("%d other requests, want 12000", n)
	}
	now = now.Add(10*time.Second - 1)
	if b.take(now, true, 1) || b.take(now, false, 1) {
		t.Error("the window ends early")
	}
	now = now.Add(1)
	if n := took(true, 3); n != 30_000 {
		t.Errorf("%d placements in the next window, want 30000", n)
	}
}

// TestPushesFollowReplies: what may be caused by a command is pushed behind the reply to it, and all
// of that in its order.
func TestPushesFollowReplies(t *testing.T) {
	c := &conn{server: &Server{}, turn: writing} // nobody writes: the queue can be looked at
	send := func(text string) { c.sendAfter([]byte(text)) }
	send("push 1")
	c.begun++
	send("push 2")
	c.begun++
	send("push 3")
	c.send([]byte("public"))
	c.sendReply([]byte("reply 1"))
	send("push 4")
	c.sendReply([]byte("reply 2"))
	send("push 5")
	var got []string
	bytes := 0
	for _, f := range c.queue {
		got, bytes = append(got, string(f)), bytes+len(f)+frameCost
	}
	want := []string{"push 1", "public", "reply 1", "push 2", "reply 2", "push 3", "push 4", "push 5"}
	if !slices.Equal(got, want) || c.queued != bytes {
		t.Errorf("%q with %d bytes, want %q with %d", got, c.queued, want, bytes)
	}
}
