package conform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// keyGroups is what a key of a sub-account can be given, by group, in the order in which keys list it; the last three are for type 2.
var keyGroups = []struct {
	name, title string
	kind        int
	paths       []string
}{
	{"trading", "Trading", 1, []string{
		"order/new", "order/bulk", "order/market", "order/stock_market", "order/stop_limit", "order/stop_market", "order/cancel", "order/cancel/bulk", "order/cancel/all", "order/modify",
		"order/kill-switch", "order/kill-switch/status", "orders", "order/collateral/limit", "order/collateral/bulk", "order/collateral/market", "order/collateral/stop-limit",
		"order/collateral/trigger-market", "order/collateral/oco", "order/conditional-cancel", "order/oco-cancel", "order/oto-cancel", "conditional-orders", "oco-orders",
		"collateral-account/leverage", "collateral-account/hedge-mode/update", "collateral-account/position/close", "convert/estimate", "convert/confirm", "convert/auto-confirm",
	}},
	{"trade_info", "Trade balance and order history", 1, []string{
		"trade-account/balance", "trade-account/executed-history", "trade-account/order", "trade-account/order/history", "trade-account/order/history/query",
		"collateral-account/balance", "collateral-account/balance-summary", "collateral-account/summary", "collateral-account/hedge-mode", "collateral-account/adl-quantile",
		"collateral-account/positions/open", "collateral-account/positions/history", "collateral-account/positions/closed-pnl", "collateral-account/funding-history",
		"collateral-account/borrow-history", "market/fee", "market/fee/single", "convert/history",
	}},
	{"wallet", "Wallet balance and history", 1, []string{
		"main-account/balance", "main-account/withdrawable-balance", "main-account/history", "main-account/fee", "main-account/refund-history", "credit-line/loans/info", "travel-rule/vasps",
	}},
	{"transfer", "Balance Transfer", 1, []string{"main-account/transfer", "main-account/transfer/history"}},
	{"deposits", "Deposits", 2, []string{"main-account/address", "main-account/create-new-address", "travel-rule/deposit/verification"}},
	{"withdraw", "Withdraw", 2, []string{"main-account/withdraw", "main-account/withdraw-pay", "main-account/refund-deposit", "mining/payout-destination/edit"}},
	{"codes", "Codes", 2, []string{"main-account/codes", "main-account/codes/apply", "main-account/codes/my", "main-account/codes/history"}},
	{"earn", "Earn", 1, []string{
		"main-account/smart/plans", "main-account/smart/investment", "main-account/smart/investment/close", "main-account/smart/investments", "main-account/smart/interest-payment-history",
		"main-account/smart-flex/plans", "main-account/smart-flex/investments", "main-account/smart-flex/investments/history", "main-account/smart-flex/investments/payment-history",
		"main-account/smart-flex/investments/invest", "main-account/smart-flex/investments/withdraw", "main-account/smart-flex/investments/close", "main-account/smart-flex/investments/auto-invest",
	}},
	{"mining", "Mining pool", 1, []string{
		"mining/accounts", "mining/accounts/create", "mining/rewards", "mining/hashrate", "mining/payout-destination", "mining/miners/info", "mining/workers/names",
		"mining/workers/hashrate", "mining/watcher-links/create", "mining/watcher-links/list",
	}},
	{"account", "Account", 1, []string{"jwt", "profile/websocket_token"}},
}

// endpointsOf is what a key of a type shows of itself, with some endpoints enabled.
func endpointsOf(kind int, enabled ...string) (list arr) {
	for _, g := range keyGroups {
		if g.kind > kind {
			continue
		}
		urls := arr{}
		for _, path := range g.paths {
			urls = append(urls, obj{"url": "/api/v4/" + path, "enable": slices.Contains(enabled, path)})
		}
		list = append(list, obj{"name": g.name, "title": g.title, "urls": urls})
	}
	return list
}

