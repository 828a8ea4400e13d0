package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bourse/internal/schema"
)

// tradesFrame is a push of trades.
type tradesFrame struct {
	market string
	trades []socketTrade
}

type socketTrade struct {
	ID     uint64      `json:"id"`
	Time   json.Number `json:"time"`
	Price  string      `json:"price"`
	Amount string      `json:"amount"`
	Type   string      `json:"type"`
	RPI    *bool       `json:"rpi"`
}

func readTrades(t testing.TB, params string) (f tradesFrame) {
	t.Helper()
	parts := [2]any{&f.market, &f.trades}
	Reply{Body: params}.Read(t, &parts)
	return f
}

// tradesSay checks the next frame: prices, amounts, sides.
func tradesSay(t testing.TB, s *Socket, want string) tradesFrame {
	t.Helper()
	f := readTrades(t, s.Pushed("trades_update"))
	got := f.market
	for _, d := range f.trades {
		got += fmt.Sprintf(" %s@%s %s", d.Amount, d.Price, d.Type)
		if *d.RPI {
			got += " rpi"
		}
	}
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if !slices.IsSortedFunc(f.trades, func(a, b socketTrade) int { return int(b.ID) - int(a.ID) }) {
		t.Errorf("not newest first: %+v", f.trades)
	}
	return f
}

func TestSocketTrades(t *testing.T) {
	p := publicOpen(Inside(t, publicWorld(t, "BTC", "ETH", "NONE"), nil))
	p.deal("BTC_USDT", "buy", "1", "100")
	p.deal("BTC_USDT", "sell", "2", "101")
	p.deal("ETH_USDT", "buy", "3", "10")
	var shown []struct {
		ID   uint64      `json:"tradeID"`
		Time json.Number `json:"trade_timestamp"`
	}
	p.Get("/api/v4/public/trades/BTC_USDT").Read(t, &shown)

	t.Run("the newest come right after the reply", func(t *testing.T) {
		s := p.Socket()
		s.Send(`{"id":3,"method":"trades_subscribe","params":["BTC_USDT","NONE_USDT"]}`)
		if got := s.Next(); got != `{"error":null,"result":{"status":"success"},"id":3}` {
			t.Fatal(got)
		}
		text := s.Next()
		f := readTrades(t, strings.TrimSuffix(strings.TrimPrefix(text, `{"method":"trades_update","params":`), `,"id":null}`))
		moment := f.trades[0].Time.String()
		if whole, micros, _ := strings.Cut(moment, "."); whole != shown[0].Time.String() || len(micros) != 6 {
			t.Errorf("time %s", moment)
		}
		want := fmt.Sprintf(`{"method":"trades_update","params":["BTC_USDT",[{"id":%d,"time":%s,"price":"101","amount":"2","type":"sell","rpi":false},`+
			`{"id":%d,"time":%s,"price":"100","amount":"1","type":"buy","rpi":false}]],"id":null}`, shown[0].ID, moment, shown[1].ID, f.trades[1].Time)
		if text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
	})

	t.Run("then each as it happens", func(t *testing.T) {
		s := p.Socket()
		s.Must("trades_subscribe", "BTC_USDT")
		tradesSay(t, s, "BTC_USDT 2@101 sell 1@100 buy")
		p.deal("ETH_USDT", "buy", "1", "10")
		p.deal("BTC_USDT", "buy", "0.5", "102")
		tradesSay(t, s, "BTC_USDT 0.5@102 buy")
		// One order that meets several is one frame.
		p.order(p.alice, "BTC_USDT", "sell", "1", "103", nil)
		p.order(p.alice, "BTC_USDT", "sell", "2", "103.5", nil)
		p.order(p.bob, "BTC_USDT", "buy", "3", "104", nil)
		tradesSay(t, s, "BTC_USDT 2@103.5 buy 1@103 buy")
		p.order(p.alice, "BTC_USDT", "sell", "1", "104", Fields{"rpi": true})
		p.order(p.bob, "BTC_USDT", "buy", "1", "104", Fields{"ioc": true, "retail": true})
		tradesSay(t, s, "BTC_USDT 1@104 buy rpi")
		// Another subscription takes the place of this one, and shows the newest again.
		s.Must("trades_subscribe", "ETH_USDT")
		tradesSay(t, s, "ETH_USDT 1@10 buy 3@10 buy")
		p.deal("BTC_USDT", "buy", "1", "102")
		p.deal("ETH_USDT", "buy", "1", "12")
		tradesSay(t, s, "ETH_USDT 1@12 buy")
		s.Must("trades_unsubscribe", "BTC_USDT")
		s.Must("trades_unsubscribe")
		p.deal("ETH_USDT", "buy", "1", "13")
		s.Must("trades_subscribe", "ETH_USDT")
		tradesSay(t, s, "ETH_USDT 1@13 buy 1@12 buy 1@10 buy 3@10 buy")
	})

	t.Run("all markets, also those of tomorrow", func(t *testing.T) {
		s := p.Socket()
		s.Must("trades_subscribe")
		tradesSay(t, s, "BTC_USDT 1@102 buy 1@104 buy rpi 2@103.5 buy 1@103 buy 0.5@102 buy 2@101 sell 1@100 buy")
		tradesSay(t, s, "ETH_USDT 1@13 buy 1@12 buy 1@10 buy 3@10 buy")
		p.deal("NONE_USDT", "sell", "1", "7")
		tradesSay(t, s, "NONE_USDT 1@7 sell")
		listed := *p.Exchange.API.Directory().Market("BTC_USDT")
		listed.ID, listed.Name, listed.Base, listed.Quote = 0, "BTC_ETH", p.Exchange.API.Directory().Asset("BTC").ID, p.Exchange.API.Directory().Asset("ETH").ID
		p.Do(&schema.SetMarket{Market: listed})
		p.deal("BTC_ETH", "buy", "1", "7.5")
		tradesSay(t, s, "BTC_ETH 1@7.5 buy")
	})

	t.Run("requests", func(t *testing.T) {
		s := p.Socket()
		ids := func(params ...any) (list []uint64) {
			t.Helper()
			var trades []socketTrade
			Reply{Body: s.Must("trades_request", params...)}.Read(t, &trades)
			for _, d := range trades {
				list = append(list, d.ID)
			}
			return list
		}
		all := ids("BTC_USDT", 100, 0)
		if len(all) != 7 || !slices.Equal(all[5:], []uint64{shown[0].ID, shown[1].ID}) {
			t.Fatal(all)
		}
		for _, c := range []struct {
			limit int
			last  uint64
			want  []uint64
		}{{2, 0, all[:2]}, {2, all[3], all[3:5]}, {100, all[3], all[3:]}, {100, all[0] + 1000, all}} {
			if got := ids("BTC_USDT", c.limit, c.last); !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v", c, got)
			}
		}
		if got := s.Must("trades_request", "ETH_USDT", 1, all[5]); got != "[]" {
			t.Error(got)
		}
		for _, params := range [][]any{
			{}, {"BTC_USDT"}, {"BTC_USDT", 5}, {"BTC_USDT", 0, 0}, {"BTC_USDT", 101, 0}, {"BTC_USDT", 5, -1}, {"BTC_USDT", "5", 0}, {7, 5, 0}, {"BTC_USDT", 5, 0, 0},
		} {
			s.Refused(1, "invalid argument", "trades_request", params...)
		}
		s.Refused(9, "market NOPE does not exist", "trades_request", "NOPE", 5, 0)
		s.Refused(9, "market NOPE does not exist", "trades_subscribe", "BTC_USDT", "NOPE")
		s.Refused(1, "invalid argument", "trades_subscribe", "BTC_USDT", 1)
	})
}

