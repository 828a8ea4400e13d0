package mining

import (
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/schema"
)

// accountsQuery asks for mining accounts.
type accountsQuery struct {
	name          string
	limit, offset int
}

func (q *accountsQuery) Read(f *api.Form) {
	q.name = readText(f, "name", maxName, false)
	q.limit, q.offset = f.Page(fewPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

// page is a part of a list.
type page[T any] struct {
	items         []T
	limit, offset int
}

func limitField[T any]() api.Field[page[T]] {
	return api.IntegerField("limit", "As requested.", func(p *page[T]) int64 { return int64(p.limit) })
}

func offsetField[T any]() api.Field[page[T]] {
	return api.IntegerField("offset", "As requested.", func(p *page[T]) int64 { return int64(p.offset) })
}

// window is the part of a list that a page shows.
func window[T any](list []T, limit, offset int) page[T] {
	list = list[min(offset, len(list)):]
	return page[T]{list[:min(limit, len(list))], limit, offset}
}

var (
	accountEncoder = api.Encode("MiningAccount", "An account that miners work for.",
		api.StringField("name", "Name that miners sign in with, as name.worker.", func(m *schema.MiningAccount) string { return m.Name }),
		api.SecondsField("createdAt", "Time at which it was opened.", func(m *schema.MiningAccount) schema.Time { return m.Created }))
	accountsPage = api.Encode("MiningAccounts", "A page of mining accounts.",
		api.ArrayField("data", accountEncoder, "The accounts.", func(p *page[schema.MiningAccount]) []schema.MiningAccount { return p.items }),
		limitField[schema.MiningAccount](), offsetField[schema.MiningAccount]())
)

var aboutAccounts = &api.About{
	Summary:    "List mining accounts",
	Text:       "Newest first. There is no total: the last page has fewer records than limit.",
	Parameters: map[string]string{"name": "Return only the account with this name.", "offset": "Number of newest accounts to skip."},
	Response:   accountsPage.Schema(),
}

func accounts(c *api.Call, q *accountsQuery) (api.Answer, error) {
	list := []schema.MiningAccount{}
	c.API.Read(func(v core.View) {
		for _, m := range v.Mining().Of(c.Account.ID) {
			if q.name == "" || q.name == m.Name {
				list = append(list, m)
			}
		}
	})
	p := window(list, q.limit, q.offset)
	return accountsPage.Answer(&p), nil
}

// opening asks for a mining account.
type opening struct{ name, referral string }

// Bounds of a mining account, as the core has them.
const (
	maxReferral = 50
	nameForm    = "^[A-Za-z0-9_]+$"
)

func (q *opening) Read(f *api.Form) {
	q.name = readName(f)
	q.referral = readText(f, "referralCode", maxReferral, false)
	if len(q.referral) > maxReferral && utf8.RuneCountInString(q.referral) <= maxReferral { // the core counts bytes
		f.Fail(400, 0, "referralCode", "The referral code is invalid.")
	}
}

// readName reads the name of something new.
func readName(f *api.Form) string {
	f.Schema().Match("name", nameForm)
	name := readText(f, "name", maxName, true)
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			f.Fail(400, 0, "name", "The name format is invalid.")
			break
		}
	}
	return name
}

var createdAnswer = api.Encode("MiningAccountCreated", "The account.",
	api.ObjectField("data", accountEncoder, "The account.", func(m *schema.MiningAccount) *schema.MiningAccount { return m }))

var aboutCreate = &api.About{
	Summary: "Open a mining account",
	Text:    "Names are unique in the whole pool, as miners sign in with them; capital and small letters differ. An account is paid to the main balance until another destination is set. None can be deleted.",
	Parameters: map[string]string{
		"name":         "Letters, digits and underscores, at most 255.",
		"referralCode": "Referral code, with at most 50 characters.",
	},
	Response: createdAnswer.Schema(),
	Refusals: []schema.Reason{schema.PoolOff, schema.MiningNameTaken, schema.MiningTooMany},
}

func create(c api.WriteCall, q *opening) (api.Answer, error) {
	var result schema.Result
	if err := c.Submit(&schema.OpenMining{Account: c.Account.ID, Name: q.name, Referral: q.referral}, &result); err != nil {
		return nil, err
	}
	return createdAnswer.Answer(&schema.MiningAccount{Name: q.name, Created: result.Time}), nil
}
