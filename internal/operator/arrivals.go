package operator

import (
	"iter"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// arrival is a deposit that came by a chain, as operators see it.
type arrival struct {
	ID            schema.DepositID `json:"id"`
	Chain         string           `json:"chain"`
	Account       string           `json:"account"` // "": nobody's
	Asset         string           `json:"asset"`
	Amount        sheet.Number     `json:"amount"`
	Fee           sheet.Number     `json:"fee"`
	Status        string           `json:"status"`
	Reversed      bool             `json:"reversed"`      // it was credited for good, and the chain took it back
	Height        uint64           `json:"height"`        // of its block; 0: it is in none
	Confirmations uint64           `json:"confirmations"` // 1 in the last block
	Created       time.Time        `json:"created"`
	Changed       time.Time        `json:"changed"`
	Address       string           `json:"address"`
	Memo          string           `json:"memo"`
	Receipt       string           `json:"receipt"`
}

func arrivalOf(m core.View, d *schema.ChainDeposit) arrival {
	a := arrival{
		ID: d.ID, Chain: m.Chains().Get(d.Chain).Name, Account: nameOf(m, d.Account), Asset: m.Listing().Asset(d.Asset).Ticker,
		Amount: sheet.Number{Decimal: d.Amount}, Fee: sheet.Number{Decimal: d.Fee}, Status: d.Status.String(), Reversed: d.Reversed, Height: d.Height,
		Created: moment(d.Created), Changed: moment(d.Changed), Address: d.Address, Memo: d.Memo, Receipt: d.Receipt,
	}
	a.Confirmations = depth(m, d.Chain, d.Height)
	return a
}

// arrivals are the deposits that came by chains and are not forgotten. Those that are done for good are in the history of their account.
var arrivals = traffic[schema.ChainDeposit, schema.DepositStatus, arrival]{
	status: sheet.ParseDepositStatus,
	all:    func(m core.View, on schema.ChainID) iter.Seq[*schema.ChainDeposit] { return m.Chains().Deposits(on) },
	about: func(d *schema.ChainDeposit) (uint64, schema.AccountID, schema.DepositStatus) {
		return uint64(d.ID), d.Account, d.Status
	},
	show: arrivalOf,
}

func (s *Server) listArrivals(c *call) (any, error) { return arrivals.list(s, c) }

// decision is what is to become of a deposit.
type decision struct {
	Decision string `json:"decision"` // credit, cancel or freeze
	Account  string `json:"account"`  // that gets what is nobody's
}

// decide decides about the deposit in the path.
func (s *Server) decide(c *call) (any, error) {
	d, err := numbered(s, c, "deposit", func(m core.View, id uint64) (schema.ChainDeposit, bool) {
		if v, is := m.Chains().Invoice(schema.DepositID(id)); is {
			return schema.ChainDeposit{ID: v.ID, Account: v.Account, Asset: v.Asset, Amount: v.Amount}, true
		}
		return m.Chains().Deposit(schema.DepositID(id))
	})
	var asked decision
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	command := schema.DecideDeposit{Deposit: d.ID}
	if command.Decision, err = sheet.ParseDecision(asked.Decision); err != nil {
		return nil, &Error{Status: 422, Field: "decision", Message: err.Error()}
	}
	if asked.Account != "" {
		account, err := s.accountByName(asked.Account)
		if err != nil {
			return nil, &Error{Status: 422, Field: "account", Message: err.Error()}
		}
		command.Account = account.ID
	}
	if _, err := s.do(c, &command); err != nil {
		return nil, err
	}
	return s.decided(uint64(d.ID), asked.Decision, max(d.Account, command.Account), d.Asset, d.Amount), nil
}

// debt is what an account owes because a chain took back what it had spent.
type debt struct {
	Account string       `json:"account"`
	Asset   string       `json:"asset"`
	Owed    sheet.Number `json:"owed"`
}

// listOwed lists what accounts owe, by asset and account.
func (s *Server) listOwed(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []debt{}
	s.look(func(m core.View) { list = append(list, window(debts(m, limit+offset), limit, offset)...) })
	return list, nil
}

// debts are what accounts owe, the first so many. Few do: accounts are gone through only for assets of which the exchange is owed
// something, and only until all of that is found.
func debts(m core.View, most int) (list []debt) {
	for _, asset := range m.Listing().Assets() {
		left, _, _ := m.Balance(schema.House, schema.Owed, asset.ID) // it mirrors what is owed
		for _, account := range m.Accounts().All() {
			if left.IsZero() || len(list) == most {
				break
			}
			if owed, _, _ := m.Balance(account.ID, schema.Owed, asset.ID); !owed.IsZero() {
				list = append(list, debt{account.Name, asset.Ticker, sheet.Number{Decimal: owed}})
				left = left.Add(owed)
			}
		}
	}
	return list
}

// forgive writes off what the account in the path owes.
func (s *Server) forgive(c *call) (any, error) {
	return s.move(c, func(a schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Command {
		return &schema.ForgiveOwed{Account: a, Asset: asset, Amount: amount}
	})
}
