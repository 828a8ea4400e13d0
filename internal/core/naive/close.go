package naive

import "bourse/internal/schema"

// closePosition closes all of a position at the market, whatever its size. Operators do it for accounts that are blocked
// or from elsewhere too.
func (t *trading) closePosition(c *schema.ClosePosition) schema.Result {
	account, r := t.accounts.customer(c.Account)
	if refused(r) {
		return reject(r)
	}
	if _, r := t.accounts.trader(c.Account); refused(r) && !c.Forced {
		return reject(r)
	}
	m := t.market(c.Market)
	switch {
	case m == nil || !m.Enabled || m.Delisted || !c.Forced && !offeredIn(m.Regions, t.accounts.region(account)):
		return refuse(schema.MarketUnavailable)
	case m.InMaintenance:
		return refuse(schema.TradingNotAllowed)
	}
	h := t.margins.numbered(int(c.Position))
	if h == nil || h.account != c.Account || h.market != c.Market {
		return refuse(schema.PositionUnknown)
	}
	o := &order{
		account: c.Account, market: m, kind: schema.StockMarket, side: schema.Sell, stp: schema.STPNo, ioc: true,
		collateral: true, reduceOnly: true, positionSide: h.side, amount: h.size.abs(), left: h.size.abs(),
	}
	if !h.long() {
		o.side = schema.Buy
	}
	t.place(o)
	return schema.Result{Order: o.view()}
}
