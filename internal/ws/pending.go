package ws

import (
	"context"
	"errors"
	"runtime/debug"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// maxBegun is how many commands of a connection may be on their way; the next request waits.
const maxBegun = 1024

// pending is a command on its way and how its result is answered.
type pending struct {
	id      []byte
	method  *served
	command node.Pending
	answer  func(*schema.Result) ([]byte, *Error)
}

// begin puts a command on its way. Its reply comes when it has happened; the next request is read
// meanwhile.
func (c *conn) begin(q *call, command schema.Command, answer func(*schema.Result) ([]byte, *Error)) *Error {
	s := c.server
	if c.waitForRoom() && c.may(q.method.Right) == nil {
		return errAnonymous // it lost its right meanwhile
	}
	// Counted before anybody can push what it causes.
	c.mu.Lock()
	defer c.mu.Unlock()
	from := schema.Origin{Region: s.options.API.Region()}
	if op := s.options.API.Directory().Judged(q.method.op); op != 0 && c.holder != nil {
		from.Key, from.Op, from.Authorized = c.holder.Key, op, true
	}
	p, err := s.options.Node.Begin(from, command)
	if err != nil {
		return failure(err)
	}
	c.begun++
	c.pending = append(c.pending, pending{append([]byte(nil), q.id...), q.method, p, answer})
	if !c.replying {
		c.replying = true
		s.running.Go(c.replyAll)
	}
	return nil
}

// waitForRoom lets a client wait that has too many commands on their way: it must not fill the queue
// of the node alone. It reports whether there was no room at first.
func (c *conn) waitForRoom() (waited bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.begun-c.replied >= maxBegun {
		waited = true
		c.less.Wait()
	}
	return waited
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
		text, e = c.answer(p, &result)
	}
	if e != nil {
		c.server.meters.failed(p.method.Name, e)
		c.sendReply(failed(p.id, e))
		return
	}
	p.method.good.Inc()
	c.sendReply(reply(p.id, text))
}

// sendReply queues the reply to the next command, and behind it what waited for that.
func (c *conn) sendReply(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(f, true)
	c.replied++
	c.less.Signal()
	for len(c.deferred) > 0 && c.deferred[0].after <= c.replied {
		next := c.deferred[0].frame
		c.deferred = c.deferred[1:]
		c.queue = append(c.queue, next) // it has its room
		c.wake(true)
	}
	if c.ending && c.begun == c.replied {
		c.shut(goingAway, "the exchange is stopping")
	}
}

// answer is the result of a command as its method answers it. A panic costs one reply.
func (c *conn) answer(p *pending, result *schema.Result) (text []byte, e *Error) {
	defer func() {
		if reason := recover(); reason != nil {
			c.server.options.Log.Error("the reply to a request over WebSocket panicked", "method", p.method.Name,
				"address", c.address.String(), "panic", reason, "stack", string(debug.Stack()))
			text, e = nil, errInternal
		}
	}()
	return p.answer(result)
}
