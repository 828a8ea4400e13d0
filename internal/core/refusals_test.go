package core

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// refusal is a command that must be refused, and why.
type refusal struct {
	name   string
	sent   schema.Command
	reason schema.Reason
}

// refuse runs each command on a machine of its own and checks the reason, and that nothing but
// the answer came of it.
func refuse(t *testing.T, list []refusal, prepare ...schema.Command) {
	t.Helper()
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			m := lively(t)
			apply(t, m, m.Time(), prepare...)
			hash := m.Hash()
			out := m.Apply(m.Time()+schema.Second, tt.sent)
			if r := out.Result.Rejection; r.Reason != tt.reason {
				t.Errorf("refused with %d %q, want %d %q", r.Reason, r.Text(), tt.reason, schema.Refuse(tt.reason).Text())
			}
			if m.Hash() != hash {
				t.Error("the state changed")
			}
			if out.Events.Len() != 0 || out.Result.ID != 0 || out.Result.Order.ID != 0 {
				t.Errorf("%d events and the result %+v came of it", out.Events.Len(), out.Result)
			}
		})
	}
}

// changed is a copy of a value with a change.
func changed[T any](value T, change func(v *T)) T {
	change(&value)
	return value
}

func TestSetAssetRefuses(t *testing.T) {
	good := schema.Asset{Ticker: "DDD", Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{{Name: "one", Default: true}, {Name: "two"}}}
	with := func(change func(a *schema.Asset)) *schema.SetAsset {
		return &schema.SetAsset{Asset: changed(good, change)}
	}
	network := func(n schema.Network) *schema.SetAsset {
		return with(func(a *schema.Asset) { a.Networks = []schema.Network{{Name: "one", Default: true}, n} })
	}
	m := lively(t)
	apply(t, m, m.Time(), with(func(*schema.Asset) {}))
	refuse(t, []refusal{
		{"no ticker", with(func(a *schema.Asset) { a.Ticker = "" }), schema.TickerInvalid},
		{"a ticker of small letters", with(func(a *schema.Asset) { a.Ticker = "ddd" }), schema.TickerInvalid},
		{"a ticker of 21 letters", with(func(a *schema.Asset) { a.Ticker = strings.Repeat("D", 21) }), schema.TickerInvalid},
		{"a ticker with a space", with(func(a *schema.Asset) { a.Ticker = "D D" }), schema.TickerInvalid},
		{"no class", with(func(a *schema.Asset) { a.Class = 0 }), schema.ClassInvalid},
		{"an unknown class", with(func(a *schema.Asset) { a.Class = 4 }), schema.ClassInvalid},
		{"19 decimals", with(func(a *schema.Asset) { a.Scale = 19 }), schema.ScaleInvalid},
		{"finer for people than in the ledger", with(func(a *schema.Asset) { a.Precision = 9 }), schema.ScaleInvalid},
		{"a least deposit below zero", with(func(a *schema.Asset) { a.MinDeposit = d("-1") }), schema.LimitInvalid},
		{"a least deposit above the largest", with(func(a *schema.Asset) { a.MinDeposit, a.MaxDeposit = d("2"), d("1") }), schema.LimitInvalid},
		{"a largest deposit below zero", with(func(a *schema.Asset) { a.MaxDeposit = d("-1") }), schema.LimitInvalid},
		{"a least withdrawal below zero", with(func(a *schema.Asset) { a.MinWithdraw = d("-1") }), schema.LimitInvalid},
		{"a least withdrawal above the largest", with(func(a *schema.Asset) { a.MinWithdraw, a.MaxWithdraw = d("2"), d("1") }), schema.LimitInvalid},
		{"a network's deposit limits", network(schema.Network{Name: "two", MinDeposit: d("2"), MaxDeposit: d("1")}), schema.LimitInvalid},
		{"a network's withdrawal limits", network(schema.Network{Name: "two", MinWithdraw: d("-2")}), schema.LimitInvalid},
		{"a network without a name", network(schema.Network{}), schema.NetworkInvalid},
		{"a network twice", network(schema.Network{Name: "one"}), schema.NetworkInvalid},
		{"two default networks", network(schema.Network{Name: "two", Default: true}), schema.NetworkInvalid},
		{"tradable later than confirmed", network(schema.Network{Name: "two", Confirmations: 1, ConfirmationsForTrading: 2}), schema.NetworkInvalid},
		{"another class", &schema.SetAsset{Asset: schema.Asset{Ticker: "AAA", CanDeposit: true, CanWithdraw: true, Class: schema.Fiat, Scale: 18, Precision: 8}}, schema.ImmutableChanged},
		{"another scale", &schema.SetAsset{Asset: schema.Asset{Ticker: "AAA", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 17, Precision: 8}}, schema.ImmutableChanged},
	})
}

