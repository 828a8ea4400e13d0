package convert

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/hours"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are what is set, quotes, records, and what of the last day and minutes counts.
func (c *Conversions) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagConversion, Name: "settings of conversions", Version: 1, Write: c.writeSettings, Read: c.readSettings},
		{Tag: product.TagQuotes, Name: "quotes of conversions", Version: 1, Write: c.writeOpen, Read: c.readOpen},
		{Tag: product.TagEndedQuotes, Name: "quotes that ended", Version: 1, Write: c.writeEnded, Read: c.readEnded},
		{Tag: product.TagConversionKeys, Name: "keys of conversions", Version: 1, Write: c.writeRecords, Read: c.readRecords},
		{Tag: product.TagConverted, Name: "what families converted", Version: 1, Write: c.writeConverted, Read: c.readConverted},
		{Tag: product.TagConversionResults, Name: "results of conversions", Version: 1, Write: c.writeResults, Read: c.readResults},
		{Tag: product.TagIndexMoves, Name: "moves of indices", Version: 1, Write: c.writeMoves, Read: c.readMoves},
		product.Counter(product.TagConversionCounter, "the number of conversions", &c.last),
	}
}

func (c *Conversions) writeSettings(w *product.Writer) {
	if c.everSet() {
		w.Message(&c.settings)
	}
}

func (c *Conversions) readSettings(r *product.Reader) error {
	for m, err := range product.Messages[schema.SetConversion](r) {
		if err != nil {
			return err
		}
		if c.everSet() || !c.valid(m) {
			return errors.New("they cannot be, or stand there twice")
		}
		c.keep(*m)
	}
	return nil
}

// openRecord is an open quote as snapshots keep it.
type openRecord struct {
	conversion schema.Conversion
	value      fixed.Decimal
}

func (r *openRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "conversion", &r.conversion)
	c.Decimal(2, "value", &r.value)
}

func (c *Conversions) writeOpen(w *product.Writer) {
	for place := c.open.First; place != 0; place = c.quotes.At(place).After {
		q := c.quotes.At(place)
		w.Message(&openRecord{q.message(), q.value})
	}
}

func (c *Conversions) readOpen(r *product.Reader) error {
	for m, err := range product.Messages[openRecord](r) {
		if err != nil {
			return err
		}
		d, err := c.restored(&m.conversion)
		if err != nil {
			return fmt.Errorf("quote %d: %w", m.conversion.ID, err)
		}
		last := c.open.Last
		switch {
		case d.id <= c.last || last != 0 && d.expires < c.quotes.At(last).expires:
			return fmt.Errorf("quote %d stands in the wrong place", d.id)
		case d.done != 0 || m.value.Sign() <= 0 || m.value.Decimals() > valuePlaces || c.replaced(&d) != 0:
			return fmt.Errorf("quote %d cannot be open", d.id)
		}
		c.last = d.id
		c.add(&quote{deal: d, value: m.value})
	}
	return nil
}

// restored is a deal that a command could have made.
func (c *Conversions) restored(m *schema.Conversion) (deal, error) {
	from, to := c.listing.Asset(m.From), c.listing.Asset(m.To)
	d := deal{
		id: m.ID, account: m.Account, from: m.From, to: m.To, give: m.Give, receive: m.Receive, rate: m.Rate, hops: len(m.Path),
		expires: m.Expires, done: m.Done,
	}
	switch {
	case d.id == 0 || c.accounts.Get(d.account) == nil || from == nil || to == nil || from == to:
		return d, errors.New("its number, account or assets cannot be")
	case d.give.Sign() <= 0 || d.give.Decimals() > int(from.Scale) || d.receive.Sign() <= 0 || d.receive.Decimals() > int(to.Scale):
		return d, errors.New("its amounts cannot be")
	case d.rate != rate(d.give, d.receive) || d.done < 0 || d.done > c.Clock() || d.expires <= 0 || d.expires > c.Clock()+schema.QuoteLife:
		return d, errors.New("its rate or a moment cannot be")
	case d.hops == 0 || d.hops > mostHops:
		return d, fmt.Errorf("it goes over %d markets", d.hops)
	}
	at := d.from
	for i, hop := range m.Path {
		if hop.From != at || c.listing.Asset(hop.To) == nil || hop.To == at || hop.Rate.Sign() < 0 || hop.Rate.Decimals() > ratePlaces && hop.Rate != fixed.Max {
			return d, errors.New("its path cannot be")
		}
		d.path[i], at = hop, hop.To
	}
	if at != d.to {
		return d, errors.New("its path leads elsewhere")
	}
	return d, nil
}

