package naive

import (
	"cmp"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// ltvMost is the most that a credit is shown to be of what its account owns, in percent.
var ltvMost = whole(99999999).over(hundred)

// credits is what operators lend accounts out of the house.
type credits struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	wallet   *wallet // knows what may leave an account, and what assets are worth
	chains   *chains // know how much money there may be
	active   []*schema.Credit
}

func (s *credits) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.OpenCredit:
		result = s.open(c)
	case *schema.ChargeCredit:
		result = reject(s.charge(c))
	case *schema.RepayCredit:
		result = reject(s.repay(c))
	default:
		return nil
	}
	return &result
}

// find finds the credit of an account, or nil.
func (s *credits) find(a schema.AccountID) *schema.Credit {
	for _, c := range s.active {
		if c.Account == a {
			return c
		}
	}
	return nil
}

// changed records a credit as it is now.
func (s *credits) changed(c *schema.Credit) { s.call.record(&schema.CreditChanged{Credit: *c}) }

func (s *credits) open(c *schema.OpenCredit) schema.Result {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	asset := s.listing.asset(c.Asset)
	switch {
	case !account.CreditLine:
		return refuse(schema.CreditUnavailable)
	case asset == nil:
		return refuse(schema.AssetUnknown)
	}
	if r := checkMove(of(c.Amount), asset.Scale); refused(r) {
		return reject(r)
	}
	switch {
	case !risingPercents(c.Initial, c.MarginCall, c.Liquidation):
		return refuse(schema.CreditInvalid)
	case s.find(c.Account) != nil:
		return refuse(schema.CreditActive)
	case !s.chains.hasRoom(c.Asset, of(c.Amount)):
		return refuse(schema.MoveTooLarge)
	}
	made := &schema.Credit{
		Account: c.Account, Asset: c.Asset, Amount: c.Amount,
		Initial: c.Initial, MarginCall: c.MarginCall, Liquidation: c.Liquidation, Created: s.call.at,
	}
	s.active = append(s.active, made)
	slices.SortFunc(s.active, func(a, b *schema.Credit) int { return cmp.Compare(a.Account, b.Account) })
	s.ledger.move(in(house), in(c.Account), c.Asset, of(c.Amount), why{cause: schema.ByLoan})
	s.ledger.repay(c.Account, c.Asset)
	s.changed(made)
	return schema.Result{ID: uint64(c.Account)}
}

// risingPercents looks at the percents of a credit, none of which is below the one before.
func risingPercents(percents ...fixed.Decimal) bool {
	before := num{}
	for _, p := range percents {
		if n := of(p); n.sign() <= 0 || n.less(before) || n.more(hundred) || !n.multipleOf(unit(2)) {
			return false
		}
		before = of(p)
	}
	return true
}

// taken finds the credit of an account that an operator takes an amount for.
func (s *credits) taken(a schema.AccountID, amount fixed.Decimal) (*schema.Credit, schema.Rejection) {
	if _, r := s.accounts.customer(a); refused(r) {
		return nil, r
	}
	c := s.find(a)
	if c == nil {
		return nil, because(schema.CreditNone)
	}
	return c, checkMove(of(amount), s.listing.asset(c.Asset).Scale)
}

func (s *credits) charge(cmd *schema.ChargeCredit) schema.Rejection {
	c, r := s.taken(cmd.Account, cmd.Amount)
	if refused(r) {
		return r
	}
	amount := of(cmd.Amount)
	if r := s.wallet.checkWithdrawn(c.Account, c.Asset, amount); refused(r) {
		return r
	}
	funding := of(c.Funding).plus(amount)
	if funding.more(largest) {
		return because(schema.MoveTooLarge)
	}
	c.Funding = funding.decimal()
	s.ledger.move(in(c.Account), in(house), c.Asset, amount, why{cause: schema.ByInterest})
	s.changed(c)
	return accepted
}

func (s *credits) repay(cmd *schema.RepayCredit) schema.Rejection {
	c, r := s.taken(cmd.Account, cmd.Amount)
	if refused(r) {
		return r
	}
	amount := of(cmd.Amount)
	if amount.more(of(c.Amount)) {
		return about(schema.CreditLess, of(c.Amount))
	}
	if r := s.wallet.checkWithdrawn(c.Account, c.Asset, amount); refused(r) {
		return r
	}
	c.Amount = of(c.Amount).minus(amount).decimal()
	if of(c.Amount).sign() == 0 {
		s.active = slices.DeleteFunc(s.active, func(other *schema.Credit) bool { return other == c })
	}
	s.ledger.move(in(c.Account), in(house), c.Asset, amount, why{cause: schema.ByRepayment})
	s.changed(c)
	return accepted
}

// ltv is how much the credit of an account is of what the account owns in main and trade, in percent at index prices, rounded up. What
// has no price counts nothing; it is 0 if the credit has none, or nothing is owned. Values are numbers: with as many
// decimals, and no greater.
func (s *credits) ltv(a schema.AccountID) num {
	c := s.find(a)
	if c == nil {
		return num{}
	}
	lent, _ := s.wallet.worth(c.Asset)
	if lent.sign() == 0 {
		return num{}
	}
	owned := num{}
	for _, asset := range s.listing.assets {
		all := num{}
		for _, w := range []schema.Wallet{schema.Main, schema.Trade} {
			b := s.ledger.balance(a, w, asset.ID)
			all = all.plus(b.available).plus(b.frozen)
		}
		index, _ := s.wallet.worth(asset.ID)
		owned = owned.plus(all.times(index).truncate(smallest))
	}
	if owned.sign() <= 0 {
		return num{}
	}
	return least(ltvMost, least(of(c.Amount).times(lent).truncate(smallest), largest).over(least(owned, largest)).times(hundred).ceil(unit(2)))
}
