package siege

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"bourse/internal/bench"
)

// Row is what the report says of an attack.
type Row struct {
	Name, Holds string
	Held        bool
	Requests    int64
	// Calm and Attacked are what a neighbour felt; none where the exchange itself was away.
	Calm, Attacked *bench.Latency
	Note           string
	Took           time.Duration
}

// slowdown is how many times the calm p99 the one under attack was.
func (r *Row) slowdown() float64 { return r.Attacked.Percentile(0.99) / r.Calm.Percentile(0.99) }

// judge is what is wrong with the neighbour's latency, if anything.
func (r *Row) judge() error {
	if r.Attacked == nil || r.slowdown() <= MaxSlowdown {
		return nil
	}
	return fmt.Errorf("a neighbour's p99 was %.1f ms, %.1f times the calm one; at most %d times is allowed",
		r.Attacked.Percentile(0.99)/1000, r.slowdown(), MaxSlowdown)
}

// Report writes the rows as a table; times are milliseconds.
func Report(to io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "attack\theld\trequests\tcalm p50\tp99\tunder attack p50\tp99\tmax\tratio\ttook\twhat must hold; figures")
	for i := range rows {
		r := &rows[i]
		held := "yes"
		if !r.Held {
			held = "NO"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t", r.Name, held, r.Requests)
		if r.Attacked == nil {
			fmt.Fprint(table, "-\t-\t-\t-\t-\t-\t")
		} else {
			fmt.Fprintf(table, "%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t",
				r.Calm.Percentile(0.50)/1000, r.Calm.Percentile(0.99)/1000,
				r.Attacked.Percentile(0.50)/1000, r.Attacked.Percentile(0.99)/1000, float64(r.Attacked.Max())/1e6, r.slowdown())
		}
		fmt.Fprintf(table, "%.1fs\t%s", r.Took.Seconds(), r.Holds)
		if r.Note != "" {
			fmt.Fprintf(table, "; %s", r.Note)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
