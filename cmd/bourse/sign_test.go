package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const balancePath = "/api/v4/trade-account/balance"

func mac(new func() hash.Hash, secret, message string) string {
	h := hmac.New(new, []byte(secret))
	h.Write([]byte(message))
	return string(h.Sum(nil))
}

func hexed(sum string) string { return hex.EncodeToString([]byte(sum)) }

func based(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestSignPrintsWhatAClientMustSend(t *testing.T) {
	const body = `{ "market": "BTC_USDT" , "request":"/api/v4/order/new","nonce": 12 }`
	payload := based(body)
	signature := hexed(mac(sha512.New, "alice-secret", payload))
	out, errs, code := run(t, "", "sign", "/api/v4/order/new", body, "--key", "alice-key", "--secret", "alice-secret")
	want := "The body, 68 bytes:\n" + body + "\n\nThe payload, which is the body in base64:\n" + payload +
		"\n\nThe signature, which is the HMAC-SHA512 of the payload in hexadecimal digits:\n" + signature +
		"\n\nThe headers:\nContent-Type: application/json\nX-TXC-APIKEY: alice-key\nX-TXC-PAYLOAD: " + payload + "\nX-TXC-SIGNATURE: " + signature + "\n"
	if code != 0 || out != want || errs != "" {
		t.Errorf("%d %q\ngot\n%s\nwant\n%s", code, errs, out, want)
	}
	// Key and secret by variables, the body by standard input, the same result as JSON.
	t.Setenv("BOURSE_API_KEY", "alice-key")
	t.Setenv("BOURSE_API_SECRET", "alice-secret")
	var s signed
	if err := json.Unmarshal([]byte(good(t, body+"\n", "sign", "/api/v4/order/new", "-", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	if s.Body != body || s.Payload != payload || s.Signature != signature || s.Headers["X-TXC-APIKEY"] != "alice-key" || len(s.Added) != 0 {
		t.Errorf("%+v", s)
	}
	// A file comes before the variable, and its last line break is not part of the secret.
	file := written(t, "secret", "other\n")
	if err := json.Unmarshal([]byte(good(t, "", "sign", "/api/v4/order/new", body, "--json", "--secret-file", file)), &s); err != nil {
		t.Fatal(err)
	}
	if s.Signature != hexed(mac(sha512.New, "other", payload)) {
		t.Errorf("%+v", s)
	}
}

func TestSignAddsWhatIsMissing(t *testing.T) {
	for _, c := range []struct{ body, form, says string }{
		{"", `^\{"request":"/x","nonce":\d{13}\}$`, "added to the body: request, nonce\n"},
		{"{ }", `^\{"request":"/x","nonce":\d{13}\}$`, "added to the body: request, nonce\n"},
		{`{"a":[1, 2] }`, `^\{"a":\[1, 2\],"request":"/x","nonce":\d{13}\}$`, "added to the body: request, nonce\n"},
		{`{"nonce":5}`, `^\{"nonce":5,"request":"/x"\}$`, "added to the body: request\n"},
		{`{"request":"/y","nonce":5}`, `^\{"request":"/y","nonce":5\}$`, `the body says request "/y", but the path is /x`},
		{`{"request":7,"nonce":5}`, `^\{"request":7,"nonce":5\}$`, `the body says request "7", but the path is /x`},
	} {
		out, errs, code := run(t, "", "sign", "/x", c.body, "--key", "k", "--secret", "s", "--json")
		var s signed
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 {
			t.Fatalf("%s: %d %v %s", c.body, code, err, errs)
		}
		if !regexp.MustCompile(c.form).MatchString(s.Body) || !strings.Contains(errs, c.says) {
			t.Errorf("%s became %s and said %q", c.body, s.Body, errs)
		}
	}
}

func TestSignRefusesWhatCannotBeSigned(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"api/v4/x --key k --secret s", 2, "must begin with a slash"},
		{"http://h/x --key k --secret s", 2, "the host goes into --url"},
		{"/x --key k", 2, "a secret is needed: --secret-file, BOURSE_API_SECRET or --secret"},
		{"/x --secret s", 2, "a key is needed: --key or BOURSE_API_KEY"},
		{"/x --key k --secret s --check", 2, "must be used together"},
		{"/x --secret s --curl --check --payload p --signature q", 2, "leave out --curl"},
		{"/x --key k --secret s --json --curl", 2, "can't be used together"},
		{"/x [1] --key k --secret s", 1, "the body [1] is not a JSON object"},
		{"/x null --key k --secret s", 1, "the body null is not a JSON object"},
		{"/x {'a':1} --key k --secret s", 1, "is not a JSON object"},
	} {
		if _, errs, code := run(t, "", append([]string{"sign"}, strings.Fields(c.args)...)...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d %q, want %q", c.args, code, errs, c.says)
		}
	}
}

// TestTheCurlCommandWorks lets a shell send what was printed to an exchange.
func TestTheCurlCommandWorks(t *testing.T) {
	url := serveVenue(t)
	command := good(t, "", "sign", balancePath, `{"ticker":"BTC"}`, "--key", "alice-key", "--secret", "alice-secret", "--curl", "--url", url)
	out, err := exec.Command("bash", "-c", command).CombinedOutput()
	if err != nil || string(out) != `{"BTC":{"available":"1","freeze":"0"}}` {
		t.Errorf("%s\n%v %s", command, err, out)
	}
	if got := quoted("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
}

// clientRequest is a good request; tests break it.
func clientRequest() request {
	r := request{path: balancePath, key: "alice-key", secret: "0123456789abcdef"}
	r.body = `{"request":"` + balancePath + `","nonce":1790000000000,"name":"Zoë???>>>~~~"}`
	r.payload = based(r.body)
	r.signature = hexed(mac(sha512.New, r.secret, r.payload))
	return r
}

// resigned is the request with another payload and its right signature.
func resigned(payload string) func(*request) {
	return func(r *request) {
		r.body, r.payload = "", payload
		r.signature = hexed(mac(sha512.New, r.secret, payload))
	}
}

func TestDiagnosesOfAPayload(t *testing.T) {
	good := clientRequest()
	object := func(members string) string { return based("{" + members + "}") }
	path := `"request":"` + balancePath + `"`
	for _, c := range []struct {
		name  string
		spoil func(*request)
		says  string
	}{
		{"a good one", func(*request) {}, ""},
		{"with the body in other spaces", func(r *request) { r.body = strings.ReplaceAll(r.body, ",", " , ") }, ""},
		{"without the body", func(r *request) { r.body = "" }, ""},
		{"a nonce as a text", resigned(object(path + `,"nonce":"12"`)), ""},
		{"empty", resigned(""), "the payload is empty"},
		{"line breaks", func(r *request) { r.payload = r.payload[:64] + "\n" + r.payload[64:] + "\n" }, "the payload has spaces or line breaks in it"},
		{"the JSON", resigned(good.body), "the payload is the JSON itself; base64 of it is wanted"},
		{"hexadecimal", resigned(hexed(good.body)), "the payload is in hexadecimal digits; base64 is wanted"},
		{"for URLs", resigned(base64.URLEncoding.EncodeToString([]byte(good.body))), "the payload is base64 in the alphabet for URLs"},
		{"no padding", resigned(strings.TrimRight(based(good.body+" "), "=")), "the payload has 0 '=' at its end and needs 1"},
		{"escaped", resigned(strings.NewReplacer("=", "%3D", "+", "%2B").Replace(based(good.body + " "))), "the payload is escaped with percent signs"},
		{"not base64", resigned("e!yJ"), "the payload is not base64: character 2 is '!'"},
		{"broken off", resigned("eyJhI"), "the payload is not base64: it breaks off after 5 characters"},
		{"twice", resigned(based(based(good.body))), "the payload is in base64 twice"},
		{"a text with JSON", resigned(based(`"{\"nonce\":1}"`)), "it was turned into JSON twice"},
		{"a list", resigned(based(`[1]`)), `the payload is JSON, but not an object with braces: "[1]"`},
		{"a byte order mark", resigned(based("\xef\xbb\xbf" + good.body)), "the payload begins with a byte order mark"},
		{"a form", resigned(based("request=%2Fx&nonce=1")), "the payload is a form (a=b&c=d)"},
		{"Python", resigned(based("{'request': '/x'}")), "use json.dumps"},
		{"no JSON", resigned(based("hello " + strings.Repeat("x", 90))), "the payload is base64, but not of JSON (invalid character 'h'"},
		{"another body", func(r *request) { r.body = `{"nonce":2}` }, "the body that was sent is not the one in the payload"},
		{"a body that is none", func(r *request) { r.body = `nonce=2` }, "the body that was sent is not the one in the payload"},
		{"no request", resigned(object(`"nonce":1`)), `the body has no "request": it must be "` + balancePath + `"`},
		{"a number as request", resigned(object(`"request":1,"nonce":1`)), `"request" is 1: it must be the text`},
		{"another path", resigned(object(`"request":"/api/v4/orders","nonce":1`)), `"request" is "/api/v4/orders", but the path is "` + balancePath + "\"\n"},
		{"the host", resigned(object(`"request":"https://h` + balancePath + `","nonce":1`)), "leave the host out"},
		{"no slash", resigned(object(`"request":"` + balancePath[1:] + `","nonce":1`)), "the slash at its beginning is missing"},
		{"a slash at the end", resigned(object(`"request":"` + balancePath + `/","nonce":1`)), "leave out the slash at its end"},
		{"a query", resigned(object(`"request":"` + balancePath + `?a=b","nonce":1`)), "leave out what follows the '?'"},
		{"a part", resigned(object(`"request":"/trade-account/balance","nonce":1`)), "it must be the whole path"},
		{"no nonce", resigned(object(path)), `the body has no "nonce"`},
		{"a fraction", resigned(object(path + `,"nonce":1790000000.25`)), `"nonce" is 1790000000.25: it must be written without fraction and exponent`},
		{"an exponent", resigned(object(path + `,"nonce":1.79e12`)), "without fraction and exponent"},
		{"negative", resigned(object(path + `,"nonce":-1`)), "must not be negative"},
		{"too large", resigned(object(path + `,"nonce":99999999999999999999`)), "must fit in 64 bits"},
		{"a word", resigned(object(path + `,"nonce":"now"`)), `"nonce" is "now": it must be a whole number`},
		{"a window in quotes", resigned(object(path + `,"nonce":1,"nonceWindow":"true"`)), `"nonceWindow" is "true": it must be true or false, without quotes`},
		{"a window of seconds", resigned(object(path + `,"nonce":1790000000,"nonceWindow":true`)), "13 digits; 1790000000 has 10"},
		{"a window of milliseconds", resigned(object(path + `,"nonce":1790000000000,"nonceWindow":true`)), ""},
		{"a name twice, read as the server reads it", resigned(object(`"request":"/y",` + path + `,"nonce":1`)), ""},
		{"bytes that are no text", resigned(object(path + `,"nonce":1,"a":"` + "\xff" + `"`)), "the exchange cannot use the payload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := clientRequest()
			c.spoil(&r)
			findings := strings.Join(r.diagnose(), "\n") + "\n"
			if c.says == "" && findings != "\n" || !strings.Contains(findings, c.says) || strings.Contains(findings, "signature") {
				t.Errorf("%s: want %q", findings, c.says)
			}
		})
	}
}

func TestDiagnosesOfASignature(t *testing.T) {
	good := clientRequest()
	sha := func(message string) string { sum := sha512.Sum512([]byte(message)); return hexed(string(sum[:])) }
	right := mac(sha512.New, good.secret, good.payload)
	decoded, _ := hex.DecodeString(good.secret)
	from64, _ := base64.StdEncoding.DecodeString(good.secret)
	for _, c := range []struct{ signature, says string }{
		{strings.ToUpper(hexed(right)), "its hexadecimal digits are in upper case"},
		{based(right), "it is in base64; hexadecimal digits are wanted"},
		{base64.RawStdEncoding.EncodeToString([]byte(right)), "it is in base64 without padding"},
		{based(hexed(right)), "its hexadecimal digits were put into base64"},
		{hexed(mac(sha256.New, good.secret, good.payload)), "it was made with SHA-256; SHA-512 is wanted"},
		{hexed(mac(sha512.New384, good.secret, good.payload)), "it was made with SHA-384; SHA-512 is wanted"},
		{hexed(mac(sha1.New, good.secret, good.payload)), "it was made with SHA-1; SHA-512 is wanted"},
		{hexed(mac(sha512.New, good.secret, good.body)), "the JSON was signed; the base64 text, which is the payload, is wanted"},
		{hexed(mac(sha512.New, good.secret, good.payload+"\n")), "the payload was signed with a line break after it"},
		{hexed(mac(sha512.New, good.secret, good.path+good.payload)), "the path was signed with the payload"},
		{hexed(mac(sha512.New, good.secret+"\n", good.payload)), "the secret had a line break at its end"},
		{hexed(mac(sha512.New, good.key, good.payload)), "it was made with the API key; the secret is wanted"},
		{hexed(mac(sha512.New, string(decoded), good.payload)), "the secret was decoded from hexadecimal digits"},
		{hexed(mac(sha512.New, string(from64), good.payload)), "the secret was decoded from base64"},
		{hexed(mac(sha512.New, good.payload, good.secret)), "key and message of the HMAC were swapped"},
		{sha(good.payload), "it is a plain hash of the message and has nothing of the secret"},
		{sha(good.payload + good.secret), "it is a plain hash of the message and the secret after it"},
		{sha(good.secret + good.payload), "it is a plain hash of the secret and the message after it"},
		{hexed(mac(sha512.New, "another", good.payload)), "the signature has the right form, but is that of another payload or of another secret"},
		{"0x" + hexed(right), "only its digits are wanted"},
		{"SHA2-512(stdin)= " + hexed(right), "only its digits are wanted"},
		{hexed(right) + " *stdin", "only its digits are wanted"},
		{hexed(right) + "  -", "only its digits are wanted"},
		{" \"" + hexed(right) + "\"\n", "only its digits are wanted"},
		{"", "the signature is empty"},
		{"abc", "the signature has 3 characters; 128 hexadecimal digits are wanted"},
		{"what is it?", "the signature has 11 characters"},
	} {
		r := clientRequest()
		r.signature = c.signature
		findings := r.diagnose()
		if len(findings) != 2 || !strings.Contains(findings[0], c.says) || findings[1] != "the right signature is "+hexed(right) {
			t.Errorf("%q: %q, want %q", c.signature, findings, c.says)
		}
	}
}

func TestSeveralMistakesAreToldAtOnce(t *testing.T) {
	r := clientRequest()
	r.signature = strings.ToUpper(hexed(mac(sha256.New, r.secret, r.body)))
	findings := strings.Join(r.diagnose(), "\n")
	for _, want := range []string{"the JSON was signed", "SHA-256", "upper case"} {
		if !strings.Contains(findings, want) {
			t.Errorf("no %q in %s", want, findings)
		}
	}
	// The payload is wrapped and was signed as it stands there.
	r = clientRequest()
	r.payload = r.payload[:64] + "\n" + r.payload[64:] + "\n"
	r.signature = hexed(mac(sha512.New, r.secret, r.payload))
	findings = strings.Join(r.diagnose(), "\n")
	if !strings.Contains(findings, "line breaks in it") || !strings.Contains(findings, "the payload was signed with its line breaks") {
		t.Error(findings)
	}
	// The payload is not base64, and what was signed is what it should have been.
	r = clientRequest()
	payload := r.payload
	r.payload = r.body
	if findings := r.diagnose(); len(findings) != 2 || findings[1] != "the right payload is "+payload {
		t.Errorf("%q", findings)
	}
	r = clientRequest()
	r.secret += " "
	if findings := strings.Join(r.diagnose(), "\n"); !strings.Contains(findings, "without the spaces around the secret") {
		t.Error(findings)
	}
}

func TestSignCheckTellsByItsExitCode(t *testing.T) {
	r := clientRequest()
	args := []string{"sign", r.path, r.body, "--secret", r.secret, "--check", "--payload", r.payload, "--signature"}
	out, errs, code := run(t, "", append(args, r.signature)...)
	if code != 0 || out != "all is well: payload and signature are right\n" || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	out, errs, code = run(t, "", append(args, strings.ToUpper(r.signature))...)
	if code != exitFailed || !strings.HasPrefix(out, "finding: the signature is wrong: its hexadecimal digits are in upper case") || errs != "bourse: the exchange would refuse this request\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	var answer struct{ Findings []string }
	out, _, code = run(t, "", append(args, "abc", "--json")...)
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != exitFailed || len(answer.Findings) != 2 {
		t.Errorf("%d %v %s", code, err, out)
	}
	if out := good(t, "", append(args, r.signature, "--json")...); out != "{\"findings\":[]}\n" {
		t.Error(out)
	}
}
