package operator

import (
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// addressVerdict is what checks of an address end with.
type addressVerdict struct {
	Address     string `json:"address"`
	Fails       bool   `json:"fails"`
	Risk        string `json:"risk"` // low, medium or high; "" if checks fail or nothing is said
	Description string `json:"description"`
}

func verdictOf(v *schema.AddressVerdict) addressVerdict {
	shown := addressVerdict{Address: v.Address, Fails: v.Fails, Description: v.Description}
	if v.Risk != 0 {
		shown.Risk = v.Risk.String()
	}
	return shown
}

func (s *Server) listVerdicts(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []addressVerdict{}
	s.look(func(m core.View) {
		for _, v := range window(m.Verdicts(), limit, offset) {
			list = append(list, verdictOf(&v))
		}
	})
	return list, nil
}

// setVerdict says what checks of the address in the path end with.
func (s *Server) setVerdict(c *call) (any, error) {
	asked := addressVerdict{Address: c.PathValue("address")}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	if asked.Address != c.PathValue("address") {
		return nil, &Error{Status: 422, Field: "address", Message: "the address in the path is another one"}
	}
	command := schema.SetVerdict{Verdict: schema.AddressVerdict{Address: asked.Address, Fails: asked.Fails, Description: asked.Description}}
	if !asked.Fails || asked.Risk != "" {
		var err error
		if command.Verdict.Risk, err = sheet.ParseRisk(asked.Risk); err != nil {
			return nil, &Error{Status: 422, Field: "risk", Message: err.Error()}
		}
	}
	if _, err := s.do(c, &command); err != nil {
		return nil, err
	}
	return verdictOf(&command.Verdict), nil
}

// clearVerdict lets the address in the path be as harmless as any.
func (s *Server) clearVerdict(c *call) (any, error) {
	none := schema.AddressVerdict{Address: c.PathValue("address")}
	_, err := s.do(c, &schema.SetVerdict{Verdict: none})
	return verdictOf(&none), err
}
