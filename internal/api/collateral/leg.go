package collateral

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// leg is one of the two orders of an OCO. Endpoints write it in three ways, which clients know each by itself: as it was placed, in
// a list of OCOs, and in a list of all conditional orders.
type leg struct {
	*schema.Order
	directory    *directory.Directory
	maker, taker fixed.Decimal // what the account pays on the market, in percent
}

func (l *leg) isStop() bool { return l.Type.IsStop() }

func (l *leg) activated() int64 {
	if l.ActivatedAt != 0 {
		return 1
	}
	return 0
}

// legBegins are the fields that all three begin with. In lists types have a word before them.
func legBegins(word string) []api.Field[leg] {
	return []api.Field[leg]{
		api.IntegerField("orderId", "Order id.", func(l *leg) int64 { return int64(l.ID) }),
		api.TextField("clientOrderId", "Client order id, empty if there is none.", func(l *leg) []byte { return l.ClientID.Bytes() }),
		api.StringField("market", "Market name.", func(l *leg) string { return l.directory.MarketName(l.Market) }),
		api.EnumField("side", api.SideWords, "Side of the order.", func(l *leg) string { return l.Side.String() }),
		api.EnumField("type", []string{word + schema.Limit.String(), word + schema.StopLimit.String()}, "Order type.", func(l *leg) string { return word + l.Type.String() }),
		api.TimestampField("timestamp", "Time at which the order was placed.", func(l *leg) schema.Time { return l.Created }),
		api.DecimalField("dealMoney", "Filled amount in the quote asset.", func(l *leg) fixed.Decimal { return l.DealMoney }),
		api.DecimalField("dealStock", "Filled amount in the base asset.", func(l *leg) fixed.Decimal { return l.DealStock }),
		api.DecimalField("amount", "Original amount in the base asset.", func(l *leg) fixed.Decimal { return l.Amount }),
	}
}

var (
	legLeft = []api.Field[leg]{
		api.DecimalField("left", "Unfilled amount.", func(l *leg) fixed.Decimal { return l.Left }),
		api.DecimalField("dealFee", "Fee so far: in the quote asset, in USDT on futures. Negative: rebate.", func(l *leg) fixed.Decimal { return l.DealFee }),
	}
	legFees = []api.Field[leg]{
		api.DecimalField("takerFee", "Taker fee of the account as a ratio: 0.001 is 0.1 %.", func(l *leg) fixed.Decimal { return l.taker.Percent() }),
		api.DecimalField("makerFee", "Maker fee of the account as a ratio. Negative: rebate.", func(l *leg) fixed.Decimal { return l.maker.Percent() }),
	}
	legFeeAsset = api.StringField("feeAsset", "Asset of the fee.", func(l *leg) string {
		return l.directory.FeeAsset(l.directory.MarketByID(l.Market), l.Side, l.Collateral)
	})
	legPostOnly = api.BooleanField("post_only", "Always false: it is not asked for, and the limit order of an OCO never takes when it is placed.", func(l *leg) bool { return l.PostOnly })
	legPrice    = []api.Field[leg]{
		api.TimestampField("mtime", "Time of the last change.", func(l *leg) schema.Time { return l.Updated }),
		api.DecimalField("price", "Limit price.", func(l *leg) fixed.Decimal { return l.Price }),
	}
	legStatus = []api.Field[leg]{
		api.EnumField("status", ticket.StatusWords, "OPEN and PARTIALLY_FILLED orders are active; the other values say how the order ended.", func(l *leg) string { return l.Status.String() }),
		api.EnumField("stp", ticket.STPWords, "Self-trade prevention mode.", func(l *leg) string { return l.STP.String() }),
		api.EnumField("positionSide", ticket.SideWords, "Position side, BOTH in one-way mode.", func(l *leg) string { return l.PositionSide.String() }),
	}
	legReduceOnly = api.BooleanField("reduceOnly", "Whether the order is reduce-only.", func(l *leg) bool { return l.ReduceOnly })
)

// legEnds are the fields that only the stop has, by the names that they have there.
func legEnds(price, condition string) []api.Field[leg] {
	return []api.Field[leg]{
		api.DecimalField(price, "Activation price. The stop only.", func(l *leg) fixed.Decimal { return l.ActivationPrice }).If((*leg).isStop),
		api.EnumField(condition, []string{"gte", "lte"}, "Whether the stop is activated at or above (gte), or at or below (lte) its activation price. The stop only.",
			func(l *leg) string { return ticket.Condition(l.Order, "gte", "lte") }).If((*leg).isStop),
		api.IntegerField("activated", "1 once the stop is activated, 0 before. The stop only.", (*leg).activated).If((*leg).isStop),
	}
}

const inLists = "margin "

var (
	newLegEncoder = api.Encode("NewOCOOrder", "One of the two orders of a new OCO.", slices.Concat(
		legBegins(""), legFees, legLeft, []api.Field[leg]{legPostOnly}, legPrice, legStatus, legEnds("activation_price", "activation_condition"))...)
	legEncoder = api.Encode("OCOOrder", "One of the two orders of an OCO.", slices.Concat(
		legBegins(inLists), legLeft, []api.Field[leg]{legFeeAsset, legPostOnly}, legPrice, legStatus, []api.Field[leg]{legReduceOnly},
		legEnds("activation_price", "activation_condition"))...)
	conditionalLegEncoder = api.Encode("ConditionalOCOOrder", "One of the two orders of an OCO, in the list of conditional orders.", slices.Concat(
		legBegins(inLists), legLeft, legStatus, []api.Field[leg]{legReduceOnly}, legPrice, legEnds("activationPrice", "activationCondition"))...)
)

// group is an OCO, by its two orders, or an OTO, by its primary.
type group struct {
	id          schema.OrderID
	limit, stop leg
	primary     *schema.Order // nil of an OCO
}

// legFields are the two orders of an OCO, by the names that they have there.
func legFields(of *api.Encoder[leg], loss, profit string) []api.Field[group] {
	return []api.Field[group]{
		api.ObjectField(loss, of, "The stop-limit order.", func(g *group) *leg { return &g.stop }),
		api.ObjectField(profit, of, "The limit order.", func(g *group) *leg { return &g.limit }),
	}
}

func groupID(g *group) int64 { return int64(g.id) }
