// Package naive is an exchange that is slow and simple: the easiest code that could be right,
// written from the documents alone. The real core is tested against it, so it shares nothing with
// the core but the words of the schema: numbers are big fractions, books are unsorted lists, every
// question is answered by looking at everything, and every rule is written here once more.
//
// An exchange is one ledger and a list of products over it, each with its own commands. The rules of margin
// are functions of accounts, currencies and markets of their own (equity.go, instrument.go). The exchange shows
// them its own (seats.go); what it does not do yet, clearing.go does with one future.
package naive

import (
	"fmt"
	"strings"

	"bourse/internal/schema"
)

// Exchange is the whole state.
type Exchange struct {
	// FundingSlice is how many positions a tick books of the settlements of funding, and how many it closes on markets
	// that are delisted.
	FundingSlice int
	// LiquidationUnits is how much a command may do to liquidate accounts.
	LiquidationUnits int
	// RememberedCodes is how many codes that were applied are remembered.
	RememberedCodes int
	// ChainSteps is how much a command may do on chains.
	ChainSteps int
	// EarnLooks is how many investments a tick looks at to credit their interest, and how many debts it pays.
	EarnLooks int
	// EarnEnds is how many terms of fixed plans end with a tick.
	EarnEnds int
	// Challenges is how many challenges of passkeys that were used are remembered.
	Challenges int
	// ConversionSteps is how many orders a quote may look at.
	ConversionSteps int

	now      schema.Time // of the last accepted command
	lastTick schema.Time

	call     *call
	features *features
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	prices   *prices
	margins  *margins
	risk     *risk
	limits   *limits
	codes    *codes
	chains   *chains
	credits  *credits
	checks   *addressChecks
	express  *express
	webhooks *webhooks
	users    *users
	oauth    *oauth
	convert  *conversions
	earn     *earn
	mining   *mining
	products []product

	proposals *proposals // of commands for them
}

// product does the commands that are its own.
type product interface {
	// apply does a command, or returns nil if it is of another product.
	apply(cmd schema.Command) *schema.Result
}

// timed is a product of which something may be due at a tick.
type timed interface{ tick() }

// call is the command that is being applied, as all products see it.
type call struct {
	at     schema.Time   // when it happens
	clock  schema.Time   // when the last accepted command before it happened
	region schema.Region // of the deployment that took it, 0: that of the account alone counts
	// operator is who of those that run the exchange gave it; "": none of them.
	operator string
	key      schema.KeyID // that signed it; 0: none
	events   []schema.Event
	// unsaid are changes of deposits of which customers hear nothing.
	unsaid map[*schema.ChainDepositChanged]bool
}

// record notes something that happened.
func (c *call) record(e schema.Event) { c.events = append(c.events, e) }

// features are the behaviours that can be switched.
type features struct {
	stepRule    bool
	maintenance bool // of the platform, which is the business of the doors
	boundedWork bool
	exactMoney  bool
	judgedKeys  bool

	twoOperators bool
}

