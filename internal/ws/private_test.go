package ws

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"bourse/internal/api"
	"bourse/internal/journal"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// aWorld is a small exchange with a spot market, a future and one customer.
const aWorld = `{"assets":[{"ticker":"BTC","class":"crypto","scale":8},{"ticker":"USDT","class":"crypto","scale":8,"can_deposit":true}],
	"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":4,"money_prec":2,"fee_prec":4,"enabled":true},
		{"name":"BTC_PERP","type":"futures","stock_prec":4,"money_prec":2,"fee_prec":4,"enabled":true}],
	"accounts":[{"name":"alice","region":"global","keys":[{"key":"alice","secret":"a","enabled":true}]}]}`

// aServer is a server over a small exchange, and a connection of its customer.
func aServer(t *testing.T) (*Server, *conn, net.Conn) {
	t.Helper()
	dir := t.TempDir()
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	file, err := setup.Read(strings.NewReader(aWorld))
	if err == nil {
		err = file.Apply(t.Context(), n)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := marketdata.Follow(n, dir, marketdata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = data.Close() })
	a := api.New(n, data, nil, api.Options{})
	s := New(Options{API: a, Node: n, Data: data})
	t.Cleanup(func() { s.Stop(context.Background()) })
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	key := a.Directory().Key([]byte("alice"))
	c := &conn{server: s, net: ours, trusted: true, holder: &holder{SocketToken: api.SocketToken{Account: key.Account, Key: key.ID}}}
	return s, c, theirs
}

// reads is the next message that the client gets.
func reads(t *testing.T, client net.Conn) string {
	t.Helper()
	if err := client.SetReadDeadline(time.Now().Add(testTime)); err != nil {
		t.Fatal(err)
	}
	text, err := wsutil.ReadServerText(client)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// channelOf finds a channel of accounts.
func channelOf[S any](t *testing.T, s *Server) *private[S] {
	t.Helper()
	for _, c := range s.channels {
		if p, is := c.(*private[S]); is {
			return p
		}
	}
	t.Fatal("there is no such channel")
	return nil
}

func TestNothingIsPushedBeforeTheReply(t *testing.T) {
	s, c, client := aServer(t)
	p := channelOf[executedScope](t, s)
	text := func(s string) []byte { return frame(ws.OpText, []byte(s)) }
	account := c.may("").ID
	pushAll := func(seq uint64, what string) {
		p.each(account, schema.EventID{Batch: seq}, func(sub *subscription[executedScope]) { p.push(sub, text(what)) })
	}
	sub := &subscription[executedScope]{conn: c, account: account, since: 7}
	p.join(sub)
	pushAll(7, "what happened before")
	pushAll(8, "the first")
	c.send(text("the reply"))
	p.begin(sub)
	pushAll(9, "the second")

	// One that takes its place goes on where it was.
	next := &subscription[executedScope]{conn: c, account: account, since: 20}
	p.join(next)
	pushAll(10, "the third")
	c.send(text("another reply"))
	p.begin(next)

	// A batch that is being pushed already is none of those that follow.
	p.leave(c)
	if !p.idle(30) {
		t.Error("somebody listens who left")
	}
	late := &subscription[executedScope]{conn: c, account: account, since: 29}
	p.join(late)
	p.begin(late)
	pushAll(30, "half of a batch")
	pushAll(31, "the fourth")

	// Rights that were lost before it began are none of its business either.
	changed := func(id schema.KeyID, urls ...string) func(*conn, string) bool {
		return lostBy(s.options.API, &schema.KeyChanged{Key: schema.Key{ID: id, Account: account, Enabled: true, URLs: urls}})
	}
	p.end(account, schema.EventID{Batch: 30}, changed(c.holder.Key))
	p.end(account, schema.EventID{Batch: 31}, changed(c.holder.Key+1))
	p.end(account, schema.EventID{Batch: 31}, changed(c.holder.Key, p.right))
	pushAll(31, "the fifth")
	p.end(account, schema.EventID{Batch: 32}, changed(c.holder.Key, "/api/v4/profile/websocket_token"))
	pushAll(33, "what comes too late")
	c.send(text("the end"))
	for _, want := range []string{"the reply", "the first", "the second", "another reply", "the third", "the fourth", "the fifth", "the end"} {
		if got := reads(t, client); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if len(p.conns) != 0 || len(p.accounts) != 0 {
		t.Errorf("left over: %v %v", p.conns, p.accounts)
	}
}

func TestBalancesWaitForASlowReader(t *testing.T) {
	s, c, client := aServer(t)
	p := channelOf[balanceScope](t, s)
	if !c.handle([]byte(`{"id":1,"method":"` + spotBalances.channel + `_subscribe"}`)) {
		t.Fatal("the connection ended")
	}
	if got := reads(t, client); got != `{"error":null,"result":{"status":"success"},"id":1}` {
		t.Errorf("reply %s", got)
	}
	if len(p.conns) != 1 {
		t.Fatalf("%d listen", len(p.conns))
	}
	c.mu.Lock()
	c.queued += balancesBehind + 1 // as if that much waited
	c.mu.Unlock()
	b := &balances{server: s, kind: spotBalances, private: p}
	sub := p.conns[c]
	p.each(sub.account, schema.EventID{Batch: sub.since + 1}, func(sub *subscription[balanceScope]) { sub.scope.changed[0] = balance{} })
	b.tick()
	p.all(func(sub *subscription[balanceScope]) {
		if len(sub.scope.changed) != 1 {
			t.Error("what a slow reader did not get was forgotten")
		}
		clear(sub.scope.changed)
	})
}
