package ws

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/schema"
)

// served is a method that a server answers.
type served struct {
	*Method
	good prometheus.Counter // requests that were answered without an error
	op   schema.Op          // that the right of a private method is
}

// leaver is a channel, which hears when a connection is gone. It must not keep it then.
type leaver interface{ leave(*conn) }

// register takes rows of the table into use.
func (s *Server) register(rows ...Method) {
	for i := range rows {
		m := &rows[i]
		if m.Kind == Push {
			continue
		}
		switch {
		case s.methods[m.Name] != nil:
			panic("ws: two methods are called " + m.Name)
		case m.Private && m.Right == "":
			panic("ws: nobody says which right " + m.Name + " needs")
		}
		if m.Kind == Subscribe {
			s.pushes(m.Group.Name) // so that the figure is there before the first push
		}
		answered := &served{Method: m, good: s.meters.requests.WithLabelValues(m.Name, "0")}
		if right := schema.RightTo(m.Right); right != nil {
			answered.op = right.Op
		}
		s.methods[m.Name] = answered
	}
}

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
	q.method = m
	switch {
	case err != nil:
	case s.closed() && (m == nil || !m.Open):
		err = errUnavailable
	case m == nil:
		err = errMethod
	case m.Private && s.options.API.Deaf():
		err = errUnavailable
	case m.Private:
		if q.account = c.may(m.Right); q.account == nil {
			err = errAnonymous
		}
	}
	counts := Requests
	if m != nil {
		counts = m.Budget
	}
	if !c.trusted && !c.budget.take(s.options.Now(), counts, s.options.Factor) {
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
	if q.method == nil {
		name = ""
	}
	c.server.meters.failed(name, e)
	c.send(failed(q.id, e))
}

// budget is what a connection asked in the window that began with its first request.
type budget struct {
	until time.Time
	taken [Placements + 1]int
}

func (b *budget) take(now time.Time, which Budget, factor int) bool {
	if !now.Before(b.until) {
		*b = budget{until: now.Add(window)}
	}
	b.taken[which]++
	count, _ := which.PerWindow()
	return b.taken[which] <= count*factor
}
