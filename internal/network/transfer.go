package network

import (
	"context"
	"errors"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// single plans a transaction for each, where there are accounts: withdrawals first, then what is collected from customers' addresses.
func (l *Link) single(ctx context.Context, most int) error {
	list, native := l.assets()
	if native == nil {
		return nil
	}
	hot, _, err := l.text(driver.Place{Own: schema.Hot})
	if err != nil {
		return err
	}
	var problems, refused []error
	for i := range list {
		waiting, err := l.payable(ctx, &list[i], most)
		if errors.Is(err, custody.ErrRefused) { // which is of this asset alone
			refused = append(refused, fmt.Errorf("%s: %w", list[i].ticker, err))
			continue
		}
		if err != nil {
			return errors.Join(append(problems, err)...)
		}
		for _, w := range waiting {
			err := l.transfer(ctx, &transfer{asset: &list[i], native: native, from: hot, own: schema.Hot, to: w.Address, amount: w.Amount, withdrawal: w.ID})
			if errors.Is(err, driver.ErrFunds) {
				break // others of this asset wait with it: what is larger must not wait for ever
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("withdrawal %d: %w", w.ID, err))
				continue
			}
			if most--; most == 0 {
				return errors.Join(problems...)
			}
		}
	}
	if len(problems) == 0 {
		problems = append(problems, l.balanceAccounts(ctx, list, native, hot), l.collect(ctx, list, native, hot, most))
	}
	return errors.Join(append(problems, refused...)...)
}

// transfer is one payment of an account.
type transfer struct {
	asset, native *offered
	from          string
	index         schema.AddressIndex // of the one who pays
	own           schema.OwnAddress
	to            string
	amount        fixed.Decimal // zero: all that is there
	withdrawal    schema.WithdrawalID
	output        schema.OwnOutput // if it is no withdrawal
}

// transfer plans a payment of an account. ErrFunds if it has too little.
func (l *Link) transfer(ctx context.Context, t *transfer) error {
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	c := l.settings()
	var nonce uint64
	var has, fuel fixed.Decimal
	l.o.Node.Read(func(m core.View) {
		nonce = m.Chains().NextNonce(l.id, t.index, t.own)
		has, fuel = m.Chains().Available(l.id, t.asset.id, t.index, t.own), m.Chains().Available(l.id, t.native.id, t.index, t.own)
	})
	pending, err := l.o.Driver.Nonce(ctx, t.from)
	if err != nil {
		return err
	}
	if pending != nonce {
		if l.flying(t.index, t.own) {
			return nil // what is on its way may not have reached the node yet
		}
		return fmt.Errorf("%s is at transaction %d, and should be at %d: it may have sent something that this log does not know", t.from, pending, nonce)
	}
	amount := t.amount
	all := amount.IsZero()
	if all {
		amount = has
	}
	if amount.Sign() <= 0 || has.Less(amount) || fuel.Sign() <= 0 {
		return driver.ErrFunds
	}
	o := &driver.Order{
		Chain: &c, Rate: rate, From: t.from, Nonce: nonce, Contract: t.asset.contract, Decimals: t.asset.decimals,
		Pays: []driver.Payment{{Address: t.to, Amount: amount}},
	}
	if all && t.asset.id == t.native.id {
		// All of it less the fee, which depends on nothing but the receiver: asked for with the smallest amount.
		o.Pays[0].Amount = fixed.FromUnits(1, int(t.asset.decimals))
		draft, err := l.o.Driver.Compose(ctx, o)
		if err != nil {
			return err
		}
		if amount = amount.Sub(draft.Fee); amount.Sign() <= 0 {
			return driver.ErrFunds
		}
		o.Pays[0].Amount = amount
	}
	draft, err := l.o.Driver.Compose(ctx, o)
	if err != nil {
		return err
	}
	need := draft.Fee
	if t.asset.id == t.native.id {
		need = need.Add(amount)
	}
	if fuel.Less(need) {
		return driver.ErrFunds
	}
	m := l.planned(l.next(), draft)
	m.Asset, m.Index, m.Own, m.Nonce = t.asset.id, t.index, t.own, nonce
	if t.withdrawal != 0 {
		m.Withdrawals = []schema.WithdrawalID{t.withdrawal}
	} else {
		t.output.Amount = amount
		m.Outputs = []schema.OwnOutput{t.output}
	}
	return l.commit(ctx, m)
}

// flying reports whether a payout of an account is in no block.
func (l *Link) flying(index schema.AddressIndex, own schema.OwnAddress) (yes bool) {
	l.o.Node.Read(func(m core.View) {
		for p := range m.Chains().Payouts(l.id) {
			yes = yes || p.Height == 0 && p.Index == index && p.Own == own
		}
	})
	return yes
}
