package bitcoin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcutil/v2"
	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Compose makes the transaction of an order: who is paid, in order, then the change. Every input may be replaced (BIP 125). The plan is
// a PSBT, version 0.
func (c *Chain) Compose(_ context.Context, o *driver.Order) (*driver.Draft, error) {
	p, err := c.payment(o)
	if err != nil {
		return nil, err
	}
	if err := c.choose(p, o); err != nil {
		return nil, err
	}
	return p.draft(p.divide(o))
}

// Bid is 0: nodes compare whole fees.
func (c *Chain) Bid([]byte) (uint64, error) { return 0, nil }

// Size is that of a transaction in virtual bytes.
func (c *Chain) Size(raw []byte) (uint64, error) {
	var tx wire.MsgTx
	if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
		return 0, fmt.Errorf("the transaction: %w", err)
	}
	return uint64(virtual(int64(3*tx.SerializeSizeStripped() + tx.SerializeSize()))), nil
}

// payment is a transaction while it is made. Amounts are in satoshi.
type payment struct {
	rate   int64
	outs   []*wire.TxOut
	change []byte // script
	coins  []coin
	// sums of outs and coins
	pays, has int64
	// what it has to pay for its parent too: the size of that, less what it pays itself
	parent, paid int64
}

// coin is one that is spent.
type coin struct {
	id     string
	from   wire.OutPoint
	out    *wire.TxOut
	redeem []byte // the witness program, if the address is the hash of it
}

// Bounds that keep sums far from the end of int64: all coins there can be, and a rate at which a thousand bytes cost a hundred coins.
const (
	satoshiMax = btcutil.MaxSatoshi
	rateMax    = 10_000_000
	sizeMax    = 1_000_000 // of a block, in virtual bytes
)

func (c *Chain) payment(o *driver.Order) (*payment, error) {
	if o.Rate == 0 || o.Rate > rateMax {
		return nil, fmt.Errorf("a rate of %d satoshi per virtual byte", o.Rate)
	}
	p := &payment{rate: int64(o.Rate)}
	for _, pay := range o.Pays {
		script, err := c.Key(pay.Address)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", pay.Address, err)
		}
		amount, err := satoshi(pay.Amount)
		if err != nil {
			return nil, err
		}
		if amount < dust {
			return nil, fmt.Errorf("%w: %s for %s is less than nodes pass on", driver.ErrCannot, pay.Amount, pay.Address)
		}
		if p.pays += amount; p.pays > satoshiMax {
			return nil, driver.ErrFunds
		}
		p.outs = append(p.outs, wire.NewTxOut(amount, script))
	}
	var err error
	if o.Parent != nil {
		if p.paid, err = satoshi(o.Parent.Fee); err != nil || o.Parent.Size == 0 || o.Parent.Size > sizeMax {
			return nil, fmt.Errorf("a parent of %d virtual bytes for %s", o.Parent.Size, o.Parent.Fee)
		}
		p.parent = int64(o.Parent.Size)
	}
	if p.change, err = c.Key(o.Change); err != nil {
		return nil, fmt.Errorf("change to %q: %w", o.Change, err)
	}
	return p, nil
}

func satoshi(d fixed.Decimal) (int64, error) {
	n, ok := d.Units(decimals)
	if !ok || n < 0 || n > satoshiMax {
		return 0, fmt.Errorf("%s is no amount of bitcoin", d)
	}
	return n, nil
}

// choose takes the coins that must be spent, and then, in their order, as many as it needs of those that are worth more than spending
// them costs. Where the first are too small for so many as a payout may have, the largest are taken.
func (c *Chain) choose(p *payment, o *driver.Order) error {
	err := c.take(p, o)
	if !errors.Is(err, driver.ErrFunds) {
		return err
	}
	again := *o
	again.Coins = slices.Clone(o.Coins)
	slices.SortStableFunc(again.Coins[o.Must:], func(a, b driver.Input) int { return b.Amount.Cmp(a.Amount) })
	p.coins, p.has = nil, 0
	return c.take(p, &again)
}

