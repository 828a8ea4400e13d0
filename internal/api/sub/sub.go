// Package sub is sub-accounts in the API: their making and end, the money between them and their master, withdrawals that wait for the
// master, and their API keys.
package sub

import (
	"net/mail"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// Options of the group.
type Options struct {
	// Confirmed makes sub-accounts active at once, without an invitation that somebody accepts: for a demo.
	Confirmed bool
}

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations(o Options) []api.Operation {
	approves := func(a *schema.Account) bool { return a.Approvals }
	links := func(a *schema.Account) bool { return a.KYCLinks }
	return []api.Operation{
		post("create", api.Writer(o.create, aboutCreate)),
		post("edit", api.Writer(edit, aboutEdit)),
		post("delete", api.Writer(remove, aboutRemove)),
		post("list", api.Reader(list, aboutList)),
		post("block", api.Writer(block, aboutBlock)),
		post("unblock", api.Writer(unblock, aboutUnblock)),
		post("balances", api.Reader(balances, aboutBalances)),
		post("transfer", api.Writer(move, aboutMove)),
		post("transfer/history", api.Reader(moves, aboutMoves)),
		post("withdraw/unconfirmed-list", api.Reader(unconfirmed, aboutUnconfirmed)).For(approves, 404).WithErrorMapping(hidden),
		post("withdraw/confirm", api.Writer(confirm, aboutConfirm)).For(approves, 404).WithErrorMapping(hidden),
		post("kyc-url", api.Reader(kycLink, aboutKYC)).For(links, 404).WithErrorMapping(func(e *api.Error) *api.Error { return hidden(api.Credentials(e)) }),
		post("api-key/create", api.Writer(createKey, aboutCreateKey)),
		post("api-key/edit", api.Writer(editKey, aboutEditKey)),
		post("api-key/delete", api.Writer(deleteKey, aboutDeleteKey)),
		post("api-key/list", api.Reader(listKeys, aboutListKeys)),
		post("api-key/reset", api.Writer(resetKey, aboutResetKey)),
		post("api-key/ip-address/list", api.Reader(listAddresses, aboutListAddresses)),
		post("api-key/ip-address/create", api.Writer(addAddress, aboutAddAddress)),
		post("api-key/ip-address/delete", api.Writer(removeAddress, aboutRemoveAddress)),
	}
}

func post(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/sub-account/"+name, api.Per10s(1000), h)
}

// done is the empty object that stands for "done" in this group.
var (
	done       = api.Bytes("{}")
	doneSchema = api.Object("SubAccountDone", "An empty object: the request succeeded.")
)

// errUnknown answers for a sub-account that the caller does not have.
var errUnknown = api.Refusal(schema.Refuse(schema.SubUnknown))

// find is the sub-account of the caller with an id.
func find(a *api.API, master *schema.Account, external string) (*schema.Account, error) {
	all := a.Directory().Subs(master.ID)
	if at := slices.IndexFunc(all, func(a *schema.Account) bool { return a.External == external }); at >= 0 {
		return all[at], nil
	}
	return nil, errUnknown
}

// byID is a request for one sub-account.
type byID struct{ id string }

func (q *byID) Read(f *api.Form) {
	f.Demand("id")
	q.id = f.String("id")
}

var idParameter = map[string]string{"id": "Id of the sub-account."}

// permissions are the wallets that money may be moved to.
type permissions struct{ spot, collateral bool }

func (p *permissions) read(f *api.Form) {
	f.Demand("permissions")
	state := f.Object("permissions", func(f *api.Form) {
		f.Demand("spotEnabled", "collateralEnabled")
		p.spot, p.collateral = flag(f, "spotEnabled"), flag(f, "collateralEnabled")
	})
	if state == api.Malformed {
		f.Fail(400, 0, "permissions", "The permissions must be an object.")
	}
}

func flag(f *api.Form, name string) bool {
	value, s := f.Bool(name)
	if s == api.Malformed {
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" field must be true or false.")
	}
	return value
}

var permissionParameters = map[string]string{
	"alias":                         "Name of the sub-account: 1 to 64 bytes in UTF-8, unique among the sub-accounts of the account.",
	"permissions":                   "Wallets of the sub-account that money may be transferred to.",
	"permissions.spotEnabled":       "If true, money can be transferred to its trade balance.",
	"permissions.collateralEnabled": "If true, money can be transferred to its collateral balance.",
}

// with is a map of parameters and others.
func with(all map[string]string, name, text string) map[string]string {
	more := map[string]string{name: text}
	for n, t := range all {
		more[n] = t
	}
	return more
}

