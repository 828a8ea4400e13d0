package sheet

import (
	"fmt"

	"bourse/internal/schema"
)

// Asset is an asset; see schema.Asset.
type Asset struct {
	Ticker      string    `json:"ticker"`
	Name        string    `json:"name"`
	Class       string    `json:"class"` // crypto, fiat, payment method
	Scale       uint8     `json:"scale"`
	Precision   uint8     `json:"precision"`
	CanDeposit  bool      `json:"can_deposit"`
	CanWithdraw bool      `json:"can_withdraw"`
	MinDeposit  Number    `json:"min_deposit"`
	MaxDeposit  Number    `json:"max_deposit"`
	MinWithdraw Number    `json:"min_withdraw"`
	MaxWithdraw Number    `json:"max_withdraw"`
	UnifiedID   uint32    `json:"unified_id"`
	DepositMemo bool      `json:"deposit_memo"`
	PayoutMemo  bool      `json:"payout_memo"`
	Networks    []Network `json:"networks"`
	Providers   []string  `json:"providers"`
	Codes       bool      `json:"codes"`
	MinCode     Number    `json:"min_code"`
}

// Network is a network of an asset; see schema.Network.
type Network struct {
	Name                    string `json:"name"`
	Default                 bool   `json:"default"`
	CanDeposit              bool   `json:"can_deposit"`
	CanWithdraw             bool   `json:"can_withdraw"`
	MinDeposit              Number `json:"min_deposit"`
	MaxDeposit              Number `json:"max_deposit"`
	MinWithdraw             Number `json:"min_withdraw"`
	MaxWithdraw             Number `json:"max_withdraw"`
	Confirmations           uint32 `json:"confirmations"`
	ConfirmationsForTrading uint32 `json:"confirmations_for_trading"`
}

// AssetOf is the sheet of an asset.
func AssetOf(a *schema.Asset) Asset {
	s := Asset{
		Ticker: a.Ticker, Name: a.Name, Class: a.Class.String(), Scale: a.Scale, Precision: a.Precision,
		CanDeposit: a.CanDeposit, CanWithdraw: a.CanWithdraw,
		MinDeposit: Number{a.MinDeposit}, MaxDeposit: Number{a.MaxDeposit},
		MinWithdraw: Number{a.MinWithdraw}, MaxWithdraw: Number{a.MaxWithdraw},
		UnifiedID: a.UnifiedID, DepositMemo: a.DepositMemo, PayoutMemo: a.PayoutMemo,
		Networks: []Network{}, Providers: append([]string{}, a.Providers...),
		Codes: a.Codes, MinCode: Number{a.MinCode},
	}
	for i := range a.Networks {
		n := &a.Networks[i]
		s.Networks = append(s.Networks, Network{
			Name: n.Name, Default: n.Default, CanDeposit: n.CanDeposit, CanWithdraw: n.CanWithdraw,
			MinDeposit: Number{n.MinDeposit}, MaxDeposit: Number{n.MaxDeposit},
			MinWithdraw: Number{n.MinWithdraw}, MaxWithdraw: Number{n.MaxWithdraw},
			Confirmations: n.Confirmations, ConfirmationsForTrading: n.ConfirmationsForTrading,
		})
	}
	return s
}

// Command lists the asset or changes it.
func (s *Asset) Command() (*schema.SetAsset, error) {
	class, err := choice("a class", s.Class, schema.Crypto, schema.Fiat, schema.PaymentMethod)
	if err != nil {
		return nil, fmt.Errorf("asset %s: %w", s.Ticker, err)
	}
	a := schema.Asset{
		Ticker: s.Ticker, Name: s.Name, Class: class, Scale: s.Scale, Precision: s.Precision,
		CanDeposit: s.CanDeposit, CanWithdraw: s.CanWithdraw,
		MinDeposit: s.MinDeposit.Decimal, MaxDeposit: s.MaxDeposit.Decimal,
		MinWithdraw: s.MinWithdraw.Decimal, MaxWithdraw: s.MaxWithdraw.Decimal,
		UnifiedID: s.UnifiedID, DepositMemo: s.DepositMemo, PayoutMemo: s.PayoutMemo, Providers: s.Providers,
		Codes: s.Codes, MinCode: s.MinCode.Decimal,
	}
	for _, n := range s.Networks {
		a.Networks = append(a.Networks, schema.Network{
			Name: n.Name, Default: n.Default, CanDeposit: n.CanDeposit, CanWithdraw: n.CanWithdraw,
			MinDeposit: n.MinDeposit.Decimal, MaxDeposit: n.MaxDeposit.Decimal,
			MinWithdraw: n.MinWithdraw.Decimal, MaxWithdraw: n.MaxWithdraw.Decimal,
			Confirmations: n.Confirmations, ConfirmationsForTrading: n.ConfirmationsForTrading,
		})
	}
	return &schema.SetAsset{Asset: a}, nil
}
