package network

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"bourse/internal/core"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Who is paid by a transaction may spend what it pays in one that is large and pays little: then a node takes another variant only if that
// pays more than both. So the exchange spends what came back to itself, in a child that pays for its parent too: nobody else can spend that.

// fate is what the node said about a variant when it was sent last, since the last block.
type fate struct {
	payout  schema.PayoutID
	variant int
}

// parent is the payout whose change one was planned to spend; 0: it is no child, as where there are accounts instead of coins.
func (l *Link) parent(id schema.PayoutID) (parent schema.PayoutID) {
	if l.space.Family == schema.Bitcoin {
		l.o.Node.Read(func(m core.View) { parent = m.Chains().Parent(id) })
	}
	return parent
}

// resend gives the node everything that is signed and in no block. The children of a variant follow it at once: where another variant is worth
// less than both, the node keeps them. It says which payouts could not be sent.
func (l *Link) resend(ctx context.Context, all []schema.Payout) (problems map[schema.PayoutID]error) {
	clear(l.fates)
	problems = map[schema.PayoutID]error{}
	children := map[string][]*schema.Payout{} // by the transaction that they spend from, where that is sent here as well
	var others []*schema.Payout
	for i := range all {
		p := &all[i]
		if of := l.parent(p.ID); of != 0 && slices.ContainsFunc(all, func(q schema.Payout) bool { return q.ID == of }) {
			tx := schema.TxOf(p.Variants[0].Inputs[0])
			children[tx] = append(children[tx], p)
		} else {
			others = append(others, p)
		}
	}
	for _, p := range others {
		for i := range p.Variants {
			if err := l.send(ctx, p, i); err != nil {
				problems[p.ID] = err
				break
			}
			for _, child := range children[p.Variants[i].Tx] {
				for k := range child.Variants {
					if err := l.send(ctx, child, k); err != nil {
						problems[child.ID] = err
						break
					}
				}
			}
		}
	}
	return problems
}

// pinned is the variant of a payout that the node has although it was given a later one that bids more, which it holds to be too cheap; none: -1.
// What operators give up should pay nobody, and one that pays only ourselves cannot be pinned.
func (l *Link) pinned(p *schema.Payout) int {
	last := len(p.Variants) - 1
	if l.space.Family != schema.Bitcoin || l.fates[fate{p.ID, last}] != driver.Cheap || l.parent(p.ID) != 0 || p.GivingUp {
		return -1
	}
	for i := last - 1; i >= 0; i-- {
		if l.fates[fate{p.ID, i}] == driver.Accepted {
			return i
		}
	}
	return -1
}

// hasChild reports whether a payout has a child that bids for it: one that the node has, or that waits for a signature, no longer than a
// variant waits for a block. What operators give up bids itself.
func (l *Link) hasChild(p *schema.Payout, all []schema.Payout, height uint64) bool {
	return !p.GivingUp && slices.ContainsFunc(all, func(q schema.Payout) bool {
		if l.parent(q.ID) != p.ID {
			return false
		}
		for i := range q.Variants {
			if f := l.fates[fate{q.ID, i}]; f == driver.Accepted || f == 0 && height < q.Variants[i].Height+l.o.Bump {
				return true
			}
		}
		return false
	})
}

// addChild plans a child of a variant that the node has: it spends all change of that, and pays what brings both to the rate that a later variant
// should have had. It is false if there is none to plan: the variant has no change, that is not worth it, or another child has it.
func (l *Link) addChild(ctx context.Context, p *schema.Payout, variant int) (planned bool, err error) {
	v, c := &p.Variants[variant], l.settings()
	rate, err := l.childRate(ctx, p, v, c.FeeRateMax)
	if err != nil || rate == 0 || l.o.Signer == nil {
		return false, err
	}
	next := l.next()
	o := &driver.Order{Chain: &c, Rate: rate}
	if o.Parent, err = l.parentOf(v); err != nil {
		return false, err
	}
	if o.Change, _, err = l.text(driver.Place{Own: schema.ChangeOf(next), Type: schema.Bech32}); err != nil {
		return false, err
	}
	if o.Coins, err = l.changeOf(p, v); err != nil {
		return false, err
	}
	o.Must = len(o.Coins)
	draft, err := l.o.Driver.Compose(ctx, o)
	if errors.Is(err, driver.ErrFunds) {
		return false, nil
	}
	if err == nil {
		err = l.unspent(ctx, o, draft)
	}
	if err != nil {
		return false, err
	}
	m := l.planned(next, draft)
	m.Asset = p.Asset
	l.o.Log.Info("a payout cannot bid more while somebody spends what it pays: its change pays for it", "payout", p.ID, "child", next, "transaction", v.Tx)
	return true, l.commit(ctx, m)
}

