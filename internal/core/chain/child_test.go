package chain

import (
	"bytes"
	"slices"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// child is payout 2, which spends the change of the batch, t0:2 of 1.4, for 0.2.
func child(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return edited(&schema.PlanPayout{
		Chain: bitcoin, Payout: 2, Asset: coin, Inputs: []string{"t0:2"}, Outputs: []schema.OwnOutput{{Own: 3, Amount: fixed.MustParse("1.2")}},
		Fee: fixed.MustParse("0.2"), Tx: "k0", Unsigned: []byte("k"),
	}, edits)
}

// raise is a variant of the child that costs 0.5.
func raise(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return child(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Outputs[0].Amount, c.Fee, c.Tx = fixed.MustParse("0.9"), fixed.MustParse("0.5"), "k1"
	}}, edits...)...)
}

// other is a payout without withdrawals out of c, which has 0.9 left.
func other(id schema.PayoutID, tx string) *schema.PlanPayout {
	return batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = id, tx, nil, []string{"c"}, schema.OwnOutput{Own: schema.ChangeOf(id), Amount: fixed.MustParse("0.9")}
	})
}

func spendsOf(inputs ...string) func(*schema.PlanPayout) {
	return func(c *schema.PlanPayout) { c.Inputs = inputs }
}

func leaves(amount string) func(*schema.PlanPayout) {
	return func(c *schema.PlanPayout) { amountOf(c, 0, amount) }
}

// family is sentOff with a child that is signed.
func family(t *testing.T) *exchange {
	t.Helper()
	x := sentOff(t)
	x.do(child(), schema.OK)
	x.signed(2, 0)
	return x
}

func TestAChildSpendsChangeInNoBlock(t *testing.T) {
	x := sentOff(t)
	x.do(child(), schema.OK)
	x.tells("payout 2 planned at 0 for 0")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	x.bookedOf(bitcoin, coin, "6", "6")
	if x.Parent(2) != 1 || x.Parent(1) != 0 || x.Parent(3) != 0 {
		t.Errorf("parents are %d, %d and %d", x.Parent(1), x.Parent(2), x.Parent(3))
	}
	for _, list := range [][]schema.Coin{slices.Collect(x.Free(bitcoin, coin)), slices.Collect(x.Spendable(bitcoin, coin))} {
		if len(list) != 2 || list[0].ID != "b" || list[1].ID != "c" {
			t.Errorf("%+v may be spent", list)
		}
	}
	if of, c, known := x.Coin(bitcoin, "t0:2"); !known || of != coin || c != (schema.Coin{ID: "t0:2", Amount: fixed.MustParse("1.4"), Own: 2}) {
		t.Errorf("%+v", c)
	}
	x.signed(2, 0)
	x.tells("payout 2 sent at 0 for 0")
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(2, 0))
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(2, 0), x.result(1, 0))
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0), x.result(2, 0))
	x.tells("1 mined at 14 by 1 t0", "2 mined at 14 by 1 t0", "payout 1 mined at 14 for 0.1", "payout 2 mined at 14 for 0.2")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "k0:0: 1.2 at 14")
	x.bookedOf(bitcoin, coin, "4.2", "6")
	x.blocks(bitcoin, 0, 2)
	x.houseHas(coin, "-0.3")
	x.bookedOf(bitcoin, coin, "4.2", "4.2")

	// Rewound: both are in no block, and what was booked is given back once they cost something else.
	x.rewound(13, 0)
	x.tells("payout 2 sent at 0 for 0", "1 done at 0 by 1 t0", "2 done at 0 by 1 t0", "payout 1 sent at 0 for 0")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 14")
	x.bookedOf(bitcoin, coin, "4.4", "4.2")
	x.mined(bitcoin, 1, schema.OK, x.result(2, 0))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "k0:0: 1.2 at 15")

	// One after the other: its block, then that of its parent.
	x.rewound(14, 1)
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 14")
	x.rewound(13, 0)
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	x.mined(bitcoin, 2, schema.BlockInvalid, x.result(2, 0))
	x.mined(bitcoin, 2, schema.OK, x.result(1, 0), x.result(2, 0))
	x.blocks(bitcoin, 2, 100)
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "k0:0: 1.2 at 14")
	x.bookedOf(bitcoin, coin, "4.2", "4.2")
	x.houseHas(coin, "-0.3")
	if ch := x.find(bitcoin); len(ch.payouts) != 0 || len(ch.holdings) != 3 || len(ch.txs) != 0 {
		t.Errorf("%d payouts, %d coins and %d transactions are kept", len(ch.payouts), len(ch.holdings), len(ch.txs))
	}
}

