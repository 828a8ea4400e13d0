package naive

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// toAddress lets a mining account of dora's be paid to an address outside.
func toAddress(m schema.MiningID, address string) *schema.SetMiningPayout {
	return &schema.SetMiningPayout{Account: dora, Mining: m, External: true, Address: address}
}

func toMain(m schema.MiningID) *schema.SetMiningPayout {
	return &schema.SetMiningPayout{Account: dora, Mining: m}
}

// newPaidOut is newMining a day after the first mining account got an address, that counts.
func newPaidOut(t *testing.T) *chainWorld {
	w := newMining(t)
	w.must(toAddress(dora1, "r1"))
	w.time = today + 34*hour
	return w
}

func TestSetMiningPayout(t *testing.T) {
	w := newMining(t)
	w.block(ben, "ben")
	w.refused(because(schema.AccountBlocked), &schema.SetMiningPayout{Account: ben, Mining: dora1})
	w.refused(because(schema.MiningUnknown), &schema.SetMiningPayout{Account: carl, Mining: dora1, External: true})
	w.refused(because(schema.MiningUnknown), toMain(9))
	none := poolTerms()
	none.Chain = 0
	w.must(&schema.SetPool{Terms: none})
	w.refused(because(schema.PoolPayoutOff), toAddress(dora1, ""))
	w.must(toMain(dora1))
	w.must(&schema.SetPool{Terms: poolTerms()})
	for _, address := range []string{"", strings.Repeat("a", 129)} {
		w.refused(because(schema.WithdrawAddressInvalid), toAddress(dora1, address))
	}
	says := func(c *schema.SetMiningPayout, since schema.Time) {
		t.Helper()
		w.must(c)
		got := w.Minings()[0]
		e := w.last.Events[0].(*schema.MiningChanged)
		if got != e.Mining || got.External != c.External || got.Address != c.Address || got.Index != c.Index || got.Since != since {
			t.Errorf("the mining account is %+v, and %+v by its event, want %+v since %d", got, e.Mining, c, since)
		}
	}
	long := toAddress(dora1, strings.Repeat("a", 128))
	w.must(long)
	since := w.time + fullDay
	says(long, since)
	says(toAddress(dora1, "b"), w.time+1+fullDay)
	since = w.time + fullDay
	says(toAddress(dora1, "b"), since)
	indexed := toAddress(dora1, "b")
	indexed.Index = 2
	says(indexed, w.time+1+fullDay)
	says(toMain(dora1), 0)
	says(toAddress(dora1, "b"), w.time+1+fullDay)
	empty := toMain(dora1)
	empty.Address, empty.Index = "c", 3
	w.must(empty)
	says(toMain(dora1), 0)
}

// TestAPayoutIsAWithdrawal, without the fee of the network, and its rewards become what becomes of it.
func TestAPayoutIsAWithdrawal(t *testing.T) {
	w := newPaidOut(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("0.5") })
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 2040: 1 1 1", "reward 1 of 1: 3.046875 pending", "reward 1 of 1: 3.046875 pending by 1 to r1")
	want := schema.Withdrawal{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("3.046875"), Status: schema.WithdrawalQueued, Created: w.time, Changed: w.time, Address: "r1",
		Unique: "mining-1",
	}
	if got := w.Withdrawals(sand); len(got) != 1 || got[0] != want {
		t.Errorf("withdrawals: %+v", got)
	}
	w.frozen("100", "3.046875")
	w.pending(1, "3.046875")
	w.must(mines(2))
	w.dug()
	w.must(mines(1))
	w.dug("reward 1 of 1: 3.046875 successful by 1 to r1 in a transaction")
	if got := w.Rewards()[0]; got.Paid != w.time || got.Tx == "" {
		t.Errorf("the reward is %+v", got)
	}
	w.pending(0, "0")
	w.poolHas("996.953125", "100")
}

func TestACanceledPayoutIsInMain(t *testing.T) {
	w := newPaidOut(t)
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.dug("reward 1 of 1: 3.046875 canceled by 1 to r1")
	if got := w.Rewards()[0]; got.Paid != 0 || got.Tx != "" {
		t.Errorf("the reward is %+v", got)
	}
	w.frozen("103.046875", "0")
	w.pending(0, "0")
}

