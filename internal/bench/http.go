package bench

import (
	"fmt"
	"slices"
	"time"

	"bourse/internal/schema"
)

// httpSize is how much the figures of HTTP do.
type httpSize struct {
	connections  []int // each has a trader of its own, so that nonces arrive in order
	markets      int
	warmUp       int // rounds that nobody counts
	rounds       int
	seconds      float64 // of a round
	requests     int     // prepared for a round of orders, which is over when they are used up
	bulkCount    int     // the same for a round of bulks
	perLevel     int     // orders on every level of the book when a round begins
	quietTimeout time.Duration
}

var httpFull = httpSize{
	connections: []int{64, 256}, markets: 100, warmUp: 1, rounds: 5, seconds: 2, requests: 120_000, bulkCount: 8000, perLevel: 5,
	quietTimeout: 5 * time.Second,
}

func orderNames() []string {
	var names []string
	for _, n := range httpFull.connections {
		names = append(names, fmt.Sprintf("http.null.%d", n), fmt.Sprintf("http.order.durable.%d", n))
	}
	return names
}

func httpOrders(r *report) error  { return httpFull.run(r, (*httpRun).orders) }
func httpCancels(r *report) error { return httpFull.run(r, (*httpRun).cancels) }
func httpBulks(r *report) error   { return httpFull.run(r, (*httpRun).bulks) }
func httpReads(r *report) error   { return httpFull.run(r, (*httpRun).reads) }

func walletAddresses(r *report) error { return httpFull.run(r, (*httpRun).addresses) }

// httpRun makes figures with an exchange of its own.
type httpRun struct {
	httpSize
	*report
	site *site
	lag  uint64 // the most batches that the history was behind
}

func (z httpSize) run(r *report, figures func(*httpRun) error) error {
	s, err := openSite(slices.Max(z.connections), z.markets)
	if err != nil {
		return err
	}
	err = figures(&httpRun{httpSize: z, report: r, site: s})
	if closing := s.close(); err == nil {
		err = closing
	}
	return err
}

// plan is a round of our own exchange.
func (h *httpRun) plan(connections int) loadPlan {
	return loadPlan{Address: h.site.address, Connections: connections, Seconds: h.seconds}
}

// streams are signed requests of each trader.
func (h *httpRun) streams(each int, request func(dst []byte, t *trader) []byte) func(int) *stream {
	return func(connection int) *stream {
		s := &stream{}
		for range each {
			s.Bytes = request(s.Bytes, &h.site.traders[connection])
			s.end()
		}
		return s
	}
}

// rounds gathers rounds of one figure: their times together, the rate and the ratio in the middle.
type rounds struct {
	times         Latency
	rates, ratios []float64
}

func (s *rounds) add(r *round) {
	s.times.merge(&r.times)
	s.rates = append(s.rates, r.rate())
}

