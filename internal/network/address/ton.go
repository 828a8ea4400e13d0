package address

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"bourse/internal/schema"
)

// The user-friendly form of TON: a tag, the workchain, the account and a CRC16, in base64.
const (
	tonTag        = 0
	tonWorkchain  = 1
	tonAccount    = 2
	tonCRC        = tonAccount + 32
	tonSize       = tonCRC + 2
	tonBounceable = 0x11
	tonPlain      = 0x51 // not bounceable
	tonTest       = 0x80 // a flag beside one of them: not for the main net
)

// parseTON takes user-friendly and raw addresses of the base chain and the master chain.
//
// Canonical is the user-friendly form in base64url, not bounceable, with the flag for tests except on the
// main net. Not bounceable because what is paid to a wallet that its owner has not yet used would bounce back
// to us otherwise; base64url because the text may stand in paths and queries; not the raw form because it has
// no checksum for those who copy it on.
func parseTON(net schema.Net, text string) (string, error) {
	raw, err := readTON(text)
	if err != nil {
		return "", err
	}
	switch tag := raw[tonTag] &^ tonTest; {
	case tag != tonBounceable && tag != tonPlain:
		return "", ErrForm
	case raw[tonWorkchain] != 0x00 && raw[tonWorkchain] != 0xff:
		return "", ErrForm
	case raw[tonTag]&tonTest != 0 && net == schema.Mainnet:
		return "", WrongNet(schema.Testnet)
	}
	raw[tonTag] = tonPlain
	if net != schema.Mainnet {
		raw[tonTag] |= tonTest
	}
	return base64.URLEncoding.EncodeToString(seal(raw[:tonCRC])), nil
}

// readTON gives the bytes of the user-friendly form, whichever form a text has.
func readTON(text string) ([]byte, error) {
	if chain, digits, ok := strings.Cut(text, ":"); ok {
		return readRawTON(chain, digits)
	}
	encoding := base64.URLEncoding
	if strings.ContainsAny(text, "+/") {
		encoding = base64.StdEncoding
	}
	raw, err := encoding.DecodeString(text)
	switch {
	case len(text) != base64.URLEncoding.EncodedLen(tonSize):
		return nil, ErrLength
	case err != nil:
		return nil, ErrCharacter
	case len(raw) != tonSize: // padding, or line ends, which the decoder passes over
		return nil, ErrLength
	case string(seal(raw[:tonCRC])) != string(raw):
		return nil, ErrChecksum
	}
	return raw, nil
}

func readRawTON(chain, digits string) ([]byte, error) {
	raw := []byte{tonTag: tonPlain, tonWorkchain: 0}
	switch chain {
	case "0":
	case "-1":
		raw[tonWorkchain] = 0xff
	default:
		return nil, ErrForm
	}
	if len(digits) != 2*(tonCRC-tonAccount) {
		return nil, ErrLength
	}
	account, err := hex.DecodeString(digits)
	if err != nil {
		return nil, ErrCharacter
	}
	return seal(append(raw, account...)), nil
}

// seal gives the bytes followed by their CRC16 (polynomial 0x1021, from zero).
func seal(raw []byte) []byte {
	var crc uint16
	for _, b := range raw {
		crc ^= uint16(b) << 8
		for range 8 {
			carry := crc & 0x8000
			crc <<= 1
			if carry != 0 {
				crc ^= 0x1021
			}
		}
	}
	return append(raw[:len(raw):len(raw)], byte(crc>>8), byte(crc))
}

// commentBytesMax keeps a comment in one cell of a message.
const commentBytesMax = 120

// parseComment takes a text as it is. A blank at its end nobody sees, and the receiver, who compares, would not
// find whom it is for.
func parseComment(text string) (string, error) {
	switch {
	case len(text) > commentBytesMax:
		return "", ErrMemoLong
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return "", ErrMemoCharacter
	case strings.TrimSpace(text) != text:
		return "", ErrMemoBlank
	}
	return text, nil
}
