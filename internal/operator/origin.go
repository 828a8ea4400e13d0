package operator

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// A browser that an operator once gave the password of this API sends it along with whatever any page
// makes it ask. So a request of a page from elsewhere is refused, and so is one for a name that is
// not known to be ours: the owner of a name can let it lead here, and then its pages are not from
// elsewhere (DNS rebinding). Addresses and localhost belong to nobody who could.

// addressed refuses requests that are for another server, or of another one's page.
func (s *Server) addressed(r *http.Request) error {
	if host := hostname(r.Host); !s.own(host) {
		return &Error{Status: http.StatusMisdirectedRequest, Message: fmt.Sprintf("%q is not known as a name of this server; allow it with --operator-host %s, or ask by address", host, host)}
	}
	// Browsers say where a request comes from in at least one of two headers; other programs do not.
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" {
		return errForeign
	}
	for _, origin := range r.Header.Values("Origin") {
		if at, err := url.Parse(origin); err != nil || at.Host == "" || !strings.EqualFold(at.Host, r.Host) {
			return errForeign
		}
	}
	return nil
}

var errForeign = &Error{Status: http.StatusForbidden, Message: "requests of pages from elsewhere are refused"}

// own reports whether a name is one of this server.
func (s *Server) own(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") {
		return true
	}
	if machine, err := os.Hostname(); err == nil && strings.EqualFold(host, machine) {
		return true
	}
	return slices.ContainsFunc(s.options.Hosts, func(name string) bool { return strings.EqualFold(host, name) })
}

// hostname is a Host header without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}
