package operator

import (
	"slices"
	"strconv"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// listTiers lists all tiers, also those that nobody set: they have no limits.
func (s *Server) listTiers(*call) (any, error) {
	list := make([]sheet.Tier, schema.MaxTier+1)
	s.look(func(m core.View) {
		for i := range list {
			list[i] = tierIn(m, uint8(i))
		}
	})
	return list, nil
}

func tierIn(m core.View, number uint8) sheet.Tier {
	set := m.Tiers().All()
	if at := slices.IndexFunc(set, func(t schema.Tier) bool { return t.Number == number }); at >= 0 {
		return sheet.TierOf(&set[at])
	}
	return sheet.TierOf(&schema.Tier{Number: number})
}

// setTier replaces the limits of the tier in the path.
func (s *Server) setTier(c *call) (any, error) {
	number, err := strconv.ParseUint(c.PathValue("tier"), 10, 8)
	if err != nil || number > schema.MaxTier {
		return nil, missing("tier", c.PathValue("tier"))
	}
	settings := sheet.Tier{Tier: uint8(number)}
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if settings.Tier != uint8(number) {
		return nil, &Error{Status: 422, Field: "tier", Message: "the tier in the path is another one"}
	}
	if _, err := s.do(c, settings.Command()); err != nil {
		return nil, err
	}
	var now sheet.Tier
	s.look(func(m core.View) { now = tierIn(m, uint8(number)) })
	return now, nil
}