// TestAPayoutToACustomer is there at once.
func TestAPayoutToACustomer(t *testing.T) {
	w := newMining(t)
	inside := toAddress(dora1, "emil")
	inside.Index = 2
	w.must(inside)
	w.time = today + 34*hour
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 2040: 1 1 1", "reward 1 of 1: 3.046875 pending", "reward 1 of 1: 3.046875 pending by 1 to emil", "reward 1 of 1: 3.046875 successful by 1 to emil")
	w.main(emil, btc, "3.046875")
	w.poolHas("996.953125", "100")
}

// TestRewardsWaitForTheLeast: two of 0.00046 each are less than the least, three are paid together.
func TestRewardsWaitForTheLeast(t *testing.T) {
	w := newPaidOut(t)
	for range 2 {
		w.must(w.shares(row(dora1, usual, 10))) // 47683 - 1192 satoshi
		w.midnight()
	}
	w.pending(2, "0.00092982")
	w.poolHas("1000", "100")
	w.must(w.shares(row(dora1, usual, 10)))
	w.midnight()
	w.dug("1 of 104 at 4320: 10 10 1", "reward 3 of 1: 0.00046491 pending", "reward 1 of 1: 0.00046491 pending by 1 to r1",
		"reward 2 of 1: 0.00046491 pending by 1 to r1", "reward 3 of 1: 0.00046491 pending by 1 to r1")
	w.frozen("100", "0.00139473")
	if got := w.Withdrawals(sand)[0].Unique; got != "mining-1" {
		t.Errorf("the withdrawal is %s", got)
	}
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.dug("reward 1 of 1: 0.00046491 canceled by 1 to r1", "reward 2 of 1: 0.00046491 canceled by 1 to r1", "reward 3 of 1: 0.00046491 canceled by 1 to r1")
}

// TestTheLeastItselfIsPaid, and a satoshi less waits.
func TestTheLeastItselfIsPaid(t *testing.T) {
	for least, waits := range map[string]int{"3.046875": 0, "3.04687501": 1} {
		w := newPaidOut(t)
		terms := poolTerms()
		terms.Least = d(least)
		w.must(&schema.SetPool{Terms: terms})
		w.must(w.shares(row(dora1, easy, 1)))
		w.midnight()
		if got := len(w.mining.miner(dora1).waiting); got != waits {
			t.Errorf("of a least of %s %d wait", least, got)
		}
	}
}

// TestWhatWaitsGoesWhenItsAddressCounts: not before, and as it is then.
func TestWhatWaitsGoesWhenItsAddressCounts(t *testing.T) {
	w := newMining(t)
	w.must(toAddress(dora1, "r1"))
	since := w.time + fullDay
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 600: 1 1 1", "reward 1 of 1: 3.046875 pending")
	w.timer(since)
	w.tick(since - 1)
	w.dug()
	w.tick(since)
	w.dug("reward 1 of 1: 3.046875 pending by 1 to r1")
	w.noTimer()
}

// TestAnotherAddressCountsLater: what waited for the one before waits for it.
func TestAnotherAddressCountsLater(t *testing.T) {
	w := newMining(t)
	w.must(toAddress(dora1, "r1"))
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.must(toAddress(dora1, "r2"))
	since := w.time + fullDay
	w.timer(since)
	w.midnight()
	w.dug()
	w.tick(since)
	w.dug("reward 1 of 1: 3.046875 pending by 1 to r2")
}

// TestTicksLookAtAddressesBySince, and then by number.
func TestTicksLookAtAddressesBySince(t *testing.T) {
	w := newMining(t)
	w.must(toAddress(dora2, "r2"))
	w.must(toAddress(dora1, "r1"))
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 2)))
	w.midnight()
	w.tick(today + 48*hour - 1)
	w.dug("reward 2 of 2: 6.09375 pending by 1 to r2", "reward 1 of 1: 3.046875 pending by 2 to r1")
}

