package schema

import (
	"strings"

	"bourse/internal/fixed"
)

// Reason is why a command was refused. What clients see of it stands in one table: the body
// code, the HTTP status, the field it is about and the text, as the documents in docs/api
// give them.
type Reason uint8

const (
	OK Reason = iota

	// Who asks, and on which market.
	AccountUnknown
	AccountBlocked
	KeyRefused
	NonceUsed
	NonceOutsideWindow
	MarketUnavailable
	TradingNotAllowed
	OrderTypeUnavailable

	// Words and flags of an order.
	SideInvalid
	TypeInvalid
	STPInvalid
	IOCWithPostOnly
	IOCWithRPI
	RPIWithPostOnly
	RetailNotEnabled
	RPINotEnabled
	FlagNotAllowed
	BBOInvalid
	BBONotAllowed
	BBOWithPostOnly
	BBOWithRPI
	BBOQueueWithIOC
	BBOEmpty

	// Numbers of an order.
	AmountNotPositive
	AmountTooPrecise
	AmountBelowMin
	AmountTooLarge
	AmountOffStep
	MoneyTooPrecise
	MoneyBelowMin
	MoneyAboveMax
	PriceNotPositive
	PriceTooPrecise
	PriceTooLarge
	PriceOffTick
	ActivationNotPositive
	ActivationTooPrecise
	ActivationTooLarge
	ActivationOffTick
	ActivationEqualsLast
	ModifyActivationEqualsLast
	EmptyHistory
	TotalBelowMin
	TotalAboveMax
	ClientIDInvalid
	ClientIDTaken

	// What the engine finds.
	NotEnoughBalance
	AmountTooSmall
	PostOnlyWouldTake
	OrderNotFound
	OrderRefInvalid

	// Modify, bulk, kill switch.
	ModifyNothing
	ModifyAmountAndTotal
	ActivationOnLimit
	PriceOnStopMarket
	TotalNotAllowed
	AmountNotAllowed
	BulkEmpty
	BulkTooMany
	CancelBulkEmpty
	CancelBulkTooMany
	TimeoutTooShort
	TimeoutTooLong
	ProductsInvalid

	// Wallets.
	AssetUnknown
	FromInvalid
	ToInvalid
	WalletsEqual
	WalletsNotDirect
	MoveNotPositive
	MoveTooPrecise
	MoveTooLarge
	LeavingDisabled
	EnteringDisabled
	MoveNotCovered
	WithdrawNotCovered
	MoveHeld
	ConfirmTooMuch

	// The operator's commands.
	TickerInvalid
	ScaleInvalid
	ClassInvalid
	NetworkInvalid
	LimitInvalid
	ImmutableChanged
	NameInvalid
	NameTaken
	AssetsInvalid
	MarketTypeInvalid
	PrecisionInvalid
	StepInvalid
	FeeInvalid
	BandInvalid
	TimesInvalid
	MarketDelisted
	RegionInvalid
	KeyInvalid
	KeyUnknown
	FeatureInvalid
	IndexInvalid

	// What came with bounded work.
	MarketBusy
	TooManyOrders
	OrdersLimitInvalid
	FeatureForGood

	reasons // how many there are
)

// reason is a row of the table. A "%" in the text stands for the value of the rejection.
type reason struct {
	code   int
	status int
	field  string
	text   string
}

const maker = "This order couldn't be executed as a maker order and was canceled."

