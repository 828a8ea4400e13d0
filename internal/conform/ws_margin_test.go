package conform_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// pushes holds the next push of a channel to what is wanted.
func pushes(t *testing.T, s *conform.Socket, channel string, want any) {
	t.Helper()
	answers(t, conform.Reply{Status: 200, Body: s.Pushed(channel + "_update")}, want)
}

// whole is a list with all its records.
func whole(records ...any) obj {
	return obj{"total": len(records), "records": append(arr{}, records...)}
}

// TestSocketPositions follows a long and the short against it to a margin call and liquidation (7.8, 7.9).
func TestSocketPositions(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, map[string]obj{"BTC_PERP": brackets}, plain("alice", "maker"))
	alice, maker := v.trader(t, "alice").backed("1000"), v.trader(t, "maker").backed("500000")
	alice.must("collateral-account/leverage", obj{"leverage": 100})
	s, other := alice.Authorized(), maker.Authorized()
	for range 2 {
		s.Must("positionsMargin_subscribe")
		pushes(t, s, "positionsMargin", whole())
	}
	s.Must("positionsAccountMargin_subscribe")
	s.Must("borrowsAccountMargin_subscribe")
	other.Must("positionsAccountMargin_subscribe")
	// Alice of the worked numbers: 1000 USDT at 100x, long 1 at 50000, for a fee of 25.
	meet(alice, maker, "BTC_PERP", "1", "50000")
	long := func(amount, worth, pnl, margin, free string, stage any) obj {
		return obj{
			"id": anID, "market": "BTC_PERP", "ctime": aMoment, "mtime": aMoment, "amount": amount, "amount_in_money": worth, "base_price": "50000", "pnl": pnl,
			"liq_price": "49271.35", "liq_stage": stage, "unrealized_funding": "0", "funding": "0", "margin": margin, "free_margin": free, "realized_pnl": "0",
			"position_side": "BOTH",
		}
	}
	pushes(t, s, "positionsMargin", whole(long("1", "50000", "0", "500", "475", nil)))
	other.Must("positionsMargin_subscribe")
	pushes(t, other, "positionsMargin", whole(changed(long("-1", "50000", "0", "5000", "494990", nil), obj{"liq_price": "533970.88"})))
	v.mark(t, "BTC_PERP", "49400")
	pushes(t, s, "positionsMargin", whole(long("1", "49400", "-600", "494", "-119", nil)))

	// T = 365 < 1.5 × 246.95. Who subscribes again misses nothing, and gets nothing twice.
	s.Must("positionsAccountMargin_subscribe")
	v.mark(t, "BTC_PERP", "49390")
	call := long("1", "49390", "-610", "493.9", "-128.9", "margin_call")
	pushes(t, s, "positionsAccountMargin", arr{1, call})
	pushes(t, s, "positionsMargin", whole(call))

	// T = 246 < 246.355. The same command sells a quarter, and the alert is about all that there was.
	maker.bet("BTC_PERP", "buy", "1", "49260")
	clock.advance(schema.Second)
	v.mark(t, "BTC_PERP", "49271")
	// 975 − 185 realized, a fee of 6.1575 and 24.63 for the insurance fund; what the account has left is that of after.
	left := changed(long("0.75", "36953.25", "-546.75", "369.5325", "-157.07", "margin_call"), obj{"realized_pnl": "-185", "liq_price": "49233.88"})
	pushes(t, s, "positionsAccountMargin", arr{2, changed(long("1", "49271", "-729", "492.71", "-157.07", "liquidation"), obj{"liq_price": "49233.88"})})
	pushes(t, s, "positionsMargin", whole(left))
	v.tick(clock) // which finds T = 212.4625 between MM = 184.76625 and 1.5 MM
	pushes(t, s, "positionsAccountMargin", arr{1, left})

	// It is closed, and the list is empty once.
	alice.must("order/collateral/market", obj{"market": "BTC_PERP", "side": "sell", "amount": "0.75", "reduceOnly": true})
	pushes(t, s, "positionsMargin", whole())
	// Where no price leads to liquidation there is a number too.
	meet(maker, alice, "BTC_PERP", "0.01", "49271")
	other.Must("positionsMargin_unsubscribe")
	last := maker.Authorized()
	last.Must("positionsMargin_subscribe")
	pushes(t, last, "positionsMargin", whole(changed(long("0.01", "492.71", "0", "49.271", "500670.630645", nil), obj{"base_price": "49271", "liq_price": "0"})))
}