// TestAHundredRewardsWait and no more: they are paid together, to main if that is less than the least or the address does not count.
func TestAHundredRewardsWait(t *testing.T) {
	for _, counts := range []bool{true, false} {
		w := newPaidOut(t)
		if !counts {
			w.must(toAddress(dora1, "r2"))
		}
		for i := range 100 {
			w.must(w.shares(row(dora1, 0x1900ffff, 28))) // 2 satoshi
			w.midnight()
			if !counts {
				w.must(toAddress(dora1, strings.Repeat("r", 1+i)))
			}
			if got := len(w.mining.miner(dora1).waiting); got != (i+1)%100 {
				t.Fatalf("%d rewards wait, want %d", got, (i+1)%100)
			}
		}
		w.pending(0, "0")
		w.poolHas("999.999998", "100.000002")
		if got := w.Rewards()[99]; got.Status != schema.RewardSuccessful || got.Withdrawal != 0 || got.Amount != satoshi.Add(satoshi) {
			t.Errorf("the last reward is %+v", got)
		}
	}
}

// TestToMainWhatWaits: it is one payment.
func TestToMainWhatWaits(t *testing.T) {
	w := newPaidOut(t)
	for range 2 {
		w.must(w.shares(row(dora1, usual, 10)))
		w.midnight()
	}
	w.must(toMain(dora1))
	w.timer(w.time)
	w.must(&schema.Tick{})
	w.happened("12 main of 1 by mining for 1: 999.99907018 0", "104 main of 1 by mining for 1: 100.00092982 0", "*schema.RewardChanged", "*schema.RewardChanged")
	w.dug("reward 1 of 1: 0.00046491 successful", "reward 2 of 1: 0.00046491 successful")
}

// TestAPaymentIsMadeAsSettingsAreThen: what is in the queue for main stays for main; what waited goes to an address that counts again by then.
func TestAPaymentIsMadeAsSettingsAreThen(t *testing.T) {
	w := newPaidOut(t)
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("-1000")})
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 2040: 1 1 1", "2 of 104 at 2040: 1 1 1", "reward 1 of 1: 3.046875 pending", "reward 2 of 2: 3.046875 pending")
	w.must(toMain(dora1))
	w.must(toAddress(dora1, "r3"))
	w.must(toAddress(dora2, "r4"))
	w.time += fullDay
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("10")})
	w.must(&schema.Tick{})
	w.dug("reward 1 of 1: 3.046875 pending by 1 to r3", "reward 2 of 2: 3.046875 successful")

	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("-3.90625")})
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.must(toAddress(dora1, "r5")) // it does not count yet
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("4")})
	w.must(&schema.Tick{})
	w.dug("reward 3 of 1: 3.046875 successful")
}

// TestThePoolRunsDry: the first of the queue waits, and all behind it, until there is enough for the whole of it.
func TestThePoolRunsDry(t *testing.T) {
	w := newMining(t)
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("-996")})
	w.must(w.shares(row(dora1, easy, 2), row(dora2, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 600: 2 2 1", "2 of 104 at 600: 1 1 1", "reward 1 of 1: 6.09375 pending", "reward 2 of 2: 3.046875 pending")
	w.noTimer()
	w.pending(2, "9.140625")
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("2.09374999")})
	w.noTimer()
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: satoshi})
	w.timer(today + fullDay + 1)
	w.must(&schema.Tick{})
	w.dug("reward 1 of 1: 6.09375 successful")
	w.poolHas("0", "106.09375")
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, &schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: satoshi.Neg()})
}

