package main

import (
	"strings"
	"testing"
)

func TestOperatorFutures(t *testing.T) {
	d := openDesk(t)
	d.do("markets", "create", "BTC_PERP", "--type", "futures", "--stock-prec", "3", "--money-prec", "2", "--fee-prec", "6", "--bracket-100", "50000",
		"--bracket-50", "250000", "--funding-minutes", "5", "--funding-floor=-0.001", "--enabled")
	d.has(d.get("markets/BTC_PERP"), `{"type":"futures","max_leverage":100,"bracket_100":"50000","bracket_50":"250000","bracket_20":"0","funding_minutes":5,
		"funding_floor":"-0.001","funding_cap":"0.0003","price_band":"10","mark_band":"0.5","impact_notional":"10000","liquidation_fee":"0.2","liquidation_band":"2"}`)
	d.do("markets", "set", "BTC_PERP", "--max-leverage", "20", "--bracket-20", "300000", "--max-position", "1", "--max-pending", "2", "--max-open-interest", "3",
		"--price-band", "5", "--mark-band", "1", "--impact-notional", "7", "--funding-cap", "0.002", "--liquidation-fee", "0.1", "--liquidation-band", "3")
	d.has(d.get("markets/BTC_PERP"), `{"max_leverage":20,"bracket_20":"300000","max_position":"1","max_pending":"2","max_open_interest":"3","price_band":"5",
		"mark_band":"1","impact_notional":"7","funding_cap":"0.002","liquidation_fee":"0.1","liquidation_band":"3","bracket_100":"50000"}`)
	const terms = "Futures need a leverage of 1, 2, 3, 5, 10, 20, 50 or 100, brackets that grow as leverage falls, bands of at most 100 percent, an impact notional, " +
		"1 to 1440 minutes of funding and a floor no higher than its cap; other markets have none of it. (margin)"
	d.refuses(1, terms, "markets", "set", "BTC_PERP", "--max-leverage", "15")
	const spot = "Spot markets have no margin, or a leverage of 1, 2, 3, 5 or 10, a liquidation band of at most 100 percent and bounds of positions and pending orders, " +
		"and they keep it. (margin)"
	d.refuses(1, spot, "markets", "set", "BTC_USDT", "--mark-band", "1")
	d.do("markets", "set", "BTC_USDT", "--max-leverage", "10", "--max-position", "5")
	d.has(d.get("markets/BTC_USDT"), `{"type":"spot","max_leverage":10,"max_position":"5","max_pending":"0","liquidation_band":"2"}`)
	d.refuses(1, spot, "markets", "set", "BTC_USDT", "--max-leverage", "20")
	d.refuses(1, spot, "markets", "set", "BTC_USDT", "--max-leverage", "0")

	d.prints(d.do("collateral", "list"), "no collateral\n")
	d.do("collateral", "set", "BTC", "--weight", "0.95")
	d.do("collateral", "set", "BTC", "--pool-cap", "100", "--account-cap", "3", "--index-max-age", "3600")
	d.prints(d.do("collateral", "show", "BTC"), `
asset          BTC
weight         0.95
rate           0.000024375
pool cap       100
account cap    3
index max age  3600
`)
	d.has(d.get("collateral/BTC"), `{"weight":"0.95","rate":"0.000024375","pool_cap":"100","account_cap":"3","index_max_age":3600}`)
	d.same(d.json("collateral", "list"), d.get("collateral"))
	d.refuses(1, "A weight is from 0 to 1 with at most 4 decimals, an hourly rate from 0 to less than 1, caps are not negative, and an index lasts 1 to 3600 seconds. (collateral)", "collateral", "set", "BTC", "--weight", "1.5")
	d.refuses(2, "operator collateral set: there is nothing to change: give at least one setting", "collateral", "set", "BTC")

	d.do("index", "set", "BTC_PERP", "50000", "--source", "2")
	d.do("index", "set", "BTC_USDT", "50010")
	d.has(d.get("markets/BTC_PERP"), `{"index":"50005","mark":"50005","mark_fresh":true,"funding_rate":"0"}`)
	if out := d.do("index", "show", "BTC"); !strings.Contains(out, "price    50005\n") || !strings.Contains(out, "\n     2  50000  ") {
		t.Errorf("the index is shown as\n%s", out)
	}
	d.same(d.json("index", "show", "BTC").(map[string]any)["price"], d.get("assets/BTC/index").(map[string]any)["price"])
	d.do("index", "clear", "BTC_PERP", "--source", "2")
	d.has(d.get("assets/BTC/index"), `{"price":"50010","fresh":true,"max_age":3600}`)

	d.do("accounts", "set", "alice", "--max-leverage", "20")
	d.has(d.get("accounts/alice"), `{"max_leverage":20}`)
	d.refuses(1, "Leverage should be 1, 2, 3, 5, 10, 20, 50 or 100, and at most 100. (leverage)", "accounts", "set", "alice", "--max-leverage", "4")
}