func TestPlansOfChildrenAreRefused(t *testing.T) {
	divided := func(x *exchange) *exchange {
		x.do(batch(divides(2)), schema.OK) // t0:2 and t0:3, 0.7 each
		x.signed(1, 0)
		return x
	}
	half := func(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
		return child(append([]func(*schema.PlanPayout){leaves("0.5")}, edits...)...)
	}
	whole := func(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
		return child(append([]func(*schema.PlanPayout){spendsOf("t0:2", "t0:3")}, edits...)...)
	}
	varied := func(x *exchange) *exchange {
		divided(x)
		x.do(bump(), schema.OK)
		x.signed(1, 1)
		return x
	}
	for _, tt := range []struct {
		name   string
		before func(*exchange) *exchange
		c      *schema.PlanPayout
		want   schema.Reason
	}{
		{"all of it", divided, whole(), schema.OK},
		{"one of two", divided, half(), schema.OK},
		{"the other one", divided, half(spendsOf("t0:3")), schema.OK},
		{"of a later variant", varied, child(spendsOf("t1:2"), leaves("1.1")), schema.OK},
		{"of the first where there is a later one", varied, half(), schema.OK},
		{"of one that gives up", func(x *exchange) *exchange {
			divided(x)
			x.abandons("ann", 1, false, schema.OK)
			x.do(surrender(), schema.OK)
			x.signed(1, 1)
			return x
		}, child(spendsOf("t1:0"), leaves("2.6")), schema.OK},
		{"of one that stores", func(x *exchange) *exchange {
			x.do(store(), schema.OK)
			x.signed(1, 0)
			return x
		}, child(spendsOf("t0:1"), leaves("0.7")), schema.OK},
		{"what is stored", func(x *exchange) *exchange {
			x.do(store(), schema.OK)
			x.signed(1, 0)
			return x
		}, child(spendsOf("t0:0"), leaves("1.8")), schema.CoinUnavailable},
		{"another number", divided, half(func(c *schema.PlanPayout) { c.Payout = 3 }), schema.PayoutElsewhere},
		{"of what is not signed", func(x *exchange) *exchange { x.do(batch(divides(2)), schema.OK); return x }, half(), schema.CoinUnavailable},
		{"of a variant that is not signed", func(x *exchange) *exchange {
			divided(x)
			x.do(bump(), schema.OK)
			return x
		}, child(spendsOf("t1:2"), leaves("1.1")), schema.CoinUnavailable},
		{"what it pays to others", divided, child(spendsOf("t0:0"), leaves("0.8")), schema.CoinUnavailable},
		{"what is not there", divided, half(spendsOf("t0:4")), schema.CoinUnavailable},
		{"no output", divided, half(spendsOf("t0")), schema.CoinUnavailable},
		{"one that is not there beside", divided, half(spendsOf("t0:2", "t0:4")), schema.CoinUnavailable},
		{"of both kinds", divided, child(spendsOf("t0:2", "c"), leaves("1.5")), schema.CoinUnavailable},
		{"of both kinds, otherwise", divided, child(spendsOf("c", "t0:2"), leaves("1.5")), schema.CoinUnavailable},
		{"of two variants", varied, child(spendsOf("t0:2", "t1:2"), leaves("1.8")), schema.CoinUnavailable},
		{"of two payouts", func(x *exchange) *exchange {
			divided(x)
			x.do(other(2, "t2"), schema.OK)
			x.signed(2, 0)
			return x
		}, child(func(c *schema.PlanPayout) { c.Payout, c.Outputs[0].Own = 3, 4 }, spendsOf("t0:2", "t2:0"), leaves("1.4")), schema.CoinUnavailable},
		{"of a child", func(x *exchange) *exchange {
			divided(x)
			x.do(half(), schema.OK)
			x.signed(2, 0)
			return x
		}, child(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }, spendsOf("k0:0"), leaves("0.3")), schema.CoinUnavailable},
		{"what another child has", func(x *exchange) *exchange {
			divided(x)
			x.do(half(), schema.OK)
			return x
		}, whole(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }), schema.CoinUnavailable},
		{"what another child has not", func(x *exchange) *exchange {
			divided(x)
			x.do(half(), schema.OK)
			return x
		}, half(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }, spendsOf("t0:3")), schema.OK},
		{"of one that is in a block", func(x *exchange) *exchange {
			divided(x)
			x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
			return x
		}, half(), schema.CoinUnavailable},
		{"of one that is in a block otherwise", func(x *exchange) *exchange {
			varied(x)
			x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
			return x
		}, half(), schema.CoinUnavailable},
		{"with withdrawals", func(x *exchange) *exchange {
			divided(x)
			x.do(asks("four", coin, "0.1"), schema.OK)
			return x
		}, half(leaves("0.4"), func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{4} }), schema.PayoutInvalid},
		{"with withdrawals that do not wait", divided, half(func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{1} }), schema.WithdrawalNotQueued},
		{"with withdrawals and a coin that is not there", func(x *exchange) *exchange {
			divided(x)
			x.do(asks("four", coin, "0.1"), schema.OK)
			return x
		}, half(spendsOf("t0:4"), func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{4} }), schema.CoinUnavailable},
		{"with two outputs", divided, whole(divides(2)), schema.PayoutInvalid},
		{"into cold storage", divided, half(func(c *schema.PlanPayout) { c.Outputs[0].Own = schema.ColdOf(2) }), schema.PayoutInvalid},
		{"to its parent's address", divided, half(func(c *schema.PlanPayout) { c.Outputs[0].Own = 2 }), schema.PayoutInvalid},
		{"a unit too much", divided, half(leaves("0.50000001")), schema.PayoutInvalid},
		{"a unit too little", divided, half(leaves("0.49999999")), schema.PayoutInvalid},
		{"no fee", divided, half(leaves("0.7"), func(c *schema.PlanPayout) { c.Fee = fixed.Zero }), schema.PayoutInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := tt.before(storing(t))
			if tt.want != schema.OK {
				x.refuses(tt.c, tt.want)
				return
			}
			x.do(tt.c, schema.OK)
			if x.Parent(tt.c.Payout) != 1 {
				t.Errorf("it is the child of payout %d", x.Parent(tt.c.Payout))
			}
		})
	}
}