// result is the figure; per is how many of the unit a request stands for.
func (s *rounds) result(name, unit string, per float64) Result {
	result := Result{Name: name, Value: median(s.rates) * per, Unit: unit}
	s.times.fill(&result)
	return result
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// compare measures in turn a server that answers a constant and ours, and takes the ratio within
// each pair of rounds, so that what disturbs the machine disturbs both.
func (h *httpRun) compare(name string, theirs, ours func() (round, error)) (base, own rounds, err error) {
	for i := range h.warmUp + h.rounds {
		b, err := theirs()
		if err != nil {
			return base, own, fmt.Errorf("the constant: %w", err)
		}
		o, err := ours()
		if err != nil {
			return base, own, err
		}
		fmt.Fprintf(h.progress, "%-26s %s: constant %s, ours %s, ratio %.2f\n", "", name, &b, &o, o.rate()/b.rate())
		if i < h.warmUp {
			continue
		}
		base.add(&b)
		own.add(&o)
		own.ratios = append(own.ratios, o.rate()/b.rate())
	}
	return base, own, nil
}

// trading is a round of commands, after which history and market data are waited for.
func (h *httpRun) trading(p loadPlan, requests func(int) *stream) (round, error) {
	if err := h.site.settle(); err != nil {
		return round{}, err
	}
	quiet(h.quietTimeout)
	stop, most := make(chan struct{}), make(chan uint64)
	go func() { most <- h.site.mostLag(stop) }()
	result, err := drive(p, requests)
	close(stop)
	h.lag = max(h.lag, <-most)
	if err != nil {
		return round{}, err
	}
	return result, h.site.settle()
}

// orders measures orders that are signed, durable and answered one by one.
func (h *httpRun) orders() error {
	answer, err := fetch(h.site.address, h.site.order(nil, &h.site.traders[0]))
	if err != nil {
		return err
	}
	constant, err := startNull(len(answer))
	if err != nil {
		return err
	}
	defer constant.stop()
	var peak float64
	for i, n := range h.connections {
		each := h.requests / n
		base, own, err := h.compare(fmt.Sprint(n, " connections"), func() (round, error) {
			p := h.plan(n)
			p.Address, p.Cycle = constant.address, true
			quiet(h.quietTimeout)
			return drive(p, h.streams(each, h.site.order))
		}, func() (round, error) {
			if err := h.site.refill(h.perLevel); err != nil {
				return round{}, err
			}
			return h.trading(h.plan(n), h.streams(each, h.site.order))
		})
		if err != nil {
			return err
		}
		null := base.result(fmt.Sprintf("http.null.%d", n), "requests/s", 1)
		order := own.result(fmt.Sprintf("http.order.durable.%d", n), "orders/s", 1)
		order.Ratio, order.RatioTo = median(own.ratios), null.Name
		h.add(null)
		h.add(order)
		if i == 0 {
			peak = order.Value
		}
	}
	if err := h.halfPeak(peak); err != nil {
		return err
	}
	h.add(Result{Name: "http.order.history_lag", Value: float64(h.lag), Unit: "batches"})
	return nil
}

// halfPeak measures how long orders take when half as many come as can be done, at times that do
// not depend on the answers.
func (h *httpRun) halfPeak(peak float64) error {
	if err := h.site.refill(h.perLevel); err != nil {
		return err
	}
	p := h.plan(h.connections[0])
	p.Rate = peak / 2
	each := int(p.Rate * 2 * h.seconds / float64(p.Connections))
	r, err := h.trading(p, h.streams(max(each, 1), h.site.order))
	if err != nil {
		return err
	}
	var all rounds
	all.add(&r)
	h.report.add(all.result("http.order.halfpeak", "orders/s", 1))
	return nil
}

// fewRounds is for figures that are compared with nothing.
const fewRounds = 3

// cancels measures taking back orders that were placed before.
func (h *httpRun) cancels() error {
	var all rounds
	connections := h.connections[0]
	for range min(h.rounds, fewRounds) {
		ids, err := h.site.place(connections, h.requests/2/connections)
		if err != nil {
			return err
		}
		r, err := h.trading(h.plan(connections), func(connection int) *stream {
			s := &stream{}
			for _, id := range ids[connection] {
				s.Bytes = h.site.traders[connection].cancel(s.Bytes, id)
				s.end()
			}
			return s
		})
		if err != nil {
			return err
		}
		all.add(&r)
	}
	h.add(all.result("http.cancel", "cancels/s", 1))
	return nil
}

// addressRound is how many addresses of a trader a round can make: an account may have so many and no more.
const addressRound = 300

// addresses measures new addresses, each of which is durable and written out.
func (h *httpRun) addresses() error {
	chain := schema.Chain{Name: "BTC", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}
	coin := asset("BTC").(*schema.SetAsset)
	coin.Asset.Networks = []schema.Network{{Name: "BTC", Chain: 1, CanDeposit: true, ConfirmationsForTrading: 1, Confirmations: 1}}
	for _, c := range []schema.Command{&schema.SetChain{Chain: chain}, coin} {
		if _, err := h.site.do(c); err != nil {
			return err
		}
	}
	var all rounds
	connections := h.connections[0]
	for range min(h.rounds, fewRounds) {
		r, err := h.trading(h.plan(connections), h.streams(min(addressRound, h.requests/connections), func(dst []byte, t *trader) []byte {
			return t.sign(dst, "/api/v4/main-account/create-new-address", []byte(`{"ticker":"BTC"`))
		}))
		if err != nil {
			return err
		}
		all.add(&r)
	}
	h.add(all.result("wallet.addresses", "addresses/s", 1))
	return nil
}

// bulks measures orders that come twenty at once; latencies are those of a request.
func (h *httpRun) bulks() error {
	var all rounds
	connections := h.connections[0]
	for range min(h.rounds, fewRounds) {
		if err := h.site.refill(h.perLevel); err != nil {
			return err
		}
		p := h.plan(connections)
		p.Forbidden = `"result":null`
		r, err := h.trading(p, h.streams(h.bulkCount/connections, h.site.bulk))
		if err != nil {
			return err
		}
		all.add(&r)
	}
	h.add(all.result("http.bulk20", "orders/s", bulkOrders))
	return nil
}

// reads measures market data that everybody asks for, while the book changes a hundred times a
// second, so that answers cannot be made once for all.
func (h *httpRun) reads() error {
	if err := h.site.refill(h.perLevel); err != nil {
		return err
	}
	stop, stirred := make(chan struct{}), make(chan error, 1)
	go func() { stirred <- h.site.stir(stop) }()
	err := h.read("http.depth", "/api/v4/public/orderbook/BTC_USDT?limit=100")
	if err == nil {
		err = h.read("http.ticker", "/api/v4/public/ticker")
	}
	close(stop)
	if stirring := <-stirred; err == nil {
		err = stirring
	}
	return err
}

const stirEvery = 10 * time.Millisecond

// stir changes the best price of the book from time to time, with an order that comes and goes.
func (s *site) stir(stop chan struct{}) error {
	ticker := time.NewTicker(stirEvery)
	defer ticker.Stop()
	var open schema.OrderID
	for {
		select {
		case <-stop:
			return nil
		case <-ticker.C:
		}
		var c schema.Command = s.limit(0, 1, schema.Buy, middle)
		if open != 0 {
			c = &schema.CancelOrder{Account: s.traders[0].account, Order: schema.OrderRef{Market: 1, ID: open}}
		}
		result, err := s.do(c)
		if err != nil {
			return err
		}
		if open != 0 {
			open = 0
		} else {
			open = result.Order.ID
		}
	}
}

// read measures one question, beside a constant of the size of its answer.
func (h *httpRun) read(name, path string) error {
	request := get(path)
	answer, err := fetch(h.site.address, request)
	if err != nil {
		return err
	}
	constant, err := startNull(len(answer))
	if err != nil {
		return err
	}
	defer constant.stop()
	ask := func(address string) func() (round, error) {
		return func() (round, error) {
			p := h.plan(h.connections[0])
			p.Address, p.Cycle, p.Seconds = address, true, h.seconds/2
			return drive(p, func(int) *stream { return &stream{Bytes: request, Ends: []int{len(request)}} })
		}
	}
	_, own, err := h.compare(fmt.Sprint(len(answer), " bytes"), ask(constant.address), ask(h.site.address))
	if err != nil {
		return err
	}
	result := own.result(name, "requests/s", 1)
	result.Ratio, result.RatioTo = median(own.ratios), "a constant"
	h.add(result)
	return nil
}
