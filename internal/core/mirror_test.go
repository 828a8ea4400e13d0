package core

import (
	"fmt"
	"reflect"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mirror is what somebody knows who sees nothing of a machine but its events. It must be enough to
// know the public books, the balances, the open orders, the markets and the timers.
type mirror struct {
	levels   map[levelKey]fixed.Decimal
	balances map[balanceKey]balanceState
	orders   map[schema.OrderID]schema.Order
	markets  map[schema.MarketID]schema.MarketInfo
	timers   map[seat]schema.KillSwitch
	// positions that are open, by their ids
	positions map[schema.PositionID]schema.Position
	// codes that are active, by their numbers
	codes map[schema.CodeID]schema.Code
	// tiers that were set, credits that are not repaid, and checks that run
	tiers   map[uint8]schema.Tier
	credits map[schema.AccountID]schema.Credit
	checks  map[schema.CheckID]schema.Check
	// investments that are open
	investments map[schema.InvestmentID]schema.Investment
	mining      mirrorMining
	// proposals that wait
	proposals map[schema.ProposalID]schema.Proposal
}

type levelKey struct {
	market schema.MarketID
	side   schema.Side
	price  fixed.Decimal
}

type balanceKey struct {
	account schema.AccountID
	wallet  schema.Wallet
	asset   schema.AssetID
}

type balanceState struct{ available, frozen, held fixed.Decimal }

// seat is an account on a market.
type seat struct {
	account schema.AccountID
	market  schema.MarketID
}

func newMirror() *mirror {
	return &mirror{
		levels: map[levelKey]fixed.Decimal{}, balances: map[balanceKey]balanceState{}, orders: map[schema.OrderID]schema.Order{},
		markets: map[schema.MarketID]schema.MarketInfo{}, timers: map[seat]schema.KillSwitch{},
		positions: map[schema.PositionID]schema.Position{}, codes: map[schema.CodeID]schema.Code{},
		tiers: map[uint8]schema.Tier{}, credits: map[schema.AccountID]schema.Credit{}, checks: map[schema.CheckID]schema.Check{},
		investments: map[schema.InvestmentID]schema.Investment{},
		mining:      mirrorMining{minings: map[schema.MiningID]schema.MiningAccount{}, rewards: map[schema.RewardID]schema.Reward{}},
		proposals:   map[schema.ProposalID]schema.Proposal{},
	}
}

// see takes in the events of an outcome.
func (r *mirror) see(events *schema.Events) error {
	for event := range events.All() {
		if err := r.mining.see(event); err != nil {
			return err
		}
		switch e := event.(type) {
		case *schema.LevelChanged:
			key := levelKey{e.Market, e.Side, e.Price}
			if r.levels[key] = e.Amount; e.Amount.IsZero() {
				delete(r.levels, key)
			}
		case *schema.BalanceChanged:
			r.balances[balanceKey{e.Account, e.Wallet, e.Asset}] = balanceState{e.Available, e.Frozen, e.Held}
		case *schema.OrderChanged:
			if err := r.seeOrder(e); err != nil {
				return err
			}
		case *schema.PositionChanged:
			if r.positions[e.Position.ID] = e.Position; e.Position.Amount.IsZero() {
				delete(r.positions, e.Position.ID)
			}
		case *schema.CodeChanged:
			if err := r.seeCode(&e.Code); err != nil {
				return err
			}
		case *schema.TierChanged:
			r.tiers[e.Tier.Number] = e.Tier
		case *schema.CreditChanged:
			if err := r.seeCredit(&e.Credit); err != nil {
				return err
			}
		case *schema.CheckChanged:
			if err := r.seeCheck(&e.Check); err != nil {
				return err
			}
		case *schema.InvestmentChanged:
			if r.investments[e.Investment.ID] = e.Investment; e.Investment.Closed {
				delete(r.investments, e.Investment.ID)
			}
		case *schema.ProposalChanged:
			if r.proposals[e.Proposal.ID] = e.Proposal; e.Proposal.Status > schema.ProposalApproved {
				delete(r.proposals, e.Proposal.ID)
			}
		case *schema.MarketChanged:
			r.markets[e.Market.ID] = e.Market
		case *schema.KillSwitchChanged:
			key := seat{e.Timer.Account, e.Timer.Market}
			if r.timers[key] = e.Timer; !e.Running {
				delete(r.timers, key)
			}
		}
	}
	return nil
}

// seeOrder holds what happens to an order against what happened to it before.
func (r *mirror) seeOrder(e *schema.OrderChanged) error {
	id := e.Order.ID
	_, open := r.orders[id]
	alive := e.Order.Status == schema.Open || e.Order.Status == schema.PartiallyFilled
	if e.Cause == schema.ByLiquidation && e.Order.Status == schema.PartiallyFilled {
		alive = false // such an order never rests
	}
	switch {
	case e.Change == schema.Updated && !open, e.Change == schema.Activated && !open:
		return fmt.Errorf("order %d, which is not open, was %s", id, e.Change)
	case alive == (e.Change == schema.Closed):
		return fmt.Errorf("order %d was %s as %s", id, e.Change, e.Order.Status)
	}
	if r.orders[id] = e.Order; !alive {
		delete(r.orders, id)
	}
	return nil
}

// seeCode holds what becomes of a code against what it was: it is created once and ends once, and nothing else of it changes.
func (r *mirror) seeCode(c *schema.Code) error {
	was, active := r.codes[c.ID]
	if c.Status == schema.CodeActive {
		if active {
			return fmt.Errorf("code %d was created twice", c.ID)
		}
		r.codes[c.ID] = *c
		return nil
	}
	was.Status, was.Ended, was.Redeemer = c.Status, c.Ended, c.Redeemer
	if !active || !reflect.DeepEqual(was, *c) {
		return fmt.Errorf("a code that was %+v ended as %+v", r.codes[c.ID], *c)
	}
	delete(r.codes, c.ID)
	return nil
}

// seeCredit holds a credit against what it was: it is opened once, and then only what is not repaid falls and the interest grows.
func (r *mirror) seeCredit(c *schema.Credit) error {
	was, active := r.credits[c.Account]
	if active {
		if c.Amount.Cmp(was.Amount) > 0 || c.Funding.Cmp(was.Funding) < 0 || (c.Amount == was.Amount) == (c.Funding == was.Funding) {
			return fmt.Errorf("a credit that was %+v became %+v", was, *c)
		}
		was.Amount, was.Funding = c.Amount, c.Funding
		if was != *c {
			return fmt.Errorf("a credit that was %+v became %+v", r.credits[c.Account], *c)
		}
	} else if !c.Funding.IsZero() || c.Amount.Sign() <= 0 {
		return fmt.Errorf("a credit began as %+v", *c)
	}
	if r.credits[c.Account] = *c; c.Amount.IsZero() {
		delete(r.credits, c.Account)
	}
	return nil
}

// seeCheck holds what becomes of a check against what it was: it begins once and ends once, and nothing else of it changes.
func (r *mirror) seeCheck(c *schema.Check) error {
	was, running := r.checks[c.ID]
	if c.Status == schema.CheckRunning {
		if running {
			return fmt.Errorf("check %d began twice", c.ID)
		}
		r.checks[c.ID] = *c
		return nil
	}
	was.Status, was.Risk, was.Description, was.Checked = c.Status, c.Risk, c.Description, c.Checked
	if !running || was != *c {
		return fmt.Errorf("a check that was %+v ended as %+v", r.checks[c.ID], *c)
	}
	delete(r.checks, c.ID)
	return nil
}

// sameCodes holds what is in active codes against what a machine keeps for them.
func (r *mirror) sameCodes(m *Machine) error {
	sums := map[schema.AssetID]fixed.Decimal{}
	for _, c := range r.codes {
		sums[c.Asset] = sums[c.Asset].Add(c.Amount)
	}
	for _, asset := range m.Listing().Assets() {
		if kept, _, _ := m.Balance(schema.Codes, schema.Main, asset.ID); kept != sums[asset.ID] {
			return fmt.Errorf("by their events active codes have %s of asset %d, in truth %s is kept for them", sums[asset.ID], asset.ID, kept)
		}
	}
	return nil
}

// balanced holds the balances against those of a machine.
func (r *mirror) balanced(m *Machine) error {
	owners := []schema.AccountID{schema.Outside, schema.Fees, schema.Insurance, schema.House, schema.Lending, schema.Clearing, schema.Codes, schema.Custody, schema.Suspense, schema.Convert, schema.Interest, schema.Pool}
	for _, a := range m.Accounts().All() {
		owners = append(owners, a.ID)
	}
	for _, owner := range owners {
		for wallet := schema.Main; wallet <= schema.Owed; wallet++ {
			for _, asset := range m.Listing().Assets() {
				available, frozen, held := m.Balance(owner, wallet, asset.ID)
				want := balanceState{available, frozen, held}
				if got := r.balances[balanceKey{owner, wallet, asset.ID}]; got != want {
					return fmt.Errorf("by its events account %d has %+v of asset %d in %s, in truth %+v", owner, got, asset.ID, wallet, want)
				}
			}
		}
	}
	return nil
}

// same holds everything against a machine that has nothing left to do.
func (r *mirror) same(m *Machine) error {
	if err := r.sameCodes(m); err != nil {
		return err
	}
	if err := r.sameLeaving(m); err != nil {
		return err
	}
	if err := r.sameInvestments(m); err != nil {
		return err
	}
	if err := r.mining.same(m); err != nil {
		return err
	}
	waiting := m.Proposals()
	for _, p := range waiting {
		if got := r.proposals[p.ID]; !reflect.DeepEqual(got, p) {
			return fmt.Errorf("by its events a proposal is %+v, in truth %+v", got, p)
		}
	}
	if len(waiting) != len(r.proposals) {
		return fmt.Errorf("by its events %d proposals wait, in truth %d", len(r.proposals), len(waiting))
	}
	orders, levels := 0, 0
	for _, info := range m.Listing().Markets() {
		if got := r.markets[info.ID]; got != *info {
			return fmt.Errorf("by its events market %d is %+v, in truth %+v", info.ID, got, *info)
		}
		for _, o := range m.Trading().All(info.ID) {
			if got := r.orders[o.ID]; got != o {
				return fmt.Errorf("by its events order %d is %+v, in truth %+v", o.ID, got, o)
			}
			orders++
		}
		for _, side := range []schema.Side{schema.Buy, schema.Sell} {
			for _, level := range m.Trading().Depth(info.ID, side, -1) {
				if got := r.levels[levelKey{info.ID, side, level.Price}]; got != level.Amount {
					return fmt.Errorf("by its events level %s of market %d holds %s, in truth %s", level.Price, info.ID, got, level.Amount)
				}
				levels++
			}
		}
	}
	if orders != len(r.orders) || levels != len(r.levels) {
		return fmt.Errorf("by its events %d orders are open and %d levels stand, in truth %d and %d", len(r.orders), len(r.levels), orders, levels)
	}
	positions := 0
	for _, a := range m.Accounts().All() {
		for _, p := range m.Collateral().Positions(a.ID) {
			if positions++; r.positions[p.ID] != p {
				return fmt.Errorf("by its events a position is %+v, in truth %+v", r.positions[p.ID], p)
			}
		}
	}
	if positions != len(r.positions) {
		return fmt.Errorf("by its events %d positions are open, in truth %d", len(r.positions), positions)
	}
	timers := m.Trading().KillSwitches()
	for _, k := range timers {
		if r.timers[seat{k.Account, k.Market}] != k {
			return fmt.Errorf("by its events the timers are %+v, in truth %+v", r.timers, timers)
		}
	}
	if len(timers) != len(r.timers) {
		return fmt.Errorf("by its events the timers are %+v, in truth %+v", r.timers, timers)
	}
	return nil
}
