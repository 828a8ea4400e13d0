package operator

import (
	"bourse/internal/core"
	"bourse/internal/schema"
)

// platform is what holds for the whole exchange.
type platform struct {
	// Maintenance closes the API to all clients.
	Maintenance bool `json:"maintenance"`
	// StepRule makes prices and amounts be multiples of tick and step.
	StepRule bool `json:"step_rule"`
	// BoundedWork, ExactMoney, ExactNonces, JudgedKeys and TwoOperators are rules that an exchange begun by an earlier version lacks
	// until an operator switches them on, for good.
	BoundedWork  bool `json:"bounded_work"`
	ExactMoney   bool `json:"exact_money"`
	ExactNonces  bool `json:"exact_nonces"`
	JudgedKeys   bool `json:"judged_keys"`
	TwoOperators bool `json:"two_operators"`
	// IdleKeys switches off keys of customers that nobody used for 14 days.
	IdleKeys bool `json:"idle_keys"`
}

func (s *Server) platform() (p platform) {
	s.look(func(m core.View) {
		f := m.Features()
		p = platform{m.InMaintenance(), f.StepRule, f.BoundedWork, f.ExactMoney, f.ExactNonces, f.JudgedKeys, f.TwoOperators, m.Accounts().EndsIdle()}
	})
	return p
}

func (s *Server) showPlatform(*call) (any, error) { return s.platform(), nil }

// changePlatform gives a command for each setting that is named, also where it is so already: what
// an operator decides is recorded. A crash may come between two of them; one who got no answer
// asks again.
func (s *Server) changePlatform(c *call) (any, error) {
	var want struct {
		Maintenance  *bool `json:"maintenance"`
		StepRule     *bool `json:"step_rule"`
		BoundedWork  *bool `json:"bounded_work"`
		ExactMoney   *bool `json:"exact_money"`
		ExactNonces  *bool `json:"exact_nonces"`
		JudgedKeys   *bool `json:"judged_keys"`
		TwoOperators *bool `json:"two_operators"`
		IdleKeys     *bool `json:"idle_keys"`
	}
	if err := c.read(&want); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		feature schema.Feature
		on      *bool
	}{
		{schema.PlatformMaintenance, want.Maintenance},
		{schema.StepRule, want.StepRule},
		{schema.BoundedWork, want.BoundedWork},
		{schema.ExactMoney, want.ExactMoney},
		{schema.ExactNonces, want.ExactNonces},
		{schema.JudgedKeys, want.JudgedKeys},
		{schema.TwoOperators, want.TwoOperators},
		{schema.IdleKeys, want.IdleKeys},
	} {
		if f.on == nil {
			continue
		}
		if _, err := s.do(c, &schema.SetFeature{Feature: f.feature, On: *f.on}); err != nil {
			return nil, err
		}
	}
	return s.platform(), nil
}
