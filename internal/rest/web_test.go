package rest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// Pages on which people sign in are held to the strictest policy.
func TestPagesOfPeopleHaveTheStrictestPolicy(t *testing.T) {
	page := browser(t, Options{})("GET", "/signin")
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; " +
			"frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What begins with /web/ is the other door's, and counts against the limit of the operation that it stands for.
func TestTheDoorForBrowsers(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	asked := 0
	ask := browser(t, Options{Now: func() time.Time { return now }, Web: func(ctx *fasthttp.RequestCtx, _ netip.Addr) {
		asked++
		ctx.SetBodyString("other door")
	}})
	for _, path := range []string{"/web/session", "/web/v4/nothing", "/web/"} {
		if got := ask("POST", path); got.StatusCode != 200 || got.body != "other door" {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	if got := ask("POST", "/webs"); got.StatusCode != 404 || asked != 3 {
		t.Errorf("%d, asked %d times", got.StatusCode, asked)
	}
	passed := 0
	for range 20 { // of which ten a minute are let in
		if ask("POST", "/web/v4/profile/websocket_token").StatusCode == 200 {
			passed++
		}
	}
	if passed != 10 {
		t.Errorf("%d passed", passed)
	}
}
