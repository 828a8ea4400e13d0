package network_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// pair is an exchange, the world, and two nodes of Bitcoin that do not know each other until one is shown the blocks of the other.
type pair struct {
	*house
	world        *outside
	node, second *nodetest.Node
	common       int // height up to which both nodes have the same blocks
}

// eachNode runs a test on every program that there is.
func eachNode(t *testing.T, test func(t *testing.T, p *pair)) {
	for name, c := range map[string]struct {
		net   schema.Net
		start func(testing.TB, string) *nodetest.Node
	}{"btcd": {schema.Simnet, nodetest.Btcd}, "bitcoind": {schema.Regtest, nodetest.Bitcoind}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newPair(t, c.net, c.start))
		})
	}
}

func newPair(t *testing.T, net schema.Net, start func(testing.TB, string) *nodetest.Node) *pair {
	t.Helper()
	p := &pair{world: newOutside(t, net)}
	p.node, p.second = start(t, p.world.address()), start(t, p.world.address())
	var err error
	if p.world.driver, err = bitcoin.Dial(p.node.URL, p.world.chain); err != nil {
		t.Fatal(err)
	}
	p.node.Mine(p.node.Ripe)
	p.house = found(t, p.world.chain, schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true,
		Networks: []schema.Network{{Name: "BTC", CanDeposit: true, CanWithdraw: true, Confirmations: 3, ConfirmationsForTrading: 1, Decimals: 8}},
	}, func(c schema.Chain) (driver.Chain, error) { return bitcoin.Dial(p.node.URL, c) })
	p.share()
	p.step()
	return p
}

// share shows the second node the blocks of the first.
func (p *pair) share() {
	p.t.Helper()
	p.node.Give(p.second, p.common+1)
	p.common = p.node.Height()
}

// mine makes blocks of what the first node has waiting, and lets the exchange follow.
func (p *pair) mine(blocks int) {
	p.t.Helper()
	p.node.Mine(blocks)
	p.step()
}

// mineEmpty makes blocks that have nothing of what waits.
func (p *pair) mineEmpty(blocks int) {
	p.t.Helper()
	p.share()
	p.second.Mine(blocks)
	p.second.Give(p.node, p.common+1)
	p.common = p.second.Height()
	p.step()
}

// deposit pays alice and confirms it.
func (p *pair) deposit(amount string) {
	p.t.Helper()
	p.world.pay(p.address(), amount)
	p.mine(3)
}

func TestBitcoinDepositsAndWithdrawals(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		// Two counts: tradable with one confirmation, free with three.
		p.world.pay(p.address(), "1.5")
		p.step()
		p.wants(p.native, "0", "0", "0")
		p.mine(1)
		p.wants(p.native, "1.5", "0", "1.5")
		p.do(&schema.Transfer{Account: p.alice, Asset: p.native, Amount: fixed.MustParse("0.5"), From: schema.Main, To: schema.Trade})
		p.do(&schema.Transfer{Account: p.alice, Asset: p.native, Amount: fixed.MustParse("0.5"), From: schema.Trade, To: schema.Main})
		p.mine(1)
		p.wants(p.native, "1.5", "0", "1.5")
		p.restart()
		p.mine(1)
		p.wants(p.native, "1.5", "0", "0")
		p.audit()

		// A batch: three withdrawals, one transaction.
		ids := []schema.WithdrawalID{
			p.withdraw(p.native, p.world.other(1), "0.1"), p.withdraw(p.native, p.world.other(2), "0.2"), p.withdraw(p.native, p.world.other(3), "0.00001"),
		}
		p.wants(p.native, "1.19999", "0.30001", "0")
		p.step()
		p.is(schema.WithdrawalSent, ids...)
		tx := p.withdrawal(ids[0]).Tx
		if len(p.payouts()) != 1 || tx == "" || p.withdrawal(ids[1]).Tx != tx || p.withdrawal(ids[2]).Tx != tx {
			t.Fatalf("they are paid by %d transactions", len(p.payouts()))
		}
		p.restart()
		p.mine(1)
		p.is(schema.WithdrawalMined, ids...)
		p.mine(2)
		p.is(schema.WithdrawalDone, ids...)
		p.wants(p.native, "1.19999", "0", "0")
		fee := p.payouts()[0].Paid
		if got, want := p.total(p.native), fixed.MustParse("1.19999").Sub(fee); got != want || fee.Sign() <= 0 {
			t.Errorf("the chain has %s, want %s", got, want)
		}
		if got := p.system(schema.House, p.native); got != fee.Neg().String() {
			t.Errorf("the house has %s, the chain cost %s", got, fee)
		}
		p.audit()
		for i, want := range map[int]string{1: "0.1", 2: "0.2", 3: "0.00001"} {
			has, err := p.world.driver.Holds(context.Background(), driver.Point{}, driver.Holding{ID: schema.OutputID(tx, i-1), Address: p.world.other(i)})
			if err != nil || has != fixed.MustParse(want) {
				t.Errorf("output %d has %s (%v), want %s", i-1, has, err, want)
			}
		}

		// Change is spent by the next payout, with another coin. Who looks at the books before the exchange does finds both.
		p.deposit("1")
		last := p.withdraw(p.native, p.world.other(4), "2")
		p.step()
		at := p.node.Height()
		p.node.Mine(3)
		v := p.held()
		if a := v.Assets[0]; a.Books != p.total(p.native) || a.Chain != a.Books || v.Foreign != nil || v.At.Height != uint64(at) || v.Tip != uint64(at)+3 {
			t.Errorf("before the exchange has the blocks: %+v", v)
		}
		p.step()
		p.is(schema.WithdrawalDone, last)
		p.audit()
	})
}

