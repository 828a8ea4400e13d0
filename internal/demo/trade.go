package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/walk"
)

// How often things happen: all bots together send some sixty requests a second.
const (
	quotePause = time.Second             // between two looks of the makers at a market, of the gambler, and of the feed
	noisePause = 1300 * time.Millisecond // between two trades of a trader on a market, on the average
)

// Trade lets the bots loose on the exchange whose API is at an address, until the context ends.
// Nothing that goes wrong there stops them.
func (w *World) Trade(ctx context.Context, rest string, log *slog.Logger) error {
	if u, err := url.Parse(rest); err != nil || u.Host == "" {
		return fmt.Errorf("the bots of the demo need the address of the API, such as http://127.0.0.1:8080, not %q", rest)
	}
	g := newGate(rest)
	defer g.http.CloseIdleConnections()
	var makers, traders, gamblers []*client
	for _, id := range w.makers {
		makers = append(makers, newClient(g, id))
	}
	for _, t := range w.noise {
		traders = append(traders, newClient(g, t.identity))
	}
	for _, t := range w.gamblers {
		gamblers = append(gamblers, newClient(g, t.identity))
	}
	var stages []*stage
	if !persist(ctx, log, "opening", func(ctx context.Context) (err error) {
		stages, err = openStages(ctx, g, w.scenes, makers)
		return err
	}) {
		return nil
	}
	futures, feed := w.futures(stages)
	// There is no trade on a future before it has an index.
	if !persist(ctx, log, "opening futures", func(ctx context.Context) error {
		if len(futures) == 0 {
			return nil
		}
		return errors.Join(feed.tell(ctx), leverages(ctx, slices.Concat(traders, gamblers), slices.Concat(w.noise, w.gamblers)))
	}) {
		return nil
	}
	var group sync.WaitGroup
	var all []<-chan struct{}
	for _, s := range stages {
		quoted := make(chan struct{})
		all = append(all, quoted)
		group.Go(func() { s.makeMarket(ctx, log, quoted) })
		for i, t := range w.noise {
			n := newNoise(s.market, traders[i], t.start, newChance())
			group.Go(func() { n.live(ctx, log, quoted) })
		}
	}
	if len(futures) > 0 {
		group.Go(func() { feed.live(ctx, log) })
	}
	for _, c := range gamblers {
		g := &gambler{c, futures, newChance()}
		group.Go(func() { g.live(ctx, log, all) })
	}
	for _, id := range w.depositors {
		d := &depositor{newClient(g, id), newChance()}
		group.Go(func() { d.live(ctx, log) })
	}
	for _, id := range w.converters {
		c := &converter{newClient(g, id), newChance()}
		group.Go(func() { c.live(ctx, log, all) })
	}
	for _, id := range w.investors {
		v := &investor{newClient(g, id), newChance()}
		group.Go(func() { v.live(ctx, log) })
	}
	group.Wait()
	return nil
}

// futures are the futures among the stages, and what their index comes from.
func (w *World) futures(stages []*stage) (list []*market, f *feed) {
	f = &feed{node: w.node, chance: newChance()}
	for _, s := range stages {
		if s.market.future {
			list, f.markets = append(list, s.market), append(f.markets, s.legs[0])
		}
	}
	return list, f
}

// leverages lets everyone have their own.
func leverages(ctx context.Context, clients []*client, traders []trader) error {
	for i, c := range clients {
		if err := c.choose(ctx, traders[i].leverage); err != nil {
			return err
		}
	}
	return nil
}

// newChance is where a bot's decisions come from. Its numbers are of one goroutine only.
func newChance() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) }

// stage is a market with its makers and with what moves its price: a walk, or the prices of other markets.
type stage struct {
	*desk
	walk *walk.Walk
	legs [2]*market
}

// openStages takes up every market where it was left.
func openStages(ctx context.Context, g *gate, scenes []scene, makers []*client) ([]*stage, error) {
	markets, err := readMarkets(ctx, g, scenes)
	if err != nil {
		return nil, err
	}
	last, err := lastPrices(ctx, g)
	if err != nil {
		return nil, err
	}
	byName := map[string]*market{}
	var stages []*stage
	for _, m := range markets {
		s := &stage{desk: newDesk(m, makers, newChance())}
		byName[m.name] = m
		stages = append(stages, s)
		if m.cross[0] != "" {
			continue
		}
		at, err := s.left(ctx, last[m.name])
		if err != nil {
			return nil, err
		}
		s.begin(at)
	}
	for _, s := range stages {
		if s.walk == nil {
			s.legs = [2]*market{byName[s.market.cross[0]], byName[s.market.cross[1]]} // of a future the second is nil
			s.move()
		}
	}
	return stages, nil
}

