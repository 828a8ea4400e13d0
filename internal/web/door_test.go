package web

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// What went wrong inside is in the log of those who run the exchange, and nowhere else; what a person did wrong is not.
func TestWhatWentWrongInsideIsLogged(t *testing.T) {
	var said bytes.Buffer
	s := New(Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
	ctx := &fasthttp.RequestCtx{}
	ctx.Request.SetRequestURI("/web/keys?account=x")
	s.refuse(ctx, wrong("title", "It is too long."))
	s.refuse(ctx, api.ErrStepUp)
	if said.Len() > 0 {
		t.Errorf("logged %s", said.String())
	}
	s.refuse(ctx, errors.New("the disk is full"))
	if text := said.String(); !strings.Contains(text, `path=/web/keys error="the disk is full"`) || strings.Contains(text, "account") {
		t.Errorf("logged %s", text)
	}
	if body := string(ctx.Response.Body()); ctx.Response.StatusCode() != 503 || strings.Contains(body, "disk") {
		t.Errorf("%d %s", ctx.Response.StatusCode(), body)
	}
}
