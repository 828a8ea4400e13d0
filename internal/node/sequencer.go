package node

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// ticket is a command and somebody who waits for what becomes of it.
type ticket struct {
	command schema.Command
	origin  schema.Origin
	result  schema.Result // valid once it is settled without an error
	done    chan error    // holds one
}

// tickets are used again: one of them is needed for every command.
var tickets = sync.Pool{New: func() any { return &ticket{done: make(chan error, 1)} }}

// free gives a ticket back that nobody waits for and nobody will settle any more.
func (t *ticket) free() {
	t.command, t.result.Items = nil, nil
	tickets.Put(t)
}

// sequencer is what a node knows of the log, and the machine that follows it. It does no I/O and
// knows no clock: what it is told, in which order, decides what it does. One batch of our own
// is in flight at most.
//
// What must hold: batches are applied in the order of the log, each once, none left out; the
// tickets of a batch are settled when it is applied, wherever in the log it came to stand.
type sequencer struct {
	machine *core.Machine
	mark    journal.Mark // the last batch that was applied
	flight  *flight
	// applied is told what every command did; the outcome is valid during the call.
	applied func(*schema.Outcome)
	// stepped is told the place of a batch after it was applied, and before anyone hears of it.
	stepped func(seq uint64)
	// landing is told the mark of a batch of our own after it was applied and before anyone
	// hears of it; nil: nobody wants to know.
	landing func(journal.Mark)
	// met is told of every batch that is read from the log; nil: nobody wants to know.
	met func(journal.ID)
	// passes are the commands of the log that do not happen.
	passes journal.Passes
	// before is told of every command before it happens, so that tests can make the core panic;
	// nil: nobody wants to know.
	before func(schema.Command)
	// command and current are the one that happens now, and its place in the batch from 0.
	command int
	current schema.Command
	// What follows is kept for its memory.
	coder    wire.Coder
	envelope schema.Envelope
	body     []byte // of the flight
	memory   []byte // of the batch being sent
	// patience is how often in a row the log may seem shorter than what was applied. In a
	// cluster a new leader that has not caught up with itself answers so for a moment.
	patience int
	// stamina is how often in a row the log may fail to answer before the node gives up; 0: for
	// ever. An embedded server that does not answer has a disk that is full or broken.
	stamina int
}

// stuck is a panic of the core at a command that is durable. The state may be half changed: nothing
// may be done with this machine any more.
type stuck struct {
	error
	stack []byte
}

func (s *stuck) Unwrap() error { return s.error }

// contain turns a panic of the core at the current command into an error.
func (s *sequencer) contain(err *error) {
	if problem := recover(); problem != nil {
		*err = &stuck{journal.Stuck(s.mark.Seq, s.command+1, s.current, problem), debug.Stack()}
	}
}

// apply lets a command of the batch at the mark happen. Who calls it contains panics.
func (s *sequencer) apply(i int, at schema.Time, from schema.Origin, c schema.Command) *schema.Outcome {
	s.command, s.current = i, c
	if s.before != nil {
		s.before(c)
	}
	return s.machine.ApplyFrom(at, from, c)
}

// arrived is told what stands in the log behind the mark: a batch of another node, or our own
// when the answer to storing it was lost.
func (s *sequencer) arrived(b *journal.Batch) error {
	if b.Seq <= s.mark.Seq {
		return nil
	}
	if err := b.Follows(s.mark.Seq, s.mark.Hash); err != nil {
		return err
	}
	if s.met != nil {
		s.met(b.ID)
	}
	if s.flight != nil && s.flight.id == b.ID {
		s.mark = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		return s.land()
	}
	return s.replay(b)
}

// land applies the batch in flight from memory and settles its tickets. If the core panics none of
// them is settled, and the batch stays in flight: it is durable, and what it did is not known.
func (s *sequencer) land() (err error) {
	defer s.contain(&err)
	f := s.flight
	for i, t := range f.tickets {
		out := s.apply(i, f.at, t.origin, t.command)
		t.result = out.Result
		t.result.Items = slices.Clone(out.Result.Items)
		s.applied(out)
	}
	s.flight = nil
	s.stepped(s.mark.Seq)
	if s.landing != nil {
		s.landing(s.mark)
	}
	for _, t := range f.tickets {
		t.done <- nil
	}
	return nil
}

// replay applies a batch from its bytes, without the commands that are passed over. A batch that
// cannot be read wholly changes nothing.
func (s *sequencer) replay(b *journal.Batch) (err error) {
	commands, err := decode(b)
	if err != nil {
		return err
	}
	mark := journal.Mark{Seq: b.Seq, Hash: b.Hash()}
	passed, err := s.passes.Of(mark)
	if err != nil {
		return err
	}
	s.mark = mark
	defer s.contain(&err)
	for i := range commands {
		if slices.Contains(passed, i+1) {
			continue
		}
		s.applied(s.apply(i, commands[i].Time, commands[i].Origin, commands[i].Command))
	}
	s.stepped(b.Seq)
	return nil
}

func decode(b *journal.Batch) ([]schema.Envelope, error) {
	var commands []schema.Envelope
	for rest := b.Commands; len(rest) > 0; {
		e, next, err := schema.NextEnvelope(rest)
		if err != nil {
			return nil, fmt.Errorf("command %d of batch %d: %w", len(commands)+1, b.Seq, err)
		}
		commands, rest = append(commands, e), next
	}
	return commands, nil
}
