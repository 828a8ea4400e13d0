package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
)

// verifyEvery is how many batches lie between two checks of all invariants: each goes through
// the whole state.
const verifyEvery = 10_000

// Report is what a verification found.
type Report struct {
	Batches   uint64 // that were read and are good
	Commands  uint64
	Snapshots int // that are good
	Hash      [32]byte
	Findings  []string  // each says what, where, and what to do
	State     core.View // where the log, or what is good of it, ends
}

// Verify reads the whole log, lives through it from the beginning, restores every snapshot, and
// holds the watermark and the snapshots against the log. The error is about what kept it from looking; what it saw is in the
// report.
func (a *Archive) Verify(ctx context.Context) (*Report, error) {
	past := NewPast()
	past.passes = a.passes
	v := &verification{archive: a, past: past, snapshots: map[uint64]*journal.Snapshot{}, marked: a.badMark == nil}
	if err := v.begin(); err != nil {
		return nil, err
	}
	if err := replay.Run(ctx, a.log, v.past.Mark, a.last, replay.Fast, v.batch); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v.find("%v; batches after %d were not checked: restore the journal from a backup or a replica", err, v.past.Mark.Seq)
	} else if a.last == 0 || a.last%verifyEvery != 0 {
		v.invariants()
	}
	v.end()
	v.report.Batches, v.report.Commands, v.report.Hash, v.report.State = v.past.Mark.Seq, v.past.Commands, v.past.Machine.Hash(), v.past.Machine
	return &v.report, nil
}

type verification struct {
	archive   *Archive
	past      *Past
	snapshots map[uint64]*journal.Snapshot // by their batch, those not yet met
	places    []uint64                     // of the snapshots, in order
	marked    bool                         // there is a watermark that was not met yet
	report    Report
}

func (v *verification) find(format string, args ...any) {
	v.report.Findings = append(v.report.Findings, fmt.Sprintf(format, args...))
}

// begin reads what the log will be held against.
func (v *verification) begin() (err error) {
	a := v.archive
	if a.badMark != nil {
		v.find("%v", a.badMark)
	}
	if v.places, err = a.dir.Snapshots(); err != nil {
		return err
	}
	for _, seq := range v.places {
		s, err := a.dir.LoadSnapshot(seq)
		if err != nil {
			v.find("%v; remove the file, the log has everything, and 'bourse snapshot' writes a new one", err)
			continue
		}
		if _, err := core.Restore(s.State); err != nil {
			v.find("the snapshot of batch %d cannot be restored: %v; remove the file, the log has everything, and 'bourse snapshot' writes a new one", seq, err)
			continue
		}
		v.snapshots[seq] = &s
	}
	return nil
}

// batch checks one batch and what stands at its place.
func (v *verification) batch(b *replay.Batch) error {
	if err := v.past.apply(b, 0, nil); err != nil {
		return err
	}
	mark := v.past.Mark
	if v.marked && mark.Seq == v.archive.acknowledged.Seq {
		v.marked = false
		if mark.Hash != v.archive.acknowledged.Hash {
			v.find("the watermark knows another batch %d than the log has: the log was replaced; restore the one that belongs to this directory", mark.Seq)
		}
	}
	if s := v.snapshots[mark.Seq]; s != nil {
		v.snapshot(s)
		delete(v.snapshots, mark.Seq)
	}
	if mark.Seq%verifyEvery == 0 {
		v.invariants()
	}
	v.archive.Progress(mark.Seq, v.archive.last)
	return nil
}

// snapshot holds a snapshot against the state that the log gives at its place.
func (v *verification) snapshot(s *journal.Snapshot) {
	switch {
	case s.Mark != v.past.Mark:
		v.find("the snapshot of batch %d was made of another batch than the log has there: the log was replaced; restore the one that belongs to this directory", s.Mark.Seq)
	case !bytes.Equal(s.State, v.past.Machine.Snapshot()):
		v.find("the snapshot of batch %d holds another state than the log gives there: remove the file, 'bourse snapshot' writes a new one; "+
			"if an exchange ran from it, its answers since were wrong, so keep a copy and report it", s.Mark.Seq)
	default:
		v.report.Snapshots++
	}
}

// invariants checks that the money adds up and that books and orders agree.
func (v *verification) invariants() {
	if err := v.past.Machine.Verify(); err != nil {
		v.find("after batch %d an invariant of the state does not hold: %v; keep a copy of the directory and report it", v.past.Mark.Seq, err)
	}
}

// end reports what was not met on the way.
func (v *verification) end() {
	read := v.past.Mark.Seq
	if acknowledged := v.archive.acknowledged.Seq; v.marked && acknowledged > read {
		v.find("the log is good up to batch %d, but batch %d was acknowledged: batches %d to %d are missing or damaged; restore the journal from a backup or a replica",
			read, acknowledged, read+1, acknowledged)
	}
	for _, seq := range v.places {
		if v.snapshots[seq] != nil {
			v.find("the snapshot of batch %d cannot be checked, the log is good up to batch %d: restore the journal from a backup or a replica, keep the snapshot", seq, read)
		}
	}
}

// Err is nil when nothing was found.
func (r *Report) Err() error {
	switch len(r.Findings) {
	case 0:
		return nil
	case 1:
		return errors.New("1 finding")
	}
	return fmt.Errorf("%d findings", len(r.Findings))
}
