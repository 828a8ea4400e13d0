package collateral

import (
	"errors"
	"fmt"

	"bourse/internal/core/position"
	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// MemberRecord is how an account trades with collateral, as snapshots keep it.
type MemberRecord struct {
	Account  schema.AccountID
	Leverage uint8
	Hedge    bool
}

func (r *MemberRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.Account)
	wire.Uint(c, 2, "leverage", &r.Leverage)
	c.Bool(3, "hedge", &r.Hedge)
}

// PositionRecord is a position as snapshots keep it. Due says that the settlement of funding under way is still to
// be booked for it.
type PositionRecord struct {
	Position schema.Position
	Due      bool
}

func (r *PositionRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "position", &r.Position)
	c.Bool(2, "due", &r.Due)
}

// LoanRecord is a loan as snapshots keep it.
type LoanRecord struct {
	Account   schema.AccountID
	Asset     schema.AssetID
	Principal fixed.Decimal
	Interest  fixed.Decimal
	Since     fixed.Decimal
	MostOwed  fixed.Decimal
	MostLent  fixed.Decimal
	Cost      fixed.Decimal
	Opened    schema.Time
}

func (r *LoanRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.Account)
	wire.Uint(c, 2, "asset", &r.Asset)
	c.Decimal(3, "principal", &r.Principal)
	c.Decimal(4, "interest", &r.Interest)
	c.Decimal(5, "since", &r.Since)
	c.Decimal(6, "most_owed", &r.MostOwed)
	c.Decimal(7, "most_lent", &r.MostLent)
	c.Decimal(8, "cost", &r.Cost)
	wire.Int(c, 9, "opened", &r.Opened)
}

// AccrualRecord is the interest of an asset as snapshots keep it.
type AccrualRecord struct {
	Asset schema.AssetID
	Sum   fixed.Decimal
	At    schema.Time
}

func (r *AccrualRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &r.Asset)
	c.Decimal(2, "sum", &r.Sum)
	wire.Int(c, 3, "at", &r.At)
}

// CounterRecord has the last ids that were handed out.
type CounterRecord struct{ Position schema.PositionID }

func (r *CounterRecord) Fields(c *wire.Coder) { wire.Uint(c, 1, "position", &r.Position) }

// Sections are what snapshots keep of collateral. What orders count follows from the orders.
func (e *Engine) Sections() []product.Section {
	return append([]product.Section{
		{Tag: product.TagMembers, Name: "leverages", Version: 1, Write: e.writeMembers, Read: e.readMembers},
		{Tag: product.TagPositions, Name: "positions", Version: 1, Write: e.writePositions, Read: e.readPositions},
		{Tag: product.TagFunding, Name: "funding under way", Version: 1, Write: e.writeRounds, Read: e.readRounds},
		{Tag: product.TagAccruals, Name: "interest", Version: 1, Write: e.writeAccruals, Read: e.readAccruals},
		{Tag: product.TagLoans, Name: "loans", Version: 1, Write: e.writeLoans, Read: e.readLoans},
		{Tag: product.TagClearing, Name: "counters of positions", Version: 1, Write: e.writeCounters, Read: e.readCounters},
	}, e.riskSections()...)
}

func (e *Engine) writeMembers(w *product.Writer) {
	for i := range e.members {
		if m := &e.members[i]; m.leverage != 0 || m.hedge {
			w.Message(&MemberRecord{schema.FirstCustomer + schema.AccountID(i), uint8(m.leverage), m.hedge})
		}
	}
}

func (e *Engine) readMembers(r *product.Reader) error {
	last := schema.AccountID(0)
	for record, err := range product.Messages[MemberRecord](r) {
		if err != nil {
			return err
		}
		l := position.Leverage(record.Leverage)
		if record.Account <= last || e.accounts.Get(record.Account) == nil || l != 0 && !l.Valid() || l == 0 && !record.Hedge {
			return fmt.Errorf("account %d cannot have a leverage of %d", record.Account, record.Leverage)
		}
		last = record.Account
		m := e.member(record.Account)
		m.leverage, m.hedge = l, record.Hedge
	}
	return nil
}

// writePositions writes positions by market and id.
func (e *Engine) writePositions(w *product.Writer) {
	for i := range e.markets {
		f := &e.markets[i]
		for at := f.first; at != 0; at = e.positions.At(at).next {
			o := e.positions.At(at)
			r := PositionRecord{Due: f.round.active && o.round != f.round.number}
			e.view(e.seats.At(o.seat), at, e.sideOf(at), &r.Position)
			w.Message(&r)
		}
	}
}

