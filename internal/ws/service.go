package ws

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// serviceMethods are those that belong to no channel.
func (s *Server) serviceMethods() {
	s.answers("ping", method{open: true, do: func(*call) ([]byte, func(), *Error) { return []byte(`"pong"`), nil, nil }})
	s.answers("time", method{open: true, do: func(*call) ([]byte, func(), *Error) {
		return strconv.AppendInt(nil, int64(s.now()/schema.Second), 10), nil, nil
	}})
	s.answers("authorize", method{do: s.authorize})
}

// holder is who authorized a connection.
type holder struct {
	api.SocketToken
	// cancels says that all orders of the account are canceled when the connection ends.
	cancels bool
}

// authorize gives a connection the rights of the account whose token it shows. What follows the
// token is anything that clients like to say, but for an object in the third place: there
// "cancel_on_disconnect" may say that the orders of the account end with the connection.
func (s *Server) authorize(q *call) ([]byte, func(), *Error) {
	text, err := q.text(0)
	if err != nil {
		return nil, nil, err
	}
	c := q.conn
	token, good := s.options.API.OpenSocketToken(text)
	if !good || !s.holds(token, c.address, "authorize") {
		return nil, nil, errToken
	}
	h := &holder{SocketToken: token}
	if len(q.params) > 2 && q.params[2].kind == jx.Object {
		f := (&call{params: q.params[2:3]}).fields()
		if h.cancels = f.flag("cancel_on_disconnect"); f.err != nil {
			return nil, nil, f.err
		}
		if h.cancels && !s.holds(token, c.address, "cancel_on_disconnect") {
			return nil, nil, errAnonymous
		}
	}
	c.mu.Lock()
	before := c.holder
	if before == nil || before.Account == token.Account {
		c.holder = h
	}
	c.mu.Unlock()
	if before != nil {
		if before.Account != token.Account {
			return nil, nil, errArgument
		}
		// It may show the token of another key, which may do less.
		for _, ch := range s.channels {
			if r, is := ch.(reviewer); is {
				r.review(c)
			}
		}
	}
	return success, nil, nil
}

// cancelOrders cancels all orders of the account of a connection that ended, if it asked for that.
// What the connection sent before has happened by then: commands happen in the order in which they
// are begun. The key must have the right to it when the connection ends: who was shut out can cancel
// nothing by leaving.
func (c *conn) cancelOrders() {
	c.mu.Lock()
	h := c.holder
	c.mu.Unlock()
	s := c.server
	if h == nil || !h.cancels || !s.holds(h.SocketToken, c.address, "cancel_on_disconnect") {
		return
	}
	command := &schema.CancelAll{Account: h.Account, Products: schema.SpotOrders}
	var result schema.Result
	err := s.options.Node.Submit(context.Background(), command, &result)
	for ; errors.Is(err, node.ErrBusy); err = s.options.Node.Submit(context.Background(), command, &result) {
		time.Sleep(busyPause)
	}
	if err != nil {
		s.options.Log.Error("the orders of a connection that ended could not be canceled", "account", h.Account, "reason", err)
	}
}

// busyPause is how long to wait while the exchange is busy.
const busyPause = 10 * time.Millisecond
