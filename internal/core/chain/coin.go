package chain

import (
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// holding is a coin: something that the exchange has on a chain of others. On Bitcoin it is an output, elsewhere the balance of an
// address.
//
// What must hold: what is in blocks of an asset (lane.coins) is the sum of its unspent coins that are in a block, also in the middle of
// the work after one. A coin that a payout may spend is reserved by it, and by no other, until the payout is over. A reserved coin is
// never dropped: if its block goes it waits without one, as what a child spends does from its plan on; while its payout is in a block the
// coin is in the payout's own list, and comes back from there.
type holding struct {
	schema.Coin
	slab.Links
	asset schema.AssetID
	by    schema.PayoutID // that reserves it; 0: none
	since uint64          // height of the chain when its block went, while it is in none
}

// holdingKey names a coin on its chain.
type holdingKey struct {
	asset schema.AssetID
	id    string
}

// site is an address that coins are at: of a customer, or of the exchange itself.
type site struct {
	index schema.AddressIndex
	own   schema.OwnAddress
}

// key of the balance of an address.
func (s site) key(asset schema.AssetID) holdingKey {
	return holdingKey{asset, schema.BalanceID(s.index, s.own)}
}

// validSite reports whether an address can pay where there are accounts instead of coins.
func (c *Chains) validSite(ch *chain, s site) bool {
	return (s.index != 0) != (s.own != 0) && (s.own <= schema.Hot || c.isCold(ch, s.own)) && int(s.index) <= len(c.space(ch.Space()).addresses)
}

// validOwn reports whether somebody can have paid to an address of the exchange itself: it must be one that was ever named, also by a log
// that was lost.
func (c *Chains) validOwn(ch *chain, own schema.OwnAddress) bool {
	switch {
	case own.IsCold():
		return c.isCold(ch, own)
	case ch.Driver == schema.BitcoinNode:
		return own <= schema.ChangeOf(c.lastPayout+schema.OwnAhead) || own == schema.PoolOwn
	}
	return own <= schema.Hot
}

// holding is a coin, or nil.
func (c *Chains) holding(ch *chain, key holdingKey) *holding {
	place, known := ch.holdings[key]
	if !known {
		return nil
	}
	return c.holdings.At(place)
}

// unspent reports whether a coin is in a block, and no payout that is in one spent it.
func (ch *chain) unspent(h *holding) bool {
	at, there := ch.findLane(h.asset)
	return h.Height != 0 && there && h.Where == &ch.lanes[at].unspent
}

// taken reports whether there is an output with a name already that is in a block, or was until a payout spent it. One that is in none
// comes back as what it was: an output is of one asset.
func (c *Chains) taken(ch *chain, key holdingKey) bool {
	return ch.Driver == schema.BitcoinNode && slices.ContainsFunc(ch.lanes, func(l *lane) bool {
		h := c.holding(ch, holdingKey{l.asset, key.id})
		return h != nil && (h.Height != 0 || l.asset != key.asset)
	})
}

// receive takes in what a receipt brought.
func (c *Chains) receive(ch *chain, l *lane, r *schema.Receipt, height uint64) {
	if ch.Driver == schema.BitcoinNode {
		c.gain(ch, l, schema.Coin{ID: r.ID, Amount: r.Amount, Height: height, Index: r.Index, Own: r.Own})
	} else {
		c.adjust(ch, l, site{r.Index, r.Own}, r.Amount)
	}
}

// unreceive takes away what the receipt of a deposit brought.
func (c *Chains) unreceive(ch *chain, l *lane, d *deposit) {
	if ch.Driver == schema.BitcoinNode {
		c.unseat(ch, ch.holdings[holdingKey{l.asset, d.Receipt}])
	} else {
		c.adjust(ch, l, site{d.Index, d.own}, d.Amount.Neg())
	}
}

// gain puts an output into a block; one that a payout waits for has been there before.
func (c *Chains) gain(ch *chain, l *lane, seated schema.Coin) {
	key := holdingKey{l.asset, seated.ID}
	l.count(seated.Own, seated.Amount)
	if h := c.holding(ch, key); h != nil {
		h.Coin, h.since = seated, 0
		return
	}
	c.keep(ch, &l.unspent, holding{Coin: seated, asset: l.asset})
}

// keep puts a coin that was not there into a list.
func (c *Chains) keep(ch *chain, in *slab.List, h holding) {
	place, at := c.holdings.Take()
	*at = h
	c.holdings.Push(in, place)
	ch.holdings[holdingKey{h.asset, h.ID}] = place
	ch.prefixes[schema.CoinPrefix(h.ID)]++
}

// unseat takes an output out of its block. It is gone unless a payout waits for it.
func (c *Chains) unseat(ch *chain, place uint32) {
	h := c.holdings.At(place)
	ch.lane(h.asset).count(h.Own, h.Amount.Neg())
	if h.by == 0 {
		c.lay(ch, place)
		return
	}
	h.Height, h.since = 0, ch.cursor.height
}

// lay drops a coin.
func (c *Chains) lay(ch *chain, place uint32) {
	h := c.holdings.At(place)
	delete(ch.holdings, holdingKey{h.asset, h.ID})
	prefix := schema.CoinPrefix(h.ID)
	if ch.prefixes[prefix]--; ch.prefixes[prefix] == 0 {
		delete(ch.prefixes, prefix)
	}
	c.holdings.Pull(place)
	c.holdings.Give(place)
}

// adjust changes the balance of an address.
func (c *Chains) adjust(ch *chain, l *lane, s site, by fixed.Decimal) {
	key := s.key(l.asset)
	h := c.holding(ch, key)
	l.count(s.own, by)
	switch {
	case by.IsZero():
	case h == nil:
		c.keep(ch, &l.unspent, holding{Coin: schema.Coin{ID: key.id, Amount: by, Index: s.index, Own: s.own}, asset: l.asset})
	default:
		if h.Amount = h.Amount.Add(by); h.Amount.IsZero() {
			c.lay(ch, ch.holdings[key])
		}
	}
}

// balance of an address.
func (c *Chains) balance(ch *chain, asset schema.AssetID, s site) fixed.Decimal {
	if h := c.holding(ch, s.key(asset)); h != nil {
		return h.Amount
	}
	return fixed.Zero
}

// available is what the payouts under way leave of the balance of an address, at their dearest.
func (c *Chains) available(ch *chain, asset schema.AssetID, s site) fixed.Decimal {
	left := c.balance(ch, asset, s)
	for _, p := range ch.payouts {
		if p.mined() || p.site() != s {
			continue
		}
		if p.Asset == asset {
			left = left.Sub(c.amount(p))
		}
		if p.native == asset {
			left = left.Sub(p.dearest())
		}
	}
	return left
}

// spendable reports whether a new payout may spend a coin: it is free, in a block that is deep enough.
func (c *Chains) spendable(ch *chain, native schema.AssetID, h *holding) bool {
	depth, _ := c.depths(ch, native)
	return c.free(ch, h) && h.Height <= ch.cursor.height && ch.depth(h.Height) >= depth
}

// free reports whether a new payout may spend a coin now or once its block is deep enough: no payout reserves it, and no operator holds
// it back.
func (c *Chains) free(ch *chain, h *holding) bool {
	if !ch.unspent(h) || h.by != 0 {
		return false
	}
	place, known := ch.receipts[h.ID]
	return !known || c.deposits.At(place).Status != schema.DepositFrozen
}

// release lets go of what a payout reserved and did not spend. What is in no block is gone.
func (c *Chains) release(ch *chain, p *payout) {
	for i := range p.Variants {
		for _, id := range p.Variants[i].Inputs {
			place, known := ch.holdings[holdingKey{p.Asset, id}]
			if !known {
				continue
			}
			switch h := c.holdings.At(place); {
			case h.by != p.ID:
			case h.Height == 0:
				c.lay(ch, place)
			default:
				h.by = 0
			}
		}
	}
}
