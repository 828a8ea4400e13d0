package schema

import (
	"strings"

	"bourse/internal/fixed"
)

// Reason is why a command was refused. Statuses, codes and fields of the doors are theirs: see
// api/refusal.go and ws/refusal.go.
type Reason uint16

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

	// The faucet of a sandbox.
	FaucetUnavailable
	FaucetSpent
	FaucetLimitInvalid

	// Collateral: what operators set.
	MarginInvalid
	CollateralInvalid
	IndexSourceInvalid

	// Collateral: orders, leverage, hedge mode.
	LeverageInvalid
	LeverageNotCovered
	HedgeModeInUse
	PositionSideMismatch
	ReduceOnlyNothing
	PositionTooBig
	PendingTooBig
	PriceOutOfBand
	PriceUnknown
	CollateralOnly
	CollateralUnavailable
	SystemAccountInvalid
	PositionUnknown
	CollateralNotOffered
	TooManyStops
	PositionSidesInvalid

	// Groups of orders.
	ProtectionWithReduceOnly
	ProtectionWithRPI
	TakeProfitNotPositive
	TakeProfitTooPrecise
	TakeProfitTooLarge
	TakeProfitOffTick
	TakeProfitWrong
	StopLossNotPositive
	StopLossTooPrecise
	StopLossTooLarge
	StopLossOffTick
	StopLossWrong
	StopPriceNotPositive
	StopPriceTooPrecise
	StopPriceTooLarge
	StopPriceOffTick
	StopPriceOutOfBand
	LimitWouldTake
	StopActivationWrong
	LimitNotCovered
	StopNotCovered
	ClientIDsEqual
	ProtectionMissing
	PositionMissing
	GroupKindInvalid
	CancelOfGroup
	ModifyOfGroup
	ModifyOfProtection

	// Margin on spot markets.
	SpotMarginInvalid
	BaseNotLent
	QuoteNotLent

	// TradFi futures.
	TradFiNotEnabled
	QuoteUnpriced

	// Codes.
	CodesDisabled
	CodeNotWithdrawable
	CodeBelowMin
	CodesTooMany
	CodeInvalid
	CodeUnknown
	CodeNotActive
	CodeOwn
	CodeSuspended
	CodeMinInvalid

	ChainUnknown
	ChainInvalid
	NetworkChainInvalid
	ChargeInvalid
	AddressTypeInvalid
	AddressesTooMany
	ChainOwnBlocks
	ChainNotSandbox
	ChainHalted
	ChainPaused
	ChainBusy
	ChainElsewhere
	BlockInvalid
	RewindUnknown
	DepositUnknown
	DepositDecided
	DepositShallow
	DepositOwner
	MineInvalid
	ReorgTooDeep
	SandboxFull
	Owing
	OwedLess

	WithdrawDisabled
	WithdrawAddressInvalid
	WithdrawOwnAddress
	WithdrawTooPrecise
	WithdrawBelowMin
	WithdrawAboveMax
	WithdrawBelowFee
	WithdrawalsTooMany
	UniqueTaken
	WithdrawalUnknown
	WithdrawalDecided
	ApprovedBefore
	OperatorMissing

	TierInvalid
	DayLimit
	MonthLimit
	RateUnknown
	Restricted
	NotRefundable

	CreditInvalid
	CreditActive
	CreditNone
	CreditLess
	CreditUnavailable
	CheckInvalid
	ChecksTooMany
	CheckNotCovered
	CheckUnavailable
	VerdictInvalid
	VerdictsTooMany
	ExpressInvalid
	ExpressDisabled
	ExpressPending
	ExpressPaid
	ExpressAboveCap
	ExpressUnknown
	ExpressOwn
	ExpressTooMany
	ExpressUnavailable

	TravelMissing
	TravelInvalid
	TravelNotAsked
	VASPInvalid
	VASPsTooMany

	KeysInvalid
	ContractInvalid
	PayoutElsewhere
	PayoutInvalid
	PayoutUnknown
	PayoutDecided
	CoinUnavailable
	WithdrawalNotQueued
	InvoiceInvalid
	InvoiceUnknown
	InvoiceSettled
	InvoicesTooMany
	DepositDisabled
	DepositBelowMin
	DepositAboveMax
	SettlementInvalid
	BICInvalid
	ChainNotHalted
	RefillInvalid

	// Sub-accounts and API keys of customers.
	SubUnknown
	SubNested
	SubAliasInvalid
	SubAliasTaken
	SubEmailMissing
	SubsTooMany
	SubNotConfirmed
	SubInactive
	SubBlockedBefore
	SubNotBlocked
	SubNotEmpty
	SubNotPermitted
	KeyTypeInvalid
	KeyTitleInvalid
	KeysTooMany
	KeyURLsInvalid
	KeyURLsNotYours
	KeyAddressInvalid
	KeyAddressKnown
	KeyAddressUnknown
	KeyAddressesTooMany
	KeyNotAllowed
	WithdrawalConfirmed

	// Users and sessions.
	UserUnknown
	InvitationUnknown
	InvitationInvalid
	LoginTaken
	FactorInvalid
	FactorMissing
	GenerationOld
	SignInLocked
	ChallengeUsed
	ChallengesTooMany
	PasskeyRefused
	SessionInvalid
	SessionUnknown
	StepUpNeeded
	OnceUsed
	OnceTooMany

	WebhookInvalid
	WebhookUnknown
	WebhookOther
	WebhookEventUnknown
	ShardsOther
	DeliveriesInvalid
	DeliveriesLate

	// Clients of OAuth.
	PartnerUnknown
	PartnerInvalid
	PartnerKeyExists
	GrantUnknown
	GrantInvalid
	GrantsTooMany
	SecretTaken
	NotVerified

	SubSharesKYC
	UserExists

	// What a region has.
	AssetNotOffered

	NoPermission

	// Conversions.
	ConversionInvalid
	ConversionsOff
	ConversionUnavailable
	ConversionTooSmall
	ConversionTooLarge
	ConversionNotCovered
	ConversionKeyUsed
	ConversionKeysTooMany
	QuoteUnknown
	QuoteUsed
	QuoteExpired

	// Plans and investments.
	PlanInvalid
	PlansTooMany
	PlanUnknown
	PlanIsInactive
	PlanIsPaused
	PlanIsSoldOut
	PlanPrivate
	PlanSpent
	InvestmentExists
	InvestmentsTooMany
	InvestmentBelowMin
	InvestmentAboveMax
	InvestmentAboveLimit
	InvestmentNotCovered
	InterestNotCovered
	InterestTooSmall
	InvestmentUnknown
	DivestTooMuch
	DivestLeavesTooLittle

	// The mining pool.
	PoolInvalid
	PoolOff
	PoolRateInvalid
	PoolRateJumps
	MiningInvalid
	MiningNameTaken
	MiningTooMany
	MiningUnknown
	PoolPayoutOff
	PoolLeaseUnknown
	PoolReportOutOfOrder
	PoolReportInvalid
	BlockKnown
	WatchInvalid
	WatchesTooMany

	// Money on chains of others that the log does not know.
	AdoptionInvalid
	SurplusInvalid

	SignatureInvalid

	// Commands that take two operators.
	ProposalUnknown
	ProposalDecided
	ProposalsTooMany

	reasons // how many there are
)

