package operator

import (
	"fmt"
	"net/http"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
	"bourse/internal/travel"
)

func (s *Server) listVASPs(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []sheet.VASP{}
	s.look(func(m core.View) {
		for _, v := range window(m.Chains().VASPs(), limit, offset) {
			list = append(list, sheet.VASPOf(&v))
		}
	})
	return list, nil
}

// setVASP makes the VASP in the path known, or changes its name.
func (s *Server) setVASP(c *call) (any, error) {
	asked := sheet.VASP{ID: c.PathValue("vasp")}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	if asked.ID != c.PathValue("vasp") {
		return nil, &Error{Status: 422, Field: "id", Message: "the id in the path is another one"}
	}
	command, err := asked.Command()
	if err != nil {
		return nil, &Error{Status: 422, Field: "name", Message: err.Error()}
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return asked, nil
}

// removeVASP forgets the VASP in the path.
func (s *Server) removeVASP(c *call) (any, error) {
	gone := schema.VASP{ID: c.PathValue("vasp")}
	_, err := s.do(c, &schema.SetVASP{VASP: gone})
	return sheet.VASPOf(&gone), err
}

// showOriginator answers with what was said about who sent the deposit in the path.
func (s *Server) showOriginator(c *call) (any, error) {
	return s.people(c, "deposit", func(m core.View, id uint64) ([]byte, bool) {
		sealed := m.Chains().Travel(schema.DepositID(id))
		return sealed, sealed != nil
	})
}

// showBeneficiary answers with what was said about who receives the withdrawal in the path.
func (s *Server) showBeneficiary(c *call) (any, error) {
	return s.people(c, "withdrawal", func(m core.View, id uint64) ([]byte, bool) {
		sealed := m.Chains().TravelOf(schema.WithdrawalID(id))
		return sealed, sealed != nil
	})
}

// people opens what was said about the people behind a payment. Who reads it is in the log of the program: looking leaves no record in that of the exchange.
func (s *Server) people(c *call, what string, find func(core.View, uint64) ([]byte, bool)) (any, error) {
	sealed, err := numbered(s, c, what, find)
	if err != nil {
		return nil, &Error{Status: http.StatusNotFound, Message: fmt.Sprintf("nothing was said about the people behind %s %q", what, c.PathValue(what))}
	}
	data, err := travel.Open(s.options.Node.Key(), sealed)
	if err != nil {
		return nil, err
	}
	s.options.Log.Info("an operator reads who is behind a payment", "operator", c.who, what, c.PathValue(what))
	return data, nil
}
