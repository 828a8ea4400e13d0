package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"bourse/internal/directory"
	"bourse/internal/schema"
)

// Consent is the page on which people approve a client. It is asked for with the query that came to Login.
const Consent = "/consent"

// maxQuery is the longest query, in bytes.
const maxQuery = 4 << 10

// Request is what a client asks a person for, by the query that it sends him here with.
type Request struct {
	Partner   *directory.Partner
	Redirect  string // one of the client's own
	State     string
	Challenge schema.Digest // of PKCE; zero: there is none
	// Problem says what is wrong with the rest of the query, in the words of RFC 6749, 4.1.2.1: the client hears it when a person who is
	// signed in says so. Empty: nothing is.
	Problem string
}

// Unusable is why a person can be sent back nowhere: it is not known to whom.
type Unusable struct{ Message string }

func (u *Unusable) Error() string { return u.Message }

var (
	errQuery    = &Unusable{"The link cannot be read: it is too long, or says something twice."}
	errUnknown  = &Unusable{"The link is of no program that is known here, or of one that is switched off."}
	errRedirect = &Unusable{"The link leads back to an address that is not one of the program's own."}
	errResponse = &Unusable{"The link asks for something else than a code."}
)

// Clients knows the clients by their ids; nil stands for none.
type Clients interface {
	PartnerByClient(id string) *directory.Partner
}

// Read reads the query of a client.
func Read(d Clients, query string) (*Request, error) {
	if len(query) > maxQuery {
		return nil, errQuery
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, errQuery
	}
	for _, values := range q {
		if len(values) > 1 {
			return nil, errQuery
		}
	}
	id := q.Get("clientId")
	if q.Has("client_id") {
		if id != "" {
			return nil, errQuery
		}
		id = q.Get("client_id")
	}
	p := d.PartnerByClient(id)
	if p == nil || !p.On {
		return nil, errUnknown
	}
	r := &Request{Partner: p, Redirect: q.Get("redirect_uri"), State: q.Get("state")}
	if !q.Has("redirect_uri") && !p.Issues() { // it has one alone
		r.Redirect = p.URIs[0]
	}
	switch {
	case q.Has("redirect_uri") && !slices.Contains(p.URIs, r.Redirect):
		return nil, errRedirect
	case r.Redirect == "":
		return nil, errRedirect
	case q.Has("response_type") && q.Get("response_type") != "code":
		return nil, errResponse
	}
	challenge, method := q.Get("code_challenge"), q.Get("code_challenge_method")
	digest, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if err != nil || len(digest) != sha256.Size || len(challenge) != base64.RawURLEncoding.EncodedLen(sha256.Size) { // line ends would be skipped
		digest = make([]byte, sha256.Size)
	}
	r.Challenge = schema.Digest(digest)
	switch {
	case p.Issues() && r.State == "":
		r.Problem = "state is required"
	case challenge == "" && (p.Issues() || q.Has("code_challenge") || method != ""):
		r.Problem = "code_challenge is required"
	case challenge != "" && method != "S256":
		r.Problem = "code_challenge_method must be S256"
	case challenge != "" && r.Challenge.IsZero():
		r.Problem = "code_challenge must be the SHA-256 of the verifier in base64url, 43 characters"
	}
	return r, nil
}

// Back is the address of the client to which a person is sent with an answer. Iss is who answers (RFC 9207).
func (r *Request) Back(iss string, pairs ...string) string {
	answer := url.Values{"iss": {iss}}
	if r.State != "" {
		answer.Set("state", r.State)
	}
	for i := 0; i < len(pairs); i += 2 {
		answer.Set(pairs[i], pairs[i+1])
	}
	between := "?"
	if strings.Contains(r.Redirect, "?") {
		between = "&"
	}
	return r.Redirect + between + answer.Encode()
}

// Host is where a person is sent back to, as people read it.
func (r *Request) Host() string {
	u, err := url.Parse(r.Redirect)
	if err != nil { // operators register what can be read
		return r.Redirect
	}
	return u.Host
}

// isVerifier reports whether a text is a verifier of PKCE (RFC 7636, 4.1).
func isVerifier(text string) bool {
	return len(text) >= 43 && len(text) <= 128 && !strings.ContainsFunc(text, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._~", c))
	})
}

// CheckRedirect says why a client cannot have a redirect URI; "": it can. With loopback it may be on the machine of who tries a sandbox.
func CheckRedirect(text string, loopback bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }):
		return "a redirect URI is like https://example.com/callback"
	case strings.ContainsAny(text, "#*") || u.User != nil || strings.Contains(u.Host, "@"):
		return "a redirect URI has no fragment, no user and no wildcard"
	case len(text) > schema.MaxRedirect:
		return "the redirect URI is too long"
	case u.Scheme == "https", loopback && u.Scheme == "http" && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		return ""
	}
	return "a redirect URI begins with https://"
}

// login sends a person to the page on which he approves the client, with the query that he came with.
func (s *Server) login(ctx *fasthttp.RequestCtx) {
	query := string(ctx.URI().QueryString())
	if _, err := Read(s.api.Directory(), query); err != nil {
		ctx.Response.Header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		ctx.Response.Header.SetContentType("text/html; charset=utf-8")
		ctx.SetStatusCode(http.StatusBadRequest)
		ctx.SetBodyString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Bourse</title>\n<h1>This link does not work</h1>\n<p>" +
			html.EscapeString(err.Error()) + "</p>\n</html>\n")
		return
	}
	// Relative, so that it is right behind a proxy that serves us below a path of its own.
	ctx.Response.Header.Set("Location", ".."+Consent+"?"+query)
	ctx.SetStatusCode(http.StatusFound)
}
