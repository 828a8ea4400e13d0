package core

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mineWorld draws the commands of a small exchange with a mining pool: few accounts with sub-accounts, a pool that pays one of four assets by a chain of
// others, a sandbox or a provider, work that is worth just as much as a bound, and moments around the ends of five minutes, days, and what counts later.
type mineWorld struct {
	now     schema.Time
	oracle  *naive.Exchange // that the commands are for, too
	plan    []moment        // what comes next in most cases; without a time: now
	tip     schema.ChainBlock
	named   int
	patient bool // rewards wait, many of them
	sand    bool // bitcoins come by the sandbox
}

const (
	mineAccounts = 4
	mineSubs     = 2
	mineAssets   = 4
	mineBTC      = 1
	mineUSD      = 4
	mineNode     = 1
	mineSand     = 2
	mineBank     = 3
)

// mineBits are targets: of the difficulties 1 and 65536, the largest, the smallest, and those of a test net and of the main net.
var mineBits = []uint32{0x1d00ffff, 0x1b00ffff, 0x2100ffff, 0x220000ff, 0x03000001, 0x207fffff, 0x170331db, 0x02123456, 0x01120000}

// birth is the commands with which the world begins.
func (w *mineWorld) birth(t *dice) (list []moment) {
	w.patient, w.sand = chance(t, 12) == 0, chance(t, 3) != 0
	send := func(c schema.Command) { list = append(list, moment{cmd: c}) }
	for _, birth := range schema.BirthFeatures() {
		send(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	send(&schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	send(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest, Interval: pick(t, 0, 600*schema.Second, schema.Second)}})
	send(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider}})
	for _, a := range w.assets(t) {
		send(&schema.SetAsset{Asset: a})
	}
	send(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USD", Base: mineBTC, Quote: mineUSD, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}})
	send(&schema.SetIndex{Market: 1, Price: fixed.One})
	for i := range mineAccounts {
		send(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("m%d", i), Region: schema.Global, Approvals: i == 0 && chance(t, 3) != 0}})
	}
	for i := range mineSubs {
		send(&schema.SetSub{Master: schema.FirstCustomer, Alias: fmt.Sprint(i), External: fmt.Sprint("sub", i), ShareKYC: true, Active: true, Spot: true})
	}
	for i := range schema.AccountID(mineAccounts) {
		send(&schema.OpenAddress{Account: schema.FirstCustomer + i, Chain: mineNode})
	}
	send(&schema.Deposit{Account: schema.FirstCustomer + mineAccounts - 1, Asset: mineUSD, Amount: fixed.FromInt(100)})
	w.tip.Height = 1000
	send(w.block())
	if chance(t, 6) == 0 { // somebody comes before there are terms
		for range 4 {
			list = append(list, moment{cmd: pick[schema.Command](t, &schema.LeasePool{}, w.rate(t), w.open(t), &schema.ReportShares{Lease: 1, Seq: 1})})
		}
	}
	terms := w.terms(t)
	terms.Open = true
	if w.patient {
		terms.Least, terms.Unit, terms.Fee, terms.Chain = pick(t, fixed.FromInt(1_000_000_000), fixed.FromInt(10)), 0, fixed.FromUnits(25, 3), w.chainOf(terms.Asset)
	}
	send(&schema.SetPool{Terms: terms})
	list = append(list, moment{cmd: &schema.SetPoolRate{Rate: fixed.FromInt(4)}, from: schema.Origin{Operator: "olga"}})
	if amount := pick(t, fixed.Zero, fixed.FromInt(3), fixed.FromInt(1000), fixed.FromInt(5_000_000), fixed.FromInt(5_000_000)); amount.Sign() > 0 {
		send(&schema.FundSystem{Account: schema.Pool, Asset: terms.Asset, Amount: amount})
	}
	send(&schema.LeasePool{})
	for i := range 3 {
		send(&schema.OpenMining{Account: schema.FirstCustomer + schema.AccountID(i), Name: fmt.Sprint("rig", i)})
	}
	send(&schema.OpenMining{Account: schema.FirstCustomer + mineAccounts, Name: "rig_of_sub"})
	if terms.Chain != 0 && chance(t, 4) != 0 {
		for i, a := range []schema.AccountID{0, 1, 2, mineAccounts} {
			w.plan = append(w.plan, moment{cmd: w.external(t, schema.FirstCustomer+a, schema.MiningID(1+i))})
		}
		w.plan = append(w.plan, moment{}, moment{})
	}
	if w.patient {
		send(&schema.SetMiningPayout{Account: schema.FirstCustomer, Mining: 1, External: true, Address: "r1"})
		for range 104 {
			w.plan = append(w.plan, w.later(schema.Shares{Mining: 1, Bits: mineBits[1], Work: uint64(1 + chance(t, 900)), Accepted: 1}), moment{})
		}
	}
	return list
}

