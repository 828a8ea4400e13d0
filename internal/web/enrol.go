package web

import (
	"encoding/json"
	"net/http"

	"bourse/internal/api"
	"bourse/internal/attempt"
	"bourse/internal/login"
	"bourse/internal/schema"
)

var errInvitation = &api.Error{Status: http.StatusNotFound, Message: "This invitation was used, replaced by a newer one, or is over. Ask for another."}

// invited is the invitation that a token is of. Who tries many that are none is stopped.
func (s *Server) invited(r *request, token string) (schema.Invitation, error) {
	at := attempt.Customer(r.address)
	if s.invitations.Over(byInvitations, at) {
		return schema.Invitation{}, errTooMany
	}
	link, open := s.api.Invitation(login.Hash(token))
	if !open {
		s.invitations.Add(byInvitations, at)
		return link, errInvitation
	}
	return link, nil
}

// shownInvitation is what a person sees before becoming a user.
type shownInvitation struct {
	Account  string      `json:"account"`
	Login    string      `json:"login"`
	Expires  schema.Time `json:"expires"`
	TOTP     *offer      `json:"totp"`
	Passkeys bool        `json:"passkeys"`
}

func (s *Server) showInvitation(r *request) (any, error) {
	var q struct {
		Token string `json:"token"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	link, err := s.invited(r, q.Token)
	if err != nil {
		return nil, err
	}
	name := login.OpenName(s.api.Key(), link.Name)
	offered, err := s.makeOffer(name, q.Token)
	if err != nil {
		return nil, err
	}
	return shownInvitation{s.api.Directory().Account(link.Account).Name, name, seconds(link.Expires), offered, r.site.passkeys()}, nil
}

// enrol makes the user of an invitation, by a password with an authenticator or by a passkey, and signs in.
func (s *Server) enrol(r *request) (any, error) {
	var q struct {
		Token    string          `json:"token"`
		Password string          `json:"password"`
		Ticket   string          `json:"ticket"`
		Code     string          `json:"code"`
		Passkey  json.RawMessage `json:"passkey"`
		Title    string          `json:"title"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	link, err := s.invited(r, q.Token)
	if err != nil {
		return nil, err
	}
	cookie := login.Random()
	command := &schema.Enrol{Digest: link.Digest, Session: login.Hash(cookie), Device: r.device()}
	if len(q.Passkey) > 0 {
		made, err := s.madePasskey(r, enrolPurpose, s.personOf(link.Account, login.OpenName(s.api.Key(), link.Name), nil), q.Passkey, q.Title)
		if err != nil {
			return nil, err
		}
		command.Factors.Passkeys = []schema.Passkey{made}
	} else {
		seed, step, err := s.accepted(q.Ticket, q.Code, q.Token)
		if err != nil {
			return nil, err
		}
		if command.Factors.Password, err = s.hash(r, q.Password); err != nil {
			return nil, err
		}
		command.Factors.TOTP, command.Factors.Step = login.SealSeed(s.api.Key(), seed), step
	}
	if _, err := s.api.Identify(r.context, command); err != nil {
		return nil, err
	}
	return s.welcome(r, cookie, s.api.Directory().UserOf(link.Account))
}

// hash is the sealed hash of a new password. It waits for its turn, as one that is tried does.
func (s *Server) hash(r *request, password string) ([]byte, error) {
	if err := login.CheckPassword(password); err != nil {
		return nil, wrong("password", "A password has 12 to 128 bytes.")
	}
	leave, err := s.hasher.enter(r.address, true)
	if err != nil {
		return nil, err
	}
	defer leave()
	sealed, err := login.SealPassword(r.context, s.api.Key(), s.options.Hash, password)
	if err != nil {
		return nil, s.cannotHash(err)
	}
	return sealed, nil
}
