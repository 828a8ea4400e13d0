package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Line is a line of an account's statement: a balance after it changed.
type Line struct {
	Batch     uint64
	Time      schema.Time
	Wallet    schema.Wallet
	Asset     string
	Change    fixed.Decimal // of available and frozen together, so that the lines add up
	Cause     schema.Cause
	Order     schema.OrderID // what moved it; at most one of the two
	Deal      schema.DealID
	Available fixed.Decimal
	Frozen    fixed.Decimal
	Held      fixed.Decimal
}

// Statement calls each with the lines of an account's statement, from the first one on.
func (a *Archive) Statement(ctx context.Context, limit Limit, name string, each func(*Line) error) error {
	end, err := a.nearest(ctx, limit)
	if err != nil {
		return err
	}
	// An account may have had another name before, so its id is found at the end of the way.
	if err := a.Replay(ctx, end, limit, nil); err != nil {
		return err
	}
	id, err := AccountByName(end.Machine, name)
	if err != nil {
		return err
	}
	s := NewStatement(id, func(id schema.AssetID) string { return end.Machine.Listing().Asset(id).Ticker })
	past := NewPast()
	past.Machine.Itemize()
	return a.Replay(ctx, past, limit, func(h *CommandEvents) error {
		for e := range h.Outcome.Events.All() {
			if line, is := s.Line(h.Batch, h.Outcome.Time, e); is {
				if err := each(&line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// AccountByName is the id of a customer or of one of the exchange's own accounts.
func AccountByName(m core.View, name string) (schema.AccountID, error) {
	if account := m.Accounts().ByName(name); account != nil {
		return account.ID, nil
	}
	if id := schema.SystemAccount(name); id != 0 {
		return id, nil
	}
	var names []string
	for _, account := range m.Accounts().All() {
		names = append(names, account.Name)
	}
	return 0, fmt.Errorf("there is no account %q at that place of the log; %s", name, choices(append(names, schema.SystemNames()...)))
}

func marketByName(m *core.Machine, name string) (*schema.MarketInfo, error) {
	if market := m.Listing().MarketByName(name); market != nil {
		return market, nil
	}
	var names []string
	for _, market := range m.Listing().Markets() {
		names = append(names, market.Name)
	}
	return nil, fmt.Errorf("there is no market %q at that place of the log; %s", name, choices(names))
}

// choices lists what could have been meant, as far as it fits.
func choices(names []string) string {
	const most = 20
	if len(names) == 0 {
		return "there is none at all"
	}
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("there are %d, such as %s", len(names), strings.Join(names[:most], ", "))
	}
	return "there are " + strings.Join(names, ", ")
}

// purse is one balance of an account.
type purse struct {
	wallet schema.Wallet
	asset  schema.AssetID
}

// Statement makes the lines of an account's statement from everything that happened, itemized, from
// the first event on.
type Statement struct {
	account schema.AccountID
	ticker  func(schema.AssetID) string
	totals  map[purse]fixed.Decimal // available and frozen together, before the next line
}

// NewStatement begins the statement of an account.
func NewStatement(account schema.AccountID, ticker func(schema.AssetID) string) *Statement {
	return &Statement{account, ticker, map[purse]fixed.Decimal{}}
}

// Line is the line that an event makes, if it does.
func (s *Statement) Line(batch uint64, at schema.Time, event schema.Event) (line Line, is bool) {
	b, is := event.(*schema.BalanceChanged)
	if !is || b.Account != s.account {
		return line, false
	}
	in, total := purse{b.Wallet, b.Asset}, b.Available.Add(b.Frozen)
	line = Line{
		Batch: batch, Time: at, Wallet: b.Wallet, Asset: s.ticker(b.Asset),
		Change: total.Sub(s.totals[in]), Cause: b.Cause, Available: b.Available, Frozen: b.Frozen, Held: b.Held,
	}
	s.totals[in] = total
	// A trade names the deal, except where it only gives back what an order had frozen and did
	// not need.
	switch moved := !line.Change.IsZero(); {
	case moved && (b.Cause == schema.ByTrade || b.Cause == schema.ByFee), b.Cause == schema.ByPnl, b.Cause == schema.ByLiquidation:
		line.Deal = schema.DealID(b.Ref)
	case b.Cause == schema.ByFunding: // which names a position or a market
	default:
		line.Order = schema.OrderID(b.Ref)
	}
	return line, true
}
