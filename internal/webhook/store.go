package webhook

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// bounds of the queue.
type bounds struct {
	backlog int    // events of one webhook that wait
	bytes   int64  // of all events that wait
	kept    int    // events of one webhook that wait no more, for the log of deliveries
	keptAll int64  // bytes of all those
	nonces  uint64 // of a webhook within an epoch of its shard
	checks  int    // of hosts, at the same time
}

var usualBounds = bounds{backlog: 10_000, bytes: 4 << 30, kept: 1000, keptAll: 1 << 30, nonces: mostInEpoch, checks: 16}

// leastKept is how many events that wait no more are kept of a webhook, even if there are so many webhooks that those of all are too many.
const leastKept = 10

const (
	day = 24 * 3600 * schema.Second
	// keep is how long events are kept, so that operators can look at them and have them sent again.
	keep = 2 * day
)

// Keys of the queue: what is known of an event, by shard, webhook and number; which events wait, and which wait no more, in the same order; events by
// their time; and the place of the last batch.
const (
	eventKeys   = 'e'
	waitingKeys = 'p'
	keptKeys    = 'd'
	timeKeys    = 't'
	seqKey      = 'm'
)

func eventKey(prefix byte, account schema.AccountID, n uint64) []byte {
	key := make([]byte, 0, 14)
	key = append(key, prefix, byte(schema.ShardOf(account)))
	key = binary.BigEndian.AppendUint32(key, uint32(account))
	return binary.BigEndian.AppendUint64(key, n)
}

func timeKey(at schema.Time, account schema.AccountID, n uint64) []byte {
	key := binary.BigEndian.AppendUint64([]byte{timeKeys}, uint64(at))
	key = binary.BigEndian.AppendUint32(key, uint32(account))
	return binary.BigEndian.AppendUint64(key, n)
}

// record is an event and what became of it so far.
type record struct {
	At       schema.Time // when it happened
	Notified schema.Notified
	Last     schema.Delivery // the last that was settled; its outcome is 0 where nothing was
}

func (r *record) Fields(c *wire.Coder) {
	wire.Int(c, 1, "at", &r.At)
	wire.Embed(c, 2, "notified", &r.Notified)
	wire.Embed(c, 3, "last", &r.Last)
}

// waiting is an event that is to be sent.
type waiting struct {
	account  schema.AccountID
	n        uint64
	from     schema.Time // it is dropped a day later
	attempts uint32
	due      schema.Time
	again    bool   // an operator asked for it
	size     uint64 // in bytes
}

func (w *waiting) Fields(c *wire.Coder) {
	wire.Int(c, 1, "from", &w.from)
	wire.Uint(c, 2, "attempts", &w.attempts)
	wire.Int(c, 3, "due", &w.due)
	c.Bool(4, "again", &w.again)
	wire.Uint(c, 5, "size", &w.size)
}

// store is the queue on disk. Only the follower writes. It is opened when there is a webhook: an exchange without any has no queue.
type store struct {
	dir    string
	fs     vfs.FS
	bounds bounds
	logger *slog.Logger

	db     atomic.Pointer[pebble.DB] // nil before it is open
	broken atomic.Pointer[error]     // why nothing can be written any more

	mu    sync.Mutex
	count map[schema.AccountID]int // of events that wait
	bytes int64                    // of all that wait
	total int

	// What waits no more. Only the follower asks.
	kept    map[schema.AccountID]*keeping
	keptAll int64 // bytes
}

// keeping is what the queue has of a webhook that waits no more.
type keeping struct {
	events int
	from   uint64 // no event with a lower number is among them
}

func newStore(dir string, o *Options) *store {
	return &store{dir: dir, fs: o.fs, bounds: o.bounds, logger: o.Log, count: map[schema.AccountID]int{}, kept: map[schema.AccountID]*keeping{}}
}

// open opens the queue, unless it is.
func (s *store) open() error {
	if why := s.broken.Load(); why != nil {
		return *why
	}
	if s.db.Load() != nil {
		return nil
	}
	db, err := pebble.Open(s.dir, &pebble.Options{
		FS: s.fs, FormatMajorVersion: pebble.FormatNewest, CacheSize: 8 << 20, MemTableSize: 16 << 20, Logger: quiet{s},
	})
	if err != nil {
		return fmt.Errorf("opening the queue of webhooks in %s: %w; if no other program uses it, remove the directory: it is made again from the log", s.dir, err)
	}
	s.db.Store(db)
	return nil
}

func (s *store) close() error {
	if db := s.db.Load(); db != nil && s.broken.Load() == nil {
		return db.Close()
	}
	return nil
}

// errBroken means that Pebble ended the goroutine that worked for us.
var errBroken = errors.New("the queue of webhooks is broken")

// quiet passes on what Pebble complains about.
type quiet struct{ store *store }

func (quiet) Infof(string, ...any) {}
func (q quiet) Errorf(format string, args ...any) {
	q.store.logger.Error("the queue of webhooks", "problem", fmt.Sprintf(format, args...))
}

