package table

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

var home, away = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")

// caller is one who may call everything that there is.
func caller(urls ...string) api.Caller {
	if urls == nil {
		urls = []string{directory.AllURLs}
	}
	rights := directory.RightsOf(&schema.Key{URLs: urls, Addresses: []string{home.String()}})
	return api.Caller{
		Proof: api.AuthSigned, Address: home, Region: schema.EU, Account: &schema.Account{ID: 101, NewAddresses: true, Checker: true, CreditLine: true, Partner: true, Invoices: true}, Enabled: true, Rights: &rights, Tier: api.Tier1,
	}
}

// TestAllow tries every kind of caller at every operation.
func TestAllow(t *testing.T) {
	other := func(change func(*api.Caller)) api.Caller {
		c := caller()
		change(&c)
		return c
	}
	always := func(want *api.Error) func(*api.Operation) *api.Error {
		return func(*api.Operation) *api.Error { return want }
	}
	for name, tt := range map[string]struct {
		caller api.Caller
		want   func(*api.Operation) *api.Error // of signed operations
	}{
		"everything":      {caller(), always(nil)},
		"nobody":          {api.Caller{Proof: api.AuthSigned, Region: schema.Global}, always(api.ErrUnknownKey)},
		"a session":       {other(func(c *api.Caller) { c.Proof = api.AuthSession }), always(api.ErrUnknownKey)},
		"a token":         {other(func(c *api.Caller) { c.Proof = api.AuthBearer }), always(api.ErrUnknownKey)},
		"key off":         {other(func(c *api.Caller) { c.Enabled = false }), always(api.ErrKeyOff)},
		"another address": {other(func(c *api.Caller) { c.Address = away }), always(api.ErrKeyOff)},
		"blocked":         {other(func(c *api.Caller) { c.Account = &schema.Account{Blocked: true} }), always(api.ErrBlocked)},
		"off and blocked": {other(func(c *api.Caller) { c.Enabled, c.Account = false, &schema.Account{Blocked: true} }), always(api.ErrKeyOff)},
		"no URLs":         {caller([]string{}...), always(api.ErrNotAllowed)},
		"no rights":       {other(func(c *api.Caller) { c.Rights = nil }), always(api.ErrNotAllowed)},
		"no key type":     {other(func(c *api.Caller) { c.Tier = 0 }), always(api.ErrNotAllowed)},
		"one URL": {caller("/api/v4/orders"), func(o *api.Operation) *api.Error {
			if o.Path == "/api/v4/orders" {
				return nil
			}
			return api.ErrNotAllowed
		}},
		"a sub-account": {other(func(c *api.Caller) { c.Sub = true }), func(o *api.Operation) *api.Error {
			if o.Group == api.GroupTransfer || o.Group == api.GroupCodes || o.Group == api.GroupDeposits || o.Group == api.GroupWithdraw {
				return api.ErrNotAllowed
			}
			return nil
		}},
		"another region": {other(func(c *api.Caller) { c.Region = schema.Global }), func(o *api.Operation) *api.Error {
			if strings.HasPrefix(o.Path, "/api/v4/travel-rule/") {
				return api.ErrNotThere
			}
			return nil
		}},
		"another region, and no URLs":     {other(func(c *api.Caller) { c.Region, c.Rights = schema.Global, nil }), always(api.ErrNotAllowed)},
		"a sub-account that may transfer": {other(func(c *api.Caller) { c.Sub, c.SubFlag = true, true }), always(nil)},
	} {
		for i := range operations {
			o := &operations[i]
			want := tt.want(o)
			if o.Auth == api.AuthPublic {
				want = nil
			}
			if got := api.Allow(&tt.caller, o); got != want {
				t.Errorf("%s at %s: %v, want %v", name, o.Path, got, want)
			}
		}
	}
}

