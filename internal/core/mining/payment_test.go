package mining

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// earns lets a mining account earn a reward on each of some days, the first at a noon, and ends them. It is paid for one hundredth of work
// less a hundredth: 0.1953125 - 0.00195312.
func (x *exchange) earns(id schema.MiningID, first schema.Time, days int) schema.Time {
	x.t.Helper()
	for i := range days {
		x.do(first+schema.Time(i)*day, x.shares(schema.Shares{Mining: id, Bits: 0x1c00ffff, Work: 1}), schema.OK)
	}
	end := first - first%day + schema.Time(days)*day
	x.at(end)
	return end + day/2
}

// reward of earns.
const part = "0.19335938"

func times(n int64) fixed.Decimal {
	sum := fixed.Zero
	for range n {
		sum = sum.Add(d(part))
	}
	return sum
}

// TestThePoolRunsDry: the queue waits for its first payment, and goes on when the pool is filled.
func TestThePoolRunsDry(t *testing.T) {
	x := open(t)
	x.fund("-900")
	x.do(noon, x.shares(row(rig, 1), row(barn, 2), row(attic, 1)), schema.OK)
	x.at(midnight + day)
	x.tells("1 of 101 at 43200000000: 1 1-0", "2 of 102 at 43200000000: 2 1-0", "3 of 101 at 43200000000: 1 1-0",
		"reward 1 of 1: 49.5 pending", "reward 2 of 2: 99 pending", "reward 3 of 3: 49.5 pending", "reward 1 of 1: 49.5 successful paid")
	x.has(anna, "49.5", "0")
	x.has(schema.Pool, "50.5", "0")
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for a payment that cannot be made")
	}
	x.fund("48.49999999")
	x.at(noon + day)
	x.tells()
	x.fund("0.00000001")
	if next, running := x.NextTimer(); !running || next != noon+day+1 {
		t.Errorf("next at %d %t", next-noon, running)
	}
	x.at(noon + day + 1)
	x.tells("reward 2 of 2: 99 successful paid")
	x.has(schema.Pool, "0", "0")
	x.fund("1000")
	x.at(noon + day + 2)
	x.tells("reward 3 of 3: 49.5 successful paid")
	if n, sum := x.Pending(); n != 0 || !sum.IsZero() {
		t.Errorf("%d of %s", n, sum)
	}
}

// TestStatements: cause and reference of what is paid.
func TestStatements(t *testing.T) {
	x := open(t)
	x.brought(noon, rig, 1)
	x.at(midnight + day)
	seen := 0
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.BalanceChanged); is {
			seen++
			if e.Cause != schema.ByMining || e.Ref != 1 || e.Wallet != schema.Main {
				t.Errorf("%+v", e)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d balances changed", seen)
	}
}

// TestRewardsRepayWhatIsOwed to chains.
func TestRewardsRepayWhatIsOwed(t *testing.T) {
	x := open(t)
	owes := x.ledger.Open(anna, schema.Owed, coin)
	x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, coin), owes, d("9.5"), ledgerNote)
	x.brought(noon, rig, 1)
	x.at(midnight + day)
	x.has(anna, "40", "0")
	x.has(schema.House, "9.5", "0")
}

// TestWaiting: what is paid to an address waits until it is worth a transaction, and the address counts.
func TestWaiting(t *testing.T) {
	x := open(t)
	x.do(noon, external(anna, rig, "a"), schema.OK)
	at := x.earns(rig, noon, 10)
	if n, sum := x.Pending(); n != 10 || sum != times(10) {
		t.Errorf("%d of %s", n, sum)
	}
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for what waits")
	}
	x.do(at, x.shares(schema.Shares{Mining: rig, Bits: 0x1c00ffff, Work: 1}), schema.OK)
	x.at(at + day/2)
	var want []string
	add := func(text string) { want = append(want, text) }
	add("1 of 101 at 907200000000: 1 0-0")
	add("reward 11 of 1: 0.19335938 pending")
	add("withdrawal 1: queued")
	for i := range 11 {
		add(fmt.Sprintf("reward %d of 1: 0.19335938 pending by 1 to a", i+1))
	}
	x.tells(want...)
	w, _ := x.chains.Withdrawal(1)
	if w.Amount != times(11) || !w.Fee.IsZero() || w.Unique != "mining-1" || w.Address != "a" || w.Chain != play || w.Account != anna {
		t.Errorf("%+v", w)
	}
	if x.out.Result.Withdrawal != nil {
		t.Error("a tick answers with a withdrawal")
	}
	x.has(anna, "0", times(11).String())
	x.has(schema.Pool, d("1000").Sub(times(11)).String(), "0")
	// It is done when its block is deep enough.
	x.do(at+day/2+1, &schema.MineSandbox{Chain: play, Blocks: 1}, schema.OK)
	x.tells("withdrawal 1: mined")
	x.do(at+day/2+2, &schema.MineSandbox{Chain: play, Blocks: 2}, schema.OK)
	want = []string{"withdrawal 1: done"}
	for i := range 11 {
		want = append(want, fmt.Sprintf("reward %d of 1: 0.19335938 successful by 1 to a paid", i+1))
	}
	x.tells(want...)
	if r := x.rewards()[10]; r.Tx != schema.SandboxPayout("PLAY", 1) || r.Paid != at+day/2+2 || r.Address != "a" {
		t.Errorf("%+v", r)
	}
	if n, sum := x.Pending(); n != 0 || !sum.IsZero() {
		t.Errorf("%d of %s", n, sum)
	}
	x.has(anna, "0", "0")
}

