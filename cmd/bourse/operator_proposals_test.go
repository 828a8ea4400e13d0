package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// guardedDesk is an exchange whose chain BTC is one of others and has begun: up to 10 COIN are withdrawn without approval.
func guardedDesk(t *testing.T) *desk {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: 100}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "COIN", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{
			{Name: "BTC", Chain: 1, Decimals: 8, Confirmations: 3, ConfirmationsForTrading: 3, ApproveAbove: fixed.FromInt(10)},
		}}},
		&schema.SetTier{Tier: schema.Tier{Number: 1, Day: fixed.FromInt(5), Month: fixed.FromInt(50)}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}},
		&schema.ChainBlock{Chain: 1, Height: 1, Hash: schema.Digest{1}},
	} {
		var r schema.Result
		if err := n.Submit(t.Context(), c, &r); err != nil || r.Rejection.Refused() {
			t.Fatal(err, r.Rejection.Text())
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	clients, url := serve(t, nil, "--data", dir)
	return &desk{t, url, clients, dir}
}

// TestOperatorProposals: what takes two operators says so and how it is approved; another one approves or cancels.
func TestOperatorProposals(t *testing.T) {
	d := guardedDesk(t)
	d.prints(d.do("proposals"), "nothing waits\n")
	d.do("token", "otto")
	otto := filepath.Join(d.data, "operators", "otto.token")
	asks := func(id string, setting bool, args ...string) {
		t.Helper()
		after := ""
		if setting {
			after = ", and it is done 24 hours after that"
		}
		d.prints(d.do(args...), "Nothing was done yet: it takes two operators: another one has to approve proposal "+id+after+
			".\n'bourse operator proposals' shows it; another operator says 'bourse operator proposal "+id+" approve'.\n")
	}
	asks("1", true, "assets", "networks", "set", "COIN", "BTC", "--approve-above", "20")
	asks("2", false, "deposit", "alice", "COIN", "11")
	asks("3", true, "chain", "fee-cap", "BTC", "0")
	asks("4", true, "tiers", "set", "1", "--day", "6", "--month", "50")
	d.same(d.json("assets", "networks", "set", "COIN", "BTC", "--approve-above", "15"),
		parsed(t, `{"proposal":5,"message":"it takes two operators: another one has to approve proposal 5, and it is done 24 hours after that"}`))
	d.do("deposit", "alice", "COIN", "10")

	list := d.json("proposals").([]any)
	d.same(any(list), d.get("proposals"))
	if len(list) != 4 {
		t.Fatalf("%v", list)
	}
	d.has(list[0], `{"proposal":2,"status":"asked","operator":"operator","approver":"","due":null,"what":"bring 11 COIN to alice","changes":[]}`)
	d.has(list[1], `{"proposal":3,"what":"chain BTC","changes":["fee_rate_max from 100 to 0"]}`)
	d.has(list[2], `{"proposal":4,"what":"tier 1","changes":["day from 5 to 6"]}`)
	d.has(list[3], `{"proposal":5,"what":"asset COIN","changes":["network BTC: approve_above from 10 to 15"]}`)
	if shown := d.do("proposals"); !strings.HasPrefix(shown, "proposal  created ") || !strings.Contains(shown, "network BTC: approve_above from 10 to 15") {
		t.Errorf("got\n%s", shown)
	}

	d.refuses(1, schema.Refuse(schema.ApprovedBefore).Text()+" (decision)", "proposal", "2", "approve")
	d.refuses(1, `there is no proposal "1"`, "proposal", "1", "approve")
	d.refuses(2, `<decision> must be one of "approve","cancel" but got "maybe"`, "proposal", "2", "maybe")
	decided := func(printed, status, approver, what string) {
		t.Helper()
		if field(printed, "status") != status || field(printed, "approver") != approver || field(printed, "what") != what {
			t.Errorf("got\n%s", printed)
		}
	}
	decided(d.do("--token-file", otto, "proposal", "2", "approve"), "done", "otto", "bring 11 COIN to alice")
	d.prints(d.do("balances", "alice"), "wallet  asset  available  frozen  held\nmain    COIN          21       0     0\n")
	before := time.Now()
	approved := d.do("--token-file", otto, "proposal", "5", "approve")
	decided(approved, "approved", "otto", "asset COIN")
	due, err := time.Parse(time.RFC3339, field(approved, "due"))
	if err != nil || due.Before(before.Add(24*time.Hour-time.Second)) || due.After(time.Now().Add(24*time.Hour+time.Second)) {
		t.Errorf("due %s, %v, want 24 hours after %s", due, err, before)
	}
	d.has(d.get("assets/COIN").(map[string]any)["networks"].([]any)[0], `{"approve_above":"10"}`)
	decided(d.do("proposal", "5", "cancel"), "canceled", "otto", "asset COIN")
	d.do("--token-file", otto, "proposal", "3", "cancel")
	d.do("tiers", "set", "1", "--day", "4", "--month", "50") // one operator may, and what was asked for about it is gone
	d.prints(d.do("proposals"), "nothing waits\n")
	d.do("deposit", "alice", "COIN", "12")
	if shown := d.do("audit", "--limit", "1"); !strings.Contains(shown, "proposal 6") || !strings.Contains(shown, "deposit") {
		t.Errorf("the audit says\n%s", shown)
	}
}
