package web

import (
	"net/http"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/auth"
	"bourse/internal/directory"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// The API keys of who is signed in, and of the sub-accounts. The core decides who may do what; nobody is shown a secret twice.

// shownKeys are the API keys of an account, and what can be done with them.
type shownKeys struct {
	Accounts []shownAccount `json:"accounts"`
	// Types are those of keys that can be made, MostKeys how many there can be, and MostAddresses of one.
	Types         []int `json:"types"`
	MostKeys      int   `json:"most_keys"`
	MostAddresses int   `json:"most_addresses"`
	// Groups are the endpoints that keys of the account can have, and Exits the groups by which money leaves.
	Groups []shownGroup `json:"groups"`
	Exits  []string     `json:"exits"`
	Keys   []shownKey   `json:"keys"` // the newest first
}

type shownGroup struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Type  uint8    `json:"type"` // of keys that can have them
	URLs  []string `json:"urls"`
}

// shownKey is an API key.
type shownKey struct {
	ID        string      `json:"id"`  // "": operators made it
	Key       string      `json:"key"` // the public part
	Title     string      `json:"title"`
	Type      uint8       `json:"type"` // 0: operators chose what it may call
	Enabled   bool        `json:"enabled"`
	Created   schema.Time `json:"created"`
	LastUsed  schema.Time `json:"last_used"` // 0: never, as far as that is known
	URLs      []string    `json:"urls"`
	Addresses []string    `json:"addresses"` // none: from everywhere
	// Program is the client of OAuth that the key was issued for: what it may call is fixed, and the addresses are the client's.
	Program string `json:"program,omitempty"`
	// Editable says that who looks may change and reset the key, Deletable that he may delete it.
	Editable  bool `json:"editable"`
	Deletable bool `json:"deletable"`
	// Unseen says that the secret of the key waits to be shown, once: a program reset it.
	Unseen bool `json:"unseen"`
}

