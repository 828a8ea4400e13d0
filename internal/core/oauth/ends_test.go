package oauth_test

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// An account has one key of a client. One whose secret was never fetched gives way to another.
func TestOneKeyOfAClient(t *testing.T) {
	w := issued(t)
	w.approves(w.approve(issuer, 2, trade), schema.OK)
	w.has(issuer, true, true)
	w.redeems(redeem(issuer, 2), schema.GrantRedeemed)
	if k := w.key(issuer); k.External != "key-2" || !slices.Equal(k.URLs, []string{trade}) || len(w.Accounts().KeysOf(ada)) != 2 {
		t.Errorf("the key is %+v", k)
	}
	w.do(take(1), schema.GrantUnknown)
	w.do(take(2), schema.OK)
	w.approves(w.approve(issuer, 4, trade), schema.PartnerKeyExists)
	m := w.approve(issuer, 5, trade)
	m.Account = ben
	w.approves(m, schema.OK) // who has a key of his own
	w.redeems(redeem(issuer, 5), schema.GrantRedeemed)
}

// With 50 keys, one whose secret was never fetched can be replaced.
func TestAKeyThatGivesWayNeedsNoRoom(t *testing.T) {
	w := issued(t)
	for n := 1; n < schema.MaxKeys; n++ {
		w.do(&schema.OpenKey{By: ada, Account: ada, External: fmt.Sprint(n), Key: fmt.Sprint(n), Sealed: []byte{1}, Type: schema.KeyTrading}, schema.OK)
	}
	w.approves(w.approve(issuer, 2), schema.OK)
	w.redeems(redeem(issuer, 2), schema.GrantRedeemed)
}

// A newer grant ends the code and the tokens of an older one.
func TestANewerGrantEndsTheOlder(t *testing.T) {
	w := open(t)
	w.approves(w.approve(reader, 1), schema.OK)
	w.approves(w.approve(reader, 2), schema.OK)
	w.do(redeem(reader, 1), schema.GrantUnknown)
	w.redeems(redeem(reader, 2), schema.GrantRedeemed)
	w.approves(w.approve(reader, 3), schema.OK)
	w.do(&schema.RefreshGrant{Partner: reader, Family: digest(2002), Token: digest(3002), Access: digest(1), Refresh: digest(2)}, schema.GrantUnknown)
	if len(w.OAuth().Grants(ada)) != 1 {
		t.Errorf("%d grants", len(w.OAuth().Grants(ada)))
	}
}

// An account gives to 20 clients. What is over makes room for another.
func TestAnAccountGivesToSoManyClients(t *testing.T) {
	w := open(t)
	for n := range schema.MaxGrants {
		id := schema.PartnerID(w.do(client(func(p *schema.Partner) { p.Client, p.Scopes = fmt.Sprint(n), []string{"general"} }), schema.OK).ID)
		w.approves(w.approve(id, 100+n), schema.OK)
		if n == 7 {
			w.redeems(&schema.RedeemGrant{Partner: id, Code: digest(100 + n), Access: digest(1), Family: digest(2), Refresh: digest(3)}, schema.GrantRedeemed)
		}
	}
	w.now += 60*schema.Second - 1
	if r := w.approves(w.approve(reader, 1), schema.GrantsTooMany); r.Rejection.Value != fixed.FromInt(20) {
		t.Errorf("the rejection is %+v", r.Rejection)
	}
	w.now++
	for n := range schema.MaxGrants - 1 { // all but the one with tokens
		id := schema.PartnerID(w.do(client(func(p *schema.Partner) { p.Client, p.Scopes = fmt.Sprint("more", n), []string{"general"} }), schema.OK).ID)
		w.approves(w.approve(id, 200+n), schema.OK)
	}
	w.approves(w.approve(reader, 1), schema.GrantsTooMany)
	w.now = start + 600*schema.Second - 1
	for n := range schema.MaxGrants - 1 {
		w.approves(w.approve(schema.PartnerID(23+n), 300+n), schema.OK)
	}
	w.approves(w.approve(reader, 1), schema.GrantsTooMany) // its refresh token counts a moment longer
	w.now++
	w.approves(w.approve(reader, 1), schema.OK)
}

