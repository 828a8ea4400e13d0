package wallet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// checkOperations are about the risk of addresses.
func checkOperations() []api.Operation {
	list := []api.Operation{
		api.Post("/api/v4/aml/checks/assets", api.Per10s(1000), api.Reader(checkable, aboutCheckable)),
		api.Post("/api/v4/aml/checks/create", api.Per10s(1000), api.Writer(createCheck, aboutCreateCheck)),
		api.Post("/api/v4/aml/checks/result", api.Per10s(1000), api.Reader(checkResult, aboutCheckResult)),
		api.Post("/api/v4/aml/checks/history", api.Per10s(1000), api.Reader(checkHistory, aboutCheckHistory)),
	}
	for i := range list {
		list[i] = list[i].For(func(a *schema.Account) bool { return a.Checker }, 404).WithErrorMapping(hidden)
	}
	return list
}

// nullable declares a text that is null where it is empty.
func nullable[T any](name, description string, get func(*T) string) api.Field[T] {
	return api.NewField(name, api.Nullable(api.String), description, func(dst []byte, v *T) []byte {
		if text := get(v); text != "" {
			return api.AppendText(dst, text)
		}
		return append(dst, "null"...)
	})
}

// checkableAsset is an asset of which addresses can be checked, on a network.
type checkableAsset struct{ asset, network string }

var checkableEncoder = api.Encode("CheckableAsset", "An asset of which addresses can be checked.",
	api.StringField("asset", "Ticker of the asset.", func(a *checkableAsset) string { return a.asset }),
	nullable("network", "Network of the asset, null if it has none.", func(a *checkableAsset) string { return a.network }))

var aboutCheckable = &api.About{
	Summary:  "List assets for address checks",
	Text:     "Every crypto asset, once for each of its networks.",
	Response: api.ArrayOf(checkableEncoder.Schema()),
}

func checkable(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	assets, _, _ := c.Directory().Listing()
	list := []checkableAsset{}
	for _, a := range assets {
		if a.Class != schema.Crypto {
			continue
		}
		for i := range a.Networks {
			list = append(list, checkableAsset{a.Ticker, a.Networks[i].Name})
		}
		if len(a.Networks) == 0 {
			list = append(list, checkableAsset{asset: a.Ticker})
		}
	}
	return checkableEncoder.Array(list), nil
}

// checkRequest asks for the risk of an address.
type checkRequest struct{ asset, network, address string }

func (q *checkRequest) Read(f *api.Form) {
	f.Demand("asset", "address")
	q.asset, q.address, q.network = f.String("asset"), f.String("address"), f.String("network")
	if len(q.address) > schema.MaxAddressText {
		f.Fail(400, 0, "address", fmt.Sprintf("The address may not be greater than %d characters.", schema.MaxAddressText))
	}
}

var (
	unknownAsset = api.NewError(400, 0, api.ValidationFailed, "asset", "The selected asset is invalid.")
	unknownCheck = api.NewError(400, 0, api.ValidationFailed, "id", "The selected id is invalid.")
)

// uncovered is what is missing for a check.
type uncovered struct{}

var (
	checkIDEncoder = api.Encode("CreatedCheck", "A check that began.",
		api.StringField("id", "UUID of the check.", func(id *schema.CheckID) string { return uuidOf(*id) }))
	missingEncoder = api.Encode("MissingBalance", "What is missing.",
		api.StringField("balance", "Insufficient balance.", func(*uncovered) string { return schema.Refuse(schema.CheckNotCovered).Text() }))
	uncoveredEncoder = api.Encode("UncoveredCheck", "No check began: the main balance does not cover its price.",
		api.ArrayField("errors", missingEncoder, "What is missing.", func(u *uncovered) []uncovered { return []uncovered{*u} }))
)

// uuidOf is how the API knows a check. The number alone makes it, so that the answer to a request and the history agree.
func uuidOf(id schema.CheckID) string { return uuid.Text(0, uuid.Check, uint64(id)) }

var aboutCreateCheck = &api.About{
	Summary: "Check an address",
	Text: "The check takes a few seconds; its outcome is in /api/v4/aml/checks/result. It costs 2 USDT of the main balance, which are charged if it succeeds. " +
		"If the balance does not cover them, the answer has errors instead of an id. At most 100 checks of an account run at the same time.",
	Parameters: map[string]string{
		"asset":   "Ticker of a crypto asset.",
		"network": "Network of the asset. Absent or null: no particular one.",
		"address": "Address to check, with at most 128 characters.",
	},
	Response: api.OneOf(checkIDEncoder.Schema(), uncoveredEncoder.Schema()),
	Refusals: []schema.Reason{schema.ChecksTooMany},
	Faults:   []*api.Error{unknownAsset, unknownNetwork},
}

