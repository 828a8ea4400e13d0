package naive

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	easy  uint32 = 0x1d00ffff // the target of difficulty 1
	usual uint32 = 0x1b00ffff // that of 65536, so that 1 of work is worth 3.125 / 65536 BTC: 4768.37158203125 satoshi
	dora1        = schema.MiningID(1)
	dora2        = schema.MiningID(2)
)

// newMining is a world at 10:00 where the pool has 1000 BTC, a block is worth 3.125, and 2.5 % are kept. Dora has two mining accounts, carl the third;
// what is paid to an address leaves by a sandbox, in three blocks.
func newMining(t *testing.T) *chainWorld {
	w := newPayouts(t)
	w.time = today + 10*hour - 100
	w.must(&schema.FundSystem{Account: schema.Pool, Asset: btc, Amount: d("1000")})
	w.must(&schema.SetPool{Terms: poolTerms()})
	w.rate("3.125")
	for i, name := range []string{"dora_1", "dora_2"} {
		if got := w.must(&schema.OpenMining{Account: dora, Name: name}).ID; got != uint64(1+i) {
			t.Errorf("%s has the number %d", name, got)
		}
	}
	w.must(&schema.OpenMining{Account: carl, Name: "carl"})
	if got := w.must(&schema.LeasePool{}).ID; got != 1 {
		t.Errorf("the first lease is %d", got)
	}
	w.time = today + 10*hour - 1
	return w
}

func poolTerms() schema.PoolTerms {
	return schema.PoolTerms{Open: true, Asset: btc, Chain: sand, Fee: d("0.025"), Least: d("0.001"), Accounts: 2, Links: 2}
}

// rate lets an operator say what a block is worth.
func (w *chainWorld) rate(rate string) {
	w.t.Helper()
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.SetPoolRate{Rate: d(rate)}); refused(r) {
		w.t.Errorf("a rate of %s: %s", rate, r.Text())
	}
}

// shares is the next report of the last lease.
func (w *chainWorld) shares(rows ...schema.Shares) *schema.ReportShares {
	ids, reports := w.Leases()
	last := len(ids) - 1
	return &schema.ReportShares{Lease: ids[last], Seq: reports[last] + 1, Shares: rows}
}

func row(m schema.MiningID, bits uint32, work uint64) schema.Shares {
	return schema.Shares{Mining: m, Bits: bits, Work: work, Accepted: uint32(work), Rejected: 1}
}

// mined compares what the last command made happen to the pool.
func (w *chainWorld) dug(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.MiningMeasured:
			got = append(got, fmt.Sprintf("%d of %d at %d: %d %d %d", e.Mining, e.Account, (e.Time-today)/minute, e.Work, e.Accepted, e.Rejected))
		case *schema.RewardChanged:
			got = append(got, rewardWords(e.Reward))
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("this happened:\n got %q\nwant %q", got, want)
	}
	w.audit()
}

func rewardWords(r schema.Reward) string {
	what := fmt.Sprintf("reward %d of %d: %s %s", r.ID, r.Mining, r.Amount, r.Status)
	if r.Withdrawal != 0 {
		what += fmt.Sprintf(" by %d to %s", r.Withdrawal, r.Address)
	}
	if r.Tx != "" {
		what += " in a transaction"
	}
	return what
}

// poolHas compares what the pool and the main wallet of dora have.
func (w *chainWorld) poolHas(pool, main string) {
	w.t.Helper()
	p, _, _ := w.Balance(schema.Pool, schema.Main, btc)
	m, _, _ := w.Balance(dora, schema.Main, btc)
	if p != d(pool) || m != d(main) {
		w.t.Errorf("the pool has %s and dora %s, want %s and %s", p, m, pool, main)
	}
}

func (w *chainWorld) pending(n int, sum string) {
	w.t.Helper()
	if got, all := w.PendingRewards(); got != n || all != d(sum) {
		w.t.Errorf("%d rewards of %s are not paid, want %d of %s", got, all, n, sum)
	}
}

// midnight lets a tick happen with which the next day begins.
func (w *chainWorld) midnight() {
	w.t.Helper()
	w.tick(midnightOf(w.time) + fullDay)
}

