package core

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// trial is a machine together with everything that it is held against: the naive exchange, a
// machine that gets the same commands through their encoding, and one that lives from snapshot
// to snapshot.
type trial struct {
	fast     *Machine
	slow     *naive.Exchange
	twin     *Machine
	restored *Machine
	mirror   *mirror
	slice    int
	count    int
}

func newTrial(slice int) *trial {
	tr := &trial{fast: New(), slow: naive.New(), twin: New(), restored: New(), mirror: newMirror(), slice: slice}
	for _, m := range []*Machine{tr.fast, tr.twin, tr.restored} {
		m.SetSlice(slice)
	}
	return tr
}

// apply runs a command everywhere, to its end, and compares everything that can be seen.
func (tr *trial) apply(at schema.Time, cmd schema.Command) error {
	got, deals, changes, err := tr.finish(at, cmd)
	if err != nil {
		return err
	}
	want := tr.slow.Apply(at, cmd)
	if err := sameResult(got, &want); err != nil {
		return err
	}
	if want := tr.slow.Deals(); !slices.Equal(deals, want) {
		return fmt.Errorf("deals:\n got %+v\nwant %+v", deals, want)
	}
	if want := byMarket(tr.slow.Changes()); !slices.Equal(byMarket(changes), want) {
		return fmt.Errorf("changes of orders:\n got %+v\nwant %+v", changes, want)
	}
	return tr.compareState()
}

