package core

import (
	"bytes"
	"strings"

	"bourse/internal/schema"
)

// wantTravel puts some accounts into the EU, where the travel rule holds, and lets operators know two VASPs.
func (w *world) wantTravel(t *dice) {
	for _, c := range w.listed {
		if c, is := c.(*schema.SetAccount); is && coin(t) {
			c.Account.Region = schema.EU
		}
	}
	for _, id := range []string{"v1", "v2"} {
		w.plan = append(w.plan, &schema.SetVASP{VASP: schema.VASP{ID: id, Name: "a bank"}})
	}
}

// travel draws something that the travel rule asks for, or that decides for whom it holds.
func (w *world) travel(t *dice, account schema.AccountID) schema.Command {
	switch n := chance(t, 12); {
	case n < 2:
		return w.setVASP(t)
	case n < 3:
		moved := w.block(schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), false)
		moved.Account.Region = pick(t, schema.Global, schema.EU)
		return moved
	case n < 6:
		return w.decideTravel(t)
	case n < 7:
		if on, d := w.asked(t, schema.DepositTravel, schema.DepositReview); on != nil {
			return w.unblock(t, on, &d)
		}
	}
	return w.submitTravel(t, account)
}

// setVASP makes a VASP known, changes it or forgets it; rarely it is wrong.
func (w *world) setVASP(t *dice) *schema.SetVASP {
	v := schema.VASP{ID: pick(t, "v1", "v2", "v3", "v"), Name: pick(t, "", "a bank", "another")}
	if chance(t, 8) == 0 {
		switch chance(t, 2) {
		case 0:
			v.ID = strings.Repeat("v", pick(t, 0, schema.MaxVASPID, schema.MaxVASPID+1))
		case 1:
			v.Name = strings.Repeat("n", pick(t, schema.MaxVASPName, schema.MaxVASPName+1))
		}
	}
	return &schema.SetVASP{VASP: v}
}

// asked is a deposit that the travel rule holds back, and the chain that it came by; nil: there is none, or nobody looks.
func (w *world) asked(t *dice, statuses ...schema.DepositStatus) (on *worldChain, chosen schema.ChainDeposit) {
	for _, c := range w.chains.all {
		var known []schema.ChainDeposit
		switch {
		case w.oracle != nil:
			known = w.oracle.ChainDeposits(c.ID)
		case w.bank != nil:
			for d := range w.bank.Chains().Deposits(c.ID) {
				known = append(known, *d)
			}
		}
		for _, d := range known {
			for _, status := range statuses {
				if d.Status == status && (on == nil || chance(t, 3) == 0) {
					on, chosen = c, d
				}
			}
		}
	}
	return on, chosen
}

// sealed draws what is said about people; each time something else.
func (w *world) sealed(t *dice) []byte {
	return []byte(pick(t, "alice", "bob", "carol of 7 street", "\x00"))
}

// submitTravel says who sent a deposit, mostly one for which that is asked, and plans what becomes of it.
func (w *world) submitTravel(t *dice, account schema.AccountID) schema.Command {
	c := &schema.SubmitTravel{Account: account, Deposit: schema.DepositID(1 + chance(t, w.chains.receipts+1)), Sealed: w.sealed(t)}
	on, d := w.asked(t, schema.DepositTravel, schema.DepositTravel, schema.DepositReview)
	if on == nil || rarely(t) {
		return c
	}
	c.Account, c.Deposit = d.Account, d.ID
	if chance(t, 6) == 0 {
		switch chance(t, 3) {
		case 0:
			c.Sealed = bytes.Repeat([]byte{7}, pick(t, 0, schema.MaxTravel, schema.MaxTravel+1))
		case 1:
			c.Account = w.account(t)
		case 2:
			c.Deposit = pick(t, 0, c.Deposit+1)
		}
	}
	w.followTravel(t, on, &d)
	return c
}

// followTravel plans what becomes of a deposit that the travel rule holds back: an operator decides about it, or its chain falls back,
// with it or without it.
func (w *world) followTravel(t *dice, on *worldChain, d *schema.ChainDeposit) {
	for range chance(t, 3) {
		switch n := chance(t, 4); {
		case n == 0:
			w.plan = append(w.plan, w.verdictOn(t, d))
		case n == 1:
			w.grow(t, on, false)
		case on.Driver == schema.Sandbox:
			r := w.reorg(t, on)
			r.Depth, r.DropAll = uint32(3+chance(t, 12)), false
			if coin(t) {
				r.Drop = d.Receipt
			}
			w.plan = append(w.plan, r)
			w.grow(t, on, false)
			w.grow(t, on, false)
		default:
			w.plan = append(w.plan, w.chainRewind(t, on))
		}
	}
}

// unblock takes a deposit out of its block, and lets its account say who sent it meanwhile, or an operator decide about it.
func (w *world) unblock(t *dice, on *worldChain, d *schema.ChainDeposit) schema.Command {
	w.plan = append([]schema.Command{
		&schema.SubmitTravel{Account: d.Account, Deposit: d.ID, Sealed: w.sealed(t)}, w.verdictOn(t, d),
	}, w.plan...)
	if on.Driver == schema.Sandbox {
		r := w.reorg(t, on)
		r.Depth, r.Drop = uint32(3+chance(t, 12)), d.Receipt
		return r
	}
	r := w.chainRewind(t, on)
	for _, b := range on.blocks {
		if b.height < d.Height {
			r.Height, r.Hash = b.height, b.hash
		}
	}
	return r
}

// verdictOn is what an operator decides about a deposit.
func (w *world) verdictOn(t *dice, d *schema.ChainDeposit) *schema.DecideDeposit {
	c := &schema.DecideDeposit{Deposit: d.ID, Decision: pick(t, schema.CreditDeposit, schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit)}
	if chance(t, 4) == 0 {
		c.Account = pick(t, d.Account, d.Account, schema.FirstCustomer)
	}
	return c
}

// decideTravel decides about a deposit that the travel rule holds back, if there is one.
func (w *world) decideTravel(t *dice) schema.Command {
	_, d := w.asked(t, schema.DepositTravel, schema.DepositReview, schema.DepositReview, schema.DepositFrozen)
	return w.verdictOn(t, &d)
}

// tell says who gets a withdrawal, and where they have the address; not always, and rarely too much.
func (w *world) tell(t *dice, c *schema.RequestWithdrawal) {
	if chance(t, 4) != 0 {
		c.Travel = w.sealed(t)
	}
	c.VASP = pick(t, "", "v1", "v1", "v2", "v3")
	if chance(t, 40) == 0 {
		c.Travel = bytes.Repeat([]byte{7}, pick(t, schema.MaxTravel, schema.MaxTravel+1))
	}
	if chance(t, 40) == 0 {
		c.VASP = strings.Repeat("v", pick(t, schema.MaxVASPID, schema.MaxVASPID+1))
	}
}
