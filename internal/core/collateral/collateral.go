// Package collateral is trading with margin: what accounts have as collateral and owe, their positions, which
// orders and fills their margin allows, and what a deal makes of all that.
//
// What must hold: orders freeze nothing, so that every question about an account is answered from its balances,
// its positions and what its open orders count; a fill that makes a position larger leaves the account its initial
// margin; the positions of a future add up to nothing, and the clearing account holds the costs of all of them with the opposite
// sign, so that the PnL of one is the loss of another at every price. A position on a spot market is what was bought or
// sold there with what was lent: its assets are among those of the account, which keeps apart what belongs to it (holding.placed). No customer has collateral and debt in one
// asset after a command, and none is ever below zero: what is missing is lent.
package collateral

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/position"
	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Engine clears all that is traded with collateral.
type Engine struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	prices   *price.Board
	features *trading.Features
	out      *schema.Outcome
	// LastTick is when timers last ran, and Markets where liquidation trades; both are set before the first command.
	LastTick func() schema.Time
	Markets  *trading.Engine
	// Bounds are those of risk; tests have smaller ones.
	Bounds Bounds
	// Ticked is when timers ran before they run now.
	Ticked schema.Time

	members   []member // account FirstCustomer+i
	seats     slab.Slab[seat]
	holdings  slab.Slab[holding]
	positions slab.Slab[open]
	quoted    []quoted // by position
	markets   []market // market i+1
	accruals  []accrual
	rounds    int               // of funding that are under way
	closing   bool              // positions on delisted futures are left
	last      schema.PositionID // that was handed out
	// Not part of the state: how often prices may have changed, how often a deal was judged, and what the last deals made of
	// positions, by side.
	epoch    uint64
	judged   uint64
	fillings [2]filling
	risk
}

// New makes an engine without positions that records what happens in out.
func New(l *ledger.Ledger, li *listing.Listing, a *accounts.Accounts, p *price.Board, f *trading.Features, out *schema.Outcome) *Engine {
	return &Engine{ledger: l, listing: li, accounts: a, prices: p, features: f, out: out, Bounds: DefaultBounds, epoch: 1}
}

// Commands registers what customers and operators do with collateral.
func (e *Engine) Commands(h *product.Handlers) {
	product.On(h, e.SetLeverage)
	product.On(h, e.SetHedgeMode)
	product.On(h, e.FundSystem)
}

// member is an account that trades with collateral. Its zero value is an account that never did.
type member struct {
	leverage  position.Leverage // 0: the default
	hedge     bool
	known     bool // its holdings were looked for
	touched   bool // it is among risk.touched
	overdrawn bool // it is among risk.overdrawn
	state     schema.RiskState
	seats     uint32 // the first one, by market
	holdings  uint32 // the first one, by asset
	watches   uint32 // the first one, by price
	pairs     uint32 // how many positions on spot markets it has
	// reserve is how much of what it has above its margin the account can still lose otherwise than by prices before it has
	// to be looked at.
	reserve  fixed.Decimal
	headroom headroom
}

// seat is where an account trades one market with collateral. It is made by the first order and stays. Accounts come in any
// order, so that what a fill costs is mostly waiting for memory: what most orders need comes first, and all of it is as large
// as two lines of memory.
type seat struct {
	account schema.AccountID
	market  schema.MarketID
	next    uint32 // the account's seat on the next higher market
	// long is the position in one-way mode, of either sign; in hedge mode it is the long one. 0: none.
	long  uint32
	short uint32
	cell  ledger.Cell // what the account has of what deals are paid in, 0 until it is first looked for
	counted
	_ [8]byte
}

// counted is what open orders count. Reducing lots are counted however large the position is.
type counted struct {
	pending fixed.Decimal // the value of all orders
	orders  position.Orders
}

// open is a position from its opening to its end.
type open struct {
	position.Position
	id       schema.PositionID
	entered  int64 // lots
	paid     fixed.Decimal
	realized fixed.Decimal
	fees     fixed.Decimal
	funding  fixed.Decimal
	opened   schema.Time
	updated  schema.Time
	seat     uint32
	prev     uint32 // in the list of the market's positions, by id
	next     uint32
	round    uint32 // the last settlement that it was booked in, or that began before it was opened
}

