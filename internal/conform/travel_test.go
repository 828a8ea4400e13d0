package conform_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/travel"
)

// newTravelWorld is the world of withdrawals where eve is in the EU and has 10 DEP, and alice is elsewhere. One VASP is known, acme.
func newTravelWorld(t *testing.T) (w depositWorld, eve, alice trader) {
	t.Helper()
	w = newWithdrawWorld(t, "eve", "alice")
	account := w.account("eve")
	account.Region = schema.EU
	w.Do(&schema.SetAccount{Account: account})
	w.Do(&schema.SetVASP{VASP: schema.VASP{ID: "acme", Name: "Acme Exchange"}})
	w.gives(t, "eve", "DEP", "10")
	return w, w.trader(t, "eve"), w.trader(t, "alice")
}

// person is a party as customers write it down, and hers the travelRule of a withdrawal to her unhosted wallet.
func person() obj {
	return obj{
		"type": "individual", "firstName": "Ada", "lastName": "Λόβλεϊς", "residenceCountry": "GRC",
		"address": obj{"country": "GRC", "city": "Patras", "addressLine1": "Harbour 1", "postCode": "26221"},
	}
}

func hers() obj { return obj{"walletType": "unhosted", "beneficiary": person()} }

// sender is the verification of a deposit that came from her unhosted wallet.
func sender(id string) obj {
	return obj{"uniqueId": id, "walletType": "unhosted", "originator": changed(person(), obj{"walletAddress": farBTC})}
}

// altered is an object whose member at a path is another value; gone takes it away.
func altered(o obj, path string, value any) obj {
	name, rest, deeper := strings.Cut(path, ".")
	o = maps.Clone(o)
	switch {
	case deeper:
		o[name] = altered(o[name].(obj), rest, value)
	case value == gone:
		delete(o, name)
	default:
		o[name] = value
	}
	return o
}

var gone any = struct{}{}

// verifies says who sent a deposit.
func (c trader) verifies(fields obj) conform.Reply {
	c.t.Helper()
	return c.ask("travel-rule/deposit/verification", fields)
}

// awry is a refusal of the endpoints of the travel rule.
func awry(field, text string) refusal {
	return refusal{422, 0, "Something went wrong", obj{field: arr{text}}}
}

var (
	elsewhere   = awry("error", "This endpoint is disabled for your region")
	notReady    = awry("uniqueId", "Transaction is not ready for verification")
	notVerified = awry("uniqueId", "Transaction not found")
)

// TestADepositWaitsForItsSender: in the EU it is neither held nor credited by itself. At full depth it has status 27, with the data 28, and
// then an operator decides (account-wallet 8, 9 and 14).
func TestADepositWaitsForItsSender(t *testing.T) {
	t.Parallel()
	w, eve, _ := newTravelWorld(t)
	to, began := eve.at("DEP", nil), w.clock.seconds()
	seen := seenDeposit{ticker: "DEP", name: "Deposit coin", network: "DEP", to: to, amount: "5", fee: "0", status: 15, actual: 1, required: 3, at: began}
	seen.receipt = w.pays(t, w.btc, "DEP", "5", to)
	w.mines(w.btc, 1) // enough to trade elsewhere
	eve.main("DEP", "10", "0")
	w.mines(w.btc, 1)
	seen.actual = 2
	eve.past(nil, seen.record())
	refuses(t, eve.verifies(sender(eve.newest())), notReady)

	w.mines(w.btc, 1)
	seen.status, seen.actual, seen.required = 27, 0, 0
	eve.past(nil, seen.record())
	eve.past(obj{"status": arr{27}}, seen.record())
	eve.past(obj{"status": arr{28, 15, 22}})
	eve.main("DEP", "10", "0")
	id := eve.newest()
	answers(t, eve.verifies(sender(id)), obj{"data": obj{"uniqueId": id, "status": "submitted"}})
	seen.status = 28
	eve.past(obj{"status": arr{28}, "transactionMethod": 1}, seen.record())
	eve.past(obj{"status": arr{27}})
	eve.main("DEP", "10", "0")
	refuses(t, eve.verifies(sender(id)), notReady)
	w.mines(w.btc, 10) // nothing happens by itself
	eve.past(nil, seen.record())

	w.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	eve.main("DEP", "15", "0")
	refuses(t, eve.verifies(sender(id)), notReady)
	is(t, "credited", eve.must("main-account/history", obj{"unique_id": id})["records"].([]any)[0].(map[string]any)["status"], 3)
}

