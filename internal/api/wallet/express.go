package wallet

import (
	"fmt"
	"net/url"
	"time"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// maxExternal is how many characters a reference of a partner may have.
const maxExternal = 255

// expressRequest asks for a token.
type expressRequest struct {
	ticker, external string
	amount           fixed.Decimal
}

func (q *expressRequest) Read(f *api.Form) {
	f.Demand("ticker", "amount", "externalId")
	q.ticker, q.external = f.String("ticker"), f.String("externalId")
	n := f.Number("amount")
	q.amount = n.Value
	switch {
	case n.State == api.Malformed:
		f.Fail(400, 0, "amount", "The amount must be a number.")
	case n.State == api.TooFine:
		f.Fail(400, 0, "amount", schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(fixed.Places)}.Text())
	case n.State == api.TooLarge:
		f.Fail(400, 0, "amount", fmt.Sprintf("The amount may not be greater than %s.", fixed.Max))
	}
	if utf8.RuneCountInString(q.external) > maxExternal {
		f.Fail(400, 0, "externalId", fmt.Sprintf("The external id may not be greater than %d characters.", maxExternal))
	}
}

// link is where a customer pays.
type link struct {
	url     string
	expires schema.Time
}

var linkEncoder = api.Encode("ExpressToken", "Where a customer pays a partner.",
	api.StringField("url", "Page on which any customer but the partner can pay, once. The token is its query parameter token.", func(l *link) string { return l.url }),
	api.StringField("expireAt", "Time until which it can be paid, UTC, as 2006-01-02 15:04:05.", func(l *link) string {
		return time.UnixMicro(int64(l.expires)).UTC().Format(time.DateTime)
	}))

var aboutExpress = &api.About{
	Summary: "Request an express payment",
	Text: "For partners. Makes a token, valid for 90 seconds, by which another customer can pay the amount from main balance to main balance, without a fee. " +
		"While it is valid, the same request is answered with the same token. A partner can have 1000 valid tokens.",
	Parameters: map[string]string{
		"ticker":     "Ticker of a crypto asset that can be withdrawn.",
		"amount":     "Amount to be paid, worth at most 10000 USDT.",
		"externalId": "Reference of the partner, with at most 255 characters. A reference is paid once.",
	},
	Response: linkEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.AssetNotOffered, schema.MoveNotPositive, schema.MoveTooPrecise, schema.ExpressDisabled, schema.ExpressInvalid, schema.ExpressPending, schema.ExpressPaid, schema.ExpressAboveCap, schema.RateUnknown, schema.ExpressTooMany,
	},
	Faults: []*api.Error{unknownTicker},
}

func expressToken(c api.WriteCall, q *expressRequest) (api.Answer, error) {
	asset := c.Directory().Asset(q.ticker)
	if asset == nil {
		return nil, unknownTicker
	}
	key, token := c.API.Key(), uuid.Random()
	var result schema.Result
	if err := c.Submit(&schema.RequestExpress{
		Account: c.Account.ID, Asset: asset.ID, Amount: q.amount, External: q.external, Digest: key.Digest(api.ExpressPurpose, token), Sealed: key.Seal([]byte(token), api.ExpressPurpose),
	}, &result); err != nil {
		return nil, err
	}
	// It may be the token of an earlier request.
	text, err := key.Open(result.Express.Sealed, api.ExpressPurpose)
	if err != nil {
		return nil, fmt.Errorf("opening the token of %q: %w", q.external, err)
	}
	return linkEncoder.Answer(&link{c.API.PublicURL() + "/express?token=" + url.QueryEscape(string(text)), result.Express.Expires}), nil
}
