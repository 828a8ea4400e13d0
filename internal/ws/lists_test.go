package ws

import (
	"testing"

	"github.com/gobwas/ws"
)

// TestListsArePushedWhenTheyChanged: ticks at which a client knows the list already push nothing.
func TestListsArePushedWhenTheyChanged(t *testing.T) {
	s, c, client := aServer(t)
	if !c.handle([]byte(`{"id":1,"method":"positionsMargin_subscribe","params":[]}`)) {
		t.Fatal("the connection ended")
	}
	none := `{"method":"positionsMargin_update","params":{"total":0,"records":[]},"id":null}`
	for _, want := range []string{`{"error":null,"result":{"status":"success"},"id":1}`, none} {
		if got := reads(t, client); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for range 3 {
		s.personal.positions.tick()
	}
	c.send(frame(ws.OpText, []byte("after three ticks")))
	if got := reads(t, client); got != "after three ticks" {
		t.Errorf("a list that did not change was pushed: %s", got)
	}
	// One who got another list gets this one.
	s.personal.positions.private.all(func(sub *subscription[listScope]) { sub.scope.last = nil })
	s.personal.positions.tick()
	if got := reads(t, client); got != none {
		t.Errorf("%s, want %s", got, none)
	}
}
