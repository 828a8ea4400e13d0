package market

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

var aboutPing = &api.About{
	Summary:  "Test connectivity",
	Response: api.TupleOf(api.Enum("pong")),
}

func ping(*api.Call, *api.Nothing) (api.Answer, error) { return api.Bytes(`["pong"]`), nil }

var aboutServerTime = &api.About{
	Summary:  "Get the server time",
	Response: api.Object("Time", "Server time.", api.Required("time", api.Seconds, "Server time.")),
}

func serverTime(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"time":`...)
		dst = api.AppendInt(dst, int64(c.API.Now()/schema.Second))
		return append(dst, '}')
	}), nil
}

var aboutPlatformStatus = &api.About{
	Summary: "Get the platform status",
	Text:    "Available during maintenance, when all other requests are refused with 503.",
	Response: api.Object("PlatformStatus", "Status of the platform.",
		api.Required("status", api.Enum("system operational", "system maintenance"), "During maintenance every other request is refused.")),
}

func platformStatus(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	if c.Directory().Closed() {
		return api.Bytes(`{"status":"system maintenance"}`), nil
	}
	return api.Bytes(`{"status":"system operational"}`), nil
}

// What belongs to products that this exchange does not have is truthfully empty.

var aboutCollateralMarkets = &api.About{
	Summary:  "List margin markets",
	Response: enveloped(api.ArrayOf(api.String)),
}

func collateralMarkets(*api.Call, *api.Nothing) (api.Answer, error) {
	return api.Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutFutures = &api.About{
	Summary:  "List futures markets",
	Text:     "This exchange lists no futures; the list is empty.",
	Response: enveloped(api.TupleOf()),
}

func futures(*api.Call, *api.Nothing) (api.Answer, error) {
	return api.Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutMiningPool = &api.About{
	Summary: "Get the mining pool overview",
	Text:    "This exchange has no mining pool; all fields are empty.",
	Response: api.Object("", "", api.Required("data", api.Object("MiningPool", "Mining pool overview.",
		api.Required("connection_links", api.ArrayOf(api.String), "Addresses that miners connect to."),
		api.Required("location", api.String, "Location of the pool."),
		api.Required("assets", api.ArrayOf(api.String), "Mined assets."),
		api.Required("reward_schemes", api.ArrayOf(api.String), "Reward schemes."),
		api.Required("workers", api.Integer, "Number of workers."),
		api.Required("current_hash_rate", api.Decimal, "Hash rate in hashes per second."),
		api.Required("last7days_hash_rate", api.ArrayOf(api.Object("", "",
			api.Required("timestamp", api.Seconds, "Date."),
			api.Required("hashrate", api.Decimal, "Hash rate in hashes per second."))), "Previous days."),
		api.Required("blocks", api.ArrayOf(api.Object("", "",
			api.Required("block_found_at", api.Seconds, "Time at which the block was found."),
			api.Required("block_height", api.Integer, "Block height."))), "Blocks that were found."),
	), "Mining pool.")),
}

func miningPool(*api.Call, *api.Nothing) (api.Answer, error) {
	return api.Bytes(`{"data":{"connection_links":[],"location":"","assets":[],"reward_schemes":[],"workers":0,` +
		`"current_hash_rate":"0","last7days_hash_rate":[],"blocks":[]}}`), nil
}

// fundingOf asks for the funding of a futures market.
type fundingOf struct{ marketPath }

func (q *fundingOf) Read(f *api.Form) {
	q.marketPath.Read(f)
	start, end := f.Second("startDate", bare), f.Second("endDate", bare)
	f.Bounded("limit", 100, 1, 100, bare)
	f.Bounded("offset", 0, 0, 1_000_000, bare)
	if f.Err() == nil && f.Has("startDate") && f.Has("endDate") && end <= start {
		f.Fail(422, 0, "endDate", "endDate must be greater than to startDate")
	}
}

// bare is the wording of funding-history.
var bare = api.Paging{
	Status: 422, Integer: "%f must be an integer", AtLeast: "%f must be greater than or equal to %n", NotAbove: "%f must be less than or equal to %n",
}

var aboutFundingHistory = &api.About{
	Summary:    "Get the funding history of a futures market",
	Text:       "This exchange lists no futures, so there is no market to request.",
	Parameters: map[string]string{"market": "Futures market name."},
	Response: api.ArrayOf(api.Object("Funding", "A funding settlement.",
		api.Required("fundingTime", api.String, "Time of settlement, Unix time in seconds."),
		api.Required("fundingRate", api.Decimal, "Funding rate."),
		api.Required("market", api.String, "Market name."),
		api.Required("settlementPrice", api.Decimal, "Mark price at settlement."),
		api.Required("rateCalculatedTime", api.String, "Time at which the rate was computed, Unix time in seconds."))),
	Faults: []*api.Error{noMarket(), api.NewError(422, 0, api.ValidationFailed, "endDate", "endDate must be greater than to startDate")},
}

// fundingHistory has markets of futures only, of which there are none.
func fundingHistory(*api.Call, *fundingOf) (api.Answer, error) { return nil, noMarket() }

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) Read(f *api.Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *api.Error {
	return api.NewError(422, 0, api.ValidationFailed, "market", "Market is not available.")
}
