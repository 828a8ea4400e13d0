package naive

import (
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// The lives and bounds of conversions.
const (
	quoteLife         = 10 * second
	quotesMost        = 5    // of an account that are open
	quotesKnown       = 20   // of an account, its newest numbers
	quoteKnownFor     = hour // after it ended
	hubsMost          = 4    // settings
	recordLife        = 24 * hour
	recordsMost       = 10_000 // of an account
	recordsOfAll      = 2_000_000
	conversionsATick  = 1000 // quotes that end, and records that are dropped
	conversionDecimal = 8    // of amounts, rates and values
)

// conversions are quotes and what was converted by them. The inventory is on the other side.
type conversions struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	prices   *prices
	// steps is how many orders a quote may look at.
	steps *int

	set      *schema.SetConversion // nil: nobody ever did
	quotes   []*offer              // all that there ever were, by number
	records  []*record             // of conversions with a key, the first first
	done     []*offer              // what was converted
	losses   []loss
	changes  []indexChange
	lastMade schema.ConversionID
}

// offer is a quote that a customer got.
type offer struct {
	schema.Conversion
	master schema.AccountID
	value  num // in USDT when it was made
	over   bool
	ended  schema.Time // when it was over
	// forgotten says that it was over and is not remembered any more.
	forgotten bool
}

// record is the answer to a conversion with a key.
type record struct {
	key   schema.Digest
	asked schema.Exchange // with the amount as it was cut
	made  schema.Conversion
	at    schema.Time
}

// loss is what a conversion cost the inventory in USDT, less than zero if it brought something.
type loss struct {
	hour  schema.Time
	value num
}

func (s *conversions) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetConversion:
		result = reject(s.change(c))
	case *schema.QuoteConversion:
		result = s.quote(&c.Exchange)
	case *schema.ConfirmConversion:
		result = s.confirm(c)
	case *schema.AutoConvert:
		result = s.auto(c)
	default:
		return nil
	}
	return &result
}

func (s *conversions) change(c *schema.SetConversion) schema.Rejection {
	spread := of(c.Spread)
	invalid := spread.sign() < 0 || !spread.less(one) || !spread.multipleOf(unit(6)) || len(c.Hubs) > hubsMost
	for i, hub := range c.Hubs {
		invalid = invalid || s.listing.asset(hub) == nil || slices.Contains(c.Hubs[:i], hub)
	}
	for _, bound := range []num{of(c.OpenMost), of(c.DayMost), of(c.LossMost)} {
		invalid = invalid || bound.sign() <= 0 || !bound.multipleOf(unit(8))
	}
	if invalid {
		return about(schema.ConversionInvalid, whole(hubsMost))
	}
	if c.On {
		s.losses = nil
	}
	s.setTo(*c)
	return accepted
}

// setTo changes the settings and says so.
func (s *conversions) setTo(c schema.SetConversion) {
	c.Hubs = slices.Clone(c.Hubs)
	s.set = &c
	said := c
	said.Hubs = slices.Clone(c.Hubs)
	s.call.record(&schema.ConversionChanged{Conversion: said})
}

// off reports whether conversions are switched off.
func (s *conversions) off() bool { return s.set == nil || !s.set.On }

// open are the open quotes of those that are chosen, by number.
func (s *conversions) open(chosen func(*offer) bool) (list []*offer) {
	for _, q := range s.quotes {
		if !q.over && chosen(q) {
			list = append(list, q)
		}
	}
	return list
}

// ofAccount are the open quotes of an account, by number.
func (s *conversions) ofAccount(a schema.AccountID) []*offer {
	return s.open(func(q *offer) bool { return q.Account == a })
}

// replaced is the quote that ends before an account has one more of a pair, or nil.
func (s *conversions) replaced(e *schema.Exchange) *offer {
	list := s.ofAccount(e.Account)
	for _, q := range list {
		if q.From == e.From && q.To == e.To {
			return q
		}
	}
	if len(list) >= quotesMost {
		return list[0]
	}
	return nil
}

