package chain

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// by does a command of an operator.
func (x *exchange) by(operator string, c schema.Command, want schema.Reason) {
	x.t.Helper()
	x.out.Operator = operator
	if want == schema.OK {
		x.do(c, want)
	} else {
		x.refuses(c, want)
	}
	x.out.Operator = ""
}

// stopped lets a chain meet a spend that nobody planned.
func (x *exchange) stopped(on schema.ChainID, tx string) {
	x.t.Helper()
	height, parent := x.Cursor(on)
	x.do(&schema.ChainBlock{Chain: on, Height: height + 1, Hash: hash(height+1, 9), Parent: parent, Foreign: tx}, schema.OK)
}

// adopts lets a chain meet a spend that nobody planned, which two operators adopt.
func (x *exchange) adopts(on schema.ChainID, tx string) {
	x.t.Helper()
	x.stopped(on, tx)
	x.by("olga", &schema.AdoptSpend{Chain: on, Tx: tx}, schema.OK)
	x.by("otto", &schema.AdoptSpend{Chain: on, Tx: tx}, schema.OK)
}

// spent gives a chain a block with adopted spends on top of its cursor.
func (x *exchange) spent(on schema.ChainID, branch byte, want schema.Reason, adopted ...schema.ForeignSpend) {
	x.t.Helper()
	height, parent := x.Cursor(on)
	m := &schema.ChainBlock{Chain: on, Height: height + 1, Hash: hash(height+1, branch), Parent: parent, Adopted: adopted}
	if want == schema.OK {
		x.do(m, want)
	} else {
		x.refuses(m, want)
	}
}

// stolen are coins that a transaction spends, taken what it takes of balances.
func stolen(tx string, inputs ...string) schema.ForeignSpend {
	return schema.ForeignSpend{Tx: tx, Asset: coin, Inputs: inputs}
}

func taken(tx string, takes ...schema.ForeignTake) schema.ForeignSpend {
	return schema.ForeignSpend{Tx: tx, Takes: takes}
}

func takes(of schema.AssetID, amount string, index schema.AddressIndex) schema.ForeignTake {
	t := schema.ForeignTake{Asset: of, Amount: fixed.MustParse(amount), Index: index}
	if index == 0 {
		t.Own = schema.Hot
	}
	return t
}

// loses holds what the last command said about adopted spends.
func (x *exchange) loses(want ...string) {
	x.t.Helper()
	var list []string
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.SpendAdopted); is {
			text := fmt.Sprintf("%s at %d:", e.Tx, e.Height)
			for _, t := range e.Losses {
				text += fmt.Sprintf(" %s of %d at %d/%d", t.Amount, t.Asset, t.Index, t.Own)
			}
			list = append(list, text)
		}
	}
	if !slices.Equal(list, want) {
		x.t.Errorf("said %q, want %q", list, want)
	}
}

// houseHas holds what the operator has of an asset.
func (x *exchange) houseHas(of schema.AssetID, want string) {
	x.t.Helper()
	if has := x.ledger.Available(x.ledger.Find(schema.House, schema.Main, of)); has != fixed.MustParse(want) {
		x.t.Errorf("the house has %s of asset %d, want %s", has, of, want)
	}
}

// TestTwoOperatorsAdoptASpend of a halted chain by its name.
func TestTwoOperatorsAdoptASpend(t *testing.T) {
	x := sentOff(t)
	theft := &schema.AdoptSpend{Chain: bitcoin, Tx: "theft"}
	x.by("olga", theft, schema.ChainNotHalted)
	x.stopped(bitcoin, "theft")
	x.by("", theft, schema.OperatorMissing)
	x.by("olga", &schema.AdoptSpend{Chain: 9, Tx: "theft"}, schema.ChainUnknown)
	x.by("olga", &schema.AdoptSpend{Chain: play, Tx: "theft"}, schema.ChainOwnBlocks)
	for _, tx := range []string{"", fmt.Sprintf("%081d", 0), "t0"} {
		x.by("olga", &schema.AdoptSpend{Chain: bitcoin, Tx: tx}, schema.AdoptionInvalid)
	}
	x.by("olga", theft, schema.OK)
	if s := x.Standing(bitcoin); !s.Halted || s.Asked != "olga" || s.Adopt != *theft || len(x.Adopted(bitcoin)) != 0 || x.out.Events.Len() != 0 {
		t.Errorf("%+v", s)
	}
	x.by("olga", theft, schema.ApprovedBefore)
	x.by("otto", &schema.AdoptSpend{Chain: bitcoin, Tx: "other"}, schema.OK) // another word
	x.by("olga", theft, schema.OK)
	x.resumes("otto", 13, 0, schema.OK)
	x.by("otto", theft, schema.OK)
	if s := x.Standing(bitcoin); s.Halted || s.Asked != "" || s.Resuming != "" || s.Adopt.Tx != "" || !slices.Equal(x.Adopted(bitcoin), []string{"theft"}) {
		t.Errorf("%+v", s)
	}
	x.stopped(bitcoin, "other")
	x.by("olga", theft, schema.AdoptionInvalid)
	x.by("olga", &schema.AdoptSpend{Chain: bitcoin, Tx: "other"}, schema.OK)
	x.resumes("olga", 13, 0, schema.OK)
	x.resumes("otto", 13, 0, schema.OK)
	if s := x.Standing(bitcoin); s.Halted || s.Asked != "" {
		t.Errorf("%+v", s)
	}
}

