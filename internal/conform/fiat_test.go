package conform_test

import (
	"net/http"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

const (
	goodIBAN = "DE89370400440532013000"
	goodBIC  = "DEUTDEFF500"
	goodCard = "4242424242424242"
)

// fiatWorld is a sandbox with euros (EUR) that come and go by SEPA (a deposit costs 1 and 1 %, from 10 to 1,000; a withdrawal 0.5), by
// VISAMASTER and by MERCURYO, which is only out; GEL comes by SEPA, but not through the API. Alice is verified and may have invoices.
type fiatWorld struct {
	venue
	clock                *clock
	sepa, card, mercuryo schema.ChainID
}

func newFiatWorld(t *testing.T, play bool) fiatWorld {
	t.Helper()
	people := map[string]obj{"alice": {"deposits": obj{}, "trade": obj{}}, "bob": {"deposits": obj{}, "trade": obj{}}}
	clock := newClock()
	w := fiatWorld{clock: clock, venue: venue{conform.Inside(t, worldOf(t, plain("BTC_USDT"), people), func(o *exchange.Options) {
		o.Node.Clock, o.Sandbox, o.PublicURL = clock.read, play, "https://exchange.example"
	})}}
	provider := func(name string) schema.ChainID {
		return schema.ChainID(w.Do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: schema.Provider}}).ID)
	}
	w.sepa, w.card, w.mercuryo = provider("BANK"), provider("CARDS"), provider("MERCURY")
	w.euros(t, nil)
	w.Do(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "GEL", Name: "Lari", Class: schema.Fiat, Scale: 2, Precision: 2, CanDeposit: true, Networks: []schema.Network{{Name: "SEPA", Chain: w.sepa, CanDeposit: true}},
	}})
	w.allows("alice", true, true)
	return w
}

// euros lists them, with a change.
func (w fiatWorld) euros(t *testing.T, change func(*schema.Asset)) {
	t.Helper()
	a := schema.Asset{
		Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 4, Precision: 2, CanDeposit: true, CanWithdraw: true,
		Networks: []schema.Network{
			{
				Name: "SEPA", Chain: w.sepa, CanDeposit: true, CanWithdraw: true, MinDeposit: decimal(t, "10"), MaxDeposit: decimal(t, "1000"),
				DepositFixed: decimal(t, "1"), DepositPercent: decimal(t, "1"), WithdrawFixed: decimal(t, "0.5"),
			},
			{Name: "VISAMASTER", Chain: w.card, CanDeposit: true, CanWithdraw: true},
			{Name: "MERCURYO", Chain: w.mercuryo, CanWithdraw: true},
		},
	}
	if change != nil {
		change(&a)
	}
	w.Do(&schema.SetAsset{Asset: a})
}

// allows lets an account have invoices, and verifies it.
func (w fiatWorld) allows(name string, invoices, verified bool) {
	a := w.account(name)
	a.Invoices, a.Verified = invoices, verified
	w.Do(&schema.SetAccount{Account: a})
}

// bills asks for an invoice by SEPA.
func bills(unique, amount string, more obj) obj {
	return changed(obj{"ticker": "EUR", "provider": "SEPA", "amount": amount, "uniqueId": unique}, more)
}

const fiatURL = "main-account/fiat-deposit-url"

// page is the path of the page of a new invoice.
func (c trader) page(fields obj) string {
	c.t.Helper()
	answer := c.must(fiatURL, fields)
	is(c.t, "invoice", answer, obj{"url": pattern(`"https://exchange\.example/pay/[0-9a-f-]{36}"`)})
	return strings.TrimPrefix(answer["url"].(string), "https://exchange.example")
}

// presses a button of a page.
func (w fiatWorld) presses(path, outcome string) conform.Reply {
	return w.Send(http.MethodPost, path, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, []byte("outcome="+outcome))
}