func TestTargets(t *testing.T) {
	hex := func(digits string, zeros int) string { return digits + strings.Repeat("00", zeros) }
	for bits, want := range map[uint32]string{
		0x1d00ffff: hex("ffff", 26), 0x1b00ffff: hex("ffff", 24), 0x207fffff: hex("7fffff", 29), 0x03123456: "123456", 0x04123456: "12345600",
		0x02123456: "1234", 0x01123456: "12", 0x00123456: "", 0x01003456: "", 0x02000034: "", 0x03000000: "", 0x1d800000: "", 0x03ffffff: "", 0x037fffff: "7fffff",
		0x2100ffff: hex("ffff", 30), 0x220000ff: hex("ff", 31), 0x23000001: "", 0x22000100: "", 0x21010000: "", 0x20010000: hex("10000", 29), 0xff7fffff: "",
	} {
		got, is := target(bits)
		if text := fmt.Sprintf("%x", got.rat().Num()); is != (want != "") || is && text != want {
			t.Errorf("%08x: %s %t, want %s", bits, text, is, want)
		}
	}
}

// TestMiningIsPaid: rows of 3 and 4 are worth 33378.60107421875 satoshi, of which the pool keeps 834.45.
func TestMiningIsPaid(t *testing.T) {
	w := newMining(t)
	w.at(10*hour, w.shares(row(dora1, usual, 3)))
	w.happened("*schema.SharesReported")
	w.timer(today + 10*hour + 5*minute)
	w.at(10*hour+4*minute, w.shares(row(dora1, usual, 4)))
	w.tick(today + 10*hour + 5*minute)
	w.dug("1 of 104 at 600: 7 7 2")
	w.timer(today + fullDay)
	w.tick(today + fullDay - 1)
	w.dug()
	w.tick(today + fullDay)
	w.happened("*schema.RewardChanged", "12 main of 1 by mining for 1: 999.99967456 0", "104 main of 1 by mining for 1: 100.00032544 0", "*schema.RewardChanged")
	w.dug("reward 1 of 1: 0.00032544 pending", "reward 1 of 1: 0.00032544 successful")
	want := schema.Reward{
		ID: 1, Mining: dora1, Account: dora, Asset: btc, Day: today, Work: 7, Rate: d("3.125"), Total: d("0.00033378"), Fee: d("0.00000834"),
		Amount: d("0.00032544"), Status: schema.RewardSuccessful, Paid: today + fullDay,
	}
	if got := w.Rewards(); len(got) != 1 || got[0] != want {
		t.Errorf("rewards: %+v", got)
	}
	w.pending(0, "0")
	w.noTimer()
}

// TestRowsKeepTheirRateAndTarget: 65536 of work at one difficulty are worth a block, as is 1 at difficulty 1, each at its rate; the record has the last.
func TestRowsKeepTheirRateAndTarget(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, usual, 65536), row(dora1, easy, 1)))
	w.rate("2")
	w.must(w.shares(row(dora1, usual, 32768)))
	w.midnight()
	if got := w.Rewards()[0]; got.Total != d("7.25") || got.Fee != d("0.18125") || got.Rate != d("2") || got.Work != 98305 {
		t.Errorf("the reward is %+v", got)
	}
	w.poolHas("992.93125", "107.06875")
}

// TestUnitsOfWork: 2^k units at difficulty 1 are a block, and the sum does not end where 64 bits do.
func TestUnitsOfWork(t *testing.T) {
	for _, k := range []uint8{0, 16, 32} {
		w := newMining(t)
		w.must(&schema.SetPool{Terms: *with(&schema.PoolTerms{}, func(p *schema.PoolTerms) { *p = poolTerms(); p.Unit, p.Fee = k, d("0") })})
		w.must(w.shares(row(dora1, easy, 3<<k), row(dora2, 0x1700ffff, math.MaxUint64), row(dora2, 0x1700ffff, math.MaxUint64)))
		w.midnight()
		got := w.Rewards()
		// 2 x (2^64-1) / 2^48 of difficulty 1, in units of 2^-k
		many := map[uint8]string{0: "409599.99999999", 16: "6.24999999", 32: "0.00009536"}[k]
		if len(got) != 2 || got[0].Amount != d("9.375") || got[1].Amount != d(many) || got[1].Work != math.MaxUint64 || got[1].Unit != k {
			t.Errorf("units of 2^-%d: %+v", k, got)
		}
	}
}

// TestNothingIsNoReward: of 1 satoshi the fee is rounded down to nothing; of less nothing is paid, and it is given up.
func TestNothingIsNoReward(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, 0x1900ffff, 14), row(dora2, 0x1900ffff, 13))) // 3.125 / 2^32 BTC each: 0.0727 satoshi
	w.midnight()
	w.dug("1 of 104 at 600: 14 14 1", "2 of 104 at 600: 13 13 1", "reward 1 of 1: 0.00000001 pending", "reward 1 of 1: 0.00000001 successful")
	w.must(w.shares(row(dora2, 0x1900ffff, 13)))
	w.midnight()
	w.dug("2 of 104 at 1440: 13 13 1")
}

