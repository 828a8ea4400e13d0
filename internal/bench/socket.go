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
	base        httpSize // of the exchange and of the orders over HTTP
	connections []int
	inFlight    int
	requests    int
	watchers    []int
	seconds     float64
	rounds      int
	idle        int     // connections for the figure of memory
	orderRate   float64 // of orders over HTTP beside the watchers
	pushes      float64 // a second to all watchers
}

var socketFull = socketSize{
	base: httpFull, connections: []int{1, 16}, inFlight: 64, requests: 200_000, watchers: []int{1000, 10_000}, seconds: 3, rounds: 3, idle: 2000, orderRate: 1000, pushes: 50_000,
}

func fanoutNames() []string {
	var names []string
	for _, n := range socketFull.watchers {
		name := fmt.Sprintf("ws.fanout.%d", n)
		names = append(names, name, name+".order", name+".peak")
	}
	return names
}

func socketOrders(r *report) error {
	return socketFull.run(r, func(s *socketRun) error { return s.orders() })
}

func socketMemory(r *report) error {
	return socketFull.run(r, func(s *socketRun) error { return s.memory() })
}

func socketFanout(r *report) error {
	return socketFull.run(r, func(s *socketRun) error {
		for _, n := range s.watchers {
			if err := s.fanout(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// socketPath is where the WebSocket is.
const socketPath = "/ws"

// socketRun makes figures with an exchange of its own.
type socketRun struct {
	socketSize
	http *httpRun
}

func (z socketSize) run(r *report, figures func(*socketRun) error) error {
	return z.base.run(r, func(h *httpRun) error { return figures(&socketRun{z, h}) })
}

// token is what lets the socket of a trader in.
func (s *site) token(t *trader) (string, error) {
	answer, err := fetch(s.address, t.sign(nil, "/api/v4/profile/websocket_token", []byte(`{"x":0`)))
	if err != nil {
		return "", err
	}
	var reply struct {
		Token string `json:"websocket_token"`
	}
	return reply.Token, json.Unmarshal(answer, &reply)
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
	most, over := s.connections[len(s.connections)-1], h.connections[len(h.connections)-1]
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
		b, err := h.trading(h.plan(over), h.streams(h.requests/over, h.site.order))
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
			quiet(h.quietTimeout)
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
		result.Ratio, result.RatioTo = median(own[j].ratios), fmt.Sprintf("http.order.durable.%d", over)
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
	// What came before may still be on its way out of memory.
	before := inUse()
	for next := inUse(); next < before; next = inUse() {
		before = next
	}
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

// fanout measures trades of one market that many listen to: how late they come, what they cost those
// who place orders on another market, and how many pushes a second there can be.
func (s *socketRun) fanout(watchers int) error {
	name := fmt.Sprintf("ws.fanout.%d", watchers)
	deals := s.pushes / float64(watchers)
	var alone, orders, peak rounds
	for range s.rounds {
		if err := s.tell(watchers, deals, &alone); err != nil {
			return err
		}
		if err := s.beside(watchers, deals, &orders); err != nil {
			return err
		}
		if err := s.tell(watchers, deals*beyond, &peak); err != nil {
			return err
		}
	}
	h := s.http
	h.add(alone.result(name, "pushes/s", 1))
	result := orders.result(name+".order", "orders/s", 1)
	result.Ratio, result.RatioTo = median(orders.ratios), "p99 without them"
	h.add(result)
	h.add(peak.result(name+".peak", "pushes/s", 1))
	return nil
}

// beyond is how many times more trades there are when pushes come as fast as they can. Then those that
// come together go out together.
const beyond = 4

// tell measures a market with so many trades a second.
func (s *socketRun) tell(watchers int, deals float64, to *rounds) error {
	all, err := s.listeners(watchers)
	if err != nil {
		return err
	}
	r, err := s.http.site.busy(deals, all.run)
	if err != nil {
		return err
	}
	to.add(&r)
	fmt.Fprintf(s.http.progress, "%-26s %d watchers of %.0f trades/s: %s, p99 %.0f ms\n", "", watchers, deals, &r, r.times.Percentile(0.99)/1000)
	return nil
}

// beside measures orders without watchers, and with them.
func (s *socketRun) beside(watchers int, deals float64, to *rounds) error {
	h := s.http
	alone, err := s.modest()
	if err != nil {
		return err
	}
	without, err := alone.run()
	if err != nil {
		return err
	}
	all, err := s.listeners(watchers)
	if err != nil {
		return err
	}
	some, err := s.modest()
	if err != nil {
		return errors.Join(err, all.end())
	}
	type outcome struct {
		round
		err error
	}
	ordered := make(chan outcome, 1)
	_, err = h.site.busy(deals, func() (round, error) {
		go func() {
			r, err := some.run()
			ordered <- outcome{r, err}
		}()
		return all.run()
	})
	with := <-ordered
	if err := errors.Join(err, with.err); err != nil {
		return err
	}
	to.add(&with.round)
	slower := with.times.Percentile(0.99) / without.times.Percentile(0.99)
	to.ratios = append(to.ratios, slower)
	fmt.Fprintf(h.progress, "%-26s orders beside them: p99 %.1f ms, %.1f times that without\n", "", with.times.Percentile(0.99)/1000, slower)
	return nil
}

// listeners are connections that listen to the trades of the second market.
func (s *socketRun) listeners(count int) (*generator, error) {
	p := s.http.plan(count)
	p.Socket, p.Seconds = socketPath, s.seconds
	return launch(p, func(int) *stream {
		return &stream{First: textFrame(nil, []byte(`{"id":0,"method":"trades_subscribe","params":["COIN1_USDT"]}`))}
	})
}

// modest are orders over HTTP at a modest rate.
func (s *socketRun) modest() (*generator, error) {
	h := s.http
	if err := h.site.refill(h.perLevel); err != nil {
		return nil, err
	}
	if err := h.site.settle(); err != nil {
		return nil, err
	}
	p := h.plan(16)
	p.Rate = s.orderRate
	g, err := launch(p, h.streams(int(p.Rate*s.seconds)/p.Connections, h.site.order))
	if err == nil {
		quiet(h.quietTimeout)
	}
	return g, err
}

// busy makes so many trades a second while something is measured.
func (s *site) busy(rate float64, measure func() (round, error)) (round, error) {
	ctx, cancel := context.WithCancel(context.Background())
	dealt := make(chan error, 1)
	go func() { dealt <- s.deal(ctx, time.Duration(float64(time.Second)/rate)) }()
	r, err := measure()
	cancel()
	return r, errors.Join(err, <-dealt)
}

// deal makes a trade on the second market again and again, each a cent dearer than the one before.
func (s *site) deal(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(every)
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
