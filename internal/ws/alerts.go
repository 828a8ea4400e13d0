package ws

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// alerts pushes that the margin of an account comes to its end, a frame for each thing of one kind that it has open.
//
// The things are those at the moment of the event. The command that says that an account is liquidated closes what it has, so
// the state does not show them any more; they are kept for each subscription as it was at its beginning and as events change it.
type alerts[T any] struct {
	server  *Server
	kind    *alertKind[T]
	private *private[alertScope[T]]
}

// alertKind is what tells the channels of alerts apart.
type alertKind[T any] struct {
	channel string
	right   string // the path of REST whose right it needs
	// open is what an account has.
	open func(core.View, schema.AccountID) []T
	// changed is what an event says of a thing, nil if it says nothing, whose it is, and whether it is over.
	changed func(schema.Event) (thing *T, account schema.AccountID, over bool)
	order   func(a, b T) int // 0: they are the same thing
	// put writes things with what they are worth now.
	put func(s *Server, e *schema.RiskChanged, open []T) *records
}

// alertScope is what an account has open, in order.
type alertScope[T any] struct{ open []T }

func openAlerts[T any](s *Server, kind *alertKind[T]) *alerts[T] {
	a := &alerts[T]{s, kind, openPrivate[alertScope[T]](s, kind.channel, kind.right)}
	a.private.replaced = func(old, scope *alertScope[T]) { *scope = *old }
	a.private.joined = a.joined
	return a
}

// alertMethods are the rows of a channel of alerts.
func alertMethods[T any](k *alertKind[T], find func(*Server) *alerts[T], title, text, pushes string, of *shape, example string) []Method {
	return channel(
		&Group{k.channel, title, text}, k.right,
		subscribing(`[]`, Method{
			Summary: "Subscribe", Text: "There is no push until something happens.",
			handling: asks(func(q *call, _ *nothing) ([]byte, func(), *Error) {
				return find(q.conn.server).private.subscribe(q, alertScope[T]{})
			}),
		}),
		unsubscribing(leaves(func(s *Server) leaver { return find(s).private })),
		Method{
			Kind: Push, Summary: title, Text: pushes,
			Result: api.TupleOf(api.Described("1: margin call; 2: liquidation.", api.Integer), of), Example: Example{Params: "[1," + example + "]"},
		},
	)
}

// joined reads what the account has. The state may be ahead of the events: those that it already has change nothing in the end,
// as each carries all of a thing, and alerts begin behind it.
func (a *alerts[T]) joined(sub *subscription[alertScope[T]]) {
	a.server.options.Node.Read(func(m core.View) { sub.scope.open = a.kind.open(m, sub.account) })
	slices.SortFunc(sub.scope.open, a.kind.order)
	sub.since = max(sub.since, a.server.options.Node.Mark().Seq)
}

// happened follows what a command did, in the order of its events.
func (a *alerts[T]) happened(step *node.Step, h *node.CommandEvents) {
	if a.private.idle(step.Seq) {
		return
	}
	a.private.mu.Lock()
	defer a.private.mu.Unlock()
	for id, event := range step.Events(h) {
		if e, is := event.(*schema.RiskChanged); is {
			a.warn(id, e)
		} else if thing, account, over := a.kind.changed(event); thing != nil {
			for _, sub := range a.private.accounts[account] {
				sub.scope.note(thing, over, a.kind.order)
			}
		}
	}
}

// note takes in how a thing is now.
func (x *alertScope[T]) note(thing *T, over bool, order func(a, b T) int) {
	switch i, known := slices.BinarySearchFunc(x.open, *thing, order); {
	case known && over:
		x.open = slices.Delete(x.open, i, i+1)
	case known:
		x.open[i] = *thing
	case !over:
		x.open = slices.Insert(x.open, i, *thing)
	}
}

// warn pushes a frame for each thing that an account has, unless its margin is enough again.
func (a *alerts[T]) warn(id schema.EventID, e *schema.RiskChanged) {
	if e.State == schema.RiskNone {
		return
	}
	a.private.among(e.Account, id, func(sub *subscription[alertScope[T]]) {
		list := a.kind.put(a.server, e, sub.scope.open)
		for i := range list.n {
			f := api.AppendInt(append(push(a.kind.channel), '['), int64(e.State))
			a.private.push(sub, pushed(append(list.one(append(f, ','), i), ']')))
		}
	})
}
