package collateral

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// closedPositions asks for positions that came to their end.
type closedPositions struct {
	span          span
	limit, offset int
}

func (q *closedPositions) Read(f *api.Form) {
	q.span = readSpan(f, "startDate", "endDate", ofPast)
	q.limit, q.offset = f.Page(50, 100, api.MaxOffset, ofPast)
	if q.limit+q.offset > api.MaxOffset {
		f.Fail(400, 30, "offset", tooFar)
	}
}

const tooFar = "The sum of limit and offset should not be greater than 10000."

// closedPosition is one of them, with the directory that names its market.
type closedPosition struct {
	*history.ClosedPosition
	directory *directory.Directory
}

// gross is what the position brought after fees and before funding.
func (p *closedPosition) gross() fixed.Decimal { return p.Position.Realized.Sub(p.Position.Fees) }

var closedEncoder = api.Encode("ClosedPosition", "A position from its first fill to its last.",
	api.IntegerField("positionId", "Position id.", func(p *closedPosition) int64 { return int64(p.Position.ID) }),
	api.StringField("market", "Market name.", func(p *closedPosition) string { return p.directory.MarketName(p.Position.Market) }),
	api.DecimalField("grossPnl", "Realized PnL, trading fees deducted, before funding; on futures in USDT.", (*closedPosition).gross),
	api.DecimalField("netPnl", "grossPnl less totalFunding.", func(p *closedPosition) fixed.Decimal { return p.gross().Sub(p.Position.Funding) }),
	api.DecimalField("totalTradeFee", "Trading fees, which grossPnl has deducted already.", func(p *closedPosition) fixed.Decimal { return p.Position.Fees }),
	api.DecimalField("totalFunding", "Funding that was paid. Negative: received.", func(p *closedPosition) fixed.Decimal { return p.Position.Funding }),
	api.DecimalField("avgEntryPrice", "Average price of the fills that made the position larger.",
		func(p *closedPosition) fixed.Decimal { return averageEntry(p.directory, &p.Position) }),
	api.DecimalField("avgExitPrice", "Average price of the fills that made it smaller.",
		func(p *closedPosition) fixed.Decimal { return average(p.directory, &p.Position, p.Received) }),
	api.DecimalField("closedSize", "Amount of the fills that made it smaller, in the base asset.", func(p *closedPosition) fixed.Decimal { return p.Position.Entered }),
	api.ConstantField[closedPosition]("amount", api.Decimal, "Always 0.", `"0"`),
	api.EnumField("side", ticket.SideWords, "BOTH in one-way mode.", func(p *closedPosition) string { return p.Position.Side.String() }),
	api.BooleanField("isHedge", "Whether the position was one of hedge mode.", func(p *closedPosition) bool { return p.Position.Side != schema.BothSides }),
	api.SecondsField("openDate", "Time at which the position was opened.", func(p *closedPosition) schema.Time { return p.Position.Opened }),
	api.SecondsField("closeDate", "Time at which it was closed.", func(p *closedPosition) schema.Time { return p.Position.Updated }))

var aboutClosedPositions = &api.About{
	Summary: "List closed positions with their PnL",
	Text:    "By closeDate, then positionId, the newest first. What a position brought is counted over its whole life, also where it was opened before startDate.",
	Parameters: map[string]string{
		"startDate": "Return positions that were closed at or after this Unix time in seconds.",
		"endDate":   "Return positions that were closed at or before this Unix time in seconds, at most a second in the future.",
		"offset":    "Number of records to skip. Offset and limit together are at most 10,000.",
	},
	Response: api.ArrayOf(closedEncoder.Schema()),
	Faults:   []*api.Error{endsLater, endsBefore, api.NewError(400, 30, api.ValidationFailed, "offset", tooFar)},
}

func listClosedPositions(c *api.Call, q *closedPositions) (api.Answer, error) {
	if err := q.span.check(c.API.Now()); err != nil {
		return nil, err
	}
	records, err := c.Past(&history.Query{Kind: history.Closed, From: q.span.from, To: q.span.to, Offset: q.offset, Limit: q.limit})
	if err != nil {
		return nil, err
	}
	list := make([]closedPosition, len(records))
	for i := range records {
		list[i] = closedPosition{records[i].Payload.(*history.ClosedPosition), c.Directory()}
	}
	return closedEncoder.Array(list), nil
}
