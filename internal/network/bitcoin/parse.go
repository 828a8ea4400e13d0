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

// block is a block, and where its parts stand in the bytes that the node gave. The library would make every transaction, input and output
// an object of its own, which takes longer than looking them up.
type block struct {
	raw     []byte
	header  wire.BlockHeader
	first   wire.MsgTx // the coinbase, if it is one
	txs     []transaction
	inputs  []uint32 // of all transactions: where the coin stands that is spent
	outputs []output
	ids     []chainhash.Hash // of the transactions
	full    []chainhash.Hash // the same with their witnesses, 0 for the first; nil if none has a witness
}

type transaction struct {
	begin, end      uint32
	witness         uint32 // where the witnesses begin, which end before the lock time; 0: it has none
	inputs, outputs uint32 // where its own end among those of the block
}

type output struct {
	value      int64
	begin, end uint32 // of the script
}

func (b *block) bytes(tx *transaction) []byte { return b.raw[tx.begin:tx.end] }

// coin that an input spends, as driver.Lookup wants it.
func (b *block) coin(input uint32) []byte { return b.raw[input : input+keyBytes] }

func (b *block) script(out *output) []byte { return b.raw[out.begin:out.end] }

func (b *block) inputsOf(i int) []uint32 {
	begin := uint32(0)
	if i > 0 {
		begin = b.txs[i-1].inputs
	}
	return b.inputs[begin:b.txs[i].inputs]
}

func (b *block) outputsOf(i int) []output {
	begin := uint32(0)
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
	b := &block{raw: raw}
	if err := b.header.Deserialize(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	parts := len(raw) / usualBytes
	b.txs, b.inputs, b.outputs = make([]transaction, 0, parts), make([]uint32, 0, parts), make([]output, 0, parts)
	r := &reader{raw: raw, at: wire.MaxBlockHeaderPayload}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		r.transaction(b)
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(b.txs) == 0:
		return nil, errors.New("it has no transactions")
	case int(r.at) < len(raw):
		return nil, fmt.Errorf("there are %d bytes behind it", len(raw)-int(r.at))
	}
	if err := b.first.Deserialize(bytes.NewReader(b.bytes(&b.txs[0]))); err != nil {
		return nil, err
	}
	b.hash()
	return b, nil
}

// hash hashes the transactions as they stand there; those with a witness also without it, which is what they are called by.
func (b *block) hash() {
	messages := make([][]byte, len(b.txs), 2*len(b.txs))
	stripped := make([]byte, 0, len(b.raw))
	for i := range b.txs {
		tx := &b.txs[i]
		messages[i] = b.bytes(tx)
		if tx.witness == 0 {
			continue
		}
		messages = append(messages, messages[i])
		begin := len(stripped)
		stripped = append(stripped, b.raw[tx.begin:tx.begin+versionBytes]...)
		stripped = append(stripped, b.raw[tx.begin+versionBytes+markerBytes:tx.witness]...)
		stripped = append(stripped, b.raw[tx.end-lockTimeBytes:tx.end]...)
		messages[i] = stripped[begin:]
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

	// usualBytes of a block have one transaction, input or output of each at most; where they have more, room is made.
	usualBytes = 100
)

// reader takes a block apart. After its first error there is nothing left to read.
type reader struct {
	raw []byte
	at  uint32
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.at = uint32(len(r.raw))
}

// transaction reads one, as all nodes write it: with witnesses if it has some, and without the marker of them if not.
func (r *reader) transaction(b *block) {
	tx := transaction{begin: r.skip(versionBytes)}
	inputs := r.count()
	marked := inputs == 0
	if marked {
		if kind := r.number(1); kind != uint64(wire.WitnessFlag) {
			r.fail(fmt.Errorf("a transaction has neither inputs nor witnesses, but a %d", kind))
		}
		inputs = r.count()
	}
	for n := inputs; n > 0 && r.err == nil; n-- {
		b.inputs = append(b.inputs, r.skip(keyBytes))
		r.skip(r.count()) // the script
		r.skip(sequenceBytes)
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		out := output{value: int64(r.number(valueBytes))}
		out.begin = r.skip(r.count())
		out.end = r.at
		b.outputs = append(b.outputs, out)
	}
	if marked {
		tx.witness = r.at
		r.witnesses(inputs)
	}
	r.skip(lockTimeBytes)
	tx.end, tx.inputs, tx.outputs = r.at, uint32(len(b.inputs)), uint32(len(b.outputs))
	b.txs = append(b.txs, tx)
}

// witnesses of as many inputs: lists of items. One must have some, or there are two ways to write one transaction.
func (r *reader) witnesses(inputs uint64) {
	some := false
	for ; inputs > 0 && r.err == nil; inputs-- {
		for items := r.count(); items > 0 && r.err == nil; items-- {
			r.skip(r.count())
			some = true
		}
	}
	if !some {
		r.fail(errors.New("a transaction says that it has witnesses, and has none"))
	}
}

// skip goes on by so many bytes, and says where they begin.
func (r *reader) skip(n uint64) (begin uint32) {
	begin = r.at
	if n > uint64(len(r.raw))-uint64(r.at) {
		r.fail(io.ErrUnexpectedEOF)
		return begin
	}
	r.at += uint32(n)
	return begin
}

// number reads one of so many bytes, the least first; 0 if they are not there.
func (r *reader) number(size uint64) (n uint64) {
	begin := r.skip(size)
	if r.err != nil {
		return 0
	}
	for i, digit := range r.raw[begin:r.at] {
		n |= uint64(digit) << (8 * i)
	}
	return n
}

// count reads a number of as few bytes as it needs: one, or one that says how many follow.
func (r *reader) count() uint64 {
	first := r.number(1)
	n, least := first, uint64(0)
	switch first {
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
	return len(in) == 1 && bytes.Equal(b.coin(in[0]), spendsNothing)
}
