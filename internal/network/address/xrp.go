package address

import (
	"strconv"
	"strings"

	"bourse/internal/schema"
)

// alphabetXRP is the base58 alphabet of the XRP Ledger.
const alphabetXRP = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"

const versionXRP = 0x00

// parseXRP takes classic addresses. X-addresses, which carry a tag, are refused: with a memo beside them
// there would be two tags.
func parseXRP(_ schema.Net, text string) (string, error) {
	common := make([]byte, len(text))
	for i := range len(text) {
		at := strings.IndexByte(alphabetXRP, text[i])
		if at < 0 {
			return "", ErrCharacter
		}
		common[i] = alphabet[at]
	}
	if raw, err := decode58(string(common)); err == nil && isXAddress(raw) {
		return "", ErrXAddress
	}
	version, err := version58(string(common))
	if err != nil {
		return "", err
	}
	if version != versionXRP {
		return "", ErrForm
	}
	return text, nil
}

// isXAddress reports whether bytes are laid out as an X-address, of the main net or of others: prefix,
// account, flag, tag, checksum.
func isXAddress(raw []byte) bool {
	return len(raw) == 2+20+1+8+4 && (raw[0] == 0x05 && raw[1] == 0x44 || raw[0] == 0x04 && raw[1] == 0x93)
}

// parseTag reads a destination tag. There is one text for each: tags are compared as texts.
func parseTag(text string) (string, error) {
	tag, err := strconv.ParseUint(text, 10, 32)
	if err != nil || strconv.FormatUint(tag, 10) != text {
		return "", ErrMemoTag
	}
	return text, nil
}
