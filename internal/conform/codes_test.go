package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// aCode is the text of a code of an asset.
func aCode(ticker string) test {
	return pattern(`"WB[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}` + ticker + `"`)
}

// nobodysCode looks like a code and is none.
const nobodysCode = "WB00000000-0000-4000-8000-000000000000USDT"

// promise is a code that somebody created.
type promise struct{ text, id string }

// promises creates a code. More are members of the request beside ticker and amount.
func (c trader) promises(ticker, amount string, more obj) promise {
	c.t.Helper()
	made := c.must("main-account/codes", changed(obj{"ticker": ticker, "amount": amount}, more))
	is(c.t, "created", made, obj{"code": aCode(ticker), "message": "Code was successfully created", "external_id": aUUID})
	return promise{made["code"].(string), made["external_id"].(string)}
}

// tries sends a code.
func (c trader) tries(code string, more obj) conform.Reply {
	c.t.Helper()
	return c.ask("main-account/codes/apply", changed(obj{"code": code}, more))
}

// gets applies a code.
func (c trader) gets(p promise, ticker, amount string, more obj) {
	c.t.Helper()
	answers(c.t, c.tries(p.text, more), obj{"message": "Code was successfully applied", "ticker": ticker, "amount": amount, "external_id": p.id})
}

// owns checks the main balance of the trader.
func (c trader) owns(ticker, amount string) {
	c.t.Helper()
	answers(c.t, c.ask("main-account/balance", obj{"ticker": ticker}), obj{ticker: mainEntry(amount, "0")})
}

// broken is a request that has the wrong shape.
func broken(field, text string) refusal { return invalid(0, field, text).as(400) }

var (
	unknownCode = broken("code", "Code not applied")
	usedCode    = broken("code", "Code already applied")
	ownCode     = broken("code", "This code was created by you")
	wrongCode   = broken("code", "Incorrect code or passphrase")
	tooManyBad  = invalid(0, "code", "Too many incorrect codes. Try again in an hour.")
)

// codeVenue is an exchange inside the test with people who have 100 USDT and 10 COD in main.
func codeVenue(t *testing.T, clock *clock, names ...string) venue {
	t.Helper()
	people := map[string]obj{}
	for _, name := range names {
		people[name] = obj{"deposits": obj{"USDT": "100", "COD": "10"}, "trade": obj{}}
	}
	return operate(t, clock, plain("COD_USDT"), people)
}

// relist changes an asset of an exchange inside the test.
func (v venue) relist(ticker string, change func(*schema.Asset)) {
	asset := *v.Exchange.API.Directory().Asset(ticker)
	change(&asset)
	v.Do(&schema.SetAsset{Asset: asset})
}

// block blocks an account of an exchange inside the test, or lets it act again.
func (v venue) block(name string, on bool) {
	account := v.account(name)
	account.Blocked = on
	v.Do(&schema.SetAccount{Account: account})
}

// TestCodes brings money from one account to another: account-wallet 11.1 and 11.2.
func TestCodes(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob", "carol")
	alice, bob, carol := v.trader(t, "alice"), v.trader(t, "bob"), v.trader(t, "carol")

	first := alice.promises("USDT", "25.50", nil)
	alice.owns("USDT", "74.5")
	if second := alice.promises("USDT", "0.00000001", obj{"async": true, "description": "a note", "passphrase": ""}); second == first || second.id == first.id {
		t.Errorf("two codes are alike: %v %v", first, second)
	}
	alice.owns("USDT", "74.49999999")
	bob.gets(first, "USDT", "25.5", nil)
	alice.owns("USDT", "74.49999999")
	bob.owns("USDT", "125.5")
	for _, c := range []trader{bob, carol, alice} { // that it was applied comes before whose it was
		refuses(t, c.tries(first.text, nil), usedCode)
	}

	// All of a balance, as a number, with spaces around the code.
	all := alice.promises("COD", "10", obj{"async": false})
	alice.owns("COD", "0")
	refuses(t, alice.tries(all.text, nil), ownCode)
	answers(t, bob.ask("main-account/codes/apply", obj{"code": "  " + all.text + "\n", "async": true}),
		obj{"message": "Code was successfully applied", "ticker": "COD", "amount": "10", "external_id": all.id})
	bob.owns("COD", "20")
	answers(t, bob.ask("main-account/codes", obj{"ticker": "COD", "amount": 1.5}),
		obj{"code": aCode("COD"), "message": "Code was successfully created", "external_id": aUUID})
	bob.owns("COD", "18.5")
}

