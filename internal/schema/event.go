package schema

import (
	"iter"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Event is something that happened because a command was applied.
type Event interface {
	wire.Message
	event()
}

// Setting is an event about what is set and rarely changes: who there is and what is listed. Those who
// keep a copy of the settings see these events alone, before anyone else.
type Setting interface {
	Event
	setting()
}

// events makes an empty event of each kind. It is the one list of all events; what else there is to say
// about one are its methods: Fields, the codec; setting, if it is a Setting.
var events = []func() Event{
	func() Event { return new(OrderChanged) },
	func() Event { return new(Deal) },
	func() Event { return new(BalanceChanged) },
	func() Event { return new(LevelChanged) },
	func() Event { return new(AssetChanged) },
	func() Event { return new(MarketChanged) },
	func() Event { return new(AccountChanged) },
	func() Event { return new(KeyChanged) },
	func() Event { return new(FeeChanged) },
	func() Event { return new(KillSwitchChanged) },
	func() Event { return new(Transferred) },
	func() Event { return new(FaucetTaken) },
	func() Event { return new(FaucetChanged) },
	func() Event { return new(FeatureChanged) },
	func() Event { return new(IndexChanged) },
	func() Event { return new(CollateralChanged) },
	func() Event { return new(AssetPriced) },
	func() Event { return new(MarkChanged) },
	func() Event { return new(PositionChanged) },
	func() Event { return new(LoanChanged) },
	func() Event { return new(FundingSettled) },
	func() Event { return new(MarginChanged) },
	func() Event { return new(RiskChanged) },
	func() Event { return new(Shortfall) },
	func() Event { return new(CodeChanged) },
	func() Event { return new(ChainChanged) },
	func() Event { return new(AddressOpened) },
	func() Event { return new(ChainMoved) },
	func() Event { return new(ChainDepositChanged) },
	func() Event { return new(WithdrawalChanged) },
	func() Event { return new(TierChanged) },
	func() Event { return new(CreditChanged) },
	func() Event { return new(CheckChanged) },
	func() Event { return new(KeysChanged) },
	func() Event { return new(PayoutChanged) },
	func() Event { return new(InvoiceChanged) },
	func() Event { return new(SubMoved) },
	func() Event { return new(AuditRecord) },

	func() Event { return new(UserChanged) },
	func() Event { return new(PartnerChanged) },
	func() Event { return new(GrantChanged) },
	func() Event { return new(Notified) },
	func() Event { return new(WebhookChanged) },
	func() Event { return new(WebhooksSettled) },
	func() Event { return new(ShardsClaimed) },
	func() Event { return new(WebhookResent) },
	func() Event { return new(ConversionChanged) },
	func() Event { return new(Converted) },
	func() Event { return new(PlanChanged) },
	func() Event { return new(PlanAssigned) },
	func() Event { return new(InvestmentChanged) },
	func() Event { return new(Earned) },
	func() Event { return new(PoolChanged) },
	func() Event { return new(MiningChanged) },
	func() Event { return new(WatchChanged) },
	func() Event { return new(SharesReported) },
	func() Event { return new(MiningMeasured) },
	func() Event { return new(BlockFound) },
	func() Event { return new(RewardChanged) },
	func() Event { return new(SpendAdopted) },
	func() Event { return new(ProposalChanged) },
}

// Change says what happened to an order.
type Change uint8

const (
	Opened    Change = iota + 1 // it came to rest in the book, or waits for its trigger
	Updated                     // it was partly filled while it rested
	Activated                   // its trigger was reached
	Closed                      // it is over; Order.Status says how
)

func (c Change) String() string { return word(changeWords[:], c) }

var changeWords = [...]string{
	Opened: "opened", Updated: "updated", Activated: "activated", Closed: "closed",
}

// OrderChanged carries the state of an order after something happened to it. An order that
// never rests has one such event, when it is over.
type OrderChanged struct {
	Change Change
	Cause  Cause
	Order  Order
}

func (*OrderChanged) event() {}

func (e *OrderChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "change", &e.Change)
	wire.Uint(c, 2, "cause", &e.Cause)
	wire.Embed(c, 3, "order", &e.Order)
}