// lastPrices are those of the last trades; zero where there was none.
func lastPrices(ctx context.Context, g *gate) (purse, error) {
	var tickers map[string]struct {
		Last decimal `json:"last_price"`
	}
	if err := g.get(ctx, "/api/v4/public/ticker", &tickers); err != nil {
		return nil, err
	}
	last := purse{}
	for name, t := range tickers {
		last[name] = t.Last.Decimal
	}
	return last, nil
}

// left is where the makers left the price, in ticks: between their orders if they have any on both
// sides, else at the last trade, else at the start.
func (s *stage) left(ctx context.Context, last fixed.Decimal) (int64, error) {
	var bid, ask int64
	for _, c := range s.makers {
		orders, err := s.open(ctx, c)
		if err != nil {
			return 0, err
		}
		for _, o := range orders {
			at := s.market.ticks(o.Price.Decimal)
			switch {
			case o.Side == buy:
				bid = max(bid, at)
			case ask == 0 || at < ask:
				ask = at
			}
		}
	}
	switch {
	case bid > 0 && ask > 0:
		return bid + (ask-bid)/2, nil
	case last.Sign() > 0:
		return s.market.ticks(last), nil
	default:
		return s.market.ticks(s.market.start), nil
	}
}

// begin puts the price of a walk somewhere, in ticks.
func (s *stage) begin(at int64) {
	s.walk = walk.New(s.market.ratio(at), s.market.volatility, s.chance)
	s.market.mid.Store(s.market.at(s.walk.At()))
}

// move lets the price go on.
func (s *stage) move() {
	if s.walk != nil {
		s.walk.Step(walk.Second)
		s.market.mid.Store(s.market.at(s.walk.At()))
		return
	}
	if s.market.future {
		total := fixed.Zero
		for _, p := range s.positions {
			total = total.Add(p)
		}
		s.market.mid.Store(max(s.market.ticks(s.legs[0].value())+s.market.skew(total), 1))
		return
	}
	rate, fits := fixed.Div(s.legs[0].value(), s.legs[1].value(), fixed.Places, fixed.Down)
	if fits {
		s.market.mid.Store(max(s.market.ticks(rate), 1))
	}
}

// makeMarket quotes until the context ends, and reports when it has for the first time.
func (s *stage) makeMarket(ctx context.Context, log *slog.Logger, quoted chan<- struct{}) {
	name := "makers of " + s.market.name
	for first := true; persist(ctx, log, name, s.quote); first = false {
		if first {
			close(quoted)
		}
		if !wait(ctx, quotePause) {
			return
		}
		s.move()
	}
}

// live trades until the context ends, once there is something to trade with.
func (n *noise) live(ctx context.Context, log *slog.Logger, quoted <-chan struct{}) {
	select {
	case <-quoted:
	case <-ctx.Done():
		return
	}
	name := n.client.name + " on " + n.market.name
	for persist(ctx, log, name, n.trade) && wait(ctx, time.Duration(n.chance.ExpFloat64()*float64(noisePause))) {
	}
}

// live plays until the context ends, once there are quotes everywhere.
func (g *gambler) live(ctx context.Context, log *slog.Logger, quoted []<-chan struct{}) {
	for _, q := range quoted {
		select {
		case <-q:
		case <-ctx.Done():
			return
		}
	}
	for persist(ctx, log, g.client.name, g.play) && wait(ctx, quotePause) {
	}
}

// live says what assets are worth until the context ends.
func (f *feed) live(ctx context.Context, log *slog.Logger) {
	for persist(ctx, log, "index", f.tell) && wait(ctx, quotePause) {
	}
}

// backoffMax is the longest pause between two tries.
const backoffMax = 5 * time.Second

// persist does something until it succeeds; it is false when the context ended before. Trouble is
// reported when it begins and when it is over, and not with every try.
func persist(ctx context.Context, log *slog.Logger, bot string, act func(context.Context) error) bool {
	pause := 100 * time.Millisecond
	for troubled := false; ; troubled = true {
		err := act(ctx)
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil:
			if troubled {
				log.Info("a bot of the demo goes on", "bot", bot)
			}
			return true
		case !troubled:
			log.Warn("a bot of the demo cannot go on and keeps trying", "bot", bot, "error", err)
		}
		if !wait(ctx, pause) {
			return false
		}
		pause = min(2*pause, backoffMax)
	}
}

// wait lets time pass; it is false when the context ended meanwhile.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
