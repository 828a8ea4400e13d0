package oauth_test

import (
	"fmt"
	"testing"

	"bourse/internal/core"
	"bourse/internal/schema"
)

func TestTokensAreRefreshed(t *testing.T) {
	w := reading(t)
	w.now += 600*schema.Second - 1
	if r := w.do(refresh(1, 2), schema.OK); r.Grant != schema.GrantRedeemed || r.ID != uint64(ada) {
		t.Errorf("the result is %+v", r)
	}
	if g := w.grant(reader); g.Access != digest(1002) || g.AccessUntil != w.now+300*schema.Second || g.Refresh != digest(3002) || g.RefreshUntil != w.now+600*schema.Second ||
		g.Family != digest(2001) || g.FamilyUntil != start+30*day {
		t.Errorf("the grant is %+v", g)
	}
	for name, c := range map[string]struct {
		change func(*world, *schema.RefreshGrant)
		want   schema.Reason
	}{
		"another client":       {func(_ *world, m *schema.RefreshGrant) { m.Partner = issuer }, schema.GrantUnknown},
		"an unknown client":    {func(_ *world, m *schema.RefreshGrant) { m.Partner = 9 }, schema.PartnerUnknown},
		"another family":       {func(_ *world, m *schema.RefreshGrant) { m.Family = digest(2002) }, schema.GrantUnknown},
		"no family":            {func(_ *world, m *schema.RefreshGrant) { m.Family = schema.Digest{} }, schema.GrantUnknown},
		"too late":             {func(w *world, _ *schema.RefreshGrant) { w.now += 600 * schema.Second }, schema.GrantUnknown},
		"no access token":      {func(_ *world, m *schema.RefreshGrant) { m.Access = schema.Digest{} }, schema.GrantInvalid},
		"no refresh token":     {func(_ *world, m *schema.RefreshGrant) { m.Refresh = schema.Digest{} }, schema.GrantInvalid},
		"the same again":       {func(_ *world, m *schema.RefreshGrant) { m.Refresh = m.Token }, schema.GrantInvalid},
		"an access token of's": {func(_ *world, m *schema.RefreshGrant) { m.Access = digest(1002) }, schema.GrantInvalid},
		"a client that is off": {func(w *world, _ *schema.RefreshGrant) { w.off(reader) }, schema.PartnerUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			again, err := core.Restore(w.Snapshot())
			if err != nil {
				t.Fatal(err)
			}
			tried := &world{t: t, Machine: again, now: w.now}
			m := refresh(2, 3)
			c.change(tried, m)
			tried.do(m, c.want)
			tried.has(reader, true, false)
		})
	}
}

// A refresh token that comes again ends all that followed it.
func TestARefreshTokenThatComesAgain(t *testing.T) {
	w := reading(t)
	w.do(refresh(1, 2), schema.OK)
	w.do(refresh(2, 3), schema.OK)
	if r := w.do(refresh(1, 4), schema.OK); r.Grant != schema.GrantReplayed {
		t.Errorf("the result is %+v", r)
	}
	w.has(reader, false, false)
	w.do(refresh(3, 4), schema.GrantUnknown)
}

// However often they are refreshed, tokens end with their family after 30 days.
func TestAFamilyEnds(t *testing.T) {
	w := reading(t)
	until := start + 30*day
	token := 1
	for w.now = start; w.now+599*schema.Second < until; token++ {
		w.now += 599 * schema.Second
		if r := w.Apply(w.now, refresh(token, token+1)); r.Result.Grant != schema.GrantRedeemed {
			t.Fatalf("at %d: %+v", w.now, r.Result)
		}
	}
	w.now = until - 1
	w.do(refresh(token, token+1), schema.OK)
	if g := w.grant(reader); g.AccessUntil != until {
		t.Errorf("the access token lives until %d, the family until %d", g.AccessUntil, until)
	}
	w.now = until
	w.do(refresh(token+1, token+2), schema.GrantUnknown)
}

// take is that the issuer fetches the secret of the key that a code gave, by the token that it gave.
func take(code int) *schema.TakeSecret {
	return &schema.TakeSecret{Account: ada, Partner: issuer, External: fmt.Sprintf("key-%d", code), Token: digest(code + 1000)}
}

