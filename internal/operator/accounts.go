package operator

import (
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
}

func accountOf(a *schema.Account) account {
	return account{a.ID, sheet.AccountOf(a), moment(a.Created)}
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
			list = append(list, accountOf(a))
		}
	})
	return list, nil
}

func (s *Server) showAccount(c *call) (any, error) {
	a, err := s.customer(c)
	return accountOf(&a), err
}

func (s *Server) openAccount(c *call) (any, error) {
	settings := sheet.Account{Region: schema.Global.String()}
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if err := settings.CheckName(); err != nil {
		return nil, &Error{Status: 422, Field: "name", Message: err.Error()}
	}
	return s.setAccount(c, &settings, 0)
}

func (s *Server) changeAccount(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	settings := sheet.AccountOf(&a)
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if err := settings.CheckName(); err != nil && settings.Name != a.Name { // old ones may have any
		return nil, &Error{Status: 422, Field: "name", Message: err.Error()}
	}
	return s.setAccount(c, &settings, a.ID)
}

func (s *Server) setAccount(c *call, settings *sheet.Account, id schema.AccountID) (any, error) {
	command, err := settings.Command(id)
	if err != nil {
		return nil, invalid(err)
	}
	made, err := s.do(c, command)
	if err != nil {
		return nil, err
	}
	var now account
	s.look(func(m core.View) { now = accountOf(m.Accounts().Get(schema.AccountID(made))) })
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
