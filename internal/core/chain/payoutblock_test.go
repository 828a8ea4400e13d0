package chain

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// sentOff is paying with the batch planned and signed.
func sentOff(t *testing.T) *exchange {
	t.Helper()
	x := paying(t)
	x.do(batch(), schema.OK)
	x.signed(1, 0)
	return x
}

func (x *exchange) etherRewound(height uint64) {
	x.t.Helper()
	x.do(&schema.ChainRewind{Chain: ether, Height: height, Hash: hash(height, 0)}, schema.OK)
}

func TestABatchIsPaidAndBooked(t *testing.T) {
	x := sentOff(t)
	x.bookedOf(bitcoin, coin, "6", "6")
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.tells("1 mined at 14 by 1 t0", "2 mined at 14 by 1 t0", "payout 1 mined at 14 for 0.1")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 14")
	x.bookedOf(bitcoin, coin, "4.4", "6")
	if of, c, known := x.Coin(bitcoin, "t0:2"); !known || of != coin || c.Own != 2 || c.Index != 0 {
		t.Errorf("%+v", c)
	}
	if _, _, known := x.Coin(bitcoin, "a"); known {
		t.Error("a coin is there that was spent")
	}
	x.has(schema.House, schema.Main, "0", "0")
	x.blocks(bitcoin, 0, 1)
	x.tells()
	x.blocks(bitcoin, 0, 1)
	x.tells("1 done at 14 by 1 t0", "2 done at 14 by 1 t0")
	x.has(schema.House, schema.Main, "-0.1", "0") // nobody gave it anything
	x.has(schema.Custody, schema.Main, "-4.4", "0")
	x.has(alice, schema.Main, "3.5", "0")
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
	x.blocks(bitcoin, 0, 98) // the first block that can be rewound to is 14
	if _, known := x.Payout(1); known {
		t.Error("a payout is kept whose block cannot be rewound")
	}
	if _, _, known := x.PayoutOf(bitcoin, "t0"); known || x.holdings.At(1).ID == "a" {
		t.Error("something is kept of a payout that is over")
	}
	x.refuses(&schema.SignPayout{Payout: 1, Tx: "t0", Raw: []byte("raw")}, schema.PayoutUnknown)
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
}

// TestNoCoinIsOverlooked: links ask for a coin only if one may have its prefix, so that must be so for as long as there is one that can be
// spent or come back, however many others have the same, and no longer.
func TestNoCoinIsOverlooked(t *testing.T) {
	x := sentOff(t)
	seen := func(when string, want ...uint64) {
		t.Helper()
		for _, prefix := range []uint64{0, 0xa, 0xb, 0xc, 0xd} {
			if is := x.MayBeCoin(bitcoin, prefix); is != slices.Contains(want, prefix) {
				t.Errorf("%s: there may be a coin %x: %v", when, prefix, is)
			}
		}
		if err := x.Verify(); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	seen("before", 0xa, 0xb, 0xc)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	seen("mined: a can come back, and t0:2 has no digits", 0, 0xa, 0xb, 0xc)
	x.rewound(13, 0)
	seen("rewound", 0xa, 0xb, 0xc)
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 1, 100)
	seen("over", 0, 0xb, 0xc)

	// Two outputs of one transaction, and a name that only begins as theirs: one goes after the other.
	const tx = "000000000000000d1111111111111111"
	height, _ := x.Cursor(bitcoin)
	for i, id := range []string{tx + ":0", tx + ":1", "000000000000000d2"} {
		at := height + uint64(i) + 1
		x.do(&schema.ChainBlock{
			Chain: bitcoin, Height: at, Hash: hash(at, 1), Parent: hash(at-1, 1), Receipts: []schema.Receipt{receipt(id, "1", 1)},
		}, schema.OK)
	}
	seen("three of one prefix", 0, 0xb, 0xc, 0xd)
	for above := uint64(2); above > 0; above-- {
		x.rewound(height+above, 1)
		seen("fewer of one prefix", 0, 0xb, 0xc, 0xd)
	}
	x.rewound(height, 1)
	seen("none of that prefix", 0, 0xb, 0xc)
	x.chains[bitcoin-1].prefixes[0xe]++
	if err := x.Verify(); err == nil {
		t.Error("a prefix of no coin is not seen")
	}
}

