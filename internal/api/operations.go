package api

import (
	"time"
)

// Operations is every operation that there is.
func Operations() []Operation { return operations }

// operations is the table. Limits are those of errors-and-limits 4; the limits of scopes are in
// Scopes.
var operations = append([]Operation{
	public("/api/v4/public/ping", Public, per10(2000), handler(ping, aboutPing)),
	public("/api/v4/public/time", Public, per10(2000), handler(serverTime, aboutServerTime)),
	open(public("/api/v4/public/platform/status", Public, Limit{}, handler(platformStatus, aboutPlatformStatus))),
	public("/api/v4/public/markets", Public, per10(2000), handler(markets, aboutMarkets)),
	public("/api/v4/public/ticker", Public, per10(2000), handler(tickers, aboutTickers)),
	public("/api/v4/public/assets", Public, per10(2000), handler(assets, aboutAssets)),
	public("/api/v4/public/fee", Public, per10(2000), handler(walletFees, aboutWalletFees)),
	public("/api/v4/public/orderbook/{market}", PublicWithFields, per10(600), handler(orderBook, aboutOrderBook)),
	public("/api/v4/public/orderbook/depth/{market}", PublicWithFields, per10(2000), handler(depthAround, aboutDepthAround)),
	public("/api/v4/public/trades/{market}", PublicWithFields, per10(2000), handler(recentTrades, aboutRecentTrades)),
	public("/api/v4/public/collateral/markets", Public, per10(2000), handler(collateralMarkets, aboutCollateralMarkets)),
	public("/api/v4/public/futures", Public, per10(2000), handler(futures, aboutFutures)),
	public("/api/v4/public/funding-history/{market}", Funding, per10(2000), handler(fundingHistory, aboutFundingHistory)),
	public("/api/v4/public/mining-pool", Public, per10(1000), handler(miningPool, aboutMiningPool)),

	public("/api/v1/public/markets", V1, per10(1000), handler(firstMarkets, aboutFirstMarkets)),
	public("/api/v1/public/tickers", V1, per10(1000), handler(firstTickers, aboutFirstTickers)),
	public("/api/v1/public/ticker", V1, per10(1000), handler(firstTicker, aboutFirstTicker)),
	public("/api/v1/public/kline", Kline, per10(1000), handler(candles, aboutCandles)),
	public("/api/v1/public/symbols", V1, per10(1000), handler(symbols, aboutSymbols)),
	public("/api/v1/public/depth/result", V1, per10(1000), handler(firstDepth, aboutFirstDepth)),
	public("/api/v1/public/history", V1, per10(1000), handler(firstTrades, aboutFirstTrades)),
}, privates...)

var privates = []Operation{
	order("new", handler(placeLimit, aboutPlaceLimit), nil),
	order("bulk", handler(placeBulk, aboutPlaceBulk), nil),
	order("market", handler(placeMarket, aboutPlaceMarket), nil),
	order("stock_market", handler(placeStockMarket, aboutPlaceStockMarket), nil),
	order("stop_limit", handler(placeStopLimit, aboutPlaceStopLimit), nil),
	order("stop_market", handler(placeStopMarket, aboutPlaceStopMarket), unprocessable),
	order("cancel", handler(cancel, aboutCancel), nil),
	order("cancel/bulk", handler(cancelMany, aboutCancelMany), nil),
	order("cancel/all", handler(cancelAll, aboutCancelAll), nil),
	order("modify", handler(modify, aboutModify), nil),
	order("kill-switch", handler(setKillSwitch, aboutSetKillSwitch), nil),

	private("/api/v4/order/kill-switch/status", Trading, per10(10000), handler(listKillSwitches, aboutListKillSwitches)),
	private("/api/v4/orders", Trading, per10(12000), handler(listOrders, aboutListOrders)),
	private("/api/v4/market/fee", TradeInfo, per10(10000), handler(marketFees, aboutMarketFees)),
	private("/api/v4/market/fee/single", TradeInfo, per10(10000), handler(marketFee, aboutMarketFee)),

	private("/api/v4/trade-account/balance", TradeInfo, per10(12000), handler(tradeBalance, aboutTradeBalance)),
	private("/api/v4/trade-account/executed-history", TradeInfo, per10(12000), handler(executedDeals, aboutExecutedDeals)),
	private("/api/v4/trade-account/order", TradeInfo, per10(12000), handler(dealsOfOrder, aboutDealsOfOrder)),
	private("/api/v4/trade-account/order/history", TradeInfo, per10(12000), handler(finishedOrders, aboutFinishedOrders)),
	private("/api/v4/trade-account/order/history/query", TradeInfo, per10(10000), handler(ended, aboutEnded)),

	private("/api/v4/main-account/balance", Wallet, per10(1000), handler(mainBalance, aboutMainBalance)),
	writing(private("/api/v4/main-account/transfer", Transfers, per10(1000), handler(move, aboutMove))),
	private("/api/v4/main-account/transfer/history", Transfers, per10(1000), handler(transfers, aboutTransfers)),

	writing(withErrorMapping(private("/api/v4/jwt", Tokens, per10(10000), handler(jwtToken, aboutJwtToken)), credentials)),
	writing(private("/api/v4/profile/websocket_token", Tokens, Limit{10, time.Minute}, handler(socketToken, aboutSocketToken))),
}

func public(path string, s ErrorFormat, l Limit, h handling) Operation {
	return Operation{Method: "GET", Path: path, ErrorFormat: s, Limit: l, handling: h}
}

func private(path string, g Group, l Limit, h handling) Operation {
	return Operation{Method: "POST", Path: path, ErrorFormat: Private, Group: g, Limit: l, handling: h}
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

// withErrorMapping lets an operation word errors in its own way.
func withErrorMapping(o Operation, refuse func(*Error) *Error) Operation {
	o.Refuse = refuse
	return o
}

// order is an operation on orders.
func order(name string, h handling, refuse func(*Error) *Error) Operation {
	return writing(withErrorMapping(private("/api/v4/order/"+name, Trading, per10(10000), h), refuse))
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
