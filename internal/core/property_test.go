package core

import (
	"fmt"
	"reflect"
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
	count    int
}

func newTrial() *trial {
	return &trial{fast: New(), slow: naive.New(), twin: New(), restored: New()}
}

// apply runs a command everywhere and compares everything that can be seen.
func (tr *trial) apply(at schema.Time, cmd schema.Command) error {
	before := tr.fast.Hash()
	out := tr.fast.Apply(at, cmd)
	after := tr.fast.Hash()
	tr.count++
	if out.Result.Rejection.Refused() && before != after {
		return fmt.Errorf("a refused command changed the state")
	}
	if out.Result.Rejection.Refused() && out.Events.Len() != 0 {
		return fmt.Errorf("a refused command left events")
	}
	if err := tr.fast.Verify(); err != nil {
		return err
	}
	want := tr.slow.Apply(at, cmd)
	if err := sameResult(&out.Result, &want); err != nil {
		return err
	}
	if err := tr.compareDeals(out); err != nil {
		return err
	}
	if err := tr.compareState(); err != nil {
		return err
	}
	return tr.compareShadows(at, cmd, after)
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

func (tr *trial) compareDeals(out *schema.Outcome) error {
	var got []schema.Deal
	for event := range out.Events.All() {
		if deal, ok := event.(*schema.Deal); ok {
			got = append(got, *deal)
		}
	}
	if want := tr.slow.Deals(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("deals:\n got %+v\nwant %+v", got, want)
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
		if got, want := tr.fast.Trading().Last(info.ID), tr.slow.LastPrice(info.ID); got != want {
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
	}
	tr.restored.Apply(at, cmd)
	if tr.restored.Hash() != hash {
		return fmt.Errorf("a machine that was restored has another hash")
	}
	return nil
}

// TestAgainstNaive drives the core and the naive exchange with the same random commands and
// holds every result, deal, balance, order and level of one against the other's.
func TestAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, w := newTrial(), &world{now: start}
		for _, cmd := range genesis() {
			if err := tr.apply(w.now, cmd); err != nil {
				t.Fatalf("%T: %v", cmd, err)
			}
		}
		for i := range rapid.IntRange(1, 120).Draw(t, "commands") {
			at, cmd := w.next(t)
			if err := tr.apply(at, cmd); err != nil {
				t.Fatalf("command %d, %T %+v\n%v", i, cmd, cmd, err)
			}
			w.orders = tr.fast.Trading().Counters().Order
		}
	})
}