// TestCodePassphrases: account-wallet 11.2.
func TestCodePassphrases(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	const longest = `!"#$%&'()*+,-./09:;<=Az~` + "`"
	locked, open := alice.promises("USDT", "10", obj{"passphrase": longest}), alice.promises("USDT", "20", nil)
	for _, c := range []struct {
		name, code string
		more       obj
	}{
		{"wrong", locked.text, obj{"passphrase": "Sesame"}},
		{"in other letters", locked.text, obj{"passphrase": strings.ToLower(longest)}},
		{"missing", locked.text, nil},
		{"empty", locked.text, obj{"passphrase": ""}},
		{"superfluous", open.text, obj{"passphrase": longest}},
	} {
		t.Run(c.name, func(t *testing.T) { refuses(t, v.trader(t, "bob").tries(c.code, c.more), wrongCode) })
	}
	refuses(t, alice.tries(locked.text, obj{"passphrase": "wrong"}), ownCode)
	bob.owns("USDT", "100")
	bob.gets(locked, "USDT", "10", obj{"passphrase": longest})
	bob.gets(open, "USDT", "20", obj{"passphrase": nil})
	bob.owns("USDT", "130")
	alice.owns("USDT", "70")
}

// TestCodesAreNotGuessed: 10 incorrect codes in an hour are the most of an account.
func TestCodesAreNotGuessed(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := codeVenue(t, clock, "alice", "bob", "carol")
	alice, bob, carol := v.trader(t, "alice"), v.trader(t, "bob"), v.trader(t, "carol")
	good, locked, used := alice.promises("USDT", "10", nil), alice.promises("USDT", "5", obj{"passphrase": "sesame"}), alice.promises("USDT", "1", nil)
	bob.gets(used, "USDT", "1", nil)
	own := bob.promises("USDT", "1", nil)

	guess := func(n int) {
		t.Helper()
		for i := range n {
			switch i % 3 {
			case 0:
				refuses(t, bob.tries("WB-no-code", nil), unknownCode)
			case 1:
				refuses(t, bob.tries(nobodysCode, nil), unknownCode)
			default:
				refuses(t, bob.tries(locked.text, obj{"passphrase": "wrong"}), wrongCode)
			}
		}
	}
	guess(1)
	clock.advance(1800 * schema.Second)
	guess(8)
	// What is known to be no guess does not count, and neither does what has no shape.
	refuses(t, bob.tries(used.text, nil), usedCode)
	refuses(t, bob.tries(own.text, nil), ownCode)
	refuses(t, bob.tries("", obj{"code": nil}), broken("code", "The code field is required."))
	guess(1)
	for _, code := range []string{good.text, used.text, own.text, nobodysCode, "x"} {
		refuses(t, bob.tries(code, nil), tooManyBad)
	}
	bob.owns("USDT", "100")
	carol.gets(locked, "USDT", "5", obj{"passphrase": "sesame"}) // another account was never wrong
	clock.advance(1800*schema.Second - 1)
	refuses(t, bob.tries(good.text, nil), tooManyBad)
	clock.advance(1) // an hour after the first
	bob.gets(good, "USDT", "10", nil)
	// A new hour, with ten of its own.
	refuses(t, bob.tries("x", nil), unknownCode)
	for range 9 {
		refuses(t, bob.tries(nobodysCode, nil), unknownCode)
	}
	refuses(t, bob.tries(nobodysCode, nil), tooManyBad)
}

