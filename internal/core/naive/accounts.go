package naive

import (
	"slices"

	"bourse/internal/schema"
)

// accounts is the customers, their API keys and their sessions, which are keys, too.
type accounts struct {
	call    *call
	oauth   *oauth
	all     []schema.Account
	keys    []*key // by id
	lastKey schema.KeyID
	turns   int // uses of sessions

	idleSince schema.Time // from when keys must be used to stay on; 0: they stay on
	idleNext  schema.Time // when they are looked at
	idleSeen  schema.KeyID
}

// key is an API key and the nonces that came with it.
type key struct {
	schema.Key
	ordinary []uint64    // in the ordinary mode
	window   []uint64    // in window mode
	lastUsed schema.Time // of one that customers know; 0: never

	// What a session has: when it was last used, to ten minutes, how many wrong factors came in it since the last right one, and what made its
	// commands unique.
	used  schema.Time
	turn  int // of all uses, that of the last
	wrong int
	once  []usedUp
	// allowed is when the factor was given by which a client was let in last: one lets in one.
	allowed schema.Time
}

func (a *accounts) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetAccount:
		result = a.setAccount(a.kept(c))
	case *schema.SetKey:
		result = a.setKey(c.Key)
	case *schema.DeleteKey:
		result = a.deleteKey(c.Key)
	case *schema.SetSub:
		result = a.setSub(c)
	case *schema.VerifySub:
		result = reject(a.verifySub(c))
	case *schema.OpenKey:
		result = a.openKey(c)
	case *schema.EditKey:
		result = reject(a.editKey(c))
	case *schema.SetKeyAddress:
		result = reject(a.setKeyAddress(c))
	case *schema.CloseKey:
		result = reject(a.closeKey(c))
	case *schema.ResetKey:
		result = a.resetKey(c)
	case *schema.TouchKeys:
		result = reject(a.touchKeys(c))
	default:
		return nil
	}
	return &result
}

// customer finds an account that is a customer.
func (a *accounts) customer(id schema.AccountID) (*schema.Account, schema.Rejection) {
	for i := range a.all {
		if a.all[i].ID == id {
			return &a.all[i], accepted
		}
	}
	return nil, because(schema.AccountUnknown)
}

// living finds a customer that is no sub-account which ended.
func (a *accounts) living(id schema.AccountID) (*schema.Account, schema.Rejection) {
	found, r := a.customer(id)
	if refused(r) || found.Status == schema.SubDeleted {
		return nil, because(schema.AccountUnknown)
	}
	return found, accepted
}

// trader finds a customer that may act: no operator blocked it or its master, and a sub-account is active.
func (a *accounts) trader(id schema.AccountID) (*schema.Account, schema.Rejection) {
	found, r := a.customer(id)
	if refused(r) {
		return nil, r
	}
	if a.barred(id) || found.Parent != 0 && found.Status != schema.SubActive {
		return nil, because(schema.AccountBlocked)
	}
	return found, accepted
}

// barred reports whether an operator blocked a customer or its master.
func (a *accounts) barred(id schema.AccountID) bool {
	account, _ := a.customer(id)
	return account.Blocked || a.master(account).Blocked
}

// region is the one whose rules hold for an account: the European ones hold for accounts of that
// region and at the deployment of that region.
func (a *accounts) region(account *schema.Account) schema.Region {
	if account.Region == schema.EU || a.call.region == schema.EU {
		return schema.EU
	}
	return schema.Global
}

// kept is what an account is set to: what the command leaves alone is as it is now.
func (a *accounts) kept(c *schema.SetAccount) schema.Account {
	set := c.Account
	for _, now := range a.all {
		if now.ID == set.ID && c.KeepRestriction {
			set.RestrictedUntil = now.RestrictedUntil
		}
		if now.ID == set.ID && c.KeepVerified {
			set.Verified = now.Verified
		}
	}
	return set
}

// barsAsset reports whether European rules keep an account from an asset, whatever brings it or takes it away.
func (a *accounts) barsAsset(account *schema.Account, asset *schema.Asset) bool {
	european := account.Region == schema.EU || a.master(account).Region == schema.EU || a.call.region == schema.EU
	return asset.NotInEU && european
}

func (a *accounts) setAccount(set schema.Account) schema.Result {
	known, _ := a.customer(set.ID)
	if set.ID != 0 && known == nil {
		return refuse(schema.AccountUnknown)
	}
	taken := slices.ContainsFunc(a.all, func(other schema.Account) bool {
		return other.Name == set.Name && other.ID != set.ID
	})
	switch {
	case len(set.Name) < 1, len(set.Name) > 64, known == nil && !ofNobody(&set):
		return refuse(schema.NameInvalid)
	case taken:
		return refuse(schema.NameTaken)
	case !validRegion(set.Region):
		return refuse(schema.RegionInvalid)
	case set.Tier > tierMost, set.RestrictedUntil < 0:
		return refuse(schema.TierInvalid)
	case !validFees(set.MakerFee, set.TakerFee):
		return refuse(schema.FeeInvalid)
	case set.MaxLeverage != 0 && !slices.Contains(leverages, int64(set.MaxLeverage)):
		return reject(about(schema.LeverageInvalid, whole(100)))
	}
	if known == nil {
		set.Created = a.call.at
		return a.add(set)
	}
	set.Created, set.Parent, set.External, set.Alias, set.Email = known.Created, known.Parent, known.External, known.Alias, known.Email
	set.Status, set.ShareKYC, set.Spot, set.Margin = known.Status, known.ShareKYC, known.Spot, known.Margin
	*known = set
	a.clamp(known)
	a.call.record(&schema.AccountChanged{Account: *known})
	for _, sub := range a.subs(known.ID) {
		before := *sub
		a.clamp(sub)
		if *sub != before {
			a.call.record(&schema.AccountChanged{Account: *sub})
		}
	}
	if known.Blocked {
		a.oauth.endAll(known.ID)
	}
	return schema.Result{ID: uint64(set.ID)}
}

