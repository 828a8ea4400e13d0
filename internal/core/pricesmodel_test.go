package core

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// hall is the prices of an exchange in a form that keeps everything and works everything out again: what was
// said, every tick, and the prices that were made known last.
type hall struct {
	listed  map[schema.MarketID]schema.MarketInfo
	set     map[schema.AssetID]schema.SetCollateral
	known   map[schema.AssetID]bool
	said    map[schema.AssetID]*[price.Sources]price.Quote
	priced  map[schema.AssetID]schema.AssetPriced
	ticks   map[schema.MarketID][]sampled
	futures map[schema.MarketID]schema.MarkChanged
	books   map[schema.MarketID][2]fixed.Decimal
	events  []schema.Event
}

// sampled is a tick of a future.
type sampled struct {
	at      schema.Time
	sample  price.Sample
	band    fixed.Decimal
	settled bool // the interval ended with it
}

func newHall() *hall {
	return &hall{
		listed: map[schema.MarketID]schema.MarketInfo{}, set: map[schema.AssetID]schema.SetCollateral{}, known: map[schema.AssetID]bool{},
		said: map[schema.AssetID]*[price.Sources]price.Quote{}, priced: map[schema.AssetID]schema.AssetPriced{},
		ticks: map[schema.MarketID][]sampled{}, futures: map[schema.MarketID]schema.MarkChanged{}, books: map[schema.MarketID][2]fixed.Decimal{},
	}
}

func (h *hall) learn(id schema.AssetID) {
	if !h.known[id] {
		h.known[id], h.said[id], h.priced[id] = true, new([price.Sources]price.Quote), schema.AssetPriced{Asset: id}
	}
}

// live are the futures that trade, by id.
func (h *hall) live() (list []schema.MarketID) {
	for id := schema.MarketID(1); int(id) <= len(h.listed); id++ {
		if m := h.listed[id]; m.Type == schema.Futures && !m.Delisted {
			list = append(list, id)
		}
	}
	return list
}

// value works the price of an asset out of all that was said.
func (h *hall) value(id schema.AssetID, now schema.Time) {
	age := schema.DefaultIndexMaxAge
	if c, is := h.set[id]; is {
		age = c.IndexMaxAge
	}
	var counting []fixed.Decimal
	for _, q := range h.said[id] {
		if !q.Price.IsZero() && now-q.At < age {
			counting = append(counting, q.Price)
		}
	}
	next := h.priced[id]
	if n := len(counting); n > 0 {
		slices.SortFunc(counting, fixed.Decimal.Cmp)
		low, high := counting[(n-1)/2], counting[n/2]
		half, _ := fixed.Mul(high.Sub(low), d("0.5"), 18, fixed.Down)
		next.Price = low.Add(half)
	}
	if next.Fresh = len(counting) > 0; next != h.priced[id] {
		h.priced[id] = next
		h.events = append(h.events, &next)
	}
}

// mark works the prices of a future out of all its ticks.
func (h *hall) mark(id schema.MarketID, now, settles schema.Time) {
	m := h.listed[id]
	percent := func(p fixed.Decimal) fixed.Decimal {
		ratio, _ := fixed.Div(p, fixed.FromInt(100), 18, fixed.Down)
		return ratio
	}
	var s price.Sampler
	for _, tick := range h.ticks[id] {
		s.Tick(tick.at, tick.sample, tick.band)
		if tick.settled {
			s.Settled()
		}
	}
	next := h.futures[id]
	next.Market = id
	next.Index, next.Fresh = h.priced[m.Base].Price, h.priced[m.Base].Fresh
	if mark, is := s.Mark(next.Index, percent(m.MarkBand), int(m.MoneyPrec)); is {
		next.Mark = mark
	}
	next.Rate = s.Rate(price.Terms{Minutes: int64(m.FundingMinutes), Floor: m.FundingFloor, Cap: m.FundingCap})
	if settles == 0 || settles > now {
		interval := schema.Time(m.FundingMinutes) * 60 * schema.Second
		next.Settles = (now/interval + 1) * interval
	}
	if next != h.futures[id] {
		h.futures[id] = next
		h.events = append(h.events, &next)
	}
}

// apply is what a command that was accepted does to prices.
func (h *hall) apply(now schema.Time, c schema.Command) {
	h.events = nil
	switch c := c.(type) {
	case *schema.SetCollateral:
		h.learn(c.Asset)
		h.set[c.Asset] = *c
		h.events = append(h.events, &schema.CollateralChanged{Collateral: *c})
	case *schema.SetIndex:
		h.events = append(h.events, &schema.IndexChanged{Index: *c})
		m := h.listed[c.Market]
		if m.Quote != usdt || !h.known[m.Base] {
			return
		}
		h.said[m.Base][c.Source] = price.Quote{Price: c.Price, At: now}
		h.value(m.Base, now)
		for _, id := range h.live() {
			if h.listed[id].Base == m.Base {
				h.mark(id, now, h.futures[id].Settles)
			}
		}
	case *schema.Tick:
		for id := schema.AssetID(1); id <= eur; id++ {
			if h.known[id] && id != usdt {
				h.value(id, now)
			}
		}
		for _, id := range h.live() {
			m, settles := h.listed[id], h.futures[id].Settles
			tick := sampled{at: now, settled: settles != 0 && settles <= now}
			tick.band, _ = fixed.Div(m.MarkBand, fixed.FromInt(100), 18, fixed.Down)
			if h.priced[m.Base].Fresh {
				tick.sample = price.Sample{Index: h.priced[m.Base].Price, Bid: h.books[id][0], Ask: h.books[id][1]}
			}
			if tick.settled {
				settles = 0
			}
			h.ticks[id] = append(h.ticks[id], tick)
			h.mark(id, now, settles)
		}
	}
}