// keyShape is a key as lists have it: without its secret.
func keyShape(sub, title string, kind int, enabled ...string) obj {
	public := pattern(`"[0-9a-f]{32}"`)
	return obj{
		"subAccountId": sub, "id": aUUID, "title": title, "isEnabled": true, "apiKey": public, "key": public, "apiSecret": "", "secret": "", "type": kind,
		"lastActivity": 0, "restrictAccess": true, "accessEndpoints": endpointsOf(kind, enabled...),
	}
}

// TestKeysOfSubAccounts: made with nothing enabled, the secret once, listed newest first (sub-accounts 3 and 4).
func TestKeysOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id, other := f.alice.opens("desk"), f.alice.opens("other")
	create := func(sub string, kind int, title any) map[string]any {
		t.Helper()
		return f.alice.must("sub-account/api-key/create", obj{"subAccountId": sub, "type": kind, "title": title})
	}
	secret := pattern(`"[0-9a-f]{64}"`)
	first, second := create(id, 1, "bot"), create(id, 2, nil)
	third := create(other, 2, "")
	for i, made := range []map[string]any{first, second} {
		shape := changed(keyShape(id, []string{"bot", ""}[i], i+1), obj{"apiSecret": secret, "secret": seen(made["apiSecret"]), "key": seen(made["apiKey"])})
		is(t, "made", made, shape)
	}
	list := func(filter obj, limit, offset int, want ...obj) {
		t.Helper()
		data := arr{}
		for _, k := range want {
			data = append(data, k)
		}
		answers(t, f.alice.ask("sub-account/api-key/list", filter), obj{"limit": limit, "offset": offset, "data": data})
	}
	shown := func(made map[string]any, sub, title string, kind int, enabled ...string) obj {
		return changed(keyShape(sub, title, kind, enabled...), obj{"id": made["id"], "apiKey": made["apiKey"], "key": made["apiKey"]})
	}
	one, two, three := shown(first, id, "bot", 1), shown(second, id, "", 2), shown(third, other, "", 2)
	list(nil, 100, 0, three, two, one)
	list(obj{"subAccountId": id}, 100, 0, two, one)
	list(obj{"limit": 1, "offset": 1}, 1, 1, two)
	list(obj{"offset": 10000}, 100, 10000)

	// Every endpoint that it can have answers 401 with code 4 until it is enabled; then it may.
	key := trader{f.Client(first["apiKey"].(string), first["apiSecret"].(string)), t}
	for _, g := range keyGroups {
		for _, path := range g.paths {
			refuses(t, key.ask(path, nil), notAllowed)
		}
	}
	edit := func(id any, title string, urls ...obj) {
		t.Helper()
		answers(t, f.alice.ask("sub-account/api-key/edit", obj{"apiKeyId": id, "title": title, "urls": urls}), obj{})
	}
	on := func(path string) obj { return switched(true, path)[0] }
	off := func(path string) obj { return switched(false, path)[0] }
	edit(first["id"], "bot", on("orders"), on("main-account/balance"))
	f.clock.advance(schema.Second)
	key.orders("DEP_USDT")
	key.main("DEP", "0", "0")
	// What is not listed stays; what is listed twice and once off is off.
	edit(first["id"], "other bot", on("order/new"), off("main-account/balance"), on("trade-account/balance"), off("trade-account/balance"))
	key.orders("DEP_USDT")
	refuses(t, key.ask("main-account/balance", nil), notAllowed)
	refuses(t, key.ask("trade-account/balance", nil), notAllowed)
	edit(first["id"], "", off("orders"), off("order/cancel"))
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), notAllowed)
	one = shown(first, id, "", 1, "order/new")
	one["lastActivity"] = test(func(any) error { return nil })
	list(obj{"subAccountId": id}, 100, 0, two, one)
	// No list of a master has keys of its own, and operators' keys are not shown.
	f.masterKey(t, "clerk", "orders")
	list(obj{"subAccountId": other}, 100, 0, three)

	answers(t, f.alice.ask("sub-account/api-key/delete", obj{"apiKeyId": first["id"]}), obj{})
	list(nil, 100, 0, three, two)
	refuses(t, key.ask("order/new", nil), unknownKey)
	refuses(t, f.alice.ask("sub-account/api-key/delete", obj{"apiKeyId": first["id"]}), noKey)
}

