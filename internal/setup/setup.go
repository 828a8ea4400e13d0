// Package setup fills an exchange from a file: chains, assets, markets, collateral, conversions, tiers, VASPs, plans, the mining pool, funds, accounts with keys and money. It
// is how a venue of one's own begins with one command.
//
// What must hold: a file can be applied any number of times, also after a crash in the middle,
// and never changes what is there: what is listed or set stays as it is, accounts are known by name and
// keep their settings, and one that has a key has all its money and gets no more. Funds come before the first
// account: an exchange with accounts has them, and what they lost since is not replaced.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bourse/internal/api/table"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// File is what an exchange begins with.
type File struct {
	Chains     []sheet.Chain      `json:"chains"`
	Assets     []sheet.Asset      `json:"assets"`
	Markets    []sheet.Market     `json:"markets"`
	Collateral []sheet.Collateral `json:"collateral"`
	Conversion *sheet.Conversion  `json:"conversion"`
	Tiers      []sheet.Tier       `json:"tiers"`
	VASPs      []sheet.VASP       `json:"vasps"`
	Plans      []sheet.Plan       `json:"plans"`
	Pool       *Pool              `json:"pool"`
	Funds      Funds              `json:"funds"`
	Accounts   []Account          `json:"accounts"`
}

// Pool is the mining pool, and what a block is worth to it: without a rate nobody can mine yet.
type Pool struct {
	sheet.Pool
	Rate sheet.Number `json:"rate"`
}

// Funds are the operator's money: what stands behind margin (the insurance fund and the pool of loans), the inventory of conversions, and
// what investments and miners are paid from.
type Funds struct {
	Insurance map[string]sheet.Number `json:"insurance"`
	Lending   map[string]sheet.Number `json:"lending"`
	Convert   map[string]sheet.Number `json:"convert"`
	Interest  map[string]sheet.Number `json:"interest"`
	Pool      map[string]sheet.Number `json:"pool"`
}

// Account is a customer, with keys, and with money: Deposits come to the main wallet, and what Trade and
// Collateral say of that is moved to the wallets of these names.
type Account struct {
	sheet.Account
	Keys       []Key                   `json:"keys"`
	Deposits   map[string]sheet.Number `json:"deposits"`
	Trade      map[string]sheet.Number `json:"trade"`
	Collateral map[string]sheet.Number `json:"collateral"`
	Fees       map[string]sheet.Fee    `json:"fees"` // assigned, by market
}

// Key is an API key and its secret. Its URLs are paths and groups of them; without any it may call everything.
type Key struct {
	sheet.Key
	Secret string `json:"secret"`
}

// Read reads a file. Members that it does not know are an error: they would be missed.
func Read(r io.Reader) (*File, error) {
	var f File
	if err := sheet.Decode(r, &f); err != nil {
		return nil, fmt.Errorf("reading the set-up: %w", err)
	}
	return &f, nil
}

// Operator is the name under which set-up files act.
const Operator = "setup"

// ErrRefused is wrapped by errors about what is in a file: it does not fit together, or the exchange
// does not take it.
var ErrRefused = errors.New("the set-up file cannot be applied")

// Apply brings what is in the file to an exchange, except what it has already.
func (f *File) Apply(ctx context.Context, n *node.Node) error {
	seal := func(secret []byte) []byte { return n.Key().Seal(secret, directory.Purpose) }
	return f.apply(&applier{ctx: ctx, node: n, seal: seal})
}

// Check finds out whether the file could be applied to a new exchange.
func (f *File) Check() error {
	m := trial{core.NewExchange(), schema.Time(time.Now().UnixMicro())}
	return f.apply(&applier{ctx: context.Background(), node: m, seal: func(secret []byte) []byte { return append([]byte("sealed "), secret...) }})
}

// trial is an exchange without a log.
type trial struct {
	machine *core.Machine
	now     schema.Time
}

