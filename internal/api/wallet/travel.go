package wallet

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/travel"
	"bourse/internal/uuid"
)

// travelOperations are those that the travel rule asks for, in the EU.
func travelOperations() []api.Operation {
	list := []api.Operation{
		api.Post("/api/v4/travel-rule/vasps", api.Per10s(1000), api.Reader(vasps, aboutVASPs)),
		api.Post("/api/v4/travel-rule/deposit/verification", api.Per10s(1000), api.Writer(verify, aboutVerify)),
	}
	for i := range list {
		list[i].Regions = schema.In(schema.EU)
		list[i].MapError = func(e *api.Error) *api.Error {
			if e == api.ErrNotThere {
				return disabledHere
			}
			return e
		}
	}
	return list
}

const somethingWrong = "Something went wrong"

// What is wrong with a request about the travel rule beside its fields.
var (
	disabledHere  = api.NewError(422, 0, somethingWrong, "error", "This endpoint is disabled for your region")
	unknownTravel = api.NewError(422, 0, somethingWrong, "uniqueId", "Transaction not found")
	noDeposit     = api.NewError(422, 0, somethingWrong, "uniqueId", "Transaction must be a deposit")
	travelNotNow  = api.NewError(422, 0, somethingWrong, "uniqueId", schema.Refuse(schema.TravelNotAsked).Text())
)

// Bounds of what is said about people, in characters.
const (
	maxFirstLast     = 100
	maxFullName      = 200
	maxCity          = 100
	maxAddressLine   = 200
	maxPostCode      = 20
	maxWalletAddress = 200
	maxTravelID      = 100
)

const countryPattern = "^[A-Z]{3}$"

var (
	walletTypes = []string{"hosted", "unhosted"}
	partyTypes  = []string{"individual", "entity"}
)

// readTravelRule reads the travelRule of a withdrawal; nil where there is none. A vasp that is a text makes it one of the older, flat form, as long
// as that is not retired.
func readTravelRule(f *api.Form) *travel.Data {
	var d travel.Data
	switch f.Object("travelRule", func(f *api.Form) {
		f.Schema().Alternatives("walletType beneficiary | type vasp name address")
		f.Schema().AllowText("vasp")
		_, s := f.Word("vasp")
		if f.Retired(api.FlatTravelRule) {
			s = api.Malformed
		}
		if s == api.Good || f.Schema() != nil { // the document has both forms
			d = flat(f)
		}
		if s == api.Good {
			return
		}
		f.Demand("beneficiary")
		d.Beneficiary = party(f, "beneficiary")
		d.WalletType, d.VASP = keptBy(f, "vasp", "vaspData")
	}) {
	case api.Malformed:
		f.Fail(400, 0, "travelRule", "The travel rule must be an object.")
	case api.Good:
		return &d
	}
	return nil
}

// keptBy reads the type of a wallet, and who keeps it if it is hosted: the first that is said under one of the names.
func keptBy(f *api.Form, names ...string) (kind string, keeper *travel.VASP) {
	f.Demand("walletType")
	kind = one(f, "walletType", walletTypes)
	for _, name := range names {
		var v travel.VASP
		s := f.Object(name, func(f *api.Form) {
			v.ID, v.Name = limited(f, "vaspId", schema.MaxVASPID), limited(f, "vaspName", schema.MaxVASPName)
		})
		if s == api.Malformed {
			f.Fail(400, 0, name, "The "+f.Spoken(name)+" must be an object.")
		}
		if keeper == nil && v != (travel.VASP{}) {
			keeper = &v
		}
	}
	if kind != "hosted" {
		return kind, nil
	}
	if keeper == nil {
		f.Lack(400, 0, names[0], "Either vaspId or vaspName is required for hosted wallets")
	}
	return kind, keeper
}

