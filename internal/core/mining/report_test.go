package mining

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

func TestTargets(t *testing.T) {
	shifted := func(m int64, by uint) *big.Int { return new(big.Int).Lsh(big.NewInt(m), by) }
	for bits, want := range map[uint32]*big.Int{
		one:        shifted(0xffff, 208),
		0x170331db: shifted(0x0331db, 160),
		0x207fffff: shifted(0x7fffff, 232),
		0x2100ffff: shifted(0xffff, 240), // the largest
		0x220000ff: shifted(0xff, 248),
		0x21010000: nil, // 2^256
		0x22000100: nil,
		0x23000001: nil,
		0xff7fffff: nil,
		0x1d800000: nil,
		0x1d8000ff: nil,
		0x1d000000: nil,
		0x04123456: big.NewInt(0x12345600),
		0x03123456: big.NewInt(0x123456),
		0x03000001: big.NewInt(1), // the smallest
		0x02123456: big.NewInt(0x1234),
		0x01120000: big.NewInt(0x12),
		0x0100ffff: nil,
		0x00123456: nil,
		0:          nil,
	} {
		if got := target(bits); (got == nil) != (want == nil) || want != nil && got.Cmp(want) != 0 {
			t.Errorf("%08x is %x, want %x", bits, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		amount string
		places int
		units  string
	}{
		{"0", 8, "0"},
		{"0.00000001", 8, "1"},
		{"50", 8, "5000000000"},
		{"1000000", 18, "1000000000000000000000000"},
		{"7", 0, "7"},
		{"170141183460469231731.687303715884105727", 18, "170141183460469231731687303715884105727"},
	} {
		n := units(d(tt.amount), tt.places)
		if n.String() != tt.units || amountOf(n, tt.places) != d(tt.amount) {
			t.Errorf("%s with %d decimals is %s, which is %s", tt.amount, tt.places, n, amountOf(n, tt.places))
		}
	}
}

// TestLeases: the last 64 live.
func TestLeases(t *testing.T) {
	x := open(t)
	for id := uint64(2); id <= 66; id++ {
		x.do(noon, &schema.LeasePool{}, schema.OK)
		if x.out.Result.ID != id || x.out.Events.Len() != 0 {
			t.Fatalf("lease %d instead of %d", x.out.Result.ID, id)
		}
	}
	report := func(lease schema.LeaseID, seq uint64, want schema.Reason) {
		t.Helper()
		x.do(noon, &schema.ReportShares{Lease: lease, Seq: seq}, want)
	}
	for _, lease := range []schema.LeaseID{0, 1, 2, 67} {
		report(lease, 1, schema.PoolLeaseUnknown)
	}
	report(3, 0, schema.PoolReportOutOfOrder)
	report(3, 2, schema.PoolReportOutOfOrder)
	report(3, 1, schema.OK)
	x.tells("0+0 rows")
	report(3, 1, schema.PoolReportOutOfOrder)
	report(66, 1, schema.OK)
	report(3, 2, schema.OK)
	x.do(noon, &schema.LeasePool{}, schema.OK)
	report(3, 3, schema.PoolLeaseUnknown)
	report(66, 2, schema.OK)
}

// TestReportsNeedTermsAndRate, and a lease before that.
func TestReportsNeedTermsAndRate(t *testing.T) {
	x := bare(t)
	x.do(noon, &schema.ReportShares{Lease: 1, Seq: 1}, schema.PoolLeaseUnknown)
	x.do(noon, &schema.LeasePool{}, schema.OK)
	x.do(noon, &schema.ReportShares{Lease: 1, Seq: 2}, schema.PoolReportOutOfOrder)
	x.do(noon, &schema.ReportShares{Lease: 1, Seq: 1}, schema.PoolOff)
	terms := usual()
	terms.Open = false
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.do(noon, &schema.ReportShares{Lease: 1, Seq: 1}, schema.PoolOff)
	x.asOperator(noon, &schema.SetPoolRate{Rate: d("50")})
	x.do(noon, &schema.ReportShares{Lease: 1, Seq: 1}, schema.OK)
}

func TestReportsThatCannotBe(t *testing.T) {
	x := open(t)
	worker := schema.WorkerShares{Mining: rig, Worker: "a-Z_9", Time: noon, Work: 1}
	with := func(edit func(*schema.WorkerShares)) []schema.WorkerShares {
		w := worker
		edit(&w)
		return []schema.WorkerShares{worker, w}
	}
	for _, tt := range []struct {
		name    string
		rows    []schema.Shares
		workers []schema.WorkerShares
	}{
		{"too many rows", slices.Repeat([]schema.Shares{{Mining: rig, Bits: one}}, 1001), nil},
		{"too many workers", nil, slices.Repeat([]schema.WorkerShares{worker}, 1001)},
		{"no mining account", []schema.Shares{row(rig, 1), row(0, 1)}, nil},
		{"an unknown one", []schema.Shares{row(rig, 1), row(4, 1)}, nil},
		{"bits that are none", []schema.Shares{row(rig, 1), {Mining: rig, Bits: 0x1d800000, Work: 1}}, nil},
		{"bits of no work that are none", []schema.Shares{{Mining: rig}}, nil},
		{"a worker of an unknown one", nil, with(func(w *schema.WorkerShares) { w.Mining = 4 })},
		{"a worker without a name", nil, with(func(w *schema.WorkerShares) { w.Worker = "" })},
		{"a worker with a long name", nil, with(func(w *schema.WorkerShares) { w.Worker = strings.Repeat("w", 65) })},
		{"a worker with a dot", nil, with(func(w *schema.WorkerShares) { w.Worker = "a.b" })},
		{"between five minutes", nil, with(func(w *schema.WorkerShares) { w.Time++ })},
		{"before 1970", nil, with(func(w *schema.WorkerShares) { w.Time = -schema.WorkBucket })},
		{"too much", []schema.Shares{row(rig, 20_001)}, nil},
		{"too much in several rows", []schema.Shares{row(rig, 20_000), row(barn, 1), row(rig, 1)}, nil},
		{"as much as can be", []schema.Shares{{Mining: rig, Bits: 0x2100ffff, Work: math.MaxUint64}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x.t = t
			x.do(noon+day, &schema.ReportShares{Lease: 1, Seq: 1, Shares: tt.rows, Workers: tt.workers}, schema.PoolReportInvalid)
		})
	}
	x.t = t
	x.do(noon, &schema.BarMining{Mining: attic, Barred: true}, schema.OK)
	x.do(noon, x.shares(row(attic, 20_001)), schema.PoolReportInvalid)
	x.seq = 0
	most := append(slices.Repeat([]schema.Shares{row(barn, 0)}, 998), row(rig, 20_000), row(attic, 20_000))
	full := x.shares(most...)
	full.Workers = slices.Repeat([]schema.WorkerShares{{Mining: attic, Worker: strings.Repeat("w", 64)}}, 1000)
	x.do(noon, full, schema.OK)
	x.tells("1000+1000 rows")
	x.do(noon, x.shares(row(rig, 1)), schema.PoolReportInvalid)
	x.seq--
	// A new day, and the old one is closed before.
	x.do(noon+day, x.shares(row(rig, 20_001)), schema.PoolReportInvalid)
	x.seq--
	x.do(noon+day, x.shares(row(rig, 20_000)), schema.OK)
	if r := x.rewards(); len(r) != 1 || r[0].Total != d("1000000") {
		t.Errorf("%+v", r)
	}
}

// TestTheDearestDay: the bound is of what is rounded down.
func TestTheDearestDay(t *testing.T) {
	x := open(t)
	x.out.Operator = "oscar"
	x.do(noon, &schema.SetPoolRate{Rate: d("1000000")}, schema.OK)
	x.do(noon, x.shares(row(rig, 1), schema.Shares{Mining: rig, Bits: 0x03000001, Work: 1}), schema.OK)
	x.do(noon, &schema.SetPoolRate{Rate: d("0.00000001")}, schema.OK)
	x.do(noon, x.shares(row(rig, 1)), schema.PoolReportInvalid)
	x.seq--
	x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: 0x1c00ffff, Work: 255}), schema.OK)
	x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: 0x1c00ffff, Work: 1}), schema.PoolReportInvalid)
	x.at(midnight + day)
	if r := x.rewards(); len(r) != 1 || r[0].Total != d("1000000") || r[0].Fee != d("10000") {
		t.Errorf("%+v", r)
	}
}

