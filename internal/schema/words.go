package schema

import "strconv"

// The words of the API. Each is spelled as the spec spells it; the zero value is never a
// valid choice where a choice must be made.

// Side of an order.
type Side uint8

const (
	Buy Side = iota + 1
	Sell
)

// Opposite side.
func (s Side) Opposite() Side { return Buy + Sell - s }

func (s Side) String() string { return word(sideWords[:], s) }

var sideWords = [...]string{Buy: "buy", Sell: "sell"}

// OrderType of an order.
type OrderType uint8

const (
	Limit OrderType = iota + 1
	Market
	StockMarket
	StopLimit
	StopMarket
	// StopStockMarket is a stop market order whose amount is in base on both sides. Only the
	// WebSocket places it.
	StopStockMarket
)

// IsStop reports whether orders of the type wait for a trigger.
func (t OrderType) IsStop() bool { return t >= StopLimit && t <= StopStockMarket }

// HasPrice reports whether orders of the type carry a limit price.
func (t OrderType) HasPrice() bool { return t == Limit || t == StopLimit }

// InQuote reports whether the amount of such an order counts the quote asset: what a buyer at
// the market wants to spend.
func (t OrderType) InQuote(s Side) bool { return s == Buy && (t == Market || t == StopMarket) }

func (t OrderType) String() string { return word(typeWords[:], t) }

var typeWords = [...]string{
	Limit: "limit", Market: "market", StockMarket: "stock market",
	StopLimit: "stop limit", StopMarket: "stop market", StopStockMarket: "stop stock market",
}

// STP is the self-trade prevention that an incoming order asks for.
type STP uint8

const (
	STPNo         STP = iota // trade with oneself
	STPCancelBoth            // cb
	STPCancelNew             // cn
	STPCancelOld             // co
)

func (s STP) String() string { return word(stpWords[:], s) }

var stpWords = [...]string{STPNo: "no", STPCancelBoth: "cb", STPCancelNew: "cn", STPCancelOld: "co"}

// ParseSTP reads the short names and the long ones that the spec still accepts. An empty text
// is the default.
func ParseSTP(s string) (STP, bool) {
	switch s {
	case "", "no":
		return STPNo, true
	case "cb", "cancel_both":
		return STPCancelBoth, true
	case "cn", "cancel_new":
		return STPCancelNew, true
	case "co", "cancel_old":
		return STPCancelOld, true
	}
	return 0, false
}

// LongSTP reports whether a mode is called by its long name.
func LongSTP(s string) bool { return len(s) > len("cb") }

// BBORole picks the price of an order from the best bid and offer.
type BBORole uint8

const (
	BBONone         BBORole = iota
	BBOQueue                // the best price of the own side
	BBOCounterparty         // the best price of the other side
)

// Status of an order. Only Open and PartiallyFilled orders are alive.
type Status uint8

const (
	Open Status = iota + 1
	PartiallyFilled
	Filled
	Canceled
	CanceledTakerBand
	CanceledSTP
	AutoCanceledReduceOnly
	AutoCanceledLiquidation
	Maintenance
)

func (s Status) String() string { return word(statusWords[:], s) }

var statusWords = [...]string{
	Open: "OPEN", PartiallyFilled: "PARTIALLY_FILLED", Filled: "FILLED", Canceled: "CANCELED",
	CanceledTakerBand: "CANCELED_TAKER_BAND", CanceledSTP: "CANCELED_STP",
	AutoCanceledReduceOnly:  "AUTO_CANCELED_REDUCE_ONLY",
	AutoCanceledLiquidation: "AUTO_CANCELED_LIQUIDATION", Maintenance: "MAINTENANCE",
}

// Wallet of an account.
type Wallet uint8

const (
	Main Wallet = iota + 1
	Trade
	Collateral
	Earn
	// Debt is what an account owes of an asset, as a positive balance.
	Debt
	// Owed is what an account owes of an asset because a chain took back what it had spent, as a positive balance.
	Owed
)

func (w Wallet) String() string { return word(walletWords[:], w) }

var walletWords = [...]string{Main: "main", Trade: "trade", Collateral: "collateral", Earn: "earn", Debt: "debt", Owed: "owed"}

// Region decides which order types and flags an account may use.
type Region uint8

const (
	Global Region = iota + 1
	EU
)

