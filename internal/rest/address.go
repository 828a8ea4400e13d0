package rest

import (
	"bytes"
	"net"
	"net/netip"
	"slices"

	"github.com/valyala/fasthttp"
)

// address is where a request comes from. A proxy that the operator named is believed about whom
// it forwards for; nobody else is, since anyone can write a header.
func (s *Server) address(ctx *fasthttp.RequestCtx) netip.Addr {
	remote, _ := ctx.RemoteAddr().(*net.TCPAddr)
	if remote == nil {
		return netip.Addr{}
	}
	addr := remote.AddrPort().Addr().Unmap()
	if len(s.options.Proxies) == 0 || !among(s.options.Proxies, addr) {
		return addr
	}
	// Each proxy adds whom it heard from at the end; the first from there that is not one of
	// ours is the client.
	hops := bytes.Split(bytes.Join(ctx.Request.Header.PeekAll("X-Forwarded-For"), []byte(",")), []byte(","))
	for _, hop := range slices.Backward(hops) {
		next, err := netip.ParseAddr(string(bytes.TrimSpace(hop)))
		if err != nil {
			break
		}
		addr = next.Unmap()
		if !among(s.options.Proxies, addr) {
			break
		}
	}
	return addr
}

func among(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}