// endedRecord is a quote that ended as snapshots keep it.
type endedRecord struct {
	id      schema.ConversionID
	account schema.AccountID
	ended   schema.Time
	used    bool
}

func (r *endedRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &r.id)
	wire.Uint(c, 2, "account", &r.account)
	wire.Int(c, 3, "ended", &r.ended)
	c.Bool(4, "used", &r.used)
}

func (c *Conversions) writeEnded(w *product.Writer) {
	for place := c.ended.First; place != 0; place = c.quotes.At(place).After {
		q := c.quotes.At(place)
		w.Message(&endedRecord{q.id, q.account, q.ended, q.done != 0})
	}
}

func (c *Conversions) readEnded(r *product.Reader) error {
	for m, err := range product.Messages[endedRecord](r) {
		if err != nil {
			return err
		}
		known := c.known[m.account]
		switch {
		case m.id == 0 || c.accounts.Get(m.account) == nil || c.find(m.account, m.id) != 0 || m.ended <= 0 || m.ended > c.Clock(),
			c.ended.Last != 0 && m.ended < c.quotes.At(c.ended.Last).ended:
			return fmt.Errorf("quote %d cannot be, or stands in the wrong place", m.id)
		case len(known) >= mostKnown+mostOpen:
			return fmt.Errorf("account %d has more quotes than are remembered", m.account)
		}
		place, q := c.quotes.Take()
		*q = quote{deal: deal{id: m.id, account: m.account}, ended: m.ended}
		if m.used {
			q.done = m.ended
		}
		c.quotes.Push(&c.ended, place)
		at, _ := slices.BinarySearchFunc(known, m.id, func(place uint32, id schema.ConversionID) int {
			if c.quotes.At(place).id < id {
				return -1
			}
			return 1
		})
		c.known[m.account] = slices.Insert(known, at, place)
		c.last = max(c.last, m.id)
	}
	return nil
}

// keyRecord is a record as snapshots keep it.
type keyRecord struct {
	key        schema.Digest
	inTo       bool
	conversion schema.Conversion
}

func (r *keyRecord) Fields(c *wire.Coder) {
	c.Array(1, "key", r.key[:])
	c.Bool(2, "in_to", &r.inTo)
	wire.Embed(c, 3, "conversion", &r.conversion)
}

func (c *Conversions) writeRecords(w *product.Writer) {
	for place := c.order.First; place != 0; place = c.records.At(place).After {
		r := c.records.At(place)
		w.Message(&keyRecord{r.key, r.inTo, r.message()})
	}
}

func (c *Conversions) readRecords(r *product.Reader) error {
	for m, err := range product.Messages[keyRecord](r) {
		if err != nil {
			return err
		}
		d, err := c.restored(&m.conversion)
		if err != nil {
			return fmt.Errorf("conversion %d: %w", m.conversion.ID, err)
		}
		if last := c.order.Last; d.done == 0 || last != 0 && (d.id <= c.records.At(last).id || d.done < c.records.At(last).done) {
			return fmt.Errorf("conversion %d stands in the wrong place", d.id)
		}
		if m.key.IsZero() || c.places[m.key] != 0 || c.kept >= c.MostKeys || c.counts[d.account] >= mostKeysOf {
			return fmt.Errorf("conversion %d has no key, that of another, or there are too many", d.id)
		}
		c.record(&record{key: m.key, inTo: m.inTo, deal: d})
		c.last = max(c.last, d.id)
	}
	return nil
}

