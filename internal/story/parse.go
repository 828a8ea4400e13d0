package story

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// verb is something that a line can say.
type verb struct {
	form string // how such a line is written, for those who wrote it otherwise
	do   func(*teller, *line)
}

// choices lists the verbs of a table.
func choices(verbs map[string]verb) string {
	return strings.Join(slices.Sorted(maps.Keys(verbs)), ", ")
}

// line is a line that is being read, word by word. The first thing that is wrong with it stays
// in err; what is read after that is empty.
type line struct {
	number int
	words  []string
	trader schema.AccountID
	// refused is why the text of a word cannot even be asked for. Clients get such an answer
	// from the surface of the API, before the exchange sees the command.
	refused schema.Rejection
	err     error
}

// split takes a line apart and drops its comment.
func split(text string) []string {
	words := strings.Fields(text)
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "#") }); i >= 0 {
		words = words[:i]
	}
	return words
}

func (l *line) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
	l.words = nil
}

func (l *line) more() bool { return len(l.words) > 0 }

// next is the next word, which says what.
func (l *line) next(what string) string {
	if !l.more() {
		l.fail("%s is missing", what)
		return ""
	}
	word := l.words[0]
	l.words = l.words[1:]
	return word
}

// take reads the next words if they are these.
func (l *line) take(words ...string) bool {
	if len(l.words) < len(words) || !slices.Equal(l.words[:len(words)], words) {
		return false
	}
	l.words = l.words[len(words):]
	return true
}

// want reads words that must be there.
func (l *line) want(words ...string) {
	if !l.take(words...) {
		l.fail("%q is missing before %q", strings.Join(words, " "), strings.Join(l.words, " "))
	}
}

// finished reports whether the line was understood to its end.
func (l *line) finished() bool {
	if l.more() {
		l.fail("%q is not understood", strings.Join(l.words, " "))
	}
	return l.err == nil
}

func (l *line) decimal(what string) fixed.Decimal { return l.parse(what, l.next(what)) }

// parse makes a number of a word that was read.
func (l *line) parse(what, word string) fixed.Decimal {
	d, err := fixed.Parse(word)
	if err != nil {
		l.fail("%s: %w", what, err)
	}
	return d
}

// digits is a number of decimals.
func (l *line) digits(what string) uint8 {
	word := l.next(what)
	n, err := strconv.ParseUint(word, 10, 8)
	if err != nil {
		l.fail("%s is a number of decimals such as 8, not %q", what, word)
	}
	return uint8(n)
}

// small is a number that fits a byte.
func (l *line) small(what string) uint8 {
	word := l.next(what)
	n, err := strconv.ParseUint(word, 10, 8)
	if err != nil {
		l.fail("%s is a small whole number, not %q", what, word)
	}
	return uint8(n)
}

// leverage is a number such as 20.
func (l *line) leverage() uint8 { return l.small("a leverage") }

// span is a duration such as 10s.
func (l *line) span(what string) schema.Time {
	word := l.next(what)
	d, err := time.ParseDuration(word)
	if err != nil {
		l.fail("%s is a duration such as 10s or 1h30m, not %q", what, word)
	}
	return schema.Time(d.Microseconds())
}

// minutes is a duration in whole minutes.
func (l *line) minutes(what string) uint32 {
	word := ""
	if l.more() {
		word = l.words[0]
	}
	d := l.span(what)
	if d%(60*schema.Second) != 0 {
		l.fail("%s is in whole minutes, not %q", what, word)
	}
	return uint32(d / (60 * schema.Second))
}

// moment is a time such as 2026-10-01T12:00:00Z, or +10s for that long after now.
func (l *line) moment(now schema.Time) schema.Time {
	if l.more() && strings.HasPrefix(l.words[0], "+") {
		return now + l.span("a time")
	}
	word := l.next("a time")
	at, err := time.Parse(time.RFC3339Nano, word)
	if err != nil {
		l.fail("a time is written like 2026-10-01T12:00:00Z, or +10s for ten seconds from now, not %q", word)
	}
	return micros(at)
}

// account is the account that the next word names.
func (t *teller) account(l *line) schema.AccountID {
	name := l.next("an account")
	account := t.machine.Accounts().ByName(name)
	if account == nil {
		l.fail("there is no account %q", name)
		return 0
	}
	return account.ID
}

// market is the market that the next word names. One that is not listed is for the exchange to
// refuse.
func (t *teller) market(l *line) schema.MarketID {
	if m := t.machine.Listing().MarketByName(l.next("a market")); m != nil {
		return m.ID
	}
	return 0
}

// asset is the asset that the next word names, under the same rule as market.
func (t *teller) asset(l *line) schema.AssetID {
	if a := t.machine.Listing().AssetByTicker(l.next("an asset")); a != nil {
		return a.ID
	}
	return 0
}

// products are the kinds of orders that follow the word "for".
func (l *line) products() (set schema.Products) {
	if !l.take("for") {
		return 0
	}
	for l.more() {
		switch word := l.next("a kind of orders"); word {
		case "spot":
			set |= schema.SpotOrders
		case "margin":
			set |= schema.MarginOrders
		case "futures":
			set |= schema.FuturesOrders
		default:
			l.fail("orders are spot, margin or futures, not %q", word)
		}
	}
	return set
}

// client is a client order id.
func (l *line) client(text string) schema.ClientID {
	id, err := schema.ParseClientID(text)
	if err != nil {
		l.refused = schema.Refuse(schema.ClientIDInvalid)
	}
	return id
}

// stp is a mode of self-trade prevention.
func (l *line) stp(text string) schema.STP {
	mode, known := schema.ParseSTP(text)
	if !known {
		l.refused = schema.Refuse(schema.STPInvalid)
	}
	return mode
}