// TestAHalfBlockIsGoneWhenASpendIsAdopted, and as many names are kept as may be.
func TestAHalfBlockIsGoneWhenASpendIsAdopted(t *testing.T) {
	x := paying(t)
	height, parent := x.Cursor(bitcoin)
	half := func(part uint32, tx string) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Part: part, Parts: 2, Receipts: []schema.Receipt{receipt("h", "1", 1)}, Foreign: tx}
	}
	x.do(half(0, ""), schema.OK)
	x.bookedOf(bitcoin, coin, "7", "6")
	x.do(half(1, "theft"), schema.OK)
	x.by("olga", &schema.AdoptSpend{Chain: bitcoin, Tx: "theft"}, schema.OK)
	x.by("otto", &schema.AdoptSpend{Chain: bitcoin, Tx: "theft"}, schema.OK)
	x.bookedOf(bitcoin, coin, "6", "6")
	whole := half(0, "")
	whole.Parts, whole.Adopted = 2, []schema.ForeignSpend{stolen("theft", "a")}
	x.refuses(whole, schema.BlockInvalid) // with the last part only
	x.do(half(0, ""), schema.OK)
	last := half(1, "")
	last.Receipts, last.Adopted = nil, []schema.ForeignSpend{stolen("theft", "h")} // of the same block
	x.do(last, schema.OK)
	x.loses("theft at 14: 1 of 1 at 1/0")
	x.bookedOf(bitcoin, coin, "6", "6")

	for n := range schema.MaxAdopted - 1 {
		x.adopts(bitcoin, fmt.Sprint("theft ", n))
	}
	x.stopped(bitcoin, "one more")
	x.by("olga", &schema.AdoptSpend{Chain: bitcoin, Tx: "one more"}, schema.AdoptionInvalid)
}

// TestStolenCoins are the exchange's loss: at once of what it has on the chain, and in the books at depth.
func TestStolenCoins(t *testing.T) {
	x := paying(t)
	x.adopts(bitcoin, "theft")
	x.adopts(bitcoin, "other")
	for _, s := range []schema.ForeignSpend{
		stolen("nobody's", "a"), stolen("theft"), stolen("theft", "a", "a"), stolen("theft", "z"),
		{Tx: "theft", Asset: toy, Inputs: []string{"a"}},
		{Tx: "theft", Asset: coin, Inputs: []string{"a"}, Own: schema.Hot},
		{Tx: "theft", Asset: coin, Inputs: []string{"a"}, Index: 1},
		{Tx: "theft", Asset: coin, Inputs: []string{"a"}, Nonce: 1},
		{Tx: "theft", Asset: coin, Inputs: []string{"a"}, Takes: []schema.ForeignTake{takes(coin, "1", 1)}},
		stolen("theft", slices.Repeat([]string{"a"}, schema.MaxForeignInputs+1)...),
	} {
		x.spent(bitcoin, 0, schema.BlockInvalid, s)
	}
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("theft", "a"), stolen("theft", "b"))
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("theft", "a"), stolen("other", "a"))
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a", "c", "b"))
	x.loses("theft at 14: 5 of 1 at 1/0 1 of 1 at 0/1")
	x.owns(bitcoin, coin)
	x.bookedOf(bitcoin, coin, "0", "6")
	x.refuses(batch(), schema.CoinUnavailable)
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("theft", "a"))
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("other", "a"))
	x.blocks(bitcoin, 0, 1)
	x.houseHas(coin, "0")
	x.blocks(bitcoin, 0, 1)
	x.houseHas(coin, "-6")
	x.bookedOf(bitcoin, coin, "0", "0")

	x.rewound(13, 0)
	x.loses("theft at 0: 5 of 1 at 1/0 1 of 1 at 0/1")
	x.houseHas(coin, "0")
	x.bookedOf(bitcoin, coin, "6", "6")
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10")
	x.spent(bitcoin, 1, schema.OK, stolen("theft", "a"), stolen("other", "c"))
	x.loses("theft at 14: 3 of 1 at 1/0", "other at 14: 1 of 1 at 0/1")
	x.blocks(bitcoin, 1, 100)
	if adopted := x.Adopted(bitcoin); len(adopted) != 0 {
		t.Errorf("%q are kept", adopted)
	}
	x.houseHas(coin, "-4")
	x.bookedOf(bitcoin, coin, "2", "2")
	x.owns(bitcoin, coin, "b: 2 at 10")
	if len(x.find(bitcoin).holdings) != 1 {
		t.Error("a coin is kept that was stolen")
	}
}

