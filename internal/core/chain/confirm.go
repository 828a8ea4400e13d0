package chain

import (
	"iter"
	"slices"

	"bourse/internal/core/tree"
	"bourse/internal/schema"
)

// A withdrawal of a sub-account waits for its master, where an operator let the master have it so. It is one that was asked for in every
// other way: its money is frozen, its name is taken and it counts for the limits. What the master does not confirm within a day goes back.
//
// What must hold: unconfirmed has the withdrawals that wait so, in the order of their numbers, which is that of their time.

// mostExpired is how many withdrawals end at a tick because nobody confirmed them.
const mostExpired = 300

// unconfirmed are the withdrawals that wait for a master, of all accounts. They leave in any order, and there may be very many: a sorted
// list would move half of them with each.
type unconfirmed struct {
	nodes tree.Store[awaited]
	order tree.Tree[awaited]
}

// awaited is a withdrawal that waits for a master. The oldest is the greatest: it is in front of the tree.
type awaited schema.WithdrawalID

func (a awaited) Less(other awaited) bool { return a > other }

// oldest is the place of the withdrawal that waits longest; 0: none does.
func (u *unconfirmed) oldest() uint32 {
	if last := u.order.Last(); last.Found() {
		return last.Item()
	}
	return 0
}

// await lets a withdrawal wait for the master of its account. Whether an operator has to look at it whatever its amount is known by now.
func await(w *withdrawal, approval bool) {
	w.Status = schema.WithdrawalUnconfirmed
	if approval {
		w.Needed = 1
	}
}

// awaits puts a withdrawal among those that wait for a master, if it is one.
func (c *Chains) awaits(place uint32) {
	if w := c.withdrawals.At(place); w.Status == schema.WithdrawalUnconfirmed {
		c.unconfirmed.order.Put(&c.unconfirmed.nodes, awaited(w.ID), place)
	}
}

// awaitsNoMore takes a withdrawal from those that wait for a master, if it is one.
func (c *Chains) awaitsNoMore(w *withdrawal) {
	if w.Status == schema.WithdrawalUnconfirmed {
		c.unconfirmed.order.Remove(&c.unconfirmed.nodes, awaited(w.ID))
	}
}

// confirm lets a withdrawal go on: limits and checks are those of this moment.
func (c *Chains) confirm(m *schema.ConfirmWithdrawal) schema.Rejection {
	place, r := c.mayConfirm(m)
	if r.Refused() {
		return r
	}
	w := c.withdrawals.At(place)
	ch := c.find(w.Chain)
	c.awaitsNoMore(w)
	c.withdrawals.Pull(place)
	next := withdrawal{Withdrawal: w.Withdrawal}
	if n := c.network(ch, w.Asset); n != nil {
		c.admit(ch, n, &next, w.Needed > 0)
	} else { // not offered any more
		next.Status, next.Needed = schema.WithdrawalReview, 1
	}
	w.Needed = next.Needed
	c.turn(w, next.Status)
	result := w.Withdrawal
	if w.Status == schema.WithdrawalQueued {
		result.Status = c.queue(ch, place)
	} else {
		c.withdrawals.Push(&ch.lane(w.Asset).judged, place)
	}
	c.out.Result.Withdrawal = &result
	c.schedule(ch)
	return schema.Rejection{}
}

// toWithdraw is the operation that sends money away.
var toWithdraw = schema.RightTo("/api/v4/main-account/withdraw").Op

