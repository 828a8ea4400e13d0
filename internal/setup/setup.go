// Package setup fills an exchange from a file: assets, markets, accounts with keys and money. It
// is how a venue of one's own begins with one command.
//
// What must hold: a file can be applied any number of times, also after a crash in the middle,
// and never changes what is there: what is listed stays as it is, accounts are known by name and
// keep their settings, and one that has a key has all its money and gets no more.
package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// File is what an exchange begins with.
type File struct {
	Assets   []Asset   `json:"assets"`
	Markets  []Market  `json:"markets"`
	Accounts []Account `json:"accounts"`
}

// Asset is an asset; see schema.Asset.
type Asset struct {
	Ticker      string    `json:"ticker"`
	Name        string    `json:"name"`
	Class       string    `json:"class"` // crypto, fiat, payment method
	Scale       uint8     `json:"scale"`
	Precision   uint8     `json:"precision"`
	CanDeposit  bool      `json:"can_deposit"`
	CanWithdraw bool      `json:"can_withdraw"`
	MinDeposit  number    `json:"min_deposit"`
	MaxDeposit  number    `json:"max_deposit"`
	MinWithdraw number    `json:"min_withdraw"`
	MaxWithdraw number    `json:"max_withdraw"`
	UnifiedID   uint32    `json:"unified_id"`
	DepositMemo bool      `json:"deposit_memo"`
	PayoutMemo  bool      `json:"payout_memo"`
	Networks    []Network `json:"networks"`
	Providers   []string  `json:"providers"`
}

// Network is a network of an asset; see schema.Network.
type Network struct {
	Name                    string `json:"name"`
	Default                 bool   `json:"default"`
	CanDeposit              bool   `json:"can_deposit"`
	CanWithdraw             bool   `json:"can_withdraw"`
	MinDeposit              number `json:"min_deposit"`
	MaxDeposit              number `json:"max_deposit"`
	MinWithdraw             number `json:"min_withdraw"`
	MaxWithdraw             number `json:"max_withdraw"`
	Confirmations           uint32 `json:"confirmations"`
	ConfirmationsForTrading uint32 `json:"confirmations_for_trading"`
}

// Market is a market; see schema.MarketInfo. Its name says what is traded.
type Market struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	TickSize   number   `json:"tick_size"`
	StepSize   number   `json:"step_size"`
	StockPrec  uint8    `json:"stock_prec"`
	MoneyPrec  uint8    `json:"money_prec"`
	FeePrec    uint8    `json:"fee_prec"`
	MinAmount  number   `json:"min_amount"`
	MinTotal   number   `json:"min_total"`
	MaxTotal   number   `json:"max_total"`
	MakerFee   number   `json:"maker_fee"`
	TakerFee   number   `json:"taker_fee"`
	RPIPremium *number  `json:"rpi_premium"`
	TakerBand  number   `json:"taker_band"`
	Enabled    bool     `json:"enabled"`
	Regions    []string `json:"regions"`  // where it is offered; none: everywhere
	OpensAt    int64    `json:"opens_at"` // Unix seconds
}

// Account is a customer, with keys, and with money: Deposits come to the main wallet, and Trade
// of that is moved to the trade wallet.
type Account struct {
	Name     string            `json:"name"`
	Region   string            `json:"region"`
	Blocked  bool              `json:"blocked"`
	Retail   bool              `json:"retail"`
	RPI      bool              `json:"rpi"`
	Partner  bool              `json:"partner"`
	Mining   bool              `json:"mining"`
	MakerFee *number           `json:"maker_fee"`
	TakerFee *number           `json:"taker_fee"`
	Keys     []Key             `json:"keys"`
	Deposits map[string]number `json:"deposits"`
	Trade    map[string]number `json:"trade"`
	Fees     map[string]Fee    `json:"fees"` // assigned, by market
}

// Key is an API key. Without URLs it may call everything.
type Key struct {
	Key       string   `json:"key"`
	Secret    string   `json:"secret"`
	Title     string   `json:"title"`
	Enabled   bool     `json:"enabled"`
	URLs      []string `json:"urls"`
	Addresses []string `json:"addresses"`
}

// Fee is what an account pays on a market, in percent.
type Fee struct {
	Maker *number `json:"maker"`
	Taker *number `json:"taker"`
}

// number is a decimal, written as a text.
type number struct{ fixed.Decimal }

func (n *number) UnmarshalText(b []byte) (err error) {
	n.Decimal, err = fixed.ParseBytes(b)
	return err
}

func (n *number) optional() schema.Optional {
	if n == nil {
		return schema.Optional{}
	}
	return schema.Some(n.Decimal)
}

// Read reads a file. Members that it does not know are an error: they would be missed.
func Read(r io.Reader) (*File, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var f File
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("reading the set-up: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading the set-up: something follows its closing brace")
	}
	return &f, nil
}

