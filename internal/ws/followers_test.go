package ws

import (
	"testing"

	"bourse/internal/schema"
)

// shown is a market that everyone may see.
func shown(id schema.MarketID, name string) *schema.MarketInfo {
	return &schema.MarketInfo{ID: id, Name: name, Enabled: true}
}

// The states of many markets are sent as fast as the connection takes them, none twice.
func TestStatesWaitForTheReader(t *testing.T) {
	var pushed []schema.MarketID
	sent := 0
	s := newFollowers(counter(), func(_ *follower, m *schema.MarketInfo) []byte {
		pushed = append(pushed, m.ID)
		if m.ID%2 == 0 {
			return nil // nothing to be said of it
		}
		sent++
		return make([]byte, fallsBehind/2-frameCost)
	})
	var markets []*schema.MarketInfo
	for id := schema.MarketID(1); id <= 20; id++ {
		markets = append(markets, shown(id, ""))
	}
	c := idle()
	f := s.set(c, schema.Global, markets, true)
	for turn, want := range []int{3, 3, 3, 1} {
		before := len(pushed)
		sent = 0
		if s.sendPending(f); sent != want || len(s.pending) != map[bool]int{true: 1, false: 0}[len(pushed) < 20] {
			t.Fatalf("turn %d: %d frames for %d markets, %d wait", turn, sent, len(pushed)-before, len(s.pending))
		}
		if list, owed := s.of(markets[19]); len(list)+owed != 1 || owed == 1 != (len(pushed) < 20) {
			t.Fatalf("turn %d: %d follow the last market and %d are owed its state", turn, len(list), owed)
		}
		c.queue, c.queued = nil, 0
	}
	for i, id := range pushed {
		if int(id) != i+1 {
			t.Fatalf("pushed %v", pushed)
		}
	}
}

func TestFollowersOfMarkets(t *testing.T) {
	s := newFollowers(counter(), func(*follower, *schema.MarketInfo) []byte { return nil })
	one, two, hidden := shown(1, "ONE"), shown(2, "TWO"), shown(3, "HIDDEN")
	hidden.Enabled = false
	named, all := idle(), idle()
	for _, f := range []*follower{s.set(named, schema.Global, []*schema.MarketInfo{one, two}, false), s.set(all, schema.Global, nil, true)} {
		s.sendPending(f)
	}
	count := func(m *schema.MarketInfo, want int) {
		t.Helper()
		if list, owed := s.of(m); len(list) != want || owed != 0 {
			t.Errorf("%s: %d followers and %d owed, want %d", m.Name, len(list), owed, want)
		}
	}
	count(one, 2)
	count(two, 2)
	count(hidden, 0)
	s.drop(all, 1)
	count(one, 1)
	s.drop(named, 1)
	count(one, 0)
	count(two, 2)
	s.drop(named, 2)
	s.drop(named, 2)
	count(two, 1)
	s.remove(all)
	if len(s.byConn)+len(s.named)+len(s.all)+len(s.pending) != 0 {
		t.Errorf("left: %+v", s)
	}
}

func TestSlowFollowerGetsTheNewestTop(t *testing.T) {
	b, _ := openShelf()
	now := func() schema.Time { return 7_250_000 }
	tops := newTops(b, nil, now, counter())
	m := shown(1, "BTC_USDT")
	slow, quick := idle(), idle()
	frame := func(rest string) string {
		return `{"method":"bookTicker_update","params":[[` + rest + `]],"id":null}`
	}
	b.set(b.bids, 99, 1)
	for _, c := range []*conn{slow, quick} {
		tops.sendPending(tops.set(c, schema.Global, []*schema.MarketInfo{m}, c == slow))
		same(t, take(t, c), frame(`1.000000,7.250000,"BTC_USDT",1,"0.99","1","0","0"`))
	}
	slow.send(make([]byte, fallsBehind+1))
	for amount := int64(2); amount < 5; amount++ {
		b.set(b.bids, 99, amount)
		b.set(b.bids, 98, amount)
		tops.renew(m)
		tops.renew(m)
		tops.payAll()
	}
	if len(slow.queue) != 1 {
		t.Error("a slow follower was not left out")
	}
	slow.queue, slow.queued = nil, 0
	tops.payAll()
	tops.payAll()
	same(t, take(t, slow), frame(`7.000000,7.250000,"BTC_USDT",7,"0.99","4","0","0"`))
	same(t, take(t, quick),
		frame(`3.000000,7.250000,"BTC_USDT",3,"0.99","2","0","0"`),
		frame(`5.000000,7.250000,"BTC_USDT",5,"0.99","3","0","0"`),
		frame(`7.000000,7.250000,"BTC_USDT",7,"0.99","4","0","0"`))
	b.set(b.asks, 101, 1)
	tops.renew(m)
	same(t, take(t, slow), take(t, quick)...)
	tops.leave(slow)
	tops.leave(quick)
	tops.renew(m)
	if len(tops.last) != 0 {
		t.Errorf("the top of a market that nobody follows is kept: %v", tops.last)
	}
}
