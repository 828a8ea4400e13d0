package chain

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify holds the books against the chains: per chain and asset what is there against what is booked, and per asset what the
// accounts of the exchange owe and have against the deposits.
func (c *Chains) Verify() error {
	assets := len(c.listing.Assets()) + 1
	booked, suspended := make([]fixed.Decimal, assets), make([]fixed.Decimal, assets)
	held, frozen := map[purse]fixed.Decimal{}, map[purse]fixed.Decimal{} // only ever asked
	refunds := map[schema.WithdrawalID]bool{}                            // only ever asked
	kept := map[schema.AccountID]int{}                                   // only ever asked
	count, under, unconfirmed := 0, 0, 0
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			// What is booked, with what is in blocks and not booked and without what is booked and in none.
			var sum tally
			sum.add(l.booked)
			for place, d := range c.inLane(l) {
				count++
				if d.Account != 0 {
					kept[d.Account]++
				}
				if c.places[d.ID] != place || d.Where != &l.kept && (d.Height != 0) != (d.Where == &l.seated) {
					return fmt.Errorf("chains: deposit %d is not where it should be", d.ID)
				}
				if ch.real() && !c.validOwn(ch, d.own) {
					return fmt.Errorf("chains: deposit %d came to an address of the exchange that there is not", d.ID)
				}
				if !d.validTravel() {
					return fmt.Errorf("chains: deposit %d cannot be %s with %d bytes about its sender (posted: %v)", d.ID, d.Status, len(d.travel), d.posted)
				}
				switch {
				case d.Height != 0 && !d.posted:
					sum.add(d.Amount)
				case d.Height == 0 && d.posted:
					sum.sub(d.Amount)
				}
				if d.Status == schema.DepositHeld {
					for _, p := range d.purses() {
						held[p] = held[p].Add(d.Amount.Sub(d.Fee))
					}
				}
				suspended[d.Asset] = suspended[d.Asset].Add(c.suspended(d))
				if d.refund != 0 {
					place, known := c.byNumber[d.refund]
					if d.refund > c.lastWithdrawal || refunds[d.refund] || known && c.withdrawals.At(place).Refund != d.ID {
						return fmt.Errorf("chains: refund %d of deposit %d was never made, or is of something else", d.refund, d.ID)
					}
					refunds[d.refund] = true
				}
			}
			for place, w := range c.leaving(l) {
				own := w.Refund == 0
				if c.byNumber[w.ID] != place || (own && !w.over()) != slices.Contains(c.open[w.Account], place) ||
					(w.Height != 0) != (w.Where == &l.paid) || !own && !c.validRefund(w) {
					return fmt.Errorf("chains: withdrawal %d is not where it should be", w.ID)
				}
				if !w.validSignatures() {
					return fmt.Errorf("chains: withdrawal %d cannot have the signatures %v", w.ID, w.signatures)
				}
				if !w.validTravel() {
					return fmt.Errorf("chains: withdrawal %d cannot have %d bytes about its receiver", w.ID, len(w.travel))
				}
				under++
				spot := c.unconfirmed.order.Find(&c.unconfirmed.nodes, awaited(w.ID))
				if listed := spot.Found() && spot.Item() == place; listed != (w.Status == schema.WithdrawalUnconfirmed) {
					return fmt.Errorf("chains: withdrawal %d is %s, and waits for a master: %v", w.ID, w.Status, listed)
				} else if listed {
					unconfirmed++
				}
				if waits := w.Status == schema.WithdrawalPlanned || w.Status == schema.WithdrawalSent; waits && ch.real() && !c.bound(w) {
					return fmt.Errorf("chains: withdrawal %d is %s, and payout %d does not pay it", w.ID, w.Status, w.Payout)
				}
				switch {
				case w.Height != 0 && !w.over():
					sum.sub(w.Amount)
				case w.Height == 0 && w.over():
					sum.add(w.Amount)
				}
				if own && !w.over() {
					p := purse{w.Account, 0, w.Asset}
					frozen[p] = frozen[p].Add(w.gross())
				}
			}
			for _, p := range ch.payouts {
				if p.native == l.asset {
					sum.add(p.booked)
					sum.sub(p.Paid)
				}
			}
			sum.sub(ch.owing(l.asset))
			if sum.total() != l.coins {
				return fmt.Errorf("chains: %s has %s of asset %d, and %s booked, which makes %s", ch.Name, l.coins, l.asset, l.booked, sum.total())
			}
			booked[l.asset] = booked[l.asset].Add(l.booked)
			if err := c.verifyCoins(ch, l); err != nil {
				return err
			}
		}
		if err := c.verifyPrefixes(ch); err != nil {
			return err
		}
	}
	if err := c.verifyPayouts(); err != nil {
		return err
	}
	if err := c.verifyLosses(); err != nil {
		return err
	}
	if err := c.verifyVASPs(); err != nil {
		return err
	}
	if err := c.verifyInvoices(suspended); err != nil {
		return err
	}
	if under != len(c.byNumber) {
		return fmt.Errorf("chains: %d withdrawals are in lists, %d are known", under, len(c.byNumber))
	}
	known := 0
	for range c.unconfirmed.order.Down(&c.unconfirmed.nodes) {
		known++
	}
	if unconfirmed != known {
		return fmt.Errorf("chains: %d withdrawals wait for masters, %d are known", unconfirmed, known)
	}
	for _, a := range c.accounts.All() {
		if kept[a.ID] != c.kept[a.ID] {
			return fmt.Errorf("chains: account %d has %d deposits, %d are known", a.ID, kept[a.ID], c.kept[a.ID])
		}
	}
	for b := range c.ledger.Records() {
		if b.Account == schema.Convert || b.Account == schema.Interest { // quotes and fixed plans freeze what they will pay
			continue
		}
		if under := frozen[purse{b.Account, 0, b.Asset}]; b.Wallet == schema.Main && b.Frozen != under {
			return fmt.Errorf("chains: account %d has %s of asset %d frozen, and %s is under way", b.Account, b.Frozen, b.Asset, under)
		}
	}
	if count != len(c.places) || len(held) != len(c.held) {
		return fmt.Errorf("chains: %d deposits are in lists, %d are known; %d sums are held, %d are known", count, len(c.places), len(held), len(c.held))
	}
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			for _, d := range c.inLane(l) {
				all := purse{d.Account, 0, d.Asset}
				for _, p := range d.purses() {
					if d.Status == schema.DepositHeld && c.held[p] != held[p] {
						return fmt.Errorf("chains: account %d has %s of asset %d held by chain %d, and %s is known", d.Account, held[p], d.Asset, p.chain, c.held[p])
					}
				}
				if _, _, marked := c.ledger.Balance(c.ledger.Find(d.Account, schema.Main, d.Asset)); d.Account != 0 && marked.Less(held[all]) {
					return fmt.Errorf("chains: account %d has %s of asset %d marked as held, and %s is", d.Account, marked, d.Asset, held[all])
				}
			}
		}
	}
	for _, a := range c.listing.Assets() {
		if owes := c.ledger.Available(c.ledger.Find(schema.Custody, schema.Main, a.ID)); owes != booked[a.ID].Neg() {
			return fmt.Errorf("chains: custody has %s of %s, and %s is booked", owes, a.Ticker, booked[a.ID])
		}
		if has := c.ledger.Available(c.ledger.Find(schema.Suspense, schema.Main, a.ID)); has != suspended[a.ID] {
			return fmt.Errorf("chains: suspense has %s of %s, and %s waits there", has, a.Ticker, suspended[a.ID])
		}
		if r := c.Offers(a); r.Refused() {
			return fmt.Errorf("chains: networks of %s: %s", a.Ticker, r.Text())
		}
	}
	return nil
}

