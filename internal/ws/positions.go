package ws

import (
	"cmp"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	margin "bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const positionsRight = "/api/v4/collateral-account/positions/open"

// openPosition is a position with what it is worth, the free margin of its account and how near that is to its end.
type openPosition struct {
	margin.Valuation
	market string
	free   fixed.Decimal
	stage  schema.RiskState
}

var positionEncoder = api.Encode("MarginPosition", "An open position.",
	api.IntegerField("id", "Position id.", func(p *openPosition) int64 { return int64(p.Position.ID) }),
	api.StringField("market", "Market name.", func(p *openPosition) string { return p.market }),
	api.TimestampField("ctime", "Time at which the position was opened.", func(p *openPosition) schema.Time { return p.Position.Opened }),
	api.TimestampField("mtime", "Time of its last change.", func(p *openPosition) schema.Time { return p.Position.Updated }),
	api.DecimalField("amount", "Size in the base asset. Negative: short.", func(p *openPosition) fixed.Decimal { return p.Position.Amount }),
	api.DecimalField("amount_in_money", "Value at the mark, in USDT.", func(p *openPosition) fixed.Decimal { return p.Notional }),
	api.DecimalField("base_price", "Average entry price in the quote asset.", func(p *openPosition) fixed.Decimal { return p.Entry }),
	api.DecimalField("pnl", "Unrealized PnL at the mark, in USDT.", func(p *openPosition) fixed.Decimal { return p.Unrealized }),
	api.DecimalField("liq_price", "Mark at which the account is liquidated, all else being as it is; 0 if there is none.", func(p *openPosition) fixed.Decimal { return p.Liquidation.Value() }),
	api.NewField("liq_stage", api.Nullable(api.Enum(schema.MarginCall.String(), schema.Liquidation.String())),
		"margin_call: the account has less than one and a half times its maintenance margin. liquidation: less than that, in alerts alone. null otherwise.",
		func(dst []byte, p *openPosition) []byte {
			if p.stage == schema.RiskNone {
				return append(dst, `null`...)
			}
			return api.AppendText(dst, p.stage.String())
		}),
	api.DecimalField("unrealized_funding", "Interest of the loan of a position on a spot market that was not charged yet, in the asset that was lent. 0 on futures.",
		func(p *openPosition) fixed.Decimal { return p.Interest }),
	api.ConstantField[openPosition]("funding", api.Decimal, "Always 0: funding of futures is settled in the balance.", `"0"`),
	api.DecimalField("margin", "Margin that the position ties up.", func(p *openPosition) fixed.Decimal { return p.Margin }),
	api.DecimalField("free_margin", "Free margin of the account.", func(p *openPosition) fixed.Decimal { return p.free }),
	api.DecimalField("realized_pnl", "Realized PnL of what was closed of it, before fees; on futures in USDT.", func(p *openPosition) fixed.Decimal { return p.Position.Realized }),
	api.EnumField("position_side", ticket.SideWords, "BOTH in one-way mode.", func(p *openPosition) string { return p.Position.Side.String() }))

const positionExample = `{"id":1,"market":"BTC_PERP","ctime":1790000000.000000,"mtime":1790000002.500000,"amount":"-0.1","amount_in_money":"5123.4",` +
	`"base_price":"51000","pnl":"-23.4","liq_price":"60120.55","liq_stage":null,"unrealized_funding":"0","funding":"0",` +
	`"margin":"512.34","free_margin":"461.71","realized_pnl":"0","position_side":"BOTH"}`

var positionList = &listKind{
	channel: "positionsMargin", right: positionsRight, pause: time.Second,
	all:  listOf("MarginPositions", "All open positions, by market and side.", positionEncoder.Schema()),
	read: (*Server).openPositions,
}

var positionMethods = listMethods(
	positionList, func(s *Server) *list { return s.personal.positions },
	"Positions", "Open positions of the account, with what they are worth at the mark.",
	"Pushes all open positions at once, and then each second if anything about them changed.",
	`{"total":1,"records":[`+positionExample+`]}`,
)

// openPositions are those of an account. One that is being liquidated was called too, and lists say no more than that.
func (s *Server) openPositions(account schema.AccountID) *records {
	var summary margin.Summary
	var open []margin.Valuation
	s.options.Node.Read(func(m core.View) {
		if open = m.Collateral().Valuations(account, 0); len(open) > 0 {
			summary = m.Collateral().Summary(account)
		}
	})
	d := s.options.API.Directory()
	return &records{n: len(open), one: func(dst []byte, i int) []byte {
		return positionEncoder.Append(dst, &openPosition{
			open[i], d.MarketName(open[i].Position.Market), summary.Free(), min(summary.Risk(), schema.MarginCall),
		})
	}}
}

var positionAlerts = &alertKind[schema.Position]{
	channel: "positionsAccountMargin", right: positionsRight,
	open: func(m core.View, account schema.AccountID) []schema.Position {
		return m.Collateral().Positions(account)
	},
	changed: func(event schema.Event) (*schema.Position, schema.AccountID, bool) {
		if e, is := event.(*schema.PositionChanged); is {
			return &e.Position, e.Position.Account, e.Position.Amount.IsZero()
		}
		return nil, 0, false
	},
	order: func(a, b schema.Position) int {
		return cmp.Or(cmp.Compare(a.Market, b.Market), cmp.Compare(a.Side, b.Side), cmp.Compare(a.ID, b.ID))
	},
	put: (*Server).positionsAtRisk,
}

var positionAlertMethods = alertMethods(
	positionAlerts, func(s *Server) *alerts[schema.Position] { return s.personal.positionAlerts },
	"Position alerts", "Margin calls and liquidations of the account, for each of its open positions.",
	"The margin of the account came to a margin call or to liquidation: one push for each open position, by market and side. It is as it was before liquidation "+
		"closed anything, at the mark; liq_price and free_margin are those of the account after.",
	positionEncoder.Schema(), strings.Replace(positionExample, `"liq_stage":null`, `"liq_stage":"margin_call"`, 1),
)

// positionsAtRisk are positions of an account whose risk changed.
func (s *Server) positionsAtRisk(e *schema.RiskChanged, open []schema.Position) *records {
	var summary margin.Summary
	worth := make([]margin.Valuation, len(open))
	s.options.Node.Read(func(m core.View) {
		summary = m.Collateral().Summary(e.Account)
		for i := range open {
			worth[i] = m.Collateral().Value(&open[i])
		}
	})
	d := s.options.API.Directory()
	return &records{n: len(worth), one: func(dst []byte, i int) []byte {
		return positionEncoder.Append(dst, &openPosition{worth[i], d.MarketName(worth[i].Position.Market), summary.Free(), e.State})
	}}
}
