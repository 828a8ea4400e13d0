package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// coldKeys are keys of the cold storage of a space.
func coldKeys(edits ...func(*schema.Keys)) *schema.SetKeys {
	c := keys(func(k *schema.Keys) { k.Cold, k.Print = true, schema.Digest{9} })
	for _, edit := range edits {
		edit(&c.Keys)
	}
	return c
}

// storing is a paying exchange that has cold storage on both chains.
func storing(t *testing.T) *exchange {
	t.Helper()
	x := paying(t)
	other := func(k *schema.Keys) { k.Family, k.Net = schema.EVM, schema.Mainnet }
	for _, c := range []*schema.SetKeys{keys(), keys(other), coldKeys(), coldKeys(other)} {
		x.do(c, schema.OK)
	}
	return x
}

// store is a payout of 2 coins into cold storage, out of a, with 0.9 of change.
func store(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return batch(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Withdrawals = nil
		c.Outputs = []schema.OwnOutput{{Own: schema.ColdOf(1), Amount: fixed.MustParse("2")}, {Own: 2, Amount: fixed.MustParse("0.9")}}
	}}, edits...)...)
}

func amountOf(c *schema.PlanPayout, i int, amount string) {
	c.Outputs[i].Amount = fixed.MustParse(amount)
}

// stored has 2 coins in cold storage, deep enough, by payout 1.
func stored(t *testing.T) *exchange {
	t.Helper()
	x := storing(t)
	x.do(store(), schema.OK)
	x.signed(1, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.blocks(bitcoin, 0, 3)
	return x
}

// fetch brings the stored coins back.
func fetch(edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
	return batch(append([]func(*schema.PlanPayout){func(c *schema.PlanPayout) {
		c.Payout, c.Withdrawals, c.Inputs, c.Tx = 2, nil, []string{"t0:0"}, "t2"
		c.Outputs = []schema.OwnOutput{{Own: 3, Amount: fixed.MustParse("1.9")}}
	}}, edits...)...)
}

// isCold holds what is in cold storage, and what is wanted of it, against texts.
func (x *exchange) isCold(on schema.ChainID, asset schema.AssetID, cold, wanted string) {
	x.t.Helper()
	for _, b := range x.Bookings(on) {
		if b.Asset == asset && (b.Cold.String() != cold || b.Wanted.String() != wanted || x.Wanted(on, asset) != b.Wanted) {
			x.t.Errorf("%s is cold and %s wanted, want %s and %s", b.Cold, b.Wanted, cold, wanted)
		}
	}
}

func TestKeysOfColdStorage(t *testing.T) {
	x := paying(t)
	x.refuses(coldKeys(), schema.KeysInvalid) // there are no others yet
	x.do(keys(), schema.OK)
	x.refuses(coldKeys(func(k *schema.Keys) { k.Print = schema.Digest{1} }), schema.KeysInvalid)
	x.refuses(coldKeys(func(k *schema.Keys) { k.Net = schema.Mainnet }), schema.ChainUnknown)
	x.do(coldKeys(), schema.OK)
	x.refuses(coldKeys(func(k *schema.Keys) { k.Print = schema.Digest{8} }), schema.ImmutableChanged)
	x.do(coldKeys(func(k *schema.Keys) { k.Sealed = []byte("again") }), schema.OK)
	x.do(keys(), schema.OK)
	space := schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}
	hot, _ := x.Keys(space, false)
	cold, _ := x.Keys(space, true)
	if hot.Print != (schema.Digest{1}) || hot.Cold || cold.Print != (schema.Digest{9}) || !cold.Cold || string(cold.Sealed) != "again" {
		t.Errorf("%+v, %+v", hot, cold)
	}
	x.unreadable("bitcoin regtest: it stands in the wrong place", func() { x.space(space).cold.Print = schema.Digest{1} })
}

