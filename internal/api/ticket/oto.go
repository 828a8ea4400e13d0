package ticket

import (
	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// inOTO reports whether an order is part of an OTO: its primary, or what followed that.
func inOTO(o *schema.Order) bool {
	return o.Role == schema.Primary || o.Role.Protects() && o.Group != 0
}

// lossOf and profitOf are the prices of the orders that are to follow a primary, and of an order that followed one its own.
func lossOf(o *schema.Order) fixed.Decimal {
	if o.Role == schema.StopLoss {
		return o.ActivationPrice
	}
	return o.StopLoss
}

func profitOf(o *schema.Order) fixed.Decimal {
	if o.Role == schema.TakeProfit {
		return o.ActivationPrice
	}
	return o.TakeProfit
}

var otoEncoder = api.Encode("OrderOTO", "The OTO that an order is part of: a primary order, and the take profit and stop loss that follow it.",
	api.IntegerField("otoId", "Id of the OTO, as order/oto-cancel takes it.", func(o *schema.Order) int64 { return int64(o.Group) }),
	api.DecimalField("stopLoss", "Price of the stop loss: on the primary if one is to follow it, and on the stop loss itself.", lossOf).
		If(func(o *schema.Order) bool { return !lossOf(o).IsZero() }),
	api.DecimalField("takeProfit", "Price of the take profit: on the primary if one is to follow it, and on the take profit itself.", profitOf).
		If(func(o *schema.Order) bool { return !profitOf(o).IsZero() }))

// OTOField is the OTO of an order, where there is one.
func OTOField[T any](order func(*T) *schema.Order) api.Field[T] {
	return api.ObjectField("oto", otoEncoder, "The OTO of the order. Orders of an OTO only.", order).
		If(func(v *T) bool { return inOTO(order(v)) })
}

var otoField = OTOField(func(o *schema.Order) *schema.Order { return o })

// ConditionalWords are what can follow the primary of an OTO: a take profit and a stop loss, or one of them.
var ConditionalWords = []string{"margin_market_oco", "margin_take_profit", "margin_stop_loss"}

// ConditionalWord is what follows a primary with these prices.
func ConditionalWord(takeProfit, stopLoss fixed.Decimal) string {
	switch {
	case stopLoss.IsZero():
		return ConditionalWords[1]
	case takeProfit.IsZero():
		return ConditionalWords[2]
	}
	return ConditionalWords[0]
}
