package conform_test

import (
	"fmt"
	"testing"
	"time"

	"bourse/internal/schema"
)

// TestMoneyOfSubAccounts: it moves exactly, from main balance to main balance, and is listed newest first (sub-accounts 2, 3 and 4).
func TestMoneyOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	f.gives(t, "alice", "USDT", "5")
	id, other, began := f.alice.opens("desk"), f.alice.opens("other"), f.clock.seconds()
	nothing := arr{obj{"main": "0", "spot": "0", "collateral": "0"}}
	for ticker, has := range f.alice.must("sub-account/balances", obj{"id": id}) {
		is(t, ticker, has, nothing)
	}
	for _, ticker := range []string{"DEP", "USDT", "EUR"} { // all currencies
		if _, listed := f.alice.must("sub-account/balances", obj{"id": id})[ticker]; !listed {
			t.Errorf("%s is missing", ticker)
		}
	}

	var records []obj
	moves := func(sub, direction, ticker, amount string) {
		t.Helper()
		made := f.alice.must("sub-account/transfer", obj{"id": sub, "direction": direction, "ticker": ticker, "amount": amount})
		number := made["transactionId"]
		is(t, "made", made, obj{"transactionId": pattern(`"[1-9][0-9]*"`), "transaction_id": seen(number)})
		if sub == id {
			records = append([]obj{{
				"transactionId": number, "id": number, "direction": direction, "currency": ticker, "amount": amount, "createdAt": f.clock.seconds(),
			}}, records...)
		}
	}
	moves(id, "main_to_sub", "DEP", "4.00000001")
	f.alice.has(id, "DEP", "4.00000001", "0", "0")
	f.alice.main("DEP", "5.99999999", "0")
	f.clock.advance(schema.Second)
	moves(id, "sub_to_main", "DEP", "0.00000001")
	moves(other, "main_to_sub", "DEP", "1")
	moves(id, "main_to_sub", "USDT", "5")
	f.clock.advance(schema.Second)
	moves(id, "sub_to_main", "USDT", "2.5")
	f.alice.has(id, "DEP", "4", "0", "0")
	f.alice.has(id, "USDT", "2.5", "0", "0")
	f.alice.has(other, "DEP", "1", "0", "0")
	f.alice.main("DEP", "5", "0")
	f.alice.main("USDT", "2.5", "0")
	if records[3]["createdAt"] != began {
		t.Errorf("the first was at %v", records[3]["createdAt"])
	}

	list := func(filter obj, limit, offset int, want ...obj) {
		t.Helper()
		data := arr{}
		for _, r := range want {
			data = append(data, r)
		}
		answers(t, f.alice.ask("sub-account/transfer/history", changed(obj{"id": id}, filter)), obj{"offset": offset, "limit": limit, "data": data})
	}
	list(nil, 100, 0, records...)
	list(obj{"direction": "main_to_sub"}, 100, 0, records[1], records[3])
	list(obj{"direction": "sub_to_main"}, 100, 0, records[0], records[2])
	list(obj{"limit": 2}, 2, 0, records[0], records[1])
	list(obj{"limit": 2, "offset": 3}, 2, 3, records[3])
	list(obj{"limit": 1, "offset": 1, "direction": "sub_to_main"}, 1, 1, records[2])
	list(obj{"limit": 100, "offset": 9900}, 100, 9900)
	past := f.alice.must("sub-account/transfer/history", obj{"id": other})["data"].([]any)
	if len(past) != 1 || past[0].(map[string]any)["amount"] != "1" {
		t.Errorf("the other one has %v", past)
	}

	// Wallets of a sub-account as its master sees them; orders bind nothing of what is shown.
	key := f.key(id, 2, money...)
	for to, amount := range map[string]string{"spot": "1", "collateral": "0.5"} {
		answers(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": amount, "from": "main", "to": to}), arr{})
	}
	key.limit("DEP_USDT", "sell", "0.4", "100")
	f.alice.has(id, "DEP", "2.5", "1", "0.5")
	refuses(t, f.alice.ask("sub-account/balances", obj{"id": id, "ticker": "NIX"}), broken("ticker", "Ticker do not exists"))
	// Only the main balance can be moved.
	refuses(t, f.alice.moves(id, "sub_to_main", "DEP", "2.6"), inner(422, 3, "amount", "You don't have such amount for transfer (available 2.5, in amount: 2.6)"))
	// The master has no history of it in its own transfers between wallets, and nothing of it is a deposit or a withdrawal.
	if data := f.alice.must("main-account/transfer/history", nil)["data"].([]any); len(data) != 0 {
		t.Errorf("the history of wallets has %v", data)
	}
	f.alice.received()
	key.received()
}

