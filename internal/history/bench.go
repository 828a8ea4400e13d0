package history

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What Fill writes about. FillBusy is the account that every tenth row is of.
const (
	FillAccounts = 10_000
	FillMarkets  = 20
	FillBusy     = schema.FirstCustomer
)

// fillBatch is how many rows one batch has.
const fillBatch = 1000

// Fill puts synthetic rows, orders and deals in turn, behind what a store has, for figures and for
// tests of large stores. They are written as a follower writes them that has much to do: several
// batches at once. The same call writes the same rows. It reports to progress, if there is one, how many
// are written.
func Fill(ctx context.Context, store Store, rows int, progress func(int)) error {
	seq, err := store.Seq(ctx)
	if err != nil {
		return fmt.Errorf("filling a store: %w", err)
	}
	random := rand.New(rand.NewPCG(1, seq))
	records := make([]Record, 0, recordsAtOnce+fillBatch)
	for written := 0; written < rows; {
		records = records[:0]
		for len(records) < min(recordsAtOnce, rows-written) {
			seq++
			for place := range min(fillBatch, rows-written-len(records)) {
				records = append(records, fillRow(random, seq, uint64(place)))
			}
		}
		if err := store.Write(ctx, seq, records); err != nil {
			return fmt.Errorf("filling a store: %w", err)
		}
		written += len(records)
		if progress != nil {
			progress(written)
		}
	}
	return nil
}

// fillRow makes up a record that looks like those of an exchange. Every second one is of an order
// with a client order id, and one in a hundred orders was ended by a maintenance.
func fillRow(random *rand.Rand, seq, place uint64) Record {
	id := seq*fillBatch + place
	account := FillBusy
	if random.IntN(10) != 0 {
		account += 1 + schema.AccountID(random.IntN(FillAccounts-1))
	}
	market := schema.MarketID(1 + random.IntN(FillMarkets))
	at := schema.Time(1_750_000_000)*schema.Second + schema.Time(id)*100*schema.Microsecond
	price, amount := fixed.FromInt(int64(20_000+random.IntN(1000))), fixed.FromInt(int64(1+random.IntN(10)))
	var client schema.ClientID
	if random.IntN(2) == 0 {
		client, _ = schema.ParseClientID(fmt.Sprintf("fill-%d", id)) // letters and digits are allowed
	}
	r := Record{Account: account, Market: market, Time: at, ID: id, Seq: seq}
	if place%2 == 0 {
		r.Kind, r.Ref = Deals, id+fillBatch
		r.Payload = &Deal{
			ID: schema.DealID(id), Order: schema.OrderID(r.Ref), Counter: schema.OrderID(id + 1), Market: market, Side: schema.Buy,
			Role: Taker, Price: price, Amount: amount, Money: price, Fee: fixed.MustParse("0.001"), ClientID: client,
		}
		return r
	}
	o := &schema.Order{
		ID: schema.OrderID(id), Account: account, Market: market, Type: schema.Limit, Side: schema.Sell, Status: schema.Canceled,
		Price: price, Amount: amount, Left: amount, Created: at - schema.Second, Updated: at, ClientID: client,
	}
	switch n := random.IntN(1000); {
	case n < 10:
		o.Status = schema.Maintenance
	case n < 300:
		o.Status, o.Left, o.DealStock, o.DealMoney = schema.Filled, fixed.Zero, amount, price
	case n < 400:
		o.DealStock, o.DealMoney = fixed.MustParse("0.5"), price
	}
	r.Kind, r.Class, r.Ref, r.Tag, r.Payload = Orders, outcome(o), id, client.String(), o
	return r
}
