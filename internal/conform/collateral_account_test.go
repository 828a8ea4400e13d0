package conform_test

import (
	"sync"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// brackets are those of the worked numbers.
var brackets = obj{"bracket_100": "50000", "bracket_50": "250000"}

// TestCollateralAccount follows one account through all that is said of it as a whole.
func TestCollateralAccount(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, map[string]obj{"BTC_PERP": brackets}, with(plain("maker"), "alice", obj{"deposits": obj{"USDT": "6000", "BTC": "1"}}))
	alice, maker := v.trader(t, "alice"), v.trader(t, "maker").backed("500000")
	v.Do(&schema.SetCollateral{Asset: v.asset("BTC"), Weight: decimal(t, "0.95"), IndexMaxAge: 30 * schema.Second})

	t.Run("nothing", func(t *testing.T) {
		answers(t, alice.ask("collateral-account/summary", nil), obj{
			"equity": "0", "margin": "0", "freeMargin": "0", "unrealizedFunding": "0", "pnl": "0", "leverage": 10,
			"marginFraction": "0", "maintenanceMarginFraction": "0", "futuresEquity": "0", "futuresFreeMargin": "0",
		})
		answers(t, alice.ask("collateral-account/balance", nil), obj{})
		answers(t, alice.ask("collateral-account/positions/open", nil), arr{})
	})

	alice.backed("5000")
	alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "0.2", "from": "main", "to": "collateral"})
	answers(t, alice.ask("collateral-account/leverage", obj{"leverage": 20}), obj{"leverage": 20})
	meet(alice, maker, "BTC_PERP", "1", "50000")

	t.Run("a position at the mark", func(t *testing.T) {
		v.mark(t, "BTC_PERP", "50012.34")
		answers(t, alice.ask("collateral-account/summary", nil), obj{
			"equity": "14477.3446", "margin": "2500.617", "freeMargin": "11989.0676", "unrealizedFunding": "0", "pnl": "12.34", "leverage": 20,
			"marginFraction": "0.17272621", "maintenanceMarginFraction": "0.025", "futuresEquity": "4987.34", "futuresFreeMargin": "2486.723",
		})
		answers(t, alice.ask("collateral-account/positions/open", nil), arr{obj{
			"positionId": anID, "market": "BTC_PERP", "openDate": aMoment, "modifyDate": aMoment, "amount": "1", "basePrice": "50000",
			"liquidationPrice": pattern(`"3[0-9]{4}(\.[0-9]+)?"`), "liquidationState": nil, "pnl": "0", "pnlPercent": "0.49", "unrealizedPnl": "12.34",
			"margin": "2500.617", "freeMargin": "11989.0676", "funding": "0", "unrealizedFunding": "0", "tpsl": nil, "positionSide": "BOTH",
		}})
	})

	t.Run("open orders bind margin", func(t *testing.T) {
		o := alice.bet("BTC_PERP", "buy", "1", "49000")
		summary := alice.must("collateral-account/summary", nil)
		// 100024.68 at 20x: no bracket there, and those of 100x and 50x count at 20x.
		is(t, "margin", summary["margin"], "5001.234")
		alice.must("order/cancel", obj{"market": "BTC_PERP", "orderId": o["orderId"]})
	})

	t.Run("balances", func(t *testing.T) {
		answers(t, alice.ask("collateral-account/balance", nil), obj{"USDT": "4975", "BTC": "0.2"})
		answers(t, alice.ask("collateral-account/balance", obj{"ticker": "USDT"}), obj{"USDT": "4975"})
		answers(t, maker.ask("collateral-account/balance", obj{"ticker": "BTC"}), obj{"BTC": "0"})
		bad := invalid(30, "ticker", "ticker is invalid.")
		for _, path := range []string{"balance", "balance-summary"} {
			refuses(t, alice.ask("collateral-account/"+path, obj{"ticker": "NONE"}), bad)
			refuses(t, alice.ask("collateral-account/"+path, obj{"ticker": 7}), bad)
		}
		btc := obj{"asset": "BTC", "balance": "0.2", "borrow": "0", "availableWithoutBorrow": "0.2", "availableWithBorrow": "0.2"}
		usdt := obj{"asset": "USDT", "balance": "4975", "borrow": "0", "availableWithoutBorrow": "4975", "availableWithBorrow": "4975"}
		answers(t, alice.ask("collateral-account/balance-summary", nil), arr{btc, usdt})
		answers(t, alice.ask("collateral-account/balance-summary", obj{"ticker": "USDT"}), arr{usdt})
	})

	t.Run("what could be borrowed", func(t *testing.T) {
		pool := func(has, cap, each string) {
			v.Do(&schema.SetCollateral{
				Asset: v.asset("USDT"), Weight: fixed.One, IndexMaxAge: 30 * schema.Second, PoolCap: decimal(t, cap), AccountCap: decimal(t, each),
			})
			if has != "0" {
				v.Do(&schema.FundSystem{Account: schema.Lending, Asset: v.asset("USDT"), Amount: decimal(t, has)})
			}
		}
		is := func(want string) {
			t.Helper()
			list := alice.list("collateral-account/balance-summary", obj{"ticker": "USDT"})
			is(t, "availableWithBorrow", list[0].(map[string]any)["availableWithBorrow"], want)
		}
		pool("7000", "1000000", "1000000")
		is("11975") // what the pool has
		pool("0", "6000", "1000000")
		is("10975") // what it may lend
		pool("0", "6000", "3000")
		is("7975") // what one account may have
		pool("900000", "1000000", "1000000")
		is("124865.676") // ten times the free margin
	})

	t.Run("a part is closed", func(t *testing.T) {
		maker.bet("BTC_PERP", "buy", "0.4", "50100")
		alice.must("order/collateral/market", obj{"market": "BTC_PERP", "side": "sell", "amount": "0.4"})
		got := alice.list("collateral-account/positions/open", obj{"market": "BTC_PERP"})[0].(map[string]any)
		is(t, "amount", got["amount"], "0.6")
		is(t, "pnl", got["pnl"], "40")
		is(t, "unrealizedPnl", got["unrealizedPnl"], "7.404")
		answers(t, alice.ask("collateral-account/balance", obj{"ticker": "USDT"}), obj{"USDT": "5004.98"}) // 40 less a fee of 10.02
	})

	t.Run("the position is closed", func(t *testing.T) {
		id := alice.list("collateral-account/positions/open", nil)[0].(map[string]any)["positionId"]
		gone := inner(400, 104, "positionId", "position doesn't exist.")
		refuses(t, alice.ask("collateral-account/position/close", nil), invalid(30, "positionId", "PositionId"+needed).and("market", "Market"+needed))
		refuses(t, alice.ask("collateral-account/position/close", obj{"market": "BTC_PERP", "positionId": "x"}), invalid(30, "positionId", "The PositionId must be an integer."))
		refuses(t, alice.ask("collateral-account/position/close", obj{"market": "NO_PERP", "positionId": id}), invalid(31, "market", noMarket))
		refuses(t, alice.ask("collateral-account/position/close", obj{"market": "BTC_USDT", "positionId": id}), gone)
		refuses(t, maker.ask("collateral-account/position/close", obj{"market": "BTC_PERP", "positionId": id}), gone)
		maker.bet("BTC_PERP", "buy", "1", "50010")
		answers(t, alice.ask("collateral-account/position/close", obj{"market": "BTC_PERP", "positionId": id, "positionSide": "LONG"}), arr{})
		answers(t, alice.ask("collateral-account/positions/open", nil), arr{})
		refuses(t, alice.ask("collateral-account/position/close", obj{"market": "BTC_PERP", "positionId": id}), gone)
		refuses(t, alice.ask("collateral-account/positions/open", obj{"market": "?"}),
			invalid(30, "market", "Market field should be a string.", "Market field format is invalid."))
		refuses(t, alice.ask("collateral-account/positions/open", obj{"market": "NO_PERP"}), invalid(31, "market", noMarket))
	})
}

