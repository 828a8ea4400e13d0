package web

import (
	"encoding/json"
	"net/http"

	"bourse/internal/api"
	"bourse/internal/attempt"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// errWrong says the same whether a name, a password or a code is wrong.
var errWrong = &api.Error{Status: http.StatusUnauthorized, Message: "The login, the password or the code is wrong."}

// signIn begins a session, by a password with a code or by a passkey.
func (s *Server) signIn(r *request) (any, error) {
	var q struct {
		Login    string          `json:"login"`
		Password string          `json:"password"`
		Code     string          `json:"code"`
		Passkey  json.RawMessage `json:"passkey"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	if len(q.Passkey) > 0 {
		return s.signInByPasskey(r, q.Passkey)
	}
	if len(q.Login) > login.MaxName || len(q.Password) > login.MaxPassword {
		return nil, errWrong
	}
	name := login.Digest(s.api.Key(), q.Login)
	u := s.api.Directory().UserByLogin(name)
	if err := s.tryPassword(r, name, u, q.Password); err != nil {
		return nil, err
	}
	proof, err := s.judgeCode(u, q.Code)
	if err != nil { // without a code the answer must not say that the password is right, nor must the count
		s.wrongPassword(r, name, u)
		return nil, err
	}
	device, known := s.knownDevice(r, u)
	if known && s.attempts.Over(byDevice, guess{name: name, device: device}) {
		return nil, errTooMany
	}
	cookie, err := s.begin(r, u, proof, known)
	if err == errWrong && known {
		s.attempts.Add(byDevice, guess{name: name, device: device})
	}
	if err != nil {
		return nil, err
	}
	return s.welcome(r, cookie, s.api.Directory().User(u.ID))
}

// begin begins a session of a user.
func (s *Server) begin(r *request, u *schema.User, p schema.Proof, known bool) (cookie string, err error) {
	cookie = login.Random()
	result, err := s.api.Identify(r.context, &schema.SignIn{
		User: u.ID, Generation: u.Generation, Proof: p, Known: known, Session: login.Hash(cookie), Device: r.device(),
	})
	switch {
	case err != nil:
		return "", err
	case result.Sign != schema.SignedIn:
		return "", errWrong
	}
	return cookie, nil
}

// tryPassword tries a password, if there were not too many wrong ones. A name that nobody has costs as much.
func (s *Server) tryPassword(r *request, name schema.Digest, u *schema.User, password string) error {
	at := attempt.Customer(r.address)
	device, known := s.knownDevice(r, u)
	switch {
	case s.attempts.Over(byAddress, guess{address: at}),
		known && s.attempts.Over(byDevice, guess{name: name, device: device}),
		!known && s.attempts.Over(byNameAndAddress, guess{name: name, address: at}),
		!known && s.attempts.Over(byName, guess{name: name}):
		return errTooMany
	}
	leave, err := s.hasher.enter(r.address, known)
	if err != nil {
		return err
	}
	var sealed []byte
	if u != nil {
		sealed = u.Password
	}
	right, err := login.Matches(r.context, s.api.Key(), s.options.Hash, sealed, password)
	leave()
	switch {
	case err != nil:
		return s.cannotHash(err)
	case right:
		return nil
	}
	s.wrongPassword(r, name, u)
	return errWrong
}

// wrongPassword counts a wrong password.
func (s *Server) wrongPassword(r *request, name schema.Digest, u *schema.User) {
	at := attempt.Customer(r.address)
	s.attempts.Add(byAddress, guess{address: at})
	if device, known := s.knownDevice(r, u); known {
		s.attempts.Add(byDevice, guess{name: name, device: device})
	} else {
		s.attempts.Add(byNameAndAddress, guess{name: name, address: at})
		s.attempts.Add(byName, guess{name: name})
	}
}

// stepUp proves once more who is there, by a code, by a passkey, or by the password of one who has neither.
func (s *Server) stepUp(r *request) (any, error) {
	var f factor
	if err := r.read(&f); err != nil {
		return nil, err
	}
	if s.user(r) != nil { // of a demo nothing is asked for
		if err := s.proveAgain(r, &f); err != nil {
			return nil, err
		}
	}
	return s.showSession(r)
}

// proveAgain lets the log know that the user of a session gave a factor again. Wrong ones are counted.
func (s *Server) proveAgain(r *request, f *factor) error {
	u := s.user(r)
	of := guess{device: r.cookie}
	if s.attempts.Over(bySession, of) {
		return errTooMany
	}
	proof, err := s.proofAgain(r, u, f)
	if err == nil {
		var result schema.Result
		if result, err = s.api.Identify(r.context, &schema.StepUp{Key: r.session.ID, Generation: u.Generation, Proof: proof}); err == nil && result.Sign != schema.SignedIn {
			err = errWrongCode
		}
	}
	if err != nil {
		if status := api.ErrorOf(err).Status; status == http.StatusUnauthorized || status == http.StatusUnprocessableEntity {
			s.attempts.Add(bySession, of)
		}
		return err
	}
	now := s.api.Directory().Session(publicPart(r.cookie))
	if now == nil {
		return errSession
	}
	r.session = now
	return nil
}

// errWrongCode is what who is signed in sees of a factor that is wrong: it need not be hidden what.
var errWrongCode = wrong("code", "The code is wrong, or was used already.")

func (s *Server) proofAgain(r *request, u *schema.User, f *factor) (schema.Proof, error) {
	switch {
	case len(f.Passkey) > 0:
		found, proof, err := s.provenBy(r, againPurpose, f.Passkey)
		if err == nil && found.ID != u.ID {
			err = errPasskey
		}
		return proof, err
	case u.Protected():
		if len(u.TOTP) == 0 {
			return schema.Proof{}, wrong("passkey", "A passkey is needed.")
		}
		return s.judgeCode(u, f.Code)
	}
	return schema.Proof{Kind: schema.ByPassword}, s.tryPassword(r, u.Login, u, f.Password)
}
