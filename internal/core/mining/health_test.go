package mining

import (
	"math"
	"testing"

	"bourse/internal/schema"
)

// is holds the health of the pool to what is expected.
func (x *exchange) is(day schema.Time, worth string, short schema.Time) {
	x.t.Helper()
	if h := x.Health(); h.Day != day || h.Worth != d(worth) || h.Short != short {
		x.t.Errorf("day %d is worth %s, short since %d; want %d, %s and %d", (h.Day-midnight)/day, h.Worth, h.Short-midnight, (day-midnight)/day, worth, short-midnight)
	}
}

// looks holds whether the timer runs to the moment after the last tick.
func (x *exchange) looks(want bool) {
	x.t.Helper()
	if next, running := x.NextTimer(); (running && next == x.tick+1) != want {
		x.t.Errorf("the next timer is at %d %t", next, running)
	}
}

// TestTheWorthOfADay is the sum of the rewards of the latest day that was closed with one.
func TestTheWorthOfADay(t *testing.T) {
	x := open(t)
	x.is(0, "0", 0)
	x.do(noon, x.shares(row(rig, 1), row(barn, 2)), schema.OK)
	x.is(0, "0", 0)
	x.at(midnight + day)
	x.is(midnight, "148.5", 0)
	x.brought(noon+day, rig, 4)
	x.brought(noon+day+1, barn, 1)
	x.brought(noon+2*day, barn, 1) // closes barn's day before
	x.is(midnight+day, "49.5", 0)
	x.at(noon + 2*day)
	x.is(midnight+day, "247.5", 0)

	// A day that is closed late, after a later one, changes nothing; nor does one without a reward.
	x.brought(noon+3*day, attic, 1) // barn's day is not closed yet
	x.brought(noon+4*day, attic, 1)
	x.is(midnight+3*day, "49.5", 0)
	x.do(noon+4*day, x.shares(schema.Shares{Mining: rig, Bits: 0x0300ffff, Work: 1}), schema.OK)
	x.at(noon + 4*day)
	x.is(midnight+3*day, "49.5", 0)
	x.at(midnight + 5*day)
	x.is(midnight+4*day, "49.5", 0)
}

// TestTheFundIsShort of a day's worth, or of the first payment, from one tick to another.
func TestTheFundIsShort(t *testing.T) {
	x := open(t)
	x.looks(false)
	x.fund("-1000")
	x.looks(false)
	x.brought(noon, rig, 2)
	x.fund("198")
	x.at(midnight + day)
	x.is(midnight, "99", 0) // 99 were paid, 99 are left
	x.looks(false)
	x.fund("-0.00000001")
	x.is(midnight, "99", 0) // no tick looked
	x.looks(true)
	x.at(midnight + day + 1)
	x.is(midnight, "99", midnight+day+1)
	x.looks(false)
	x.at(midnight + day + hour)
	x.is(midnight, "99", midnight+day+1)
	x.fund("0.00000001")
	x.looks(true)
	x.at(midnight + day + hour + 1)
	x.is(midnight, "99", 0)
	x.looks(false)

	// The first payment is larger than a day is worth: ten days of attic's, which waited for more.
	x.fund("-99")
	x.do(noon+day, external(anna, attic, "a"), schema.OK)
	at := x.earns(attic, noon+2*day, 10)
	x.is(midnight+11*day, part, midnight+12*day)
	x.fund("0.2")
	x.looks(true)
	x.at(at)
	x.is(midnight+11*day, part, 0)
	x.do(at, inside(anna, attic), schema.OK)
	x.looks(true)
	x.at(at + 1)
	x.is(midnight+11*day, part, at+1)
	x.looks(false)
	x.fund("1.73359379")
	x.looks(false)
	x.fund("0.00000001")
	x.at(at + 2) // it is paid, and nothing is left
	x.is(midnight+11*day, part, at+1)
	x.fund("0.2")
	x.at(at + 3)
	x.is(midnight+11*day, part, 0)
}

// TestTheFirstPaymentAlone makes the fund too small: what is left is more than a day is worth.
func TestTheFirstPaymentAlone(t *testing.T) {
	x := open(t)
	x.brought(noon, rig, 3)
	x.brought(noon+day, barn, 1)
	x.fund("-1000")
	x.at(noon + 2*day)
	x.is(midnight+day, "49.5", noon+2*day)
	x.fund("148.49999999")
	x.looks(false)
	x.fund("0.00000001")
	x.looks(true)
}

// TestLuck: what is expected of work at the rate of the closing, what is found, and who is unlucky.
func TestLuck(t *testing.T) {
	x := open(t)
	luck := func(id schema.MiningID, expected uint64, found uint32, low bool) {
		t.Helper()
		if got := x.Luck(id); got != (Luck{expected, found}) || got.Low() != low {
			t.Errorf("mining account %d: %+v, low %t", id, got, got.Low())
		}
	}
	luck(9, 0, 0, false)
	// 1/256 of a block: 3906.25 millionths; the work of a third, at a rate that changes before the day is closed.
	x.do(noon, x.shares(schema.Shares{Mining: barn, Bits: 0x1c00ffff, Work: 1}, row(rig, 16)), schema.OK)
	x.at(midnight + day)
	luck(barn, 3906, 0, false)
	luck(rig, 16_000_000, 0, false) // four standard deviations, not more
	if n := x.Health().Unlucky; n != 0 {
		t.Errorf("%d are unlucky", n)
	}
	x.do(noon+day, x.shares(schema.Shares{Mining: rig, Bits: 0x1b00ffff, Work: 1}), schema.OK)
	x.at(midnight + 2*day)
	luck(rig, 16_000_015, 0, true)
	if n := x.Health().Unlucky; n != 1 {
		t.Errorf("%d are unlucky", n)
	}
	x.do(noon+2*day, &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: rig, Worker: "w"}}, schema.OK)
	x.do(noon+2*day, &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: rig, Worker: "w"}}, schema.BlockKnown)
	luck(rig, 16_000_015, 1, false)
	if n := x.Health().Unlucky; n != 0 {
		t.Errorf("%d are unlucky", n)
	}
	x.brought(noon+2*day, barn, 1)
	x.asOperator(noon+2*day, &schema.SetPoolRate{Rate: d("75")})
	x.at(midnight + 3*day)
	luck(barn, 3906+666_666, 0, false)

	// The most that can be expected, and found.
	x.asOperator(noon+3*day, &schema.SetPoolRate{Rate: d("1000000")})
	x.brought(noon+3*day, attic, 1)
	x.asOperator(noon+3*day, &schema.SetPoolRate{Rate: d("0.00000001")})
	x.at(midnight + 4*day)
	luck(attic, math.MaxUint64, 0, true)
	x.setLuck(x.Pool.at(attic), Luck{math.MaxUint64, math.MaxUint32})
	x.do(midnight+4*day, &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: attic, Worker: "w", Hash: schema.Digest{1}}}, schema.OK)
	luck(attic, math.MaxUint64, math.MaxUint32, true)
	if n := x.Health().Unlucky; n != 1 {
		t.Errorf("%d are unlucky", n)
	}
}
