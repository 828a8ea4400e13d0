package operator

import (
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// balance is what an account has in a wallet.
type balance struct {
	Wallet    string       `json:"wallet"`
	Asset     string       `json:"asset"`
	Available sheet.Number `json:"available"`
	Frozen    sheet.Number `json:"frozen"` // by open orders
	Held      sheet.Number `json:"held"`   // of available: deposits that wait for confirmation
}

func (s *Server) balances(c *call) (any, error) {
	id, err := s.owner(c)
	if err != nil {
		return nil, err
	}
	list := []balance{}
	s.look(func(m *core.Machine) {
		for w := schema.Main; schema.Valid(w); w++ {
			for _, a := range m.Listing().Assets() {
				available, frozen, held := m.Balance(id, w, a.ID)
				if !available.IsZero() || !frozen.IsZero() || !held.IsZero() {
					list = append(list, balance{w.String(), a.Ticker, sheet.Number{Decimal: available}, sheet.Number{Decimal: frozen}, sheet.Number{Decimal: held}})
				}
			}
		}
	})
	return list, nil
}

// movement is money on its way in or out.
type movement struct {
	Asset  string       `json:"asset"`
	Amount sheet.Number `json:"amount"`
	Held   bool         `json:"held,omitempty"` // a deposit that waits for confirmation
}

// deposit brings money out of nowhere into the main wallet: this is a sandbox's way in.
func (s *Server) deposit(c *call) (any, error) {
	return s.move(c, true, func(a schema.AccountID, asset schema.AssetID, m *movement) schema.Command {
		return &schema.Deposit{Account: a, Asset: asset, Amount: m.Amount.Decimal, Held: m.Held}
	})
}

// confirm makes held money fully usable.
func (s *Server) confirm(c *call) (any, error) {
	return s.move(c, false, func(a schema.AccountID, asset schema.AssetID, m *movement) schema.Command {
		return &schema.ConfirmDeposit{Account: a, Asset: asset, Amount: m.Amount.Decimal}
	})
}

// withdraw takes money out of the main wallet.
func (s *Server) withdraw(c *call) (any, error) {
	return s.move(c, false, func(a schema.AccountID, asset schema.AssetID, m *movement) schema.Command {
		return &schema.Withdraw{Account: a, Asset: asset, Amount: m.Amount.Decimal}
	})
}

func (s *Server) move(c *call, holds bool, command func(schema.AccountID, schema.AssetID, *movement) schema.Command) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	var m movement
	if err := c.read(&m); err != nil {
		return nil, err
	}
	if m.Held && !holds {
		return nil, &Error{Status: 422, Field: "held", Message: "only deposits can be held"}
	}
	var asset schema.AssetID
	s.look(func(x *core.Machine) {
		if found := x.Listing().AssetByTicker(m.Asset); found != nil {
			asset = found.ID
		}
	})
	if asset == 0 {
		return nil, &Error{Status: 422, Field: "asset", Message: missing("asset", m.Asset).Message}
	}
	if _, err := s.do(c, command(a.ID, asset, &m)); err != nil {
		return nil, err
	}
	return s.balances(c)
}
