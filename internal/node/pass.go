package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bourse/internal/journal"
)

// Pass decides for a data directory that a command of the log does not happen, because the core
// panics at it. It goes the way of a start to see that it does, and passes over no other command.
func Pass(ctx context.Context, o Options, batch uint64, command int, reason string) (p journal.Pass, err error) {
	o.setDefaults()
	n := &Node{options: o}
	defer func() { err = errors.Join(err, n.close()) }()
	acknowledged, err := n.attach(ctx)
	if err != nil {
		return p, err
	}
	err = n.recoverState(ctx, acknowledged)
	var at *journal.StuckError
	switch {
	case err == nil:
		return p, errors.New("every command of the log can be applied: there is nothing to pass over")
	case !errors.As(err, &at):
		return p, err
	case at.Batch != batch || at.Command != command:
		return p, fmt.Errorf("the core panics at command %d of batch %d (%s), and not at command %d of batch %d",
			at.Command, at.Batch, at.Kind, command, batch)
	}
	p = journal.NewPass(n.seq.mark, command, n.seq.current, reason, time.Now())
	return p, n.dir.AddPass(p)
}
