package chain

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestBlocksThatCannotBe(t *testing.T) {
	x := open(t)
	block := func(edit func(*schema.ChainBlock)) *schema.ChainBlock {
		b := &schema.ChainBlock{Chain: bitcoin, Height: 11, Hash: hash(11, 0), Parent: hash(10, 0), Receipts: []schema.Receipt{receipt("b", "1", 1)}}
		edit(b)
		return b
	}
	x.block(10, 0, 0, receipt("a", "1", 1))
	x.do(block(func(b *schema.ChainBlock) { b.Chain = 9 }), schema.ChainUnknown)
	x.do(block(func(b *schema.ChainBlock) { b.Chain = play }), schema.ChainOwnBlocks)
	for name, edit := range map[string]func(*schema.ChainBlock){
		"no hash":     func(b *schema.ChainBlock) { b.Hash = schema.Digest{} },
		"no height":   func(b *schema.ChainBlock) { b.Height = 0 },
		"too high":    func(b *schema.ChainBlock) { b.Height = mostHeight + 1 },
		"part":        func(b *schema.ChainBlock) { b.Part, b.Parts = 2, 2 },
		"too many":    func(b *schema.ChainBlock) { b.Receipts = make([]schema.Receipt, schema.MaxReceipts+1) },
		"no id":       func(b *schema.ChainBlock) { b.Receipts[0].ID = "" },
		"long id":     func(b *schema.ChainBlock) { b.Receipts[0].ID = string(make([]byte, schema.MaxReceiptID+1)) },
		"long text":   func(b *schema.ChainBlock) { b.Receipts[0].Text = string(make([]byte, schema.MaxAddressText+1)) },
		"long memo":   func(b *schema.ChainBlock) { b.Receipts[0].Memo = string(make([]byte, schema.MaxMemo+1)) },
		"twice":       func(b *schema.ChainBlock) { b.Receipts = append(b.Receipts, b.Receipts[0]) },
		"there":       func(b *schema.ChainBlock) { b.Receipts[0].ID = "a" },
		"no asset":    func(b *schema.ChainBlock) { b.Receipts[0].Asset = 9 },
		"nothing":     func(b *schema.ChainBlock) { b.Receipts[0].Amount = fixed.Zero },
		"too precise": func(b *schema.ChainBlock) { b.Receipts[0].Amount = fixed.FromUnits(1, 9) },
		"too much":    func(b *schema.ChainBlock) { b.Receipts[0].Amount = fixed.FromInt(1).Add(ledger.Limit) },
		"no address":  func(b *schema.ChainBlock) { b.Receipts[0].Index = 3 },
	} {
		before := x.snapshot()
		if x.do(block(edit), schema.BlockInvalid); !slices.Equal(before, x.snapshot()) {
			t.Errorf("%s: it changed something", name)
		}
	}
	for _, edit := range []func(*schema.ChainBlock){
		func(b *schema.ChainBlock) { b.Parent = hash(10, 1) },
		func(b *schema.ChainBlock) { b.Height = 12 },
		func(b *schema.ChainBlock) { b.Part, b.Parts = 1, 2 },
	} {
		if r := x.do(block(edit), schema.ChainElsewhere); r.Value != fixed.FromInt(10) {
			t.Errorf("it is at %s", r.Value)
		}
	}
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, Paused: true}}, schema.OK)
	x.do(block(func(*schema.ChainBlock) {}), schema.ChainPaused)
}

func TestABlockInPartsCountsWhenTheLastIsIn(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 }), schema.OK)
	x.block(10, 0, 0)
	part := func(n uint32, branch byte, want schema.Reason) {
		t.Helper()
		x.do(&schema.ChainBlock{Chain: bitcoin, Height: 11, Hash: hash(11, branch), Parent: hash(10, 0), Part: n, Parts: 3, Receipts: []schema.Receipt{receipt(fmt.Sprint(branch, n), "1", 1)}}, want)
	}
	part(0, 0, schema.OK)
	x.says("1 confirming at 11")
	part(2, 0, schema.ChainElsewhere)
	part(1, 1, schema.ChainElsewhere)
	part(1, 0, schema.OK)
	x.has(alice, schema.Main, "0", "0")
	// A block that is not whole can be given up.
	x.rewound(10, 0)
	x.says("moved to 10", "2 confirming at 0", "1 confirming at 0")
	for n := range uint32(3) {
		part(n, 1, schema.OK)
	}
	x.says("5 confirming at 11", "moved to 11", "3 credited at 11", "4 credited at 11", "5 credited at 11")
	x.has(alice, schema.Main, "3", "0")
}

