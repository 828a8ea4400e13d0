package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// What people do with webhooks, by whichever door they come. Each function gets how the command came (schema.Origin), and refusals of the core
// are a Refused.

// Refused is a command that the core refused.
type Refused struct{ schema.Rejection }

func (r *Refused) Error() string { return r.Text() }

// ErrURL is wrapped by what is wrong with a URL.
var ErrURL = errors.New("the URL of a webhook begins with https://, names a host and no address, port 443 or none, no user and no fragment")

// Settings are what a customer says of a webhook.
type Settings struct {
	URL    string
	Events schema.WebhookEvents
	On     bool
	// Rotate makes a new key and a new secret. The first settings make them in any case.
	Rotate bool
	// Key and Secret are a pair of one's own choice; "": they are made up.
	Key, Secret string
}

// Set makes or changes the webhook of an account. It returns the secret if one was made: nobody sees it again.
func (h *Webhooks) Set(ctx context.Context, from schema.Origin, account schema.AccountID, s Settings) (secret string, err error) {
	if err := h.checkURL(s.URL); err != nil {
		return "", err
	}
	c := &schema.SetWebhook{Account: account, URL: canonical(s.URL), Events: s.Events, On: s.On}
	if _, there := h.look(account); !there || s.Rotate || s.Key != "" || s.Secret != "" {
		c.Key, secret = cmp.Or(s.Key, randomText()), cmp.Or(s.Secret, randomText())
		c.Sealed = h.key.Seal([]byte(secret), Purpose)
	}
	if err := h.submit(ctx, from, c); err != nil {
		return "", err
	}
	return secret, nil
}

// randomText is 32 random bytes.
func randomText() string {
	var b [32]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// checkURL reports what is wrong with a URL.
func (h *Webhooks) checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" || len(text) > schema.MaxWebhookURL:
		return ErrURL
	case strings.Contains(text, "#"):
		return ErrURL
	}
	ip, notAddress := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || notAddress == nil && ip.IsLoopback()
	if h.options.Loopback && local && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	if u.Scheme != "https" || notAddress == nil || u.Port() != "" && u.Port() != "443" || !strings.Contains(u.Hostname(), ".") {
		return ErrURL
	}
	return nil
}

// canonical writes a URL so that the same host is always the same text.
func canonical(text string) string {
	u, _ := url.Parse(text)
	u.Host = strings.ToLower(u.Host)
	if name, port, err := net.SplitHostPort(u.Host); err == nil && u.Scheme == "https" && port == "443" {
		u.Host = name
	}
	return u.String()
}

// Choose changes which events are announced, and whether any are.
func (h *Webhooks) Choose(ctx context.Context, from schema.Origin, account schema.AccountID, events schema.WebhookEvents, on bool) error {
	w, there := h.look(account)
	if !there {
		return ErrNone
	}
	return h.submit(ctx, from, &schema.SetWebhook{Account: account, URL: w.URL, Events: events, On: on})
}

// Verify looks whether the host of a webhook is the customer's.
func (h *Webhooks) Verify(ctx context.Context, from schema.Origin, account schema.AccountID) error {
	w, there := h.look(account)
	if !there {
		return ErrNone
	}
	if err := h.checks.asks(account, func() bool { return h.sender.verify(ctx, w.URL, w.Key) }); err != nil {
		return err
	}
	return h.submit(ctx, from, &schema.VerifyWebhook{Account: account, Host: w.Host(), Key: w.Key})
}

// Delete ends the webhook of an account. What waits for it is dropped.
func (h *Webhooks) Delete(ctx context.Context, from schema.Origin, account schema.AccountID) error {
	return h.submit(ctx, from, &schema.SetWebhook{Account: account, Delete: true})
}

// Pause holds deliveries back, or lets them go on. It is for operators.
func (h *Webhooks) Pause(ctx context.Context, from schema.Origin, account schema.AccountID, paused bool) error {
	return h.submit(ctx, from, &schema.PauseWebhook{Account: account, Paused: paused})
}

// ErrForgotten means that an event is not kept any more.
var ErrForgotten = errors.New("the event is not kept: it was not announced, or more than two days ago")

// Resend sends an event once more. It is for operators.
func (h *Webhooks) Resend(ctx context.Context, from schema.Origin, account schema.AccountID, n uint64) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	r, err := h.store.event(account, n)
	if err != nil {
		return err
	}
	if r == nil {
		return ErrForgotten
	}
	if err := h.submit(ctx, from, &schema.ResendWebhook{Account: account, N: n}); err != nil {
		return err
	}
	_ = h.wait(ctx) // so that who looks next sees it wait; it is resent whatever the queue is at
	return nil
}

func (h *Webhooks) submit(ctx context.Context, from schema.Origin, c schema.Command) error {
	var r schema.Result
	if err := h.exchange.SubmitFrom(ctx, from, c, &r); err != nil {
		return err
	}
	if r.Rejection.Refused() {
		return &Refused{r.Rejection}
	}
	return nil
}

// Get is the webhook of an account, without its secret, and how many events wait for it.
func (h *Webhooks) Get(account schema.AccountID) (w schema.Webhook, waiting int, there bool) {
	if w, there = h.look(account); there {
		w.Sealed = nil
		_, waiting = h.store.sizes(account)
	}
	return w, waiting, there
}

// All are all webhooks, without their secrets.
func (h *Webhooks) All() (list []schema.Webhook) {
	h.exchange.Read(func(m core.View) { list = m.Webhooks().All() })
	for i := range list {
		list[i].Sealed = nil
	}
	return list
}

// Waiting is how many events wait for the webhook of an account.
func (h *Webhooks) Waiting(account schema.AccountID) int {
	_, of := h.store.sizes(account)
	return of
}

// Entry is a line of the log of deliveries.
type Entry struct {
	N        uint64
	Event    schema.WebhookEvent
	Happened schema.Time
	Outcome  string // waiting, delivered or dropped
	Attempts uint32
	Status   uint32 // of the last answer; 0: there was none
	Millis   uint32 // of the last attempt
	At       schema.Time
	Due      schema.Time // of the next attempt; 0: none is planned
}

// MostEntries is how many lines can be had at once.
const MostEntries = 1000

// Log are the events of the last two days, at most the last thousand that were settled, the newest first, with numbers below one (0: all). It has no bodies.
func (h *Webhooks) Log(ctx context.Context, account schema.AccountID, before uint64, limit int) ([]Entry, error) {
	if err := h.wait(ctx); err != nil {
		return nil, err
	}
	records, err := h.store.log(account, before, min(limit, MostEntries))
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	list := make([]Entry, len(records))
	for i := range records {
		r := &records[i]
		outcome := r.Last.Outcome
		if outcome == 0 {
			outcome = schema.DeliveryRetried
		}
		list[i] = Entry{
			r.Notified.N, r.Notified.Type, r.At, outcome.String(), r.Last.Attempts, r.Last.Status, r.Last.Millis, r.Last.At, r.Last.Due,
		}
	}
	return list, nil
}
