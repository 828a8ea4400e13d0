package journal

import (
	"strings"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server"
)

//go:linkname randElectionTimeout github.com/nats-io/nats-server/v2/server.randElectionTimeout
func randElectionTimeout() time.Duration

// withinLiveWindow reports whether a moment is less than three heartbeats ago.
//
//go:linkname withinLiveWindow github.com/nats-io/nats-server/v2/server.withinLiveWindow
func withinLiveWindow(time.Time) bool

// TestMembersElectSoon asks the functions of the library that read the times. A version of it that keeps
// them elsewhere does not link, or draws other times.
func TestMembersElectSoon(t *testing.T) {
	if _, err := NewMember(&server.Options{DontListen: true, NoSigs: true, NoLog: true}); err != nil {
		t.Fatal(err)
	}
	low, high := longestElection, shortestElection
	for range 10_000 {
		drawn := randElectionTimeout()
		low, high = min(low, drawn), max(high, drawn)
	}
	// They spread over the whole range: servers that draw alike vote for themselves, and nobody wins.
	if low < shortestElection || low > shortestElection+100*time.Millisecond || high < longestElection-100*time.Millisecond || high > longestElection {
		t.Errorf("elections begin after %v to %v, want %v to %v", low, high, shortestElection, longestElection)
	}
	if now := time.Now(); withinLiveWindow(now.Add(-3*heartbeat)) || !withinLiveWindow(now.Add(time.Hour)) {
		t.Errorf("a heartbeat is not %v", heartbeat)
	}
	if shortestElection < 3*2*heartbeat {
		t.Error("two silent rounds of a leader begin an election")
	}
}

func TestMemberMustKeepTheLogSafely(t *testing.T) {
	good := server.Options{JetStream: true, SyncAlways: true, MaxPayload: 2 * MaxBatch}
	if err := CheckMember(&good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*server.Options){
		"write jetstream {":           func(o *server.Options) { o.JetStream = false },
		"write sync_interval: always": func(o *server.Options) { o.SyncAlways = false },
		"write max_payload: 8MB":      func(o *server.Options) { o.MaxPayload-- },
	} {
		o := good
		change(&o)
		if err := CheckMember(&o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