// shownPair is a key with its secret, which is shown once.
type shownPair struct {
	ID     string `json:"id"`
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

func (s *Server) listKeys(r *request) (any, error) {
	of, err := s.askedAccount(r)
	if err != nil {
		return nil, err
	}
	// A user of a sub-account makes keys that cannot move money; those that can are the master's to give.
	limited := of.IsSub() && of.ID == r.session.Account
	shown := shownKeys{
		Accounts: s.lookedAfter(r), Types: []int{int(schema.KeyTrading), int(schema.KeyMoney)}, MostKeys: schema.MaxKeys, MostAddresses: schema.MaxKeyAddresses,
		Groups: []shownGroup{}, Exits: exits, Keys: []shownKey{},
	}
	if limited {
		shown.Types = shown.Types[:1]
	}
	for _, g := range s.groupsOf(of, schema.KeyMoney) {
		with := shownGroup{Name: g.Name, Title: g.Title, Type: schema.RightTo(g.URLs[0].URL).Type()}
		for _, u := range g.URLs {
			with.URLs = append(with.URLs, u.URL)
		}
		shown.Groups = append(shown.Groups, with)
	}
	for _, k := range s.api.KeysOf(of.ID) {
		shown.Keys = append(shown.Keys, s.keyShown(&k, limited))
	}
	return shown, nil
}

// groupsOf are the endpoints that keys up to a type can have, of an account.
func (s *Server) groupsOf(a *schema.Account, most uint8) []api.KeyGroup {
	return s.api.KeyGroups(func(r *schema.Right) bool { return r.Type() <= most && !(a.IsSub() && r.Sub == schema.SubNever) }, nil)
}

// keyShown is a key as who looks after it sees it; limited: he is the user of a sub-account.
func (s *Server) keyShown(k *api.OwnKey, limited bool) shownKey {
	own := k.External != "" && k.Partner == 0 && !(limited && k.Type == schema.KeyMoney)
	shown := shownKey{
		ID: k.External, Key: k.Key.Key, Title: k.Title, Type: k.Type, Enabled: s.api.Directory().KeyOf(k.Key).On(), Created: seconds(k.Created), LastUsed: seconds(k.Used),
		URLs: append([]string{}, k.URLs...), Addresses: append([]string{}, k.Addresses...), Editable: own, Deletable: own || k.Partner != 0, Unseen: own && !k.SecretTaken,
	}
	if k.Partner != 0 {
		p := s.api.Directory().Partner(k.Partner)
		shown.Program, shown.Addresses = p.Title, p.Addresses
	}
	return shown
}

var errKeyTitle = wrong("title", schema.Refuse(schema.KeyTitleInvalid).Text())

// makeKey makes a key that may call nothing. Who has no second factor is asked to get one first.
func (a *act) makeKey() (any, error) {
	var q struct {
		Account string `json:"account"`
		Type    uint8  `json:"type"`
		Title   string `json:"title"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	of, err := a.whose(a.request, q.Account)
	switch u := a.user(a.request); {
	case err != nil:
		return nil, err
	case !api.ValidKeyTitle(q.Title):
		return nil, errKeyTitle
	case u != nil && !u.Protected():
		return nil, api.ErrNoFactor
	}
	made := newPair(uuid.Random())
	err = a.submit(&schema.OpenKey{
		By: a.session.Account, Account: of.ID, External: made.ID, Key: made.Key, Sealed: a.sealPair(made), Title: q.Title, Type: q.Type,
	})
	return made, err
}

func newPair(id string) *shownPair {
	public, secret := auth.NewPair()
	return &shownPair{id, public, secret}
}

func (s *Server) sealPair(p *shownPair) []byte {
	return s.api.Key().Seal([]byte(p.Secret), directory.Purpose)
}

// editKey names a key and changes what it may call; what is not mentioned stays.
func (a *act) editKey() (any, error) {
	var q struct {
		ID      string   `json:"id"`
		Title   *string  `json:"title"`
		Enable  []string `json:"enable"`
		Disable []string `json:"disable"`
		Factor  factor   `json:"factor"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	k, err := a.managed(q.ID)
	if err != nil {
		return nil, err
	}
	if q.Title == nil {
		q.Title = &k.Title
	}
	if !api.ValidKeyTitle(*q.Title) {
		return nil, errKeyTitle
	}
	if never := a.never(&k, q.Enable); never != nil {
		return nil, &api.Error{Status: http.StatusBadRequest, Code: 5, Message: schema.Refuse(schema.KeyURLsInvalid).Text() + ": " + strings.Join(never, ", ")}
	}
	given := q.Enable
	if k.Idle { // it is switched on, and with it what it keeps
		kept := slices.DeleteFunc(slices.Clone(k.URLs), func(url string) bool { return slices.Contains(q.Disable, url) })
		given = slices.Concat(given, kept)
	}
	if slices.ContainsFunc(given, isExit) || q.Factor.given() {
		if err := a.proven(&q.Factor); err != nil {
			return nil, err
		}
	}
	return done{}, a.submit(&schema.EditKey{By: a.session.Account, External: q.ID, Title: *q.Title, Enable: q.Enable, Disable: q.Disable})
}

// never are those of some endpoints that a key cannot have.
func (a *act) never(k *api.OwnKey, urls []string) (list []string) {
	can := map[string]bool{}
	for _, g := range a.groupsOf(a.api.Directory().Account(k.Account), k.Type) {
		for _, u := range g.URLs {
			can[u.URL] = true
		}
	}
	for _, url := range urls {
		if !can[url] {
			list = append(list, url)
		}
	}
	return list
}

// isExit reports whether money leaves by an endpoint.
func isExit(url string) bool {
	right := schema.RightTo(url)
	return url == schema.AllURLs || right != nil && slices.Contains(exits, string(right.Group))
}

var errNoKey = &api.Error{Status: http.StatusNotFound, Message: "There is no such API key."}

// managed is the key with an id, if its account is that of the session or a sub-account's. What may be done with it the core says.
func (a *act) managed(id string) (k api.OwnKey, err error) {
	k, there := a.api.KeyByExternal(id)
	if !there {
		return k, errNoKey
	}
	if account := a.api.Directory().Account(k.Account); account.ID != a.session.Account && account.Parent != a.session.Account {
		return k, errNoKey
	}
	return k, nil
}

// setKeyAddress adds an address that a key may be used from, or takes one away.
func (a *act) setKeyAddress() (any, error) {
	var q struct {
		ID      string `json:"id"`
		Address string `json:"address"`
		Remove  bool   `json:"remove"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	if _, err := a.managed(q.ID); err != nil {
		return nil, err
	}
	return done{}, a.submit(&schema.SetKeyAddress{By: a.session.Account, External: q.ID, Address: q.Address, Remove: q.Remove})
}

// handed checks that the pair of a key can be shown to who asks: one by which money leaves takes a factor in the very request, as enabling
// that does.
func (a *act) handed() (k api.OwnKey, err error) {
	var q struct {
		ID     string `json:"id"`
		Factor factor `json:"factor"`
	}
	if err := a.read(&q); err != nil {
		return k, err
	}
	if k, err = a.managed(q.ID); err != nil {
		return k, err
	}
	if slices.ContainsFunc(k.URLs, isExit) || q.Factor.given() {
		err = a.proven(&q.Factor)
	}
	return k, err
}

// resetKey gives a key another pair.
func (a *act) resetKey() (any, error) {
	k, err := a.handed()
	if err != nil {
		return nil, err
	}
	made := newPair(k.External)
	err = a.submit(&schema.ResetKey{By: a.session.Account, External: k.External, Key: made.Key, Sealed: a.sealPair(made)})
	return made, err
}

var errSeen = &api.Error{Status: http.StatusConflict, Message: "The secret was shown already. Reset the key to have another one."}

// showSecret shows the secret of a key that a program reset, once.
func (a *act) showSecret() (any, error) {
	k, err := a.handed()
	switch {
	case err != nil:
		return nil, err
	case k.Partner != 0:
		return nil, errNoKey
	case k.SecretTaken:
		return nil, errSeen
	}
	if err := a.submit(&schema.ResetKey{By: a.session.Account, External: k.External, Key: k.Key.Key, Taken: true}); err != nil {
		return nil, err
	}
	secret, err := a.api.Key().Open(k.Sealed, directory.Purpose)
	if err != nil {
		return nil, err
	}
	return &shownPair{k.External, k.Key.Key, string(secret)}, nil
}

// deleteKey ends a key, also one that was issued for a client of OAuth.
func (a *act) deleteKey() (any, error) {
	var q struct {
		ID string `json:"id"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	k, err := a.managed(q.ID)
	switch {
	case err != nil:
		return nil, err
	case k.Partner != 0 && k.Account == a.session.Account:
		return done{}, a.submit(&schema.RevokePartner{Account: k.Account, Partner: k.Partner, External: k.External})
	}
	return done{}, a.submit(&schema.CloseKey{By: a.session.Account, External: q.ID})
}