func TestAVariantIsMinedInsteadOfTheFirst(t *testing.T) {
	x := sentOff(t)
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.3") }), schema.OK)
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(1, 1)) // it is not signed
	x.signed(1, 1)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.tells("1 mined at 14 by 1 t1", "2 mined at 14 by 1 t1", "payout 1 mined at 14 for 0.2")
	x.owns(bitcoin, coin, "b: 2 at 10", "t1:2: 2.3 at 14")
	x.blocks(bitcoin, 0, 2)
	x.has(schema.House, schema.Main, "-0.2", "0")

	// Deeper than it was booked; then the first one is in a block, and what is booked is what it costs.
	x.rewound(13, 0)
	x.tells("1 done at 0 by 1 t1", "2 done at 0 by 1 t1", "payout 1 sent at 0 for 0")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10")
	x.bookedOf(bitcoin, coin, "6", "4.3")
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.tells("1 done at 14 by 1 t0", "2 done at 14 by 1 t0", "payout 1 mined at 14 for 0.1")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 14")
	x.has(schema.House, schema.Main, "-0.2", "0")
	x.refuses(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, "t2", nil, []string{"c"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("0.9")}
	}), schema.CoinUnavailable) // a variant that is not mined reserves it still
	x.blocks(bitcoin, 1, 2)
	x.tells()
	x.has(schema.House, schema.Main, "-0.1", "0")
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
	x.blocks(bitcoin, 1, 98)
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, "t2", nil, []string{"c"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("0.9")}
	}), schema.OK) // it is free
}

func TestARewoundPayoutIsMinedAgain(t *testing.T) {
	x := sentOff(t)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	// The change is spent by the next payout, in the same block as something else comes.
	x.blocks(bitcoin, 0, 2)
	second := batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, "t2", nil, []string{"t0:2"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("1.3")}
	})
	x.do(second, schema.OK)
	x.signed(2, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(2, 0))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t2:0: 1.3 at 17")
	x.rewound(13, 0)
	x.tells("payout 2 sent at 0 for 0", "1 done at 0 by 1 t0", "2 done at 0 by 1 t0", "payout 1 sent at 0 for 0")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	x.bookedOf(bitcoin, coin, "6", "4.4")
	x.mined(bitcoin, 1, schema.BlockInvalid, x.result(2, 0)) // its coin is in no block
	x.mined(bitcoin, 1, schema.BlockInvalid, x.result(2, 0), x.result(1, 0))
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0), x.result(2, 0)) // it is, before
	x.tells("1 done at 14 by 1 t0", "2 done at 14 by 1 t0", "payout 1 mined at 14 for 0.1", "payout 2 mined at 14 for 0.1")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t2:0: 1.3 at 14")
	x.rewound(13, 0)
	x.tells("payout 2 sent at 0 for 0", "1 done at 0 by 1 t0", "2 done at 0 by 1 t0", "payout 1 sent at 0 for 0")
	x.mined(bitcoin, 2, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 2, 2)
	x.has(schema.House, schema.Main, "-0.1", "0") // once
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
}

