package siege

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bourse/internal/conform"
)

var requests = []Attack{
	{"request.forged", "costly payloads with a wrong signature are refused with 401, and cost next to nothing", forged},
	{"request.signed", "costly payloads with a good signature are refused with 4xx, and cost little", costly},
	{"request.replayed", "a signed request that is sent many times is done once", replayed},
	{"request.offset", "offsets and limits of any size are answered at once", offsets},
	{"request.penniless", "stock-market buys without money are refused without a walk through a deep book", penniless},
	{"request.absurd", "absurd numbers get an answer and never a fault; snapshots of what is accepted restore", absurd},
	{"request.margin", "the same for what is done with collateral; the account can be looked at after each", margin},
	{"request.broken", "what is not HTTP, or does not keep what it declares, is refused or cut off", broken},
}

// forgedPerSecond and pennilessPerSecond are rates at which an exchange that does too much for such a
// request was seen to keep a neighbour waiting.
const (
	forgedPerSecond    = 226
	pennilessPerSecond = 530
)

// attackers is how many connections an attack comes over.
const attackers = 4

// fault holds an answer to being no fault of the server.
func (s *Siege) fault(what string, a answer, err error) {
	s.Helper()
	if err != nil || a.status >= http.StatusInternalServerError {
		s.Errorf("%.200s: %v %v", what, a, err)
	}
}

// status holds an answer to one of some statuses.
func (s *Siege) status(what string, a answer, err error, want ...int) {
	s.Helper()
	if err != nil || !slices.Contains(want, a.status) {
		s.Errorf("%.200s: %v %v, want %v", what, a, err, want)
	}
}

// costlyValues are values that take much work to compare or to nest, each of so many bytes.
func costlyValues(size int) []string {
	return []string{
		"[" + strings.TrimSuffix(strings.Repeat("[],", size/3), ",") + "]",
		"[" + strings.TrimSuffix(strings.Repeat("{},", size/3), ",") + "]",
		strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		strings.Repeat(`{"a":`, size/6) + "1" + strings.Repeat("}", size/6),
		`{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, size/6), ",") + `}`,
		`"` + strings.Repeat(`\u0061`, size/6) + `"`,
		strings.Repeat("9", size),
	}
}

// costlyBodies are requests with such values: of 18 KB, and as large as a request may be.
func costlyBodies(c *client, path string) (all [][]byte) {
	for _, size := range []int{18 << 10, 28<<10 - 200} {
		for _, value := range costlyValues(size) {
			all = append(all, fmt.Appendf(nil, `{"request":%q,"nonce":%d,"x":%s}`, path, conform.Nonce(), value))
		}
	}
	return all
}

func forged(s *Siege) {
	v := s.start()
	c := make([]*client, attackers)
	for i := range c {
		c[i] = s.client(v, trader(i))
	}
	const path = "/api/v4/order/new"
	bodies := costlyBodies(c[0], path)
	s.beside(v, func() {
		s.flood(attackers, forgedPerSecond, func(w, i int) {
			// The body says the same as the payload in other bytes, so that they would have to be compared.
			body := bodies[i%len(bodies)]
			header := c[w].Sign(body)
			header["X-TXC-SIGNATURE"] = strings.Repeat("0", len(header["X-TXC-SIGNATURE"]))
			header["X-TXC-PAYLOAD"] = base64.StdEncoding.EncodeToString(body)
			a, err := c[w].send("POST", path, header, append([]byte(" "), body...))
			s.status("a forged request", a, err, http.StatusUnauthorized)
		})
	})
	s.end(v)
}

func costly(s *Siege) {
	v := s.start()
	c := make([]*client, attackers)
	for i := range c {
		c[i] = s.client(v, trader(i))
	}
	const path = "/api/v4/order/new"
	s.beside(v, func() {
		s.flood(attackers, forgedPerSecond, func(w, i int) {
			sizes := costlyValues([]int{18 << 10, 28<<10 - 200}[i%2])
			body := fmt.Appendf(nil, `{"request":%q,"nonce":%d,"x":%s}`, path, conform.Nonce(), sizes[i/2%len(sizes)])
			a, err := c[w].send("POST", path, c[w].Sign(body), body)
			s.status("a costly request", a, err, http.StatusBadRequest, http.StatusUnauthorized, http.StatusUnprocessableEntity)
		})
	})
	s.end(v)
}

func replayed(s *Siege) {
	v := s.start()
	c := s.client(v, trader(0))
	const path = "/api/v4/order/new"
	var done atomic.Int64
	rounds := s.size(10, 200)
	s.beside(v, func() {
		for range rounds {
			body := c.Body(path, conform.Fields{"market": attacked, "side": "buy", "amount": "1", "price": "2"})
			header := c.Sign(body)
			var all sync.WaitGroup
			for range attackers * 4 {
				all.Go(func() {
					s.sent.Add(1)
					a, err := c.send("POST", path, header, body)
					if s.status("a replayed request", a, err, http.StatusOK, http.StatusUnauthorized); a.status == http.StatusOK {
						done.Add(1)
					}
				})
			}
			all.Wait()
		}
	})
	open, err := c.open(attacked)
	if s.must(err); len(open) != rounds || int(done.Load()) != rounds {
		s.Errorf("%d requests were done %d times, and %d orders are open", rounds, done.Load(), len(open))
	}
	s.end(v)
}

func offsets(s *Siege) {
	v := s.start()
	s.fill(v, s.size(1000, 50_000), func(i int) conform.Fields { return resting("sell", 100+i%1000) })
	c := s.client(v, trader(0))
	paths := []string{
		"/api/v4/orders", "/api/v4/trade-account/order/history", "/api/v4/trade-account/executed-history",
		"/api/v4/trade-account/order/history/query", "/api/v4/main-account/transfer/history",
		"/api/v4/main-account/codes/my", "/api/v4/main-account/codes/history", "/api/v4/main-account/history",
	}
	large := []any{4294967295, 4294967296, 9223372036854775807, "18446744073709551616", 10_000, 9_999, -1, "x"}
	s.beside(v, func() {
		s.flood(1, 200, func(_, i int) {
			path, offset := paths[i%len(paths)], large[i/len(paths)%len(large)]
			a, err := c.post(path, conform.Fields{"market": attacked, "offset": offset, "limit": 100})
			s.status(fmt.Sprint(path, " with offset ", offset), a, err, http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity)
		})
	})
	s.end(v)
}

func penniless(s *Siege) {
	v := s.start()
	s.fill(v, s.size(2000, 50_000), func(i int) conform.Fields { return resting("sell", 100+i) })
	c := s.client(v, "penniless")
	before, err := c.get("/api/v4/public/orderbook/" + attacked)
	s.must(err)
	s.beside(v, func() {
		s.flood(1, pennilessPerSecond, func(int, int) {
			a, err := c.post("/api/v4/order/stock_market", conform.Fields{"market": attacked, "side": "buy", "amount": "1000000"})
			s.status("a buy without money", a, err, http.StatusBadRequest)
		})
	})
	after, err := c.get("/api/v4/public/orderbook/" + attacked)
	if s.must(err); bookOf(after) != bookOf(before) {
		s.Errorf("the book changed from %s to %s", before, after)
	}
	s.end(v)
}

// bookOf is a book without the time at which it was asked for.
func bookOf(a answer) string {
	_, levels, _ := strings.Cut(a.body, `"asks"`)
	return levels
}
