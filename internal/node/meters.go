package node

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/schema"
)

// meters count what the node does. What is counted for every command is looked up before.
type meters struct {
	commands []prometheus.Counter // by kind
	refusals []prometheus.Counter // by reason
	seconds  prometheus.Histogram
	bytes    prometheus.Counter
	size     prometheus.Histogram

	shortfalls prometheus.Counter
}

func (n *Node) measure(r prometheus.Registerer) {
	commands := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bourse_commands_total", Help: "Commands that were applied since the start, by kind; refused ones too.",
	}, []string{"command"})
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bourse_refusals_total", Help: "Commands that were refused, by reason.",
	}, []string{"reason"})
	n.meters = meters{
		shortfalls: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_shortfalls_total", Help: "Debts that the insurance fund paid since the start.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "bourse_journal_store_seconds", Help: "Time until a batch was durable.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
		}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bourse_journal_bytes_total", Help: "Bytes of batches that this node stored.",
		}),
		size: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "bourse_journal_batch_commands", Help: "Commands that became durable together.",
			Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000},
		}),
	}
	for _, c := range schema.Commands() {
		kind := int(c.Kind())
		for len(n.meters.commands) <= kind {
			n.meters.commands = append(n.meters.commands, nil)
		}
		n.meters.commands[kind] = commands.WithLabelValues(strings.TrimPrefix(fmt.Sprintf("%T", c), "*schema."))
	}
	n.meters.refusals = []prometheus.Counter{schema.OK: nil}
	for _, reason := range schema.Reasons()[1:] {
		n.meters.refusals = append(n.meters.refusals, refusals.WithLabelValues(reason.String()))
	}
	if r != nil {
		r.MustRegister(commands, refusals, n.meters.seconds, n.meters.bytes, n.meters.size, n.meters.shortfalls)
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_commands_waiting", Help: "Commands that wait to be stored.",
		}, func() float64 { return float64(n.waiting()) }))
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_clock_offset_seconds", Help: "How far the machine's time of day is ahead of the time that commands get.",
		}, func() float64 { return float64(n.times.offset.Load()) / float64(schema.Second) }))
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bourse_clock_refused", Help: "1 while commands are refused because the clock cannot be relied on.",
		}, func() float64 {
			if n.Trouble() != nil {
				return 1
			}
			return 0
		}))
	}
}

// applied counts a command.
func (m *meters) applied(out *schema.Outcome) {
	m.commands[out.Kind].Inc()
	if r := out.Result.Rejection; r.Refused() {
		m.refusals[r.Reason].Inc()
	}
	// Accounts are liquidated where prices change.
	if out.Kind == (&schema.Tick{}).Kind() || out.Kind == (&schema.SetIndex{}).Kind() {
		for e := range out.Events.All() {
			if _, is := e.(*schema.Shortfall); is {
				m.shortfalls.Inc()
			}
		}
	}
}

// stored counts a batch that became durable.
func (m *meters) stored(commands, bytes int, began time.Time) {
	m.seconds.Observe(time.Since(began).Seconds())
	m.size.Observe(float64(commands))
	m.bytes.Add(float64(bytes))
}

func (n *Node) waiting() int {
	n.queue.Lock()
	defer n.queue.Unlock()
	return len(n.queue.tickets)
}