// TestCodeForms: what is not the text of a code, though it may be near one, is no code.
func TestCodeForms(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob", "carol")
	code := v.trader(t, "alice").promises("USDT", "10", nil)
	for i, text := range []string{
		"", "USDT", strings.ToLower(code.text), strings.TrimSuffix(code.text, "USDT"), code.text + "X", "XB" + code.text[2:], code.text[2:],
		strings.ReplaceAll(code.text, "-", ""), code.text[:20] + " " + code.text[20:], code.id, "WB" + code.id + "USDT", code.text + code.text, strings.Repeat("W", 5000), "WB💶",
	} {
		who := v.trader(t, []string{"bob", "carol"}[i%2])
		refuses(t, who.tries(text, nil), unknownCode)
	}
	v.trader(t, "bob").gets(code, "USDT", "10", nil)
}

// TestCodeShapes: what is wrong with the fields of a request, before anything is looked up.
func TestCodeShapes(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	text := func(field string) refusal { return broken(field, "The "+field+" must be a string.") }
	number, least := broken("amount", "The amount must be a number."), broken("amount", "The amount must be at least 0.")
	most := broken("amount", "The amount may not be greater than 100000000000000000.")
	format := invalid(0, "passphrase", "The passphrase format is invalid.")
	long := broken("passphrase", "The passphrase may not be greater than 25 characters.")
	whether := broken("async", "The async field must be true or false.")
	for _, c := range []struct {
		name    string
		changes obj
		want    refusal
	}{
		{"no ticker", obj{"ticker": nil}, broken("ticker", "The ticker field is required.")},
		{"no amount", obj{"amount": nil}, broken("amount", "The amount field is required.")},
		{"neither", obj{"amount": nil, "ticker": nil}, broken("amount", "The amount field is required.").and("ticker", "The ticker field is required.")},
		{"ticker is a number", obj{"ticker": 5}, text("ticker")},
		{"ticker is a list", obj{"ticker": arr{"USDT"}}, text("ticker")},
		{"unknown ticker", obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid.")},
		{"ticker in small letters", obj{"ticker": "usdt"}, broken("ticker", "The selected ticker is invalid.")},
		{"empty ticker", obj{"ticker": ""}, broken("ticker", "The selected ticker is invalid.")},
		{"amount is a word", obj{"amount": "all"}, number},
		{"amount is empty", obj{"amount": ""}, number},
		{"amount is a boolean", obj{"amount": true}, number},
		{"amount is an object", obj{"amount": obj{}}, number},
		{"amount is negative", obj{"amount": "-1"}, least},
		{"amount is a negative number", obj{"amount": -0.5}, least},
		{"amount is far below zero", obj{"amount": "-1e40"}, least},
		{"amount is zero", obj{"amount": "0"}, broken("amount", "The amount must be at least 0.00000001.")},
		{"amount is too fine for the asset", obj{"amount": "1.000000001"}, broken("amount", "The amount may not have more decimals than 8.")},
		{"amount has 18 decimals", obj{"amount": "1.000000000000000001"}, broken("amount", "The amount may not have more decimals than 8.")},
		{"amount has 19 decimals", obj{"amount": "1.0000000000000000001"}, broken("amount", "The amount may not have more decimals than 18.")},
		{"amount is too little", obj{"amount": "0.000000001"}, broken("amount", "The amount may not have more decimals than 8.")},
		{"amount is too large", obj{"amount": "100000000000000000.00000001"}, most},
		{"amount is beyond all money", obj{"amount": "1e40"}, most},
		{"amount is as large as it may be", obj{"amount": "1e17"}, inner(422, 5, "amount", "Not enough money, USDT balance = 100")},
		{"passphrase is a number", obj{"passphrase": 1234}, text("passphrase")},
		{"passphrase is too long", obj{"passphrase": strings.Repeat("p", 26)}, long},
		{"passphrase is too long and not Latin", obj{"passphrase": strings.Repeat("ß", 26)}, long},
		{"passphrase with a space", obj{"passphrase": "open sesame"}, format},
		{"passphrase of a space", obj{"passphrase": " "}, format},
		{"passphrase with a tab", obj{"passphrase": "open\tsesame"}, format},
		{"passphrase in other letters", obj{"passphrase": "сезам"}, format},
		{"passphrase with a control character", obj{"passphrase": "a\x7f"}, format},
		{"description is a boolean", obj{"description": false}, text("description")},
		{"description is too long", obj{"description": strings.Repeat("€", 281)}, broken("description", "The description may not be greater than 280 characters.")},
		{"async is a word", obj{"async": "yes"}, whether},
		{"async is a number", obj{"async": 1}, whether},
		{"several", obj{"amount": "-1", "description": 1, "async": 1}, least.and("description", "The description must be a string.").and("async", "The async field must be true or false.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			refuses(t, v.trader(t, "alice").ask("main-account/codes", changed(obj{"ticker": "USDT", "amount": "1"}, c.changes)), c.want)
		})
	}
	for _, c := range []struct {
		name   string
		fields obj
		want   refusal
	}{
		{"no code", nil, broken("code", "The code field is required.")},
		{"code is null", obj{"code": nil}, broken("code", "The code field is required.")},
		{"code is a number", obj{"code": 7}, text("code")},
		{"passphrase is a boolean", obj{"code": nobodysCode, "passphrase": true}, text("passphrase")},
		{"passphrase too long to try", obj{"code": nobodysCode, "passphrase": strings.Repeat("p", 26)}, long},
		{"passphrase that nobody can have", obj{"code": nobodysCode, "passphrase": "a b"}, format},
		{"async of an application", obj{"code": nobodysCode, "async": "no"}, whether},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 11 { // and none of it counts as a guess
				refuses(t, v.trader(t, "bob").ask("main-account/codes/apply", c.fields), c.want)
			}
		})
	}
	alice := v.trader(t, "alice")
	alice.owns("USDT", "100")
	v.trader(t, "bob").gets(alice.promises("USDT", "1", obj{"description": strings.Repeat("€", 280)}), "USDT", "1", nil)
}

