package wallet

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// Payment providers move fiat money. A provider is the network of a fiat asset; what it needs to know of people and banks is checked here
// by its name, and not kept: a sandbox asks nobody.

// Names of providers that ask for something.
const (
	byCard    = "VISAMASTER"
	byPage    = "CHECKOUT"
	byMercury = "MERCURYO"
)

// banks are the providers that send money from bank to bank, by IBAN and BIC.
var banks = []string{"SEPA", "SEPA_CLEAR_JUNCTION", "SEPA_BCB_GROUP", "FINCI", "ZEN", "BANKING_CIRCLE"}

// byBank reports whether a provider is one of them.
func byBank(provider string) bool { return slices.Contains(banks, provider) }

// Tickers of which it must be said who gets them, and what of that.
var (
	namedTickers   = []string{"USD_VISAMASTER", "USD", "EUR"}
	reachedTickers = []string{"USD_VISAMASTER", "EUR_VISAMASTER"}
)

// personal reports whether a ticker is of the money that cards hold.
func personal(ticker string) bool { return ticker == "USD" || ticker == "EUR" }

const maxBeneficiaryName = 40

// namePattern is what a beneficiary may be called.
const namePattern = `^[A-Za-zÀ-ɏ .,'’&()/-]*$`

// What is wrong with a withdrawal by a provider beside its fields.
var (
	unknownProvider = api.NewError(400, 0, api.ValidationFailed, "provider", "The selected provider is invalid.")
	verifyFirst     = api.NewError(400, 0, api.ValidationFailed, "amount", "Your account must be verified")
	bicNeeded       = api.NewError(400, 0, api.ValidationFailed, "bankBic", "The bank bic field is required.")
)

// fiatRequest is what a withdrawal of fiat money says beside its amount and address.
type fiatRequest struct {
	provider, bic string
	partial       bool
}

// read reads it. What is asked about people depends on the ticker and the provider.
func (q *fiatRequest) read(f *api.Form, ticker string) {
	q.provider = f.String("provider")
	partial, s := f.Bool("partialEnable")
	if q.partial = partial; s == api.Malformed {
		f.Fail(400, 0, "partialEnable", "The partial enable field must be true or false.")
	}
	q.bic = strings.ToUpper(f.String("bankBic"))
	ip := f.String("customerIp")
	if _, err := netip.ParseAddr(ip); ip != "" && err != nil {
		f.Fail(400, 0, "customerIp", "The customer ip must be a valid IP address.")
	}
	if ip == "" && q.provider == byCard && personal(ticker) {
		f.Demand("customerIp")
	}
	names, reach := slices.Contains(namedTickers, ticker), slices.Contains(reachedTickers, ticker)
	born := reach || q.provider == byMercury
	s = f.Object("beneficiary", func(f *api.Form) {
		for _, name := range []string{"firstName", "lastName"} {
			f.Schema().Match(name, namePattern)
			if value := person(f, name, maxBeneficiaryName, names); !latin(value) {
				f.Fail(400, 0, name, "The "+f.Spoken(name)+" format is invalid.")
			}
		}
		person(f, "phone", maxFirstLast, reach)
		person(f, "email", maxEmail, reach)
		birthDate(f, born)
	})
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "beneficiary", "The beneficiary must be an object.")
	case s == api.Missing && q.provider != "" && (names || born):
		f.Demand("beneficiary")
	}
}

const maxEmail = 254

// person reads a text about somebody.
func person(f *api.Form, name string, most int, must bool) string {
	if must {
		return needed(f, name, most)
	}
	return limited(f, name, most)
}

// latin reports whether a name has Latin letters and the signs of names alone.
func latin(name string) bool {
	for _, c := range name {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 'À' && c <= 'ɏ'
		if !letter && !strings.ContainsRune(" .,'’&()/-", c) {
			return false
		}
	}
	return true
}

// birthDate reads when somebody was born, as 2006-01-02; the zero time where that is not said.
func birthDate(f *api.Form, must bool) time.Time {
	text := person(f, "birthDate", len(time.DateOnly), must)
	if text == "" || len(text) > len(time.DateOnly) {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		f.Fail(400, 0, "birthDate", "The "+f.Spoken("birthDate")+" is not a valid date.")
	}
	return day
}

// find is where a withdrawal of fiat money goes: an IBAN by banks, the token of a card by cards, and what else a provider knows by the others.
func (q *withdrawRequest) bank(c api.WriteCall, asset *schema.Asset) (d destination, err error) {
	d.asset = asset
	switch {
	case q.provider != "":
		d.network = asset.NetworkNamed(q.provider)
	case asset.Class == schema.Fiat:
		return d, providerNeeded
	default:
		d.network = asset.StandardNetwork()
	}
	if d.network == nil && q.provider != "" && !slices.Contains(asset.Providers, q.provider) {
		return d, unknownProvider
	}
	if d.network == nil || !asset.CanWithdraw || !d.network.CanWithdraw {
		return d, notWithdrawable
	}
	if d.chain = c.Directory().Chain(d.network.Chain); d.chain == nil || d.chain.Paused {
		return d, notWithdrawable
	}
	if !c.Account.Verified {
		return d, verifyFirst
	}
	d.address, d.memo = q.address, q.memo
	switch provider := d.network.Name; {
	case byBank(provider):
		if q.bic == "" {
			return d, bicNeeded
		}
		if d.address = iban(q.address); d.address == "" {
			return d, wrongAddress
		}
	case provider == byCard && !isCardToken(c.API.Key(), c.Account.ID, q.address):
		return d, wrongAddress
	}
	if len(d.memo) > schema.MaxMemo {
		return d, wrongMemo
	}
	return d, nil
}

// Characters that an IBAN may have.
const (
	leastIBAN = 15
	mostIBAN  = 34
)

// iban is a text as an IBAN without spaces, "" if it is none: a country, two digits that make it right modulo 97 (ISO 7064), and an account.
func iban(text string) string {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if len(text) < leastIBAN || len(text) > mostIBAN {
		return ""
	}
	rest := 0
	for i := range len(text) {
		c := text[(i+4)%len(text)]
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return ""
		}
	}
	letters := text[0] >= 'A' && text[1] >= 'A'
	digits := text[2] <= '9' && text[3] <= '9'
	if rest != 1 || !letters || !digits {
		return ""
	}
	return text
}
