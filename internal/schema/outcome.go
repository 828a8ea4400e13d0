package schema

import "bourse/internal/fixed"

// Outcome is what became of a command.
type Outcome struct {
	Time   Time   // at which it happened
	Kind   Kind   // of the command
	Region Region // of the deployment that it came by, 0 where that does not matter
	// Operator is who of those that run the exchange gave the command; "": none of them.
	Operator string
	// Signed says that it came by a key or a session.
	Signed bool
	Result Result
	Events Events
	// Work is what the command left to be done in later slices, 0 for nothing. Its answer comes
	// with the outcome of the Continue that names it as Finished; Result is not yet the answer.
	Work WorkID
	// Finished is the work that a Continue brought to its end; Result is the answer to the command
	// that began it.
	Finished WorkID
}

// Result is the answer to the sender of the command. A refused command changed nothing.
type Result struct {
	Rejection Rejection
	// Time is when the command happened. The node that answers its sender knows it; in an outcome it is zero.
	Time Time
	// ID is the account, asset, market or group that the command made or changed.
	ID uint64
	// Order is the order that was placed, canceled or made by a modification.
	Order Order
	// Items answer the parts of a bulk command, in order.
	Items []Item
	// Timer is the kill switch that was set.
	Timer KillSwitch
	// Left is what may still be taken from the faucet on the day of the command.
	Left fixed.Decimal
	// Code is the code that was created or tried; it is still active where the passphrase was wrong.
	Code *Code
	// Address is the address that an account has or got.
	Address *Address
	// Withdrawal is the withdrawal, or the refund, that was requested.
	Withdrawal *Withdrawal
	// Express is the request for money that waits for its payer.
	Express *Express
	// Proposal is the number under which the command waits for a second operator; 0: it was done.
	Proposal ProposalID
	// Conversion is the quote, or what was converted.
	Conversion *Conversion
	// Grant is what became of a code or a refresh token of a client of OAuth.
	Grant GrantOutcome
	// Sign is what became of an attempt to prove who one is.
	Sign SignOutcome
}

// Item is the answer to one part of a bulk command.
type Item struct {
	Rejection Rejection
	Order     Order
}

// Reset makes the outcome ready for the next command and keeps the memory.
func (o *Outcome) Reset(at Time) {
	o.Time, o.Work, o.Finished = at, 0, 0
	r := &o.Result
	r.Rejection, r.ID, r.Items, r.Timer, r.Left, r.Sign = Rejection{}, 0, r.Items[:0], KillSwitch{}, fixed.Zero, 0
	r.Code, r.Address, r.Withdrawal, r.Express, r.Conversion = nil, nil, nil, nil, nil
	r.Grant, r.Proposal = 0, 0
	if r.Order.ID != 0 {
		r.Order = Order{}
	}
	o.Events.Reset()
}