// mayConfirm finds a withdrawal that a master may let go on. Who lets money out needs what sends it: a key has the operation, and nothing
// leaves a family that is restricted, whenever it was asked for.
func (c *Chains) mayConfirm(m *schema.ConfirmWithdrawal) (place uint32, r schema.Rejection) {
	master, r := c.accounts.Customer(m.Master)
	if r.Refused() {
		return 0, r
	}
	if r := c.accounts.CallerHas(toWithdraw); r.Refused() {
		return 0, r
	}
	if !master.Approvals {
		return 0, schema.Refuse(schema.NoPermission)
	}
	place, known := c.byNumber[m.Withdrawal]
	if !known || c.accounts.Get(c.withdrawals.At(place).Account).Parent != m.Master {
		return 0, schema.Refuse(schema.WithdrawalUnknown)
	}
	w := c.withdrawals.At(place)
	if w.Status != schema.WithdrawalUnconfirmed {
		return 0, schema.Refuse(schema.WithdrawalConfirmed)
	}
	account, r := c.accounts.Customer(w.Account)
	if r.Refused() {
		return 0, r
	}
	if r := c.tiers.Restricted(account); r.Refused() {
		return 0, r
	}
	if w.To != 0 && c.accounts.Living(w.To) == nil {
		return 0, schema.Refuse(schema.SubUnknown)
	}
	return place, schema.Rejection{}
}

// nextExpiry is when the withdrawal that waits longest for a master ends.
func (c *Chains) nextExpiry() (end schema.Time, there bool) {
	place := c.unconfirmed.oldest()
	if place == 0 {
		return 0, false
	}
	return c.withdrawals.At(place).Created + day, true
}

// expireUnconfirmed ends withdrawals that no master confirmed within a day, some at a tick; the timer stays due for the others.
func (c *Chains) expireUnconfirmed() {
	for range mostExpired {
		if end, there := c.nextExpiry(); !there || end > c.out.Time {
			return
		}
		c.cancel(c.unconfirmed.oldest())
	}
}

// CancelUnconfirmed ends what an account asked for and its master did not confirm. It does so at once: an account has no more than mostOpen,
// and so many take about 3 ms (BenchmarkBlockingWhoHasManyUnconfirmed), while 99,000 of others wait.
func (c *Chains) CancelUnconfirmed(account schema.AccountID) {
	for _, place := range slices.Clone(c.open[account]) {
		if c.withdrawals.At(place).Status == schema.WithdrawalUnconfirmed {
			c.cancel(place)
		}
	}
}

// Unconfirmed are the withdrawals of accounts that wait for their master, the newest first. They are looked for one by one, as far as
// somebody asks: accounts may have very many, and who reads a page stops the exchange for no more than the page.
func (c *Chains) Unconfirmed(accounts ...schema.AccountID) iter.Seq[*schema.Withdrawal] {
	return func(yield func(*schema.Withdrawal) bool) {
		var newest []schema.WithdrawalID // of each account
		var open [][]uint32              // of each account, up to that one
		for _, account := range accounts {
			if left := c.upToUnconfirmed(c.open[account]); len(left) > 0 {
				newest, open = append(newest, c.newestOf(left).ID), append(open, left)
			}
		}
		for len(open) > 0 {
			at := 0
			for i, id := range newest {
				if id > newest[at] {
					at = i
				}
			}
			left := open[at]
			if !yield(&c.newestOf(left).Withdrawal) {
				return
			}
			if left = c.upToUnconfirmed(left[:len(left)-1]); len(left) > 0 {
				newest[at], open[at] = c.newestOf(left).ID, left
			} else {
				newest, open = slices.Delete(newest, at, at+1), slices.Delete(open, at, at+1)
			}
		}
	}
}

// newestOf is the last of some withdrawals.
func (c *Chains) newestOf(places []uint32) *withdrawal {
	return c.withdrawals.At(places[len(places)-1])
}

// upToUnconfirmed are withdrawals up to the last of them that waits for a master.
func (c *Chains) upToUnconfirmed(places []uint32) []uint32 {
	for len(places) > 0 && c.newestOf(places).Status != schema.WithdrawalUnconfirmed {
		places = places[:len(places)-1]
	}
	return places
}

// Holds reports whether an account has deposits, withdrawals or invoices that are kept.
func (c *Chains) Holds(account schema.AccountID) bool {
	return c.kept[account] > 0 || len(c.open[account]) > 0 || c.invoices.open[account] > 0
}
