package api

import (
	"strconv"
	"strings"
	"time"

	"bourse/internal/schema"
)

// The fields that requests of several groups share, with the texts that clients know. A field that is
// wrong is noted in the form.

// Title is the name of a field as texts begin with it: "Activation price" of activation_price.
func Title(name string) string {
	name = strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// Required notes fields that are not there.
func (f *Form) Required(names ...string) {
	f.need(422, 30, names, func(name string) string { return about(name, 0).Replace("%F field is required.") })
}

// Demand is Required where money is moved, with the texts of those endpoints.
func (f *Form) Demand(names ...string) {
	f.need(400, 0, names, func(name string) string { return "The " + f.Spoken(name) + " field is required." })
}

// String reads a text that may be missing, for the endpoints that move money.
func (f *Form) String(name string) string {
	value, s := f.Text(name)
	if s == Malformed {
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" must be a string.")
	}
	return value
}

// Spoken is the name of a field as texts of the endpoints that move money have it: "unique id" of unique_id and uniqueId, and
// "originator address" of originator.address.
func (f *Form) Spoken(name string) string {
	var words strings.Builder
	for _, c := range f.path + name {
		switch {
		case c == '_' || c == '.':
			words.WriteByte(' ')
		case c >= 'A' && c <= 'Z':
			words.WriteByte(' ')
			words.WriteRune(c - 'A' + 'a')
		default:
			words.WriteRune(c)
		}
	}
	return words.String()
}

func (f *Form) need(status, code int, names []string, text func(name string) string) {
	for _, name := range names {
		if !f.Has(name) {
			f.Lack(status, code, name, text(name))
		}
	}
}

// about puts the name of a field and a bound into a text with %f, %F for the name as texts begin with it, and %n.
func about(name string, bound int64) *strings.Replacer {
	return strings.NewReplacer("%f", name, "%F", Title(name), "%n", strconv.FormatInt(bound, 10))
}

// MarketFilter reads the name of a market that narrows a query.
func (f *Form) MarketFilter() string {
	f.schema.Match("market", "^$|"+MarketPattern)
	name, s := f.Text("market")
	switch {
	case s == Malformed:
		f.Fail(422, 31, "market", "Market field should be a string.")
	case s == Good && name != "" && !IsMarketName(name):
		f.Fail(422, 31, "market", "Market field format is invalid.")
	}
	return name
}

// MarketPattern is what IsMarketName takes.
const MarketPattern = "^[A-Z0-9]+_[A-Z0-9_]+$"

// IsMarketName reports whether a text looks like BASE_QUOTE.
func IsMarketName(s string) bool {
	base, quote, found := strings.Cut(s, "_")
	return found && word(base) && word(strings.ReplaceAll(quote, "_", "A"))
}

func word(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// SideWords are the sides of an order.
var SideWords = []string{schema.Buy.String(), schema.Sell.String()}

// MaxOffset is how far a page may begin behind the newest record: what comes before it is walked
// through, and that of open orders while the exchange waits.
const MaxOffset = 10_000

// MaxSeconds is the latest moment that can be asked for: year 9999.
const MaxSeconds = 253_402_300_799

// SixMonthsBefore is the midnight from which on what is past may be asked for, where that is not without end.
func SixMonthsBefore(now schema.Time) schema.Time {
	t := time.UnixMicro(int64(now)).UTC().AddDate(0, -6, 0)
	return schema.Time(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).UnixMicro())
}

// Page reads limit and offset.
func (f *Form) Page(limitDefault, limitMax, offsetMax int64, style Paging) (limit, offset int) {
	l := f.Bounded("limit", limitDefault, 1, limitMax, style)
	o := f.Bounded("offset", 0, 0, offsetMax, style)
	return int(l), int(o)
}

// Paging is how an endpoint words what is wrong with limit and offset.
type Paging struct {
	Status, Code               int
	Integer, AtLeast, NotAbove string // with %f for the field and %n for the bound
}

// With is the same wording with another status and code.
func (p Paging) With(status, code int) Paging {
	p.Status, p.Code = status, code
	return p
}

// Two wordings of the same: "The limit must be an integer." and "Limit field should be an integer."
// The endpoints that move money have a status and a code of their own.
var (
	MustBe   = Paging{422, 30, "The %f must be an integer.", "The %f must be at least %n.", "The %f may not be greater than %n."}
	OfMoney  = MustBe.With(400, 0)
	ShouldBe = Paging{422, 30, "%F field should be an integer.", "%F should be at least %n.", "%F should not be greater than %n."}
)

// Bounded reads a whole number between bounds.
func (f *Form) Bounded(name string, otherwise, low, high int64, p Paging) int64 {
	f.schema.Bound(name, low, high)
	f.schema.DefaultTo(name, otherwise)
	return f.Worded(name, otherwise, low, high, p)
}

// Second reads a moment in seconds; 0 where there is none.
func (f *Form) Second(name string, p Paging) schema.Time {
	f.schema.Bound(name, 0, MaxSeconds)
	return schema.Time(f.Worded(name, 0, 0, MaxSeconds, p)) * schema.Second
}

// Worded reads a whole number between bounds that are not documented.
func (f *Form) Worded(name string, otherwise, low, high int64, p Paging) int64 {
	n, s := f.Int(name)
	say := func(form string, bound int64) {
		f.Fail(p.Status, p.Code, name, about(name, bound).Replace(form))
	}
	switch {
	case s == Missing:
		return otherwise
	case s == Malformed:
		say(p.Integer, 0)
	case n < low:
		say(p.AtLeast, low)
	case n > high:
		say(p.NotAbove, high)
	}
	return n
}
