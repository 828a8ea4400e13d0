package evm

import (
	"context"
	"fmt"
	"strings"

	"bourse/internal/network/driver"
)

// What nodes say about a transaction that they do not take, in small letters: geth, anvil, erigon and nethermind. There are no codes.
var (
	saysKnown = []string{"already known", "alreadyknown", "already imported", "known transaction"}
	saysSpent = []string{"nonce too low", "oldnonce"}
	saysCheap = []string{
		"underpriced", "less than block base fee", "fee too low", "feetoolow", "price too low", "below minimum", "tip too low",
		"txpool is full", // of transactions that bid more
	}
)

// Send implements driver.Chain. A nonce that is used up is a conflict unless it was used by this very transaction.
func (c *Chain) Send(ctx context.Context, raw []byte) (driver.Fate, error) {
	if _, err := readSigned(raw); err != nil {
		return 0, fmt.Errorf("it cannot be sent: %w", err)
	}
	name := txName(raw)
	var got digest
	q := ask("eth_sendRawTransaction", &got, hexBytes(raw))
	if err := c.node.single(ctx, q); err != nil {
		return 0, err
	}
	if q.fault == nil {
		if err := q.err(); err != nil {
			return 0, err
		}
		if got.String() != name {
			return 0, fmt.Errorf("%s: the node calls it %s, and it is %s", q.method, got, name)
		}
		return driver.Accepted, nil
	}
	switch q.fault.Code {
	case codeNoMethod, codeLimit, codeInternal, codeRequest, codeParse:
		return 0, q.err()
	}
	switch {
	case says(q.fault, saysKnown):
		return driver.Accepted, nil
	case says(q.fault, saysSpent):
		return c.spent(ctx, name)
	case says(q.fault, saysCheap):
		return driver.Cheap, nil
	}
	return driver.Refused, nil
}

func says(f *fault, list []string) bool {
	text := strings.ToLower(f.Message)
	for _, part := range list {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// spent is what became of a transaction whose nonce is used up.
func (c *Chain) spent(ctx context.Context, tx string) (driver.Fate, error) {
	var r receipt
	q := ask(oneReceipt, &r, tx)
	if err := c.node.single(ctx, q); err != nil {
		return 0, err
	}
	switch {
	case q.fault != nil:
		return 0, q.err()
	case q.absent:
		return driver.Conflict, nil
	}
	return driver.Mined, nil
}
