package api

import (
	"time"
)

// Operations is every operation that there is.
func Operations() []Operation { return operations }

// operations is the table. Limits are those of the fact sheets; the limits of scopes are in
// Scopes.
var operations = append([]Operation{
	public("/api/v4/public/ping", Public, per10(2000), handler(ping)),
	public("/api/v4/public/time", Public, per10(2000), handler(serverTime)),
	open(public("/api/v4/public/platform/status", Public, Limit{}, handler(platformStatus))),
	public("/api/v4/public/markets", Public, per10(2000), handler(markets)),
	public("/api/v4/public/ticker", Public, per10(2000), handler(tickers)),
	public("/api/v4/public/assets", Public, per10(2000), handler(assets)),
	public("/api/v4/public/fee", Public, per10(2000), handler(walletFees)),
	public("/api/v4/public/orderbook/{market}", Flat, per10(600), handler(orderBook)),
	public("/api/v4/public/orderbook/depth/{market}", Flat, per10(2000), handler(depthAround)),
	public("/api/v4/public/trades/{market}", Flat, per10(2000), handler(recentTrades)),
	public("/api/v4/public/collateral/markets", Public, per10(2000), handler(collateralMarkets)),
	public("/api/v4/public/futures", Public, per10(2000), handler(futures)),
	public("/api/v4/public/funding-history/{market}", Funding, per10(2000), handler(fundingHistory)),
	public("/api/v4/public/mining-pool", Public, per10(1000), handler(miningPool)),

	public("/api/v1/public/markets", First, per10(1000), handler(firstMarkets)),
	public("/api/v1/public/tickers", First, per10(1000), handler(firstTickers)),
	public("/api/v1/public/ticker", First, per10(1000), handler(firstTicker)),
	public("/api/v1/public/kline", Kline, per10(1000), handler(candles)),
	public("/api/v1/public/symbols", First, per10(1000), handler(symbols)),
	public("/api/v1/public/depth/result", First, per10(1000), handler(firstDepth)),
	public("/api/v1/public/history", First, per10(1000), handler(firstTrades)),
}, privates...)

var privates = []Operation{
	order("new", handler(placeLimit), nil),
	order("bulk", handler(placeBulk), nil),
	order("market", handler(placeMarket), nil),
	order("stock_market", handler(placeStockMarket), nil),
	order("stop_limit", handler(placeStopLimit), nil),
	order("stop_market", handler(placeStopMarket), unprocessable),
	order("cancel", handler(cancel), nil),
	order("cancel/bulk", handler(cancelMany), nil),
	order("cancel/all", handler(cancelAll), nil),
	order("modify", handler(modify), nil),
	order("kill-switch", handler(setKillSwitch), nil),

	private("/api/v4/order/kill-switch/status", Trading, per10(10000), handler(listKillSwitches)),
	private("/api/v4/orders", Trading, per10(12000), handler(listOrders)),
	private("/api/v4/market/fee", TradeInfo, per10(10000), handler(marketFees)),
	private("/api/v4/market/fee/single", TradeInfo, per10(10000), handler(marketFee)),

	private("/api/v4/trade-account/balance", TradeInfo, per10(12000), handler(tradeBalance)),
	private("/api/v4/trade-account/executed-history", TradeInfo, per10(12000), handler(executedDeals)),
	private("/api/v4/trade-account/order", TradeInfo, per10(12000), handler(dealsOfOrder)),
	private("/api/v4/trade-account/order/history", TradeInfo, per10(12000), handler(finishedOrders)),
	private("/api/v4/trade-account/order/history/query", TradeInfo, per10(10000), handler(ended)),

	private("/api/v4/main-account/balance", Wallet, per10(1000), handler(mainBalance)),
	writing(private("/api/v4/main-account/transfer", Transfers, per10(1000), handler(move))),
	private("/api/v4/main-account/transfer/history", Transfers, per10(1000), handler(transfers)),

	bent(private("/api/v4/jwt", Tokens, per10(10000), handler(jwtToken)), credentials),
	private("/api/v4/profile/websocket_token", Tokens, Limit{10, time.Minute}, handler(socketToken)),
}

func public(path string, s Surface, l Limit, run func(*Call) error) Operation {
	return Operation{Method: "GET", Path: path, Surface: s, Limit: l, run: run}
}

func private(path string, g Group, l Limit, run func(*Call) error) Operation {
	return Operation{Method: "POST", Path: path, Surface: Private, Group: g, Limit: l, run: run}
}

// open marks an operation that answers also during maintenance of the platform.
func open(o Operation) Operation {
	o.Open = true
	return o
}

// writing marks an operation that sends a command.
func writing(o Operation) Operation {
	o.Writes = true
	return o
}

// bent lets an operation tell errors in its own way.
func bent(o Operation, refuse func(*Error) *Error) Operation {
	o.Refuse = refuse
	return o
}

// order is an operation on orders.
func order(name string, run func(*Call) error, refuse func(*Error) *Error) Operation {
	return writing(bent(private("/api/v4/order/"+name, Trading, per10(10000), run), refuse))
}

// Scope is a limit that all paths with a prefix share.
type Scope struct {
	Prefix string
	Limit  Limit
}

// Scopes are the limits of whole groups of paths.
var Scopes = []Scope{
	{"/api/v4/public/", per10(20000)},
	{"/api/v4/trade-account/", per10(12000)},
	{"/api/v4/main-account/", per10(1000)},
}
