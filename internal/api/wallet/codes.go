package wallet

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/seal"
	"bourse/internal/uuid"
)

// A code is a text that anyone who knows it can turn into money, so it is a secret. Commands carry its digest, by which the core finds
// it, and its text sealed, for the account that created it; see internal/schema/code.go.

// codes are the operations with codes, and who was wrong about them lately.
type codes struct{ wrong tries }

func (g *codes) operations() []api.Operation {
	return []api.Operation{
		api.Post("/api/v4/main-account/codes", api.Per10s(1000), api.Writer(createCode, aboutCreateCode)),
		api.Post("/api/v4/main-account/codes/apply", api.PerSecond(60), api.Writer(g.apply, aboutApplyCode)),
		api.Post("/api/v4/main-account/codes/my", api.Per10s(1000), api.Reader(myCodes, aboutMyCodes)),
		api.Post("/api/v4/main-account/codes/history", api.Per10s(1000), api.Reader(codeHistory, aboutCodeHistory)),
	}
}

// What a digest and a sealed text are for.
const (
	codePurpose       = "code"
	passphrasePurpose = "passphrase of a code"
)

// Bounds of what can be said with a code, in characters, and of its amount.
const (
	maxPassphrase  = 25
	maxDescription = 280
)

var mostOfACode = fixed.FromInt(100_000_000_000_000_000)

// codeRequest asks for a new code.
type codeRequest struct {
	ticker      string
	amount      fixed.Decimal
	passphrase  string
	description string
}

func (q *codeRequest) Read(f *api.Form) {
	f.Demand("ticker", "amount")
	q.ticker = f.String("ticker")
	n := f.Number("amount")
	q.amount = n.Value
	switch {
	case n.State == api.Malformed:
		f.Fail(400, 0, "amount", "The amount must be a number.")
	case n.State == api.TooFine:
		f.Fail(400, 0, "amount", schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(fixed.Places)}.Text())
	case n.Value.Sign() < 0: // also one that is too large
		f.Fail(400, 0, "amount", "The amount must be at least 0.")
	case n.State == api.TooLarge || n.Value.Cmp(mostOfACode) > 0:
		f.Fail(400, 0, "amount", fmt.Sprintf("The amount may not be greater than %s.", mostOfACode))
	}
	q.passphrase = passphrase(f)
	q.description = f.String("description")
	if utf8.RuneCountInString(q.description) > maxDescription {
		f.Fail(400, 0, "description", fmt.Sprintf("The description may not be greater than %d characters.", maxDescription))
	}
	async(f)
}

// passphrase reads a passphrase: Latin letters, digits and symbols without spaces.
func passphrase(f *api.Form) string {
	value := f.String("passphrase")
	if utf8.RuneCountInString(value) > maxPassphrase {
		f.Fail(400, 0, "passphrase", fmt.Sprintf("The passphrase may not be greater than %d characters.", maxPassphrase))
	} else if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		f.Fail(422, 0, "passphrase", "The passphrase format is invalid.")
	}
	return value
}

const ignoredAsync = "Accepted for compatibility, and ignored: the answer always comes when the code is ready."

// async reads a field that is known to clients and means nothing here.
func async(f *api.Form) {
	if _, s := f.Bool("async"); s == api.Malformed {
		f.Fail(400, 0, "async", "The async field must be true or false.")
	}
}

// externalIDOf declares how the API knows a code.
func externalIDOf[T any](code func(*T) *schema.Code) api.Field[T] {
	return api.NewField("external_id", api.String, "UUID of the code.", func(dst []byte, v *T) []byte {
		c := code(v)
		return append(uuid.Append(append(dst, '"'), c.Created, uuid.Code, uint64(c.ID)), '"')
	})
}

// newCode is a new code, or one that was applied, with what the answer says about it.
type newCode struct {
	text, message, ticker string
	code                  *schema.Code
}

