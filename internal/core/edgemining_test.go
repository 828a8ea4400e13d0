package core

import (
	"math"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// minePit is a mining pool in which everything is said by hand, on both machines: it pays WEI of 18 decimals, or bitcoins, by a sandbox, without a fee.
type minePit struct {
	*testing.T
	*trial
	now schema.Time
	seq uint64
}

const (
	minedWEI schema.AssetID = iota + 1
	minedBTC
)

func newMinePit(t *testing.T) *minePit {
	p := &minePit{T: t, trial: newTrial(slice), now: start - start%aDay + 10*anHour}
	for _, birth := range schema.BirthFeatures() {
		p.send(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	p.send(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	for i, ticker := range []string{"WEI", "BTC"} {
		places := [...]uint8{18, 8}[i]
		p.send(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: places, Precision: places, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{
			{Name: "sand", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 1, ConfirmationsForTrading: 1},
		}}})
		p.send(&schema.FundSystem{Account: schema.Pool, Asset: schema.AssetID(1 + i), Amount: fixed.FromInt(5_000_000)})
	}
	p.send(&schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	p.terms(minedWEI, "1")
	p.rate("4")
	p.send(&schema.OpenMining{Account: schema.FirstCustomer, Name: "anna"})
	p.send(&schema.OpenMining{Account: schema.FirstCustomer, Name: "other"})
	p.send(&schema.LeasePool{})
	return p
}

// try applies a command on all machines, and compares everything.
func (p *minePit) try(from schema.Origin, cmd schema.Command) schema.Reason {
	p.Helper()
	if err := p.apply(moment{at: p.now, cmd: cmd, from: from}); err != nil {
		p.Fatalf("%T %+v: %v", cmd, cmd, err)
	}
	p.now++
	return p.answer.Rejection.Reason
}

// send wants a command to be accepted.
func (p *minePit) send(cmd schema.Command) {
	p.Helper()
	p.want(schema.OK, cmd)
}

func (p *minePit) want(want schema.Reason, cmd schema.Command) {
	p.Helper()
	if got := p.try(schema.Origin{}, cmd); got != want {
		p.Errorf("%T %+v: %s, want %s", cmd, cmd, got, want)
	}
}

func (p *minePit) terms(asset schema.AssetID, least string) {
	p.Helper()
	p.send(&schema.SetPool{Terms: schema.PoolTerms{Open: true, Asset: asset, Chain: 1, Least: fixed.MustParse(least), Accounts: 3, Links: 1}})
}

func (p *minePit) rate(rate string) {
	p.Helper()
	if got := p.try(schema.Origin{Operator: "olga"}, &schema.SetPoolRate{Rate: fixed.MustParse(rate)}); got != schema.OK {
		p.Errorf("a rate of %s: %s", rate, got)
	}
}

func (p *minePit) report(want schema.Reason, rows ...schema.Shares) {
	p.Helper()
	p.want(want, &schema.ReportShares{Lease: 1, Seq: p.seq + 1, Shares: rows})
	if want == schema.OK {
		p.seq++
	}
}

func (p *minePit) external(id schema.MiningID) {
	p.Helper()
	p.send(&schema.SetMiningPayout{Account: schema.FirstCustomer, Mining: id, External: true, Address: "r"})
}

// midnight lets a tick happen with which the next day begins.
func (p *minePit) midnight() {
	p.Helper()
	p.now += aDay - p.now%aDay
	p.send(&schema.Tick{})
}

// amounts compares what was earned.
func (p *minePit) amounts(want ...string) {
	p.Helper()
	var got []string
	for _, r := range p.slow.Rewards() {
		got = append(got, r.Amount.String())
	}
	if !slices.Equal(got, want) {
		p.Errorf("the rewards are %q, want %q", got, want)
	}
}

// TestADayOfAMillion: 250000 at difficulty 1 are a million. Less than a unit more is not yet more.
func TestADayOfAMillion(t *testing.T) {
	for _, asset := range []schema.AssetID{minedWEI, minedBTC} {
		p := newMinePit(t)
		p.terms(asset, "1")
		p.report(schema.PoolReportInvalid, schema.Shares{Mining: 1, Bits: mineBits[0], Work: 250_001})
		p.report(schema.OK, schema.Shares{Mining: 1, Bits: mineBits[0], Work: 250_000}, schema.Shares{Mining: 2, Bits: mineBits[0], Work: 1})
		p.report(schema.OK, schema.Shares{Mining: 1, Bits: 0x03000001, Work: math.MaxUint64})
		p.send(&schema.BarMining{Mining: 1, Barred: true})
		p.report(schema.PoolReportInvalid, schema.Shares{Mining: 1, Bits: mineBits[1], Work: 1})
		p.midnight()
		p.amounts("1000000", "4")
	}
}

// TestARateStaysWhenTheAssetChanges, so that terms cannot be new while the rate has decimals with which their asset does not move.
func TestARateStaysWhenTheAssetChanges(t *testing.T) {
	p := newMinePit(t)
	p.rate("0.000000015")
	p.want(schema.PoolInvalid, &schema.SetPool{Terms: schema.PoolTerms{Asset: minedBTC, Least: fixed.One, Accounts: 3, Links: 1}})
	p.rate("0.00000015")
	p.terms(minedBTC, "1")
	a := p.slow.Assets()[minedBTC-1]
	a.Precision = 2
	p.send(&schema.SetAsset{Asset: a})
	p.want(schema.PoolInvalid, &schema.SetPool{Terms: schema.PoolTerms{Asset: minedBTC, Least: fixed.One, Accounts: 3, Links: 1}})
	p.report(schema.OK, schema.Shares{Mining: 1, Bits: mineBits[0], Work: 2})
	p.midnight()
	p.amounts("0.0000003")
}

// TestTheLeastChangesWhileRewardsWait: what became a payment stays one, and what did not waits for the next reward.
func TestTheLeastChangesWhileRewardsWait(t *testing.T) {
	row := func(id schema.MiningID) schema.Shares { return schema.Shares{Mining: id, Bits: mineBits[0], Work: 1} }
	for _, least := range []string{"1", "5"} {
		p := newMinePit(t)
		p.terms(minedBTC, least)
		p.external(1)
		p.report(schema.OK, row(1))
		p.midnight()
		p.terms(minedBTC, map[string]string{"1": "5", "5": "1"}[least])
		p.now += 11 * anHour
		p.send(&schema.Tick{})
		p.report(schema.OK, row(1))
		p.midnight()
		p.send(&schema.MineSandbox{Chain: 1, Blocks: 3})
		p.send(&schema.Tick{})
	}
}

// TestTheLast64LeasesLive, and the first of 65 does not.
func TestTheLast64LeasesLive(t *testing.T) {
	p := newMinePit(t)
	for range 63 {
		p.send(&schema.LeasePool{})
	}
	p.report(schema.OK)
	p.send(&schema.LeasePool{})
	p.report(schema.PoolLeaseUnknown)
	p.want(schema.OK, &schema.ReportShares{Lease: 2, Seq: 1})
}

// TestTheLast100BlocksAreKnown: a block that a hundred others came after is new again.
func TestTheLast100BlocksAreKnown(t *testing.T) {
	p := newMinePit(t)
	block := func(hash int) *schema.FoundBlock {
		return &schema.FoundBlock{Lease: 1, Block: schema.PoolBlock{Mining: 1, Worker: "w", Hash: digest(hash)}}
	}
	for i := range 100 {
		p.send(block(i))
	}
	p.want(schema.BlockKnown, block(0))
	p.send(block(100))
	p.send(block(0))
	p.want(schema.BlockKnown, block(2))
}

// TestAddressesAreLookedAtInTheOrderInWhichTheyCount, whatever their numbers are.
func TestAddressesAreLookedAtInTheOrderInWhichTheyCount(t *testing.T) {
	p := newMinePit(t)
	p.external(2)
	p.external(1)
	p.report(schema.OK, schema.Shares{Mining: 1, Bits: mineBits[0], Work: 1}, schema.Shares{Mining: 2, Bits: mineBits[0], Work: 1})
	p.midnight()
	p.now += 11 * anHour
	p.send(&schema.Tick{})
	if got := p.slow.Rewards(); got[0].Mining != 1 || got[0].Withdrawal != 2 || got[1].Withdrawal != 1 {
		t.Errorf("the rewards are %+v", got)
	}
}
