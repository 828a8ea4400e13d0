package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	ether  schema.ChainID = 3 // watched, with accounts instead of coins
	gas    schema.AssetID = 3 // its own asset
	dollar schema.AssetID = 4 // a token there
)

// paying is an exchange whose chains of others pay. Bitcoin stands at 13, with coins a and b of alice (3 and 2) and c at an address of the
// exchange itself (1), all deep enough; the other chain stands at 13, with 5 of its own asset and 100 dollars at the first address of the
// exchange and 50 dollars at alice's. Withdrawals cost nothing. Alice asked for 1 coin and 0.5 coins, and for 20 dollars.
func paying(t *testing.T) *exchange {
	t.Helper()
	x := open(t)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 5}}, schema.OK)
	leaves := func(_ *schema.Asset, n *schema.Network) { n.CanWithdraw = true }
	x.do(asset("COIN", bitcoin, leaves), schema.OK)
	x.do(asset("GAS", ether, leaves, func(a *schema.Asset, n *schema.Network) { a.Scale, n.Decimals = 18, 18 }), schema.OK)
	x.do(asset("DOLLAR", ether, leaves, func(_ *schema.Asset, n *schema.Network) { n.Contract, n.Decimals = "0xd", 6 }), schema.OK)
	for _, account := range []schema.AccountID{alice, ben} {
		x.do(&schema.OpenAddress{Account: account, Chain: ether}, schema.OK)
	}
	x.block(10, 0, 0, receipt("a", "3", 1), receipt("b", "2", 1), receipt("c", "1", 0))
	x.etherBlock(9, 0, 0)
	x.etherBlock(10, 0, 0, funds("e", gas, "5", 0), funds("f", dollar, "100", 0), funds("g", dollar, "50", 1))
	for height := uint64(11); height <= 13; height++ {
		x.block(height, 0, 0)
		x.etherBlock(height, 0, 0)
	}
	x.do(asks("one", coin, "1"), schema.OK)
	x.do(asks("two", coin, "0.5"), schema.OK)
	x.do(asks("three", dollar, "20"), schema.OK)
	return x
}

// asks is a withdrawal of alice by a chain of others.
func asks(unique string, of schema.AssetID, amount string) *schema.RequestWithdrawal {
	by := bitcoin
	if of != coin {
		by = ether
	}
	return request(unique, amount, func(c *schema.RequestWithdrawal) { c.Asset, c.Chain = of, by })
}

// funds is a receipt on the other chain.
func funds(id string, of schema.AssetID, amount string, index schema.AddressIndex) schema.Receipt {
	r := receipt(id, amount, index)
	r.Asset = of
	return r
}

func (x *exchange) etherBlock(height uint64, branch, parent byte, receipts ...schema.Receipt) {
	x.t.Helper()
	x.do(&schema.ChainBlock{Chain: ether, Height: height, Hash: hash(height, branch), Parent: hash(height-1, parent), Receipts: receipts}, schema.OK)
}

// result is a payout in a block, with the fee of its plan.
func (x *exchange) result(id schema.PayoutID, variant uint32) schema.PayoutResult {
	p, _ := x.Payout(id)
	return schema.PayoutResult{Payout: id, Variant: variant, Fee: p.Variants[variant].Fee}
}

// mined gives a chain a block with results on top of its cursor.
func (x *exchange) mined(on schema.ChainID, branch byte, want schema.Reason, results ...schema.PayoutResult) {
	x.t.Helper()
	height, parent := x.Cursor(on)
	x.do(&schema.ChainBlock{Chain: on, Height: height + 1, Hash: hash(height+1, branch), Parent: parent, Results: results}, want)
}

// blocks gives a chain empty blocks on top of its cursor.
func (x *exchange) blocks(on schema.ChainID, branch byte, count int) {
	x.t.Helper()
	for range count {
		x.mined(on, branch, schema.OK)
	}
}

