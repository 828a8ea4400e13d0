package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/schema"
)

var aColor = pattern(`"#[0-9a-f]{6}"`)

// subShape is a sub-account that shares the verification of its master, as its master sees it.
func subShape(alias string, changes obj) obj {
	return changed(obj{
		"id": aUUID, "alias": alias, "userId": aUUID, "email": "", "status": "active", "color": aColor,
		"kyc": obj{"shareKyc": true, "kycStatus": "shared"}, "permissions": both,
	}, changes)
}

// TestSubAccounts: made, listed, searched for, edited (sub-accounts 2 and 3).
func TestSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	answers(t, f.alice.ask("sub-account/list", nil), obj{"offset": 0, "limit": 30, "data": arr{}})

	// Without an e-mail address it is active at once, and its user is there.
	desk := f.alice.must("sub-account/create", obj{"alias": "Desk", "shareKyc": true, "permissions": obj{"spotEnabled": true, "collateralEnabled": false}})
	is(t, "desk", desk, subShape("Desk", obj{"userId": seen(desk["id"]), "permissions": obj{"spotEnabled": true, "collateralEnabled": false}}))
	// With one it waits for the invitation, whether it shares the verification or not.
	invited := obj{"userId": "", "status": "pending"}
	own := obj{"shareKyc": false, "kycStatus": "unverified"}
	carol := f.alice.must("sub-account/create", obj{"alias": "carol", "email": "carol@example.com", "permissions": both})
	is(t, "carol", carol, subShape("carol", changed(invited, obj{"email": "c***@e***m", "kyc": own})))
	dave := f.alice.must("sub-account/create", obj{"alias": "dave's desk", "email": "d@x.io", "shareKyc": true, "permissions": both})
	is(t, "dave", dave, subShape("dave's desk", changed(invited, obj{"email": "d***@x***o"})))
	// Letters of all people are whole letters.
	elan := f.alice.must("sub-account/create", obj{"alias": "élan", "email": "élan@éxample.fré", "shareKyc": false, "permissions": obj{"spotEnabled": false, "collateralEnabled": false}})
	is(t, "élan", elan, subShape("élan", changed(invited, obj{"email": "é***@é***é", "kyc": own, "permissions": obj{"spotEnabled": false, "collateralEnabled": false}})))

	all := []map[string]any{desk, carol, dave, elan}
	list := func(filter obj, limit, offset int, want ...map[string]any) {
		t.Helper()
		data := arr{}
		for _, sub := range want {
			data = append(data, sub)
		}
		answers(t, f.alice.ask("sub-account/list", filter), obj{"offset": offset, "limit": limit, "data": data})
	}
	list(nil, 30, 0, all...)
	list(obj{"limit": 2}, 2, 0, desk, carol)
	list(obj{"limit": "2", "offset": 3}, 2, 3, elan)
	list(obj{"limit": 100, "offset": 10000}, 100, 10000)
	list(obj{"search": "desk"}, 30, 0, desk, dave)
	list(obj{"search": "DESK", "offset": 1}, 30, 1, dave)
	list(obj{"search": ""}, 30, 0, all...)
	list(obj{"search": "example"}, 30, 0) // e-mail addresses are not searched
	answers(t, f.bob.ask("sub-account/list", nil), obj{"offset": 0, "limit": 30, "data": arr{}})

	// The alias and both permissions are replaced; its own alias is no conflict.
	id := desk["id"].(string)
	answers(t, f.alice.ask("sub-account/edit", obj{"id": id, "alias": "Desk", "permissions": obj{"spotEnabled": false, "collateralEnabled": true}}), obj{})
	desk["permissions"] = map[string]any{"spotEnabled": false, "collateralEnabled": true}
	list(obj{"limit": 1}, 1, 0, desk)
	answers(t, f.alice.ask("sub-account/edit", obj{"id": id, "alias": "table", "permissions": both}), obj{})
	desk["alias"], desk["permissions"] = "table", map[string]any(both)
	list(nil, 30, 0, all...)
	refuses(t, f.alice.ask("sub-account/edit", obj{"id": id, "alias": "carol", "permissions": both}), broken("alias", "Alias already exists."))
	list(nil, 30, 0, all...)
	// An alias is taken within a family only, and as it is written.
	f.bob.opens("carol")
	f.alice.opens("Carol")
}