// TestAllowOfRowsToCome tries what no operation of today asks for.
func TestAllowOfRowsToCome(t *testing.T) {
	miner := func(a *schema.Account) bool { return a.Mining }
	subject := func(change func(*api.Caller)) api.Caller {
		c := caller()
		change(&c)
		return c
	}
	same := func(*api.Caller) {}
	for name, tt := range map[string]struct {
		operation api.Operation
		change    func(*api.Caller)
		want      *api.Error
	}{
		"tier 2 with a key of type 1": {api.Operation{Auth: api.AuthSigned, Tier: api.Tier2}, same, api.ErrNotAllowed},
		"tier 2 with a key of type 2": {api.Operation{Auth: api.AuthSigned, Tier: api.Tier2}, func(c *api.Caller) { c.Tier = api.Tier2 }, nil},
		"never for sub-accounts":      {api.Operation{Auth: api.AuthSigned, Sub: api.SubNever}, func(c *api.Caller) { c.Sub, c.SubFlag = true, true }, api.ErrNotAllowed},
		"a gate":                      {api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: miner, Status: 403}}, same, api.ErrNoPermission},
		"a hidden gate":               {api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: miner, Status: 404}}, same, api.ErrNotThere},
		"an open gate": {
			api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: miner, Status: 403}},
			func(c *api.Caller) { c.Account = &schema.Account{Mining: true} }, nil,
		},
		"another region":             {api.Operation{Auth: api.AuthSigned, Regions: schema.In(schema.Global)}, same, api.ErrNotThere},
		"another region, and public": {api.Operation{Regions: schema.In(schema.Global)}, same, api.ErrNotThere},
		"its region":                 {api.Operation{Auth: api.AuthSigned, Regions: schema.In(schema.Global)}, func(c *api.Caller) { c.Region = schema.Global }, nil},
		"a scope":                    {api.Operation{Auth: api.AuthBearer, Scope: "users.read"}, func(c *api.Caller) { c.Proof = api.AuthBearer }, api.ErrNotAllowed},
		"its scope": {
			api.Operation{Auth: api.AuthBearer, Scope: "users.read"},
			func(c *api.Caller) { c.Proof, c.Rights, c.Scopes = api.AuthBearer, nil, []string{"users.read"} }, nil,
		},
	} {
		c := subject(tt.change)
		tt.operation.Path = "/api/v4/to-come"
		if got := api.Allow(&c, &tt.operation); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// Every signed operation belongs to a group that there is; what it asks of a key is the group's.
func TestGroupsOfOperations(t *testing.T) {
	seen := map[string]bool{}
	for i := range operations {
		o := &operations[i]
		if seen[o.Path] {
			t.Errorf("there are two operations %s", o.Path)
		}
		seen[o.Path] = true
		if (o.Auth == api.AuthSigned) != slices.Contains(api.Groups(), o.Group) || (o.Auth == api.AuthSigned) != (o.Tier == api.Tier1) {
			t.Errorf("%s: group %q, tier %d", o.Path, o.Group, o.Tier)
		}
		if o.Auth == api.AuthPublic && o.Writes() {
			t.Errorf("%s writes, and nobody knows for whom", o.Path)
		}
	}
	for _, g := range api.Groups() {
		if g.Title() == "" || g.Text() == "" || len(given(string(g))) == 0 {
			t.Errorf("the group %s is %q with %v", g, g.Title(), given(string(g)))
		}
	}
}

func TestURLs(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  []string
	}{
		{nil, []string{}},
		{[]string{"*"}, []string{"*"}},
		{[]string{"wallet"}, []string{"/api/v4/main-account/balance", "/api/v4/main-account/fee", "/api/v4/main-account/history", "/api/v4/main-account/withdrawable-balance", "/api/v4/main-account/refund-history", "/api/v4/credit-line/loans/info", "/api/v4/travel-rule/vasps"}},
		{[]string{"deposits"}, []string{"/api/v4/main-account/address", "/api/v4/main-account/create-new-address", "/api/v4/main-account/fiat-deposit-url", "/api/v4/travel-rule/deposit/verification"}},
		{[]string{"withdraw"}, []string{"/api/v4/main-account/refund-deposit", "/api/v4/main-account/withdraw", "/api/v4/main-account/withdraw-pay", "/api/card-token", "/api/v4/main-account/express-withdraw/token"}},
		{[]string{"transfer", "/api/v4/orders"}, []string{"/api/v4/main-account/transfer", "/api/v4/main-account/transfer/history", "/api/v4/orders"}},
		{[]string{"/api/v4/jwt", "account", "/api/v4/jwt"}, []string{"/api/v4/jwt", "/api/v4/profile/websocket_token"}},
	} {
		if got, err := URLs(tt.names); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v stands for %v, %v; want %v", tt.names, got, err, tt.want)
		}
	}
	for _, name := range []string{"", "Trading", "/api/v4/public/ping", "/api/v4/order/newest", "withdrawals"} {
		_, err := URLs([]string{"trading", name})
		if err == nil {
			t.Fatalf("%q stands for something", name)
		}
		for _, listed := range []string{"trading, trade_info, wallet, transfer, deposits, withdraw, codes, account", "/api/v4/order/new, ", "/api/v4/jwt", `"*"`} {
			if !strings.Contains(err.Error(), listed) {
				t.Errorf("%q: %s does not list %s", name, err, listed)
			}
		}
	}
}

// A key of everything can be given every group, one by one.
func TestGroupsHaveEverything(t *testing.T) {
	all, err := URLs(GroupNames())
	if err != nil {
		t.Fatal(err)
	}
	for i := range operations {
		if o := &operations[i]; (o.Auth == api.AuthSigned) != slices.Contains(all, o.Path) {
			t.Errorf("%s is in a group: %v", o.Path, slices.Contains(all, o.Path))
		}
	}
}