// batch is a payout of both coins that alice asked for, out of a, with 1.4 of change.
func batch(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return edited(&schema.PlanPayout{
		Chain: bitcoin, Payout: 1, Asset: coin, Withdrawals: []schema.WithdrawalID{1, 2}, Inputs: []string{"a"},
		Outputs: []schema.OwnOutput{{Own: 2, Amount: fixed.MustParse("1.4")}}, Fee: fixed.MustParse("0.1"), Tx: "t0", Unsigned: []byte("u0"),
	}, edits)
}

// bump is a variant of the batch that costs 0.2.
func bump(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return batch(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Outputs, c.Fee, c.Tx = []schema.OwnOutput{{Own: 2, Amount: fixed.MustParse("1.3")}}, fixed.MustParse("0.2"), "t1"
	}}, edits...)...)
}

// surrender is a variant of the batch that pays only ourselves.
func surrender(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return bump(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Withdrawals, c.Outputs[0].Amount = nil, fixed.MustParse("2.8")
	}}, edits...)...)
}

// token is a payout of the dollars that alice asked for.
func token(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return edited(&schema.PlanPayout{
		Chain: ether, Payout: 1, Asset: dollar, Withdrawals: []schema.WithdrawalID{3}, Own: schema.Hot, Fee: fixed.MustParse("0.5"), Unsigned: []byte("u"),
	}, edits)
}

// sweep collects the dollars at alice's address; top gives that address what the sweep costs.
func sweep(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return token(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Withdrawals, c.Index, c.Own, c.Outputs = nil, 1, 0, []schema.OwnOutput{{Own: schema.Hot, Amount: fixed.FromInt(50)}}
	}}, edits...)...)
}

func top(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return token(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Asset, c.Withdrawals, c.Outputs = gas, nil, []schema.OwnOutput{{Index: 1, Amount: fixed.One}}
	}}, edits...)...)
}

func edited(c *schema.PlanPayout, edits []func(*schema.PlanPayout)) *schema.PlanPayout {
	for _, edit := range edits {
		edit(c)
	}
	return c
}

// signed signs a variant. On Bitcoin its transaction is that of the plan.
func (x *exchange) signed(id schema.PayoutID, variant uint32) {
	x.t.Helper()
	p, _ := x.Payout(id)
	tx := p.Variants[variant].Tx
	if tx == "" {
		tx = fmt.Sprintf("0x%d.%d", id, variant)
	}
	x.do(&schema.SignPayout{Payout: id, Variant: variant, Tx: tx, Raw: []byte("raw")}, schema.OK)
}

// abandons is what an operator decides about a payout.
func (x *exchange) abandons(operator string, id schema.PayoutID, dead bool, want schema.Reason) {
	x.t.Helper()
	x.out.Operator = operator
	x.do(&schema.AbandonPayout{Payout: id, Dead: dead}, want)
	x.out.Operator = ""
}

// refuses holds a command to its reason, and to that nothing comes of it.
func (x *exchange) refuses(c schema.Command, want schema.Reason) {
	x.t.Helper()
	before := x.snapshot()
	x.do(c, want)
	if !bytes.Equal(x.snapshot(), before) || x.out.Events.Len() != 0 {
		x.t.Errorf("%T %+v: it was refused, and changed something", c, c)
	}
}

// tells holds what the last command said about withdrawals and payouts.
func (x *exchange) tells(want ...string) {
	x.t.Helper()
	var list []string
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.WithdrawalChanged:
			w := &e.Withdrawal
			list = append(list, fmt.Sprintf("%d %s at %d by %d %s", w.ID, w.Status, w.Height, w.Payout, w.Tx))
		case *schema.PayoutChanged:
			p := &e.Payout
			list = append(list, fmt.Sprintf("payout %d %s at %d for %s", p.ID, p.Status, p.Height, p.Paid))
			for i := range p.Variants {
				if p.Variants[i].Unsigned != nil || p.Variants[i].Raw != nil {
					x.t.Error("an event carries the bytes of a transaction")
				}
			}
		}
	}
	if !slices.Equal(list, want) {
		x.t.Errorf("said %q, want %q", list, want)
	}
}

