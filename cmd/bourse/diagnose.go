package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"bourse/internal/api"
	"bourse/internal/auth"
)

// request is what a client made, with the secret it should have used.
type request struct {
	path, key, secret  string
	body               string // what it sent, if that is known
	payload, signature string
}

// diagnose says what is wrong with a request, in sentences that name the mistake; nothing if
// nothing is. Payload and signature are looked at apart: a client may have both wrong.
func (r *request) diagnose() []string {
	findings := []string{}
	payload := strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, r.payload)
	if payload != r.payload {
		findings = append(findings, "the payload has spaces or line breaks in it, and a header cannot: write base64 in one line (base64 -w0, openssl base64 -A)")
	}
	decoded, finding := decodePayload(payload)
	proper := payload
	if finding != "" {
		findings = append(findings, finding)
		if decoded != nil {
			proper = base64.StdEncoding.EncodeToString(decoded)
			findings = append(findings, "the right payload is "+proper)
		}
	}
	if decoded != nil {
		findings = append(findings, r.members(decoded)...)
	}
	return append(findings, r.signatureFindings(payload, proper, decoded)...)
}

// decodePayload is the JSON in a payload, also if it was put there in a wrong way.
func decodePayload(payload string) (decoded []byte, finding string) {
	plain := strings.TrimRight(payload, "=")
	if text, err := hex.DecodeString(payload); err == nil && json.Valid(text) && payload != "" {
		return text, "the payload is in hexadecimal digits; base64 is wanted"
	}
	decoded, err := base64.StdEncoding.DecodeString(payload)
	if err == nil {
		return whatIsIt(decoded)
	}
	if json.Valid([]byte(payload)) {
		return []byte(payload), "the payload is the JSON itself; base64 of it is wanted"
	}
	if text, err := url.PathUnescape(payload); err == nil && text != payload {
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			return decoded, "the payload is escaped with percent signs, as for a URL; a header takes base64 as it is"
		}
	}
	if decoded, err := base64.RawURLEncoding.DecodeString(plain); err == nil && strings.ContainsAny(payload, "-_") {
		return decoded, "the payload is base64 in the alphabet for URLs, with - and _; the standard one with +, / and padding is wanted"
	}
	if decoded, err := base64.RawStdEncoding.DecodeString(plain); err == nil {
		return decoded, fmt.Sprintf("the payload has %d '=' at its end and needs %d: base64 is padded to a multiple of four", len(payload)-len(plain), -len(plain)&3)
	}
	var bad base64.CorruptInputError
	if errors.As(err, &bad) && int(bad) < len(payload) && !alphabet.MatchString(payload[bad:bad+1]) {
		return nil, fmt.Sprintf("the payload is not base64: character %d is %q", bad+1, payload[bad])
	}
	return nil, fmt.Sprintf("the payload is not base64: it breaks off after %d characters", len(payload))
}

// alphabet has the letters of base64.
var alphabet = regexp.MustCompile("[A-Za-z0-9+/]")

// whatIsIt looks at bytes that should be a JSON object.
func whatIsIt(decoded []byte) (object []byte, finding string) {
	var v any
	err := json.Unmarshal(decoded, &v)
	if _, ok := v.(map[string]any); ok {
		return decoded, ""
	}
	if text, ok := v.(string); ok && json.Valid([]byte(text)) {
		return []byte(text), "the payload is a JSON text with the JSON in it: it was turned into JSON twice"
	}
	if err == nil {
		return nil, "the payload is JSON, but not an object with braces: " + excerpt(decoded)
	}
	if twice, err := base64.StdEncoding.DecodeString(string(decoded)); err == nil && json.Valid(twice) && len(twice) > 0 {
		return twice, "the payload is in base64 twice"
	}
	if bytes.HasPrefix(decoded, []byte("\xef\xbb\xbf")) {
		return bytes.TrimPrefix(decoded, []byte("\xef\xbb\xbf")), "the payload begins with a byte order mark; JSON has none"
	}
	if values, err := url.ParseQuery(string(decoded)); err == nil && (values.Has("request") || values.Has("nonce")) {
		return nil, "the payload is a form (a=b&c=d): the parameters must be a JSON object"
	}
	if bytes.HasPrefix(bytes.TrimSpace(decoded), []byte("{'")) {
		return nil, "the payload is not JSON: its texts are in single quotes, as when a Python dict is printed; use json.dumps"
	}
	if len(decoded) == 0 {
		return nil, "the payload is empty: the body in base64 is wanted, at least with request and nonce"
	}
	return nil, fmt.Sprintf("the payload is base64, but not of JSON (%v): %s", err, excerpt(decoded))
}

// excerpt is the beginning of a text that may be long.
func excerpt(text []byte) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}