// TestARewoundBlock: a withdrawal is done once its block is final; before, a block that goes leaves the rewards as they are.
func TestARewoundBlock(t *testing.T) {
	x, at := onItsWay(t, "a")
	x.do(at, &schema.MineSandbox{Chain: play, Blocks: 1}, schema.OK)
	x.do(at, &schema.ReorgSandbox{Chain: play, Depth: 1}, schema.OK)
	x.has(anna, "0", "49.5")
	if n, _ := x.Pending(); n != 1 {
		t.Errorf("%d are pending", n)
	}
	x.do(at, &schema.MineSandbox{Chain: play, Blocks: 10}, schema.OK)
	x.at(at + 1)
	if n, _ := x.Pending(); n != 0 {
		t.Errorf("%d are pending", n)
	}
	x.has(anna, "0", "0")
}

// onItsWay is an exchange where a reward of 49.5 is on its way to an address of anna's mining account, and a noon after that.
func onItsWay(t *testing.T, address string, edits ...func(*schema.SetMiningPayout)) (*exchange, schema.Time) {
	t.Helper()
	x := open(t)
	payout := external(anna, rig, address)
	for _, edit := range edits {
		edit(payout)
	}
	x.do(noon, payout, schema.OK)
	x.brought(noon, rig, 1)
	x.at(noon + day)
	return x, noon + day
}

// TestACanceledWithdrawal leaves the money in the main wallet.
func TestACanceledWithdrawal(t *testing.T) {
	x, at := onItsWay(t, "a")
	x.has(anna, "0", "49.5")
	x.out.Operator = "oscar"
	x.do(at, &schema.DecideWithdrawal{Withdrawal: 1, Decision: schema.CancelWithdrawal}, schema.OK)
	x.tells("withdrawal 1: canceled", "reward 1 of 1: 49.5 canceled by 1 to a")
	x.has(anna, "49.5", "0")
	if n, sum := x.Pending(); n != 0 || !sum.IsZero() {
		t.Errorf("%d of %s", n, sum)
	}
}

// TestWithdrawalsOfOthers are nothing to rewards, before and after.
func TestWithdrawalsOfOthers(t *testing.T) {
	x, at := onItsWay(t, "a")
	x.do(at, &schema.Deposit{Account: ben, Asset: coin, Amount: d("10")}, schema.OK)
	x.do(at, &schema.RequestWithdrawal{Account: ben, Asset: coin, Chain: play, Amount: d("5"), Address: "b", Unique: "mining-1"}, schema.OK)
	x.out.Operator = "oscar"
	x.do(at, &schema.DecideWithdrawal{Withdrawal: 2, Decision: schema.CancelWithdrawal}, schema.OK)
	x.tells("withdrawal 2: canceled")
	if n, _ := x.Pending(); n != 1 {
		t.Errorf("%d are pending", n)
	}
}

