package conform_test

import (
	"context"
	"encoding/json"
	"testing"

	"bourse/internal/api"
	"bourse/internal/conform"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// exampleToken is the access token that the examples are asked for with.
const exampleToken = "b3bGzXyqzYQ1nDq6rJ0v0mZ0cXb8e5m4mJkq8k1zXhA"

// lends lets alice have a user, who lets a client read her data.
func (v venue) lends(t *testing.T) {
	t.Helper()
	alice := v.account("alice").ID
	now := v.Exchange.API.Now()
	v.Do(&schema.Invite{Account: alice, Digest: schema.Digest{1}, Login: schema.Digest{2}, Name: []byte{3}})
	session := v.Do(&schema.Enrol{
		Digest: schema.Digest{1}, Factors: schema.Factors{Password: []byte{4}, TOTP: []byte{5}, Step: 6}, Session: schema.Digest{7}, Device: "Firefox",
	}).ID
	partner := schema.PartnerID(v.Do(&schema.SetPartner{Partner: schema.Partner{
		Client: "tax", Title: "Tax", Secret: schema.Digest{8}, URIs: []string{"https://tax.example/back"}, Addresses: []string{"127.0.0.1"}, On: true,
		Scopes: []string{"users.transactions.read", "users.converts.read", "users.orders.read", "users.deals.read", "users.balances.read"},
	}}).ID)
	var result schema.Result
	err := v.Exchange.Node.SubmitFrom(context.Background(), schema.Origin{Key: schema.KeyID(session), Once: schema.Digest{9}},
		&schema.AuthorizePartner{Account: alice, Partner: partner, Code: schema.Digest{10}, Redirect: "https://tax.example/back", Since: now}, &result)
	if err != nil || result.Rejection.Refused() {
		t.Fatalf("%v, %s", err, result.Rejection.Text())
	}
	v.Do(&schema.RedeemGrant{Partner: partner, Code: schema.Digest{10}, Access: login.Hash(exampleToken), Family: schema.Digest{11}, Refresh: schema.Digest{12}})
}

// byToken sends a request with the access token of the examples.
func (v venue) byToken(t *testing.T, o *api.Operation, fields obj) conform.Reply {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if fields == nil {
		body = nil
	}
	return v.Send("POST", o.Path, map[string]string{"Authorization": "Bearer " + exampleToken, "Content-Type": "application/json"}, body)
}
