package ws

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// A follower who began with trades that were not pushed yet does not get them again, wherever in a frame
// they come to stand.
func TestTradesThatSomebodyHasAlready(t *testing.T) {
	tr := &trades{}
	tr.followers = newFollowers(counter(), func(*follower, *schema.MarketInfo) []byte { return nil })
	m := shown(1, "BTC_USDT")
	join := func(ahead schema.DealID) *follower {
		f := tr.set(idle(), schema.Global, []*schema.MarketInfo{m}, false)
		tr.sendPending(f)
		if ahead > 0 {
			f.ahead = map[schema.MarketID]schema.DealID{1: ahead}
		}
		return f
	}
	for _, c := range []struct {
		ahead, left schema.DealID
		want        string
	}{{0, 0, "5 4 3 2 1"}, {1, 0, "5 4 3 2"}, {3, 0, "5 4"}, {5, 0, ""}, {7, 7, ""}} {
		f := join(c.ahead)
		list := make([]marketdata.Trade, 5)
		for i := range list {
			list[i].ID = schema.DealID(i) + 1
		}
		tr.pushAll(m, list)
		var got []string
		for _, text := range take(t, f.conn) {
			for _, part := range strings.Split(text, `{"id":`)[1:] {
				id, _, _ := strings.Cut(part, ",")
				got = append(got, id)
			}
		}
		if fmt.Sprint(got) != "["+c.want+"]" || f.ahead[1] != c.left || tr.pushed != 5 {
			t.Errorf("ahead %d: got %v, %d is left, pushed %d", c.ahead, got, f.ahead[1], tr.pushed)
		}
		tr.remove(f.conn)
	}
}

// Those who come at once begin with one frame, which is made again after a trade.
func TestFirstTradesAreEncodedOnce(t *testing.T) {
	kept := []marketdata.Trade{{ID: 2}, {ID: 1}}
	tr := &trades{firsts: map[schema.MarketID]firstTrades{}, recent: func(_ schema.MarketID, _ schema.Side, limit int) []marketdata.Trade {
		return kept[:min(limit, len(kept))]
	}}
	tr.followers = newFollowers(counter(), tr.first)
	m := shown(1, "BTC_USDT")
	begin := func() (*follower, []byte) {
		f := tr.set(idle(), schema.Global, []*schema.MarketInfo{m}, false)
		tr.sendPending(f)
		return f, f.conn.queue[0]
	}
	first, one := begin()
	_, two := begin()
	if &one[0] != &two[0] || first.ahead[1] != 2 {
		t.Errorf("the second frame is another one, or %d is ahead", first.ahead[1])
	}
	kept = append([]marketdata.Trade{{ID: 3}}, kept...)
	tr.pushed = 3
	later, three := begin()
	if &three[0] == &one[0] || !strings.Contains(string(three), `[{"id":3,`) || len(later.ahead) != 0 {
		t.Errorf("after a trade: %s, ahead %v", three, later.ahead)
	}
}
