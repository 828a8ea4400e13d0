package conform

import (
	"strings"
	"testing"

	"bourse/internal/exchange"
)

// Pages of other sites may read what is public, if the settings say so, and nothing else ever.
func TestGateSharesWhatIsPublic(t *testing.T) {
	const page, other = "https://page.example", "https://other.example"
	for _, c := range []struct {
		origins             []string
		toPage, toOther     string
		variesBy, preflight string
	}{
		{nil, "", "", "", ""},
		{[]string{page}, page, "", "Origin", "GET, HEAD"},
		{[]string{"*"}, "*", "*", "", "GET, HEAD"},
	} {
		t.Run(strings.Join(c.origins, " "), func(t *testing.T) {
			v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), func(o *exchange.Options) { o.REST.Origins = c.origins })
			asked := func(method, path, origin string) map[string]string {
				t.Helper()
				r := v.Send(method, path, map[string]string{"Origin": origin, "Access-Control-Request-Method": "GET"}, nil)
				if r.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s %s lets credentials in", method, path)
				}
				return map[string]string{
					"origin": r.Header.Get("Access-Control-Allow-Origin"), "methods": r.Header.Get("Access-Control-Allow-Methods"), "vary": r.Header.Get("Vary"),
				}
			}
			for _, o := range operationsOf(false) {
				path := strings.Replace(o.Path, "{market}", "BTC_USDT", 1)
				for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
					if got := asked(method, path, page); got["origin"] != c.toPage || got["vary"] != c.variesBy {
						t.Errorf("%s %s: %v", method, path, got)
					}
					if got := asked(method, path, other); got["origin"] != c.toOther {
						t.Errorf("%s %s from elsewhere: %v", method, path, got)
					}
				}
				if got := asked("OPTIONS", path, page); got["methods"] != c.preflight {
					t.Errorf("OPTIONS %s: %v", path, got)
				}
			}
			for _, o := range operationsOf(true) {
				for _, method := range []string{"OPTIONS", "POST"} {
					if got := asked(method, o.Path, page); got["origin"] != "" || got["methods"] != "" {
						t.Errorf("%s %s: %v", method, o.Path, got)
					}
				}
			}
			if r := v.Send("OPTIONS", pathPing, map[string]string{"Origin": page, "Access-Control-Request-Method": "GET"}, nil); (r.Status == 204) != (c.origins != nil) {
				t.Errorf("OPTIONS: %d", r.Status)
			}
		})
	}
}
