package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"bourse/internal/auth"
)

// signCmd signs a request as a client must, for people whose client does not, and says what is
// wrong with what a client made.
type signCmd struct {
	Path string `arg:"" help:"The path of the request, such as /api/v4/order/new."`
	Body string `arg:"" optional:"" help:"The body, a JSON object; '-' reads standard input. Without one: {}. With --check it is the body that was sent."`

	Key        string `env:"BOURSE_API_KEY" placeholder:"KEY" help:"The API key."`
	Secret     string `env:"BOURSE_API_SECRET" placeholder:"SECRET" secret:"" help:"The secret of the key. Others on this machine can see it in the list of processes: a variable or a file is safer."`
	SecretFile string `placeholder:"FILE" type:"existingfile" help:"A file that holds the secret. It comes before --secret."`

	URL  string `name:"url" env:"BOURSE_URL" default:"http://127.0.0.1:8080" placeholder:"URL" help:"The exchange, for --curl; by default http://127.0.0.1:8080."`
	Curl bool   `xor:"form" help:"Print a curl command that sends the request."`
	JSON bool   `name:"json" xor:"form" help:"Print JSON."`

	Check     bool   `and:"check" help:"Say what is wrong with --payload and --signature."`
	Payload   string `and:"check" placeholder:"BASE64" help:"What a client sends as X-TXC-PAYLOAD."`
	Signature string `and:"check" placeholder:"HEX" help:"What a client sends as X-TXC-SIGNATURE."`
}

func (signCmd) Help() string {
	return `A signed request carries its body twice: as it is, and in base64 in the header X-TXC-PAYLOAD. The header
X-TXC-SIGNATURE is the HMAC-SHA512 of that base64 text with the secret as the key, in lower-case
hexadecimal digits. The body names the path ("request") and a number that grows from one request of a
key to the next ("nonce"); what the body does not have is added: the path, and the time in milliseconds.

With --check it looks at what a client made. It knows the usual mistakes, such as signing the JSON instead
of the base64 text, SHA-256, or a signature in base64, and says which it was. Each finding stands on
a line; the exit code is 0 when there is none and 1 otherwise. What only the exchange knows is not
checked: whether it has the key, and which nonce was the last one.`
}

// Validate is called by kong.
func (c *signCmd) Validate() error {
	switch {
	case !strings.HasPrefix(c.Path, "/"):
		return fmt.Errorf("the path %q must begin with a slash and have no host, such as /api/v4/order/new; the host goes into --url", c.Path)
	case c.Secret == "" && c.SecretFile == "":
		return errors.New("a secret is needed: --secret-file, BOURSE_API_SECRET or --secret")
	case c.Key == "" && !c.Check:
		return errors.New("a key is needed: --key or BOURSE_API_KEY")
	case c.Check && c.Curl:
		return errors.New("--check sends nothing; leave out --curl")
	}
	return nil
}

func (c *signCmd) Run(out stdout, errs stderr) error {
	if c.SecretFile != "" {
		secret, err := os.ReadFile(c.SecretFile)
		if err != nil {
			return fmt.Errorf("reading the secret: %w", err)
		}
		c.Secret = strings.TrimRight(string(secret), "\r\n")
	}
	if c.Body == "-" {
		body, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fmt.Errorf("reading the body: %w", err)
		}
		c.Body = strings.TrimSpace(string(body))
	}
	if c.Check {
		return c.check(out)
	}
	return c.sign(out, errs)
}

// signed is a request that is ready to be sent.
type signed struct {
	Body      string            `json:"body"`
	Payload   string            `json:"payload"`
	Signature string            `json:"signature"`
	Headers   map[string]string `json:"headers"`
	Added     []string          `json:"added,omitempty"` // members of the body that were not there
}

// headerNames in the order in which they are printed.
var headerNames = []string{"Content-Type", "X-TXC-APIKEY", "X-TXC-PAYLOAD", "X-TXC-SIGNATURE"}

