package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// Addresses that are nobody's here, in their canonical forms.
const (
	farBTC = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
	farETH = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	farXRP = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
)

// newWithdrawWorld is the world of deposits, where things leave too:
//
//	DEP    0.01 to 100, with a fee of 0.003 and 1 %, of that 0.001 to 0.05
//	TAG    free of charge, with a memo
//	USDT   by OFF it does not leave
//	WHOLE  has no decimals
func newWithdrawWorld(t *testing.T, names ...string) depositWorld {
	t.Helper()
	return withdrawWorldIn(t, schema.Global, names...)
}

// withdrawWorldIn is the same at a deployment of a region.
func withdrawWorldIn(t *testing.T, region schema.Region, names ...string) depositWorld {
	t.Helper()
	w := depositWorldIn(t, region, "", names...)
	w.relist("DEP", func(a *schema.Asset) {
		n := &a.Networks[0]
		a.MinWithdraw, a.MaxWithdraw, n.MinWithdraw, n.MaxWithdraw = decimal(t, "0.005"), decimal(t, "200"), decimal(t, "0.01"), decimal(t, "100")
		n.WithdrawFixed, n.WithdrawPercent, n.WithdrawMinFee, n.WithdrawMaxFee = decimal(t, "0.003"), decimal(t, "1"), decimal(t, "0.001"), decimal(t, "0.05")
	})
	w.relist("TAG", func(a *schema.Asset) { a.PayoutMemo = true })
	w.relist("USDT", func(a *schema.Asset) { a.Networks[2].CanWithdraw = false })
	w.Do(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "WHOLE", Name: "Whole", Class: schema.Crypto, Scale: 8, CanWithdraw: true,
		Networks: []schema.Network{{Name: "ERC20", Chain: w.eth, CanWithdraw: true, Confirmations: 2, ConfirmationsForTrading: 2}},
	}})
	return w
}

// gives an account money that did not come by a chain.
func (w depositWorld) gives(t *testing.T, name, ticker, amount string) {
	w.Do(&schema.Deposit{Account: w.account(name).ID, Asset: w.asset(ticker), Amount: decimal(t, amount)})
}

// decides lets an operator decide about a withdrawal.
func (w depositWorld) decides(t *testing.T, operator string, id schema.WithdrawalID, decision schema.Verdict) schema.Rejection {
	t.Helper()
	var result schema.Result
	command := &schema.DecideWithdrawal{Withdrawal: id, Decision: decision}
	if err := w.Exchange.Node.SubmitFrom(t.Context(), schema.Origin{Operator: operator}, command, &result); err != nil {
		t.Fatal(err)
	}
	return result.Rejection
}

// withdraws asks for a withdrawal, and pays for one with the fee on top.
func (c trader) withdraws(ticker, amount string, to arrival, unique string, more obj) conform.Reply {
	c.t.Helper()
	return c.ask("main-account/withdraw", leaving(ticker, amount, to, unique, more))
}

func (c trader) pays(ticker, amount string, to arrival, unique string, more obj) conform.Reply {
	c.t.Helper()
	return c.ask("main-account/withdraw-pay", leaving(ticker, amount, to, unique, more))
}

func leaving(ticker, amount string, to arrival, unique string, more obj) obj {
	fields := obj{"ticker": ticker, "amount": amount, "address": to.address, "uniqueId": unique}
	if to.memo != "" {
		fields["memo"] = to.memo
	}
	return changed(fields, more)
}

// seenWithdrawal is a record of the history.
type seenWithdrawal struct {
	ticker, name, network string
	to                    arrival
	unique, hash          string
	amount, fee           string
	status                int
	actual, required      int // both 0: null
	at                    int
}

func (w seenWithdrawal) record() obj {
	r := seenDeposit{
		ticker: w.ticker, name: w.name, network: w.network, to: w.to, receipt: w.hash, amount: w.amount, fee: w.fee, status: w.status,
		actual: w.actual, required: w.required, at: w.at,
	}.record()
	r["method"], r["unique_id"], r["uniqueId"] = 2, w.unique, w.unique
	return r
}

// past checks a part of the history of the trader, newest first.
func (c trader) past(filter obj, records ...obj) {
	c.t.Helper()
	list := arr{}
	for _, r := range records {
		list = append(list, r)
	}
	answers(c.t, c.ask("main-account/history", filter), obj{"limit": 50, "offset": 0, "total": len(records), "records": list})
}

