package chain

import (
	"fmt"
	"iter"
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
	count, under := 0, 0
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			// What is in blocks and not booked, and what is booked and in none: deposits, and the other way round withdrawals.
			var open, gone fixed.Decimal
			for place, d := range c.inLane(l) {
				count++
				if c.places[d.ID] != place || d.Where != &l.kept && (d.Height != 0) != (d.Where == &l.seated) {
					return fmt.Errorf("chains: deposit %d is not where it should be", d.ID)
				}
				if !d.validTravel() {
					return fmt.Errorf("chains: deposit %d cannot be %s with %d bytes about its sender (posted: %v)", d.ID, d.Status, len(d.travel), d.posted)
				}
				switch {
				case d.Height != 0 && !d.posted:
					open = open.Add(d.Amount)
				case d.Height == 0 && d.posted:
					gone = gone.Add(d.Amount)
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
				if !w.validTravel() {
					return fmt.Errorf("chains: withdrawal %d cannot have %d bytes about its receiver", w.ID, len(w.travel))
				}
				under++
				switch {
				case w.Height != 0 && !w.over():
					gone = gone.Add(w.Amount)
				case w.Height == 0 && w.over():
					open = open.Add(w.Amount)
				}
				if own && !w.over() {
					p := purse{w.Account, 0, w.Asset}
					frozen[p] = frozen[p].Add(w.gross())
				}
			}
			if l.coins != l.booked.Add(open).Sub(gone) {
				return fmt.Errorf("chains: %s has %s of asset %d, and %s booked, %s not yet, %s gone", ch.Name, l.coins, l.asset, l.booked, open, gone)
			}
			booked[l.asset] = booked[l.asset].Add(l.booked)
		}
	}
	if err := c.verifyVASPs(); err != nil {
		return err
	}
	if under != len(c.byNumber) {
		return fmt.Errorf("chains: %d withdrawals are in lists, %d are known", under, len(c.byNumber))
	}
	for b := range c.ledger.Records() {
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
