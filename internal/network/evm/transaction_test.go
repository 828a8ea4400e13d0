package evm_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"bourse/internal/network/evm"
)

// random makes numbers of all lengths: most mistakes in an encoding are made at the edges of lengths.
type random struct{ *rand.Rand }

func (r random) bytes(most int) []byte {
	b := make([]byte, r.IntN(most+1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func (r random) uint() uint64 { return r.Uint64() >> r.IntN(64) }

func (r random) key() *btcec.PrivateKey {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(r.Uint32())
	}
	key, _ := btcec.PrivKeyFromBytes(seed[:])
	return key
}

func (r random) transaction() *evm.Transaction {
	t := &evm.Transaction{
		Chain: r.uint(), Nonce: r.uint(), Tip: r.uint(), Cap: r.uint(), Gas: r.uint(), Value: new(big.Int).SetBytes(r.bytes(32)),
		Data: r.bytes(300),
	}
	copy(t.To[:], r.bytes(20))
	if r.IntN(4) == 0 {
		t.Data = r.bytes(2)
	}
	return t
}

// oracle is the same transaction as go-ethereum has it.
func oracle(t *evm.Transaction) *types.Transaction {
	to := common.Address(t.To)
	n := func(u uint64) *big.Int { return new(big.Int).SetUint64(u) }
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: n(t.Chain), Nonce: t.Nonce, GasTipCap: n(t.Tip), GasFeeCap: n(t.Cap), Gas: t.Gas, To: &to, Value: t.Value, Data: t.Data,
	})
}

func TestTransactionsAreThoseOfGoEthereum(t *testing.T) {
	const seed = 15
	r := random{rand.New(rand.NewPCG(seed, 0))}
	for i := range 300 {
		plain, key := r.transaction(), r.key()
		if plain.Chain == 0 {
			plain.Chain = 1
		}
		want, signer := oracle(plain), types.LatestSignerForChainID(new(big.Int).SetUint64(plain.Chain))
		unsigned := plain.Unsigned()
		if hash := signer.Hash(want); crypto.Keccak256Hash(unsigned) != hash {
			t.Fatalf("seed %d, %d: %x is signed, want the hash %s", seed, i, unsigned, hash)
		}
		raw, err := evm.Sign(unsigned, key)
		if err != nil {
			t.Fatalf("seed %d, %d: %v", seed, i, err)
		}
		theirs, err := types.SignTx(want, signer, key.ToECDSA())
		if err != nil {
			t.Fatal(err)
		}
		wantRaw, err := theirs.MarshalBinary()
		if err != nil || !bytes.Equal(raw, wantRaw) {
			t.Fatalf("seed %d, %d: signed\n%x, want\n%x (%v)", seed, i, raw, wantRaw, err)
		}
		sender, err := types.Sender(signer, theirs)
		if err != nil {
			t.Fatal(err)
		}
		if got := evm.Address(key.PubKey()); got != sender.Hex() {
			t.Fatalf("seed %d, %d: the address of the key is %s, want %s", seed, i, got, sender.Hex())
		}
		if tx, err := new(evm.Chain).Signed(unsigned, raw, sender.Hex()); err != nil || tx != theirs.Hash().Hex() {
			t.Fatalf("seed %d, %d: it is called %s (%v), want %s", seed, i, tx, err, theirs.Hash().Hex())
		}
		back, err := evm.ReadUnsigned(unsigned)
		if err != nil || !bytes.Equal(back.Unsigned(), unsigned) || back.Cap != plain.Cap || back.To != plain.To || back.Value.Cmp(plain.Value) != 0 {
			t.Fatalf("seed %d, %d: read as %+v (%v), want %+v", seed, i, back, err, plain)
		}
	}
}