// TestADepositWhoseSenderIsRejected is canceled, and can be refunded (account-wallet 14).
func TestADepositWhoseSenderIsRejected(t *testing.T) {
	t.Parallel()
	w, eve, _ := newTravelWorld(t)
	w.pays(t, w.btc, "DEP", "5", eve.at("DEP", nil))
	w.mines(w.btc, 3)
	id := eve.newest()
	eve.must("travel-rule/deposit/verification", sender(id))
	w.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	refuses(t, eve.verifies(sender(id)), notReady)
	eve.main("DEP", "10", "0")
	// A refund is no withdrawal: nothing is said of who receives it.
	answers(t, eve.ask("main-account/refund-deposit", obj{"transactionId": id, "address": farBTC}), obj{"transactionId": id, "id": id})
}

// TestDepositsThatNeedNoSender: those of accounts elsewhere, those of other customers, and those that are not credited anyway.
func TestDepositsThatNeedNoSender(t *testing.T) {
	t.Parallel()
	w, eve, alice := newTravelWorld(t)
	w.pays(t, w.btc, "DEP", "5", alice.at("DEP", nil))
	w.mines(w.btc, 3)
	alice.main("DEP", "4.948", "0")
	answers(t, alice.withdraws("DEP", "1", eve.at("DEP", nil), "for eve", nil), arr{})
	eve.main("DEP", "11", "0")
	refuses(t, eve.verifies(sender(eve.newest())), notReady)
	w.pays(t, w.btc, "DEP", "0.001", eve.at("DEP", nil))
	w.mines(w.btc, 3)
	eve.past(obj{"status": arr{22}}, seenDeposit{
		ticker: "DEP", name: "Deposit coin", network: "DEP", to: eve.at("DEP", nil), receipt: schema.SandboxReceipt("BTC", 2), amount: "0.001", fee: "0", status: 22, at: w.clock.seconds(),
	}.record())
	refuses(t, eve.verifies(sender(eve.newest())), notReady)
}

// TestTheTravelRuleElsewhere: its endpoints are disabled outside of the EU, whatever is asked, and say so after the key was found good.
func TestTheTravelRuleElsewhere(t *testing.T) {
	t.Parallel()
	w, eve, alice := newTravelWorld(t)
	w.Do(&schema.SetVASP{VASP: schema.VASP{ID: "a-bank", Name: "A bank"}})
	answers(t, eve.ask("travel-rule/vasps", nil), obj{"data": obj{"vasps": arr{obj{"vaspId": "a-bank", "name": "A bank"}, obj{"vaspId": "acme", "name": "Acme Exchange"}}}})
	w.Do(&schema.SetVASP{VASP: schema.VASP{ID: "acme"}})
	w.Do(&schema.SetVASP{VASP: schema.VASP{ID: "a-bank"}})
	answers(t, eve.ask("travel-rule/vasps", nil), obj{"data": obj{"vasps": arr{}}})
	for _, fields := range []obj{nil, sender(aDeposit)} {
		refuses(t, alice.ask("travel-rule/vasps", fields), elsewhere)
		refuses(t, alice.verifies(fields), elsewhere)
	}
	account := w.account("eve")
	account.Region = schema.Global
	w.Do(&schema.SetAccount{Account: account})
	refuses(t, eve.ask("travel-rule/vasps", nil), elsewhere)
}

// aDeposit looks like the id of a deposit, and is that of none.
const aDeposit = "00000000-0000-8002-8000-000000000007"

