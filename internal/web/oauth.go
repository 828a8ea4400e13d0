package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/oauth"
	"bourse/internal/schema"
)

// ticketLife is how long a request of a client that was shown can be approved.
const ticketLife = 10 * 60 * schema.Second

const ticketPurpose = "oauth ticket"

// ticket is the request of a client that was shown in a session, at a moment. It is sealed and with the page: nothing is kept here, so that
// the requests in two tabs do not mix.
type ticket struct {
	Query   string       `json:"query"`
	Session schema.KeyID `json:"session"`
	Shown   schema.Time  `json:"shown"`
	// Factor is when the last factor of the session was given, by the clock of the log: one that allows the request is a later one. The clocks
	// of two machines are not compared for that.
	Factor schema.Time `json:"factor"`
}

var (
	errTicket    = &api.Error{Status: http.StatusConflict, Message: "This took too long, or somebody else signed in meanwhile. Please reload the page."}
	errConfirmed = wrong("confirmed", "Say that this program may move money out of your account.")
)

// shownRequest is what a person sees of the request of a client.
type shownRequest struct {
	Title     string   `json:"title"`
	Host      string   `json:"host"` // to which the person is sent back
	Account   string   `json:"account"`
	Scopes    []string `json:"scopes"`
	Addresses []string `json:"addresses"`
	// Issues says that a key is issued, and Groups what it can be allowed; all is off at first. Exits are the groups by which money can leave.
	Issues bool           `json:"issues"`
	Groups []api.KeyGroup `json:"groups"`
	Exits  []string       `json:"exits"`
	// Life is how long the program may come back with what it gets, in seconds.
	Life   int64  `json:"life"`
	Ticket string `json:"ticket"`
	// Problem is why the request cannot be approved: the person can only go back.
	Problem string `json:"problem,omitempty"`
}

// How long what is approved is good for at the longest, in seconds: the token for a key, and that for data with all its refreshes.
const (
	keyTokenLife  = 4 * 3600
	dataTokenLife = 30 * 24 * 3600
)

// exits are the groups of endpoints by which money leaves: they take one more tick.
var exits = []string{string(schema.GroupWithdraw), string(schema.GroupCodes)}

// asked reads the query of a client, or says why nobody can be sent back.
func (s *Server) asked(query string) (*oauth.Request, error) {
	r, err := oauth.Read(s.api.Directory(), strings.TrimPrefix(query, "?"))
	var unusable *oauth.Unusable
	if errors.As(err, &unusable) {
		return nil, &api.Error{Status: http.StatusBadRequest, Message: unusable.Message}
	}
	return r, err
}

// mayApprove refuses early what the core would refuse whatever is ticked.
func (s *Server) mayApprove(r *request, q *oauth.Request) error {
	account, user := s.account(r), s.user(r)
	switch {
	case account.IsSub():
		return api.Refusal(schema.Refuse(schema.SubNotPermitted))
	case user == nil || !user.Protected():
		return api.Refusal(schema.Refuse(schema.FactorMissing))
	case q.Partner.Issues() && !account.Verified:
		return api.Refusal(schema.Refuse(schema.NotVerified))
	}
	if key, there := s.api.Issued(account.ID, q.Partner.ID); there && key.SecretTaken && q.Partner.Issues() {
		return api.Refusal(schema.Refuse(schema.PartnerKeyExists))
	}
	return nil
}

// showRequest is what a client asks for, and a ticket for the answer.
func (s *Server) showRequest(r *request) (any, error) {
	var body struct {
		Query string `json:"query"`
	}
	if err := r.read(&body); err != nil {
		return nil, err
	}
	q, err := s.asked(body.Query)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(ticket{body.Query, r.session.ID, s.api.Now(), r.session.AuthAt})
	if err != nil {
		return nil, err
	}
	p := q.Partner
	shown := shownRequest{
		Title: p.Title, Host: q.Host(), Account: s.account(r).Name, Scopes: p.Scopes, Addresses: p.Addresses, Issues: p.Issues(), Groups: []api.KeyGroup{},
		Exits: exits, Life: dataTokenLife, Ticket: base64.RawURLEncoding.EncodeToString(s.api.Key().Seal(plain, ticketPurpose)), Problem: q.Problem,
	}
	if shown.Issues {
		shown.Groups, shown.Life = oauth.Groups(s.api, nil), keyTokenLife
	}
	if refused := s.mayApprove(r, q); refused != nil && shown.Problem == "" {
		shown.Problem = api.ErrorOf(refused).Message
	}
	return shown, nil
}

