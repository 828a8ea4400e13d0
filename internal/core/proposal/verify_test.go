package proposal

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// waiting are proposals of an exchange at 200 s: one that waits for approval, and one for its time.
func waiting() *Proposals {
	return &Proposals{
		Clock: func() schema.Time { return 200 * schema.Second },
		last:  9,
		waiting: []schema.Proposal{
			{ID: 3, Status: schema.ProposalAsked, Operator: "olga", Asked: 100, Command: &schema.Deposit{Account: 101}},
			{ID: 5, Status: schema.ProposalApproved, Operator: "olga", Approver: "otto", Asked: 100, Due: 200 + schema.ProposalDelay, Command: &schema.SetTier{Tier: schema.Tier{Number: 1}}},
		},
	}
}

func written(p *Proposals) []byte {
	var w product.Writer
	for _, s := range p.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

func TestSectionsComeBack(t *testing.T) {
	if len(written(&Proposals{})) != 0 {
		t.Error("an exchange without proposals has sections")
	}
	p := waiting()
	back := &Proposals{Clock: p.Clock}
	if err := (&product.Reader{Rest: written(p)}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(written(back), written(p)) || back.last != 9 || len(back.waiting) != 2 {
		t.Errorf("%+v", back)
	}
}

// TestWhatNoCommandCouldLeave is refused by Verify, and in a snapshot.
func TestWhatNoCommandCouldLeave(t *testing.T) {
	for name, tt := range map[string]struct {
		says   string
		change func(*Proposals)
	}{
		"too many":                      {"there are 101", func(p *Proposals) { p.waiting = make([]schema.Proposal, 101) }},
		"without a number":              {"0: it stands there twice", func(p *Proposals) { p.waiting[0].ID = 0 }},
		"twice":                         {"3: it stands there twice", func(p *Proposals) { p.waiting[1].ID = 3 }},
		"no command":                    {"3: its command never takes", func(p *Proposals) { p.waiting[0].Command = nil }},
		"nobody asked":                  {"3: nobody can have asked", func(p *Proposals) { p.waiting[0].Operator = "" }},
		"asked before all time":         {"3: nobody can have asked", func(p *Proposals) { p.waiting[0].Asked = -1 }},
		"asked later than now":          {"3: nobody can have asked", func(p *Proposals) { p.waiting[0].Asked = 200*schema.Second + 1 }},
		"refused already":               {"3: nobody can have asked", func(p *Proposals) { p.waiting[0].Reason = schema.TierInvalid }},
		"asked for and approved":        {"3: it waits for approval and has it", func(p *Proposals) { p.waiting[0].Approver = "otto" }},
		"asked for and due":             {"3: it waits for approval and has it", func(p *Proposals) { p.waiting[0].Due = 1 }},
		"money that waits for its time": {"5: nobody can have approved", func(p *Proposals) { p.waiting[1].Command = &schema.Deposit{} }},
		"approved by nobody":            {"5: nobody can have approved", func(p *Proposals) { p.waiting[1].Approver = "" }},
		"approved by the same":          {"5: nobody can have approved", func(p *Proposals) { p.waiting[1].Approver = "olga" }},
		"due too early":                 {"5: nobody can have approved", func(p *Proposals) { p.waiting[1].Due = schema.ProposalDelay + 99 }},
		"due too late":                  {"5: nobody can have approved", func(p *Proposals) { p.waiting[1].Due = 200*schema.Second + 1 + schema.ProposalDelay }},
		"done":                          {"5: it does not wait, it is done", func(p *Proposals) { p.waiting[1].Status = schema.ProposalDone }},
		"without a status":              {"5: it does not wait", func(p *Proposals) { p.waiting[1].Status = 0 }},
		"two about the same": {"6: an earlier one is about the same", func(p *Proposals) {
			p.waiting = append(p.waiting, schema.Proposal{ID: 6, Status: schema.ProposalAsked, Operator: "otto", Command: &schema.SetTier{Tier: schema.Tier{Number: 1, Day: fixed.One}}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := waiting()
			tt.change(p)
			if err := p.Verify(); err == nil || !strings.HasPrefix(err.Error(), "proposals: ") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("verified with %v", err)
			}
			back := &Proposals{Clock: p.Clock}
			if err := (&product.Reader{Rest: written(p)}).Sections(back.Sections()); err == nil {
				t.Error("read")
			}
		})
	}
	p := waiting()
	p.last = 4
	if err := p.Verify(); err == nil {
		t.Error("a number that was not given is there")
	}
	if err := (&product.Reader{Rest: written(p)}).Sections((&Proposals{Clock: p.Clock}).Sections()); err == nil {
		t.Error("a number that was not given was read")
	}
}
