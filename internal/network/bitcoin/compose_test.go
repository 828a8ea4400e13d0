package bitcoin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

var (
	alice  = ownerOf(schema.Regtest, "alice")
	bob    = ownerOf(schema.Regtest, "bob")
	owners = map[string]*owner{alice.bech32: alice, alice.nested: alice, bob.bech32: bob, bob.nested: bob}
)

// coinAt is the nth coin, at an address.
func coinAt(n int, address string, satoshi int64) driver.Input {
	return driver.Input{ID: fmt.Sprintf("%064x:%d", n+1, n), Amount: fixed.FromUnits(satoshi, decimals), Address: address, Public: owners[address].public}
}

func payOf(address string, satoshi int64) driver.Payment {
	return driver.Payment{Address: address, Amount: fixed.FromUnits(satoshi, decimals)}
}

func TestCompose(t *testing.T) {
	c := chainOf(t, "http://127.0.0.1", schema.Regtest)
	// One input and one output: 110 virtual bytes (439 quarters); an output more is 31, a nested input 91, another plain one 68.
	for _, v := range []struct {
		name        string
		order       driver.Order
		inputs      []int
		fee, change int64
		err         error
	}{
		{
			name:   "change",
			order:  driver.Order{Rate: 2, Coins: []driver.Input{coinAt(0, alice.bech32, 100_000)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 2 * 141, change: 50_000 - 2*141,
		},
		{
			name:   "change of the least",
			order:  driver.Order{Rate: 1, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+141+546)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 141, change: 546,
		},
		{
			name:   "less than that goes to the miners",
			order:  driver.Order{Rate: 1, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+141+545)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 141 + 545,
		},
		{
			name:   "so does what is not worth its input",
			order:  driver.Order{Rate: 20, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+20*141+20*68)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 20*141 + 20*68,
		},
		{
			name:   "and what is, does not",
			order:  driver.Order{Rate: 20, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+20*141+20*68+1)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 20 * 141, change: 20*68 + 1,
		},
		{
			name:   "to the last satoshi",
			order:  driver.Order{Rate: 3, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+330)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			inputs: []int{0}, fee: 330,
		},
		{
			name:  "a satoshi is missing",
			order: driver.Order{Rate: 3, Coins: []driver.Input{coinAt(0, alice.bech32, 50_000+329)}, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}},
			err:   driver.ErrFunds,
		},
		{
			name: "in order, as many as it needs",
			order: driver.Order{
				Rate: 1, Pays: []driver.Payment{payOf(bob.bech32, 50_000)},
				Coins: []driver.Input{coinAt(0, alice.bech32, 30_000), coinAt(1, alice.nested, 30_000), coinAt(2, alice.bech32, 30_000)},
			},
			inputs: []int{0, 1}, fee: 141 + 91, change: 10_000 - 141 - 91,
		},
		{
			name: "those that must be, also if one would do",
			order: driver.Order{
				Rate: 1, Pays: []driver.Payment{payOf(bob.bech32, 5_000)}, Must: 2,
				Coins: []driver.Input{coinAt(0, alice.bech32, 30_000), coinAt(1, alice.bech32, 10), coinAt(2, alice.bech32, 30_000)},
			},
			inputs: []int{0, 1}, fee: 141 + 68, change: 25_010 - 141 - 68,
		},
		{
			name: "none that costs what it is worth",
			order: driver.Order{
				Rate: 10, Pays: []driver.Payment{payOf(bob.bech32, 30_000)},
				Coins: []driver.Input{coinAt(0, alice.bech32, 30_000), coinAt(1, alice.bech32, 680), coinAt(2, alice.nested, 910), coinAt(3, alice.bech32, 681), coinAt(4, alice.bech32, 9_000)},
			},
			inputs: []int{0, 3, 4}, fee: 10 * (141 + 68 + 68), change: 39_681 - 30_000 - 10*(141+68+68),
		},
		{
			name:   "only ourselves",
			order:  driver.Order{Rate: 2, Coins: []driver.Input{coinAt(0, alice.bech32, 100_000), coinAt(1, alice.bech32, 100_000)}, Must: 1},
			inputs: []int{0}, fee: 220, change: 100_000 - 220,
		},
		{
			name:  "only ourselves, of too little",
			order: driver.Order{Rate: 2, Coins: []driver.Input{coinAt(0, alice.bech32, 220+545)}, Must: 1},
			err:   driver.ErrFunds,
		},
		{name: "nothing of nothing", order: driver.Order{Rate: 1}, err: driver.ErrFunds},
		{
			name:  "less than nodes pass on",
			order: driver.Order{Rate: 1, Coins: []driver.Input{coinAt(0, alice.bech32, 100_000)}, Pays: []driver.Payment{payOf(bob.bech32, 545)}},
			err:   driver.ErrCannot,
		},
	} {
		t.Run(v.name, func(t *testing.T) {
			v.order.Change = alice.bech32
			d, err := c.Compose(t.Context(), &v.order)
			if !errors.Is(err, v.err) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			var inputs []string
			for _, i := range v.inputs {
				inputs = append(inputs, v.order.Coins[i].ID)
			}
			var change []fixed.Decimal
			if v.change != 0 {
				change = append(change, fixed.FromUnits(v.change, decimals))
			}
			if !slices.Equal(d.Inputs, inputs) || d.Fee != fixed.FromUnits(v.fee, decimals) || !slices.Equal(d.Change, change) {
				t.Fatalf("%v, fee %s, change %s", d.Inputs, d.Fee, d.Change)
			}
			raw := sign(t, c, owners, &v.order, d)
			balances(t, &v.order, d, raw)
		})
	}
}

// fatal is a test of either kind.
type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// balances holds a signed transaction against the order and the draft.
func balances(t fatal, o *driver.Order, d *driver.Draft, raw []byte) {
	t.Helper()
	var tx wire.MsgTx
	if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
		t.Fatalf("%v", err)
	}
	outs := len(o.Pays) + len(d.Change)
	if tx.Version != 2 || tx.LockTime != 0 || len(tx.TxOut) != outs || len(tx.TxIn) != len(d.Inputs) || tx.TxID() != d.Tx {
		t.Fatalf("%+v", tx)
	}
	has, paid := fixed.Decimal{}, d.Fee
	for i, in := range tx.TxIn {
		at := slices.IndexFunc(o.Coins, func(c driver.Input) bool { return c.ID == in.PreviousOutPoint.String() })
		if at < 0 || o.Coins[at].ID != d.Inputs[i] || in.Sequence != 0xfffffffd || i < o.Must && at != i {
			t.Fatalf("input %d is %+v", i, in)
		}
		has = has.Add(o.Coins[at].Amount)
	}
	for i, out := range tx.TxOut {
		var to string
		var amount fixed.Decimal
		if i < len(o.Pays) {
			amount, to = o.Pays[i].Amount, o.Pays[i].Address
		} else {
			amount, to = d.Change[i-len(o.Pays)], o.Change
		}
		if key, err := chainOfRegtest.Key(to); err != nil || !bytes.Equal(key, out.PkScript) || amount != fixed.FromUnits(out.Value, decimals) {
			t.Fatalf("output %d is %+v, not %s for %s", i, out, amount, to)
		}
		paid = paid.Add(amount)
	}
	// The estimate takes signatures of 72 bytes; these have 71 or 72, and seldom less: a quarter of a virtual byte for each input. What no
	// change is worth is in the fee as well.
	fee, _ := d.Fee.Units(decimals)
	size := virtual(int64(3*tx.SerializeSizeStripped() + tx.SerializeSize()))
	if has != paid || fee < int64(o.Rate)*size || len(d.Change) > 0 && fee > int64(o.Rate)*(size+1+int64(len(tx.TxIn))) {
		t.Fatalf("%s of %s, fee %d for %d virtual bytes", paid, has, fee, size)
	}
}