func (r Region) String() string { return word(regionWords[:], r) }

var regionWords = [...]string{Global: "global", EU: "eu"}

// Stricter is the region whose rules hold for somebody of one region at the deployment of another:
// the European ones hold for accounts of that region and for everyone who uses that deployment.
func Stricter(account, deployment Region) Region { return max(account, deployment) }

// Regions is a set of regions. The empty set means all of them.
type Regions uint8

// In is the set of some regions.
func In(regions ...Region) (s Regions) {
	for _, r := range regions {
		s |= 1 << r
	}
	return s
}

// Include reports whether a region is in the set.
func (s Regions) Include(r Region) bool { return s == 0 || s&(1<<r) != 0 }

// Known reports whether the set holds regions only.
func (s Regions) Known() bool { return s&^In(Global, EU) == 0 }

// MarketType of a market.
type MarketType uint8

const (
	Spot MarketType = iota + 1
	Futures
	TradFiFutures
)

func (t MarketType) String() string { return word(marketWords[:], t) }

var marketWords = [...]string{Spot: "spot", Futures: "futures", TradFiFutures: "tradfiFutures"}

// Products is a set of the kinds of orders that cancel-all and the kill switch choose from.
// The empty set means all of them.
type Products uint8

const (
	SpotOrders Products = 1 << iota
	MarginOrders
	FuturesOrders
)

// Includes reports whether orders of kind p are meant.
func (s Products) Includes(p Products) bool { return s == 0 || s&p != 0 }

// AssetClass decides which fields the API shows of an asset.
type AssetClass uint8

const (
	Crypto AssetClass = iota + 1
	Fiat
	PaymentMethod
)

func (a AssetClass) String() string { return word(classWords[:], a) }

var classWords = [...]string{Crypto: "crypto", Fiat: "fiat", PaymentMethod: "payment method"}

// Feature is a behaviour that can be switched while the exchange runs.
type Feature uint8

const (
	// StepRule makes prices be multiples of the tick and amounts multiples of the step from
	// StepRuleFrom on. Without it only the number of decimals counts.
	StepRule Feature = iota + 1
	// PlatformMaintenance closes the doors to all clients. What runs by itself goes on, and so does
	// the work of operators.
	PlatformMaintenance
	// BoundedWork bounds what a single command may make the exchange do: long work continues in
	// slices, and an account may have so many open orders on a market and no more. It brings the
	// order in which stops wake up and orders end that slices need. It is on in every exchange that
	// begins with it, and cannot be switched off.
	BoundedWork
	// ExactMoney lets an order that counts its amount in quote take all of a maker that it can pay,
	// and extends the hold on unconfirmed deposits to what was bought with them. It is on in every
	// exchange that begins with it, and cannot be switched off.
	ExactMoney
	// ExactNonces remembers every nonce of the window mode as long as a command of that moment could
	// still come, and no shorter: the clock of the exchange decides, not the time of the next command.
	// It is on in every exchange that begins with it, and cannot be switched off.
	ExactNonces
	// JudgedKeys lets signed commands say which operation was called, so that the core asks the key for it (Origin.Op), and lets
	// the key act on no other account (Owned). Nodes of earlier
	// versions cannot read such commands. It is on in every exchange that begins with it, and cannot be switched off.
	JudgedKeys
	// IdleKeys switches off keys of customers that nobody used for 14 days. It is on in every exchange that begins with it and is no demo.
	IdleKeys
	// TwoOperators makes what loosens the bounds of money on chains of others, and what gives much of it away, wait for a second operator.
	// It is on in every exchange that begins with it, and cannot be switched off.
	TwoOperators
)

// BirthFeatures are switched on by the first commands of a new exchange. A log that began without
// them keeps its meaning until its operator switches them on.
func BirthFeatures() []SetFeature {
	return []SetFeature{{BoundedWork, true}, {ExactMoney, true}, {ExactNonces, true}, {JudgedKeys, true}, {TwoOperators, true}}
}

// StepRuleFrom is the day from which the spec demands the step rule: 2026-09-18.
const StepRuleFrom Time = 1_789_689_600 * Second

func (f Feature) String() string { return word(featureWords[:], f) }

var featureWords = [...]string{StepRule: "step rule", PlatformMaintenance: "platform maintenance", BoundedWork: "bounded work", ExactMoney: "exact money", ExactNonces: "exact nonces", JudgedKeys: "judged keys", IdleKeys: "idle keys", TwoOperators: "two operators"}

