package node

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestEventsHaveTheSameIDsAfterARestart: the batch, the command in it and the place among its events, the same
// from memory while it happens and from the log after a restart.
func TestEventsHaveTheSameIDsAfterARestart(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	submit(t, n, &schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 8}})
	submit(t, n, account("alice"))
	live := n.Reader(0)
	defer live.Close()
	var wait sync.WaitGroup
	for i := range 500 {
		wait.Go(func() {
			amount := fixed.FromInt(int64(i % 3)) // nothing is refused, and has no events
			var r schema.Result
			err := n.Submit(context.Background(), &schema.Deposit{Account: schema.FirstCustomer, Asset: 1, Amount: amount}, &r)
			if err != nil || r.Rejection.Refused() != amount.IsZero() {
				t.Errorf("a deposit of %s: %v %s", amount, err, r.Rejection.Text())
			}
		})
	}
	wait.Wait()
	saw := eventsUpTo(t, live, n.Applied())
	mustClose(t, n)
	n = open(t, dir)
	defer mustClose(t, n)
	later := n.Reader(0)
	defer later.Close()
	if again := eventsUpTo(t, later, n.Applied()); !reflect.DeepEqual(again, saw) {
		t.Errorf("%d events, and %d after a restart, or others", len(saw), len(again))
	}
	together := false
	for id := range saw {
		together = together || id.Command > 0
	}
	if !together {
		t.Error("no two commands travelled in one batch")
	}
}

// eventsUpTo reads all events up to a batch, and checks that their ids count without gaps.
func eventsUpTo(t *testing.T, r *Reader, applied uint64) map[schema.EventID]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	events := map[schema.EventID]string{}
	for seq := uint64(1); seq <= applied; seq++ {
		step, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range step.Commands {
			index := uint32(0)
			for id, e := range step.Events(&step.Commands[i]) {
				if want := (schema.EventID{Batch: seq, Command: uint32(i), Index: index}); id != want {
					t.Fatalf("an event has the id %v, want %v", id, want)
				}
				events[id] = fmt.Sprintf("%T %+v", e, e)
				index++
			}
		}
	}
	return events
}