var (
	externalID     = externalIDOf(func(c *newCode) *schema.Code { return c.code })
	createdEncoder = api.Encode("CreatedCode", "A code that was created.",
		api.StringField("code", "The code. Anyone who knows it, and the passphrase if there is one, can apply it.", func(c *newCode) string { return c.text }),
		api.StringField("message", "Confirmation.", func(c *newCode) string { return c.message }),
		externalID)
	appliedEncoder = api.Encode("AppliedCode", "A code that was applied.",
		api.StringField("message", "Confirmation.", func(c *newCode) string { return c.message }),
		api.StringField("ticker", "Ticker of the asset.", func(c *newCode) string { return c.ticker }),
		api.DecimalField("amount", "Amount that was credited to the main balance.", func(c *newCode) fixed.Decimal { return c.code.Amount }),
		externalID)
)

var aboutCreateCode = &api.About{
	Summary: "Create a code",
	Text: "Takes the amount from the main balance, free of charge. The first account that applies the code is credited. A code that is not applied within 365 days is " +
		"returned to the main balance, and so is one after 50 attempts with a wrong passphrase. An account can have 1000 active codes.",
	Parameters: map[string]string{
		"ticker":      "Ticker of the asset. Codes are for crypto assets only.",
		"amount":      "Amount to take from the main balance, with at most as many decimal places as transfers of the asset.",
		"passphrase":  "Passphrase for the code: at most 25 Latin letters, digits and symbols, without spaces.",
		"description": "Note for the creator of the code, with at most 280 characters.",
		"async":       ignoredAsync,
	},
	Response: createdEncoder.Schema(),
	Refusals: []schema.Reason{
		schema.AssetNotOffered, schema.MoveNotPositive, schema.MoveTooPrecise, schema.CodesDisabled, schema.CodeNotWithdrawable, schema.CodeBelowMin, schema.CodesTooMany,
		schema.MoveHeld, schema.Owing, schema.RateUnknown,
	},
	Faults: append([]*api.Error{unknownTicker, notCovered("Bitcoin", schema.Rejection{})}, leavingFaults...),
}

var unknownTicker = api.NewError(400, 0, api.ValidationFailed, "ticker", "The selected ticker is invalid.")

func createCode(c api.WriteCall, q *codeRequest) (api.Answer, error) {
	asset := c.Directory().Asset(q.ticker)
	if asset == nil {
		return nil, unknownTicker
	}
	key, code := c.API.Key(), "WB"+uuid.Random()+asset.Ticker
	command := &schema.CreateCode{
		Account: c.Account.ID, Asset: asset.ID, Amount: q.amount, Digest: key.Digest(codePurpose, code), Lock: lock(key, code, q.passphrase),
		Sealed: key.Seal([]byte(code), codePurpose), Description: q.description,
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, leavingRefusal(c, asset.Name, result.Rejection, err)
	}
	return createdEncoder.Answer(&newCode{text: code, message: "Code was successfully created", code: result.Code}), nil
}

// lock is the digest of a passphrase, which is good for one code only; none if there is no passphrase.
func lock(key *seal.Key, code, passphrase string) schema.Digest {
	if passphrase == "" {
		return schema.Digest{}
	}
	return key.Digest(passphrasePurpose, code, passphrase)
}

// codeForm is what codes look like.
var codeForm = regexp.MustCompile(`^WB[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}[A-Z0-9_]{1,20}$`)

// application asks for the money of a code.
type application struct{ code, passphrase string }

func (q *application) Read(f *api.Form) {
	f.Demand("code")
	q.code = strings.TrimSpace(f.String("code"))
	q.passphrase = passphrase(f)
	async(f)
}

var (
	wrongPassphrase = api.NewError(400, 0, api.ValidationFailed, "code", "Incorrect code or passphrase")
	codeElsewhere   = api.NewError(422, 0, api.ValidationFailed, "code", schema.Refuse(schema.AssetNotOffered).Text())
	tooManyWrong    = api.NewError(422, 0, api.ValidationFailed, "code", "Too many incorrect codes. Try again in an hour.")
)

