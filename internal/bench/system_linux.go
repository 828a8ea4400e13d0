package bench

import (
	"errors"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

// syncData makes what was written to a file durable, and not its times: what a log needs.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// pause waits by the kernel's clock: timers of the runtime may be late by a millisecond when a
// process is idle. It needs a thread of its own. One that is cut short makes a request early.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}

// giveWay lets every other program of the machine come first.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }

// ear hears what comes on connections. It asks the kernel itself: to wake a goroutine for every
// connection costs more than to read.
type ear struct {
	poll   int
	fds    []int
	events []syscall.EpollEvent
	buffer []byte
}

// newEar takes hold of connections.
func newEar(conns []net.Conn) (*ear, error) {
	poll, err := syscall.EpollCreate1(0)
	if err != nil {
		return nil, err
	}
	e := &ear{poll: poll, events: make([]syscall.EpollEvent, 256), buffer: make([]byte, 64<<10)}
	for i, c := range conns {
		fd, err := detach(c)
		if err == nil {
			e.fds = append(e.fds, fd)
			err = syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN | edge, Fd: int32(i)})
		}
		if err != nil {
			e.close()
			return nil, err
		}
	}
	return e, nil
}

func (e *ear) close() {
	for _, fd := range append(e.fds, e.poll) {
		_ = syscall.Close(fd)
	}
}

// listen calls heard with what comes until a time. It looks once a millisecond: to be woken by every
// single frame would cost the server more than the frame does, as no other machine's would.
func (e *ear) listen(until time.Time, heard func(connection int, came []byte) error) error {
	runtime.LockOSThread() // for pause
	defer runtime.UnlockOSThread()
	for time.Now().Before(until) {
		n, err := syscall.EpollWait(e.poll, e.events, 0)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		for _, event := range e.events[:max(n, 0)] {
			if err := e.read(int(event.Fd), heard); err != nil {
				return err
			}
		}
		if n < len(e.events) {
			pause(time.Millisecond)
		}
	}
	return nil
}

// read reads all that came on a connection.
func (e *ear) read(connection int, heard func(connection int, came []byte) error) error {
	for {
		n, err := syscall.Read(e.fds[connection], e.buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return net.ErrClosed
		}
		if err := heard(connection, e.buffer[:n]); err != nil || n < len(e.buffer) {
			return err
		}
	}
}

// edge asks to be notified once of what comes, and not again until more does.
const edge = 1 << 31

// detach takes a connection from the runtime, which would be woken whenever something comes.
func detach(c net.Conn) (fd int, err error) {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(inner uintptr) { fd, failed = syscall.Dup(int(inner)) })
	if err := errors.Join(err, failed); err != nil {
		return 0, err
	}
	return fd, c.Close()
}
