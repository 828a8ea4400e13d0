package main

import (
	"encoding/json"
	"fmt"

	"bourse/internal/console"
)

type proposalsCmd struct{}

func (proposalsCmd) Help() string {
	return `What loosens the bounds of money on chains that others live on, or gives much of it away, takes two operators
once such a chain has begun. What one of them asked for waits here: 'asked' for another operator, who looks at
it and says 'bourse operator proposal ID approve'; 'approved' is a setting that is done when it is 'due', 24
hours after the approval. 'changes' says what would change, from what it is now. What is done, canceled or could not be
done any more is gone from here; 'bourse operator audit' has who asked and approved.`
}

func (proposalsCmd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("proposals")},
		table("nothing waits", "proposal", "created", "operator", "status", "approver", "due", "what", "changes"))
}

type proposalCmd struct {
	Proposal uint64 `arg:"" name:"id" help:"The number of the proposal; 'bourse operator proposals' shows it."`
	Decision string `arg:"" enum:"approve,cancel" help:"approve: let it be done, as another operator than the one who asked; cancel: let it not be done."`
}

func (proposalCmd) Help() string {
	return `Limits, caps, confirmations and networks are settings: they are done 24 hours after they were approved, and can be
canceled until then. Money that is brought, credited or forgiven is there at once. Anybody can cancel a proposal, also the
operator who asked for it.`
}

func (p *proposalCmd) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("proposals", fmt.Sprint(p.Proposal), p.Decision), Body: struct{}{}}, printObject)
}

// printWaiting says that nothing was done, and how it will be.
func printWaiting(w *console.Waiting) func(stdout, json.RawMessage) error {
	return func(out stdout, _ json.RawMessage) error {
		_, err := fmt.Fprintf(out, "Nothing was done yet: %s.\n'bourse operator proposals' shows it; another operator says 'bourse operator proposal %d approve'.\n", w.Message, w.Proposal)
		return err
	}
}
