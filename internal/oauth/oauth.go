// Package oauth is the door for clients of OAuth 2: they send people here who are to approve them (/auth/login), redeem codes, refresh tokens,
// and fetch what was issued for them (/oauth2/…). What people see and approve is the business of the door for browsers (internal/web), which
// reads the requests of clients with Read.
//
// What must hold: nobody is ever sent to an address that is not, byte by byte, one that an operator registered for the client; what a client
// says counts after it proved who it is, from its own addresses; texts of codes, tokens and secrets are in answers alone, and digests of them
// in the log; the secret of a key leaves once.
package oauth

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/attempt"
	"bourse/internal/limit"
)

// Login is where clients send people, and Prefix what the paths begin with that clients call themselves.
const (
	Login  = "/auth/login"
	Prefix = "/oauth2/"
)

// Options of a door.
type Options struct {
	API *api.API
	// Factor multiplies the limits, 0 means 1; Unlimited lifts them, for Trusted addresses always. Wrong secrets are counted all the same.
	Factor    int
	Unlimited bool
	Trusted   []netip.Prefix
	// Now is the clock of the limits; nil: the machine's.
	Now func() time.Time
}

// Server is the door.
type Server struct {
	api       *api.API
	options   Options
	attempts  *attempt.Counter[netip.Prefix]
	limiter   *limit.Limiter
	refreshes []*limit.Rule
	taking    sync.Map // external ids of keys whose secrets are being fetched
}

// addressesKept bounds what is remembered for limits.
const addressesKept = 1 << 12

// New makes a door.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{api: o.API, options: o, attempts: attempt.New[netip.Prefix](o.Now), limiter: limit.New(addressesKept)}
	s.refreshes = []*limit.Rule{s.limiter.Rule(max(o.Factor, 1), time.Second)}
	return s
}

// Serve answers a request from an address.
func (s *Server) Serve(ctx *fasthttp.RequestCtx, address netip.Addr) {
	header := &ctx.Response.Header
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache") // RFC 6749, 5.1
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	path := string(ctx.URI().PathOriginal())
	if path == Login {
		if s.method(ctx, http.MethodGet) {
			s.login(ctx)
		}
		return
	}
	if s.api.Directory().Closed() {
		refuse(ctx, api.Maintenance())
		return
	}
	key, secret := "", false
	if rest, is := strings.CutPrefix(path, Prefix+"api-key/"); is && rest != "info" {
		if key, secret = strings.CutSuffix(rest, "/secret"); strings.Contains(key, "/") {
			key = ""
		}
	}
	switch {
	case path == Prefix+"token":
		if s.method(ctx, http.MethodPost) {
			s.token(ctx, address)
		}
	case path == Prefix+"refresh_token":
		if s.method(ctx, http.MethodPost) {
			s.refreshToken(ctx, address)
		}
	case s.api.Region() == issuesNot || path != Prefix+"api-key/info" && key == "":
		refuse(ctx, api.ErrNotThere)
	case key == "":
		if s.method(ctx, http.MethodGet) {
			s.info(ctx, address)
		}
	case secret:
		if s.method(ctx, http.MethodGet) {
			s.secret(ctx, address, key)
		}
	default:
		if s.method(ctx, http.MethodDelete) {
			s.delete(ctx, address, key)
		}
	}
}

var errMethod = &api.Error{Status: http.StatusMethodNotAllowed, Message: "Method Not Allowed"}

// method refuses other methods than the one of a path.
func (s *Server) method(ctx *fasthttp.RequestCtx, want string) bool {
	got := string(ctx.Method())
	if got == want || got == http.MethodHead && want == http.MethodGet && string(ctx.URI().PathOriginal()) == Login {
		return true
	}
	ctx.Response.Header.Set("Allow", want)
	refuse(ctx, errMethod)
	return false
}

// refuse answers in the form of the private API.
func refuse(ctx *fasthttp.RequestCtx, err error) {
	body, status := api.AppendError(nil, api.Private, api.ErrorOf(err))
	ctx.Response.Header.SetContentType("application/json")
	ctx.SetStatusCode(status)
	ctx.SetBody(body)
}

// answer writes an answer of the shape that clients of OAuth know.
func answer(ctx *fasthttp.RequestCtx, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // answers are structs of texts and numbers
	}
	ctx.Response.Header.SetContentType("application/json")
	ctx.SetStatusCode(status)
	ctx.SetBody(text)
}

// data is what answers are wrapped in, and said a message in it.
type data struct {
	Data any `json:"data"`
}

type said struct {
	Message []string `json:"message"`
}

func message(text string) data { return data{said{[]string{text}}} }
