package bitcoin

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/driver"
)

// keysOf finds the keys of the inputs of a draft.
func keysOf(o *driver.Order, d *driver.Draft) func(int) (*btcec.PrivateKey, error) {
	return func(i int) (*btcec.PrivateKey, error) {
		for _, in := range o.Coins {
			if in.ID == d.Inputs[i] {
				return owners[in.Address].key, nil
			}
		}
		return nil, fmt.Errorf("nobody has coin %s", d.Inputs[i])
	}
}

// packed writes a plan.
func packed(t testing.TB, tx *wire.MsgTx, inputs ...psbt.PInput) []byte {
	t.Helper()
	var b bytes.Buffer
	p := &psbt.Packet{UnsignedTx: tx, Inputs: inputs, Outputs: make([]psbt.POutput, len(tx.TxOut))}
	if err := p.Serialize(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTheExampleOfBIP143 is the one of P2SH-P2WPKH. The example of P2WPKH there spends an input of an older kind too.
func TestTheExampleOfBIP143(t *testing.T) {
	var tx wire.MsgTx
	if err := tx.DeserializeNoWitness(bytes.NewReader(hexed(t, "0100000001db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a54770100000000feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac92040000"))); err != nil {
		t.Fatal(err)
	}
	plan := packed(t, &tx, psbt.PInput{
		WitnessUtxo:  wire.NewTxOut(1_000_000_000, hexed(t, "a9144733f37cf4db86fbc2efed2500b4f4e49f31202387")),
		RedeemScript: hexed(t, "001479091972186c449eb1ded22b78e40d009bdf0089"),
	})
	key, _ := btcec.PrivKeyFromBytes(hexed(t, "eb696a065ef48a2192da5b28b694f87544b30fae8327c4510137a922f32c6dcf"))
	raw, err := Sign(plan, func(int) (*btcec.PrivateKey, error) { return key, nil })
	if err != nil {
		t.Fatal(err)
	}
	const want = "01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000"
	if got := hex.EncodeToString(raw); got != want {
		t.Fatalf("%s\nwant %s", got, want)
	}
	if id, err := chainOfRegtest.Signed(plan, raw, ""); err != nil || id != "ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23" {
		t.Fatal(id, err)
	}
}

// plan is a transaction of two inputs, plain and nested, and its signed form.
func plan(t testing.TB) (*driver.Order, *driver.Draft, *wire.MsgTx) {
	t.Helper()
	o := &driver.Order{
		Rate: 1, Change: alice.bech32, Must: 2, Pays: []driver.Payment{payOf(bob.bech32, 1000), payOf(bob.nested, 2000)},
		Coins: []driver.Input{coinAt(0, alice.bech32, 100_000), coinAt(1, bob.nested, 100_001)},
	}
	d, err := chainOfRegtest.Compose(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	raw := sign(t, chainOfRegtest, owners, o, d)
	if again := sign(t, chainOfRegtest, owners, o, d); !bytes.Equal(raw, again) {
		t.Fatalf("%x\nsigned again %x", raw, again)
	}
	var tx wire.MsgTx
	if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	return o, d, &tx
}

// TestOnlyThePlanIsTaken changes what came back from the signer.
func TestOnlyThePlanIsTaken(t *testing.T) {
	other := func(tx *wire.MsgTx, in int, kind txscript.SigHashType, script []byte, value int64) {
		from := txscript.NewMultiPrevOutFetcher(nil)
		for _, in := range tx.TxIn {
			from.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(value, script))
		}
		w, err := txscript.WitnessSignature(tx, txscript.NewTxSigHashes(tx, from), in, value, script, kind, alice.key, true)
		if err != nil {
			t.Fatal(err)
		}
		tx.TxIn[in].Witness = w
	}
	ours := program(alice.public)
	for name, v := range map[string]struct {
		want   string
		change func(tx *wire.MsgTx)
	}{
		"version":        {"planned", func(tx *wire.MsgTx) { tx.Version = 1 }},
		"lock time":      {"planned", func(tx *wire.MsgTx) { tx.LockTime = 1 }},
		"amount":         {"planned", func(tx *wire.MsgTx) { tx.TxOut[0].Value-- }},
		"receiver":       {"planned", func(tx *wire.MsgTx) { tx.TxOut[0].PkScript[5]++ }},
		"order":          {"planned", func(tx *wire.MsgTx) { tx.TxOut[0], tx.TxOut[1] = tx.TxOut[1], tx.TxOut[0] }},
		"output more":    {"planned", func(tx *wire.MsgTx) { tx.AddTxOut(tx.TxOut[0]) }},
		"output less":    {"planned", func(tx *wire.MsgTx) { tx.TxOut = tx.TxOut[:2] }},
		"coin":           {"planned", func(tx *wire.MsgTx) { tx.TxIn[0].PreviousOutPoint.Index++ }},
		"sequence":       {"planned", func(tx *wire.MsgTx) { tx.TxIn[0].Sequence = wire.MaxTxInSequenceNum }},
		"input less":     {"planned", func(tx *wire.MsgTx) { tx.TxIn = tx.TxIn[:1] }},
		"script":         {"planned", func(tx *wire.MsgTx) { tx.TxIn[1].SignatureScript = nil }},
		"script of none": {"planned", func(tx *wire.MsgTx) { tx.TxIn[0].SignatureScript = []byte{txscript.OP_TRUE} }},
		"no witness":     {"input 1: it is not signed", func(tx *wire.MsgTx) { tx.TxIn[1].Witness = nil }},
		"no signature":   {"input 0: it is not signed", func(tx *wire.MsgTx) { tx.TxIn[0].Witness[0] = nil }},
		"witness more":   {"input 0: it is not signed", func(tx *wire.MsgTx) { tx.TxIn[0].Witness = append(tx.TxIn[0].Witness, []byte{1}) }},
		"signature":      {"input 0: ", func(tx *wire.MsgTx) { tx.TxIn[0].Witness[0][20]++ }},
		"key":            {"input 0: ", func(tx *wire.MsgTx) { tx.TxIn[0].Witness[1] = bob.public }},
		"another amount": {"input 0: ", func(tx *wire.MsgTx) { other(tx, 0, txscript.SigHashAll, ours, 99_999) }},
		"signs no outputs": {"not signed as a whole", func(tx *wire.MsgTx) {
			other(tx, 0, txscript.SigHashNone, ours, 100_000)
		}},
		"lets others add inputs": {"not signed as a whole", func(tx *wire.MsgTx) {
			other(tx, 0, txscript.SigHashAll|txscript.SigHashAnyOneCanPay, ours, 100_000)
		}},
	} {
		_, d, tx := plan(t)
		v.change(tx)
		var raw bytes.Buffer
		if err := tx.Serialize(&raw); err != nil {
			t.Fatal(err)
		}
		if id, err := chainOfRegtest.Signed(d.Unsigned, raw.Bytes(), ""); err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%s: %s %v, want %q", name, id, err, v.want)
		}
	}
	_, d, tx := plan(t)
	var raw bytes.Buffer
	if err := tx.Serialize(&raw); err != nil {
		t.Fatal(err)
	}
	for _, bytes := range [][]byte{nil, raw.Bytes()[:raw.Len()-1], append(raw.Bytes(), 0), d.Unsigned, make([]byte, 200<<10)} {
		if id, err := chainOfRegtest.Signed(d.Unsigned, bytes, ""); err == nil {
			t.Errorf("%d bytes are %s", len(bytes), id)
		}
	}
}

func TestPlansThatAreNotSigned(t *testing.T) {
	o, d, _ := plan(t)
	keys := keysOf(o, d)
	if _, err := Sign(d.Unsigned, func(i int) (*btcec.PrivateKey, error) { return keys(1 - i) }); err == nil || !strings.Contains(err.Error(), "input 0 is that of another") {
		t.Error(err)
	}
	gone := errors.New("the key is gone")
	if _, err := Sign(d.Unsigned, func(int) (*btcec.PrivateKey, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
	tx := func() *wire.MsgTx {
		p, err := psbt.NewFromRawBytes(bytes.NewReader(d.Unsigned), false)
		if err != nil {
			t.Fatal(err)
		}
		p.UnsignedTx.TxIn = p.UnsignedTx.TxIn[:1]
		return p.UnsignedTx
	}
	old := append(append([]byte{txscript.OP_DUP, txscript.OP_HASH160, 20}, program(alice.public)[2:]...), txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
	nested, err := chainOfRegtest.Key(alice.nested)
	if err != nil {
		t.Fatal(err)
	}
	for name, unsigned := range map[string][]byte{
		"nothing":                 nil,
		"no plan":                 []byte("hello, world"),
		"half a plan":             d.Unsigned[:len(d.Unsigned)/2],
		"something behind":        append(bytes.Clone(d.Unsigned), 0),
		"too large":               make([]byte, 200<<10),
		"nobody knows the coin":   packed(t, tx(), psbt.PInput{}),
		"an address of old":       packed(t, tx(), psbt.PInput{WitnessUtxo: wire.NewTxOut(1000, old)}),
		"nested, and no program":  packed(t, tx(), psbt.PInput{WitnessUtxo: wire.NewTxOut(1000, nested)}),
		"nested, another program": packed(t, tx(), psbt.PInput{WitnessUtxo: wire.NewTxOut(1000, nested), RedeemScript: program(bob.public)}),
	} {
		if raw, err := Sign(unsigned, keys); err == nil {
			t.Errorf("%s: %x", name, raw)
		}
		if id, err := chainOfRegtest.Signed(unsigned, nil, ""); err == nil {
			t.Errorf("%s: %s", name, id)
		}
	}
}