// TestOperatorTradFi lists a future on a share, says its price in USD, and lets an account trade it.
func TestOperatorTradFi(t *testing.T) {
	d := openDesk(t)
	d.do("assets", "create", "USD", "--class", "fiat", "--scale", "18")
	d.do("assets", "create", "AAPL", "--class", "crypto", "--scale", "18")
	d.do("markets", "create", "USD_USDT", "--stock-prec", "2", "--money-prec", "4", "--fee-prec", "6")
	d.do("markets", "create", "AAPL_USD", "--type", "tradfiFutures", "--stock-prec", "3", "--money-prec", "2", "--fee-prec", "6", "--max-leverage", "20", "--enabled")
	d.has(d.get("markets/AAPL_USD"), `{"type":"tradfiFutures","max_leverage":20,"funding_minutes":480,"price_band":"10","mark_fresh":false}`)
	d.refuses(1, "Set an index price of USD_USDT first: it is not known what USD is worth in USDT. (price)", "index", "set", "AAPL_USD", "230.10")
	d.do("index", "set", "USD_USDT", "0.9995")
	d.do("index", "set", "AAPL_USD", "230.10")
	d.has(d.get("markets/AAPL_USD"), `{"index":"230.1","mark":"230.1","mark_fresh":true}`)
	d.has(d.get("assets/AAPL/index"), `{"price":"229.98495","fresh":true}`)
	d.do("accounts", "set", "alice", "--tradfi")
	d.has(d.get("accounts/alice"), `{"tradfi":true}`)
	d.refuses(1, "Base and quote must be two listed assets. (base)", "markets", "create", "AAPL_PERP", "--type", "tradfiFutures")
}

func TestOperatorFunds(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("funds", "list"), "no money\n")
	wantLines(t, d.do("funds", "deposit", "insurance", "USDT", "1000.5"), "asset insurance lending lent clearing codes convert interest pool custody suspense owed", "USDT 1000.5 0 0 0 0 0 0 0 0 0 0")
	d.do("funds", "deposit", "lending", "USDT", "50")
	wantLines(t, d.do("funds", "withdraw", "insurance", "USDT", "1000"), "asset insurance lending lent clearing codes convert interest pool custody suspense owed", "USDT 0.5 50 0 0 0 0 0 0 0 0 0")
	d.do("funds", "deposit", "convert", "USDT", "7")
	d.do("funds", "deposit", "interest", "USDT", "8")
	wantLines(t, d.do("funds", "withdraw", "convert", "USDT", "1"), "asset insurance lending lent clearing codes convert interest pool custody suspense owed", "USDT 0.5 50 0 0 0 6 8 0 0 0 0")
	d.same(d.json("funds", "list"), d.get("funds"))
	d.refuses(1, "You don't have such amount for transfer (available 0.5) (amount)", "funds", "withdraw", "insurance", "USDT", "0.6")
	if _, errs, code := d.try("", "funds", "deposit", "fees", "USDT", "1"); code != 2 || !strings.Contains(errs, "insurance") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestOperatorMargin(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("margin", "alice"), `
account      alice
risk         none
leverage     10
hedge mode   no
equity       0
unrealized   0
margin       0
maintenance  0

no positions

no loans
`)
	d.same(d.json("margin", "alice"), d.get("accounts/alice/margin"))
	d.refuses(1, `there is no position "7"`, "close", "alice", "7")
	d.refuses(1, `there is no account "nobody"`, "margin", "nobody")
}