// add gives a new account its id.
func (a *accounts) add(made schema.Account) schema.Result {
	made.ID = 101 + schema.AccountID(len(a.all))
	a.all = append(a.all, made)
	a.call.record(&schema.AccountChanged{Account: made})
	return schema.Result{ID: uint64(made.ID)}
}

func (a *accounts) setKey(set schema.Key) schema.Result {
	if _, r := a.customer(set.Account); refused(r) {
		return reject(r)
	}
	known := a.public(set.Key)
	if len(set.Key) < 1 || len(set.Key) > 128 || len(set.Sealed) == 0 || known != nil && (known.Account != set.Account || known.Web) {
		return refuse(schema.KeyInvalid)
	}
	if meant := a.key(set.ID); set.ID != 0 && (meant == nil || meant != known) { // who set it meant another key
		return refuse(schema.KeyUnknown)
	}
	if known == nil && !ofOperators(&set) {
		return refuse(schema.KeyInvalid)
	}
	if known != nil {
		set.ID, set.Created = known.ID, known.Created
		set.External, set.Type, set.Partner, set.SecretTaken = known.External, known.Type, known.Partner, known.SecretTaken
		set.Web, set.User, set.AuthAt, set.Expires = known.Web, known.User, known.AuthAt, known.Expires
		set.Idle = false
		known.Key = set
		a.touch(known)
		a.call.record(&schema.KeyChanged{Key: set})
	} else {
		a.addKey(set)
	}
	return schema.Result{}
}

// ofOperators reports whether nothing of a key is what only those of customers and sessions have.
func ofOperators(k *schema.Key) bool {
	return k.External == "" && k.Type == 0 && k.Partner == 0 && !k.SecretTaken && !k.Idle && !k.Web && k.User == 0 && k.AuthAt == 0 && k.Expires == 0
}

// addKey gives a new key its id.
func (a *accounts) addKey(made schema.Key) schema.Result {
	a.lastKey++
	made.ID, made.Created = a.lastKey, a.call.at
	a.keys = append(a.keys, &key{Key: made})
	a.call.record(&schema.KeyChanged{Key: made})
	return schema.Result{ID: uint64(made.ID)}
}

// public finds a key by its public part, or nil.
func (a *accounts) public(text string) *key {
	for _, k := range a.keys {
		if k.Key.Key == text {
			return k
		}
	}
	return nil
}

func (a *accounts) deleteKey(public string) schema.Result {
	k := a.public(public)
	if k == nil || k.Web {
		return refuse(schema.KeyUnknown)
	}
	a.endKey(k)
	return schema.Result{}
}

// endKey takes a key away for good.
func (a *accounts) endKey(k *key) {
	a.keys = slices.DeleteFunc(a.keys, func(other *key) bool { return other == k })
	a.call.record(&schema.KeyChanged{Key: k.Key, Deleted: true})
}

// admit looks at the key and the nonce that a command came with, and uses the nonce up. Those of connections that were authorized have none.
// Then the key must have what was called.
func (a *accounts) admit(from schema.Origin) schema.Rejection {
	if from.Key == 0 {
		return accepted
	}
	k := a.key(from.Key)
	if k == nil || !k.Enabled || k.Idle || k.Partner != 0 && a.oauth.on(k.Partner) == nil {
		return because(schema.KeyRefused)
	}
	if k.Web {
		if r := a.admitSession(k, from); refused(r) {
			return r
		}
	} else if !from.Authorized {
		if r := k.use(from, a.call.at); refused(r) {
			return r
		}
	}
	a.touch(k)
	if from.Op != 0 && !k.may(from.Op) {
		return because(schema.KeyNotAllowed)
	}
	return accepted
}

// key finds a key, or nil.
func (a *accounts) key(id schema.KeyID) *key {
	for _, k := range a.keys {
		if k.ID == id {
			return k
		}
	}
	return nil
}

// use takes a nonce that is good. In the ordinary mode it is greater than any before, and than 0. In window mode
// it is a time in milliseconds, within five seconds of the command's in milliseconds, greater than
// every ordinary one, and was not used yet.
func (k *key) use(from schema.Origin, at schema.Time) schema.Rejection {
	n := from.Nonce
	if !from.Window {
		if n == 0 || slices.ContainsFunc(slices.Concat(k.ordinary, k.window), func(used uint64) bool { return used >= n }) {
			return because(schema.NonceUsed)
		}
		k.ordinary = append(k.ordinary, n)
		return accepted
	}
	away := wholeUint64(n).minus(whole(int64(at / 1000)))
	if away.more(whole(5_000)) || away.less(whole(-5_000)) {
		return because(schema.NonceOutsideWindow)
	}
	if slices.Contains(k.window, n) || slices.ContainsFunc(k.ordinary, func(used uint64) bool { return used >= n }) {
		return because(schema.NonceUsed)
	}
	k.window = append(k.window, n)
	return accepted
}
