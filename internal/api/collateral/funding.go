package collateral

import (
	"strconv"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// fundings asks for the funding of positions.
type fundings struct {
	market        string
	span          span
	limit, offset int
}

func (q *fundings) Read(f *api.Form) {
	name, s := f.Text("market")
	switch {
	case s == api.Missing || s == api.Good && name == "":
		f.Lack(422, 31, "market", "The Market field is required.")
	case s == api.Malformed:
		f.Fail(422, 31, "market", incorrectMarket)
	}
	q.market = name
	q.span = readSpan(f, "startDate", "endDate", api.ShouldBe)
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, api.ShouldBe)
	if q.span.to != 0 && q.span.from > q.span.to {
		f.Fail(422, 30, "startDate", "StartDate should not be greater than endDate.")
	}
}

const incorrectMarket = "Incorrect market"

// funding is what a position paid or got, and the settlement that it was for.
type funding struct {
	market string
	*schema.PositionChanged
	settled *schema.FundingSettled
}

// fundingPage is a part of the funding of an account.
type fundingPage struct {
	records       []funding
	limit, offset int
}

// second is a moment as a text of whole seconds.
func second(name, description string, get func(*funding) schema.Time) api.Field[funding] {
	return api.StringField(name, description, func(f *funding) string { return strconv.FormatInt(int64(get(f)/schema.Second), 10) })
}

var (
	fundingEncoder = api.Encode("PositionFunding", "Funding of a position.",
		api.StringField("market", "Market name.", func(f *funding) string { return f.market }),
		second("fundingTime", "Time of settlement, Unix time in seconds.", func(f *funding) schema.Time { return f.settled.At }),
		api.DecimalField("fundingRate", "Funding rate.", func(f *funding) fixed.Decimal { return f.settled.Rate }),
		api.DecimalField("fundingAmount", "What the position got, in USDT. Negative: paid.", func(f *funding) fixed.Decimal { return f.Funding }),
		api.DecimalField("positionAmount", "Size of the position. Negative: short.", func(f *funding) fixed.Decimal { return f.Amount }),
		api.DecimalField("settlementPrice", "Mark price at settlement.", func(f *funding) fixed.Decimal { return f.Price }),
		second("rateCalculatedTime", "Time at which the rate was computed, Unix time in seconds.", func(f *funding) schema.Time { return f.settled.Since }))
	fundingPageEncoder = api.Encode("PositionFundingPage", "A page of funding.",
		api.ArrayField("records", fundingEncoder, "Funding, newest first.", func(p *fundingPage) []funding { return p.records }),
		api.IntegerField("limit", "As requested.", func(p *fundingPage) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *fundingPage) int64 { return int64(p.offset) }))
)

var aboutFundings = &api.About{
	Summary: "List funding of positions",
	Text:    "Of one futures market, newest first. A settlement by which a position neither paid nor got anything has no record.",
	Parameters: map[string]string{
		"market":    "Futures market name.",
		"startDate": "Return funding that was settled at or after this Unix time in seconds.",
		"endDate":   "Return funding that was settled at or before this Unix time in seconds.",
	},
	Response: fundingPageEncoder.Schema(),
	Faults: []*api.Error{
		api.NewError(422, 31, api.ValidationFailed, "market", incorrectMarket),
		api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be greater than endDate."),
	},
}

func listFundings(c *api.Call, q *fundings) (api.Answer, error) {
	m := c.Directory().Market(q.market)
	if m == nil || !m.Future() {
		return nil, api.NewError(422, 31, api.ValidationFailed, "market", incorrectMarket)
	}
	records, err := c.Past(&history.Query{
		Kind: history.Fundings, Market: m.ID, From: q.span.from, To: q.span.to, Offset: q.offset, Limit: q.limit,
	})
	if err != nil {
		return nil, err
	}
	settled, err := settlements(c, records)
	if err != nil {
		return nil, err
	}
	page := &fundingPage{make([]funding, 0, len(records)), q.limit, q.offset}
	for i := range records {
		r := &records[i]
		if s := settled[r.Time]; s != nil { // it is missing while what is old is being removed
			page.records = append(page.records, funding{m.Name, r.Payload.(*schema.PositionChanged), s})
		}
	}
	return fundingPageEncoder.Answer(page), nil
}

// settlements are those that funding of one market was for, newest first, by their moments. An account that had
// positions all the time finds all of them in one page; one that had them now and then needs a page for each pause.
func settlements(c *api.Call, records []history.Record) (map[schema.Time]*schema.FundingSettled, error) {
	found := make(map[schema.Time]*schema.FundingSettled, len(records))
	looked := schema.Time(0) // the oldest moment that is known, 0: none is
	for i := range records {
		if looked != 0 && records[i].Time >= looked {
			continue
		}
		page, err := c.Settlements(&history.Query{
			Market: records[i].Market, From: records[len(records)-1].Time, To: records[i].Time, Limit: len(records) - i,
		})
		if err != nil {
			return nil, err
		}
		looked = records[i].Time
		for j := range page {
			found[page[j].Time] = page[j].Payload.(*schema.FundingSettled)
			looked = page[j].Time
		}
	}
	return found, nil
}
