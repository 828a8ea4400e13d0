package conform_test

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mines lets alice mine on the day before, and carries the clock to a moment of the next: her reward waits, as she wants it at an address.
func (v venue) mines(clock *clock, to schema.Time) {
	btc, account := v.asset("BTC"), v.account("alice").ID
	chain := v.sandbox(schema.Bitcoin)
	v.relist("BTC", func(a *schema.Asset) { a.Networks[0].Chain = chain })
	v.operates(&schema.SetPool{Terms: schema.PoolTerms{
		Open: true, Asset: btc, Chain: chain, Unit: 16, Fee: fixed.FromUnits(4, 2), Least: fixed.One, Accounts: 10, Links: 3,
	}})
	v.operates(&schema.SetPoolRate{Rate: fixed.FromUnits(3175, 3)})
	lease := schema.LeaseID(v.Do(&schema.LeasePool{}).ID)
	rigs := schema.MiningID(v.Do(&schema.OpenMining{Account: account, Name: "alice_rigs"}).ID)
	v.Do(&schema.SetMiningPayout{Account: account, Mining: rigs, External: true, Address: "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"})
	seq := uint64(0)
	work := func() {
		seq++
		bucket := clock.read() / schema.WorkBucket * schema.WorkBucket
		v.Do(&schema.ReportShares{
			Lease: lease, Seq: seq, Shares: []schema.Shares{{Mining: rigs, Bits: easy, Work: portion, Accepted: 60, Rejected: 1}},
			Workers: []schema.WorkerShares{{Mining: rigs, Worker: "rig_1", Time: bucket, Work: portion, Accepted: 60, Rejected: 1}},
		})
	}
	work()
	clock.set(to)
	v.Do(&schema.FoundBlock{Lease: lease, Block: schema.PoolBlock{Mining: rigs, Worker: "rig_1", Height: 912000, Hash: schema.Digest{1}}})
	work()
}