func TestStoring(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*schema.PlanPayout)
		want schema.Reason
	}{
		{"with change", func(*schema.PlanPayout) {}, schema.OK},
		{"without change", func(c *schema.PlanPayout) { c.Outputs = c.Outputs[:1]; amountOf(c, 0, "2.9") }, schema.OK},
		{"two coins", func(c *schema.PlanPayout) { c.Inputs = []string{"a", "b"}; amountOf(c, 0, "4") }, schema.OK},
		{"at the address of another payout", func(c *schema.PlanPayout) { c.Outputs[0].Own++ }, schema.PayoutInvalid},
		{"at the first cold address", func(c *schema.PlanPayout) { c.Outputs[0].Own = schema.Cold }, schema.PayoutInvalid},
		{"at a customer's address", func(c *schema.PlanPayout) { c.Outputs[0].Index = 1 }, schema.PayoutInvalid},
		{"after the change", func(c *schema.PlanPayout) { c.Outputs[0], c.Outputs[1] = c.Outputs[1], c.Outputs[0] }, schema.PayoutInvalid},
		{"twice", func(c *schema.PlanPayout) { c.Outputs[1].Own = schema.ColdOf(1) }, schema.PayoutInvalid},
		{"change twice, and nothing", func(c *schema.PlanPayout) { c.Outputs[0].Own = 2 }, schema.OK},
		{"nothing", func(c *schema.PlanPayout) { amountOf(c, 0, "0"); amountOf(c, 1, "2.9") }, schema.PayoutInvalid},
		{"too precise", func(c *schema.PlanPayout) { amountOf(c, 0, "1.999999999"); amountOf(c, 1, "0.900000001") }, schema.PayoutInvalid},
		{"more than is spent", func(c *schema.PlanPayout) { amountOf(c, 0, "2.00000001") }, schema.PayoutInvalid},
		{"beside withdrawals", func(c *schema.PlanPayout) {
			c.Withdrawals = []schema.WithdrawalID{1}
			amountOf(c, 1, "0.4")
			amountOf(c, 0, "1.5")
		}, schema.PayoutInvalid},
	} {
		x := storing(t)
		if tt.want == schema.OK {
			x.do(store(tt.edit), schema.OK)
		} else {
			x.refuses(store(tt.edit), tt.want)
		}
		if t.Failed() {
			t.Fatal(tt.name)
		}
	}
	paying(t).refuses(store(), schema.PayoutInvalid) // there is no cold storage
}

func TestWhatIsStoredIsStillOurs(t *testing.T) {
	x := stored(t)
	x.isCold(bitcoin, coin, "2", "0")
	x.has(schema.House, schema.Main, "-0.1", "0")
	if b := x.Bookings(bitcoin)[0]; b.Coins.String() != "5.9" || b.Booked.String() != "5.9" {
		t.Errorf("%+v", b)
	}
	_, c, known := x.Coin(bitcoin, "t0:0")
	if !known || c.Own != schema.ColdOf(1) || c.Amount.String() != "2" {
		t.Errorf("%+v %v", c, known)
	}
	x.rewound(13, 0)
	x.isCold(bitcoin, coin, "0", "0")
	x.mined(bitcoin, 1, schema.OK, x.result(1, 0))
	x.isCold(bitcoin, coin, "2", "0")
	x.rewound(13, 0)
}

