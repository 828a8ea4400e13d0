package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// asks sends a request that is done once.
func (p *visitor) asks(status int, path string, body any) map[string]any {
	p.t.Helper()
	p.asked++
	got, answer := p.send("POST", path, body, map[string]string{"Idempotency-Key": fmt.Sprint(p.asked)})
	if got != status {
		p.t.Fatalf("POST %s: %d %v, want %d", path, got, answer, status)
	}
	return answer
}

// TestAMasterInvitesTheUserOfASubAccount: a sub-account with an e-mail is pending until a new user accepts the invitation (sub-accounts 4, 1), for
// which its master makes the link.
func TestAMasterInvitesTheUserOfASubAccount(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	bob := v.person("127.0.0.2")
	bob.enrol(v.invite("bob", "bob"))
	key := v.Client("alice-key", "alice-secret")
	create := func(fields conform.Fields) map[string]any {
		t.Helper()
		made := map[string]any{}
		key.Post("/api/v4/sub-account/create", fields).Read(t, &made)
		return made
	}
	permissions := obj{"spotEnabled": true, "collateralEnabled": false}
	fund := create(conform.Fields{"alias": "fund", "email": "dora@example.com", "permissions": permissions})
	if fund["status"] != "pending" || fund["userId"] != "" || fund["email"] != "d***@e***m" {
		t.Errorf("made %v", fund)
	}
	for _, email := range []string{strings.Repeat("d", 250) + "@example.com", "d\u200bora@example.com"} { // nobody could sign in by them
		if reply := key.Post("/api/v4/sub-account/create", conform.Fields{"alias": "other", "email": email, "permissions": permissions}); reply.Status != 400 ||
			!strings.Contains(reply.Body, "Email is invalid.") {
			t.Errorf("%s: %d %s", email, reply.Status, reply.Body)
		}
	}

	// Others do not invite to it, and neither does alice long after her factor.
	bob.asks(422, "/web/invite", obj{"account": fund["id"]})
	v.clock.advance(5 * 60 * schema.Second)
	if answer := alice.asks(412, "/web/invite", obj{"account": fund["id"]}); answer["code"] != 2. {
		t.Errorf("a factor is asked for by %v", answer)
	}
	alice.gets(200, "POST", "/web/session/factor", obj{"code": alice.code(0)})
	made := alice.asks(200, "/web/invite", obj{"account": fund["id"]})
	if made["login"] != "dora@example.com" || made["expires"] != float64(v.clock.read()/schema.Second+72*3600) {
		t.Errorf("made %v", made)
	}
	_, old, _ := strings.Cut(made["link"].(string), "/welcome#")
	_, token, _ := strings.Cut(alice.asks(200, "/web/invite", obj{"account": fund["id"]})["link"].(string), "/welcome#")

	dora := v.person("127.0.0.3")
	dora.gets(404, "POST", "/web/invitation", obj{"token": old})
	dora.enrol(token)
	dora.gets(404, "POST", "/web/invitation", obj{"token": token}) // it is good once
	var listed struct{ Data []map[string]any }
	key.Post("/api/v4/sub-account/list", nil).Read(t, &listed)
	if len(listed.Data) != 1 || listed.Data[0]["status"] != "active" || listed.Data[0]["userId"] != fund["id"] {
		t.Errorf("listed %v", listed.Data)
	}
	if reply := key.Post("/api/v4/sub-account/api-key/create", conform.Fields{"subAccountId": fund["id"], "type": 1, "title": "bot"}); reply.Status != 200 {
		t.Errorf("a key of an active sub-account: %d %s", reply.Status, reply.Body)
	}

	// The master does not take it from its user, who invites nobody; and who is blocked does nothing.
	if answer := alice.asks(400, "/web/invite", obj{"account": fund["id"]}); answer["errors"].(map[string]any)["account"].([]any)[0] != "Sub-account has a user already" {
		t.Errorf("a second user is refused by %v", answer)
	}
	desk := create(conform.Fields{"alias": "desk", "email": "ed@example.com", "permissions": permissions})
	dora.asks(422, "/web/invite", obj{"account": desk["id"]})
	account := *v.Exchange.API.AccountByName("alice")
	account.Blocked = true
	v.Do(&schema.SetAccount{Account: account})
	alice.asks(401, "/web/invite", obj{"account": desk["id"]})
}