func (e *Engine) readPositions(r *product.Reader) error {
	for record, err := range product.Messages[PositionRecord](r) {
		if err != nil {
			return err
		}
		if err := e.restorePosition(&record.Position, record.Due); err != nil {
			return fmt.Errorf("position %d: %w", record.Position.ID, err)
		}
	}
	return nil
}

func (e *Engine) restorePosition(p *schema.Position, due bool) error {
	info := e.listing.Market(p.Market)
	if info == nil || info.Type == schema.Spot && !info.Pair() || e.accounts.Get(p.Account) == nil || !schema.Valid(p.Side) {
		return errors.New("it names no account, market or side")
	}
	m, f := e.member(p.Account), e.market(p.Market)
	if f.hedges(m) == (p.Side == schema.BothSides) {
		return errors.New("the account trades in another mode")
	}
	seat := e.Seat(p.Account, p.Market)
	slot := e.seats.At(seat).side(p.Side)
	if *slot != 0 || f.last != 0 && e.positions.At(f.last).id >= p.ID || p.ID == 0 {
		return errors.New("it stands there twice, or in the wrong place")
	}
	stock := int(f.scale.Stock)
	lots, ok := p.Amount.Units(stock)
	entered, too := p.Entered.Units(stock)
	held := position.Position{Lots: lots, Cost: p.Cost}
	switch {
	case !ok || !too || lots == 0 || !held.Valid() || entered < abs(lots) || p.Paid.Sign() < 0,
		p.Side == schema.LongSide && lots < 0, p.Side == schema.ShortSide && lots > 0,
		p.Cost.Decimals() > int(f.scale.Quote):
		return fmt.Errorf("its size is %s for %s of %s", p.Amount, p.Cost, p.Entered)
	}
	priced := quoted{p.QuotedCost, p.QuotedPaid, p.QuotedRealized}
	if !f.quotable(lots, &priced, e.listing) {
		return fmt.Errorf("its size of %s cannot be %s in the money of prices", p.Amount, p.QuotedCost)
	}
	e.holding(p.Account, m, f.money)
	if f.spot && (due || !e.occupy(p.Account, m, f, position.Position{}, held)) {
		return fmt.Errorf("the account cannot have %s more, or it is due funding", p.Amount)
	}
	at, o := e.positions.Take()
	*slot = at
	*o = open{
		Position: held, id: p.ID, entered: entered, paid: p.Paid, realized: p.Realized, fees: p.Fees,
		funding: p.Funding, opened: p.Opened, updated: p.Updated, seat: seat,
	}
	if f.foreign {
		*e.quotedAt(at) = priced
	}
	e.enlist(f, at)
	e.closing = e.closing || info.Delisted
	// The last round, over or under way, has number 1 again.
	if f.round.number = 1; !due {
		o.round = 1
	}
	if !f.spot {
		f.interest += max(0, lots)
	}
	return nil
}

// RoundRecord is a settlement of funding under way as snapshots keep it.
type RoundRecord struct {
	Market   schema.MarketID
	Rate     fixed.Decimal
	Mark     fixed.Decimal
	Paid     fixed.Decimal
	Received fixed.Decimal
	At       schema.Time
	Next     schema.PositionID // that is looked at next, 0: none
	Until    schema.PositionID // the last that was open when it began
	Money    fixed.Decimal     // what a unit of the mark is worth in USDT; zero: it is USDT
}

func (r *RoundRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &r.Market)
	c.Decimal(2, "rate", &r.Rate)
	c.Decimal(3, "mark", &r.Mark)
	c.Decimal(4, "paid", &r.Paid)
	c.Decimal(5, "received", &r.Received)
	wire.Int(c, 6, "at", &r.At)
	wire.Uint(c, 7, "next", &r.Next)
	wire.Uint(c, 8, "until", &r.Until)
	c.Decimal(9, "money", &r.Money)
}

func (e *Engine) writeRounds(w *product.Writer) {
	for i := range e.markets {
		r := &e.markets[i].round
		if !r.active {
			continue
		}
		next := schema.PositionID(0)
		if r.next != 0 {
			next = e.positions.At(r.next).id
		}
		w.Message(&RoundRecord{schema.MarketID(i + 1), r.split.Rate, r.mark, r.split.Paid, r.split.Received, r.at, next, r.until, r.money})
	}
}

