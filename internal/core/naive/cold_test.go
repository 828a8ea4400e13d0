package naive

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

const (
	coldOne schema.OwnAddress = 1<<32 + 1 // of payout 1
	coldTwo schema.OwnAddress = 1<<32 + 2
)

// keysOf are keys of the space of the watched chain.
func (w *chainWorld) keysOf(print int, cold bool) *schema.SetKeys {
	c := w.chains.all[watched-1]
	return &schema.SetKeys{Keys: schema.Keys{Family: c.Family, Net: c.Net, Print: digest(print), Sealed: []byte("sealed"), Cold: cold}}
}

// withCold gives the space of the watched chain its keys, with those of cold storage. One confirmation is enough there.
func (w *chainWorld) withCold() *chainWorld {
	w.t.Helper()
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading, n.CanWithdraw = 1, 1, true })
	w.must(w.keysOf(1, false))
	w.must(w.keysOf(2, true))
	return w
}

// newStore is a world with cold storage where bitcoins are coins: a of 10 and b of 5 at the hot address.
func newStore(t *testing.T) *chainWorld {
	w := newChains(t).withCold()
	w.grow(paid("a", 0, "10"), paid("b", 0, "5"))
	return w
}

// plans is a plan that spends coins for a fee of 1.
func plans(id schema.PayoutID, tx string, inputs []string, outputs ...schema.OwnOutput) *schema.PlanPayout {
	return &schema.PlanPayout{Chain: watched, Payout: id, Asset: btc, Inputs: inputs, Outputs: outputs, Fee: d("1"), Tx: tx, Unsigned: []byte("u")}
}

func own(a schema.OwnAddress, amount string) schema.OwnOutput {
	return schema.OwnOutput{Own: a, Amount: d(amount)}
}

// invalid wants a plan to be refused for what it is.
func (w *chainWorld) invalid(p *schema.PlanPayout) {
	w.t.Helper()
	w.refused(because(schema.PayoutInvalid), p)
}

// mined signs a variant of a payout and takes a block with it.
func (w *chainWorld) mined(id schema.PayoutID, variant uint32) {
	w.t.Helper()
	v := w.chains.payout(id).Variants[variant]
	tx := v.Tx
	if tx == "" {
		tx = "signed"
	}
	w.must(&schema.SignPayout{Payout: id, Variant: variant, Tx: tx, Raw: []byte("raw")})
	b := w.nextBlock()
	b.Results = []schema.PayoutResult{{Payout: id, Variant: variant, Fee: v.Fee}}
	w.must(b)
	w.tip = point{b.Height, b.Hash}
}

// holds compares the coins of bitcoins.
func (w *chainWorld) holds(want ...schema.Coin) {
	w.t.Helper()
	if got := w.CoinsOf(watched, btc); !slices.Equal(got, want) {
		w.t.Errorf("coins:\n got %+v\nwant %+v", got, want)
	}
	if err := w.Verify(); err != nil {
		w.t.Error(err)
	}
}

// wants compares what should come back of bitcoins.
func (w *chainWorld) wants(want string) {
	w.t.Helper()
	if got := w.Wanted(watched, btc); got != d(want) {
		w.t.Errorf("%s is wanted, want %s", got, want)
	}
}

func TestColdKeys(t *testing.T) {
	w := newChains(t)
	space := schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}
	w.refused(because(schema.KeysInvalid), w.keysOf(2, true)) // before the others
	w.must(w.keysOf(1, false))
	if _, known := w.ColdKeys(space); known {
		t.Error("there are cold keys")
	}
	w.refused(because(schema.KeysInvalid), w.keysOf(1, true))
	w.refused(because(schema.KeysInvalid), w.keysOf(0, true))
	w.refused(because(schema.KeysInvalid), with(w.keysOf(2, true), func(c *schema.SetKeys) { c.Keys.Sealed = nil }))
	w.refused(because(schema.ChainUnknown), with(w.keysOf(1, true), func(c *schema.SetKeys) { c.Keys.Net = schema.Signet }))
	cold := w.keysOf(2, true)
	w.must(cold)
	if e := w.last.Events[0].(*schema.KeysChanged).Keys; len(w.last.Events) != 1 || !e.Cold || e.Print != digest(2) || string(e.Sealed) != "sealed" || e.Family != schema.Bitcoin || e.Net != schema.Regtest {
		t.Errorf("the event is %+v", e)
	}
	w.refused(because(schema.ImmutableChanged), w.keysOf(3, true))
	w.refused(because(schema.KeysInvalid), w.keysOf(1, true)) // before what never changes
	w.refused(because(schema.ImmutableChanged), w.keysOf(2, false))
	w.must(with(w.keysOf(1, false), func(c *schema.SetKeys) { c.Keys.Sealed = []byte("hot") }))
	w.must(with(w.keysOf(2, true), func(c *schema.SetKeys) { c.Keys.Sealed = []byte("cold") }))
	if k, known := w.SpaceKeys(space); !known || k.Cold || k.Print != digest(1) || string(k.Sealed) != "hot" {
		t.Errorf("the keys are %+v", k)
	}
	if k, known := w.ColdKeys(space); !known || !k.Cold || k.Print != digest(2) || string(k.Sealed) != "cold" {
		t.Errorf("the cold keys are %+v", k)
	}
	if len(w.chains.keys) != 2 {
		t.Errorf("there are %d keys", len(w.chains.keys))
	}
}