// TestCodesOfAssets: of which assets there are codes, and from how much on.
func TestCodesOfAssets(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	v.Do(&schema.SetAsset{Asset: schema.Asset{Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 18, Precision: 2, CanDeposit: true, CanWithdraw: true, Codes: true}})
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	disabled := invalid(0, "ticker", "Codes are disabled for this currency")
	create := func(ticker, amount string) conform.Reply {
		t.Helper()
		return alice.ask("main-account/codes", obj{"ticker": ticker, "amount": amount})
	}
	refuses(t, create("EUR", "1"), disabled)

	before := alice.promises("USDT", "2", nil)
	v.relist("USDT", func(a *schema.Asset) { a.MinCode = decimal(t, "5.5") })
	refuses(t, create("USDT", "5.49999999"), inner(422, 3, "amount", "The amount of a code must be at least 5.5."))
	refuses(t, create("USDT", "0"), broken("amount", "The amount must be at least 0.00000001."))
	alice.promises("USDT", "5.5", nil)
	v.relist("USDT", func(a *schema.Asset) { a.CanWithdraw = false })
	refuses(t, create("USDT", "1"), invalid(1, "ticker", "This currency cannot be withdrawn at the moment."))
	v.relist("USDT", func(a *schema.Asset) { a.Codes, a.CanDeposit = false, false })
	refuses(t, create("USDT", "1"), disabled)
	alice.owns("USDT", "92.5")
	bob.gets(before, "USDT", "2", nil) // what was created before stays good
	bob.owns("USDT", "102")
	alice.promises("COD", "1", nil)
}

