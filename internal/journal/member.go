package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server"
)

// A server that has not heard from the leader of the stream for a random time between shortest and
// longest stands for election. NATS waits 4 to 9 s, and that is nearly all of the time in which a cluster
// whose leader died takes no commands.
//
// What must hold: a leader that has nothing to store still speaks every other heartbeat at least, so
// three rounds of silence fit into the shortest time. A leader that runs stock NATS speaks every second,
// or two seconds after its last entry: when a cluster is upgraded server by server, one of ours may take
// over from such a leader once, and keeps the lead, because stock servers wait longer.
const (
	heartbeat        = 250 * time.Millisecond
	shortestElection = 1500 * time.Millisecond
	longestElection  = 3 * time.Second
)

// The library has these times as variables without a name that others can use. A test holds that
// setting them here has an effect there.
var (
	//go:linkname hbInterval github.com/nats-io/nats-server/v2/server.hbInterval
	hbInterval time.Duration
	//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
	minElectionTimeout time.Duration
	//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
	maxElectionTimeout time.Duration
)

// shortenElections sets the times, once: running servers read them without a lock. The embedded server,
// which may run before, has no elections.
var shortenElections = sync.OnceFunc(func() {
	hbInterval, minElectionTimeout, maxElectionTimeout = heartbeat, shortestElection, longestElection
})

// NewMember makes a server of a cluster that keeps the log. All such servers of a process are made here.
// An error means that the options are wrong: nothing is opened yet.
func NewMember(o *server.Options) (*server.Server, error) {
	shortenElections()
	return server.NewServer(o)
}

// CheckMember checks whether a server with these options can keep the log as the exchange needs it.
func CheckMember(o *server.Options) error {
	switch {
	case !o.JetStream:
		return errors.New("the log is a JetStream stream, and JetStream is off; write jetstream { store_dir: /data, sync_interval: always }")
	case !o.SyncAlways:
		return errors.New("a power cut could lose what was acknowledged; write sync_interval: always into jetstream { … }")
	case o.MaxPayload < 2*MaxBatch:
		return fmt.Errorf("the largest batches do not fit; write max_payload: %dMB, or more", 2*MaxBatch>>20)
	}
	return nil
}

// RunMember runs a server of a cluster until the context ends or the server cannot go on.
func RunMember(ctx context.Context, s *server.Server, log *slog.Logger) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s.SetLogger(memberLogger{logger{log}, fail}, log.Enabled(ctx, slog.LevelDebug), false)
	s.Start()
	go func() {
		s.WaitForShutdown()
		fail(errors.New("the server stopped by itself"))
	}()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// memberLogger is the log of a server that is a process of its own: its notices are of interest, and
// when it cannot go on the process ends.
type memberLogger struct {
	logger
	fail context.CancelCauseFunc
}

func (l memberLogger) Noticef(format string, v ...any) { l.say(slog.LevelInfo, format, v) }

func (l memberLogger) Fatalf(format string, v ...any) { l.fail(fmt.Errorf(format, v...)) }
