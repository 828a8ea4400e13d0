package siege

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
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

// stub answers a neighbour; it stalls before one of its answers.
func stub(t *testing.T, stallAt int64, stall time.Duration, book string) *neighbour {
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count.Add(1) == stallAt {
			time.Sleep(stall)
		}
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

func TestStallCountsForAllThatItDelays(t *testing.T) {
	over := make(chan struct{})
	close(over)
	const stall = 40 * pace
	times, err := stub(t, 20, stall, `{"asks":[],"bids":[]}`).watch(over, 100)
	if err != nil {
		t.Fatal(err)
	}
	// Half of the requests that the stall delays wait for at least half of it.
	if got := time.Duration(times.Percentile(0.85) * 1000); got < stall/2 || times.Max() < stall {
		t.Errorf("p85 %v, max %v", got, times.Max())
	}
}

func TestNeighbourReadsItsAnswers(t *testing.T) {
	over := make(chan struct{})
	close(over)
	if _, err := stub(t, 0, 0, `{"asks":[["1","1"]],"bids":[]}`).watch(over, 10); err == nil || !strings.Contains(err.Error(), "the book of the neighbour's market") {
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
