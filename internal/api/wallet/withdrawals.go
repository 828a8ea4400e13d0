package wallet

import (
	"fmt"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/schema"
	"bourse/internal/travel"
)

// maxUnique is how many characters the name may have that a client gives a withdrawal.
const maxUnique = 255

// withdrawRequest asks to send money out.
type withdrawRequest struct {
	fiatRequest
	ticker, network, address, memo, unique string
	amount                                 api.Number
	travel                                 *travel.Data // nil: nothing is said
}

func (q *withdrawRequest) Read(f *api.Form) {
	f.Demand("ticker", "amount", "address", "uniqueId")
	q.ticker, q.network = f.String("ticker"), f.String("network")
	if q.amount = f.Number("amount"); q.amount.State == api.Malformed {
		f.Fail(400, 0, "amount", "The amount must be a number.")
	}
	q.address, q.memo = f.String("address"), f.String("memo")
	q.unique = f.String("uniqueId")
	if _, s := f.Text("uniqueId"); s == api.Good && q.unique == "" {
		f.Lack(400, 0, "uniqueId", "The unique id field is required.")
	}
	if utf8.RuneCountInString(q.unique) > maxUnique {
		f.Fail(400, 0, "uniqueId", fmt.Sprintf("The unique id may not be greater than %d characters.", maxUnique))
	}
	q.fiatRequest.read(f, q.ticker)
	q.travel = readTravelRule(f)
}

// What is wrong with a request for a withdrawal beside what the core says.
var (
	providerNeeded    = api.NewError(400, 0, api.ValidationFailed, "provider", "Provider is required for fiat currency")
	memoNeeded        = api.NewError(400, 0, api.ValidationFailed, "memo", "The memo field is required.")
	wrongMemo         = api.NewError(422, 2, api.InnerValidationFailed, "memo", "The memo is invalid")
	notWithdrawable   = api.Refusal(schema.Refuse(schema.WithdrawDisabled))
	wrongAddress      = api.Refusal(schema.Refuse(schema.WithdrawAddressInvalid))
	withdrawalWording = wording{notWithdrawable, unknownNetwork, unknownNetwork, networkNeeded, notWithdrawable, elsewhere}
)

// destination is where a withdrawal goes, in the canonical forms of its network.
type destination struct {
	place
	address, memo string
	index         schema.AddressIndex // if it is one of ours
}

// find is the destination that is asked for, or what is wrong with the request.
func (q *withdrawRequest) find(c api.WriteCall) (d destination, err error) {
	if asset := c.Directory().Asset(q.ticker); asset != nil && asset.Class != schema.Crypto {
		return q.bank(c, asset)
	}
	if d.place, err = withdrawalWording.place(c.API, q.ticker, q.network); err != nil {
		return d, err
	}
	if d.chain == nil {
		return d, notWithdrawable
	}
	if d.address, err = address.Parse(d.chain.Space(), q.address); err != nil {
		return d, wrongAddress
	}
	if d.memo, err = address.ParseMemo(d.chain.Family, q.memo); err != nil {
		return d, wrongMemo
	}
	if address.HasMemo(d.chain.Family) && d.asset.PayoutMemo && d.memo == "" {
		return d, memoNeeded
	}
	return d, d.look(c)
}

// look looks for the address among ours. Where there are memos all accounts share one address: what goes there with a memo that nobody
// has would be nobody's.
func (d *destination) look(c api.WriteCall) error {
	book := c.API.Book()
	if ours, ok := book.Find(d.chain.Space(), d.address, d.memo); ok {
		d.index = ours.Index
		return nil
	}
	shared, _, ok := book.Text(&schema.Address{Family: d.chain.Family, Net: d.chain.Net, Index: 1})
	if ok && shared == d.address && address.HasMemo(d.chain.Family) {
		return wrongMemo
	}
	return nil
}

var (
	aboutWithdraw    = describeWithdrawal("Withdraw", "The fee is taken from the amount: the receiver gets what is left.", "Amount to take from the main balance, fee included.")
	aboutWithdrawPay = describeWithdrawal("Withdraw, with the fee on top", "The receiver gets the amount; the fee is taken from the main balance in addition.", "Amount that the receiver gets.")
)

