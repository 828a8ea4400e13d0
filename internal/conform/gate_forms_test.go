package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A request may be written in many ways; what it says counts.

// sendOther signs one text and sends another.
func (c *Client) sendOther(path, payload, body string) Reply {
	c.venue.t.Helper()
	return c.venue.Send("POST", path, c.Sign([]byte(payload)), []byte(body))
}

// orderBody writes the request of a limit order, with members behind those that all have.
func orderBody(members string) string {
	return fmt.Sprintf(`{"request":"%s","nonce":%d,"market":"BTC_USDT","side":"buy",%s}`, pathOrder, Nonce(), members)
}

// placed is an order of an answer.
type placed struct {
	OrderID                                   json.Number
	ClientOrderID, Amount, Price, Stp, Status string
	PostOnly                                  bool
}

func TestGateForms(t *testing.T) {
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""), gateKey("nano", ""), gateKey("text", ""))), "--no-limits")
	alice := v.gateClient("alice")
	place := func(t *testing.T, members string) (o placed) {
		t.Helper()
		alice.sendAs(pathOrder, orderBody(members)).ok(t).Read(t, &o)
		return o
	}
	const plain = `"amount":"1","price":"100"`

	t.Run("a body spaced otherwise than the payload", func(t *testing.T) {
		payload := orderBody(plain)
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, []byte(payload), " ", "\t"); err != nil {
			t.Fatal(err)
		}
		alice.sendOther(pathOrder, payload, spaced.String()).ok(t)
		payload = strings.ReplaceAll(orderBody(plain), ":", " : ")
		alice.sendOther(pathOrder, payload, strings.ReplaceAll(payload, " : ", ":")).ok(t)
	})
	t.Run("a body with its members in another order", func(t *testing.T) {
		n := Nonce()
		payload := fmt.Sprintf(`{"request":"%s","nonce":%d}`, pathBalance, n)
		body := fmt.Sprintf(`{"nonce":%d,"request":"%s"}`, n, pathBalance)
		alice.sendOther(pathBalance, payload, body).ok(t)
	})
	t.Run("a body that escapes otherwise than the payload", func(t *testing.T) {
		payload := alice.Body(pathBalance, nil)
		alice.sendOther(pathBalance, string(payload), strings.ReplaceAll(string(payload), "/", `\/`)).ok(t)
	})
	t.Run("a body with the number written otherwise is another body", func(t *testing.T) {
		payload := orderBody(`"amount":1,"price":100`)
		r := alice.sendOther(pathOrder, payload, strings.Replace(payload, `"amount":1,`, `"amount":1.0,`, 1))
		r.expect(t, 401, gateError(9, textPayload))
	})
	t.Run("the payload is what counts", func(t *testing.T) {
		// Of two members with one name the last counts, in payload and body alike.
		payload := orderBody(`"amount":"2","amount":"1","price":"100"`)
		var o placed
		alice.sendOther(pathOrder, payload, strings.Replace(payload, `"amount":"2",`, "", 1)).ok(t).Read(t, &o)
		if o.Amount != "1" {
			t.Errorf("amount %s", o.Amount)
		}
	})
	t.Run("a nonce as a text", func(t *testing.T) {
		text := v.gateClient("text")
		for _, nonce := range []string{`"1000"`, `1001`, `"1002"`, `"00001003"`} {
			text.sendAs(pathBalance, fmt.Sprintf(`{"request":"%s","nonce":%s}`, pathBalance, nonce)).ok(t)
		}
		text.sendAs(pathBalance, fmt.Sprintf(`{"request":"%s","nonce":"1003"}`, pathBalance)).expect(t, 401, gateError(0, textUsed))
	})
	t.Run("a nonce in nanoseconds, and the largest there is", func(t *testing.T) {
		nano := v.gateClient("nano")
		now := time.Now().UnixNano()
		nano.Post(pathBalance, Fields{"nonce": now}).ok(t)
		nano.Post(pathBalance, Fields{"nonce": now}).expect(t, 401, gateError(0, textUsed))
		nano.Post(pathBalance, Fields{"nonce": now + 1}).ok(t)
		nano.Post(pathBalance, Fields{"nonce": uint64(1<<64 - 1)}).ok(t)
		nano.Post(pathBalance, Fields{"nonce": now + 2}).expect(t, 401, gateError(0, textUsed))
	})
	t.Run("nonceWindow false and null", func(t *testing.T) {
		alice.Post(pathBalance, Fields{"nonceWindow": false}).ok(t)
		alice.Post(pathBalance, Fields{"nonceWindow": nil}).ok(t)
	})
	t.Run("unknown members are ignored", func(t *testing.T) {
		place(t, plain+`,"comment":"hello","nested":{"amount":[1,{"price":2}]},"":null,"ünïcode":"✓"`)
	})
	t.Run("of members with one name the last counts", func(t *testing.T) {
		if o := place(t, `"amount":"9","amount":{},"amount":"3","price":"x","price":"100"`); o.Amount != "3" || o.Price != "100" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("escaped names and values", func(t *testing.T) {
		o := place(t, `"\u0061mount":"\u0031","pri\u0063e":"100","clientOrder\u0049d":"na\u006de\u002d1"`)
		if o.Amount != "1" || o.ClientOrderID != "name-1" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("ids as numbers and as texts", func(t *testing.T) {
		for _, form := range []string{`%s`, `"%s"`} {
			o := place(t, plain)
			body := fmt.Sprintf(`{"request":"%s","nonce":%d,"market":"BTC_USDT","orderId":`+form+`}`, pathCancel, Nonce(), o.OrderID)
			var cancelled placed
			alice.sendAs(pathCancel, body).ok(t).Read(t, &cancelled)
			if cancelled.OrderID != o.OrderID {
				t.Errorf("cancelled %s, not %s", cancelled.OrderID, o.OrderID)
			}
		}
	})
	t.Run("amounts as numbers, as texts, with exponents and needless zeros", func(t *testing.T) {
		for form, want := range map[string]string{
			`0.25`: "0.25", `"0.25"`: "0.25", `25e-2`: "0.25", `"25E-2"`: "0.25", `2.5E-1`: "0.25", `1e-1`: "0.1", `1e0`: "1",
			`1.50000000000000000000000000000000`: "1.5", `"0001.5"`: "1.5", `0.2e+1`: "2",
		} {
			if o := place(t, `"amount":`+form+`,"price":1e2`); o.Amount != want || o.Price != "100" {
				t.Errorf("%s: %+v, want %s", form, o, want)
			}
		}
	})
	t.Run("null is as good as absent", func(t *testing.T) {
		o := place(t, plain+`,"clientOrderId":null,"postOnly":null,"ioc":null,"stp":null,"bboRole":null,"rpi":null,"retail":null`)
		if o.ClientOrderID != "" || o.PostOnly || o.Stp != "no" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("whatever the content type is", func(t *testing.T) {
		for _, kind := range []string{
			"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON",
			"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
		} {
			body := alice.Body(pathBalance, nil)
			header := alice.Sign(body)
			header["Content-Type"] = kind
			if r := v.Send("POST", pathBalance, header, body); r.Status != 200 {
				t.Errorf("%q: %d %s", kind, r.Status, r.Body)
			}
		}
	})
	t.Run("a body in chunks", func(t *testing.T) {
		body := alice.Body(pathBalance, nil)
		half := len(body) / 2
		var head strings.Builder
		for name, value := range alice.Sign(body) {
			fmt.Fprintf(&head, "%s: %s\r\n", name, value)
		}
		c := v.dial(t)
		c.write("POST " + pathBalance + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + head.String() + "\r\n" +
			fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", half, body[:half], len(body)-half, body[half:]))
		c.read("POST").ok(t)
	})
}

func TestGateRefusesWhatIsNotOneObject(t *testing.T) {
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), "--no-limits")
	alice := v.gateClient("alice")
	good := func() string { return string(alice.Body(pathBalance, nil)) }
	nested := func(levels int) string {
		return `{"deep":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `,` + good()[1:]
	}
	for name, body := range map[string]string{
		"a byte order mark":          "\uFEFF" + good(),
		"UTF-8 that is none":         `{"x":"` + "\xff\xfe" + `",` + good()[1:],
		"a lone surrogate's bytes":   `{"x":"` + "\xed\xa0\x80" + `",` + good()[1:],
		"UTF-16":                     "{\x00}\x00",
		"garbage behind it":          good() + "x",
		"a bracket behind it":        good() + "]",
		"a brace behind it":          good() + "}",
		"a comma behind it":          good() + ",",
		"a second object":            good() + good(),
		"a zero byte behind it":      good() + "\x00",
		"an array":                   `[` + good() + `]`,
		"an empty array":             `[]`,
		"a number":                   `7`,
		"a text":                     `"` + pathBalance + `"`,
		"null":                       `null`,
		"true":                       `true`,
		"nothing but spaces":         "   ",
		"half an object":             good()[:20],
		"a comma too many":           strings.Replace(good(), "}", ",}", 1),
		"single quotes":              strings.ReplaceAll(good(), `"`, `'`),
		"a comment":                  `/* hello */` + good(),
		"a name without quotes":      `{x:1,` + good()[1:],
		"a raw newline in a text":    `{"x":"` + "\n" + `",` + good()[1:],
		"an escape that is none":     `{"x":"\q",` + good()[1:],
		"NaN":                        `{"x":NaN,` + good()[1:],
		"a number with a zero first": `{"x":01,` + good()[1:],
		"65 levels":                  nested(64),
		"13,000 levels":              nested(13_000),
	} {
		t.Run(name, func(t *testing.T) {
			alice.sendAs(pathBalance, body).expect(t, 401, gateError(9, textPayload))
		})
	}
	t.Run("an empty object", func(t *testing.T) {
		alice.sendAs(pathBalance, `{}`).expect(t, 401, gateError(0, textRequest))
	})
	t.Run("some levels are fine", func(t *testing.T) { alice.sendAs(pathBalance, nested(63)).ok(t) })
	t.Run("spaces around it are fine", func(t *testing.T) { alice.sendAs(pathBalance, " \r\n\t"+good()+"\n\n").ok(t) })
	t.Run("100,000 levels are too long", func(t *testing.T) {
		body := nested(100_000)
		header := alice.Sign([]byte(good()))
		r := v.Send("POST", pathBalance, header, []byte(body))
		r.expect(t, 413, gateError(0, "Payload Too Large"))
	})
	v.Get(pathPing).expect(t, 200, pong)
}
