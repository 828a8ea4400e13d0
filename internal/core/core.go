// Package core is the exchange as a deterministic machine: commands go in, results and events
// come out. It meets no clock, no disk, no network, no goroutine and no chance; the time is in
// the command, and the same commands give the same bytes on every machine.
//
// What must hold: a refused command changes nothing; time never goes backwards; a machine that
// was restored from a snapshot behaves like the one that made it.
package core

import (
	"fmt"
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/chain"
	"bourse/internal/core/check"
	"bourse/internal/core/code"
	"bourse/internal/core/collateral"
	"bourse/internal/core/convert"
	"bourse/internal/core/credit"
	"bourse/internal/core/earn"
	"bourse/internal/core/express"
	"bourse/internal/core/faucet"
	"bourse/internal/core/identity"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/mining"
	"bourse/internal/core/oauth"
	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/core/proposal"
	"bourse/internal/core/tier"
	"bourse/internal/core/trading"
	"bourse/internal/core/wallet"
	"bourse/internal/core/webhook"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Machine is the whole state of an exchange and the rules that change it. It belongs to one
// goroutine.
type Machine struct {
	clock    schema.Time // of the last accepted command
	features trading.Features
	// maintenance of the whole platform. It binds the doors, which ask for it; here it is only kept.
	maintenance bool
	out         schema.Outcome
	ledger      *ledger.Ledger
	listing     *listing.Listing
	accounts    *accounts.Accounts
	identity    *identity.Identity
	oauth       *oauth.OAuth
	wallets     *wallet.Wallets
	tiers       *tier.Tiers
	trading     *trading.Engine
	prices      *price.Board
	collateral  *collateral.Engine
	faucets     *faucet.Faucets
	codes       *code.Codes
	chains      *chain.Chains
	credits     *credit.Credits
	checks      *check.Checks
	express     *express.Tokens
	earn        *earn.Earn
	mining      *mining.Pool
	webhooks    *webhook.Webhooks
	conversions *convert.Conversions
	proposals   *proposal.Proposals
	// products are all parts that do commands, in the order in which timers run, invariants are checked
	// and snapshots are written.
	products []product.Product
	handlers product.Handlers
}

// slice is how much one command may do. A fill takes about a microsecond, so that nobody waits
// longer than about half a millisecond for the command of somebody else.
const slice = 500

// New makes an exchange on which nothing is listed, as every log begins. The features of a new
// exchange are switched on by its first commands (schema.BirthFeatures).
func New() *Machine {
	m := &Machine{features: trading.Features{StepRule: true, Slice: slice}}
	m.ledger = ledger.New(&m.out.Events)
	m.listing = listing.New()
	m.listing.Out = &m.out
	m.accounts = accounts.New()
	m.accounts.Out = &m.out
	m.identity = identity.New(m.accounts, &m.out)
	m.wallets = &wallet.Wallets{Ledger: m.ledger, Listing: m.listing, Accounts: m.accounts, Out: &m.out}
	m.trading = trading.New(m.ledger, m.listing, m.accounts, &m.features, &m.out)
	m.prices = &price.Board{Listing: m.listing, Out: &m.out, Impact: m.trading.Impact}
	m.trading.Prices = m.prices
	derive := m.listing.MarketChanged
	m.listing.MarketChanged = func(id schema.MarketID) {
		derive(id)
		m.prices.Listed(id)
		m.collateral.Listed(id)
	}
	m.wallets.WholeAccount = &m.features.ExactMoney
	m.wallets.Index = func(id schema.MarketID) (index, last fixed.Decimal) {
		record := m.trading.Market(id)
		return record.Index.Price, record.Last
	}
	m.collateral = collateral.New(m.ledger, m.listing, m.accounts, m.prices, &m.features, &m.out)
	m.prices.Settle, m.prices.Weighed = m.collateral.SettleFunding, m.collateral.Reassess
	m.collateral.Markets = m.trading
	m.collateral.LastTick = func() schema.Time { return m.trading.Counters().Tick }
	m.trading.Clearing = m.collateral
	m.wallets.Collateral = m.collateral
	m.tiers = tier.New(m.accounts, m.wallets, &m.out)
	m.tiers.Clock = m.Time
	m.codes = code.New(m.ledger, m.listing, m.accounts, m.wallets, m.tiers, &m.out)
	m.chains = chain.New(m.ledger, m.listing, m.accounts, m.wallets, m.tiers, &m.out)
	m.chains.Orders = m.trading.CancelPaid
	m.faucets = &faucet.Faucets{Ledger: m.ledger, Listing: m.listing, Accounts: m.accounts, Chains: m.chains, Out: &m.out}
	m.listing.Chains, m.wallets.ChainHeld = m.chains.Offers, m.chains.Held
	m.credits = credit.New(m.ledger, m.listing, m.accounts, m.wallets, &m.out)
	m.checks = check.New(m.ledger, m.listing, m.accounts, m.wallets, &m.out)
	m.express = express.New(m.ledger, m.listing, m.accounts, m.wallets, m.tiers, &m.out)
	m.earn = earn.New(m.ledger, m.listing, m.accounts, m.wallets, &m.out)
	m.earn.Clock, m.earn.LastTick = m.Time, m.collateral.LastTick
	m.mining = mining.New(m.ledger, m.listing, m.accounts, m.wallets, m.chains, &m.out)
	m.mining.Clock, m.mining.LastTick = m.Time, m.collateral.LastTick
	m.oauth = oauth.New(m.accounts, m.identity, &m.out)
	m.webhooks = webhook.New(m.listing, m.accounts, m.chains, &m.out)
	m.chains.Deposited, m.chains.Moved = m.webhooks.Deposited, m.webhooks.Moved
	m.chains.Withdrew = func(w *schema.Withdrawal, was schema.WithdrawalStatus) {
		m.webhooks.Withdrew(w, was)
		m.mining.Withdrew(w)
	}
	m.codes.Applied, m.checks.Ended = m.webhooks.Applied, m.webhooks.Checked
	m.conversions = convert.New(m.ledger, m.listing, m.accounts, m.prices, m.trading, &m.out)
	m.conversions.Clock = m.Time
	m.prices.Moved = m.conversions.Moved
	m.proposals = proposal.New(m.listing, m.wallets, m.tiers, m.chains, &m.out)
	m.proposals.Clock = m.Time
	m.proposals.Do = func(c schema.Command) schema.Rejection { return m.handlers[c.Kind()](c) }
	m.products = []product.Product{
		m.listing, m.accounts, m.wallets, m.tiers, m.trading, m.prices, m.collateral, m.faucets, m.codes, m.chains, m.credits, m.checks, m.express,
		m.identity, m.webhooks, m.oauth, m.conversions, m.earn, m.mining, m.proposals,
	}
	m.accounts.Empty, m.accounts.Judged = m.empty, &m.features.JudgedKeys
	m.accounts.OnBar, m.identity.OnFactor = m.oauth.EndAll, m.oauth.EndAll
	m.accounts.OnDelete = func(id schema.AccountID) {
		m.identity.Close(id)
		m.oauth.EndAll(id)
		m.webhooks.Close(id)
	}
	m.accounts.OnBlock = func(id schema.AccountID) {
		m.chains.CancelUnconfirmed(id)
		m.trading.Block(id)
	}
	m.commands()
	for _, p := range m.products {
		p.Commands(&m.handlers)
	}
	return m
}

// NewExchange is New with the features that new exchanges begin with.
func NewExchange() *Machine {
	m := New()
	for _, f := range schema.BirthFeatures() {
		m.Apply(0, &f)
	}
	return m
}

// Itemize makes every movement of a balance an event of its own, as a statement needs it.
func (m *Machine) Itemize() { m.out.Events.Itemize() }

// Apply lets a command happen at a moment, or at the moment of the last accepted command if
// that is later. The outcome is valid until the next call and must not be changed; the command
// stays the caller's.
func (m *Machine) Apply(at schema.Time, cmd schema.Command) *schema.Outcome {
	return m.ApplyFrom(at, schema.Origin{}, cmd)
}

// ApplyFrom is Apply for a command that came by a door of the exchange. A nonce is used up by
// whatever it came with, also by a command that is refused: a signed request can be done once or
// never, and not when its sender has the money some day. What an operator does is recorded, also
// if it is refused.
func (m *Machine) ApplyFrom(at schema.Time, from schema.Origin, cmd schema.Command) *schema.Outcome {
	at = max(at, m.clock)
	m.out.Reset(at)
	m.out.Kind, m.out.Region, m.out.Operator, m.out.Signed = cmd.Kind(), from.Region, from.Operator, from.Key != 0
	m.trading.Begin()
	if m.Blocks(cmd) {
		// Nothing happened, the nonce was not used, nothing is recorded: the node asks again.
		m.out.Result.Rejection = schema.Refuse(schema.MarketBusy)
		return &m.out
	}
	rejection := m.accounts.Use(&from, at, m.clock, m.features.ExactNonces)
	if !rejection.Refused() && from.Key != 0 {
		if rejection = m.accounts.Admits(cmd); !rejection.Refused() {
			rejection = m.identity.Admits(from.Key, cmd.Kind())
		}
	}
	if !rejection.Refused() {
		if m.features.TwoOperators && proposal.Concerns(cmd.Kind()) {
			rejection = m.proposals.Take(cmd)
		} else {
			rejection = m.handlers[cmd.Kind()](cmd)
		}
	}
	m.out.Result.Rejection = rejection
	if !rejection.Refused() {
		m.clock = at
		if !from.Once.IsZero() && !from.Authorized {
			m.identity.Used(from.Key)
		}
		m.webhooks.Follow()
	}
	if from.Operator != "" {
		m.out.Events.Add(schema.NewAuditRecord(from.Operator, cmd, &m.out.Result))
	}
	m.checkInvariants()
	return &m.out
}

// commands registers those of the machine itself.
func (m *Machine) commands() {
	product.On(&m.handlers, m.tick)
	product.On(&m.handlers, m.setFeature)
}

// tick runs the timers, unless a tick of this moment already did.
func (m *Machine) tick(*schema.Tick) schema.Rejection {
	if last := m.trading.Counters().Tick; m.out.Time > last {
		m.collateral.Ticked = last
		for _, p := range m.products {
			p.Tick()
		}
	}
	return schema.Rejection{}
}

func (m *Machine) setFeature(c *schema.SetFeature) schema.Rejection {
	switch c.Feature {
	case schema.StepRule:
		m.features.StepRule = c.On
	case schema.PlatformMaintenance:
		m.maintenance = c.On
	case schema.IdleKeys:
		m.accounts.EndIdle(c.On)
	case schema.BoundedWork, schema.ExactMoney, schema.ExactNonces, schema.JudgedKeys, schema.TwoOperators:
		if !c.On {
			return schema.Refuse(schema.FeatureForGood)
		}
		switch c.Feature {
		case schema.BoundedWork:
			m.features.BoundedWork = true
		case schema.ExactMoney:
			m.features.ExactMoney = true
		case schema.ExactNonces:
			m.features.ExactNonces = true
		case schema.JudgedKeys:
			m.features.JudgedKeys = true
		default:
			m.features.TwoOperators = true
		}
	default:
		return schema.Refuse(schema.FeatureInvalid)
	}
	m.out.Events.Add(&schema.FeatureChanged{Feature: *c})
	return schema.Rejection{}
}

// InMaintenance reports whether the platform is closed to clients.
func (m *Machine) InMaintenance() bool { return m.maintenance }

// Features are the behaviours that are switched on.
func (m *Machine) Features() trading.Features { return m.features }

// Busy reports whether work is left over that Continue goes on with.
func (m *Machine) Busy() bool { return m.trading.Busy() }

// Blocks reports whether a command would be refused as busy now.
func (m *Machine) Blocks(cmd schema.Command) bool {
	return m.trading.Busy() && (m.trading.Blocks(cmd) || m.conversions.Blocks(cmd))
}

// Time is the moment of the last accepted command.
func (m *Machine) Time() schema.Time { return m.clock }

// NextTimer is when the next Tick has something to do; it is false when no timer runs.
func (m *Machine) NextTimer() (next schema.Time, running bool) {
	for _, p := range m.products {
		if at, is := p.NextTimer(); is && (!running || at < next) {
			next, running = at, true
		}
	}
	return next, running
}

// Balance is what an account has in a wallet. Held is its unconfirmed deposits, in Main only.
func (m *Machine) Balance(a schema.AccountID, w schema.Wallet, asset schema.AssetID) (available, frozen, held fixed.Decimal) {
	return m.ledger.Balance(m.ledger.Find(a, w, asset))
}

// empty reports whether an account has no balance, and nothing that a product keeps for it.
func (m *Machine) empty(id schema.AccountID) bool {
	for _, asset := range m.listing.Assets() {
		for w := schema.Main; schema.Valid(w); w++ {
			available, frozen, _ := m.ledger.Balance(m.ledger.Find(id, w, asset.ID))
			if !available.IsZero() || !frozen.IsZero() {
				return false
			}
		}
	}
	return !slices.ContainsFunc(m.products, func(p product.Product) bool { return p.Holds(id) })
}

// Verify checks every invariant. It goes through the whole state.
func (m *Machine) Verify() error {
	err := m.ledger.Verify(func(id schema.AssetID) (int, bool) {
		asset := m.listing.Asset(id)
		if asset == nil {
			return 0, false
		}
		return int(asset.Scale), true
	})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for _, p := range m.products {
		if err := p.Verify(); err != nil {
			return err
		}
	}
	return nil
}
