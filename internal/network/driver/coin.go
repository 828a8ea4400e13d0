package driver

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
)

// CoinID is the coin with a key: the 32 bytes of a transaction's hash, as blocks have them, and the number of the output, as they count.
// Where there are no such coins it is false.
func CoinID(key []byte) (string, bool) {
	if len(key) != 36 {
		return "", false
	}
	hash := slices.Clone(key[:32])
	slices.Reverse(hash)
	return hex.EncodeToString(hash) + ":" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(key[32:])), 10), true
}
