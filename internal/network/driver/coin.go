package driver

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
)

const coinKeyBytes = 36

// CoinPrefix is schema.CoinPrefix of the coin with a key, without its name. Where there are no such coins it is false.
func CoinPrefix(key []byte) (prefix uint64, ok bool) {
	if len(key) != coinKeyBytes {
		return 0, false
	}
	return binary.LittleEndian.Uint64(key[24:32]), true
}

// CoinID is the coin with a key: the 32 bytes of a transaction's hash, as blocks have them, and the number of the output, as they count.
// Where there are no such coins it is false.
func CoinID(key []byte) (string, bool) {
	if len(key) != coinKeyBytes {
		return "", false
	}
	hash := [32]byte(key)
	slices.Reverse(hash[:])
	text := make([]byte, 0, 2*len(hash)+len(":4294967295"))
	text = append(hex.AppendEncode(text, hash[:]), ':')
	return string(strconv.AppendUint(text, uint64(binary.LittleEndian.Uint32(key[32:])), 10)), true
}
