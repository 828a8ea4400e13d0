package ws

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

// placing is a method that places an order on a spot market: what it places, and what it takes besides
// what all take.
type placing struct {
	name  string
	kind  schema.OrderType
	price bool
	role  bool
	maker bool // takes post_only and ioc
	rpi   bool
}

// spotOrders are the methods that place orders on spot markets.
var spotOrders = []placing{
	{name: "order_limit_place", kind: schema.Limit, price: true, maker: true, rpi: true},
	{name: "order_market_place", kind: schema.Market},
	{name: "order_market_stock_place", kind: schema.StockMarket},
	{name: "order_stop_limit_place", kind: schema.StopLimit, price: true},
	{name: "order_stop_market_place", kind: schema.StopMarket},
	{name: "order_stop_market_stock_place", kind: schema.StopStockMarket},
	{name: "order_bbo_place", kind: schema.Limit, role: true, maker: true},
	{name: "order_stop_bbo_place", kind: schema.StopLimit, role: true},
}

// collateralOrders are the methods that place orders on margin and futures markets, of which there
// are none.
var collateralOrders = []string{
	"collateral_order_limit_place", "collateral_order_market_place", "collateral_order_stop_limit_place",
	"collateral_order_stop_market_place", "collateral_order_bbo_place", "collateral_order_stop_bbo_place",
	"collateral_order_oco_place", "collateral_order_oto_place", "collateral_order_tpsl_place",
}

// orderMethods are those that place, change and cancel orders.
func (s *Server) orderMethods() {
	for i := range spotOrders {
		p := &spotOrders[i]
		s.answers(p.name, method{place: true, private: true, do: func(q *call) ([]byte, func(), *Error) { return nil, nil, s.place(q, p) }})
	}
	for _, name := range collateralOrders {
		s.answers(name, method{place: true, private: true, do: func(q *call) ([]byte, func(), *Error) { return nil, nil, s.placeCollateral(q) }})
	}
	for name, do := range map[string]func(*call) *Error{
		"order_modify": s.modify, "order_cancel": s.cancel, "order_cancel_all": s.cancelAll, "order_cancel_conditional": s.cancelConditional,
	} {
		s.answers(name, method{private: true, do: func(q *call) ([]byte, func(), *Error) { return nil, nil, do(q) }})
	}
}

// region is that whose rules hold for an account.
func (s *Server) region(a *schema.Account) schema.Region {
	return schema.Stricter(a.Region, s.options.API.Region())
}

// place places an order on a spot market. All fields are read before the region is looked at, whose
// rules come first.
func (s *Server) place(q *call, p *placing) *Error {
	account, f := q.account, q.fields()
	name := f.market()
	r := schema.OrderRequest{Type: p.kind, Side: f.side()}
	amount := f.number("amount", f.required("amount"))
	var price, activation number
	if p.price {
		price = f.number("price", f.required("price"))
	}
	if p.role {
		r.BBO = f.role()
	}
	if p.kind.IsStop() {
		activation = f.number("activation_price", f.required("activation_price"))
	}
	if p.maker {
		r.PostOnly, r.IOC = f.flag("post_only"), f.flag("ioc")
		// Who joins the queue means to be a maker.
		r.PostOnly = r.PostOnly || r.BBO == schema.BBOQueue
	}
	if p.rpi {
		r.RPI = f.flag("rpi")
	}
	r.STP, _ = f.stp()
	r.ClientID = f.clientID()

	region := s.region(account)
	m := s.options.API.Directory().Market(name)
	switch {
	case !r.Offered(region):
		return errNoSpot
	case m != nil && !m.Regions.Include(region):
		return errRestricted
	case f.err != nil:
		return f.err
	case m == nil || !m.Offered(region):
		return refused(schema.Refuse(schema.MarketUnavailable))
	}
	r.Market = m.ID
	if why := api.FitOrder(&r, m, amount.Number, price.Number, activation.Number); why.Refused() {
		return refused(why)
	}
	return q.conn.begin(q, &schema.PlaceOrder{Account: account.ID, Order: r}, func(result *schema.Result) ([]byte, *Error) {
		switch why := result.Rejection; {
		case why.Reason == schema.OrderTypeUnavailable && p.kind == schema.Limit: // before the market opens
			return nil, errPostOnly
		case why.Refused():
			return nil, refused(why)
		}
		o := &result.Order
		// An order at the market that found too little is answered as far as it came.
		if (o.Type == schema.Market || o.Type == schema.StockMarket) && o.Status == schema.Canceled && !o.DealStock.IsZero() {
			o.Status = schema.PartiallyFilled
		}
		return s.appendOrder(nil, o, asReply), nil
	})
}

// placeCollateral answers that there is no market with margin.
func (s *Server) placeCollateral(q *call) *Error {
	f := q.fields()
	name := f.market()
	switch {
	case s.region(q.account) == schema.EU:
		return errNoMargin
	case f.err != nil:
		return f.err
	case s.options.API.Directory().Market(name) == nil:
		return refused(schema.Refuse(schema.MarketUnavailable))
	}
	return errMarginMarket
}