// TestBlocksOfThePoolPayMiners: what comes to the address of the pool is credited to the account that miners are paid from when it is confirmed,
// a coinbase once it can be spent, and payouts spend it.
func TestBlocksOfThePoolPayMiners(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		public, err := p.seed.Public(p.chain.Space())
		if err != nil {
			t.Fatal(err)
		}
		address, _, err := public.Address(driver.Place{Own: schema.PoolOwn})
		if err != nil {
			t.Fatal(err)
		}
		p.world.pay(address, "2")
		p.mine(2)
		if got := p.system(schema.Pool, p.native); got != "0" {
			t.Errorf("after two blocks the pool has %s", got)
		}
		p.restart()
		p.mine(1)
		if pool, suspense := p.system(schema.Pool, p.native), p.system(schema.Suspense, p.native); pool != "2" || suspense != "0" {
			t.Errorf("the pool has %s, and %s is nobody's", pool, suspense)
		}
		p.audit()
		p.deposit("1")
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.step()
		p.mine(3)
		p.is(schema.WithdrawalDone, id)
		var coins []string
		for _, v := range p.payouts()[0].Variants {
			coins = append(coins, v.Inputs...)
		}
		var deposit schema.ChainDeposit
		p.house.node.Read(func(m core.View) {
			for d := range m.Chains().Deposits(p.chain.ID) {
				if d.Account == schema.Pool {
					deposit = *d
				}
			}
		})
		if !slices.Contains(coins, deposit.Receipt) || deposit.Status != schema.DepositCredited {
			t.Errorf("the payout spends %v, and not %+v", coins, deposit)
		}
		p.audit()
		if err := p.node.Ask(nil, "generatetoaddress", 1, address); err != nil {
			return // btcd does not know it
		}
		p.step()
		p.mine(98 + 1)
		if got := p.system(schema.Pool, p.native); got != "2" {
			t.Errorf("before the coinbase is confirmed the pool has %s", got)
		}
		p.mine(2)
		if got := p.system(schema.Pool, p.native); got != "52" {
			t.Errorf("the pool has %s", got)
		}
		p.audit()
	})
}

// TestBitcoinKeepsCoins: an exchange that has one coin has eight once its first payout is mined, and then several payouts are under way.
func TestBitcoinKeepsCoins(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		coins := func() (list []string) {
			p.read(func(m core.View) {
				for c := range m.Chains().Coins(p.chain.ID, p.native) {
					list = append(list, c.ID)
				}
			})
			return list
		}
		p.deposit("1")
		if got := len(coins()); got != 1 {
			t.Fatalf("%d coins to begin with", got)
		}
		first := p.withdraw(p.native, p.world.other(0), "0.1")
		p.step()
		next := p.withdraw(p.native, p.world.other(1), "0.1")
		if err := p.try(); err == nil || !strings.Contains(err.Error(), "withdrawals wait for coins") {
			t.Fatalf("the only coin is under way: %v", err)
		}
		p.node.Mine(1)
		if err := p.try(); err == nil || len(coins()) != schema.MaxChange { // not deep enough
			t.Fatalf("%d coins: %v", len(coins()), err)
		}
		p.node.Mine(2)
		p.step()
		p.is(schema.WithdrawalDone, first)
		ids := []schema.WithdrawalID{next}
		for i := range 3 {
			ids = append(ids, p.withdraw(p.native, p.world.other(2+i), "0.1"))
			p.step()
		}
		p.is(schema.WithdrawalSent, ids...)
		spent := map[string]bool{}
		for _, q := range p.payouts()[1:] {
			v := q.Variants[0]
			if q.Status != schema.PayoutSent || len(v.Inputs) != 1 || spent[v.Inputs[0]] || len(v.Outputs) != 1 {
				t.Errorf("payout %d is %s, spends %v and gives back %v", q.ID, q.Status, v.Inputs, v.Outputs)
			}
			spent[v.Inputs[0]] = true
		}
		if len(spent) != 4 {
			t.Errorf("%d payouts are under way", len(spent))
		}
		p.mine(3)
		p.is(schema.WithdrawalDone, ids...)
		if got := len(coins()); got != schema.MaxChange {
			t.Errorf("%d coins in the end", got)
		}
		p.audit()
	})
}

