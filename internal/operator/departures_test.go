package operator_test

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// notNow is the refusal of a decision that does not fit.
var notNow = schema.Refuse(schema.WithdrawalDecided).Text()

// TestTwoOperatorsLetALargeWithdrawalGo: one of them twice is not enough; then a block pays it, and it is final when it is deep enough.
func TestTwoOperatorsLetALargeWithdrawalGo(t *testing.T) {
	s := found(t)
	s.leave()
	s.holds("alice", schema.Main, "USDT", "40024 36 0")
	otto := bearer(s.hire("otto"))
	s.must("POST", "/v1/withdrawals/3/decision", `{"decision":"approve"}`).has("1", "needed")
	s.ask("POST", "/v1/withdrawals/3/decision", `{"decision":"approve"}`).is(422).has(`"decision"`, "field").has(`"Another operator must approve it, too."`, "message")
	s.must("POST", "/v1/chains/ETH/blocks", `{}`).has(`[{"asset":"USDT","booked":"0","coins":"-4","cold":"0","difference":"-4","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/withdrawals", "").has(`"review"`, 0, "status").has(`"review"`, 1, "status").has(`"mined"`, 2, "status").has("1", 2, "confirmations").
		has(text(schema.SandboxPayout("ETH", 1)), 2, "tx")

	s.send("POST", "/v1/withdrawals/3/decision", `{"decision":"approve"}`, otto).is(200).has("0", "needed")
	s.must("GET", "/v1/withdrawals?status=queued", "").has("3", 0, "id").has(`"operator"`, 0, "approver")
	s.ask("POST", "/v1/withdrawals/1/decision", `{"decision":"cancel"}`).is(422).has(text(notNow), "message")
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":32}`).has(`[{"asset":"USDT","booked":"-24","coins":"-24","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/withdrawals?status=done", "").has("32", 0, "confirmations").has("33", 1, "confirmations")
	s.holds("alice", schema.Main, "USDT", "40024 10 0")
	s.must("GET", "/v1/accounts/custody/balances", "").has(`"24"`, 0, "available")
	s.must("GET", "/v1/accounts/fees/balances", "").has(`"2"`, 0, "available")
}

// TestAWithdrawalIsHeldBack: it waits frozen until it is released, is reviewed again then, and its account has the money back when it is
// canceled. Nothing is known of it after that.
func TestAWithdrawalIsHeldBack(t *testing.T) {
	s := found(t)
	s.leave()
	s.ask("POST", "/v1/withdrawals/1/decision", `{"decision":"hold"}`).is(422).has(`"decision"`, "field").
		has(text(`a decision is approve, cancel, freeze, release or sign, not "hold"`), "message")
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"freeze"}`).has("0", "needed")
	s.must("POST", "/v1/chains/ETH/blocks", `{}`)
	s.must("GET", "/v1/withdrawals?status=frozen", "").has("1", 0, "id").has("0", 0, "height")
	s.ask("POST", "/v1/withdrawals/1/decision", `{"decision":"approve"}`).is(422).has(text(notNow), "message")
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"release"}`).has("1", "needed")
	s.must("GET", "/v1/withdrawals?status=review", "").has("1", 2, "id")
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"cancel"}`).
		has(`{"account":"alice","amount":"4","asset":"USDT","decision":"cancel","id":1,"needed":0}`)
	s.holds("alice", schema.Main, "USDT", "40029 31 0")
	s.ask("POST", "/v1/withdrawals/1/decision", `{"decision":"approve"}`).is(404).has(`"there is no withdrawal \"1\""`, "message")
	if got := s.must("GET", "/v1/withdrawals", "").every("id"); got != "3 2" {
		t.Errorf("withdrawals %s are left", got)
	}
}

