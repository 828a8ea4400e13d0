package chain

import (
	"fmt"
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// The list in which a withdrawal is, as snapshots number them.
const (
	inJudged = iota + 1
	inQueued
	inSent
	inPaid
	inFinal // paid, and deep enough
	inPlanned
)

// withdrawalRecord is a withdrawal as snapshots keep it.
type withdrawalRecord struct {
	withdrawal
	in uint8
}

func (r *withdrawalRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "withdrawal", &r.Withdrawal)
	wire.Uint(c, 2, "in", &r.in)
	c.Decimal(3, "counted", &r.counted)
	c.Bytes(4, "travel", &r.travel)
	wire.List(c, 5, "signatures", &r.signatures)
}

func (c *Chains) writeWithdrawals(w *product.Writer) {
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			final := true
			for place, m := range c.leaving(l) {
				in := uint8(inFinal)
				switch m.Where {
				case &l.judged:
					in = inJudged
				case &l.queued:
					in = inQueued
				case &l.planned:
					in = inPlanned
				case &l.sent:
					in = inSent
				default:
					if final = final && place != l.final; !final {
						in = inPaid
					}
				}
				w.Message(&withdrawalRecord{*m, in})
			}
		}
	}
}

func (c *Chains) readWithdrawals(r *product.Reader) error {
	for m, err := range product.Messages[withdrawalRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.Chain)
		if ch == nil {
			return fmt.Errorf("withdrawal %d: %w", m.ID, errPlace)
		}
		at, there := ch.findLane(m.Asset)
		if !there || !c.validWithdrawal(ch, ch.lanes[at], m) {
			return fmt.Errorf("withdrawal %d: %w", m.ID, errPlace)
		}
		c.putBack(ch.lanes[at], m)
	}
	return nil
}

// validWithdrawal reports whether a withdrawal can be, where it stands.
func (c *Chains) validWithdrawal(ch *chain, l *lane, m *withdrawalRecord) bool {
	_, known := c.byNumber[m.ID]
	asset := c.listing.Asset(m.Asset)
	switch {
	case known || m.ID == 0 || c.accounts.Get(m.Account) == nil || m.To != 0 && c.accounts.Get(m.To) == nil:
		return false
	case m.Amount.Sign() <= 0 || m.Fee.Sign() < 0 || m.counted.Sign() < 0 || m.Amount.Decimals() > int(asset.Scale) || m.Fee.Decimals() > int(asset.Scale):
		return false
	case (m.Unique == "") != (m.Refund != 0) || len(m.Unique) > schema.MaxUniqueID || !validTarget(m.Address, m.Memo) || !m.validTravel() || !m.validSignatures() || !validProvided(ch, m):
		return false
	}
	if _, fits := m.Amount.AddChecked(m.Fee); !fits || m.Refund != 0 && !c.validRefund(&m.withdrawal) {
		return false
	}
	switch m.in {
	case inJudged:
		return m.Status == schema.WithdrawalReview && m.Needed >= 1 && m.Needed <= 2 || m.Status == schema.WithdrawalFrozen ||
			m.Status == schema.WithdrawalUnconfirmed && m.Needed <= 1 && m.Refund == 0 && c.accounts.Get(m.Account).IsSub()
	case inQueued:
		return m.Status == schema.WithdrawalQueued && m.To == 0
	case inPlanned:
		return m.Status == schema.WithdrawalPlanned && m.To == 0 && m.Payout != 0 && ch.real()
	case inSent:
		return (m.Status == schema.WithdrawalSent || m.Status == schema.WithdrawalDone) && m.Height == 0
	case inPaid, inFinal:
		last := l.paid.Last
		return (m.Status == schema.WithdrawalMined && m.in == inPaid || m.Status == schema.WithdrawalDone) && m.Height != 0 && m.Height <= ch.highest() &&
			(last == 0 || c.withdrawals.At(last).Height <= m.Height && (l.final == 0 || m.in == inPaid))
	}
	return false
}

// putBack puts a withdrawal where it was.
func (c *Chains) putBack(l *lane, m *withdrawalRecord) {
	place, w := c.withdrawals.Take()
	*w = m.withdrawal
	c.byNumber[w.ID] = place
	c.awaits(place)
	c.withdrawals.Push([]*slab.List{inJudged: &l.judged, inQueued: &l.queued, inSent: &l.sent, inPaid: &l.paid, inFinal: &l.paid, inPlanned: &l.planned}[m.in], place)
	if m.in == inPaid && l.final == 0 {
		l.final = place
	}
	if !w.over() && w.Refund == 0 {
		open := c.open[w.Account]
		at, _ := slices.BinarySearchFunc(open, w.ID, func(p uint32, id schema.WithdrawalID) int {
			return int(int64(c.withdrawals.At(p).ID) - int64(id))
		})
		c.open[w.Account] = slices.Insert(open, at, place)
	}
	c.lastWithdrawal = max(c.lastWithdrawal, w.ID)
}

func (c *Chains) writeRecent(w *product.Writer) {
	for i := range c.recent.list {
		w.Message(&c.recent.list[i])
	}
}

func (c *Chains) readRecent(r *product.Reader) error {
	for m, err := range product.Messages[outflow](r) {
		if err != nil {
			return err
		}
		list := c.recent.list
		sum, fits := c.recent.sums[m.purse()].AddChecked(m.amount)
		if !fits || m.amount.Sign() <= 0 || c.accounts.Get(m.account) == nil || c.listing.Asset(m.asset) == nil || len(list) > 0 && list[len(list)-1].at > m.at {
			return errPlace
		}
		c.recent.list, c.recent.sums[m.purse()] = append(list, *m), sum
	}
	return nil
}
