package web_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"bourse/internal/schema"
)

// said is what the notices of somebody say, the newest first, and whether they have moments.
func (b *browser) said() (list []string) {
	b.t.Helper()
	for _, one := range b.gets(200, "GET", "notices", nil)["notices"].([]any) {
		n := one.(obj)
		if at, is := n["at"].(float64); !is || at <= 0 {
			b.t.Errorf("no moment: %v", n)
		}
		list = append(list, n["what"].(string)+", because "+n["because"].(string))
	}
	return list
}

// What lets somebody in does not end in silence: the account page says when and why.
func TestNoticesSayWhatEnded(t *testing.T) {
	w, alice := open(t)
	if got := alice.said(); len(got) != 0 {
		t.Errorf("at the beginning: %q", got)
	}
	var want []string
	ended := func(lines ...string) {
		t.Helper()
		want = append(lines, want...)
		if got := alice.said(); !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
	w.program("tax")
	alice.approves(alice.asked("tax"), alice.code())
	w.later(time.Minute)
	alice.gets(200, "DELETE", "oauth/grants", obj{"client": "tax"})
	ended("the access of tax ended, because somebody who is signed in ended it")

	alice.gets(200, "POST", "session/factor", alice.factor())
	first := alice.makes(obj{"type": 1, "title": "first"})
	alice.gets(200, "POST", "keys/reset", obj{"id": first.id, "factor": obj{"code": alice.codeIn(30 * time.Second)}})
	ended("the API key first ended, because it was reset, and has another pair now")
	alice.gets(200, "DELETE", "keys", obj{"id": first.id})
	ended("the API key first ended, because it was deleted")

	w.later(2 * time.Minute)
	other := &browser{t: t, w: w, cookies: map[string]string{}, secret: alice.secret}
	other.gets(200, "POST", "session", obj{"login": "alice", "password": password, "code": other.code()})
	alice.gets(200, "DELETE", "sessions", obj{})
	ended("the session on Browser ended, because somebody signed it out")

	w.Do(&schema.SetKey{Key: schema.Key{Key: "desk", Title: "desk", Account: w.account("alice").ID, Sealed: []byte("s"), Enabled: true}})
	operated := schema.Origin{Operator: "olga"}
	var r schema.Result
	if err := w.Exchange.Node.SubmitFrom(context.Background(), operated, &schema.DeleteKey{Key: "desk"}, &r); err != nil || r.Rejection.Refused() {
		t.Fatal(err, r.Rejection.Text())
	}
	ended("the API key desk ended, because operators deleted it")
	bob := w.user("bob")
	if got := bob.said(); len(got) != 0 {
		t.Errorf("bob sees %q", got)
	}
}
