package proposal

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the proposals that wait, and the last number that was given to one.
func (p *Proposals) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagProposals, Name: "proposals", Version: 1, Write: p.write, Read: p.read},
		product.Counter(product.TagProposalCounter, "last proposal", &p.last),
	}
}

func (p *Proposals) write(w *product.Writer) {
	for i := range p.waiting {
		w.Message(&p.waiting[i])
	}
}

func (p *Proposals) read(r *product.Reader) error {
	for m, err := range product.Messages[schema.Proposal](r) {
		if err != nil {
			return err
		}
		p.waiting, p.last = append(p.waiting, *m), m.ID
	}
	return p.verify()
}

// Verify checks the proposals.
func (p *Proposals) Verify() error {
	if err := p.verify(); err != nil {
		return fmt.Errorf("proposals: %w", err)
	}
	return nil
}

func (p *Proposals) verify() error {
	if len(p.waiting) > schema.MaxProposals {
		return fmt.Errorf("there are %d", len(p.waiting))
	}
	last := schema.ProposalID(0)
	for i := range p.waiting {
		w := &p.waiting[i]
		if w.ID <= last || w.ID > p.last {
			return fmt.Errorf("%d: it stands there twice, or in the wrong place, or no such number was given", w.ID)
		}
		if err := p.valid(w); err != nil {
			return fmt.Errorf("%d: %w", w.ID, err)
		}
		if _, one := about(w.Command); one && p.same(w.Command) != i {
			return fmt.Errorf("%d: an earlier one is about the same", w.ID)
		}
		last = w.ID
	}
	return nil
}

// valid refuses a proposal that no command could have left.
func (p *Proposals) valid(w *schema.Proposal) error {
	if w.Command == nil || !Concerns(w.Command.Kind()) {
		return errors.New("its command never takes two operators")
	}
	if w.Operator == "" || w.Asked < 0 || w.Asked > p.Clock() || w.Reason != schema.OK {
		return errors.New("nobody can have asked for it like that")
	}
	switch w.Status {
	case schema.ProposalAsked:
		if w.Approver != "" || w.Due != 0 {
			return errors.New("it waits for approval and has it")
		}
	case schema.ProposalApproved:
		if at := w.Due - schema.ProposalDelay; !setting(w.Command) || w.Approver == "" || w.Approver == w.Operator || at < w.Asked || at > p.Clock() {
			return errors.New("nobody can have approved it like that")
		}
	default:
		return fmt.Errorf("it does not wait, it is %s", w.Status)
	}
	return nil
}
