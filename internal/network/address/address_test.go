package address

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
)

type vector struct {
	family          Family
	net             Net
	text, canonical string
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
	{Bitcoin, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ""},
	{Bitcoin, Mainnet, "17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", ""},
	{Bitcoin, Mainnet, "1111111111111111111114oLvT2", ""},
	{Bitcoin, Mainnet, "3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX", ""},
	{Bitcoin, Mainnet, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ""},
	{Bitcoin, Mainnet, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	{Bitcoin, Mainnet, "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", ""},
	{Bitcoin, Mainnet, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", ""},
	{Bitcoin, Testnet, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", ""},
	{Bitcoin, Testnet, "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", ""},
	{Bitcoin, Testnet, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""},
	{Bitcoin, Testnet, "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", ""},
	{Bitcoin, Testnet, "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c", ""},
	{Bitcoin, Signet, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", ""},
	{Bitcoin, Signet, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""},
	{Bitcoin, Regtest, "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", ""},
	{Bitcoin, Regtest, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", ""},
	{Bitcoin, Simnet, base58.CheckEncode(hash, 0x3f), ""},
	{Bitcoin, Simnet, base58.CheckEncode(hash, 0x7b), ""},
	{Bitcoin, Simnet, segwit(bech32.Encode, "sb", 0, hash), ""},

	{EVM, Mainnet, "0x52908400098527886E0F7030069857D2E4169EE7", ""},
	{EVM, Mainnet, "0x8617E340B3D01FA5F11F306F4090FD50E238070D", ""},
	{EVM, Mainnet, "0xde709f2102306220921060314715629080e2fb77", ""},
	{EVM, Mainnet, "0x27b1fdb04752bbc536007a920d24acb045561c26", ""},
	{EVM, Mainnet, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ""},
	{EVM, Mainnet, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", ""},
	{EVM, Mainnet, "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", ""},
	{EVM, Testnet, "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", ""},
	{EVM, Mainnet, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{EVM, Mainnet, "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{EVM, Mainnet, "0x0000000000000000000000000000000000000000", ""},

	{TRON, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ""},
	{TRON, Mainnet, "TQHgMpVzWkhSsRB4BzZgmV8uW4cFL8eaBr", ""},
	{TRON, Testnet, "TCNtTa1rveKkovHR2ebABu4K66U6ocUCZX", ""},

	{XRP, Mainnet, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", ""},
	{XRP, Mainnet, "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59", ""},
	{XRP, Mainnet, "rrrrrrrrrrrrrrrrrrrrrhoLvTp", ""},
	{XRP, Testnet, "rrrrrrrrrrrrrrrrrrrrBZbvji", ""},

	{Solana, Mainnet, "11111111111111111111111111111111", ""},
	{Solana, Mainnet, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", ""},
	{Solana, Mainnet, "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", ""},
	{Solana, Testnet, "14grJpemFaf88c8tiVb77W7TYg2W3ir6pfkKz3YjhhZ5", ""},

	{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA", ""},
	{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPuwA", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{TON, Mainnet, "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{TON, Mainnet, "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{TON, Mainnet, "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{TON, Mainnet, "0:CA6E321C7CCE9ECEDF0A8CA2492EC8592494AA5FB5CE0387DFF96EF6AF982A3E", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{TON, Mainnet, "-1:fcb91a3a3816d0f7b8c2c76108b8a9bc5a6b7a55bd79f8ab101c52db29232260", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{TON, Mainnet, "Ef_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYDJ4", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{TON, Mainnet, "Uf/8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15+KsQHFLbKSMiYG+9", "Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9"},
	{TON, Testnet, "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK", ""},
	{TON, Testnet, "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
	{TON, Testnet, "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
	{TON, Testnet, "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
}

func TestStandardFormsAreTaken(t *testing.T) {
	for _, v := range taken {
		want := v.canonical
		if want == "" {
			want = v.text
		}
		if got, err := v.family.Parse(v.net, v.text); err != nil || got != want {
			t.Errorf("%v %v %s: %q, %v; want %q", v.family, v.net, v.text, got, err, want)
		}
	}
}

func TestOtherTextsAreRefused(t *testing.T) {
	for _, v := range []struct {
		family Family
		net    Net
		text   string
		want   error
	}{
		// Invalid addresses of BIP 350 and 173.
		{Bitcoin, Mainnet, "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", ErrCharacter},
		{Bitcoin, Mainnet, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", ErrForm},
		{Bitcoin, Testnet, "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", ErrForm},
		{Bitcoin, Mainnet, "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", ErrForm},
		{Bitcoin, Mainnet, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", ErrForm},
		{Bitcoin, Testnet, "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47", ErrForm},
		{Bitcoin, Mainnet, "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", ErrCharacter},
		{Bitcoin, Mainnet, "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", ErrForm},
		{Bitcoin, Mainnet, "bc1pw5dgrnzv", ErrForm},
		{Bitcoin, Mainnet, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", ErrForm},
		{Bitcoin, Mainnet, "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", ErrForm},
		{Bitcoin, Testnet, "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", ErrCase},
		{Bitcoin, Testnet, "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7", ErrCase},
		{Bitcoin, Mainnet, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", ErrForm},
		{Bitcoin, Testnet, "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", ErrForm},
		{Bitcoin, Mainnet, "bc1gmk9yu", ErrForm},
		{Bitcoin, Mainnet, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", ErrChecksum},
		// Valid there, and of a version or length that no wallet uses: anyone can spend what is paid to them.
		{Bitcoin, Mainnet, "BC1SW50QGDZ25J", ErrForm},
		{Bitcoin, Mainnet, "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", ErrForm},
		{Bitcoin, Mainnet, "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", ErrLength},
		{Bitcoin, Mainnet, "bc1pfeessrawgf", ErrForm},
		{Bitcoin, Mainnet, segwit(bech32.EncodeM, "bc", 1, hash), ErrForm},
		{Bitcoin, Mainnet, segwit(bech32.EncodeM, "bc", 1, []byte{1, 2}), ErrLength},
		// Other nets, other chains, other things in base58 and hex.
		{Bitcoin, Mainnet, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", WrongNet(Testnet)},
		{Bitcoin, Mainnet, "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", WrongNet(Testnet)},
		{Bitcoin, Mainnet, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", WrongNet(Testnet)},
		{Bitcoin, Mainnet, "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX", WrongNet(Testnet)},
		{Bitcoin, Mainnet, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", WrongNet(Regtest)},
		{Bitcoin, Mainnet, base58.CheckEncode(hash, 0x3f), WrongNet(Simnet)},
		{Bitcoin, Testnet, "17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", WrongNet(Mainnet)},
		{Bitcoin, Testnet, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", WrongNet(Regtest)},
		{Bitcoin, Signet, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", WrongNet(Mainnet)},
		{Bitcoin, Regtest, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", WrongNet(Testnet)},
		{Bitcoin, Simnet, "3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX", WrongNet(Mainnet)},
		{Bitcoin, Mainnet, "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1", ErrForm},
		{Bitcoin, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ErrForm},
		{Bitcoin, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", ErrChecksum},
		{Bitcoin, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a", ErrCharacter},
		{Bitcoin, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN", ErrChecksum},
		{Bitcoin, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf", ErrLength},
		{Bitcoin, Mainnet, "11A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrLength},
		{Bitcoin, Mainnet, "5Hwgr3u458GLafKBgxtssHSPqJnYoGrSzgQsPwLFhLNYskDPyyA", ErrLength},
		{Bitcoin, Mainnet, "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", ErrCharacter},
		{Bitcoin, Mainnet, "bitcoin:17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem", ErrCharacter},

		{EVM, Mainnet, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", ErrChecksum},
		{EVM, Mainnet, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeD", ErrChecksum},
		{EVM, Mainnet, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", ErrLength},
		{EVM, Mainnet, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0", ErrLength},
		{EVM, Mainnet, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", ErrCharacter},
		{EVM, Mainnet, "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ErrForm},
		{EVM, Mainnet, "0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", ErrForm},
		{EVM, Mainnet, "vitalik.eth", ErrForm},
		{EVM, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ErrForm},

		{TRON, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", ErrChecksum},
		{TRON, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6", ErrChecksum},
		{TRON, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj", ErrLength},
		{TRON, Mainnet, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj0t", ErrCharacter},
		{TRON, Mainnet, "41a614f803b6fd780986a42c78ec9c7f77e6ded13c", ErrCharacter},
		{TRON, Mainnet, "0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C", ErrCharacter},
		{TRON, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrForm},
		{TRON, Mainnet, base58.CheckEncode(hash, 0xa0), ErrForm}, // of the test net of 2018

		{XRP, Mainnet, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi", ErrChecksum},
		{XRP, Mainnet, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyT", ErrChecksum},
		{XRP, Mainnet, "rHb9CJAWyB4rj91VRWn96DkukG4bwdty", ErrLength},
		{XRP, Mainnet, "rHb9CJAWyB4rj91VRWn96DkukG4bwdty0h", ErrCharacter},
		{XRP, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrChecksum}, // another alphabet
		{XRP, Mainnet, inXRP(base58.CheckEncode(hash, 0x05)), ErrForm},
		{XRP, Mainnet, "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", ErrXAddress},
		{XRP, Mainnet, "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu", ErrXAddress},
		{XRP, Testnet, "TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE", ErrXAddress},
		{XRP, Mainnet, "sn259rEFXrQrWyx3Q7XneWcwV6dfL", ErrLength}, // a secret

		{Solana, Mainnet, "1111111111111111111111111111111", ErrLength},
		{Solana, Mainnet, "111111111111111111111111111111111", ErrLength},
		{Solana, Mainnet, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D", ErrLength},
		{Solana, Mainnet, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D0", ErrCharacter},
		{Solana, Mainnet, strings.Repeat("z", 44), ErrLength},
		{Solana, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrLength},

		{TON, Mainnet, "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", WrongNet(Testnet)},
		{TON, Mainnet, "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK", WrongNet(Testnet)},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwB", ErrChecksum},
		{TON, Mainnet, "uqdkbjicfm6ezt8kjkjjlshzjjsqx7xoa4ff-w72r5gqpuwa", ErrChecksum},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuw", ErrLength},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwAA", ErrLength},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuw=", ErrLength},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5g\nqPuw", ErrCharacter},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gq\n\n\n\n", ErrLength},
		{TON, Mainnet, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff.W72r5gqPuwA", ErrCharacter},
		{TON, Mainnet, "Uf/8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG+9", ErrCharacter}, // two alphabets
		{TON, Mainnet, friendly(0x31, 0), ErrForm},
		{TON, Mainnet, friendly(tonPlain, 1), ErrForm},
		{TON, Mainnet, friendly(tonPlain, 0xfe), ErrForm},
		{TON, Mainnet, "1:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{TON, Mainnet, "00:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{TON, Mainnet, ":ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrForm},
		{TON, Mainnet, "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3", ErrLength},
		{TON, Mainnet, "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3g", ErrCharacter},
		{TON, Mainnet, "0:0:a6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", ErrLength},

		{0, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{TON + 1, Mainnet, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{Bitcoin, 0, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
		{Bitcoin, Simnet + 1, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrUnknown},
	} {
		if got, err := v.family.Parse(v.net, v.text); err != v.want || got != "" {
			t.Errorf("%v %v %q: %q, %v; want %v", v.family, v.net, v.text, got, err, v.want)
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
			if got, err := v.family.Parse(v.net, text); err == nil {
				t.Errorf("%v took %q for %s", v.family, text, got)
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
				if got, err := v.family.Parse(v.net, text); err == nil {
					t.Fatalf("%v took %q for %s", v.family, text, got)
				}
			}
		}
	}
}

// TestOneWrongCharacterIsRefused holds for all forms with a checksum. Solana and the raw form of TON have none,
// that of EIP-55 is weak.
func TestOneWrongCharacterIsRefused(t *testing.T) {
	for _, v := range taken {
		if v.family == Solana || v.family == EVM || strings.Contains(v.text, ":") {
			continue
		}
		for i := range len(v.text) {
			for c := byte('0'); c <= 'z'; c++ {
				letter := c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a'
				if !letter || c == v.text[i] {
					continue
				}
				text := v.text[:i] + string(c) + v.text[i+1:]
				if got, err := v.family.Parse(v.net, text); err == nil {
					t.Fatalf("%v took %q for %s", v.family, text, got)
				}
			}
		}
	}
}

func TestNoFamilyTakesAnEmptyOrALongText(t *testing.T) {
	for f := Bitcoin; f <= TON; f++ {
		if _, err := f.Parse(Mainnet, ""); err != ErrEmpty {
			t.Errorf("%v took an empty address: %v", f, err)
		}
		for _, text := range []string{strings.Repeat("1", sizeBytesMax+1), strings.Repeat("1", 10_000), strings.Repeat("é", 10_000), "0:" + strings.Repeat("0", 10_000)} {
			if _, err := f.Parse(Mainnet, text); err != ErrLong {
				t.Errorf("%v took a long address: %v", f, err)
			}
			if _, err := f.ParseMemo(text); err != ErrMemoLong {
				t.Errorf("%v took a long memo: %v", f, err)
			}
		}
		if _, err := f.Parse(Mainnet, strings.Repeat("1", sizeBytesMax)); err == nil || err == ErrLong {
			t.Errorf("%v: %v for %d bytes", f, err, sizeBytesMax)
		}
	}
}

func TestMemos(t *testing.T) {
	comment := strings.Repeat("€", commentBytesMax/3)
	for _, v := range []struct {
		family Family
		text   string
		want   error
	}{
		{XRP, "0", nil},
		{XRP, "7", nil},
		{XRP, "1000000", nil},
		{XRP, "4294967295", nil},
		{XRP, "4294967296", ErrMemoTag},
		{XRP, "99999999999999999999", ErrMemoTag},
		{XRP, "00", ErrMemoTag},
		{XRP, "007", ErrMemoTag},
		{XRP, "+7", ErrMemoTag},
		{XRP, "-7", ErrMemoTag},
		{XRP, "7.0", ErrMemoTag},
		{XRP, "1_000", ErrMemoTag},
		{XRP, "0x7", ErrMemoTag},
		{XRP, " 7", ErrMemoTag},
		{XRP, "7\n", ErrMemoTag},
		{XRP, "٧", ErrMemoTag},
		{XRP, "seven", ErrMemoTag},

		{TON, "7", nil},
		{TON, "007", nil},
		{TON, "Invoice 12, für Ömer 🙂", nil},
		{TON, comment, nil},
		{TON, comment + "1", ErrMemoLong},
		{TON, "two\nlines", ErrMemoCharacter},
		{TON, "nul\x00", ErrMemoCharacter},
		{TON, "del\x7f", ErrMemoCharacter},
		{TON, "next\u0085line", ErrMemoCharacter},
		{TON, "\xff", ErrMemoCharacter},
		{TON, " 7", ErrMemoBlank},
		{TON, "7 ", ErrMemoBlank},
		{TON, "7\u00a0", ErrMemoBlank},
		{TON, " ", ErrMemoBlank},

		{Bitcoin, "7", ErrNoMemo},
		{EVM, "7", ErrNoMemo},
		{TRON, "7", ErrNoMemo},
		{Solana, "7", ErrNoMemo},
		{0, "7", ErrUnknown},
		{TON + 1, "7", ErrUnknown},

		{Bitcoin, "", nil},
		{EVM, "", nil},
		{TRON, "", nil},
		{XRP, "", nil},
		{Solana, "", nil},
		{TON, "", nil},
	} {
		want := ""
		if v.want == nil {
			want = v.text
		}
		if got, err := v.family.ParseMemo(v.text); err != v.want || got != want {
			t.Errorf("%v %q: %q, %v; want %q, %v", v.family, v.text, got, err, want, v.want)
		}
	}
}

func TestWords(t *testing.T) {
	for f, word := range map[Family]string{Bitcoin: "bitcoin", EVM: "evm", TRON: "tron", XRP: "xrp", Solana: "solana", TON: "ton"} {
		if got, ok := ParseFamily(word); got != f || !ok || f.String() != word {
			t.Errorf("%q is %d, %v; %d is %q", word, got, ok, f, f)
		}
	}
	for n, word := range map[Net]string{Mainnet: "mainnet", Testnet: "testnet", Signet: "signet", Regtest: "regtest", Simnet: "simnet"} {
		if got, ok := ParseNet(word); got != n || !ok || n.String() != word {
			t.Errorf("%q is %d, %v; %d is %q", word, got, ok, n, n)
		}
	}
	for _, word := range []string{"", "Bitcoin", "mainnet", "unknown"} {
		if f, ok := ParseFamily(word); f != 0 || ok {
			t.Errorf("%q is %v", word, f)
		}
	}
	for _, word := range []string{"", "Mainnet", "bitcoin", "unknown"} {
		if n, ok := ParseNet(word); n != 0 || ok {
			t.Errorf("%q is %v", word, n)
		}
	}
	if Family(0).String() != "unknown" || Net(9).String() != "unknown" {
		t.Errorf("%v, %v", Family(0), Net(9))
	}
	if text := WrongNet(Testnet).Error(); text != "this is an address of testnet" {
		t.Error(text)
	}
}
