package auth

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/accounts"
	"bourse/internal/schema"
)

// request is one signed request of the random tests.
type request struct {
	key    schema.KeyID
	nonce  uint64
	window bool
}

// requests draws requests around the time of day.
func requests(c *clock) *rapid.Generator[request] {
	return rapid.Custom(func(t *rapid.T) request {
		near := int64(c.now()/1000) + rapid.Int64Range(-5003, 5003).Draw(t, "near")*int64(rapid.IntRange(0, 1).Draw(t, "far"))
		near += rapid.Int64Range(-3, 3).Draw(t, "by")
		return request{
			key:    schema.KeyID(rapid.IntRange(1, 3).Draw(t, "key")),
			nonce:  uint64(near),
			window: rapid.IntRange(0, 3).Draw(t, "mode") > 0,
		}
	})
}

// world is a register that is killed and rewritten at random.
type world struct {
	*Register
	clock *clock
}

func newWorld(t *rapid.T) *world {
	dir, err := os.MkdirTemp("", "nonces")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &world{clock: newClock()}
	w.open(t, filepath.Join(dir, "nonces"))
	t.Cleanup(func() { w.Close() })
	return w
}

func (w *world) open(t *rapid.T, path string) {
	r, err := OpenRegister(path, w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	r.stop()
	r.helper.Wait()
	w.Register = r
}

// upheaval is something after which the register must be what it was.
func (w *world) upheaval(t *rapid.T) {
	path := w.file.path
	switch rapid.IntRange(0, 2).Draw(t, "upheaval") {
	case 0:
		if err := w.rewrite(); err != nil {
			t.Fatal(err)
		}
		return
	case 1: // killed in the middle of a record
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, record{1, ordinary, 1 << 60}.append(nil)[:rapid.IntRange(0, recordSize-1).Draw(t, "torn")]...)
		path += "+"
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t, path)
}

// TestNoNonceIsAcceptedTwice holds the register against a set that forgets nothing, with a clock
// that goes where it likes.
func TestNoNonceIsAcceptedTwice(t *testing.T) {
	type used struct {
		key   schema.KeyID
		nonce uint64
	}
	rapid.Check(t, func(t *rapid.T) {
		w, kept := newWorld(t), map[used]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				w.upheaval(t)
			case 1:
				w.clock.pass(schema.Time(rapid.Int64Range(-12_000_000, 12_000_000).Draw(t, "time")))
			case 2:
				var core accounts.Nonces
				r := requests(w.clock).Draw(t, "in the core")
				core.Use(r.nonce, r.window, w.clock.now())
				w.Learn(r.key, core)
			default:
				r := requests(w.clock).Draw(t, "request")
				if w.Use(r.key, r.nonce, r.window) != schema.OK {
					continue
				}
				if kept[used{r.key, r.nonce}] {
					t.Fatalf("%+v was accepted twice", r)
				}
				kept[used{r.key, r.nonce}] = true
				if err := w.Keep(r.key, r.nonce, r.window); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.upheaval(t)
		for u := range kept {
			w.clock.set(u.nonce)
			if !refused(w.Use(u.key, u.nonce, true)) || !refused(w.Use(u.key, u.nonce, false)) {
				t.Fatalf("%+v was accepted at the end", u)
			}
		}
	})
}

// TestTheRuleIsThatOfTheCore: with a clock that only goes on, the register answers as the core's
// own nonces do, whatever happens to it.
func TestTheRuleIsThatOfTheCore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		var core [4]accounts.Nonces
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				w.upheaval(t)
			case 1:
				w.clock.pass(schema.Time(rapid.Int64Range(0, 12_000_000).Draw(t, "time")))
			default:
				r := requests(w.clock).Draw(t, "request")
				got, want := w.Use(r.key, r.nonce, r.window), core[r.key].Use(r.nonce, r.window, w.clock.now())
				if got != want {
					t.Fatalf("%+v: %v, want %v", r, got, want)
				}
				if got != schema.OK {
					continue
				}
				if err := w.Keep(r.key, r.nonce, r.window); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
