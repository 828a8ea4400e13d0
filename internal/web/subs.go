package web

import (
	"errors"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// The sub-accounts of who is signed in, and the links by which their users come. A link is shown once, to the master, who gives it to the
// person: the exchange sends no e-mail.

// shownSub is a sub-account as its master sees it.
type shownSub struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"` // as sub-account/list has it
	Email  string `json:"email"`  // masked; "": there is none
	User   bool   `json:"user"`   // somebody signs in to it
	// Invited is until when an invitation is open, in seconds; 0: none is.
	Invited schema.Time `json:"invited"`
	// Invitable says that its master may invite somebody now, and Named that the person signs in by the address of e-mail; otherwise the
	// master says by what.
	Invitable bool `json:"invitable"`
	Named     bool `json:"named"`
}

type shownSubs struct {
	Subs []shownSub `json:"subs"`
}

// listSubs are the sub-accounts of who is signed in, in the order in which they were made. A sub-account has none.
func (s *Server) listSubs(r *request) (any, error) {
	if err := s.admit(r); err != nil {
		return nil, err
	}
	shown := shownSubs{Subs: []shownSub{}}
	for _, sub := range s.api.Directory().Subs(r.session.Account) {
		user := s.api.Directory().UserOf(sub.ID) != nil
		shown.Subs = append(shown.Subs, shownSub{
			ID: sub.External, Name: nameOf(sub), Status: api.SubStatus(sub), Email: s.api.MaskedEmail(sub.Email), User: user, Invited: seconds(s.api.Invited(sub.ID)),
			Invitable: !user && !sub.Blocked && sub.Status != schema.SubBlocked, Named: sub.Email != "",
		})
	}
	return shown, nil
}

// shownLink is an invitation that was made. It is shown once.
type shownLink struct {
	Account string      `json:"account"`
	Name    string      `json:"name"`
	Login   string      `json:"login"`
	Link    string      `json:"link"`
	Expires schema.Time `json:"expires"`
}

var errEmail = errors.New("the e-mail address of a sub-account cannot be opened with this master key")

// invite makes a link by which a new user comes to a sub-account. The core decides whether who asks may.
func (a *act) invite() (any, error) {
	var q struct {
		Account string `json:"account"`
		Login   string `json:"login"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	sub, err := a.whose(a.request, q.Account)
	switch {
	case err != nil:
		return nil, err
	case !sub.IsSub() || sub.Parent != a.session.Account:
		return nil, errNoSub
	}
	if sub.Email != "" {
		var opened bool
		if q.Login, opened = a.api.OpenEmail(sub.Email); !opened {
			return nil, errEmail
		}
	}
	if err := login.Check(q.Login); err != nil {
		return nil, wrong("login", "A login has 1 to 254 bytes, and no spaces or characters that cannot be seen.")
	}
	// Who invites learns whether somebody has a login: that can be asked seldom.
	of := guess{device: a.account(a.request).Name}
	if a.attempts.Over(byMasters, of) {
		return nil, errTooMany
	}
	key, token := a.api.Key(), login.Random()
	err = a.submit(&schema.Invite{Account: sub.ID, Digest: login.Hash(token), Login: login.Digest(key, q.Login), Name: login.SealName(key, q.Login)})
	if err != nil {
		if fields := api.ErrorOf(err).Fields; len(fields) == 1 && fields[0].Field == "login" {
			a.attempts.Add(byMasters, of)
		}
		return nil, err
	}
	return shownLink{sub.External, nameOf(sub), q.Login, a.api.PublicURL() + login.Welcome + token, seconds(a.api.Invited(sub.ID))}, nil
}
