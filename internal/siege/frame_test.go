package siege

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bourse/internal/bench"
	"bourse/internal/conform"
)

// The frame is held to finding what is wrong: a siege that sees nothing proves nothing.

// witness notes errors instead of failing.
type witness struct {
	testing.TB
	errors []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}

func TestLoadFindsWhatIsLostAndWhatIsTooMuch(t *testing.T) {
	s := &Siege{TB: t}
	v, l := s.start(), s.newLoad(2)
	l.begin(v)
	l.until(50)
	l.finish()
	l.check(v)
	look := func() []string {
		w := &witness{TB: t}
		l.s = &Siege{TB: w}
		l.check(v)
		return w.errors
	}
	c, h := s.client(v, trader(0)), l.hands[0]
	open, err := c.open(attacked)
	s.must(err)
	lost := open[0]
	s.must(c.ask("/api/v4/order/cancel", conform.Fields{"market": attacked, "orderId": lost.OrderID}, &placed{}))
	if got := look(); len(got) != 1 || !strings.Contains(got[0], lost.ClientOrderID) || !strings.Contains(got[0], "is not open") {
		t.Errorf("a lost order: %q", got)
	}
	delete(h.orders, lost.ClientOrderID)
	_, err = c.limit(attacked, "buy", "1", "1", "nobody-sent-it")
	s.must(err)
	if got := look(); len(got) != 1 || !strings.Contains(got[0], "nobody-sent-it") {
		t.Errorf("an order too much: %q", got)
	}
	h.unknown["nobody-sent-it"] = true
	if got := look(); len(got) != 0 {
		t.Errorf("an order that may be there: %q", got)
	}
	s.must(c.ask("/api/v4/main-account/transfer", conform.Fields{"ticker": "USDT", "amount": "1", "method": "withdraw"}, &[]any{}))
	if got := look(); len(got) != 1 || !strings.Contains(got[0], "USDT") {
		t.Errorf("money that is gone: %q", got)
	}
}

// stub answers a neighbour.
func stub(t *testing.T, book string) *neighbour {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			fmt.Fprint(w, book)
			return
		}
		fmt.Fprintf(w, `{"orderId":1,"side":"buy","left":%q,"price":%q,"dealStock":"0"}`, lots, standing)
	}))
	t.Cleanup(server.Close)
	v := &conform.Venue{URL: server.URL}
	return &neighbour{client: &client{v.Client("key", "secret"), server.URL, server.Client()}}
}

// TestStallCountsForAllThatItDelays: in simulated time, where nothing else takes any, one step that takes 40
// paces delays itself and the 39 that were planned meanwhile, each by a pace less.
func TestStallCountsForAllThatItDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		close(over)
		const stall = 40 * pace
		step := 0
		times, err := paced(over, 100, func() error {
			if step++; step == 20 {
				<-time.After(stall)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if times.Count() != 100 || times.Max() != stall {
			t.Errorf("%d steps, the longest %v", times.Count(), times.Max())
		}
		// 60 of 100 were in time. Of the others the 20th is 20 paces late, to within a bucket of a sixteenth.
		if in := times.Percentile(0.59); in > 1 {
			t.Errorf("the 60th is %v µs late", in)
		}
		want := float64(20*pace) / 1000
		if got := times.Percentile(0.79); got < want*15/16 || got > want*17/16 {
			t.Errorf("the 80th is %v µs late, want %v", got, want)
		}
	})
}

func TestNeighbourReadsItsAnswers(t *testing.T) {
	over := make(chan struct{})
	close(over)
	if _, err := stub(t, `{"asks":[["1","1"]],"bids":[]}`).watch(over, 10); err == nil || !strings.Contains(err.Error(), "the book of the neighbour's market") {
		t.Errorf("a strange book: %v", err)
	}
}

func TestReportJudges(t *testing.T) {
	row := func(calm, attacked time.Duration) Row {
		r := Row{Name: "some.attack", Holds: "something", Held: true, Calm: &bench.Latency{}, Attacked: &bench.Latency{}}
		for range 100 {
			r.Calm.Add(calm)
			r.Attacked.Add(attacked)
		}
		return r
	}
	good, bad, away := row(time.Millisecond, 4*time.Millisecond), row(time.Millisecond, 6*time.Millisecond), Row{Name: "away"}
	if good.judge() != nil || away.judge() != nil {
		t.Error(good.judge(), away.judge())
	}
	if err := bad.judge(); err == nil || !strings.Contains(err.Error(), "times the calm one; at most 5 times is allowed") {
		t.Error(err)
	}
	var text strings.Builder
	if err := Report(&text, []Row{good, away}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	if !strings.HasPrefix(lines[1], "some.attack  yes") || !strings.HasPrefix(lines[2], "away         NO") {
		t.Error(text.String())
	}
}