// take takes the coins that must be spent, and then as many as it needs, in their order.
func (c *Chain) take(p *payment, o *driver.Order) error {
	if o.Must < 0 || o.Must > len(o.Coins) || o.Must > schema.MaxInputs {
		return fmt.Errorf("%d of %d coins must be spent", o.Must, len(o.Coins))
	}
	seen := map[wire.OutPoint]bool{}
	for i, in := range o.Coins {
		if i >= o.Must && (len(p.coins) == schema.MaxInputs || p.left() >= 0 && len(p.coins) > 0) {
			break
		}
		spent, err := c.coin(in)
		if err != nil {
			return fmt.Errorf("coin %s: %w", in.ID, err)
		}
		if seen[spent.from] {
			return fmt.Errorf("coin %s is there twice", in.ID)
		}
		seen[spent.from] = true
		if i >= o.Must && spent.out.Value <= p.rate*virtual(spent.weight()) {
			continue
		}
		p.coins = append(p.coins, spent)
		p.has += spent.out.Value
	}
	if len(p.coins) == 0 || p.left() < 0 {
		return driver.ErrFunds
	}
	return nil
}

// coin reads a coin that may be spent: one at a P2WPKH address, or at the P2SH address of such a program.
func (c *Chain) coin(in driver.Input) (spent coin, err error) {
	spent.id = in.ID
	if spent.from, err = outpoint(in.ID); err != nil {
		return spent, err
	}
	amount, err := satoshi(in.Amount)
	if err != nil {
		return spent, err
	}
	script, err := c.Key(in.Address)
	if err != nil {
		return spent, err
	}
	spent.out = wire.NewTxOut(amount, script)
	if txscript.IsPayToWitnessPubKeyHash(script) {
		return spent, nil
	}
	spent.redeem = program(in.Public)
	if !nests(script, spent.redeem) {
		return spent, fmt.Errorf("%s is not the address of the key %x", in.Address, in.Public)
	}
	return spent, nil
}

// program is the P2WPKH script of a public key.
func program(public []byte) []byte {
	return append([]byte{txscript.OP_0, txscript.OP_DATA_20}, btc.Hash160(public)...)
}

// nests reports whether a script is P2SH of a P2WPKH program.
func nests(script, program []byte) bool {
	return txscript.IsPayToScriptHash(script) && txscript.IsPayToWitnessPubKeyHash(program) && bytes.Equal(script[2:22], btc.Hash160(program))
}

// Weights, in quarters of a virtual byte. The largest signature is taken: 72 bytes with its type; most are a byte shorter.
const (
	weightWitness = 1 + 1 + 72 + 1 + 33        // two items: signature and public key
	weightInput   = 4*(36+1+4) + weightWitness // outpoint, an empty script, sequence
	weightNested  = 4 * 23                     // a script that is one push of a program
	weightFrame   = 4*(4+4) + 2                // version and lock time; the marker of witnesses
)

func (c *coin) weight() int64 {
	if c.redeem != nil {
		return weightInput + weightNested
	}
	return weightInput
}

// virtual bytes of a weight, rounded up.
func virtual(weight int64) int64 { return (weight + 3) / 4 }

// fee of the transaction, with so many outputs of change: at its own rate, and with a parent at the rate of both together.
func (p *payment) fee(changes int) int64 {
	outs := len(p.outs) + changes
	weight := weightFrame + 4*int64(changes*wire.NewTxOut(0, p.change).SerializeSize())
	for _, out := range p.outs {
		weight += 4 * int64(out.SerializeSize())
	}
	for i := range p.coins {
		weight += p.coins[i].weight()
	}
	weight += 4 * int64(wire.VarIntSerializeSize(uint64(outs))+wire.VarIntSerializeSize(uint64(len(p.coins))))
	return p.rate*virtual(weight) + max(0, p.rate*p.parent-p.paid)
}

