package oauth

import (
	"context"
	"net/http"
	"net/netip"
	"slices"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// issuesNot is the region whose deployments issue no keys.
const issuesNot = schema.EU

// Words of what goes wrong with keys that were issued.
const (
	unauthorized = "Unauthorized."
	forbidden    = "Forbidden."
	noKey        = "Key not found."
	taken        = "Secret already retrieved."
	locked       = "Temporary lock, retry shortly."
)

// Groups are what a customer can let a client call, and whether he did. What manages sub-accounts is never given.
func Groups(a *api.API, granted []string) []api.KeyGroup {
	return a.KeyGroups(func(r *schema.Right) bool { return r.Group != schema.GroupSubs }, granted)
}

// caller is whose token a request has, if it has the scope, and the client that the token is of.
func (s *Server) caller(ctx *fasthttp.RequestCtx, from netip.Addr, scope string) (api.Caller, *directory.Partner, bool) {
	c, p := s.api.Bearer(ctx.Request.Header.Peek("Authorization"), from)
	if api.Admit(&c) != nil || !slices.Contains(c.Scopes, scope) {
		ctx.Response.Header.Set("WWW-Authenticate", api.BearerChallenge)
		answer(ctx, http.StatusUnauthorized, message(unauthorized))
		return c, nil, false
	}
	return c, p, true
}

// state is whether a customer has a key of the client, and what it may call.
type state struct {
	Exists      bool           `json:"exists"`
	IsEnabled   bool           `json:"isEnabled"`
	ExternalID  *string        `json:"externalId"`
	Permissions []api.KeyGroup `json:"permissions"`
}

// info says whether there is a key.
func (s *Server) info(ctx *fasthttp.RequestCtx, from netip.Addr) {
	c, p, ok := s.caller(ctx, from, schema.ScopeReadKey)
	if !ok {
		return
	}
	if s.api.Deaf() { // what it knows of the account may be old
		refuse(ctx, api.Unavailable())
		return
	}
	shown := state{Permissions: []api.KeyGroup{}}
	if key, there := s.api.Issued(c.Account.ID, p.ID); there {
		shown.Exists, shown.IsEnabled, shown.ExternalID = true, key.On(), &key.External
		if len(key.URLs) > 0 {
			shown.Permissions = Groups(s.api, key.URLs)
		}
	}
	answer(ctx, http.StatusOK, data{shown})
}

// own is the key with an external id, if it is one that an account has for a client; otherwise it answers why it is not.
func (s *Server) own(ctx *fasthttp.RequestCtx, account *schema.Account, p *directory.Partner, external string) (key schema.Key, ok bool) {
	s.api.Read(func(m core.View) {
		if r := m.Accounts().ByExternal(external); r != nil {
			key = r.Key
			key.Sealed = slices.Clone(key.Sealed)
		}
	})
	switch {
	case key.ID == 0 || key.Account != account.ID:
		answer(ctx, http.StatusNotFound, message(noKey))
	case key.Partner != p.ID:
		answer(ctx, http.StatusForbidden, message(forbidden))
	default:
		return key, true
	}
	return key, false
}

// secret gives the secret of a key away, once. The log says who was first; the lock spares it those of this node who come together.
func (s *Server) secret(ctx *fasthttp.RequestCtx, from netip.Addr, external string) {
	c, p, ok := s.caller(ctx, from, schema.ScopeReadKey)
	if !ok {
		return
	}
	key, ok := s.own(ctx, c.Account, p, external)
	if !ok {
		return
	}
	if _, busy := s.taking.LoadOrStore(external, true); busy {
		answer(ctx, http.StatusLocked, message(locked))
		return
	}
	defer s.taking.Delete(external)
	result, err := s.api.Identify(context.Background(), &schema.TakeSecret{Account: c.Account.ID, Partner: p.ID, External: external, Token: c.Token})
	if err != nil {
		refused(ctx, result.Rejection.Reason, err)
		return
	}
	opened, err := s.api.Key().Open(key.Sealed, directory.Purpose)
	if err != nil { // it was sealed by another master key
		refuse(ctx, err)
		return
	}
	answer(ctx, http.StatusOK, data{struct {
		Secret string `json:"apiSecret"`
	}{string(opened)}})
}

// refused answers what the core refused about a key.
func refused(ctx *fasthttp.RequestCtx, reason schema.Reason, err error) {
	switch reason {
	case schema.OK: // it did not get so far
		refuse(ctx, err)
	case schema.SecretTaken:
		answer(ctx, http.StatusConflict, message(taken))
	case schema.KeyUnknown: // it ended meanwhile
		answer(ctx, http.StatusNotFound, message(noKey))
	default: // the token ended meanwhile, or the account was blocked
		answer(ctx, http.StatusUnauthorized, message(unauthorized))
	}
}

// delete ends a key. One that is disabled is for the customer to end.
func (s *Server) delete(ctx *fasthttp.RequestCtx, from netip.Addr, external string) {
	c, p, ok := s.caller(ctx, from, schema.ScopeDeleteKey)
	if !ok {
		return
	}
	key, ok := s.own(ctx, c.Account, p, external)
	switch {
	case !ok:
		return
	case !key.On():
		answer(ctx, http.StatusNotFound, message(noKey))
		return
	}
	command := &schema.RevokePartner{Account: c.Account.ID, Partner: p.ID, External: external, Token: c.Token}
	if result, err := s.api.Identify(context.Background(), command); err != nil {
		refused(ctx, result.Rejection.Reason, err)
		return
	}
	answer(ctx, http.StatusOK, data{[]int{}})
}
