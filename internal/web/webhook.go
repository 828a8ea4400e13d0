package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"bourse/internal/api"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

// The webhook of who is signed in, and those of the sub-accounts.

// shownWebhooks is the webhook of an account, and what it can be.
type shownWebhooks struct {
	Accounts []shownAccount `json:"accounts"`
	Events   []string       `json:"events"`  // all that there are
	Webhook  *shownWebhook  `json:"webhook"` // null: there is none
}

// shownWebhook is a webhook as its owner sees it.
type shownWebhook struct {
	URL    string   `json:"url"`
	Host   string   `json:"host"`
	Key    string   `json:"key"` // the public part
	Events []string `json:"events"`
	On     bool     `json:"on"` // the customer wants it to send
	// Verified says that the host is known to be the customer's, and Checked when that was last looked at; 0: it was not.
	Verified bool        `json:"verified"`
	Checked  schema.Time `json:"checked"`
	Active   bool        `json:"active"` // it announces events
	Paused   bool        `json:"paused"` // by operators: events wait
	Waiting  int         `json:"waiting"`
	// Secret is shown when it was made.
	Secret string `json:"secret,omitempty"`
}

func eventNames(events schema.WebhookEvents) []string {
	names := []string{}
	for _, e := range events.List() {
		names = append(names, e.String())
	}
	return names
}

func (s *Server) webhookOf(account schema.AccountID) *shownWebhook {
	w, waiting, there := s.options.Webhooks.Get(account)
	if !there {
		return nil
	}
	return &shownWebhook{
		URL: w.URL, Host: w.Host(), Key: w.Key, Events: eventNames(w.Events), On: w.On, Verified: w.Verified != "", Checked: seconds(w.Checked), Active: w.Active(),
		Paused: w.Paused, Waiting: waiting,
	}
}

func (s *Server) showWebhook(r *request) (any, error) {
	of, err := s.askedAccount(r)
	if err != nil {
		return nil, err
	}
	return shownWebhooks{s.lookedAfter(r), eventNames(schema.AllWebhookEvents), s.webhookOf(of.ID)}, nil
}

// setWebhook makes the webhook of an account, or changes it; what is not mentioned stays.
func (a *act) setWebhook() (any, error) {
	var which struct {
		Account string `json:"account"`
	}
	if err := a.read(&which); err != nil {
		return nil, err
	}
	of, err := a.whose(a.request, which.Account)
	if err != nil {
		return nil, err
	}
	q := struct {
		URL    string   `json:"url"`
		Events []string `json:"events"`
		On     bool     `json:"on"`
		Rotate bool     `json:"rotate"` // another key and another secret
	}{Events: eventNames(schema.AllWebhookEvents), On: true}
	if old := a.webhookOf(of.ID); old != nil {
		q.URL, q.Events, q.On = old.URL, old.Events, old.On
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	settings := webhook.Settings{URL: q.URL, On: q.On, Rotate: q.Rotate}
	for _, name := range q.Events {
		e, known := schema.ParseWebhookEvent(name)
		if !known {
			return nil, wrong("events", fmt.Sprintf("There is no event %q.", name))
		}
		settings.Events |= 1 << e
	}
	if err := a.fresh(a.request); err != nil {
		return nil, err
	}
	secret, err := a.options.Webhooks.Set(a.context, a.origin(), of.ID, settings)
	if err != nil {
		return nil, webhookError(err)
	}
	now := a.webhookOf(of.ID)
	if now == nil { // it was deleted meanwhile
		return nil, webhookError(webhook.ErrNone)
	}
	now.Secret = secret
	return now, nil
}

// webhookError is what people see of an error.
func webhookError(err error) error {
	refused := (*webhook.Refused)(nil)
	switch {
	case errors.As(err, &refused):
		return api.Refusal(refused.Rejection)
	case errors.Is(err, webhook.ErrURL):
		return wrong("url", sentence(err))
	case errors.Is(err, webhook.ErrNone):
		return &api.Error{Status: http.StatusNotFound, Message: sentence(err)}
	case errors.Is(err, webhook.ErrTooOften):
		return &api.Error{Status: http.StatusTooManyRequests, Message: sentence(err)}
	case errors.Is(err, webhook.ErrUnverified):
		return wrong("host", sentence(err))
	}
	return err
}

// sentence is an error as people read it.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}

// verifyWebhook looks whether the host of a webhook is the customer's.
func (a *act) verifyWebhook() (any, error) {
	of, err := a.bodyAccount()
	if err != nil {
		return nil, err
	}
	if err := a.options.Webhooks.Verify(a.context, a.origin(), of.ID); err != nil {
		return nil, webhookError(err)
	}
	return a.webhookOf(of.ID), nil
}

func (a *act) deleteWebhook() (any, error) {
	of, err := a.bodyAccount()
	if err != nil {
		return nil, err
	}
	if err := a.fresh(a.request); err != nil {
		return nil, err
	}
	if err := a.options.Webhooks.Delete(a.context, a.origin(), of.ID); err != nil {
		return nil, webhookError(err)
	}
	return done{}, nil
}

// delivery is what became of an event. What was sent is not shown.
type delivery struct {
	N        uint64      `json:"n"`
	Event    string      `json:"event"`
	Happened schema.Time `json:"happened"`
	Outcome  string      `json:"outcome"`
	Attempts uint32      `json:"attempts"`
	Status   uint32      `json:"status"` // of the last answer; 0: there was none
	Millis   uint32      `json:"milliseconds"`
	Tried    schema.Time `json:"tried"` // 0: not yet
	Due      schema.Time `json:"due"`   // of the next attempt; 0: none is planned
}

// deliveriesShown is how many lines of the log there are on a page.
const deliveriesShown = 50

func (s *Server) listDeliveries(r *request) (any, error) {
	of, err := s.askedAccount(r)
	if err != nil {
		return nil, err
	}
	before := uint64(0)
	if text := string(r.QueryArgs().Peek("before")); text != "" {
		if before, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, wrong("before", "It must be the number of an event.")
		}
	}
	entries, err := s.options.Webhooks.Log(r.context, of.ID, before, deliveriesShown)
	if err != nil {
		return nil, err
	}
	list := []delivery{}
	for _, e := range entries {
		list = append(list, delivery{e.N, e.Event.String(), seconds(e.Happened), e.Outcome, e.Attempts, e.Status, e.Millis, seconds(e.At), seconds(e.Due)})
	}
	return list, nil
}
