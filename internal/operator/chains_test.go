package operator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/network/sandbox"
	"bourse/internal/schema"
)

// ripple lists XRP on a sandbox whose addresses go with a memo: tradable after one block, confirmed after two, from 10 on, for a fee
// of 1 and 2 %.
func (s *site) ripple() {
	s.t.Helper()
	s.must("PUT", "/v1/chains/XRP", `{"family":"xrp","net":"testnet"}`)
	s.must("PUT", "/v1/assets/XRP", `{"name":"XRP","class":"crypto","scale":6,"precision":6,"can_deposit":true,"deposit_memo":true,"networks":[
		{"name":"XRP","default":true,"can_deposit":true,"min_deposit":"10","confirmations":2,"confirmations_for_trading":1,"chain":"XRP","deposit_fixed":"1","deposit_percent":"2"}]}`)
}

// TestADepositThatIsNobodys: it waits in suspense until an operator gives it to an account, and is not given twice.
func TestADepositThatIsNobodys(t *testing.T) {
	s := found(t)
	s.ripple()
	common, _ := sandbox.Derive(&schema.Address{Family: schema.XRP, Net: schema.Testnet, Index: 1})
	s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"XRP","amount":"100"}`).has(text(common), "address").has(`"1"`, "memo")
	s.must("POST", "/v1/chains/XRP/payments", fmt.Sprintf(`{"asset":"XRP","amount":"50","address":%q,"memo":"1"}`, common)).has(`"alice"`, "account")
	s.must("POST", "/v1/chains/XRP/payments", fmt.Sprintf(`{"asset":"XRP","amount":"30","address":%q,"memo":"77"}`, common)).has(`""`, "account")
	s.must("POST", "/v1/chains/XRP/payments", `{"asset":"XRP","amount":"9","account":"bob"}`).has(`"2"`, "memo")

	s.must("POST", "/v1/chains/XRP/blocks", `{}`).has(`[{"asset":"XRP","booked":"150","coins":"189","cold":"0","difference":"39","wanted":"0"}]`, "bookings")
	s.holds("alice", schema.Main, "XRP", "145 0 145")
	s.ask("POST", "/v1/deposits/3/decision", `{"decision":"credit","account":"bob"}`).is(422).has(`"The deposit is not confirmed yet."`, "message")
	s.must("POST", "/v1/chains/XRP/blocks", `{}`).has(`[{"asset":"XRP","booked":"189","coins":"189","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
	s.holds("alice", schema.Main, "XRP", "145 0 0")
	if got := s.must("GET", "/v1/deposits?status=uncredited", "").every("id"); got != "4 3" {
		t.Errorf("deposits %s wait for a decision", got)
	}
	s.must("GET", "/v1/funds", "").has(`{"asset":"XRP","clearing":"0","codes":"0","convert":"0","custody":"189","insurance":"0","interest":"0","lending":"0","lent":"0","owed":"0","pool":"0","suspense":"39"}`, 0)
	s.must("GET", "/v1/accounts/suspense/balances", "").has(`"39"`, 0, "available")
	s.must("GET", "/v1/accounts/custody/balances", "").has(`"-189"`, 0, "available")

	s.ask("POST", "/v1/deposits/3/decision", `{"decision":"maybe"}`).is(422).has(`"decision"`, "field").
		has(text(`a decision is credit, cancel or freeze, not "maybe"`), "message")
	s.ask("POST", "/v1/deposits/3/decision", `{"decision":"credit"}`).is(422).has(`"account"`, "field")
	s.must("POST", "/v1/deposits/3/decision", `{"decision":"credit","account":"bob"}`).
		has(`{"account":"bob","amount":"30","asset":"XRP","decision":"credit","id":3}`)
	s.must("POST", "/v1/deposits/4/decision", `{"decision":"cancel"}`).has(`"bob"`, "account")
	s.holds("bob", schema.Main, "XRP", "30 0 0")
	s.ask("POST", "/v1/deposits/3/decision", `{"decision":"credit","account":"bob"}`).is(422).has(`"decision"`, "field")
	s.must("GET", "/v1/funds", "").has(`"9"`, 0, "suspense")
	if lines := s.ask("GET", "/v1/accounts/suspense/statement", "").body; strings.Count(lines, `"cause":"deposit"`) != 3 {
		t.Errorf("the statement of suspense is %s", lines)
	}
}

// TestWhatAReorganisationTakesBack: a deposit that is dropped comes back no more, the others do; one that was credited for good is the
// exchange's loss.
func TestWhatAReorganisationTakesBack(t *testing.T) {
	s := found(t)
	s.ripple()
	dropped := s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"XRP","amount":"100"}`).at("receipt")
	s.must("POST", "/v1/accounts/bob/faucet", `{"asset":"XRP","amount":"50"}`)
	s.must("POST", "/v1/chains/XRP/blocks", `{"blocks":2}`)
	s.holds("alice", schema.Main, "XRP", "97 0 0")
	s.must("POST", "/v1/chains/XRP/reorganisations", `{"depth":2,"drop":`+dropped+`}`).has("3", "height").
		has(`[{"asset":"XRP","booked":"150","coins":"50","cold":"0","difference":"-100","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/deposits?account=alice", "").has("0", 0, "height").has("0", 0, "confirmations").has(`"credited"`, 0, "status")
	s.must("POST", "/v1/chains/XRP/blocks", `{"blocks":5}`).has(`[{"asset":"XRP","booked":"50","coins":"50","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/deposits?account=alice", "").has("true", 0, "reversed").has(`"credited"`, 0, "status")
	s.must("GET", "/v1/deposits?account=bob", "").has("false", 0, "reversed").has("8", 0, "confirmations")
	s.holds("alice", schema.Main, "XRP", "97 0 0")
	s.must("GET", "/v1/accounts/house/balances", "").has(`{"asset":"XRP","available":"-97","frozen":"0","held":"0","wallet":"main"}`, 0)
	s.must("GET", "/v1/owed", "").has("[]")
}

// TestTheFaucetTakesTheUsualNetwork: that which is used when none is named, and no other if it is a sandbox.
func TestTheFaucetTakesTheUsualNetwork(t *testing.T) {
	s := found(t)
	s.must("PUT", "/v1/chains/TRON", `{"family":"tron","net":"mainnet"}`)
	s.must("PUT", "/v1/assets/USDT/networks/TRC20", `{"can_deposit":true,"confirmations":1,"confirmations_for_trading":1,"chain":"TRON"}`)
	s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"USDT","amount":"6"}`).has(`"ETH"`, "chain")
	s.must("PATCH", "/v1/assets/USDT/networks/TRC20", `{"default":true}`)
	s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"USDT","amount":"6"}`).has(`"TRON"`, "chain")
}

// TestBlocksComeByThemselves: while something waits for one, as often as the interval says, and none while the chain is paused.
func TestBlocksComeByThemselves(t *testing.T) {
	s := found(t)
	s.ripple()
	s.must("PATCH", "/v1/chains/XRP", `{"interval":"2.5"}`)
	s.pass(10 * schema.Second)
	s.must("GET", "/v1/chains/XRP", "").has("0", "height")
	s.must("POST", "/v1/accounts/alice/faucet", `{"asset":"XRP","amount":"100"}`)
	s.pass(2 * schema.Second)
	s.must("GET", "/v1/chains/XRP", "").has("0", "height").has("1", "waiting")
	s.pass(schema.Second)
	s.must("GET", "/v1/chains/XRP", "").has("1", "height").has("0", "waiting")
	s.must("PATCH", "/v1/chains/XRP", `{"paused":true}`)
	s.pass(10 * schema.Second)
	s.must("GET", "/v1/chains/XRP", "").has("1", "height")
	s.ask("POST", "/v1/chains/XRP/blocks", `{}`).is(422).has(`"The chain is paused."`, "message")
	s.must("PATCH", "/v1/chains/XRP", `{"paused":false}`)
	s.pass(3 * schema.Second)
	s.must("GET", "/v1/chains/XRP", "").has("2", "height")
	s.holds("alice", schema.Main, "XRP", "97 0 0")
}

// TestAStuckSandboxPaysNothingOut: blocks come and take what is paid in; what was queued goes out with the first block after that.
func TestAStuckSandboxPaysNothingOut(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/chains/ETH", `{"stuck":true}`).has("true", "stuck").has("false", "paused")
	s.leave()
	s.must("POST", "/v1/accounts/bob/faucet", `{"asset":"USDT","amount":"7"}`)
	s.must("POST", "/v1/chains/ETH/blocks", `{"blocks":6}`).has("6", "height").has(`[{"asset":"USDT","booked":"7","coins":"7","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/withdrawals?status=queued", "").has("1", 0, "id")
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"freeze"}`)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"release"}`)
	s.must("POST", "/v1/withdrawals/1/decision", `{"decision":"approve"}`)
	s.must("PATCH", "/v1/chains/ETH", `{"stuck":false}`).has("false", "stuck")
	s.must("POST", "/v1/chains/ETH/blocks", `{}`).has(`[{"asset":"USDT","booked":"7","coins":"3","cold":"0","difference":"-4","wanted":"0"}]`, "bookings")
	s.must("GET", "/v1/withdrawals?status=mined", "").has("1", 0, "id").has("7", 0, "height")
}

