package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// convertWorld has books of BTC and ETH with USDT, whose assets have an index, and an inventory. XRP has a market and no index.
const convertWorld = `{
	"assets": [
		{"ticker": "BTC", "name": "Bitcoin", "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": true},
		{"ticker": "ETH", "name": "Ethereum", "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": true},
		{"ticker": "USDT", "name": "Tether US", "class": "crypto", "scale": 18, "precision": 6, "can_deposit": true, "can_withdraw": true},
		{"ticker": "XRP", "name": "XRP", "class": "crypto", "scale": 18, "precision": 6, "can_deposit": true, "can_withdraw": true}
	],
	"markets": [
		{"name": "BTC_USDT", "type": "spot", "stock_prec": 6, "money_prec": 2, "fee_prec": 8, "maker_fee": "0.1", "taker_fee": "0.1", "enabled": true},
		{"name": "ETH_USDT", "type": "spot", "stock_prec": 4, "money_prec": 2, "fee_prec": 8, "maker_fee": "0.1", "taker_fee": "0.1", "enabled": true},
		{"name": "XRP_USDT", "type": "spot", "stock_prec": 1, "money_prec": 4, "fee_prec": 8, "maker_fee": "0.1", "taker_fee": "0.1", "enabled": true}
	],
	"collateral": [{"asset": "BTC", "weight": "0"}, {"asset": "ETH", "weight": "0"}],
	"funds": {"convert": {"BTC": "100", "ETH": "1000", "USDT": "1000000"}},
	"accounts": [
		{"name": "alice", "region": "global", "keys": [{"key": "alice-key", "secret": "alice-secret", "enabled": true}],
		 "deposits": {"BTC": "10", "USDT": "100000"}, "trade": {"BTC": "10", "USDT": "100000"}},
		{"name": "bob", "region": "global", "keys": [{"key": "bob-key", "secret": "bob-secret", "enabled": true}],
		 "deposits": {"BTC": "10", "ETH": "100", "XRP": "1000", "USDT": "300000"}, "trade": {"BTC": "10", "ETH": "100", "XRP": "1000", "USDT": "300000"}}
	]
}`

// bureau is that world with quotes of bob, where alice converts.
type bureau struct {
	venue
	clock      *clock
	alice, bob trader
}

func newBureau(t *testing.T) bureau {
	t.Helper()
	clock := newClock()
	b := bureau{venue: venue{conform.Inside(t, convertWorld, func(o *exchange.Options) { o.Node.Clock = clock.read })}, clock: clock}
	b.alice, b.bob = b.trader(t, "alice"), b.trader(t, "bob")
	b.switched(true)
	b.prices()
	for _, o := range [][4]string{
		{"BTC_USDT", "buy", "1", "9990"},
		{"BTC_USDT", "sell", "1", "10010"},
		{"ETH_USDT", "buy", "10", "1998"},
		{"ETH_USDT", "sell", "10", "2002"},
		{"XRP_USDT", "buy", "100", "1"},
	} {
		b.bob.limit(o[0], o[1], o[2], o[3])
	}
	return b
}

// switched says whether there are conversions.
func (b bureau) switched(on bool) {
	b.Do(&schema.SetConversion{
		On: on, Spread: fixed.FromUnits(2, 3), Hubs: []schema.AssetID{b.asset("USDT")},
		OpenMost: fixed.FromInt(100_000), DayMost: fixed.FromInt(1_000_000), LossMost: fixed.FromInt(10_000),
	})
}

// prices makes the indices fresh.
func (b bureau) prices() {
	b.Do(&schema.SetIndex{Market: b.market("BTC_USDT").ID, Price: fixed.FromInt(10_000)})
	b.Do(&schema.SetIndex{Market: b.market("ETH_USDT").ID, Price: fixed.FromInt(2_000)})
}

// swap is what a request asks for.
func swap(from, to, direction string, amount any) obj {
	return obj{"from": from, "to": to, "direction": direction, "amount": amount}
}

// quoted asks for a quote and returns its number.
func (b bureau) quoted(from, to, direction string, amount any) string {
	b.alice.t.Helper()
	return b.alice.must("convert/estimate", swap(from, to, direction, amount))["id"].(string)
}

