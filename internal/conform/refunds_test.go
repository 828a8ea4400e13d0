package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// newRefundWorld is the world of withdrawals with a deposit of 1,500 DEP that alice made, too much to be credited, and that an operator did not accept, deep enough to be
// sent back. Its id in the history is returned.
func newRefundWorld(t *testing.T) (w depositWorld, alice trader, id string) {
	t.Helper()
	w = newWithdrawWorld(t, "alice", "bob")
	alice = w.trader(t, "alice")
	w.pays(t, w.btc, "DEP", "1500", alice.at("DEP", nil))
	w.mines(w.btc, 1)
	w.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.mines(w.btc, 2)
	return w, alice, alice.newest()
}

// newest is the id of the newest record of the history.
func (c trader) newest() string {
	c.t.Helper()
	records := c.must("main-account/history", nil)["records"].([]any)
	return records[0].(map[string]any)["transaction_id"].(string)
}

var notRefundable = refusal{400, 0, "Transaction not refundable", obj{}}

// TestARefundGoesBack: in process until it is confirmed, less the fee of a withdrawal, by its own id; it is no withdrawal
// (account-wallet 9 and 10).
func TestARefundGoesBack(t *testing.T) {
	t.Parallel()
	w, alice, id := newRefundWorld(t)
	began := w.clock.seconds()
	w.clock.advance(10 * schema.Second)
	answers(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farBTC, "memo": "thanks"}), obj{"transactionId": id, "id": id})
	record := obj{
		"depositId": id, "currency": "Deposit coin", "ticker": "DEP", "network": "DEP", "depositAmount": "1500", "refundId": aUUID, "refundAddress": farBTC,
		"refundAmount": "1499.947", "refundHash": nil, "memo": "thanks", "status": "in_process", "createdAt": began + 10, "processedAt": nil,
	}
	page := func(records ...any) obj { return obj{"limit": 100, "offset": 0, "records": append(arr{}, records...)} }
	list := func(filter obj, records ...any) {
		t.Helper()
		answers(t, alice.ask("main-account/refund-history", filter), page(records...))
	}
	list(nil, record)
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farBTC}), notRefundable)
	w.clock.advance(20 * schema.Second)
	w.mines(w.btc, 2)
	list(nil, record)
	w.mines(w.btc, 1)
	record["status"], record["refundHash"], record["processedAt"] = "successful", schema.SandboxPayout("BTC", 1), began+30
	list(nil, record)
	for _, filter := range []obj{{"depositId": id}, {"ticker": "dep"}, {"ticker": "DEP", "depositId": id}} {
		list(filter, record)
	}
	for _, filter := range []obj{{"depositId": "x"}, {"ticker": "USDT"}, {"ticker": "NONE"}} {
		list(filter)
	}
	answers(t, alice.ask("main-account/refund-history", obj{"limit": 1, "offset": 1}), obj{"limit": 1, "offset": 1, "records": arr{}})
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farBTC}), notRefundable)
	// The deposit stays canceled, nothing was withdrawn, and nobody else sees it.
	alice.main("DEP", "0", "0")
	answers(t, alice.ask("main-account/history", obj{"transactionMethod": 2}), obj{"limit": 50, "offset": 0, "total": 0, "records": arr{}})
	answers(t, w.trader(t, "bob").ask("main-account/refund-history", nil), page())
}

// TestARefundThatIsCanceledCanBeAskedForAgain: canceled is final for the refund, not for the deposit.
func TestARefundThatIsCanceledCanBeAskedForAgain(t *testing.T) {
	t.Parallel()
	w, alice, id := newRefundWorld(t)
	ask := func() {
		t.Helper()
		alice.must("main-account/refund-deposit", obj{"transactionId": id, "address": farBTC})
	}
	ask()
	w.clock.advance(schema.Second)
	if r := w.decides(t, "olga", 1, schema.CancelWithdrawal); r.Refused() {
		t.Fatal(r.Text())
	}
	w.clock.advance(schema.Second)
	ask()
	records := alice.must("main-account/refund-history", nil)["records"].([]any)
	var got arr
	for _, r := range records {
		got = append(got, r.(map[string]any)["status"])
	}
	if len(got) != 2 || got[0] != "in_process" || got[1] != "canceled" {
		t.Errorf("%v", got)
	}
}

// TestRefundsThatAreRefused: only canceled deposits of the account that are deep enough, to addresses that are not ours.
func TestRefundsThatAreRefused(t *testing.T) {
	t.Parallel()
	w, alice, id := newRefundWorld(t)
	bob := w.trader(t, "bob")
	ours := bob.at("DEP", nil).address
	wrong := inner(422, 2, "address", "The address is invalid")
	for name, c := range map[string]struct {
		by     trader
		fields obj
		want   refusal
	}{
		"nothing":        {alice, nil, refusal{400, 0, "Validation failed", obj{"transactionId": arr{"The transaction id field is required."}, "address": arr{"The address field is required."}}}},
		"no id":          {alice, obj{"transactionId": "x", "address": farBTC}, notRefundable},
		"another's":      {bob, obj{"transactionId": id, "address": farBTC}, notRefundable},
		"ours":           {alice, obj{"transactionId": id, "address": ours}, wrong},
		"another net":    {alice, obj{"transactionId": id, "address": farETH}, wrong},
		"no address":     {alice, obj{"transactionId": id, "address": "nowhere"}, wrong},
		"too long":       {alice, obj{"transactionId": id, "address": farBTC, "memo": string(make([]byte, 256))}, broken("memo", "The memo may not be greater than 255 characters.")},
		"memo no string": {alice, obj{"transactionId": id, "address": farBTC, "memo": 5}, broken("memo", "The memo must be a string.")},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, c.by.ask("main-account/refund-deposit", c.fields), c.want) })
	}
	// A deposit that can be traded, and the same when it is confirmed.
	to := alice.at("DEP", nil)
	w.pays(t, w.btc, "DEP", "1", to)
	w.mines(w.btc, 1)
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": alice.newest(), "address": farBTC}), notRefundable)
	w.mines(w.btc, 2)
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": alice.newest(), "address": farBTC}), notRefundable)
	for field, text := range map[string]string{"limit": "The limit may not be greater than 100.", "offset": "The offset may not be greater than 10000."} {
		refuses(t, alice.ask("main-account/refund-history", obj{field: 10001}), broken(field, text))
	}
}

// TestRefundsWithAMemo: it is read where the network has memos, and must not lead to us.
func TestRefundsWithAMemo(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice := w.trader(t, "alice")
	ours := alice.at("TAG", nil)
	w.pays(t, w.xrp, "TAG", "2", ours)
	w.mines(w.xrp, 1)
	w.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.mines(w.xrp, 6)
	id := alice.newest()
	wrong := inner(422, 2, "memo", "The memo is invalid")
	for _, memo := range []string{"x", "4294967296"} {
		refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farXRP, "memo": memo}), wrong)
	}
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": ours.address, "memo": "77777"}), wrong)
	refuses(t, alice.ask("main-account/refund-deposit", obj{"transactionId": id, "address": ours.address, "memo": ours.memo}), inner(422, 2, "address", "The address is invalid"))
	alice.must("main-account/refund-deposit", obj{"transactionId": id, "address": farXRP})
	records := alice.must("main-account/refund-history", nil)["records"].([]any)
	if got := records[0].(map[string]any)["memo"]; got != nil {
		t.Errorf("the memo is %v", got)
	}
}