// Apply brings what is in the file to an exchange, except what it has already.
func (f *File) Apply(ctx context.Context, n *node.Node) error {
	a := &applier{ctx: ctx, node: n}
	for i := range f.Assets {
		a.asset(&f.Assets[i])
	}
	for i := range f.Markets {
		a.market(&f.Markets[i])
	}
	for i := range f.Accounts {
		a.account(&f.Accounts[i])
	}
	return a.err
}

// applier sends commands until one fails.
type applier struct {
	ctx  context.Context
	node *node.Node
	err  error
}

// do sends a command and returns the id that it made.
func (a *applier) do(what string, c schema.Command) uint64 {
	if a.err != nil {
		return 0
	}
	var result schema.Result
	if err := a.node.Submit(a.ctx, c, &result); err != nil {
		a.err = fmt.Errorf("%s: %w", what, err)
	} else if r := result.Rejection; r.Refused() {
		a.err = fmt.Errorf("%s: %s", what, r.Text())
	}
	return result.ID
}

func (a *applier) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

func (a *applier) asset(s *Asset) {
	known := false
	a.node.Read(func(m *core.Machine) { known = m.Listing().AssetByTicker(s.Ticker) != nil })
	if known {
		return
	}
	class, found := parse(s.Class, schema.Crypto, schema.Fiat, schema.PaymentMethod)
	if !found {
		a.fail("asset %s: a class is crypto, fiat or payment method, not %q", s.Ticker, s.Class)
	}
	asset := schema.Asset{
		Ticker: s.Ticker, Name: s.Name, Class: class, Scale: s.Scale, Precision: s.Precision,
		CanDeposit: s.CanDeposit, CanWithdraw: s.CanWithdraw,
		MinDeposit: s.MinDeposit.Decimal, MaxDeposit: s.MaxDeposit.Decimal,
		MinWithdraw: s.MinWithdraw.Decimal, MaxWithdraw: s.MaxWithdraw.Decimal,
		UnifiedID: s.UnifiedID, DepositMemo: s.DepositMemo, PayoutMemo: s.PayoutMemo, Providers: s.Providers,
	}
	for _, w := range s.Networks {
		asset.Networks = append(asset.Networks, schema.Network{
			Name: w.Name, Default: w.Default, CanDeposit: w.CanDeposit, CanWithdraw: w.CanWithdraw,
			MinDeposit: w.MinDeposit.Decimal, MaxDeposit: w.MaxDeposit.Decimal,
			MinWithdraw: w.MinWithdraw.Decimal, MaxWithdraw: w.MaxWithdraw.Decimal,
			Confirmations: w.Confirmations, ConfirmationsForTrading: w.ConfirmationsForTrading,
		})
	}
	a.do("asset "+s.Ticker, &schema.SetAsset{Asset: asset})
}

// parse is the choice that a word stands for.
func parse[T fmt.Stringer](word string, choices ...T) (T, bool) {
	for _, c := range choices {
		if c.String() == word {
			return c, true
		}
	}
	var zero T
	return zero, false
}

func (a *applier) market(s *Market) {
	info := schema.MarketInfo{
		Name: s.Name, TickSize: s.TickSize.Decimal, StepSize: s.StepSize.Decimal,
		StockPrec: s.StockPrec, MoneyPrec: s.MoneyPrec, FeePrec: s.FeePrec,
		MinAmount: s.MinAmount.Decimal, MinTotal: s.MinTotal.Decimal, MaxTotal: s.MaxTotal.Decimal,
		MakerFee: s.MakerFee.Decimal, TakerFee: s.TakerFee.Decimal, RPIPremium: s.RPIPremium.optional(),
		TakerBand: s.TakerBand.Decimal, Enabled: s.Enabled, OpensAt: schema.Time(s.OpensAt) * schema.Second,
	}
	known := false
	a.node.Read(func(m *core.Machine) {
		known = m.Listing().MarketByName(s.Name) != nil
		// A ticker may have an underscore of its own: the assets decide where the name is cut.
		for i := range len(s.Name) {
			if s.Name[i] == '_' {
				base, quote := m.Listing().AssetByTicker(s.Name[:i]), m.Listing().AssetByTicker(s.Name[i+1:])
				if base != nil && quote != nil {
					info.Base, info.Quote = base.ID, quote.ID
				}
			}
		}
	})
	if known {
		return
	}
	kind, found := parse(s.Type, schema.Spot, schema.Futures, schema.TradFiFutures)
	if !found {
		a.fail("market %s: a type is spot, futures or tradfiFutures, not %q", s.Name, s.Type)
	}
	info.Type = kind
	for _, word := range s.Regions {
		region, found := parse(word, schema.Global, schema.EU)
		if !found {
			a.fail("market %s: a region is global or eu, not %q", s.Name, word)
		}
		info.Regions |= schema.In(region)
	}
	a.do("market "+s.Name, &schema.SetMarket{Market: info})
}