// readAlias reads the name of a sub-account.
func readAlias(f *api.Form) string {
	f.Demand("alias")
	alias := f.String("alias")
	if f.Has("alias") && (alias == "" || len(alias) > schema.MaxAlias || strings.ContainsFunc(alias, control)) {
		f.Fail(400, 0, "alias", schema.Refuse(schema.SubAliasInvalid).Text())
	}
	return alias
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// creation asks for a sub-account.
type creation struct {
	permissions
	alias, email string
	shareKYC     bool
}

func (q *creation) Read(f *api.Form) {
	q.alias = readAlias(f)
	q.permissions.read(f)
	q.shareKYC = flag(f, "shareKyc")
	f.Schema().Alternatives("email | shareKyc")
	q.email = f.String("email")
	switch {
	case q.email == "" && !q.shareKYC:
		f.Lack(400, 0, "email", schema.Refuse(schema.SubEmailMissing).Text())
	case q.email != "" && !validEmail(q.email):
		f.Fail(400, 0, "email", "Email is invalid.")
	}
}

// validEmail takes an address of e-mail. Who is invited signs in by it: it can be a login.
func validEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text && login.Check(text) == nil
}

// account is a sub-account as its master sees it.
type account struct {
	*schema.Account
	email string
}

func describe(c *api.API, a *schema.Account) account { return account{a, c.MaskedEmail(a.Email)} }

func (a *account) status() string { return api.SubStatus(a.Account) }

func (a *account) user() string {
	if a.Account.Status == schema.SubPending {
		return ""
	}
	return a.External
}

func (a *account) kyc() string {
	switch {
	case a.ShareKYC:
		return "shared"
	case a.Verified:
		return "verified"
	}
	return "unverified"
}

// color is a color by which people tell sub-accounts apart. Nobody chooses it: it follows from the id.
func (a *account) color() string {
	hash := uint32(2166136261)
	for _, c := range []byte(a.External) {
		hash = (hash ^ uint32(c)) * 16777619
	}
	return colors[hash%uint32(len(colors))]
}

var colors = []string{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"}

var (
	statusWords = []string{"pending", "active", "blocked", "locked"}
	kycWords    = []string{"shared", "verified", "unverified"}
	kycEncoder  = api.Encode("SubAccountKyc", "Verification of a sub-account.",
		api.BooleanField("shareKyc", "Whether the verification of the main account counts for it.", func(a *account) bool { return a.ShareKYC }),
		api.EnumField("kycStatus", kycWords, "State of the verification.", (*account).kyc))
	permissionsEncoder = api.Encode("SubAccountPermissions", "Wallets of the sub-account that money may be transferred to.",
		api.BooleanField("spotEnabled", "Trade balance.", func(a *account) bool { return a.Spot }),
		api.BooleanField("collateralEnabled", "Collateral balance.", func(a *account) bool { return a.Margin }))
	same           = func(a *account) *account { return a }
	accountEncoder = api.Encode("SubAccount", "A sub-account.",
		api.StringField("id", "Id of the sub-account.", func(a *account) string { return a.External }),
		api.StringField("alias", "Name of the sub-account.", func(a *account) string { return a.Alias }),
		api.StringField("userId", "Id of its user. Empty until the invitation was accepted.", (*account).user),
		api.StringField("email", "Masked e-mail address. Empty if there is none.", func(a *account) string { return a.email }),
		api.EnumField("status", statusWords, "pending until the invitation was accepted, active, blocked by the main account, or locked by the exchange.", (*account).status),
		api.StringField("color", "Color for lists, as #rrggbb.", (*account).color),
		api.ObjectField("kyc", kycEncoder, "Verification.", same),
		api.ObjectField("permissions", permissionsEncoder, "Permissions.", same))
)

var aboutCreate = &api.About{
	Summary: "Create a sub-account",
	Text: "A sub-account has balances, orders, positions, API keys and a webhook of its own. Without shareKyc, or with an email, it is pending until the invitation was accepted; " +
		"with shareKyc and without an email it is active at once. An account can have 100 sub-accounts.",
	Parameters: with(with(permissionParameters, "email", "E-mail address of the person who is invited to use the sub-account. Required without shareKyc."),
		"shareKyc", "If true, the verification of the main account counts for the sub-account. Default: false."),
	Response: accountEncoder.Schema(),
	Refusals: []schema.Reason{schema.SubAliasTaken, schema.SubsTooMany},
}

func (o Options) create(c api.WriteCall, q *creation) (api.Answer, error) {
	command := &schema.SetSub{
		Master: c.Account.ID, Alias: q.alias, Spot: q.spot, Margin: q.collateral, External: uuid.Random(), ShareKYC: q.shareKYC, Active: o.Confirmed,
	}
	if q.email != "" {
		command.Email = c.API.SealEmail(q.email)
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	made := describe(c.API, c.Directory().Account(schema.AccountID(result.ID)))
	return accountEncoder.Answer(&made), nil
}

// edition asks for another name and other permissions.
type edition struct {
	byID
	permissions
	alias string
}

func (q *edition) Read(f *api.Form) {
	q.byID.Read(f)
	q.alias = readAlias(f)
	q.permissions.read(f)
}

var aboutEdit = &api.About{
	Summary:    "Edit a sub-account",
	Text:       "Money that is in a wallet when its permission is taken away stays there, can be traded with and be transferred back.",
	Parameters: with(permissionParameters, "id", idParameter["id"]),
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubAliasTaken},
}

func edit(c api.WriteCall, q *edition) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	return done, submit(c, &schema.SetSub{Master: c.Account.ID, Sub: sub.ID, Alias: q.alias, Spot: q.spot, Margin: q.collateral})
}

