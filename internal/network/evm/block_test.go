package evm_test

import (
	"errors"
	"math/big"
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/evm/anviltest"
	"bourse/internal/schema"
)

var (
	none     = new(big.Int)
	first    = anviltest.Accounts[0] // has all tokens
	alice    = driver.Place{Index: 7}
	bob      = driver.Place{Index: 8}
	hot      = driver.Place{Own: schema.Hot}
	transfer = "transfer(address,uint256)"
)

func TestNodeOfAnotherChain(t *testing.T) {
	w := newWorld(t)
	other := w.schema
	other.Number = 1
	chain, err := evm.Dial(w.URL, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Check(w.ctx); err == nil || err.Error() != "the node is one of chain 31337, and anvil is 1" {
		t.Errorf("the check says %v", err)
	}
	other.Family = schema.Bitcoin
	if _, err := evm.Dial(w.URL, other); err == nil {
		t.Error("a Bitcoin chain has this driver")
	}
}

func TestPoints(t *testing.T) {
	w := newWorld(t)
	w.Mine(3)
	tip, err := w.Tip(w.ctx)
	if err != nil || tip.Height != 3 {
		t.Fatalf("the tip is %d (%v), want 3", tip.Height, err)
	}
	at, ok, err := w.At(w.ctx, 3)
	if err != nil || !ok || at != tip {
		t.Errorf("block 3 is %v, %t (%v), want %v", at, ok, err, tip)
	}
	below, ok, err := w.At(w.ctx, 2)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	b := w.last()
	if b.Parent != below.Hash || b.Point != tip || len(b.Receipts)+len(b.Spends) > 0 {
		t.Errorf("the last block is %+v, want an empty one on %v", b, below)
	}
	if at, ok, err := w.At(w.ctx, 4); ok || err != nil {
		t.Errorf("there is a block %v above the tip (%v)", at, err)
	}
	if _, err := w.Block(w.ctx, driver.Point{Height: 3, Hash: schema.Digest{1}}, w); !errors.Is(err, driver.ErrMoved) {
		t.Errorf("a block that nobody made: %v", err)
	}
	if _, err := w.Block(w.ctx, driver.Point{Height: 2, Hash: tip.Hash}, w); err == nil {
		t.Error("a block passes for one of another height")
	}
}

func TestDeposits(t *testing.T) {
	w := newWorld(t)
	token, fake := w.Token(units("1000000", 6), 0), w.Token(units("1000000", 6), 0)
	a, b := w.open(alice), w.open(bob)
	w.list(token)

	native := w.Pay(stranger, a, ether("1.5"), nil)
	tokens := w.Pay(first, token, none, anviltest.Invoke(transfer, b, units("25", 6)))
	w.Pay(first, fake, none, anviltest.Invoke(transfer, b, units("25", 6)))         // of a contract that is not listed
	w.Pay(first, token, none, anviltest.Invoke(transfer, b, none))                  // of nothing
	w.Pay(first, token, none, anviltest.Invoke(transfer, stranger, units("25", 6))) // to somebody else
	w.Pay(stranger, token, none, anviltest.Invoke(transfer, b, units("1000", 6)))   // which he does not have: it fails
	w.Pay(stranger, a, none, nil)
	both := w.Pay(first, token, none, anviltest.Invoke("scatter(address,address,uint256)", a, b, units("3", 6)))
	found := w.mined()
	contract := canonical(t, token)
	w.expect(found,
		native+":v address 7 "+a+" native 1500000000000000000",
		tokens+":0 address 8 "+b+" "+contract+" 25000000",
		both+":0 address 7 "+a+" "+contract+" 3000000",
		both+":2 address 8 "+b+" "+contract+" 3000000")
	if len(found.Spends) != 0 {
		t.Errorf("spends: %+v", found.Spends)
	}
	w.holds(found.Point, a, "", "1.5")
	w.holds(found.Point, b, token, "28")
}

func canonical(t *testing.T, contract string) string {
	t.Helper()
	key, err := new(evm.Chain).Key(contract)
	if err != nil {
		t.Fatal(err)
	}
	tx := evm.Transaction{To: [20]byte(key), Value: none}
	to, _, _, _ := tx.Payment()
	return to
}

// TestNothingMovedIsNoSpend: a token lets anybody move nothing from any address.
func TestNothingMovedIsNoSpend(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	w.list(token)
	a := w.open(alice)
	w.Pay(stranger, token, none, anviltest.Invoke("transferFrom(address,address,uint256)", a, stranger, none))
	if b := w.mined(); len(b.Spends)+len(b.Receipts) != 0 {
		t.Errorf("found %+v", b)
	}
}

func TestOthersTakeTokens(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	w.list(token)
	a := w.open(alice)
	w.Fund(a, ether("1"))
	w.Pay(first, token, none, anviltest.Invoke(transfer, a, units("10", 6)))
	w.Impersonate(a)
	approval := w.Pay(a, token, none, anviltest.Invoke("approve(address,uint256)", stranger, units("10", 6)))
	b := w.mined()
	if len(b.Spends) != 1 || b.Spends[0].Tx != approval || len(b.Spends[0].Moves) != 0 || b.Spends[0].From != alice || !b.Spends[0].Sent {
		t.Errorf("an approval is the spends %+v", b.Spends)
	}
	tx := w.Pay(stranger, token, none, anviltest.Invoke("transferFrom(address,address,uint256)", a, stranger, units("4", 6)))
	b = w.mined()
	if len(b.Spends) != 1 {
		t.Fatalf("spends: %+v", b.Spends)
	}
	s := b.Spends[0]
	want := driver.Move{Contract: canonical(t, token), From: a, To: stranger, Units: units("4", 6)}
	if s.Tx != tx || s.From != alice || s.Sent || s.Nonce != 0 || s.Value != nil || s.Fee != nil || s.Failed || len(s.Moves) != 1 || !sameMove(s.Moves[0], want) {
		t.Errorf("spend: %+v, want the move %+v of %s", s, want, tx)
	}
}

func sameMove(a, b driver.Move) bool {
	return a.Contract == b.Contract && a.From == b.From && a.To == b.To && a.Units.Cmp(b.Units) == 0
}

// TestFailedPayout: it costs its fee and does nothing else.
func TestFailedPayout(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	w.list(token)
	from, a := w.open(hot), w.open(alice)
	w.Fund(from, ether("1"))
	w.Impersonate(from)
	w.Mine(1)
	tx := w.Pay(from, token, ether("0.1"), anviltest.Invoke(transfer, a, units("10", 6)))
	b := w.mined()
	w.expect(b)
	if len(b.Spends) != 1 {
		t.Fatalf("spends: %+v", b.Spends)
	}
	s := b.Spends[0]
	if s.Tx != tx || !s.Failed || s.From != hot || s.Nonce != 0 || s.Value != nil || len(s.Moves) != 0 || s.Fee.Sign() <= 0 {
		t.Errorf("spend: %+v, want %s failed", s, tx)
	}
	left, err := w.Holds(w.ctx, b.Point, driver.Holding{Address: from})
	if err != nil {
		t.Fatal(err)
	}
	if fee, ok := driver.Amount(s.Fee, 18); !ok || left.Add(fee).String() != "1" {
		t.Errorf("%s is left and the fee was %s: together not 1", left, fee)
	}
}

// TestReorganisation: a transaction that comes into another block has its receipts under the same ids, though other logs are before it now.
func TestReorganisation(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	w.list(token)
	from, a, b := w.open(hot), w.open(alice), w.open(bob)
	w.Fund(from, ether("1"))
	w.Pay(first, token, none, anviltest.Invoke(transfer, from, units("100", 6)))
	before := w.mined()

	o := w.order(from, a, "7")
	o.Contract, o.Decimals = token, 6
	raw, tx, _ := w.sign(o)
	w.send(raw, driver.Accepted)
	old := w.mined()
	id := tx + ":0 address 7 " + a + " " + canonical(t, token) + " 7000000"
	w.expect(old, id)
	if index := w.logIndex(tx); index != "0x0" {
		t.Fatalf("the log is number %s of its block", index)
	}
	w.holds(old.Point, a, token, "7")

	w.Reorg(1)
	if at, ok, err := w.At(w.ctx, old.Height); err != nil || !ok || at.Hash == old.Hash {
		t.Fatalf("after the reorganisation block %d is %v, %t (%v)", old.Height, at, ok, err)
	}
	for _, h := range []driver.Holding{{Address: a, Contract: token, Decimals: 6}, {Address: a}} {
		if got, err := w.Holds(w.ctx, old.Point, h); !errors.Is(err, driver.ErrMoved) {
			t.Errorf("in a block that is gone %+v is %s (%v)", h, got, err)
		}
	}
	if got, err := w.Block(w.ctx, old.Point, w); err == nil && (got.Point != old.Point || receipts(got) != id) {
		t.Errorf("the block that is gone is %+v", got)
	}
	w.holds(before.Point, a, token, "0")

	// The node forgot the transaction; now one with three logs comes before it.
	w.Pay(first, token, none, anviltest.Invoke("scatter(address,address,uint256)", b, stranger, units("2", 6)))
	w.send(raw, driver.Accepted)
	found := w.mined()
	if index := w.logIndex(tx); index != "0x3" {
		t.Errorf("the log is number %s of its new block: this test shows nothing", index)
	}
	if len(found.Receipts) != 2 || found.Receipts[0].Place != bob || len(found.Spends) != 1 || found.Spends[0].Tx != tx {
		t.Fatalf("found %+v", found)
	}
	found.Receipts = found.Receipts[1:]
	w.expect(found, id)
}

// logIndex is the place of the first log of a transaction in its block.
func (w *world) logIndex(tx string) string {
	w.t.Helper()
	var r struct {
		Logs []struct{ LogIndex string }
	}
	w.Call("eth_getTransactionReceipt", &r, tx)
	return r.Logs[0].LogIndex
}