// TestARowClosesTheDayBefore, and five minutes before, before it is counted.
func TestARowClosesTheDayBefore(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 1)))
	w.at(fullDay, w.shares(row(dora1, easy, 0)))
	w.dug("1 of 104 at 600: 1 1 1") // without work it is none of the day
	w.must(w.shares(row(dora1, easy, 2)))
	w.dug("reward 1 of 1: 3.046875 pending")
	w.pending(1, "3.046875")
	w.must(&schema.Tick{})
	w.dug("2 of 104 at 600: 1 1 1", "reward 2 of 2: 3.046875 pending", "reward 1 of 1: 3.046875 successful", "reward 2 of 2: 3.046875 successful")
	w.midnight()
	w.dug("1 of 104 at 1440: 2 2 2", "reward 3 of 1: 6.09375 pending", "reward 3 of 1: 6.09375 successful")
}

// TestTheOrderIsThatOfFirstRows, not of numbers.
func TestTheOrderIsThatOfFirstRows(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(3, easy, 1), row(dora1, easy, 1)))
	w.must(w.shares(row(dora2, easy, 1), row(3, easy, 1)))
	w.midnight()
	w.dug("3 of 103 at 600: 2 2 2", "1 of 104 at 600: 1 1 1", "2 of 104 at 600: 1 1 1",
		"reward 1 of 3: 6.09375 pending", "reward 2 of 1: 3.046875 pending", "reward 3 of 2: 3.046875 pending",
		"reward 1 of 3: 6.09375 successful", "reward 2 of 1: 3.046875 successful", "reward 3 of 2: 3.046875 successful")
}

func TestReportsInOrder(t *testing.T) {
	w := newMining(t)
	c := w.shares(row(dora1, usual, 1))
	w.refused(because(schema.PoolLeaseUnknown), &schema.ReportShares{Lease: 0, Seq: 1})
	w.refused(because(schema.PoolLeaseUnknown), &schema.ReportShares{Lease: 2, Seq: 1})
	w.refused(because(schema.PoolReportOutOfOrder), &schema.ReportShares{Lease: 1, Seq: 0})
	w.refused(because(schema.PoolReportOutOfOrder), &schema.ReportShares{Lease: 1, Seq: 2})
	w.must(c)
	w.refused(because(schema.PoolReportOutOfOrder), c)
	w.refused(because(schema.PoolReportInvalid), w.shares(row(9, usual, 1)))
	w.must(w.shares())
	for range 63 {
		w.must(&schema.LeasePool{})
	}
	w.must(&schema.ReportShares{Lease: 1, Seq: 3})
	if got := w.must(&schema.LeasePool{}).ID; got != 65 {
		t.Errorf("the lease is %d", got)
	}
	w.refused(because(schema.PoolLeaseUnknown), &schema.ReportShares{Lease: 1, Seq: 4})
	w.refused(because(schema.PoolLeaseUnknown), &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: dora1, Worker: "w"}})
	w.must(&schema.ReportShares{Lease: 2, Seq: 1})
}

func TestReportsThatCannotBe(t *testing.T) {
	w := newMining(t)
	worker := func(change func(*schema.WorkerShares)) *schema.ReportShares {
		c := w.shares(row(dora1, usual, 1))
		c.Workers = []schema.WorkerShares{{Mining: dora1, Worker: "rig-1_A", Time: today}}
		change(&c.Workers[0])
		return c
	}
	long := w.shares()
	long.Workers = slices.Repeat([]schema.WorkerShares{{Mining: dora1, Worker: "w"}}, 1001)
	for i, c := range []*schema.ReportShares{
		w.shares(row(dora1, usual, 1), row(0, usual, 1)), w.shares(row(4, usual, 0)), w.shares(row(dora1, 0, 0)), w.shares(row(dora1, 0x03800000, 1)),
		w.shares(slices.Repeat([]schema.Shares{row(dora1, usual, 1)}, 1001)...), long,
		worker(func(v *schema.WorkerShares) { v.Mining = 4 }), worker(func(v *schema.WorkerShares) { v.Worker = "" }),
		worker(func(v *schema.WorkerShares) { v.Worker = strings.Repeat("w", 65) }), worker(func(v *schema.WorkerShares) { v.Worker = "a.b" }),
		worker(func(v *schema.WorkerShares) { v.Worker = "é" }),
		worker(func(v *schema.WorkerShares) { v.Time = -5 * minute }), worker(func(v *schema.WorkerShares) { v.Time = today + minute }),
	} {
		w.refused(because(schema.PoolReportInvalid), c)
		if len(w.mining.days)+len(w.mining.buckets) > 0 {
			t.Fatalf("report %d was counted", i)
		}
	}
	c := worker(func(v *schema.WorkerShares) { v.Worker = strings.Repeat("w", 64) })
	w.must(c)
	if e := w.last.Events[0].(*schema.SharesReported); !slices.Equal(e.Shares, c.Shares) || !slices.Equal(e.Workers, c.Workers) {
		t.Errorf("the event is %+v", e)
	}
	w.must(w.shares(slices.Repeat([]schema.Shares{row(dora1, usual, 1)}, 1000)...))
}

