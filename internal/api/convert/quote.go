package convert

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var quoteEncoder = api.Encode("ConversionQuote", "A quote. It can be confirmed once.",
	api.NewField("id", api.String, "Id of the quote.", appendID),
	api.StringField("from", "Ticker of the asset that is given.", func(c *converted) string { return c.ticker(c.From) }),
	api.StringField("to", "Ticker of the asset that is received.", func(c *converted) string { return c.ticker(c.To) }),
	api.DecimalField("give", "Amount that will be debited from the trade balance.", func(c *converted) fixed.Decimal { return c.Give }),
	api.DecimalField("receive", "Amount that will be credited to the trade balance.", func(c *converted) fixed.Decimal { return c.Receive }),
	api.DecimalField("rate", "What is received for one that is given, cut to 8 decimals.", func(c *converted) fixed.Decimal { return c.Rate }),
	api.SecondsField("expireAt", "Time until which the quote can be confirmed.", func(c *converted) schema.Time { return c.Expires }))

// appendID writes the number of a quote as clients know it: as a text.
func appendID(dst []byte, c *converted) []byte {
	return append(api.AppendInt(append(dst, '"'), int64(c.ID)), '"')
}

var aboutEstimate = &api.About{
	Summary: "Get a quote for a conversion",
	Text: "The quote is firm for 10 seconds. The balance is checked now and when the quote is confirmed; nothing is held until then. An account has at most 5 open quotes and one for each pair of assets: " +
		"a newer one of the pair, or a sixth one, ends the oldest.",
	Parameters: explained,
	Response:   quoteEncoder.Schema(),
	Refusals:   unpriced,
}

func estimate(c api.WriteCall, q *exchange) (api.Answer, error) {
	var result schema.Result
	if err := c.Submit(&schema.QuoteConversion{Exchange: q.of(c.Account.ID, c.Directory())}, &result); err != nil {
		return nil, err
	}
	return quoteEncoder.Answer(&converted{result.Conversion, c.Directory()}), nil
}

// confirmation asks for the conversion of a quote.
type confirmation struct{ quote schema.ConversionID }

// longestID is how many digits a quote can have.
const longestID = 18

func (q *confirmation) Read(f *api.Form) {
	if !f.Has("quoteId") {
		f.Lack(422, 30, "quoteId", missing)
	}
	q.quote = quoteID(f)
}

// quoteID reads the number of a quote.
func quoteID(f *api.Form) schema.ConversionID {
	f.Schema().Declare("quoteId", api.IntegerParameter)
	text, s := f.Word("quoteId")
	digits := !slices.ContainsFunc(text, func(c byte) bool { return c < '0' || c > '9' })
	switch {
	case s == api.Missing:
		return 0
	case s == api.Malformed || len(text) == 0 || !digits:
		f.Fail(422, 30, "quoteId", notInteger)
		return 0
	case len(text) > longestID:
		f.Fail(422, 30, "quoteId", outOfRange)
		return 0
	}
	n, _ := f.Int("quoteId")
	return schema.ConversionID(n)
}

var (
	finalGive    = api.DecimalField("finalGive", "Amount that was debited from the trade balance.", func(c *converted) fixed.Decimal { return c.Give })
	finalReceive = api.DecimalField("finalReceive", "Amount that was credited to the trade balance.", func(c *converted) fixed.Decimal { return c.Receive })

	doneEncoder     = api.Encode("ConfirmedConversion", "A conversion that was done.", finalGive, finalReceive)
	autoDoneEncoder = api.Encode("AutoConversion", "A conversion that was done at once.",
		api.NewField("id", api.String, "Id of the conversion, with which history finds it.", appendID), finalGive, finalReceive)
)

var aboutConfirm = &api.About{
	Summary:    "Confirm a quote",
	Text:       "Converts exactly what the quote says, from and to the trade balance. A quote can be confirmed once, within 10 seconds.",
	Parameters: map[string]string{"quoteId": "Id of the quote."},
	Response:   doneEncoder.Schema(),
	Refusals:   []schema.Reason{schema.ConversionsOff, schema.QuoteUnknown, schema.QuoteUsed, schema.QuoteExpired, schema.ConversionNotCovered},
}

func confirm(c api.WriteCall, q *confirmation) (api.Answer, error) {
	var result schema.Result
	if err := c.Submit(&schema.ConfirmConversion{Account: c.Account.ID, Quote: q.quote}, &result); err != nil {
		return nil, err
	}
	return doneEncoder.Answer(&converted{result.Conversion, c.Directory()}), nil
}
