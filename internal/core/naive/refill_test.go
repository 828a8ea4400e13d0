package naive

import (
	"testing"

	"bourse/internal/schema"
)

func refills(amount string) *schema.RefillHot {
	return &schema.RefillHot{Chain: watched, Asset: btc, Amount: d(amount)}
}

func TestRefill(t *testing.T) {
	w := newStored(t) // 8 are cold
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider}})
	w.wants("0")
	// In this order.
	all := schema.RefillHot{Chain: 9, Asset: 9, Amount: d("-1")}
	w.refused(because(schema.ChainUnknown), &all)
	for _, other := range []schema.ChainID{2, 3} {
		w.refused(because(schema.ChainOwnBlocks), with(&all, func(c *schema.RefillHot) { c.Chain = other }))
	}
	w.refused(because(schema.AssetUnknown), with(&all, func(c *schema.RefillHot) { c.Chain = watched }))
	w.refused(because(schema.RefillInvalid), with(&all, func(c *schema.RefillHot) { c.Asset, c.Amount = usd, d("0") })) // by no network
	for _, amount := range []string{"-0.00000001", "8.00000001", "0.000000001"} {
		w.refused(because(schema.RefillInvalid), refills(amount))
	}
	w.must(refills("8"))
	w.happened()
	w.wants("8")
	w.must(refills("1.00000001"))
	w.wants("1.00000001")
	w.must(refills("0"))
	w.wants("0")
	if got := w.Wanted(watched, usd); got != d("0") {
		t.Errorf("%s of another asset is wanted", got)
	}
	// What a payout under way spends is still there, and what left its block is not.
	w.must(plans(2, "y", []string{"x:0"}, own(3, "5")))
	w.must(refills("8"))
	w.fall(1) // without c
	w.refused(because(schema.RefillInvalid), refills("6.00000001"))
	w.must(refills("6"))
	w.mined(2, 0)
	w.refused(because(schema.RefillInvalid), refills("0.00000001"))
	w.must(refills("0"))

	w = newChains(t)
	w.must(w.keysOf(1, false))
	w.refused(because(schema.RefillInvalid), refills("0")) // there is no cold storage
}

// TestRefillOfHaltedChain: what operators want does not wait for blocks.
func TestRefillOfHaltedChain(t *testing.T) {
	w := newStored(t)
	w.must(with(w.nextBlock(), func(b *schema.ChainBlock) { b.Foreign = "theft" }))
	w.must(refills("8"))
	w.wants("8")
}

// TestPayoutsMakeLessWanted: the first variant of those that bring back, once, and never less than nothing.
func TestPayoutsMakeLessWanted(t *testing.T) {
	w := newStored(t)
	w.must(refills("7"))
	w.must(plans(2, "s", []string{"b"}, own(coldTwo, "1"), own(3, "3"))) // this one stores
	w.wants("7")
	w.invalid(plans(3, "y", []string{"x:0"}, own(4, "4")))
	w.wants("7")
	w.must(plans(3, "y", []string{"x:0"}, own(4, "5")))
	w.wants("2")
	w.must(with(plans(3, "z", []string{"x:0", "c"}, own(4, "6")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.wants("2")
	w.mined(3, 1)
	w.wants("2")
	w.fall(1)
	w.wants("2")
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 3}); refused(r) {
		t.Fatal(r.Text())
	}
	w.wants("2")

	w = newStored(t)
	w.must(refills("3"))
	w.must(plans(2, "y", []string{"x:0"}, own(3, "5")))
	w.wants("0")

	w = newStored(t)
	w.must(refills("7"))
	w.must(plans(2, "y", []string{"x:0"}, own(3, "2"), own(3, "2"), own(3, "1")))
	w.wants("2")
}

// TestColdAccountMakesLessWanted: by what it pays, and not by its fee.
func TestColdAccountMakesLessWanted(t *testing.T) {
	w := newAccounts(t)
	w.must(accountPays(1, schema.Hot, 0, own(coldFirst, "8")))
	w.refused(because(schema.RefillInvalid), refills("1"))
	w.mined(1, 0)
	w.refused(because(schema.RefillInvalid), refills("8.00000001"))
	w.must(refills("8"))
	w.must(accountPays(2, coldFirst, 0, own(schema.Hot, "3")))
	w.wants("5")
	w.must(with(accountPays(2, coldFirst, 0, own(schema.Hot, "3")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.wants("5")
	w.must(with(accountPays(3, schema.Hot, 1, own(coldFirst, "0.5")), func(p *schema.PlanPayout) { p.Fee = d("0.5") }))
	w.wants("5")
	w.must(refills("1"))
	w.must(accountPays(4, coldFirst, 1, own(schema.Hot, "2")))
	w.wants("0")
}
