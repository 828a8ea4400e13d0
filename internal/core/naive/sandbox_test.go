package naive

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/schema"
)

const sand schema.ChainID = 1

// newSandbox is a world where bitcoins come by a sandbox, in two and three blocks, and dora has its first address.
func newSandbox(t *testing.T) *chainWorld {
	w := &chainWorld{world: newWorld(t)}
	w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}})
	w.setSandbox(0, false)
	w.must(&schema.OpenAddress{Account: dora, Chain: sand})
	w.net = schema.Network{Name: "sand", CanDeposit: true, Confirmations: 3, ConfirmationsForTrading: 2, Chain: sand}
	w.network(func(*schema.Network) {})
	return w
}

func (w *chainWorld) setSandbox(interval schema.Time, paused bool) {
	w.t.Helper()
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Interval: interval, Paused: paused}})
}

func pays(index schema.AddressIndex, amount string) *schema.PaySandbox {
	return &schema.PaySandbox{Chain: sand, Receipt: schema.Receipt{Asset: btc, Amount: d(amount), Index: index, Text: "r1", Memo: "m"}}
}

func mines(blocks uint32) *schema.MineSandbox {
	return &schema.MineSandbox{Chain: sand, Blocks: blocks}
}

func TestSandboxMakesBlocks(t *testing.T) {
	w := newSandbox(t)
	if id := w.must(pays(1, "2")).ID; id != 1 {
		t.Errorf("the payment has the number %d", id)
	}
	w.happened()
	w.must(pays(0, "3"))
	w.must(mines(1))
	w.happened("deposit 1 of 104: 2 confirming at 1", "deposit 2 of 0: 3 confirming at 1", "chain 1 at 1")
	want := schema.ChainDeposit{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("2"), Status: schema.DepositConfirming, Height: 1, Created: w.time, Changed: w.time,
		Index: 1, Receipt: schema.SandboxReceipt("SAND", 1), Address: "r1", Memo: "m",
	}
	if e := w.last.Events[0].(*schema.ChainDepositChanged); e.Deposit != want {
		t.Errorf("the event is %+v", e.Deposit)
	}
	if e := w.last.Events[2].(*schema.ChainMoved); e.Hash != schema.SandboxBlock("SAND", 1, 1) {
		t.Errorf("the event is %+v", e)
	}
	w.must(mines(2))
	w.happened("chain 1 at 2", "8 main of 1 by deposit for 0: -2 0", "104 main of 1 by deposit for 0: 2 0", "104 main of 1 by deposit for 0: 2 0",
		"deposit 1 of 104: 2 held at 1", "deposit 2 of 0: 3 uncredited at 1",
		"chain 1 at 3", "104 main of 1 by deposit for 0: 2 0", "deposit 1 of 104: 2 credited at 1",
		"8 main of 1 by deposit for 0: -5 0", "9 main of 1 by deposit for 0: 3 0")
	w.noTimer()
}

func TestSandboxChecksInOrder(t *testing.T) {
	w := newSandbox(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Testnet, Paused: true}})
	reorg := func(chain schema.ChainID, depth uint32, drop string) *schema.ReorgSandbox {
		return &schema.ReorgSandbox{Chain: chain, Depth: depth, Drop: drop}
	}
	for _, c := range []schema.Command{&schema.MineSandbox{Chain: 3}, &schema.PaySandbox{Chain: 3}, reorg(3, 0, "")} {
		w.refused(because(schema.ChainUnknown), c)
	}
	for _, c := range []schema.Command{&schema.MineSandbox{Chain: 2}, &schema.PaySandbox{Chain: 2}, reorg(2, 0, "")} {
		w.refused(because(schema.ChainNotSandbox), c)
	}
	for _, wrong := range []func(*schema.PaySandbox){
		func(p *schema.PaySandbox) { p.Receipt.ID = "a" },
		func(p *schema.PaySandbox) { p.Receipt.Asset = 9 },
		func(p *schema.PaySandbox) { p.Receipt.Asset = usd },
		func(p *schema.PaySandbox) { p.Receipt.Amount = d("0") },
		func(p *schema.PaySandbox) { p.Receipt.Amount = d("0.000000001") },
		func(p *schema.PaySandbox) { p.Receipt.Index = 2 },
		func(p *schema.PaySandbox) { p.Receipt.Text = strings.Repeat("x", 129) },
		func(p *schema.PaySandbox) { p.Receipt.Memo = strings.Repeat("x", 256) },
	} {
		w.refused(because(schema.BlockInvalid), with(pays(1, "1"), wrong))
	}
	mostBlocks := schema.Rejection{Reason: schema.MineInvalid, Value: d("100")}
	w.refused(mostBlocks, mines(0))
	w.refused(mostBlocks, mines(101))
	w.refused(schema.Rejection{Reason: schema.ReorgTooDeep, Value: d("0")}, reorg(1, 1, strings.Repeat("x", 101)))
	w.must(mines(100))
	w.must(mines(50))
	w.refused(schema.Rejection{Reason: schema.ReorgTooDeep, Value: d("100")}, reorg(1, 101, ""))
	w.refused(schema.Rejection{Reason: schema.ReorgTooDeep, Value: d("100")}, reorg(1, 0, ""))
	w.refused(because(schema.BlockInvalid), reorg(1, 1, strings.Repeat("x", 101)))
	w.must(reorg(1, 100, strings.Repeat("x", 100)))
	if got := w.chains.all[0].height(); got != 151 {
		t.Errorf("the height is %d", got)
	}
	w.setSandbox(0, true)
	w.refused(because(schema.ChainPaused), mines(0))
	w.refused(because(schema.ChainPaused), reorg(1, 0, ""))
	w.must(pays(1, "1"))
}

