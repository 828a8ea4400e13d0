package conform_test

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// main is an entry of main-account/balance.
func mainEntry(balance, pending string) obj {
	return obj{"main_balance": balance, "pending_deposit_amount": pending}
}

// TestWalletBalance goes through main-account/balance.
func TestWalletBalance(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("WBA_USDT", "WBB_USDT"), with(plain(), "alice", obj{
		"deposits": obj{"USDT": "100", "WBA": "2"}, "trade": obj{"WBA": "2"},
	}))
	alice := v.trader(t, "alice")
	ask := func(fields, want obj) {
		t.Helper()
		answers(t, alice.ask("main-account/balance", fields), want)
	}
	ask(nil, obj{"USDT": mainEntry("100", "0")}) // nothing in the main wallet: left out
	ask(obj{"ticker": "USDT"}, obj{"USDT": mainEntry("100", "0")})
	ask(obj{"ticker": "WBA"}, obj{"WBA": mainEntry("0", "0")})
	ask(obj{"ticker": "NIX"}, obj{"NIX": mainEntry("0", "0")})
	ask(obj{"ticker": ""}, obj{"USDT": mainEntry("100", "0")})
	refuses(t, alice.ask("main-account/balance", obj{"ticker": 1}), invalid(0, "ticker", "validation.string"))

	// A deposit that the network has not confirmed is part of the balance and is told as pending.
	who, usdt := v.account("alice").ID, v.asset("USDT")
	v.Do(&schema.Deposit{Account: who, Asset: usdt, Amount: decimal(t, "30.5"), Held: true})
	ask(nil, obj{"USDT": mainEntry("130.5", "30.5")})

	t.Run("held money can be traded but does not become collateral", func(t *testing.T) {
		alice := v.trader(t, "alice")
		held := refusal{422, 20, "Inner validation failed", fault("amount", "Part of this amount waits for network confirmation (free 100).")}
		refuses(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "100.00000001", "from": "main", "to": "collateral"}), held)
		refuses(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "120", "method": "collateral-deposit"}), held)
		ask(nil, obj{"USDT": mainEntry("130.5", "30.5")})
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "120.5", "from": "main", "to": "spot"}), arr{})
		ask(nil, obj{"USDT": mainEntry("10", "10")})
		alice.holds("USDT", "120.5", "0")
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "120.5", "from": "spot", "to": "main"}), arr{})
		ask(nil, obj{"USDT": mainEntry("130.5", "30.5")}) // what comes back is held again
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "100", "from": "main", "to": "collateral"}), arr{})
		ask(nil, obj{"USDT": mainEntry("30.5", "30.5")})
		v.Do(&schema.ConfirmDeposit{Account: who, Asset: usdt, Amount: decimal(t, "30.5")})
		ask(nil, obj{"USDT": mainEntry("30.5", "0")})
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "30.5", "method": "collateral-deposit"}), arr{})
		ask(nil, obj{})
	})
}

