package core

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"bourse/internal/core/chain"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

func sameResult(got, want *schema.Result) error {
	if got.Rejection != want.Rejection {
		return fmt.Errorf("rejection: got %d %q, want %d %q", got.Rejection.Reason, got.Rejection.Text(), want.Rejection.Reason, want.Rejection.Text())
	}
	if got.Sign != want.Sign || got.Grant != want.Grant {
		return fmt.Errorf("outcome: got %q %q, want %q %q", got.Sign, got.Grant, want.Sign, want.Grant)
	}
	if got.Proposal != want.Proposal {
		return fmt.Errorf("it is proposal %d, want %d", got.Proposal, want.Proposal)
	}
	if got.ID != want.ID || got.Timer != want.Timer || got.Order != want.Order || got.Left != want.Left {
		return fmt.Errorf("result:\n got %+v\nwant %+v", got, want)
	}
	if len(got.Items) != len(want.Items) {
		return fmt.Errorf("%d items instead of %d", len(got.Items), len(want.Items))
	}
	for i := range got.Items {
		if got.Items[i] != want.Items[i] {
			return fmt.Errorf("item %d:\n got %+v\nwant %+v", i, got.Items[i], want.Items[i])
		}
	}
	if (got.Code == nil) != (want.Code == nil) {
		return fmt.Errorf("there is a code: got %t, want %t", got.Code != nil, want.Code != nil)
	}
	if (got.Address == nil) != (want.Address == nil) {
		return fmt.Errorf("there is an address: got %t, want %t", got.Address != nil, want.Address != nil)
	}
	if got.Address != nil && *got.Address != *want.Address {
		return fmt.Errorf("address:\n got %+v\nwant %+v", *got.Address, *want.Address)
	}
	if (got.Withdrawal == nil) != (want.Withdrawal == nil) {
		return fmt.Errorf("there is a withdrawal: got %t, want %t", got.Withdrawal != nil, want.Withdrawal != nil)
	}
	if got.Withdrawal != nil && *got.Withdrawal != *want.Withdrawal {
		return fmt.Errorf("withdrawal:\n got %+v\nwant %+v", *got.Withdrawal, *want.Withdrawal)
	}
	if !reflect.DeepEqual(got.Express, want.Express) {
		return fmt.Errorf("express payment:\n got %+v\nwant %+v", got.Express, want.Express)
	}
	if !reflect.DeepEqual(got.Conversion, want.Conversion) {
		return fmt.Errorf("conversion:\n got %+v\nwant %+v", got.Conversion, want.Conversion)
	}
	if got.Code != nil && !reflect.DeepEqual(*got.Code, *want.Code) {
		return fmt.Errorf("code:\n got %+v\nwant %+v", *got.Code, *want.Code)
	}
	return nil
}

// compareState compares all that can be seen of the machine and of the naive exchange.
func (tr *trial) compareState() error {
	if got, want := tr.fast.Time(), tr.slow.Time(); got != want {
		return fmt.Errorf("the clock: got %d, want %d", got, want)
	}
	if got, want := tr.fast.InMaintenance(), tr.slow.InMaintenance(); got != want {
		return fmt.Errorf("maintenance of the platform: got %t, want %t", got, want)
	}
	for _, compare := range []func() error{tr.compareListing, tr.compareAccounts, tr.compareBalances, tr.compareMarkets, tr.comparePositions, tr.compareChains, tr.comparePlans, tr.compareTravel, tr.compareLeaving, tr.compareSubs, tr.compareTimers, tr.compareWebhooks, tr.comparePeople, tr.compareConversions, tr.compareEarn, tr.compareMining, tr.compareProposals} {
		if err := compare(); err != nil {
			return err
		}
	}
	return nil
}

func (tr *trial) compareListing() error {
	var assets []schema.Asset
	for _, a := range tr.fast.Listing().Assets() {
		assets = append(assets, *a)
	}
	if want := tr.slow.Assets(); !reflect.DeepEqual(assets, want) {
		return fmt.Errorf("assets:\n got %+v\nwant %+v", assets, want)
	}
	var markets []schema.MarketInfo
	for _, m := range tr.fast.Listing().Markets() {
		markets = append(markets, *m)
	}
	if want := tr.slow.Markets(); !reflect.DeepEqual(markets, want) {
		return fmt.Errorf("markets:\n got %+v\nwant %+v", markets, want)
	}
	return nil
}

