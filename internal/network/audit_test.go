package network_test

import (
	"context"
	"fmt"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// still is a chain on which nothing happens any more. Every coin is worth one there, but for one.
type still struct {
	driver.Chain
	at    driver.Point
	short string // the coin that is gone
	asked int
}

func (s *still) Check(context.Context) error               { return nil }
func (s *still) Tip(context.Context) (driver.Point, error) { return s.at, nil }

func (s *still) At(context.Context, uint64) (driver.Point, bool, error) { return s.at, true, nil }

func (s *still) Holds(_ context.Context, _ driver.Point, h driver.Holding) (fixed.Decimal, error) {
	if s.asked++; h.ID == s.short {
		return fixed.Zero, nil
	}
	return fixed.FromInt(1), nil
}

// TestAuditsGoOnWhereTheyEnded: a step asks for a bounded number of coins, and what an audit found is known when all were looked at.
func TestAuditsGoOnWhereTheyEnded(t *testing.T) {
	t.Parallel()
	node := &still{}
	h := found(t, schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}, schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true,
		Networks: []schema.Network{{Name: "BTC", CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8}},
	}, func(schema.Chain) (driver.Chain, error) { return node, nil })
	for height, count := range []int{1000, 200} {
		block := &schema.ChainBlock{Chain: h.chain.ID, Height: uint64(height + 1), Parent: node.at.Hash, Hash: schema.Digest{byte(height + 1)}}
		for i := range count {
			block.Receipts = append(block.Receipts, schema.Receipt{ID: fmt.Sprintf("%d-%d:0", height, i), Asset: h.native, Amount: fixed.FromInt(1), Own: schema.Hot})
		}
		h.do(block)
		node.at = driver.Point{Height: block.Height, Hash: block.Hash}
		for busy := true; busy; {
			h.do(&schema.Tick{})
			h.node.Read(func(m core.View) { busy = m.Chains().Standing(h.chain.ID).Busy })
		}
	}
	for i, want := range []int{500, 1000, 1200, 1700, 2200, 2400} {
		h.step()
		if node.asked != want {
			t.Fatalf("after step %d %d coins were asked for, want %d", i+1, node.asked, want)
		}
		switch a := h.link.Audited(); {
		case i < 2 && a.Assets != nil:
			t.Errorf("after step %d the audit is %+v", i+1, a)
		case i >= 2 && (a.Assets[0].Books != fixed.FromInt(1200) || a.Assets[0].Chain != fixed.FromInt(1200)):
			t.Errorf("after step %d the audit is %+v", i+1, a)
		}
	}
	// One that is gone is said as soon as it is missed, and until a whole audit misses none.
	node.short = "0-700:0"
	h.step()
	if err := h.try(); err == nil || h.link.Audited().Assets[0].Less != fixed.FromInt(1) {
		t.Errorf("%v, %+v", err, h.link.Audited())
	}
	node.short = ""
	for range 2 {
		if err := h.try(); err == nil {
			t.Error("half an audit is enough")
		}
	}
	h.step()
	h.audit()
}
