package core

import (
	"math"
	"slices"
	"testing"

	"bourse/internal/core/trading"
	"bourse/internal/schema"
)

// batch is commands that name what there is, what there was, what is to come and what can never be.
func batch() []schema.Command {
	list := []schema.Command{&schema.Tick{}}
	refs := []schema.OrderRef{{Market: 1, ID: 1}, {Market: 1, ID: 3}, {Market: 1, ID: 900}, {Market: 1, ID: math.MaxUint64}, {Market: 1}, {Market: 2, ID: 1}, {ID: 1}, {Market: math.MaxUint32, ID: 1}}
	for i := range 40 {
		ref := refs[i%len(refs)]
		for _, account := range []schema.AccountID{101, 102, 0, 1, 100, math.MaxUint32} {
			side := schema.Side(1 + i%2)
			list = append(list,
				order(account, schema.OrderRequest{Side: side, Amount: d("1"), Price: spread(i)}),
				order(account, schema.OrderRequest{Side: side, Type: schema.StopLimit, Amount: d("1"), Price: spread(i), ActivationPrice: spread(i + 1)}),
				&schema.CancelOrder{Account: account, Order: ref},
				&schema.ModifyOrder{Account: account, Order: ref, Amount: schema.Some(d("2"))},
				&schema.CancelOrder{Account: account, Order: schema.OrderRef{Market: 1, ID: schema.OrderID(i)}},
			)
		}
	}
	list[7].(*schema.PlaceOrder).Order.Market = 0
	list[11].(*schema.PlaceOrder).Order.Market = math.MaxUint32
	return list
}

// TestCommandsInTurnDoTheSame as each by itself, however they are divided into batches.
func TestCommandsInTurnDoTheSame(t *testing.T) {
	commands := batch()
	alone := newSteady(t)
	var want []schema.Rejection
	accepted := 0
	for _, c := range commands {
		r := alone.Apply(start, c).Result.Rejection
		want = append(want, r)
		if !r.Refused() {
			accepted++
		}
	}
	if accepted < len(commands)/8 || accepted == len(commands) {
		t.Fatalf("%d of %d commands are accepted", accepted, len(commands))
	}
	for _, size := range []int{1, 2, 3, 7, 64, len(commands)} {
		m := newSteady(t)
		var got []schema.Rejection
		for part := range slices.Chunk(commands, size) {
			turn := 0
			for i := range m.InTurn(len(part), func(i int) schema.Command { return part[i] }) {
				if i != turn {
					t.Fatalf("command %d has turn %d", i, turn)
				}
				got = append(got, m.Apply(start, part[i]).Result.Rejection)
				turn++
			}
		}
		if !slices.Equal(got, want) || m.Hash() != alone.Hash() {
			t.Errorf("batches of %d lead elsewhere", size)
		}
	}
}

// TestABatchThatEndsEarly leaves nothing that a later one looks at: its commands belong to somebody else by then.
func TestABatchThatEndsEarly(t *testing.T) {
	m := newSteady(t)
	commands := slices.Repeat([]schema.Command{&schema.Tick{}}, 9)
	commands[trading.Ahead] = (*schema.PlaceOrder)(nil) // who looks at it panics
	for range m.InTurn(len(commands), func(i int) schema.Command { return commands[i] }) {
		break // the last one was announced by now
	}
	turns := 0
	for range m.InTurn(2, func(int) schema.Command { return &schema.Tick{} }) {
		turns++
	}
	if turns != 2 {
		t.Errorf("%d of 2 commands had their turn", turns)
	}
}