func TestSetMarketRefuses(t *testing.T) {
	good := genesis()[worldAssets].(*schema.SetMarket).Market
	with := func(change func(m *schema.MarketInfo)) *schema.SetMarket {
		return &schema.SetMarket{Market: changed(good, change)}
	}
	refuse(t, []refusal{
		{"an unknown base", with(func(m *schema.MarketInfo) { m.Base = 9 }), schema.AssetsInvalid},
		{"an unknown quote", with(func(m *schema.MarketInfo) { m.Quote = 0 }), schema.AssetsInvalid},
		{"base and quote the same", with(func(m *schema.MarketInfo) { m.Quote = 1 }), schema.AssetsInvalid},
		{"a name that is not BASE_QUOTE", with(func(m *schema.MarketInfo) { m.Name = "AAA-BBB" }), schema.NameInvalid},
		{"the name of another pair", with(func(m *schema.MarketInfo) { m.Quote = 3 }), schema.NameInvalid},
		{"no type", with(func(m *schema.MarketInfo) { m.Type = 0 }), schema.MarketTypeInvalid},
		{"TradFi futures that are not quoted in USD", with(func(m *schema.MarketInfo) { m.Type = schema.TradFiFutures }), schema.AssetsInvalid},
		{"futures that are not quoted in USDT", with(func(m *schema.MarketInfo) { m.Type = schema.Futures }), schema.AssetsInvalid},
		{"spot with a leverage", with(func(m *schema.MarketInfo) { m.MaxLeverage = 1 }), schema.SpotMarginInvalid},
		{"amounts finer than the base", with(func(m *schema.MarketInfo) { m.StockPrec = 19 }), schema.PrecisionInvalid},
		{"money finer than the quote", with(func(m *schema.MarketInfo) { m.MoneyPrec = 10 }), schema.PrecisionInvalid},
		{"precisions whose sum wraps around", with(func(m *schema.MarketInfo) { m.MoneyPrec = 255 }), schema.PrecisionInvalid},
		{"fees finer than the quote", with(func(m *schema.MarketInfo) { m.FeePrec = 13 }), schema.PrecisionInvalid},
		{"a tick that is too fine", with(func(m *schema.MarketInfo) { m.TickSize = d("0.001") }), schema.StepInvalid},
		{"a tick below zero", with(func(m *schema.MarketInfo) { m.TickSize = d("-0.01") }), schema.StepInvalid},
		{"a step that is too fine", with(func(m *schema.MarketInfo) { m.StepSize = d("0.0001") }), schema.StepInvalid},
		{"a step that cannot be counted", with(func(m *schema.MarketInfo) { m.StepSize = d("99999999999999999999") }), schema.StepInvalid},
		{"a least amount below zero", with(func(m *schema.MarketInfo) { m.MinAmount = d("-1") }), schema.LimitInvalid},
		{"a least total below zero", with(func(m *schema.MarketInfo) { m.MinTotal = d("-1") }), schema.LimitInvalid},
		{"a least total above the largest", with(func(m *schema.MarketInfo) { m.MinTotal, m.MaxTotal = d("2"), d("1") }), schema.LimitInvalid},
		{"a maker fee of 50", with(func(m *schema.MarketInfo) { m.MakerFee = d("50") }), schema.FeeInvalid},
		{"a rebate of 50", with(func(m *schema.MarketInfo) { m.MakerFee = d("-50") }), schema.FeeInvalid},
		{"a maker fee of 17 decimals", with(func(m *schema.MarketInfo) { m.MakerFee = d("0.00000000000000001") }), schema.FeeInvalid},
		{"a taker fee of 50", with(func(m *schema.MarketInfo) { m.TakerFee = d("50") }), schema.FeeInvalid},
		{"takers that are paid", with(func(m *schema.MarketInfo) { m.TakerFee = d("-0.1") }), schema.FeeInvalid},
		{"a premium of 50", with(func(m *schema.MarketInfo) { m.RPIPremium = schema.Some(d("50")) }), schema.FeeInvalid},
		{"a band below zero", with(func(m *schema.MarketInfo) { m.TakerBand = d("-1") }), schema.BandInvalid},
		{"a band of 100", with(func(m *schema.MarketInfo) { m.TakerBand = d("100") }), schema.BandInvalid},
		{"other amounts", with(func(m *schema.MarketInfo) { m.StockPrec = 4 }), schema.ImmutableChanged},
		{"other prices", with(func(m *schema.MarketInfo) { m.MoneyPrec = 3 }), schema.ImmutableChanged},
	})
}