func (tr *trial) compareAccounts() error {
	accounts := tr.fast.Accounts().All()
	want := tr.slow.Accounts()
	if len(accounts) != len(want) {
		return fmt.Errorf("%d accounts instead of %d", len(accounts), len(want))
	}
	for i := range want {
		if !bytes.Equal(wire.Append(nil, accounts[i]), wire.Append(nil, &want[i])) {
			return fmt.Errorf("account:\n got %+v\nwant %+v", *accounts[i], want[i])
		}
	}
	for _, a := range accounts {
		got, want := tr.fast.Trading().Fees(a.ID), tr.slow.Fees(a.ID)
		if len(got) != len(want) {
			return fmt.Errorf("fees of %d: got %+v, want %+v", a.ID, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				return fmt.Errorf("fees of %d: got %+v, want %+v", a.ID, got, want)
			}
		}
	}
	keys := tr.slow.Keys()
	if got := len(tr.fast.Accounts().Keys()); got != len(keys) {
		return fmt.Errorf("%d keys instead of %d", got, len(keys))
	}
	for i := range keys {
		if got := tr.fast.Accounts().Key(keys[i].Key); got == nil || !bytes.Equal(wire.Append(nil, got), wire.Append(nil, &keys[i])) {
			return fmt.Errorf("key:\n got %+v\nwant %+v", got, keys[i])
		}
	}
	return nil
}

func (tr *trial) compareBalances() error {
	owners := []schema.AccountID{schema.Outside, schema.Fees, schema.Insurance, schema.House, schema.Lending, schema.Clearing, schema.Codes, schema.Custody, schema.Suspense, schema.Convert, schema.Interest, schema.Pool}
	for _, a := range tr.fast.Accounts().All() {
		owners = append(owners, a.ID)
	}
	for _, owner := range owners {
		for wallet := schema.Main; wallet <= schema.Owed; wallet++ {
			for _, asset := range tr.fast.Listing().Assets() {
				a1, f1, h1 := tr.fast.Balance(owner, wallet, asset.ID)
				a2, f2, h2 := tr.slow.Balance(owner, wallet, asset.ID)
				if a1 != a2 || f1 != f2 || h1 != h2 {
					return fmt.Errorf("balance of %d in %s of %s: got %s %s %s, want %s %s %s", owner, wallet, asset.Ticker, a1, f1, h1, a2, f2, h2)
				}
			}
		}
	}
	return nil
}

func (tr *trial) compareMarkets() error {
	for _, info := range tr.fast.Listing().Markets() {
		if got, want := tr.fast.Trading().All(info.ID), tr.slow.Orders(info.ID); !reflect.DeepEqual(got, want) {
			return fmt.Errorf("orders on %s:\n got %+v\nwant %+v", info.Name, got, want)
		}
		if got, want := tr.fast.Trading().Market(info.ID).Last, tr.slow.LastPrice(info.ID); got != want {
			return fmt.Errorf("last price on %s: got %s, want %s", info.Name, got, want)
		}
		index := tr.fast.Trading().Market(info.ID).Index
		// Which moment is that of an index with several sources, no document says.
		_, _, several := tr.fast.Prices().Source(info.Base, 0)
		if price, at := tr.slow.Index(info.ID); index.Price != price || index.At != at && !several {
			return fmt.Errorf("index of %s: got %s of %d, want %s of %d", info.Name, index.Price, index.At, price, at)
		}
		for _, side := range []schema.Side{schema.Buy, schema.Sell} {
			got, want := tr.fast.Trading().Depth(info.ID, side, -1), tr.slow.Levels(info.ID, side)
			if len(got) != len(want) {
				return fmt.Errorf("levels on %s: got %v, want %v", info.Name, got, want)
			}
			for i := range got {
				if got[i].Price != want[i].Price || got[i].Amount != want[i].Amount {
					return fmt.Errorf("levels on %s: got %v, want %v", info.Name, got, want)
				}
			}
		}
	}
	return nil
}

func (tr *trial) comparePositions() error {
	var got []schema.Position
	for _, a := range tr.fast.Accounts().All() {
		got = append(got, tr.fast.Collateral().Positions(a.ID)...)
		if got, want := tr.fast.Collateral().Risk(a.ID), tr.slow.Risk(a.ID); got != want {
			return fmt.Errorf("the state of account %d: got %s, want %s", a.ID, got, want)
		}
	}
	slices.SortFunc(got, func(a, b schema.Position) int { return cmp.Compare(a.ID, b.ID) })
	if want := tr.slow.Positions(); !slices.Equal(got, want) {
		return fmt.Errorf("positions:\n got %+v\nwant %+v", got, want)
	}
	for _, info := range tr.fast.Listing().Markets() {
		if info.Type == schema.Spot {
			continue
		}
		got, _ := tr.fast.Prices().Future(info.ID)
		if want := tr.slow.Mark(info.ID); got != want {
			return fmt.Errorf("prices of %s:\n got %+v\nwant %+v", info.Name, got, want)
		}
	}
	return nil
}

