// Package web is the door for browsers: people sign in here, and their pages call the operations of the API by a session instead of a
// signature. It stands beside rest and ws, over the same table.
//
// What must hold: a cookie counts here and nowhere else; nothing is done for a page of another origin, be it of another port of the same
// machine; what a session asks for is done at most once for an Idempotency-Key, on whatever node; nobody learns who there is, and nobody
// can lock a stranger out.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/argon"
	"bourse/internal/attempt"
	"bourse/internal/directory"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

// Prefix is what the paths of this door begin with, and Operations those of operations: they stand for the same path below API.
const (
	Prefix     = "/web/"
	Operations = "/web/v4/"
	API        = "/api/v4/"
)

// Options of a door.
type Options struct {
	API *api.API
	// PublicURL is where browsers reach the exchange; "": only those on this machine do.
	PublicURL string
	Webhooks  *webhook.Webhooks
	// Demo are the accounts to which everyone on this machine may sign in by a button.
	Demo []string
	// Now is the clock of the limits; nil: the machine's.
	Now func() time.Time
	// Hash hashes passwords; nil: this process does.
	Hash argon.Hasher
	Log  *slog.Logger
}

// Server is the door.
type Server struct {
	api      *api.API
	options  Options
	public   *url.URL // nil: only browsers on this machine
	routes   map[string]handler
	hasher   *hasher
	attempts *attempt.Counter[guess]
	// invitations are the wrong tokens of invitations, of addresses. They cost nothing, so that somebody with many addresses can fill a counter
	// with them: it is not that of the passwords, which would forget those.
	invitations *attempt.Counter[netip.Prefix]
	answers     *answers
	touched     *touched
}

// handler answers a request; what it returns is the answer as JSON.
type handler struct {
	do func(*Server, *request) (any, error)
	// signedIn says that a session is needed.
	signedIn bool
}

// New makes a door.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hash == nil {
		o.Hash = argon.Here
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{api: o.API, options: o, hasher: newHasher(), attempts: attempt.New[guess](o.Now), invitations: attempt.New[netip.Prefix](o.Now), answers: newAnswers(o.Now), touched: newTouched(o.Now)}
	if o.PublicURL != "" {
		s.public, _ = url.Parse(o.PublicURL) // it was checked at the start
	}
	s.routes = map[string]handler{
		"GET session":         {(*Server).showSession, false},
		"POST session":        {(*Server).signIn, false},
		"DELETE session":      {(*Server).signOut, true},
		"POST session/demo":   {(*Server).signInDemo, false},
		"POST session/factor": {(*Server).stepUp, true},
		"GET sessions":        {(*Server).listSessions, true},
		"DELETE sessions":     {(*Server).endSessions, true},
		"GET notices":         {(*Server).listNotices, true},
		"POST passkey":        {(*Server).beginPasskey, false},
		"POST invitation":     {(*Server).showInvitation, false},
		"POST enrol":          {(*Server).enrol, false},
		"POST password":       {(*Server).setPassword, true},
		"POST totp/offer":     {(*Server).offerTOTP, true},
		"POST totp":           {(*Server).setTOTP, true},
		"DELETE totp":         {(*Server).removeTOTP, true},
		"POST passkeys":       {(*Server).addPasskey, true},
		"DELETE passkeys":     {(*Server).removePasskey, true},

		"POST oauth/request":  {(*Server).showRequest, true},
		"POST oauth/approve":  acts((*act).approve),
		"POST oauth/deny":     {(*Server).deny, true},
		"GET oauth/grants":    {(*Server).listGrants, true},
		"DELETE oauth/grants": {(*Server).revokeGrant, true},

		"GET keys":            {(*Server).listKeys, true},
		"POST keys":           acts((*act).makeKey),
		"DELETE keys":         acts((*act).deleteKey),
		"POST keys/edit":      acts((*act).editKey),
		"POST keys/addresses": acts((*act).setKeyAddress),
		"POST keys/reset":     acts((*act).resetKey),
		"POST keys/secret":    acts((*act).showSecret),

		"GET subs":    {(*Server).listSubs, true},
		"POST invite": acts((*act).invite),

		"GET webhook":         {(*Server).showWebhook, true},
		"GET webhook/log":     {(*Server).listDeliveries, true},
		"POST webhook":        acts((*act).setWebhook),
		"DELETE webhook":      acts((*act).deleteWebhook),
		"POST webhook/verify": acts((*act).verifyWebhook),

		"POST express":     {(*Server).showExpress, true},
		"POST express/pay": acts((*act).payExpress),
	}
	return s
}

