package ws

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// written is an order with the one who can write it.
type written struct {
	server *Server
	*schema.Order
}

// orderField is an order in an object, as the reply to placing or canceling it.
func orderField[T any](name, text string, get func(*T) written) api.Field[T] {
	return api.NewField(name, orderReply, text, func(dst []byte, v *T) []byte {
		o := get(v)
		return o.server.appendOrder(dst, o.Order, asReply)
	})
}

// oco is the two orders of an OCO.
type oco struct {
	id          uint64
	limit, stop written
}

var ocoEncoder = api.Encode("OCO", "An OCO: a limit order and a stop-limit order, of which the first fill ends the other.",
	api.ConstantField[oco]("type", api.Enum("oco"), "Always oco.", `"oco"`),
	api.IntegerField("id", "Id of the group, which order_cancel_conditional takes.", func(g *oco) int64 { return int64(g.id) }),
	orderField("take_profit", "The limit order.", func(g *oco) written { return g.limit }),
	orderField("stop_loss", "The stop-limit order.", func(g *oco) written { return g.stop }))

// oto is an OTO: its primary, or what followed that. What is not there is nil.
type oto struct {
	id                    schema.OrderID
	primary, profit, loss written
}

func (g *oto) profitPrice() fixed.Decimal {
	switch {
	case g.primary.Order != nil:
		return g.primary.TakeProfit
	case g.profit.Order != nil:
		return g.profit.ActivationPrice
	}
	return fixed.Zero
}

func (g *oto) lossPrice() fixed.Decimal {
	switch {
	case g.primary.Order != nil:
		return g.primary.StopLoss
	case g.loss.Order != nil:
		return g.loss.ActivationPrice
	}
	return fixed.Zero
}

var (
	otoType = api.EnumField("conditional_order_type", ticket.ConditionalWords, "What follows the primary order: a take profit and a stop loss, or one of them.",
		func(g *oto) string { return ticket.ConditionalWord(g.profitPrice(), g.lossPrice()) })
	otoPrices = []api.Field[oto]{
		api.DecimalField("take_profit_price", "Price of the take profit, if there is one.", (*oto).profitPrice).If(func(g *oto) bool { return !g.profitPrice().IsZero() }),
		api.DecimalField("stop_loss_price", "Price of the stop loss, if there is one.", (*oto).lossPrice).If(func(g *oto) bool { return !g.lossPrice().IsZero() }),
	}
	otoBegins = slices.Concat([]api.Field[oto]{
		api.ConstantField[oto]("type", api.Enum("oto"), "Always oto.", `"oto"`),
		api.IntegerField("id", "Id of the group, which order_cancel_conditional takes.", func(g *oto) int64 { return int64(g.id) }),
		otoType,
	}, otoPrices)

	otoEncoder = api.Encode("OTO", "An OTO: a primary order, and the prices of the take profit and the stop loss that follow it.",
		slices.Concat(otoBegins, []api.Field[oto]{orderField("trigger_order", "The primary order.", func(g *oto) written { return g.primary })})...)
	// What can be canceled of an OTO whose primary is over.
	otoExitsEncoder = api.Encode("OTOExits", "What is left of an OTO whose primary order is over.", slices.Concat(otoBegins, []api.Field[oto]{
		orderField("take_profit", "The take profit, if there is one.", func(g *oto) written { return g.profit }).If(func(g *oto) bool { return g.profit.Order != nil }),
		orderField("stop_loss", "The stop loss, if there is one.", func(g *oto) written { return g.loss }).If(func(g *oto) bool { return g.loss.Order != nil }),
	})...)
	otoPendingEncoder = api.Encode("PendingOTO", "An OTO whose primary order is open, or has just ended.", slices.Concat(
		[]api.Field[oto]{
			api.IntegerField("id", "Id of the group.", func(g *oto) int64 { return int64(g.id) }),
			api.NewField("trigger_order", orderPending, "The primary order.", func(dst []byte, g *oto) []byte {
				return g.primary.server.appendOrder(dst, g.primary.Order, asPending)
			}),
			otoType,
		}, otoPrices)...)
)

