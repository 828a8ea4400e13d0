package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// longBook is a trial with 500 bids of an account at the head of a book, 1600 of a maker behind them, and 100 asks on the way that is tried before.
func longBook(t *testing.T) *trial {
	tr := newTrial(slice)
	send := func(c schema.Command) {
		t.Helper()
		m := moment{at: start, cmd: c}
		got, err := tr.finish(m)
		if err != nil {
			t.Fatal(err)
		}
		want := tr.slow.Apply(m.at, m.from, m.cmd)
		if got.answer.Rejection.Refused() {
			t.Fatalf("%T: %s", c, got.answer.Rejection.Text())
		}
		if err := tr.sameEvents(got.events, want.Events); err != nil {
			t.Fatal(err)
		}
	}
	for _, birth := range schema.BirthFeatures() {
		send(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	for asset := swapUSDT; asset <= swapETH; asset++ {
		send(&schema.SetAsset{Asset: schema.Asset{Ticker: convertTickers[asset], Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
		send(&schema.SetCollateral{Asset: asset, Weight: fixed.One, IndexMaxAge: anHour})
		send(&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: d("10000000")})
	}
	for _, pair := range [][2]schema.AssetID{{swapBTC, swapUSDT}, {swapETH, swapUSDT}, {swapETH, swapBTC}} {
		send(&schema.SetMarket{Market: schema.MarketInfo{
			Name: convertTickers[pair[0]] + "_" + convertTickers[pair[1]], Base: pair[0], Quote: pair[1], Type: schema.Spot,
			StockPrec: 3, MoneyPrec: 4, FeePrec: 6, Enabled: true, MaxOrders: 5000,
		}})
	}
	for i := range schema.AccountID(2) {
		send(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("c", i), Region: schema.Global}})
		for asset := swapUSDT; asset <= swapETH; asset++ {
			send(&schema.Deposit{Account: schema.FirstCustomer + i, Asset: asset, Amount: d("1000000")})
			send(&schema.Transfer{Account: schema.FirstCustomer + i, Asset: asset, Amount: d("1000000"), From: schema.Main, To: schema.Trade})
		}
	}
	stand := func(a schema.AccountID, m schema.MarketID, side schema.Side, price string, orders int) {
		t.Helper()
		c := &schema.PlaceBulk{Account: a}
		for range 20 {
			c.Orders = append(c.Orders, schema.OrderRequest{Market: m, Type: schema.Limit, Side: side, Amount: d("0.001"), Price: d(price)})
		}
		for range orders / 20 {
			send(c)
		}
	}
	stand(schema.FirstCustomer, 1, schema.Buy, "50001", 500)
	stand(schema.FirstCustomer+1, 1, schema.Buy, "50000", 1600)
	stand(schema.FirstCustomer+1, 3, schema.Sell, "0.05", 100)
	send(&schema.PlaceOrder{Account: schema.FirstCustomer + 1, Order: schema.OrderRequest{Market: 2, Type: schema.Limit, Side: schema.Sell, Amount: d("1000"), Price: d("2500")}})
	send(&schema.SetIndex{Market: 1, Price: d("50000")})
	send(&schema.SetIndex{Market: 2, Price: d("2500")})
	send(&schema.SetConversion{On: true, Hubs: []schema.AssetID{swapUSDT}, OpenMost: d("1000000"), DayMost: d("1000000"), LossMost: d("10000")})
	return tr
}

// TestStepsOfQuotes: a quote looks at 2000 orders, those of the family among them, over all its routes. The core and the oracle count alike.
func TestStepsOfQuotes(t *testing.T) {
	t.Parallel()
	tr := longBook(t)
	for _, c := range []struct {
		from, to schema.AssetID
		inTo     bool
		amount   string
		want     schema.Reason
	}{
		{swapBTC, swapUSDT, false, "1.5", schema.OK},
		{swapBTC, swapUSDT, false, "1.50000001", schema.ConversionTooLarge},
		{swapBTC, swapUSDT, true, "75000", schema.OK},
		{swapBTC, swapUSDT, true, "75000.00000001", schema.ConversionTooLarge},
		// The direct way takes 100 steps until its book ends, and the last hop one.
		{swapBTC, swapETH, false, "1.399", schema.OK},
		{swapBTC, swapETH, false, "1.39900001", schema.ConversionTooLarge},
		{swapBTC, swapETH, true, "27.98", schema.OK},
		{swapBTC, swapETH, true, "27.98000001", schema.ConversionTooLarge},
	} {
		m := moment{at: start + 1, cmd: &schema.QuoteConversion{Exchange: schema.Exchange{
			Account: schema.FirstCustomer, From: c.from, To: c.to, InTo: c.inTo, Amount: d(c.amount),
		}}}
		if err := tr.convert(m); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got := tr.answer.Rejection.Reason; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
