package conform

import (
	"fmt"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestAssets(t *testing.T) {
	network := func(name string, more Fields) Fields {
		n := Fields{"name": name, "can_deposit": true, "can_withdraw": true, "confirmations": 20, "confirmations_for_trading": 10}
		for name, value := range more {
			n[name] = value
		}
		return n
	}
	coin := func(ticker string, more Fields) Fields {
		a := publicCoin(ticker)
		for name, value := range more {
			a[name] = value
		}
		return a
	}
	v := Start(t, publicFile(t, []Fields{
		coin("ONE", Fields{"unified_id": 1, "min_deposit": "0.1", "max_deposit": "0", "min_withdraw": "0.25", "max_withdraw": "1000", "deposit_memo": true}),
		coin("DEF", Fields{"payout_memo": true, "networks": []Fields{
			network("ERC20", Fields{"min_deposit": "1", "min_withdraw": "2", "max_withdraw": "3"}),
			network("TRC20", Fields{"default": true, "can_withdraw": false, "max_deposit": "5", "confirmations": 7, "confirmations_for_trading": 7}),
		}}),
		coin("UNDEC", Fields{"can_withdraw": false, "networks": []Fields{network("B", nil), network("A", Fields{"can_deposit": false})}}),
		coin("SHUT", Fields{"can_deposit": false, "can_withdraw": false}),
		coin("DRY", Fields{"networks": []Fields{network("DRY", Fields{"can_deposit": false, "can_withdraw": false})}}),
		{"ticker": "EUR", "name": "Euro", "class": "fiat", "scale": 18, "precision": 2, "can_deposit": true, "can_withdraw": false, "min_deposit": "10", "max_withdraw": "500", "providers": []string{"VISAMASTER", "SEPA"}},
		{"ticker": "UAH", "name": "Hryvnia", "class": "fiat", "scale": 18, "precision": 2, "can_deposit": true, "can_withdraw": true},
		{"ticker": "EUR_ADVCASH", "name": "Advcash", "class": "payment method", "scale": 18, "precision": 2, "can_deposit": true, "can_withdraw": true, "min_deposit": "3", "max_withdraw": "70"},
		{"ticker": "EUR_SHUT", "name": "Shut", "class": "payment method", "scale": 18, "precision": 2, "can_withdraw": true, "networks": []Fields{network("OTHER", nil)}},
	}, []Fields{
		publicMarket("ONE_EUR", Fields{"maker_fee": "0.1", "taker_fee": "0.35"}),
		publicMarket("ONE_DEF", Fields{"maker_fee": "0.2", "taker_fee": "0.3"}),
		publicMarket("UNDEC_DEF", Fields{"maker_fee": "5", "taker_fee": "5", "enabled": false}),
	}), "--no-limits")

	t.Run("assets", func(t *testing.T) {
		all := publicGet(t, v, "/api/v4/public/assets").(map[string]any)
		want := map[string]string{
			// One network is the default without being chosen; an upper bound of zero is none.
			"ONE": `{"name":"ONE coin","unified_cryptoasset_id":1,"can_withdraw":true,"can_deposit":true,"min_withdraw":"0.25","max_withdraw":"1000","min_deposit":"0.1","max_deposit":"0",
				"maker_fee":"0.2","taker_fee":"0.35","currency_precision":8,"is_memo":true,"memo":{"deposit":true,"withdraw":false},
				"networks":{"deposits":["ONE"],"withdraws":["ONE"],"default":"ONE"},"limits":{"deposit":{"ONE":{"min":"0"}},"withdraw":{"ONE":{"min":"0"}}},
				"confirmations":{"ONE":2},"confirmations_for_trading":{"ONE":1}}`,
			"DEF": `{"name":"DEF coin","unified_cryptoasset_id":0,"can_withdraw":true,"can_deposit":true,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0.2","taker_fee":"0.3","currency_precision":8,"is_memo":true,"memo":{"deposit":false,"withdraw":true},
				"networks":{"deposits":["ERC20","TRC20"],"withdraws":["ERC20"],"default":"TRC20"},
				"limits":{"deposit":{"ERC20":{"min":"1"},"TRC20":{"min":"0","max":"5"}},"withdraw":{"ERC20":{"min":"2","max":"3"}}},
				"confirmations":{"ERC20":20,"TRC20":7},"confirmations_for_trading":{"ERC20":10,"TRC20":7}}`,
			// Several networks and none chosen: no default. Nothing leaves: no list of withdraws.
			"UNDEC": `{"name":"UNDEC coin","unified_cryptoasset_id":0,"can_withdraw":false,"can_deposit":true,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":8,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"networks":{"deposits":["B"]},"limits":{"deposit":{"B":{"min":"0"}},"withdraw":{}},
				"confirmations":{"A":20,"B":20},"confirmations_for_trading":{"A":10,"B":10}}`,
			"SHUT": `{"name":"SHUT coin","unified_cryptoasset_id":0,"can_withdraw":false,"can_deposit":false,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":8,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"networks":{"default":"SHUT"},"limits":{"deposit":{},"withdraw":{}},"confirmations":{"SHUT":2},"confirmations_for_trading":{"SHUT":1}}`,
			// The asset is open and its only network is not: the lists are there and empty.
			"DRY": `{"name":"DRY coin","unified_cryptoasset_id":0,"can_withdraw":true,"can_deposit":true,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":8,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"networks":{"deposits":[],"withdraws":[],"default":"DRY"},"limits":{"deposit":{},"withdraw":{}},"confirmations":{"DRY":20},"confirmations_for_trading":{"DRY":10}}`,
			"EUR": `{"name":"Euro","unified_cryptoasset_id":0,"can_withdraw":false,"can_deposit":true,"min_withdraw":"0","max_withdraw":"500","min_deposit":"10","max_deposit":"0",
				"maker_fee":"0.1","taker_fee":"0.35","currency_precision":2,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"providers":{"deposits":["VISAMASTER","SEPA"],"withdraws":[]}}`,
			"UAH": `{"name":"Hryvnia","unified_cryptoasset_id":0,"can_withdraw":true,"can_deposit":true,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":2,"is_memo":false,"memo":{"deposit":false,"withdraw":false},"providers":{"deposits":[],"withdraws":[]}}`,
			"EUR_ADVCASH": `{"name":"Advcash","unified_cryptoasset_id":0,"can_withdraw":true,"can_deposit":true,"min_withdraw":"0","max_withdraw":"70","min_deposit":"3","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":2,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"networks":{"deposits":["EUR_ADVCASH"],"withdraws":["EUR_ADVCASH"],"default":"EUR_ADVCASH"},
				"limits":{"deposit":{"EUR_ADVCASH":{"min":"3"}},"withdraw":{"EUR_ADVCASH":{"min":"0","max":"70"}}}}`,
			"EUR_SHUT": `{"name":"Shut","unified_cryptoasset_id":0,"can_withdraw":true,"can_deposit":false,"min_withdraw":"0","max_withdraw":"0","min_deposit":"0","max_deposit":"0",
				"maker_fee":"0","taker_fee":"0","currency_precision":2,"is_memo":false,"memo":{"deposit":false,"withdraw":false},
				"networks":{"withdraws":["EUR_SHUT"],"default":"EUR_SHUT"},"limits":{"deposit":{},"withdraw":{"EUR_SHUT":{"min":"0"}}}}`,
		}
		if len(all) != len(want) {
			t.Errorf("%d assets, want %d", len(all), len(want))
		}
		for ticker, text := range want {
			publicSame(t, all[ticker], text)
		}
	})

	t.Run("fees of deposits and withdrawals", func(t *testing.T) {
		all := publicGet(t, v, "/api/v4/public/fee").(map[string]any)
		if len(all) != 9 {
			t.Errorf("%d assets", len(all))
		}
		for ticker, text := range map[string]string{
			"ONE": `{"ticker":"ONE","name":"ONE coin","providers":[],"is_depositable":true,"is_withdrawal":true,"is_api_depositable":true,"is_api_withdrawal":true,
				"deposit":{"min_amount":"0.1","max_amount":"0","fixed":null,"flex":null},"withdraw":{"min_amount":"0.25","max_amount":"1000","fixed":null,"flex":null}}`,
			"SHUT": `{"ticker":"SHUT","name":"SHUT coin","providers":[],"is_depositable":false,"is_withdrawal":false,"is_api_depositable":false,"is_api_withdrawal":false,
				"deposit":{"min_amount":"0","max_amount":"0","fixed":null,"flex":null},"withdraw":{"min_amount":"0","max_amount":"0","fixed":null,"flex":null}}`,
			"EUR": `{"ticker":"EUR","name":"Euro","providers":["VISAMASTER","SEPA"],"is_api_depositable":true,"is_api_withdrawal":false,
				"deposit":{"VISAMASTER":{"min_amount":"10","max_amount":"0","fixed":null,"flex":null,"ticker":"EUR","name":"Euro","is_depositable":true,"is_api_depositable":true},
					"SEPA":{"min_amount":"10","max_amount":"0","fixed":null,"flex":null,"ticker":"EUR","name":"Euro","is_depositable":true,"is_api_depositable":true}},
				"withdraw":{"VISAMASTER":{"min_amount":"0","max_amount":"500","fixed":null,"flex":null,"ticker":"EUR","name":"Euro","is_withdrawal":false,"is_api_withdrawal":false},
					"SEPA":{"min_amount":"0","max_amount":"500","fixed":null,"flex":null,"ticker":"EUR","name":"Euro","is_withdrawal":false,"is_api_withdrawal":false}}}`,
		} {
			publicSame(t, all[ticker], text)
		}
	})

	t.Run("aggregators know assets by number", func(t *testing.T) {
		ticker := publicAt(t, publicGet(t, v, "/api/v4/public/ticker"), "ONE_EUR")
		publicSame(t, publicAt(t, ticker, "base_id"), "1")
		publicSame(t, publicAt(t, ticker, "quote_id"), "0")
	})
}

// Assets and their fees are recomputed once a minute, and all callers see the same; everything else
// is told at once.
func TestAssetsAreAMinuteOld(t *testing.T) {
	p, clock := publicInside(t, publicWorld(t, "BTC"), time.Date(2027, 1, 15, 10, 0, 5, 0, time.UTC))
	var asset schema.Asset
	var market schema.MarketInfo
	p.Exchange.Node.Read(func(m core.View) {
		asset, market = *m.Listing().AssetByTicker("BTC"), *m.Listing().MarketByName("BTC_USDT")
	})
	seen := func(name, minimum string) {
		t.Helper()
		// The second caller comes over a connection of its own.
		for _, header := range []map[string]string{nil, {"Connection": "close", "User-Agent": "another"}} {
			var assets, fees any
			p.Send("GET", "/api/v4/public/assets?x="+fmt.Sprint(len(header)), header, nil).Read(t, &assets)
			p.Send("GET", "/api/v4/public/fee", header, nil).Read(t, &fees)
			publicSame(t, publicAt(t, assets, "BTC", "name"), `"`+name+`"`)
			publicSame(t, publicAt(t, assets, "BTC", "min_deposit"), `"`+minimum+`"`)
			publicSame(t, publicAt(t, fees, "BTC", "name"), `"`+name+`"`)
			publicSame(t, publicAt(t, fees, "BTC", "deposit", "min_amount"), `"`+minimum+`"`)
		}
	}
	seen("BTC coin", "0")

	asset.Name, asset.MinDeposit, asset.UnifiedID = "Bitcoin", fixed.FromUnits(5, 1), 7
	p.Do(&schema.SetAsset{Asset: asset})
	seen("BTC coin", "0")
	clock.pass(54 * time.Second)
	seen("BTC coin", "0")
	clock.pass(time.Second)
	seen("Bitcoin", "0.5")

	// Markets and tickers do not wait.
	asset.UnifiedID = 8
	p.Do(&schema.SetAsset{Asset: asset})
	publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT", "base_id"), "8")
	for i := range 3 {
		market.TakerFee = fixed.FromInt(int64(i + 1))
		p.Do(&schema.SetMarket{Market: market})
		want := fmt.Sprintf("%q", fmt.Sprint(i+1))
		publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 0, "takerFee"), want)
		publicSame(t, publicAt(t, p.json("/api/v1/public/markets"), "result", 0, "takerFee"), want)
	}
	publicSame(t, publicAt(t, p.json("/api/v4/public/assets"), "BTC", "taker_fee"), `"0.2"`)
	clock.pass(time.Minute)
	publicSame(t, publicAt(t, p.json("/api/v4/public/assets"), "BTC", "taker_fee"), `"3"`)
}