// request is a request on its way.
type request struct {
	*fasthttp.RequestCtx
	context context.Context
	address netip.Addr
	site    site
	// session is nil if nobody is signed in.
	session *directory.Key
	cookie  string // of the session
}

// Errors of the door.
var (
	errNotFound  = &api.Error{Status: http.StatusNotFound, Message: "Not Found"}
	errMethod    = &api.Error{Status: http.StatusMethodNotAllowed, Message: "Method Not Allowed"}
	errElsewhere = &api.Error{Status: http.StatusForbidden, Message: "This page is not one of the exchange's own, or lacks its token. Reload it."}
	errInsecure  = &api.Error{Status: http.StatusForbidden, Message: "Signing in needs HTTPS at the public URL of the exchange, or a browser on its own machine."}
	errType      = &api.Error{Status: http.StatusUnsupportedMediaType, Message: "The body must be JSON."}
	errBody      = api.ErrBody
	errSession   = api.Refusal(schema.Refuse(schema.SessionUnknown))
)

// Serve answers a request from an address.
func (s *Server) Serve(ctx *fasthttp.RequestCtx, address netip.Addr) {
	header := &ctx.Response.Header
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	r := &request{RequestCtx: ctx, context: context.Background(), address: address}
	answer, err := s.answer(r)
	if err != nil {
		s.refuse(ctx, err)
		return
	}
	header.SetContentType("application/json")
	if raw, is := answer.(json.RawMessage); is {
		ctx.SetBody(raw)
		return
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err) // answers are structs of texts and numbers
	}
	ctx.SetBody(body)
}

func (s *Server) refuse(ctx *fasthttp.RequestCtx, err error) {
	if known := (*api.Error)(nil); !errors.As(err, &known) {
		s.options.Log.Error("a request of a browser could not be done", "path", string(ctx.Path()), "error", err)
	}
	e := api.ErrorOf(err)
	body, status := api.AppendError(nil, api.Private, e)
	ctx.Response.Header.SetContentType("application/json")
	ctx.SetStatusCode(status)
	ctx.SetBody(body)
}

// answer finds out where a request comes from and who sent it, and does what it asks for.
func (s *Server) answer(r *request) (any, error) {
	path := string(r.URI().PathOriginal())
	var err error
	if r.site, err = s.siteOf(r.RequestCtx); err != nil {
		return nil, err
	}
	if s.identify(r); !r.IsGet() {
		if err := s.sameOrigin(r); err != nil {
			return nil, err
		}
	}
	if operation, is := strings.CutPrefix(path, Operations); is {
		return s.operate(r, API+operation)
	}
	name := strings.TrimPrefix(path, Prefix)
	h, known := s.routes[string(r.Method())+" "+name]
	switch {
	case !known && s.known(name):
		return nil, errMethod
	case !known:
		return nil, errNotFound
	case h.signedIn && r.session == nil:
		return nil, errSession
	case (h.signedIn || r.IsGet()) && r.session != nil && s.api.Deaf(): // what it knows of the account, and of the session, may be old
		return nil, api.Unavailable()
	}
	if r.session != nil {
		s.touch(r)
	}
	return h.do(s, r)
}

// known reports whether a path answers to some method.
func (s *Server) known(name string) bool {
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if _, is := s.routes[method+" "+name]; is {
			return true
		}
	}
	return false
}

// identify finds the session of a request, if there is one that lives.
func (s *Server) identify(r *request) {
	cookie := string(r.Request.Header.Cookie(r.site.cookie(sessionCookie)))
	if cookie == "" {
		return
	}
	k := s.api.Directory().Session(publicPart(cookie))
	if k == nil || s.api.Now() >= k.Expires {
		return
	}
	// Nobody gave a factor for a session of a button: it counts where the button could be pressed, and not in what was a demo once.
	if k.User == 0 && !s.demo(r) {
		return
	}
	r.session, r.cookie = k, cookie
}

// account is that of the session.
func (s *Server) account(r *request) *schema.Account {
	return s.api.Directory().Account(r.session.Account)
}

// user is that of the session; nil: it was begun by the button of a demo.
func (s *Server) user(r *request) *schema.User { return s.api.Directory().User(r.session.User) }

// read reads the body of a request.
func (r *request) read(into any) error {
	body := r.PostBody()
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if api.TooDeep(body) || json.Unmarshal(body, into) != nil {
		return errBody
	}
	return nil
}

// wrong is an error about one field.
func wrong(field, text string) *api.Error {
	return api.NewError(http.StatusUnprocessableEntity, 30, api.ValidationFailed, field, text)
}

// done is the answer of what has nothing to say.
type done struct{}
