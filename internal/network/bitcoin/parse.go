package bitcoin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/bitcoin/doublehash"
)

// block is a block cut into its parts: slices of the bytes that the node gave, which are kept as long as it is. The library would make
// every transaction, input and output an object of its own, which takes longer than looking them up.
type block struct {
	header  wire.BlockHeader
	first   wire.MsgTx // the coinbase, if it is one
	txs     []transaction
	inputs  [][]byte // of all transactions: the coin that is spent, as driver.Lookup wants it
	outputs []output
	ids     []chainhash.Hash // of the transactions
	full    []chainhash.Hash // the same with their witnesses, 0 for the first; nil if none has a witness
}

type transaction struct {
	raw             []byte
	witness         int // where the witnesses begin, which end four bytes before the end; 0: it has none
	inputs, outputs int // where its own end among those of the block
}

type output struct {
	value  int64
	script []byte
}

func (b *block) inputsOf(i int) [][]byte {
	begin := 0
	if i > 0 {
		begin = b.txs[i-1].inputs
	}
	return b.inputs[begin:b.txs[i].inputs]
}

func (b *block) outputsOf(i int) []output {
	begin := 0
	if i > 0 {
		begin = b.txs[i-1].outputs
	}
	return b.outputs[begin:b.txs[i].outputs]
}

// parse reads a block, and nothing behind it. What it keeps beside the bytes is bounded by their number: no count is believed before
// what it counts is there.
func parse(raw []byte) (*block, error) {
	if len(raw) > wire.MaxBlockPayload {
		return nil, fmt.Errorf("it has %d bytes, and a block has at most %d", len(raw), wire.MaxBlockPayload)
	}
	b := &block{}
	if err := b.header.Deserialize(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	r := &reader{rest: raw[wire.MaxBlockHeaderPayload:]}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		r.transaction(b)
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(b.txs) == 0:
		return nil, errors.New("it has no transactions")
	case len(r.rest) > 0:
		return nil, fmt.Errorf("there are %d bytes behind it", len(r.rest))
	}
	if err := b.first.Deserialize(bytes.NewReader(b.txs[0].raw)); err != nil {
		return nil, err
	}
	b.hash(len(raw))
	return b, nil
}

// hash hashes the transactions as they stand there; those with a witness also without it, which is what they are called by.
func (b *block) hash(sizeBytes int) {
	messages := make([][]byte, len(b.txs), 2*len(b.txs))
	stripped := make([]byte, 0, sizeBytes)
	for i := range b.txs {
		tx := &b.txs[i]
		messages[i] = tx.raw
		if tx.witness == 0 {
			continue
		}
		begin := len(stripped)
		stripped = append(stripped, tx.raw[:versionBytes]...)
		stripped = append(stripped, tx.raw[versionBytes+markerBytes:tx.witness]...)
		stripped = append(stripped, tx.raw[len(tx.raw)-lockTimeBytes:]...)
		messages[i] = stripped[begin:]
		messages = append(messages, tx.raw)
	}
	hashes := make([]chainhash.Hash, len(messages))
	doublehash.Sum(hashes, messages)
	b.ids, hashes = hashes[:len(b.txs):len(b.txs)], hashes[len(b.txs):]
	if len(hashes) == 0 {
		return
	}
	b.full = slices.Clone(b.ids)
	for i := range b.txs {
		if b.txs[i].witness > 0 {
			b.full[i], hashes = hashes[0], hashes[1:]
		}
	}
	b.full[0] = chainhash.Hash{}
}

const (
	versionBytes  = 4
	markerBytes   = 2 // no inputs, and the kind of what follows: BIP 144
	lockTimeBytes = 4
	sequenceBytes = 4
	valueBytes    = 8
)

// reader takes a block apart. After its first error it gives nothing but zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

// transaction reads one, as all nodes write it: with witnesses if it has some, and without the marker of them if not.
func (r *reader) transaction(b *block) {
	raw := r.rest
	r.take(versionBytes)
	inputs := r.count()
	marked := inputs == 0
	if marked {
		if kind := r.take(1); r.err == nil && kind[0] != byte(wire.WitnessFlag) {
			r.fail(fmt.Errorf("a transaction has neither inputs nor witnesses, but a %d", kind[0]))
		}
		inputs = r.count()
	}
	for n := inputs; n > 0 && r.err == nil; n-- {
		b.inputs = append(b.inputs, r.take(keyBytes))
		r.take(r.count()) // the script
		r.take(sequenceBytes)
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		value := r.number(valueBytes)
		b.outputs = append(b.outputs, output{int64(value), r.take(r.count())})
	}
	witness := 0
	if marked {
		witness = len(raw) - len(r.rest)
		r.witnesses(inputs)
	}
	r.take(lockTimeBytes)
	raw = raw[:len(raw)-len(r.rest)]
	b.txs = append(b.txs, transaction{raw: raw, witness: witness, inputs: len(b.inputs), outputs: len(b.outputs)})
}

// witnesses of as many inputs: lists of items. One must have some, or there are two ways to write one transaction.
func (r *reader) witnesses(inputs uint64) {
	some := false
	for ; inputs > 0 && r.err == nil; inputs-- {
		for items := r.count(); items > 0 && r.err == nil; items-- {
			r.take(r.count())
			some = true
		}
	}
	if !some {
		r.fail(errors.New("a transaction says that it has witnesses, and has none"))
	}
}

// take gives the next bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail(io.ErrUnexpectedEOF)
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// number reads one of up to eight bytes, the least first.
func (r *reader) number(size uint64) (n uint64) {
	for i, digit := range r.take(size) {
		n |= uint64(digit) << (8 * i)
	}
	return n
}

// count reads a number of as few bytes as it needs: one, or one that says how many follow.
func (r *reader) count() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0xfd {
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	var n, least uint64
	switch r.number(1) {
	case 0xfd:
		n, least = r.number(2), 0xfd
	case 0xfe:
		n, least = r.number(4), 1<<16
	case 0xff:
		n, least = r.number(8), 1<<32
	}
	if n < least {
		r.fail(fmt.Errorf("%d is written with more bytes than it needs", n))
		return 0
	}
	return n
}

// spendsNothing is the coin that a coinbase names.
var spendsNothing = binary.LittleEndian.AppendUint32(make([]byte, chainhash.HashSize, keyBytes), wire.MaxPrevOutIndex)

func (b *block) coinbase(i int) bool {
	in := b.inputsOf(i)
	return len(in) == 1 && bytes.Equal(in[0], spendsNothing)
}