// TestAWithdrawalGoesOut: queued, sent, confirmed; the fee is in the amount or on top (account-wallet 5, 8 and 9).
func TestAWithdrawalGoesOut(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice, far, began := w.trader(t, "alice"), arrival{farBTC, ""}, w.clock.seconds()
	w.gives(t, "alice", "DEP", "10")

	// The fee of 2 is 0.003 and 1 %. The address is written as it is usual.
	answers(t, alice.withdraws("DEP", "2", arrival{strings.ToUpper(farBTC), ""}, "rent", nil), arr{})
	alice.main("DEP", "8", "0")
	rent := seenWithdrawal{ticker: "DEP", name: "Deposit coin", network: "DEP", to: far, unique: "rent", amount: "1.977", fee: "0.023", status: 1, at: began}
	alice.past(nil, rent.record())
	w.mines(w.btc, 1)
	rent.hash, rent.status, rent.actual, rent.required = schema.SandboxPayout("BTC", 1), 15, 1, 3
	alice.past(nil, rent.record())

	// With the fee on top, by the name of the network, and with what is for money of states only.
	more := obj{"network": "DEP", "partialEnable": true, "customerIp": "1.2.3.4", "beneficiary": obj{"firstName": "Bob"}, "memo": nil}
	answers(t, alice.pays("DEP", "2", far, "food", more), arr{})
	alice.main("DEP", "5.977", "0")
	food := seenWithdrawal{ticker: "DEP", name: "Deposit coin", network: "DEP", to: far, unique: "food", amount: "2", fee: "0.023", status: 1, at: began}
	alice.past(nil, food.record(), rent.record())
	w.mines(w.btc, 1)
	rent.actual = 2
	food.hash, food.status, food.actual, food.required = schema.SandboxPayout("BTC", 2), 15, 1, 3
	alice.past(nil, food.record(), rent.record())
	w.mines(w.btc, 1)
	rent.status, rent.actual, food.actual = 3, 3, 2
	alice.past(nil, food.record(), rent.record())
	w.mines(w.btc, 10)
	food.status, rent.actual, food.actual = 3, 13, 12
	alice.past(nil, food.record(), rent.record())
	alice.main("DEP", "5.977", "0")

	// All that is there; the percentage costs 0.05 at most and 0.001 at least.
	w.gives(t, "alice", "DEP", "20.023")
	answers(t, alice.withdraws("DEP", "0.01", far, "least", nil), arr{})
	answers(t, alice.withdraws("DEP", "25.99", far, "all", nil), arr{})
	alice.main("DEP", "0", "0")
	all := seenWithdrawal{ticker: "DEP", name: "Deposit coin", network: "DEP", to: far, unique: "all", amount: "25.937", fee: "0.053", status: 1, at: began}
	least := all
	least.unique, least.amount, least.fee = "least", "0.006", "0.004"
	alice.past(obj{"status": arr{1}}, all.record(), least.record())

	// Filters.
	alice.past(obj{"transactionMethod": 2}, all.record(), least.record(), food.record(), rent.record())
	alice.past(obj{"transactionMethod": 1})
	alice.past(obj{"status": arr{3}}, food.record(), rent.record())
	alice.past(obj{"status": arr{3}, "transactionMethod": 1})
	alice.past(obj{"status": arr{10, 21, 15, 7, 4}})
	alice.past(obj{"unique_id": "food"}, food.record())
	alice.past(obj{"uniqueId": "food"}, food.record())
	alice.past(obj{"unique_id": "food", "transactionMethod": 1})
	alice.past(obj{"unique_id": "food", "status": arr{1}})
	alice.past(obj{"unique_id": "Food"})
	alice.past(obj{"address": farBTC, "memo": ""}, all.record(), least.record(), food.record(), rent.record())
	alice.past(obj{"addresses": arr{farETH, farBTC}, "status": arr{1}}, all.record(), least.record())
	alice.past(obj{"address": farETH})
	alice.past(obj{"ticker": "USDT"})
}

