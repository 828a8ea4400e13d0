package conform

import (
	"slices"
	"testing"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// TestGateFeatures lets an operation be for partners only. None of those that there are is, so one
// is made so for this test: a row of the table says it, and nothing else has to.
func TestGateFeatures(t *testing.T) {
	v := Inside(t, `{"assets":[],"markets":[],"accounts":[
		{"name":"partner","region":"global","partner":true,"keys":[{"key":"p","secret":"s","enabled":true}]},
		{"name":"other","region":"global","keys":[{"key":"o","secret":"s","enabled":true}]}]}`, nil)
	operations := v.Exchange.API.Operations()
	row := &operations[slices.IndexFunc(operations, func(o api.Operation) bool { return o.Path == "/api/v4/orders" })]
	row.Gate = &api.Gate{Open: func(a *schema.Account) bool { return a.Partner }, Status: 403}
	if got := v.Client("p", "s").Post(row.Path, nil); got.Status != 200 || got.Body != "[]" {
		t.Errorf("a partner: %d %s", got.Status, got.Body)
	}
	const want = `{"code":0,"message":"You don't have permission to use this endpoint. Please contact support for more details","errors":{}}`
	other := v.Client("o", "s")
	body := other.Body(row.Path, nil)
	for i, want := range []struct {
		status int
		body   string
	}{{403, want}, {401, `{"code":0,"message":"Too many requests.","errors":{}}`}} {
		if got := v.Send("POST", row.Path, other.Sign(body), body); got.Status != want.status || got.Body != want.body {
			t.Errorf("somebody else, time %d: %d %s", i+1, got.Status, got.Body)
		}
	}
	if got := other.Post("/api/v4/order/kill-switch/status", nil); got.Status != 200 {
		t.Errorf("what is for everybody: %d %s", got.Status, got.Body)
	}
}
