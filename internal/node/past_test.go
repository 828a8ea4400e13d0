package node

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bourse/internal/schema"
)

// consumers is how many consumers of the log a server has.
func consumers(t *testing.T, s *servers) func() int {
	t.Helper()
	conn, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "bourse")
	if err != nil {
		t.Fatal(err)
	}
	return func() int {
		info, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Consumers
	}
}

// TestReadersOfThePastNeedOneConsumerEach: readers that begin at the beginning of a long log, on a
// server that refuses more than a few consumers, read all of it and leave nothing behind.
func TestReadersOfThePastNeedOneConsumerEach(t *testing.T) {
	const readers, limit, batches = 3, 5, 500
	s := startServers(t, 1, func(o *server.Options) { o.JetStreamLimits.DefaultMaxConsumers, o.SyncAlways = limit, false })
	n := join(t, s, t.TempDir())
	for range batches {
		submit(t, n, &schema.Tick{})
	}
	count := consumers(t, s)
	mustClose(t, n)
	n = join(t, s, t.TempDir()) // has nothing in memory
	last := n.Mark().Seq
	var reading sync.WaitGroup
	for i := range readers {
		reading.Go(func() {
			r := n.Reader(0)
			defer r.Close()
			for seq := uint64(1); seq <= last; seq++ {
				step, err := r.Next(context.Background())
				if err != nil || step.Seq != seq {
					t.Errorf("reader %d: step %d: %+v, %v", i, seq, step, err)
					return
				}
			}
		})
	}
	reading.Wait()
	await(t, "readers leave no consumer behind", func() bool { return count() == 1 })
	mustClose(t, n)
	await(t, "the node leaves no consumer behind", func() bool { return count() == 0 })
}

// TestReaderThatIsSlowGoesOnWhereItIs: a reader that falls behind what is in memory again and again
// sees every step once.
func TestReaderThatIsSlowGoesOnWhereItIs(t *testing.T) {
	n := open(t, t.TempDir())
	defer n.Close()
	for i := range 300 {
		submit(t, n, account(fmt.Sprint("early", i)))
	}
	r := n.Reader(0)
	defer r.Close()
	next := uint64(1)
	read := func(steps int) {
		t.Helper()
		for range steps {
			step, err := r.Next(t.Context())
			if err != nil || step.Seq != next {
				t.Fatalf("step %d: %+v, %v", next, step, err)
			}
			next++
		}
	}
	read(10)
	for i := range 300 {
		submit(t, n, account(fmt.Sprint("late", i)))
	}
	read(590)
	if r.past != nil {
		t.Error("a reader that has caught up still reads the log")
	}
	submit(t, n, account("last"))
	read(1)
}