// TestReceiptsInColdStorage: of payouts that there were, and nobody's.
func TestReceiptsInColdStorage(t *testing.T) {
	at := func(a schema.OwnAddress) schema.Receipt {
		return schema.Receipt{ID: "r", Asset: btc, Amount: d("3"), Own: a}
	}
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	w.grow(paid("a", 0, "10"))
	w.must(w.keysOf(1, false))
	w.must(plans(1, "x", []string{"a"}, own(2, "9")))
	w.refused(because(schema.BlockInvalid), w.nextBlock(at(coldOne))) // no cold keys
	w.must(w.keysOf(2, true))
	for _, a := range []schema.OwnAddress{ownAhead + 3, coldFirst - 1, coldFirst, coldTwo + ownAhead, 1<<64 - 1} {
		w.refused(because(schema.BlockInvalid), w.nextBlock(at(a)))
	}
	both := at(coldOne)
	both.Index = 1
	w.refused(because(schema.BlockInvalid), w.nextBlock(both))
	w.grow(at(coldOne))
	w.happened("deposit 2 of 0: 3 confirming at 1003", "chain 1 at 1003", "deposit 2 of 0: 3 uncredited at 1003",
		"8 main of 1 by deposit for 0: -13 0", "9 main of 1 by deposit for 0: 13 0")
	w.holds(schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "r", Amount: d("3"), Height: 1003, Own: coldOne})

	w = newTokens(t)
	w.must(w.keysOf(1, false))
	w.refused(because(schema.BlockInvalid), w.nextBlock(at(coldFirst)))
	w.must(w.keysOf(2, true))
	for _, a := range []schema.OwnAddress{2, coldFirst - 1, coldOne} {
		w.refused(because(schema.BlockInvalid), w.nextBlock(at(a)))
	}
	w.grow(at(coldFirst))
	w.holds(schema.Coin{ID: "own 4294967296", Amount: d("3"), Own: coldFirst})
}

// TestPlansThatStore: what goes to cold storage comes before the change, and withdrawals are paid otherwise.
func TestPlansThatStore(t *testing.T) {
	w := newStore(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	a := []string{"a"}
	good := func(change func(*schema.PlanPayout)) *schema.PlanPayout {
		return with(plans(1, "x", a, own(coldOne, "6"), own(2, "3")), change)
	}
	for _, outputs := range [][]schema.OwnOutput{
		{},
		{own(2, "3"), own(coldOne, "6")},
		{own(coldOne, "3"), own(coldOne, "6")},
		{own(coldOne, "3"), own(2, "3"), own(1, "3")},
		{own(2, "3"), own(coldOne, "3"), own(2, "3")},
		slices.Concat([]schema.OwnOutput{own(coldOne, "4.5")}, slices.Repeat([]schema.OwnOutput{own(2, "0.5")}, 9)),
		slices.Repeat([]schema.OwnOutput{own(2, "1")}, 9),
		slices.Concat([]schema.OwnOutput{own(2, "4"), own(2, "4.00000001")}, slices.Repeat([]schema.OwnOutput{own(2, "0.2")}, 5)),
		{own(coldTwo, "6"), own(2, "3")},
		{own(coldFirst, "6"), own(2, "3")},
		{own(coldOne, "6"), own(1, "3")},
		{own(coldOne, "9"), own(2, "0")},
		{own(coldOne, "0"), own(2, "9")},
		{own(coldOne, "-1"), own(2, "10")},
		{own(coldOne, "6.000000001"), own(2, "2.999999999")},
		{{Own: coldOne, Index: 1, Amount: d("6")}, own(2, "3")},
		{own(coldOne, "6"), {Own: 2, Index: 1, Amount: d("3")}},
		{own(coldOne, "6"), own(2, "4")}, // does not add up
	} {
		w.invalid(good(func(p *schema.PlanPayout) { p.Outputs = outputs }))
	}
	w.invalid(good(func(p *schema.PlanPayout) {
		p.Withdrawals, p.Outputs = []schema.WithdrawalID{1}, []schema.OwnOutput{own(coldOne, "6"), own(2, "1")}
	}))
	w.must(plans(1, "x", a, own(coldOne, "9"))) // all of it

	// Change is divided into at most eight.
	for _, outputs := range [][]schema.OwnOutput{
		{own(2, "3"), own(2, "6")},
		slices.Concat(slices.Repeat([]schema.OwnOutput{own(2, "1")}, 7), []schema.OwnOutput{own(2, "2")}),
		slices.Concat([]schema.OwnOutput{own(coldOne, "1")}, slices.Repeat([]schema.OwnOutput{own(2, "1")}, 8)),
	} {
		w = newStore(t)
		w.must(plans(1, "x", a, outputs...))
		w.mined(1, 0)
		want := []schema.Coin{{ID: "b", Amount: d("5"), Height: 1002, Own: 1}}
		for i, o := range outputs {
			want = append(want, schema.Coin{ID: fmt.Sprint("x:", i), Amount: o.Amount, Height: 1003, Own: o.Own})
		}
		w.holds(want...)
	}

	w = newStore(t)
	w.must(good(func(*schema.PlanPayout) {}))
	w.mined(1, 0)
	w.holds(schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1},
		schema.Coin{ID: "x:0", Amount: d("6"), Height: 1003, Own: coldOne}, schema.Coin{ID: "x:1", Amount: d("3"), Height: 1003, Own: 2})
	w.fall(1)
	w.holds(schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1})

	w = newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	w.must(w.keysOf(1, false))
	w.grow(paid("a", 0, "10"))
	w.invalid(good(func(*schema.PlanPayout) {})) // there is no cold storage
	w.must(w.keysOf(2, true))
	w.must(good(func(*schema.PlanPayout) {}))
}