// seenFiat is a record of the history of something that comes or goes by a provider.
func seenFiat(method int, unique, network, amount, fee string, status, at int, more obj) obj {
	return changed(obj{
		"address": "", "memo": "", "description": "", "unique_id": unique, "uniqueId": unique, "transaction_id": aUUID, "transactionId": aUUID,
		"createdAt": at, "currency": "Euro", "ticker": "EUR", "method": method, "amount": amount, "fee": fee, "status": status,
		"network": network, "transactionHash": "", "details": nil, "confirmations": nil,
	}, more)
}

// TestAnInvoiceIsPaidOnItsPage: account-wallet 4 and 8.
func TestAnInvoiceIsPaidOnItsPage(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	alice, began := w.trader(t, "alice"), w.clock.seconds()
	links := obj{"successLink": "https://shop.example/done", "failureLink": "https://shop.example/sorry", "returnLink": "http://shop.example/cart"}
	page := alice.page(bills("order-1", "100", links))
	alice.past(nil, seenFiat(1, "order-1", "SEPA", "100", "2", 15, began, nil))
	alice.past(obj{"unique_id": "order-1"}, seenFiat(1, "order-1", "SEPA", "100", "2", 15, began, nil))
	alice.main("EUR", "0", "0")

	shown := w.Get(page)
	if shown.Status != 200 {
		t.Fatalf("%d %s", shown.Status, shown.Body)
	}
	for _, part := range []string{"100 EUR", "SEPA", "order-1", `value="paid"`, `value="failed"`, "http://shop.example/cart"} {
		if !strings.Contains(shown.Body, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if r := w.presses(page, "perhaps"); r.Status != 400 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := w.presses(page, "paid"); r.Status != 200 || !strings.Contains(r.Body, "Payment received") || !strings.Contains(r.Body, "https://shop.example/done") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	alice.main("EUR", "98", "0")
	alice.past(nil, seenFiat(1, "order-1", "SEPA", "100", "2", 3, began, nil))
	for range 2 { // a page that was paid is not there any more, and pays nothing
		if r := w.presses(page, "paid"); r.Status != 404 || !strings.Contains(r.Body, "Invoice not found") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	alice.main("EUR", "98", "0")
	refuses(t, alice.ask(fiatURL, bills("order-1", "100", nil)), broken("uniqueId", "The unique id has already been taken."))

	// One that fails, one that expires, and one that comes when deposits are off.
	failed := alice.page(bills("order-2", "10", links))
	if r := w.presses(failed, "failed"); r.Status != 200 || !strings.Contains(r.Body, "Payment failed") || !strings.Contains(r.Body, "https://shop.example/sorry") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	card := obj{"provider": "VISAMASTER", "expiresAfter": 60, "customer": payer}
	late := alice.page(bills("order-3", "10", card))
	w.clock.advance(60 * schema.Second)
	if r := w.Get(late); !strings.Contains(r.Body, "Invoice expired") && r.Status != 404 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	w.Do(&schema.Tick{})
	held := alice.page(bills("order-4", "20", nil))
	w.euros(t, func(a *schema.Asset) { a.CanDeposit = false })
	if r := w.presses(held, "paid"); r.Status != 200 || !strings.Contains(r.Body, "is being looked at") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	now := w.clock.seconds()
	alice.past(nil,
		seenFiat(1, "order-4", "SEPA", "20", "0", 22, now, nil),
		seenFiat(1, "order-3", "VISAMASTER", "10", "0", 4, began, nil),
		seenFiat(1, "order-2", "SEPA", "10", "1.1", 4, began, nil),
		seenFiat(1, "order-1", "SEPA", "100", "2", 3, began, nil))
	alice.main("EUR", "98", "0")
	w.Do(&schema.DecideDeposit{Deposit: 4, Decision: schema.CreditDeposit})
	alice.main("EUR", "118", "0")
	alice.past(obj{"status": arr{3}}, seenFiat(1, "order-4", "SEPA", "20", "0", 3, now, nil), seenFiat(1, "order-1", "SEPA", "100", "2", 3, began, nil))
}

// payer is who pays by card.
var payer = obj{
	"firstName": "Ann", "lastName": "Lee", "email": "ann@example.com", "birthDate": "1990-02-28",
	"address": obj{"line1": "Main Street 1", "city": "Berlin", "zipCode": "10115", "countryCode": "DE"},
}

// TestNobodyPaysByPressingWhereMoneyIsReal: without a sandbox only operators settle invoices.
func TestNobodyPaysByPressingWhereMoneyIsReal(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, false)
	alice := w.trader(t, "alice")
	page := alice.page(bills("order-1", "100", nil))
	if r := w.Get(page); r.Status != 200 || strings.Contains(r.Body, "<button") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := w.presses(page, "paid"); r.Status != 405 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	alice.main("EUR", "0", "0")
	w.Do(&schema.SettleInvoice{Invoice: 1, Paid: true})
	alice.main("EUR", "98", "0")
	for _, path := range []string{"/pay/", "/pay/x", "/pay/a/b", "/pay/" + strings.Repeat("a", 65)} {
		if r := w.Get(path); r.Status != 404 {
			t.Errorf("%s: %d", path, r.Status)
		}
	}
}

// TestWhichInvoicesAreRefused: every row of account-wallet 4.
func TestWhichInvoicesAreRefused(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	refuses(t, bob.ask(fiatURL, bills("a", "100", nil)), refusal{403, 0, "You don't have permission to use this endpoint. Please contact support for more details", obj{}})
	w.allows("bob", true, false)
	refuses(t, bob.ask(fiatURL, bills("a", "100", nil)), broken("user", "User not verified"))
	byCard := func(change obj) obj { return obj{"provider": "VISAMASTER", "customer": changed(payer, change)} }
	few := broken("amount", "Amount is too little for deposit")
	scheme := "Your domain scheme incorrect. Use https only"
	for name, c := range map[string]struct {
		change obj
		want   refusal
	}{
		"no ticker":              {obj{"ticker": nil}, missing("ticker")},
		"no provider":            {obj{"provider": nil}, missing("provider")},
		"no amount":              {obj{"amount": nil}, missing("amount")},
		"no id":                  {obj{"uniqueId": nil}, broken("uniqueId", "The unique id field is required.")},
		"a long id":              {obj{"uniqueId": strings.Repeat("é", 256)}, broken("uniqueId", "The unique id may not be greater than 255 characters.")},
		"no number":              {obj{"amount": "x"}, broken("amount", "The amount must be a number.")},
		"nothing":                {obj{"amount": "0"}, few},
		"too little":             {obj{"amount": "9.99"}, few},
		"too much":               {obj{"amount": "1000.01"}, broken("amount", "Amount is too big for deposit")},
		"far too much":           {obj{"amount": "1e40"}, broken("amount", "Amount is too big for deposit")},
		"an unknown ticker":      {obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid.")},
		"crypto":                 {obj{"ticker": "BTC"}, broken("ticker", "Currency is not depositable via API")},
		"a closed ticker":        {obj{"ticker": "GEL"}, broken("ticker", "Currency is not depositable via API")},
		"an unknown provider":    {obj{"provider": "NIX"}, broken("provider", "The selected provider is invalid.")},
		"a provider that is off": {obj{"provider": "MERCURYO"}, broken("ticker", "Currency is not depositable via API")},
		"an end by SEPA":         {obj{"expiresAfter": 60}, broken("amount", "Expiration date cannot be used for this provider")},
		"an end too late":        {changed(byCard(nil), obj{"expiresAfter": 86401}), broken("expiresAfter", "The expires after may not be greater than 86400.")},
		"a link of http":         {obj{"successLink": "http://shop.example"}, broken("successLink", scheme)},
		"a link of script":       {obj{"failureLink": "javascript:alert(1)"}, broken("failureLink", scheme)},
		"a link to nowhere":      {obj{"failureLink": "https:///x"}, broken("failureLink", "Your domain is incorrect. Please contact support for more details")},
		"a return by script":     {obj{"returnLink": "javascript:alert(1)"}, broken("returnLink", "The return link must be a valid URL.")},
		"no customer":            {obj{"provider": "VISAMASTER"}, missing("customer")},
		"no first name":          {byCard(obj{"firstName": nil}), broken("customer.firstName", "The customer first name field is required.")},
		"no street":              {byCard(obj{"address": obj{"city": "B", "zipCode": "1", "countryCode": "DE"}}), broken("customer.address.line1", "The customer address line1 field is required.")},
		"no date":                {byCard(obj{"birthDate": "1990-02-30"}), broken("customer.birthDate", "The customer birth date is not a valid date.")},
		"a child":                {byCard(obj{"birthDate": "2015-01-01"}), broken("customer.birthDate", "You must be at least 18 years old")},
		"a wrong card":           {changed(byCard(nil), obj{"address": "4242424242424241"}), broken("address", "Invalid credit card number")},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, w.trader(t, "alice").ask(fiatURL, bills("a", "100", c.change)), c.want) })
	}
	w.Do(&schema.SetAsset{Asset: schema.Asset{Ticker: "CHF", Name: "Franc", Class: schema.Fiat, Scale: 2, Precision: 2, CanDeposit: true}})
	refuses(t, alice.ask(fiatURL, bills("a", "100", obj{"ticker": "CHF"})), broken("provider", "Cannot find currency for specified provider"))
	w.Do(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider, Paused: true}})
	refuses(t, alice.ask(fiatURL, bills("a", "100", nil)), refusal{400, 10, "Failed to generate deposit url", obj{}})
	alice.past(nil)
}

