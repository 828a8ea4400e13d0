package accounts

import (
	"iter"
	"slices"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Window is how far from the time of day a nonce in window mode may be.
const Window = 5 * schema.Second

// maxRecent bounds what is remembered of a key within a window.
const maxRecent = 1 << 17

// Nonces are the numbers that signed requests of one key have used. A request is done at most
// once because its nonce is: in the ordinary mode nonces only grow; in window mode they are
// milliseconds of the time of day, come in any order, and each is remembered as long as it would
// be accepted.
//
// What must hold: a nonce that was used in one mode is refused in both for ever. The ordinary
// mode therefore asks for more than any nonce before, and the window mode for more than any
// ordinary one and none of the recent ones; what is older than those is outside the window.
type Nonces struct {
	ordinary uint64  // the highest of the ordinary mode
	highest  uint64  // of both
	recent   []nonce // of the window mode, growing
}

// Use uses a nonce up, or says why it cannot be used. What has left the window at that moment is
// forgotten, used up or not: it is for those whose time only grows (see Expire for others).
func (n *Nonces) Use(number uint64, window bool, at schema.Time) schema.Reason {
	if oldest, newest := around(at); window && number >= oldest && number <= newest {
		old, _ := slices.BinarySearch(n.recent, nonce(oldest))
		n.recent = n.recent[old:]
	}
	return n.UseSince(number, window, at, at)
}

// UseSince is Use where requests may still come from the window about an earlier moment, and from none
// before it. A nonce that is refused changes nothing.
func (n *Nonces) UseSince(number uint64, window bool, at, past schema.Time) schema.Reason {
	if !window {
		if number <= n.highest {
			return schema.NonceUsed
		}
		n.ordinary, n.highest = number, number
		return schema.OK
	}
	oldest, newest := around(at)
	if number < oldest || number > newest {
		return schema.NonceOutsideWindow
	}
	// What falls out of the window is refused by that alone.
	oldest, _ = around(past)
	old, _ := slices.BinarySearch(n.recent, nonce(oldest))
	place, used := slices.BinarySearch(n.recent, nonce(number))
	if used || number <= n.ordinary || len(n.recent)-old >= maxRecent {
		return schema.NonceUsed
	}
	n.recent = slices.Insert(n.recent, place, nonce(number))[old:]
	n.highest = max(n.highest, number)
	return schema.OK
}

// around is the window about a moment: the first nonce in it and the last.
func around(at schema.Time) (oldest, newest uint64) {
	const millisecond = schema.Second / 1000
	now, width := uint64(max(at, Window)/millisecond), uint64(Window/millisecond)
	return now - width, now + width
}

// Used goes over what is needed to refuse all that was used: each of these nonces remembered by
// another Nonces makes that one refuse them too.
func (n *Nonces) Used() iter.Seq2[uint64, bool] {
	return func(yield func(number uint64, window bool) bool) {
		if n.ordinary > 0 && !yield(n.ordinary, false) {
			return
		}
		for _, number := range n.recent {
			if !yield(uint64(number), true) {
				return
			}
		}
		// The highest may be one of the window mode that has left the window since.
		if n.highest > n.ordinary && (len(n.recent) == 0 || uint64(n.recent[len(n.recent)-1]) < n.highest) {
			yield(n.highest, true)
		}
	}
}

// Remember makes a nonce a used one, whatever the time and whether it was one before or not.
func (n *Nonces) Remember(number uint64, window bool) {
	n.highest = max(n.highest, number)
	if !window {
		n.ordinary = max(n.ordinary, number)
		return
	}
	if place, used := slices.BinarySearch(n.recent, nonce(number)); !used {
		n.recent = slices.Insert(n.recent, place, nonce(number))
	}
}

// Expire forgets the nonces that have left the window, for those whose clock may go back: from
// then on all nonces up to the forgotten ones are refused at any time. The core has no need of
// it, because its time only grows.
func (n *Nonces) Expire(at schema.Time) {
	oldest, _ := around(at)
	if old, _ := slices.BinarySearch(n.recent, nonce(oldest)); old > 0 {
		n.ordinary = max(n.ordinary, uint64(n.recent[old-1]))
		n.recent = slices.Delete(n.recent, 0, old)
	}
}

func (n *Nonces) valid() bool {
	return n.ordinary <= n.highest && slices.IsSorted(n.recent) &&
		(len(n.recent) == 0 || uint64(n.recent[len(n.recent)-1]) <= n.highest)
}

func (n *Nonces) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "ordinary", &n.ordinary)
	wire.Uint(c, 2, "highest", &n.highest)
	wire.List(c, 3, "recent", &n.recent)
}

// nonce is one of the window mode.
type nonce uint64

func (n *nonce) Fields(c *wire.Coder) { wire.Uint(c, 1, "nonce", n) }