// TestWithdrawalsToCustomers: at once, free of charge, and done on both sides (account-wallet 5).
func TestWithdrawalsToCustomers(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob, began := w.trader(t, "alice"), w.trader(t, "bob"), w.clock.seconds()
	for _, ticker := range []string{"DEP", "USDT", "TAG"} {
		w.gives(t, "alice", ticker, "10")
	}
	type way struct{ ticker, name, network string }
	var sent, got []obj
	for i, c := range []struct {
		way
		to   arrival
		pay  bool
		more obj
	}{
		{way{"DEP", "Deposit coin", "DEP"}, bob.at("DEP", nil), false, nil},
		{way{"DEP", "Deposit coin", "DEP"}, bob.fresh("DEP", obj{"type": "p2sh-segwit"}), true, nil},
		{way{"USDT", "", "ERC20"}, bob.at("USDT", nil), false, nil},
		{way{"USDT", "", "TRC20"}, bob.at("USDT", obj{"network": "TRC20"}), false, obj{"network": "TRC20"}},
		{way{"TAG", "", "XRP"}, bob.at("TAG", nil), true, nil},
	} {
		ask, unique := alice.withdraws, fmt.Sprint(i)
		if c.pay {
			ask = alice.pays
		}
		answers(t, ask(c.ticker, "3", c.to, unique, c.more), arr{})
		out := seenWithdrawal{ticker: c.ticker, name: c.name, network: c.network, to: c.to, unique: unique, amount: "3", fee: "0", status: 7, at: began}.record()
		in := seenDeposit{ticker: c.ticker, name: c.name, network: c.network, to: c.to, amount: "3", fee: "0", status: 7, at: began}.record()
		sent, got = append([]obj{out}, sent...), append([]obj{in}, got...)
	}
	alice.past(nil, sent...)
	bob.past(nil, got...)
	alice.main("DEP", "4", "0")
	bob.main("DEP", "6", "0")
	alice.main("USDT", "4", "0")
	bob.main("USDT", "6", "0")
	bob.main("TAG", "3", "0")
	bob.past(obj{"status": arr{7}, "transactionMethod": 1}, got...)
	bob.past(obj{"status": arr{3}})
	bob.past(obj{"transactionMethod": 2})
	alice.past(obj{"status": arr{7}, "transactionMethod": 2}, sent...)
	w.mines(w.btc, 10)
	alice.past(nil, sent...) // no block has to do with it
	bob.past(nil, got...)
	bob.promises("DEP", "6", nil) // it is free

	// Her own addresses, in whichever form.
	own := inner(422, 9, "address", "The address is unavailable: it is one of your own.")
	hers, first := alice.at("TAG", nil), alice.at("DEP", nil)
	refuses(t, alice.withdraws("DEP", "1", first, "own", nil), own)
	refuses(t, alice.pays("DEP", "1", arrival{strings.ToUpper(first.address), ""}, "own", nil), own)
	refuses(t, alice.withdraws("DEP", "1", alice.fresh("DEP", nil), "own", nil), own)
	refuses(t, alice.withdraws("USDT", "1", arrival{strings.ToLower(alice.at("USDT", nil).address), ""}, "own", nil), own)
	refuses(t, alice.withdraws("TAG", "1", hers, "own", nil), own)
	// Customers share the address where there are memos: what nobody has the memo of would be nobody's.
	nobody := inner(422, 2, "memo", "The memo is invalid")
	refuses(t, alice.withdraws("TAG", "1", arrival{hers.address, "999"}, "own", nil), nobody)
	w.relist("TAG", func(a *schema.Asset) { a.PayoutMemo = false })
	refuses(t, alice.withdraws("TAG", "1", arrival{hers.address, ""}, "own", nil), nobody)
	answers(t, alice.withdraws("TAG", "1", arrival{farXRP, ""}, "own", nil), arr{}) // a name that was refused is free
	alice.main("TAG", "6", "0")
}