// Deal is one trade: a taker met a maker at the maker's price.
type Deal struct {
	ID        DealID
	Market    MarketID
	TakerSide Side
	RPI       bool // the maker was an RPI order
	// OffBook says that the two were paired by deleveraging: the price is none of the market's.
	OffBook bool
	Price   fixed.Decimal
	Amount  fixed.Decimal // in base
	Money   fixed.Decimal // in quote: price × amount, exactly
	Maker   DealSide
	Taker   DealSide
}

func (*Deal) event() {}

func (e *Deal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &e.ID)
	wire.Uint(c, 2, "market", &e.Market)
	wire.Uint(c, 3, "taker_side", &e.TakerSide)
	c.Bool(4, "rpi", &e.RPI)
	c.Decimal(5, "price", &e.Price)
	c.Decimal(6, "amount", &e.Amount)
	c.Decimal(7, "money", &e.Money)
	wire.Embed(c, 8, "maker", &e.Maker)
	wire.Embed(c, 9, "taker", &e.Taker)
	c.Bool(10, "off_book", &e.OffBook)
}

// DealSide is one party of a deal. The buyer's fee is in base, the seller's in quote, on futures both; a
// negative fee is a rebate.
type DealSide struct {
	Order    OrderID
	Account  AccountID
	Fee      fixed.Decimal
	ClientID ClientID
	// Margin says that on a spot market this side was paid from collateral; its fee is in money.
	Margin bool
}

func (d *DealSide) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "order", &d.Order)
	wire.Uint(c, 2, "account", &d.Account)
	c.Decimal(3, "fee", &d.Fee)
	d.ClientID.Field(c, 4, "client_id")
	c.Bool(5, "margin", &d.Margin)
}

// BalanceChanged carries a balance after it changed: once for each command, however often the
// command moved it, so that a taker who meets a thousand makers has one such event and not four
// thousand. Itemized events have one for each movement instead, which in order are a statement.
type BalanceChanged struct {
	Account   AccountID
	Wallet    Wallet
	Asset     AssetID
	Cause     Cause  // of the last movement
	Ref       uint64 // the order or deal of the last movement, 0 where there is none
	Available fixed.Decimal
	Frozen    fixed.Decimal
	Held      fixed.Decimal // unconfirmed deposits of the account; only in Main
}

func (*BalanceChanged) event() {}

func (e *BalanceChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "wallet", &e.Wallet)
	wire.Uint(c, 3, "asset", &e.Asset)
	wire.Uint(c, 4, "cause", &e.Cause)
	wire.Uint(c, 5, "ref", &e.Ref)
	c.Decimal(6, "available", &e.Available)
	c.Decimal(7, "frozen", &e.Frozen)
	c.Decimal(8, "held", &e.Held)
}

// LevelChanged carries what a level of the public book holds now; zero: the level is gone.
// RPI orders are not in it.
type LevelChanged struct {
	Market MarketID
	Side   Side
	Price  fixed.Decimal
	Amount fixed.Decimal
}

func (*LevelChanged) event() {}

func (e *LevelChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &e.Market)
	wire.Uint(c, 2, "side", &e.Side)
	c.Decimal(3, "price", &e.Price)
	c.Decimal(4, "amount", &e.Amount)
}

// AssetChanged carries an asset that was listed or changed.
type AssetChanged struct{ Asset Asset }

func (*AssetChanged) event()   {}
func (*AssetChanged) setting() {}

func (e *AssetChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "asset", &e.Asset) }

// MarketChanged carries a market that was listed or changed.
type MarketChanged struct{ Market MarketInfo }

func (*MarketChanged) event()   {}
func (*MarketChanged) setting() {}

func (e *MarketChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "market", &e.Market) }

// AccountChanged carries an account that was opened or changed.
type AccountChanged struct{ Account Account }

func (*AccountChanged) event()   {}
func (*AccountChanged) setting() {}

func (e *AccountChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "account", &e.Account) }

// KeyChanged carries an API key that was made, changed or deleted.
type KeyChanged struct {
	Key     Key
	Deleted bool
}

func (*KeyChanged) event()   {}
func (*KeyChanged) setting() {}

func (e *KeyChanged) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "key", &e.Key)
	c.Bool(2, "deleted", &e.Deleted)
}

// FeeChanged carries the fees that an account was assigned on a market.
type FeeChanged struct{ Fee SetFee }

func (*FeeChanged) event() {}

func (e *FeeChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "fee", &e.Fee) }

// KillSwitchChanged carries a timer that was started (Running), or that was removed or fired.
type KillSwitchChanged struct {
	Timer   KillSwitch
	Running bool
	Fired   bool
}