// owns holds the coins of an asset.
func (x *exchange) owns(on schema.ChainID, of schema.AssetID, want ...string) {
	x.t.Helper()
	var list []string
	for c := range x.Coins(on, of) {
		list = append(list, fmt.Sprintf("%s: %s at %d", c.ID, c.Amount, c.Height))
	}
	slices.Sort(list)
	if !slices.Equal(list, want) {
		x.t.Errorf("coins are %q, want %q", list, want)
	}
}

// bookedOf holds what is on a chain of an asset, and what of that is booked.
func (x *exchange) bookedOf(on schema.ChainID, of schema.AssetID, coins, booked string) {
	x.t.Helper()
	l := x.find(on).lane(of)
	if l.coins != fixed.MustParse(coins) || l.booked != fixed.MustParse(booked) {
		x.t.Errorf("%s of asset %d, and %s booked, want %s and %s", l.coins, of, l.booked, coins, booked)
	}
}

// left is a withdrawal in a state.
func (x *exchange) left(id schema.WithdrawalID, status schema.WithdrawalStatus, by schema.PayoutID) schema.Withdrawal {
	x.t.Helper()
	w, known := x.Withdrawal(id)
	if !known || w.Status != status || w.Payout != by {
		x.t.Errorf("withdrawal %d is %s by %d (%v), want %s by %d", id, w.Status, w.Payout, known, status, by)
	}
	return w
}

