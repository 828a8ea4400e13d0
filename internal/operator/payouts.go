package operator

import (
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// payout is a transaction of the exchange, as operators see it.
type payout struct {
	ID          schema.PayoutID       `json:"id"`
	Chain       string                `json:"chain"`
	Asset       string                `json:"asset"`
	Status      string                `json:"status"` // planned, sent, mined, failed or dead
	Height      uint64                `json:"height"` // of its block; 0: it is in none
	Created     time.Time             `json:"created"`
	Withdrawals []schema.WithdrawalID `json:"withdrawals"` // that it pays; none: it moves money of the exchange
	Variants    int                   `json:"variants"`
	Fee         sheet.Number          `json:"fee"`       // of the newest variant, or of the one in a block
	Tx          string                `json:"tx"`        // the same
	GivingUp    bool                  `json:"giving_up"` // the next variant pays only ourselves
	Approver    string                `json:"approver"`  // the first operator who held it to be dead
	Parent      schema.PayoutID       `json:"parent"`    // the payout whose change it spends, to pay for that too, also when that is over; 0: none
}

func payoutOf(m core.View, p *schema.Payout) payout {
	shown := payout{
		ID: p.ID, Chain: m.Chains().Get(p.Chain).Name, Asset: m.Listing().Asset(p.Asset).Ticker, Status: p.Status.String(), Height: p.Height,
		Created: moment(p.Created), Withdrawals: append([]schema.WithdrawalID{}, p.Withdrawals...), Variants: len(p.Variants), GivingUp: p.GivingUp, Approver: p.Approver,
		Parent: m.Chains().Parent(p.ID),
	}
	v := &p.Variants[len(p.Variants)-1]
	shown.Fee = sheet.Number{Decimal: v.Fee}
	if p.Height != 0 {
		v = &p.Variants[p.Mined]
		shown.Fee = sheet.Number{Decimal: p.Paid}
	}
	shown.Tx = v.Tx
	return shown
}

func (s *Server) listPayouts(c *call) (any, error) {
	of, err := s.chain(c)
	if err != nil {
		return nil, err
	}
	list := []payout{}
	s.look(func(m core.View) {
		for p := range m.Chains().Payouts(of.ID) {
			list = append(list, payoutOf(m, p))
		}
	})
	return list, nil
}

// payoutDecision is what is to become of a payout.
type payoutDecision struct {
	Decision string `json:"decision"` // give up or abandon
}

// abandon decides about the payout in the path.
func (s *Server) abandon(c *call) (any, error) {
	p, err := numbered(s, c, "payout", func(m core.View, id uint64) (schema.Payout, bool) {
		return m.Chains().Payout(schema.PayoutID(id))
	})
	var asked payoutDecision
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	command := schema.AbandonPayout{Payout: p.ID}
	switch asked.Decision {
	case "give up":
	case "abandon":
		command.Dead = true
	default:
		return nil, &Error{Status: 422, Field: "decision", Message: "a decision about a payout is 'give up' or 'abandon'"}
	}
	if _, err := s.do(c, &command); err != nil {
		return nil, err
	}
	var now payout
	s.look(func(m core.View) {
		if left, known := m.Chains().Payout(p.ID); known {
			p = left
		} else {
			p.Status = schema.PayoutDead
		}
		now = payoutOf(m, &p)
	})
	return now, nil
}
