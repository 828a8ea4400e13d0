package api

import (
	"bourse/internal/schema"
)

func ping(*Call, *nothing) (Answer, error) { return Bytes(`["pong"]`), nil }

func serverTime(c *Call, _ *nothing) (Answer, error) {
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"time":`...)
		dst = appendInt(dst, int64(c.API.options.Now()/schema.Second))
		return append(dst, '}')
	}), nil
}

func platformStatus(c *Call, _ *nothing) (Answer, error) {
	if c.API.directory.Closed() {
		return Bytes(`{"status":"system maintenance"}`), nil
	}
	return Bytes(`{"status":"system operational"}`), nil
}

// What belongs to products that this exchange does not have is truthfully empty.

func collateralMarkets(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

func futures(*Call, *nothing) (Answer, error) {
	return Bytes(`{"success":true,"message":null,"result":[]}`), nil
}

func miningPool(*Call, *nothing) (Answer, error) {
	return Bytes(`{"data":{"connection_links":[],"location":"","assets":[],"reward_schemes":[],"workers":0,` +
		`"current_hash_rate":"0","last7days_hash_rate":[],"blocks":[]}}`), nil
}

// fundingOf asks for the funding of a futures market.
type fundingOf struct{ marketPath }

func (q *fundingOf) read(f *Form) {
	q.marketPath.read(f)
	start := f.bounded("startDate", 0, 0, maxSeconds, bare)
	end := f.bounded("endDate", 0, 0, maxSeconds, bare)
	f.bounded("limit", 100, 1, 100, bare)
	f.bounded("offset", 0, 0, 1_000_000, bare)
	if len(f.problems) == 0 && f.has("startDate") && f.has("endDate") && end <= start {
		f.fail(422, 0, "endDate", "endDate must be greater than to startDate")
	}
}

// bare is the wording of funding-history.
var bare = paging{422, 0, "%f must be an integer", "%f must be greater than or equal to %n", "%f must be less than or equal to %n"}

// fundingHistory has markets of futures only, of which there are none.
func fundingHistory(*Call, *fundingOf) (Answer, error) { return nil, noMarket() }

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) read(f *Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *Error { return fault(422, 0, invalid, "market", "Market is not available.") }