func (tr *trial) compareChains() error {
	chains := tr.fast.Chains()
	all := chains.All()
	if want := tr.slow.Chains(); !slices.Equal(all, want) {
		return fmt.Errorf("chains:\n got %+v\nwant %+v", all, want)
	}
	for _, c := range all {
		want, busy, waiting := tr.slow.ChainAt(c.ID)
		height, hash := chains.Cursor(c.ID)
		standing := chains.Standing(c.ID)
		asked, adopt, surplus := tr.slow.Proposed(c.ID)
		if height != want.Height || hash != want.Hash || standing != (chain.Standing{
			Halted: want.Halted, Busy: busy, Half: tr.slow.Half(c.ID), Queued: waiting, Resuming: tr.slow.Resuming(c.ID), Asked: asked, Adopt: adopt, Surplus: surplus,
		}) {
			return fmt.Errorf("chain %s is at %d %x, %+v; want %+v, busy %t, %d waiting", c.Name, height, hash, standing, want, busy, waiting)
		}
		if got, want := chains.Adopted(c.ID), tr.slow.Adopted(c.ID); !slices.Equal(got, want) {
			return fmt.Errorf("chain %s adopted %q, want %q", c.Name, got, want)
		}
		for _, b := range chains.Bookings(c.ID) {
			if coins := tr.slow.Coins(c.ID, b.Asset); b.Coins != coins {
				return fmt.Errorf("chain %s has %s of asset %d, want %s", c.Name, b.Coins, b.Asset, coins)
			}
		}
		var deposits []schema.ChainDeposit
		for d := range chains.Deposits(c.ID) {
			deposits = append(deposits, *d)
		}
		slices.SortFunc(deposits, func(a, b schema.ChainDeposit) int { return cmp.Compare(a.ID, b.ID) })
		if want := tr.slow.ChainDeposits(c.ID); !slices.Equal(deposits, want) {
			return fmt.Errorf("deposits by %s:\n got %+v\nwant %+v", c.Name, deposits, want)
		}
		var withdrawals []schema.Withdrawal
		for w := range chains.Withdrawals(c.ID) {
			withdrawals = append(withdrawals, *w)
		}
		slices.SortFunc(withdrawals, func(a, b schema.Withdrawal) int { return cmp.Compare(a.ID, b.ID) })
		if want := tr.slow.Withdrawals(c.ID); !slices.Equal(withdrawals, want) {
			return fmt.Errorf("withdrawals by %s:\n got %+v\nwant %+v", c.Name, withdrawals, want)
		}
		for _, w := range withdrawals {
			same := func(a, b schema.Signature) bool { return a.Operator == b.Operator && bytes.Equal(a.Bytes, b.Bytes) }
			if got, want := chains.Signatures(w.ID), tr.slow.Signatures(w.ID); !slices.EqualFunc(got, want, same) {
				return fmt.Errorf("signatures of withdrawal %d:\n got %+v\nwant %+v", w.ID, got, want)
			}
		}
	}
	return nil
}

// compareProposals compares the commands that wait for a second operator or for their time.
func (tr *trial) compareProposals() error {
	got, want := tr.fast.Proposals(), tr.slow.Proposals()
	same := func(a, b schema.Proposal) bool { return bytes.Equal(wire.Append(nil, &a), wire.Append(nil, &b)) }
	if !slices.EqualFunc(got, want, same) {
		return fmt.Errorf("proposals:\n got %+v\nwant %+v", got, want)
	}
	return nil
}

func (tr *trial) compareTimers() error {
	got, running := tr.fast.NextTimer()
	if next, is := tr.slow.NextTimer(); got != next || running != is {
		return fmt.Errorf("the next timer: got %d %t, want %d %t", got, running, next, is)
	}
	timers := map[schema.KillSwitch]bool{}
	for _, k := range tr.fast.Trading().KillSwitches() {
		timers[k] = true
	}
	want := tr.slow.KillSwitches()
	if len(timers) != len(want) {
		return fmt.Errorf("kill switches: got %v, want %v", timers, want)
	}
	for _, k := range want {
		if !timers[k] {
			return fmt.Errorf("kill switches: got %v, want %v", timers, want)
		}
	}
	return nil
}
