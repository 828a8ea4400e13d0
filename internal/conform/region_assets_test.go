package conform_test

import (
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// What clients read of an asset that is not offered to them: decision 96.
const notHere = "This currency is not available in your region."

// notInEUWorld is the world of withdrawals at a deployment of a region, where USDT is not offered in the EU. Alice, who is elsewhere, and eve,
// who is in the EU, have 100 USDT and 10 DEP; bob has 100 USDT, and all three may be paid as partners.
func notInEUWorld(t *testing.T, region schema.Region) depositWorld {
	t.Helper()
	w := withdrawWorldIn(t, region, "alice", "bob", "eve")
	for _, name := range []string{"alice", "bob", "eve"} {
		a := w.account(name)
		a.Partner = true
		if name == "eve" {
			a.Region = schema.EU
		}
		w.Do(&schema.SetAccount{Account: a})
		w.gives(t, name, "USDT", "100")
		w.gives(t, name, "DEP", "10")
	}
	w.relist("USDT", func(a *schema.Asset) { a.NotInEU = true })
	return w
}

// TestAnAssetThatTheEUHasNot: the stricter of the regions of the account and of the deployment counts, at every endpoint by which an asset
// comes or goes (account-wallet 3, 5, 6 and 11). Everything else can be done with it, and with other assets all.
func TestAnAssetThatTheEUHasNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, who string
		region    schema.Region
		barred    bool
	}{
		{"a European account at the global deployment", "eve", schema.Global, true},
		{"a global account at the European deployment", "alice", schema.EU, true},
		{"a European account at the European deployment", "eve", schema.EU, true},
		{"a global account at the global deployment", "alice", schema.Global, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := notInEUWorld(t, c.region)
			w.relist("USDT", func(a *schema.Asset) { a.NotInEU = false })
			gift := w.trader(t, "bob").promises("USDT", "1", obj{"passphrase": "secret"})
			w.relist("USDT", func(a *schema.Asset) { a.NotInEU = true })
			who := w.trader(t, c.who)
			judge := func(path string, fields obj, want refusal) {
				t.Helper()
				if r := who.ask(path, fields); c.barred {
					refuses(t, r, want)
				} else if r.Status != 200 {
					t.Errorf("%s: %d %s", path, r.Status, r.Body)
				}
			}
			ticker := inner(422, 1, "ticker", notHere)
			rule := obj{"travelRule": hers()}
			judge("main-account/address", obj{"ticker": "USDT"}, ticker)
			judge("main-account/address", obj{"ticker": "USDT", "network": "TRC20"}, ticker)
			judge("main-account/create-new-address", obj{"ticker": "USDT"}, inner(422, 0, "message", "Currency is not available"))
			judge("main-account/withdraw", leaving("USDT", "5", arrival{farETH, ""}, "a", rule), ticker)
			judge("main-account/withdraw-pay", leaving("USDT", "5", arrival{farETH, ""}, "b", rule), ticker)
			judge("main-account/codes", obj{"ticker": "USDT", "amount": "5"}, ticker)
			judge("main-account/express-withdraw/token", obj{"ticker": "USDT", "amount": "5", "externalId": "rent"}, ticker)
			// It is said before the passphrase, and is no wrong try, of which there are ten.
			for range 11 {
				judge("main-account/codes/apply", obj{"code": gift.text, "passphrase": "secret"}, invalid(0, "code", notHere))
				if !c.barred {
					break
				}
			}
			if c.barred {
				who.owns("USDT", "100")
			}

			who.at("DEP", nil)
			who.fresh("DEP", nil)
			answers(t, who.withdraws("DEP", "1", arrival{farBTC, ""}, "c", rule), arr{})
			who.promises("DEP", "1", nil)
			answers(t, who.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "3", "from": "main", "to": "spot"}), arr{})
			answers(t, who.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "3", "from": "spot", "to": "main"}), arr{})
		})
	}
}

