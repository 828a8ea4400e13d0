package collateral

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// ofPast is the wording of the histories of positions and loans, with their status.
var ofPast = api.ShouldBe.With(400, 30)

// span is a stretch of time in whole seconds, 0 where it has no end.
type span struct{ from, to schema.Time }

// readSpan reads the first and the last second of a stretch of time.
func readSpan(f *api.Form, first, last string, p api.Paging) span {
	s := span{f.Second(first, p), f.Second(last, p)}
	if s.to != 0 {
		s.to += schema.Second - 1 // the whole of the last second
	}
	return s
}

// check refuses what ends before it begins, or later than a clock that is a second ahead.
func (s span) check(now schema.Time) error {
	switch {
	case s.to > now+2*schema.Second-1:
		return endsLater
	case s.to != 0 && s.from > s.to:
		return endsBefore
	}
	return nil
}

var (
	endsLater  = api.NewError(400, 30, api.ValidationFailed, "endDate", "EndDate should not be in the future.")
	endsBefore = api.NewError(400, 30, api.ValidationFailed, "startDate", "StartDate should not be greater than endDate.")
)

// pastPositions asks for what happened to positions.
type pastPositions struct {
	market        string
	id            schema.PositionID
	hasID         bool
	span          span
	limit, offset int
}

func (q *pastPositions) Read(f *api.Form) {
	q.market = f.MarketFilter()
	n, s := f.Int("positionId")
	if s == api.Malformed || s == api.Good && n < 0 {
		f.Fail(400, 30, "positionId", "The PositionId must be an integer.")
	}
	q.id, q.hasID = schema.PositionID(max(n, 0)), s == api.Good
	q.span = readSpan(f, "startDate", "endDate", ofPast)
	q.limit, q.offset = f.Page(50, 100, api.MaxOffset, ofPast)
}

// pastChange is something that happened to a position, with the directory that names its market.
type pastChange struct {
	*schema.PositionChanged
	directory *directory.Directory
}

// funded reports whether it was funding that changed the position, and not a deal.
func (p *pastChange) funded() bool { return p.Cause == schema.ByFunding }

// traded is an amount of a deal, nothing where there was none.
func (p *pastChange) traded(d fixed.Decimal) fixed.Decimal {
	if p.funded() {
		return fixed.Zero
	}
	return d
}

// entry is the average price of what is open; when nothing is, of all that ever was. It is cut off at the decimals of a
// price.
func (p *pastChange) entry() fixed.Decimal {
	if p.Position.Amount.IsZero() {
		return averageEntry(p.directory, &p.Position)
	}
	cost, _, _ := p.Position.Priced()
	price, _ := fixed.Div(cost, p.Position.Amount, int(p.directory.MarketByID(p.Position.Market).MoneyPrec), fixed.Down)
	return price
}

// averageEntry is the average price of all that was ever opened of a position.
func averageEntry(d *directory.Directory, p *schema.Position) fixed.Decimal {
	_, paid, _ := p.Priced()
	return average(d, p, paid)
}

// average is the price at which all of a position is worth some money, cut off at the decimals of a price.
func average(d *directory.Directory, p *schema.Position, money fixed.Decimal) fixed.Decimal {
	price, _ := fixed.Div(money, p.Entered, int(d.MarketByID(p.Market).MoneyPrec), fixed.Down)
	return price
}

var orderDetailEncoder = api.Encode("PositionOrder", "What changed a position.",
	api.IntegerField("id", "Order id, 0 where there was no order.", func(p *pastChange) int64 { return int64(p.Order) }),
	api.DecimalField("tradeAmount", "Traded amount in the base asset, 0 for funding.", func(p *pastChange) fixed.Decimal { return p.traded(p.Amount.Abs()) }),
	api.DecimalField("price", "Price of the trade, for funding the mark.", func(p *pastChange) fixed.Decimal { return p.Price }),
	api.DecimalField("tradeFee", "Fee of the trade. Negative: rebate.", func(p *pastChange) fixed.Decimal { return p.traded(p.Fee) }),
	api.OptionalField("fundingFee", "Funding that was paid; negative: received. null for trades.", func(p *pastChange) schema.Optional {
		if !p.funded() {
			return schema.Optional{}
		}
		return schema.Some(p.Funding.Neg())
	}),
	api.OptionalField("realizedPnl", "Realized PnL before fees; on futures in USDT. null for funding.", func(p *pastChange) schema.Optional {
		if p.funded() {
			return schema.Optional{}
		}
		return schema.Some(p.Realized)
	}))

var pastChangeEncoder = api.Encode("PositionChange", "A position after something happened to it.",
	api.IntegerField("positionId", "Position id.", func(p *pastChange) int64 { return int64(p.Position.ID) }),
	api.StringField("market", "Market name.", func(p *pastChange) string { return p.directory.MarketName(p.Position.Market) }),
	api.TimestampField("openDate", "Time at which the position was opened.", func(p *pastChange) schema.Time { return p.Position.Opened }),
	api.TimestampField("modifyDate", "Time of the change.", func(p *pastChange) schema.Time { return p.Position.Updated }),
	api.DecimalField("amount", "Size after the change in the base asset. Negative: short.", func(p *pastChange) fixed.Decimal { return p.Position.Amount }),
	api.DecimalField("basePrice", "Average entry price; of a position that is closed, over its life.", (*pastChange).entry),
	api.DecimalField("realizedFunding", "Funding that was paid since the position was opened. Negative: received.", func(p *pastChange) fixed.Decimal { return p.Position.Funding }),
	api.ConstantField[pastChange]("liquidationPrice", api.Nullable(api.Decimal), "Always null.", "null"),
	api.ConstantField[pastChange]("liquidationState", api.Nullable(api.String), "Always null.", "null"),
	api.ObjectField("orderDetail", orderDetailEncoder, "What changed it.", func(p *pastChange) *pastChange { return p }),
	api.EnumField("side", ticket.SideWords, "BOTH in one-way mode.", func(p *pastChange) string { return p.Position.Side.String() }),
	api.BooleanField("isHedge", "Whether the position is one of hedge mode.", func(p *pastChange) bool { return p.Position.Side != schema.BothSides }))

var aboutPastPositions = &api.About{
	Summary: "List changes of positions",
	Text:    "One record for each fill, funding and liquidation of a position, newest first.",
	Parameters: map[string]string{
		"market":     "Return only positions of this market.",
		"positionId": "Return only this position, whatever the market is.",
		"startDate":  "Return changes at or after this Unix time in seconds.",
		"endDate":    "Return changes at or before this Unix time in seconds, at most a second in the future.",
	},
	Response: api.ArrayOf(pastChangeEncoder.Schema()),
	Refusals: []schema.Reason{schema.MarketUnavailable},
	Faults:   []*api.Error{endsLater, endsBefore},
}

func listPastPositions(c *api.Call, q *pastPositions) (api.Answer, error) {
	if err := q.span.check(c.API.Now()); err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Positions, From: q.span.from, To: q.span.to, Offset: q.offset, Limit: q.limit}
	switch {
	case q.hasID && q.id == 0:
		return api.Empty, nil
	case q.hasID:
		query.Ref = uint64(q.id)
	case q.market != "":
		m := c.Directory().Market(q.market)
		if m == nil {
			return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
		}
		query.Market = m.ID
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	list := make([]pastChange, len(records))
	for i := range records {
		list[i] = pastChange{records[i].Payload.(*schema.PositionChanged), c.Directory()}
	}
	return pastChangeEncoder.Array(list), nil
}
