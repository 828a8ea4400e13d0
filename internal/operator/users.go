package operator

import (
	"slices"
	"time"

	"bourse/internal/core"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// invitation is a link by which a person becomes the user of an account. It is shown once.
type invitation struct {
	Account string    `json:"account"`
	Login   string    `json:"login"`
	Link    string    `json:"link"`
	Expires time.Time `json:"expires"`
}

// askedInvitation is an invitation that is to be made.
type askedInvitation struct {
	Login string `json:"login"` // without one: the name of the account
}

// invite makes a link for the account in the path. For an account that has a user it is the way back in.
func (s *Server) invite(c *call) (any, error) {
	var asked askedInvitation
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	if asked.Login == "" {
		asked.Login = a.Name
	}
	if err := login.Check(asked.Login); err != nil {
		return nil, &Error{Status: 422, Field: "login", Message: err.Error()}
	}
	key, token := s.options.Node.Key(), login.Random()
	command := &schema.Invite{Account: a.ID, Digest: login.Hash(token), Login: login.Digest(key, asked.Login), Name: login.SealName(key, asked.Login)}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	made := invitation{Account: a.Name, Login: asked.Login, Link: s.options.PublicURL + login.Welcome + token}
	s.look(func(m core.View) { made.Expires = moment(m.Identity().Invited(a.ID, m.Time())) })
	return made, nil
}

// user is a person who signs in, as operators see him.
type user struct {
	ID       schema.UserID `json:"id"`
	Account  string        `json:"account"`
	Login    string        `json:"login"`
	Password bool          `json:"password"`
	TOTP     bool          `json:"totp"`
	Passkeys int           `json:"passkeys"`
	Sessions int           `json:"sessions"`
	Locked   *time.Time    `json:"locked_until"` // sign-in by password from unknown devices; null: it is not
	Created  time.Time     `json:"created"`
}

// living are the users of accounts that were not deleted. Of others only the number is left.
func living(m core.View) []*schema.User {
	return slices.DeleteFunc(slices.Clone(m.Identity().Users()), func(u *schema.User) bool { return m.Accounts().Get(u.Account).Status == schema.SubDeleted })
}

func (s *Server) listUsers(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []user{}
	s.look(func(m core.View) {
		for _, u := range window(living(m), limit, offset) {
			shown := user{
				u.ID, nameOf(m, u.Account), login.OpenName(s.options.Node.Key(), u.Name), len(u.Password) > 0, len(u.TOTP) > 0, len(u.Passkeys),
				len(m.Accounts().Sessions(u.Account)), nil, moment(u.Created),
			}
			if u.LockedUntil > m.Time() {
				until := moment(u.LockedUntil)
				shown.Locked = &until
			}
			list = append(list, shown)
		}
	})
	return list, nil
}

// session is one of a user, or of the button of a demo.
type session struct {
	ID       schema.KeyID `json:"id"`
	Device   string       `json:"device"`
	Created  time.Time    `json:"created"`
	LastUsed time.Time    `json:"last_used"` // within ten minutes
	Expires  time.Time    `json:"expires"`
}

func (s *Server) listSessions(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	list := []session{}
	s.look(func(m core.View) {
		for _, id := range m.Accounts().Sessions(a.ID) {
			k := m.Accounts().Session(id)
			list = append(list, session{id, k.Title, moment(k.Created), moment(m.Identity().LastUsed(id)), moment(k.Expires)})
		}
	})
	return list, nil
}

// endSessions signs everyone out of the account in the path.
func (s *Server) endSessions(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	if _, err := s.do(c, &schema.SignOut{Account: a.ID}); err != nil {
		return nil, err
	}
	return []session{}, nil
}
