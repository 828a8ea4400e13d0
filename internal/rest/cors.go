package rest

import (
	"slices"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// anyOrigin among the origins of the options stands for all of them.
const anyOrigin = "*"

// corsAge is how long a browser may remember what it was allowed, in seconds.
const corsAge = "86400"

// shares lets pages of other sites read the answers to public operations, if the options say so. Signed
// requests are never shared: pages do not hold secrets. It reports whether a browser only asked for
// permission, which is answered then.
func (s *Server) shares(ctx *fasthttp.RequestCtx, o *api.Operation) (asked bool) {
	if len(s.options.Origins) == 0 || o.Auth != api.AuthPublic {
		return false
	}
	header := &ctx.Response.Header
	origin := string(ctx.Request.Header.Peek("Origin"))
	switch {
	case slices.Contains(s.options.Origins, anyOrigin):
		origin = anyOrigin
	case slices.Contains(s.options.Origins, origin):
		header.Add("Vary", "Origin")
	default:
		header.Add("Vary", "Origin")
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if !ctx.IsOptions() || len(ctx.Request.Header.Peek("Access-Control-Request-Method")) == 0 {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "GET, HEAD")
	header.Set("Access-Control-Allow-Headers", "Content-Type")
	header.Set("Access-Control-Max-Age", corsAge)
	ctx.SetStatusCode(fasthttp.StatusNoContent)
	return true
}
