// Package journal keeps the log of the exchange: batches of commands in one total order, on disk
// before they are acknowledged. The log is a NATS JetStream stream; by default the server runs
// inside the process and has no network port, and the same code works with a server or a
// replicated cluster elsewhere. There is no second log and no consensus of ours.
//
// What it promises: Store returns nil only after the batch is durable at exactly the place that
// the caller expected; two nodes never store at the same place. What it does not promise is an
// answer: one that is lost is ErrUnknown, and the caller looks what stands at that place.
//
// The stream is not trusted blindly. Each batch carries a checksum and the hash of the batch
// before it, and what was acknowledged is remembered outside of the stream (Watermark): a store
// that comes back shorter than that, or with other bytes, is an error and never a silent gap.
package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxBatch is the largest batch in bytes; it must fit a NATS message.
const MaxBatch = 4 << 20

// answerTime is how long an answer of the server is waited for. It is longer than any healthy
// sync of a disk; what takes longer becomes ErrUnknown and is asked again.
const answerTime = 2 * time.Second

// remoteTime is the same for a server elsewhere whose leader may have died: asking again soon costs
// little, and finds the next leader soon.
const remoteTime = 500 * time.Millisecond

// missesBearable is after how many missing answers in a row another server is tried.
const missesBearable = 6

// headers is what a NATS message may need beside the batch.
const headers = 1024

// Names of the stream and its one subject.
const (
	StreamName = "bourse"
	subject    = "bourse.log"
)

var (
	// ErrConflict means that another batch stands at the expected place, or the log is shorter.
	ErrConflict = errors.New("another batch stands at this place of the log")
	// ErrUnknown means that it cannot be known whether the batch was stored.
	ErrUnknown = errors.New("the journal did not answer")
)

// Options say where the log is.
type Options struct {
	// Dir is the data directory. With an embedded server the log lives in it.
	Dir string
	// SyncInterval, if not zero, lets an embedded server answer before a batch is on disk and
	// sync that often: what was acknowledged since the last sync can be lost in a power cut.
	SyncInterval time.Duration
	// URL points to a NATS server or cluster elsewhere; empty: the embedded one.
	URL         string
	Credentials string // file with NATS credentials
	CA          string // file with the authority that the server's certificate is checked by
	Certificate string // files with the client's own certificate and key
	Key         string
	Replicas    int // copies of the stream in a cluster: 1 or 3
	Log         *slog.Logger
}

// Embedded reports whether the server runs inside the process.
func (o *Options) Embedded() bool { return o.URL == "" }

// Journal is an open log.
type Journal struct {
	server *server.Server // nil when it runs elsewhere
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream

	files *Files // how the past is read; nil when the server runs elsewhere
	kept  string // where files are as they were before the server repaired them; empty: nowhere

	replicas int
	missed   int                  // answers to Store that did not come, in a row
	term     atomic.Pointer[term] // of the stream's leader; only for a server elsewhere
}

