package schema

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
)

func TestEveryReasonHasARow(t *testing.T) {
	for r := OK + 1; r < reasons; r++ {
		row := reasonTable[r]
		if row.text == "" {
			t.Errorf("reason %d has no text", r)
		}
		switch row.status {
		case 400, 401, 422, 453:
		case 503:
			if r != MarketBusy {
				t.Errorf("reason %d (%s) has status 503", r, row.text)
			}
		default:
			t.Errorf("reason %d (%s) has status %d", r, row.text, row.status)
		}
		if strings.Count(row.text, "%") > 1 {
			t.Errorf("reason %d (%s) speaks of more than one value", r, row.text)
		}
	}
	if Refuse(OK).Refused() || (Rejection{}).Refused() || !Refuse(AccountUnknown).Refused() {
		t.Error("only reasons other than OK refuse")
	}
}

func TestRetiredCodesAreNotUsed(t *testing.T) {
	for r := OK + 1; r < reasons; r++ {
		if reasonTable[r].code == 41 {
			t.Errorf("reason %d (%s) has code 41, which is retired", r, reasonTable[r].text)
		}
	}
}

// TestCodesAreThoseOfTheSpec holds the table against errors-and-limits 2 and 3.
func TestCodesAreThoseOfTheSpec(t *testing.T) {
	for _, tt := range []struct {
		reason Reason
		code   int
		status int
		field  string
		text   string // what it contains
	}{
		{AccountUnknown, 0, 401, "", "This action is unauthorized."},
		{OrderTypeUnavailable, 30, 453, "orderType", "This order type is not available"},
		{AmountOffStep, 1, 422, "amount", "must be a multiple of 0.01."},
		{PriceOffTick, 1, 422, "price", "Price must be a multiple of 0.01."},
		{ActivationOffTick, 1, 422, "activation_price", "must be a multiple of 0.01."},
		{MarketUnavailable, 31, 422, "market", "Market is not available."},
		{AmountNotPositive, 32, 422, "amount", "Amount should be greater than 0."},
		{AmountTooPrecise, 32, 422, "amount", "Min amount step = 0.01"},
		{AmountBelowMin, 32, 422, "amount", "Given amount is less than min amount 0.01"},
		{PriceNotPositive, 33, 422, "price", "Price should be greater than 0."},
		{PriceTooPrecise, 33, 422, "price", "Min price step = 0.01"},
		{TotalBelowMin, 30, 422, "total", "less than 0.01"},
		{ClientIDInvalid, 36, 422, "clientOrderId", "ClientOrderId"},
		{ClientIDTaken, 36, 422, "clientOrderId", "This client order id is already used by the current account."},
		{IOCWithPostOnly, 37, 422, "ioc", "Either IOC or PostOnly flag in true state is allowed."},
		{IOCWithRPI, 40, 422, "ioc", ""},
		{RetailNotEnabled, 42, 422, "retail", "api.validation.retail.not_allowed"},
		{RPINotEnabled, 43, 422, "rpi", ""},
		{TradingNotAllowed, 51, 400, "price", "Trading in the market is not allowed."},
		{NotEnoughBalance, 10, 400, "amount", "Not enough balance."},
		{AmountTooSmall, 11, 400, "amount", "Amount too small."},
		{PostOnlyWouldTake, 13, 400, "postOnly", "This order couldn't be executed as a maker order and was canceled."},
		{OrderNotFound, 2, 400, "orderId", "Unexecuted order was not found."},
		{ModifyActivationEqualsLast, 101, 400, "activation_price", ""},
		{ActivationOnLimit, 158, 400, "activation_price", ""},
		{PriceOnStopMarket, 159, 422, "price", ""},
		{TotalNotAllowed, 162, 422, "total", ""},
		{AmountNotAllowed, 163, 422, "amount", ""},
		{CancelBulkEmpty, 30, 422, "orders", "validation.required"},
		{CancelBulkTooMany, 30, 422, "orders", "validation.between"},
		{TimeoutTooShort, 30, 422, "timeout", "5"},
		{MoveNotCovered, 3, 422, "amount", "available 0.01"},
		{MoveHeld, 20, 422, "amount", "free 0.01"},
	} {
		r := Rejection{Reason: tt.reason, Value: fixed.FromUnits(1, 2)}
		if r.Code() != tt.code || r.Status() != tt.status || r.Field() != tt.field || !strings.Contains(r.Text(), tt.text) {
			t.Errorf("got %d, %d, %q, %q, want %d, %d, %q, %q", r.Code(), r.Status(), r.Field(), r.Text(), tt.code, tt.status, tt.field, tt.text)
		}
	}
}

func TestTextSpeaksOfTheValue(t *testing.T) {
	r := Rejection{Reason: AmountBelowMin, Value: fixed.MustParse("0.0050")}
	if got := r.Text(); got != "Given amount is less than min amount 0.005" {
		t.Errorf("got %q", got)
	}
	if got := Refuse(NotEnoughBalance).Text(); got != "Not enough balance." {
		t.Errorf("got %q", got)
	}
}
