package schema

import (
	"fmt"

	"bourse/internal/wire"
)

// Bounds of proposals.
const (
	MaxProposals  = 100                   // that wait at a time
	ProposalDelay = 24 * 60 * 60 * Second // from the approval of a setting until it is done
)

// proposable are the commands that can take two operators.
var proposable = register(
	command[SetAsset],
	command[SetChain],
	command[SetTier],
	command[Deposit],
	command[DecideDeposit],
	command[ForgiveOwed],
)

// Proposal is a command that takes two operators, and that one of them gave. It waits until another one approves it; a setting waits for
// ProposalDelay after that, so that people can see what is going to happen, and cancel it.
type Proposal struct {
	ID       ProposalID
	Status   ProposalStatus
	Operator string // who gave the command
	Approver string // "": nobody approved it yet
	Asked    Time
	Due      Time   // when it will be done; 0: nobody approved it yet, or it was done at once
	Reason   Reason // why it was refused when its time came
	Command  Command
}

func (m *Proposal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "status", &m.Status)
	wire.Text(c, 3, "operator", &m.Operator)
	wire.Text(c, 4, "approver", &m.Approver)
	wire.Int(c, 5, "asked", &m.Asked)
	wire.Int(c, 6, "due", &m.Due)
	wire.Uint(c, 7, "reason", &m.Reason)
	wire.OneOf(c, "command", proposable, &m.Command)
}

// ProposalStatus is what became of a proposal.
type ProposalStatus uint8

const (
	ProposalAsked    ProposalStatus = iota + 1 // it waits for another operator
	ProposalApproved                           // it is a setting and waits for its time
	ProposalDone
	ProposalCanceled // by an operator, or because something else was asked for
	ProposalRefused  // it could not be done any more when its time came; Reason says why
)

func (s ProposalStatus) String() string { return word(proposalWords[:], s) }

var proposalWords = [...]string{
	ProposalAsked: "asked", ProposalApproved: "approved", ProposalDone: "done", ProposalCanceled: "canceled", ProposalRefused: "refused",
}

// DecideProposal is what an operator decides about a proposal.
type DecideProposal struct {
	Proposal ProposalID
	Approve  bool // false: cancel it
}

func (*DecideProposal) Kind() Kind { return 140 }

func (m *DecideProposal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "proposal", &m.Proposal)
	c.Bool(2, "approve", &m.Approve)
}

func (m *DecideProposal) Subject() Subject { return Subject{Name: fmt.Sprint("proposal ", m.Proposal)} }

// ProposalChanged carries a proposal after its status changed.
type ProposalChanged struct{ Proposal Proposal }

func (*ProposalChanged) event() {}

func (e *ProposalChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "proposal", &e.Proposal) }