// TestAWithdrawalToACustomer: it is approved like others, costs nothing, and arrives with the approval.
func TestAWithdrawalToACustomer(t *testing.T) {
	s := found(t)
	s.leave()
	s.must("POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"5","account":"bob"}`) // who has an address then
	s.withdraw("6", "four", 1)
	s.must("GET", "/v1/withdrawals", "").has(`"bob"`, 0, "to").has(`"0"`, 0, "fee").has("1", 0, "needed")
	s.must("POST", "/v1/withdrawals/4/decision", `{"decision":"approve"}`).has(`"6"`, "amount").has("0", "needed")
	s.holds("bob", schema.Main, "USDT", "40006 0 0")
	s.holds("alice", schema.Main, "USDT", "40018 36 0")
	s.ask("POST", "/v1/withdrawals/4/decision", `{"decision":"cancel"}`).is(404)
}

// TestAReorganisationPaysOnce: a withdrawal whose block is gone is paid by another one, by the same transaction.
func TestAReorganisationPaysOnce(t *testing.T) {
	s := found(t)
	s.leave()
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":2}`)
	tx := s.must("GET", "/v1/withdrawals?status=mined", "").has("1", 0, "height").at(0, "tx")
	s.must("POST", "/v1/chains/ETH/reorganisations", `{"depth":2}`).has("3", "height").
		has(`[{"asset":"USDT","booked":"0","coins":"-4","cold":"0","difference":"-4","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/withdrawals?status=mined", "").has("1", 0, "id").has("1", 0, "height").has(tx, 0, "tx").has("3", 0, "confirmations")
}

// TestAnHourHasACap: what all accounts withdraw in an hour of the clock goes by itself up to the cap; what is more, an operator must
// approve, and what was approved counts for nothing.
func TestAnHourHasACap(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/assets/USDT/networks/ERC20", `{"hour_cap":"100"}`).has(`"100"`, "networks", 0, "hour_cap").has(`"5"`, "networks", 0, "min_deposit")
	s.withdraw("60", "one", 0)
	s.withdraw("41", "two", 0)
	s.withdraw("40", "three", 0)
	s.must("GET", "/v1/withdrawals", "").has(`"queued"`, 0, "status").has(`"review"`, 1, "status").has("1", 1, "needed").has(`"queued"`, 2, "status")
	s.must("POST", "/v1/withdrawals/2/decision", `{"decision":"approve"}`).has("0", "needed")
	s.withdraw("5", "four", 0)
	s.pass(3600 * schema.Second)
	s.withdraw("100", "five", 0)
	if got := s.must("GET", "/v1/withdrawals", "").every("status"); got != "queued review queued queued queued" {
		t.Errorf("withdrawals are %s", got)
	}
}

// TestARefundIsAmongWithdrawals: it names the deposit that it gives back out of suspense, and operators decide about it as about the
// others; canceled, it can be asked for again.
func TestARefundIsAmongWithdrawals(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/assets/USDT/networks/ERC20", `{"withdraw_fixed":"1"}`)
	s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"USDT","amount":"20"}`)
	s.must("POST", "/v1/chains/ETH/blocks", `{}`)
	s.must("POST", "/v1/deposits/1/decision", `{"decision":"cancel"}`)
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":32}`)
	s.must("GET", "/v1/accounts/suspense/balances", "").has(`"20"`, 0, "available")
	refund := &schema.RefundDeposit{Account: s.account("alice").ID, Deposit: 1, Address: outside}
	s.submit(refund)
	s.must("GET", "/v1/withdrawals", "").has(`{"account":"alice","address":"`+outside+`","amount":"19","approver":"","asset":"USDT","chain":"ETH","changed":"2026-09-21T14:13:20Z",`+
		`"confirmations":0,"created":"2026-09-21T14:13:20Z","fee":"1","height":0,"id":1,"lacks":"","memo":"","needed":0,"payout":0,"refund":1,"signed":[],"status":"queued","to":"","tx":"","unique":""}`, 0)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"cancel"}`)
	s.must("GET", "/v1/withdrawals", "").has("[]")
	s.submit(refund)
	s.must("POST", "/v1/withdrawals/2/decision", `{"decision":"freeze"}`)
	s.must("POST", "/v1/withdrawals/2/decision", `{"decision":"release"}`).has("1", "needed")
	s.must("POST", "/v1/withdrawals/2/decision", `{"decision":"approve"}`).has("0", "needed")
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":32}`)
	s.must("GET", "/v1/withdrawals?status=done", "").has("2", 0, "id").has("1", 0, "refund")
	s.must("GET", "/v1/accounts/suspense/balances", "").has(`[]`)
	s.must("GET", "/v1/accounts/fees/balances", "").has(`"1"`, 0, "available")
	s.holds("alice", schema.Main, "USDT", "40000 0 0")
}

