package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of checks of addresses, and what they end with.
const (
	checkLasts      = 3_000_000 * schema.Microsecond
	runningMost     = 100 // checks of an account
	checksATick     = 100 // that end
	verdictMost     = 500 // bytes of a description
	verdictsMost    = 10_000
	nothingWasFound = "No risk was found."
)

// checkCosts is in USDT.
var checkCosts = whole(2)

// addressChecks is the addresses that accounts have looked at, and what operators say about some.
type addressChecks struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	wallet   *wallet // knows what may leave an account
	running  []schema.Check
	verdicts []schema.AddressVerdict // by address
	last     schema.CheckID
}

func (s *addressChecks) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.CheckAddress:
		result = s.begin(c)
	case *schema.SetVerdict:
		result = reject(s.setVerdict(c.Verdict))
	default:
		return nil
	}
	return &result
}

func (s *addressChecks) begin(c *schema.CheckAddress) schema.Result {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	asset := s.listing.asset(c.Asset)
	switch {
	case account.Parent != 0:
		return refuse(schema.SubNotPermitted)
	case !account.Checker:
		return refuse(schema.CheckUnavailable)
	case asset == nil:
		return refuse(schema.AssetUnknown)
	}
	named := slices.ContainsFunc(asset.Networks, func(n schema.Network) bool { return n.Name == c.Network })
	switch {
	case asset.Class != schema.Crypto, c.Network != "" && !named, len(c.Address) < 1, len(c.Address) > addressTextMost:
		return refuse(schema.CheckInvalid)
	case len(s.of(c.Account)) >= runningMost:
		return reject(about(schema.ChecksTooMany, whole(runningMost)))
	case !s.covered(c.Account):
		return refuse(schema.CheckNotCovered)
	}
	s.last++
	made := schema.Check{
		ID: s.last, Account: c.Account, Asset: c.Asset, Network: c.Network, Address: c.Address,
		Status: schema.CheckRunning, Created: s.call.at,
	}
	s.running = append(s.running, made)
	s.call.record(&schema.CheckChanged{Check: made})
	return schema.Result{ID: uint64(made.ID)}
}

// of are the running checks of an account.
func (s *addressChecks) of(a schema.AccountID) (list []schema.Check) {
	for _, c := range s.running {
		if c.Account == a {
			list = append(list, c)
		}
	}
	return list
}

// usdt is what checks are paid in; 0: there is none.
func (s *addressChecks) usdt() schema.AssetID {
	for _, asset := range s.listing.assets {
		if asset.Ticker == "USDT" {
			return asset.ID
		}
	}
	return 0
}

// covered reports whether an account could pay a check now.
func (s *addressChecks) covered(a schema.AccountID) bool {
	return s.usdt() != 0 && !refused(s.wallet.checkWithdrawn(a, s.usdt(), checkCosts))
}

// runDue ends checks that ran long enough.
func (s *addressChecks) runDue() {
	for range checksATick {
		if len(s.running) == 0 || s.call.at < s.running[0].Created+checkLasts {
			return
		}
		c := s.running[0]
		s.running = s.running[1:]
		s.end(c)
	}
}

// due is when the first check ends.
func (s *addressChecks) due() []schema.Time {
	if len(s.running) == 0 {
		return nil
	}
	return []schema.Time{s.running[0].Created + checkLasts}
}

// end lets a check succeed that can be paid, unless the verdict is that it fails.
func (s *addressChecks) end(c schema.Check) {
	verdict := schema.AddressVerdict{Risk: schema.LowRisk, Description: nothingWasFound}
	for _, v := range s.verdicts {
		if v.Address == c.Address {
			verdict = v
		}
	}
	c.Status, c.Checked = schema.CheckFailed, s.call.at
	if !verdict.Fails && !s.accounts.barred(c.Account) && s.covered(c.Account) {
		s.ledger.move(in(c.Account), in(schema.Fees), s.usdt(), checkCosts, why{cause: schema.ByFee})
		c.Status, c.Risk, c.Description = schema.CheckSucceeded, verdict.Risk, verdict.Description
	}
	s.call.record(&schema.CheckChanged{Check: c})
}

func (s *addressChecks) setVerdict(v schema.AddressVerdict) schema.Rejection {
	none := !v.Fails && v.Risk == 0 && v.Description == ""
	fails := v.Fails && v.Risk == 0 && v.Description == ""
	known := slices.ContainsFunc(s.verdicts, func(old schema.AddressVerdict) bool { return old.Address == v.Address })
	switch {
	case len(v.Address) < 1, len(v.Address) > addressTextMost,
		!none && !fails && (v.Fails || !validRisk(v.Risk) || len(v.Description) > verdictMost):
		return because(schema.VerdictInvalid)
	case !none && !known && len(s.verdicts) >= verdictsMost:
		return about(schema.VerdictsTooMany, whole(verdictsMost))
	}
	s.verdicts = slices.DeleteFunc(s.verdicts, func(old schema.AddressVerdict) bool { return old.Address == v.Address })
	if !none {
		s.verdicts = append(s.verdicts, v)
	}
	slices.SortFunc(s.verdicts, func(a, b schema.AddressVerdict) int { return cmp.Compare(a.Address, b.Address) })
	return accepted
}

func validRisk(r schema.Risk) bool {
	return r == schema.LowRisk || r == schema.MediumRisk || r == schema.HighRisk
}
