package network

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Where there are accounts, what customers pay in lies at their addresses, and withdrawals are paid from one of ours. collect brings it
// there once it is confirmed, if it is worth what that costs: native money that is many times the fee, tokens from the least deposit of
// their network on. A token cannot pay for its own transfer: the address gets what that costs first.

const (
	worth     = 20      // times what its transfer costs, native money is collected
	transfers = 120_000 // gas that is taken to be enough to transfer a token, and looked up when it is done
)

// collect brings what lies at customers' addresses to ours, at most so many transactions, once after every block.
func (l *Link) collect(ctx context.Context, list []offered, native *offered, hot string, most int) error {
	height, _ := l.Heights()
	if height == l.collected {
		return nil
	}
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for i := range list {
		a := &list[i]
		for _, c := range l.lying(a.id) {
			if most <= 0 {
				return errors.Join(problems...)
			}
			did, err := l.bring(ctx, a, native, hot, &c, rate)
			switch {
			case errors.Is(err, driver.ErrFunds):
			case err != nil:
				problems = append(problems, fmt.Errorf("collecting %s from address %d: %w", a.ticker, c.Index, err))
			case did:
				most--
			}
		}
	}
	l.collected = height
	return errors.Join(problems...)
}

// lying are balances of an asset at customers' addresses that are worth collecting, but for those at addresses where a deposit is not
// confirmed yet, or that a payout under way pays from or to.
func (l *Link) lying(asset schema.AssetID) (list []schema.Coin) {
	l.o.Node.Read(func(m core.View) {
		busy := map[schema.AddressIndex]bool{}
		height, _ := m.Chains().Cursor(l.id)
		for d := range m.Chains().Deposits(l.id) {
			n := m.Listing().Asset(d.Asset).NetworkOn(l.id)
			if d.Height == 0 || n != nil && height+1 < d.Height+uint64(n.Confirmations) {
				busy[d.Index] = true
			}
		}
		for p := range m.Chains().Payouts(l.id) {
			if p.Height != 0 {
				continue
			}
			busy[p.Index] = true
			for _, out := range p.Variants[0].Outputs {
				busy[out.Index] = true
			}
		}
		a := m.Listing().Asset(asset)
		least, _ := a.DepositBounds(a.NetworkOn(l.id))
		for c := range m.Chains().Coins(l.id, asset) {
			if c.Index != 0 && !busy[c.Index] && c.Amount.Cmp(least) >= 0 {
				list = append(list, c)
			}
		}
	})
	return list
}

// bring brings a balance to our address, or first what that costs to where it lies.
func (l *Link) bring(ctx context.Context, a, native *offered, hot string, c *schema.Coin, rate uint64) (bool, error) {
	from, _, err := l.text(driver.Place{Index: c.Index})
	if err != nil {
		return false, err
	}
	gas := uint64(transfers)
	if a.id == native.id {
		gas = 21_000
	}
	costs, fits := driver.Amount(new(big.Int).Mul(new(big.Int).SetUint64(rate), new(big.Int).SetUint64(gas)), native.decimals)
	if !fits {
		return false, fmt.Errorf("a rate of %d cannot be counted", rate)
	}
	var fuel fixed.Decimal
	l.o.Node.Read(func(m core.View) { fuel = m.Chains().Available(l.id, native.id, c.Index, 0) })
	if a.id == native.id {
		floor, fits := fixed.Mul(costs, fixed.FromInt(worth), fixed.Places, fixed.Up)
		if !fits || c.Amount.Less(floor) {
			return false, nil
		}
	} else if fuel.Less(costs) {
		// A half more than it costs now, so that it still suffices when gas costs a little more by then.
		more, _ := fixed.Mul(costs, fixed.FromUnits(15, 1), int(native.decimals), fixed.Up)
		return true, l.transfer(ctx, &transfer{
			asset: native, native: native, from: hot, own: schema.Hot, to: from, amount: more.Sub(fuel), output: schema.OwnOutput{Index: c.Index},
		})
	}
	return true, l.transfer(ctx, &transfer{
		asset: a, native: native, from: from, index: c.Index, to: hot, output: schema.OwnOutput{Own: schema.Hot},
	})
}
