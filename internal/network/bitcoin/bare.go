package bitcoin

import (
	"bytes"

	"github.com/btcsuite/btcd/wire/v2"
)

// Bare is what Scan is measured by: it reads a block with the library, believes all of it, and counts the outputs whose scripts are ours.
func Bare[Place any](raw []byte, ours map[string]Place) (found int, err error) {
	var b wire.MsgBlock
	if err := b.Deserialize(bytes.NewReader(raw)); err != nil {
		return 0, err
	}
	for _, tx := range b.Transactions {
		for _, out := range tx.TxOut {
			if _, known := ours[string(out.PkScript)]; known {
				found++
			}
		}
	}
	return found, nil
}