// assets are what the world has: bitcoins by a chain of others or a sandbox, what is very precise and what is not at all by the sandbox, and dollars
// by a provider.
func (w *mineWorld) assets(t *dice) []schema.Asset {
	network := func(chain schema.ChainID, fee fixed.Decimal) schema.Network {
		return schema.Network{
			Name: [...]string{"", "bitcoin", "sand", "SEPA"}[chain], Chain: chain, CanDeposit: true, CanWithdraw: true, WithdrawFixed: fee,
		}
	}
	btc, sand := network(mineNode, fixed.FromUnits(1, 3)), network(mineSand, pick(t, fixed.Zero, fixed.One))
	btc.Confirmations, btc.ConfirmationsForTrading, btc.Decimals = 4, 1, 8
	sand.Confirmations, sand.ConfirmationsForTrading = 2, 1
	switch chance(t, 4) {
	case 0:
		sand.ApproveAbove = fixed.FromInt(2)
	case 1:
		sand.HourCap = fixed.FromInt(5)
	}
	if w.sand {
		btc = sand
	}
	list := []schema.Asset{
		{Ticker: "BTC", Scale: 8, Precision: 8, Class: schema.Crypto, Networks: []schema.Network{btc}},
		{Ticker: "WEI", Scale: 18, Precision: 18, Class: schema.Crypto, Networks: []schema.Network{sand}},
		{Ticker: "ONE", Scale: 18, Precision: 0, Class: schema.Crypto, Networks: []schema.Network{sand}},
		{Ticker: "USD", Scale: 12, Precision: 2, Class: schema.Fiat, Networks: []schema.Network{network(mineBank, fixed.FromUnits(1, 2))}},
	}
	for i := range list {
		list[i].CanDeposit, list[i].CanWithdraw = true, true
	}
	return list
}

// minePlaces is how many decimals move of an asset.
func minePlaces(asset schema.AssetID) int {
	if asset < 1 || asset > mineAssets {
		return 0
	}
	return [...]int{8, 18, 0, 2}[asset-1]
}

// mineScale is how many decimals are kept of an asset.
func mineScale(asset schema.AssetID) int {
	if asset < 1 || asset > mineAssets {
		return 0
	}
	return [...]int{8, 18, 18, 12}[asset-1]
}

func (w *mineWorld) chainOf(asset schema.AssetID) schema.ChainID {
	switch {
	case asset == mineBTC && !w.sand:
		return mineNode
	case asset == mineUSD:
		return mineBank
	}
	return mineSand
}

// terms are some that can be.
func (w *mineWorld) terms(t *dice) schema.PoolTerms {
	terms := schema.PoolTerms{
		Open: chance(t, 4) != 0, Asset: pick[schema.AssetID](t, mineBTC, mineBTC, mineBTC, 2, 3, mineUSD, mineUSD), Unit: pick[uint8](t, 0, 0, 16, 32, 5),
		Fee:      pick(t, fixed.Zero, fixed.FromUnits(25, 3), fixed.FromUnits(9999, 4), fixed.FromUnits(1, 4), fixed.FromUnits(5, 1)),
		Accounts: uint32(1 + chance(t, 3)), Links: uint32(1 + chance(t, 3)),
	}
	if chance(t, 6) != 0 {
		terms.Chain = w.chainOf(terms.Asset)
	}
	if minePlaces(terms.Asset) < 8 && coin(t) { // so that what is paid can leave
		terms.Unit, terms.Fee = 0, pick(t, fixed.Zero, fixed.FromUnits(5, 1))
	}
	terms.Least = pick(t, fixed.FromUnits(1, minePlaces(terms.Asset)), fixed.FromUnits(1, min(1, minePlaces(terms.Asset))), fixed.One, fixed.FromInt(3))
	return terms
}

// changedTerms are those of the pool with something else, rarely with something that cannot be.
func (w *mineWorld) changedTerms(t *dice) schema.PoolTerms {
	terms, _ := w.oracle.Pool()
	other := w.terms(t)
	switch chance(t, 14) {
	case 0:
		terms.Open = !terms.Open
	case 1, 2:
		terms.Chain = other.Chain
	case 3:
		terms.Fee = other.Fee
	case 4:
		terms.Accounts, terms.Links = other.Accounts, other.Links
	case 5:
		return other
	case 6:
		terms.Unit = pick[uint8](t, other.Unit, 33, 255)
	case 7:
		terms.Fee = pick(t, fixed.One, fixed.FromUnits(-1, 2), fixed.FromUnits(1, 5), smallest)
	case 8:
		terms.Least = odd(t)
	case 9:
		terms.Accounts, terms.Links = pick[uint32](t, 0, 1, 1000, 1001), pick[uint32](t, 0, 1, 100, 101, math.MaxUint32)
	case 10:
		terms.Asset, terms.Chain = pick[schema.AssetID](t, 0, 9, other.Asset), pick[schema.ChainID](t, 0, 9, mineBank, terms.Chain)
	default:
		terms.Least = other.Least
		if terms.Chain == 0 {
			terms.Chain = w.chainOf(terms.Asset)
		}
	}
	return terms
}

