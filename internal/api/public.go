package api

import (
	"bourse/internal/schema"
)

var aboutPing = &About{
	Summary: "Whether the exchange answers",
	Answer:  tupleOf(oneWord("pong")),
}

func ping(*Call, *nothing) (Answer, error) { return Bytes(`["pong"]`), nil }

var aboutServerTime = &About{
	Summary: "The time of day of the exchange",
	Answer:  record("Time", "The time of day.", always("time", seconds, "Now.")),
}

func serverTime(c *Call, _ *nothing) (Answer, error) {
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"time":`...)
		dst = AppendInt(dst, int64(c.API.options.Now()/schema.Second))
		return append(dst, '}')
	}), nil
}

var aboutPlatformStatus = &About{
	Summary: "Whether trading goes on",
	Text:    "Answers also during maintenance, when everything else is refused with 503.",
	Answer: record("PlatformStatus", "The state of the whole exchange.",
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
	Summary: "The markets with margin trading",
	Answer:  enveloped(listOf(anyText)),
}

func collateralMarkets(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutFutures = &About{
	Summary: "The futures markets",
	Text:    "This exchange lists no futures: the list is empty.",
	Answer:  enveloped(tupleOf()),
}

func futures(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

var aboutMiningPool = &About{
	Summary: "The mining pool",
	Text:    "This exchange has no mining pool: everything is empty.",
	Answer: record("", "", always("data", record("MiningPool", "What the mining pool is and does.",
		always("connection_links", listOf(anyText), "Where miners connect."),
		always("location", anyText, "Where the pool is."),
		always("assets", listOf(anyText), "What is mined."),
		always("reward_schemes", listOf(anyText), "How rewards are shared."),
		always("workers", whole, "How many workers there are."),
		always("current_hash_rate", decimal, "Hashes per second."),
		always("last7days_hash_rate", listOf(record("", "",
			always("timestamp", seconds, "The day."),
			always("hashrate", decimal, "Hashes per second."))), "The days before."),
		always("blocks", listOf(record("", "",
			always("block_found_at", seconds, "When it was found."),
			always("block_height", whole, "Its place in the chain."))), "Blocks that were found."),
	), "The pool.")),
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
	Summary: "The past funding of a futures market",
	Text:    "This exchange lists no futures, so there is no market to ask for.",
	Fields:  map[string]string{"market": "The futures market."},
	Answer: listOf(record("Funding", "One settlement of funding.",
		always("fundingTime", anyText, "When it was settled, in seconds."),
		always("fundingRate", decimal, "The rate."),
		always("market", anyText, "The market."),
		always("settlementPrice", decimal, "The mark price then."),
		always("rateCalculatedTime", anyText, "When the rate was computed, in seconds."))),
	Faults: []*Error{noMarket(), fault(422, 0, invalid, "endDate", "endDate must be greater than to startDate")},
}

// fundingHistory has markets of futures only, of which there are none.
func fundingHistory(*Call, *fundingOf) (Answer, error) { return nil, noMarket() }

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) read(f *Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *Error { return fault(422, 0, invalid, "market", "Market is not available.") }
