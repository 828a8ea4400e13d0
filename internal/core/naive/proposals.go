package naive

import (
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// Bounds of proposals.
const (
	proposalsMost = 100
	proposalDelay = 24 * 60 * minute // from the approval of a setting
)

// proposals are the commands that take two operators and that one gave.
type proposals struct {
	call     *call
	features *features
	listing  *listing
	limits   *limits
	chains   *chains
	wallet   *wallet
	products []product // that do what was proposed
	waiting  []*schema.Proposal
	last     schema.ProposalID
}

func (p *proposals) apply(cmd schema.Command) *schema.Result {
	if c, is := cmd.(*schema.DecideProposal); is {
		result := reject(p.decide(c))
		return &result
	}
	return nil
}

// ask makes a proposal of a command that takes two operators, or refuses it; nil: it does not take two.
func (p *proposals) ask(cmd schema.Command) *schema.Result {
	if !p.features.twoOperators || !p.takesTwo(cmd) {
		return nil
	}
	var result schema.Result
	known := p.about(cmd)
	r := p.refusal(cmd)
	switch {
	case p.call.operator == "":
		result = refuse(schema.OperatorMissing)
	case refused(r):
		result = reject(r)
	case known == nil && len(p.waiting) >= proposalsMost:
		result = reject(about(schema.ProposalsTooMany, whole(proposalsMost)))
	default:
		p.replace(cmd)
		p.last++
		made := &schema.Proposal{ID: p.last, Status: schema.ProposalAsked, Operator: p.call.operator, Asked: p.call.at, Command: copied(cmd)}
		p.waiting = append(p.waiting, made)
		p.changed(made)
		result.Proposal = p.last
	}
	return &result
}

// copied is a command with memory of its own.
func copied(cmd schema.Command) schema.Command {
	switch c := cmd.(type) {
	case *schema.SetAsset:
		asset := c.Asset
		asset.Networks, asset.Providers = slices.Clone(asset.Networks), slices.Clone(asset.Providers)
		return &schema.SetAsset{Asset: asset}
	case *schema.SetChain:
		return &schema.SetChain{Chain: c.Chain}
	case *schema.SetTier:
		return &schema.SetTier{Tier: c.Tier}
	case *schema.Deposit:
		same := *c
		return &same
	case *schema.DecideDeposit:
		same := *c
		return &same
	case *schema.ForgiveOwed:
		same := *c
		return &same
	}
	return cmd
}

// takesTwo reports whether a command loosens a bound of money on chains of others, or gives much of it away.
func (p *proposals) takesTwo(cmd schema.Command) bool {
	switch c := cmd.(type) {
	case *schema.SetAsset:
		return p.loosensAsset(&c.Asset)
	case *schema.SetChain:
		known := p.chains.named(c.Chain.Name)
		return known != nil && known.guarded() && rises(wholeUint64(known.FeeRateMax), wholeUint64(c.Chain.FeeRateMax))
	case *schema.SetTier:
		return slices.ContainsFunc(p.chains.all, (*chain).guarded) && slices.ContainsFunc(p.limits.tiers, func(t schema.Tier) bool {
			return t.Number == c.Tier.Number && (rises(of(t.Day), of(c.Tier.Day)) || rises(of(t.Month), of(c.Tier.Month)))
		})
	case *schema.Deposit:
		return p.bringsMuch(c)
	case *schema.DecideDeposit:
		d := p.chains.deposit(c.Deposit)
		if d == nil || c.Decision != schema.CreditDeposit || !p.chains.chain(d.Chain).guarded() {
			return false
		}
		n := p.chains.network(d.Chain, d.Asset)
		return n != nil && of(n.ApproveAbove).sign() != 0 && of(d.Amount).more(of(n.ApproveAbove))
	case *schema.ForgiveOwed:
		asset := p.listing.asset(c.Asset)
		return asset != nil && slices.ContainsFunc(asset.Networks, p.onGuarded)
	}
	return false
}

// guarded reports whether money is at stake on a chain: it is one of others, and a block of it was taken.
func (c *chain) guarded() bool { return c.foreign() && len(c.points) > 0 }

// onGuarded reports whether a network is on a chain that is guarded.
func (p *proposals) onGuarded(n schema.Network) bool {
	c := p.chains.chain(n.Chain)
	return c != nil && c.guarded()
}

// rises reports whether a bound was there and is higher now, or gone; one of zero is none.
func rises(before, now num) bool {
	return before.sign() != 0 && (now.sign() == 0 || now.more(before))
}

// loosensAsset reports whether new settings of an asset that is there take two operators.
func (p *proposals) loosensAsset(a *schema.Asset) bool {
	i := slices.IndexFunc(p.listing.assets, func(old schema.Asset) bool { return old.Ticker == a.Ticker })
	if i < 0 {
		return false
	}
	old := &p.listing.assets[i]
	guards := slices.ContainsFunc(slices.Concat(old.Networks, a.Networks), p.onGuarded)
	if guards && rises(of(old.MaxWithdraw), of(a.MaxWithdraw)) {
		return true
	}
	return slices.ContainsFunc(a.Networks, func(n schema.Network) bool {
		before := p.chains.network(n.Chain, old.ID)
		return p.onGuarded(n) && (before == nil || loosens(before, &n))
	})
}

// loosens reports whether a network takes more care than another on the same chain does.
func loosens(before, now *schema.Network) bool {
	return before.Contract != now.Contract || before.Decimals != now.Decimals ||
		now.Confirmations < before.Confirmations || now.ConfirmationsForTrading < before.ConfirmationsForTrading ||
		rises(of(before.MaxWithdraw), of(now.MaxWithdraw)) || rises(of(before.HeldCap), of(now.HeldCap)) ||
		rises(of(before.ApproveAbove), of(now.ApproveAbove)) || rises(of(before.Approve2Above), of(now.Approve2Above)) ||
		rises(of(before.HourCap), of(now.HourCap)) || rises(of(before.HotCap), of(now.HotCap))
}

// bringsMuch reports whether an operator brings more of an asset than customers may take out by any guarded chain without approval.
func (p *proposals) bringsMuch(c *schema.Deposit) bool {
	asset := p.listing.asset(c.Asset)
	return asset != nil && slices.ContainsFunc(asset.Networks, func(n schema.Network) bool {
		return p.onGuarded(n) && of(n.ApproveAbove).sign() != 0 && of(c.Amount).more(of(n.ApproveAbove))
	})
}

// refusal is what a command would be refused for if one operator could do it.
func (p *proposals) refusal(cmd schema.Command) (r schema.Rejection) {
	switch c := cmd.(type) {
	case *schema.SetAsset:
		asset := c.Asset
		r = p.listing.checkAsset(&asset)
	case *schema.SetChain:
		_, r = p.chains.checkChain(c.Chain)
	case *schema.SetTier:
		r = checkTierSet(c.Tier)
	case *schema.Deposit:
		r = p.wallet.checkDeposit(c)
	case *schema.DecideDeposit:
		r = p.chains.checkDecision(c)
	case *schema.ForgiveOwed:
		r = p.chains.checkForgiven(c)
	}
	return r
}

// subject names what a command is about; "": it is about nothing that another one can be about.
func subject(cmd schema.Command) string {
	switch c := cmd.(type) {
	case *schema.SetAsset:
		return "asset " + c.Asset.Ticker
	case *schema.SetChain:
		return "chain " + c.Chain.Name
	case *schema.SetTier:
		return fmt.Sprint("tier ", c.Tier.Number)
	case *schema.DecideDeposit:
		return fmt.Sprint("deposit ", c.Deposit)
	case *schema.ForgiveOwed:
		return fmt.Sprintf("owed by %d of %d", c.Account, c.Asset)
	}
	return ""
}

// about finds the proposal that waits and is about the same as a command, or nil.
func (p *proposals) about(cmd schema.Command) *schema.Proposal {
	for _, known := range p.waiting {
		if about := subject(cmd); about != "" && subject(known.Command) == about {
			return known
		}
	}
	return nil
}

// replace cancels the proposal that is about the same as a command.
func (p *proposals) replace(cmd schema.Command) {
	if known := p.about(cmd); known != nil {
		p.end(known, schema.ProposalCanceled)
	}
}

// outdate cancels what was proposed about something that one operator changed meanwhile.
func (p *proposals) outdate(cmd schema.Command) {
	if _, forgives := cmd.(*schema.ForgiveOwed); !forgives {
		p.replace(cmd)
	}
}

// changed records a proposal as it is now.
func (p *proposals) changed(known *schema.Proposal) {
	p.call.record(&schema.ProposalChanged{Proposal: *known})
}

// end lets a proposal be unknown that waits no more.
func (p *proposals) end(known *schema.Proposal, status schema.ProposalStatus) {
	known.Status = status
	p.changed(known)
	p.waiting = slices.DeleteFunc(p.waiting, func(other *schema.Proposal) bool { return other == known })
}

func (p *proposals) decide(c *schema.DecideProposal) schema.Rejection {
	if p.call.operator == "" {
		return because(schema.OperatorMissing)
	}
	i := slices.IndexFunc(p.waiting, func(known *schema.Proposal) bool { return known.ID == c.Proposal })
	if i < 0 {
		return because(schema.ProposalUnknown)
	}
	known := p.waiting[i]
	if !c.Approve {
		p.end(known, schema.ProposalCanceled)
		return accepted
	}
	switch {
	case known.Operator == p.call.operator:
		return because(schema.ApprovedBefore)
	case known.Status == schema.ProposalApproved:
		return because(schema.ProposalDecided)
	}
	if isSetting(known.Command) {
		known.Status, known.Approver, known.Due = schema.ProposalApproved, p.call.operator, p.call.at+proposalDelay
		p.changed(known)
		return accepted
	}
	if r := p.do(known.Command); refused(r) {
		return r
	}
	known.Approver = p.call.operator
	p.end(known, schema.ProposalDone)
	return accepted
}

// isSetting reports whether a command sets something, so that people have time to see it before it is done.
func isSetting(cmd schema.Command) bool {
	switch cmd.(type) {
	case *schema.SetAsset, *schema.SetChain, *schema.SetTier:
		return true
	}
	return false
}

// do does what was proposed, as if one operator could do it.
func (p *proposals) do(cmd schema.Command) schema.Rejection {
	for _, other := range p.products {
		if result := other.apply(copied(cmd)); result != nil {
			return result.Rejection
		}
	}
	panic(fmt.Sprintf("naive: a proposal of type %T", cmd))
}

// runDue does the settings whose time has come, in the order of their numbers. Nobody gives them then.
func (p *proposals) runDue() {
	p.call.operator = ""
	for _, known := range slices.Clone(p.waiting) {
		if known.Status != schema.ProposalApproved || known.Due > p.call.at {
			continue
		}
		r := p.do(known.Command)
		if refused(r) {
			known.Reason = r.Reason
			p.end(known, schema.ProposalRefused)
			continue
		}
		p.end(known, schema.ProposalDone)
	}
}

// due is when settings are to be done.
func (p *proposals) due() (due []schema.Time) {
	for _, known := range p.waiting {
		if known.Status == schema.ProposalApproved {
			due = append(due, known.Due)
		}
	}
	return due
}

// Proposals are those that wait, by number.
func (x *Exchange) Proposals() (list []schema.Proposal) {
	for _, known := range x.proposals.waiting {
		list = append(list, *known)
	}
	return list
}
