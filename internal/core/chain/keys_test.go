package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func keys(edits ...func(*schema.Keys)) *schema.SetKeys {
	c := &schema.SetKeys{Keys: schema.Keys{Family: schema.Bitcoin, Net: schema.Regtest, Print: schema.Digest{1}, Sealed: []byte("sealed")}}
	for _, edit := range edits {
		edit(&c.Keys)
	}
	return c
}

func TestKeysNeverChange(t *testing.T) {
	x := open(t)
	if _, known := x.Keys(schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}, false); known {
		t.Error("there are keys that nobody set")
	}
	if _, known := x.Keys(schema.Space{Family: schema.XRP, Net: schema.Regtest}, false); known {
		t.Error("there are keys of nothing")
	}
	for _, tt := range []struct {
		edit func(*schema.Keys)
		want schema.Reason
	}{
		{func(k *schema.Keys) { k.Net = schema.Mainnet }, schema.ChainUnknown},
		{func(k *schema.Keys) { k.Net, k.Print = schema.Mainnet, schema.Digest{} }, schema.ChainUnknown},
		{func(k *schema.Keys) { k.Family, k.Net = schema.EVM, schema.Testnet }, schema.KeysInvalid}, // a sandbox
		{func(k *schema.Keys) { k.Print = schema.Digest{} }, schema.KeysInvalid},
		{func(k *schema.Keys) { k.Sealed = nil }, schema.KeysInvalid},
		{func(k *schema.Keys) { k.Sealed = make([]byte, schema.MaxSealedKeys+1) }, schema.KeysInvalid},
	} {
		x.refuses(keys(tt.edit), tt.want)
	}
	x.do(keys(), schema.OK)
	said := 0
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.KeysChanged); is && e.Keys.Print == (schema.Digest{1}) && string(e.Keys.Sealed) == "sealed" {
			said++
		}
	}
	if said != 1 || x.out.Events.Len() != 1 {
		t.Errorf("%d of %d events are of the keys", said, x.out.Events.Len())
	}
	x.refuses(keys(func(k *schema.Keys) { k.Print[0] = 2 }), schema.ImmutableChanged)
	x.refuses(keys(func(k *schema.Keys) { k.Print[0], k.Sealed = 2, nil }), schema.KeysInvalid)
	again := keys(func(k *schema.Keys) { k.Sealed = []byte("again") })
	x.do(again, schema.OK)
	again.Keys.Sealed[0] = 'x' // the caller's
	if got, known := x.Keys(again.Keys.Space(), false); !known || string(got.Sealed) != "again" {
		t.Errorf("%+v", got)
	}
	x.unreadable("bitcoin regtest: it stands in the wrong place", func() { x.space(again.Keys.Space()).keys.Sealed = nil })
}

func TestContractsThatCannotBe(t *testing.T) {
	x := paying(t)
	edit := func(ticker string, on schema.ChainID, edit func(*schema.Asset, *schema.Network)) *schema.SetAsset {
		return asset(ticker, on, func(a *schema.Asset, n *schema.Network) {
			a.Scale = 18
			edit(a, n)
		})
	}
	contract := func(text string, decimals uint8) func(*schema.Asset, *schema.Network) {
		return func(_ *schema.Asset, n *schema.Network) { n.Contract, n.Decimals = text, decimals }
	}
	for _, c := range []*schema.SetAsset{
		edit("NEW", ether, contract("0xe", 0)),
		edit("NEW", ether, contract("0xe", 19)),
		edit("NEW", ether, contract("", 18)),                                           // there is one
		edit("NEW", ether, contract("0xd", 6)),                                         // it is the dollar's
		edit("NEW", ether, contract(string(make([]byte, schema.MaxAddressText+1)), 6)), // too long
		edit("NEW", bitcoin, contract("", 8)),                                          // there is one
		edit("NEW", bitcoin, contract("0xe", 8)),
		edit("NEW", play, contract("0xe", 0)),
		edit("NEW", play, contract("", 8)),
		edit("NEW", 0, contract("", 8)),
		asset("COIN", bitcoin, contract("", 7)),
		asset("NEW", ether, contract("0xe", 9)), // finer than the asset
	} {
		x.refuses(c, schema.ContractInvalid)
	}
	x.refuses(edit("NEW", ether, func(_ *schema.Asset, n *schema.Network) { n.ConfirmationsForTrading = 0 }), schema.NetworkChainInvalid)
	x.do(edit("NEW", ether, contract("0xe", 18)), schema.OK)
	x.do(edit("NEW", ether, contract("0xe", 18)), schema.OK)
	if n := x.listing.Asset(5).NetworkOn(ether); n == nil || n.Decimals != 18 || x.Available(ether, 5, 1, 0) != fixed.Zero {
		t.Errorf("%+v", n)
	}
}