// market is what the engine knows of a future, or of a spot market, beside its listing.
type market struct {
	info     *schema.MarketInfo
	spot     bool
	money    schema.AssetID // that deals are paid in: the quote of a spot market, USDT
	foreign  bool           // prices are in another money
	tiers    position.Tiers
	scale    position.Scale
	interest int64  // open interest: the lots of all longs
	first    uint32 // position, by id
	last     uint32
	round    round
	// ranked is from which position the next ranking goes on, where one does not reach all.
	ranked schema.PositionID
	// What follows from the listing and, in an epoch, from the mark: the value of a lot at a tick, whether positions, orders
	// and open interest may be as large as they like, the mark in ticks, and whether there is a fresh one.
	unit      fixed.Unit
	unlimited bool
	ticks     int64
	fresh     bool
	epoch     uint64
	// Balances that deals move, 0 until they are first looked for.
	clearing, pool, fees ledger.Cell
}

// member is an account's, made when it is first asked for. Making one may move the others: it is good until that of
// another account is asked for.
func (e *Engine) member(account schema.AccountID) *member {
	for int(account-schema.FirstCustomer) >= len(e.members) {
		e.members = append(e.members, member{})
	}
	m := &e.members[account-schema.FirstCustomer]
	if !m.known {
		m.known = true
		// Money may have been there before anybody asked.
		for _, a := range e.listing.Assets() {
			if e.ledger.Find(account, schema.Collateral, a.ID) != 0 {
				e.holding(account, m, a.ID)
			}
		}
	}
	return m
}

// chosen is the leverage of an account.
func (m *member) chosen() position.Leverage {
	if m.leverage == 0 {
		return schema.DefaultLeverage
	}
	return m.leverage
}

// market is what is known of a listed market.
func (e *Engine) market(id schema.MarketID) *market { return &e.markets[id-1] }

// Listed takes notice of a market that was listed or changed. Restored ones come in the order of their ids, before
// anything that is held on them: what is known of markets never moves while somebody looks at it.
func (e *Engine) Listed(id schema.MarketID) {
	if int(id) > len(e.markets) {
		e.markets = append(e.markets, market{info: e.listing.Market(id)})
	}
	e.market(id).derive(e.listing)
	e.Reassess()
}

func (f *market) derive(l *listing.Listing) {
	f.spot = !f.info.Future()
	f.money = f.info.Quote
	if !f.spot {
		f.money = l.USDT()
	}
	f.foreign = f.money != f.info.Quote
	f.tiers = listing.Tiers(&f.info.Margin)
	f.scale = position.Scale{
		Stock: f.info.StockPrec, Money: f.info.MoneyPrec, Fee: f.info.FeePrec, Quote: l.Asset(f.money).Scale,
	}
	f.unlimited = f.info.MaxPosition.IsZero() && f.info.MaxPending.IsZero() && f.info.MaxOpenInterest.IsZero()
	f.unit = fixed.UnitOf(int(f.info.StockPrec + f.info.MoneyPrec))
}

// Seat is where an account trades a market with collateral, made if it is not there.
func (e *Engine) Seat(account schema.AccountID, market schema.MarketID) uint32 {
	link := &e.member(account).seats
	for *link != 0 && e.seats.At(*link).market < market {
		link = &e.seats.At(*link).next
	}
	if *link != 0 && e.seats.At(*link).market == market {
		return *link
	}
	i, s := e.seats.Take()
	s.account, s.market, s.next = account, market, *link
	*link = i
	return i
}

// used reports whether there is a position or an order.
func (s *seat) used() bool {
	return s.long != 0 || s.short != 0 || s.orders.Buys != 0 || s.orders.Sells != 0 || s.orders.Reducing != 0 || s.orders.Whole != 0
}

// lots is the size of a position, 0 for none.
func (e *Engine) lots(at uint32) int64 {
	if at == 0 {
		return 0
	}
	return e.positions.At(at).Lots
}

// position is what is open, nothing for none.
func (e *Engine) position(at uint32) position.Position {
	if at == 0 {
		return position.Position{}
	}
	return e.positions.At(at).Position
}