func describeWithdrawal(summary, text, amount string) *api.About {
	about := &api.About{
		Summary: summary,
		Text: text + " The outcome is in /api/v4/main-account/history, by unique id. An address of another customer is credited at once, free of charge. " +
			"Fiat money leaves by a provider, and only that of verified accounts. Accounts in the EU must say who receives crypto, in travelRule; unless the wallet is kept by one of /api/v4/travel-rule/vasps an operator looks at it first.",
		Parameters: map[string]string{
			"ticker":   "Ticker of the asset.",
			"amount":   amount,
			"address":  "Address of the receiver. Fiat: an IBAN for providers that move money between banks, a token of /api/card-token for VISAMASTER, and what the receiver is known by for the others.",
			"memo":     "Memo or destination tag, where the network has them. Required if the asset requires it.",
			"uniqueId": "Client-assigned id, unique among all withdrawals of the account.",
			"network":  aboutNetworks,
			"provider": "Payment provider, required for fiat assets: one of providers.withdraws of the asset in /api/v4/public/assets.",
			"bankBic":  "BIC of the receiver's bank, 8 or 11 characters. Required for the providers SEPA, SEPA_CLEAR_JUNCTION, SEPA_BCB_GROUP, FINCI, ZEN and BANKING_CIRCLE.",

			"customerIp":            "IP address of the receiver. Required for USD and EUR with VISAMASTER. Checked and not kept.",
			"beneficiary":           "Who receives fiat money. Required with a provider for USD, EUR, USD_VISAMASTER and EUR_VISAMASTER. Checked and not kept.",
			"beneficiary.firstName": "First name, in Latin letters, with at most 40 characters. Required for USD, EUR and USD_VISAMASTER.",
			"beneficiary.lastName":  "Last name, in Latin letters, with at most 40 characters. Required for USD, EUR and USD_VISAMASTER.",
			"beneficiary.phone":     "Telephone number. Required for USD_VISAMASTER and EUR_VISAMASTER.",
			"beneficiary.email":     "Email address. Required for USD_VISAMASTER and EUR_VISAMASTER.",
			"beneficiary.birthDate": "Date of birth, as 2006-01-02. Required for USD_VISAMASTER, EUR_VISAMASTER and the provider MERCURYO.",
			"travelRule": "Who receives it and who keeps their wallet. Required in the EU, ignored elsewhere. If vasp is a string it is of the older, flat form, with the strings type, vasp, name and address, " +
				"which is deprecated: an operator looks at every one.",
			"travelRule.type":    "Older form: individual or entity.",
			"travelRule.name":    "Older form: first name of an individual, or name of an entity.",
			"travelRule.address": "Older form: last name of an individual, or postal address of an entity.",
			"partialEnable":      "Whether the provider may pay a part of the amount. Fiat only.",
		},
		Response: api.Done,
		Refusals: []schema.Reason{
			schema.AssetNotOffered, schema.WithdrawDisabled, schema.UniqueTaken, schema.WithdrawAddressInvalid, schema.WithdrawOwnAddress, schema.MoveNotPositive, schema.WithdrawTooPrecise,
			schema.WithdrawBelowMin, schema.WithdrawAboveMax, schema.WithdrawBelowFee, schema.WithdrawalsTooMany, schema.MoveHeld, schema.Owing, schema.RateUnknown, schema.TravelMissing, schema.BICInvalid,
		},
		Faults: append([]*api.Error{
			unknownTicker, providerNeeded, unknownProvider, verifyFirst, bicNeeded, unknownNetwork, networkNeeded, memoNeeded, wrongMemo,
			notCovered("Bitcoin", schema.Rejection{}),
		}, leavingFaults...),
	}
	aboutParty("travelRule.beneficiary", "Who receives it", about.Parameters)
	aboutKeeper("travelRule.", "vasp", "Who keeps the wallet, required if it is hosted: vaspId or vaspName. Older form: its id or name, as a string.", about.Parameters)
	aboutKeeper("travelRule.", "vaspData", "Older name of vasp.", about.Parameters)
	return about
}

// withdraw sends the amount less the fee, withdrawPay the amount.
func withdraw(c api.WriteCall, q *withdrawRequest) (api.Answer, error) { return send(c, q, false) }

func withdrawPay(c api.WriteCall, q *withdrawRequest) (api.Answer, error) { return send(c, q, true) }

func send(c api.WriteCall, q *withdrawRequest, pay bool) (api.Answer, error) {
	to, err := q.find(c)
	if err != nil {
		return nil, err
	}
	amount, r := q.amount.Fit(schema.WithdrawTooPrecise, to.asset.Precision)
	if r.Refused() {
		r.Value = fixed.FromInt(int64(to.asset.Precision)) // the text is about decimals, not about steps
		return nil, api.Refusal(r)
	}
	command := &schema.RequestWithdrawal{
		Account: c.Account.ID, Asset: to.asset.ID, Chain: to.chain.ID, Amount: amount, Pay: pay, Address: to.address, Memo: to.memo, Index: to.index,
		Unique: q.unique, BIC: q.bic, Partial: q.partial,
	}
	if q.travel != nil && to.chain.Driver != schema.Provider && c.Region() == schema.EU { // elsewhere nobody is to keep it
		command.Travel = travel.Seal(c.API.Key(), q.travel)
		if v := q.travel.VASP; v != nil && len(v.ID) <= schema.MaxVASPID { // a longer one is unknown anyway
			command.VASP = v.ID
		}
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, leavingRefusal(c, to.asset.Name, result.Rejection, err)
	}
	return api.Empty, nil
}
