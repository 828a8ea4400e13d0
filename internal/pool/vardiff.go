package pool

import (
	"time"

	"bourse/internal/pool/work"
)

const (
	shareEvery  = 5 * time.Second // what a connection should take to bring a share: 12 a minute
	quickShares = 16              // so many that come four times as fast as they should change the difficulty at once
	slowPeriod  = 4 * time.Minute // otherwise it is looked at so often
	steepest    = 3               // halvings at once
)

// vardiff is the difficulty of a connection, by its exponent. Each job keeps the one that it was sent with.
type vardiff struct {
	exponent int
	chosen   bool // by the miner
	floor    int  // that the miner asked for
	shares   int  // that counted since
	since    time.Time
}

// change looks at how fast shares come, and says by how many doublings that is more than it should be.
func (v *vardiff) change(now time.Time) (by int) {
	took, wanted := now.Sub(v.since), time.Duration(v.shares)*shareEvery
	if quick := v.shares >= quickShares && 4*took <= wanted; !quick && took < slowPeriod {
		return 0
	}
	took = max(took, time.Millisecond)
	for ; 2*wanted >= 3*took; by++ {
		took *= 2
	}
	for ; 3*wanted <= 2*took && by > -steepest; by-- {
		wanted *= 2
	}
	v.shares, v.since = 0, now
	return by
}

// clamp is an exponent within what the miner, the unit of work and the chain permit: a share is at least one unit of work, and less than 2^64.
func (v *vardiff) clamp(exponent, least int, b *work.Body) int {
	return min(max(exponent, v.floor, least), b.Most, 63+least)
}
