package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/hotp"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/login"
	"bourse/internal/schema"
)

const settings = `{
"assets":[{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true,"codes":true},
 {"ticker":"USDT","name":"Tether","class":"crypto","scale":18,"precision":6,"can_deposit":true,"can_withdraw":true,"codes":true}],
"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0.1","taker_fee":"0.1","enabled":true}],
"accounts":[
 {"name":"alice","region":"global","keys":[{"key":"alice-key","secret":"alice-secret","enabled":true}],"deposits":{"USDT":"1000"},"trade":{"USDT":"500"}},
 {"name":"bob","region":"global","keys":[{"key":"bob-key","secret":"bob-secret","enabled":true}],"deposits":{"USDT":"1000"},"trade":{"USDT":"500"}},
 {"name":"shop","region":"global","partner":true,"keys":[{"key":"shop-key","secret":"shop-secret","enabled":true}],"deposits":{"USDT":"10"},"trade":{}}]
}`

const password = "correct horse battery"

type obj = map[string]any

// world is an exchange with a clock that stands still. Alice is a user, and has a sub-account, the desk.
type world struct {
	*conform.Venue
	t    *testing.T
	time atomic.Int64
	desk schema.AccountID
}

func open(t *testing.T) (*world, *browser) {
	t.Helper()
	w := openWith(t, func(*exchange.Options) {})
	return w, w.user("alice")
}

// openWith is an exchange with other options, in which nobody is a user yet.
func openWith(t *testing.T, change func(*exchange.Options)) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t}
	w.time.Store(time.Now().UnixMicro())
	w.Venue = conform.Inside(t, settings, func(o *exchange.Options) {
		o.Node.Clock, o.Node.ClockBound = func() schema.Time { return schema.Time(w.time.Load()) }, 100*24*time.Hour
		o.REST.Now = func() time.Time { return time.UnixMicro(w.time.Load()) }
		o.Webhooks.Loopback = true
		change(o)
	})
	w.desk = schema.AccountID(w.Do(&schema.SetSub{Master: w.account("alice").ID, External: "desk-id", Alias: "desk", ShareKYC: true, Spot: true}).ID)
	return w
}

func (w *world) account(name string) *schema.Account { return w.Exchange.API.AccountByName(name) }

// later lets time pass.
func (w *world) later(d time.Duration) { w.time.Add(d.Microseconds()) }

// browser is that of somebody who is signed in.
type browser struct {
	t       *testing.T
	w       *world
	cookies map[string]string
	csrf    string
	secret  string // of the authenticator
	sent    int
	once    string // the next Idempotency-Key; "": one that was not used
}

// user is somebody who became the user of an account.
func (w *world) user(name string) *browser {
	w.t.Helper()
	key, token := w.Exchange.Node.Key(), login.Random()
	w.Do(&schema.Invite{Account: w.account(name).ID, Digest: login.Hash(token), Login: login.Digest(key, name), Name: login.SealName(key, name)})
	b := &browser{t: w.t, w: w, cookies: map[string]string{}}
	offer := b.gets(200, "POST", "invitation", obj{"token": token})["totp"].(obj)
	b.secret = offer["secret"].(string)
	b.gets(200, "POST", "enrol", obj{"token": token, "password": password, "ticket": offer["ticket"], "code": b.code()})
	b.w.later(31 * time.Second)
	return b
}

// code is that of the authenticator now. It counts once: time passes for the next one.
func (b *browser) code() string {
	b.t.Helper()
	b.w.later(31 * time.Second)
	return b.codeIn(0)
}

// codeIn is the code that the authenticator shows in some time; none passes.
func (b *browser) codeIn(d time.Duration) string {
	b.t.Helper()
	text, err := hotp.GenerateCode(b.secret, uint64((b.w.time.Load()+d.Microseconds())/1_000_000)/30)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

// factor is what a request carries that needs one.
func (b *browser) factor() obj { return obj{"code": b.code()} }

// sends sends a request as a page of the exchange does.
func (b *browser) sends(method, path string, body any) (int, string) {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequest(method, b.w.URL+"/web/"+path, bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	b.sent++
	once := fmt.Sprint(b.sent)
	if b.once != "" {
		once, b.once = b.once, ""
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "Origin": b.w.URL, "X-Bourse-CSRF": b.csrf, "Idempotency-Key": once,
	} {
		r.Header.Set(name, value)
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range answer.Cookies() {
		b.cookies[c.Name] = c.Value
	}
	var session struct{ CSRF string }
	if _ = json.Unmarshal(said, &session); session.CSRF != "" { // lists have none
		b.csrf = session.CSRF
	}
	return answer.StatusCode, string(said)
}

// gets sends a request, and looks at the status that comes back.
func (b *browser) gets(status int, method, path string, body any) obj {
	b.t.Helper()
	got, said := b.sends(method, path, body)
	if got != status {
		b.t.Fatalf("%s %s %v: %d %s, want %d", method, path, body, got, said, status)
	}
	var answer obj
	_ = json.Unmarshal([]byte(said), &answer) // lists are read by who asked for one
	return answer
}

// refused sends a request that is refused with a code, and what is wrong with a field; "": its message says it.
func (b *browser) refused(status, code int, field, text, method, path string, body any) {
	b.t.Helper()
	answer := b.gets(status, method, path, body)
	said, want := answer["message"], any(text)
	if field != "" {
		said, want = answer["errors"], obj{field: []any{text}}
	}
	if answer["code"] != float64(code) || !reflect.DeepEqual(said, want) {
		b.t.Errorf("%s %s: %v, want code %d, %s %s", method, path, answer, code, field, text)
	}
}

// stale lets so much time pass that a factor is needed again.
func (w *world) stale() { w.later(6 * time.Minute) }