// TestVariantsThatStore: they store if the first does, until the payout is given up.
func TestVariantsThatStore(t *testing.T) {
	dearer := func(p *schema.PlanPayout) *schema.PlanPayout {
		return with(p, func(p *schema.PlanPayout) { p.Fee = d("2") })
	}
	gives := &schema.AbandonPayout{Payout: 1}
	a := []string{"a"}
	w := newStore(t)
	w.must(plans(1, "x", a, own(coldOne, "6"), own(2, "3")))
	w.invalid(dearer(plans(1, "y", a, own(2, "8"))))
	w.must(dearer(plans(1, "y", a, own(coldOne, "6"), own(2, "1"), own(2, "1"))))
	if r := w.from(schema.Origin{Operator: "olga"}, gives); refused(r) {
		t.Fatal(r.Text())
	}
	last := func(outputs ...schema.OwnOutput) *schema.PlanPayout {
		return with(plans(1, "z", a, outputs...), func(p *schema.PlanPayout) { p.Fee = d("3") })
	}
	w.invalid(last(own(coldOne, "7")))
	w.invalid(last(own(coldOne, "6"), own(2, "1")))
	w.invalid(last(own(2, "6"), own(2, "1")))
	w.must(last(own(2, "7")))
	w.mined(1, 2)
	w.holds(schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1}, schema.Coin{ID: "z:0", Amount: d("7"), Height: 1003, Own: 2})

	w = newStore(t)
	w.must(plans(1, "x", a, own(2, "9")))
	w.invalid(dearer(plans(1, "y", a, own(coldOne, "8"))))
	w.invalid(dearer(plans(1, "y", a, own(coldOne, "4"), own(2, "4"))))
	w.must(dearer(plans(1, "y", a, own(2, "8"))))
}

// newStored is a world with 8 in cold storage in two coins, x:0 and c, and a coin b of 5 that is not.
func newStored(t *testing.T) *chainWorld {
	w := newStore(t)
	w.must(plans(1, "x", []string{"a"}, own(coldOne, "6"), own(2, "3")))
	w.mined(1, 0)
	w.grow(schema.Receipt{ID: "c", Asset: btc, Amount: d("2"), Own: coldOne})
	return w
}

