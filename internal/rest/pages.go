package rest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// Page is something fixed beside the operations, for browsers: it has a type and a body, or else
// the address of another page to which it sends.
type Page struct {
	Type string
	// Body is made when somebody first asks for it, so that a start does not wait for it, and then kept.
	Body func() []byte
	// To is relative, so that it is right behind a proxy that serves us below a path of its own.
	To string
	// App says that it is a page on which people sign in or are signed in: browsers hold it to the strictest policy.
	App bool
	// Local, if it is there, is what a browser on this machine gets instead of the body.
	Local []byte
}

// policy has a browser load nothing from elsewhere, run nothing that is not a file of ours, and show
// no page in a frame of somebody else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// appPolicy is policy for pages on which people are signed in: no script makes others of texts.
const appPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; " +
	"frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// pages finds pages by their paths. They count against the limit of what has none of its own and
// have one meter together.
type pages struct {
	at    map[string]*page
	meter meter
}

// page is a page as it is sent.
type page struct {
	Page
	local         *page // for browsers on this machine; nil: the same
	plain, zipped func() variant
}

// variant of a body. Its tag is that of these bytes alone, as a strong one must be.
type variant struct {
	body []byte
	tag  string
}

func makePages(from map[string]Page, m *meters) pages {
	p := pages{map[string]*page{}, m.of("pages")}
	for at, given := range from {
		p.at[at] = makePage(given)
		if given.Local != nil {
			p.at[at].local = makePage(Page{Type: given.Type, Body: func() []byte { return given.Local }})
		}
	}
	return p
}

func makePage(given Page) *page {
	plain := sync.OnceValue(func() variant {
		body := given.Body()
		sum := sha256.Sum256(body)
		return variant{body, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
	})
	zipped := sync.OnceValue(func() variant {
		from := plain()
		return variant{zip(from.body), strings.TrimSuffix(from.tag, `"`) + `-gzip"`}
	})
	return &page{Page: given, plain: plain, zipped: zipped}
}

// isLocal reports whether a request comes from a browser on this machine that asks for this machine. A
// page of another site that has its name resolved to us asks for that name, and a proxy says for whom it
// asks.
func isLocal(ctx *fasthttp.RequestCtx) bool {
	h := &ctx.Request.Header
	if !remote(ctx.Conn()).IsLoopback() || len(h.PeekAll("X-Forwarded-For")) > 0 || len(h.PeekAll("Forwarded")) > 0 {
		return false
	}
	host := string(h.Host())
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && at.IsLoopback()
}

func zip(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// page answers with a page, or that the client has it.
func (s *Server) page(ctx *fasthttp.RequestCtx, format api.ErrorFormat, p *page) {
	header := &ctx.Response.Header
	if !ctx.IsGet() && !ctx.IsHead() {
		header.Set("Allow", "GET, HEAD")
		s.refuse(ctx, format, errMethod)
		return
	}
	if p.App {
		header.Set("Content-Security-Policy", appPolicy)
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
	} else {
		header.Set("Content-Security-Policy", policy)
	}
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	if p.local != nil && isLocal(ctx) {
		p = p.local
	}
	if p.To != "" {
		header.Set("Location", p.To)
		ctx.SetStatusCode(fasthttp.StatusFound)
		return
	}
	variant, zipped := p.plain, accepts(ctx.Request.Header.PeekAll("Accept-Encoding"), "gzip")
	if zipped {
		variant = p.zipped
	}
	send := variant()
	header.Set("Vary", "Accept-Encoding")
	header.Set("Etag", send.tag)
	if matches(ctx.Request.Header.PeekAll("If-None-Match"), send.tag) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return
	}
	if zipped {
		header.Set("Content-Encoding", "gzip")
	}
	header.SetContentType(p.Type)
	ctx.Response.SetBodyRaw(send.body)
}

// accepts reports whether a client takes an encoding: it names it, or everything, and not with
// the weight 0 (RFC 9110, 12.5.3).
func accepts(headers [][]byte, encoding string) bool {
	others := false
	for item := range items(headers) {
		name, weight, _ := strings.Cut(item, ";")
		_, weight, _ = strings.Cut(weight, "=")
		takes := strings.Trim(weight, "0. \t") != "" || strings.TrimSpace(weight) == ""
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, encoding):
			return takes
		case name == "*":
			others = takes
		}
	}
	return others
}

// matches reports whether one of the tags that a client has is this one. What a proxy weakened is
// as good (RFC 9110, 13.1.2).
func matches(headers [][]byte, tag string) bool {
	for item := range items(headers) {
		if item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}

// items are the parts of a header that is a list. None of those that are read here has a comma
// within a part.
func items(headers [][]byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, h := range headers {
			for part := range strings.SplitSeq(string(h), ",") {
				if !yield(strings.TrimSpace(part)) {
					return
				}
			}
		}
	}
}
