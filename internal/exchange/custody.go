package exchange

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// holdings shows how the books stand to the chains that others live on, whether the exchange's own money covers what it paid for them, and
// what of their bounds operators want to change.
type holdings struct{ x *Exchange }

var (
	differenceGauge = prometheus.NewDesc("bourse_custody_difference", "What a chain has less than the books say (below zero) or more; 0 is as it should be. Less lets nothing be paid there.", []string{"network", "asset"}, nil)
	heightGauge     = prometheus.NewDesc("bourse_chain_height", "Where the exchange stands on a chain.", []string{"chain"}, nil)
	nodeGauge       = prometheus.NewDesc("bourse_chain_node_height", "Where the node of a chain stands.", []string{"chain"}, nil)
	houseGauge      = prometheus.NewDesc("bourse_house_deficit", "What the operator's own money is short of.", []string{"asset"}, nil)
	proposalGauge   = prometheus.NewDesc("bourse_proposals", "What takes two operators and waits: asked for one to approve it, approved for its time.", []string{"status"}, nil)
)

func (*holdings) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{differenceGauge, heightGauge, nodeGauge, houseGauge, proposalGauge} {
		to <- d
	}
}

func (h *holdings) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	differences := map[[2]string]fixed.Decimal{}
	for _, l := range h.x.links.list {
		link, _ := l.state()
		if link == nil {
			continue
		}
		height, node := link.Heights()
		gauge(heightGauge, float64(height), l.Chain)
		gauge(nodeGauge, float64(node), l.Chain)
		for _, a := range link.Audited().Assets {
			differences[[2]string{l.Chain, a.Ticker}] = a.Chain.Sub(a.Books)
		}
	}
	// A sandbox is its own books: it never differs.
	type short struct {
		asset string
		by    fixed.Decimal
	}
	var networks [][2]string // all are sent when nobody waits for the state any more
	var house []short
	proposals := map[schema.ProposalStatus]int{}
	h.x.Node.Read(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			for _, n := range a.Networks {
				if c := m.Chains().Get(n.Chain); c != nil && c.Driver != schema.Provider {
					networks = append(networks, [2]string{c.Name, a.Ticker})
				}
			}
			has, _, _ := m.Balance(schema.House, schema.Main, a.ID)
			house = append(house, short{a.Ticker, fixed.MaxOf(has.Neg(), fixed.Zero)})
		}
		for _, p := range m.Proposals() {
			proposals[p.Status]++
		}
	})
	for _, n := range networks {
		gauge(differenceGauge, near(differences[n]), n[0], n[1])
	}
	for _, s := range house {
		gauge(houseGauge, near(s.by), s.asset)
	}
	for _, status := range []schema.ProposalStatus{schema.ProposalAsked, schema.ProposalApproved} {
		gauge(proposalGauge, float64(proposals[status]), status.String())
	}
}
