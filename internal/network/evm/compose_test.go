package evm_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/evm/anviltest"
)

func TestPayouts(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	w.list(token)
	from := w.open(hot)
	w.Fund(from, ether("5"))
	w.Pay(first, token, none, anviltest.Invoke(transfer, from, units("100", 6)))
	w.Mine(1)
	receiver := "0x00000000000000000000000000000000000000AA"

	native := w.order(from, receiver, "1.25")
	raw, nativeTx, draft := w.sign(native)
	plain := w.unsigned(draft)
	if to, contract, u, ok := plain.Payment(); !ok || to != receiver || contract != "" || u.Cmp(ether("1.25")) != 0 || plain.Gas != 21_000 || plain.Nonce != 0 {
		t.Errorf("composed %+v", plain)
	}
	w.send(raw, driver.Accepted)

	tokens := w.order(from, receiver, "99.5")
	tokens.Contract, tokens.Decimals = token, 6
	if tokens.Nonce != 1 {
		t.Errorf("after one that waits the nonce is %d", tokens.Nonce)
	}
	raw2, tokenTx, draft2 := w.sign(tokens)
	plain = w.unsigned(draft2)
	if to, contract, u, ok := plain.Payment(); !ok || to != receiver || contract != canonical(t, token) || u.Cmp(units("99.5", 6)) != 0 || plain.Gas > 200_000 {
		t.Errorf("composed %+v", plain)
	}
	w.send(raw2, driver.Accepted)

	w.holds(driver.Point{}, receiver, "", "1.25") // with what waits for a block taken as mined
	w.holds(driver.Point{}, receiver, token, "99.5")
	tip, err := w.Tip(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.holds(tip, receiver, token, "0")

	b := w.mined()
	if len(b.Spends) != 2 {
		t.Fatalf("spends: %+v", b.Spends)
	}
	for i, want := range []driver.Spend{{Tx: nativeTx, Nonce: 0}, {Tx: tokenTx, Nonce: 1}} {
		s := b.Spends[i]
		fee, ok := driver.Amount(s.Fee, 18)
		most := []*driver.Draft{draft, draft2}[i].Fee
		if s.Tx != want.Tx || s.Nonce != want.Nonce || s.From != hot || s.Failed || !ok || fee.Sign() <= 0 || most.Less(fee) {
			t.Errorf("spend %+v with a fee of %s of %s, want %+v", s, fee, most, want)
		}
	}
	if sent := b.Spends[0].Value; sent == nil || sent.Cmp(units("1.25", 18)) != 0 || b.Spends[1].Value != nil {
		t.Errorf("sent %s and %s of the chain's own asset", sent, b.Spends[1].Value)
	}
	if moves := b.Spends[0].Moves; len(moves) != 0 {
		t.Errorf("a payment of the chain's own asset moved %+v", moves)
	}
	want := driver.Move{Contract: canonical(t, token), From: from, To: receiver, Units: units("99.5", 6)}
	if moves := b.Spends[1].Moves; len(moves) != 1 || !sameMove(moves[0], want) {
		t.Errorf("moved %+v, want %+v", moves, want)
	}
	w.holds(b.Point, receiver, "", "1.25")
	w.holds(b.Point, receiver, token, "99.5")
}

func (w *world) unsigned(d *driver.Draft) *evm.Transaction {
	w.t.Helper()
	t, err := evm.ReadUnsigned(d.Unsigned)
	if err != nil {
		w.t.Fatal(err)
	}
	most := new(big.Int).Mul(new(big.Int).SetUint64(t.Gas), new(big.Int).SetUint64(t.Cap))
	if fee, ok := driver.Amount(most, 18); !ok || fee != d.Fee || d.Tx != "" || t.Chain != anviltest.Number || t.Tip > t.Cap {
		w.t.Errorf("draft %+v of %+v, want a fee of %s", d, t, fee)
	}
	return t
}

// TestTokenThatTakesAFee: what arrives is less than what was ordered, and the move says so.
func TestTokenThatTakesAFee(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 10)
	w.list(token)
	from := w.open(hot)
	w.Fund(from, ether("1"))
	w.Pay(first, token, none, anviltest.Invoke(transfer, from, units("100", 6)))
	if b := w.mined(); len(b.Receipts) != 1 || b.Receipts[0].Units.Cmp(units("90", 6)) != 0 {
		t.Errorf("receipts: %+v, want one of 90", b.Receipts)
	}
	o := w.order(from, stranger, "50")
	o.Contract, o.Decimals = token, 6
	raw, _, _ := w.sign(o)
	w.send(raw, driver.Accepted)
	want := driver.Move{Contract: canonical(t, token), From: from, To: stranger, Units: units("45", 6)}
	if b := w.mined(); len(b.Spends) != 1 || len(b.Spends[0].Moves) != 1 || !sameMove(b.Spends[0].Moves[0], want) {
		t.Errorf("spends: %+v, want the move %+v", b.Spends, want)
	}
}