// TestARefusedWithdrawalIsPaidToMain, whatever the rule is.
func TestARefusedWithdrawalIsPaidToMain(t *testing.T) {
	for i, refuse := range []func(*chainWorld){
		func(w *chainWorld) { w.block(dora, "dora") },
		func(w *chainWorld) { w.network(func(n *schema.Network) { n.CanWithdraw = false }) },
		func(w *chainWorld) { w.network(func(n *schema.Network) { n.MinWithdraw = d("4") }) },
		func(w *chainWorld) {
			w.setBTC(func(a *schema.Asset) { a.Precision, a.Networks = 5, []schema.Network{w.net} })
		},
		func(w *chainWorld) {
			terms := poolTerms()
			terms.Chain = 0
			w.must(&schema.SetPool{Terms: terms})
		},
		func(w *chainWorld) {
			w.must(&schema.SetAccount{Account: schema.Account{ID: dora, Name: "dora", Region: schema.EU}})
		},
		func(w *chainWorld) {
			w.must(&schema.RequestWithdrawal{Account: dora, Asset: btc, Chain: sand, Amount: d("1"), Address: "r", Unique: "mining-1"})
		},
		func(w *chainWorld) {
			terms := poolTerms()
			terms.Least = d("4")
			w.must(&schema.SetPool{Terms: terms})
		},
	} {
		w := newPaidOut(t)
		w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("-1000")})
		w.must(w.shares(row(dora1, easy, 1)))
		w.midnight()
		refuse(w)
		w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("4")})
		w.must(&schema.Tick{})
		if got := w.Rewards()[0]; got.Status != schema.RewardSuccessful || got.Withdrawal != 0 || got.Address != "" || got.Paid != w.time {
			t.Errorf("rule %d: %+v", i, got)
		}
		if pool, _, _ := w.Balance(schema.Pool, schema.Main, btc); pool != d("0.953125") {
			t.Errorf("rule %d: the pool has %s", i, pool)
		}
		w.audit()
	}
}

// TestAReviewedPayoutIsPending until operators let it go.
func TestAReviewedPayoutIsPending(t *testing.T) {
	w := newPaidOut(t)
	w.network(func(n *schema.Network) { n.ApproveAbove = d("1") })
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.withdrawal(1, schema.WithdrawalReview, 0)
	w.pending(1, "3.046875")
	w.decided("olga", 1, schema.ApproveWithdrawal)
	w.must(mines(3))
	w.dug("reward 1 of 1: 3.046875 successful by 1 to r1 in a transaction")
}

// TestAPayoutByAProvider: it pays all that it is asked for, never a part.
func TestAPayoutByAProvider(t *testing.T) {
	w := newMining(t)
	w.must(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "USD", CanDeposit: true, CanWithdraw: true, Class: schema.Fiat, Scale: 8, Precision: 2,
		Networks: []schema.Network{{Name: "SEPA", Chain: bank(w), CanWithdraw: true, CanDeposit: true}},
	}})
	w.rate("4")
	terms := poolTerms()
	terms.Asset, terms.Chain, terms.Least = usd, 2, d("0.01")
	w.must(&schema.SetPool{Terms: terms})
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: usd, Amount: d("100")})
	w.must(toAddress(dora1, "iban"))
	w.time = today + 34*hour
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 2040: 1 1 1", "reward 1 of 1: 3.9 pending", "reward 1 of 1: 3.9 pending by 1 to iban")
	w.refused(because(schema.SettlementInvalid), &schema.SettleWithdrawal{Withdrawal: 1, Amount: d("2")})
	w.must(&schema.SettleWithdrawal{Withdrawal: 1, Amount: d("3.9")})
	w.dug("reward 1 of 1: 3.9 successful by 1 to iban")
}

// bank lists a payment provider.
func bank(w *chainWorld) schema.ChainID {
	return schema.ChainID(w.must(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider}}).ID)
}

// TestMiningRepaysWhatIsOwed: what a chain took back is paid first, and then nothing is left to withdraw.
func TestMiningRepaysWhatIsOwed(t *testing.T) {
	w := newOwing(t)
	w.network(func(n *schema.Network) { n.CanWithdraw = true })
	w.time = today + 10*hour
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("10")})
	w.must(&schema.SetPool{Terms: poolTerms()})
	w.rate("3.125")
	w.must(&schema.OpenMining{Account: dora, Name: "dora"})
	w.must(toAddress(dora1, "r1"))
	w.must(&schema.LeasePool{})
	w.time = today + 34*hour
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 2040: 1 1 1", "reward 1 of 1: 3.046875 pending", "reward 1 of 1: 3.046875 successful")
	w.paysBack("0", "2.953125")
}