// TestWrongTransfersOfSubAccounts: what is refused, and that nothing moves (sub-accounts 5).
func TestWrongTransfersOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	id, pending := f.alice.opens("desk"), f.alice.invites("carol")
	good := obj{"id": id, "direction": "main_to_sub", "ticker": "DEP", "amount": "1"}
	required := func(field string) refusal { return broken(field, "The "+field+" field is required.") }
	amount := broken("amount", "Amount is invalid")
	for _, c := range []struct {
		changes obj
		want    refusal
	}{
		{obj{"id": nil}, required("id")},
		{obj{"direction": nil}, required("direction")},
		{obj{"ticker": nil}, required("ticker")},
		{obj{"amount": nil}, required("amount")},
		{obj{"id": noID}, noSub},
		{obj{"direction": "sideways"}, broken("direction", "The selected direction is invalid.")},
		{obj{"direction": 1}, broken("direction", "The selected direction is invalid.")},
		{obj{"ticker": "NIX"}, broken("ticker", "Ticker do not exists")},
		{obj{"ticker": "dep"}, broken("ticker", "Ticker do not exists")},
		{obj{"amount": "0"}, amount},
		{obj{"amount": "-1"}, amount},
		{obj{"amount": "0.000000009"}, amount},
		{obj{"amount": "1.000000001"}, amount},
		{obj{"amount": "all"}, amount},
		{obj{"amount": true}, amount},
		{obj{"ticker": "WHOLE", "amount": "1.5"}, amount}, // it has no decimals
		{obj{"amount": "10.00000001"}, inner(422, 3, "amount", "You don't have such amount for transfer (available 10, in amount: 10.00000001)")},
		{obj{"direction": "sub_to_main"}, inner(422, 3, "amount", "You don't have such amount for transfer (available 0, in amount: 1)")},
		{obj{"id": pending}, notConfirmed},
		{obj{"id": pending, "direction": "sub_to_main"}, notConfirmed},
	} {
		t.Run(fmt.Sprint(c.changes), func(t *testing.T) {
			refuses(t, f.alice.ask("sub-account/transfer", changed(good, c.changes)), c.want)
		})
	}
	refuses(t, f.alice.ask("sub-account/balances", nil), required("id"))
	refuses(t, f.alice.ask("sub-account/balances", obj{"id": noID}), noSub)
	refuses(t, f.alice.ask("sub-account/balances", obj{"id": pending}), notConfirmed)
	refuses(t, f.alice.ask("sub-account/transfer/history", nil), required("id"))
	refuses(t, f.alice.ask("sub-account/transfer/history", obj{"id": noID}), noSub)
	refuses(t, f.alice.ask("sub-account/transfer/history", obj{"id": pending}), notConfirmed)
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"direction": "up"}, broken("direction", "The selected direction is invalid.")},
		{obj{"limit": 0}, broken("limit", "The limit must be at least 1.")},
		{obj{"limit": 101}, broken("limit", "The limit may not be greater than 100.")},
		{obj{"limit": "x"}, broken("limit", "The limit must be an integer.")},
		{obj{"offset": -1}, broken("offset", "The offset must be at least 0.")},
		{obj{"offset": 10001, "limit": 1}, broken("offset", "The offset may not be greater than 10000.")},
		{obj{"offset": 9901}, broken("offset", "The sum of limit and offset may not be greater than 10000.")},
	} {
		t.Run(fmt.Sprint("history ", c.fields), func(t *testing.T) {
			refuses(t, f.alice.ask("sub-account/transfer/history", changed(obj{"id": id}, c.fields)), c.want)
		})
	}
	f.alice.main("DEP", "10", "0")
	f.alice.has(id, "DEP", "0", "0", "0")
	answers(t, f.alice.ask("sub-account/transfer/history", obj{"id": id}), obj{"offset": 0, "limit": 100, "data": arr{}})
}

