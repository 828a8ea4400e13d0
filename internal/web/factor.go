package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// change changes a factor of the user of a session, who goes on under another id.
func (s *Server) change(r *request, what schema.FactorChange, f schema.Factors) (any, error) {
	u := s.user(r)
	if u == nil {
		return nil, errNotFound
	}
	cookie := login.Random()
	_, err := s.api.Identify(r.context, &schema.SetFactor{Key: r.session.ID, Generation: u.Generation, Change: what, Factors: f, Session: login.Hash(cookie)})
	if err != nil {
		return nil, err
	}
	return s.welcome(r, cookie, s.api.Directory().User(u.ID))
}

// fresh refuses early, before a password is hashed or the log is asked, what the core would refuse for want of a fresh factor.
func (s *Server) fresh(r *request) error {
	if r.session.User != 0 && s.api.Now() >= r.session.AuthAt+api.FactorLife {
		return api.ErrStepUp
	}
	return nil
}

func (s *Server) setPassword(r *request) (any, error) {
	var q struct {
		Password string `json:"password"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	if err := s.fresh(r); err != nil {
		return nil, err
	}
	sealed, err := s.hash(r, q.Password)
	if err != nil {
		return nil, err
	}
	return s.change(r, schema.ChangePassword, schema.Factors{Password: sealed})
}

// who is what an offer of a seed to a user is good for: until the next change of factors.
func who(u *schema.User) string { return fmt.Sprintf("user %d %d", u.ID, u.Generation) }

func (s *Server) offerTOTP(r *request) (any, error) {
	u := s.user(r)
	if u == nil {
		return nil, errNotFound
	}
	return s.makeOffer(login.OpenName(s.api.Key(), u.Name), who(u))
}

func (s *Server) setTOTP(r *request) (any, error) {
	var q struct {
		Ticket string `json:"ticket"`
		Code   string `json:"code"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	u := s.user(r)
	if u == nil {
		return nil, errNotFound
	}
	if err := s.fresh(r); err != nil {
		return nil, err
	}
	seed, step, err := s.accepted(q.Ticket, q.Code, who(u))
	if err != nil {
		return nil, err
	}
	return s.change(r, schema.ChangeTOTP, schema.Factors{TOTP: login.SealSeed(s.api.Key(), seed), Step: step})
}

func (s *Server) removeTOTP(r *request) (any, error) {
	return s.change(r, schema.RemoveTOTP, schema.Factors{})
}

func (s *Server) addPasskey(r *request) (any, error) {
	var q struct {
		Passkey json.RawMessage `json:"passkey"`
		Title   string          `json:"title"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	u := s.user(r)
	if u == nil {
		return nil, errNotFound
	}
	made, err := s.madePasskey(r, addPurpose, s.personOf(u.Account, login.OpenName(s.api.Key(), u.Name), u), q.Passkey, q.Title)
	if err != nil {
		return nil, err
	}
	return s.change(r, schema.AddPasskey, schema.Factors{Passkeys: []schema.Passkey{made}})
}

func (s *Server) removePasskey(r *request) (any, error) {
	var q struct {
		ID string `json:"id"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	id, err := base64.RawURLEncoding.DecodeString(q.ID)
	if err != nil || len(id) == 0 {
		return nil, wrong("id", "There is no such passkey.")
	}
	return s.change(r, schema.RemovePasskey, schema.Factors{Passkeys: []schema.Passkey{{ID: id}}})
}
