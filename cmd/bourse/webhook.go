package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"bourse/internal/webhook"
)

type webhookCmd struct {
	Listen webhookListen `cmd:"" help:"Print each event that arrives, and whether its signature and its nonce are right."`
}

// webhookListen is the server of a customer, to try webhooks with.
type webhookListen struct {
	Key      string `required:"" placeholder:"KEY" help:"The public key of the webhook."`
	Secret   string `required:"" placeholder:"SECRET" help:"The secret of the webhook."`
	Listen   string `default:"127.0.0.1:9000" placeholder:"ADDRESS" help:"Where it listens, by default 127.0.0.1:9000; port 0 picks a free one."`
	Fail     int    `placeholder:"N" help:"Answer 500 to the first N events."`
	Hang     bool   `help:"Take events and never answer."`
	Redirect string `placeholder:"URL" help:"Answer events with a redirect to this URL, which is not followed."`
}

func (webhookListen) Help() string {
	return `A server for the webhook of an exchange on the same machine, such as a demo. It has the public key where the exchange
looks for it (/service-verification.txt and /service-verification), so that the webhook can be verified, and checks
everything that a server of a customer should: that the payload is the body, that the signature is right, and that
the nonce is higher than those before. It prints a line for each event, with its parameters.`
}

func (l *webhookListen) Run(out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	ln, err := listen(l.Listen, "--listen")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on http://%s\n", ln.Addr())
	return l.serve(ctx, ln, out)
}

// serve answers on a listener until the context ends.
func (l *webhookListen) serve(ctx context.Context, ln net.Listener, out io.Writer) error {
	desk := &webhookDesk{listen: l, out: out, left: l.Fail}
	server := &http.Server{Handler: desk, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// webhookDesk takes what arrives.
type webhookDesk struct {
	listen *webhookListen
	out    io.Writer

	mu    sync.Mutex
	left  int // events that are still to fail
	nonce uint64
}

func (d *webhookDesk) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch {
	case q.Method == http.MethodPost:
		d.take(w, q)
	case q.URL.Path == "/service-verification.txt":
		fmt.Fprintln(w, d.listen.Key)
	case q.URL.Path == "/service-verification":
		_ = json.NewEncoder(w).Encode([]string{d.listen.Key})
	default:
		http.NotFound(w, q)
	}
}

// take judges an event, prints it and answers.
func (d *webhookDesk) take(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 1<<20))
	if err != nil {
		return
	}
	d.mu.Lock()
	verdict, status := d.judge(q, body), http.StatusOK
	if d.left > 0 {
		d.left--
		status = http.StatusInternalServerError
	}
	d.mu.Unlock()
	switch l := d.listen; {
	case l.Hang:
		fmt.Fprintf(d.out, "%s event %s, not answered: %s\n", verdict, q.Header.Get("X-Bourse-Event"), bytes.TrimSpace(body))
		<-q.Context().Done()
		return
	case l.Redirect != "":
		w.Header().Set("Location", l.Redirect)
		status = http.StatusFound
	}
	fmt.Fprintf(d.out, "%s event %s, answered %d: %s\n", verdict, q.Header.Get("X-Bourse-Event"), status, bytes.TrimSpace(body))
	w.WriteHeader(status)
}

// judge says whether an event is what it should be. The caller holds the lock.
func (d *webhookDesk) judge(q *http.Request, body []byte) string {
	payload, signature := webhook.Sign(d.listen.Secret, body)
	var said struct {
		Params struct {
			Nonce uint64 `json:"nonce"`
		} `json:"params"`
	}
	switch {
	case q.Header.Get("X-TXC-APIKEY") != d.listen.Key:
		return "WRONG KEY"
	case q.Header.Get("X-TXC-PAYLOAD") != payload:
		return "WRONG PAYLOAD"
	case !hmac.Equal([]byte(q.Header.Get("X-TXC-SIGNATURE")), []byte(signature)):
		return "WRONG SIGNATURE"
	case json.Unmarshal(body, &said) != nil || said.Params.Nonce <= d.nonce:
		return "WRONG NONCE"
	}
	d.nonce = said.Params.Nonce
	return "good"
}