func TestAPlanBindsWithdrawalsAndCoins(t *testing.T) {
	x := paying(t)
	if x.NextPayout() != 1 || x.Native(bitcoin) != coin || x.Native(ether) != gas || x.Native(play) != toy || x.Window(bitcoin) != 100 {
		t.Error("the chains are not what they should be")
	}
	x.do(batch(), schema.OK)
	x.tells("1 planned at 0 by 1 ", "2 planned at 0 by 1 ", "payout 1 planned at 0 for 0")
	if x.out.Result.ID != 1 || x.NextPayout() != 2 {
		t.Errorf("the result is %d, and next comes %d", x.out.Result.ID, x.NextPayout())
	}
	p, known := x.Payout(1)
	if v := p.Variants[0]; !known || p.Created != x.now || v.Height != 13 || v.Tx != "t0" || string(v.Unsigned) != "u0" || v.Raw != nil || v.GiveUp {
		t.Errorf("%+v", p)
	}
	if id, variant, known := x.PayoutOf(bitcoin, "t0"); id != 1 || variant != 0 || !known {
		t.Error("its transaction is not known")
	}
	x.owns(bitcoin, coin, "a: 3 at 10", "b: 2 at 10", "c: 1 at 10")
	var free []string
	for c := range x.Spendable(bitcoin, coin) {
		free = append(free, c.ID)
	}
	if !slices.Equal(free, []string{"b", "c"}) {
		t.Errorf("%q can be spent", free)
	}
	for range x.Waiting(bitcoin, coin) {
		t.Error("something waits")
	}
	x.has(alice, schema.Main, "3.5", "0") // frozen as before
	for _, v := range []schema.Verdict{schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ApproveWithdrawal, schema.ReleaseWithdrawal} {
		x.as("ann", 1, v, schema.WithdrawalDecided)
	}
	x.signed(1, 0)
	x.tells("1 sent at 0 by 1 t0", "2 sent at 0 by 1 t0", "payout 1 sent at 0 for 0")
	x.as("ann", 1, schema.CancelWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.WithdrawalDecided)
	x.do(bump(), schema.OK)
	x.tells("payout 1 sent at 0 for 0")
	x.signed(1, 1)
	x.tells("1 sent at 0 by 1 t1", "2 sent at 0 by 1 t1", "payout 1 sent at 0 for 0")
	if n := len(slices.Collect(x.Payouts(bitcoin))); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

func TestPlansOnBitcoinAreRefused(t *testing.T) {
	set := func(edit func(*schema.PlanPayout)) *schema.PlanPayout { return batch(edit) }
	amount := func(text string) []schema.OwnOutput {
		return []schema.OwnOutput{{Own: 2, Amount: fixed.MustParse(text)}}
	}
	for name, tt := range map[string]struct {
		c    *schema.PlanPayout
		want schema.Reason
	}{
		"no chain":               {set(func(c *schema.PlanPayout) { c.Chain = 9 }), schema.ChainUnknown},
		"a sandbox":              {set(func(c *schema.PlanPayout) { c.Chain = play }), schema.ChainOwnBlocks},
		"no number":              {set(func(c *schema.PlanPayout) { c.Payout = 0 }), schema.PayoutElsewhere},
		"a number beyond":        {set(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.PayoutElsewhere},
		"no fee":                 {set(func(c *schema.PlanPayout) { c.Fee = fixed.Zero }), schema.PayoutInvalid},
		"a fine fee":             {set(func(c *schema.PlanPayout) { c.Fee = fixed.FromUnits(1, 9) }), schema.PayoutInvalid},
		"no bytes":               {set(func(c *schema.PlanPayout) { c.Unsigned = nil }), schema.PayoutInvalid},
		"too many bytes":         {set(func(c *schema.PlanPayout) { c.Unsigned = make([]byte, schema.MaxTransaction+1) }), schema.PayoutInvalid},
		"a withdrawal twice":     {set(func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{1, 1} }), schema.PayoutInvalid},
		"too many withdrawals":   {set(func(c *schema.PlanPayout) { c.Withdrawals = make([]schema.WithdrawalID, 101) }), schema.PayoutInvalid},
		"an input twice":         {set(func(c *schema.PlanPayout) { c.Inputs = []string{"a", "a"} }), schema.PayoutInvalid},
		"no input":               {set(func(c *schema.PlanPayout) { c.Inputs = nil }), schema.PayoutInvalid},
		"another asset":          {set(func(c *schema.PlanPayout) { c.Asset = gas }), schema.PayoutInvalid},
		"an address that pays":   {set(func(c *schema.PlanPayout) { c.Index = 1 }), schema.PayoutInvalid},
		"one of ours that pays":  {set(func(c *schema.PlanPayout) { c.Own = 1 }), schema.PayoutInvalid},
		"a nonce":                {set(func(c *schema.PlanPayout) { c.Nonce = 1 }), schema.PayoutInvalid},
		"no transaction":         {set(func(c *schema.PlanPayout) { c.Tx = "" }), schema.PayoutInvalid},
		"a long transaction":     {set(func(c *schema.PlanPayout) { c.Tx = strings.Repeat("t", 81) }), schema.PayoutInvalid},
		"nine outputs":           {set(divides(9)), schema.PayoutInvalid},
		"another's change":       {set(func(c *schema.PlanPayout) { c.Outputs[0].Own = 1 }), schema.PayoutInvalid},
		"change at an address":   {set(func(c *schema.PlanPayout) { c.Outputs[0].Index = 1 }), schema.PayoutInvalid},
		"no change":              {set(func(c *schema.PlanPayout) { c.Outputs = amount("0") }), schema.PayoutInvalid},
		"fine change":            {set(func(c *schema.PlanPayout) { c.Outputs = amount("1.400000001") }), schema.PayoutInvalid},
		"it pays nothing":        {set(func(c *schema.PlanPayout) { c.Outputs, c.Withdrawals = nil, nil }), schema.PayoutInvalid},
		"no such withdrawal":     {set(func(c *schema.PlanPayout) { c.Withdrawals[1] = 9 }), schema.WithdrawalNotQueued},
		"by another chain":       {set(func(c *schema.PlanPayout) { c.Withdrawals[1] = 3 }), schema.WithdrawalNotQueued},
		"no such coin":           {set(func(c *schema.PlanPayout) { c.Inputs[0] = "z" }), schema.CoinUnavailable},
		"it does not add up":     {set(func(c *schema.PlanPayout) { c.Outputs = amount("1.41") }), schema.PayoutInvalid},
		"beyond all money":       {set(func(c *schema.PlanPayout) { c.Fee, _ = fixed.FromBits(1<<62, 0).Round(8, fixed.Down) }), schema.PayoutInvalid},
		"withdrawals, then coin": {set(func(c *schema.PlanPayout) { c.Inputs[0], c.Withdrawals[0] = "z", 9 }), schema.WithdrawalNotQueued},
		"coins, then the sum":    {set(func(c *schema.PlanPayout) { c.Inputs[0], c.Outputs = "z", amount("1") }), schema.CoinUnavailable},
		"form, then withdrawals": {set(func(c *schema.PlanPayout) { c.Tx, c.Withdrawals[0] = "", 9 }), schema.PayoutInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			x := paying(t)
			x.refuses(tt.c, tt.want)
			x.do(batch(), schema.OK)
		})
	}
}

