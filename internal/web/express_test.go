package web_test

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"bourse/internal/schema"
)

// token is what the shop asks for money by.
func (w *world) token(external string) string {
	w.t.Helper()
	var made struct{ URL string }
	w.Client("shop-key", "shop-secret").Post("/api/v4/main-account/express-withdraw/token", map[string]any{"ticker": "USDT", "amount": "12.5", "externalId": external}).Read(w.t, &made)
	at, err := url.Parse(made.URL)
	if err != nil || at.Path != "/express" {
		w.t.Fatal(made, err)
	}
	return at.Query().Get("token")
}

func (w *world) owns(name, amount string) {
	w.t.Helper()
	var all map[string]struct {
		Main string `json:"main_balance"`
	}
	w.Client(name+"-key", name+"-secret").Post("/api/v4/main-account/balance", map[string]any{"ticker": "USDT"}).Read(w.t, &all)
	if all["USDT"].Main != amount {
		w.t.Errorf("%s has %v, want %s", name, all, amount)
	}
}

func TestAnExpressPaymentIsShownAndPaidOnce(t *testing.T) {
	w, alice := open(t)
	const gone = "The token is unknown, was used, has expired, or asks for something else."
	token := w.token("rent")
	shown := alice.gets(200, "POST", "express", obj{"token": token})
	if want := (obj{"partner": "shop", "ticker": "USDT", "amount": "12.5", "expires": float64(w.time.Load()/1_000_000 + 90)}); !reflect.DeepEqual(shown, want) {
		t.Errorf("shown %v, want %v", shown, want)
	}
	alice.refused(422, 0, "token", gone, "POST", "express", obj{"token": "none"})
	pay := func(change, value string) obj {
		body := obj{"token": token, "partner": "shop", "ticker": "USDT", "amount": "12.5"}
		if change != "" {
			body[change] = value
		}
		return body
	}
	alice.refused(412, 2, "", needed, "POST", "express/pay", pay("", "")) // also in a session that is fresh
	for _, other := range [][2]string{{"partner", "bob"}, {"partner", "nobody"}, {"ticker", "BTC"}, {"ticker", "NONE"}, {"amount", "12"}, {"amount", "0"}, {"amount", "x"}, {"token", "none"}} {
		body := pay(other[0], other[1])
		if body["factor"] = alice.factor(); other[0] != "token" {
			token = w.token("rent " + other[0] + other[1]) // codes take their time
			body["token"] = token
		}
		alice.refused(422, 0, "token", gone, "POST", "express/pay", body)
	}
	w.owns("alice", "500")
	token = w.token("rent")
	body := pay("", "")
	body["factor"] = obj{"code": "000000"}
	alice.refused(422, 30, "code", "The code is wrong, or was used already.", "POST", "express/pay", body)
	body["factor"] = alice.factor()
	alice.gets(200, "POST", "express/pay", body)
	w.owns("alice", "487.5")
	w.owns("shop", "22.5")
	body["factor"] = alice.factor()
	alice.refused(422, 0, "token", gone, "POST", "express/pay", body)
	alice.refused(422, 0, "token", gone, "POST", "express", obj{"token": token})
	w.owns("alice", "487.5")
}

// TestAPaymentWhereItsAssetIsNotOffered is shown, and cannot be made by somebody in the EU.
func TestAPaymentWhereItsAssetIsNotOffered(t *testing.T) {
	w, alice := open(t)
	asset := *w.Exchange.API.Directory().Asset("USDT")
	asset.NotInEU = true
	w.Do(&schema.SetAsset{Asset: asset})
	moved := *w.account("alice")
	moved.Region = schema.EU
	w.Do(&schema.SetAccount{Account: moved})
	pay := obj{"token": w.token("rent"), "partner": "shop", "ticker": "USDT", "amount": "12.5", "factor": alice.factor()}
	alice.refused(422, 1, "ticker", "This currency is not available in your region.", "POST", "express/pay", pay)
	w.owns("alice", "500")
}

func TestWhoCannotPay(t *testing.T) {
	w, alice := open(t)
	shop, desk := w.user("shop"), w.user("desk-id")
	token := w.token("rent")
	pay := obj{"token": token, "partner": "shop", "ticker": "USDT", "amount": "12.5", "factor": shop.factor()}
	shop.refused(422, 0, "token", "Who asks for a payment cannot make it.", "POST", "express/pay", pay)
	desk.refused(401, 4, "", "Not permitted for sub-account", "POST", "express", obj{"token": token})
	desk.refused(401, 4, "", "Not permitted for sub-account", "POST", "express/pay", pay)
	w.later(90 * time.Second)
	alice.refused(422, 0, "token", "The token is unknown, was used, has expired, or asks for something else.", "POST", "express", obj{"token": token})
	stranger := &browser{t: t, w: w, cookies: map[string]string{}}
	stranger.gets(401, "POST", "express", obj{"token": token})
	stranger.gets(401, "POST", "express/pay", pay)
}