// paid is a withdrawal of euros by SEPA.
func paidOut(unique, amount string, more obj) obj {
	return changed(obj{
		"ticker": "EUR", "provider": "SEPA", "amount": amount, "uniqueId": unique, "address": goodIBAN, "bankBic": goodBIC,
		"beneficiary": obj{"firstName": "José", "lastName": "O'Neil-Łuk"},
	}, more)
}

// TestAProviderPaysOut: account-wallet 5, 8 and 9.
func TestAProviderPaysOut(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	alice, at := w.trader(t, "alice"), w.clock.seconds()
	w.Do(&schema.Deposit{Account: w.account("alice").ID, Asset: w.asset("EUR"), Amount: decimal(t, "1000")})
	to := obj{"address": goodIBAN}
	answers(t, alice.ask("main-account/withdraw", paidOut("whole", "100", obj{"address": "de89 3704 0044 0532 0130 00", "bankBic": "cobadeffxxx"})), arr{})
	alice.main("EUR", "900", "0")
	alice.past(nil, seenFiat(2, "whole", "SEPA", "99.5", "0.5", 1, at, to))
	w.Do(&schema.SettleWithdrawal{Withdrawal: 1, Amount: decimal(t, "99.5")})
	alice.past(nil, seenFiat(2, "whole", "SEPA", "99.5", "0.5", 3, at, to))

	answers(t, alice.ask("main-account/withdraw-pay", paidOut("part", "100", obj{"partialEnable": true})), arr{})
	alice.main("EUR", "799.5", "0")
	w.Do(&schema.SettleWithdrawal{Withdrawal: 2, Amount: decimal(t, "40")})
	alice.main("EUR", "859.8", "0")
	details := obj{"partial": obj{"requestAmount": "100", "processedAmount": "40", "processedFee": "0.2", "normalizeTransaction": ""}}
	part := seenFiat(2, "part", "SEPA", "40", "0.2", 18, at, obj{"address": goodIBAN, "details": details})
	alice.past(obj{"status": arr{18}}, part)
	alice.past(obj{"status": arr{2}})

	answers(t, alice.ask("main-account/withdraw", paidOut("none", "100", nil)), arr{})
	w.Do(&schema.SettleWithdrawal{Withdrawal: 3})
	alice.main("EUR", "859.8", "0")
	alice.past(obj{"uniqueId": "none"}, seenFiat(2, "none", "SEPA", "99.5", "0.5", 4, at, to))

	// To a card, whose number nobody sees.
	r := alice.Post("/api/card-token", obj{"cardNumber": goodCard})
	var token struct{ Token string }
	r.Read(t, &token)
	if r.Status != 200 || token.Token == "" || strings.Contains(token.Token, goodCard) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	toCard := obj{"provider": "VISAMASTER", "address": token.Token, "bankBic": nil, "customerIp": "203.0.113.7"}
	answers(t, alice.ask("main-account/withdraw", paidOut("card", "10", toCard)), arr{})
	alice.past(obj{"uniqueId": "card"}, seenFiat(2, "card", "VISAMASTER", "10", "0", 1, at, obj{"address": token.Token}))
	w.allows("bob", false, true)
	refuses(t, w.trader(t, "bob").ask("main-account/withdraw", paidOut("card", "10", toCard)), inner(422, 2, "address", "The address is invalid"))
}