// TestTheHouseBearsChildrenToo, beside their parents.
func TestTheHouseBearsChildrenToo(t *testing.T) {
	x := sentOff(t)
	house := x.ledger.Open(schema.House, schema.Main, coin)
	x.ledger.Move(house, x.ledger.Open(schema.Fees, schema.Main, coin), ledger.Limit.Sub(fixed.MustParse("0.25")), byDeposit)
	x.refuses(child(), schema.PayoutInvalid)
	x.do(child(leaves("1.25"), func(c *schema.PlanPayout) { c.Fee = fixed.MustParse("0.15") }), schema.OK)
	x.refuses(child(func(c *schema.PlanPayout) { c.Tx = "k1" }), schema.PayoutInvalid) // a variant
}

func TestVariantsOfAChild(t *testing.T) {
	with := func(inputs []string, left string) *schema.PlanPayout { return raise(spendsOf(inputs...), leaves(left)) }
	divided := func(t *testing.T) *exchange {
		x := paying(t)
		x.do(batch(divides(2)), schema.OK)
		x.signed(1, 0)
		x.do(child(leaves("0.5")), schema.OK)
		x.signed(2, 0)
		return x
	}
	for _, tt := range []struct {
		name   string
		before func(*exchange)
		c      *schema.PlanPayout
		want   schema.Reason
	}{
		{"what it has", func(*exchange) {}, with([]string{"t0:2"}, "0.2"), schema.OK},
		{"divided", func(*exchange) {}, raise(leaves("0.2"), divides(2)), schema.OK},
		{"another coin beside", func(*exchange) {}, with([]string{"t0:2", "c"}, "1.2"), schema.OK},
		{"another anchor", func(*exchange) {}, with([]string{"c", "t0:2"}, "1.2"), schema.PayoutInvalid},
		{"more change of its parent", func(*exchange) {}, with([]string{"t0:2", "t0:3"}, "0.9"), schema.CoinUnavailable},
		{"nothing less in its place", func(*exchange) {}, with([]string{"t0:2"}, "0.3"), schema.PayoutInvalid},
		{"its parent in a block", func(x *exchange) { x.mined(bitcoin, 0, schema.OK, x.result(1, 0)) }, with([]string{"t0:2"}, "0.2"), schema.OK},
		{"its parent in a block otherwise", func(x *exchange) {
			x.do(bump(), schema.OK)
			x.signed(1, 1)
			x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
		}, with([]string{"t0:2"}, "0.2"), schema.CoinUnavailable},
		{"its parent rewound", func(x *exchange) {
			x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
			x.rewound(13, 0)
		}, with([]string{"t0:2"}, "0.2"), schema.OK},
		{"its parent gives up", func(x *exchange) { x.abandons("ann", 1, false, schema.OK) }, with([]string{"t0:2"}, "0.2"), schema.OK},
		{"it gives up itself", func(x *exchange) { x.abandons("ann", 2, false, schema.OK) }, with([]string{"t0:2"}, "0.2"), schema.OK},
		{"it gives up itself, divided", func(x *exchange) { x.abandons("ann", 2, false, schema.OK) }, raise(leaves("0.2"), divides(2)), schema.PayoutInvalid},
		{"itself in a block", func(x *exchange) { x.mined(bitcoin, 0, schema.OK, x.result(1, 0), x.result(2, 0)) }, with([]string{"t0:2"}, "0.2"), schema.PayoutElsewhere},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := divided(t)
			tt.before(x)
			if tt.want != schema.OK {
				x.refuses(tt.c, tt.want)
				return
			}
			x.do(tt.c, schema.OK)
			x.signed(2, 1)
			if p, _ := x.Payout(1); p.Height == 0 {
				x.mined(bitcoin, 3, schema.OK, x.result(1, 0), x.result(2, 1))
			} else {
				x.mined(bitcoin, 3, schema.OK, x.result(2, 1))
			}
		})
	}
}

