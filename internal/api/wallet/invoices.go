package wallet

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"bourse/internal/api"
	"bourse/internal/checkout"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// mostExpiry is how many seconds an invoice may be open.
const mostExpiry = int64(schema.MaxLifetime / schema.Second)

// closedTickers are not taken by this operation, whatever their settings.
var closedTickers = []string{"GEL", "UAH_VISAMASTER"}

// invoiceRequest asks for a page on which fiat money is paid in.
type invoiceRequest struct {
	ticker, provider, unique string
	success, failure, back   string
	amount                   api.Number
	expires                  int64 // seconds; 0: not said
	born                     time.Time
}

func (q *invoiceRequest) Read(f *api.Form) {
	f.Demand("ticker", "provider", "amount")
	q.ticker, q.provider = f.String("ticker"), f.String("provider")
	if q.amount = f.Number("amount"); q.amount.State == api.Malformed {
		f.Fail(400, 0, "amount", "The amount must be a number.")
	}
	q.unique = needed(f, "uniqueId", maxUnique)
	q.success, q.failure, q.back = landing(f, "successLink", true), landing(f, "failureLink", true), landing(f, "returnLink", false)
	q.readExpiry(f)
	if q.expires != 0 && q.provider != byCard && q.provider != byPage {
		f.Fail(400, 0, "amount", noExpiry.Fields[0].Texts[0])
	}
	if card := f.String("address"); card != "" && !isCard(card) {
		f.Fail(400, 0, "address", "Invalid credit card number")
	}
	q.readCustomer(f)
}

// readExpiry reads after how many seconds the invoice expires.
func (q *invoiceRequest) readExpiry(f *api.Form) {
	const name = "expiresAfter"
	f.Schema().Bound(name, 1, mostExpiry)
	n, s := f.Int(name)
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, name, "The expires after must be an integer.")
	case s == api.Missing:
	case n < 1:
		f.Fail(400, 0, name, "The expires after must be at least 1.")
	case n > mostExpiry:
		f.Fail(400, 0, name, fmt.Sprintf("The expires after may not be greater than %d.", mostExpiry))
	default:
		q.expires = n
	}
}

// readCustomer reads who pays, which is asked where cards pay. Nothing of it is kept.
func (q *invoiceRequest) readCustomer(f *api.Form) {
	must := q.provider == byCard && personal(q.ticker)
	s := f.Object("customer", func(f *api.Form) {
		person(f, "firstName", maxFirstLast, must)
		person(f, "lastName", maxFirstLast, must)
		person(f, "email", maxEmail, must)
		q.born = birthDate(f, must)
		s := f.Object("address", func(f *api.Form) {
			person(f, "line1", maxAddressLine, must)
			person(f, "line2", maxAddressLine, false)
			person(f, "city", maxCity, must)
			person(f, "zipCode", maxPostCode, must)
			person(f, "countryCode", 3, must)
		})
		switch {
		case s == api.Malformed:
			f.Fail(400, 0, "address", "The customer address must be an object.")
		case s == api.Missing && must:
			f.Demand("address")
		}
	})
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "customer", "The customer must be an object.")
	case s == api.Missing && must:
		f.Demand("customer")
	}
}

// Texts about links.
const (
	wrongDomain = "Your domain is incorrect. Please contact support for more details"
	wrongScheme = "Your domain scheme incorrect. Use https only"
)

// landing reads an address to which the page leads. Some are https alone.
func landing(f *api.Form, name string, secure bool) string {
	text := f.String(name)
	if text == "" {
		return ""
	}
	to, err := url.Parse(text)
	switch {
	case len(text) > schema.MaxLink:
		f.Fail(400, 0, name, fmt.Sprintf("The %s may not be greater than %d characters.", f.Spoken(name), schema.MaxLink))
	case !secure && (err != nil || to.Scheme != "https" && to.Scheme != "http" || to.Hostname() == ""):
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" must be a valid URL.")
	case secure && err == nil && to.Scheme != "https":
		f.Fail(400, 0, name, wrongScheme)
	case secure && (err != nil || to.Hostname() == ""):
		f.Fail(400, 0, name, wrongDomain)
	default:
		return to.String() // escaped as addresses are
	}
	return ""
}

// What is wrong with a request for an invoice beside its fields.
var (
	noExpiry          = api.NewError(400, 0, api.ValidationFailed, "amount", "Expiration date cannot be used for this provider")
	notDepositable    = api.NewError(400, 0, api.ValidationFailed, "ticker", "Currency is not depositable via API")
	otherProvider     = api.NewError(400, 0, api.ValidationFailed, "provider", "Cannot find currency for specified provider")
	userNotVerified   = api.NewError(400, 0, api.ValidationFailed, "user", "User not verified")
	tooYoung          = api.NewError(400, 0, api.ValidationFailed, "customer.birthDate", "You must be at least 18 years old")
	tooLittle         = api.NewError(400, 0, api.ValidationFailed, "amount", "Amount is too little for deposit")
	tooBig            = api.NewError(400, 0, api.ValidationFailed, "amount", "Amount is too big for deposit")
	providerFails     = &api.Error{Status: 400, Code: 10, Message: "Failed to generate deposit url"}
	invoiceWrongLinks = []*api.Error{
		api.NewError(400, 0, api.ValidationFailed, "successLink", wrongDomain), api.NewError(400, 0, api.ValidationFailed, "successLink", wrongScheme),
	}
)

