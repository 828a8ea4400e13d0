package operator

import (
	"encoding/json"
	"iter"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bourse/internal/api/table"
	"bourse/internal/custody"
	"bourse/internal/sheet"
	"bourse/internal/travel"
)

// description is the text about an act, and the types of what it takes and answers.
type description struct {
	summary string
	asks    any      // nil: nothing
	answers any      // a value of the type; nil: not JSON
	query   []string // parameters, see parameters
}

// descriptions are those of the acts, by method and path.
var descriptions = map[string]description{
	"GET /v1/accounts":           {"List accounts, oldest first.", nil, []account{}, []string{"limit", "offset"}},
	"POST /v1/accounts":          {"Open an account.", sheet.Account{}, account{}, nil},
	"GET /v1/accounts/{account}": {"Show an account.", nil, account{}, nil},
	"PATCH /v1/accounts/{account}": {
		"Change settings of an account; what is not named stays.", sheet.Account{}, account{}, nil,
	},
	"POST /v1/accounts/{account}/invitations": {
		"Make a link by which a person becomes the user of an account, or the user of it begins again who lost a factor. It works once, for 72 hours, is shown once and ends the link before it. Without a login the name of the account is the login.",
		askedInvitation{},
		invitation{},
		nil,
	},
	"GET /v1/users":                       {"List the people who sign in to accounts, oldest first.", nil, []user{}, []string{"limit", "offset"}},
	"GET /v1/accounts/{account}/sessions": {"List the sessions of an account, oldest first.", nil, []session{}, nil},
	"DELETE /v1/accounts/{account}/sessions": {
		"Sign everyone out of an account, at once on all nodes and sockets. API keys go on.", nil, []session{}, nil,
	},
	"GET /v1/accounts/{account}/keys": {"List the API keys of an account.", nil, []key{}, nil},
	"POST /v1/accounts/{account}/keys": {
		"Make an API key. Key and secret are made up unless they are given; the secret is shown once. URLs are paths of the private API or groups of them (" + strings.Join(table.GroupNames(), ", ") + "), which stand for the paths that they have now; without URLs the key may call everything.",
		askedKey{},
		newKey{},
		nil,
	},
	"PATCH /v1/keys/{key}":                               {"Change settings of an API key, at once also for open connections.", sheet.Key{}, key{}, nil},
	"DELETE /v1/keys/{key}":                              {"Delete an API key.", nil, deleted{}, nil},
	"GET /v1/accounts/{account}/fees":                    {"List the fees that an account was assigned.", nil, []fee{}, nil},
	"PUT /v1/accounts/{account}/fees/{market}":           {"Assign fees to an account on a market, in percent.", sheet.Fee{}, fee{}, nil},
	"DELETE /v1/accounts/{account}/fees/{market}":        {"Take back the fees of an account on a market.", nil, fee{}, nil},
	"GET /v1/accounts/{account}/balances":                {"Show the balances of an account, or of outside, fees, insurance, house, lending, clearing, codes, custody, suspense, convert or interest.", nil, []balance{}, nil},
	"POST /v1/accounts/{account}/deposits":               {"Bring money to an account.", movement{}, []balance{}, nil},
	"POST /v1/accounts/{account}/confirmations":          {"Confirm held deposits.", movement{}, []balance{}, nil},
	"POST /v1/accounts/{account}/withdrawals":            {"Take money out of the main wallet of an account.", movement{}, []balance{}, nil},
	"GET /v1/chains":                                     {"List chains, where they stand, and what the exchange has on them of each asset.", nil, []chain{}, nil},
	"GET /v1/chains/{chain}":                             {"Show a chain.", nil, chain{}, nil},
	"PUT /v1/chains/{chain}":                             {"Name a chain, or replace all its settings; with If-None-Match: * only if it is new. Driver, family and net never change. The interval is in seconds.", sheet.Chain{}, chain{}, nil},
	"PATCH /v1/chains/{chain}":                           {"Change settings of a chain; what is not named stays.", sheet.Chain{}, chain{}, nil},
	"GET /v1/chains/{chain}/payouts":                     {"List the transactions of the exchange that are under way on a chain that others live on, by number.", nil, []payout{}, nil},
	"POST /v1/chains/{chain}/resumption":                 {"Let a halted chain go on from a block that the exchange remembers, usually the last; two operators say the same. What is above the block is read again.", resumption{}, chain{}, nil},
	"POST /v1/chains/{chain}/adoption":                   {"Let a halted chain take a block whose transaction spends what is ours and that the log has no plan of; two operators say the same. The exchange bears what it took. Freeze withdrawals that it paid before.", adoption{}, chain{}, nil},
	"POST /v1/chains/{chain}/surplus":                    {"Book money that audits see at an address of ours and that blocks did not show; two operators say the same. It becomes a deposit that waits for a decision once it is confirmed.", surplus{}, booked{}, nil},
	"POST /v1/chains/{chain}/refill":                     {"Say how much of an asset should come back from cold storage; 0: nothing. The people who have its keys sign the transaction.", refill{}, chain{}, nil},
	"POST /v1/payouts/{payout}/decision":                 {"Decide about a payout that no block takes: give up (the next variant pays only ourselves) or abandon (its coin is gone for good; two operators say so).", payoutDecision{}, payout{}, nil},
	"POST /v1/chains/{chain}/payments":                   {"Send money out of nowhere on a sandbox: to an address, or to that of an account, which gets one if it has none. It waits for a block.", askedPayment{}, payment{}, nil},
	"POST /v1/accounts/{account}/faucet":                 {"Send money out of nowhere to an account, on the sandbox by which the asset usually comes. It waits for a block.", movement{}, payment{}, nil},
	"POST /v1/chains/{chain}/blocks":                     {"Make blocks of a sandbox, one unless it is said.", mining{}, chain{}, nil},
	"POST /v1/chains/{chain}/reorganisations":            {"Replace the last blocks of a sandbox by one more. What they paid is paid again, but for what is dropped.", reorganisation{}, chain{}, nil},
	"GET /v1/deposits":                                   {"List deposits that came by chains, newest first: those that wait for blocks or for a decision, those that were lost or reversed, and those that were credited not long ago.", nil, []arrival{}, []string{"limit", "offset", "chain", "account", "status"}},
	"POST /v1/deposits/{deposit}/decision":               {"Decide about a deposit that came by a chain: credit gives it to its account, or to the one that is named if it is nobody's; cancel does not accept it; freeze holds it back.", decision{}, decided{}, nil},
	"GET /v1/withdrawals":                                {"List withdrawals by chains, newest first: those that wait for operators or for blocks, and those that were confirmed not long ago.", nil, []departure{}, []string{"limit", "offset", "chain", "account", "status"}},
	"POST /v1/withdrawals/{withdrawal}/decision":         {"Decide about a withdrawal by a chain that is not sent: approve lets it go, once as many operators did as are needed; cancel gives the account its money back; freeze holds it back; release lets a frozen one be reviewed again. A remote signer may want signatures of operators: approve may bring one, and sign brings one for a withdrawal that no block has paid, which changes nothing else.", verdict{}, judged{}, nil},
	"GET /v1/withdrawals/{withdrawal}/approval":          {"Show what an operator's key signs about a withdrawal, for a remote signer that wants signatures of operators: these members, as docs/custody.md writes them.", nil, custody.Approval{}, nil},
	"POST /v1/withdrawals/{withdrawal}/settlement":       {"Say what a payment provider paid of a withdrawal that is queued there: all, none, or an amount where the customer allowed a part. It counts once.", settlement{}, decided{}, nil},
	"GET /v1/invoices":                                   {"List invoices by which fiat money is to come, newest first: those that are open, and those that are paid and were not credited.", nil, []invoice{}, []string{"limit", "offset", "chain", "account", "status"}},
	"POST /v1/invoices/{invoice}/settlement":             {"Say what became of an open invoice: paid or failed. It counts once.", settlement{}, decided{}, nil},
	"GET /v1/owed":                                       {"List what accounts owe because a chain took back what they had spent.", nil, []debt{}, []string{"limit", "offset"}},
	"POST /v1/accounts/{account}/forgiveness":            {"Write off what an account owes because a chain took back what it had spent.", movement{}, []balance{}, nil},
	"GET /v1/assets":                                     {"List assets.", nil, []sheet.Asset{}, nil},
	"GET /v1/assets/{asset}":                             {"Show an asset.", nil, sheet.Asset{}, nil},
	"PUT /v1/assets/{asset}":                             {"List an asset, or replace all its settings; with If-None-Match: * only if it is new.", sheet.Asset{}, sheet.Asset{}, nil},
	"PATCH /v1/assets/{asset}":                           {"Change settings of an asset; what is not named stays, lists are replaced whole.", sheet.Asset{}, sheet.Asset{}, nil},
	"PUT /v1/assets/{asset}/networks/{network}":          {"Add a network to an asset, or replace all its settings; with If-None-Match: * only if it is new.", sheet.Network{}, sheet.Asset{}, nil},
	"PATCH /v1/assets/{asset}/networks/{network}":        {"Change settings of a network; what is not named stays.", sheet.Network{}, sheet.Asset{}, nil},
	"DELETE /v1/assets/{asset}/networks/{network}":       {"Remove a network from an asset.", nil, sheet.Asset{}, nil},
	"GET /v1/assets/{asset}/index":                       {"Show the index of an asset that is collateral or under a future, and what each source says; ages are in seconds.", nil, assetIndex{}, nil},
	"GET /v1/collateral":                                 {"List what assets are worth as collateral and how they are lent.", nil, []sheet.Collateral{}, nil},
	"GET /v1/collateral/{asset}":                         {"Show what an asset is worth as collateral and how it is lent.", nil, sheet.Collateral{}, nil},
	"PATCH /v1/collateral/{asset}":                       {"Set what an asset is worth as collateral and how it is lent; what is not named stays, or is its default the first time. The rate is the interest of an hour, the age in seconds.", sheet.Collateral{}, sheet.Collateral{}, nil},
	"GET /v1/conversion":                                 {"Show whether there are conversions, and what bounds them.", nil, sheet.Conversion{}, nil},
	"PATCH /v1/conversion":                               {"Switch conversions on and off, and set what bounds them; what is not named stays, or is its default the first time. The spread is a ratio for each market that a conversion goes over, bounds are in USDT. Switching on forgets what the inventory lost.", sheet.Conversion{}, sheet.Conversion{}, nil},
	"GET /v1/markets":                                    {"List markets.", nil, []market{}, nil},
	"GET /v1/markets/{market}":                           {"Show a market.", nil, market{}, nil},
	"PUT /v1/markets/{market}":                           {"List a market, or replace all its settings; with If-None-Match: * only if it is new. What a future leaves out of its margin terms is their default; other markets have none.", sheet.Market{}, market{}, nil},
	"PATCH /v1/markets/{market}":                         {"Change settings of a market; what is not named stays.", sheet.Market{}, market{}, nil},
	"PUT /v1/markets/{market}/maintenance":               {"Plan a maintenance: its orders end and nothing is traded between two moments, in Unix seconds.", maintenance{}, market{}, nil},
	"DELETE /v1/markets/{market}/maintenance":            {"End a maintenance, or the plan of one.", nil, market{}, nil},
	"PUT /v1/markets/{market}/delisting":                 {"Plan the end of a market, in Unix seconds.", delisting{}, market{}, nil},
	"DELETE /v1/markets/{market}/delisting":              {"Cancel the plan to delist a market.", nil, market{}, nil},
	"PUT /v1/markets/{market}/index":                     {"Set the index price of a market, or what a source (0 to 8) says of its base where that is collateral or under a future; of a TradFi future it is in USD, and that of USD_USDT must be known.", indexPrice{}, market{}, nil},
	"DELETE /v1/markets/{market}/index":                  {"Withdraw the index price of a market, or what a source says of its base.", nil, market{}, []string{"source"}},
	"GET /v1/accounts/{account}/margin":                  {"Show what an account has and what its margin is, in USDT, with its positions and loans.", nil, margin{}, nil},
	"DELETE /v1/accounts/{account}/positions/{position}": {"Close a position of an account at the market, whether the account is blocked or not. What the book does not take stays open.", nil, margin{}, nil},
	"GET /v1/pool":                                       {"Show how the mining pool works, what a block is worth to it, what it can pay and did not pay yet, and the last blocks that it found.", nil, pool{}, nil},
	"PATCH /v1/pool":                                     {"Set how the mining pool works and pays; what is not named stays, or is its default the first time. The fee is a fraction; asset and unit stay once work was counted.", sheet.Pool{}, pool{}, nil},
	"PUT /v1/pool/rate":                                  {"Set what a block is worth: what it creates and the mean of its fees.", poolRate{}, pool{}, nil},
	"GET /v1/pool/accounts":                              {"List mining accounts, the oldest first.", nil, []miningAccount{}, []string{"limit", "offset"}},
	"PUT /v1/pool/accounts/{mining}/bar":                 {"Stop a mining account from earning. What it earned before is paid.", nil, miningAccount{}, nil},
	"DELETE /v1/pool/accounts/{mining}/bar":              {"Let a mining account earn again.", nil, miningAccount{}, nil},
	"GET /v1/funds":                                      {"Show what the insurance fund, the pool of loans, the inventory of conversions and the accounts that interest and miners are paid from have, what is lent, what is between longs and shorts, in codes and on chains, and what customers owe.", nil, []funds{}, nil},
	"POST /v1/funds/{fund}/deposits":                     {"Bring the operator's money into the insurance fund (insurance), the pool of loans (lending), the inventory of conversions (convert) or the account that investments (interest) or miners (pool) are paid from.", movement{}, []funds{}, nil},
	"POST /v1/funds/{fund}/withdrawals":                  {"Take money out of the insurance fund (insurance), the pool of loans (lending), the inventory of conversions (convert) or the account that investments (interest) or miners (pool) are paid from, no more than is free there.", movement{}, []funds{}, nil},
	"GET /v1/plans":                                      {"List plans in which partners invest, the oldest first.", nil, []plan{}, []string{"limit", "offset"}},
	"GET /v1/plans/{plan}":                               {"Show a plan.", nil, plan{}, nil},
	"PUT /v1/plans/{plan}":                               {"Offer a plan, or replace all its settings; with If-None-Match: * only if it is new. The payout is the asset, and the status active, unless it is said.", sheet.Plan{}, plan{}, nil},
	"PATCH /v1/plans/{plan}":                             {"Change settings of a plan; what is not named stays. Once somebody invested, kind, assets, percent, minutes and ratio stay.", sheet.Plan{}, plan{}, nil},
	"PUT /v1/plans/{plan}/accounts/{account}":            {"Let an account see a private plan.", nil, plan{}, nil},
	"DELETE /v1/plans/{plan}/accounts/{account}":         {"Hide a private plan from an account again.", nil, plan{}, nil},
	"GET /v1/accounts/{account}/investments":             {"List the open investments of an account, newest first.", nil, []investment{}, nil},
	"GET /v1/tiers":                                      {"List the tiers by which withdrawals of accounts are limited, in 24 hours and in 30 days, in the quote asset of the first market; 0 does not limit. Accounts that are not verified are in tier 0.", nil, []sheet.Tier{}, nil},
	"PUT /v1/tiers/{tier}":                               {"Set both limits of a tier, 0 to 9; one that is not named is 0.", sheet.Tier{}, sheet.Tier{}, nil},
	"GET /v1/credits":                                    {"List what was lent to accounts by credit lines.", nil, []credit{}, []string{"limit", "offset"}},
	"POST /v1/accounts/{account}/credit":                 {"Lend an account with a credit line money of the operator. The percents say what the credit may be of all that the account owns: at first, when it is asked for more, and when the operator takes the money back.", askedCredit{}, credit{}, nil},
	"POST /v1/accounts/{account}/credit/charges":         {"Take interest of a credit out of the main wallet of its account.", part{}, credit{}, nil},
	"POST /v1/accounts/{account}/credit/repayments":      {"Take a part of a credit, or all of it, back out of the main wallet of its account. One that is repaid is over.", part{}, credit{}, nil},
	"GET /v1/verdicts":                                   {"List what checks of addresses end with. All others are of low risk.", nil, []addressVerdict{}, []string{"limit", "offset"}},
	"PUT /v1/verdicts/{address}":                         {"Say what checks of an address end with: a risk (low, medium, high) and its description, or a failure.", addressVerdict{}, addressVerdict{}, nil},
	"DELETE /v1/verdicts/{address}":                      {"Let an address be as harmless as any.", nil, addressVerdict{}, nil},
	"GET /v1/vasps":                                      {"List the VASPs that are known, by id: exchanges and other services that keep wallets. What accounts in the EU send there needs no approval for that.", nil, []sheet.VASP{}, []string{"limit", "offset"}},
	"PUT /v1/vasps/{vasp}":                               {"Make a VASP known, or change its name. Its id is what customers send.", sheet.VASP{}, sheet.VASP{}, nil},
	"DELETE /v1/vasps/{vasp}":                            {"Forget a VASP.", nil, sheet.VASP{}, nil},
	"GET /v1/deposits/{deposit}/travel":                  {"Show what was said about who sent a deposit that is in review.", nil, travel.Data{}, nil},
	"GET /v1/withdrawals/{withdrawal}/travel":            {"Show what was said about who receives a withdrawal of an account in the EU.", nil, travel.Data{}, nil},
	"GET /v1/proposals":                                  {"List what takes two operators and waits: for another operator, or, a setting that is approved, for its time. What is done, canceled or refused is forgotten.", nil, []proposed{}, nil},
	"POST /v1/proposals/{proposal}/approve":              {"Approve a proposal of another operator. Settings are done 24 hours later, anything else at once.", nothing{}, proposed{}, nil},
	"POST /v1/proposals/{proposal}/cancel":               {"Cancel a proposal that waits, also one that is approved or one's own.", nothing{}, proposed{}, nil},
	"GET /v1/platform":                                   {"Show what holds for the whole exchange.", nil, platform{}, nil},
	"PATCH /v1/platform":                                 {"Change what holds for the whole exchange; what is not named stays.", platform{}, platform{}, nil},
	"GET /v1/audit":                                      {"List what operators did and tried, newest first.", nil, []act{}, []string{"limit", "offset", "operator", "from", "to"}},
	"GET /v1/backup":                                     {"A backup of the exchange as it is now, without its keys, for 'bourse restore'; one is made at a time.", nil, nil, nil},
	"GET /v1/accounts/{account}/statement":               {"Every change of the balances of an account, as JSON lines, from the log.", nil, line{}, []string{"asset", "wallet"}},

	"GET /v1/webhooks": {"List webhooks: where events of accounts are sent.", nil, []hook{}, []string{"limit", "offset", "account"}},
	"GET /v1/accounts/{account}/webhook/deliveries": {
		"List the events of the last two days that were announced to the webhook of an account, newest first, with what became of them. Bodies are not kept.", nil,
		[]deliveryEntry{},
		[]string{"limit", "before"},
	},
	"PUT /v1/accounts/{account}/webhook": {
		"Make the webhook of an account, or change it; what is not named stays, and at first all events are chosen and it is on. Key and secret are made up unless they are given; the secret is shown once. Another host or another key must be verified again.",
		askedHook{},
		newHook{},
		nil,
	},
	"POST /v1/accounts/{account}/webhook/verification": {"Look whether the host of a webhook has its public key: in a TXT record, in /service-verification.txt, or in the JSON array that /service-verification answers with.", nothing{}, hook{}, nil},
	"POST /v1/accounts/{account}/webhook/pause":        {"Hold deliveries of a webhook back, or let them go on. Events wait, for a day at most.", pausing{}, hook{}, nil},
	"POST /v1/accounts/{account}/webhook/resend":       {"Send an event of the last two days once more.", resending{}, hook{}, nil},
	"DELETE /v1/accounts/{account}/webhook":            {"Delete a webhook. What waits for it is dropped.", nil, deleted{}, nil},

	"GET /v1/partners": {"List clients of OAuth, oldest first: programs of others that customers let act for them.", nil, []partner{}, []string{"limit", "offset"}},
	"POST /v1/partners": {
		"Make a client of OAuth. Its id is made up unless it is given; the secret is made up and shown once. Redirect URIs are https; a client without a scope of API keys has one.",
		askedPartner{},
		newPartner{},
		nil,
	},
	"PATCH /v1/partners/{partner}": {
		"Change a client of OAuth; what is not named stays. Scopes can become fewer and not more. While it is off, its tokens and the keys that were issued for it do nothing. With rotate it gets a new secret, which is shown once; otherwise the secret is empty.",
		askedPartner{},
		newPartner{},
		nil,
	},
	"GET /v1/accounts/{account}/grants":              {"List the clients of OAuth that have access to an account.", nil, []grant{}, nil},
	"DELETE /v1/accounts/{account}/grants/{partner}": {"End all access that a client of OAuth has to an account: its key, tokens and codes.", nil, []grant{}, nil},
}

