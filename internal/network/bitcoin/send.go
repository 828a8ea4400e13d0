package bitcoin

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/driver"
)

// Send gives a transaction to the node. One whose coins the node does not know is in conflict: nodes do not say whether another one has
// spent them, or they are not there any more.
func (c *Chain) Send(ctx context.Context, raw []byte) (driver.Fate, error) {
	var tx string
	err := c.call(ctx, &tx, "sendrawtransaction", hex.EncodeToString(raw))
	if err == nil {
		return driver.Accepted, nil
	}
	var no *refusal
	if !errors.As(err, &no) {
		return 0, err
	}
	fate, known := fateOf(no)
	switch {
	case !known:
		return 0, err
	case fate == driver.Conflict:
		return c.found(ctx, raw)
	}
	return fate, nil
}

// phrases that nodes refuse with, in small letters. Core has words for them, btcd sentences.
var phrases = []struct {
	fate driver.Fate
	text string
}{
	{driver.Accepted, "already have transaction"}, // btcd
	{driver.Accepted, "txn-already-in-mempool"},
	{driver.Accepted, "txn-same-nonwitness-data-in-mempool"},
	{driver.Mined, "txn-already-known"},
	{driver.Cheap, "insufficient fee"}, // than what it would replace
	{driver.Cheap, "min relay fee not met"},
	{driver.Cheap, "mempool min fee not met"},
	{driver.Cheap, "mempool full"},
	{driver.Cheap, "insufficient absolute fee"}, // btcd, as those that follow
	{driver.Cheap, "insufficient priority"},
	{driver.Cheap, "under the required amount"},
	{driver.Cheap, "due to low fees"},
	{driver.Conflict, "txn-mempool-conflict"},
	{driver.Conflict, "missingorspent"},
	{driver.Conflict, "missing inputs"},     // Core before 0.19
	{driver.Conflict, "replacement"},        // which cannot be one
	{driver.Conflict, "orphan transaction"}, // btcd, as that which follows
	{driver.Conflict, "already spent"},
}

// fateOf is what a refusal means; false if it says nothing about the transaction.
func fateOf(no *refusal) (driver.Fate, bool) {
	switch no.Code {
	case codeInChain:
		return driver.Mined, true
	case codeDecode:
		return driver.Refused, true
	case codeVerify, codeRejected:
	default:
		return 0, false
	}
	text := strings.ToLower(no.Message)
	for _, p := range phrases {
		if strings.Contains(text, p.text) {
			return p.fate, true
		}
	}
	return driver.Refused, true
}

// found asks for a transaction that seems to be in conflict by its name: so does one that was mined and whose outputs all are spent since.
// Only nodes with an index of transactions know of those.
func (c *Chain) found(ctx context.Context, raw []byte) (driver.Fate, error) {
	var tx wire.MsgTx
	if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
		return 0, err
	}
	var there struct {
		Confirmations int64  `json:"confirmations"`
		BlockHash     string `json:"blockhash"`
	}
	err := c.call(ctx, &there, "getrawtransaction", tx.TxID(), 1)
	var no *refusal
	switch {
	case errors.As(err, &no) && no.Code == codeNotFound:
		return driver.Conflict, nil
	case err != nil:
		return 0, err
	case there.Confirmations > 0:
		return driver.Mined, nil
	case there.BlockHash != "": // of a branch that is not the chain any more
		return driver.Conflict, nil
	}
	return driver.Accepted, nil
}