func (*KillSwitchChanged) event() {}

func (e *KillSwitchChanged) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "timer", &e.Timer)
	c.Bool(2, "running", &e.Running)
	c.Bool(3, "fired", &e.Fired)
}

// Transferred is a movement between two wallets of an account.
type Transferred struct {
	ID       TransferID
	Transfer Transfer
}

func (*Transferred) event() {}

func (e *Transferred) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &e.ID)
	wire.Embed(c, 2, "transfer", &e.Transfer)
}

// FeatureChanged carries a behaviour that was switched.
type FeatureChanged struct{ Feature SetFeature }

func (*FeatureChanged) event()   {}
func (*FeatureChanged) setting() {}

func (e *FeatureChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "feature", &e.Feature) }

// IndexChanged carries the index price of a market.
type IndexChanged struct{ Index SetIndex }

func (*IndexChanged) event() {}

func (e *IndexChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "index", &e.Index) }

// AuditRecord records what an operator did or tried to do.
type AuditRecord struct {
	Operator string
	Refusal  string // why nothing was done; "": it was done
	// Made is Result.ID: the id of what was made or changed.
	Made uint64
	// Proposal is Result.Proposal: the number under which it waits for a second operator; 0: it was done.
	Proposal ProposalID
	Command  Command
}

// NewAuditRecord is the record of an operator's command. It shares no memory with the command, and secrets
// are left out, sealed as they are: readers of records need none.
func NewAuditRecord(operator string, c Command, r *Result) *AuditRecord {
	act := &AuditRecord{Operator: operator, Made: r.ID, Proposal: r.Proposal, Command: Clone(c)}
	if r.Rejection.Refused() {
		act.Refusal = r.Rejection.Text()
	}
	if secret, is := act.Command.(Redacted); is {
		secret.Redact()
	}
	return act
}

func (*AuditRecord) event() {}

func (e *AuditRecord) Fields(c *wire.Coder) {
	wire.Text(c, 1, "operator", &e.Operator)
	wire.Text(c, 2, "refusal", &e.Refusal)
	wire.Uint(c, 3, "made", &e.Made)
	wire.Uint(c, 4, "proposal", &e.Proposal)
	wire.OneOf(c, "command", makers, &e.Command)
}

// Events collects what a command made happen, in order. The frequent kinds live in slices of
// their own, which are kept from command to command, so that recording them allocates nothing
// once the slices have grown.
type Events struct {
	order     []eventRef
	orders    []OrderChanged
	deals     []Deal
	balances  []BalanceChanged
	levels    []LevelChanged
	positions []PositionChanged
	settings  []Setting
	others    []Event
	itemized  bool // every movement of a balance is an event
}

// eventRef says where the next event is: its kind and its place in the slice of that kind.
type eventRef struct {
	kind  eventKind
	index uint32
}

type eventKind uint8

const (
	orderEvent eventKind = iota
	dealEvent
	balanceEvent
	levelEvent
	positionEvent
	settingEvent
	otherEvent
)

// Reset forgets all events and keeps the memory.
func (e *Events) Reset() {
	clear(e.settings)
	clear(e.others)
	e.order, e.orders, e.deals, e.balances = e.order[:0], e.orders[:0], e.deals[:0], e.balances[:0]
	e.levels, e.positions, e.settings, e.others = e.levels[:0], e.positions[:0], e.settings[:0], e.others[:0]
}

// RoomLike makes an empty list that has room for as much as another list holds.
func RoomLike(other *Events) Events {
	return Events{
		order:     make([]eventRef, 0, len(other.order)),
		orders:    make([]OrderChanged, 0, len(other.orders)),
		deals:     make([]Deal, 0, len(other.deals)),
		balances:  make([]BalanceChanged, 0, len(other.balances)),
		levels:    make([]LevelChanged, 0, len(other.levels)),
		positions: make([]PositionChanged, 0, len(other.positions)),
	}
}

// Len is the number of events.
func (e *Events) Len() int { return len(e.order) }

// All goes through the events in the order in which they happened. They are valid until Reset.
func (e *Events) All() iter.Seq[Event] { return e.Between(0, len(e.order)) }

// Between goes through the events from one place up to another.
func (e *Events) Between(first, end int) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for _, ref := range e.order[first:end] {
			if !yield(e.at(ref)) {
				return
			}
		}
	}
}

