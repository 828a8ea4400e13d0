// Package table is the whole table of operations, put together from the groups, and what keys can be
// given of it.
package table

import (
	"fmt"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/api/account"
	"bourse/internal/api/collateral"
	"bourse/internal/api/convert"
	"bourse/internal/api/earn"
	"bourse/internal/api/market"
	"bourse/internal/api/mining"
	"bourse/internal/api/sandbox"
	"bourse/internal/api/spot"
	"bourse/internal/api/sub"
	"bourse/internal/api/wallet"
	"bourse/internal/schema"
)

// Operations is every operation that a venue has. Groups keep caches beside their rows: the rows of one call
// are for one API.
func Operations() []api.Operation {
	return slices.Concat(common(), sub.Operations(sub.Options{}))
}

// common are the operations that a venue and a demo have alike.
func common() []api.Operation {
	all := slices.Concat(market.Operations(), spot.Operations(), collateral.Operations(), wallet.Operations(), convert.Operations(), earn.Operations(), mining.Operations(), account.Operations())
	return append(all, byToken(all)...)
}

// Sandbox is every operation that a demo has: those of a venue, and those that make play money. Sub-accounts of a demo wait for nobody.
func Sandbox() []api.Operation {
	return slices.Concat(common(), sub.Operations(sub.Options{Confirmed: true}), sandbox.Operations())
}

// signed are the operations that keys are given, for what does not depend on an API, and playful those that
// only a demo has: keys get them one by one, not with their group.
var (
	signed  = slices.DeleteFunc(Operations(), func(o api.Operation) bool { return o.Auth != api.AuthSigned })
	playful = sandbox.Operations()
)

// URLs are the paths that a key gets which is to have some groups and paths. AllURLs stands for all there are and
// will be; a group stands for the paths that it has now.
func URLs(names []string) ([]string, error) {
	urls := []string{}
	for _, name := range names {
		found := given(name)
		if len(found) == 0 {
			return nil, fmt.Errorf("%q is neither a path of the private API nor a group of such; there are %q for all, the groups %s, and the paths %s",
				name, schema.AllURLs, strings.Join(GroupNames(), ", "), strings.Join(paths(func(*api.Operation) bool { return true }), ", "))
		}
		for _, url := range found {
			if !slices.Contains(urls, url) {
				urls = append(urls, url)
			}
		}
	}
	return urls, nil
}

// given is what a name stands for.
func given(name string) []string {
	if name == schema.AllURLs {
		return []string{name}
	}
	if slices.ContainsFunc(playful, func(o api.Operation) bool { return o.Path == name }) {
		return []string{name}
	}
	return paths(func(o *api.Operation) bool { return o.Path == name || string(o.Right.Group) == name })
}

// paths of the signed operations that are chosen.
func paths(chosen func(*api.Operation) bool) (all []string) {
	for i := range signed {
		if chosen(&signed[i]) {
			all = append(all, signed[i].Path)
		}
	}
	return all
}

// GroupNames are those that keys can be given.
func GroupNames() (all []string) {
	for _, g := range api.Groups() {
		all = append(all, string(g))
	}
	return all
}
