package auth

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/schema"
)

// noon is the time of day at which the tests begin, and the nonce of that moment.
const (
	noon      = 1_800_000_000 * schema.Second
	noonNonce = 1_800_000_000_000
)

// clock is what the test says it is.
type clock struct{ atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.Store(int64(noon))
	return c
}

func (c *clock) now() schema.Time    { return schema.Time(c.Load()) }
func (c *clock) pass(d schema.Time)  { c.Add(int64(d)) }
func (c *clock) set(nonce uint64)    { c.Store(int64(nonce) * 1000) }
func mustPath(t *testing.T) string   { return filepath.Join(t.TempDir(), "nonces") }
func (r *Register) rewrite() error   { return r.file.rewrite(r.summary) }
func refused(got schema.Reason) bool { return got != schema.OK }
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// open opens a register that does in the background nothing that the test does not do.
func open(t testing.TB, path string, c *clock) *Register {
	t.Helper()
	r, err := OpenRegister(path, c.now)
	must(t, err)
	r.stop()
	r.helper.Wait()
	return r
}

// killed is the register that finds what another one has left behind when it was killed.
func killed(t testing.TB, r *Register, c *clock) *Register {
	t.Helper()
	data, err := os.ReadFile(r.file.path)
	must(t, err)
	path := r.file.path + "+"
	must(t, os.WriteFile(path, data, 0o600), r.Close())
	return open(t, path, c)
}

// spend uses a nonce and keeps it.
func spend(t testing.TB, r *Register, key schema.KeyID, nonce uint64, window bool) {
	t.Helper()
	if got := r.Use(key, nonce, window); got != schema.OK {
		t.Fatalf("key %d, nonce %d, window %v: refused for %v", key, nonce, window, got)
	}
	must(t, r.Keep(key, nonce, window))
}

func TestUsedNoncesStayUsed(t *testing.T) {
	for name, again := range map[string]func(testing.TB, *Register, *clock) *Register{
		"in memory":    func(_ testing.TB, r *Register, _ *clock) *Register { return r },
		"after a kill": killed,
		"after a close": func(t testing.TB, r *Register, c *clock) *Register {
			must(t, r.Close())
			return open(t, r.file.path, c)
		},
		"rewritten": func(t testing.TB, r *Register, _ *clock) *Register {
			must(t, r.rewrite())
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			r := open(t, mustPath(t), c)
			spend(t, r, 1, 7, false)             // alice counts from 1
			spend(t, r, 2, noonNonce+3, true)    // bob has a window
			spend(t, r, 2, noonNonce-4000, true) //
			spend(t, r, 3, noonNonce-100, true)  // carol mixes
			spend(t, r, 3, noonNonce+100, false) //
			spend(t, r, 3, noonNonce+200, true)  //
			r = again(t, r, c)
			defer r.Close()
			for _, step := range []struct {
				key    schema.KeyID
				nonce  uint64
				window bool
				want   schema.Reason
			}{
				{1, 6, false, schema.NonceUsed},
				{1, 7, false, schema.NonceUsed},
				{1, 7, true, schema.NonceOutsideWindow},
				{1, 8, false, schema.OK},
				{2, noonNonce + 3, true, schema.NonceUsed},
				{2, noonNonce + 3, false, schema.NonceUsed},
				{2, noonNonce - 4000, true, schema.NonceUsed},
				{2, noonNonce, true, schema.OK},
				{2, noonNonce, false, schema.NonceUsed},
				{2, noonNonce + 4, false, schema.OK},
				{3, noonNonce - 100, true, schema.NonceUsed},
				{3, noonNonce + 100, true, schema.NonceUsed},
				{3, noonNonce + 99, true, schema.NonceUsed}, // below an ordinary one
				{3, noonNonce + 200, true, schema.NonceUsed},
				{3, noonNonce + 200, false, schema.NonceUsed},
				{3, noonNonce + 150, true, schema.OK},
				{3, noonNonce + 201, false, schema.OK},
				{4, 1, false, schema.OK},
			} {
				if got := r.Use(step.key, step.nonce, step.window); got != step.want {
					t.Errorf("key %d, nonce %d, window %v: %v, want %v", step.key, step.nonce, step.window, got, step.want)
				}
			}
		})
	}
}

func TestWhatWasNotKeptIsForgotten(t *testing.T) {
	c := newClock()
	r := open(t, mustPath(t), c)
	if refused(r.Use(1, 5, false)) {
		t.Fatal("refused")
	}
	r = killed(t, r, c)
	defer r.Close()
	if refused(r.Use(1, 5, false)) {
		t.Error("the file knows what only the log should")
	}
}