// readRounds brings back what is under way, after the positions.
func (e *Engine) readRounds(r *product.Reader) error {
	last := schema.MarketID(0)
	for record, err := range product.Messages[RoundRecord](r) {
		if err != nil {
			return err
		}
		info := e.listing.Market(record.Market)
		if info == nil || info.Type == schema.Spot || record.Market <= last || record.Rate.IsZero() ||
			record.Mark.Sign() <= 0 || record.Paid.Sign() < 0 || record.Received.Sign() < 0 {
			return fmt.Errorf("market %d cannot settle funding at %s and %s", record.Market, record.Rate, record.Mark)
		}
		last = record.Market
		f := e.market(record.Market)
		if record.Money.Sign() < 0 || f.foreign == record.Money.IsZero() {
			return fmt.Errorf("market %d cannot settle funding in a money that is worth %s", record.Market, record.Money)
		}
		e.rounds++
		f.round = round{
			number: 1, active: true, at: record.At, mark: record.Mark, money: record.Money, next: f.first, until: record.Until,
			split: price.Split{Rate: record.Rate, Mark: settled(record.Mark, record.Money), Paid: record.Paid, Received: record.Received},
		}
		for f.round.next != 0 && e.positions.At(f.round.next).id != record.Next {
			f.round.next = e.positions.At(f.round.next).next
		}
	}
	return nil
}

func (e *Engine) writeAccruals(w *product.Writer) {
	for i := range e.accruals {
		if a := &e.accruals[i]; a.loans != 0 {
			w.Message(&AccrualRecord{schema.AssetID(i + 1), a.sum, a.at})
		}
	}
}

func (e *Engine) readAccruals(r *product.Reader) error {
	last := schema.AssetID(0)
	for record, err := range product.Messages[AccrualRecord](r) {
		if err != nil {
			return err
		}
		if record.Asset <= last || e.listing.Asset(record.Asset) == nil || record.Sum.Sign() < 0 || record.At%minute != 0 {
			return fmt.Errorf("asset %d cannot have counted %s", record.Asset, record.Sum)
		}
		last = record.Asset
		a := e.accrual(record.Asset)
		a.sum, a.at = record.Sum, record.At
	}
	return nil
}

func (e *Engine) writeLoans(w *product.Writer) {
	for i := range e.members {
		for at := e.members[i].holdings; at != 0; at = e.holdings.At(at).next {
			if h := e.holdings.At(at); !h.owed().IsZero() {
				w.Message(&LoanRecord{
					schema.FirstCustomer + schema.AccountID(i), h.asset, h.principal, h.interest, h.since,
					h.mostOwed, h.mostLent, h.cost, h.opened,
				})
			}
		}
	}
}

func (e *Engine) readLoans(r *product.Reader) error {
	for record, err := range product.Messages[LoanRecord](r) {
		if err != nil {
			return err
		}
		if e.accounts.Get(record.Account) == nil || e.listing.Asset(record.Asset) == nil {
			return errors.New("a loan names no account or asset")
		}
		h := e.holdings.At(e.holding(record.Account, e.member(record.Account), record.Asset))
		a := e.accrual(record.Asset)
		owed, fits := record.Principal.AddChecked(record.Interest)
		switch {
		case !h.owed().IsZero():
			return fmt.Errorf("a loan of account %d stands there twice", record.Account)
		case record.Principal.Sign() < 0 || record.Interest.Sign() < 0 || !fits || owed.IsZero(),
			record.Since.Sign() < 0 || record.Since.Cmp(a.sum) > 0,
			record.MostOwed.Cmp(owed) < 0 || record.MostLent.Cmp(record.Principal) < 0 || record.Cost.Cmp(record.Interest) < 0:
			return fmt.Errorf("account %d cannot owe %s and %s", record.Account, record.Principal, record.Interest)
		}
		a.loans++
		h.principal, h.interest, h.since = record.Principal, record.Interest, record.Since
		h.mostOwed, h.mostLent, h.cost, h.opened = record.MostOwed, record.MostLent, record.Cost, record.Opened
	}
	return nil
}

func (e *Engine) writeCounters(w *product.Writer) {
	if e.last != 0 {
		w.Message(&CounterRecord{e.last})
	}
}

func (e *Engine) readCounters(r *product.Reader) error {
	for record, err := range product.Messages[CounterRecord](r) {
		if err != nil {
			return err
		}
		e.last = record.Position
	}
	return nil
}
