package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (x *exchange) payToy(amount string, index schema.AddressIndex) {
	x.t.Helper()
	x.do(&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: fixed.MustParse(amount), Index: index, Text: "address"}}, schema.OK)
}

func TestASandboxMakesItsOwnBlocks(t *testing.T) {
	x := open(t)
	x.do(&schema.MineSandbox{Chain: bitcoin, Blocks: 1}, schema.ChainNotSandbox)
	x.do(&schema.MineSandbox{Chain: play, Blocks: 101}, schema.MineInvalid)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 1}, schema.ReorgTooDeep)
	x.do(&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: fixed.One, Index: 3}}, schema.BlockInvalid)
	x.payToy("7", 1)
	if x.out.Result.ID != 1 {
		t.Errorf("payment %d", x.out.Result.ID)
	}
	x.do(&schema.MineSandbox{Chain: play, Blocks: 2}, schema.OK)
	x.says("1 confirming at 1", "moved to 1", "moved to 2", "1 held at 1")
	if d := x.is(1, schema.DepositHeld, 1); d.Receipt != schema.SandboxReceipt("PLAY", 1) || d.Account != alice {
		t.Errorf("%+v", d)
	}
	// Two blocks are replaced by three, and the deposit is in the first of them.
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 2}, schema.OK)
	x.says("moved to 0", "1 held at 0", "1 held at 1", "moved to 1", "moved to 2", "moved to 3", "1 credited at 1")
	// Without it, it is lost in the end.
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 3, Drop: schema.SandboxReceipt("PLAY", 1)}, schema.OK)
	x.is(1, schema.DepositCredited, 0)
	x.do(&schema.MineSandbox{Chain: play, Blocks: 5}, schema.OK)
	if d := x.is(1, schema.DepositCredited, 0); !d.Reversed {
		t.Error("it is not reversed")
	}
}

func TestASandboxMakesBlocksByItselfWhileSomethingWaits(t *testing.T) {
	x := open(t)
	set := func(paused bool) {
		x.do(&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Interval: schema.Second, Paused: paused}}, schema.OK)
	}
	due := func(want schema.Time) {
		t.Helper()
		if at, running := x.NextTimer(); running != (want != 0) || at != want {
			t.Errorf("a timer runs at %d, %v, want %d", at, running, want)
		}
	}
	set(false)
	due(0)
	x.payToy("1", 1)
	due(x.now + schema.Second)
	x.tick(schema.Second - 1)
	x.says()
	x.tick(1)
	x.says("1 confirming at 1", "moved to 1")
	due(x.now + schema.Second)
	set(true)
	due(0)
	x.do(&schema.MineSandbox{Chain: play, Blocks: 1}, schema.ChainPaused)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 1}, schema.ChainPaused)
	set(false)
	x.tick(schema.Second)
	x.tick(schema.Second)
	x.says("moved to 3", "1 credited at 1")
	due(0)
}

func TestALargeReorganisationGoesOnByTicks(t *testing.T) {
	x := open(t)
	for range 1500 {
		x.out.Reset(x.now)
		if r := x.handlers[new(schema.PaySandbox).Kind()](&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: fixed.One, Index: 1}}); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	x.do(&schema.MineSandbox{Chain: play, Blocks: 3}, schema.OK)
	for range 9 {
		x.tick(1)
	}
	if _, running := x.NextTimer(); running {
		t.Error("the blocks are not made")
	}
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 3}, schema.OK)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 1}, schema.ChainBusy)
	for range 20 {
		x.tick(1)
	}
	if height, _ := x.Cursor(play); height != 4 || x.Standing(play).Busy {
		t.Errorf("it is at %d", height)
	}
	if got := x.ledger.Available(x.ledger.Find(alice, schema.Main, toy)); got != fixed.FromInt(1500) {
		t.Errorf("alice has %s", got)
	}
}
