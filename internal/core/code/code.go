// Package code lets accounts hand money to each other by a text: the creator of a code pays its amount, and the first who applies the
// code gets it. Till then the money is in an account of the exchange. A code that nobody applies within a year goes back, and so does
// one whose passphrase was wrong too often.
//
// What must hold: the account of the codes has what is in the active codes, of every asset, and no more.
package code

import (
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of codes.
const (
	mostActive = 1000                            // of one account
	mostTries  = 50                              // of a passphrase; the last of them returns the code
	life       = 365 * 24 * 3600 * schema.Second // of a code
	slice      = 1000                            // codes that a Tick returns
	remembered = 100_000                         // applied codes, so that who applies one again learns that
)

// Codes are the codes that can be applied, and the last ones that were.
type Codes struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	tiers    *tier.Tiers
	out      *schema.Outcome
	// Remembered is how many applied codes are remembered.
	Remembered int
	// Applied hears of codes that somebody applied. It changes nothing here.
	Applied func(*schema.Code)

	last schema.CodeID
	// active are the codes that can be applied, in order by number.
	active slab.Shelf[active, *active]
	order  slab.List
	counts map[schema.AccountID]int // of active codes; only ever asked
	places map[schema.Digest]uint32 // of active codes, 0 for applied ones; only ever asked
	// applied are the digests of the last codes that were. When it is full, oldest is where the next takes the place of another.
	applied []schema.Digest
	oldest  int
}

// active is a code that can be applied.
type active struct {
	schema.Code
	digest, lock schema.Digest
	slab.Links
	tries uint8 // of a wrong passphrase
}

// New makes codes of which there are none.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, t *tier.Tiers, out *schema.Outcome) *Codes {
	return &Codes{
		ledger: l, listing: listed, accounts: a, wallets: w, tiers: t, out: out, Remembered: remembered, Applied: func(*schema.Code) {},
		counts: map[schema.AccountID]int{}, places: map[schema.Digest]uint32{},
	}
}

// Commands registers what can be done with codes.
func (c *Codes) Commands(h *product.Handlers) {
	product.On(h, c.create)
	product.On(h, c.apply)
}

func (c *Codes) create(m *schema.CreateCode) schema.Rejection {
	if r := c.mayCreate(m); r.Refused() {
		return r
	}
	c.last++
	code := schema.Code{
		ID: c.last, Account: m.Account, Asset: m.Asset, Amount: m.Amount, Status: schema.CodeActive, Created: c.out.Time,
		Sealed: slices.Clone(m.Sealed), Description: m.Description,
	}
	c.move(m.Account, schema.Codes, &code)
	c.tiers.Count(m.Account, m.Asset, m.Amount)
	c.add(&active{Code: code, digest: m.Digest, lock: m.Lock})
	c.out.Result.Code = &code
	c.out.Events.Add(&schema.CodeChanged{Code: code})
	return schema.Rejection{}
}

func (c *Codes) mayCreate(m *schema.CreateCode) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	if c.accounts.Confirms(account) { // a code would leave without the master
		return schema.Refuse(schema.SubNotPermitted)
	}
	asset := c.listing.Asset(m.Asset)
	if asset == nil {
		return schema.Refuse(schema.AssetUnknown)
	}
	if !c.accounts.Offers(asset, account) {
		return schema.Refuse(schema.AssetNotOffered)
	}
	if _, taken := c.places[m.Digest]; taken || !valid(m.Digest, m.Sealed, m.Description) {
		return schema.Refuse(schema.CodeInvalid)
	}
	if r := wallet.CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return r
	}
	switch {
	case asset.Class != schema.Crypto || !asset.Codes:
		return schema.Refuse(schema.CodesDisabled)
	case !asset.CanWithdraw:
		return schema.Refuse(schema.CodeNotWithdrawable)
	case m.Amount.Less(asset.MinCode):
		return schema.Rejection{Reason: schema.CodeBelowMin, Value: asset.MinCode}
	case c.counts[m.Account] >= mostActive:
		return schema.Rejection{Reason: schema.CodesTooMany, Value: fixed.FromInt(mostActive)}
	}
	return c.tiers.MayLeave(m.Account, m.Asset, m.Amount)
}

