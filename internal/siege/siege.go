// Package siege attacks the real program and says what held. Every attack is a program of its own:
// it says what must hold, does what a hostile customer, a bad disk or bad luck could do, and looks
// whether it held. Where the exchange is meant to serve others meanwhile, an honest neighbour with
// an account and a market of its own trades beside the attack, and the report says what it felt.
//
// What must hold for all of them: nothing that was acknowledged is lost or done twice, money adds up,
// no request is answered with a fault of the server unless the disk or the clock is at fault, and
// after the attack the exchange is ready and its data directory passes 'bourse verify'.
//
// The short form is a test like any other. Its sizes are small and it judges no latency, since it
// shares its cores with other tests. The long form ('make siege') has the full sizes and fails where a
// neighbour's p99 under attack is over MaxSlowdown times its calm one, measured just before on the same
// process. Rates are bounded in both: attackers, neighbour and exchange share one machine, and what is
// looked for is work that is out of proportion to a request, not a full machine.
package siege

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/conform"
)

// MaxSlowdown is how many times its calm p99 a neighbour's p99 may be in the long form.
const MaxSlowdown = 5

// Attack is something that the exchange must withstand.
type Attack struct {
	Name string
	// Holds is what must hold.
	Holds string
	Run   func(*Siege)
}

// Attacks are all attacks, in the order in which they are done.
func Attacks() []Attack {
	var all []Attack
	for _, family := range [][]Attack{kills, disks, requests, peers, rights, clocks, books, clusters} {
		all = append(all, family...)
	}
	return all
}

// Siege is one attack under way.
type Siege struct {
	testing.TB
	// Long is whether sizes are the full ones and latency is judged.
	Long bool
	row  Row
	sent atomic.Int64
}

// size is how large something is to be.
func (s *Siege) size(short, long int) int {
	if s.Long {
		return long
	}
	return short
}

// spell is how long an attack that has no end of its own goes on.
func (s *Siege) spell() time.Duration { return time.Duration(s.size(1, 10)) * time.Second }

// note puts a figure into the report.
func (s *Siege) note(format string, args ...any) {
	if s.row.Note != "" {
		s.row.Note += "; "
	}
	s.row.Note += fmt.Sprintf(format, args...)
}

// must ends the attack with an error.
func (s *Siege) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// flood does something at a bounded rate for a spell, with some workers in turn. What is late is
// done at once: a slow answer does not make the attack gentler, as long as a worker is free.
func (s *Siege) flood(workers int, perSecond float64, do func(worker, i int)) {
	s.repeat(workers, int(perSecond*s.spell().Seconds()), perSecond, do)
}

// repeat does something so many times at a bounded rate.
func (s *Siege) repeat(workers, times int, perSecond float64, do func(worker, i int)) {
	began := time.Now()
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < times && !s.Failed(); i += workers {
				time.Sleep(time.Until(began.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))))
				do(w, i)
				s.sent.Add(1)
			}
		})
	}
	all.Wait()
}

// ready holds an exchange to being ready, which it may take some time to be after a start.
func (s *Siege) ready(v *conform.Venue) {
	s.Helper()
	said := ""
	s.await("the exchange is ready", func() bool {
		var status int
		status, said = s.look(v, "/readyz")
		return status == http.StatusOK
	}, &said)
}

// look asks for a page of the operators' address.
func (s *Siege) look(v *conform.Venue, page string) (int, string) {
	s.Helper()
	answer, err := http.Get(v.Operators + page)
	s.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	s.must(err)
	return answer.StatusCode, string(text)
}

// timeout is how long something that must come about is waited for.
const timeout = time.Minute

// await waits until something holds; said explains what was there instead.
func (s *Siege) await(what string, holds func() bool, said ...*string) {
	s.Helper()
	for end := time.Now().Add(timeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			for _, text := range said {
				what += ": " + *text
			}
			s.Fatalf("did not come about: %s", what)
		}
	}
}

// verified holds the data of an exchange that does not run to being in order.
func (s *Siege) verified(v *conform.Venue) {
	s.Helper()
	if code, said := v.Tool("verify"); code != 0 {
		s.Errorf("verify: exit code %d, %s", code, said)
	}
}

// end stops an exchange and holds it to having withstood: it stops in order, its data is in order,
// and it comes back from the snapshot that it wrote.
func (s *Siege) end(v *conform.Venue) {
	s.Helper()
	v.Stop()
	s.verified(v)
	v.Restart()
	s.ready(v)
	for _, bad := range []string{"a snapshot is passed over", "there is no new snapshot", "panic", "goroutine "} {
		if strings.Contains(v.Log(), bad) {
			s.Errorf("the log says %q", bad)
		}
	}
	v.Kill()
}
