package web

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

// noticesShown is how many notices the page has.
const noticesShown = 50

// notice is something that ended, as its owner sees it.
type notice struct {
	At      schema.Time `json:"at"` // in seconds
	What    string      `json:"what"`
	Because string      `json:"because"`
}

type notices struct {
	Notices []notice `json:"notices"`
}

func (s *Server) listNotices(r *request) (any, error) {
	all, err := s.api.Notices(r.context, r.session.Account, noticesShown)
	if err != nil {
		return nil, err
	}
	list := []notice{}
	for i := range all {
		n := &all[i]
		list = append(list, notice{seconds(n.At), s.what(n), because(n)})
	}
	return notices{list}, nil
}

// what says what a notice is about.
func (s *Server) what(n *api.Notice) string {
	title := n.Title
	if p := s.api.Directory().Partner(n.Partner); p != nil {
		title = p.Title
	}
	switch n.Ending {
	case api.SessionEnded:
		return "the session on " + title + " ended"
	case api.KeyIdle:
		return "the API key " + title + " was switched off"
	case api.AccessEnded:
		return "the access of " + title + " ended"
	}
	return "the API key " + title + " ended"
}

// causes are why something ended, by the command that ended it, where that does not depend on what it was.
var causes = map[schema.Kind]string{
	new(schema.SignIn).Kind():           "twenty others began after it",
	new(schema.StepUp).Kind():           "five wrong codes were given in it",
	new(schema.SetFactor).Kind():        "a factor was changed",
	new(schema.Enrol).Kind():            "an invitation was accepted",
	new(schema.SetAccount).Kind():       "the account was blocked",
	new(schema.DeleteSub).Kind():        "the account was deleted",
	new(schema.CloseKey).Kind():         "it was deleted",
	new(schema.DeleteKey).Kind():        "operators deleted it",
	new(schema.ResetKey).Kind():         "it was reset, and has another pair now",
	new(schema.AuthorizePartner).Kind(): "the program was let in again",
	new(schema.RefreshGrant).Kind():     "a token of the program came twice",
}

// because says why something ended.
func because(n *api.Notice) string {
	if why := causes[n.Cause]; why != "" {
		return why
	}
	switch n.Cause {
	case new(schema.Tick).Kind():
		if n.Ending == api.KeyIdle {
			return "nobody used it for 14 days"
		}
		return "nobody used it for a day, or 30 days were over"
	case new(schema.SignOut).Kind():
		if n.Operated {
			return "operators ended all sessions"
		}
		return "somebody signed it out"
	case new(schema.RevokePartner).Kind():
		switch {
		case n.Operated:
			return "operators ended it"
		case n.Signed:
			return "somebody who is signed in ended it"
		}
		return "the program ended it"
	case new(schema.RedeemGrant).Kind():
		if n.Ending == api.KeyEnded {
			return "the program got another one, or sent a code twice"
		}
		return "the program sent a code twice, or a wrong proof with it"
	}
	return "the exchange ended it"
}
