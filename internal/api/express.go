package api

import (
	"bourse/internal/core"
	"bourse/internal/schema"
)

// ExpressPurpose is what tokens of express payments are for, which are secrets like codes: commands carry their digests, by which the core
// finds them, and their texts sealed.
const ExpressPurpose = "express payment"

// Express is what a token asks for, if it can be paid now.
func (a *API) Express(token string) (asked schema.Express, digest schema.Digest, there bool) {
	digest = a.Key().Digest(ExpressPurpose, token)
	a.node.Read(func(m core.View) { asked, there = m.Express(digest, a.Now()) })
	return asked, digest, there
}