// TestTwoOperatorsAdoptASpend, and a halted chain says who wants what.
func TestTwoOperatorsAdoptASpend(t *testing.T) {
	s := found(t)
	s.sweep()
	s.halt()
	olga, otto := bearer(s.hire("olga")), bearer(s.hire("otto"))
	s.send("POST", "/v1/chains/NONE/adoption", `{"tx":"theft"}`, olga).is(404)
	s.send("POST", "/v1/chains/NODE/adoption", `{"tx":""}`, olga).is(422).has(text(schema.Refuse(schema.AdoptionInvalid).Text()), "message")
	s.send("POST", "/v1/chains/NODE/adoption", `{"tx":"theft"}`, olga).is(200).has("true", "halted").has(`"olga"`, "asked").has(`"adopt theft"`, "proposal").has("[]", "adopted")
	s.send("POST", "/v1/chains/NODE/adoption", `{"tx":"theft"}`, olga).is(422).has(text(schema.Refuse(schema.ApprovedBefore).Text()), "message")
	s.send("POST", "/v1/chains/NODE/adoption", `{"tx":"theft"}`, otto).is(200).has("false", "halted").has(`""`, "asked").has(`""`, "proposal").has(`["theft"]`, "adopted")
}

// TestTwoOperatorsBookASurplus at an address of an account or of the exchange itself.
func TestTwoOperatorsBookASurplus(t *testing.T) {
	s := found(t)
	s.dig()
	hot := topUp
	olga, otto := bearer(s.hire("olga")), bearer(s.hire("otto"))
	const path = "/v1/chains/COINS/surplus"
	s.send("POST", "/v1/chains/NONE/surplus", `{}`, olga).is(404)
	s.send("POST", path, `{"asset":"NONE","amount":"1","address":"`+hot+`","coin":"`+output+`"}`, olga).is(422).has(`"asset"`, "field")
	s.send("POST", path, `{"asset":"COIN","amount":"1","address":"x","coin":"`+output+`"}`, olga).is(422).has(`"address"`, "field")
	s.send("POST", path, `{"asset":"COIN","amount":"1","address":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","coin":"`+output+`"}`, olga).is(422).
		has(`"it is no address of the exchange, or of one of its accounts, on this chain"`, "message")
	for _, coin := range []string{"", "a:0", strings.ToUpper(output), output + "0:0", strings.Replace(output, ":7", ":07", 1)} {
		s.send("POST", path, `{"asset":"COIN","amount":"1","address":"`+hot+`","coin":"`+coin+`"}`, olga).is(422).has(`"coin"`, "field")
	}
	s.send("POST", path, `{"asset":"COIN","amount":"0","address":"`+hot+`","coin":"`+output+`"}`, olga).is(422).has(text(schema.Refuse(schema.SurplusInvalid).Text()), "message")
	want := `{"address":"` + hot + `","amount":"1.5","asset":"COIN","coin":"` + output + `","deposit":`
	s.send("POST", path, `{"asset":"COIN","amount":"1.5","address":"`+strings.ToUpper(hot)+`","coin":"`+output+`"}`, olga).is(200).has(want + "0}")
	s.must("GET", "/v1/chains/COINS", "").has(`"olga"`, "asked").has(`"book 1.5 COIN at `+hot+`, output `+output+`"`, "proposal")
	s.send("POST", path, `{"asset":"COIN","amount":"1.5","address":"`+hot+`","coin":"`+output+`"}`, otto).is(200).has(want + "1}")
	s.must("GET", "/v1/deposits", "").has(`"uncredited"`, 0, "status").has(`"1.5"`, 0, "amount").has(`""`, 0, "account")
	s.must("POST", "/v1/deposits/1/decision", `{"decision":"credit","account":"bob"}`)
	s.holds("bob", schema.Main, "COIN", "1.5 0 0")

	// At an address of an account it is hers.
	s.submit(&schema.OpenAddress{Account: s.account("alice").ID, Chain: s.chain("COINS").ID})
	hers, _, err := coinKeys.Address(driver.Place{Index: 1, Type: schema.Bech32})
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []http.Header{olga, otto} {
		s.send("POST", path, `{"asset":"COIN","amount":"2","address":"`+hers+`","coin":"`+strings.Replace(output, "a", "b", 1)+`"}`, who).is(200)
	}
	s.must("GET", "/v1/deposits?account=alice", "").has(`"2"`, 0, "amount").has(`"uncredited"`, 0, "status")
}

