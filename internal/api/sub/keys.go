package sub

import (
	"fmt"
	"net/netip"
	"strings"

	"bourse/internal/api"
	"bourse/internal/auth"
	"bourse/internal/directory"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// need notes fields that are not there, in the words of the endpoints about keys.
func need(f *api.Form, names ...string) {
	for _, name := range names {
		if !f.Has(name) {
			f.Lack(400, 0, name, "validation.required")
		}
	}
}

// errNoKey answers for a key that the caller has not made.
var errNoKey = &api.Error{Status: 404, Code: 0, Message: "API key not found"}

// own is the key of a sub-account of the caller that has an id.
func own(a *api.API, master *schema.Account, external string) (api.OwnKey, error) {
	k, there := a.KeyByExternal(external)
	if !there || a.Directory().Account(k.Account).Parent != master.ID || k.Partner != 0 {
		return k, errNoKey
	}
	return k, nil
}

// key is an API key as its master sees it; the secret is there once.
type key struct {
	api.OwnKey
	sub    string
	secret string
	groups []api.KeyGroup
}

// endpoints are those that a key of a sub-account can have, and whether it has them.
func endpoints(a *api.API, k *schema.Key) []api.KeyGroup {
	return a.KeyGroups(func(r *schema.Right) bool { return r.Sub != schema.SubNever && r.Type() <= k.Type }, k.URLs)
}

func (k *key) public() string { return k.Key.Key }

var (
	urlEncoder = api.Encode("KeyUrl", "An endpoint that the API key can have.",
		api.StringField("url", "Path of the endpoint.", func(u *api.KeyURL) string { return u.URL }),
		api.BooleanField("enable", "Whether the key may call it.", func(u *api.KeyURL) bool { return u.Enable }))
	groupEncoder = api.Encode("KeyGroup", "A group of endpoints.",
		api.StringField("name", "Name of the group.", func(g *api.KeyGroup) string { return g.Name }),
		api.StringField("title", "Title of the group.", func(g *api.KeyGroup) string { return g.Title }),
		api.ArrayField("urls", urlEncoder, "Endpoints.", func(g *api.KeyGroup) []api.KeyURL { return g.URLs }))
	secret     = func(k *key) string { return k.secret }
	keyEncoder = api.Encode("SubAccountKey", "API key of a sub-account.",
		api.StringField("subAccountId", "Id of the sub-account.", func(k *key) string { return k.sub }),
		api.StringField("id", "Id of the key: apiKeyId of other requests.", func(k *key) string { return k.External }),
		api.StringField("title", "Title.", func(k *key) string { return k.Title }),
		api.BooleanField("isEnabled", "Whether the key can be used. A key that nobody used for 14 days is switched off; /api/v4/sub-account/api-key/edit switches it on.", func(k *key) bool { return k.On() }),
		api.StringField("apiKey", "Public part, for X-TXC-APIKEY.", (*key).public),
		api.StringField("key", "The same.", (*key).public),
		api.StringField("apiSecret", "Secret. Only the answer to the creation has it; elsewhere it is empty.", secret),
		api.StringField("secret", "The same.", secret),
		api.IntegerField("type", "1: information and trading; 2: deposits and withdrawals as well.", func(k *key) int64 { return int64(k.Type) }),
		api.SecondsField("lastActivity", "Time of the last use of the key; 0 if there was none. Requests that only read count within ten minutes, where keys are switched off for want of use.", func(k *key) schema.Time { return k.Used }),
		api.BooleanField("restrictAccess", "Whether the key may call only what is enabled. Always true.", func(*key) bool { return true }),
		api.ArrayField("accessEndpoints", groupEncoder, "What the key can be allowed, by group.", func(k *key) []api.KeyGroup { return k.groups }))
	keysEncoder = api.Encode("SubAccountKeys", "A page of API keys.",
		api.IntegerField("limit", "As requested.", func(p *page[key]) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *page[key]) int64 { return int64(p.offset) }),
		api.ArrayField("data", keyEncoder, "Keys.", func(p *page[key]) []key { return p.items }))
)

