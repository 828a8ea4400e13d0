package address

import (
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/sha3"

	"bourse/internal/schema"
)

// parseEVM takes 20 bytes in hex after 0x. Letters of both cases are a checksum (EIP-55); letters of one case
// carry none.
func parseEVM(_ schema.Net, text string) (string, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return "", ErrForm
	case len(digits) != 2*20:
		return "", ErrLength
	}
	if _, err := hex.DecodeString(digits); err != nil {
		return "", ErrCharacter
	}
	canonical := mixedCase(strings.ToLower(digits))
	if digits != canonical && digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) {
		return "", ErrChecksum
	}
	return "0x" + canonical, nil
}

// mixedCase makes a letter of lower-case hex a capital where the hash of the whole has a digit above 7.
func mixedCase(lower string) string {
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write([]byte(lower))
	hash := hex.EncodeToString(keccak.Sum(nil))
	mixed := []byte(lower)
	for i, c := range mixed {
		if c >= 'a' && hash[i] > '7' {
			mixed[i] = c - 'a' + 'A'
		}
	}
	return string(mixed)
}
