package limit

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

// midnight is the beginning of a window, whatever the window.
var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func mustAddr(s string) netip.Addr { return netip.MustParseAddr(s) }

// numbered is one of four billion addresses.
func numbered(n uint32) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], n)
	return netip.AddrFrom4(four)
}

// allowed is how many of so many requests pass.
func allowed(l *Limiter, addr netip.Addr, at time.Time, count int, rules ...*Rule) (passed int) {
	for range count {
		if l.Allow(addr, at, rules) {
			passed++
		}
	}
	return passed
}

func TestAWindowEndsOnTheClock(t *testing.T) {
	l := New(100)
	rule := l.Rule(3, 10*time.Second)
	alice := mustAddr("192.0.2.1")
	for _, step := range []struct {
		after time.Duration
		want  int
	}{
		{9 * time.Second, 3}, // the window began before the first request
		{10*time.Second - 1, 0},
		{10 * time.Second, 3},
		{20*time.Second - 1, 0},
		{20 * time.Second, 3},
		{time.Hour, 3},
		{time.Hour, 0},
	} {
		if got := allowed(l, alice, midnight.Add(step.after), 5, rule); got != step.want {
			t.Errorf("after %v: %d of 5 passed, want %d", step.after, got, step.want)
		}
	}
}

func TestARefusedRequestUsesUpNothing(t *testing.T) {
	l := New(100)
	scope, narrow, wide := l.Rule(10, 10*time.Second), l.Rule(2, 10*time.Second), l.Rule(20, time.Minute)
	alice := mustAddr("192.0.2.1")
	if got := allowed(l, alice, midnight, 100, scope, narrow); got != 2 {
		t.Errorf("the narrow endpoint took %d, want 2", got)
	}
	if got := allowed(l, alice, midnight, 100, wide, scope); got != 8 {
		t.Errorf("the scope had %d left, want 8", got)
	}
	// The order of the rules makes no difference.
	if got := allowed(l, alice, midnight, 100, wide); got != 12 {
		t.Errorf("the wide rule had %d left, want 12", got)
	}
	if got := allowed(l, mustAddr("192.0.2.2"), midnight, 100, scope, narrow); got != 2 {
		t.Errorf("another address had %d, want 2", got)
	}
	if !l.Allow(alice, midnight, nil) {
		t.Error("refused without a rule")
	}
}

func TestWhoIsWho(t *testing.T) {
	for _, pair := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false},
		{"fe80::1%eth0", "fe80::1%eth1", true},
		{"::1", "0.0.0.0", false},
	} {
		l := New(100)
		rule := l.Rule(1, time.Second)
		first := l.Allow(mustAddr(pair.a), midnight, []*Rule{rule})
		second := l.Allow(mustAddr(pair.b), midnight, []*Rule{rule})
		if !first || second == pair.same {
			t.Errorf("%s and %s: %v, %v", pair.a, pair.b, first, second)
		}
	}
	l := New(100)
	rule := l.Rule(1, time.Second)
	if allowed(l, netip.Addr{}, midnight, 2, rule) != 1 || allowed(l, mustAddr("0.0.0.0"), midnight, 2, rule) != 1 {
		t.Error("no address is not an address of its own")
	}
}

func TestRequestsThatPassEachOtherAtTheBorder(t *testing.T) {
	l := New(100)
	rule := l.Rule(3, 10*time.Second)
	alice, border := mustAddr("192.0.2.1"), midnight.Add(10*time.Second)
	if got := allowed(l, alice, border, 2, rule); got != 2 {
		t.Fatal(got)
	}
	// Taken in earlier, counted later: the new window goes on, it does not begin again.
	if got := allowed(l, alice, border.Add(-1), 1, rule); got != 1 {
		t.Error("a late request was refused while there was room")
	}
	if got := allowed(l, alice, border, 5, rule); got != 0 {
		t.Errorf("%d more than allowed", got)
	}
	// The clock is put back by an hour: nobody waits for an hour.
	if got := allowed(l, alice, border.Add(-time.Hour), 5, rule); got != 3 {
		t.Errorf("after the clock was put back: %d, want 3", got)
	}
}

// used counts the slots that were ever used, and all that there are.
func (l *Limiter) used() (used, all int) {
	for i := range l.shards {
		for _, s := range l.shards[i].slots {
			if s.kind != never {
				used++
			}
		}
		all += len(l.shards[i].slots)
	}
	return used, all
}

