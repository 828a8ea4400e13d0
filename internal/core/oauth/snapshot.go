package oauth

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the clients, and what accounts gave them.
func (o *OAuth) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagPartners, Name: "clients of OAuth", Version: 1, Write: o.writePartners, Read: o.readPartners},
		{Tag: product.TagGrants, Name: "grants", Version: 1, Write: o.writeGrants, Read: o.readGrants},
	}
}

func (o *OAuth) writePartners(w *product.Writer) {
	for _, p := range o.partners {
		w.Message(p)
	}
}

func (o *OAuth) readPartners(r *product.Reader) error {
	for p, err := range product.Messages[schema.Partner](r) {
		if err != nil {
			return err
		}
		if p.ID != schema.PartnerID(len(o.partners)+1) || o.clients[p.Client] != nil || !valid(p) || len(o.partners) >= schema.MaxPartners {
			return fmt.Errorf("client %d cannot be, or stands in the wrong place", p.ID)
		}
		kept := *p
		o.add(&kept)
	}
	return nil
}

func (o *OAuth) writeGrants(w *product.Writer) {
	for _, a := range o.accounts.All() {
		for _, g := range o.grants[a.ID] {
			w.Message(g)
		}
	}
}

func (o *OAuth) readGrants(r *product.Reader) error {
	var last schema.Grant
	for g, err := range product.Messages[schema.Grant](r) {
		if err != nil {
			return err
		}
		if g.Account < last.Account || g.Account == last.Account && g.Partner <= last.Partner || !o.keepable(g) {
			return fmt.Errorf("what account %d gave client %d cannot be, or stands in the wrong place", g.Account, g.Partner)
		}
		kept := *g
		o.addGrant(&kept)
		last = *g
	}
	return nil
}

// keepable reports whether a grant can be, beside those that were read: whether commands could have left it.
func (o *OAuth) keepable(g *schema.Grant) bool {
	account, p := o.accounts.Get(g.Account), o.Partner(g.Partner)
	if account == nil || account.IsSub() || p == nil || !o.current(g) || len(o.grants[g.Account]) >= schema.MaxGrants {
		return false
	}
	// Scopes only become fewer: a client that has keys issued always did.
	if p.Issues() && (g.Challenge.IsZero() || !g.Family.IsZero()) || !giveable(g.URLs) || g.Redirect == "" || len(g.Redirect) > schema.MaxRedirect || g.Created < 0 {
		return false
	}
	lives := func(token schema.Digest, until schema.Time) bool {
		if token.IsZero() {
			return until == 0
		}
		return until > g.Created
	}
	switch {
	case g.Code.IsZero() || o.codes[g.Code] != nil || !lives(g.Code, g.CodeUntil):
		return false
	case g.Spent == g.Access.IsZero() || o.tokens[g.Access] != nil || !lives(g.Access, g.AccessUntil):
		return false
	case g.Family.IsZero() != g.Refresh.IsZero() || !g.Family.IsZero() && !g.Spent || o.families[g.Family] != nil:
		return false
	}
	return lives(g.Family, g.FamilyUntil) && lives(g.Refresh, g.RefreshUntil)
}

// Verify holds what finds grants against what there is, and the keys of clients against the clients.
func (o *OAuth) Verify() error {
	codes, tokens, families := 0, 0, 0
	for _, a := range o.accounts.All() {
		for _, g := range o.grants[a.ID] {
			codes++
			if o.codes[g.Code] != g || !g.Access.IsZero() && o.tokens[g.Access] != g || !g.Family.IsZero() && o.families[g.Family] != g {
				return fmt.Errorf("oauth: what account %d gave client %d is not found", g.Account, g.Partner)
			}
			if !o.current(g) {
				return fmt.Errorf("oauth: account %d gave client %d something with factors that changed", g.Account, g.Partner)
			}
			if !g.Access.IsZero() {
				tokens++
			}
			if !g.Family.IsZero() {
				families++
			}
		}
	}
	if codes != len(o.codes) || tokens != len(o.tokens) || families != len(o.families) {
		return errors.New("oauth: codes or tokens are found that nobody has")
	}
	for _, k := range o.accounts.Keys() {
		if k.Key.Partner != 0 && !o.issued(&k.Key) {
			return fmt.Errorf("oauth: no client can have the key %d", k.Key.ID)
		}
	}
	return nil
}

// issued reports whether a key can be one that was issued for its client, and is the one that its account has of that.
func (o *OAuth) issued(k *schema.Key) bool {
	return o.Partner(k.Partner) != nil && k.External == k.Key && k.Type == schema.KeyMoney && !k.Web && !o.accounts.Get(k.Account).IsSub() &&
		o.accounts.Issued(k.Account, k.Partner) == k
}