func TestTheCoresNoncesAreLearned(t *testing.T) {
	c := newClock()
	var core accounts.Nonces
	core.Use(noonNonce-50, false, c.now())
	core.Use(noonNonce+10, true, c.now())
	r := open(t, mustPath(t), c)
	defer func() { r.Close() }()
	spend(t, r, 1, noonNonce+20, true) // a read, before the register heard of the core
	r.Learn(1, core)
	// The core goes on in its own memory.
	core.Use(noonNonce+9, true, c.now())
	for _, nonce := range []uint64{noonNonce - 60, noonNonce - 50, noonNonce + 10, noonNonce + 20} {
		if !refused(r.Use(1, nonce, true)) || !refused(r.Use(1, nonce, false)) {
			t.Errorf("%d was used twice", nonce)
		}
	}
	if refused(r.Use(1, noonNonce+9, true)) || refused(r.Use(1, noonNonce+21, false)) {
		t.Error("a new one was refused")
	}
}

func TestADeletedKeyIsForgotten(t *testing.T) {
	c := newClock()
	r := open(t, mustPath(t), c)
	spend(t, r, 1, 100, false)
	spend(t, r, 2, 100, false)
	r.Forget(1)
	r = killed(t, r, c)
	defer r.Close()
	if len(r.shard(1).keys) != 0 {
		t.Error("the deleted key is still known")
	}
	if !refused(r.Use(2, 100, false)) {
		t.Error("another key was forgotten")
	}
	if size := r.file.size; size != int64(len(header)+recordSize) {
		t.Errorf("the file has %d bytes", size)
	}
}

func TestTheClockMayGoBack(t *testing.T) {
	c := newClock()
	r := open(t, mustPath(t), c)
	spend(t, r, 1, noonNonce, true)
	c.pass(60 * schema.Second)
	spend(t, r, 1, noonNonce+60_000, true) // the first one is outside the window and forgotten
	spend(t, r, 2, noonNonce+60_000, true)
	c.pass(60 * schema.Second)
	must(t, r.rewrite())
	r = killed(t, r, c)
	defer r.Close()
	for _, nonce := range []uint64{noonNonce, noonNonce + 60_000} {
		c.set(nonce)
		if !refused(r.Use(1, nonce, true)) {
			t.Errorf("%d was used twice", nonce)
		}
	}
	if !refused(r.Use(2, noonNonce+60_000, true)) || refused(r.Use(2, noonNonce+60_001, true)) {
		t.Error("key 2: the old one was accepted, or the new one refused")
	}
}

func TestATornEndIsIgnored(t *testing.T) {
	for name, tail := range map[string][]byte{
		"nothing":       nil,
		"a byte":        {1},
		"half a record": record{1, ordinary, 1 << 40}.append(nil)[:15],
		"zeros":         make([]byte, 3*recordSize+5),
	} {
		t.Run(name, func(t *testing.T) {
			c, path := newClock(), mustPath(t)
			r := open(t, path, c)
			spend(t, r, 1, 100, false)
			must(t, r.Close())
			data, err := os.ReadFile(path)
			must(t, err, os.WriteFile(path, append(data, tail...), 0o600))
			r = open(t, path, c)
			spend(t, r, 1, 101, false)
			r = killed(t, r, c)
			defer r.Close()
			if !refused(r.Use(1, 101, false)) || refused(r.Use(1, 102, false)) {
				t.Error("what came after the torn end was not found, or something else was")
			}
		})
	}
}

func TestDamageIsFound(t *testing.T) {
	c, path := newClock(), mustPath(t)
	r := open(t, path, c)
	spend(t, r, 1, 100, false)
	spend(t, r, 2, noonNonce, true)
	must(t, r.Close())
	good, err := os.ReadFile(path)
	must(t, err)
	broken := func(what string, data []byte) {
		must(t, os.WriteFile(path, data, 0o600))
		_, err := OpenRegister(path, c.now)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "move this one away") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range good {
		for bit := range 8 {
			good[i] ^= 1 << bit
			broken("a flipped bit", good)
			good[i] ^= 1 << bit
		}
	}
	broken("an empty file", nil)
	broken("half a header", good[:8])
	broken("another file", []byte("{\"nonces\": []} and so on and so on"))
}

func TestALongFileIsWrittenAnew(t *testing.T) {
	c := newClock()
	r := open(t, mustPath(t), c)
	for n := range uint64(minRewrite/recordSize - 2) {
		must(t, r.Keep(1, n+1, false))
	}
	must(t, r.tend())
	if r.file.size < minRewrite-recordSize || r.file.dirty {
		t.Fatalf("too early: %d bytes, dirty %v", r.file.size, r.file.dirty)
	}
	must(t, r.Keep(1, 1<<30, false), r.Keep(2, noonNonce, true), r.tend())
	if want := int64(len(header) + 2*recordSize); r.file.size != want || r.file.dirty {
		t.Errorf("%d bytes, want %d; dirty %v", r.file.size, want, r.file.dirty)
	}
	// When much is needed, the file is rewritten each time it has doubled.
	for key := range schema.KeyID(minRewrite / recordSize) {
		must(t, r.Keep(key+1, 1<<31, false))
	}
	must(t, r.tend())
	fresh := r.file.fresh
	for range fresh / recordSize / 2 {
		must(t, r.Keep(1, 1<<31, false))
	}
	must(t, r.tend())
	if r.file.fresh != fresh || r.file.size < fresh*3/2 {
		t.Errorf("rewritten at %d bytes, after %d", r.file.size, fresh)
	}
	r = killed(t, r, c)
	defer r.Close()
	if !refused(r.Use(1, 1<<31, false)) || !refused(r.Use(2, noonNonce, true)) || !refused(r.Use(60_000, 1<<31, false)) {
		t.Error("a used nonce was accepted")
	}
}

