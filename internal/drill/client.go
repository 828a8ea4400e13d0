package drill

import (
	"fmt"
	"math/rand/v2"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// client is a trader. What it sends next follows from its seed and the answers so far.
type client struct {
	number  int
	counter int // of the last command
	run     uint64
	account schema.AccountID
	markets []schema.MarketID
	assets  []schema.AssetID
	random  *rand.Rand
	open    []schema.OrderRef // own orders that were open when last heard of
	sent    schema.Command
}

// openOrders is how many orders a client keeps open, so that books stay small in a long drill.
const openOrders = 24

// newClients makes the clients of a run that began behind a place of the log.
func newClients(m core.View, count int, run, seed uint64) []*client {
	var clients []*client
	for number := 1; number <= count; number++ {
		c := &client{
			number: number, run: run, account: m.Accounts().ByName(accountName(number)).ID,
			random: rand.New(rand.NewPCG(seed, run<<16|uint64(number))),
		}
		for _, ticker := range tickers {
			c.assets = append(c.assets, m.Listing().AssetByTicker(ticker).ID)
		}
		for _, base := range tickers[1:] {
			c.markets = append(c.markets, m.Listing().MarketByName(marketName(base)).ID)
		}
		clients = append(clients, c)
	}
	return clients
}

// next is the next command. It is a new one each time: the node may hold on to it.
func (c *client) next() schema.Command {
	c.counter++
	c.sent = c.choose()
	return c.sent
}

func (c *client) choose() schema.Command {
	if c.counter == 1 {
		// Orders of a run that died are nobody's any more.
		return &schema.CancelAll{Account: c.account}
	}
	switch dice := c.random.IntN(100); {
	case dice < 8:
		return c.transfer()
	case len(c.open) >= openOrders || len(c.open) > 0 && dice < 25:
		return &schema.CancelOrder{Account: c.account, Order: c.pick()}
	case len(c.open) > 0 && dice < 38:
		return &schema.ModifyOrder{Account: c.account, Order: c.pick(), Price: schema.Some(c.price())}
	default:
		return &schema.PlaceOrder{Account: c.account, Order: c.order()}
	}
}

// order has the number of its command in its name.
func (c *client) order() schema.OrderRequest {
	name, err := schema.ParseClientID(fmt.Sprintf("run%d-%d-%d", c.run, c.number, c.counter))
	if err != nil {
		panic(err)
	}
	r := schema.OrderRequest{
		Market: c.markets[c.random.IntN(len(c.markets))], Type: schema.Limit, Side: schema.Buy,
		Amount: fixed.FromInt(1 + c.random.Int64N(5)), Price: c.price(), ClientID: name,
	}
	if c.random.IntN(2) == 0 {
		r.Side = schema.Sell
	}
	switch dice := c.random.IntN(20); {
	case dice < 2:
		r.IOC = true
	case dice < 5:
		r.PostOnly = true
	case dice < 6:
		r.Type, r.Price = schema.StockMarket, fixed.Decimal{}
	case dice < 8:
		r.Type, r.ActivationPrice = schema.StopLimit, c.price()
	}
	return r
}

func (c *client) price() fixed.Decimal { return fixed.FromInt(90 + c.random.Int64N(21)) }

// transfer has the number of its command in the decimals of its amount.
func (c *client) transfer() schema.Command {
	t := &schema.Transfer{
		Account: c.account, Asset: c.assets[c.random.IntN(len(c.assets))],
		Amount: fixed.FromUnits(int64(c.counter), 8), From: schema.Main, To: schema.Trade,
	}
	if c.random.IntN(2) == 0 {
		t.From, t.To = t.To, t.From
	}
	return t
}

// pick takes an order from the list; whatever the answer, this order is gone then. It is named
// by either of its ids.
func (c *client) pick() schema.OrderRef {
	i := c.random.IntN(len(c.open))
	ref := c.open[i]
	last := len(c.open) - 1
	c.open[i], c.open = c.open[last], c.open[:last]
	if c.random.IntN(2) == 0 {
		ref.ClientID = schema.ClientID{}
	} else {
		ref.ID = 0
	}
	return ref
}

// answered takes what became of the last command.
func (c *client) answered(r *schema.Result) {
	switch c.sent.(type) {
	case *schema.PlaceOrder, *schema.ModifyOrder:
		if o := &r.Order; o.Alive() {
			c.open = append(c.open, schema.OrderRef{Market: o.Market, ID: o.ID, ClientID: o.ClientID})
		}
	}
}

// answer is what the line of an acknowledgement says of a command: its kind, and the order (or
// whatever else it made or changed), "done", or "refused".
func answer(command schema.Command, r *schema.Result) string {
	kind, id := "setup", r.ID
	switch command.(type) {
	case *schema.PlaceOrder:
		kind, id = "place", uint64(r.Order.ID)
	case *schema.CancelOrder:
		kind, id = "cancel", uint64(r.Order.ID)
	case *schema.ModifyOrder:
		kind, id = "modify", uint64(r.Order.ID)
	case *schema.CancelAll:
		kind = "cancelall"
	case *schema.Transfer:
		kind = "transfer"
	}
	switch {
	case r.Rejection.Refused():
		return kind + " refused"
	case id == 0:
		return kind + " done"
	default:
		return fmt.Sprintf("%s %d", kind, id)
	}
}
