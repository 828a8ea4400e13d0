package core

import (
	"fmt"
	"slices"
	"strings"

	"bourse/internal/schema"
)

// partner draws client number i, or what it is changed to: the first two have keys issued, the others read data.
func (w *peopleWorld) partner(t *dice, i int) schema.Partner {
	p := schema.Partner{
		Client: fmt.Sprint("client", i), Title: "title", Secret: digest(800_000 + i), URIs: []string{fmt.Sprint("https://c", i)},
		Scopes: []string{"general", "users.orders.read"}, Addresses: []string{"10.0.0.1"}, On: chance(t, 4) != 0,
	}
	if i < 2 {
		p.Scopes = []string{schema.ScopeCreateKey, schema.ScopeReadKey, schema.ScopeDeleteKey}
		p.URIs = append(p.URIs, "https://other")
	}
	if known := w.oracle.Partners(); len(known) > i {
		p.ID, p.Scopes = known[i].ID, known[i].Scopes
		if !p.On {
			back := known[i]
			back.On = true
			if _, living := w.sessions(); len(living) > 0 { // somebody approves it while it is off
				k := living[chance(t, len(living))]
				c := w.approval(t, k)
				c.Partner, c.Redirect = p.ID, p.URIs[0]
				w.plan = append(w.plan, moment{from: schema.Origin{Key: k.ID, Once: w.fresh()}, cmd: c})
			}
			for _, k := range w.oracle.Keys() { // what it was given does nothing
				if k.Partner == p.ID {
					w.plan = append(w.plan, moment{from: schema.Origin{Key: k.ID, Authorized: coin(t), Nonce: 1}, cmd: &schema.SetHedgeMode{Account: k.Account}},
						moment{cmd: w.take(k)}, moment{cmd: w.deletion(k)})
				}
			}
			w.plan = append(w.plan, moment{cmd: w.redeem(t)}, moment{cmd: &schema.SetPartner{Partner: back}})
		}
	}
	if w.drawn == 0 || chance(t, 3) != 0 {
		return p
	}
	long := strings.Repeat("x", schema.MaxPartnerText)
	switch chance(t, 12) {
	case 0:
		p.Secret = schema.Digest{}
	case 1:
		p.Client = pick(t, "", "client0", "other", long, long+"x")
	case 2:
		p.Title = pick(t, "", long, long+"x")
	case 3:
		p.URIs = pick(t, nil, []string{""}, []string{"https://a", "https://b"}, []string{"https://a", "https://a"},
			[]string{strings.Repeat("u", schema.MaxRedirect)}, []string{strings.Repeat("u", schema.MaxRedirect+1)}, manyTexts(schema.MaxRedirects), manyTexts(schema.MaxRedirects+1))
	case 4:
		p.Scopes = pick(t, nil, []string{"none"}, []string{"general"}, []string{schema.ScopeReadKey}, append(slices.Clone(p.Scopes), "markets.read"), append(slices.Clone(p.Scopes), p.Scopes...))
	case 5:
		p.Addresses = pick(t, nil, []string{""}, []string{"host"}, []string{"10.0.0.1/8"}, []string{"::ffff:10.0.0.1"}, []string{"fe80::1%x"}, []string{"2001:DB8::1"},
			[]string{"10.0.0.1", "10.0.0.1"}, manyAddresses(schema.MaxPartnerAddresses), manyAddresses(schema.MaxPartnerAddresses+1))
	case 6:
		p.ID = pick[schema.PartnerID](t, 0, peoplePartners+1, 1+schema.PartnerID(chance(t, peoplePartners)))
	case 7:
		w.drawn++
		p.ID, p.Client = 0, fmt.Sprint("late", w.drawn)
	}
	return p
}

func manyTexts(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("https://m", i))
	}
	return list
}

func manyAddresses(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("10.1.0.", i))
	}
	return list
}

