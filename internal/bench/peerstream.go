package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"bourse/internal/bench/peer"
	"bourse/internal/core"
	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The workload of exchange-core's single-pair throughput test: 3 million commands after the
// book was filled with 1,000 orders.
const (
	peerSeed   = 101572685
	peerUsers  = 1000
	peerTarget = 1000
	peerCount  = 3_001_000
	peerRounds = 9
)

// streams is made once: making it takes longer than running it.
var streams struct {
	commands []peer.Command
	totals   peer.Totals
}

func peerStream(r *report) ([]peer.Command, peer.Totals) {
	if streams.commands == nil {
		fmt.Fprintf(r.progress, "%-26s making the stream\n", "")
		streams.commands, streams.totals = peer.Stream(0, peerSeed, peerUsers, peerTarget, peerCount)
	}
	return streams.commands, streams.totals
}

// venue is something that the stream runs on. It keeps the totals that the stream is checked by.
type venue interface {
	apply(c *peer.Command)
	totals() peer.Totals
}

// race runs the stream on fresh venues, several times at full speed, of which the least disturbed
// counts, and once with every command timed. Where several kinds of venues race they take turns,
// so that all of them see the quiet moments of the machine.
func race(r *report, kinds ...func() venue) ([]Result, error) {
	commands, want := peerStream(r)
	results := make([]Result, len(kinds))
	for range peerRounds {
		for i, fresh := range kinds {
			v := fresh()
			runtime.GC()
			began := time.Now()
			for j := range commands {
				v.apply(&commands[j])
			}
			results[i].Value = max(results[i].Value, float64(len(commands))/time.Since(began).Seconds())
			if got := v.totals(); got != want {
				return nil, fmt.Errorf("the outcome differs from the peer's:\n got %+v\nwant %+v", got, want)
			}
		}
	}
	for i, fresh := range kinds {
		var times Latency
		v := fresh()
		runtime.GC()
		for j := range commands {
			began := time.Now()
			v.apply(&commands[j])
			times.Add(time.Since(began))
		}
		times.fill(&results[i])
	}
	return results, nil
}

func bookPeerStream(r *report) error {
	results, err := race(r, func() venue { return newBookVenue() })
	if err != nil {
		return err
	}
	results[0].Name, results[0].Unit = "core.book.peer_stream", "commands/s"
	r.add(results[0])
	return nil
}

// wholePeerStream races the whole core against the book alone: the ratio is of this race.
func wholePeerStream(r *report) error {
	results, err := race(r, func() venue { return newWholeVenue() }, func() venue { return newBookVenue() })
	if err != nil {
		return err
	}
	whole := results[0]
	whole.Name, whole.Unit = "core.whole.peer_stream", "commands/s"
	whole.Ratio, whole.RatioTo = whole.Value/results[1].Value, "core.book.peer_stream"
	r.add(whole)
	return nil
}

// change is an event of the book alone: an order came to rest, left, lost a part of itself or
// was traded with, and its level holds so much now.
type change struct {
	what  what
	order uint64
	taker uint64 // of trades
	price book.Ticks
	lots  book.Lots
	level book.Lots
}

type what uint8

const (
	rested what = iota
	left
	reduced
	traded
)

// bookVenue is the order book alone, with a list of what happened.
type bookVenue struct {
	book    book.Book[bookTerms]
	changes []change
	sums    peer.Totals
}

// bookTerms is what the book alone keeps of an order: nothing.
type bookTerms struct{}

func newBookVenue() *bookVenue { return &bookVenue{changes: make([]change, 0, 1024)} }

func side(bid bool) (own, other book.Queue) {
	if bid {
		return book.Bids, book.Asks
	}
	return book.Asks, book.Bids
}

