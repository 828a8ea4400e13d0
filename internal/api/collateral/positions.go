package collateral

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/core/collateral"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// openPositions asks for positions.
type openPositions struct{ market string }

func (q *openPositions) Read(f *api.Form) { q.market = ticket.MarketOf(f) }

// position is one with what it is worth, and the account that it belongs to.
type position struct {
	collateral.Valuation
	account   *collateral.Summary
	directory *directory.Directory
	tpsl      protection
}

// protection is the take profit and the stop loss of a whole position; nil where there is none.
type protection struct{ profit, loss *schema.Order }

// of picks those of a position from all of its market.
func (t *protection) of(p *schema.Position, orders []schema.Order) {
	for i := range orders {
		switch o := &orders[i]; {
		case o.PositionSide != p.Side:
		case o.Role == schema.TakeProfit:
			t.profit = o
		case o.Role == schema.StopLoss:
			t.loss = o
		}
	}
}

func (t *protection) hasProfit() bool { return t.profit != nil }

func (t *protection) hasLoss() bool { return t.loss != nil }

var protectionEncoder = api.Encode("PositionOrders", "The take profit and the stop loss of a whole position.",
	api.IntegerField("takeProfitId", "Order id of the take profit, if there is one.", func(t *protection) int64 { return int64(t.profit.ID) }).If((*protection).hasProfit),
	api.DecimalField("takeProfit", "Its price.", func(t *protection) fixed.Decimal { return t.profit.ActivationPrice }).If((*protection).hasProfit),
	api.IntegerField("stopLossId", "Order id of the stop loss, if there is one.", func(t *protection) int64 { return int64(t.loss.ID) }).If((*protection).hasLoss),
	api.DecimalField("stopLoss", "Its price.", func(t *protection) fixed.Decimal { return t.loss.ActivationPrice }).If((*protection).hasLoss))

var positionEncoder = api.Encode("Position", "An open position.",
	api.IntegerField("positionId", "Position id.", func(p *position) int64 { return int64(p.Position.ID) }),
	api.StringField("market", "Market name.", func(p *position) string { return p.directory.MarketName(p.Position.Market) }),
	api.TimestampField("openDate", "Time at which the position was opened.", func(p *position) schema.Time { return p.Position.Opened }),
	api.TimestampField("modifyDate", "Time of its last change.", func(p *position) schema.Time { return p.Position.Updated }),
	api.DecimalField("amount", "Size in the base asset. Negative: short.", func(p *position) fixed.Decimal { return p.Position.Amount }),
	api.DecimalField("basePrice", "Average entry price in the quote asset.", func(p *position) fixed.Decimal { return p.Entry }),
	api.OptionalField("liquidationPrice", "Mark at which the account is liquidated, all else being as it is; null if there is none.",
		func(p *position) schema.Optional { return p.Liquidation }),
	api.NewField("liquidationState", api.Nullable(api.Enum(schema.MarginCall.String(), schema.Liquidation.String())),
		"margin_call: the account has less than one and a half times its maintenance margin; liquidation: less than that. null otherwise.",
		func(dst []byte, p *position) []byte {
			if s := p.account.Risk(); s != schema.RiskNone {
				return api.AppendText(dst, s.String())
			}
			return append(dst, `null`...)
		}),
	api.DecimalField("pnl", "Realized PnL of what was closed of it, before fees; on futures in USDT.", func(p *position) fixed.Decimal { return p.Position.Realized }),
	api.DecimalField("pnlPercent", "Unrealized PnL in percent of the margin of its cost.", func(p *position) fixed.Decimal { return p.Percent }),
	api.DecimalField("unrealizedPnl", "Unrealized PnL at the mark, in USDT.", func(p *position) fixed.Decimal { return p.Unrealized }),
	api.DecimalField("margin", "Margin that the position ties up.", func(p *position) fixed.Decimal { return p.Margin }),
	api.DecimalField("freeMargin", "Free margin of the account.", func(p *position) fixed.Decimal { return p.account.Free() }),
	api.ConstantField[position]("funding", api.Decimal, "Always 0: funding of futures is settled in the balance.", `"0"`),
	api.DecimalField("unrealizedFunding", "Interest of the loan of a position on a spot market that was not charged yet, in the asset that was lent. 0 on futures.",
		func(p *position) fixed.Decimal { return p.Interest }),
	api.NewField("tpsl", api.Nullable(protectionEncoder.Schema()), "The take profit and the stop loss of the whole position, null if it has none.", func(dst []byte, p *position) []byte {
		if !p.tpsl.hasProfit() && !p.tpsl.hasLoss() {
			return append(dst, `null`...)
		}
		return protectionEncoder.Append(dst, &p.tpsl)
	}),
	api.EnumField("positionSide", ticket.SideWords, "BOTH in one-way mode.", func(p *position) string { return p.Position.Side.String() }))

