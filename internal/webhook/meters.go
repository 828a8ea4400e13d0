package webhook

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/schema"
)

// meters show how much waits and what became of what was sent.
type meters struct {
	h      *Webhooks
	counts [schema.DeliveryDropped + 1]atomic.Uint64
}

func newMeters(h *Webhooks) *meters { return &meters{h: h} }

func (m *meters) count(d schema.Delivered) { m.counts[d].Add(1) }

var (
	queueGauge   = prometheus.NewDesc("bourse_webhook_queue_events", "Events that wait to be delivered to webhooks.", nil, nil)
	flyingGauge  = prometheus.NewDesc("bourse_webhook_requests_in_flight", "Requests to webhooks that this node waits for.", nil, nil)
	lagGauge     = prometheus.NewDesc("bourse_webhook_lag_batches", "Batches that are not in the queue of webhooks yet.", nil, nil)
	deliverCount = prometheus.NewDesc("bourse_webhook_deliveries_total", "What became of attempts of this node: delivered, waiting (tried again later), dropped.", []string{"outcome"}, nil)
)

func (*meters) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{queueGauge, flyingGauge, lagGauge, deliverCount} {
		to <- d
	}
}

func (m *meters) Collect(to chan<- prometheus.Metric) {
	total, _ := m.h.store.sizes(0)
	gauge := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	gauge(queueGauge, float64(total))
	gauge(flyingGauge, float64(m.h.engine.busy()))
	gauge(lagGauge, float64(m.h.Lag()))
	for _, d := range []schema.Delivered{schema.DeliveryRetried, schema.DeliveryDone, schema.DeliveryDropped} {
		to <- prometheus.MustNewConstMetric(deliverCount, prometheus.CounterValue, float64(m.counts[d].Load()), d.String())
	}
}