// finish runs a command on the machines, slice by slice, and returns its answer, all its deals and
// all that happened to orders.
func (tr *trial) finish(at schema.Time, cmd schema.Command) (answer *schema.Result, deals []schema.Deal, changes []naive.Change, err error) {
	out, err := tr.step(at, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	work := out.Work
	for n := 1; ; n++ {
		deals = append(deals, out.Events.Deals()...)
		for e := range out.Events.All() {
			if change, is := e.(*schema.OrderChanged); is {
				changes = append(changes, naive.Change{Change: change.Change, Order: change.Order})
			}
		}
		if out.Finished == work && out.Work == 0 {
			if answer != nil && work != 0 {
				return nil, nil, nil, fmt.Errorf("work %d ended twice", work)
			}
			if answer == nil {
				answer = copied(&out.Result)
			}
		}
		if !tr.fast.Busy() {
			break
		}
		if n > 100_000 {
			return nil, nil, nil, errors.New("the work does not end")
		}
		if out, err = tr.step(at, new(schema.Continue)); err != nil {
			return nil, nil, nil, fmt.Errorf("slice %d: %w", n, err)
		}
	}
	if answer == nil {
		return nil, nil, nil, fmt.Errorf("work %d ended without an answer", work)
	}
	return answer, deals, changes, nil
}

// byMarket puts changes market by market: in slices the work of a tick goes on everywhere at once.
func byMarket(changes []naive.Change) []naive.Change {
	slices.SortStableFunc(changes, func(a, b naive.Change) int { return cmp.Compare(a.Order.Market, b.Order.Market) })
	return changes
}

func copied(r *schema.Result) *schema.Result {
	c := *r
	c.Items = slices.Clone(c.Items)
	return &c
}

// step runs one command on the machines and checks what must hold after each: the invariants, that
// a refused command does nothing, that events tell everything, and that all machines are in one
// state.
func (tr *trial) step(at schema.Time, cmd schema.Command) (*schema.Outcome, error) {
	before := tr.fast.Hash()
	out := tr.fast.Apply(at, cmd)
	after := tr.fast.Hash()
	tr.count++
	if out.Result.Rejection.Refused() && out.Finished == 0 {
		if before != after {
			return nil, errors.New("a refused command changed the state")
		}
		if out.Events.Len() != 0 || out.Work != 0 {
			return nil, errors.New("a refused command left events or work")
		}
	}
	if err := tr.fast.Verify(); err != nil {
		return nil, err
	}
	if err := tr.compareEvents(out); err != nil {
		return nil, err
	}
	return out, tr.compareShadows(at, cmd, after)
}

// compareEvents holds what the events tell against the state.
func (tr *trial) compareEvents(out *schema.Outcome) error {
	if err := tr.mirror.see(&out.Events); err != nil {
		return err
	}
	if err := tr.mirror.balanced(tr.fast); err != nil || tr.fast.Busy() {
		return err
	}
	return tr.mirror.same(tr.fast)
}

func sameResult(got, want *schema.Result) error {
	if got.Rejection != want.Rejection {
		return fmt.Errorf("rejection: got %d %q, want %d %q", got.Rejection.Reason, got.Rejection.Text(), want.Rejection.Reason, want.Rejection.Text())
	}
	if got.ID != want.ID || got.Timer != want.Timer || got.Order != want.Order {
		return fmt.Errorf("result:\n got %+v\nwant %+v", got, want)
	}
	if len(got.Items) != len(want.Items) {
		return fmt.Errorf("%d items instead of %d", len(got.Items), len(want.Items))
	}
	for i := range got.Items {
		if got.Items[i] != want.Items[i] {
			return fmt.Errorf("item %d:\n got %+v\nwant %+v", i, got.Items[i], want.Items[i])
		}
	}
	return nil
}

func (tr *trial) compareState() error {
	owners := []schema.AccountID{schema.Outside, schema.Fees}
	for _, a := range tr.fast.Accounts().All() {
		owners = append(owners, a.ID)
	}
	for _, owner := range owners {
		for wallet := schema.Main; wallet <= schema.Earn; wallet++ {
			for _, asset := range tr.fast.Listing().Assets() {
				a1, f1, h1 := tr.fast.Balance(owner, wallet, asset.ID)
				a2, f2, h2 := tr.slow.Balance(owner, wallet, asset.ID)
				if a1 != a2 || f1 != f2 || h1 != h2 {
					return fmt.Errorf("balance of %d in %s of %s: got %s %s %s, want %s %s %s", owner, wallet, asset.Ticker, a1, f1, h1, a2, f2, h2)
				}
			}
		}
	}
	for _, info := range tr.fast.Listing().Markets() {
		if got, want := tr.fast.Trading().All(info.ID), tr.slow.Orders(info.ID); !reflect.DeepEqual(got, want) {
			return fmt.Errorf("orders on %s:\n got %+v\nwant %+v", info.Name, got, want)
		}
		if got, want := tr.fast.Trading().Market(info.ID).Last, tr.slow.LastPrice(info.ID); got != want {
			return fmt.Errorf("last price on %s: got %s, want %s", info.Name, got, want)
		}
		for _, side := range []schema.Side{schema.Buy, schema.Sell} {
			got, want := tr.fast.Trading().Depth(info.ID, side, -1), tr.slow.Levels(info.ID, side)
			if len(got) != len(want) {
				return fmt.Errorf("levels on %s: got %v, want %v", info.Name, got, want)
			}
			for i := range got {
				if got[i].Price != want[i].Price || got[i].Amount != want[i].Amount {
					return fmt.Errorf("levels on %s: got %v, want %v", info.Name, got, want)
				}
			}
		}
	}
	timers := map[schema.KillSwitch]bool{}
	for _, k := range tr.fast.Trading().KillSwitches() {
		timers[k] = true
	}
	want := tr.slow.KillSwitches()
	if len(timers) != len(want) {
		return fmt.Errorf("kill switches: got %v, want %v", timers, want)
	}
	for _, k := range want {
		if !timers[k] {
			return fmt.Errorf("kill switches: got %v, want %v", timers, want)
		}
	}
	return nil
}

// compareShadows runs the command on the machines that must end up in the same state.
func (tr *trial) compareShadows(at schema.Time, cmd schema.Command, hash [32]byte) error {
	sent, rest, err := schema.NextEnvelope(schema.AppendEnvelope(nil, &schema.Envelope{Time: at, Command: cmd}))
	if err != nil || len(rest) != 0 {
		return fmt.Errorf("the command does not survive its encoding: %w", err)
	}
	tr.twin.Apply(sent.Time, sent.Command)
	if tr.twin.Hash() != hash {
		return fmt.Errorf("a machine with the same commands has another hash")
	}
	if tr.count%3 == 0 {
		if tr.restored, err = Restore(tr.restored.Snapshot()); err != nil {
			return err
		}
		tr.restored.SetSlice(tr.slice)
	}
	tr.restored.Apply(at, cmd)
	if tr.restored.Hash() != hash {
		return fmt.Errorf("a machine that was restored has another hash")
	}
	return nil
}

// moment is a command and when it is sent.
type moment struct {
	at  schema.Time
	cmd schema.Command
}

// sender lets a command happen and tells what went wrong.
type sender func(schema.Time, schema.Command) error

// run sends a log. A panic is one more thing that can go wrong.
func (send sender) run(log ...moment) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for _, m := range log {
		if err := send(m.at, m.cmd); err != nil {
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
		fmt.Fprintf(&text, "%d %T %+v\n", m.at, m.cmd, m.cmd)
	}
	return fmt.Sprintf("%s%v", text.String(), err)
}

// TestAgainstNaive drives the core and the naive exchange with the same random commands and
// holds every result, deal, balance, order and level of one against the other's. The core works in
// slices and the naive exchange does not.
func TestAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, w := newTrial(pick(t, 1, 2, 3, slice)), newWorld(t)
		w.bank = tr.fast
		var log []moment
		send := func(at schema.Time, cmd schema.Command) {
			log = append(log, moment{at, cmd})
			if err := sender(tr.apply).run(log[len(log)-1]); err != nil {
				t.Fatalf("slices of %d\n%s", tr.slice, story(log, func() sender { return newTrial(tr.slice).apply }))
			}
		}
		for _, cmd := range w.birth() {
			send(w.now, cmd)
		}
		for range rapid.IntRange(1, 120).Draw(t, "commands") {
			send(w.next(t))
			w.orders = tr.fast.Trading().Counters().Order
		}
	})
}
