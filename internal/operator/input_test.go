package operator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bourse/internal/api/table"
	"bourse/internal/schema"
)

// noURL is what is said of a name that is neither a path nor a group.
func noURL(name string) string {
	_, err := table.URLs([]string{name})
	return err.Error()
}

// mistake is a request that is not done: what is asked, and what is answered. Asked says that it
// came as far as the log, where the core refused it.
type mistake struct {
	method, path, body string
	status             int
	field, message     string
	asked              bool
}

const (
	broken     = "the request cannot be read: "
	lowFees    = "Fees are percents of less than 50 in either direction, with at most 16 decimals, and takers are not paid."
	pastDue    = "The plan must end after it begins and not lie in the past."
	twoEnds    = "a maintenance needs 'from' and a later 'to', both in Unix seconds"
	limits     = "Limits are zero (none) or positive, the smallest no greater than the largest."
	noName     = "The name is empty, too long, or not BASE_QUOTE."
	margin     = "Futures need a leverage of 1, 2, 3, 5, 10, 20, 50 or 100, brackets that grow as leverage falls, bands of at most 100 percent, an impact notional, 1 to 1440 minutes of funding and a floor no higher than its cap; other markets have none of it."
	spotMargin = "Spot markets have no margin, or a leverage of 1, 2, 3, 5 or 10, a liquidation band of at most 100 percent and bounds of positions and pending orders, and they keep it."
	noChain    = "A chain has a name of 1 to 20 capital letters, digits and underscores, a driver, a family, a net, and an interval between blocks of 0 (none) or 0.1 seconds to a day."
	noBlock    = "This cannot be a block: it has too many receipts, parts in the wrong order, or a receipt that cannot be."
	oneOfThem  = "money is sent to an address, or to an account: name one of them"
	noTier     = "Tiers are numbered from 0 to 9, their limits are zero (none) or positive with at most 8 decimals, and a month's is not below a day's."
	noPercents = "The percents of a credit are more than 0, at most 100, with at most 2 decimals, and rise from the first over the margin call to the liquidation."
	noVASP     = "A VASP has an id of 1 to 100 bytes and a name of at most 200."
	noVerdict  = "A verdict has an address, and either fails or has a risk (low, medium, high) and a description of at most 500 bytes."
	noMoment   = ` is not a time after 1970 and before the year 10000, such as "2026-12-24T12:00:00Z"`
	noPrice    = "an index price is greater than 0; DELETE withdraws it"
)

