package api

import (
	"bourse/internal/schema"
)

var aboutPing = &About{
	Summary: "Test connectivity",
	Answer:  tupleOf(oneWord("pong")),
}

func ping(*Call, *nothing) (Answer, error) { return Bytes(`["pong"]`), nil }

var aboutServerTime = &About{
	Summary: "Get the server time",
	Answer:  record("Time", "Server time.", always("time", seconds, "Server time.")),
}

func serverTime(c *Call, _ *nothing) (Answer, error) {
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"time":`...)
		dst = AppendInt(dst, int64(c.API.options.Now()/schema.Second))
		return append(dst, '}')
	}), nil
}

var aboutPlatformStatus = &About{
	Summary: "Get the platform status",
	Text:    "Available during maintenance, when all other requests are refused with 503.",
	Answer: record("PlatformStatus", "Status of the platform.",
		always("status", oneWord("system operational", "system maintenance"), "During maintenance every other request is refused.")),
}

func platformStatus(c *Call, _ *nothing) (Answer, error) {
	if c.API.directory.Closed() {
		return Bytes(`{"status":"system maintenance"}`), nil
	}
	return Bytes(`{"status":"system operational"}`), nil
}

// What belongs to products that this exchange does not have is truthfully empty.

var aboutCollateralMarkets = &About{
	Summary: "List margin markets",
	Answer:  enveloped(listOf(anyText)),
}

func collateralMarkets(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutFutures = &About{
	Summary: "List futures markets",
	Text:    "This exchange lists no futures; the list is empty.",
	Answer:  enveloped(tupleOf()),
}

func futures(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutMiningPool = &About{
	Summary: "Get the mining pool overview",
	Text:    "This exchange has no mining pool; all fields are empty.",
	Answer: record("", "", always("data", record("MiningPool", "Mining pool overview.",
		always("connection_links", listOf(anyText), "Addresses that miners connect to."),
		always("location", anyText, "Location of the pool."),
		always("assets", listOf(anyText), "Mined assets."),
		always("reward_schemes", listOf(anyText), "Reward schemes."),
		always("workers", whole, "Number of workers."),
		always("current_hash_rate", decimal, "Hash rate in hashes per second."),
		always("last7days_hash_rate", listOf(record("", "",
			always("timestamp", seconds, "Date."),
			always("hashrate", decimal, "Hash rate in hashes per second."))), "Previous days."),
		always("blocks", listOf(record("", "",
			always("block_found_at", seconds, "Time at which the block was found."),
			always("block_height", whole, "Block height."))), "Blocks that were found."),
	), "Mining pool.")),
}

func miningPool(*Call, *nothing) (Answer, error) {
	return Bytes(`{"data":{"connection_links":[],"location":"","assets":[],"reward_schemes":[],"workers":0,` +
		`"current_hash_rate":"0","last7days_hash_rate":[],"blocks":[]}}`), nil
}

// fundingOf asks for the funding of a futures market.
type fundingOf struct{ marketPath }

func (q *fundingOf) read(f *Form) {
	q.marketPath.read(f)
	start, end := f.second("startDate", bare), f.second("endDate", bare)
	f.bounded("limit", 100, 1, 100, bare)
	f.bounded("offset", 0, 0, 1_000_000, bare)
	if len(f.problems) == 0 && f.has("startDate") && f.has("endDate") && end <= start {
		f.fail(422, 0, "endDate", "endDate must be greater than to startDate")
	}
}

// bare is the wording of funding-history.
var bare = paging{422, 0, "%f must be an integer", "%f must be greater than or equal to %n", "%f must be less than or equal to %n"}

var aboutFundingHistory = &About{
	Summary: "Get the funding history of a futures market",
	Text:    "This exchange lists no futures, so there is no market to request.",
	Fields:  map[string]string{"market": "Futures market name."},
	Answer: listOf(record("Funding", "A funding settlement.",
		always("fundingTime", anyText, "Time of settlement, Unix time in seconds."),
		always("fundingRate", decimal, "Funding rate."),
		always("market", anyText, "Market name."),
		always("settlementPrice", decimal, "Mark price at settlement."),
		always("rateCalculatedTime", anyText, "Time at which the rate was computed, Unix time in seconds."))),
	Faults: []*Error{noMarket(), fault(422, 0, invalid, "endDate", "endDate must be greater than to startDate")},
}

// fundingHistory has markets of futures only, of which there are none.
func fundingHistory(*Call, *fundingOf) (Answer, error) { return nil, noMarket() }

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) read(f *Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *Error { return fault(422, 0, invalid, "market", "Market is not available.") }