func TestPlansNeedAChainThatStands(t *testing.T) {
	x := paying(t)
	x.do(&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}}, schema.OK)
	x.refuses(batch(), schema.WithdrawalNotQueued)
	for range x.Waiting(bitcoin, coin) {
		t.Error("a withdrawal of a blocked account waits to be planned")
	}
	x.do(&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}}, schema.OK)
	btc := schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}
	btc.Paused = true
	x.do(&schema.SetChain{Chain: btc}, schema.OK)
	x.refuses(batch(), schema.ChainPaused)
	btc.Paused = false
	x.do(&schema.SetChain{Chain: btc}, schema.OK)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 14, Hash: hash(14, 0), Parent: hash(13, 0), Parts: 2}, schema.OK)
	if !x.Standing(bitcoin).Half {
		t.Error("no part is missing")
	}
	x.refuses(batch(), schema.ChainBusy)
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: 14, Hash: hash(14, 0), Parent: hash(13, 0), Parts: 2, Part: 1}, schema.OK)
	btc.Name = "NEW"
	x.do(&schema.SetChain{Chain: btc}, schema.OK)
	x.refuses(batch(func(c *schema.PlanPayout) { c.Chain = 4 }), schema.CoinUnavailable) // it has not begun
	x.do(&schema.ChainBlock{Chain: 4, Height: 7, Hash: hash(7, 0)}, schema.OK)
	x.refuses(batch(func(c *schema.PlanPayout) { c.Chain = 4 }), schema.PayoutInvalid) // it has no asset of its own

	x.block(15, 0, 0, receipt("fresh", "3", 1), receipt("frozen", "3", 1))
	x.do(&schema.DecideDeposit{Deposit: 8, Decision: schema.FreezeDeposit}, schema.OK)
	from := func(id string) *schema.PlanPayout { return batch(func(c *schema.PlanPayout) { c.Inputs[0] = id }) }
	x.block(16, 0, 0)
	x.refuses(from("fresh"), schema.CoinUnavailable)
	x.block(17, 0, 0)
	x.refuses(from("frozen"), schema.CoinUnavailable)
	x.do(from("fresh"), schema.OK)
	x.do(asks("four", coin, "0.5"), schema.OK)
	next := batch(func(c *schema.PlanPayout) {
		c.Payout, c.Inputs[0], c.Tx, c.Withdrawals = 2, "fresh", "t2", []schema.WithdrawalID{4}
		c.Outputs[0] = schema.OwnOutput{Own: 3, Amount: fixed.MustParse("2.4")}
	})
	x.refuses(next, schema.CoinUnavailable) // another payout reserves it
	next.Tx, next.Inputs[0] = "t0", "a"
	x.refuses(next, schema.PayoutInvalid) // another payout is that transaction
	next.Tx, next.Withdrawals[0] = "t2", 1
	x.refuses(next, schema.WithdrawalNotQueued) // another payout pays it
	next.Withdrawals[0] = 4
	next.Chain = 4
	x.refuses(next, schema.PayoutInvalid)
	next.Chain, next.Payout = 4, 1
	x.refuses(next, schema.PayoutElsewhere) // a payout of another chain
	next.Chain, next.Payout = bitcoin, 2
	x.do(next, schema.OK)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 9, Hash: hash(9, 0)}, schema.OK)
	x.do(&schema.ChainRewind{Chain: bitcoin, Height: 8, Hash: hash(8, 0)}, schema.OK) // beyond what is known
	x.refuses(bump(), schema.ChainHalted)
}

