package conform_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The private endpoints are tested with a world of one kind: markets against USDT with a tick, a
// step, a smallest amount and a smallest total that all differ, and customers with plenty of
// everything. What a test needs otherwise it says.

// obj is the members of a JSON object: of a request, or as they are expected in an answer.
type obj = conform.Fields

// arr is a JSON array as it is expected.
type arr = []any

// venue is an exchange with the customers of worldOf.
type venue struct{ *conform.Venue }

// serve runs the real program.
func serve(t *testing.T, markets, accounts map[string]obj) venue {
	t.Helper()
	return venue{conform.Start(t, worldOf(t, markets, accounts), "--no-limits")}
}

// operate runs an exchange inside the test, for what only its operator can do. Its clock stands
// still unless the test moves it.
func operate(t *testing.T, clock *clock, markets, accounts map[string]obj) venue {
	t.Helper()
	return venue{conform.Inside(t, worldOf(t, markets, accounts), func(o *exchange.Options) {
		o.Node.Clock = clock.read
	})}
}

// plain are markets, or accounts, with nothing special about them.
func plain(names ...string) map[string]obj {
	all := map[string]obj{}
	for _, name := range names {
		all[name] = nil
	}
	return all
}

// with joins some that are plain and some that are not.
func with(all map[string]obj, name string, changes obj) map[string]obj {
	all[name] = changes
	return all
}

