package core

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestLargestProposalsAgainstNaive is about as many proposals as can wait, about bounds at their edges, and about names as long as they can be.
func TestLargestProposalsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		s := newPayScript(t, r, newTrial(slice))
		if s.two != 0 {
			s.send(&schema.SetFeature{Feature: schema.TwoOperators, On: true})
		}
		switch chance(r, 4) {
		case 0:
			s.manyProposals(r)
		case 1:
			s.longNames(r)
		default:
			s.bounds(r)
		}
	})
}

// approve lets an operator approve a proposal.
func (s *payScript) approve(operator string, id schema.ProposalID) {
	s.say(operator, &schema.DecideProposal{Proposal: id, Approve: true})
}

// lastProposal is the number of the one that was made last.
func (s *payScript) lastProposal() schema.ProposalID {
	if list := s.slow.Proposals(); len(list) > 0 {
		return list[len(list)-1].ID
	}
	return 0
}

// pass lets time pass, and a tick with it.
func (s *payScript) pass(d schema.Time) {
	s.now += d - schema.Second/10
	s.send(&schema.Tick{})
}

// asset sets an asset as it is, with a change of its first network.
func (s *payScript) asset(operator string, id schema.AssetID, change func(*schema.Asset, *schema.Network)) *schema.Result {
	a := s.slow.Assets()[id-1]
	a.Networks = append([]schema.Network(nil), a.Networks...)
	change(&a, &a.Networks[0])
	return s.say(operator, &schema.SetAsset{Asset: a})
}

// manyProposals lets as many wait as can, and more, of all kinds.
func (s *payScript) manyProposals(r *dice) {
	s.grow(payerNode, nil)
	s.asset("", payerBTC, func(_ *schema.Asset, n *schema.Network) { n.ApproveAbove, n.HotCap = fixed.One, fixed.One })
	tiers := 1 + chance(r, schema.MaxTier+1)
	for n := range tiers {
		s.say("", &schema.SetTier{Tier: schema.Tier{Number: uint8(n), Day: fixed.One, Month: fixed.FromInt(2)}})
	}
	tier := func(n int) schema.Command {
		return &schema.SetTier{Tier: schema.Tier{Number: uint8(n), Day: fixed.FromInt(int64(2 + chance(r, 2))), Month: fixed.Zero}}
	}
	much := &schema.Deposit{Account: s.account(r), Asset: payerBTC, Amount: fixed.FromInt(2)}
	for n := range tiers {
		s.say("olga", tier(n))
	}
	for len(s.slow.Proposals()) < schema.MaxProposals {
		s.say("olga", much)
	}
	s.say("olga", much)
	s.say("", much)
	loosen := func(_ *schema.Asset, n *schema.Network) { n.HotCap = fixed.FromInt(3) }
	s.asset("olga", payerBTC, loosen)
	s.say("oscar", tier(0)) // in place of another one
	s.asset("olga", payerBTC, loosen)
	first := s.slow.Proposals()[0].ID
	s.approve("oscar", first)
	s.say("olga", &schema.DecideProposal{Proposal: first})
	s.asset("olga", payerBTC, loosen)
	for _, p := range s.slow.Proposals() {
		if coin(r) {
			s.approve(pick(r, "oscar", "otto"), p.ID)
		}
	}
	for _, p := range s.slow.Proposals() {
		if p.Status == schema.ProposalAsked && coin(r) {
			s.say("ann", &schema.DecideProposal{Proposal: p.ID, Approve: coin(r)})
		}
	}
	for len(s.slow.Proposals()) < schema.MaxProposals {
		s.say("olga", much)
	}
	s.say("olga", much)
	s.pass(schema.ProposalDelay - schema.Second*60)
	s.pass(schema.Second * 60)
	s.pass(schema.ProposalDelay)
	s.say("olga", much)
}

