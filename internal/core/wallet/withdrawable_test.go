package wallet

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestWithdrawableIsExactlyWhatMayLeave: of each asset the amount may leave, and not a step more, whatever was traded.
func TestWithdrawableIsExactlyWhatMayLeave(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := open(t)
		index := amount(rapid.Int64Range(0, 3).Draw(rt, "index") * 50)
		last := amount(rapid.SampledFrom([]int64{0, 100}).Draw(rt, "last price"))
		b.Index = func(schema.MarketID) (fixed.Decimal, fixed.Decimal) { return index, last }
		b.whole = rapid.Bool().Draw(rt, "whole")
		for _, asset := range []schema.AssetID{btc, usdt} {
			for _, held := range []bool{true, false} {
				if n := rapid.SampledFrom([]int64{0, 1, 7, 500}).Draw(rt, "deposit"); n > 0 {
					b.Deposit(&schema.Deposit{Account: alice, Asset: asset, Amount: fixed.FromUnits(n, 1), Held: held})
				}
			}
			main := b.Ledger.Open(alice, schema.Main, asset)
			gone := fixed.MinOf(b.Ledger.Available(main), fixed.FromUnits(rapid.Int64Range(0, 800).Draw(rt, "gone"), 1))
			to := rapid.SampledFrom([]schema.AccountID{alice, schema.House}).Draw(rt, "to")
			b.Ledger.Move(main, b.Ledger.Open(to, schema.Trade, asset), gone, ledger.Note{Cause: schema.ByTrade})
		}
		if rapid.IntRange(0, 5).Draw(rt, "owes") == 0 {
			b.Ledger.Move(b.Ledger.Open(schema.House, schema.Owed, btc), b.Ledger.Open(alice, schema.Owed, btc), amount(1), ledger.Note{Cause: schema.ByReversal})
		}
		list, _ := b.Withdrawable(alice)
		for _, asset := range []schema.AssetID{btc, usdt} {
			available, _, held := b.Ledger.Balance(b.Ledger.Find(alice, schema.Main, asset))
			at := slices.IndexFunc(list, func(w Withdrawable) bool { return w.Asset == asset })
			if (at < 0) != (available.IsZero() && held.IsZero()) {
				rt.Fatalf("asset %d with %s, %s held: listed at %d", asset, available, held, at)
			}
			if at < 0 {
				continue
			}
			most := list[at].Amount
			if r := b.MayLeave(alice, asset, most); !most.IsZero() && r.Refused() {
				rt.Errorf("%s of asset %d may leave, and is refused: %s", most, asset, r.Text())
			}
			if more := most.Add(fixed.FromUnits(1, 2)); !b.MayLeave(alice, asset, more).Refused() {
				rt.Errorf("%s of asset %d may leave, and %s does too", most, asset, more)
			}
		}
	})
}

// TestWithdrawableInNumbers: 500 of 1,000 are held and 6 BTC were bought with 600 of them, at 100 each.
func TestWithdrawableInNumbers(t *testing.T) {
	b := open(t)
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(500), Held: true})
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(500)})
	note := ledger.Note{Cause: schema.ByTrade}
	b.Ledger.Move(b.Ledger.Find(alice, schema.Main, usdt), b.Ledger.Open(schema.House, schema.Main, usdt), amount(600), note)
	b.Ledger.Move(b.Ledger.Open(schema.House, schema.Main, btc), b.Ledger.Open(alice, schema.Main, btc), amount(6), note)
	list, value := b.Withdrawable(alice)
	// Owned: 400 + 6 × 100; held: 500. No USDT leaves, as more is held than there is, and 5 BTC are worth what is free.
	if want := []Withdrawable{{btc, amount(5)}, {usdt, fixed.Zero}}; !slices.Equal(list, want) || value != amount(500) {
		t.Errorf("%v, %s", list, value)
	}
}