// Append copies the events of another list behind these.
func (e *Events) Append(other *Events) {
	base := [...]uint32{
		orderEvent: uint32(len(e.orders)), dealEvent: uint32(len(e.deals)), balanceEvent: uint32(len(e.balances)),
		levelEvent: uint32(len(e.levels)), positionEvent: uint32(len(e.positions)),
		settingEvent: uint32(len(e.settings)), otherEvent: uint32(len(e.others)),
	}
	for _, ref := range other.order {
		e.order = append(e.order, eventRef{ref.kind, ref.index + base[ref.kind]})
	}
	e.orders = append(e.orders, other.orders...)
	e.deals = append(e.deals, other.deals...)
	e.balances = append(e.balances, other.balances...)
	e.levels = append(e.levels, other.levels...)
	e.positions = append(e.positions, other.positions...)
	e.settings = append(e.settings, other.settings...)
	e.others = append(e.others, other.others...)
}

func (e *Events) at(ref eventRef) Event {
	switch ref.kind {
	case orderEvent:
		return &e.orders[ref.index]
	case dealEvent:
		return &e.deals[ref.index]
	case balanceEvent:
		return &e.balances[ref.index]
	case levelEvent:
		return &e.levels[ref.index]
	case positionEvent:
		return &e.positions[ref.index]
	case settingEvent:
		return e.settings[ref.index]
	default:
		return e.others[ref.index]
	}
}

// Order is the last state of an order that was recorded, or nil.
func (e *Events) Order(id OrderID) *Order {
	for i := len(e.orders) - 1; i >= 0; i-- {
		if e.orders[i].Order.ID == id {
			return &e.orders[i].Order
		}
	}
	return nil
}

// Settings are the events about settings, in order. They are valid until Reset.
func (e *Events) Settings() []Setting { return e.settings }

// Deals are the deals among the events, in order. They are valid until Reset.
func (e *Events) Deals() []Deal { return e.deals }

// AddOrder records an event about an order, to be filled in by the caller.
func (e *Events) AddOrder() *OrderChanged { return add(e, &e.orders, orderEvent) }

// AddPosition records an event about a position, to be filled in by the caller.
func (e *Events) AddPosition() *PositionChanged { return add(e, &e.positions, positionEvent) }

// AddDeal records a deal, to be filled in by the caller.
func (e *Events) AddDeal() *Deal { return add(e, &e.deals, dealEvent) }

// Itemize makes every later movement of a balance an event of its own.
func (e *Events) Itemize() { e.itemized = true }

// SetBalance is the event about a balance, to be filled in by the caller: the one that the command
// already has, unless movements are itemized. The caller keeps place for each balance and never
// changes it. It may be left from an earlier command: the event found there says whose it is.
func (e *Events) SetBalance(place *uint32, account AccountID, wallet Wallet, asset AssetID) *BalanceChanged {
	if i := *place; int(i) < len(e.balances) && !e.itemized {
		if b := &e.balances[i]; b.Account == account && b.Asset == asset && b.Wallet == wallet {
			return b
		}
	}
	*place = uint32(len(e.balances))
	b := add(e, &e.balances, balanceEvent)
	b.Account, b.Wallet, b.Asset = account, wallet, asset
	return b
}

// SetLevel records what a level of a public book holds now. A level that changes again right
// away, as when a taker eats its orders one by one, stays one event.
func (e *Events) SetLevel(market MarketID, side Side, price, amount fixed.Decimal) {
	if n := len(e.levels); n > 0 {
		last := &e.levels[n-1]
		if last.Price == price && last.Side == side && last.Market == market {
			last.Amount = amount
			return
		}
	}
	l := add(e, &e.levels, levelEvent)
	l.Market, l.Side, l.Price, l.Amount = market, side, price, amount
}

// Add records one of the rare events.
func (e *Events) Add(event Event) {
	if setting, is := event.(Setting); is {
		*add(e, &e.settings, settingEvent) = setting
		return
	}
	*add(e, &e.others, otherEvent) = event
}

// add grows a slice by one element, which holds what an earlier command left there.
func add[T any](e *Events, slice *[]T, kind eventKind) *T {
	n := len(*slice)
	if n < cap(*slice) {
		*slice = (*slice)[:n+1]
	} else {
		var zero T
		*slice = append(*slice, zero)
	}
	e.order = append(e.order, eventRef{kind, uint32(n)})
	return &(*slice)[n]
}
