package core

import (
	"slices"

	"bourse/internal/schema"
)

// poolReach counts what worlds come to with what blocks of the mining pool pay.
type poolReach struct {
	all    []*worldChain
	seen   map[string]int
	paid   map[string]bool           // receipts at the address of the pool
	known  map[schema.DepositID]bool // deposits, with true those of such receipts
	frozen map[schema.DepositID]bool
	lost   map[string]bool // receipts that were lost after they were credited to the pool
}

// newPoolReach counts what one world comes to.
func newPoolReach(all []*worldChain, seen map[string]int) *poolReach {
	return &poolReach{all, seen, map[string]bool{}, map[schema.DepositID]bool{}, map[schema.DepositID]bool{}, map[string]bool{}}
}

// ofPool is what every world comes to where blocks of the pool are.
func ofPool() []string {
	return []string{
		"of the pool: refused elsewhere", "of the pool: credited", "of the pool: lost before", "of the pool: lost afterwards",
		"of the pool: frozen", "of the pool: frozen and a customer's",
	}
}

// see counts what became of a command.
func (w *poolReach) see(cmd schema.Command, out *schema.Result, events []schema.Event) {
	if b, is := cmd.(*schema.ChainBlock); is {
		for _, r := range b.Receipts {
			switch paid := r.Own == schema.PoolOwn; {
			case !out.Rejection.Refused():
				w.paid[r.ID] = paid
			case paid && out.Rejection.Reason == schema.BlockInvalid && w.all[b.Chain-1].Driver == schema.EVMNode:
				w.seen["of the pool: refused elsewhere"]++
			}
		}
	}
	for _, e := range events {
		switch e := e.(type) {
		case *schema.ChainDepositChanged:
			if _, is := w.known[e.Deposit.ID]; !is {
				w.known[e.Deposit.ID] = w.paid[e.Deposit.Receipt]
			}
			if w.known[e.Deposit.ID] {
				w.deposited(&e.Deposit)
			}
		case *schema.PayoutChanged:
			v := &e.Payout.Variants[e.Payout.Mined]
			if e.Payout.Status == schema.PayoutMined && slices.ContainsFunc(v.Inputs, func(id string) bool { return w.paid[id] }) {
				w.seen["of the pool: spent"]++
			}
		}
	}
}

// deposited counts what became of a deposit at the address of the pool.
func (w *poolReach) deposited(d *schema.ChainDeposit) {
	count := func(what string, is bool) {
		if is {
			w.seen["of the pool: "+what]++
		}
	}
	frozen, customers := w.frozen[d.ID], d.Account >= schema.FirstCustomer
	credited := d.Status == schema.DepositCredited && d.Height != 0
	count("credited", credited && d.Account == schema.Pool)
	count("returned", credited && d.Account == schema.Pool && w.lost[d.Receipt])
	count("lost before", d.Status == schema.DepositLost && !frozen)
	count("lost afterwards", d.Reversed && d.Account == schema.Pool)
	count("frozen", d.Status == schema.DepositFrozen)
	count("frozen and a customer's", credited && customers && frozen)
	count("frozen and lost", d.Status == schema.DepositLost && frozen)
	count("a customer's and lost", d.Reversed && customers)
	w.frozen[d.ID] = frozen || d.Status == schema.DepositFrozen
	w.lost[d.Receipt] = w.lost[d.Receipt] || d.Reversed && d.Account == schema.Pool
}
