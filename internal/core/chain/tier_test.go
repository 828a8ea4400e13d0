package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// bounded is a rich exchange whose values are in toys, and where verified alice may send 5 of them away in a day.
func bounded(t *testing.T) *exchange {
	x := rich(t)
	x.listing.MarketChanged = func(schema.MarketID) {}
	x.do(&schema.SetMarket{Market: schema.MarketInfo{Name: "COIN_TOY", Base: coin, Quote: toy, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8}}, schema.OK)
	x.do(&schema.SetTier{Tier: schema.Tier{Number: 1, Day: fixed.FromInt(5)}}, schema.OK)
	x.do(&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Tier: 1, Verified: true}}, schema.OK)
	return x
}

// A withdrawal counts with its fee, whether it leaves the exchange or not.
func TestWithdrawalsCountForTheTier(t *testing.T) {
	x := bounded(t)
	x.do(request("a", "2", pay), schema.OK) // and 0.12
	x.do(request("b", "1", toBen), schema.OK)
	if r := x.do(request("c", "1.89"), schema.DayLimit); r.Value != fixed.MustParse("1.88") {
		t.Errorf("%s may leave", r.Value)
	}
	x.toys(alice, "6.88", "2.12")
	x.do(request("c", "1.88"), schema.OK)
	x.leaves("3 queued at 0")
	x.do(request("d", "1"), schema.DayLimit)
	x.as("ann", 3, schema.CancelWithdrawal, schema.OK) // it did not leave
	x.do(request("e", "1.89"), schema.DayLimit)
	x.do(request("e", "1.88"), schema.OK)
}

// What a lost deposit stops did not leave either.
func TestAStoppedWithdrawalCountsNoMore(t *testing.T) {
	x := bounded(t)
	x.payToy("4", 1)
	x.mines(2)
	x.do(request("a", "5"), schema.OK)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.OK)
	x.do(&schema.Withdraw{Account: alice, Asset: toy, Amount: fixed.FromInt(5)}, schema.OK)
	x.do(&schema.Transfer{Account: alice, Asset: toy, Amount: fixed.FromInt(4), From: schema.Main, To: schema.Trade}, schema.OK)
	x.ledger.Move(x.ledger.Find(alice, schema.Trade, toy), x.ledger.Open(ben, schema.Trade, toy), fixed.FromInt(4), byDeposit)
	if _, left := x.tiers.Of(alice); !left.Day.IsZero() {
		t.Errorf("%s is left", left.Day)
	}
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 2, DropAll: true}, schema.OK)
	x.mines(5)
	x.leaves("1 canceled at 0")
	if _, left := x.tiers.Of(alice); left.Day != fixed.FromInt(5) {
		t.Errorf("%s is left", left.Day)
	}
}

func TestAWithdrawalWithoutAPriceIsLookedAt(t *testing.T) {
	x := bounded(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.CanWithdraw = true }), schema.OK)
	x.do(&schema.Deposit{Account: alice, Asset: coin, Amount: fixed.FromInt(2)}, schema.OK)
	x.do(&schema.Deposit{Account: ben, Asset: coin, Amount: fixed.FromInt(2)}, schema.OK)
	coins := func(c *schema.RequestWithdrawal) { c.Asset, c.Chain = coin, bitcoin }
	x.do(request("a", "2", coins), schema.OK)
	if w := x.out.Result.Withdrawal; w.Status != schema.WithdrawalReview || w.Needed != 1 {
		t.Errorf("%+v", w)
	}
	if _, left := x.tiers.Of(alice); left.Day != fixed.FromInt(5) {
		t.Errorf("%s is left", left.Day)
	}
	ofBen := func(c *schema.RequestWithdrawal) { c.Account = ben }
	x.do(request("b", "1", coins, ofBen), schema.OK) // nothing bounds tier 0
	x.leaves("2 queued at 0")
	x.do(&schema.SetTier{Tier: schema.Tier{Day: fixed.FromInt(5)}}, schema.OK)
	x.do(request("c", "1", coins, ofBen), schema.RateUnknown)
}

func TestARestrictedAccountWithdrawsNothing(t *testing.T) {
	x := rich(t)
	x.accounts.Get(alice).RestrictedUntil = schema.Second
	if r := x.do(request("a", "2"), schema.Restricted); r.Value != fixed.One {
		t.Errorf("until %s", r.Value)
	}
	x.do(request("a", "20"), schema.WithdrawNotCovered)
	x.tick(schema.Second)
	x.do(request("a", "2"), schema.OK)
}