// A payout whose own coins were rewound waits for them.
func TestCoinsThatAreReservedComeBack(t *testing.T) {
	x := sentOff(t)
	x.rewound(9, 0)
	x.owns(bitcoin, coin, "a: 3 at 0")
	x.bookedOf(bitcoin, coin, "0", "6")
	x.refuses(bump(), schema.CoinUnavailable)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Results: []schema.PayoutResult{x.result(1, 0)}}, schema.BlockInvalid)
	x.do(&schema.ChainBlock{
		Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("a", "2", 1)}, Results: []schema.PayoutResult{x.result(1, 0)},
	}, schema.BlockInvalid) // it is not worth what it was
	x.do(&schema.ChainBlock{
		Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("a", "3", 1), receipt("t0:2", "1", 1)}, Results: []schema.PayoutResult{x.result(1, 0)},
	}, schema.BlockInvalid) // the change is no receipt
	x.do(&schema.ChainBlock{
		Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("a", "3", 1)}, Results: []schema.PayoutResult{x.result(1, 0)},
	}, schema.OK)
	x.owns(bitcoin, coin, "t0:2: 1.4 at 10")
	x.bookedOf(bitcoin, coin, "1.4", "6")
	x.rewound(9, 0)
	x.owns(bitcoin, coin, "a: 3 at 0")
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 2), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("a", "2", 1)}}, schema.OK)
	x.owns(bitcoin, coin, "a: 2 at 10")
	x.refuses(bump(), schema.PayoutInvalid) // the coin is less
}

func TestOperatorsGiveAPayoutUp(t *testing.T) {
	x := sentOff(t)
	x.abandons("ann", 1, false, schema.OK)
	x.do(surrender(), schema.OK)
	x.signed(1, 1)
	x.tells("payout 1 sent at 0 for 0")
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.tells("payout 1 mined at 14 for 0.2")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t1:0: 2.8 at 14")
	x.blocks(bitcoin, 0, 99)
	x.left(1, schema.WithdrawalSent, 1)
	x.has(schema.House, schema.Main, "-0.2", "0")
	x.blocks(bitcoin, 0, 1)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ")
	if w := x.left(1, schema.WithdrawalReview, 0); w.Needed != 1 || w.Approver != "" || w.Tx != "" {
		t.Errorf("%+v", w)
	}
	x.bookedOf(bitcoin, coin, "5.8", "5.8")
	x.has(alice, schema.Main, "3.5", "0")
	x.as("ann", 1, schema.ApproveWithdrawal, schema.OK)
	x.as("ann", 2, schema.CancelWithdrawal, schema.OK)
	x.has(alice, schema.Main, "4", "0")
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, []schema.WithdrawalID{1}, []string{"t1:0"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("1.7")}
	}), schema.OK) // and t0 can be a transaction again
	x.left(1, schema.WithdrawalPlanned, 2)
}

func TestTheFirstVariantIsMinedAfterGivingUp(t *testing.T) {
	x := sentOff(t)
	x.abandons("ann", 1, false, schema.OK)
	x.do(surrender(), schema.OK)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.tells("1 mined at 14 by 1 t0", "2 mined at 14 by 1 t0", "payout 1 mined at 14 for 0.1")
	x.blocks(bitcoin, 0, 100)
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
}

func TestTwoOperatorsHoldAPayoutToBeDead(t *testing.T) {
	x := paying(t)
	x.do(batch(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.4") }), schema.OK)
	x.signed(1, 0)
	x.rewound(9, 0)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("c", "1", 0)}}, schema.OK)
	x.blocks(bitcoin, 1, 98)
	x.abandons("ann", 1, true, schema.PayoutDecided) // 108 is not yet 100 blocks after 9
	x.blocks(bitcoin, 1, 1)
	x.abandons("ann", 1, true, schema.OK)
	x.tells("payout 1 sent at 0 for 0")
	if p, _ := x.Payout(1); p.Approver != "ann" {
		t.Errorf("%q said so first", p.Approver)
	}
	x.abandons("ann", 1, true, schema.ApprovedBefore)
	x.owns(bitcoin, coin, "a: 3 at 0", "c: 1 at 10")
	x.abandons("ben", 1, true, schema.OK)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ", "payout 1 dead at 0 for 0")
	x.owns(bitcoin, coin, "c: 1 at 10")
	if _, known := x.Payout(1); known {
		t.Error("it is kept")
	}
	if w := x.left(2, schema.WithdrawalReview, 0); w.Needed != 1 || w.Approver != "" || w.Tx != "" {
		t.Errorf("%+v", w)
	}
	x.abandons("ben", 1, true, schema.PayoutUnknown)
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, nil, []string{"c"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("0.9")}
	}), schema.OK)
}

