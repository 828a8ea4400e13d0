package conform

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestTicksOfFutures: all futures in one frame, or one frame for each that is named, with what the public list shows.
func TestTicksOfFutures(t *testing.T) {
	t.Parallel()
	future := func(name string, minutes int, more Fields) Fields {
		m := publicMarket(name, Fields{"type": "futures", "maker_fee": "0.02", "taker_fee": "0.05", "funding_minutes": minutes})
		for key, value := range more {
			m[key] = value
		}
		return m
	}
	money := Fields{"BTC": "100", "USDT": "1000000"}
	p, clock := publicInside(t, publicFile(t, []Fields{publicCoin("BTC"), publicCoin("ETH"), publicCoin("NEW"), publicCoin("USDT")}, []Fields{
		publicMarket("BTC_USDT", nil), publicMarket("NEW_USDT", nil),
		future("BTC_PERP", 5, nil), future("ETH_PERP", 60, nil), future("NEW_PERP", 60, Fields{"regions": []string{"eu"}}),
	}, publicAccount("alice", money), publicAccount("bob", money)), tickBegin)
	says := func(market, price string) {
		p.Do(&schema.SetIndex{Market: p.listing(market).ID, Price: fixed.MustParse(price)})
	}
	const five, hour = 1800007500000, 1800010800000 // the next settlements
	record := func(market, mark, index string, settles int64) string {
		return fmt.Sprintf(`[%q,%q,%q,"0",%d,%d.000000]`, market, mark, index, settles, clock.time()/schema.Second)
	}
	none := record("ETH_PERP", "", "0", hour)
	says("BTC_PERP", "50005.2")

	all, one, both := p.Socket(), p.Socket(), p.Socket()
	for id := 1; id <= 2; id++ { // and again when it is replaced
		all.Send(fmt.Sprintf(`{"id":%d,"method":"premiumIndex_subscribe","params":[]}`, id))
		message := all.Next()
		for id == 2 && strings.Contains(message, "_update") {
			message = all.Next()
		}
		if want := fmt.Sprintf(`{"error":null,"result":{"status":"success"},"id":%d}`, id); message != want {
			t.Fatalf("%s, want %s", message, want)
		}
		want := "[" + record("BTC_PERP", "50005.2", "50005.2", five) + "," + none + "]"
		for range 3 {
			if got := all.Pushed("premiumIndex_update"); got != want {
				t.Errorf("all: %s, want %s", got, want)
			}
		}
	}
	both.Must("premiumIndex_subscribe", "ETH_PERP", "BTC_PERP", "ETH_PERP")
	for _, want := range []string{none, record("BTC_PERP", "50005.2", "50005.2", five)} {
		if got := both.Pushed("premiumIndex_update"); got != want {
			t.Errorf("two: %s, want %s", got, want)
		}
	}
	one.Must("premiumIndex_subscribe", "ETH_PERP")
	one.Must("premiumIndex_subscribe", "BTC_PERP")
	one.pushes = nil
	before := one.Pushed("premiumIndex_update")
	if want := record("BTC_PERP", "50005.2", "50005.2", five); before != want {
		t.Errorf("one: %s, want %s", before, want)
	}
	for _, c := range [][]any{{"BTC_USDT"}, {"NO_PERP"}, {"NEW_PERP"}, {"ETH_PERP", "BTC_USDT"}, {"ETH_PERP", ""}} { // and the one before stays
		one.Refused(1, "the market is not futures", "premiumIndex_subscribe", c...)
	}
	one.Refused(1, "invalid argument", "premiumIndex_subscribe", "BTC_PERP", 7)

	// A stale index is none: what is shown is the last trade, and there is no mark.
	p.deal("BTC_USDT", "buy", "1", "49000")
	clock.pass(30 * time.Second)
	p.Do(&schema.Tick{})
	expect := func(s *Socket, want string) {
		t.Helper()
		for range 20 {
			if before = s.Pushed("premiumIndex_update"); before == want {
				return
			}
		}
		t.Errorf("pushed %s, want %s", before, want)
	}
	none = record("ETH_PERP", "", "0", hour)
	expect(one, record("BTC_PERP", "", "49000", five))
	expect(all, "["+record("BTC_PERP", "", "49000", five)+","+none+"]")
	// The list that anyone may ask for has the same.
	publicSame(t, publicAt(t, p.json("/api/v4/public/futures"), "result", 0, "index_price"), `"49000"`)

	// After a settlement comes the next.
	clock.pass(5 * time.Minute)
	says("BTC_PERP", "50010")
	p.Do(&schema.Tick{})
	expect(one, record("BTC_PERP", "50010", "50010", five+300_000))

	// One that is switched off is not shown, and shown again when it is on.
	m := p.listing("BTC_PERP")
	for _, on := range []bool{false, true} {
		one.pushes = nil
		m.Enabled = on
		p.Do(&schema.SetMarket{Market: m})
		list := record("ETH_PERP", "", "0", hour)
		if on {
			expect(one, record("BTC_PERP", "50010", "50010", five+300_000))
			list = record("BTC_PERP", "50010", "50010", five+300_000) + "," + list
		} else {
			one.ticks() // one may be on its way
			one.pushes = nil
			one.ticks()
			if got := one.heard("premiumIndex_update"); len(got) > 0 {
				t.Errorf("pushed %s", got)
			}
		}
		expect(all, "["+list+"]")
	}
	one.Refused(4, "method not found", "premiumIndex_request")
}
