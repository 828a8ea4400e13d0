package drill

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// told is what a run of the program printed before it ended.
type told struct {
	began   uint64 // the place of the log behind which it began
	clients int
	seed    uint64
	sent    map[int]int      // how many commands each client sent
	acks    map[int][]string // what was acknowledged to each client, in order
	state   string           // the line of an orderly end
}

// history lives through a whole log again and holds it against what runs were told: each command
// in it must be, byte by byte, the next one that its client sent.
type history struct {
	machine *core.Machine
	mark    journal.Mark
	runs    []*told
	at      int // the run that the log has come to
	ready   bool
	clients map[schema.AccountID]*client
	logged  map[int][]string // of the run, what became of each client's commands
	total   int              // acknowledgements that were found
}

// replay reads the log of a data directory that nobody uses.
func replay(ctx context.Context, dir string, runs []*told) (*history, error) {
	h := &history{machine: core.New(), runs: runs, at: -1}
	held, err := journal.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	log, err := journal.Open(ctx, journal.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	last, err := log.Last(ctx)
	if err != nil {
		return nil, err
	}
	if err := log.Read(ctx, 0, last, h.batch); err != nil {
		return nil, err
	}
	for h.at < len(runs)-1 {
		if err := h.nextRun(); err != nil {
			return nil, err
		}
	}
	if err := h.endRun(); err != nil {
		return nil, err
	}
	return h, h.machine.Verify()
}

func (h *history) batch(b *journal.Batch) error {
	if err := b.Follows(h.mark.Seq, h.mark.Hash); err != nil {
		return err
	}
	for h.at < len(h.runs)-1 && h.runs[h.at+1].began < b.Seq {
		if err := h.nextRun(); err != nil {
			return err
		}
	}
	h.mark = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
	for rest := b.Commands; len(rest) > 0; {
		e, next, err := schema.NextEnvelope(rest)
		if err != nil {
			return err
		}
		if err := h.command(&e); err != nil {
			return fmt.Errorf("batch %d: %w", b.Seq, err)
		}
		rest = next
	}
	return nil
}

// nextRun comes to the next run; a run may have died before anything of it was stored.
func (h *history) nextRun() error {
	if err := h.endRun(); err != nil {
		return err
	}
	h.at++
	h.ready, h.clients, h.logged = false, map[schema.AccountID]*client{}, map[int][]string{}
	return nil
}

// endRun compares what the log has of a run with what was acknowledged. Each client had one
// command under way when the process died, so there may be one more of it in the log.
func (h *history) endRun() error {
	if h.at < 0 {
		return nil
	}
	run := h.runs[h.at]
	for client := range run.clients + 1 {
		logged, acks := h.logged[client], run.acks[client]
		if len(logged) < len(acks) || len(logged) > len(acks)+1 || len(logged) > run.sent[client] {
			return fmt.Errorf("run %d, client %d: %d commands were sent, %d acknowledged, %d are in the log",
				h.at, client, run.sent[client], len(acks), len(logged))
		}
		for i, ack := range acks {
			if logged[i] != ack {
				return fmt.Errorf("run %d, client %d, command %d: %q was acknowledged, the log says %q", h.at, client, i+1, ack, logged[i])
			}
		}
		h.total += len(acks)
	}
	return nil
}

// command applies one command of the log after it was found to be the one that was sent.
func (h *history) command(e *schema.Envelope) error {
	switch e.Command.(type) {
	case *schema.Tick, *schema.Continue, *schema.SetFeature: // of the exchange itself
		h.machine.Apply(e.Time, e.Command)
		return nil
	}
	if h.at < 0 {
		return fmt.Errorf("a %T that no run has sent", e.Command)
	}
	number, c, want := h.expected(e.Command)
	if want == nil || !bytes.Equal(wire.Append(nil, want), wire.Append(nil, e.Command)) {
		return fmt.Errorf("run %d, client %d, command %d: the log has %T %+v, sent was %T %+v",
			h.at, number, len(h.logged[number])+1, e.Command, e.Command, want, want)
	}
	out := h.machine.Apply(e.Time, e.Command)
	if c != nil {
		c.answered(&out.Result)
	}
	if err := named(e.Command, out); err != nil {
		return err
	}
	h.logged[number] = append(h.logged[number], answer(e.Command, &out.Result))
	return nil
}

// expected is who must have sent a command, and what that client sent next.
func (h *history) expected(c schema.Command) (int, *client, schema.Command) {
	run := h.runs[h.at]
	if !h.ready {
		if command := missing(h.machine, run.clients); command != nil {
			return 0, nil, command
		}
		h.ready = true
		for _, c := range newClients(h.machine, run.clients, run.began, run.seed) {
			h.clients[c.account] = c
		}
	}
	sender := h.clients[account(c)]
	if sender == nil {
		return -1, nil, nil
	}
	return sender.number, sender, sender.next()
}

func account(c schema.Command) schema.AccountID {
	switch c := c.(type) {
	case *schema.PlaceOrder:
		return c.Account
	case *schema.CancelOrder:
		return c.Account
	case *schema.ModifyOrder:
		return c.Account
	case *schema.CancelAll:
		return c.Account
	case *schema.Transfer:
		return c.Account
	default:
		return 0
	}
}

// named checks that the events of an order carry the name that its client gave it.
func named(command schema.Command, out *schema.Outcome) error {
	place, ok := command.(*schema.PlaceOrder)
	if !ok || out.Result.Rejection.Refused() {
		return nil
	}
	if slices.ContainsFunc(slices.Collect(out.Events.All()), func(e schema.Event) bool {
		o, ok := e.(*schema.OrderChanged)
		return ok && o.Order.ID == out.Result.Order.ID && o.Order.ClientID == place.Order.ClientID
	}) {
		return nil
	}
	return fmt.Errorf("no event tells of order %s", place.Order.ClientID)
}
