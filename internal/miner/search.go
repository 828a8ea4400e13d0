package miner

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"time"

	"bourse/internal/pool/work"
)

// task is a job as the threads have it.
type task struct {
	session    *session
	id         string
	parent     [32]byte
	begin, end []byte // of the first transaction
	extra1     []byte
	size       int // of what the miner chooses of it
	branch     [][32]byte
	version    uint32
	mask       uint32 // of the version
	bits, time uint32
	target     work.Target
}

// result is a share.
type result struct {
	task        *task
	extra2      []byte
	nonce, bits uint32
}

const (
	stretch      = 1 << 22 // nonces that are tried with one version
	slice        = 1 << 12 // of them, before it is looked whether there is another task; fewer if the miner is held back
	paces        = 64      // a second, then
	wishEvery    = 5       // seconds for a share
	hashesOfUnit = 1 << 32 // of difficulty 1
	tryTime      = 50 * time.Millisecond
)

// wish is the difficulty that fits the miner: a share each five seconds.
func (m *Miner) wish() float64 {
	rate := float64(m.o.Rate)
	if rate == 0 {
		rate = speed()
	}
	return rate * float64(m.o.Threads) * wishEvery / hashesOfUnit
}

// speed is how many hashes a thread tries a second.
func speed() float64 {
	var header [80]byte
	began, n := time.Now(), 0
	for time.Since(began) < tryTime {
		for range slice {
			double(header[:])
		}
		n += slice
	}
	return float64(n) / time.Since(began).Seconds()
}

func double(b []byte) [32]byte {
	once := sha256.Sum256(b)
	return sha256.Sum256(once[:])
}

// search is a thread. Its work differs from that of the others in the first byte that the miner chooses.
func (m *Miner) search(ctx context.Context, thread byte, found chan<- result) {
	p := &pace{rate: m.o.Rate, slice: slice, at: time.Now()}
	if m.o.Rate > 0 {
		p.slice = uint32(min(max(m.o.Rate/paces, 1), slice))
	}
	var count uint64
	for {
		t := m.wait()
		if t == nil {
			return
		}
		for ; m.task.Load() == t; count++ {
			m.stretch(ctx, t, thread, count, p, found)
		}
	}
}

// stretch tries what can be tried with one choice of the miner: all versions in turn.
func (m *Miner) stretch(ctx context.Context, t *task, thread byte, count uint64, p *pace, found chan<- result) {
	extra2 := make([]byte, t.size)
	extra2[0] = thread
	for i := t.size - 1; i > 0 && count > 0; i-- {
		extra2[i] = byte(count)
		count >>= 8
	}
	first := append(append(append(append([]byte(nil), t.begin...), t.extra1...), extra2...), t.end...)
	root := double(first)
	var pair [64]byte
	for _, hash := range t.branch {
		copy(pair[:], root[:])
		copy(pair[32:], hash[:])
		root = double(pair[:])
	}
	var h [80]byte
	copy(h[4:], t.parent[:])
	copy(h[36:], root[:])
	binary.LittleEndian.PutUint32(h[68:], t.time)
	binary.LittleEndian.PutUint32(h[72:], t.bits)
	for n := range uint32(1) << bits.OnesCount32(t.mask) {
		chosen := spread(n, t.mask)
		binary.LittleEndian.PutUint32(h[:], t.version&^t.mask|chosen)
		for nonce := uint32(0); nonce < stretch; nonce += p.slice {
			for i := nonce; i < nonce+p.slice; i++ {
				binary.LittleEndian.PutUint32(h[76:], i)
				if hash := double(h[:]); t.target.Met(&hash) {
					select {
					case found <- result{t, extra2, i, chosen}:
					case <-ctx.Done():
						return
					}
				}
			}
			m.hashes.Add(uint64(p.slice))
			p.wait(ctx)
			if m.task.Load() != t {
				return
			}
		}
	}
}

// spread puts the bits of a number at the places of a mask, the least first.
func spread(n, mask uint32) (out uint32) {
	for ; mask != 0 && n != 0; mask &= mask - 1 {
		if n&1 == 1 {
			out |= mask & -mask
		}
		n >>= 1
	}
	return out
}

// pace holds a thread back.
type pace struct {
	rate  int // hashes a second; 0: as many as it can
	slice uint32
	at    time.Time
}

func (p *pace) wait(ctx context.Context) {
	if p.rate == 0 {
		return
	}
	now := time.Now()
	if p.at.Before(now.Add(-time.Second)) { // what was left undone is not made up for
		p.at = now
	}
	p.at = p.at.Add(time.Duration(p.slice) * time.Second / time.Duration(p.rate))
	if early := p.at.Sub(now); early > 0 {
		timer := time.NewTimer(early)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}
