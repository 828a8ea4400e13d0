package ws

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// list pushes all that an account has open of one kind: at once, and then at a steady pace whenever it is another than what
// the client got last. It is read from the state and follows no events, because prices and interest change it too.
type list struct {
	server  *Server
	kind    *listKind
	private *private[listScope]
}

// listKind is what tells the channels of lists apart.
type listKind struct {
	channel string
	right   string // the path of REST whose right it needs
	pause   time.Duration
	all     *api.Encoder[records]
	// read is what an account has open.
	read func(*Server, schema.AccountID) *records
}

// listScope is whose list a client gets, and the frame that it got last.
type listScope struct {
	account schema.AccountID
	last    []byte
}

// listOf writes a whole list.
func listOf(name, text string, of *shape) *api.Encoder[records] {
	return api.Encode(name, text,
		api.IntegerField("total", "Number of records.", func(r *records) int64 { return int64(r.n) }),
		api.NewField("records", api.ArrayOf(of), "The records.", appendRecords))
}

// listMethods are the rows of a channel of lists.
func listMethods(k *listKind, find func(*Server) *list, title, text, subscribed, example string) []Method {
	return channel(
		&Group{k.channel, title, text}, k.right,
		subscribing(`[]`, Method{
			Summary: "Subscribe", Text: subscribed,
			handling: asks(func(q *call, _ *nothing) ([]byte, func(), *Error) {
				return find(q.conn.server).private.subscribe(q, listScope{account: q.account.ID})
			}),
		}),
		unsubscribing(leaves(func(s *Server) leaver { return find(s).private })),
		Method{Kind: Push, Summary: title, Text: "All of them.", Result: k.all.Schema(), Example: Example{Params: example}},
	)
}

func (s *Server) openList(ctx context.Context, kind *listKind) *list {
	l := &list{server: s, kind: kind, private: openPrivate[listScope](s, kind.channel, kind.right)}
	l.private.first = func(x *listScope) []byte {
		x.last = l.frame(x.account)
		return x.last
	}
	s.every(ctx, kind.pause, l.tick)
	return l
}

// tick pushes what changed. The lock is free between two accounts.
func (l *list) tick() {
	l.private.mu.Lock()
	accounts := slices.Collect(maps.Keys(l.private.accounts))
	l.private.mu.Unlock()
	for _, account := range accounts {
		l.look(account)
	}
}

// look pushes the list of an account to those who do not know it. It is read under the lock, so that nobody gets an older one
// behind a newer one.
func (l *list) look(account schema.AccountID) {
	l.private.mu.Lock()
	defer l.private.mu.Unlock()
	var f []byte
	for _, sub := range l.private.accounts[account] {
		if !sub.begun || sub.conn.backlog() > balancesBehind {
			continue
		}
		if f == nil {
			f = l.frame(account)
		}
		if !bytes.Equal(f, sub.scope.last) {
			sub.scope.last = f
			l.private.push(sub, f)
		}
	}
}

func (l *list) frame(account schema.AccountID) []byte {
	return pushed(l.kind.all.Append(push(l.kind.channel), l.kind.read(l.server, account)))
}
