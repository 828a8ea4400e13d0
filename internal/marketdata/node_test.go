package marketdata

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// openNode starts a node on a data directory, half a minute after another from batch to batch. Nobody cuts its power.
func openNode(t testing.TB, dir string) *node.Node {
	t.Helper()
	now := start
	o := node.Options{Journal: journal.Options{Dir: dir, SyncInterval: time.Minute}, Clock: func() schema.Time { now += minute / 2; return now }}
	n, err := node.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func submit(t testing.TB, n *node.Node, c schema.Command) schema.Result {
	t.Helper()
	var r schema.Result
	if err := n.Submit(t.Context(), c, &r); err != nil {
		t.Fatalf("%T: %v", c, err)
	}
	return r
}

// found lists everything on a new node.
func found(t testing.TB, n *node.Node) {
	t.Helper()
	for _, c := range genesis() {
		if r := submit(t, n, c); r.Rejection.Refused() {
			t.Fatalf("%T: %s", c, r.Rejection.Text())
		}
	}
}

// busy lets random trading happen.
func busy(t testing.TB, n *node.Node, seed uint64, commands int) {
	t.Helper()
	draw := chance(rand.New(rand.NewPCG(seed, 1)).IntN)
	orders := uint64(0)
	for range commands {
		r := submit(t, n, draw.command(orders))
		orders = max(orders, uint64(r.Order.ID))
	}
}

func follow(t testing.TB, n *node.Node, dir string, o Options) *Data {
	t.Helper()
	d, err := Follow(n, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func wait(t testing.TB, d *Data) {
	t.Helper()
	if err := d.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// sameAsFromTheLog holds models against those that are made from the whole log.
func sameAsFromTheLog(t testing.TB, n *node.Node, d *Data) {
	t.Helper()
	wait(t, d)
	fresh := follow(t, n, t.TempDir(), Options{})
	wait(t, fresh)
	if string(d.encode(0)) != string(fresh.encode(0)) {
		t.Error("the models are not those of the log")
	}
	if len(d.Trades(1, 0, 100)) == 0 || d.Version(2) == 0 {
		t.Error("nothing happened on the markets")
	}
	mustClose(t, fresh)
}

// notes is a log handler that hands every text on.
type notes chan string

func (c notes) Enabled(context.Context, slog.Level) bool { return true }
func (c notes) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c notes) WithGroup(string) slog.Handler            { return c }

func (c notes) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	select {
	case c <- text:
	default: // nobody listens any more
	}
	return nil
}

func TestRestartGoesOnFromTheFile(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	d := follow(t, n, dir, Options{})
	found(t, n)
	busy(t, n, 1, 300)
	wait(t, d)
	before := d.encode(0)
	version := d.Version(1)
	mustClose(t, d)
	busy(t, n, 2, 100) // nobody looks
	mustClose(t, n)

	n = openNode(t, dir)
	texts := make(notes, 100)
	d = follow(t, n, dir, Options{Log: slog.New(texts)})
	if got := <-texts; !strings.HasPrefix(got, "the market data are back") {
		t.Errorf("the log says %q", got)
	}
	busy(t, n, 3, 300)
	wait(t, d)
	if d.Version(1) <= version || string(d.encode(0)) == string(before) {
		t.Error("nothing happened after the restart")
	}
	n.Read(func(m core.View) {
		asks, bids, _ := d.Depth(1, 1000)
		var want []Level
		for _, side := range []schema.Side{schema.Sell, schema.Buy} {
			for _, l := range m.Trading().Depth(1, side, 1000) {
				want = append(want, Level(l))
			}
		}
		if !slices.Equal(append(asks, bids...), want) {
			t.Errorf("the book is %v and %v, want %v", asks, bids, want)
		}
	})
	sameAsFromTheLog(t, n, d)
	mustClose(t, d)
	mustClose(t, n)
}

func TestFileThatCannotBeUsedIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	found(t, n)
	busy(t, n, 4, 200)
	mustClose(t, follow(t, n, dir, Options{}))
	d := follow(t, n, dir, Options{})
	wait(t, d)
	mustClose(t, d)
	file := filepath.Join(dir, fileName)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	end := n.Applied()
	sealed := func(b []byte) []byte {
		sum := sha256.Sum256(b)
		return append(b, sum[:]...)
	}
	body := func() []byte { return slices.Clone(good[:len(good)-sha256.Size]) }
	message := func(b []byte, m wire.Message) []byte { return new(wire.Coder).AppendSized(b, m) }
	empty := append([]byte(magic), version)
	strange := []candles{{Interval: Month1 + 1}}
	for _, c := range []struct {
		what string
		file []byte
		says string
	}{
		{"a flipped bit", func() []byte { b := slices.Clone(good); b[len(b)/2] ^= 4; return b }(), "SHA-256"},
		{"cut off", good[:len(good)*2/3], "SHA-256"},
		{"no bytes at all", nil, "does not begin like one"},
		{"another file", []byte(strings.Repeat("something else ", 20)), "does not begin like one"},
		{"another version", func() []byte { b := body(); b[len(magic)]++; return sealed(b) }(), "version 2"},
		{"more than it says", sealed(append(body(), 1)), "1 bytes are left over"},
		{"a market too few", sealed(message(slices.Clone(empty), &head{Place: 1, Markets: 1})), "cut off"},
		{"a field of tomorrow", sealed(append(slices.Clone(empty), 2, 0x38, 1)), "not known"},
		{"an interval of tomorrow", sealed(message(message(slices.Clone(empty), &head{Markets: 1}), &record{ID: 1, Candles: strange})), "interval 19"},
		{"too many trades", sealed(message(message(slices.Clone(empty), &head{Markets: 1}), &record{ID: 1, Trades: make([]Trade, TradesKept+1)})), "2001 trades"},
		{"beyond the log", sealed(message(slices.Clone(empty), &head{Place: end + 1})), fmt.Sprintf("the log ends at batch %d", end)},
		{"a market beyond the log", sealed(message(message(slices.Clone(empty), &head{Markets: 1}), &record{ID: 1, Seq: end + 1})), fmt.Sprintf("the log ends at batch %d", end)},
	} {
		if err := os.WriteFile(file, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		texts := make(notes, 100)
		d := follow(t, n, dir, Options{Log: slog.New(texts)})
		if got := <-texts; !strings.Contains(got, "passed over") || !strings.Contains(got, c.says) {
			t.Errorf("%s: the log says %q", c.what, got)
		}
		wait(t, d)
		if d.Rebuilding() {
			t.Errorf("%s: the models are still being rebuilt", c.what)
		}
		if string(d.encode(end)) != string(good) {
			t.Errorf("%s: the models are not those of the log", c.what)
		}
		mustClose(t, d)
		if again, err := os.ReadFile(file); err != nil || string(again) != string(good) {
			t.Errorf("%s: the file was not made good: %v", c.what, err)
		}
	}
	mustClose(t, n)
}

func TestOwnWritesAreSeen(t *testing.T) {
	n := openNode(t, t.TempDir())
	d := follow(t, n, t.TempDir(), Options{})
	found(t, n)
	for i := range 300 {
		amount := fmt.Sprint(i + 1)
		order := submit(t, n, limit(bob, schema.Buy, amount, "100")).Order
		wait(t, d)
		if bid, _ := d.Best(1); bid != (Level{number("100"), number(amount)}) {
			t.Fatalf("order %d is not there: the best bid is %v", i, bid)
		}
		if i%2 == 0 {
			submit(t, n, &schema.CancelOrder{Account: bob, Order: schema.OrderRef{Market: 1, ID: order.ID}})
		} else {
			submit(t, n, limit(carol, schema.Sell, amount, "100"))
		}
		wait(t, d)
		if _, bids, version := d.Depth(1, 10); len(bids) != 0 || version != uint64(2*i+2) {
			t.Fatalf("order %d is still there in version %d", i, version)
		}
		if got := len(d.Trades(1, 0, 1000)); got != (i+1)/2 {
			t.Fatalf("there are %d trades after order %d", got, i)
		}
		if d.Lag() != 0 {
			t.Fatalf("%d batches are missing", d.Lag())
		}
	}
	mustClose(t, d)
	mustClose(t, n)
}

func TestRPIOrdersAreInNoBookAndTheirTradesArePublic(t *testing.T) {
	n := openNode(t, t.TempDir())
	d := follow(t, n, t.TempDir(), Options{})
	found(t, n)
	submit(t, n, limit(carol, schema.Sell, "1", "103"))
	hidden := limit(alice, schema.Sell, "2", "102")
	hidden.Order.RPI = true
	if r := submit(t, n, hidden); r.Rejection.Refused() || !r.Order.Alive() {
		t.Fatalf("the RPI order is not open: %s", r.Rejection.Text())
	}
	check := func(version uint64, trades int) {
		t.Helper()
		wait(t, d)
		asks, bids, got := d.Depth(1, 10)
		if !slices.Equal(asks, []Level{{number("103"), number("1")}}) || len(bids) != 0 || got != version {
			t.Errorf("asks %v, bids %v, version %d", asks, bids, got)
		}
		if list := d.Trades(1, 0, 10); len(list) != trades {
			t.Errorf("trades %v", list)
		}
		if s := d.Day(1, start); s.Ask != number("103") {
			t.Errorf("the best ask is %s", s.Ask)
		}
	}
	check(1, 0)
	taker := limit(bob, schema.Buy, "0.5", "102")
	taker.Order.Retail, taker.Order.IOC = true, true
	submit(t, n, taker)
	check(1, 1)
	got := d.Trades(1, schema.Buy, 10)[0]
	want := Trade{ID: 1, Time: got.Time, Price: number("102"), Amount: number("0.5"), Money: number("51"), Side: schema.Buy, RPI: true}
	if got != want || d.Last(1) != number("102") || len(d.Candles(1, Month1, 0, ever, 10)) != 1 {
		t.Errorf("the trade is %+v, want %+v", got, want)
	}
	mustClose(t, d)
	mustClose(t, n)
}

func TestModelsAreSavedAtIntervals(t *testing.T) {
	n := openNode(t, t.TempDir())
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	texts := make(notes, 10_000)
	d := follow(t, n, dir, Options{Log: slog.New(texts), SaveInterval: time.Microsecond})
	found(t, n)
	busy(t, n, 5, 50)
	wait(t, d)
	last := fmt.Sprintf("the market data were saved batch=%d ", n.Applied())
	for !strings.HasPrefix(<-texts, last) {
	}
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != string(d.encode(n.Applied())) {
		t.Error("the file is not what the models are")
	}
	mustClose(t, d)
	mustClose(t, n)
}

func TestNothingIsSavedWhenNothingIsNew(t *testing.T) {
	n := openNode(t, t.TempDir())
	found(t, n)
	dir := t.TempDir()
	d := follow(t, n, dir, Options{})
	file := filepath.Join(dir, fileName)
	save := func(place, there bool) {
		t.Helper()
		wait(t, d)
		if err := d.saveWhenNew(place); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); (err == nil) != there {
			t.Errorf("is there a file: %v", err)
		}
		os.Remove(file)
	}
	save(false, false) // no market has changed
	save(true, true)   // the place has
	save(true, false)
	submit(t, n, limit(bob, schema.Buy, "1", "1"))
	save(false, true)
	save(false, false)
	submit(t, n, &schema.Tick{})
	save(false, false)
	save(true, true)
	mustClose(t, d)
	if _, err := os.Stat(file); err == nil {
		t.Error("the same was saved again")
	}
	mustClose(t, n)
}

// TestSavingAndReadingWhileTheExchangeRuns: files that were made meanwhile lead to the same models,
// and no reader ever sees half a batch.
func TestSavingAndReadingWhileTheExchangeRuns(t *testing.T) {
	n := openNode(t, t.TempDir())
	found(t, n)
	d := follow(t, n, t.TempDir(), Options{})
	done := make(chan struct{})
	var others sync.WaitGroup
	var files [][]byte
	others.Go(func() {
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			at := d.at.Load()
			files = append(files, d.encode(at))
		}
	})
	others.Go(func() {
		version := uint64(0)
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			asks, bids, v := d.Depth(1, 100)
			if v < version {
				t.Errorf("version %d after %d", v, version)
			}
			version = v
			if len(asks) > 0 && len(bids) > 0 && !bids[0].Price.Less(asks[0].Price) {
				t.Errorf("the book is crossed: %v %v", bids[0], asks[0])
			}
			if s := d.Day(1, start); !s.Last.IsZero() && s.Volume.IsZero() {
				t.Errorf("a last price without a trade: %+v", s)
			}
		}
	})
	var traders sync.WaitGroup
	for seed := range uint64(4) {
		traders.Go(func() { busy(t, n, 10+seed, 150) })
	}
	traders.Wait()
	wait(t, d)
	close(done)
	others.Wait()
	for i := 0; i < len(files); i += 1 + len(files)/8 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), files[i], 0o600); err != nil {
			t.Fatal(err)
		}
		texts := make(notes, 100)
		again := follow(t, n, dir, Options{Log: slog.New(texts)})
		if got := <-texts; !strings.HasPrefix(got, "the market data are back") {
			t.Errorf("file %d: %s", i, got)
		}
		wait(t, again)
		if string(again.encode(0)) != string(d.encode(0)) {
			t.Errorf("file %d of %d leads to other models", i, len(files))
		}
		mustClose(t, again)
	}
	sameAsFromTheLog(t, n, d)
	mustClose(t, d)
	mustClose(t, n)
}

