// Package relay passes TCP connections on until it is cut, as a network does: for tests and
// measurements of what happens when a server is out of reach.
package relay

import (
	"io"
	"net"
	"sync"
)

// Relay listens on loopback and passes what comes to an address.
type Relay struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	off      bool
	open     map[net.Conn]bool
}

// Start begins to pass connections to an address.
func Start(target string) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: l, target: target, open: map[net.Conn]bool{}}
	go r.accept()
	return r, nil
}

// Address is where the relay listens.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Cut ends all connections and lets no other through, or lets them through again.
func (r *Relay) Cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	if off {
		for c := range r.open {
			c.Close()
		}
	}
}

// Close ends the relay and its connections.
func (r *Relay) Close() {
	r.listener.Close()
	r.Cut(true)
}

func (r *Relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.target)
		if err != nil || !r.add(in, out) {
			in.Close()
			continue
		}
		go r.pass(in, out)
		go r.pass(out, in)
	}
}

func (r *Relay) add(in, out net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		out.Close()
		return false
	}
	r.open[in], r.open[out] = true, true
	return true
}

func (r *Relay) pass(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	from.Close()
	to.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, from)
}
