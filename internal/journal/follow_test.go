package journal

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// filled is a journal with a number of batches, and the hash of the last.
func filled(t *testing.T, dir string, batches int) (*Journal, Hash) {
	t.Helper()
	j, err := Open(t.Context(), Options{Dir: dir, SyncInterval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	var prev Hash
	for i := range batches {
		b := Batch{Seq: uint64(i) + 1, Prev: prev, ID: ID{byte(i)}, Commands: fmt.Append(nil, "commands ", i)}
		if err := j.Store(t.Context(), b.Append(nil), uint64(i)); err != nil {
			t.Fatal(err)
		}
		prev = b.Hash()
	}
	return j, prev
}

func TestFollowersLeaveNoConsumers(t *testing.T) {
	j, _ := filled(t, t.TempDir(), 50)
	for range 20 {
		seen := uint64(0)
		err := j.Follow(t.Context(), 10, func(b *Batch) error {
			if seen = b.Seq; seen == 50 {
				return errEnd
			}
			return nil
		})
		if !errors.Is(err, errEnd) || seen != 50 {
			t.Fatalf("at batch %d: %v", seen, err)
		}
		info, err := j.stream.Info(t.Context())
		if err != nil || info.State.Consumers != 0 {
			t.Fatalf("%d consumers are left, %v", info.State.Consumers, err)
		}
	}
}
