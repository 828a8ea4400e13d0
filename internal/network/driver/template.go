package driver

import "errors"

// ErrBlock says that a chain does not take a block, and never will.
var ErrBlock = errors.New("the chain does not take the block")

// Template is a block that lacks its work: all of it but the first transaction, which the miner makes. Hashes are in the order of
// headers, the least byte first.
type Template struct {
	Height     uint64
	Parent     [32]byte
	Version    uint32
	Bits       uint32 // the target, as headers have it
	MinTime    uint32 // the header's time is at least this
	Time       uint32
	Value      uint64 // what the first transaction may pay, in the smallest unit
	Commitment []byte // the script of its output that binds the witnesses; nil: the block has none
	Txs        []TemplateTx
}

// TemplateTx is a transaction of a block that is to be mined.
type TemplateTx struct {
	ID  [32]byte
	Raw []byte
}
