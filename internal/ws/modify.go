package ws

import (
	"strings"

	"bourse/internal/schema"
)

// modification is the request to change an order.
type modification struct {
	market                           string
	ref                              schema.OrderRef
	amount, total, price, activation number
	stp                              schema.STP
	stpGiven                         bool
	err                              *Error
}

func (r *modification) read(a *arguments) {
	f := a.fields()
	r.market, r.ref = f.market(), f.reference()
	r.amount, r.total = f.optional("amount"), f.optional("total")
	r.price, r.activation = f.optional("price"), f.optional("activation_price")
	r.stp, r.stpGiven = f.stp()
	f.check(r.amount.given || r.total.given || r.price.given || r.activation.given,
		"at least price or amount or total or activation price should be specified")
	f.check(!r.amount.given || !r.total.given, "amount and total cannot be specified simultaneously")
	r.err = f.err
}

// modify replaces an open order by a changed one. What is omitted stays.
func (q *call) modify(r *modification) *Error {
	s, method := q.conn.server, q.method
	region := s.region(q.account)
	m := s.options.API.Directory().Market(r.market)
	switch {
	case m != nil && !m.Regions.Include(region):
		return errRestricted
	case r.err != nil:
		return r.err
	case m == nil:
		return errNoSuchMarket
	case r.ref.ID == 0 && r.ref.ClientID.IsZero():
		return errNoSuchOrder
	}
	r.ref.Market = m.ID
	command := &schema.ModifyOrder{Account: q.account.ID, Order: r.ref, STP: r.stp, KeepSTP: !r.stpGiven}
	inTotal := r.total.given
	for _, n := range []struct {
		number number
		to     *schema.Optional
		fine   schema.Reason
		places uint8
	}{
		{r.amount, &command.Amount, schema.AmountTooPrecise, m.StockPrec},
		{r.total, &command.Total, schema.MoneyTooPrecise, m.MoneyPrec},
		{r.price, &command.Price, schema.PriceTooPrecise, m.MoneyPrec},
		{r.activation, &command.ActivationPrice, schema.ActivationTooPrecise, m.MoneyPrec},
	} {
		if !n.number.given {
			continue
		}
		value, why := n.number.Fit(n.fine, n.places)
		if why.Refused() {
			return modified(method.refused(why), inTotal)
		}
		*n.to = schema.Some(value)
	}
	return q.conn.begin(q, command, func(result *schema.Result) ([]byte, *Error) {
		switch why := result.Rejection; {
		case why.Reason == schema.OrderTypeUnavailable && region == schema.EU:
			return nil, errNoSpot
		case why.Refused():
			return nil, modified(method.refused(why), inTotal)
		}
		return s.appendOrder(nil, &result.Order, asReply), nil
	})
}

// modified calls an amount that was sent as the total by that name.
func modified(e *Error, total bool) *Error {
	if rest, about := strings.CutPrefix(e.Message, "amount"); about && total && e.Code == errArgument.Code {
		return argument("total" + rest)
	}
	return e
}
