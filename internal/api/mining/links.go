package mining

import (
	"fmt"
	"slices"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/watch"
)

// linkRequest asks for a link by which others see mining accounts.
type linkRequest struct {
	accounts []string
	name     string
	rights   schema.WatchRights
	life     uint32 // in seconds; 0: for ever
}

// permissions are what a link shows, and lives how long it does.
var (
	permissions = []string{"dashboard", "rewards", "workers"}
	rightOf     = map[string]schema.WatchRights{"dashboard": schema.WatchDashboard, "rewards": schema.WatchRewards, "workers": schema.WatchWorkers}
	lives       = []string{"1h", "24h", "7d", "always"}
	lifeOf      = map[string]uint32{"1h": 3600, "24h": daySeconds, "7d": 7 * daySeconds}
)

// maxWatched is how many mining accounts a link shows at most.
const maxWatched = 50

func (q *linkRequest) Read(f *api.Form) {
	f.Demand("accounts", "permissions", "liveUntil")
	var s api.State
	f.Schema().Count("accounts", 1, maxWatched)
	q.accounts, s = f.Texts("accounts")
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "accounts", "The accounts must be an array.")
	case s == api.Good && len(q.accounts) == 0:
		f.Fail(400, 0, "accounts", "The accounts must have at least 1 items.")
	case len(q.accounts) > maxWatched:
		f.Fail(400, 0, "accounts", fmt.Sprintf("The accounts may not have more than %d items.", maxWatched))
	}
	for i, name := range q.accounts {
		if len(name) > maxName {
			f.Fail(400, 0, fmt.Sprintf("accounts.%d", i), fmt.Sprintf("The accounts.%d may not be greater than %d characters.", i, maxName))
		}
	}
	q.name = readName(f)
	q.readPermissions(f)
	life, s := f.Choice("liveUntil", lives)
	if s == api.Malformed {
		f.Fail(400, 0, "liveUntil", "The selected live until is invalid.")
	}
	q.life = lifeOf[life]
}

func (q *linkRequest) readPermissions(f *api.Form) {
	f.Schema().Count("permissions", 1, len(permissions))
	f.Schema().OneOf("permissions", permissions)
	words, s := f.Texts("permissions")
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "permissions", "The permissions must be an array.")
	case s == api.Good && len(words) == 0:
		f.Fail(400, 0, "permissions", "The permissions must have at least 1 items.")
	case len(words) > len(permissions):
		f.Fail(400, 0, "permissions", fmt.Sprintf("The permissions may not have more than %d items.", len(permissions)))
		return
	}
	for i, word := range words {
		if rightOf[word] == 0 {
			f.Fail(400, 0, fmt.Sprintf("permissions.%d", i), fmt.Sprintf("The selected permissions.%d is invalid.", i))
		}
		q.rights |= rightOf[word]
	}
}

// link is a link as its owner sees it.
type link struct {
	schema.Watch
	accounts []string
	address  string
}

func (l *link) permissions() (list []string) {
	for _, word := range permissions {
		if l.Rights&rightOf[word] != 0 {
			list = append(list, word)
		}
	}
	return list
}

var (
	idField    = api.IntegerField("id", "Id of the link.", func(l *link) int64 { return int64(l.ID) })
	linkField  = api.StringField("link", "Where others see it. Whoever has the link sees what it shows.", func(l *link) string { return l.address })
	untilField = secondsOrNull("liveUntil", "Time at which it ends; null: never.", func(l *link) schema.Time { return l.Until })
	madeField  = api.SecondsField("createdAt", "Time at which it was made.", func(l *link) schema.Time { return l.Created })

	madeEncoder = api.Encode("WatcherLinkCreated", "A link.", idField, linkField, untilField, madeField)
	madeAnswer  = api.Encode("WatcherLinkCreatedAnswer", "The link.", api.ObjectField("data", madeEncoder, "The link.", func(l *link) *link { return l }))
	linkEncoder = api.Encode("WatcherLink", "A link by which others see mining accounts.", idField,
		api.StringsField("accounts", "Names of the mining accounts.", func(l *link) []string { return l.accounts }),
		api.StringField("name", "Name of the link.", func(l *link) string { return l.Name }), linkField,
		api.NewField("permissions", api.ArrayOf(api.Enum(permissions...)), "What it shows.", func(dst []byte, l *link) []byte { return api.AppendStrings(dst, l.permissions()) }),
		untilField, madeField)
	linkList = api.Encode("WatcherLinks", "Links.", api.ArrayField("data", linkEncoder, "The links, newest first.", func(l *[]link) []link { return *l }))
)

// address is where others see a link.
func addressOf(a *api.API, id schema.WatchID) string { return a.PublicURL() + watch.Path(a.Key(), id) }

var aboutCreateLink = &api.About{
	Summary: "Create a watcher link",
	Text:    "Whoever has the link sees what the permissions say of the mining accounts, without signing in, until it ends. It cannot be taken back. A mining account is shown by three links at once, unless the pool permits more.",
	Parameters: map[string]string{
		"accounts":    "Names of mining accounts of the caller, 1 to 50.",
		"name":        "Name of the link: letters, digits and underscores, at most 255.",
		"permissions": "What it shows: dashboard (hash rates and how many workers there are), rewards, workers (their names and hash rates).",
		"liveUntil":   "How long it lives: 1h, 24h, 7d or always.",
	},
	Response: madeAnswer.Schema(),
	Refusals: []schema.Reason{schema.WatchesTooMany},
	Faults:   []*api.Error{errPoolAccount("name")},
}

func createLink(c api.WriteCall, q *linkRequest) (api.Answer, error) {
	command := &schema.WatchMining{Account: c.Account.ID, Name: q.name, Rights: q.rights, Life: q.life}
	for _, name := range q.accounts {
		m, known := owned(c.API, c.Account.ID, name)
		if !known {
			return nil, errPoolAccount(name)
		}
		if !slices.Contains(command.Minings, m.ID) {
			command.Minings = append(command.Minings, m.ID)
		}
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	made := link{Watch: schema.Watch{ID: schema.WatchID(result.ID), Created: result.Time}}
	if q.life > 0 {
		made.Until = result.Time + schema.Time(q.life)*second
	}
	made.address = addressOf(c.API, made.ID)
	return madeAnswer.Answer(&made), nil
}

// linksQuery asks for the links of a mining account.
type linksQuery struct{ account string }

func (q *linksQuery) Read(f *api.Form) { q.account = byName(f, "account") }

var aboutListLinks = &api.About{
	Summary:    "List watcher links of a mining account",
	Text:       "Those that have not ended, newest first.",
	Parameters: map[string]string{"account": "Name of the mining account."},
	Response:   linkList.Schema(),
	Faults:     []*api.Error{errPoolAccount("name")},
}

func listLinks(c *api.Call, q *linksQuery) (api.Answer, error) {
	m, known := owned(c.API, c.Account.ID, q.account)
	if !known {
		return nil, errPoolAccount(q.account)
	}
	list, now := []link{}, c.API.Now()
	c.API.Read(func(v core.View) {
		for _, w := range slices.Backward(v.Mining().Watches(m.ID)) {
			if w.Until != 0 && w.Until <= now { // the core forgets it with its next tick
				continue
			}
			l := link{Watch: w, address: addressOf(c.API, w.ID)}
			for _, id := range w.Minings {
				shown, _ := v.Mining().Account(id)
				l.accounts = append(l.accounts, shown.Name)
			}
			list = append(list, l)
		}
	})
	return linkList.Answer(&list), nil
}