// waited are the acts that may take two operators.
var waited = map[string]bool{
	"POST /v1/accounts/{account}/deposits": true, "POST /v1/accounts/{account}/forgiveness": true, "POST /v1/deposits/{deposit}/decision": true,
	"PUT /v1/assets/{asset}": true, "PATCH /v1/assets/{asset}": true, "PUT /v1/assets/{asset}/networks/{network}": true,
	"PATCH /v1/assets/{asset}/networks/{network}": true, "DELETE /v1/assets/{asset}/networks/{network}": true,
	"PUT /v1/chains/{chain}": true, "PATCH /v1/chains/{chain}": true, "PUT /v1/tiers/{tier}": true,
}

// parameters are those of queries.
var parameters = map[string]map[string]any{
	"limit":    {"description": "The most records.", "schema": object{"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}},
	"offset":   {"description": "How many records to leave out.", "schema": object{"type": "integer", "minimum": 0, "default": 0}},
	"operator": {"description": "Only what this operator did.", "schema": object{"type": "string"}},
	"from":     {"description": "Only what happened since, in Unix seconds.", "schema": object{"type": "integer", "minimum": 0}},
	"to":       {"description": "Only what happened until then, in Unix seconds.", "schema": object{"type": "integer", "minimum": 0}},
	"asset":    {"description": "Only this asset.", "schema": object{"type": "string"}},
	"wallet":   {"description": "Only this wallet.", "schema": object{"type": "string"}},
	"chain":    {"description": "Only what comes or goes by this chain.", "schema": object{"type": "string"}},
	"account":  {"description": "Only what is this account's.", "schema": object{"type": "string"}},
	"status":   {"description": "Only those with this status.", "schema": object{"type": "string"}},
	"source":   {"description": "The source of the index.", "schema": object{"type": "integer", "minimum": 0, "maximum": 8, "default": 0}},
	"before":   {"description": "Only events with a lower number.", "schema": object{"type": "integer", "minimum": 0, "default": 0}},
}

type object = map[string]any

// Document is the OpenAPI document of the operators' API, made from the table of acts and the types of
// what they take and answer.
func Document(version string) []byte {
	paths := map[string]object{}
	add := func(method, path, kind string) {
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(method)] = operation(method, path, kind)
	}
	for _, a := range acts {
		add(a.Method, a.Path, "application/json")
	}
	add("GET", "/v1/accounts/{account}/statement", "application/jsonl")
	add("GET", "/v1/backup", "application/x-tar")
	text, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Bourse, for operators", "version": version,
			"description": "What those who run the exchange can ask. Every change is a command in the log with the name of the operator who gave it.",
		},
		"servers":  []object{{"url": "/", "description": "The listener that serves this document."}},
		"security": []object{{"bearer": []string{}}, {"basic": []string{}}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{
				"bearer": object{"type": "http", "scheme": "bearer", "description": "The token in DATA/operators/NAME.token."},
				"basic":  object{"type": "http", "scheme": "basic", "description": "The same token as a password."},
			},
			"schemas": object{"Error": schemaOf(reflect.TypeFor[Error](), true)},
		},
	})
	if err != nil {
		panic("operator: the document cannot be written: " + err.Error())
	}
	return text
}

