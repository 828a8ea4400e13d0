package operator_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// propose lets otto ask for what takes two operators, on the chain of dig: a setting and money.
func (s *site) propose() {
	s.t.Helper()
	set := &schema.SetAsset{Asset: s.asset("COIN")}
	set.Asset.Networks = slices.Clone(set.Asset.Networks)
	set.Asset.Networks[0].ApproveAbove = fixed.FromInt(12)
	for _, c := range []schema.Command{set, &schema.Deposit{Account: s.account("bob").ID, Asset: set.Asset.ID, Amount: fixed.FromInt(11)}} {
		var result schema.Result
		if err := s.x.Node.SubmitFrom(context.Background(), schema.Origin{Operator: "otto"}, c, &result); err != nil || result.Proposal == 0 {
			s.t.Fatalf("%T: %s %v", c, result.Rejection.Text(), err)
		}
	}
}

const day = 24 * 3600 * schema.Second

// TestASettingTakesTwoOperators and a day: one asks, another approves, a restart changes nothing, and then it is so.
func TestASettingTakesTwoOperators(t *testing.T) {
	s := found(t)
	s.dig()
	otto := bearer(s.hire("otto"))
	s.ask("PATCH", "/v1/assets/COIN/networks/COIN", `{"approve_above":"12","hour_cap":"50"}`).is(202).
		has(`{"message":"it takes two operators: another one has to approve proposal 1, and it is done 24 hours after that","proposal":1}`)
	s.must("GET", "/v1/assets/COIN", "").has(`"10"`, "networks", 0, "approve_above")
	s.must("GET", "/v1/proposals", "").has(`[{"approver":"","changes":["network COIN: approve_above from 10 to 12","network COIN: hour_cap from 0 to 50"],` +
		`"created":"` + s.at() + `","due":null,"operator":"operator","proposal":1,"status":"asked","what":"asset COIN"}]`)
	s.ask("POST", "/v1/proposals/1/approve", "{}").is(422).has(text(schema.Refuse(schema.ApprovedBefore).Text()), "message")
	s.pass(schema.Second)
	approved := s.now.Load()
	due := text(s.clock().Add(24 * 3600 * 1e9).Format("2006-01-02T15:04:05Z"))
	s.send("POST", "/v1/proposals/1/approve", "{}", otto).is(200).has(`"approved"`, "status").has(`"otto"`, "approver").has(due, "due").has("1", "proposal")
	s.ask("POST", "/v1/proposals/1/approve", "{}").is(422)
	s.send("POST", "/v1/proposals/1/approve", "{}", otto).is(422).has(text(schema.Refuse(schema.ProposalDecided).Text()), "message")
	s.figures(`bourse_proposals{status="approved"} 1`, `bourse_proposals{status="asked"} 0`)

	s.close()
	s.open(nil)
	s.must("GET", "/v1/proposals", "").has(due, 0, "due").has(`"approved"`, 0, "status")
	s.pass(day - 1 - schema.Time(s.now.Load()-approved))
	s.must("GET", "/v1/assets/COIN", "").has(`"10"`, "networks", 0, "approve_above")
	s.close()
	s.open(nil)
	s.pass(1)
	s.must("GET", "/v1/assets/COIN", "").has(`"12"`, "networks", 0, "approve_above").has(`"50"`, "networks", 0, "hour_cap")
	s.must("GET", "/v1/proposals", "").has("[]")
	s.figures(`bourse_proposals{status="approved"} 0`)
	s.ask("POST", "/v1/proposals/1/cancel", "{}").is(404).has(`"there is no proposal \"1\""`, "message")
	s.caughtUp()
	if got := s.must("GET", "/v1/audit?limit=5", "").every("proposal"); got != "0 0 0 0 1" { // the first only waited
		t.Errorf("the audit says that %s wait", got)
	}
}

// figures holds some lines of the figures.
func (s *site) figures(lines ...string) {
	s.t.Helper()
	body := s.send("GET", "/metrics", "", nil).body
	for _, line := range lines {
		if !strings.Contains(body, "\n"+line+"\n") {
			s.t.Errorf("the figures lack %s", line)
		}
	}
}

