package story

import (
	"slices"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// exit reads the price of a take profit or a stop loss. It is false if the next words are neither.
func (l *line) exit(takeProfit, stopLoss *fixed.Decimal) bool {
	switch {
	case l.take("take", "profit"):
		*takeProfit = l.decimal("the price of a take profit")
	case l.take("stop", "loss"):
		*stopLoss = l.decimal("the price of a stop loss")
	default:
		return false
	}
	return true
}

// oco reads the stop of an OCO, whose limit order was read before it, and places both.
func (t *teller) oco(l *line, r *schema.OrderRequest) {
	if r.Type != schema.Limit || r.BBO != schema.BBONone {
		l.fail("the first order of an OCO has a price")
	}
	cmd := &schema.PlaceOCO{Account: l.trader, Market: r.Market, Side: r.Side, Amount: r.Amount, Price: r.Price}
	l.want("@")
	cmd.StopPrice = l.decimal("the price of the stop")
	l.want("once")
	cmd.ActivationPrice = l.decimal("a trigger")
	for l.more() {
		key, value, _ := strings.Cut(l.words[0], "=")
		switch {
		case key == "stopid":
			l.next("a client order id")
			cmd.StopClientID = l.client(value)
		case slices.Contains([]string{"reduceonly", "long", "short", "stp", "id"}, key):
			l.flag(r)
		default:
			l.fail("%q is not a flag of an OCO", l.words[0])
		}
	}
	cmd.STP, cmd.LimitClientID, cmd.ReduceOnly, cmd.PositionSide = r.STP, r.ClientID, r.ReduceOnly, r.PositionSide
	t.send(l, cmd)
}

// protects places a take profit and a stop loss for a whole position.
func (t *teller) protects(l *line) {
	cmd := &schema.PlaceTPSL{Account: l.trader, Market: t.market(l)}
	for l.more() {
		mode, stp := strings.CutPrefix(l.words[0], "stp=")
		switch {
		case l.exit(&cmd.TakeProfit, &cmd.StopLoss):
		case l.take("long"):
			cmd.PositionSide = schema.LongSide
		case l.take("short"):
			cmd.PositionSide = schema.ShortSide
		case stp:
			l.next("a mode")
			cmd.STP = l.stp(mode)
		default:
			l.fail("%q is not about a take profit or a stop loss", l.words[0])
		}
	}
	t.send(l, cmd)
}

// cancelGroup ends a group, named as orders are.
func (t *teller) cancelGroup(l *line, kind schema.GroupKind) {
	ref := l.ref()
	l.want("on")
	t.send(l, &schema.CancelGroup{Account: l.trader, Market: t.market(l), Group: ref.ID, ClientID: ref.ClientID, GroupKind: kind})
}

// role says what an order is to others, "" where it stands alone.
func role(o *schema.Order) string {
	switch o.Role {
	case schema.Primary:
		return "primary of OTO " + id(o.Group)
	case schema.LimitLeg:
		return "limit order of OCO " + id(o.Group)
	case schema.StopLeg:
		return "stop of OCO " + id(o.Group)
	case schema.TakeProfit, schema.StopLoss:
		if o.Group == 0 {
			return o.Role.String() + " of the position"
		}
		return o.Role.String() + " of OTO " + id(o.Group)
	}
	return ""
}
