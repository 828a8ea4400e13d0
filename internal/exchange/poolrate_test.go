package exchange

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// TestTheChainSaysWhatABlockIsWorth: once a day, in steps that are not too large, to a pool that pays the chain's own coin.
func TestTheChainSaysWhatABlockIsWorth(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := node.Open(ctx, node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	do := func(c schema.Command) (r schema.Result) {
		t.Helper()
		if err := n.SubmitFrom(ctx, schema.Origin{Operator: "carl"}, c, &r); err != nil || r.Rejection.Refused() {
			t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
		}
		return r
	}
	chain := schema.ChainID(do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Mainnet}}).ID)
	asset := func(ticker string, id schema.AssetID, networks ...schema.Network) {
		do(&schema.SetAsset{Asset: schema.Asset{ID: id, Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 7, CanDeposit: true, Networks: networks}})
	}
	asset("TOY", 0)
	asset("BTC", 0, schema.Network{Name: "BTC", Chain: chain, Decimals: 8, CanDeposit: true, ConfirmationsForTrading: 1, Confirmations: 1})

	const evening = 20_000*24*3600*schema.Second + 22*3600*schema.Second
	now := schema.Time(evening)
	asked, worth, fails := 0, uint64(0), error(nil)
	r := &rater{desk: poolDesk{n, func() schema.Time { return now }}, chain: chain, worth: func(context.Context) (uint64, error) {
		asked++
		return worth, fails
	}}
	log := bytes.Buffer{}
	r.log = slog.New(slog.NewTextHandler(&log, nil))
	step := func(what string, says uint64, wantRate string, wantWait time.Duration, wantError string) {
		t.Helper()
		worth = says
		wait, err := r.once(ctx)
		var rate fixed.Decimal
		n.Read(func(m core.View) { _, rate = m.Mining().Terms() })
		if rate.String() != wantRate || wait != wantWait || (err == nil) != (wantError == "") || err != nil && !strings.Contains(err.Error(), wantError) {
			t.Errorf("%s: %s, %v, %v; want %s, %v, %q", what, rate, wait, err, wantRate, wantWait, wantError)
		}
	}
	step("no pool", 3_1250_0000, "0", time.Minute, "")
	terms := schema.PoolTerms{Open: true, Asset: 1, Least: fixed.FromInt(1), Accounts: 1, Links: 1}
	do(&schema.SetPool{Terms: terms})
	do(&schema.SetPoolRate{Rate: fixed.MustParse("3")})
	step("an asset of another kind", 3_1250_0000, "3", time.Minute, "")
	if asked != 0 {
		t.Errorf("the chain was asked %d times", asked)
	}
	terms.Asset = 2
	do(&schema.SetPool{Terms: terms})
	step("more than before, rounded down", 3_1250_0019, "3.1250001", 2*time.Hour, "")
	now += 2*3600*schema.Second + 1
	step("the same", 3_1250_0010, "3.1250001", 24*time.Hour-time.Microsecond, "")
	step("half as much", 1_5625_0010, "1.5625001", 24*time.Hour-time.Microsecond, "")
	step("a step that is too large", 7812_5000, "1.5625001", 24*time.Hour-time.Microsecond, "'bourse operator pool rate 0.78125'")
	step("nothing", 0, "1.5625001", 24*time.Hour-time.Microsecond, "a block is worth 0 by the chain: What a block is worth is above zero")
	fails = errors.New("the node sleeps")
	step("no answer", 0, "1.5625001", time.Minute, "the node sleeps")
	if got := log.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "from=3 to=3.1250001") || !strings.Contains(got, "from=3.1250001 to=1.5625001") {
		t.Errorf("the log says %s", got)
	}
}

// TestTheRaterComesBack a minute after a failure, which it logs once, and at midnight.
func TestTheRaterComesBack(t *testing.T) {
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	do := func(c schema.Command) (r schema.Result) {
		t.Helper()
		if err := n.SubmitFrom(t.Context(), schema.Origin{Operator: "carl"}, c, &r); err != nil || r.Rejection.Refused() {
			t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
		}
		return r
	}
	chain := schema.ChainID(do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Mainnet}}).ID)
	do(&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, Networks: []schema.Network{
		{Name: "BTC", Chain: chain, Decimals: 8, CanDeposit: true, ConfirmationsForTrading: 1, Confirmations: 1},
	}}})
	do(&schema.SetPool{Terms: schema.PoolTerms{Open: true, Asset: 1, Least: fixed.FromInt(1), Accounts: 1, Links: 1}})
	do(&schema.SetPoolRate{Rate: fixed.FromInt(3)})
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var asked atomic.Int64
		var sleeps atomic.Bool
		r := &rater{
			desk:  poolDesk{n, func() schema.Time { return schema.Time(time.Now().UnixMicro()) }},
			chain: chain, log: slog.New(slog.NewTextHandler(&log, nil)),
			worth: func(context.Context) (uint64, error) {
				asked.Add(1)
				if sleeps.Load() {
					return 0, errors.New("the node sleeps")
				}
				return 3_0000_0000, nil
			},
		}
		wait := func(d time.Duration, want int64) {
			t.Helper()
			time.Sleep(d) // of the test's own clock, which begins at midnight
			synctest.Wait()
			if asked := asked.Load(); asked != want {
				t.Errorf("asked %d times, want %d", asked, want)
			}
		}
		startRater(r)
		wait(0, 1)
		wait(24*time.Hour-1, 1)
		sleeps.Store(true)
		wait(1, 2)
		wait(time.Minute, 3)
		sleeps.Store(false)
		wait(time.Minute, 4)
		wait(time.Hour, 4)
		wait(23*time.Hour, 5)
		r.close()
		if got := log.String(); strings.Count(got, "the node sleeps") != 1 {
			t.Errorf("the log says %s", got)
		}
	})
}