// TestWrongSubAccounts: what is refused when one is made or edited; nothing is made (sub-accounts 5).
func TestWrongSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	required := func(name, spoken string) refusal { return broken(name, "The "+spoken+" field is required.") }
	alias := broken("alias", "The alias must have 1 to 64 characters.")
	good := obj{"alias": "other", "shareKyc": true, "permissions": both}
	type wrong struct {
		changes obj
		want    refusal
	}
	common := []wrong{
		{obj{"alias": nil}, required("alias", "alias")},
		{obj{"alias": ""}, alias},
		{obj{"alias": strings.Repeat("a", 65)}, alias},
		{obj{"alias": "new\nline"}, alias},
		{obj{"alias": 7}, broken("alias", "The alias must be a string.").and("alias", "The alias must be a string.", "The alias must have 1 to 64 characters.")},
		{obj{"permissions": nil}, required("permissions", "permissions")},
		{obj{"permissions": "all"}, broken("permissions", "The permissions must be an object.")},
		{obj{"permissions": obj{}}, required("permissions.spotEnabled", "permissions spot enabled").and("permissions.collateralEnabled", "The permissions collateral enabled field is required.")},
		{obj{"permissions": obj{"spotEnabled": 1, "collateralEnabled": true}}, broken("permissions.spotEnabled", "The permissions spot enabled field must be true or false.")},
	}
	creations := append([]wrong{
		{obj{"alias": "desk"}, broken("alias", "Alias already exists.")},
		{obj{"shareKyc": false}, required("email", "email")},
		{obj{"shareKyc": nil}, required("email", "email")},
		{obj{"shareKyc": nil, "email": ""}, required("email", "email")},
		{obj{"shareKyc": "yes", "email": "a@b.c"}, broken("shareKyc", "The share kyc field must be true or false.")},
		{obj{"email": "nobody"}, broken("email", "Email is invalid.")},
		{obj{"email": "a@b.c "}, broken("email", "Email is invalid.")},
		{obj{"email": "Carol <carol@example.com>"}, broken("email", "Email is invalid.")},
		{obj{"email": strings.Repeat("a", 251) + "@b.c"}, broken("email", "Email is invalid.")},
		{obj{"email": 7}, broken("email", "The email must be a string.")},
		{obj{"alias": nil, "shareKyc": false, "permissions": nil}, required("alias", "alias").and("permissions", "The permissions field is required.").and("email", "The email field is required.")},
	}, common...)
	for _, c := range creations {
		t.Run(fmt.Sprint("create ", c.changes), func(t *testing.T) {
			refuses(t, f.alice.ask("sub-account/create", changed(good, c.changes)), c.want)
		})
	}
	for _, c := range append([]wrong{
		{obj{"id": nil}, required("id", "id")},
		{obj{"id": noID}, noSub},
		{obj{"id": "DESK"}, noSub},
		{obj{"id": 7}, broken("id", "The id must be a string.")},
	}, common...) {
		t.Run(fmt.Sprint("edit ", c.changes), func(t *testing.T) {
			refuses(t, f.alice.ask("sub-account/edit", changed(changed(good, obj{"id": id}), c.changes)), c.want)
		})
	}
	for field, texts := range map[string]map[any]string{
		"limit":  {0: "The limit must be at least 1.", 101: "The limit may not be greater than 100.", "all": "The limit must be an integer.", 1.5: "The limit must be an integer."},
		"offset": {-1: "The offset must be at least 0.", 10001: "The offset may not be greater than 10000.", "x": "The offset must be an integer."},
	} {
		for value, text := range texts {
			refuses(t, f.alice.ask("sub-account/list", obj{field: value}), broken(field, text))
		}
	}
	answers(t, f.alice.ask("sub-account/list", nil), obj{"offset": 0, "limit": 30, "data": arr{subShape("desk", obj{"id": id})}})
}

