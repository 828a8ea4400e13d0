package auth

import (
	"context"
	"sync"
	"time"

	"bourse/internal/core/accounts"
	"bourse/internal/schema"
)

// syncEvery is how often what was kept is made durable.
const syncEvery = time.Second

const shards = 64

// Register remembers which nonces were used at this node, also by requests that never reach the
// log. It is safe for concurrent use.
type Register struct {
	now    func() schema.Time
	shards [shards]shard
	file   file
	stop   context.CancelFunc
	helper sync.WaitGroup
}

type shard struct {
	mu   sync.Mutex
	keys map[schema.KeyID]*accounts.Nonces
	_    [64 - 16]byte // to each shard its own cache line
}

// OpenRegister reads what was kept in a file, or makes one. The clock is that of the node; it may
// go back.
func OpenRegister(path string, now func() schema.Time) (*Register, error) {
	records, err := readRecords(path)
	if err != nil {
		return nil, err
	}
	r := &Register{now: now, file: file{path: path}}
	for i := range r.shards {
		r.shards[i].keys = map[schema.KeyID]*accounts.Nonces{}
	}
	for _, rec := range records {
		if rec.mode == forgotten {
			delete(r.shard(rec.key).keys, rec.key)
		} else {
			r.shard(rec.key).nonces(rec.key).Remember(rec.nonce, rec.mode == window)
		}
	}
	// Rewritten, the file ends with a whole record, and how much of it is needed is known.
	if err := r.file.rewrite(r.summary); err != nil {
		r.file.open.Close() // it may be there and not be durable
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.helper.Go(func() { r.run(ctx) })
	return r, nil
}

func (r *Register) shard(key schema.KeyID) *shard { return &r.shards[key%shards] }

// nonces are those of a key, under the lock of the shard.
func (s *shard) nonces(key schema.KeyID) *accounts.Nonces {
	n := s.keys[key]
	if n == nil {
		n = &accounts.Nonces{}
		s.keys[key] = n
	}
	return n
}

// Use uses a nonce up, or says why it cannot be used. It is in memory only: the caller sees to
// it that the nonce is kept by the log or by Keep.
func (r *Register) Use(key schema.KeyID, nonce uint64, window bool) schema.Reason {
	at := r.now()
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nonces(key)
	if window {
		n.Expire(at) // before Nonces does it by itself, which trusts the clock
	}
	return n.Use(nonce, window, at)
}

// Keep makes a nonce a used one also for those who come after this process: it is in the file
// when Keep returns, and on the disk about a second later. An error says that this cannot be
// promised, because of this nonce or of earlier ones; it lasts until the disk works again.
func (r *Register) Keep(key schema.KeyID, nonce uint64, inWindow bool) error {
	// Memory knows it before the file does: so it is in the summary when it is not behind it.
	r.remember(key, nonce, inWindow)
	rec := record{key, ordinary, nonce}
	if inWindow {
		rec.mode = window
	}
	return r.file.append(rec)
}

func (r *Register) remember(key schema.KeyID, nonce uint64, window bool) {
	s := r.shard(key)
	s.mu.Lock()
	s.nonces(key).Remember(nonce, window)
	s.mu.Unlock()
}

// Learn adds what the core knows of a key. It is not kept, for the log does. The core must not
// use the key meanwhile.
func (r *Register) Learn(key schema.KeyID, known accounts.Nonces) {
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nonces(key)
	for nonce, window := range known.Used() {
		n.Remember(nonce, window)
	}
}

// Forget drops a key that was deleted; its id does not come back.
func (r *Register) Forget(key schema.KeyID) {
	s := r.shard(key)
	s.mu.Lock()
	delete(s.keys, key)
	s.mu.Unlock()
	// Should this fail, then the file keeps a few bytes for nothing; a disk that is in trouble is
	// reported by the next Keep.
	_ = r.file.append(record{key: key, mode: forgotten})
}

// Close makes durable what was kept. The register is not used any more.
func (r *Register) Close() error {
	r.stop()
	r.helper.Wait()
	return r.file.close()
}

func (r *Register) run(ctx context.Context) {
	ticker := time.NewTicker(syncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.file.tell(r.tend())
		}
	}
}

// tend rewrites the file if it has to be and makes it durable.
func (r *Register) tend() error {
	if r.file.due() {
		if err := r.file.rewrite(r.summary); err != nil {
			return err
		}
	}
	return r.file.sync()
}

// summary is a file that refuses all that was used, without what the time of day refuses.
func (r *Register) summary() []byte {
	at := r.now()
	data := []byte(header)
	for i := range r.shards {
		data = r.shards[i].summary(data, at)
	}
	return data
}

func (s *shard) summary(dst []byte, at schema.Time) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, n := range s.keys {
		n.Expire(at)
		for nonce, inWindow := range n.Used() {
			rec := record{key, ordinary, nonce}
			if inWindow {
				rec.mode = window
			}
			dst = rec.append(dst)
		}
	}
	return dst
}
