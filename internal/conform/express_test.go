package conform_test

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// TestExpressTokens: a partner's reference has one token while it can be paid (account-wallet 6).
func TestExpressTokens(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	const path = "main-account/express-withdraw/token"
	fields := obj{"ticker": "USDT", "amount": "10.5", "externalId": "rent"}
	refuses(t, alice.ask(path, fields), refusal{403, 0, "You don't have permission to use this endpoint. Please contact support for more details", obj{}})
	a := w.account("alice")
	a.Partner = true
	w.Do(&schema.SetAccount{Account: a})

	made := alice.must(path, fields)
	is(t, "token", made, obj{
		"url": pattern(`"[^"]*/express\?token=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"`), "expireAt": pattern(`"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"`),
	})
	w.clock.advance(schema.Second)
	answers(t, alice.ask(path, fields), made)
	refuses(t, alice.ask(path, changed(fields, obj{"amount": "10"})), inner(422, 18, "externalId", "A payment with this externalId waits for its payer and has another ticker or amount."))
	w.clock.advance(90 * schema.Second)
	fresh := alice.must(path, fields)
	if fresh["url"] == made["url"] || fresh["expireAt"] == made["expireAt"] {
		t.Errorf("%v after %v", fresh, made)
	}

	// Bob pays.
	w.gives(t, "bob", "USDT", "20")
	_, token, _ := strings.Cut(fresh["url"].(string), "token=")
	w.Do(&schema.PayExpress{Account: w.account("bob").ID, Digest: w.Exchange.API.Key().Digest("express payment", token)})
	alice.owns("USDT", "10.5")
	bob.owns("USDT", "9.5")
	refuses(t, alice.ask(path, fields), inner(422, 19, "externalId", "The payment with this externalId was made."))

	for name, c := range map[string]struct {
		change obj
		want   refusal
	}{
		"too much":  {obj{"amount": "10001", "externalId": "b"}, inner(422, 191, "amount", "The amount is worth more than 10000.")},
		"unknown":   {obj{"ticker": "NONE"}, broken("ticker", "The selected ticker is invalid.")},
		"nothing":   {obj{"amount": "0"}, broken("amount", "The amount must be at least 0.00000001.")},
		"no number": {obj{"amount": "x"}, broken("amount", "The amount must be a number.")},
		"too long":  {obj{"externalId": strings.Repeat("é", 256)}, broken("externalId", "The external id may not be greater than 255 characters.")},
		"empty":     {obj{"externalId": ""}, invalid(0, "externalId", "A reference is 1 to 255 characters, and a token is used once.")},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, alice.ask(path, changed(fields, c.change)), c.want) })
	}
	w.relist("USDT", func(a *schema.Asset) { a.CanWithdraw = false })
	refuses(t, alice.ask(path, changed(fields, obj{"externalId": "c"})), invalid(0, "ticker", "The currency cannot be withdrawn."))
}