var mistakes = []mistake{
	// What is not there.
	{"GET", "/v1/accounts/nobody", "", 404, "", `there is no account "nobody"`, false},
	{"PATCH", "/v1/accounts/nobody", "{}", 404, "", `there is no account "nobody"`, false},
	{"GET", "/v1/accounts/nobody/keys", "", 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/nobody/keys", "{}", 404, "", `there is no account "nobody"`, false},
	{"GET", "/v1/accounts/nobody/fees", "", 404, "", `there is no account "nobody"`, false},
	{"PUT", "/v1/accounts/nobody/fees/BTC_USDT", "{}", 404, "", `there is no account "nobody"`, false},
	{"PUT", "/v1/accounts/alice/fees/X_Y", "{}", 404, "", `there is no market "X_Y"`, false},
	{"DELETE", "/v1/accounts/alice/fees/X_Y", "", 404, "", `there is no market "X_Y"`, false},
	{"GET", "/v1/accounts/nobody/balances", "", 404, "", `there is no account "nobody" at that place of the log; there are alice, bob, clearing, codes, convert, custody, fees, house, insurance, interest, lending, outside, pool, suspense`, false},
	{"GET", "/v1/accounts/nobody/statement", "", 404, "", `there is no account "nobody" at that place of the log; there are alice, bob, clearing, codes, convert, custody, fees, house, insurance, interest, lending, outside, pool, suspense`, false},
	{"POST", "/v1/accounts/nobody/deposits", "{}", 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/fees/deposits", `{"asset":"BTC","amount":"1"}`, 404, "", `there is no account "fees"`, false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"XXX","amount":"1"}`, 422, "asset", `there is no asset "XXX"`, false},
	{"POST", "/v1/accounts/alice/deposits", `{"amount":"1"}`, 422, "asset", `there is no asset ""`, false},
	{"POST", "/v1/accounts/alice/withdrawals", `{"asset":"btc","amount":"1"}`, 422, "asset", `there is no asset "btc"`, false},
	{"PATCH", "/v1/keys/nokey", "{}", 404, "", `there is no key "nokey"`, false},
	{"DELETE", "/v1/keys/nokey", "", 404, "key", "The key does not exist.", true},
	{"GET", "/v1/assets/XXX", "", 404, "", `there is no asset "XXX"`, false},
	{"PATCH", "/v1/assets/XXX", "{}", 404, "", `there is no asset "XXX"`, false},
	{"GET", "/v1/markets/X_Y", "", 404, "", `there is no market "X_Y"`, false},
	{"PATCH", "/v1/markets/X_Y", "{}", 404, "", `there is no market "X_Y"`, false},
	{"PUT", "/v1/markets/X_Y/maintenance", `{"from":1800000000,"to":1800000001}`, 404, "", `there is no market "X_Y"`, false},
	{"DELETE", "/v1/markets/X_Y/maintenance", "", 404, "", `there is no market "X_Y"`, false},
	{"PUT", "/v1/markets/X_Y/delisting", `{"at":1800000000}`, 404, "", `there is no market "X_Y"`, false},
	{"DELETE", "/v1/markets/X_Y/delisting", "", 404, "", `there is no market "X_Y"`, false},
	{"PUT", "/v1/markets/X_Y/index", `{"price":"1"}`, 404, "", `there is no market "X_Y"`, false},
	{"DELETE", "/v1/markets/X_Y/index", "", 404, "", `there is no market "X_Y"`, false},

	{"GET", "/v1/chains/BSC", "", 404, "", `there is no chain "BSC"`, false},
	{"PATCH", "/v1/chains/BSC", "{}", 404, "", `there is no chain "BSC"`, false},
	{"POST", "/v1/chains/BSC/blocks", "{}", 404, "", `there is no chain "BSC"`, false},
	{"POST", "/v1/chains/BSC/reorganisations", "{}", 404, "", `there is no chain "BSC"`, false},
	{"POST", "/v1/chains/BSC/payments", "{}", 404, "", `there is no chain "BSC"`, false},
	{"GET", "/v1/deposits?chain=BSC", "", 404, "", `there is no chain "BSC"`, false},
	{"GET", "/v1/deposits?account=nobody", "", 404, "", `there is no account "nobody"`, false},
	{"GET", "/v1/deposits?status=gone", "", 400, "status", `a status is confirming, held, credited, uncredited, frozen, canceled, lost, travel or review, not "gone"`, false},
	{"POST", "/v1/deposits/1/decision", `{"decision":"credit"}`, 404, "", `there is no deposit "1"`, false},
	{"POST", "/v1/deposits/one/decision", `{"decision":"credit"}`, 404, "", `there is no deposit "one"`, false},
	{"GET", "/v1/withdrawals?chain=BSC", "", 404, "", `there is no chain "BSC"`, false},
	{"GET", "/v1/withdrawals?account=nobody", "", 404, "", `there is no account "nobody"`, false},
	{"GET", "/v1/withdrawals?status=gone", "", 400, "status", `a status is review, frozen, queued, sent, mined, done, canceled, planned, partial or unconfirmed, not "gone"`, false},
	{"GET", "/v1/withdrawals?limit=0", "", 400, "limit", `limit is a whole number from 1 to 1000, not "0"`, false},
	{"POST", "/v1/withdrawals/1/decision", `{"decision":"approve"}`, 404, "", `there is no withdrawal "1"`, false},
	{"POST", "/v1/withdrawals/one/decision", `{"decision":"approve"}`, 404, "", `there is no withdrawal "one"`, false},
	{"POST", "/v1/accounts/nobody/faucet", "{}", 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/nobody/forgiveness", "{}", 404, "", `there is no account "nobody"`, false},
	{"GET", "/v1/plans/none", "", 404, "", `there is no plan "none"`, false},
	{"PATCH", "/v1/plans/none", "{}", 404, "", `there is no plan "none"`, false},
	{"PUT", "/v1/plans/none/accounts/alice", "", 404, "", `there is no plan "none"`, false},
	{"GET", "/v1/plans?limit=0", "", 400, "limit", `limit is a whole number from 1 to 1000, not "0"`, false},
	{"PUT", "/v1/plans/p", `{"kind":"loose","asset":"USDT"}`, 422, "", `plan p: a kind is fixed or flex, not "loose"`, false},
	{"PUT", "/v1/plans/p", `{"kind":"flex","asset":"USDT","status":"gone"}`, 422, "", `plan p: a status is active, sold out, inactive or paused, not "gone"`, false},
	{"PUT", "/v1/plans/p", `{"kind":"flex","asset":"NONE"}`, 422, "", `plan p: there is no asset "NONE"`, false},
	{"PUT", "/v1/plans/p", `{"kind":"fixed","asset":"USDT","payout":"NONE"}`, 422, "", `plan p: there is no asset "NONE"`, false},
	{"PUT", "/v1/plans/p", `{"kind":"flex","asset":"USDT","regions":["moon"]}`, 422, "", `plan p: a region is global or eu, not "moon"`, false},
	{"PUT", "/v1/plans/p", `{"name":"q","kind":"flex","asset":"USDT"}`, 422, "name", "the plan in the path is another one", false},
	{"PUT", "/v1/plans/p", `{"kind":"flex","asset":"USDT","rate":"11","min":"1"}`, 422, "plan", "The plan cannot be as it is, or something of it was changed that investments rely on.", true},
	{"PUT", "/v1/plans/p", `{"kind":"flex","asset":"USDT","rate":0.1}`, 400, "", broken + `"rate" should be a number in quotes, such as "0.1", not number`, false},
	{"GET", "/v1/accounts/nobody/investments", "", 404, "", `there is no account "nobody"`, false},
	{"PUT", "/v1/tiers/10", "{}", 404, "", `there is no tier "10"`, false},
	{"PUT", "/v1/tiers/-1", "{}", 404, "", `there is no tier "-1"`, false},
	{"PUT", "/v1/tiers/gold", "{}", 404, "", `there is no tier "gold"`, false},
	{"POST", "/v1/accounts/nobody/credit", "{}", 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/house/credit", `{"asset":"USDT","amount":"1"}`, 404, "", `there is no account "house"`, false},
	{"POST", "/v1/accounts/alice/credit", `{"asset":"NONE","amount":"1"}`, 422, "asset", `there is no asset "NONE"`, false},
	{"POST", "/v1/accounts/nobody/credit/charges", `{"amount":"1"}`, 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/nobody/credit/repayments", `{"amount":"1"}`, 404, "", `there is no account "nobody"`, false},
	{"POST", "/v1/accounts/alice/credit/charges", `{"amount":"1"}`, 422, "", "No active loan at the moment", true},
	{"POST", "/v1/accounts/alice/credit/repayments", `{"amount":"1"}`, 422, "", "No active loan at the moment", true},

	// What is no sheet.
	{"POST", "/v1/accounts", "", 400, "", broken + "there is nothing; a JSON object is wanted", false},
	{"POST", "/v1/accounts", "name=carol", 400, "", broken + "invalid character 'a' in literal null (expecting 'u')", false},
	{"POST", "/v1/accounts", `{"name":"carol"`, 400, "", broken + "the JSON ends in the middle", false},
	{"POST", "/v1/accounts", `{"name":"carol"}{}`, 400, "", broken + "something follows the JSON value", false},
	{"POST", "/v1/accounts", `{"name":"carol"} x`, 400, "", broken + "something follows the JSON value", false},
	{"POST", "/v1/accounts", `[]`, 400, "", broken + "a JSON object is wanted, not array", false},
	{"POST", "/v1/accounts", `{"name":"carol","nmae":"x"}`, 400, "", broken + `unknown field "nmae"`, false},
	{"POST", "/v1/accounts", `{"name":5}`, 400, "", broken + `"name" should be a text in quotes, not number`, false},
	{"POST", "/v1/accounts", `{"name":"carol","blocked":"yes"}`, 400, "", broken + `"blocked" should be true or false, not string`, false},
	{"POST", "/v1/accounts", `{"name":"carol","id":7}`, 400, "", broken + `unknown field "id"`, false},
	{"POST", "/v1/accounts", `{"name":"carol","maker_fee":0.1}`, 400, "", broken + `"maker_fee" should be a number in quotes, such as "0.1", not number`, false},
	{"PATCH", "/v1/accounts/alice", `{"created":"2026-01-01T00:00:00Z"}`, 400, "", broken + `unknown field "created"`, false},
	{"PATCH", "/v1/accounts/alice", `{"tier":256}`, 400, "", broken + `"tier" should be a whole number within bounds, not number 256`, false},
	{"PATCH", "/v1/accounts/alice", `{"verified":1}`, 400, "", broken + `"verified" should be true or false, not number`, false},
	{"PATCH", "/v1/accounts/alice", `{"restricted_until":1790000000}`, 400, "", broken + `"restricted_until" should be a time in quotes, such as "2026-12-24T12:00:00Z", not number`, false},
	{"PATCH", "/v1/accounts/alice", `{"restricted_until":"soon"}`, 400, "", broken + `"soon"` + noMoment, false},
	{"PATCH", "/v1/accounts/alice", `{"restricted_until":"1970-01-01T00:00:00Z"}`, 400, "", broken + `"1970-01-01T00:00:00Z"` + noMoment, false},
	{"PATCH", "/v1/accounts/alice", `{"restricted_until":"9999-12-31T23:59:59-01:00"}`, 400, "", broken + `"9999-12-31T23:59:59-01:00"` + noMoment, false},
	{"PATCH", "/v1/chains/ETH", `{"stuck":"on"}`, 400, "", broken + `"stuck" should be true or false, not string`, false},
	{"PUT", "/v1/tiers/1", "", 400, "", broken + "there is nothing; a JSON object is wanted", false},
	{"PUT", "/v1/tiers/1", `{"day":5}`, 400, "", broken + `"day" should be a number in quotes, such as "0.1", not number`, false},
	{"PUT", "/v1/tiers/1", `{"year":"5"}`, 400, "", broken + `unknown field "year"`, false},
	{"POST", "/v1/accounts/alice/credit", `{"asset":"USDT","amount":"1","held":true}`, 400, "", broken + `unknown field "held"`, false},
	{"POST", "/v1/accounts/alice/credit/repayments", `{"asset":"USDT","amount":"1"}`, 400, "", broken + `unknown field "asset"`, false},
	{"PUT", "/v1/verdicts/0xbad", `{"risk":3}`, 400, "", broken + `"risk" should be a text in quotes, not number`, false},
	{"PATCH", "/v1/keys/alice-key", `{"secret":"mine"}`, 400, "", broken + `unknown field "secret"`, false},
	{"PATCH", "/v1/keys/alice-key", `{"account":"bob"}`, 400, "", broken + `unknown field "account"`, false},
	{"PATCH", "/v1/assets/BTC", `{"id":2}`, 400, "", broken + `unknown field "id"`, false},
	{"PATCH", "/v1/assets/USDT", `{"networks":[{"name":"X","speed":1}]}`, 400, "", broken + `unknown field "speed"`, false},
	{"PATCH", "/v1/assets/USDT", `{"precision":256}`, 400, "", broken + `"precision" should be a whole number within bounds, not number 256`, false},
	{"PATCH", "/v1/assets/USDT", `{"precision":-1}`, 400, "", broken + `"precision" should be a whole number within bounds, not number -1`, false},
	{"PATCH", "/v1/assets/USDT", `{"precision":1.5}`, 400, "", broken + `"precision" should be a whole number within bounds, not number 1.5`, false},
	{"PATCH", "/v1/markets/BTC_USDT", `{"delisted":true}`, 400, "", broken + `unknown field "delisted"`, false},
	{"PATCH", "/v1/markets/BTC_USDT", `{"in_maintenance":true}`, 400, "", broken + `unknown field "in_maintenance"`, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":"now","to":1}`, 400, "", broken + `"from" should be a whole number within bounds, not string`, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1.5e9,"to":1.6e9}`, 400, "", broken + `"from" should be a whole number within bounds, not number 1.5e9`, false},
	{"PUT", "/v1/markets/BTC_USDT/index", `{"price":1}`, 400, "", broken + `"price" should be a number in quotes, such as "0.1", not number`, false},
	{"PATCH", "/v1/platform", `{"maintenance":1}`, 400, "", broken + `"maintenance" should be true or false, not number`, false},
	{"PATCH", "/v1/platform", `{"Feature":true}`, 400, "", broken + `unknown field "Feature"`, false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":1.5}`, 400, "", broken + `"amount" should be a number in quotes, such as "0.1", not number`, false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1e3"}`, 400, "", broken + `"1e3" is not a number: "1e3" is not a decimal number: write digits, optionally with '-' in front and '.' and more digits behind, such as "-12.5"`, false},

	// What cannot be.
	{"PUT", "/v1/chains/BTC", `{"driver":"evm","family":"evm","net":"mainnet"}`, 422, "", "chain BTC: an evm chain has a number, its chain id, such as 1", false},
	{"PUT", "/v1/chains/BTC", `{"name":"X","family":"bitcoin","net":"regtest"}`, 422, "name", "the name in the path is another one", false},
	{"PUT", "/v1/chains/BTC", `{"family":"bitcoin","net":"regtest","interval":"0.01"}`, 422, "chain", noChain, true},
	{"PATCH", "/v1/chains/ETH", `{"net":"mainnet"}`, 422, "", "chain ETH: driver, family and net of a chain never change", false},
	{"PUT", "/v1/chains/ETH", `{"family":"tron","net":"testnet"}`, 422, "", "chain ETH: driver, family and net of a chain never change", false},
	{"POST", "/v1/chains/ETH/blocks", `{"blocks":0}`, 422, "blocks", "At most 100 blocks can be asked for.", true},
	{"POST", "/v1/chains/ETH/reorganisations", `{"depth":1}`, 422, "depth", "At most 0 blocks can be replaced.", true},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1"}`, 422, "address", oneOfThem, false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","address":"` + ethereum(1) + `","account":"alice"}`, 422, "address", oneOfThem, false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","account":"alice","memo":"7"}`, 422, "memo", "the memo of an account is known: leave it out", false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","account":"nobody"}`, 422, "account", `there is no account "nobody"`, false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","account":"carl"}`, 409, "", "This action is unauthorized. The account is blocked.", true},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"XXX","amount":"1","account":"alice"}`, 422, "asset", `there is no asset "XXX"`, false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"0","account":"alice"}`, 422, "amount", "The amount must be at least 0.000000000000000001.", false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","address":"0x1"}`, 422, "address", "the length of the address is wrong", false},
	{"POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1","address":"` + ethereum(1) + `","memo":"7"}`, 422, "memo", "this network has no memo", false},
	{"POST", "/v1/accounts/alice/faucet", `{"asset":"BTC","amount":"1"}`, 422, "asset", "BTC comes by no sandbox; a deposit brings it without one", false},
	{"POST", "/v1/accounts/alice/faucet", `{"asset":"USDT","amount":"1","held":true}`, 422, "held", "only deposits of customers can be held", false},
	{"POST", "/v1/accounts/alice/forgiveness", `{"asset":"USDT","amount":"1"}`, 422, "amount", "The account owes 0.", true},
	{"PATCH", "/v1/assets/USDT/networks/ERC20", `{"chain":"BSC"}`, 422, "", `asset USDT: network ERC20: there is no chain "BSC"`, false},
	{"PATCH", "/v1/assets/USDT/networks/ERC20", `{"confirmations_for_trading":0}`, 422, "networks", "A network names a chain only of a crypto asset, one that exists, each chain once, with at least one confirmation for trading, and the chains of an asset are all sandboxes or none is.", true},
	{"PATCH", "/v1/assets/USDT/networks/ERC20", `{"deposit_percent":"101"}`, 422, "networks", "The parts of a fee are zero or positive, with at most as many decimals as the asset; the percentage is at most 100, the least percentage fee at most the greatest.", true},
	{"PATCH", "/v1/assets/USDT/networks/ERC20", `{"hour_cap":"-1"}`, 422, "networks", "The parts of a fee are zero or positive, with at most as many decimals as the asset; the percentage is at most 100, the least percentage fee at most the greatest.", true},
	{"PATCH", "/v1/accounts/alice", `{"tier":10}`, 422, "tier", noTier, true},
	{"PUT", "/v1/tiers/1", `{"tier":2}`, 422, "tier", "the tier in the path is another one", false},
	{"PUT", "/v1/tiers/1", `{"day":"-1"}`, 422, "tier", noTier, true},
	{"PUT", "/v1/tiers/1", `{"month":"0.000000001"}`, 422, "tier", noTier, true},
	{"PUT", "/v1/tiers/1", `{"day":"2","month":"1"}`, 422, "tier", noTier, true},
	{"POST", "/v1/accounts/alice/credit", `{"asset":"USDT","amount":"1","initial":"50","margin_call":"70","liquidation":"85"}`, 422, "account", "The account has no credit line.", true},
	{"POST", "/v1/accounts/carl/credit", `{"asset":"USDT","amount":"1","initial":"50","margin_call":"70","liquidation":"85"}`, 409, "", "This action is unauthorized. The account is blocked.", true},
	{"POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"0","initial":"50","margin_call":"70","liquidation":"85"}`, 422, "amount", "The amount must be at least 0.000000000000000001.", true},
	{"POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"1","initial":"0","margin_call":"70","liquidation":"85"}`, 422, "initial", noPercents, true},
	{"POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"1","initial":"50","margin_call":"49","liquidation":"85"}`, 422, "initial", noPercents, true},
	{"POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"1","initial":"50","margin_call":"70","liquidation":"100.01"}`, 422, "initial", noPercents, true},
	{"POST", "/v1/accounts/erin/credit", `{"asset":"USDT","amount":"1"}`, 422, "initial", noPercents, true},
	{"PUT", "/v1/verdicts/0xbad", `{}`, 422, "risk", `a risk is low, medium or high, not ""`, false},
	{"PUT", "/v1/verdicts/0xbad", `{"risk":"fail"}`, 422, "risk", `a risk is low, medium or high, not "fail"`, false},
	{"PUT", "/v1/verdicts/0xbad", `{"address":"0xgood","risk":"low"}`, 422, "address", "the address in the path is another one", false},
	{"PUT", "/v1/verdicts/0xbad", `{"fails":true,"risk":"high"}`, 422, "address", noVerdict, true},
	{"PUT", "/v1/verdicts/0xbad", `{"fails":true,"description":"no answer"}`, 422, "address", noVerdict, true},
	{"PUT", "/v1/verdicts/0xbad", `{"risk":"high","description":"` + strings.Repeat("x", 501) + `"}`, 422, "address", noVerdict, true},
	{"PUT", "/v1/verdicts/" + strings.Repeat("x", 129), `{"risk":"high"}`, 422, "address", noVerdict, true},
	{"DELETE", "/v1/verdicts/" + strings.Repeat("x", 129), "", 422, "address", noVerdict, true},
	{"POST", "/v1/accounts", `{}`, 422, "name", noName, true},
	{"POST", "/v1/accounts", `{"name":"` + strings.Repeat("x", 65) + `"}`, 422, "name", noName, true},
	{"POST", "/v1/accounts", `{"name":"bob"}`, 409, "name", "The name is taken.", true},
	{"PATCH", "/v1/accounts/alice", `{"name":"bob"}`, 409, "name", "The name is taken.", true},
	{"PATCH", "/v1/accounts/alice", `{"name":""}`, 422, "name", noName, true},
	{"POST", "/v1/accounts", `{"name":"carol","region":"mars"}`, 422, "", `account carol: a region is global or eu, not "mars"`, false},
	{"POST", "/v1/accounts", `{"name":"carol","region":""}`, 422, "", `account carol: a region is global or eu, not ""`, false},
	{"PATCH", "/v1/accounts/alice", `{"region":"EU"}`, 422, "", `account alice: a region is global or eu, not "EU"`, false},
	{"PATCH", "/v1/accounts/alice", `{"maker_fee":"50"}`, 422, "fee", lowFees, true},
	{"PATCH", "/v1/accounts/alice", `{"taker_fee":"-0.1"}`, 422, "fee", lowFees, true},
	{"PUT", "/v1/accounts/alice/fees/BTC_USDT", `{"maker":"-50"}`, 422, "fee", lowFees, true},
	{"PUT", "/v1/accounts/alice/fees/BTC_USDT", `{"taker":"0.00000000000000001"}`, 422, "fee", lowFees, true},
	{"POST", "/v1/accounts/alice/keys", `{"key":"bob-key"}`, 409, "key", `there is a key "bob-key" already`, false},
	{"POST", "/v1/accounts/alice/keys", `{"key":"alice-key"}`, 409, "key", `there is a key "alice-key" already`, false},
	{"POST", "/v1/accounts/alice/keys", `{"urls":["/api/v4/order/newest"]}`, 422, "urls", noURL(`/api/v4/order/newest`), false},
	{"POST", "/v1/accounts/alice/keys", `{"urls":["/api/v4/public/ping"]}`, 422, "urls", noURL(`/api/v4/public/ping`), false},
	{"POST", "/v1/accounts/alice/keys", `{"urls":[""]}`, 422, "urls", noURL(``), false},
	{"POST", "/v1/accounts/alice/keys", `{"urls":["wallet","leaving"]}`, 422, "urls", noURL(`leaving`), false},
	{"POST", "/v1/accounts/alice/keys", `{"addresses":["10.0.0.0/8"]}`, 422, "addresses", `"10.0.0.0/8" is not an IP address`, false},
	{"POST", "/v1/accounts/alice/keys", `{"addresses":["localhost"]}`, 422, "addresses", `"localhost" is not an IP address`, false},
	{"PATCH", "/v1/keys/alice-key", `{"addresses":["::1",""]}`, 422, "addresses", `"" is not an IP address`, false},
	{"PATCH", "/v1/keys/alice-key", `{"urls":["*","/x"]}`, 422, "urls", noURL(`/x`), false},
	{"PATCH", "/v1/keys/alice-key", `{"key":"another"}`, 422, "key", "the key itself cannot be changed; make another one", false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"-1"}`, 422, "amount", "The amount must be at least 0.000000000000000001.", true},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC"}`, 422, "amount", "The amount must be at least 0.000000000000000001.", true},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"100000000000000000000"}`, 422, "amount", "The amount is more than the exchange can hold.", true},
	{"POST", "/v1/accounts/alice/confirmations", `{"asset":"BTC","amount":"1"}`, 422, "amount", "Only 0 waits for confirmation.", true},
	{"POST", "/v1/accounts/alice/confirmations", `{"asset":"BTC","amount":"1","held":true}`, 422, "held", "only deposits of customers can be held", false},
	{"POST", "/v1/accounts/alice/withdrawals", `{"asset":"BTC","amount":"1","held":true}`, 422, "held", "only deposits of customers can be held", false},
	{"POST", "/v1/accounts/alice/confirmations", `{"asset":"BTC","amount":"1","wallet":"main"}`, 422, "wallet", "only deposits of customers choose a wallet; this is about the main one", false},
	{"POST", "/v1/accounts/alice/withdrawals", `{"asset":"BTC","amount":"1","wallet":"trade"}`, 422, "wallet", "only deposits of customers choose a wallet; this is about the main one", false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1","wallet":"earn"}`, 422, "wallet", `a deposit goes to the wallet main or trade, not to "earn"`, false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"0.0000001","wallet":"trade"}`, 422, "amount", "The amount may not have more decimals than 6.", false},
	{"POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"-1","wallet":"trade"}`, 422, "amount", "The amount must be at least 0.000000000000000001.", true},
	{"POST", "/v1/accounts/carl/deposits", `{"asset":"BTC","amount":"1","wallet":"trade"}`, 409, "", "This action is unauthorized. The account is blocked.", false},
	{"POST", "/v1/funds/fees/deposits", `{"asset":"BTC","amount":"1"}`, 404, "", `there is no fund "fees"`, false},
	{"POST", "/v1/funds/insurance/deposits", `{"asset":"btc","amount":"1"}`, 422, "asset", `there is no asset "btc"`, false},
	{"POST", "/v1/funds/insurance/deposits", `{"asset":"BTC","amount":"-1"}`, 422, "amount", "the amount is not below zero: what is taken out is a withdrawal", false},
	{"POST", "/v1/funds/lending/withdrawals", `{"asset":"BTC","amount":"-1"}`, 422, "amount", "the amount is not below zero: what is taken out is a withdrawal", false},
	{"POST", "/v1/funds/lending/withdrawals", `{"asset":"BTC","amount":"1"}`, 422, "amount", "You don't have such amount for transfer (available 0)", true},
	{"POST", "/v1/funds/insurance/deposits", `{"asset":"BTC","amount":"1","held":true}`, 422, "held", "only deposits of customers can be held", false},
	{"GET", "/v1/accounts/insurance/margin", "", 404, "", `there is no account "insurance"`, false},
	{"DELETE", "/v1/accounts/nobody/positions/1", "", 404, "", `there is no account "nobody"`, false},
	{"DELETE", "/v1/accounts/alice/positions/0", "", 404, "", `there is no position "0"`, false},
	{"DELETE", "/v1/accounts/alice/positions/first", "", 404, "", `there is no position "first"`, false},
	{"POST", "/v1/accounts/alice/withdrawals", `{"asset":"BTC","amount":"6.1"}`, 422, "amount", "Not enough money, balance = 6", true},
	{"POST", "/v1/accounts/alice/withdrawals", `{"asset":"USDT","amount":"0.0000001"}`, 422, "amount", "The amount may not have more decimals than 6.", true},
	{"POST", "/v1/accounts/carl/withdrawals", `{"asset":"BTC","amount":"1"}`, 409, "", "This action is unauthorized. The account is blocked.", true},
	{"PUT", "/v1/assets/eth", `{"class":"crypto"}`, 422, "ticker", "A ticker is 1 to 20 capital letters, digits and underscores.", true},
	{"PUT", "/v1/assets/ETH", `{"class":"gold"}`, 422, "", `asset ETH: a class is crypto, fiat or payment method, not "gold"`, false},
	{"PUT", "/v1/assets/ETH", `{}`, 422, "", `asset ETH: a class is crypto, fiat or payment method, not ""`, false},
	{"PUT", "/v1/assets/ETH", `{"ticker":"BTC","class":"crypto","scale":18}`, 422, "ticker", "the ticker in the path is another one", false},
	{"PATCH", "/v1/assets/BTC", `{"ticker":"XBT"}`, 422, "ticker", "the ticker in the path is another one", false},
	{"PATCH", "/v1/assets/BTC", `{"scale":17}`, 422, "name", "Class, scale, assets, type, stockPrec and moneyPrec cannot change once something is listed.", true},
	{"PATCH", "/v1/assets/BTC", `{"precision":19}`, 422, "scale", "Scale is at most 18 and precision at most the scale.", true},
	{"PATCH", "/v1/assets/BTC", `{"min_deposit":"-1"}`, 422, "limits", limits, true},
	{"PATCH", "/v1/assets/BTC", `{"min_deposit":"2","max_deposit":"1"}`, 422, "limits", limits, true},
	{"PATCH", "/v1/assets/BTC", `{"networks":[{"name":"A"},{"name":"A"}]}`, 422, "networks", "Networks have different names, at most one default, and are tradable no later than confirmed.", true},
	{"PUT", "/v1/markets/BTC_ETH", `{}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/BTCUSDT", `{}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/USDT_BTC", `{"name":"BTC_USDT"}`, 422, "name", "the name in the path is another one", false},
	{"PATCH", "/v1/markets/BTC_USDT", `{"name":"USDT_BTC"}`, 422, "name", "the name in the path is another one", false},
	{"PUT", "/v1/markets/USDT_BTC", `{"type":"swap"}`, 422, "", `market USDT_BTC: a type is spot, futures or tradfiFutures, not "swap"`, false},
	{"PUT", "/v1/markets/USDT_BTC", `{"type":"tradfiFutures"}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/BTC_PERP", `{"type":"tradfiFutures"}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/USDT_BTC", `{"type":"futures"}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/USDT_PERP", `{"type":"futures"}`, 422, "base", "Base and quote must be two listed assets.", true},
	{"PUT", "/v1/markets/BTC_PERP", `{"type":"futures","max_leverage":15}`, 422, "margin", margin, true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"max_leverage":20}`, 422, "margin", spotMargin, true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"funding_minutes":5}`, 422, "margin", spotMargin, true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"max_leverage":"10"}`, 400, "", broken + `"max_leverage" should be a whole number within bounds, not string`, false},
	{"PATCH", "/v1/accounts/alice", `{"max_leverage":4}`, 422, "leverage", "Leverage should be 1, 2, 3, 5, 10, 20, 50 or 100, and at most 100.", true},
	{"PUT", "/v1/markets/BTC_USDT/index", `{"price":"1","source":1}`, 422, "source", "Sources of an index are 0 to 8, and only 0 where the asset is neither collateral nor under a future.", true},
	{"PUT", "/v1/markets/BTC_USDT/index", `{"price":"1","source":256}`, 400, "", broken + `"source" should be a whole number within bounds, not number 256`, false},
	{"DELETE", "/v1/markets/BTC_USDT/index?source=9", "", 400, "source", `source is a whole number from 0 to 8, not "9"`, false},
	{"GET", "/v1/assets/GOLD/index", "", 404, "", `there is no asset "GOLD"`, false},
	{"GET", "/v1/collateral/GOLD", "", 404, "", `there is no asset "GOLD"`, false},
	{"PATCH", "/v1/collateral/GOLD", `{}`, 404, "", `there is no asset "GOLD"`, false},
	{"PATCH", "/v1/collateral/BTC", `{"asset":"USDT"}`, 422, "asset", "the asset in the path is another one", false},
	{"PATCH", "/v1/collateral/BTC", `{"index_max_age":3601}`, 422, "", "collateral BTC: index_max_age is 1 to 3600 seconds, not 3601", false},
	{"PATCH", "/v1/collateral/BTC", `{"weight":"1.1"}`, 422, "collateral", "A weight is from 0 to 1 with at most 4 decimals, an hourly rate from 0 to less than 1, caps are not negative, and an index lasts 1 to 3600 seconds.", true},
	{"PATCH", "/v1/collateral/BTC", `{"weight":0.5}`, 400, "", broken + `"weight" should be a number in quotes, such as "0.1", not number`, false},
	{"PATCH", "/v1/pool", `{"asset":"GOLD"}`, 422, "", `pool: there is no asset "GOLD"`, false},
	{"PATCH", "/v1/pool", `{"chain":"GOLD"}`, 422, "", `pool: there is no chain "GOLD"`, false},
	{"PATCH", "/v1/pool", `{"unit":33}`, 422, "pool", schema.Refuse(schema.PoolInvalid).Text(), true},
	{"PATCH", "/v1/pool", `{"unit":300}`, 400, "", broken + `"unit" should be a whole number within bounds, not number 300`, false},
	{"PUT", "/v1/pool/rate", `{"rate":"1"}`, 422, "", schema.Refuse(schema.PoolOff).Text(), true},
	{"PUT", "/v1/pool/accounts/nobody/bar", "", 404, "", `there is no mining account "nobody"`, false},
	{"DELETE", "/v1/pool/accounts/nobody/bar", "", 404, "", `there is no mining account "nobody"`, false},
	{"PATCH", "/v1/conversion", `{"hubs":["BTC","GOLD"]}`, 422, "", `conversion: there is no asset "GOLD" for a hub`, false},
	{"PATCH", "/v1/conversion", `{"hubs":["BTC","BTC"]}`, 422, "conversion", "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals.", true},
	{"PATCH", "/v1/conversion", `{"spread":"1"}`, 422, "conversion", "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals.", true},
	{"PATCH", "/v1/conversion", `{"spread":"0.0000001"}`, 422, "conversion", "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals.", true},
	{"PATCH", "/v1/conversion", `{"loss_most":"0"}`, 422, "conversion", "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals.", true},
	{"PATCH", "/v1/conversion", `{"spread":0.1}`, 400, "", broken + `"spread" should be a number in quotes, such as "0.1", not number`, false},
	{"PATCH", "/v1/conversion", `{"on":"yes"}`, 400, "", broken + `"on" should be true or false, not string`, false},
	{"POST", "/v1/funds/convert/withdrawals", `{"asset":"BTC","amount":"1"}`, 422, "amount", "You don't have such amount for transfer (available 0)", true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"regions":["eu","moon"]}`, 422, "", `market BTC_USDT: a region is global or eu, not "moon"`, false},
	{"PATCH", "/v1/markets/BTC_USDT", `{"money_prec":3}`, 422, "name", "Class, scale, assets, type, stockPrec and moneyPrec cannot change once something is listed.", true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"stock_prec":19}`, 422, "stock_prec", "The ledger keeps too few decimals for stockPrec + moneyPrec or feePrec.", true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"tick_size":"0.001"}`, 422, "tick_size", "Tick and step are empty or multiples of the smallest price and amount.", true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"min_total":"-1"}`, 422, "limits", limits, true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"taker_fee":"-0.1"}`, 422, "fee", lowFees, true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"taker_band":"100"}`, 422, "taker_band", "The taker band is a percent from 0 to less than 100.", true},
	{"PATCH", "/v1/markets/BTC_USDT", `{"opens_at":9223372036854775807}`, 422, "", "market BTC_USDT: opens_at is a moment in Unix seconds before the year 10000, or 0, not 9223372036854775807", false},
	{"PATCH", "/v1/markets/BTC_USDT", `{"opens_at":-1}`, 422, "", "market BTC_USDT: opens_at is a moment in Unix seconds before the year 10000, or 0, not -1", false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{}`, 422, "from", twoEnds, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1800000001,"to":1800000000}`, 422, "from", twoEnds, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1800000000,"to":1800000000}`, 422, "from", twoEnds, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":-5,"to":1800000000}`, 422, "from", twoEnds, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":0,"to":1800000000}`, 422, "from", twoEnds, false},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1700000000,"to":1800000000}`, 422, "from", pastDue, true},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1700000000,"to":1700000001}`, 422, "from", pastDue, true},
	{"PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":253402300799,"to":9223372036854775807}`, 422, "from", pastDue, true},
	{"PUT", "/v1/markets/BTC_USDT/delisting", `{}`, 422, "at", "a delisting needs 'at', in Unix seconds", false},
	{"PUT", "/v1/markets/BTC_USDT/delisting", `{"at":-1}`, 422, "at", "a delisting needs 'at', in Unix seconds", false},
	{"PUT", "/v1/markets/BTC_USDT/delisting", `{"at":1}`, 422, "at", pastDue, true},
	{"PUT", "/v1/markets/BTC_USDT/delisting", `{"at":1789999999}`, 422, "at", pastDue, true},
	{"PUT", "/v1/markets/BTC_USDT/index", `{}`, 422, "price", noPrice, false},
	{"PUT", "/v1/markets/BTC_USDT/index", `{"price":"0"}`, 422, "price", noPrice, false},
	{"PUT", "/v1/markets/BTC_USDT/index", `{"price":"-1"}`, 422, "price", noPrice, false},

	// What is no page.
	{"GET", "/v1/accounts?limit=0", "", 400, "limit", `limit is a whole number from 1 to 1000, not "0"`, false},
	{"GET", "/v1/accounts?limit=1001", "", 400, "limit", `limit is a whole number from 1 to 1000, not "1001"`, false},
	{"GET", "/v1/accounts?limit=ten", "", 400, "limit", `limit is a whole number from 1 to 1000, not "ten"`, false},
	{"GET", "/v1/accounts?offset=-1", "", 400, "offset", `offset is a whole number from 0 to 1073741824, not "-1"`, false},
	{"GET", "/v1/credits?limit=0", "", 400, "limit", `limit is a whole number from 1 to 1000, not "0"`, false},
	{"POST", "/v1/proposals/1/approve", "{}", 404, "", `there is no proposal "1"`, false},
	{"POST", "/v1/proposals/first/cancel", "{}", 404, "", `there is no proposal "first"`, false},
	{"GET", "/v1/vasps?limit=0", "", 400, "limit", `limit is a whole number from 1 to 1000, not "0"`, false},
	{"PUT", "/v1/vasps/acme", `{}`, 422, "name", "VASP acme: it has no name", false},
	{"PUT", "/v1/vasps/acme", `{"id":"other","name":"Acme"}`, 422, "id", "the id in the path is another one", false},
	{"PUT", "/v1/vasps/acme", `{"vasp":"acme","name":"Acme"}`, 400, "", broken + `unknown field "vasp"`, false},
	{"PUT", "/v1/vasps/acme", `{"name":"` + strings.Repeat("x", 201) + `"}`, 422, "vasp", noVASP, true},
	{"PUT", "/v1/vasps/" + strings.Repeat("x", 101), `{"name":"Acme"}`, 422, "vasp", noVASP, true},
	{"DELETE", "/v1/vasps/" + strings.Repeat("x", 101), "", 422, "vasp", noVASP, true},
	{"GET", "/v1/deposits/1/travel", "", 404, "", `nothing was said about the people behind deposit "1"`, false},
	{"GET", "/v1/deposits/x/travel", "", 404, "", `nothing was said about the people behind deposit "x"`, false},
	{"GET", "/v1/withdrawals/1/travel", "", 404, "", `nothing was said about the people behind withdrawal "1"`, false},
	{"GET", "/v1/withdrawals/18446744073709551616/travel", "", 404, "", `nothing was said about the people behind withdrawal "18446744073709551616"`, false},
	{"GET", "/v1/verdicts?offset=-1", "", 400, "offset", `offset is a whole number from 0 to 1073741824, not "-1"`, false},
	{"GET", "/v1/audit?limit=1.5", "", 400, "limit", `limit is a whole number from 1 to 1000, not "1.5"`, false},
	{"GET", "/v1/audit?from=-1", "", 400, "from", `from is a whole number from 0 to 1099511627776, not "-1"`, false},
	{"GET", "/v1/audit?to=tomorrow", "", 400, "to", `to is a whole number from 0 to 1099511627776, not "tomorrow"`, false},
	{"GET", "/v1/audit?to=99999999999999999999", "", 400, "to", `to is a whole number from 0 to 1099511627776, not "99999999999999999999"`, false},
}

