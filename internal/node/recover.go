package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
)

// maxShorter is how often a server of a cluster is asked again that says it has less than is known
// to be there: a leader that was just elected has not caught up with itself. Nobody else can
// have written to an embedded one, and what it says is final.
const maxShorter = 30

// maxUnanswered is how many times the embedded server is asked that does not answer within two seconds.
const maxUnanswered = 5

// recoverState makes the state that the log stands for, and holds the log against what was
// acknowledged.
//
// The log is believed only as far as two other witnesses agree. The watermark, a file of its own, names the
// last batch whose callers were answered, with its hash: a log that ends before it lost acknowledged commands, one
// with another hash there is not the log it was. A snapshot names the batch it stands for in the same way. Where they differ
// the node does not start; which of them is right is for people to find out.
func (n *Node) recoverState(ctx context.Context, acknowledged journal.Mark) error {
	last, err := n.checkEnd(ctx, acknowledged.Seq)
	if err != nil {
		return err
	}
	machine, mark, err := n.newest(ctx, last)
	if err != nil {
		return err
	}
	n.builder.saved.Store(mark.Seq)
	n.seq = &sequencer{
		machine: machine, mark: mark, applied: nobody, stepped: func(uint64) {}, maxShorter: n.shorterAllowed(),
		passes: n.passes, before: n.options.before,
	}
	n.seq.landing = func(m journal.Mark) { n.marking = n.watermark.Set(m) }
	if n.options.Journal.Embedded() {
		n.seq.maxUnanswered = maxUnanswered
	}
	if err := n.checkMark(ctx, mark, "the snapshot"); err != nil {
		return err
	}
	if acknowledged.Seq <= mark.Seq {
		if err := n.checkMark(ctx, acknowledged, "the watermark"); err != nil {
			return err
		}
	}
	return replay.Run(ctx, n.log, mark, last, replay.Fast, func(b *replay.Batch) error {
		if err := n.seq.repeat(b); err != nil {
			return err
		}
		n.replayed++
		if b.Mark.Seq == acknowledged.Seq && b.Mark.Hash != acknowledged.Hash {
			return differs(b.Mark.Seq, "the watermark")
		}
		return nil
	})
}

// checkEnd is the end of the log, which must not be before what is known of it.
func (n *Node) checkEnd(ctx context.Context, known uint64) (last uint64, err error) {
	all, err := n.dir.Snapshots()
	if err != nil {
		return 0, err
	}
	if len(all) > 0 {
		known = max(known, all[len(all)-1])
	}
	reached, err := n.eventually(ctx, func() (bool, error) {
		last, err = n.log.Last(ctx)
		return last >= known, err
	})
	if err == nil && !reached {
		err = fmt.Errorf("%w: it ends at batch %d, but batch %d was acknowledged; batches %d to %d are missing",
			journal.ErrDamaged, last, known, last+1, known)
	}
	return last, err
}

func (n *Node) shorterAllowed() int {
	if n.options.Journal.Embedded() {
		return 0
	}
	return maxShorter
}

// eventually asks until the answer is yes, patiently.
func (n *Node) eventually(ctx context.Context, ask func() (bool, error)) (yes bool, err error) {
	for try := 0; ; try++ {
		if yes, err = ask(); (yes && err == nil) || try == n.shorterAllowed() {
			return yes, err
		}
		if err := pause(ctx, try+1); err != nil {
			return false, err
		}
	}
}

// newest is the machine of the newest snapshot that can be used and is not beyond a place: one of
// our own, or in a cluster a newer one of any node, which becomes our own. A snapshot that is
// damaged is passed over: the log has everything.
func (n *Node) newest(ctx context.Context, upTo uint64) (*core.Machine, journal.Mark, error) {
	own, err := n.dir.Snapshots()
	if err != nil {
		return nil, journal.Mark{}, err
	}
	for _, seq := range slices.Backward(n.sharedSnapshots(ctx)) {
		if seq > upTo {
			continue
		}
		if len(own) > 0 && seq <= own[len(own)-1] {
			break
		}
		s, err := n.shared.LoadSnapshot(ctx, seq)
		if m := n.restore(seq, &s, err); m != nil {
			mark := s.Mark
			return m, mark, n.dir.SaveSnapshot(&s, func(*journal.Snapshot) error { return nil })
		}
	}
	return n.ownNewest(upTo)
}

// ownNewest is the machine of the newest snapshot of our own that can be used and is not beyond a
// place, or the one that every log begins with.
func (n *Node) ownNewest(upTo uint64) (*core.Machine, journal.Mark, error) {
	all, err := n.dir.Snapshots()
	if err != nil {
		return nil, journal.Mark{}, err
	}
	for _, seq := range slices.Backward(all) {
		if seq > upTo {
			continue
		}
		s, err := n.dir.LoadSnapshot(seq)
		if m := n.restore(seq, &s, err); m != nil {
			return m, s.Mark, nil
		}
	}
	return core.New(), journal.Mark{}, nil
}

// sharedSnapshots are the places of snapshots that nodes share; none if they cannot be had.
func (n *Node) sharedSnapshots(ctx context.Context) []uint64 {
	if n.shared == nil {
		return nil
	}
	all, err := n.shared.Snapshots(ctx)
	if err != nil {
		n.options.Log.Warn("going on without shared snapshots", "problem", err)
	}
	return all
}

// restore is the machine of a snapshot, nil if it cannot be used.
func (n *Node) restore(seq uint64, s *journal.Snapshot, err error) *core.Machine {
	if err == nil {
		var m *core.Machine
		if m, err = core.Restore(s.State); err == nil {
			return m
		}
	}
	n.options.Log.Warn("a snapshot is passed over", "batch", seq, "problem", err)
	return nil
}

// checkMark checks that the batch at a mark is the one that was there when the mark was made.
func (n *Node) checkMark(ctx context.Context, m journal.Mark, who string) error {
	if m.Seq == 0 {
		return nil
	}
	var hash journal.Hash
	there, err := n.eventually(ctx, func() (there bool, err error) {
		hash, there, err = n.log.Hash(ctx, m.Seq)
		return there, err
	})
	if err != nil {
		return err
	}
	if !there || hash != m.Hash {
		return differs(m.Seq, who)
	}
	return nil
}

func differs(seq uint64, who string) error {
	return fmt.Errorf("%w: batch %d is not the one that %s knows", journal.ErrDamaged, seq, who)
}

// remedy says what to do about a log that cannot be used.
func (n *Node) remedy(err error) error {
	if !errors.Is(err, journal.ErrDamaged) {
		return err
	}
	if kept := n.log.Kept(); kept != "" {
		return fmt.Errorf("%w: restore the journal of %s from a backup or a replica; what was damaged is kept in %s", err, n.dir.Path(), kept)
	}
	return fmt.Errorf("%w: restore the journal of %s from a backup or a replica", err, n.dir.Path())
}

// checkHoles looks for batches that the log has lost before the place where the state was taken
// up. The state is whole, so the exchange goes on; its history is not, and nobody may overlook it.
func (n *Node) checkHoles(ctx context.Context) error {
	missing, err := n.log.Missing(ctx)
	if err == nil && missing > 0 {
		n.options.Log.Error("the log has lost batches of the past; the state is whole, the history is not: "+
			"restore the journal from a backup or a replica", "batches", missing, "directory", n.dir.Path())
	}
	return err
}
