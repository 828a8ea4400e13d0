package naive

import (
	"slices"

	"bourse/internal/schema"
)

// accounts is the customers and their API keys.
type accounts struct {
	call    *call
	all     []schema.Account
	keys    []*key // by id
	lastKey schema.KeyID
}

// key is an API key and the nonces that came with it.
type key struct {
	schema.Key
	ordinary []uint64 // in the ordinary mode
	window   []uint64 // in window mode
}

func (a *accounts) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetAccount:
		result = a.setAccount(c.Account)
	case *schema.SetKey:
		result = a.setKey(c.Key)
	case *schema.DeleteKey:
		result = a.deleteKey(c.Key)
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

// trader finds a customer that is not blocked.
func (a *accounts) trader(id schema.AccountID) (*schema.Account, schema.Rejection) {
	found, r := a.customer(id)
	if refused(r) {
		return nil, r
	}
	if found.Blocked {
		return nil, because(schema.AccountBlocked)
	}
	return found, accepted
}

// region is the one whose rules hold for an account: the European ones hold for accounts of that
// region and at the deployment of that region.
func (a *accounts) region(account *schema.Account) schema.Region {
	if account.Region == schema.EU || a.call.region == schema.EU {
		return schema.EU
	}
	return schema.Global
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
	case len(set.Name) < 1 || len(set.Name) > 64:
		return refuse(schema.NameInvalid)
	case taken:
		return refuse(schema.NameTaken)
	case !validRegion(set.Region):
		return refuse(schema.RegionInvalid)
	case set.Tier > tierMost, set.RestrictedUntil < 0:
		return refuse(schema.TierInvalid)
	case !validFees(set.MakerFee, set.TakerFee):
		return refuse(schema.FeeInvalid)
	}
	if known != nil {
		set.Created = known.Created
		*known = set
	} else {
		set.ID = 101 + schema.AccountID(len(a.all))
		set.Created = a.call.at
		a.all = append(a.all, set)
	}
	a.call.record(&schema.AccountChanged{Account: set})
	return schema.Result{ID: uint64(set.ID)}
}

func (a *accounts) setKey(set schema.Key) schema.Result {
	if _, r := a.customer(set.Account); refused(r) {
		return reject(r)
	}
	var known *key
	for _, k := range a.keys {
		if k.Key.Key == set.Key {
			known = k
		}
	}
	if len(set.Key) < 1 || len(set.Key) > 128 || len(set.Sealed) == 0 || known != nil && known.Account != set.Account {
		return refuse(schema.KeyInvalid)
	}
	if known != nil {
		set.ID, set.Created = known.ID, known.Created
		known.Key = set
	} else {
		a.lastKey++
		set.ID, set.Created = a.lastKey, a.call.at
		a.keys = append(a.keys, &key{Key: set})
	}
	a.call.record(&schema.KeyChanged{Key: set})
	return schema.Result{}
}

func (a *accounts) deleteKey(public string) schema.Result {
	for i, k := range a.keys {
		if k.Key.Key == public {
			a.keys = slices.Delete(a.keys, i, i+1)
			a.call.record(&schema.KeyChanged{Key: k.Key, Deleted: true})
			return schema.Result{}
		}
	}
	return refuse(schema.KeyUnknown)
}

// admit looks at the key and the nonce that a command came with, and uses the nonce up.
func (a *accounts) admit(from schema.Origin) schema.Rejection {
	if from.Key == 0 {
		return accepted
	}
	for _, k := range a.keys {
		if k.ID == from.Key && k.Enabled {
			return k.use(from, a.call.at)
		}
	}
	return because(schema.KeyRefused)
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