// New is an exchange with nothing in it.
func New() *Exchange {
	x := &Exchange{FundingSlice: 2500, LiquidationUnits: 300, RememberedCodes: 100_000, ChainSteps: 1000, EarnLooks: 2000, EarnEnds: 1000, Challenges: 100_000, ConversionSteps: 2000, call: &call{}, features: &features{stepRule: true}}
	x.ledger = &ledger{call: x.call, balances: map[balanceKey]*balance{}, held: map[heldKey]num{}}
	x.listing = &listing{call: x.call}
	x.accounts = &accounts{call: x.call}
	x.trading = &trading{
		call: x.call, features: x.features, ledger: x.ledger, listing: x.listing, accounts: x.accounts,
		sweepMost: 4096,
	}
	x.prices = &prices{
		call: x.call, listing: x.listing, trading: x.trading,
		collaterals: map[schema.AssetID]schema.SetCollateral{},
		indices:     map[schema.AssetID]*index{},
		futures:     map[schema.MarketID]*future{},
	}
	wallet := &wallet{
		call: x.call, features: x.features, ledger: x.ledger, listing: x.listing, accounts: x.accounts,
		trading: x.trading, prices: x.prices,
	}
	x.margins = &margins{
		call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, trading: x.trading, prices: x.prices,
		modes:     map[schema.AccountID]mode{},
		debts:     map[debtor]*debt{},
		interest:  map[schema.AssetID]*accrual{},
		overdrawn: map[schema.AccountID]bool{},

		fundingSlice: &x.FundingSlice,
	}
	x.trading.prices, x.trading.margins, wallet.margins = x.prices, x.margins, x.margins
	x.risk = &risk{
		call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, trading: x.trading, prices: x.prices,
		margins: x.margins, units: &x.LiquidationUnits,
		states: map[schema.AccountID]schema.RiskState{},
	}
	faucet := &faucet{
		call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts,
		limits: map[schema.AssetID]num{},
	}
	x.limits = &limits{call: x.call, accounts: x.accounts, wallet: wallet}
	x.codes = &codes{
		call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, wallet: wallet, limits: x.limits,
		remembered: &x.RememberedCodes,
	}
	x.chains = &chains{
		call: x.call, features: x.features, ledger: x.ledger, listing: x.listing, accounts: x.accounts, trading: x.trading, limits: x.limits,
		steps: &x.ChainSteps, wanted: map[want]num{},
	}
	x.listing.chains, wallet.chains, x.chains.wallet, faucet.chains = x.chains, x.chains, wallet, x.chains
	x.credits = &credits{call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, wallet: wallet, chains: x.chains}
	x.checks = &addressChecks{call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, wallet: wallet}
	x.express = &express{call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, wallet: wallet, limits: x.limits}
	x.webhooks = newWebhooks(x.call, x.listing, x.accounts)
	x.users = &users{call: x.call, accounts: x.accounts, most: &x.Challenges}
	x.oauth = &oauth{call: x.call, accounts: x.accounts, users: x.users, limits: x.limits}
	x.users.oauth, x.accounts.oauth = x.oauth, x.oauth
	x.convert = &conversions{
		call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, trading: x.trading, prices: x.prices, steps: &x.ConversionSteps,
	}
	x.prices.convert = x.convert
	x.earn = &earn{call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, wallet: wallet, looks: &x.EarnLooks, ends: &x.EarnEnds}
	x.mining = &mining{call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, chains: x.chains}
	x.products = []product{
		x.listing, x.accounts, wallet, x.limits, faucet, x.codes, x.trading, x.prices, x.margins, x.chains,
		x.credits, x.checks, x.express, x.webhooks, x.users, x.oauth, x.convert, x.earn, x.mining,
		&families{
			call: x.call, ledger: x.ledger, listing: x.listing, accounts: x.accounts, trading: x.trading, margins: x.margins,
			codes: x.codes, chains: x.chains, credits: x.credits, checks: x.checks, express: x.express, webhooks: x.webhooks, users: x.users,
			convert: x.convert, earn: x.earn, mining: x.mining,
		},
	}
	x.proposals = &proposals{call: x.call, features: x.features, listing: x.listing, limits: x.limits, chains: x.chains, wallet: wallet, products: x.products}
	x.products = append(x.products, x.proposals)
	return x
}

// Outcome is what became of a command. Every movement of a balance is an event, with the balance
// after it; so is every change of a level.
type Outcome struct {
	Time   schema.Time
	Result schema.Result
	Events []schema.Event
}

// Apply runs one command, to its end. It never changes cmd, and a refused command changes nothing
// but the nonces of the key that signed it.
func (x *Exchange) Apply(at schema.Time, from schema.Origin, cmd schema.Command) Outcome {
	*x.call = call{at: max(at, x.now), clock: x.now, region: from.Region, operator: from.Operator, key: from.Key, unsaid: map[*schema.ChainDepositChanged]bool{}}
	result := x.run(from, cmd)
	if !refused(result.Rejection) {
		x.now = x.call.at
		if k := x.accounts.key(from.Key); k != nil && !from.Authorized {
			x.accounts.use(k)
		}
		x.mining.listen()
		x.webhooks.announce()
	}
	if from.Operator != "" {
		x.call.record(auditRecord(from.Operator, cmd, result))
	}
	return Outcome{Time: x.call.at, Result: result, Events: x.call.events}
}

func (x *Exchange) run(from schema.Origin, cmd schema.Command) schema.Result {
	if r := x.accounts.admit(from); refused(r) {
		return reject(r)
	}
	if r := x.accounts.judgeOwner(from, cmd); x.features.judgedKeys && refused(r) {
		return reject(r)
	}
	if r := x.users.judge(from, cmd); refused(r) {
		return reject(r)
	}
	switch c := cmd.(type) {
	case *schema.Tick:
		x.tick()
		return schema.Result{}
	case *schema.Continue: // every command is done at once, so that nothing is left over
		return schema.Result{}
	case *schema.SetFeature:
		return x.setFeature(c)
	}
	if result := x.proposals.ask(cmd); result != nil {
		return *result
	}
	for _, p := range x.products {
		if result := p.apply(cmd); result != nil {
			if !refused(result.Rejection) {
				x.proposals.outdate(cmd)
			}
			if _, priced := cmd.(*schema.SetIndex); priced && !refused(result.Rejection) {
				x.risk.run(false, false)
			}
			return *result
		}
	}
	panic(fmt.Sprintf("naive: a command of type %T", cmd))
}

// tick runs everything that is due: chains after markets, after them what is paid with what they brought, and last what operators proposed. One that is not later than the last is ignored.
func (x *Exchange) tick() {
	if x.call.at <= x.lastTick {
		return
	}
	newMinute := x.lastTick == 0 || x.lastTick/minute != x.call.at/minute
	x.lastTick = x.call.at
	for _, p := range x.products {
		if p, is := p.(timed); is {
			p.tick()
		}
	}
	x.risk.run(true, newMinute)
	x.chains.runDue()
	x.checks.runDue()
	x.express.runDue()
	x.earn.runDue()
	x.mining.runDue()
	x.proposals.runDue()
}

