package ws

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// placing is a method that places an order: what it places, and what it takes besides what all take.
type placing struct {
	kind schema.OrderType
	// collateral orders are paid from the collateral wallet; they are for futures.
	collateral bool
	price      bool
	role       bool
	maker      bool // takes post_only and ioc
	rpi        bool
}

// placement is the request for an order.
type placement struct {
	market  string
	order   schema.OrderRequest
	numbers api.OrderNumbers
	err     *Error
}

// read reads all fields. What is wrong with them is kept for after the region was looked at, whose
// rules come first.
func (p *placing) read(a *arguments) placement { return p.from(a.fields()) }

// from reads the fields of an order.
func (p *placing) from(f *fields) (r placement) {
	r.market = f.market()
	r.order = schema.OrderRequest{Type: p.kind, Side: f.side()}
	r.numbers.Amount = f.needed("amount").Number
	if p.price {
		r.numbers.Price = f.needed("price").Number
	}
	if p.role {
		r.order.BBO = f.role()
	}
	if p.kind.IsStop() {
		r.numbers.Activation = f.needed("activation_price").Number
	}
	if p.maker {
		r.order.PostOnly, r.order.IOC = f.flag("post_only"), f.flag("ioc")
		// Who joins the queue means to be a maker.
		r.order.PostOnly = r.order.PostOnly || r.order.BBO == schema.BBOQueue
	}
	if p.rpi {
		r.order.RPI = f.flag("rpi")
	}
	if p.collateral {
		r.order.Collateral, r.order.ReduceOnly, r.order.PositionSide = true, f.flag("reduce_only"), f.positionSide()
	}
	r.order.STP, _ = f.stp()
	r.order.ClientID = f.clientID("client_order_id")
	r.err = f.err
	return r
}

// refusals are why the core refuses such orders.
func (p *placing) refusals() []schema.Reason {
	list := slices.Clone(anyOrder)
	if p.collateral {
		list = append(list, ofCollateral...)
		if p.price || p.role && p.kind == schema.Limit {
			list = append(list, schema.PriceOutOfBand)
		}
	} else {
		list = append(list, schema.CollateralOnly)
	}
	stop := p.kind.IsStop()
	if p.kind.InQuote(schema.Buy) {
		list = append(list, inMoney...)
	}
	if p.kind == schema.Market {
		list = append(list, schema.AmountTooSmall)
	}
	switch {
	case p.price:
		list = append(list, priced...)
	case p.role || p.kind == schema.StopStockMarket: // what it is worth is known, or guessed, all the same
		list = append(list, schema.TotalBelowMin, schema.TotalAboveMax)
	}
	if p.role && !stop {
		list = append(list, schema.BBOEmpty, schema.BBOWithPostOnly, schema.BBOQueueWithIOC)
	}
	if stop {
		list = append(append(list, waiting...), schema.ActivationEqualsLast)
		if p.collateral {
			list = append(list, schema.TooManyStops)
		}
	}
	if stop || p.kind.HasPrice() {
		list = append(list, schema.TooManyOrders)
	}
	if p.maker {
		list = append(list, schema.IOCWithPostOnly, schema.PostOnlyWouldTake)
	}
	if p.rpi {
		list = append(list, schema.IOCWithRPI, schema.RPIWithPostOnly, schema.RPINotEnabled)
	}
	return list
}

// row completes the row of a method that places orders.
func (p placing) row(m Method, params string) Method {
	m.Kind, m.Private, m.Budget, m.Result = Request, true, Placements, orderReply
	m.Refusals, m.Faults = p.refusals(), p.faults()
	m.handling = handling{
		read: func(a *arguments) { p.read(a) },
		do: func(q *call) ([]byte, func(), *Error) {
			r := p.read(&arguments{call: q})
			return nil, nil, q.place(&r, (*Server).replyOrder)
		},
	}
	m.Example.Params = params
	return m
}

// faults are the errors that such a method finds itself.
func (p *placing) faults() []*Error {
	list := []*Error{errNoSpot, errRestricted, errNoSuchMarket}
	if p.collateral {
		list = append(slices.Clone(marginFaults), errNoMarginBalance)
		if p.maker {
			list = append(list, errMarginTaker)
		}
	}
	if p.kind == schema.Limit {
		list = append(list, errPostOnly)
	}
	return list
}

// marginFaults are those of all methods that place orders on collateral.
var marginFaults = []*Error{errNoMargin, errRestricted, errNoSuchMarket, errMarginMarket}

// region is that whose rules hold for an account.
func (s *Server) region(a *schema.Account) schema.Region {
	return schema.Stricter(a.Region, s.options.API.Region())
}

// offered finds the market of an order. The rules of the region come before what is wrong with the fields.
func (q *call) offered(name string, o *schema.OrderRequest, wrong *Error) (*schema.MarketInfo, *Error) {
	region := q.conn.server.region(q.account)
	m := q.conn.server.options.API.Directory().Market(name)
	switch {
	case o.Collateral && !o.Offered(region):
		return nil, errNoMargin
	case !o.Offered(region):
		return nil, errNoSpot
	case m != nil && !m.Regions.Include(region):
		return nil, errRestricted
	case wrong != nil:
		return nil, wrong
	case m == nil || !m.Offered(region):
		return nil, errNoSuchMarket
	case o.Collateral && !m.Future() && !m.Pair():
		return nil, errMarginMarket
	}
	return m, nil
}

// replyOrder answers an order by itself.
func (s *Server) replyOrder(o *schema.Order) []byte { return s.appendOrder(nil, o, asReply) }

// place places an order, which is answered as reply writes it. The answer is written when the call has another request in hand, and
// must not look at it.
func (q *call) place(r *placement, reply func(*Server, *schema.Order) []byte) *Error {
	s, method := q.conn.server, q.method
	m, wrong := q.offered(r.market, &r.order, r.err)
	if wrong != nil {
		return wrong
	}
	r.order.Market = m.ID
	if why := api.FitOrder(&r.order, m, &r.numbers); why.Refused() {
		return method.refused(why)
	}
	kind, collateral := r.order.Type, r.order.Collateral
	return q.conn.begin(q, &schema.PlaceOrder{Account: q.account.ID, Order: r.order}, func(result *schema.Result) ([]byte, *Error) {
		switch why := result.Rejection; {
		case why.Reason == schema.NotEnoughBalance && collateral:
			return nil, errNoMarginBalance
		case why.Reason == schema.PostOnlyWouldTake && collateral:
			return nil, errMarginTaker
		case why.Reason == schema.OrderTypeUnavailable && kind == schema.Limit: // before the market opens
			return nil, errPostOnly
		case why.Refused():
			return nil, method.refused(why)
		}
		o := &result.Order
		// An order at the market that found too little is answered as far as it came.
		if (o.Type == schema.Market || o.Type == schema.StockMarket) && o.Status == schema.Canceled && !o.DealStock.IsZero() {
			o.Status = schema.PartiallyFilled
		}
		return reply(s, o), nil
	})
}
