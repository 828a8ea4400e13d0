package trading_test

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const trader = schema.FirstCustomer

// venue is an exchange with a number of markets and a trader who has money for them.
func venue(t testing.TB, markets int) *core.Machine {
	t.Helper()
	m := core.NewExchange()
	asset := func(ticker string) schema.Command {
		return &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}}
	}
	commands := []schema.Command{asset("USDT"), &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}}
	for i := range markets {
		commands = append(commands, asset(fmt.Sprintf("A%d", i)), &schema.SetMarket{Market: schema.MarketInfo{
			Name: fmt.Sprintf("A%d_USDT", i), Base: schema.AssetID(2 + i), Quote: 1, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		}})
	}
	money := fixed.FromInt(1_000_000)
	commands = append(commands, &schema.Deposit{Account: trader, Asset: 1, Amount: money},
		&schema.Transfer{Account: trader, Asset: 1, Amount: money, From: schema.Main, To: schema.Trade})
	for _, c := range commands {
		send(t, m, c)
	}
	return m
}

func send(t testing.TB, m *core.Machine, c schema.Command) schema.Result {
	t.Helper()
	out := m.Apply(1, c)
	if out.Result.Rejection.Refused() {
		t.Fatalf("%T: %s", c, out.Result.Rejection.Text())
	}
	return out.Result
}

func place(t testing.TB, m *core.Machine, market schema.MarketID) schema.OrderID {
	t.Helper()
	return send(t, m, &schema.PlaceOrder{Account: trader, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(1), Price: fixed.FromInt(1),
	}}).Order.ID
}

func TestNewestIsAPageOfAllOpenOrders(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		markets := rapid.IntRange(1, 9).Draw(r, "markets")
		m := venue(t, markets)
		for range rapid.IntRange(0, 40).Draw(r, "orders") {
			market := schema.MarketID(rapid.IntRange(1, markets).Draw(r, "market"))
			id := place(t, m, market)
			if rapid.IntRange(0, 3).Draw(r, "canceled") == 0 {
				send(t, m, &schema.CancelOrder{Account: trader, Order: schema.OrderRef{Market: market, ID: id}})
			}
		}
		market := schema.MarketID(rapid.IntRange(0, markets).Draw(r, "asked"))
		var want []schema.Order
		for id := schema.MarketID(1); int(id) <= markets; id++ {
			if market == 0 || market == id {
				want = append(want, m.Trading().Open(trader, id)...)
			}
		}
		slices.SortFunc(want, func(a, b schema.Order) int { return cmp.Compare(b.ID, a.ID) })
		offset, limit := rapid.IntRange(0, 45).Draw(r, "offset"), rapid.IntRange(0, 45).Draw(r, "limit")
		want = want[min(offset, len(want)):]
		want = want[:min(limit, len(want))]
		if got := m.Trading().Newest(trader, market, offset, limit); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			r.Fatalf("%d orders of market %d from %d on: %v, want %v", limit, market, offset, got, want)
		}
	})
}

func TestFarPagesOfManyMarketsCostTheLogarithmOfTheMarkets(t *testing.T) {
	const markets, orders = 200, 4000
	m := venue(t, markets)
	for i := range orders {
		place(t, m, schema.MarketID(1+i%markets))
	}
	engine := m.Trading().(*trading.Engine)
	first, all := engine.Compared(trader, 0), engine.Compared(trader, orders)
	// A heap is made with two comparisons for each of its places, and mended with two for each of its floors.
	if most := 2 * markets; first > most {
		t.Errorf("the newest order took %d comparisons, want at most %d", first, most)
	}
	if most := 2*markets + orders*2*bits.Len(markets); all > most {
		t.Errorf("%d orders took %d comparisons, want at most %d", orders, all, most)
	}
}
