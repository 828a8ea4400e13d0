// Package convert is what the API has for conversions: quotes that can be confirmed within ten seconds, conversions in one step, and what
// was converted. The core prices them; docs/convert.md says how.
package convert

import (
	"net/http"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Operations are the rows of the group. Limits are those of errors-and-limits 4.
func Operations() []api.Operation {
	return []api.Operation{
		api.Post("/api/v4/convert/estimate", api.Per10s(10000), api.Writer(estimate, aboutEstimate)).WithErrorMapping(validation),
		api.Post("/api/v4/convert/confirm", api.Per10s(10000), api.Writer(confirm, aboutConfirm)).WithErrorMapping(validation),
		api.Post("/api/v4/convert/auto-confirm", api.Per10s(10000), api.Writer(autoConfirm, aboutAutoConfirm)).WithErrorMapping(once),
		api.Post("/api/v4/convert/history", api.Per10s(10000), api.Reader(past, aboutHistory)),
	}
}

// validation words what the engine found as what was wrong from the start: so clients know these endpoints.
func validation(e *api.Error) *api.Error {
	if e.Message != api.InnerValidationFailed {
		return e
	}
	worded := *e
	worded.Message = api.ValidationFailed
	return &worded
}

const invalidRequest = "api.httpErrors.invalidRequest"

// once is validation for conversions with a key: that the key is another request's, and that it is not known what became of this one,
// are about the request as a whole. The same request with the same key finds out.
func once(e *api.Error) *api.Error {
	switch e.Status {
	case http.StatusConflict:
		return &api.Error{Status: e.Status, Code: e.Code, Message: invalidRequest, Fields: e.Fields}
	case http.StatusInternalServerError:
		return api.NewError(http.StatusBadGateway, 0, invalidRequest, "request", "frontendServerSide.converter.outcomeUnknown")
	}
	return validation(e)
}

// Texts of fields that are missing or wrong. Clients translate them.
const (
	missing    = "validation.required"
	notText    = "validation.string"
	notNumber  = "validation.numeric"
	notInteger = "validation.numeric_integer"
	outOfRange = "validation.numeric_field_length"
)

// directions say in which currency an amount is.
var directions = []string{"from", "to"}

// exchange is what is converted, as requests say it.
type exchange struct {
	from, to string
	inTo     bool
	amount   fixed.Decimal
}

// places are those of an amount that count.
const places = 8

func (q *exchange) Read(f *api.Form) {
	for _, name := range []string{"from", "to", "direction", "amount"} {
		if !f.Has(name) {
			f.Lack(422, 30, name, missing)
		}
	}
	q.from, q.to = ticker(f, "from"), ticker(f, "to")
	word, s := f.Choice("direction", directions)
	if s == api.Malformed {
		f.Fail(422, 30, "direction", "Direction field does not exist in [from,to].")
	}
	q.inTo = word == "to"
	n := f.CutNumber("amount", places)
	switch {
	case n.State == api.Malformed:
		f.Fail(422, 30, "amount", notNumber)
	case n.State == api.TooLarge && n.Value.Sign() > 0:
		f.Fail(400, 32, "amount", schema.Refuse(schema.ConversionTooLarge).Text())
	}
	q.amount = n.Value
}

// ticker reads the name of an asset.
func ticker(f *api.Form, name string) string {
	text, s := f.Text(name)
	if s == api.Malformed {
		f.Fail(422, 30, name, notText)
	}
	return text
}

// of is the exchange as the core is asked for it. An asset that nobody knows has the number 0, which the core knows just as little.
func (q *exchange) of(account schema.AccountID, d *directory.Directory) schema.Exchange {
	id := func(ticker string) schema.AssetID {
		if asset := d.Asset(ticker); asset != nil {
			return asset.ID
		}
		return 0
	}
	return schema.Exchange{Account: account, From: id(q.from), To: id(q.to), InTo: q.inTo, Amount: q.amount}
}

// converted is a conversion or a quote, with the directory that names its assets.
type converted struct {
	*schema.Conversion
	directory *directory.Directory
}

func (c *converted) ticker(asset schema.AssetID) string { return c.directory.Ticker(asset) }

// explained are the parameters of an exchange.
var explained = map[string]string{
	"from":      "Ticker of the asset that is given.",
	"to":        "Ticker of the asset that is received.",
	"direction": "In which of the two the amount is.",
	"amount":    "Amount to give (direction from) or to receive (direction to). Decimals beyond 8, or beyond those of the asset, are cut off.",
}

// unpriced are the reasons for which there is no price.
var unpriced = []schema.Reason{
	schema.ConversionsOff, schema.ConversionUnavailable, schema.ConversionTooSmall, schema.ConversionTooLarge, schema.ConversionNotCovered,
}
