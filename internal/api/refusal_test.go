package api

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestEveryReasonHasARow(t *testing.T) {
	reasons := schema.Reasons()[1:]
	if len(refusals) != len(reasons)+1 {
		t.Fatalf("%d rows for %d reasons", len(refusals)-1, len(reasons))
	}
	for _, r := range reasons {
		switch Status(r) {
		case 400, 401, 422, 453:
		case 403:
			if r != schema.NoPermission {
				t.Errorf("%s has status 403", r)
			}
		case 503:
			if r != schema.MarketBusy && r != schema.ChallengesTooMany && r != schema.ConversionsOff && r != schema.PoolOff {
				t.Errorf("%s has status 503", r)
			}
		case 404, 409, 412, 429: // of the door for browsers and of OAuth, but for 412 and keys of conversions
			if r != schema.ConversionKeyUsed && r != schema.ConversionKeysTooMany && (r < schema.UserUnknown || r > schema.OnceTooMany) && (r < schema.PartnerUnknown || r > schema.NotVerified) {
				t.Errorf("%s has status %d", r, Status(r))
			}
		default:
			t.Errorf("%s has status %d", r, Status(r))
		}
		if Code(r) == 41 {
			t.Errorf("%s has code 41, which is retired", r)
		}
	}
}

// TestCodesAreThoseOfTheSpec holds the table against errors-and-limits 2 and 3.
func TestCodesAreThoseOfTheSpec(t *testing.T) {
	for _, tt := range []struct {
		reason schema.Reason
		code   int
		status int
		field  string
		text   string // what it contains
	}{
		{schema.AccountUnknown, 0, 401, "", "This action is unauthorized."},
		{schema.OrderTypeUnavailable, 30, 453, "orderType", "This order type is not available"},
		{schema.AmountOffStep, 1, 422, "amount", "must be a multiple of 0.01."},
		{schema.PriceOffTick, 1, 422, "price", "Price must be a multiple of 0.01."},
		{schema.ActivationOffTick, 1, 422, "activation_price", "must be a multiple of 0.01."},
		{schema.MarketUnavailable, 31, 422, "market", "Market is not available."},
		{schema.AmountNotPositive, 32, 422, "amount", "Amount should be greater than 0."},
		{schema.AmountTooPrecise, 32, 422, "amount", "Min amount step = 0.01"},
		{schema.AmountBelowMin, 32, 422, "amount", "Given amount is less than min amount 0.01"},
		{schema.ConversionsOff, 0, 503, "", "Conversions are switched off at the moment."},
		{schema.ConversionUnavailable, 0, 422, "from", "Conversion markets not available"},
		{schema.ConversionTooSmall, 0, 422, "amount", "validation.amount_too_small"},
		{schema.ConversionTooLarge, 32, 400, "amount", "frontendServerSide.converter.amountIsTooBig"},
		{schema.ConversionNotCovered, 37, 400, "amount", "validation.balance"},
		{schema.ConversionKeyUsed, 0, 409, "request", "frontendServerSide.converter.idempotencyKeyReused"},
		{schema.ConversionKeysTooMany, 0, 429, "", "Too many conversions with an idempotency key in 24 hours."},
		{schema.QuoteUnknown, 0, 422, "quoteId", "Quote could not be found"},
		{schema.QuoteUsed, 0, 422, "quoteId", "frontendServerSide.converter.quoteInvalid"},
		{schema.QuoteExpired, 20, 400, "quoteId", "api.converter.quoteExpired"},
		{schema.PoolOff, 0, 503, "", "The mining pool is switched off at the moment."},
		{schema.MiningNameTaken, 0, 400, "name", "The name has already been taken."},
		{schema.MiningTooMany, 0, 400, "error", "miningPool.validation.maxAccounts"},
		{schema.MiningUnknown, 0, 400, "user", "Mining account not found."},
		{schema.PoolPayoutOff, 0, 400, "destination", "miningPool.validation.payoutDestination.customCurrencyConflict"},
		{schema.WatchesTooMany, 0, 400, "user", "Limit exceeded"},
		{schema.PriceNotPositive, 33, 422, "price", "Price should be greater than 0."},
		{schema.PriceTooPrecise, 33, 422, "price", "Min price step = 0.01"},
		{schema.TotalBelowMin, 30, 422, "total", "less than 0.01"},
		{schema.ClientIDInvalid, 36, 422, "clientOrderId", "ClientOrderId"},
		{schema.ClientIDTaken, 36, 422, "clientOrderId", "This client order id is already used by the current account."},
		{schema.IOCWithPostOnly, 37, 422, "ioc", "Either IOC or PostOnly flag in true state is allowed."},
		{schema.IOCWithRPI, 40, 422, "ioc", ""},
		{schema.RetailNotEnabled, 42, 422, "retail", "api.validation.retail.not_allowed"},
		{schema.RPINotEnabled, 43, 422, "rpi", ""},
		{schema.TradingNotAllowed, 51, 400, "price", "Trading in the market is not allowed."},
		{schema.NotEnoughBalance, 10, 400, "amount", "Not enough balance."},
		{schema.AmountTooSmall, 11, 400, "amount", "Amount too small."},
		{schema.PostOnlyWouldTake, 13, 400, "postOnly", "This order couldn't be executed as a maker order and was canceled."},
		{schema.OrderNotFound, 2, 400, "orderId", "Unexecuted order was not found."},
		{schema.ModifyActivationEqualsLast, 101, 400, "activation_price", ""},
		{schema.ActivationOnLimit, 158, 400, "activation_price", ""},
		{schema.PriceOnStopMarket, 159, 422, "price", ""},
		{schema.TotalNotAllowed, 162, 422, "total", ""},
		{schema.AmountNotAllowed, 163, 422, "amount", ""},
		{schema.CancelBulkEmpty, 30, 422, "orders", "validation.required"},
		{schema.CancelBulkTooMany, 30, 422, "orders", "validation.between"},
		{schema.TimeoutTooShort, 30, 422, "timeout", "5"},
		{schema.LeverageInvalid, 30, 422, "leverage", "and at most 0.01."},
		{schema.LeverageNotCovered, 17, 422, "leverage", "Not enough balance"},
		{schema.HedgeModeInUse, 113, 422, "hedgeMode", "Position side cannot be changed if there exists futures positions or orders"},
		{schema.PositionSideMismatch, 114, 422, "hedgeMode", "Order's position side does not match user's setting"},
		{schema.ReduceOnlyNothing, 116, 422, "reduceOnly", "Reduce-only: Position doesn't exist or wrong side"},
		{schema.PositionTooBig, 111, 422, "amount", "margin position too big"},
		{schema.PendingTooBig, 112, 422, "amount", "margin pending orders value too big"},
		{schema.PriceOutOfBand, 250, 400, "price", "The Price is out of bands"},
		{schema.PriceUnknown, 51, 400, "market", "no fresh price"},
		{schema.TooManyStops, 103, 400, "error", "Max. limit of margin stop limit orders have been reached."},
		{schema.PositionUnknown, 104, 400, "positionId", "position doesn't exist."},
		{schema.MoveNotCovered, 3, 422, "amount", "available 0.01"},
		{schema.CollateralNotOffered, 0, 422, "to", "not available in your region"},
		{schema.MoveHeld, 20, 422, "amount", "free 0.01"},
		{schema.AssetNotOffered, 1, 422, "ticker", "not available in your region"},
		{schema.WithdrawDisabled, 1, 422, "ticker", "cannot be withdrawn"},
		{schema.WithdrawAddressInvalid, 2, 422, "address", "The address is invalid"},
		{schema.WithdrawBelowMin, 3, 422, "amount", "at least 0.01"},
		{schema.WithdrawBelowFee, 6, 422, "amount", "which is 0.01"},
		{schema.WithdrawTooPrecise, 7, 422, "amount", "decimals"},
		{schema.WithdrawOwnAddress, 9, 422, "address", "one of your own"},
		{schema.WithdrawAboveMax, 0, 422, "amount", "at most 0.01"},
		{schema.UniqueTaken, 0, 400, "uniqueId", "The unique id has already been taken."},
		{schema.ProtectionWithReduceOnly, 30, 422, "reduceOnly", "should not be sent with an order that only reduces"},
		{schema.ProtectionWithRPI, 30, 422, "rpi", "should not be sent with rpi"},
		{schema.TakeProfitNotPositive, 33, 422, "takeProfit", "TakeProfit should be greater than 0."},
		{schema.StopLossTooPrecise, 33, 422, "stopLoss", "Min stopLoss step = 0.01"},
		{schema.TakeProfitOffTick, 1, 422, "takeProfit", "TakeProfit must be a multiple of 0.01."},
		{schema.StopLossOffTick, 1, 422, "stopLoss", "StopLoss must be a multiple of 0.01."},
		{schema.TakeProfitWrong, 105, 400, "takeProfit", "Wrong activation price for take profit."},
		{schema.StopLossWrong, 106, 400, "stopLoss", "Wrong activation price for stop loss."},
		{schema.StopPriceNotPositive, 33, 422, "stop_limit_price", "Stop_limit_price should be greater than 0."},
		{schema.StopPriceTooPrecise, 33, 422, "stop_limit_price", "Min price step = 0.01"},
		{schema.StopPriceOffTick, 1, 422, "stop_limit_price", "must be a multiple of 0.01."},
		{schema.StopPriceOutOfBand, 251, 400, "stopLimitPrice", "The Price is out of bands"},
		{schema.LimitWouldTake, 150, 400, "price", "Can't place limit order."},
		{schema.StopActivationWrong, 151, 400, "activation_price", "Wrong activation price for stop loss."},
		{schema.StopNotCovered, 152, 400, "price", "Not enough balance for stop limit order."},
		{schema.LimitNotCovered, 153, 400, "price", "Not enough balance for limit order."},
		{schema.PositionMissing, 104, 400, "positionId", "no position"},
		{schema.CancelOfGroup, 2, 400, "orderId", "canceled as a whole"},
		{schema.ModifyOfGroup, 155, 400, "orderId", "Conditional orders can't be modified."},
		{schema.ModifyOfProtection, 160, 400, "orderId", "TPSL orders can't be modified."},
		{schema.BaseNotLent, 15, 400, "error", "ry again later."},
		{schema.QuoteNotLent, 16, 400, "error", "ry again later."},
		{schema.TradFiNotEnabled, 10011, 422, "market", "TradFi futures are not enabled for this account."},
	} {
		r := schema.Rejection{Reason: tt.reason, Value: fixed.FromUnits(1, 2)}
		if Code(tt.reason) != tt.code || Status(tt.reason) != tt.status || FieldOf(tt.reason) != tt.field || !strings.Contains(r.Text(), tt.text) {
			t.Errorf("%s: got %d, %d, %q, %q, want %d, %d, %q, %q", tt.reason, Code(tt.reason), Status(tt.reason), FieldOf(tt.reason), r.Text(),
				tt.code, tt.status, tt.field, tt.text)
		}
	}
}

