package sheet

import "bourse/internal/schema"

// Tier is what accounts of it may send away; see schema.Tier.
type Tier struct {
	Tier  uint8  `json:"tier"`
	Day   Number `json:"day"`   // in 24 hours, in the quote asset of the first market; 0: no limit
	Month Number `json:"month"` // in 30 days; 0: no limit
}

// TierOf is the sheet of a tier.
func TierOf(t *schema.Tier) Tier { return Tier{t.Number, Number{t.Day}, Number{t.Month}} }

// Command sets the tier.
func (s *Tier) Command() *schema.SetTier {
	return &schema.SetTier{Tier: schema.Tier{Number: s.Tier, Day: s.Day.Decimal, Month: s.Month.Decimal}}
}
