package operator

import (
	"encoding/json"
	"time"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// account is a customer as operators see it.
type account struct {
	ID schema.AccountID `json:"id"`
	sheet.Account
	Created time.Time `json:"created"`
	// Only sub-accounts have the others: the name of the master, and what it calls the sub-account and made of it.
	Parent string `json:"parent,omitempty"`
	Alias  string `json:"alias,omitempty"`
	Status string `json:"status,omitempty"`
}

func accountOf(m core.View, a *schema.Account) account {
	shown := account{ID: a.ID, Account: sheet.AccountOf(a), Created: moment(a.Created)}
	if a.IsSub() {
		shown.Parent, shown.Alias, shown.Status = m.Accounts().Get(a.Parent).Name, a.Alias, a.Status.String()
	}
	return shown
}

// moment is a time as JSON shows it.
func moment(t schema.Time) time.Time { return time.UnixMicro(int64(t)).UTC() }

// customer is the account in the path.
func (s *Server) customer(c *call) (schema.Account, error) {
	return s.accountByName(c.PathValue("account"))
}

func (s *Server) accountByName(name string) (found schema.Account, err error) {
	s.look(func(m core.View) {
		if a := m.Accounts().ByName(name); a != nil {
			found = *a
		}
	})
	if found.ID == 0 {
		return found, missing("account", name)
	}
	return found, nil
}

// owner is the account in the path, which may also be one of the exchange itself, such as insurance.
func (s *Server) owner(c *call) (id schema.AccountID, err error) {
	s.look(func(m core.View) { id, err = archive.AccountByName(m, c.PathValue("account")) })
	if err != nil {
		return 0, &Error{Status: 404, Message: err.Error()}
	}
	return id, nil
}

func (s *Server) listAccounts(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []account{}
	s.look(func(m core.View) {
		for _, a := range window(m.Accounts().All(), limit, offset) {
			list = append(list, accountOf(m, a))
		}
	})
	return list, nil
}

func (s *Server) showAccount(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	var now account
	s.look(func(m core.View) { now = accountOf(m, m.Accounts().Get(a.ID)) })
	return now, nil
}

func (s *Server) openAccount(c *call) (any, error) {
	settings := sheet.Account{Region: schema.Global.String()}
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if err := settings.CheckName(); err != nil {
		return nil, &Error{Status: 422, Field: "name", Message: err.Error()}
	}
	command, err := settings.Command(0)
	if err != nil {
		return nil, invalid(err)
	}
	return s.setAccount(c, command)
}

func (s *Server) changeAccount(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	settings := sheet.AccountOf(&a)
	asked := accountChange{Account: &settings}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	asked.name()
	if err := settings.CheckName(); err != nil && settings.Name != a.Name { // old ones may have any
		return nil, &Error{Status: 422, Field: "name", Message: err.Error()}
	}
	command, err := settings.Command(a.ID)
	if err != nil {
		return nil, invalid(err)
	}
	if s.judged() {
		command.KeepRestriction, command.KeepVerified = !asked.RestrictedUntil.named, asked.Verified == nil
	}
	return s.setAccount(c, command)
}

// accountChange reads a change over the settings of an account. It knows whether those are named that the exchange sets by itself, too: what
// happened to them since somebody looked stays otherwise.
type accountChange struct {
	*sheet.Account
	Verified        *bool `json:"verified"`
	RestrictedUntil until `json:"restricted_until"`
}

// until is a moment or none, if it is named.
type until struct {
	moment *sheet.Moment
	named  bool
}

func (u *until) UnmarshalJSON(text []byte) error {
	u.named = true
	return json.Unmarshal(text, &u.moment)
}

// name puts what is named into the settings.
func (m *accountChange) name() {
	if m.Verified != nil {
		m.Account.Verified = *m.Verified
	}
	if m.RestrictedUntil.named {
		m.Account.RestrictedUntil = m.RestrictedUntil.moment
	}
}

// judged reports whether all nodes are of versions that know what judging keys brought: commands of others must be such as those can read.
func (s *Server) judged() (is bool) {
	s.look(func(m core.View) { is = m.Features().JudgedKeys })
	return is
}

func (s *Server) setAccount(c *call, command *schema.SetAccount) (any, error) {
	made, err := s.do(c, command)
	if err != nil {
		return nil, err
	}
	var now account
	s.look(func(m core.View) { now = accountOf(m, m.Accounts().Get(schema.AccountID(made))) })
	return now, nil
}

// fee is what an account was assigned on a market.
type fee struct {
	Market string `json:"market"`
	sheet.Fee
}

func (s *Server) listFees(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	list := []fee{}
	s.look(func(m core.View) {
		for _, f := range m.Trading().Fees(a.ID) {
			list = append(list, fee{m.Listing().Market(f.Market).Name, sheet.FeeOf(&f)})
		}
	})
	return list, nil
}

func (s *Server) setFee(c *call) (any, error) {
	var settings sheet.Fee
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	return s.assign(c, settings)
}

func (s *Server) clearFee(c *call) (any, error) { return s.assign(c, sheet.Fee{}) }

func (s *Server) assign(c *call, f sheet.Fee) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	market, err := s.market(c)
	if err != nil {
		return nil, err
	}
	_, err = s.do(c, f.Command(a.ID, market.ID))
	return fee{market.Name, f}, err
}