func TestVariantsOfStoring(t *testing.T) {
	x := storing(t)
	x.do(store(), schema.OK)
	more := func(c *schema.PlanPayout) {
		c.Fee, c.Tx = fixed.MustParse("0.2"), "t1"
		amountOf(c, len(c.Outputs)-1, "0.8")
	}
	change := func(c *schema.PlanPayout) { c.Outputs = c.Outputs[1:]; amountOf(c, 0, "2.8") }
	x.refuses(store(more, change), schema.PayoutInvalid)
	x.do(store(more), schema.OK)
	x.abandons("olga", 1, false, schema.OK)
	less := func(c *schema.PlanPayout) { c.Fee, c.Tx = fixed.MustParse("0.3"), "t2"; amountOf(c, 1, "0.7") }
	x.refuses(store(less), schema.PayoutInvalid)
	x.do(store(less, func(c *schema.PlanPayout) { c.Outputs = c.Outputs[1:]; amountOf(c, 0, "2.7") }), schema.OK)

	x = storing(t)
	x.do(batch(), schema.OK)
	x.refuses(bump(func(c *schema.PlanPayout) {
		c.Outputs = []schema.OwnOutput{{Own: schema.ColdOf(1), Amount: fixed.MustParse("1")}, {Own: 2, Amount: fixed.MustParse("0.3")}}
	}), schema.PayoutInvalid)
}

func TestWhatIsColdPaysOnlyOurselves(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*schema.PlanPayout)
	}{
		{"a withdrawal", func(c *schema.PlanPayout) { c.Withdrawals = []schema.WithdrawalID{1}; amountOf(c, 0, "0.9") }},
		{"with another coin", func(c *schema.PlanPayout) { c.Inputs = []string{"t0:0", "b"}; amountOf(c, 0, "3.9") }},
		{"behind another coin", func(c *schema.PlanPayout) { c.Inputs = []string{"b", "t0:0"}; amountOf(c, 0, "3.9") }},
		{"back into cold storage", func(c *schema.PlanPayout) {
			c.Outputs = append([]schema.OwnOutput{{Own: schema.ColdOf(2), Amount: fixed.MustParse("1")}}, c.Outputs...)
			amountOf(c, 1, "0.9")
		}},
	} {
		x := stored(t)
		x.refuses(fetch(tt.edit), schema.PayoutInvalid)
		if t.Failed() {
			t.Fatal(tt.name)
		}
	}
	x := stored(t)
	x.do(&schema.RefillHot{Chain: bitcoin, Asset: coin, Amount: fixed.MustParse("2")}, schema.OK)
	x.do(fetch(), schema.OK)
	x.isCold(bitcoin, coin, "2", "0.1")
	x.do(fetch(func(c *schema.PlanPayout) { c.Fee, c.Tx = fixed.MustParse("0.2"), "t3"; amountOf(c, 0, "1.8") }), schema.OK) // a variant
	x.isCold(bitcoin, coin, "2", "0.1")
	x.signed(2, 0)
	x.mined(bitcoin, 0, schema.OK, x.result(2, 0))
	x.isCold(bitcoin, coin, "0", "0.1")
}

func TestRefill(t *testing.T) {
	x := stored(t)
	refill := func(on schema.ChainID, asset schema.AssetID, amount string) *schema.RefillHot {
		return &schema.RefillHot{Chain: on, Asset: asset, Amount: fixed.MustParse(amount)}
	}
	for _, tt := range []struct {
		c    *schema.RefillHot
		want schema.Reason
	}{
		{refill(9, coin, "1"), schema.ChainUnknown},
		{refill(play, coin, "1"), schema.ChainOwnBlocks},
		{refill(bitcoin, 99, "1"), schema.AssetUnknown},
		{refill(bitcoin, gas, "0"), schema.RefillInvalid}, // it has no network there
		{refill(bitcoin, coin, "-1"), schema.RefillInvalid},
		{refill(bitcoin, coin, "0.000000001"), schema.RefillInvalid},
		{refill(bitcoin, coin, "2.00000001"), schema.RefillInvalid},
		{refill(ether, gas, "0.000000000000000001"), schema.RefillInvalid},
	} {
		x.refuses(tt.c, tt.want)
	}
	x.do(refill(ether, dollar, "0"), schema.OK)
	x.do(refill(bitcoin, coin, "0.5"), schema.OK)
	x.do(refill(bitcoin, coin, "2"), schema.OK)
	x.isCold(bitcoin, coin, "2", "2")
	x.do(fetch(func(c *schema.PlanPayout) { c.Fee = fixed.MustParse("1.99999999"); amountOf(c, 0, "0.00000001") }), schema.OK)
	x.isCold(bitcoin, coin, "2", "1.99999999")
	x.unreadable("what should come back cannot be", func() { x.chains[bitcoin-1].lanes[0].wanted = fixed.MustParse("-1") })
	paying(t).refuses(refill(bitcoin, coin, "0"), schema.RefillInvalid)
}

