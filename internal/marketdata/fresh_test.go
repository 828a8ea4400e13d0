package marketdata

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadersDoNotWaitForLong: models that stay behind are given up after 5 s; those that come in time are waited for.
func TestReadersDoNotWaitForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Data{known: 1, ended: make(chan struct{})}
		began := time.Now()
		if err := d.freshAt(t.Context(), 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second || !d.Rebuilding() {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		time.AfterFunc(4*time.Second, func() { d.settle(1) })
		began = time.Now()
		if err := d.freshAt(t.Context(), 1); err != nil || time.Since(began) != 4*time.Second || d.Rebuilding() {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		began = time.Now()
		if err := d.freshAt(t.Context(), 1); err != nil || time.Since(began) != 0 {
			t.Errorf("what is there: %v after %v", err, time.Since(began))
		}
	})
}