// RiskState is how near an account that trades with collateral is to the end of its margin.
type RiskState uint8

const (
	RiskNone RiskState = iota
	MarginCall
	Liquidation
)

func (s RiskState) String() string { return word(riskWords[:], s) }

var riskWords = [...]string{RiskNone: "none", MarginCall: "margin_call", Liquidation: "liquidation"}

// Cause says why a balance or an order changed.
type Cause uint8

const (
	ByRequest Cause = iota + 1 // what the owner asked for: placing, canceling
	ByModify
	ByTrade
	ByFee
	ByTrigger
	BySTP
	ByTakerBand
	ByRemainder // what an order that may not rest had left
	ByKillSwitch
	ByMaintenance
	ByDelisting
	ByDeposit
	ByWithdrawal
	ByTransfer
	ByFaucet
	ByMargin     // a fill that the margin of the account does not allow
	ByReduceOnly // an order may only reduce, and there is nothing left to reduce
	ByPnl        // realized profit or loss
	ByLoan
	ByRepayment
	ByInterest
	ByFunding
	ByLiquidation
	ByDeleveraging
	ByShortfall // a debt that nothing is left for
	ByGroup     // what happened to another order of the group
	ByCode
	ByReversal // a chain took back what was credited
	ByBlock    // the master of a sub-account blocked it
	ByConversion
	ByInvestment // money that goes into a plan or comes back, and what plans pay
	ByMining     // what the mining pool pays
)

func (c Cause) String() string { return word(causeWords[:], c) }

var causeWords = [...]string{
	ByRequest: "request", ByModify: "modify", ByTrade: "trade", ByFee: "fee",
	ByTrigger: "trigger", BySTP: "self-trade prevention", ByTakerBand: "taker band",
	ByRemainder: "remainder", ByKillSwitch: "kill switch", ByMaintenance: "maintenance",
	ByDelisting: "delisting", ByDeposit: "deposit", ByWithdrawal: "withdrawal",
	ByTransfer: "transfer", ByFaucet: "faucet",
	ByMargin: "margin", ByReduceOnly: "reduce only", ByPnl: "realized PnL", ByLoan: "loan",
	ByRepayment: "repayment", ByInterest: "interest", ByFunding: "funding",
	ByLiquidation: "liquidation", ByDeleveraging: "deleveraging", ByShortfall: "shortfall", ByGroup: "group", ByCode: "code", ByReversal: "reversal",
	ByBlock: "block", ByConversion: "conversion", ByInvestment: "investment", ByMining: "mining",
}

// word spells a value, and values that have no word as a number.
func word[T ~uint8](words []string, v T) string {
	if int(v) < len(words) && words[v] != "" {
		return words[v]
	}
	return strconv.Itoa(int(v))
}

// Valid reports whether v is one of the choices that have a word.
func Valid[T PositionSide | Side | OrderType | STP | Wallet | Region | MarketType | AssetClass | Feature | Driver | Family | Net | Decision | Verdict | Risk | Delivered | PlanKind | PlanStatus](v T) bool {
	switch v := any(v).(type) {
	case PositionSide:
		return named(positionWords[:], v)
	case Side:
		return named(sideWords[:], v)
	case OrderType:
		return named(typeWords[:], v)
	case STP:
		return named(stpWords[:], v)
	case Wallet:
		return named(walletWords[:], v)
	case Region:
		return named(regionWords[:], v)
	case MarketType:
		return named(marketWords[:], v)
	case AssetClass:
		return named(classWords[:], v)
	case Feature:
		return named(featureWords[:], v)
	case Driver:
		return named(driverWords[:], v)
	case Family:
		return named(familyWords[:], v)
	case Net:
		return named(netWords[:], v)
	case Decision:
		return named(decisionWords[:], v)
	case Verdict:
		return named(verdictWords[:], v)
	case Risk:
		return named(addressRiskWords[:], v)
	case Delivered:
		return named(deliveredWords[:], v)
	case PlanKind:
		return named(planWords[:], v)
	case PlanStatus:
		return named(planStatusWords[:], v)
	}
	return false
}

func named[T ~uint8](words []string, v T) bool { return int(v) < len(words) && words[v] != "" }