// TestACoinThatAChildAddedAndThatWasRewound is unavailable to it, as to all payouts: only its parent's change waits for a block with it.
func TestACoinThatAChildAddedAndThatWasRewound(t *testing.T) {
	x := paying(t)
	x.block(14, 0, 0, receipt("late", "1", 0))
	x.blocks(bitcoin, 0, 2)
	x.do(batch(), schema.OK)
	x.signed(1, 0)
	x.do(child(), schema.OK)
	x.do(raise(spendsOf("t0:2", "late"), leaves("1.9")), schema.OK)
	x.signed(2, 1)
	x.rewound(13, 0)
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "late: 1 at 0", "t0:2: 1.4 at 0")
	third := func(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
		return raise(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) { c.Fee, c.Tx = fixed.MustParse("0.6"), "k2" }}, edits...)...)
	}
	x.refuses(third(spendsOf("t0:2", "late"), leaves("1.8")), schema.CoinUnavailable)
	x.do(third(leaves("0.8")), schema.OK)
	x.mined(bitcoin, 1, schema.BlockInvalid, x.result(1, 0), x.result(2, 1))
}

// TestAPayoutOfChangeThatWasRewoundIsNoChild: its coin was in a block when it was planned, so it waits for people, as it always did.
func TestAPayoutOfChangeThatWasRewoundIsNoChild(t *testing.T) {
	x := sentOff(t)
	x.do(bump(), schema.OK)
	x.signed(1, 1)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 2)
	x.do(child(), schema.OK) // the same plan, of a coin that is deep enough
	x.signed(2, 0)
	if x.Parent(2) != 0 {
		t.Errorf("it is the child of payout %d", x.Parent(2))
	}
	x.rewound(13, 0)
	x.refuses(raise(), schema.CoinUnavailable)
	x.refuses(child(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }), schema.CoinUnavailable) // it has the coin still
	x.mined(bitcoin, 1, schema.OK, x.result(1, 1))
	x.blocks(bitcoin, 1, 100)
	if _, known := x.Payout(2); !known || x.out.Events.Len() != 1 {
		t.Error("it is over with the payout whose change it spends")
	}
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0", "t1:2: 1.3 at 14")
}