func (t trial) Read(look func(core.View)) { look(t.machine) }

func (t trial) SubmitFrom(_ context.Context, from schema.Origin, c schema.Command, result *schema.Result) error {
	*result = t.machine.ApplyFrom(t.now, from, c).Result
	return nil
}

func (f *File) apply(a *applier) error {
	for i := range f.Chains {
		a.chain(&f.Chains[i])
	}
	for i := range f.Assets {
		a.asset(&f.Assets[i])
	}
	for i := range f.Markets {
		a.market(&f.Markets[i])
	}
	for i := range f.Collateral {
		a.collateral(&f.Collateral[i])
	}
	a.conversion(f.Conversion)
	for i := range f.Tiers {
		a.tier(&f.Tiers[i])
	}
	for i := range f.VASPs {
		a.vasp(&f.VASPs[i])
	}
	for i := range f.Plans {
		a.plan(&f.Plans[i])
	}
	a.pool(f.Pool)
	a.funds(&f.Funds)
	for i := range f.Accounts {
		a.account(&f.Accounts[i])
	}
	return a.err
}

// applier sends commands until one fails.
type applier struct {
	ctx  context.Context
	node venue
	seal func(secret []byte) []byte
	err  error
}

// venue is what a file is applied to.
type venue interface {
	Read(look func(core.View))
	SubmitFrom(ctx context.Context, from schema.Origin, c schema.Command, result *schema.Result) error
}

// do sends a command and returns the id that it made.
func (a *applier) do(what string, c schema.Command) uint64 {
	if a.err != nil {
		return 0
	}
	var result schema.Result
	if err := a.node.SubmitFrom(a.ctx, schema.Origin{Operator: Operator}, c, &result); err != nil {
		a.err = fmt.Errorf("%s: %w", what, err)
	} else if r := result.Rejection; r.Refused() {
		a.fail("%s: %s", what, r.Text())
	} else if result.Proposal != 0 {
		a.waits(what, result.Proposal)
	}
	return result.ID
}

// waits fails for what an operator has to approve first.
func (a *applier) waits(what string, id schema.ProposalID) {
	a.fail("%s: it takes two operators and waits as proposal %d: without this file, say 'bourse operator proposal %d approve', then apply the file again", what, id, id)
}

func (a *applier) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
	}
}

func (a *applier) chain(s *sheet.Chain) {
	known := false
	a.node.Read(func(m core.View) { known = m.Chains().ByName(s.Name) != nil })
	if known {
		return
	}
	if command, err := s.Command(); err != nil {
		a.fail("%w", err)
	} else {
		a.do("chain "+s.Name, command)
	}
}

func (a *applier) asset(s *sheet.Asset) {
	known := false
	var command *schema.SetAsset
	var err error
	a.node.Read(func(m core.View) {
		known = m.Listing().AssetByTicker(s.Ticker) != nil
		command, err = s.Command(m.Chains())
	})
	switch {
	case known:
	case err != nil:
		a.fail("%w", err)
	default:
		a.do("asset "+s.Ticker, command)
	}
}

func (a *applier) market(s *sheet.Market) {
	known := false
	var command *schema.SetMarket
	var err error
	a.node.Read(func(m core.View) {
		known = m.Listing().MarketByName(s.Name) != nil
		command, err = s.Command(m.Listing())
	})
	switch {
	case known:
	case err != nil:
		a.fail("%w", err)
	default:
		a.do("market "+s.Name, command)
	}
}

func (a *applier) collateral(s *sheet.Collateral) {
	known := false
	var command *schema.SetCollateral
	var err error
	a.node.Read(func(m core.View) {
		if command, err = s.Command(m.Listing()); err == nil {
			_, known = m.Prices().Collateral(command.Asset)
		}
	})
	switch {
	case err != nil:
		a.fail("%w", err)
	case !known:
		a.do("collateral "+s.Asset, command)
	}
}