func (v *bookVenue) apply(c *peer.Command) {
	v.changes = v.changes[:0]
	own, other := side(c.Bid)
	switch c.Kind {
	case peer.Place:
		limit := book.Ticks(c.Price)
		if c.Type == peer.Budget {
			if !v.fillable(other, book.Lots(c.Size)) {
				break
			}
			limit = book.Ticks(c.Price / c.Size)
		}
		rest := v.match(uint64(c.Order), c.Bid, other, limit, book.Lots(c.Size))
		if rest > 0 && c.Type == peer.GTC {
			slot, _ := v.book.Add(uint64(c.Order), uint32(c.User), rest)
			v.link(slot, own, limit)
		}
	case peer.Cancel:
		slot := v.book.Find(uint64(c.Order))
		v.unlink(slot)
		v.book.Remove(slot)
	case peer.Move:
		slot := v.book.Find(uint64(c.Order))
		v.unlink(slot)
		o := v.book.At(slot)
		o.Left = v.match(o.ID, c.Bid, other, book.Ticks(c.Price), o.Left)
		if o.Left > 0 {
			v.link(slot, own, book.Ticks(c.Price))
		} else {
			v.book.Remove(slot)
		}
	case peer.Reduce:
		slot := v.book.Find(uint64(c.Order))
		o := v.book.At(slot)
		if book.Lots(c.Size) >= o.Left {
			v.unlink(slot)
			v.book.Remove(slot)
		} else {
			level := v.book.Reduce(slot, book.Lots(c.Size))
			v.changes = append(v.changes, change{reduced, o.ID, 0, o.Price, book.Lots(c.Size), level})
		}
	}
	v.count()
}

func (v *bookVenue) link(slot book.Slot, q book.Queue, price book.Ticks) {
	level, _ := v.book.Link(slot, q, price)
	o := v.book.At(slot)
	v.changes = append(v.changes, change{rested, o.ID, 0, price, o.Left, level})
}

func (v *bookVenue) unlink(slot book.Slot) {
	o := v.book.At(slot)
	level := v.book.Unlink(slot)
	v.changes = append(v.changes, change{left, o.ID, 0, o.Price, o.Left, level})
}

// fillable reports whether the other side has so many lots; the stream's budgets are such that
// every price is within them.
func (v *bookVenue) fillable(other book.Queue, lots book.Lots) bool {
	for l := range v.book.Levels(other) {
		if lots -= l.Lots; lots <= 0 {
			return true
		}
	}
	return false
}

func (v *bookVenue) match(id uint64, bid bool, other book.Queue, limit book.Ticks, rest book.Lots) book.Lots {
	for rest > 0 {
		slot := v.book.First(other)
		if slot == 0 {
			break
		}
		maker := v.book.At(slot)
		if bid && maker.Price > limit || !bid && maker.Price < limit {
			break
		}
		lots := min(rest, maker.Left)
		rest -= lots
		level := v.book.Reduce(slot, lots)
		v.changes = append(v.changes, change{traded, maker.ID, id, maker.Price, lots, level})
		if maker.Left == 0 {
			v.book.Unlink(slot)
			v.book.Remove(slot)
		}
	}
	return rest
}

func (v *bookVenue) count() {
	before := v.sums.Trades
	for i := range v.changes {
		if c := &v.changes[i]; c.what == traded {
			v.sums.Trades++
			v.sums.Volume += int64(c.lots)
			v.sums.Notional += int64(c.lots) * int64(c.price)
		}
	}
	if v.sums.Trades > before {
		v.sums.Trading++
	}
}

func (v *bookVenue) totals() peer.Totals {
	v.sums.Asks, v.sums.Bids = v.side(book.Asks), v.side(book.Bids)
	return v.sums
}

func (v *bookVenue) side(q book.Queue) peer.Side {
	var s peer.Side
	for range v.book.Orders(q) {
		s.Orders++
	}
	for l := range v.book.Levels(q) {
		if s.Levels == 0 {
			s.Best = int64(l.Price)
		}
		s.Levels++
		s.Volume += int64(l.Lots)
	}
	return s
}