// Without its parent: a child whose coins can come into no block any more is over with the step that says so.

func TestAChildOfAVariantThatWasReplaced(t *testing.T) {
	x := family(t)
	x.do(raise(spendsOf("t0:2", "c"), leaves("1.9")), schema.OK)
	x.do(bump(), schema.OK)
	x.signed(1, 1)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0", "t1:2: 1.3 at 14")
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(2, 0))
	x.rewound(13, 0) // the other variant may still be mined
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0), x.result(2, 0))
	x.blocks(bitcoin, 1, 2)
	x.houseHas(coin, "-0.3")
	x.rewound(13, 0)
	x.mined(bitcoin, 2, schema.OK, x.result(1, 1))
	x.blocks(bitcoin, 2, 99)
	x.houseHas(coin, "-0.4") // the child may still be mined, for all that the exchange knows
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0", "t1:2: 1.3 at 14")
	x.blocks(bitcoin, 2, 1)
	x.tells("payout 2 dead at 0 for 0")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t1:2: 1.3 at 14")
	x.bookedOf(bitcoin, coin, "4.3", "4.3")
	x.houseHas(coin, "-0.2") // what the parent cost
	if n := len(slices.Collect(x.Free(bitcoin, coin))); n != 3 {
		t.Errorf("%d coins are free", n)
	}
	x.refuses(&schema.SignPayout{Payout: 2, Variant: 1, Tx: "k1", Raw: []byte("raw")}, schema.PayoutUnknown)
	x.block(115, 2, 2, receipt("t0:2", "1.4", 0)) // whatever it is, it is nobody's change now
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 115", "t1:2: 1.3 at 14")
}

func TestAChildOfAParentThatGaveUp(t *testing.T) {
	x := family(t)
	x.abandons("ann", 1, false, schema.OK)
	x.do(surrender(), schema.OK)
	x.signed(1, 1)
	x.do(child(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }, spendsOf("t1:0"), leaves("2.6")), schema.OK)
	x.signed(3, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.blocks(bitcoin, 0, 100)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ", "payout 2 dead at 0 for 0")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t1:0: 2.8 at 14")
	if p, known := x.Payout(3); !known || p.Status != schema.PayoutSent || x.Parent(3) != 1 {
		t.Errorf("%+v", p)
	}
	x.mined(bitcoin, 0, schema.OK, x.result(3, 0)) // also when its parent is forgotten
	x.rewound(114, 0)
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t1:0: 2.8 at 14")
}

func TestChildrenOfAParentThatIsHeldToBeDead(t *testing.T) {
	x := paying(t)
	x.do(batch(divides(2)), schema.OK)
	x.signed(1, 0)
	x.do(bump(), schema.OK)
	x.signed(1, 1)
	x.do(child(leaves("0.5")), schema.OK)
	x.signed(2, 0)
	x.do(raise(spendsOf("t0:2", "c"), leaves("1.2")), schema.OK)
	x.do(child(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }, spendsOf("t1:2"), leaves("1.1")), schema.OK)
	x.rewound(9, 0)
	x.owns(bitcoin, coin, "a: 3 at 0", "c: 1 at 0", "t0:2: 0.7 at 0", "t1:2: 1.3 at 0")
	x.abandons("ann", 1, true, schema.PayoutDecided)
	height, parent := x.Cursor(bitcoin)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 1), Parent: parent, Receipts: []schema.Receipt{receipt("c", "1", 0)}}, schema.OK)
	x.blocks(bitcoin, 1, 99)
	x.abandons("ann", 1, true, schema.OK)
	x.abandons("ben", 1, true, schema.OK)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ", "payout 1 dead at 0 for 0", "payout 2 dead at 0 for 0", "payout 3 dead at 0 for 0")
	x.owns(bitcoin, coin, "c: 1 at 10")
	if list := slices.Collect(x.Free(bitcoin, coin)); len(list) != 1 || len(x.find(bitcoin).holdings) != 1 {
		t.Errorf("%+v are free", list)
	}
}

