package web

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// sessionLife is how long a browser keeps the cookie: as long as a session may live.
const sessionLife = 30 * 24 * time.Hour

// shownSession is what a page knows of who looks at it.
type shownSession struct {
	SignedIn bool `json:"signed_in"`
	// Account and Login are who is signed in, CSRF what requests that change something carry, Fresh whether a factor was given within five
	// minutes.
	Account string        `json:"account,omitempty"`
	Login   string        `json:"login,omitempty"`
	CSRF    string        `json:"csrf,omitempty"`
	Fresh   bool          `json:"fresh,omitempty"`
	Expires schema.Time   `json:"expires,omitempty"` // seconds
	Factors *shownFactors `json:"factors,omitempty"`
	// Restricted is until when nothing may leave the account, in seconds.
	Restricted schema.Time `json:"restricted_until,omitempty"`
	// Demo are the accounts that the buttons of a demo sign in to, and Passkeys whether browsers have passkeys here.
	Demo     []string `json:"demo"`
	Passkeys bool     `json:"passkeys"`
}

type shownFactors struct {
	Password bool           `json:"password"`
	TOTP     bool           `json:"totp"`
	Passkeys []shownPasskey `json:"passkeys"`
}

type shownPasskey struct {
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Created schema.Time `json:"created"`
}

// nameOf is what an account is called by who signed in: a sub-account by its alias.
func nameOf(a *schema.Account) string { return cmp.Or(a.Alias, a.Name) }

func seconds(t schema.Time) schema.Time { return t / schema.Second }

func (s *Server) showSession(r *request) (any, error) {
	shown := shownSession{Demo: []string{}, Passkeys: r.site.passkeys()}
	if s.demo(r) {
		shown.Demo = s.options.Demo
	}
	if r.session == nil {
		return shown, nil
	}
	account := s.account(r)
	shown.SignedIn, shown.Account, shown.CSRF, shown.Expires = true, nameOf(account), s.csrf(r.cookie), seconds(r.session.Expires)
	shown.Fresh = s.api.Now() < r.session.AuthAt+api.FactorLife
	if account.RestrictedUntil > s.api.Now() {
		shown.Restricted = seconds(account.RestrictedUntil)
	}
	if u := s.user(r); u != nil {
		shown.Login = login.OpenName(s.api.Key(), u.Name)
		shown.Factors = &shownFactors{Password: len(u.Password) > 0, TOTP: len(u.TOTP) > 0, Passkeys: []shownPasskey{}}
		for _, p := range u.Passkeys {
			shown.Factors.Passkeys = append(shown.Factors.Passkeys, shownPasskey{base64.RawURLEncoding.EncodeToString(p.ID), p.Title, seconds(p.Created)})
		}
	}
	return shown, nil
}

// welcome gives the browser a session that began, and makes the device a known one.
func (s *Server) welcome(r *request, cookie string, u *schema.User) (any, error) {
	r.setCookie(sessionCookie, cookie, sessionLife)
	if u != nil {
		r.setCookie(deviceCookie, s.sealDevice(u), deviceLife)
	}
	r.session, r.cookie = s.api.Directory().Session(publicPart(cookie)), cookie
	if r.session == nil { // it ended meanwhile
		return nil, errSession
	}
	return s.showSession(r)
}

func (s *Server) signOut(r *request) (any, error) {
	err := s.api.IdentifyIn(r.context, r.session.ID, &schema.SignOut{Account: r.session.Account, Key: r.session.ID})
	if err != nil && api.ErrorOf(err).Status != http.StatusUnauthorized { // it is over in any case
		return nil, err
	}
	r.setCookie(sessionCookie, "", 0)
	return done{}, nil
}

// demo reports whether the buttons of a demo may be pressed by who asks.
func (s *Server) demo(r *request) bool {
	return len(s.options.Demo) > 0 && r.site.local && isLoopback(r.LocalAddr())
}

func (s *Server) signInDemo(r *request) (any, error) {
	var q struct {
		Account string `json:"account"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	if !s.demo(r) || !slices.Contains(s.options.Demo, q.Account) {
		return nil, errNotFound
	}
	var account *schema.Account
	if account = s.api.AccountByName(q.Account); account == nil {
		return nil, errNotFound
	}
	cookie := login.Random()
	_, err := s.api.Identify(r.context, &schema.SignIn{
		Account: account.ID, Proof: schema.Proof{Kind: schema.ByDemo}, Session: login.Hash(cookie), Device: r.device(),
	})
	if err != nil {
		return nil, err
	}
	return s.welcome(r, cookie, nil)
}

type listedSession struct {
	ID       schema.KeyID `json:"id"`
	Device   string       `json:"device"`
	Created  schema.Time  `json:"created"`
	LastUsed schema.Time  `json:"last_used"` // within ten minutes
	Expires  schema.Time  `json:"expires"`
	Current  bool         `json:"current"`
}

func (s *Server) listSessions(r *request) (any, error) {
	list := []listedSession{}
	for _, one := range slices.Backward(s.api.Sessions(r.session.Account)) {
		list = append(list, listedSession{
			one.Key.ID, one.Key.Title, seconds(one.Key.Created), seconds(one.LastUsed), seconds(one.Key.Expires), one.Key.ID == r.session.ID,
		})
	}
	return list, nil
}

// endSessions ends a session, or all but the one that asks.
func (s *Server) endSessions(r *request) (any, error) {
	var q struct {
		ID schema.KeyID `json:"id"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	command := &schema.SignOut{Account: r.session.Account, Key: q.ID}
	if q.ID == 0 {
		command.Except = r.session.ID
	}
	if err := s.api.IdentifyIn(r.context, r.session.ID, command); err != nil {
		return nil, err
	}
	return done{}, nil
}

// device is what a session is called: the browser and the system, as far as they say so.
func (r *request) device() string {
	agent := string(r.Request.Header.UserAgent())
	first := func(otherwise string, words ...string) string {
		for i := 0; i < len(words); i += 2 {
			if strings.Contains(agent, words[i]) {
				return words[i+1]
			}
		}
		return otherwise
	}
	browser := first("Browser", "Firefox/", "Firefox", "Edg/", "Edge", "OPR/", "Opera", "Chrome/", "Chrome", "Safari/", "Safari")
	system := first("", "Windows", "Windows", "iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Mac OS", "macOS", "Linux", "Linux")
	if system == "" {
		return browser
	}
	return browser + " on " + system
}

// touched knows when sessions were last said to be in use, so that it is said every ten minutes and not with every request.
type touched struct {
	now func() time.Time

	mu sync.Mutex
	at map[schema.KeyID]time.Time
}

// touchEvery is how often the log hears that a session is in use, and touchedKept bounds what is remembered.
const (
	touchEvery  = 10 * time.Minute
	touchedKept = 1 << 16
)

func newTouched(now func() time.Time) *touched {
	return &touched{now: now, at: map[schema.KeyID]time.Time{}}
}

// due reports whether the log is to hear of a session.
func (t *touched) due(key schema.KeyID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if last, known := t.at[key]; known && now.Before(last.Add(touchEvery)) {
		return false
	}
	if len(t.at) >= touchedKept {
		clear(t.at)
	}
	t.at[key] = now
	return true
}

// touch says that a session is in use. Nobody waits for it: what is lost when the queue is full or the program ends, a later request says.
func (s *Server) touch(r *request) {
	if s.api.Reachable() && s.touched.due(r.session.ID) {
		s.api.TouchSession(r.session)
	}
}