// TestColdAccounts: where there are accounts, the cold one and the one that pays withdrawals pay each other, and nobody else.
func TestColdAccounts(t *testing.T) {
	move := func(from, to schema.OwnOutput, amount string, edits ...func(*schema.PlanPayout)) *schema.PlanPayout {
		to.Amount = fixed.MustParse(amount)
		return edited(&schema.PlanPayout{
			Chain: ether, Payout: 1, Asset: gas, Index: from.Index, Own: from.Own, Outputs: []schema.OwnOutput{to}, Fee: fixed.MustParse("0.1"), Unsigned: []byte("u"),
		}, edits)
	}
	hot, cold, customer := schema.OwnOutput{Own: schema.Hot}, schema.OwnOutput{Own: schema.Cold}, schema.OwnOutput{Index: 1}
	x := storing(t)
	x.etherBlock(14, 0, 0, schema.Receipt{ID: "h", Asset: gas, Amount: fixed.MustParse("7"), Own: schema.Cold})
	x.isCold(ether, gas, "7", "0")
	x.refuses(move(cold, customer, "1"), schema.PayoutInvalid)
	x.refuses(move(customer, cold, "1"), schema.PayoutInvalid)
	x.refuses(move(cold, cold, "1"), schema.PayoutInvalid)
	x.refuses(move(hot, schema.OwnOutput{Own: schema.Cold + 1}, "1"), schema.PayoutInvalid)
	x.refuses(move(cold, hot, "1", func(c *schema.PlanPayout) { c.Asset, c.Withdrawals, c.Outputs = dollar, []schema.WithdrawalID{3}, nil }), schema.PayoutInvalid)
	x.refuses(move(cold, hot, "7"), schema.CoinUnavailable)
	x.do(&schema.RefillHot{Chain: ether, Asset: gas, Amount: fixed.MustParse("5")}, schema.OK)
	x.do(move(cold, hot, "4"), schema.OK)
	x.isCold(ether, gas, "7", "1")
	x.do(move(hot, cold, "1", func(c *schema.PlanPayout) { c.Payout = 2 }), schema.OK)
	x.signed(1, 0)
	x.signed(2, 0)
	x.mined(ether, 0, schema.OK, x.result(1, 0), x.result(2, 0))
	x.isCold(ether, gas, "3.9", "1") // 7 - 4 - 0.1 + 1
	x.do(&schema.ChainRewind{Chain: ether, Height: 13, Hash: hash(13, 0)}, schema.OK)
	x.isCold(ether, gas, "0", "1")
}

func TestReceiptsInColdStorage(t *testing.T) {
	x := stored(t)
	for _, own := range []schema.OwnAddress{schema.Cold, schema.ColdOf(2 + schema.OwnAhead), 3 + schema.OwnAhead, 1 << 31} {
		height, parent := x.Cursor(bitcoin)
		r := schema.Receipt{ID: "gift", Asset: coin, Amount: fixed.MustParse("1"), Own: own}
		x.refuses(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{r}}, schema.BlockInvalid)
	}
	height, parent := x.Cursor(bitcoin)
	r := schema.Receipt{ID: "gift", Asset: coin, Amount: fixed.MustParse("1"), Own: schema.ColdOf(1)}
	x.do(&schema.ChainBlock{Chain: bitcoin, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{r}}, schema.OK)
	x.isCold(bitcoin, coin, "3", "0")
	x.blocks(bitcoin, 0, 3)
	x.has(schema.Suspense, schema.Main, "2", "0") // with c, which is nobody's either
}
