package conform_test

import (
	"fmt"
	"testing"

	"bourse/internal/custody"
	"bourse/internal/schema"
)

// TestDepositAddress: account-wallet 3.
func TestDepositAddress(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice", "bob", "carol")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	free := func(fixed, most, least, percent, high, low string) obj {
		return obj{"fixedFee": fixed, "flexFee": obj{"maxFee": most, "minFee": least, "percent": percent}, "maxAmount": high, "minAmount": low}
	}
	bech32, segwit := pattern(`"bcrt1q[0-9a-z]{38}"`), pattern(`"2[1-9A-Za-z]{34}"`)
	hexadecimal := pattern(`"0x[0-9a-fA-F]{40}"`)
	for _, c := range []struct {
		fields, account, required obj
	}{
		{obj{"ticker": "DEP"}, obj{"address": bech32}, free("0.002", "0.05", "0.001", "1", "1000", "0.01")},
		{obj{"ticker": "DEP", "network": "DEP"}, obj{"address": bech32}, free("0.002", "0.05", "0.001", "1", "1000", "0.01")},
		{obj{"ticker": "USDT"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": ""}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": nil}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": "TRC20"}, obj{"address": pattern(`"T[1-9A-Za-z]{33}"`)}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "TAG"}, obj{"address": pattern(`"r[1-9A-Za-z]{24,34}"`), "memo": pattern(`"[1-9][0-9]*"`)}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "DUO", "network": "ERC20"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "5")},
		{obj{"ticker": "DUO", "network": "BEP20"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "7")},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) {
			alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
			answers(t, alice.ask("main-account/address", c.fields), obj{"account": c.account, "required": c.required})
			ticker := c.fields["ticker"].(string)
			if first, again := alice.at(ticker, c.fields), alice.at(ticker, c.fields); first != again {
				t.Errorf("%v, then %v", first, again)
			}
			if hers, his := alice.at(ticker, c.fields), bob.at(ticker, c.fields); hers == his {
				t.Errorf("both have %v", hers)
			}
			answers(t, alice.ask("main-account/create-new-address", c.fields), obj{"account": c.account, "required": c.required})
		})
	}

	// Networks of one family and net share their addresses; where there are memos, accounts share the address.
	if a, b, c := alice.at("USDT", nil), alice.at("DUO", obj{"network": "ERC20"}), alice.at("DUO", obj{"network": "BEP20"}); a != b || a != c {
		t.Errorf("%v, %v and %v", a, b, c)
	}
	if a, b := alice.at("TAG", nil), bob.at("TAG", nil); a.address != b.address || a.memo == b.memo {
		t.Errorf("%v and %v", a, b)
	}

	// A fresh one every time, and the first stays.
	first := alice.at("DEP", nil)
	all := map[string]bool{first.address: true}
	for _, more := range []obj{nil, {"type": "bech32"}, {"network": "DEP"}, {"type": nil}, {"type": "p2sh-segwit"}, {"type": "p2sh-segwit", "network": "DEP"}} {
		form := bech32
		if more["type"] == "p2sh-segwit" {
			form = segwit
		}
		answers(t, bob.ask("main-account/create-new-address", changed(obj{"ticker": "DEP"}, more)),
			obj{"account": obj{"address": form}, "required": free("0.002", "0.05", "0.001", "1", "1000", "0.01")})
		all[alice.fresh("DEP", more).address] = true
	}
	if len(all) != 7 || alice.at("DEP", nil) != first {
		t.Errorf("%d addresses, the first is %v", len(all), alice.at("DEP", nil))
	}
	// Who created a p2sh-segwit address first gets one of the usual type.
	carol := w.trader(t, "carol")
	old := carol.fresh("DEP", obj{"type": "p2sh-segwit"})
	if a, b := carol.at("DEP", nil), carol.at("DEP", nil); a == old || a != b {
		t.Errorf("%v, then %v and %v", old, a, b)
	}
}

