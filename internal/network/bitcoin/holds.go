package bitcoin

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
)

// Holds is what a coin is worth: nothing if it is spent or was never there.
func (c *Chain) Holds(ctx context.Context, at driver.Point, h driver.Holding) (fixed.Decimal, error) {
	coin, err := outpoint(h.ID)
	if err != nil {
		return fixed.Decimal{}, err
	}
	if at == (driver.Point{}) {
		return c.holdsNow(ctx, coin)
	}
	// The node answers for its last block only. It says which one that is only of coins that are there.
	if err := c.last(ctx, at); err != nil {
		return fixed.Decimal{}, err
	}
	worth, err := c.unspent(ctx, coin, false)
	if err != nil {
		return fixed.Decimal{}, err
	}
	return worth, c.last(ctx, at)
}

// last fails if the node does not stand at a block.
func (c *Chain) last(ctx context.Context, at driver.Point) error {
	var text string
	if err := c.call(ctx, &text, "getbestblockhash"); err != nil {
		return err
	}
	if text != hex.EncodeToString(at.Hash[:]) {
		return driver.ErrMoved
	}
	return nil
}

// unspent is what an output has that the node holds to be unspent.
func (c *Chain) unspent(ctx context.Context, coin wire.OutPoint, waiting bool) (fixed.Decimal, error) {
	var out *struct {
		Value json.Number `json:"value"`
	}
	if err := c.call(ctx, &out, "gettxout", coin.Hash.String(), coin.Index, waiting); err != nil {
		var no *refusal
		if errors.As(err, &no) && no.Code == codeNotFound { // btcd, of an output that a waiting transaction does not have
			err = nil
		}
		return fixed.Decimal{}, err
	}
	if out == nil {
		return fixed.Decimal{}, nil
	}
	r, err := rational(out.Value)
	if err != nil {
		return fixed.Decimal{}, err
	}
	if r.Mul(r, big.NewRat(1e8, 1)); !r.IsInt() || !r.Num().IsInt64() {
		return fixed.Decimal{}, fmt.Errorf("bitcoin node: gettxout: %s is no amount", out.Value)
	}
	return fixed.FromUnits(r.Num().Int64(), decimals), nil
}

// holdsNow takes what waits for a block as mined. btcd shows coins that a waiting transaction spends, so it is asked for that too.
func (c *Chain) holdsNow(ctx context.Context, coin wire.OutPoint) (fixed.Decimal, error) {
	worth, err := c.unspent(ctx, coin, true)
	if err != nil || worth.IsZero() {
		return worth, err
	}
	var spent []struct {
		By string `json:"spendingtxid"`
	}
	err = c.call(ctx, &spent, "gettxspendingprevout", []any{map[string]any{"txid": coin.Hash.String(), "vout": coin.Index}})
	var no *refusal
	switch {
	case errors.As(err, &no) && no.Code == codeNoMethod: // Core before 24, which does not show them
		return worth, nil
	case err != nil:
		return fixed.Decimal{}, err
	case len(spent) == 1 && spent[0].By != "":
		return fixed.Decimal{}, nil
	}
	return worth, nil
}
