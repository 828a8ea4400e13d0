package exchange

import (
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// insurance shows what the insurance fund has of each listed asset.
type insurance struct{ node *node.Node }

var fundGauge = prometheus.NewDesc("bourse_insurance_fund", "What the insurance fund has; below zero it is the operator's debt.", []string{"asset"}, nil)

func (*insurance) Describe(to chan<- *prometheus.Desc) { to <- fundGauge }

func (i *insurance) Collect(to chan<- prometheus.Metric) {
	var figures []prometheus.Metric // sent when nobody waits for the state any more
	eachFund(i.node, func(asset string, fund fixed.Decimal) {
		value, _ := strconv.ParseFloat(fund.String(), 64) // every decimal is near a float; figures are for graphs
		figures = append(figures, prometheus.MustNewConstMetric(fundGauge, prometheus.GaugeValue, value, asset))
	})
	for _, f := range figures {
		to <- f
	}
}

// deficit is what is wrong with the insurance fund: it paid more than it had.
func deficit(n *node.Node) (err error) {
	eachFund(n, func(asset string, fund fixed.Decimal) {
		if fund.Sign() < 0 && err == nil {
			err = fmt.Errorf("the fund has %s %s; 'bourse operator funds deposit insurance' fills it", fund, asset)
		}
	})
	return err
}

func eachFund(n *node.Node, each func(asset string, fund fixed.Decimal)) {
	n.Read(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			fund, _, _ := m.Balance(schema.Insurance, schema.Main, a.ID)
			each(a.Ticker, fund)
		}
	})
}