func TestMistakesAreNamedAndChangeNothing(t *testing.T) {
	s := found(t)
	// Blocked by the core's own means, so that there is somebody whom it refuses.
	s.submit(&schema.SetAccount{Account: schema.Account{Name: "carl", Region: schema.Global, Blocked: true}})
	s.trust()
	for _, c := range mistakes {
		if strings.Contains(c.message, "there are alice, bob") {
			c.message = strings.NewReplacer("bob,", "bob, carl,", "custody,", "custody, erin,").Replace(c.message)
		}
		before := s.mark()
		r := s.ask(c.method, c.path, c.body).is(c.status)
		want := map[string]string{"message": c.message}
		if c.field != "" {
			want["field"] = c.field
		}
		r.has(text(want))
		after := s.mark()
		if after.hash != before.hash {
			t.Errorf("%s changed something", r.what)
		}
		if asked := after.batch != before.batch; asked != c.asked {
			t.Errorf("%s: reached the log: %v, should be %v", r.what, asked, c.asked)
		}
	}
}

// A body beyond all bounds is not read, whatever is asked.
func TestHugeRequests(t *testing.T) {
	s := found(t)
	before := s.mark()
	huge := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, c := range [][2]string{{"POST", "/v1/accounts"}, {"PATCH", "/v1/accounts/alice"}, {"PATCH", "/v1/platform"}, {"DELETE", "/v1/keys/alice-key"}} {
		s.ask(c[0], c[1], huge).is(http.StatusRequestEntityTooLarge).has(`{"message":"the request is larger than 1048576 bytes"}`)
	}
	// Just within the bounds it is a name that is too long.
	s.ask("POST", "/v1/accounts", `{"name":"`+strings.Repeat("x", 1<<20-11)+`"}`).is(422).has(`"name"`, "field")
	if after := s.mark(); after.hash != before.hash || after.batch != before.batch+1 {
		t.Errorf("something changed: %v, %v", before, after)
	}
}

