package operator

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"bourse/internal/api/table"
	"bourse/internal/auth"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// key is an API key as operators see it.
type key struct {
	sheet.Key
	Account string    `json:"account"`
	Created time.Time `json:"created"`
}

func keyOf(m core.View, k *schema.Key) key {
	return key{sheet.KeyOf(k), m.Accounts().Get(k.Account).Name, moment(k.Created)}
}

// newKey is a key with its secret, which is shown once.
type newKey struct {
	key
	Secret string `json:"secret"`
}

func (s *Server) listKeys(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	list := []key{}
	s.look(func(m core.View) {
		for _, k := range m.Accounts().Keys() {
			if k.Key.Account == a.ID && !k.Key.Web {
				list = append(list, keyOf(m, &k.Key))
			}
		}
	})
	return list, nil
}

// askedKey is a key that is to be made.
type askedKey struct {
	sheet.Key
	Secret string `json:"secret"`
}

// makeKey makes a key. Without a name and a secret of the operator's choice it makes them up;
// without URLs the key may call everything.
func (s *Server) makeKey(c *call) (any, error) {
	asked := askedKey{Key: sheet.Key{Enabled: true, URLs: []string{schema.AllURLs}}}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	public, secret := auth.NewPair()
	asked.Key.Key, asked.Secret = cmp.Or(asked.Key.Key, public), cmp.Or(asked.Secret, secret)
	if err := checkKey(&asked.Key); err != nil {
		return nil, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := s.findKey(asked.Key.Key); err == nil {
		return nil, &Error{Status: 409, Field: "key", Message: fmt.Sprintf("there is a key %q already", asked.Key.Key)}
	}
	made, err := s.setKey(c, &asked.Key, 0, a.ID, s.options.Node.Key().Seal([]byte(asked.Secret), directory.Purpose))
	return newKey{made, asked.Secret}, err
}

// checkKey puts the paths of groups in their place, and refuses what would be a key that can do less than
// was meant.
func checkKey(k *sheet.Key) error {
	urls, err := table.URLs(k.URLs)
	if err != nil {
		return &Error{Status: 422, Field: "urls", Message: err.Error()}
	}
	k.URLs = urls
	for _, text := range k.Addresses {
		if _, err := netip.ParseAddr(text); err != nil {
			return &Error{Status: 422, Field: "addresses", Message: fmt.Sprintf("%q is not an IP address", text)}
		}
	}
	return nil
}

// findKey is a key by its public part.
func (s *Server) findKey(public string) (found schema.Key, err error) {
	s.look(func(m core.View) {
		if k := m.Accounts().Key(public); k != nil && !k.Web {
			found = *k
		}
	})
	if found.ID == 0 {
		return found, missing("key", public)
	}
	return found, nil
}

func (s *Server) changeKey(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	k, err := s.findKey(c.PathValue("key"))
	if err != nil {
		return nil, err
	}
	settings := sheet.KeyOf(&k)
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if settings.Key != k.Key {
		return nil, &Error{Status: 422, Field: "key", Message: "the key itself cannot be changed; make another one"}
	}
	if err := checkKey(&settings); err != nil {
		return nil, err
	}
	id := k.ID
	if !s.judged() {
		id = 0
	}
	return s.setKey(c, &settings, id, k.Account, k.Sealed)
}

// setKey makes a key (id 0) or changes the one with an id, which may have ended since it was looked at: then nothing happens.
func (s *Server) setKey(c *call, settings *sheet.Key, id schema.KeyID, owner schema.AccountID, sealed []byte) (now key, err error) {
	command := settings.Command(owner, sealed)
	command.Key.ID = id
	if _, err := s.do(c, command); err != nil {
		return now, err
	}
	s.look(func(m core.View) {
		if k := m.Accounts().Key(settings.Key); k != nil {
			now = keyOf(m, k)
		}
	})
	return now, nil
}

// deleted is what is no more.
type deleted struct {
	Deleted string `json:"deleted"`
}

func (s *Server) deleteKey(c *call) (any, error) {
	public := c.PathValue("key")
	if _, err := s.do(c, &schema.DeleteKey{Key: public}); err != nil {
		return nil, err
	}
	return deleted{public}, nil
}
