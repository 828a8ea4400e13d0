package exchange

import (
	"maps"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestAPoolWithoutMoneyStops: a day after the fund became too small for a day's rewards miners get no work, until it is filled. Figures show it.
func TestAPoolWithoutMoneyStops(t *testing.T) {
	const day = 24 * 3600 * schema.Second
	now := schema.Time(20_000 * day)
	v := newVenue(t, func() schema.Time { return now })
	do := v.do
	desk := poolDesk{v.node, func() schema.Time { return now }}
	registry := prometheus.NewRegistry()
	registry.MustRegister(&poolFigures{desk})
	shows := func(what, closed string, want map[string]float64) {
		t.Helper()
		if _, why := desk.Terms(); !strings.Contains(why, closed) || (why == "") != (closed == "") {
			t.Errorf("%s: the pool is closed because %q, want %q", what, why, closed)
		}
		got := map[string]float64{}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			got[strings.TrimPrefix(f.GetName(), "bourse_pool_")] = f.GetMetric()[0].GetGauge().GetValue()
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	shows("nothing", "operators closed it", map[string]float64{})
	terms := poolTerms(v.asset("BTC", 8, 0))
	do(&schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	do(&schema.SetPool{Terms: terms})
	shows("no rate", "what a block is worth", map[string]float64{"fund": 0, "pending": 0, "rewards_pending": 0, "day_worth": 0, "stopped": 0, "unlucky_accounts": 0})
	do(&schema.SetPoolRate{Rate: fixed.FromInt(1)})
	do(&schema.OpenMining{Account: schema.FirstCustomer, Name: "anna"})
	do(&schema.LeasePool{})
	do(&schema.FundSystem{Account: schema.Pool, Asset: 1, Amount: fixed.FromInt(17)})
	do(&schema.ReportShares{Lease: 1, Seq: 1, Shares: []schema.Shares{{Mining: 1, Bits: 0x1d00ffff, Work: 20, Accepted: 1}}})
	now += day
	do(&schema.Tick{})
	short := map[string]float64{"fund": 17, "pending": 20, "rewards_pending": 1, "day_worth": 20, "stopped": 0, "unlucky_accounts": 1}
	shows("short", "", short)
	now += day - 1
	shows("nearly a day later", "", short)
	now++
	short["stopped"] = 1
	shows("a day later", "too small for a day's rewards", short)
	do(&schema.FundSystem{Account: schema.Pool, Asset: 1, Amount: fixed.FromInt(23)})
	now++
	do(&schema.Tick{})
	shows("filled", "", map[string]float64{"fund": 20, "pending": 0, "rewards_pending": 0, "day_worth": 20, "stopped": 0, "unlucky_accounts": 1})
	terms.Open = false
	do(&schema.SetPool{Terms: terms})
	if _, why := desk.Terms(); why != "operators closed it" {
		t.Error(why)
	}
}