// untouched checks that alice and the inventory have what they had at first.
func (b bureau) untouched(t *testing.T) {
	t.Helper()
	b.alice.holds("BTC", "10", "0")
	b.alice.holds("USDT", "100000", "0")
}

// wrong are errors of conversions: validation failed, whatever the status.
func wrong(status, code int, field, text string) refusal {
	return invalid(code, field, text).as(status)
}

var (
	notBalanced = wrong(400, 37, "amount", "validation.balance")
	tooBig      = wrong(400, 32, "amount", "frontendServerSide.converter.amountIsTooBig")
	noRoute     = wrong(422, 0, "from", "Conversion markets not available")
	tooSmall    = wrong(422, 0, "amount", "validation.amount_too_small")
	noQuote     = wrong(422, 0, "quoteId", "Quote could not be found")
	usedQuote   = wrong(422, 0, "quoteId", "frontendServerSide.converter.quoteInvalid")
	lateQuote   = wrong(400, 20, "quoteId", "api.converter.quoteExpired")
	usedKey     = refusal{409, 0, "api.httpErrors.invalidRequest", fault("request", "frontendServerSide.converter.idempotencyKeyReused")}
	noneNow     = refusal{503, 0, "Conversions are switched off at the moment.", obj{}}
)

// TestEstimates: a quote says what is given and received, in both directions and over a hub, and moves nothing (convert 1).
func TestEstimates(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	end := b.clock.seconds() + 10
	quote := func(id, from, to, give, receive, rate string) obj {
		return obj{"id": id, "from": from, "to": to, "give": give, "receive": receive, "rate": rate, "expireAt": end}
	}
	for i, tt := range []struct {
		ask  obj
		want [5]string // from, to, give, receive, rate
	}{
		{swap("BTC", "USDT", "from", "0.1"), [5]string{"BTC", "USDT", "0.1", "997.002", "9970.02"}},
		{swap("BTC", "USDT", "to", "997"), [5]string{"BTC", "USDT", "0.0999998", "997", "9970.01994003"}},
		{swap("BTC", "ETH", "from", "0.1"), [5]string{"BTC", "ETH", "0.1", "0.49700498", "4.9700498"}},
		// What is beyond 8 decimals does not count, however it is written, nor what is beyond those of the asset.
		{swap("BTC", "USDT", "from", "0.100000009"), [5]string{"BTC", "USDT", "0.1", "997.002", "9970.02"}},
		{swap("BTC", "USDT", "from", "0.10000000999999999999999999999"), [5]string{"BTC", "USDT", "0.1", "997.002", "9970.02"}},
		{swap("BTC", "USDT", "from", "1.00000009e-1"), [5]string{"BTC", "USDT", "0.1", "997.002", "9970.02"}},
		{swap("BTC", "USDT", "from", 0.1), [5]string{"BTC", "USDT", "0.1", "997.002", "9970.02"}},
		{swap("BTC", "USDT", "to", "997.00000099"), [5]string{"BTC", "USDT", "0.0999998", "997", "9970.01994003"}},
	} {
		w := tt.want
		answers(t, b.alice.ask("convert/estimate", tt.ask), quote(fmt.Sprint(i+1), w[0], w[1], w[2], w[3], w[4]))
	}
	b.untouched(t)
}

