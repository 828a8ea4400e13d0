package sandbox

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/network/address"
	"bourse/internal/schema"
)

// draw gives an address as the core opens them: a type only where there are several.
func draw(t *rapid.T, space schema.Space) schema.Address {
	a := schema.Address{Family: space.Family, Net: space.Net, Index: schema.AddressIndex(rapid.Uint32Range(1, 1<<31-1).Draw(t, "index"))}
	if a.Family == schema.Bitcoin {
		a.Type = rapid.SampledFrom([]schema.AddressType{schema.Bech32, schema.P2SHSegwit}).Draw(t, "type")
	}
	return a
}

// TestDerivedAddressesAreCanonical: what is derived is the canonical form of itself, addresses differ, and only where there
// are memos it is by the memo.
func TestDerivedAddressesAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := schema.Space{
			Family: schema.Family(rapid.IntRange(int(schema.Bitcoin), int(schema.TON)).Draw(t, "family")),
			Net:    schema.Net(rapid.IntRange(int(schema.Mainnet), int(schema.Simnet)).Draw(t, "net")),
		}
		a, b := draw(t, space), draw(t, space)
		text, memo := Derive(&a)
		if got, err := address.Parse(a.Space(), text); err != nil || got != text {
			t.Fatalf("%+v: %q is %q, %v", a, text, got, err)
		}
		if got, err := address.ParseMemo(a.Family, memo); err != nil || got != memo {
			t.Fatalf("%+v: memo %q is %q, %v", a, memo, got, err)
		}
		if memos := address.HasMemo(a.Family); memos != (memo == strconv.Itoa(int(a.Index))) {
			t.Fatalf("%+v: memo %q", a, memo)
		}
		if a.Index == b.Index {
			return
		}
		otherText, otherMemo := Derive(&b)
		if text == otherText && memo == otherMemo || address.HasMemo(a.Family) && text != otherText {
			t.Fatalf("%+v and %+v: %q %q and %q %q", a, b, text, memo, otherText, otherMemo)
		}
	})
}

// TestDerivedAddressesStay: customers keep them, so no version may derive others.
func TestDerivedAddressesStay(t *testing.T) {
	for _, v := range []struct {
		family     schema.Family
		net        schema.Net
		of         schema.AddressType
		text, memo string
	}{
		{schema.Bitcoin, schema.Mainnet, schema.Bech32, "bc1qnp4mn6chf4lhavaw4an9n2hmc7wwv2p4swmpc3", ""},
		{schema.Bitcoin, schema.Regtest, schema.Bech32, "bcrt1qefzqam0mrtnvnug8gmvmzlujq78484jrx50p0c", ""},
		{schema.Bitcoin, schema.Mainnet, schema.P2SHSegwit, "31m1CqjDiPVqF9GXsWAvAuAksLkr1TmZGB", ""},
		{schema.Bitcoin, schema.Testnet, schema.P2SHSegwit, "2N323QHwivs5CDhzDt8aGJcXyLarJh6G32J", ""},
		{schema.EVM, schema.Mainnet, 0, "0xD7c8f2A7f0Db728F6a31d7D7B09fF0df572AAf8F", ""},
		{schema.TRON, schema.Mainnet, 0, "TLc4VGijuN7ov2sHqJvSTBFVqrB1eQcKTE", ""},
		{schema.XRP, schema.Mainnet, 0, "rEWq6t8Vq5u6xeBvTcvo3mg2Y54NpvHbB2", "7"},
		{schema.Solana, schema.Mainnet, 0, "Ha4tLky9UGBofoWSsN8Y7Ji3Xv5bvL9Ym17qpxrHfJAy", ""},
		{schema.TON, schema.Mainnet, 0, "UQAznAuNq9b95Nb1HVLf0riwASQOJMOaQL5evVHzjqlPA-Aw", "7"},
		{schema.TON, schema.Testnet, 0, "0QAD1M9xkj-O5LIKfRpX2ndBn5II8LkiyA23N0no0s3m2wFy", "7"},
	} {
		text, memo := Derive(&schema.Address{Family: v.family, Net: v.net, Type: v.of, Index: 7, Account: 1001})
		if text != v.text || memo != v.memo {
			t.Errorf("%v %v %v: %q %q, want %q %q", v.family, v.net, v.of, text, memo, v.text, v.memo)
		}
	}
}
