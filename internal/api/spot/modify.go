package spot

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/schema"
)

// modifyOrder is the request to replace an order.
type modifyOrder struct {
	ticket.Reference
	amount     api.Number
	total      api.Number
	price      api.Number
	activation api.Number
	creation   bool // the activation price has the name that it has in creation
	stp        schema.STP
}

func (q *modifyOrder) Read(f *api.Form) {
	q.Reference.Read(f)
	q.amount, q.price = ticket.Amount(f), ticket.Price(f)
	q.total = ticket.Numeric(f, "total", 32, "Total field should be numeric string or number.")
	// The name of this endpoint, and the one of creation, which clients send here too.
	const name, other = "activationPrice", "activation_price"
	if q.creation = !f.Has(name) && f.Has(other); q.creation {
		q.activation = ticket.Activation(f, other)
	} else {
		q.activation = ticket.Activation(f, name)
	}
	f.Schema().Declare(other, api.DecimalParameter)
	q.stp = ticket.STP(f)
	f.Schema().Alternatives("amount | total | price | activationPrice | activation_price")
	if q.amount.State == api.Missing && q.total.State == api.Missing && q.price.State == api.Missing && q.activation.State == api.Missing {
		f.Lack(422, 30, "amount", schema.Refuse(schema.ModifyNothing).Text())
	}
	if q.amount.State != api.Missing && q.total.State != api.Missing {
		f.Fail(422, 30, "total", schema.Refuse(schema.ModifyAmountAndTotal).Text())
	}
}

var aboutModify = &api.About{
	Summary: "Modify an order",
	Text: "Identify the order by exactly one of orderId and clientOrderId. It is canceled and replaced by a new order, with a new id and the same client " +
		"order id, at the end of the queue. If the new order is rejected, the old one stays. Orders of an OCO, the primary of an OTO, take profits and stop losses cannot be modified. On TradFi futures the account must be enabled for them.",
	Parameters: map[string]string{
		"amount":           "New amount in the base asset.",
		"total":            "New amount in the quote asset. Stop-market buys only; not together with amount.",
		"price":            "New price. Limit and stop-limit orders only.",
		"activationPrice":  "New activation price. Stop orders only.",
		"activation_price": "Alias of activationPrice.",
	},
	Response: ticket.Order,
	Refusals: slices.Concat(ticket.AnyOrder, inMoney, priced, []schema.Reason{
		schema.OrderNotFound, schema.OrderRefInvalid, schema.ModifyAmountAndTotal, schema.ActivationNotPositive, schema.ActivationTooPrecise,
		schema.ActivationTooLarge, schema.ActivationOffTick, schema.ModifyActivationEqualsLast, schema.ActivationOnLimit, schema.PriceOnStopMarket,
		schema.TotalNotAllowed, schema.AmountNotAllowed, schema.PostOnlyWouldTake,
		schema.TradFiNotEnabled, schema.ReduceOnlyNothing, schema.PositionTooBig, schema.PendingTooBig, schema.PriceOutOfBand, schema.PriceUnknown, schema.BaseNotLent, schema.QuoteNotLent,
		schema.ModifyOfGroup, schema.ModifyOfProtection,
	}),
	MapRefusal: new(modifyOrder).own,
}

func modify(c api.WriteCall, q *modifyOrder) (api.Answer, error) {
	ref, err := q.Resolve(c)
	if err != nil {
		return nil, err
	}
	m := c.Directory().Market(q.Market)
	command := &schema.ModifyOrder{Account: c.Account.ID, Order: ref, STP: q.stp}
	for _, n := range []struct {
		number api.Number
		to     *schema.Optional
		reason schema.Reason
		places uint8
	}{
		{q.amount, &command.Amount, schema.AmountTooPrecise, m.StockPrec},
		{q.total, &command.Total, schema.MoneyTooPrecise, m.MoneyPrec},
		{q.price, &command.Price, schema.PriceTooPrecise, m.MoneyPrec},
		{q.activation, &command.ActivationPrice, schema.ActivationTooPrecise, m.MoneyPrec},
	} {
		if n.number.State == api.Missing {
			continue
		}
		value, r := n.number.Fit(n.reason, n.places)
		if r.Refused() {
			return nil, q.own(api.Refusal(r))
		}
		*n.to = schema.Some(value)
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, q.own(api.ErrorOf(err))
	}
	return ticket.Answer{Directory: c.Directory(), Order: &result.Order, Position: true}, nil
}

// own puts an error in the words of this endpoint: fields have the names that its request has,
// and the engine's codes have statuses of their own.
func (q *modifyOrder) own(e *api.Error) *api.Error {
	changed := *e
	changed.Fields = slices.Clone(e.Fields)
	for i := range changed.Fields {
		f := &changed.Fields[i]
		switch {
		case f.Field == "activation_price" && e.Code == 1 && !q.creation:
			f.Field = "activationPrice"
		case f.Field == "amount" && q.total.State != api.Missing && (e.Code == 1 || e.Code == 32):
			f.Field = "total"
		}
	}
	// A step error names the activation price under both its names, which may be one by now.
	changed.Fields = slices.CompactFunc(changed.Fields, func(a, b api.FieldError) bool { return a.Field == b.Field })
	if e.Status == 400 && slices.Contains(unprocessableCodes, e.Code) {
		changed.Status = 422
	}
	return &changed
}

// unprocessableCodes are those of the engine that modify answers with 422.
var unprocessableCodes = []int{10, 11, 12, 13, 14, 15, 16, 17, 51, 250, 251}