func TestARewindBeyondWhatIsRememberedHalts(t *testing.T) {
	x := open(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "NEW", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Simnet}}, schema.OK)
	x.do(&schema.ChainRewind{Chain: 3, Height: 1, Hash: hash(1, 0)}, schema.RewindUnknown)
	for height := uint64(10); height <= 10+remembered+1; height++ {
		x.block(height, 0, 0)
	}
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 11, Hash: hash(11, 1)}, schema.RewindUnknown)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 111, Hash: hash(111, 0)}, schema.RewindUnknown)
	x.rewound(10, 0)
	x.says("moved to 111")
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 112, Hash: hash(112, 0), Parent: hash(111, 0)}, schema.ChainHalted)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 100, Hash: hash(100, 0)}, schema.ChainHalted)
	if !x.Standing(bitcoin).Halted {
		t.Error("it does not say that it is halted")
	}
}

func TestDepositsAreForgottenWhenNothingCanHappenToThem(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "1", 1), receipt("b", "1", 0))
	for height := uint64(11); height <= 10+remembered; height++ {
		x.block(height, 0, 0)
	}
	if _, known := x.Deposit(1); known {
		t.Error("a deposit is remembered whose block cannot be rewound")
	}
	x.is(2, schema.DepositUncredited, 10)
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit, Account: ben}, schema.OK)
	if _, known := x.Deposit(2); known {
		t.Error("a deposit is remembered that was decided about")
	}
	x.has(schema.Custody, schema.Main, "-2", "0")
}

// Work that a block makes due is done in slices, and no block is taken before it is done.
func TestMuchWorkIsDoneByTicks(t *testing.T) {
	x := open(t)
	many := func(from int) (list []schema.Receipt) {
		for i := range schema.MaxReceipts {
			list = append(list, receipt(fmt.Sprint(from+i), "1", 1))
		}
		return list
	}
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 0), Parent: hash(9, 0), Parts: 2, Receipts: many(0)}, schema.OK)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 0), Parent: hash(9, 0), Part: 1, Parts: 2, Receipts: many(1000)}, schema.OK)
	x.block(11, 0, 0)
	if x.has(alice, schema.Main, "1000", "1000"); !x.Standing(bitcoin).Busy {
		t.Error("it is not busy")
	}
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 12, Hash: hash(12, 0), Parent: hash(11, 0)}, schema.ChainBusy)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 10, Hash: hash(10, 0)}, schema.ChainBusy)
	x.tick(1)
	x.has(alice, schema.Main, "2000", "2000")
	if at, running := x.NextTimer(); running {
		t.Errorf("a timer runs at %d", at)
	}
	x.block(12, 0, 0)
	x.has(alice, schema.Main, "2000", "1000")
	x.tick(1)
	x.has(alice, schema.Main, "2000", "0")
}

// The first block that the exchange hears of may come in parts too.
func TestTheFirstBlockMayComeInParts(t *testing.T) {
	x := open(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "NEW", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Simnet}}, schema.OK)
	x.do(&schema.ChainBlock{Chain: 3, Height: 700, Hash: hash(1, 0), Parts: 2, Receipts: []schema.Receipt{receipt("a", "1", 0)}}, schema.OK)
	x.is(1, schema.DepositConfirming, 700)
	x.do(&schema.ChainBlock{Chain: 3, Height: 700, Hash: hash(1, 0), Part: 1, Parts: 2}, schema.OK)
	x.says("moved to 700")
}
