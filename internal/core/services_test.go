package core

import (
	"bytes"
	"testing"

	"bourse/internal/schema"
)

// TestCreditsChecksAndExpressPayments: what runs is seen, survives a snapshot, and ends by ticks alike on both machines.
func TestCreditsChecksAndExpressPayments(t *testing.T) {
	const (
		alice, shop      = schema.FirstCustomer, schema.FirstCustomer + 1
		usdt             = schema.AssetID(1)
		btc              = schema.AssetID(2)
		checked, expired = start + 3*schema.Second, start + 90*schema.Second
	)
	m := NewExchange()
	unused := m.Snapshot()
	m.Apply(start, &schema.OpenCredit{Account: alice, Asset: usdt, Amount: d("1")}) // refused: there is nothing
	if !bytes.Equal(m.Snapshot(), unused) {
		t.Error("an exchange that uses none of it has another snapshot")
	}
	for _, c := range []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 8, CanWithdraw: true}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 8, CanWithdraw: true}},
		&schema.SetMarket{Market: schema.MarketInfo{Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global, CreditLine: true, Checker: true}},
		&schema.SetAccount{Account: schema.Account{Name: "shop", Region: schema.Global, Partner: true}},
		&schema.OpenCredit{Account: alice, Asset: usdt, Amount: d("100"), Initial: d("50"), MarginCall: d("60"), Liquidation: d("70")},
		&schema.Deposit{Account: alice, Asset: usdt, Amount: d("200")},
		&schema.CheckAddress{Account: alice, Asset: btc, Address: "bc1"},
		&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: "bc1", Risk: schema.MediumRisk, Description: "A mixer."}},
		&schema.RequestExpress{Account: shop, Asset: usdt, Amount: d("10"), External: "rent", Digest: schema.Digest{1}, Sealed: []byte("1")},
		&schema.RequestExpress{Account: shop, Asset: usdt, Amount: d("20"), External: "food", Digest: schema.Digest{2}, Sealed: []byte("2")},
		&schema.PayExpress{Account: alice, Digest: schema.Digest{1}},
	} {
		apply(t, m, start, c)
	}
	back, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Machine{m, back} {
		if c, is := m.Credit(alice); !is || c.Amount != d("100") || c.Created != start {
			t.Errorf("the credit is %+v (%v)", c, is)
		}
		if _, is := m.Credit(shop); is || len(m.Credits()) != 1 {
			t.Errorf("there are credits: %+v", m.Credits())
		}
		if ltv := m.CreditLTV(alice); ltv != d("34.49") { // 100 of 290
			t.Errorf("the credit is %s percent", ltv)
		}
		if list := m.Checks(alice); len(list) != 1 || list[0].ID != 1 || list[0].Status != schema.CheckRunning {
			t.Errorf("%+v runs", list)
		}
		if list := m.Verdicts(); len(list) != 1 || list[0].Address != "bc1" {
			t.Errorf("%+v is said", list)
		}
		if list := m.Expresses(shop); len(list) != 1 || list[0].External != "food" {
			t.Errorf("%+v waits", list)
		}
		if at, running := m.NextTimer(); !running || at != checked {
			t.Errorf("the timer is at %d", at)
		}
		apply(t, m, checked, &schema.Tick{})
		if list := m.Checks(alice); len(list) != 0 {
			t.Errorf("%+v runs", list)
		}
		if fees, _, _ := m.Balance(schema.Fees, schema.Main, usdt); fees != d("2") {
			t.Errorf("the fees are %s", fees)
		}
		apply(t, m, expired, &schema.Deposit{Account: alice, Asset: usdt, Amount: d("1")})
		if list := m.Expresses(shop); len(list) != 0 { // before a tick forgets it
			t.Errorf("%+v waits", list)
		}
		apply(t, m, expired, &schema.Tick{})
		if _, running := m.NextTimer(); running {
			t.Error("a timer runs")
		}
		if out := m.Apply(expired, &schema.PayExpress{Account: alice, Digest: schema.Digest{2}}); out.Result.Rejection.Reason != schema.ExpressUnknown {
			t.Errorf("refused with %s", out.Result.Rejection.Text())
		}
	}
	if m.Hash() != back.Hash() {
		t.Error("the machine that was restored went another way")
	}
}
