package naive

import (
	"slices"

	"bourse/internal/schema"
)

// The life of a code, and the bounds of what comes with one.
const (
	codeLife        = 365 * 24 * 60 * minute
	triesMost       = 50   // with the wrong passphrase
	codesMost       = 1000 // of an account that are active
	codesATick      = 1000 // that go back
	sealedMost      = 256  // bytes
	descriptionMost = 1120 // bytes: 280 characters
)

// codes is money that waits for the one who knows a text.
type codes struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	wallet   *wallet // knows what may leave an account
	limits   *limits // so do these
	active   []*code // by number
	applied  []schema.Digest
	lastCode schema.CodeID
	// remembered is how many applied codes are remembered, the last ones.
	remembered *int
}

// code is a code with what nobody is shown of it.
type code struct {
	schema.Code
	digest, lock schema.Digest
	tries        int // with the wrong passphrase
}

func (s *codes) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.CreateCode:
		result = s.create(c)
	case *schema.ApplyCode:
		result = s.redeem(c)
	default:
		return nil
	}
	return &result
}

func (s *codes) create(c *schema.CreateCode) schema.Result {
	if r := s.checkCreate(c); refused(r) {
		return reject(r)
	}
	value, r := s.limits.check(c.Account, c.Asset, of(c.Amount))
	if refused(r) {
		return reject(r)
	}
	s.limits.count(c.Account, value)
	s.lastCode++
	made := &code{
		Code: schema.Code{
			ID: s.lastCode, Account: c.Account, Asset: c.Asset, Amount: c.Amount, Status: schema.CodeActive, Created: s.call.at,
			Sealed: slices.Clone(c.Sealed), Description: c.Description,
		},
		digest: c.Digest, lock: c.Lock,
	}
	s.active = append(s.active, made)
	s.ledger.move(holder{c.Account, schema.Main}, holder{codeKeeper, schema.Main}, c.Asset, of(c.Amount), why{cause: schema.ByCode})
	return s.changed(made)
}

func (s *codes) checkCreate(c *schema.CreateCode) schema.Rejection {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return r
	}
	if s.accounts.approved(c.Account) {
		return because(schema.SubNotPermitted)
	}
	asset := s.listing.asset(c.Asset)
	switch {
	case asset == nil:
		return because(schema.AssetUnknown)
	case s.accounts.barsAsset(account, asset):
		return because(schema.AssetNotOffered)
	case c.Digest == schema.Digest{}, s.find(c.Digest) != nil, slices.Contains(s.applied, c.Digest),
		len(c.Sealed) == 0, len(c.Sealed) > sealedMost, len(c.Description) > descriptionMost:
		return because(schema.CodeInvalid)
	}
	amount := of(c.Amount)
	if r := checkMove(amount, asset.Precision); refused(r) {
		return r
	}
	available := s.ledger.balance(c.Account, schema.Main, c.Asset).available
	switch {
	case asset.Class != schema.Crypto, !asset.Codes:
		return because(schema.CodesDisabled)
	case !asset.CanWithdraw:
		return because(schema.CodeNotWithdrawable)
	case amount.less(of(asset.MinCode)):
		return about(schema.CodeBelowMin, of(asset.MinCode))
	case s.count(c.Account) >= codesMost:
		return about(schema.CodesTooMany, whole(codesMost))
	case amount.more(available):
		return about(schema.WithdrawNotCovered, available)
	}
	return s.wallet.checkExit(c.Account, c.Asset, amount)
}

// find finds an active code, or nil.
func (s *codes) find(digest schema.Digest) *code {
	for _, k := range s.active {
		if k.digest == digest {
			return k
		}
	}
	return nil
}

// count is how many codes of an account can be applied.
func (s *codes) count(a schema.AccountID) int {
	n := 0
	for _, k := range s.active {
		if k.Account == a {
			n++
		}
	}
	return n
}

func (s *codes) redeem(c *schema.ApplyCode) schema.Result {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	k := s.find(c.Digest)
	switch {
	case slices.Contains(s.applied, c.Digest):
		return refuse(schema.CodeNotActive)
	case k == nil:
		return refuse(schema.CodeUnknown)
	case k.Account == c.Account:
		return refuse(schema.CodeOwn)
	}
	if s.accounts.barred(k.Account) {
		return refuse(schema.CodeSuspended)
	}
	if s.accounts.barsAsset(account, s.listing.asset(k.Asset)) {
		return refuse(schema.AssetNotOffered)
	}
	if c.Lock == k.lock {
		k.Redeemer = c.Account
		s.applied = append(s.applied, c.Digest)
		s.applied = s.applied[max(0, len(s.applied)-*s.remembered):]
		return s.end(k, schema.CodeApplied, c.Account)
	}
	if k.tries++; k.tries == triesMost {
		return s.end(k, schema.CodeReturned, k.Account)
	}
	return schema.Result{Code: k.view()}
}

// end pays the money of a code out, to the one who applied it or back.
func (s *codes) end(k *code, as schema.CodeStatus, to schema.AccountID) schema.Result {
	k.Status, k.Ended = as, s.call.at
	s.active = slices.DeleteFunc(s.active, func(other *code) bool { return other == k })
	s.ledger.move(holder{codeKeeper, schema.Main}, holder{to, schema.Main}, k.Asset, of(k.Amount), why{cause: schema.ByCode})
	s.ledger.repay(to, k.Asset)
	return s.changed(k)
}

// changed records a code as it is now, and answers with it.
func (s *codes) changed(k *code) schema.Result {
	s.call.record(&schema.CodeChanged{Code: *k.view()})
	return schema.Result{Code: k.view()}
}

// view is the code as it is now, whatever becomes of it.
func (k *code) view() *schema.Code {
	now := k.Code
	return &now
}

// tick sends the money of codes back that nobody applied in time.
func (s *codes) tick() {
	for range codesATick {
		if len(s.active) == 0 || s.call.at < s.active[0].over() {
			return
		}
		s.end(s.active[0], schema.CodeReturned, s.active[0].Account)
	}
}

// over is when the time of a code is over. Codes with higher numbers were not created earlier.
func (k *code) over() schema.Time { return k.Created + codeLife }

// due is when the next code goes back.
func (s *codes) due() []schema.Time {
	if len(s.active) == 0 {
		return nil
	}
	return []schema.Time{s.active[0].over()}
}
