package chain

import (
	"crypto/sha256"

	"bourse/internal/core/slab"
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

// needed is how many operators must approve a withdrawal.
func (r *recent) needed(w *withdrawal, n *schema.Network) uint8 {
	all, fits := r.sums[purse{w.Account, 0, w.Asset}].AddChecked(w.gross())
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
func (r *recent) add(w *withdrawal, n *schema.Network, now schema.Time) {
	if n.ApproveAbove.IsZero() && n.Approve2Above.IsZero() {
		return
	}
	m := outflow{now, w.Account, w.Asset, w.gross()}
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

// uniques are the names that clients gave their withdrawals, for ever: a few bytes of a hash of each.
type uniques struct {
	names slab.Slab[unique]
	index slab.Index
}

// unique is what is kept of a name: 128 bits, so that nobody can find two alike.
type unique [16]byte

func (u *unique) Fields(c *wire.Coder) { c.Array(1, "hash", u[:]) }

func uniqueOf(account schema.AccountID, name string) unique {
	hash := sha256.New()
	_, _ = hash.Write([]byte{byte(account), byte(account >> 8), byte(account >> 16), byte(account >> 24)})
	_, _ = hash.Write([]byte(name))
	return unique(hash.Sum(nil)[:16])
}

// key is where the index has a name.
func (u *unique) key() uint32 {
	return uint32(u[0]) | uint32(u[1])<<8 | uint32(u[2])<<16 | uint32(u[3])<<24
}

func (s *uniques) has(account schema.AccountID, name string) bool {
	u := uniqueOf(account, name)
	return s.find(&u)
}

func (s *uniques) find(u *unique) bool {
	for probe := s.index.Find(u.key()); ; {
		place := probe.Next()
		if place == 0 {
			return false
		}
		if *s.names.At(place) == *u {
			return true
		}
	}
}

func (s *uniques) add(account schema.AccountID, name string) {
	u := uniqueOf(account, name)
	s.keep(&u)
}

func (s *uniques) keep(u *unique) {
	place, at := s.names.Take()
	*at = *u
	s.index.Add(u.key(), place)
}