func TestVariantsAreRefused(t *testing.T) {
	x := paying(t)
	x.do(batch(), schema.OK)
	set := func(edit func(*schema.PlanPayout)) *schema.PlanPayout { return bump(edit) }
	for _, tt := range []struct {
		c    *schema.PlanPayout
		want schema.Reason
	}{
		{set(func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{2, 1} }), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{1} }), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) {
			c.Fee, c.Outputs[0].Amount = fixed.MustParse("0.1"), fixed.MustParse("1.4")
		}), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) { c.Inputs = []string{"b"} }), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) { c.Inputs = []string{"b", "a"} }), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) { c.Tx = "t0" }), schema.PayoutInvalid},
		{set(func(c *schema.PlanPayout) { c.Inputs = []string{"a", "z"} }), schema.CoinUnavailable},
		{set(func(c *schema.PlanPayout) { c.Outputs[0].Amount = fixed.One }), schema.PayoutInvalid},
		{surrender(), schema.PayoutInvalid},
	} {
		x.refuses(tt.c, tt.want)
	}
	x.do(bump(func(c *schema.PlanPayout) { c.Inputs, c.Outputs[0].Amount = []string{"a", "c"}, fixed.MustParse("2.3") }), schema.OK)
	x.tells("payout 1 planned at 0 for 0")
	for n := 2; n < schema.MaxVariants; n++ {
		x.do(bump(func(c *schema.PlanPayout) {
			c.Fee, c.Tx = fixed.MustParse("0.2").Add(fixed.FromUnits(int64(n), 4)), fmt.Sprint("t", n)
			c.Outputs[0].Amount = fixed.MustParse("1.5").Sub(c.Fee)
		}), schema.OK)
	}
	x.refuses(bump(func(c *schema.PlanPayout) {
		c.Fee, c.Outputs[0].Amount, c.Tx = fixed.One, fixed.MustParse("0.5"), "last"
	}), schema.PayoutInvalid)
}

