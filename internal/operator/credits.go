package operator

import (
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// credit is what an operator lent an account.
type credit struct {
	Account     string       `json:"account"`
	Asset       string       `json:"asset"`
	Amount      sheet.Number `json:"amount"`  // that is not repaid
	Funding     sheet.Number `json:"funding"` // interest that was taken for it
	LTV         sheet.Number `json:"ltv"`     // what it is of all that the account owns, in percent; 0: there is no price
	Initial     sheet.Number `json:"initial"`
	MarginCall  sheet.Number `json:"margin_call"`
	Liquidation sheet.Number `json:"liquidation"`
	Created     time.Time    `json:"created"`
}

func creditOf(m core.View, c *schema.Credit) credit {
	return credit{
		Account: nameOf(m, c.Account), Asset: m.Listing().Asset(c.Asset).Ticker, Amount: sheet.Number{Decimal: c.Amount}, Funding: sheet.Number{Decimal: c.Funding},
		LTV: sheet.Number{Decimal: m.CreditLTV(c.Account)}, Initial: sheet.Number{Decimal: c.Initial}, MarginCall: sheet.Number{Decimal: c.MarginCall},
		Liquidation: sheet.Number{Decimal: c.Liquidation}, Created: moment(c.Created),
	}
}

func (s *Server) listCredits(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []credit{}
	s.look(func(m core.View) {
		for _, of := range window(m.Credits(), limit, offset) {
			list = append(list, creditOf(m, &of))
		}
	})
	return list, nil
}

// askedCredit is what is to be lent. The percents say what the credit may be of all that the account owns.
type askedCredit struct {
	Asset       string       `json:"asset"`
	Amount      sheet.Number `json:"amount"`
	Initial     sheet.Number `json:"initial"`
	MarginCall  sheet.Number `json:"margin_call"`
	Liquidation sheet.Number `json:"liquidation"`
}

func (s *Server) openCredit(c *call) (any, error) {
	a, err := s.customer(c)
	var asked askedCredit
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	asset, err := s.assetByTicker(asked.Asset)
	if err != nil {
		return nil, err
	}
	command := schema.OpenCredit{
		Account: a.ID, Asset: asset.ID, Amount: asked.Amount.Decimal, Initial: asked.Initial.Decimal, MarginCall: asked.MarginCall.Decimal, Liquidation: asked.Liquidation.Decimal,
	}
	return s.credited(c, a.ID, &command)
}

// part is a part of a credit.
type part struct {
	Amount sheet.Number `json:"amount"`
}

func (s *Server) chargeCredit(c *call) (any, error) {
	return s.partly(c, func(a *schema.Account, p *part) schema.Command {
		return &schema.ChargeCredit{Account: a.ID, Amount: p.Amount.Decimal}
	})
}

func (s *Server) repayCredit(c *call) (any, error) {
	return s.partly(c, func(a *schema.Account, p *part) schema.Command {
		return &schema.RepayCredit{Account: a.ID, Amount: p.Amount.Decimal}
	})
}

// partly takes a part of a credit, or interest, from the account in the path.
func (s *Server) partly(c *call, command func(*schema.Account, *part) schema.Command) (any, error) {
	a, err := s.customer(c)
	var asked part
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	return s.credited(c, a.ID, command(&a, &asked))
}

// credited does something about the credit of an account and shows it; one that is over has the amount 0.
func (s *Server) credited(c *call, id schema.AccountID, command schema.Command) (any, error) {
	var now credit
	look := func(m core.View) {
		if of, active := m.Credit(id); active {
			now = creditOf(m, &of)
		} else {
			now.Amount, now.LTV = sheet.Number{}, sheet.Number{}
		}
	}
	s.look(look)
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	s.look(look)
	return now, nil
}
