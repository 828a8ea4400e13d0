package webhook

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// Rules of leases. No clock is compared with that of another machine: an owner counts from the moment at which it sent its last accepted beat,
// the others from the moment at which they saw it, which is later. So an owner stops before another begins.
const (
	beatEvery  = 10 * time.Second
	leaseLasts = 15 * time.Second // after a beat was sent
	claimAfter = 30 * time.Second // without a new beat
	lookEvery  = time.Second
	answerTime = 10 * time.Second // that a command may take
)

// lease says for which shards this node sends.
type lease struct {
	h    *Webhooks
	wake chan struct{}

	mu     sync.Mutex
	shards [schema.WebhookShards]held
	looked bool         // the shards are known
	fresh  map[int]bool // shards that need a new epoch
}

// held is a shard as this node saw it last.
type held struct {
	schema.Shard
	seen time.Duration // when it changed, by the clock here
	beat time.Duration // when the last beat was sent, if it is ours
	mine bool
	// asked is what the shard was when it was last claimed here, and at when the first such claim was sent: whichever of several claims is
	// accepted, it was not sent earlier than that.
	asked schema.ShardSeen
	at    time.Duration
	tried bool
	// since is the first epoch from which on the shard had one owner: in between nobody else sent anything.
	since uint64
	// failed is why what waits in the shard could not be read here; nil: it could.
	failed error
}

// seenAs is what a claim of the shard says.
func (s *held) seenAs() schema.ShardSeen {
	return schema.ShardSeen{Number: s.Number, Epoch: s.Epoch, Beat: s.Beat}
}

// answers reports whether a claim is what came of that which was sent last.
func (s *held) answers(claim *schema.Shard) bool {
	return claim.Epoch == s.asked.Epoch && claim.Beat == s.asked.Beat+1 || claim.Epoch == s.asked.Epoch+1 && claim.Beat == 0
}

func (l *lease) begin(h *Webhooks) {
	l.h, l.wake, l.fresh = h, make(chan struct{}, 1), map[int]bool{}
}

// look takes in the shards as they are. Those that have an owner are left to it until it is silent for long enough. Nothing is sent for a shard
// that came to another epoch unnoticed, until its claim comes by the log: what waits is not loaded for that epoch.
func (l *lease) look() {
	var shards []schema.Shard
	l.h.exchange.Read(func(m core.View) { shards = m.Webhooks().Shards() })
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.h.options.Clock.Elapsed()
	for i := range shards {
		if s := &l.shards[i]; s.Epoch != shards[i].Epoch || s.Beat != shards[i].Beat {
			if s.Epoch != shards[i].Epoch {
				s.since = shards[i].Epoch
			}
			s.mine = s.mine && s.Epoch == shards[i].Epoch && s.Owner == shards[i].Owner
			s.Shard, s.seen = shards[i], now
		}
		l.shards[i].Number = uint32(i)
	}
	l.looked = true
	poke(l.wake)
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// claimed takes in a claim that came by the log.
func (l *lease) claimed(s *schema.Shard) {
	// Outcomes of the epoch before are refused by now, so that this is all that is not in the log.
	unsettled := l.h.settle.of(int(s.Number))
	l.mu.Lock()
	own := &l.shards[s.Number]
	if s.Epoch < own.Epoch || s.Epoch == own.Epoch && s.Beat < own.Beat { // of the past: look was faster
		l.mu.Unlock()
		return
	}
	now := l.h.options.Clock.Elapsed()
	loaded := own.mine && own.Epoch == s.Epoch
	if own.Epoch != s.Epoch {
		own.failed = nil
		if own.Owner != s.Owner || own.Epoch+1 != s.Epoch {
			own.since = s.Epoch
		}
	}
	own.Shard, own.seen = *s, now
	own.mine = s.Owner == l.h.options.owner && own.failed == nil // a beat that was under way does not bring back what was given up
	if own.mine {
		if own.answers(s) {
			own.beat = own.at
		}
		if !loaded {
			delete(l.fresh, int(s.Number))
		}
	}
	mine := own.mine
	l.mu.Unlock()
	switch {
	case mine && !loaded:
		if err := l.h.engine.load(int(s.Number), s.Epoch, unsettled); err != nil {
			l.forsake(int(s.Number), s.Epoch, err)
		}
	case mine:
		l.h.engine.poke()
	default:
		l.h.engine.drop(int(s.Number))
	}
}

// forsake ends sending for a shard of which the queue here cannot be read: the lease lapses, so that a node that can read it sends.
func (l *lease) forsake(shard int, epoch uint64, why error) {
	l.mu.Lock()
	s := &l.shards[shard]
	if s.Epoch == epoch {
		s.mine, s.failed = false, fmt.Errorf("reading the queue of webhooks: %w", why)
	}
	l.mu.Unlock()
	l.h.options.Log.Error("what waits for webhooks cannot be read; another node may send it", "shard", shard, "problem", why)
}

// problem is why this node does not send for a shard that it had, nil if there is no such shard.
func (l *lease) problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.shards {
		if err := l.shards[i].failed; err != nil {
			return err
		}
	}
	return nil
}