// members looks at what every signed body must have. The server's own reader has the last word.
func (r *request) members(decoded []byte) (findings []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(decoded, &members) != nil {
		return nil // said already
	}
	if r.body != "" && r.body != string(decoded) && !sameJSON([]byte(r.body), decoded) {
		findings = append(findings, "the body that was sent is not the one in the payload: make the text once, and sign and send it")
	}
	for _, finding := range []string{r.requestFinding(members["request"]), nonceFinding(members["nonce"]), windowFinding(members)} {
		if finding != "" {
			findings = append(findings, finding)
		}
	}
	if findings == nil {
		var form api.Form
		err := form.ReadJSON(decoded)
		if err == nil {
			_, err = form.Origin([]byte(r.path))
		}
		if err != nil {
			findings = append(findings, "the exchange cannot use the payload: "+err.Error())
		}
	}
	return findings
}

// sameJSON compares as the server does: spaces do not count, numbers are texts.
func sameJSON(a, b []byte) bool {
	var values [2]any
	for i, text := range [2][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

func (r *request) requestFinding(raw json.RawMessage) string {
	var said string
	switch {
	case raw == nil:
		return fmt.Sprintf("the body has no \"request\": it must be %q", r.path)
	case json.Unmarshal(raw, &said) != nil || said == "":
		return fmt.Sprintf("\"request\" is %s: it must be the text %q", raw, r.path)
	case said == r.path:
		return ""
	}
	why := ""
	switch u, err := url.Parse(said); {
	case err == nil && u.Host != "" && u.Path == r.path:
		why = "; leave the host out"
	case "/"+said == r.path:
		why = "; the slash at its beginning is missing"
	case strings.TrimSuffix(said, "/") == r.path:
		why = "; leave out the slash at its end"
	case err == nil && u.Path == r.path:
		why = "; leave out what follows the '?'"
	case strings.HasSuffix(r.path, said):
		why = "; it must be the whole path"
	}
	return fmt.Sprintf("\"request\" is %q, but the path is %q%s", said, r.path, why)
}

func nonceFinding(raw json.RawMessage) string {
	const wanted = "it must be a whole number, such as the time in milliseconds"
	if raw == nil {
		return "the body has no \"nonce\": " + wanted
	}
	text := strings.Trim(string(raw), `"`)
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return ""
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case n < 0:
			return fmt.Sprintf("\"nonce\" is %s: it must not be negative", raw)
		case n > math.MaxUint64:
			return fmt.Sprintf("\"nonce\" is %s: it must fit in 64 bits", raw)
		}
		return fmt.Sprintf("\"nonce\" is %s: it must be written without fraction and exponent", raw)
	}
	return fmt.Sprintf("\"nonce\" is %s: %s", raw, wanted)
}

// windowFinding is about nonceWindow, with which a nonce is a time in milliseconds.
func windowFinding(members map[string]json.RawMessage) string {
	switch window := string(members["nonceWindow"]); window {
	case "", "null", "false":
		return ""
	case "true":
		nonce := strings.Trim(string(members["nonce"]), `"`)
		if n, err := strconv.ParseUint(nonce, 10, 64); err == nil && (n < 1e12 || n >= 1e13) {
			return fmt.Sprintf("with nonceWindow the nonce is the time in milliseconds, 13 digits; %s has %d", nonce, len(nonce))
		}
		return ""
	default:
		return fmt.Sprintf("\"nonceWindow\" is %s: it must be true or false, without quotes", window)
	}
}

// way is a way to do a step of signing. The right one comes first and has no name.
type way[T any] struct {
	mistake string
	of      T
}

// hashes are functions that clients take.
var hashes = []way[func() hash.Hash]{
	{"", sha512.New},
	{"it was made with SHA-256; SHA-512 is wanted", sha256.New},
	{"it was made with SHA-384; SHA-512 is wanted", sha512.New384},
	{"it was made with SHA-1; SHA-512 is wanted", sha1.New},
}

// kinds are ways to put a key and a message together.
var kinds = []way[func(new func() hash.Hash, key, message string) []byte]{
	{"", keyed},
	{"key and message of the HMAC were swapped: the secret is the key", func(new func() hash.Hash, key, message string) []byte {
		return keyed(new, message, key)
	}},
	{"it is a plain hash of the message and has nothing of the secret; HMAC is wanted", func(new func() hash.Hash, _, message string) []byte {
		return plain(new, message)
	}},
	{"it is a plain hash of the message and the secret after it; HMAC is wanted", func(new func() hash.Hash, key, message string) []byte {
		return plain(new, message+key)
	}},
	{"it is a plain hash of the secret and the message after it; HMAC is wanted", func(new func() hash.Hash, key, message string) []byte {
		return plain(new, key+message)
	}},
}

func keyed(new func() hash.Hash, key, message string) []byte {
	h := hmac.New(new, []byte(key))
	h.Write([]byte(message))
	return h.Sum(nil)
}

func plain(new func() hash.Hash, message string) []byte {
	h := new()
	h.Write([]byte(message))
	return h.Sum(nil)
}

