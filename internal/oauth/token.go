package oauth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/attempt"
	"bourse/internal/auth"
	"bourse/internal/directory"
	"bourse/internal/login"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// maxForm is the longest form, in bytes.
const maxForm = 8 << 10

// wrongSecrets is how many an address may send within a time. No client is locked by them: one who guesses stops nobody at another address.
var wrongSecrets = attempt.Rule{Name: "secret", Most: 10, Within: time.Minute}

// secretBytes is how much chance is in the secret of a key that is issued.
const secretBytes = 32

// asked is what a client asks for: the fields of its form, and who it says it is.
type asked struct {
	fields         url.Values
	client, secret string
	standard       bool // it sent grant_type: answers carry the members of RFC 6749 beside ours
	basic          bool
}

// issued are the tokens that a client gets.
type issued struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
	TokenType    string `json:"token_type"`
}

// standardIssued is the same for programs that know RFC 6749: it stands beside ours, with scopes apart by spaces.
type standardIssued struct {
	Data issued `json:"data"`
	issued
}

// failure is why a client gets nothing, in our words and in those of RFC 6749.
type failure struct {
	status int
	body   any
	word   string
}

var (
	errInvalid      = &failure{http.StatusUnauthorized, said{[]string{"Invalid request"}}, "invalid_request"}
	errClient       = &failure{http.StatusUnauthorized, said{[]string{"Invalid request"}}, "invalid_client"}
	errGrant        = &failure{http.StatusUnauthorized, said{[]string{"Invalid request"}}, "invalid_grant"}
	errGrantType    = &failure{http.StatusUnauthorized, said{[]string{"Invalid request"}}, "unsupported_grant_type"}
	errLarge        = &failure{http.StatusRequestEntityTooLarge, said{[]string{"Invalid request"}}, "invalid_request"}
	errRefreshToken = &failure{http.StatusBadRequest, map[string][]string{"token": {"Invalid token."}}, "invalid_grant"}

	errTooMany = &api.Error{Status: http.StatusTooManyRequests, Message: "Too Many Requests"}
)

func (f *failure) Error() string { return f.word }

// standardFailure is a failure for programs that know RFC 6749, and missing that about fields that are not there.
type standardFailure struct {
	Error string `json:"error"`
	Data  any    `json:"data"`
}

type missing struct {
	Error        string              `json:"error,omitempty"`
	Errors       map[string][]string `json:"errors"`
	Notification *string             `json:"notification"`
}

func (m *missing) fail(q *asked) {
	if q.standard {
		m.Error = "invalid_request"
	}
}

// fails answers what went wrong.
func fails(ctx *fasthttp.RequestCtx, q *asked, err error) {
	var f *failure
	if !errors.As(err, &f) {
		refuse(ctx, err)
		return
	}
	if q.basic && f == errClient {
		ctx.Response.Header.Set("WWW-Authenticate", `Basic realm="oauth2"`)
	}
	if q.standard {
		answer(ctx, f.status, standardFailure{f.word, f.body})
		return
	}
	answer(ctx, f.status, data{f.body})
}

// read reads the form of a client. What is in a query, where logs would see it, is refused; a body that is no form has no fields.
func read(ctx *fasthttp.RequestCtx) (*asked, error) {
	q := &asked{fields: url.Values{}}
	if len(ctx.URI().QueryString()) > 0 {
		return q, errInvalid
	}
	if len(ctx.PostBody()) > maxForm {
		return q, errLarge
	}
	header := &ctx.Request.Header
	kind, _, err := mime.ParseMediaType(string(header.ContentType()))
	if err == nil && kind == "application/x-www-form-urlencoded" {
		if q.fields, err = url.ParseQuery(string(ctx.PostBody())); err != nil {
			return q, errInvalid
		}
	}
	q.standard = q.fields.Get("grant_type") != ""
	for _, values := range q.fields {
		if len(values) > 1 {
			return q, errInvalid
		}
	}
	q.client, q.secret = q.fields.Get("client_id"), q.fields.Get("client_secret")
	scheme, proof, _ := strings.Cut(string(header.Peek("Authorization")), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return q, nil
	}
	if q.basic = true; q.secret != "" {
		return q, errInvalid
	}
	pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(proof))
	id, secret, is := strings.Cut(string(pair), ":")
	if err != nil || !is {
		return q, errClient
	}
	// RFC 6749, 2.3.1: both are encoded as in a form.
	id, badID := url.QueryUnescape(id)
	secret, badSecret := url.QueryUnescape(secret)
	if badID != nil || badSecret != nil || q.client != "" && q.client != id {
		return q, errClient
	}
	q.client, q.secret = id, secret
	return q, nil
}

// lacks answers that fields are missing, if some are.
func (q *asked) lacks(ctx *fasthttp.RequestCtx, names ...string) bool {
	m := missing{Errors: map[string][]string{}}
	for _, name := range names {
		value := q.fields.Get(name)
		switch name {
		case "client_id":
			value = q.client
		case "client_secret":
			value = q.secret
		}
		if value == "" {
			m.Errors[name] = []string{"validation.required"}
		}
	}
	if len(m.Errors) == 0 {
		return false
	}
	m.fail(q)
	answer(ctx, http.StatusUnprocessableEntity, m)
	return true
}