// TestSocketBorrows follows a loan that losses forced on an account to its margin call and liquidation (7.10).
func TestSocketBorrows(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, map[string]obj{"BTC_PERP": nil}, with(plain("maker"), "alice", obj{"deposits": obj{"USDT": "6000", "BTC": "1"}}))
	alice, maker := v.trader(t, "alice").backed("10"), v.trader(t, "maker").backed("500000")
	v.Do(&schema.SetCollateral{Asset: v.asset("BTC"), Weight: decimal(t, "0.95"), IndexMaxAge: 30 * schema.Second})
	v.Do(&schema.SetCollateral{Asset: v.asset("USDT"), Weight: fixed.One, Rate: decimal(t, "0.006"), IndexMaxAge: 30 * schema.Second})
	alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "1", "from": "main", "to": "collateral"})
	s := alice.Authorized()
	s.Must("borrowsMargin_subscribe")
	pushes(t, s, "borrowsMargin", whole())
	s.Must("borrowsAccountMargin_subscribe")

	// A fee of 125, for which 10 are there.
	clock.set((clock.read()/minute + 1) * minute)
	v.mark(t, "BTC_PERP", "50000")
	began := clock.read()
	meet(alice, maker, "BTC_PERP", "5", "50000")
	loan := func(at schema.Time, amount, interest string) obj {
		return obj{"asset": "USDT", "ctime": moment(began), "mtime": moment(at), "amount": amount, "unrealized_funding": interest, "liq_price": "0"}
	}
	pushes(t, s, "borrowsMargin", whole(loan(began, "-115", "0")))
	// A minute of interest at 0.006 an hour.
	clock.advance(minute)
	v.mark(t, "BTC_PERP", "50000")
	v.Do(&schema.Tick{})
	pushes(t, s, "borrowsMargin", whole(loan(clock.read(), "-115.0115", "0.0115")))

	// T = 9305 < 1.5 × 6543, and then 5140 < 6438. Nobody buys, and others are closed against it.
	v.mark(t, "BTC_PERP", "43600")
	pushes(t, s, "borrowsAccountMargin", arr{1, loan(clock.read(), "-115.0115", "0.0115")})
	v.mark(t, "BTC_PERP", "42900")
	pushes(t, s, "borrowsAccountMargin", arr{2, loan(clock.read(), "-115.0115", "0.0115")})
	owes := func() string {
		list := alice.list("collateral-account/balance-summary", obj{"ticker": "USDT"})
		return "-" + list[0].(map[string]any)["borrow"].(string)
	}
	pushes(t, s, "borrowsMargin", whole(loan(clock.read(), owes(), "0")))
	// What is brought repays of it.
	alice.backed("5990")
	pushes(t, s, "borrowsMargin", whole(loan(clock.read(), owes(), "0")))
}

const minute = 60 * schema.Second

// moment is a time as sockets write it.
func moment(at schema.Time) json.Number {
	return json.Number(fmt.Sprintf("%d.%06d", at/schema.Second, at%schema.Second))
}

// TestSocketFundingRate: with orders on both sides of the index the premium is 0, and the rate of eight hours the interest of 0.01 %.
func TestSocketFundingRate(t *testing.T) {
	t.Parallel()
	const market = "RATE_PERP"
	v, clock := margined(t, map[string]obj{
		market: {"funding_minutes": 480, "funding_cap": "0.0003", "funding_floor": "-0.0003", "impact_notional": "100"},
	}, plain("maker"))
	maker, s := v.trader(t, "maker").backed("100000"), v.Socket()
	s.Must("premiumIndex_subscribe", market)
	next := (clock.read()/(8*3600*schema.Second) + 1) * 8 * 3600 * 1000
	pushes(t, s, "premiumIndex", arr{market, "50000", "50000", "0", int(next), aMoment})
	maker.bet(market, "buy", "0.1", "49999")
	maker.bet(market, "sell", "0.1", "50001")
	clock.set((clock.read()/(5*schema.Second) + 1) * 5 * schema.Second) // the book is looked at at whole five seconds
	v.mark(t, market, "50000")
	v.Do(&schema.Tick{})
	want := arr{market, "50000", "50000", "0.0001", int(next), aMoment}
	before := ""
	for range 20 { // pushes of before may be on their way
		before = s.Pushed("premiumIndex_update")
		var got any
		conform.Reply{Body: before}.Read(t, &got)
		if differ("", got, want) == nil {
			return
		}
	}
	t.Errorf("pushed %s", before)
}
