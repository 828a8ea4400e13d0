package market

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/journal"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// openAPI is an API for the rows of a group over a node of its own, with the market BTC_USDT and a full book.
func openAPI(tb testing.TB, g *group) *api.API {
	tb.Helper()
	dir := tb.TempDir()
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		tb.Fatal(err)
	}
	store, err := history.OpenPebble(dir+"/history", slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	past := history.Follow(n, store, history.Options{})
	data, err := marketdata.Follow(n, dir, marketdata.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for _, close := range []func() error{past.Close, data.Close, n.Close} {
			if err := close(); err != nil {
				tb.Error(err)
			}
		}
	})
	do := func(c schema.Command) uint64 {
		tb.Helper()
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil || result.Rejection.Refused() {
			tb.Fatal(err, result.Rejection.Text())
		}
		return result.ID
	}
	asset := func(ticker string) schema.AssetID {
		return schema.AssetID(do(&schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, Name: ticker, Class: schema.Crypto, Scale: 18, Precision: 8, CanDeposit: true, CanWithdraw: true,
		}}))
	}
	base, quote := asset("BTC"), asset("USDT")
	market := schema.MarketID(do(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: base, Quote: quote, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 4, Enabled: true,
	}}))
	account := schema.AccountID(do(&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}))
	for _, id := range []schema.AssetID{base, quote} {
		do(&schema.Deposit{Account: account, Asset: id, Amount: fixed.FromInt(1_000_000_000)})
		do(&schema.Transfer{Account: account, Asset: id, Amount: fixed.FromInt(1_000_000_000), From: schema.Main, To: schema.Trade})
	}
	for i := range 150 {
		for side, price := range map[schema.Side]int64{schema.Sell: 6_000_000 + int64(i)*25, schema.Buy: 5_999_900 - int64(i)*25} {
			do(&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
				Market: market,
				Type:   schema.Limit, Side: side, Amount: fixed.FromUnits(12345, 4), Price: fixed.FromUnits(price, 2),
			}})
		}
	}
	return api.New(n, data, past, api.Options{Operations: g.operations()})
}

// ask asks for a public path as a door does.
func ask(tb testing.TB, c *api.Call, path string, parameters ...string) {
	tb.Helper()
	c.Reset()
	c.Context = context.Background()
	operations := c.API.Operations()
	for i := range operations {
		if operations[i].Path == path {
			c.Operation = &operations[i]
		}
	}
	for i := 0; i < len(parameters); i += 2 {
		c.Form.Add([]byte(parameters[i]), []byte(parameters[i+1]))
	}
	if err := c.Do(); err != nil {
		tb.Fatal(err)
	}
}

// Memory for books does not grow with what strangers ask for.
func TestBooksAreKeptOncePerLevel(t *testing.T) {
	g := new(group)
	a := openAPI(t, g)
	c := &api.Call{API: a}
	digits := strings.Fields("0 1 2 3 7 50 99 100 101 100000")
	for _, limit := range digits {
		for _, level := range digits {
			ask(t, c, "/api/v4/public/orderbook/{market}", "market", "BTC_USDT", "limit", limit, "level", level)
			ask(t, c, "/api/v4/public/orderbook/depth/{market}", "market", "BTC_USDT", "limit", limit)
		}
	}
	ask(t, c, "/api/v1/public/depth/result", "market", "BTC_USDT", "limit", "5")
	if n := len(g.caches.books.texts); n > maxAggregation+2 {
		t.Errorf("%d forms of one book are kept", n)
	}
}

// A part of a deep book is the same as that part of the whole book.
func TestDeepBooksAreReadInParts(t *testing.T) {
	a := openAPI(t, new(group))
	c := &api.Call{API: a, Context: context.Background()}
	m, err := publicMarket(c, "BTC_USDT") // which waits until the whole book is there
	if err != nil {
		t.Fatal(err)
	}
	asks, bids := deep(levels(c, m.ID), func(asks, bids []marketdata.Level) (x, y []marketdata.Level, enough bool) { return asks, bids, false })
	if len(asks) != 150 || len(bids) != 150 {
		t.Errorf("%d asks and %d bids", len(asks), len(bids))
	}
	some, left := marketdata.Gather(slices.Values(asks), levelWidth(m, 2), fixed.Up, 3)
	if len(some) != 3 || !left {
		t.Errorf("%v, left %v", some, left)
	}
	all, left := marketdata.Gather(slices.Values(asks), levelWidth(m, 5), fixed.Up, 3)
	if len(all) != 1 && len(all) != 2 || left {
		t.Errorf("%v, left %v", all, left)
	}
}

// A part of a book without end costs a bounded number of levels, and is what stands in front.
func TestDeepBooksAreReadToABound(t *testing.T) {
	looked := 0
	read := func(limit int) (asks, bids []marketdata.Level) {
		for i := range limit {
			asks = append(asks, marketdata.Level{Price: fixed.FromInt(1_000_000 + int64(i)), Amount: fixed.FromInt(1)})
			bids = append(bids, marketdata.Level{Price: fixed.FromInt(999_999 - int64(i)), Amount: fixed.FromInt(1)})
		}
		looked += limit
		return asks, bids
	}
	asks, bids := deep(read, func(asks, bids []marketdata.Level) (a, b []marketdata.Level, enough bool) {
		return near(asks, bids, fixed.FromInt(1_000_000))
	})
	if len(asks) != marketdata.Deepest || len(bids) != marketdata.Deepest || asks[0].Price != fixed.FromInt(1_000_000) || bids[0].Price != fixed.FromInt(999_999) {
		t.Errorf("%d asks and %d bids", len(asks), len(bids))
	}
	if looked > 2*marketdata.Deepest {
		t.Errorf("%d levels were read for %d", looked, marketdata.Deepest)
	}
}

func BenchmarkOrderBookCached(b *testing.B) {
	for _, limit := range []string{"100", "10"} {
		b.Run(limit, func(b *testing.B) {
			c := &api.Call{API: openAPI(b, new(group)), Context: context.Background()}
			ask(b, c, "/api/v4/public/orderbook/{market}", "market", "BTC_USDT", "limit", limit)
			b.ReportAllocs()
			for b.Loop() {
				c.Body = c.Body[:0]
				if err := c.Do(); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(c.Body)))
		})
	}
}

func BenchmarkTickerCached(b *testing.B) {
	c := &api.Call{API: openAPI(b, new(group)), Context: context.Background()}
	ask(b, c, "/api/v4/public/ticker")
	b.ReportAllocs()
	for b.Loop() {
		c.Body = c.Body[:0]
		if err := c.Do(); err != nil {
			b.Fatal(err)
		}
	}
}