// TestMessagesTellWhoFoundIt: errors-and-limits 2 says which codes are about the request alone.
func TestMessagesTellWhoFoundIt(t *testing.T) {
	for reason, want := range map[schema.Reason]string{
		schema.MarketUnavailable: ValidationFailed, schema.AmountOffStep: ValidationFailed, schema.RPINotEnabled: ValidationFailed,
		schema.PositionTooBig: ValidationFailed, schema.PositionSideMismatch: ValidationFailed, schema.ReduceOnlyNothing: ValidationFailed,
		schema.NotEnoughBalance: InnerValidationFailed, schema.LeverageNotCovered: InnerValidationFailed,
		schema.PriceOutOfBand: InnerValidationFailed, schema.PriceUnknown: InnerValidationFailed, schema.PositionUnknown: InnerValidationFailed,
		schema.TooManyStops: InnerValidationFailed, schema.TakeProfitOffTick: ValidationFailed, schema.StopLossNotPositive: ValidationFailed,
		schema.TakeProfitWrong: InnerValidationFailed, schema.LimitWouldTake: InnerValidationFailed, schema.ModifyOfProtection: InnerValidationFailed,
		schema.TradFiNotEnabled: ValidationFailed,
	} {
		if got := Refusal(schema.Refuse(reason)).Message; got != want {
			t.Errorf("%s: %s, want %s", reason, got, want)
		}
	}
}

// TestStepErrorsHaveBothSpellings: of fields that requests spell in snake case.
func TestStepErrorsHaveBothSpellings(t *testing.T) {
	for reason, want := range map[schema.Reason][]string{
		schema.PriceOffTick: {"price"}, schema.ActivationOffTick: {"activation_price", "activationPrice"}, schema.TakeProfitOffTick: {"takeProfit"},
		schema.StopPriceOffTick: {"stop_limit_price", "stopLimitPrice"}, schema.StopPriceTooPrecise: {"stop_limit_price"},
	} {
		var got []string
		for _, f := range Refusal(schema.Refuse(reason)).Fields {
			got = append(got, f.Field)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}