// The trades of an order that meets more than a thousand come in several frames of at most a thousand,
// the first trades first.
func TestSocketTradesOfABigOrder(t *testing.T) {
	p := publicOpen(Inside(t, publicWorld(t, "BTC"), nil))
	s := p.Socket()
	s.Must("trades_subscribe", "BTC_USDT")
	const orders = 1040
	twenty := slices.Repeat([]Fields{{"market": "BTC_USDT", "side": "sell", "amount": "0.1", "price": "100"}}, 20)
	for range orders / len(twenty) {
		p.alice.Post("/api/v4/order/bulk", Fields{"orders": twenty})
	}
	if order := p.order(p.bob, "BTC_USDT", "buy", "104", "100", nil); order["status"] != "FILLED" {
		t.Fatalf("%v", order)
	}
	next := uint64(1)
	for next <= orders {
		f := readTrades(t, s.Pushed("trades_update"))
		if len(f.trades) == 0 || len(f.trades) > 1000 {
			t.Fatalf("a frame of %d trades", len(f.trades))
		}
		slices.Reverse(f.trades)
		for _, d := range f.trades {
			if d.ID != next {
				t.Fatalf("trade %d comes where %d should be", d.ID, next)
			}
			next++
		}
	}
}

// Those who subscribe in the midst of trading get every trade after their first frame once, in order.
func TestSocketTradesAreEachToldOnce(t *testing.T) {
	p := publicOpen(Inside(t, publicWorld(t, "BTC"), nil))
	const deals = 150
	var readers sync.WaitGroup
	for i := range 8 {
		s := p.Socket()
		readers.Go(func() {
			for p.Exchange.Data.Version(1) < uint64(i*30) { // come at different times
				s.Must("ping")
			}
			scope := []any{}
			if i%2 == 0 {
				scope = append(scope, "BTC_USDT")
			}
			s.Must("trades_subscribe", scope...)
			var ids []uint64
			for len(ids) == 0 || ids[len(ids)-1] < deals {
				f := readTrades(t, s.Pushed("trades_update"))
				slices.Reverse(f.trades)
				for _, d := range f.trades {
					if n := len(ids); n > 0 && d.ID != ids[n-1]+1 {
						t.Errorf("trade %d after %d", d.ID, ids[n-1])
					}
					ids = append(ids, d.ID)
				}
			}
		})
	}
	for range deals {
		p.deal("BTC_USDT", "buy", "0.005", "100")
	}
	readers.Wait()
}

