package drill

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// lines are printed each with one write, so that none is torn when the process is killed.
type lines struct {
	mu  sync.Mutex
	to  io.Writer
	err error // the first
}

func (l *lines) print(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := fmt.Fprintf(l.to, format, v...); err != nil && l.err == nil {
		l.err = fmt.Errorf("printing what was done: %w", err)
	}
}

func (l *lines) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// timings are how long the latest commands of a client took; older ones are overwritten, which
// bounds the memory of a long drill.
type timings struct {
	took []time.Duration
	next int
}

const timingsKept = 1 << 17

func (t *timings) add(d time.Duration) {
	if len(t.took) < timingsKept {
		t.took = append(t.took, d)
		return
	}
	t.took[t.next] = d
	t.next = (t.next + 1) % timingsKept
}

// progress says every second how far the drill is.
func (d *drill) progress(began time.Time, stopped <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			done := d.done.Load()
			fmt.Fprintf(d.options.Progress, "%d commands, %.0f a second\n", done, float64(done)/now.Sub(began).Seconds())
		case <-stopped:
			return
		}
	}
}

func (d *drill) summary(times []timings, took time.Duration) {
	var all []time.Duration
	for i := range times {
		all = append(all, times[i].took...)
	}
	done := d.done.Load()
	fmt.Fprintf(d.options.Progress, "%d commands of %d clients in %s: %.0f a second", done, len(times), took.Round(time.Millisecond), float64(done)/took.Seconds())
	if len(all) > 0 {
		slices.Sort(all)
		fmt.Fprintf(d.options.Progress, "; half were answered within %s, 99 of 100 within %s",
			all[len(all)/2].Round(time.Microsecond), all[len(all)*99/100].Round(time.Microsecond))
	}
	fmt.Fprintln(d.options.Progress)
}
