package conform

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// A signed request is done once or never, also when the process did not live to remember it.

// use is a request that uses up a nonce, and how it ends.
type use struct {
	name   string
	key    string
	path   string
	fields Fields
	status int
}

var gateUses = []use{
	{"a read", "alice", pathBalance, nil, 200},
	{"a read of the past", "alice", pathMoves, nil, 200},
	{"a read with a wrong field", "alice", pathOrders, Fields{"limit": -1}, 422},
	{"a write", "alice", pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "100"}, 200},
	{"a transfer", "alice", pathTransfer, Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}, 200},
	{"a write without the money", "alice", pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "9999", "price": "9999"}, 400},
	{"a write that the core refuses", "alice", pathCancel, Fields{"market": "BTC_USDT", "orderId": 777}, 400},
	{"a write with a wrong field", "alice", pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "x", "price": "100"}, 422},
	{"a write without its fields", "alice", pathOrder, nil, 422},
	{"a write to no market", "alice", pathOrder, Fields{"market": "NO_SUCH", "side": "buy", "amount": "1", "price": "100"}, 422},
	{"a bulk of which nothing is right", "alice", "/api/v4/order/bulk", Fields{"orders": []Fields{{"market": "NO_SUCH"}}}, 200},
	{"a token", "alice", pathJWT, nil, 200},
	{"a key without the URL", "limited", pathBalance, nil, 401},
}

func TestGateNoncesOutliveTheProcess(t *testing.T) {
	world := func() string {
		var keys []string
		for i := range gateUses {
			for _, mode := range []string{"ordinary", "window"} {
				more := ""
				if gateUses[i].key == "limited" {
					more = `,"urls":["/api/v4/jwt"]`
				}
				keys = append(keys, gateKey(fmt.Sprintf("%s-%d", mode, i), more))
			}
		}
		return gateWorld(gateAccount("alice", "", keys...))
	}()
	for _, end := range []struct {
		name string
		end  func(*Venue)
	}{{"stopped", (*Venue).Stop}, {"killed", (*Venue).Kill}} {
		t.Run(end.name, func(t *testing.T) {
			v := Start(t, world, "--no-limits")
			type sent struct {
				name, path string
				client     *Client
				body       []byte
				nonce      int64
				window     bool
			}
			var all []sent
			for i, u := range gateUses {
				for _, window := range []bool{false, true} {
					s := sent{name: fmt.Sprintf("%s, window %v", u.name, window), path: u.path, nonce: windowNonce(), window: window}
					s.client = v.gateClient(map[bool]string{false: "ordinary-", true: "window-"}[window] + strconv.Itoa(i))
					fields := Fields{"nonce": s.nonce, "nonceWindow": window}
					for name, value := range u.fields {
						fields[name] = value
					}
					s.body = s.client.Body(u.path, fields)
					if r := s.client.sendAs(s.path, string(s.body)); r.Status != u.status {
						t.Fatalf("%s: %d %s, want %d", s.name, r.Status, r.Body, u.status)
					}
					all = append(all, s)
				}
			}
			again := func(when string) {
				for _, s := range all {
					s.client.venue = v
					want := gateError(0, textUsed)
					if s.path == pathJWT {
						want = gateError(0, textJWT)
					}
					if r := s.client.sendAs(s.path, string(s.body)); r.Status != 401 || r.Body != want {
						t.Errorf("%s, %s: %d %s", s.name, when, r.Status, r.Body)
					}
				}
			}
			again("at once")
			end.end(v)
			v.Restart()
			again("after the restart")
			for _, s := range all { // neither in the other mode
				r := s.client.Post(pathBalance, Fields{"nonce": s.nonce, "nonceWindow": !s.window})
				if r.Status != 401 || r.Body != gateError(0, textUsed) {
					t.Errorf("%s, in the other mode: %d %s", s.name, r.Status, r.Body)
				}
			}
			again("after all that")
			for _, s := range all {
				if r := s.client.Post(pathBalance, Fields{"nonce": s.nonce + 3_600_000}); r.Status != 200 && !strings.Contains(s.name, "URL") {
					t.Errorf("%s: a new nonce: %d %s", s.name, r.Status, r.Body)
				}
			}
		})
	}
}