// TestWalletTransfer goes through main-account/transfer.
func TestWalletTransfer(t *testing.T) {
	t.Parallel()
	clock := newClock()
	account := obj{"deposits": obj{"USDT": "100", "WTA": "10"}, "trade": obj{"WTA": "4"}}
	v := operate(t, clock, plain("WTA_USDT", "OUT_USDT", "INN_USDT"), with(with(plain(), "alice", account), "bob", obj{
		"deposits": obj{"OUT": "10", "INN": "10"}, "trade": obj{"OUT": "5", "INN": "5"},
	}))

	t.Run("by wallets and by method", func(t *testing.T) {
		alice := v.trader(t, "alice")
		for _, c := range []struct {
			fields      obj
			main, trade string
		}{
			{obj{"amount": "40", "from": "main", "to": "spot"}, "60", "40"},
			{obj{"amount": 10, "from": "spot", "to": "main"}, "70", "30"},
			{obj{"amount": "0.00000001", "method": "deposit"}, "69.99999999", "30.00000001"},
			{obj{"amount": "30.00000001", "method": "withdraw"}, "100", "0"},
			{obj{"amount": "25.5", "method": "collateral-deposit"}, "74.5", "0"},
			{obj{"amount": "20.5", "from": "collateral", "to": "main"}, "95", "0"},
			{obj{"amount": "1.0", "from": "main", "to": "collateral"}, "94", "0"},
			{obj{"amount": "6.00", "method": "collateral-withdraw"}, "100", "0"},
			{obj{"amount": "1", "from": "main", "to": "spot", "method": "withdraw"}, "99", "1"}, // the wallets say more
		} {
			answers(t, alice.ask("main-account/transfer", changed(c.fields, obj{"ticker": "USDT"})), arr{})
			answers(t, alice.ask("main-account/balance", obj{"ticker": "USDT"}), obj{"USDT": mainEntry(c.main, "0")})
			alice.holds("USDT", c.trade, "0")
		}
		alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1", "method": "withdraw"})
	})

	t.Run("what is wrong", func(t *testing.T) {
		alice := v.trader(t, "alice")
		bad := func(field string, texts ...string) refusal { return invalid(0, field, texts...).as(400) }
		without := func(field string) refusal { return bad(field, "The "+field+" field is required.") }
		selected := func(field string) refusal { return bad(field, "The selected "+field+" is invalid.") }
		for _, c := range []struct {
			name    string
			changes obj
			want    refusal
		}{
			{"no amount", obj{"amount": nil}, without("amount")},
			{"no ticker", obj{"ticker": nil}, without("ticker")},
			{"no direction", obj{"from": nil, "to": nil}, without("method")},
			{"nothing", obj{"amount": nil, "ticker": nil, "from": nil, "to": nil}, without("amount").and("ticker", "The ticker field is required.").and("method", "The method field is required.")},
			{"no to", obj{"to": nil}, without("to")},
			{"no from", obj{"from": nil}, without("from")},
			{"unknown method", obj{"from": nil, "to": nil, "method": "give"}, selected("method")},
			{"method is a number", obj{"from": nil, "to": nil, "method": 1}, selected("method")},
			{"unknown from", obj{"from": "savings"}, selected("from")},
			{"unknown to", obj{"to": "trade"}, selected("to")},
			{"to in capitals", obj{"to": "Spot"}, selected("to")},
			{"unknown ticker", obj{"ticker": "NIX"}, selected("ticker")},
			{"ticker in small letters", obj{"ticker": "usdt"}, selected("ticker")},
			{"ticker is a number", obj{"ticker": 1}, selected("ticker")},
			{"the same wallets", obj{"to": "main"}, bad("to", "The to and from must be different.")},
			{"not through main", obj{"from": "spot", "to": "collateral"}, bad("to", "Money moves between the spot and the collateral balance through the main balance.")},
			{"not through main, back", obj{"from": "collateral", "to": "spot"}, bad("to", "Money moves between the spot and the collateral balance through the main balance.")},
			{"amount is zero", obj{"amount": "0"}, bad("amount", "The amount must be at least 0.00000001.")},
			{"amount is negative", obj{"amount": "-1"}, bad("amount", "The amount must be at least 0.00000001.")},
			{"amount is far below zero", obj{"amount": "-1e40"}, bad("amount", "The amount must be at least 0.00000001.")},
			{"amount is too little", obj{"amount": "0.000000009"}, bad("amount", "The amount must be at least 0.00000001.")},
			{"amount is too fine", obj{"amount": "1.000000001"}, bad("amount", "The amount may not have more decimals than 8.")},
			{"amount is finer than all money", obj{"amount": "1.00000000000000000000001"}, bad("amount", "The amount may not have more decimals than 8.")},
			{"amount is a word", obj{"amount": "all"}, bad("amount", "The amount must be a number.", "Invalid number")},
			{"amount is a boolean", obj{"amount": true}, bad("amount", "The amount must be a number.", "Invalid number")},
			{"several", obj{"amount": "0", "to": "main"}, bad("amount", "The amount must be at least 0.00000001.").and("to", "The to and from must be different.")},
			{"more than there is", obj{"amount": "100.00000001"}, inner(422, 3, "amount", "You don't have such amount for transfer (available 100, in amount: 100.00000001)")},
			{"more than all money", obj{"amount": "1e30"}, inner(422, 3, "amount", "You don't have such amount for transfer (available 100, in amount: 1e30)")},
			{"of an empty wallet", obj{"from": "collateral", "to": "main"}, inner(422, 3, "amount", "You don't have such amount for transfer (available 0, in amount: 1)")},
		} {
			t.Run(c.name, func(t *testing.T) {
				refuses(t, alice.ask("main-account/transfer", changed(obj{"ticker": "USDT", "amount": "1", "from": "main", "to": "spot"}, c.changes)), c.want)
			})
		}
		// Nothing of all that moved anything.
		answers(t, alice.ask("main-account/balance", nil), obj{"USDT": mainEntry("100", "0"), "WTA": mainEntry("6", "0")})
		alice.holds("USDT", "0", "0")
		alice.holds("WTA", "4", "0")
	})

	t.Run("what is frozen stays", func(t *testing.T) {
		alice := v.trader(t, "alice")
		alice.limit("WTA_USDT", "sell", "3", "100")
		refuses(t, alice.ask("main-account/transfer", obj{"ticker": "WTA", "amount": "2", "from": "spot", "to": "main"}),
			inner(422, 3, "amount", "You don't have such amount for transfer (available 1, in amount: 2)"))
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "WTA", "amount": "1", "from": "spot", "to": "main"}), arr{})
		alice.holds("WTA", "0", "3")
	})

	t.Run("currencies that do not come or go", func(t *testing.T) {
		bob := v.trader(t, "bob")
		out, in := *v.Exchange.API.Directory().Asset("OUT"), *v.Exchange.API.Directory().Asset("INN")
		out.CanWithdraw, in.CanDeposit = false, false
		v.Do(&schema.SetAsset{Asset: out})
		v.Do(&schema.SetAsset{Asset: in})
		refuses(t, bob.ask("main-account/transfer", obj{"ticker": "OUT", "amount": "1", "from": "spot", "to": "main"}),
			inner(422, 1, "currency", "Withdraw from this currency is disabled"))
		answers(t, bob.ask("main-account/transfer", obj{"ticker": "OUT", "amount": "1", "from": "main", "to": "spot"}), arr{})
		refuses(t, bob.ask("main-account/transfer", obj{"ticker": "INN", "amount": "1", "from": "main", "to": "spot"}),
			inner(422, 2, "currency", "Deposit to this currency is disabled"))
		answers(t, bob.ask("main-account/transfer", obj{"ticker": "INN", "amount": "1", "from": "spot", "to": "main"}), arr{})
	})
}

