package core

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// earlier orders kill switches as they fire.
func earlier(a, b schema.KillSwitch) int {
	return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Market, b.Market))
}

// stopped are the kill switches that an outcome ended, in the order of its events.
func stopped(out *schema.Outcome) (list []schema.KillSwitch) {
	for e := range out.Events.All() {
		if k, is := e.(*schema.KillSwitchChanged); is && !k.Running {
			list = append(list, k.Timer)
		}
	}
	return list
}

// TestKillSwitchesFireInOrder arms many kill switches, often with the same deadline, restarts and
// removes some, and lets them fire: by deadline, then account, then market. A machine that is
// restored from a snapshot on the way does the same.
func TestKillSwitchesFireInOrder(t *testing.T) {
	const traders = 60
	rapid.Check(t, func(t *rapid.T) {
		m := New()
		now := start
		for _, c := range genesis() {
			m.Apply(now, c)
		}
		for i := range traders {
			m.Apply(now, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("other%d", i), Region: schema.Global}})
		}
		want := map[[2]uint32]schema.KillSwitch{}
		for range rapid.IntRange(1, 40).Draw(t, "rounds") {
			now += schema.Time(rapid.IntRange(0, 3).Draw(t, "pause")) * schema.Second
			due := sortedTimers(want, func(k schema.KillSwitch) bool { return k.Deadline <= now })
			if got := stopped(m.Apply(now, &schema.Tick{})); !slices.Equal(got, due) {
				t.Fatalf("fired %v, want %v", got, due)
			}
			for _, k := range due {
				delete(want, [2]uint32{uint32(k.Account), uint32(k.Market)})
			}
			for range rapid.IntRange(0, 60).Draw(t, "commands") {
				account := schema.FirstCustomer + schema.AccountID(rapid.IntRange(0, traders+worldAccounts-1).Draw(t, "account"))
				market := schema.MarketID(rapid.IntRange(1, worldMarkets).Draw(t, "market"))
				timeout := schema.Time(rapid.SampledFrom([]int{0, 5, 5, 6, 7, 15, 40}).Draw(t, "timeout")) * schema.Second
				out := m.Apply(now, &schema.SetKillSwitch{Account: account, Market: market, Timeout: timeout})
				if out.Result.Rejection.Refused() {
					t.Fatal(out.Result.Rejection.Text())
				}
				key := [2]uint32{uint32(account), uint32(market)}
				delete(want, key)
				if timeout != 0 {
					want[key] = out.Result.Timer
				}
			}
			all := sortedTimers(want, func(schema.KillSwitch) bool { return true })
			if got := m.Trading().KillSwitches(); !slices.Equal(got, all) {
				t.Fatalf("running are %v, want %v", got, all)
			}
			if err := m.Verify(); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
				hash := m.Hash()
				restored, err := Restore(m.Snapshot())
				if err != nil || restored.Hash() != hash {
					t.Fatalf("the restored machine is another one: %v", err)
				}
				m = restored
			}
		}
		// A market that ends takes its timers along, the next to fire first.
		due := sortedTimers(want, func(k schema.KillSwitch) bool { return k.Market != 2 && k.Deadline <= now+schema.Second })
		gone := sortedTimers(want, func(k schema.KillSwitch) bool { return k.Market == 2 })
		m.Apply(now, &schema.PlanDelisting{Market: 2, At: now + schema.Second})
		now += schema.Second
		if got := stopped(m.Apply(now, &schema.Tick{})); !slices.Equal(got, append(gone, due...)) {
			t.Fatalf("stopped %v, want %v and %v", got, gone, due)
		}
		if err := m.Verify(); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(m.Trading().KillSwitches(), func(k schema.KillSwitch) bool { return k.Market == 2 }) {
			t.Fatal("a kill switch runs on a market that is gone")
		}
	})
}

func sortedTimers(want map[[2]uint32]schema.KillSwitch, which func(schema.KillSwitch) bool) (list []schema.KillSwitch) {
	for _, k := range want {
		if which(k) {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, earlier)
	return list
}
