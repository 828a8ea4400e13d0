package rest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/limit"
)

// route is an operation and the limits that a request for it counts against.
type route struct {
	operation *api.Operation
	names     []string // of the parameters in the path
	rules     []*limit.Rule
	meter     meter
}

// routes finds operations by their paths.
type routes struct {
	exact    map[string]*route
	patterns []pattern // paths with parameters
	unknown  []*limit.Rule
	nowhere  meter
}

// pattern is a path with parameters, part by part; a part that is a parameter is nil.
type pattern struct {
	parts [][]byte
	route *route
}

// maxParameters is how many parameters a path may have.
const maxParameters = 4

// parameters are those of a path, as they were sent.
type parameters [maxParameters][]byte

// otherwise is the limit of what has none of its own: any endpoint, and what is not there.
var otherwise = api.Limit{Count: 10000, Window: 10 * time.Second}

// makeRoutes makes routes, with meters and with limits multiplied by a factor.
func makeRoutes(operations []api.Operation, l *limit.Limiter, m *meters, factor int) routes {
	r := routes{exact: map[string]*route{}, nowhere: m.of("")}
	rule := func(a api.Limit) *limit.Rule { return l.Rule(a.Count*factor, a.Window) }
	scopes := make([]*limit.Rule, len(api.LimitScopes))
	for i, scope := range api.LimitScopes {
		scopes[i] = rule(scope.Limit)
	}
	for i := range operations {
		o := &operations[i]
		next := &route{operation: o, names: o.Parameters(), meter: m.of(o.Path)}
		for j, scope := range api.LimitScopes {
			if strings.HasPrefix(o.Path, scope.Prefix) {
				next.rules = append(next.rules, scopes[j])
			}
		}
		if o.Limit.Count > 0 {
			next.rules = append(next.rules, rule(o.Limit))
		}
		r.add(next)
	}
	r.unknown = []*limit.Rule{rule(otherwise)}
	return r
}

// add puts in a route. One that this door could not serve is a mistake of the table.
func (r *routes) add(next *route) {
	o := next.operation
	switch {
	case o.Auth != api.AuthPublic && o.Auth != api.AuthSigned && (o.Auth != api.AuthBearer || o.Writes()):
		panic(fmt.Sprintf("rest: there is no way to know who calls %s", o.Path))
	case len(next.names) > maxParameters:
		panic(fmt.Sprintf("rest: %s has too many parameters", o.Path))
	case len(next.names) == 0:
		r.exact[o.Path] = next
		return
	}
	p := pattern{route: next}
	for _, part := range strings.Split(o.Path, "/") {
		if _, is := api.PathParameter(part); is {
			p.parts = append(p.parts, nil)
		} else {
			p.parts = append(p.parts, []byte(part))
		}
	}
	r.patterns = append(r.patterns, p)
}

// find is the route of a path and the parameters in it, or nil.
func (r *routes) find(path []byte) (*route, parameters) {
	if found := r.exact[string(path)]; found != nil {
		return found, parameters{}
	}
	for i := range r.patterns {
		if values, fits := r.patterns[i].match(path); fits {
			return r.patterns[i].route, values
		}
	}
	return nil, parameters{}
}

// webPrefix is what paths of the door for browsers begin with, and webOperations those that stand for operations.
const (
	webPrefix     = "/web/"
	webOperations = "/web/v4/"
)

// oauthPrefix is what paths begin with that clients of OAuth call, and oauthLogin where they send people.
const (
	oauthPrefix = "/oauth2/"
	oauthLogin  = "/auth/login"
)

// behind is the route of the operation that a path of the door for browsers stands for, or nil.
func (r *routes) behind(path []byte) *route {
	name, is := bytes.CutPrefix(path, []byte(webOperations))
	if !is {
		return nil
	}
	return r.exact["/api/v4/"+string(name)]
}

// match is the parameters of a path that the pattern fits. No parameter is empty.
func (p *pattern) match(path []byte) (values parameters, fits bool) {
	at := 0
	for i, part := range p.parts {
		next, rest, more := bytes.Cut(path, []byte("/"))
		switch {
		case more != (i+1 < len(p.parts)):
			return values, false
		case part != nil && !bytes.Equal(part, next), part == nil && len(next) == 0:
			return values, false
		case part == nil:
			values[at] = next
			at++
		}
		path = rest
	}
	return values, true
}
