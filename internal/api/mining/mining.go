// Package mining is the mining pool in the API: accounts that miners work for, what they bring and earn, where it is paid, and links by which others
// see them. docs/mining.md says how the pool works, docs/api/mining.md what clients may rely on.
package mining

import (
	"fmt"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/schema"
)

// group is what the pool keeps beside its rows: answers that many ask for.
type group struct {
	overview overview
	crews    crews
}

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	g := new(group)
	return []api.Operation{
		api.Get("/api/v4/public/mining-pool", api.Public, api.Per10s(1000), api.Reader(g.pool, aboutPool)),
		post("accounts", api.Reader(accounts, aboutAccounts)),
		post("accounts/create", api.Writer(create, aboutCreate)),
		post("rewards", api.Reader(rewards, aboutRewards)),
		post("hashrate", api.Reader(hashrates, aboutHashrates)),
		post("payout-destination", api.Reader(payout, aboutPayout)),
		post("payout-destination/edit", api.Writer(editPayout, aboutEditPayout)),
		post("miners/info", api.Reader(g.miners, aboutMiners)),
		post("workers/names", api.Reader(g.names, aboutNames)),
		post("workers/hashrate", api.Reader(workerHashrates, aboutWorkerHashrates)),
		post("watcher-links/create", api.Writer(createLink, aboutCreateLink)),
		post("watcher-links/list", api.Reader(listLinks, aboutListLinks)),
	}
}

func post(name string, h api.Handling) api.Operation {
	return api.Post("/api/v4/mining/"+name, api.Per10s(1000), h).ForFamily(func(a *schema.Account) bool { return a.Mining }, 403)
}

// maxName is how many characters the name of a mining account, of a worker or of a link may have that a client sends.
const maxName = 255

// readText reads a text of at most so many characters. One that is needed is not empty.
func readText(f *api.Form, name string, most int, needed bool) string {
	value := f.String(name)
	if needed && value == "" {
		if _, s := f.Text(name); s != api.Malformed {
			f.Lack(400, 0, name, "The "+f.Spoken(name)+" field is required.")
		}
	}
	if utf8.RuneCountInString(value) > most {
		f.Fail(400, 0, name, fmt.Sprintf("The %s may not be greater than %d characters.", f.Spoken(name), most))
	}
	return value
}

// byName asks for something of a mining account. Each operation has its own name for the field.
func byName(f *api.Form, field string) string { return readText(f, field, maxName, true) }

// owned is the mining account of an account with a name. Those of others are as good as none.
func owned(a *api.API, account schema.AccountID, name string) (m schema.MiningAccount, known bool) {
	a.Read(func(v core.View) { m, known = v.Mining().Named(name) })
	return m, known && m.Account == account
}

// terms are how the pool works; nothing where it was never set up.
func terms(a *api.API) (t schema.PoolTerms) {
	a.Read(func(v core.View) { t, _ = v.Mining().Terms() })
	return t
}

// Errors about a mining account that there is none of: they are worded by endpoint.
var (
	errAccount = api.NewError(400, 0, api.ValidationFailed, "account", "Account not found")
	errUser    = api.NewError(400, 0, api.ValidationFailed, "user", "Mining account not found.")
)

func errPoolAccount(name string) *api.Error {
	return api.NewError(400, 0, api.ValidationFailed, "user", "Mining pool account '"+name+"' not found")
}

// Bounds of pages.
const (
	mostPerPage = 100
	fewPerPage  = 30
)
