package network_test

import (
	"context"
	"math/big"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// mines is a chain on which one block pays its miner's reward, and a transaction, to an address of ours.
type mines struct {
	driver.Chain
	tip, pays uint64
	to        string
}

func (c *mines) point(height uint64) driver.Point {
	return driver.Point{Height: height, Hash: schema.Digest{byte(height), byte(height >> 8), 31: 1}}
}

func (c *mines) Check(context.Context) error               { return nil }
func (c *mines) Tip(context.Context) (driver.Point, error) { return c.point(c.tip), nil }
func (c *mines) Key(address string) ([]byte, error)        { return []byte(address)[:20], nil }

func (c *mines) Holds(_ context.Context, _ driver.Point, h driver.Holding) (fixed.Decimal, error) {
	if h.ID == "reward:0" {
		return fixed.MustParse("0.000003"), nil
	}
	return fixed.MustParse("0.000002"), nil
}

func (c *mines) At(_ context.Context, height uint64) (driver.Point, bool, error) {
	return c.point(height), height <= c.tip, nil
}

func (c *mines) Block(_ context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	b := &driver.Block{Point: at, Parent: c.point(at.Height - 1).Hash}
	if at.Height != c.pays {
		return b, nil
	}
	key, _ := c.Key(c.to)
	place, _ := ours.Place(key)
	for id, units := range map[string]int64{"reward": 300, "payment": 200} {
		b.Receipts = append(b.Receipts, driver.Receipt{ID: id + ":0", Tx: id, Place: place, Text: c.to, Units: big.NewInt(units), Coinbase: id == "reward"})
	}
	return b, nil
}

// TestRewardsAreSeenWhenTheyCanBeSpent: a hundred blocks later than what else their block pays.
func TestRewardsAreSeenWhenTheyCanBeSpent(t *testing.T) {
	t.Parallel()
	c := &mines{tip: 200}
	h := found(t, schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}, schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true,
		Networks: []schema.Network{{Name: "BTC", CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8}},
	}, func(schema.Chain) (driver.Chain, error) { return c, nil })
	h.step()
	c.to = h.address()
	c.pays, c.tip = 201, 299
	h.step()
	h.step()
	h.wants(h.native, "0.000002", "0", "0")
	c.tip = 300
	h.step()
	h.wants(h.native, "0.000005", "0", "0")
	var reward schema.ChainDeposit
	h.node.Read(func(m core.View) { reward, _ = m.Chains().Deposit(2) })
	if reward.Receipt != "reward:0" || reward.Height != 300 {
		t.Errorf("%+v", reward)
	}
}
