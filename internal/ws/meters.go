package ws

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// meters count what comes by the socket.
type meters struct {
	requests *prometheus.CounterVec
	pushes   *prometheus.CounterVec
	slow     prometheus.Counter
}

func newMeters(r prometheus.Registerer, open func() int) meters {
	m := meters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bourse_ws_requests_total", Help: "Requests over WebSocket by method and error code; 0: none.",
		}, []string{"method", "code"}),
		pushes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bourse_ws_pushes_total", Help: "Frames that were pushed, by channel.",
		}, []string{"channel"}),
		slow: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_ws_slow_total", Help: "Connections that were cut off because they did not read.",
		}),
	}
	if r != nil {
		r.MustRegister(m.requests, m.pushes, m.slow, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_ws_connections", Help: "WebSockets that are open.",
		}, func() float64 { return float64(open()) }))
	}
	return m
}

// failed counts a request that was answered with an error.
func (m *meters) failed(method string, e *Error) {
	m.requests.WithLabelValues(method, strconv.Itoa(e.Code)).Inc()
}

// pushes counts the pushes of a channel.
func (s *Server) pushes(channel string) prometheus.Counter {
	return s.meters.pushes.WithLabelValues(channel)
}