func createCheck(c api.WriteCall, q *checkRequest) (api.Answer, error) {
	asset := c.Directory().Asset(q.asset)
	switch {
	case asset == nil || asset.Class != schema.Crypto:
		return nil, unknownAsset
	case q.network != "" && asset.NetworkNamed(q.network) == nil:
		return nil, unknownNetwork
	}
	var result schema.Result
	err := c.Submit(&schema.CheckAddress{Account: c.Account.ID, Asset: asset.ID, Network: q.network, Address: q.address}, &result)
	if result.Rejection.Reason == schema.CheckNotCovered {
		return uncoveredEncoder.Answer(&uncovered{}), nil
	}
	if err != nil {
		return nil, err
	}
	id := schema.CheckID(result.ID)
	return checkIDEncoder.Answer(&id), nil
}

// check is a check with the directory that names its asset.
type check struct {
	*schema.Check
	directory *directory.Directory
}

func (c *check) risk() string {
	if c.Status != schema.CheckSucceeded {
		return ""
	}
	return c.Risk.String()
}

// checkTitles are how results, unlike the history, spell statuses.
var checkTitles = map[schema.CheckStatus]string{schema.CheckRunning: "In progress", schema.CheckSucceeded: "Success", schema.CheckFailed: "Failed"}

// riskWords and checkWords are what the history can be filtered by.
var (
	riskWords  = []string{schema.LowRisk.String(), schema.MediumRisk.String(), schema.HighRisk.String()}
	checkWords = []string{schema.CheckRunning.String(), schema.CheckSucceeded.String(), schema.CheckFailed.String()}
)

// Fields that results and records of the history share.
var (
	checkIDField   = api.StringField("id", "UUID of the check.", func(c *check) string { return uuidOf(c.ID) })
	checkedAtField = api.NewField("checkedAt", api.Nullable(api.Integer), "Time at which the check ended, null while it runs.", func(dst []byte, c *check) []byte {
		if c.Checked == 0 {
			return append(dst, "null"...)
		}
		return api.AppendInt(dst, int64(c.Checked/schema.Second))
	})
	riskField = api.NewField("riskLevel", api.Nullable(api.Enum(riskWords...)), "Risk of taking money from the address, null unless the check succeeded.", func(dst []byte, c *check) []byte {
		if risk := c.risk(); risk != "" {
			return api.AppendText(dst, risk)
		}
		return append(dst, "null"...)
	})
	riskTextField = nullable("riskDescription", "What was found, null unless the check succeeded.", func(c *check) string { return c.Description })

	checkEncoder = api.Encode("AddressCheck", "A check of an address.",
		checkIDField, checkedAtField,
		api.EnumField("status", []string{"In progress", "Failed", "Success"}, "How far the check is.", func(c *check) string { return checkTitles[c.Status] }),
		riskField, riskTextField)
	pastCheckEncoder = api.Encode("PastAddressCheck", "A check of an address.",
		checkIDField,
		api.StringField("asset", "Ticker of the asset.", func(c *check) string { return c.directory.Ticker(c.Asset) }),
		nullable("network", "Network as requested, null if there was none.", func(c *check) string { return c.Network }),
		api.StringField("address", "Address that was checked.", func(c *check) string { return c.Address }),
		riskField, riskTextField,
		api.EnumField("status", checkWords, "How far the check is.", func(c *check) string { return c.Status.String() }),
		checkedAtField)
)

// checkName names a check.
type checkName struct{ id string }

func (q *checkName) Read(f *api.Form) {
	f.Demand("id")
	q.id = f.String("id")
}

var aboutCheckResult = &api.About{
	Summary:    "Get the result of an address check",
	Parameters: map[string]string{"id": "UUID of the check, as /api/v4/aml/checks/create answered."},
	Response:   checkEncoder.Schema(),
	Faults:     []*api.Error{unknownCheck},
}

func checkResult(c *api.Call, q *checkName) (api.Answer, error) {
	number, ok := uuid.Read(q.id, uuid.Check)
	if !ok {
		return nil, unknownCheck
	}
	records, err := c.Past(&history.Query{Kind: history.Checks, Ref: number, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, unknownCheck
	}
	return checkEncoder.Answer(&check{records[0].Payload.(*schema.Check), c.Directory()}), nil
}

// checkQuery asks for checks of the past. Filters that are nil choose all.
type checkQuery struct {
	statuses, risks, assets, networks []string
	address                           string
	from, to                          schema.Time
	limit, offset                     int
}

func (q *checkQuery) Read(f *api.Form) {
	q.statuses, q.risks = choices(f, "status", checkWords), choices(f, "riskLevel", riskWords)
	q.assets, q.networks = choices(f, "asset", nil), choices(f, "network", nil)
	if q.networks != nil && q.assets == nil {
		f.Fail(400, 0, "network", "The network filter needs an asset filter.")
	}
	q.address = f.String("address")
	q.from, q.to = f.Second("from", api.OfMoney), f.Second("to", api.OfMoney)
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, api.OfMoney)
	boundPage(f, q.limit, q.offset)
}

