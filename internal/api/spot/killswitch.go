package spot

import (
	"errors"
	"strconv"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/directory"
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

func (q *killSwitch) Read(f *api.Form) {
	f.Required("market")
	q.market = ticket.MarketOf(f)
	q.products = products(f, "types")
	f.Schema().Count("types", 1, len(productWords))
	if words, s := f.Texts("types"); s == api.Good && (len(words) == 0 || len(words) > len(productWords)) {
		f.Fail(422, 30, "types", "Types should contain from 1 to 3 values.")
	}
	f.Schema().AllowNull("timeout")
	f.Schema().Declare("timeout", api.IntegerParameter)
	f.Schema().Bound("timeout", int64(schema.MinKillSwitch/schema.Second), int64(schema.MaxKillSwitch/schema.Second))
	f.Schema().Match("timeout", timeoutPattern)
	switch word, s := f.Word("timeout"); {
	case s == api.Missing && !f.Null("timeout"):
		f.Lack(422, 30, "timeout", "Timeout field is required.")
	case s == api.Malformed:
		f.Fail(422, 30, "timeout", "Timeout field should be numeric string or number.")
	// "null" is how ccxt, which makes a text of everything, asks to remove the timer.
	case s == api.Good && string(word) != "null":
		q.timeout = timeout(f, string(word))
	}
}

// timeout reads how long a timer is to run.
func timeout(f *api.Form, word string) schema.Time {
	// What does not fit the number is the largest, or smallest, that does.
	n, err := strconv.ParseInt(word, 10, 32)
	switch t := schema.Time(n) * schema.Second; {
	case errors.Is(err, strconv.ErrSyntax):
		f.Fail(422, 30, "timeout", "Timeout should be a whole number of seconds.")
	case t < schema.MinKillSwitch:
		f.Fail(422, 30, "timeout", schema.Refuse(schema.TimeoutTooShort).Text())
	case t > schema.MaxKillSwitch:
		f.Fail(422, 30, "timeout", schema.Refuse(schema.TimeoutTooLong).Text())
	default:
		return t
	}
	return 0
}

// timer is a kill switch, with the directory that names its market.
type timer struct {
	*schema.KillSwitch
	directory *directory.Directory
}

var timerEncoder = api.Encode("KillSwitch", "A timer that cancels all open orders of a market unless it is set again in time.",
	api.StringField("market", "Market name.", func(t *timer) string { return t.directory.MarketName(t.Market) }),
	api.SecondsField("startTime", "Time at which the timer was set.", func(t *timer) schema.Time { return t.Start }),
	// The start is shown in whole seconds, and so many seconds later as were asked for it fires.
	api.SecondsField("cancellationTime", "Time at which open orders will be canceled.", func(t *timer) schema.Time {
		return t.Start/schema.Second*schema.Second + (t.Deadline - t.Start)
	}),
	api.NewField("types", api.Nullable(api.ArrayOf(api.Enum(productWords...))), "Order types that are canceled, null for all.",
		func(dst []byte, t *timer) []byte { return appendProducts(dst, t.Products) }))

func appendProducts(dst []byte, chosen schema.Products) []byte {
	if chosen == 0 {
		return append(dst, `null`...)
	}
	var words []string
	for i, kind := range productKinds {
		if chosen&kind != 0 {
			words = append(words, productWords[i])
		}
	}
	return api.AppendStrings(dst, words)
}

var aboutSetKillSwitch = &api.About{
	Summary: "Set or cancel the kill switch of a market",
	Text:    "When the timer expires, all open orders of the account on the market are canceled. Canceling the timer returns an empty array.",
	Parameters: map[string]string{
		"timeout": "Seconds from 5 to 600, as a string or a number. null (or the string \"null\") cancels the timer.",
		"types":   "Order types. Defaults to all.",
	},
	Response: api.OneOf(timerEncoder.Schema(), api.Done),
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.TimeoutTooShort, schema.TimeoutTooLong, schema.ProductsInvalid},
}

func setKillSwitch(c api.WriteCall, q *killSwitch) (api.Answer, error) {
	m := c.Directory().Market(q.market)
	if m == nil {
		return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	var result schema.Result
	command := &schema.SetKillSwitch{Account: c.Account.ID, Market: m.ID, Timeout: q.timeout, Products: q.products}
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	if q.timeout == 0 {
		return api.Empty, nil
	}
	return timerEncoder.Answer(&timer{&result.Timer, c.Directory()}), nil
}

// killSwitchStatus asks for running timers.
type killSwitchStatus struct{ market string }

func (q *killSwitchStatus) Read(f *api.Form) { q.market = ticket.MarketOf(f) }

var aboutListKillSwitches = &api.About{
	Summary:    "List active kill switches",
	Parameters: map[string]string{"market": "Only the timer of the market."},
	Response:   api.ArrayOf(timerEncoder.Schema()),
	Refusals:   []schema.Reason{schema.MarketUnavailable},
}

func listKillSwitches(c *api.Call, q *killSwitchStatus) (api.Answer, error) {
	var market *schema.MarketInfo
	if q.market != "" {
		if market = c.Directory().Market(q.market); market == nil {
			return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
		}
	}
	var timers []timer
	c.API.Read(func(m core.View) {
		for _, k := range m.Trading().Timers(c.Account.ID) {
			if market == nil || k.Market == market.ID {
				timers = append(timers, timer{&k, c.Directory()})
			}
		}
	})
	return timerEncoder.Array(timers), nil
}
