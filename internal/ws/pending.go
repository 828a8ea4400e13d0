package ws

import (
	"context"
	"errors"
	"strconv"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// pending is a command on its way and how its result is told.
type pending struct {
	id      []byte
	method  string
	command node.Pending
	answer  func(*schema.Result) ([]byte, *Error)
}

// begin puts a command on its way. Its reply comes when it has happened; the next request is read
// meanwhile.
func (c *conn) begin(q *call, command schema.Command, answer func(*schema.Result) ([]byte, *Error)) *Error {
	s := c.server
	// Counted before anybody can push what it causes.
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := s.options.Node.Begin(schema.Origin{Region: s.options.API.Region()}, command)
	if err != nil {
		return failure(err)
	}
	c.begun++
	c.pending = append(c.pending, pending{append([]byte(nil), q.id...), q.name, p, answer})
	if !c.replying {
		c.replying = true
		go c.replyAll()
	}
	return nil
}

// failure is what a client sees of an error of the node.
func failure(err error) *Error {
	if errors.Is(err, node.ErrUnknown) {
		return errTimeout
	}
	return errUnavailable
}

// replyAll waits for commands in the order in which they were begun, until there are none.
func (c *conn) replyAll() {
	for {
		c.mu.Lock()
		if len(c.pending) == 0 {
			c.replying = false
			c.mu.Unlock()
			return
		}
		list := c.pending
		c.pending = nil
		c.mu.Unlock()
		for i := range list {
			c.finish(&list[i])
		}
	}
}

// finish waits for a command and queues its reply.
func (c *conn) finish(p *pending) {
	ctx := context.Background()
	if t := c.server.options.Timeout; t > 0 {
		limited, cancel := context.WithTimeout(ctx, t)
		defer cancel()
		ctx = limited
	}
	var result schema.Result
	var text []byte
	var e *Error
	if err := p.command.Wait(ctx, &result); err != nil {
		e = failure(err)
	} else {
		text, e = p.answer(&result)
	}
	code, f := 0, []byte(nil)
	if e != nil {
		code, f = e.Code, failed(p.id, e)
	} else {
		f = reply(p.id, text)
	}
	c.server.meters.requests.WithLabelValues(p.method, strconv.Itoa(code)).Inc()
	c.sendReply(f)
}

// sendReply queues the reply to the next command, and behind it what waited for that.
func (c *conn) sendReply(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(f)
	c.replied++
	for len(c.deferred) > 0 && c.deferred[0].after <= c.replied {
		next := c.deferred[0].frame
		c.deferred = c.deferred[1:]
		c.queued -= len(next)
		c.enqueue(next)
	}
}