// topSays checks the next frame of bookTicker.
func topSays(t testing.TB, s *Socket, want string) {
	t.Helper()
	params := s.Pushed("bookTicker_update")
	var top [][]any
	Reply{Body: params}.Read(t, &top)
	if len(top) != 1 || len(top[0]) != 8 {
		t.Fatal(params)
	}
	for _, at := range top[0][:2] {
		if at != json.Number("0.000000") {
			publicMoment(t.(*testing.T), at)
		}
	}
	if got := strings.Trim(fmt.Sprint(top[0][2:]), "[]"); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestSocketBookTicker(t *testing.T) {
	p := publicOpen(Inside(t, publicWorld(t, "BTC", "ETH"), nil))
	p.order(p.alice, "BTC_USDT", "sell", "1", "100", nil)
	first := p.order(p.alice, "BTC_USDT", "buy", "2", "99", nil)

	t.Run("the standing top comes right after the reply", func(t *testing.T) {
		s := p.Socket()
		s.Send(`{"id":3,"method":"bookTicker_subscribe","params":["BTC_USDT"]}`)
		if got := s.Next(); got != `{"error":null,"result":{"status":"success"},"id":3}` {
			t.Fatal(got)
		}
		text := s.Next()
		if !strings.HasPrefix(text, fmt.Sprintf(`{"method":"bookTicker_update","params":[[%s,1`, first["timestamp"])) ||
			!strings.HasSuffix(text, `,"BTC_USDT",2,"99","2","100","1"]],"id":null}`) {
			t.Error(text)
		}
	})

	t.Run("then changes of the top alone", func(t *testing.T) {
		s := p.Socket()
		s.Must("bookTicker_subscribe", "BTC_USDT")
		topSays(t, s, "BTC_USDT 2 99 2 100 1")
		p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)               // behind the top
		p.order(p.alice, "ETH_USDT", "sell", "1", "101", nil)               // elsewhere
		p.order(p.bob, "BTC_USDT", "buy", "1", "99.5", Fields{"rpi": true}) // unseen
		p.order(p.bob, "BTC_USDT", "buy", "1", "99", nil)                   // another amount
		topSays(t, s, "BTC_USDT 4 99 3 100 1")
		p.order(p.bob, "BTC_USDT", "buy", "1", "100", nil) // another price
		topSays(t, s, "BTC_USDT 5 99 3 101 1")
		p.order(p.bob, "BTC_USDT", "buy", "1", "101", nil)
		topSays(t, s, "BTC_USDT 6 99 3 0 0")
	})

	t.Run("all markets, also those of tomorrow, and fewer again", func(t *testing.T) {
		s := p.Socket()
		s.Must("bookTicker_subscribe")
		topSays(t, s, "BTC_USDT 6 99 3 0 0")
		topSays(t, s, "ETH_USDT 1 0 0 101 1")
		listed := *p.Exchange.API.Directory().Market("BTC_USDT")
		listed.ID, listed.Name, listed.Quote = 0, "BTC_ETH", p.Exchange.API.Directory().Asset("ETH").ID
		p.Do(&schema.SetMarket{Market: listed})
		p.order(p.alice, "BTC_ETH", "sell", "1", "7.5", nil)
		topSays(t, s, "BTC_ETH 1 0 0 7.5 1")
		s.Must("bookTicker_unsubscribe", "BTC_USDT", "NOPE")
		p.order(p.bob, "BTC_USDT", "buy", "1", "99", nil)
		p.order(p.alice, "ETH_USDT", "sell", "1", "101", nil)
		topSays(t, s, "ETH_USDT 2 0 0 101 2")
		s.Must("bookTicker_subscribe", "ETH_USDT", "BTC_USDT", "ETH_USDT")
		topSays(t, s, "ETH_USDT 2 0 0 101 2")
		topSays(t, s, "BTC_USDT 7 99 4 0 0")
		s.Must("bookTicker_unsubscribe", "ETH_USDT")
		p.order(p.alice, "ETH_USDT", "sell", "1", "101", nil)
		p.order(p.bob, "BTC_USDT", "buy", "1", "99", nil)
		topSays(t, s, "BTC_USDT 8 99 5 0 0")
		s.Must("bookTicker_unsubscribe")
		p.order(p.bob, "BTC_USDT", "buy", "1", "99", nil)
		s.Refused(9, "market NOPE does not exist", "bookTicker_subscribe", "ETH_USDT", "NOPE")
		s.Refused(1, "invalid argument", "bookTicker_subscribe", 1)
		s.Must("bookTicker_subscribe", "ETH_USDT")
		topSays(t, s, "ETH_USDT 3 0 0 101 3")
	})
}
