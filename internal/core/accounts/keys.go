package accounts

import (
	"slices"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// KeyRecord is an API key and what was signed with it so far.
type KeyRecord struct {
	Key    schema.Key
	Nonces Nonces
	// Used is when the key was last used, as far as that is known; keys that operators made have none.
	Used schema.Time

	ops schema.Ops // that its URLs give
}

func (k *KeyRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "key", &k.Key)
	wire.Embed(c, 2, "nonces", &k.Nonces)
	wire.Int(c, 3, "used", &k.Used)
}

// customers reports whether a customer made the key, who then knows it by its external id.
func (k *KeyRecord) customers() bool { return k.Key.External != "" }

// touch notes that the key is used.
func (k *KeyRecord) touch(at schema.Time) {
	if k.customers() {
		k.Used = at
	}
}

// Key is an API key, or nil.
func (a *Accounts) Key(public string) *schema.Key {
	if k := a.keys[public]; k != nil {
		return &k.Key
	}
	return nil
}

// Keys are the API keys in the order of their making.
func (a *Accounts) Keys() []*KeyRecord {
	var keys []*KeyRecord
	for _, k := range a.byID {
		if k != nil {
			keys = append(keys, k)
		}
	}
	return keys
}

// key is the key with an id, or nil.
func (a *Accounts) key(id schema.KeyID) *KeyRecord {
	if id == 0 || id > schema.KeyID(len(a.byID)) {
		return nil
	}
	return a.byID[id-1]
}

// Use uses up the nonce of a signed command, if the key may sign and the nonce was not used. No command
// comes from before the clock of the exchange; one that is refused does not move it, so that the next
// may come from before its time. Without exact, nonces were forgotten by the time of the command. The operation is asked for last: a
// request that its key may not make any more is over all the same.
func (a *Accounts) Use(from *schema.Origin, at, clock schema.Time, exact bool) schema.Rejection {
	a.caller = nil
	if from.Key == 0 {
		return schema.Rejection{}
	}
	k := a.key(from.Key)
	if k == nil || !k.Key.On() || k.Key.Partner != 0 && !a.PartnerOn(k.Key.Partner) {
		return schema.Refuse(schema.KeyRefused)
	}
	var used schema.Rejection
	switch {
	case k.Key.Web:
		used = a.UseSession(*from, at, clock)
	case from.Authorized:
	case exact:
		used = schema.Refuse(k.Nonces.UseSince(from.Nonce, from.Window, at, clock))
	default:
		used = schema.Refuse(k.Nonces.Use(from.Nonce, from.Window, at))
	}
	if used.Refused() {
		return used
	}
	k.touch(at)
	if from.Op != 0 && !k.ops.Has(from.Op) {
		return schema.Refuse(schema.KeyNotAllowed)
	}
	a.caller = k
	return schema.Rejection{}
}

// SetKey makes an API key or replaces the settings of one.
func (a *Accounts) SetKey(set schema.Key, out *schema.Outcome) schema.Rejection {
	if r := a.checkKey(&set); r.Refused() {
		return r
	}
	old := a.keys[set.Key]
	if set.ID != 0 && (old == nil || old.Key.ID != set.ID) {
		return schema.Refuse(schema.KeyUnknown)
	}
	if old == nil && (set.External != "" || set.Type != 0 || set.Partner != 0 || set.SecretTaken || set.Idle || set.Web || set.User != 0 || set.AuthAt != 0 || set.Expires != 0) {
		return schema.Refuse(schema.KeyInvalid)
	}
	// The command's memory belongs to the caller.
	set.Sealed, set.URLs, set.Addresses = slices.Clone(set.Sealed), slices.Clone(set.URLs), slices.Clone(set.Addresses)
	if old == nil {
		set.ID, set.Created = a.last+1, out.Time
		a.SetLastKey(set.ID)
		a.addKey(KeyRecord{Key: set})
	} else {
		set.ID, set.Created = old.Key.ID, old.Key.Created
		set.External, set.Type = old.Key.External, old.Key.Type
		set.Partner, set.SecretTaken = old.Key.Partner, old.Key.SecretTaken
		set.Web, set.User, set.AuthAt, set.Expires = old.Key.Web, old.Key.User, old.Key.AuthAt, old.Key.Expires
		set.Idle = false
		old.Key, old.ops = set, schema.OpsOf(set.URLs)
		old.touch(out.Time)
	}
	out.Events.Add(&schema.KeyChanged{Key: set})
	return schema.Rejection{}
}

// maxKey is the longest public part of a key, in bytes.
const maxKey = 128

func (a *Accounts) checkKey(set *schema.Key) schema.Rejection {
	if a.Get(set.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	old := a.keys[set.Key]
	if set.Web || set.Key == "" || len(set.Key) > maxKey || len(set.Sealed) == 0 || old != nil && (old.Key.Web || old.Key.Account != set.Account) {
		return schema.Refuse(schema.KeyInvalid)
	}
	return schema.Rejection{}
}

// addKey adds a key whose id was handed out.
func (a *Accounts) addKey(k KeyRecord) *KeyRecord {
	for schema.KeyID(len(a.byID)) < k.Key.ID {
		a.byID = append(a.byID, nil)
	}
	k.ops = schema.OpsOf(k.Key.URLs)
	a.keys[k.Key.Key], a.byID[k.Key.ID-1] = &k, &k
	a.keysOf[k.Key.Account] = append(a.keysOf[k.Key.Account], &k)
	if k.customers() {
		a.keyExternals[k.Key.External] = &k
	}
	if k.Key.Web {
		a.sessions[k.Key.Account] = append(a.sessions[k.Key.Account], k.Key.ID)
	}
	return &k
}

// removeKey ends a key.
func (a *Accounts) removeKey(k *KeyRecord) {
	delete(a.keys, k.Key.Key)
	a.byID[k.Key.ID-1] = nil
	if k.customers() {
		delete(a.keyExternals, k.Key.External)
	}
	of := a.keysOf[k.Key.Account]
	if of = slices.DeleteFunc(of, func(other *KeyRecord) bool { return other == k }); len(of) == 0 {
		delete(a.keysOf, k.Key.Account)
	} else {
		a.keysOf[k.Key.Account] = of
	}
	a.Out.Events.Add(&schema.KeyChanged{Key: k.Key, Deleted: true})
}

// LastKey is the last id that was handed out.
func (a *Accounts) LastKey() schema.KeyID { return a.last }

// RestoreKey puts a key back; its id must be one that was handed out.
func (a *Accounts) RestoreKey(k KeyRecord) schema.Rejection {
	id := k.Key.ID
	if a.keys[k.Key.Key] != nil || id == 0 || id > a.LastKey() || a.key(id) != nil || !k.Nonces.valid() {
		return schema.Refuse(schema.KeyInvalid)
	}
	if r := a.checkKept(&k); r.Refused() {
		return r
	}
	if !k.customers() && k.Key.Idle || k.customers() && (a.keyExternals[k.Key.External] != nil || k.Key.Type < schema.KeyTrading || k.Key.Type > schema.KeyMoney) {
		return schema.Refuse(schema.KeyInvalid)
	}
	a.addKey(k)
	return schema.Rejection{}
}

// SetLastKey makes ids go on after one.
func (a *Accounts) SetLastKey(id schema.KeyID) { a.last = max(a.last, id) }

// DeleteKey ends an API key.
func (a *Accounts) DeleteKey(public string) schema.Rejection {
	k := a.keys[public]
	if k == nil || k.Key.Web { // a session ends otherwise
		return schema.Refuse(schema.KeyUnknown)
	}
	a.removeKey(k)
	return schema.Rejection{}
}