// approval draws one, mostly one that could be.
func (w *peopleWorld) approval(t *dice, k schema.Key) *schema.AuthorizePartner {
	c := &schema.AuthorizePartner{Account: k.Account, Partner: w.partnerID(t), Code: w.some(t), Challenge: w.fresh(), Since: k.AuthAt - schema.Time(chance(t, 3))}
	var p schema.Partner
	for _, known := range w.oracle.Partners() {
		if known.ID == c.Partner {
			p = known
		}
	}
	if len(p.URIs) > 0 {
		c.Redirect = p.URIs[chance(t, len(p.URIs))]
	}
	if p.Issues() {
		for range chance(t, 3) {
			c.URLs = append(c.URLs, pick(t, "/api/v4/orders", "/api/v4/order/new", "/api/v4/main-account/withdraw", "/api/v4/main-account/codes", "/api/v4/main-account/address"))
		}
	} else if chance(t, 3) == 0 {
		c.Challenge = schema.Digest{}
	}
	switch chance(t, 30) {
	case 0:
		c.Account = w.account(t)
	case 1:
		c.Redirect += pick(t, "/", "x")
	case 2:
		c.Redirect = pick(t, "", "https://c0", "https://other")
	case 3:
		c.Challenge = schema.Digest{}
	case 4:
		c.URLs = append(c.URLs, pick(t, "", schema.AllURLs, "/api/v4/sub-account/create", "/api/v4/public/time", "/api/v4/orders", "/api/v4/aml/checks/create", "/api/v4/sandbox/faucet"))
	case 5:
		c.Since = pick(t, k.AuthAt+1, w.now, w.now+1, 0)
	case 6:
		c.Code = schema.Digest{}
	}
	return c
}

// authorize draws an approval, maybe with a factor before it, and plans that its code is redeemed.
func (w *peopleWorld) authorize(t *dice) schema.Command {
	k := w.session(t)
	c := w.approval(t, k)
	if (w.now >= k.AuthAt+5*aMinute || w.oracle.SessionSpent(k.ID)) && chance(t, 3) != 0 { // a factor first
		u := w.of(k)
		again := *c
		again.Since = w.now
		w.plan = append(w.plan, moment{cmd: &again, from: schema.Origin{Key: k.ID, Once: w.fresh()}})
		return &schema.StepUp{Key: k.ID, Generation: u.Generation, Proof: w.right(&u)}
	}
	return c
}

// learn lets something come of what was approved, redeemed and refreshed, and of what ends.
func (w *peopleWorld) learn(t *dice, m moment, answer schema.Result) {
	if answer.Rejection.Refused() {
		return
	}
	w.learnEnds(t, m, answer)
	switch c := m.cmd.(type) {
	case *schema.AuthorizePartner:
		w.learnApproval(t, c)
	case *schema.RedeemGrant:
		if answer.Grant == schema.GrantRedeemed {
			w.learnTokens(t, c, schema.AccountID(answer.ID))
		}
	case *schema.RefreshGrant:
		w.tokens = append(w.tokens, *c)
		if answer.Grant == schema.GrantRedeemed && coin(t) {
			w.plan = append(w.plan, w.refreshed(t, c.Partner, c.Family, pick(t, c.Refresh, c.Refresh, c.Token)))
		}
	}
}

// learnApproval plans that a code is redeemed, maybe just before or after its end, or after something happened that forbids it.
func (w *peopleWorld) learnApproval(t *dice, c *schema.AuthorizePartner) {
	redeem := w.redemption(c)
	w.codes = append(w.codes, redeem)
	a := *w.known(c.Account)
	switch chance(t, 14) {
	case 0:
		return
	case 1:
		unverified := a
		unverified.Verified = false
		w.plan = append(w.plan, moment{cmd: &schema.SetAccount{Account: unverified}}, moment{cmd: &redeem}, moment{cmd: &schema.SetAccount{Account: a}})
		return
	case 2:
		frozen := a
		frozen.RestrictedUntil = w.now + aDay
		w.plan = append(w.plan, moment{cmd: &schema.SetAccount{Account: frozen}}, moment{cmd: &redeem}, moment{cmd: &schema.SetAccount{Account: a}})
		return
	}
	left := schema.MaxKeys
	for _, k := range w.oracle.Keys() {
		if k.Account == a.ID && !k.Web {
			left--
		}
		if k.Account == a.ID && k.Partner == c.Partner && coin(t) {
			w.plan = append(w.plan, moment{cmd: w.take(k)})
		}
	}
	if left < 6 && coin(t) {
		for range left {
			w.drawn++
			w.plan = append(w.plan, moment{cmd: &schema.OpenKey{
				By: a.ID, Account: a.ID, External: fmt.Sprint("e", w.drawn), Key: fmt.Sprint("p", w.drawn), Sealed: []byte("s"), Type: schema.KeyMoney, Title: "t",
			}})
		}
	}
	m := moment{cmd: &redeem}
	if chance(t, 8) == 0 { // something is not as it was approved
		switch chance(t, 3) {
		case 0:
			redeem.Partner = w.partnerID(t)
		case 1:
			redeem.Redirect += "/"
		case 2:
			redeem.Challenge = pick(t, w.fresh(), schema.Digest{})
		}
	}
	switch chance(t, 10) {
	case 0, 1:
		m.at = w.now + 60*schema.Second + schema.Time(chance(t, 3)-1)
	case 2, 3, 4:
		m.cmd = w.redeem(t)
	}
	w.plan = append(w.plan, m)
}