// TestBitcoinCountsCoinsOfOthers: those that are not deep enough yet, and none that are worth little.
func TestBitcoinCountsCoinsOfOthers(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	p.deposit("0.1005")
	p.deposit("1")
	p.world.pay(p.address(), "0.000546")
	p.world.pay(p.address(), "0.00054599")
	p.mine(1)
	for i, parts := range []int{1, 7} { // the first leaves too little, which does not count either
		p.withdraw(p.native, p.world.other(i), "0.1")
		p.step()
		if v := p.payouts()[i].Variants[0]; len(v.Inputs) != 1 || len(v.Outputs) != parts {
			t.Errorf("it spends %v, and divides its change into %v", v.Inputs, v.Outputs)
		}
	}
}

func TestBitcoinReplacesWhatNoBlockTakes(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("1")
		id := p.withdraw(p.native, p.world.other(1), "0.25")
		p.step()
		first := p.payouts()[0]
		p.mineEmpty(2)
		if got := len(p.payouts()[0].Variants); got != 1 {
			t.Fatalf("%d variants after two blocks", got)
		}
		p.mineEmpty(1)
		p.restart() // between the two
		p.step()
		now := p.payouts()[0]
		if len(now.Variants) != 2 || now.Variants[1].Inputs[0] != first.Variants[0].Inputs[0] || now.Variants[1].Tx == first.Variants[0].Tx {
			t.Fatalf("the variants are %+v", now.Variants)
		}
		if low, high := now.Variants[0].Fee, now.Variants[1].Fee; high.Cmp(low) <= 0 {
			t.Errorf("it bids %s after %s", high, low)
		}
		if before, after := len(now.Variants[0].Outputs), len(now.Variants[1].Outputs); before != schema.MaxChange || after != schema.MaxChange {
			t.Errorf("its change is in %d outputs, and in %d", before, after)
		}
		p.mine(3)
		p.is(schema.WithdrawalDone, id)
		if w := p.withdrawal(id); w.Tx != now.Variants[1].Tx {
			t.Errorf("it is paid by %s, want %s", w.Tx, now.Variants[1].Tx)
		}
		if got := p.system(schema.House, p.native); got != now.Variants[1].Fee.Neg().String() {
			t.Errorf("the house has %s", got)
		}
		p.audit()
	})
}

// TestBitcoinReorganisations: the second node has a longer chain without the deposit, once before it is confirmed and once after the
// account has spent it.
func TestBitcoinReorganisations(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.share()
		p.world.pay(p.address(), "2")
		p.mine(1)
		p.wants(p.native, "2", "0", "2")
		reorganise := func(blocks int) {
			t.Helper()
			p.second.Mine(blocks)
			p.second.Give(p.node, p.common+1)
			p.common = p.second.Height()
		}
		reorganise(2)
		p.step()
		p.wants(p.native, "2", "0", "2") // it is in no block, and may come back
		p.mine(1)                        // as the node still has it
		p.mine(2)
		p.wants(p.native, "2", "0", "0")

		// Another one, whose sender spends the same coin otherwise on the longer chain. Alice traded the money away meanwhile.
		p.share()
		raw, spent := p.world.pay(p.address(), "1")
		p.mine(1)
		p.wants(p.native, "3", "0", "1")
		p.do(&schema.Transfer{Account: p.alice, Asset: p.native, Amount: fixed.MustParse("3"), From: schema.Main, To: schema.Trade})
		theirs := p.world.sign(spent, p.world.other(9), "1")
		if string(theirs) == string(raw) {
			t.Fatal("the double spend is the payment")
		}
		second, err := bitcoin.Dial(p.second.URL, p.world.chain)
		if err != nil {
			t.Fatal(err)
		}
		p.world.send(second, theirs)
		reorganise(2)
		p.step()
		p.restart()
		p.mine(6)
		// The account bears it: its money is in the trade wallet.
		p.wants(p.native, "0", "0", "0")
		p.read(func(m core.View) {
			if trade, _, _ := m.Balance(p.alice, schema.Trade, p.native); trade != fixed.MustParse("2") {
				t.Errorf("alice has %s to trade with, want 2", trade)
			}
		})
		p.audit()
	})
}

