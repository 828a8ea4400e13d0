package bitcoin

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// sameAsLibrary reads a block with the library, too: both must take it or both refuse it, and find the same in it.
func sameAsLibrary(t testing.TB, raw []byte) (*block, bool) {
	t.Helper()
	b, err := parse(raw)
	var want wire.MsgBlock
	rest := bytes.NewBuffer(raw)
	_, refused := want.DeserializeTxLoc(rest)
	takes := refused == nil && rest.Len() == 0 && len(want.Transactions) > 0 && len(raw) <= wire.MaxBlockPayload
	if takes != (err == nil) {
		t.Fatalf("a block of %d bytes: %v; of the library: %v, with %d bytes and %d transactions", len(raw), err, refused, rest.Len(), len(want.Transactions))
	}
	if err != nil {
		return nil, false
	}
	if b.header != want.Header || len(b.txs) != len(want.Transactions) || len(b.ids) != len(b.txs) {
		t.Fatalf("%+v with %d transactions and %d ids, want %+v with %d", b.header, len(b.txs), len(b.ids), want.Header, len(want.Transactions))
	}
	witness := slices.ContainsFunc(want.Transactions, (*wire.MsgTx).HasWitness)
	if witness != (b.full != nil) {
		t.Fatalf("%d hashes with witnesses; it has some: %v", len(b.full), witness)
	}
	for i, tx := range want.Transactions {
		sameTransaction(t, b, i, tx)
	}
	return b, true
}

func sameTransaction(t testing.TB, b *block, i int, tx *wire.MsgTx) {
	t.Helper()
	if want := tx.TxHash(); b.ids[i] != want {
		t.Fatalf("transaction %d is %v, want %v", i, b.ids[i], want)
	}
	if b.full != nil {
		want := tx.WitnessHash()
		if i == 0 {
			want = chainhash.Hash{}
		}
		if b.full[i] != want {
			t.Fatalf("transaction %d with its witness is %v, want %v", i, b.full[i], want)
		}
	}
	var raw bytes.Buffer
	if err := tx.Serialize(&raw); err != nil || !bytes.Equal(b.bytes(&b.txs[i]), raw.Bytes()) {
		t.Fatalf("transaction %d: %v\n%x, want\n%x", i, err, b.bytes(&b.txs[i]), raw.Bytes())
	}
	in, out := b.inputsOf(i), b.outputsOf(i)
	if len(in) != len(tx.TxIn) || len(out) != len(tx.TxOut) {
		t.Fatalf("transaction %d has %d inputs and %d outputs, want %d and %d", i, len(in), len(out), len(tx.TxIn), len(tx.TxOut))
	}
	for n := range in {
		if want := appendKey(nil, &tx.TxIn[n].PreviousOutPoint); !bytes.Equal(b.coin(in[n]), want) {
			t.Fatalf("transaction %d spends %x, want %x", i, b.coin(in[n]), want)
		}
	}
	for n := range out {
		script := b.script(&out[n])
		if out[n].value != tx.TxOut[n].Value || !bytes.Equal(script, tx.TxOut[n].PkScript) {
			t.Fatalf("transaction %d pays %d to %x, want %d to %x", i, out[n].value, script, tx.TxOut[n].Value, tx.TxOut[n].PkScript)
		}
	}
	none := len(in) == 1 && tx.TxIn[0].PreviousOutPoint == wire.OutPoint{Index: wire.MaxPrevOutIndex}
	if b.coinbase(i) != none {
		t.Fatalf("transaction %d is a coinbase: %v, want %v", i, !none, none)
	}
}

// manyKinds are transactions with few and with many parts, with witnesses and without.
func manyKinds() (list []*wire.MsgTx) {
	for i, parts := range []int{1, 2, 3, 252, 253, 254, 300} {
		tx := wire.NewMsgTx(2)
		for n := range parts {
			in := wire.NewTxIn(&wire.OutPoint{Hash: chainhash.Hash{byte(n + 1)}, Index: uint32(n)}, bytes.Repeat([]byte{1}, n), nil)
			if i%2 == 0 && n%3 == 0 {
				in.Witness = wire.TxWitness{make([]byte, n), {}, make([]byte, 300-n)}
			}
			tx.AddTxIn(in)
			tx.AddTxOut(wire.NewTxOut(int64(n)<<40-1, bytes.Repeat([]byte{2}, 300-n)))
		}
		list = append(list, tx)
	}
	large := wire.NewMsgTx(1)
	large.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: wire.MaxPrevOutIndex}, bytes.Repeat([]byte{1}, 1<<16), nil))
	return append(list, large)
}