// healthy compares what operators watch of the pool.
func (w *chainWorld) healthy(day schema.Time, worth string, short schema.Time, unlucky int) {
	w.t.Helper()
	gotDay, gotWorth, gotShort, gotUnlucky := w.PoolHealth()
	if gotDay != day || gotWorth != d(worth) || gotShort != short || gotUnlucky != unlucky {
		w.t.Errorf("day %d is worth %s, short since %d, %d unlucky, want day %d, %s, %d and %d", gotDay, gotWorth, gotShort, gotUnlucky, day, worth, short, unlucky)
	}
	w.audit()
}

// fund brings money into the pool, or takes it out.
func (w *chainWorld) fund(amount string) {
	w.t.Helper()
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d(amount)})
}

// TestPoolWorthOfADay is that of the latest that was closed with a reward, after fees.
func TestPoolWorthOfADay(t *testing.T) {
	w := newMining(t)
	w.healthy(0, "0", 0, 0)
	w.must(w.shares(row(dora1, easy, 2), row(3, easy, 1)))
	w.healthy(0, "0", 0, 0)
	w.midnight()
	w.healthy(today, "9.140625", 0, 0)
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.healthy(today+fullDay, "3.046875", 0, 0)
	w.must(w.shares(row(dora1, 0x1900ffff, 13))) // less than a satoshi
	w.midnight()
	w.healthy(today+fullDay, "3.046875", 0, 0)
	w.must(w.shares(row(dora1, usual, 7)))
	w.midnight()
	w.healthy(today+3*fullDay, "0.00032544", 0, 0)
}

// TestPoolWorthIsNotOfAnOlderDay: the second account's is closed late, after one of the first that begins later, with which it has nothing to do.
func TestPoolWorthIsNotOfAnOlderDay(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 5)))
	w.at(34*hour, w.shares(row(dora1, easy, 2)))
	w.healthy(today, "3.046875", 0, 0)
	w.at(58*hour, w.shares(row(dora1, easy, 3)))
	w.healthy(today+fullDay, "6.09375", 0, 0)
	w.must(&schema.Tick{})
	if got := w.Rewards(); len(got) != 3 || got[2].Mining != dora2 || got[2].Day != today || got[2].Amount != d("15.234375") {
		t.Errorf("the rewards are %+v", got)
	}
	w.healthy(today+fullDay, "6.09375", 0, 0)
	w.midnight()
	w.healthy(today+2*fullDay, "9.140625", 0, 0)
}

// TestPoolIsShort from the tick on that sees it to the tick that sees that it is not: 6.09375 is enough, a satoshi less is not.
func TestPoolIsShort(t *testing.T) {
	w := newMining(t)
	w.fund("-1000")
	w.noTimer()
	w.must(&schema.Tick{})
	w.healthy(0, "0", 0, 0) // nobody knows what is enough
	w.fund("4")
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 1)))
	w.midnight()
	since := today + fullDay
	w.poolHas("0.953125", "103.046875")
	w.healthy(today, "6.09375", since, 0)
	w.noTimer()
	w.fund("2.09375")
	w.timer(since + 1) // the second can be paid, which leaves nothing
	w.must(&schema.Tick{})
	w.poolHas("0", "106.09375")
	w.healthy(today, "6.09375", since, 0)
	w.noTimer()
	w.fund("6.09374999")
	w.must(&schema.Tick{})
	w.healthy(today, "6.09375", since, 0)
	w.noTimer()

	last := w.time
	w.fund("0.00000001")
	w.healthy(today, "6.09375", since, 0)
	w.timer(last + 1)
	w.must(&schema.Tick{})
	w.healthy(today, "6.09375", 0, 0)
	w.noTimer()

	last = w.time
	w.fund("-0.00000001")
	w.healthy(today, "6.09375", 0, 0)
	w.timer(last + 1)
	w.fund("0.00000001")
	w.noTimer()
	w.fund("-6.09375")
	w.timer(last + 1)
	w.must(&schema.Tick{})
	since = w.time
	w.healthy(today, "6.09375", since, 0)
	w.noTimer()

	last = w.time
	w.fund("7")
	w.timer(last + 1)
	w.fund("-7")
	w.noTimer()
	w.must(&schema.Tick{})
	w.healthy(today, "6.09375", since, 0)
}

