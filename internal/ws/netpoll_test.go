package ws

import (
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// A goroutine that yields to the netpoller on the only core lets the network go on: two who talk over it do, while he
// works.
func TestNetpollYieldLetsTheNetworkGoOn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c, client := pair(t, &Server{})
	var heard atomic.Int32
	talk := func(c net.Conn) {
		for b := make([]byte, 1); ; heard.Add(1) {
			if _, err := c.Read(b); err != nil {
				return
			}
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	}
	go talk(c.net)
	go talk(client)
	if _, err := client.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	b := newNetpollYield()
	defer b.end()
	if b.raw == nil {
		t.Fatal("there is no pipe")
	}
	const words, breaths = 50, 2000
	taken := 0
	for ; taken < breaths && heard.Load() < words; taken++ {
		for until := time.Now().Add(10 * time.Microsecond); time.Now().Before(until); {
			continue // work
		}
		b.take()
	}
	if heard.Load() < words {
		t.Errorf("in %d breaths they said %d words", taken, heard.Load())
	}
}

// Without a pipe it is still a pause for goroutines.
func TestNetpollYieldWithoutAPipe(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := &netpollYield{}
	defer b.end()
	var ran atomic.Bool
	go ran.Store(true)
	// One time in some dozens the scheduler takes the goroutine that yielded before all others.
	b.take()
	b.take()
	if !ran.Load() {
		t.Error("nobody else ran")
	}
}
