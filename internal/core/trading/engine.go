// Package trading holds the rules of orders: what is checked, what is held, who meets
// whom, what a fill costs, when a stop wakes up, and how orders end. The rules and the
// decisions behind them are in docs/trading.md.
//
// What must hold: a command is checked wholly before anything changes; an open order stands in
// exactly one queue of its market's book and in the list of its desk; what a balance has frozen
// is exactly what its open orders hold; no fill rounds money.
//
// The hot path (place, cancel, match) allocates nothing: orders, desks and client ids live in
// slabs, and the order being worked on is a value on the stack of the command.
package trading

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/book"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Engine trades on all markets.
type Engine struct {
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	out      *schema.Outcome
	features *Features
	// Prices has the indexes of assets and the marks of futures, Clearing what accounts have who trade with
	// collateral. Both are set before the first command.
	Prices   *price.Board
	Clearing Clearing

	markets []*market // market i+1
	desks   slab.Slab[desk]
	byDesk  slab.Index
	// firstDesk heads the list of an account's desks, by market; account FirstCustomer+i.
	firstDesk []uint32
	details   slab.Slab[detail]
	clients   clients
	timers    timers

	lastOrder schema.OrderID
	lastDeal  schema.DealID
	lastTick  schema.Time // timers up to this moment are due

	works    []*work // what is not finished yet; the first gets the next slice
	lastWork schema.WorkID
	budget   int  // how much the command may still do; see work
	late     bool // kill switches are due that have not fired yet

	// What the clearing is asked about.
	dealing  dealing
	asking   Admission
	counting Pending

	upcoming  [8]upcoming // the commands that were announced last, in turn; not part of the state
	announced uint        // how many ever were

	forcedOn  []*market   // where liquidation dealt in this command
	triggered []book.Slot // stops that wait for their turn, without BoundedWork
}

// Features are the behaviours that can be switched.
type Features struct {
	StepRule     bool
	BoundedWork  bool
	ExactMoney   bool
	ExactNonces  bool
	JudgedKeys   bool
	TwoOperators bool
	// Slice is how much one command may do under BoundedWork: so many fills, ends of orders and
	// triggered stops. It decides what happens, so it never changes in a running exchange.
	Slice int
}

// New makes an engine without markets that records what happens in out.
func New(l *ledger.Ledger, li *listing.Listing, a *accounts.Accounts, f *Features, out *schema.Outcome) *Engine {
	e := &Engine{ledger: l, listing: li, accounts: a, features: f, out: out}
	e.clients.seed = newSeed()
	li.MarketChanged = func(id schema.MarketID) { e.market(id).derive() }
	return e
}

// Commands registers what trading does.
func (e *Engine) Commands(h *product.Handlers) {
	product.On(h, e.Place)
	product.On(h, e.PlaceBulk)
	product.On(h, e.Cancel)
	product.On(h, e.CancelBulk)
	product.On(h, e.CancelAll)
	product.On(h, e.Modify)
	product.On(h, e.SetKillSwitch)
	product.On(h, e.PlaceOCO)
	product.On(h, e.PlaceTPSL)
	product.On(h, e.CancelGroup)
	product.On(h, e.ClosePosition)
	product.On(h, e.Continue)
	product.On(h, e.PlanMaintenance)
	product.On(h, e.PlanDelisting)
	product.On(h, e.SetIndex)
	product.On(h, e.SetFee)
}

// Sections are what snapshots keep beside the lists that every snapshot has.
func (e *Engine) Sections() []product.Section {
	return []product.Section{{Tag: product.TagWorks, Name: "unfinished work", Version: 1, Write: e.writeWorks, Read: e.readWorks}}
}

