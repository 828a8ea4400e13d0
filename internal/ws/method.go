package ws

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// method is something that can be asked over a socket.
type method struct {
	// place tells methods that place an order from all others, for the limits.
	place bool
	// private methods are for connections whose key has the right that the table of rights names.
	private bool
	right   string
	// open methods answer also while the platform is in maintenance.
	open bool
	// do answers. Frames in after are queued behind the reply; a nil result means that the reply
	// comes later (see conn.begin).
	do func(*call) (result []byte, after func(), err *Error)

	good prometheus.Counter // requests that were answered without an error
}

// channel hears when a connection is gone. It must not keep it then.
type channel interface{ leave(*conn) }

// answers registers a method.
func (s *Server) answers(name string, m method) {
	if s.methods[name] != nil {
		panic("ws: two methods are called " + name)
	}
	if m.private {
		if m.right = rights[name]; m.right == "" {
			panic("ws: nobody says which right " + name + " needs")
		}
	}
	m.good = s.meters.requests.WithLabelValues(name, "0")
	s.methods[name] = &m
}

// success is the result of what has no other.
var success = []byte(`{"status":"success"}`)

// handle answers a message. It reports whether the connection goes on.
func (c *conn) handle(message []byte) bool {
	q := &c.call
	q.conn = c
	q.account = nil
	isJSON, err := q.read(message)
	if !isJSON {
		return false
	}
	s := c.server
	m := s.methods[q.name]
	switch {
	case err != nil:
	case s.closed() && (m == nil || !m.open):
		err = errUnavailable
	case m == nil:
		err = errMethod
	case m.private:
		if q.account = c.may(m.right); q.account == nil {
			err = errAnonymous
		}
	}
	if !c.trusted && !c.budget.take(s.options.Now(), m != nil && m.place, s.options.Factor) {
		err = errTooMany
	}
	if err != nil {
		c.fail(q, err)
		return true
	}
	result, after, err := m.do(q)
	switch {
	case err != nil:
		c.fail(q, err)
	case result != nil:
		m.good.Inc()
		c.send(reply(q.id, result))
	}
	if after != nil {
		after()
	}
	return true
}

// fail queues an error. What is not the name of a method is not a name for figures either.
func (c *conn) fail(q *call, e *Error) {
	name := q.name
	if c.server.methods[name] == nil {
		name = ""
	}
	c.server.meters.failed(name, e)
	c.send(failed(q.id, e))
}

// budget is what a connection may still ask in the window that began with its first request.
type budget struct {
	until  time.Time
	placed int
	others int
}

func (b *budget) take(now time.Time, place bool, factor int) bool {
	if !now.Before(b.until) {
		*b = budget{until: now.Add(window)}
	}
	if place {
		b.placed++
		return b.placed <= placements*factor
	}
	b.others++
	return b.others <= requests*factor
}