func (p *pair) read(look func(core.View)) { p.house.node.Read(look) }

// TestBitcoinPayoutsReorganised: a payout that was final loses its block, and is paid once all the same.
func TestBitcoinPayoutsReorganised(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("1")
		p.share()
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.step()
		p.mine(3)
		p.is(schema.WithdrawalDone, id)
		tx := p.withdrawal(id).Tx
		p.second.Mine(4)
		p.second.Give(p.node, p.common+1)
		p.common = p.second.Height()
		p.step()
		p.is(schema.WithdrawalDone, id)
		if w := p.withdrawal(id); w.Height != 0 {
			t.Fatalf("it is in block %d", w.Height)
		}
		p.restart()
		p.step() // it is sent again
		p.mine(1)
		// Both variants spend the same coin; which one is in the block does not matter.
		q := p.payouts()[0]
		if w := p.withdrawal(id); w.Height == 0 || w.Tx != q.Variants[q.Mined].Tx || q.Variants[0].Tx != tx || w.Status != schema.WithdrawalDone {
			t.Errorf("%+v", w)
		}
		p.mine(2)
		p.audit()
		if got := len(p.payouts()); got != 1 {
			t.Errorf("%d payouts", got)
		}
	})
}

// dying is a driver and a signer that die at a moment: after that nothing is answered, as if the process were gone.
type dying struct {
	driver.Chain
	signer driver.Signer
	at     string
	dead   bool
}

var errDead = errors.New("the process is gone")

func (d *dying) die(at string) error {
	if d.dead = d.dead || d.at == at; d.dead {
		return errDead
	}
	return nil
}

func (d *dying) Compose(ctx context.Context, o *driver.Order) (*driver.Draft, error) {
	draft, err := d.Chain.Compose(ctx, o)
	return draft, errors.Join(err, d.die("composed"))
}

func (d *dying) Sign(ctx context.Context, r *driver.Request) ([]byte, error) {
	if err := d.die("planned"); err != nil {
		return nil, err
	}
	raw, err := d.signer.Sign(ctx, r)
	return raw, errors.Join(err, d.die("signed"))
}

func (d *dying) Send(ctx context.Context, raw []byte) (driver.Fate, error) {
	if err := d.die("kept"); err != nil {
		return 0, err
	}
	fate, err := d.Chain.Send(ctx, raw)
	return fate, errors.Join(err, d.die("sent"))
}

// TestBitcoinPaysOnceWhereverItDies kills the exchange at every row of the table of docs/wallet.md. The withdrawal is in one transaction
// on the chain, and the books agree with it.
func TestBitcoinPaysOnceWhereverItDies(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("5")
		for i, at := range []string{"composed", "planned", "signed", "kept", "sent"} {
			id := p.withdraw(p.native, p.world.other(i), "0.5")
			real, err := p.open(p.chain)
			if err != nil {
				t.Fatal(err)
			}
			d := &dying{Chain: real, signer: hot(p.house), at: at}
			p.signer = d
			p.joinBy(d)
			if err := p.try(); !errors.Is(err, errDead) {
				t.Fatalf("%s: it did not die: %v", at, err)
			}
			p.signer = nil
			p.restart()
			p.step()
			p.is(schema.WithdrawalSent, id)
			p.mine(3)
			p.is(schema.WithdrawalDone, id)
			if w := p.withdrawal(id); w.Tx == "" {
				t.Errorf("%s: %+v", at, w)
			}
			p.audit()
		}
		// After the block was taken, and nobody heard the answer.
		id := p.withdraw(p.native, p.world.other(9), "0.5")
		p.step()
		p.node.Mine(1)
		if err := p.link.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		p.restart()
		p.mine(2)
		p.is(schema.WithdrawalDone, id)
		if got, want := len(p.payouts()), 6; got != want {
			t.Errorf("%d payouts, want %d", got, want)
		}
		var sum fixed.Decimal
		for _, q := range p.payouts() {
			sum = sum.Add(q.Paid)
		}
		if got, want := p.total(p.native), fixed.MustParse("2").Sub(sum); got != want {
			t.Errorf("the chain has %s, want %s", got, want)
		}
	})
}

