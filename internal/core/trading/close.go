package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// ClosePosition closes a position at the market. The order is as large as the position, also where that is less than
// an order may be by itself or no whole step: what deals left over has to be closable.
func (e *Engine) ClosePosition(c *schema.ClosePosition) schema.Rejection {
	account, r := e.accounts.Customer(c.Account)
	if r.Reason == schema.AccountBlocked && c.Forced {
		account, r = e.accounts.Get(c.Account), schema.Rejection{}
	}
	if r.Refused() {
		return r
	}
	m := e.market(c.Market)
	switch {
	case m == nil || !m.info.Enabled || m.info.Delisted || !c.Forced && !m.info.Offered(e.region(account)):
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.InMaintenance:
		return schema.Refuse(schema.TradingNotAllowed)
	}
	of, lots, ok := e.Clearing.Held(c.Account, c.Market, c.Position)
	if !ok {
		return schema.Refuse(schema.PositionUnknown)
	}
	o := closer(of, lots, schema.STPNo)
	o.created, o.updated = e.out.Time, e.out.Time
	a := asked{account: account, desk: e.findDesk(c.Account, c.Market)}
	if e.admit(m, &a, &o) {
		e.out.Result.Order = *e.out.Events.Order(o.id)
	} else {
		e.postpone(&work{kind: placing, order: o.id, markets: []*market{m}})
	}
	return schema.Rejection{}
}

// closer is the order at the market that closes so many lots of a position, signed like the position.
func closer(of schema.PositionSide, lots int64, stp schema.STP) order {
	side := schema.Sell
	if lots < 0 {
		side, lots = schema.Buy, -lots
	}
	return order{
		kind: schema.StockMarket, side: side, stp: stp, flags: collateralFlags(true, of) | ioc,
		amount: book.Lots(lots), left: book.Lots(lots),
	}
}
