package rest

import (
	"bytes"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/limit"
)

// route is an operation and the limits that a request for it counts against.
type route struct {
	operation *api.Operation
	parameter string // of the path, "" when there is none
	rules     []*limit.Rule
	meter     meter
}

// routes finds operations by their paths.
type routes struct {
	exact    map[string]*route
	prefixes []prefix // longest first
	unknown  []*limit.Rule
	nowhere  meter
}

type prefix struct {
	text  []byte
	route *route
}

// otherwise is the limit of what has none of its own: any endpoint, and what is not there.
var otherwise = api.Limit{Count: 10000, Window: 10 * time.Second}

// makeRoutes makes routes, with meters and with limits multiplied by a factor.
func makeRoutes(l *limit.Limiter, m *meters, factor int) routes {
	r := routes{exact: map[string]*route{}, nowhere: m.of("")}
	rule := func(a api.Limit) *limit.Rule { return l.Rule(a.Count*factor, a.Window) }
	scopes := make([]*limit.Rule, len(api.Scopes))
	for i, scope := range api.Scopes {
		scopes[i] = rule(scope.Limit)
	}
	operations := api.Operations()
	for i := range operations {
		o := &operations[i]
		next := &route{operation: o, meter: m.of(o.Path)}
		for j, scope := range api.Scopes {
			if strings.HasPrefix(o.Path, scope.Prefix) {
				next.rules = append(next.rules, scopes[j])
			}
		}
		if o.Limit.Count > 0 {
			next.rules = append(next.rules, rule(o.Limit))
		}
		if text, parameter := o.Prefix(); parameter != "" {
			next.parameter = parameter
			r.prefixes = append(r.prefixes, prefix{[]byte(text), next})
		} else {
			r.exact[o.Path] = next
		}
	}
	r.unknown = []*limit.Rule{rule(otherwise)}
	return r
}

// find is the route of a path and the parameter in it, or nil. Of two prefixes that fit, the one
// counts behind which no slash follows.
func (r *routes) find(path []byte) (*route, []byte) {
	if found := r.exact[string(path)]; found != nil {
		return found, nil
	}
	for i := range r.prefixes {
		rest, fits := bytes.CutPrefix(path, r.prefixes[i].text)
		if fits && len(rest) > 0 && bytes.IndexByte(rest, '/') < 0 {
			return r.prefixes[i].route, rest
		}
	}
	return nil, nil
}
