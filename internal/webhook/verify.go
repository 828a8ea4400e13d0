package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

const (
	verifyTime   = 5 * time.Second
	checksHourly = 5           // that an account may ask for
	checkLooks   = time.Minute // how often daily checks that are due are looked for
)

// Where the key of a webhook is looked for, beside a TXT record of its host.
const (
	verificationFile = "/service-verification.txt"
	verificationPath = "/service-verification"
)

// verify reports whether the key stands at one of the three places that only who has the host can write to.
func (s *sender) verify(ctx context.Context, url, key string) bool {
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	scheme, _, _ := strings.Cut(url, "://")
	base := scheme + "://" + schema.WebhookHost(url)
	found := make(chan bool, 3)
	for _, look := range []func() bool{
		func() bool { return s.inRecord(ctx, schema.WebhookHost(url), key) },
		func() bool {
			text, ok := s.fetch(ctx, base+verificationFile)
			return ok && strings.TrimSpace(string(text)) == key
		},
		func() bool {
			text, ok := s.fetch(ctx, base+verificationPath)
			var list []any
			return ok && json.Unmarshal(text, &list) == nil && slices.Contains(list, any(key))
		},
	} {
		go func() { found <- look() }()
	}
	for range cap(found) {
		if <-found {
			return true
		}
	}
	return false
}

func (s *sender) inRecord(ctx context.Context, host, key string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	list, err := s.resolver.LookupTXT(ctx, host+".")
	return err == nil && slices.Contains(list, key)
}

func (s *sender) fetch(ctx context.Context, from string) ([]byte, bool) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, false
	}
	status, text, err := answer(s.check, q)
	return text, err == nil && status == http.StatusOK
}

var (
	// ErrUnverified means that the key was found at none of the three places.
	ErrUnverified = errors.New("the key was not found: put it into a TXT record of the host, into /service-verification.txt, or into the JSON array that /service-verification answers with")
	// ErrTooOften means that an account asked for too many checks within an hour.
	ErrTooOften = errors.New("a host can be checked 5 times an hour; try again later")
	// ErrBusy means that too many hosts are being checked at the moment. It is an ErrTooOften too.
	ErrBusy error = busy{}
	// ErrNone means that the account has no webhook.
	ErrNone = errors.New("the account has no webhook")
)

type busy struct{}

func (busy) Error() string {
	return "many hosts are being checked at the moment; try again in a few seconds"
}
func (busy) Unwrap() error { return ErrTooOften }

// checks look at who has the hosts of webhooks: when customers ask, and every day.
type checks struct {
	h      *Webhooks
	places chan struct{} // for all checks
	daily  chan struct{} // for those that nobody asked for, which leave some to the others

	mu      sync.Mutex
	asked   map[schema.AccountID][]time.Duration // when, in the last hour
	running map[schema.AccountID]bool
	tasks   sync.WaitGroup
}

func (c *checks) begin(h *Webhooks) {
	c.h = h
	most := h.options.bounds.checks
	c.places, c.daily = make(chan struct{}, most), make(chan struct{}, max(1, most*3/4))
	c.asked, c.running = map[schema.AccountID][]time.Duration{}, map[schema.AccountID]bool{}
}

// may counts a check that an account asks for.
func (c *checks) may(account schema.AccountID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.h.options.Clock.Elapsed()
	for a, list := range c.asked {
		if list = slices.DeleteFunc(list, func(at time.Duration) bool { return at+time.Hour <= now }); len(list) == 0 {
			delete(c.asked, a)
		} else {
			c.asked[a] = list
		}
	}
	if len(c.asked[account]) >= checksHourly {
		return false
	}
	c.asked[account] = append(c.asked[account], now)
	return true
}

// run checks hosts again every day, for the shards that this node sends for.
func (c *checks) run(ctx context.Context) {
	defer c.tasks.Wait()
	for {
		for _, w := range c.due() {
			if !c.take(w.Account) {
				continue
			}
			if !enter(ctx, c.daily) || !enter(ctx, c.places) {
				return
			}
			c.tasks.Go(func() {
				defer func() { <-c.places; <-c.daily; c.leave(w.Account) }()
				c.check(ctx, &w)
			})
		}
		if !pause(ctx, c.h.options.Clock, checkLooks) {
			return
		}
	}
}

// due are webhooks whose host was last looked at a day ago.
func (c *checks) due() (list []schema.Webhook) {
	now := c.h.options.Clock.Now()
	c.h.exchange.Read(func(m core.View) {
		for _, w := range m.Webhooks().All() {
			if w.Verified != "" && w.Checked+day <= now {
				list = append(list, w)
			}
		}
	})
	return slices.DeleteFunc(list, func(w schema.Webhook) bool {
		_, mine := c.h.lease.owned(w.Shard())
		return !mine
	})
}

// enter takes a place as soon as there is one, unless the context ends before.
func enter(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// asks makes a check that an account asks for, if there is a place.
func (c *checks) asks(account schema.AccountID, check func() bool) error {
	select {
	case c.places <- struct{}{}:
	default:
		return ErrBusy
	}
	defer func() { <-c.places }()
	switch {
	case !c.may(account):
		return ErrTooOften
	case !check():
		return ErrUnverified
	}
	return nil
}

// take notes that a host is checked, unless it is being checked.
func (c *checks) take(account schema.AccountID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[account] {
		return false
	}
	c.running[account] = true
	return true
}

func (c *checks) leave(account schema.AccountID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, account)
}

func (c *checks) check(ctx context.Context, w *schema.Webhook) {
	if _, mine := c.h.lease.owned(w.Shard()); !mine { // it was lost while there was no place
		return
	}
	found := c.h.sender.verify(ctx, w.URL, w.Key)
	if ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var r schema.Result
	err := c.h.exchange.Submit(ctx, &schema.VerifyWebhook{Account: w.Account, Host: w.Host(), Key: w.Key, Failed: !found}, &r)
	if err != nil {
		c.h.options.Log.Warn("a daily check of a host could not be noted; it is made again", "problem", err)
	}
}