func TestWaitSaysThatNobodyFollows(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	found(t, n)
	d := follow(t, n, t.TempDir(), Options{})
	wait(t, d)
	mustClose(t, d)
	wait(t, d) // what was there is still there
	submit(t, n, limit(bob, schema.Buy, "1", "1"))
	if err := d.Wait(t.Context()); err != ErrEnded || d.Lag() != 1 {
		t.Errorf("after the end: %v, %d batches are missing", err, d.Lag())
	}
	mustClose(t, n)

	// A node that is closed has no past to read.
	n = openNode(t, dir)
	mustClose(t, n)
	d = follow(t, n, t.TempDir(), Options{})
	if err := d.Wait(t.Context()); !errors.Is(err, ErrEnded) {
		t.Errorf("without a log: %v", err)
	}
	if err := d.Close(); !errors.Is(err, ErrEnded) {
		t.Errorf("closing does not say that nobody followed: %v", err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	n := openNode(t, t.TempDir())
	found(t, n)
	d := &Data{node: n, ended: make(chan struct{})} // nobody follows, nobody says so
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustClose(t, n)
}

// TestFileThatCannotBeWritten: the models go on, and say so.
func TestFileThatCannotBeWritten(t *testing.T) {
	n := openNode(t, t.TempDir())
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, fileName, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	texts := make(notes, 10_000)
	d := follow(t, n, dir, Options{Log: slog.New(texts), SaveInterval: time.Microsecond})
	found(t, n)
	busy(t, n, 6, 50)
	for !strings.HasPrefix(<-texts, "the market data were not saved") {
	}
	sameAsFromTheLog(t, n, d)
	if err := d.Close(); err == nil {
		t.Error("closing does not say that nothing was written")
	}
	mustClose(t, n)
}

func TestDirectoryThatCannotBeMade(t *testing.T) {
	n := openNode(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Follow(n, file, Options{}); err == nil {
		t.Error("a file is taken for a directory")
	}
	mustClose(t, n)
}

// TestPricesOfFutures: the last of each, also after a restart from the file or from the log.
func TestPricesOfFutures(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	found(t, n)
	perp := schema.MarketID(submit(t, n, &schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_PERP", Base: 1, Quote: 3, Type: schema.Futures, StockPrec: 4, MoneyPrec: 2, Enabled: true,
		Margin: schema.Margin{MaxLeverage: 1, PriceBand: number("1"), ImpactNotional: number("1"), FundingMinutes: 5},
	}}).ID)
	d := follow(t, n, dir, Options{})
	for _, price := range []string{"50000", "50001.5"} {
		if r := submit(t, n, &schema.SetIndex{Market: perp, Price: number(price)}); r.Rejection.Refused() {
			t.Fatal(r.Rejection.Text())
		}
	}
	wait(t, d)
	var want schema.MarkChanged
	n.Read(func(m core.View) { want, _ = m.Prices().Future(perp) })
	same := func(d *Data) {
		t.Helper()
		if got := d.Prices(perp); got != want || got.Mark != number("50001.5") || !got.Fresh {
			t.Errorf("the prices are %+v, want %+v", got, want)
		}
		if got := d.Prices(1); got != (schema.MarkChanged{}) {
			t.Errorf("a spot market has the prices %+v", got)
		}
	}
	same(d)
	mustClose(t, d)
	d = follow(t, n, dir, Options{})
	same(d) // without reading anything
	mustClose(t, d)
	d = follow(t, n, t.TempDir(), Options{})
	wait(t, d)
	same(d)
	mustClose(t, d)
	mustClose(t, n)
}
