package mining

import (
	"math"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestWorths: what work is worth, to the satoshi.
func TestWorths(t *testing.T) {
	for _, tt := range []struct {
		unit uint8
		bits uint32
		work uint64
		want string // "": nothing
	}{
		{0, one, 1, "50"},
		{0, 0x1c00ffff, 1, "0.1953125"},
		{0, 0x1c00ffff, 255, "49.8046875"},
		{0, 0x170331db, 1_000_000_000_000_000, "567.50989215"},
		{16, 0x170331db, 123_456_789_012_345, "0.00106907"},
		{32, 0x207fffff, 1, "25.00037849"},
		{32, 0x207fffff, 3, "75.00113548"},
		{32, 0x2100ffff, 1, "50"},
		{32, one, 1 << 32, "50"},
		{32, one, 1, "0.00000001"},
		{32, 0x1c00ffff, 219, ""},
		{32, 0x1c00ffff, 220, "0.00000001"},
		{0, 0x1b0404cb, 1000, "3.06608875"},
		{0, 0x03000001, math.MaxUint64, ""},
	} {
		x := open(t, func(m *schema.PoolTerms) { m.Unit, m.Fee = tt.unit, fixed.Zero })
		x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: tt.bits, Work: tt.work}), schema.OK)
		x.at(midnight + day)
		list := x.rewards()
		switch {
		case tt.want == "" && len(list) != 0, tt.want != "" && len(list) != 2:
			t.Errorf("%d of %08x in units of 2^-%d: %+v", tt.work, tt.bits, tt.unit, list)
		case tt.want != "" && (list[0].Total != d(tt.want) || list[0].Amount != d(tt.want) || list[0].Work != tt.work || list[0].Unit != tt.unit):
			t.Errorf("%d of %08x in units of 2^-%d is %+v, want %s", tt.work, tt.bits, tt.unit, list[0], tt.want)
		}
	}
}

// TestADayIsRoundedOnce: parts of units of all rows add up, whatever their targets and rates.
func TestADayIsRoundedOnce(t *testing.T) {
	x := open(t)
	x.out.Operator = "oscar"
	x.do(noon, &schema.SetPoolRate{Rate: d("0.00000001")}, schema.OK)
	half := schema.Shares{Mining: rig, Bits: 0x1c00ffff, Work: 128}
	x.do(noon, x.shares(half), schema.OK)
	x.do(noon, x.shares(half, row(rig, 149)), schema.OK)
	x.do(noon, &schema.SetPoolRate{Rate: d("0.00000002")}, schema.OK)
	x.do(noon, x.shares(half), schema.OK)
	x.at(midnight + day)
	want := schema.Reward{
		ID: 1, Mining: rig, Account: anna, Asset: coin, Day: midnight, Work: 128*3 + 149, Rate: d("0.00000002"),
		Total: d("0.00000151"), Fee: d("0.00000001"), Amount: d("0.0000015"), Status: schema.RewardPending,
	}
	if got := x.rewards()[0]; got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestFeeAndRateOfTheClosing count, and not those of the shares.
func TestFeeAndRateOfTheClosing(t *testing.T) {
	x := open(t)
	x.brought(noon, rig, 1)
	terms := usual()
	terms.Fee = d("0.3333")
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.do(noon, &schema.SetPoolRate{Rate: d("40.00000001")}, schema.OK)
	x.brought(noon, rig, 1)
	x.at(midnight + day)
	if r := x.rewards()[0]; r.Total != d("90.00000001") || r.Fee != d("29.997") || r.Amount != d("60.00300001") || r.Rate != d("40.00000001") {
		t.Errorf("%+v", r)
	}
	x.has(anna, "60.00300001", "0")
}

func TestBuckets(t *testing.T) {
	x := open(t)
	next := func() (at schema.Time) {
		at, _ = x.NextTimer()
		return at - noon
	}
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for nothing")
	}
	x.do(noon+1, x.shares(row(barn, 3), schema.Shares{Mining: rig, Bits: one, Rejected: math.MaxUint32}), schema.OK)
	x.tells("2+0 rows")
	if next() != schema.WorkBucket {
		t.Errorf("next at %d", next())
	}
	x.do(noon+2, x.shares(schema.Shares{Mining: rig, Bits: one, Work: 4, Accepted: 2, Rejected: 1}), schema.OK)
	x.at(noon + schema.WorkBucket - 1)
	x.tells()
	// A row of a later bucket ends only that of its account.
	x.do(noon+schema.WorkBucket, x.shares(row(rig, 1), row(rig, 1)), schema.OK)
	x.tells("1 of 101 at 43200000000: 4 2-4294967296", "2+0 rows")
	x.at(noon + schema.WorkBucket)
	x.tells("2 of 102 at 43200000000: 3 1-0")
	x.at(noon + 3*schema.WorkBucket)
	x.tells("1 of 101 at 43500000000: 2 2-0")
	if next() != day/2 {
		t.Errorf("next at %d", next())
	}
}

