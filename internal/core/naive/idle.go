package naive

import "bourse/internal/schema"

// Keys of customers that nobody used for 14 days are switched off. All keys are looked at once an hour, 500 of them with a tick.
const (
	idleDays   = 14 * 24 * 60 * minute
	idleEvery  = 60 * minute
	idleAtOnce = 500
)

func (a *accounts) switchIdle(on bool) {
	if !on {
		a.idleSince, a.idleNext, a.idleSeen = 0, 0, 0
		return
	}
	if a.idleSince == 0 {
		a.idleSince = max(a.call.at, 1)
		a.idleNext = hourAfter(a.call.at)
	}
}

func hourAfter(at schema.Time) schema.Time { return at - at%idleEvery + idleEvery }

// tick looks at the next keys, if it is time for that.
func (a *accounts) tick() {
	if a.idleSince == 0 || a.call.at < a.idleNext {
		return
	}
	for range idleAtOnce {
		if a.idleSeen == a.lastKey {
			a.idleSeen, a.idleNext = 0, hourAfter(a.call.at)
			return
		}
		a.idleSeen++
		k := a.key(a.idleSeen)
		if k == nil || k.External == "" || k.Idle {
			continue
		}
		from := a.idleSince
		if k.Created > from {
			from = k.Created
		}
		if k.lastUsed > from {
			from = k.lastUsed
		}
		if a.call.at-from >= idleDays {
			k.Idle = true
			a.call.record(&schema.KeyChanged{Key: k.Key})
		}
	}
}