// TestConfirmations: a quote is confirmed exactly as it was, once, by its account, within ten seconds (convert 2).
func TestConfirmations(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	id := b.quoted("BTC", "USDT", "from", "0.1")
	confirm := func(c trader, id any) conform.Reply { return c.ask("convert/confirm", obj{"quoteId": id}) }
	refuses(t, confirm(b.bob, id), noQuote)
	b.bob.limit("BTC_USDT", "sell", "1", "9991") // prices of now mean nothing to it
	b.clock.advance(10*schema.Second - 1)
	answers(t, confirm(b.alice, id), obj{"finalGive": "0.1", "finalReceive": "997.002"})
	b.alice.holds("BTC", "9.9", "0")
	b.alice.holds("USDT", "100997.002", "0")
	refuses(t, confirm(b.alice, id), usedQuote)
	refuses(t, confirm(b.alice, "7"), noQuote)
	refuses(t, confirm(b.alice, "0"), noQuote)

	b.prices()
	id = b.quoted("BTC", "USDT", "from", "0.1")
	b.clock.advance(10 * schema.Second)
	refuses(t, confirm(b.alice, id), lateQuote)
	b.Do(&schema.Tick{})
	refuses(t, confirm(b.alice, id), lateQuote)

	// A newer quote of the pair ends the older one; a number is as good as a text.
	b.prices()
	older, newer := b.quoted("BTC", "USDT", "from", "0.1"), b.quoted("BTC", "USDT", "from", "0.2")
	refuses(t, confirm(b.alice, older), lateQuote)
	if newer != "4" {
		t.Fatalf("the quote is %s", newer)
	}
	answers(t, confirm(b.alice, 4), obj{"finalGive": "0.2", "finalReceive": "1994.004"})

	// The balance counts once more.
	id = b.quoted("BTC", "USDT", "from", "0.1")
	b.alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "9.7", "from": "spot", "to": "main"})
	refuses(t, confirm(b.alice, id), notBalanced)
	b.alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "9.7", "from": "main", "to": "spot"})
	answers(t, confirm(b.alice, id), obj{"finalGive": "0.1", "finalReceive": "997.002"})
	b.alice.holds("BTC", "9.6", "0")
	b.alice.holds("USDT", "103988.008", "0")
}

// TestAutoConfirmations: in one step, and with a key once, whatever else it is asked for again (convert 3).
func TestAutoConfirmations(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	auto := func(c trader, fields obj) conform.Reply { return c.ask("convert/auto-confirm", fields) }
	done := func(id string) obj { return obj{"id": id, "finalGive": "0.1", "finalReceive": "997.002"} }
	ask := swap("BTC", "USDT", "from", "0.1")
	answers(t, auto(b.alice, ask), done("1"))
	answers(t, auto(b.alice, ask), done("2")) // every request converts
	b.alice.holds("BTC", "9.8", "0")

	for i, key := range []string{"12345678", strings.Repeat("k", 128), strings.Repeat("é", 128), "ключ ☃ 8", "\"\\\n\u0000 x y"} {
		keyed := changed(ask, obj{"idempotencyKey": key})
		want := done(fmt.Sprint(i + 3))
		answers(t, auto(b.alice, keyed), want)
		b.clock.advance(schema.Second)
		answers(t, auto(b.alice, keyed), want)
		answers(t, auto(b.alice, changed(keyed, obj{"amount": 0.1000000001})), want) // the same, once it is cut
		for _, other := range []obj{{"amount": "0.11"}, {"direction": "to"}, {"to": "ETH"}, {"from": "ETH"}, {"from": "NIX"}} {
			refuses(t, auto(b.alice, changed(keyed, other)), usedKey)
		}
	}
	b.alice.holds("BTC", "9.3", "0")
	b.alice.holds("USDT", "106979.014", "0")

	// Keys are of an account; one whose request was refused is free; it can be used while conversions are off.
	b.prices()
	keyed := changed(ask, obj{"idempotencyKey": "12345678"})
	b.alice.limit("BTC_USDT", "buy", "1", "9990") // what bob meets, who does not meet himself
	answers(t, auto(b.bob, keyed), done("8"))
	fresh := changed(swap("BTC", "USDT", "from", "9.5"), obj{"idempotencyKey": "another key"})
	refuses(t, auto(b.alice, fresh), tooBig)
	answers(t, auto(b.alice, changed(fresh, obj{"amount": "0.1"})), done("9"))
	b.switched(false)
	answers(t, auto(b.alice, keyed), done("3"))
	refuses(t, auto(b.alice, changed(keyed, obj{"idempotencyKey": "a third key"})), noneNow)

	// It is forgotten after a day.
	b.switched(true)
	b.clock.advance(24*3600*schema.Second - 6*schema.Second)
	answers(t, auto(b.alice, keyed), done("3"))
	b.clock.advance(schema.Second)
	b.prices()
	answers(t, auto(b.alice, keyed), done("10"))
}

