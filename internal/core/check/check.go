// Package check says what risk it is to take money from an address. A check runs for some seconds and ends with what operators said
// about the address, or with a low risk where they said nothing. It costs its price only if it succeeds.
//
// What must hold: running checks end in the order of their numbers, and the core forgets what ended.
package check

import (
	"slices"
	"strings"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of checks.
const (
	mostRunning  = 100               // of one account
	mostVerdicts = 10_000            // about addresses
	duration     = 3 * schema.Second // of a check
	slice        = 100               // checks that a Tick ends: each looks at all that its account owns
)

// harmless is how checks of an address end of which nothing is said.
var harmless = schema.AddressVerdict{Risk: schema.LowRisk, Description: "No risk was found."}

// Checks are those that run, and what they end with.
type Checks struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	out      *schema.Outcome
	// Ended hears of checks that ended. It changes nothing here.
	Ended func(*schema.Check)

	last     schema.CheckID
	running  []schema.Check           // by number
	counts   map[schema.AccountID]int // of running checks; only ever asked
	verdicts []schema.AddressVerdict  // by address
}

// New makes checks of which none runs.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, out *schema.Outcome) *Checks {
	return &Checks{ledger: l, listing: listed, accounts: a, wallets: w, out: out, Ended: func(*schema.Check) {}, counts: map[schema.AccountID]int{}}
}

// Commands registers what is done with checks.
func (c *Checks) Commands(h *product.Handlers) {
	product.On(h, c.begin)
	product.On(h, c.setVerdict)
}

func (c *Checks) begin(m *schema.CheckAddress) schema.Rejection {
	if r := c.mayBegin(m); r.Refused() {
		return r
	}
	c.last++
	check := schema.Check{
		ID: c.last, Account: m.Account, Asset: m.Asset, Network: m.Network, Address: m.Address, Status: schema.CheckRunning, Created: c.out.Time,
	}
	c.add(&check)
	c.out.Result.ID = uint64(check.ID)
	c.out.Events.Add(&schema.CheckChanged{Check: check})
	return schema.Rejection{}
}

func (c *Checks) mayBegin(m *schema.CheckAddress) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	asset := c.listing.Asset(m.Asset)
	switch {
	case account.IsSub():
		return schema.Refuse(schema.SubNotPermitted)
	case !account.Checker:
		return schema.Refuse(schema.CheckUnavailable)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	case asset.Class != schema.Crypto || m.Network != "" && asset.NetworkNamed(m.Network) == nil || !validAddress(m.Address):
		return schema.Refuse(schema.CheckInvalid)
	case c.counts[m.Account] >= mostRunning:
		return schema.Rejection{Reason: schema.ChecksTooMany, Value: fixed.FromInt(mostRunning)}
	case !c.covered(m.Account):
		return schema.Refuse(schema.CheckNotCovered)
	}
	return schema.Rejection{}
}

func validAddress(address string) bool { return address != "" && len(address) <= schema.MaxAddressText }

// covered reports whether an account can pay for a check now.
func (c *Checks) covered(account schema.AccountID) bool {
	money := c.listing.AssetByTicker(schema.CheckTicker)
	return money != nil && !c.wallets.MayLeave(account, money.ID, schema.PriceOfCheck).Refused()
}

// Holds reports whether checks of an account run.
func (c *Checks) Holds(account schema.AccountID) bool { return c.counts[account] > 0 }

// NextTimer is when the first check ends.
func (c *Checks) NextTimer() (schema.Time, bool) {
	if len(c.running) == 0 {
		return 0, false
	}
	return c.running[0].Created + duration, true
}

// Tick ends checks, some at once; the timer stays due for the others.
func (c *Checks) Tick() {
	ended := 0
	for ended < min(slice, len(c.running)) && c.running[ended].Created+duration <= c.out.Time {
		c.end(&c.running[ended])
		ended++
	}
	c.running = c.running[ended:]
}

// end says what came of a check and takes its price, if something did.
func (c *Checks) end(check *schema.Check) {
	check.Status, check.Checked = schema.CheckFailed, c.out.Time
	verdict := harmless
	if at, said := c.find(check.Address); said {
		verdict = c.verdicts[at]
	}
	if !verdict.Fails && !c.accounts.Barred(check.Account) && c.covered(check.Account) {
		check.Status, check.Risk, check.Description = schema.CheckSucceeded, verdict.Risk, verdict.Description
		money := c.listing.AssetByTicker(schema.CheckTicker).ID
		fees := c.ledger.Open(schema.Fees, schema.Main, money)
		c.ledger.Move(c.ledger.Find(check.Account, schema.Main, money), fees, schema.PriceOfCheck, ledger.Note{Cause: schema.ByFee})
	}
	if c.counts[check.Account]--; c.counts[check.Account] == 0 {
		delete(c.counts, check.Account)
	}
	c.out.Events.Add(&schema.CheckChanged{Check: *check})
	c.Ended(check)
}

func (c *Checks) add(check *schema.Check) {
	c.running = append(c.running, *check)
	c.counts[check.Account]++
}

// setVerdict replaces what was said about an address, or takes it back.
func (c *Checks) setVerdict(m *schema.SetVerdict) schema.Rejection {
	v := &m.Verdict
	at, said := c.find(v.Address)
	switch none := (schema.AddressVerdict{Address: v.Address}); {
	case validAddress(v.Address) && *v == none:
		if said {
			c.verdicts = slices.Delete(c.verdicts, at, at+1)
		}
	case !validVerdict(v):
		return schema.Refuse(schema.VerdictInvalid)
	case said:
		c.verdicts[at] = *v
	case len(c.verdicts) >= mostVerdicts:
		return schema.Rejection{Reason: schema.VerdictsTooMany, Value: fixed.FromInt(mostVerdicts)}
	default:
		c.verdicts = slices.Insert(c.verdicts, at, *v)
	}
	return schema.Rejection{}
}

// validVerdict reports whether this can be said about an address.
func validVerdict(v *schema.AddressVerdict) bool {
	if v.Fails {
		return validAddress(v.Address) && v.Risk == 0 && v.Description == ""
	}
	return validAddress(v.Address) && schema.Valid(v.Risk) && len(v.Description) <= schema.MaxVerdict
}

// find is where the verdict about an address is, or would be.
func (c *Checks) find(address string) (at int, said bool) {
	return slices.BinarySearchFunc(c.verdicts, address, func(v schema.AddressVerdict, address string) int { return strings.Compare(v.Address, address) })
}

// Verdicts are what is said about addresses, by address.
func (c *Checks) Verdicts() []schema.AddressVerdict { return slices.Clone(c.verdicts) }

// Running are the checks of an account that did not end, by number.
func (c *Checks) Running(account schema.AccountID) []schema.Check {
	var list []schema.Check
	for i := range c.running {
		if c.running[i].Account == account {
			list = append(list, c.running[i])
		}
	}
	return list
}
