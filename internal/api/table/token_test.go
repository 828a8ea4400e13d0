package table

import (
	"slices"
	"testing"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// byScope is somebody with an access token that has one scope.
func byScope(scope string) api.Caller {
	return api.Caller{Proof: api.AuthBearer, Address: home, Region: schema.Global, Account: &schema.Account{ID: 101}, Scopes: []string{scope}}
}

// A token of each scope opens what the scope is for, and nothing else.
func TestScopes(t *testing.T) {
	opens := map[string][]string{
		"users.transactions.read": {"/api/v4/accounts/transactions"},
		"users.converts.read":     {"/api/v4/accounts/converts"},
		"users.orders.read":       {"/api/v4/accounts/orders"},
		"users.deals.read":        {"/api/v4/accounts/deals"},
		"users.balances.read":     {"/api/v4/accounts/balances/main", "/api/v4/accounts/balances/spot"},
	}
	for _, scope := range schema.Scopes {
		c := byScope(scope)
		blocked := byScope(scope)
		blocked.Account = &schema.Account{ID: 101, Blocked: true}
		for i := range operations {
			o := &operations[i]
			if o.Auth == api.AuthPublic {
				continue
			}
			if got := api.Allow(&c, o) == nil; got != slices.Contains(opens[scope], o.Path) {
				t.Errorf("%s opens %s: %v", scope, o.Path, got)
			}
			if api.Allow(&blocked, o) == nil {
				t.Errorf("%s opens %s for a blocked account", scope, o.Path)
			}
		}
	}
}

// Rows for tokens are the signed ones but for who may call, and say nothing of what is wrong with a token.
func TestRowsForTokens(t *testing.T) {
	for _, r := range tokenRows {
		o, signed := row(t, r.path), row(t, r.signed)
		if o.Writes() || o.About != signed.About || o.Limit != signed.Limit || o.Method != signed.Method || o.Right != nil || o.Scope != r.scope || !o.Deprecated {
			t.Errorf("%s is %+v", r.path, o)
		}
		for _, e := range []*api.Error{api.ErrUnknownKey, api.ErrBlocked, api.ErrNotAllowed} {
			body, status := api.AppendError(nil, o.ErrorFormat, o.Error(e))
			if status != 401 || string(body) != `{"data":{"message":["Unauthorized."]}}` {
				t.Errorf("%s: %d %s", r.path, status, body)
			}
		}
		if body, status := api.AppendError(nil, o.ErrorFormat, o.Error(api.ErrBody)); status != 400 || string(body) != `{"code":0,"message":"The request cannot be read.","errors":{}}` {
			t.Errorf("%s: %d %s", r.path, status, body)
		}
	}
}