// answered is the request that a ticket is of, which must have been shown in this session not long ago.
func (s *Server) answered(r *request, text string) (q *oauth.Request, t ticket, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, t, errTicket
	}
	plain, err := s.api.Key().Open(sealed, ticketPurpose)
	if err != nil {
		return nil, t, errTicket
	}
	if json.Unmarshal(plain, &t) != nil || t.Session != r.session.ID || s.api.Now() >= t.Shown+ticketLife {
		return nil, t, errTicket
	}
	q, err = s.asked(t.Query)
	return q, t, err
}

// location is where a page goes next.
type location struct {
	Location string `json:"location"`
}

// approve lets a client have what it asked for, as far as the person ticked it, by a factor in the very request: none answers two of them.
func (a *act) approve() (any, error) {
	var body struct {
		Ticket    string   `json:"ticket"`
		URLs      []string `json:"urls"`
		Confirmed bool     `json:"confirmed"`
		Factor    factor   `json:"factor"`
	}
	if err := a.read(&body); err != nil {
		return nil, err
	}
	q, t, err := a.answered(a.request, body.Ticket)
	if err != nil {
		return nil, err
	}
	if q.Problem != "" {
		return nil, wrong("request", q.Problem)
	}
	if err := a.mayApprove(a.request, q); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(body.URLs, isExit) && !body.Confirmed {
		return nil, errConfirmed
	}
	if err := a.proven(&body.Factor); err != nil {
		return nil, err
	}
	code := login.Random()
	err = a.submit(&schema.AuthorizePartner{
		Account: a.session.Account, Partner: q.Partner.ID, Code: login.Hash(code), Redirect: q.Redirect, Challenge: q.Challenge, URLs: body.URLs,
		Since: t.Factor + 1,
	})
	return location{q.Back(a.site.origin, "code", code)}, err
}

// deny sends a person back without anything.
func (s *Server) deny(r *request) (any, error) {
	var body struct {
		Ticket string `json:"ticket"`
	}
	if err := r.read(&body); err != nil {
		return nil, err
	}
	q, _, err := s.answered(r, body.Ticket)
	if err != nil {
		return nil, err
	}
	if q.Problem != "" {
		return location{q.Back(r.site.origin, "error", "invalid_request", "error_description", q.Problem)}, nil
	}
	return location{q.Back(r.site.origin, "error", "access_denied")}, nil
}

// shownGrant is a client that has access to the account, as its owner sees it.
type shownGrant struct {
	Client string `json:"client"`
	Title  string `json:"title"`
	// Key says that it has an API key, and Until when its access to data ends, in seconds; 0: it has none.
	Key   bool        `json:"key"`
	URLs  []string    `json:"urls"`
	Until schema.Time `json:"until"`
}

func (s *Server) listGrants(r *request) (any, error) {
	list := []shownGrant{}
	for _, a := range s.api.Accesses(r.session.Account) {
		list = append(list, shownGrant{a.Partner.Client, a.Partner.Title, a.Key != nil, a.URLs(), seconds(a.Until)})
	}
	return list, nil
}

// revokeGrant ends all that the account gave a client.
func (s *Server) revokeGrant(r *request) (any, error) {
	var body struct {
		Client string `json:"client"`
	}
	if err := r.read(&body); err != nil {
		return nil, err
	}
	p := s.api.Directory().PartnerByClient(body.Client)
	if p == nil {
		return nil, errNotFound
	}
	if err := s.api.IdentifyIn(r.context, r.session.ID, &schema.RevokePartner{Account: r.session.Account, Partner: p.ID, Whole: true}); err != nil {
		return nil, err
	}
	return done{}, nil
}
