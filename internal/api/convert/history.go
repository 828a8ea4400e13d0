package convert

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// longest is what one question may be about, in time.
const longest = 30 * 24 * 3600 * schema.Second

// page asks for what was converted. Here from and to are moments.
type page struct {
	fromTicker, toTicker string
	from, to             schema.Time
	quote                schema.ConversionID
	byQuote              bool
	limit, offset        int
}

// How clients know what is wrong with moments, and with limit and offset.
var (
	moments = api.Paging{Status: 422, Code: 30, Integer: notInteger, AtLeast: outOfRange, NotAbove: outOfRange}
	offsets = api.Paging{Status: 422, Code: 30, Integer: notInteger, AtLeast: "validation.length_min", NotAbove: outOfRange}
)

func (q *page) Read(f *api.Form) {
	q.fromTicker, q.toTicker = filter(f, "fromTicker"), filter(f, "toTicker")
	q.from, q.to = f.Second("from", moments), f.Second("to", moments)
	q.quote, q.byQuote = quoteID(f), f.Has("quoteId")
	q.limit = int(f.Bounded("limit", 100, 1, 100, moments))
	q.offset = int(f.Bounded("offset", 0, 0, api.MaxOffset, offsets))
}

// filter reads the name of an asset that narrows a question.
func filter(f *api.Form, name string) string {
	text, s := f.Text(name)
	if s == api.Malformed {
		f.Fail(422, 30, name, unknown(name).Fields[0].Texts[0])
	}
	return text
}

// unknown is the error of a filter by an asset that there is not.
func unknown(name string) *api.Error {
	return api.NewError(422, 30, api.ValidationFailed, name, name+" is invalid.")
}

var tooLong = &api.Error{Status: 422, Code: 30, Message: api.ValidationFailed, Fields: []api.FieldError{
	{Field: "from", Texts: []string{"api.validation.dateTime.maxRange"}}, {Field: "to", Texts: []string{"api.validation.dateTime.maxRange"}},
}}

// outside is the error of a moment that cannot be asked for.
func outside(name string) *api.Error {
	return api.NewError(422, 30, api.ValidationFailed, name, outOfRange)
}

// hop is a market that a conversion went over, with the conversion whose directory names its assets.
type hop struct {
	*schema.Hop
	of *converted
}

var hopEncoder = api.Encode("ConversionHop", "A market that a conversion went over.",
	api.StringField("from", "Ticker of the asset that was given there.", func(h *hop) string { return h.of.ticker(h.From) }),
	api.StringField("to", "Ticker of the asset that was received there.", func(h *hop) string { return h.of.ticker(h.To) }),
	api.DecimalField("rate", "Average price of its book for the amount: what was received for one that was given, cut to 8 decimals.", func(h *hop) fixed.Decimal { return h.Rate }))

func (c *converted) hops() []hop {
	list := make([]hop, len(c.Path))
	for i := range c.Path {
		list[i] = hop{&c.Path[i], c}
	}
	return list
}

// record is a conversion of the past, with the moment of its quote, by which records are chosen and sorted.
type record struct {
	converted
	quoted schema.Time
}

var recordEncoder = api.Encode("Conversion", "A conversion that was done.",
	api.NewField("id", api.String, "Id of the quote.", func(dst []byte, r *record) []byte { return appendID(dst, &r.converted) }),
	api.SecondsField("date", "Time of the quote.", func(r *record) schema.Time { return r.quoted }),
	api.DecimalField("give", "Amount that was debited from the trade balance.", func(r *record) fixed.Decimal { return r.Give }),
	api.DecimalField("receive", "Amount that was credited to the trade balance.", func(r *record) fixed.Decimal { return r.Receive }),
	api.DecimalField("rate", "What was received for one that was given, cut to 8 decimals.", func(r *record) fixed.Decimal { return r.Rate }),
	api.ArrayField("path", hopEncoder, "Markets that it went over, in their order.", func(r *record) []hop { return r.hops() }))

// records are a part of what was converted.
type records struct {
	list                 []record
	total, limit, offset int
}

var pageEncoder = api.Encode("ConversionPage", "A page of conversions.",
	api.ArrayField("records", recordEncoder, "Conversions.", func(p *records) []record { return p.list }),
	api.IntegerField("total", "How many there are in the range, 10,000 at most.", func(p *records) int64 { return int64(p.total) }),
	api.IntegerField("limit", "As requested.", func(p *records) int64 { return int64(p.limit) }),
	api.IntegerField("offset", "As requested.", func(p *records) int64 { return int64(p.offset) }))

var aboutHistory = &api.About{
	Summary: "List conversions",
	Text: "Newest first, by id. A range is at most 30 days and reaches back at most six months; it is about the time of the quote, at most 10 seconds before the conversion. " +
		"A conversion that is requested by quoteId is returned regardless of the range.",
	Parameters: map[string]string{
		"fromTicker": "Return only conversions from this asset.",
		"toTicker":   "Return only conversions to this asset.",
		"from":       "Start of the range, Unix time in seconds. Defaults to 30 days before to.",
		"to":         "End of the range, Unix time in seconds. Defaults to now.",
		"quoteId":    "Return only this conversion.",
	},
	Response: pageEncoder.Schema(),
	Faults:   []*api.Error{unknown("fromTicker"), unknown("toTicker"), tooLong, outside("from"), outside("to")},
}

func past(c *api.Call, q *page) (api.Answer, error) {
	query := &history.Query{Kind: history.Conversions, Limit: q.limit, Offset: q.offset, Ref: uint64(q.quote)}
	var to schema.AssetID
	for _, by := range []struct {
		name, ticker string
		id           *schema.AssetID
	}{{"fromTicker", q.fromTicker, &query.Asset}, {"toTicker", q.toTicker, &to}} {
		if by.ticker == "" {
			continue
		}
		asset := c.Directory().Asset(by.ticker)
		if asset == nil {
			return nil, unknown(by.name)
		}
		*by.id = asset.ID
	}
	if to != 0 {
		query.Tag = history.Into(to)
	}
	p := &records{limit: q.limit, offset: q.offset}
	if !q.byQuote {
		var err error
		if query.From, query.To, err = span(c.API.Now(), q.from, q.to); err != nil {
			return nil, err
		}
	} else if q.quote == 0 {
		return pageEncoder.Answer(p), nil
	}
	found, total, err := c.Counted(query)
	if err != nil {
		return nil, err
	}
	p.total = total
	for i := range found {
		p.list = append(p.list, record{converted{found[i].Payload.(*schema.Conversion), c.Directory()}, found[i].Time})
	}
	if q.byQuote && to != 0 { // an id beats what else is asked for in the history
		elsewhere := func(r record) bool { return r.To != to }
		if slices.ContainsFunc(p.list, elsewhere) {
			p.list, p.total = nil, 0
		}
	}
	return pageEncoder.Answer(p), nil
}

// span fills in what was not said of a range of time and refuses one that is too long or reaches back too far.
func span(now, from, to schema.Time) (schema.Time, schema.Time, error) {
	end, earliest := to, api.SixMonthsBefore(now)
	if end == 0 || end > now {
		// Nothing is newer than now, except by the clock of another node: no bound is needed.
		end, to = now/schema.Second*schema.Second, 0
	} else {
		to += schema.Second - 1 // the whole of its second
	}
	if from == 0 {
		from = max(earliest, end-longest)
	}
	switch {
	case from < earliest:
		return 0, 0, outside("from")
	case from > end:
		return 0, 0, outside("to")
	case end-from > longest:
		return 0, 0, tooLong
	}
	return from, to, nil
}