func TestReplacement(t *testing.T) {
	w := newWorld(t)
	from := w.open(hot)
	w.Fund(from, ether("1"))
	w.Mine(1)
	// So much that it could not be paid twice.
	o := w.order(from, stranger, "0.9")
	raw, tx, draft := w.sign(o)
	w.send(raw, driver.Accepted)
	old := w.unsigned(draft)

	o.Least = old.Cap
	raw2, tx2, draft2 := w.sign(o)
	higher := w.unsigned(draft2)
	if higher.Cap*4 < old.Cap*5 || higher.Tip*4 < old.Tip*5 || higher.Nonce != old.Nonce || tx2 == tx {
		t.Errorf("%+v replaces %+v", higher, old)
	}
	w.send(raw2, driver.Accepted)
	w.send(raw, driver.Cheap) // the first one again
	b := w.mined()
	if len(b.Spends) != 1 || b.Spends[0].Tx != tx2 {
		t.Errorf("mined: %+v, want %s", b.Spends, tx2)
	}
	w.send(raw2, driver.Mined)
	w.send(raw, driver.Conflict)

	max := *o.Chain
	max.FeeRateMax = higher.Cap - 1
	o.Chain = &max
	if _, err := w.Compose(w.ctx, o); err == nil || !strings.Contains(err.Error(), "above the most") {
		t.Errorf("a bid above the most: %v", err)
	}
}

func TestNonceGap(t *testing.T) {
	w := newWorld(t)
	from := w.open(hot)
	w.Fund(from, ether("1"))
	w.Mine(1)
	o := w.order(from, stranger, "0.1")
	one, oneTx, _ := w.sign(o)
	o.Nonce = 1
	two, twoTx, _ := w.sign(o)
	w.send(two, driver.Accepted)
	if b := w.mined(); len(b.Spends) != 0 {
		t.Errorf("mined before the one before it: %+v", b.Spends)
	}
	if nonce, err := w.Nonce(w.ctx, from); err != nil || nonce != 0 {
		t.Errorf("the next nonce is %d (%v), want 0", nonce, err)
	}
	w.send(two, driver.Accepted)
	w.send(one, driver.Accepted)
	b := w.mined()
	if len(b.Spends) != 2 || b.Spends[0].Tx != oneTx || b.Spends[1].Tx != twoTx || b.Spends[1].Nonce != 1 {
		t.Errorf("mined: %+v", b.Spends)
	}
}

func TestSendRefuses(t *testing.T) {
	w := newWorld(t)
	from := w.open(hot)
	w.Fund(from, ether("1"))
	w.Mine(1)
	o := w.order(from, stranger, "0.9")
	raw, _, _ := w.sign(o)
	w.Fund(from, ether("0.5"))
	w.send(raw, driver.Refused)
	o = w.order(from, stranger, "0.1")
	o.Rate = 1
	raw, _, _ = w.sign(o)
	w.send(raw, driver.Cheap)
	if fate, err := w.Send(w.ctx, []byte("not a transaction")); err == nil {
		t.Errorf("what is no transaction is %s", fate)
	}
}

func TestOrdersThatCannotBe(t *testing.T) {
	w := newWorld(t)
	token := w.Token(units("1000", 6), 0)
	from, blocked := w.open(hot), "0x00000000000000000000000000000000000000bb"
	w.Fund(from, ether("1"))
	w.Pay(first, token, none, anviltest.Invoke(transfer, from, units("100", 6)))
	w.Pay(first, token, none, anviltest.Invoke("ban(address)", blocked))
	w.Mine(1)
	order := func(change func(*driver.Order)) *driver.Order {
		o := w.order(from, stranger, "0.5")
		change(o)
		return o
	}
	inToken := func(to, amount string) func(*driver.Order) {
		return func(o *driver.Order) {
			o.Contract, o.Decimals, o.Pays = token, 6, []driver.Payment{{Address: to, Amount: fixed.MustParse(amount)}}
		}
	}
	for _, tt := range []struct {
		name  string
		order *driver.Order
		want  error // nil: any
		says  string
	}{
		{"the token refuses", order(inToken(blocked, "1")), driver.ErrCannot, "blocked"},
		{"the contract takes no payments", order(func(o *driver.Order) { o.Pays[0].Address = token }), driver.ErrCannot, "revert"},
		{"too few tokens", order(inToken(stranger, "100.000001")), driver.ErrFunds, "100000000 units"},
		{"too little for the fee", order(func(o *driver.Order) { o.Pays[0].Amount = fixed.MustParse("1") }), driver.ErrFunds, "needed"},
		{"too little", order(func(o *driver.Order) { o.Pays[0].Amount = fixed.MustParse("2") }), driver.ErrFunds, "needed"},
		{"no gas for tokens", order(func(o *driver.Order) { o.From = first; inToken(stranger, "1")(o); o.Rate = 1 << 60 }), driver.ErrFunds, "needed"},
		{"two payments", order(func(o *driver.Order) { o.Pays = append(o.Pays, o.Pays[0]) }), nil, "one receiver"},
		{"no payment", order(func(o *driver.Order) { o.Pays = nil }), nil, "one receiver"},
		{"too precise", order(inToken(stranger, "0.0000001")), nil, "6 decimals"},
		{"a checksum is wrong", order(func(o *driver.Order) { o.Pays[0].Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79c8" }), nil, "checksum"},
		{"no such contract", order(func(o *driver.Order) { inToken(stranger, "1")(o); o.Contract = blocked }), nil, "not a number"},
	} {
		d, err := w.Compose(w.ctx, tt.order)
		if err == nil || !strings.Contains(err.Error(), tt.says) || (tt.want != nil && !errors.Is(err, tt.want)) {
			t.Errorf("%s: composed %+v, %v, want %v with %q", tt.name, d, err, tt.want, tt.says)
		}
	}
	// Nothing at all can be paid: that is how a payout is given up.
	raw, _, _ := w.sign(order(func(o *driver.Order) { o.Pays = []driver.Payment{{Address: from}} }))
	w.send(raw, driver.Accepted)
	if b := w.mined(); len(b.Spends) != 1 || len(b.Receipts) != 0 {
		t.Errorf("nothing was paid: %+v", b)
	}
}