func (x *Exchange) setFeature(c *schema.SetFeature) schema.Result {
	switch c.Feature {
	case schema.StepRule:
		x.features.stepRule = c.On
	case schema.PlatformMaintenance:
		x.features.maintenance = c.On
	case schema.IdleKeys:
		x.accounts.switchIdle(c.On)
	case schema.BoundedWork, schema.ExactMoney, schema.ExactNonces, schema.JudgedKeys, schema.TwoOperators:
		if !c.On {
			return refuse(schema.FeatureForGood)
		}
		x.features.boundedWork = x.features.boundedWork || c.Feature == schema.BoundedWork
		x.features.exactMoney = x.features.exactMoney || c.Feature == schema.ExactMoney
		x.features.judgedKeys = x.features.judgedKeys || c.Feature == schema.JudgedKeys
		x.features.twoOperators = x.features.twoOperators || c.Feature == schema.TwoOperators
	default:
		return refuse(schema.FeatureInvalid)
	}
	x.call.record(&schema.FeatureChanged{Feature: *c})
	return schema.Result{}
}

// auditRecord is what is kept of an operator's command. Secrets of keys and addresses of e-mail are left out, sealed as
// they are, and so is what the travel rule asks for.
func auditRecord(operator string, cmd schema.Command, result schema.Result) *schema.AuditRecord {
	record := &schema.AuditRecord{Operator: operator, Made: result.ID, Proposal: result.Proposal, Command: cmd}
	if refused(result.Rejection) {
		record.Refusal = result.Rejection.Text()
	}
	switch c := cmd.(type) {
	case *schema.SetKey:
		redacted := *c
		redacted.Key.Sealed = nil
		record.Command = &redacted
	case *schema.OpenKey:
		redacted := *c
		redacted.Sealed = nil
		record.Command = &redacted
	case *schema.ResetKey:
		redacted := *c
		redacted.Sealed = nil
		record.Command = &redacted
	case *schema.SetSub:
		redacted := *c
		redacted.Email = ""
		record.Command = &redacted
	case *schema.SetAccount:
		redacted := *c
		redacted.Account.Email = ""
		record.Command = &redacted
	case *schema.SetKeys:
		redacted := *c
		redacted.Keys.Sealed = nil
		record.Command = &redacted
	case *schema.SubmitTravel:
		redacted := *c
		redacted.Sealed = nil
		record.Command = &redacted
	case *schema.SetWebhook:
		redacted := *c
		redacted.Sealed = nil
		if scheme, _, whole := strings.Cut(c.URL, "://"); whole { // the path may hold a secret of the customer
			redacted.URL = scheme + "://" + hostIn(c.URL)
		}
		record.Command = &redacted
	case *schema.Invite:
		record.Command = &schema.Invite{Account: c.Account}
	case *schema.Enrol:
		record.Command = &schema.Enrol{Device: c.Device}
	case *schema.SignIn:
		redacted := *c
		redacted.Proof, redacted.Session = schema.Proof{Kind: c.Proof.Kind}, schema.Digest{}
		record.Command = &redacted
	case *schema.StepUp:
		record.Command = &schema.StepUp{Key: c.Key, Generation: c.Generation, Proof: schema.Proof{Kind: c.Proof.Kind}}
	case *schema.SetFactor:
		record.Command = &schema.SetFactor{Key: c.Key, Generation: c.Generation, Change: c.Change}
	case *schema.SetPartner:
		redacted := *c
		redacted.Partner.Secret = schema.Digest{}
		record.Command = &redacted
	case *schema.AuthorizePartner:
		redacted := *c
		redacted.Code = schema.Digest{}
		record.Command = &redacted
	case *schema.RedeemGrant:
		record.Command = &schema.RedeemGrant{Partner: c.Partner}
	case *schema.RefreshGrant:
		record.Command = &schema.RefreshGrant{Partner: c.Partner}
	case *schema.TakeSecret:
		record.Command = &schema.TakeSecret{Account: c.Account, Partner: c.Partner, External: c.External}
	case *schema.RevokePartner:
		record.Command = &schema.RevokePartner{Account: c.Account, Partner: c.Partner, Whole: c.Whole, External: c.External}
	case *schema.RequestWithdrawal:
		redacted := *c
		redacted.Travel = nil
		record.Command = &redacted
	}
	return record
}

// accepted is the rejection of what is not rejected.
var accepted schema.Rejection

func refused(r schema.Rejection) bool { return r != accepted }

// because is a rejection whose text speaks of no number.
func because(r schema.Reason) schema.Rejection { return schema.Rejection{Reason: r} }

// about is a rejection whose text speaks of a number.
func about(r schema.Reason, value num) schema.Rejection {
	return schema.Rejection{Reason: r, Value: value.decimal()}
}

// refuse answers a command with a rejection whose text speaks of no number.
func refuse(r schema.Reason) schema.Result { return reject(because(r)) }

// reject answers a command with a rejection.
func reject(r schema.Rejection) schema.Result { return schema.Result{Rejection: r} }
