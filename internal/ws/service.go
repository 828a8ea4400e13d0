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
var serviceMethods = of(
	&Group{"service", "Service", "Keep a connection alive, ask for the time, and authorize the connection."},
	Method{
		Name: "ping", Kind: Request, Open: true, Summary: "Ping",
		Text:   "Answers at once. A connection on which the client sends nothing for a minute is closed.",
		Result: api.Enum("pong"), Example: Example{`[]`, `"pong"`},
		handling: answers(func(*call, *anything) ([]byte, *Error) { return []byte(`"pong"`), nil }),
	},
	Method{
		Name: "time", Kind: Request, Open: true, Summary: "Query the time", Text: "Returns the time of the exchange.",
		Result: api.Seconds, Example: Example{`[]`, `1790000000`},
		handling: answers(func(q *call, _ *anything) ([]byte, *Error) {
			return strconv.AppendInt(nil, int64(q.conn.server.now()/schema.Second), 10), nil
		}),
	},
	Method{
		Name: "authorize", Kind: Request, Right: "/api/v4/profile/websocket_token", Summary: "Authorize the connection",
		Text: "Gives the connection the permissions of the API key whose token it shows, for as long as it lasts. Private methods and channels need it. " +
			"The token comes from /api/v4/profile/websocket_token.",
		Meanings: map[string]string{
			"token":            "Token of /api/v4/profile/websocket_token.",
			"label":            "Any text; it is ignored.",
			"options":          "Options of the connection.",
			cancelOnDisconnect: "If true, all orders of the account are canceled when the connection ends.",
		},
		Result: successShape, Faults: []*Error{errToken},
		Example:  Example{`["T0KEN","public"]`, string(success)},
		handling: answers((*call).authorize),
	},
)

// cancelOnDisconnect is the option that ends the orders of an account with its connection.
const cancelOnDisconnect = "cancel_on_disconnect"

// holder is who authorized a connection.
type holder struct {
	api.SocketToken
	// cancels says that all orders of the account are canceled when the connection ends.
	cancels bool
}

// authorization is the request to authorize a connection. What follows the token is anything that
// clients like to say, but for an object in the third place.
type authorization struct {
	token   string
	cancels bool
	err     *Error // about the options
}

func (p *authorization) read(a *arguments) {
	p.token = a.text(0, "token")
	if a.schema != nil {
		a.schema.Fewest = 1
		a.noted(1, "label", AnyParam)
	}
	a.ignored()
	if a.schema == nil && a.at(2).kind != jx.Object {
		return
	}
	f := a.members(2, "options")
	p.cancels = f.flag(cancelOnDisconnect)
	p.err = f.err
	if f.schema != nil {
		f.object.member(cancelOnDisconnect).Right = cancelAllRight
		f.object.Lenient = true
	}
}

// authorize gives a connection the rights of the account whose token it shows.
func (q *call) authorize(p *authorization) ([]byte, *Error) {
	c, s := q.conn, q.conn.server
	token, good := s.options.API.OpenSocketToken(p.token)
	switch {
	case !good || !s.holds(token, c.address, q.method.Right):
		return nil, errToken
	case p.err != nil:
		return nil, p.err
	case p.cancels && !s.holds(token, c.address, cancelAllRight):
		return nil, errAnonymous
	}
	h := &holder{token, p.cancels}
	c.mu.Lock()
	before := c.holder
	if before == nil || before.Account == token.Account {
		c.holder = h
	}
	c.mu.Unlock()
	if before != nil {
		if before.Account != token.Account {
			return nil, errArgument
		}
		// It may show the token of another key, which may do less.
		for _, ch := range s.channels {
			if r, is := ch.(reviewer); is {
				r.review(c)
			}
		}
	}
	return success, nil
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
	if h == nil || !h.cancels || !s.holds(h.SocketToken, c.address, cancelAllRight) {
		return
	}
	command := &schema.CancelAll{Account: h.Account}
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
