package chain

import (
	"fmt"
	"slices"
	"strings"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The travel rule: who pays an account in the EU, and whom it pays outside the exchange, must be known. What is said about people is
// sealed: it is kept beside the deposit or the withdrawal, and no event and no result carries it.
//
// What must hold: a deposit of which it must be said who sent it is an account's, and booked in Suspense. It has sealed bytes while it is
// in review, and only then. A withdrawal has them only if it leaves the exchange and is no refund.

// setVASP makes a VASP known, changes its name, or forgets it.
func (c *Chains) setVASP(m *schema.SetVASP) schema.Rejection {
	v := &m.VASP
	at, known := c.findVASP(v.ID)
	switch {
	case v.ID == "" || len(v.ID) > schema.MaxVASPID || len(v.Name) > schema.MaxVASPName:
		return schema.Refuse(schema.VASPInvalid)
	case v.Name == "":
		if known {
			c.vasps = slices.Delete(c.vasps, at, at+1)
		}
	case known:
		c.vasps[at] = *v
	case len(c.vasps) >= mostVASPs:
		return schema.Rejection{Reason: schema.VASPsTooMany, Value: fixed.FromInt(mostVASPs)}
	default:
		c.vasps = slices.Insert(c.vasps, at, *v)
	}
	return schema.Rejection{}
}

// findVASP is where a VASP is, or would be.
func (c *Chains) findVASP(id string) (at int, known bool) {
	return slices.BinarySearchFunc(c.vasps, id, func(v schema.VASP, id string) int { return strings.Compare(v.ID, id) })
}

// validVASP reports whether a VASP can be known.
func validVASP(v *schema.VASP) bool {
	return v.ID != "" && len(v.ID) <= schema.MaxVASPID && v.Name != "" && len(v.Name) <= schema.MaxVASPName
}

// traced reports whether it must be said who sent a deposit that would be credited.
func (c *Chains) traced(d *deposit) bool { return c.accounts.Get(d.Account).Region == schema.EU }

// submitTravel lets an account say who sent a deposit.
func (c *Chains) submitTravel(m *schema.SubmitTravel) schema.Rejection {
	if _, r := c.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	place, known := c.places[m.Deposit]
	if !known || c.deposits.At(place).Account != m.Account {
		return schema.Refuse(schema.DepositUnknown)
	}
	d := c.deposits.At(place)
	switch {
	case d.Status != schema.DepositTravel || d.Height == 0:
		return schema.Refuse(schema.TravelNotAsked)
	case len(m.Sealed) == 0 || len(m.Sealed) > schema.MaxTravel:
		return schema.Refuse(schema.TravelInvalid)
	}
	c.become(d, schema.DepositReview)
	d.travel = slices.Clone(m.Sealed)
	c.out.Result.ID = uint64(d.ID)
	return schema.Rejection{}
}

// received checks what is said about who receives a withdrawal and keeps it where the rule asks for it. One to no VASP that is known is
// looked at by an operator. Fiat money goes through banks, which know it themselves.
func (c *Chains) received(ch *chain, account *schema.Account, m *schema.RequestWithdrawal, w *withdrawal) (approval bool, r schema.Rejection) {
	switch {
	case len(m.Travel) > schema.MaxTravel || len(m.VASP) > schema.MaxVASPID:
		return false, schema.Refuse(schema.TravelInvalid)
	case w.To != 0 || ch.Driver == schema.Provider || schema.Stricter(account.Region, c.out.Region) != schema.EU:
		return false, schema.Rejection{}
	case len(m.Travel) == 0:
		return false, schema.Refuse(schema.TravelMissing)
	}
	w.travel = slices.Clone(m.Travel)
	_, known := c.findVASP(m.VASP)
	return !known, schema.Rejection{}
}

// VASPs are those that are known, by id.
func (c *Chains) VASPs() []schema.VASP { return slices.Clone(c.vasps) }

// Travel is what was said about who sent a deposit in review, sealed; nil: nothing.
func (c *Chains) Travel(id schema.DepositID) []byte {
	place, known := c.places[id]
	if !known {
		return nil
	}
	return c.deposits.At(place).travel
}

// TravelOf is what was said about who receives a withdrawal, sealed; nil: nothing.
func (c *Chains) TravelOf(id schema.WithdrawalID) []byte {
	place, known := c.byNumber[id]
	if !known {
		return nil
	}
	return c.withdrawals.At(place).travel
}

// validTravel reports whether what holds for a deposit by the travel rule can be.
func (d *deposit) validTravel() bool {
	asked := d.Status == schema.DepositTravel || d.Status == schema.DepositReview
	return (!asked || d.Account != 0 && d.posted) && (len(d.travel) > 0) == (d.Status == schema.DepositReview) && len(d.travel) <= schema.MaxTravel
}

// validTravel reports whether a withdrawal can have its sealed bytes.
func (w *withdrawal) validTravel() bool {
	return len(w.travel) <= schema.MaxTravel && (len(w.travel) == 0 || w.To == 0 && w.Refund == 0)
}

func (c *Chains) writeVASPs(w *product.Writer) {
	for i := range c.vasps {
		w.Message(&c.vasps[i])
	}
}

func (c *Chains) readVASPs(r *product.Reader) error {
	for v, err := range product.Messages[schema.VASP](r) {
		if err != nil {
			return err
		}
		if at, known := c.findVASP(v.ID); known || at != len(c.vasps) || at == mostVASPs || !validVASP(v) {
			return fmt.Errorf("VASP %q: it cannot be, stands in the wrong place or twice, or there are too many", v.ID)
		}
		c.vasps = append(c.vasps, *v)
	}
	return nil
}

// verifyVASPs holds the VASPs to their order and their bounds.
func (c *Chains) verifyVASPs() error {
	for i := range c.vasps {
		if v := &c.vasps[i]; !validVASP(v) || i > 0 && v.ID <= c.vasps[i-1].ID {
			return fmt.Errorf("chains: VASP %q cannot be, or not in this place", v.ID)
		}
	}
	if len(c.vasps) > mostVASPs {
		return fmt.Errorf("chains: there are %d VASPs", len(c.vasps))
	}
	return nil
}
