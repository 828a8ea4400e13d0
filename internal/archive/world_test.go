package archive_test

import (
	"context"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

const (
	alice = schema.FirstCustomer
	bob   = schema.FirstCustomer + 1

	btc, usdt = schema.AssetID(1), schema.AssetID(2)

	// start is 2026-10-01T00:00:00Z; batch n happens n seconds later.
	start = 1_790_812_800 * schema.Second
)

// world is a short day on an exchange; each command is a batch of its own.
func world() []schema.Command {
	number := fixed.MustParse
	order := func(account schema.AccountID, side schema.Side, amount, price string) schema.Command {
		return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: side, Amount: number(amount), Price: number(price),
		}}
	}
	return []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6,
			MakerFee: number("0.1"), TakerFee: number("0.2"), Enabled: true,
		}},
		&schema.SetAccount{Account: schema.Account{Name: "alicia", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "bob", Region: schema.Global}},
		&schema.Deposit{Account: alice, Asset: btc, Amount: number("2")},
		&schema.Transfer{Account: alice, Asset: btc, Amount: number("2"), From: schema.Main, To: schema.Trade},
		&schema.Deposit{Account: bob, Asset: usdt, Amount: number("1000"), Held: true},
		&schema.Transfer{Account: bob, Asset: usdt, Amount: number("1000"), From: schema.Main, To: schema.Trade},
		order(alice, schema.Sell, "1", "100"),   // batch 10, order 1
		order(bob, schema.Buy, "0.4", "101"),    // batch 11, order 2
		order(bob, schema.Buy, "5000", "20000"), // batch 12, refused
		&schema.CancelOrder{Account: alice, Order: schema.OrderRef{Market: 1, ID: 1}},
		order(bob, schema.Buy, "1", "90"), // batch 14, order 3
		&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}},
		&schema.SetKey{Key: schema.Key{Key: "k\xff", Account: alice, Title: "zoë \"1\"", Sealed: []byte{0, 255}, Enabled: true, URLs: []string{"", "/a"}}},
	}
}

// makeWorld lets commands happen on a node in a fresh directory, with a snapshot in the middle and
// one at the end, and returns the directory and the hash of the state.
func makeWorld(t *testing.T) (dir string, hash [32]byte) {
	t.Helper()
	dir = t.TempDir()
	commands := world()
	run(t, dir, 0, commands[:11])
	return dir, run(t, dir, 11, commands[11:])
}

func run(t *testing.T, dir string, before int, commands []schema.Command) (hash [32]byte) {
	t.Helper()
	now := start + schema.Time(before)*schema.Second
	n, err := node.Open(t.Context(), node.Options{
		Journal: journal.Options{Dir: dir},
		Clock:   func() schema.Time { now += schema.Second; return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range commands {
		var r schema.Result
		if err := n.Submit(t.Context(), c, &r); err != nil {
			t.Fatal(err)
		}
		if refused := r.Rejection.Refused(); refused != (before+i+1 == 12) {
			t.Fatalf("command %d: refused %v: %s", before+i+1, refused, r.Rejection.Text())
		}
	}
	n.Read(func(m core.View) { hash = m.Hash() })
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return hash
}

// with opens a directory for the length of a call.
func with(t *testing.T, dir string, look func(context.Context, *archive.Archive)) {
	t.Helper()
	a, err := archive.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	look(t.Context(), a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// copyOf is a copy of a directory, to be damaged.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := disk.CopyTree(to, dir); err != nil {
		t.Fatal(err)
	}
	return to
}
