package bitcoin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"

	"bourse/internal/network/bitcoin/doublehash"
	"bourse/internal/network/driver"
)

// Block reads a block and finds what is ours in it.
func (c *Chain) Block(ctx context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	raw, err := c.raw(ctx, at)
	if err != nil {
		return nil, err
	}
	return c.Scan(at, raw, ours)
}

// raw is a block as the node gives it.
func (c *Chain) raw(ctx context.Context, at driver.Point) ([]byte, error) {
	var text string
	if err := c.call(ctx, &text, "getblock", hex.EncodeToString(at.Hash[:]), 0); err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("block %x: %w", at.Hash, err)
	}
	return raw, nil
}

// Scan finds what is ours in a block that a node gave, once that is held against its hash.
func (c *Chain) Scan(at driver.Point, raw []byte, ours driver.Lookup) (*driver.Block, error) {
	b, err := c.checked(at, raw)
	if err != nil {
		return nil, err
	}
	return c.find(at, b, ours), nil
}

// checked is a block that a node gave, once it is held against its hash.
func (c *Chain) checked(at driver.Point, raw []byte) (*block, error) {
	b, err := parse(raw)
	if err == nil {
		err = b.check(at, c.params)
	}
	if err != nil {
		return nil, fmt.Errorf("block %d %x: %w", at.Height, at.Hash, err)
	}
	return b, nil
}

// check holds a block against its hash, the work in that, and its transactions against its header.
func (b *block) check(at driver.Point, params *chaincfg.Params) error {
	hash := b.header.BlockHash()
	if got := digest(hash); got != at.Hash {
		return fmt.Errorf("the node gave block %x", got)
	}
	if err := checkWork(at, b.header.Bits, params.PowLimit); err != nil {
		return err
	}
	for i := range b.txs {
		if b.coinbase(i) != (i == 0) {
			return errors.New("a coinbase must be the first transaction, and only that")
		}
	}
	root, ok := merkle(b.ids)
	if !ok || root != b.header.MerkleRoot {
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

// merkle is the root of a tree over hashes. A level of odd length repeats its last one; so two lists can have one root, and that which
// repeats itself is false (CVE-2012-2459).
func merkle(leaves []chainhash.Hash) (root chainhash.Hash, ok bool) {
	level := slices.Clone(leaves)
	pairs := make([]byte, 0, chainhash.HashSize*(len(leaves)+1))
	messages := make([][]byte, 0, len(leaves)/2+1)
	for len(level) > 1 {
		for i := 1; i < len(level); i += 2 {
			if level[i-1] == level[i] {
				return root, false
			}
		}
		pairs, messages = pairs[:0], messages[:0]
		for i := 0; i < len(level); i += 2 {
			pairs = append(pairs, level[i][:]...)
			pairs = append(pairs, level[min(i+1, len(level)-1)][:]...)
			messages = append(messages, pairs[len(pairs)-2*chainhash.HashSize:])
		}
		level = level[:len(messages)]
		doublehash.Sum(level, messages)
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
	if !bytes.HasPrefix(b.first.TxIn[0].SignatureScript, want) {
		return fmt.Errorf("it does not stand at height %d", height)
	}
	return nil
}

var commitment = []byte{txscript.OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed}

// checkWitnesses holds the witnesses against what the coinbase says of them (BIP 141), if the block has any.
func (b *block) checkWitnesses() error {
	if b.full == nil {
		return nil
	}
	first := &b.first
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
