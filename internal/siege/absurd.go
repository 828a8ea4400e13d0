package siege

import (
	"encoding/json"
	"fmt"
	"strings"

	"bourse/internal/conform"
)

// absurdNumbers are numbers at and beyond every edge that a price, an amount, a total or a parser
// could have.
func absurdNumbers() []any {
	var all []any
	for _, text := range []string{
		"0", "-0", "-1", "0.000000000000000001", "0.0000000000000000001", "0.01", "0.001", "0.0009", "1.000000000000000001",
		"92233720368547758.07", "92233720368547758.08", "9223372036854775807", "9223372036854775808", "18446744073709551615",
		"170141183460469231731.687303715884105727", "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
		"340282366920938463463374607431768211456", "999999999", "1000000000", "1000000001", "1e9", "1e-9", "1e400", "1E+18",
		strings.Repeat("9", 60), "0." + strings.Repeat("0", 60) + "1", strings.Repeat("0", 60) + "1", "1.", ".1", "+1", "1_000", "0x10", "NaN", "Infinity", "",
		"١", "1,5", " 1", "1 ",
	} {
		all = append(all, text)
		if json.Valid([]byte(text)) {
			all = append(all, json.RawMessage(text))
		}
	}
	return append(all, nil, true, []any{}, object{})
}

// absurd tries every number in every place of every kind of order, of transfers and of codes, then keeps what was accepted in a
// snapshot. A last price is there, so that stops are taken, and money in the main wallet, so that codes are.
func absurd(s *Siege) {
	european := account("european", 0)
	european["region"] = "eu"
	v := conform.Start(s.TB, s.world(nil, european), "--no-limits")
	seller, buyer, traced := s.client(v, trader(0)), s.client(v, trader(1)), s.client(v, "european")
	for _, side := range []string{"sell", "buy"} {
		_, err := map[string]*client{"sell": seller, "buy": buyer}[side].limit(attacked, side, "1", "100", "")
		s.must(err)
	}
	s.must(seller.ask("/api/v4/main-account/transfer", conform.Fields{"ticker": "BTC", "amount": "1000", "from": "spot", "to": "main"}, &[]any{}))
	kinds := map[string][]string{
		"/api/v4/order/new":                        {"amount", "price"},
		"/api/v4/order/market":                     {"amount"},
		"/api/v4/order/stock_market":               {"amount"},
		"/api/v4/order/stop_limit":                 {"amount", "price", "activation_price"},
		"/api/v4/order/stop_market":                {"amount", "activation_price"},
		"/api/v4/order/modify":                     {"amount", "price", "activationPrice", "total", "orderId"},
		"/api/v4/order/cancel":                     {"orderId"},
		"/api/v4/order/kill-switch":                {"timeout"},
		"/api/v4/main-account/transfer":            {"amount"},
		"/api/v4/main-account/codes":               {"amount", "passphrase", "description"},
		"/api/v4/main-account/codes/apply":         {"code", "passphrase"},
		"/api/v4/main-account/codes/my":            {"limit", "offset"},
		"/api/v4/main-account/codes/history":       {"limit", "offset"},
		"/api/v4/main-account/history":             {"limit", "offset", "transactionMethod", "status", "addresses", "memo", "unique_id"},
		"/api/v4/main-account/address":             {"network"},
		"/api/v4/main-account/create-new-address":  {"network", "type"},
		"/api/v4/main-account/withdraw":            {"amount", "address", "memo", "uniqueId", "network", "travelRule"},
		"/api/v4/main-account/withdraw-pay":        {"amount", "address", "memo", "uniqueId", "network", "travelRule"},
		"/api/v4/travel-rule/vasps":                {"limit"},
		"/api/v4/travel-rule/deposit/verification": {"uniqueId", "walletType", "originator", "vaspData"},
	}
	numbers := absurdNumbers()
	accepted := 0
	s.beside(v, func() {
		for path, places := range kinds {
			for _, side := range []string{"buy", "sell"} {
				for _, place := range places {
					for i, number := range numbers {
						if !s.Long && i%4 != len(place)%4 {
							continue
						}
						fields := conform.Fields{
							"market": attacked, "side": side, "amount": "0.01", "price": "50", "activation_price": "200", "orderId": 1,
							"ticker": "BTC", "from": "spot", "to": "main", "timeout": "60",
						}
						if side == "sell" {
							fields["price"], fields["activation_price"] = "150", "50"
						}
						if strings.HasPrefix(path, "/api/v4/main-account/withdraw") {
							fields["address"], fields["uniqueId"] = afar, fmt.Sprint(path, side, place, i)
						}
						who := seller
						if strings.HasPrefix(path, "/api/v4/travel-rule/") {
							who = traced
							fields["uniqueId"], fields["walletType"] = "00000000-0000-8002-8000-000000000001", "unhosted"
						}
						fields[place] = number
						a, err := who.post(path, fields)
						if s.fault(path+" "+place, a, err); a.status == 200 {
							accepted++
						}
						s.sent.Add(1)
					}
				}
			}
		}
		// The largest that is allowed, in two places at once.
		for _, side := range []string{"buy", "sell"} {
			for _, price := range []string{"0.01", "92233720368547758.07", "1000000000", "170141183460469231731.68"} {
				for _, activation := range []string{"0.01", "92233720368547758.07", "170141183460469231731.68"} {
					for _, amount := range []string{"0.001", "2000", "999999999", "92233720368547758.07"} {
						fields := conform.Fields{"market": attacked, "side": side, "amount": amount, "price": price, "activation_price": activation}
						for _, path := range []string{"/api/v4/order/stop_limit", "/api/v4/order/stop_market", "/api/v4/order/new"} {
							a, err := buyer.post(path, fields)
							if s.fault(path, a, err); a.status == 200 {
								accepted++
							}
							s.sent.Add(1)
						}
					}
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
