// Package express lets partners ask customers for money by a token: the first who pays it within 90 seconds does so out of the main
// wallet, at once and without a fee. A partner's reference is paid once, for ever.
//
// What must hold: a partner has one token for a reference, and none for one that was paid; nobody pays anything else than was shown.
package express

import (
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/tier"
	"bourse/internal/core/unique"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of tokens.
const (
	mostLive  = 1000               // of one partner
	mostWorth = 10_000             // the highest value, in the quote asset of the first market
	life      = 90 * schema.Second // of a token
	slice     = 1000               // tokens that a Tick forgets
)

// Tokens are those that can be paid, and what was paid. Some that expired may not be forgotten yet: they count for nothing.
type Tokens struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	tiers    *tier.Tiers
	out      *schema.Outcome

	// order has the tokens in the order in which they expire.
	tokens   slab.Shelf[token, *token]
	order    slab.List
	byDigest map[schema.Digest]uint32      // only ever asked
	of       map[schema.AccountID][]uint32 // those of a partner, in order; at most mostLive; only ever asked
	paid     unique.Names
}

// token is a request for money that waits for its payer.
type token struct {
	schema.Express
	slab.Links
	digest schema.Digest
}

// New makes tokens of which there are none.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, tiers *tier.Tiers, out *schema.Outcome) *Tokens {
	return &Tokens{
		ledger: l, listing: listed, accounts: a, wallets: w, tiers: tiers, out: out,
		byDigest: map[schema.Digest]uint32{}, of: map[schema.AccountID][]uint32{},
	}
}

// Commands registers what can be done with tokens.
func (t *Tokens) Commands(h *product.Handlers) {
	product.On(h, t.request)
	product.On(h, t.pay)
}

func (t *Tokens) request(m *schema.RequestExpress) schema.Rejection {
	if r := t.mayRequest(m); r.Refused() {
		return r
	}
	if t.paid.Has(m.Account, m.External) {
		return schema.Refuse(schema.ExpressPaid)
	}
	if pending := t.pending(m.Account, m.External); pending != nil {
		if pending.Asset != m.Asset || pending.Amount != m.Amount {
			return schema.Refuse(schema.ExpressPending)
		}
		t.answer(pending)
		return schema.Rejection{}
	}
	if r := t.capped(m.Asset, m.Amount); r.Refused() {
		return r
	}
	expired := t.expired(m.Account)
	if len(t.of[m.Account])-expired >= mostLive {
		return schema.Rejection{Reason: schema.ExpressTooMany, Value: fixed.FromInt(mostLive)}
	}
	for range expired {
		t.remove(t.of[m.Account][0])
	}
	if place := t.byDigest[m.Digest]; place != 0 { // of another partner, expired
		t.remove(place)
	}
	made := &token{digest: m.Digest, Express: schema.Express{
		Account: m.Account, Asset: m.Asset, Amount: m.Amount, External: m.External, Expires: t.out.Time + life, Sealed: slices.Clone(m.Sealed),
	}}
	t.add(made)
	t.answer(made)
	return schema.Rejection{}
}

// mayRequest checks a request for itself.
func (t *Tokens) mayRequest(m *schema.RequestExpress) schema.Rejection {
	account, r := t.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	if account.IsSub() {
		return schema.Refuse(schema.SubNotPermitted)
	}
	asset := t.listing.Asset(m.Asset)
	switch {
	case !account.Partner:
		return schema.Refuse(schema.ExpressUnavailable)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	case !t.accounts.Offers(asset, account):
		return schema.Refuse(schema.AssetNotOffered)
	case asset.Class != schema.Crypto || !asset.CanWithdraw:
		return schema.Refuse(schema.ExpressDisabled)
	}
	if r := wallet.CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return r
	}
	if t.live(m.Digest) != 0 || !valid(m.Digest, m.Sealed, m.External) {
		return schema.Refuse(schema.ExpressInvalid)
	}
	return schema.Rejection{}
}

// valid reports whether this can be kept of a token.
func valid(digest schema.Digest, sealed []byte, external string) bool {
	return !digest.IsZero() && len(sealed) > 0 && len(sealed) <= schema.MaxSealedCode && external != "" && len(external) <= schema.MaxExternal
}

// capped refuses what is worth too much, at the higher of index and last price: a price can be painted down.
func (t *Tokens) capped(asset schema.AssetID, amount fixed.Decimal) schema.Rejection {
	most := fixed.FromInt(mostWorth)
	value, known := t.wallets.Value(asset, amount)
	switch {
	case !known:
		return schema.Refuse(schema.RateUnknown)
	case value.Cmp(most) > 0:
		return schema.Rejection{Reason: schema.ExpressAboveCap, Value: most}
	}
	return schema.Rejection{}
}

// answer makes a token the result of the command.
func (t *Tokens) answer(m *token) {
	express := m.Express
	express.Sealed = slices.Clone(m.Sealed)
	t.out.Result.Express = &express
}

