package conform_test

import (
	"testing"
	"time"

	"bourse/internal/directory"
	"bourse/internal/schema"
)

// newApprovals is a family whose master confirms withdrawals, with a sub-account that has 10 DEP.
func newApprovals(t *testing.T) (f family, id string, key subKey) {
	t.Helper()
	f = newFamily(t)
	f.gives(t, "alice", "DEP", "20")
	f.set("alice", func(a *schema.Account) { a.Approvals = true })
	id = f.alice.opens("desk")
	f.alice.feeds(id, "DEP", "10")
	return f, id, f.key(id, 2, money...)
}

// wait checks which withdrawals wait for alice, newest first.
func (f family) wait(filter obj, want ...obj) {
	f.alice.t.Helper()
	data := arr{}
	for _, w := range want {
		data = append(data, w)
	}
	answers(f.alice.t, f.alice.ask("sub-account/withdraw/unconfirmed-list", filter), obj{"data": data, "limit": 100, "offset": 0})
}

// TestWithdrawalsThatWaitForTheMaster: asked for, listed, confirmed, sent; internal ones too (sub-accounts 4).
func TestWithdrawalsThatWaitForTheMaster(t *testing.T) {
	t.Parallel()
	f, id, key := newApprovals(t)
	began := f.clock.seconds()
	f.wait(nil)
	answers(t, key.withdraws("DEP", "2", arrival{farBTC, ""}, "rent", nil), arr{})
	key.main("DEP", "8", "0")
	rent := seenWithdrawal{ticker: "DEP", name: "Deposit coin", network: "DEP", to: arrival{farBTC, ""}, unique: "rent", amount: "1.977", fee: "0.023", status: 1, at: began}
	history := func() string {
		return key.must("main-account/history", nil)["records"].([]any)[0].(map[string]any)["transaction_id"].(string)
	}
	first := obj{"id": history(), "subAccountId": id, "currency": "DEP", "amount": "2", "createdAt": began}
	f.wait(nil, first)
	f.mines(f.btc, 5)
	f.wait(nil, first) // no block sends it

	// One to a customer waits as well; so does that of another sub-account.
	f.clock.advance(schema.Second)
	other := f.alice.opens("other")
	f.alice.feeds(other, "DEP", "1")
	second := f.key(other, 2, money...)
	answers(t, second.pays("DEP", "0.50", f.bob.at("DEP", nil), "gift", nil), arr{})
	f.bob.main("DEP", "0", "0")
	gift := obj{"id": second.newest(), "subAccountId": other, "currency": "DEP", "amount": "0.5", "createdAt": began + 1}
	f.wait(nil, gift, first)
	f.wait(obj{"subAccountId": id}, first)
	f.wait(obj{"subAccountId": other}, gift)
	f.wait(obj{"subAccountId": noID})
	answers(t, f.alice.ask("sub-account/withdraw/unconfirmed-list", obj{"limit": 1, "offset": 1}), obj{"data": arr{first}, "limit": 1, "offset": 1})

	answers(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": gift["id"]}), obj{})
	f.bob.main("DEP", "0.5", "0")
	second.main("DEP", "0.5", "0")
	f.wait(nil, first)
	answers(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": first["id"]}), obj{})
	f.wait(nil)
	f.mines(f.btc, 1)
	rent.hash, rent.status, rent.actual, rent.required = schema.SandboxPayout("BTC", 1), 15, 1, 3
	key.past(nil, rent.record())
	incorrect := refusal{422, 422, "Transaction has incorrect status", obj{}}
	for _, done := range []obj{first, gift} {
		refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": done["id"]}), incorrect)
	}
	// Those of the master wait for nobody.
	answers(t, f.alice.withdraws("DEP", "1", f.bob.at("DEP", nil), "own", nil), arr{})
	f.bob.main("DEP", "1.5", "0")
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": f.alice.newest()}), refusal{422, 422, "Transaction doesn't exist", obj{}})
}

// TestWithdrawalsThatNobodyConfirms end after a day, or with the block of their sub-account, and the money is back.
func TestWithdrawalsThatNobodyConfirms(t *testing.T) {
	t.Parallel()
	f, id, key := newApprovals(t)
	answers(t, key.withdraws("DEP", "2", arrival{farBTC, ""}, "rent", nil), arr{})
	rent := key.newest()
	f.clock.advance(24*3600*schema.Second - 1)
	f.Do(&schema.Tick{})
	key.main("DEP", "8", "0")
	answers(t, key.withdraws("DEP", "1", arrival{farBTC, ""}, "food", nil), arr{})
	food := key.newest()
	f.clock.advance(1)
	f.Do(&schema.Tick{})
	key.main("DEP", "9", "0")
	incorrect := refusal{422, 422, "Transaction has incorrect status", obj{}}
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": rent}), incorrect)
	if data := f.alice.must("sub-account/withdraw/unconfirmed-list", nil)["data"].([]any); len(data) != 1 || data[0].(map[string]any)["id"] != food {
		t.Errorf("%v waits", data)
	}
	answers(t, f.alice.ask("sub-account/block", obj{"id": id}), obj{})
	f.wait(nil)
	f.alice.has(id, "DEP", "10", "0", "0")
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": food}), incorrect)

	// Of a sub-account that an operator locked nothing is confirmed.
	answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
	answers(t, key.withdraws("DEP", "3", arrival{farBTC, ""}, "more", nil), arr{})
	more := key.newest()
	f.set(id, func(a *schema.Account) { a.Blocked = true })
	if r := f.alice.ask("sub-account/withdraw/confirm", obj{"id": more}); r.Status != 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	f.alice.has(id, "DEP", "7", "0", "0")
}

// TestWrongConfirmations: what is refused; who lets money out needs the right to send it (sub-accounts 5).
func TestWrongConfirmations(t *testing.T) {
	t.Parallel()
	f, id, key := newApprovals(t)
	answers(t, key.withdraws("DEP", "2", arrival{farBTC, ""}, "rent", nil), arr{})
	rent := key.newest()
	exists := broken("id", "validation.exists")
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", nil), broken("id", "The id field is required."))
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": "x"}), exists)
	refuses(t, f.alice.ask("sub-account/withdraw/confirm", obj{"id": noID}), exists)
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"limit": 0}, invalid(0, "limit", "The limit field must be at least 1.")},
		{obj{"limit": 101}, invalid(0, "limit", "The limit field must not be greater than 100.")},
		{obj{"limit": "x"}, invalid(0, "limit", "The limit field must be an integer.")},
		{obj{"offset": -1}, invalid(0, "offset", "The offset field must be at least 0.")},
		{obj{"offset": 10001}, invalid(0, "offset", "The offset field must not be greater than 10000.")},
		{obj{"limit": 0, "offset": -1}, invalid(0, "limit", "The limit field must be at least 1.").and("offset", "The offset field must be at least 0.")},
	} {
		refuses(t, f.alice.ask("sub-account/withdraw/unconfirmed-list", c.fields), c.want)
	}
	// A key of the master with all of sub-account and nothing of withdraw gets no money out.
	clerk := f.masterKey(t, "clerk", "sub-account/withdraw/unconfirmed-list", "sub-account/withdraw/confirm")
	if data := clerk.must("sub-account/withdraw/unconfirmed-list", nil)["data"].([]any); len(data) != 1 {
		t.Errorf("%v waits", data)
	}
	refuses(t, clerk.ask("sub-account/withdraw/confirm", obj{"id": rent}), notAllowed)
	f.wait(nil, obj{"id": rent, "subAccountId": id, "currency": "DEP", "amount": "2", "createdAt": f.clock.seconds()})
	cashier := f.masterKey(t, "cashier", "sub-account/withdraw/confirm", "main-account/withdraw")
	// While nothing may leave the sub-account or its master, nothing is confirmed.
	until := f.clock.seconds() + 3600
	frozen := inner(422, 0, "error", "Withdrawals restricted until "+time.Unix(int64(until), 0).UTC().Format(time.DateTime))
	for _, name := range []string{id, "alice"} {
		f.set(name, func(a *schema.Account) { a.RestrictedUntil = schema.Time(until) * schema.Second })
		refuses(t, cashier.ask("sub-account/withdraw/confirm", obj{"id": rent}), frozen)
		f.wait(nil, obj{"id": rent, "subAccountId": id, "currency": "DEP", "amount": "2", "createdAt": f.clock.seconds()})
		f.set(name, func(a *schema.Account) { a.RestrictedUntil = 0 })
	}
	answers(t, cashier.ask("sub-account/withdraw/confirm", obj{"id": rent}), obj{})

	// A master that does not confirm is not to know of it.
	for _, path := range []string{"unconfirmed-list", "confirm"} {
		refuses(t, f.bob.ask("sub-account/withdraw/"+path, obj{"id": rent}), nowhere)
	}
}