// drawPrices draws what is about prices, and a part of nonsense.
func drawPrices(t *dice, m *Machine, now schema.Time) schema.Command {
	number := func() fixed.Decimal {
		return pick(t, d("50000"), d("50010.3"), d("49990"), d("0.003"), fixed.FromUnits(int64(chance(t, 1_000_000)), 2), fixed.Zero, price.Limit, fixed.FromUnits(1, 18))
	}
	market := schema.MarketID(chance(t, 8))
	switch n := chance(t, 20); {
	case n < 9:
		return &schema.SetIndex{Market: market, Source: uint8(pick(t, 0, 0, chance(t, 11))), Price: number()}
	case n < 16:
		return &schema.Tick{}
	case n == 16:
		return &schema.SetCollateral{
			Asset: schema.AssetID(chance(t, 6)), Weight: pick(t, fixed.Zero, fixed.One, d("0.95"), d("2")),
			IndexMaxAge: schema.Time(chance(t, 40)) * schema.Second,
		}
	case n == 17:
		info := m.Listing().MarketByName(pick(t, "BTC_PERP", "ETH_PERP"))
		if info == nil {
			info = &schema.MarketInfo{}
			*info = perpetual()
			info.Name, info.Base = "ETH_PERP", eth
		}
		c := &schema.SetMarket{Market: *info}
		c.Market.FundingMinutes = pick(t, c.Market.FundingMinutes, uint32(1+chance(t, 10)))
		c.Market.MarkBand = pick(t, c.Market.MarkBand, fixed.Zero, fixed.FromInt(100), d("0.5"))
		c.Market.Enabled = coin(t)
		return c
	case n == 18 && chance(t, 4) == 0:
		return &schema.PlanDelisting{Market: market, At: pick(t, 0, now+schema.Time(chance(t, 100))*schema.Second)}
	default:
		return &schema.PlanMaintenance{Market: market, From: pick(t, 0, now+1), To: now + schema.Time(chance(t, 100))*schema.Second}
	}
}

// TestPricesMatchAPlainRecomputation: after every command the events are those of the hall, and what was restored is the
// same and goes on alike.
func TestPricesMatchAPlainRecomputation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		t, f, h := roll(rt), newFloor(t), newHall()
		books := func(id schema.MarketID, _ fixed.Decimal) (bid, ask fixed.Decimal) {
			return h.books[id][0], h.books[id][1]
		}
		f.prices.Impact = books
		note := func() {
			for _, info := range f.Listing().Markets() {
				if h.listed[info.ID] = *info; info.Type == schema.Futures {
					h.learn(info.Base)
				}
				if _, is := h.futures[info.ID]; !is {
					h.futures[info.ID] = schema.MarkChanged{Market: info.ID}
				}
			}
		}
		note()
		now, lastTick := dawn, schema.Time(0)
		for range 80 {
			now += pick(t, 0, 1, schema.Time(chance(t, 7))*schema.Second, schema.Time(chance(t, 60))*schema.Second, schema.Time(chance(t, 900))*schema.Second)
			if next, running := f.NextTimer(); running && next > now && coin(t) {
				now = next - schema.Time(chance(t, 2))
			}
			for id := range h.listed {
				h.books[id] = [2]fixed.Decimal{}
			}
			for _, id := range h.live() {
				if chance(t, 4) != 0 {
					h.books[id] = [2]fixed.Decimal{fixed.FromInt(int64(49_900 + chance(t, 200))), fixed.FromInt(int64(49_900 + chance(t, 200)))}
				}
			}
			c := drawPrices(t, f.Machine, now)
			out := f.Apply(now, c)
			if out.Result.Rejection.Refused() {
				continue
			}
			got := slices.DeleteFunc(slices.Collect(out.Events.All()), func(e schema.Event) bool {
				switch e.(type) {
				case *schema.MarketChanged, *schema.FundingSettled:
					return true
				}
				return false
			})
			note()
			if _, tick := c.(*schema.Tick); !tick || now > lastTick {
				h.apply(now, c)
				if tick {
					lastTick = now
				}
			} else {
				h.events = nil
			}
			if shown(got) != shown(h.events) {
				rt.Fatalf("%T %+v at %s:\n got %s\nwant %s", c, c, now, shown(got), shown(h.events))
			}
			restored, err := Restore(f.Snapshot())
			if err != nil {
				rt.Fatal(err)
			}
			next, running := f.NextTimer()
			if at, is := restored.NextTimer(); at != next || is != running || !bytes.Equal(restored.Snapshot(), f.Snapshot()) {
				rt.Fatalf("what was restored is another: a timer at %s, %t, and at %s, %t", next, running, at, is)
			}
			if coin(t) {
				f.Machine = restored
				f.prices.Impact = books
			}
		}
	})
}
