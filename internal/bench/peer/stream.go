package peer

import (
	"math"
	"slices"
)

// window is the most commands between two looks at the book's size, the most
// orders a side may lack before it is filled in a hurry, and how many of the
// oldest orders commands pick from.
const window = 512

// Stream makes the first count commands of a symbol's stream. The first target
// commands fill the book; the others keep about half of target orders on each
// side. Equal arguments make equal streams.
func Stream(symbol, seed, users, target, count int) ([]Command, Totals) {
	g := newGenerator(symbol, seed, users, target)
	commands := make([]Command, 0, count)
	for i := range count {
		var c Command
		if i < target {
			c = g.resting()
		} else {
			c = g.step()
		}
		g.play(c)
		if i >= g.nextCheck {
			g.nextCheck += g.checkEvery
			g.look()
		}
		commands = append(commands, c)
	}
	g.totals.Asks, g.totals.Bids = summary(g.book.asks), summary(g.book.bids)
	return commands, g.totals
}

// generator is the state that the next command depends on.
type generator struct {
	random *javaRandom
	book   *book
	totals Totals
	users  int32
	half   int

	// live has the ids of the resting orders, oldest first. Ids only grow, so
	// it is sorted.
	live   []int64
	nextID int64

	deviation int32
	minPrice  int64
	maxPrice  int64
	lastTrade int64
	// drift is 1 or -1 after a trade at a bound: it tilts the choice of side
	// so that the price turns back.
	drift int32

	checkEvery int
	nextCheck  int
	// The orders on each side when the book was last looked at. The commands
	// react to these, not to the book as it is.
	seenAsks int
	seenBids int
	// filled is set once a side was drawn that lacks no orders. Until then
	// every command is a GTC order.
	filled bool
}

func newGenerator(symbol, seed, users, target int) *generator {
	random := newJavaRandom(int64(javaHash(int32(symbol)*-177277, int32(seed)*10037+198267)))
	// The conversions keep the compiler from fusing multiplication and addition,
	// which would round differently from Java on some processors.
	exponent := 3.3 + float64(random.nextDouble()*1.5) + float64(random.nextDouble()*1.5)
	price := int64(math.Pow(10, exponent))
	deviation := min(int64(float64(price)*0.05), 10_000)
	checkEvery := min(window, target+1)
	return &generator{
		random:     random,
		book:       newBook(),
		users:      int32(users),
		half:       target / 2,
		nextID:     1,
		deviation:  int32(deviation),
		minPrice:   price - 5*deviation,
		maxPrice:   price + 5*deviation,
		lastTrade:  price,
		checkEvery: checkEvery,
		nextCheck:  checkEvery,
	}
}

// step draws a command of the measured part. Orders are added while the drawn
// side lacks some and taken by instant orders otherwise; unless the lack is
// urgent, most commands work on an order that already rests.
func (g *generator) step() Command {
	lack := g.half - g.seenAsks
	if g.bid() {
		lack = g.half - g.seenBids
	}
	grow := lack > 0
	var choices int32
	switch {
	case !grow:
		g.filled = true
		choices = 40
	case !g.filled || lack > min(window, g.half*3/4):
		choices = 2
	default:
		choices = 10
	}
	choice := g.random.nextInt(choices)
	if choice < 2 || len(g.live) == 0 {
		if grow {
			return g.resting()
		}
		return g.instant()
	}
	victim := g.book.orders[g.live[g.random.nextInt(int32(min(len(g.live), window)))]]
	c := Command{User: victim.user, Order: victim.id, Bid: victim.bid}
	switch choice {
	case 2:
		c.Kind = Cancel
	case 3:
		c.Kind = Reduce
		c.Size = int64(g.random.nextInt(int32(victim.size))) + 1
	default:
		c.Kind = Move
		c.Price = g.nearer(victim.price)
	}
	return c
}

// resting draws a GTC order near the last trade: bids at or below it, asks at
// or above it, denser the closer.
func (g *generator) resting() Command {
	bid := g.bid()
	user := g.user()
	u := g.random.nextDouble()
	spread := 1 + int32(u*u*float64(g.deviation))
	var sum int32
	for range 4 {
		sum += g.random.nextInt(spread)
	}
	offset := sum/4*2 - spread
	if (offset > 0) == bid {
		offset = -offset
	}
	return g.place(Command{Type: GTC, Bid: bid, User: user, Price: g.lastTrade + int64(offset), Size: g.size(6)})
}

// instant draws an order that takes what it meets at any price up to the far
// bound.
func (g *generator) instant() Command {
	c := Command{Type: IOC, Bid: g.bid(), User: g.user(), Price: g.minPrice}
	if c.Bid {
		c.Price = g.maxPrice
	}
	if g.random.nextInt(32) == 0 {
		c.Type = Budget
		c.Size = g.size(8)
		c.Price *= c.Size
	} else {
		c.Size = g.size(6)
	}
	return g.place(c)
}

func (g *generator) place(c Command) Command {
	c.Kind = Place
	c.Order = g.nextID
	g.nextID++
	return c
}

func (g *generator) bid() bool {
	return g.random.nextInt(4)+g.drift >= 2
}

func (g *generator) user() int32 {
	return 1 + g.random.nextInt(g.users)
}

func (g *generator) size(bound int32) int64 {
	return 1 + int64(g.random.nextInt(bound)*g.random.nextInt(bound)*g.random.nextInt(bound))
}

// nearer returns a price one hundredth of the way, and at least one, closer to
// the last trade. At the last trade it steps off to either side.
func (g *generator) nearer(price int64) int64 {
	way := float64(g.lastTrade-price) * 0.01
	var by int64
	switch {
	case price > g.lastTrade:
		by = int64(math.Floor(way))
	case price < g.lastTrade:
		by = int64(math.Ceil(way))
	default:
		by = int64(g.random.nextInt(2))*2 - 1
	}
	return min(price+by, g.maxPrice)
}

// play executes a command on the book and takes up what the next ones depend
// on.
func (g *generator) play(c Command) {
	fills, rejected := g.book.apply(c)
	for _, f := range fills {
		if f.done {
			g.forget(f.maker)
		}
		g.lastTrade = min(max(f.price, g.minPrice), g.maxPrice)
		if f.price <= g.minPrice {
			g.drift = 1
		} else if f.price >= g.maxPrice {
			g.drift = -1
		}
		g.totals.Trades++
		g.totals.Volume += f.size
		g.totals.Notional += f.size * f.price
	}
	if len(fills) > 0 {
		g.totals.Trading++
	}
	if rejected > 0 {
		g.look()
	}
	_, rests := g.book.orders[c.Order]
	switch {
	case c.Kind != Place && !rests:
		g.forget(c.Order)
	case c.Kind == Place && rests:
		g.live = append(g.live, c.Order)
	}
}

func (g *generator) forget(id int64) {
	at, _ := slices.BinarySearch(g.live, id)
	g.live = slices.Delete(g.live, at, at+1)
}

// look brings what the generator knows of the book's size up to date.
func (g *generator) look() {
	g.seenAsks, g.seenBids = orderCount(g.book.asks), orderCount(g.book.bids)
}