func TestBlocksAreReadAsTheLibraryReadsThem(t *testing.T) {
	real, _ := testnetBlock(t)
	for _, raw := range [][]byte{real, blockOf(t), blockOf(t, manyKinds()...)} {
		if _, taken := sameAsLibrary(t, raw); !taken {
			t.Fatal("a block is refused")
		}
	}
}

// TestBlocksThatEndOrChangeAnywhere cuts a block off at every byte, and changes every byte.
func TestBlocksThatEndOrChangeAnywhere(t *testing.T) {
	real, _ := testnetBlock(t)
	for _, raw := range [][]byte{real, blockOf(t, manyKinds()[:3]...)} {
		for at := range raw {
			if _, taken := sameAsLibrary(t, raw[:at]); taken {
				t.Fatalf("a block is taken that ends at byte %d of %d", at, len(raw))
			}
			for _, value := range []byte{0, 1, 0xfd, 0xfe, 0xff, raw[at] + 1} {
				changed := slices.Clone(raw)
				changed[at] = value
				sameAsLibrary(t, changed)
			}
		}
	}
}

// TestBlocksThatNobodyWrites says what is wrong with a block.
func TestBlocksThatNobodyWrites(t *testing.T) {
	header := make([]byte, wire.MaxBlockHeaderPayload)
	version, coin := []byte{2, 0, 0, 0}, make([]byte, keyBytes)
	input := append(slices.Clone(coin), 0, 0, 0, 0, 0) // without a script
	for name, tt := range map[string]struct {
		parts [][]byte
		want  string
	}{
		"a short header":               {[][]byte{header[1:]}, "EOF"},
		"no count":                     {[][]byte{header}, "EOF"},
		"more transactions than bytes": {[][]byte{header, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}, "EOF"},
		"a count in three bytes":       {[][]byte{header, {0xfd, 0xfc, 0}}, "252 is written with more bytes than it needs"},
		"a count in five bytes":        {[][]byte{header, {0xfe, 0xff, 0xff, 0, 0}}, "65535 is written with more bytes"},
		"a count in nine bytes":        {[][]byte{header, {0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}}, "4294967295 is written with more bytes"},
		"more inputs than bytes":       {[][]byte{header, {1}, version, {0xfe, 0xff, 0xff, 0xff, 0xff}}, "EOF"},
		"a script beyond the end":      {[][]byte{header, {1}, version, {1}, coin, {0xff, 0, 0, 0, 0, 0, 0, 0, 0x80}}, "EOF"},
		"another kind of marker":       {[][]byte{header, {1}, version, {0, 2}}, "neither inputs nor witnesses, but a 2"},
		"a marker without witnesses":   {[][]byte{header, {1}, version, {0, 1, 1}, input, {0, 0}, make([]byte, lockTimeBytes)}, "says that it has witnesses, and has none"},
		"a marker without inputs":      {[][]byte{header, {1}, version, {0, 1, 0, 0}, make([]byte, lockTimeBytes)}, "says that it has witnesses, and has none"},
		"no lock time":                 {[][]byte{header, {1}, version, {1}, input, {0}}, "EOF"},
		"too many bytes":               {[][]byte{make([]byte, wire.MaxBlockPayload+1)}, "a block has at most 4000000"},
	} {
		raw := bytes.Join(tt.parts, nil)
		if _, err := parse(raw); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		sameAsLibrary(t, raw)
	}
}

// TestABlockThatLiesAboutItsLengthCostsLittle: a count is no reason to make room.
func TestABlockThatLiesAboutItsLengthCostsLittle(t *testing.T) {
	raw := append(make([]byte, wire.MaxBlockHeaderPayload), 1, 2, 0, 0, 0, 0xfe)
	raw = binary.LittleEndian.AppendUint32(raw, 800_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parse(raw)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("it is taken")
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 64<<10 {
		t.Errorf("%d bytes for a block of %d", made, len(raw))
	}
}
