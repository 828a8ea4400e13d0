package address

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/address/v2/base58"

	"bourse/internal/schema"
)

// Write gives the canonical form of the address of a receiver. Families whose receivers are a hash of 20 bytes take
// the first 20. The type counts only with Bitcoin, where a receiver of type P2SHSegwit is the hash of a script.
func Write(space schema.Space, t schema.AddressType, receiver [32]byte) string {
	short := receiver[:20]
	switch space.Family {
	case schema.Bitcoin:
		return writeBitcoin(space.Net, t, short)
	case schema.EVM:
		return "0x" + mixedCase(hex.EncodeToString(short))
	case schema.TRON:
		return base58.CheckEncode(short, versionTRON)
	case schema.XRP:
		common := base58.CheckEncode(short, versionXRP)
		return strings.Map(func(c rune) rune { return rune(alphabetXRP[strings.IndexRune(alphabet, c)]) }, common)
	case schema.Solana:
		return base58.Encode(receiver[:])
	case schema.TON:
		raw := []byte{tonTag: tonPlain, tonWorkchain: 0}
		if space.Net != schema.Mainnet {
			raw[tonTag] |= tonTest
		}
		return base64.URLEncoding.EncodeToString(seal(append(raw, receiver[:]...)))
	}
	panic("no addresses of " + space.Family.String())
}

func writeBitcoin(net schema.Net, t schema.AddressType, hash []byte) string {
	params := bitcoinNets[net]
	if t == schema.P2SHSegwit {
		return base58.CheckEncode(hash, params.ScriptHashAddrID)
	}
	written, err := btc.NewAddressWitnessPubKeyHash(hash, params)
	if err != nil { // a hash of another length
		panic(err)
	}
	return written.EncodeAddress()
}