// TestEachActThatTakesTwoOperatorsSaysSo, and shows what is asked for; what tightens is done at once.
func TestEachActThatTakesTwoOperatorsSaysSo(t *testing.T) {
	s := found(t)
	s.must("PUT", "/v1/tiers/3", `{"day":"5","month":"50"}`)
	s.submit(&schema.SetChain{Chain: schema.Chain{Name: "COINS", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: 100}})
	s.dig()
	s.must("PATCH", "/v1/chains/COINS", `{"fee_rate_max":90}`)
	s.must("PUT", "/v1/tiers/3", `{"day":"4","month":"50"}`)
	otto := bearer(s.hire("otto"))
	coins := s.chain("COINS").ID
	s.submit(&schema.OpenAddress{Account: s.account("alice").ID, Chain: coins})
	s.submit(&schema.ChainBlock{Chain: coins, Height: 2, Hash: schema.Digest{2}, Parent: schema.Digest{1}, Receipts: []schema.Receipt{
		{ID: "nobodys", Asset: s.asset("COIN").ID, Amount: fixed.FromInt(40), Own: schema.Hot},
	}})
	s.submit(&schema.ChainBlock{Chain: coins, Height: 3, Hash: schema.Digest{3}, Parent: schema.Digest{2}})
	for i, act := range []struct{ method, path, body, what, changes string }{
		{"PATCH", "/v1/chains/COINS", `{"fee_rate_max":0}`, "chain COINS", `["fee_rate_max from 90 to 0"]`},
		{"PUT", "/v1/tiers/3", `{"day":"6"}`, "tier 3", `["day from 4 to 6","month from 50 to 0"]`},
		{"PATCH", "/v1/assets/COIN/networks/COIN", `{"confirmations_for_trading":0,"approve_above":"11"}`, "", ""},
		{"POST", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"11","wallet":"trade"}`, "bring 11 COIN to bob", "[]"},
		{"POST", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"12","held":true}`, "bring 12 COIN to bob, held", "[]"},
		{"POST", "/v1/deposits/1/decision", `{"decision":"credit","account":"alice"}`, "credit deposit 1 of 40 COIN to alice", "[]"},
	} {
		if act.what == "" { // is refused for what one operator would be refused for
			s.ask(act.method, act.path, act.body).is(422)
			continue
		}
		r := s.ask(act.method, act.path, act.body).is(202)
		id := r.at("proposal")
		if strings.Contains(act.body, "trade") != strings.Contains(r.body, "the money will be in the main wallet") {
			t.Errorf("%d: %s", i, r.body)
		}
		list := s.must("GET", "/v1/proposals", "")
		last := strings.Count(list.body, `"proposal"`) - 1
		list.has(id, last, "proposal").has(text(act.what), last, "what").has(act.changes, last, "changes").has(`"asked"`, last, "status")
	}
	s.must("PATCH", "/v1/assets/COIN", `{"networks":[]}`) // needs one
	s.figures(`bourse_proposals{status="asked"} 5`)
	s.send("POST", "/v1/proposals/3/approve", "{}", otto).is(200).has(`"done"`, "status").has(`"otto"`, "approver")
	s.holds("bob", schema.Main, "COIN", "11 0 0")
	s.send("POST", "/v1/proposals/5/approve", "{}", otto).is(200).has(`"credit deposit 1 of 40 COIN to alice"`, "what")
	s.holds("alice", schema.Main, "COIN", "40 0 0")
	s.send("POST", "/v1/proposals/1/cancel", "{}", otto).is(200).has(`"canceled"`, "status").has(`"operator"`, "operator")
	s.must("PUT", "/v1/tiers/3", `{"day":"3","month":"50"}`) // what was asked for about it is gone
	if left := s.must("GET", "/v1/proposals", "").every("proposal"); left != "4" {
		t.Errorf("%s wait", left)
	}
	s.look(func(m core.View) {
		if len(m.Proposals()) != 1 {
			t.Errorf("%+v", m.Proposals())
		}
	})
}

// TestChangesOfNetworksAreSaid by their names: those that are new, changed and gone.
func TestChangesOfNetworksAreSaid(t *testing.T) {
	s := found(t)
	s.dig()
	s.ask("PATCH", "/v1/assets/COIN", `{"name":"Coins","networks":[{"name":"OTHER","chain":"COINS","decimals":8,"confirmations":1,"confirmations_for_trading":1,"approve_above":"20"}]}`).is(202)
	s.must("GET", "/v1/proposals", "").has(`["name from Coin to Coins","network OTHER is new","network OTHER: confirmations from 0 to 1",`+
		`"network OTHER: confirmations_for_trading from 0 to 1","network OTHER: chain from \"\" to COINS","network OTHER: approve_above from 0 to 20",`+
		`"network OTHER: decimals from 0 to 8","network COIN is removed"]`, 0, "changes")
}