func (t *Tokens) pay(m *schema.PayExpress) schema.Rejection {
	place, r := t.mayPay(m)
	if r.Refused() {
		return r
	}
	paid := t.tokens.At(place).Express
	t.remove(place)
	t.paid.Add(paid.Account, paid.External)
	to := t.ledger.Open(paid.Account, schema.Main, paid.Asset)
	t.ledger.Move(t.ledger.Find(m.Account, schema.Main, paid.Asset), to, paid.Amount, ledger.Note{Cause: schema.ByWithdrawal})
	t.tiers.Count(m.Account, paid.Asset, paid.Amount)
	t.wallets.Repay(paid.Account, paid.Asset)
	return schema.Rejection{}
}

func (t *Tokens) mayPay(m *schema.PayExpress) (uint32, schema.Rejection) {
	payer, r := t.accounts.Customer(m.Account)
	if r.Refused() {
		return 0, r
	}
	if t.accounts.Confirms(payer) {
		return 0, schema.Refuse(schema.SubNotPermitted)
	}
	place := t.live(m.Digest)
	if place == 0 {
		return 0, schema.Refuse(schema.ExpressUnknown)
	}
	asked := &t.tokens.At(place).Express
	named := m.Partner != 0 || m.Asset != 0 || !m.Amount.IsZero()
	switch {
	case named && (m.Partner != asked.Account || m.Asset != asked.Asset || m.Amount != asked.Amount):
		return 0, schema.Refuse(schema.ExpressUnknown)
	case asked.Account == t.accounts.Root(m.Account).ID:
		return 0, schema.Refuse(schema.ExpressOwn)
	case t.accounts.Barred(asked.Account):
		return 0, schema.Refuse(schema.ExpressUnknown)
	case !t.accounts.Offers(t.listing.Asset(asked.Asset), payer):
		return 0, schema.Refuse(schema.AssetNotOffered)
	}
	if r := t.capped(asked.Asset, asked.Amount); r.Refused() {
		return 0, r
	}
	return place, t.tiers.MayLeave(m.Account, asked.Asset, asked.Amount)
}

// Holds reports whether payments to an account wait.
func (t *Tokens) Holds(account schema.AccountID) bool { return len(t.of[account]) > 0 }

// Find is the token with a digest that can be paid at a moment.
func (t *Tokens) Find(digest schema.Digest, now schema.Time) (found schema.Express, there bool) {
	place := t.byDigest[digest]
	if place == 0 || now >= t.tokens.At(place).Expires {
		return found, false
	}
	return t.tokens.At(place).Express, true
}

// NextTimer is when the first token expires.
func (t *Tokens) NextTimer() (schema.Time, bool) {
	if t.order.First == 0 {
		return 0, false
	}
	return t.tokens.At(t.order.First).Expires, true
}

// Tick forgets tokens that expired, some at once; the timer stays due for the others.
func (t *Tokens) Tick() {
	for range slice {
		if t.order.First == 0 || t.tokens.At(t.order.First).Expires > t.out.Time {
			return
		}
		t.remove(t.order.First)
	}
}

// live is the place of a token that can be paid, 0 if there is none.
func (t *Tokens) live(digest schema.Digest) uint32 {
	if place := t.byDigest[digest]; place != 0 && t.out.Time < t.tokens.At(place).Expires {
		return place
	}
	return 0
}

// pending is the token of a partner for a reference that can be paid, or nil.
func (t *Tokens) pending(partner schema.AccountID, external string) *token {
	for _, place := range t.of[partner] {
		if m := t.tokens.At(place); m.External == external && t.out.Time < m.Expires {
			return m
		}
	}
	return nil
}

// expired is how many tokens of a partner have expired and are not forgotten: its first ones.
func (t *Tokens) expired(partner schema.AccountID) (count int) {
	for _, place := range t.of[partner] {
		if t.out.Time < t.tokens.At(place).Expires {
			break
		}
		count++
	}
	return count
}

// Live are the tokens of a partner that can be paid at a moment, in the order in which they expire.
func (t *Tokens) Live(partner schema.AccountID, now schema.Time) []schema.Express {
	var list []schema.Express
	for _, place := range t.of[partner] {
		if m := t.tokens.At(place); now < m.Expires {
			list = append(list, m.Express)
		}
	}
	return list
}

// add puts a token at the end of the list.
func (t *Tokens) add(m *token) {
	place, at := t.tokens.Take()
	*at = *m
	t.tokens.Push(&t.order, place)
	t.byDigest[m.digest] = place
	t.of[m.Account] = append(t.of[m.Account], place)
}

// remove forgets a token.
func (t *Tokens) remove(place uint32) {
	m := t.tokens.At(place)
	t.tokens.Pull(place)
	delete(t.byDigest, m.digest)
	of := t.of[m.Account]
	at := slices.Index(of, place)
	if of = slices.Delete(of, at, at+1); len(of) == 0 {
		delete(t.of, m.Account)
	} else {
		t.of[m.Account] = of
	}
	t.tokens.Give(place)
}
