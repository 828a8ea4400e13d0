package ws

import (
	"net/netip"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// may is the account for which the connection may do now what needs the right to a path, nil if it
// may not: it was not authorized, its key lacks the right or is bound to other addresses, or the key
// or the account lost its rights.
func (c *conn) may(path string) *schema.Account {
	c.mu.Lock()
	h := c.holder
	c.mu.Unlock()
	if h == nil {
		return nil
	}
	return c.server.options.API.Holder(h.SocketToken, c.address, path)
}

// holds reports whether a token gives the right to a path, at an address.
func (s *Server) holds(t api.SocketToken, from netip.Addr, path string) bool {
	return s.options.API.Holder(t, from, path) != nil
}

// deafLook is how often it is looked whether the node still hears of its log.
const deafLook = time.Second

// closeDeaf closes the connections that were authorized while the node hears nothing of its log: clients find another node.
func (s *Server) closeDeaf() {
	if !s.options.API.Deaf() {
		return
	}
	s.each(func(c *conn) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holder != nil {
			c.shut(goingAway, "this node is cut off")
		}
	})
}

// reviewer is a channel that ends what a connection may no longer listen to, when its holder changed.
type reviewer interface{ review(*conn) }

// lostBy says which connections have not the right to something after a key was changed.
func lostBy(a *api.API, e *schema.KeyChanged) func(c *conn, right string) bool {
	key := a.Directory().KeyOf(e.Key)
	return func(c *conn, right string) bool {
		c.mu.Lock()
		uses := c.holder != nil && c.holder.Key == e.Key.ID
		c.mu.Unlock()
		return uses && (e.Deleted || !a.Keeps(key, c.address, right))
	}
}