// TestAPayoutWhoseAnchorWasStolen is over when that cannot be rewound. Before it may come back, and be paid.
func TestAPayoutWhoseAnchorWasStolen(t *testing.T) {
	x := sentOff(t)
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.3") }), schema.OK)
	x.signed(1, 1)
	x.adopts(bitcoin, "theft")
	x.mined(bitcoin, 0, schema.OK)
	height, parent := x.Cursor(bitcoin)
	x.refuses(&schema.ChainBlock{
		Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent,
		Results: []schema.PayoutResult{x.result(1, 0)}, Adopted: []schema.ForeignSpend{stolen("theft", "a")},
	}, schema.BlockInvalid)
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a"))
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(1, 1))
	x.by("olga", &schema.AbandonPayout{Payout: 1, Dead: true}, schema.PayoutDecided)
	x.rewound(14, 0)
	x.mined(bitcoin, 1, schema.OK, x.result(1, 1))
	x.rewound(14, 0)
	x.spent(bitcoin, 2, schema.OK, stolen("theft", "a"))
	x.blocks(bitcoin, 2, 99)
	x.left(1, schema.WithdrawalSent, 1)
	x.blocks(bitcoin, 2, 1)
	x.tells("1 review at 0 by 0 ", "2 review at 0 by 0 ", "payout 1 dead at 0 for 0")
	x.owns(bitcoin, coin, "b: 2 at 10", "c: 1 at 10")
	x.houseHas(coin, "-3")
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Tx, c.Withdrawals, c.Inputs, c.Outputs[0] = 2, "t2", nil, []string{"c"}, schema.OwnOutput{Own: 3, Amount: fixed.MustParse("0.9")}
	}), schema.OK) // what it reserved beside is free
}

// TestAPayoutUnderWayWhenNothingIsLeft: what it reserves is known after a restart as well (check).
func TestAPayoutUnderWayWhenNothingIsLeft(t *testing.T) {
	x := sentOff(t)
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a", "b", "c"))
	x.owns(bitcoin, coin)
	x.rewound(13, 0)
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
}

// TestAPayoutWhoseOtherCoinWasStolen can still be in a block without it.
func TestAPayoutWhoseOtherCoinWasStolen(t *testing.T) {
	x := sentOff(t)
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.3") }), schema.OK)
	x.signed(1, 1)
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "c", "b"))
	x.mined(bitcoin, 0, schema.BlockInvalid, x.result(1, 1))
	x.blocks(bitcoin, 0, 100)
	x.tells()
	x.owns(bitcoin, coin, "a: 3 at 10", "c: 1 at 0")
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 101)
	x.owns(bitcoin, coin, "t0:2: 1.4 at 115")
}

