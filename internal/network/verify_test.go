package network_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// onward is a chain that goes on while the exchange stands still.
type onward struct {
	driver.Chain
	points []driver.Point           // from height 1 on
	spends map[uint64][]spent       // by height
	extra  map[string]fixed.Decimal // what coins are worth that are not worth one
	next   func(asked int)          // hears how many coins were asked for
	asked  int
}

// spent is a coin that a transaction spends.
type spent struct {
	coin byte
	tx   string
}

// key of the only output of transaction n, and its name.
func keyOf(n byte) []byte  { return binary.LittleEndian.AppendUint32(append(make([]byte, 31), n), 0) }
func coinOf(n byte) string { id, _ := driver.CoinID(keyOf(n)); return id }
func (c *onward) grow(n int) {
	for range n {
		height := len(c.points) + 1
		c.points = append(c.points, driver.Point{Height: uint64(height), Hash: schema.Digest{byte(height), byte(height >> 8), 1}})
	}
}

func (c *onward) Check(context.Context) error { return nil }

func (c *onward) Tip(context.Context) (driver.Point, error) { return c.points[len(c.points)-1], nil }

func (c *onward) At(_ context.Context, height uint64) (driver.Point, bool, error) {
	if height == 0 || height > uint64(len(c.points)) {
		return driver.Point{}, false, nil
	}
	return c.points[height-1], true, nil
}

func (c *onward) Block(_ context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	if c.points[at.Height-1] != at {
		return nil, driver.ErrMoved
	}
	b := &driver.Block{Point: at, Parent: c.points[at.Height-2].Hash}
	for _, s := range c.spends[at.Height] {
		if ours.Coin(keyOf(s.coin)) {
			b.Spends = append(b.Spends, driver.Spend{Tx: s.tx})
		}
	}
	return b, nil
}

func (c *onward) Holds(_ context.Context, at driver.Point, h driver.Holding) (fixed.Decimal, error) {
	if c.asked++; c.next != nil {
		c.next(c.asked)
	}
	if at != c.points[len(c.points)-1] {
		return fixed.Decimal{}, driver.ErrMoved
	}
	for height, list := range c.spends {
		if height <= at.Height && slices.ContainsFunc(list, func(s spent) bool { return coinOf(s.coin) == h.ID }) {
			return fixed.Zero, nil
		}
	}
	if worth, other := c.extra[h.ID]; other {
		return worth, nil
	}
	return fixed.FromInt(1), nil
}

// stopped is an exchange with three coins of one each in block 1 of a chain.
func stopped(t *testing.T) (*house, *onward) {
	t.Helper()
	chain := &onward{spends: map[uint64][]spent{}, extra: map[string]fixed.Decimal{}}
	chain.grow(1)
	h := found(t, schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}, schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true,
		Networks: []schema.Network{{Name: "BTC", CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8}},
	}, func(schema.Chain) (driver.Chain, error) { return chain, nil })
	if _, err := h.heldBy(chain); err == nil || err.Error() != "the exchange has no block of it yet: there is nothing to hold against it" {
		t.Errorf("before the first block: %v", err)
	}
	block := &schema.ChainBlock{Chain: h.chain.ID, Height: 1, Hash: chain.points[0].Hash}
	for n := range byte(3) {
		block.Receipts = append(block.Receipts, schema.Receipt{ID: coinOf(n), Asset: h.native, Amount: fixed.FromInt(1), Own: schema.Hot})
	}
	h.do(block)
	return h, chain
}

// TestBooksAreHeldAgainstAChainThatWentOn: what was spent after the exchange stopped was there when it did, and is named if the log has no plan of
// it; what is gone and was spent by nothing since is missing.
func TestBooksAreHeldAgainstAChainThatWentOn(t *testing.T) {
	t.Parallel()
	h, chain := stopped(t)
	for _, step := range []struct {
		does               string
		do                 func()
		has, less, surplus string
		foreign            string
		tip                uint64
	}{
		{"nothing", func() {}, "3", "0", "0", "", 1},
		{"blocks", func() { chain.grow(5) }, "3", "0", "0", "", 6},
		{"a theft", func() { chain.spends[4] = []spent{{1, "stolen"}, {9, "a stranger's"}} }, "3", "0", "0", "stolen", 6},
		{"what no block shows", func() { chain.extra[coinOf(0)] = fixed.MustParse("0.25") }, "2.25", "0.75", "0", "stolen", 6},
		{"more than there should be", func() { chain.extra[coinOf(2)] = fixed.MustParse("1.5") }, "2.75", "0.75", "0.5", "stolen", 6},
		{"a block while it is asked", func() {
			delete(chain.extra, coinOf(0))
			chain.asked, chain.next = 0, func(asked int) {
				if asked == 2 {
					chain.grow(1)
					chain.spends[7] = []spent{{0, "late"}}
				}
			}
		}, "3.5", "0", "0.5", "stolen late", 7},
	} {
		step.do()
		v := h.held()
		a := v.Assets[0]
		const form = "%s: %v of %v, less %v, more %v, foreign %v, block %d of %d"
		got := fmt.Sprintf(form, a.Ticker, a.Chain, a.Books, a.Less, a.Surplus, v.Foreign, v.At.Height, v.Tip)
		if want := fmt.Sprintf(form, "BTC", step.has, 3, step.less, step.surplus, strings.Fields(step.foreign), 1, step.tip); got != want {
			t.Errorf("%s: %s, want %s", step.does, got, want)
		}
	}
}

// TestBooksAreNotHeldAgainstAnotherChain: a node that is behind, or has gone another way, says nothing of what was there.
func TestBooksAreNotHeldAgainstAnotherChain(t *testing.T) {
	t.Parallel()
	h, chain := stopped(t)
	whole := chain.points
	for _, c := range []struct {
		points []driver.Point
		want   string
	}{
		{[]driver.Point{{Height: 1, Hash: schema.Digest{9}}}, "its node has another block 1 than the exchange took: start the exchange, which goes back by itself, stop it, and verify again"},
		{append(slices.Clone(whole), driver.Point{Height: 3}, driver.Point{Height: 3}), "its node goes another way again and again"},
	} {
		chain.points = c.points
		if _, err := h.heldBy(chain); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	chain.points = whole
	h.do(&schema.ChainBlock{Chain: h.chain.ID, Height: 2, Parent: whole[0].Hash, Hash: schema.Digest{2, 0, 1}})
	if _, err := h.heldBy(chain); err == nil || err.Error() != "its node stands at block 1, and the exchange was at 2: wait until the node has caught up" {
		t.Error(err)
	}
}