// otoOf is the OTO of a primary.
func (s *Server) otoOf(o *schema.Order) *oto { return &oto{id: o.Group, primary: written{s, o}} }

// appendGroup writes the group that a command placed or canceled.
func (s *Server) appendGroup(dst []byte, r *schema.Result) []byte {
	var exits oto
	for i := range r.Items {
		o := written{s, &r.Items[i].Order}
		switch o.Role {
		case schema.LimitLeg, schema.StopLeg:
			return ocoEncoder.Append(dst, &oco{r.ID, o, written{s, &r.Items[i+1].Order}})
		case schema.Primary:
			return otoEncoder.Append(dst, s.otoOf(o.Order))
		case schema.TakeProfit:
			exits.profit = o
		default:
			exits.loss = o
		}
	}
	exits.id = schema.OrderID(r.ID)
	return otoExitsEncoder.Append(dst, &exits)
}

// ocoPlacement is the request for an OCO.
type ocoPlacement struct {
	market                               string
	command                              schema.PlaceOCO
	amount, price, activation, stopPrice number
	err                                  *Error
}

func (r *ocoPlacement) read(a *arguments) {
	f, c := a.fields(), &r.command
	r.market, c.Side = f.market(), f.side()
	r.amount, r.price = f.needed("amount"), f.needed("price")
	r.activation, r.stopPrice = f.needed("activation_price"), f.needed("stop_limit_price")
	c.LimitClientID, c.StopClientID = f.clientID("limit_client_order_id"), f.clientID("stop_client_order_id")
	c.ReduceOnly, c.PositionSide = f.flag("reduce_only"), f.positionSide()
	c.STP, _ = f.stp()
	r.err = f.err
}

// onCollateral stands for any order that is paid from collateral.
var onCollateral = &schema.OrderRequest{Collateral: true}

// placeOCO places an OCO.
func (q *call) placeOCO(r *ocoPlacement) *Error {
	s, method := q.conn.server, q.method
	m, wrong := q.offered(r.market, onCollateral, r.err)
	if wrong != nil {
		return wrong
	}
	c := &r.command
	c.Account, c.Market = q.account.ID, m.ID
	if why := api.FitAll(
		api.Fitting{Number: r.amount.Number, To: &c.Amount, Fine: schema.AmountTooPrecise, Places: m.StockPrec},
		api.Fitting{Number: r.price.Number, To: &c.Price, Fine: schema.PriceTooPrecise, Places: m.MoneyPrec},
		api.Fitting{Number: r.activation.Number, To: &c.ActivationPrice, Fine: schema.ActivationTooPrecise, Places: m.MoneyPrec},
		api.Fitting{Number: r.stopPrice.Number, To: &c.StopPrice, Fine: schema.StopPriceTooPrecise, Places: m.MoneyPrec},
	); why.Refused() {
		return method.refused(why)
	}
	return q.conn.begin(q, c, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, method.refused(result.Rejection)
		}
		return s.appendGroup(nil, result), nil
	})
}

// triggers are the orders that can be the primary of an OTO, by their names there.
var (
	triggers = map[string]*placing{
		"margin_limit": &marginLimit, "margin_market": &marginMarket, "margin_stop_limit": &marginStopLimit, "margin_stop_market": &marginStopMarket,
		"margin_bbo": &marginBBO, "margin_stop_bbo": &marginStopBBO,
	}
	triggerWords = []string{"margin_limit", "margin_market", "margin_stop_limit", "margin_stop_market", "margin_bbo", "margin_stop_bbo"}
)

// conditions are what can follow a primary, by their names: whether a take profit and whether a stop loss.
var (
	conditions = map[string]struct{ profit, loss bool }{
		"margin_market_oco": {true, true}, "margin_take_profit": {profit: true}, "margin_limit": {profit: true},
		"margin_stop_loss": {loss: true}, "margin_stop_limit": {loss: true},
	}
	conditionWords = []string{"margin_market_oco", "margin_take_profit", "margin_limit", "margin_stop_loss", "margin_stop_limit"}
)

// otoPlacement is the request for an OTO.
type otoPlacement struct{ placement }

