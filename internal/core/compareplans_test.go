package core

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// comparePlans compares the keys, the coins and the payouts of chains of others, and the equations of the naive exchange.
func (tr *trial) comparePlans() error {
	if err := tr.slow.Verify(); err != nil {
		return err
	}
	chains := tr.fast.chains
	if got, want := chains.NextPayout(), tr.slow.NextPayout(); got != want {
		return fmt.Errorf("the next payout: got %d, want %d", got, want)
	}
	for _, c := range chains.All() {
		for _, b := range chains.Bookings(c.ID) {
			if want := tr.slow.Booked(c.ID, b.Asset); b.Booked != want {
				return fmt.Errorf("on chain %s %s of asset %d is booked, want %s", c.Name, b.Booked, b.Asset, want)
			}
		}
		if c.Driver != schema.BitcoinNode && c.Driver != schema.EVMNode {
			continue
		}
		got, known := chains.Keys(c.Space(), false)
		if want, is := tr.slow.SpaceKeys(c.Space()); known != is || !bytes.Equal(wire.Append(nil, &got), wire.Append(nil, &want)) {
			return fmt.Errorf("keys of %s:\n got %+v %t\nwant %+v %t", c.Name, got, known, want, is)
		}
		if got, want := chains.Native(c.ID), tr.slow.Native(c.ID); got != want {
			return fmt.Errorf("the native asset of %s: got %d, want %d", c.Name, got, want)
		}
		if got, want := chains.Window(c.ID), tr.slow.Window(c.ID); got != want {
			return fmt.Errorf("the window of %s: got %d, want %d", c.Name, got, want)
		}
		if err := tr.comparePayouts(&c); err != nil {
			return err
		}
		if err := tr.compareCoins(&c); err != nil {
			return err
		}
	}
	return nil
}

func (tr *trial) comparePayouts(c *schema.Chain) error {
	var got []schema.Payout
	for p := range tr.fast.chains.Payouts(c.ID) {
		got = append(got, *p)
	}
	want := tr.slow.Payouts(c.ID)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("payout %d of %s is not known", want[i].ID, c.Name)
		case i >= len(want):
			return fmt.Errorf("payout %d of %s is known", got[i].ID, c.Name)
		case !bytes.Equal(wire.Append(nil, &got[i]), wire.Append(nil, &want[i])):
			return fmt.Errorf("payout of %s:\n got %+v\nwant %+v", c.Name, got[i], want[i])
		}
		for n, v := range want[i].Variants {
			if v.Tx == "" || c.Driver == schema.EVMNode && len(v.Raw) == 0 {
				continue
			}
			if payout, variant, known := tr.fast.chains.PayoutOf(c.ID, v.Tx); !known || payout != want[i].ID || variant != uint32(n) {
				return fmt.Errorf("transaction %s is variant %d of payout %d %t, want %d of %d", v.Tx, variant, payout, known, n, want[i].ID)
			}
		}
	}
	return nil
}

func (tr *trial) compareCoins(c *schema.Chain) error {
	chains := tr.fast.chains
	for _, asset := range tr.fast.Listing().Assets() {
		if got, want := sortedCoins(chains.Coins(c.ID, asset.ID)), tr.slow.CoinsOf(c.ID, asset.ID); !slices.Equal(got, want) {
			return fmt.Errorf("coins of %s on %s:\n got %+v\nwant %+v", asset.Ticker, c.Name, got, want)
		}
		var got []schema.Withdrawal
		for w := range chains.Waiting(c.ID, asset.ID) {
			got = append(got, *w)
		}
		if want := tr.slow.Waiting(c.ID, asset.ID); !slices.Equal(got, want) {
			return fmt.Errorf("withdrawals of %s that wait on %s:\n got %+v\nwant %+v", asset.Ticker, c.Name, got, want)
		}
	}
	if c.Driver == schema.BitcoinNode {
		got := sortedCoins(chains.Spendable(c.ID, chains.Native(c.ID)))
		if want := tr.slow.Spendable(c.ID); !slices.Equal(got, want) && !chains.Standing(c.ID).Busy {
			return fmt.Errorf("coins to spend on %s:\n got %+v\nwant %+v", c.Name, got, want)
		}
		got = sortedCoins(chains.Free(c.ID, chains.Native(c.ID)))
		if want := tr.slow.Free(c.ID); !slices.Equal(got, want) && !chains.Standing(c.ID).Busy {
			return fmt.Errorf("free coins on %s:\n got %+v\nwant %+v", c.Name, got, want)
		}
		return nil
	}
	last := tr.slow.LastIndex(c.ID)
	for index := range last + 1 {
		own := schema.OwnAddress(0)
		if index == 0 {
			own = schema.Hot
		}
		if got, want := chains.NextNonce(c.ID, index, own), tr.slow.NextNonce(c.ID, index, own); got != want {
			return fmt.Errorf("the next nonce of %d %d on %s: got %d, want %d", index, own, c.Name, got, want)
		}
		for _, asset := range tr.fast.Listing().Assets() {
			if got, want := chains.Available(c.ID, asset.ID, index, own), tr.slow.Available(c.ID, asset.ID, index, own); got != want {
				return fmt.Errorf("available of %s at %d %d on %s: got %s, want %s", asset.Ticker, index, own, c.Name, got, want)
			}
		}
	}
	return nil
}

func sortedCoins(coins iter.Seq[schema.Coin]) []schema.Coin {
	return slices.SortedFunc(coins, func(a, b schema.Coin) int { return cmp.Compare(a.ID, b.ID) })
}
