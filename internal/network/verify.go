package network

import (
	"context"
	"errors"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Verification is what came out when the books of an exchange that does not run were held against a chain, in the block where it stopped.
type Verification struct {
	Audit
	Tip uint64 // where the node stands
	// Foreign are transactions of later blocks that spend what is ours and that the log has no plan of.
	Foreign []string
}

// Books are those of an exchange that does not run.
type Books struct {
	View  core.View
	Key   *seal.Key
	Chain schema.Chain
	// Progress hears how many blocks, and then how many holdings, of how many were looked at.
	Progress func(done, total uint64)
}

// Verify holds books against a chain. A node of a chain of accounts is asked for the block where the exchange stopped, as long as it knows the
// balances of that. One of a chain of coins answers for its last block only: what the blocks in between spent was there.
func Verify(ctx context.Context, b Books, d driver.Chain) (*Verification, error) {
	if err := d.Check(ctx); err != nil {
		return nil, err
	}
	v := &verifier{Books: b, driver: d, coins: b.Chain.Family == schema.Bitcoin, whole: new(Verification)}
	if v.whole.At.Height, v.whole.At.Hash = b.View.Chains().Cursor(b.Chain.ID); v.whole.At == (driver.Point{}) {
		return nil, errors.New("the exchange has no block of it yet: there is nothing to hold against it")
	}
	if err := v.list(); err != nil {
		return nil, err
	}
	if err := v.advance(ctx); err != nil {
		return nil, err
	}
	return v.whole, v.hold(ctx)
}

// verifier is a verification under way.
type verifier struct {
	Books
	driver driver.Chain
	coins  bool // the chain has coins, not accounts
	assets []offered
	ours   []owned
	places map[string]driver.Place // of accounts that have something, by their key
	whole  *Verification
	asked  driver.Point    // the block that the node is asked about
	spent  map[string]bool // coins, in blocks up to that one
}

// owned is something that the books have on the chain.
type owned struct {
	asset  int // among those that are offered there
	amount fixed.Decimal
	driver.Holding
}

// list lists what the books have.
func (v *verifier) list() error {
	space := v.Chain.Space()
	var keys custody.Ring
	read := func(look func(core.View)) { look(v.View) }
	var err error
	if keys.Hot, err = PublicKeys(read, v.Key, space, false); err != nil {
		return err
	}
	if keys.Cold, err = PublicKeys(read, v.Key, space, true); err != nil {
		return err
	}
	v.assets, v.places = offeredOn(v.View, v.Chain.ID), map[string]driver.Place{}
	for i := range v.assets {
		a := &v.assets[i]
		for h := range holdings(v.View, v.Chain.ID, space, a.id) {
			what, err := h.question(keys, a)
			if err != nil {
				return err
			}
			if !v.coins {
				key, err := v.driver.Key(what.Address)
				if err != nil {
					return err
				}
				v.places[string(key)] = h.at
			}
			v.ours = append(v.ours, owned{i, h.Amount, what})
		}
	}
	return nil
}

// advance reads what was spent since the block of the audit, up to where the node stands now.
func (v *verifier) advance(ctx context.Context) error {
	for range mostTries {
		whole, err := v.read(ctx)
		if whole || err != nil {
			return err
		}
	}
	return errRestless
}

// mostTries is how often a node is asked the same before it is held to be out of order.
const mostTries = 10

var errRestless = errors.New("its node goes another way again and again")

// read reads the blocks since the audit. It is false if the chain went another way meanwhile.
func (v *verifier) read(ctx context.Context) (whole bool, err error) {
	from := v.whole.At
	tip, err := v.driver.Tip(ctx)
	if err != nil {
		return false, err
	}
	stands, known, err := v.driver.At(ctx, from.Height)
	switch {
	case err != nil:
		return false, err
	case !known:
		return false, fmt.Errorf("its node stands at block %d, and the exchange was at %d: wait until the node has caught up", tip.Height, from.Height)
	case stands != from:
		return false, fmt.Errorf("its node has another block %d than the exchange took: start the exchange, which goes back by itself, stop it, and verify again", from.Height)
	}
	v.whole.Tip, v.whole.Foreign, v.asked, v.spent = tip.Height, nil, from, map[string]bool{}
	last := from
	for last.Height < tip.Height {
		next, known, err := v.driver.At(ctx, last.Height+1)
		if err != nil || !known {
			return false, err
		}
		block, err := v.driver.Block(ctx, next, v)
		switch {
		case errors.Is(err, driver.ErrMoved):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("block %d: %w", next.Height, err)
		case block.Parent != last.Hash:
			return false, nil
		}
		for _, s := range block.Spends {
			if !planned(v.View, v.Chain.ID, s.Tx) {
				v.whole.Foreign = append(v.whole.Foreign, s.Tx)
			}
		}
		last = next
		v.Progress(last.Height-from.Height, tip.Height-from.Height)
	}
	if v.coins {
		v.asked = last
	}
	return true, nil
}

// planned reports whether a transaction is one that the log has signed.
func planned(m core.View, chain schema.ChainID, tx string) bool {
	id, variant, known := m.Chains().PayoutOf(chain, tx)
	if !known {
		return false
	}
	p, known := m.Chains().Payout(id)
	return known && len(p.Variants[variant].Raw) > 0
}

// Place makes it the lookup of blocks that the exchange does not have yet: what they pay is not looked for, only who pays.
func (v *verifier) Place(key []byte) (driver.Place, bool) {
	p, ours := v.places[string(key)]
	return p, ours
}

// Contract implements driver.Lookup.
func (*verifier) Contract([]byte) bool { return false }

// Coin implements driver.Lookup.
func (v *verifier) Coin(key []byte) bool {
	id, ours := coin(v.View, v.Chain.ID, key)
	if ours {
		v.spent[id] = true
	}
	return ours
}

// hold holds everything that the books have against the node.
func (v *verifier) hold(ctx context.Context) error {
	v.whole.Assets = make([]AssetAudit, len(v.assets))
	for i := range v.assets {
		v.whole.Assets[i].Asset, v.whole.Assets[i].Ticker = v.assets[i].id, v.assets[i].ticker
	}
	for i := range v.ours {
		o := &v.ours[i]
		has, err := v.had(ctx, o)
		if err != nil {
			return err
		}
		v.whole.Assets[o.asset].add(o.Holding, o.amount, has)
		v.Progress(uint64(i+1), uint64(len(v.ours)))
	}
	return nil
}

// had is what a holding was worth in the block of the audit. What the node's blocks spend that come while it is asked is read first.
func (v *verifier) had(ctx context.Context, o *owned) (fixed.Decimal, error) {
	for range mostTries {
		has, err := v.driver.Holds(ctx, v.asked, o.Holding)
		switch {
		case errors.Is(err, driver.ErrMoved):
			if err := v.advance(ctx); err != nil {
				return fixed.Decimal{}, err
			}
		case err == nil && v.spent[o.ID]:
			return o.amount, nil
		default:
			return has, err
		}
	}
	return fixed.Decimal{}, errRestless
}
