package kyc

import (
	"strings"
	"testing"

	"bourse/internal/schema"
	"bourse/internal/seal"
)

func TestLinksNameASubAccountAndEnd(t *testing.T) {
	dir := t.TempDir()
	key, err := seal.Load(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	link := Link(key, 117, 1000)
	token := Token(link)
	if !strings.HasPrefix(link, "/verify/") || token == "" || strings.Contains(link, "117") {
		t.Fatalf("the link is %s", link)
	}
	for _, c := range []struct {
		token string
		now   schema.Time
		want  schema.AccountID
	}{
		{token, 999, 117},
		{token, 1000, 0},
		{token[:len(token)-1], 1, 0},
		{"A" + token[1:], 1, 0},
		{"", 1, 0},
		{"not base64!", 1, 0},
	} {
		if got := Open(key, c.token, c.now); got != c.want {
			t.Errorf("%s at %d is for %d", c.token, c.now, got)
		}
	}
	if other := Link(key, 117, 1000); other == link {
		t.Error("two links are the same")
	}
}

func TestTokensInPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/verify/abc": "abc", "/verify/": "", "/verify": "", "/verify/a/b": "", "/verify/" + strings.Repeat("a", 128): strings.Repeat("a", 128), "/verify/" + strings.Repeat("a", 129): "",
	} {
		if got := Token(path); got != want {
			t.Errorf("%s has %q", path, got)
		}
	}
}

func TestPagesSayHowAVerificationStands(t *testing.T) {
	for status, want := range map[Status]struct {
		title string
		form  bool
	}{None: {"Link not found", false}, Waiting: {"Verification", true}, Passed: {"Verified", false}, Failed: {"Not verified", true}} {
		p := Page{Status: status, Alias: `<b>desk</b>`, Play: true}
		text := string(p.HTML())
		if !strings.Contains(text, "<title>"+want.title+"</title>") || strings.Contains(text, "<form") != want.form || !strings.Contains(text, "&lt;b&gt;desk") || strings.Contains(text, "<script") {
			t.Errorf("%d: %s", status, text)
		}
		p.Play = false
		if strings.Contains(string(p.HTML()), "<form") {
			t.Errorf("%d: a real exchange lets people verify themselves", status)
		}
	}
}
