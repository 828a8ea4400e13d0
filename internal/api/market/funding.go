package market

import (
	"strconv"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// fundingOf asks for the funding of a futures market.
type fundingOf struct {
	marketPath
	start, end    schema.Time
	limit, offset int
}

func (q *fundingOf) Read(f *api.Form) {
	q.marketPath.Read(f)
	q.start, q.end = f.Second("startDate", bare), f.Second("endDate", bare)
	q.limit, q.offset = f.Page(100, 100, 1_000_000, bare)
	if f.Err() == nil && f.Has("startDate") && f.Has("endDate") && q.end <= q.start {
		f.Fail(422, 0, "endDate", endNotAfterStart)
	}
	if q.end != 0 {
		q.end += schema.Second - 1 // the whole of the last second
	}
}

// endNotAfterStart is how clients know it, mistake and all.
const endNotAfterStart = "endDate must be greater than to startDate"

// bare is the wording of funding-history.
var bare = api.Paging{
	Status: 422, Integer: "%f must be an integer", AtLeast: "%f must be greater than or equal to %n", NotAbove: "%f must be less than or equal to %n",
}

// settlement is one of funding, with the name of its market.
type settlement struct {
	market string
	*schema.FundingSettled
}

// second is a moment as a text of whole seconds.
func second(name, description string, get func(*settlement) schema.Time) api.Field[settlement] {
	return api.StringField(name, description, func(s *settlement) string { return strconv.FormatInt(int64(get(s)/schema.Second), 10) })
}

var settlementEncoder = api.Encode("Funding", "A funding settlement.",
	second("fundingTime", "Time of settlement, Unix time in seconds.", func(s *settlement) schema.Time { return s.At }),
	api.DecimalField("fundingRate", "Funding rate.", func(s *settlement) fixed.Decimal { return s.Rate }),
	api.StringField("market", "Market name.", func(s *settlement) string { return s.market }),
	api.DecimalField("settlementPrice", "Mark price at settlement.", func(s *settlement) fixed.Decimal { return s.Mark }),
	second("rateCalculatedTime", "Time at which the rate was computed, Unix time in seconds.", func(s *settlement) schema.Time { return s.Since }))

var aboutFundingHistory = &api.About{
	Summary: "Get the funding history of a futures market",
	Text:    "Newest first.",
	Parameters: map[string]string{
		"market":    "Futures market name.",
		"startDate": "Return settlements at or after this Unix time in seconds.",
		"endDate":   "Return settlements at or before this Unix time in seconds.",
	},
	Response: api.ArrayOf(settlementEncoder.Schema()),
	Faults:   []*api.Error{noMarket(), api.NewError(422, 0, api.ValidationFailed, "endDate", endNotAfterStart)},
}

func fundingHistory(c *api.Call, q *fundingOf) (api.Answer, error) {
	m, err := publicMarket(c, q.market)
	if err != nil {
		return nil, err
	}
	if !m.Future() {
		return nil, noMarket()
	}
	records, err := c.Settlements(&history.Query{Market: m.ID, From: q.start, To: q.end, Offset: q.offset, Limit: q.limit})
	if err != nil {
		return nil, err
	}
	list := make([]settlement, len(records))
	for i := range records {
		list[i] = settlement{m.Name, records[i].Payload.(*schema.FundingSettled)}
	}
	return settlementEncoder.Array(list), nil
}