// TestADayIsBounded: 320000 at difficulty 1 are a million. What would be more is refused as a whole, rows of one report together.
func TestADayIsBounded(t *testing.T) {
	w := newMining(t)
	w.refused(because(schema.PoolReportInvalid), w.shares(row(dora1, easy, 320_001)))
	w.refused(because(schema.PoolReportInvalid), w.shares(row(dora1, easy, 160_000), row(dora2, easy, 1), row(dora1, easy, 160_001)))
	w.must(w.shares(row(dora1, easy, 320_000)))
	w.must(w.shares(row(dora2, easy, 320_000)))
	w.must(w.shares(row(dora1, 0x1900ffff, 13))) // a part of a satoshi
	w.refused(because(schema.PoolReportInvalid), w.shares(row(dora1, 0x1900ffff, 1)))
	w.must(&schema.BarMining{Mining: dora1, Barred: true})
	w.refused(because(schema.PoolReportInvalid), w.shares(row(dora1, 0x1900ffff, 1)))
	w.must(w.shares(row(dora1, 0x1900ffff, 0)))
	w.time = today + fullDay
	w.must(w.shares(row(dora1, easy, 1)))
}

func TestBarredAccountsEarnNothing(t *testing.T) {
	w := newMining(t)
	w.refused(because(schema.MiningUnknown), &schema.BarMining{Mining: 4})
	w.must(w.shares(row(dora1, easy, 1)))
	w.must(&schema.BarMining{Mining: dora1, Barred: true})
	if e := w.last.Events[0].(*schema.MiningChanged); !e.Mining.Barred || e.Mining.ID != dora1 {
		t.Errorf("the event is %+v", e)
	}
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 2)))
	if e := w.last.Events[0].(*schema.SharesReported); len(e.Shares) != 2 {
		t.Errorf("the event is %+v", e)
	}
	w.midnight()
	w.dug("1 of 104 at 600: 1 1 1", "2 of 104 at 600: 2 2 1", "reward 1 of 1: 3.046875 pending", "reward 2 of 2: 6.09375 pending",
		"reward 1 of 1: 3.046875 successful", "reward 2 of 2: 6.09375 successful")
	w.must(&schema.BarMining{Mining: dora1})
	w.must(w.shares(row(dora1, easy, 1)))
	w.midnight()
	w.dug("1 of 104 at 1440: 1 1 1", "reward 3 of 1: 3.046875 pending", "reward 3 of 1: 3.046875 successful")
}

// TestBucketsEnd: sums stop at the greatest number.
func TestBucketsEnd(t *testing.T) {
	w := newMining(t)
	most := schema.Shares{Mining: dora1, Bits: 0x03000001, Work: math.MaxUint64, Accepted: math.MaxUint32, Rejected: 2}
	w.must(w.shares(most, most))
	w.at(10*hour+5*minute, w.shares(row(dora1, usual, 0)))
	w.dug(fmt.Sprintf("1 of 104 at 600: %d %d 4", uint64(math.MaxUint64), uint64(2*math.MaxUint32)))
	w.tick(today + 10*hour + 10*minute - 1)
	w.dug()
	w.tick(today + 10*hour + 10*minute)
	w.dug("1 of 104 at 605: 0 0 1")
}

