package exchange

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// poolFigures show what the mining pool can pay, and what it owes. Nothing is shown where there is none.
type poolFigures struct{ node *node.Node }

var (
	poolFund    = prometheus.NewDesc("bourse_pool_fund", "What miners can be paid from.", []string{"asset"}, nil)
	poolRewards = prometheus.NewDesc("bourse_pool_rewards_pending", "Rewards of miners that are not paid.", nil, nil)
	poolPending = prometheus.NewDesc("bourse_pool_pending", "Sum of the rewards of miners that are not paid.", []string{"asset"}, nil)
)

func (*poolFigures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolFund, poolRewards, poolPending} {
		to <- d
	}
}

func (p *poolFigures) Collect(to chan<- prometheus.Metric) {
	var asset string
	var fund, sum fixed.Decimal
	var count int
	p.node.Read(func(m core.View) {
		t, _ := m.Mining().Terms()
		if t.Asset == 0 {
			return
		}
		asset = m.Listing().Asset(t.Asset).Ticker
		fund, _, _ = m.Balance(schema.Pool, schema.Main, t.Asset)
		count, sum = m.Mining().Pending()
	})
	if asset == "" {
		return
	}
	gauge := func(d *prometheus.Desc, value fixed.Decimal, labels ...string) {
		near, _ := strconv.ParseFloat(value.String(), 64) // figures are for graphs
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, near, labels...)
	}
	gauge(poolFund, fund, asset)
	gauge(poolRewards, fixed.FromInt(int64(count)))
	gauge(poolPending, sum, asset)
}
