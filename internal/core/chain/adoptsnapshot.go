package chain

import (
	"fmt"
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// proposalRecord is what an operator proposed about a chain.
type proposalRecord struct {
	chain schema.ChainID
	proposal
}

func (r *proposalRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Text(c, 2, "operator", &r.operator)
	wire.Embed(c, 3, "adopt", &r.adopt)
	wire.Embed(c, 4, "surplus", &r.surplus)
}

// adoptedRecord is a transaction that was adopted.
type adoptedRecord struct {
	chain schema.ChainID
	tx    string
}

func (r *adoptedRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Text(c, 2, "tx", &r.tx)
}

// lossRecord is an adopted spend in a block, besides the coins that it spent.
type lossRecord struct {
	chain schema.ChainID
	loss
}

func (r *lossRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Text(c, 2, "tx", &r.tx)
	wire.Uint(c, 3, "height", &r.height)
	wire.Uint(c, 4, "index", &r.index)
	wire.Uint(c, 5, "own", &r.own)
	wire.Uint(c, 6, "nonce", &r.nonce)
	wire.Uint(c, 7, "before", &r.before)
	wire.List(c, 8, "takes", &r.takes)
	wire.List(c, 9, "sums", &r.sums)
	wire.Uint(c, 10, "size", &r.size)
}

func (s *lossSum) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &s.asset)
	c.Decimal(2, "amount", &s.amount)
	c.Bool(3, "booked", &s.booked)
}

// writeAdoptions writes three lists: what operators proposed, what was adopted, and what of that is in blocks. Where nothing ever was there
// is none.
func (c *Chains) writeAdoptions(w *product.Writer) {
	if !slices.ContainsFunc(c.chains, func(ch *chain) bool { return ch.asked.operator != "" || len(ch.adopted) > 0 }) {
		return
	}
	for _, ch := range c.chains {
		if ch.asked.operator != "" {
			w.Message(&proposalRecord{ch.ID, ch.asked})
		}
	}
	w.End()
	for _, ch := range c.chains {
		for _, tx := range ch.adopted {
			w.Message(&adoptedRecord{ch.ID, tx})
		}
	}
	w.End()
	for _, ch := range c.chains {
		for _, l := range ch.losses {
			w.Message(&lossRecord{ch.ID, *l})
		}
	}
}

func (c *Chains) readAdoptions(r *product.Reader) error {
	for m, err := range product.Messages[proposalRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || !ch.real() || ch.asked.operator != "" || m.operator == "" || !m.isOf(ch) {
			return fmt.Errorf("a proposal: %w", errPlace)
		}
		ch.asked = m.proposal
	}
	for m, err := range product.Messages[adoptedRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || !ch.real() || !ch.adoptable(m.tx) {
			return fmt.Errorf("adopted %s: %w", m.tx, errPlace)
		}
		ch.adopted = append(ch.adopted, m.tx)
	}
	for m, err := range product.Messages[lossRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || !c.validLoss(ch, m) {
			return fmt.Errorf("adopted %s: %w", m.tx, errPlace)
		}
		l := m.loss
		ch.losses = append(ch.losses, &l)
	}
	return nil
}

// isOf reports whether a proposal can be one about a chain: one of two, and to adopt a spend only where the chain is halted.
func (p *proposal) isOf(ch *chain) bool {
	if p.surplus == (schema.BookSurplus{}) {
		return p.adopt.Chain == ch.ID && ch.halted && ch.adoptable(p.adopt.Tx)
	}
	return p.adopt == schema.AdoptSpend{} && p.surplus.Chain == ch.ID && len(p.surplus.Coin) <= schema.MaxReceiptID && len(p.surplus.Text) <= schema.MaxAddressText
}

// validLoss reports whether a loss can be, behind those that were read.
func (c *Chains) validLoss(ch *chain, m *lossRecord) bool {
	last := len(ch.losses) - 1
	switch {
	case !ch.begun || !slices.Contains(ch.adopted, m.tx) || slices.ContainsFunc(ch.losses, func(l *loss) bool { return l.tx == m.tx }):
		return false
	case m.height == 0 || m.height > ch.highest() || last >= 0 && ch.losses[last].height > m.height:
		return false
	case ch.Driver == schema.BitcoinNode && (m.site != site{} || m.size == 0 || m.size > schema.MaxForeignInputs || len(m.sums) != 1):
		return false
	case ch.Driver == schema.EVMNode && (m.site != site{} && !c.validSite(ch, m.site) || m.size > schema.MaxForeignTakes || len(m.takes) > int(m.size)):
		return false
	case m.site == site{} && (m.nonce != 0 || m.before != 0), m.nonce > schema.MaxForeignNonce, m.before > schema.MaxForeignNonce+1:
		return false
	}
	for _, t := range m.takes {
		at := site{t.Index, t.Own}
		if _, there := ch.findLane(t.Asset); !there || t.Amount.Sign() <= 0 || (at.index != 0) == (at.own != 0) || int(at.index) > len(c.space(ch.Space()).addresses) || !c.validOwn(ch, at.own) {
			return false
		}
	}
	return m.summed()
}

// summed reports whether the sums of a loss are those of what it took.
func (l *loss) summed() bool {
	var of loss
	for _, t := range l.takes {
		if t.Amount.Cmp(ledger.Limit) > 0 {
			return false
		}
		if of.took(t); slices.ContainsFunc(of.sums, func(s lossSum) bool { return s.amount.Cmp(ledger.Limit) > 0 }) {
			return false
		}
	}
	return slices.EqualFunc(of.sums, l.sums, func(a, b lossSum) bool { return a.asset == b.asset && a.amount == b.amount })
}

// verifyLosses holds what was adopted to what is in blocks, to the coins that it spent and to the numbers of transactions that it used.
func (c *Chains) verifyLosses() error {
	for _, ch := range c.chains {
		if len(ch.adopted) > schema.MaxAdopted || len(ch.losses) > len(ch.adopted) {
			return fmt.Errorf("chains: %s adopted %d spends, and %d are in blocks", ch.Name, len(ch.adopted), len(ch.losses))
		}
		for i, l := range ch.losses {
			if !slices.Contains(ch.adopted, l.tx) || i > 0 && ch.losses[i-1].height > l.height || l.height > ch.highest() || !l.summed() {
				return fmt.Errorf("chains: adopted spend %s of %s cannot be", l.tx, ch.Name)
			}
			if l.site != (site{}) && ch.nextNonce(l.site) <= l.nonce {
				return fmt.Errorf("chains: adopted spend %s of %s used number %d, and %d is next", l.tx, ch.Name, l.nonce, ch.nextNonce(l.site))
			}
			if ch.Driver != schema.BitcoinNode {
				continue
			}
			count, left := 0, l.sums[0].amount
			for place := l.spent.First; place != 0; place = c.holdings.At(place).After {
				h := c.holdings.At(place)
				if count++; ch.holdings[holdingKey{h.asset, h.ID}] != place || h.asset != l.sums[0].asset || h.Height == 0 || h.by != 0 && !c.lists(h) {
					return fmt.Errorf("chains: coin %s, which adopted spend %s of %s spent, cannot be", h.ID, l.tx, ch.Name)
				}
				left = left.Sub(h.Amount)
			}
			if count != int(l.size) || !left.IsZero() {
				return fmt.Errorf("chains: adopted spend %s of %s spent %d coins, and lacks %s", l.tx, ch.Name, count, left)
			}
		}
	}
	return nil
}
