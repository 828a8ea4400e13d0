package archive

import (
	"context"
	"strings"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// RiskLine is one thing that happened to those who ran out of margin, or to the insurance fund.
type RiskLine struct {
	Batch   uint64
	Time    schema.Time
	Event   string
	Account string // whose it is, "" for the fund
	With    string // the winner that deleveraging closed
	Of      string // a market or an asset
	Price   fixed.Decimal
	Amount  fixed.Decimal // that was dealt, paid, or moved in or out of the fund
	Deal    schema.DealID
	Cause   schema.Cause // why the fund changed
	// Of a change of state: what the account had, and its maintenance margin.
	Total       fixed.Decimal
	Maintenance fixed.Decimal
	Fund        fixed.Decimal // what the fund has then
}

// Events of risk, beside the words of schema.RiskState.
const (
	RiskDeal         = "deal"         // of liquidation, in a book
	RiskDeleveraging = "deleveraging" // a deal of liquidation without a book
	RiskFund         = "fund"         // the insurance fund changed
	RiskShortfall    = "shortfall"    // what the fund paid for an account; the change of the fund is a line of its own
)

// Risk calls each with the lines of risk. The lines of the fund add up to what it has.
func (a *Archive) Risk(ctx context.Context, limit Limit, each func(*RiskLine) error) error {
	p := NewPast()
	p.Machine.Itemize()
	funds := map[schema.AssetID]fixed.Decimal{}
	return a.Replay(ctx, p, limit, func(h *CommandEvents) error {
		for e := range h.Outcome.Events.All() {
			if line, is := riskLine(p.Machine, funds, e); is {
				line.Batch, line.Time = h.Batch, h.Outcome.Time
				if err := each(&line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// riskLine is the line that an event makes, if it does. Funds are what the fund had of each asset before.
func riskLine(m core.View, funds map[schema.AssetID]fixed.Decimal, event schema.Event) (line RiskLine, is bool) {
	account := func(id schema.AccountID) string { return m.Accounts().Get(id).Name }
	asset := func(id schema.AssetID) string { return m.Listing().Asset(id).Ticker }
	switch e := event.(type) {
	case *schema.RiskChanged:
		return RiskLine{Event: e.State.String(), Account: account(e.Account), Total: e.Total, Maintenance: e.Maintenance}, true
	case *schema.Deal:
		if name := e.Taker.ClientID.String(); !strings.HasPrefix(name, "liquidation_") || !strings.HasSuffix(name, "_!") {
			return line, false
		}
		line = RiskLine{
			Event: RiskDeal, Account: account(e.Taker.Account), Of: m.Listing().Market(e.Market).Name, Price: e.Price, Amount: e.Amount, Deal: e.ID,
		}
		if e.OffBook {
			line.Event, line.With = RiskDeleveraging, account(e.Maker.Account)
		}
		return line, true
	case *schema.BalanceChanged:
		if e.Account != schema.Insurance || e.Wallet != schema.Main {
			return line, false
		}
		line = RiskLine{Event: RiskFund, Of: asset(e.Asset), Amount: e.Available.Sub(funds[e.Asset]), Cause: e.Cause, Fund: e.Available}
		funds[e.Asset] = e.Available
		if e.Cause == schema.ByLiquidation {
			line.Deal = schema.DealID(e.Ref)
		}
		return line, true
	case *schema.Shortfall:
		return RiskLine{Event: RiskShortfall, Account: account(e.Account), Of: asset(e.Asset), Amount: e.Amount, Fund: e.Fund}, true
	}
	return line, false
}