func TestPoolTerms(t *testing.T) {
	w := newMining(t)
	for i, change := range []func(*schema.PoolTerms){
		func(p *schema.PoolTerms) { p.Asset = 0 }, func(p *schema.PoolTerms) { p.Asset = 9 }, func(p *schema.PoolTerms) { p.Chain = 9 },
		func(p *schema.PoolTerms) { p.Asset = usd }, func(p *schema.PoolTerms) { p.Unit = 33 }, func(p *schema.PoolTerms) { p.Fee = d("1") },
		func(p *schema.PoolTerms) { p.Fee = d("-0.01") }, func(p *schema.PoolTerms) { p.Fee = d("0.00001") }, func(p *schema.PoolTerms) { p.Least = d("0") },
		func(p *schema.PoolTerms) { p.Least = d("0.000000001") }, func(p *schema.PoolTerms) { p.Accounts = 0 }, func(p *schema.PoolTerms) { p.Accounts = 1001 },
		func(p *schema.PoolTerms) { p.Links = 0 }, func(p *schema.PoolTerms) { p.Links = 101 },
	} {
		c := &schema.SetPool{Terms: poolTerms()}
		change(&c.Terms)
		if got := w.apply(c).Rejection; got != because(schema.PoolInvalid) {
			t.Errorf("terms %d: %s", i, got.Text())
		}
	}
	w.refused(because(schema.PoolInvalid), &schema.SetPool{Terms: *with(&schema.PoolTerms{}, func(p *schema.PoolTerms) { *p = poolTerms(); p.Asset, p.Chain, p.Least = usd, 0, d("0.01") })})
	w.rate("3.12")
	other := schema.PoolTerms{Asset: usd, Unit: 32, Fee: d("0.9999"), Least: d("0.01"), Accounts: 1000, Links: 100}
	w.must(&schema.SetPool{Terms: other})
	if terms, rate := w.Pool(); terms != other || rate != d("3.12") {
		t.Errorf("the pool: %+v %s", terms, rate)
	}
	w.refused(because(schema.PoolOff), &schema.OpenMining{Account: dora, Name: "x"})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "ETH", Class: schema.Crypto, Scale: 18, Precision: 18, CanDeposit: true, CanWithdraw: true}})
	fine := other
	fine.Asset = schema.AssetID(len(w.Assets()))
	w.must(&schema.SetPool{Terms: fine})
	w.rate("3.125000001")
	w.refused(because(schema.PoolInvalid), &schema.SetPool{Terms: poolTerms()}) // the rate is more precise
	w.rate("3.12")
	w.must(&schema.SetPool{Terms: poolTerms()})
	w.must(w.shares(row(dora1, usual, 0)))
	w.must(&schema.SetPool{Terms: other}) // no work was counted
	w.must(&schema.SetPool{Terms: poolTerms()})
	w.must(w.shares(row(dora1, usual, 1)))
	w.refused(because(schema.PoolInvalid), &schema.SetPool{Terms: *with(&schema.PoolTerms{}, func(p *schema.PoolTerms) { *p = poolTerms(); p.Asset, p.Chain = usd, 0 })})
	w.refused(because(schema.PoolInvalid), &schema.SetPool{Terms: *with(&schema.PoolTerms{}, func(p *schema.PoolTerms) { *p = poolTerms(); p.Unit = 1 })})
	closed := poolTerms()
	closed.Open, closed.Chain = false, 0
	w.must(&schema.SetPool{Terms: closed})
	if e := w.last.Events[0].(*schema.PoolChanged); e.Terms != closed || e.Rate != d("3.12") {
		t.Errorf("the event is %+v", e)
	}
	w.must(w.shares(row(dora1, usual, 1))) // a pool that is not open works for those that are there
}

func TestPoolRates(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.LeasePool{})
	olga := schema.Origin{Operator: "olga"}
	says := func(want schema.Reason, from schema.Origin, rate string) {
		t.Helper()
		if got := w.from(from, &schema.SetPoolRate{Rate: d(rate)}); got != because(want) {
			t.Errorf("a rate of %s: %s, want %s", rate, got.Reason, want)
		}
	}
	says(schema.PoolOff, olga, "3")
	w.refused(because(schema.PoolOff), &schema.ReportShares{Lease: 1, Seq: 1})
	w.refused(because(schema.PoolOff), &schema.OpenMining{Account: dora, Name: "x"})
	w.must(&schema.SetPool{Terms: poolTerms()})
	w.refused(because(schema.PoolOff), &schema.ReportShares{Lease: 1, Seq: 1})
	for _, rate := range []string{"0", "-1", "0.000000001", "1000000.00000001"} {
		says(schema.PoolRateInvalid, olga, rate)
	}
	says(schema.PoolRateJumps, schema.Origin{}, "3")
	says(schema.OK, olga, "1000000")
	says(schema.PoolRateJumps, schema.Origin{}, "499999.99999999")
	says(schema.OK, schema.Origin{}, "500000")
	says(schema.PoolRateJumps, schema.Origin{}, "750000.00000001")
	says(schema.OK, schema.Origin{}, "750000")
	says(schema.OK, olga, "0.00000001")
	says(schema.PoolRateJumps, schema.Origin{}, "0.00000002")
	says(schema.OK, schema.Origin{}, "0.00000001")
	if terms, rate := w.Pool(); terms != poolTerms() || rate != d("0.00000001") {
		t.Errorf("the pool: %+v %s", terms, rate)
	}
}