// TestKeysOfSubAccountsSayWhenTheyWereUsed: a command that was signed with one is a use.
func TestKeysOfSubAccountsSayWhenTheyWereUsed(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	key := f.key(id, 1, "order/new")
	f.clock.advance(90 * schema.Second)
	refuses(t, key.ask("order/new", obj{"market": "DEP_USDT", "side": "buy", "amount": "1", "price": "100"}), inner(400, 10, "amount", noMoney))
	used := f.alice.must("sub-account/api-key/list", nil)["data"].([]any)[0].(map[string]any)["lastActivity"]
	is(t, "lastActivity", used, f.clock.seconds())
}

// TestAResetKey: another pair, the same id and settings; the old pair ends at once.
func TestAResetKey(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	key := f.key(id, 1, "orders")
	f.alice.must("sub-account/api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": "127.0.0.1"})
	key.orders("DEP_USDT")
	answers(t, f.alice.ask("sub-account/api-key/reset", obj{"apiKeyId": key.id}), obj{})
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), unknownKey)
	now := f.alice.must("sub-account/api-key/list", nil)["data"].([]any)[0].(map[string]any)
	is(t, "reset", now, changed(keyShape(id, "bot", 1, "orders"), obj{"id": key.id}))
	if now["apiKey"] == key.Key {
		t.Error("it has the public part that it had")
	}
	answers(t, f.alice.ask("sub-account/api-key/ip-address/list", obj{"apiKeyId": key.id}), obj{"data": arr{"127.0.0.1"}})
}

// TestAddressesOfKeys: exact addresses, in their canonical form, fifty at most (sub-accounts 5).
func TestAddressesOfKeys(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	key := f.key(f.alice.opens("desk"), 1, "orders")
	list := func(want ...any) {
		t.Helper()
		answers(t, f.alice.ask("sub-account/api-key/ip-address/list", obj{"apiKeyId": key.id}), obj{"data": append(arr{}, want...)})
	}
	add := func(ip string, want ...any) {
		t.Helper()
		answers(t, f.alice.ask("sub-account/api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": ip}), obj{"data": append(arr{}, want...)})
	}
	remove := func(ip string, want ...any) {
		t.Helper()
		answers(t, f.alice.ask("sub-account/api-key/ip-address/delete", obj{"apiKeyId": key.id, "ip": ip}), obj{"data": append(arr{}, want...)})
	}
	list()
	add("192.0.2.1", "192.0.2.1")
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), refusal{401, 2, "This action is unauthorized. Enable your key in API settings", obj{}})
	add("127.0.0.1", "192.0.2.1", "127.0.0.1")
	key.orders("DEP_USDT")
	add("2001:DB8:0::1", "192.0.2.1", "127.0.0.1", "2001:db8::1")
	known := refusal{400, 5, "This IP address is already in allowlist", obj{}}
	for _, ip := range []string{"192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"} {
		refuses(t, f.alice.ask("sub-account/api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": ip}), known)
	}
	remove("2001:db8:0:0::1", "192.0.2.1", "127.0.0.1")
	refuses(t, f.alice.ask("sub-account/api-key/ip-address/delete", obj{"apiKeyId": key.id, "ip": "192.0.2.9"}), refusal{400, 5, "IP address 192.0.2.9 is not in the allowlist", obj{}})
	for _, path := range []string{"create", "delete"} {
		for _, ip := range []any{"192.0.2.0/24", "192.0.2", "localhost", "", " 192.0.2.1"} {
			refuses(t, f.alice.ask("sub-account/api-key/ip-address/"+path, obj{"apiKeyId": key.id, "ip": ip}), broken("ip", "Invalid IP address."))
		}
		refuses(t, f.alice.ask("sub-account/api-key/ip-address/"+path, nil), broken("apiKeyId", "validation.required").and("ip", "validation.required"))
	}
	list("192.0.2.1", "127.0.0.1")
	for i := range 48 {
		f.alice.must("sub-account/api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": fmt.Sprint("198.51.100.", i)})
	}
	refuses(t, f.alice.ask("sub-account/api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": "198.51.100.48"}),
		refusal{400, 5, "You have reached the maximum number of allowed IPs: 50", obj{}})
	key.orders("DEP_USDT")
}

