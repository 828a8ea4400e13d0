package chain

import (
	"bourse/internal/core/hours"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// recent is what accounts asked to withdraw in the last day and no operator looked at.
type recent struct {
	list []outflow
	sums map[purse]fixed.Decimal // of accounts and assets, chain 0; only ever asked
}

// outflow is a withdrawal without approval.
type outflow struct {
	at      schema.Time
	account schema.AccountID
	asset   schema.AssetID
	amount  fixed.Decimal
}

func (m *outflow) Fields(c *wire.Coder) {
	wire.Int(c, 1, "at", &m.at)
	wire.Uint(c, 2, "account", &m.account)
	wire.Uint(c, 3, "asset", &m.asset)
	c.Decimal(4, "amount", &m.amount)
}

func (m *outflow) purse() purse { return purse{m.account, 0, m.asset} }

// needed is how many operators must approve a withdrawal of a family, which is named by its master.
func (r *recent) needed(root schema.AccountID, w *withdrawal, n *schema.Network) uint8 {
	all, fits := r.sums[purse{root, 0, w.Asset}].AddChecked(w.gross())
	above := func(bound fixed.Decimal) bool { return !bound.IsZero() && (!fits || all.Cmp(bound) > 0) }
	switch {
	case above(n.Approve2Above):
		return 2
	case above(n.ApproveAbove):
		return 1
	}
	return 0
}

// add counts a withdrawal that nobody approves, where approvals are asked for at all: no sum is above such a bound.
func (r *recent) add(root schema.AccountID, w *withdrawal, n *schema.Network, now schema.Time) {
	if n.ApproveAbove.IsZero() && n.Approve2Above.IsZero() {
		return
	}
	m := outflow{now, root, w.Asset, w.gross()}
	r.list = append(r.list, m)
	r.sums[m.purse()] = r.sums[m.purse()].Add(m.amount)
}

// expire forgets what is more than a day ago, some at a tick.
func (r *recent) expire(now schema.Time) {
	gone := 0
	for gone < usualSteps && gone < len(r.list) && r.list[gone].at+day <= now {
		m := &r.list[gone]
		gone++
		if left := r.sums[m.purse()].Sub(m.amount); left.IsZero() {
			delete(r.sums, m.purse())
		} else {
			r.sums[m.purse()] = left
		}
	}
	r.list = r.list[gone:]
}

// hourly is what was withdrawn of an asset by a chain in an hour of the clock and no operator looked at, where that is bounded.
type hourly struct {
	hour int64
	sum  fixed.Decimal
}

// next is what it becomes with a withdrawal at a moment, and whether that is not above the bound.
func (h hourly) next(w *withdrawal, bound fixed.Decimal, now schema.Time) (hourly, bool) {
	if hour := hours.Of(now); hour != h.hour {
		h = hourly{hour: hour}
	}
	var fits bool
	h.sum, fits = h.sum.AddChecked(w.gross())
	return h, fits && h.sum.Cmp(bound) <= 0
}
