package node

import (
	"errors"
	"fmt"
	"math"

	"bourse/internal/disk"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// flight is a batch of our own that is on its way into the log.
type flight struct {
	id      journal.ID
	at      schema.Time // of all its commands
	tickets []*ticket
	body    []byte // the commands as they are stored

	conflict  bool   // the last answer was that something else stands there
	lost      int    // how often it was in this flight
	end       uint64 // where the log ended when that was last asked for; 0: nobody has to know
	fruitless int    // how often in a row asking the log taught us nothing
	shorter   int    // how often in a row the log ended before what was applied
}

// unknown says that it has to be asked where the log ends.
const unknown = math.MaxUint64

// A batch that was sent and not answered may be in the log or not, and may still be on its way there. What
// makes sending it again safe is that a batch names the place it is for and the hash of the batch before:
// the log stores it there or nowhere, so that however often it is sent it is applied once. The three
// moves below are all there is to it. They are decided without I/O, so that the simulator can go through lost, late
// and doubled answers in every order.

// move is what has to be done next to bring the batch in flight into the log.
type move int

const (
	landed  move = iota // nothing: it is applied and its tickets are settled
	send                // store it behind the mark, and tell answered
	look                // read what stands behind the mark, and tell looked
	measure             // ask where the log ends, and tell measured
)

// depart puts tickets on their way, as many as fit the limit in bytes, and gives their commands
// a time, never before that of the machine. It returns how many tickets it took. A command that
// is too large by itself is refused, and nothing is in flight then.
func (s *sequencer) depart(tickets []*ticket, id journal.ID, now schema.Time, limit int) int {
	if s.flight != nil {
		panic("node: a batch departs while another is in flight")
	}
	f := &flight{id: id, at: max(now, s.machine.Time()), body: s.body[:0]}
	taken := 0
	for _, t := range tickets {
		size := len(f.body)
		s.envelope = schema.Envelope{Time: f.at, Origin: t.origin, Command: t.command}
		f.body = s.coder.AppendSized(f.body, &s.envelope)
		if len(f.body) > limit {
			f.body = f.body[:size]
			break
		}
		taken++
	}
	s.body = f.body
	if taken == 0 {
		tickets[0].done <- ErrTooLarge
		return 1
	}
	f.tickets = tickets[:taken]
	s.flight = f
	return taken
}

// bytes are the bytes of the batch in flight for the place behind the mark.
func (s *sequencer) bytes() []byte {
	b := s.batch()
	s.memory = b.Append(s.memory[:0])
	return s.memory
}

func (s *sequencer) batch() journal.Batch {
	return journal.Batch{Seq: s.mark.Seq + 1, Prev: s.mark.Hash, ID: s.flight.id, Commands: s.flight.body}
}

// answered takes what became of storing the batch in flight behind the mark.
func (s *sequencer) answered(err error) (move, error) {
	switch f := s.flight; {
	case err == nil:
		b := s.batch()
		s.mark = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		return landed, s.land()
	case errors.Is(err, journal.ErrConflict):
		f.conflict = true
		if f.lost++; f.lost > 1 {
			f.end = unknown // others write more than one batch while this one is on its way
		}
		return look, nil
	case errors.Is(err, journal.ErrUnknown):
		f.conflict = false
		f.fruitless++
		if s.maxUnanswered != 0 && f.fruitless > s.maxUnanswered {
			return landed, fmt.Errorf("%w: %w. Nothing that was acknowledged is lost: make room or mend the disk, and start again",
				err, disk.ErrFailed)
		}
		return look, nil
	default:
		return landed, err
	}
}

// looked takes what stands behind the mark, if anything, or why that is not known.
func (s *sequencer) looked(b *journal.Batch, there bool, err error) (move, error) {
	f := s.flight
	switch {
	case errors.Is(err, journal.ErrDamaged):
		return landed, err
	case err != nil:
		f.fruitless++
		return send, nil // sending again asks the same question
	case !there && f.conflict:
		f.fruitless++
		return measure, nil
	case !there:
		return send, nil
	}
	if err := s.arrived(b); err != nil {
		return landed, err
	}
	f.conflict, f.fruitless, f.shorter = false, 0, 0
	if s.flight == nil {
		return landed, nil
	}
	// Another batch has the place where ours was sent to, so that ours is not in the log and can no
	// longer come there: a batch is stored behind the one it was made for or not at all. Once it has lost
	// its place twice, all is read that stood in the log by then: a node that sends after each batch never gets to the end of a log
	// where others write faster, if nobody brings it their batches. Looking on until there is nothing left
	// might not end, and a node that does not send does not lose a place, for which it would get a turn.
	switch {
	case f.end == unknown:
		return measure, nil
	case s.mark.Seq < f.end:
		return look, nil
	}
	return send, nil
}

// measured takes where the log ends: after a conflict with nothing it tells a log that lost what was applied from a copy that is a little
// late, and behind a batch of others it says how much is to be read before the next attempt.
func (s *sequencer) measured(last uint64, err error) (move, error) {
	f := s.flight
	if f.end == unknown && err == nil && last > s.mark.Seq {
		f.end = last
		return look, nil
	}
	f.end = 0
	if err != nil || last >= s.mark.Seq {
		f.shorter = 0
		return send, nil
	}
	f.shorter++
	if f.shorter > s.maxShorter {
		return landed, fmt.Errorf("%w: it ends at batch %d, and batch %d was applied", journal.ErrDamaged, last, s.mark.Seq)
	}
	return send, nil
}

// abandon gives up the batch in flight: whether it was stored is not known.
func (s *sequencer) abandon(err error) {
	if s.flight == nil {
		return
	}
	for _, t := range s.flight.tickets {
		t.done <- err
	}
	s.flight = nil
}