// Open opens the log and makes it if it is not there.
func Open(ctx context.Context, o Options) (*Journal, error) {
	j := &Journal{replicas: max(1, o.Replicas)}
	var err error
	if o.Embedded() {
		if j.kept, err = keepDamaged(o.Dir); err != nil {
			return nil, err
		}
		if j.kept != "" && o.Log != nil {
			o.Log.Error("the log is damaged; its files as they were are kept", "directory", j.kept)
		}
		if j.server, err = serve(&o); err != nil {
			return nil, fmt.Errorf("starting the journal in %s: %w", filepath.Join(o.Dir, storeDir), err)
		}
		j.files = OpenFiles(o.Dir)
	}
	if err := j.connect(ctx, &o); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

func (j *Journal) connect(ctx context.Context, o *Options) (err error) {
	if j.conn, err = dial(o, j.server); err != nil {
		return fmt.Errorf("connecting to the journal at %q: %w", o.URL, err)
	}
	if j.js, err = jetstream.New(j.conn); err != nil {
		return fmt.Errorf("using JetStream: %w", err)
	}
	j.stream, err = answered(ctx, func(ctx context.Context) (jetstream.Stream, error) { return j.findStream(ctx, o.Replicas) })
	if err != nil {
		return fmt.Errorf("opening the stream %q: %w", StreamName, err)
	}
	if j.server == nil {
		return j.watchLeader()
	}
	return nil
}

// openTime is how long a cluster may take to find its leader when a node comes.
const openTime = time.Minute

// noPeers is what a cluster answers that has too few servers for the copies of a log, or does not see all of them yet.
const noPeers jetstream.ErrorCode = 10005

// answered asks a server for something until there is an answer: a cluster that is electing a leader, or
// has a server that just came back, drops questions without a word, says that it is not available for the
// moment, or does not see a server yet that it needs.
func answered[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	for {
		attempt, done := context.WithTimeout(ctx, answerTime)
		answer, err := ask(attempt)
		done()
		var refused *jetstream.APIError
		if err == nil || errors.As(err, &refused) && refused.Code != 503 && refused.ErrorCode != noPeers {
			return answer, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// findStream finds the stream or makes it. An existing one is left as it is, except for the
// number of replicas when it is asked for. Reads go to the leader: another copy may be late, and
// would say that a batch is not there when it is.
func (j *Journal) findStream(ctx context.Context, replicas int) (jetstream.Stream, error) {
	config := jetstream.StreamConfig{
		Name: StreamName, Subjects: []string{subject}, Storage: jetstream.FileStorage,
		Replicas: j.replicas, DenyDelete: true,
		Description: "The log of a Bourse exchange: one message is one batch of commands.",
	}
	stream, err := j.js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return j.js.CreateOrUpdateStream(ctx, config)
	}
	if err != nil {
		return nil, err
	}
	if have := stream.CachedInfo().Config; replicas > 0 && have.Replicas != replicas {
		have.Replicas = replicas
		return j.js.UpdateStream(ctx, have)
	}
	return stream, nil
}

func dial(o *Options, s *server.Server) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("bourse"), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		// What cannot be sent now fails now; the node sends it again itself.
		nats.ReconnectBufSize(-1),
		// A server that was cut off without a word is left after this many silent seconds.
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
	}
	if s != nil {
		return nats.Connect("", append(options, nats.InProcessServer(s))...)
	}
	if o.Credentials != "" {
		options = append(options, nats.UserCredentials(o.Credentials))
	}
	if o.CA != "" {
		options = append(options, nats.RootCAs(o.CA))
	}
	if o.Certificate != "" {
		options = append(options, nats.ClientCert(o.Certificate, o.Key))
	}
	return nats.Connect(o.URL, options...)
}

// Close lets go of the log. An embedded server is stopped, its files are in order.
func (j *Journal) Close() {
	if j.conn != nil {
		j.conn.Close()
	}
	if j.server != nil {
		j.server.Shutdown()
		j.server.WaitForShutdown()
	}
}

// Kept is where the files of a log that was found damaged are as they were before it was opened;
// empty when it was not.
func (j *Journal) Kept() string { return j.kept }

// Last is the place of the last batch, 0 when there is none.
func (j *Journal) Last(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	info, err := j.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("asking for the end of the log: %w", err)
	}
	return info.State.LastSeq, nil
}

// Store puts a stored form of a batch behind the batch at last, and nowhere else. It is called by
// one goroutine.
func (j *Journal) Store(ctx context.Context, data []byte, last uint64) error {
	err := j.store(ctx, data, last)
	if errors.Is(err, ErrUnknown) {
		j.miss()
	} else {
		j.missed = 0
	}
	return err
}

// miss counts an answer that did not come, and tries another server after a few: the one that we
// are connected to may be cut off from the others, and would never say so.
func (j *Journal) miss() {
	j.missed++
	if j.server == nil && j.missed == missesBearable {
		j.missed = 0
		_ = j.conn.ForceReconnect() // fails when the connection is closed, and then it does not matter
	}
}

func (j *Journal) store(ctx context.Context, data []byte, last uint64) error {
	ctx, cancel := j.ask(ctx)
	defer cancel()
	ack, err := j.js.Publish(ctx, subject, data, jetstream.WithExpectLastSequence(last), jetstream.WithRetryAttempts(0))
	var refused *jetstream.APIError
	switch {
	case err == nil && ack.Sequence == last+1:
		return nil
	case err == nil:
		return fmt.Errorf("%w: the batch was stored at %d instead of %d", ErrDamaged, ack.Sequence, last+1)
	case errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return ErrConflict
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("storing a batch of %d bytes: %w", len(data), err)
	default:
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
}

// Limit is how many bytes of commands fit a batch.
func (j *Journal) Limit() int {
	return min(MaxBatch, int(j.conn.MaxPayload())-headers) - batchHead
}

// Get reads the batch at a place; it is false when the log does not reach that far.
func (j *Journal) Get(ctx context.Context, seq uint64) (Batch, bool, error) {
	ctx, cancel := j.ask(ctx)
	defer cancel()
	message, err := j.stream.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Batch{}, false, nil
	}
	if err != nil {
		return Batch{}, false, fmt.Errorf("reading batch %d: %w", seq, err)
	}
	b, err := DecodeBatch(seq, message.Data)
	return b, err == nil, err
}

// Hash is that of the batch at a place; it is false when the log does not reach that far.
func (j *Journal) Hash(ctx context.Context, seq uint64) (h Hash, there bool, err error) {
	if j.files != nil {
		err = j.files.Read(ctx, seq-1, seq, func(b *Batch) error {
			h = b.Hash()
			return nil
		})
		return h, err == nil, err
	}
	b, there, err := j.Get(ctx, seq)
	return b.Hash(), there, err
}

// Missing is how many batches the store itself knows to have lost. A batch is never deleted, so
// each of them is damage.
func (j *Journal) Missing(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	info, err := j.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("asking for the state of the log: %w", err)
	}
	return info.State.LastSeq - info.State.Msgs, nil
}
