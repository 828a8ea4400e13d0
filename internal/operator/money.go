package operator

import (
	"errors"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// balance is what an account has in a wallet.
type balance struct {
	Wallet    string       `json:"wallet"`
	Asset     string       `json:"asset"`
	Available sheet.Number `json:"available"`
	Frozen    sheet.Number `json:"frozen"` // by open orders and withdrawals
	Held      sheet.Number `json:"held"`   // of available: deposits that wait for confirmation
}

func (s *Server) balances(c *call) (any, error) {
	id, err := s.owner(c)
	if err != nil {
		return nil, err
	}
	list := []balance{}
	s.look(func(m core.View) {
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
	// What follows is for deposits of customers alone.
	Held   bool   `json:"held,omitempty"`   // it waits for confirmation
	Wallet string `json:"wallet,omitempty"` // where it ends: main, as without one, or trade
}

// deposit brings money out of nowhere into the main wallet: this is a sandbox's way in. For the trade
// wallet a transfer follows, as a customer would make it. What that would be refused for is checked
// before, so that nothing is done by half.
func (s *Server) deposit(c *call) (any, error) {
	a, asset, m, err := s.movement(c)
	if err != nil {
		return nil, err
	}
	to, known := schema.Main, m.Wallet == "" || m.Wallet == schema.Main.String()
	if m.Wallet == schema.Trade.String() {
		to, known = schema.Trade, true
	}
	transfer := &schema.Transfer{Account: a.ID, Asset: asset.ID, Amount: m.Amount.Decimal, From: schema.Main, To: to}
	switch {
	case !known:
		return nil, &Error{Status: 422, Field: "wallet", Message: fmt.Sprintf("a deposit goes to the wallet main or trade, not to %q", m.Wallet)}
	case to == schema.Trade && a.Blocked:
		return nil, refusal(schema.Refuse(schema.AccountBlocked))
	case to == schema.Trade && !asset.CanDeposit:
		return nil, refusal(schema.Refuse(schema.EnteringDisabled))
	case to == schema.Trade && m.Amount.Decimals() > int(asset.Precision):
		return nil, refusal(schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(int64(asset.Precision))})
	}
	if _, err := s.do(c, &schema.Deposit{Account: a.ID, Asset: asset.ID, Amount: m.Amount.Decimal, Held: m.Held}); err != nil {
		var proposal *waits
		if to == schema.Trade && errors.As(err, &proposal) {
			proposal.Message += "; the money will be in the main wallet"
		}
		return nil, err
	}
	if to == schema.Trade {
		if _, err := s.do(c, transfer); err != nil {
			e := *s.failure(err)
			e.Message = "the deposit is in the main wallet; moving it to the trade wallet failed: " + e.Message
			return nil, &e
		}
	}
	return s.balances(c)
}

// confirm makes held money fully usable.
func (s *Server) confirm(c *call) (any, error) {
	return s.move(c, func(a schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Command {
		return &schema.ConfirmDeposit{Account: a, Asset: asset, Amount: amount}
	})
}

// withdraw takes money out of the main wallet.
func (s *Server) withdraw(c *call) (any, error) {
	return s.move(c, func(a schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Command {
		return &schema.Withdraw{Account: a, Asset: asset, Amount: amount}
	})
}

// move moves money that is no deposit.
func (s *Server) move(c *call, command func(schema.AccountID, schema.AssetID, fixed.Decimal) schema.Command) (any, error) {
	a, asset, m, err := s.movement(c)
	if err == nil {
		err = m.plain()
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.do(c, command(a.ID, asset.ID, m.Amount.Decimal)); err != nil {
		return nil, err
	}
	return s.balances(c)
}

// plain refuses what only deposits of customers can say.
func (m *movement) plain() error {
	switch {
	case m.Held:
		return &Error{Status: 422, Field: "held", Message: "only deposits of customers can be held"}
	case m.Wallet != "":
		return &Error{Status: 422, Field: "wallet", Message: "only deposits of customers choose a wallet; this is about the main one"}
	}
	return nil
}

// movement reads what is to be moved, and whose it is.
func (s *Server) movement(c *call) (a schema.Account, asset schema.Asset, m movement, err error) {
	if a, err = s.customer(c); err == nil {
		asset, m, err = s.amount(c)
	}
	return a, asset, m, err
}

// amount reads what is to be moved.
func (s *Server) amount(c *call) (asset schema.Asset, m movement, err error) {
	if err := c.read(&m); err != nil {
		return asset, m, err
	}
	asset, err = s.assetByTicker(m.Asset)
	return asset, m, err
}

// assetByTicker is the asset that a request names.
func (s *Server) assetByTicker(ticker string) (asset schema.Asset, err error) {
	s.look(func(m core.View) {
		if found := m.Listing().AssetByTicker(ticker); found != nil {
			asset = *found
		}
	})
	if asset.ID == 0 {
		return asset, &Error{Status: 422, Field: "asset", Message: missing("asset", ticker).Message}
	}
	return asset, nil
}
