package schema

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// MaxTier is the highest tier an account can have.
const MaxTier = 9

// Tier bounds the value of what accounts of it may send away: in 24 hours and in 30 days, in the quote asset of the first market.
// 0 does not bind. Accounts that are not verified are in tier 0.
type Tier struct {
	Number uint8
	Day    fixed.Decimal
	Month  fixed.Decimal
}

func (m *Tier) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "number", &m.Number)
	c.Decimal(2, "day", &m.Day)
	c.Decimal(3, "month", &m.Month)
}

// SetTier sets the bounds of a tier.
type SetTier struct{ Tier Tier }

func (*SetTier) Kind() Kind { return 57 }

func (m *SetTier) Fields(c *wire.Coder) { wire.Embed(c, 1, "tier", &m.Tier) }

func (m *SetTier) Subject() Subject { return Subject{Name: fmt.Sprint("tier ", m.Tier.Number)} }

// TierChanged carries a tier after it was set.
type TierChanged struct{ Tier Tier }

func (*TierChanged) event()   {}
func (*TierChanged) setting() {}

func (e *TierChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "tier", &e.Tier) }