// What was final stays final, and what was booked for a dead payout is not paid.
func TestADeadPayoutThatWasFinal(t *testing.T) {
	x := sentOff(t)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 2)
	x.has(schema.House, schema.Main, "-0.1", "0")
	x.rewound(9, 0)
	x.bookedOf(bitcoin, coin, "0", "4.4")
	x.blocks(bitcoin, 1, 101)
	x.abandons("ann", 1, true, schema.OK)
	x.abandons("ben", 1, true, schema.OK)
	x.tells("payout 1 dead at 0 for 0")
	x.left(1, schema.WithdrawalDone, 1)
	x.owns(bitcoin, coin)
	x.bookedOf(bitcoin, coin, "0", "-1.5") // what is gone was lost, and 1.5 are booked that were never sent
	x.has(schema.House, schema.Main, "-5", "0")
}

func TestATokenIsPaid(t *testing.T) {
	x := paying(t)
	x.do(token(), schema.OK)
	x.tells("3 planned at 0 by 1 ", "payout 1 planned at 0 for 0")
	x.signed(1, 0)
	paid := x.result(1, 0)
	for _, edit := range []func(*schema.PayoutResult){
		func(r *schema.PayoutResult) { r.Fee = fixed.Zero },
		func(r *schema.PayoutResult) { r.Fee = fixed.MustParse("0.500000001") },
		func(r *schema.PayoutResult) { r.Payout = 2 },
		func(r *schema.PayoutResult) { r.Variant = 1 },
	} {
		r := paid
		edit(&r)
		x.mined(ether, 0, schema.BlockInvalid, r)
	}
	x.mined(ether, 0, schema.BlockInvalid, paid, paid)
	paid.Fee = fixed.MustParse("0.3")
	x.mined(ether, 0, schema.OK, paid)
	x.tells("3 mined at 14 by 1 0x1.0", "payout 1 mined at 14 for 0.3")
	x.owns(ether, gas, "own 1: 4.7 at 0")
	x.owns(ether, dollar, "address 1: 50 at 0", "own 1: 80 at 0")
	if got := x.Available(ether, gas, 0, schema.Hot); got != fixed.MustParse("4.7") {
		t.Errorf("%s is available", got)
	}
	x.blocks(ether, 0, 2)
	x.tells("3 done at 14 by 1 0x1.0")
	x.bookedOf(ether, gas, "4.7", "4.7")
	x.bookedOf(ether, dollar, "130", "130")
	house := x.ledger.Available(x.ledger.Find(schema.House, schema.Main, gas))
	if house != fixed.MustParse("-0.3") {
		t.Errorf("the house has %s", house)
	}
	x.etherRewound(13)
	x.tells("3 done at 0 by 1 0x1.0", "payout 1 sent at 0 for 0")
	x.owns(ether, gas, "own 1: 5 at 0")
	x.owns(ether, dollar, "address 1: 50 at 0", "own 1: 100 at 0")
	paid.Fee = fixed.MustParse("0.4") // it costs something else in another block
	x.mined(ether, 1, schema.OK, paid)
	x.blocks(ether, 1, 2)
	x.bookedOf(ether, gas, "4.6", "4.6")
	x.blocks(ether, 1, 98)
	if n := x.NextNonce(ether, 0, schema.Hot); n != 1 {
		t.Errorf("the next nonce is %d after the payout is over", n)
	}
}

func TestAFailedPayoutIsReviewed(t *testing.T) {
	x := paying(t)
	x.do(token(), schema.OK)
	x.signed(1, 0)
	failed := x.result(1, 0)
	failed.Failed = true
	x.mined(ether, 0, schema.OK, failed)
	x.tells("payout 1 failed at 14 for 0.5")
	x.owns(ether, gas, "own 1: 4.5 at 0")
	x.owns(ether, dollar, "address 1: 50 at 0", "own 1: 100 at 0")
	x.left(3, schema.WithdrawalSent, 1)
	x.etherRewound(13)
	x.tells("payout 1 sent at 0 for 0")
	x.owns(ether, gas, "own 1: 5 at 0")
	x.mined(ether, 1, schema.OK, failed)
	x.blocks(ether, 1, 99)
	x.tells()
	x.left(3, schema.WithdrawalSent, 1)
	x.blocks(ether, 1, 1)
	x.tells("3 review at 0 by 0 ")
	x.bookedOf(ether, gas, "4.5", "4.5")
	x.bookedOf(ether, dollar, "150", "150")
	x.mined(bitcoin, 0, schema.BlockInvalid, failed)
}