// Fatalf is what Pebble calls when it cannot go on; it must not return. The exchange goes on without webhooks: only this goroutine ends.
func (q quiet) Fatalf(format string, args ...any) {
	why := fmt.Errorf("%w: %s; make sure that the disk works and start again; if that does not help, remove %s: it is made again from the log",
		errBroken, fmt.Sprintf(format, args...), q.store.dir)
	q.store.broken.CompareAndSwap(nil, &why)
	runtime.Goexit()
}

// recount counts what waits, and what is kept.
func (s *store) recount() error {
	s.forget()
	return errors.Join(
		s.each([]byte{waitingKeys}, func(w *waiting) { s.add(w.account, 1, int64(w.size)) }),
		s.each([]byte{keptKeys}, func(w *waiting) { s.keep(w.account, w.n, int64(w.size)) }))
}

// forget counts nothing any more.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.count)
	clear(s.kept)
	s.bytes, s.total, s.keptAll = 0, 0, 0
}

// keep counts an event that waits no more.
func (s *store) keep(account schema.AccountID, n uint64, size int64) {
	k := s.kept[account]
	if k == nil {
		k = &keeping{from: n}
		s.kept[account] = k
	}
	k.events++
	k.from = min(k.from, n)
	s.keptAll += size
}

// lose counts an event that is not kept any more.
func (s *store) lose(account schema.AccountID, size int64) {
	s.keptAll -= size
	if k := s.kept[account]; k.events > 1 {
		k.events--
	} else {
		delete(s.kept, account)
	}
}

// tooMany reports whether the oldest event that waits no more is to be forgotten. When too much is kept in all, a webhook pays for its own.
func (s *store) tooMany(account schema.AccountID) bool {
	k := s.kept[account]
	return k != nil && (k.events > s.bounds.kept || s.keptAll > s.bounds.keptAll && k.events > leastKept)
}

func (s *store) seq() (uint64, error) {
	value, closer, err := s.db.Load().Get([]byte{seqKey})
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	return binary.BigEndian.Uint64(value), nil
}

// empty forgets everything.
func (s *store) empty() error {
	s.forget()
	return s.db.Load().DeleteRange([]byte{0}, []byte{255}, pebble.NoSync)
}

// event is what is known of an event; nil if it is not known.
func (s *store) event(account schema.AccountID, n uint64) (*record, error) {
	db := s.db.Load()
	if db == nil {
		return nil, nil
	}
	return getMessage[record](db, eventKey(eventKeys, account, n))
}

func getMessage[T any, M interface {
	*T
	wire.Message
}](from pebble.Reader, key []byte) (*T, error) {
	value, closer, err := from.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	m := new(T)
	return m, wire.Decode(bytes.Clone(value), M(m))
}

// waitingOf are the events of a shard that wait, by webhook and number.
func (s *store) waitingOf(shard int, each func(*waiting)) error {
	return s.each([]byte{waitingKeys, byte(shard)}, each)
}

func (s *store) each(prefix []byte, each func(*waiting)) error {
	it, err := s.db.Load().NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return err
	}
	for it.First(); it.Valid(); it.Next() {
		key := it.Key()
		w := waiting{account: schema.AccountID(binary.BigEndian.Uint32(key[2:])), n: binary.BigEndian.Uint64(key[6:])}
		if err := wire.Decode(it.Value(), &w); err != nil {
			return errors.Join(err, it.Close())
		}
		each(&w)
	}
	return it.Close()
}

// after is the first key behind all that begin with a prefix.
func after(prefix []byte) []byte {
	end := append([]byte{}, prefix...)
	end[len(end)-1]++
	return end
}

// log are the last events of a webhook, the newest first.
func (s *store) log(account schema.AccountID, before uint64, limit int) (list []record, err error) {
	db := s.db.Load()
	if db == nil {
		return nil, nil
	}
	upper := eventKey(eventKeys, account, before)
	if before == 0 {
		upper = after(eventKey(eventKeys, account, 0)[:6])
	}
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: eventKey(eventKeys, account, 0), UpperBound: upper})
	if err != nil {
		return nil, err
	}
	for it.Last(); it.Valid() && len(list) < limit; it.Prev() {
		var r record
		if err := wire.Decode(bytes.Clone(it.Value()), &r); err != nil {
			return nil, errors.Join(err, it.Close())
		}
		list = append(list, r)
	}
	return list, it.Close()
}

// add counts events that wait.
func (s *store) add(account schema.AccountID, events int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count[account] += events; s.count[account] == 0 {
		delete(s.count, account)
	}
	s.total += events
	s.bytes += bytes
}

// sizes are how many events wait, and how many of a webhook.
func (s *store) sizes(account schema.AccountID) (total, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, s.count[account]
}

// over reports whether more wait than may, and the webhook whose oldest is to be dropped: that which got one, or the longest.
func (s *store) over(account schema.AccountID) (schema.AccountID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count[account] > s.bounds.backlog {
		return account, true
	}
	if s.bytes <= s.bounds.bytes {
		return 0, false
	}
	longest := account
	for a, n := range s.count {
		if n > s.count[longest] || n == s.count[longest] && a < longest {
			longest = a
		}
	}
	return longest, true
}