// TestCodesAreCovered: only money that is there, and free, can leave by a code.
func TestCodesAreCovered(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	create := func(amount string) conform.Reply {
		t.Helper()
		return alice.ask("main-account/codes", obj{"ticker": "USDT", "amount": amount})
	}
	refuses(t, create("100.00000001"), inner(422, 5, "amount", "Not enough money, USDT balance = 100"))
	who, usdt := v.account("alice").ID, v.asset("USDT")
	v.Do(&schema.Deposit{Account: who, Asset: usdt, Amount: decimal(t, "30"), Held: true})
	held := inner(422, 20, "amount", "Part of this amount waits for network confirmation (free 100).")
	refuses(t, create("100.00000001"), held)
	refuses(t, create("130"), held)
	refuses(t, create("130.1"), inner(422, 5, "amount", "Not enough money, USDT balance = 130"))
	code := alice.promises("USDT", "100", nil)
	answers(t, alice.ask("main-account/balance", nil), obj{"USDT": mainEntry("30", "30"), "COD": mainEntry("10", "0")})
	v.Do(&schema.ConfirmDeposit{Account: who, Asset: usdt, Amount: decimal(t, "30")})
	alice.promises("USDT", "30", nil)
	bob.gets(code, "USDT", "100", nil)
	bob.promises("USDT", "200", nil) // money from a code is not held
	bob.owns("USDT", "0")
}

// TestCodesOfBlockedAccounts wait.
func TestCodesOfBlockedAccounts(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	code := alice.promises("USDT", "10", obj{"passphrase": "sesame"})
	v.block("alice", true)
	for range 11 { // which is no guess
		refuses(t, bob.tries(code.text, obj{"passphrase": "sesame"}), unknownCode)
	}
	bob.owns("USDT", "100")
	v.block("alice", false)
	bob.gets(code, "USDT", "10", obj{"passphrase": "sesame"})
}

// TestCodesNeedTheirGroup: a key may have all four URLs by the name of their group, or each alone.
func TestCodesNeedTheirGroup(t *testing.T) {
	t.Parallel()
	paths := []string{"main-account/codes", "main-account/codes/apply", "main-account/codes/my", "main-account/codes/history"}
	key := func(name string, urls ...string) obj {
		return obj{"key": name + "-key", "secret": name + "-secret", "title": name, "enabled": true, "urls": urls}
	}
	keys := []obj{key("group", "codes"), key("others", "trading", "trade_info", "wallet", "transfer", "account")}
	for i, path := range paths {
		keys = append(keys, key(fmt.Sprint("only", i), "/api/v4/"+path))
	}
	v := venue{conform.Start(t, worldOf(t, plain("COD_USDT"), with(plain(), "alice", obj{"keys": keys})), "--no-limits")}
	notAllowed := refusal{401, 4, "This API Key is not authorized to perform this action.", obj{}}
	for i, path := range paths {
		refuses(t, v.trader(t, "others").ask(path, nil), notAllowed)
		for j := range paths {
			only := v.trader(t, fmt.Sprint("only", j))
			if r := only.ask(path, nil); i == j && r.Status == 401 || i != j && r.Status != 401 {
				t.Errorf("%s with a key for %s: %d %s", path, paths[j], r.Status, r.Body)
			}
		}
	}
	group := v.trader(t, "group")
	refuses(t, group.ask(paths[0], nil), broken("amount", "The amount field is required.").and("ticker", "The ticker field is required."))
	refuses(t, group.ask(paths[1], nil), broken("code", "The code field is required."))
	for _, path := range paths[2:] {
		answers(t, group.ask(path, nil), codePage(0, 30, 0))
	}
	refuses(t, group.ask("main-account/balance", nil), notAllowed)
}

// codePage is a page of codes.
func codePage(total, limit, offset int, records ...any) obj {
	if records == nil {
		records = arr{}
	}
	return obj{"total": total, "data": records, "limit": limit, "offset": offset}
}

// record is how a code is listed.
func (p promise) record(amount, ticker, status string, date int) obj {
	return obj{"amount": amount, "code": p.text, "date": date, "status": status, "ticker": ticker, "external_id": p.id}
}

