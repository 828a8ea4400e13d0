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
}

func (k *KeyRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "key", &k.Key)
	wire.Embed(c, 2, "nonces", &k.Nonces)
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
// may come from before its time. Without exact, nonces were forgotten by the time of the command.
func (a *Accounts) Use(from *schema.Origin, at, clock schema.Time, exact bool) schema.Rejection {
	if from.Key == 0 {
		return schema.Rejection{}
	}
	k := a.key(from.Key)
	if k == nil || !k.Key.Enabled {
		return schema.Refuse(schema.KeyRefused)
	}
	if !exact {
		return schema.Refuse(k.Nonces.Use(from.Nonce, from.Window, at))
	}
	return schema.Refuse(k.Nonces.UseSince(from.Nonce, from.Window, at, clock))
}

// SetKey makes an API key or replaces the settings of one.
func (a *Accounts) SetKey(set schema.Key, out *schema.Outcome) schema.Rejection {
	if r := a.checkKey(&set); r.Refused() {
		return r
	}
	old := a.keys[set.Key]
	// The command's memory belongs to the caller.
	set.Sealed, set.URLs, set.Addresses = slices.Clone(set.Sealed), slices.Clone(set.URLs), slices.Clone(set.Addresses)
	if old == nil {
		set.ID, set.Created = a.last+1, out.Time
		a.SetLastKey(set.ID)
		a.addKey(KeyRecord{Key: set})
	} else {
		set.ID, set.Created = old.Key.ID, old.Key.Created
		old.Key = set
	}
	out.Events.Add(&schema.KeyChanged{Key: set})
	return schema.Rejection{}
}

func (a *Accounts) checkKey(set *schema.Key) schema.Rejection {
	if a.Get(set.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	old := a.keys[set.Key]
	if set.Key == "" || len(set.Key) > 128 || len(set.Sealed) == 0 || old != nil && old.Key.Account != set.Account {
		return schema.Refuse(schema.KeyInvalid)
	}
	return schema.Rejection{}
}

// addKey adds a key whose id was handed out.
func (a *Accounts) addKey(k KeyRecord) {
	for schema.KeyID(len(a.byID)) < k.Key.ID {
		a.byID = append(a.byID, nil)
	}
	a.keys[k.Key.Key], a.byID[k.Key.ID-1] = &k, &k
}

// LastKey is the last id that was handed out.
func (a *Accounts) LastKey() schema.KeyID { return a.last }

// RestoreKey puts a key back; its id must be one that was handed out.
func (a *Accounts) RestoreKey(k KeyRecord) schema.Rejection {
	id := k.Key.ID
	if a.keys[k.Key.Key] != nil || id == 0 || id > a.LastKey() || a.key(id) != nil || !k.Nonces.valid() {
		return schema.Refuse(schema.KeyInvalid)
	}
	if r := a.checkKey(&k.Key); r.Refused() {
		return r
	}
	a.addKey(k)
	return schema.Rejection{}
}

// SetLastKey makes ids go on after one.
func (a *Accounts) SetLastKey(id schema.KeyID) { a.last = max(a.last, id) }

// DeleteKey ends an API key.
func (a *Accounts) DeleteKey(public string, out *schema.Outcome) schema.Rejection {
	k := a.keys[public]
	if k == nil {
		return schema.Refuse(schema.KeyUnknown)
	}
	delete(a.keys, public)
	a.byID[k.Key.ID-1] = nil
	out.Events.Add(&schema.KeyChanged{Key: k.Key, Deleted: true})
	return schema.Rejection{}
}