func (s *conversions) quote(e *schema.Exchange) schema.Result {
	if _, r := s.accounts.trader(e.Account); refused(r) {
		return reject(r)
	}
	if s.off() {
		return refuse(schema.ConversionsOff)
	}
	older := s.replaced(e)
	made, r := s.price(e, older)
	if refused(r) {
		return reject(r)
	}
	if older != nil {
		s.end(older)
	}
	s.number(made)
	s.quotes = append(s.quotes, made)
	s.forget(made.Account)
	s.ledger.freeze(in(inventory), made.To, of(made.Receive), byConversion(made))
	return made.answer()
}

// number gives a quote its number and its end.
func (s *conversions) number(q *offer) {
	s.lastMade++
	q.ID, q.Expires = s.lastMade, s.call.at+quoteLife
}

// byConversion is why money moves because of a quote.
func byConversion(q *offer) why { return why{schema.ByConversion, uint64(q.ID)} }

// view is a quote as it is now.
func (q *offer) view() schema.Conversion {
	now := q.Conversion
	now.Path = slices.Clone(q.Path)
	return now
}

func (q *offer) answer() schema.Result {
	made := q.view()
	return schema.Result{ID: uint64(q.ID), Conversion: &made}
}

// end ends a quote that was not confirmed. What it set aside is free again.
func (s *conversions) end(q *offer) {
	s.ledger.freeze(in(inventory), q.To, of(q.Receive).neg(), byConversion(q))
	q.over, q.ended = true, s.call.at
	s.forget(q.Account)
}

// forget forgets the quotes of an account that are over and not among its newest.
func (s *conversions) forget(a schema.AccountID) {
	var all []*offer
	for _, q := range s.quotes {
		if q.Account == a && !q.forgotten {
			all = append(all, q)
		}
	}
	for _, q := range all[:max(0, len(all)-quotesKnown)] {
		q.forgotten = q.over
	}
}

// known finds a quote that an account has, if it is open or still remembered, or nil.
func (s *conversions) known(a schema.AccountID, id schema.ConversionID) *offer {
	for _, q := range s.quotes {
		if q.Account == a && q.ID == id && (!q.over || !q.forgotten && s.call.at < q.ended+quoteKnownFor) {
			return q
		}
	}
	return nil
}

func (s *conversions) confirm(c *schema.ConfirmConversion) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	q := s.known(c.Account, c.Quote)
	switch {
	case s.off():
		return refuse(schema.ConversionsOff)
	case q == nil:
		return refuse(schema.QuoteUnknown)
	case q.Done != 0:
		return refuse(schema.QuoteUsed)
	case q.over, s.call.at >= q.Expires:
		return refuse(schema.QuoteExpired)
	case !s.covered(q):
		return refuse(schema.ConversionNotCovered)
	}
	s.convert(q, true)
	s.forget(q.Account)
	return q.answer()
}

// covered reports whether the account of a quote has what it gives.
func (s *conversions) covered(q *offer) bool {
	return !of(q.Give).more(s.ledger.balance(q.Account, schema.Trade, q.From).available)
}

// convert moves the money of a quote, whose side of the inventory was set aside or not.
func (s *conversions) convert(q *offer, frozen bool) {
	account, give, receive := holder{q.Account, schema.Trade}, of(q.Give), of(q.Receive)
	s.ledger.move(account, in(inventory), q.From, give, byConversion(q))
	if frozen {
		s.ledger.spend(in(inventory), q.To, receive, byConversion(q))
		s.ledger.receive(q.Account, schema.Trade, q.To, receive, byConversion(q))
	} else {
		s.ledger.move(in(inventory), account, q.To, receive, byConversion(q))
	}
	q.Done, q.over, q.ended = s.call.at, true, s.call.at
	s.done = append(s.done, q)
	s.call.record(&schema.Converted{Conversion: q.view()})

	from, _ := s.prices.asset(q.From)
	to, _ := s.prices.asset(q.To)
	lost := least(largest, receive.times(to).ceil(unit(conversionDecimal))).minus(least(largest, give.times(from).floor(unit(conversionDecimal))))
	s.losses = append(s.losses, loss{hourOf(s.call.at), lost})
	if s.lost().more(of(s.set.LossMost)) {
		set := *s.set
		set.On = false
		s.setTo(set)
	}
}

