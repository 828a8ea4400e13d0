package web

import (
	"net/netip"

	"bourse/internal/schema"
)

// GuessInvitation is a token that is no invitation's, from an address.
func (s *Server) GuessInvitation(address netip.Addr) error {
	_, err := s.invited(&request{address: address}, "no token")
	return err
}

// GuessPassword is a wrong password for a login, and TooManyGuesses says whether there were too many.
func (s *Server) GuessPassword(name schema.Digest) { s.attempts.Add(byName, guess{name: name}) }

func (s *Server) TooManyGuesses(name schema.Digest) bool {
	return s.attempts.Over(byName, guess{name: name})
}
