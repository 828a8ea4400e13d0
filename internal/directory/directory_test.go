package directory

import (
	"context"
	"net/netip"
	"slices"
	"testing"

	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// open is a node with what a command may need to do something.
func open(t *testing.T) (n *node.Node, do func(schema.Command) uint64) {
	t.Helper()
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n, func(c schema.Command) uint64 {
		t.Helper()
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil || result.Rejection.Refused() {
			t.Fatal(err, result.Rejection.Text())
		}
		return result.ID
	}
}

// What was there before the directory and what came after it are found alike, at once.
func TestSettingsAreAtHand(t *testing.T) {
	n, do := open(t)
	asset := func(ticker string, unified uint32) schema.AssetID {
		return schema.AssetID(do(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Name: ticker, Class: schema.Crypto, Scale: 18, Precision: 8, UnifiedID: unified}}))
	}
	btc := asset("BTC", 1)
	var forgotten []schema.KeyID
	d := Follow(n, func(id schema.KeyID) { forgotten = append(forgotten, id) })
	before := d.Generation()
	usdt := asset("USDT", 825)
	market := schema.MarketID(do(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 4, Enabled: true,
	}}))
	m := d.MarketByID(market)
	if d.Asset("BTC").ID != btc || d.Asset("USDT").ID != usdt || d.Ticker(usdt) != "USDT" || d.UnifiedID(usdt) != 825 || d.UnifiedID(btc) != 1 {
		t.Errorf("assets %+v and %+v", d.Asset("BTC"), d.Asset("USDT"))
	}
	if d.Market("BTC_USDT") != m || d.MarketName(market) != "BTC_USDT" || d.FeeAsset(m, schema.Buy, false) != "BTC" || d.FeeAsset(m, schema.Sell, false) != "USDT" || d.FeeAsset(m, schema.Buy, true) != "USDT" {
		t.Errorf("market %+v", m)
	}
	if perp := (&schema.MarketInfo{Base: btc, Quote: usdt, Type: schema.Futures}); d.FeeAsset(perp, schema.Buy, false) != "USDT" || d.FeeAsset(perp, schema.Sell, false) != "USDT" {
		t.Error("fees of futures are not paid in money")
	}
	if stock := (&schema.MarketInfo{Base: usdt, Quote: btc, Type: schema.TradFiFutures}); d.FeeAsset(stock, schema.Buy, true) != "USDT" || d.FeeAsset(stock, schema.Sell, true) != "USDT" {
		t.Error("fees of TradFi futures are not paid in USDT")
	}
	if d.Generation() != before+2 {
		t.Errorf("generation %d after two changes of %d", d.Generation(), before)
	}
	if d.Asset("ETH") != nil || d.Market("ETH_BTC") != nil || d.Account(7) != nil || d.Key([]byte("k")) != nil || d.KeyByID(1) != nil {
		t.Error("something is found that is not there")
	}

	account := schema.AccountID(do(&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}))
	set := schema.Key{Key: "k", Account: account, Enabled: true, Sealed: n.Key().Seal([]byte("secret"), Purpose), URLs: []string{"/a"}, Addresses: []string{"192.0.2.1"}}
	do(&schema.SetKey{Key: set})
	k := d.Key([]byte("k"))
	if d.Account(account).Name != "alice" || k == nil || d.KeyByID(k.ID) != k || k.Account != account || k.Secret == nil {
		t.Fatalf("account %+v, key %+v", d.Account(account), k)
	}
	if !k.May("/a") || k.May("/b") || k.May("") || !k.From(netip.MustParseAddr("192.0.2.1")) || k.From(netip.MustParseAddr("192.0.2.2")) {
		t.Errorf("the rights are %+v", k.Rights)
	}
	set.URLs, set.Addresses, set.Sealed = []string{schema.AllURLs}, nil, []byte("of another master key")
	do(&schema.SetKey{Key: set})
	now := d.Key([]byte("k"))
	if now == k || now.ID != k.ID || !now.May("/b") || !now.From(netip.MustParseAddr("2001:db8::1")) || now.Secret != nil || !k.May("/a") || k.May("/b") {
		t.Errorf("the key was %+v and is %+v", k, now)
	}
	do(&schema.DeleteKey{Key: "k"})
	if d.Key([]byte("k")) != nil || d.KeyByID(k.ID) != nil || !slices.Equal(forgotten, []schema.KeyID{k.ID}) {
		t.Errorf("a deleted key is there; %v are forgotten", forgotten)
	}
	do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	if !d.Closed() {
		t.Error("maintenance is not noticed")
	}
}

// Addresses that cannot be read restrict a key all the same.
func TestAddressesOfAKey(t *testing.T) {
	r := RightsOf(&schema.Key{Addresses: []string{"everywhere", "::ffff:192.0.2.1"}})
	if r.From(netip.MustParseAddr("192.0.2.2")) || !r.From(netip.MustParseAddr("192.0.2.1")) {
		t.Errorf("the rights are %+v", r)
	}
}

// Chains that were there before the directory and those that came after it are found alike, by id and by name, as they are now.
func TestChainsAreAtHand(t *testing.T) {
	n, do := open(t)
	chain := func(name string, paused bool) schema.ChainID {
		return schema.ChainID(do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Paused: paused}}))
	}
	before := chain("BEFORE", false)
	d := Follow(n, func(schema.KeyID) {})
	after := chain("AFTER", false)
	chain("BEFORE", true)
	for id, want := range map[schema.ChainID]schema.Chain{
		before: {ID: before, Name: "BEFORE", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Paused: true},
		after:  {ID: after, Name: "AFTER", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet},
	} {
		if got := d.Chain(id); got == nil || *got != want || d.ChainByName(want.Name) != got {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if d.Chain(0) != nil || d.Chain(after+1) != nil || d.ChainByName("NONE") != nil {
		t.Error("a chain is found that is not there")
	}
}
