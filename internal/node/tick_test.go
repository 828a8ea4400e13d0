package node

import (
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// TestTicksAreWrittenWhenTheyAreDue: an idle exchange writes a tick for a timer and a slow heartbeat,
// and nothing else.
func TestTicksAreWrittenWhenTheyAreDue(t *testing.T) {
	var now atomic.Int64
	now.Store(1_800_000_000 * int64(schema.Second))
	n := open(t, t.TempDir(), func(o *Options) {
		o.Clock = func() schema.Time { return schema.Time(now.Load()) }
		o.TickInterval = time.Hour // the test looks itself
	})
	defer n.Close()
	for _, ticker := range []string{"BTC", "USDT"} {
		submit(t, n, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}})
	}
	market := schema.MarketID(submit(t, n, &schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}}).ID)
	alice := schema.AccountID(submit(t, n, account("alice")).ID)
	if market == 0 || alice == 0 {
		t.Fatalf("market %d, account %d", market, alice)
	}
	pass := func(d schema.Time) { now.Add(int64(d)) }
	due := func(want bool, when string) {
		t.Helper()
		if got, _ := n.due(); got != want {
			t.Errorf("%s: a tick is due: %v", when, got)
		}
	}
	due(false, "nothing to do")
	pass(heartbeat - 1)
	due(false, "nothing for a while")
	pass(1)
	due(true, "nothing for long")
	submit(t, n, &schema.Tick{})
	due(false, "after the heartbeat")
	submit(t, n, &schema.SetKillSwitch{Account: alice, Market: market, Timeout: schema.MinKillSwitch, Products: 1})
	pass(schema.MinKillSwitch - 1)
	due(false, "before the kill switch")
	pass(1)
	due(true, "at the kill switch")
	submit(t, n, &schema.Tick{})
	due(false, "after the kill switch")
	at := schema.Time(now.Load())
	submit(t, n, &schema.PlanMaintenance{Market: market, From: at + 3*schema.Second, To: at + 5*schema.Second})
	submit(t, n, &schema.PlanDelisting{Market: market, At: at + 6*schema.Second})
	for second := range 6 {
		pass(schema.Second)
		timed := second == 2 || second == 4 || second == 5
		due(timed, "maintenance from 3 to 5 and delisting at 6")
		if timed {
			submit(t, n, &schema.Tick{})
			due(false, "after it was done")
		}
	}
	n.Read(func(m core.View) {
		if next, running := m.NextTimer(); running {
			t.Errorf("a timer runs until %s", next)
		}
	})
}