// gateClock is a time of day that a test sets, in milliseconds.
type gateClock struct{ atomic.Int64 }

func (c *gateClock) rule(o *exchange.Options) {
	o.Node.Clock = func() schema.Time { return schema.Time(c.Load()) * 1000 }
}

func TestGateNonceWindowIsFiveSeconds(t *testing.T) {
	var now gateClock
	now.Store(1_800_000_000_000)
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), now.rule)
	alice := v.gateClient("alice")
	send := func(path string, ms int64) Reply {
		return alice.Post(path, Fields{"nonce": now.Load() + ms, "nonceWindow": true, "ticker": "USDT", "amount": "1", "method": "deposit"})
	}
	for _, path := range []string{pathBalance, pathTransfer} {
		send(path, 5001).expect(t, 401, gateError(0, textOutside))
		send(path, -5001).expect(t, 401, gateError(0, textOutside))
	}
	// In any order, each once, whether it reads or writes.
	for i, ms := range []int64{5000, -5000, 0, 4999, -4999, 17} {
		path := []string{pathBalance, pathTransfer}[i%2]
		send(path, ms).ok(t)
		send(pathBalance, ms).expect(t, 401, gateError(0, textUsed))
		send(pathTransfer, ms).expect(t, 401, gateError(0, textUsed))
	}
	// The ordinary mode asks for more than all of them, and the window mode then for more than that.
	alice.Post(pathBalance, Fields{"nonce": now.Load() + 5000}).expect(t, 401, gateError(0, textUsed))
	alice.Post(pathBalance, Fields{"nonce": now.Add(1) + 5000}).ok(t)
	send(pathBalance, 1).expect(t, 401, gateError(0, textUsed))
	now.Add(10_000)
	send(pathBalance, 0).ok(t)
	send(pathBalance, -4000).ok(t)
}

func TestGateNoncesAreOfOneKey(t *testing.T) {
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("one", ""), gateKey("two", ""))), nil)
	one, two := v.gateClient("one"), v.gateClient("two")
	one.Post(pathBalance, Fields{"nonce": 100}).ok(t)
	two.Post(pathBalance, Fields{"nonce": 100}).ok(t)
	two.Post(pathBalance, Fields{"nonce": 5}).expect(t, 401, gateError(0, textUsed))
	one.Post(pathBalance, Fields{"nonce": 101}).ok(t)
}

func TestGateARefusedSignatureUsesNoNonce(t *testing.T) {
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), nil)
	alice := v.gateClient("alice")
	body := alice.Body(pathBalance, Fields{"nonce": 100})
	header := alice.Sign(body)
	header[signatureName] = strings.Repeat("0", 128)
	v.Send("POST", pathBalance, header, body).expect(t, 401, gateError(10, textSigned))
	alice.sendAs(pathBalance, string(body)).ok(t)
}

// One nonce, sent by many at once, is done once.
func TestGateOneNonceIsDoneOnce(t *testing.T) {
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), nil)
	alice := v.gateClient("alice")
	body := string(alice.Body(pathTransfer, Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}))
	replies := make(chan Reply)
	for range 16 {
		go func() { replies <- alice.sendAs(pathTransfer, body) }()
	}
	done := 0
	for range 16 {
		if r := <-replies; r.Status == 200 {
			done++
		} else {
			r.expect(t, 401, gateError(0, textUsed))
		}
	}
	var balance map[string]map[string]string
	alice.Post(pathTrade, nil).ok(t).Read(t, &balance)
	if got := balance["USDT"]["available"]; done != 1 || got != "50001" {
		t.Errorf("done %d times, and there are %s", done, got)
	}
}

