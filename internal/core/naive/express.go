package naive

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of express payments.
const (
	expressLife  = 90_000_000 * schema.Microsecond
	externalMost = 1020   // bytes
	expressMost  = 1000   // that wait, of a partner
	expressATick = 1000   // that are over
	expressCap   = 10_000 // in the quote asset of the first market
)

// express is money that partners ask for, and that another customer pays by a token.
type express struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	wallet   *wallet // knows what may leave an account, and what assets are worth
	limits   *limits // know the first, too
	tokens   []*token
	paid     []reference
}

// token is a request for money with what its payer must know. Those before it are over no later.
type token struct {
	schema.Express
	digest schema.Digest
}

// reference is what a partner calls a payment.
type reference struct {
	partner  schema.AccountID
	external string
}

func (s *express) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.RequestExpress:
		result = s.request(c)
	case *schema.PayExpress:
		result = reject(s.pay(c))
	default:
		return nil
	}
	return &result
}

// live are the tokens that can be paid at a moment.
func (s *express) live(at schema.Time) (list []*token) {
	for _, k := range s.tokens {
		if at < k.Expires {
			list = append(list, k)
		}
	}
	return list
}

// find finds a token that can be paid now, or nil.
func (s *express) find(is func(*token) bool) *token {
	for _, k := range s.live(s.call.at) {
		if is(k) {
			return k
		}
	}
	return nil
}

// waiting are the tokens of a partner that can be paid at a moment.
func (s *express) waiting(partner schema.AccountID, at schema.Time) (list []schema.Express) {
	for _, k := range s.live(at) {
		if k.Account == partner {
			list = append(list, *k.view())
		}
	}
	return list
}

// view is what a token asks for.
func (k *token) view() *schema.Express {
	now := k.Express
	now.Sealed = slices.Clone(k.Sealed)
	return &now
}

func (s *express) request(c *schema.RequestExpress) schema.Result {
	partner, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	asset := s.listing.asset(c.Asset)
	switch {
	case partner.Parent != 0:
		return refuse(schema.SubNotPermitted)
	case !partner.Partner:
		return refuse(schema.ExpressUnavailable)
	case asset == nil:
		return refuse(schema.AssetUnknown)
	case s.accounts.barsAsset(partner, asset):
		return refuse(schema.AssetNotOffered)
	case asset.Class != schema.Crypto, !asset.CanWithdraw:
		return refuse(schema.ExpressDisabled)
	}
	if r := checkMove(of(c.Amount), asset.Precision); refused(r) {
		return reject(r)
	}
	used := s.find(func(k *token) bool { return k.digest == c.Digest }) != nil
	switch {
	case len(c.External) < 1, len(c.External) > externalMost, c.Digest == schema.Digest{}, used,
		len(c.Sealed) < 1, len(c.Sealed) > sealedMost:
		return refuse(schema.ExpressInvalid)
	case slices.Contains(s.paid, reference{c.Account, c.External}):
		return refuse(schema.ExpressPaid)
	}
	if same := s.find(func(k *token) bool { return k.Account == c.Account && k.External == c.External }); same != nil {
		if same.Asset != c.Asset || same.Amount != c.Amount {
			return refuse(schema.ExpressPending)
		}
		return schema.Result{Express: same.view()}
	}
	if r := s.checkCap(c.Asset, of(c.Amount)); refused(r) {
		return reject(r)
	}
	if len(s.waiting(c.Account, s.call.at)) >= expressMost {
		return reject(about(schema.ExpressTooMany, whole(expressMost)))
	}
	// What the partner asked for before and is over is forgotten here already, and so is what is over and has the same digest.
	s.tokens = slices.DeleteFunc(s.tokens, func(k *token) bool {
		return s.call.at >= k.Expires && (k.Account == c.Account || k.digest == c.Digest)
	})
	made := &token{Express: schema.Express{
		Account: c.Account, Asset: c.Asset, Amount: c.Amount, External: c.External,
		Expires: s.call.at + expressLife, Sealed: slices.Clone(c.Sealed),
	}, digest: c.Digest}
	s.tokens = append(s.tokens, made)
	return schema.Result{Express: made.view()}
}

// checkCap bounds what a payment is worth.
func (s *express) checkCap(asset schema.AssetID, amount num) schema.Rejection {
	value := s.wallet.value(asset, amount)
	switch {
	case value.sign() == 0:
		return because(schema.RateUnknown)
	case value.more(whole(expressCap)):
		return about(schema.ExpressAboveCap, whole(expressCap))
	}
	return accepted
}

func (s *express) pay(c *schema.PayExpress) schema.Rejection {
	payer, r := s.accounts.trader(c.Account)
	if refused(r) {
		return r
	}
	if s.accounts.approved(c.Account) {
		return because(schema.SubNotPermitted)
	}
	k := s.find(func(k *token) bool { return k.digest == c.Digest })
	var none fixed.Decimal // old logs do not say what was shown
	switch {
	case k == nil:
		return because(schema.ExpressUnknown)
	case (c.Partner != 0 || c.Asset != 0 || c.Amount != none) && (c.Partner != k.Account || c.Asset != k.Asset || c.Amount != k.Amount):
		return because(schema.ExpressUnknown)
	case k.Account == s.accounts.master(payer).ID:
		return because(schema.ExpressOwn)
	}
	if s.accounts.barred(k.Account) {
		return because(schema.ExpressUnknown)
	}
	if s.accounts.barsAsset(payer, s.listing.asset(k.Asset)) {
		return because(schema.AssetNotOffered)
	}
	amount := of(k.Amount)
	if r := s.checkCap(k.Asset, amount); refused(r) {
		return r
	}
	if r := s.wallet.checkWithdrawn(c.Account, k.Asset, amount); refused(r) {
		return r
	}
	value, r := s.limits.check(c.Account, k.Asset, amount)
	if refused(r) {
		return r
	}
	s.limits.count(c.Account, value)
	s.tokens = slices.DeleteFunc(s.tokens, func(other *token) bool { return other == k })
	s.paid = append(s.paid, reference{k.Account, k.External})
	s.ledger.move(in(c.Account), in(k.Account), k.Asset, amount, byWithdrawal)
	s.ledger.repay(k.Account, k.Asset)
	return accepted
}

// runDue forgets tokens that nobody paid in time.
func (s *express) runDue() {
	for range expressATick {
		if len(s.tokens) > 0 && s.tokens[0].Expires <= s.call.at {
			s.tokens = s.tokens[1:]
		}
	}
}

// due is when the first token is over.
func (s *express) due() []schema.Time {
	if len(s.tokens) == 0 {
		return nil
	}
	return []schema.Time{s.tokens[0].Expires}
}