func (c *signCmd) sign(out stdout, errs stderr) error {
	var s signed
	var request string
	var err error
	if s.Body, request, s.Added, err = completed(c.Path, c.Body, time.Now()); err != nil {
		return err
	}
	s.Payload = base64.StdEncoding.EncodeToString([]byte(s.Body))
	s.Signature = auth.NewSecret([]byte(c.Secret)).Sign([]byte(s.Payload))
	s.Headers = map[string]string{
		"Content-Type": "application/json", "X-TXC-APIKEY": c.Key, "X-TXC-PAYLOAD": s.Payload, "X-TXC-SIGNATURE": s.Signature,
	}
	if len(s.Added) > 0 {
		fmt.Fprintf(errs, "added to the body: %s\n", strings.Join(s.Added, ", "))
	}
	if request != c.Path {
		fmt.Fprintf(errs, "the body says request %q, but the path is %s: the exchange will refuse it\n", request, c.Path)
	}
	switch {
	case c.JSON:
		return json.NewEncoder(out).Encode(s)
	case c.Curl:
		fmt.Fprintln(out, s.curl(c.URL+c.Path))
	default:
		s.print(out)
	}
	return nil
}

// completed is the body with request and nonce in it. What stands there already stays, byte for
// byte: it is what will be signed.
func completed(path, body string, now time.Time) (whole, request string, added []string, err error) {
	whole = strings.TrimSpace(body)
	if whole == "" {
		whole = "{}"
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(whole), &members); err != nil || members == nil {
		return "", "", nil, fmt.Errorf(`the body %s is not a JSON object such as {"market":"BTC_USDT"}`, whole)
	}
	request = path
	if raw, ok := members["request"]; ok {
		if json.Unmarshal(raw, &request) != nil {
			request = string(raw)
		}
	}
	for _, member := range []struct {
		name  string
		value any
	}{{"request", path}, {"nonce", now.UnixMilli()}} {
		if _, ok := members[member.name]; ok {
			continue
		}
		value, err := json.Marshal(member.value)
		if err != nil {
			return "", "", nil, err
		}
		open := strings.TrimRight(strings.TrimSuffix(whole, "}"), " \t\r\n")
		if open != "{" {
			open += ","
		}
		whole = fmt.Sprintf("%s%q:%s}", open, member.name, value)
		added = append(added, member.name)
	}
	return whole, request, added, nil
}

func (s *signed) print(out io.Writer) {
	fmt.Fprintf(out, "The body, %d bytes:\n%s\n\n", len(s.Body), s.Body)
	fmt.Fprintf(out, "The payload, which is the body in base64:\n%s\n\n", s.Payload)
	fmt.Fprintf(out, "The signature, which is the HMAC-SHA512 of the payload in hexadecimal digits:\n%s\n\n", s.Signature)
	fmt.Fprintln(out, "The headers:")
	for _, name := range headerNames {
		fmt.Fprintf(out, "%s: %s\n", name, s.Headers[name])
	}
}

// curl is a command for a shell that sends the request.
func (s *signed) curl(url string) string {
	command := "curl -sS"
	for _, name := range headerNames {
		command += " -H " + quoted(name+": "+s.Headers[name])
	}
	return command + " --data-binary " + quoted(s.Body) + " " + quoted(url)
}

// quoted is a text that a shell leaves as it is.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// check prints what is wrong with a request of a client.
func (c *signCmd) check(out stdout) error {
	r := request{path: c.Path, key: c.Key, secret: c.Secret, body: c.Body, payload: c.Payload, signature: c.Signature}
	findings := r.diagnose()
	if c.JSON {
		if err := json.NewEncoder(out).Encode(map[string]any{"findings": findings}); err != nil {
			return err
		}
	} else {
		for _, finding := range findings {
			fmt.Fprintf(out, "finding: %s\n", finding)
		}
	}
	switch {
	case len(findings) > 0:
		return errors.New("the exchange would refuse this request")
	case !c.JSON:
		fmt.Fprintln(out, "all is well: payload and signature are right")
	}
	return nil
}