// longNames proposes something about what has the longest names, by operators who have long ones, with all that a command can carry.
func (s *payScript) longNames(r *dice) {
	long := strings.Repeat("L", 20)
	s.send(&schema.SetChain{Chain: schema.Chain{Name: long, Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1<<64 - 1, FeeRateMax: 1<<64 - 2}})
	id := schema.ChainID(len(s.slow.Chains()))
	asset := schema.Asset{Ticker: long, Name: strings.Repeat("n", 300), Class: schema.Crypto, Scale: 18, Precision: 18, Providers: []string{"a", strings.Repeat("p", 100)}}
	for range 1 + chance(r, 60) { // most of them are on no chain
		asset.Networks = append(asset.Networks, schema.Network{Name: s.name("network")})
	}
	asset.Networks = append(asset.Networks, schema.Network{
		Name: strings.Repeat("w", 200), Chain: id, Confirmations: 1<<32 - 1, ConfirmationsForTrading: 1<<32 - 1, Decimals: 18, Contract: strings.Repeat("c", schema.MaxAddressText),
	})
	s.send(&schema.SetAsset{Asset: asset})
	s.all = append(s.all, &worldChain{Chain: s.slow.Chains()[id-1]})
	s.grow(id, nil)
	olga, oscar := strings.Repeat("o", 1000), strings.Repeat("o", 1001)
	changed := asset
	changed.Networks = append([]schema.Network(nil), asset.Networks...)
	n := &changed.Networks[len(changed.Networks)-1]
	switch chance(r, 3) {
	case 0:
		n.Contract = n.Contract[1:] + "d"
	case 1:
		n.Confirmations, n.ConfirmationsForTrading = 1<<32-2, 1<<32-2
	case 2:
		n.ConfirmationsForTrading = 1
	}
	s.say(olga, &schema.SetAsset{Asset: changed})
	s.approve(olga, s.lastProposal())
	s.approve(oscar, s.lastProposal())
	chain := s.slow.Chains()[id-1]
	chain.FeeRateMax = pick[uint64](r, 1<<64-1, 0)
	s.say(oscar, &schema.SetChain{Chain: chain})
	s.approve(olga, s.lastProposal())
	n.Contract = strings.Repeat("c", schema.MaxAddressText+1)
	s.say(olga, &schema.SetAsset{Asset: changed})
	chain.Name += "L"
	s.say(olga, &schema.SetChain{Chain: chain})
	s.pass(schema.ProposalDelay)
}

// bounds moves every bound to where it can be at most and at least, and brings as much as it lets one operator bring, and more.
func (s *payScript) bounds(r *dice) {
	least, most := fixed.FromUnits(1, 6), cut(ledger.Limit, 6)
	edges := []fixed.Decimal{fixed.Zero, least, fixed.One, fixed.FromInt(40), most, cut(fixed.Max, 6), fixed.Max, least.Neg()}
	s.grow(pick(r, payerNode, payerEVM), nil)
	asset := pick(r, payerBTC, payerToken)
	for range 40 {
		operator := pick(r, "", "olga", "olga", "oscar")
		bound := edges[chance(r, len(edges))]
		switch chance(r, 9) {
		case 0:
			s.asset(operator, asset, func(a *schema.Asset, _ *schema.Network) { a.MaxWithdraw = bound })
		case 1, 2:
			s.asset(operator, asset, func(_ *schema.Asset, n *schema.Network) {
				*pick(r, &n.MaxWithdraw, &n.HeldCap, &n.ApproveAbove, &n.Approve2Above, &n.HourCap, &n.HotCap) = bound
			})
		case 3:
			s.asset(operator, asset, func(_ *schema.Asset, n *schema.Network) {
				n.Confirmations = pick[uint32](r, 1, 2, 1<<32-1)
				n.ConfirmationsForTrading = pick(r, 0, 1, n.Confirmations)
			})
		case 4:
			s.say(operator, &schema.SetTier{Tier: schema.Tier{Number: uint8(chance(r, 2)), Day: fixed.Zero, Month: pick(r, bound, fixed.FromUnits(1, 8), ledger.Limit)}})
		case 5:
			for _, a := range s.slow.Assets() {
				if n := a.NetworkOn(pick(r, payerNode, payerEVM)); a.ID == asset && n != nil {
					amount := n.ApproveAbove
					if more, fits := amount.AddChecked(fixed.FromUnits(1, int(a.Scale))); fits && coin(r) {
						amount = more
					}
					s.say(operator, &schema.Deposit{Account: s.account(r), Asset: asset, Amount: amount})
				}
			}
		case 6:
			if list := s.slow.Proposals(); len(list) > 0 {
				s.say(pick(r, operator, "otto"), decideProposal(r, list))
			}
		case 7:
			s.approve("otto", s.lastProposal())
		case 8:
			if s.grow(pick(r, payerNode, payerEVM), nil); coin(r) {
				s.pass(schema.ProposalDelay + pick(r, schema.Time(-1), 0))
			}
		}
	}
	if err := s.tr.slow.Verify(); err != nil {
		s.t.Fatal(fmt.Errorf("the naive exchange: %w", err))
	}
}
