package directory

import (
	"net/netip"
	"slices"
	"sync/atomic"

	"bourse/internal/auth"
	"bourse/internal/schema"
)

// Key is an API key that is ready to check signatures.
type Key struct {
	schema.Key
	Rights
	Secret *auth.Secret

	touched atomic.Int64 // when the log last heard that the key is in use
}

// touchEvery is how often the log hears that a key is in use by somebody who only reads.
const touchEvery = 10 * 60 * schema.Second

// Touch reports whether the log is to hear at a moment that the key is in use.
func (k *Key) Touch(now schema.Time) bool {
	last := k.touched.Load()
	return (last == 0 || now >= schema.Time(last)+touchEvery) && k.touched.CompareAndSwap(last, int64(now))
}

// Rights are what a key may call, and from where.
type Rights struct {
	urls      map[string]bool
	addresses []netip.Addr
	client    *client // of OAuth that the key was issued for: its addresses count, and none of the key's own; nil: there is none
}

// RightsOf are the rights that the settings of a key give while it is enabled.
func RightsOf(k *schema.Key) Rights {
	r := Rights{urls: map[string]bool{}}
	for _, url := range k.URLs {
		r.urls[url] = true
	}
	for _, text := range k.Addresses {
		// Addresses that cannot be read match nobody: they restrict all the same.
		addr, _ := netip.ParseAddr(text)
		r.addresses = append(r.addresses, addr.Unmap())
	}
	return r
}

// Purpose is what the secrets of API keys are sealed for.
const Purpose = "api secret"

// May reports whether the key may call a path.
func (r *Rights) May(path string) bool { return r.urls[path] || r.urls[schema.AllURLs] }

// From reports whether the key may be used from an address.
func (r *Rights) From(addr netip.Addr) bool {
	if r.client != nil {
		p := r.client.now.Load()
		return p != nil && p.From(addr)
	}
	return len(r.addresses) == 0 || slices.Contains(r.addresses, addr)
}

// On reports whether the key can be used: it is enabled, and so is the client that it was issued for.
func (k *Key) On() bool {
	if k.client != nil {
		p := k.client.now.Load()
		return k.Key.On() && p != nil && p.On
	}
	return k.Key.On()
}