// TestCollateralLeverage: what leverage may be, and what it binds.
func TestCollateralLeverage(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, map[string]obj{"BTC_PERP": brackets, "LOW_PERP": {"max_leverage": 20}}, with(plain("maker", "alice"), "bounded", obj{"max_leverage": 5}))
	alice, maker, bounded := v.trader(t, "alice").backed("1000"), v.trader(t, "maker").backed("500000"), v.trader(t, "bounded")
	most := func(n string) refusal {
		return invalid(30, "leverage", "Leverage should be 1, 2, 3, 5, 10, 20, 50 or 100, and at most "+n+".")
	}
	refuses(t, alice.ask("collateral-account/leverage", nil), invalid(30, "leverage", "Leverage"+needed))
	refuses(t, alice.ask("collateral-account/leverage", obj{"leverage": "high"}), invalid(30, "leverage", "Leverage field should be an integer."))
	for _, n := range []int{0, -1, 4, 99, 101, 256 + 5} {
		refuses(t, alice.ask("collateral-account/leverage", obj{"leverage": n}), most("100"))
	}
	refuses(t, bounded.ask("collateral-account/leverage", obj{"leverage": 10}), most("5"))
	answers(t, bounded.ask("collateral-account/leverage", obj{"leverage": 5}), obj{"leverage": 5})
	for _, n := range []int{1, 2, 3, 5, 10, 20, 50, 100} {
		answers(t, alice.ask("collateral-account/leverage", obj{"leverage": n}), obj{"leverage": n})
	}

	// Bob of the worked numbers: 1000 USDT at 100x, long 1 at 50000.
	meet(alice, maker, "BTC_PERP", "1", "50000")
	position := func() map[string]any {
		return alice.list("collateral-account/positions/open", nil)[0].(map[string]any)
	}
	is(t, "liquidationPrice", position()["liquidationPrice"], "49271.35")
	is(t, "margin", position()["margin"], "500")
	refuses(t, alice.ask("collateral-account/leverage", obj{"leverage": 20}), inner(422, 17, "leverage", "Not enough balance for this leverage."))
	is(t, "leverage", alice.must("collateral-account/summary", nil)["leverage"], 100)
	v.mark(t, "BTC_PERP", "49400") // T = 375, MM = 247
	is(t, "liquidationState", position()["liquidationState"], nil)
	is(t, "pnlPercent", position()["pnlPercent"], "-120")
	v.mark(t, "BTC_PERP", "49390") // T = 365 < 1.5 × 246.95
	is(t, "liquidationState", position()["liquidationState"], "margin_call")

	// An order on a future bounds it too.
	bounded.backed("1000")
	maker.must("collateral-account/leverage", obj{"leverage": 20})
	maker.bet("LOW_PERP", "buy", "0.1", "49000")
	refuses(t, maker.ask("collateral-account/leverage", obj{"leverage": 50}), most("20"))
}

// TestCollateralQuantiles: positions are graded by PnL for equity, longs and shorts apart.
func TestCollateralQuantiles(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("ADL_PERP"), plain("maker", "a", "b", "c", "d"))
	maker := v.trader(t, "maker").backed("500000")
	// The more each has, the less its profit weighs.
	for name, usdt := range map[string]string{"a": "400000", "b": "300000", "c": "200000", "d": "100000"} {
		c := v.trader(t, name).backed(usdt)
		answers(t, c.ask("collateral-account/adl-quantile", nil), arr{})
		meet(c, maker, "ADL_PERP", "1", "50000")
	}
	v.mark(t, "ADL_PERP", "50500")
	var all sync.WaitGroup
	for name, want := range map[string]int{"a": 0, "b": 1, "c": 2, "d": 4} {
		all.Go(func() {
			answers(t, v.trader(t, name).ask("collateral-account/adl-quantile", nil), arr{obj{"market": "ADL_PERP", "long": want, "short": nil}})
		})
	}
	all.Wait()
	answers(t, maker.ask("collateral-account/adl-quantile", nil), arr{obj{"market": "ADL_PERP", "long": nil, "short": 4}})
}
