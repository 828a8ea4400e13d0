package demo

import (
	"context"

	"bourse/internal/fixed"
)

// position is an open position as the API returns it.
type position struct {
	ID         int64   `json:"positionId"`
	Market     string  `json:"market"`
	Amount     decimal `json:"amount"` // below zero: short
	Unrealized decimal `json:"unrealizedPnl"`
}

// holding are the positions of an account, on all futures or on one.
func (c *client) holding(ctx context.Context, f fields) (list []position, err error) {
	err = c.post(ctx, "/api/v4/collateral-account/positions/open", f, &list)
	return list, err
}

// held is what an account holds on a future. The bots are in one-way mode and have one position there, or none.
func (c *client) held(ctx context.Context, market string) (fixed.Decimal, error) {
	list, err := c.holding(ctx, fields{"market": market})
	if err != nil || len(list) == 0 {
		return fixed.Zero, err
	}
	return list[0].Amount.Decimal, nil
}

// choose sets the leverage of an account.
func (c *client) choose(ctx context.Context, leverage uint8) error {
	var chosen struct{}
	return c.post(ctx, "/api/v4/collateral-account/leverage", fields{"leverage": leverage}, &chosen)
}
