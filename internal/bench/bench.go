// Package bench measures Bourse on the machine it runs on. Workloads are made from fixed seeds;
// what is compared is measured in one run. The numbers of one run on a shared machine are worth
// little by themselves; their ratios are worth more.
package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Result is one figure.
type Result struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	P50     float64 `json:"p50_us,omitempty"`
	P99     float64 `json:"p99_us,omitempty"`
	P999    float64 `json:"p999_us,omitempty"`
	Max     float64 `json:"max_us,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"`
	RatioTo string  `json:"ratio_to,omitempty"`
}

// benchmark makes one or more figures.
type benchmark struct {
	names []string
	about string
	run   func(*report) error
}

// benchmarks are all there are, in the order in which they run.
var benchmarks = []benchmark{
	{[]string{"core.book.peer_stream"}, "the order book alone on exchange-core's workload", bookPeerStream},
	{[]string{"core.whole.peer_stream"}, "the same commands through the whole core: ledger, holds, fees, events", wholePeerStream},
	{[]string{"core.mixed"}, "1,000 accounts, 8 markets, 100,000 resting orders, every kind of order, in turn as in a batch", mixed},
	{[]string{"core.futures"}, "limit orders and cancels on a future, beside the same on a spot market", futures},
	{[]string{"core.funding"}, "settling funding of 100,000 positions, tick by tick", funding},
	{[]string{"core.interest", "core.interest.bytes"}, "a day of interest of a million investments, credited tick by tick; memory of an investment", interest},
	{[]string{"core.mark"}, "a change of the mark with 100,000 positions, none of them near its end", marks},
	{[]string{"core.liquidation"}, "1,000 of 100,000 positions liquidated by one fall", liquidation},
	{[]string{"core.convert"}, "conversions at once over a hub, 20 orders deep in each book", converts},
	{[]string{"wallet.block", "wallet.block.command"}, "blocks with 1,000 deposits each, of 100,000 accounts; the longest single command", deposits},
	{[]string{"wallet.payouts"}, "withdrawals on Bitcoin planned, logged and signed in batches of a hundred, durable", payouts},
	{[]string{"wallet.scan", "wallet.scan.bare", "wallet.scan.memory"}, "a block of 10,000 outputs, checked and searched for a million addresses, beside one that is only read and looked up; memory of the addresses", scan},
	{[]string{"core.resting_order.bytes", "core.resting_order.gc"}, "memory per resting order in a book of a million", restingBytes},
	{[]string{"core.allocs"}, "memory allocations per command", allocations},
	{sparseNames("core.worst.ladder"), "a book whose levels lie far apart, placed from the worst to the best and the other way, then cancelled", worstLadder},
	{[]string{"core.worst.ladder.bytes"}, "memory of such a book of a million orders", sparseBytes},
	{[]string{"core.worst.index"}, "finding orders by id while their number doubles from a million", worstIndex},
	{[]string{"core.worst.sweep", "core.worst.cancelall", "core.worst.closing", "core.worst.stops", "core.worst.stockmarket"}, "commands with as much to do as the limits allow, 100,000 orders far apart", worstWork},
	{[]string{"core.worst.killswitch.arm", "core.worst.killswitch.fire"}, "100,000 kill switches, all of which fire in one tick", worstKillSwitches},
	{[]string{"core.worst.convert"}, "conversions with almost all the steps that a quote has, 950 orders deep in each book", worstConvert},
	{[]string{"core.snapshot", "core.snapshot.bytes", "core.restore"}, "writing and reading the state with a million orders", snapshots},
	{sparseNames("marketdata.worst"), "the public book of the same levels, a batch each", worstMarketData},
	{[]string{"marketdata.worst.window.front", "marketdata.worst.window.gathered"}, "what subscribers of such a book are sent", worstWindows},
	{append(durableNames("raw.durable"), durableNames("journal.durable")...), "commands that are answered when they are on disk, beside a bare file", durable},
	{[]string{"node.restart.killed", "node.restart.whole", "node.restart", "node.recovery"}, "an exchange with a million orders comes back", restart},
	{durableNames("cluster.durable"), "the same with three servers and three copies, all on this machine", clusterDurable},
	{[]string{"cluster.failover", "cluster.failover.node"}, "until writes are back after the leader is gone, the longest of three, and what the node adds to the election", failover},
	{[]string{"cluster.turns"}, "two nodes that write at once: what the one with less gets", turns},
	{append(orderNames(), "http.order.halfpeak", "http.order.history_lag"), "signed and durable orders over HTTP through a whole exchange, beside a server that answers a constant", httpOrders},
	{[]string{"http.cancel"}, "cancels over HTTP", httpCancels},
	{[]string{"http.bulk20"}, "orders over HTTP, twenty in a request", httpBulks},
	{[]string{"wallet.addresses"}, "new addresses for deposits over HTTP, durable", walletAddresses},
	{[]string{"convert.auto"}, "conversions in one step over HTTP, durable, beside orders", convertAuto},
	{[]string{"http.depth", "http.ticker"}, "market data over HTTP, beside a constant of the same size", httpReads},
	{[]string{"ws.null", "ws.order.durable.1", "ws.order.durable.16"}, "durable orders over WebSocket, beside a socket that answers at once and orders over HTTP", socketOrders},
	{[]string{"ws.idle.bytes"}, "memory of a WebSocket that says nothing", socketMemory},
	{fanoutNames(), "trades of a market that many listen to over WebSocket, and what that costs orders over HTTP", socketFanout},
	{[]string{"history.slow"}, "orders while the history is written slowly, beside a history as it is", historySlow},
	{historyNames("pebble"), "history in a directory: writing and turning pages", historyPebble},
	{historyNames("postgres"), "the same in PostgreSQL", historyPostgres},
	{[]string{"identity.flood"}, "orders over HTTP while strangers try passwords, beside orders in calm", identityFlood},
	{[]string{"demo.start", "demo.restart"}, "from the start of the demo until every market has quotes and a trade; the same after a kill", demoStart},

	{[]string{"pool.shares"}, "shares of miners verified on one core, with a template of 12 branches", poolShares},
	{[]string{"pool.tcp"}, "shares of miners over TCP, judged and answered", poolTCP},
	{[]string{"webhook.load"}, "a thousand events a second to 10,000 webhooks, of which one in twenty hangs: until those that do not have them", webhooks},
}

