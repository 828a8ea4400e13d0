// Package evm is the driver of Ethereum-like chains: what a node shows of the chain's own asset and of tokens (ERC-20), and the
// transactions that pay them. It speaks JSON-RPC over HTTP and writes transactions itself; go-ethereum is what its tests hold it against.
//
// What contracts pay inside a transaction has no log and is not seen. Tokens are seen by the logs of contracts that are listed, and by
// those alone: anybody can make a contract that says that it paid.
package evm

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Chain is a chain as a node shows it. It keeps nothing.
type Chain struct {
	chain schema.Chain
	node  *client
}

var _ driver.Chain = (*Chain)(nil)

// Dial makes the driver of a chain with a node at an address. It asks nothing; Check does.
func Dial(url string, chain schema.Chain) (*Chain, error) {
	if chain.Family != schema.EVM {
		return nil, fmt.Errorf("the chain %s is not an Ethereum-like one", chain.Name)
	}
	node, err := newClient(url)
	if err != nil {
		return nil, err
	}
	return &Chain{chain: chain, node: node}, nil
}

// Check implements driver.Chain.
func (c *Chain) Check(ctx context.Context) error {
	var id quantity
	if err := c.node.one(ctx, ask("eth_chainId", &id)); err != nil {
		return err
	}
	number, err := id.uint()
	if err != nil {
		return fmt.Errorf("eth_chainId: %w", err)
	}
	if number != c.chain.Number {
		return fmt.Errorf("the node is one of chain %d, and %s is %d", number, c.chain.Name, c.chain.Number)
	}
	return nil
}

// header is what a block says about itself.
type header struct {
	Number  quantity `json:"number"`
	Hash    digest   `json:"hash"`
	Parent  digest   `json:"parentHash"`
	BaseFee quantity `json:"baseFeePerGas"`
}

func (h *header) point() (driver.Point, error) {
	height, err := h.Number.uint()
	if err != nil {
		return driver.Point{}, fmt.Errorf("the number of a block: %w", err)
	}
	return driver.Point{Height: height, Hash: schema.Digest(h.Hash)}, nil
}

const byNumber = "eth_getBlockByNumber"

// Tip implements driver.Chain.
func (c *Chain) Tip(ctx context.Context) (driver.Point, error) {
	var h header
	if err := c.node.one(ctx, ask(byNumber, &h, latest, false)); err != nil {
		return driver.Point{}, err
	}
	return h.point()
}

// At implements driver.Chain.
func (c *Chain) At(ctx context.Context, height uint64) (driver.Point, bool, error) {
	var h header
	q := ask(byNumber, &h, hexUint(height), false)
	if err := c.node.single(ctx, q); err != nil || q.absent {
		return driver.Point{}, false, err
	}
	if err := q.err(); err != nil {
		return driver.Point{}, false, err
	}
	p, err := h.point()
	if err == nil && p.Height != height {
		err = fmt.Errorf("%s: asked for block %d, the node gave %d", byNumber, height, p.Height)
	}
	return p, err == nil, err
}

// Key implements driver.Chain: the 20 bytes of the address.
func (*Chain) Key(address string) ([]byte, error) {
	a, err := parsed(address)
	if err != nil {
		return nil, err
	}
	return a[:], nil
}

// FeeRate implements driver.Chain: twice what a block burns for gas now, which is then enough for five full blocks in a row, and the
// tip that the node proposes.
func (c *Chain) FeeRate(ctx context.Context) (uint64, error) {
	var h header
	var proposed quantity
	block, tip := ask(byNumber, &h, latest, false), askTip(&proposed)
	if err := c.node.many(ctx, []*call{block, tip}); err != nil {
		return 0, err
	}
	if err := block.err(); err != nil {
		return 0, err
	}
	burned, err := h.BaseFee.uint()
	if err != nil {
		return 0, fmt.Errorf("%s: the base fee: %w", byNumber, err)
	}
	priority, err := tipOf(tip, proposed)
	if err != nil {
		return 0, err
	}
	hi, twice := bits.Mul64(burned, 2)
	rate, carry := bits.Add64(twice, priority, 0)
	if hi+carry > 0 {
		return 0, errors.New("gas costs more than can be counted")
	}
	return rate, nil
}

// tipDefault is proposed where the node proposes nothing: a gwei.
const tipDefault = 1_000_000_000

func askTip(proposed *quantity) *call { return ask("eth_maxPriorityFeePerGas", proposed) }

// tipOf is the tip that a node proposed.
func tipOf(tip *call, proposed quantity) (uint64, error) {
	if tip.fault != nil && tip.fault.Code == codeNoMethod {
		return tipDefault, nil
	}
	if err := tip.err(); err != nil {
		return 0, err
	}
	n, err := proposed.uint()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", tip.method, err)
	}
	return n, nil
}