// TestSubAccountsAreNumbered: a hundred at a time.
func TestSubAccountsAreNumbered(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	var last string
	for i := range 100 {
		last = f.alice.opens(fmt.Sprint("sub ", i))
	}
	full := broken("alias", "Limit of sub-accounts is reached. Maximum allowed: 100")
	refuses(t, f.alice.ask("sub-account/create", obj{"alias": "one more", "shareKyc": true, "permissions": both}), full)
	answers(t, f.alice.ask("sub-account/delete", obj{"id": last}), obj{})
	f.alice.opens("sub 99") // its alias is free again
	refuses(t, f.alice.ask("sub-account/create", obj{"alias": "one more", "shareKyc": true, "permissions": both}), full)
	if data := f.alice.must("sub-account/list", obj{"limit": 100})["data"].([]any); len(data) != 100 {
		t.Errorf("%d are listed", len(data))
	}
}

// TestABlockedSubAccount: keys stop at once, orders end but for those that only reduce a position, and an operator's block is not the master's to lift.
func TestABlockedSubAccount(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	f.gives(t, "bob", "USDT", "1000")
	id := f.alice.opens("desk")
	f.alice.feeds(id, "DEP", "5")
	key := f.key(id, 2, money...)
	answers(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "5", "from": "main", "to": "spot"}), arr{})
	key.limit("DEP_USDT", "sell", "2", "100")
	key.limit("DEP_USDT", "sell", "1", "101")
	f.alice.has(id, "DEP", "0", "5", "0")

	account := func(text string) refusal { return broken("account", text) }
	refuses(t, f.alice.ask("sub-account/unblock", obj{"id": id}), account("Sub-account already unblocked"))
	answers(t, f.alice.ask("sub-account/block", obj{"id": id}), obj{})
	for _, path := range money {
		refuses(t, key.ask(path, nil), subBlocked)
	}
	refuses(t, f.alice.ask("sub-account/block", obj{"id": id}), account("Sub-account already blocked"))
	status := func(want string) {
		t.Helper()
		is(t, "listed", f.alice.must("sub-account/list", nil)["data"].([]any)[0], subShape("desk", obj{"id": id, "status": want}))
	}
	status("blocked")
	refuses(t, f.alice.moves(id, "main_to_sub", "DEP", "1"), account("Sub-account is not active"))
	refuses(t, f.alice.moves(id, "sub_to_main", "DEP", "1"), account("Sub-account is not active"))
	f.alice.has(id, "DEP", "0", "5", "0") // what it has can still be read
	// Its orders are gone: nobody meets them.
	answers(t, f.bob.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1000", "from": "main", "to": "spot"}), arr{})
	if o := f.bob.limit("DEP_USDT", "buy", "3", "101"); o["dealStock"] != "0" {
		t.Errorf("bob met an order of a blocked sub-account: %v", o)
	}
	answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
	status("active")
	if orders := key.orders("DEP_USDT"); len(orders) != 0 {
		t.Errorf("orders came back: %v", orders)
	}
	key.holds("DEP", "5", "0")

	// An operator's block is shown as locked, and is no matter of the master.
	f.set(id, func(a *schema.Account) { a.Blocked = true })
	status("locked")
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), subBlocked)
	refuses(t, f.alice.ask("sub-account/unblock", obj{"id": id}), account("Sub-account already unblocked"))
	answers(t, f.alice.ask("sub-account/block", obj{"id": id}), obj{})
	answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
	status("locked")
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), subBlocked)
	f.set(id, func(a *schema.Account) { a.Blocked = false })
	key.holds("DEP", "5", "0")

	// A blocked master blocks its family.
	f.set("alice", func(a *schema.Account) { a.Blocked = true })
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), subBlocked)
	refuses(t, f.alice.ask("sub-account/list", nil), subBlocked)
	f.set("alice", func(a *schema.Account) { a.Blocked = false })
	key.holds("DEP", "5", "0")

	// One that nobody accepted yet can be neither blocked nor unblocked.
	pending := f.alice.invites("carol")
	refuses(t, f.alice.ask("sub-account/block", obj{"id": pending}), notConfirmed)
	refuses(t, f.alice.ask("sub-account/unblock", obj{"id": pending}), account("Sub-account already unblocked"))
}

