package rest

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
)

// meters count what comes by the door.
type meters struct {
	requests *prometheus.CounterVec
	refusals *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	// turnedAway are connections that were one too many of their address.
	turnedAway prometheus.Counter
}

// newMeters makes meters, and one of how many connections are open.
func newMeters(r prometheus.Registerer, open func() int) *meters {
	m := &meters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bourse_http_requests_total", Help: "Requests by operation and HTTP status.",
		}, []string{"operation", "status"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bourse_http_refusals_total", Help: "Refused private requests by operation and body code.",
		}, []string{"operation", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bourse_http_request_seconds", Help: "Time from the request being read to its answer being ready, by operation.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"operation"}),
		turnedAway: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_http_connections_refused_total", Help: "Connections that were one too many of their address.",
		}),
	}
	if r != nil {
		r.MustRegister(m.requests, m.refusals, m.seconds, m.turnedAway)
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_http_connections", Help: "Connections that are open.",
		}, func() float64 { return float64(open()) }))
	}
	return m
}

// meter is what a route counts with every request.
type meter struct {
	name    string
	good    prometheus.Counter
	seconds prometheus.Observer
}

// of is the meter of an operation; "" stands for paths that lead nowhere.
func (m *meters) of(operation string) meter {
	return meter{operation, m.requests.WithLabelValues(operation, "200"), m.seconds.WithLabelValues(operation)}
}

// answered counts a request.
func (m *meters) answered(of *meter, status int, began time.Time) {
	of.seconds.Observe(time.Since(began).Seconds())
	if status == 200 {
		of.good.Inc()
		return
	}
	m.requests.WithLabelValues(of.name, strconv.Itoa(status)).Inc()
}

// refused counts the code of a private error.
func (m *meters) refused(of *meter, e *api.Error) {
	m.refusals.WithLabelValues(of.name, strconv.Itoa(e.Code)).Inc()
}
