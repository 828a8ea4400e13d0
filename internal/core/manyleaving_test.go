package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowded sends commands to a trial of genesis where the third asset is USDT, an asset is worth one in the second, and the first and the second account
// may have addresses checked and be paid.
func crowded(t *testing.T) (tr *trial, send func(at schema.Time, want schema.Reason, cmd schema.Command)) {
	tr = newTrial(slice)
	send = func(at schema.Time, want schema.Reason, cmd schema.Command) {
		t.Helper()
		if err := sender(tr.apply).run(moment{at: at, cmd: cmd}); err != nil {
			t.Fatal(err)
		}
		if got := tr.answer.Rejection.Reason; got != want {
			t.Fatalf("%T %+v: %s, want %s", cmd, cmd, got, want)
		}
	}
	for _, cmd := range genesis() {
		switch c := cmd.(type) {
		case *schema.SetAsset:
			if c.Asset.Ticker == "CCC" {
				c.Asset.Ticker = schema.CheckTicker
			}
		case *schema.SetMarket:
			if c.Market.Quote == tetherN {
				c.Market.Name = c.Market.Name[:4] + schema.CheckTicker
			}
		case *schema.SetAccount:
			c.Account.Checker, c.Account.Partner = true, true
		}
		send(start, schema.OK, cmd)
	}
	return tr, send
}

// TestAsManyChecksAsThereMayBe: an account can have so many that run.
func TestAsManyChecksAsThereMayBe(t *testing.T) {
	const most = 100
	tr, send := crowded(t)
	check := func(account schema.AccountID) *schema.CheckAddress {
		return &schema.CheckAddress{Account: account, Asset: 1, Address: "a"}
	}
	for range most {
		send(start, schema.OK, check(101))
	}
	send(start, schema.ChecksTooMany, check(101))
	send(start+1, schema.OK, check(102))
	send(start+checkLasts-1, schema.OK, &schema.Tick{})
	send(start+checkLasts-1, schema.ChecksTooMany, check(101))
	send(start+checkLasts, schema.OK, &schema.Tick{})
	send(start+checkLasts, schema.OK, check(101))
	if next, _ := tr.slow.NextTimer(); next != start+1+checkLasts {
		t.Errorf("the next timer is at %d", next)
	}
	if fees, _, _ := tr.fast.Balance(schema.Fees, schema.Main, tetherN); fees != fixed.FromInt(2*most) {
		t.Errorf("checks cost %s", fees)
	}
}

// TestAsManyExpressesAsThereMayBe: a partner can wait for so many, and a tick forgets so many.
func TestAsManyExpressesAsThereMayBe(t *testing.T) {
	const most = 1000
	tr, send := crowded(t)
	request := func(account schema.AccountID, n int) *schema.RequestExpress {
		return &schema.RequestExpress{Account: account, Asset: 2, Amount: fixed.One, External: fmt.Sprint(n), Digest: codeDigest(n), Sealed: []byte(usualSealed)}
	}
	for n := range most {
		send(start, schema.OK, request(101, n+1))
	}
	send(start, schema.ExpressTooMany, request(101, most+1))
	send(start, schema.OK, request(102, most+1))
	send(start, schema.OK, &schema.PayExpress{Account: 103, Digest: codeDigest(7)})
	send(start, schema.OK, request(101, most+2)) // one that was paid leaves room
	send(start, schema.ExpressTooMany, request(101, most+3))
	send(start, schema.ExpressPaid, request(101, 7))
	send(start+expressLasts-1, schema.ExpressTooMany, request(101, most+3))
	send(start+expressLasts, schema.OK, &schema.Tick{})
	if next, _ := tr.slow.NextTimer(); next != start+expressLasts {
		t.Errorf("the next timer is at %d", next)
	}
	send(start+expressLasts+1, schema.OK, request(101, 1)) // one more is over, and counts no more before the next tick
	send(start+expressLasts+1, schema.OK, &schema.Tick{})
	if next, _ := tr.slow.NextTimer(); next != start+2*expressLasts+1 {
		t.Errorf("the next timer is at %d", next)
	}
	send(start+expressLasts+1, schema.OK, &schema.PayExpress{Account: 103, Digest: codeDigest(1)})
}
