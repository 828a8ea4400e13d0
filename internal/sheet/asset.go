package sheet

import (
	"fmt"

	"bourse/internal/network/address"
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
	NotInEU     bool      `json:"not_in_eu"`
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
	Chain                   string `json:"chain"` // the name of the chain that money comes and goes by; "": operators book it
	DepositFixed            Number `json:"deposit_fixed"`
	DepositPercent          Number `json:"deposit_percent"`
	DepositMinFee           Number `json:"deposit_min_fee"`
	DepositMaxFee           Number `json:"deposit_max_fee"`
	HeldCap                 Number `json:"held_cap"`
	WithdrawFixed           Number `json:"withdraw_fixed"`
	WithdrawPercent         Number `json:"withdraw_percent"`
	WithdrawMinFee          Number `json:"withdraw_min_fee"`
	WithdrawMaxFee          Number `json:"withdraw_max_fee"`
	ApproveAbove            Number `json:"approve_above"`
	Approve2Above           Number `json:"approve2_above"`
	HourCap                 Number `json:"hour_cap"`
	HotCap                  Number `json:"hot_cap"`  // what stays by keys that are online, on a chain that others live on
	Contract                string `json:"contract"` // of a token, on a chain of contracts that others live on
	Decimals                uint8  `json:"decimals"` // that a chain that others live on keeps of it
}

// AssetOf is the sheet of an asset. The chains of its networks are looked up.
func AssetOf(a *schema.Asset, chains Chains) Asset {
	s := Asset{
		Ticker: a.Ticker, Name: a.Name, Class: a.Class.String(), Scale: a.Scale, Precision: a.Precision,
		CanDeposit: a.CanDeposit, CanWithdraw: a.CanWithdraw,
		MinDeposit: Number{a.MinDeposit}, MaxDeposit: Number{a.MaxDeposit},
		MinWithdraw: Number{a.MinWithdraw}, MaxWithdraw: Number{a.MaxWithdraw},
		UnifiedID: a.UnifiedID, DepositMemo: a.DepositMemo, PayoutMemo: a.PayoutMemo,
		Networks: []Network{}, Providers: append([]string{}, a.Providers...),
		Codes: a.Codes, MinCode: Number{a.MinCode}, NotInEU: a.NotInEU,
	}
	for i := range a.Networks {
		n := &a.Networks[i]
		network := Network{
			Name: n.Name, Default: n.Default, CanDeposit: n.CanDeposit, CanWithdraw: n.CanWithdraw,
			MinDeposit: Number{n.MinDeposit}, MaxDeposit: Number{n.MaxDeposit},
			MinWithdraw: Number{n.MinWithdraw}, MaxWithdraw: Number{n.MaxWithdraw},
			Confirmations: n.Confirmations, ConfirmationsForTrading: n.ConfirmationsForTrading,
			DepositFixed: Number{n.DepositFixed}, DepositPercent: Number{n.DepositPercent},
			DepositMinFee: Number{n.DepositMinFee}, DepositMaxFee: Number{n.DepositMaxFee}, HeldCap: Number{n.HeldCap},
			WithdrawFixed: Number{n.WithdrawFixed}, WithdrawPercent: Number{n.WithdrawPercent},
			WithdrawMinFee: Number{n.WithdrawMinFee}, WithdrawMaxFee: Number{n.WithdrawMaxFee},
			ApproveAbove: Number{n.ApproveAbove}, Approve2Above: Number{n.Approve2Above}, HourCap: Number{n.HourCap}, HotCap: Number{n.HotCap}, Contract: n.Contract, Decimals: n.Decimals,
		}
		if n.Chain != 0 {
			network.Chain = chains.Get(n.Chain).Name
		}
		s.Networks = append(s.Networks, network)
	}
	return s
}

// Command lists the asset or changes it. The chains of its networks are looked up.
func (s *Asset) Command(chains Chains) (*schema.SetAsset, error) {
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
		Codes: s.Codes, MinCode: s.MinCode.Decimal, NotInEU: s.NotInEU,
	}
	for _, n := range s.Networks {
		network := schema.Network{
			Name: n.Name, Default: n.Default, CanDeposit: n.CanDeposit, CanWithdraw: n.CanWithdraw,
			MinDeposit: n.MinDeposit.Decimal, MaxDeposit: n.MaxDeposit.Decimal,
			MinWithdraw: n.MinWithdraw.Decimal, MaxWithdraw: n.MaxWithdraw.Decimal,
			Confirmations: n.Confirmations, ConfirmationsForTrading: n.ConfirmationsForTrading,
			DepositFixed: n.DepositFixed.Decimal, DepositPercent: n.DepositPercent.Decimal,
			DepositMinFee: n.DepositMinFee.Decimal, DepositMaxFee: n.DepositMaxFee.Decimal, HeldCap: n.HeldCap.Decimal,
			WithdrawFixed: n.WithdrawFixed.Decimal, WithdrawPercent: n.WithdrawPercent.Decimal,
			WithdrawMinFee: n.WithdrawMinFee.Decimal, WithdrawMaxFee: n.WithdrawMaxFee.Decimal,
			ApproveAbove: n.ApproveAbove.Decimal, Approve2Above: n.Approve2Above.Decimal, HourCap: n.HourCap.Decimal, HotCap: n.HotCap.Decimal, Contract: n.Contract, Decimals: n.Decimals,
		}
		if n.Chain != "" {
			chain := chains.ByName(n.Chain)
			if chain == nil {
				return nil, fmt.Errorf("asset %s: network %s: there is no chain %q", s.Ticker, n.Name, n.Chain)
			}
			network.Chain = chain.ID
			if n.Contract != "" {
				contract, err := address.Parse(chain.Space(), n.Contract)
				if err != nil {
					return nil, fmt.Errorf("asset %s: network %s: the contract %q: %w", s.Ticker, n.Name, n.Contract, err)
				}
				network.Contract = contract
			}
		}
		a.Networks = append(a.Networks, network)
	}
	return &schema.SetAsset{Asset: a}, nil
}
