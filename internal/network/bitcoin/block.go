package bitcoin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/driver"
)

// Block reads a block and finds what is ours in it.
func (c *Chain) Block(ctx context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	var text string
	if err := c.call(ctx, &text, "getblock", hex.EncodeToString(at.Hash[:]), 0); err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("block %x: %w", at.Hash, err)
	}
	b, err := parse(raw)
	if err == nil {
		err = b.check(at, c.params)
	}
	if err != nil {
		return nil, fmt.Errorf("block %d %x: %w", at.Height, at.Hash, err)
	}
	return c.scan(at, b, ours), nil
}

// block is a block and the hashes of its transactions.
type block struct {
	wire.MsgBlock
	ids     []chainhash.Hash // of the transactions
	full    []chainhash.Hash // the same with their witnesses; 0 for the first
	witness bool             // one has a witness
}

// parse reads a block, and nothing behind it. Transactions are hashed as they stand there: the library would write each again.
func parse(raw []byte) (*block, error) {
	b := &block{}
	places, err := b.DeserializeTxLoc(bytes.NewBuffer(raw))
	if err != nil {
		return nil, err
	}
	end := 0
	b.ids, b.full = make([]chainhash.Hash, len(places)), make([]chainhash.Hash, len(places))
	for i, place := range places {
		end = place.TxStart + place.TxLen
		tx := raw[place.TxStart:end]
		b.ids[i] = chainhash.DoubleHashH(tx)
		b.full[i] = b.ids[i]
		if tx[4] != 0 { // no marker of a witness
			continue
		}
		b.witness = true
		b.ids[i] = stripped(tx, b.Transactions[i].SerializeSizeStripped())
	}
	switch {
	case len(places) == 0:
		return nil, errors.New("it has no transactions")
	case end != len(raw):
		return nil, fmt.Errorf("there are %d bytes behind it", len(raw)-end)
	}
	b.full[0] = chainhash.Hash{}
	return b, nil
}

// stripped is the id of a transaction with a witness: the hash of all but the two bytes behind the version that announce witnesses, and
// the witnesses themselves, which are between the outputs and the last four bytes.
func stripped(tx []byte, size int) chainhash.Hash {
	h := sha256.New()
	h.Write(tx[:4])
	h.Write(tx[6 : 6+size-8])
	h.Write(tx[len(tx)-4:])
	var first chainhash.Hash
	h.Sum(first[:0])
	return chainhash.HashH(first[:])
}

// check holds a block against its hash, the work in that, and its transactions against its header.
func (b *block) check(at driver.Point, params *chaincfg.Params) error {
	hash := b.BlockHash()
	if got := digest(hash); got != at.Hash {
		return fmt.Errorf("the node gave block %x", got)
	}
	if err := checkWork(at, b.Header.Bits, params.PowLimit); err != nil {
		return err
	}
	for i, tx := range b.Transactions {
		if coinbase(tx) != (i == 0) {
			return errors.New("a coinbase must be the first transaction, and only that")
		}
	}
	root, ok := merkle(b.ids)
	if !ok || root != b.Header.MerkleRoot {
		return errors.New("the transactions are not those of its header")
	}
	if err := b.checkHeight(at.Height, params); err != nil {
		return err
	}
	return b.checkWitnesses()
}

func checkWork(at driver.Point, bits uint32, limit *big.Int) error {
	target := compact(bits)
	if target.Sign() <= 0 || target.Cmp(limit) > 0 {
		return fmt.Errorf("its target %08x is beyond the limit of the net", bits)
	}
	if new(big.Int).SetBytes(at.Hash[:]).Cmp(target) > 0 {
		return fmt.Errorf("its work is less than its target %08x asks for", bits)
	}
	return nil
}

// compact is the number that headers write in four bytes: an exponent of 256, a sign, and 23 bits.
func compact(bits uint32) *big.Int {
	n, exponent := big.NewInt(int64(bits&0x7fffff)), int(bits>>24)
	if exponent <= 3 {
		n.Rsh(n, uint(8*(3-exponent)))
	} else {
		n.Lsh(n, uint(8*(exponent-3)))
	}
	if bits&0x800000 != 0 {
		n.Neg(n)
	}
	return n
}

func coinbase(tx *wire.MsgTx) bool {
	return len(tx.TxIn) == 1 && tx.TxIn[0].PreviousOutPoint == wire.OutPoint{Index: wire.MaxPrevOutIndex}
}

// merkle is the root of a tree over hashes. A level of odd length repeats its last one; so two lists can have one root, and that which
// repeats itself is false (CVE-2012-2459).
func merkle(leaves []chainhash.Hash) (root chainhash.Hash, ok bool) {
	level := append([]chainhash.Hash(nil), leaves...)
	var pair [2 * chainhash.HashSize]byte
	for len(level) > 1 {
		n := 0
		for i := 0; i < len(level); i += 2 {
			left, right := level[i], level[min(i+1, len(level)-1)]
			if i+1 < len(level) && left == right {
				return root, false
			}
			copy(pair[:], left[:])
			copy(pair[chainhash.HashSize:], right[:])
			level[n] = chainhash.DoubleHashH(pair[:])
			n++
		}
		level = level[:n]
	}
	return level[0], true
}

// checkHeight: since BIP 34 a coinbase begins with the height of its block.
func (b *block) checkHeight(height uint64, params *chaincfg.Params) error {
	if height == 0 || height < uint64(params.BIP0034Height) {
		return nil
	}
	want, err := txscript.NewScriptBuilder().AddInt64(int64(height)).Script()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(b.Transactions[0].TxIn[0].SignatureScript, want) {
		return fmt.Errorf("it does not stand at height %d", height)
	}
	return nil
}

var commitment = []byte{txscript.OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed}

// checkWitnesses holds the witnesses against what the coinbase says of them (BIP 141), if the block has any.
func (b *block) checkWitnesses() error {
	if !b.witness {
		return nil
	}
	first := b.Transactions[0]
	var committed []byte
	for _, out := range first.TxOut { // the last one counts
		if len(out.PkScript) >= len(commitment)+sha256.Size && bytes.HasPrefix(out.PkScript, commitment) {
			committed = out.PkScript[len(commitment) : len(commitment)+sha256.Size]
		}
	}
	reserved := first.TxIn[0].Witness
	if committed == nil || len(reserved) != 1 || len(reserved[0]) != chainhash.HashSize {
		return errors.New("it has witnesses, and its coinbase says nothing of them")
	}
	root, ok := merkle(b.full)
	if sum := chainhash.DoubleHashB(append(root[:], reserved[0]...)); !ok || !bytes.Equal(sum, committed) {
		return errors.New("the witnesses are not those that its coinbase says")
	}
	return nil
}