// TestSandboxPaymentsAreBounded: with those that are in blocks, and in their number.
func TestSandboxPaymentsAreBounded(t *testing.T) {
	w := newSandbox(t)
	most := owedMost.truncate(unit(8))
	w.must(pays(1, most.minus(whole(3)).decimal().String()))
	w.must(mines(1))
	w.must(pays(1, "2"))
	w.refused(because(schema.BlockInvalid), pays(1, "1.00000001"))
	w.must(pays(1, "1"))
	w.refused(because(schema.BlockInvalid), pays(1, "0.00000001"))

	w = newSandbox(t)
	w.must(pays(1, "1"))
	c := w.chains.all[0]
	for len(c.mempool) < 100_000 {
		c.mempool = append(c.mempool, schema.Receipt{ID: "x", Asset: usd})
	}
	w.refused(because(schema.BlockInvalid), pays(2, "1"))
	w.refused(schema.Rejection{Reason: schema.SandboxFull, Value: d("100000")}, pays(1, "1"))
}

// TestSandboxReorg: what the blocks paid is paid again, in the order in which it left them.
func TestSandboxReorg(t *testing.T) {
	w := newSandbox(t)
	for _, amount := range []string{"1", "2", "3"} {
		w.must(pays(1, amount))
		w.must(mines(1))
	}
	w.has(dora, "3", "2", "0", "0")
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 2})
	w.happened("chain 1 at 1", "deposit 3 of 104: 3 confirming at 0", "deposit 2 of 104: 2 held at 0",
		"deposit 3 of 104: 3 confirming at 2", "deposit 2 of 104: 2 held at 2", "chain 1 at 2",
		"chain 1 at 3", "8 main of 1 by deposit for 0: -6 0", "104 main of 1 by deposit for 0: 6 0", "104 main of 1 by deposit for 0: 6 0",
		"deposit 3 of 104: 3 held at 2",
		"chain 1 at 4", "104 main of 1 by deposit for 0: 6 0", "deposit 3 of 104: 3 credited at 2", "104 main of 1 by deposit for 0: 6 0", "deposit 2 of 104: 2 credited at 2")
	w.has(dora, "6", "0", "0", "0")
	if at := w.chains.all[0].points; at[4].hash != schema.SandboxBlock("SAND", 4, 6) {
		t.Error("the sixth block has another hash")
	}
	// One of them does not come again.
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 3, Drop: schema.SandboxReceipt("SAND", 3)})
	w.deposit(3, schema.DepositCredited, 0, "0")
	w.deposit(2, schema.DepositCredited, 2, "0")
	w.must(mines(5)) // 10
	w.happened("chain 1 at 6", "chain 1 at 7", "chain 1 at 8", "chain 1 at 9",
		"chain 1 at 10", "4 main of 1 by reversal for 0: -3 0", "8 main of 1 by reversal for 0: -3 0", "deposit 3 of 104: 3 credited at 0, reversed")
	// None does.
	w.must(pays(1, "4"))
	w.must(mines(1))
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 10, DropAll: true})
	w.deposit(2, schema.DepositCredited, 0, "0")
	w.deposit(4, schema.DepositConfirming, 0, "0")
	w.deposit(1, schema.DepositCredited, 1, "0")
	w.must(mines(5)) // 17
	w.deposit(4, schema.DepositLost, 0, "0")
	w.audit()
}

