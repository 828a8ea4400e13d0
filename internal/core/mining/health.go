package mining

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Health is what operators watch: a pool that pays without finding blocks lives on its fund.
type Health struct {
	// Day is the latest that was closed with a reward, and Worth what all of its rewards are.
	Day   schema.Time
	Worth fixed.Decimal
	// Short is since when the fund is too small for a day like that, or for the first payment of the queue; 0: it is large enough.
	Short schema.Time
	// Unlucky is how many mining accounts are.
	Unlucky int
}

// Luck is how many blocks a mining account found, and how many of its work were to be expected.
type Luck struct {
	Expected uint64 // in millionths of a block
	Found    uint32
}

// block is a block in the unit of what is expected.
const block = 1_000_000

// Low reports whether so few blocks are found by chance once in 30,000 times at most: four standard deviations below what is expected. An
// account like that may be keeping its blocks from the pool, which pays for the shares all the same.
func (l Luck) Low() bool {
	found := uint64(l.Found) * block
	if l.Expected <= found {
		return false
	}
	missing := l.Expected - found
	hi, lo := bits.Mul64(missing, missing)
	mostHi, mostLo := bits.Mul64(16*block, l.Expected)
	return hi > mostHi || hi == mostHi && lo > mostLo
}

// Health is how the pool is.
func (p *Pool) Health() Health { return p.health }

// Luck is that of a mining account.
func (p *Pool) Luck(id schema.MiningID) Luck {
	if a := p.find(id); a != nil {
		return a.luck
	}
	return Luck{}
}

// setLuck changes that of a mining account.
func (p *Pool) setLuck(a *mining, luck Luck) {
	if a.luck.Low() {
		p.health.Unlucky--
	}
	if a.luck = luck; luck.Low() {
		p.health.Unlucky++
	}
}

// expect counts what a day of work brings in blocks.
func (p *Pool) expect(a *mining, gross *big.Int) {
	n := new(big.Int).Mul(gross, big.NewInt(block))
	more := uint64(math.MaxUint64)
	if n.Quo(n, units(p.rate, p.scale())).IsUint64() {
		more = n.Uint64()
	}
	luck := a.luck
	luck.Expected = capped(luck.Expected, more)
	p.setLuck(a, luck)
}

// brought counts a block of a mining account.
func (p *Pool) brought(a *mining) {
	luck := a.luck
	if luck.Found < math.MaxUint32 {
		luck.Found++
	}
	p.setLuck(a, luck)
}

// costs counts a reward for what a day costs.
func (p *Pool) costs(reward *schema.Reward) {
	switch {
	case reward.Day > p.health.Day:
		p.health.Day, p.health.Worth = reward.Day, reward.Amount
	case reward.Day == p.health.Day:
		p.health.Worth = p.health.Worth.Add(reward.Amount)
	}
}

// tooSmall reports whether the fund is.
func (p *Pool) tooSmall() bool {
	if p.health.Worth.IsZero() {
		return false // no day was closed
	}
	fund := p.ledger.Available(p.house())
	return fund.Cmp(p.health.Worth) < 0 || p.queue.First != 0 && fund.Cmp(p.payments.At(p.queue.First).sum) < 0
}

// lookAtFund notes since when the fund is too small.
func (p *Pool) lookAtFund() {
	switch small := p.tooSmall(); {
	case !small:
		p.health.Short = 0
	case p.health.Short == 0:
		p.health.Short = p.out.Time
	}
}

// fundChanged reports whether the fund is too small and was not at the last look, or the other way round.
func (p *Pool) fundChanged() bool { return p.tooSmall() != (p.health.Short != 0) }

// checkHealth refuses what no command could have left.
func (p *Pool) checkHealth() error {
	h := &p.health
	if h.Worth.IsZero() {
		if h.Day != 0 || h.Short != 0 {
			return errors.New("a day was closed that cost nothing")
		}
		return nil
	}
	most := fixed.FromInt(mostWorth * int64(p.minings.End()-1))
	switch {
	case p.lastReward == 0 || h.Day < 0 || h.Day%day != 0 || h.Day > p.Clock()-day:
		return errors.New("no day can have been closed then")
	case h.Worth.Sign() < 0 || h.Worth.Cmp(most) > 0 || h.Worth.Decimals() > p.scale():
		return errors.New("a day cannot have cost that")
	case h.Short < 0 || h.Short > p.LastTick():
		return errors.New("the fund cannot have become too small then")
	}
	return nil
}

// verifyHealth holds what is counted against what it is counted from.
func (p *Pool) verifyHealth() error {
	if err := p.checkHealth(); err != nil {
		return err
	}
	kept, low := map[schema.MiningID]uint32{}, 0 // only ever asked
	for i := range p.blocks {
		kept[p.blocks[i].Mining]++
	}
	for id := schema.MiningID(1); uint32(id) < p.minings.End(); id++ {
		a := p.at(id)
		if err := p.checkLuck(a.luck); err != nil {
			return fmt.Errorf("mining account %d: %w", id, err)
		}
		if a.luck.Found < kept[id] {
			return fmt.Errorf("mining account %d found %d blocks, and %d are kept", id, a.luck.Found, kept[id])
		}
		if a.luck.Low() {
			low++
		}
	}
	if low != p.health.Unlucky {
		return fmt.Errorf("%d mining accounts are unlucky, and %d counted", low, p.health.Unlucky)
	}
	return nil
}

// checkLuck refuses luck that no command could have left.
func (p *Pool) checkLuck(l Luck) error {
	if l.Expected != 0 && !p.used || l.Found != 0 && p.terms.Asset == 0 {
		return errors.New("it can neither have found nor be expected to find blocks")
	}
	return nil
}