// TestWrongKeysOfSubAccounts: what is refused (sub-accounts 5).
func TestWrongKeysOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	pending := f.alice.invites("carol")
	one, two := f.key(id, 1), f.key(id, 2)
	needed := "validation.required"
	long := strings.Repeat("t", 101)
	title := broken("title", "The title may not be greater than 100 characters.")
	type wrong struct {
		path   string
		fields obj
		want   refusal
	}
	kind := refusal{400, 5, "Type isn't allowed", obj{}}
	restricted := func(paths string) refusal {
		return refusal{400, 5, "The following URLs are restricted for sub-account API keys: " + paths, obj{}}
	}
	edit := func(k subKey, urls any) obj { return obj{"apiKeyId": k.id, "title": "t", "urls": urls} }
	for _, c := range []wrong{
		{"create", nil, broken("type", needed).and("subAccountId", needed)},
		{"create", obj{"type": "one", "subAccountId": id}, broken("type", "validation.integer")},
		{"create", obj{"type": 0, "subAccountId": id}, kind},
		{"create", obj{"type": 3, "subAccountId": id}, kind},
		{"create", obj{"type": 1, "subAccountId": noID}, broken("subAccountId", "validation.exists")},
		{"create", obj{"type": 1, "subAccountId": id, "title": long}, title},
		{"create", obj{"type": 1, "subAccountId": id, "title": "a\tb"}, title},
		{"create", obj{"type": 1, "subAccountId": pending}, notConfirmed},
		{"edit", nil, broken("apiKeyId", needed).and("title", needed).and("urls", needed)},
		{"edit", obj{"apiKeyId": noID, "title": "t", "urls": arr{}}, noKey},
		{"edit", obj{"apiKeyId": one.id, "title": long, "urls": arr{}}, title},
		{"edit", edit(one, "all"), broken("urls", "validation.array")},
		{"edit", edit(one, obj{}), broken("urls", "validation.array")},
		{"edit", edit(one, arr{"/api/v4/orders"}), broken("urls", "validation.array")},
		{"edit", edit(one, arr{obj{"url": "/api/v4/orders"}}), broken("urls.0.enable", needed)},
		{"edit", edit(one, arr{obj{"url": "/api/v4/orders", "enable": true}, obj{}}), broken("urls.1.url", needed).and("urls.1.enable", needed)},
		{"edit", edit(one, arr{obj{"url": "/api/v4/orders", "enable": "on"}}), broken("urls.0.enable", "The enable field must be true or false.")},
		{"edit", edit(one, slices.Repeat(switched(true, "orders"), 300)), broken("urls", "validation.array")},
		{"edit", edit(one, switched(true, "main-account/withdraw")), restricted("/api/v4/main-account/withdraw")},
		{"edit", edit(one, switched(true, "orders", "main-account/codes", "main-account/address")), restricted("/api/v4/main-account/codes, /api/v4/main-account/address")},
		{"edit", edit(two, switched(true, "sub-account/list")), restricted("/api/v4/sub-account/list")},
		{"edit", edit(two, switched(true, "aml/checks/create")), restricted("/api/v4/aml/checks/create")},
		{"edit", edit(two, switched(true, "main-account/express-withdraw/token")), restricted("/api/v4/main-account/express-withdraw/token")},
		{"edit", edit(two, switched(true, "sandbox/faucet")), restricted("/api/v4/sandbox/faucet")},
		{"edit", edit(two, switched(true, "no/such/thing")), restricted("/api/v4/no/such/thing")},
		{"edit", edit(two, switched(false, "no/such/thing")), restricted("/api/v4/no/such/thing")},
		{"edit", edit(two, []obj{{"url": "*", "enable": true}}), restricted("*")},
		{"delete", nil, broken("apiKeyId", needed)},
		{"delete", obj{"apiKeyId": noID}, noKey},
		{"delete", obj{"apiKeyId": "alice-key"}, noKey},
		{"reset", nil, broken("apiKeyId", needed)},
		{"reset", obj{"apiKeyId": noID}, noKey},
		{"ip-address/list", nil, broken("apiKeyId", needed)},
		{"ip-address/list", obj{"apiKeyId": noID}, noKey},
		{"ip-address/create", obj{"apiKeyId": noID, "ip": "192.0.2.1"}, noKey},
		{"ip-address/delete", obj{"apiKeyId": noID, "ip": "192.0.2.1"}, noKey},
		{"list", obj{"limit": "x"}, broken("limit", "validation.integer")},
		{"list", obj{"offset": 1.5}, broken("offset", "validation.integer")},
		{"list", obj{"limit": 0}, broken("limit", "The limit must be at least 1.")},
		{"list", obj{"limit": 101}, broken("limit", "The limit may not be greater than 100.")},
		{"list", obj{"offset": 10001}, broken("offset", "The offset may not be greater than 10000.")},
		{"list", obj{"subAccountId": noID}, broken("subAccountId", "validation.exists")},
	} {
		t.Run(fmt.Sprint(c.path, " ", c.fields), func(t *testing.T) {
			refuses(t, f.alice.ask("sub-account/api-key/"+c.path, c.fields), c.want)
		})
	}
	// Nothing of all that enabled anything or made a key.
	for i, k := range f.alice.must("sub-account/api-key/list", nil)["data"].([]any) {
		is(t, "key", k, keyShape(id, "bot", 2-i))
	}
	for range 48 {
		f.alice.must("sub-account/api-key/create", obj{"subAccountId": id, "type": 1, "title": "t"})
	}
	refuses(t, f.alice.ask("sub-account/api-key/create", obj{"subAccountId": id, "type": 1, "title": "t"}),
		refusal{400, 5, "Limit of API keys is reached. Maximum allowed: 50", obj{}})
	f.key(f.alice.opens("other"), 1) // each sub-account has its own fifty
}