func TestBlocks(t *testing.T) {
	x := open(t)
	found := func(lease schema.LeaseID, height uint64, edit func(*schema.PoolBlock)) *schema.FoundBlock {
		m := &schema.FoundBlock{Lease: lease, Block: schema.PoolBlock{Mining: barn, Worker: "w-1", Height: height, Time: 5}}
		m.Block.Hash[0], m.Block.Hash[1] = byte(height), byte(height>>8)
		edit(&m.Block)
		return m
	}
	same := func(*schema.PoolBlock) {}
	x.do(noon, found(0, 1, same), schema.PoolLeaseUnknown)
	x.do(noon, found(2, 1, same), schema.PoolLeaseUnknown)
	x.do(noon, found(1, 1, func(b *schema.PoolBlock) { b.Mining = 4 }), schema.PoolReportInvalid)
	x.do(noon, found(1, 1, func(b *schema.PoolBlock) { b.Worker = "" }), schema.PoolReportInvalid)
	x.do(noon+1, found(1, 1, same), schema.OK)
	x.tells("block 1")
	x.do(noon+1, found(1, 1, same), schema.BlockKnown)
	for height := uint64(2); height <= 101; height++ {
		x.do(noon+schema.Time(height), found(1, height, same), schema.OK)
	}
	list := x.Blocks()
	if len(list) != 100 || list[0].Height != 101 || list[0].Time != noon+101 || list[99].Height != 2 || list[99].Worker != "w-1" {
		t.Errorf("%d blocks, %+v", len(list), list)
	}
	x.do(noon+200, found(1, 2, same), schema.BlockKnown)
	x.do(noon+200, found(1, 1, same), schema.OK)
	x.has(ben, "0", "0")
}