var inPath = regexp.MustCompile(`{(\w+)}`)

// operation describes an act.
func operation(method, path, kind string) object {
	d := descriptions[method+" "+path]
	list := []object{}
	for _, p := range inPath.FindAllStringSubmatch(path, -1) {
		list = append(list, object{"name": p[1], "in": "path", "required": true, "description": "The name of the " + p[1] + ".", "schema": object{"type": "string"}})
	}
	for _, name := range d.query {
		p := object{"name": name, "in": "query"}
		for member, value := range parameters[name] {
			p[member] = value
		}
		list = append(list, p)
	}
	answer := object{}
	if d.answers != nil {
		answer["schema"] = schemaOf(reflect.TypeOf(d.answers), true)
	}
	o := object{
		"operationId": strings.ToLower(method) + inPath.ReplaceAllString(strings.NewReplacer("/v1/", "-", "/", "-").Replace(path), "$1"),
		"summary":     d.summary, "parameters": list,
		"responses": object{
			"200":     object{"description": "It was done.", "content": object{kind: answer}},
			"default": object{"description": "It was not done, and why.", "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}}},
		},
	}
	if waited[method+" "+path] {
		o["responses"].(object)["202"] = object{
			"description": "It takes two operators, and waits for another one as a proposal.",
			"content":     object{kind: object{"schema": schemaOf(reflect.TypeFor[waits](), true)}},
		}
	}
	if d.asks != nil {
		o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schemaOf(reflect.TypeOf(d.asks), false)}}}
	}
	return o
}

// schemaOf is how JSON shows a type. All members are in an answer, but for those that may be left out
// when they are empty; none has to be in a request.
func schemaOf(t reflect.Type, answer bool) object {
	switch t {
	case reflect.TypeFor[sheet.Number]():
		return object{"type": "string", "pattern": `^-?[0-9]+(\.[0-9]+)?$`}
	case reflect.TypeFor[time.Time](), reflect.TypeFor[sheet.Moment]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem(), answer)
		s["type"] = []any{s["type"], "null"}
		return s
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), answer)}
	case reflect.Struct:
		properties, required := object{}, []string{}
		for f := range members(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			properties[name] = schemaOf(f.Type, answer)
			if answer && options != "omitempty" {
				required = append(required, name)
			}
		}
		return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	}
	panic("operator: " + t.String() + " is in no answer: " + strconv.Quote(t.Kind().String()))
}

// members are the fields of a type that JSON shows, those of embedded types among them.
func members(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			switch f := t.Field(i); {
			case f.Anonymous:
				for inner := range members(f.Type) {
					if !yield(inner) {
						return
					}
				}
			case f.Tag.Get("json") != "-" && !yield(f):
				return
			}
		}
	}
}
