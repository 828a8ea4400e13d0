package chain

import (
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// found is a surplus of the coin at an output, foundAt one of an asset at an address on the other chain.
func found(id, amount string, index schema.AddressIndex) *schema.BookSurplus {
	r := receipt(id, amount, index)
	return &schema.BookSurplus{Chain: bitcoin, Asset: coin, Amount: r.Amount, Index: r.Index, Own: r.Own, Coin: id, Text: r.Text}
}

func foundAt(of schema.AssetID, amount string, index schema.AddressIndex) *schema.BookSurplus {
	r := funds("", of, amount, index)
	return &schema.BookSurplus{Chain: ether, Asset: of, Amount: r.Amount, Index: r.Index, Own: r.Own, Text: r.Text}
}

// TestTwoOperatorsBookASurplus: it is a deposit of the last block, which operators decide about.
func TestTwoOperatorsBookASurplus(t *testing.T) {
	x := paying(t)
	s := foundAt(dollar, "7", 1)
	x.by("", s, schema.OperatorMissing)
	x.by("olga", s, schema.OK)
	if st := x.Standing(ether); st.Asked != "olga" || st.Surplus != *s || x.out.Events.Len() != 0 || x.out.Result.ID != 0 {
		t.Errorf("%+v", st)
	}
	x.by("olga", s, schema.ApprovedBefore)
	x.by("otto", s, schema.OK)
	if x.out.Result.ID != 7 {
		t.Errorf("it is deposit %d", x.out.Result.ID)
	}
	if d := x.is(7, schema.DepositUncredited, 13); d.Receipt != "surplus:7" || d.Account != alice || d.Address != "address" {
		t.Errorf("%+v", d)
	}
	x.bookedOf(ether, dollar, "157", "150")
	x.owns(ether, dollar, "address 1: 57 at 0", "own 1: 100 at 0")
	x.refuses(&schema.DecideDeposit{Deposit: 7, Decision: schema.CreditDeposit}, schema.DepositShallow)
	x.blocks(ether, 0, 2)
	x.is(7, schema.DepositUncredited, 13)
	x.bookedOf(ether, dollar, "157", "157")
	x.do(&schema.DecideDeposit{Deposit: 7, Decision: schema.CreditDeposit}, schema.OK)
	x.is(7, schema.DepositCredited, 13)

	x.etherRewound(12)
	x.bookedOf(ether, dollar, "150", "157")
	x.is(7, schema.DepositCredited, 0)
}

// TestASurplusOfCoins is an output that is not known, of nobody where it came to an address of the exchange itself.
func TestASurplusOfCoins(t *testing.T) {
	x := paying(t)
	s := found("s", "0.5", 0)
	x.by("olga", s, schema.OK)
	x.by("otto", s, schema.OK)
	if d := x.is(7, schema.DepositUncredited, 13); d.Receipt != "s" || d.Account != 0 {
		t.Errorf("%+v", d)
	}
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "s: 0.5 at 13")
	x.by("olga", found("s", "0.5", 0), schema.SurplusInvalid)
	x.rewound(12, 0)
	x.by("olga", found("s", "0.5", 0), schema.SurplusInvalid) // it may come back
}

// TestWrongSurpluses are refused and change nothing.
func TestWrongSurpluses(t *testing.T) {
	x := paying(t)
	x.do(batch(), schema.OK)
	coinless, named := found("s", "1", 1), foundAt(dollar, "1", 1)
	coinless.Coin, named.Coin = "", "s"
	placeless := foundAt(dollar, "1", 1)
	placeless.Index = 0
	both := foundAt(dollar, "1", 1)
	both.Own = schema.Hot
	for _, s := range []*schema.BookSurplus{
		coinless, named, placeless, both, found("a", "3", 1), found("t0:2", "1", 0), found("s", "0", 1), found("s", "-1", 1), found("s", "1", 3), found("s", "0.000000001", 1),
		foundAt(9, "1", 1), foundAt(dollar, "1", 3),
	} {
		x.by("olga", s, schema.SurplusInvalid)
	}
	huge := found("s", "1", 1)
	huge.Amount = ledger.Limit
	x.by("olga", huge, schema.SurplusInvalid)

	elsewhere := found("s", "1", 1)
	elsewhere.Chain = play
	x.by("olga", elsewhere, schema.ChainOwnBlocks)
	elsewhere.Chain = 9
	x.by("olga", elsewhere, schema.ChainUnknown)
	x.stopped(bitcoin, "theft")
	x.by("olga", found("s", "1", 1), schema.ChainHalted)

	height, parent := x.Cursor(ether)
	x.do(&schema.ChainBlock{Chain: ether, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Parts: 2}, schema.OK)
	x.by("olga", foundAt(dollar, "1", 1), schema.SurplusInvalid) // in the middle of a block

	x = open(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "BTC2", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}}, schema.OK)
	early := found("s", "1", 1)
	early.Chain = 3
	x.by("olga", early, schema.SurplusInvalid) // it has no block
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, Paused: true}}, schema.OK)
	x.by("olga", found("s", "1", 1), schema.ChainPaused)
}

// TestACoinInNoBlockIsNoSurplus: it was stolen while a payout could spend it, and its deposit is forgotten.
func TestACoinInNoBlockIsNoSurplus(t *testing.T) {
	x := sentOff(t)
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "b"}, fixed.MustParse("3.3") }), schema.OK)
	x.signed(1, 1)
	x.adopts(bitcoin, "theft")
	x.spent(bitcoin, 0, schema.OK, stolen("theft", "b"))
	x.blocks(bitcoin, 0, 100)
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 0", "c: 1 at 10")
	if _, known := x.find(bitcoin).receipts["b"]; known {
		t.Fatal("the deposit is not forgotten")
	}
	x.by("olga", found("b", "2", 1), schema.SurplusInvalid)
}

// TestASurplusMayBeDeepAtOnce: where one block is enough it lies in suspense when it is booked.
func TestASurplusMayBeDeepAtOnce(t *testing.T) {
	x := paying(t)
	x.do(asset("GAS", ether, func(a *schema.Asset, n *schema.Network) {
		a.Scale, n.Decimals, n.CanWithdraw, n.ConfirmationsForTrading, n.Confirmations = 18, 18, true, 1, 1
	}), schema.OK)
	s := foundAt(gas, "2", 0)
	x.by("olga", s, schema.OK)
	x.by("otto", s, schema.OK)
	x.bookedOf(ether, gas, "7", "7")
	if has := x.ledger.Available(x.ledger.Find(schema.Suspense, schema.Main, gas)); has != fixed.FromInt(7) { // 5 of a deposit of nobody
		t.Errorf("suspense has %s", has)
	}
}
