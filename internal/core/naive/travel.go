package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of what the travel rule asks for.
const (
	travelMost   = 8192 // bytes of sealed data
	vaspIDMost   = 100  // bytes
	vaspNameMost = 200  // bytes
	vaspsMost    = 1000
)

func (s *chains) setVASP(v schema.VASP) schema.Rejection {
	switch {
	case len(v.ID) < 1, len(v.ID) > vaspIDMost, len(v.Name) > vaspNameMost:
		return because(schema.VASPInvalid)
	case v.Name != "" && !s.knowsVASP(v.ID) && len(s.vasps) >= vaspsMost:
		return about(schema.VASPsTooMany, whole(vaspsMost))
	}
	s.vasps = slices.DeleteFunc(s.vasps, func(old schema.VASP) bool { return old.ID == v.ID })
	if v.Name != "" {
		s.vasps = append(s.vasps, v)
	}
	slices.SortFunc(s.vasps, func(a, b schema.VASP) int { return cmp.Compare(a.ID, b.ID) })
	return accepted
}

func (s *chains) knowsVASP(id string) bool {
	return slices.ContainsFunc(s.vasps, func(v schema.VASP) bool { return v.ID == id })
}

// asksSender reports whether the account of a deposit must say who sent it before it is credited.
func (s *chains) asksSender(d *chainDeposit) bool {
	account, _ := s.accounts.customer(d.Account)
	return account.Region == schema.EU
}

// submit takes what an account says about who sent a deposit, for operators to look at.
func (s *chains) submit(c *schema.SubmitTravel) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	d := s.deposit(c.Deposit)
	switch {
	case d == nil, d.Account != c.Account:
		return refuse(schema.DepositUnknown)
	case d.Status != schema.DepositTravel, d.Height == 0:
		return refuse(schema.TravelNotAsked)
	case len(c.Sealed) < 1, len(c.Sealed) > travelMost:
		return refuse(schema.TravelInvalid)
	}
	s.become(d, schema.DepositReview)
	d.travel = slices.Clone(c.Sealed)
	s.changed(d)
	return schema.Result{ID: uint64(d.ID)}
}

// asksReceiver reports whether a withdrawal must say who gets it: one that leaves the exchange, where European rules hold.
func (s *chains) asksReceiver(c *schema.RequestWithdrawal) bool {
	account, _ := s.accounts.customer(c.Account)
	return c.Index == 0 && s.chain(c.Chain).Driver != schema.Provider && s.accounts.region(account) == schema.EU
}

// checkTravel looks at what is said about who gets a withdrawal.
func (s *chains) checkTravel(c *schema.RequestWithdrawal) schema.Rejection {
	switch {
	case len(c.Travel) > travelMost, len(c.VASP) > vaspIDMost:
		return because(schema.TravelInvalid)
	case s.asksReceiver(c) && len(c.Travel) == 0:
		return because(schema.TravelMissing)
	}
	return accepted
}
