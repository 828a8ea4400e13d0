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

// funds show what the exchange pays customers from, of each listed asset.
type funds struct{ node *node.Node }

var (
	insuranceFund = prometheus.NewDesc("bourse_insurance_fund", "What the insurance fund has; below zero it is the operator's debt.", []string{"asset"}, nil)
	convertFund   = prometheus.NewDesc("bourse_convert_fund", "What conversions can be paid from, beside what open quotes promise.", []string{"asset"}, nil)
	interestFund  = prometheus.NewDesc("bourse_interest_fund", "What investments can be paid from, beside what fixed plans will pay.", []string{"asset"}, nil)
)

func (*funds) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{insuranceFund, convertFund, interestFund} {
		to <- d
	}
}

func (f *funds) Collect(to chan<- prometheus.Metric) {
	var figures []prometheus.Metric // sent when nobody waits for the state any more
	for account, desc := range map[schema.AccountID]*prometheus.Desc{
		schema.Insurance: insuranceFund, schema.Convert: convertFund, schema.Interest: interestFund,
	} {
		eachFund(f.node, account, func(asset string, fund fixed.Decimal) {
			figures = append(figures, prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, near(fund), asset))
		})
	}
	for _, f := range figures {
		to <- f
	}
}

// near is a number for a graph.
func near(amount fixed.Decimal) float64 {
	value, _ := strconv.ParseFloat(amount.String(), 64) // every decimal is near a float
	return value
}

// deficit is what is wrong with the insurance fund: it paid more than it had.
func deficit(n *node.Node) (err error) {
	eachFund(n, schema.Insurance, func(asset string, fund fixed.Decimal) {
		if fund.Sign() < 0 && err == nil {
			err = fmt.Errorf("the fund has %s %s; 'bourse operator funds deposit insurance' fills it", fund, asset)
		}
	})
	return err
}

func eachFund(n *node.Node, account schema.AccountID, each func(asset string, fund fixed.Decimal)) {
	n.Read(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			fund, _, _ := m.Balance(account, schema.Main, a.ID)
			each(a.Ticker, fund)
		}
	})
}