// TestWrongWithdrawals: what is refused, on both paths, with what the client reads; nothing moves (account-wallet 5).
func TestWrongWithdrawals(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	for ticker, amount := range map[string]string{"DEP": "150", "USDT": "10", "TAG": "10", "WHOLE": "10", "DUO": "10", "NON": "10", "EUR": "10"} {
		w.gives(t, "alice", ticker, amount)
	}
	alice := w.trader(t, "alice")
	before := alice.ask("main-account/balance", nil).Body
	good := obj{"ticker": "DEP", "amount": "1", "address": farBTC, "uniqueId": "rent"}
	required := func(field string) refusal { return broken(field, "The "+field+" field is required.") }
	noUnique := broken("uniqueId", "The unique id field is required.")
	closed := inner(422, 1, "ticker", "This currency cannot be withdrawn by this network at the moment.")
	address, memo := inner(422, 2, "address", "The address is invalid"), inner(422, 2, "memo", "The memo is invalid")
	number := broken("amount", "The amount must be a number.")
	small := inner(422, 3, "amount", "The amount is too small: at least 0.01 can be withdrawn.")
	large := inner(422, 0, "amount", "The amount is too large: at most 100 can be withdrawn.")
	fine := inner(422, 7, "amount", "The amount can have at most 8 decimals.")
	positive := broken("amount", "The amount must be at least 0.00000001.")
	network := broken("network", "The selected network is invalid.")
	tag := obj{"ticker": "TAG", "address": farXRP}
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"ticker": nil}, required("ticker")},
		{obj{"amount": nil}, required("amount")},
		{obj{"address": nil}, required("address")},
		{obj{"uniqueId": nil}, noUnique},
		{obj{"uniqueId": ""}, noUnique},
		{obj{"ticker": nil, "amount": nil}, required("ticker").and("amount", "The amount field is required.")},
		{obj{"ticker": 7}, broken("ticker", "The ticker must be a string.")},
		{obj{"address": 7}, broken("address", "The address must be a string.")},
		{obj{"memo": 7}, broken("memo", "The memo must be a string.")},
		{obj{"network": 7}, broken("network", "The network must be a string.")},
		{obj{"provider": 7}, broken("provider", "The provider must be a string.")},
		{obj{"uniqueId": 7}, broken("uniqueId", "The unique id must be a string.")},
		{obj{"uniqueId": strings.Repeat("é", 256)}, broken("uniqueId", "The unique id may not be greater than 255 characters.")},
		{obj{"partialEnable": "yes"}, broken("partialEnable", "The partial enable field must be true or false.")},
		{obj{"amount": "x"}, number},
		{obj{"amount": ""}, number},
		{obj{"amount": true}, number},
		{obj{"amount": arr{1}}, number},
		{obj{"amount": "NaN"}, number},
		{obj{"amount": "Infinity"}, number},
		{obj{"amount": "1,5"}, number},
		{obj{"amount": "0"}, positive},
		{obj{"amount": "-1"}, positive},
		{obj{"amount": "-1e40"}, positive},
		{obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": ""}, broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": "dep"}, broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": "EUR"}, broken("provider", "Provider is required for fiat currency")},
		{obj{"ticker": "EUR", "provider": "SEPA"}, required("beneficiary")},
		{obj{"ticker": "EUR", "provider": "SEPA", "beneficiary": obj{"firstName": "Ann", "lastName": "Lee"}}, broken("provider", "The selected provider is invalid.")},
		{obj{"network": "NIX"}, network},
		{obj{"network": "ERC20"}, network},
		{obj{"ticker": "DUO", "address": farETH}, required("network")},
		{obj{"ticker": "NON"}, closed},
		{obj{"ticker": "USDT", "network": "OFF", "address": farETH}, closed},
		{obj{"ticker": "USDT", "network": "BOOKED", "address": farETH}, closed},
		{obj{"address": ""}, address},
		{obj{"address": farBTC + " "}, address},
		{obj{"address": farETH}, address},
		{obj{"address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, address}, // of another net
		{obj{"address": farBTC[:len(farBTC)-1] + "q"}, address},
		{obj{"address": strings.Repeat("1", 10_000)}, address},
		{obj{"memo": "7"}, memo}, // where there are none
		{tag, required("memo")},
		{changed(tag, obj{"memo": ""}), required("memo")},
		{changed(tag, obj{"memo": "07"}), memo},
		{changed(tag, obj{"memo": "rent"}), memo},
		{changed(tag, obj{"memo": "4294967296"}), memo},
		{obj{"amount": "0.00999999"}, small},
		{obj{"amount": "100.00000001"}, large},
		{obj{"amount": "1e40"}, large},
		{obj{"amount": "1.000000001"}, fine},
		{obj{"amount": "0.000000000000000000000000001"}, fine},
		{obj{"ticker": "WHOLE", "address": farETH, "amount": "1.5"}, inner(422, 7, "amount", "The amount can have at most 0 decimals.")},
		{obj{"ticker": "USDT", "address": farETH, "amount": "10.00000001"}, inner(422, 5, "amount", "Not enough money, USDT balance = 10")},
		{obj{"ticker": "USDT", "address": farETH, "amount": "1e40"}, inner(422, 5, "amount", "Not enough money, USDT balance = 10")},
	} {
		t.Run(fmt.Sprint(c.fields)[:min(60, len(fmt.Sprint(c.fields)))], func(t *testing.T) {
			alice := w.trader(t, "alice")
			for _, path := range []string{"main-account/withdraw", "main-account/withdraw-pay"} {
				refuses(t, alice.ask(path, changed(good, c.fields)), c.want)
			}
		})
	}

	// What is not the same on both: the fee of 100 is 0.053.
	w.relist("DEP", func(a *schema.Asset) { a.Networks[0].WithdrawFixed = decimal(t, "0.5") })
	refuses(t, alice.withdraws("DEP", "0.501", arrival{farBTC, ""}, "rent", nil), inner(422, 6, "amount", "The amount must be more than the fee, which is 0.50501."))
	refuses(t, alice.withdraws("DEP", "0.5", arrival{farBTC, ""}, "rent", nil), inner(422, 6, "amount", "The amount must be more than the fee, which is 0.505."))
	w.relist("DEP", func(a *schema.Asset) { a.Networks[0].MaxWithdraw = decimal(t, "0") })
	refuses(t, alice.pays("DEP", "149.451", arrival{farBTC, ""}, "rent", nil), inner(422, 5, "amount", "Not enough money, Deposit coin balance = 150"))
	w.relist("DEP", func(a *schema.Asset) { a.CanWithdraw = false })
	refuses(t, alice.withdraws("DEP", "1", arrival{farBTC, ""}, "rent", nil), closed)

	if after := alice.ask("main-account/balance", nil).Body; after != before {
		t.Errorf("%s became %s", before, after)
	}
	alice.past(nil)
	w.relist("DEP", func(a *schema.Asset) { a.CanWithdraw = true })
	answers(t, alice.pays("DEP", "149.45", arrival{farBTC, ""}, "rent", nil), arr{}) // all of it, and the name is free
	alice.main("DEP", "0", "0")
}

