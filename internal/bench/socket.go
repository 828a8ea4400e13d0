package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"bourse/internal/schema"
)

// socketSize is how much the figures of the WebSocket do.
type socketSize struct {
	connections []int
	inFlight    int
	requests    int
	watchers    []int
	seconds     float64
	rounds      int
	idle        int     // connections for the figure of memory
	orderRate   float64 // of orders over HTTP beside the watchers
}

var socketFull = socketSize{
	connections: []int{1, 16}, inFlight: 64, requests: 200_000, watchers: []int{1000, 10_000}, seconds: 3, rounds: 3, idle: 2000, orderRate: 1000,
}

func socketNames() []string {
	names := []string{"ws.null", "ws.order.durable.1", "ws.order.durable.16", "ws.idle.bytes"}
	for _, n := range socketFull.watchers {
		names = append(names, fmt.Sprintf("ws.fanout.%d", n), fmt.Sprintf("ws.fanout.%d.order", n))
	}
	return names
}

func sockets(r *report) error { return socketFull.run(r) }

// socketPath is where the WebSocket is.
const socketPath = "/ws"

// socketRun makes figures with an exchange of its own.
type socketRun struct {
	socketSize
	http *httpRun
}

func (z socketSize) run(r *report) error {
	http := httpFull
	return http.run(r, func(h *httpRun) error {
		s := &socketRun{z, h}
		if err := s.orders(); err != nil {
			return err
		}
		if err := s.memory(); err != nil {
			return err
		}
		for _, n := range z.watchers {
			if err := s.fanout(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// token is what lets the socket of a trader in.
func (s *site) token(t *trader) (string, error) {
	answer, err := fetch(s.address, t.sign(nil, "/api/v4/profile/websocket_token", []byte(`{"x":0`)))
	if err != nil {
		return "", err
	}
	var told struct {
		Token string `json:"websocket_token"`
	}
	return told.Token, json.Unmarshal(answer, &told)
}

// streams are the requests of sockets, each authorized for a trader of its own.
func (s *socketRun) streams(tokens []string, each int, request func(id int) []byte) func(int) *stream {
	return func(connection int) *stream {
		to := &stream{First: textFrame(nil, fmt.Appendf(nil, `{"id":0,"method":"authorize","params":["%s","bench"]}`, tokens[connection]))}
		for i := range each {
			to.Bytes = textFrame(to.Bytes, request(connection*each+i+1))
			to.end()
		}
		return to
	}
}

// orders measures orders over sockets, in turn with a socket that answers at once and with orders over
// HTTP.
func (s *socketRun) orders() error {
	h := s.http
	var tokens []string
	for i := range s.connections[len(s.connections)-1] {
		token, err := h.site.token(&h.site.traders[i])
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	most := s.connections[len(s.connections)-1]
	var null, base rounds
	own := make([]rounds, len(s.connections))
	for i := range 1 + s.rounds {
		n, err := s.drive(most, s.streams(tokens, 1000, func(id int) []byte { return fmt.Appendf(nil, `{"id":%d,"method":"ping","params":[]}`, id) }), true)
		if err != nil {
			return err
		}
		if err := h.site.refill(h.perLevel); err != nil {
			return err
		}
		b, err := h.trading(h.plan(256), h.streams(h.requests/256, h.site.order))
		if err != nil {
			return err
		}
		fmt.Fprintf(h.progress, "%-26s ping %s, http %s\n", "", &n, &b)
		for j, connections := range s.connections {
			if err := h.site.refill(h.perLevel); err != nil {
				return err
			}
			if err := h.site.settle(); err != nil {
				return err
			}
			quiet(h.patience)
			o, err := s.drive(connections, s.streams(tokens, s.requests/connections, func(id int) []byte { return h.site.socketOrder(int64(i*10_000_000 + id)) }), false)
			if err != nil {
				return err
			}
			fmt.Fprintf(h.progress, "%-26s %d sockets %s, %.2f of http\n", "", connections, &o, o.rate()/b.rate())
			if i > 0 {
				own[j].add(&o)
				own[j].ratios = append(own[j].ratios, o.rate()/b.rate())
			}
		}
		if i > 0 {
			null.add(&n)
			base.add(&b)
		}
	}
	h.add(null.result("ws.null", "requests/s", 1))
	for j, connections := range s.connections {
		result := own[j].result(fmt.Sprintf("ws.order.durable.%d", connections), "orders/s", 1)
		result.Ratio, result.RatioTo = median(own[j].ratios), "http.order.durable.256"
		h.add(result)
	}
	return nil
}

func (s *socketRun) drive(connections int, requests func(int) *stream, cycle bool) (round, error) {
	p := s.http.plan(connections)
	p.Socket, p.InFlight, p.Cycle, p.Seconds = socketPath, s.inFlight, cycle, s.seconds
	return drive(p, requests)
}

// socketOrder is the order of HTTP in the words of the socket.
func (s *site) socketOrder(id int64) []byte {
	text := fmt.Appendf(nil, `{"id":%d,"method":"order_limit_place","params":[`, id)
	return append(s.appendOrder(text, "client_order_id", id), "}]}"...)
}

// memory measures what a connection costs that says nothing.
func (s *socketRun) memory() error {
	before := inUse()
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for range s.idle {
		c := &client{buffer: make([]byte, 1024)}
		var err error
		if c.conn, err = net.Dial("tcp", s.http.site.address); err != nil {
			return err
		}
		open = append(open, c.conn)
		if err := c.upgrade(socketPath); err != nil {
			return err
		}
	}
	// The other ends are in this process too: a bare connection costs far less than what is measured.
	s.http.add(Result{Name: "ws.idle.bytes", Value: float64(inUse()-before) / float64(s.idle), Unit: "bytes"})
	return nil
}

// inUse is the memory of heap and stacks that is in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// fanout measures trades of one market that many listen to, and what that costs those who place orders
// on another.
func (s *socketRun) fanout(watchers int) error {
	h := s.http
	before, err := s.modest()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type outcome struct {
		round
		err error
	}
	begun, watched, dealt := make(chan struct{}), make(chan outcome, 1), make(chan error, 1)
	go func() {
		p := h.plan(watchers)
		p.Socket, p.Seconds = socketPath, 2*s.seconds
		r, err := driveFrom(p, func(int) *stream {
			return &stream{First: textFrame(nil, []byte(`{"id":0,"method":"trades_subscribe","params":["COIN1_USDT"]}`))}
		}, func() { close(begun) })
		watched <- outcome{r, err}
	}()
	select {
	case <-begun:
	case o := <-watched:
		return o.err
	}
	go func() { dealt <- h.site.deal(ctx) }()
	with, err := s.modest()
	o := <-watched
	cancel()
	if err := errors.Join(err, o.err, <-dealt); err != nil {
		return err
	}
	var all, orders rounds
	all.add(&o.round)
	orders.add(with)
	name := fmt.Sprintf("ws.fanout.%d", watchers)
	h.add(all.result(name, "pushes/s", 1))
	result := orders.result(name+".order", "orders/s", 1)
	result.Ratio, result.RatioTo = with.times.percentile(0.99)/before.times.percentile(0.99), "p99 without them"
	h.add(result)
	return nil
}

// modest measures orders over HTTP at a modest rate.
func (s *socketRun) modest() (*round, error) {
	h := s.http
	if err := h.site.refill(h.perLevel); err != nil {
		return nil, err
	}
	p := h.plan(16)
	p.Rate = s.orderRate
	r, err := drive(p, h.streams(int(p.Rate*s.seconds)/p.Connections, h.site.order))
	return &r, err
}

// dealEvery is how often there is a trade while many listen.
const dealEvery = 100 * time.Millisecond

// deal makes a trade on the second market from time to time, each a cent dearer than the one before.
func (s *site) deal(ctx context.Context) error {
	ticker := time.NewTicker(dealEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		s.dealt++
		for _, side := range []schema.Side{schema.Sell, schema.Buy} {
			if _, err := s.do(s.limit(0, 2, side, middle+s.dealt)); err != nil {
				return err
			}
		}
	}
}