var reasonTable = [reasons]reason{
	AccountUnknown:       {0, 401, "", "This action is unauthorized."},
	AccountBlocked:       {2, 401, "", "This action is unauthorized. The account is blocked."},
	KeyRefused:           {2, 401, "", "This action is unauthorized. Enable your key in API settings"},
	NonceUsed:            {0, 401, "", "Too many requests."},
	NonceOutsideWindow:   {0, 401, "", "Your nonce is more than 5 seconds lesser than the current nonce"},
	MarketUnavailable:    {31, 422, "market", "Market is not available."},
	TradingNotAllowed:    {51, 400, "price", "Trading in the market is not allowed."},
	OrderTypeUnavailable: {30, 453, "orderType", "This order type is not available"},

	SideInvalid:      {30, 422, "side", "Side field should contain only 'buy' or 'sell' values."},
	TypeInvalid:      {30, 422, "type", "Order type should be limit, market, stock market, stop limit or stop market."},
	STPInvalid:       {30, 422, "stp", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values."},
	IOCWithPostOnly:  {37, 422, "ioc", "Either IOC or PostOnly flag in true state is allowed."},
	IOCWithRPI:       {40, 422, "ioc", "Either IOC or RPI flag in true state is allowed."},
	RPIWithPostOnly:  {30, 422, "postOnly", "PostOnly should not be sent with RPI: an RPI order is always post-only."},
	RetailNotEnabled: {42, 422, "retail", "api.validation.retail.not_allowed"},
	RPINotEnabled:    {43, 422, "rpi", "RPI orders are not enabled for this account."},
	FlagNotAllowed:   {30, 422, "orderType", "The postOnly, ioc, rpi and retail flags are for limit orders only."},
	BBOInvalid:       {30, 422, "bboRole", "BboRole should be 1 or 2."},
	BBONotAllowed:    {30, 422, "bboRole", "BboRole is for limit and stop limit orders only."},
	BBOWithPostOnly:  {30, 422, "bboRole", "BboRole should not be sent with postOnly."},
	BBOWithRPI:       {30, 422, "bboRole", "BboRole should not be sent with rpi."},
	BBOQueueWithIOC:  {30, 422, "bboRole", "With ioc only bboRole 2 is allowed."},
	BBOEmpty:         {30, 422, "bboRole", "There is no price to take: that side of the order book is empty."},

	AmountNotPositive:          {32, 422, "amount", "Amount should be greater than 0."},
	AmountTooPrecise:           {32, 422, "amount", "Min amount step = %"},
	AmountBelowMin:             {32, 422, "amount", "Given amount is less than min amount %"},
	AmountTooLarge:             {32, 422, "amount", "Given amount is greater than max amount %"},
	AmountOffStep:              {1, 422, "amount", "Amount must be a multiple of %."},
	MoneyTooPrecise:            {32, 422, "amount", "Min total step = = %"},
	MoneyBelowMin:              {32, 422, "amount", "Total amount should be no less than % + trade fee"},
	MoneyAboveMax:              {32, 422, "amount", "Total amount should be no greater than %"},
	PriceNotPositive:           {33, 422, "price", "Price should be greater than 0."},
	PriceTooPrecise:            {33, 422, "price", "Min price step = %"},
	PriceTooLarge:              {33, 422, "price", "Price field should be at most %"},
	PriceOffTick:               {1, 422, "price", "Price must be a multiple of %."},
	ActivationNotPositive:      {30, 422, "activation_price", "Activation price should be greater than 0."},
	ActivationTooPrecise:       {30, 422, "activation_price", "Min activation price step = %"},
	ActivationTooLarge:         {30, 422, "activation_price", "Activation price should be at most %"},
	ActivationOffTick:          {1, 422, "activation_price", "Activation price must be a multiple of %."},
	ActivationEqualsLast:       {30, 422, "activation_price", "Activation price should not be equal to the last price"},
	ModifyActivationEqualsLast: {101, 400, "activation_price", "Activation price should not be equal to the last price."},
	EmptyHistory:               {30, 422, "activation_price", "Empty history"},
	TotalBelowMin:              {30, 422, "total", "Total (amount * price) is less than %"},
	TotalAboveMax:              {30, 422, "total", "Total (amount * price) is greater than %"},
	ClientIDInvalid:            {36, 422, "clientOrderId", "ClientOrderId field should contain only latin letters, numbers and dashes."},
	ClientIDTaken:              {36, 422, "clientOrderId", "This client order id is already used by the current account."},

	NotEnoughBalance:  {10, 400, "amount", "Not enough balance."},
	AmountTooSmall:    {11, 400, "amount", "Amount too small."},
	PostOnlyWouldTake: {13, 400, "postOnly", maker},
	OrderNotFound:     {2, 400, "orderId", "Unexecuted order was not found."},
	OrderRefInvalid:   {30, 422, "orderId", "Exactly one of orderId and clientOrderId should be sent."},

	ModifyNothing:        {30, 422, "amount", "At least one of amount, total, price and activationPrice should be sent."},
	ModifyAmountAndTotal: {30, 422, "total", "Either amount or total should be sent, not both."},
	ActivationOnLimit:    {158, 400, "activation_price", "Activation price can't be set for a limit order."},
	PriceOnStopMarket:    {159, 422, "price", "Limit price can't be set for stop market order."},
	TotalNotAllowed:      {162, 422, "total", "Total cannot be specified for this order type"},
	AmountNotAllowed:     {163, 422, "amount", "Amount cannot be specified for this order type"},
	BulkEmpty:            {30, 422, "orders", "The orders must contain at least 1 item."},
	BulkTooMany:          {30, 422, "orders", "The orders may not contain more than 20 items."},
	CancelBulkEmpty:      {30, 422, "orders", "validation.required"},
	CancelBulkTooMany:    {30, 422, "orders", "validation.between"},
	TimeoutTooShort:      {30, 422, "timeout", "Timeout should be at least 5."},
	TimeoutTooLong:       {30, 422, "timeout", "Timeout should not be greater than 600."},
	ProductsInvalid:      {30, 422, "types", "Types should contain only 'spot', 'margin' and 'futures' values."},

	AssetUnknown:       {0, 422, "ticker", "Currency was not found."},
	FromInvalid:        {0, 400, "from", "The selected from is invalid."},
	ToInvalid:          {0, 400, "to", "The selected to is invalid."},
	WalletsEqual:       {0, 400, "to", "The to and from must be different."},
	WalletsNotDirect:   {0, 400, "to", "Money moves between the spot and the collateral balance through the main balance."},
	MoveNotPositive:    {0, 400, "amount", "The amount must be at least %."},
	MoveTooPrecise:     {0, 400, "amount", "The amount may not have more decimals than %."},
	MoveTooLarge:       {0, 422, "amount", "The amount is more than the exchange can hold."},
	LeavingDisabled:    {1, 422, "currency", "Withdraw from this currency is disabled"},
	EnteringDisabled:   {2, 422, "currency", "Deposit to this currency is disabled"},
	MoveNotCovered:     {3, 422, "amount", "You don't have such amount for transfer (available %)"},
	WithdrawNotCovered: {5, 422, "amount", "Not enough money, balance = %"},
	MoveHeld:           {20, 422, "amount", "Part of this amount waits for network confirmation (free %)."},
	ConfirmTooMuch:     {0, 422, "amount", "Only % waits for confirmation."},

	TickerInvalid:     {0, 422, "ticker", "A ticker is 1 to 20 capital letters, digits and underscores."},
	ScaleInvalid:      {0, 422, "scale", "Scale is at most 18 and precision at most the scale."},
	ClassInvalid:      {0, 422, "class", "An asset is crypto, fiat or a payment method."},
	NetworkInvalid:    {0, 422, "networks", "Networks have different names, at most one default, and are tradable no later than confirmed."},
	LimitInvalid:      {0, 422, "limits", "Limits are zero (none) or positive, the smallest no greater than the largest."},
	ImmutableChanged:  {0, 422, "name", "Class, scale, assets, type, stockPrec and moneyPrec cannot change once something is listed."},
	NameInvalid:       {0, 422, "name", "The name is empty, too long, or not BASE_QUOTE."},
	NameTaken:         {0, 422, "name", "The name is taken."},
	AssetsInvalid:     {0, 422, "base", "Base and quote must be two listed assets."},
	MarketTypeInvalid: {0, 422, "type", "The market type is not available."},
	PrecisionInvalid:  {0, 422, "stockPrec", "The ledger keeps too few decimals for stockPrec + moneyPrec or feePrec."},
	StepInvalid:       {0, 422, "tickSize", "Tick and step are empty or multiples of the smallest price and amount."},
	FeeInvalid:        {0, 422, "fee", "Fees are percents of less than 50 in either direction, with at most 16 decimals, and takers are not paid."},
	BandInvalid:       {0, 422, "takerBand", "The taker band is a percent from 0 to less than 100."},
	TimesInvalid:      {0, 422, "from", "The plan must end after it begins and not lie in the past."},
	MarketDelisted:    {0, 422, "market", "The market was delisted."},
	RegionInvalid:     {0, 422, "region", "The region is global or eu."},
	KeyInvalid:        {0, 422, "key", "A key is 1 to 128 characters, belongs to one account and has a sealed secret."},
	KeyUnknown:        {0, 422, "key", "The key does not exist."},
	FeatureInvalid:    {0, 422, "feature", "This version does not know the feature."},
	IndexInvalid:      {0, 422, "price", "An index price is zero (none) or positive."},

	// MarketBusy stays between the core and the node, which asks again.
	MarketBusy:         {0, 503, "market", "The market is finishing a long operation. Try again."},
	TooManyOrders:      {30, 422, "market", "An account may have at most % open orders on this market."},
	OrdersLimitInvalid: {0, 422, "maxOrders", "The limit of open orders is 0 (the default) or 1 to 1000000."},
	FeatureForGood:     {0, 422, "feature", "This feature cannot be switched off once it is on."},
}

// Reasons are all there are, in the order of their numbers; the first is OK.
func Reasons() []Reason {
	list := make([]Reason, reasons)
	for i := range list {
		list[i] = Reason(i)
	}
	return list
}

// Rejection is a refusal with the value that its text speaks of.
type Rejection struct {
	Reason Reason
	Value  fixed.Decimal
}

// Refuse is a rejection whose text speaks of no value.
func Refuse(r Reason) Rejection { return Rejection{Reason: r} }

// Refused reports whether the command was refused.
func (r Rejection) Refused() bool { return r.Reason != OK }

// Code is the body code of the REST API.
func (r Rejection) Code() int { return reasonTable[r.Reason].code }

// Status is the HTTP status of the REST API.
func (r Rejection) Status() int { return reasonTable[r.Reason].status }

// Field is the request field that is at fault, as the request spells it.
func (r Rejection) Field() string { return reasonTable[r.Reason].field }

// Text is the sentence for the client.
func (r Rejection) Text() string {
	return strings.Replace(reasonTable[r.Reason].text, "%", r.Value.String(), 1)
}
