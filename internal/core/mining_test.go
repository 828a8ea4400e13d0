package core

import (
	"testing"

	"bourse/internal/schema"
)

// dig is an exchange with a pool of coins, which leave by a sandbox for a fee. Every command happens to a machine that was restored as well.
type dig struct {
	t   *testing.T
	m   *Machine
	now schema.Time
}

const (
	dugCoin    schema.AssetID = 1
	digger                    = schema.FirstCustomer
	diggersSub                = digger + 1
)

func newDig(t *testing.T) *dig {
	x := &dig{t, NewExchange(), start - start%(24*3600*schema.Second) + 3600*schema.Second}
	network := schema.Network{
		Name: "MAIN", Chain: 1, CanDeposit: true, CanWithdraw: true, WithdrawFixed: d("1"), ConfirmationsForTrading: 1, Confirmations: 2,
	}
	x.operator(&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Testnet}})
	x.operator(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{network},
	}})
	x.operator(&schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	x.operator(&schema.SetSub{Master: digger, External: "s", Alias: "s", ShareKYC: true, Active: true})
	x.operator(&schema.SetPool{Terms: schema.PoolTerms{Open: true, Asset: dugCoin, Chain: 1, Fee: d("0.01"), Least: d("1"), Accounts: 10, Links: 10}})
	x.operator(&schema.SetPoolRate{Rate: d("50")})
	x.do(&schema.LeasePool{}, schema.OK)
	return x
}

func (x *dig) apply(from schema.Origin, c schema.Command, want schema.Reason) *schema.Outcome {
	x.t.Helper()
	twin, err := Restore(x.m.Snapshot())
	if err != nil {
		x.t.Fatal(err)
	}
	out := x.m.ApplyFrom(x.now, from, c)
	if out.Result.Rejection.Reason != want {
		x.t.Fatalf("%T %+v: %s", c, c, out.Result.Rejection.Text())
	}
	twin.ApplyFrom(x.now, from, c)
	if twin.Hash() != x.m.Hash() {
		x.t.Fatalf("%T: another state after a restore", c)
	}
	if err := x.m.Verify(); err != nil {
		x.t.Fatal(err)
	}
	return out
}

func (x *dig) do(c schema.Command, want schema.Reason) *schema.Outcome {
	x.t.Helper()
	return x.apply(schema.Origin{}, c, want)
}

func (x *dig) operator(c schema.Command) {
	x.t.Helper()
	x.apply(schema.Origin{Operator: "oscar"}, c, schema.OK)
}

// tick lets time pass.
func (x *dig) tick(after schema.Time) *schema.Outcome {
	x.t.Helper()
	x.now += after
	return x.do(&schema.Tick{}, schema.OK)
}

// TestMiningRewardsThroughTheMachine: an operator fills the pool, rewards leave for an address without a fee, webhooks and the pool both hear of it.
func TestMiningRewardsThroughTheMachine(t *testing.T) {
	x := newDig(t)
	const day = 24 * 3600 * schema.Second
	x.operator(&schema.FundSystem{Account: schema.Pool, Asset: dugCoin, Amount: d("70")})
	x.do(&schema.SetWebhook{Account: digger, URL: "https://one.example/hook", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte("s")}, schema.OK)
	x.operator(&schema.VerifyWebhook{Account: digger, Host: "one.example", Key: "key"})
	x.do(&schema.OpenMining{Account: digger, Name: "rig"}, schema.OK)
	x.do(&schema.OpenMining{Account: diggersSub, Name: "attic"}, schema.OK)
	x.do(&schema.SetMiningPayout{Account: digger, Mining: 1, External: true, Address: "elsewhere"}, schema.OK)
	x.do(&schema.ReportShares{Lease: 1, Seq: 1, Shares: []schema.Shares{{Mining: 1, Bits: 0x1d00ffff, Work: 1}, {Mining: 2, Bits: 0x1d00ffff, Work: 1}}}, schema.OK)
	// What is in the pool may be taken out, and what is not cannot be.
	if r := x.apply(schema.Origin{Operator: "oscar"}, &schema.FundSystem{Account: schema.Pool, Asset: dugCoin, Amount: d("-70.1")}, schema.MoveNotCovered).Result.Rejection; r.Value != d("70") {
		t.Errorf("%s may be taken out", r.Value)
	}
	x.tick(day)
	if w, _ := x.m.Chains().Withdrawal(1); w.Amount != d("49.5") || !w.Fee.IsZero() || w.Status != schema.WithdrawalQueued {
		t.Errorf("%+v", w)
	}
	// The second reward stands in the queue: what is left is less.
	if available, frozen, _ := x.m.Balance(schema.Pool, schema.Main, dugCoin); available != d("20.5") || !frozen.IsZero() {
		t.Errorf("the pool has %s and %s frozen", available, frozen)
	}
	if _, running := x.m.NextTimer(); running {
		t.Error("a timer runs for a payment that cannot be made")
	}
	x.operator(&schema.FundSystem{Account: schema.Pool, Asset: dugCoin, Amount: d("29")})
	if at, running := x.m.NextTimer(); !running || at != x.now+1 {
		t.Errorf("the next timer is at %d %t, now is %d", at, running, x.now)
	}
	x.tick(1)
	if available, _, _ := x.m.Balance(diggersSub, schema.Main, dugCoin); available != d("49.5") {
		t.Errorf("the sub-account has %s", available)
	}
	out := x.do(&schema.MineSandbox{Chain: 1, Blocks: 2}, schema.OK)
	var notified, successful bool
	for e := range out.Events.All() {
		switch e := e.(type) {
		case *schema.Notified:
			notified = notified || e.Type == schema.WithdrawSuccessful
		case *schema.RewardChanged:
			successful = e.Reward.Status == schema.RewardSuccessful && e.Reward.Tx == schema.SandboxPayout("PLAY", 1)
		}
	}
	if !notified || !successful {
		t.Errorf("a webhook heard of it: %t, and the pool: %t", notified, successful)
	}
	if n, sum := x.m.Mining().Pending(); n != 0 || !sum.IsZero() {
		t.Errorf("%d of %s are pending", n, sum)
	}
}

// TestMiningAccountsHoldTheirCustomer: an account with a mining account cannot be deleted.
func TestMiningAccountsHoldTheirCustomer(t *testing.T) {
	x := newDig(t)
	x.do(&schema.OpenMining{Account: diggersSub, Name: "attic"}, schema.OK)
	x.do(&schema.DeleteSub{Master: digger, Sub: diggersSub}, schema.SubNotEmpty)
}