// next draws a command, when it comes and how.
func (w *mineWorld) next(t *dice) moment {
	if len(w.plan) > 0 && chance(t, 8) != 0 {
		m := w.plan[0]
		w.plan = w.plan[1:]
		switch c := m.cmd.(type) {
		case nil: // a midnight
			m = moment{at: w.now - w.now%aDay + aDay, cmd: &schema.Tick{}}
		case *schema.ReportShares:
			if c.Lease == 0 {
				m.cmd = w.report(c.Shares...)
			}
		case *schema.DecideWithdrawal:
			if c.Withdrawal == 0 {
				m.cmd = w.decide(t)
			}
		}
		if m.at != 0 {
			w.now = m.at
		}
		m.at = w.now
		return m
	}
	w.pass(t)
	m := moment{at: w.now, cmd: w.command(t)}
	switch m.cmd.(type) {
	case *schema.SetPoolRate, *schema.DecideWithdrawal:
		if chance(t, 5) != 0 {
			m.from.Operator = pick(t, "olga", "oscar")
		}
	}
	if rarely(t) {
		m.from.Region = pick(t, schema.Global, schema.EU)
	}
	return m
}

// pass lets time pass: mostly until near the end of five minutes or of a day, or until near something that counts from then on.
func (w *mineWorld) pass(t *dice) {
	switch n := chance(t, 100); {
	case n < 2:
		w.now -= schema.Second // a clock that goes back
	case n < 18:
		w.now = around(t, w.now-w.now%(5*aMinute)+5*aMinute)
	case n < 34:
		w.now = around(t, w.now-w.now%aDay+aDay)
	case n < 46:
		w.until(t, func(yield func(schema.Time)) {
			for _, m := range w.oracle.Minings() {
				yield(m.Since)
			}
		})
	case n < 52:
		w.until(t, func(yield func(schema.Time)) {
			for _, l := range w.oracle.Watches() {
				yield(l.Until)
			}
		})
	case n < 54:
		w.now += schema.Time(chance(t, 4)) * aDay
	default:
		w.now += pick(t, 0, 0, 1, schema.Second, 2*aMinute)
	}
}

// until lets time pass until near one of some moments.
func (w *mineWorld) until(t *dice, moments func(func(schema.Time))) {
	var ahead []schema.Time
	moments(func(at schema.Time) {
		if at > w.now {
			ahead = append(ahead, at)
		}
	})
	if len(ahead) > 0 {
		w.now = around(t, ahead[chance(t, len(ahead))])
	}
}

func (w *mineWorld) command(t *dice) schema.Command {
	n := chance(t, 100)
	if w.patient && (n >= 30 && n < 42 || n >= 52 && n < 60 || n >= 81 && n < 85) { // what waits goes on to wait
		n = 99
	}
	switch {
	case n < 30:
		return w.shares(t)
	case n < 38:
		return w.payout(t)
	case n < 42:
		return w.open(t)
	case n < 46:
		return w.watch(t)
	case n < 52:
		return w.fund(t)
	case n < 55:
		return &schema.SetPool{Terms: w.changedTerms(t)}
	case n < 58:
		return w.rate(t)
	case n < 60:
		return &schema.BarMining{Mining: w.mining(t), Barred: coin(t)}
	case n < 62:
		return w.lease(t)
	case n < 64:
		return w.found(t)
	case n < 71:
		return w.decide(t)
	case n < 74:
		return &schema.MineSandbox{Chain: mineSand, Blocks: uint32(1 + chance(t, 3))}
	case n < 78:
		return w.others(t)
	case n < 81:
		return w.payday(t)
	case n < 84:
		return w.misfortune(t)
	case n < 85:
		return w.lateDay(t)
	}
	return &schema.Tick{}
}

// account is one of those that there are, rarely none.
func (w *mineWorld) account(t *dice) schema.AccountID {
	if rarely(t) {
		return pick(t, schema.AccountID(0), schema.Pool, 999)
	}
	return schema.FirstCustomer + schema.AccountID(chance(t, mineAccounts+mineSubs))
}

