package api

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/core/accounts"
	"bourse/internal/schema"
)

// crowded is an exchange with a master, account 101, and so many sub-accounts, 102 and up, each with so many keys, of which every third is
// an operator's.
func crowded(t *testing.T, subs, keys int) (m *core.Machine, ids []schema.AccountID) {
	t.Helper()
	m = core.New()
	do := func(c schema.Command) {
		t.Helper()
		if r := m.Apply(1, c).Result.Rejection; r.Refused() {
			t.Fatalf("%T %+v: %s", c, c, r.Text())
		}
	}
	do(&schema.SetAccount{Account: schema.Account{Name: "master", Region: schema.Global}})
	for i := range subs {
		do(&schema.SetSub{Master: 101, External: fmt.Sprint("s", i), Alias: fmt.Sprint("s", i), ShareKYC: true})
		ids = append(ids, schema.AccountID(102+i))
	}
	for n := range keys {
		for i := range subs {
			name, account := fmt.Sprintf("key-%d-%d", n, i), schema.AccountID(102+i)
			if n%3 == 0 {
				do(&schema.SetKey{Key: schema.Key{Key: name, Account: account, Sealed: []byte("sealed"), Enabled: true, URLs: []string{"/api/v4/orders"}}})
				continue
			}
			do(&schema.OpenKey{By: 101, Account: account, External: name, Key: name, Sealed: []byte("sealed"), Type: schema.KeyTrading})
			do(&schema.EditKey{By: 101, External: name, Enable: []string{"/api/v4/orders"}})
		}
	}
	return m, ids
}

// TestAPageOfKeysIsAllThatIsCopied: pages are cut from the list of all, the newest first, and cost what is on them.
func TestAPageOfKeysIsAllThatIsCopied(t *testing.T) {
	m, ids := crowded(t, 4, 30)
	made := func(k *schema.Key) bool { return k.External != "" }
	names := func(page []OwnKey) (list []string) {
		for _, k := range page {
			list = append(list, k.Key.Key)
		}
		return list
	}
	var all []string
	for n := 29; n >= 0; n-- {
		for i := 3; n%3 != 0 && i >= 0; i-- {
			all = append(all, fmt.Sprintf("key-%d-%d", n, i))
		}
	}
	for _, p := range [][2]int{{100, 0}, {1, 0}, {1, 79}, {7, 5}, {100, 78}, {100, 80}, {100, 10_000}} {
		limit, offset := p[0], p[1]
		want := all[min(offset, len(all)):]
		want = want[:min(limit, len(want))]
		if got := names(pageOfKeys(m, ids, made, limit, offset)); !slices.Equal(got, want) {
			t.Errorf("%d from %d: %v, want %v", limit, offset, got, want)
		}
	}
	one := testing.AllocsPerRun(10, func() { pageOfKeys(m, ids, made, 1, 0) })
	whole := testing.AllocsPerRun(10, func() { pageOfKeys(m, ids, made, 80, 0) })
	if whole-one < 79 { // the URLs of each
		t.Errorf("%v allocations for one key, %v for eighty", one, whole)
	}
}

// granted is a machine on which account 101 gave clients what is listed here. Nobody may ask it for all clients.
type granted struct {
	core.View
	t      *testing.T
	keys   []*accounts.KeyRecord
	grants []*schema.Grant
}

func (g *granted) OAuth() core.OAuth       { return clientsOf{granted: g} }
func (g *granted) Accounts() core.Accounts { return keysOf{granted: g} }

type clientsOf struct {
	core.OAuth
	*granted
}

func (c clientsOf) Partner(id schema.PartnerID) *schema.Partner { return &schema.Partner{ID: id} }
func (c clientsOf) Grants(schema.AccountID) []*schema.Grant     { return c.grants }
func (c clientsOf) Partners() []*schema.Partner {
	c.t.Error("all clients are gone through")
	return nil
}

type keysOf struct {
	core.Accounts
	*granted
}

func (k keysOf) KeysOf(schema.AccountID) []*accounts.KeyRecord { return k.keys }

// TestAccessesGoByTheAccount: what clients have of it, in the order of their ids, without a look at all the others.
func TestAccessesGoByTheAccount(t *testing.T) {
	g := &granted{
		t: t,
		keys: []*accounts.KeyRecord{
			{Key: schema.Key{ID: 1, Key: "own"}},
			{Key: schema.Key{ID: 2, Partner: 9, Created: 5, URLs: []string{"/a"}}},
			{Key: schema.Key{ID: 3, Partner: 4, Created: 6}},
		},
		grants: []*schema.Grant{
			{Partner: 7, AccessUntil: 30, Created: 7},
			{Partner: 9, AccessUntil: 15, RefreshUntil: 40, FamilyUntil: 35, Created: 8},
			{Partner: 5, AccessUntil: 20, Created: 9}, // over
		},
	}
	var got []string
	for _, a := range AccessesOf(g, 101, 20) {
		var key schema.KeyID
		if a.Key != nil {
			key = a.Key.ID
		}
		got = append(got, fmt.Sprint(a.Partner.ID, " key ", key, a.URLs(), " until ", int64(a.Until), " since ", int64(a.Created)))
	}
	want := []string{"4 key 3 [] until 0 since 6", "7 key 0 [] until 30 since 7", "9 key 2 [/a] until 35 since 8"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