// left is what is left of the coins without change, below zero if they do not cover the order. A transaction that pays nobody else pays
// its change: what is left of it then is what that has above the least. Of a child that is more than spending it costs: a parent is not
// paid for with all that it leaves.
func (p *payment) left() int64 {
	if len(p.outs) == 0 && p.parent != 0 {
		return p.has - p.fee(1) - max(dust, p.rate*virtual(weightInput)+1)
	}
	if len(p.outs) == 0 {
		return p.has - p.fee(1) - dust
	}
	return p.has - p.pays - p.fee(0)
}

// A coin is useful, and change is divided into parts, that have at least so many times what nodes pass on, and what spending them costs.
// The first is as much as the second at 40 satoshi per virtual byte: coins that are made while fees are low are spent while they are high.
const (
	usefulDust  = 100
	usefulSpend = 20
)

// useful is the least that a coin should have.
func (p *payment) useful() int64 {
	return max(usefulDust*dust, usefulSpend*p.rate*virtual(weightInput))
}

// divide gives the outputs of change, from what is left of the coins: as many as others lack coins, and as are useful. The last one takes
// the remainder.
func (p *payment) divide(o *driver.Order) []int64 {
	for n := p.lack(o); n > 1; n-- {
		rest := p.has - p.pays - p.fee(n)
		if part := rest / int64(n); part >= p.useful() {
			return append(slices.Repeat([]int64{part}, n-1), rest-part*int64(n-1))
		}
	}
	// Change that costs more to spend than it is worth, at this rate, goes to the miners, as what nodes would not pass on.
	if rest := p.has - p.pays - p.fee(1); rest >= dust && (len(p.outs) == 0 || rest > p.rate*virtual(weightInput)) {
		return []int64{rest}
	}
	return nil
}

// lack is how many useful coins are missing from what others should have, besides those that are spent.
func (p *payment) lack(o *driver.Order) int {
	if o.Others == nil {
		return 0
	}
	least := fixed.FromUnits(p.useful(), decimals)
	there := o.Others(least)
	for i := range o.Coins {
		if !o.Coins[i].Amount.Less(least) {
			there++
		}
	}
	for i := range p.coins {
		if p.coins[i].out.Value >= p.useful() {
			there--
		}
	}
	return schema.MaxChange - there
}

// draft writes the plan.
func (p *payment) draft(change []int64) (*driver.Draft, error) {
	draft := &driver.Draft{}
	fee := p.has - p.pays
	for _, part := range change {
		fee -= part
		draft.Change = append(draft.Change, fixed.FromUnits(part, decimals))
		p.outs = append(p.outs, wire.NewTxOut(part, p.change))
	}
	draft.Fee = fixed.FromUnits(fee, decimals)
	tx := wire.NewMsgTx(2)
	tx.TxOut = p.outs
	inputs := make([]psbt.PInput, len(p.coins))
	for i, c := range p.coins {
		in := wire.NewTxIn(&c.from, nil, nil)
		in.Sequence = sequence
		tx.AddTxIn(in)
		inputs[i].WitnessUtxo, inputs[i].RedeemScript = c.out, c.redeem
		draft.Inputs = append(draft.Inputs, c.id)
	}
	packet := &psbt.Packet{UnsignedTx: tx, Inputs: inputs, Outputs: make([]psbt.POutput, len(tx.TxOut))}
	var plan bytes.Buffer
	if err := packet.Serialize(&plan); err != nil {
		return nil, err
	}
	draft.Unsigned = plan.Bytes()
	if len(draft.Unsigned) > schema.MaxTransaction {
		return nil, errors.New("the transaction is too large")
	}
	draft.Tx = named(packet).TxHash().String()
	return draft, nil
}

// sequence of every input: a transaction that pays more may replace this one.
const sequence = wire.MaxTxInSequenceNum - 2
