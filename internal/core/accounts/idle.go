package accounts

import (
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// A key that nobody uses for long is one that nobody would miss if it were stolen: it is switched off. Once an hour all keys are looked
// at, so many with each tick. Keys that operators made are exempt: programs of the operator use them when there is need.
const (
	idleAfter  = 14 * 24 * 3600 * schema.Second
	idleLook   = 3600 * schema.Second // between two rounds
	idleAtOnce = 500                  // keys that a tick looks at
)

// idleness is how far looking for idle keys has come.
type idleness struct {
	Since schema.Time // when it was switched on: nobody said before who used a key to read; 0: keys stay on
	Next  schema.Time // when the next tick looks
	Seen  schema.KeyID
}

func (i *idleness) Fields(c *wire.Coder) {
	wire.Int(c, 1, "since", &i.Since)
	wire.Int(c, 2, "next", &i.Next)
	wire.Uint(c, 3, "seen", &i.Seen)
}

// EndIdle switches off keys that nobody uses from now on, or no more. Those that are off stay off.
func (a *Accounts) EndIdle(on bool) {
	switch {
	case !on:
		a.idle = idleness{}
	case !a.EndsIdle():
		a.idle = idleness{Since: max(a.Out.Time, 1), Next: round(a.Out.Time)}
	}
}

// EndsIdle reports whether keys that nobody uses are switched off.
func (a *Accounts) EndsIdle() bool { return a.idle.Since != 0 }

// round is when the round after a moment begins.
func round(at schema.Time) schema.Time { return (at/idleLook + 1) * idleLook }

// NextTimer is when keys are looked at.
func (a *Accounts) NextTimer() (schema.Time, bool) { return a.idle.Next, a.EndsIdle() }

// Tick looks at the next keys if a round is due.
func (a *Accounts) Tick() {
	if !a.EndsIdle() || a.Out.Time < a.idle.Next {
		return
	}
	for range idleAtOnce {
		if a.idle.Seen >= a.last {
			a.idle.Seen, a.idle.Next = 0, round(a.Out.Time)
			return
		}
		a.idle.Seen++
		if k := a.key(a.idle.Seen); k != nil && k.customers() && !k.Key.Idle && a.Out.Time >= max(k.Used, k.Key.Created, a.idle.Since)+idleAfter {
			k.Key.Idle = true
			a.keyChanged(k)
		}
	}
}

// Sections are how far looking for idle keys has come.
func (a *Accounts) Sections() []product.Section {
	return []product.Section{{Tag: product.TagIdle, Name: "idle keys", Version: 1, Write: a.writeIdle, Read: a.readIdle}}
}

func (a *Accounts) writeIdle(w *product.Writer) {
	if a.EndsIdle() {
		w.Message(&a.idle)
	}
}

func (a *Accounts) readIdle(r *product.Reader) error {
	for {
		if more, err := r.Next(&a.idle); err != nil || !more {
			return err
		}
		if a.idle.Since <= 0 || a.idle.Next%idleLook != 0 || a.idle.Next < a.idle.Since || a.idle.Seen > a.last {
			return fmt.Errorf("keys are looked at from %d, next at %d, %d were seen", a.idle.Since, a.idle.Next, a.idle.Seen)
		}
	}
}