func TestAnEVMPayoutIsGivenUp(t *testing.T) {
	x := paying(t)
	x.do(token(), schema.OK)
	x.signed(1, 0)
	up := token(func(c *schema.PlanPayout) {
		c.Asset, c.Withdrawals, c.Outputs, c.Fee = gas, nil, []schema.OwnOutput{{Own: schema.Hot}}, fixed.One
	})
	x.refuses(up, schema.PayoutInvalid)
	x.abandons("ann", 1, false, schema.OK)
	x.refuses(token(func(c *schema.PlanPayout) { c.Fee = fixed.One }), schema.PayoutInvalid)
	wrong := *up
	wrong.Asset = dollar
	x.refuses(&wrong, schema.PayoutInvalid)
	wrong = *up
	wrong.Outputs = []schema.OwnOutput{{Own: schema.Hot, Amount: fixed.One}}
	x.refuses(&wrong, schema.PayoutInvalid)
	x.do(up, schema.OK)
	x.signed(1, 1)
	x.mined(ether, 0, schema.OK, x.result(1, 1))
	x.tells("payout 1 mined at 14 for 1")
	x.owns(ether, gas, "own 1: 4 at 0")
	x.owns(ether, dollar, "address 1: 50 at 0", "own 1: 100 at 0")
	x.blocks(ether, 0, 100)
	x.tells("3 review at 0 by 0 ")
}

// Gas goes to the address of a customer, and then what is there is collected.
func TestAddressesAreSwept(t *testing.T) {
	x := paying(t)
	x.do(top(), schema.OK)
	x.signed(1, 0)
	x.refuses(sweep(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.CoinUnavailable)
	x.mined(ether, 0, schema.OK, x.result(1, 0))
	x.tells("payout 1 mined at 14 for 0.5")
	x.owns(ether, gas, "address 1: 1 at 0", "own 1: 3.5 at 0")
	x.bookedOf(ether, gas, "4.5", "5")
	x.do(sweep(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
	x.signed(2, 0)
	if got := x.Available(ether, dollar, 1, 0); !got.IsZero() {
		t.Errorf("%s is available", got)
	}
	x.mined(ether, 0, schema.OK, x.result(2, 0))
	x.owns(ether, gas, "address 1: 0.5 at 0", "own 1: 3.5 at 0")
	x.owns(ether, dollar, "own 1: 150 at 0")
	x.bookedOf(ether, dollar, "150", "150")
	x.etherRewound(9) // all of it
	x.tells("payout 2 sent at 0 for 0", "payout 1 sent at 0 for 0")
	x.owns(ether, gas)
	x.owns(ether, dollar)
	x.mined(ether, 1, schema.BlockInvalid, x.result(1, 0))
	x.do(&schema.ChainBlock{
		Chain: ether, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0),
		Receipts: []schema.Receipt{funds("e", gas, "5", 0), funds("f", dollar, "100", 0), funds("g", dollar, "50", 1)},
		Results:  []schema.PayoutResult{x.result(1, 0), x.result(2, 0)},
	}, schema.OK)
	x.owns(ether, gas, "address 1: 0.5 at 0", "own 1: 3.5 at 0")
	x.owns(ether, dollar, "own 1: 150 at 0")
	x.blocks(ether, 1, 2)
	x.bookedOf(ether, gas, "4", "4")
}

func TestNoncesAreMinedInOrder(t *testing.T) {
	x := paying(t)
	x.do(token(), schema.OK)
	x.do(top(func(c *schema.PlanPayout) { c.Payout, c.Nonce = 2, 1 }), schema.OK)
	x.signed(1, 0)
	x.signed(2, 0)
	x.mined(ether, 0, schema.BlockInvalid, x.result(2, 0))
	x.mined(ether, 0, schema.BlockInvalid, x.result(2, 0), x.result(1, 0))
	x.mined(ether, 0, schema.OK, x.result(1, 0), x.result(2, 0))
	x.tells("3 mined at 14 by 1 0x1.0", "payout 1 mined at 14 for 0.5", "payout 2 mined at 14 for 0.5")
}

func TestAForeignTransactionHaltsTheChain(t *testing.T) {
	x := sentOff(t)
	next := &schema.ChainBlock{Chain: bitcoin, Height: 14, Hash: hash(14, 0), Parent: hash(13, 0), Foreign: "thief", Receipts: []schema.Receipt{{}}}
	long := *next
	long.Foreign = strings.Repeat("t", schema.MaxTx+1)
	x.refuses(&long, schema.BlockInvalid)
	elsewhere := *next
	elsewhere.Parent = hash(13, 1)
	x.refuses(&elsewhere, schema.ChainElsewhere)
	x.do(next, schema.OK)
	moved := false
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.ChainMoved); is {
			moved = e.Halted && e.Height == 13
		}
	}
	if !moved || !x.Standing(bitcoin).Halted || x.out.Events.Len() != 1 {
		t.Error("the chain is not halted, or more was said")
	}
	x.refuses(bump(), schema.ChainHalted)
	x.is(1, schema.DepositCredited, 10)
}

