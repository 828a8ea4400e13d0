package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// pebbleStore keeps records in a directory. What is written is durable within about a minute and
// in order: after a kill there is a store with a smaller Seq, and the journal has the rest.
type pebbleStore struct {
	dir    string
	log    *slog.Logger
	disk   *patientDisk
	opened chan struct{} // closed when what follows is set
	failed error         // why it could not be opened
	db     *pebble.DB

	broken atomic.Pointer[error] // why nothing can be written any more

	writing chan struct{} // holds one while somebody owns what follows
	seq     uint64
	flushed time.Time // when what was written was last sent to the disk
	batch   writeBatch

	passed atomic.Uint64 // keys that pages went through, for tests
}

// format of the keys and values. A store of an older one is emptied and made again from the journal;
// one of a newer one belongs to a newer program.
const format = 2

// OpenPebble opens the store of a directory, which is made if it is not there. A disk that is full
// does not keep it from being opened: it is ready as soon as there is room, and says why it is not.
func OpenPebble(dir string, log *slog.Logger) (Store, error) {
	return openPebbleOn(vfs.Default, dir, log)
}

func openPebbleOn(disk vfs.FS, dir string, log *slog.Logger) (Store, error) {
	p := &pebbleStore{
		dir: dir, log: log, disk: newPatientDisk(disk, log), flushed: time.Now(),
		opened: make(chan struct{}), writing: make(chan struct{}, 1),
	}
	full := p.disk.waits()
	go func() {
		defer close(p.opened)
		p.failed = errors.New("the store gave up") // unless open returns
		p.failed = p.open()
	}()
	select {
	case <-p.opened:
		if p.failed != nil {
			return nil, p.failed
		}
	case <-full:
	}
	return p, nil
}

func (p *pebbleStore) open() error {
	db, err := pebble.Open(p.dir, &pebble.Options{
		FS:                 p.disk,
		FormatMajorVersion: pebble.FormatNewest,
		// The journal is the log of this store: one of its own would only be written twice.
		DisableWAL: true,
		CacheSize:  64 << 20,
		// What comes in is written few times: large tables in memory, a large first level.
		MemTableSize:                64 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       16,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               512 << 20,
		// What is written first is soon written again: it is not worth being compressed.
		Levels: [7]pebble.LevelOptions{
			0: {Compression: func() *sstable.CompressionProfile { return sstable.NoCompression }},
			1: {Compression: func() *sstable.CompressionProfile { return sstable.SnappyCompression }},
		},
		Logger: quiet{p},
		// A damaged file is an error of the page that needs it, not the end of the exchange.
		EventListener: &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}},
	})
	if err != nil {
		return fmt.Errorf("opening the history in %s: %w; "+
			"if no other program uses it, remove the directory: it is made again from the journal", p.dir, err)
	}
	p.db = db
	if err := p.begin(); err != nil {
		return errors.Join(fmt.Errorf("opening the history in %s: %w", p.dir, err), db.Close())
	}
	return nil
}

// ready waits until the store is open.
func (p *pebbleStore) ready(ctx context.Context) error {
	select {
	case <-p.opened:
	default:
		select {
		case <-p.opened:
		case <-ctx.Done():
			return fmt.Errorf("the history in %s is not open yet: %w", p.dir, p.why(ctx))
		}
	}
	if p.failed != nil {
		return fmt.Errorf("%w: %w", errBroken, p.failed)
	}
	return p.fatal()
}

// why is the reason why something did not end before its context: the disk, if that has a problem.
func (p *pebbleStore) why(ctx context.Context) error {
	if err := p.disk.problem(); err != nil {
		return err
	}
	return ctx.Err()
}

// fatal is why the store cannot be used any more.
func (p *pebbleStore) fatal() error {
	if why := p.broken.Load(); why != nil {
		return *why
	}
	return nil
}

// Trouble is why the store does not go on, for the moment or for ever.
func (p *pebbleStore) Trouble() error {
	select {
	case <-p.opened:
		if p.failed != nil {
			return p.failed
		}
	default:
	}
	if err := p.fatal(); err != nil {
		return err
	}
	return p.disk.problem()
}

