package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestWhatLeftIsForgottenInTime: the state has the hours of the last month, at the moment of the last accepted command and not of one that
// was refused.
func TestWhatLeftIsForgottenInTime(t *testing.T) {
	const hour = 3600 * schema.Second
	m := New()
	do := func(at schema.Time, c schema.Command, want schema.Reason) {
		t.Helper()
		before := m.Hash()
		if r := m.Apply(at, c).Result.Rejection; r.Reason != want {
			t.Fatalf("%T: %v, want %v", c, r.Reason, want)
		}
		if want != schema.OK && m.Hash() != before {
			t.Error("a refused command changed the state")
		}
		again, err := Restore(m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash() != m.Hash() {
			t.Error("the restored machine is in another state")
		}
	}
	for _, ticker := range []string{"BTC", "USDT"} {
		do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 4, CanWithdraw: true, Codes: true}}, schema.OK)
	}
	do(0, &schema.SetMarket{Market: schema.MarketInfo{Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 5}}, schema.OK)
	do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}, schema.OK)
	do(0, &schema.Deposit{Account: 101, Asset: 2, Amount: d("10")}, schema.OK)
	plain := m.Hash()
	code := func(n byte, amount string) *schema.CreateCode {
		return &schema.CreateCode{Account: 101, Asset: 2, Amount: d(amount), Digest: schema.Digest{n, 1}, Sealed: []byte{1}}
	}
	do(0, &schema.SetTier{Tier: schema.Tier{Month: d("5")}}, schema.OK)
	if m.Hash() == plain {
		t.Error("a tier is no part of the state")
	}
	do(7*hour, code(1, "4"), schema.OK)
	if bounds, left := m.Tiers().Of(101); bounds.Month != d("5") || left.Month != d("1") {
		t.Errorf("%+v %+v", bounds, left)
	}
	do(8*hour, code(2, "2"), schema.MonthLimit)
	do(727*hour, code(2, "6"), schema.MonthLimit) // the sum is over then, and stays
	if _, left := m.Tiers().Of(101); left.Month != d("1") {
		t.Errorf("%+v", left)
	}
	do(727*hour, code(2, "5"), schema.OK)
	if _, left := m.Tiers().Of(101); left.Month != fixed.Zero {
		t.Errorf("%+v", left)
	}
	if all := m.Tiers().All(); len(all) != 1 || all[0] != (schema.Tier{Month: d("5")}) {
		t.Errorf("%+v", all)
	}
}
