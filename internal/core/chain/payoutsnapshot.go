package chain

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// lastRecord is the number of the last payout.
type lastRecord struct{ last schema.PayoutID }

func (r *lastRecord) Fields(c *wire.Coder) { wire.Uint(c, 1, "last", &r.last) }

// payerRecord is an address that paid, as snapshots keep it.
type payerRecord struct {
	chain schema.ChainID
	payer
}

func (r *payerRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Uint(c, 2, "index", &r.index)
	wire.Uint(c, 3, "own", &r.own)
	wire.Uint(c, 4, "next", &r.next)
}

// payoutRecord is a payout as snapshots keep it, besides its coins.
type payoutRecord struct {
	schema.Payout
	native schema.AssetID
	booked fixed.Decimal
	seat   uint32 // among those in blocks of the chain, from 1; 0: it is in none
	parent schema.PayoutID
}

func (r *payoutRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "payout", &r.Payout)
	wire.Uint(c, 2, "native", &r.native)
	c.Decimal(3, "booked", &r.booked)
	wire.Uint(c, 4, "seat", &r.seat)
	wire.Uint(c, 5, "parent", &r.parent)
}

// writePayouts writes three lists: the number of the last payout, the addresses that paid, and the payouts. Where nothing was ever
// planned, and no address of ours sent anything else, there is none.
func (c *Chains) writePayouts(w *product.Writer) {
	if c.lastPayout == 0 && !slices.ContainsFunc(c.chains, func(ch *chain) bool { return len(ch.payers) > 0 }) {
		return
	}
	if c.lastPayout != 0 {
		w.Message(&lastRecord{c.lastPayout})
	}
	w.End()
	for _, ch := range c.chains {
		for _, p := range ch.payers {
			w.Message(&payerRecord{ch.ID, p})
		}
	}
	w.End()
	for _, ch := range c.chains {
		for _, p := range ch.payouts {
			w.Message(&payoutRecord{p.Payout, p.native, p.booked, uint32(slices.Index(ch.mined, p) + 1), p.parent})
		}
	}
}

func (c *Chains) readPayouts(r *product.Reader) error {
	for m, err := range product.Messages[lastRecord](r) {
		if err != nil {
			return err
		}
		if m.last == 0 || c.lastPayout != 0 {
			return errors.New("the last number cannot be, or stands there twice")
		}
		c.lastPayout = m.last
	}
	for m, err := range product.Messages[payerRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || ch.Driver != schema.EVMNode || !c.validSite(ch, m.site) || m.next == 0 || ch.nextNonce(m.site) != 0 {
			return fmt.Errorf("an address that paid: %w", errPlace)
		}
		ch.pay(m.payer)
	}
	seats := map[*payout]uint32{} // only ever asked
	for m, err := range product.Messages[payoutRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.Chain)
		if ch == nil || !c.validPayout(ch, m) {
			return fmt.Errorf("payout %d: %w", m.ID, errPlace)
		}
		p := &payout{Payout: m.Payout, native: m.native, booked: m.booked, parent: m.parent}
		c.payouts[p.ID] = p
		ch.payouts = append(ch.payouts, p)
		for i := range p.Variants {
			if tx := p.Variants[i].Tx; tx != "" {
				ch.txs[tx] = variantKey{p.ID, uint32(i)}
			}
		}
		if seats[p] = m.seat; m.seat != 0 {
			ch.mined = append(ch.mined, p)
		}
	}
	for _, ch := range c.chains {
		slices.SortFunc(ch.mined, func(p, q *payout) int { return int(seats[p]) - int(seats[q]) })
	}
	return nil
}

// validPayout reports whether a payout can be, behind those that were read. What it spends and pays is verified when everything is read.
func (c *Chains) validPayout(ch *chain, m *payoutRecord) bool {
	last, mined := len(ch.payouts)-1, m.Status == schema.PayoutMined || m.Status == schema.PayoutFailed
	switch {
	case !ch.real() || !ch.begun || m.ID == 0 || c.payouts[m.ID] != nil || last >= 0 && ch.payouts[last].ID >= m.ID || last+1 == mostKept:
		return false
	case c.listing.Asset(m.Asset) == nil || c.listing.Asset(m.native) == nil || m.booked.Sign() < 0 || m.Paid.Sign() < 0:
		return false
	case m.Status < schema.PayoutPlanned || m.Status > schema.PayoutFailed || mined != (m.Height != 0) || mined != (m.seat != 0) || mined != (m.Paid.Sign() > 0):
		return false
	case len(m.Variants) == 0 || len(m.Variants) > schema.MaxVariants || int64(m.Mined) >= int64(len(m.Variants)) || len(m.Withdrawals) > schema.MaxPaid || m.Height > ch.highest():
		return false
	case ch.Driver == schema.EVMNode && !c.validSite(ch, site{m.Index, m.Own}):
		return false
	}
	signed := false
	for i := range m.Variants {
		v := &m.Variants[i]
		coins := ch.Driver == schema.BitcoinNode
		if coins != (len(v.Inputs) > 0) || v.Fee.Sign() <= 0 || len(v.Unsigned) == 0 || i > 0 && v.Fee.Cmp(m.Variants[i-1].Fee) <= 0 || len(v.Inputs) > schema.MaxInputs ||
			coins && len(v.Outputs) > mostOutputs(v.GiveUp, v.Outputs) || !coins && len(v.Outputs) > 1 || !coins && len(v.Outputs)+len(m.Withdrawals) == 0 || (v.Tx != "") != (coins || len(v.Raw) > 0) {
			return false
		}
		if _, known := ch.txs[v.Tx]; known {
			return false
		}
		signed = signed || len(v.Raw) > 0
	}
	return signed == (m.Status != schema.PayoutPlanned) && (!mined || len(m.Variants[m.Mined].Raw) > 0) && (m.parent == 0 || c.validChild(ch, m))
}

