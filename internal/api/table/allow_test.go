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
		urls = []string{schema.AllURLs}
	}
	rights := directory.RightsOf(&schema.Key{URLs: urls, Addresses: []string{home.String()}})
	return api.Caller{
		Proof: api.AuthSigned, Address: home, Region: schema.EU, Account: &schema.Account{ID: 101, NewAddresses: true, Checker: true, CreditLine: true, Partner: true, Mining: true, Invoices: true, Approvals: true, KYCLinks: true}, Enabled: true, Rights: &rights, Type: schema.KeyMoney,
	}
}

// asSub changes a caller to a sub-account with deposits off.
func asSub(change func(*api.Caller)) func(*api.Caller) {
	return func(c *api.Caller) {
		account := *c.Account
		account.Parent, account.Status = 100, schema.SubActive
		c.Account, c.Master = &account, &schema.Account{ID: 100}
		change(c)
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
		"everything": {caller(), always(nil)},
		"nobody":     {api.Caller{Proof: api.AuthSigned, Region: schema.Global}, always(api.ErrUnknownKey)},
		"a session":  {other(func(c *api.Caller) { c.Proof, c.Fresh = api.AuthSession, true }), always(nil)},
		"a session whose factor is old": {other(func(c *api.Caller) { c.Proof = api.AuthSession }), func(o *api.Operation) *api.Error {
			if g := o.Right.Group; o.Writes() && (g == schema.GroupWithdraw || g == schema.GroupCodes || g == schema.GroupSubs) {
				return api.ErrStepUp
			}
			return nil
		}},
		"a user without a second factor": {other(func(c *api.Caller) { c.Unprotected = true }), func(o *api.Operation) *api.Error {
			if o.Path == "/api/v4/main-account/withdraw" || o.Path == "/api/v4/main-account/withdraw-pay" {
				return api.ErrNoFactor
			}
			return nil
		}},
		"a token":         {other(func(c *api.Caller) { c.Proof = api.AuthBearer }), always(api.ErrUnknownKey)},
		"key off":         {other(func(c *api.Caller) { c.Enabled = false }), always(api.ErrKeyOff)},
		"another address": {other(func(c *api.Caller) { c.Address = away }), always(api.ErrKeyOff)},
		"blocked":         {other(func(c *api.Caller) { c.Account = &schema.Account{Blocked: true} }), always(api.ErrBlocked)},
		"off and blocked": {other(func(c *api.Caller) { c.Enabled, c.Account = false, &schema.Account{Blocked: true} }), always(api.ErrKeyOff)},
		"no URLs":         {caller([]string{}...), always(api.ErrNotAllowed)},
		"no rights":       {other(func(c *api.Caller) { c.Rights = nil }), always(api.ErrNotAllowed)},
		"no key type":     {other(func(c *api.Caller) { c.Type = 0 }), always(nil)},
		"a key of type 1": {other(func(c *api.Caller) { c.Type = schema.KeyTrading }), func(o *api.Operation) *api.Error {
			switch o.Right.Group {
			case schema.GroupDeposits, schema.GroupWithdraw, schema.GroupCodes, schema.GroupSubs:
				return api.ErrNotAllowed
			}
			return nil
		}},
		"one URL": {caller("/api/v4/orders"), func(o *api.Operation) *api.Error {
			if o.Path == "/api/v4/orders" {
				return nil
			}
			return api.ErrNotAllowed
		}},
		"a sub-account": {other(asSub(func(*api.Caller) {})), func(o *api.Operation) *api.Error {
			switch {
			case o.Right.Group == schema.GroupSubs || o.Right.Group == schema.GroupChecker || o.Right.Group == schema.GroupDeposits:
				return api.ErrNotAllowed
			case o.Path == "/api/v4/main-account/express-withdraw/token" || o.Path == "/api/card-token":
				return api.ErrNotAllowed
			}
			return nil
		}},
		"a sub-account with deposits": {other(asSub(func(c *api.Caller) { c.Account.Deposits = true })), func(o *api.Operation) *api.Error {
			switch {
			case o.Right.Group == schema.GroupSubs || o.Right.Group == schema.GroupChecker || o.Path == "/api/v4/main-account/fiat-deposit-url":
				return api.ErrNotAllowed
			case o.Path == "/api/v4/main-account/express-withdraw/token" || o.Path == "/api/card-token":
				return api.ErrNotAllowed
			}
			return nil
		}},
		"a sub-account whose master confirms": {other(asSub(func(c *api.Caller) { c.Account.Deposits, c.Master.Approvals = true, true })), func(o *api.Operation) *api.Error {
			switch {
			case o.Right.Group == schema.GroupSubs || o.Right.Group == schema.GroupChecker || o.Path == "/api/v4/main-account/fiat-deposit-url":
				return api.ErrNotAllowed
			case o.Path == "/api/v4/main-account/express-withdraw/token" || o.Path == "/api/card-token":
				return api.ErrNotAllowed
			case o.Path == "/api/v4/main-account/codes" || o.Path == "/api/v4/main-account/refund-deposit" || o.Path == "/api/v4/mining/payout-destination/edit":
				return api.ErrNotAllowed
			}
			return nil
		}},
		"a session of a sub-account": {other(asSub(func(c *api.Caller) { c.Proof, c.Fresh, c.Account.Deposits = api.AuthSession, true, true })), func(o *api.Operation) *api.Error {
			switch g := o.Right.Group; {
			case g == schema.GroupSubs || g == schema.GroupChecker || o.Path == "/api/v4/main-account/fiat-deposit-url":
				return api.ErrNotAllowed
			case (g == schema.GroupWithdraw || g == schema.GroupCodes) && o.Writes() || o.Path == "/api/v4/main-account/express-withdraw/token" || o.Path == "/api/card-token":
				return api.ErrNotAllowed
			}
			return nil
		}},
		"a sub-account that is pending":     {other(asSub(func(c *api.Caller) { c.Account.Status = schema.SubPending })), always(api.ErrBlocked)},
		"a sub-account that is blocked":     {other(asSub(func(c *api.Caller) { c.Account.Status = schema.SubBlocked })), always(api.ErrBlocked)},
		"a sub-account of a blocked master": {other(asSub(func(c *api.Caller) { c.Master.Blocked = true })), always(api.ErrBlocked)},
		"another region": {other(func(c *api.Caller) { c.Region = schema.Global }), func(o *api.Operation) *api.Error {
			if strings.HasPrefix(o.Path, "/api/v4/travel-rule/") {
				return api.ErrNotThere
			}
			return nil
		}},
		"another region, and no URLs": {other(func(c *api.Caller) { c.Region, c.Rights = schema.Global, nil }), always(api.ErrNotAllowed)},
	} {
		for i := range operations {
			o := &operations[i]
			var want *api.Error
			switch o.Auth {
			case api.AuthSigned:
				want = tt.want(o)
			case api.AuthBearer:
				if want = api.ErrUnknownKey; tt.caller.Proof == api.AuthBearer {
					want = api.ErrNotAllowed // it has no scopes
				}
			}
			if got := api.Allow(&tt.caller, o); got != want {
				t.Errorf("%s at %s: %v, want %v", name, o.Path, got, want)
			}
		}
	}
}