// conversion says whether there are conversions, where nobody ever did: what is set has bounds.
func (a *applier) conversion(s *sheet.Conversion) {
	if s == nil {
		return
	}
	known := false
	var command *schema.SetConversion
	var err error
	a.node.Read(func(m core.View) {
		known = !m.Conversion().OpenMost.IsZero()
		command, err = s.Command(m.Listing())
	})
	switch {
	case err != nil:
		a.fail("%w", err)
	case !known:
		a.do("conversion", command)
	}
}

func (a *applier) tier(s *sheet.Tier) {
	known := false
	a.node.Read(func(m core.View) {
		known = slices.ContainsFunc(m.Tiers().All(), func(t schema.Tier) bool { return t.Number == s.Tier })
	})
	if !known {
		a.do(fmt.Sprint("tier ", s.Tier), s.Command())
	}
}

func (a *applier) vasp(s *sheet.VASP) {
	known := false
	a.node.Read(func(m core.View) {
		known = slices.ContainsFunc(m.Chains().VASPs(), func(v schema.VASP) bool { return v.ID == s.ID })
	})
	if known {
		return
	}
	if command, err := s.Command(); err != nil {
		a.fail("%w", err)
	} else {
		a.do("VASP "+s.ID, command)
	}
}

func (a *applier) plan(s *sheet.Plan) {
	known := false
	var command *schema.SetPlan
	var err error
	a.node.Read(func(m core.View) {
		known = m.Earn().PlanByName(s.Name) != nil
		command, err = s.Command(0, m.Listing())
	})
	switch {
	case known:
	case err != nil:
		a.fail("%w", err)
	default:
		a.do("plan "+s.Name, command)
	}
}

// pool sets the terms of the mining pool and what a block is worth, as far as nobody ever did.
func (a *applier) pool(s *Pool) {
	if s == nil {
		return
	}
	var terms schema.PoolTerms
	var rate fixed.Decimal
	var command *schema.SetPool
	var err error
	a.node.Read(func(m core.View) {
		terms, rate = m.Mining().Terms()
		command, err = s.Command(m.Listing(), m.Chains())
	})
	if err != nil {
		a.fail("%w", err)
		return
	}
	if terms.Asset == 0 {
		a.do("pool", command)
	}
	if rate.IsZero() && !s.Rate.IsZero() {
		a.do("rate of the pool", &schema.SetPoolRate{Rate: s.Rate.Decimal})
	}
}

func (a *applier) funds(f *Funds) {
	begun := false
	a.node.Read(func(m core.View) { begun = len(m.Accounts().All()) > 0 })
	if begun {
		return
	}
	for _, fund := range []struct {
		id    schema.AccountID
		money map[string]sheet.Number
	}{{schema.Insurance, f.Insurance}, {schema.Lending, f.Lending}, {schema.Convert, f.Convert}, {schema.Interest, f.Interest}, {schema.Pool, f.Pool}} {
		what := "the fund " + fund.id.SystemName()
		for _, ticker := range sorted(fund.money) {
			asset := a.find(what, ticker)
			if asset == 0 {
				return
			}
			var there fixed.Decimal
			a.node.Read(func(m core.View) { there, _, _ = m.Balance(fund.id, schema.Main, asset) })
			if lacks := fund.money[ticker].Sub(there); lacks.Sign() > 0 {
				a.do(what, &schema.FundSystem{Account: fund.id, Asset: asset, Amount: lacks})
			}
		}
	}
}