// party reads who receives a withdrawal, or sent a deposit; only the latter has a wallet of which the exchange does not know the address.
func party(f *api.Form, name string) *travel.Party {
	p := travel.Party{Address: &travel.Address{}}
	s := f.Object(name, func(f *api.Form) {
		f.Demand("type")
		p.Type = one(f, "type", partyTypes)
		p.FirstName, p.LastName, p.FullName = limited(f, "firstName", maxFirstLast), limited(f, "lastName", maxFirstLast), limited(f, "fullName", maxFullName)
		switch p.Type {
		case "individual":
			named(f, "firstName", p.FirstName, "The first name field is required for individual.")
			named(f, "lastName", p.LastName, "The last name field is required for individual.")
			p.FullName = ""
		case "entity":
			named(f, "fullName", p.FullName, "The full name field is required for entity.")
			p.FirstName, p.LastName = "", ""
		}
		p.ResidenceCountry = country(f, "residenceCountry")
		if name == "originator" {
			p.WalletAddress = needed(f, "walletAddress", maxWalletAddress)
		}
		f.Demand("address")
		if f.Object("address", func(f *api.Form) {
			p.Address.Country, p.Address.City = country(f, "country"), needed(f, "city", maxCity)
			p.Address.Line, p.Address.PostCode = needed(f, "addressLine1", maxAddressLine), limited(f, "postCode", maxPostCode)
		}) == api.Malformed {
			f.Fail(400, 0, "address", "The "+f.Spoken("address")+" must be an object.")
		}
	})
	if s == api.Malformed {
		f.Fail(400, 0, name, "The "+f.Spoken(name)+" must be an object.")
	}
	return &p
}

// flat reads a travelRule of the older form: texts alone, of which address is the last name of an individual. What it does not say an operator asks for.
func flat(f *api.Form) travel.Data {
	f.Demand("type")
	p := travel.Party{Type: one(f, "type", partyTypes)}
	if p.Type == "entity" {
		p.FullName, p.Address = needed(f, "name", maxFullName), &travel.Address{Line: needed(f, "address", maxAddressLine)}
	} else {
		p.FirstName, p.LastName = needed(f, "name", maxFirstLast), needed(f, "address", maxFirstLast)
	}
	return travel.Data{WalletType: "hosted", Beneficiary: &p, VASP: &travel.VASP{Name: needed(f, "vasp", schema.MaxVASPName)}}
}

// limited reads a text of at most so many characters.
func limited(f *api.Form, name string, most int) string {
	value := f.String(name)
	if utf8.RuneCountInString(value) > most {
		f.Fail(400, 0, name, fmt.Sprintf("The %s may not be greater than %d characters.", f.Spoken(name), most))
	}
	return value
}

// needed is limited for a text that must be there.
func needed(f *api.Form, name string, most int) string {
	value := limited(f, name, most)
	if _, s := f.Text(name); s == api.Missing || s == api.Good && value == "" {
		f.Lack(400, 0, name, "The "+f.Spoken(name)+" field is required.")
	}
	return value
}

// named notes that a name is not there that a party of its type has.
func named(f *api.Form, name, value, lacking string) {
	if _, s := f.Text(name); s != api.Malformed && value == "" {
		f.Lack(400, 0, name, lacking)
	}
}

// one reads one of some words.
func one(f *api.Form, name string, words []string) string {
	word, s := f.Choice(name, words)
	if s == api.Malformed {
		f.Fail(400, 0, name, "The selected "+f.Spoken(name)+" is invalid.")
	}
	return word
}

// country reads the code of a country, as in ISO 3166-1 alpha-3.
func country(f *api.Form, name string) string {
	f.Schema().Match(name, countryPattern)
	f.Demand(name)
	value, s := f.Text(name)
	if s == api.Malformed || s == api.Good && (len(value) != 3 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		f.Fail(400, 0, name, "The selected "+f.Spoken(name)+" is invalid.")
	}
	return value
}

// aboutParty says what the fields of a party mean.
func aboutParty(name, who string, all map[string]string) {
	for field, text := range map[string]string{
		"":                      who + ".",
		".type":                 "individual: a person, entity: an organisation.",
		".firstName":            "First name of an individual, required for one, with at most 100 characters.",
		".lastName":             "Last name of an individual, required for one, with at most 100 characters.",
		".fullName":             "Name of an entity, required for one, with at most 200 characters.",
		".residenceCountry":     "Country of residence, ISO 3166-1 alpha-3.",
		".address":              "Postal address.",
		".address.country":      "Country, ISO 3166-1 alpha-3.",
		".address.city":         "City, with at most 100 characters.",
		".address.addressLine1": "Street and number, with at most 200 characters.",
		".address.postCode":     "Postal code, with at most 20 characters.",
	} {
		all[name+field] = text
	}
}

