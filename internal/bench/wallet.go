package bench

import (
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	depositAccounts = 100_000
	depositBlocks   = 60
)

// deposits takes blocks that are as full as a command may be, each deposit of another of many accounts. A block makes those of two
// earlier blocks tradable and final; ticks do what the command leaves. The figure is the time of a block with its ticks.
func deposits(r *report) error {
	m := core.NewExchange()
	at := schema.Time(schema.Second)
	apply := func(c schema.Command) error {
		at++
		if r := m.Apply(at, c).Result.Rejection; r.Refused() {
			return fmt.Errorf("%T: %s", c, r.Text())
		}
		return nil
	}
	network := schema.Network{Name: "BTC", Chain: 1, CanDeposit: true, ConfirmationsForTrading: 2, Confirmations: 3, Decimals: 8}
	settings := []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{network},
		}},
	}
	for i := range depositAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		settings = append(settings, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("saver%d", i), Region: schema.Global}},
			&schema.OpenAddress{Account: account, Chain: 1})
	}
	for _, c := range settings {
		if err := apply(c); err != nil {
			return err
		}
	}
	t := newTraffic(31)
	blocks := make([]schema.ChainBlock, depositBlocks)
	for i := range blocks {
		b := &blocks[i]
		*b = schema.ChainBlock{Chain: 1, Height: uint64(i + 1), Hash: schema.SandboxBlock("BTC", uint64(i+1), 1)}
		if i > 0 {
			b.Parent = blocks[i-1].Hash
		}
		for range schema.MaxReceipts {
			b.Receipts = append(b.Receipts, schema.Receipt{
				ID: fmt.Sprintf("%064x:%d", t.draw(1<<30), len(b.Receipts)+1000*i), Asset: 1, Amount: fixed.FromUnits(int64(1+t.draw(1_000_000)), 8),
				Index: schema.AddressIndex(1 + t.draw(depositAccounts)), Text: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
			})
		}
	}
	runtime.GC()
	var times, commands Latency
	for i := range blocks {
		total := time.Duration(0)
		for c := schema.Command(&blocks[i]); c != nil; {
			began := time.Now()
			if err := apply(c); err != nil {
				return err
			}
			took := time.Since(began)
			total += took
			commands.Add(took)
			c = nil
			if _, running := m.NextTimer(); running {
				c = &schema.Tick{}
			}
		}
		if i >= 2 { // the first make nothing due
			times.Add(total)
		}
	}
	if err := m.Verify(); err != nil {
		return err
	}
	result := Result{Name: "wallet.block", Unit: "ms"}
	times.fill(&result)
	result.Value = result.P50 / 1000
	r.add(result)
	longest := Result{Name: "wallet.block.command", Unit: "ms"}
	commands.fill(&longest)
	longest.Value = longest.Max / 1000
	r.add(longest)
	return nil
}
