package naive

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// surplus is one at the hot address, by its output.
func surplus(coin, amount string) *schema.BookSurplus {
	return &schema.BookSurplus{Chain: watched, Asset: btc, Amount: d(amount), Own: schema.Hot, Coin: coin, Text: "hot"}
}

// books lets an operator say that there is a surplus.
func (w *chainWorld) books(operator string, b *schema.BookSurplus, want schema.Reason) {
	w.t.Helper()
	if r := w.from(schema.Origin{Operator: operator}, b); r != because(want) {
		w.t.Errorf("%s about %+v: got %d %q, want %d", operator, b, r.Reason, r.Text(), want)
	}
}

func TestSurplusIsRefused(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider}})
	on := func(chain schema.ChainID) *schema.BookSurplus {
		return with(surplus("s", "1"), func(b *schema.BookSurplus) { b.Chain = chain })
	}
	w.books("", on(9), schema.OperatorMissing)
	w.books("olga", on(9), schema.ChainUnknown)
	w.books("olga", on(2), schema.ChainOwnBlocks)
	w.books("olga", on(3), schema.ChainOwnBlocks)
	w.theft()
	w.books("olga", on(watched), schema.ChainHalted)
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	paused := w.chains.all[0].Chain
	paused.Paused = true
	w.must(&schema.SetChain{Chain: paused})
	w.books("olga", on(watched), schema.ChainPaused)
	paused.Paused = false
	w.must(&schema.SetChain{Chain: paused})
	w.grow(paid("a", 1, "2"), paid("b", 1, "3"))
	w.grow()
	w.fall(2)
	w.ChainSteps = 1
	w.must(w.nextBlock(paid("c", 0, "1"), paid("a", 1, "2")))
	w.fall(1)
	w.books("olga", on(watched), schema.ChainBusy)
	w.ChainSteps = 1000
	w.tickNow()
	invalid := func(change func(*schema.BookSurplus)) {
		t.Helper()
		w.books("olga", with(on(watched), change), schema.SurplusInvalid)
	}
	invalid(func(b *schema.BookSurplus) { b.Asset = 0 })
	invalid(func(b *schema.BookSurplus) { b.Amount = d("0") })
	invalid(func(b *schema.BookSurplus) { b.Amount = d("-1") })
	invalid(func(b *schema.BookSurplus) { b.Amount = smallest.decimal() })
	invalid(func(b *schema.BookSurplus) { b.Amount = owedMost.decimal() })
	invalid(func(b *schema.BookSurplus) { b.Own = 0 })
	invalid(func(b *schema.BookSurplus) { b.Index = 1 })
	invalid(func(b *schema.BookSurplus) { b.Own, b.Index = 0, 3 })
	invalid(func(b *schema.BookSurplus) { b.Own = ownAhead + 2 })
	invalid(func(b *schema.BookSurplus) { b.Coin = "" })
	invalid(func(b *schema.BookSurplus) { b.Coin = strings.Repeat("s", 101) })
	invalid(func(b *schema.BookSurplus) { b.Text = strings.Repeat("t", 129) })
	invalid(func(b *schema.BookSurplus) { b.Coin = "c" }) // it is known, and in no block
	w.grow(paid("e", 1, "2"))
	invalid(func(b *schema.BookSurplus) { b.Coin = "e" })
	w.must(with(w.nextBlock(), func(b *schema.ChainBlock) { b.Parts = 2 }))
	invalid(func(*schema.BookSurplus) {})
	newUnborn(t).books("olga", on(watched), schema.SurplusInvalid)

	w = newTokens(t)
	invalid(func(*schema.BookSurplus) {}) // there are no outputs
	w.books("olga", surplus("", "1"), schema.OK)
}