// texts are the name of each reason and its sentence, where a "%" stands for the value of the
// rejection. The audit record of a refused command has the sentence (NewAuditRecord), and records are
// made again from the log: a sentence that was ever published does not change. What customers see
// instead of it belongs to the doors.
var texts = [reasons]struct{ name, sentence string }{
	OK: {"OK", ""},

	AccountUnknown:       {"AccountUnknown", "This action is unauthorized."},
	AccountBlocked:       {"AccountBlocked", "This action is unauthorized. The account is blocked."},
	KeyRefused:           {"KeyRefused", "This action is unauthorized. Enable your key in API settings"},
	NonceUsed:            {"NonceUsed", "Too many requests."},
	NonceOutsideWindow:   {"NonceOutsideWindow", "Your nonce is more than 5 seconds lesser than the current nonce"},
	MarketUnavailable:    {"MarketUnavailable", "Market is not available."},
	TradingNotAllowed:    {"TradingNotAllowed", "Trading in the market is not allowed."},
	OrderTypeUnavailable: {"OrderTypeUnavailable", "This order type is not available"},

	SideInvalid:      {"SideInvalid", "Side field should contain only 'buy' or 'sell' values."},
	TypeInvalid:      {"TypeInvalid", "Order type should be limit, market, stock market, stop limit or stop market."},
	STPInvalid:       {"STPInvalid", "Stp field should contain only 'no', 'cb', 'cn' or 'co' values."},
	IOCWithPostOnly:  {"IOCWithPostOnly", "Either IOC or PostOnly flag in true state is allowed."},
	IOCWithRPI:       {"IOCWithRPI", "Either IOC or RPI flag in true state is allowed."},
	RPIWithPostOnly:  {"RPIWithPostOnly", "PostOnly should not be sent with RPI: an RPI order is always post-only."},
	RetailNotEnabled: {"RetailNotEnabled", "api.validation.retail.not_allowed"},
	RPINotEnabled:    {"RPINotEnabled", "RPI orders are not enabled for this account."},
	FlagNotAllowed:   {"FlagNotAllowed", "The postOnly, ioc, rpi and retail flags are for limit orders only."},
	BBOInvalid:       {"BBOInvalid", "BboRole should be 1 or 2."},
	BBONotAllowed:    {"BBONotAllowed", "BboRole is for limit and stop limit orders only."},
	BBOWithPostOnly:  {"BBOWithPostOnly", "BboRole should not be sent with postOnly."},
	BBOWithRPI:       {"BBOWithRPI", "BboRole should not be sent with rpi."},
	BBOQueueWithIOC:  {"BBOQueueWithIOC", "With ioc only bboRole 2 is allowed."},
	BBOEmpty:         {"BBOEmpty", "There is no price to take: that side of the order book is empty."},

	AmountNotPositive:          {"AmountNotPositive", "Amount should be greater than 0."},
	AmountTooPrecise:           {"AmountTooPrecise", "Min amount step = %"},
	AmountBelowMin:             {"AmountBelowMin", "Given amount is less than min amount %"},
	AmountTooLarge:             {"AmountTooLarge", "Given amount is greater than max amount %"},
	AmountOffStep:              {"AmountOffStep", "Amount must be a multiple of %."},
	MoneyTooPrecise:            {"MoneyTooPrecise", "Min total step = = %"},
	MoneyBelowMin:              {"MoneyBelowMin", "Total amount should be no less than % + trade fee"},
	MoneyAboveMax:              {"MoneyAboveMax", "Total amount should be no greater than %"},
	PriceNotPositive:           {"PriceNotPositive", "Price should be greater than 0."},
	PriceTooPrecise:            {"PriceTooPrecise", "Min price step = %"},
	PriceTooLarge:              {"PriceTooLarge", "Price field should be at most %"},
	PriceOffTick:               {"PriceOffTick", "Price must be a multiple of %."},
	ActivationNotPositive:      {"ActivationNotPositive", "Activation price should be greater than 0."},
	ActivationTooPrecise:       {"ActivationTooPrecise", "Min activation price step = %"},
	ActivationTooLarge:         {"ActivationTooLarge", "Activation price should be at most %"},
	ActivationOffTick:          {"ActivationOffTick", "Activation price must be a multiple of %."},
	ActivationEqualsLast:       {"ActivationEqualsLast", "Activation price should not be equal to the last price"},
	ModifyActivationEqualsLast: {"ModifyActivationEqualsLast", "Activation price should not be equal to the last price."},
	EmptyHistory:               {"EmptyHistory", "Empty history"},
	TotalBelowMin:              {"TotalBelowMin", "Total (amount * price) is less than %"},
	TotalAboveMax:              {"TotalAboveMax", "Total (amount * price) is greater than %"},
	ClientIDInvalid:            {"ClientIDInvalid", "ClientOrderId field should contain only latin letters, numbers and dashes."},
	ClientIDTaken:              {"ClientIDTaken", "This client order id is already used by the current account."},

	NotEnoughBalance:  {"NotEnoughBalance", "Not enough balance."},
	AmountTooSmall:    {"AmountTooSmall", "Amount too small."},
	PostOnlyWouldTake: {"PostOnlyWouldTake", "This order couldn't be executed as a maker order and was canceled."},
	OrderNotFound:     {"OrderNotFound", "Unexecuted order was not found."},
	OrderRefInvalid:   {"OrderRefInvalid", "Exactly one of orderId and clientOrderId should be sent."},

	ModifyNothing:        {"ModifyNothing", "At least one of amount, total, price and activationPrice should be sent."},
	ModifyAmountAndTotal: {"ModifyAmountAndTotal", "Either amount or total should be sent, not both."},
	ActivationOnLimit:    {"ActivationOnLimit", "Activation price can't be set for a limit order."},
	PriceOnStopMarket:    {"PriceOnStopMarket", "Limit price can't be set for stop market order."},
	TotalNotAllowed:      {"TotalNotAllowed", "Total cannot be specified for this order type"},
	AmountNotAllowed:     {"AmountNotAllowed", "Amount cannot be specified for this order type"},
	BulkEmpty:            {"BulkEmpty", "The orders must contain at least 1 item."},
	BulkTooMany:          {"BulkTooMany", "The orders may not contain more than 20 items."},
	CancelBulkEmpty:      {"CancelBulkEmpty", "validation.required"},
	CancelBulkTooMany:    {"CancelBulkTooMany", "validation.between"},
	TimeoutTooShort:      {"TimeoutTooShort", "Timeout should be at least 5."},
	TimeoutTooLong:       {"TimeoutTooLong", "Timeout should not be greater than 600."},
	ProductsInvalid:      {"ProductsInvalid", "Types should contain only 'spot', 'margin' and 'futures' values."},

	AssetUnknown:       {"AssetUnknown", "Currency was not found."},
	FromInvalid:        {"FromInvalid", "The selected from is invalid."},
	ToInvalid:          {"ToInvalid", "The selected to is invalid."},
	WalletsEqual:       {"WalletsEqual", "The to and from must be different."},
	WalletsNotDirect:   {"WalletsNotDirect", "Money moves between the spot and the collateral balance through the main balance."},
	MoveNotPositive:    {"MoveNotPositive", "The amount must be at least %."},
	MoveTooPrecise:     {"MoveTooPrecise", "The amount may not have more decimals than %."},
	MoveTooLarge:       {"MoveTooLarge", "The amount is more than the exchange can hold."},
	LeavingDisabled:    {"LeavingDisabled", "Withdraw from this currency is disabled"},
	EnteringDisabled:   {"EnteringDisabled", "Deposit to this currency is disabled"},
	MoveNotCovered:     {"MoveNotCovered", "You don't have such amount for transfer (available %)"},
	WithdrawNotCovered: {"WithdrawNotCovered", "Not enough money, balance = %"},
	MoveHeld:           {"MoveHeld", "Part of this amount waits for network confirmation (free %)."},
	ConfirmTooMuch:     {"ConfirmTooMuch", "Only % waits for confirmation."},

	TickerInvalid:     {"TickerInvalid", "A ticker is 1 to 20 capital letters, digits and underscores."},
	ScaleInvalid:      {"ScaleInvalid", "Scale is at most 18 and precision at most the scale."},
	ClassInvalid:      {"ClassInvalid", "An asset is crypto, fiat or a payment method."},
	NetworkInvalid:    {"NetworkInvalid", "Networks have different names, at most one default, and are tradable no later than confirmed."},
	LimitInvalid:      {"LimitInvalid", "Limits are zero (none) or positive, the smallest no greater than the largest."},
	ImmutableChanged:  {"ImmutableChanged", "Class, scale, assets, type, stockPrec and moneyPrec cannot change once something is listed."},
	NameInvalid:       {"NameInvalid", "The name is empty, too long, or not BASE_QUOTE."},
	NameTaken:         {"NameTaken", "The name is taken."},
	AssetsInvalid:     {"AssetsInvalid", "Base and quote must be two listed assets."},
	MarketTypeInvalid: {"MarketTypeInvalid", "The market type is not available."},
	PrecisionInvalid:  {"PrecisionInvalid", "The ledger keeps too few decimals for stockPrec + moneyPrec or feePrec."},
	StepInvalid:       {"StepInvalid", "Tick and step are empty or multiples of the smallest price and amount."},
	FeeInvalid:        {"FeeInvalid", "Fees are percents of less than 50 in either direction, with at most 16 decimals, and takers are not paid."},
	BandInvalid:       {"BandInvalid", "The taker band is a percent from 0 to less than 100."},
	TimesInvalid:      {"TimesInvalid", "The plan must end after it begins and not lie in the past."},
	MarketDelisted:    {"MarketDelisted", "The market was delisted."},
	RegionInvalid:     {"RegionInvalid", "The region is global or eu."},
	KeyInvalid:        {"KeyInvalid", "A key is 1 to 128 characters, belongs to one account and has a sealed secret."},
	KeyUnknown:        {"KeyUnknown", "The key does not exist."},
	FeatureInvalid:    {"FeatureInvalid", "This version does not know the feature."},
	IndexInvalid:      {"IndexInvalid", "An index price is zero (none) or positive."},

	// MarketBusy stays between the core and the node, which asks again.
	MarketBusy:         {"MarketBusy", "The market is finishing a long operation. Try again."},
	TooManyOrders:      {"TooManyOrders", "An account may have at most % open orders on this market."},
	OrdersLimitInvalid: {"OrdersLimitInvalid", "The limit of open orders is 0 (the default) or 1 to 1000000."},
	FeatureForGood:     {"FeatureForGood", "This feature cannot be switched off once it is on."},

	FaucetUnavailable:  {"FaucetUnavailable", "The faucet does not have this ticker."},
	FaucetSpent:        {"FaucetSpent", "The faucet has % left for you today."},
	FaucetLimitInvalid: {"FaucetLimitInvalid", "The limit of a faucet is zero (none) or positive, with at most as many decimals as the asset."},

	MarginInvalid:      {"MarginInvalid", "Futures need a leverage of 1, 2, 3, 5, 10, 20, 50 or 100, brackets that grow as leverage falls, bands of at most 100 percent, an impact notional, 1 to 1440 minutes of funding and a floor no higher than its cap; other markets have none of it."},
	CollateralInvalid:  {"CollateralInvalid", "A weight is from 0 to 1 with at most 4 decimals, an hourly rate from 0 to less than 1, caps are not negative, and an index lasts 1 to 3600 seconds."},
	IndexSourceInvalid: {"IndexSourceInvalid", "Sources of an index are 0 to 8, and only 0 where the asset is neither collateral nor under a future."},

	LeverageInvalid:       {"LeverageInvalid", "Leverage should be 1, 2, 3, 5, 10, 20, 50 or 100, and at most %."},
	LeverageNotCovered:    {"LeverageNotCovered", "Not enough balance for this leverage."},
	HedgeModeInUse:        {"HedgeModeInUse", "Position side cannot be changed if there exists futures positions or orders"},
	PositionSideMismatch:  {"PositionSideMismatch", "Order's position side does not match user's setting"},
	ReduceOnlyNothing:     {"ReduceOnlyNothing", "Reduce-only: Position doesn't exist or wrong side"},
	PositionTooBig:        {"PositionTooBig", "margin position too big"},
	PendingTooBig:         {"PendingTooBig", "margin pending orders value too big"},
	PriceOutOfBand:        {"PriceOutOfBand", "The Price is out of bands"},
	PriceUnknown:          {"PriceUnknown", "There is no fresh price that this could be valued at. Try again later."},
	CollateralOnly:        {"CollateralOnly", "Futures are traded from the collateral balance alone."},
	CollateralUnavailable: {"CollateralUnavailable", "This market cannot be traded from the collateral balance."},
	PositionUnknown:       {"PositionUnknown", "position doesn't exist."},
	SystemAccountInvalid:  {"SystemAccountInvalid", "Only the insurance fund, the lending pool, the inventory of conversions, and what pays interest and miners, can be funded."},
	CollateralNotOffered:  {"CollateralNotOffered", "The collateral balance is not available in your region."},
	TooManyStops:          {"TooManyStops", "Max. limit of margin stop limit orders have been reached."},
	PositionSidesInvalid:  {"PositionSidesInvalid", "The selected positionSide is invalid."},

	ProtectionWithReduceOnly: {"ProtectionWithReduceOnly", "StopLoss and takeProfit should not be sent with an order that only reduces a position."},
	ProtectionWithRPI:        {"ProtectionWithRPI", "StopLoss and takeProfit should not be sent with rpi."},
	TakeProfitNotPositive:    {"TakeProfitNotPositive", "TakeProfit should be greater than 0."},
	TakeProfitTooPrecise:     {"TakeProfitTooPrecise", "Min takeProfit step = %"},
	TakeProfitTooLarge:       {"TakeProfitTooLarge", "TakeProfit should be at most %"},
	TakeProfitOffTick:        {"TakeProfitOffTick", "TakeProfit must be a multiple of %."},
	TakeProfitWrong:          {"TakeProfitWrong", "Wrong activation price for take profit."},
	StopLossNotPositive:      {"StopLossNotPositive", "StopLoss should be greater than 0."},
	StopLossTooPrecise:       {"StopLossTooPrecise", "Min stopLoss step = %"},
	StopLossTooLarge:         {"StopLossTooLarge", "StopLoss should be at most %"},
	StopLossOffTick:          {"StopLossOffTick", "StopLoss must be a multiple of %."},
	StopLossWrong:            {"StopLossWrong", "Wrong activation price for stop loss."},
	StopPriceNotPositive:     {"StopPriceNotPositive", "Stop_limit_price should be greater than 0."},
	StopPriceTooPrecise:      {"StopPriceTooPrecise", "Min price step = %"},
	StopPriceTooLarge:        {"StopPriceTooLarge", "Stop_limit_price field should be at most %"},
	StopPriceOffTick:         {"StopPriceOffTick", "Stop_limit_price must be a multiple of %."},
	StopPriceOutOfBand:       {"StopPriceOutOfBand", "The Price is out of bands"},
	LimitWouldTake:           {"LimitWouldTake", "Can't place limit order."},
	StopActivationWrong:      {"StopActivationWrong", "Wrong activation price for stop loss."},
	LimitNotCovered:          {"LimitNotCovered", "Not enough balance for limit order."},
	StopNotCovered:           {"StopNotCovered", "Not enough balance for stop limit order."},
	ClientIDsEqual:           {"ClientIDsEqual", "The two client order ids of an OCO should be different."},
	ProtectionMissing:        {"ProtectionMissing", "At least one of takeProfit and stopLoss should be sent."},
	PositionMissing:          {"PositionMissing", "There is no position to protect."},
	GroupKindInvalid:         {"GroupKindInvalid", "The group should be an OCO or an OTO."},
	CancelOfGroup:            {"CancelOfGroup", "The order is part of an OCO or OTO, which is canceled as a whole."},
	ModifyOfGroup:            {"ModifyOfGroup", "Conditional orders can't be modified."},
	ModifyOfProtection:       {"ModifyOfProtection", "TPSL orders can't be modified."},

	SpotMarginInvalid: {"SpotMarginInvalid", "Spot markets have no margin, or a leverage of 1, 2, 3, 5 or 10, a liquidation band of at most 100 percent and bounds of positions and pending orders, and they keep it."},
	BaseNotLent:       {"BaseNotLent", "Please try again later. There is not enough left to lend of the base."},
	QuoteNotLent:      {"QuoteNotLent", "Please try again later. There is not enough left to lend of the quote."},

	TradFiNotEnabled: {"TradFiNotEnabled", "TradFi futures are not enabled for this account."},
	QuoteUnpriced:    {"QuoteUnpriced", "Set an index price of USD_USDT first: it is not known what USD is worth in USDT."},

	CodesDisabled:       {"CodesDisabled", "Codes are disabled for this currency"},
	CodeNotWithdrawable: {"CodeNotWithdrawable", "This currency cannot be withdrawn at the moment."},
	CodeBelowMin:        {"CodeBelowMin", "The amount of a code must be at least %."},
	CodesTooMany:        {"CodesTooMany", "At most % codes of an account can be active at the same time."},
	CodeInvalid:         {"CodeInvalid", "This cannot be a code, or there is one like it."},
	CodeUnknown:         {"CodeUnknown", "Code not applied"},
	CodeNotActive:       {"CodeNotActive", "Code already applied"},
	CodeOwn:             {"CodeOwn", "This code was created by you"},
	CodeSuspended:       {"CodeSuspended", "Code not applied"},
	CodeMinInvalid:      {"CodeMinInvalid", "The least amount of a code is zero (none) or positive, with at most as many decimals as people may use of the asset."},

	ChainUnknown:        {"ChainUnknown", "There is no such chain."},
	ChainInvalid:        {"ChainInvalid", "A chain has a name of 1 to 20 capital letters, digits and underscores, a driver, a family, a net, and an interval between blocks of 0 (none) or 0.1 seconds to a day."},
	NetworkChainInvalid: {"NetworkChainInvalid", "A network names a chain only of a crypto asset, one that exists, each chain once, with at least one confirmation for trading, and the chains of an asset are all sandboxes or none is."},
	ChargeInvalid:       {"ChargeInvalid", "The parts of a fee are zero or positive, with at most as many decimals as the asset; the percentage is at most 100, the least percentage fee at most the greatest."},
	AddressTypeInvalid:  {"AddressTypeInvalid", "This type of address does not exist on the network."},
	AddressesTooMany:    {"AddressesTooMany", "Address limit reached"},
	ChainOwnBlocks:      {"ChainOwnBlocks", "A sandbox makes its blocks itself."},
	ChainNotSandbox:     {"ChainNotSandbox", "This can be done with a sandbox only."},
	ChainHalted:         {"ChainHalted", "The chain is halted: it was rewound deeper than the exchange remembers, or something of ours was spent that the log has no plan of."},
	ChainPaused:         {"ChainPaused", "The chain is paused."},
	ChainBusy:           {"ChainBusy", "The exchange still works on the last blocks of the chain."},
	ChainElsewhere:      {"ChainElsewhere", "The chain is at another block; its height is %."},
	BlockInvalid:        {"BlockInvalid", "This cannot be a block: it has too many receipts, parts in the wrong order, or a receipt that cannot be."},
	RewindUnknown:       {"RewindUnknown", "The exchange does not know the block to which the chain should be rewound."},
	DepositUnknown:      {"DepositUnknown", "There is no such deposit."},
	DepositDecided:      {"DepositDecided", "This cannot be decided about the deposit: it is credited, held, canceled, lost, or its block is gone."},
	DepositShallow:      {"DepositShallow", "The deposit is not confirmed yet."},
	DepositOwner:        {"DepositOwner", "A deposit that is nobody's is given to an account; others have theirs."},
	MineInvalid:         {"MineInvalid", "At most % blocks can be asked for."},
	ReorgTooDeep:        {"ReorgTooDeep", "At most % blocks can be replaced."},
	SandboxFull:         {"SandboxFull", "% payments wait for a block already."},
	Owing:               {"Owing", "A network took back a deposit that was spent: nothing can leave until what is owed is paid."},
	OwedLess:            {"OwedLess", "The account owes %."},

	WithdrawDisabled:       {"WithdrawDisabled", "This currency cannot be withdrawn by this network at the moment."},
	WithdrawAddressInvalid: {"WithdrawAddressInvalid", "The address is invalid"},
	WithdrawOwnAddress:     {"WithdrawOwnAddress", "The address is unavailable: it is one of your own."},
	WithdrawTooPrecise:     {"WithdrawTooPrecise", "The amount can have at most % decimals."},
	WithdrawBelowMin:       {"WithdrawBelowMin", "The amount is too small: at least % can be withdrawn."},
	WithdrawAboveMax:       {"WithdrawAboveMax", "The amount is too large: at most % can be withdrawn."},
	WithdrawBelowFee:       {"WithdrawBelowFee", "The amount must be more than the fee, which is %."},
	WithdrawalsTooMany:     {"WithdrawalsTooMany", "At most % withdrawals of an account can be under way at the same time."},
	UniqueTaken:            {"UniqueTaken", "The unique id has already been taken."},
	WithdrawalUnknown:      {"WithdrawalUnknown", "There is no such withdrawal."},
	WithdrawalDecided:      {"WithdrawalDecided", "This cannot be decided about the withdrawal: it is sent, done or canceled, or not in the state for it."},
	ApprovedBefore:         {"ApprovedBefore", "Another operator must approve it, too."},
	SignatureInvalid:       {"SignatureInvalid", "A signature has 64 bytes and comes with an approval, or alone."},
	OperatorMissing:        {"OperatorMissing", "Only an operator can decide this."},

	TierInvalid:   {"TierInvalid", "Tiers are numbered from 0 to 9, their limits are zero (none) or positive with at most 8 decimals, and a month's is not below a day's."},
	DayLimit:      {"DayLimit", "Daily limit reached: % can leave in the next hours."},
	MonthLimit:    {"MonthLimit", "Monthly limit reached: % can leave in the next days."},
	RateUnknown:   {"RateUnknown", "This currency has no active pairs or it may have been delisted. Its rate cannot be calculated at the moment."},
	Restricted:    {"Restricted", "Nothing can leave the account until %, in seconds since 1970."},
	NotRefundable: {"NotRefundable", "Transaction not refundable"},

	CreditInvalid:      {"CreditInvalid", "The percents of a credit are more than 0, at most 100, with at most 2 decimals, and rise from the first over the margin call to the liquidation."},
	CreditActive:       {"CreditActive", "The account has a credit: it must be repaid before the next."},
	CreditNone:         {"CreditNone", "No active loan at the moment"},
	CreditLess:         {"CreditLess", "Only % of the credit is not repaid."},
	CreditUnavailable:  {"CreditUnavailable", "The account has no credit line."},
	CheckInvalid:       {"CheckInvalid", "The asset cannot be checked on this network, or the address is empty or too long."},
	ChecksTooMany:      {"ChecksTooMany", "At most % checks of an account can run at the same time."},
	CheckNotCovered:    {"CheckNotCovered", "Insufficient balance"},
	CheckUnavailable:   {"CheckUnavailable", "The account has no access to address checks."},
	VerdictInvalid:     {"VerdictInvalid", "A verdict has an address, and either fails or has a risk (low, medium, high) and a description of at most 500 bytes."},
	VerdictsTooMany:    {"VerdictsTooMany", "There can be at most % verdicts."},
	ExpressInvalid:     {"ExpressInvalid", "A reference is 1 to 255 characters, and a token is used once."},
	ExpressDisabled:    {"ExpressDisabled", "The currency cannot be withdrawn."},
	ExpressPending:     {"ExpressPending", "A payment with this externalId waits for its payer and has another ticker or amount."},
	ExpressPaid:        {"ExpressPaid", "The payment with this externalId was made."},
	ExpressAboveCap:    {"ExpressAboveCap", "The amount is worth more than %."},
	ExpressUnknown:     {"ExpressUnknown", "The token is unknown, was used, has expired, or asks for something else."},
	ExpressOwn:         {"ExpressOwn", "Who asks for a payment cannot make it."},
	ExpressTooMany:     {"ExpressTooMany", "At most % payments of a partner can wait at the same time."},
	ExpressUnavailable: {"ExpressUnavailable", "The account has no partner access."},

	TravelMissing:  {"TravelMissing", "The travel rule field is required."},
	TravelInvalid:  {"TravelInvalid", "What the travel rule asks for is empty or too long."},
	TravelNotAsked: {"TravelNotAsked", "Transaction is not ready for verification"},
	VASPInvalid:    {"VASPInvalid", "A VASP has an id of 1 to 100 bytes and a name of at most 200."},
	VASPsTooMany:   {"VASPsTooMany", "There can be at most % VASPs."},

	KeysInvalid:         {"KeysInvalid", "Keys are of a family and a net of which there is a chain of others, and have a fingerprint and at most 4096 sealed bytes. Those of cold storage come after the others, and are not the same."},
	ContractInvalid:     {"ContractInvalid", "On a chain of others a network has the decimals that the chain keeps, no more than the asset has, and names the contract of a token; a chain has one asset without a contract and each contract once."},
	PayoutElsewhere:     {"PayoutElsewhere", "This is not the next payout, nonce or variant: another one was planned before."},
	PayoutInvalid:       {"PayoutInvalid", "The payout does not add up, or is not one that its chain can make."},
	PayoutUnknown:       {"PayoutUnknown", "There is no such payout under way."},
	PayoutDecided:       {"PayoutDecided", "This cannot be done with the payout: it is signed, mined, given up, or its anchor can still be spent."},
	CoinUnavailable:     {"CoinUnavailable", "A coin is not there, is not deep enough, is frozen or is spent by another payout, or the balance does not suffice."},
	WithdrawalNotQueued: {"WithdrawalNotQueued", "A withdrawal does not wait to be paid by this chain in this asset, or its account is blocked."},
	InvoiceInvalid:      {"InvoiceInvalid", "An invoice is of a fiat asset by one of its providers, with a unique id, an end within a day and links of at most 2000 bytes."},
	InvoiceUnknown:      {"InvoiceUnknown", "There is no such invoice."},
	InvoiceSettled:      {"InvoiceSettled", "The invoice is paid, failed or expired already."},
	InvoicesTooMany:     {"InvoicesTooMany", "At most % invoices of an account can be open at the same time."},
	DepositDisabled:     {"DepositDisabled", "This currency cannot be deposited by this provider at the moment."},
	DepositBelowMin:     {"DepositBelowMin", "The amount is too small: at least % can be deposited."},
	DepositAboveMax:     {"DepositAboveMax", "The amount is too large: at most % can be deposited."},
	SettlementInvalid:   {"SettlementInvalid", "A provider pays a withdrawal that is queued there: all of it, nothing, or, if the customer allowed it, a part."},
	BICInvalid:          {"BICInvalid", "The BIC of a bank has 8 or 11 capital letters and digits."},
	ChainNotHalted:      {"ChainNotHalted", "The chain is not halted."},
	RefillInvalid:       {"RefillInvalid", "Cold storage has less of this asset on this chain, or the amount has more decimals than the chain keeps."},

	SubUnknown:          {"SubUnknown", "Sub-account do not exists"},
	SubNested:           {"SubNested", "A sub-account cannot have sub-accounts."},
	SubAliasInvalid:     {"SubAliasInvalid", "The alias must have 1 to 64 characters."},
	SubAliasTaken:       {"SubAliasTaken", "Alias already exists."},
	SubEmailMissing:     {"SubEmailMissing", "The email field is required."},
	SubsTooMany:         {"SubsTooMany", "Limit of sub-accounts is reached. Maximum allowed: %"},
	SubNotConfirmed:     {"SubNotConfirmed", "Account is not confirmed"},
	SubInactive:         {"SubInactive", "Sub-account is not active"},
	SubBlockedBefore:    {"SubBlockedBefore", "Sub-account already blocked"},
	SubNotBlocked:       {"SubNotBlocked", "Sub-account already unblocked"},
	SubNotEmpty:         {"SubNotEmpty", "Sub-account is not empty: it has balances, debts, orders, positions, deposits, withdrawals, codes or checks, or is locked."},
	SubNotPermitted:     {"SubNotPermitted", "Not permitted for sub-account"},
	KeyTypeInvalid:      {"KeyTypeInvalid", "Type isn't allowed"},
	KeyTitleInvalid:     {"KeyTitleInvalid", "The title may not be greater than 100 characters."},
	KeysTooMany:         {"KeysTooMany", "Limit of API keys is reached. Maximum allowed: %"},
	KeyURLsInvalid:      {"KeyURLsInvalid", "The following URLs are restricted for this API key"},
	KeyURLsNotYours:     {"KeyURLsNotYours", "The calling API key cannot enable URLs of deposits, withdrawals or codes that it does not have itself"},
	KeyAddressInvalid:   {"KeyAddressInvalid", "Invalid IP address."},
	KeyAddressKnown:     {"KeyAddressKnown", "This IP address is already in allowlist"},
	KeyAddressUnknown:   {"KeyAddressUnknown", "IP address is not in the allowlist"},
	KeyAddressesTooMany: {"KeyAddressesTooMany", "You have reached the maximum number of allowed IPs: %"},
	KeyNotAllowed:       {"KeyNotAllowed", "This API Key is not authorized to perform this action."},
	WithdrawalConfirmed: {"WithdrawalConfirmed", "Transaction has incorrect status"},

	UserUnknown:       {"UserUnknown", "There is no such user."},
	InvitationUnknown: {"InvitationUnknown", "The invitation is unknown, was used or replaced by a newer one, or is over."},
	InvitationInvalid: {"InvitationInvalid", "An invitation has digests of its link and of a login, and the login sealed."},
	LoginTaken:        {"LoginTaken", "Somebody else has this login."},
	FactorInvalid:     {"FactorInvalid", "A user has a password with a code, or a passkey; at most 10 passkeys, each once."},
	FactorMissing:     {"FactorMissing", "This action is unauthorized. Please, enable Two-Factor authentication."},
	GenerationOld:     {"GenerationOld", "A password or another factor was changed meanwhile. Please try again."},
	SignInLocked:      {"SignInLocked", "Signing in by password is locked after too many wrong codes. Use a passkey or a device that signed in before, or try again later."},
	ChallengeUsed:     {"ChallengeUsed", "This answer of a passkey was used already."},
	ChallengesTooMany: {"ChallengesTooMany", "Too many people sign in at once. Please try again later."},
	PasskeyRefused:    {"PasskeyRefused", "The passkey is unknown, or counts backwards as a copy of it would."},
	SessionInvalid:    {"SessionInvalid", "A session has the digest of what the browser has, which no other has, and a device of at most 64 bytes."},
	SessionUnknown:    {"SessionUnknown", "The session is over. Please sign in again."},
	StepUpNeeded:      {"StepUpNeeded", "This action needs your second factor again: it was given more than 5 minutes ago."},
	OnceUsed:          {"OnceUsed", "A request with this Idempotency-Key was sent before, and its answer is not known here."},
	OnceTooMany:       {"OnceTooMany", "Too many requests of this session within 10 minutes."},

	WebhookInvalid:      {"WebhookInvalid", "A webhook has a URL of at most 2000 characters with https, a host, no user and no fragment, events that there are, and a key with its secret."},
	WebhookUnknown:      {"WebhookUnknown", "The account has no webhook."},
	WebhookOther:        {"WebhookOther", "The webhook has another host or another key now, or was checked less than a day ago."},
	WebhookEventUnknown: {"WebhookEventUnknown", "The webhook announced no event of this number."},
	ShardsOther:         {"ShardsOther", "The shards are not as they were seen, or there are no such shards."},
	DeliveriesInvalid:   {"DeliveriesInvalid", "At most % outcomes can be settled at once, each of an event that was announced."},
	DeliveriesLate:      {"DeliveriesLate", "Another node sends for these webhooks now."},

	PartnerUnknown:   {"PartnerUnknown", "There is no such client of OAuth, it is switched off, or the redirect URI is not one of its own."},
	PartnerInvalid:   {"PartnerInvalid", "A client of OAuth has an id and a title of at most 100 bytes, a secret, 1 to 20 redirect URIs (one, if it has no scope of API keys), known scopes, none of which comes later, and 1 to 50 IP addresses."},
	PartnerKeyExists: {"PartnerKeyExists", "The account has an API key of this client already. Delete it first."},
	GrantUnknown:     {"GrantUnknown", "The code or token is unknown, was used, or has expired."},
	GrantInvalid:     {"GrantInvalid", "The request of the client cannot be approved as it is."},
	GrantsTooMany:    {"GrantsTooMany", "An account can have given access to at most % clients."},
	SecretTaken:      {"SecretTaken", "Secret already retrieved."},
	NotVerified:      {"NotVerified", "The account has to be verified first."},

	SubSharesKYC: {"SubSharesKYC", "Sub-account has shared KYC"},

	NoPermission: {"NoPermission", "You don't have permission to use this endpoint. Please contact support for more details"},
	UserExists:   {"UserExists", "Sub-account has a user already"},

	AssetNotOffered: {"AssetNotOffered", "This currency is not available in your region."},

	ConversionInvalid:     {"ConversionInvalid", "Conversions have a spread below 1 with at most 6 decimals, at most % hubs that are assets and differ, and bounds above zero with at most 8 decimals."},
	ConversionsOff:        {"ConversionsOff", "Conversions are switched off at the moment."},
	ConversionUnavailable: {"ConversionUnavailable", "Conversion markets not available"},
	ConversionTooSmall:    {"ConversionTooSmall", "validation.amount_too_small"},
	ConversionTooLarge:    {"ConversionTooLarge", "frontendServerSide.converter.amountIsTooBig"},
	ConversionNotCovered:  {"ConversionNotCovered", "validation.balance"},
	ConversionKeyUsed:     {"ConversionKeyUsed", "frontendServerSide.converter.idempotencyKeyReused"},
	ConversionKeysTooMany: {"ConversionKeysTooMany", "Too many conversions with an idempotency key in 24 hours."},
	QuoteUnknown:          {"QuoteUnknown", "Quote could not be found"},
	QuoteUsed:             {"QuoteUsed", "frontendServerSide.converter.quoteInvalid"},
	QuoteExpired:          {"QuoteExpired", "api.converter.quoteExpired"},

	PlanInvalid:           {"PlanInvalid", "The plan cannot be as it is, or something of it was changed that investments rely on."},
	PlansTooMany:          {"PlansTooMany", "There can be at most % plans, and as many accounts to which one is assigned."},
	PlanUnknown:           {"PlanUnknown", "The selected plan is invalid."},
	PlanIsInactive:        {"PlanIsInactive", "Plan is inactive"},
	PlanIsPaused:          {"PlanIsPaused", "Plan is paused"},
	PlanIsSoldOut:         {"PlanIsSoldOut", "There are no coins left in the plan"},
	PlanPrivate:           {"PlanPrivate", "Private plan not available for this user"},
	PlanSpent:             {"PlanSpent", "The amount is more than the % that are left in the plan."},
	InvestmentExists:      {"InvestmentExists", "The investment in this investment plan already exists"},
	InvestmentsTooMany:    {"InvestmentsTooMany", "An account can have at most % investments."},
	InvestmentBelowMin:    {"InvestmentBelowMin", "Amount is less than min investment"},
	InvestmentAboveMax:    {"InvestmentAboveMax", "Amount is more than max investment"},
	InvestmentAboveLimit:  {"InvestmentAboveLimit", "Investment limit is exceeded"},
	InvestmentNotCovered:  {"InvestmentNotCovered", "The main wallet has % that may be invested."},
	InterestNotCovered:    {"InterestNotCovered", "Not enough money to pay interest"},
	InterestTooSmall:      {"InterestTooSmall", "The interest on this amount is less than can be paid."},
	InvestmentUnknown:     {"InvestmentUnknown", "Investment not found"},
	DivestTooMuch:         {"DivestTooMuch", "Withdraw amount exceeds total invested"},
	DivestLeavesTooLittle: {"DivestLeavesTooLittle", "Amount left < min investment"},

	PoolInvalid:          {"PoolInvalid", "The terms of the pool cannot be as they are, or its asset or unit was changed after work was counted."},
	PoolOff:              {"PoolOff", "The mining pool is switched off at the moment."},
	PoolRateInvalid:      {"PoolRateInvalid", "What a block is worth is above zero, and no more precise than the asset."},
	PoolRateJumps:        {"PoolRateJumps", "What a block is worth changed by more than half. An operator has to confirm it."},
	MiningInvalid:        {"MiningInvalid", "The name has letters, digits and underscores, 255 at most, and the referral code at most 50 characters."},
	MiningNameTaken:      {"MiningNameTaken", "The name has already been taken."},
	MiningTooMany:        {"MiningTooMany", "miningPool.validation.maxAccounts"},
	MiningUnknown:        {"MiningUnknown", "Mining account not found."},
	PoolPayoutOff:        {"PoolPayoutOff", "miningPool.validation.payoutDestination.customCurrencyConflict"},
	PoolLeaseUnknown:     {"PoolLeaseUnknown", "The listener has no lease, or so many others came after it that it ended."},
	PoolReportOutOfOrder: {"PoolReportOutOfOrder", "This is not the next report of the listener."},
	PoolReportInvalid:    {"PoolReportInvalid", "Something of the report cannot be."},
	BlockKnown:           {"BlockKnown", "The block is known."},
	WatchInvalid:         {"WatchInvalid", "A link has a name of letters, digits and underscores, one to 50 different mining accounts, and rights that are known."},
	WatchesTooMany:       {"WatchesTooMany", "Limit exceeded"},

	AdoptionInvalid:  {"AdoptionInvalid", "The name of a transaction has 1 to 80 bytes, and it is not that of a payout or of one that is adopted already; at most 100 can be adopted on a chain."},
	ProposalUnknown:  {"ProposalUnknown", "There is no such proposal, or it is done, canceled or refused."},
	ProposalDecided:  {"ProposalDecided", "The proposal is approved already and waits for its time; it can still be canceled."},
	ProposalsTooMany: {"ProposalsTooMany", "% proposals wait for operators already; approve or cancel some."},

	SurplusInvalid: {"SurplusInvalid", "A surplus is an amount of an asset of the chain at an address of ours and, where there are coins, an output that is not known; the chain stands at a block and has nothing left to do."},
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

// String is the name of the reason.
func (r Reason) String() string { return texts[r].name }

// Text is the sentence of the audit record.
func (r Rejection) Text() string {
	return strings.Replace(texts[r.Reason].sentence, "%", r.Value.String(), 1)
}
