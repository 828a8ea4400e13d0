package api

import (
	"strings"
	"time"

	"bourse/internal/schema"
)

// Operation is a row of the table: something that a client may ask. Who may ask is said by Allow.
type Operation struct {
	Method string
	Path   string // parts in braces are parameters, as in /trades/{market}
	Auth   Auth
	// Group by which keys are given the operation, and Tier the type of key that it needs; both are for
	// signed operations alone.
	Group Group
	Tier  Tier
	Sub   Sub
	// Scope is what an access token must have; "" where there is none.
	Scope string
	// Gate is the feature that an account must have, nil for none.
	Gate *Gate
	// Regions where the operation is offered.
	Regions     schema.Regions
	ErrorFormat ErrorFormat
	Limit       Limit
	// Open operations answer also while the platform is in maintenance.
	Open bool
	// MapError says otherwise than the table of refusals what an error looks like at this endpoint; nil
	// where it does not. It must not change what it is given.
	MapError func(*Error) *Error
	Handling
}

// Get is a public operation.
func Get(path string, f ErrorFormat, l Limit, h Handling) Operation {
	return Operation{Method: "GET", Path: path, ErrorFormat: f, Limit: l, Handling: h}
}

// Post is a signed operation.
func Post(path string, g Group, l Limit, h Handling) Operation {
	row := g.row()
	return Operation{
		Method: "POST", Path: path, Auth: AuthSigned, Group: g, Tier: row.tier, Sub: row.sub, ErrorFormat: Private, Limit: l, Handling: h,
	}
}

// DuringMaintenance is the operation, which answers also during maintenance of the platform.
func (o Operation) DuringMaintenance() Operation {
	o.Open = true
	return o
}

// For is the operation for accounts that have a feature; the others are answered with the status.
func (o Operation) For(has func(*schema.Account) bool, status int) Operation {
	o.Gate = &Gate{Open: has, Status: status}
	return o
}

// WithErrorMapping is the operation, which words errors in its own way.
func (o Operation) WithErrorMapping(mapping func(*Error) *Error) Operation {
	o.MapError = mapping
	return o
}

// Error is what a client of the operation sees of an error.
func (o *Operation) Error(err error) *Error {
	e := ErrorOf(err)
	if o.MapError != nil {
		return o.MapError(e)
	}
	return e
}

// Parameters are the names of the parameters in the path, in their order.
func (o *Operation) Parameters() (names []string) {
	for _, part := range strings.Split(o.Path, "/") {
		if name, is := PathParameter(part); is {
			names = append(names, name)
		}
	}
	return names
}

// PathParameter is the name of the parameter that a part of a path is, as {market}.
func PathParameter(part string) (name string, is bool) {
	if !strings.HasPrefix(part, "{") || !strings.HasSuffix(part, "}") {
		return "", false
	}
	return part[1 : len(part)-1], true
}

// Limit is how often an address may call within a window.
type Limit struct {
	Count  int
	Window time.Duration
}

// Per10s is the common limit: so many calls in ten seconds.
func Per10s(count int) Limit { return Limit{count, 10 * time.Second} }

// PerSecond is a limit of so many requests in a second.
func PerSecond(count int) Limit { return Limit{count, time.Second} }

// LimitScope is a limit that all paths with a prefix share.
type LimitScope struct {
	Prefix string
	Limit  Limit
}

// LimitScopes are the limits of whole groups of paths: errors-and-limits 4.
var LimitScopes = []LimitScope{
	{"/api/v4/public/", Per10s(20000)},
	{"/api/v4/trade-account/", Per10s(12000)},
	{"/api/v4/main-account/", Per10s(1000)},
}