// inLane are the deposits of a lane and their places, in all lists.
func (c *Chains) inLane(l *lane) iter.Seq2[uint32, *deposit] {
	return func(yield func(uint32, *deposit) bool) {
		for _, in := range []*slab.List{&l.seated, &l.unseated, &l.kept} {
			for place := in.First; place != 0; {
				d := c.deposits.At(place)
				if !yield(place, d) {
					return
				}
				place = d.After
			}
		}
	}
}

// verifyCoins holds what is in blocks of an asset against the coins, and what is reserved against the payouts.
func (c *Chains) verifyCoins(ch *chain, l *lane) error {
	var sum, cold fixed.Decimal
	for place := l.unspent.First; place != 0; place = c.holdings.At(place).After {
		h := c.holdings.At(place)
		if ch.holdings[holdingKey{l.asset, h.ID}] != place || h.asset != l.asset || h.by != 0 && !c.lists(h) {
			return fmt.Errorf("chains: coin %s of asset %d on %s is not where it should be, or payout %d does not list it", h.ID, l.asset, ch.Name, h.by)
		}
		if ch.Driver == schema.EVMNode || h.Height != 0 {
			sum = sum.Add(h.Amount)
			if h.Own.IsCold() {
				cold = cold.Add(h.Amount)
			}
		}
		if ch.Driver == schema.EVMNode && (h.Height != 0 || h.by != 0 || h.Amount.Sign() <= 0) || ch.Driver == schema.BitcoinNode && h.Height == 0 && h.by == 0 {
			return fmt.Errorf("chains: coin %s of asset %d on %s cannot be", h.ID, l.asset, ch.Name)
		}
	}
	if ch.real() && sum != l.coins {
		return fmt.Errorf("chains: %s has %s of asset %d, and coins of %s", ch.Name, l.coins, l.asset, sum)
	}
	if cold != l.cold {
		return fmt.Errorf("chains: %s has %s of asset %d in cold storage, and coins of %s", ch.Name, l.cold, l.asset, cold)
	}
	return nil
}

