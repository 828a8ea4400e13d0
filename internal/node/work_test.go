package node

import (
	"errors"
	"fmt"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowdedOrders is more than one slice of work.
const crowdedOrders = 1200

// crowded is a node of a new exchange with the markets A_B (1) and A_C (2) and the customers alice
// (101) and bob (102); alice has many orders on both.
func crowded(t *testing.T) *Node {
	t.Helper()
	n := open(t, t.TempDir())
	if err := n.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ticker := range []string{"A", "B", "C"} {
		submit(t, n, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	}
	for quote := schema.AssetID(2); quote <= 3; quote++ {
		submit(t, n, &schema.SetMarket{Market: schema.MarketInfo{
			Name: "A_" + string(rune('A'+quote-1)), Base: 1, Quote: quote, Type: schema.Spot, StockPrec: 2, MoneyPrec: 2, FeePrec: 4, Enabled: true,
		}})
	}
	for _, name := range []string{"alice", "bob"} {
		id := schema.AccountID(submit(t, n, account(name)).ID)
		for asset := schema.AssetID(1); asset <= 3; asset++ {
			submit(t, n, &schema.Deposit{Account: id, Asset: asset, Amount: fixed.FromInt(1e9)})
			submit(t, n, &schema.Transfer{Account: id, Asset: asset, Amount: fixed.FromInt(1e9), From: schema.Main, To: schema.Trade})
		}
	}
	var pending []Pending
	for i := range crowdedOrders {
		for market := schema.MarketID(1); market <= 2; market++ {
			p, err := n.Begin(schema.Origin{}, limit(101, market, schema.Sell, 1, int64(100+i)))
			if err != nil {
				t.Fatal(err)
			}
			pending = append(pending, p)
		}
	}
	for _, p := range pending {
		answered(t, p)
	}
	return n
}

func limit(account schema.AccountID, market schema.MarketID, side schema.Side, amount, price int64) *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: side, Amount: fixed.FromInt(amount), Price: fixed.FromInt(price),
	}}
}

// answered waits for a command that must be accepted.
func answered(t *testing.T, p Pending) schema.Result {
	t.Helper()
	var r schema.Result
	if err := p.Wait(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Rejection.Refused() {
		t.Fatal(r.Rejection.Text())
	}
	return r
}

// TestAnswerComesAfterTheLastSlice: commands that are begun together with a long one wait for it on
// the same market, and do not on another.
func TestAnswerComesAfterTheLastSlice(t *testing.T) {
	n := crowded(t)
	defer n.Close()
	begin := func(c schema.Command) Pending {
		t.Helper()
		p, err := n.Begin(schema.Origin{}, c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	cancel := begin(&schema.CancelAll{Account: 101, Market: 1})
	same, other := begin(limit(102, 1, schema.Buy, 5, 500)), begin(limit(102, 2, schema.Buy, 5, 500))
	answered(t, cancel)
	n.Read(func(m core.View) {
		if open := m.Trading().CountOf(101, 1); open != 0 {
			t.Errorf("the answer came while %d orders were open", open)
		}
	})
	// Nothing was left to trade with on the one market; the other has all of its orders.
	if got := answered(t, same).Order; got.Status != schema.Open || !got.DealStock.IsZero() {
		t.Errorf("%s, %s dealt", got.Status, got.DealStock)
	}
	if got := answered(t, other).Order; got.Status != schema.Filled || got.DealMoney != fixed.FromInt(100+101+102+103+104) {
		t.Errorf("%s, paid %s", got.Status, got.DealMoney)
	}
}

// TestSweepIsAnsweredWhole: a taker that needs several slices gets one answer, with all of its fills,
// and orders that came meanwhile find what it left.
func TestSweepIsAnsweredWhole(t *testing.T) {
	n := crowded(t)
	defer n.Close()
	sweep, err := n.Begin(schema.Origin{}, limit(102, 1, schema.Buy, crowdedOrders, 10_000))
	if err != nil {
		t.Fatal(err)
	}
	var later []Pending
	for i := range 50 {
		p, err := n.Begin(schema.Origin{}, limit(101, 1, schema.Sell, 1, int64(50+i)))
		if err != nil {
			t.Fatal(err)
		}
		later = append(later, p)
	}
	if got := answered(t, sweep).Order; got.Status != schema.Filled || got.DealStock != fixed.FromInt(crowdedOrders) {
		t.Errorf("%s, %s dealt", got.Status, got.DealStock)
	}
	for i, p := range later {
		if got := answered(t, p).Order; got.Status != schema.Open || got.ID != schema.OrderID(2*crowdedOrders+2+i) {
			t.Errorf("order %d is %s", got.ID, got.Status)
		}
	}
}

// TestUnfinishedWorkIsFinishedBeforeTheEnd: a node that is closed finishes what it began.
func TestUnfinishedWorkIsFinishedBeforeTheEnd(t *testing.T) {
	n := crowded(t)
	p, err := n.Begin(schema.Origin{}, &schema.CancelAll{Account: 101})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, n)
	answered(t, p)
	n.Read(func(m core.View) {
		if m.Busy() || m.Trading().Count(1)+m.Trading().Count(2) != 0 {
			t.Error("work is left over")
		}
	})
}

// TestWaitingCommandsAreBounded: those that wait for a busy market count against the queue.
func TestWaitingCommandsAreBounded(t *testing.T) {
	s := &sequencer{machine: core.NewExchange(), applied: nobody, stepped: func(uint64) {}}
	for _, c := range []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "A", Scale: 18, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "B", Scale: 18, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}},
		&schema.SetMarket{Market: schema.MarketInfo{Name: "A_B", Base: 1, Quote: 2, Type: schema.Spot, Enabled: true}},
		account("alice"),
		&schema.Deposit{Account: 101, Asset: 1, Amount: fixed.FromInt(1e6)},
	} {
		s.machine.Apply(1, c)
	}
	s.machine.Apply(1, &schema.Transfer{Account: 101, Asset: 1, Amount: fixed.FromInt(1e6), From: schema.Main, To: schema.Trade})
	for i := range 600 {
		s.machine.Apply(1, limit(101, 1, schema.Sell, 1, int64(1+i)))
	}
	s.machine.Apply(1, &schema.CancelAll{Account: 101})
	if !s.machine.Busy() {
		t.Fatal("nothing is busy")
	}
	var tickets []*ticket
	for i := range 5 {
		tickets = append(tickets, &ticket{command: limit(101, 1, schema.Sell, 1, int64(1+i)), done: make(chan error, 1)})
	}
	sent := s.turn(tickets, 3)
	if len(sent) != 1 || sent[0].command.Kind() != new(schema.Continue).Kind() || s.waiting() != 3 {
		t.Errorf("%d sent, %d wait", len(sent), s.waiting())
	}
	for i, ticket := range tickets {
		var err error
		select {
		case err = <-ticket.done:
		default:
		}
		if errors.Is(err, ErrBusy) != (i >= 3) {
			t.Errorf("ticket %d: %v", i, fmt.Sprint(err))
		}
	}
}