// TestConversionsAreRefused: bad input of every kind, and nothing moves (convert 5).
func TestConversionsAreRefused(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	ask := swap("BTC", "USDT", "from", "0.1")
	needed := func(names ...string) refusal {
		r := refusal{422, 30, "Validation failed", obj{}}
		for _, name := range names {
			r = r.and(name, "validation.required")
		}
		return r
	}
	direction := wrong(422, 30, "direction", "Direction field does not exist in [from,to].")
	numeric := wrong(422, 30, "amount", "validation.numeric")
	for i, tt := range []struct {
		ask  obj
		want refusal
	}{
		{obj{}, needed("from", "to", "direction", "amount")},
		{changed(ask, obj{"amount": nil}), needed("amount")},
		{obj{"from": "BTC", "to": "USDT"}, needed("direction", "amount")},
		{changed(ask, obj{"direction": "sell"}), direction},
		{changed(ask, obj{"direction": "FROM"}), direction},
		{changed(ask, obj{"direction": ""}), direction},
		{changed(ask, obj{"direction": 1}), direction},
		{changed(ask, obj{"amount": "x"}), numeric},
		{changed(ask, obj{"amount": ""}), numeric},
		{changed(ask, obj{"amount": "1,000.1"}), numeric},
		{changed(ask, obj{"amount": "0.1000000000x"}), numeric},
		{changed(ask, obj{"amount": "0x1"}), numeric},
		{changed(ask, obj{"amount": obj{}}), numeric},
		{changed(ask, obj{"amount": arr{"1"}}), numeric},
		{changed(ask, obj{"from": 7}), wrong(422, 30, "from", "validation.string")},
		{changed(ask, obj{"to": arr{}}), wrong(422, 30, "to", "validation.string")},
		{changed(ask, obj{"from": "NIX"}), noRoute},
		{changed(ask, obj{"to": "NIX"}), noRoute},
		{changed(ask, obj{"to": ""}), noRoute},
		{changed(ask, obj{"from": "btc"}), noRoute},
		{changed(ask, obj{"to": "BTC"}), noRoute},
		{changed(ask, obj{"to": "XRP"}), noRoute},
		{changed(ask, obj{"amount": "0"}), tooSmall},
		{changed(ask, obj{"amount": "-1"}), tooSmall},
		{changed(ask, obj{"amount": "-1e40"}), tooSmall},
		{changed(ask, obj{"amount": "0.000000009"}), tooSmall},
		{swap("USDT", "BTC", "from", "0.00001"), tooSmall},
		{changed(ask, obj{"amount": "1e40"}), tooBig},
		{changed(ask, obj{"amount": strings.Repeat("9", 30)}), tooBig},
		{changed(ask, obj{"amount": "1.1"}), tooBig}, // more than the book
		{swap("ETH", "USDT", "from", "0.5"), notBalanced},
	} {
		for _, path := range []string{"convert/estimate", "convert/auto-confirm"} {
			t.Run(fmt.Sprint(i, path), func(t *testing.T) { refuses(t, b.alice.ask(path, tt.ask), tt.want) })
		}
	}
	length := wrong(422, 30, "idempotencyKey", "The idempotencyKey must have 8 to 128 characters.")
	for _, key := range []string{"", "1234567", "ééééééé", strings.Repeat("x", 129)} {
		refuses(t, b.alice.ask("convert/auto-confirm", changed(ask, obj{"idempotencyKey": key})), length)
	}
	for _, key := range []any{12345678, true, arr{"12345678"}, obj{}} {
		refuses(t, b.alice.ask("convert/auto-confirm", changed(ask, obj{"idempotencyKey": key})), wrong(422, 30, "idempotencyKey", "validation.string"))
	}
	integer := wrong(422, 30, "quoteId", "validation.numeric_integer")
	for _, tt := range []struct {
		id   any
		want refusal
	}{
		{nil, needed("quoteId")},
		{"", integer},
		{"x", integer},
		{"-1", integer},
		{"1.5", integer},
		{1.5, integer},
		{arr{1}, integer},
		{obj{}, integer},
		{true, integer},
		{strings.Repeat("1", 19), wrong(422, 30, "quoteId", "validation.numeric_field_length")},
		{strings.Repeat("9", 18), noQuote},
	} {
		refuses(t, b.alice.ask("convert/confirm", obj{"quoteId": tt.id}), tt.want)
	}
	// A price that is not fresh is none.
	b.clock.advance(60 * schema.Second)
	b.Do(&schema.Tick{})
	refuses(t, b.alice.ask("convert/estimate", ask), noRoute)
	b.untouched(t)
}

