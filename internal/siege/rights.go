package siege

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/api/table"
	"bourse/internal/conform"
	"bourse/internal/ws"
)

var rights = []Attack{
	{"right.rest", "a key with one URL, or of another address, is refused at every signed route but its own; nothing changes", restrictedAtREST},
	{"right.socket", "the same over the socket: every private method needs its own right, and so does authorize", restrictedAtSocket},
}

// tokenPath is what gives a token for the socket.
const tokenPath = "/api/v4/profile/websocket_token"

// checksPerSecond bounds how fast doors are tried.
const checksPerSecond = 500

// signedPaths are the paths of all signed operations.
func signedPaths() (all []string) {
	for _, o := range table.Operations() {
		if o.Auth == api.AuthSigned {
			all = append(all, o.Path)
		}
	}
	return all
}

// guarded is an exchange where an account has one key for each signed path, which may call that path
// and ask for tokens, or that path alone, and one key that may be used elsewhere only.
func (s *Siege) guarded() *conform.Venue {
	keys := []object{{"key": "afar", "urls": []string{"*"}, "addresses": []string{"10.1.2.3"}}}
	for _, path := range signedPaths() {
		keys = append(keys, object{"key": only(path), "urls": []string{path}}, object{"key": talks(path), "urls": []string{path, tokenPath}})
	}
	v := conform.Start(s.TB, s.world(nil, account("guarded", wealth, keys...)), "--no-limits")
	c := s.client(v, "guarded")
	_, err := c.limit(attacked, "buy", "1", "50", "")
	s.must(err)
	s.must(c.ask("/api/v4/main-account/transfer", conform.Fields{"ticker": "USDT", "amount": "10", "from": "spot", "to": "main"}, &[]any{}))
	return v
}

// only is the key that may call a path, talks the one that may ask for tokens too.
func only(path string) string  { return "only" + strings.ReplaceAll(path, "/", "-") }
func talks(path string) string { return "talks" + strings.ReplaceAll(path, "/", "-") }

// effective are members that would do something at every route.
func effective() conform.Fields {
	return conform.Fields{
		"market": attacked, "side": "buy", "amount": "1", "price": "40", "activation_price": "90", "ticker": "USDT", "from": "spot", "to": "main",
		"timeout": "60", "orderId": 1, "address": afar, "uniqueId": "rent", "orders": []conform.Fields{{"market": attacked, "side": "buy", "amount": "1", "price": "40", "orderId": 1}},
	}
}

// stateOf is all that a request could have changed.
func (s *Siege) stateOf(v *conform.Venue, key string) string {
	s.Helper()
	c := s.client(v, key)
	var all strings.Builder
	for _, path := range []string{
		"/api/v4/main-account/balance", "/api/v4/trade-account/balance", "/api/v4/orders", "/api/v4/order/kill-switch/status",
		"/api/v4/main-account/transfer/history", "/api/v4/main-account/codes/history", "/api/v4/main-account/history",
		"/api/v4/trade-account/order/history/query",
	} {
		a, err := c.post(path, nil)
		s.status(path, a, err, http.StatusOK)
		all.WriteString(a.body + "\n")
	}
	return all.String()
}

func restrictedAtREST(s *Siege) {
	v := s.guarded()
	before := s.stateOf(v, "guarded")
	paths, afar := signedPaths(), s.client(v, "afar")
	keys := map[string]*client{}
	for _, path := range paths {
		keys[path] = s.client(v, only(path))
	}
	s.beside(v, func() {
		s.repeat(1, len(paths)*(len(paths)+1), checksPerSecond, func(_, i int) {
			path := paths[i%len(paths)]
			if i < len(paths) {
				a, err := afar.post(path, effective())
				s.status(path+" from another address", a, err, http.StatusUnauthorized)
				return
			}
			mine, fields := paths[i/len(paths)-1], effective()
			if path == mine {
				fields = conform.Fields{"market": "NO_MARKET"} // what it may do is tried without doing it
			}
			a, err := keys[mine].post(path, fields)
			refused := a.status == http.StatusUnauthorized
			if s.fault(path, a, err); refused == (path == mine) {
				s.Errorf("%s with a key for %s: %v", path, mine, a)
			}
		})
	})
	if after := s.stateOf(v, "guarded"); after != before {
		s.Errorf("refused requests changed something:\n%s\nbefore:\n%s", after, before)
	}
	s.end(v)
}

func restrictedAtSocket(s *Siege) {
	v := s.guarded()
	before := s.stateOf(v, "guarded")
	needs := ws.Rights()
	flag := "cancel_on_disconnect"
	s.beside(v, func() {
		for _, mine := range signedPaths() {
			var token struct {
				Token string `json:"websocket_token"`
			}
			s.must(s.client(v, talks(mine)).ask(tokenPath, nil, &token))
			socket := v.Socket()
			a := socket.Ask("authorize", token.Token, "public", object{flag: true})
			if (a.Error == nil) != (needs[flag] == mine) {
				s.Errorf("%s with a key for %s: %s %+v", flag, mine, a.Result, a.Error)
			}
			socket.Must("authorize", token.Token, "public", object{flag: false})
			for _, method := range slices.Sorted(maps.Keys(needs)) {
				if method == "authorize" || method == flag {
					continue
				}
				a := socket.Ask(method)
				s.sent.Add(1)
				refused := a.Error != nil && a.Error.Code == 6
				if refused == (needs[method] == mine) {
					s.Errorf("%s with a key for %s: %s %+v", method, mine, a.Result, a.Error)
				}
			}
			socket.Conn.Close()
		}
	})
	if after := s.stateOf(v, "guarded"); after != before {
		s.Errorf("refused requests changed something:\n%s\nbefore:\n%s", after, before)
	}
	s.note("%d methods", len(needs)-2)
	s.end(v)
}
