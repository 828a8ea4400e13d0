package operator

import (
	"net/http"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// funds are what the exchange keeps of one asset: behind margin, for conversions, interest and miners, in codes, and on chains.
type funds struct {
	Asset     string       `json:"asset"`
	Insurance sheet.Number `json:"insurance"` // the insurance fund; below zero it is the operator's debt
	Lending   sheet.Number `json:"lending"`   // what the pool of loans has left
	Lent      sheet.Number `json:"lent"`      // what customers owe it, with the interest that is booked
	Clearing  sheet.Number `json:"clearing"`  // what is between longs and shorts
	Codes     sheet.Number `json:"codes"`     // what is in codes that nobody applied yet
	Convert   sheet.Number `json:"convert"`   // what conversions can pay, beside what is promised in open quotes
	Interest  sheet.Number `json:"interest"`  // what investments can be paid from, beside what fixed plans will pay
	Pool      sheet.Number `json:"pool"`      // what miners can be paid from
	Custody   sheet.Number `json:"custody"`   // what is booked of what came by chains
	Suspense  sheet.Number `json:"suspense"`  // what of that is nobody's, or waits for a decision
	Owed      sheet.Number `json:"owed"`      // what customers owe because a chain took back what they had spent
}

func (s *Server) listFunds(*call) (any, error) {
	list := []funds{}
	s.look(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			there := func(account schema.AccountID, w schema.Wallet) sheet.Number {
				available, _, _ := m.Balance(account, w, a.ID)
				return sheet.Number{Decimal: available}
			}
			f := funds{
				Asset: a.Ticker, Insurance: there(schema.Insurance, schema.Main), Lending: there(schema.Lending, schema.Main),
				Lent: there(schema.Lending, schema.Debt), Clearing: there(schema.Clearing, schema.Collateral),
				Codes: there(schema.Codes, schema.Main), Convert: there(schema.Convert, schema.Main), Interest: there(schema.Interest, schema.Main),
				Pool: there(schema.Pool, schema.Main), Custody: there(schema.Custody, schema.Main), Suspense: there(schema.Suspense, schema.Main),
				Owed: there(schema.House, schema.Owed),
			}
			for _, mirror := range []*sheet.Number{&f.Lent, &f.Custody, &f.Owed} { // balances that mirror what others have, or owe
				mirror.Decimal = mirror.Neg()
			}
			if f != (funds{Asset: a.Ticker}) {
				list = append(list, f)
			}
		}
	})
	return list, nil
}

// fundIn brings the operator's money into a fund, fundOut takes it out.
func (s *Server) fundIn(c *call) (any, error)  { return s.fund(c, fixed.Decimal.Abs) }
func (s *Server) fundOut(c *call) (any, error) { return s.fund(c, fixed.Decimal.Neg) }

func (s *Server) fund(c *call, signed func(fixed.Decimal) fixed.Decimal) (any, error) {
	name := c.PathValue("fund")
	account := schema.SystemAccount(name)
	if !account.Funded() {
		return nil, missing("fund", name)
	}
	asset, m, err := s.amount(c)
	if err == nil {
		err = m.plain()
	}
	switch {
	case err != nil:
		return nil, err
	case m.Amount.Sign() < 0:
		return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "amount", Message: "the amount is not below zero: what is taken out is a withdrawal"}
	}
	if _, err := s.do(c, &schema.FundSystem{Account: account, Asset: asset.ID, Amount: signed(m.Amount.Decimal)}); err != nil {
		return nil, err
	}
	return s.listFunds(c)
}
