package ws

import (
	"slices"
	"strconv"
	"strings"

	"bourse/internal/schema"
)

// row is what a client of the socket sees of a reason. In the text "%" stands for the value of the
// rejection, and "#" for how many decimals it has.
type row struct {
	code int
	text string
}

// Texts that several reasons have.
const (
	tooSmall   = "amount too small"
	wrongFlags = "wrong flags combination"
	makerOrIOC = "flags: ioc=1 and post_only=1 can't be combined"
	equalsLast = "activation price should not be equal to the last price"
	forbidden  = "order contains forbidden flags"
)

// rows is the table of errors of the methods about orders: websocket 9. It has the reasons for which
// the core can refuse some method.
var rows = map[schema.Reason]row{
	schema.AccountUnknown:       {6, "require authentication"},
	schema.AccountBlocked:       {601, "account is restricted from trading"},
	schema.MarketUnavailable:    {1, "market does not exist"},
	schema.TradingNotAllowed:    {51, "trading in the market is not allowed"},
	schema.CollateralOnly:       {1, "the market is futures"},
	schema.OrderTypeUnavailable: {51, "trading in the market is not allowed"}, // of limit orders see place

	schema.IOCWithPostOnly:  {1, makerOrIOC},
	schema.IOCWithRPI:       {1, "flags: ioc=1 and rpi=1 can't be combined"},
	schema.RPIWithPostOnly:  {1, wrongFlags},
	schema.RetailNotEnabled: {602, forbidden},
	schema.RPINotEnabled:    {602, forbidden},
	schema.BBOWithPostOnly:  {1, wrongFlags},
	schema.BBOQueueWithIOC:  {1, makerOrIOC},
	schema.BBOEmpty:         {12, "not enough traders"},

	schema.AmountNotPositive:          {1, "amount must be > 0"},
	schema.AmountTooPrecise:           {1, "amount: precision is greater than #"},
	schema.AmountBelowMin:             {11, tooSmall},
	schema.AmountTooLarge:             {1, "amount must be <= %"},
	schema.AmountOffStep:              {1, "amount: not a multiple of step size"},
	schema.MoneyTooPrecise:            {1, "amount: precision is greater than #"},
	schema.MoneyBelowMin:              {11, tooSmall},
	schema.MoneyAboveMax:              {1, "amount must be <= %"},
	schema.PriceNotPositive:           {1, "price must be > 0"},
	schema.PriceTooPrecise:            {1, "price: precision is greater than #"},
	schema.PriceTooLarge:              {1, "price must be <= %"},
	schema.PriceOffTick:               {1, "price: not a multiple of tick size"},
	schema.ActivationNotPositive:      {1, "activation_price must be > 0"},
	schema.ActivationTooPrecise:       {1, "activation_price: precision is greater than #"},
	schema.ActivationTooLarge:         {1, "activation_price must be <= %"},
	schema.ActivationOffTick:          {1, "activation_price: not a multiple of tick size"},
	schema.ActivationEqualsLast:       {101, equalsLast},
	schema.ModifyActivationEqualsLast: {101, equalsLast},
	schema.EmptyHistory:               {1, "activation_price: nothing was traded yet"},
	schema.TotalBelowMin:              {11, tooSmall},
	schema.TotalAboveMax:              {1, "amount * price must be <= %"},
	schema.TooManyOrders:              {1, "an account may have at most % open orders on this market"},
	schema.ClientIDTaken:              {43, "client order id already exists"},

	schema.NotEnoughBalance:  {10, "balance not enough"},
	schema.AmountTooSmall:    {11, tooSmall},
	schema.PostOnlyWouldTake: {13, "order by taker price"},
	schema.OrderNotFound:     {6, "order not found"},

	schema.PositionSideMismatch: {114, "order's position side does not match user's setting"},
	schema.ReduceOnlyNothing:    {116, "margin order with reduce only is rejected"},
	schema.PositionTooBig:       {111, "margin position is too big"},
	schema.PendingTooBig:        {112, "margin pending orders value is too big"},
	schema.TooManyStops:         {103, "max num margin stop market orders"},
	schema.BaseNotLent:          {15, "margin exchange stock not enough"},
	schema.QuoteNotLent:         {16, "margin exchange money not enough"},
	schema.PriceOutOfBand:       {250, "price is out of bands"},
	schema.PriceUnknown:         {51, "trading in the market is not allowed"},
	schema.TradFiNotEnabled:     {10011, "tradfi futures are not enabled for the account"},

	schema.ProtectionWithReduceOnly: {1, "reduce_only can't be combined with take_profit and stop_loss"},
	schema.ProtectionWithRPI:        {1, "flags: rpi=1 can't be set for trigger in oto"},
	schema.TakeProfitNotPositive:    {1, "price of the take profit must be > 0"},
	schema.TakeProfitTooPrecise:     {1, "price of the take profit: precision is greater than #"},
	schema.TakeProfitTooLarge:       {1, "price of the take profit must be <= %"},
	schema.TakeProfitOffTick:        {1, "price of the take profit: not a multiple of tick size"},
	schema.TakeProfitWrong:          {105, "wrong activation price for take profit"},
	schema.StopLossNotPositive:      {1, "price of the stop loss must be > 0"},
	schema.StopLossTooPrecise:       {1, "price of the stop loss: precision is greater than #"},
	schema.StopLossTooLarge:         {1, "price of the stop loss must be <= %"},
	schema.StopLossOffTick:          {1, "price of the stop loss: not a multiple of tick size"},
	schema.StopLossWrong:            {106, "wrong activation price for stop loss"},
	schema.StopPriceNotPositive:     {1, "stop_limit_price must be > 0"},
	schema.StopPriceTooPrecise:      {1, "stop_limit_price: precision is greater than #"},
	schema.StopPriceTooLarge:        {1, "stop_limit_price must be <= %"},
	schema.StopPriceOffTick:         {1, "stop_limit_price: not a multiple of tick size"},
	schema.StopPriceOutOfBand:       {251, "stop_limit_price is out of bands"},
	schema.LimitWouldTake:           {150, "take profit is not post only"},
	schema.StopActivationWrong:      {151, "wrong activation price for stop loss"},
	schema.StopNotCovered:           {152, "can not place stop loss"},
	schema.LimitNotCovered:          {153, "can not place take profit"},
	schema.ClientIDsEqual:           {1, "limit_client_order_id and stop_client_order_id cannot be equal"},
	schema.PositionMissing:          {104, "margin position not exists"},
	schema.CancelOfGroup:            {6, "order not found"},
	schema.ModifyOfGroup:            {155, "conditional order modification"},
	schema.ModifyOfProtection:       {160, "tpsl order modification"},

	schema.ActivationOnLimit: {158, "wrong activation price for limit order"},
	schema.PriceOnStopMarket: {159, "wrong limit price for stop market order"},
	schema.TotalNotAllowed:   {162, "wrong param total"},
	schema.AmountNotAllowed:  {163, "wrong param amount"},
}

