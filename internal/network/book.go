// Package network is what the exchange knows of chains beside the core: how the addresses of accounts are written, and whose they are.
package network

import (
	"slices"
	"sync"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/network/sandbox"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Book says how addresses are written, and whose an address is. It hears of every address before the account that it was opened for.
// To derive a text takes too long for the moment in which a batch is committed: that waits until somebody asks.
type Book struct {
	key    *seal.Key
	mu     sync.Mutex // held for moments only: commits wait for it
	spaces map[schema.Space]*space
	// deriving is held by the one who writes fresh addresses down, so that others wait until all are. It is taken before mu.
	deriving sync.Mutex
}

// space is the addresses that chains share. They can be written where all of these are sandboxes, and where none is and the space has
// keys: on a chain that others live on, what is paid to an address of a sandbox is lost.
type space struct {
	sandboxes, others bool
	keys              *schema.Keys               // sealed
	public            *custody.Public            // the same, once somebody asked
	fresh             []schema.Address           // that are not among the owners yet
	owners            map[written]schema.Address // of the one who derives
}

// written is an address as it is known outside.
type written struct{ text, memo string }

// Follow makes a book of the addresses of a node.
func Follow(n *node.Node) *Book {
	b := &Book{key: n.Key(), spaces: map[schema.Space]*space{}}
	n.Watch(b.look, b.changed)
	return b
}

func (b *Book) look(m core.View) {
	for _, c := range m.Chains().All() {
		b.know(&c)
	}
	for _, at := range m.Chains().Spaces() {
		if keys, known := m.Chains().Keys(at, false); known {
			keys.Sealed = slices.Clone(keys.Sealed)
			b.space(at).keys = &keys
		}
		for a := range m.Chains().Addresses(at) {
			s := b.space(at)
			s.fresh = append(s.fresh, a)
		}
	}
}

func (b *Book) changed(event schema.Setting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *schema.ChainChanged:
		b.know(&e.Chain)
	case *schema.KeysChanged:
		if e.Keys.Cold { // which no customer pays to
			return
		}
		keys := e.Keys
		keys.Sealed = slices.Clone(keys.Sealed)
		b.space(keys.Space()).keys = &keys
	case *schema.AddressOpened:
		s := b.space(e.Address.Space())
		s.fresh = append(s.fresh, e.Address)
	}
}

func (b *Book) space(at schema.Space) *space {
	s := b.spaces[at]
	if s == nil {
		s = &space{owners: map[written]schema.Address{}}
		b.spaces[at] = s
	}
	return s
}

// know takes in what hears of a chain, which never changes.
func (b *Book) know(c *schema.Chain) {
	switch s := b.space(c.Space()); c.Driver {
	case schema.Sandbox:
		s.sandboxes = true
	case schema.BitcoinNode, schema.EVMNode:
		s.others = true
	}
}

// Derives reports whether addresses of a space can be written.
func (b *Book) Derives(at schema.Space) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.derives(at)
}

func (b *Book) derives(at schema.Space) bool {
	s := b.spaces[at]
	return s != nil && (s.sandboxes && !s.others || s.others && !s.sandboxes && s.keys != nil)
}

// derive writes an address. Keys are unsealed the first time that somebody asks.
func (b *Book) derive(s *space, a *schema.Address) (text, memo string, err error) {
	b.mu.Lock()
	keys, public := s.keys, s.public
	b.mu.Unlock()
	if keys == nil {
		text, memo = sandbox.Derive(a)
		return text, memo, nil
	}
	if public == nil {
		opened, err := custody.Unseal(keys, b.key)
		if err != nil {
			return "", "", err
		}
		public = &opened
		b.mu.Lock()
		s.public = public
		b.mu.Unlock()
	}
	text, _, err = public.Address(driver.Place{Index: a.Index, Type: a.Type})
	return text, "", err
}

// Text is how an address is written, with its memo where there are memos. It is false where addresses cannot be written.
func (b *Book) Text(a *schema.Address) (text, memo string, ok bool) {
	b.mu.Lock()
	s, derives := b.spaces[a.Space()], b.derives(a.Space())
	b.mu.Unlock()
	if !derives {
		return "", "", false
	}
	text, memo, err := b.derive(s, a)
	return text, memo, err == nil
}

// Own is the address of the exchange itself that is written so: where it is topped up, that of the mining pool, or of cold storage where
// that has one.
func (b *Book) Own(read func(func(core.View)), at schema.Space, text string) (own schema.OwnAddress, ours bool) {
	text, err := address.Parse(at, text)
	if err != nil {
		return 0, false
	}
	for _, candidate := range []schema.OwnAddress{schema.Hot, schema.PoolOwn, schema.Cold} {
		if coins := at.Family == schema.Bitcoin; candidate == schema.PoolOwn && !coins || candidate.IsCold() && coins {
			continue
		}
		keys, err := PublicKeys(read, b.key, at, candidate.IsCold())
		if err != nil || keys == nil {
			continue
		}
		var where driver.Place
		read(func(m core.View) { where = place(m, at, 0, candidate) })
		if written, _, err := keys.Address(where); err == nil && written == text {
			return candidate, true
		}
	}
	return 0, false
}

// Find is the address of an account that is written so, in whichever form of its family.
func (b *Book) Find(at schema.Space, text, memo string) (schema.Address, bool) {
	text, err := address.Parse(at, text)
	if err != nil {
		return schema.Address{}, false
	}
	if !b.Derives(at) {
		return schema.Address{}, false
	}
	b.deriving.Lock()
	defer b.deriving.Unlock()
	b.mu.Lock()
	s := b.spaces[at]
	fresh := s.fresh
	s.fresh = nil
	b.mu.Unlock()
	for i := range fresh {
		text, memo, err := b.derive(s, &fresh[i])
		if err != nil { // nobody's until it can be derived
			b.mu.Lock()
			s.fresh = append(slices.Clone(fresh[i:]), s.fresh...)
			b.mu.Unlock()
			break
		}
		s.owners[written{text, memo}] = fresh[i]
	}
	a, ok := s.owners[written{text, memo}]
	return a, ok
}