// TestVerificationsThatAreRefused: of what is not a deposit of the account, and with data that lack something (account-wallet 14).
func TestVerificationsThatAreRefused(t *testing.T) {
	t.Parallel()
	w, eve, alice := newTravelWorld(t)
	w.pays(t, w.btc, "DEP", "5", alice.at("DEP", nil))
	w.mines(w.btc, 3)
	others := alice.newest()
	answers(t, eve.withdraws("DEP", "1", arrival{farBTC, ""}, "rent", obj{"travelRule": hers()}), arr{})
	rent := eve.newest()
	w.clock.advance(schema.Second)
	w.pays(t, w.btc, "DEP", "5", eve.at("DEP", nil))
	w.mines(w.btc, 3)
	id := eve.newest()
	for name, c := range map[string]struct {
		id   string
		want refusal
	}{
		"no UUID":          {"x", notVerified},
		"nobody's":         {aDeposit, notVerified},
		"another's":        {others, notVerified},
		"a withdrawal":     {rent, awry("uniqueId", "Transaction must be a deposit")},
		"another time":     {"0000" + id[4:], notVerified},
		"a withdrawal too": {strings.Replace(id, "-8002-", "-8003-", 1), notVerified},
	} {
		t.Run(name, func(t *testing.T) { refuses(t, eve.verifies(sender(c.id)), c.want) })
	}
	refuses(t, eve.verifies(nil), refusal{400, 0, "Validation failed", obj{
		"uniqueId": arr{"The unique id field is required."}, "originator": arr{"The originator field is required."}, "walletType": arr{"The wallet type field is required."},
	}})
	refuses(t, eve.verifies(obj{"uniqueId": id, "walletType": "hosted", "originator": obj{}}), refusal{400, 0, "Validation failed", obj{
		"originator.type":             arr{"The originator type field is required."},
		"originator.residenceCountry": arr{"The originator residence country field is required."},
		"originator.walletAddress":    arr{"The originator wallet address field is required."},
		"originator.address":          arr{"The originator address field is required."},
		"vaspData":                    arr{"Either vaspId or vaspName is required for hosted wallets"},
	}})
	for _, c := range []struct {
		path  string
		value any
		key   string
		text  string
	}{
		{"uniqueId", strings.Repeat("x", 101), "", "The unique id may not be greater than 100 characters."},
		{"uniqueId", 7, "", "The unique id must be a string."},
		{"originator", "Ada", "", "The originator must be an object."},
		{"originator.firstName", gone, "", "The first name field is required for individual."},
		{"originator.lastName", "", "", "The last name field is required for individual."},
		{"originator.type", "entity", "originator.fullName", "The full name field is required for entity."},
		{"originator.walletAddress", strings.Repeat("x", 201), "", "The originator wallet address may not be greater than 200 characters."},
		{"originator.address.city", nil, "", "The originator address city field is required."},
		{"vaspData", "acme", "", "The vasp data must be an object."},
		{"vaspData", obj{"vaspName": strings.Repeat("x", 201)}, "vaspData.vaspName", "The vasp data vasp name may not be greater than 200 characters."},
		{"walletType", "hosted", "vaspData", "Either vaspId or vaspName is required for hosted wallets"},
	} {
		key := c.path
		if c.key != "" {
			key = c.key
		}
		refuses(t, eve.verifies(altered(sender(id), c.path, c.value)), broken(key, c.text))
	}
	eve.past(obj{"status": arr{28}})
	// A hosted wallet of a VASP that nobody knows is fine: an operator looks at it.
	eve.must("travel-rule/deposit/verification", changed(sender(id), obj{"walletType": "hosted", "vaspData": obj{"vaspName": "Zeta"}}))
}

