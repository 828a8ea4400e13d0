package api

import (
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"bourse/internal/auth"
	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Directory is the settings of the exchange at hand: who its customers are, which keys they
// have, what is listed. It hears of every change before the one who made it, so it is never
// older than an answer. What it gives out is never changed; a change makes a new one.
type Directory struct {
	seal *seal.Key

	mu         sync.RWMutex
	generation uint64
	keys       map[string]*Key
	keysByID   map[schema.KeyID]*Key
	accounts   map[schema.AccountID]*schema.Account
	assets     []*schema.Asset      // by id, from 1
	markets    []*schema.MarketInfo // by id, from 1
	byTicker   map[string]*schema.Asset
	byName     map[string]*schema.MarketInfo
	forget     func(schema.KeyID)
	closed     atomic.Bool
}

// Key is an API key that is ready to check signatures.
type Key struct {
	schema.Key
	Rights
	Secret *auth.Secret
}

// Rights are what a key may call, and from where.
type Rights struct {
	urls      map[string]bool
	addresses []netip.Addr
}

// RightsOf are the rights that the settings of a key give while it is enabled.
func RightsOf(k *schema.Key) Rights {
	r := Rights{urls: map[string]bool{}}
	for _, url := range k.URLs {
		r.urls[url] = true
	}
	for _, text := range k.Addresses {
		// Addresses that cannot be read match nobody: they restrict all the same.
		addr, _ := netip.ParseAddr(text)
		r.addresses = append(r.addresses, addr.Unmap())
	}
	return r
}

// AllURLs among the URLs of a key means that it may call everything.
const AllURLs = "*"

// Purpose is what API secrets are sealed for.
const Purpose = "api secret"

// May reports whether the key may call a path.
func (r *Rights) May(path string) bool { return r.urls[path] || r.urls[AllURLs] }

// From reports whether the key may be used from an address.
func (r *Rights) From(addr netip.Addr) bool {
	return len(r.addresses) == 0 || slices.Contains(r.addresses, addr)
}

// newDirectory follows the settings of a node. Forget is called with keys that were deleted.
func newDirectory(n *node.Node, forget func(schema.KeyID)) *Directory {
	d := &Directory{
		seal: n.Key(), keys: map[string]*Key{}, keysByID: map[schema.KeyID]*Key{}, accounts: map[schema.AccountID]*schema.Account{},
		byTicker: map[string]*schema.Asset{}, byName: map[string]*schema.MarketInfo{}, forget: forget,
	}
	n.Watch(d.look, d.changed)
	return d
}

func (d *Directory) look(m *core.Machine) {
	d.closed.Store(m.InMaintenance())
	for _, a := range m.Listing().Assets() {
		d.setAsset(*a)
	}
	for _, info := range m.Listing().Markets() {
		d.setMarket(*info)
	}
	for _, a := range m.Accounts().All() {
		account := *a
		d.accounts[a.ID] = &account
	}
	for _, k := range m.Accounts().Keys() {
		d.setKey(k.Key)
	}
}

func (d *Directory) changed(event schema.Setting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := event.(type) {
	case *schema.AssetChanged:
		d.generation++
		d.setAsset(e.Asset)
	case *schema.MarketChanged:
		d.generation++
		d.setMarket(e.Market)
	case *schema.AccountChanged:
		account := e.Account
		d.accounts[account.ID] = &account
	case *schema.KeyChanged:
		if e.Deleted {
			delete(d.keys, e.Key.Key)
			delete(d.keysByID, e.Key.ID)
			d.forget(e.Key.ID)
		} else {
			d.setKey(e.Key)
		}
	case *schema.FeatureChanged:
		if e.Feature.Feature == schema.PlatformMaintenance {
			d.closed.Store(e.Feature.On)
		}
	}
}

func (d *Directory) setAsset(a schema.Asset) {
	a.Networks, a.Providers = slices.Clone(a.Networks), slices.Clone(a.Providers)
	if int(a.ID) > len(d.assets) {
		d.assets = append(d.assets, nil)
	}
	d.assets[a.ID-1], d.byTicker[a.Ticker] = &a, &a
}

func (d *Directory) setMarket(m schema.MarketInfo) {
	if int(m.ID) > len(d.markets) {
		d.markets = append(d.markets, nil)
	}
	d.markets[m.ID-1], d.byName[m.Name] = &m, &m
}

func (d *Directory) setKey(k schema.Key) {
	key := &Key{Key: k, Rights: RightsOf(&k)}
	// A secret that cannot be opened belongs to another master key: the key signs nothing.
	if secret, err := d.seal.Open(k.Sealed, Purpose); err == nil {
		key.Secret = auth.NewSecret(secret)
	}
	d.keys[k.Key], d.keysByID[k.ID] = key, key
}

// Closed reports whether the platform is in maintenance: then clients are answered nothing but
// that, see Operation.Open.
func (d *Directory) Closed() bool { return d.closed.Load() }

// Key is the API key with a public part, or nil.
func (d *Directory) Key(public []byte) *Key {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.keys[string(public)]
}

// Holder is the account for which the holder of a token may call a path from an address now; nil
// when it may not, or may no longer. An empty path asks for no right to anything in particular.
func (d *Directory) Holder(t SocketToken, from netip.Addr, path string) *schema.Account {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, a := d.keysByID[t.Key], d.accounts[t.Account]
	switch {
	case k == nil || a == nil || k.Account != t.Account || !k.Enabled || a.Blocked:
		return nil
	case !k.From(from) || path != "" && !k.May(path):
		return nil
	}
	return a
}

// Account is the account with an id, or nil.
func (d *Directory) Account(id schema.AccountID) *schema.Account {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.accounts[id]
}

// Asset is the asset with a ticker, or nil.
func (d *Directory) Asset(ticker string) *schema.Asset {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byTicker[ticker]
}

// Market is the market with a name, or nil.
func (d *Directory) Market(name string) *schema.MarketInfo {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byName[name]
}

// Listing is all that is listed, by id, and a number that changes whenever any of it does.
func (d *Directory) Listing() (assets []*schema.Asset, markets []*schema.MarketInfo, generation uint64) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clone(d.assets), slices.Clone(d.markets), d.generation
}

// Generation is the number of Listing.
func (d *Directory) Generation() uint64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.generation
}

// Ticker of an asset that is listed.
func (d *Directory) Ticker(id schema.AssetID) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.assets[id-1].Ticker
}

// marketName of a market that is listed.
func (d *Directory) marketName(id schema.MarketID) string { return d.MarketByID(id).Name }

// MarketByID is a market that is listed.
func (d *Directory) MarketByID(id schema.MarketID) *schema.MarketInfo {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.markets[id-1]
}
