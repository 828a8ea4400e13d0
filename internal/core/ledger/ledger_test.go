package ledger

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	usdt  schema.AssetID   = 1
	alice schema.AccountID = schema.FirstCustomer
	bob   schema.AccountID = schema.FirstCustomer + 1
)

func amount(n int64) fixed.Decimal { return fixed.FromInt(n) }

// funded is a ledger in which alice has some money in her trade wallet, and the events it records in.
func funded(n int64) (l *Ledger, events *schema.Events, cell Cell) {
	events = &schema.Events{}
	l = New(events)
	cell = l.Open(alice, schema.Trade, usdt)
	l.Move(l.Open(schema.Outside, schema.Main, usdt), cell, amount(n), Note{Cause: schema.ByDeposit})
	events.Reset()
	return l, events, cell
}

func has(t *testing.T, l *Ledger, c Cell, available, frozen, held int64) {
	t.Helper()
	a, f, h := l.Balance(c)
	if a != amount(available) || f != amount(frozen) || h != amount(held) {
		t.Errorf("balance %s, %s, %s, want %d, %d, %d", a, f, h, available, frozen, held)
	}
}

func TestCellsAreFoundByAccountWalletAndAsset(t *testing.T) {
	l := New(&schema.Events{})
	cells := map[Cell]bool{}
	for _, account := range []schema.AccountID{schema.Outside, alice, bob} {
		for _, wallet := range []schema.Wallet{schema.Main, schema.Trade, schema.Collateral} {
			for asset := usdt; asset < 4; asset++ {
				if got := l.Find(account, wallet, asset); got != 0 {
					t.Fatalf("cell %d is there before it was opened", got)
				}
				c := l.Open(account, wallet, asset)
				if cells[c] || c == 0 || l.Open(account, wallet, asset) != c || l.Find(account, wallet, asset) != c {
					t.Fatalf("cell %d of %d, %s, %d", c, account, wallet, asset)
				}
				cells[c] = true
			}
		}
	}
	if l.Len() != len(cells) {
		t.Errorf("%d cells, want %d", l.Len(), len(cells))
	}
	if got := l.Available(0); !got.IsZero() {
		t.Errorf("no cell has %s available", got)
	}
}

func TestMoneyMovesAndIsNeverMade(t *testing.T) {
	l, _, a := funded(100)
	b := l.Open(bob, schema.Trade, usdt)
	l.Freeze(a, amount(60), Note{Cause: schema.ByRequest})
	has(t, l, a, 40, 60, 0)
	l.MoveFrozen(a, b, amount(25), Note{Cause: schema.ByTrade})
	l.Move(a, b, amount(40), Note{Cause: schema.ByTrade})
	l.Freeze(a, amount(-35), Note{Cause: schema.ByRequest})
	has(t, l, a, 35, 0, 0)
	has(t, l, b, 65, 0, 0)
	has(t, l, l.Find(schema.Outside, schema.Main, usdt), -100, 0, 0)
	scale := func(schema.AssetID) (int, bool) { return 0, true }
	if err := l.Verify(scale); err != nil {
		t.Error(err)
	}
}

func TestHeldMoneyIsNotFree(t *testing.T) {
	events := &schema.Events{}
	l := New(events)
	main := l.Open(alice, schema.Main, usdt)
	l.Move(l.Open(schema.Outside, schema.Main, usdt), main, amount(10), Note{})
	l.Hold(main, amount(4), Note{})
	has(t, l, main, 10, 0, 4)
	if got := l.Free(main); got != amount(6) {
		t.Errorf("%s is free", got)
	}
	l.Move(main, l.Open(alice, schema.Trade, usdt), amount(8), Note{})
	if got := l.Free(main); !got.IsZero() {
		t.Errorf("%s is free of 2 with 4 held", got)
	}
}

// TestABalanceHasOneEventInACommand: the last movement says why, and the numbers are those after it.
func TestABalanceHasOneEventInACommand(t *testing.T) {
	l, events, a := funded(100)
	b := l.Open(bob, schema.Trade, usdt)
	move := func() {
		l.Move(a, b, amount(1), Note{Cause: schema.ByTrade, Ref: 7})
		l.Move(a, b, amount(2), Note{Cause: schema.ByFee, Ref: 8})
	}
	move()
	if got := events.Len(); got != 2 {
		t.Errorf("%d events of two balances", got)
	}
	for e := range events.All() {
		e := e.(*schema.BalanceChanged)
		want := amount(97)
		if e.Account == bob {
			want = amount(3)
		}
		if e.Cause != schema.ByFee || e.Ref != 8 || e.Available != want {
			t.Errorf("got %+v", e)
		}
	}
	events.Reset()
	events.Itemize()
	move()
	if got := events.Len(); got != 4 {
		t.Errorf("%d events of four movements", got)
	}
}

func TestWhatACustomerDoesNotHaveCannotBeMoved(t *testing.T) {
	for name, move := range map[string]func(*Ledger, Cell){
		"more than is available": func(l *Ledger, a Cell) { l.Move(a, l.Open(bob, schema.Trade, usdt), amount(11), Note{}) },
		"more than is frozen":    func(l *Ledger, a Cell) { l.MoveFrozen(a, l.Open(bob, schema.Trade, usdt), amount(1), Note{}) },
		"freezing too much":      func(l *Ledger, a Cell) { l.Freeze(a, amount(11), Note{}) },
	} {
		t.Run(name, func(t *testing.T) {
			l, _, a := funded(10)
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, "negative") {
					t.Errorf("it went unnoticed: %q", got)
				}
			}()
			move(l, a)
		})
	}
}

func TestVerifyFindsWhatCannotBe(t *testing.T) {
	whole := func(schema.AssetID) (int, bool) { return 0, true }
	for _, tt := range []struct {
		name    string
		records []Record
		scale   func(schema.AssetID) (int, bool)
		says    string
	}{
		{"money from nowhere", []Record{{Account: alice, Wallet: schema.Trade, Asset: usdt, Available: amount(1)}}, whole, "sums to 1"},
		{"a debt of a customer", []Record{{Account: alice, Wallet: schema.Trade, Asset: usdt, Available: amount(-1)}}, whole, "-1 is negative"},
		{"a part of a unit", []Record{{Account: alice, Wallet: schema.Trade, Asset: usdt, Available: fixed.FromUnits(5, 1)}}, whole, "finer than"},
		{"held money in trade", []Record{{Account: alice, Wallet: schema.Trade, Asset: usdt, Held: amount(1)}}, whole, "held outside"},
		{"an asset that is not listed", []Record{{Account: alice, Wallet: schema.Trade, Asset: usdt}}, func(schema.AssetID) (int, bool) { return 0, false }, "not listed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(&schema.Events{})
			for i := range tt.records {
				if err := l.Restore(&tt.records[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Verify(tt.scale); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}

func TestRestoreBringsBackRecords(t *testing.T) {
	l, _, a := funded(100)
	l.Freeze(a, amount(30), Note{})
	back := New(&schema.Events{})
	var want []Record
	for r := range l.Records() {
		want = append(want, r)
		if err := back.Restore(&r); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	for r := range back.Records() {
		if r != want[i] {
			t.Errorf("record %d is %+v, want %+v", i, r, want[i])
		}
		i++
	}
	if i != 2 {
		t.Errorf("%d records", i)
	}
	for name, r := range map[string]Record{"twice": want[0], "nobody": {Wallet: schema.Main, Asset: usdt}, "no wallet": {Account: bob, Asset: usdt}} {
		if err := back.Restore(&r); err == nil {
			t.Errorf("%s: it was restored", name)
		}
	}
}
