package work

import (
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"bourse/internal/network/driver"
)

func (t *Target) big() *big.Int {
	n := new(big.Int)
	for i := 3; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(t[i]))
	}
	return n
}

// TestTargets: as docs/mining.md reads bits, in big numbers.
func TestTargets(t *testing.T) {
	for bits, want := range map[uint32]string{
		0x1d00ffff: "ffff" + strings.Repeat("00", 26), 0x207fffff: "7fffff" + strings.Repeat("00", 29), 0x03123456: "123456", 0x0200ff00: "ff", 0x02123456: "1234",
		0x01120000: "12", 0x2100ffff: "ffff" + strings.Repeat("00", 30), 0x220000ff: "ff" + strings.Repeat("00", 31), 0x04000001: "100",
	} {
		n, _ := new(big.Int).SetString(want, 16)
		if got, ok := OfBits(bits); !ok || got.big().Cmp(n) != 0 {
			t.Errorf("%08x: %x %v, want %s", bits, got.big(), ok, want)
		}
	}
	for _, bits := range []uint32{0, 0x1d800000, 0x1d000000, 0x00123456, 0x01001234, 0x2101ffff, 0x22000100, 0x23000001, 0xff7fffff} {
		if got, ok := OfBits(bits); ok {
			t.Errorf("%08x: %x", bits, got.big())
		}
	}
	one := new(big.Int).Lsh(big.NewInt(0xffff), 208)
	for e := LeastExponent; e <= mostExponent; e++ {
		want := new(big.Int).Set(one)
		if e < 0 {
			want.Lsh(want, uint(-e))
		} else {
			want.Rsh(want, uint(e))
		}
		if got := OfExponent(e); got.big().Cmp(want) != 0 {
			t.Errorf("2^%d: %x, want %x", e, got.big(), want)
		}
	}
}

// TestNoDifficultyIsAboveTheNetworks: the highest whose target is not below that of the bits.
func TestNoDifficultyIsAboveTheNetworks(t *testing.T) {
	for bits, want := range map[uint32]int{0x1d00ffff: 0, 0x207fffff: -32, 0x1d3fffc0: -6, 0x1d3fffc1: -7, 0x1d3fffbf: -6, 0x1b0404cb: 13, 0x170331db: 46} {
		target, _ := OfBits(bits)
		if got, ok := target.Exponent(); !ok || got != want {
			t.Errorf("%08x: %d %v, want %d", bits, got, ok, want)
		}
	}
	target, _ := OfBits(0x220000ff)
	if e, ok := target.Exponent(); !ok || e != LeastExponent {
		t.Errorf("%d %v", e, ok)
	}
	for d, want := range map[float64]int{1: 0, 1.99: 0, 2: 1, 0.5: -1, 0.49: -2, 16384: 14} {
		if e, ok := Exponent(d); !ok || e != want {
			t.Errorf("%v: %d %v, want %d", d, e, ok, want)
		}
	}
	for _, d := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if e, ok := Exponent(d); ok {
			t.Errorf("%v: %d", d, e)
		}
	}
}

func TestAHashMeetsItsTarget(t *testing.T) {
	target := Target{5, 6, 7, 8}
	for words, want := range map[[4]uint64]bool{{5, 6, 7, 8}: true, {6, 6, 7, 8}: false, {4, 6, 7, 8}: true, {0, 0, 0, 9}: false, {9, 9, 9, 7}: true, {0, 7, 7, 8}: false} {
		var hash [32]byte
		for i, word := range words {
			for b := range 8 {
				hash[8*i+b] = byte(word >> (8 * b))
			}
		}
		if target.Met(&hash) != want {
			t.Errorf("%v: %v", words, !want)
		}
	}
}

// TestTheRootOfABranch: for any number of transactions it is the root of the whole tree.
func TestTheRootOfABranch(t *testing.T) {
	for n := range 20 {
		tmpl := &driver.Template{Bits: 0x1d00ffff, Height: 1}
		for i := range n {
			tmpl.Txs = append(tmpl.Txs, driver.TemplateTx{ID: [32]byte{byte(i), 1}, Raw: []byte{byte(i)}})
		}
		body, err := NewBody(tmpl, []byte{0x51})
		if err != nil {
			t.Fatal(err)
		}
		job, s := body.Job(7, 8, false), &Share{Extra1: [4]byte{1}, Extra2: [8]byte{2}, Version: 3, Time: 4, Nonce: 5}
		var r Room
		first := double(job.transaction(nil, s))
		level := [][32]byte{first}
		for _, tx := range tmpl.Txs {
			level = append(level, tx.ID)
		}
		for len(level) > 1 {
			if len(level)%2 == 1 {
				level = append(level, level[len(level)-1])
			}
			var next [][32]byte
			for pair := range slices.Chunk(level, 2) {
				next = append(next, double(append(slices.Clone(pair[0][:]), pair[1][:]...)))
			}
			level = next
		}
		hash := job.Hash(s, &r)
		if string(r.header[36:68]) != string(level[0][:]) || hash != double(r.header[:]) {
			t.Errorf("%d transactions: root %x, want %x", n, r.header[36:68], level[0])
		}
	}
}

// TestHeightsAreTheFirstItem as scripts write small numbers.
func TestHeightsAreTheFirstItem(t *testing.T) {
	for height, want := range map[uint64]string{0: "00", 1: "51", 16: "60", 17: "0111", 127: "017f", 128: "028000", 255: "02ff00", 256: "020001", 840_000: "0340d10c", 0x7fffff: "03ffff7f", 0x800000: "0400008000"} {
		if got := hex.EncodeToString(pushNumber(height)); got != want {
			t.Errorf("%d: %s, want %s", height, got, want)
		}
	}
}

// TestTheBlockHasItsWitness only if the template binds one.
func TestTheBlockHasItsWitness(t *testing.T) {
	tmpl := &driver.Template{Bits: 0x1d00ffff, Height: 1, Value: 7}
	for _, commitment := range [][]byte{nil, {0x6a}} {
		tmpl.Commitment = commitment
		body, err := NewBody(tmpl, []byte{0x51})
		if err != nil {
			t.Fatal(err)
		}
		job, s := body.Job(1, 1, false), &Share{}
		first := job.transaction(nil, s)
		want := append([]byte{1}, first...)
		if commitment != nil {
			want = append([]byte{1}, first[:4]...)
			want = append(append(want, 0, 1), first[4:len(first)-4]...)
			want = append(append(want, 1, 32), make([]byte, 36)...)
		}
		if got := job.Block(s)[80:]; string(got) != string(want) {
			t.Errorf("%x, want %x", got, want)
		}
	}
}

func TestTemplatesThatCannotBeMined(t *testing.T) {
	for _, c := range []*driver.Template{{Bits: 0}, {Bits: 0x1d00ffff, Height: 1 << 31}, {Bits: 0x1d00ffff, Commitment: make([]byte, 256)}} {
		if _, err := NewBody(c, nil); err == nil {
			t.Errorf("%+v", c)
		}
	}
}