// Names that mean something in paths or in JSON are names like all others.
func TestOddNames(t *testing.T) {
	s := found(t)
	names := []string{
		"..", ".", "a/b", "//", "%2F", "%", "?x=1", "#", "a b", " ", "+", "ünïcödé", "名前", "🙂", "\"quoted\"", "\\", "<b>&amp;",
		"keys", "alice/keys", "fees", "{account}", strings.Repeat("é", 32), ";", "a;b", ":", "..%2f..", "null", "*",
	}
	for i, name := range names {
		body := text(map[string]any{"name": name})
		s.must("POST", "/v1/accounts", body).has(text(name), "name")
		at := "/v1/accounts/" + strings.ReplaceAll(url.PathEscape(name), ".", "%2E")
		s.must("GET", at, "").has(text(name), "name").has(fmt.Sprint(103+i), "id")
		s.must("POST", at+"/deposits", `{"asset":"BTC","amount":"1"}`).has(`"1"`, 0, "available")
		s.must("PATCH", at, `{"retail":true}`).has("true", "retail").has(text(name), "name")
		s.must("POST", at+"/keys", `{}`).has(text(name), "account")
		s.must("PUT", at+"/fees/BTC_USDT", `{"maker":"0"}`)
		s.must("GET", at+"/fees", "").has(`"0"`, 0, "maker")
		if r := s.ask("GET", at+"/statement", ""); r.status != 200 || strings.Count(r.body, "\n") != 1 {
			t.Errorf("the statement of %q: %d %s", name, r.status, r.body)
		}
		if a := s.account(name); a.ID != schema.AccountID(103+i) || !a.Retail {
			t.Errorf("%q is %+v", name, a)
		}
	}
	s.must("GET", "/v1/accounts?limit=1000", "").has(text(names[len(names)-1]), len(names)+1, "name")
	var listed []struct {
		Command struct {
			Set struct {
				Account struct{ Name string }
			} `json:"set_account"`
		}
	}
	if err := json.Unmarshal([]byte(s.must("GET", "/v1/audit?limit=1000&operator=operator", "").body), &listed); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, act := range listed {
		seen[act.Command.Set.Account.Name] = true
	}
	for _, name := range names {
		if !seen[name] {
			t.Errorf("the audit does not know %q", name)
		}
	}
}