// TestSubAccountsAreDeletedEmpty: one thing that is left at a time.
func TestSubAccountsAreDeletedEmpty(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "100")
	f.set("alice", func(a *schema.Account) { a.NewAddresses = true })
	id := f.alice.opens("desk")
	f.set(id, func(a *schema.Account) { a.Deposits = true })
	key := f.key(id, 2, append([]string{"main-account/address"}, money...)...)
	kept := func(why string) {
		t.Helper()
		refuses(t, f.alice.ask("sub-account/delete", obj{"id": id}), notEmpty)
		if t.Failed() {
			t.Fatal(why)
		}
	}
	f.alice.feeds(id, "DEP", "0.00000001")
	kept("the least of money")
	f.alice.must("sub-account/transfer", obj{"id": id, "direction": "sub_to_main", "ticker": "DEP", "amount": "0.00000001"})

	transfer := func(from, to string) {
		t.Helper()
		answers(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "3", "from": from, "to": to}), arr{})
	}
	f.alice.feeds(id, "DEP", "3")
	transfer("main", "spot")
	kept("the trade wallet")
	order := key.limit("DEP_USDT", "sell", "3", "100")
	kept("an order")
	key.must("order/cancel", obj{"market": "DEP_USDT", "orderId": order["orderId"]})
	transfer("spot", "main")
	transfer("main", "collateral")
	kept("the collateral wallet")
	transfer("collateral", "main")

	p := key.promises("DEP", "3", nil)
	kept("a code")
	f.alice.gets(p, "DEP", "3", nil)

	f.alice.feeds(id, "DEP", "3")
	answers(t, key.withdraws("DEP", "3", arrival{farBTC, ""}, "out", nil), arr{})
	kept("a withdrawal")
	f.mines(f.btc, 3)

	f.set(id, func(a *schema.Account) { a.Blocked = true })
	kept("an operator's block")
	f.set(id, func(a *schema.Account) { a.Blocked = false })

	to := key.at("DEP", nil)
	answers(t, f.alice.ask("sub-account/delete", obj{"id": id}), obj{})
	answers(t, f.alice.ask("sub-account/list", nil), obj{"offset": 0, "limit": 30, "data": arr{}})
	refuses(t, key.ask("main-account/balance", nil), unknownKey)
	for _, path := range []string{"delete", "block", "unblock", "balances", "transfer/history"} {
		refuses(t, f.alice.ask("sub-account/"+path, obj{"id": id}), noSub)
	}
	refuses(t, f.alice.moves(id, "main_to_sub", "DEP", "1"), noSub)
	refuses(t, f.alice.ask("sub-account/api-key/create", obj{"subAccountId": id, "type": 1}), broken("subAccountId", "validation.exists"))
	refuses(t, f.alice.ask("sub-account/api-key/delete", obj{"apiKeyId": key.id}), noKey)
	// What still comes to its address is nobody's until operators decide.
	f.pays(t, f.btc, "DEP", "1", to)
	f.mines(f.btc, 3)
	f.alice.main("DEP", "97", "0")
	f.alice.received()
	// The alias can be used again.
	f.alice.opens("desk")
	// One that is pending or blocked can be deleted as well.
	for _, id := range []string{f.alice.invites("carol"), f.blocked("dave")} {
		answers(t, f.alice.ask("sub-account/delete", obj{"id": id}), obj{})
	}
}

// TestDepositsKeepASubAccount: one that was not credited can still be, or be sent back, whatever became of it so far.
func TestDepositsKeepASubAccount(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	f.set(id, func(a *schema.Account) { a.Deposits = true })
	key := f.key(id, 2, append([]string{"main-account/address"}, money...)...)
	kept := func() {
		t.Helper()
		refuses(t, f.alice.ask("sub-account/delete", obj{"id": id}), notEmpty)
	}
	f.pays(t, f.btc, "DEP", "1500", key.at("DEP", nil)) // too much to be credited
	f.mines(f.btc, 3)
	kept()
	f.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	f.mines(f.btc, 1)
	kept()
	key.must("main-account/refund-deposit", obj{"transactionId": key.newest(), "address": farBTC})
	kept()
	f.mines(f.btc, 3)
	kept()
}

// blocked makes a sub-account and blocks it.
func (f family) blocked(alias string) string {
	id := f.alice.opens(alias)
	f.alice.ask("sub-account/block", obj{"id": id})
	return id
}