func TestResultsThatCannotBe(t *testing.T) {
	x := sentOff(t)
	r := x.result(1, 0)
	for _, edit := range []func(*schema.ChainBlock){
		func(c *schema.ChainBlock) { c.Parts = 2 },
		func(c *schema.ChainBlock) { c.Results = make([]schema.PayoutResult, schema.MaxResults+1) },
		func(c *schema.ChainBlock) { c.Results[0].Failed = true },
		func(c *schema.ChainBlock) { c.Results[0].Fee = fixed.MustParse("0.05") },
		func(c *schema.ChainBlock) { c.Results[0].Variant = 1 },
		func(c *schema.ChainBlock) { c.Results[0].Payout = 2 },
		func(c *schema.ChainBlock) { c.Results = append(c.Results, r) },
	} {
		c := &schema.ChainBlock{Chain: bitcoin, Height: 14, Hash: hash(14, 0), Parent: hash(13, 0), Results: []schema.PayoutResult{r}}
		edit(c)
		x.refuses(c, schema.BlockInvalid)
	}
	// All receipts are seated before results, also those of earlier parts.
	x.rewound(9, 0)
	c := &schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Parts: 2, Receipts: []schema.Receipt{receipt("a", "3", 1)}}
	x.do(c, schema.OK)
	c.Part, c.Receipts, c.Results = 1, nil, []schema.PayoutResult{r}
	x.do(c, schema.OK)
	x.tells("1 mined at 10 by 1 t0", "2 mined at 10 by 1 t0", "payout 1 mined at 10 for 0.1")
	x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: 11, Hash: hash(11, 1), Parent: hash(10, 1), Results: []schema.PayoutResult{r}}, schema.BlockInvalid) // twice
}