// TestWhatProvidersDoNotTake: what a withdrawal by a provider must say.
func TestWhatProvidersDoNotTake(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	alice := w.trader(t, "alice")
	w.Do(&schema.Deposit{Account: w.account("alice").ID, Asset: w.asset("EUR"), Amount: decimal(t, "1000")})
	address := inner(422, 2, "address", "The address is invalid")
	person := func(change obj) obj {
		return obj{"beneficiary": changed(obj{"firstName": "Ann", "lastName": "Lee"}, change)}
	}
	for name, c := range map[string]struct {
		change obj
		want   refusal
	}{
		"no provider":         {obj{"provider": nil}, broken("provider", "Provider is required for fiat currency")},
		"an unknown provider": {obj{"provider": "NIX"}, broken("provider", "The selected provider is invalid.")},
		"no BIC":              {obj{"bankBic": nil}, broken("bankBic", "The bank bic field is required.")},
		"a wrong BIC":         {obj{"bankBic": "COBA"}, broken("bankBic", "The BIC of a bank has 8 or 11 capital letters and digits.")},
		"a wrong IBAN":        {obj{"address": "DE89370400440532013001"}, address},
		"no IBAN":             {obj{"address": "someone"}, address},
		"not a token":         {obj{"provider": "VISAMASTER", "address": goodCard, "customerIp": "203.0.113.7"}, address},
		"no IP":               {obj{"provider": "VISAMASTER"}, broken("customerIp", "The customer ip field is required.")},
		"no such IP":          {obj{"provider": "VISAMASTER", "customerIp": "x"}, broken("customerIp", "The customer ip must be a valid IP address.")},
		"nobody":              {obj{"beneficiary": nil}, missing("beneficiary")},
		"no last name":        {person(obj{"lastName": nil}), broken("beneficiary.lastName", "The beneficiary last name field is required.")},
		"a long name":         {person(obj{"lastName": strings.Repeat("a", 41)}), broken("beneficiary.lastName", "The beneficiary last name may not be greater than 40 characters.")},
		"other letters":       {person(obj{"lastName": "Иванов"}), broken("beneficiary.lastName", "The beneficiary last name format is invalid.")},
		"no birth date":       {obj{"provider": "MERCURYO"}, broken("beneficiary.birthDate", "The beneficiary birth date field is required.")},
		"partly":              {obj{"partialEnable": 7}, broken("partialEnable", "The partial enable field must be true or false.")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"main-account/withdraw", "main-account/withdraw-pay"} {
				refuses(t, w.trader(t, "alice").ask(path, paidOut("a", "100", c.change)), c.want)
			}
		})
	}
	w.allows("alice", true, false)
	refuses(t, alice.ask("main-account/withdraw", paidOut("a", "100", nil)), broken("amount", "Your account must be verified"))
	w.allows("alice", true, true)
	w.Do(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider, Paused: true}})
	refuses(t, alice.ask("main-account/withdraw", paidOut("a", "100", nil)), inner(422, 1, "ticker", "This currency cannot be withdrawn by this network at the moment."))
	for _, number := range []any{nil, "", "4242", "4242424242424241", "42424242424242424242", "4242 4242 4242 4242", 7, arr{}} {
		refuses(t, alice.Post("/api/card-token", obj{"cardNumber": number}), invalid(1, "cardNumber", "The cardNumber field is invalid."))
	}
	alice.main("EUR", "1000", "0")
}

