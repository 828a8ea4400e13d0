package ws

import (
	"slices"
	"testing"
	"time"
)

func TestBudgets(t *testing.T) {
	now := time.Unix(1000, 0)
	var b budget
	took := func(which Budget, factor int) (n int) {
		for b.take(now, which, factor) {
			n++
		}
		return n
	}
	// The two budgets are apart from each other.
	if n := took(Placements, 1); n != 10_000 {
		t.Errorf("%d placements, want 10000", n)
	}
	if n := took(Requests, 1); n != 12_000 {
		t.Errorf("%d other requests, want 12000", n)
	}
	now = now.Add(10*time.Second - 1)
	if b.take(now, Placements, 1) || b.take(now, Requests, 1) {
		t.Error("the window ends early")
	}
	now = now.Add(1)
	if n := took(Placements, 3); n != 30_000 {
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