// TestPlansThatBringBack: what is cold is spent alone, and becomes change.
func TestPlansThatBringBack(t *testing.T) {
	w := newStored(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	x, c, mixed := []string{"x:0"}, []string{"x:0", "c"}, []string{"x:0", "b"}
	w.invalid(plans(2, "y", mixed, own(3, "10")))
	w.invalid(plans(2, "y", []string{"b", "x:0"}, own(3, "10")))
	w.invalid(plans(2, "y", x, own(coldTwo, "5")))
	w.invalid(plans(2, "y", x, own(coldTwo, "2"), own(3, "3")))
	w.invalid(plans(2, "y", x, own(3, "4")))
	pays := func(p *schema.PlanPayout) *schema.PlanPayout {
		return with(p, func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{1} })
	}
	w.invalid(pays(plans(2, "y", x, own(3, "3"))))
	w.refused(because(schema.CoinUnavailable), plans(2, "y", []string{"x:0", "b", "none"}, own(3, "10")))
	w.must(plans(2, "y", x, own(3, "5")))
	// A variant brings back too, with more from there if need be.
	dearer := func(inputs []string, outputs ...schema.OwnOutput) *schema.PlanPayout {
		return with(plans(2, "z", inputs, outputs...), func(p *schema.PlanPayout) { p.Fee = d("2") })
	}
	w.invalid(dearer(mixed, own(3, "9")))
	w.invalid(dearer(x, own(coldTwo, "4")))
	w.must(dearer(c, own(3, "6")))
	w.mined(2, 1)
	w.holds(schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1},
		schema.Coin{ID: "x:1", Amount: d("3"), Height: 1003, Own: 2}, schema.Coin{ID: "z:0", Amount: d("6"), Height: 1005, Own: 3})
	// What was cold pays others from now on.
	w.must(pays(plans(3, "p", []string{"z:0"}, own(4, "3"))))
}

// accountPays is a plan of a chain with accounts for a fee of 1.
func accountPays(id schema.PayoutID, from schema.OwnAddress, nonce uint64, outputs ...schema.OwnOutput) *schema.PlanPayout {
	return &schema.PlanPayout{Chain: watched, Payout: id, Asset: btc, Own: from, Nonce: nonce, Outputs: outputs, Fee: d("1"), Unsigned: []byte("u")}
}

// newAccounts is a world with cold storage where bitcoins are at accounts: 10 at the hot one, 5 at that of dora.
func newAccounts(t *testing.T) *chainWorld {
	w := newTokens(t).withCold()
	w.grow(paid("a", 0, "10"), paid("b", 1, "5"))
	return w
}

// TestColdAccount: it deals with the hot one alone.
func TestColdAccount(t *testing.T) {
	w := newAccounts(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	fromDora := func(outputs ...schema.OwnOutput) *schema.PlanPayout {
		return with(accountPays(1, 0, 0, outputs...), func(p *schema.PlanPayout) { p.Index = 1 })
	}
	toDora := schema.OwnOutput{Index: 1, Amount: d("2")}
	w.invalid(fromDora(own(coldFirst, "2")))
	w.invalid(accountPays(1, schema.Hot, 0, own(coldOne, "2")))
	w.invalid(accountPays(1, schema.Hot, 0, schema.OwnOutput{Own: coldFirst, Index: 1, Amount: d("2")}))
	w.refused(because(schema.CoinUnavailable), accountPays(1, schema.Hot, 0, own(coldFirst, "9.1")))
	w.must(accountPays(1, schema.Hot, 0, own(coldFirst, "9")))
	w.mined(1, 0)
	w.holds(schema.Coin{ID: "address 1", Amount: d("5"), Index: 1}, schema.Coin{ID: "own 4294967296", Amount: d("9"), Own: coldFirst})
	w.invalid(accountPays(2, coldFirst, 0, toDora))
	w.invalid(accountPays(2, coldFirst, 0, own(coldFirst, "2")))
	w.invalid(accountPays(2, coldOne, 0, own(schema.Hot, "2")))
	w.invalid(with(accountPays(2, coldFirst, 0), func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{1} }))
	w.refused(because(schema.CoinUnavailable), accountPays(2, coldFirst, 0, own(schema.Hot, "8.00000001")))
	w.refused(because(schema.PayoutElsewhere), accountPays(2, coldFirst, 1, own(schema.Hot, "2")))
	w.must(accountPays(2, coldFirst, 0, own(schema.Hot, "2")))
	if got := w.Available(watched, btc, 0, coldFirst); got != d("6") {
		t.Errorf("%s is available", got)
	}
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 2}); refused(r) {
		t.Fatal(r.Text())
	}
	gives := func(to schema.OwnAddress) *schema.PlanPayout {
		return with(accountPays(2, coldFirst, 0, own(to, "0")), func(p *schema.PlanPayout) { p.Fee = d("2") })
	}
	w.invalid(gives(schema.Hot))
	w.must(gives(coldFirst))
	w.must(accountPays(3, coldFirst, 1, own(schema.Hot, "2")))

	w = newTokens(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	w.must(w.keysOf(1, false))
	w.grow(paid("a", 0, "10"))
	w.invalid(accountPays(1, schema.Hot, 0, own(coldFirst, "2")))
	w.invalid(accountPays(1, coldFirst, 0, own(schema.Hot, "2")))
}