func TestAChildOfAParentWhoseAnchorWasStolen(t *testing.T) {
	x := family(t)
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("theft", "t0:2")) // it is in no block
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a"))
	x.blocks(bitcoin, 0, 99)
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	x.blocks(bitcoin, 0, 1)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ", "payout 1 dead at 0 for 0", "payout 2 dead at 0 for 0")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10")
	x.houseHas(coin, "-3")
}

// TestChangeOfAParentThatWasStolen: the child is over if it was its anchor, and goes on without it otherwise.
func TestChangeOfAParentThatWasStolen(t *testing.T) {
	x := paying(t)
	x.do(batch(divides(2)), schema.OK)
	x.signed(1, 0)
	x.do(child(spendsOf("t0:2", "t0:3")), schema.OK)
	x.signed(2, 0)
	x.do(raise(leaves("0.2")), schema.OK)
	x.signed(2, 1)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "t0:3"))
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(2, 0))
	x.rewound(13, 0)
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 0.7 at 0", "t0:3: 0.7 at 0")
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.spent(bitcoin, 1, schema.OK, stolen("theft", "t0:3"))
	x.blocks(bitcoin, 1, 100)
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 0.7 at 14", "t0:3: 0.7 at 0")
	x.refuses(raise(spendsOf("t0:2", "t0:3"), leaves("0.8"), func(c *schema.PlanPayout) { c.Fee, c.Tx = fixed.MustParse("0.6"), "k2" }), schema.CoinUnavailable)
	x.adopts(bitcoin, "more")
	x.spent(bitcoin, 1, schema.OK, stolen("more", "t0:2"))
	x.blocks(bitcoin, 1, 100)
	x.tells("payout 2 dead at 0 for 0")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10")
}

// TestAChildThatIsHeldToBeDead leaves its parent alone, whose change is free when that is mined after all.
func TestAChildThatIsHeldToBeDead(t *testing.T) {
	x := family(t)
	x.blocks(bitcoin, 0, 99)
	x.abandons("ann", 2, true, schema.PayoutDecided)
	x.blocks(bitcoin, 0, 1)
	x.abandons("ann", 1, true, schema.PayoutDecided) // its own anchor is in a block
	x.abandons("ann", 2, true, schema.OK)
	x.abandons("ann", 2, true, schema.ApprovedBefore)
	x.abandons("ben", 2, true, schema.OK)
	x.tells("payout 2 dead at 0 for 0")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10")
	x.do(child(func(c *schema.PlanPayout) { c.Payout, c.Tx, c.Outputs[0].Own = 3, "k2", 4 }), schema.OK) // another one
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 114")
	x.abandons("ann", 3, true, schema.PayoutDecided)
}

// TestTheWindowOfAChildBeginsWhenItsParentIsRewound, again.
func TestTheWindowOfAChildBeginsWhenItsParentIsRewound(t *testing.T) {
	x := family(t)
	x.blocks(bitcoin, 0, 60)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 39)
	x.rewound(73, 0)
	x.blocks(bitcoin, 1, 99)
	x.abandons("ann", 2, true, schema.PayoutDecided)
	x.blocks(bitcoin, 1, 1)
	x.abandons("ann", 2, true, schema.OK)
}

// TestChangeThatAChildSpendsIsNoReceipt, whatever a link says.
func TestChangeThatAChildSpendsIsNoReceipt(t *testing.T) {
	x := family(t)
	height, parent := x.Cursor(bitcoin)
	x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{receipt("t0:2", "1.4", 0)}}, schema.BlockInvalid)
	x.by("olga", &schema.BookSurplus{Chain: bitcoin, Asset: coin, Coin: "t0:2", Amount: fixed.MustParse("1.4"), Own: schema.Hot}, schema.SurplusInvalid)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	height, parent = x.Cursor(bitcoin)
	x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{receipt("t0:2", "1.4", 0)}}, schema.BlockInvalid)
}

