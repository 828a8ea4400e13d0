// Package market is the public data of the API, of version 4 and of version 1: markets, assets, books,
// trades, candles, statistics.
package market

import "bourse/internal/api"

// group is the state of the public data: answers that many ask for.
type group struct {
	caches caches
}

// Operations are the rows of the group, with caches of their own.
func Operations() []api.Operation { return new(group).operations() }

// operations are the rows. Limits are those of errors-and-limits 4.
func (g *group) operations() []api.Operation {
	return []api.Operation{
		api.Get("/api/v4/public/ping", api.Public, api.Per10s(2000), api.Reader(ping, aboutPing)),
		api.Get("/api/v4/public/time", api.Public, api.Per10s(2000), api.Reader(serverTime, aboutServerTime)),
		api.Get("/api/v4/public/platform/status", api.Public, api.Limit{}, api.Reader(platformStatus, aboutPlatformStatus)).DuringMaintenance(),
		api.Get("/api/v4/public/markets", api.Public, api.Per10s(2000), api.Reader(g.markets, aboutMarkets)),
		api.Get("/api/v4/public/ticker", api.Public, api.Per10s(2000), api.Reader(g.tickers, aboutTickers)),
		api.Get("/api/v4/public/assets", api.Public, api.Per10s(2000), api.Reader(g.assets, aboutAssets)),
		api.Get("/api/v4/public/fee", api.Public, api.Per10s(2000), api.Reader(g.walletFees, aboutWalletFees)),
		api.Get("/api/v4/public/orderbook/{market}", api.PublicWithFields, api.Per10s(600), api.Reader(g.orderBook, aboutOrderBook)),
		api.Get("/api/v4/public/orderbook/depth/{market}", api.PublicWithFields, api.Per10s(2000), api.Reader(g.depthAround, aboutDepthAround)),
		api.Get("/api/v4/public/trades/{market}", api.PublicWithFields, api.Per10s(2000), api.Reader(recentTrades, aboutRecentTrades)),
		api.Get("/api/v4/public/collateral/markets", api.Public, api.Per10s(2000), api.Reader(g.collateralMarkets, aboutCollateralMarkets)),
		api.Get("/api/v4/public/futures", api.Public, api.Per10s(2000), api.Reader(g.futures, aboutFutures)),
		api.Get("/api/v4/public/funding-history/{market}", api.Funding, api.Per10s(2000), api.Reader(fundingHistory, aboutFundingHistory)),

		api.Get("/api/v1/public/markets", api.V1, api.Per10s(1000), api.Reader(g.firstMarkets, aboutFirstMarkets)),
		api.Get("/api/v1/public/tickers", api.V1, api.Per10s(1000), api.Reader(g.firstTickers, aboutFirstTickers)),
		api.Get("/api/v1/public/ticker", api.V1, api.Per10s(1000), api.Reader(firstTicker, aboutFirstTicker)),
		api.Get("/api/v1/public/kline", api.Kline, api.Per10s(1000), api.Reader(candles, aboutCandles)),
		api.Get("/api/v1/public/symbols", api.V1, api.Per10s(1000), api.Reader(g.symbols, aboutSymbols)),
		api.Get("/api/v1/public/depth/result", api.V1, api.Per10s(1000), api.Reader(g.firstDepth, aboutFirstDepth)),
		api.Get("/api/v1/public/history", api.V1, api.Per10s(1000), api.Reader(firstTrades, aboutFirstTrades)),
	}
}