// vault lets alice withdraw 3 of a token by a chain that others live on, with the approval of an operator.
func (s *site) vault() schema.WithdrawalID {
	s.t.Helper()
	const contract = "0xdac17f958d2ee523a2206206994597c13d831ec7"
	s.submit(&schema.SetChain{Chain: schema.Chain{Name: "VAULT", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Simnet, Number: 5}})
	vault := s.chain("VAULT").ID
	s.submit(&schema.SetAsset{Asset: schema.Asset{Ticker: "VLT", Name: "Vault", Class: schema.Crypto, Scale: 6, Precision: 6, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{{
		Name: "VLT", Chain: vault, CanDeposit: true, CanWithdraw: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 6, Contract: contract,
		ApproveAbove: fixed.One,
	}}}})
	alice, token := s.account("alice").ID, s.asset("VLT").ID
	s.submit(&schema.OpenAddress{Account: alice, Chain: vault})
	s.submit(&schema.SetKeys{Keys: schema.Keys{Family: schema.EVM, Net: schema.Simnet, Print: schema.Digest{1, 31: 2}, Sealed: []byte("sealed")}})
	s.submit(&schema.ChainBlock{Chain: vault, Height: 1, Hash: schema.Digest{1}, Receipts: []schema.Receipt{{ID: "paid", Asset: token, Amount: fixed.FromInt(9), Index: 1}}})
	s.submit(&schema.ChainBlock{Chain: vault, Height: 2, Hash: schema.Digest{2}, Parent: schema.Digest{1}})
	s.submit(&schema.RequestWithdrawal{Account: alice, Asset: token, Chain: vault, Amount: fixed.FromInt(3), Pay: true, Address: outside, Unique: "vault"})
	var id schema.WithdrawalID
	s.look(func(m core.View) {
		for w := range m.Chains().Withdrawals(vault) {
			id = w.ID
		}
	})
	return id
}

// approvalOf is what is signed of the withdrawal of vault.
func approvalOf(id schema.WithdrawalID) string {
	return fmt.Sprintf(`{"address":"%s","amount":"3","asset":"VLT","chain":"VAULT","contract":"0xdAC17F958D2ee523a2206206994597C13D831ec7","family":"evm",`+
		`"keys":"%s","memo":"","net":"simnet","number":5,"withdrawal":%d}`, outside, "01"+strings.Repeat("00", 30)+"02", id)
}

// TestOperatorsSignWithdrawals: with an approval or alone, as long as no block paid them. What is signed is what is shown.
func TestOperatorsSignWithdrawals(t *testing.T) {
	s := found(t)
	id := s.vault()
	path := fmt.Sprintf("/v1/withdrawals/%d", id)
	s.must("GET", path+"/approval", "").has(approvalOf(id))
	s.ask("GET", "/v1/withdrawals/99/approval", "").is(404)
	signature := strings.Repeat("0a", 64)
	s.ask("POST", path+"/decision", `{"decision":"approve","signature":"x"}`).is(422).has(`"signature"`, "field").has(`"a signature is written in hexadecimal digits"`, "message")
	for _, body := range []string{`{"decision":"approve","signature":"0a"}`, `{"decision":"sign"}`, `{"decision":"freeze","signature":"` + signature + `"}`} {
		s.ask("POST", path+"/decision", body).is(422).has(`"signature"`, "field").has(text(schema.Refuse(schema.SignatureInvalid).Text()), "message")
	}
	s.must("POST", path+"/decision", `{"decision":"approve","signature":"`+signature+`"}`).has("0", "needed")
	otto := bearer(s.hire("otto"))
	s.send("POST", path+"/decision", `{"decision":"sign","signature":"`+signature+`"}`, otto).is(200).has(`"sign"`, "decision")
	s.must("GET", "/v1/withdrawals", "").has(`["operator","otto"]`, 0, "signed").has(`"queued"`, 0, "status").has(`""`, 0, "lacks")

	s.withdraw("5", "one", 0) // by a sandbox, which has no keys
	s.ask("GET", fmt.Sprintf("/v1/withdrawals/%d/approval", id+1), "").is(422).has(`"chain ETH has no keys: what leaves by it is not signed"`, "message")
}