// TestADepositWithTheNameOfAnOutput, which cannot be: a plan that names its transaction so later is of no child while it is in a block.
func TestADepositWithTheNameOfAnOutput(t *testing.T) {
	x := paying(t)
	x.block(14, 0, 0, receipt("t0:2", "1.4", 0))
	x.do(batch(), schema.OK)
	x.signed(1, 0)
	x.refuses(child(), schema.CoinUnavailable)
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(1, 0))
	x.rewound(13, 0)
	x.do(child(), schema.OK)
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 0")
	height, parent := x.Cursor(bitcoin)
	x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 1), Parent: parent, Receipts: []schema.Receipt{receipt("t0:2", "1.4", 0)}}, schema.BlockInvalid)
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10", "t0:2: 1.4 at 14")

	x = paying(t)
	x.block(14, 0, 0, funds("t0:2", gas, "1", 0)) // an output has one asset for ever
	x.do(batch(), schema.OK)
	x.signed(1, 0)
	x.refuses(child(), schema.CoinUnavailable)
}

// TestChildrenEndInTheStepOfTheirParent, and count for its budget.
func TestChildrenEndInTheStepOfTheirParent(t *testing.T) {
	for steps, behind := range map[int]bool{7: true, 8: true, 9: false} { // 2 for the withdrawals, 4 for the parent, 2 for the child
		x := family(t)
		x.do(bump(), schema.OK)
		x.signed(1, 1)
		x.do(other(3, "t3"), schema.OK)
		x.signed(3, 0)
		x.mined(bitcoin, 0, schema.OK, x.result(1, 1), x.result(3, 0))
		x.blocks(bitcoin, 0, 99)
		x.Steps = steps
		x.blocks(bitcoin, 0, 1)
		x.tells("payout 2 dead at 0 for 0")
		if _, kept := x.Payout(3); kept != behind || x.Standing(bitcoin).Busy != behind {
			t.Errorf("%d steps: the one behind is kept: %v", steps, kept)
		}
		x.tick(1)
		if len(x.find(bitcoin).payouts) != 0 {
			t.Errorf("%d steps: %d payouts are left", steps, len(x.find(bitcoin).payouts))
		}
	}
}

// TestARestoredChildGoesOn: from whichever moment of its life a snapshot is taken, what follows is the same.
func TestARestoredChildGoesOn(t *testing.T) {
	block := func(height uint64, branch, parent byte, results ...schema.PayoutResult) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: bitcoin, Height: height, Hash: hash(height, branch), Parent: hash(height-1, parent), Results: results}
	}
	first, second := schema.PayoutResult{Payout: 1, Fee: fixed.MustParse("0.1")}, schema.PayoutResult{Payout: 2, Fee: fixed.MustParse("0.2")}
	back := &schema.ChainRewind{Chain: bitcoin, Height: 13, Hash: hash(13, 0)}
	life := []schema.Command{
		child(), &schema.SignPayout{Payout: 2, Tx: "k0", Raw: []byte("raw")}, block(14, 0, 0, first), block(15, 0, 0, second), back,
		bump(), &schema.SignPayout{Payout: 1, Variant: 1, Tx: "t1", Raw: []byte("raw")}, raise(), block(14, 1, 0, first, second), back,
		block(14, 2, 0, schema.PayoutResult{Payout: 1, Variant: 1, Fee: fixed.MustParse("0.2")}),
	}
	for height := uint64(15); height <= 114; height++ {
		life = append(life, block(height, 2, 2))
	}
	x := sentOff(t)
	var others []*exchange
	for i, c := range life {
		if i < 12 || i == len(life)-1 {
			again := build(t)
			*again.listing, *again.accounts = *x.listing, *x.accounts
			for r := range x.ledger.Records() {
				if err := again.ledger.Restore(&r); err != nil {
					t.Fatal(err)
				}
			}
			if err := (&product.Reader{Rest: x.snapshot()}).Sections(again.Chains.Sections()); err != nil {
				t.Fatal(err)
			}
			again.now = x.now
			others = append(others, again)
		}
		x.do(c, schema.OK)
		for n, again := range others {
			if again.do(c, schema.OK); !bytes.Equal(x.snapshot(), again.snapshot()) {
				t.Fatalf("command %d does something else after a restart before command %d", i, n)
			}
		}
	}
	if _, known := x.Payout(2); known {
		t.Error("it is kept")
	}
}