// own does something that may change the store, alone. Pebble waits for its disk without end and
// ends a goroutine that it cannot go on with: a caller waits no longer than its context.
func (p *pebbleStore) own(ctx context.Context, do func() error) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	select {
	case p.writing <- struct{}{}:
	case <-ctx.Done():
		return p.why(ctx)
	}
	done := make(chan error, 1)
	go func() {
		err := errBroken // unless do returns
		defer func() {
			<-p.writing
			done <- err
		}()
		err = do()
	}()
	select {
	case err := <-done:
		if errors.Is(err, errBroken) {
			return p.fatal()
		}
		return err
	case <-ctx.Done():
		return p.why(ctx)
	}
}

// begin reads how far the store is.
func (p *pebbleStore) begin() error {
	have, there, err := p.number(formatKey)
	switch {
	case err != nil:
		return err
	case !there:
		return p.db.Set(formatKey, binary.AppendUvarint(nil, format), pebble.NoSync)
	case have > format:
		return fmt.Errorf("it has format %d and this program knows %d; start the newer program, "+
			"or remove the directory: it is made again from the journal", have, format)
	case have < format:
		p.log.Info("the history has an older format; it is made again from the journal", "format", have, "now", format, "directory", p.dir)
		return p.empty()
	}
	p.seq, _, err = p.number(seqKey)
	return err
}

// empty removes everything at once and makes the store one of this format.
func (p *pebbleStore) empty() error {
	b := p.db.NewBatch()
	defer b.Close()
	if err := b.DeleteRange([]byte{aboutSpace}, []byte{endSpace}, nil); err != nil {
		return err
	}
	if err := b.Set(formatKey, binary.AppendUvarint(nil, format), nil); err != nil {
		return err
	}
	if err := p.db.Apply(b, pebble.NoSync); err != nil {
		return err
	}
	return p.db.Flush()
}

// number that is stored under a key.
func (p *pebbleStore) number(key []byte) (n uint64, there bool, err error) {
	value, closer, err := p.db.Get(key)
	switch {
	case errors.Is(err, pebble.ErrNotFound):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	n, size := binary.Uvarint(value)
	if size != len(value) {
		err = errStored
	}
	return n, true, errors.Join(err, closer.Close())
}

// closeTime is how long closing may take: it waits for what is being compacted. A disk that does not answer holds the
// exchange no longer than that; service managers give a program that stops a little more.
const closeTime = time.Minute

// Close sends everything to the disk. It does not wait for room there: what is missing is made
// again from the journal.
func (p *pebbleStore) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	go func() {
		select {
		case <-p.disk.waits():
			cancel()
		case <-ctx.Done():
		}
	}()
	err := p.own(ctx, func() error { return errors.Join(p.db.Flush(), p.db.Close()) })
	if err != nil {
		return fmt.Errorf("closing the history in %s: %w; what is missing there is made again from the journal", p.dir, err)
	}
	return nil
}

func (p *pebbleStore) Seq(ctx context.Context) (uint64, error) {
	var seq atomic.Uint64 // it may be set after the context has ended and nobody waits any more
	err := p.own(ctx, func() error {
		seq.Store(p.seq)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return seq.Load(), nil
}

// quiet keeps Pebble's diary to itself.
type quiet struct{ store *pebbleStore }

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// errBroken means that Pebble ended the goroutine that worked for us.
var errBroken = errors.New("the store is broken")

// Fatalf is what Pebble calls when it cannot go on, on any goroutine; it must not return. The
// exchange goes on without the history: only this goroutine ends.
func (q quiet) Fatalf(text string, args ...any) {
	why := fmt.Errorf("%w: %s; make sure that the disk works and start again; if that does not help, remove %s: it is made again from the journal",
		errBroken, fmt.Sprintf(text, args...), q.store.dir)
	q.store.broken.CompareAndSwap(nil, &why)
	runtime.Goexit()
}