// TestAllowOfRowsToCome tries what no operation of today asks for.
func TestAllowOfRowsToCome(t *testing.T) {
	trades := func(a *schema.Account) bool { return a.TradFi }
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
		"a gate":        {api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: trades, Status: 403}}, same, api.ErrNoPermission},
		"a hidden gate": {api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: trades, Status: 404}}, same, api.ErrNotThere},
		"an open gate": {
			api.Operation{Auth: api.AuthSigned, Gate: &api.Gate{Open: trades, Status: 403}},
			func(c *api.Caller) { c.Account = &schema.Account{TradFi: true} }, nil,
		},
		"another region":             {api.Operation{Auth: api.AuthSigned, Regions: schema.In(schema.Global)}, same, api.ErrNotThere},
		"another region, and public": {api.Operation{Regions: schema.In(schema.Global)}, same, api.ErrNotThere},
		"its region":                 {api.Operation{Auth: api.AuthSigned, Regions: schema.In(schema.Global)}, func(c *api.Caller) { c.Region = schema.Global }, nil},
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
		if (o.Auth == api.AuthSigned) != (o.Right != nil && slices.Contains(api.Groups(), o.Right.Group)) {
			t.Errorf("%s: keys know of it %+v", o.Path, o.Right)
		}
		if o.Auth == api.AuthPublic && o.Writes() {
			t.Errorf("%s writes, and nobody knows for whom", o.Path)
		}
	}
	for _, g := range api.Groups() {
		if api.GroupTitle(g) == "" || api.GroupText(g) == "" || len(given(string(g))) == 0 {
			t.Errorf("the group %s is %q with %v", g, api.GroupTitle(g), given(string(g)))
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
		{[]string{"withdraw"}, []string{"/api/v4/main-account/refund-deposit", "/api/v4/main-account/withdraw", "/api/v4/main-account/withdraw-pay", "/api/card-token", "/api/v4/main-account/express-withdraw/token", "/api/v4/mining/payout-destination/edit"}},
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
		for _, listed := range []string{"trading, trade_info, wallet, transfer, deposits, withdraw, codes, earn, mining, account", "/api/v4/order/new, ", "/api/v4/jwt", `"*"`} {
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
