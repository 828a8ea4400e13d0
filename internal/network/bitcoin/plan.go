package bitcoin

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Plan is what a transaction that is not signed does, for who looks before signing.
type Plan struct {
	Inputs  []Output // that it spends
	Outputs []Output // that it makes, without IDs
}

// Output is an amount at an address, in satoshi.
type Output struct {
	ID      string
	Address string
	Units   driver.Units
}

// ReadUnsigned reads a plan as Compose makes it. What coins are worth is only said there; but the signature of each input covers its
// amount, so with a wrong one it is worth nothing. All outputs pay addresses of a standard form.
func ReadUnsigned(net schema.Net, unsigned []byte) (*Plan, error) {
	if !schema.Valid(net) {
		return nil, fmt.Errorf("there is no net %d", net)
	}
	packet, err := read(unsigned)
	if err != nil {
		return nil, err
	}
	c := &Chain{space: schema.Space{Family: schema.Bitcoin, Net: net}, params: nets[net]}
	var p Plan
	for i, in := range packet.UnsignedTx.TxIn {
		// Others let parts of the transaction be changed after it was signed.
		if kind := packet.Inputs[i].SighashType; kind != 0 && kind != txscript.SigHashAll {
			return nil, fmt.Errorf("the plan: input %d asks for another signature than one of the whole", i)
		}
		out, err := c.output(packet.Inputs[i].WitnessUtxo)
		if err != nil {
			return nil, fmt.Errorf("the plan: input %d: %w", i, err)
		}
		out.ID = schema.OutputID(in.PreviousOutPoint.Hash.String(), int(in.PreviousOutPoint.Index))
		p.Inputs = append(p.Inputs, out)
	}
	for i, to := range packet.UnsignedTx.TxOut {
		out, err := c.output(to)
		if err != nil {
			return nil, fmt.Errorf("the plan: output %d: %w", i, err)
		}
		p.Outputs = append(p.Outputs, out)
	}
	return &p, nil
}

func (c *Chain) output(out *wire.TxOut) (Output, error) {
	_, list, _, err := txscript.ExtractPkScriptAddrs(out.PkScript, c.params)
	if err != nil || len(list) != 1 {
		return Output{}, fmt.Errorf("the script %x is not that of an address", out.PkScript)
	}
	text := list[0].EncodeAddress()
	if script, err := c.Key(text); err != nil || !bytes.Equal(script, out.PkScript) { // a bare public key has the text of its hash
		return Output{}, fmt.Errorf("the script %x is not that of an address", out.PkScript)
	}
	if out.Value < 0 || out.Value > satoshiMax {
		return Output{}, fmt.Errorf("%d satoshi cannot be", out.Value)
	}
	return Output{Address: text, Units: big.NewInt(out.Value)}, nil
}

// Finish is the transaction of a PSBT that has all its signatures.
func Finish(signed []byte) (raw []byte, err error) {
	packet, err := psbt.NewFromRawBytes(bytes.NewReader(signed), false)
	if err != nil {
		return nil, fmt.Errorf("it is neither a transaction nor a PSBT: %w", err)
	}
	if err := psbt.MaybeFinalizeAll(packet); err != nil {
		return nil, fmt.Errorf("signatures are missing: %w", err)
	}
	tx, err := psbt.Extract(packet)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = tx.Serialize(&b)
	return b.Bytes(), err
}
