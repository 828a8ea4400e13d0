// Package sandbox writes the addresses of sandboxes: chains whose blocks are made here. They look like those of the
// real chains of their family and net, and nobody has keys for them: what is paid to one on a real chain is lost.
package sandbox

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"bourse/internal/network/address"
	"bourse/internal/schema"
)

// Derive gives the text of an address, and its memo where the family has memos: there all share one address, and the
// memo is the index. Everywhere and always it is the same for the same address.
func Derive(a *schema.Address) (text, memo string) {
	space, index := a.Space(), uint64(a.Index)
	if address.HasMemo(space.Family) {
		memo, index = strconv.FormatUint(index, 10), 0
	}
	receiver := sha256.Sum256(fmt.Appendf(nil, "sandbox %v %v %v %d", space.Family, space.Net, a.Type, index))
	return address.Write(space, a.Type, receiver), memo
}
