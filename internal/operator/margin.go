package operator

import (
	"strconv"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// margin is what an account has as collateral and what is asked of it, in USDT.
type margin struct {
	Account     string       `json:"account"`
	Risk        string       `json:"risk"` // when it was last looked at: none, margin_call, liquidation
	Leverage    uint8        `json:"leverage"`
	HedgeMode   bool         `json:"hedge_mode"`
	Equity      sheet.Number `json:"equity"` // without unrealized PnL
	Unrealized  sheet.Number `json:"unrealized"`
	Margin      sheet.Number `json:"margin"` // of positions and orders
	Maintenance sheet.Number `json:"maintenance"`
	Positions   []position   `json:"positions"`
	Loans       []loan       `json:"loans"`
}

// position is a position as operators see it.
type position struct {
	ID     uint64       `json:"id"`
	Market string       `json:"market"`
	Side   string       `json:"side"`
	Amount sheet.Number `json:"amount"` // below zero: short
	Cost   sheet.Number `json:"cost"`   // of what is open, signed like the amount; of futures in USDT, whatever they are quoted in
	Mark   sheet.Number `json:"mark"`
	// LiquidationPrice is null where no price ends the margin.
	LiquidationPrice *sheet.Number `json:"liquidation_price"`
	Realized         sheet.Number  `json:"realized"`
	Fees             sheet.Number  `json:"fees"`
	Funding          sheet.Number  `json:"funding"` // that was paid; below zero: received
	Opened           time.Time     `json:"opened"`
}

// loan is what an account owes of an asset.
type loan struct {
	Asset     string       `json:"asset"`
	Principal sheet.Number `json:"principal"`
	Interest  sheet.Number `json:"interest"` // booked and not paid
	Accrued   sheet.Number `json:"accrued"`  // interest that is not booked yet
	Opened    time.Time    `json:"opened"`
}

func (s *Server) showMargin(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	now := margin{Account: a.Name, Positions: []position{}, Loans: []loan{}}
	s.look(func(m core.View) { now.read(m, a.ID) })
	return now, nil
}

func (n *margin) read(m core.View, account schema.AccountID) {
	all := m.Collateral()
	sum := all.Summary(account)
	n.Risk, n.Leverage, n.HedgeMode = all.Risk(account).String(), sum.Leverage, sum.Hedge
	n.Equity, n.Unrealized = sheet.Number{Decimal: sum.Equity}, sheet.Number{Decimal: sum.Unrealized}
	n.Margin, n.Maintenance = sheet.Number{Decimal: sum.Margin}, sheet.Number{Decimal: sum.Maintenance}
	for _, p := range all.Positions(account) {
		mark, _ := m.Prices().Mark(p.Market)
		seen := position{
			ID: uint64(p.ID), Market: m.Listing().Market(p.Market).Name, Side: p.Side.String(),
			Amount: sheet.Number{Decimal: p.Amount}, Cost: sheet.Number{Decimal: p.Cost}, Mark: sheet.Number{Decimal: mark},
			Realized: sheet.Number{Decimal: p.Realized}, Fees: sheet.Number{Decimal: p.Fees}, Funding: sheet.Number{Decimal: p.Funding},
			Opened: moment(p.Opened),
		}
		if price, is := all.LiquidationPrice(account, p.Market, p.Side); is {
			seen.LiquidationPrice = &sheet.Number{Decimal: price}
		}
		n.Positions = append(n.Positions, seen)
	}
	for _, l := range all.Loans(account) {
		n.Loans = append(n.Loans, loan{
			m.Listing().Asset(l.Asset).Ticker,
			sheet.Number{Decimal: l.Principal},
			sheet.Number{Decimal: l.Interest},
			sheet.Number{Decimal: l.Accrued},
			moment(l.Opened),
		})
	}
}

// closePosition closes a position at the market and answers with what the account has then.
func (s *Server) closePosition(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	text := c.PathValue("position")
	id, _ := strconv.ParseUint(text, 10, 64) // none is numbered 0
	command := &schema.ClosePosition{Account: a.ID, Forced: true}
	s.look(func(m core.View) {
		for _, p := range m.Collateral().Positions(a.ID) {
			if uint64(p.ID) == id {
				command.Market, command.Position = p.Market, p.ID
			}
		}
	})
	if command.Position == 0 {
		return nil, missing("position", text)
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showMargin(c)
}