// TestStrangersReachNoSubAccount: an id of somebody else is as good as none, at every endpoint, and changes nothing.
func TestStrangersReachNoSubAccount(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	f.gives(t, "bob", "DEP", "10")
	f.set("bob", func(a *schema.Account) { a.Approvals = true })
	id := f.alice.opens("desk")
	f.alice.feeds(id, "DEP", "4")
	key := f.key(id, 2, money...)
	order := func() obj { return obj{"market": "DEP_USDT", "side": "sell", "amount": "1", "price": "100"} }
	answers(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "1", "from": "main", "to": "spot"}), arr{})
	number := key.must("order/new", order())["orderId"]
	answers(t, key.withdraws("DEP", "1", arrival{farBTC, ""}, "out", nil), arr{})
	withdrawal := key.newest()
	state := func() string {
		return f.alice.ask("sub-account/list", nil).Body + f.alice.ask("sub-account/balances", obj{"id": id}).Body + f.alice.ask("sub-account/transfer/history", obj{"id": id}).Body +
			f.alice.ask("sub-account/api-key/list", nil).Body + key.ask("orders", obj{"market": "DEP_USDT"}).Body + f.bob.ask("main-account/balance", nil).Body
	}
	before := state()
	urls := switched(true, "orders")
	foreignSub, foreignKey := broken("subAccountId", "validation.exists"), noKey
	for _, c := range []struct {
		path   string
		fields obj
		want   refusal
	}{
		{"edit", obj{"id": id, "alias": "mine", "permissions": both}, noSub},
		{"delete", obj{"id": id}, noSub},
		{"block", obj{"id": id}, noSub},
		{"unblock", obj{"id": id}, noSub},
		{"balances", obj{"id": id}, noSub},
		{"transfer", obj{"id": id, "direction": "main_to_sub", "ticker": "DEP", "amount": "1"}, noSub},
		{"transfer", obj{"id": id, "direction": "sub_to_main", "ticker": "DEP", "amount": "1"}, noSub},
		{"transfer/history", obj{"id": id}, noSub},
		{"withdraw/confirm", obj{"id": withdrawal}, refusal{422, 422, "Transaction doesn't exist", obj{}}},
		{"api-key/create", obj{"subAccountId": id, "type": 1, "title": "t"}, foreignSub},
		{"api-key/list", obj{"subAccountId": id}, foreignSub},
		{"api-key/edit", obj{"apiKeyId": key.id, "title": "t", "urls": urls}, foreignKey},
		{"api-key/delete", obj{"apiKeyId": key.id}, foreignKey},
		{"api-key/reset", obj{"apiKeyId": key.id}, foreignKey},
		{"api-key/ip-address/list", obj{"apiKeyId": key.id}, foreignKey},
		{"api-key/ip-address/create", obj{"apiKeyId": key.id, "ip": "127.0.0.1"}, foreignKey},
		{"api-key/ip-address/delete", obj{"apiKeyId": key.id, "ip": "127.0.0.1"}, foreignKey},
	} {
		refuses(t, f.bob.ask("sub-account/"+c.path, c.fields), c.want)
	}
	answers(t, f.bob.ask("sub-account/withdraw/unconfirmed-list", obj{"subAccountId": id}), obj{"data": arr{}, "limit": 100, "offset": 0})
	answers(t, f.bob.ask("sub-account/api-key/list", nil), obj{"limit": 100, "offset": 0, "data": arr{}})
	// Nor does the sub-account reach its master or a sibling, and neither of them its orders.
	sibling := f.key(f.alice.opens("sibling"), 2, money...)
	for _, other := range []trader{f.alice, f.bob, sibling.trader} {
		refuses(t, other.ask("order/cancel", obj{"market": "DEP_USDT", "orderId": number}), inner(400, 2, "orderId", notFound))
		if open := other.orders("DEP_USDT"); len(open) != 0 {
			t.Errorf("somebody else sees %v", open)
		}
	}
	sibling.main("DEP", "0", "0")
	refuses(t, sibling.withdraws("DEP", "1", arrival{farBTC, ""}, "out", nil), inner(422, 5, "amount", "Not enough money, Deposit coin balance = 0"))
	answers(t, f.alice.ask("sub-account/delete", obj{"id": f.alice.must("sub-account/list", obj{"search": "sibling"})["data"].([]any)[0].(map[string]any)["id"]}), obj{})
	if after := state(); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}
