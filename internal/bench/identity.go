package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/priority"
)

// The flood, and the orders beside it.
const (
	floodRounds      = 5
	floodSeconds     = 4
	floodConnections = 16
	floodRate        = 400 // orders a second
	floodClients     = 24  // more than can wait at once
)

// identityFlood measures orders at a fixed rate while strangers try passwords as fast as they are let, each from an address of its own, beside
// orders in calm, in turn.
func identityFlood(r *report) error {
	s, err := openSite(floodConnections, 1)
	if err != nil {
		return err
	}
	defer s.close()
	var all []Result
	var ratios []float64
	var addresses uint32 // that attempts came from, in all rounds: one that tried before is turned away at once
	for range floodRounds {
		calm, err := s.floodRound()
		if err != nil {
			return err
		}
		f, err := startFlood(s.address, addresses)
		if err != nil {
			return err
		}
		beside, err := s.floodRound()
		tried, ended := f.stop()
		if err := errors.Join(err, ended); err != nil {
			return err
		}
		if tried < floodSeconds {
			return fmt.Errorf("the flood came to %d attempts in %d s", tried, floodSeconds)
		}
		addresses += tried
		result := Result{Name: "identity.flood", Value: beside.rate(), Unit: "orders/s"}
		beside.times.fill(&result)
		all, ratios = append(all, result), append(ratios, result.P99/calm.times.Percentile(0.99))
		fmt.Fprintf(r.progress, "%-26s calm p99 %.0f µs, beside %.0f attempts/s p99 %.0f µs\n", "", calm.times.Percentile(0.99), float64(tried)/floodSeconds, result.P99)
	}
	slices.SortFunc(all, func(a, b Result) int { return int(a.P99 - b.P99) })
	result := all[len(all)/2]
	result.Ratio, result.RatioTo = median(ratios), "the p99 in calm"
	r.add(result)
	return nil
}

func (s *site) floodRound() (round, error) {
	p := loadPlan{Address: s.address, Connections: floodConnections, Seconds: floodSeconds, Rate: floodRate, Forbidden: `"errors"`}
	return drive(p, func(connection int) *stream {
		orders := &stream{}
		for range 2 * floodRate * floodSeconds / floodConnections {
			orders.Bytes = s.order(orders.Bytes, &s.traders[connection])
			orders.end()
		}
		return orders
	})
}

// FloodCommand is the hidden command by which the program runs Flood as a process of its own.
const FloodCommand = "bench-flood"

// flood is the process of strangers who try passwords.
type flood struct {
	child *exec.Cmd
	in    io.Closer
	out   io.Reader
}

// startFlood lets strangers try passwords at an exchange, from addresses after the ones that were used. On Linux the process has what
// others leave of the cores: the machines of strangers are not this one.
func startFlood(at string, used uint32) (_ *flood, err error) {
	f := &flood{}
	priority.Lowered(func() {
		f.child, f.in, f.out, err = spawn(FloodCommand, at, strconv.FormatUint(uint64(used), 10))
	})
	return f, err
}

// stop ends the flood and returns how many addresses tried a password.
func (f *flood) stop() (tried uint32, err error) {
	_ = f.in.Close()
	_, err = fmt.Fscan(f.out, &tried)
	return tried, errors.Join(err, f.child.Wait())
}

// Flood tries passwords at an address until in ends, and writes how many attempts began.
func Flood(at string, used uint32, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	last := &atomic.Uint32{}
	last.Store(used)
	for range floodClients {
		running.Go(func() {
			for ctx.Err() == nil {
				if try(ctx, at, last.Add(1)) == http.StatusServiceUnavailable {
					time.Sleep(10 * time.Millisecond) // as one who was turned away does
				}
			}
		})
	}
	_, _ = io.Copy(io.Discard, in) // until nobody talks to it any more
	end()
	running.Wait()
	_, err := fmt.Fprintln(out, last.Load()-used)
	return err
}

// try tries a password of a login, from an address, that nobody tried before, and returns the status: one that is tried often is turned away.
func try(ctx context.Context, at string, number uint32) int {
	var from [4]byte
	binary.BigEndian.PutUint32(from[:], 127<<24|1<<16|number)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from[:]}}
	c, err := dialer.DialContext(ctx, "tcp", at)
	if err != nil {
		return 0
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	body := fmt.Sprintf(`{"login":"nobody-%d","password":"not the password"}`, number)
	_, err = fmt.Fprintf(c, "POST /web/session HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", at, at, len(body), body)
	if err != nil {
		return 0
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}
