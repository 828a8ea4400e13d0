// Package port finds free TCP ports for servers of tests and measurements that must know theirs
// before they start, because the others are configured with it.
package port

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// Ports are taken from below the range that systems give to outgoing connections (32768 and up on
// Linux, 49152 and up elsewhere): a port that was free a moment ago and comes from that range may
// be the near end of a connection of another program when the server starts.
const (
	first = 10240
	last  = 32767
)

var (
	mu    sync.Mutex
	given = map[int]bool{}
)

// Free is a port on loopback where nobody listens and that was not given out by this process
// before. Processes that look at the same time start at random places.
func Free() (int, error) {
	mu.Lock()
	defer mu.Unlock()
	for range 1000 {
		p := first + rand.IntN(last-first+1)
		if given[p] {
			continue
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p))
		if err != nil {
			continue
		}
		given[p] = true
		return p, l.Close()
	}
	return 0, errors.New("no free port on 127.0.0.1 in a thousand tries")
}