// others are amounts in satoshi of coins beside those of an order.
func others(amounts ...int64) func(fixed.Decimal) int {
	return func(least fixed.Decimal) (count int) {
		for _, n := range amounts {
			if !fixed.FromUnits(n, decimals).Less(least) {
				count++
			}
		}
		return count
	}
}

// TestChangeIsDivided: into as many parts as are missing from eight coins, of a useful size; each costs its 31 virtual bytes.
func TestChangeIsDivided(t *testing.T) {
	const part = 100 * dust                            // the least, up to 40 satoshi per virtual byte: at 50 it is 20 * 50 * 68
	spend := func(rate, rest int64, parts int) int64 { // what change of a sum costs, with a payment of 50,000
		return rest + 50_000 + rate*(110+31*int64(parts))
	}
	for name, v := range map[string]struct {
		rate   uint64
		coins  []int64 // the first is spent
		others []int64 // nil: change is one
		change []int64
	}{
		"all of them":                   {2, []int64{spend(2, 8_000_000, 8)}, []int64{0}, slices.Repeat([]int64{1_000_000}, 8)},
		"the last takes the remainder":  {2, []int64{spend(2, 8_000_007, 8)}, []int64{0}, append(slices.Repeat([]int64{1_000_000}, 7), 1_000_007)},
		"nobody asks for it":            {2, []int64{spend(2, 8_000_000, 1)}, nil, []int64{8_000_000}},
		"one is missing":                {2, []int64{spend(2, 8_000_000, 1)}, slices.Repeat([]int64{part}, 7), []int64{8_000_000}},
		"none is missing":               {2, []int64{spend(2, 8_000_000, 1)}, slices.Repeat([]int64{part}, 8), []int64{8_000_000}},
		"two are missing":               {2, []int64{spend(2, 8_000_000, 2)}, slices.Repeat([]int64{part}, 6), []int64{4_000_000, 4_000_000}},
		"small ones do not count":       {2, []int64{spend(2, 8_000_000, 2)}, append(slices.Repeat([]int64{part - 1}, 9), slices.Repeat([]int64{part}, 6)...), []int64{4_000_000, 4_000_000}},
		"those that were offered do":    {2, []int64{spend(2, 9_000_000, 3), part, part - 1}, slices.Repeat([]int64{part}, 4), slices.Repeat([]int64{3_000_000}, 3)},
		"as small as may be":            {2, []int64{spend(2, 8*part, 8)}, []int64{0}, slices.Repeat([]int64{part}, 8)},
		"a satoshi less is one less":    {2, []int64{spend(2, 8*part-1, 8)}, []int64{0}, append(slices.Repeat([]int64{(8*part - 1 + 62) / 7}, 6), (8*part+61)-6*((8*part+61)/7))},
		"two of the least":              {2, []int64{spend(2, 2*part, 2)}, []int64{0}, []int64{part, part}},
		"less than two":                 {2, []int64{spend(2, 2*part-1, 2)}, []int64{0}, []int64{2*part - 1 + 62}},
		"none":                          {2, []int64{spend(2, 0, 0)}, []int64{0}, nil},
		"at 40 it is the same":          {40, []int64{spend(40, 2*part, 2)}, []int64{0}, []int64{part, part}},
		"at 50 it is what spending is":  {50, []int64{spend(50, 2*68_000, 2)}, []int64{0}, []int64{68_000, 68_000}},
		"and not less":                  {50, []int64{spend(50, 2*68_000-1, 2)}, []int64{0}, []int64{2*68_000 - 1 + 50*31}},
		"and what others have as well":  {50, []int64{spend(50, 800_000, 8)}, slices.Repeat([]int64{67_999}, 8), slices.Repeat([]int64{100_000}, 8)},
		"which is enough if it is more": {50, []int64{spend(50, 800_000, 1)}, slices.Repeat([]int64{68_000}, 8), []int64{800_000}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &driver.Order{Rate: v.rate, Pays: []driver.Payment{payOf(bob.bech32, 50_000)}, Change: alice.bech32, Must: 1}
			for i, amount := range v.coins {
				o.Coins = append(o.Coins, coinAt(i, alice.bech32, amount))
			}
			if v.others != nil {
				o.Others = others(v.others...)
			}
			d, err := chainOfRegtest.Compose(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var want []fixed.Decimal
			for _, n := range v.change {
				want = append(want, fixed.FromUnits(n, decimals))
			}
			fee := int64(v.rate) * (110 + 31*int64(len(want)))
			if !slices.Equal(d.Change, want) || d.Fee != fixed.FromUnits(fee, decimals) || len(d.Inputs) != 1 {
				t.Fatalf("change %v for a fee of %s, want %v for %d", d.Change, d.Fee, want, fee)
			}
			balances(t, o, d, sign(t, chainOfRegtest, owners, o, d))
		})
	}
	// What pays only ourselves is divided too: that is how coins come back from cold storage.
	o := &driver.Order{Rate: 1, Change: alice.bech32, Must: 1, Coins: []driver.Input{coinAt(0, bob.bech32, 8_000_000+110+7*31)}, Others: others()}
	d, err := chainOfRegtest.Compose(t.Context(), o)
	if err != nil || !slices.Equal(d.Change, slices.Repeat([]fixed.Decimal{fixed.FromUnits(1_000_000, decimals)}, 8)) {
		t.Fatal(d, err)
	}
	balances(t, o, d, sign(t, chainOfRegtest, owners, o, d))
}