// aboutKeeper says what the fields of a wallet mean.
func aboutKeeper(prefix, name, text string, all map[string]string) {
	all[prefix+"walletType"] = "hosted: an exchange or another service keeps the wallet, unhosted: its owner does."
	all[prefix+name] = text
	all[prefix+name+".vaspId"] = "Id of the service, as /api/v4/travel-rule/vasps has it, if it is listed there. At most 100 characters."
	all[prefix+name+".vaspName"] = "Name of the service, if it is not listed. At most 200 characters."
}

// vaspList is the VASPs that operators know.
type vaspList struct{ vasps []schema.VASP }

var vaspsEncoder = func() *api.Encoder[vaspList] {
	vasp := api.Encode("VASP", "An exchange or another service that keeps wallets.",
		api.StringField("vaspId", "Id.", func(v *schema.VASP) string { return v.ID }),
		api.StringField("name", "Name.", func(v *schema.VASP) string { return v.Name }))
	data := api.Encode("", "", api.ArrayField("vasps", vasp, "By id.", func(l *vaspList) []schema.VASP { return l.vasps }))
	return api.Encode("VASPList", "VASPs.", api.ObjectField("data", data, "The list.", func(l *vaspList) *vaspList { return l }))
}()

var aboutVASPs = &api.About{
	Summary:  "List VASPs",
	Text:     "Exchanges and other services that keep wallets, as withdrawals and verifications of deposits name them. For accounts in the EU.",
	Response: vaspsEncoder.Schema(),
}

func vasps(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var list vaspList
	c.API.Read(func(m core.View) { list.vasps = m.Chains().VASPs() })
	return vaspsEncoder.Answer(&list), nil
}

// verification says who sent a deposit.
type verification struct {
	id   string
	data travel.Data
}

func (q *verification) Read(f *api.Form) {
	f.Demand("uniqueId", "originator")
	q.id = limited(f, "uniqueId", maxTravelID)
	q.data.Originator = party(f, "originator")
	q.data.WalletType, q.data.VASP = keptBy(f, "vaspData")
}

var verifiedEncoder = func() *api.Encoder[string] {
	data := api.Encode("", "",
		api.StringField("uniqueId", "As requested.", func(id *string) string { return *id }),
		api.EnumField("status", []string{"submitted"}, "It was submitted, and an operator looks at it.", func(*string) string { return "submitted" }))
	return api.Encode("Verification", "A verification that was submitted.", api.ObjectField("data", data, "The verification.", func(id *string) *string { return id }))
}()

var aboutVerify = func() *api.About {
	about := &api.About{
		Summary: "Verify a deposit",
		Text: "Says who sent a deposit that has status 27. It gets status 28 then, and an operator credits it or cancels it; one that is canceled can be refunded. " +
			"For accounts in the EU.",
		Parameters: map[string]string{"uniqueId": "UUID of the deposit: its transaction_id in /api/v4/main-account/history."},
		Response:   verifiedEncoder.Schema(),
		Faults:     []*api.Error{unknownTravel, noDeposit, travelNotNow},
	}
	aboutParty("originator", "Who sent the deposit", about.Parameters)
	about.Parameters["originator.walletAddress"] = "Address that it was sent from, with at most 200 characters."
	aboutKeeper("", "vaspData", "Who keeps the wallet that it came from, required if the wallet is hosted: vaspId or vaspName.", about.Parameters)
	return about
}()

func verify(c api.WriteCall, q *verification) (api.Answer, error) {
	number, is := uuid.Read(q.id, uuid.Deposit)
	ref := number << 1
	if !is {
		number, _ = uuid.Read(q.id, uuid.Withdrawal)
		ref = number<<1 | 1
	}
	records, err := c.Past(&history.Query{Kind: history.Payments, Ref: ref, Limit: 1})
	switch {
	case err != nil:
		return nil, err
	case len(records) == 0 || !strings.EqualFold(paymentOf(c.Directory(), &records[0]).uuid, q.id):
		return nil, unknownTravel
	case !is:
		return nil, noDeposit
	}
	var result schema.Result
	err = c.Submit(&schema.SubmitTravel{Account: c.Account.ID, Deposit: schema.DepositID(number), Sealed: travel.Seal(c.API.Key(), &q.data)}, &result)
	switch result.Rejection.Reason {
	case schema.TravelNotAsked, schema.DepositUnknown: // the history has it longer than the core
		return nil, travelNotNow
	}
	if err != nil {
		return nil, err
	}
	return verifiedEncoder.Answer(&q.id), nil
}
