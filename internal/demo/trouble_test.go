package demo

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// line is a bad line between the bots and the exchange: it loses requests and answers, delivers
// requests when nobody waits for them any more, and is busy at times.
type line struct {
	exchange http.Handler

	mu      sync.Mutex
	bad     bool
	n       int
	dropped int
	late    []func()
}

// fate says what becomes of the next request; what is late comes before one of them.
func (l *line) fate() (fate int, late []func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.bad {
		return 0, nil
	}
	l.n++
	fate = l.n % 11
	if fate == 9 {
		late, l.late = l.late, nil
	}
	return fate, late
}

// lose counts a request or an answer that was lost, and keeps what is to come late.
func (l *line) lose(late ...func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped++
	l.late = append(l.late, late...)
}

func (l *line) losses() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

func (l *line) turn(bad bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bad = bad
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fate, late := l.fate()
	for _, deliver := range late {
		deliver()
	}
	switch fate {
	case 1, 6: // lost, or late
		body, _ := io.ReadAll(r.Body)
		again := r.Clone(context.Background())
		again.Body = io.NopCloser(bytes.NewReader(body))
		if fate == 1 {
			l.lose()
		} else {
			l.lose(func() { l.exchange.ServeHTTP(httptest.NewRecorder(), again) })
		}
		panic(http.ErrAbortHandler)
	case 3: // the answer is lost
		l.exchange.ServeHTTP(httptest.NewRecorder(), r)
		l.lose()
		panic(http.ErrAbortHandler)
	case 4:
		http.Error(w, "{}", http.StatusTooManyRequests)
	case 7:
		http.Error(w, "{}", http.StatusServiceUnavailable)
	default:
		l.exchange.ServeHTTP(w, r)
	}
}

// TestLostAnswersDoubleNothing: whatever the line loses, quotes keep their distance and do not pile
// up, nobody trades with himself, and once it is good again every book is whole.
func TestLostAnswersDoubleNothing(t *testing.T) {
	h := enter(t, t.TempDir())
	w := watch(t, h, nil)
	target, err := url.Parse(h.place.REST)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{exchange: httputil.NewSingleHostReverseProxy(target)}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	h.animate(server.URL)
	eventually(t, soon, "alive", func() bool { return w.every(alive(1)) })
	l.turn(true)
	eventually(t, soon, "bad for a while", func() bool {
		for name, orders := range h.resting() {
			if len(orders) > 2*sideLevels {
				t.Fatalf("%s has %d orders of makers", name, len(orders))
			}
		}
		return l.losses() >= 40
	})
	l.turn(false)
	for _, s := range scenes {
		eventually(t, soon, "whole again: "+s.name, func() bool { return len(h.resting()[s.name]) == 2*sideLevels })
	}
	w.check(t)
}

// TestTroubleIsToldOnce: bots that cannot reach the exchange keep trying, say so once, and stop at once
// when they are told to.
func TestTroubleIsToldOnce(t *testing.T) {
	h := enter(t, t.TempDir())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + ln.Addr().String()
	ln.Close()

	log := &words{}
	ctx, cancel := context.WithCancel(t.Context())
	tries, failed := 0, &refused{"/", 503, "busy"}
	persist(ctx, slog.New(slog.NewTextHandler(log, nil)), "bot", func(context.Context) error {
		if tries++; tries == 3 {
			cancel()
		}
		return failed
	})
	if lines := log.lines(); len(lines) != 1 || !strings.Contains(lines[0], "answered 503: busy") {
		t.Errorf("the log: %q", lines)
	}

	h.animate(closed)
	eventually(t, soon, "told", func() bool { return len(h.log.lines()) > 0 })
	h.stop()
	if lines := h.log.lines(); len(lines) != 1 {
		t.Errorf("the log: %q", lines)
	}
}

// TestStopsWhileNobodyAnswers: a request that hangs does not keep the bots.
func TestStopsWhileNobodyAnswers(t *testing.T) {
	h := enter(t, t.TempDir())
	asked := make(chan struct{}, 1)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}))
	defer silent.Close()
	h.animate(silent.URL)
	<-asked
	stopped := make(chan struct{})
	go func() { h.stop(); close(stopped) }()
	select {
	case <-stopped:
	case <-time.After(requestTimeout / 2):
		t.Error("the bots did not stop")
	}
	if lines := h.log.lines(); len(lines) != 0 {
		t.Errorf("the log: %q", lines)
	}
}

func TestTradeNeedsAnAddress(t *testing.T) {
	for _, rest := range []string{"", "127.0.0.1", "127.0.0.1:8080", "::"} {
		if err := (&World{}).Trade(t.Context(), rest, slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%q was taken", rest)
		}
	}
}

// TestPrepareOnAStoppedExchange fails and says what it was doing.
func TestPrepareOnAStoppedExchange(t *testing.T) {
	h := enter(t, t.TempDir())
	n, dir := h.Node, t.TempDir()
	h.leave()
	if _, err := Prepare(t.Context(), n, dir); err == nil || !strings.Contains(err.Error(), "preparing the demo") {
		t.Errorf("%v", err)
	}
}