func TestGateAKeyOfTheOperatorsHand(t *testing.T) {
	v := Inside(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), nil)
	alice := v.gateClient("alice")
	alice.Post(pathBalance, nil).ok(t)
	key := *v.Exchange.API.Directory().Key([]byte("alice"))
	account := *v.Exchange.API.Directory().Account(key.Account)

	key.Enabled = false
	v.Do(&schema.SetKey{Key: key.Key})
	alice.Post(pathBalance, nil).expect(t, 401, gateError(2, textKeyOff))
	key.Enabled, key.URLs = true, []string{pathOrders}
	v.Do(&schema.SetKey{Key: key.Key})
	alice.Post(pathBalance, nil).expect(t, 401, gateError(4, textNotURL))
	alice.Post(pathOrders, nil).ok(t)
	key.Addresses = []string{"10.1.2.3", "127.0.0.1"}
	v.Do(&schema.SetKey{Key: key.Key})
	alice.Post(pathOrders, nil).ok(t)
	account.Blocked = true
	v.Do(&schema.SetAccount{Account: account})
	alice.Post(pathOrders, nil).expect(t, 401, gateError(2, textBlocked))
	account.Blocked = false
	v.Do(&schema.SetAccount{Account: account})
	alice.Post(pathOrders, nil).ok(t)
	v.Do(&schema.DeleteKey{Key: key.Key.Key})
	alice.Post(pathOrders, nil).expect(t, 401, gateError(0, textUnknown))
}

// Two programs on one log: what one has done, the other does not do again.
func TestGateNoncesOfTwoPrograms(t *testing.T) {
	url := LogServer(t)
	world := gateWorld(gateAccount("alice", "", gateKey("alice", ""), gateKey("window", "")))
	one := Start(t, world, "--no-limits", "--nats", url)
	two := one.Join("--no-limits", "--nats", url)
	two.Restart()

	transfer := Fields{"ticker": "USDT", "amount": "1", "method": "deposit"}
	for _, key := range []string{"alice", "window"} {
		for i := range 20 {
			at, other := one, two
			if i%2 == 1 {
				at, other = two, one
			}
			c := at.gateClient(key)
			fields := Fields{}
			for name, value := range transfer {
				fields[name] = value
			}
			if i%5 == 4 {
				fields["amount"] = "1000000" // the core refuses it, and the nonce is used all the same
			}
			if key == "window" {
				fields["nonce"], fields["nonceWindow"] = windowNonce(), true
			}
			body := c.Body(pathTransfer, fields)
			if r := c.sendAs(pathTransfer, string(body)); r.Status != 200 && !(i%5 == 4 && r.Status == 422) {
				t.Fatalf("%s %d: %d %s", key, i, r.Status, r.Body)
			}
			c.venue = other
			c.sendAs(pathTransfer, string(body)).expect(t, 401, gateError(0, textUsed))
		}
		// A request for a token is good for one token, at whichever of the two.
		for path, refused := range map[string]string{pathSocket: textUsed, pathJWT: textJWT} {
			c := one.gateClient(key)
			fields := Fields{}
			if key == "window" {
				fields["nonce"], fields["nonceWindow"] = windowNonce(), true
			}
			body := string(c.Body(path, fields))
			c.sendAs(path, body).ok(t)
			for _, v := range []*Venue{two, one} {
				c.venue = v
				c.sendAs(path, body).expect(t, 401, gateError(0, refused))
			}
		}
	}
	for _, v := range []*Venue{one, two} {
		var balance map[string]struct{ Available json.Number }
		// A write first: what a node answers to it, it knows.
		v.gateClient("alice").Post(pathTransfer, Fields{"ticker": "USDT", "amount": "1", "method": "withdraw"}).ok(t)
		v.gateClient("alice").Post(pathTrade, nil).ok(t).Read(t, &balance)
		if want := map[*Venue]json.Number{one: "50031", two: "50030"}[v]; balance["USDT"].Available != want {
			t.Errorf("USDT %s, want %s", balance["USDT"].Available, want)
		}
	}
}