// TestSurplus is the life of one where there are coins: two operators say the same, and it waits for more of them in suspense.
func TestSurplus(t *testing.T) {
	w := newChains(t)
	to := w.tip
	w.grow()
	w.books("olga", surplus("s", "1"), schema.OK)
	w.happened(audited)
	w.books("olga", surplus("s", "1"), schema.ApprovedBefore)
	w.books("oscar", surplus("s", "2"), schema.OK) // instead
	w.books("oscar", with(surplus("s", "2"), func(b *schema.BookSurplus) { b.Text = "" }), schema.OK)
	w.books("olga", surplus("s", "2"), schema.OK)
	w.holds()
	w.books("oscar", surplus("s", "2"), schema.OK)
	w.happened("deposit 1 of 0: 2 uncredited at 1002", audited)
	want := schema.ChainDeposit{
		ID: 1, Chain: watched, Asset: btc, Amount: d("2"), Status: schema.DepositUncredited, Height: 1002, Created: w.time, Changed: w.time, Receipt: "s", Address: "hot",
	}
	if got := w.ChainDeposits(watched)[0]; got != want {
		t.Errorf("the deposit is %+v", got)
	}
	w.holds(schema.Coin{ID: "s", Amount: d("2"), Height: 1002, Own: schema.Hot})
	w.books("olga", surplus("s", "1"), schema.SurplusInvalid)
	w.growBy(2)
	w.happened("chain 1 at 1004")
	w.grow()
	w.happened("chain 1 at 1005", "8 main of 1 by deposit for 0: -2 0", "9 main of 1 by deposit for 0: 2 0")
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit, Account: dora})
	w.has(dora, "2", "0", "0", "0")
	// Rewound it is waited for, and comes again by its name.
	w.tip = to
	w.must(&schema.ChainRewind{Chain: watched, Height: to.height, Hash: to.hash})
	w.deposit(1, schema.DepositCredited, 0, "0")
	w.grow(schema.Receipt{ID: "s", Asset: btc, Amount: d("2"), Own: schema.Hot})
	w.deposit(1, schema.DepositCredited, 1002, "0")
}

// TestSurplusOfACustomer: it is not credited as other deposits are.
func TestSurplusOfACustomer(t *testing.T) {
	w := newTokens(t)
	w.grow(paid("a", 1, "3"))
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	doras := with(surplus("", "2"), func(b *schema.BookSurplus) { b.Own, b.Index = 0, 1 })
	w.books("olga", doras, schema.OK)
	w.books("oscar", doras, schema.OK)
	w.happened("deposit 2 of 104: 2 uncredited at 1002", "8 main of 1 by deposit for 0: -2.9 0", "104 main of 1 by deposit for 0: 2.9 0",
		"8 main of 1 by deposit for 0: -3 0", "2 main of 1 by deposit for 0: 0.1 0", "deposit 1 of 104: 3 credited at 1002",
		"8 main of 1 by deposit for 0: -5 0", "9 main of 1 by deposit for 0: 2 0", audited)
	if got := w.ChainDeposits(watched); len(got) != 2 || got[1].Receipt != "surplus:2" || got[1].Index != 1 {
		t.Errorf("the deposits are %+v", got)
	}
	w.holds(schema.Coin{ID: "address 1", Amount: d("5"), Index: 1})
	w.books("oscar", doras, schema.OK) // another one
	w.books("olga", doras, schema.OK)
	w.holds(schema.Coin{ID: "address 1", Amount: d("7"), Index: 1})
	if got := w.ChainDeposits(watched)[2].Receipt; got != "surplus:3" {
		t.Errorf("it is called %s", got)
	}
}

// TestSurplusAndAdoption: there is one word about what the log does not know.
func TestSurplusAndAdoption(t *testing.T) {
	w := newChains(t)
	s := surplus("s", "1")
	w.books("olga", s, schema.OK)
	w.theft()
	w.names("oscar", "x", schema.OK) // instead
	w.names("olga", "x", schema.OK)
	w.books("oscar", s, schema.OK)
	w.holds()
	w.theft()
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	w.books("olga", s, schema.OK) // going on forgot what oscar said
	w.holds()
	w.books("oscar", s, schema.OK)
	w.holds(schema.Coin{ID: "s", Amount: d("1"), Height: 1001, Own: schema.Hot})
}

// TestSurplusOfThePool: what is at the address of its blocks is the pool's once it is in suspense.
func TestSurplusOfThePool(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading = 1, 1 })
	s := with(surplus("s", "1"), func(b *schema.BookSurplus) { b.Own = poolAddress })
	w.books("olga", s, schema.OK)
	w.books("oscar", s, schema.OK)
	w.happened("deposit 1 of 0: 1 uncredited at 1001", "8 main of 1 by deposit for 0: -1 0", "9 main of 1 by deposit for 0: 1 0",
		"9 main of 1 by deposit for 0: 0 0", "12 main of 1 by deposit for 0: 1 0", "deposit 1 of 12: 1 credited at 1001", audited)
	w.main(miners, btc, "1")
}