// keyCreation asks for a key.
type keyCreation struct {
	sub, title string
	kind       int64
}

func (q *keyCreation) Read(f *api.Form) {
	need(f, "type", "subAccountId")
	var s api.State
	if q.kind, s = f.Int("type"); s == api.Malformed {
		f.Fail(400, 0, "type", "validation.integer")
	}
	q.sub, q.title = f.String("subAccountId"), title(f)
}

// title reads the name of a key, which may be empty.
func title(f *api.Form) string {
	text := f.String("title")
	if !api.ValidKeyTitle(text) {
		f.Fail(400, 0, "title", schema.Refuse(schema.KeyTitleInvalid).Text())
	}
	return text
}

var errType = api.Refusal(schema.Refuse(schema.KeyTypeInvalid))

var aboutCreateKey = &api.About{
	Summary: "Create an API key of a sub-account",
	Text: "The key may call nothing at first: enable endpoints with /api/v4/sub-account/api-key/edit. The secret is returned once. A sub-account can have 50 API keys. " +
		"Keys of type 1 cannot be allowed deposits, withdrawals or codes.",
	Parameters: map[string]string{
		"type": "1: information and trading; 2: deposits and withdrawals as well.", "subAccountId": "Id of the sub-account.", "title": "Title: at most 100 bytes in UTF-8.",
	},
	Response: keyEncoder.Schema(),
	Refusals: []schema.Reason{schema.KeyTypeInvalid, schema.KeysTooMany, schema.SubNotConfirmed},
	Faults:   []*api.Error{errNoSub},
}

// errNoSub answers requests about keys for a sub-account that the caller does not have.
var errNoSub = api.NewError(400, 0, api.ValidationFailed, "subAccountId", "validation.exists")

func createKey(c api.WriteCall, q *keyCreation) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.sub)
	if err != nil {
		return nil, errNoSub
	}
	if q.kind < int64(schema.KeyTrading) || q.kind > int64(schema.KeyMoney) {
		return nil, errType
	}
	public, secret := auth.NewPair()
	command := &schema.OpenKey{
		By: c.Account.ID, Account: sub.ID, External: uuid.Random(), Key: public, Sealed: c.API.Key().Seal([]byte(secret), directory.Purpose),
		Title: q.title, Type: uint8(q.kind),
	}
	if err := submit(c, command); err != nil {
		return nil, err
	}
	made := &key{sub: sub.External, secret: secret}
	made.Key = schema.Key{Key: public, Title: q.title, Enabled: true, External: command.External, Type: command.Type}
	made.groups = endpoints(c.API, &made.Key)
	return keyEncoder.Answer(made), nil
}

// keyEdition asks for another title and other endpoints.
type keyEdition struct {
	id, title       string
	enable, disable []string
}

func (q *keyEdition) Read(f *api.Form) {
	need(f, "apiKeyId", "title", "urls")
	q.id, q.title = f.String("apiKeyId"), title(f)
	number := 0
	state := f.List("urls", func(item *api.Form) error {
		if item == nil {
			return api.ErrNotObject
		}
		q.readURL(f, item, number)
		number++
		return nil
	})
	if state == api.Malformed || number > 2*len(schema.Rights()) {
		f.Fail(400, 0, "urls", "validation.array")
	}
}

// readURL reads an item of the list. What is wrong with it is noted in the form of the request, as urls.0.enable.
func (q *keyEdition) readURL(f, item *api.Form, number int) {
	need(item, "url", "enable")
	path, enabled := item.String("url"), flag(item, "enable")
	if err := item.Err(); err != nil {
		for _, wrong := range api.ErrorOf(err).Fields {
			for _, text := range wrong.Texts {
				f.Fail(400, 0, fmt.Sprintf("urls.%d.%s", number, wrong.Field), text)
			}
		}
	}
	if enabled {
		q.enable = append(q.enable, path)
	} else {
		q.disable = append(q.disable, path)
	}
}

