package conform_test

import (
	"maps"
	"testing"

	"bourse/internal/schema"
)

// Trading from collateral is tested on futures against USDT whose index, and with it the mark, is what the test
// says. Their numbers are those of the other markets; the price band is 10 %.

// margined is an exchange inside the test with futures and traders who have 1,000,000 USDT in main and as much as the
// test gives them as collateral. The clock stands still unless the test moves it, so that prices stay fresh.
func margined(t *testing.T, futures map[string]obj, accounts map[string]obj) (venue, *clock) {
	t.Helper()
	markets := plain("BTC_USDT")
	for name, changes := range futures {
		market := obj{"type": "futures", "money_prec": 2, "max_total": "0", "maker_fee": "0.02", "taker_fee": "0.05"}
		maps.Copy(market, changes)
		markets[name] = market
	}
	for name, changes := range accounts {
		account := obj{"deposits": obj{"USDT": "1000000"}, "trade": obj{}}
		maps.Copy(account, changes)
		accounts[name] = account
	}
	clock := newClock()
	v := operate(t, clock, markets, accounts)
	for name := range futures {
		v.mark(t, name, "50000")
	}
	return v, clock
}

// mark sets the index of a future.
func (v venue) mark(t *testing.T, market, price string) {
	t.Helper()
	v.Do(&schema.SetIndex{Market: v.market(market).ID, Price: decimal(t, price)})
}

// backed moves USDT from main to collateral.
func (c trader) backed(usdt string) trader {
	c.t.Helper()
	c.list("main-account/transfer", obj{"ticker": "USDT", "amount": usdt, "from": "main", "to": "collateral"})
	return c
}

// bet places a limit order from collateral and returns it.
func (c trader) bet(market, side, amount, price string, more ...obj) map[string]any {
	c.t.Helper()
	fields := obj{"market": market, "side": side, "amount": amount, "price": price}
	for _, m := range more {
		maps.Copy(fields, m)
	}
	return c.must("order/collateral/limit", fields)
}

// meet lets two traders trade on a future.
func meet(buyer, seller trader, market, amount, price string) {
	buyer.t.Helper()
	seller.bet(market, "sell", amount, price)
	if o := buyer.bet(market, "buy", amount, price); o["status"] != "FILLED" {
		buyer.t.Fatalf("no trade at %s: %v", price, o)
	}
}

// betShape is the answer to a limit order from collateral that found nobody to trade with.
func betShape(market, side, amount, price string, changes obj) obj {
	return listed(limitShape(market, side, amount, price, obj{"feeAsset": "USDT"}), changes)
}

// triggerShape is the answer to a stop from collateral that waits; without a price for one at the market.
func triggerShape(market, side, amount, price, activation string, changes obj) obj {
	return listed(stopShape(market, side, amount, price, activation, obj{"feeAsset": "USDT"}), changes)
}
