package marketdata

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// madeUp is a trade of a made-up past.
func madeUp(at schema.Time, price int64) Trade {
	return Trade{Time: at, Price: fixed.FromInt(price), Amount: fixed.FromInt(2), Money: fixed.FromInt(2 * price), Side: schema.Buy}
}

// seed writes the past of market 1: a minute two hours before the exchange begins, and two trades half an
// hour before.
func seed(t testing.TB, dir string) {
	t.Helper()
	var s Seed
	s.Candle(1, Min1, &Candle{
		Start: Min1.Start(start - 2*hour), Open: fixed.FromInt(80), Close: fixed.FromInt(90), High: fixed.FromInt(95), Low: fixed.FromInt(75),
		Volume: fixed.FromInt(10), Money: fixed.FromInt(850),
	})
	s.Trade(1, madeUp(start-hour/2, 98))
	s.Trade(1, madeUp(start-hour/2+schema.Second, 99))
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
}

// TestSeedIsBeforeTheLog: the made-up past shows in trades, candles and the day, and what happens comes after
// it; so it is after a restart, without the saved file and with a spoiled one.
func TestSeedIsBeforeTheLog(t *testing.T) {
	dir := t.TempDir()
	if there, err := Seeded(dir); there || err != nil {
		t.Fatalf("a seed in an empty directory: %v", err)
	}
	seed(t, dir)
	if there, err := Seeded(dir); !there || err != nil {
		t.Fatalf("no seed: %v", err)
	}
	n := openNode(t, t.TempDir())
	defer n.Close()
	found(t, n)
	d := follow(t, n, dir, Options{})
	wait(t, d)
	if trades := d.Trades(1, 0, 10); !slices.Equal(trades, []Trade{madeUp(start-hour/2+schema.Second, 99), madeUp(start-hour/2, 98)}) {
		t.Errorf("the trades are %+v", trades)
	}
	if s := d.Day(1, start); s.Open != fixed.FromInt(80) || s.Last != fixed.FromInt(99) || s.High != fixed.FromInt(99) || s.Low != fixed.FromInt(75) ||
		s.Volume != fixed.FromInt(14) || s.Money != fixed.FromInt(850+196+198) || s.Change != fixed.MustParse("23.75") {
		t.Errorf("the day is %+v", s)
	}
	for i := Min1; i <= Month1; i++ {
		volume := fixed.Zero
		for _, k := range d.Candles(1, i, 0, start, 100) {
			volume = volume.Add(k.Volume)
		}
		if volume != fixed.FromInt(14) {
			t.Errorf("candles of %v hold %s", i, volume)
		}
	}
	if trades := d.Trades(2, 0, 10); len(trades) != 0 {
		t.Errorf("market 2 has the past %+v", trades)
	}

	busy(t, n, 1, 300)
	wait(t, d)
	if all := d.Trades(1, 0, TradesKept); len(all) < 5 || all[len(all)-1] != madeUp(start-hour/2, 98) || all[len(all)-3].ID == 0 {
		t.Errorf("the trades are %+v", all)
	}
	want := string(d.encode(0))
	mustClose(t, d)
	file := filepath.Join(dir, fileName)
	for what, spoil := range map[string]func() error{
		"kept":    func() error { return nil },
		"lost":    func() error { return os.Remove(file) },
		"spoiled": func() error { return os.WriteFile(file, []byte("x"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		again := follow(t, n, dir, Options{})
		wait(t, again)
		if string(again.encode(0)) != want {
			t.Errorf("with the file %s the models are others", what)
		}
		mustClose(t, again)
	}
}

// TestSeedThatCannotBeRead costs the past and nothing else.
func TestSeedThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	seed(t, dir)
	file := filepath.Join(dir, seedName)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	n := openNode(t, t.TempDir())
	defer n.Close()
	found(t, n)
	busy(t, n, 1, 300)
	said := make(notes, 10)
	d := follow(t, n, dir, Options{Log: slog.New(said)})
	sameAsFromTheLog(t, n, d)
	mustClose(t, d)
	close(said)
	var warned bool
	for text := range said {
		warned = warned || strings.Contains(text, "synthetic past of the market data is passed over")
	}
	if !warned {
		t.Error("there was no warning")
	}
}

// TestSeedIsInBackups: an exchange that was restored begins with the same made-up past.
func TestSeedIsInBackups(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "restored")
	n := openNode(t, dir)
	found(t, n)
	seed(t, dir)
	want := follow(t, n, dir, Options{})
	wait(t, want)
	source, err := n.Backup()
	if err != nil {
		t.Fatal(err)
	}
	var plain, backup bytes.Buffer
	quiet := func(uint64, uint64) {}
	if err := source.Write(t.Context(), &plain); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Keep(&backup, &plain, archive.Keys{Dir: dir}, quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Restore(t.Context(), to, "", &backup, quiet); err != nil {
		t.Fatal(err)
	}
	restored := openNode(t, to)
	defer restored.Close()
	got := follow(t, restored, to, Options{})
	wait(t, got)
	if len(got.Trades(1, 0, 10)) != 2 || string(got.encode(0)) != string(want.encode(0)) {
		t.Errorf("the trades are %+v", got.Trades(1, 0, 10))
	}
	mustClose(t, got)
	mustClose(t, want)
	mustClose(t, n)
}

// TestMinutesAddUpLikeTrades: candles are the same whether their trades came one by one or as minutes.
func TestMinutesAddUpLikeTrades(t *testing.T) {
	var single, minutes Seed
	chance := rand.New(rand.NewPCG(3, 3))
	var last *Candle
	for at := start; at < start+40*day; at += schema.Time(1+chance.Int64N(400)) * schema.Second {
		trade := madeUp(at, 90+chance.Int64N(20))
		single.Trade(1, trade)
		k := Candle{Start: Min1.Start(at), Open: trade.Price, Close: trade.Price, High: trade.Price, Low: trade.Price, Volume: trade.Amount, Money: trade.Money}
		if last != nil && last.Start == k.Start {
			last.add(&k)
			continue
		}
		if last != nil {
			minutes.Candle(1, Min1, last)
		}
		last = &k
	}
	minutes.Candle(1, Min1, last)
	for i := Min1; i <= Month1; i++ {
		a, b := single.data.Candles(1, i, 0, start+50*day, CandlesKept), minutes.data.Candles(1, i, 0, start+50*day, CandlesKept)
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("%d candles of %v from trades, %d from minutes", len(a), i, len(b))
		}
	}
}
