package siege

import (
	"bytes"
	"encoding/json"
	"net/http"

	"bourse/internal/conform"
)

// perpetual is the future that is attacked. Its mark is 100, and its price band 10 %.
const perpetual = "BTC_PERP"

// futures is an exchange with that future, on which the two clients have a position against each other and much
// collateral.
func (s *Siege) futures() (v *conform.Venue, long, short *client) {
	var file object
	s.must(json.Unmarshal([]byte(s.world(nil)), &file))
	file["markets"] = append(file["markets"].([]any), object{
		"name": perpetual, "type": "futures", "stock_prec": 6, "money_prec": 2, "fee_prec": 8, "min_amount": "0.001", "min_total": "0.01",
		"maker_fee": "0", "taker_fee": "0.05", "bracket_100": "50000", "enabled": true,
	})
	file["collateral"] = []object{{"asset": "BTC", "weight": "0.95", "index_max_age": 3600}, {"asset": "USDT", "weight": "1"}}
	text, err := json.Marshal(file)
	s.must(err)
	v = conform.Start(s.TB, string(text), "--no-limits")
	s.index(v, "100")
	long, short = s.client(v, trader(0)), s.client(v, trader(1))
	for _, c := range []*client{long, short} {
		var done []any
		for _, way := range [][2]string{{"spot", "main"}, {"main", "collateral"}} {
			s.must(c.ask("/api/v4/main-account/transfer", conform.Fields{"ticker": "USDT", "amount": "100000000", "from": way[0], "to": way[1]}, &done))
		}
	}
	for c, side := range map[*client]string{long: "buy", short: "sell"} {
		var order object
		s.must(c.ask("/api/v4/order/collateral/limit", conform.Fields{"market": perpetual, "side": side, "amount": "1", "price": "100"}, &order))
	}
	return v, long, short
}

// index sets the index of the future.
func (s *Siege) index(v *conform.Venue, price string) {
	body, err := json.Marshal(object{"price": price, "source": 0})
	s.must(err)
	request, err := http.NewRequest("PUT", v.Operators+"/v1/markets/"+perpetual+"/index", bytes.NewReader(body))
	s.must(err)
	request.Header.Set("Authorization", "Bearer "+v.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	s.must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.Fatalf("the index is not set: %s", answer.Status)
	}
}

// margin tries every number in every place of what is done with collateral, and looks at the account after each.
func margin(s *Siege) {
	v, long, _ := s.futures()
	kinds := map[string][]string{
		"/api/v4/order/collateral/limit":             {"amount", "price", "stopLoss", "reduceOnly"},
		"/api/v4/order/collateral/market":            {"amount", "positionSide", "takeProfit"},
		"/api/v4/order/collateral/stop-limit":        {"amount", "price", "activation_price", "takeProfit"},
		"/api/v4/order/collateral/trigger-market":    {"amount", "activation_price"},
		"/api/v4/order/collateral/oco":               {"amount", "price", "activation_price", "stop_limit_price"},
		"/api/v4/order/conditional-cancel":           {"id"},
		"/api/v4/order/oto-cancel":                   {"otoId"},
		"/api/v4/collateral-account/leverage":        {"leverage"},
		"/api/v4/collateral-account/balance-summary": {"ticker"},
		"/api/v4/collateral-account/positions/open":  {"market"},
		"/api/v4/collateral-account/position/close":  {"positionId"},
		"/api/v4/main-account/transfer":              {"amount"},
	}
	accepted := 0
	s.beside(v, func() {
		for path, places := range kinds {
			for _, place := range places {
				for i, number := range absurdNumbers() {
					if !s.Long && i%4 != len(place)%4 {
						continue
					}
					fields := conform.Fields{
						"market": perpetual, "side": "buy", "amount": "0.01", "price": "95", "activation_price": "108", "stop_limit_price": "109", "positionId": 1,
						"ticker": "USDT", "from": "collateral", "to": "main", "leverage": 20,
					}
					fields[place] = number
					a, err := long.post(path, fields)
					if s.fault(path+" "+place, a, err); a.status == http.StatusOK {
						accepted++
					}
					a, err = long.post("/api/v4/collateral-account/summary", nil)
					s.status("the account after "+path, a, err, http.StatusOK)
					s.sent.Add(2)
				}
			}
		}
	})
	s.note("%d accepted", accepted)
	if accepted == 0 {
		s.Error("nothing was accepted: the attack proves nothing")
	}
	s.end(v)
}