// TestAUniqueIDIsUsedOnce, for ever, and by each account for itself.
func TestAUniqueIDIsUsedOnce(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob, far := w.trader(t, "alice"), w.trader(t, "bob"), arrival{farBTC, ""}
	w.gives(t, "alice", "DEP", "10")
	w.gives(t, "bob", "DEP", "10")
	taken := broken("uniqueId", "The unique id has already been taken.")
	long := strings.Repeat("é", 255)
	answers(t, alice.withdraws("DEP", "1", far, long, nil), arr{})
	refuses(t, alice.withdraws("DEP", "1", far, long, nil), taken)
	refuses(t, alice.pays("DEP", "2", far, long, nil), taken)
	answers(t, bob.withdraws("DEP", "1", far, long, nil), arr{})
	if r := w.decides(t, "olga", 1, schema.CancelWithdrawal); r.Refused() {
		t.Fatal(r.Text())
	}
	refuses(t, alice.withdraws("DEP", "1", far, long, nil), taken)
	w.mines(w.btc, 100)
	w.mines(w.btc, 100) // bob's is forgotten, but for its name
	refuses(t, bob.withdraws("DEP", "1", far, long, nil), taken)
	alice.main("DEP", "10", "0")
	bob.main("DEP", "9", "0")
	answers(t, alice.withdraws("DEP", "1", far, long[2:], nil), arr{})
}