var chainOfRegtest, _ = Dial("http://127.0.0.1", schema.Chain{Family: schema.Bitcoin, Net: schema.Regtest})

// TestOrdersOfAllKinds: whatever is ordered, what is made adds up, bids the rate, and can be signed; and what is refused for want of
// money could not have been paid with all of it.
func TestOrdersOfAllKinds(t *testing.T) {
	texts := []string{alice.bech32, alice.nested, bob.bech32, bob.nested}
	rapid.Check(t, func(t *rapid.T) {
		o := &driver.Order{Rate: rapid.Uint64Range(1, 300).Draw(t, "rate"), Change: rapid.SampledFrom(texts).Draw(t, "change")}
		for range rapid.IntRange(0, 5).Draw(t, "pays") {
			o.Pays = append(o.Pays, payOf(rapid.SampledFrom(texts).Draw(t, "to"), rapid.Int64Range(dust, 100_000).Draw(t, "amount")))
		}
		for n := range rapid.IntRange(0, 8).Draw(t, "coins") {
			o.Coins = append(o.Coins, coinAt(n, rapid.SampledFrom(texts).Draw(t, "at"), rapid.Int64Range(1, rapid.SampledFrom([]int64{100_000, 2_000_000}).Draw(t, "most")).Draw(t, "coin")))
		}
		o.Must = rapid.IntRange(0, len(o.Coins)).Draw(t, "must")
		if rapid.Bool().Draw(t, "divided") {
			o.Others = others(rapid.SliceOfN(rapid.Int64Range(1, 1_000_000), 0, 9).Draw(t, "others")...)
		}
		d, err := chainOfRegtest.Compose(t.Context(), o)
		if err == nil {
			raw, err := Sign(d.Unsigned, keysOf(o, d))
			if err != nil {
				t.Fatal(err)
			}
			if tx, err := chainOfRegtest.Signed(d.Unsigned, raw, ""); err != nil || tx != d.Tx {
				t.Fatal(tx, err)
			}
			balances(t, o, d, raw)
			return
		}
		if err != driver.ErrFunds {
			t.Fatal(err)
		}
		p, err := chainOfRegtest.payment(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range o.Coins {
			if c, _ := chainOfRegtest.coin(in); i < o.Must || c.out.Value > p.rate*virtual(c.weight()) {
				p.coins, p.has = append(p.coins, c), p.has+c.out.Value
			}
		}
		if len(p.coins) > 0 && p.left() >= 0 {
			t.Fatalf("%d satoshi were left", p.left())
		}
	})
}

func TestOrdersThatCannotBe(t *testing.T) {
	good := func() *driver.Order {
		return &driver.Order{
			Rate: 1, Change: alice.bech32, Must: 1, Pays: []driver.Payment{payOf(bob.bech32, 1000)},
			Coins: []driver.Input{coinAt(0, alice.bech32, 100_000), coinAt(1, alice.nested, 100_000)},
		}
	}
	if _, err := chainOfRegtest.Compose(t.Context(), good()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(o *driver.Order){
		"rate of 0":                  func(o *driver.Order) { o.Rate = 0 },
		"rate of 10000001":           func(o *driver.Order) { o.Rate = rateMax + 1 },
		"an address of mainnet":      func(o *driver.Order) { o.Pays[0].Address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" },
		"the address is empty":       func(o *driver.Order) { o.Change = "" },
		"0.000010001 is no amount":   func(o *driver.Order) { o.Pays[0].Amount = fixed.MustParse("0.000010001") },
		"-1 is no amount":            func(o *driver.Order) { o.Pays[0].Amount = fixed.MustParse("-1") },
		"21000000.00000001 is no":    func(o *driver.Order) { o.Coins[0].Amount = fixed.MustParse("21000000.00000001") },
		"there twice":                func(o *driver.Order) { o.Must, o.Coins[1] = 2, o.Coins[0] },
		"3 of 2 coins":               func(o *driver.Order) { o.Must = 3 },
		"is no output":               func(o *driver.Order) { o.Coins[0].ID = "own 1" },
		"is not the address of the":  func(o *driver.Order) { o.Must, o.Coins[1].Public = 2, bob.public },
		"not the address of the key": func(o *driver.Order) { o.Coins[0].Address = "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn" },
	} {
		o := good()
		change(o)
		if d, err := chainOfRegtest.Compose(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v %v, want %q", d, err, want)
		}
	}
}

// TestMoreCoinsThanATransactionTakes: 200, and no more.
func TestMoreCoinsThanATransactionTakes(t *testing.T) {
	o := &driver.Order{Rate: 1, Change: alice.bech32, Pays: []driver.Payment{payOf(bob.bech32, 199_000)}}
	for n := range 300 {
		o.Coins = append(o.Coins, coinAt(n, alice.nested, 1100)) // 91 of it for its input
	}
	if d, err := chainOfRegtest.Compose(t.Context(), o); err != nil || len(d.Inputs) != 198 {
		t.Fatal(d, err)
	}
	o.Pays[0] = payOf(bob.bech32, 202_000)
	if _, err := chainOfRegtest.Compose(t.Context(), o); err != driver.ErrFunds {
		t.Fatal(err)
	}
	o.Coins = append(o.Coins, coinAt(300, alice.bech32, 300_000)) // the largest, behind all that are small
	if d, err := chainOfRegtest.Compose(t.Context(), o); err != nil || !slices.Equal(d.Inputs, []string{o.Coins[300].ID}) {
		t.Fatal(d, err)
	}
	o.Must = 2
	if d, err := chainOfRegtest.Compose(t.Context(), o); err != nil || !slices.Equal(d.Inputs, []string{o.Coins[0].ID, o.Coins[1].ID, o.Coins[300].ID}) {
		t.Fatal(d, err)
	}
	o.Must = 201
	if _, err := chainOfRegtest.Compose(t.Context(), o); err == nil || errors.Is(err, driver.ErrFunds) {
		t.Fatal(err)
	}
}

// TestPlansAreStandard: other programs read them too.
func TestPlansAreStandard(t *testing.T) {
	o := &driver.Order{
		Rate: 1, Change: alice.bech32, Must: 2, Pays: []driver.Payment{payOf(bob.bech32, 1000)},
		Coins: []driver.Input{coinAt(0, alice.bech32, 100_000), coinAt(1, alice.nested, 100_001)},
	}
	d, err := chainOfRegtest.Compose(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := psbt.NewFromRawBytes(bytes.NewReader(d.Unsigned), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := psbt.InputsReadyToSign(p); err != nil {
		t.Fatal(err)
	}
	if in := p.Inputs[0]; in.WitnessUtxo.Value != 100_000 || !txscript.IsPayToWitnessPubKeyHash(in.WitnessUtxo.PkScript) || in.RedeemScript != nil {
		t.Fatalf("%+v", in)
	}
	if in := p.Inputs[1]; in.WitnessUtxo.Value != 100_001 || !txscript.IsPayToScriptHash(in.WitnessUtxo.PkScript) || !bytes.Equal(in.RedeemScript, program(alice.public)) {
		t.Fatalf("%+v", in)
	}
	if fee, err := p.GetTxFee(); err != nil || fixed.FromUnits(int64(fee), decimals) != d.Fee {
		t.Fatal(fee, err)
	}
}

// TestComposeAChild: it has the rate together with its parent, and never less itself. It costs 110 virtual bytes of its own, another input 68.
func TestComposeAChild(t *testing.T) {
	c := chainOf(t, "http://127.0.0.1", schema.Regtest)
	parent := func(size uint64, satoshi int64) *driver.Parent {
		return &driver.Parent{Size: size, Fee: fixed.FromUnits(satoshi, decimals)}
	}
	for _, v := range []struct {
		name        string
		rate        uint64
		parent      *driver.Parent
		coins       []int64
		must        int
		inputs      int
		fee, change int64
		err         error
	}{
		{"both have the rate", 3, parent(141, 141), []int64{100_000}, 1, 1, 3*(110+141) - 141, 100_000 - 612, nil},
		{"of all its coins", 3, parent(358, 358), []int64{10_000, 20_000}, 2, 2, 3*(178+358) - 358, 30_000 - 1250, nil},
		{"a parent that has the rate", 3, parent(141, 423), []int64{100_000}, 1, 1, 330, 100_000 - 330, nil},
		{"a parent that has more", 3, parent(141, 9000), []int64{100_000}, 1, 1, 330, 100_000 - 330, nil},
		{"it leaves the least", 3, parent(141, 141), []int64{612 + 546}, 1, 1, 612, 546, nil},
		{"it leaves less", 3, parent(141, 141), []int64{612 + 545}, 1, 0, 0, 0, driver.ErrFunds},
		{"it leaves more than that costs", 20, parent(141, 141), []int64{4879 + 1361}, 1, 1, 20*251 - 141, 1361, nil},
		{"it leaves what that costs", 20, parent(141, 141), []int64{4879 + 1360}, 1, 0, 0, 0, driver.ErrFunds},
		{"another coin pays", 20, parent(141, 141), []int64{1000, 50_000, 50_000}, 1, 2, 20*(178+141) - 141, 51_000 - 6239, nil},
	} {
		o := &driver.Order{Rate: v.rate, Parent: v.parent, Must: v.must, Change: alice.bech32}
		for i, satoshi := range v.coins {
			o.Coins = append(o.Coins, coinAt(i, alice.bech32, satoshi))
		}
		d, err := c.Compose(t.Context(), o)
		if !errors.Is(err, v.err) {
			t.Errorf("%s: %v, want %v", v.name, err, v.err)
		}
		if err != nil {
			continue
		}
		if len(d.Inputs) != v.inputs || d.Fee != fixed.FromUnits(v.fee, decimals) || len(d.Change) != 1 || d.Change[0] != fixed.FromUnits(v.change, decimals) {
			t.Errorf("%s: it spends %d coins for %s and gives back %v, want %d for %d and %d", v.name, len(d.Inputs), d.Fee, d.Change, v.inputs, v.fee, v.change)
		}
	}
	for _, no := range []*driver.Parent{parent(0, 1), parent(sizeMax+1, 1), parent(1, -1), {Size: 1, Fee: fixed.FromUnits(1, 9)}} {
		if d, err := c.Compose(t.Context(), &driver.Order{Rate: 1, Parent: no, Coins: []driver.Input{coinAt(0, alice.bech32, 100_000)}, Must: 1, Change: alice.bech32}); err == nil {
			t.Errorf("%+v: %+v", no, d)
		}
	}
}
