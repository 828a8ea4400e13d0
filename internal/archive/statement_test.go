package archive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// statement prints the lines of an account, compactly.
func statement(t *testing.T, dir, name string, limit archive.Limit) []string {
	t.Helper()
	var lines []string
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		err := a.Statement(ctx, limit, name, func(l *archive.Line) error {
			if l.Time != start+schema.Time(l.Batch)*schema.Second {
				t.Errorf("batch %d is said to be at %s", l.Batch, l.Time)
			}
			lines = append(lines, fmt.Sprintf("%d %s %s %s %s o%d d%d = %s %s %s",
				l.Batch, l.Wallet, l.Asset, l.Change, l.Cause, l.Order, l.Deal, l.Available, l.Frozen, l.Held))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return lines
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestStatementsTellWhereMoneyWent(t *testing.T) {
	dir, _ := makeWorld(t)
	// The account had another name when most of this happened.
	expect(t, statement(t, dir, "alice", archive.Limit{}),
		"6 main BTC 2 deposit o0 d0 = 2 0 0",
		"7 main BTC -2 transfer o0 d0 = 0 0 0",
		"7 trade BTC 2 transfer o0 d0 = 2 0 0",
		"10 trade BTC 0 request o1 d0 = 1 1 0",
		"11 trade BTC -0.4 trade o0 d1 = 1 0.6 0",
		"11 trade USDT 40 trade o0 d1 = 40 0 0",
		"11 trade USDT -0.04 fee o0 d1 = 39.96 0 0",
		"13 trade BTC 0 request o1 d0 = 1.6 0 0",
	)
	expect(t, statement(t, dir, "fees", archive.Limit{}),
		"11 main USDT 0.04 fee o0 d1 = 0.04 0 0",
		"11 main BTC 0.0008 fee o0 d1 = 0.0008 0 0",
	)
	bobs := statement(t, dir, "bob", archive.Limit{Seq: 11})
	expect(t, bobs[:2], "8 main USDT 1000 deposit o0 d0 = 1000 0 0", "8 main USDT 0 deposit o0 d0 = 1000 0 1000")
	expect(t, bobs[len(bobs)-1:], "11 trade BTC -0.0008 fee o0 d1 = 0.3992 0 0")
}

func TestStatementEndsAtAMoment(t *testing.T) {
	dir, _ := makeWorld(t)
	for _, limit := range []archive.Limit{{Seq: 7}, {Time: start + 7*schema.Second}, {Time: start + 8*schema.Second - 1}} {
		if lines := statement(t, dir, "alicia", limit); len(lines) != 3 {
			t.Errorf("%+v: %v", limit, lines)
		}
	}
}

func TestUnknownNamesAreErrorsThatSayWhatThereIs(t *testing.T) {
	dir, _ := makeWorld(t)
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		line := func(*archive.Line) error { return nil }
		trade := func(*archive.Trade) error { return nil }
		moment := func(*archive.Moment) error { return nil }
		for what, err := range map[string]error{
			`no account "zelda"`: a.Statement(ctx, archive.Limit{}, "zelda", line),
			"alicia, bob, clearing, codes, convert, custody, fees": a.Statement(ctx, archive.Limit{Seq: 5}, "alice", line),
			`no market "A_B"`:  a.Trades(ctx, archive.Limit{}, "A_B", trade),
			"none at all":      a.Trades(ctx, archive.Limit{Seq: 2}, "BTC_USDT", trade),
			"no order 77":      a.OrderLife(ctx, archive.Limit{}, 77, moment),
			"ends at batch 16": a.OrderLife(ctx, archive.Limit{Seq: 17}, 1, moment),
		} {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%q: got %v", what, err)
			}
		}
	})
}

func TestOrderLifeAndTrades(t *testing.T) {
	dir, _ := makeWorld(t)
	var life, trades []string
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		err := a.OrderLife(ctx, archive.Limit{}, 1, func(m *archive.Moment) error {
			if m.Deal != nil {
				life = append(life, fmt.Sprintf("%d %s deal %d %s @ %s", m.Batch, m.Market, m.Deal.ID, m.Deal.Amount, m.Deal.Price))
				return nil
			}
			o := m.Changed.Order
			life = append(life, fmt.Sprintf("%d %s %s by %s: %s left %s", m.Batch, m.Market, m.Changed.Change, m.Changed.Cause, o.Status, o.Left))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = a.Trades(ctx, archive.Limit{}, "BTC_USDT", func(tr *archive.Trade) error {
			trades = append(trades, fmt.Sprintf("%d %s %s %s", tr.Batch, tr.Deal.TakerSide, tr.Deal.Amount, tr.Deal.Money))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	expect(t, life,
		"10 BTC_USDT opened by request: OPEN left 1",
		"11 BTC_USDT deal 1 0.4 @ 100",
		"11 BTC_USDT updated by trade: PARTIALLY_FILLED left 0.6",
		"13 BTC_USDT closed by request: CANCELED left 0.6",
	)
	expect(t, trades, "11 buy 0.4 40")
}

func TestBookAndSummaryOfAnyPlace(t *testing.T) {
	dir, hash := makeWorld(t)
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		early, err := a.Book(ctx, archive.Limit{Seq: 11}, "BTC_USDT")
		if err != nil || len(early.Bids) != 0 || len(early.Asks) != 1 || early.Asks[0].Amount != fixed.MustParse("0.6") {
			t.Errorf("%+v %v", early, err)
		}
		late, err := a.Book(ctx, archive.Limit{}, "BTC_USDT")
		if err != nil || len(late.Asks) != 0 || len(late.Bids) != 1 || late.Bids[0].Price != fixed.FromInt(90) || late.Last != fixed.FromInt(100) {
			t.Errorf("%+v %v", late, err)
		}
		s, err := a.Summary(ctx, archive.Limit{})
		want := archive.Summary{
			Batch: 16, Time: start + 16*schema.Second, Commands: 16, Refused: 1, Accounts: 2, Assets: 2, Markets: 1, Orders: 1, Hash: hash,
		}
		if err != nil || *s != want {
			t.Errorf("got %+v %v, want %+v", s, err, want)
		}
	})
}

func TestOnlyADataDirectoryThatIsThereIsOpened(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty + "/nowhere", empty} {
		if _, err := archive.Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	dir, _ := makeWorld(t)
	with(t, dir, func(ctx context.Context, _ *archive.Archive) {
		if _, err := archive.Open(dir); !errors.Is(err, journal.ErrInUse) {
			t.Errorf("opened twice: %v", err)
		}
	})
}
