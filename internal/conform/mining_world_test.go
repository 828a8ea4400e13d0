package conform_test

import (
	"context"
	"fmt"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// poolVenue is an exchange with a mining pool that pays BTC, 6.25 for a block, with a fee of 4 percent, in units of a 65536th of difficulty 1. Its
// chain is a sandbox.
type poolVenue struct {
	venue
	t     *testing.T
	clock *clock
	anna  trader
	ben   trader
	carl  trader // he may not use the pool
	lease schema.LeaseID
	seq   uint64
	chain schema.ChainID
}

// easy are bits of a target with which 2^24 units of this pool are worth a block, and a portion a sixteenth of that: 0.390625, of which 0.375 is paid.
const (
	easy    = 0x1c00ffff
	portion = 1 << 20
)

func newPoolVenue(t *testing.T) *poolVenue {
	t.Helper()
	clock := newClock()
	people := map[string]obj{"anna": {"mining": true}, "ben": {"mining": true}, "carl": {}}
	for name := range people {
		people[name] = changed(obj{"deposits": obj{}, "trade": obj{}}, people[name])
	}
	v := &poolVenue{t: t, clock: clock}
	v.venue = venue{conform.Inside(t, worldOf(t, plain("BTC_USDT"), people), func(o *exchange.Options) {
		o.Node.Clock, o.Sandbox, o.PublicURL = clock.read, true, "https://example.com"
		o.Stratum, o.PoolLocation = []string{"stratum+tcp://pool.example:3333", "stratum+tls://pool.example:3334"}, "Europe"
	})}
	v.anna, v.ben, v.carl = v.trader(t, "anna"), v.trader(t, "ben"), v.trader(t, "carl")
	v.chain = v.sandbox(schema.Bitcoin)
	v.relist("BTC", func(a *schema.Asset) {
		a.Networks = []schema.Network{{Name: "BTC", Default: true, Chain: v.chain, CanDeposit: true, CanWithdraw: true, Confirmations: 2, ConfirmationsForTrading: 1}}
	})
	v.Do(&schema.FundSystem{Account: schema.Pool, Asset: v.asset("BTC"), Amount: fixed.FromInt(1000)})
	v.sets(nil)
	v.operates(&schema.SetPoolRate{Rate: fixed.FromUnits(625, 2)})
	v.lease = schema.LeaseID(v.Do(&schema.LeasePool{}).ID)
	return v
}

// operates lets a command of an operator happen.
func (v venue) operates(c schema.Command) {
	var r schema.Result
	if err := v.Exchange.Node.SubmitFrom(context.Background(), schema.Origin{Operator: "olga"}, c, &r); err != nil || r.Rejection.Refused() {
		panic(fmt.Sprintf("%T: %v %v", c, err, r.Rejection.Text()))
	}
}

// sets sets the terms of the pool.
func (v *poolVenue) sets(change func(*schema.PoolTerms)) {
	terms := schema.PoolTerms{
		Open: true, Asset: v.asset("BTC"), Chain: v.chain, Unit: 16, Fee: fixed.FromUnits(4, 2), Least: fixed.FromUnits(1, 3), Accounts: 3, Links: 3,
	}
	if change != nil {
		change(&terms)
	}
	v.Do(&schema.SetPool{Terms: terms})
}

// opens opens a mining account.
func (v *poolVenue) opens(c trader, name string) schema.MiningID {
	v.t.Helper()
	c.must("mining/accounts/create", obj{"name": name})
	return v.mining(name)
}

// mining is the number of a mining account.
func (v *poolVenue) mining(name string) (id schema.MiningID) {
	v.Exchange.API.Read(func(m core.View) {
		found, _ := m.Mining().Named(name)
		id = found.ID
	})
	return id
}

// brings reports what miners brought, as a listener does.
func (v *poolVenue) brings(shares []schema.Shares, workers ...schema.WorkerShares) {
	v.t.Helper()
	v.seq++
	for i := range shares {
		shares[i].Bits = easy
	}
	v.Do(&schema.ReportShares{Lease: v.lease, Seq: v.seq, Shares: shares, Workers: workers})
}

// works reports shares of a mining account and a worker for the five minutes under way.
func (v *poolVenue) works(id schema.MiningID, worker string, work uint64, accepted, rejected uint32) {
	v.t.Helper()
	v.brings([]schema.Shares{{Mining: id, Work: work, Accepted: accepted, Rejected: rejected}},
		schema.WorkerShares{Mining: id, Worker: worker, Time: v.bucket(0), Work: work, Accepted: accepted, Rejected: rejected})
}

// bucket is when the five minutes under way began, or others before them.
func (v *poolVenue) bucket(before schema.Time) schema.Time {
	return v.clock.read()/schema.WorkBucket*schema.WorkBucket - before*schema.WorkBucket
}

// goes lets time pass up to a moment, and timers run.
func (v *poolVenue) goes(to schema.Time) {
	v.clock.set(to)
	v.Do(&schema.Tick{})
}