func TestAFloodGrowsNothingAndStarvesNobody(t *testing.T) {
	const addresses = 1000
	l := New(addresses)
	rule := l.Rule(10, 10*time.Second)
	_, before := l.used()
	// Customers are those who were there before; half of them come from IPv6.
	customers := make([]netip.Addr, addresses)
	for i := range customers {
		customers[i] = numbered(uint32(i) + 1<<24)
		if i%2 == 0 {
			customers[i] = mustAddr(fmt.Sprintf("2001:db8:0:%x::1", i))
		}
	}
	for window, flood := range []uint32{0, 1_000_000, 50_000, 50_000} {
		at := midnight.Add(time.Duration(window) * 10 * time.Second)
		flooded := 0
		for n := range flood { // it is always first
			flooded += allowed(l, numbered(n+1<<30), at, 1, rule)
		}
		for i, customer := range customers {
			if got := allowed(l, customer, at.Add(9*time.Second), 11, rule); got != 10 {
				t.Fatalf("window %d, customer %d: %d passed, want 10", window, i, got)
			}
		}
		used, all := l.used()
		if all != before {
			t.Errorf("window %d: %d slots, there were %d", window, all, before)
		}
		// Each slot passes one request of its address, each shared counter ten.
		if most := used + shards*shared*10; flooded > most {
			t.Errorf("window %d: %d requests of the flood passed, want at most %d", window, flooded, most)
		}
	}
	// The flood is over: its slots are taken over, and new addresses have counters of their own.
	at := midnight.Add(time.Hour)
	for n := range uint32(addresses) {
		if got := allowed(l, numbered(n), at, 11, rule); got != 10 {
			t.Fatalf("a new address after the flood: %d, want 10", got)
		}
	}
}

func TestMemoryIsWhatTheDocumentSays(t *testing.T) {
	if size := unsafe.Sizeof(slot{}); size != 24 {
		t.Errorf("a slot has %d bytes, want 24", size)
	}
	if size := unsafe.Sizeof(shard{}); size != 128 {
		t.Errorf("a shard has %d bytes, want 128", size)
	}
	l := New(100_000)
	if _, all := l.used(); all != 1<<20 {
		t.Errorf("%d slots", all)
	}
	rules := []*Rule{l.Rule(1<<30, 10*time.Second), l.Rule(1<<30, time.Minute)}
	n := uint32(0)
	if allocs := testing.AllocsPerRun(10_000, func() {
		n++
		l.Allow(numbered(n), midnight, rules)
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestAlmostAllFindAPlaceWhileThereIsRoom(t *testing.T) {
	const addresses = 100_000
	l := New(addresses)
	rules := make([]*Rule, countersPerAddress)
	for i := range rules {
		rules[i] = l.Rule(1, 10*time.Second)
	}
	for n := range uint32(addresses) {
		l.Allow(numbered(n), midnight, rules)
	}
	if used, _ := l.used(); used < addresses*countersPerAddress*9999/10000 {
		t.Errorf("%d counters found a place, want nearly %d", used, addresses*countersPerAddress)
	}
}

func TestConcurrentRequestsAreCountedExactly(t *testing.T) {
	l := New(100)
	rules := []*Rule{l.Rule(1000, 10*time.Second), l.Rule(500, time.Second)}
	var passed [3]atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 900 {
				if l.Allow(numbered(uint32(i%3)), midnight, rules) {
					passed[i%3].Add(1)
				}
			}
		})
	}
	all.Wait()
	for i := range passed {
		if got := passed[i].Load(); got != 500 {
			t.Errorf("address %d: %d passed, want 500", i, got)
		}
	}
}

// naive counts in a map that never forgets.
type naive map[string]int

func (n naive) allow(addr netip.Addr, at time.Time, rules []*Rule) bool {
	if addr = addr.Unmap(); addr.Is6() {
		addr = netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	key := func(r *Rule) string { return fmt.Sprint(addr, r.id, at.UnixNano()/int64(r.Window)) }
	for _, r := range rules {
		if n[key(r)] >= r.Count {
			return false
		}
	}
	for _, r := range rules {
		n[key(r)]++
	}
	return true
}

func TestAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, slow := New(rapid.IntRange(16, 64).Draw(t, "room")), naive{}
		var rules []*Rule
		for range rapid.IntRange(1, 4).Draw(t, "rules") {
			window := time.Duration(rapid.IntRange(1, 5000).Draw(t, "window")) * time.Millisecond
			rules = append(rules, l.Rule(rapid.IntRange(0, 6).Draw(t, "count"), window))
		}
		at := midnight
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "later")))
			from := mustAddr(rapid.SampledFrom(places).Draw(t, "from"))
			subset := rules[rapid.IntRange(0, len(rules)-1).Draw(t, "first"):]
			if got, want := l.Allow(from, at, subset), slow.allow(from, at, subset); got != want {
				t.Fatalf("%v at %v: %v, want %v", from, at, got, want)
			}
		}
	})
}

var places = []string{"192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"}

func BenchmarkAllow(b *testing.B) {
	for _, addresses := range []uint32{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("addresses=%d", addresses), func(b *testing.B) {
			l := New(100_000)
			rules := []*Rule{l.Rule(1<<30, 10*time.Second), l.Rule(1<<30, 10*time.Second)}
			b.ReportAllocs()
			for n := uint32(0); b.Loop(); n++ {
				l.Allow(numbered(n%addresses), midnight, rules)
			}
		})
	}
	b.Run("flood", func(b *testing.B) {
		l := New(1000)
		rules := []*Rule{l.Rule(1<<30, 10*time.Second), l.Rule(1<<30, 10*time.Second)}
		b.ReportAllocs()
		for n := uint32(0); b.Loop(); n++ {
			l.Allow(numbered(n), midnight, rules)
		}
	})
}