// mining is a mining account that there is, rarely none.
func (w *mineWorld) mining(t *dice) schema.MiningID {
	all := len(w.oracle.Minings())
	if rarely(t) || all == 0 {
		return pick(t, 0, schema.MiningID(all+1), math.MaxUint32)
	}
	return schema.MiningID(1 + chance(t, all))
}

// owner is whose a mining account is, rarely somebody else.
func (w *mineWorld) owner(t *dice, id schema.MiningID) schema.AccountID {
	if all := w.oracle.Minings(); id >= 1 && int(id) <= len(all) && chance(t, 8) != 0 {
		return all[id-1].Account
	}
	return w.account(t)
}

func (w *mineWorld) open(t *dice) schema.Command {
	c := &schema.OpenMining{Account: w.account(t), Name: fmt.Sprint("Rig_", chance(t, 12))}
	switch chance(t, 12) {
	case 0:
		c.Name = pick(t, "", "a b", "a-b", "é", "rig\x00", strings.Repeat("n", 256), strings.Repeat("n", 255), "rig.1")
	case 1:
		c.Referral = strings.Repeat("r", pick(t, 50, 51, 1))
	}
	return c
}

func (w *mineWorld) payout(t *dice) schema.Command {
	id := w.mining(t)
	if chance(t, 5) != 0 {
		return w.external(t, w.owner(t, id), id)
	}
	c := &schema.SetMiningPayout{Account: w.owner(t, id), Mining: id}
	if rarely(t) {
		c.Address, c.Index = "none", 3
	}
	return c
}

// external lets a mining account be paid to an address.
func (w *mineWorld) external(t *dice, owner schema.AccountID, id schema.MiningID) *schema.SetMiningPayout {
	c := &schema.SetMiningPayout{Account: owner, Mining: id}
	c.External, c.Address = true, pick(t, "r1", "r1", "r1", "r2")
	switch chance(t, 12) {
	case 0:
		c.Address = pick(t, "", strings.Repeat("a", schema.MaxAddressText), strings.Repeat("a", schema.MaxAddressText+1))
	case 1, 2, 3: // of somebody here, or of nobody, or of its own
		c.Index = schema.AddressIndex(1 + chance(t, mineAccounts+mineSubs+1))
	}
	return c
}

func (w *mineWorld) watch(t *dice) schema.Command {
	id := w.mining(t)
	c := &schema.WatchMining{
		Account: w.owner(t, id), Name: "link_1", Minings: []schema.MiningID{id}, Rights: schema.WatchRights(1 + chance(t, 7)), Life: pick[uint32](t, 0, 1, 60, 3600, 604_800),
	}
	if chance(t, 3) == 0 {
		c.Minings = append(c.Minings, w.mining(t))
		slices.Sort(c.Minings)
	}
	switch chance(t, 17) {
	case 16:
		c.Account = pick(t, schema.AccountID(0), schema.Pool, 999)
	case 0:
		c.Name = pick(t, "", "a-b", "a b", "é", strings.Repeat("n", 255), strings.Repeat("n", 256))
	case 1:
		c.Rights = pick[schema.WatchRights](t, 0, 8, 9, 255)
	case 2:
		c.Life = pick[uint32](t, 604_801, math.MaxUint32)
	case 3:
		c.Minings = nil
	case 4:
		for i := range schema.MiningID(pick(t, 50, 51)) {
			c.Minings = append(c.Minings, 1000+i)
		}
		c.Minings = c.Minings[1:]
	}
	return c
}

// rate draws what a block is worth: rarely all too different from before.
func (w *mineWorld) rate(t *dice) schema.Command {
	terms, now := w.oracle.Pool()
	unit := fixed.FromUnits(1, minePlaces(terms.Asset))
	half, _ := fixed.Div(now, fixed.FromInt(2), minePlaces(terms.Asset), fixed.Down)
	switch chance(t, 10) {
	case 0, 1:
		return &schema.SetPoolRate{Rate: now.Add(half)}
	case 2:
		return &schema.SetPoolRate{Rate: now.Add(half).Add(unit)}
	case 3:
		return &schema.SetPoolRate{Rate: now.Sub(half)}
	case 4:
		return &schema.SetPoolRate{Rate: now.Sub(half).Sub(unit)}
	case 5:
		return &schema.SetPoolRate{Rate: pick(t, fixed.FromInt(1_000_000), fixed.FromInt(1_000_000).Add(smallest), fixed.FromInt(1_000_001), fixed.Max)}
	case 6:
		return &schema.SetPoolRate{Rate: pick(t, unit, fixed.Zero, fixed.FromInt(-4), smallest)}
	}
	return &schema.SetPoolRate{Rate: fixed.FromInt(int64(1 + chance(t, 8)))}
}