func TestKeepingGoesOnWhileTheFileIsWrittenAnew(t *testing.T) {
	const keys, each = 4, 2000
	c := newClock()
	r := open(t, mustPath(t), c)
	var left atomic.Int64
	var all sync.WaitGroup
	left.Store(keys)
	for key := range schema.KeyID(keys) {
		all.Go(func() {
			defer left.Add(-1)
			for n := range uint64(each) {
				if err := r.Keep(key+1, noonNonce+n, key%2 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for left.Load() > 0 {
		must(t, r.rewrite())
	}
	all.Wait()
	r = killed(t, r, c)
	defer r.Close()
	for key := range schema.KeyID(keys) {
		for n := range uint64(each) {
			if !refused(r.Use(key+1, noonNonce+n, true)) || !refused(r.Use(key+1, noonNonce+n, false)) {
				t.Fatalf("key %d: %d was lost", key+1, n)
			}
		}
	}
}

func TestOneOfManyWins(t *testing.T) {
	for _, window := range []bool{false, true} {
		r := open(t, mustPath(t), newClock())
		var wins atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for n := range uint64(200) {
					if r.Use(1, noonNonce+n, window) == schema.OK {
						wins.Add(1)
					}
				}
			})
		}
		all.Wait()
		// In the ordinary mode one may be overtaken by a higher one, but none wins twice.
		if got := wins.Load(); got > 200 || window && got != 200 {
			t.Errorf("window %v: %d uses of 200 nonces", window, got)
		}
		must(t, r.Close())
	}
}

func TestTroubleIsToldUntilItIsOver(t *testing.T) {
	c := newClock()
	r := open(t, mustPath(t), c)
	spend(t, r, 1, 1, false)

	// The disk takes nothing: Keep says so, and nothing is forgotten in memory.
	must(t, r.file.open.Close())
	if r.Keep(1, 2, false) == nil {
		t.Error("kept in a closed file")
	}
	r.file.tell(r.tend())
	if r.file.trouble == nil || !r.file.due() {
		t.Error("a sync that failed was taken for one")
	}
	// It works again: the file is rewritten, with what could not be written before.
	r.file.tell(r.tend())
	must(t, r.Keep(1, 3, false))

	// There is no place for a new file; the old one goes on.
	blocked := filepath.Join(r.file.path+".new", "blocked")
	must(t, os.MkdirAll(blocked, 0o700))
	r.file.lost = true
	r.file.tell(r.tend())
	if err := r.Keep(1, 4, false); err == nil || !strings.Contains(err.Error(), r.file.path) {
		t.Errorf("while the file could not be rewritten: %v", err)
	}
	must(t, os.RemoveAll(filepath.Dir(blocked)))
	r.file.tell(r.tend())
	must(t, r.Keep(2, 1, false))
	r = killed(t, r, c)
	defer r.Close()
	if !refused(r.Use(1, 4, false)) || !refused(r.Use(2, 1, false)) {
		t.Error("a used nonce was accepted")
	}
}

func TestAClosedRegisterKeepsNothing(t *testing.T) {
	r, err := OpenRegister(mustPath(t), newClock().now)
	must(t, err)
	must(t, r.Keep(1, 1, false), r.Close())
	if err := r.Keep(1, 2, false); !errors.Is(err, os.ErrClosed) {
		t.Errorf("kept by a closed register: %v", err)
	}
	if _, err := OpenRegister(filepath.Join(t.TempDir(), "nowhere", "nonces"), newClock().now); err == nil {
		t.Error("opened in a directory that is not there")
	}
}

func BenchmarkRegister(b *testing.B) {
	c := newClock()
	r := open(b, filepath.Join(b.TempDir(), "nonces"), c)
	defer r.Close()
	b.Run("Use", func(b *testing.B) {
		b.ReportAllocs()
		for n := uint64(0); b.Loop(); n++ {
			r.Use(schema.KeyID(n%1000+1), n+1, false)
		}
	})
	b.Run("UseInWindow", func(b *testing.B) { // a thousand per second: ten thousand are recent
		b.ReportAllocs()
		for n := uint64(noonNonce); b.Loop(); n++ {
			c.set(n)
			r.Use(2000, n, true)
		}
	})
	b.Run("Keep", func(b *testing.B) {
		b.ReportAllocs()
		for n := uint64(0); b.Loop(); n++ {
			if err := r.Keep(1, n, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}