// TestWithdrawalsToCustomersInTheEU: a withdrawal to a customer is one like others, and who is in the EU has what somebody elsewhere sent.
func TestWithdrawalsToCustomersInTheEU(t *testing.T) {
	t.Parallel()
	w := notInEUWorld(t, schema.Global)
	w.relist("USDT", func(a *schema.Asset) { a.NotInEU = false })
	alice, eve := w.trader(t, "alice"), w.trader(t, "eve")
	to, from := eve.at("USDT", nil), alice.at("USDT", nil)
	w.relist("USDT", func(a *schema.Asset) { a.NotInEU = true })
	answers(t, alice.withdraws("USDT", "10", to, "a", nil), arr{})
	eve.owns("USDT", "110")
	refuses(t, eve.withdraws("USDT", "10", from, "b", nil), inner(422, 1, "ticker", notHere))
	refuses(t, eve.ask("main-account/address", obj{"ticker": "USDT"}), inner(422, 1, "ticker", notHere)) // also the one that she has
}

// TestMoneyThatComesToAnOldAddress of an asset that is not offered any more is credited as before, and what is not accepted is sent back.
func TestMoneyThatComesToAnOldAddress(t *testing.T) {
	t.Parallel()
	w := notInEUWorld(t, schema.EU)
	alice := w.trader(t, "alice")
	w.relist("USDT", func(a *schema.Asset) { a.NotInEU = false })
	to := alice.at("USDT", nil)
	w.relist("USDT", func(a *schema.Asset) { a.NotInEU = true })
	w.pays(t, w.eth, "USDT", "7", to)
	w.mines(w.eth, 2)
	alice.owns("USDT", "107")
	w.pays(t, w.eth, "USDT", "8", to)
	w.mines(w.eth, 1)
	w.Do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit})
	w.mines(w.eth, 1)
	id := alice.newest()
	answers(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farETH}), obj{"transactionId": id, "id": id})
}

// TestListingsOfAnAssetThatTheEUHasNot: what a deployment or an account cannot do is not offered to it.
func TestListingsOfAnAssetThatTheEUHasNot(t *testing.T) {
	t.Parallel()
	for _, region := range []schema.Region{schema.Global, schema.EU} {
		t.Run(region.String(), func(t *testing.T) {
			t.Parallel()
			w := notInEUWorld(t, region)
			here := region == schema.Global
			var assets, charges map[string]map[string]any
			w.Get("/api/v4/public/assets").Read(t, &assets)
			w.Get("/api/v4/public/fee").Read(t, &charges)
			is(t, "USDT", []any{assets["USDT"]["can_deposit"], assets["USDT"]["can_withdraw"]}, arr{here, here})
			is(t, "DEP", []any{assets["DEP"]["can_deposit"], assets["DEP"]["can_withdraw"]}, arr{true, true})
			networks := obj{"default": "ERC20"}
			if here {
				networks = obj{"deposits": arr{"TRC20", "ERC20", "BOOKED"}, "withdraws": arr{"TRC20", "ERC20", "BOOKED"}, "default": "ERC20"}
			}
			is(t, "networks", assets["USDT"]["networks"], networks)
			for _, name := range []string{"is_depositable", "is_withdrawal", "is_api_depositable", "is_api_withdrawal"} {
				is(t, name, charges["USDT"][name], here)
				is(t, name, charges["DEP"][name], true)
			}
			for who, offered := range map[string]bool{"alice": here, "eve": false} {
				for _, fees := range feesOf(t, w.trader(t, who).ask("main-account/fee", nil)) {
					want := fees["ticker"] != "USDT" || offered
					if fees["ticker"] == "USDT" || fees["ticker"] == "DEP" {
						is(t, who, []any{fees["can_deposit"], fees["can_withdraw"]}, arr{want, want})
					}
				}
			}
		})
	}
}

func feesOf(t *testing.T, r conform.Reply) (list []map[string]any) {
	t.Helper()
	r.Read(t, &list)
	return list
}

// TestInvoicesOfAnAssetThatTheEUHasNot: what providers bring and take away is no exception.
func TestInvoicesOfAnAssetThatTheEUHasNot(t *testing.T) {
	t.Parallel()
	w := newFiatWorld(t, false)
	w.euros(t, func(a *schema.Asset) { a.NotInEU = true })
	alice := w.trader(t, "alice")
	w.Do(&schema.Deposit{Account: w.account("alice").ID, Asset: w.Exchange.API.Directory().Asset("EUR").ID, Amount: decimal(t, "100")})
	alice.page(bills("one", "20", nil))
	a := w.account("alice")
	a.Region = schema.EU
	w.Do(&schema.SetAccount{Account: a})
	refuses(t, alice.ask(fiatURL, bills("two", "20", nil)), broken("ticker", "Currency is not depositable via API"))
}
