package core

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// waitingRoom sends what makes a master, account 101, and so many sub-accounts of it, 102 and up, that can ask for withdrawals on a sandbox
// which the master has to confirm.
func waitingRoom(subs int, send func(schema.Command)) {
	const master = schema.FirstCustomer
	send(&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}})
	send(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "AAA", Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true,
		Networks: []schema.Network{{Name: "PLAY", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 3, ConfirmationsForTrading: 2}},
	}})
	send(&schema.SetAccount{Account: schema.Account{Name: "master", Region: schema.Global, Approvals: true}})
	for i := range subs {
		send(&schema.SetSub{Master: master, External: fmt.Sprint(i), Alias: fmt.Sprint(i), ShareKYC: true})
		send(&schema.Deposit{Account: master + 1 + schema.AccountID(i), Asset: 1, Amount: d("100000")})
	}
}

// leaves is a withdrawal of a sub-account of waitingRoom.
func leaves(sub, n int) *schema.RequestWithdrawal {
	return &schema.RequestWithdrawal{
		Account: schema.FirstCustomer + 1 + schema.AccountID(sub), Asset: 1, Chain: 1, Amount: d("1"), Address: "elsewhere", Unique: fmt.Sprint(n),
	}
}

// ended are the withdrawals that events cancel, in their order.
func ended(events []schema.Event) (ids []schema.WithdrawalID) {
	for _, e := range events {
		if e, is := e.(*schema.WithdrawalChanged); is && e.Withdrawal.Status == schema.WithdrawalCanceled {
			ids = append(ids, e.Withdrawal.ID)
		}
	}
	return ids
}

// TestManyUnconfirmedAgainstNaive: withdrawals that wait for a master leave from anywhere, all of one account at its block, and 300 at a
// tick when their day is over, the oldest first, also after a snapshot.
func TestManyUnconfirmedAgainstNaive(t *testing.T) {
	t.Parallel()
	const subs, each = 3, 400
	m, oracle := New(), naive.New()
	now := start
	send := func(c schema.Command) (canceled []schema.WithdrawalID) {
		t.Helper()
		got, want := m.Apply(now, c), oracle.Apply(now, schema.Origin{}, c)
		if err := sameResult(&got.Result, &want.Result); err != nil {
			t.Fatalf("%T %+v: %v", c, c, err)
		}
		if r := want.Result.Rejection; r.Refused() {
			t.Fatalf("%T %+v: %s", c, c, r.Text())
		}
		canceled = ended(slices.Collect(got.Events.All()))
		if slow := ended(want.Events); !slices.Equal(canceled, slow) {
			t.Fatalf("%T cancels %v, want %v", c, canceled, slow)
		}
		return canceled
	}
	again := func() {
		t.Helper()
		restored, err := Restore(m.Snapshot())
		if err != nil || restored.Hash() != m.Hash() {
			t.Fatalf("the restored machine is another one: %v", err)
		}
		if err := restored.Verify(); err != nil {
			t.Fatal(err)
		}
		m = restored
	}
	waitingRoom(subs, func(c schema.Command) { send(c) })
	var left []schema.WithdrawalID
	for i := range each {
		for sub := range subs {
			send(leaves(sub, i))
			left = append(left, schema.WithdrawalID(len(left)+1))
		}
	}
	gone := func(ids ...schema.WithdrawalID) {
		left = slices.DeleteFunc(left, func(id schema.WithdrawalID) bool { return slices.Contains(ids, id) })
	}
	waits := func() {
		t.Helper()
		var list []schema.WithdrawalID
		for w := range m.Chains().Unconfirmed(102, 103, 104) {
			list = append(list, w.ID)
		}
		slices.Reverse(list)
		if !slices.Equal(list, left) {
			t.Fatalf("%d wait, want %d: %v", len(list), len(left), list)
		}
	}
	waits()
	for id := schema.WithdrawalID(1); id <= subs*each; id += 7 { // some leave, among them the first
		send(&schema.ConfirmWithdrawal{Master: 101, Withdrawal: id})
		gone(id)
	}
	again()
	waits()
	ofOne := slices.DeleteFunc(slices.Clone(left), func(id schema.WithdrawalID) bool { return id%subs != 1 })
	canceled := send(&schema.BlockSub{Master: 101, Sub: 102, Blocked: true})
	if !slices.Equal(canceled, ofOne) {
		t.Errorf("the block ends %d, want %d", len(canceled), len(ofOne))
	}
	gone(canceled...)
	waits()
	now += aDay
	for len(left) > 0 {
		if next, running := m.NextTimer(); !running || next > now {
			t.Fatalf("with %d that are over the timer is at %d (%v)", len(left), next, running)
		}
		most := min(300, len(left))
		if canceled := send(&schema.Tick{}); !slices.Equal(canceled, left[:most]) {
			t.Fatalf("a tick ends %v, want %v", canceled, left[:most])
		}
		left = left[most:]
		now++
		again()
	}
	waits()
	if got := send(&schema.Tick{}); len(got) != 0 {
		t.Errorf("%v end once more", got)
	}
}

// BenchmarkBlockingWhoHasManyUnconfirmed is the block of a sub-account with as many withdrawals that wait for its master as there may be, while
// 99,000 of others wait.
func BenchmarkBlockingWhoHasManyUnconfirmed(b *testing.B) {
	const subs, each = 100, 1000
	m := New()
	send := func(c schema.Command) {
		if r := m.Apply(start, c).Result.Rejection; r.Refused() {
			b.Fatalf("%T %+v: %s", c, c, r.Text())
		}
	}
	waitingRoom(subs, send)
	n := 0
	for range each {
		for sub := range subs {
			n++
			send(leaves(sub, n))
		}
	}
	for b.Loop() {
		send(&schema.BlockSub{Master: 101, Sub: 102, Blocked: true})
		b.StopTimer()
		send(&schema.BlockSub{Master: 101, Sub: 102})
		for range each {
			n++
			send(leaves(0, n))
		}
		b.StartTimer()
	}
}