// TestCodesOfThePast: account-wallet 11.4.
func TestCodesOfThePast(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := codeVenue(t, clock, "alice", "bob", "carol")
	alice, bob, carol := v.trader(t, "alice"), v.trader(t, "bob"), v.trader(t, "carol")
	began := clock.seconds()
	my := func(c trader, fields, want obj) {
		t.Helper()
		answers(t, c.ask("main-account/codes/my", fields), want)
	}
	history := func(c trader, fields, want obj) {
		t.Helper()
		answers(t, c.ask("main-account/codes/history", fields), want)
	}
	my(alice, nil, codePage(0, 30, 0))
	history(alice, nil, codePage(0, 30, 0))

	one := alice.promises("USDT", "25.50", obj{"description": "for bob", "passphrase": "sesame"})
	clock.advance(schema.Second)
	two := alice.promises("COD", "3", nil)
	clock.advance(schema.Second)
	three := bob.promises("USDT", "7", nil)
	list := func(first string, minus string) (records []any) {
		return arr{two.record(minus+"3", "COD", "Active", began+1), one.record(minus+"25.5", "USDT", first, began)}
	}
	my(alice, nil, codePage(2, 30, 0, list("Active", "")...))
	history(alice, nil, codePage(2, 30, 0, list("Active", "-")...))
	my(carol, nil, codePage(0, 30, 0))
	history(carol, nil, codePage(0, 30, 0))

	clock.advance(schema.Second)
	bob.gets(one, "USDT", "25.5", obj{"passphrase": "sesame"})
	my(alice, nil, codePage(2, 30, 0, list("Activated", "")...))
	history(alice, nil, codePage(2, 30, 0, list("Activated", "-")...))
	my(bob, nil, codePage(1, 30, 0, three.record("7", "USDT", "Active", began+2)))
	came, went := one.record("+25.5", "USDT", "Activated", began+3), three.record("-7", "USDT", "Active", began+2)
	history(bob, nil, codePage(2, 30, 0, came, went))
	history(carol, nil, codePage(0, 30, 0))

	history(bob, obj{"limit": 1}, codePage(2, 1, 0, came))
	history(bob, obj{"limit": "1", "offset": "1"}, codePage(2, 1, 1, went))
	history(bob, obj{"limit": 100, "offset": 2}, codePage(2, 100, 2))
	history(bob, obj{"limit": 100, "offset": 9900}, codePage(2, 100, 9900))
	my(alice, obj{"offset": 1}, codePage(2, 30, 1, list("Activated", "")[1]))

	tooFar := broken("offset", "Offset is too big. Please use offset + limit less than 10000.")
	for _, path := range []string{"main-account/codes/my", "main-account/codes/history"} {
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{obj{"limit": 0}, broken("limit", "The limit must be at least 1.")},
			{obj{"limit": -5}, broken("limit", "The limit must be at least 1.")},
			{obj{"limit": 101}, broken("limit", "The limit may not be greater than 100.")},
			{obj{"limit": "x"}, broken("limit", "The limit must be an integer.")},
			{obj{"limit": 1.5}, broken("limit", "The limit must be an integer.")},
			{obj{"limit": true}, broken("limit", "The limit must be an integer.")},
			{obj{"offset": -1}, broken("offset", "The offset must be at least 0.")},
			{obj{"offset": 10001}, broken("offset", "The offset may not be greater than 10000.")},
			{obj{"offset": "far"}, broken("offset", "The offset must be an integer.")},
			{obj{"limit": 101, "offset": -1}, broken("limit", "The limit may not be greater than 100.").and("offset", "The offset must be at least 0.")},
			{obj{"limit": 100, "offset": 9901}, tooFar},
			{obj{"limit": 1, "offset": 10000}, tooFar},
			{obj{"offset": 9971}, tooFar},
		} {
			refuses(t, alice.ask(path, c.fields), c.want)
		}
	}
}

