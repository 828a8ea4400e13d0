package exchange

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// poolFigures show what the mining pool can pay, what it owes and how lucky it is. Nothing is shown where there is none.
type poolFigures struct{ desk poolDesk }

var (
	poolFund    = prometheus.NewDesc("bourse_pool_fund", "What miners can be paid from.", []string{"asset"}, nil)
	poolRewards = prometheus.NewDesc("bourse_pool_rewards_pending", "Rewards of miners that are not paid.", nil, nil)
	poolPending = prometheus.NewDesc("bourse_pool_pending", "Sum of the rewards of miners that are not paid.", []string{"asset"}, nil)
	poolWorth   = prometheus.NewDesc("bourse_pool_day_worth", "Sum of the rewards of the latest day that was closed.", []string{"asset"}, nil)
	poolStopped = prometheus.NewDesc("bourse_pool_stopped", "1 while miners get no work because the fund was too small for a day.", nil, nil)
	poolUnlucky = prometheus.NewDesc("bourse_pool_unlucky_accounts", "Mining accounts that found far fewer blocks than their work should have.", nil, nil)
)

func (*poolFigures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolFund, poolRewards, poolPending, poolWorth, poolStopped, poolUnlucky} {
		to <- d
	}
}

func (p *poolFigures) Collect(to chan<- prometheus.Metric) {
	var figures []prometheus.Metric // sent when nobody waits for the state any more
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		figures = append(figures, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...))
	}
	p.desk.node.Read(func(m core.View) {
		t, _ := m.Mining().Terms()
		if t.Asset == 0 {
			return
		}
		asset, health := m.Listing().Asset(t.Asset).Ticker, m.Mining().Health()
		fund, _, _ := m.Balance(schema.Pool, schema.Main, t.Asset)
		count, sum := m.Mining().Pending()
		stopped := 0.0
		if p.desk.stopped(&health) {
			stopped = 1
		}
		gauge(poolFund, near(fund), asset)
		gauge(poolRewards, float64(count))
		gauge(poolPending, near(sum), asset)
		gauge(poolWorth, near(health.Worth), asset)
		gauge(poolStopped, stopped)
		gauge(poolUnlucky, float64(health.Unlucky))
	})
	for _, f := range figures {
		to <- f
	}
}