// restricted answers for URLs that a key cannot have.
func restricted(urls []string) *api.Error {
	return &api.Error{Status: 400, Code: 5, Message: "The following URLs are restricted for sub-account API keys: " + strings.Join(urls, ", ")}
}

var aboutEditKey = &api.About{
	Summary: "Edit an API key of a sub-account",
	Text: "URLs that are not listed stay as they are. Endpoints of deposits, withdrawals and codes can be enabled only by a key that has them itself. " +
		"What is changed holds for the next request that changes something.",
	Parameters: map[string]string{
		"apiKeyId": "Id of the key.", "title": "Title: at most 100 bytes in UTF-8.", "urls": "Endpoints to enable or disable.",
		"urls.url": "Path of the endpoint.", "urls.enable": "If true, the key may call it.",
	},
	Response: doneSchema,
	Refusals: []schema.Reason{schema.KeyURLsNotYours},
	Faults:   []*api.Error{errNoKey, restricted([]string{"/api/v4/main-account/fiat-deposit-url"})},
}

func editKey(c api.WriteCall, q *keyEdition) (api.Answer, error) {
	k, err := own(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, path := range q.enable {
		if r := schema.RightTo(path); r == nil || r.Sub == schema.SubNever || r.Type() > k.Type {
			wrong = append(wrong, path)
		}
	}
	for _, path := range q.disable {
		if schema.RightTo(path) == nil {
			wrong = append(wrong, path)
		}
	}
	if wrong != nil {
		return nil, restricted(wrong)
	}
	return done, submitKey(c, &schema.EditKey{By: c.Account.ID, External: q.id, Title: q.title, Enable: q.enable, Disable: q.disable})
}

// submitKey is submit for commands about a key, which may have ended since it was looked at.
func submitKey(c api.WriteCall, command schema.Command) error {
	var result schema.Result
	err := c.Submit(command, &result)
	if result.Rejection.Reason == schema.KeyUnknown {
		return errNoKey
	}
	return err
}

// keyID is a request for one key.
type keyID struct{ id string }

func (q *keyID) Read(f *api.Form) {
	need(f, "apiKeyId")
	q.id = f.String("apiKeyId")
}

var keyParameter = map[string]string{"apiKeyId": "Id of the key."}

var aboutDeleteKey = &api.About{
	Summary: "Delete an API key of a sub-account", Text: "It ends at once, with its sockets.", Parameters: keyParameter, Response: doneSchema, Faults: []*api.Error{errNoKey},
}

func deleteKey(c api.WriteCall, q *keyID) (api.Answer, error) {
	if _, err := own(c.API, c.Account, q.id); err != nil {
		return nil, err
	}
	return done, submitKey(c, &schema.CloseKey{By: c.Account.ID, External: q.id})
}

var aboutResetKey = &api.About{
	Summary: "Reset an API key of a sub-account",
	Text: "The key gets another public part and another secret, and keeps its id, title, endpoints and IP addresses. The old pair and its sockets end at once. " +
		"The new pair is shown on the page of the main account.",
	Parameters: keyParameter,
	Response:   doneSchema,
	Faults:     []*api.Error{errNoKey},
}

func resetKey(c api.WriteCall, q *keyID) (api.Answer, error) {
	if _, err := own(c.API, c.Account, q.id); err != nil {
		return nil, err
	}
	public, secret := auth.NewPair()
	return done, submitKey(c, &schema.ResetKey{By: c.Account.ID, External: q.id, Key: public, Sealed: c.API.Key().Seal([]byte(secret), directory.Purpose)})
}

// keyListing asks for keys.
type keyListing struct {
	sub           string
	limit, offset int
}

// ofKeys is how lists of keys word what is wrong with limit and offset.
var ofKeys = api.Paging{Status: 400, Code: 0, Integer: "validation.integer", AtLeast: "The %f must be at least %n.", NotAbove: "The %f may not be greater than %n."}

func (q *keyListing) Read(f *api.Form) {
	q.sub = f.String("subAccountId")
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, ofKeys)
}

