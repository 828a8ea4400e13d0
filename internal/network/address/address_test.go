package address

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"

	"bourse/internal/schema"
)

type vector struct {
	space           schema.Space
	text, canonical string
}

func at(family schema.Family, net schema.Net) schema.Space {
	return schema.Space{Family: family, Net: net}
}

// hash is that of the public key that is the generator of the curve, the example of BIP 173.
var hash = []byte("\x75\x1e\x76\xe8\x19\x91\x96\xd4\x54\x94\x1c\x45\xd1\xb3\xa3\x23\xf1\x43\x3b\xd6")

// segwit writes a witness program as an address.
func segwit(encode func(string, []byte) (string, error), prefix string, version byte, program []byte) string {
	groups, err := bech32.ConvertBits(program, 8, 5, true)
	if err != nil {
		panic(err)
	}
	text, err := encode(prefix, append([]byte{version}, groups...))
	if err != nil {
		panic(err)
	}
	return text
}

// taken are examples of the networks' documents: BIP 173 and 350, the list of prefixes in Bitcoin's wiki, EIP-55,
// TRON's and the XRP Ledger's pages, programs of Solana, TEP-2 and TON's cookbook.
var taken = []vector{
	{at(schema.Bitcoin, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ""},
	{at(schema.Bitcoin, schema.Mainnet), "17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", ""},
	{at(schema.Bitcoin, schema.Mainnet), "1111111111111111111114oLvT2", ""},
	{at(schema.Bitcoin, schema.Mainnet), "3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX", ""},
	{at(schema.Bitcoin, schema.Mainnet), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ""},
	{at(schema.Bitcoin, schema.Mainnet), "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	{at(schema.Bitcoin, schema.Mainnet), "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", ""},
	{at(schema.Bitcoin, schema.Mainnet), "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", ""},
	{at(schema.Bitcoin, schema.Testnet), "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", ""},
	{at(schema.Bitcoin, schema.Testnet), "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", ""},
	{at(schema.Bitcoin, schema.Testnet), "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""},
	{at(schema.Bitcoin, schema.Testnet), "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", ""},
	{at(schema.Bitcoin, schema.Testnet), "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c", ""},
	{at(schema.Bitcoin, schema.Signet), "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", ""},
	{at(schema.Bitcoin, schema.Signet), "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""},
	{at(schema.Bitcoin, schema.Regtest), "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", ""},
	{at(schema.Bitcoin, schema.Regtest), "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", ""},
	{at(schema.Bitcoin, schema.Simnet), base58.CheckEncode(hash, 0x3f), ""},
	{at(schema.Bitcoin, schema.Simnet), base58.CheckEncode(hash, 0x7b), ""},
	{at(schema.Bitcoin, schema.Simnet), segwit(bech32.Encode, "sb", 0, hash), ""},

	{at(schema.EVM, schema.Mainnet), "0x52908400098527886E0F7030069857D2E4169EE7", ""},
	{at(schema.EVM, schema.Mainnet), "0x8617E340B3D01FA5F11F306F4090FD50E238070D", ""},
	{at(schema.EVM, schema.Mainnet), "0xde709f2102306220921060314715629080e2fb77", ""},
	{at(schema.EVM, schema.Mainnet), "0x27b1fdb04752bbc536007a920d24acb045561c26", ""},
	{at(schema.EVM, schema.Mainnet), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ""},
	{at(schema.EVM, schema.Mainnet), "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", ""},
	{at(schema.EVM, schema.Mainnet), "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", ""},
	{at(schema.EVM, schema.Testnet), "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", ""},
	{at(schema.EVM, schema.Mainnet), "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{at(schema.EVM, schema.Mainnet), "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{at(schema.EVM, schema.Mainnet), "0x0000000000000000000000000000000000000000", ""},

	{at(schema.TRON, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ""},
	{at(schema.TRON, schema.Mainnet), "TQHgMpVzWkhSsRB4BzZgmV8uW4cFL8eaBr", ""},
	{at(schema.TRON, schema.Testnet), "TCNtTa1rveKkovHR2ebABu4K66U6ocUCZX", ""},

	{at(schema.XRP, schema.Mainnet), "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", ""},
	{at(schema.XRP, schema.Mainnet), "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59", ""},
	{at(schema.XRP, schema.Mainnet), "rrrrrrrrrrrrrrrrrrrrrhoLvTp", ""},
	{at(schema.XRP, schema.Testnet), "rrrrrrrrrrrrrrrrrrrrBZbvji", ""},

	{at(schema.Solana, schema.Mainnet), "11111111111111111111111111111111", ""},
	{at(schema.Solana, schema.Mainnet), "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", ""},
	{at(schema.Solana, schema.Mainnet), "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", ""},
	{at(schema.Solana, schema.Testnet), "14grJpemFaf88c8tiVb77W7TYg2W3ir6pfkKz3YjhhZ5", ""},

	{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA", ""},
	{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPuwA", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{at(schema.TON, schema.Mainnet), "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{at(schema.TON, schema.Mainnet), "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{at(schema.TON, schema.Mainnet), "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{at(schema.TON, schema.Mainnet), "0:CA6E321C7CCE9ECEDF0A8CA2492EC8592494AA5FB5CE0387DFF96EF6AF982A3E", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{at(schema.TON, schema.Mainnet), "-1:fcb91a3a3816d0f7b8c2c76108b8a9bc5a6b7a55bd79f8ab101c52db29232260", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{at(schema.TON, schema.Mainnet), "Ef_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYDJ4", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{at(schema.TON, schema.Mainnet), "Uf/8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15+KsQHFLbKSMiYG+9", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{at(schema.TON, schema.Testnet), "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK", ""},
	{at(schema.TON, schema.Testnet), "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
	{at(schema.TON, schema.Testnet), "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
	{at(schema.TON, schema.Testnet), "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
}

func TestStandardFormsAreTaken(t *testing.T) {
	for _, v := range taken {
		want := v.canonical
		if want == "" {
			want = v.text
		}
		if got, err := Parse(v.space, v.text); err != nil || got != want {
			t.Errorf("%v %v %s: %q, %v; want %q", v.space.Family, v.space.Net, v.text, got, err, want)
		}
	}
}

func TestOtherTextsAreRefused(t *testing.T) {
	for _, v := range []struct {
		space schema.Space
		text  string
		want  error
	}{
		// Invalid addresses of BIP 350 and 173.
		{at(schema.Bitcoin, schema.Mainnet), "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", ErrCharacter},
		{at(schema.Bitcoin, schema.Mainnet), "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", ErrForm},
		{at(schema.Bitcoin, schema.Testnet), "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", ErrForm},
		{at(schema.Bitcoin, schema.Testnet), "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", ErrCharacter},
		{at(schema.Bitcoin, schema.Mainnet), "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1pw5dgrnzv", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", ErrForm},
		{at(schema.Bitcoin, schema.Testnet), "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", ErrCase},
		{at(schema.Bitcoin, schema.Testnet), "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7", ErrCase},
		{at(schema.Bitcoin, schema.Mainnet), "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", ErrForm},
		{at(schema.Bitcoin, schema.Testnet), "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1gmk9yu", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", ErrChecksum},
		// Valid there, and of a version or length that no wallet uses: anyone can spend what is paid to them.
		{at(schema.Bitcoin, schema.Mainnet), "BC1SW50QGDZ25J", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", ErrLength},
		{at(schema.Bitcoin, schema.Mainnet), "bc1pfeessrawgf", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), segwit(bech32.EncodeM, "bc", 1, hash), ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), segwit(bech32.EncodeM, "bc", 1, []byte{1, 2}), ErrLength},
		// Other nets, other chains, other things in base58 and hex.
		{at(schema.Bitcoin, schema.Mainnet), "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", WrongNet(schema.Testnet)},
		{at(schema.Bitcoin, schema.Mainnet), "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", WrongNet(schema.Testnet)},
		{at(schema.Bitcoin, schema.Mainnet), "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", WrongNet(schema.Testnet)},
		{at(schema.Bitcoin, schema.Mainnet), "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX", WrongNet(schema.Testnet)},
		{at(schema.Bitcoin, schema.Mainnet), "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", WrongNet(schema.Regtest)},
		{at(schema.Bitcoin, schema.Mainnet), base58.CheckEncode(hash, 0x3f), WrongNet(schema.Simnet)},
		{at(schema.Bitcoin, schema.Testnet), "17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", WrongNet(schema.Mainnet)},
		{at(schema.Bitcoin, schema.Testnet), "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", WrongNet(schema.Regtest)},
		{at(schema.Bitcoin, schema.Signet), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", WrongNet(schema.Mainnet)},
		{at(schema.Bitcoin, schema.Regtest), "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", WrongNet(schema.Testnet)},
		{at(schema.Bitcoin, schema.Simnet), "3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX", WrongNet(schema.Mainnet)},
		{at(schema.Bitcoin, schema.Mainnet), "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ErrForm},
		{at(schema.Bitcoin, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", ErrChecksum},
		{at(schema.Bitcoin, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a", ErrCharacter},
		{at(schema.Bitcoin, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN", ErrChecksum},
		{at(schema.Bitcoin, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf", ErrLength},
		{at(schema.Bitcoin, schema.Mainnet), "11A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrLength},
		{at(schema.Bitcoin, schema.Mainnet), "5Hwgr3u458GLafKBgxtssHSPqJnYoGrSzgQsPwLFhLNYskDPyyA", ErrLength},
		{at(schema.Bitcoin, schema.Mainnet), "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", ErrCharacter},
		{at(schema.Bitcoin, schema.Mainnet), "bitcoin:17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", ErrCharacter},

		{at(schema.EVM, schema.Mainnet), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", ErrChecksum},
		{at(schema.EVM, schema.Mainnet), "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeD", ErrChecksum},
		{at(schema.EVM, schema.Mainnet), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", ErrLength},
		{at(schema.EVM, schema.Mainnet), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0", ErrLength},
		{at(schema.EVM, schema.Mainnet), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", ErrCharacter},
		{at(schema.EVM, schema.Mainnet), "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ErrForm},
		{at(schema.EVM, schema.Mainnet), "0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", ErrForm},
		{at(schema.EVM, schema.Mainnet), "vitalik.eth", ErrForm},
		{at(schema.EVM, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ErrForm},

		{at(schema.TRON, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", ErrChecksum},
		{at(schema.TRON, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6", ErrChecksum},
		{at(schema.TRON, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj", ErrLength},
		{at(schema.TRON, schema.Mainnet), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj0t", ErrCharacter},
		{at(schema.TRON, schema.Mainnet), "41a614f803b6fd780986a42c78ec9c7f77e6ded13c", ErrCharacter},
		{at(schema.TRON, schema.Mainnet), "0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C", ErrCharacter},
		{at(schema.TRON, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrForm},
		{at(schema.TRON, schema.Mainnet), base58.CheckEncode(hash, 0xa0), ErrForm}, // of the test net of 2018

		{at(schema.XRP, schema.Mainnet), "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi", ErrChecksum},
		{at(schema.XRP, schema.Mainnet), "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyT", ErrChecksum},
		{at(schema.XRP, schema.Mainnet), "rHb9CJAWyB4rj91VRWn96DkukG4bwdty", ErrLength},
		{at(schema.XRP, schema.Mainnet), "rHb9CJAWyB4rj91VRWn96DkukG4bwdty0h", ErrCharacter},
		{at(schema.XRP, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrChecksum}, // another alphabet
		{at(schema.XRP, schema.Mainnet), inXRP(base58.CheckEncode(hash, 0x05)), ErrForm},
		{at(schema.XRP, schema.Mainnet), "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", ErrXAddress},
		{at(schema.XRP, schema.Mainnet), "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", ErrXAddress},
		{at(schema.XRP, schema.Testnet), "TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE", ErrXAddress},
		{at(schema.XRP, schema.Mainnet), "sn259rEFXrQrWyx3Q7XneWcwV6dfL", ErrLength}, // a secret

		{at(schema.Solana, schema.Mainnet), "1111111111111111111111111111111", ErrLength},
		{at(schema.Solana, schema.Mainnet), "111111111111111111111111111111111", ErrLength},
		{at(schema.Solana, schema.Mainnet), "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D", ErrLength},
		{at(schema.Solana, schema.Mainnet), "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D0", ErrCharacter},
		{at(schema.Solana, schema.Mainnet), strings.Repeat("z", 44), ErrLength},
		{at(schema.Solana, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrLength},

		{at(schema.TON, schema.Mainnet), "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", WrongNet(schema.Testnet)},
		{at(schema.TON, schema.Mainnet), "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK", WrongNet(schema.Testnet)},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwB", ErrChecksum},
		{at(schema.TON, schema.Mainnet), "uqdkbjicfm6ezt8kjkjjlshzjjsqx7xoa4ff-w72r5gqpuwa", ErrChecksum},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuw", ErrLength},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwAA", ErrLength},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuw=", ErrLength},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5g\nqPuw", ErrCharacter},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gq\n\n\n\n", ErrLength},
		{at(schema.TON, schema.Mainnet), "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff.W72r5gqPuwA", ErrCharacter},
		{at(schema.TON, schema.Mainnet), "Uf/8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG+9", ErrCharacter}, // two alphabets
		{at(schema.TON, schema.Mainnet), friendly(0x31, 0), ErrForm},
		{at(schema.TON, schema.Mainnet), friendly(tonPlain, 1), ErrForm},
		{at(schema.TON, schema.Mainnet), friendly(tonPlain, 0xfe), ErrForm},
		{at(schema.TON, schema.Mainnet), "1:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{at(schema.TON, schema.Mainnet), "00:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{at(schema.TON, schema.Mainnet), ":ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{at(schema.TON, schema.Mainnet), "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3", ErrLength},
		{at(schema.TON, schema.Mainnet), "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3g", ErrCharacter},
		{at(schema.TON, schema.Mainnet), "0:0:a6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrLength},

		{at(0, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{at(schema.TON+1, schema.Mainnet), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{at(schema.Bitcoin, 0), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{at(schema.Bitcoin, schema.Simnet+1), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
	} {
		if got, err := Parse(v.space, v.text); err != v.want || got != "" {
			t.Errorf("%v %v %q: %q, %v; want %v", v.space.Family, v.space.Net, v.text, got, err, v.want)
		}
	}
}

// inXRP writes base58 in the alphabet of the XRP Ledger.
func inXRP(text string) string {
	return strings.Map(func(c rune) rune { return rune(alphabetXRP[strings.IndexRune(alphabet, c)]) }, text)
}

// friendly is a text of TON with a right checksum.
func friendly(tag, workchain byte) string {
	return base64.URLEncoding.EncodeToString(seal(append([]byte{tag, workchain}, make([]byte, 32)...)))
}

func TestWhatSurroundsAnAddressIsNotCutOff(t *testing.T) {
	for _, v := range taken {
		for _, text := range []string{" " + v.text, v.text + " ", "\t" + v.text, v.text + "\n", v.text + "\r\n", v.text + "\x00", "\u00a0" + v.text, v.text + "\u200b", "\ufeff" + v.text} {
			if got, err := Parse(v.space, text); err == nil {
				t.Errorf("%v took %q for %s", v.space.Family, text, got)
			}
		}
	}
}

// TestLettersThatLookAlikeAreRefused replaces each character by one that is another byte for byte: a full-width
// form, and letters that case folding makes equal.
func TestLettersThatLookAlikeAreRefused(t *testing.T) {
	for _, v := range taken {
		for i, c := range v.text {
			for _, other := range []rune{c + 0xfee0, 'ſ', '\u212a', 'а', 'é', '\u0131'} {
				text := v.text[:i] + string(other) + v.text[i+1:]
				if got, err := Parse(v.space, text); err == nil {
					t.Fatalf("%v took %q for %s", v.space.Family, text, got)
				}
			}
		}
	}
}

// TestOneWrongCharacterIsRefused holds for all forms with a checksum. Solana and the raw form of TON have none,
// that of EIP-55 is weak.
func TestOneWrongCharacterIsRefused(t *testing.T) {
	for _, v := range taken {
		if v.space.Family == schema.Solana || v.space.Family == schema.EVM || strings.Contains(v.text, ":") {
			continue
		}
		for i := range len(v.text) {
			for c := byte('0'); c <= 'z'; c++ {
				letter := c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a'
				if !letter || c == v.text[i] {
					continue
				}
				text := v.text[:i] + string(c) + v.text[i+1:]
				if got, err := Parse(v.space, text); err == nil {
					t.Fatalf("%v took %q for %s", v.space.Family, text, got)
				}
			}
		}
	}
}

func TestNoFamilyTakesAnEmptyOrALongText(t *testing.T) {
	for f := schema.Bitcoin; f <= schema.TON; f++ {
		if _, err := Parse(at(f, schema.Mainnet), ""); err != ErrEmpty {
			t.Errorf("%v took an empty address: %v", f, err)
		}
		for _, text := range []string{strings.Repeat("1", sizeBytesMax+1), strings.Repeat("1", 10_000), strings.Repeat("é", 10_000), "0:" + strings.Repeat("0", 10_000)} {
			if _, err := Parse(at(f, schema.Mainnet), text); err != ErrLong {
				t.Errorf("%v took a long address: %v", f, err)
			}
			if _, err := ParseMemo(f, text); err != ErrMemoLong {
				t.Errorf("%v took a long memo: %v", f, err)
			}
		}
		if _, err := Parse(at(f, schema.Mainnet), strings.Repeat("1", sizeBytesMax)); err == nil || err == ErrLong {
			t.Errorf("%v: %v for %d bytes", f, err, sizeBytesMax)
		}
	}
}

func TestMemos(t *testing.T) {
	comment := strings.Repeat("€", commentBytesMax/3)
	for _, v := range []struct {
		family schema.Family
		text   string
		want   error
	}{
		{schema.XRP, "0", nil},
		{schema.XRP, "7", nil},
		{schema.XRP, "1000000", nil},
		{schema.XRP, "4294967295", nil},
		{schema.XRP, "4294967296", ErrMemoTag},
		{schema.XRP, "99999999999999999999", ErrMemoTag},
		{schema.XRP, "00", ErrMemoTag},
		{schema.XRP, "007", ErrMemoTag},
		{schema.XRP, "+7", ErrMemoTag},
		{schema.XRP, "-7", ErrMemoTag},
		{schema.XRP, "7.0", ErrMemoTag},
		{schema.XRP, "1_000", ErrMemoTag},
		{schema.XRP, "0x7", ErrMemoTag},
		{schema.XRP, " 7", ErrMemoTag},
		{schema.XRP, "7\n", ErrMemoTag},
		{schema.XRP, "٧", ErrMemoTag},
		{schema.XRP, "seven", ErrMemoTag},

		{schema.TON, "7", nil},
		{schema.TON, "007", nil},
		{schema.TON, "Invoice 12, für Ömer 🙂", nil},
		{schema.TON, comment, nil},
		{schema.TON, comment + "1", ErrMemoLong},
		{schema.TON, "two\nlines", ErrMemoCharacter},
		{schema.TON, "nul\x00", ErrMemoCharacter},
		{schema.TON, "del\x7f", ErrMemoCharacter},
		{schema.TON, "next\u0085line", ErrMemoCharacter},
		{schema.TON, "\xff", ErrMemoCharacter},
		{schema.TON, " 7", ErrMemoBlank},
		{schema.TON, "7 ", ErrMemoBlank},
		{schema.TON, "7\u00a0", ErrMemoBlank},
		{schema.TON, " ", ErrMemoBlank},

		{schema.Bitcoin, "7", ErrNoMemo},
		{schema.EVM, "7", ErrNoMemo},
		{schema.TRON, "7", ErrNoMemo},
		{schema.Solana, "7", ErrNoMemo},
		{0, "7", ErrUnknown},
		{schema.TON + 1, "7", ErrUnknown},

		{schema.Bitcoin, "", nil},
		{schema.EVM, "", nil},
		{schema.TRON, "", nil},
		{schema.XRP, "", nil},
		{schema.Solana, "", nil},
		{schema.TON, "", nil},
	} {
		want := ""
		if v.want == nil {
			want = v.text
		}
		if got, err := ParseMemo(v.family, v.text); err != v.want || got != want {
			t.Errorf("%v %q: %q, %v; want %q, %v", v.family, v.text, got, err, want, v.want)
		}
	}
}

func TestTheErrorNamesTheOtherNet(t *testing.T) {
	if text := WrongNet(schema.Testnet).Error(); text != "this is an address of testnet" {
		t.Error(text)
	}
}

func TestFamiliesWithMemos(t *testing.T) {
	for f := range schema.TON + 2 {
		if got, want := HasMemo(f), f == schema.XRP || f == schema.TON; got != want {
			t.Errorf("%v: %v", f, got)
		}
	}
}