// TestHeldMoneyStaysInItsAccount: what a chain may still take back leaves by no sub-account, in no direction.
func TestHeldMoneyStaysInItsAccount(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "2")
	id := f.alice.opens("desk")
	f.set(id, func(a *schema.Account) { a.Deposits = true })
	key := f.key(id, 2, append([]string{"main-account/address"}, money...)...)
	held := func(free string) refusal {
		return inner(422, 20, "amount", "Part of this amount waits for network confirmation (free "+free+").")
	}
	f.pays(t, f.btc, "DEP", "1.5", f.alice.at("DEP", nil))
	f.mines(f.btc, 1)
	f.alice.main("DEP", "3.483", "1.483")
	refuses(t, f.alice.moves(id, "main_to_sub", "DEP", "2.00000001"), held("2"))
	f.alice.feeds(id, "DEP", "2")
	refuses(t, f.alice.moves(id, "main_to_sub", "DEP", "0.00000001"), held("0"))
	f.pays(t, f.btc, "DEP", "1.5", key.at("DEP", nil))
	f.mines(f.btc, 1)
	key.main("DEP", "3.483", "1.483")
	refuses(t, f.alice.moves(id, "sub_to_main", "DEP", "3"), held("2"))
	f.alice.main("DEP", "1.483", "1.483")
	f.mines(f.btc, 3)
	f.alice.must("sub-account/transfer", obj{"id": id, "direction": "sub_to_main", "ticker": "DEP", "amount": "3"})
	f.alice.feeds(id, "DEP", "1.483")
	f.alice.main("DEP", "3", "0")
	key.main("DEP", "1.966", "0")
}

// TestPermissionsOfSubAccounts: spot and collateral bar what goes in, never what comes back (account-wallet 7).
func TestPermissionsOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	id := f.alice.opens("desk")
	f.alice.feeds(id, "DEP", "10")
	key := f.key(id, 1, "main-account/transfer", "main-account/balance", "trade-account/balance", "order/new", "order/cancel")
	moves := func(from, to string) bool {
		t.Helper()
		r := key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "1", "from": from, "to": to})
		if r.Status == 200 {
			return true
		}
		refuses(t, r, refusal{422, 0, "Inner validation failed", fault("error", "Not permitted for sub-account")})
		return false
	}
	for _, wallet := range []string{"spot", "collateral"} { // something to bring back
		for range 4 {
			if !moves("main", wallet) {
				t.Fatalf("nothing goes to %s", wallet)
			}
		}
	}
	for _, spot := range []bool{false, true} {
		for _, collateral := range []bool{false, true} {
			answers(t, f.alice.ask("sub-account/edit", obj{"id": id, "alias": "desk", "permissions": obj{"spotEnabled": spot, "collateralEnabled": collateral}}), obj{})
			if moves("main", "spot") != spot || moves("main", "collateral") != collateral {
				t.Errorf("spot %v and collateral %v do not decide", spot, collateral)
			}
			if !moves("spot", "main") || !moves("collateral", "main") {
				t.Errorf("spot %v and collateral %v: nothing comes back", spot, collateral)
			}
		}
	}
	answers(t, f.alice.ask("sub-account/edit", obj{"id": id, "alias": "desk", "permissions": obj{"spotEnabled": false, "collateralEnabled": false}}), obj{})
	key.limit("DEP_USDT", "sell", "1", "100") // what is there can be traded with
	// What is wrong with the request comes first, and by method it is the same.
	refuses(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "0", "method": "deposit"}), broken("amount", "The amount must be at least 0.00000001."))
	refuses(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "1", "method": "deposit"}),
		refusal{422, 0, "Inner validation failed", fault("error", "Not permitted for sub-account")})
	refuses(t, key.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "1000", "method": "collateral-deposit"}),
		refusal{422, 0, "Inner validation failed", fault("error", "Not permitted for sub-account")})
}

