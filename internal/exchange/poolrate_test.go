package exchange

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestTheChainSaysWhatABlockIsWorth: once a day, in steps that are not too large, to a pool that pays the chain's own coin.
func TestTheChainSaysWhatABlockIsWorth(t *testing.T) {
	ctx := t.Context()
	v := newVenue(t, nil)
	chain := v.chain("BTC", schema.BitcoinNode, schema.Mainnet)
	toy, coin := v.asset("TOY", 7, 0), v.asset("BTC", 7, chain)

	const evening = 20_000*24*3600*schema.Second + 22*3600*schema.Second
	now := schema.Time(evening)
	asked, worth, fails := 0, uint64(0), error(nil)
	r := &rater{desk: poolDesk{v.node, func() schema.Time { return now }}, chain: chain, worth: func(context.Context) (uint64, error) {
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
		v.node.Read(func(m core.View) { _, rate = m.Mining().Terms() })
		if rate.String() != wantRate || wait != wantWait || (err == nil) != (wantError == "") || err != nil && !strings.Contains(err.Error(), wantError) {
			t.Errorf("%s: %s, %v, %v; want %s, %v, %q", what, rate, wait, err, wantRate, wantWait, wantError)
		}
	}
	step("no pool", 3_1250_0000, "0", time.Minute, "")
	v.do(&schema.SetPool{Terms: poolTerms(toy)})
	v.do(&schema.SetPoolRate{Rate: fixed.MustParse("3")})
	step("an asset of another kind", 3_1250_0000, "3", time.Minute, "")
	if asked != 0 {
		t.Errorf("the chain was asked %d times", asked)
	}
	v.do(&schema.SetPool{Terms: poolTerms(coin)})
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
	v := newVenue(t, nil)
	chain := v.chain("BTC", schema.BitcoinNode, schema.Mainnet)
	v.do(&schema.SetPool{Terms: poolTerms(v.asset("BTC", 8, chain))})
	v.do(&schema.SetPoolRate{Rate: fixed.FromInt(3)})
	synctest.Test(t, func(t *testing.T) { // whose clock begins at midnight
		var log bytes.Buffer
		begin, asked, answers := time.Now(), make(chan time.Duration), make(chan error)
		r := startRater(&rater{
			desk:  poolDesk{v.node, func() schema.Time { return schema.Time(time.Now().UnixMicro()) }},
			chain: chain, log: slog.New(slog.NewTextHandler(&log, nil)),
			worth: func(context.Context) (uint64, error) {
				asked <- time.Since(begin)
				return 3_0000_0000, <-answers
			},
		})
		const day = 24 * time.Hour
		asleep := errors.New("the node sleeps")
		for _, turn := range []struct {
			at     time.Duration
			answer error
		}{{0, nil}, {day, asleep}, {day + time.Minute, asleep}, {day + 2*time.Minute, nil}, {2 * day, nil}} {
			if at := <-asked; at != turn.at {
				t.Errorf("asked after %v, want %v", at, turn.at)
			}
			answers <- turn.answer
		}
		r.close()
		if got := log.String(); strings.Count(got, "the node sleeps") != 1 {
			t.Errorf("the log says %s", got)
		}
	})
}
