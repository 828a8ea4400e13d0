package bitcoin

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/schema"
)

// read reads a plan as Compose makes it: every input says what it spends, and is P2WPKH, nested in P2SH or not.
func read(unsigned []byte) (*psbt.Packet, error) {
	if len(unsigned) > schema.MaxTransaction {
		return nil, errors.New("the plan is too large")
	}
	rest := bytes.NewReader(unsigned)
	packet, err := psbt.NewFromRawBytes(rest, false)
	if err != nil {
		return nil, fmt.Errorf("the plan: %w", err)
	}
	if rest.Len() != 0 {
		return nil, errors.New("the plan: there is something behind it")
	}
	for i := range packet.Inputs {
		if in := &packet.Inputs[i]; in.WitnessUtxo == nil || spent(in) == nil {
			return nil, fmt.Errorf("the plan: input %d spends nothing that is signed here", i)
		}
	}
	return packet, nil
}

// spent is the P2WPKH program that an input spends; nil if it spends something else.
func spent(in *psbt.PInput) []byte {
	script := in.WitnessUtxo.PkScript
	switch {
	case in.RedeemScript == nil && txscript.IsPayToWitnessPubKeyHash(script):
		return script
	case nests(script, in.RedeemScript):
		return in.RedeemScript
	}
	return nil
}

// named is the transaction of a plan as it is called when it is signed: witnesses are no part of its name, and the script of a nested
// input, which is, is known.
func named(packet *psbt.Packet) *wire.MsgTx {
	tx := packet.UnsignedTx.Copy()
	for i := range packet.Inputs {
		if redeem := packet.Inputs[i].RedeemScript; redeem != nil {
			tx.TxIn[i].SignatureScript = append([]byte{byte(len(redeem))}, redeem...)
		}
	}
	return tx
}

// fetcher knows what the inputs of a plan spend.
func fetcher(packet *psbt.Packet) *txscript.MultiPrevOutFetcher {
	f := txscript.NewMultiPrevOutFetcher(nil)
	for i, in := range packet.UnsignedTx.TxIn {
		f.AddPrevOut(in.PreviousOutPoint, packet.Inputs[i].WitnessUtxo)
	}
	return f
}

// Sign signs the transaction of a plan with the keys of its inputs. A plan is always signed with the same bytes: signatures come from
// RFC 6979, and s is the lower of the two.
func Sign(unsigned []byte, key func(input int) (*btcec.PrivateKey, error)) (raw []byte, err error) {
	packet, err := read(unsigned)
	if err != nil {
		return nil, err
	}
	tx := named(packet)
	hashes := txscript.NewTxSigHashes(tx, fetcher(packet))
	for i := range packet.Inputs {
		private, err := key(i)
		if err != nil {
			return nil, fmt.Errorf("key of input %d: %w", i, err)
		}
		in := &packet.Inputs[i]
		script := spent(in)
		if !bytes.Equal(program(private.PubKey().SerializeCompressed()), script) {
			return nil, fmt.Errorf("the key of input %d is that of another address", i)
		}
		tx.TxIn[i].Witness, err = txscript.WitnessSignature(tx, hashes, i, in.WitnessUtxo.Value, script, txscript.SigHashAll, private, true)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	var b bytes.Buffer
	err = tx.Serialize(&b)
	return b.Bytes(), err
}

// Signed holds a signed transaction against its plan: it must be the same but for the witnesses, and each of those must be valid and
// sign all of it.
func (c *Chain) Signed(unsigned, raw []byte, _ string) (string, error) {
	packet, err := read(unsigned)
	if err != nil {
		return "", err
	}
	if len(raw) > schema.MaxTransaction {
		return "", errors.New("the signed transaction is too large")
	}
	rest := bytes.NewReader(raw)
	signed := &wire.MsgTx{}
	if err := signed.Deserialize(rest); err != nil {
		return "", fmt.Errorf("the signed transaction: %w", err)
	}
	want := named(packet)
	if rest.Len() != 0 || !same(signed, want) {
		return "", errors.New("the signed transaction is not the one that was planned")
	}
	from := fetcher(packet)
	hashes := txscript.NewTxSigHashes(signed, from)
	for i, in := range signed.TxIn {
		// A signature of another type would let others change the transaction.
		if len(in.Witness) != 2 || len(in.Witness[0]) == 0 || txscript.SigHashType(in.Witness[0][len(in.Witness[0])-1]) != txscript.SigHashAll {
			return "", fmt.Errorf("input %d: it is not signed as a whole", i)
		}
		out := packet.Inputs[i].WitnessUtxo
		vm, err := txscript.NewEngine(out.PkScript, signed, i, txscript.StandardVerifyFlags, nil, hashes, out.Value, from)
		if err == nil {
			err = vm.Execute()
		}
		if err != nil {
			return "", fmt.Errorf("input %d: %w", i, err)
		}
	}
	return signed.TxHash().String(), nil
}

// same reports whether two transactions are the same without their witnesses.
func same(a, b *wire.MsgTx) bool {
	var left, right bytes.Buffer
	return a.SerializeNoWitness(&left) == nil && b.SerializeNoWitness(&right) == nil && bytes.Equal(left.Bytes(), right.Bytes())
}