// said is what the exchange keeps about who receives a withdrawal; nil: nothing.
func (w depositWorld) said(t *testing.T, id schema.WithdrawalID) *travel.Data {
	t.Helper()
	var sealed []byte
	w.Exchange.Node.Read(func(m core.View) { sealed = m.Chains().TravelOf(id) })
	if sealed == nil {
		return nil
	}
	data, err := travel.Open(w.Exchange.Node.Key(), sealed)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWithdrawalsInTheEU say who receives them: those to a VASP that is known go by themselves, the others wait for an operator
// (account-wallet 5).
func TestWithdrawalsInTheEU(t *testing.T) {
	t.Parallel()
	w, eve, _ := newTravelWorld(t)
	far := arrival{farBTC, ""}
	for _, nothing := range []obj{nil, {"travelRule": nil}} {
		refuses(t, eve.withdraws("DEP", "1", far, "rent", nothing), broken("travelRule", "The travel rule field is required."))
		refuses(t, eve.pays("DEP", "1", far, "rent", nothing), broken("travelRule", "The travel rule field is required."))
	}
	refuses(t, eve.pays("EUR", "1", arrival{"DE00", ""}, "rent", nil), broken("provider", "Provider is required for fiat currency"))
	eve.main("DEP", "10", "0")

	place := &travel.Address{Country: "GRC", City: "Patras", Line: "Harbour 1", PostCode: "26221"}
	ada := &travel.Party{Type: "individual", FirstName: "Ada", LastName: "Λόβλεϊς", ResidenceCountry: "GRC", Address: place}
	boats := &travel.Party{Type: "entity", FullName: "Boats Ltd", ResidenceCountry: "GRC", Address: place}
	hosted := func(more obj) obj { return changed(changed(hers(), obj{"walletType": "hosted"}), more) }
	const queued, review = 1, 10
	for i, c := range []struct {
		name   string
		rule   obj
		status int
		want   travel.Data
	}{
		{"unhosted", hers(), review, travel.Data{WalletType: "unhosted", Beneficiary: ada}},
		{"an entity", altered(altered(hers(), "beneficiary.type", "entity"), "beneficiary.fullName", "Boats Ltd"), review, travel.Data{WalletType: "unhosted", Beneficiary: boats}},
		{"known", hosted(obj{"vasp": obj{"vaspId": "acme"}}), queued, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{ID: "acme"}}},
		{"known, by the older name", hosted(obj{"vaspData": obj{"vaspId": "acme", "vaspName": "Acme"}}), queued, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{ID: "acme", Name: "Acme"}}},
		{"known, among two", hosted(obj{"vasp": obj{"vaspId": "acme"}, "vaspData": obj{"vaspId": "zeta"}}), queued, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{ID: "acme"}}},
		{"unknown", hosted(obj{"vasp": obj{"vaspId": "zeta"}}), review, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{ID: "zeta"}}},
		{"by a name", hosted(obj{"vasp": obj{"vaspName": "acme"}}), review, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{Name: "acme"}}},
		{"a long id", hosted(obj{"vasp": obj{"vaspId": strings.Repeat("é", 100)}}), review, travel.Data{WalletType: "hosted", Beneficiary: ada, VASP: &travel.VASP{ID: strings.Repeat("é", 100)}}},
		{"known, and unhosted", changed(hers(), obj{"vasp": obj{"vaspId": "acme"}}), review, travel.Data{WalletType: "unhosted", Beneficiary: ada}},
		{
			"flat",
			obj{"type": "individual", "vasp": "acme", "name": "Ada", "address": "Λόβλεϊς"},
			review,
			travel.Data{WalletType: "hosted", Beneficiary: &travel.Party{Type: "individual", FirstName: "Ada", LastName: "Λόβλεϊς"}, VASP: &travel.VASP{Name: "acme"}},
		},
		{
			"flat, of an entity",
			obj{"type": "entity", "vasp": "acme", "name": "Boats Ltd", "address": "Harbour 1"},
			review,
			travel.Data{WalletType: "hosted", Beneficiary: &travel.Party{Type: "entity", FullName: "Boats Ltd", Address: &travel.Address{Line: "Harbour 1"}}, VASP: &travel.VASP{Name: "acme"}},
		},
	} {
		ask := eve.withdraws
		if i%2 == 1 {
			ask = eve.pays
		}
		answers(t, ask("DEP", "0.1", far, c.name, obj{"travelRule": c.rule}), arr{})
		record := eve.must("main-account/history", obj{"unique_id": c.name})["records"].([]any)[0]
		is(t, c.name, record.(map[string]any)["status"], c.status)
		if got := w.said(t, schema.WithdrawalID(i+1)); got == nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v is kept", c.name, got)
		}
	}
	if r := w.decides(t, "olga", 1, schema.ApproveWithdrawal); r.Refused() {
		t.Error(r.Text())
	}
	is(t, "approved", eve.must("main-account/history", obj{"unique_id": "unhosted"})["records"].([]any)[0].(map[string]any)["status"], queued)
}