// TestTakenBalances: no more than an address has in the books is lost.
func TestTakenBalances(t *testing.T) {
	x := paying(t)
	x.adopts(ether, "theft")
	x.adopts(ether, "other")
	for _, s := range []schema.ForeignSpend{
		taken("nobody's", takes(dollar, "1", 1)), taken("theft"), stolen("theft", "a"),
		{Tx: "theft", Asset: dollar, Takes: []schema.ForeignTake{takes(dollar, "1", 1)}},
		taken("theft", takes(dollar, "1", 1), takes(dollar, "2", 1)), taken("theft", takes(dollar, "0", 1)), taken("theft", takes(dollar, "-1", 1)),
		taken("theft", takes(dollar, "0.000000001", 1)), taken("theft", takes(coin, "1", 1)), taken("theft", takes(9, "1", 1)), taken("theft", takes(dollar, "1", 3)),
		taken("theft", schema.ForeignTake{Asset: dollar, Amount: fixed.One, Index: 1, Own: 1}), taken("theft", schema.ForeignTake{Asset: dollar, Amount: fixed.One, Own: 2}),
		{Tx: "theft", Nonce: 1, Takes: []schema.ForeignTake{takes(dollar, "1", 1)}},
		{Tx: "theft", Own: 2},
		{Tx: "theft", Index: 3},
		{Tx: "theft", Index: 1, Own: 1},
		{Tx: "theft", Own: schema.Hot, Nonce: schema.MaxForeignNonce + 1},
	} {
		x.spent(ether, 0, schema.BlockInvalid, s)
	}
	x.spent(ether, 0, schema.OK, taken("theft", takes(dollar, "20", 1), takes(gas, "1", 1), takes(gas, "7", 0)), taken("other", takes(dollar, "40", 1)))
	x.loses("theft at 14: 20 of 4 at 1/0 5 of 3 at 0/1", "other at 14: 30 of 4 at 1/0")
	x.owns(ether, dollar, "own 1: 100 at 0")
	x.owns(ether, gas)
	x.bookedOf(ether, dollar, "100", "150")
	x.blocks(ether, 0, 2)
	x.houseHas(dollar, "-50")
	x.houseHas(gas, "-5")
	x.bookedOf(ether, dollar, "100", "100")
	x.etherRewound(13)
	x.loses("other at 0: 30 of 4 at 1/0", "theft at 0: 20 of 4 at 1/0 5 of 3 at 0/1")
	x.owns(ether, dollar, "address 1: 50 at 0", "own 1: 100 at 0")
	x.owns(ether, gas, "own 1: 5 at 0")
	x.houseHas(dollar, "0")
	x.bookedOf(ether, dollar, "150", "150")
	x.bookedOf(ether, gas, "5", "5")
}

// sent is a transaction of the first address of the exchange.
func sent(tx string, nonce uint64, list ...schema.ForeignTake) schema.ForeignSpend {
	return schema.ForeignSpend{Tx: tx, Own: schema.Hot, Nonce: nonce, Takes: list}
}

// TestNumbersOfForeignTransactions: what is planned next comes behind them, but only once they cannot be rewound.
func TestNumbersOfForeignTransactions(t *testing.T) {
	x := paying(t)
	x.adopts(ether, "theft")
	x.spent(ether, 0, schema.OK, sent("theft", 4, takes(gas, "0.5", 0)))
	if next := x.NextNonce(ether, 0, schema.Hot); next != 5 {
		t.Errorf("%d is next", next)
	}
	x.refuses(token(func(c *schema.PlanPayout) { c.Nonce = 5 }), schema.CoinUnavailable)
	x.etherRewound(13)
	if next := x.NextNonce(ether, 0, schema.Hot); next != 0 {
		t.Errorf("%d is next", next)
	}
	x.do(token(), schema.OK)
	x.signed(1, 0)
	x.do(top(func(c *schema.PlanPayout) { c.Payout, c.Nonce = 2, 1 }), schema.OK)
	x.signed(2, 0)

	// The number of the first is used by the theft: the second does not wait for it, also in the same block.
	theft := sent("theft", 0, takes(gas, "0.5", 0))
	block := func(branch byte, results []schema.PayoutResult, adopted ...schema.ForeignSpend) *schema.ChainBlock {
		height, parent := x.Cursor(ether)
		return &schema.ChainBlock{Chain: ether, Height: height + 1, Hash: hash(height+1, branch), Parent: parent, Results: results, Adopted: adopted}
	}
	x.refuses(block(1, []schema.PayoutResult{x.result(2, 0)}), schema.BlockInvalid)
	x.refuses(block(1, []schema.PayoutResult{x.result(1, 0)}, theft), schema.BlockInvalid)
	x.do(block(1, []schema.PayoutResult{x.result(2, 0)}, theft), schema.OK)
	x.owns(ether, gas, "address 1: 1 at 0", "own 1: 3 at 0")
	x.etherRewound(13)
	x.do(block(2, nil, theft), schema.OK)
	x.refuses(block(2, []schema.PayoutResult{x.result(1, 0)}), schema.BlockInvalid)
	x.do(block(2, []schema.PayoutResult{x.result(2, 0)}), schema.OK)
	if next := x.NextNonce(ether, 0, schema.Hot); next != 2 {
		t.Errorf("%d is next", next)
	}
	x.blocks(ether, 2, 98)
	x.left(3, schema.WithdrawalSent, 1)
	x.refuses(token(func(c *schema.PlanPayout) { c.Payout, c.Nonce, c.Withdrawals, c.Outputs = 3, 2, nil, top().Outputs }), schema.CoinUnavailable)
	x.blocks(ether, 2, 1)
	x.tells("3 review at 0 by 0 ", "payout 1 dead at 0 for 0")
	x.houseHas(gas, "-1")
	x.do(top(func(c *schema.PlanPayout) { c.Payout, c.Nonce = 3, 2 }), schema.OK)
}