var aboutApplyCode = &api.About{
	Summary: "Apply a code",
	Text:    "Credits the amount of the code to the main balance. After 10 incorrect codes or passphrases within an hour an account cannot apply codes for the rest of that hour.",
	Parameters: map[string]string{
		"code":       "The code, as it was created.",
		"passphrase": "Passphrase of the code, if it has one.",
		"async":      ignoredAsync,
	},
	Response: appliedEncoder.Schema(),
	Refusals: []schema.Reason{schema.CodeUnknown, schema.CodeNotActive, schema.CodeOwn, schema.CodeSuspended},
	Faults:   []*api.Error{wrongPassphrase, codeElsewhere, tooManyWrong},
}

func (g *codes) apply(c api.WriteCall, q *application) (api.Answer, error) {
	if g.wrong.tooMany(c.Account.ID, c.API.Now()) {
		return nil, tooManyWrong
	}
	if !codeForm.MatchString(q.code) {
		g.wrong.add(c.Account.ID, c.API.Now())
		return nil, api.Refusal(schema.Refuse(schema.CodeUnknown))
	}
	key := c.API.Key()
	var result schema.Result
	err := c.Submit(&schema.ApplyCode{Account: c.Account.ID, Digest: key.Digest(codePurpose, q.code), Lock: lock(key, q.code, q.passphrase)}, &result)
	switch result.Rejection.Reason {
	case schema.CodeUnknown:
		g.wrong.add(c.Account.ID, c.API.Now())
	case schema.AssetNotOffered:
		return nil, codeElsewhere // the request names no ticker
	}
	if err != nil {
		return nil, err
	}
	if result.Code.Status != schema.CodeApplied {
		g.wrong.add(c.Account.ID, c.API.Now())
		return nil, wrongPassphrase
	}
	return appliedEncoder.Answer(&newCode{
		message: "Code was successfully applied", ticker: c.Directory().Ticker(result.Code.Asset), code: result.Code,
	}), nil
}

// tries counts the wrong codes and passphrases of accounts at this node. Beside it every code counts its own, in the log: who has many
// accounts, or restarts of the node, has no more tries than that.
type tries struct {
	mu    sync.Mutex
	hours map[schema.AccountID]hour
}

// hour is how often an account was wrong, and since when.
type hour struct {
	since schema.Time
	wrong int
}

const (
	anHour    = 3600 * schema.Second
	mostWrong = 10
	// manyTries is how many accounts are counted before those whose hour is over are dropped.
	manyTries = 10_000
)

func (t *tries) tooMany(account schema.AccountID, now schema.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.hours[account]
	return h.wrong >= mostWrong && now < h.since+anHour
}

func (t *tries) add(account schema.AccountID, now schema.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hours == nil {
		t.hours = map[schema.AccountID]hour{}
	}
	h := t.hours[account]
	if now >= h.since+anHour {
		h = hour{since: now}
	}
	h.wrong++
	t.hours[account] = h
	if len(t.hours)%manyTries == 0 {
		for id, old := range t.hours {
			if now >= old.since+anHour {
				delete(t.hours, id)
			}
		}
	}
}

// codePage asks for codes.
type codePage struct{ limit, offset int }

func (q *codePage) Read(f *api.Form) {
	q.limit, q.offset = f.Page(30, 100, api.MaxOffset, api.OfMoney)
	boundPage(f, q.limit, q.offset)
}

// boundPage notes a page that ends too far behind the newest record.
func boundPage(f *api.Form, limit, offset int) {
	if limit+offset > api.MaxOffset && offset <= api.MaxOffset {
		f.Fail(400, 0, "offset", fmt.Sprintf("Offset is too big. Please use offset + limit less than %d.", api.MaxOffset))
	}
}