var aboutOpenPositions = &api.About{
	Summary:    "List open positions",
	Text:       "By market and side.",
	Parameters: map[string]string{"market": "Return only positions of this market."},
	Response:   api.ArrayOf(positionEncoder.Schema()),
	Refusals:   []schema.Reason{schema.MarketUnavailable},
}

func listPositions(c *api.Call, q *openPositions) (api.Answer, error) {
	var market schema.MarketID
	if q.market != "" {
		m := c.Directory().Market(q.market)
		if m == nil {
			return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
		}
		market = m.ID
	}
	list, account := []position{}, new(collateral.Summary)
	c.API.Read(func(m core.View) {
		*account = m.Collateral().Summary(c.Account.ID)
		for _, v := range m.Collateral().Valuations(c.Account.ID, market) {
			p := position{Valuation: v, account: account, directory: c.Directory()}
			p.tpsl.of(&v.Position, m.Trading().Guards(c.Account.ID, v.Position.Market))
			list = append(list, p)
		}
	})
	return positionEncoder.Array(list), nil
}

// closing is the request to close a position.
type closing struct {
	market string
	id     schema.PositionID
	side   schema.PositionSide
	sided  bool
}

func (q *closing) Read(f *api.Form) {
	f.Required("positionId", "market")
	n, s := f.Int("positionId")
	if s == api.Malformed {
		f.Fail(422, 30, "positionId", "The PositionId must be an integer.")
	}
	q.id = schema.PositionID(max(n, 0))
	q.market = ticket.Market(f)
	q.side, q.sided = positionSide(f)
}

// positionSide reads the side of a position.
func positionSide(f *api.Form) (side schema.PositionSide, given bool) {
	word, s := f.Choice("positionSide", ticket.SideWords)
	switch s {
	case api.Malformed:
		f.Fail(422, 30, "positionSide", "The selected positionSide is invalid.")
	case api.Good:
		return schema.PositionSide(slices.Index(ticket.SideWords, word)), true
	}
	return schema.BothSides, false
}

var aboutClosePosition = &api.About{
	Summary: "Close a position",
	Text: "Places a market order that closes all of the position, and with it ends its take profit and stop loss. What the book does not have within the taker band around the mark stays open. " +
		"Returns an empty array.",
	Parameters: map[string]string{
		"positionId":   "Position id.",
		"positionSide": "Side of the position. In hedge mode it must be that of the position, if it is given; in one-way mode it is ignored.",
	},
	Response: api.Done,
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.TradingNotAllowed, schema.PositionUnknown, schema.PositionSideMismatch},
}

func closePosition(c api.WriteCall, q *closing) (api.Answer, error) {
	m := c.Offered(q.market)
	if m == nil {
		return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	if q.sided && q.misses(c, m.ID) {
		return nil, api.Refusal(schema.Refuse(schema.PositionSideMismatch))
	}
	var result schema.Result
	if err := c.Submit(&schema.ClosePosition{Account: c.Account.ID, Market: m.ID, Position: q.id}, &result); err != nil {
		return nil, err
	}
	return api.Empty, nil
}

// misses reports whether the position that is meant has another side than the request says. In one-way mode there are
// no sides to be wrong about.
func (q *closing) misses(c api.WriteCall, market schema.MarketID) (other bool) {
	c.API.Read(func(m core.View) {
		for _, p := range m.Collateral().Positions(c.Account.ID) {
			if p.Market == market && p.ID == q.id {
				other = p.Side != schema.BothSides && p.Side != q.side
			}
		}
	})
	return other
}
