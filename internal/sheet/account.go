package sheet

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"bourse/internal/schema"
)

// Account is the settings of a customer; see schema.Account.
type Account struct {
	Name     string  `json:"name"`
	Region   string  `json:"region"`
	Blocked  bool    `json:"blocked"`
	Retail   bool    `json:"retail"`
	RPI      bool    `json:"rpi"`
	Partner  bool    `json:"partner"`
	Mining   bool    `json:"mining"`
	TradFi   bool    `json:"tradfi"`
	MakerFee *Number `json:"maker_fee"` // percent; null: those of the markets alone
	TakerFee *Number `json:"taker_fee"`
	// MaxLeverage is the highest that it may choose; 0: the highest there is.
	MaxLeverage uint8 `json:"max_leverage"`
	// Tier says how much may leave, once the account is verified.
	Tier     uint8 `json:"tier"`
	Verified bool  `json:"verified"`
	// RestrictedUntil is until when nothing may leave; null: it may.
	RestrictedUntil *Moment `json:"restricted_until"`
	NewAddresses    bool    `json:"new_addresses"`
	Checker         bool    `json:"checker"`
	CreditLine      bool    `json:"credit_line"`
	Invoices        bool    `json:"invoices"`
	// Deposits lets a sub-account have deposit addresses; other accounts have them anyway.
	Deposits bool `json:"deposits"`
	// Approvals lets withdrawals of its sub-accounts wait until it confirms them.
	Approvals bool `json:"approvals"`
	// KYCLinks lets it ask for links by which its sub-accounts are verified.
	KYCLinks bool `json:"kyc_links"`
	// MultiInvest lets it have several investments in a fixed plan.
	MultiInvest bool `json:"multi_invest"`
}

// AccountOf is the sheet of an account.
func AccountOf(a *schema.Account) Account {
	s := Account{
		Name: a.Name, Region: a.Region.String(), Blocked: a.Blocked, Retail: a.Retail, RPI: a.RPI, Partner: a.Partner, Mining: a.Mining, TradFi: a.TradFi,
		MakerFee: pointer(a.MakerFee), TakerFee: pointer(a.TakerFee), MaxLeverage: a.MaxLeverage,
		Tier: a.Tier, Verified: a.Verified, NewAddresses: a.NewAddresses, Checker: a.Checker, CreditLine: a.CreditLine, Invoices: a.Invoices,
		Deposits: a.Deposits, Approvals: a.Approvals, KYCLinks: a.KYCLinks, MultiInvest: a.MultiInvest,
	}
	if a.RestrictedUntil != 0 {
		s.RestrictedUntil = &Moment{a.RestrictedUntil}
	}
	return s
}

// CheckName refuses names that cannot be printed: on a terminal or in a list they would read as
// something else.
func (s *Account) CheckName() error {
	for _, c := range s.Name {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			return fmt.Errorf("the name %q has characters that cannot be printed", s.Name)
		}
	}
	return nil
}

// Command opens the account (id 0) or changes the one with an id.
func (s *Account) Command(id schema.AccountID) (*schema.SetAccount, error) {
	region, err := ParseRegion(s.Region)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", s.Name, err)
	}
	a := schema.Account{
		ID: id, Name: s.Name, Region: region, Blocked: s.Blocked, Retail: s.Retail, RPI: s.RPI, Partner: s.Partner, Mining: s.Mining, TradFi: s.TradFi,
		MakerFee: optional(s.MakerFee), TakerFee: optional(s.TakerFee), MaxLeverage: s.MaxLeverage,
		Tier: s.Tier, Verified: s.Verified, NewAddresses: s.NewAddresses, Checker: s.Checker, CreditLine: s.CreditLine, Invoices: s.Invoices,
		Deposits: s.Deposits, Approvals: s.Approvals, KYCLinks: s.KYCLinks, MultiInvest: s.MultiInvest,
	}
	if s.RestrictedUntil != nil {
		a.RestrictedUntil = s.RestrictedUntil.Time
	}
	return &schema.SetAccount{Account: a}, nil
}

// Key is the settings of an API key.
type Key struct {
	Key       string   `json:"key"`
	Title     string   `json:"title"`
	Enabled   bool     `json:"enabled"`
	URLs      []string `json:"urls"`      // the paths that it may call, or groups of them; "*" for all
	Addresses []string `json:"addresses"` // the addresses that it may be used from; none: from everywhere
}

// KeyOf is the sheet of a key.
func KeyOf(k *schema.Key) Key {
	return Key{
		Key: k.Key, Title: k.Title, Enabled: k.Enabled,
		URLs: append([]string{}, k.URLs...), Addresses: append([]string{}, k.Addresses...),
	}
}

// Command makes the key of an account, or changes it.
func (s *Key) Command(account schema.AccountID, sealed []byte) *schema.SetKey {
	return &schema.SetKey{Key: schema.Key{
		Key: s.Key, Account: account, Title: s.Title, Sealed: sealed, Enabled: s.Enabled, URLs: s.URLs, Addresses: s.Addresses,
	}}
}

// Fee is what an account pays on a market, in percent; null: as otherwise.
type Fee struct {
	Maker *Number `json:"maker"`
	Taker *Number `json:"taker"`
}

// FeeOf is the sheet of a fee.
func FeeOf(f *schema.SetFee) Fee { return Fee{pointer(f.Maker), pointer(f.Taker)} }

// Command assigns the fee.
func (s *Fee) Command(account schema.AccountID, market schema.MarketID) *schema.SetFee {
	return &schema.SetFee{Account: account, Market: market, Maker: optional(s.Maker), Taker: optional(s.Taker)}
}