// verifyPrefixes holds how many coins have a prefix against the coins.
func (c *Chains) verifyPrefixes(ch *chain) error {
	count := map[uint64]uint32{} // only ever asked
	for h := range c.everyCoin(ch) {
		count[schema.CoinPrefix(h.ID)]++
	}
	for h := range c.everyCoin(ch) {
		if prefix := schema.CoinPrefix(h.ID); ch.prefixes[prefix] != count[prefix] {
			return fmt.Errorf("chains: %s has %d coins with the prefix of %s, and %d are known", ch.Name, count[prefix], h.ID, ch.prefixes[prefix])
		}
	}
	if len(ch.prefixes) != len(count) {
		return fmt.Errorf("chains: coins of %s have %d prefixes, and %d are known", ch.Name, len(count), len(ch.prefixes))
	}
	return nil
}

// everyCoin is those that can be spent, and those that payouts and adopted spends in blocks spent.
func (c *Chains) everyCoin(ch *chain) iter.Seq[*holding] {
	return func(yield func(*holding) bool) {
		lists := make([]uint32, 0, len(ch.lanes)+len(ch.payouts)+len(ch.losses))
		for _, l := range ch.lanes {
			lists = append(lists, l.unspent.First)
		}
		for _, p := range ch.payouts {
			lists = append(lists, p.spent.First)
		}
		for _, l := range ch.losses {
			lists = append(lists, l.spent.First)
		}
		for _, place := range lists {
			for ; place != 0; place = c.holdings.At(place).After {
				if !yield(c.holdings.At(place)) {
					return
				}
			}
		}
	}
}

// lists reports whether the payout that reserves a coin is kept, and spends it in a variant.
func (c *Chains) lists(h *holding) bool {
	p := c.payouts[h.by]
	return p != nil && p.Asset == h.asset && slices.ContainsFunc(p.Variants, func(v schema.Variant) bool { return slices.Contains(v.Inputs, h.ID) })
}

// bound reports whether the payout that a withdrawal names is kept, and is to pay it.
func (c *Chains) bound(w *withdrawal) bool {
	p := c.payouts[w.Payout]
	return p != nil && p.Chain == w.Chain && p.Asset == w.Asset && slices.Contains(p.Withdrawals, w.ID)
}