func TestOpenMining(t *testing.T) {
	w := newMining(t)
	w.block(ben, "ben")
	closed := poolTerms()
	closed.Open, closed.Accounts = false, 1
	w.must(&schema.SetPool{Terms: closed})
	c := &schema.OpenMining{Account: schema.Pool, Name: "a b", Referral: strings.Repeat("r", 51)}
	w.refused(because(schema.AccountUnknown), c)
	c.Account = ben
	w.refused(because(schema.AccountBlocked), c)
	c.Account = carl
	w.refused(because(schema.PoolOff), c)
	closed.Open = true
	w.must(&schema.SetPool{Terms: closed})
	for _, name := range []string{"a b", "", "a-b", "é", strings.Repeat("n", 256)} {
		c.Name, c.Referral = name, ""
		w.refused(because(schema.MiningInvalid), c)
	}
	c.Name, c.Referral = "dora_1", strings.Repeat("r", 51)
	w.refused(because(schema.MiningInvalid), c)
	c.Referral = strings.Repeat("r", 50)
	w.refused(because(schema.MiningNameTaken), c)
	c.Name = "DORA_1"
	w.refused(schema.Rejection{Reason: schema.MiningTooMany, Value: d("1")}, c)
	w.must(&schema.SetPool{Terms: poolTerms()})
	if got := w.must(c).ID; got != 4 {
		t.Errorf("the mining account is %d", got)
	}
	want := schema.MiningAccount{ID: 4, Account: carl, Name: "DORA_1", Referral: c.Referral, Created: w.time}
	if e := w.last.Events[0].(*schema.MiningChanged); e.Mining != want || w.Minings()[3] != want {
		t.Errorf("the event is %+v", e)
	}
	w.must(&schema.OpenMining{Account: emil, Name: strings.Repeat("n", 255)})
}

// TestAMinerIsNotDeleted: nothing ends a mining account of a sub-account, so that account does not end.
func TestAMinerIsNotDeleted(t *testing.T) {
	w := newMining(t)
	sub := schema.AccountID(w.must(&schema.SetSub{Master: dora, Alias: "sub", External: "sub", ShareKYC: true, Active: true}).ID)
	other := schema.AccountID(w.must(&schema.SetSub{Master: dora, Alias: "other", External: "other", ShareKYC: true, Active: true}).ID)
	w.must(&schema.OpenMining{Account: sub, Name: "sub"})
	w.refused(because(schema.SubNotEmpty), &schema.DeleteSub{Master: dora, Sub: sub})
	w.must(&schema.DeleteSub{Master: dora, Sub: other})
}

func TestFoundBlocks(t *testing.T) {
	w := newMining(t)
	c := &schema.FoundBlock{Lease: 2, Block: schema.PoolBlock{Mining: dora1, Worker: "w", Height: 7, Hash: digest(1), Time: 5}}
	w.refused(because(schema.PoolLeaseUnknown), c)
	c.Lease, c.Block.Mining = 1, 9
	w.refused(because(schema.PoolReportInvalid), c)
	c.Block.Mining, c.Block.Worker = dora1, "a b"
	w.refused(because(schema.PoolReportInvalid), c)
	c.Block.Worker = "w"
	w.must(c)
	want := c.Block
	want.Time = w.time
	if e := w.last.Events[0].(*schema.BlockFound); e.Block != want || w.PoolBlocks()[0] != want {
		t.Errorf("the event is %+v", e)
	}
	for i := range 99 {
		w.refused(because(schema.BlockKnown), c)
		other := *c
		other.Block.Hash = digest(2 + i)
		w.must(&other)
	}
	w.refused(because(schema.BlockKnown), c)
	other := *c
	other.Block.Hash = digest(101)
	w.must(&other)
	w.must(c) // more than a hundred came after it
	if list := w.PoolBlocks(); len(list) != 100 || list[0].Hash != digest(1) || list[1].Hash != digest(101) || list[99].Hash != digest(3) {
		t.Errorf("%d blocks, the last %v", len(list), list[99].Hash)
	}
	w.poolHas("1000", "100")
}

// lucky compares the luck of a mining account.
func (w *chainWorld) lucky(id schema.MiningID, expected uint64, found uint32, low bool) {
	w.t.Helper()
	if gotExpected, gotFound, gotLow := w.MiningLuck(id); gotExpected != expected || gotFound != found || gotLow != low {
		w.t.Errorf("of %d are expected %d, %d found, unlucky %t, want %d, %d and %t", id, gotExpected, gotFound, gotLow, expected, found, low)
	}
	w.audit()
}

// finds lets a mining account find so many blocks.
func (w *chainWorld) finds(id schema.MiningID, blocks int) {
	w.t.Helper()
	for range blocks {
		w.must(&schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: id, Worker: "w", Hash: digest(1 + len(w.mining.blocks))}})
	}
}

