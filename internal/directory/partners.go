package directory

import (
	"net/netip"
	"slices"
	"sync/atomic"

	"bourse/internal/schema"
)

// Partner is a client of OAuth.
type Partner struct {
	schema.Partner
	addresses []netip.Addr
}

// From reports whether the client may call from an address, and the keys that were issued for it be used from there.
func (p *Partner) From(addr netip.Addr) bool { return slices.Contains(p.addresses, addr) }

// partners are the clients of OAuth and what accounts gave them.
type partners struct {
	byID     map[schema.PartnerID]*client
	byClient map[string]*client
	tokens   map[schema.Digest]*schema.Grant
	grants   map[granted]*schema.Grant
}

// client is where the settings of a client are found that hold now: keys that were issued for it point here, so that a change reaches all of
// them at once.
type client struct{ now atomic.Pointer[Partner] }

// granted is who gave something to whom.
type granted struct {
	account schema.AccountID
	partner schema.PartnerID
}

func newPartners() partners {
	return partners{map[schema.PartnerID]*client{}, map[string]*client{}, map[schema.Digest]*schema.Grant{}, map[granted]*schema.Grant{}}
}

func (s *partners) set(p schema.Partner) {
	next := &Partner{Partner: p}
	for _, text := range p.Addresses {
		// Addresses that cannot be read match nobody.
		addr, _ := netip.ParseAddr(text)
		next.addresses = append(next.addresses, addr.Unmap())
	}
	c := s.of(p.ID)
	c.now.Store(next)
	s.byClient[p.Client] = c
}

// of is the place of a client.
func (s *partners) of(id schema.PartnerID) *client {
	c := s.byID[id]
	if c == nil {
		c = &client{}
		s.byID[id] = c
	}
	return c
}

// grant puts in what an account gave a client, in the place of what was known of that.
func (s *partners) grant(g schema.Grant, ended bool) {
	of := granted{g.Account, g.Partner}
	if old := s.grants[of]; old != nil {
		delete(s.tokens, old.Access)
	}
	delete(s.grants, of)
	if ended {
		return
	}
	s.grants[of] = &g
	if !g.Access.IsZero() {
		s.tokens[g.Access] = &g
	}
}

// PartnerByClient is the client of OAuth that is known by an id, or nil.
func (d *Directory) PartnerByClient(id string) *Partner {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if c := d.partners.byClient[id]; c != nil {
		return c.now.Load()
	}
	return nil
}

// Partner is the client of OAuth with an id, or nil.
func (d *Directory) Partner(id schema.PartnerID) *Partner {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if c := d.partners.byID[id]; c != nil {
		return c.now.Load()
	}
	return nil
}

// Token is what was granted to who has the access token with a digest, or nil. Whether it counts now is for others to say.
func (d *Directory) Token(digest schema.Digest) *schema.Grant {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.partners.tokens[digest]
}

// KeyOf is a key with these settings as it could be used now. It signs nothing.
func (d *Directory) KeyOf(k schema.Key) *Key {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.keyOf(k)
}

// keyOf binds a key that was issued for a client to that one.
func (d *Directory) keyOf(k schema.Key) *Key {
	key := &Key{Key: k, Rights: RightsOf(&k)}
	if k.Partner != 0 {
		key.client = d.partners.of(k.Partner)
	}
	return key
}