// coinRecord is a coin as snapshots keep it.
type coinRecord struct {
	schema.Coin
	chain schema.ChainID
	asset schema.AssetID
	since uint64
	spent schema.PayoutID // that it was spent by, and comes back from if that is rewound; 0: none
	lost  uint32          // the adopted spend that did, from 1, in the order of their chain; 0: none
}

func (r *coinRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "coin", &r.Coin)
	wire.Uint(c, 2, "chain", &r.chain)
	wire.Uint(c, 3, "asset", &r.asset)
	wire.Uint(c, 4, "since", &r.since)
	wire.Uint(c, 5, "spent", &r.spent)
	wire.Uint(c, 6, "lost", &r.lost)
}

func (c *Chains) writeCoins(w *product.Writer) {
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			for place := l.unspent.First; place != 0; place = c.holdings.At(place).After {
				h := c.holdings.At(place)
				w.Message(&coinRecord{h.Coin, ch.ID, l.asset, h.since, 0, 0})
			}
		}
		for _, p := range ch.payouts {
			for place := p.spent.First; place != 0; place = c.holdings.At(place).After {
				h := c.holdings.At(place)
				w.Message(&coinRecord{h.Coin, ch.ID, h.asset, h.since, p.ID, 0})
			}
		}
		for i, l := range ch.losses {
			for place := l.spent.First; place != 0; place = c.holdings.At(place).After {
				h := c.holdings.At(place)
				w.Message(&coinRecord{h.Coin, ch.ID, h.asset, h.since, 0, uint32(i + 1)})
			}
		}
	}
}

func (c *Chains) readCoins(r *product.Reader) error {
	for m, err := range product.Messages[coinRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || !c.validCoin(ch, m) {
			return fmt.Errorf("%s: %w", m.ID, errPlace)
		}
		l := ch.lane(m.asset)
		in := &l.unspent
		if m.spent != 0 {
			in = &c.payouts[m.spent].spent
		} else if m.lost != 0 {
			in = &ch.losses[m.lost-1].spent
		} else if m.Height != 0 || ch.Driver == schema.EVMNode {
			l.count(m.Own, m.Amount)
		}
		c.keep(ch, in, holding{Coin: m.Coin, asset: m.asset, since: m.since})
	}
	return c.reserveAll()
}

// validCoin reports whether a coin can be, where it stands.
func (c *Chains) validCoin(ch *chain, m *coinRecord) bool {
	_, there := ch.findLane(m.asset)
	p := c.payouts[m.spent]
	switch {
	case !ch.real() || !there || c.holding(ch, holdingKey{m.asset, m.ID}) != nil || m.Amount.Sign() <= 0 || (m.Index != 0) == (m.Own != 0):
		return false
	case int(m.Index) > len(c.space(ch.Space()).addresses) || !c.validOwn(ch, m.Own) || m.spent != 0 && (p == nil || p.Chain != ch.ID || m.Height == 0):
		return false
	case m.lost != 0 && (int64(m.lost) > int64(len(ch.losses)) || m.spent != 0 || m.Height == 0):
		return false
	case ch.Driver == schema.EVMNode:
		return m.ID == schema.BalanceID(m.Index, m.Own) && m.Height == 0 && m.since == 0 && m.spent == 0
	}
	return m.ID != "" && len(m.ID) <= schema.MaxCoinID && m.Height <= ch.highest() && (m.Height == 0 || m.since == 0)
}

// reserveAll lets payouts have their coins.
func (c *Chains) reserveAll() error {
	for _, ch := range c.chains {
		for _, p := range ch.payouts {
			for i := range p.Variants {
				for _, id := range p.Variants[i].Inputs {
					h := c.holding(ch, holdingKey{p.Asset, id})
					if h == nil || h.by != 0 && h.by != p.ID {
						return fmt.Errorf("payout %d: %s: %w", p.ID, id, errPlace)
					}
					c.reserve(p, h)
				}
			}
		}
	}
	return nil
}
