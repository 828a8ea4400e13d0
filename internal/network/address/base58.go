package address

import (
	"strings"

	"github.com/btcsuite/btcd/address/v2/base58"

	"bourse/internal/schema"
)

// alphabet is that of Bitcoin, TRON and Solana.
const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// decode58 reads base58. Every list of bytes has one text, so that a text that can be read is canonical.
func decode58(text string) ([]byte, error) {
	for i := range len(text) {
		if strings.IndexByte(alphabet, text[i]) < 0 {
			return nil, ErrCharacter
		}
	}
	return base58.Decode(text), nil
}

// version58 reads base58check around 20 bytes, a hash in all families, and gives the byte before them.
func version58(text string) (byte, error) {
	raw, err := decode58(text)
	if err != nil {
		return 0, err
	}
	if len(raw) != 1+20+4 {
		return 0, ErrLength
	}
	_, version, err := base58.CheckDecode(text)
	if err != nil {
		return 0, ErrChecksum
	}
	return version, nil
}

// versionTRON is the first byte on all of TRON's nets.
const versionTRON = 0x41

func parseTRON(_ schema.Net, text string) (string, error) {
	version, err := version58(text)
	if err != nil {
		return "", err
	}
	if version != versionTRON {
		return "", ErrForm
	}
	return text, nil
}

// parseSolana takes any 32 bytes: there is no checksum, and accounts of programs are on no curve.
func parseSolana(_ schema.Net, text string) (string, error) {
	raw, err := decode58(text)
	if err != nil {
		return "", err
	}
	if len(raw) != 32 {
		return "", ErrLength
	}
	return text, nil
}