// TestMiningExpectsBlocks in millionths: of 106.81 there are 106 each day, and of 1.00047, that are worth 312.65 satoshi, there are none: those of 312
// are 0.9984.
func TestMiningExpectsBlocks(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, usual, 7), row(dora2, 0x1900ffff, 4297), row(3, 0x1900ffff, 4302)))
	w.lucky(dora1, 0, 0, false)
	w.midnight()
	w.lucky(dora1, 106, 0, false)
	w.lucky(dora2, 0, 0, false)
	w.lucky(3, 1, 0, false)
	w.must(w.shares(row(dora1, usual, 7), row(dora2, 0x1900ffff, 13))) // of the second there is no reward
	w.time = today + 2*fullDay
	w.must(w.shares(row(dora1, easy, 1))) // closes the day before
	w.lucky(dora1, 212, 0, false)
	w.midnight()
	w.lucky(dora1, 1_000_212, 0, false)
	w.lucky(dora2, 0, 0, false)
}

// TestMiningExpectsByTheRateOfTheClosing, though work keeps the one with which it came.
func TestMiningExpectsByTheRateOfTheClosing(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, easy, 1)))
	w.rate("2")
	w.must(w.shares(row(dora1, easy, 1)))
	w.rate("1.6")
	w.midnight()
	w.lucky(dora1, 3_203_125, 0, false) // 5.125 / 1.6
}

// TestMiningFindsBlocks, those that are kept, whether it is barred or not.
func TestMiningFindsBlocks(t *testing.T) {
	w := newMining(t)
	w.finds(dora1, 1)
	w.refused(because(schema.BlockKnown), &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: dora1, Worker: "w", Hash: digest(1)}})
	w.refused(because(schema.PoolReportInvalid), &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: dora1, Hash: digest(2)}})
	w.lucky(dora1, 0, 1, false)
	w.must(&schema.BarMining{Mining: dora2, Barred: true})
	w.finds(dora2, 101)
	w.lucky(dora1, 0, 1, false)
	w.lucky(dora2, 0, 101, false)
}

// TestMiningIsUnlucky where more than four standard deviations are missing: with 16 expected and none found, or 25 and 5, there are just four, and with a
// millionth more there are more. Who found more than is expected is lucky, however far that is.
func TestMiningIsUnlucky(t *testing.T) {
	w := newMining(t)
	w.finds(dora2, 5)
	w.finds(3, 100)
	w.must(w.shares(row(dora1, easy, 16), row(dora2, easy, 25), row(3, easy, 1)))
	w.healthy(0, "0", 0, 0)
	w.midnight()
	w.lucky(dora1, 16_000_000, 0, false)
	w.lucky(dora2, 25_000_000, 5, false)
	w.lucky(3, 1_000_000, 100, false)
	w.healthy(today, "127.96875", 0, 0)
	w.must(w.shares(row(dora1, 0x1900ffff, 4302), row(dora2, 0x1900ffff, 4302)))
	w.midnight()
	w.lucky(dora1, 16_000_001, 0, true)
	w.lucky(dora2, 25_000_001, 5, true)
	w.healthy(today+fullDay, "0.00000612", 0, 2)
	w.finds(dora1, 1)
	w.lucky(dora1, 16_000_001, 1, false)
	w.healthy(today+fullDay, "0.00000612", 0, 1)
	w.finds(dora2, 20)
	w.lucky(dora2, 25_000_001, 25, false)
	w.healthy(today+fullDay, "0.00000612", 0, 0)
}

// TestMiningLuckEnds at the greatest numbers: a million bitcoins are 10^14 blocks of a satoshi, which are more millionths than are counted.
func TestMiningLuckEnds(t *testing.T) {
	w := newMining(t)
	w.must(w.shares(row(dora1, easy, 320_000), row(dora2, easy, 59_029)))
	w.rate("0.00000001")
	w.midnight()
	w.lucky(dora1, math.MaxUint64, 0, true)
	w.lucky(dora2, 18_446_562_500_000_000_000, 0, true)
	w.must(w.shares(row(dora1, easy, 1), row(dora2, easy, 181_573_709)))
	w.midnight()
	w.lucky(dora1, math.MaxUint64, 0, true)
	w.lucky(dora2, 18_446_744_073_709_000_000, 0, true) // 2^64-1 is 551615 more
	w.must(w.shares(row(dora2, easy, 1)))
	w.midnight()
	w.lucky(dora2, math.MaxUint64, 0, true)
	w.mining.miner(dora2).found = whole(math.MaxUint32 - 1)
	w.finds(dora2, 1)
	w.lucky(dora2, math.MaxUint64, math.MaxUint32, true)
	w.finds(dora2, 1)
	w.lucky(dora2, math.MaxUint64, math.MaxUint32, true)
}