func TestRevoking(t *testing.T) {
	w := issued(t)
	w.approves(w.approve(reader, 2), schema.OK)
	for _, c := range []struct {
		m    schema.RevokePartner
		want schema.Reason
	}{
		{schema.RevokePartner{Account: 99, Partner: issuer, Whole: true}, schema.AccountUnknown},
		{schema.RevokePartner{Account: ben, Partner: issuer, Whole: true}, schema.GrantUnknown},
		{schema.RevokePartner{Account: ada, Whole: true}, schema.GrantUnknown},
		{schema.RevokePartner{Account: ada, Partner: 9, Whole: true}, schema.GrantUnknown},
		{schema.RevokePartner{Account: ada, Partner: reader}, schema.GrantUnknown}, // it has no key
	} {
		w.do(&c.m, c.want)
	}
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, External: "key-2"}, schema.KeyUnknown) // another one than was asked for
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, External: "key-1"}, schema.OK)
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, External: "key-1"}, schema.KeyUnknown)
	w.has(issuer, true, false) // the client learns by its token that the key is gone
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer}, schema.GrantUnknown)
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, Whole: true}, schema.OK)
	w.has(issuer, false, false)
	w.has(reader, true, false)
	w = issued(t)
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, Whole: true}, schema.OK)
	w.has(issuer, false, false)
}

// A change of a factor, a new invitation that is accepted, and a block end all that clients have; keys that ada made live on.
func TestWhatEndsEverything(t *testing.T) {
	for name, end := range map[string]func(*world){
		"another password": func(w *world) {
			w.do(&schema.SetFactor{
				Key: 1, Generation: 1, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("other")}, Session: digest(800),
			}, schema.OK)
		},
		"a reset": func(w *world) {
			w.enrol(ada, 9, schema.Factors{Password: []byte("other"), TOTP: []byte("seed"), Step: 12})
		},
		"a block": func(w *world) { w.account(func(a *schema.Account) { a.Blocked = true }) },
	} {
		t.Run(name, func(t *testing.T) {
			w := issued(t)
			w.do(take(1), schema.OK)
			w.approves(w.approve(reader, 2), schema.OK)
			w.redeems(redeem(reader, 2), schema.GrantRedeemed)
			w.do(&schema.OpenKey{By: ada, Account: ada, External: "own", Key: "own", Sealed: []byte{1}, Type: schema.KeyTrading}, schema.OK)
			m := w.approve(reader, 3)
			m.Account = ben
			w.approves(m, schema.OK)
			end(w)
			w.has(issuer, false, false)
			w.has(reader, false, false)
			if w.Accounts().ByExternal("own") == nil || len(w.OAuth().Grants(ben)) != 1 {
				t.Error("something else ended")
			}
			w.do(redeem(issuer, 1), schema.GrantUnknown)
			w.do(&schema.RefreshGrant{Partner: reader, Family: digest(2002), Token: digest(3002), Access: digest(1), Refresh: digest(2)}, schema.GrantUnknown)
		})
	}
}

// While a client is off, its keys do nothing; on again, they do.
func TestKeysOfAClientThatIsOff(t *testing.T) {
	w := issued(t)
	key := w.key(issuer).ID
	touch := func(nonce uint64, want schema.Reason) {
		t.Helper()
		w.from(schema.Origin{Key: key, Nonce: nonce}, &schema.SetHedgeMode{Account: ada, On: nonce%2 == 1}, want)
		w.now++
	}
	touch(1, schema.OK)
	w.off(issuer)
	touch(2, schema.KeyRefused)
	w.do(client(func(p *schema.Partner) { p.ID = issuer }), schema.OK)
	touch(2, schema.OK) // what was refused used nothing up
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer}, schema.OK)
	touch(3, schema.KeyRefused)
}

// What a customer may do with his own keys he may not do with those of clients: they are as they were approved.
func TestIssuedKeysAreNotEdited(t *testing.T) {
	w := issued(t)
	w.do(&schema.EditKey{By: ada, External: "key-1", Enable: []string{withdraw}}, schema.KeyUnknown)
	w.do(&schema.SetKeyAddress{By: ada, External: "key-1", Address: "192.0.2.9"}, schema.KeyUnknown)
	w.do(&schema.ResetKey{By: ada, External: "key-1", Key: "k", Sealed: []byte{1}}, schema.KeyUnknown)
	w.do(&schema.CloseKey{By: ada, External: "key-1"}, schema.KeyUnknown) // which RevokePartner does
}