// TestRefusedWithdrawals: what may not be sent stays in the main wallet.
func TestRefusedWithdrawals(t *testing.T) {
	for name, prepare := range map[string]func(*exchange){
		"the account is blocked": func(x *exchange) {
			x.asOperator(noon, &schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Blocked: true}})
		},
		"the name is taken": func(x *exchange) {
			x.must(noon, &schema.Deposit{Account: anna, Asset: coin, Amount: d("3")})
			x.must(noon, &schema.RequestWithdrawal{Account: anna, Asset: coin, Chain: play, Amount: d("3"), Address: "b", Unique: "mining-1"})
		},
		"the amount is less than is sent": func(x *exchange) { x.network(schema.Network{MinWithdraw: d("49.50000001")}) },
		"the network ends": func(x *exchange) {
			x.must(noon, &schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 8}})
		},
		"the amount is too precise": func(x *exchange) {
			x.must(noon, &schema.SetAsset{Asset: schema.Asset{
				Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 0, CanDeposit: true, CanWithdraw: true,
				Networks: []schema.Network{{Name: "MAIN", Chain: play, CanDeposit: true, CanWithdraw: true, ConfirmationsForTrading: 2, Confirmations: 3}},
			}})
		},
		"there is no chain any more": func(x *exchange) {
			terms := usual()
			terms.Chain = 0
			x.must(noon, &schema.SetPool{Terms: terms})
		},
		"it is not worth a transaction any more": func(x *exchange) {
			terms := usual()
			terms.Least = d("49.50000001")
			x.must(midnight+day, &schema.SetPool{Terms: terms})
		},
		"the address is one of the account's own": func(x *exchange) {
			x.must(noon, &schema.OpenAddress{Account: anna, Chain: play})
			m := external(anna, rig, "a")
			m.Index = 1
			x.must(noon, m)
		},
		"something is owed": func(x *exchange) {
			x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, toy), x.ledger.Open(anna, schema.Owed, toy), d("1"), ledgerNote)
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t)
			x.do(noon, external(anna, rig, "a"), schema.OK)
			x.brought(noon, rig, 1)
			if name == "it is not worth a transaction any more" {
				x.do(midnight+day, x.shares(row(rig, 0), row(rig, 1)), schema.OK) // the day ends with the old least
			}
			before := x.ledger.Available(x.ledger.Find(anna, schema.Main, coin))
			prepare(x)
			frozen := d("0")
			if name == "the name is taken" {
				frozen = d("3")
			}
			x.at(noon + day)
			r := x.rewards()
			last := r[len(r)-1]
			if last.Status != schema.RewardSuccessful || last.Withdrawal != 0 || last.Address != "" || last.Tx != "" || last.Paid != noon+day || last.ID != 1 {
				t.Errorf("%+v", last)
			}
			x.has(anna, before.Add(d("49.5")).String(), frozen.String())
		})
	}
}

// TestFreeToOthers: an address of another customer is paid at once, by Withdrew in the middle of the payment.
func TestFreeToOthers(t *testing.T) {
	x := open(t)
	x.do(noon, &schema.OpenAddress{Account: ben, Chain: play}, schema.OK)
	m := external(anna, rig, "b")
	m.Index = 1
	x.do(noon, m, schema.OK)
	x.brought(noon, rig, 1)
	x.at(noon + day)
	x.tells("1 of 101 at 43200000000: 1 1-0", "reward 1 of 1: 49.5 pending", "withdrawal 1: queued", "withdrawal 1: done",
		"reward 1 of 1: 49.5 pending by 1 to b", "reward 1 of 1: 49.5 successful by 1 to b paid")
	x.has(anna, "0", "0")
	x.has(ben, "49.5", "0")
	if len(x.leavingAt) != 0 {
		t.Error("the payment is kept")
	}
}

// TestASubConfirms: where the master has to confirm what subs send, it has to here.
func TestASubConfirms(t *testing.T) {
	x := open(t)
	x.must(noon, &schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Approvals: true}})
	x.do(noon, &schema.OpenMining{Account: sub, Name: "subs"}, schema.OK)
	x.do(noon, external(sub, 4, "a"), schema.OK)
	x.brought(noon, 4, 1)
	x.at(noon + day)
	if w, _ := x.chains.Withdrawal(1); w.Status != schema.WithdrawalUnconfirmed || w.Account != sub {
		t.Errorf("%+v", w)
	}
	if n, _ := x.Pending(); n != 1 {
		t.Errorf("%d are pending", n)
	}
	x.do(noon+day, &schema.ConfirmWithdrawal{Master: anna, Withdrawal: 1}, schema.OK)
	x.tells("withdrawal 1: queued")
	x.has(sub, "0", "49.5")
}