// TestDepositsOfSubAccounts: off unless an operator says so; fiat never (sub-accounts 4).
func TestDepositsOfSubAccounts(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	key := f.key(id, 2, "main-account/address", "main-account/create-new-address", "main-account/balance")
	for _, path := range []string{"main-account/address", "main-account/create-new-address"} {
		refuses(t, key.ask(path, obj{"ticker": "DEP"}), notAllowed)
	}
	f.set(id, func(a *schema.Account) { a.Deposits = true })
	to := key.at("DEP", nil)
	if to == f.alice.at("DEP", nil) {
		t.Error("its address is that of its master")
	}
	f.pays(t, f.btc, "DEP", "1.5", to)
	f.mines(f.btc, 3)
	f.alice.has(id, "DEP", "1.483", "0", "0")
	f.alice.main("DEP", "0", "0")
	refuses(t, key.ask("main-account/fiat-deposit-url", nil), notAllowed)
	refuses(t, f.alice.ask("sub-account/api-key/edit", obj{"apiKeyId": key.id, "title": "t", "urls": switched(true, "main-account/fiat-deposit-url")}),
		refusal{400, 5, "The following URLs are restricted for sub-account API keys: /api/v4/main-account/fiat-deposit-url", obj{}})
	f.set(id, func(a *schema.Account) { a.Deposits = false })
	refuses(t, key.ask("main-account/address", obj{"ticker": "DEP"}), notAllowed)
}

// TestLimitsOfAFamily: what leaves by any member counts for all.
func TestLimitsOfAFamily(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.Do(&schema.SetTier{Tier: schema.Tier{Number: 1, Day: decimal(t, "100"), Month: decimal(t, "1000")}})
	f.set("alice", func(a *schema.Account) { a.Verified, a.Tier = true, 1 })
	f.gives(t, "alice", "USDT", "300")
	var keys []subKey
	var subs []string
	for _, alias := range []string{"one", "two"} {
		id := f.alice.opens(alias)
		f.alice.feeds(id, "USDT", "100")
		subs, keys = append(subs, id), append(keys, f.key(id, 2, money...))
	}
	over := inner(422, 0, "amount", "Daily limit reached")
	answers(t, keys[0].withdraws("USDT", "60", arrival{farETH, ""}, "1", nil), arr{})
	refuses(t, keys[1].withdraws("USDT", "41", arrival{farETH, ""}, "1", nil), over)
	refuses(t, f.alice.withdraws("USDT", "41", arrival{farETH, ""}, "1", nil), over)
	answers(t, keys[1].withdraws("USDT", "30", arrival{farETH, ""}, "1", nil), arr{})
	refuses(t, f.alice.ask("main-account/codes", obj{"ticker": "USDT", "amount": "11"}), over)
	f.alice.promises("USDT", "10", nil)
	refuses(t, keys[0].withdraws("USDT", "1", arrival{farETH, ""}, "2", nil), over)
	// Between members of the family money moves without a limit.
	f.alice.feeds(subs[0], "USDT", "90")
	f.alice.has(subs[0], "USDT", "130", "0", "0")
	// A restriction of the master holds for all.
	f.Do(&schema.SetTier{Tier: schema.Tier{Number: 1}})
	until := f.clock.read() + schema.Second
	f.set("alice", func(a *schema.Account) { a.RestrictedUntil = until })
	refuses(t, keys[0].withdraws("USDT", "1", arrival{farETH, ""}, "2", nil),
		inner(422, 0, "error", "Withdrawals restricted until "+time.UnixMicro(int64(until)).UTC().Format(time.DateTime)))
	f.clock.advance(schema.Second)
	answers(t, keys[0].withdraws("USDT", "1", arrival{farETH, ""}, "2", nil), arr{})
}
