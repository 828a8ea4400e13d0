package mining

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// paymentRecord is a payment as snapshots keep it.
type paymentRecord struct {
	waited  bool
	rewards []schema.Reward
}

func (r *paymentRecord) Fields(c *wire.Coder) {
	c.Bool(1, "waited", &r.waited)
	wire.List(c, 2, "rewards", &r.rewards)
}

func (p *Pool) writePayment(w *product.Writer, place uint32) {
	y := p.payments.At(place)
	w.Message(&paymentRecord{y.waited, y.rewards})
}

func (p *Pool) writePayments(w *product.Writer, list *slab.List) {
	for place := list.First; place != 0; place = p.payments.At(place).After {
		p.writePayment(w, place)
	}
}

func (p *Pool) writeWaiting(w *product.Writer) {
	for id := uint32(1); id < p.minings.End(); id++ {
		if waits := p.minings.At(id).waits; waits != 0 {
			p.writePayment(w, waits)
		}
	}
}

func (p *Pool) readWaiting(r *product.Reader) error {
	last := schema.MiningID(0)
	return p.readPayments(r, func(y *payment, place uint32) error {
		a := p.at(y.mining())
		if !y.waited || !a.External || len(y.rewards) >= mostWaiting || a.ID <= last {
			return errPlace
		}
		last, a.waits = a.ID, place
		return p.checkPayment(y, false)
	})
}

func (p *Pool) writeQueue(w *product.Writer) { p.writePayments(w, &p.queue) }

func (p *Pool) readQueue(r *product.Reader) error {
	return p.readPayments(r, func(y *payment, place uint32) error {
		p.payments.Push(&p.queue, place)
		return p.checkPayment(y, false)
	})
}

func (p *Pool) writeLeaving(w *product.Writer) { p.writePayments(w, &p.leaving) }

func (p *Pool) readLeaving(r *product.Reader) error {
	last := schema.WithdrawalID(0)
	return p.readPayments(r, func(y *payment, place uint32) error {
		id := y.rewards[0].Withdrawal
		if id <= last {
			return errPlace
		}
		last = id
		p.lead(place, id)
		return p.checkPayment(y, true)
	})
}

// readPayments reads payments, and lets each be put where it belongs. They have rewards of mining accounts that there are, of sums that fit.
func (p *Pool) readPayments(r *product.Reader, put func(*payment, uint32) error) error {
	for m, err := range product.Messages[paymentRecord](r) {
		if err != nil {
			return err
		}
		if len(m.rewards) == 0 || len(m.rewards) > mostWaiting {
			return fmt.Errorf("a payment of %d rewards", len(m.rewards))
		}
		for i := range m.rewards {
			if err := p.checkReward(&m.rewards[i]); err != nil {
				return fmt.Errorf("reward %d: %w", m.rewards[i].ID, err)
			}
		}
		place := p.newPayment(m.waited, m.rewards...)
		if err := put(p.payments.At(place), place); err != nil {
			return fmt.Errorf("the payment of reward %d: %w", m.rewards[0].ID, err)
		}
	}
	return nil
}

// checkReward refuses a reward that is pending and that no command could have left.
func (p *Pool) checkReward(m *schema.Reward) error {
	a := p.find(m.Mining)
	if a == nil || m.Account != a.Account || m.Asset != p.terms.Asset || m.Unit != p.terms.Unit || m.ID == 0 || m.ID > p.lastReward {
		return errors.New("its number, its mining account or its asset cannot be")
	}
	places, most := p.scale(), fixed.FromInt(mostWorth)
	switch {
	case m.Day%day != 0 || m.Day < a.Created-a.Created%day || m.Day > p.Clock()-day:
		return errors.New("its day cannot be")
	case m.Work == 0 || !soundRate(m.Rate, places):
		return errors.New("its work or its rate cannot be")
	case m.Total.Sign() <= 0 || m.Total.Cmp(most) > 0 || m.Fee.Sign() < 0 || m.Fee.Cmp(m.Total) >= 0 || m.Amount != m.Total.Sub(m.Fee):
		return errors.New("its sums cannot be")
	case m.Total.Decimals() > places || m.Fee.Decimals() > places:
		return errors.New("its sums are too precise")
	case m.Status != schema.RewardPending || m.Tx != "" || m.Paid != 0 || (m.Withdrawal == 0) != (m.Address == ""):
		return errors.New("it cannot be pending")
	}
	return nil
}

// checkPayment refuses a payment that no command could have left.
func (p *Pool) checkPayment(y *payment, leaves bool) error {
	first := &y.rewards[0]
	if len(y.rewards) > mostWaiting || !y.waited && (len(y.rewards) > 1 || leaves) {
		return errors.New("it cannot be of so many rewards")
	}
	for i := range y.rewards {
		m := &y.rewards[i]
		if m.Mining != first.Mining || m.Withdrawal != first.Withdrawal || m.Address != first.Address {
			return errors.New("its rewards do not belong together")
		}
	}
	if !leaves {
		if first.Withdrawal != 0 {
			return errors.New("it has a withdrawal")
		}
		return nil
	}
	w, under := p.chains.Withdrawal(first.Withdrawal)
	ends := w.Status == schema.WithdrawalDone || w.Status == schema.WithdrawalCanceled || w.Status == schema.WithdrawalPartial
	if !under || ends || w.Account != first.Account || w.Asset != first.Asset || w.Address != first.Address || w.Unique != y.title() ||
		w.Amount != y.sum || !w.Fee.IsZero() || w.Refund != 0 {
		return errors.New("its withdrawal cannot be")
	}
	return nil
}
