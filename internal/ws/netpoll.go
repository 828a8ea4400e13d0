package ws

import (
	"os"
	"runtime"
	"syscall"
)

// netpollYield is how a goroutine that works for long lets others have its core. The scheduler looks at the
// network only when a core has nothing else to run, and one that merely yields runs again at once: on
// cores that all push to thousands, a request would wait until the push is over. So this one waits, by
// way of the network, for a byte that it has sent itself: then the core has nothing to run, looks, and
// finds the requests that came meanwhile beside the byte.
type netpollYield struct {
	in, out *os.File
	raw     syscall.RawConn // of in; nil: there is no pipe, and yielding has to do
}

func newNetpollYield() *netpollYield {
	b := &netpollYield{}
	var err error
	if b.in, b.out, err = os.Pipe(); err == nil {
		b.raw, _ = b.in.SyscallConn()
	}
	return b
}

func (b *netpollYield) end() {
	if b.raw != nil {
		_ = b.in.Close()
		_ = b.out.Close()
	}
}

// take lets others go first: threads that wait for the core, and goroutines.
func (b *netpollYield) take() {
	yield()
	if b.raw == nil {
		runtime.Gosched()
		return
	}
	var one [1]byte
	sent := false
	_ = b.raw.Read(func(fd uintptr) bool {
		if sent {
			_, _ = syscall.Read(int(fd), one[:])
			return true
		}
		sent = true
		_, err := b.out.Write(one[:])
		return err != nil // if it is sent, wait for it
	})
}
