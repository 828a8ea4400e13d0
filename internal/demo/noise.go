package demo

import (
	"context"
	"math/rand/v2"

	"bourse/internal/fixed"
)

// noise is somebody who trades on one market for no reason, small and often, and takes what is
// best. A trade whose answer is lost is left at that.
type noise struct {
	market *market
	client *client
	start  fixed.Decimal // of base; where it tends to return
	chance *rand.Rand
}

// newNoise is a trader who has an account with a purse. On a future it returns to no position.
func newNoise(m *market, c *client, start purse, chance *rand.Rand) *noise {
	if m.future {
		return &noise{m, c, m.room(), chance}
	}
	return &noise{m, c, start[m.base], chance}
}

// biteMax is the largest order, in units of the market.
const biteMax = 10

// trade takes something from the book.
func (n *noise) trade(ctx context.Context) error {
	have, err := n.have(ctx)
	if err != nil {
		return err
	}
	side := sell
	if n.chance.Int64N(1000) < leaning(n.start, have) {
		side = buy
	}
	path, f := n.market.order(side, 1+n.chance.Int64N(biteMax), n.chance.IntN(3))
	var placed struct{}
	return n.client.post(ctx, path, f, &placed)
}

// have is what it has of base: on a future the room there and its position.
func (n *noise) have(ctx context.Context) (fixed.Decimal, error) {
	if n.market.future {
		held, err := n.client.held(ctx, n.market.name)
		return n.market.room().Add(held), err
	}
	var have map[string]struct {
		Available decimal `json:"available"`
	}
	err := n.client.post(ctx, "/api/v4/trade-account/balance", fields{"ticker": n.market.base}, &have)
	return have[n.market.base].Available.Decimal, err
}

// leaning is how likely it buys, in 1000: half of the time while it has what it began with, never
// with a tenth more of that, always with a tenth less.
func leaning(start, have fixed.Decimal) int64 {
	tenth, _ := fixed.Div(start, fixed.FromInt(10), fixed.Places, fixed.Down)
	if tenth.IsZero() {
		return 500
	}
	lacks, fits := fixed.Div(start.Sub(have), tenth, 3, fixed.Down)
	share, whole := lacks.Units(3)
	if !fits || !whole {
		share = 0
	}
	return min(max(500+share/2, 0), 1000)
}

// order is an order of so many units that takes from the book at once, in one of three forms: at
// the market by money, at the market by amount, and with a limit. On a future there is no order by money.
func (m *market) order(side string, units int64, form int) (path string, f fields) {
	// The best quotes are no further away than this.
	limit := m.mid.Load()
	if reach := m.gap + 2*m.grid; side == buy {
		limit += reach
	} else {
		limit = max(limit-reach, 1)
	}
	amount := m.amount(m.steps(units, limit))
	f = fields{"market": m.name, "side": side, "amount": amount.String()}
	switch {
	case m.future && form < 2:
		return "/api/v4/order/collateral/market", f
	case form == 0:
		if side == buy { // the amount is money
			money, _ := multiply(m.price(limit), amount).Round(m.moneyPrec, fixed.Up)
			f["amount"] = money.String()
		}
		return "/api/v4/order/market", f
	case form == 1:
		return "/api/v4/order/stock_market", f
	}
	f["price"], f["ioc"] = m.price(limit).String(), true
	if m.future {
		return "/api/v4/order/collateral/limit", f
	}
	return "/api/v4/order/new", f
}