// Errors that come from no reason of the core.
var (
	// errNoMarginBalance is what an account is answered whose margin does not cover an order.
	errNoMarginBalance = &Error{17, "user margin balance not enough"}
	errMarginTaker     = &Error{14, "margin order by taker price"}

	errMarginMarket = &Error{19, "market is not margin market"}
	errTrigger      = &Error{201, "unknown trigger order type in oto"}
	errCondition    = &Error{200, "unknown conditional order type in oto"}
	errPostOnly     = &Error{40, "order is not post only"}
	errNoMargin     = &Error{10008, "margin is not available in the region"}
	errNoSpot       = &Error{10009, "spot orders of this kind are not available in the region"}
	errRestricted   = &Error{10010, "market is restricted in the region"}
)

// refused is what a client of the method sees of a rejection. A reason that the method does not list is
// an error of ours: the core refused what it should never have been asked.
func (m *Method) refused(r schema.Rejection) *Error {
	if r.Reason == schema.KeyRefused || r.Reason == schema.KeyNotAllowed { // it lost its right on the way
		return errAnonymous
	}
	if !slices.Contains(m.Refusals, r.Reason) {
		return errInternal
	}
	return worded(r)
}

// worded is a rejection in the words of the socket.
func worded(r schema.Rejection) *Error {
	row := rows[r.Reason]
	text := strings.Replace(row.text, "%", r.Value.String(), 1)
	return &Error{row.code, strings.Replace(text, "#", strconv.Itoa(r.Value.Decimals()), 1)}
}

// Errors that a reader finds, which the core would have too.
var (
	errNoSuchMarket = worded(schema.Refuse(schema.MarketUnavailable))
	errNoSuchOrder  = worded(schema.Refuse(schema.OrderNotFound))
)

// Why the core refuses orders.
var (
	anyOrder = []schema.Reason{
		schema.AccountUnknown, schema.AccountBlocked, schema.MarketUnavailable, schema.TradingNotAllowed, schema.OrderTypeUnavailable,
		schema.AmountNotPositive, schema.AmountTooPrecise, schema.AmountBelowMin, schema.AmountTooLarge, schema.AmountOffStep,
		schema.ClientIDTaken, schema.NotEnoughBalance,
	}
	ofCollateral = []schema.Reason{
		schema.TradFiNotEnabled, schema.PositionSideMismatch, schema.ReduceOnlyNothing, schema.PositionTooBig, schema.PendingTooBig, schema.PriceUnknown,
		schema.BaseNotLent, schema.QuoteNotLent,
	}
	inMoney = []schema.Reason{schema.MoneyTooPrecise, schema.MoneyBelowMin, schema.MoneyAboveMax}
	priced  = []schema.Reason{
		schema.PriceNotPositive, schema.PriceTooPrecise, schema.PriceTooLarge, schema.PriceOffTick, schema.TotalBelowMin, schema.TotalAboveMax,
	}
	triggered = []schema.Reason{schema.ActivationNotPositive, schema.ActivationTooPrecise, schema.ActivationTooLarge, schema.ActivationOffTick}
	waiting   = append(slices.Clone(triggered), schema.EmptyHistory)
	// protecting is for the prices of a take profit and a stop loss.
	protecting = []schema.Reason{
		schema.TakeProfitNotPositive, schema.TakeProfitTooPrecise, schema.TakeProfitTooLarge, schema.TakeProfitOffTick, schema.TakeProfitWrong,
		schema.StopLossNotPositive, schema.StopLossTooPrecise, schema.StopLossTooLarge, schema.StopLossOffTick, schema.StopLossWrong,
	}
)
