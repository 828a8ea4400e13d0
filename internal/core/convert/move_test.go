package convert_test

import (
	"testing"

	"bourse/internal/schema"
)

const bucket = 10 * schema.Second

// gems is an exchange with books of gems and ethers at any price, at the beginning of a bucket.
func gems(t *testing.T) *exchange {
	x := open(t, func(m *schema.SetConversion) { m.Spread = d("0") })
	x.rest(maker, "GEM_USDT", schema.Buy, "1000", "20")
	x.at += bucket - x.at%bucket
	return x
}

// pays holds what 100 gems are converted to.
func (x *exchange) pays(want string) {
	x.Helper()
	c := x.quote(ask(alice, gem, usdt, "100"))
	if c.Receive != d(want) {
		x.Errorf("100 gems are %s, want %s", c.Receive, want)
	}
}

// TestAMoveOfAnIndexCosts as long as it is among the last five minutes: the spread is the greater of both.
func TestAMoveOfAnIndexCosts(t *testing.T) {
	x := gems(t)
	x.pays("1000")
	x.index("GEM", "11")
	x.pays("990") // 1100 less a tenth
	x.do(settings(func(m *schema.SetConversion) { m.Spread = d("0.2") }))
	x.pays("880")
	x.do(settings())
	x.pass(31*bucket - 1) // the last moment of bucket 30
	x.pays("990")
	x.pass(1)
	x.pays("1097.8") // less 0.2 %
}

// TestMovesOfTwoBucketsAreOne: what lies ten seconds apart can be in neighbouring buckets.
func TestMovesOfTwoBucketsAreOne(t *testing.T) {
	x := gems(t)
	x.index("GEM", "10.5")
	x.at += 2*bucket - 1
	x.index("GEM", "11.025") // from 10 to 11.025 in two buckets: 0.1025
	x.pays("989.49375")
	x.at += bucket + 1 // a bucket without changes
	x.at += bucket
	x.index("GEM", "11.2455") // 0.02 alone
	x.pays("1009.283625")     // 0.1025 is still the greatest
	x.pass(27 * bucket)
	// The first bucket counts no more, the second by itself is from 10.5 to 11.025: 0.05.
	x.at = x.at - x.at%bucket
	x.pays("1068.3225")
	x.pass(bucket)
	x.pays("1102.059") // 0.02
}

// TestMovesOfBothAssetsCount, and each hop costs the greatest.
func TestMovesOfBothAssetsCount(t *testing.T) {
	x := gems(t)
	x.do(settings(over(usdt), func(m *schema.SetConversion) { m.Spread = d("0") }))
	x.rest(maker, "ETH_USDT", schema.Sell, "1000", "2000")
	x.index("ETH", "2000")
	c := x.quote(ask(alice, gem, eth, "100")) // 0.5 by the indices, two hops of 0.25
	x.says(c, "0.25 for 100 at 0.0025 by 5>1 20 1>3 0.0005")
	c = x.quote(ask(alice, gem, eth, "0.25", true)) // 50 GEM / 0.5
	x.says(c, "0.25 for 100 at 0.0025 by 5>1 20 1>3 0.0005")
	x.index("ETH", "1250") // from 2500 to 1250
	x.refused(schema.ConversionUnavailable, ask(alice, gem, eth, "100"))
}

// TestChangesBeforeConversionsWereSetDoNotCount, and neither does the first price.
func TestChangesBeforeConversionsWereSetDoNotCount(t *testing.T) {
	x := empty(t)
	x.rest(maker, "GEM_USDT", schema.Buy, "1000", "20")
	x.index("GEM", "5")
	x.index("GEM", "10")
	x.alone = false
	x.do(settings(func(m *schema.SetConversion) { m.On, m.Spread = false, d("0") }))
	x.do(settings(func(m *schema.SetConversion) { m.Spread = d("0") }))
	x.pays("1000")
	x.do(settings(func(m *schema.SetConversion) { m.On, m.Spread = false, d("0") }))
	x.index("GEM", "12.5") // also while they are off
	x.do(settings(func(m *schema.SetConversion) { m.Spread = d("0") }))
	x.pays("937.5")
	// A price that goes stale and comes back did not move.
	x.pass(2 * 3600 * schema.Second)
	x.index("GEM", "12.5")
	x.pays("1250")
	// One that moved while it was stale did.
	x.pass(2 * 3600 * schema.Second)
	x.index("GEM", "10")
	x.pays("750")
}