// maxChoices is how many values a filter may have.
const maxChoices = 100

// choices reads a filter of several texts, of which each is one of the words if there are any; nil where there is none.
func choices(f *api.Form, name string, words []string) []string {
	f.Schema().Count(name, 0, maxChoices)
	list, s := f.Texts(name)
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, name, fmt.Sprintf("The %s must be an array.", name))
	case len(list) > maxChoices:
		f.Fail(400, 0, name, fmt.Sprintf("The %s may not have more than %d items.", name, maxChoices))
	case words != nil && slices.ContainsFunc(list, func(text string) bool { return !slices.Contains(words, text) }):
		f.Fail(400, 0, name, fmt.Sprintf("The selected %s is invalid.", name))
	case len(list) > 0:
		return list
	}
	return nil
}

// classesOfChecks are what the history can be asked for, with the words for it.
var classesOfChecks = map[history.Class][2]string{
	history.CheckRunning: {checkWords[0], ""}, history.CheckFailed: {checkWords[2], ""},
	history.CheckLow: {checkWords[1], riskWords[0]}, history.CheckMedium: {checkWords[1], riskWords[1]}, history.CheckHigh: {checkWords[1], riskWords[2]},
}

// classes are those that the filters choose.
func (q *checkQuery) classes() (list []history.Class) {
	for _, class := range slices.Sorted(maps.Keys(classesOfChecks)) {
		words := classesOfChecks[class]
		if (q.statuses == nil || slices.Contains(q.statuses, words[0])) && (q.risks == nil || slices.Contains(q.risks, words[1])) {
			list = append(list, class)
		}
	}
	return list
}

// checkPage is a part of the checks of an account.
type checkPage struct {
	records       []check
	limit, offset int
}

var checkPageEncoder = api.Encode("AddressCheckPage", "A page of checks.",
	api.ArrayField("data", pastCheckEncoder, "Checks.", func(p *checkPage) []check { return p.records }),
	api.IntegerField("limit", "As requested.", func(p *checkPage) int64 { return int64(p.limit) }),
	api.IntegerField("offset", "As requested.", func(p *checkPage) int64 { return int64(p.offset) }))

var aboutCheckHistory = &api.About{
	Summary: "List address checks",
	Text:    "Newest first.",
	Parameters: map[string]string{
		"status":    "Return only checks with one of these statuses: in_progress, success, failed.",
		"riskLevel": "Return only checks that found one of these risks: low, medium, high.",
		"asset":     "Return only checks of these assets.",
		"network":   "Return only checks on these networks. It needs asset.",
		"address":   "Return only checks of this address.",
		"from":      "Return only checks that began at this time or later, in seconds.",
		"to":        "Return only checks that began at this time or earlier, in seconds.",
	},
	Response: checkPageEncoder.Schema(),
}

func checkHistory(c *api.Call, q *checkQuery) (api.Answer, error) {
	page := &checkPage{limit: q.limit, offset: q.offset}
	query := &history.Query{Kind: history.Checks, Classes: q.classes(), Tag: q.address, From: q.from, Offset: q.offset, Limit: q.limit}
	if q.to != 0 {
		query.To = q.to + schema.Second - 1 // to its end
	}
	var assets []schema.AssetID
	for _, ticker := range q.assets {
		if a := c.Directory().Asset(strings.ToUpper(ticker)); a != nil {
			assets = append(assets, a.ID)
		}
	}
	if len(query.Classes) == 0 || q.assets != nil && len(assets) == 0 { // nothing can be it
		return checkPageEncoder.Answer(page), nil
	}
	var records []history.Record
	var err error
	if len(assets) == 1 {
		query.Asset = assets[0]
	}
	if len(assets) > 1 || q.networks != nil {
		records, _, err = sought(c, query, func(r *history.Record) bool {
			return slices.Contains(assets, r.Asset) && (q.networks == nil || slices.Contains(q.networks, r.Payload.(*schema.Check).Network))
		})
	} else {
		records, err = c.Past(query)
	}
	if err != nil {
		return nil, err
	}
	for i := range records {
		page.records = append(page.records, check{records[i].Payload.(*schema.Check), c.Directory()})
	}
	return checkPageEncoder.Answer(page), nil
}