func TestChangesOfADelistedMarketAreRefused(t *testing.T) {
	market := genesis()[worldAssets].(*schema.SetMarket)
	m := lively(t)
	apply(t, m, m.Time(), &schema.PlanDelisting{Market: 1, At: m.Time()})
	apply(t, m, m.Time()+1, &schema.Tick{})
	hash := m.Hash()
	for _, tt := range []refusal{
		{"settings", market, schema.MarketDelisted},
		{"maintenance", &schema.PlanMaintenance{Market: 1, From: m.Time() + 1, To: m.Time() + 2}, schema.MarketDelisted},
		{"delisting", &schema.PlanDelisting{Market: 1}, schema.MarketDelisted},
		{"order", order(101, schema.OrderRequest{Side: schema.Buy, Amount: d("1"), Price: d("20")}), schema.MarketUnavailable},
		{"kill switch", &schema.SetKillSwitch{Account: 101, Market: 1, Timeout: 60 * schema.Second}, schema.MarketUnavailable},
	} {
		if r := m.Apply(m.Time(), tt.sent).Result.Rejection; r.Reason != tt.reason || m.Hash() != hash {
			t.Errorf("%s: %d %q", tt.name, r.Reason, r.Text())
		}
	}
}

func TestPlansAreRefused(t *testing.T) {
	now := lively(t).Time() + schema.Second // when refuse sends
	refuse(t, []refusal{
		{"maintenance of no market", &schema.PlanMaintenance{Market: 4, From: now, To: now + 1}, schema.MarketUnavailable},
		{"maintenance that ends as it begins", &schema.PlanMaintenance{Market: 1, From: now + 1, To: now + 1}, schema.TimesInvalid},
		{"maintenance that ends before", &schema.PlanMaintenance{Market: 1, From: now + 2, To: now + 1}, schema.TimesInvalid},
		{"maintenance in the past", &schema.PlanMaintenance{Market: 1, From: now - 1, To: now + 1}, schema.TimesInvalid},
		{"delisting of no market", &schema.PlanDelisting{Market: 0, At: now}, schema.MarketUnavailable},
		{"delisting in the past", &schema.PlanDelisting{Market: 1, At: now - 1}, schema.TimesInvalid},
		{"delisting before all time", &schema.PlanDelisting{Market: 1, At: -1}, schema.TimesInvalid},
		{"a feature without a number", &schema.SetFeature{}, schema.FeatureInvalid},
		{"a feature of a later version", &schema.SetFeature{Feature: schema.TwoOperators + 1, On: true}, schema.FeatureInvalid},
		{"bounded work off", &schema.SetFeature{Feature: schema.BoundedWork}, schema.FeatureForGood},
		{"exact money off", &schema.SetFeature{Feature: schema.ExactMoney}, schema.FeatureForGood},
		{"exact nonces off", &schema.SetFeature{Feature: schema.ExactNonces}, schema.FeatureForGood},
		{"judged keys off", &schema.SetFeature{Feature: schema.JudgedKeys}, schema.FeatureForGood},
		{"two operators off", &schema.SetFeature{Feature: schema.TwoOperators}, schema.FeatureForGood},
	})
}

func TestMaintenanceThatRunsIsNotPlannedAnew(t *testing.T) {
	m := lively(t)
	apply(t, m, m.Time(), &schema.PlanMaintenance{Market: 1, From: m.Time() + 1, To: m.Time() + schema.Second})
	apply(t, m, m.Time()+1, &schema.Tick{})
	hash := m.Hash()
	out := m.Apply(m.Time(), &schema.PlanMaintenance{Market: 1, From: m.Time() + 5, To: m.Time() + 6})
	if out.Result.Rejection.Reason != schema.TimesInvalid || m.Hash() != hash {
		t.Errorf("got %+v", out.Result.Rejection)
	}
}
