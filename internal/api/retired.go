package api

import (
	"slices"

	"bourse/internal/schema"
)

// Older is a form of requests that another one took the place of. It is taken until the day on which an operator retires it, which customers hear
// beforehand; then it is refused as anything that was never known.
type Older uint8

const (
	// LongSTP are the long names of self-trade prevention: cancel_both, cancel_new, cancel_old.
	LongSTP Older = iota
	// FlatTravelRule is a travelRule whose fields are all texts.
	FlatTravelRule
)

var olderNames = []string{LongSTP: "long-stp", FlatTravelRule: "flat-travel-rule"}

// OlderNames are what operators call them.
func OlderNames() []string { return slices.Clone(olderNames) }

// ParseOlder is the form with a name.
func ParseOlder(name string) (Older, bool) {
	at := slices.Index(olderNames, name)
	return Older(max(at, 0)), at >= 0
}

// Retired reports whether a form is taken no more.
func (a *API) Retired(o Older) bool {
	from, set := a.options.Retire[o]
	return set && a.Now() >= from
}

// Retired is the same while a request is served; nothing is retired while one is described.
func (f *Form) Retired(o Older) bool { return f.api != nil && f.api.Retired(o) }

// Retire is from when on forms are taken no more.
type Retire map[Older]schema.Time
