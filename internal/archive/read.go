package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
	"bourse/internal/schema"
)

// Limit is where a replay ends: behind a batch, or behind the last command of a moment. Zero
// values do not bind.
type Limit struct {
	Seq  uint64
	Time schema.Time
}

// Past is a machine on its way through the log.
type Past struct {
	Machine  *core.Machine
	Mark     journal.Mark // the last batch that was read, wholly unless Limit.Time cut it
	Commands uint64       // applied on this way
	Refused  uint64       // of those

	passes journal.Passes
	passed func(batch uint64, c *schema.Envelope, why *journal.Pass) error // hears of commands that are passed over; may be nil
}

// NewPast is the beginning of every log.
func NewPast() *Past { return &Past{Machine: core.New()} }

// CommandEvents is a command and what it did. It is valid during the call that it is passed to.
type CommandEvents struct {
	Batch    uint64
	Envelope *schema.Envelope
	Outcome  *schema.Outcome
}

// errLimit ends a replay at the limit of time.
var errLimit = errors.New("the limit is reached")

// Replay leads p through the log up to a limit; each, if there is one, is called with every command.
func (a *Archive) Replay(ctx context.Context, p *Past, limit Limit, each func(*CommandEvents) error) error {
	end, err := a.end(limit)
	if err != nil {
		return err
	}
	p.passes = a.passes
	err = replay.Run(ctx, a.log, p.Mark, end, replay.Fast, func(b *replay.Batch) error {
		if err := p.apply(b, limit.Time, each); err != nil {
			return err
		}
		a.Progress(b.Mark.Seq, end)
		return nil
	})
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

// end is the last batch to read.
func (a *Archive) end(limit Limit) (uint64, error) {
	if limit == (Limit{}) {
		return a.last, a.whole()
	}
	if limit.Seq > a.last {
		return 0, fmt.Errorf("the log ends at batch %d: there is no batch %d to go to", a.last, limit.Seq)
	}
	if limit.Seq != 0 {
		return limit.Seq, nil
	}
	return a.last, nil
}

// apply lets the commands of the next batch happen, without those that are passed over.
func (p *Past) apply(b *replay.Batch, until schema.Time, each func(*CommandEvents) error) error {
	passed, err := p.passes.Of(b.Mark)
	if err != nil {
		return err
	}
	for i := range p.Machine.InTurn(len(b.Commands), func(i int) schema.Command { return b.Commands[i].Command }) {
		c := &b.Commands[i]
		if slices.Contains(passed, i+1) {
			if err := p.pass(b.Mark.Seq, i+1, c); err != nil {
				return err
			}
			continue
		}
		if until != 0 && max(c.Time, p.Machine.Time()) > until {
			return errLimit
		}
		p.Mark = b.Mark
		out, err := p.happen(b.Mark.Seq, i+1, c)
		if err != nil {
			return err
		}
		if each == nil {
			continue
		}
		if err := each(&CommandEvents{Batch: b.Mark.Seq, Envelope: c, Outcome: out}); err != nil {
			return err
		}
	}
	p.Mark = b.Mark
	return nil
}

// pass goes on without a command.
func (p *Past) pass(batch uint64, command int, c *schema.Envelope) error {
	if p.passed == nil {
		return nil
	}
	why := slices.IndexFunc(p.passes, func(d journal.Pass) bool { return d.Batch == batch && d.Command == command })
	return p.passed(batch, c, &p.passes[why])
}

// happen applies a command. The core stops at a state that must not be; here that is a finding
// about the log, or about the program that reads it.
func (p *Past) happen(batch uint64, command int, e *schema.Envelope) (out *schema.Outcome, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = journal.Stuck(batch, command, e.Command, problem)
		}
	}()
	out = p.Machine.ApplyFrom(e.Time, e.Origin, e.Command)
	p.Commands++
	if out.Result.Rejection.Refused() {
		p.Refused++
	}
	return out, nil
}