// TestTheLeast is enough, and one unit less is not.
func TestTheLeast(t *testing.T) {
	for _, tt := range []struct {
		least string
		waits int
	}{{"49.5", 0}, {"49.50000001", 1}} {
		x := open(t, func(m *schema.PoolTerms) { m.Least = d(tt.least) })
		x.do(noon, external(anna, rig, "a"), schema.OK)
		x.brought(noon+1, rig, 1)
		x.at(noon + day)
		_, sent := x.chains.Withdrawal(1)
		waits := 0
		if a := x.Pool.at(rig); a.waits != 0 {
			waits = len(x.payments.At(a.waits).rewards)
		}
		if sent == (tt.waits == 1) || waits != tt.waits {
			t.Errorf("of %s at least: sent %t, %d wait", tt.least, sent, waits)
		}
	}
}

// TestANewAddressCounts a day later: what is enough waits for that, and for the next if the address changes again.
func TestANewAddressCounts(t *testing.T) {
	x := open(t)
	x.brought(noon, rig, 1)
	x.brought(noon, attic, 1)
	x.do(noon+2*hour, external(anna, rig, "a"), schema.OK)
	x.do(noon+hour, external(anna, attic, "c"), schema.OK)
	x.at(midnight + day)
	x.tells("1 of 101 at 43200000000: 1 1-0", "3 of 101 at 43200000000: 1 1-0", "reward 1 of 1: 49.5 pending", "reward 2 of 3: 49.5 pending")
	if next, _ := x.NextTimer(); next != noon+2*hour+day {
		t.Errorf("next at %d", next-noon)
	}
	x.do(noon+day, external(anna, attic, "b"), schema.OK)
	x.at(noon + 2*hour + day - 1)
	x.tells()
	x.at(noon + 2*hour + day)
	x.tells("withdrawal 1: queued", "reward 1 of 1: 49.5 pending by 1 to a")
	// More that comes meanwhile goes with it.
	x.brought(noon+2*hour+day, attic, 1)
	x.at(midnight + 2*day)
	x.tells("3 of 101 at 136800000000: 1 1-0", "reward 3 of 3: 49.5 pending")
	x.at(noon + 2*day)
	x.tells("withdrawal 2: queued", "reward 2 of 3: 49.5 pending by 2 to b", "reward 3 of 3: 49.5 pending by 2 to b")
	if w, _ := x.chains.Withdrawal(2); w.Amount != d("99") || w.Unique != "mining-2" {
		t.Errorf("%+v", w)
	}
}

// TestTheMainWalletEndsWaiting: what waits becomes one payment, even if it is not enough for an address.
func TestTheMainWalletEndsWaiting(t *testing.T) {
	x := open(t)
	x.fund("-1000")
	x.do(noon, external(anna, rig, "a"), schema.OK)
	at := x.earns(rig, noon, 3)
	x.do(at, inside(anna, rig), schema.OK)
	x.tells("mining 1")
	at = x.earns(rig, at, 1)
	// What was earned for the main wallet is a payment of its own, which stands behind.
	x.fund(times(3).String())
	x.at(at)
	x.tells("reward 1 of 1: 0.19335938 successful paid", "reward 2 of 1: 0.19335938 successful paid", "reward 3 of 1: 0.19335938 successful paid")
	x.fund(part)
	x.at(at + 1)
	x.tells("reward 4 of 1: 0.19335938 successful paid")
	x.do(at+1, inside(anna, rig), schema.OK)
}

// TestSettingsOfThePayment count: a payment that waited goes to the address of the moment, one that did not never does.
func TestSettingsOfThePayment(t *testing.T) {
	x := open(t)
	x.fund("-1000")
	x.brought(noon, rig, 1)
	x.do(noon, external(anna, attic, "a"), schema.OK)
	x.brought(noon, attic, 1)
	x.at(noon + day)
	if n, _ := x.Pending(); n != 2 || x.queue.First == x.queue.Last {
		t.Fatalf("%d are pending", n)
	}
	x.do(noon+day, external(anna, rig, "b"), schema.OK)
	x.do(noon+day, external(anna, attic, "c"), schema.OK)
	x.do(noon+day, inside(anna, attic), schema.OK)
	x.do(noon+day, external(anna, attic, "d"), schema.OK)
	x.fund("1000")
	x.at(noon + 2*day)
	x.tells("reward 1 of 1: 49.5 successful paid", "withdrawal 1: queued", "reward 2 of 3: 49.5 pending by 1 to d")

	y := open(t)
	y.fund("-1000")
	y.do(noon, external(anna, rig, "a"), schema.OK)
	y.brought(noon, rig, 1)
	y.at(noon + day)
	y.do(noon+day, external(anna, rig, "b"), schema.OK)
	y.fund("1000")
	y.at(noon + day + 1) // b does not count yet
	y.tells("reward 1 of 1: 49.5 successful paid")
}

