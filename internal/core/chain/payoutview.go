package chain

import (
	"iter"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Point is a block of a chain.
type Point struct {
	Height uint64
	Hash   schema.Digest
}

// Points are the last blocks of a chain, the oldest first: those that it can be rewound to.
func (c *Chains) Points(id schema.ChainID) (list []Point) {
	for _, p := range c.chains[id-1].points {
		list = append(list, Point{p.height, p.hash})
	}
	return list
}

// Native is the asset that fees of a chain are paid in; 0: none is offered.
func (c *Chains) Native(id schema.ChainID) schema.AssetID { return c.native(c.chains[id-1]) }

// Window is how many blocks a coin may be in none before operators may hold it to be gone for good.
func (c *Chains) Window(id schema.ChainID) uint64 {
	ch := c.chains[id-1]
	return c.lossAfter(ch, c.native(ch))
}

// Address of a space.
func (c *Chains) Address(id schema.Space, index schema.AddressIndex) (schema.Address, bool) {
	s := c.space(id)
	if s == nil || index == 0 || int(index) > len(s.addresses) {
		return schema.Address{}, false
	}
	return s.at(index), true
}

// NextPayout is the number of the next payout.
func (c *Chains) NextPayout() schema.PayoutID { return c.lastPayout + 1 }

// NextNonce is the number of the next transaction of an address, where there are accounts instead of coins.
func (c *Chains) NextNonce(id schema.ChainID, index schema.AddressIndex, own schema.OwnAddress) uint64 {
	return c.chains[id-1].nextNonce(site{index, own})
}

// Waiting are the withdrawals of an asset that wait to be sent by a chain, but for those of blocked accounts.
func (c *Chains) Waiting(id schema.ChainID, asset schema.AssetID) iter.Seq[*schema.Withdrawal] {
	return func(yield func(*schema.Withdrawal) bool) {
		ch := c.chains[id-1]
		at, there := ch.findLane(asset)
		if !there {
			return
		}
		for place := ch.lanes[at].queued.First; place != 0; {
			w := c.withdrawals.At(place)
			if !c.accounts.Barred(w.Account) && !yield(&w.Withdrawal) {
				return
			}
			place = w.After
		}
	}
}

// Payouts of a chain that are not over, by number.
func (c *Chains) Payouts(id schema.ChainID) iter.Seq[*schema.Payout] {
	return func(yield func(*schema.Payout) bool) {
		for _, p := range c.chains[id-1].payouts {
			if !yield(&p.Payout) {
				return
			}
		}
	}
}

// Payout is a payout that is not over.
func (c *Chains) Payout(id schema.PayoutID) (schema.Payout, bool) {
	p := c.payouts[id]
	if p == nil {
		return schema.Payout{}, false
	}
	return p.Payout, true
}

// PayoutOf is the variant of a payout that a transaction is, as far as it can be known: on Bitcoin as soon as it is planned, elsewhere
// when it is signed.
func (c *Chains) PayoutOf(id schema.ChainID, tx string) (payout schema.PayoutID, variant uint32, known bool) {
	v, known := c.chains[id-1].txs[tx]
	return v.payout, v.variant, known
}

// Coins are those of an asset that the exchange has on a chain of others, also those that are in no block now and a payout waits for.
func (c *Chains) Coins(id schema.ChainID, asset schema.AssetID) iter.Seq[schema.Coin] {
	return c.coinsThat(id, asset, func(*holding) bool { return true })
}

// Spendable are the coins of an asset that a new payout may spend.
func (c *Chains) Spendable(id schema.ChainID, asset schema.AssetID) iter.Seq[schema.Coin] {
	ch := c.chains[id-1]
	native := c.native(ch)
	return c.coinsThat(id, asset, func(h *holding) bool { return asset == native && c.spendable(ch, native, h) })
}

// Free are the coins of an asset that a new payout may spend, or might if their blocks were deep enough.
func (c *Chains) Free(id schema.ChainID, asset schema.AssetID) iter.Seq[schema.Coin] {
	ch := c.chains[id-1]
	return c.coinsThat(id, asset, func(h *holding) bool { return c.free(ch, h) })
}

func (c *Chains) coinsThat(id schema.ChainID, asset schema.AssetID, are func(*holding) bool) iter.Seq[schema.Coin] {
	return func(yield func(schema.Coin) bool) {
		ch := c.chains[id-1]
		at, there := ch.findLane(asset)
		if !there {
			return
		}
		for place := ch.lanes[at].unspent.First; place != 0; {
			h := c.holdings.At(place)
			if are(h) && !yield(h.Coin) {
				return
			}
			place = h.After
		}
	}
}

// Coin with a name, and its asset. A coin that a payout in a block spent is none any more.
func (c *Chains) Coin(id schema.ChainID, name string) (asset schema.AssetID, coin schema.Coin, known bool) {
	ch := c.chains[id-1]
	for _, l := range ch.lanes {
		if h := c.holding(ch, holdingKey{l.asset, name}); h != nil && h.Where == &l.unspent {
			return l.asset, h.Coin, true
		}
	}
	return 0, schema.Coin{}, false
}

// MayBeCoin reports whether a coin has a prefix (schema.CoinPrefix). Links ask for everything that blocks spend, and nearly all of that is of
// strangers: for these no name must be written and looked up.
func (c *Chains) MayBeCoin(id schema.ChainID, prefix uint64) bool {
	return c.chains[id-1].prefixes[prefix] != 0
}

// Available is what payouts under way leave of the balance of an address, where there are accounts instead of coins.
func (c *Chains) Available(id schema.ChainID, asset schema.AssetID, index schema.AddressIndex, own schema.OwnAddress) fixed.Decimal {
	return c.available(c.chains[id-1], asset, site{index, own})
}

// Balance is what the books have of an asset at an address, where there are accounts instead of coins.
func (c *Chains) Balance(id schema.ChainID, asset schema.AssetID, index schema.AddressIndex, own schema.OwnAddress) fixed.Decimal {
	return c.balance(c.chains[id-1], asset, site{index, own})
}