// lost is what the inventory lost in the hour of the clock under way and the 23 before.
func (s *conversions) lost() num {
	all := num{}
	for hour := hourOf(s.call.at) - hoursADay + 1; hour <= hourOf(s.call.at); hour++ {
		sum := num{}
		for _, l := range s.losses {
			if l.hour == hour {
				sum = least(largest, sum.plus(l.value))
			}
		}
		all = all.plus(sum)
	}
	return least(largest, all)
}

// convertedBy is the value of what a family converted in the hour of the clock under way and the 23 before.
func (s *conversions) convertedBy(master schema.AccountID) num {
	sum := num{}
	for _, q := range s.done {
		if q.master == master && hourOf(q.Done) > hourOf(s.call.at)-hoursADay {
			sum = sum.plus(q.value)
		}
	}
	return sum
}

// auto quotes and converts at once, or repeats what it answered.
func (s *conversions) auto(c *schema.AutoConvert) schema.Result {
	if _, r := s.accounts.trader(c.Exchange.Account); refused(r) {
		return reject(r)
	}
	asked, keyed := s.cut(&c.Exchange), c.Key != schema.Digest{}
	if keyed {
		if old := s.recorded(c.Key); old != nil {
			if old.asked != asked {
				return refuse(schema.ConversionKeyUsed)
			}
			return (&offer{Conversion: old.made}).answer()
		}
	}
	if s.off() {
		return refuse(schema.ConversionsOff)
	}
	made, r := s.price(&c.Exchange, nil)
	switch {
	case refused(r):
		return reject(r)
	case keyed && s.full(c.Exchange.Account):
		return refuse(schema.ConversionKeysTooMany)
	}
	s.number(made)
	s.convert(made, false)
	if keyed {
		s.records = slices.DeleteFunc(s.records, func(r *record) bool { return r.key == c.Key })
		s.records = append(s.records, &record{c.Key, asked, made.view(), s.call.at})
	}
	return made.answer()
}

// ends is when a key can be used for something else.
func (r *record) ends() schema.Time { return r.at + recordLife }

// recorded finds what was answered to a key, or nil.
func (s *conversions) recorded(key schema.Digest) *record {
	for _, r := range s.records {
		if r.key == key && s.call.at < r.ends() {
			return r
		}
	}
	return nil
}

// full reports whether no more keys can be recorded for an account. What ended and was not dropped yet counts.
func (s *conversions) full(a schema.AccountID) bool {
	all, own := 0, 0
	for _, r := range s.records {
		all++
		if r.asked.Account == a {
			own++
		}
	}
	return own >= recordsMost || all >= recordsOfAll
}

// tick ends quotes that nobody confirmed in time, forgets what was over an hour ago, and drops records that ended.
func (s *conversions) tick() {
	expired := s.open(func(q *offer) bool { return s.call.at >= q.Expires })
	for _, q := range expired[:min(len(expired), conversionsATick)] {
		s.end(q)
	}
	left := conversionsATick
	for _, q := range s.quotes {
		if left > 0 && q.over && !q.forgotten && s.call.at >= q.ended+quoteKnownFor {
			q.forgotten = true
			left--
		}
	}
	for range conversionsATick {
		if len(s.records) > 0 && s.call.at >= s.records[0].ends() {
			s.records = s.records[1:]
		}
	}
}

// due is when the next quote expires.
func (s *conversions) due() (moments []schema.Time) {
	for _, q := range s.open(func(*offer) bool { return true }) {
		moments = append(moments, q.Expires)
	}
	return moments
}

// verify holds what the inventory set aside against the open quotes, and what it has against zero.
func (s *conversions) verify() error {
	for _, asset := range s.listing.assets {
		frozen := num{}
		for _, q := range s.open(func(q *offer) bool { return q.To == asset.ID }) {
			frozen = frozen.plus(of(q.Receive))
		}
		b := s.ledger.balance(inventory, schema.Main, asset.ID)
		if b.frozen.cmp(frozen) != 0 || b.available.sign() < 0 {
			return fmt.Errorf("naive: the inventory has %v and %v set aside of asset %d, and open quotes pay %v", b.available.rat(), b.frozen.rat(), asset.ID, frozen.rat())
		}
	}
	return nil
}
