package collateral

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// ocoOrder is the request for a limit order and a stop-limit order of which the first fill ends the other. The client order id is that of the
// limit order.
type ocoOrder struct {
	placement
	stopPrice api.Number
}

func (q *ocoOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "price", "activation_price", "stop_limit_price")
	q.begin(f, schema.StopLimit)
	q.Price(f)
	q.Activation(f)
	q.stopPrice = ticket.Numeric(f, "stop_limit_price", 33, "Stop_limit_price field should be numeric string or number.")
	q.position(f)
}

var newOCOEncoder = api.Encode("NewOCO", "A new OCO.", slices.Concat(
	[]api.Field[group]{
		api.IntegerField("id", "Id of the OCO.", groupID),
		api.BooleanField("reduceOnly", "Whether both orders are reduce-only.", func(g *group) bool { return g.limit.ReduceOnly }),
	}, legFields(newLegEncoder, "stop_loss", "take_profit"))...)

var aboutPlaceOCO = &api.About{
	Summary: "Place an OCO",
	Text: "Places a limit order to take a profit and a stop-limit order against a loss, of the same side and amount (one cancels the other). The first fill of either cancels the other; what is left of " +
		"the filled order stays open. When one of them ends in another way, the other ends with it. Only the order that needs more margin is counted." + tradfi,
	Parameters: map[string]string{
		"amount":           "Amount of each of the two orders in the base asset: a multiple of the market's stepSize, at least minAmount.",
		"price":            "Price of the limit order. It must not trade at once.",
		"activation_price": "Last price that activates the stop: above the last price for a buy, below it for a sell.",
		"stop_limit_price": "Limit price of the stop once it is activated.",
		"clientOrderId":    "Client order id of the limit order. The OCO can be canceled by it.",
		"reduceOnly":       "If true, both orders only reduce or close a position: a larger amount is cut to the position.",
	},
	Response: newOCOEncoder.Schema(),
	Refusals: slices.Concat(
		slices.DeleteFunc(slices.Clone(anyOrder), func(r schema.Reason) bool { return r == schema.NotEnoughBalance }), priced,
		[]schema.Reason{
			schema.ActivationNotPositive, schema.ActivationTooPrecise, schema.ActivationTooLarge, schema.ActivationOffTick, schema.TooManyStops,
			schema.StopPriceNotPositive, schema.StopPriceTooPrecise, schema.StopPriceTooLarge, schema.StopPriceOffTick, schema.StopPriceOutOfBand,
			schema.LimitWouldTake, schema.StopActivationWrong, schema.LimitNotCovered, schema.StopNotCovered,
		}),
}

func placeOCO(c api.WriteCall, q *ocoOrder) (api.Answer, error) {
	if err := q.Resolve(c); err != nil {
		return nil, err
	}
	o := &q.Order
	command := &schema.PlaceOCO{
		Account: c.Account.ID, Market: o.Market, Side: o.Side, Amount: o.Amount, Price: o.Price, ActivationPrice: o.ActivationPrice,
		STP: o.STP, LimitClientID: o.ClientID, ReduceOnly: o.ReduceOnly, PositionSide: o.PositionSide,
	}
	places := c.Directory().MarketByID(o.Market).MoneyPrec
	if r := api.FitAll(api.Fitting{Number: q.stopPrice, To: &command.StopPrice, Fine: schema.StopPriceTooPrecise, Places: places}); r.Refused() {
		return nil, api.Refusal(r)
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	g := ocoOf(c.Directory(), &result)
	c.API.Read(func(m core.View) {
		maker, taker := m.Trading().Rates(c.Account.ID, o.Market)
		g.limit.maker, g.limit.taker, g.stop.maker, g.stop.taker = maker, taker, maker, taker
	})
	return newOCOEncoder.Answer(g), nil
}

// ocoOf is the OCO that a command placed or canceled.
func ocoOf(d *directory.Directory, r *schema.Result) *group {
	return &group{
		id:    schema.OrderID(r.ID),
		limit: leg{Order: &r.Items[0].Order, directory: d},
		stop:  leg{Order: &r.Items[1].Order, directory: d},
	}
}

var ocoEncoder = api.Encode("OCO", "An OCO: a limit order and a stop-limit order, of which the first fill ends the other.", slices.Concat(
	[]api.Field[group]{api.IntegerField("id", "Id of the OCO.", groupID)}, legFields(legEncoder, "stop_loss", "take_profit"))...)

// cancelOCO is the request to cancel an OCO, by its id or by the client order id of one of its orders.
type cancelOCO struct{ ticket.Reference }

var aboutCancelOCO = &api.About{
	Summary: "Cancel an OCO",
	Text:    "Cancels both orders. Identify the OCO by exactly one of orderId and clientOrderId. Returns the final state of both orders.",
	Parameters: map[string]string{
		"orderId":       "Id of the OCO, not of one of its orders.",
		"clientOrderId": "Client order id of one of its orders.",
	},
	Response: ocoEncoder.Schema(),
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.OrderNotFound, schema.OrderRefInvalid},
}

func doCancelOCO(c api.WriteCall, q *cancelOCO) (api.Answer, error) {
	ref, err := q.Resolve(c)
	if err != nil {
		return nil, err
	}
	var result schema.Result
	command := &schema.CancelGroup{Account: c.Account.ID, Market: ref.Market, Group: ref.ID, ClientID: ref.ClientID, GroupKind: schema.OCO}
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	return ocoEncoder.Answer(ocoOf(c.Directory(), &result)), nil
}
