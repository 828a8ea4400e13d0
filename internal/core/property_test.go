package core

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// sender lets a command happen and tells what went wrong.
type sender func(moment) error

// run sends a log. A panic is one more thing that can go wrong.
func (send sender) run(log ...moment) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for _, m := range log {
		if err := send(m); err != nil {
			return fmt.Errorf("%T %+v\n%w", m.cmd, m.cmd, err)
		}
	}
	return nil
}

// story shortens a log that goes wrong until no command can be left out, and tells it.
func story(log []moment, begin func() sender) string {
	err := begin().run(log...)
	for i := len(log) - 1; i >= 0; i-- {
		shorter := slices.Delete(slices.Clone(log), i, i+1)
		if e := begin().run(shorter...); e != nil {
			log, err = shorter, e
		}
	}
	var text strings.Builder
	for _, m := range log {
		fmt.Fprintf(&text, "%d %T %+v", m.at, m.cmd, m.cmd)
		if m.from != (schema.Origin{}) {
			fmt.Fprintf(&text, " from %+v", m.from)
		}
		text.WriteByte('\n')
	}
	return fmt.Sprintf("%s%v", text.String(), err)
}

// TestAgainstNaive drives the core and the naive exchange with the same random commands, from all
// kinds of origins, and holds every result, every event and the whole state of one against the
// other's. The core works in slices and the naive exchange does not.
func TestAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr, w := newTrial(pick(r, 1, 2, 3, slice)), newWorld(r)
		w.bank, w.oracle, w.whole = tr.fast, tr.slow, tr.slice == slice
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("slices of %d\n%s", tr.slice, story(log, func() sender { return newTrial(tr.slice).apply }))
			}
		}
		for _, cmd := range slices.Concat(w.birth(), w.keys()) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 80) {
			at, cmd := w.next(r)
			send(w.again(r, moment{at, cmd, w.decider(r, cmd, w.origin(r, cmd))}))
			w.orders = tr.fast.Trading().Counters().Order
			w.learn(r, cmd, tr.answer)
		}
	})
}