// valid reports whether this can be kept of a code.
func valid(digest schema.Digest, sealed []byte, description string) bool {
	return !digest.IsZero() && len(sealed) > 0 && len(sealed) <= schema.MaxSealedCode && len(description) <= schema.MaxDescription
}

// apply pays a code out. A wrong passphrase is no refusal, which would change nothing: it counts.
func (c *Codes) apply(m *schema.ApplyCode) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	place, known := c.places[m.Digest]
	switch {
	case !known:
		return schema.Refuse(schema.CodeUnknown)
	case place == 0:
		return schema.Refuse(schema.CodeNotActive)
	}
	a := c.active.At(place)
	switch {
	case a.Account == m.Account:
		return schema.Refuse(schema.CodeOwn)
	case c.accounts.Barred(a.Account): // nothing leaves such an account, by this door neither
		return schema.Refuse(schema.CodeSuspended)
	case !c.accounts.Offers(c.listing.Asset(a.Asset), account): // before the passphrase: it counts as no try
		return schema.Refuse(schema.AssetNotOffered)
	case a.lock == m.Lock:
		c.out.Result.Code = c.end(place, schema.CodeApplied, m.Account)
	case a.tries+1 == mostTries:
		c.out.Result.Code = c.end(place, schema.CodeReturned, a.Account)
	default:
		a.tries++
		code := a.Code
		c.out.Result.Code = &code
	}
	return schema.Rejection{}
}

// Holds reports whether an account has codes that nobody applied.
func (c *Codes) Holds(account schema.AccountID) bool { return c.counts[account] > 0 }

// NextTimer is when the oldest code goes back.
func (c *Codes) NextTimer() (schema.Time, bool) {
	if c.order.First == 0 {
		return 0, false
	}
	return c.active.At(c.order.First).Created + life, true
}

// Tick returns codes that nobody applied in time, some at once; the timer stays due for the others.
func (c *Codes) Tick() {
	for range slice {
		if c.order.First == 0 || c.active.At(c.order.First).Created+life > c.out.Time {
			return
		}
		c.end(c.order.First, schema.CodeReturned, c.active.At(c.order.First).Account)
	}
}

// end pays the money of an active code to an account, and forgets all but that it was applied, if it was.
func (c *Codes) end(place uint32, status schema.CodeStatus, to schema.AccountID) *schema.Code {
	a := c.active.At(place)
	code := a.Code
	digest := a.digest
	code.Status, code.Ended = status, c.out.Time
	c.move(schema.Codes, to, &code)
	c.wallets.Repay(to, code.Asset)
	c.remove(place)
	if status == schema.CodeApplied {
		code.Redeemer = to
		c.remember(digest)
	}
	c.out.Events.Add(&schema.CodeChanged{Code: code})
	if status == schema.CodeApplied {
		c.Applied(&code)
	}
	return &code
}

func (c *Codes) move(from, to schema.AccountID, code *schema.Code) {
	source := c.ledger.Find(from, schema.Main, code.Asset)
	target := c.ledger.Open(to, schema.Main, code.Asset)
	c.ledger.Move(source, target, code.Amount, ledger.Note{Cause: schema.ByCode})
}

// add puts a code at the end of the list.
func (c *Codes) add(a *active) {
	place, at := c.active.Take()
	*at = *a
	c.active.Push(&c.order, place)
	c.places[a.digest] = place
	c.counts[a.Account]++
}

// remove takes a code out of the list.
func (c *Codes) remove(place uint32) {
	a := c.active.At(place)
	c.active.Pull(place)
	if c.counts[a.Account]--; c.counts[a.Account] == 0 {
		delete(c.counts, a.Account)
	}
	delete(c.places, a.digest)
	c.active.Give(place)
}

// remember notes that a code was applied, in the place of the one that was longest ago if there are too many.
func (c *Codes) remember(digest schema.Digest) {
	c.places[digest] = 0
	if len(c.applied) < c.Remembered {
		c.applied = append(c.applied, digest)
		return
	}
	delete(c.places, c.applied[c.oldest])
	c.applied[c.oldest] = digest
	c.oldest = (c.oldest + 1) % len(c.applied)
}