// codeRecord is a code of the past, with the directory that names its asset.
type codeRecord struct {
	*schema.Code
	directory *directory.Directory
	text      []byte
	at        schema.Time
	signed    string
}

// codeList is a part of the codes of an account.
type codeList struct {
	records              []codeRecord
	total, limit, offset int
}

// codeWords are what became of a code.
var codeWords = map[schema.CodeStatus]string{schema.CodeActive: "Active", schema.CodeApplied: "Activated", schema.CodeReturned: "Returned"}

// listOf declares a page of codes, whose amounts are written in one of two ways.
func listOf(name string, amount api.Field[codeRecord]) *api.Encoder[codeList] {
	record := api.Encode(name, "A code.",
		amount,
		api.TextField("code", "The code.", func(r *codeRecord) []byte { return r.text }),
		api.SecondsField("date", "Time of the event.", func(r *codeRecord) schema.Time { return r.at }),
		api.EnumField("status", []string{"Active", "Activated", "Returned"}, "Whether the code can be applied, was applied, or was returned to its creator.",
			func(r *codeRecord) string { return codeWords[r.Status] }),
		api.StringField("ticker", "Ticker of the asset.", func(r *codeRecord) string { return r.directory.Ticker(r.Asset) }),
		externalIDOf(func(r *codeRecord) *schema.Code { return r.Code }))
	return api.Encode(name+"Page", "A page of codes.",
		api.IntegerField("total", "How many records there are.", func(l *codeList) int64 { return int64(l.total) }),
		api.ArrayField("data", record, "Records.", func(l *codeList) []codeRecord { return l.records }),
		api.IntegerField("limit", "As requested.", func(l *codeList) int64 { return int64(l.limit) }),
		api.IntegerField("offset", "As requested.", func(l *codeList) int64 { return int64(l.offset) }))
}

var (
	myCodesEncoder = listOf("Code", api.DecimalField("amount", "Amount.", func(r *codeRecord) fixed.Decimal { return r.Amount }))
	historyEncoder = listOf("CodeMove", api.StringField("amount", "Amount with its sign: - for a code that was created, + for one that was applied or returned.",
		func(r *codeRecord) string { return r.signed }))
)

var aboutMyCodes = &api.About{
	Summary:  "List created codes",
	Text:     "Codes that the account created, newest first.",
	Response: myCodesEncoder.Schema(),
}

func myCodes(c *api.Call, q *codePage) (api.Answer, error) {
	list, err := codesOf(c, q, history.Created)
	if err != nil {
		return nil, err
	}
	return myCodesEncoder.Answer(list), nil
}

var aboutCodeHistory = &api.About{
	Summary:  "List movements by codes",
	Text:     "Codes that the account created and codes that credited it, newest first.",
	Response: historyEncoder.Schema(),
}

func codeHistory(c *api.Call, q *codePage) (api.Answer, error) {
	list, err := codesOf(c, q, nil)
	if err != nil {
		return nil, err
	}
	return historyEncoder.Answer(list), nil
}

// codesOf reads a page of what an account had to do with codes.
func codesOf(c *api.Call, q *codePage, classes []history.Class) (*codeList, error) {
	records, total, err := c.Counted(&history.Query{Kind: history.Codes, Classes: classes, Limit: q.limit, Offset: q.offset})
	if err != nil {
		return nil, err
	}
	list := &codeList{make([]codeRecord, len(records)), total, q.limit, q.offset}
	for i := range records {
		r := &records[i]
		code := r.Payload.(*schema.Code)
		text, err := c.API.Key().Open(code.Sealed, codePurpose)
		if err != nil {
			return nil, fmt.Errorf("opening code %d: %w", code.ID, err)
		}
		sign := "-"
		if r.Class == history.CodeMoney {
			sign = "+"
		}
		list.records[i] = codeRecord{code, c.Directory(), text, r.Time, sign + code.Amount.String()}
	}
	return list, nil
}