// learnTokens plans what a client does with what it was given: it fetches the secret, refreshes, or somebody sends the code again.
func (w *peopleWorld) learnTokens(t *dice, c *schema.RedeemGrant, account schema.AccountID) {
	take := moment{cmd: &schema.TakeSecret{Account: account, Partner: c.Partner, External: c.External, Token: c.Access}}
	again := *c
	again.Access, again.Family, again.Refresh, again.External = w.fresh(), w.fresh(), w.fresh(), c.External+"r"
	if chance(t, 6) == 0 {
		again.Partner = w.partnerID(t)
	}
	switch chance(t, 8) {
	case 0:
		w.plan = append(w.plan, moment{cmd: &again})
	case 1:
		w.plan = append(w.plan, take, moment{cmd: &again})
	case 2:
		w.plan = append(w.plan, take, take)
	case 3:
		if coin(t) { // just before or after the end of the token
			take.at = around(t, w.now+pick(t, 300*schema.Second, 4*anHour))
		}
		other := moment{cmd: &schema.TakeSecret{Account: account, Partner: c.Partner, External: c.External + "r", Token: c.Access}}
		w.plan = append(w.plan, other, take)
	case 4, 5:
		w.plan = append(w.plan, w.refreshed(t, c.Partner, c.Family, c.Refresh))
	case 6:
		end := &schema.RevokePartner{Account: account, Partner: c.Partner, Whole: coin(t)}
		if coin(t) {
			end.External, end.Token = c.External, c.Access
		}
		w.plan = append(w.plan, moment{cmd: end})
	case 7: // it is approved once more
		_, living := w.sessions()
		for _, k := range living {
			if k.Account == account {
				u := w.of(k)
				w.plan = append(w.plan, moment{cmd: &schema.StepUp{Key: k.ID, Generation: u.Generation, Proof: w.right(&u)}},
					moment{from: schema.Origin{Key: k.ID, Once: w.fresh()}, cmd: &schema.AuthorizePartner{
						Account: account, Partner: c.Partner, Code: w.fresh(), Challenge: w.fresh(), Redirect: w.oracle.Partners()[c.Partner-1].URIs[0], Since: w.now,
					}})
				return
			}
		}
	}
}

// refreshed is that a client sends a refresh token, maybe just before or after its end.
func (w *peopleWorld) refreshed(t *dice, p schema.PartnerID, family, token schema.Digest) moment {
	m := moment{cmd: &schema.RefreshGrant{Partner: p, Family: family, Token: token, Access: w.some(t), Refresh: w.some(t)}}
	switch chance(t, 6) {
	case 0, 1:
		m.at = w.now + 600*schema.Second + schema.Time(chance(t, 3)-1)
	case 2:
		m.at = w.now + 300*schema.Second
	}
	return m
}

// redemption is what redeems the code of an approval.
func (w *peopleWorld) redemption(c *schema.AuthorizePartner) schema.RedeemGrant {
	w.drawn++
	return schema.RedeemGrant{
		Partner: c.Partner, Code: c.Code, Redirect: c.Redirect, Challenge: c.Challenge, Access: w.fresh(), Family: w.fresh(), Refresh: w.fresh(),
		External: fmt.Sprint("x", w.drawn), Sealed: []byte("s"),
	}
}