// TestTwoOperatorsLetAHaltedChainGoOn, and what is said of it that cannot be.
func TestTwoOperatorsLetAHaltedChainGoOn(t *testing.T) {
	s := found(t)
	s.sweep()
	s.halt()
	olga, otto := bearer(s.hire("olga")), bearer(s.hire("otto"))
	for _, hash := range []string{"", "01", "x" + strings.Repeat("0", 63)} {
		s.send("POST", "/v1/chains/NODE/resumption", `{"height":1,"hash":"`+hash+`"}`, olga).is(422).has(`"the hash of a block has 64 hexadecimal digits"`, "message")
	}
	s.send("POST", "/v1/chains/NONE/resumption", firstOfNode, olga).is(404)
	s.send("POST", "/v1/chains/NODE/refill", `{"asset":"NONE","amount":"1"}`, olga).is(422).has(text(schema.Refuse(schema.AssetUnknown).Text()), "message")
	s.send("POST", "/v1/chains/NODE/resumption", firstOfNode, olga).is(200).has("true", "halted").has(`"olga"`, "resuming")
	s.send("POST", "/v1/chains/NODE/resumption", firstOfNode, olga).is(422)
	s.send("POST", "/v1/chains/NODE/resumption", firstOfNode, otto).is(200).has("false", "halted").has(`""`, "resuming")
}
