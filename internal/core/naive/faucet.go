package naive

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// faucet is play money: accounts take so much on a day, which comes to an address of theirs on a sandbox, or, with an older command, from
// the world outside.
type faucet struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	chains   *chains
	limits   map[schema.AssetID]num // of assets that have a faucet
	takings  []taking               // all that there ever were
}

// taking is what an account took at once.
type taking struct {
	schema.TakeFaucet
	at schema.Time
}

func (f *faucet) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetFaucet:
		result = f.set(c)
	case *schema.TakeFaucet:
		result = f.take(c)
	case *schema.PayFaucet:
		result = f.pay(c)
	default:
		return nil
	}
	return &result
}

func (f *faucet) set(c *schema.SetFaucet) schema.Result {
	asset, limit := f.listing.asset(c.Asset), of(c.Limit)
	switch {
	case asset == nil:
		return refuse(schema.AssetUnknown)
	case limit.sign() < 0, !limit.multipleOf(unit(asset.Scale)):
		return refuse(schema.FaucetLimitInvalid)
	}
	delete(f.limits, c.Asset)
	if limit.sign() > 0 {
		f.limits[c.Asset] = limit
	}
	f.call.record(&schema.FaucetChanged{Faucet: *c})
	return schema.Result{}
}

func (f *faucet) take(c *schema.TakeFaucet) schema.Result {
	if r := f.has(c.Account, c.Asset); refused(r) {
		return reject(r)
	}
	left, r := f.leaves(c)
	if refused(r) {
		return reject(r)
	}
	amount := of(c.Amount)
	if !f.ledger.canHold(c.Asset, amount) {
		return refuse(schema.MoveTooLarge)
	}
	y := why{cause: schema.ByFaucet}
	f.ledger.receive(schema.Outside, schema.Main, c.Asset, amount.neg(), y)
	f.ledger.receive(c.Account, schema.Trade, c.Asset, amount, y)
	return schema.Result{Left: f.count(c, left)}
}

// pay lets an account take money on a sandbox by which deposits of the asset come, if the deposit would be credited now.
func (f *faucet) pay(c *schema.PayFaucet) schema.Result {
	receipt := c.Payment.Receipt
	if r := f.has(c.Account, receipt.Asset); refused(r) {
		return reject(r)
	}
	on, r := f.chains.ours(c.Payment.Chain)
	asset := f.listing.asset(receipt.Asset)
	if refused(r) || !asset.CanDeposit {
		return refuse(schema.FaucetUnavailable)
	}
	if n := f.chains.network(on.ID, asset.ID); n == nil || !n.CanDeposit {
		return refuse(schema.FaucetUnavailable)
	}
	taken := &schema.TakeFaucet{Account: c.Account, Asset: receipt.Asset, Amount: receipt.Amount}
	left, r := f.leaves(taken)
	if refused(r) {
		return reject(r)
	}
	if r := creditable(asset, f.chains.network(on.ID, asset.ID), of(receipt.Amount)); refused(r) {
		return reject(r)
	}
	switch {
	case !f.chains.hasRoom(asset.ID, of(receipt.Amount)):
		return refuse(schema.MoveTooLarge)
	case f.chains.owner(on, receipt.Index) != c.Account:
		return refuse(schema.BlockInvalid)
	}
	result := f.chains.paySandbox(&c.Payment)
	if !refused(result.Rejection) {
		result.Left = f.count(taken, left)
	}
	return result
}

// has looks whether an account may act and an asset has a faucet.
func (f *faucet) has(account schema.AccountID, asset schema.AssetID) schema.Rejection {
	if _, r := f.accounts.trader(account); refused(r) {
		return r
	}
	if _, has := f.limits[asset]; !has {
		return because(schema.FaucetUnavailable)
	}
	return accepted
}

// leaves is what an account may still take that day after what it takes now.
func (f *faucet) leaves(c *schema.TakeFaucet) (num, schema.Rejection) {
	amount := of(c.Amount)
	if r := checkMove(amount, f.listing.asset(c.Asset).Precision); refused(r) {
		return num{}, r
	}
	left := f.limits[c.Asset].minus(f.takenToday(c.Account, c.Asset))
	if amount.more(left) {
		if left.sign() < 0 { // the limit was lowered after more was taken
			left = num{}
		}
		return num{}, about(schema.FaucetSpent, left)
	}
	return left.minus(amount), accepted
}

// count notes what was taken and returns what is left.
func (f *faucet) count(c *schema.TakeFaucet, left num) fixed.Decimal {
	f.takings = append(f.takings, taking{*c, f.call.at})
	f.call.record(&schema.FaucetTaken{Taken: *c, Left: left.decimal()})
	return left.decimal()
}

// takenToday is what an account took of an asset on the day of the command.
func (f *faucet) takenToday(account schema.AccountID, asset schema.AssetID) num {
	sum := num{}
	for _, t := range f.takings {
		if t.Account == account && t.Asset == asset && day(t.at) == day(f.call.at) {
			sum = sum.plus(of(t.Amount))
		}
	}
	return sum
}

// day numbers the days of UTC.
func day(at schema.Time) schema.Time { return at / (24 * 60 * 60 * 1_000_000 * schema.Microsecond) }