// report collects figures and says what is going on.
type report struct {
	results  []Result
	progress io.Writer
}

func (r *report) add(result Result) { r.results = append(r.results, result) }

// Run makes the figures whose names begin with prefix and says to progress how it goes. A benchmark
// that fails costs its own figures only: those of the others come with the error.
func Run(prefix string, progress io.Writer) ([]Result, error) {
	unwanted := func(name string) bool { return !strings.HasPrefix(name, prefix) }
	r := &report{progress: progress}
	known := false
	var failed error
	for _, b := range benchmarks {
		if !slices.ContainsFunc(b.names, func(name string) bool { return !unwanted(name) }) {
			continue
		}
		known = true
		began := time.Now()
		fmt.Fprintf(progress, "%-26s %s\n", b.names[0], b.about)
		if err := b.run(r); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", b.names[0], err))
			continue
		}
		fmt.Fprintf(progress, "%-26s done in %.1f s\n", "", time.Since(began).Seconds())
	}
	if !known {
		return nil, fmt.Errorf("no figure's name begins with %q; there are %s", prefix, strings.Join(Names(), ", "))
	}
	return slices.DeleteFunc(r.results, func(result Result) bool { return unwanted(result.Name) }), failed
}

// Names of all figures.
func Names() []string {
	var names []string
	for _, b := range benchmarks {
		names = append(names, b.names...)
	}
	return names
}

// WriteJSON writes figures for programs.
func WriteJSON(w io.Writer, results []Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(results)
}

// WriteTable writes figures for people.
func WriteTable(w io.Writer, results []Result) {
	fmt.Fprintf(w, "%-34s %14s %-12s %9s %9s %9s %9s  %s\n", "name", "value", "unit", "p50 µs", "p99 µs", "p99.9 µs", "max µs", "ratio")
	for _, r := range results {
		fmt.Fprintf(w, "%-34s %14s %-12s %9s %9s %9s %9s  %s\n", r.Name, number(r.Value), r.Unit, micros(r.P50), micros(r.P99), micros(r.P999), micros(r.Max), ratio(r))
	}
}

func number(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v == 0:
		return "0"
	default:
		return fmt.Sprintf("%.3f", v)
	}
}

func micros(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

func ratio(r Result) string {
	if r.RatioTo == "" {
		return ""
	}
	return fmt.Sprintf("%.2f of %s", r.Ratio, r.RatioTo)
}