// TestWhereNothingIsKept: what goes to another customer needs nothing said of it, and what is said there or by accounts elsewhere is not kept.
func TestWhereNothingIsKept(t *testing.T) {
	t.Parallel()
	w, eve, alice := newTravelWorld(t)
	w.gives(t, "alice", "DEP", "10")
	answers(t, eve.withdraws("DEP", "1", alice.at("DEP", nil), "one", nil), arr{})
	answers(t, eve.withdraws("DEP", "1", alice.at("DEP", nil), "two", obj{"travelRule": hers()}), arr{})
	alice.main("DEP", "12", "0")
	answers(t, alice.withdraws("DEP", "1", arrival{farBTC, ""}, "three", obj{"travelRule": hers()}), arr{})
	answers(t, alice.withdraws("DEP", "1", arrival{farBTC, ""}, "four", nil), arr{})
	for id := schema.WithdrawalID(1); id <= 4; id++ {
		if got := w.said(t, id); got != nil {
			t.Errorf("%+v is kept of %d", got, id)
		}
	}
	alice.past(obj{"status": arr{10}})
}

// TestTravelRulesThatAreRefused: everywhere, also where what is said is not kept (account-wallet 5).
func TestTravelRulesThatAreRefused(t *testing.T) {
	t.Parallel()
	w, eve, alice := newTravelWorld(t)
	w.gives(t, "alice", "DEP", "10")
	long := func(n int) string { return strings.Repeat("é", n+1) }
	const b = "travelRule.beneficiary."
	required := func(names ...string) refusal {
		fields := obj{}
		for _, name := range names {
			fields["travelRule."+name] = arr{"The travel rule " + spoken(name) + " field is required."}
		}
		return refusal{400, 0, "Validation failed", fields}
	}
	flat := obj{"type": "individual", "vasp": "acme", "name": "Ada", "address": "L"}
	for name, c := range map[string]struct {
		rule any
		want refusal
	}{
		"a text":                {"x", broken("travelRule", "The travel rule must be an object.")},
		"a list":                {arr{}, broken("travelRule", "The travel rule must be an object.")},
		"nothing":               {obj{}, required("walletType", "beneficiary")},
		"no type of wallet":     {altered(hers(), "walletType", gone), required("walletType")},
		"another type":          {altered(hers(), "walletType", "cold"), broken("travelRule.walletType", "The selected travel rule wallet type is invalid.")},
		"a number":              {altered(hers(), "walletType", 1), broken("travelRule.walletType", "The selected travel rule wallet type is invalid.")},
		"nobody":                {altered(hers(), "beneficiary", nil), required("beneficiary")},
		"a name":                {altered(hers(), "beneficiary", "Ada"), broken("travelRule.beneficiary", "The travel rule beneficiary must be an object.")},
		"nothing about them":    {altered(hers(), "beneficiary", obj{}), required("beneficiary.type", "beneficiary.residenceCountry", "beneficiary.address")},
		"an animal":             {altered(hers(), "beneficiary.type", "animal"), broken(b+"type", "The selected travel rule beneficiary type is invalid.")},
		"no first name":         {altered(hers(), "beneficiary.firstName", gone), broken(b+"firstName", "The first name field is required for individual.")},
		"no last name":          {altered(hers(), "beneficiary.lastName", ""), broken(b+"lastName", "The last name field is required for individual.")},
		"an entity":             {altered(hers(), "beneficiary.type", "entity"), broken(b+"fullName", "The full name field is required for entity.")},
		"a long first name":     {altered(hers(), "beneficiary.firstName", long(100)), broken(b+"firstName", "The travel rule beneficiary first name may not be greater than 100 characters.")},
		"a long last name":      {altered(hers(), "beneficiary.lastName", long(100)), broken(b+"lastName", "The travel rule beneficiary last name may not be greater than 100 characters.")},
		"a long full name":      {altered(hers(), "beneficiary.fullName", long(200)), broken(b+"fullName", "The travel rule beneficiary full name may not be greater than 200 characters.")},
		"a name that is none":   {altered(hers(), "beneficiary.firstName", 7), broken(b+"firstName", "The travel rule beneficiary first name must be a string.")},
		"no country":            {altered(hers(), "beneficiary.residenceCountry", gone), required("beneficiary.residenceCountry")},
		"two letters":           {altered(hers(), "beneficiary.residenceCountry", "GR"), broken(b+"residenceCountry", "The selected travel rule beneficiary residence country is invalid.")},
		"small letters":         {altered(hers(), "beneficiary.residenceCountry", "grc"), broken(b+"residenceCountry", "The selected travel rule beneficiary residence country is invalid.")},
		"no address":            {altered(hers(), "beneficiary.address", gone), required("beneficiary.address")},
		"an address as a text":  {altered(hers(), "beneficiary.address", "Harbour 1"), broken(b+"address", "The travel rule beneficiary address must be an object.")},
		"an empty address":      {altered(hers(), "beneficiary.address", obj{}), required("beneficiary.address.country", "beneficiary.address.city", "beneficiary.address.addressLine1")},
		"a country of four":     {altered(hers(), "beneficiary.address.country", "GRCE"), broken(b+"address.country", "The selected travel rule beneficiary address country is invalid.")},
		"a long city":           {altered(hers(), "beneficiary.address.city", long(100)), broken(b+"address.city", "The travel rule beneficiary address city may not be greater than 100 characters.")},
		"an empty line":         {altered(hers(), "beneficiary.address.addressLine1", ""), broken(b+"address.addressLine1", "The travel rule beneficiary address address line1 field is required.")},
		"a long line":           {altered(hers(), "beneficiary.address.addressLine1", long(200)), broken(b+"address.addressLine1", "The travel rule beneficiary address address line1 may not be greater than 200 characters.")},
		"a long code":           {altered(hers(), "beneficiary.address.postCode", long(20)), broken(b+"address.postCode", "The travel rule beneficiary address post code may not be greater than 20 characters.")},
		"hosted":                {altered(hers(), "walletType", "hosted"), broken("travelRule.vasp", "Either vaspId or vaspName is required for hosted wallets")},
		"hosted by nobody":      {changed(hers(), obj{"walletType": "hosted", "vasp": obj{"vaspId": ""}}), broken("travelRule.vasp", "Either vaspId or vaspName is required for hosted wallets")},
		"hosted by a list":      {changed(hers(), obj{"vasp": arr{}}), broken("travelRule.vasp", "The travel rule vasp must be an object.")},
		"an older text":         {changed(hers(), obj{"vaspData": "acme"}), broken("travelRule.vaspData", "The travel rule vasp data must be an object.")},
		"a long id":             {changed(hers(), obj{"vasp": obj{"vaspId": long(100)}}), broken("travelRule.vasp.vaspId", "The travel rule vasp vasp id may not be greater than 100 characters.")},
		"a long name of a VASP": {changed(hers(), obj{"vaspData": obj{"vaspName": long(200)}}), broken("travelRule.vaspData.vaspName", "The travel rule vasp data vasp name may not be greater than 200 characters.")},
		"flat, and only that":   {obj{"vasp": "acme"}, required("type", "name", "address")},
		"flat, a number":        {altered(flat, "vasp", 7), broken("travelRule.vasp", "The travel rule vasp must be a string.")},
		"flat, of no VASP":      {altered(flat, "vasp", ""), required("vasp")},
		"flat, another type":    {altered(flat, "type", "animal"), broken("travelRule.type", "The selected travel rule type is invalid.")},
		"flat, a long name":     {altered(flat, "name", long(100)), broken("travelRule.name", "The travel rule name may not be greater than 100 characters.")},
		"flat, a long address":  {altered(altered(flat, "type", "entity"), "address", long(200)), broken("travelRule.address", "The travel rule address may not be greater than 200 characters.")},
		"flat, an object":       {altered(flat, "address", obj{}), broken("travelRule.address", "The travel rule address must be a string.")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c2 := range []trader{eve, alice} {
				refuses(t, c2.withdraws("DEP", "1", arrival{farBTC, ""}, "rent", obj{"travelRule": c.rule}), c.want)
				refuses(t, c2.pays("DEP", "1", arrival{farBTC, ""}, "rent", obj{"travelRule": c.rule}), c.want)
			}
		})
	}
	eve.main("DEP", "10", "0")
}

// spoken is the name of a field as texts have it.
func spoken(path string) string {
	var words strings.Builder
	for _, c := range strings.ReplaceAll(path, ".", " ") {
		if c >= 'A' && c <= 'Z' {
			words.WriteByte(' ')
		}
		words.WriteString(strings.ToLower(string(c)))
	}
	return words.String()
}