func (r *otoPlacement) read(a *arguments) {
	f := a.fields()
	if f.schema != nil {
		f.word("trigger_order_type", triggerWords, errTrigger)
		describeTriggers(f.inner("trigger_order"))
	} else {
		word := f.word("trigger_order_type", triggerWords, errTrigger)
		in := f.inner("trigger_order")
		if p := triggers[word]; p != nil {
			r.placement = p.from(in)
		} else {
			r.market, r.order.Collateral = in.market(), true
		}
		f.err = in.err
	}
	needs := conditions[f.word("conditional_order_type", conditionWords, errCondition)]
	profit, loss := f.optional("take_profit"), f.optional("stop_loss")
	f.check(!needs.profit || !needs.loss || profit.given && loss.given, "take_profit and stop_loss are required")
	f.check(!needs.profit || needs.loss || profit.given && !loss.given, "only take_profit is required")
	f.check(needs.profit || !needs.loss || !profit.given && loss.given, "only stop_loss is required")
	r.numbers.TakeProfit, r.numbers.StopLoss, r.err = profit.Number, loss.Number, f.err
}

// describeTriggers notes what any of the primaries takes: prices are not for all of them.
func describeTriggers(in *fields) {
	for _, word := range triggerWords {
		triggers[word].from(in)
	}
	for _, name := range []string{"price", "activation_price", "bbo_role"} {
		in.object.member(name).Required = false
	}
}

// placeOTO places the primary of an OTO.
func (q *call) placeOTO(r *otoPlacement) *Error {
	return q.place(&r.placement, func(s *Server, o *schema.Order) []byte { return otoEncoder.Append(nil, s.otoOf(o)) })
}

// tpslPlacement is the request for a take profit and a stop loss of a whole position.
type tpslPlacement struct {
	market       string
	command      schema.PlaceTPSL
	profit, loss number
	err          *Error
}

func (r *tpslPlacement) read(a *arguments) {
	f := a.fields()
	r.market = f.market()
	r.profit, r.loss = f.optional("take_profit_activation_price"), f.optional("stop_loss_activation_price")
	f.check(r.profit.given || r.loss.given, "one of activations prices should be set")
	if f.schema != nil {
		f.object.either("take_profit_activation_price", "stop_loss_activation_price")
	}
	r.command.PositionSide = f.positionSide()
	r.command.STP, _ = f.stp()
	r.err = f.err
}

// tpsl is the orders that a request for them placed. What was not asked for is nil.
type tpsl struct{ profit, loss written }

var tpslEncoder = api.Encode("TPSL", "The take profit and the stop loss of a whole position, as far as they were asked for.",
	orderField("take_profit", "The take profit.", func(t *tpsl) written { return t.profit }).If(func(t *tpsl) bool { return t.profit.Order != nil }),
	orderField("stop_loss", "The stop loss.", func(t *tpsl) written { return t.loss }).If(func(t *tpsl) bool { return t.loss.Order != nil }))

// placeTPSL places a take profit and a stop loss of a whole position.
func (q *call) placeTPSL(r *tpslPlacement) *Error {
	s, method := q.conn.server, q.method
	m, wrong := q.offered(r.market, onCollateral, r.err)
	if wrong != nil {
		return wrong
	}
	c := &r.command
	c.Account, c.Market = q.account.ID, m.ID
	if why := api.FitProtection(r.profit.Number, r.loss.Number, &c.TakeProfit, &c.StopLoss, m); why.Refused() {
		return method.refused(why)
	}
	return q.conn.begin(q, c, func(result *schema.Result) ([]byte, *Error) {
		switch why := result.Rejection; {
		case why.Reason == schema.NotEnoughBalance:
			return nil, errNoMarginBalance
		case why.Refused():
			return nil, method.refused(why)
		}
		var placed tpsl
		for i := range result.Items {
			if o := (written{s, &result.Items[i].Order}); o.Role == schema.TakeProfit {
				placed.profit = o
			} else {
				placed.loss = o
			}
		}
		return tpslEncoder.Append(nil, &placed), nil
	})
}