// childRate is the rate that a variant and a child of it should have together: what a variant would bid after the last one, within what the
// operator lets it cost. 0: they would have no more than the variant has.
func (l *Link) childRate(ctx context.Context, p *schema.Payout, v *schema.Variant, most uint64) (uint64, error) {
	_, native := l.assets()
	if native == nil {
		return 0, nil
	}
	rate, err := l.rate(ctx)
	if err != nil {
		return 0, err
	}
	last, err := l.rateOf(&p.Variants[len(p.Variants)-1], native)
	if err != nil {
		return 0, err
	}
	has, err := l.rateOf(v, native)
	if err != nil {
		return 0, err
	}
	if rate = max(rate, last+(last+3)/4); most != 0 {
		rate = min(rate, most)
	}
	if rate <= has {
		return 0, nil
	}
	return rate, nil
}

// changeOf is the change of a variant in no block, as coins; none if another child has it.
func (l *Link) changeOf(p *schema.Payout, v *schema.Variant) (coins []driver.Input, err error) {
	first := 0 // of its outputs that pays ourselves
	if !v.GiveUp {
		first = len(p.Withdrawals)
	}
	for i, out := range v.Outputs {
		if out.Own.IsCold() {
			continue
		}
		coin, taken := driver.Input{ID: schema.OutputID(v.Tx, first+i), Amount: out.Amount}, false
		l.o.Node.Read(func(m core.View) {
			_, _, taken = m.Chains().Coin(l.id, coin.ID)
			coin.Place = place(m, l.space, out.Index, out.Own)
		})
		if taken {
			return nil, nil
		}
		if coin.Address, coin.Public, err = l.text(coin.Place); err != nil {
			return nil, err
		}
		coins = append(coins, coin)
	}
	return coins, nil
}

// parentOf is what an order has to know of a variant in no block whose outputs it spends.
func (l *Link) parentOf(v *schema.Variant) (*driver.Parent, error) {
	size, err := l.o.Driver.Size(v.Raw)
	return &driver.Parent{Size: size, Fee: v.Fee}, err
}

// rateOf is what a signed variant pays for a virtual byte, rounded up.
func (l *Link) rateOf(v *schema.Variant, native *offered) (uint64, error) {
	size, err := l.o.Driver.Size(v.Raw)
	units, fits := driver.UnitsOf(v.Fee, native.decimals)
	if err != nil || size == 0 || !fits {
		return 0, errors.Join(err, errors.New("its rate is not known"))
	}
	of := new(big.Int).SetUint64(size)
	rate, rest := new(big.Int).QuoRem(units, of, new(big.Int))
	if rest.Sign() > 0 {
		rate.Add(rate, big.NewInt(1))
	}
	return rate.Uint64(), nil
}

// withParent gives the order of a variant of a child what it has to know of its parent, if that is in no block. Its change is not divided.
func (l *Link) withParent(o *driver.Order, p *schema.Payout) (err error) {
	of := l.parent(p.ID)
	if of == 0 {
		return nil
	}
	o.Others = nil
	var parent schema.Payout
	var kept bool
	l.o.Node.Read(func(m core.View) { parent, kept = m.Chains().Payout(of) })
	if !kept || parent.Height != 0 {
		return nil
	}
	tx := schema.TxOf(p.Variants[0].Inputs[0])
	at := slices.IndexFunc(parent.Variants, func(v schema.Variant) bool { return v.Tx == tx })
	o.Parent, err = l.parentOf(&parent.Variants[at])
	return err
}

// lacksParent reports whether a payout is a child whose parent, or the variant of that, is in no block: it cannot be sent to a node that has
// another variant, which is no error.
func (l *Link) lacksParent(p *schema.Payout) (lacks bool) {
	if l.parent(p.ID) == 0 {
		return false
	}
	l.o.Node.Read(func(m core.View) {
		_, anchor, _ := m.Chains().Coin(l.id, p.Variants[0].Inputs[0])
		lacks = anchor.Height == 0
	})
	return lacks
}

// bidsForNothing reports whether a child should bid no more: the node has another variant of its parent, or operators gave that up.
func (l *Link) bidsForNothing(p *schema.Payout, all []schema.Payout) bool {
	of := l.parent(p.ID)
	return l.fates[fate{p.ID, len(p.Variants) - 1}] == driver.Conflict && l.lacksParent(p) ||
		of != 0 && slices.ContainsFunc(all, func(q schema.Payout) bool { return q.ID == of && q.GivingUp })
}
