package api

import (
	"errors"
	"strconv"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// killSwitch is the request to start, restart or remove the timer of a market.
type killSwitch struct {
	market   string
	timeout  schema.Time
	products schema.Products
}

// timeoutPattern is what a timeout looks like: seconds, or the text of null.
const timeoutPattern = `^\+?[0-9]+$|^null$`

func (q *killSwitch) read(f *Form) {
	f.required("market")
	q.market = f.marketOf()
	q.products = f.products("types")
	f.blank.lengths("types", 1, len(productWords))
	if words, s := f.Texts("types"); s == good && (len(words) == 0 || len(words) > len(productWords)) {
		f.fail(422, 30, "types", "Types should contain from 1 to 3 values.")
	}
	f.blank.null("timeout")
	f.blank.note("timeout", WholeField)
	f.blank.bounds("timeout", int64(schema.MinKillSwitch/schema.Second), int64(schema.MaxKillSwitch/schema.Second))
	f.blank.pattern("timeout", timeoutPattern)
	switch e := f.find("timeout"); e.kind {
	case absent:
		f.lack(422, 30, "timeout", "Timeout field is required.")
	case null:
	case text, number:
		// "null" is how ccxt, which makes a text of everything, asks to remove the timer.
		if word := string(e.value); word != "null" {
			q.timeout = f.timeout(word)
		}
	default:
		f.fail(422, 30, "timeout", "Timeout field should be numeric string or number.")
	}
}

// timeout reads how long a timer is to run.
func (f *Form) timeout(word string) schema.Time {
	// What does not fit the number is the largest, or smallest, that does.
	n, err := strconv.ParseInt(word, 10, 32)
	switch t := schema.Time(n) * schema.Second; {
	case errors.Is(err, strconv.ErrSyntax):
		f.fail(422, 30, "timeout", "Timeout should be a whole number of seconds.")
	case t < schema.MinKillSwitch:
		f.fail(422, 30, "timeout", schema.Refuse(schema.TimeoutTooShort).Text())
	case t > schema.MaxKillSwitch:
		f.fail(422, 30, "timeout", schema.Refuse(schema.TimeoutTooLong).Text())
	default:
		return t
	}
	return 0
}

var timerShape = record("KillSwitch", "A timer that cancels all open orders of a market unless it is set again in time.",
	always("market", anyText, "Market name."),
	always("startTime", seconds, "Time at which the timer was set."),
	always("cancellationTime", seconds, "Time at which open orders will be canceled."),
	always("types", orNull(listOf(oneWord(productWords...))), "Order types that are canceled, null for all."))

var aboutSetKillSwitch = &About{
	Summary: "Set or cancel the kill switch of a market",
	Text:    "When the timer expires, all open orders of the account on the market are canceled. Canceling the timer returns an empty array.",
	Fields: map[string]string{
		"timeout": "Seconds from 5 to 600, as a string or a number. null (or the string \"null\") cancels the timer.",
		"types":   "Order types. Defaults to all.",
	},
	Answer:   oneOf(timerShape, doneShape),
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.TimeoutTooShort, schema.TimeoutTooLong, schema.ProductsInvalid},
}

func setKillSwitch(c *Call, q *killSwitch) (Answer, error) {
	m := c.API.directory.Market(q.market)
	if m == nil {
		return nil, refusal(schema.Refuse(schema.MarketUnavailable))
	}
	var result schema.Result
	command := &schema.SetKillSwitch{Account: c.Account.ID, Market: m.ID, Timeout: q.timeout, Products: q.products}
	if err := c.submit(command, &result); err != nil {
		return nil, err
	}
	if q.timeout == 0 {
		return none, nil
	}
	return answerFunc(func(dst []byte) []byte { return c.API.directory.appendTimer(dst, &result.Timer) }), nil
}

// appendTimer writes a kill switch.
func (d *Directory) appendTimer(dst []byte, k *schema.KillSwitch) []byte {
	start := int64(k.Start / schema.Second)
	dst = append(dst, `{"market":"`...)
	dst = append(dst, d.marketName(k.Market)...)
	dst = append(dst, `","startTime":`...)
	dst = AppendInt(dst, start)
	dst = append(dst, `,"cancellationTime":`...)
	dst = AppendInt(dst, start+int64((k.Deadline-k.Start)/schema.Second))
	dst = append(dst, `,"types":`...)
	if k.Products == 0 {
		return append(dst, `null}`...)
	}
	var words []string
	for i, kind := range productKinds {
		if k.Products&kind != 0 {
			words = append(words, productWords[i])
		}
	}
	return append(appendTexts(dst, words), '}')
}

// killSwitchStatus asks for running timers.
type killSwitchStatus struct{ market string }

func (q *killSwitchStatus) read(f *Form) { q.market = f.marketOf() }

var aboutListKillSwitches = &About{
	Summary:  "List active kill switches",
	Fields:   map[string]string{"market": "Only the timer of the market."},
	Answer:   listOf(timerShape),
	Refusals: []schema.Reason{schema.MarketUnavailable},
}

func listKillSwitches(c *Call, q *killSwitchStatus) (Answer, error) {
	var market *schema.MarketInfo
	if q.market != "" {
		if market = c.API.directory.Market(q.market); market == nil {
			return nil, refusal(schema.Refuse(schema.MarketUnavailable))
		}
	}
	var timers []schema.KillSwitch
	c.API.node.Read(func(m *core.Machine) {
		for _, k := range m.Trading().Timers(c.Account.ID) {
			if market == nil || k.Market == market.ID {
				timers = append(timers, k)
			}
		}
	})
	return list(timers, c.API.directory.appendTimer), nil
}