func TestSignaturesAreRefused(t *testing.T) {
	x := paying(t)
	x.do(batch(), schema.OK)
	x.do(bump(), schema.OK)
	good := schema.SignPayout{Payout: 1, Tx: "t0", Raw: []byte("raw")}
	for _, tt := range []struct {
		edit func(*schema.SignPayout)
		want schema.Reason
	}{
		{func(c *schema.SignPayout) { c.Payout = 2 }, schema.PayoutUnknown},
		{func(c *schema.SignPayout) { c.Variant = 2 }, schema.PayoutInvalid},
		{func(c *schema.SignPayout) { c.Raw = nil }, schema.PayoutInvalid},
		{func(c *schema.SignPayout) { c.Raw = make([]byte, schema.MaxTransaction+1) }, schema.PayoutInvalid},
		{func(c *schema.SignPayout) { c.Tx = "" }, schema.PayoutInvalid},
		{func(c *schema.SignPayout) { c.Tx = "t1" }, schema.PayoutInvalid},
	} {
		c := good
		tt.edit(&c)
		x.refuses(&c, tt.want)
	}
	x.do(&good, schema.OK)
	x.refuses(&good, schema.PayoutDecided)
	if p, _ := x.Payout(1); p.Status != schema.PayoutSent || string(p.Variants[0].Raw) != "raw" || p.Variants[1].Raw != nil {
		t.Errorf("%+v", p)
	}
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.refuses(&schema.SignPayout{Payout: 1, Variant: 1, Tx: "t1", Raw: []byte("raw")}, schema.PayoutDecided)
	x.refuses(bump(func(c *schema.PlanPayout) { c.Tx = "t2" }), schema.PayoutElsewhere) // it is mined

	x.do(token(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
	x.do(&schema.SignPayout{Payout: 2, Tx: "0x1", Raw: []byte("raw")}, schema.OK)
	x.tells("3 sent at 0 by 2 0x1", "payout 2 sent at 0 for 0")
	x.do(token(func(c *schema.PlanPayout) { c.Payout, c.Fee = 2, fixed.One }), schema.OK)
	x.refuses(&schema.SignPayout{Payout: 2, Variant: 1, Tx: "0x1", Raw: []byte("raw")}, schema.PayoutInvalid)
	if _, _, known := x.PayoutOf(ether, "0x2"); known {
		t.Error("a transaction is known before it is signed")
	}
	x.do(&schema.SignPayout{Payout: 2, Variant: 1, Tx: "0x2", Raw: []byte("raw")}, schema.OK)
	x.tells("3 sent at 0 by 2 0x2", "payout 2 sent at 0 for 0")
	if id, variant, known := x.PayoutOf(ether, "0x2"); id != 2 || variant != 1 || !known {
		t.Error("a signed transaction is not known")
	}
}

func TestPlansOfAccountsAreRefused(t *testing.T) {
	set := func(edit func(*schema.PlanPayout)) *schema.PlanPayout { return token(edit) }
	moves := func(edit func(*schema.PlanPayout)) *schema.PlanPayout { return top(edit) }
	for name, tt := range map[string]struct {
		c    *schema.PlanPayout
		want schema.Reason
	}{
		"an input":                {set(func(c *schema.PlanPayout) { c.Inputs = []string{"a"} }), schema.PayoutInvalid},
		"a transaction":           {set(func(c *schema.PlanPayout) { c.Tx = "t" }), schema.PayoutInvalid},
		"nobody pays":             {set(func(c *schema.PlanPayout) { c.Own = 0 }), schema.PayoutInvalid},
		"two pay":                 {set(func(c *schema.PlanPayout) { c.Index = 1 }), schema.PayoutInvalid},
		"another of ours pays":    {set(func(c *schema.PlanPayout) { c.Own = 2 }), schema.PayoutInvalid},
		"an address pays others":  {set(func(c *schema.PlanPayout) { c.Own, c.Index = 0, 1 }), schema.PayoutInvalid},
		"no such address pays":    {sweep(func(c *schema.PlanPayout) { c.Index = 3 }), schema.PayoutInvalid},
		"it pays and moves":       {set(func(c *schema.PlanPayout) { c.Outputs = []schema.OwnOutput{{Index: 1, Amount: fixed.One}} }), schema.PayoutInvalid},
		"it pays nothing":         {set(func(c *schema.PlanPayout) { c.Withdrawals = nil }), schema.PayoutInvalid},
		"two withdrawals":         {set(func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{3, 1} }), schema.PayoutInvalid},
		"no such asset":           {set(func(c *schema.PlanPayout) { c.Asset = 9 }), schema.PayoutInvalid},
		"an asset that is not on": {set(func(c *schema.PlanPayout) { c.Asset = coin }), schema.PayoutInvalid},
		"a fee below zero":        {set(func(c *schema.PlanPayout) { c.Fee = fixed.FromInt(-1) }), schema.PayoutInvalid},
		"to itself":               {moves(func(c *schema.PlanPayout) { c.Outputs[0] = schema.OwnOutput{Own: 1, Amount: fixed.One} }), schema.PayoutInvalid},
		"nothing to another":      {moves(func(c *schema.PlanPayout) { c.Outputs[0].Amount = fixed.Zero }), schema.PayoutInvalid},
		"to nobody":               {moves(func(c *schema.PlanPayout) { c.Outputs[0].Index = 0 }), schema.PayoutInvalid},
		"to no address":           {moves(func(c *schema.PlanPayout) { c.Outputs[0].Index = 3 }), schema.PayoutInvalid},
		"not of this asset":       {set(func(c *schema.PlanPayout) { c.Asset = gas }), schema.WithdrawalNotQueued},
		"no such withdrawal":      {set(func(c *schema.PlanPayout) { c.Withdrawals[0] = 9 }), schema.WithdrawalNotQueued},
		"the fee is not there":    {set(func(c *schema.PlanPayout) { c.Fee = fixed.FromInt(6) }), schema.CoinUnavailable},
		"nor at the address":      {sweep(func(*schema.PlanPayout) {}), schema.CoinUnavailable},
		"the sum is not there":    {moves(func(c *schema.PlanPayout) { c.Outputs[0].Amount = fixed.MustParse("4.6") }), schema.CoinUnavailable},
		"another nonce":           {set(func(c *schema.PlanPayout) { c.Nonce = 1 }), schema.PayoutElsewhere},
		"coins, then the nonce":   {set(func(c *schema.PlanPayout) { c.Nonce, c.Fee = 1, fixed.FromInt(6) }), schema.CoinUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			x := paying(t)
			x.refuses(tt.c, tt.want)
			x.do(token(), schema.OK)
		})
	}
	x := paying(t)
	x.do(token(), schema.OK)
	for of, want := range map[schema.AssetID]string{gas: "4.5", dollar: "80"} {
		if got := x.Available(ether, of, 0, schema.Hot); got != fixed.MustParse(want) {
			t.Errorf("%s of asset %d is available, want %s", got, of, want)
		}
	}
	if x.NextNonce(ether, 0, schema.Hot) != 1 || x.NextNonce(ether, 1, 0) != 0 {
		t.Error("nonces are not counted")
	}
	next := func(fee string) *schema.PlanPayout {
		return token(func(c *schema.PlanPayout) { c.Fee = fixed.MustParse(fee) })
	}
	x.refuses(next("0.5"), schema.PayoutInvalid)
	x.refuses(next("5.01"), schema.CoinUnavailable)
	x.refuses(token(func(c *schema.PlanPayout) { c.Fee, c.Nonce = fixed.One, 1 }), schema.PayoutInvalid)
	x.refuses(top(func(c *schema.PlanPayout) { c.Fee = fixed.One }), schema.PayoutInvalid)
	x.do(next("5"), schema.OK)
	if got := x.Available(ether, gas, 0, schema.Hot); !got.IsZero() {
		t.Errorf("%s is available", got)
	}
	x.refuses(top(func(c *schema.PlanPayout) { c.Payout, c.Nonce = 2, 1 }), schema.CoinUnavailable)
}

