package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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
	var addresses atomic.Uint32 // that attempts came from, in all rounds: one that tried before is turned away at once
	for range floodRounds {
		calm, err := s.floodRound()
		if err != nil {
			return err
		}
		f := flood(s.address, &addresses)
		beside, err := s.floodRound()
		tried := f.stop()
		if err != nil {
			return err
		}
		if tried < floodSeconds {
			return fmt.Errorf("the flood came to %d attempts in %d s", tried, floodSeconds)
		}
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

// attack is strangers who try passwords.
type attack struct {
	end     context.CancelFunc
	running sync.WaitGroup
	tried   atomic.Int64
	address *atomic.Uint32 // the last that was used
}

func flood(at string, addresses *atomic.Uint32) *attack {
	ctx, end := context.WithCancel(context.Background())
	f := &attack{end: end, address: addresses}
	for range floodClients {
		f.running.Go(func() {
			for ctx.Err() == nil {
				switch f.try(ctx, at) {
				case http.StatusUnauthorized:
					f.tried.Add(1)
				case http.StatusServiceUnavailable:
					f.tried.Add(1)
					time.Sleep(10 * time.Millisecond) // as one who was turned away does
				}
			}
		})
	}
	return f
}

// try tries a password of a login, from an address, that nobody tried before, and returns the status: one that is tried often is turned away.
func (f *attack) try(ctx context.Context, at string) int {
	var from [4]byte
	number := f.address.Add(1)
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

// stop ends the flood and says how many attempts were answered.
func (f *attack) stop() int {
	f.end()
	f.running.Wait()
	return int(f.tried.Load())
}
