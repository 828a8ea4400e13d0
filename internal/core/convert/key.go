package convert

import (
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

const (
	mostKeys   = 2_000_000 // recorded answers
	mostKeysOf = 10_000    // of one account
	recordLife = 24 * 3600 * schema.Second
)

// recorded are the answers to conversions with a key, in the order of their commands, so that a repetition converts nothing.
type recorded struct {
	records slab.Shelf[record, *record]
	order   slab.List
	places  map[schema.Digest]uint32 // only ever asked
	counts  map[schema.AccountID]int // only ever asked
	kept    int
}

// record is what a key was used for. What was asked for is in the deal: it gives or receives the amount.
type record struct {
	slab.Links
	key  schema.Digest
	inTo bool
	deal
}

func (r *record) ends() schema.Time { return r.done + recordLife }

// answers reports whether a record is about an exchange, whose amount is cut.
func (r *record) answers(x *schema.Exchange) bool {
	amount := r.give
	if r.inTo {
		amount = r.receive
	}
	return r.account == x.Account && r.from == x.From && r.to == x.To && r.inTo == x.InTo && amount == x.Amount
}

func (c *Conversions) auto(m *schema.AutoConvert) schema.Rejection {
	account, r := c.accounts.Customer(m.Exchange.Account)
	if r.Refused() {
		return r
	}
	x := c.cut(m.Exchange)
	if known := c.recorded.find(m.Key, c.out.Time); known != nil {
		if !known.answers(&x) {
			return schema.Refuse(schema.ConversionKeyUsed)
		}
		answer := known.message()
		c.out.Result.Conversion, c.out.Result.ID = &answer, uint64(known.id)
		return schema.Rejection{}
	}
	if !c.settings.On {
		return schema.Refuse(schema.ConversionsOff)
	}
	o, r := c.offer(account, &x)
	if r.Refused() {
		return r
	}
	if r := c.within(&o, 0); r.Refused() {
		return r
	}
	if !m.Key.IsZero() && (c.kept >= c.MostKeys || c.counts[account.ID] >= mostKeysOf) {
		return schema.Rejection{Reason: schema.ConversionKeysTooMany}
	}
	c.last++
	o.id = c.last
	c.execute(&o.deal, o.value, false)
	if !m.Key.IsZero() {
		if over := c.places[m.Key]; over != 0 {
			c.drop(over)
		}
		c.record(&record{key: m.Key, inTo: x.InTo, deal: o.deal})
	}
	return schema.Rejection{}
}

// find is what a key was used for, if that is recognised at a moment.
func (r *recorded) find(key schema.Digest, now schema.Time) *record {
	place := r.places[key]
	if place == 0 || r.records.At(place).ends() <= now {
		return nil
	}
	return r.records.At(place)
}

func (r *recorded) record(m *record) {
	place, at := r.records.Take()
	*at = *m
	r.records.Push(&r.order, place)
	r.places[m.key] = place
	r.counts[m.account]++
	r.kept++
}

func (r *recorded) drop(place uint32) {
	m := r.records.At(place)
	delete(r.places, m.key)
	if r.counts[m.account]--; r.counts[m.account] == 0 {
		delete(r.counts, m.account)
	}
	r.kept--
	r.records.Pull(place)
	r.records.Give(place)
}

// dropOver drops records that ended, some at once.
func (r *recorded) dropOver(now schema.Time) {
	for range slice {
		if r.order.First == 0 || r.records.At(r.order.First).ends() > now {
			return
		}
		r.drop(r.order.First)
	}
}
