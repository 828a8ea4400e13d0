package network

import (
	"context"

	"bourse/internal/core"
	"bourse/internal/network/driver"
	"bourse/internal/network/places"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// index says what of a chain is ours: driver.Lookup. Addresses are derived once, the first time that a block is scanned after they were
// opened, and never in the moment in which the log is applied.
type index struct {
	link      *Link
	places    *places.Map
	addresses schema.AddressIndex // that are among the places
	own, cold schema.OwnAddress   // the last of those of the exchange, and of cold storage, that are
	contracts map[string]offered
}

// refresh takes in what the log has. It is called after a block was fetched and before it is scanned: an address that was opened later
// than that cannot have been paid in it. The log is read to its end, for another node may have opened the address: a command that
// changes nothing comes back only after all before it.
func (x *index) refresh(ctx context.Context) error {
	l := x.link
	if _, err := l.submit(ctx, &schema.Tick{}); err != nil {
		return err
	}
	var fresh []driver.Place
	l.o.Node.Read(func(m core.View) {
		for {
			a, known := m.Chains().Address(l.space, x.addresses+1)
			if !known {
				break
			}
			x.addresses++
			fresh = append(fresh, driver.Place{Index: a.Index, Type: a.Type})
		}
		own, cold := schema.Hot, schema.Cold
		if l.space.Family == schema.Bitcoin {
			last := m.Chains().NextPayout() - 1 + schema.OwnAhead
			own, cold = schema.ChangeOf(last), schema.ColdOf(last)
			if x.own == 0 {
				fresh = append(fresh, place(m, l.space, 0, schema.PoolOwn))
			}
		}
		for ; x.own < own; x.own++ {
			fresh = append(fresh, place(m, l.space, 0, x.own+1))
		}
		if l.keys.Cold == nil {
			return
		}
		for x.cold = max(x.cold, schema.Cold-1); x.cold < cold; x.cold++ {
			fresh = append(fresh, place(m, l.space, 0, x.cold+1))
		}
	})
	for _, p := range fresh {
		text, _, err := l.text(p)
		if err != nil {
			return err
		}
		key, err := l.o.Driver.Key(text)
		if err != nil {
			return err
		}
		if err := x.places.Add(key, p); err != nil {
			return err
		}
	}
	x.contracts = map[string]offered{}
	list, _ := l.assets()
	for _, a := range list {
		if a.contract == "" {
			continue
		}
		key, err := l.o.Driver.Key(a.contract)
		if err != nil {
			return err
		}
		x.contracts[string(key)] = a
	}
	return nil
}

// Place of the address with a key.
func (x *index) Place(key []byte) (driver.Place, bool) { return x.places.Place(key) }

// Contract reports whether a token is listed.
func (x *index) Contract(key []byte) bool {
	_, listed := x.contracts[string(key)]
	return listed
}

// scan is the lookup for one block. It takes in what the log has when it is asked for the first time: the block is fetched by then.
type scan struct {
	*index
	ctx   context.Context
	fresh bool
	err   error
}

func (s *scan) refresh() {
	if !s.fresh {
		s.fresh, s.err = true, s.index.refresh(s.ctx)
	}
}

// Place of the address with a key.
func (s *scan) Place(key []byte) (driver.Place, bool) {
	s.refresh()
	return s.index.Place(key)
}

// Contract reports whether a token is listed.
func (s *scan) Contract(key []byte) bool {
	s.refresh()
	return s.index.Contract(key)
}

// Coin reports whether an output is one of our coins.
func (s *scan) Coin(key []byte) bool {
	s.refresh()
	return Coins{s.link.o.Node, s.link.id}.Coin(key)
}

// Coins finds coins of ours on a chain.
type Coins struct {
	Node  *node.Node
	Chain schema.ChainID
}

// Coin reports whether the output with a key is one that the log has as unspent.
func (c Coins) Coin(key []byte) (ours bool) {
	c.Node.Read(func(m core.View) { _, ours = coin(m, c.Chain, key) })
	return ours
}

// coin is the unspent coin of ours with a key.
func coin(m core.View, on schema.ChainID, key []byte) (id string, ours bool) {
	prefix, ok := driver.CoinPrefix(key)
	if !ok || !m.Chains().MayBeCoin(on, prefix) {
		return "", false
	}
	id, _ = driver.CoinID(key)
	_, _, ours = m.Chains().Coin(on, id)
	return id, ours
}
