package convert

import (
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	mostOpen   = 5                    // quotes of an account
	mostKnown  = 20                   // quotes of an account that are remembered, with the open ones
	remembered = 3600 * schema.Second // how long a quote that ended is
)

// quote is a deal that can be done, or that it could be: of one that ended the number, the account and when it was done are kept.
type quote struct {
	deal
	slab.Links
	value fixed.Decimal
	ended schema.Time // 0: it is open
}

func (c *Conversions) quote(m *schema.QuoteConversion) schema.Rejection {
	account, r := c.accounts.Customer(m.Exchange.Account)
	switch {
	case r.Refused():
		return r
	case !c.settings.On:
		return schema.Refuse(schema.ConversionsOff)
	}
	x := c.cut(m.Exchange)
	o, r := c.offer(account, &x)
	if r.Refused() {
		return r
	}
	older := c.replaced(&o.deal)
	if r := c.within(&o, older); r.Refused() {
		return r
	}
	if older != 0 {
		c.end(older)
	}
	c.last++
	o.id = c.last
	c.freeze(&o.deal, o.receive)
	c.add(&quote{deal: o.deal, value: o.value})
	answer := o.message()
	c.out.Result.Conversion, c.out.Result.ID = &answer, uint64(o.id)
	return schema.Rejection{}
}

// replaced is the open quote that ends when a deal becomes one: that of the pair, or the oldest of too many; 0: none.
func (c *Conversions) replaced(d *deal) (oldest uint32) {
	count := 0
	for _, place := range c.known[d.account] {
		q := c.quotes.At(place)
		if q.ended != 0 {
			continue
		}
		if q.from == d.from && q.to == d.to {
			return place
		}
		if count++; oldest == 0 {
			oldest = place
		}
	}
	if count < mostOpen {
		return 0
	}
	return oldest
}

// add keeps an open quote with the highest number of its account.
func (c *Conversions) add(q *quote) {
	place, at := c.quotes.Take()
	*at = *q
	c.quotes.Push(&c.open, place)
	family := c.accounts.Root(q.account).ID
	c.families[family] = append(c.families[family], place)
	known := append(c.known[q.account], place)
	c.known[q.account] = known
	// The one that is no more among the newest is forgotten, or when it ends if it is open.
	if i := len(known) - 1 - mostKnown; i >= 0 && c.quotes.At(known[i]).ended != 0 {
		c.forget(known[i])
	}
}

// freeze sets aside what the inventory gives by a deal; a negative amount becomes available again.
func (c *Conversions) freeze(d *deal, amount fixed.Decimal) {
	c.ledger.Freeze(c.ledger.Find(schema.Convert, schema.Main, d.to), amount, ledger.Note{Cause: schema.ByConversion, Ref: uint64(d.id)})
}

// end ends an open quote that was not confirmed.
func (c *Conversions) end(place uint32) {
	q := c.quotes.At(place)
	c.freeze(&q.deal, q.receive.Neg())
	c.close(place)
}

// close makes an open quote one that ended, and remembers it if it is among the newest of its account.
func (c *Conversions) close(place uint32) {
	q := c.quotes.At(place)
	family := c.accounts.Root(q.account).ID
	remove(c.families, family, place)
	c.quotes.Pull(place)
	*q = quote{deal: deal{id: q.id, account: q.account, done: q.done}, ended: c.out.Time}
	c.quotes.Push(&c.ended, place)
	if known := c.known[q.account]; slices.Index(known, place) < len(known)-mostKnown {
		c.forget(place)
	}
}

// forget forgets a quote that ended.
func (c *Conversions) forget(place uint32) {
	remove(c.known, c.quotes.At(place).account, place)
	c.quotes.Pull(place)
	c.quotes.Give(place)
}

// remove takes a place out of a list.
func remove(lists map[schema.AccountID][]uint32, account schema.AccountID, place uint32) {
	list := lists[account]
	at := slices.Index(list, place)
	if list = slices.Delete(list, at, at+1); len(list) == 0 {
		delete(lists, account)
		return
	}
	lists[account] = list
}

// remembers reports whether a quote that ended still counts.
func (c *Conversions) remembers(q *quote) bool { return c.out.Time < q.ended+remembered }

func (c *Conversions) confirm(m *schema.ConfirmConversion) schema.Rejection {
	if _, r := c.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	if !c.settings.On {
		return schema.Refuse(schema.ConversionsOff)
	}
	place := c.find(m.Account, m.Quote)
	if place == 0 {
		return schema.Refuse(schema.QuoteUnknown)
	}
	q := c.quotes.At(place)
	switch {
	case q.ended != 0 && !c.remembers(q):
		return schema.Refuse(schema.QuoteUnknown)
	case q.done != 0:
		return schema.Refuse(schema.QuoteUsed)
	case q.ended != 0 || q.expires <= c.out.Time:
		return schema.Refuse(schema.QuoteExpired)
	}
	if r := c.covered(&q.deal); r.Refused() {
		return r
	}
	c.execute(&q.deal, q.value, true)
	c.close(place)
	return schema.Rejection{}
}

// find is the quote of an account with a number, 0: there is none.
func (c *Conversions) find(account schema.AccountID, id schema.ConversionID) uint32 {
	for _, place := range c.known[account] {
		if c.quotes.At(place).id == id {
			return place
		}
	}
	return 0
}
