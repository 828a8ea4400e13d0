package journal

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// turnSubject is where nodes say that a batch of theirs lost its place to another. Nothing of it is
// stored.
const turnSubject = "bourse.turns"

// AskTurn lets the other nodes know that a batch lost its place.
func (j *Journal) AskTurn(id ID) error {
	if err := j.conn.Publish(turnSubject, id[:]); err != nil {
		return fmt.Errorf("asking for a turn: %w", err)
	}
	return nil
}

// HearTurns calls each with the batches that lost their place, of this node too, until the
// context ends.
func (j *Journal) HearTurns(ctx context.Context, each func(ID)) error {
	heard, err := j.conn.Subscribe(turnSubject, func(m *nats.Msg) {
		var id ID
		if copy(id[:], m.Data) == len(id) {
			each(id)
		}
	})
	if err != nil {
		return fmt.Errorf("listening for the turns of other nodes: %w", err)
	}
	<-ctx.Done()
	_ = heard.Unsubscribe() // fails when the connection is closed, and then it does not matter
	return nil
}

// electedSubject is where a NATS server says that the stream has a new leader.
const electedSubject = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED." + StreamName

// watchLeader ends the term of a leader when there is another one: what was asked of the old one is
// not answered any more.
func (j *Journal) watchLeader() error {
	j.newTerm()
	_, err := j.conn.Subscribe(electedSubject, func(*nats.Msg) { j.newTerm() })
	if err != nil {
		return fmt.Errorf("listening for elections: %w", err)
	}
	return nil
}

type term struct {
	context.Context
	end context.CancelFunc
}

func (j *Journal) newTerm() {
	ctx, end := context.WithCancel(context.Background())
	if old := j.term.Swap(&term{ctx, end}); old != nil {
		old.end()
	}
}

// ask bounds a question to the server by how long it may take and by the term of the leader.
func (j *Journal) ask(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.server != nil {
		return context.WithTimeout(ctx, answerTime)
	}
	ctx, cancel := context.WithTimeout(ctx, remoteTime)
	t := j.term.Load()
	if t == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(t, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
