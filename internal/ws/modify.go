package ws

import (
	"strings"

	"bourse/internal/schema"
)

// modify replaces an open order by a changed one. What is omitted stays.
func (s *Server) modify(q *call) *Error {
	account, f := q.account, q.fields()
	name, ref := f.market(), f.reference()
	amount, total := f.number("amount", f.find("amount")), f.number("total", f.find("total"))
	price, activation := f.number("price", f.find("price")), f.number("activation_price", f.find("activation_price"))
	stp, given := f.stp()
	switch {
	case !amount.given && !total.given && !price.given && !activation.given:
		f.wrong(rows[schema.ModifyNothing].text)
	case amount.given && total.given:
		f.wrong(rows[schema.ModifyAmountAndTotal].text)
	}

	region := s.region(account)
	m := s.options.API.Directory().Market(name)
	switch {
	case m != nil && !m.Regions.Include(region):
		return errRestricted
	case f.err != nil:
		return f.err
	case m == nil:
		return refused(schema.Refuse(schema.MarketUnavailable))
	case ref.ID == 0 && ref.ClientID.IsZero():
		return refused(schema.Refuse(schema.OrderNotFound))
	}
	ref.Market = m.ID
	command := &schema.ModifyOrder{Account: account.ID, Order: ref, STP: stp, KeepSTP: !given}
	for _, n := range []struct {
		number number
		to     *schema.Optional
		fine   schema.Reason
		places uint8
	}{
		{amount, &command.Amount, schema.AmountTooPrecise, m.StockPrec},
		{total, &command.Total, schema.MoneyTooPrecise, m.MoneyPrec},
		{price, &command.Price, schema.PriceTooPrecise, m.MoneyPrec},
		{activation, &command.ActivationPrice, schema.ActivationTooPrecise, m.MoneyPrec},
	} {
		if !n.number.given {
			continue
		}
		value, why := n.number.Fit(n.fine, n.places)
		if why.Refused() {
			return modified(refused(why), total.given)
		}
		*n.to = schema.Some(value)
	}
	return q.conn.begin(q, command, func(result *schema.Result) ([]byte, *Error) {
		switch why := result.Rejection; {
		case why.Reason == schema.OrderTypeUnavailable && region == schema.EU:
			return nil, errNoSpot
		case why.Refused():
			return nil, modified(refused(why), total.given)
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
