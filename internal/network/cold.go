package network

import (
	"context"
	"errors"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Cold storage takes what is above the hot cap of a network, and gives back what operators ask for. Both are payouts as others; those that
// come back are signed by people who have the keys, and keep no withdrawal waiting meanwhile. What goes and comes never passes a customer.

// keptHot is what stays of the cap when something is stored, in quarters: with all of it every deposit would make a transaction of its own.
const keptHot = 3

// fetches reports whether a payout spends what is in cold storage: where there are coins, all others pay withdrawals or store something, or
// are children.
func fetches(m core.View, p *schema.Payout) bool {
	if first := &p.Variants[0]; len(first.Inputs) > 0 {
		return len(p.Withdrawals) == 0 && !stores(first.Outputs) && m.Chains().Parent(p.ID) == 0
	}
	return p.Own.IsCold()
}

func (l *Link) fetches(p *schema.Payout) (does bool) {
	l.o.Node.Read(func(m core.View) { does = fetches(m, p) })
	return does
}

// stores reports whether outputs begin with one to cold storage.
func stores(outputs []schema.OwnOutput) bool { return len(outputs) > 0 && outputs[0].Own.IsCold() }

// tooMuch is what of an amount should be stored; zero: nothing, as long as a withdrawal waits. What was fetched is to be used: while a
// payout that fetched the asset can still be rewound nothing of it is stored.
func (l *Link) tooMuch(a *offered, has fixed.Decimal) fixed.Decimal {
	if a.cap.IsZero() || has.Cmp(a.cap) <= 0 || len(l.waiting(a.id, 1, nil)) > 0 {
		return fixed.Zero
	}
	fetched := false
	l.o.Node.Read(func(m core.View) {
		for p := range m.Chains().Payouts(l.id) {
			fetched = fetched || p.Asset == a.id && fetches(m, p)
		}
	})
	if fetched {
		return fixed.Zero
	}
	kept, fits := fixed.Mul(a.cap, fixed.FromUnits(25*keptHot, 2), int(a.decimals), fixed.Up)
	if !fits {
		return fixed.Zero
	}
	return has.Sub(kept)
}

// wanted is what of an asset should come back, as far as this node can have it signed.
func (l *Link) wanted(a *offered) (amount fixed.Decimal) {
	if l.o.Cold != nil {
		l.o.Node.Read(func(m core.View) { amount = m.Chains().Wanted(l.id, a.id) })
	}
	return amount
}

// balanceCoins fetches what is wanted and stores what is too much, where there are coins, once after every block.
func (l *Link) balanceCoins(ctx context.Context) error {
	_, native := l.assets()
	height, _ := l.Heights()
	if native == nil || l.keys.Cold == nil || l.balanced == height {
		return nil
	}
	var has fixed.Decimal
	var stored []string // coins, the deepest first
	want := l.wanted(native)
	l.o.Node.Read(func(m core.View) {
		for c := range m.Chains().Spendable(l.id, native.id) {
			if !c.Own.IsCold() {
				has = has.Add(c.Amount)
			} else if want.Sign() > 0 && len(stored) < schema.MaxInputs {
				stored = append(stored, c.ID)
				want = want.Sub(c.Amount)
			}
		}
	})
	var err error
	if len(stored) > 0 {
		err = l.fetchCoins(ctx, native, stored)
	}
	err = errors.Join(err, l.storeCoins(ctx, native, l.tooMuch(native, has)))
	if err == nil {
		l.balanced = height
	}
	return err
}

// storeCoins sends coins to cold storage: half as much, as often as it must be, where that would spend more of them than a transaction can.
func (l *Link) storeCoins(ctx context.Context, native *offered, amount fixed.Decimal) error {
	next := l.next()
	for ; amount.Sign() > 0; amount, _ = fixed.Mul(amount, fixed.FromUnits(5, 1), int(native.decimals), fixed.Down) {
		out := schema.OwnOutput{Own: schema.ColdOf(next), Amount: amount}
		to, _, err := l.text(driver.Place{Own: out.Own, Type: schema.Bech32})
		if err != nil {
			return err
		}
		m, err := l.moveCoins(ctx, native, next, nil, amount, driver.Payment{Address: to, Amount: amount})
		if errors.Is(err, driver.ErrFunds) {
			continue
		}
		if err != nil {
			return fmt.Errorf("storing %s %s: %w", amount, native.ticker, err)
		}
		m.Outputs = append([]schema.OwnOutput{out}, m.Outputs...)
		return l.commit(ctx, m)
	}
	return nil
}

// fetchCoins brings coins back from cold storage, whole.
func (l *Link) fetchCoins(ctx context.Context, native *offered, stored []string) error {
	m, err := l.moveCoins(ctx, native, l.next(), stored, fixed.Zero)
	if err != nil {
		return fmt.Errorf("fetching %s from cold storage: %w", native.ticker, err)
	}
	return l.commit(ctx, m)
}

// moveCoins composes the payout with a number, between our own addresses.
func (l *Link) moveCoins(ctx context.Context, native *offered, next schema.PayoutID, must []string, need fixed.Decimal, pays ...driver.Payment) (*schema.PlanPayout, error) {
	rate, err := l.rate(ctx)
	if err != nil {
		return nil, err
	}
	c := l.settings()
	o := &driver.Order{Chain: &c, Rate: rate, Pays: pays}
	if err := l.coins(o, must, next, need); err != nil {
		return nil, err
	}
	draft, err := l.o.Driver.Compose(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.unspent(ctx, o, draft); err != nil {
		return nil, err
	}
	m := l.planned(next, draft)
	m.Asset = native.id
	return m, nil
}

// balanceAccounts stores what is too much of each asset and fetches what is wanted, where there are accounts, once after every block.
func (l *Link) balanceAccounts(ctx context.Context, list []offered, native *offered, hot string) error {
	height, _ := l.Heights()
	if l.keys.Cold == nil || l.balanced == height {
		return nil
	}
	cold, _, err := l.text(driver.Place{Own: schema.Cold})
	if err != nil {
		return err
	}
	var problems []error
	for i := range list {
		a := &list[i]
		var has fixed.Decimal
		l.o.Node.Read(func(m core.View) { has = m.Chains().Available(l.id, a.id, 0, schema.Hot) })
		if amount := l.tooMuch(a, has); amount.Sign() > 0 {
			err := l.transfer(ctx, &transfer{asset: a, native: native, from: hot, own: schema.Hot, to: cold, amount: amount, output: schema.OwnOutput{Own: schema.Cold}})
			if err != nil {
				problems = append(problems, fmt.Errorf("storing %s %s: %w", amount, a.ticker, err))
			}
		}
		if amount := l.wanted(a); amount.Sign() > 0 && !l.flying(0, schema.Cold) {
			err := l.transfer(ctx, &transfer{asset: a, native: native, from: cold, own: schema.Cold, to: hot, amount: amount, output: schema.OwnOutput{Own: schema.Hot}})
			if err != nil {
				problems = append(problems, fmt.Errorf("fetching %s %s from cold storage: %w", amount, a.ticker, err))
			}
		}
	}
	if len(problems) == 0 {
		l.balanced = height
	}
	return errors.Join(problems...)
}