// TestCodesAreReturned after 365 days, or when their passphrase was wrong 50 times: account-wallet 11.3.
func TestCodesAreReturned(t *testing.T) {
	t.Parallel()
	clock := newClock()
	guessers := []string{"guess1", "guess2", "guess3", "guess4", "guess5"}
	v := codeVenue(t, clock, append([]string{"alice", "bob"}, guessers...)...)
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	began := clock.seconds()
	const year = 365 * 24 * 3600

	tried, old := alice.promises("USDT", "10", obj{"passphrase": "sesame"}), alice.promises("COD", "4", nil)
	clock.advance(schema.Second)
	young := alice.promises("COD", "1", nil)
	clock.advance(schema.Second)
	for i, name := range guessers {
		for n := range 10 {
			if i == 4 && n == 9 { // the last of 50
				alice.owns("USDT", "90")
			}
			refuses(t, v.trader(t, name).tries(tried.text, obj{"passphrase": fmt.Sprintf("wrong%d%d", i, n)}), wrongCode)
		}
	}
	alice.owns("USDT", "100")
	refuses(t, bob.tries(tried.text, obj{"passphrase": "sesame"}), unknownCode)
	refuses(t, alice.tries(tried.text, nil), unknownCode)

	clock.set(noon + year*schema.Second - 1)
	v.Do(&schema.Tick{})
	alice.owns("COD", "5")
	v.block("alice", true) // which does not keep her money away
	clock.advance(1)
	v.Do(&schema.Tick{})
	v.block("alice", false)
	alice.owns("COD", "9")
	refuses(t, bob.tries(old.text, nil), unknownCode)
	answers(t, alice.ask("main-account/codes/my", nil), codePage(3, 30, 0,
		young.record("1", "COD", "Active", began+1), old.record("4", "COD", "Returned", began), tried.record("10", "USDT", "Returned", began)))
	answers(t, alice.ask("main-account/codes/history", nil), codePage(5, 30, 0,
		old.record("+4", "COD", "Returned", began+year), tried.record("+10", "USDT", "Returned", began+2),
		young.record("-1", "COD", "Active", began+1), old.record("-4", "COD", "Returned", began), tried.record("-10", "USDT", "Returned", began)))
	answers(t, bob.ask("main-account/codes/history", nil), codePage(0, 30, 0))
	bob.gets(young, "COD", "1", nil)
	clock.advance(2 * schema.Second)
	v.Do(&schema.Tick{})
	alice.owns("COD", "9")
}

// TestActiveCodesAreBounded: an account has at most 1,000 that can be applied.
func TestActiveCodesAreBounded(t *testing.T) {
	t.Parallel()
	v := codeVenue(t, newClock(), "alice", "bob")
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	first := alice.promises("USDT", "0.01", nil)
	for range 999 {
		alice.promises("USDT", "0.01", nil)
	}
	create := obj{"ticker": "COD", "amount": "1"}
	refuses(t, alice.ask("main-account/codes", create), invalid(0, "ticker", "At most 1000 codes of an account can be active at the same time."))
	bob.promises("COD", "1", nil)
	bob.gets(first, "USDT", "0.01", nil)
	alice.promises("COD", "1", nil)
	alice.owns("USDT", "90")
	if got := alice.must("main-account/codes/my", obj{"limit": 1})["total"]; fmt.Sprint(got) != "1001" {
		t.Errorf("%v codes in all", got)
	}
}

// TestCodesOutliveTheProgram: what was created can be applied, listed and not applied twice after a kill.
func TestCodesOutliveTheProgram(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("COD_USDT"), with(with(plain(), "alice", obj{"deposits": obj{"USDT": "100"}, "trade": obj{}}), "bob", obj{"deposits": obj{}, "trade": obj{}}))
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	one, two := alice.promises("USDT", "10", nil), alice.promises("USDT", "20", obj{"passphrase": "sesame"})
	bob.gets(one, "USDT", "10", nil)
	before := alice.ask("main-account/codes/my", nil).Body
	v.Kill()
	v.Restart()
	if after := alice.ask("main-account/codes/my", nil).Body; after != before {
		t.Errorf("listed %s, before %s", after, before)
	}
	refuses(t, bob.tries(one.text, nil), usedCode)
	refuses(t, bob.tries(two.text, nil), wrongCode)
	bob.gets(two, "USDT", "20", obj{"passphrase": "sesame"})
	bob.owns("USDT", "30")
	alice.owns("USDT", "70")
}
