package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// readAhead is how many bytes a reader asks a server for at once: enough to keep it busy, and little
// enough that answers to Store on the same connection do not wait for long. The largest batch fits.
const readAhead = 2 * MaxBatch

// forgotten is after how long a server forgets a reader whose process died.
const forgotten = time.Minute

// Follow calls each with the batches after a place, in order, as they come, until the context
// ends or each returns an error. A batch is valid during the call only. The server keeps a
// consumer for every reader, and bounds how many there are: it is ended with the call.
func (j *Journal) Follow(ctx context.Context, after uint64, each func(*Batch) error) error {
	consumer, err := j.consumer(ctx, after)
	if err != nil {
		return fmt.Errorf("following the log after batch %d: %w", after, err)
	}
	// The one that it is then: it may have been replaced on the way.
	defer func() { j.end(consumer.CachedInfo().Name) }()
	// Two missed heartbeats mean that the consumer died with its server; another one is made then.
	messages, err := consumer.Messages(jetstream.PullMaxBytes(readAhead),
		jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return fmt.Errorf("following the log after batch %d: %w", after, err)
	}
	defer messages.Stop()
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	for {
		message, err := messages.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("following the log: %w", err)
		}
		meta, err := message.Metadata()
		if err != nil {
			return fmt.Errorf("following the log: %w", err)
		}
		b, err := DecodeBatch(meta.Sequence.Stream, message.Data())
		if err != nil {
			return err
		}
		if err := each(&b); err != nil {
			return err
		}
	}
}

// consumer makes a consumer of what comes after a place. Ending the context does not interrupt that:
// the server would have a consumer that nobody knows of.
func (j *Journal) consumer(ctx context.Context, after uint64) (jetstream.Consumer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	name := rand.Text()
	consumer, err := j.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
		NamePrefix: name, InactiveThreshold: forgotten,
	})
	if errors.Is(err, context.DeadlineExceeded) {
		j.end(name + "_1") // how the library names the first of them
	}
	return consumer, err
}

// end removes a consumer from the server. If there is no answer it is tried again beside whatever
// comes next; one that cannot be removed at all is forgotten by the server.
func (j *Journal) end(name string) {
	if j.remove(name) {
		return
	}
	go func() {
		for began := time.Now(); time.Since(began) < forgotten; {
			time.Sleep(time.Second)
			if j.remove(name) {
				return
			}
		}
	}()
}

// remove reports whether nothing more can be done about a consumer: it is gone, or we are.
func (j *Journal) remove(name string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	err := j.stream.DeleteConsumer(ctx, name)
	return err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) || j.conn.IsClosed()
}

// errEnd ends a Follow that has read all that it should.
var errEnd = errors.New("the end")

// Read calls each with the batches after one place up to another, in order. A batch is valid
// during the call only.
func (j *Journal) Read(ctx context.Context, after, upTo uint64, each func(*Batch) error) error {
	if j.files != nil {
		return j.files.Read(ctx, after, upTo, each)
	}
	return j.read(ctx, after, upTo, each)
}

// read goes on where it was when servers of a cluster do not answer for a while, and gives up when
// nothing came for long: a reader has no other place to learn what happened.
func (j *Journal) read(ctx context.Context, after, upTo uint64, each func(*Batch) error) error {
	for since := time.Now(); after < upTo; {
		var final error // trying again does not help
		err := j.Follow(ctx, after, func(b *Batch) error {
			if b.Seq != after+1 {
				final = missing(b.Seq, after+1)
				return final
			}
			if final = each(b); final != nil {
				return final
			}
			after, since = b.Seq, time.Now()
			if after == upTo {
				return errEnd
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnd):
			return nil
		case final != nil || errors.Is(err, ErrDamaged) || time.Since(since) > openTime:
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
	return nil
}