func TestSumsThatAreTooLarge(t *testing.T) {
	x := open(t)
	most := schema.Shares{Mining: rig, Bits: 0x03000001, Work: math.MaxUint64, Accepted: 1}
	x.do(noon, x.shares(row(rig, 1), most, most), schema.OK)
	x.at(noon + schema.WorkBucket)
	x.tells("1 of 101 at 43200000000: 18446744073709551615 3-0")
	x.at(midnight + day)
	if r := x.rewards(); len(r) != 2 || r[0].Work != math.MaxUint64 || r[0].Total != d("50") {
		t.Errorf("%+v", r)
	}
	if got := capped(math.MaxUint64-1, 1); got != math.MaxUint64 {
		t.Errorf("%d", got)
	}
}

// TestBarredAccounts earn nothing, and what they earned before is paid.
func TestBarredAccounts(t *testing.T) {
	x := open(t)
	x.brought(noon, rig, 1)
	x.do(noon, &schema.BarMining{Mining: rig, Barred: true}, schema.OK)
	x.brought(noon+schema.WorkBucket, rig, 5)
	x.tells("1+0 rows")
	x.brought(noon+day, rig, 5)
	x.tells("1+0 rows")
	x.at(noon + day)
	x.tells("1 of 101 at 43200000000: 1 1-0", "reward 1 of 1: 49.5 pending", "reward 1 of 1: 49.5 successful paid")
	x.do(noon+day, &schema.BarMining{Mining: rig}, schema.OK)
	x.brought(noon+day, rig, 1)
	x.at(midnight + 2*day)
	x.has(anna, "99", "0")
}

// TestDaysEnd at the first tick of a later day, or before a row of one is counted, in the order in which they began.
func TestDaysEnd(t *testing.T) {
	x := open(t)
	x.fund("-1000")
	x.brought(noon, barn, 1)
	x.brought(noon, rig, 1)
	x.brought(noon, barn, 1)
	// A row without work is none to the day.
	x.do(midnight+day, x.shares(schema.Shares{Mining: attic, Bits: one, Rejected: 1}, schema.Shares{Mining: rig, Bits: one, Rejected: 1}), schema.OK)
	x.tells("1 of 101 at 43200000000: 1 1-0", "2+0 rows")
	x.do(midnight+day, x.shares(row(rig, 1), row(rig, 1), row(attic, 1)), schema.OK)
	x.tells("reward 1 of 1: 49.5 pending", "3+0 rows")
	x.at(midnight + day)
	x.tells("2 of 102 at 43200000000: 2 2-0", "reward 2 of 2: 99 pending")
	x.at(noon + day)
	x.tells("3 of 101 at 86400000000: 1 1-1", "1 of 101 at 86400000000: 2 2-1")
	x.at(midnight + 2*day)
	x.tells("reward 3 of 1: 99 pending", "reward 4 of 3: 49.5 pending")
	if n, sum := x.Pending(); n != 4 || sum != d("297") {
		t.Errorf("%d of %s", n, sum)
	}
}

// TestManyDays: a tick ends a thousand buckets and days, and the timer stays due.
func TestManyDays(t *testing.T) {
	x := open(t, func(m *schema.PoolTerms) { m.Accounts = 1000 })
	x.quiet = true
	names := func(account schema.AccountID, letter string, n int) {
		for i := range n {
			x.must(noon, &schema.OpenMining{Account: account, Name: letter + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + string(rune('a'+i/676))})
		}
	}
	names(anna, "A", 998)
	names(carl, "C", 1)
	names(ben, "B", 1)
	var rows []schema.Shares
	for id := schema.MiningID(1002); id > 0; id-- {
		rows = append(rows, schema.Shares{Mining: id, Bits: one, Work: 1})
	}
	terms := usual()
	terms.Accounts, terms.Fee = 1000, d("0")
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.asOperator(noon, &schema.SetPoolRate{Rate: d("0.5")})
	x.do(noon, x.shares(rows[:1000]...), schema.OK)
	x.do(noon, x.shares(rows[1000:]...), schema.OK)
	count := func() (measured, changed int) {
		for e := range x.out.Events.All() {
			switch e.(type) {
			case *schema.MiningMeasured:
				measured++
			case *schema.RewardChanged:
				changed++
			}
		}
		return measured, changed
	}
	for i, want := range [][2]int{{1000, 2000}, {2, 4}, {0, 0}} {
		next, running := x.NextTimer()
		if i < 2 && (!running || next > midnight+day) || i == 2 && running {
			t.Errorf("tick %d: next at %d %t", i, next-midnight, running)
		}
		x.at(midnight + day + schema.Time(i))
		if measured, changed := count(); measured != want[0] || changed != want[1] {
			t.Errorf("tick %d: %d were measured, %d changed", i, measured, changed)
		}
	}
	x.has(anna, "500", "0")
	x.quiet = false
	x.verify()
}

// TestAnAssetOf18Decimals: units are those of its scale, whatever can be sent of it.
func TestAnAssetOf18Decimals(t *testing.T) {
	x := open(t)
	terms := usual()
	terms.Asset, terms.Chain, terms.Fee = toy, 0, d("0.3333")
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.asOperator(noon, &schema.SetPoolRate{Rate: d("1000000")})
	x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: 0x170331db, Work: 48_611_766_702}), schema.OK)
	x.brought(noon, barn, 1)
	x.at(midnight + day)
	list := x.rewards()
	if len(list) != 2 || list[0].Total != d("551.753169567784829198") || list[0].Fee != d("183.899331416942683571") || list[1].Total != d("1000000") {
		t.Errorf("%+v", list)
	}
}
