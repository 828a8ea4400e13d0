package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// resumes is what an operator says about a halted chain.
func (x *exchange) resumes(operator string, height uint64, branch byte, want schema.Reason) {
	x.t.Helper()
	x.out.Operator = operator
	at := &schema.ResumeChain{Chain: bitcoin, Height: height}
	if height != 0 {
		at.Hash = hash(height, branch)
	}
	if want == schema.OK {
		x.do(at, want)
	} else {
		x.refuses(at, want)
	}
	x.out.Operator = ""
}

func (x *exchange) isHalted(want bool, first string, height uint64) {
	x.t.Helper()
	s := x.Standing(bitcoin)
	if at, _ := x.Cursor(bitcoin); s.Halted != want || s.Resuming != first || at != height {
		x.t.Errorf("%+v at %d, want halted %v at %d, and %q who wants it to go on", s, at, want, height, first)
	}
}

// TestAHaltedChainGoesOn: when a second operator says from where, and what is above is read again.
func TestAHaltedChainGoesOn(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "3", 1))
	x.block(11, 0, 0, receipt("b", "2", 1))
	x.resumes("olga", 11, 0, schema.ChainNotHalted)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 8, Hash: hash(8, 1)}, schema.OK)
	x.isHalted(true, "", 11)
	x.resumes("", 11, 0, schema.OperatorMissing)
	x.resumes("olga", 8, 1, schema.RewindUnknown)
	x.resumes("olga", 11, 1, schema.RewindUnknown)
	x.resumes("olga", 0, 0, schema.RewindUnknown)
	x.resumes("olga", 11, 0, schema.OK)
	x.isHalted(true, "olga", 11)
	if x.out.Events.Len() != 0 {
		t.Error("the first operator's word is an event")
	}
	x.resumes("olga", 11, 0, schema.ApprovedBefore)
	x.resumes("olga", 10, 0, schema.OK) // another word
	x.resumes("otto", 11, 0, schema.OK) // and another
	x.isHalted(true, "otto", 11)
	x.resumes("olga", 11, 0, schema.OK)
	x.isHalted(false, "", 11)
	x.block(12, 0, 0)
	x.has(alice, schema.Main, "5", "2")

	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 13, Hash: hash(13, 0), Parent: hash(12, 0), Foreign: "theft"}, schema.OK)
	x.isHalted(true, "", 12)
	x.resumes("otto", 10, 0, schema.OK)
	x.resumes("olga", 10, 0, schema.OK)
	x.isHalted(false, "", 10)
	x.is(2, schema.DepositHeld, 0)
	x.block(11, 1, 0, receipt("b", "2", 1))
	x.is(2, schema.DepositHeld, 11)

	x.out.Operator = "olga"
	for id, want := range map[schema.ChainID]schema.Reason{9: schema.ChainUnknown, play: schema.ChainOwnBlocks} {
		x.refuses(&schema.ResumeChain{Chain: id}, want)
	}
	x.unreadable("nobody can resume it", func() { x.chains[bitcoin-1].resuming.operator = "olga" })
}

// TestAHalfBlockIsGoneWhenAChainGoesOn, also the first of a chain.
func TestAHalfBlockIsGoneWhenAChainGoesOn(t *testing.T) {
	x := open(t)
	half := func(height, parent uint64, id string) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: bitcoin, Height: height, Hash: hash(height, 0), Parent: hash(parent, 0), Parts: 2, Receipts: []schema.Receipt{receipt(id, "1", 1)}}
	}
	x.do(half(10, 9, "a"), schema.OK)
	theft := half(10, 9, "a")
	theft.Part, theft.Foreign = 1, "theft"
	x.do(theft, schema.OK)
	x.resumes("olga", 9, 0, schema.OK)
	x.resumes("otto", 9, 0, schema.OK)
	x.isHalted(false, "", 9)
	if x.Standing(bitcoin).Half {
		t.Error("half a block is still there")
	}
	x.bookedOf(bitcoin, coin, "0", "0")
	x.block(10, 1, 0, receipt("a", "1", 1))
	x.bookedOf(bitcoin, coin, "1", "0")

	x = build(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}}, schema.OK)
	x.do(asset("COIN", bitcoin), schema.OK)
	first := func(part uint32, theft string) *schema.ChainBlock {
		r := schema.Receipt{ID: "a", Asset: coin, Amount: fixed.MustParse("1"), Own: schema.Hot}
		return &schema.ChainBlock{Chain: bitcoin, Height: 13, Hash: hash(13, 0), Part: part, Parts: 2, Receipts: []schema.Receipt{r}, Foreign: theft}
	}
	x.do(first(0, ""), schema.OK)
	x.do(first(1, "theft"), schema.OK)
	x.resumes("olga", 13, 0, schema.RewindUnknown)
	x.resumes("olga", 0, 0, schema.OK)
	x.resumes("otto", 0, 0, schema.OK)
	x.isHalted(false, "", 0)
	x.bookedOf(bitcoin, coin, "0", "0")
	x.is(1, schema.DepositConfirming, 0)
	x.do(first(0, "theft"), schema.OK)
	x.isHalted(true, "", 0)
	x.resumes("olga", 0, 0, schema.OK)
	x.resumes("otto", 0, 0, schema.OK)
	x.isHalted(false, "", 0)
	x.block(20, 0, 0, schema.Receipt{ID: "a", Asset: coin, Amount: fixed.MustParse("1"), Own: schema.Hot})
	x.is(1, schema.DepositConfirming, 20)
}

// TestAnOutputIsOfOneAsset: once its deposit is forgotten too.
func TestAnOutputIsOfOneAsset(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "3", 1))
	for height := uint64(11); height <= 11+remembered; height++ {
		x.block(height, 0, 0)
	}
	if _, known := x.Deposit(1); known {
		t.Fatal("the deposit is not forgotten")
	}
	height, parent := x.Cursor(bitcoin)
	again := schema.Receipt{ID: "a", Asset: toy, Amount: fixed.MustParse("1"), Index: 1}
	x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{again}}, schema.BlockInvalid)
}

// TestWhatAPayoutMakesIsNobodysDeposit, and a coin that a payout waits for comes back as what it was.
func TestWhatAPayoutMakesIsNobodysDeposit(t *testing.T) {
	x := paying(t)
	x.do(batch(), schema.OK)
	block := func(r schema.Receipt) *schema.ChainBlock {
		height, parent := x.Cursor(bitcoin)
		return &schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 7), Parent: parent, Receipts: []schema.Receipt{r}}
	}
	x.refuses(block(receipt("t0:2", "1.4", 0)), schema.BlockInvalid)
	x.do(block(receipt("t00:2", "1.4", 0)), schema.OK)

	x.rewound(9, 0) // a is in no block, and the payout waits for it
	other := receipt("a", "3", 1)
	other.Asset = toy
	x.refuses(block(other), schema.BlockInvalid)
	x.do(block(receipt("a", "3", 1)), schema.OK)
}
