package conform

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// privateMethods are all methods that nobody may use without rights.
func privateMethods() (all []string) {
	for _, name := range []string{
		"balanceSpot", "balanceMargin", "ordersPending", "ordersExecuted", "deals", "positionsMargin", "positionsAccountMargin",
		"borrowsMargin", "borrowsAccountMargin", "ADLQuantile",
	} {
		all = append(all, name+"_subscribe", name+"_unsubscribe")
	}
	return append(all, "balanceSpot_request", "balanceMargin_request", "ordersPending_request", "ordersExecuted_request", "deals_request")
}

func TestSocketRights(t *testing.T) {
	p := privateOpen(t)
	for _, name := range privateMethods() {
		p.Socket().Refused(6, "require authentication", name)
	}
	directory := p.Exchange.API.Directory()
	listen := func(c *Client) *Socket {
		s := c.Authorized()
		s.Must("ordersPending_subscribe")
		s.Must("ordersExecuted_subscribe", []any{}, 0)
		s.Must("deals_subscribe")
		return s
	}
	off, on := listen(p.alice), listen(p.Client("second", "s"))
	key := directory.Key([]byte("alice")).Key
	key.Enabled = false
	p.Do(&schema.SetKey{Key: key})
	for _, name := range privateMethods() {
		off.Refused(6, "require authentication", name)
	}
	p.Client("second", "s").limit("buy", "1", "100", nil)
	if got := p.frames(p.Client("second", "s"), on); len(got) != 1 {
		t.Errorf("the key that is enabled heard %+v", got)
	}
	// Rights that come back do not bring back what was listened to: something would be missing.
	key.Enabled = true
	p.Do(&schema.SetKey{Key: key})
	p.Client("second", "s").limit("buy", "1", "100", nil)
	if got := p.frames(p.alice, on); len(got) != 1 {
		t.Errorf("the key that is enabled heard %+v", got)
	}
	if off.Must("ping"); len(off.pushes) > 0 {
		t.Errorf("a key that was disabled heard %+v", off.pushes)
	}
	off.Must("ordersPending_subscribe")
	id := p.alice.limit("buy", "1", "100", nil)
	p.expect(t, p.frames(p.alice, off), pendingFrame(1, p.order(id, nil)))

	// A blocked account hears nothing more, whatever still happens to it.
	p.frames(p.alice, on)
	account := *directory.Account(key.Account)
	account.Blocked = true
	p.Do(&schema.SetAccount{Account: account})
	bob := listen(p.bob)
	p.bob.limit("sell", "1", "100", nil)
	if got := p.frames(p.bob, bob); len(got) != 3 {
		t.Errorf("bob heard %+v", got)
	}
	p.frames(p.bob, bob)
	for _, s := range []*Socket{off, on} {
		s.Refused(6, "require authentication", "ordersPending_request", "BTC_USDT", 0, 1)
		if s.Must("ping"); slices.ContainsFunc(s.pushes, func(f Push) bool { return !strings.Contains(string(f.Params), "fence-") }) {
			t.Errorf("a blocked account heard %+v", s.pushes)
		}
	}
}
