package naive

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestBudgetTakesWholeMakers: what the maker has is no whole number of steps.
func TestBudgetTakesWholeMakers(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		w.place(ben, limit(schema.Sell, "1.55", "100"))
	}
	w.place(ben, limit(schema.Sell, "1", "101"))
	listed := btcUSD()
	listed.StepSize = d("0.1")
	w.must(&schema.SetMarket{Market: listed})
	o := w.place(anna, market1(schema.Buy, "158"))
	w.order(o, schema.Filled, "8", "1.5", "150", "0.003")
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	o = w.place(anna, market1(schema.Buy, "168"))
	// The rest of the first, all of the second, and of the third less than a step.
	w.order(o, schema.Filled, "8", "1.6", "160", "0.0032")
	o = w.place(anna, market1(schema.Buy, "52"))
	w.order(o, schema.Filled, "1.5", "0.5", "50.5", "0.001")
}

func TestBudgetBuysWhatCanBeCounted(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "DUST", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 0}})
	w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "DUST_USD", Base: 3, Quote: usd, Type: schema.Spot, MoneyPrec: 8, Enabled: true,
	}})
	most := fixed.FromInt(1<<63 - 1)
	give := func(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) {
		w.must(&schema.Deposit{Account: account, Asset: asset, Amount: amount})
		w.must(&schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Main, To: schema.Trade})
	}
	order := func(account schema.AccountID, r schema.OrderRequest) schema.Order {
		r.Market = 2
		return w.must(&schema.PlaceOrder{Account: account, Order: r}).Order
	}
	give(anna, usd, d("1000000000000"))
	for _, price := range []string{"0.00000001", "0.00000002"} {
		give(ben, 3, most)
		order(ben, limit(schema.Sell, most.String(), price))
	}
	order(anna, limit(schema.Buy, "7", "0.00000001"))
	bought := order(anna, market1(schema.Buy, "1000000000000"))
	// All but seven of the first, seven of the second.
	w.order(bought, schema.Filled, "907766279631.45224186", most.String(), "92233720368.54775814", "0")
}

// TestExitsWhileSomethingIsHeld: dora trades money away that is not confirmed.
func TestExitsWhileSomethingIsHeld(t *testing.T) {
	w := newWorld(t)
	dora := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}}).ID)
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("1000"), Held: true})
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("100")})
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("1100"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Sell, "10", "100"))
	w.place(dora, limit(schema.Buy, "10", "100"))
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("9.98"), From: schema.Trade, To: schema.Main})
	out := func(amount string) *schema.Withdraw {
		return &schema.Withdraw{Account: dora, Asset: btc, Amount: d(amount)}
	}
	held := func(free string) schema.Rejection {
		return schema.Rejection{Reason: schema.MoveHeld, Value: d(free)}
	}
	w.must(out("0.98")) // nothing hinders it yet
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("0.98")})
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})

	w.refused(held("0"), out("0.01")) // without an index bitcoins do not count as owned
	w.must(&schema.SetIndex{Market: spot, Price: d("90")})
	w.refused(held("0"), out("0.01")) // 898.2 + 100
	w.must(&schema.SetIndex{Market: spot, Price: d("92")})
	w.refused(held("0.1816"), out("0.18160001")) // 918.16 + 100, at the last price of 100
	w.must(&schema.SetIndex{Market: spot, Price: d("120")})
	w.place(dora, limit(schema.Buy, "1", "99")) // what orders hold is owned too
	w.refused(held("2.48"), out("2.48000001"))  // 1197.6 + 100
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("2.48")}, &schema.Transfer{Account: dora, Asset: btc, Amount: d("3"), From: schema.Main, To: schema.Collateral})
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("9.98")}, out("10"))
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("2"), From: schema.Main, To: schema.Collateral})
	w.must(out("0.48"))
	w.refused(held("0"), out("0.00000001"))
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: usd, Amount: d("1000")})
	w.must(out("7.5"))
}
