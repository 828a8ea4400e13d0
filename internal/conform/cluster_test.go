package conform

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// TestADeafNode: a node that shares its log and hears nothing of it for 5 s shows nothing of accounts and closes their sockets. What is
// public, and what is written, goes on.
func TestADeafNode(t *testing.T) {
	t.Parallel()
	var elapsed atomic.Int64
	url := LogServer(t)
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), func(o *exchange.Options) {
		o.Node.Journal.URL = url
		o.Node.Elapsed = func() schema.Time { return schema.Time(elapsed.Load()) }
		o.Node.ClockBound = 24 * time.Hour
	})
	alice := v.gateClient("alice")
	s, public := alice.Authorized(), v.Socket()
	s.Must("balanceSpot_request", "USDT")
	elapsed.Add(int64(5*schema.Second - 1))
	alice.Post(pathOrders, nil).ok(t)
	elapsed.Add(1)
	if r := alice.Post(pathOrders, nil); r.Status != 503 {
		t.Errorf("a read: %d %s", r.Status, r.Body)
	}
	if code := s.closed(); code != 1001 {
		t.Errorf("the socket of alice was closed with %d", code)
	}
	if text := public.Must("ping"); !strings.Contains(text, "pong") {
		t.Errorf("a public socket: %s", text)
	}
	v.Get("/api/v4/public/time").ok(t)
	alice.Post(pathTransfer, Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}).ok(t)
	alice.Post(pathOrders, nil).ok(t) // the log was heard of
}

// TestARightThatWasLostAtAnotherNode: a key that was changed at one node writes nothing at the other, whether that has heard of it or not.
func TestARightThatWasLostAtAnotherNode(t *testing.T) {
	t.Parallel()
	url := LogServer(t)
	node := func(world string) *Venue {
		return Inside(t, world, func(o *exchange.Options) { o.Node.Journal.URL = url })
	}
	one := node(gateWorld(gateAccount("alice", "", gateKey("alice", ""), gateKey("clerk", ""))))
	two := node("{}")
	key := *one.Exchange.API.Directory().Key([]byte("clerk"))
	transfer := Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}
	one.gateClient("clerk").Post(pathTransfer, transfer).ok(t)
	var words []string
	for _, lost := range []struct {
		command schema.Command
		code    int
		message string
	}{
		{&schema.SetKey{Key: schema.Key{Key: "clerk", Account: key.Account, Sealed: key.Sealed, Enabled: true, URLs: []string{pathOrders}}}, 4, "This API Key is not authorized to perform this action."},
		{&schema.SetKey{Key: schema.Key{Key: "clerk", Account: key.Account, Sealed: key.Sealed, URLs: []string{schema.AllURLs}}}, 2, textKeyOff},
		{&schema.DeleteKey{Key: "clerk"}, 0, textUnknown},
	} {
		one.Do(lost.command)
		// The other node may know of an earlier change and not of this one, and says what it knows; the core says of a key that is gone what it
		// says of one that is off.
		words = append(words, gateError(lost.code, lost.message))
		r := two.gateClient("clerk").Post(pathTransfer, transfer)
		if r.Status != 401 || !slices.Contains(words, r.Body) {
			t.Errorf("after %T: %d %s", lost.command, r.Status, r.Body)
		}
	}
	two.gateClient("alice").Post("/api/v4/main-account/balance", Fields{"ticker": "USDT"}).expect(t, 200, `{"USDT":{"main_balance":"49999","pending_deposit_amount":"0"}}`)
}
