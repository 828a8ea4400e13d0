package chain

import (
	"bytes"
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestSectionsOfPayoutsAreLeftOut(t *testing.T) {
	x := open(t)
	for _, s := range x.Chains.Sections() {
		var w product.Writer
		w.Section(&s)
		switch s.Tag {
		case product.TagKeys, product.TagPayouts, product.TagCoins, product.TagAdoptions:
			if len(w.Bytes) != 0 {
				t.Errorf("%s has %d bytes", s.Name, len(w.Bytes))
			}
		}
	}
}

// What a restored exchange does is what the other one does: check compares the snapshots after every command, here the commands that
// follow one are done by both.
func TestARestoredPayoutGoesOn(t *testing.T) {
	x := sentOff(t)
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.3") }), schema.OK)
	x.signed(1, 1)
	x.do(top(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
	x.signed(2, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.mined(ether, 0, schema.OK, x.result(2, 0))
	x.blocks(bitcoin, 0, 2)

	again := build(t)
	*again.listing, *again.accounts = *x.listing, *x.accounts
	for r := range x.ledger.Records() {
		if err := again.ledger.Restore(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&product.Reader{Rest: x.snapshot()}).Sections(again.Chains.Sections()); err != nil {
		t.Fatal(err)
	}
	again.now = x.now
	for i, c := range []schema.Command{
		&schema.ChainRewind{Chain: bitcoin, Height: 9, Hash: hash(9, 0)},
		&schema.ChainBlock{Chain: bitcoin, Height: 10, Hash: hash(10, 1), Parent: hash(9, 0), Receipts: []schema.Receipt{receipt("c", "1", 0), receipt("a", "3", 1)}},
		&schema.ChainBlock{Chain: bitcoin, Height: 11, Hash: hash(11, 1), Parent: hash(10, 1), Results: []schema.PayoutResult{x.result(1, 0)}},
		&schema.ChainRewind{Chain: ether, Height: 12, Hash: hash(12, 0)},
		&schema.ChainBlock{Chain: ether, Height: 13, Hash: hash(13, 1), Parent: hash(12, 0), Results: []schema.PayoutResult{{Payout: 2, Fee: fixed.MustParse("0.1"), Failed: true}}},
	} {
		x.do(c, schema.OK)
		again.do(c, schema.OK)
		if !bytes.Equal(x.snapshot(), again.snapshot()) {
			t.Fatalf("they differ after command %d", i)
		}
	}
}

func TestPayoutsThatCannotBeAreNotRead(t *testing.T) {
	parts := func(t *testing.T) (*exchange, *payout, *holding) {
		x := sentOff(t)
		x.do(top(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
		return x, x.payouts[1], x.holding(x.find(bitcoin), holdingKey{coin, "a"})
	}
	const place = "it stands in the wrong place, twice, or belongs to nothing that is there"
	for name, tt := range map[string]struct {
		says   string
		change func(*exchange, *payout, *holding)
	}{
		"no such chain":             {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Chain = 9 }},
		"a sandbox":                 {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Chain = play }},
		"a number that is not yet":  {"payout 3 is not where it should be", func(x *exchange, _ *payout, _ *holding) { x.payouts[2].ID = 3 }},
		"no number":                 {"payout 0: " + place, func(_ *exchange, p *payout, _ *holding) { p.ID = 0 }},
		"no asset":                  {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Asset = 9 }},
		"dead":                      {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Status = schema.PayoutDead }},
		"planned and signed":        {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Status = schema.PayoutPlanned }},
		"mined in no block":         {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Status = schema.PayoutMined }},
		"no variant":                {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Variants = nil }},
		"no fee":                    {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Variants[0].Fee = fixed.Zero }},
		"no transaction":            {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Variants[0].Tx = "" }},
		"no inputs":                 {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.Variants[0].Inputs = nil }},
		"booked below zero":         {"payout 1: " + place, func(_ *exchange, p *payout, _ *holding) { p.booked = fixed.FromInt(-1) }},
		"booked by nobody":          {"BTC has 6 of asset 1, and 6 booked, which makes 7", func(_ *exchange, p *payout, _ *holding) { p.booked = fixed.One }},
		"another's withdrawal":      {"withdrawal 1 is sent, and payout 1 does not pay it", func(_ *exchange, p *payout, _ *holding) { p.Withdrawals = []schema.WithdrawalID{2, 3} }},
		"a withdrawal too much":     {"withdrawal 3 of payout 1 is not bound to it", func(_ *exchange, p *payout, _ *holding) { p.Withdrawals = append(p.Withdrawals, 3) }},
		"a coin that is not there":  {"payout 1: z: " + place, func(_ *exchange, p *payout, _ *holding) { p.Variants[0].Inputs = []string{"z"} }},
		"a coin of nothing":         {"a: " + place, func(_ *exchange, _ *payout, h *holding) { h.Amount = fixed.Zero }},
		"a coin at no address":      {"a: " + place, func(_ *exchange, _ *payout, h *holding) { h.Index = 9 }},
		"a coin of nobody":          {"a: " + place, func(_ *exchange, _ *payout, h *holding) { h.Index = 0 }},
		"a coin twice":              {"b: " + place, func(_ *exchange, _ *payout, h *holding) { h.ID = "b" }},
		"a coin of a later block":   {"a: " + place, func(_ *exchange, _ *payout, h *holding) { h.Height = 99 }},
		"a coin that is worth more": {"BTC has 6 of asset 1, and coins of 7", func(_ *exchange, _ *payout, h *holding) { h.Amount = fixed.FromInt(4) }},
		"a payer of Bitcoin":        {"an address that paid: " + place, func(x *exchange, _ *payout, _ *holding) { x.find(bitcoin).payers = []payer{{site{0, 1}, 1}} }},
		"a payer of nothing":        {"an address that paid: " + place, func(x *exchange, _ *payout, _ *holding) { x.find(ether).payers[0].next = 0 }},
		"a payer twice": {"an address that paid: " + place, func(x *exchange, _ *payout, _ *holding) {
			x.find(ether).payers = append(x.find(ether).payers, x.find(ether).payers[0])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x, p, h := parts(t)
			x.unreadable(tt.says, func() { tt.change(x, p, h) })
		})
	}
}
