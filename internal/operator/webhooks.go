package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

// hook is a webhook as operators see it.
type hook struct {
	Account   string     `json:"account"`
	URL       string     `json:"url"`
	Key       string     `json:"key"`
	Events    []string   `json:"events"`
	On        bool       `json:"on"`
	Verified  bool       `json:"verified"`
	Active    bool       `json:"active"`
	Paused    bool       `json:"paused"`
	Checked   *time.Time `json:"checked"`
	Announced uint64     `json:"announced"`
	Waiting   int        `json:"waiting"`
}

// newHook is a webhook with its secret, which is shown once: empty if there is no new one.
type newHook struct {
	hook
	Secret string `json:"secret"`
}

// askedHook is what is to be set. What is not named stays.
type askedHook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	On     bool     `json:"on"`
	Rotate bool     `json:"rotate"` // a new key and a new secret
	Key    string   `json:"key"`
	Secret string   `json:"secret"`
}

type (
	// nothing is a body without members.
	nothing struct{}
	pausing struct {
		Paused bool `json:"paused"`
	}
	resending struct {
		Event uint64 `json:"event"`
	}
)

// deliveryEntry is a line of the log of deliveries.
type deliveryEntry struct {
	Event    uint64     `json:"event"`
	Type     string     `json:"type"`
	Time     time.Time  `json:"time"`
	Outcome  string     `json:"outcome"`
	Attempts uint32     `json:"attempts"`
	Status   uint32     `json:"status"`
	Millis   uint32     `json:"milliseconds"`
	Tried    *time.Time `json:"tried"`
	Due      *time.Time `json:"due"`
}

// momentOrNull is nil for the moment 0.
func momentOrNull(t schema.Time) *time.Time {
	if t == 0 {
		return nil
	}
	at := moment(t)
	return &at
}

func (s *Server) hookOf(m core.View, w *schema.Webhook) hook {
	events := []string{}
	for _, e := range w.Events.List() {
		events = append(events, e.String())
	}
	return hook{
		m.Accounts().Get(w.Account).Name, w.URL, w.Key, events, w.On, w.Verified != "", w.Active(), w.Paused, momentOrNull(w.Checked), w.Count,
		s.options.Webhooks.Waiting(w.Account),
	}
}

func (s *Server) listWebhooks(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	account := c.FormValue("account")
	list := []hook{}
	s.look(func(m core.View) {
		for _, w := range m.Webhooks().All() {
			if account == "" || account == m.Accounts().Get(w.Account).Name {
				list = append(list, s.hookOf(m, &w))
			}
		}
	})
	return window(list, limit, offset), nil
}

// shown is the webhook of an account as it is now.
func (s *Server) shown(id schema.AccountID) (now hook, err error) {
	there := false
	s.look(func(m core.View) {
		var w schema.Webhook
		if w, there = m.Webhooks().Get(id); there {
			now = s.hookOf(m, &w)
		}
	})
	if !there {
		return now, &Error{Status: http.StatusNotFound, Message: webhook.ErrNone.Error()}
	}
	return now, nil
}

func (s *Server) setWebhook(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	asked := askedHook{On: true, Events: eventNames(schema.AllWebhookEvents)}
	if old, _, there := s.options.Webhooks.Get(a.ID); there {
		asked = askedHook{URL: old.URL, On: old.On, Events: eventNames(old.Events)}
	}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	settings := webhook.Settings{URL: asked.URL, On: asked.On, Rotate: asked.Rotate, Key: asked.Key, Secret: asked.Secret}
	for _, name := range asked.Events {
		e, known := schema.ParseWebhookEvent(name)
		if !known {
			return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "events", Message: fmt.Sprintf("there is no event %q", name)}
		}
		settings.Events |= 1 << e
	}
	made := newHook{}
	err = s.with(c, func(ctx context.Context, from schema.Origin) (err error) {
		made.Secret, err = s.options.Webhooks.Set(ctx, from, a.ID, settings)
		return err
	})
	if err != nil {
		return nil, err
	}
	made.hook, err = s.shown(a.ID)
	return made, err
}

func eventNames(events schema.WebhookEvents) []string {
	list := []string{}
	for _, e := range events.List() {
		list = append(list, e.String())
	}
	return list
}

// with does something with webhooks in the name of who asks.
func (s *Server) with(c *call, do func(context.Context, schema.Origin) error) error {
	ctx, cancel := context.WithTimeout(c.Context(), commandTimeout)
	defer cancel()
	err := do(ctx, schema.Origin{Operator: c.who})
	refused := (*webhook.Refused)(nil)
	switch {
	case errors.As(err, &refused):
		return refusal(refused.Rejection)
	case errors.Is(err, webhook.ErrURL):
		return &Error{Status: http.StatusUnprocessableEntity, Field: "url", Message: err.Error()}
	case errors.Is(err, webhook.ErrNone), errors.Is(err, webhook.ErrForgotten):
		return &Error{Status: http.StatusNotFound, Message: err.Error()}
	case errors.Is(err, webhook.ErrTooOften):
		return &Error{Status: http.StatusTooManyRequests, Message: err.Error()}
	case errors.Is(err, webhook.ErrUnverified):
		return &Error{Status: http.StatusUnprocessableEntity, Message: err.Error()}
	}
	return err
}

// onWebhook does something with the webhook of the account in the path, and answers with what it is then.
func (s *Server) onWebhook(c *call, do func(context.Context, schema.Origin, schema.AccountID) error) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	err = s.with(c, func(ctx context.Context, from schema.Origin) error { return do(ctx, from, a.ID) })
	if err != nil {
		return nil, err
	}
	return s.shown(a.ID)
}

func (s *Server) verifyWebhook(c *call) (any, error) {
	var asked nothing
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	return s.onWebhook(c, s.options.Webhooks.Verify)
}

func (s *Server) pauseWebhook(c *call) (any, error) {
	asked := pausing{Paused: true}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	return s.onWebhook(c, func(ctx context.Context, from schema.Origin, id schema.AccountID) error {
		return s.options.Webhooks.Pause(ctx, from, id, asked.Paused)
	})
}

func (s *Server) resendWebhook(c *call) (any, error) {
	var asked resending
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	return s.onWebhook(c, func(ctx context.Context, from schema.Origin, id schema.AccountID) error {
		return s.options.Webhooks.Resend(ctx, from, id, asked.Event)
	})
}

func (s *Server) deleteWebhook(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	err = s.with(c, func(ctx context.Context, from schema.Origin) error { return s.options.Webhooks.Delete(ctx, from, a.ID) })
	return deleted{a.Name}, err
}

func (s *Server) listDeliveries(c *call) (any, error) {
	limit, _, err := c.page()
	if err != nil {
		return nil, err
	}
	before, err := c.number("before", 0, 0, 1<<53)
	if err != nil {
		return nil, err
	}
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	entries, err := s.options.Webhooks.Log(c.Context(), a.ID, uint64(before), limit)
	list := []deliveryEntry{}
	for _, e := range entries {
		list = append(list, deliveryEntry{e.N, e.Event.String(), moment(e.Happened), e.Outcome, e.Attempts, e.Status, e.Millis, momentOrNull(e.At), momentOrNull(e.Due)})
	}
	return list, err
}
