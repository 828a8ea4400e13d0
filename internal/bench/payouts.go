package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/network"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/node"
	"bourse/internal/schema"
)

const (
	payoutBatches  = 100
	payoutAccounts = 20 // each may have a thousand withdrawals under way
)

// offline is a chain of Bitcoin whose node always agrees: what is measured is what the exchange does.
type offline struct {
	*bitcoin.Chain
	at    driver.Point
	coins map[string]fixed.Decimal
}

func (o *offline) Check(context.Context) error               { return nil }
func (o *offline) Tip(context.Context) (driver.Point, error) { return o.at, nil }
func (o *offline) FeeRate(context.Context) (uint64, error)   { return 5, nil }
func (o *offline) Send(context.Context, []byte) (driver.Fate, error) {
	return driver.Accepted, nil
}

func (o *offline) At(context.Context, uint64) (driver.Point, bool, error) { return o.at, true, nil }

func (o *offline) Holds(_ context.Context, _ driver.Point, h driver.Holding) (fixed.Decimal, error) {
	return o.coins[h.ID], nil
}

// payouts plans, logs and signs batches of a hundred withdrawals each on Bitcoin, through a node whose log is on disk. How many batches
// may be under way is not bounded here.
func payouts(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench-payouts-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		return err
	}
	defer n.Close()
	link, err := payoutWorld(n, dir)
	if err != nil {
		return err
	}
	began := time.Now()
	for range payoutBatches {
		if err := link.Step(context.Background()); err != nil {
			return err
		}
	}
	took := time.Since(began)
	sent := 0
	n.Read(func(m core.View) {
		for p := range m.Chains().Payouts(1) {
			if p.Status == schema.PayoutSent {
				sent += len(p.Withdrawals)
			}
		}
		err = m.Verify()
	})
	if want := payoutBatches * schema.MaxPaid; err == nil && sent != want {
		err = fmt.Errorf("%d withdrawals are signed, want %d", sent, want)
	}
	if err != nil {
		return err
	}
	r.add(Result{Name: "wallet.payouts", Value: float64(sent) / took.Seconds(), Unit: "withdrawals/s"})
	return nil
}

// payoutWorld lists Bitcoin, gives accounts coins and lets them withdraw.
func payoutWorld(n *node.Node, dir string) (*network.Link, error) {
	do := func(c schema.Command) (schema.Result, error) {
		var result schema.Result
		err := n.Submit(context.Background(), c, &result)
		if err == nil && result.Rejection.Refused() {
			err = fmt.Errorf("%T: %s", c, result.Rejection.Text())
		}
		return result, err
	}
	chain := schema.Chain{ID: 1, Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}
	seed, err := custody.Create(dir, n.Key())
	if err != nil {
		return nil, err
	}
	public, err := seed.Public(chain.Space())
	if err != nil {
		return nil, err
	}
	network1 := schema.Network{Name: "BTC", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8}
	settings := []schema.Command{
		&schema.SetChain{Chain: chain}, &schema.SetKeys{Keys: public.Seal(n.Key())},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "BTC", Name: "Bitcoin", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{network1},
		}},
	}
	for i := range payoutAccounts {
		settings = append(settings, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("saver%d", i), Region: schema.Global}},
			&schema.OpenAddress{Account: schema.FirstCustomer + schema.AccountID(i), Chain: 1})
	}
	block := &schema.ChainBlock{Chain: 1, Height: 1, Hash: schema.SandboxBlock("BTC", 1, 1)}
	d := &offline{at: driver.Point{Height: 1, Hash: block.Hash}, coins: map[string]fixed.Decimal{}}
	if d.Chain, err = bitcoin.Dial("http://127.0.0.1:1", chain); err != nil {
		return nil, err
	}
	for i := range 2 * payoutBatches {
		at := schema.AddressIndex(1 + i%payoutAccounts)
		text, _, err := public.Address(driver.Place{Index: at, Type: schema.Bech32})
		if err != nil {
			return nil, err
		}
		receipt := schema.Receipt{ID: fmt.Sprintf("%064x:0", i+1), Asset: 1, Amount: fixed.FromInt(2), Index: at, Text: text}
		d.coins[receipt.ID] = receipt.Amount
		block.Receipts = append(block.Receipts, receipt)
	}
	settings = append(settings, block)
	elsewhere, _, err := public.Address(driver.Place{Index: 1 << 20, Type: schema.Bech32})
	if err != nil {
		return nil, err
	}
	for i := range payoutBatches * schema.MaxPaid {
		settings = append(settings, &schema.RequestWithdrawal{
			Account: schema.FirstCustomer + schema.AccountID(i%payoutAccounts), Asset: 1, Chain: 1, Amount: fixed.FromUnits(int64(1_000_000+i), 8), Pay: true,
			Address: elsewhere, Unique: fmt.Sprint(i),
		})
	}
	for _, c := range settings {
		if _, err := do(c); err != nil {
			return nil, err
		}
	}
	return network.OpenLink(network.LinkOptions{
		Node: n, Chain: "BTC", Driver: d, Signer: custody.NewHot(seed), Batch: time.Nanosecond, Audit: time.Hour, Bump: 1 << 40, Flight: payoutBatches + 1,
	})
}
