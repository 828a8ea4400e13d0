package mining

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of terms.
const (
	mostUnit     = 32
	feeDecimals  = 4
	mostAccounts = 1000 // mining accounts of a customer
	mostLinks    = 100  // of a mining account
)

// mostWorth is what a block is worth at most, and a day of a mining account.
const mostWorth = 1_000_000

func (p *Pool) set(m *schema.SetPool) schema.Rejection {
	if !p.permits(&m.Terms) {
		return schema.Refuse(schema.PoolInvalid)
	}
	p.terms = m.Terms
	p.termsChanged()
	return schema.Rejection{}
}

// permits reports whether terms can be as they are, and follow those before. What a block is worth stays, and must be whole units of the asset.
func (p *Pool) permits(t *schema.PoolTerms) bool {
	asset := p.listing.Asset(t.Asset)
	switch {
	case asset == nil || !sound(t, int(asset.Precision)) || t.Chain != 0 && asset.NetworkOn(t.Chain) == nil:
		return false
	case p.used && (t.Asset != p.terms.Asset || t.Unit != p.terms.Unit):
		return false
	}
	return p.rate.Decimals() <= int(asset.Precision)
}

// sound reports whether the numbers of terms can be as they are.
func sound(t *schema.PoolTerms, places int) bool {
	return t.Unit <= mostUnit && t.Fee.Sign() >= 0 && t.Fee.Less(fixed.One) && t.Fee.Decimals() <= feeDecimals &&
		t.Least.Sign() > 0 && t.Least.Decimals() <= places &&
		t.Accounts >= 1 && t.Accounts <= mostAccounts && t.Links >= 1 && t.Links <= mostLinks
}

// setRate sets what a block is worth. One that differs much is an operator's to set: a node that reads it from a chain may be deceived.
func (p *Pool) setRate(m *schema.SetPoolRate) schema.Rejection {
	if p.terms.Asset == 0 {
		return schema.Refuse(schema.PoolOff)
	}
	if !soundRate(m.Rate, int(p.listing.Asset(p.terms.Asset).Precision)) {
		return schema.Refuse(schema.PoolRateInvalid)
	}
	if step := m.Rate.Sub(p.rate).Abs(); p.out.Operator == "" && step.Add(step).Cmp(p.rate) > 0 {
		return schema.Refuse(schema.PoolRateJumps)
	}
	p.rate = m.Rate
	p.termsChanged()
	return schema.Rejection{}
}

// soundRate reports whether a block can be worth so much.
func soundRate(rate fixed.Decimal, places int) bool {
	return rate.Sign() > 0 && rate.Decimals() <= places && rate.Cmp(fixed.FromInt(mostWorth)) <= 0
}

func (p *Pool) termsChanged() {
	p.out.Events.Add(&schema.PoolChanged{Terms: p.terms, Rate: p.rate})
}
