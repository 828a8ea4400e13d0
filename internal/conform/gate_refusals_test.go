package conform

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/api"
	"bourse/internal/api/table"
)

var lastWindow atomic.Int64

// signed is a request that can still be spoiled.
type signed struct {
	path   string
	client *Client
	fields Fields
	header map[string]string
	body   []byte
}

// make writes and signs the body; what is spoiled after that is not signed.
func (s *signed) make() {
	s.body = s.client.Body(s.path, s.fields)
	for name, value := range s.fields {
		if value == absentField {
			var all map[string]json.RawMessage
			if err := json.Unmarshal(s.body, &all); err != nil {
				panic(err)
			}
			delete(all, name)
			s.body, _ = json.Marshal(all)
		}
	}
	s.header = s.client.Sign(s.body)
}

const absentField = "absent field"

// spoiled is one way in which a request can be wrong, and what the answer is.
type spoiled struct {
	name    string
	spoil   func(*Venue, *signed) // fields before make, header and body after
	code    int
	message string
}

// field spoils a member of the body, which is signed as it is.
func field(name string, value any) func(*Venue, *signed) {
	return func(_ *Venue, s *signed) { s.fields[name] = value; s.make() }
}

// header spoils a header.
func header(name string, change func(string) string) func(*Venue, *signed) {
	return func(_ *Venue, s *signed) { s.header[name] = change(s.header[name]) }
}

// payload spoils the payload and signs it as it is then.
func payload(change func(string) string) func(*Venue, *signed) {
	return func(_ *Venue, s *signed) {
		s.header[payloadName] = change(s.header[payloadName])
		s.header[signatureName] = s.client.secret.Sign([]byte(s.header[payloadName]))
	}
}

func becomes(value string) func(string) string { return func(string) string { return value } }

// unset takes a header away.
func unset(name string) func(*Venue, *signed) {
	return func(_ *Venue, s *signed) { delete(s.header, name) }
}

// by lets another key sign.
func by(key string) func(*Venue, *signed) {
	return func(v *Venue, s *signed) { s.client = v.gateClient(key); s.make() }
}

// used sends a read with a nonce before, so that it is used.
func used(key string, nonce func() int64, window bool, after int64) func(*Venue, *signed) {
	return func(v *Venue, s *signed) {
		n := nonce()
		s.client = v.gateClient(key)
		first := Fields{"nonce": n, "nonceWindow": window}
		if r := s.client.Post(pathBalance, first); r.Status != 200 {
			v.t.Errorf("the first use of a nonce: %d %s", r.Status, r.Body)
		}
		s.fields["nonce"], s.fields["nonceWindow"] = n+after, window
		s.make()
	}
}

// outside signs with a time of day that is too far from now.
func outside(ms int64) func(*Venue, *signed) {
	return func(v *Venue, s *signed) {
		s.client = v.gateClient("window")
		s.fields["nonce"], s.fields["nonceWindow"] = time.Now().UnixMilli()+ms, true
		s.make()
	}
}

const (
	keyName       = "X-TXC-APIKEY"
	payloadName   = "X-TXC-PAYLOAD"
	signatureName = "X-TXC-SIGNATURE"
)