// TestLossesAreWorkedOffInSlices: the work of many ends with ticks.
func TestLossesAreWorkedOffInSlices(t *testing.T) {
	x := paying(t)
	var list []schema.ForeignSpend
	for n := range 9 {
		tx := fmt.Sprint("theft ", n)
		x.adopts(ether, tx)
		list = append(list, taken(tx, takes(dollar, "1", 1)))
	}
	x.spent(ether, 0, schema.OK, list...)
	x.Steps = 4
	x.blocks(ether, 0, 1)
	x.blocks(ether, 0, 1)
	for _, booked := range []string{"148", "146", "144", "142", "141"} {
		x.bookedOf(ether, dollar, "141", booked)
		if busy := x.Standing(ether).Busy; busy != (booked != "141") {
			t.Errorf("busy %v at %s", busy, booked)
		}
		x.tick(1)
	}
	x.etherRewound(13)
	for _, coins := range []string{"143", "145", "147", "149", "150"} {
		x.bookedOf(ether, dollar, coins, coins)
		x.tick(1)
	}
}

// TestABlockWhoseLossNobodyCanBear is refused.
func TestABlockWhoseLossNobodyCanBear(t *testing.T) {
	x := paying(t)
	x.adopts(bitcoin, "theft")
	house := x.ledger.Open(schema.House, schema.Main, coin)
	x.ledger.Move(house, x.ledger.Open(schema.Fees, schema.Main, coin), ledger.Limit.Sub(fixed.FromInt(5)), byDeposit)
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("theft", "a", "b", "c"))
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a", "b"))
	x.adopts(bitcoin, "more")
	x.spent(bitcoin, 0, schema.BlockInvalid, stolen("more", "c"))
}

// TestTheLargestDepositIsStolen before anybody could be credited with it: what is booked of the loss and what is not of deposits are together
// more than an amount can be, and the books still add up, also when they are read again.
func TestTheLargestDepositIsStolen(t *testing.T) {
	x := open(t)
	outside, fees := x.ledger.Open(schema.Outside, schema.Main, coin), x.ledger.Open(schema.Fees, schema.Main, coin)
	x.ledger.Move(outside, fees, fixed.One, byDeposit) // so that there is no room for the largest
	most, _ := ledger.Limit.Round(8, fixed.Down)
	x.block(10, 0, 0, receipt("a", most.String(), 1))
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a"))
	x.block(12, 0, 0)
	x.block(13, 0, 0)
	if owes := x.ledger.Available(x.ledger.Find(schema.House, schema.Main, coin)); owes != most.Neg() {
		t.Errorf("the exchange bears %s, want %s", owes.Neg(), most)
	}
	x.is(1, schema.DepositUncredited, 10)
	x.block(14, 0, 0, receipt("b", most.String(), 1))
	x.is(2, schema.DepositConfirming, 14)
}

// TestAdoptedSpendsInSnapshots that cannot be.
func TestAdoptedSpendsInSnapshots(t *testing.T) {
	x := paying(t)
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "a"))
	x.stopped(bitcoin, "more")
	x.by("olga", &schema.AdoptSpend{Chain: bitcoin, Tx: "more"}, schema.OK)
	ch := x.find(bitcoin)
	l := ch.losses[0]
	x.unreadable("a proposal", func() { ch.halted = false })
	ch.halted = true
	x.unreadable("a proposal", func() { ch.asked.adopt.Tx = "theft " + fmt.Sprintf("%080d", 0) })
	ch.asked = proposal{}
	x.unreadable("adopted theft", func() { l.height = 99 })
	l.height = 14
	x.unreadable("adopted theft", func() { l.sums[0].amount = fixed.One })
	l.sums[0].amount = fixed.FromInt(3)
	x.unreadable("adopted theft", func() { l.nonce = 1 })
	l.nonce = 0
	x.unreadable("adopted other", func() { l.tx = "other" })
	l.tx = "theft"
	x.check()
}
