package collateral

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify checks what must always hold: the positions of a future add up to nothing, the clearing account
// holds the costs of all of them with the opposite sign, what customers owe is what the pool has lent them, and nobody
// has collateral and debt in one asset.
func (e *Engine) Verify() error {
	if err := e.verify(); err != nil {
		return fmt.Errorf("collateral: %w", err)
	}
	return nil
}

func (e *Engine) verify() error {
	if err := e.verifyRisk(); err != nil {
		return err
	}
	sums := make([]int64, len(e.markets))
	longs := make([]int64, len(e.markets))
	costs := make([]fixed.Decimal, len(e.listing.Assets()))
	placed := make([]fixed.Decimal, len(e.listing.Assets())) // of one account
	debts := make([]fixed.Decimal, len(e.listing.Assets()))
	for i := range e.members {
		account := schema.FirstCustomer + schema.AccountID(i)
		clear(placed)
		pairs := uint32(0)
		for at := e.members[i].seats; at != 0; at = e.seats.At(at).next {
			s := e.seats.At(at)
			if s.cell != 0 && s.cell != e.ledger.Find(account, schema.Collateral, e.market(s.market).money) {
				return fmt.Errorf("account %d pays for deals on market %d from cell %d", account, s.market, s.cell)
			}
			for _, slot := range [...]uint32{s.long, s.short} {
				if slot == 0 {
					continue
				}
				o := e.positions.At(slot)
				if !o.Valid() || o.Lots == 0 || o.id == 0 || o.id > e.last {
					return fmt.Errorf("account %d has %d lots for %s as position %d", account, o.Lots, o.Cost, o.id)
				}
				f := e.market(s.market)
				if f.spot {
					size := fixed.FromUnits(o.Lots, int(f.scale.Stock))
					placed[f.info.Base-1] = placed[f.info.Base-1].Add(size)
					placed[f.money-1] = placed[f.money-1].Sub(o.Cost)
					pairs++
					continue
				}
				sums[s.market-1] += o.Lots
				longs[s.market-1] += max(0, o.Lots)
				costs[f.money-1] = costs[f.money-1].Add(o.Cost)
			}
		}
		for at := e.members[i].holdings; at != 0; at = e.holdings.At(at).next {
			h := e.holdings.At(at)
			owed, _, _ := e.ledger.Balance(e.ledger.Find(account, schema.Debt, h.asset))
			if owed != h.owed() || !owed.IsZero() && !e.ledger.Available(h.cell).IsZero() {
				return fmt.Errorf("account %d owes %s of asset %d by its loan and %s by its balance, and has %s",
					account, h.owed(), h.asset, owed, e.ledger.Available(h.cell))
			}
			debts[h.asset-1] = debts[h.asset-1].Add(owed)
			if placed[h.asset-1] != h.placed {
				return fmt.Errorf("account %d has %s of asset %d in positions, and %s are counted", account, placed[h.asset-1], h.asset, h.placed)
			}
		}
		if pairs != e.members[i].pairs {
			return fmt.Errorf("account %d has %d positions on spot markets, and %d are counted", account, pairs, e.members[i].pairs)
		}
	}
	for i := range e.markets {
		if f := &e.markets[i]; f.round.active {
			costs[f.money-1] = costs[f.money-1].Sub(f.round.split.Rest())
		}
	}
	for i := range e.markets {
		if f := &e.markets[i]; f.info.Delisted && !f.spot {
			left, _ := fixed.Mul(fixed.FromUnits(sums[i], int(f.scale.Stock)), e.lastWorth(f), fixed.Places, fixed.Down)
			costs[f.money-1] = costs[f.money-1].Sub(left)
			sums[i] = 0
		}
	}
	for i, sum := range sums {
		if sum != 0 || longs[i] != e.markets[i].interest {
			return fmt.Errorf("the positions on market %d add up to %d, and %d are open where %d are counted", i+1, sum, longs[i], e.markets[i].interest)
		}
	}
	for i := range costs {
		asset := schema.AssetID(i + 1)
		clearing := e.ledger.Available(e.ledger.Find(schema.Clearing, schema.Collateral, asset))
		lent := e.ledger.Available(e.ledger.Find(schema.Lending, schema.Debt, asset))
		if clearing != costs[i].Neg() || lent != debts[i].Neg() {
			return fmt.Errorf("asset %d: the clearing account has %s against costs of %s, the pool %s against debts of %s",
				asset, clearing, costs[i], lent, debts[i])
		}
	}
	return nil
}