// TestWrongRequestsForAddresses: the two operations have words of their own (account-wallet 3).
func TestWrongRequestsForAddresses(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	off := *w.Exchange.API.Directory().Asset("NON")
	off.Ticker, off.CanDeposit, off.Networks = "SHUT", false, []schema.Network{{Name: "SHUT", CanDeposit: true, Chain: w.btc, Confirmations: 2, ConfirmationsForTrading: 2}}
	w.Do(&schema.SetAsset{Asset: off})

	const fiat = "Fiat deposits are available only on the website"
	wrong := broken("network", "The selected network is invalid.")
	closed, shut := inner(422, 1, "ticker", "Currency is not depositable"), inner(422, 0, "ticker", "Currency is not depositable")
	for _, c := range []struct {
		fields       obj
		usual, fresh refusal
	}{
		{nil, broken("ticker", "The ticker field is required."), broken("ticker", "The ticker field is required.")},
		{obj{"ticker": nil}, broken("ticker", "The ticker field is required."), broken("ticker", "The ticker field is required.")},
		{obj{"ticker": 7}, broken("ticker", "The ticker must be a string."), broken("ticker", "The ticker must be a string.")},
		{obj{"ticker": "DEP", "network": 7}, broken("network", "The network must be a string."), broken("network", "The network must be a string.")},
		{obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid."), broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": ""}, broken("ticker", "The selected ticker is invalid."), broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": "EUR"}, broken("ticker", fiat), inner(422, 0, "ticker", "Fiat currencies are unavailable for this action")},
		{obj{"ticker": "EUR", "network": "SEPA"}, broken("ticker", fiat), inner(422, 0, "ticker", "Fiat currencies are unavailable for this action")},
		{obj{"ticker": "USDT", "network": "NIX"}, wrong, broken("network", "Unsupported network")},
		{obj{"ticker": "USDT", "network": "erc20"}, wrong, broken("network", "Unsupported network")},
		{obj{"ticker": "USDT", "network": "DEP"}, wrong, broken("network", "Cannot find currency for specified network")},
		{obj{"ticker": "DUO"}, broken("network", "The network field is required."), broken("network", "Cannot extract default network")},
		{obj{"ticker": "USDT", "network": "OFF"}, closed, shut},
		{obj{"ticker": "USDT", "network": "BOOKED"}, closed, shut},
		{obj{"ticker": "SIG"}, closed, shut},
		{obj{"ticker": "NON"}, closed, shut},
		{obj{"ticker": "SHUT"}, closed, shut},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) {
			refuses(t, w.trader(t, "alice").ask("main-account/address", c.fields), c.usual)
			refuses(t, w.trader(t, "alice").ask("main-account/create-new-address", c.fields), c.fresh)
		})
	}
	alice := w.trader(t, "alice")
	for _, fields := range []obj{{"ticker": "DEP", "type": "legacy"}, {"ticker": "DEP", "type": ""}, {"ticker": "DEP", "type": 1}, {"ticker": "USDT", "type": "bech32"}} {
		refuses(t, alice.ask("main-account/create-new-address", fields), broken("type", "The selected type is invalid."))
	}
	if a := alice.at("USDT", obj{"type": "legacy"}); a.address == "" { // a field that nobody reads
		t.Error("no address")
	}

	t.Run("at most 1,000 of a type", func(t *testing.T) {
		alice := w.trader(t, "alice")
		for range 1000 {
			w.Do(&schema.OpenAddress{Account: w.account("alice").ID, Chain: w.btc, Fresh: true})
		}
		refuses(t, alice.ask("main-account/create-new-address", obj{"ticker": "DEP"}), inner(422, 0, "message", "Address limit reached"))
		alice.at("DEP", nil)
		alice.fresh("DEP", obj{"type": "p2sh-segwit"})
		alice.fresh("USDT", nil)
	})
}

// TestAddressesComeWithTheFirstBlock: what is paid on a chain that others live on before the exchange stands there would not be seen.
func TestAddressesComeWithTheFirstBlock(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice, closed := w.trader(t, "alice"), inner(422, 1, "ticker", "Currency is not depositable")
	key := w.Exchange.Node.Key()
	seed, err := custody.Create(t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := seed.Public(schema.Space{Family: schema.Bitcoin, Net: schema.Signet})
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, alice.ask("main-account/address", obj{"ticker": "SIG"}), closed)
	w.Do(&schema.SetKeys{Keys: public.Seal(key)})
	refuses(t, alice.ask("main-account/address", obj{"ticker": "SIG"}), closed)
	w.Do(&schema.ChainBlock{Chain: w.real, Height: 7, Hash: schema.Digest{7}})
	if err := pattern(`"tb1q[0-9a-z]{38}"`)(alice.at("SIG", nil).address); err != nil {
		t.Error(err)
	}
}
