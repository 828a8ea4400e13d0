package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// desk quotes one market for all makers together. What they have in the book, and on a future what they hold, is read again
// every time; the only thing it remembers is of whom it does not know that.
type desk struct {
	market    *market
	makers    []*client
	unsure    []bool          // a write of the maker was not answered
	positions []fixed.Decimal // of the makers, at the last look; nothing where there are none
	chance    *rand.Rand
}

func newDesk(m *market, makers []*client, chance *rand.Rand) *desk {
	return &desk{m, makers, make([]bool, len(makers)), make([]fixed.Decimal, len(makers)), chance}
}

// resting is an open order of a maker.
type resting struct {
	ID    int64   `json:"orderId"`
	Side  string  `json:"side"`
	Price decimal `json:"price"`
}

// place is where an order stands.
type place struct {
	side  string
	price fixed.Decimal
}

// quote brings the orders of the makers to where they should be around the market's price. All that
// is in the way of the new quotes is gone before the first of them is placed.
func (d *desk) quote(ctx context.Context) error {
	if err := d.settle(ctx); err != nil {
		return err
	}
	if err := d.look(ctx); err != nil {
		return err
	}
	levels := ladder(d.market.mid.Load(), d.market.gap, d.market.grid)
	wanted, found := map[place]bool{}, map[place]bool{}
	for _, l := range levels {
		wanted[d.place(l)] = true
	}
	outdated := make([][]int64, len(d.makers))
	for i, c := range d.makers {
		orders, err := d.open(ctx, c)
		if err != nil {
			return err
		}
		if len(orders) == pageSize {
			d.unsure[i] = true
			return fmt.Errorf("%s has more orders on %s than it should", c.name, d.market.name)
		}
		for _, o := range orders {
			if at := (place{o.Side, o.Price.Decimal}); wanted[at] {
				found[at] = true
			} else {
				outdated[i] = append(outdated[i], o.ID)
			}
		}
	}
	for i := range d.makers {
		if err := d.cancel(ctx, i, outdated[i]); err != nil {
			return err
		}
	}
	return d.fill(ctx, slices.DeleteFunc(levels, func(l level) bool { return found[d.place(l)] }))
}

func (d *desk) place(l level) place { return place{l.side, d.market.price(l.ticks)} }

// settle ends all doubt: what a maker sent before is either in the book by now and taken back, or
// has an outdated nonce.
func (d *desk) settle(ctx context.Context) error {
	for i, c := range d.makers {
		if !d.unsure[i] {
			continue
		}
		var none []any
		if err := c.post(ctx, "/api/v4/order/cancel/all", fields{"market": d.market.name}, &none); err != nil {
			return err
		}
		d.unsure[i] = false
	}
	return nil
}

// look reads what the makers hold on a future.
func (d *desk) look(ctx context.Context) (err error) {
	for i := 0; i < len(d.makers) && d.market.future && err == nil; i++ {
		d.positions[i], err = d.makers[i].held(ctx, d.market.name)
	}
	return err
}

// pageSize is the most orders that the API lists at once; more than a maker ever has in a market.
const pageSize = 100

// open are the orders of a maker.
func (d *desk) open(ctx context.Context, maker *client) (orders []resting, err error) {
	err = maker.post(ctx, "/api/v4/orders", fields{"market": d.market.name, "limit": pageSize}, &orders)
	return orders, err
}

// outcome is what became of an item of a bulk request.
type outcome struct {
	Error *struct {
		Code    int                 `json:"code"`
		Message string              `json:"message"`
		Errors  map[string][]string `json:"errors"`
	} `json:"error"`
}

// write sends a bulk request and remembers if its answer was lost. Items that fail with a code that
// is expected are fine: the book has moved on in between.
func (d *desk) write(ctx context.Context, maker int, path string, items []fields, expected ...int) error {
	if len(items) == 0 {
		return nil
	}
	var outcomes []outcome
	err := d.makers[maker].post(ctx, path, fields{"orders": items}, &outcomes)
	if err == nil {
		err = unexpected(path, outcomes, expected)
	}
	d.unsure[maker] = d.unsure[maker] || unsure(err)
	return err
}

// unexpected is the first failure of an item that nobody had to reckon with.
func unexpected(path string, outcomes []outcome, expected []int) error {
	for _, o := range outcomes {
		if o.Error == nil || slices.Contains(expected, o.Error.Code) {
			continue
		}
		status := http.StatusUnprocessableEntity
		if o.Error.Code == http.StatusInternalServerError { // cancel/bulk has it as the code of an item
			status = http.StatusInternalServerError
		}
		return &refused{path, status, fmt.Sprintf("code %d, %s %v", o.Error.Code, o.Error.Message, o.Error.Errors)}
	}
	return nil
}

// cancel takes orders back; those that are gone were filled meanwhile.
func (d *desk) cancel(ctx context.Context, maker int, ids []int64) error {
	items := make([]fields, 0, len(ids))
	for _, id := range ids {
		items = append(items, fields{"market": d.market.name, "orderId": id})
	}
	return d.write(ctx, maker, "/api/v4/order/cancel/bulk", items, http.StatusNotFound)
}

// codePostOnly is the code of an order that would have taken: a visitor stands in its way, and will be
// served by the noise.
const codePostOnly = 13

// pick is who quotes on a side: one of two whom chance picks, rather the one who has less of what it would get. So positions
// of makers stay near each other, and what they hold together is what the others do not.
func (d *desk) pick(side string) int {
	one := d.chance.IntN(len(d.makers))
	two := (one + 1) % len(d.makers)
	room := d.market.room()
	if buys := d.chance.Int64N(1000) < leaning(room, room.Add(d.positions[one]).Sub(d.positions[two])); buys != (side == buy) {
		return two
	}
	return one
}

// fill places quotes.
func (d *desk) fill(ctx context.Context, levels []level) error {
	items := make([][]fields, len(d.makers))
	for _, l := range levels {
		i := d.pick(l.side)
		items[i] = append(items[i], fields{
			"market": d.market.name, "side": l.side, "price": d.market.price(l.ticks).String(),
			"amount": d.market.amount(d.market.size(l, d.chance)).String(), "postOnly": true,
		})
	}
	for i := range d.makers {
		for len(items[i]) > 0 {
			n := min(len(items[i]), schema.MaxBulkOrders)
			if err := d.write(ctx, i, d.market.bulk(), items[i][:n], codePostOnly); err != nil {
				return err
			}
			items[i] = items[i][n:]
		}
	}
	return nil
}

// bulk is where several limit orders are placed at once.
func (m *market) bulk() string {
	if m.future {
		return "/api/v4/order/collateral/bulk"
	}
	return "/api/v4/order/bulk"
}