// sumRecord is what a family converted in an hour, or what the inventory lost (family 0), as snapshots keep it.
type sumRecord struct {
	family schema.AccountID
	hour   int64
	sum    fixed.Decimal
}

func (r *sumRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "family", &r.family)
	wire.Int(c, 2, "hour", &r.hour)
	c.Decimal(3, "sum", &r.sum)
}

// readSums reads sums by family and hour, of which none is over, and keeps each.
func (c *Conversions) readSums(r *product.Reader, possible func(*sumRecord) bool, keep func(*sumRecord)) error {
	var last sumRecord
	first, now := true, hours.Of(c.Clock())
	for m, err := range product.Messages[sumRecord](r) {
		switch {
		case err != nil:
			return err
		case !first && (m.family < last.family || m.family == last.family && m.hour <= last.hour):
			return errors.New("a sum stands in the wrong place, or twice")
		case m.hour < 0 || m.hour > now || m.hour <= now-hours.Day || !possible(m):
			return errors.New("a sum cannot be, or is over")
		}
		keep(m)
		first, last = false, *m
	}
	return nil
}

// writeConverted leaves out what is over: it is forgotten when the family next converts, and that is no part of the state.
func (c *Conversions) writeConverted(w *product.Writer) {
	for _, account := range c.accounts.All() {
		for _, s := range hours.Live(c.converted[account.ID], c.Clock(), hours.Day) {
			w.Message(&sumRecord{account.ID, s.Hour, s.Sum})
		}
	}
}

func (c *Conversions) readConverted(r *product.Reader) error {
	possible := func(m *sumRecord) bool {
		account := c.accounts.Get(m.family)
		return account != nil && !account.IsSub() && m.sum.Sign() > 0 && (m.sum.Decimals() <= valuePlaces || m.sum == fixed.Max)
	}
	return c.readSums(r, possible, func(m *sumRecord) {
		c.converted[m.family] = append(c.converted[m.family], hours.Sum{Hour: m.hour, Sum: m.sum})
	})
}

func (c *Conversions) writeResults(w *product.Writer) {
	for _, s := range hours.Live(c.results, c.Clock(), hours.Day) {
		w.Message(&sumRecord{0, s.Hour, s.Sum})
	}
}

// readResults takes all decimals that there are: a value that does not fit is the greatest number, which the value of the other side is taken from.
func (c *Conversions) readResults(r *product.Reader) error {
	possible := func(m *sumRecord) bool { return m.family == 0 && m.sum != fixed.Min }
	return c.readSums(r, possible, func(m *sumRecord) { c.results = append(c.results, hours.Sum{Hour: m.hour, Sum: m.sum}) })
}

// moveRecord is a bucket as snapshots keep it.
type moveRecord struct {
	asset schema.AssetID
	bucket
}

func (r *moveRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &r.asset)
	wire.Int(c, 2, "bucket", &r.n)
	c.Decimal(3, "low", &r.low)
	c.Decimal(4, "high", &r.high)
}

// writeMoves leaves out what counts no more.
func (c *Conversions) writeMoves(w *product.Writer) {
	for i, list := range c.moves {
		for _, b := range live(list, c.Clock()) {
			w.Message(&moveRecord{schema.AssetID(i + 1), b})
		}
	}
}

func (c *Conversions) readMoves(r *product.Reader) error {
	last, now := moveRecord{}, bucketOf(c.Clock())
	for m, err := range product.Messages[moveRecord](r) {
		switch {
		case err != nil:
			return err
		case m.asset < last.asset || m.asset == last.asset && m.n <= last.n:
			return errors.New("one stands in the wrong place, or twice")
		case c.listing.Asset(m.asset) == nil || c.listing.IsUSDT(m.asset) || m.n < 0 || m.n < now-mostBuckets || m.n > now,
			m.low.Sign() <= 0 || m.low.Cmp(m.high) >= 0 || !c.everSet():
			return errors.New("one cannot be, or counts no more")
		}
		c.keepBuckets(m.asset, append(c.buckets(m.asset), m.bucket))
		last = *m
	}
	return nil
}