// TestPoolIsShortOfTheFirstPayment, though it has what the latest day was worth: 4 is less than what waited for an address.
func TestPoolIsShortOfTheFirstPayment(t *testing.T) {
	w := newPaidOut(t)
	terms := poolTerms()
	terms.Least = d("100")
	w.must(&schema.SetPool{Terms: terms})
	w.must(w.shares(row(dora1, easy, 2)))
	w.midnight()
	w.must(w.shares(row(dora2, easy, 1)))
	w.midnight()
	last := w.time
	day := last - fullDay
	w.fund("-992.953125")
	w.healthy(day, "3.046875", 0, 0)
	w.noTimer()
	w.must(toMain(dora1))
	w.timer(last + 1)
	w.must(&schema.Tick{})
	since := w.time
	w.poolHas("4", "103.046875")
	w.healthy(day, "3.046875", since, 0)
	w.noTimer()
	w.fund("5.14062499")
	w.timer(since + 1)
	w.must(&schema.Tick{})
	w.poolHas("3.04687499", "109.140625")
	w.healthy(day, "3.046875", since, 0)
	w.noTimer()
	w.fund("0.00000001")
	w.must(&schema.Tick{})
	w.healthy(day, "3.046875", 0, 0)
}

// TestPoolGetsShortByALaterDay that is worth more, and has enough for one that is worth less.
func TestPoolGetsShortByALaterDay(t *testing.T) {
	w := newMining(t)
	w.fund("-990")
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.healthy(today, "3.046875", 0, 0)
	w.must(w.shares(row(dora1, easy, 2)))
	w.midnight()
	w.poolHas("0.859375", "109.140625")
	w.healthy(today+fullDay, "6.09375", today+2*fullDay, 0)
	w.must(w.shares(row(dora1, usual, 7)))
	w.midnight()
	w.healthy(today+2*fullDay, "0.00032544", 0, 0)
}

// TestATickPaysAThousand rewards, or the last payment that begins with fewer.
func TestATickPaysAThousand(t *testing.T) {
	w := newMining(t)
	s := w.mining
	add := func(n int) {
		p := &rewardPayment{miner: s.miner(dora1), waited: true}
		for range n {
			r := &schema.Reward{ID: schema.RewardID(len(s.rewards) + 1), Mining: dora1, Account: dora, Asset: btc, Amount: satoshi, Status: schema.RewardPending}
			s.rewards, p.rewards = append(s.rewards, r), append(p.rewards, r)
		}
		s.queue = append(s.queue, p)
	}
	for range 999 {
		add(1)
	}
	add(100)
	add(1)
	w.must(&schema.Tick{})
	w.pending(1, "0.00000001")
	w.timer(w.time + 1)
	w.must(&schema.Tick{})
	w.pending(0, "0")
}

// TestATickClosesAThousandDays, and tells of as many five minutes.
func TestATickClosesAThousandDays(t *testing.T) {
	w := newMining(t)
	terms := poolTerms()
	terms.Accounts = 1000
	w.must(&schema.SetPool{Terms: terms})
	rows := []schema.Shares{}
	for i := range 999 {
		id := schema.MiningID(w.must(&schema.OpenMining{Account: emil, Name: "e" + strings.Repeat("x", i%200) + string(rune('a'+i/200))}).ID)
		rows = append(rows, row(id, easy, 1))
	}
	w.must(w.shares(rows...))
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 1)))
	w.midnight()
	if got := []int{len(w.mining.buckets), len(w.mining.days), len(w.Rewards())}; !slices.Equal(got, []int{1, 1, 1000}) {
		t.Errorf("buckets, days and rewards: %v", got)
	}
	w.timer(today + 10*hour + 5*minute)
	w.must(&schema.Tick{})
	w.dug("2 of 104 at 600: 1 1 1", "reward 1001 of 2: 3.046875 pending")
	w.pending(673, "2050.546875")
}
