package chain

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// divides divides the last output of a plan into so many, the last of which takes the remainder; into none, what it has is fee.
func divides(parts int) func(*schema.PlanPayout) {
	return func(c *schema.PlanPayout) {
		last := len(c.Outputs) - 1
		rest := c.Outputs[last]
		c.Outputs = c.Outputs[:last]
		if parts == 0 {
			c.Fee = c.Fee.Add(rest.Amount)
			return
		}
		part, _ := fixed.Div(rest.Amount, fixed.FromInt(int64(parts)), satoshi, fixed.Down)
		for range parts - 1 {
			c.Outputs = append(c.Outputs, schema.OwnOutput{Own: rest.Own, Amount: part})
			rest.Amount = rest.Amount.Sub(part)
		}
		c.Outputs = append(c.Outputs, rest)
	}
}

// TestHowOftenChangeIsDivided: into at most eight outputs, all to the address of the payout, beside what it stores; not if it is given up.
func TestHowOftenChangeIsDivided(t *testing.T) {
	first := func(x *exchange) *exchange { return x }
	variant := func(x *exchange) *exchange {
		x.do(batch(), schema.OK)
		return x
	}
	given := func(x *exchange) *exchange {
		variant(x).abandons("ann", 1, false, schema.OK)
		return x
	}
	storedBefore := func(x *exchange) *exchange {
		x.do(store(), schema.OK)
		return x
	}
	dearer := func(c *schema.PlanPayout) { c.Fee, c.Tx = fixed.MustParse("0.2"), "t1"; amountOf(c, 1, "0.8") }
	nothing := func(*schema.PlanPayout) {}
	more := func(i int, by string) func(*schema.PlanPayout) {
		return func(c *schema.PlanPayout) { c.Outputs[i].Amount = c.Outputs[i].Amount.Add(fixed.MustParse(by)) }
	}
	for _, tt := range []struct {
		name   string
		before func(*exchange) *exchange
		plan   func(...func(*schema.PlanPayout)) *schema.PlanPayout
		parts  int
		edit   func(*schema.PlanPayout)
		want   schema.Reason
	}{
		{"none", first, batch, 0, nothing, schema.OK},
		{"one", first, batch, 1, nothing, schema.OK},
		{"two", first, batch, 2, nothing, schema.OK},
		{"eight", first, batch, 8, nothing, schema.OK},
		{"nine", first, batch, 9, nothing, schema.PayoutInvalid},
		{"one elsewhere", first, batch, 8, func(c *schema.PlanPayout) { c.Outputs[5].Own++ }, schema.PayoutInvalid},
		{"one for a customer", first, batch, 8, func(c *schema.PlanPayout) { c.Outputs[5].Index, c.Outputs[5].Own = 1, 0 }, schema.PayoutInvalid},
		{"one in cold storage", first, batch, 8, func(c *schema.PlanPayout) { c.Outputs[5].Own = schema.ColdOf(1) }, schema.PayoutInvalid},
		{"of different sizes", first, batch, 8, func(c *schema.PlanPayout) { more(2, "0.1")(c); more(7, "-0.1")(c) }, schema.OK},
		{"one of nothing", first, batch, 8, func(c *schema.PlanPayout) { more(2, "0.175")(c); more(7, "-0.175")(c) }, schema.PayoutInvalid},
		{"one too fine", first, batch, 8, func(c *schema.PlanPayout) { more(2, "0.000000001")(c); more(7, "-0.000000001")(c) }, schema.PayoutInvalid},
		{"a unit too much", first, batch, 8, more(3, "0.00000001"), schema.PayoutInvalid},
		{"a unit too little", first, batch, 8, more(3, "-0.00000001"), schema.PayoutInvalid},
		{"beside what is stored", first, store, 8, nothing, schema.OK},
		{"nine beside what is stored", first, store, 9, nothing, schema.PayoutInvalid},
		{"what is stored in between", first, store, 8, func(c *schema.PlanPayout) { c.Outputs[0], c.Outputs[4] = c.Outputs[4], c.Outputs[0] }, schema.PayoutInvalid},
		{"of a variant", variant, bump, 8, nothing, schema.OK},
		{"nine of a variant", variant, bump, 9, nothing, schema.PayoutInvalid},
		{"of a variant that stores", storedBefore, func(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
			return store(append([]func(*schema.PlanPayout){dearer}, edits...)...)
		}, 8, nothing, schema.OK},
		{"given up, one", given, surrender, 1, nothing, schema.OK},
		{"given up, two", given, surrender, 2, nothing, schema.PayoutInvalid},
		{"given up, none", given, surrender, 0, nothing, schema.PayoutInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := tt.before(storing(t))
			c := tt.plan(divides(tt.parts), tt.edit)
			if tt.want == schema.OK {
				x.do(c, schema.OK)
			} else {
				x.refuses(c, tt.want)
			}
		})
	}
}