// masterKey makes a key of alice as operators do, that may call some endpoints.
func (f family) masterKey(t *testing.T, name string, urls ...string) trader {
	t.Helper()
	key := f.Exchange.API.Directory().Key([]byte("alice-key")).Key
	for i := range urls {
		urls[i] = "/api/v4/" + urls[i]
	}
	sealed := f.Exchange.Node.Key().Seal([]byte(name+"-secret"), directory.Purpose)
	f.Do(&schema.SetKey{Key: schema.Key{Key: name + "-key", Account: key.Account, Sealed: sealed, Enabled: true, URLs: urls}})
	return f.trader(t, name)
}

// TestNothingLeavesUnconfirmed: codes and refunds of a sub-account whose master confirms are refused.
func TestNothingLeavesUnconfirmed(t *testing.T) {
	t.Parallel()
	f, id, key := newApprovals(t)
	refuses(t, key.ask("main-account/codes", obj{"ticker": "DEP", "amount": "1"}), notAllowed)
	refuses(t, key.ask("main-account/refund-deposit", obj{"transactionId": noID, "address": farBTC}), notAllowed)
	key.main("DEP", "10", "0")
	// What comes in is free, and so is the way back to the master.
	p := f.alice.promises("DEP", "1", nil)
	key.gets(p, "DEP", "1", nil)
	f.alice.must("sub-account/transfer", obj{"id": id, "direction": "sub_to_main", "ticker": "DEP", "amount": "11"})
	f.set("alice", func(a *schema.Account) { a.Approvals = false })
	f.alice.feeds(id, "DEP", "1")
	f.alice.gets(key.promises("DEP", "1", nil), "DEP", "1", nil)
}
