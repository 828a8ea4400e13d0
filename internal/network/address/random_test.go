package address

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// TestAllFormsOfAReceiverHaveOneCanonicalForm draws receivers and writes each in every way that its network
// has; the first is canonical.
func TestAllFormsOfAReceiverHaveOneCanonicalForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		short := rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "20 bytes")
		long := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "32 bytes")
		workchain := rapid.SampledFrom([]byte{0x00, 0xff}).Draw(t, "workchain")
		raw := "0:" + hex.EncodeToString(long)
		if workchain == 0xff {
			raw = "-1:" + hex.EncodeToString(long)
		}
		plain := seal(append([]byte{tonPlain, workchain}, long...))
		bounceable := seal(append([]byte{tonBounceable, workchain}, long...))
		mixed := "0x" + mixedCase(hex.EncodeToString(short))

		for _, receiver := range []struct {
			family schema.Family
			forms  []string
		}{
			{schema.Bitcoin, []string{base58.CheckEncode(short, 0x00)}},
			{schema.Bitcoin, []string{base58.CheckEncode(short, 0x05)}},
			{schema.Bitcoin, bothCases(segwit(bech32.Encode, "bc", 0, short))},
			{schema.Bitcoin, bothCases(segwit(bech32.Encode, "bc", 0, long))},
			{schema.Bitcoin, bothCases(segwit(bech32.EncodeM, "bc", 1, long))},
			{schema.EVM, []string{mixed, strings.ToLower(mixed), "0x" + strings.ToUpper(mixed[2:])}},
			{schema.TRON, []string{base58.CheckEncode(short, 0x41)}},
			{schema.XRP, []string{inXRP(base58.CheckEncode(short, 0x00))}},
			{schema.Solana, []string{base58.Encode(long)}},
			{schema.TON, []string{
				base64.URLEncoding.EncodeToString(plain), base64.StdEncoding.EncodeToString(plain),
				base64.URLEncoding.EncodeToString(bounceable), base64.StdEncoding.EncodeToString(bounceable),
				raw, strings.ToUpper(raw),
			}},
		} {
			for _, form := range receiver.forms {
				if got, err := Parse(at(receiver.family, schema.Mainnet), form); err != nil || got != receiver.forms[0] {
					t.Fatalf("%v %s: %q, %v; want %q", receiver.family, form, got, err, receiver.forms[0])
				}
			}
		}
	})
}

func bothCases(text string) []string { return []string{text, strings.ToUpper(text)} }
