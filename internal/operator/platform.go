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
}

func (s *Server) platform() (p platform) {
	s.look(func(m *core.Machine) { p = platform{m.InMaintenance(), m.StepRule()} })
	return p
}

func (s *Server) showPlatform(*call) (any, error) { return s.platform(), nil }

func (s *Server) changePlatform(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	now := s.platform()
	want := now
	if err := c.read(&want); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		feature   schema.Feature
		now, want bool
	}{
		{schema.PlatformMaintenance, now.Maintenance, want.Maintenance},
		{schema.StepRule, now.StepRule, want.StepRule},
	} {
		if f.now == f.want {
			continue
		}
		if _, err := s.do(c, &schema.SetFeature{Feature: f.feature, On: f.want}); err != nil {
			return nil, err
		}
	}
	return s.platform(), nil
}
