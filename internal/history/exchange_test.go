package history

import (
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// exchange is a real node with a market, two traders and a clock of its own.
type exchange struct {
	*testing.T
	node       *node.Node
	dir        string
	now        schema.Time
	alice, bob schema.AccountID
}

const market schema.MarketID = 1

func open(t *testing.T) *exchange {
	t.Helper()
	x := &exchange{T: t, dir: t.TempDir(), now: 1_790_000_000 * schema.Second, alice: schema.FirstCustomer, bob: schema.FirstCustomer + 1}
	x.start()
	d := fixed.MustParse
	for _, ticker := range []string{"BTC", "USDT"} {
		x.do(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}})
	}
	x.do(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		MakerFee: d("0.1"), TakerFee: d("0.2"),
	}})
	for _, name := range []string{"alice", "bob"} {
		id := schema.AccountID(x.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}).ID)
		for asset := schema.AssetID(1); asset <= 2; asset++ {
			x.do(&schema.Deposit{Account: id, Asset: asset, Amount: d("100000")})
			x.do(&schema.Transfer{Account: id, Asset: asset, Amount: d("90000"), From: schema.Main, To: schema.Trade})
		}
	}
	return x
}

func (x *exchange) start() {
	x.Helper()
	var err error
	x.node, err = node.Open(x.Context(), node.Options{
		Journal: journal.Options{Dir: x.dir, SyncInterval: time.Minute}, // nobody cuts its power
		Clock:   func() schema.Time { return x.now },
	})
	if err != nil {
		x.Fatal(err)
	}
}

func (x *exchange) stop() {
	x.Helper()
	if err := x.node.Close(); err != nil {
		x.Fatal(err)
	}
}

// do lets a command happen, a second after the one before.
func (x *exchange) do(c schema.Command) schema.Result {
	x.Helper()
	x.now += schema.Second
	var r schema.Result
	if err := x.node.Submit(x.Context(), c, &r); err != nil {
		x.Fatalf("%T: %v", c, err)
	}
	if r.Rejection.Refused() {
		x.Fatalf("%T: %v", c, r.Rejection)
	}
	return r
}

// place places a limit order.
func (x *exchange) place(account schema.AccountID, side schema.Side, amount, price, client string) schema.Order {
	x.Helper()
	id, err := schema.ParseClientID(client)
	if err != nil {
		x.Fatal(err)
	}
	return x.do(&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: side, Amount: fixed.MustParse(amount), Price: fixed.MustParse(price), ClientID: id,
	}}).Order
}

func (x *exchange) cancel(o schema.Order) {
	x.Helper()
	x.do(&schema.CancelOrder{Account: o.Account, Order: schema.OrderRef{Market: o.Market, ID: o.ID}})
}

// page asks a history for a page of 100.
func (x *exchange) page(h *History, q Query) []Record {
	x.Helper()
	q.Limit = 100
	page, err := h.Page(x.Context(), &q)
	if err != nil {
		x.Fatal(err)
	}
	return page
}
