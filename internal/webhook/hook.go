package webhook

import (
	"bourse/internal/schema"
)

// Rules of attempts.
const (
	retryEvery  = 3600 * schema.Second // give or take a tenth
	mostTries   = 24
	breakAfter  = 3                  // failures in a row
	probeEvery  = 60 * schema.Second // while it is broken
	retryPace   = schema.Second / 20 // between retries of a webhook
	freshFirst  = 4                  // first attempts that go before a retry
	slowAbove   = 2 * schema.Second  // an attempt that makes its webhook a slow one
	nonceBits   = 20                 // of a nonce that count within an epoch
	mostInEpoch = 1<<nonceBits - 1   // requests of a webhook
	never       = schema.Time(1<<63 - 1)
)

// hook is a webhook that this node sends for. It says what is to be sent next, and knows no clock and no network.
type hook struct {
	account  schema.AccountID
	epoch    uint64
	sendable bool // it is active and not paused

	fresh   line // not tried yet, by number
	retries retries

	flying   *flight // what is under way; nil: nothing is
	failures int     // in a row
	probe    schema.Time
	paced    schema.Time // when the next retry may go
	ahead    int         // first attempts since the last retry
	slow     bool
	nonce    uint64 // the last within the epoch
	most     uint64 // that the epoch has

	queued bool // it stands among those that are ready
	timer  schema.Time
}

// add lets an event wait. What an operator asked for goes with the retries: it must not hold first attempts up.
func (h *hook) add(w waiting) {
	if w.attempts == 0 && !w.again {
		h.fresh.push(w)
		return
	}
	h.retries.add(w)
}

// remove forgets an event that is not under way.
func (h *hook) remove(n uint64) {
	if !h.fresh.remove(n) {
		h.retries.remove(n)
	}
}

// when is the moment from which something can be sent; never: not before something else happens.
func (h *hook) when(now schema.Time) schema.Time {
	if h.flying != nil || !h.sendable || h.nonce >= h.most {
		return never
	}
	at := never
	if h.fresh.len() > 0 {
		at = 0
	}
	if h.retries.Len() > 0 {
		at = min(at, max(h.retries.first().due, h.paced))
	}
	if at != never && h.failures >= breakAfter {
		at = max(at, h.probe)
	}
	return at
}

// next takes the event that is sent now. It is called when its moment has come.
func (h *hook) next(now schema.Time) waiting {
	retry := h.retries.Len() > 0 && max(h.retries.first().due, h.paced) <= now
	if h.fresh.len() > 0 && (!retry || h.ahead < freshFirst) {
		h.ahead++
		return h.fresh.pop()
	}
	h.ahead, h.paced = 0, now+retryPace
	return h.retries.pop()
}

// expired takes out the events that are a day old.
func (h *hook) expired(now schema.Time) []waiting {
	list := h.retries.before(now - day)
	for h.fresh.len() > 0 && h.fresh.first().from+day <= now {
		list = append(list, h.fresh.pop())
	}
	return list
}

// failed says when an event is tried again that was refused, and as the how many-th attempt this one counts: hours in which it was not tried
// count too. It is false if the event is dropped.
func (h *hook) failed(w *waiting, now schema.Time, spread schema.Time) (more bool) {
	hours := uint32(max(now-w.from, 0) / retryEvery)
	w.attempts = min(max(w.attempts, hours)+1, mostTries)
	w.due = now + retryEvery + spread
	return w.attempts < mostTries && w.due < w.from+day
}
