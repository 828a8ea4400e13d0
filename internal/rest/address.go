package rest

import (
	"bytes"
	"net/netip"
	"slices"

	"github.com/valyala/fasthttp"
)

// address is where a request comes from. A proxy that the operator named is believed about whom
// it forwards for; nobody else is, since anyone can write a header.
func (s *Server) address(ctx *fasthttp.RequestCtx) netip.Addr {
	addr := remote(ctx.Conn())
	if !among(s.options.Proxies, addr) {
		return addr
	}
	return behind(addr, ctx.Request.Header.PeekAll("X-Forwarded-For"), s.options.Proxies)
}

// behind is for whom a proxy forwards. Each proxy adds whom it heard from at the end; the first
// from there that is not one of ours is the client, and so is the last of ours if what it says
// cannot be read.
func behind(proxy netip.Addr, headers [][]byte, proxies []netip.Prefix) netip.Addr {
	for _, hops := range slices.Backward(headers) {
		for more := true; more; {
			at := bytes.LastIndexByte(hops, ',')
			hop := bytes.TrimSpace(hops[at+1:])
			hops, more = hops[:max(at, 0)], at >= 0
			next, err := netip.ParseAddr(string(hop))
			if err != nil {
				return proxy
			}
			proxy = next.WithZone("").Unmap()
			if !among(proxies, proxy) {
				return proxy
			}
		}
	}
	return proxy
}

func among(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}