func TestAtMostAThousandPayoutsAreKept(t *testing.T) {
	x := paying(t)
	ch := x.find(ether)
	ch.payouts = make([]*payout, mostKept)
	if _, r := x.numbered(ch, token()); r.Reason != schema.PayoutElsewhere {
		t.Errorf("%v", r.Reason)
	}
}

func TestAbandoningIsRefused(t *testing.T) {
	x := paying(t)
	x.do(batch(), schema.OK)
	x.refuses(&schema.AbandonPayout{Payout: 1}, schema.OperatorMissing)
	x.abandons("ann", 2, false, schema.PayoutUnknown)
	x.abandons("ann", 1, true, schema.PayoutDecided) // its anchor is there
	x.abandons("ann", 1, false, schema.OK)
	x.tells("payout 1 planned at 0 for 0")
	x.abandons("ben", 1, false, schema.PayoutDecided)
	x.refuses(bump(), schema.PayoutInvalid) // it is given up
	x.refuses(surrender(func(c *schema.PlanPayout) { c.Outputs = nil }), schema.PayoutInvalid)
	x.do(surrender(), schema.OK)
	x.signed(1, 1)
	x.tells("payout 1 sent at 0 for 0")
	x.left(1, schema.WithdrawalPlanned, 1)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 1))
	x.abandons("ann", 1, false, schema.PayoutDecided)
	x.abandons("ann", 1, true, schema.PayoutDecided)
	x.do(token(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
	x.abandons("ann", 2, true, schema.PayoutDecided) // there is no coin that could go
}

func TestAmountsAreNoFinerThanTheChain(t *testing.T) {
	x := paying(t)
	fine := func(a *schema.Asset, n *schema.Network) {
		a.Precision, n.CanWithdraw, n.Contract, n.Decimals, n.WithdrawPercent = 8, true, "0xd", 6, fixed.One
	}
	x.do(asset("DOLLAR", ether, fine), schema.OK)
	if r := x.do(asks("fine", dollar, "1.1234567"), schema.WithdrawTooPrecise); r.Value != fixed.FromInt(6) {
		t.Errorf("%s decimals", r.Value)
	}
	x.do(asks("rounded", dollar, "1.123456"), schema.OK)
	if w := x.out.Result.Withdrawal; w.Fee != fixed.MustParse("0.011234") || w.Amount != fixed.MustParse("1.112222") {
		t.Errorf("%s, and %s arrives", w.Fee, w.Amount)
	}
}