// wholeVenue is the whole core with a thousand accounts on one market.
type wholeVenue struct {
	machine *core.Machine
	market  schema.MarketID
	at      schema.Time
	ids     []schema.OrderID // by the peer's ids
	place   schema.PlaceOrder
	cancel  schema.CancelOrder
	sums    peer.Totals
}

func newWholeVenue() *wholeVenue {
	v := &wholeVenue{machine: core.NewExchange(), market: 1, at: schema.StepRuleFrom, ids: make([]schema.OrderID, peerCount)}
	err := setUp(v.machine, v.at, 1, peerUsers)
	if err != nil {
		panic(err)
	}
	return v
}

func (v *wholeVenue) apply(c *peer.Command) {
	v.at += 10
	var out *schema.Outcome
	switch c.Kind {
	case peer.Place:
		out = v.order(c)
	case peer.Cancel:
		v.cancel.Account = schema.FirstCustomer + schema.AccountID(c.User-1)
		v.cancel.Order.Market, v.cancel.Order.ID = v.market, v.ids[c.Order]
		out = v.machine.Apply(v.at, &v.cancel)
	case peer.Move:
		out = v.machine.Reprice(v.at, v.market, v.ids[c.Order], book.Ticks(c.Price))
	case peer.Reduce:
		out = v.machine.Reduce(v.at, v.market, v.ids[c.Order], book.Lots(c.Size))
	}
	if out != nil {
		v.count(out)
	}
}

func (v *wholeVenue) order(c *peer.Command) *schema.Outcome {
	r := &v.place.Order
	*r = schema.OrderRequest{Market: v.market, Type: schema.Limit, Side: schema.Sell, IOC: c.Type != peer.GTC}
	if c.Bid {
		r.Side = schema.Buy
	}
	price := c.Price
	if c.Type == peer.Budget {
		if !v.fillable(r.Side.Opposite(), fixed.FromInt(c.Size)) {
			return nil
		}
		price /= c.Size
	}
	r.Amount, r.Price = fixed.FromInt(c.Size), fixed.FromInt(price)
	v.place.Account = schema.FirstCustomer + schema.AccountID(c.User-1)
	out := v.machine.Apply(v.at, &v.place)
	v.ids[c.Order] = out.Result.Order.ID
	return out
}

func (v *wholeVenue) fillable(side schema.Side, amount fixed.Decimal) bool {
	for limit := 16; ; limit *= 4 {
		levels, left := v.machine.Trading().Depth(v.market, side, limit), amount
		for _, l := range levels {
			if left = left.Sub(l.Amount); left.Sign() <= 0 {
				return true
			}
		}
		if len(levels) < limit {
			return false
		}
	}
}

func (v *wholeVenue) count(out *schema.Outcome) {
	if out.Result.Rejection.Refused() {
		panic(errors.New(out.Result.Rejection.Text()))
	}
	deals := out.Events.Deals()
	if len(deals) == 0 {
		return
	}
	v.sums.Trading++
	for i := range deals {
		amount, _ := deals[i].Amount.Units(0)
		money, _ := deals[i].Money.Units(0)
		v.sums.Trades++
		v.sums.Volume += amount
		v.sums.Notional += money
	}
}

func (v *wholeVenue) totals() peer.Totals {
	v.sums.Asks, v.sums.Bids = v.side(schema.Sell), v.side(schema.Buy)
	return v.sums
}

func (v *wholeVenue) side(side schema.Side) peer.Side {
	var s peer.Side
	for _, o := range v.machine.Trading().All(v.market) {
		if o.Side == side {
			s.Orders++
		}
	}
	for i, l := range v.machine.Trading().Depth(v.market, side, -1) {
		if i == 0 {
			s.Best, _ = l.Price.Units(0)
		}
		lots, _ := l.Amount.Units(0)
		s.Levels++
		s.Volume += lots
	}
	return s
}
