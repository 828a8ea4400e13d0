package core

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// TestOthersGoOnWhileWorkIsLeft sends commands while others are unfinished. Those for busy markets
// are refused and change nothing, all others go through; every work ends, once.
func TestOthersGoOnWhileWorkIsLeft(t *testing.T) {
	refused, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		in := newInterleaving(pick(r, 1, 1, 2, 3))
		w := newborn(r)
		w.bank = in.fast
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(in.send).run(m); err != nil {
				t.Fatalf("slices of %d\n%s", in.slice, story(log, func() sender { return newInterleaving(in.slice).send }))
			}
		}
		for _, cmd := range slices.Concat(w.birth(), w.keys()) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 100) {
			if in.fast.Busy() && chance(r, 3) != 0 {
				send(moment{at: w.now, cmd: &schema.Continue{}})
			} else {
				at, cmd := w.next(r)
				send(moment{at, cmd, w.decider(r, cmd, w.origin(r, cmd))})
			}
			w.orders = in.fast.Trading().Counters().Order
		}
		for n := 0; in.fast.Busy(); n++ {
			if n > 100_000 {
				t.Fatal("the work does not end")
			}
			send(moment{at: w.now, cmd: &schema.Continue{}})
		}
		if len(in.overdue()) != 0 {
			t.Fatalf("nothing is left to be done, and kill switches did not fire: %v", in.overdue())
		}
		refused += in.refused
		passed += in.passed
	})
	if refused == 0 || passed == 0 {
		t.Errorf("while markets were busy %d commands were refused for it and %d were not", refused, passed)
	}
}

// interleaving is a trial without the naive exchange, which knows no unfinished work.
type interleaving struct {
	*trial
	// works are the commands that are not finished. What a tick leaves to be done has no sender who
	// waits for its answer, and so need not be one of them.
	works   map[schema.WorkID]schema.Command
	timers  bool
	refused int
	passed  int
}

func newInterleaving(slice int) *interleaving {
	return &interleaving{trial: newTrial(slice), works: map[schema.WorkID]schema.Command{}}
}

func (in *interleaving) send(m moment) error {
	cmd := m.cmd
	busy, blocks := in.fast.Busy(), in.fast.Blocks(cmd)
	overdue := in.overdue()
	if err := in.expect(cmd, blocks); err != nil {
		return err
	}
	out, err := in.step(m)
	if err != nil {
		return err
	}
	if got := out.Result.Rejection == schema.Refuse(schema.MarketBusy); got != blocks {
		return fmt.Errorf("blocked: %t, refused as busy: %t", blocks, got)
	}
	for _, item := range out.Result.Items {
		if item.Rejection.Reason == schema.MarketBusy {
			return fmt.Errorf("part of a bulk was refused as busy")
		}
	}
	if _, is := cmd.(*schema.Continue); busy && !is {
		if blocks {
			in.refused++
		} else {
			in.passed++
		}
	}
	for _, deal := range out.Events.Deals() {
		if overdue[seat{deal.Maker.Account, deal.Market}] {
			return fmt.Errorf("order %d traded after its kill switch was due", deal.Maker.Order)
		}
	}
	return in.follow(out, cmd)
}

// follow keeps track of what is unfinished.
func (in *interleaving) follow(out *schema.Outcome, cmd schema.Command) error {
	if out.Finished != 0 {
		if in.works[out.Finished] == nil && !in.timers {
			return fmt.Errorf("work %d ended, which nobody knows", out.Finished)
		}
		delete(in.works, out.Finished)
	}
	if out.Work != 0 {
		if in.works[out.Work] != nil {
			return fmt.Errorf("work %d began twice", out.Work)
		}
		in.works[out.Work] = cmd
	}
	if _, is := cmd.(*schema.Tick); is && in.fast.Busy() {
		in.timers = true
	}
	if busy := in.fast.Busy(); !busy && len(in.works) != 0 || busy && len(in.works) == 0 && !in.timers {
		return fmt.Errorf("busy is %t with %d unfinished commands", busy, len(in.works))
	}
	in.timers = in.timers && in.fast.Busy()
	return nil
}

// overdue are the seats whose kill switch should have fired.
func (in *interleaving) overdue() map[seat]bool {
	seats := map[seat]bool{}
	for _, k := range in.fast.Trading().KillSwitches() {
		if k.Deadline <= in.fast.Trading().Counters().Tick && k.Products.Includes(schema.SpotOrders) {
			seats[seat{k.Account, k.Market}] = true
		}
	}
	return seats
}

// expect holds whether a command is blocked against the unfinished ones, where they say it clearly.
func (in *interleaving) expect(cmd schema.Command, blocks bool) error {
	wanted, known := touches(cmd)
	if !known {
		return nil
	}
	sure := !in.timers // no unfinished command touches more than it names
	for _, work := range in.works {
		busy, known := touches(work)
		sure = sure && known
		for id := range busy {
			if wanted[id] && !blocks {
				return fmt.Errorf("%T is not blocked by %T on market %d", cmd, work, id)
			}
			if wanted[id] {
				return nil
			}
		}
	}
	if blocks && (sure || len(wanted) == 0) {
		return fmt.Errorf("%T is blocked by nothing", cmd)
	}
	return nil
}

// touches are the markets that a command is about, or false if its fields do not tell.
func touches(cmd schema.Command) (map[schema.MarketID]bool, bool) {
	switch c := cmd.(type) {
	case *schema.PlaceOrder:
		return map[schema.MarketID]bool{c.Order.Market: true}, true
	case *schema.ModifyOrder:
		return map[schema.MarketID]bool{c.Order.Market: true}, true
	case *schema.CancelOrder:
		return map[schema.MarketID]bool{c.Order.Market: true}, true
	case *schema.CancelAll:
		if c.Market == 0 { // all there are
			return nil, false
		}
		return map[schema.MarketID]bool{c.Market: true}, true
	case *schema.Deposit, *schema.ConfirmDeposit, *schema.Withdraw, *schema.Transfer, *schema.Continue,
		*schema.SetKey, *schema.DeleteKey, *schema.SetAsset, *schema.SetFaucet, *schema.TakeFaucet, *schema.PayFaucet,
		*schema.CreateCode, *schema.ApplyCode, *schema.SetTier, *schema.RefundDeposit, *schema.SetVASP, *schema.SubmitTravel,
		*schema.OpenCredit, *schema.ChargeCredit, *schema.RepayCredit,
		*schema.CheckAddress, *schema.SetVerdict, *schema.RequestExpress, *schema.PayExpress:
		return nil, true
	}
	return nil, false
}
