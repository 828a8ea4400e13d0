package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// batch plans one transaction that pays many, where there are coins.
func (l *Link) batch(ctx context.Context) error {
	if time.Since(l.batched) < l.o.Batch {
		return nil
	}
	_, native := l.assets()
	if native == nil {
		return nil
	}
	list, err := l.payable(ctx, native, schema.MaxPaid)
	if err != nil || len(list) == 0 {
		return err
	}
	l.batched = time.Now()
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	c := l.settings()
	next := l.next()
	o := &driver.Order{Chain: &c, Rate: rate}
	var need fixed.Decimal
	for i := range list {
		need = need.Add(list[i].Amount)
	}
	if err := l.coins(o, nil, next, need); err != nil {
		return err
	}
	// What the coins do not cover waits for more of them: as many as can be are paid, in their order.
	for count := len(list); count > 0; count = count / 2 {
		o.Pays = o.Pays[:0]
		for i := range list[:count] {
			o.Pays = append(o.Pays, driver.Payment{Address: list[i].Address, Amount: list[i].Amount})
		}
		draft, err := l.o.Driver.Compose(ctx, o)
		if errors.Is(err, driver.ErrFunds) || errors.Is(err, driver.ErrCannot) && count > 1 {
			continue
		}
		if errors.Is(err, driver.ErrCannot) {
			l.suspect(&list[0], err)
		}
		if err != nil {
			return err
		}
		if err := l.unspent(ctx, o, draft); err != nil {
			return err
		}
		m := l.planned(next, draft)
		m.Asset = native.id
		for i := range list[:count] {
			m.Withdrawals = append(m.Withdrawals, list[i].ID)
		}
		return l.commit(ctx, m)
	}
	return fmt.Errorf("withdrawals wait for coins: %s are not covered", list[0].Amount)
}

// candidate is a coin that an order may spend.
type candidate struct {
	schema.Coin
	at driver.Place
}

// coins gives the order of a payout the coins that must be spent, and those that may be: the deepest first, and no more than it can need.
// Each costs the derivation of its address. What is left of them comes back, divided where others have too few.
func (l *Link) coins(o *driver.Order, must []string, payout schema.PayoutID, need fixed.Decimal) error {
	var list []candidate
	l.o.Node.Read(func(m core.View) {
		for _, id := range must {
			if _, c, known := m.Chains().Coin(l.id, id); known {
				list = append(list, candidate{c, place(m, l.space, c.Index, c.Own)})
			}
		}
		o.Must = len(list)
		if o.Must > 0 && list[0].Own.IsCold() { // and nothing else: what is cold is signed for itself
			return
		}
		looked := 0
		for c := range m.Chains().Spendable(l.id, m.Chains().Native(l.id)) {
			if looked++; looked > mostLooked {
				break
			}
			if !c.Own.IsCold() {
				list = append(list, candidate{c, place(m, l.space, c.Index, c.Own)})
			}
		}
	})
	if o.Must != len(must) {
		return errors.New("a coin that it spends is in no block any more")
	}
	list = append(list[:o.Must], offer(list[o.Must:])...)
	var has fixed.Decimal
	for i := range list {
		if i >= o.Must+fewCoins && has.Cmp(need.Add(need)) > 0 {
			break
		}
		has = has.Add(list[i].Amount)
		text, public, err := l.text(list[i].at)
		if err != nil {
			return err
		}
		o.Coins = append(o.Coins, driver.Input{ID: list[i].ID, Amount: list[i].Amount, Address: text, Place: list[i].at, Public: public})
	}
	var err error
	o.Change, _, err = l.text(driver.Place{Own: schema.ChangeOf(payout), Type: schema.Bech32})
	o.Others = func(least fixed.Decimal) int { return l.others(o, payout, least) }
	return err
}

// offer is what an order is offered of coins: the largest, the deepest of these first. Who pays in many small ones must not leave an
// order without those that cover it.
func offer(list []candidate) []candidate {
	if len(list) > mostOffered {
		slices.SortStableFunc(list, func(a, b candidate) int { return b.Amount.Cmp(a.Amount) })
		list = list[:mostOffered]
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.Height, b.Height) })
	return list
}

// others counts the coins of at least so much that payouts but one can spend, now or soon, besides those that its order has: up to as many
// as change can be divided into.
func (l *Link) others(o *driver.Order, payout schema.PayoutID, least fixed.Decimal) (count int) {
	mine := make(map[string]bool, len(o.Coins))
	for i := range o.Coins {
		mine[o.Coins[i].ID] = true
	}
	l.o.Node.Read(func(m core.View) {
		parents := map[schema.PayoutID]bool{} // whose change a child spends
		for p := range m.Chains().Payouts(l.id) {
			parents[m.Chains().Parent(p.ID)] = true
		}
		for p := range m.Chains().Payouts(l.id) {
			if p.ID == payout || p.Status != schema.PayoutSent || parents[p.ID] {
				continue
			}
			for _, out := range p.Variants[len(p.Variants)-1].Outputs {
				if !out.Own.IsCold() && !out.Amount.Less(least) {
					count++
				}
			}
		}
		looked := 0
		for c := range m.Chains().Free(l.id, m.Chains().Native(l.id)) {
			if looked++; looked > mostLooked || count >= schema.MaxChange {
				return
			}
			if !c.Own.IsCold() && !c.Amount.Less(least) && !mine[c.ID] {
				count++
			}
		}
	})
	return min(count, schema.MaxChange)
}

// mostLooked is how many coins are looked at: strangers may send a million, and the exchange stands still meanwhile, some milliseconds for
// so many. mostOffered is how many of them an order is offered.
const (
	mostLooked  = 100_000
	mostOffered = 10 * schema.MaxInputs
)

// fewCoins are offered to an order beyond those that must be spent, also where fewer would cover it: the fee may need one more.
const fewCoins = 10

// unspent asks the node for every coin of a draft, with what waits for a block: a log that was restored from an older one, and does not
// know what it paid since, pays nothing again.
func (l *Link) unspent(ctx context.Context, o *driver.Order, d *driver.Draft) error {
	for _, id := range d.Inputs {
		at := slices.IndexFunc(o.Coins, func(c driver.Input) bool { return c.ID == id })
		has, err := l.o.Driver.Holds(ctx, driver.Point{}, driver.Holding{ID: id, Address: o.Coins[at].Address})
		if err != nil {
			return err
		}
		if has != o.Coins[at].Amount {
			return fmt.Errorf("coin %s has %s, and should have %s: it may be spent by a payout that this log does not know", id, has, o.Coins[at].Amount)
		}
	}
	return nil
}