// submit is Submit for commands of which nothing but success is answered.
func submit(c api.WriteCall, command schema.Command) error {
	var result schema.Result
	return c.Submit(command, &result)
}

var aboutRemove = &api.About{
	Summary: "Delete a sub-account",
	Text: "Only if nothing is left of it: no balance in any wallet, no debt, order, position, deposit or withdrawal under way, code or check. Its API keys end. " +
		"It cannot be undone; the alias can be used again.",
	Parameters: idParameter,
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubNotEmpty},
}

func remove(c api.WriteCall, q *byID) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	return done, submit(c, &schema.DeleteSub{Master: c.Account.ID, Sub: sub.ID})
}

var aboutBlock = &api.About{
	Summary: "Block a sub-account",
	Text: "Its API keys and sockets stop working at once. Its open orders are canceled, except those that only reduce a position: reduce-only orders, take profits and stop losses. " +
		"Withdrawals that wait to be confirmed by the main account are canceled; others go on.",
	Parameters: idParameter,
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubBlockedBefore, schema.SubNotConfirmed},
}

func block(c api.WriteCall, q *byID) (api.Answer, error) { return setBlock(c, q, true) }

var aboutUnblock = &api.About{
	Summary:    "Unblock a sub-account",
	Text:       "Lifts the block of the main account. What the exchange locked stays locked.",
	Parameters: idParameter,
	Response:   doneSchema,
	Refusals:   []schema.Reason{schema.SubUnknown, schema.SubNotBlocked},
}

func unblock(c api.WriteCall, q *byID) (api.Answer, error) { return setBlock(c, q, false) }

func setBlock(c api.WriteCall, q *byID, blocked bool) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.id)
	if err != nil {
		return nil, err
	}
	return done, submit(c, &schema.BlockSub{Master: c.Account.ID, Sub: sub.ID, Blocked: blocked})
}

// listing asks for sub-accounts.
type listing struct {
	search        string
	limit, offset int
}

func (q *listing) Read(f *api.Form) {
	q.search = f.String("search")
	q.limit, q.offset = f.Page(30, 100, api.MaxOffset, api.OfMoney)
}

// page is a part of a list.
type page[T any] struct {
	items         []T
	limit, offset int
}

// cutTo is the part of a list that was asked for.
func cutTo[T any](all []T, limit, offset int) *page[T] {
	from := min(offset, len(all))
	return &page[T]{all[from:min(from+limit, len(all))], limit, offset}
}

// pageEncoder declares a page of a list.
func pageEncoder[T any](name, description string, of *api.Encoder[T]) *api.Encoder[page[T]] {
	return api.Encode(name, description,
		api.IntegerField("offset", "As requested.", func(p *page[T]) int64 { return int64(p.offset) }),
		api.IntegerField("limit", "As requested.", func(p *page[T]) int64 { return int64(p.limit) }),
		api.ArrayField("data", of, "The records.", func(p *page[T]) []T { return p.items }))
}

var accountsEncoder = pageEncoder("SubAccounts", "A page of sub-accounts.", accountEncoder)

var aboutList = &api.About{
	Summary:    "List sub-accounts",
	Text:       "In the order of their creation.",
	Parameters: map[string]string{"search": "Return only sub-accounts whose alias contains this text, in upper or lower case.", "offset": "Number of sub-accounts to skip."},
	Response:   accountsEncoder.Schema(),
}

func list(c *api.Call, q *listing) (api.Answer, error) {
	found := []account{}
	for _, a := range c.Directory().Subs(c.Account.ID) {
		if strings.Contains(strings.ToLower(a.Alias), strings.ToLower(q.search)) {
			found = append(found, describe(c.API, a))
		}
	}
	return accountsEncoder.Answer(cutTo(found, q.limit, q.offset)), nil
}
