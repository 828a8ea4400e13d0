package web

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func address(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)}) }

// One password is tried at a time; 16 have a place, four of them for devices that are known, and an address has one. The others wait for two
// seconds, and there are a thousand at most.
func TestPlacesForPasswords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		first, err := h.enter(address(0), false)
		if err != nil {
			t.Fatal(err)
		}
		turns, refused := make(chan int, 1000), make(chan int, 1000)
		wait := func(n int, known bool) {
			go func() {
				leave, err := h.enter(address(n), known)
				if err == errCrowded {
					refused <- n
					return
				} else if err != nil {
					t.Error(n, err)
					return
				}
				turns <- n
				leave()
			}()
			synctest.Wait()
		}
		see := func(what string, wantTurns, wantRefused int) {
			t.Helper()
			if len(turns) != wantTurns || len(refused) != wantRefused {
				t.Errorf("%s: %d had their turn and %d were turned away, want %d and %d", what, len(turns), len(refused), wantTurns, wantRefused)
			}
		}
		for n := 1; n < 12; n++ {
			wait(n, false)
		}
		wait(3, true)
		see("an address that has a place", 0, 1)
		wait(50, false)
		for n := 12; n < 16; n++ {
			wait(n, true)
		}
		wait(51, true)
		time.Sleep(patience - 1) // of the test's own clock
		synctest.Wait()
		see("a thirteenth stranger and a fifth that is known", 0, 1)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		see("when they waited for two seconds", 0, 3)
		wait(50, false)
		wait(51, true)
		first()
		time.Sleep(time.Minute)
		synctest.Wait()
		see("who asked again", 17, 3)
		if len(h.here) != 0 || len(h.places) != 0 || len(h.strangers) != 0 {
			t.Errorf("%d have a place", len(h.here))
		}
	})
}

func TestThoseWhoWaitForPlacesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		last, err := h.enter(address(0), false)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n < lobbyMost; n++ {
			go func() {
				if leave, err := h.enter(address(n), true); err == nil {
					leave()
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		if _, err := h.enter(address(lobbyMost), true); err != errCrowded || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		last()
	})
}

// Passwords of strangers are tried five a second, however fast that is; those of devices that are known do not wait for that.
func TestStrangersLeaveTheMachineToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		began := time.Now()
		turns := make(chan string, 20)
		enter := func(n int, known bool) {
			go func() {
				leave, err := h.enter(address(n), known)
				if err != nil {
					t.Error(n, err)
					return
				}
				turns <- fmt.Sprintf("%d at %v", n, time.Since(began))
				time.Sleep(10 * time.Millisecond) // to try a password
				leave()
			}()
			synctest.Wait()
		}
		enter(1, false)
		enter(2, false)
		enter(3, false)
		time.Sleep(250 * time.Millisecond)
		enter(4, true)
		enter(5, true)
		time.Sleep(time.Second)
		synctest.Wait()
		close(turns)
		if got, want := slices.Collect(each(turns)), []string{"1 at 0s", "2 at 200ms", "4 at 250ms", "5 at 260ms", "3 at 400ms"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func each(c chan string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for s := range c {
			if !yield(s) {
				return
			}
		}
	}
}
