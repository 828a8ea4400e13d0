package webhook

import (
	"context"
	"sync"
	"time"

	"bourse/internal/schema"
)

// settleEvery is how long outcomes wait for others to be settled with them.
const settleEvery = 100 * time.Millisecond

// settler puts what became of events into the log.
type settler struct {
	h    *Webhooks
	wake chan struct{} // there is something to settle
	many chan struct{} // there is a command full

	mu   sync.Mutex
	list []schema.Delivery
}

func (s *settler) begin(h *Webhooks) {
	s.h, s.wake, s.many = h, make(chan struct{}, 1), make(chan struct{}, 1)
}

func (s *settler) add(d schema.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, d)
	poke(s.wake)
	if len(s.list) >= schema.MaxDeliveries {
		poke(s.many)
	}
}

// of are the outcomes of a shard that are not in the log.
func (s *settler) of(shard int) (list []schema.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.list {
		if schema.ShardOf(d.Account) == shard {
			list = append(list, d)
		}
	}
	return list
}

// full reports whether so much waits for the log that nothing more should be sent.
func (s *settler) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) >= mostUnsettled
}

// leaveTime is how long the last outcomes may take when all ends. What is not settled then is sent again.
const leaveTime = 2 * time.Second

// run settles until the context ends, and then what is left.
func (s *settler) run(ctx context.Context) {
	s.settle(ctx)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	for leaving.Err() == nil && s.some() {
		s.flush(leaving)
	}
}

func (s *settler) some() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) > 0
}

func (s *settler) settle(ctx context.Context) {
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		timer, stop := s.h.options.Clock.Timer(settleEvery)
		select {
		case <-timer:
		case <-s.many:
		case <-ctx.Done():
		}
		stop()
		for ctx.Err() == nil && s.flush(ctx) {
		}
	}
}

// take is what the next command settles: what is of an epoch that is over counts no more, another node sends it again.
func (s *settler) take() (list []schema.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.list[:0]
	for _, d := range s.list {
		if epoch, is := s.h.lease.settles(schema.ShardOf(d.Account), d.Epoch); is {
			d.Epoch = epoch
			kept = append(kept, d)
		}
	}
	s.list = kept
	return append(list, kept[:min(len(kept), schema.MaxDeliveries)]...)
}

// flush settles a command full, and reports whether there is more.
func (s *settler) flush(ctx context.Context) bool {
	list := s.take()
	if len(list) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var r schema.Result
	if err := s.h.exchange.Submit(ctx, &schema.SettleWebhooks{Deliveries: list}, &r); err != nil {
		// It may be settled twice: that says the same.
		s.h.options.Log.Warn("deliveries could not be settled; trying again", "problem", err)
		return pause(ctx, s.h.options.Clock, settleEvery)
	}
	if r.Rejection.Refused() {
		// A shard has another owner, which the log will say in a moment. Until then it is tried again.
		if r.Rejection.Reason != schema.DeliveriesLate {
			s.h.options.Log.Error("deliveries were refused", "reason", r.Rejection.Text())
			s.drop(len(list))
			return true
		}
		return pause(ctx, s.h.options.Clock, settleEvery)
	}
	s.drop(len(list))
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) >= schema.MaxDeliveries
}

// drop forgets the first outcomes: they are settled. Only the end of the list grew meanwhile.
func (s *settler) drop(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list[:0], s.list[n:]...)
	if len(s.list) > 0 {
		poke(s.wake)
	}
}
