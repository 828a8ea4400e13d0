package core

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/collateral"
	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// trial is a machine together with everything that it is held against: the naive exchange, a
// machine that gets the same commands through their encoding, and one that lives from snapshot
// to snapshot.
type trial struct {
	fast      *Machine
	slow      *naive.Exchange
	twin      *Machine
	restored  *Machine
	mirror    *mirror
	ledger    map[balanceKey]balanceState // of the naive exchange, by its events
	levels    map[levelKey]fixed.Decimal  // so are these
	answer    schema.Result               // to the last command
	slice     int
	units     int
	steps     int
	count     int
	converted schema.ConversionID // the last that was converted at once
}

func newTrial(slice int) *trial {
	tr := &trial{
		fast: New(), slow: naive.New(), twin: New(), restored: New(), mirror: newMirror(), slice: slice,
		ledger: map[balanceKey]balanceState{}, levels: map[levelKey]fixed.Decimal{},
	}
	for _, m := range []*Machine{tr.fast, tr.twin, tr.restored} {
		m.SetSlice(slice)
	}
	tr.slow.FundingSlice = 5 * slice
	tr.limit(collateral.DefaultBounds.Units)
	tr.remember(slice)
	tr.limitChains(tr.fast.chains.Steps)
	return tr
}

// remember sets how many applied codes are remembered.
func (tr *trial) remember(codes int) {
	for _, m := range []*Machine{tr.fast, tr.twin, tr.restored} {
		m.codes.Remembered = codes
	}
	tr.slow.RememberedCodes = codes
}

// limitChains sets how much a command may do on chains.
func (tr *trial) limitChains(steps int) {
	for _, m := range []*Machine{tr.fast, tr.twin, tr.restored} {
		m.chains.Steps = steps
	}
	tr.slow.ChainSteps = steps
	tr.steps = steps
}

// limit sets how much liquidation may do in one command.
func (tr *trial) limit(units int) {
	for _, m := range []*Machine{tr.fast, tr.twin, tr.restored} {
		m.collateral.Bounds.Units = units
	}
	tr.slow.LiquidationUnits = units
	tr.units = units
}

// moment is a command, when it is sent and how it comes.
type moment struct {
	at   schema.Time
	cmd  schema.Command
	from schema.Origin
}

// apply runs a command everywhere, to its end, and compares everything that can be seen.
func (tr *trial) apply(m moment) error {
	got, err := tr.finish(m)
	if err != nil {
		return err
	}
	want := tr.slow.Apply(m.at, m.from, m.cmd)
	tr.answer = want.Result
	if got.time != want.Time {
		return fmt.Errorf("it happened at %d, want %d", got.time, want.Time)
	}
	if err := sameResult(got.answer, &want.Result); err != nil {
		return err
	}
	if err := tr.sameEvents(got.events, want.Events); err != nil {
		return err
	}
	return tr.compareState()
}

// finished is what became of a command over all its slices.
type finished struct {
	time   schema.Time
	answer *schema.Result
	events []schema.Event
}

// finish runs a command on the machines, slice by slice.
func (tr *trial) finish(m moment) (f finished, err error) {
	out, err := tr.step(m)
	if err != nil {
		return f, err
	}
	work := out.Work
	f.time = out.Time
	for n := 1; ; n++ {
		for e := range out.Events.All() {
			f.events = append(f.events, kept(e))
		}
		if out.Finished == work && out.Work == 0 {
			if f.answer != nil && work != 0 {
				return f, fmt.Errorf("work %d ended twice", work)
			}
			if f.answer == nil {
				f.answer = copied(&out.Result)
			}
		}
		if !tr.fast.Busy() {
			break
		}
		if n > 100_000 {
			return f, errors.New("the work does not end")
		}
		if out, err = tr.step(moment{at: m.at, cmd: new(schema.Continue)}); err != nil {
			return f, fmt.Errorf("slice %d: %w", n, err)
		}
	}
	if f.answer == nil {
		return f, fmt.Errorf("work %d ended without an answer", work)
	}
	return f, nil
}