var invoiceEncoder = api.Encode("FiatDepositURL", "Where a deposit of fiat money is paid.",
	api.StringField("url", "Page on which the customer pays. Anyone who has the link can see the invoice.", func(url *string) string { return *url }))

var aboutInvoice = &api.About{
	Summary: "Request a page to deposit fiat money",
	Text: "On demand: the operator of the exchange enables it for an account, which must be verified. Creates an invoice and returns the page on which it is paid. " +
		"The invoice is a deposit of /api/v4/main-account/history, with the unique id, from the request on. An account can have 1000 open invoices.",
	Parameters: map[string]string{
		"ticker":       "Ticker of a fiat asset that can be deposited.",
		"provider":     "Payment provider, one of providers.deposits of the asset in /api/v4/public/assets.",
		"amount":       "Amount to be paid, fee included.",
		"uniqueId":     "Client-assigned id, unique among all invoices of the account, and the reference of a bank transfer. At most 255 characters.",
		"successLink":  "Page to go on with after payment. https only.",
		"failureLink":  "Page to go on with if the payment failed. https only.",
		"returnLink":   "Page to leave for without paying.",
		"expiresAfter": "Seconds until the invoice expires, at most 86400, which is the default. VISAMASTER and CHECKOUT only.",
		"address":      "Number of the card that is to pay. Checked and not kept.",
		"customer":     "Who pays. Required for USD and EUR with VISAMASTER. Checked and not kept.",

		"customer.firstName":           "First name.",
		"customer.lastName":            "Last name.",
		"customer.email":               "Email address.",
		"customer.birthDate":           "Date of birth, as 2006-01-02. Customers are at least 18 years old.",
		"customer.address":             "Postal address.",
		"customer.address.line1":       "Street and number.",
		"customer.address.line2":       "More of the address. Optional.",
		"customer.address.city":        "City.",
		"customer.address.zipCode":     "Postal code.",
		"customer.address.countryCode": "Code of the country, ISO 3166-1.",
	},
	Response: invoiceEncoder.Schema(),
	Refusals: []schema.Reason{schema.MoveTooPrecise, schema.UniqueTaken, schema.InvoicesTooMany},
	Faults: append([]*api.Error{
		unknownTicker, notDepositable, unknownProvider, otherProvider, userNotVerified, tooYoung, tooLittle, tooBig, providerFails,
	}, invoiceWrongLinks...),
}

// invoice asks the provider for a page.
func invoice(c api.WriteCall, q *invoiceRequest) (api.Answer, error) {
	asset, chain, err := q.provided(c)
	if err != nil {
		return nil, err
	}
	now := c.API.Now()
	if !q.born.IsZero() && q.born.AddDate(18, 0, 0).After(time.UnixMicro(int64(now)).UTC()) {
		return nil, tooYoung
	}
	amount, r := q.amount.Fit(schema.MoveTooPrecise, asset.Precision)
	switch {
	case q.amount.State == api.TooLarge:
		return nil, tooBig
	case r.Refused():
		r.Value = fixed.FromInt(int64(asset.Precision)) // the text is about decimals, not about steps
		return nil, api.Refusal(r)
	}
	secret := uuid.Random()
	command := &schema.RequestInvoice{
		Account: c.Account.ID, Chain: chain.ID, Asset: asset.ID, Amount: amount, Unique: q.unique, Digest: checkout.Digest(c.API.Key(), secret),
		Success: q.success, Failure: q.failure, Return: q.back,
	}
	if q.expires != 0 && q.expires != mostExpiry {
		command.Expires = now + schema.Time(q.expires)*schema.Second
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		switch result.Rejection.Reason {
		case schema.DepositBelowMin, schema.MoveNotPositive:
			return nil, tooLittle
		case schema.DepositAboveMax:
			return nil, tooBig
		case schema.DepositDisabled, schema.AssetNotOffered:
			return nil, notDepositable
		}
		return nil, err
	}
	page := c.API.PublicURL() + checkout.Path + secret
	return invoiceEncoder.Answer(&page), nil
}

// provided is the asset and the provider that are asked for, or what is wrong with the request.
func (q *invoiceRequest) provided(c api.WriteCall) (*schema.Asset, *schema.Chain, error) {
	asset := c.Directory().Asset(q.ticker)
	switch {
	case asset == nil:
		return nil, nil, unknownTicker
	case asset.Class == schema.Crypto || !asset.CanDeposit || slices.Contains(closedTickers, q.ticker):
		return nil, nil, notDepositable
	}
	n := asset.NetworkNamed(q.provider)
	if n == nil || n.Chain == 0 {
		all, _, _ := c.Directory().Listing()
		for _, other := range all {
			if n := other.NetworkNamed(q.provider); n != nil && n.Chain != 0 && other.Class != schema.Crypto {
				return nil, nil, otherProvider
			}
		}
		return nil, nil, unknownProvider
	}
	chain := c.Directory().Chain(n.Chain)
	switch {
	case !n.CanDeposit:
		return nil, nil, notDepositable
	case !c.Account.Verified:
		return nil, nil, userNotVerified
	case chain == nil || chain.Paused:
		return nil, nil, providerFails
	}
	return asset, chain, nil
}