// redeem draws a redemption, mostly of one of the last codes. Rarely something is wrong with it.
func (w *peopleWorld) redeem(t *dice) schema.Command {
	if len(w.codes) == 0 {
		return &schema.RedeemGrant{Partner: w.partnerID(t), Code: w.fresh(), Access: w.fresh()}
	}
	c := w.codes[max(0, len(w.codes)-1-chance(t, 10)/6)]
	switch chance(t, 30) {
	case 0, 1:
		c.Partner = w.partnerID(t)
	case 2:
		c.Redirect += "/"
	case 3, 4, 5, 6, 7, 8:
		c.Redirect = ""
	case 9:
		c.Challenge = pick(t, w.fresh(), schema.Digest{})
	case 10:
		c.Access = w.some(t)
	case 11:
		c.Family = w.some(t)
	case 12:
		c.Refresh = w.some(t)
	case 13:
		keys := append(w.oracle.Keys(), schema.Key{})
		k := keys[chance(t, len(keys))]
		c.External = pick(t, "", k.External, k.Key, strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 129))
	case 14:
		c.Sealed = nil
	case 15:
		c.Code = w.some(t)
	case 16:
		c.Access, c.Family, c.Refresh = schema.Digest{}, schema.Digest{}, schema.Digest{}
	}
	return &c
}

// refresh draws one that sends the last token, or an older one.
func (w *peopleWorld) refresh(t *dice) schema.Command {
	c := schema.RefreshGrant{Partner: w.partnerID(t), Family: w.fresh(), Token: w.fresh(), Access: w.some(t), Refresh: w.some(t)}
	if len(w.tokens) > 0 {
		old := w.tokens[max(0, len(w.tokens)-1-chance(t, 3))]
		c.Partner, c.Family, c.Token = old.Partner, old.Family, old.Token
	}
	for _, g := range w.oracle.Grants() {
		if g.Refresh != (schema.Digest{}) && chance(t, 3) != 0 {
			c.Partner, c.Family, c.Token = g.Partner, g.Family, g.Refresh
		}
	}
	switch chance(t, 20) {
	case 0:
		c.Partner = w.partnerID(t)
	case 1:
		c.Token = w.some(t)
	case 2:
		c.Family = pick(t, schema.Digest{}, w.fresh())
	case 3:
		c.Refresh = c.Token
	}
	return &c
}

// token is the access token that a client has of an account.
func (w *peopleWorld) token(a schema.AccountID, p schema.PartnerID) schema.Digest {
	for _, g := range w.oracle.Grants() {
		if g.Account == a && g.Partner == p {
			return g.Access
		}
	}
	return schema.Digest{}
}

// take is that a client fetches the secret of its key by the token that it has now, and deletion that it ends the key.
func (w *peopleWorld) take(k schema.Key) *schema.TakeSecret {
	return &schema.TakeSecret{Account: k.Account, Partner: k.Partner, External: k.External, Token: w.token(k.Account, k.Partner)}
}

func (w *peopleWorld) deletion(k schema.Key) *schema.RevokePartner {
	return &schema.RevokePartner{Account: k.Account, Partner: k.Partner, External: k.External, Token: w.token(k.Account, k.Partner)}
}

// revoke draws who ends what: an operator or a person, or a client by its token, mostly the key that there is.
func (w *peopleWorld) revoke(t *dice) schema.Command {
	c := &schema.RevokePartner{Account: w.account(t), Partner: w.partnerID(t), Whole: coin(t)}
	for _, k := range w.oracle.Keys() {
		if k.Partner != 0 && chance(t, 3) == 0 {
			c = w.deletion(k)
		}
	}
	switch chance(t, 5) {
	case 0:
		c.External = pick(t, "", "none")
	case 1:
		c.Token = pick(t, schema.Digest{}, w.some(t))
	case 2:
		c.Account = w.account(t)
	case 3:
		c.Partner = w.partnerID(t)
	}
	return c
}

// takeSecret draws a key that was issued, mostly for the one who asks.
func (w *peopleWorld) takeSecret(t *dice) schema.Command {
	c := &schema.TakeSecret{Account: w.account(t), Partner: w.partnerID(t), External: "none"}
	for _, k := range w.oracle.Keys() {
		if k.Partner != 0 && coin(t) || k.External != "" && rarely(t) {
			c.External = k.External
			if chance(t, 8) != 0 {
				c.Account = k.Account
			}
			if chance(t, 8) != 0 {
				c.Partner = k.Partner
			}
		}
	}
	switch c.Token = w.token(c.Account, c.Partner); chance(t, 8) {
	case 0:
		c.Token = pick(t, schema.Digest{}, w.some(t))
	case 1:
		c.External = "none"
	}
	return c
}