// owned reports whether a shard is this node's, and its epoch.
func (l *lease) owned(shard int) (epoch uint64, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shards[shard].Epoch, l.shards[shard].mine
}

// settles reports whether outcomes of an epoch are this node's to settle, also if it sends no more, and in which epoch they count.
func (l *lease) settles(shard int, epoch uint64) (in uint64, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.shards[shard]
	return s.Epoch, s.Owner == l.h.options.owner && s.since <= epoch && epoch <= s.Epoch
}

// may reports whether a request may be started now.
func (l *lease) may(shard int, epoch uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.shards[shard]
	return s.mine && s.Epoch == epoch && l.h.options.Clock.Elapsed()-s.beat <= leaseLasts
}

// renew asks for a new epoch of a shard: the nonces of this one are used up.
func (l *lease) renew(shard int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh[shard] = true
	poke(l.wake)
}

// run claims and beats until the context ends.
func (l *lease) run(ctx context.Context) {
	for {
		if claims := l.claims(); claims != nil {
			l.submit(ctx, claims)
		}
		timer, stop := l.h.options.Clock.Timer(lookEvery)
		select {
		case <-timer:
		case <-l.wake:
		case <-ctx.Done():
			stop()
			return
		}
		stop()
	}
}

// claims is the next command to be sent: a claim of shards that nobody sends for, new epochs, or a beat; nil: none is due.
func (l *lease) claims() *schema.ClaimShards {
	if !l.h.any() { // nothing is to be sent, and an exchange without webhooks has no beats in its log
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.looked {
		return nil
	}
	now := l.h.options.Clock.Elapsed()
	c := &schema.ClaimShards{Owner: l.h.options.owner}
	choose := func(is func(*held) bool) bool {
		for i := range l.shards {
			s := &l.shards[i]
			waits := s.tried && s.asked == s.seenAs() && now-s.at < answerTime
			if is(s) && !waits {
				c.Shards = append(c.Shards, s.seenAs())
			}
		}
		return len(c.Shards) > 0
	}
	switch {
	case choose(func(s *held) bool { return !s.mine && (s.Owner == 0 || now-s.seen >= claimAfter) }):
		c.Renew = true // also if it was ours: nonces begin again, so that the epoch must be another
	case choose(func(s *held) bool { return s.mine && l.fresh[int(s.Number)] }):
		c.Renew = true
	case choose(func(s *held) bool { return s.mine && now-s.beat >= beatEvery }):
	default:
		return nil
	}
	for _, seen := range c.Shards {
		if s := &l.shards[seen.Number]; !s.tried || s.asked != seen {
			s.tried, s.asked, s.at = true, seen, now
		}
	}
	return c
}

// submit sends a claim. What came of it comes by the log.
func (l *lease) submit(ctx context.Context, c *schema.ClaimShards) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var r schema.Result
	if err := l.h.exchange.Submit(ctx, c, &r); err != nil && ctx.Err() == nil {
		l.h.options.Log.Warn("shards of webhooks could not be claimed; trying again", "problem", err)
	}
}
