package naive

import "bourse/internal/schema"

// faucet is play money: accounts take it from the world outside, so much on a day.
type faucet struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
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
	if _, r := f.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	asset := f.listing.asset(c.Asset)
	limit, has := f.limits[c.Asset]
	if asset == nil || !has {
		return refuse(schema.FaucetUnavailable)
	}
	if r := checkMove(of(c.Amount), asset.Precision); refused(r) {
		return reject(r)
	}
	amount, left := of(c.Amount), limit.minus(f.takenToday(c.Account, c.Asset))
	if amount.more(left) {
		if left.sign() < 0 { // the limit was lowered after more was taken
			left = num{}
		}
		return reject(about(schema.FaucetSpent, left))
	}
	if !f.ledger.canHold(c.Asset, amount) {
		return refuse(schema.MoveTooLarge)
	}
	y := why{cause: schema.ByFaucet}
	f.ledger.receive(schema.Outside, schema.Main, c.Asset, amount.neg(), y)
	f.ledger.receive(c.Account, schema.Trade, c.Asset, amount, y)
	f.takings = append(f.takings, taking{*c, f.call.at})
	rest := left.minus(amount).decimal()
	f.call.record(&schema.FaucetTaken{Taken: *c, Left: rest})
	return schema.Result{Left: rest}
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