// TestNobodyGivesWhatHeLacks: a key enables endpoints of deposits, withdrawals and codes only if it has them itself.
func TestNobodyGivesWhatHeLacks(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	key := f.key(id, 2)
	lacks := refusal{400, 5, "The calling API key cannot enable URLs of deposits, withdrawals or codes that it does not have itself", obj{}}
	clerk := f.masterKey(t, "clerk", "sub-account/api-key/edit", "sub-account/api-key/create", "main-account/codes")
	ask := func(on bool, paths ...string) obj {
		return obj{"apiKeyId": key.id, "title": "bot", "urls": switched(on, paths...)}
	}
	for _, path := range []string{"main-account/address", "main-account/withdraw", "main-account/withdraw-pay", "main-account/refund-deposit", "main-account/codes/apply"} {
		refuses(t, clerk.ask("sub-account/api-key/edit", ask(true, "orders", path)), lacks)
	}
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), notAllowed) // nothing of it was done
	// What it has, what needs no more than type 1, and taking away are free.
	answers(t, clerk.ask("sub-account/api-key/edit", ask(true, "orders", "main-account/transfer", "main-account/codes")), obj{})
	f.alice.enables(key.id, "main-account/withdraw")
	answers(t, clerk.ask("sub-account/api-key/edit", ask(false, "main-account/withdraw")), obj{})
	refuses(t, clerk.ask("sub-account/api-key/edit", ask(true, "main-account/withdraw")), lacks)
	is(t, "key", f.alice.must("sub-account/api-key/list", nil)["data"].([]any)[0], keyShape(id, "bot", 2, "orders", "main-account/transfer", "main-account/codes"))
}
