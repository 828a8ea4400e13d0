package proposal

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// concerned are the kinds of commands that can take two operators.
var concerned = func() (kinds [1 << 8]bool) {
	for _, c := range []schema.Command{&schema.SetAsset{}, &schema.SetChain{}, &schema.SetTier{}, &schema.Deposit{}, &schema.DecideDeposit{}, &schema.ForgiveOwed{}} {
		kinds[c.Kind()] = true
	}
	return kinds
}()

// Concerns reports whether commands of a kind can take two operators.
func Concerns(kind schema.Kind) bool { return concerned[kind] }

// setting reports whether a command waits for its time once it is approved.
func setting(c schema.Command) bool {
	switch c.(type) {
	case *schema.SetAsset, *schema.SetChain, *schema.SetTier:
		return true
	}
	return false
}

// guarded reports whether a command takes two operators.
func (p *Proposals) guarded(c schema.Command) bool {
	switch c := c.(type) {
	case *schema.SetAsset:
		return p.loosensAsset(&c.Asset)
	case *schema.SetChain:
		old := p.chains.ByName(c.Chain.Name)
		return old != nil && p.chains.Guarded(old.ID) && old.FeeRateMax != 0 && (c.Chain.FeeRateMax == 0 || c.Chain.FeeRateMax > old.FeeRateMax)
	case *schema.SetTier:
		old := p.tiers.Get(c.Tier.Number)
		return (rises(old.Day, c.Tier.Day) || rises(old.Month, c.Tier.Month)) && p.anyGuarded()
	case *schema.Deposit:
		asset := p.listing.Asset(c.Asset)
		return asset != nil && p.bringsMuch(asset, c.Amount)
	case *schema.DecideDeposit:
		return c.Decision == schema.CreditDeposit && p.creditsMuch(c.Deposit)
	case *schema.ForgiveOwed:
		asset := p.listing.Asset(c.Asset)
		return asset != nil && p.offered(asset)
	}
	return false
}

// rises reports whether a bound, of which zero is none, lets more through than before.
func rises(was, is fixed.Decimal) bool { return !was.IsZero() && (is.IsZero() || was.Less(is)) }

// loosensAsset reports whether what an asset becomes lets more money of guarded chains go than what it is.
func (p *Proposals) loosensAsset(next *schema.Asset) bool {
	old := p.listing.AssetByTicker(next.Ticker)
	if old == nil {
		return false
	}
	for i := range next.Networks {
		n := &next.Networks[i]
		if p.chains.Guarded(n.Chain) && loosens(old.NetworkOn(n.Chain), n) {
			return true
		}
	}
	return rises(old.MaxWithdraw, next.MaxWithdraw) && (p.offered(old) || p.offered(next))
}

// loosens reports whether what a network becomes lets more money go than what it was, or is another one.
func loosens(was, is *schema.Network) bool {
	return was == nil || is.Contract != was.Contract || is.Decimals != was.Decimals ||
		is.Confirmations < was.Confirmations || is.ConfirmationsForTrading < was.ConfirmationsForTrading ||
		rises(was.MaxWithdraw, is.MaxWithdraw) || rises(was.HeldCap, is.HeldCap) ||
		rises(was.ApproveAbove, is.ApproveAbove) || rises(was.Approve2Above, is.Approve2Above) ||
		rises(was.HourCap, is.HourCap) || rises(was.HotCap, is.HotCap)
}

// offered reports whether an asset has a network on a guarded chain.
func (p *Proposals) offered(a *schema.Asset) bool {
	return slices.ContainsFunc(a.Networks, func(n schema.Network) bool { return p.chains.Guarded(n.Chain) })
}

func (p *Proposals) anyGuarded() bool {
	return slices.ContainsFunc(p.chains.All(), func(c schema.Chain) bool { return p.chains.Guarded(c.ID) })
}

// bringsMuch reports whether an amount of an asset is more than a customer may withdraw by one of its guarded chains without approval.
func (p *Proposals) bringsMuch(a *schema.Asset, amount fixed.Decimal) bool {
	return slices.ContainsFunc(a.Networks, func(n schema.Network) bool { return p.chains.Guarded(n.Chain) && above(amount, n.ApproveAbove) })
}

// creditsMuch reports whether a deposit came by a guarded chain, and is more than a customer may withdraw by it without approval.
func (p *Proposals) creditsMuch(id schema.DepositID) bool {
	d, known := p.chains.Deposit(id)
	if !known || !p.chains.Guarded(d.Chain) {
		return false
	}
	n := p.listing.Asset(d.Asset).NetworkOn(d.Chain)
	return n != nil && above(d.Amount, n.ApproveAbove)
}

// above reports whether an amount is beyond a bound, of which zero is none.
func above(amount, bound fixed.Decimal) bool { return !bound.IsZero() && bound.Less(amount) }

// check is why a command would be refused if one operator could do it.
func (p *Proposals) check(c schema.Command) schema.Rejection {
	switch c := c.(type) {
	case *schema.SetAsset:
		return p.listing.CheckAsset(&c.Asset)
	case *schema.SetChain:
		return p.chains.CheckChain(&c.Chain)
	case *schema.SetTier:
		return p.tiers.Check(&c.Tier)
	case *schema.Deposit:
		return p.wallets.CheckDeposit(c)
	case *schema.DecideDeposit:
		return p.chains.CheckDecision(c)
	case *schema.ForgiveOwed:
		return p.chains.CheckForgiven(c)
	}
	return schema.Refuse(schema.ProposalUnknown)
}
