package ticket

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestOTOOfOrders: a primary shows the prices that it was sent with, what followed it its own, and others have no OTO.
func TestOTOOfOrders(t *testing.T) {
	profit, loss := fixed.FromInt(52000), fixed.FromUnits(480005, 1)
	for _, tt := range []struct {
		order schema.Order
		want  string
	}{
		{schema.Order{Group: 7, Role: schema.Primary, TakeProfit: profit, StopLoss: loss}, `,"oto":{"otoId":7,"stopLoss":"48000.5","takeProfit":"52000"}`},
		{schema.Order{Group: 7, Role: schema.Primary, TakeProfit: profit}, `,"oto":{"otoId":7,"takeProfit":"52000"}`},
		{schema.Order{Group: 7, Role: schema.TakeProfit, ActivationPrice: profit}, `,"oto":{"otoId":7,"takeProfit":"52000"}`},
		{schema.Order{Group: 7, Role: schema.StopLoss, ActivationPrice: loss}, `,"oto":{"otoId":7,"stopLoss":"48000.5"}`},
		{schema.Order{Role: schema.TakeProfit, ActivationPrice: profit}, ""},
		{schema.Order{Group: 7, Role: schema.StopLeg, ActivationPrice: loss}, ""},
		{schema.Order{ActivationPrice: loss}, ""},
	} {
		if got := string(otoField.Append(nil, &tt.order)); got != tt.want {
			t.Errorf("%s of group %d: %s, want %s", tt.order.Role, tt.order.Group, got, tt.want)
		}
	}
}

// TestConditions: what protects a position waits for the price that its role says, all others for the one of their side.
func TestConditions(t *testing.T) {
	for _, tt := range []struct {
		side schema.Side
		role schema.Role
		want string
	}{
		{schema.Buy, schema.NoRole, "gte"},
		{schema.Sell, schema.NoRole, "lte"},
		{schema.Sell, schema.Primary, "lte"},
		{schema.Sell, schema.StopLeg, "lte"},
		{schema.Buy, schema.StopLeg, "gte"},
		{schema.Sell, schema.TakeProfit, "gte"},
		{schema.Buy, schema.TakeProfit, "lte"},
		{schema.Sell, schema.StopLoss, "lte"},
		{schema.Buy, schema.StopLoss, "gte"},
	} {
		if got := Condition(&schema.Order{Side: tt.side, Role: tt.role}, "gte", "lte"); got != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.role, tt.side, got, tt.want)
		}
	}
}

func TestConditionalWords(t *testing.T) {
	one := fixed.One
	for _, tt := range []struct {
		profit, loss fixed.Decimal
		want         string
	}{{one, one, "margin_market_oco"}, {one, fixed.Zero, "margin_take_profit"}, {fixed.Zero, one, "margin_stop_loss"}} {
		if got := ConditionalWord(tt.profit, tt.loss); got != tt.want {
			t.Errorf("%s and %s: %s, want %s", tt.profit, tt.loss, got, tt.want)
		}
	}
}
