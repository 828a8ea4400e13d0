package directory

import (
	"net/netip"
	"slices"

	"bourse/internal/auth"
	"bourse/internal/schema"
)

// Key is an API key that is ready to check signatures.
type Key struct {
	schema.Key
	Rights
	Secret *auth.Secret
}

// Rights are what a key may call, and from where.
type Rights struct {
	urls      map[string]bool
	addresses []netip.Addr
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

// AllURLs among the URLs of a key means that it may call everything.
const AllURLs = "*"

// Purpose is what the secrets of API keys are sealed for.
const Purpose = "api secret"

// May reports whether the key may call a path.
func (r *Rights) May(path string) bool { return r.urls[path] || r.urls[AllURLs] }

// From reports whether the key may be used from an address.
func (r *Rights) From(addr netip.Addr) bool {
	return len(r.addresses) == 0 || slices.Contains(r.addresses, addr)
}
