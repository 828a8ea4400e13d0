// Package position is the arithmetic of positions: what they cost, what they are worth, what margin they
// ask for and at which price they are lost. It keeps no state, knows no account and moves no money; those
// who do call it with numbers and store what it returns.
//
// What must hold: the cost of a position is exact. Over its life, what was realized is exactly what sales
// brought less what purchases cost, and on the way it is never too high. Every rounding goes against the
// account: requirements up, values down. What does not fit 128 bits is said with false, before anything changed.
package position

import (
	"math"

	"bourse/internal/fixed"
)

// Scale has the decimals of the numbers of a market. Stock and Money together are at most Quote.
type Scale struct {
	Stock uint8 // of a lot
	Money uint8 // of a price
	Fee   uint8 // of fees and of funding
	Quote uint8 // of what money is booked in
}

// amount is a number of lots as an amount of the base asset.
func (s Scale) amount(lots int64) fixed.Decimal { return fixed.FromUnits(lots, int(s.Stock)) }

// Average is the price of so many lots for so much money, cut off at the decimals of a price. It is false
// for no lots.
func (s Scale) Average(money fixed.Decimal, lots int64) (fixed.Decimal, bool) {
	return fixed.Div(money, s.amount(lots), int(s.Money), fixed.Down)
}

// Position is what is open on one market, or on one side of it in hedge mode. The zero value is none.
type Position struct {
	Lots int64         // below zero: short
	Cost fixed.Decimal // what the open lots were bought for, or if they are short, sold for, with a minus
}

// Valid reports whether fills can lead to a position: its cost is on the side of its lots, and none
// without any.
func (p Position) Valid() bool {
	return p.Lots > 0 && p.Cost.Sign() >= 0 ||
		p.Lots < 0 && p.Lots != math.MinInt64 && p.Cost.Sign() <= 0 && p.Cost != fixed.Min ||
		p == Position{}
}

// Deal is one side of a deal.
type Deal struct {
	Lots  int64         // bought, or if below zero, sold
	Money fixed.Decimal // what they were traded for, not negative
	Fee   fixed.Decimal // below zero: a rebate
}

// Part is a deal as far as it closed a position or opened one. Its lots have no sign.
type Part struct {
	Lots  int64
	Money fixed.Decimal
	Fee   fixed.Decimal
}

// Change is what a deal did to a position. One that closed and opened lots was a flip: what is open
// after it is another position.
type Change struct {
	Closed, Opened Part
	Realized       fixed.Decimal // by what was closed, before fees
}

// Fill is the position after a deal, and what the deal did. The position must be valid. It is false when the position would be too
// large to count, or when there was no deal: nothing bought and sold, or for less than no money.
func (p Position) Fill(d Deal, s Scale) (after Position, c Change, fits bool) {
	if d.Lots == 0 || d.Lots == math.MinInt64 || d.Money.Sign() < 0 {
		return Position{}, Change{}, false
	}
	size, held := abs(d.Lots), abs(p.Lots)
	switch {
	case p.Lots == 0 || (p.Lots < 0) == (d.Lots < 0):
		c.Opened = Part{size, d.Money, d.Fee}
	case size <= held:
		c.Closed = Part{size, d.Money, d.Fee}
	default:
		c = d.split(held, s)
	}
	after = p
	if c.Closed.Lots != 0 {
		after, c.Realized = p.reduce(c.Closed, s)
	}
	if c.Opened.Lots != 0 {
		if after, fits = after.grow(c.Opened, d.Lots < 0); !fits {
			return Position{}, Change{}, false
		}
	}
	return after, c, true
}

// split is a deal that closes so many lots and opens the rest. Money and fee go by lots, cut off, and
// what is cut off goes to what is opened. Both are parts of what fits.
func (d Deal) split(closed int64, s Scale) (c Change) {
	size := abs(d.Lots)
	money, _ := d.Money.Share(closed, size, int(s.Quote), fixed.Down)
	fee, _ := d.Fee.Share(closed, size, int(s.Fee), fixed.Down)
	c.Closed = Part{closed, money, fee}
	c.Opened = Part{size - closed, d.Money.Sub(money), d.Fee.Sub(fee)}
	return c
}

// reduce closes lots, of which the position has at least so many. Their share of the cost is rounded
// up, which for a short means that less of what it was sold for counts: what is realized is never too
// high. The last lots take all that is left of it. A part of the cost and what is paid for closing it are
// on one side of zero, so that their difference fits.
func (p Position) reduce(c Part, s Scale) (after Position, realized fixed.Decimal) {
	held, cost := abs(p.Lots), p.Cost
	if c.Lots != held {
		cost, _ = p.Cost.Share(c.Lots, held, int(s.Quote), fixed.Ceil)
	}
	lots, money := c.Lots, c.Money
	if p.Lots < 0 {
		lots, money = -lots, money.Neg()
	}
	return Position{p.Lots - lots, p.Cost.Sub(cost)}, money.Sub(cost)
}

// grow opens lots on the side on which the position is.
func (p Position) grow(o Part, short bool) (after Position, fits bool) {
	lots, money := o.Lots, o.Money
	if short {
		lots, money = -lots, money.Neg()
	}
	cost, fits := p.Cost.AddChecked(money)
	if !fits || cost == fixed.Min || o.Lots > math.MaxInt64-abs(p.Lots) {
		return Position{}, false
	}
	return Position{p.Lots + lots, cost}, true
}

// abs needs a number that is not the least int64, which no position has.
func abs(n int64) int64 { return max(n, -n) }
