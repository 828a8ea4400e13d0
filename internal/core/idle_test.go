package core

import (
	"bytes"
	"fmt"
	"testing"

	"bourse/internal/schema"
)

const (
	hour      = 3600 * schema.Second
	fortnight = 14 * 24 * hour
)

// idleWorld is a customer on an exchange that switches off idle keys since a quarter past an hour.
type idleWorld struct {
	*testing.T
	m     *Machine
	since schema.Time
}

func newIdleWorld(t *testing.T) *idleWorld {
	w := &idleWorld{t, NewExchange(), 1000*hour + hour/4}
	w.do(w.since, &schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	w.do(w.since, &schema.SetFeature{Feature: schema.IdleKeys, On: true})
	return w
}

func (w *idleWorld) do(at schema.Time, c schema.Command) {
	w.Helper()
	if out := w.m.Apply(at, c); out.Result.Rejection.Refused() {
		w.Fatalf("%T: %s", c, out.Result.Rejection.Text())
	}
}

func (w *idleWorld) open(at schema.Time, name string) {
	w.Helper()
	w.do(at, &schema.OpenKey{By: schema.FirstCustomer, Account: schema.FirstCustomer, External: name, Key: name, Sealed: []byte("s"), Type: schema.KeyTrading})
}

// want asks which keys are idle after a tick, and that a snapshot keeps that.
func (w *idleWorld) want(at schema.Time, names ...string) {
	w.Helper()
	w.do(at, &schema.Tick{})
	var idle []string
	for _, k := range w.m.Accounts().Keys() {
		if k.Key.Idle {
			idle = append(idle, k.Key.Key)
		}
	}
	if fmt.Sprint(idle) != fmt.Sprint(names) {
		w.Errorf("at %v %v are idle, want %v", at-w.since, idle, names)
	}
	snapshot := w.m.Snapshot()
	restored, err := Restore(snapshot)
	if err != nil {
		w.Fatal(err)
	}
	if !bytes.Equal(restored.Snapshot(), snapshot) {
		w.Error("a snapshot changes what is kept")
	}
	w.m = restored
}

func (w *idleWorld) uses(at schema.Time, key schema.KeyID) schema.Rejection {
	w.m.Apply(at-1, &schema.Tick{})
	return w.m.ApplyFrom(at, schema.Origin{Key: key, Nonce: uint64(at)}, &schema.CancelAll{Account: schema.FirstCustomer}).Result.Rejection
}

// TestKeysThatNobodyUsesAreSwitchedOff: keys are looked at when an hour is full. A key made at 0:15 is idle 14 days later, which the look at
// 1:00 finds.
func TestKeysThatNobodyUsesAreSwitchedOff(t *testing.T) {
	w := newIdleWorld(t)
	for _, name := range []string{"left", "traded", "read", "edited", "reset"} {
		w.open(w.since, name)
	}
	w.do(w.since, &schema.SetKey{Key: schema.Key{Key: "operators", Account: schema.FirstCustomer, Sealed: []byte("s"), Enabled: true}})
	end := w.since + fortnight
	if r := w.uses(end-hour/2, 2); r.Refused() {
		t.Fatal(r.Text())
	}
	w.do(end-hour/2, &schema.TouchKeys{Keys: []schema.Touched{{Key: 3}, {Key: 6}, {Key: 99}}})
	w.want(end - hour/4) // on the hour: nobody is idle yet
	w.want(end)
	w.want(end + hour*3/4 - 1)
	w.want(end+hour*3/4, "left", "edited", "reset")
	if r := w.uses(end+hour, 1); r.Reason != schema.KeyRefused {
		t.Errorf("an idle key: %s", r.Text())
	}
	w.do(end+hour, &schema.TouchKeys{Keys: []schema.Touched{{Key: 1}}})
	w.do(end+hour, &schema.EditKey{By: schema.FirstCustomer, External: "edited"})
	w.do(end+hour, &schema.ResetKey{By: schema.FirstCustomer, External: "reset", Key: "another", Sealed: []byte("s")})
	w.want(end+3*hour, "left")
	if r := w.uses(end+3*hour, 4); r.Refused() {
		t.Errorf("a key that was edited: %s", r.Text())
	}
	w.do(end+4*hour, &schema.SetKey{Key: schema.Key{Key: "left", Account: schema.FirstCustomer, Sealed: []byte("s"), Enabled: true}})
	w.want(end + fortnight - hour/2 - 1)
	w.want(end + fortnight - hour/4 - 1)
	w.want(end+fortnight-hour/4, "traded", "read")
}

// TestTimeBeforeIdleKeysEndDoesNotCount: nobody noted then who used a key to read.
func TestTimeBeforeIdleKeysEndDoesNotCount(t *testing.T) {
	w := newIdleWorld(t)
	w.open(w.since, "left")
	w.do(w.since+fortnight-hour, &schema.SetFeature{Feature: schema.IdleKeys})
	w.want(w.since + 2*fortnight)
	w.do(w.since+2*fortnight, &schema.SetFeature{Feature: schema.IdleKeys, On: true})
	w.do(w.since+3*fortnight-1, &schema.SetFeature{Feature: schema.IdleKeys, On: true}) // as it is
	w.want(w.since + 3*fortnight - 1)
	w.want(w.since + 3*fortnight)
	w.want(w.since+3*fortnight+hour, "left")
	w.do(w.since+3*fortnight+hour, &schema.SetFeature{Feature: schema.IdleKeys})
	w.want(w.since+3*fortnight+2*hour, "left")
}

// TestATickLooksAtSoManyKeys: 1,200 keys take three ticks, and the next round begins with the next hour.
func TestATickLooksAtSoManyKeys(t *testing.T) {
	w := newIdleWorld(t)
	for n := range 24 {
		account := schema.FirstCustomer + schema.AccountID(n)
		if n > 0 {
			w.do(w.since, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("customer", n), Region: schema.Global}})
		}
		for i := range 50 {
			name := fmt.Sprintf("key%d.%d", n, i)
			w.do(w.since, &schema.OpenKey{By: account, Account: account, External: name, Key: name, Sealed: []byte("s"), Type: schema.KeyTrading})
		}
	}
	w.do(w.since, &schema.CloseKey{By: schema.FirstCustomer + 23, External: "key23.49"})
	at := w.since + fortnight + hour
	for tick, want := range []int{500, 1000, 1199, 1199} {
		w.do(at+schema.Time(tick), &schema.Tick{})
		idle := 0
		for _, k := range w.m.Accounts().Keys() {
			if k.Key.Idle {
				idle++
			}
		}
		if next, is := w.m.accounts.NextTimer(); idle != want || !is || tick < 2 && next > at || tick >= 2 && next != (at/hour+1)*hour {
			t.Errorf("after tick %d %d keys are idle, want %d; the next look is at %v", tick, idle, want, next)
		}
		restored, err := Restore(w.m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		w.m = restored
	}
}