// TestProvidersAreListed: exchange-api 2 and market-data 4.8.
func TestProvidersAreListed(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	var assets map[string]struct{ Providers any }
	w.Get("/api/v4/public/assets").Read(t, &assets)
	is(t, "providers", assets["EUR"].Providers, obj{"deposits": arr{"SEPA", "VISAMASTER"}, "withdraws": arr{"SEPA", "VISAMASTER", "MERCURYO"}})
	var fees map[string]any
	w.Get("/api/v4/public/fee").Read(t, &fees)
	way := func(name string, open bool, low, high string, fixed, flex any) obj {
		return obj{"ticker": "EUR", "name": "Euro", "is_" + name: open, "is_api_" + name: open, "min_amount": low, "max_amount": high, "fixed": fixed, "flex": flex}
	}
	is(t, "fees", fees["EUR"], obj{
		"ticker": "EUR", "name": "Euro", "providers": arr{"SEPA", "VISAMASTER", "MERCURYO"}, "is_api_depositable": true, "is_api_withdrawal": true,
		"deposit": obj{
			"SEPA":       way("depositable", true, "10", "1000", "1", obj{"percent": "1", "min_fee": "0", "max_fee": "0"}),
			"VISAMASTER": way("depositable", true, "0", "0", nil, nil), "MERCURYO": way("depositable", false, "0", "0", nil, nil),
		},
		"withdraw": obj{
			"SEPA":       way("withdrawal", true, "0", "0", "0.5", nil),
			"VISAMASTER": way("withdrawal", true, "0", "0", nil, nil), "MERCURYO": way("withdrawal", true, "0", "0", nil, nil),
		},
	})
}

