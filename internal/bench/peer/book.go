package peer

import (
	"cmp"
	"slices"
)

// order is one order at rest. Its size is what remains to be filled.
type order struct {
	id    int64
	user  int32
	bid   bool
	price int64
	size  int64
}

// level holds the orders at one price, oldest first.
type level struct {
	price  int64
	orders []*order
}

// fill is one trade against a resting order; done says that the order left
// the book with it.
type fill struct {
	maker int64
	price int64
	size  int64
	done  bool
}

// book is a price-time priority order book written to be checked by reading:
// each side is a plain slice of levels, best price first. The generator needs
// it because later commands depend on what earlier ones traded.
type book struct {
	asks   []*level
	bids   []*level
	orders map[int64]*order
	fills  []fill
}

func newBook() *book {
	return &book{orders: make(map[int64]*order)}
}

// apply executes one command. It returns the trades, valid until the next
// call, and how much of an instant order found no counterparty. Cancel, Move
// and Reduce must name an order at rest.
func (b *book) apply(c Command) (fills []fill, rejected int64) {
	b.fills = b.fills[:0]
	switch c.Kind {
	case Place:
		rejected = b.place(c)
	case Cancel:
		b.remove(b.orders[c.Order])
	case Move:
		moved := b.orders[c.Order]
		b.remove(moved)
		moved.price = c.Price
		b.enter(moved)
	case Reduce:
		reduced := b.orders[c.Order]
		reduced.size -= min(c.Size, reduced.size)
		if reduced.size == 0 {
			b.remove(reduced)
		}
	}
	return b.fills, rejected
}

func (b *book) place(c Command) (rejected int64) {
	taker := &order{id: c.Order, user: c.User, bid: c.Bid, price: c.Price, size: c.Size}
	switch c.Type {
	case IOC:
		b.match(taker, func(price int64) bool { return crosses(taker, price) })
		return taker.size
	case Budget:
		if b.affordable(c) {
			b.match(taker, func(int64) bool { return true })
		}
		return taker.size
	default:
		b.enter(taker)
		return 0
	}
}

// enter trades an order as far as its price allows and rests what is left
// behind the orders already at that price.
func (b *book) enter(o *order) {
	b.match(o, func(price int64) bool { return crosses(o, price) })
	if o.size == 0 {
		return
	}
	side := b.side(o.bid)
	i, found := find(*side, o.bid, o.price)
	if !found {
		*side = slices.Insert(*side, i, &level{price: o.price})
	}
	(*side)[i].orders = append((*side)[i].orders, o)
	b.orders[o.id] = o
}

// match fills the taker from the best opposite orders, oldest first at each
// price, while it has size left and accepts the price.
func (b *book) match(taker *order, accepts func(price int64) bool) {
	opposite := b.side(!taker.bid)
	for taker.size > 0 && len(*opposite) > 0 && accepts((*opposite)[0].price) {
		maker := (*opposite)[0].orders[0]
		size := min(taker.size, maker.size)
		taker.size -= size
		maker.size -= size
		if maker.size == 0 {
			b.remove(maker)
		}
		b.fills = append(b.fills, fill{maker: maker.id, price: maker.price, size: size, done: maker.size == 0})
	}
}

// affordable says whether a budget order can be filled whole: a bid for at
// most its budget, an ask for at least its budget.
func (b *book) affordable(c Command) bool {
	left, money := c.Size, int64(0)
	for _, l := range *b.side(!c.Bid) {
		for _, o := range l.orders {
			size := min(left, o.size)
			left -= size
			money += size * l.price
		}
	}
	if left > 0 {
		return false
	}
	if c.Bid {
		return money <= c.Price
	}
	return money >= c.Price
}

// remove takes a resting order out of its level, and the level out of the
// book when it was the last one there.
func (b *book) remove(o *order) {
	side := b.side(o.bid)
	i, _ := find(*side, o.bid, o.price)
	l := (*side)[i]
	at := slices.Index(l.orders, o)
	l.orders = slices.Delete(l.orders, at, at+1)
	if len(l.orders) == 0 {
		*side = slices.Delete(*side, i, i+1)
	}
	delete(b.orders, o.id)
}

func (b *book) side(bid bool) *[]*level {
	if bid {
		return &b.bids
	}
	return &b.asks
}

// find returns where the level of a price is, or belongs, among the levels of
// one side.
func find(levels []*level, bid bool, price int64) (int, bool) {
	return slices.BinarySearchFunc(levels, price, func(l *level, price int64) int {
		if bid {
			return cmp.Compare(price, l.price)
		}
		return cmp.Compare(l.price, price)
	})
}

func crosses(taker *order, price int64) bool {
	if taker.bid {
		return price <= taker.price
	}
	return price >= taker.price
}

// orderCount returns the number of orders at rest on one side.
func orderCount(levels []*level) int {
	n := 0
	for _, l := range levels {
		n += len(l.orders)
	}
	return n
}

// summary returns the check values of one side.
func summary(levels []*level) Side {
	s := Side{Orders: orderCount(levels), Levels: len(levels)}
	if len(levels) > 0 {
		s.Best = levels[0].price
	}
	for _, l := range levels {
		for _, o := range l.orders {
			s.Volume += o.size
		}
	}
	return s
}