func (a *applier) account(s *Account) {
	if a.err != nil {
		return
	}
	var settings schema.Account
	funded := false
	var missing []Key
	a.node.Read(func(m *core.Machine) {
		if known := m.Accounts().ByName(s.Name); known != nil {
			settings = *known
			// The keys come last, and blocked accounts move no money: one that has a key or is
			// blocked has everything else.
			funded = known.Blocked || hasKey(m, known.ID)
		}
		for _, k := range s.Keys {
			switch key := m.Accounts().Key(k.Key); {
			case key == nil:
				missing = append(missing, k)
			case settings.ID == 0 || key.Account != settings.ID:
				a.fail("account %s: the key %s is another account's", s.Name, k.Key)
			}
		}
	})
	if settings.ID == 0 {
		settings = a.open(s)
	}
	if !funded {
		a.money(settings.ID, s)
		a.fees(settings.ID, s)
		if s.Blocked {
			settings.Blocked = true
			a.do("account "+s.Name, &schema.SetAccount{Account: settings})
		}
	}
	a.keys(settings.ID, missing)
}

func hasKey(m *core.Machine, id schema.AccountID) bool {
	for _, k := range m.Accounts().Keys() {
		if k.Key.Account == id {
			return true
		}
	}
	return false
}

// open makes an account that is not blocked yet.
func (a *applier) open(s *Account) schema.Account {
	region, found := parse(s.Region, schema.Global, schema.EU)
	if !found {
		a.fail("account %s: a region is global or eu, not %q", s.Name, s.Region)
	}
	settings := schema.Account{
		Name: s.Name, Region: region, Retail: s.Retail, RPI: s.RPI, Partner: s.Partner, Mining: s.Mining,
		MakerFee: s.MakerFee.optional(), TakerFee: s.TakerFee.optional(),
	}
	settings.ID = schema.AccountID(a.do("account "+s.Name, &schema.SetAccount{Account: settings}))
	return settings
}

func (a *applier) keys(id schema.AccountID, keys []Key) {
	for _, k := range keys {
		urls := k.URLs
		if urls == nil {
			urls = []string{api.AllURLs}
		}
		a.do("key "+k.Key, &schema.SetKey{Key: schema.Key{
			Key: k.Key, Account: id, Title: k.Title, Sealed: a.node.Key().Seal([]byte(k.Secret), api.Purpose),
			Enabled: k.Enabled, URLs: urls, Addresses: k.Addresses,
		}})
	}
}

// money brings an account to what the file says. What it has of that already it keeps.
func (a *applier) money(id schema.AccountID, s *Account) {
	what := "money of account " + s.Name
	for _, ticker := range sorted(s.Trade) {
		if _, found := s.Deposits[ticker]; !found {
			a.fail("%s: %s is to be traded and is not among the deposits", what, ticker)
		}
	}
	if a.err != nil {
		return
	}
	for _, ticker := range sorted(s.Deposits) {
		asset := a.find(what, ticker)
		if asset == 0 {
			return
		}
		want := s.Deposits[ticker].Decimal
		var main, trade fixed.Decimal
		a.node.Read(func(m *core.Machine) {
			main, _, _ = m.Balance(id, schema.Main, asset)
			trade, _, _ = m.Balance(id, schema.Trade, asset)
		})
		if lacks := want.Sub(main.Add(trade)); lacks.Sign() > 0 {
			a.do(what, &schema.Deposit{Account: id, Asset: asset, Amount: lacks})
		}
		if lacks := s.Trade[ticker].Sub(trade); lacks.Sign() > 0 {
			a.do(what, &schema.Transfer{Account: id, Asset: asset, Amount: lacks, From: schema.Main, To: schema.Trade})
		}
	}
}

func (a *applier) fees(id schema.AccountID, s *Account) {
	for _, name := range sorted(s.Fees) {
		var market schema.MarketID
		a.node.Read(func(m *core.Machine) {
			if info := m.Listing().MarketByName(name); info != nil {
				market = info.ID
			}
		})
		fee := s.Fees[name]
		a.do("fee of account "+s.Name+" on "+name, &schema.SetFee{Account: id, Market: market, Maker: fee.Maker.optional(), Taker: fee.Taker.optional()})
	}
}

func (a *applier) find(what, ticker string) (id schema.AssetID) {
	a.node.Read(func(m *core.Machine) {
		if asset := m.Listing().AssetByTicker(ticker); asset != nil {
			id = asset.ID
		}
	})
	if id == 0 {
		a.fail("%s: %s is not listed", what, ticker)
	}
	return id
}

// sorted are the keys of a map, so that the same file gives the same commands.
func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