// TestOperatorsDecideAboutWithdrawals: review, frozen, canceled, and two who approve.
func TestOperatorsDecideAboutWithdrawals(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob, began := w.trader(t, "alice"), w.trader(t, "bob"), w.clock.seconds()
	w.gives(t, "alice", "TAG", "100")
	w.relist("TAG", func(a *schema.Asset) {
		a.Networks[0].ApproveAbove, a.Networks[0].Approve2Above = decimal(t, "10"), decimal(t, "20")
	})
	far := arrival{farXRP, "7"}
	one := func(unique, amount string) seenWithdrawal {
		answers(t, alice.withdraws("TAG", amount, far, unique, nil), arr{})
		return seenWithdrawal{ticker: "TAG", network: "XRP", to: far, unique: unique, amount: amount, fee: "0", status: 10, at: began}
	}
	decides := func(operator string, id schema.WithdrawalID, decision schema.Verdict) {
		t.Helper()
		if r := w.decides(t, operator, id, decision); r.Refused() {
			t.Errorf("%s: %v of %d: %s", operator, decision, id, r.Text())
		}
	}
	small, middle, huge := one("small", "10"), one("middle", "1"), one("huge", "11")
	small.status = 1
	alice.main("TAG", "78", "0")
	alice.past(nil, huge.record(), middle.record(), small.record())
	alice.past(obj{"status": arr{10}}, huge.record(), middle.record())

	decides("olga", 2, schema.FreezeWithdrawal)
	middle.status = 21
	decides("olga", 3, schema.ApproveWithdrawal)
	alice.past(nil, huge.record(), middle.record(), small.record())
	alice.past(obj{"status": arr{21}}, middle.record())
	if r := w.decides(t, "olga", 3, schema.ApproveWithdrawal); r.Reason != schema.ApprovedBefore {
		t.Errorf("%v", r)
	}
	decides("otto", 3, schema.ApproveWithdrawal)
	huge.status = 1
	decides("olga", 2, schema.ReleaseWithdrawal)
	middle.status = 10
	alice.past(nil, huge.record(), middle.record(), small.record())
	decides("olga", 2, schema.CancelWithdrawal)
	middle.status = 4
	alice.main("TAG", "79", "0")
	alice.past(nil, huge.record(), middle.record(), small.record())
	w.mines(w.xrp, 6)
	for i, one := range []*seenWithdrawal{&small, &huge} {
		one.status, one.actual, one.required, one.hash = 3, 6, 6, schema.SandboxPayout("XRP", []schema.WithdrawalID{1, 3}[i])
	}
	alice.past(nil, huge.record(), middle.record(), small.record())
	alice.main("TAG", "79", "0")

	// One to a customer waits too.
	to := bob.at("TAG", nil)
	answers(t, alice.withdraws("TAG", "15", to, "friend", nil), arr{})
	bob.past(nil)
	friend := seenWithdrawal{ticker: "TAG", network: "XRP", to: to, unique: "friend", amount: "15", fee: "0", status: 10, at: began}
	alice.past(obj{"unique_id": "friend"}, friend.record())
	decides("olga", 4, schema.ApproveWithdrawal)
	decides("otto", 4, schema.ApproveWithdrawal)
	friend.status = 7
	alice.past(obj{"unique_id": "friend"}, friend.record())
	bob.past(nil, seenDeposit{ticker: "TAG", network: "XRP", to: to, amount: "15", fee: "0", status: 7, at: began}.record())
}

// TestAReorganisationPaysOnce: what a block paid that is gone is paid by another with the same transaction, before and after it was done.
func TestAReorganisationPaysOnce(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice, far := w.trader(t, "alice"), arrival{farXRP, "7"}
	w.gives(t, "alice", "TAG", "100")
	w.mines(w.xrp, 3)
	answers(t, alice.withdraws("TAG", "40", far, "rent", nil), arr{})
	rent := seenWithdrawal{
		ticker: "TAG", network: "XRP", to: far, unique: "rent", amount: "40", fee: "0", status: 15, required: 6, hash: schema.SandboxPayout("XRP", 1), at: w.clock.seconds(),
	}
	w.mines(w.xrp, 3)
	rent.actual = 3
	alice.past(nil, rent.record())
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 3})
	rent.actual = 4 // in the first of four blocks
	alice.past(nil, rent.record())
	alice.main("TAG", "60", "0")
	w.mines(w.xrp, 2)
	rent.status, rent.actual = 3, 6
	alice.past(nil, rent.record())
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 6})
	rent.actual = 7
	alice.past(nil, rent.record())
	w.mines(w.xrp, 20)
	rent.actual = 27
	alice.past(nil, rent.record())
	alice.main("TAG", "60", "0")
}

