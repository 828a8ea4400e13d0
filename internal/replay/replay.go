// Package replay reads the log for those who live through it again: the node that starts, readers
// of the past, the builder of snapshots, and the tools that look at an exchange that does not
// run. One goroutine reads, checks and decodes batches while the caller applies the ones before.
//
// What it promises: batches come in the order of the log, each checked (checksum, chain of
// hashes, every command readable) before the caller sees any of it; nothing is decoded further
// ahead than a few groups of batches. When Run returns nothing of it goes on.
package replay

import (
	"context"
	"fmt"
	"runtime"

	"bourse/internal/journal"
	"bourse/internal/schema"
)

// Source is a log to be read.
type Source interface {
	// Read calls each with the batches after one place up to another, in order.
	Read(ctx context.Context, after, upTo uint64, each func(*journal.Batch) error) error
}

// Batch is a batch that was checked and decoded. It is valid during the call that it is passed to,
// and so are its commands.
type Batch struct {
	Mark     journal.Mark
	Commands []schema.Envelope
}

// Pace says how much of the machine a replay takes.
type Pace int

const (
	// Fast is for those who keep everybody waiting.
	Fast Pace = iota
	// Beside gives way to others every few commands.
	Beside
)

// slice is how many commands are decoded, or applied, before others get a turn.
const slice = 64

// Yield gives way after a number of commands, if the pace says so.
func (p Pace) Yield(commands int) {
	if p == Beside && commands%slice == 0 {
		runtime.Gosched()
	}
}

// Batches travel in groups: handing over each small one by itself would cost more than it does.
const (
	groupCommands = 1024
	groupBatches  = 256
	groups        = 3
)

// group is batches in a row, with the memory that they live in.
type group struct {
	batches []Batch
	ends    []int // of the commands of each batch
	memory  decoder
}

// Run calls each with the batches behind a mark up to a place. The error is the first that reading
// or each came upon; batches before it were passed to each.
func Run(ctx context.Context, source Source, from journal.Mark, upTo uint64, pace Pace, each func(*Batch) error) error {
	if from.Seq >= upTo {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	r := &reader{
		source: source, mark: from, upTo: upTo, pace: pace,
		full: make(chan *group, groups), free: make(chan *group, groups), ended: make(chan struct{}),
	}
	for range groups {
		r.free <- new(group)
	}
	go r.run(ctx)
	defer func() { stop(); <-r.ended }()
	for g := range r.full {
		for i := range g.batches {
			if err := each(&g.batches[i]); err != nil {
				return err
			}
		}
		r.free <- g // there is room for all that there are
	}
	return r.err
}

// reader is the side of a replay that reads.
type reader struct {
	source Source
	mark   journal.Mark
	upTo   uint64
	pace   Pace

	group *group // being filled
	full  chan *group
	free  chan *group
	ended chan struct{}
	err   error // why reading ended; set before full is closed
}

func (r *reader) run(ctx context.Context) {
	defer close(r.ended)
	defer close(r.full)
	r.err = r.source.Read(ctx, r.mark.Seq, r.upTo, func(b *journal.Batch) error { return r.add(ctx, b) })
	if r.group != nil {
		r.full <- r.seal() // there is room for all that there are
	}
}

// add checks and decodes a batch, and hands the group over when it is full.
func (r *reader) add(ctx context.Context, b *journal.Batch) error {
	if err := b.Follows(r.mark.Seq, r.mark.Hash); err != nil {
		return err
	}
	if r.group == nil {
		select {
		case r.group = <-r.free:
			r.group.reset()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := r.group.memory.decode(b, r.pace); err != nil {
		return err
	}
	r.mark = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
	r.group.batches = append(r.group.batches, Batch{Mark: r.mark})
	r.group.ends = append(r.group.ends, len(r.group.memory.commands))
	if len(r.group.memory.commands) >= groupCommands || len(r.group.batches) >= groupBatches {
		r.full <- r.seal()
	}
	return nil
}

func (g *group) reset() {
	g.batches, g.ends = g.batches[:0], g.ends[:0]
	g.memory.reset()
}

// seal gives the batches of the group their commands, which do not move any more.
func (r *reader) seal() *group {
	g := r.group
	r.group = nil
	begin := 0
	for i, end := range g.ends {
		g.batches[i].Commands = g.memory.commands[begin:end]
		begin = end
	}
	return g
}

// Decode reads the commands of a batch. They own their memory.
func Decode(b *journal.Batch) ([]schema.Envelope, error) {
	var d decoder
	err := d.decode(b, Fast)
	return d.commands, err
}

// decoder decodes commands into memory that it uses again.
type decoder struct {
	schema.Decoder
	commands []schema.Envelope
}

// reset forgets the commands and keeps their memory.
func (d *decoder) reset() { d.commands = d.commands[:0] }

// decode adds the commands of a batch; if one of them cannot be read, none is added.
func (d *decoder) decode(b *journal.Batch, pace Pace) error {
	before := len(d.commands)
	for rest := b.Commands; len(rest) > 0; {
		n := len(d.commands)
		if n < cap(d.commands) {
			d.commands = d.commands[:n+1]
		} else {
			d.commands = append(d.commands, schema.Envelope{})
		}
		next, err := d.Next(rest, &d.commands[n])
		if err != nil {
			d.commands = d.commands[:before]
			return fmt.Errorf("command %d of batch %d: %w", n-before+1, b.Seq, err)
		}
		rest = next
		pace.Yield(n)
	}
	return nil
}
