package core

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// scaledGenesis is one market on an exchange where the quote asset is worth a tenth of what it
// is on the other: all that counts it is ten times as much, with one decimal less. Fees have so
// many decimals that none is cut off, because cutting does not scale.
func scaledGenesis(by fixed.Decimal, moneyPrec uint8) []schema.Command {
	times := func(s string) fixed.Decimal { return multiplied(d(s), by) }
	list := []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "AAA", CanDeposit: true, CanWithdraw: true, Scale: 18, Precision: 8, Class: schema.Crypto}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BBB", CanDeposit: true, CanWithdraw: true, Scale: 18, Precision: moneyPrec, Class: schema.Fiat}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "AAA_BBB", Base: 1, Quote: 2, Type: schema.Spot, Enabled: true, StockPrec: 3, MoneyPrec: moneyPrec, FeePrec: 16,
			TickSize: times("0.05"), StepSize: d("0.005"), MinAmount: d("0.01"), MinTotal: times("1"), MaxTotal: times("5000"),
			MakerFee: d("-0.0123"), TakerFee: d("0.2"), RPIPremium: schema.Some(d("0.05")), TakerBand: d("5"),
		}},
	}
	for i := range worldAccounts {
		list = append(list, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global, Retail: i < 3, RPI: i%2 == 0}})
	}
	for i := range worldAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		for asset, amount := range []fixed.Decimal{d("10000"), times("10000")} {
			id := schema.AssetID(asset + 1)
			list = append(list,
				&schema.Deposit{Account: account, Asset: id, Amount: amount},
				&schema.Transfer{Account: account, Asset: id, Amount: amount, From: schema.Main, To: schema.Trade})
		}
	}
	return list
}

func multiplied(a, b fixed.Decimal) fixed.Decimal {
	product, ok := fixed.Mul(a, b, fixed.Places, fixed.Down)
	if !ok {
		panic("a product that does not fit")
	}
	return product
}

var ten = fixed.FromInt(10)

// tenfold is ten times a number, or false if there is no such number.
func tenfold(numbers ...*fixed.Decimal) bool {
	for _, n := range numbers {
		product, ok := fixed.Mul(*n, ten, fixed.Places, fixed.Down)
		if !ok {
			return false
		}
		*n = product
	}
	return true
}

// scaled is the same command where the quote asset counts ten times as much.
func scaled(c schema.Command) (schema.Command, bool) {
	switch c := c.(type) {
	case *schema.PlaceOrder:
		r := *c
		ok := tenfold(&r.Order.Price, &r.Order.ActivationPrice)
		if r.Order.Type.InQuote(r.Order.Side) {
			ok = ok && tenfold(&r.Order.Amount)
		}
		return &r, ok
	case *schema.ModifyOrder:
		r := *c
		for _, n := range []*schema.Optional{&r.Price, &r.ActivationPrice, &r.Total} {
			if d := n.Value(); n.Set() {
				if !tenfold(&d) {
					return nil, false
				}
				*n = schema.Some(d)
			}
		}
		return &r, true
	case *schema.CancelOrder:
		return c, true
	}
	return nil, false
}

// scaleOrder makes an order what it is on the other exchange.
func scaleOrder(t *rapid.T, o schema.Order) schema.Order {
	numbers := []*fixed.Decimal{&o.Price, &o.ActivationPrice, &o.DealMoney}
	if o.Type.InQuote(o.Side) {
		numbers = append(numbers, &o.Amount, &o.Left)
	}
	if o.Side == schema.Sell {
		numbers = append(numbers, &o.DealFee)
	}
	if !tenfold(numbers...) {
		t.Fatalf("an order too large to be scaled: %+v", o)
	}
	return o
}

// TestPricesScaledByTenGiveMoneyScaledByTen: nothing in the rules may depend on what the quote
// asset is worth.
func TestPricesScaledByTenGiveMoneyScaledByTen(t *testing.T) {
	deals := schema.DealID(0)
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		w := &world{now: start}
		a, b := New(), New()
		for _, c := range scaledGenesis(fixed.One, 2) {
			a.Apply(w.now, c)
		}
		for _, c := range scaledGenesis(ten, 1) {
			b.Apply(w.now, c)
		}
		for range 1 + chance(r, 100) {
			at, c := w.next(r)
			onlyMarket(c)
			tenTimes, ok := scaled(c)
			if !ok {
				continue
			}
			small, large := a.Apply(at, c).Result, b.Apply(at, tenTimes).Result
			w.orders = a.Trading().Counters().Order
			if small.Rejection.Reason != large.Rejection.Reason {
				t.Fatalf("%T %+v: %q and %q", c, c, small.Rejection.Text(), large.Rejection.Text())
			}
			if want := scaleOrder(t, small.Order); large.Order != want {
				t.Fatalf("%T %+v:\n got %+v\nwant %+v", c, c, large.Order, want)
			}
		}
		compareScaled(t, a, b)
		deals += a.Trading().Counters().Deal
	})
	if deals == 0 {
		t.Error("nobody ever traded")
	}
}

// onlyMarket sends a command to the one market that there is.
func onlyMarket(c schema.Command) {
	switch c := c.(type) {
	case *schema.PlaceOrder:
		c.Order.Market = 1
	case *schema.ModifyOrder:
		c.Order.Market = 1
	case *schema.CancelOrder:
		c.Order.Market = 1
	}
}

func compareScaled(t *rapid.T, a, b *Machine) {
	owners := []schema.AccountID{schema.Outside, schema.Fees}
	for _, account := range a.Accounts().All() {
		owners = append(owners, account.ID)
	}
	for _, owner := range owners {
		for _, wallet := range []schema.Wallet{schema.Main, schema.Trade} {
			for asset := schema.AssetID(1); asset <= 2; asset++ {
				available, frozen, _ := a.Balance(owner, wallet, asset)
				if asset == 2 {
					available, frozen = multiplied(available, ten), multiplied(frozen, ten)
				}
				if gotAvailable, gotFrozen, _ := b.Balance(owner, wallet, asset); gotAvailable != available || gotFrozen != frozen {
					t.Fatalf("account %d, asset %d: %s %s, want %s %s", owner, asset, gotAvailable, gotFrozen, available, frozen)
				}
			}
		}
	}
	small, large := a.Trading().All(1), b.Trading().All(1)
	if len(small) != len(large) {
		t.Fatalf("%d and %d open orders", len(small), len(large))
	}
	for i := range small {
		if want := scaleOrder(t, small[i]); large[i] != want {
			t.Fatalf("got %+v\nwant %+v", large[i], want)
		}
	}
}
