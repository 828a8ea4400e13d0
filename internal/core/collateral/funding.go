package collateral

import (
	"bourse/internal/core/ledger"
	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// round is a settlement of funding under way. Rate, mark and who is in it are fixed when it begins: positions that
// were open then have a lower number. They are booked in slices by id, so that no tick takes long however many
// there are; one that is touched before its turn is booked first.
//
// What must hold: while a round is under way the clearing account has, besides the costs of positions, what was paid
// and not yet received; when it is over, what is left of that is not negative and goes to the insurance fund.
type round struct {
	number uint32 // of the last round that began
	active bool
	at     schema.Time
	mark   fixed.Decimal     // in the money of the market's prices, and
	money  fixed.Decimal     // what a unit of that is worth; zero: it is USDT
	split  price.Split       // in USDT
	next   uint32            // the position that is looked at next, 0: none
	until  schema.PositionID // the last that was open when the round began
}

// SettleFunding begins a settlement. It is false while the one before is under way.
func (e *Engine) SettleFunding(market schema.MarketID, rate, mark, money fixed.Decimal, at, since schema.Time) bool {
	f := e.market(market)
	if f.round.active {
		return false
	}
	e.out.Events.Add(&schema.FundingSettled{Market: market, Rate: rate, Mark: mark, At: at, Since: since})
	if !rate.IsZero() {
		e.rounds++
		f.round = round{
			number: f.round.number + 1, active: true, at: at, mark: mark, money: money, next: f.first, until: e.last,
			split: price.Split{Rate: rate, Mark: settled(mark, money)},
		}
	}
	return true
}

// settled is the mark of a settlement in USDT.
func settled(mark, money fixed.Decimal) fixed.Decimal {
	if money.IsZero() {
		return mark
	}
	return price.InUSDT(mark, money)
}

// fund books a slice of what is under way.
func (e *Engine) fund() {
	left := fundingSlices * e.features.Slice
	for i := range e.markets {
		f := &e.markets[i]
		for ; f.round.active && left > 0; left-- {
			at := f.round.next
			if at == 0 || e.positions.At(at).id > f.round.until {
				break
			}
			f.round.next = e.positions.At(at).next
			e.bookFunding(f, at)
		}
		if at := f.round.next; f.round.active && (at == 0 || e.positions.At(at).id > f.round.until) {
			e.endRound(f)
		}
	}
}

// fundingSlices is how many times more positions a tick books than a command may have fills. Booking one costs a small part of
// a fill, but the first tick that has so many events also takes the memory for them.
const fundingSlices = 5

// due is what a position gets by the settlement under way and has not got yet, below zero what it has to pay.
func (f *market) due(o *open) fixed.Decimal {
	if !f.round.active || o.round == f.round.number {
		return fixed.Zero
	}
	split := f.round.split
	change, fits := split.Share(f.worth(o), int(f.scale.Fee))
	if !fits {
		return fixed.Zero
	}
	return change
}

// worth is the value of a position at the mark of the settlement, signed like the position.
func (f *market) worth(o *open) fixed.Decimal {
	value, fits := fixed.Mul(fixed.FromUnits(o.Lots, int(f.scale.Stock)), f.round.split.Mark, fixed.Places, fixed.Down)
	if !fits {
		return fixed.Zero // nobody can have so much: orders are bounded by what a value can be
	}
	return value
}

// bookFunding gives a position its share of the settlement under way, if it still has one to get.
func (e *Engine) bookFunding(f *market, at uint32) {
	o := e.positions.At(at)
	if !f.round.active || o.round == f.round.number {
		return
	}
	o.round = f.round.number
	change, fits := f.round.split.Share(f.worth(o), int(f.scale.Fee))
	if !fits || change.IsZero() {
		return
	}
	s := e.seats.At(o.seat)
	h := e.holdings.At(e.holding(s.account, e.member(s.account), f.money))
	note := ledger.Note{Cause: schema.ByFunding, Ref: uint64(o.id)}
	e.pass(s.account, h, e.ledger.Open(schema.Clearing, schema.Collateral, h.asset), change, note)
	o.funding, o.updated = plus(o.funding, change.Neg()), e.out.Time
	e.lose(s.account, change.Neg())
	ev := e.out.Events.AddPosition()
	*ev = schema.PositionChanged{Cause: schema.ByFunding, Price: f.round.mark, Funding: change, Settled: f.round.at}
	e.view(s, at, e.sideOf(at), &ev.Position)
	ev.Amount = ev.Position.Amount
}

// endRound ends a settlement: what is left over is nobody's.
func (e *Engine) endRound(f *market) {
	if rest := f.round.split.Rest(); !rest.IsZero() {
		e.ledger.Move(e.ledger.Open(schema.Clearing, schema.Collateral, f.money),
			e.ledger.Open(schema.Insurance, schema.Main, f.money), rest, ledger.Note{Cause: schema.ByFunding, Ref: uint64(f.info.ID)})
	}
	f.round = round{number: f.round.number}
	e.rounds--
}

// Leaving says that money is about to leave the collateral of an account: what is due is booked first.
func (e *Engine) Leaving(account schema.AccountID) {
	m := e.member(account)
	m.headroom = headroom{}
	if e.atStake(m) {
		e.touch(account, m)
	}
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		for _, slot := range [...]uint32{s.long, s.short} {
			if slot != 0 {
				e.bookFunding(e.market(s.market), slot)
			}
		}
	}
}

// dues is what an account gets by settlements under way, below zero what it has to pay.
func (e *Engine) dues(m *member) (sum fixed.Decimal) {
	if e.rounds == 0 {
		return fixed.Zero
	}
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		f := e.market(s.market)
		if !f.round.active {
			continue
		}
		for _, slot := range [...]uint32{s.long, s.short} {
			if slot != 0 {
				sum = plus(sum, f.due(e.positions.At(slot)))
			}
		}
	}
	return sum
}

// enlist appends a new position to those of its market. Positions come with growing ids, so that the list stays
// sorted.
func (e *Engine) enlist(f *market, at uint32) {
	o := e.positions.At(at)
	o.prev, o.next = f.last, 0
	if f.last == 0 {
		f.first = at
	} else {
		e.positions.At(f.last).next = at
	}
	f.last = at
}

// strike takes a position off the list of its market.
func (e *Engine) strike(f *market, at uint32) {
	o := e.positions.At(at)
	if f.round.next == at {
		f.round.next = o.next
	}
	if o.prev == 0 {
		f.first = o.next
	} else {
		e.positions.At(o.prev).next = o.next
	}
	if o.next == 0 {
		f.last = o.prev
	} else {
		e.positions.At(o.next).prev = o.prev
	}
}