// verifyPayouts holds payouts to what they reserve, and to the withdrawals that they pay.
func (c *Chains) verifyPayouts() error {
	kept := 0
	for _, ch := range c.chains {
		kept += len(ch.payouts)
		mined, txs := 0, 0
		for i, p := range ch.payouts {
			if c.payouts[p.ID] != p || p.Chain != ch.ID || i > 0 && ch.payouts[i-1].ID >= p.ID || p.ID > c.lastPayout || p.mined() != slices.Contains(ch.mined, p) {
				return fmt.Errorf("chains: payout %d is not where it should be", p.ID)
			}
			if p.mined() {
				mined++
			}
			if err := c.verifyPayout(ch, p); err != nil {
				return err
			}
			for n := range p.Variants {
				if tx := p.Variants[n].Tx; tx != "" {
					txs++
					if ch.txs[tx] != (variantKey{p.ID, uint32(n)}) {
						return fmt.Errorf("chains: transaction %s of payout %d is not known", tx, p.ID)
					}
				}
			}
		}
		if mined != len(ch.mined) || txs != len(ch.txs) || len(ch.payouts) > mostKept {
			return fmt.Errorf("chains: %s has %d payouts in blocks, and %d are known; %d transactions, and %d are known", ch.Name, mined, len(ch.mined), txs, len(ch.txs))
		}
		for i := 1; i < len(ch.mined); i++ {
			if ch.mined[i-1].Height > ch.mined[i].Height {
				return fmt.Errorf("chains: payout %d of %s is in no order", ch.mined[i].ID, ch.Name)
			}
		}
	}
	if kept != len(c.payouts) {
		return fmt.Errorf("chains: %d payouts are in lists, %d are known", kept, len(c.payouts))
	}
	return nil
}

// verifyPayout holds a payout to its coins and its withdrawals. While it is forgotten its withdrawals may be forgotten already.
func (c *Chains) verifyPayout(ch *chain, p *payout) error {
	coins, spent := map[string]bool{}, 0 // only ever asked
	for place := p.spent.First; place != 0; place = c.holdings.At(place).After {
		spent++
	}
	if v := &p.Variants[p.Mined]; spent > 0 && !p.mined() || p.mined() && spent != len(v.Inputs) {
		return fmt.Errorf("chains: payout %d spent %d coins", p.ID, spent)
	}
	for i := range p.Variants {
		for _, id := range p.Variants[i].Inputs {
			coins[id] = true
			h := c.holding(ch, holdingKey{p.Asset, id})
			if h == nil || h.by != p.ID || p.mined() && (h.Where == &p.spent) != slices.Contains(p.Variants[p.Mined].Inputs, id) {
				return fmt.Errorf("chains: coin %s is not reserved by payout %d, or not spent by it", id, p.ID)
			}
		}
	}
	if len(coins) != p.inputs {
		return fmt.Errorf("chains: payout %d has %d coins, and %d are known", p.ID, len(coins), p.inputs)
	}
	if p.parent != 0 && !c.isChild(ch, p) {
		return fmt.Errorf("chains: payout %d is no child of payout %d", p.ID, p.parent)
	}
	for _, id := range p.Withdrawals {
		place, known := c.byNumber[id]
		forgotten := p.mined() && p.Height <= ch.points[0].height
		if !known && forgotten {
			continue
		}
		if !known {
			return fmt.Errorf("chains: withdrawal %d of payout %d is not known", id, p.ID)
		}
		w, in := c.withdrawals.At(place), uint64(0)
		if p.pays() {
			in = p.Height
		}
		if w.Payout != p.ID || w.Height != in || w.Status <= schema.WithdrawalQueued {
			return fmt.Errorf("chains: withdrawal %d of payout %d is not bound to it", id, p.ID)
		}
	}
	return nil
}

// tally is a sum that fits an amount in the end, but perhaps not on its way there: of the largest deposits several may wait for their depth
// while losses took others. What does not fit goes round and comes back.
type tally struct{ hi, lo uint64 }

func (t *tally) add(d fixed.Decimal) {
	hi, lo := d.Bits()
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, lo, 0)
	t.hi, _ = bits.Add64(t.hi, uint64(hi), carry)
}

func (t *tally) sub(d fixed.Decimal) {
	hi, lo := d.Bits()
	var borrow uint64
	t.lo, borrow = bits.Sub64(t.lo, lo, 0)
	t.hi, _ = bits.Sub64(t.hi, uint64(hi), borrow)
}

func (t *tally) total() fixed.Decimal { return fixed.FromBits(int64(t.hi), t.lo) }