// market is what the engine knows of a market beside its listing.
type market struct {
	info *schema.MarketInfo
	book book.Book[terms]
	last book.Ticks // the price of the last trade, 0 when there was none
	// high and low are the extreme prices of trades whose stops have not all been triggered yet, 0
	// when they have: a stop beyond them is due.
	high book.Ticks
	low  book.Ticks
	// orphans are desks with orders that may only reduce a position which came to its end.
	orphans []uint32
	cursor  book.Slot  // the order from which going through those of a desk goes on, 0: from the first
	groups  slab.Index // finds the orders of a group by its id
	heirs   []heir     // primaries that ended, whose take profits and stop losses are to come
	work    *work      // what the market is busy with: nothing else may touch it
	entry   entry      // the order that is in the middle of its matching
	// index is the price outside.
	index Index
	// What follows is derived from the listing by derive.
	moneyPrec int
	stockPrec int
	places    int // how many decimals a price times an amount has
	priceUnit fixed.Unit
	lotUnit   fixed.Unit
	moneyUnit fixed.Unit // of a price times an amount
	tick      book.Ticks // what prices and amounts are multiples of
	step      book.Lots
	priceBand fixed.Decimal // of futures, as a ratio
	bandAt    fixed.Decimal // the mark that bandWidth was computed for, zero for none
	bandWidth fixed.Decimal
	// feeBase and feeQuote are where fees go, 0 until the first trade.
	feeBase  ledger.Cell
	feeQuote ledger.Cell
}

// market is the engine's side of a listed market, made when it is first asked for, or nil.
func (e *Engine) market(id schema.MarketID) *market {
	if i := int(id) - 1; i >= 0 && i < len(e.markets) {
		return e.markets[i]
	}
	if e.listing.Market(id) == nil {
		return nil
	}
	for len(e.markets) < int(id) {
		next := e.listing.Market(schema.MarketID(len(e.markets) + 1))
		m := &market{info: next}
		m.derive()
		e.markets = append(e.markets, m)
	}
	return e.markets[id-1]
}

// derive computes what is asked for with every order from the listing.
func (m *market) derive() {
	m.moneyPrec, m.stockPrec = int(m.info.MoneyPrec), int(m.info.StockPrec)
	m.places = m.moneyPrec + m.stockPrec
	m.priceUnit, m.lotUnit, m.moneyUnit = fixed.UnitOf(m.moneyPrec), fixed.UnitOf(m.stockPrec), fixed.UnitOf(m.places)
	m.tick, m.step = 1, 1
	m.priceBand, m.bandAt = m.info.PriceBand.Percent(), fixed.Zero
	// Listings are checked: ticks and steps are whole numbers of the smallest units.
	if n, _ := m.info.TickSize.Units(m.moneyPrec); n > 0 {
		m.tick = book.Ticks(n)
	}
	if n, _ := m.info.StepSize.Units(m.stockPrec); n > 0 {
		m.step = book.Lots(n)
	}
}

// money is what an amount costs at a price. It cannot overflow: orders are checked when they
// come, and a fill is never larger than the order in the book.
func (m *market) money(price book.Ticks, lots book.Lots) fixed.Decimal {
	d, ok := m.moneyUnit.Product(int64(price), int64(lots))
	if !ok {
		panic("trading: price × amount overflows; orders must be checked before they are taken")
	}
	return d
}

// price is a price as the world sees it.
func (m *market) price(p book.Ticks) fixed.Decimal {
	return m.priceUnit.Of(int64(p))
}

// amount is an amount of base as the world sees it.
func (m *market) amount(l book.Lots) fixed.Decimal {
	return m.lotUnit.Of(int64(l))
}

// queue is where a side's orders rest.
func queue(side schema.Side, rpi bool) book.Queue {
	switch {
	case side == schema.Buy && rpi:
		return book.RPIBids
	case side == schema.Buy:
		return book.Bids
	case rpi:
		return book.RPIAsks
	default:
		return book.Asks
	}
}

// waiting is where a stop waits: a buy for rising prices, a sell for falling ones, and a take profit the other way round.
func waiting(side schema.Side, f flags) book.Queue {
	if (side == schema.Buy) != f.has(takeProfit) {
		return book.Rising
	}
	return book.Falling
}

// level records what a level of the public book holds now.
func (e *Engine) level(m *market, q book.Queue, price book.Ticks, lots book.Lots) {
	side := schema.Buy
	switch q {
	case book.Asks:
		side = schema.Sell
	case book.Bids:
	default:
		return
	}
	e.out.Events.SetLevel(m.info.ID, side, m.price(price), m.amount(lots))
}
