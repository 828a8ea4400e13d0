package rest

import (
	"net/http"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// bearer does an operation for who has an access token. What else the request carries that could prove something is not looked at.
func (s *Server) bearer(ctx *fasthttp.RequestCtx, c *call, r *route) {
	caller, _ := s.api.Bearer(ctx.Request.Header.Peek(fasthttp.HeaderAuthorization), c.address)
	err := api.Allow(&caller, c.Operation)
	if err == nil {
		c.Account = caller.Account
		err = c.fromBody(ctx.PostBody())
	}
	if err == nil {
		err = c.Do()
	}
	if err == nil {
		answer(ctx, c)
		return
	}
	e := c.Operation.Error(err)
	if e.Status == http.StatusUnauthorized {
		ctx.Response.Header.Set("WWW-Authenticate", api.BearerChallenge)
	}
	s.meters.refused(&r.meter, e)
	s.refuse(ctx, c.Operation.ErrorFormat, e)
}

// fromBody fills the form from a body. One that is empty asks for nothing in particular.
func (c *call) fromBody(body []byte) *api.Error {
	if len(body) > 0 && c.Form.ReadJSON(body) != nil {
		return api.ErrBody
	}
	return nil
}
