package core

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// TestConversionsAgainstNaive is TestAgainstNaive for conversions. Beside what all comparisons look at, money moves just as quotes say, and neither comes nor
// goes.
func TestConversionsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		w := &convertWorld{now: start, oracle: tr.slow}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.convert).run(m); err != nil {
				t.Fatalf("%s", story(slices.Clone(log), func() sender { return newTrial(slice).convert }))
			}
		}
		w.birth(r, func(c schema.Command) { send(moment{at: w.now, cmd: c}) })
		for range 1 + chance(r, 120) {
			m := w.next(r)
			send(m)
			w.learn(r, m, tr.answer)
		}
	})
}

// convert runs a command everywhere, and looks at what moved by conversions.
func (tr *trial) convert(m moment) error {
	before := tr.purses(m.cmd)
	if err := tr.apply(m); err != nil {
		return err
	}
	if err := tr.closed(); err != nil {
		return err
	}
	c := tr.answer.Conversion
	if c == nil {
		return nil
	}
	if _, quoted := m.cmd.(*schema.QuoteConversion); quoted {
		return tr.roundTrip(m, c)
	}
	return tr.movedAs(before, m.cmd, c)
}

// purse is what an account has of an asset in the wallet that conversions are about.
type purse struct {
	account schema.AccountID
	asset   schema.AssetID
}

// purses are those of an account that converts, and of the inventory.
func (tr *trial) purses(cmd schema.Command) map[purse][2]fixed.Decimal {
	var account schema.AccountID
	switch c := cmd.(type) {
	case *schema.ConfirmConversion:
		account = c.Account
	case *schema.AutoConvert:
		account = c.Exchange.Account
	default:
		return nil
	}
	all := map[purse][2]fixed.Decimal{}
	for _, asset := range tr.slow.Assets() {
		available, frozen, _ := tr.slow.Balance(account, schema.Trade, asset.ID)
		all[purse{account, asset.ID}] = [2]fixed.Decimal{available, frozen}
		available, frozen, _ = tr.slow.Balance(schema.Convert, schema.Main, asset.ID)
		all[purse{schema.Convert, asset.ID}] = [2]fixed.Decimal{available, frozen}
	}
	return all
}

// movedAs reports whether what an account and the inventory have changed as a conversion says, and nothing else; a repeated answer moves nothing.
func (tr *trial) movedAs(want map[purse][2]fixed.Decimal, cmd schema.Command, c *schema.Conversion) error {
	_, auto := cmd.(*schema.AutoConvert)
	if !auto || c.ID > tr.converted {
		add := func(a schema.AccountID, asset schema.AssetID, available, frozen fixed.Decimal) {
			p := want[purse{a, asset}]
			want[purse{a, asset}] = [2]fixed.Decimal{p[0].Add(available), p[1].Add(frozen)}
		}
		add(c.Account, c.From, c.Give.Neg(), fixed.Zero)
		add(c.Account, c.To, c.Receive, fixed.Zero)
		add(schema.Convert, c.From, c.Give, fixed.Zero)
		if auto {
			add(schema.Convert, c.To, c.Receive.Neg(), fixed.Zero)
			tr.converted = c.ID
		} else {
			add(schema.Convert, c.To, fixed.Zero, c.Receive.Neg())
		}
	}
	for p, was := range want {
		if is := tr.purses(cmd)[p]; is != was {
			return fmt.Errorf("by %+v account %d has %v of asset %d, want %v", *c, p.account, is, p.asset, was)
		}
	}
	return nil
}

// closed reports whether all that there is of each asset, with what the world outside owes, is nothing.
func (tr *trial) closed() error {
	if err := tr.slow.Verify(); err != nil {
		return err
	}
	owners := []schema.AccountID{schema.Outside, schema.Fees, schema.Insurance, schema.House, schema.Lending, schema.Convert, schema.Interest, schema.Pool}
	for _, a := range tr.slow.Accounts() {
		owners = append(owners, a.ID)
	}
	for _, asset := range tr.slow.Assets() {
		sum := fixed.Zero
		for _, owner := range owners {
			for _, wallet := range []schema.Wallet{schema.Main, schema.Trade} {
				available, frozen, _ := tr.slow.Balance(owner, wallet, asset.ID)
				sum = sum.Add(available).Add(frozen)
			}
		}
		if !sum.IsZero() {
			return fmt.Errorf("there is %s of %s too much", sum, asset.Ticker)
		}
	}
	return nil
}

// roundTrip asks, beside everything, what comes back for all that a quote gives: never more than it takes.
func (tr *trial) roundTrip(m moment, c *schema.Conversion) error {
	if tr.count%4 != 0 {
		return nil
	}
	beside, err := Restore(tr.fast.Snapshot())
	if err != nil {
		return err
	}
	beside.ApplyFrom(m.at, m.from, &schema.Deposit{Account: c.Account, Asset: c.To, Amount: c.Receive})
	beside.ApplyFrom(m.at, m.from, &schema.Transfer{Account: c.Account, Asset: c.To, Amount: c.Receive, From: schema.Main, To: schema.Trade})
	out := beside.ApplyFrom(m.at, m.from, &schema.QuoteConversion{Exchange: schema.Exchange{Account: c.Account, From: c.To, To: c.From, Amount: c.Receive}})
	if back := out.Result.Conversion; back != nil && back.Receive.Cmp(c.Give) > 0 {
		return fmt.Errorf("%s becomes %s and that %s", c.Give, c.Receive, back.Receive)
	}
	return nil
}

// compareConversions compares the settings of conversions.
func (tr *trial) compareConversions() error {
	got := tr.fast.Conversion()
	if want, _ := tr.slow.Conversion(); !bytes.Equal(wire.Append(nil, &got), wire.Append(nil, &want)) {
		return fmt.Errorf("settings of conversions:\n got %+v\nwant %+v", got, want)
	}
	return nil
}