// worldOf is the set-up of an exchange. Accounts have 1000 of every base and a million USDT in
// their trade wallet, unless they say what they have.
func worldOf(t *testing.T, markets, accounts map[string]obj) string {
	t.Helper()
	assets := map[string]string{"USDT": "1000000"}
	file := struct {
		Assets   []obj `json:"assets"`
		Markets  []obj `json:"markets"`
		Accounts []obj `json:"accounts"`
	}{}
	for _, name := range slices.Sorted(maps.Keys(markets)) {
		base, _, _ := strings.Cut(name, "_")
		assets[base] = "1000"
		market := obj{
			"name": name, "type": "spot", "enabled": true, "stock_prec": 4, "money_prec": 3, "fee_prec": 8,
			"tick_size": "0.01", "step_size": "0.001", "min_amount": "0.01", "min_total": "5.05", "max_total": "500000",
			"maker_fee": "0.1", "taker_fee": "0.2", "taker_band": "0",
		}
		maps.Copy(market, markets[name])
		file.Markets = append(file.Markets, market)
	}
	for _, ticker := range slices.Sorted(maps.Keys(assets)) {
		file.Assets = append(file.Assets, obj{
			"ticker": ticker, "name": ticker, "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": true, "codes": true,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(accounts)) {
		account := obj{
			"name": name, "region": "global", "new_addresses": true, "deposits": assets, "trade": assets,
			"keys": []obj{{"key": name + "-key", "secret": name + "-secret", "title": name, "enabled": true}},
		}
		maps.Copy(account, accounts[name])
		file.Accounts = append(file.Accounts, account)
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// trader is a customer with a key.
type trader struct {
	*conform.Client
	t *testing.T
}

func (v venue) trader(t *testing.T, name string) trader {
	return trader{v.Client(name+"-key", name+"-secret"), t}
}

// ask calls an endpoint.
func (c trader) ask(path string, fields obj) conform.Reply {
	c.t.Helper()
	return c.Post("/api/v4/"+path, fields)
}

// must calls an endpoint that answers with an object and returns it.
func (c trader) must(path string, fields obj) map[string]any {
	c.t.Helper()
	r := c.ask(path, fields)
	if r.Status != 200 {
		c.t.Fatalf("%s %v: %d %s", path, fields, r.Status, r.Body)
	}
	var answer map[string]any
	r.Read(c.t, &answer)
	return answer
}

// list calls an endpoint that answers with an array and returns it.
func (c trader) list(path string, fields obj) []any {
	c.t.Helper()
	r := c.ask(path, fields)
	if r.Status != 200 {
		c.t.Fatalf("%s %v: %d %s", path, fields, r.Status, r.Body)
	}
	var answer []any
	r.Read(c.t, &answer)
	return answer
}

// limit places a limit order and returns it.
func (c trader) limit(market, side, amount, price string, more ...obj) map[string]any {
	c.t.Helper()
	fields := obj{"market": market, "side": side, "amount": amount, "price": price}
	for _, m := range more {
		maps.Copy(fields, m)
	}
	return c.must("order/new", fields)
}

// orders are the open orders of the trader on a market, newest first.
func (c trader) orders(market string) []any {
	c.t.Helper()
	return c.list("orders", obj{"market": market})
}

// balance is what the trader has of an asset in the trade wallet.
func (c trader) balance(ticker string) (available, frozen string) {
	c.t.Helper()
	b := c.must("trade-account/balance", obj{"ticker": ticker})[ticker].(map[string]any)
	return b["available"].(string), b["freeze"].(string)
}

// holds checks what the trader has of an asset in the trade wallet.
func (c trader) holds(ticker, available, frozen string) {
	c.t.Helper()
	if a, f := c.balance(ticker); a != available || f != frozen {
		c.t.Errorf("%s: %s available and %s frozen, should be %s and %s", ticker, a, f, available, frozen)
	}
}

// tradeAt makes a trade of 1 at a price, so that the market has a last price.
func tradeAt(seller, buyer trader, market, price string) {
	seller.t.Helper()
	seller.limit(market, "sell", "1", price)
	if o := buyer.limit(market, "buy", "1", price); o["status"] != "FILLED" {
		seller.t.Fatalf("no trade at %s: %v", price, o)
	}
}

// test is a way to look at a value of an answer that is not known beforehand.
type test func(any) error

// pattern is a value whose JSON looks like this.
func pattern(form string) test {
	re := regexp.MustCompile("^(?:" + form + ")$")
	return func(v any) error {
		text, err := json.Marshal(v)
		if err == nil && !re.Match(text) {
			err = fmt.Errorf("%s does not look like %s", text, form)
		}
		return err
	}
}

var (
	anID    = pattern(`[1-9][0-9]*`)
	aMoment = pattern(`[1-9][0-9]{9}\.[0-9]{6}`)
	aUUID   = pattern(`"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"`)
)

// seen is a value of another answer.
func seen(before any) test {
	return func(got any) error {
		if got != before {
			return fmt.Errorf("%#v, should be %#v as before", got, before)
		}
		return nil
	}
}

// differ lists where a value is not as expected: other members, other types, other values.
func differ(where string, got, want any) []string {
	bad := func(format string, args ...any) []string {
		return []string{where + ": " + fmt.Sprintf(format, args...)}
	}
	switch w := want.(type) {
	case test:
		if err := w(got); err != nil {
			return bad("%v", err)
		}
	case int:
		if n, ok := got.(json.Number); !ok || n.String() != fmt.Sprint(w) {
			return bad("%#v, should be the number %d", got, w)
		}
	case map[string]any:
		return differ(where, got, obj(w))
	case obj:
		members, ok := got.(map[string]any)
		if !ok {
			return bad("%#v, should be an object", got)
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if value, there := members[name]; there {
				all = append(all, differ(where+"."+name, value, w[name])...)
			} else {
				all = append(all, where+": "+name+" is missing")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, there := w[name]; !there {
				all = append(all, fmt.Sprintf("%s: %s should not be there (%#v)", where, name, members[name]))
			}
		}
		return all
	case arr:
		elements, ok := got.([]any)
		if !ok || len(elements) != len(w) {
			return bad("%#v, should be an array of %d", got, len(w))
		}
		var all []string
		for i := range w {
			all = append(all, differ(fmt.Sprintf("%s[%d]", where, i), elements[i], w[i])...)
		}
		return all
	default:
		if got != want {
			return bad("%#v, should be %#v", got, want)
		}
	}
	return nil
}

// is checks a value against what is expected, member by member.
func is(t *testing.T, what string, got, want any) {
	t.Helper()
	for _, line := range differ(what, got, want) {
		t.Error(line)
	}
}

// answers checks that a request was done, and the answer.
func answers(t *testing.T, r conform.Reply, want any) {
	t.Helper()
	if r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
		return
	}
	var got any
	r.Read(t, &got)
	is(t, "answer", got, want)
}

// refusal is why a request is not done.
type refusal struct {
	status, code int
	message      string
	errors       obj
}

// invalid is wrong from the start.
func invalid(code int, field string, texts ...string) refusal {
	return refusal{422, code, "Validation failed", fault(field, texts...)}
}

// inner is something that the engine found.
func inner(status, code int, field, text string) refusal {
	return refusal{status, code, "Inner validation failed", fault(field, text)}
}

func fault(field string, texts ...string) obj {
	var all arr
	for _, text := range texts {
		all = append(all, text)
	}
	return obj{field: all}
}

// and says that another field is wrong as well.
func (r refusal) and(field string, texts ...string) refusal {
	r.errors = maps.Clone(r.errors)
	maps.Copy(r.errors, fault(field, texts...))
	return r
}

// as is the same refusal with another HTTP status.
func (r refusal) as(status int) refusal {
	r.status = status
	return r
}

// body is the refusal as it stands in an answer.
func (r refusal) body() obj { return obj{"code": r.code, "message": r.message, "errors": r.errors} }

// refuses checks that a request was refused for a reason.
func refuses(t *testing.T, r conform.Reply, want refusal) {
	t.Helper()
	if r.Status != want.status {
		t.Errorf("status %d, should be %d: %s", r.Status, want.status, r.Body)
		return
	}
	var got any
	r.Read(t, &got)
	for _, line := range differ("error", got, want.body()) {
		t.Errorf("%s (%s)", line, r.Body)
	}
}

// item is the element of a bulk answer for an order that was refused.
func (r refusal) item() obj { return obj{"result": nil, "error": r.body()} }

// done is the element of a bulk answer for an order that was taken.
func done(order obj) obj { return obj{"result": order, "error": nil} }

const (
	needed     = " field is required."
	notFound   = "Unexecuted order was not found."
	noMoney    = "Not enough balance."
	noMarket   = "Market is not available."
	asMaker    = "This order couldn't be executed as a maker order and was canceled."
	notNumeric = " field should be numeric string or number."
)

// limitShape is the answer to a new limit order that found nobody to trade with.
func limitShape(market, side, amount, price string, changes obj) obj {
	shape := obj{
		"orderId": anID, "clientOrderId": "", "market": market, "side": side, "type": "limit", "timestamp": aMoment,
		"dealMoney": "0", "dealStock": "0", "amount": amount, "left": amount, "dealFee": "0", "feeAsset": feeAsset(market, side),
		"price": price, "ioc": false, "status": "OPEN", "stp": "no", "rpi": false,
	}
	return changed(shape, changes)
}

// marketShape is the answer to an order at the market.
func marketShape(market, side, kind, amount string, changes obj) obj {
	shape := limitShape(market, side, amount, "", obj{"type": kind, "status": "FILLED", "left": "0"})
	delete(shape, "price")
	return changed(shape, changes)
}

// stopShape is the answer to a new stop order that waits; without a price for a stop market.
func stopShape(market, side, amount, price, activation string, changes obj) obj {
	shape := limitShape(market, side, amount, price, obj{
		"type": "stop limit", "activated": 0, "activation_price": activation,
		"activationCondition": map[string]string{"buy": "gte", "sell": "lte"}[side],
	})
	if price == "" {
		delete(shape, "price")
		shape["type"] = "stop market"
	}
	return changed(shape, changes)
}

// listed is the shape that cancel, modify and the list of active orders answer with.
func listed(shape obj, changes obj) obj {
	return changed(changed(shape, obj{"positionSide": "BOTH", "reduceOnly": false}), changes)
}

func changed(shape, changes obj) obj {
	shape = maps.Clone(shape)
	maps.Copy(shape, changes)
	return shape
}

// feeAsset is what a side receives.
func feeAsset(market, side string) string {
	base, quote, _ := strings.Cut(market, "_")
	if side == "buy" {
		return base
	}
	return quote
}

// clock is a time of day that a test sets.
type clock struct{ now atomic.Int64 }

// noon of a day long after the step rule.
const noon = schema.Time(1_790_000_000) * schema.Second

func newClock() *clock {
	c := new(clock)
	c.set(noon)
	return c
}

func (c *clock) read() schema.Time { return schema.Time(c.now.Load()) }

func (c *clock) set(t schema.Time) { c.now.Store(int64(t)) }

func (c *clock) advance(by schema.Time) { c.now.Add(int64(by)) }

// seconds is the time of day as requests tell it.
func (c *clock) seconds() int { return int(c.read() / schema.Second) }

// tick lets a second pass and timers run.
func (v venue) tick(c *clock) {
	c.advance(schema.Second)
	v.Do(&schema.Tick{})
}

// market finds a market of an exchange inside the test.
func (v venue) market(name string) schema.MarketInfo { return *v.Exchange.API.Directory().Market(name) }

// asset finds an asset of an exchange inside the test.
func (v venue) asset(ticker string) schema.AssetID {
	return v.Exchange.API.Directory().Asset(ticker).ID
}

// account finds a customer of an exchange inside the test.
func (v venue) account(name string) (found schema.Account) {
	v.Exchange.Node.Read(func(m core.View) { found = *m.Accounts().ByName(name) })
	return found
}

// decimal is a number that a test writes down.
func decimal(t *testing.T, text string) fixed.Decimal {
	t.Helper()
	d, err := fixed.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