func TestReceiptsAtAddressesOfTheExchange(t *testing.T) {
	x := paying(t)
	own := func(on schema.ChainID, own schema.OwnAddress, want schema.Reason) {
		t.Helper()
		height, parent := x.Cursor(on)
		r := funds("own", map[schema.ChainID]schema.AssetID{bitcoin: coin, ether: gas}[on], "1", 0)
		r.Own = own
		x.do(&schema.ChainBlock{Chain: on, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{r}}, want)
	}
	own(bitcoin, 0, schema.BlockInvalid)
	own(bitcoin, 2+schema.OwnAhead, schema.BlockInvalid) // nothing was planned yet
	own(ether, 2, schema.BlockInvalid)
	both := receipt("both", "1", 1)
	both.Own = schema.Hot
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 14, Hash: hash(14, 0), Parent: hash(13, 0), Receipts: []schema.Receipt{both}}, schema.BlockInvalid)
	x.do(&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: fixed.One, Own: schema.Hot}}, schema.BlockInvalid)
	x.do(batch(), schema.OK)
	own(bitcoin, 2+schema.OwnAhead, schema.OK)
	x.blocks(bitcoin, 0, 2)
	d := x.is(7, schema.DepositUncredited, 14)
	if d.Account != 0 || d.Index != 0 {
		t.Errorf("%+v", d)
	}
	x.has(schema.Suspense, schema.Main, "2", "0")
	x.rewound(13, 0)
	own(bitcoin, 1, schema.OK) // at another address it is something else
	x.is(7, schema.DepositLost, 0)
	x.is(8, schema.DepositConfirming, 14)
	x.rewound(13, 0)
	own(bitcoin, 1, schema.OK)
	x.is(8, schema.DepositConfirming, 14)
}

// A step on a payout costs what it touches, and the chain is busy until all are taken.
func TestPayoutsAreRecalledByTicks(t *testing.T) {
	x := sentOff(t)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 2)
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, "t2", nil, []string{"t0:2"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("1.3")}
	}), schema.OK)
	x.signed(2, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(2, 0))
	x.Steps = 2
	x.rewound(9, 0)
	x.tells("payout 2 sent at 0 for 0") // 1 and its coin
	x.refuses(bump(), schema.ChainBusy)
	x.bookedOf(bitcoin, coin, "4.4", "4.4")
	x.tick(1)
	x.tells("1 done at 0 by 1 t0", "2 done at 0 by 1 t0", "payout 1 sent at 0 for 0") // more than there was left
	x.bookedOf(bitcoin, coin, "6", "4.4")
	x.tick(1)
	x.says("3 uncredited at 0", "2 credited at 0")
	x.bookedOf(bitcoin, coin, "3", "4.4")
	x.tick(1)
	x.says("1 credited at 0")
	x.owns(bitcoin, coin, "a: 3 at 0", "t0:2: 1.4 at 0")
	if x.Standing(bitcoin).Busy {
		t.Error("the chain is busy")
	}
}

// A refund whose payout is given up and that is canceled then gives back what the exchange paid when the deposit was lost.
func TestARefundIsGivenUpAndCanceled(t *testing.T) {
	for name, returns := range map[string]bool{"the receipt is lost": false, "the receipt returns": true} {
		t.Run(name, func(t *testing.T) {
			x := sentBack(t)
			if returns {
				x.block(20, 1, 1, receipt("a", "4", 1))
				x.blocks(bitcoin, 1, 2)
				x.has(schema.House, schema.Main, "0", "0")
			}
			x.blocks(bitcoin, 1, 91)
			if returns { // the anchor is there: it is given up
				x.abandons("ann", 1, false, schema.OK)
				x.do(&schema.PlanPayout{
					Chain: bitcoin, Payout: 1, Asset: coin, Inputs: []string{"a"}, Fee: fixed.FromInt(2), Tx: "up", Unsigned: []byte("u"),
					Outputs: []schema.OwnOutput{{Own: 2, Amount: fixed.FromInt(2)}},
				}, schema.OK)
				x.signed(1, 1)
				x.mined(bitcoin, 1, schema.OK, x.result(1, 1))
				x.blocks(bitcoin, 1, 100)
			} else {
				x.abandons("ann", 1, true, schema.OK)
				x.abandons("ben", 1, true, schema.OK)
			}
			x.left(1, schema.WithdrawalReview, 0)
			x.has(schema.Suspense, schema.Main, "4", "0")
			x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
			x.has(schema.Suspense, schema.Main, "0", "0")
			if returns {
				x.has(schema.House, schema.Main, "-2", "0") // the fee
				x.has(alice, schema.Main, "4", "0")
			} else {
				x.has(schema.House, schema.Main, "0", "0")
				x.has(alice, schema.Main, "0", "0")
			}
		})
	}
}
