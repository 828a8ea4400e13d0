package marketdata

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	alice = schema.FirstCustomer // may place RPI orders
	bob   = schema.FirstCustomer + 1
	carol = schema.FirstCustomer + 2

	// start is 2026-10-01T00:00:00Z.
	start = 1_790_812_800 * schema.Second

	ever = schema.Time(1) << 62
)

var number = fixed.MustParse

// genesis lists two markets and gives everyone money.
func genesis() []schema.Command {
	var list []schema.Command
	for _, ticker := range []string{"BTC", "ETH", "USDT"} {
		list = append(list, &schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8,
		}})
	}
	for i, name := range []string{"BTC_USDT", "ETH_USDT"} {
		list = append(list, &schema.SetMarket{Market: schema.MarketInfo{
			Name: name, Base: schema.AssetID(i + 1), Quote: 3, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6,
			MakerFee: number("0.1"), TakerFee: number("0.2"), RPIPremium: schema.Some(number("0.05")), Enabled: true,
		}})
	}
	for i, name := range []string{"alice", "bob", "carol"} {
		list = append(list, &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, RPI: i == 0, Retail: i > 0}})
		account := schema.FirstCustomer + schema.AccountID(i)
		for asset := schema.AssetID(1); asset <= 3; asset++ {
			list = append(list,
				&schema.Deposit{Account: account, Asset: asset, Amount: number("1000000000")},
				&schema.Transfer{Account: account, Asset: asset, Amount: number("1000000000"), From: schema.Main, To: schema.Trade})
		}
	}
	return list
}

// limit is a limit order on the first market.
func limit(account schema.AccountID, side schema.Side, amount, price string) *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: 1, Type: schema.Limit, Side: side, Amount: number(amount), Price: number(price),
	}}
}

// chance draws a number below n.
type chance func(n int) int

// command is an order that may meet others, or the end of one.
func (draw chance) command(lastOrder uint64) schema.Command {
	account := alice + schema.AccountID(draw(3))
	market := schema.MarketID(1 + draw(2))
	switch draw(10) {
	case 0, 1:
		return &schema.CancelOrder{Account: account, Order: schema.OrderRef{Market: market, ID: schema.OrderID(lastOrder - min(lastOrder, uint64(draw(12))))}}
	case 2:
		return &schema.CancelAll{Account: account, Market: market}
	case 3:
		return &schema.Tick{}
	}
	r := schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: schema.Buy + schema.Side(draw(2)),
		Amount: fixed.FromUnits(int64(1+draw(50)), 1), Price: fixed.FromUnits(int64(1000+draw(20)), 1),
		RPI: account == alice && draw(3) == 0, Retail: account != alice && draw(2) == 0,
	}
	switch draw(8) {
	case 0:
		r.IOC, r.RPI = true, false
	case 1:
		r.Type, r.RPI = schema.StockMarket, false
	}
	return &schema.PlaceOrder{Account: account, Order: r}
}

// later is how much time passes: mostly a little, sometimes days.
func (draw chance) later() schema.Time {
	switch n := schema.Time(draw(1000)); draw(12) {
	case 0:
		return n * minute
	case 1:
		return n * hour / 10
	case 2:
		return n * schema.Second
	default:
		return n * schema.Second / 100
	}
}

// step is what a batch did, as a node hands it to readers.
type step struct {
	seq    uint64
	events schema.Events
	spans  []span
}

type span struct {
	at         schema.Time
	first, end int
}

func (s *step) add(out *schema.Outcome) {
	first := s.events.Len()
	s.events.Append(&out.Events)
	s.spans = append(s.spans, span{out.Time, first, s.events.Len()})
}

func (s *step) applyTo(d *Data) {
	for _, h := range s.spans {
		for e := range s.events.Between(h.first, h.end) {
			d.note(h.at, e)
		}
	}
	d.settle(s.seq)
}

// naive is the market in the simplest way that could be right: the machine's book, and a list of
// all trades ever.
type naive struct {
	machine *core.Machine
	trades  map[schema.MarketID][]Trade // oldest first
	now     schema.Time
}