var waysToFail = []spoiled{
	{"no key", unset(keyName), 0, textUnknown},
	{"empty key", header(keyName, becomes("")), 0, textUnknown},
	{"unknown key", header(keyName, becomes("nobody")), 0, textUnknown},
	{"key with another case", header(keyName, strings.ToUpper), 0, textUnknown},
	{"no payload", unset(payloadName), 0, textNotThere},
	{"empty payload", header(payloadName, becomes("")), 0, textNotThere},
	{"payload that is not base64", payload(becomes("{}")), 9, textPayload},
	{"payload without its padding", payload(func(s string) string { return s + "A" }), 9, textPayload},
	{"payload nested without end", func(_ *Venue, s *signed) {
		s.fields["more"] = json.RawMessage(strings.Repeat("[", 65) + strings.Repeat("]", 65))
		s.make()
	}, 9, textPayload},
	{"payload that is not base64 and not signed", header(payloadName, becomes("{}")), 10, textSigned},
	{"body with another value, and not signed", func(v *Venue, s *signed) {
		s.header[signatureName] = v.gateClient("second").Sign(s.body)[signatureName]
		s.body = []byte(strings.Replace(string(s.body), `"buy"`, `"sell"`, 1))
	}, 10, textSigned},
	{"costly body, and not signed", func(v *Venue, s *signed) {
		s.header[signatureName] = v.gateClient("second").Sign(s.body)[signatureName]
		s.body = []byte(`{"more":[` + strings.Repeat("[],", 6000) + `[]]}`)
	}, 10, textSigned},
	{"signature one digit off", header(signatureName, func(s string) string {
		return s[:64] + string(rune('0'+(s[64]-'0'+1)%8)) + s[65:]
	}), 10, textSigned},
	{"signature in capitals", header(signatureName, strings.ToUpper), 10, textSigned},
	{"signature cut short", header(signatureName, func(s string) string { return s[:127] }), 10, textSigned},
	{"no signature", unset(signatureName), 10, textSigned},
	{"empty signature", header(signatureName, becomes("")), 10, textSigned},
	{"signature by the secret of another key", func(v *Venue, s *signed) {
		s.header[signatureName] = v.gateClient("second").Sign(s.body)[signatureName]
	}, 10, textSigned},
	{"signature of another payload", func(_ *Venue, s *signed) {
		s.header[signatureName] = s.client.Sign(append(s.body, ' '))[signatureName]
	}, 10, textSigned},
	{"body with another value", func(_ *Venue, s *signed) {
		s.body = []byte(strings.Replace(string(s.body), `"buy"`, `"sell"`, 1))
	}, 9, textPayload},
	{"body with one member more", func(_ *Venue, s *signed) {
		s.body = append([]byte(`{"more":1,`), s.body[1:]...)
	}, 9, textPayload},
	{"no body", func(_ *Venue, s *signed) { s.body = nil }, 9, textPayload},
	{"body that is not JSON", func(_ *Venue, s *signed) { s.body = []byte("amount=1") }, 9, textPayload},
	{"no request", field("request", absentField), 0, textRequest},
	{"empty request", field("request", ""), 0, textRequest},
	{"request null", field("request", nil), 0, textRequest},
	{"request a number", field("request", 7), 0, textRequest},
	{"request an array", field("request", []string{"x"}), 0, textRequest},
	{"request of another path", field("request", "/api/v4/other"), 10, textSigned},
	{"request with a slash more", func(_ *Venue, s *signed) {
		s.fields["request"] = s.path + "/"
		s.make()
	}, 10, textSigned},
	{"no nonce", field("nonce", absentField), 0, textNoNonce},
	{"nonce null", field("nonce", nil), 0, textNoNonce},
	{"nonce negative", field("nonce", -5), 0, textNoNonce},
	{"nonce with a fraction", field("nonce", json.RawMessage("1.5")), 0, textNoNonce},
	{"nonce with an exponent", field("nonce", json.RawMessage("1e18")), 0, textNoNonce},
	{"nonce of words", field("nonce", "soon"), 0, textNoNonce},
	{"nonce empty", field("nonce", ""), 0, textNoNonce},
	{"nonce true", field("nonce", true), 0, textNoNonce},
	{"nonce an object", field("nonce", Fields{}), 0, textNoNonce},
	{"nonce beyond 64 bits", field("nonce", json.RawMessage("18446744073709551616")), 0, textNoNonce},
	{"nonce zero", field("nonce", 0), 0, textUsed},
	{"nonce as the last", used("alice", Nonce, false, 0), 0, textUsed},
	{"nonce below the last", used("alice", Nonce, false, -1), 0, textUsed},
	{"nonceWindow a text", field("nonceWindow", "true"), 0, textWindow},
	{"nonceWindow a number", field("nonceWindow", 1), 0, textWindow},
	{"nonceWindow an object", field("nonceWindow", Fields{}), 0, textWindow},
	{"window nonce 6 seconds old", outside(-6000), 0, textOutside},
	{"window nonce 10 seconds ahead", outside(10_000), 0, textOutside},
	{"window nonce used before", used("window", windowNonce, true, 0), 0, textUsed},
	{"disabled key", by("off"), 2, textKeyOff},
	{"key of another address", by("far"), 2, textKeyOff},
	{"key of addresses that cannot be read", by("lost"), 2, textKeyOff},
	{"blocked account", by("blocked"), 2, textBlocked},
	{"key without the URL", by("limited"), 4, textNotURL},
}

// refusalWorld has a key for every way to be refused.
func refusalWorld() string {
	return gateWorld(
		gateAccount("alice", "", gateKey("alice", ""), gateKey("second", ""), gateKey("window", ""),
			strings.Replace(gateKey("off", ""), `"enabled":true`, `"enabled":false`, 1),
			gateKey("far", `,"addresses":["10.1.2.3"]`), gateKey("lost", `,"addresses":["everywhere"]`),
			gateKey("limited", `,"urls":[]`)),
		gateAccount("blocked", `,"blocked":true`, gateKey("blocked", "")),
	)
}