func TestASecretIsTakenOnce(t *testing.T) {
	w := issued(t)
	for name, c := range map[string]struct {
		change func(*schema.TakeSecret)
		want   schema.Reason
	}{
		"an unknown account": {func(m *schema.TakeSecret) { m.Account = 99 }, schema.AccountUnknown},
		"no client":          {func(m *schema.TakeSecret) { m.Partner = 0 }, schema.PartnerUnknown},
		"another key":        {func(m *schema.TakeSecret) { m.External = "key-2" }, schema.KeyUnknown},
		"no token":           {func(m *schema.TakeSecret) { m.Token = schema.Digest{} }, schema.GrantUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			m := take(1)
			c.change(m)
			w.do(m, c.want)
		})
	}
	w.t = t
	w.off(issuer)
	w.do(take(1), schema.PartnerUnknown)
	w.do(client(func(p *schema.Partner) { p.ID = issuer }), schema.OK)
	w.do(take(1), schema.OK)
	if !w.key(issuer).SecretTaken {
		t.Error("nothing is noted")
	}
	w.do(take(1), schema.SecretTaken)
}

// What a client asks for by a token is judged where it stands in the log: the door may have let a token through that ended since.
func TestTokensAreJudgedAtTheirPlace(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(w *world, token *schema.Digest)
		take, delete schema.Reason
	}{
		"nothing":           {func(*world, *schema.Digest) {}, schema.OK, schema.OK},
		"its last moment":   {func(w *world, _ *schema.Digest) { w.now += 4*hour - 1 }, schema.OK, schema.OK},
		"its end":           {func(w *world, _ *schema.Digest) { w.now += 4 * hour }, schema.GrantUnknown, schema.GrantUnknown},
		"an unknown token":  {func(_ *world, d *schema.Digest) { *d = digest(1) }, schema.GrantUnknown, schema.GrantUnknown},
		"a token of before": {func(w *world, _ *schema.Digest) { w.approves(w.approve(issuer, 2), schema.OK) }, schema.GrantUnknown, schema.GrantUnknown},
		"another client's": {func(w *world, d *schema.Digest) {
			w.approves(w.approve(reader, 2), schema.OK)
			w.redeems(redeem(reader, 2), schema.GrantRedeemed)
			*d = digest(1002)
		}, schema.GrantUnknown, schema.GrantUnknown},
		"another account's": {func(w *world, d *schema.Digest) {
			m := w.approve(issuer, 2)
			m.Account = ben
			w.approves(m, schema.OK)
			w.redeems(redeem(issuer, 2), schema.GrantRedeemed)
			*d = digest(1002)
		}, schema.GrantUnknown, schema.GrantUnknown},
		"a code that came again": {func(w *world, _ *schema.Digest) {
			w.do(take(1), schema.OK) // so that the key stays
			w.redeems(redeem(issuer, 1), schema.GrantReplayed)
		}, schema.GrantUnknown, schema.GrantUnknown},
		"a client that is off": {func(w *world, _ *schema.Digest) { w.off(issuer) }, schema.PartnerUnknown, schema.PartnerUnknown},
		"a scope less": {func(w *world, _ *schema.Digest) {
			w.do(client(func(p *schema.Partner) {
				p.ID, p.Scopes = issuer, []string{schema.ScopeCreateKey, schema.ScopeDeleteKey}
			}), schema.OK)
		}, schema.GrantUnknown, schema.OK},
		"another scope less": {func(w *world, _ *schema.Digest) {
			w.do(client(func(p *schema.Partner) { p.ID, p.Scopes = issuer, []string{schema.ScopeCreateKey, schema.ScopeReadKey} }), schema.OK)
		}, schema.OK, schema.GrantUnknown},
		"a block": {func(w *world, _ *schema.Digest) { w.account(func(a *schema.Account) { a.Blocked = true }) }, schema.AccountBlocked, schema.GrantUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			w, token := issued(t), digest(1001)
			c.change(w, &token)
			secret := take(1)
			secret.Token = token
			w.do(secret, c.take)
			w.do(&schema.RevokePartner{Account: ada, Partner: issuer, External: "key-1", Token: token}, c.delete)
			if c.delete == schema.OK {
				w.has(issuer, true, false)
			}
		})
	}
}