func TestWatchLinks(t *testing.T) {
	w := newMining(t)
	good := func(change func(*schema.WatchMining)) *schema.WatchMining {
		return with(&schema.WatchMining{Account: dora, Name: "link", Minings: []schema.MiningID{dora2, dora1}, Rights: 7, Life: 60}, change)
	}
	w.refused(because(schema.AccountUnknown), good(func(c *schema.WatchMining) { c.Account, c.Name = 0, "" }))
	for i, c := range []*schema.WatchMining{
		good(func(c *schema.WatchMining) { c.Name = "" }), good(func(c *schema.WatchMining) { c.Name = "a-b" }), good(func(c *schema.WatchMining) { c.Name = strings.Repeat("n", 256) }),
		good(func(c *schema.WatchMining) { c.Minings = nil }), good(func(c *schema.WatchMining) { c.Minings = []schema.MiningID{dora1, dora2, dora1} }),
		good(func(c *schema.WatchMining) { c.Minings = slices.Repeat(c.Minings, 26) }), good(func(c *schema.WatchMining) { c.Rights = 0 }),
		good(func(c *schema.WatchMining) { c.Rights = 8 }), good(func(c *schema.WatchMining) { c.Life = 604_801 }),
	} {
		if got := w.apply(c).Rejection; got != because(schema.WatchInvalid) {
			t.Errorf("link %d: %s", i, got.Text())
		}
	}
	w.refused(because(schema.MiningUnknown), good(func(c *schema.WatchMining) { c.Minings = []schema.MiningID{dora1, 9} }))
	w.refused(because(schema.MiningUnknown), good(func(c *schema.WatchMining) { c.Minings = []schema.MiningID{dora1, 3} }))
	w.must(good(func(*schema.WatchMining) {}))
	until := w.time + minute
	want := schema.Watch{ID: 1, Account: dora, Name: "link", Minings: []schema.MiningID{dora2, dora1}, Rights: 7, Until: until, Created: w.time}
	if e := w.last.Events[0].(*schema.WatchChanged); fmt.Sprint(e.Watch) != fmt.Sprint(want) || fmt.Sprint(w.Watches()) != fmt.Sprint([]schema.Watch{want}) {
		t.Errorf("the event is %+v", e)
	}
	w.must(good(func(c *schema.WatchMining) { c.Minings, c.Life, c.Rights = []schema.MiningID{dora1}, 0, 1 }))
	tooMany := schema.Rejection{Reason: schema.WatchesTooMany, Value: d("2")}
	w.refused(tooMany, good(func(*schema.WatchMining) {}))
	w.refused(because(schema.MiningUnknown), good(func(c *schema.WatchMining) { c.Minings = []schema.MiningID{dora1, 3} }))
	w.must(good(func(c *schema.WatchMining) { c.Minings, c.Life = []schema.MiningID{dora2}, 604_800 }))
	w.refused(tooMany, good(func(c *schema.WatchMining) { c.Minings = []schema.MiningID{dora2} }))
	w.timer(until)
	w.tick(until - 1)
	w.time = until
	w.refused(tooMany, good(func(*schema.WatchMining) {})) // it is over, and not forgotten
	w.tick(w.time + 1)
	if list := w.Watches(); len(list) != 2 || list[0].ID != 2 || list[1].ID != 3 || list[0].Until != 0 {
		t.Errorf("links: %+v", list)
	}
	w.must(good(func(*schema.WatchMining) {}))
}

// TestAKeyMinesForItsAccount, and runs no pool.
func TestAKeyMinesForItsAccount(t *testing.T) {
	w := newMining(t)
	w.must(&schema.SetFeature{Feature: schema.JudgedKeys, On: true})
	w.key("k", dora, true)
	for i, c := range []schema.Command{
		&schema.OpenMining{Account: carl, Name: "x"}, &schema.SetMiningPayout{Account: carl, Mining: 3}, &schema.WatchMining{Account: carl},
		&schema.SetPool{}, &schema.SetPoolRate{}, &schema.BarMining{}, &schema.LeasePool{}, &schema.ReportShares{}, &schema.FoundBlock{},
	} {
		if r := w.from(schema.Origin{Key: 1, Nonce: uint64(1 + i)}, c); r != because(schema.KeyNotAllowed) {
			t.Errorf("%T: %s", c, r.Text())
		}
	}
	if r := w.from(schema.Origin{Key: 1, Nonce: 100}, &schema.SetMiningPayout{Account: dora, Mining: dora1}); refused(r) {
		t.Error(r.Text())
	}
}

// satoshi is the least of a bitcoin.
var satoshi = fixed.FromUnits(1, 8)