// TestOperatorConversion: what holds where nobody said anything, every setting by itself, and what cannot be.
func TestOperatorConversion(t *testing.T) {
	d := openDesk(t)
	wantLines(t, d.do("conversion"), "on no", "spread 0.002", "hubs -", "open most 100000", "day most 1000000", "loss most 10000")
	wantLines(t, d.do("conversion", "set", "--on", "--hub", "USDT", "--hub", "BTC"), "on yes", "spread 0.002", "hubs USDT, BTC", "open most 100000", "day most 1000000", "loss most 10000")
	all := d.get("conversion").(map[string]any)
	d.has(all, `{"on":true,"hubs":["USDT","BTC"],"spread":"0.002"}`)
	for _, c := range []struct{ flag, value, member, want string }{
		{"--spread", "0.005", "spread", `"0.005"`},
		{"--open-most", "5", "open_most", `"5"`},
		{"--day-most", "6.5", "day_most", `"6.5"`},
		{"--loss-most", "7", "loss_most", `"7"`},
		{"--hub", "BTC", "hubs", `["BTC"]`},
		{"--no-hubs", "", "hubs", "[]"},
		{"--off", "", "on", "false"},
	} {
		args := []string{"conversion", "set", c.flag}
		if c.value != "" {
			args = append(args, c.value)
		}
		d.do(args...)
		all[c.member] = parsed(t, c.want)
		d.same(d.get("conversion"), any(all))
		d.same(d.json("conversion", "show"), any(all))
	}
	d.refuses(1, `conversion: there is no asset "GOLD" for a hub`, "conversion", "set", "--hub", "GOLD")
	d.refuses(1, "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals. (conversion)",
		"conversion", "set", "--day-most", "0")
	for _, args := range [][]string{{}, {"--on", "--off"}, {"--hub", "BTC", "--no-hubs"}} {
		if _, _, code := d.try("", append([]string{"conversion", "set"}, args...)...); code != 2 {
			t.Errorf("%q: ended with %d", args, code)
		}
	}
}

// TestOperatorPool: what holds where nobody said anything, every setting by itself, what a block is worth, and mining accounts.
func TestOperatorPool(t *testing.T) {
	d := openDesk(t)
	wantLines(t, d.do("pool"), "open no", "asset BTC", "chain -", "unit 0", "fee 0.04", "least 0.001", "accounts 10", "links 3", "rate 0", "fund 0", "rewards 0", "pending 0", "day -", "worth 0", "short -", "unlucky 0", "blocks -")
	d.do("pool", "set", "--open")
	all := d.get("pool").(map[string]any)
	d.has(all, `{"open":true,"asset":"BTC","fee":"0.04"}`)
	for _, c := range []struct{ flag, value, member, want string }{
		{"--unit", "16", "unit", "16"},
		{"--fee", "0.02", "fee", `"0.02"`},
		{"--least", "5", "least", `"5"`},
		{"--accounts", "6", "accounts", "6"},
		{"--links", "7", "links", "7"},
		{"--asset", "USDT", "asset", `"USDT"`},
		{"--no-chain", "", "chain", `""`},
		{"--close", "", "open", "false"},
	} {
		args := []string{"pool", "set", c.flag}
		if c.value != "" {
			args = append(args, c.value)
		}
		d.do(args...)
		all[c.member] = parsed(t, c.want)
		d.same(d.get("pool"), any(all))
		d.same(d.json("pool", "show"), any(all))
	}
	d.do("pool", "rate", "3.125")
	all["rate"] = "3.125"
	d.same(d.get("pool"), any(all))
	d.refuses(1, "What a block is worth is above zero, and no more precise than the asset. (rate)", "pool", "rate", "0")
	d.refuses(1, `pool: there is no chain "GOLD"`, "pool", "set", "--chain", "GOLD")
	d.refuses(1, `there is no mining account "nobody"`, "pool", "bar", "nobody")
	d.refuses(1, `there is no mining account "nobody"`, "pool", "unbar", "nobody")
	if got := d.do("pool", "accounts"); got != "no mining accounts\n" {
		t.Errorf("the accounts are %q", got)
	}
	for _, args := range [][]string{{}, {"--open", "--close"}, {"--chain", "ETH", "--no-chain"}} {
		if _, _, code := d.try("", append([]string{"pool", "set"}, args...)...); code != 2 {
			t.Errorf("%q: ended with %d", args, code)
		}
	}
}