func TestChildrenThatCannotBeAreNotRead(t *testing.T) {
	const place = "payout 2: it stands in the wrong place, twice, or belongs to nothing that is there"
	const none = "payout 2 is no child of payout 1"
	for name, tt := range map[string]struct {
		says   string
		change func(x *exchange, parent, child *payout)
	}{
		"of itself":        {place, func(_ *exchange, _, child *payout) { child.parent = 2 }},
		"of a later one":   {place, func(_ *exchange, _, child *payout) { child.parent = 3 }},
		"with withdrawals": {place, func(_ *exchange, _, child *payout) { child.Withdrawals = []schema.WithdrawalID{3} }},
		"with two outputs": {place, func(_ *exchange, _, child *payout) {
			v := &child.Variants[0]
			v.Outputs = append(v.Outputs, v.Outputs[0])
		}},
		"into cold storage": {place, func(_ *exchange, _, child *payout) { child.Variants[0].Outputs[0].Own = schema.ColdOf(2) }},
		"with none":         {place, func(_ *exchange, _, child *payout) { child.Variants[0].Outputs = nil }},
		"of what is not signed": {none, func(_ *exchange, parent, _ *payout) {
			parent.Variants[0].Raw, parent.Variants[1].Raw = nil, []byte("raw")
		}},
		"of what there is not":   {none, func(_ *exchange, parent, _ *payout) { parent.Variants[0].Outputs = nil }},
		"of what is cold":        {none, func(_ *exchange, parent, _ *payout) { parent.Variants[0].Outputs[0].Own = schema.Cold + 1 }},
		"of another transaction": {none, func(x *exchange, parent, _ *payout) { parent.Variants[0].Tx = "z" }},
		"in a block without its parent": {none, func(x *exchange, _, child *payout) {
			x.holding(x.find(bitcoin), child.anchor()).Height, x.holding(x.find(bitcoin), child.anchor()).since = 13, 0
			x.find(bitcoin).lane(coin).coins = fixed.MustParse("7.4")
			x.find(bitcoin).lane(coin).booked = fixed.MustParse("7.4")
		}},
		"without a parent": {"payout 2 is no child of payout 1", func(x *exchange, parent, _ *payout) {
			ch := x.find(bitcoin)
			x.release(ch, parent)
			x.unbind(ch, parent)
			x.dismiss(ch, parent)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := storing(t)
			x.do(batch(), schema.OK)
			x.signed(1, 0)
			x.do(bump(), schema.OK)
			x.do(child(), schema.OK)
			x.unreadable(tt.says, func() { tt.change(x, x.payouts[1], x.payouts[2]) })
		})
	}
	x := family(t)
	x.do(other(3, "t3"), schema.OK)
	x.unreadable("payout 3 is no child of payout 1", func() { x.payouts[3].parent = 1 })
	x = family(t)
	x.do(other(3, "t3"), schema.OK)
	x.unreadable("payout 3: it stands in the wrong place", func() { x.payouts[3].parent = 2 })
	x = sentOff(t)
	x.do(top(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK) // where there are no coins
	x.unreadable("payout 2: it stands in the wrong place", func() { x.payouts[2].parent = 1 })
	x = sentOff(t)
	x.do(bump(), schema.OK)
	x.signed(1, 1)
	x.do(other(2, "t2"), schema.OK)
	x.do(child(func(c *schema.PlanPayout) { c.Payout, c.Outputs[0].Own = 3, 4 }, spendsOf("t1:2"), leaves("1.1")), schema.OK)
	x.unreadable("payout 3 is no child of payout 2", func() { x.payouts[3].parent = 2 })
}