// TestSandboxIsBusy: payments of a block count as steps too.
func TestSandboxIsBusy(t *testing.T) {
	w := newSandbox(t)
	for range 1100 {
		w.must(pays(1, "1"))
	}
	w.must(mines(3))
	w.happenedMostly("chain 1 at 1")
	w.timer(w.time)
	if c := w.chains.all[0]; c.busy || c.toMine != 2 {
		t.Errorf("%t, %d blocks are to be made", c.busy, c.toMine)
	}
	w.refused(because(schema.ChainBusy), &schema.ReorgSandbox{Chain: sand, Depth: 1})
	w.must(mines(1))
	w.happenedMostly("chain 1 at 2") // the other 100, and then 899 steps for those of the first
	w.has(dora, "899", "899", "0", "0")
	c := w.chains.all[0]
	if !c.busy || c.toMine != 2 {
		t.Errorf("%t, %d blocks are to be made", c.busy, c.toMine)
	}
	at := w.time
	w.must(pays(1, "1"))
	w.timer(at)
	w.refused(because(schema.ChainBusy), &schema.ReorgSandbox{Chain: sand, Depth: 1})
	for range 10 {
		w.must(mines(99))
	}
	w.timer(w.time)
	w.refused(schema.Rejection{Reason: schema.MineInvalid, Value: d("100")}, mines(9))
	w.setSandbox(0, true)
	w.tickNow() // its work goes on
	w.happenedMostly()
	w.has(dora, "1000", "1000", "0", "0")
	w.noTimer()
}

// happenedMostly compares where the chain moved.
func (w *world) happenedMostly(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.ChainMoved); is {
			got = append(got, fmt.Sprintf("chain %d at %d", e.Chain, e.Height))
		}
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		w.t.Errorf("the chain moved %q, want %q", got, want)
	}
}

// TestSandboxMakesBlocksInTime: while anything is waited for.
func TestSandboxMakesBlocksInTime(t *testing.T) {
	w := newSandbox(t)
	w.setSandbox(10*schema.Second, false)
	w.noTimer()
	w.must(pays(1, "1"))
	at := w.time
	w.timer(at + 10*schema.Second)
	w.must(pays(1, "2"))
	w.timer(at + 10*schema.Second)
	w.Apply(at+10*schema.Second-1, &schema.Tick{})
	w.happened()
	w.Apply(at+10*schema.Second, &schema.Tick{})
	w.happened("deposit 1 of 104: 1 confirming at 1", "deposit 2 of 104: 2 confirming at 1", "chain 1 at 1")
	w.timer(at + 20*schema.Second)
	w.time = at + 21*schema.Second
	w.tickNow() // late: the next one comes after the whole interval
	w.has(dora, "3", "3", "0", "0")
	w.timer(w.time + 10*schema.Second)
	// The last one is asked for.
	w.must(mines(1))
	w.has(dora, "3", "0", "0", "0")
	w.noTimer()
	// What is missing is waited for, too.
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 3, DropAll: true}) // the height is 4
	w.timer(w.time + 10*schema.Second)
	for range 5 {
		next, _ := w.NextTimer()
		w.time = next - 1
		w.tickNow()
	}
	w.main(schema.House, btc, "-3") // at 9
	w.noTimer()
}

// TestSandboxThatIsSetAgain: the interval begins again, and ends where it is paused.
func TestSandboxThatIsSetAgain(t *testing.T) {
	w := newSandbox(t)
	w.must(pays(1, "1"))
	w.noTimer()
	w.setSandbox(10*schema.Second, false)
	w.timer(w.time + 10*schema.Second)
	w.time += 5 * schema.Second
	w.setSandbox(20*schema.Second, false)
	w.timer(w.time + 20*schema.Second)
	w.setSandbox(20*schema.Second, true)
	w.noTimer()
	w.must(pays(1, "1"))
	w.noTimer()
	w.time += 30 * schema.Second
	w.tickNow()
	w.happened()
	w.setSandbox(100_000, false)
	w.timer(w.time + 100_000)
	w.setSandbox(0, false)
	w.noTimer()
}

// TestTickHasOneBudget: what one chain takes of it is not there for the next.
func TestTickHasOneBudget(t *testing.T) {
	w := newSandbox(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "OTHER", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Interval: schema.Second}})
	for range 1001 {
		w.must(pays(1, "1"))
	}
	w.must(&schema.PaySandbox{Chain: 2, Receipt: schema.Receipt{Asset: btc, Amount: d("1")}})
	w.must(mines(2)) // 1,000 of them
	w.time += schema.Second
	w.tickNow() // the last, and 998 steps
	w.happenedMostly("chain 1 at 2")
	w.timer(w.time)
	w.tickNow()
	w.happenedMostly("chain 2 at 1")
	w.has(dora, "1000", "1000", "0", "0")
}