func copied(r *schema.Result) *schema.Result {
	c := *r
	c.Items = slices.Clone(c.Items)
	if r.Code != nil {
		code := *r.Code
		c.Code = &code
	}
	if r.Address != nil {
		address := *r.Address
		c.Address = &address
	}
	if r.Withdrawal != nil {
		withdrawal := *r.Withdrawal
		c.Withdrawal = &withdrawal
	}
	if r.Express != nil {
		express := *r.Express
		express.Sealed = slices.Clone(express.Sealed)
		c.Express = &express
	}
	if r.Conversion != nil {
		conversion := *r.Conversion
		conversion.Path = slices.Clone(conversion.Path)
		c.Conversion = &conversion
	}
	return &c
}

// step runs one command on the machines and checks what must hold after each: the invariants, that
// a refused command does nothing, that events tell everything, and that all machines are in one
// state.
func (tr *trial) step(m moment) (*schema.Outcome, error) {
	tr.fast.trading.Announce(m.cmd) // which is wrong: it comes now. That must not matter.
	before := tr.fast.Hash()
	out := tr.fast.ApplyFrom(m.at, m.from, m.cmd)
	after := tr.fast.Hash()
	tr.count++
	if out.Kind != m.cmd.Kind() {
		return nil, fmt.Errorf("the outcome is of kind %d", out.Kind)
	}
	// What goes on has the region of the command that it is the rest of.
	if out.Region != m.from.Region && out.Kind != new(schema.Continue).Kind() {
		return nil, fmt.Errorf("the outcome is from region %d", out.Region)
	}
	if out.Result.Rejection.Refused() && out.Finished == 0 {
		if before != after && !usesNonce(m.from, out.Result.Rejection.Reason) {
			return nil, errors.New("a refused command changed the state")
		}
		for e := range out.Events.All() {
			if _, is := e.(*schema.AuditRecord); !is {
				return nil, fmt.Errorf("a refused command left %T %+v", e, e)
			}
		}
		if out.Work != 0 {
			return nil, errors.New("a refused command left work")
		}
	}
	if err := tr.fast.Verify(); err != nil {
		return nil, err
	}
	if err := tr.compareMirror(out); err != nil {
		return nil, err
	}
	return out, tr.compareShadows(m, after)
}

// usesNonce reports whether a refused command was refused after its nonce was used up.
func usesNonce(from schema.Origin, r schema.Reason) bool {
	switch r {
	case schema.KeyRefused, schema.NonceUsed, schema.NonceOutsideWindow, schema.MarketBusy, schema.OnceUsed, schema.OnceTooMany:
		return false
	}
	return from.Key != 0
}

// compareMirror holds what the events tell against the state.
func (tr *trial) compareMirror(out *schema.Outcome) error {
	if err := tr.mirror.see(&out.Events); err != nil {
		return err
	}
	if err := tr.mirror.balanced(tr.fast); err != nil || tr.fast.Busy() {
		return err
	}
	return tr.mirror.same(tr.fast)
}

// compareShadows runs the command on the machines that must end up in the same state.
func (tr *trial) compareShadows(m moment, hash [32]byte) error {
	sent, rest, err := schema.NextEnvelope(schema.AppendEnvelope(nil, &schema.Envelope{Time: m.at, Origin: m.from, Command: m.cmd}))
	if err != nil || len(rest) != 0 {
		return fmt.Errorf("the command does not survive its encoding: %w", err)
	}
	tr.twin.ApplyFrom(sent.Time, sent.Origin, sent.Command)
	if tr.twin.Hash() != hash {
		return fmt.Errorf("a machine with the same commands has another hash")
	}
	if tr.count%3 == 0 {
		if tr.restored, err = Restore(tr.restored.Snapshot()); err != nil {
			return err
		}
		tr.restored.codes.Remembered = tr.fast.codes.Remembered
		tr.restored.SetSlice(tr.slice)
		tr.restored.collateral.Bounds.Units = tr.units
		tr.restored.chains.Steps = tr.steps
	}
	tr.restored.ApplyFrom(m.at, m.from, m.cmd)
	if tr.restored.Hash() != hash {
		return fmt.Errorf("a machine that was restored has another hash")
	}
	return nil
}
