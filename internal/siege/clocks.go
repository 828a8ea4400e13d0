package siege

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

var clocks = []Attack{
	{"clock.behind", "a clock an hour behind the log: exit code 5 and what to do; accepted with the flag, and timers fire", clockBehind},
}

// exitClock is the exit code of serve when the clock cannot be relied on.
const exitClock = 5

// clockBehind makes a log with a clock that is ahead, which is what a clock behind looks like after
// somebody set it back.
func clockBehind(s *Siege) {
	const ahead = time.Hour
	world := s.world(nil)
	v := conform.New(s.TB, world, "--no-limits")
	o := exchange.Options{Region: schema.Global}
	o.Node.Journal.Dir = v.Data()
	o.Node.Clock = func() schema.Time { return schema.Time(time.Now().Add(ahead).UnixMicro()) }
	x, err := exchange.Open(context.Background(), o)
	s.must(err)
	file, err := setup.Read(strings.NewReader(world))
	s.must(err)
	s.must(file.Apply(context.Background(), x.Node))
	s.must(x.Close())

	v.Launch()
	s.exits(v, exitClock)
	for _, says := range []string{"the clock cannot be relied on", "before the last command of the log", "--accept-clock"} {
		if !strings.Contains(v.Log(), says) {
			s.Errorf("the log does not say %q", says)
		}
	}
	v.Flags("--no-limits", "--accept-clock")
	v.Restart()
	s.ready(v)
	c := s.client(v, trader(0))
	_, err = c.limit(attacked, "buy", "1", "1", "")
	s.must(err)
	s.must(c.ask("/api/v4/order/kill-switch", conform.Fields{"market": attacked, "timeout": "5"}, &struct{}{}))
	began := time.Now()
	s.await("the kill switch fires", func() bool {
		open, err := c.open(attacked)
		s.must(err)
		return len(open) == 0
	})
	s.note("a kill switch of 5 s fired after %v", since(began))
	s.beside(v, func() {
		s.flood(1, 50, func(_, i int) {
			_, err := c.limit(attacked, "buy", "1", "1", fmt.Sprint("late-", i))
			if err != nil {
				s.Error(err)
			}
		})
	})
	v.Stop()
	s.verified(v)
}