// TestNoConversions: nothing is quoted before they are switched on, nor confirmed while they are off; what was converted can be looked up.
func TestNoConversions(t *testing.T) {
	t.Parallel()
	off := venue{conform.Inside(t, convertWorld, nil)}.trader(t, "alice")
	refuses(t, off.ask("convert/estimate", swap("NIX", "NIX", "from", "0")), noneNow)
	b := newBureau(t)
	b.alice.must("convert/auto-confirm", swap("BTC", "USDT", "from", "0.1"))
	id := b.quoted("BTC", "USDT", "from", "0.1")
	b.switched(false)
	refuses(t, b.alice.ask("convert/estimate", swap("BTC", "USDT", "from", "0.1")), noneNow)
	refuses(t, b.alice.ask("convert/auto-confirm", swap("BTC", "USDT", "from", "0.1")), noneNow)
	refuses(t, b.alice.ask("convert/confirm", obj{"quoteId": id}), noneNow)
	b.alice.holds("BTC", "9.9", "0")
	if page := b.alice.must("convert/history", nil); fmt.Sprint(page["total"]) != "1" {
		t.Errorf("the history is %v", page)
	}
	b.switched(true)
	answers(t, b.alice.ask("convert/confirm", obj{"quoteId": id}), obj{"finalGive": "0.1", "finalReceive": "997.002"})
}

