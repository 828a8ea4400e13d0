package demo

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestVenueLooksReal reads the listing as a client sees it.
func TestVenueLooksReal(t *testing.T) {
	h := enter(t, t.TempDir())
	type bounds struct{ Min, Max decimal }
	var assets map[string]struct {
		ID        int  `json:"unified_cryptoasset_id"`
		Precision int  `json:"currency_precision"`
		IsMemo    bool `json:"is_memo"`
		Networks  struct {
			Deposits, Withdraws []string
			Default             string
		}
		Limits        struct{ Deposit, Withdraw map[string]bounds }
		Confirmations map[string]int
		ForTrading    map[string]int `json:"confirmations_for_trading"`
		Providers     struct{ Deposits, Withdraws []string }
	}
	h.get("/api/v4/public/assets", &assets)
	for ticker, want := range map[string]struct {
		id, precision int
		networks      []string
	}{
		"BTC":  {1, 8, []string{"BTC"}},
		"ETH":  {1027, 8, []string{"ERC20", "ARBITRUM"}},
		"USDT": {825, 6, []string{"ERC20", "TRC20", "SOL"}},
		"PEPE": {24478, 18, []string{"ERC20"}},
		"XRP":  {52, 6, []string{"XRP"}},
	} {
		a := assets[ticker]
		if a.ID != want.id || a.Precision != want.precision || !slices.Equal(a.Networks.Deposits, want.networks) || a.Networks.Default != want.networks[0] {
			t.Errorf("%s: %+v", ticker, a)
		}
		if a.IsMemo != (ticker == "XRP") {
			t.Errorf("%s: memo %v", ticker, a.IsMemo)
		}
		for _, network := range want.networks {
			if a.Limits.Deposit[network].Min.Sign() <= 0 || a.ForTrading[network] < 1 || a.Confirmations[network] < a.ForTrading[network] {
				t.Errorf("%s on %s: %+v", ticker, network, a)
			}
		}
	}
	if p := assets["EUR"].Providers; !slices.Equal(p.Deposits, []string{"SEPA", "VISAMASTER"}) || !slices.Equal(p.Withdraws, p.Deposits) {
		t.Errorf("EUR: %+v", p)
	}
	if p := assets["USD"].Providers; !slices.Equal(p.Deposits, []string{"VISAMASTER"}) || len(p.Withdraws) != 0 {
		t.Errorf("USD: %+v", p)
	}
	method := assets["USD_VISAMASTER"]
	if !slices.Equal(method.Networks.Deposits, []string{"USD_VISAMASTER"}) || method.Limits.Withdraw["USD_VISAMASTER"].Max.Decimal != dec("5000") {
		t.Errorf("the payment method: %+v", method)
	}
	if len(assets) != 8 {
		t.Errorf("there are %d assets", len(assets))
	}
}

// TestDepositsComeBySandboxes: every network on which crypto arrives has a chain of its own forms, whose blocks come by themselves; fiat comes by providers.
func TestDepositsComeBySandboxes(t *testing.T) {
	families := map[string]schema.Family{
		"BTC": schema.Bitcoin, "ERC20": schema.EVM, "ARBITRUM": schema.EVM, "TRC20": schema.TRON, "SOL": schema.Solana, "XRP": schema.XRP,
	}
	enter(t, t.TempDir()).Node.Read(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			for _, n := range a.Networks {
				chain := m.Chains().Get(n.Chain)
				if a.Class != schema.Crypto {
					if chain == nil || chain.Driver != schema.Provider || chain.Name != n.Name {
						t.Errorf("%s by %s comes by %+v", a.Ticker, n.Name, chain)
					}
					continue
				}
				if chain == nil || chain.Driver != schema.Sandbox || chain.Family != families[n.Name] || chain.Net == schema.Mainnet || chain.Interval == 0 || chain.Interval > 5*schema.Second {
					t.Errorf("%s on %s comes by %+v", a.Ticker, n.Name, chain)
				}
			}
		}
		if n := len(m.Chains().All()); n != 8 {
			t.Errorf("there are %d chains", n)
		}
	})
}