// TestWalletTransferHistory goes through main-account/transfer/history.
func TestWalletTransferHistory(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := operate(t, clock, plain("WHA_USDT"), with(plain("bob"), "alice", obj{"deposits": obj{"USDT": "100"}, "trade": obj{"USDT": "50"}}))
	alice := v.trader(t, "alice")
	began := clock.seconds()
	move := func(amount, from, to string) obj {
		clock.advance(schema.Second)
		answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": amount, "from": from, "to": to}), arr{})
		return obj{"id": aUUID, "currency": "USDT", "amount": strings.TrimRight(amount, "0."), "from_balance": from, "to_balance": to, "created_at": clock.seconds()}
	}
	zero := obj{"id": aUUID, "currency": "USDT", "amount": "50", "from_balance": "main", "to_balance": "spot", "created_at": began} // of the set-up
	one := move("10.500", "spot", "main")
	two := move("7.00", "main", "collateral")
	three := move("3", "collateral", "main")
	refuses(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1000", "from": "main", "to": "spot"}),
		inner(422, 3, "amount", "You don't have such amount for transfer (available 56.5, in amount: 1000)"))

	page := func(limit, offset int, data ...any) obj {
		if data == nil {
			data = arr{}
		}
		return obj{"data": data, "limit": limit, "offset": offset}
	}
	for _, c := range []struct {
		fields obj
		want   obj
	}{
		{nil, page(100, 0, three, two, one, zero)},
		{obj{"from_balance": "main"}, page(100, 0, two, zero)},
		{obj{"to_balance": "main"}, page(100, 0, three, one)},
		{obj{"from_balance": "collateral", "to_balance": "main"}, page(100, 0, three)},
		{obj{"from_balance": "", "to_balance": "spot"}, page(100, 0, zero)},
		{obj{"from_balance": "spot", "to_balance": "collateral"}, page(100, 0)},
		{obj{"from_balance": "main", "to_balance": "main"}, page(100, 0)},
		{obj{"limit": 2}, page(2, 0, three, two)},
		{obj{"limit": "2", "offset": "3"}, page(2, 3, zero)},
		{obj{"offset": 10000}, page(100, 10000)},
	} {
		answers(t, alice.ask("main-account/transfer/history", c.fields), c.want)
	}
	ids := map[any]bool{}
	for _, r := range alice.must("main-account/transfer/history", nil)["data"].([]any) {
		ids[r.(map[string]any)["id"]] = true
	}
	if len(ids) != 4 {
		t.Errorf("four transfers have %d ids", len(ids))
	}

	bad := func(field, text string) refusal { return invalid(0, field, text).as(400) }
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"from_balance": "Main"}, bad("from_balance", "The selected from_balance is invalid.")},
		{obj{"from_balance": 1}, bad("from_balance", "The selected from_balance is invalid.")},
		{obj{"to_balance": "trade"}, bad("to_balance", "The selected to_balance is invalid.")},
		{obj{"limit": 0}, bad("limit", "The limit must be at least 1.")},
		{obj{"limit": 101}, bad("limit", "The limit may not be greater than 100.")},
		{obj{"limit": "x"}, bad("limit", "The limit must be an integer.")},
		{obj{"offset": -1}, bad("offset", "The offset must be at least 0.")},
		{obj{"offset": 10001}, bad("offset", "The offset may not be greater than 10000.")},
	} {
		refuses(t, alice.ask("main-account/transfer/history", c.fields), c.want)
	}
}