// TestConversionsOfThePast goes through convert 4: records with their paths, filters, pages and bounds.
func TestConversionsOfThePast(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	const day = 24 * 3600
	past := func(fields obj, total, limit, offset int, want ...obj) {
		t.Helper()
		records := arr{}
		for _, r := range want {
			records = append(records, r)
		}
		answers(t, b.alice.ask("convert/history", fields), obj{"records": records, "total": total, "limit": limit, "offset": offset})
	}
	past(nil, 0, 100, 0)
	start := b.clock.seconds()
	hops := func(list ...string) (path arr) {
		for i := 0; i < len(list); i += 3 {
			path = append(path, obj{"from": list[i], "to": list[i+1], "rate": list[i+2]})
		}
		return path
	}
	record := func(id string, date int, give, receive, rate string, path arr) obj {
		return obj{"id": id, "date": date, "give": give, "receive": receive, "rate": rate, "path": path}
	}
	direct := b.quoted("BTC", "USDT", "from", "0.1")
	b.clock.advance(schema.Second)
	b.alice.must("convert/auto-confirm", swap("BTC", "ETH", "from", "0.1"))
	b.clock.advance(schema.Second)
	b.alice.must("convert/confirm", obj{"quoteId": direct}) // later than the newer one
	b.quoted("ETH", "USDT", "from", "0.1")                  // never confirmed
	first := record("1", start, "0.1", "997.002", "9970.02", hops("BTC", "USDT", "9990"))
	second := record("2", start+1, "0.1", "0.49700498", "4.9700498", hops("BTC", "USDT", "9990", "USDT", "ETH", "0.0004995"))
	b.clock.advance(20 * day * schema.Second)
	b.prices()
	b.alice.must("convert/auto-confirm", swap("USDT", "BTC", "to", "0.1"))
	third := record("4", start+2+20*day, "1003.006013", "0.1", "0.0000997", hops("USDT", "BTC", "0.0000999"))

	past(nil, 3, 100, 0, third, second, first)
	past(obj{"limit": 1, "offset": "1"}, 3, 1, 1, second)
	past(obj{"offset": 3}, 3, 100, 3)
	past(obj{"fromTicker": "BTC"}, 2, 100, 0, second, first)
	past(obj{"toTicker": "BTC"}, 1, 100, 0, third)
	past(obj{"fromTicker": "BTC", "toTicker": "USDT"}, 1, 100, 0, first)
	past(obj{"fromTicker": "ETH"}, 0, 100, 0)
	past(obj{"fromTicker": "", "toTicker": ""}, 3, 100, 0, third, second, first)
	past(obj{"quoteId": "2"}, 1, 100, 0, second)
	past(obj{"quoteId": 2, "fromTicker": "BTC", "toTicker": "ETH"}, 1, 100, 0, second)
	past(obj{"quoteId": "2", "toTicker": "USDT"}, 0, 100, 0)
	past(obj{"quoteId": "2", "fromTicker": "USDT"}, 0, 100, 0)
	past(obj{"quoteId": "3"}, 0, 100, 0) // it was not confirmed
	past(obj{"quoteId": "0"}, 0, 100, 0)
	past(obj{"from": fmt.Sprint(start + 1), "to": start + 1}, 1, 100, 0, second)
	past(obj{"from": start, "to": start + 1}, 2, 100, 0, second, first)
	past(obj{"to": start}, 1, 100, 0, first)
	past(obj{"from": start + 2}, 1, 100, 0, third)
	past(obj{"from": start - 10*day + 2, "to": start + 20*day + 2}, 3, 100, 0, third, second, first) // 30 days
	answers(t, b.bob.ask("convert/history", nil), obj{"records": arr{}, "total": 0, "limit": 100, "offset": 0})
	b.clock.advance(10 * day * schema.Second)
	past(nil, 1, 100, 0, third) // of 30 days
	past(obj{"quoteId": "1"}, 1, 100, 0, first)

	tooLong := wrong(422, 30, "from", "api.validation.dateTime.maxRange").and("to", "api.validation.dateTime.maxRange")
	now := b.clock.seconds()
	for _, tt := range []struct {
		ask  obj
		want refusal
	}{
		{obj{"from": now - 30*day - 1}, tooLong},
		{obj{"from": start - 10*day + 1, "to": start + 20*day + 2}, tooLong},
		{obj{"from": now - 190*day}, wrong(422, 30, "from", "validation.numeric_field_length")},
		{obj{"from": -1}, wrong(422, 30, "from", "validation.numeric_field_length")},
		{obj{"from": "x"}, wrong(422, 30, "from", "validation.numeric_integer")},
		{obj{"from": 1.5}, wrong(422, 30, "from", "validation.numeric_integer")},
		{obj{"to": obj{}}, wrong(422, 30, "to", "validation.numeric_integer")},
		{obj{"to": "253402300800"}, wrong(422, 30, "to", "validation.numeric_field_length")},
		{obj{"to": now - 190*day}, wrong(422, 30, "to", "validation.numeric_field_length")},
		{obj{"from": now, "to": now - 1}, wrong(422, 30, "to", "validation.numeric_field_length")},
		{obj{"limit": 0}, wrong(422, 30, "limit", "validation.numeric_field_length")},
		{obj{"limit": 101}, wrong(422, 30, "limit", "validation.numeric_field_length")},
		{obj{"limit": "x"}, wrong(422, 30, "limit", "validation.numeric_integer")},
		{obj{"offset": -1}, wrong(422, 30, "offset", "validation.length_min")},
		{obj{"offset": 10001}, wrong(422, 30, "offset", "validation.numeric_field_length")},
		{obj{"offset": arr{}}, wrong(422, 30, "offset", "validation.numeric_integer")},
		{obj{"fromTicker": "NIX"}, wrong(422, 30, "fromTicker", "fromTicker is invalid.")},
		{obj{"toTicker": "NIX"}, wrong(422, 30, "toTicker", "toTicker is invalid.")},
		{obj{"fromTicker": 7}, wrong(422, 30, "fromTicker", "fromTicker is invalid.")},
		{obj{"quoteId": "x"}, wrong(422, 30, "quoteId", "validation.numeric_integer")},
	} {
		refuses(t, b.alice.ask("convert/history", tt.ask), tt.want)
	}
}