// TestHeldMoneyIsNotWithdrawn, nor anything by an account that owes.
func TestHeldMoneyIsNotWithdrawn(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob, far := w.trader(t, "alice"), w.trader(t, "bob"), arrival{farXRP, "7"}
	w.gives(t, "alice", "TAG", "5")
	w.pays(t, w.xrp, "TAG", "40", alice.at("TAG", nil))
	w.mines(w.xrp, 2)
	alice.main("TAG", "45", "40")
	held := inner(422, 20, "amount", "Part of this amount waits for network confirmation (free 5).")
	refuses(t, alice.withdraws("TAG", "5.1", far, "rent", nil), held)
	refuses(t, alice.pays("TAG", "45", bob.at("TAG", nil), "rent", nil), held)
	answers(t, alice.withdraws("TAG", "5", far, "rent", nil), arr{})
	alice.main("TAG", "40", "40")

	// She sells what is held, and the chain takes it back.
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "TAG", "amount": "40", "from": "main", "to": "spot"}), arr{})
	alice.limit("TAG_USDT", "sell", "40", "100")
	w.gives(t, "bob", "USDT", "5000")
	answers(t, bob.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "5000", "from": "main", "to": "spot"}), arr{})
	bob.limit("TAG_USDT", "buy", "40", "100")
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 2, DropAll: true})
	w.mines(w.xrp, 10)
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1000", "from": "spot", "to": "main"}), arr{})
	owing := inner(422, 20, "amount", "A network took back a deposit that was spent: nothing can leave until what is owed is paid.")
	refuses(t, alice.withdraws("USDT", "1", arrival{farETH, ""}, "food", nil), owing)
	w.gives(t, "alice", "TAG", "40")
	answers(t, alice.withdraws("USDT", "1", arrival{farETH, ""}, "food", nil), arr{})
	alice.main("USDT", "999", "0")
}

// TestManyWithdrawalsAtATime: 1,000 are the most that are under way.
func TestManyWithdrawalsAtATime(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice := w.trader(t, "alice")
	w.gives(t, "alice", "USDT", "5000")
	for i := range 1000 {
		w.Do(&schema.RequestWithdrawal{
			Account: w.account("alice").ID, Asset: w.asset("USDT"), Chain: w.eth, Amount: decimal(t, "1"), Address: farETH, Unique: fmt.Sprint(i),
		})
	}
	many := inner(422, 0, "message", "At most 1000 withdrawals of an account can be under way at the same time.")
	refuses(t, alice.withdraws("USDT", "1", arrival{farETH, ""}, "more", nil), many)
	w.mines(w.eth, 2) // a block pays 100, and the next confirms them
	answers(t, alice.withdraws("USDT", "1", arrival{farETH, ""}, "more", nil), arr{})
	alice.main("USDT", "3999", "0")
}

// TestWithdrawalsNeedTheirGroup: a key that was given everything else cannot send money out.
func TestWithdrawalsNeedTheirGroup(t *testing.T) {
	t.Parallel()
	key := func(name string, urls ...string) obj {
		return obj{"key": name + "-key", "secret": name + "-secret", "title": name, "enabled": true, "urls": urls}
	}
	keys := []obj{key("out", "withdraw"), key("others", "trading", "trade_info", "wallet", "transfer", "deposits", "codes", "account")}
	v := operate(t, newClock(), plain("DEP_USDT"), with(plain(), "alice", obj{"keys": keys}))
	for _, path := range []string{"main-account/withdraw", "main-account/withdraw-pay"} {
		denied(t, v.trader(t, "others").ask(path, nil), 4, "This API Key is not authorized to perform this action.")
		if r := v.trader(t, "out").ask(path, nil); r.Status != 400 {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	denied(t, v.trader(t, "out").ask("main-account/history", nil), 4, "This API Key is not authorized to perform this action.")
}

// TestFeesOfWithdrawals: of the standard network of an asset, in main-account/fee and in public/fee.
func TestFeesOfWithdrawals(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	w.clock.advance(61 * schema.Second) // lists of assets are kept for a minute
	for _, entry := range w.trader(t, "alice").list("main-account/fee", nil) {
		if e := entry.(map[string]any); e["ticker"] == "DEP" {
			is(t, "DEP", e["withdraw"], obj{"minFlex": "0.001", "maxFlex": "0.05", "percentFlex": "1", "fixed": "0.003", "minAmount": "0.01", "maxAmount": "100"})
		}
	}
	var public map[string]map[string]any
	w.Get("/api/v4/public/fee").Read(t, &public)
	is(t, "DEP", public["DEP"]["withdraw"], obj{
		"min_amount": "0.01", "max_amount": "100", "fixed": "0.003", "flex": obj{"percent": "1", "min_fee": "0.001", "max_fee": "0.05"},
	})
	is(t, "TAG", public["TAG"]["withdraw"], obj{"min_amount": "0", "max_amount": "0", "fixed": nil, "flex": nil})
}
