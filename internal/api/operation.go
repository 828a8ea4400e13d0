package api

import (
	"net/http"
	"strings"
	"time"

	"bourse/internal/schema"
)

// Operation is a row of the table: something that a client may ask. Who may ask is said by Allow.
type Operation struct {
	Method string
	Path   string // parts in braces are parameters, as in /trades/{market}
	Auth   Auth
	// Right is what keys are given, for signed operations alone; nil where there is none.
	Right *schema.Right
	// Scope is what an access token must have; "" where there is none.
	Scope string
	// Gate is the feature that an account must have, nil for none.
	Gate *Gate
	// Step says that the user of a session must have given a factor not long ago, and Factor that by whatever key it is called, the user of the
	// account must have a second one.
	Step, Factor bool
	// Regions where the operation is offered.
	Regions     schema.Regions
	ErrorFormat ErrorFormat
	Limit       Limit
	// Deprecated operations will be removed.
	Deprecated bool
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
func Post(path string, l Limit, h Handling) Operation {
	right := schema.RightTo(path)
	return Operation{
		Method: "POST", Path: path, Auth: AuthSigned, Right: right, ErrorFormat: Private, Limit: l, Handling: h,
		Step: h.writes && right != nil && (right.Group == schema.GroupWithdraw || right.Group == schema.GroupCodes || right.Group == schema.GroupSubs),
	}
}

// ByToken is a signed operation that only reads, for clients of OAuth: at another path, by an access token that has a scope. It takes and
// answers the same as the signed one, and has the same limit. The flow by which there are such tokens is deprecated.
func (o Operation) ByToken(path, scope string) Operation {
	return Operation{
		Method: o.Method, Path: path, Auth: AuthBearer, Scope: scope, Regions: o.Regions, ErrorFormat: Token, Limit: o.Limit, MapError: anyToken, Deprecated: true,
		Handling: o.Handling,
	}
}

// anyToken hides what is wrong with an access token.
func anyToken(e *Error) *Error {
	if e.Status == http.StatusUnauthorized {
		return ErrToken
	}
	return e
}

// Op is the number of the operation in the log; 0 for those that are not signed.
func (o *Operation) Op() schema.Op {
	if o.Right == nil {
		return 0
	}
	return o.Right.Op
}

// WithFactor is the operation for accounts whose users have a second factor, and those that have no user.
func (o Operation) WithFactor() Operation {
	o.Factor = true
	return o
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

// ForFamily is For where sub-accounts have the features of their master.
func (o Operation) ForFamily(has func(*schema.Account) bool, status int) Operation {
	o.Gate = &Gate{Open: has, Status: status, Family: true}
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