var aboutListKeys = &api.About{
	Summary: "List API keys of sub-accounts", Text: "Newest first.",
	Parameters: map[string]string{"subAccountId": "Return only keys of this sub-account."},
	Response:   keysEncoder.Schema(),
	Faults:     []*api.Error{errNoSub},
}

func listKeys(c *api.Call, q *keyListing) (api.Answer, error) {
	subs := c.Directory().Subs(c.Account.ID)
	if q.sub != "" {
		sub, err := find(c.API, c.Account, q.sub)
		if err != nil {
			return nil, errNoSub
		}
		subs = []*schema.Account{sub}
	}
	names, ids := map[schema.AccountID]string{}, []schema.AccountID{}
	for _, sub := range subs {
		names[sub.ID], ids = sub.External, append(ids, sub.ID)
	}
	page := &page[key]{[]key{}, q.limit, q.offset}
	for _, k := range c.API.MadeKeys(ids, q.limit, q.offset) {
		page.items = append(page.items, key{OwnKey: k, sub: names[k.Account], groups: endpoints(c.API, &k.Key)})
	}
	return keysEncoder.Answer(page), nil
}

var addressesEncoder = api.Encode("KeyAddresses", "IP addresses that the API key may be used from.",
	api.StringsField("data", "IP addresses. None: from everywhere.", func(list *[]string) []string { return *list }))

var aboutListAddresses = &api.About{
	Summary: "List IP addresses of an API key", Text: "A key without addresses may be used from everywhere.",
	Parameters: keyParameter, Response: addressesEncoder.Schema(), Faults: []*api.Error{errNoKey},
}

func listAddresses(c *api.Call, q *keyID) (api.Answer, error) {
	k, err := own(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	return addressesEncoder.Answer(&k.Addresses), nil
}

// addressOf asks for an address to be added or removed.
type addressOf struct {
	keyID
	ip string
}

func (q *addressOf) Read(f *api.Form) {
	q.keyID.Read(f)
	need(f, "ip")
	q.ip = f.String("ip")
	if _, err := netip.ParseAddr(q.ip); err != nil && f.Has("ip") {
		f.Fail(400, 0, "ip", schema.Refuse(schema.KeyAddressInvalid).Text())
	}
}

var addressParameters = map[string]string{"apiKeyId": "Id of the key.", "ip": "IP address, version 4 or 6; no ranges."}

var aboutAddAddress = &api.About{
	Summary: "Add an IP address to an API key", Text: "Answers with all addresses of the key. A key can have 50.",
	Parameters: addressParameters, Response: addressesEncoder.Schema(),
	Refusals: []schema.Reason{schema.KeyAddressKnown, schema.KeyAddressesTooMany}, Faults: []*api.Error{errNoKey},
}

func addAddress(c api.WriteCall, q *addressOf) (api.Answer, error) { return setAddress(c, q, false) }

var aboutRemoveAddress = &api.About{
	Summary: "Remove an IP address of an API key", Text: "Answers with all addresses that are left. Without any, the key may be used from everywhere.",
	Parameters: addressParameters, Response: addressesEncoder.Schema(),
	Faults: []*api.Error{errNoKey, notListed("192.0.2.1")},
}

func removeAddress(c api.WriteCall, q *addressOf) (api.Answer, error) { return setAddress(c, q, true) }

func notListed(ip string) *api.Error {
	return &api.Error{Status: 400, Code: 5, Message: fmt.Sprintf("IP address %s is not in the allowlist", ip)}
}

func setAddress(c api.WriteCall, q *addressOf, remove bool) (api.Answer, error) {
	if _, err := own(c.API, c.Account, q.id); err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.Submit(&schema.SetKeyAddress{By: c.Account.ID, External: q.id, Address: q.ip, Remove: remove}, &result); err != nil {
		switch result.Rejection.Reason {
		case schema.KeyUnknown:
			return nil, errNoKey
		case schema.KeyAddressUnknown:
			return nil, notListed(q.ip)
		}
		return nil, err
	}
	k, err := own(c.API, c.Account, q.id)
	if err != nil { // it ended meanwhile
		return nil, err
	}
	return addressesEncoder.Answer(&k.Addresses), nil
}
