// Package proposal lets some commands of operators wait for a second one: what loosens the bounds of money on chains of others, and what
// gives much of it away.
//
// What must hold: a proposal is kept as long as it waits, for another operator or for its time; at most one is about the same thing, but
// money that is brought is always another thing. A command that waits has been checked and changed nothing; when it is done, the same
// checks decide.
package proposal

import (
	"cmp"
	"slices"

	"bourse/internal/core/chain"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Proposals are the commands that wait.
type Proposals struct {
	product.Base
	listing *listing.Listing
	wallets *wallet.Wallets
	tiers   *tier.Tiers
	chains  *chain.Chains
	out     *schema.Outcome
	// Do does a command as if one operator could do it.
	Do func(schema.Command) schema.Rejection
	// Clock is the moment of the last accepted command.
	Clock func() schema.Time

	last    schema.ProposalID
	waiting []schema.Proposal // by number; commands in it never change
}

// New makes proposals of which there are none.
func New(l *listing.Listing, w *wallet.Wallets, t *tier.Tiers, c *chain.Chains, out *schema.Outcome) *Proposals {
	return &Proposals{listing: l, wallets: w, tiers: t, chains: c, out: out}
}

// Commands registers what is decided about proposals.
func (p *Proposals) Commands(h *product.Handlers) { product.On(h, p.decide) }

// All are the commands that wait, by number.
func (p *Proposals) All() []schema.Proposal { return slices.Clone(p.waiting) }

// Take does a command that Concerns, or keeps it until a second operator says the same. What one operator does about a thing cancels what
// another one asked for: it was asked for what was there before.
func (p *Proposals) Take(c schema.Command) schema.Rejection {
	if !p.guarded(c) {
		r := p.Do(c)
		if _, forgiven := c.(*schema.ForgiveOwed); !r.Refused() && !forgiven {
			p.replace(c)
		}
		return r
	}
	if p.out.Operator == "" {
		return schema.Refuse(schema.OperatorMissing)
	}
	if r := p.check(c); r.Refused() {
		return r
	}
	if len(p.waiting) == schema.MaxProposals && p.same(c) < 0 {
		return schema.Rejection{Reason: schema.ProposalsTooMany, Value: fixed.FromInt(schema.MaxProposals)}
	}
	p.replace(c)
	p.last++
	asked := schema.Proposal{ID: p.last, Status: schema.ProposalAsked, Operator: p.out.Operator, Asked: p.out.Time, Command: schema.Clone(c)}
	p.waiting = append(p.waiting, asked)
	p.out.Result.Proposal = asked.ID
	p.out.Events.Add(&schema.ProposalChanged{Proposal: asked})
	return schema.Rejection{}
}

// decide does what an operator decided about a proposal.
func (p *Proposals) decide(m *schema.DecideProposal) schema.Rejection {
	if p.out.Operator == "" {
		return schema.Refuse(schema.OperatorMissing)
	}
	at, known := slices.BinarySearchFunc(p.waiting, m.Proposal, func(w schema.Proposal, id schema.ProposalID) int { return cmp.Compare(w.ID, id) })
	if !known {
		return schema.Refuse(schema.ProposalUnknown)
	}
	w := &p.waiting[at]
	switch {
	case !m.Approve:
		p.end(at, schema.ProposalCanceled)
		return schema.Rejection{}
	case w.Operator == p.out.Operator:
		return schema.Refuse(schema.ApprovedBefore)
	case w.Status != schema.ProposalAsked:
		return schema.Refuse(schema.ProposalDecided)
	case setting(w.Command):
		w.Status, w.Approver, w.Due = schema.ProposalApproved, p.out.Operator, p.out.Time+schema.ProposalDelay
		p.out.Events.Add(&schema.ProposalChanged{Proposal: *w})
		return schema.Rejection{}
	}
	if r := p.Do(w.Command); r.Refused() {
		return r
	}
	w.Approver = p.out.Operator
	p.end(at, schema.ProposalDone)
	return schema.Rejection{}
}

// NextTimer is when the next setting is due.
func (p *Proposals) NextTimer() (next schema.Time, running bool) {
	for i := range p.waiting {
		if w := &p.waiting[i]; w.Status == schema.ProposalApproved && (!running || w.Due < next) {
			next, running = w.Due, true
		}
	}
	return next, running
}

// Tick does the settings that are due. There may be as many as wait at a time.
func (p *Proposals) Tick() {
	for at := 0; at < len(p.waiting); {
		w := &p.waiting[at]
		if w.Status != schema.ProposalApproved || w.Due > p.out.Time {
			at++
			continue
		}
		status := schema.ProposalDone
		if r := p.Do(w.Command); r.Refused() {
			w.Reason, status = r.Reason, schema.ProposalRefused
		}
		p.end(at, status)
	}
	p.out.Result.ID = 0 // nobody asked for it in this command
}

// replace cancels what waits about the same thing.
func (p *Proposals) replace(c schema.Command) {
	if at := p.same(c); at >= 0 {
		p.end(at, schema.ProposalCanceled)
	}
}

// end forgets a proposal that waits no more.
func (p *Proposals) end(at int, status schema.ProposalStatus) {
	p.waiting[at].Status = status
	p.out.Events.Add(&schema.ProposalChanged{Proposal: p.waiting[at]})
	p.waiting = slices.Delete(p.waiting, at, at+1)
}

// same is the place of the proposal about the same thing as a command, -1 if there is none.
func (p *Proposals) same(c schema.Command) int {
	of, one := about(c)
	if !one {
		return -1
	}
	return slices.IndexFunc(p.waiting, func(w schema.Proposal) bool {
		other, _ := about(w.Command)
		return other == of
	})
}

// thing is what a command is about, of a kind of command.
type thing struct {
	kind   schema.Kind
	name   string
	number uint64
	asset  schema.AssetID
}

// about is what a command is about, if two proposals about it cannot wait at once.
func about(c schema.Command) (of thing, one bool) {
	of.kind = c.Kind()
	switch c := c.(type) {
	case *schema.SetAsset:
		of.name = c.Asset.Ticker
	case *schema.SetChain:
		of.name = c.Chain.Name
	case *schema.SetTier:
		of.number = uint64(c.Tier.Number)
	case *schema.DecideDeposit:
		of.number = uint64(c.Deposit)
	case *schema.ForgiveOwed:
		of.number, of.asset = uint64(c.Account), c.Asset
	default:
		return thing{}, false
	}
	return of, true
}