// authenticate is the client that sent a request, which must know its secret and call from its addresses.
func (s *Server) authenticate(q *asked, from netip.Addr) (*directory.Partner, error) {
	if s.attempts.Over(wrongSecrets, attempt.Customer(from)) {
		return nil, errTooMany
	}
	p := s.api.Directory().PartnerByClient(q.client)
	given, want := login.Hash(q.secret), schema.Digest{}
	if p != nil {
		want = p.Secret
	}
	if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		s.attempts.Add(wrongSecrets, attempt.Customer(from))
		return nil, errClient
	}
	if !p.On || !p.From(from) {
		return nil, errClient
	}
	return p, nil
}

// token redeems a code.
func (s *Server) token(ctx *fasthttp.RequestCtx, from netip.Addr) {
	q, err := read(ctx)
	switch kind := q.fields.Get("grant_type"); {
	case err != nil:
		fails(ctx, q, err)
		return
	case kind == "refresh_token":
		s.refresh(ctx, q, from, "refresh_token")
		return
	case kind != "" && kind != "authorization_code":
		fails(ctx, q, errGrantType)
		return
	case q.lacks(ctx, "client_id", "client_secret", "code"):
		return
	}
	p, err := s.authenticate(q, from)
	if err != nil {
		fails(ctx, q, err)
		return
	}
	command := &schema.RedeemGrant{Partner: p.ID, Code: login.Hash(q.fields.Get("code")), Redirect: q.fields.Get("redirect_uri")}
	if verifier := q.fields.Get("code_verifier"); verifier != "" {
		if !isVerifier(verifier) {
			fails(ctx, q, errGrant)
			return
		}
		command.Challenge = login.Hash(verifier)
	}
	access, refresh := login.Random(), ""
	command.Access = login.Hash(access)
	if p.Issues() {
		command.External, command.Sealed = uuid.Random(), s.api.Key().Seal([]byte(auth.Random(secretBytes)), directory.Purpose)
	} else {
		family, last := login.Random(), login.Random()
		refresh, command.Family, command.Refresh = family+"."+last, login.Hash(family), login.Hash(last)
	}
	if err := s.submit(command); err != nil {
		fails(ctx, q, orGrant(err, errGrant))
		return
	}
	s.give(ctx, q, p, access, refresh)
}

// submit lets a command about a grant happen, which may end something and give nothing.
func (s *Server) submit(command schema.Command) error {
	result, err := s.api.Identify(context.Background(), command)
	if err == nil && result.Grant != schema.GrantRedeemed {
		return errGrant
	}
	return err
}

// orGrant is what a client sees of an error about a grant: refusals of the core are all alike.
func orGrant(err error, otherwise *failure) error {
	var refused *api.Error
	if errors.As(err, &refused) || errors.Is(err, errGrant) {
		return otherwise
	}
	return err
}

// give answers with tokens.
func (s *Server) give(ctx *fasthttp.RequestCtx, q *asked, p *directory.Partner, access, refresh string) {
	life := int64(0)
	if g := s.api.Directory().Token(login.Hash(access)); g != nil { // else it ended meanwhile
		life = max(0, int64((g.AccessUntil-s.api.Now()+schema.Second-1)/schema.Second))
	}
	ours := issued{access, life, refresh, strings.Join(p.Scopes, ","), "Bearer"}
	if !q.standard {
		answer(ctx, http.StatusOK, data{ours})
		return
	}
	theirs := ours
	theirs.Scope = strings.Join(p.Scopes, " ")
	answer(ctx, http.StatusOK, standardIssued{ours, theirs})
}

// refreshToken gives new tokens for a refresh token.
func (s *Server) refreshToken(ctx *fasthttp.RequestCtx, from netip.Addr) {
	q, err := read(ctx)
	switch kind := q.fields.Get("grant_type"); {
	case err != nil:
		fails(ctx, q, err)
	case kind != "" && kind != "refresh_token":
		fails(ctx, q, errGrantType)
	case q.fields.Get("token") == "" && q.fields.Get("refresh_token") != "":
		s.refresh(ctx, q, from, "refresh_token")
	default:
		s.refresh(ctx, q, from, "token")
	}
}

// refresh gives new tokens for the refresh token in a field.
func (s *Server) refresh(ctx *fasthttp.RequestCtx, q *asked, from netip.Addr, field string) {
	if !s.allowed(from) {
		refuse(ctx, errTooMany)
		return
	}
	if q.lacks(ctx, "client_id", "client_secret", field) {
		return
	}
	p, err := s.authenticate(q, from)
	if err != nil {
		fails(ctx, q, err)
		return
	}
	family, last, _ := strings.Cut(q.fields.Get(field), ".")
	access, next := login.Random(), login.Random()
	err = s.submit(&schema.RefreshGrant{
		Partner: p.ID, Family: login.Hash(family), Token: login.Hash(last), Access: login.Hash(access), Refresh: login.Hash(next),
	})
	if err != nil {
		fails(ctx, q, orGrant(err, errRefreshToken))
		return
	}
	s.give(ctx, q, p, access, family+"."+next)
}

// allowed counts a refresh against the limit of its address.
func (s *Server) allowed(from netip.Addr) bool {
	if s.options.Unlimited {
		return true
	}
	for _, trusted := range s.options.Trusted {
		if trusted.Contains(from) {
			return true
		}
	}
	return s.limiter.Allow(from, s.options.Now(), s.refreshes)
}
