package demo

import (
	"context"
	"math/rand/v2"
	"slices"

	"bourse/internal/fixed"
)

// gambler is somebody who puts all that it has on one future, at the highest leverage. It takes small wins, and waits for
// losses to turn until liquidation ends them. Then it begins again with other money of its own.
type gambler struct {
	client  *client
	markets []*market // futures
	chance  *rand.Rand
}

// What it plays with, in USDT. The bet with its fee and the spread is what a stake allows at 100x, and within the bracket
// of that leverage: half a percent is the way to ruin.
var (
	stake = fixed.FromInt(500)
	bet   = fixed.FromInt(45_000) // what the position is worth
	left  = fixed.FromInt(40_000) // a position that is worth less was liquidated in part
	win   = fixed.FromInt(150)
)

// play looks at the position, and ends it or begins one.
func (g *gambler) play(ctx context.Context) error {
	positions, err := g.client.holding(ctx, nil)
	if err != nil {
		return err
	}
	for i := range positions {
		if err := g.consider(ctx, &positions[i]); err != nil {
			return err
		}
	}
	if len(positions) > 0 {
		return nil
	}
	if err := g.even(ctx); err != nil {
		return err
	}
	return g.begin(ctx)
}

// consider closes a position that has won enough, and what liquidation has left of one.
func (g *gambler) consider(ctx context.Context, p *position) error {
	i := slices.IndexFunc(g.markets, func(m *market) bool { return m.name == p.Market })
	if p.Unrealized.Cmp(win) < 0 && multiply(p.Amount.Abs(), g.markets[i].value()).Cmp(left) >= 0 {
		return nil
	}
	var none []any
	err := g.client.post(ctx, "/api/v4/collateral-account/position/close", fields{"market": p.Market, "positionId": p.ID}, &none)
	if codeOf(err) == codePositionGone {
		return nil
	}
	return err
}

// codePositionGone is the code of a position that does not exist: liquidation was faster.
const codePositionGone = 104

// even brings the collateral to a stake: after a loss from the main account, after a win to it.
func (g *gambler) even(ctx context.Context) error {
	var have map[string]decimal
	if err := g.client.post(ctx, "/api/v4/collateral-account/balance", fields{"ticker": "USDT"}, &have); err != nil {
		return err
	}
	const digits = 6 // of USDT in transfers
	lacks, _ := stake.Sub(have["USDT"].Decimal).Round(digits, fixed.Down)
	if lacks.IsZero() {
		return nil
	}
	from, to := "main", "collateral"
	if lacks.Sign() < 0 {
		from, to = to, from
	}
	var none []any
	return g.client.post(ctx, "/api/v4/main-account/transfer", fields{"ticker": "USDT", "amount": lacks.Abs().String(), "from": from, "to": to}, &none)
}

// begin bets on one of the futures, either way.
func (g *gambler) begin(ctx context.Context) error {
	m := g.markets[g.chance.IntN(len(g.markets))]
	steps := count(bet, multiply(m.step, m.value()), fixed.Down)
	side := [2]string{buy, sell}[g.chance.IntN(2)]
	var placed struct{}
	return g.client.post(ctx, "/api/v4/order/collateral/market", fields{"market": m.name, "side": side, "amount": m.amount(steps).String()}, &placed)
}
