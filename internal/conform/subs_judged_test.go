package conform_test

import (
	"testing"

	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// TestTheCoreJudgesKeysAgain: a door that has not heard yet what a key lost puts the command into the log, behind the loss. There it is refused,
// by whichever door it came, and nothing changes.
func TestTheCoreJudgesKeysAgain(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gives(t, "alice", "DEP", "10")
	id := f.alice.opens("desk")
	f.alice.feeds(id, "DEP", "10")
	sub, master := f.account(id).ID, f.account("alice").ID
	to := schema.RightTo("/api/v4/main-account/transfer")
	move := &schema.Transfer{Account: sub, Asset: f.asset("DEP"), Amount: decimal(t, "1"), From: schema.Main, To: schema.Trade}
	loses := map[string]func(key subKey) schema.Command{
		"the endpoint": func(key subKey) schema.Command {
			return &schema.EditKey{By: master, External: key.id, Disable: []string{to.Path}}
		},
		"the key": func(key subKey) schema.Command { return &schema.CloseKey{By: master, External: key.id} },
		"the pair": func(key subKey) schema.Command {
			return &schema.ResetKey{By: master, External: key.id, Key: "new", Sealed: []byte("x")}
		},
		"the sub-account": func(subKey) schema.Command { return &schema.BlockSub{Master: master, Sub: sub, Blocked: true} },
	}
	want := map[string]schema.Reason{
		"the endpoint": schema.KeyNotAllowed, "the key": schema.KeyRefused, "the pair": schema.KeyRefused, "the sub-account": schema.AccountBlocked,
	}
	moved := 0
	for _, what := range []string{"the endpoint", "the key", "the pair", "the sub-account"} {
		for _, door := range []string{"REST", "the socket"} {
			t.Run(what+" by "+door, func(t *testing.T) {
				key := f.key(id, 1, "main-account/transfer")
				from := schema.Origin{Key: f.Exchange.API.Directory().Key([]byte(key.Key)).ID, Op: to.Op, Region: schema.Global}
				next := func() schema.Origin {
					if from.Authorized = door == "the socket"; !from.Authorized {
						from.Nonce = uint64(conform.Nonce())
					}
					return from
				}
				// The door takes all three before it hears of any.
				var results [3]schema.Result
				n := f.Exchange.Node
				first, err := n.Begin(next(), move)
				if err != nil {
					t.Fatal(err)
				}
				loss, err := n.Begin(schema.Origin{}, loses[what](key))
				if err != nil {
					t.Fatal(err)
				}
				second, err := n.Begin(next(), move)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range []node.Pending{first, loss, second} {
					if err := p.Wait(t.Context(), &results[i]); err != nil {
						t.Fatal(err)
					}
				}
				if results[0].Rejection.Refused() || results[1].Rejection.Refused() {
					t.Fatalf("refused: %s, %s", results[0].Rejection.Text(), results[1].Rejection.Text())
				}
				moved++
				if got := results[2].Rejection.Reason; got != want[what] {
					t.Errorf("after the loss of %s: %v, want %v", what, got, want[what])
				}
				f.alice.has(id, "DEP", decimal(t, "10").Sub(fixed.FromInt(int64(moved))).String(), fixed.FromInt(int64(moved)).String(), "0")
				if what == "the sub-account" {
					answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
				}
				if what == "the pair" {
					answers(t, f.alice.ask("sub-account/api-key/delete", obj{"apiKeyId": key.id}), obj{})
				}
			})
		}
	}
}

// TestTheCoreJudgesConfirmationsAgain: a door that has not heard that a key lost the right to withdraw, or that its account does not confirm
// withdrawals any more, puts the confirmation into the log, behind the loss. No money leaves.
func TestTheCoreJudgesConfirmationsAgain(t *testing.T) {
	t.Parallel()
	f, _, key := newApprovals(t)
	answers(t, key.withdraws("DEP", "2", arrival{farBTC, ""}, "rent", nil), arr{})
	f.masterKey(t, "clerk", "sub-account/withdraw/confirm", "main-account/withdraw")
	clerk := f.Exchange.API.Directory().Key([]byte("clerk-key"))
	var unconfirmed []schema.WithdrawalID
	look := func(m core.View) {
		unconfirmed = nil
		for _, sub := range m.Accounts().All() {
			for w := range m.Chains().Unconfirmed(sub.ID) {
				unconfirmed = append(unconfirmed, w.ID)
			}
		}
	}
	f.Exchange.Node.Read(look)
	waits := unconfirmed[0]
	op := schema.RightTo("/api/v4/sub-account/withdraw/confirm").Op
	confirm := &schema.ConfirmWithdrawal{Master: clerk.Account, Withdrawal: waits}
	behind := func(loss schema.Command, want schema.Reason) {
		t.Helper()
		var results [2]schema.Result
		lost, err := f.Exchange.Node.Begin(schema.Origin{}, loss)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := f.Exchange.Node.Begin(schema.Origin{Key: clerk.ID, Op: op, Nonce: uint64(conform.Nonce()), Region: schema.Global}, confirm)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range []node.Pending{lost, asked} {
			if err := p.Wait(t.Context(), &results[i]); err != nil {
				t.Fatal(err)
			}
		}
		if results[0].Rejection.Refused() || results[1].Rejection.Reason != want {
			t.Errorf("%T: %q, and then %q", loss, results[0].Rejection.Text(), results[1].Rejection.Text())
		}
	}
	master := f.account("alice")
	master.Approvals = false
	behind(&schema.SetAccount{Account: master}, schema.NoPermission)
	master.Approvals = true
	less := &schema.SetKey{Key: schema.Key{Key: "clerk-key", Account: clerk.Account, Sealed: []byte("s"), Enabled: true, URLs: []string{"/api/v4/sub-account/withdraw/confirm"}}}
	f.Do(&schema.SetAccount{Account: master})
	behind(less, schema.KeyNotAllowed)
	key.main("DEP", "8", "0")
	if f.Exchange.Node.Read(look); len(unconfirmed) != 1 || unconfirmed[0] != waits {
		t.Errorf("%v waits", unconfirmed)
	}
	less.Key.URLs = append(less.Key.URLs, "/api/v4/main-account/withdraw")
	behind(less, schema.OK)
}

// TestASubAccountsSocketStops: what a blocked sub-account or a key that lost an endpoint subscribed to ends, and nothing more is taken.
func TestASubAccountsSocketStops(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	id := f.alice.opens("desk")
	key := f.key(id, 1, "profile/websocket_token", "orders", "order/new", "trade-account/balance")
	s := key.Authorized()
	s.Must("ordersPending_subscribe")
	s.Must("balanceSpot_request")
	f.alice.disables(key.id, "trade-account/balance")
	s.Refused(6, "require authentication", "balanceSpot_request")
	s.Must("ordersPending_request", "DEP_USDT", 0, 10)
	answers(t, f.alice.ask("sub-account/block", obj{"id": id}), obj{})
	order := obj{"market": "DEP_USDT", "side": "buy", "amount": "1", "price": "1"}
	s.Refused(6, "require authentication", "ordersPending_request", "DEP_USDT", 0, 10)
	s.Refused(6, "require authentication", "order_limit_place", order)
	answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
	s.Must("ordersPending_request", "DEP_USDT", 0, 10)
	answers(t, f.alice.ask("sub-account/api-key/reset", obj{"apiKeyId": key.id}), obj{})
	s.Refused(6, "require authentication", "ordersPending_request", "DEP_USDT", 0, 10)
	s.Must("ping")
}
