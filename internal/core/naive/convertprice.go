package naive

import "bourse/internal/schema"

// indexChange is a change of the index of an asset, in a bucket of ten seconds.
type indexChange struct {
	asset    schema.AssetID
	bucket   schema.Time
	from, to num
}

// bucketOf is the number of the ten seconds of a moment.
func bucketOf(at schema.Time) schema.Time { return at / (10 * second) }

// bucketsBack is how many buckets before that of now still count.
const bucketsBack = 30

// moved notes that the index of an asset changed. Nobody looks before conversions were first set.
func (s *conversions) moved(asset schema.AssetID, from, to num) {
	if s.set != nil && from.sign() > 0 && to.sign() > 0 && from.cmp(to) != 0 {
		s.changes = append(s.changes, indexChange{asset, bucketOf(s.call.at), from, to})
	}
}

// within is the least and the greatest that the index of an asset was by its changes in some buckets.
func (s *conversions) within(asset schema.AssetID, buckets ...schema.Time) (low, high num) {
	first := true
	for _, c := range s.changes {
		for _, bucket := range buckets {
			if c.asset != asset || c.bucket != bucket {
				continue
			}
			if first {
				low, high, first = c.from, c.from, false
			}
			low, high = least(low, least(c.from, c.to)), greatest(high, greatest(c.from, c.to))
		}
	}
	return low, high
}

// move is the largest change of the index of an asset within about ten seconds in the last five minutes, as a fraction.
func (s *conversions) move(asset schema.AssetID) num {
	most, now := num{}, bucketOf(s.call.at)
	if s.prices.isUSDT(asset) {
		return most
	}
	for n := now - bucketsBack; n <= now; n++ {
		if low, _ := s.within(asset, n); low.sign() == 0 {
			continue
		}
		buckets := []schema.Time{n}
		if n-1 >= now-bucketsBack {
			buckets = append(buckets, n-1)
		}
		low, high := s.within(asset, buckets...)
		most = greatest(most, high.minus(low).over(low).ceil(smallest))
	}
	return most
}

// precision is that of an asset.
func (s *conversions) precision(asset schema.AssetID) num {
	return unit(s.listing.asset(asset).Precision)
}

// cut is what is asked for, without the decimals that do not count.
func (s *conversions) cut(e *schema.Exchange) schema.Exchange {
	asked, counts := *e, e.From
	if e.InTo {
		counts = e.To
	}
	if asset := s.listing.asset(counts); asset != nil {
		asked.Amount = of(e.Amount).truncate(unit(min(conversionDecimal, asset.Precision))).decimal()
	}
	return asked
}

// price checks everything of a quote and makes it, as if one were over already.
func (s *conversions) price(e *schema.Exchange, without *offer) (*offer, schema.Rejection) {
	if s.listing.asset(e.From) == nil || s.listing.asset(e.To) == nil || e.From == e.To {
		return nil, because(schema.ConversionUnavailable)
	}
	asked := s.cut(e)
	amount := of(asked.Amount)
	if amount.sign() <= 0 {
		return nil, because(schema.ConversionTooSmall)
	}
	account, _ := s.accounts.customer(e.Account)
	best, r := s.best(account, &asked)
	if refused(r) {
		return nil, r
	}
	give, receive, r := s.worse(&asked, best)
	if refused(r) {
		return nil, r
	}
	if give.sign() == 0 || receive.sign() == 0 {
		return nil, because(schema.ConversionTooSmall)
	}
	q := &offer{master: s.accounts.master(account).ID}
	from, _ := s.prices.asset(e.From)
	q.value = give.times(from).ceil(unit(conversionDecimal))
	if give.more(largest) || q.value.more(largest) {
		return nil, because(schema.ConversionTooLarge)
	}
	q.Conversion = schema.Conversion{
		Account: e.Account, From: e.From, To: e.To, Give: give.decimal(), Receive: receive.decimal(), Rate: rate(receive, give).decimal(), Path: best.path(),
	}
	switch {
	case s.tooMuch(q, without):
		return nil, because(schema.ConversionTooLarge)
	case !s.covered(q):
		return nil, because(schema.ConversionNotCovered)
	}
	return q, accepted
}

// rate is a quotient, cut to 8 decimals.
func rate(a, b num) num { return least(largest, a.over(b).floor(unit(conversionDecimal))) }

// worse is what a quote gives and receives: by the route or by the index, whichever is worse for the customer, less the spread.
func (s *conversions) worse(asked *schema.Exchange, best *route) (give, receive num, r schema.Rejection) {
	amount, from, to := of(asked.Amount), s.precision(asked.From), s.precision(asked.To)
	indexFrom, fresh := s.prices.asset(asked.From)
	indexTo, freshTo := s.prices.asset(asked.To)
	if !fresh || !freshTo {
		return give, receive, because(schema.ConversionUnavailable)
	}
	byIndex := amount.times(indexFrom).over(indexTo).floor(to)
	if asked.InTo {
		byIndex = amount.times(indexTo).over(indexFrom).ceil(from)
	}
	near := whole(98).over(hundred)
	deep := !best.result.less(best.ideal.times(near))
	if asked.InTo {
		deep = !best.ideal.less(best.result.times(near))
	}
	if byIndex.more(largest) || !deep {
		return give, receive, because(schema.ConversionTooLarge)
	}
	spread := greatest(of(s.set.Spread), greatest(s.move(asked.From), s.move(asked.To)))
	keeps := one.minus(spread.times(whole(int64(len(best.hops)))))
	switch {
	case keeps.sign() <= 0:
		return give, receive, because(schema.ConversionUnavailable)
	case asked.InTo:
		return greatest(best.result, byIndex).over(keeps).ceil(from), amount, accepted
	}
	return amount, least(best.result, byIndex).times(keeps).floor(to), accepted
}

// tooMuch holds a quote against the bounds of its family and the inventory, as if another were over already.
func (s *conversions) tooMuch(q, without *offer) bool {
	values, frozen := q.value, of(q.Receive)
	for _, other := range s.open(func(other *offer) bool { return other.master == q.master && other != without }) {
		values = values.plus(other.value)
		if other.To == q.To {
			frozen = frozen.plus(of(other.Receive))
		}
	}
	b := s.ledger.balance(inventory, schema.Main, q.To)
	available := b.available
	if without != nil && without.To == q.To {
		available = available.plus(of(without.Receive))
	}
	return values.more(of(s.set.OpenMost)) || values.plus(s.convertedBy(q.master)).more(of(s.set.DayMost)) ||
		of(q.Receive).more(available) || frozen.more(b.available.plus(b.frozen).over(whole(20)))
}
