package oauth

import (
	"net/url"
	"strings"
	"testing"

	"bourse/internal/directory"
	"bourse/internal/schema"
)

// only is one client, which has keys issued.
type only struct{ uri string }

func (o only) PartnerByClient(string) *directory.Partner {
	return &directory.Partner{Partner: schema.Partner{ID: 1, URIs: []string{o.uri}, Scopes: []string{schema.ScopeReadKey}, On: true}}
}

func TestRedirectsThatCanBeRegistered(t *testing.T) {
	for text, want := range map[string]bool{
		"https://example.com/back":                         true,
		"https://example.com":                              true,
		"https://example.com:8443/back?from=us":            true,
		"https://[2001:db8::1]/back":                       true,
		"http://example.com/back":                          false,
		"http://127.0.0.1:7000/back":                       false, // but in a demo
		"https://example.com/#x":                           false,
		"https://example.com/#":                            false,
		"https://*.example.com/":                           false,
		"https://example.com/*":                            false,
		"https://us@example.com/":                          false,
		"https://us:pw@example.com/":                       false,
		"https://@example.com/":                            false,
		"https://example.com\\@evil.example/":              false,
		"https:///back":                                    false,
		"https:back":                                       false,
		"//example.com/back":                               false,
		"/back":                                            false,
		"":                                                 false,
		"javascript:alert(1)":                              false,
		"com.example.app:/back":                            false,
		"https://example.com/a b":                          false,
		"https://example.com/\n":                           false,
		"https://exämple.com/":                             false,
		"https://:443/back":                                false,
		" https://example.com/":                            false,
		"https://example.com/" + strings.Repeat("x", 2000): false,
	} {
		if got := CheckRedirect(text, false); (got == "") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	for text, want := range map[string]bool{
		"http://127.0.0.1:7000/back": true, "http://localhost/back": true, "http://[::1]:7000/": true,
		"http://127.0.0.2/back": false, "http://localhost.example.com/": false, "http://127.0.0.1@example.com/": false,
	} {
		if got := CheckRedirect(text, true); (got == "") != want {
			t.Errorf("in a demo, %s: %q", text, got)
		}
	}
}

// FuzzRedirects: what can be registered leads to a host by HTTPS and nowhere else, only a link with the very bytes is followed, and who is
// sent back gets there, with all that was to be said.
func FuzzRedirects(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://example.com/back", "https://example.com/back"},
		{"https://example.com/back", "https://example.com/back/"},
		{"https://example.com/back", "https://example.com/%62ack"},
		{"https://example.com/back?a=b", "https://EXAMPLE.com/back?a=b"},
		{"https://example.com:443/?", "https://example.com/"},
		{"https://[::1]/", "https://user@example.com/"},
		{"https://*.example.com/", "https://evil.example.com/"},
		{"https://example.com\\@evil.example/", "https://example.com/#x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, registered, sent string) {
		if CheckRedirect(registered, false) != "" {
			return
		}
		u, err := url.Parse(registered)
		if err != nil || !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "" || u.User != nil || u.Opaque != "" || u.Fragment != "" ||
			strings.ContainsAny(registered, "#*\\ \t\r\n") || len(registered) > schema.MaxRedirect {
			t.Fatalf("%q can be registered", registered)
		}
		if authority, _, _ := strings.Cut(registered[len("https://"):], "/"); strings.Contains(strings.SplitN(authority, "?", 2)[0], "@") {
			t.Fatalf("%q can be registered, with a user", registered)
		}
		query := url.Values{"clientId": {"tax"}, "redirect_uri": {sent}, "state": {"s&t=é"}}
		r, err := Read(only{registered}, query.Encode())
		if (err == nil) != (sent == registered && len(query.Encode()) <= maxQuery) {
			t.Fatalf("registered %q, sent %q: %v", registered, sent, err)
		}
		if err != nil {
			return
		}
		back, err := url.Parse(r.Back("https://bourse.example", "code", "c"))
		if err != nil || back.Host != u.Host || back.Path != u.Path || back.Scheme != u.Scheme || !strings.HasPrefix(r.Back("i"), registered) {
			t.Fatalf("%q leads to %v: %v", registered, back, err)
		}
		if got := back.RawQuery; !strings.HasSuffix(got, "code=c&iss=https%3A%2F%2Fbourse.example&state=s%26t%3D%C3%A9") {
			t.Fatalf("%q leads to %v", registered, back)
		}
	})
}