// TestChangedTransactionsAreRefused changes a bit of each byte of a signed transaction: what is still one is another one.
func TestChangedTransactionsAreRefused(t *testing.T) {
	r := random{rand.New(rand.NewPCG(16, 0))}
	plain, key := r.transaction(), r.key()
	plain.Data = []byte("some data")
	unsigned := plain.Unsigned()
	raw, err := evm.Sign(unsigned, key)
	if err != nil {
		t.Fatal(err)
	}
	var chain evm.Chain
	by, other := evm.Address(key.PubKey()), r.key()
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1 << r.IntN(8)
		if _, err := chain.Signed(unsigned, changed, by); err == nil {
			t.Errorf("byte %d changed: %x passes for the signed transaction", i, changed)
		}
		if _, err := chain.Signed(unsigned, raw[:i], by); err == nil {
			t.Errorf("the first %d bytes pass", i)
		}
	}
	if _, err := chain.Signed(unsigned, append(bytes.Clone(raw), 0), by); err == nil {
		t.Error("a byte too many passes")
	}
	stranger, err := evm.Sign(unsigned, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Signed(unsigned, stranger, by); err == nil || err.Error() != evm.Address(other.PubKey())+" signed it, and not "+by {
		t.Errorf("a stranger's signature: %v", err)
	}
}

// TestHighSignaturesAreRefused: with -s in place of s the key would be the same and the name another one.
func TestHighSignaturesAreRefused(t *testing.T) {
	r := random{rand.New(rand.NewPCG(17, 0))}
	plain, key := r.transaction(), r.key()
	plain.Chain = 5
	signer := types.LatestSignerForChainID(big.NewInt(5))
	theirs, err := types.SignTx(oracle(plain), signer, key.ToECDSA())
	if err != nil {
		t.Fatal(err)
	}
	v, rr, s := theirs.RawSignatureValues()
	signature := make([]byte, 65)
	rr.FillBytes(signature[:32])
	new(big.Int).Sub(btcec.S256().N, s).FillBytes(signature[32:64])
	signature[64] = byte(1 - v.Uint64())
	high, err := theirs.WithSignature(signer, signature)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := high.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if sender, err := evm.Sender(raw); err == nil {
		t.Errorf("a signature with the larger s is one of %s", sender)
	}
}

func TestOtherTransactionsAreNotRead(t *testing.T) {
	to, list := common.Address{1}, types.AccessList{{Address: common.Address{2}}}
	one := big.NewInt(1)
	for name, tx := range map[string]types.TxData{
		"legacy":             &types.LegacyTx{To: &to, Value: one, GasPrice: one},
		"with a list":        &types.DynamicFeeTx{ChainID: one, To: &to, Value: one, GasTipCap: one, GasFeeCap: one, AccessList: list},
		"makes a contract":   &types.DynamicFeeTx{ChainID: one, Value: one, GasTipCap: one, GasFeeCap: one},
		"with a list, old":   &types.AccessListTx{ChainID: one, To: &to, Value: one, GasPrice: one},
		"tips beyond uint64": &types.DynamicFeeTx{ChainID: one, To: &to, Value: one, GasTipCap: new(big.Int).Lsh(one, 64), GasFeeCap: one},
	} {
		key := random{rand.New(rand.NewPCG(18, 0))}.key()
		signed, err := types.SignNewTx(key.ToECDSA(), types.LatestSignerForChainID(one), tx)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := signed.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if sender, err := evm.Sender(raw); err == nil {
			t.Errorf("%s: read as one of %s", name, sender)
		}
	}
	if _, err := evm.Sign([]byte{2, 0xc0}, random{rand.New(rand.NewPCG(18, 0))}.key()); err == nil {
		t.Error("an empty list was signed")
	}
}

func FuzzTransaction(f *testing.F) {
	r := random{rand.New(rand.NewPCG(19, 0))}
	for range 10 {
		unsigned := r.transaction().Unsigned()
		raw, err := evm.Sign(unsigned, r.key())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(unsigned)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if plain, err := evm.ReadUnsigned(text); err == nil && !bytes.Equal(plain.Unsigned(), text) {
			t.Errorf("%x was read, and is written as %x", text, plain.Unsigned())
		}
		if _, err := evm.Sender(text); err == nil {
			var theirs types.Transaction
			if err := theirs.UnmarshalBinary(text); err != nil {
				t.Errorf("%s was read, but not by go-ethereum: %v", hex.EncodeToString(text), err)
			}
		}
	})
}

func BenchmarkSign(b *testing.B) {
	r := random{rand.New(rand.NewPCG(20, 0))}
	plain := r.transaction()
	plain.Data = make([]byte, 68)
	unsigned, key := plain.Unsigned(), r.key()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := evm.Sign(unsigned, key); err != nil {
			b.Fatal(err)
		}
	}
}
