//go:build !linux

package bench

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

func syncData(f *os.File) error { return f.Sync() }

func pause(d time.Duration) { time.Sleep(d) }

func giveWay() {}

type ear struct{ conns []net.Conn }

func newEar(conns []net.Conn) (*ear, error) { return &ear{conns}, nil }

func (e *ear) close() {}

func (e *ear) listen(until time.Time, heard func(connection int, came []byte) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var first error
	for i, c := range e.conns {
		wait.Go(func() {
			buffer := make([]byte, 64<<10)
			err := c.SetReadDeadline(until)
			for err == nil {
				var n int
				n, err = c.Read(buffer)
				mu.Lock()
				if n > 0 && first == nil {
					first = heard(i, buffer[:n])
				}
				mu.Unlock()
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				mu.Lock()
				first = errors.Join(first, err)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return first
}
