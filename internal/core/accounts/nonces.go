package accounts

import (
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

// Use uses a nonce up, or tells why it cannot be used.
func (n *Nonces) Use(number uint64, window bool, at schema.Time) schema.Reason {
	if !window {
		if number <= n.highest {
			return schema.NonceUsed
		}
		n.ordinary, n.highest = number, number
		return schema.OK
	}
	const millisecond = schema.Second / 1000
	now, width := uint64(max(at, Window)/millisecond), uint64(Window/millisecond)
	if number+width < now || number > now+width {
		return schema.NonceOutsideWindow
	}
	// What falls out of the window is refused by that alone.
	old, _ := slices.BinarySearch(n.recent, nonce(now-width))
	n.recent = slices.Delete(n.recent, 0, old)
	place, used := slices.BinarySearch(n.recent, nonce(number))
	if used || number <= n.ordinary || len(n.recent) == maxRecent {
		return schema.NonceUsed
	}
	n.recent = slices.Insert(n.recent, place, nonce(number))
	n.highest = max(n.highest, number)
	return schema.OK
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
