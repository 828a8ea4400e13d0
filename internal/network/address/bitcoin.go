package address

import (
	"errors"
	"strings"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/btcsuite/btcd/chaincfg/v2"

	"bourse/internal/schema"
)

var bitcoinNets = [...]*chaincfg.Params{
	schema.Mainnet: &chaincfg.MainNetParams,
	schema.Testnet: &chaincfg.TestNet3Params,
	schema.Signet:  &chaincfg.SigNetParams,
	schema.Regtest: &chaincfg.RegressionNetParams,
	schema.Simnet:  &chaincfg.SimNetParams,
}

// errOtherNet: the text may be an address of another net.
var errOtherNet = errors.New("another net")

// parseBitcoin takes what the networks' wallets make: P2PKH, P2SH, P2WPKH, P2WSH and P2TR. Testnet and signet
// write theirs alike, and of regtest only bech32 differs from them: which of these nets a customer meant
// cannot be seen.
func parseBitcoin(net schema.Net, text string) (string, error) {
	one := strings.LastIndexByte(text, '1')
	if one < 0 || !chaincfg.IsBech32SegwitPrefix(text[:one+1]) {
		if _, err := version58(text); err != nil {
			return "", err
		}
	}
	canonical, err := bitcoinOf(net, text)
	if err == nil || !errors.Is(err, errOtherNet) {
		return canonical, err
	}
	for other := schema.Mainnet; other <= schema.Simnet; other++ {
		if _, err := bitcoinOf(other, text); err == nil {
			return "", WrongNet(other)
		}
	}
	return "", ErrForm
}

func bitcoinOf(net schema.Net, text string) (string, error) {
	params := bitcoinNets[net]
	decoded, err := btc.DecodeAddress(text, params)
	switch {
	case errors.Is(err, btc.ErrUnknownAddressType):
		return "", errOtherNet
	case err != nil:
		return "", bech32Error(err)
	case !decoded.IsForNet(params): // the library reads bech32 of any net
		return "", errOtherNet
	}
	switch decoded.(type) {
	case *btc.AddressPubKeyHash, *btc.AddressScriptHash, *btc.AddressWitnessPubKeyHash, *btc.AddressWitnessScriptHash, *btc.AddressTaproot:
	default: // pay to anchor, which anyone can spend
		return "", ErrForm
	}
	// The library takes 20 bytes of version 1, which anyone can spend, for version 0.
	canonical := decoded.EncodeAddress()
	if !strings.EqualFold(canonical, text) {
		return "", ErrForm
	}
	return canonical, nil
}

// bech32Error says in our words why the library refuses a bech32 text.
func bech32Error(err error) error {
	var (
		checksum  bech32.ErrInvalidChecksum
		mixed     bech32.ErrMixedCase
		character bech32.ErrInvalidCharacter
		charset   bech32.ErrNonCharsetChar
		length    bech32.ErrInvalidLength
		program   btc.UnsupportedWitnessProgLenError
	)
	switch {
	case errors.As(err, &checksum):
		return ErrChecksum
	case errors.As(err, &mixed):
		return ErrCase
	case errors.As(err, &character), errors.As(err, &charset):
		return ErrCharacter
	case errors.As(err, &length), errors.As(err, &program):
		return ErrLength
	}
	return ErrForm
}