// spellings are ways to write a signature.
var spellings = []way[func([]byte) string]{
	{"", hex.EncodeToString},
	{"its hexadecimal digits are in upper case; lower case is wanted", func(sum []byte) string { return strings.ToUpper(hex.EncodeToString(sum)) }},
	{"it is in base64; hexadecimal digits are wanted", base64.StdEncoding.EncodeToString},
	{"it is in base64 without padding; hexadecimal digits are wanted", base64.RawStdEncoding.EncodeToString},
	{"it is in base64 for URLs; hexadecimal digits are wanted", base64.URLEncoding.EncodeToString},
	{"it is in base64 for URLs without padding; hexadecimal digits are wanted", base64.RawURLEncoding.EncodeToString},
	{"its hexadecimal digits were put into base64; they are wanted as they are", func(sum []byte) string {
		return base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(sum)))
	}},
}

// messages are texts that clients sign.
func (r *request) messages(payload string, decoded []byte) []way[string] {
	all := []way[string]{
		{"", payload},
		{"the payload was signed with a line break after it; use printf %s, or echo -n", payload + "\n"},
		{"the path was signed with the payload; the payload alone is wanted", r.path + payload},
	}
	if payload != r.payload {
		all = append(all, way[string]{"the payload was signed with its line breaks", r.payload})
	}
	const raw = "the JSON was signed; the base64 text, which is the payload, is wanted"
	if decoded != nil {
		all = append(all, way[string]{raw, string(decoded)})
	}
	if r.body != "" {
		all = append(all, way[string]{raw, r.body})
	}
	return all
}

// keys are what clients take for the secret.
func (r *request) keys() []way[string] {
	all := []way[string]{
		{"", r.secret},
		{"the secret had a line break at its end", r.secret + "\n"},
	}
	if r.key != "" {
		all = append(all, way[string]{"it was made with the API key; the secret is wanted", r.key})
	}
	if trimmed := strings.TrimSpace(r.secret); trimmed != r.secret {
		all = append(all, way[string]{"it was made without the spaces around the secret", trimmed})
	}
	if text, err := hex.DecodeString(r.secret); err == nil {
		all = append(all, way[string]{"the secret was decoded from hexadecimal digits; its text is the key", string(text)})
	}
	if text, err := base64.StdEncoding.DecodeString(r.secret); err == nil {
		all = append(all, way[string]{"the secret was decoded from base64; its text is the key", string(text)})
	}
	return all
}

// around is what tools print around a signature.
var around = regexp.MustCompile(`^(?:\S*\(stdin\)\s*=)?[\s"']*(?:0[xX])?([0-9A-Za-z+/=_-]*)[\s"']*(?:\*?stdin|-)?\s*$`)

// signatureFindings looks for the way in which a signature was made. A signature of what is sent as
// the payload is right even if that is not the proper one, and so is one of the proper one.
func (r *request) signatureFindings(payload, proper string, decoded []byte) (findings []string) {
	secret := auth.NewSecret([]byte(r.secret))
	if secret.Check([]byte(payload), []byte(r.signature)) || secret.Check([]byte(proper), []byte(r.signature)) {
		return nil
	}
	signature := r.signature
	if inner := around.FindStringSubmatch(signature); inner != nil && inner[1] != signature {
		signature = inner[1]
		findings = append(findings, fmt.Sprintf("the signature is %q: only its digits are wanted", r.signature))
	}
	mistakes, found := r.mistakes(signature, payload, decoded)
	for _, mistake := range mistakes {
		findings = append(findings, "the signature is wrong: "+mistake)
	}
	if !found {
		digits, err := hex.DecodeString(signature)
		switch {
		case signature == "":
			findings = append(findings, "the signature is empty")
		case err == nil && len(digits) == sha512.Size:
			findings = append(findings, "the signature has the right form, but is that of another payload or of another secret: see that the secret belongs to the key, and that the payload is not changed after it was signed")
		default:
			findings = append(findings, fmt.Sprintf("the signature has %d characters; %d hexadecimal digits are wanted, the HMAC-SHA512 of the payload", len(signature), auth.SignatureSize))
		}
	}
	return append(findings, "the right signature is "+secret.Sign([]byte(proper)))
}

// mistakes are the fewest with which the signature comes about.
func (r *request) mistakes(signature, payload string, decoded []byte) (fewest []string, found bool) {
	for _, message := range r.messages(payload, decoded) {
		for _, key := range r.keys() {
			for _, kind := range kinds {
				for _, hash := range hashes {
					sum := kind.of(hash.of, key.of, message.of)
					for _, spelling := range spellings {
						if spelling.of(sum) != signature {
							continue
						}
						var made []string
						for _, mistake := range []string{message.mistake, key.mistake, kind.mistake, hash.mistake, spelling.mistake} {
							if mistake != "" {
								made = append(made, mistake)
							}
						}
						if !found || len(made) < len(fewest) {
							fewest, found = made, true
						}
					}
				}
			}
		}
	}
	return fewest, found
}
