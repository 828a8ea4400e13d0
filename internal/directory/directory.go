// Package directory is what the doors know about who calls and what there is: customers, their API
// keys, assets, markets and chains, kept beside the exchange so that a request needs no lock of it.
//
// What must hold: the directory hears of every change before the one who made it, so it is never older
// than an answer; what it gives out is never changed. It judges nobody: see api.Allow. The core checks
// again.
package directory

import (
	"slices"
	"sync"
	"sync/atomic"

	"bourse/internal/auth"
	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Directory is the settings of the exchange at hand: who its customers are, which keys they have,
// what is listed.
type Directory struct {
	seal *seal.Key

	mu         sync.RWMutex
	generation uint64
	keys       map[string]*Key
	keysByID   map[schema.KeyID]*Key
	accounts   map[schema.AccountID]*schema.Account
	families   map[schema.AccountID][]schema.AccountID // the sub-accounts of masters
	assets     []*schema.Asset                         // by id, from 1
	markets    []*schema.MarketInfo                    // by id, from 1
	byTicker   map[string]*schema.Asset
	byName     map[string]*schema.MarketInfo
	chains     map[schema.ChainID]*schema.Chain
	chainNames map[string]*schema.Chain
	sessions   map[string]*Key // web keys, by the digest of what the browser has
	users      users
	partners   partners
	forget     func(schema.KeyID)
	closed     atomic.Bool
	judged     atomic.Bool
	endsIdle   atomic.Bool
}

// Follow makes a directory of the settings of a node. Forget is called with keys that were deleted.
func Follow(n *node.Node, forget func(schema.KeyID)) *Directory {
	d := &Directory{
		seal: n.Key(), keys: map[string]*Key{}, keysByID: map[schema.KeyID]*Key{}, accounts: map[schema.AccountID]*schema.Account{},
		families: map[schema.AccountID][]schema.AccountID{},
		byTicker: map[string]*schema.Asset{}, byName: map[string]*schema.MarketInfo{}, chains: map[schema.ChainID]*schema.Chain{},
		chainNames: map[string]*schema.Chain{}, sessions: map[string]*Key{}, users: newUsers(), partners: newPartners(), forget: forget,
	}
	n.Watch(d.look, d.changed)
	return d
}

func (d *Directory) look(m core.View) {
	d.closed.Store(m.InMaintenance())
	d.judged.Store(m.Features().JudgedKeys)
	d.endsIdle.Store(m.Accounts().EndsIdle())
	for _, a := range m.Listing().Assets() {
		d.setAsset(*a)
	}
	for _, info := range m.Listing().Markets() {
		d.setMarket(*info)
	}
	for _, c := range m.Chains().All() {
		d.setChain(c)
	}
	for _, p := range m.OAuth().Partners() {
		d.partners.set(*p)
	}
	for _, a := range m.Accounts().All() {
		d.setAccount(*a)
		for _, g := range m.OAuth().Grants(a.ID) {
			d.partners.grant(*g, false)
		}
	}
	for _, k := range m.Accounts().Keys() {
		d.setKey(k.Key)
	}
	for _, u := range m.Identity().Users() {
		shown := *u
		shown.Passkeys = slices.Clone(u.Passkeys)
		d.users.set(&shown)
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
	case *schema.ChainChanged:
		d.setChain(e.Chain)
	case *schema.AccountChanged:
		d.setAccount(e.Account)
	case *schema.KeyChanged:
		if e.Deleted {
			delete(d.keys, e.Key.Key)
			delete(d.sessions, e.Key.Key)
			delete(d.keysByID, e.Key.ID)
			d.forget(e.Key.ID)
		} else {
			d.setKey(e.Key)
		}
	case *schema.UserChanged:
		d.users.set(&e.User)
	case *schema.PartnerChanged:
		d.partners.set(e.Partner)
	case *schema.GrantChanged:
		d.partners.grant(e.Grant, e.Ended)
	case *schema.FeatureChanged:
		switch e.Feature.Feature {
		case schema.PlatformMaintenance:
			d.closed.Store(e.Feature.On)
		case schema.JudgedKeys:
			d.judged.Store(e.Feature.On)
		case schema.IdleKeys:
			d.endsIdle.Store(e.Feature.On)
		}
	}
}

func (d *Directory) setAccount(a schema.Account) {
	if _, known := d.accounts[a.ID]; !known && a.IsSub() {
		d.families[a.Parent] = append(d.families[a.Parent], a.ID)
	}
	d.accounts[a.ID] = &a
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

func (d *Directory) setChain(c schema.Chain) { d.chains[c.ID], d.chainNames[c.Name] = &c, &c }

func (d *Directory) setKey(k schema.Key) {
	key := d.keyOf(k)
	if k.Web { // it has no secret: it signs nothing
		d.sessions[k.Key], d.keysByID[k.ID] = key, key
		return
	}
	// A secret that cannot be opened belongs to another master key: the key signs nothing.
	if secret, err := d.seal.Open(k.Sealed, Purpose); err == nil {
		key.Secret = auth.NewSecret(secret)
	}
	d.keys[k.Key], d.keysByID[k.ID] = key, key
}

// Closed reports whether the platform is in maintenance: then clients are answered nothing but
// that, see api.Operation.Open.
func (d *Directory) Closed() bool { return d.closed.Load() }

// Judged is the number of an operation as commands carry it: 0 while the exchange does not judge keys by it.
func (d *Directory) Judged(op schema.Op) schema.Op {
	if d.judged.Load() {
		return op
	}
	return 0
}

// EndsIdle reports whether the exchange switches off keys that nobody uses, and so wants to hear who uses one.
func (d *Directory) EndsIdle() bool { return d.endsIdle.Load() }

// Key is the API key with a public part, or nil.
func (d *Directory) Key(public []byte) *Key {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.keys[string(public)]
}

// KeyByID is the API key with an id, or nil.
func (d *Directory) KeyByID(id schema.KeyID) *Key {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.keysByID[id]
}

// Account is the account with an id, or nil.
func (d *Directory) Account(id schema.AccountID) *schema.Account {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.accounts[id]
}

// Subs are the sub-accounts of a master that are not deleted, in the order of their making.
func (d *Directory) Subs(master schema.AccountID) (list []*schema.Account) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, id := range d.families[master] {
		if sub := d.accounts[id]; sub.Status != schema.SubDeleted {
			list = append(list, sub)
		}
	}
	return list
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

// Chain is the chain with an id, or nil.
func (d *Directory) Chain(id schema.ChainID) *schema.Chain {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.chains[id]
}

// ChainByName is the chain with a name, or nil.
func (d *Directory) ChainByName(name string) *schema.Chain {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.chainNames[name]
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

// AssetByID is an asset that is listed.
func (d *Directory) AssetByID(id schema.AssetID) *schema.Asset {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.assets[id-1]
}

// UnifiedID is the number by which aggregators know an asset that is listed.
func (d *Directory) UnifiedID(id schema.AssetID) uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.assets[id-1].UnifiedID
}

// FeeAsset is what a side of a market pays its fee in: what it receives, money with margin, and USDT on futures,
// whatever they are quoted in.
func (d *Directory) FeeAsset(m *schema.MarketInfo, side schema.Side, margin bool) string {
	switch {
	case m.Future():
		return "USDT"
	case side == schema.Buy && !margin:
		return d.Ticker(m.Base)
	}
	return d.Ticker(m.Quote)
}

// MarketName is the name of a market that is listed.
func (d *Directory) MarketName(id schema.MarketID) string { return d.MarketByID(id).Name }

// MarketByID is a market that is listed.
func (d *Directory) MarketByID(id schema.MarketID) *schema.MarketInfo {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.markets[id-1]
}
