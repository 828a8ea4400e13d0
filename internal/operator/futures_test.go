package operator_test

import (
	"testing"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// TestAFutureFromItsListingToItsMark: what is left out of its terms is their default, and one that is changed leaves the
// others as they are.
func TestAFutureFromItsListingToItsMark(t *testing.T) {
	s := found(t)
	r := s.must("PUT", "/v1/markets/BTC_PERP", `{"type":"futures","stock_prec":3,"money_prec":2,"fee_prec":6,"taker_fee":"0.05","bracket_100":"50000","enabled":true}`)
	for name, want := range map[string]string{
		"type": `"futures"`, "max_leverage": "100", "bracket_100": `"50000"`, "bracket_50": `"0"`, "bracket_20": `"0"`, "max_position": `"0"`,
		"max_pending": `"0"`, "max_open_interest": `"0"`, "price_band": `"10"`, "mark_band": `"0.5"`, "impact_notional": `"10000"`,
		"funding_minutes": "480", "funding_cap": `"0.0003"`, "funding_floor": `"-0.0003"`, "liquidation_fee": `"0.2"`, "liquidation_band": `"2"`,
		"mark": `"0"`, "mark_fresh": "false", "funding_rate": `"0"`,
	} {
		r.has(want, name)
	}
	s.must("PATCH", "/v1/markets/BTC_PERP", `{"funding_minutes":5,"mark_band":"0"}`).has("5", "funding_minutes").has(`"0"`, "mark_band").has(`"50000"`, "bracket_100")
	if m := s.market("BTC_PERP"); m.Base != 1 || m.Quote != 2 || m.FundingMinutes != 5 || !m.MarkBand.IsZero() || m.PriceBand.String() != "10" {
		t.Errorf("the future is %+v", m)
	}

	s.must("PUT", "/v1/markets/BTC_PERP/index", `{"price":"65000","source":1}`)
	s.must("PUT", "/v1/markets/BTC_USDT/index", `{"price":"65010.5","source":8}`).has(`"65005.25"`, "index").has(`"2026-09-21T14:13:20Z"`, "index_at")
	s.must("GET", "/v1/markets/BTC_PERP", "").has(`"65005.25"`, "mark").has("true", "mark_fresh").has(`"2026-09-21T14:15:00Z"`, "funding_at")
	s.must("GET", "/v1/assets/BTC/index", "").has(`{"asset":"BTC","fresh":true,"max_age":30,"price":"65005.25","sources":[` +
		`{"age":0,"at":"2026-09-21T14:13:20Z","counts":true,"price":"65000","source":1},{"age":0,"at":"2026-09-21T14:13:20Z","counts":true,"price":"65010.5","source":8}]}`)
	s.must("DELETE", "/v1/markets/BTC_USDT/index?source=1", "").has(`"65010.5"`, "index")

	s.must("GET", "/v1/audit?limit=1", "").has(`{"set_index":{"market":1,"source":1}}`, 0, "command")
	s.look(func(m core.View) {
		if mark, fresh := m.Prices().Mark(2); mark.String() != "65010.5" || !fresh {
			t.Errorf("the mark is %s, fresh %t", mark, fresh)
		}
	})
	// Half a minute later none of them counts.
	s.now.Add(int64(31 * schema.Second))
	var result schema.Result
	if err := s.x.Node.Submit(t.Context(), &schema.Tick{}, &result); err != nil {
		t.Fatal(err)
	}
	s.must("GET", "/v1/assets/BTC/index", "").has("false", "fresh").has(`"65010.5"`, "price").has("31", "sources", 0, "age").has("false", "sources", 0, "counts")
	s.must("GET", "/v1/markets/BTC_PERP", "").has("false", "mark_fresh").has(`"65010.5"`, "mark")
}

// TestATradFiFutureFromItsListingToItsMark: its prices are in USD, whose own price must be known first, and its base has an index in USDT.
func TestATradFiFutureFromItsListingToItsMark(t *testing.T) {
	s := found(t)
	for _, ticker := range []string{"AAPL", "USD"} {
		s.must("PUT", "/v1/assets/"+ticker, `{"name":"`+ticker+`","class":"crypto","scale":18,"precision":8}`)
	}
	s.must("PUT", "/v1/markets/USD_USDT", `{"stock_prec":2,"money_prec":4,"fee_prec":6,"enabled":true}`)
	s.must("PUT", "/v1/markets/AAPL_USD", `{"type":"tradfiFutures","stock_prec":3,"money_prec":2,"fee_prec":6,"max_leverage":20,"enabled":true}`).
		has(`"tradfiFutures"`, "type").has("20", "max_leverage").has("480", "funding_minutes").has(`"0"`, "mark").has("false", "mark_fresh")
	if m := s.market("AAPL_USD"); m.Type != schema.TradFiFutures || m.Base != s.asset("AAPL").ID || m.Quote != s.asset("USD").ID {
		t.Errorf("the future is %+v", m)
	}
	s.must("PATCH", "/v1/markets/AAPL_USD", `{"max_leverage":10}`).has("10", "max_leverage").has(`"10"`, "price_band")

	s.ask("PUT", "/v1/markets/AAPL_USD/index", `{"price":"230.1"}`).is(422).
		has(`{"field":"price","message":"Set an index price of USD_USDT first: it is not known what USD is worth in USDT."}`)
	s.must("PUT", "/v1/markets/USD_USDT/index", `{"price":"0.9995"}`)
	s.must("PUT", "/v1/markets/AAPL_USD/index", `{"price":"230.1","source":3}`).has(`"230.1"`, "mark").has("true", "mark_fresh").has(`"230.1"`, "index")
	s.must("GET", "/v1/assets/AAPL/index", "").has(`"229.98495"`, "price").has("true", "fresh").has("3", "sources", 0, "source")
	s.must("DELETE", "/v1/markets/AAPL_USD/index?source=3", "").has("false", "mark_fresh").has(`"230.1"`, "mark")
}
