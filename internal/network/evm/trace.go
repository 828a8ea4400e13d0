package evm

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bourse/internal/network/driver"
)

// Contracts pay without a trace in transactions and logs: a wallet that is a contract, or a payer of many. Nodes that keep traces show it
// (trace_block), others do not: then it is a surplus that audits find.

const blockTraces = "trace_block"

// trace is a step of a transaction: a call of one account by another, or the end of a contract.
type trace struct {
	Type    string  `json:"type"`
	Tx      *digest `json:"transactionHash"` // nil: it is no step of a transaction, but the reward of a block
	Block   digest  `json:"blockHash"`
	Address []int   `json:"traceAddress"` // which call of which call; empty: the transaction itself
	Error   string  `json:"error"`
	Action  struct {
		CallType string   `json:"callType"`
		To       *account `json:"to"`
		Value    quantity `json:"value"`
		Heir     *account `json:"refundAddress"` // of what a contract had at its end
		Balance  quantity `json:"balance"`
	} `json:"action"`
}

// paid is what a step paid to whom; false if it paid nobody. What a delegated call sends along is its caller's.
func (t *trace) paid() (to account, value quantity, ok bool) {
	switch a := &t.Action; {
	case t.Type == "call" && a.CallType == "call" && a.To != nil:
		return *a.To, a.Value, !a.Value.isZero()
	case t.Type == "suicide" && a.Heir != nil:
		return *a.Heir, a.Balance, !a.Balance.isZero()
	}
	return to, "", false
}

// id names a step within its transaction.
func (t *trace) id() string {
	var b strings.Builder
	for i, n := range t.Address {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(n))
	}
	if b.Len() > longestStep {
		return hex.EncodeToString(keccak([]byte(b.String()))[:longestStep/2])
	}
	return b.String()
}

// longestStep is how long the name of a step may be: calls can be a thousand deep.
const longestStep = 32

// traces of the transactions of a block, by their hashes; nil if the node keeps none.
//
// A transaction that costs little can have steps without end: calls with long arguments cost no more than others. That must not
// keep the exchange from taking its block, so a block whose traces are too long, or take the node too long, is one without.
func (c *Chain) traces(ctx context.Context, b *block, height uint64) (map[digest][]trace, error) {
	if len(b.Transactions) == 0 {
		return nil, nil
	}
	var list []trace
	q := ask(blockTraces, &list, hexUint(height))
	err := c.read(ctx, q)
	switch {
	case q.fault != nil && (q.fault.Code == codeNoMethod || q.fault.late()), errors.Is(err, errTooLong), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	by := map[digest][]trace{}
	for _, t := range list {
		if t.Block != b.Hash { // the chain went another way between two questions
			return nil, fmt.Errorf("%s: the node gave block %s: %w", blockTraces, t.Block, driver.ErrMoved)
		}
		if t.Tx != nil {
			by[*t.Tx] = append(by[*t.Tx], t)
		}
	}
	for i := range b.Transactions {
		if len(by[b.Transactions[i].Hash]) == 0 {
			return nil, fmt.Errorf("%s: transaction %s is not there", blockTraces, b.Transactions[i].Hash)
		}
	}
	return by, nil
}

// late reports whether a node gave up because something took too long. Nodes have no code for that.
func (f *fault) late() bool {
	text := strings.ToLower(f.Message)
	return strings.Contains(text, "timeout") || strings.Contains(text, "timed out")
}

// inside are the receipts of what contracts paid to us in a transaction that did not fail. A call that failed took back all that was
// done in it, and nodes show those steps all the same: they follow it.
func inside(tx *transaction, steps []trace, ours driver.Lookup) (list []driver.Receipt, err error) {
	failed := -1 // how deep the call is that failed and whose steps follow; -1: none
	for i := range steps {
		t := &steps[i]
		if i > 0 && slices.Compare(steps[i-1].Address, t.Address) >= 0 {
			return nil, fmt.Errorf("%s: step %v comes after %v", blockTraces, t.Address, steps[i-1].Address)
		}
		depth := len(t.Address)
		if failed >= 0 && depth > failed {
			continue
		}
		failed = -1
		if t.Error != "" {
			failed = depth
			continue
		}
		to, value, pays := t.paid()
		if !pays || depth == 0 { // what the transaction itself pays is in the transaction
			continue
		}
		place, our := ours.Place(to[:])
		if !our {
			continue
		}
		units, err := value.units()
		if err != nil {
			return nil, fmt.Errorf("%s: step %v: %w", blockTraces, t.Address, err)
		}
		list = append(list, driver.Receipt{
			ID: fmt.Sprintf("%s:t%s", tx.Hash, t.id()), Tx: tx.Hash.String(), Place: place, Text: written(to), Units: units,
		})
	}
	return list, nil
}