// TestMarketsHaveRules: ticks and steps are the digits except on one market, where they are coarser; minimums
// are small; and all can be played.
func TestMarketsHaveRules(t *testing.T) {
	h := enter(t, t.TempDir())
	var all []rules
	h.get("/api/v4/public/markets", &all)
	type digits struct {
		tick, step       string
		moneyPrec, stock int
	}
	want := map[string]digits{
		"BTC_USDT":  {"0.01", "0.000001", 2, 6},
		"ETH_USDT":  {"0.01", "0.0001", 2, 4},
		"ETH_BTC":   {"0.000001", "0.0001", 6, 4},
		"PEPE_USDT": {"0.0000000001", "1", 10, 0},
		"XRP_USDT":  {"0.0005", "5", 4, 1},
		"BTC_PERP":  {"0.1", "0.00001", 1, 5},
		"ETH_PERP":  {"0.01", "0.0001", 2, 4},
	}
	if len(all) != len(want) {
		t.Errorf("there are %d markets", len(all))
	}
	for i := range all {
		r := &all[i]
		if got := (digits{r.TickSize.String(), r.StepSize.String(), r.MoneyPrec, r.StockPrec}); got != want[r.Name] {
			t.Errorf("%s: %v", r.Name, got)
		}
	}
	markets, err := readMarkets(t.Context(), h.gate, h.world.scenes)
	if err != nil {
		t.Fatal(err)
	}
	dollars := map[string]string{"BTC": "97250", "USDT": "1", "PERP": "1"} // of what is paid with
	for _, m := range markets {
		_, quote, _ := strings.Cut(m.name, "_")
		for what, least := range map[string]fixed.Decimal{"amount": multiply(m.minAmount, m.start), "total": m.minTotal} {
			// On the coarse market the smallest amount is one step.
			if worth := multiply(least, dec(dollars[quote])); worth.Cmp(dec("1.01")) > 0 && (m.name != "XRP_USDT" || what != "amount") {
				t.Errorf("%s: the least %s is worth $%s", m.name, what, worth)
			}
		}
		if 2*m.gap < spreadMin {
			t.Errorf("%s: makers are %d ticks apart", m.name, 2*m.gap)
		}
		// A visitor can trade a small order, and the start price is on the tick.
		if total := multiply(m.start, m.unit); m.minAmount.Cmp(m.unit) > 0 || m.minTotal.Cmp(total) > 0 || !m.unit.MultipleOf(m.step) || !m.start.MultipleOf(m.tick) {
			t.Errorf("%s: a unit of %s at %s does not fit its rules", m.name, m.unit, m.start)
		}
	}
}

// TestFuturesHaveTerms: what is written in the set-up is what holds, to the digit.
func TestFuturesHaveTerms(t *testing.T) {
	h := enter(t, t.TempDir())
	h.Node.Read(func(m core.View) {
		for _, name := range []string{"BTC_PERP", "ETH_PERP"} {
			info := m.Listing().MarketByName(name)
			want := schema.Margin{
				MaxLeverage: 100, Bracket100: dec("50000"), Bracket50: dec("250000"), PriceBand: dec("10"), MarkBand: dec("0.5"),
				ImpactNotional: dec("10000"), FundingMinutes: 5, FundingCap: dec("0.0003"), FundingFloor: dec("-0.0003"),
				LiquidationFee: dec("0.2"), LiquidationBand: dec("2"),
			}
			if info.Type != schema.Futures || info.Margin != want || info.MakerFee != dec("0.02") || info.TakerFee != dec("0.05") {
				t.Errorf("%s: %+v", name, info)
			}
		}
		for _, name := range []string{"BTC_USDT", "ETH_USDT", "ETH_BTC"} {
			if got := m.Listing().MarketByName(name).Margin; got != (schema.Margin{MaxLeverage: 10, LiquidationBand: dec("2")}) {
				t.Errorf("%s: %+v", name, got)
			}
		}
		for ticker, want := range map[string]schema.SetCollateral{
			"USDT": {Weight: dec("1"), PoolCap: dec("10000000"), AccountCap: dec("1000000")},
			"BTC":  {Weight: dec("0.95"), PoolCap: dec("100"), AccountCap: dec("10")},
			"ETH":  {Weight: dec("0.95"), PoolCap: dec("1000"), AccountCap: dec("100")},
		} {
			want.Asset, want.Rate, want.IndexMaxAge = m.Listing().AssetByTicker(ticker).ID, dec("0.000024375"), 30*schema.Second
			if got, set := m.Prices().Collateral(want.Asset); !set || got != want {
				t.Errorf("%s as collateral: %+v", ticker, got)
			}
		}
		for _, f := range []struct {
			fund         schema.AccountID
			ticker, want string
		}{{schema.Insurance, "USDT", "100000"}, {schema.Lending, "USDT", "10000000"}, {schema.Lending, "BTC", "100"}, {schema.Lending, "ETH", "1000"}} {
			if got, _, _ := m.Balance(f.fund, schema.Main, m.Listing().AssetByTicker(f.ticker).ID); got != dec(f.want) {
				t.Errorf("the fund %s has %s %s", f.fund.SystemName(), got, f.ticker)
			}
		}
	})
}

// TestSupplyOfTheToken is trillions, with all its decimals.
func TestSupplyOfTheToken(t *testing.T) {
	h := enter(t, t.TempDir())
	sum := dec("0")
	for _, id := range append(slices.Clone(h.world.makers), h.world.visitors...) {
		var have map[string]struct{ Available decimal }
		h.ask(newClient(h.gate, id), "/api/v4/trade-account/balance", fields{"ticker": "PEPE"}, &have)
		sum = sum.Add(have["PEPE"].Available.Decimal)
	}
	if sum.Cmp(dec("200000000000000")) < 0 {
		t.Errorf("there are only %s", sum)
	}
}