// Keys may be called anything too.
func TestOddKeys(t *testing.T) {
	s := found(t)
	for _, key := range []string{"..", "a/b", "%41", "a b", "ключ"} {
		at := "/v1/keys/" + strings.ReplaceAll(url.PathEscape(key), ".", "%2E")
		s.must("POST", "/v1/accounts/alice/keys", text(map[string]any{"key": key, "secret": "x"}))
		s.must("PATCH", at, `{"enabled":false}`).has(text(key), "key").has("false", "enabled")
		s.must("DELETE", at, "").has(text(key), "deleted")
		if s.key(key) != nil {
			t.Errorf("%q is still there", key)
		}
	}
}

// Times beyond all calendars are the last that there is, and can be written.
func TestTheEndOfTime(t *testing.T) {
	s := found(t)
	s.must("PUT", "/v1/markets/BTC_USDT/delisting", `{"at":9223372036854775807}`).has(`"9999-12-31T23:59:59Z"`, "delists_at")
	s.must("PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1800000000,"to":9223372036854775807}`).has(`"9999-12-31T23:59:59Z"`, "maintenance_to")
	s.must("PATCH", "/v1/markets/BTC_USDT", `{"opens_at":253402300799}`).has("253402300799", "opens_at")
	s.must("GET", "/v1/markets", "").has(`"9999-12-31T23:59:59Z"`, 0, "delists_at")
	s.must("GET", "/v1/audit?to=1099511627776", "").has(`"operator"`, 0, "operator")
}

func TestPagesOfAccounts(t *testing.T) {
	s := found(t)
	for i := range 5 {
		s.must("POST", "/v1/accounts", fmt.Sprintf(`{"name":"n%d"}`, i))
	}
	for query, want := range map[string]string{
		"": "alice bob n0 n1 n2 n3 n4", "?limit=2": "alice bob", "?limit=3&offset=2": "n0 n1 n2", "?offset=6": "n4", "?offset=7": "", "?offset=1073741824": "",
	} {
		if got := s.must("GET", "/v1/accounts"+query, "").every("name"); got != want {
			t.Errorf("%s: %s instead of %s", query, got, want)
		}
	}
}