func newNaive(t testing.TB) *naive {
	n := &naive{machine: core.New(), trades: map[schema.MarketID][]Trade{}, now: start}
	for i, c := range genesis() {
		if out := n.machine.Apply(n.now, c); out.Result.Rejection.Refused() {
			t.Fatalf("command %d of the genesis: %s", i, out.Result.Rejection.Text())
		}
	}
	return n
}

func (n *naive) apply(c schema.Command) *schema.Outcome {
	out := n.machine.Apply(n.now, c)
	for _, e := range out.Events.Deals() {
		n.trades[e.Market] = append(n.trades[e.Market], Trade{e.ID, out.Time, e.Price, e.Amount, e.Money, e.TakerSide, e.RPI})
	}
	return out
}

func (n *naive) book(m schema.MarketID) (asks, bids []Level) {
	for _, l := range n.machine.Trading().Depth(m, schema.Sell, 1<<30) {
		asks = append(asks, Level(l))
	}
	for _, l := range n.machine.Trading().Depth(m, schema.Buy, 1<<30) {
		bids = append(bids, Level(l))
	}
	return asks, bids
}

// newest are the trades that fit, newest first.
func (n *naive) newest(m schema.MarketID, limit int, fits func(Trade) bool) []Trade {
	var list []Trade
	for _, t := range slices.Backward(n.trades[m]) {
		if len(list) < limit && fits(t) {
			list = append(list, t)
		}
	}
	return list
}

// candleStart is where a candle begins, by the calendar of package time.
func candleStart(i Interval, t schema.Time) schema.Time {
	at := time.UnixMicro(int64(t)).UTC()
	switch i {
	case Month1:
		at = at.AddDate(0, 0, 1-at.Day()).Truncate(24 * time.Hour)
	case Week1:
		for at = at.Truncate(24 * time.Hour); at.Weekday() != time.Monday; {
			at = at.AddDate(0, 0, -1)
		}
	case Day3:
		days := at.Unix() / 86400
		at = time.Unix((days-days%3)*86400, 0)
	case Day1:
		at = at.Truncate(24 * time.Hour)
	default:
		length, err := time.ParseDuration(i.String())
		if err != nil {
			panic(err)
		}
		at = at.Truncate(length)
	}
	return schema.Time(at.UnixMicro())
}

func (n *naive) candles(m schema.MarketID, i Interval) []Candle {
	var list []Candle
	for _, t := range n.trades[m] {
		begin := candleStart(i, t.Time)
		if len(list) == 0 || list[len(list)-1].Start != begin {
			list = append(list, Candle{Start: begin, Open: t.Price, High: t.Price, Low: t.Price})
		}
		k := &list[len(list)-1]
		k.Close = t.Price
		k.High, k.Low = fixed.MinOf(k.High.Neg(), t.Price.Neg()).Neg(), fixed.MinOf(k.Low, t.Price)
		k.Volume, k.Money = k.Volume.Add(t.Amount), k.Money.Add(t.Money)
	}
	return list
}

func (n *naive) summary(m schema.MarketID, from schema.Time) (s Summary) {
	asks, bids := n.book(m)
	if len(asks) > 0 {
		s.Ask = asks[0].Price
	}
	if len(bids) > 0 {
		s.Bid = bids[0].Price
	}
	all := n.trades[m]
	if len(all) == 0 {
		return s
	}
	s.Last = all[len(all)-1].Price
	s.Open, s.High, s.Low = s.Last, s.Last, s.Last
	within := slices.DeleteFunc(slices.Clone(all), func(t Trade) bool { return t.Time < from })
	for i, t := range within {
		if i == 0 {
			s.Open, s.High, s.Low = t.Price, t.Price, t.Price
		}
		s.High, s.Low = fixed.MinOf(s.High.Neg(), t.Price.Neg()).Neg(), fixed.MinOf(s.Low, t.Price)
		s.Volume, s.Money = s.Volume.Add(t.Amount), s.Money.Add(t.Money)
	}
	if before := len(all) - len(within); before > 0 {
		s.Open = all[before-1].Price
	}
	open, ok1 := s.Open.Units(2)
	last, ok2 := s.Last.Units(2)
	if !ok1 || !ok2 {
		panic(fmt.Sprint("prices of more than two decimals: ", s.Open, " and ", s.Last))
	}
	s.Change = fixed.FromUnits((last-open)*10_000/open, 2) // Go divides toward zero
	return s
}
