package web

import (
	"crypto/subtle"
	"encoding/hex"
	"mime"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/login"
)

// Cookies of the door.
const (
	sessionCookie = "bourse"
	deviceCookie  = "bourse-device"
	passkeyCookie = "bourse-passkey"
)

// csrfHeader is what pages of ours send what GET /web/session says in.
const csrfHeader = "X-Bourse-CSRF"

// site is where a browser takes itself to be. It follows from the settings, and on this machine from the address that the browser asked
// for: never from what somebody in between could have written.
type site struct {
	origin string // as https://example.com
	host   string // the name alone, which passkeys are bound to
	secure bool
	local  bool // the browser is on this machine and asked for this machine
}

// siteOf is the site of a request, or why nobody can sign in there.
func (s *Server) siteOf(ctx *fasthttp.RequestCtx) (site, error) {
	local, host := onThisMachine(ctx)
	if s.public != nil {
		at := site{s.public.Scheme + "://" + s.public.Host, s.public.Hostname(), s.public.Scheme == "https", local}
		if !at.secure && !(local && loopback(at.host)) {
			return at, errInsecure
		}
		return at, nil
	}
	if !local {
		return site{}, errInsecure
	}
	scheme := "http"
	if ctx.IsTLS() {
		scheme = "https"
	}
	return site{scheme + "://" + string(ctx.Host()), host, ctx.IsTLS(), true}, nil
}

// onThisMachine reports whether a request comes from a browser on this machine that asked for this machine, and by which name. A page of
// another site that has its name resolved to us asks for that name, and a proxy says for whom it asks.
func onThisMachine(ctx *fasthttp.RequestCtx) (bool, string) {
	host := string(ctx.Host())
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return loopback(host) && isLoopback(ctx.RemoteAddr()) && !forwarded(ctx), host
}

// forwarded reports whether somebody in between says so.
func forwarded(ctx *fasthttp.RequestCtx) bool {
	for name := range ctx.Request.Header.All() {
		lower := strings.ToLower(string(name))
		if lower == "forwarded" || lower == "via" || strings.HasPrefix(lower, "x-forwarded-") {
			return true
		}
	}
	return false
}

func isLoopback(a net.Addr) bool {
	tcp, is := a.(*net.TCPAddr)
	return is && tcp.AddrPort().Addr().Unmap().IsLoopback()
}

// loopback reports whether a name is one of this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.IsLoopback()
}

// passkeys reports whether browsers have passkeys for the site: none for bare addresses.
func (at *site) passkeys() bool {
	_, err := netip.ParseAddr(at.host)
	return err != nil
}

// cookie is the name of a cookie at the site. Browsers take __Host- cookies from the very host alone.
func (at *site) cookie(name string) string {
	if at.secure {
		return "__Host-" + name
	}
	return name
}

// setCookie gives the browser a cookie for some time; none: it forgets it.
func (r *request) setCookie(name, value string, life time.Duration) {
	c := fasthttp.AcquireCookie()
	defer fasthttp.ReleaseCookie(c)
	c.SetKey(r.site.cookie(name))
	c.SetValue(value)
	c.SetPath("/")
	c.SetHTTPOnly(true)
	c.SetSecure(r.site.secure)
	c.SetSameSite(fasthttp.CookieSameSiteStrictMode)
	if life <= 0 {
		c.SetExpire(fasthttp.CookieExpireDelete)
	} else {
		c.SetMaxAge(int(life / time.Second))
	}
	r.Response.Header.SetCookie(c)
}

// sameOrigin refuses what was not sent by a page of ours. Same site is not enough: a page on another port of the machine is of the same
// site, and its requests carry the cookie.
func (s *Server) sameOrigin(r *request) error {
	header := &r.Request.Header
	switch fetch, origin := string(header.Peek("Sec-Fetch-Site")), string(header.Peek("Origin")); {
	case fetch != "" && fetch != "same-origin", fetch == "" && origin == "", origin != "" && !sameURL(origin, r.site.origin):
		return errElsewhere
	}
	if kind, _, err := mime.ParseMediaType(string(header.ContentType())); err != nil || kind != "application/json" {
		return errType
	}
	if r.session != nil && subtle.ConstantTimeCompare(header.Peek(csrfHeader), []byte(s.csrf(r.cookie))) != 1 {
		return errElsewhere
	}
	return nil
}

// sameURL compares origins as browsers do: a port that is the usual one need not be said.
func sameURL(a, b string) bool {
	x, err := url.Parse(a)
	if err != nil {
		return false
	}
	y, err := url.Parse(b)
	return err == nil && x.Scheme == y.Scheme && x.Hostname() == y.Hostname() && port(x) == port(y)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// csrf is what only pages of ours can read: it goes with a session.
func (s *Server) csrf(cookie string) string {
	d := s.api.Key().Digest("csrf", cookie)
	return hex.EncodeToString(d[:16])
}

// publicPart is what the key of a session is found by.
func publicPart(cookie string) string {
	d := login.Hash(cookie)
	return hex.EncodeToString(d[:])
}
