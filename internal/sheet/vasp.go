package sheet

import (
	"fmt"

	"bourse/internal/schema"
)

// VASP is an exchange, or another service that keeps wallets, that operators know; see schema.VASP.
type VASP struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// VASPOf is the sheet of a VASP.
func VASPOf(v *schema.VASP) VASP { return VASP{v.ID, v.Name} }

// Command makes the VASP known, or changes its name. Without a name the command would forget it.
func (s *VASP) Command() (*schema.SetVASP, error) {
	if s.Name == "" {
		return nil, fmt.Errorf("VASP %s: it has no name", s.ID)
	}
	return &schema.SetVASP{VASP: schema.VASP{ID: s.ID, Name: s.Name}}, nil
}