func (a *applier) account(s *Account) {
	if a.err != nil {
		return
	}
	var settings schema.Account
	funded := false
	var missing []Key
	a.node.Read(func(m core.View) {
		if known := m.Accounts().ByName(s.Name); known != nil {
			settings = *known
			// The keys come last, and blocked accounts move no money: one that has a key or is
			// blocked has everything else.
			funded = known.Blocked || hasKey(m, known.ID)
		}
		for _, k := range s.Keys {
			switch key := m.Accounts().Key(k.Key.Key); {
			case key == nil:
				missing = append(missing, k)
			case settings.ID == 0 || key.Account != settings.ID:
				a.fail("account %s: the key %s is another account's", s.Name, k.Key.Key)
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

func hasKey(m core.View, id schema.AccountID) bool {
	for _, k := range m.Accounts().Keys() {
		if k.Key.Account == id {
			return true
		}
	}
	return false
}

// open makes an account that is not blocked yet.
func (a *applier) open(s *Account) schema.Account {
	free := s.Account
	free.Blocked = false
	err := free.CheckName()
	var command *schema.SetAccount
	if err == nil {
		command, err = free.Command(0)
	}
	if err != nil {
		a.fail("%w", err)
		return schema.Account{}
	}
	settings := command.Account
	settings.ID = schema.AccountID(a.do("account "+s.Name, command))
	return settings
}

func (a *applier) keys(id schema.AccountID, keys []Key) {
	for _, k := range keys {
		if k.URLs == nil {
			k.URLs = []string{schema.AllURLs}
		}
		urls, err := table.URLs(k.URLs)
		if err != nil {
			a.fail("key %s: %w", k.Key.Key, err)
			return
		}
		k.URLs = urls
		a.do("key "+k.Key.Key, k.Command(id, a.seal([]byte(k.Secret))))
	}
}

// money brings an account to what the file says. What it has of that already it keeps.
func (a *applier) money(id schema.AccountID, s *Account) {
	what := "money of account " + s.Name
	for _, ticker := range append(sorted(s.Trade), sorted(s.Collateral)...) {
		if _, found := s.Deposits[ticker]; !found {
			a.fail("%s: %s is to be moved and is not among the deposits", what, ticker)
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
		var main, trade, collateral fixed.Decimal
		a.node.Read(func(m core.View) {
			main, _, _ = m.Balance(id, schema.Main, asset)
			trade, _, _ = m.Balance(id, schema.Trade, asset)
			collateral, _, _ = m.Balance(id, schema.Collateral, asset)
		})
		if lacks := want.Sub(main.Add(trade).Add(collateral)); lacks.Sign() > 0 {
			if waiting := a.asked(id, asset); waiting != 0 { // applied again, it must not be asked for twice
				a.waits(what, waiting)
				return
			}
			a.do(what, &schema.Deposit{Account: id, Asset: asset, Amount: lacks})
		}
		if lacks := s.Trade[ticker].Sub(trade); lacks.Sign() > 0 {
			a.do(what, &schema.Transfer{Account: id, Asset: asset, Amount: lacks, From: schema.Main, To: schema.Trade})
		}
		if lacks := s.Collateral[ticker].Sub(collateral); lacks.Sign() > 0 {
			a.do(what, &schema.Transfer{Account: id, Asset: asset, Amount: lacks, From: schema.Main, To: schema.Collateral})
		}
	}
}

// asked is the proposal by which a file brings an asset to an account; 0: there is none.
func (a *applier) asked(account schema.AccountID, asset schema.AssetID) (id schema.ProposalID) {
	a.node.Read(func(m core.View) {
		for _, p := range m.Proposals() {
			if c, is := p.Command.(*schema.Deposit); is && p.Operator == Operator && c.Account == account && c.Asset == asset {
				id = p.ID
			}
		}
	})
	return id
}

func (a *applier) fees(id schema.AccountID, s *Account) {
	for _, name := range sorted(s.Fees) {
		var market schema.MarketID
		a.node.Read(func(m core.View) {
			if info := m.Listing().MarketByName(name); info != nil {
				market = info.ID
			}
		})
		fee := s.Fees[name]
		a.do("fee of account "+s.Name+" on "+name, fee.Command(id, market))
	}
}

func (a *applier) find(what, ticker string) (id schema.AssetID) {
	a.node.Read(func(m core.View) {
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
