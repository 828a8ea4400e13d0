package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"bourse/internal/history"
	"bourse/internal/history/postgrestest"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// rowsVariable says how many rows stores are measured with, instead of a million.
const rowsVariable = "BOURSE_ROWS"

// pageRows is the length of a page.
const pageRows = 50

func historyNames(store string) []string {
	return []string{"history.write." + store, "history.page." + store, "history.page." + store + ".deep"}
}

// storeSize is how much the figures of a store do.
type storeSize struct {
	rows int
	deep int           // where deep pages begin
	time time.Duration // for which pages of one kind are turned
}

func storeFull() (storeSize, error) {
	z := storeSize{million, 10_000, time.Second}
	if text := os.Getenv(rowsVariable); text != "" {
		rows, err := strconv.Atoi(text)
		if err != nil || rows < million {
			return z, fmt.Errorf("%s is %q; it must be a number from %d on", rowsVariable, text, million)
		}
		z.rows = rows
	}
	return z, nil
}

func historyPebble(r *report) error {
	z, err := storeFull()
	if err != nil {
		return err
	}
	return z.pebble(r)
}

func (z storeSize) pebble(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := history.OpenPebble(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer store.Close()
	return z.figures(r, "pebble", store)
}

func historyPostgres(r *report) error {
	z, err := storeFull()
	if err != nil {
		return err
	}
	return z.postgres(r)
}

func (z storeSize) postgres(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	url, stop, err := postgrestest.Start(dir)
	if err != nil { // it says what to install
		fmt.Fprintf(r.progress, "%-26s left out: %v\n", "", err)
		return nil
	}
	defer stop()
	store, err := history.OpenPostgres(context.Background(), url)
	if err != nil {
		return err
	}
	defer store.Close()
	return z.figures(r, "postgres", store)
}

// figures fills a store and turns pages of its busiest account, which every tenth row is of.
func (z storeSize) figures(r *report, name string, store history.Store) error {
	ctx := context.Background()
	began := time.Now()
	if err := history.Fill(ctx, store, z.rows, nil); err != nil {
		return err
	}
	r.add(Result{Name: "history.write." + name, Value: float64(z.rows) / time.Since(began).Seconds(), Unit: "rows/s"})
	for _, offset := range []int{0, z.deep} {
		q := history.Query{Kind: history.Orders, Account: history.FillBusy, Limit: pageRows, Offset: offset}
		result, err := z.page(ctx, store, &q)
		if err != nil {
			return err
		}
		result.Name = "history.page." + name
		if offset > 0 {
			result.Name += ".deep"
		}
		r.add(result)
	}
	return nil
}

// page asks for the same page again and again.
func (z storeSize) page(ctx context.Context, store history.Store, q *history.Query) (Result, error) {
	var times Latency
	began := time.Now()
	for times.total == 0 || time.Since(began) < z.time {
		asked := time.Now()
		page, err := store.Page(ctx, q)
		if err != nil {
			return Result{}, err
		}
		times.Add(time.Since(asked))
		if len(page) != pageRows {
			return Result{}, fmt.Errorf("the page at offset %d has %d rows", q.Offset, len(page))
		}
	}
	result := Result{Unit: "µs"}
	times.fill(&result)
	result.Value = result.P50
	return result, nil
}

// slowWrite is how long a slow store takes to write.
const slowWrite = 50 * time.Millisecond

// slowStore is a store on a disk that is nearly dead.
type slowStore struct{ history.Store }

func (s slowStore) Write(ctx context.Context, seq uint64, records []history.Record) error {
	time.Sleep(slowWrite)
	return s.Store.Write(ctx, seq, records)
}

// slowSize is how much the figure of a slow history does.
type slowSize struct {
	clients, rounds int
	seconds         float64
}

func historySlow(r *report) error { return slowSize{256, 5, durableSeconds}.figure(r) }

// figure measures durable commands while a slow store is written, beside a store as it is, in turn.
// History never slows trading, so the ratio should be one.
func (z slowSize) figure(r *report) error {
	var all []Result
	var ratios []float64
	for range z.rounds {
		normal, err := z.trade(func(s history.Store) history.Store { return s })
		if err != nil {
			return err
		}
		slow, err := z.trade(func(s history.Store) history.Store { return slowStore{s} })
		if err != nil {
			return err
		}
		fmt.Fprintf(r.progress, "%-26s normal %.0f/s (p99 %.0f µs), slow %.0f/s (p99 %.0f µs)\n",
			"", normal.Value, normal.P99, slow.Value, slow.P99)
		all, ratios = append(all, slow), append(ratios, slow.Value/normal.Value)
	}
	slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(a.Value, b.Value) })
	result := all[len(all)/2]
	result.Name = "history.slow"
	result.Ratio, result.RatioTo = median(ratios), "a history as it is"
	r.add(result)
	return nil
}

// trade measures orders through a node that a history follows.
func (z slowSize) trade(change func(history.Store) history.Store) (result Result, err error) {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	for _, c := range setUpCommands(1, z.clients) {
		var done schema.Result
		if err := n.Submit(context.Background(), c, &done); err != nil {
			return Result{}, err
		}
	}
	store, err := history.OpenPebble(filepath.Join(dir, "history"), slog.New(slog.DiscardHandler))
	if err != nil {
		return Result{}, err
	}
	h := history.Follow(n, change(store), history.Options{})
	defer func() { err = errors.Join(err, h.Close()) }()
	return load(z.clients, z.seconds, trade(n, z.clients))
}