// TestBitcoinAnOlderLogPaysNothing: a log that was restored from a backup does not know what was paid since. It pays nothing, and halts.
func TestBitcoinAnOlderLogPaysNothing(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("1")
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.stop()
		copied := t.TempDir()
		copyTree(t, p.dir, copied)
		p.start()
		p.join()
		p.step()
		p.is(schema.WithdrawalSent, id)
		tx := p.withdrawal(id).Tx
		// The older log, while the payment waits for a block.
		newer := p.dir
		p.stop()
		p.dir = copied
		p.start()
		p.join()
		err := p.try()
		if err == nil || !strings.Contains(err.Error(), "it may be spent by a payout that this log does not know") {
			t.Fatalf("got %v", err)
		}
		p.is(schema.WithdrawalQueued, id)
		// And when it is mined.
		p.node.Mine(1)
		if v := p.held(); v.Assets[0].Chain != fixed.FromInt(1) || !slices.Equal(v.Foreign, []string{tx}) {
			t.Errorf("%+v, want what %s spends", v, tx)
		}
		err = p.try()
		if err == nil {
			err = p.try()
		}
		if err == nil || !strings.Contains(err.Error(), "'bourse operator chain adopt BTC "+tx+"'") {
			t.Fatalf("got %v", err)
		}
		p.is(schema.WithdrawalQueued, id)
		p.adopted(id, tx)
		p.stop()
		p.dir = newer
		p.start()
		p.join()
		p.step()
		p.mine(2)
		p.is(schema.WithdrawalDone, id)
	})
}

// adopted lets the exchange bear the transaction that paid a withdrawal of a log that was lost. What came back as change is a deposit of
// nobody, which lies in suspense.
func (p *pair) adopted(id schema.WithdrawalID, tx string) {
	p.t.Helper()
	p.do(&schema.DecideWithdrawal{Withdrawal: id, Decision: schema.FreezeWithdrawal})
	p.agree(&schema.AdoptSpend{Chain: p.chain.ID, Tx: tx})
	p.step()
	p.audit()
	change := p.total(p.native)
	if change.Cmp(fixed.MustParse("0.499")) < 0 || change.Cmp(fixed.MustParse("0.5")) >= 0 {
		p.t.Fatalf("the chain has %s", change)
	}
	p.mine(2)
	p.audit()
	if house, suspense := p.system(schema.House, p.native), p.system(schema.Suspense, p.native); house != "-1" || suspense != change.String() {
		p.t.Errorf("the house has %s and suspense %s, want -1 and %s", house, suspense, change)
	}
	p.is(schema.WithdrawalFrozen, id)
	p.restart()
	p.step()
}

// TestBitcoinManySmallCoinsKeepNobodyWaiting: who pays in many times, a little each time, makes the oldest coins too small for a large
// withdrawal, as many of them as a payout may spend. That takes a larger one.
func TestBitcoinManySmallCoinsKeepNobodyWaiting(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		to := p.address()
		for range schema.MaxInputs {
			p.world.pay(to, "0.0001")
			p.node.Mine(1)
		}
		p.step() // as many blocks as a step takes, twice
		p.step()
		p.deposit("1")
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.step()
		p.is(schema.WithdrawalSent, id)
		if inputs := p.payouts()[0].Variants[0].Inputs; len(inputs) != 1 {
			t.Errorf("it spends %d coins", len(inputs))
		}
	})
}

func TestBitcoinGivesUp(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("1")
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.step()
		p.do(&schema.AbandonPayout{Payout: p.payouts()[0].ID})
		p.step()
		now := p.payouts()[0]
		if len(now.Variants) != 2 || !now.Variants[1].GiveUp || len(now.Variants[0].Outputs) != schema.MaxChange || len(now.Variants[1].Outputs) != 1 {
			t.Fatalf("%+v", now)
		}
		p.mine(1)
		p.is(schema.WithdrawalSent, id)
		p.mineEmpty(101) // as deep as the exchange remembers
		for p.withdrawal(id).Status == schema.WithdrawalSent && len(p.payouts()) > 0 {
			p.mineEmpty(1)
		}
		p.is(schema.WithdrawalReview, id)
		p.do(&schema.DecideWithdrawal{Withdrawal: id, Decision: schema.ApproveWithdrawal})
		p.step()
		p.mine(3)
		p.is(schema.WithdrawalDone, id)
		p.audit()
	})
}
