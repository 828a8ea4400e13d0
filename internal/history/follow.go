package history

import (
	"context"
	"errors"
	"time"

	"bourse/internal/journal"
	"bourse/internal/node"
)

// A write holds the records of the steps that came while it waited, and so many at most.
const (
	recordsAtOnce = 16384
	stepsAtOnce   = 4096
)

// linger is how long records wait for others to be written with them: many at once cost each of
// them less. Nobody who asks for a page waits for that.
const linger = 100 * time.Millisecond

// errRewound means that the store has less than it had: a database that lost its end.
var errRewound = errors.New("the store has lost its end")

// follow keeps the store up to date until the context ends or the log cannot be read. It returns
// why it ended.
//
// The store says how far it is, and nothing else does: the place of the last batch is written with its records in one
// transaction. So a crash between two writes loses nothing and doubles nothing, and a store that was
// thrown away, restored from a backup or moved to another machine is brought up to date in the same way.
func (h *History) follow(ctx context.Context) error {
	for {
		var seq uint64
		err := h.persist(ctx, "asking the history how far it is", func() (err error) {
			seq, err = h.store.Seq(ctx)
			return err
		})
		if err == nil {
			err = h.followFrom(ctx, seq)
		}
		switch {
		case ctx.Err() != nil:
			return ErrClosed
		case errors.Is(err, errRewound):
			h.options.Log.Warn("the history has lost its end; it is made again from the journal")
		default:
			h.options.Log.Error("the history stops", "reason", err)
			return err
		}
	}
}

func (h *History) followFrom(ctx context.Context, seq uint64) error {
	applied := h.node.Applied()
	switch {
	case seq > applied:
		h.options.Log.Warn("the history is ahead of the log: other nodes were faster, or it belongs to another exchange",
			"history", seq, "log", applied)
	case seq == 0 && applied > 0:
		h.options.Log.Info("the history is made from the log; until then its pages cannot be had", "batches", applied)
	}
	h.progress.begin(seq, applied)
	f := &follower{History: h, reader: h.node.Reader(seq), read: seq, saved: seq}
	defer f.reader.Close()
	for {
		err := f.gather(ctx)
		if ctx.Err() != nil {
			f.leave(ctx)
			return ctx.Err()
		}
		if err == nil {
			err = f.save(ctx)
		}
		if err != nil {
			return err
		}
		h.progress.reach(f.read)
	}
}

// follower stands at a place of the log.
type follower struct {
	*History
	reader  *node.Reader
	records []Record  // of the steps after saved
	read    uint64    // the last step that was read
	saved   uint64    // the last step that is noted in the store
	saveBy  time.Time // when what was read has to be saved
}

// gather reads steps until it is time to save them.
func (f *follower) gather(ctx context.Context) error {
	for len(f.records) < recordsAtOnce && f.read-f.saved < stepsAtOnce && f.more(ctx) {
		var step *node.Step
		err := f.persist(ctx, "reading the log", func() (err error) {
			step, err = f.reader.Next(ctx)
			return err
		})
		if err != nil {
			return err
		}
		f.take(step)
	}
	return nil
}

// take takes in what a step left behind. Steps without records may be noted much later; what
// waits for them need not wait for that.
func (f *follower) take(step *node.Step) {
	now := time.Now()
	if f.read == f.saved {
		f.saveBy = now.Add(f.options.saveEvery)
	}
	f.read = step.Seq
	fresh := len(f.records) == 0
	if f.records = Records(f.records, step); len(f.records) == 0 {
		f.progress.reach(f.read)
	} else if by := now.Add(linger); fresh && by.Before(f.saveBy) {
		f.saveBy = by
	}
}

// more waits for another step, until it is time to save those that were read.
func (f *follower) more(ctx context.Context) bool {
	for {
		next := f.reader.More()
		if f.read == f.saved {
			select {
			case <-next:
				return true
			case <-ctx.Done():
				return false
			}
		}
		if len(f.records) > 0 && f.progress.awaited(f.saved, f.read) || !time.Now().Before(f.saveBy) {
			return false
		}
		select {
		case <-next:
			return true
		default:
		}
		timer := time.NewTimer(time.Until(f.saveBy))
		select {
		case <-next:
			timer.Stop()
			return true
		case <-f.progress.hurry: // look again whether somebody waits for what was read
			timer.Stop()
		case <-timer.C:
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

func (f *follower) save(ctx context.Context) error {
	rewound := false
	f.progress.save(true)
	defer f.progress.save(false)
	err := f.persist(ctx, "writing history", func() error {
		err := f.store.Write(ctx, f.read, f.records)
		if err != nil {
			seq, unknown := f.store.Seq(ctx)
			rewound = unknown == nil && seq < f.saved
		}
		if rewound {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case rewound:
		return errRewound
	}
	clear(f.records)
	f.records, f.saved = f.records[:0], f.read
	return nil
}

// leaveTime is how long a store may take to note where it is when the history is closed.
const leaveTime = 2 * time.Second

// leave notes what was read. If that fails it will be read again.
func (f *follower) leave(ctx context.Context) {
	if f.read == f.saved {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if err := f.store.Write(ctx, f.read, f.records); err != nil {
		f.options.Log.Info("the last steps are read again at the next start", "problem", err)
	}
}

// persist tries until it succeeds, with growing pauses, and says once that there is a problem and
// once that it is over. What is damaged stays damaged: then it gives up.
func (h *History) persist(ctx context.Context, what string, try func() error) error {
	for attempt := 0; ; attempt++ {
		err := try()
		switch {
		case err == nil && attempt > 0:
			h.options.Log.Info("it works again: "+what, "attempts", attempt+1)
			h.progress.suffer(nil)
			return nil
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, journal.ErrDamaged), errors.Is(err, errBroken):
			return err
		case attempt == 0:
			h.options.Log.Warn(what+" fails; trying again until it works", "problem", err)
			h.progress.suffer(err)
		}
		select {
		case <-time.After(min(5*time.Second, 10*time.Millisecond<<min(attempt, 10))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