// effective are members that would do something at every endpoint, were the request let in.
func effective(order json.Number) Fields {
	return Fields{
		"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "100", "activation_price": "90",
		"ticker": "USDT", "method": "deposit", "timeout": "60", "orderId": order, "leverage": 5, "hedgeMode": true, "positionId": 1,
		"orders": []Fields{{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "100", "orderId": order}},
	}
}

// state is all that a request of the matrix could have changed.
func (c *Client) state(t *testing.T) string {
	var all strings.Builder
	for _, path := range []string{pathBalance, pathTrade, pathOrders, pathTimers, pathMoves, pathCodes, "/api/v4/trade-account/order/history/query", pathSummary, pathHedge} {
		all.WriteString(c.Post(path, nil).ok(t).Body + "\n")
	}
	return all.String()
}

func TestGateRefusesWhateverIsWrongWithARequest(t *testing.T) {
	v := Start(t, refusalWorld(), "--no-limits")
	alice := v.gateClient("alice")
	var order struct{ OrderID json.Number }
	alice.Post(pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "50"}).ok(t).Read(t, &order)
	before := alice.state(t)
	for _, way := range waysToFail {
		t.Run(way.name, func(t *testing.T) {
			for _, o := range operationsOf(true) {
				t.Run(o.Path, func(t *testing.T) {
					s := &signed{path: o.Path, client: alice, fields: maps.Clone(effective(order.OrderID))}
					s.make()
					way.spoil(v, s)
					want := gateError(way.code, way.message)
					if (o.Path == pathJWT || o.Path == pathKYC) && way.code != 4 {
						want = gateError(0, textJWT)
					}
					v.Send("POST", o.Path, s.header, s.body).expect(t, 401, want)
				})
			}
		})
	}
	if after := alice.state(t); after != before {
		t.Errorf("refused requests changed something:\n%s\nbefore:\n%s", after, before)
	}
}

// The matrix proves nothing if its requests would be refused anyway.
func TestGateTakesTheRequestsOfTheMatrixWhenNothingIsWrong(t *testing.T) {
	v := Start(t, refusalWorld(), "--no-limits")
	alice := v.gateClient("alice")
	var order struct{ OrderID json.Number }
	alice.Post(pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "50"}).ok(t).Read(t, &order)
	for _, o := range operationsOf(true) {
		if r := alice.Post(o.Path, effective(order.OrderID)); r.Status == 401 || r.Status >= 500 {
			t.Errorf("%s: %d %s", o.Path, r.Status, r.Body)
		}
	}
}

func TestGateMethods(t *testing.T) {
	v := Start(t, refusalWorld(), "--no-limits")
	const refused = "Method Not Allowed"
	for _, o := range table.Operations() {
		path := strings.Replace(o.Path, "{market}", "BTC_USDT", 1)
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "get"} {
			t.Run(method+" "+path, func(t *testing.T) {
				allow := map[string]string{"GET": "GET, HEAD", "POST": "POST"}[o.Method]
				if slices.Contains(strings.Split(allow, ", "), method) {
					return
				}
				r := v.Send(method, path, nil, nil)
				if got := r.Header.Get("Allow"); got != allow {
					t.Errorf("Allow: %q, want %q", got, allow)
				}
				switch {
				case method == "HEAD":
					if r.Status != 405 || r.Body != "" || r.Header.Get("Content-Type") != "application/json" {
						t.Errorf("%d %q", r.Status, r.Body)
					}
				case o.ErrorFormat == api.Private || o.ErrorFormat == api.Token:
					r.expect(t, 405, gateError(0, refused))
				case o.ErrorFormat == api.V1 || o.ErrorFormat == api.Kline:
					r.expect(t, 405, `{"success":false,"message":"`+refused+`","params":[]}`)
				default:
					r.expect(t, 405, `{"success":false,"message":"`+refused+`","errors":[]}`)
				}
			})
		}
	}
	t.Run("public paths need no headers", func(t *testing.T) {
		for _, o := range operationsOf(false) {
			path := strings.Replace(o.Path, "{market}", "BTC_USDT", 1) + "?market=BTC_USDT&interval=1h&limit=10&lastId=1"
			r := v.Get(path)
			if r.isJSON(t); r.Status != 200 && !(r.Status == 422 && strings.Contains(path, "funding")) { // a spot market has none
				t.Errorf("%s: %d %s", path, r.Status, r.Body)
			}
			if h := v.Send("HEAD", path, nil, nil); h.Status != r.Status || h.Body != "" || h.Header.Get("Content-Type") != "application/json" {
				t.Errorf("HEAD %s: %d %q %v", path, h.Status, h.Body, h.Header)
			}
		}
	})
}