// missing is a request that lacks a field.
func missing(field string) refusal { return broken(field, "The "+field+" field is required.") }

// TestFiatDepositsAreAnnounced: webhooks 5 and 6. A provider has no addresses, no transactions and no confirmations.
func TestFiatDepositsAreAnnounced(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, true)
	shop, alice, began := openShop(t), w.trader(t, "alice"), w.clock.seconds()
	id, at := w.account("alice").ID, shop.URL+"/hook"
	w.Do(&schema.SetWebhook{
		Account: id, URL: at, Events: schema.AllWebhookEvents, On: true, Key: "hook-key", Sealed: w.Exchange.Node.Key().Seal([]byte("hook-secret"), "webhook secret"),
	})
	w.Do(&schema.VerifyWebhook{Account: id, Host: schema.WebhookHost(at), Key: "hook-key"})
	said := func(amount, fee string, status int) obj {
		return obj{
			"address": "", "amount": amount, "createdAt": began, "currency": "Euro", "description": "", "fee": fee, "memo": "", "method": 1, "network": "SEPA",
			"status": status, "ticker": "EUR_SEPA", "transactionHash": "", "uniqueId": aUUID, "nonce": pattern(`\d+`),
		}
	}
	paid, failed := alice.page(bills("order-1", "100", nil)), alice.page(bills("order-2", "10", nil))
	w.presses(paid, "paid")
	params := shop.hears(t, "deposit.processed")
	is(t, "paid", params, said("100", "2", 3))
	alice.past(obj{"unique_id": "order-1"}, seenFiat(1, "order-1", "SEPA", "100", "2", 3, began, obj{"transaction_id": params["uniqueId"], "transactionId": params["uniqueId"]}))
	w.presses(failed, "failed")
	is(t, "failed", shop.hears(t, "deposit.canceled"), said("10", "1.1", 4))
}
