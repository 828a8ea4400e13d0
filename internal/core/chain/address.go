package chain

import (
	"iter"

	"bourse/internal/schema"
)

// space is the addresses of chains that share them. The place of an address is its index less one.
type space struct {
	schema.Space
	addresses []address
	keys      schema.Keys // without a print: none
	cold      schema.Keys // the same for cold storage
}

type address struct {
	account schema.AccountID
	kind    schema.AddressType
}

// owner is who has addresses of a type in a space.
type owner struct {
	account schema.AccountID
	space   schema.Space
	kind    schema.AddressType
}

// firstAddress is the first address of an owner, and how many there are.
type firstAddress struct {
	index schema.AddressIndex
	count uint32
}

// space of the addresses of a chain.
func (c *Chains) space(id schema.Space) *space {
	for _, s := range c.spaces {
		if s.Space == id {
			return s
		}
	}
	return nil
}

func (s *space) at(i schema.AddressIndex) schema.Address {
	a := s.addresses[i-1]
	return schema.Address{Family: s.Family, Net: s.Net, Index: i, Type: a.kind, Account: a.account}
}

// openAddress gives an account an address. Its number is the core's: two requests at once need not agree on it, and its text follows from it.
func (c *Chains) openAddress(m *schema.OpenAddress) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	if account.IsSub() && !account.Deposits {
		return schema.Refuse(schema.SubNotPermitted)
	}
	if r := c.accounts.CallerNeeds(account.NewAddresses || !m.Fresh); r.Refused() {
		return r
	}
	if m.Asset != 0 { // the address is that of others, too
		asset := c.listing.Asset(m.Asset)
		if asset == nil {
			return schema.Refuse(schema.AssetUnknown)
		}
		if !c.accounts.Offers(asset, account) {
			return schema.Refuse(schema.AssetNotOffered)
		}
	}
	ch := c.find(m.Chain)
	if ch == nil {
		return schema.Refuse(schema.ChainUnknown)
	}
	kind, known := typeOf(ch.Family, m.Type)
	if !known {
		return schema.Refuse(schema.AddressTypeInvalid)
	}
	s, who := c.space(ch.Space()), owner{m.Account, ch.Space(), kind}
	has := c.first[who]
	if has.count > 0 && !m.Fresh {
		a := s.at(has.index)
		c.out.Result.Address = &a
		return schema.Rejection{}
	}
	if has.count >= mostAddresses || len(s.addresses) >= mostIndex {
		return schema.Refuse(schema.AddressesTooMany)
	}
	a := s.at(c.assign(s, m.Account, kind))
	c.out.Result.Address = &a
	c.out.Events.Add(&schema.AddressOpened{Address: a})
	return schema.Rejection{}
}

// assign gives an account the next address of a space.
func (c *Chains) assign(s *space, account schema.AccountID, kind schema.AddressType) schema.AddressIndex {
	s.addresses = append(s.addresses, address{account, kind})
	index, who := schema.AddressIndex(len(s.addresses)), owner{account, s.Space, kind}
	has := c.first[who]
	if has.count == 0 {
		has.index = index
	}
	has.count++
	c.first[who] = has
	return index
}

// typeOf is the type of addresses that was asked for; there is a choice on Bitcoin only, and providers have none.
func typeOf(family schema.Family, asked schema.AddressType) (schema.AddressType, bool) {
	switch {
	case family == 0: // of a provider
		return 0, false
	case family != schema.Bitcoin:
		return 0, asked == 0
	case asked == 0:
		return schema.Bech32, true
	}
	return asked, asked == schema.Bech32 || asked == schema.P2SHSegwit
}

// First is the address of a type that an account got first in a space.
func (c *Chains) First(account schema.AccountID, id schema.Space, kind schema.AddressType) (schema.Address, bool) {
	if kind == 0 {
		kind, _ = typeOf(id.Family, 0)
	}
	has := c.first[owner{account, id, kind}]
	if has.count == 0 {
		return schema.Address{}, false
	}
	return c.space(id).at(has.index), true
}

// Spaces are those in which there can be addresses.
func (c *Chains) Spaces() (list []schema.Space) {
	for _, s := range c.spaces {
		list = append(list, s.Space)
	}
	return list
}

// Addresses are all of a space, by index.
func (c *Chains) Addresses(id schema.Space) iter.Seq[schema.Address] {
	return func(yield func(schema.Address) bool) {
		s := c.space(id)
		if s == nil {
			return
		}
		for i := range s.addresses {
			if !yield(s.at(schema.AddressIndex(i + 1))) {
				return
			}
		}
	}
}