// TestAHundredRewardsWait at most. If the sum is still not worth a transaction it stays in the main wallet.
func TestAHundredRewardsWait(t *testing.T) {
	x := open(t, func(m *schema.PoolTerms) { m.Least = d("1000") })
	x.do(noon, external(anna, rig, "a"), schema.OK)
	at := x.earns(rig, noon, 99)
	if n, _ := x.Pending(); n != 99 {
		t.Errorf("%d are pending", n)
	}
	x.earns(rig, at, 1)
	if n, _ := x.Pending(); n != 0 || len(x.rewards()) != 101 {
		t.Errorf("%d are pending, %d changed", n, len(x.rewards()))
	}
	x.has(anna, times(100).String(), "0")

	// An address that does not count yet is not waited for either.
	y := open(t)
	y.fund("-1000")
	y.do(noon, external(anna, rig, "a"), schema.OK)
	for i := range 100 {
		y.do(at+schema.Time(i)*day-1, external(anna, rig, fmt.Sprint("a", i)), schema.OK)
		y.earns(rig, at+schema.Time(i)*day, 1)
	}
	if y.queue.First == 0 || y.Pool.at(rig).due {
		t.Error("it waits")
	}
	y.fund("1000")
	y.at(at + 100*day - day/2 + 1)
	y.has(anna, times(100).String(), "0")
}

// TestATickPays a thousand rewards: a payment is never divided.
func TestATickPays(t *testing.T) {
	x := open(t, func(m *schema.PoolTerms) { m.Least = d("1000") })
	x.quiet = true
	x.fund("-1000")
	x.do(noon, external(ben, barn, "a"), schema.OK)
	at := x.earns(barn, noon, 10)
	x.do(at, inside(ben, barn), schema.OK)
	for range 989 {
		x.do(at, x.shares(row(rig, 1)), schema.OK)
		at += day
		x.at(at)
	}
	x.do(at, external(ben, barn, "a"), schema.OK)
	at = x.earns(barn, at, 20)
	x.do(at, inside(ben, barn), schema.OK)
	x.earns(rig, at, 1)
	x.fund("100000")
	x.at(at + day)
	if n := len(x.rewards()); n != 10+989+20 {
		t.Errorf("%d were paid", n)
	}
	if next, running := x.NextTimer(); !running || next != x.tick+1 {
		t.Errorf("next at %d %t", next, running)
	}
	x.at(at + day + 1)
	if n := len(x.rewards()); n != 1 {
		t.Errorf("%d were paid", n)
	}
}

// TestATickLooksAtAddresses: a hundred, by the moment at which they count and then by number.
func TestATickLooksAtAddresses(t *testing.T) {
	x := open(t, func(m *schema.PoolTerms) { m.Accounts = 1000 })
	x.quiet = true
	rows := []schema.Shares{row(rig, 1)}
	for i := range 102 {
		x.must(noon, &schema.OpenMining{Account: carl, Name: fmt.Sprint("m", i)})
		x.must(noon+hour, external(carl, schema.MiningID(4+i), "a"))
		rows = append(rows, row(schema.MiningID(105-i), 1))
	}
	x.must(noon, external(anna, rig, "r"))
	x.fund("9000")
	x.do(noon+hour, x.shares(rows...), schema.OK)
	x.at(midnight + day)
	x.quiet = false
	x.verify()
	x.quiet = true
	// Rig was set last, and at the moment of the others: time does not go back.
	x.at(noon + hour + day)
	list := x.rewards()
	if len(list) != 100 || list[0].Mining != rig || list[1].Mining != 4 || list[99].Mining != 102 {
		t.Errorf("%d changed, %+v", len(list), list[0])
	}
	if next, running := x.NextTimer(); !running || next > noon+hour+day {
		t.Errorf("next at %d %t", next-noon, running)
	}
	x.at(noon + hour + day + 1)
	if list := x.rewards(); len(list) != 3 || list[0].Mining != 103 || list[2].Mining != 105 {
		t.Errorf("%+v", list)
	}
}
