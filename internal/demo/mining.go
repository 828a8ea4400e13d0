package demo

import (
	"context"
	"fmt"
	"log/slog"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/miner"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// The mining account of the demo, which is that of the visitor who may use the pool, and the chain that is mined.
const (
	miningName  = "demo"
	miningAsset = "BTC"
	MinedChain  = "BTC"
)

// minedAtOnce is how many hashes the demo's miner tries in a second: a block of the sandbox in half an hour, and a small part of a processor.
const minedAtOnce = 40_000

// What a block is worth to the pool, and what the pool has at each start.
var (
	blockWorth = fixed.FromUnits(1, 4)
	poolMoney  = fixed.FromInt(1)
)

// openPool opens the mining pool and the account of the visitor who may use it, where that was not done. Where there is no sandbox to be mined, nobody mines.
func openPool(ctx context.Context, n *node.Node, visitors []identity) (mines bool, err error) {
	var todo []schema.Command
	n.Read(func(m core.View) {
		chain, asset := m.Chains().ByName(MinedChain), m.Listing().AssetByTicker(miningAsset)
		var owner *schema.Account
		for _, v := range visitors {
			if a := m.Accounts().ByName(v.Name); a != nil && a.Mining {
				owner = a
			}
		}
		if chain == nil || chain.Driver != schema.Sandbox || asset == nil || owner == nil {
			return
		}
		mines = true
		terms, rate := m.Mining().Terms()
		if terms.Asset == 0 {
			todo = append(todo, &schema.SetPool{Terms: schema.PoolTerms{
				Open: true, Asset: asset.ID, Chain: chain.ID, Unit: 16, Fee: fixed.FromUnits(2, 2), Least: fixed.FromUnits(1, 3), Accounts: 10, Links: 10,
			}})
		}
		if rate.IsZero() {
			todo = append(todo, &schema.SetPoolRate{Rate: blockWorth})
		}
		if _, there := m.Mining().Named(miningName); !there {
			todo = append(todo, &schema.OpenMining{Account: owner.ID, Name: miningName})
		}
		if has, _, _ := m.Balance(schema.Pool, schema.Main, asset.ID); has.Cmp(poolMoney) < 0 {
			todo = append(todo, &schema.FundSystem{Account: schema.Pool, Asset: asset.ID, Amount: poolMoney.Sub(has)})
		}
	})
	for _, c := range todo {
		var result schema.Result
		if err := n.SubmitFrom(ctx, schema.Origin{Operator: setup.Operator}, c, &result); err != nil {
			return false, err
		}
		if r := result.Rejection; r.Refused() {
			return false, fmt.Errorf("the mining pool: %s", r.Text())
		}
	}
	return mines, nil
}

// Mines reports whether the demo has a chain that is mined.
func (w *World) Mines() bool { return w.mines }

// Mine mines at a pool until the context ends, with a thread that takes what others leave of the processor.
func (w *World) Mine(ctx context.Context, pool string, log *slog.Logger) error {
	m, err := miner.New(miner.Options{URL: pool, User: miningName + ".house", Password: "x", Threads: 1, Rate: minedAtOnce, Low: true, Log: log})
	if err != nil {
		return err
	}
	m.Run(ctx)
	return nil
}
