package directory

import "bourse/internal/schema"

// users are the people who sign in, and what they are found by.
type users struct {
	byID      map[schema.UserID]*schema.User
	byAccount map[schema.AccountID]*schema.User
	byLogin   map[schema.Digest]*schema.User
	byPasskey map[string]*schema.User
}

func newUsers() users {
	return users{
		map[schema.UserID]*schema.User{}, map[schema.AccountID]*schema.User{}, map[schema.Digest]*schema.User{}, map[string]*schema.User{},
	}
}

// set puts a user in, in the place of what was known of him.
func (s *users) set(u *schema.User) {
	if old := s.byID[u.ID]; old != nil {
		delete(s.byLogin, old.Login)
		for i := range old.Passkeys {
			delete(s.byPasskey, string(old.Passkeys[i].ID))
		}
	}
	s.byID[u.ID], s.byAccount[u.Account] = u, u
	if !u.Login.IsZero() { // the account was not deleted
		s.byLogin[u.Login] = u
	}
	for i := range u.Passkeys {
		s.byPasskey[string(u.Passkeys[i].ID)] = u
	}
}

// Session is the session with a public part, or nil. API keys are not found here, and sessions not among API keys: each door knows its own.
func (d *Directory) Session(public string) *Key {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.sessions[public]
}

// User is the user with an id, or nil.
func (d *Directory) User(id schema.UserID) *schema.User {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.users.byID[id]
}

// UserOf is the user of an account, or nil.
func (d *Directory) UserOf(id schema.AccountID) *schema.User {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.users.byAccount[id]
}

// UserByLogin is the user whose login has a digest, or nil.
func (d *Directory) UserByLogin(login schema.Digest) *schema.User {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.users.byLogin[login]
}

// UserByPasskey is the user who has the passkey with an id, or nil.
func (d *Directory) UserByPasskey(id []byte) *schema.User {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.users.byPasskey[string(id)]
}