// TestDividedChangeIsCoins: each part is one, which others can spend, and goes when the block goes.
func TestDividedChangeIsCoins(t *testing.T) {
	x := paying(t)
	x.do(batch(divides(8)), schema.OK)
	x.signed(1, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprintf("t0:%d: 0.175 at 14", 2+i))
	}
	x.owns(bitcoin, coin, append([]string{"b: 2 at 10", "c: 1 at 10"}, want...)...)
	free := func() (list []string) {
		for c := range x.Free(bitcoin, coin) {
			list = append(list, c.ID)
		}
		slices.Sort(list)
		return list
	}
	if got := free(); len(got) != 10 || len(slices.Collect(x.Spendable(bitcoin, coin))) != 2 {
		t.Errorf("%q are free", got)
	}
	x.blocks(bitcoin, 0, 3)
	if got := len(slices.Collect(x.Spendable(bitcoin, coin))); got != 10 {
		t.Errorf("%d can be spent", got)
	}
	x.do(asks("four", coin, "0.1"), schema.OK)
	x.do(batch(func(c *schema.PlanPayout) {
		c.Payout, c.Inputs, c.Tx, c.Withdrawals = 2, []string{"t0:9"}, "t2", []schema.WithdrawalID{4}
		c.Outputs, c.Fee = []schema.OwnOutput{{Own: 3, Amount: fixed.MustParse("0.025")}}, fixed.MustParse("0.05")
	}), schema.OK)
	if got := free(); len(got) != 9 || slices.Contains(got, "t0:9") {
		t.Errorf("%q are free", got)
	}
	x.rewound(13, 0) // the one that is reserved waits for its block
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10", "t0:9: 0.175 at 0")
	if got := free(); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q are free", got)
	}
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.owns(bitcoin, coin, append([]string{"b: 2 at 10", "c: 1 at 10"}, want...)...)
}

// TestCoinsOfFrozenDepositsAreNotFree, as they cannot be spent.
func TestCoinsOfFrozenDepositsAreNotFree(t *testing.T) {
	x := paying(t)
	x.block(14, 0, 0, receipt("frozen", "3", 1))
	x.do(&schema.DecideDeposit{Deposit: x.last, Decision: schema.FreezeDeposit}, schema.OK)
	for c := range x.Free(bitcoin, coin) {
		if c.ID == "frozen" {
			t.Errorf("%+v is free", c)
		}
	}
}

// TestWhatIsBroughtBackIsDivided: all parts of it are what was wanted.
func TestWhatIsBroughtBackIsDivided(t *testing.T) {
	x := stored(t)
	x.do(&schema.RefillHot{Chain: bitcoin, Asset: coin, Amount: fixed.MustParse("2")}, schema.OK)
	x.do(fetch(divides(8)), schema.OK)
	x.isCold(bitcoin, coin, "2", "0.1")
	x.signed(2, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(2, 0))
	x.isCold(bitcoin, coin, "0", "0.1")
	x = stored(t)
	x.do(&schema.RefillHot{Chain: bitcoin, Asset: coin, Amount: fixed.MustParse("0.5")}, schema.OK)
	x.do(fetch(divides(8)), schema.OK)
	x.isCold(bitcoin, coin, "2", "0") // more than was wanted
}

// TestMoreChangeThanCanBeIsNotRead from a snapshot: what no plan has.
func TestMoreChangeThanCanBeIsNotRead(t *testing.T) {
	const says = "payout 1: it stands in the wrong place, twice, or belongs to nothing that is there"
	add := func(v *schema.Variant) { v.Outputs = append(v.Outputs, v.Outputs[len(v.Outputs)-1]) }
	x := storing(t)
	x.do(batch(divides(8)), schema.OK)
	x.unreadable(says, func() { add(&x.payouts[1].Variants[0]) })
	x = storing(t)
	x.do(store(divides(8)), schema.OK)
	x.unreadable(says, func() { add(&x.payouts[1].Variants[0]) })
	x = storing(t)
	x.do(batch(divides(8)), schema.OK)
	x.abandons("ann", 1, false, schema.OK)
	x.do(surrender(), schema.OK)
	x.unreadable(says, func() { add(&x.payouts[1].Variants[1]) })
}
