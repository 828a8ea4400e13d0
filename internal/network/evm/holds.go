package evm

import (
	"context"
	"fmt"
	"math/big"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
)

// States of the chain that a node can be asked about. Pending is the one with what waits for a block taken as mined; not every node
// keeps one.
const (
	latest  = "latest"
	pending = "pending"
)

// atHash is the state of the block with a hash, as long as that is on the node's chain (EIP-1898).
func atHash(hash digest) any {
	return map[string]any{"blockHash": hash.String(), "requireCanonical": true}
}

// decimals of the chain's own asset.
const decimals = 18

var (
	transferCall  = keccak([]byte("transfer(address,uint256)"))[:4]
	balanceOfCall = keccak([]byte("balanceOf(address)"))[:4]
)

// word is an address as an argument of a contract.
func word(a account) []byte { return append(make([]byte, 12, 32), a[:]...) }

// balance asks what an address has, of a token or of the chain's own asset. A balance of a token is a word of 32 bytes, which reads
// as a number; a contract that is none gives nothing, which does not.
func balance(of account, contract *account, state any, result *quantity) *call {
	if contract == nil {
		return ask("eth_getBalance", result, written(of), state)
	}
	question := map[string]string{"to": written(*contract), "data": hexBytes(append(balanceOfCall[:4:4], word(of)...))}
	return ask("eth_call", result, question, state)
}

// Holds implements driver.Chain.
func (c *Chain) Holds(ctx context.Context, at driver.Point, h driver.Holding) (fixed.Decimal, error) {
	of, err := parsed(h.Address)
	if err != nil {
		return fixed.Decimal{}, err
	}
	contract, places, err := asset(h.Contract, h.Decimals)
	if err != nil {
		return fixed.Decimal{}, err
	}
	var has quantity
	if at == (driver.Point{}) {
		_, err = c.now(ctx, []string{pending, latest}, func(state string) []*call { return []*call{balance(of, contract, state, &has)} })
	} else {
		err = c.then(ctx, at, balance(of, contract, atHash(digest(at.Hash)), &has))
	}
	if err != nil {
		return fixed.Decimal{}, fmt.Errorf("balance of %s: %w", h.Address, err)
	}
	units, err := has.units()
	if err != nil {
		return fixed.Decimal{}, fmt.Errorf("balance of %s: %w", h.Address, err)
	}
	amount, ok := driver.Amount(units, places)
	if !ok {
		return fixed.Decimal{}, fmt.Errorf("balance of %s: %s units with %d decimals are more than can be counted", h.Address, units, places)
	}
	return amount, nil
}

// asset is a token by its contract, or the chain's own asset, and how many decimals it has.
func asset(contract string, places uint8) (*account, uint8, error) {
	if contract == "" {
		return nil, decimals, nil
	}
	a, err := parsed(contract)
	token := account(a)
	return &token, places, err
}

// then asks a question about the state of a block, and whether the block is still on the node's chain: not every node refuses to
// answer if it is not, and those that do say so in their own words.
func (c *Chain) then(ctx context.Context, at driver.Point, q *call) error {
	var h header
	stands := ask(byNumber, &h, hexUint(at.Height), false)
	if err := c.node.many(ctx, []*call{q, stands}); err != nil {
		return err
	}
	if stands.absent || (stands.fault == nil && h.Hash != digest(at.Hash)) {
		return driver.ErrMoved
	}
	if err := stands.err(); err != nil {
		return err
	}
	return q.err()
}

// now asks questions about a state, and about the next one if the node does not have that. It says which one it was.
func (c *Chain) now(ctx context.Context, states []string, questions func(state string) []*call) (state string, err error) {
	for _, state = range states {
		list := questions(state)
		if err = c.node.many(ctx, list); err != nil {
			return "", err
		}
		if err = failure(list); err == nil {
			return state, nil
		}
	}
	return "", err
}

// failure is the first of questions that have no answer.
func failure(list []*call) error {
	for _, q := range list {
		if err := q.err(); err != nil {
			return err
		}
	}
	return nil
}

// Nonce implements driver.Chain.
func (c *Chain) Nonce(ctx context.Context, address string) (uint64, error) {
	of, err := parsed(address)
	if err != nil {
		return 0, err
	}
	var count quantity
	q := ask("eth_getTransactionCount", &count, written(of), pending)
	if err := c.node.one(ctx, q); err != nil {
		return 0, err
	}
	nonce, err := count.uint()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", q.method, err)
	}
	return nonce, nil
}

// transferData is the call of a token that pays somebody.
func transferData(to account, units *big.Int) []byte {
	data := append(transferCall[:4:4], word(to)...)
	return append(data, units.FillBytes(make([]byte, 32))...)
}
