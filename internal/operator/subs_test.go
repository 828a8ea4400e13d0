package operator_test

import (
	"testing"

	"bourse/internal/login"
	"bourse/internal/schema"
)

// TestSubAccountsAsOperatorsSeeThem: as accounts, by their id, with their master; what operators set stays theirs to set.
func TestSubAccountsAsOperatorsSeeThem(t *testing.T) {
	s := found(t)
	alice := s.account("alice").ID
	for _, sub := range []schema.SetSub{
		{Master: alice, External: "sub-1", Alias: "desk", Spot: true, ShareKYC: true},
		{Master: alice, External: "sub-2", Alias: "carol", Email: "sealed"},
	} {
		s.submit(&sub)
	}
	s.must("GET", "/v1/accounts/sub-1", "").has(`"alice"`, "parent").has(`"desk"`, "alias").has(`"active"`, "status").has("false", "deposits")
	s.must("GET", "/v1/accounts/sub-2", "").has(`"alice"`, "parent").has(`"carol"`, "alias").has(`"pending"`, "status")
	s.must("PATCH", "/v1/accounts/sub-1", `{"deposits":true}`).has("true", "deposits").has(`"desk"`, "alias")
	s.must("PATCH", "/v1/accounts/sub-1", `{"blocked":true}`).has("true", "blocked").has("true", "deposits").has(`"active"`, "status")
	s.must("PATCH", "/v1/accounts/sub-1", `{"approvals":true}`).has("false", "approvals") // for masters
	if a := s.account("sub-1"); !a.Deposits || !a.Blocked || !a.Spot || !a.ShareKYC || a.Parent != alice || a.External != "sub-1" {
		t.Errorf("it is %+v", a)
	}
}

// TestUsersOfDeletedSubAccounts are nobody: neither on a page nor before it.
func TestUsersOfDeletedSubAccounts(t *testing.T) {
	s := found(t)
	alice := s.account("alice").ID
	for i, name := range []string{"gone", "desk"} {
		s.submit(&schema.SetSub{Master: alice, External: name, Alias: name, ShareKYC: true})
		key, token := s.x.Node.Key(), login.Random()
		s.submit(&schema.Invite{Account: s.account(name).ID, Digest: login.Hash(token), Login: login.Digest(key, name), Name: login.SealName(key, name)})
		s.submit(&schema.Enrol{Digest: login.Hash(token), Factors: schema.Factors{Password: []byte("p"), TOTP: []byte("t"), Step: 1}, Session: login.Hash(name), Device: "Chrome"})
		s.must("GET", "/v1/users", "").has(`"`+name+`"`, i, "login")
	}
	s.submit(&schema.DeleteSub{Master: alice, Sub: s.account("gone").ID})
	s.must("GET", "/v1/users", "").has(`"desk"`, 0, "login").has("2", 0, "id")
	s.must("GET", "/v1/users?limit=1", "").has(`"desk"`, 0, "login")
	s.must("GET", "/v1/users?offset=1", "").has("[]")
}
