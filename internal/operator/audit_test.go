package operator_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/operator"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// trial is an act of the session whose audit is looked at: what is asked, how it ends, and what
// the audit must record it.
type trial struct {
	act        string // the row of the table
	path, body string
	status     int
	refusal    string
	command    string
}

// trials has every changing act, done and refused by the core. OLD_USDT is delisted and OLD_PERP in maintenance.
var trials = []trial{
	{"POST /v1/accounts", "/v1/accounts", `{"name":"dora","retail":true}`, 200, "", `{"set_account":{"account":{"name":"dora","region":1,"retail":true}}}`},
	{"POST /v1/accounts", "/v1/accounts", `{"name":"dora"}`, 409, "The name is taken.", `{"set_account":{"account":{"name":"dora","region":1}}}`},
	{"PATCH /v1/accounts/{account}", "/v1/accounts/dora", `{"region":"eu","maker_fee":"0.05"}`, 200, "", `{"set_account":{"account":{"id":103,"name":"dora","region":2,"retail":true,"maker_fee":"0.05"},"keep_restriction":true,"keep_verified":true}}`},
	{"PATCH /v1/accounts/{account}", "/v1/accounts/dora", `{"name":"bob"}`, 409, "The name is taken.", `{"set_account":{"account":{"id":103,"name":"bob","region":2,"retail":true,"maker_fee":"0.05"},"keep_restriction":true,"keep_verified":true}}`},
	{"PATCH /v1/accounts/{account}", "/v1/accounts/dora", `{"tier":2,"verified":true,"restricted_until":"2026-09-21T14:13:21Z","new_addresses":true,"checker":true,"credit_line":true,"invoices":true,"approvals":true,"kyc_links":true}`, 200, "", `{"set_account":{"account":{"id":103,"name":"dora","region":2,"retail":true,"maker_fee":"0.05","tier":2,"verified":true,"restricted_until":1790000001000000,"new_addresses":true,"checker":true,"credit_line":true,"invoices":true,"approvals":true,"kyc_links":true}}}`},
	{"PATCH /v1/accounts/{account}", "/v1/accounts/dora", `{"restricted_until":null,"verified":false,"new_addresses":false,"checker":false,"invoices":false,"approvals":false,"kyc_links":false,"tier":10}`, 422, noTier, `{"set_account":{"account":{"id":103,"name":"dora","region":2,"retail":true,"maker_fee":"0.05","tier":10,"credit_line":true}}}`},
	{"POST /v1/accounts/{account}/invitations", "/v1/accounts/dora/invitations", `{"login":"hush-hush-login"}`, 200, "", `{"invite":{"account":103}}`},
	{"POST /v1/accounts/{account}/invitations", "/v1/accounts/bob/invitations", `{"login":"hush-hush-login"}`, 422, "Somebody else has this login.", `{"invite":{"account":102}}`},
	{"DELETE /v1/accounts/{account}/sessions", "/v1/accounts/dora/sessions", "", 200, "", `{"sign_out":{"account":103}}`},
	{"POST /v1/accounts/{account}/keys", "/v1/accounts/dora/keys", `{"key":"dora-key","secret":"hush-hush-dora","title":"t"}`, 200, "", `{"set_key":{"key":{"key":"dora-key","account":103,"title":"t","enabled":true,"urls":["*"]}}}`},
	{"POST /v1/accounts/{account}/keys", "/v1/accounts/dora/keys", `{"key":"` + long + `","secret":"hush-hush-long"}`, 422, "A key is 1 to 128 characters, belongs to one account and has a sealed secret.", `{"set_key":{"key":{"key":"` + long + `","account":103,"enabled":true,"urls":["*"]}}}`},
	{"PATCH /v1/keys/{key}", "/v1/keys/dora-key", `{"enabled":false,"addresses":["::1"]}`, 200, "", `{"set_key":{"key":{"key":"dora-key","account":103,"title":"t","urls":["*"],"addresses":["::1"],"id":3}}}`},
	{"DELETE /v1/keys/{key}", "/v1/keys/dora-key", "", 200, "", `{"delete_key":{"key":"dora-key"}}`},
	{"DELETE /v1/keys/{key}", "/v1/keys/dora-key", "", 404, "The key does not exist.", `{"delete_key":{"key":"dora-key"}}`},
	{"PUT /v1/accounts/{account}/fees/{market}", "/v1/accounts/dora/fees/BTC_USDT", `{"maker":"0.01"}`, 200, "", `{"set_fee":{"account":103,"market":1,"maker":"0.01"}}`},
	{"PUT /v1/accounts/{account}/fees/{market}", "/v1/accounts/dora/fees/BTC_USDT", `{"taker":"-0.01"}`, 422, "Fees are percents of less than 50 in either direction, with at most 16 decimals, and takers are not paid.", `{"set_fee":{"account":103,"market":1,"taker":"-0.01"}}`},
	{"DELETE /v1/accounts/{account}/fees/{market}", "/v1/accounts/dora/fees/BTC_USDT", "", 200, "", `{"set_fee":{"account":103,"market":1}}`},
	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/dora/deposits", `{"asset":"BTC","amount":"1.5","held":true}`, 200, "", `{"deposit":{"account":103,"asset":1,"amount":"1.5","held":true}}`},
	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/dora/deposits", `{"asset":"BTC","amount":"0"}`, 422, "The amount must be at least 0.000000000000000001.", `{"deposit":{"account":103,"asset":1}}`},
	{"POST /v1/accounts/{account}/confirmations", "/v1/accounts/dora/confirmations", `{"asset":"BTC","amount":"1"}`, 200, "", `{"confirm_deposit":{"account":103,"asset":1,"amount":"1"}}`},
	{"POST /v1/accounts/{account}/confirmations", "/v1/accounts/dora/confirmations", `{"asset":"BTC","amount":"0.6"}`, 422, "Only 0.5 waits for confirmation.", `{"confirm_deposit":{"account":103,"asset":1,"amount":"0.6"}}`},
	{"POST /v1/accounts/{account}/withdrawals", "/v1/accounts/dora/withdrawals", `{"asset":"BTC","amount":"0.25"}`, 200, "", `{"withdraw":{"account":103,"asset":1,"amount":"0.25"}}`},
	{"POST /v1/accounts/{account}/withdrawals", "/v1/accounts/dora/withdrawals", `{"asset":"BTC","amount":"0.8"}`, 422, "Part of this amount waits for network confirmation (free 0.75).", `{"withdraw":{"account":103,"asset":1,"amount":"0.8"}}`},
	{"PUT /v1/assets/{asset}", "/v1/assets/ETH", `{"name":"Ether","class":"crypto","scale":18}`, 200, "", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18}}}`},
	{"PUT /v1/assets/{asset}", "/v1/assets/FINE", `{"name":"Fine","class":"fiat","scale":19}`, 422, "Scale is at most 18 and precision at most the scale.", `{"set_asset":{"asset":{"ticker":"FINE","name":"Fine","class":2,"scale":19}}}`},
	{"PATCH /v1/assets/{asset}", "/v1/assets/ETH", `{"precision":8}`, 200, "", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8}}}`},
	{"PATCH /v1/assets/{asset}", "/v1/assets/ETH", `{"scale":17}`, 422, "Class, scale, assets, type, stockPrec and moneyPrec cannot change once something is listed.", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":17,"precision":8}}}`},
	{"PUT /v1/assets/{asset}/networks/{network}", "/v1/assets/ETH/networks/ERC20", `{"confirmations":32}`, 200, "", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8,"networks":[{"name":"ERC20","confirmations":32}]}}}`},
	{"PUT /v1/assets/{asset}/networks/{network}", "/v1/assets/ETH/networks/BASE", `{"min_deposit":"-1"}`, 422, "Limits are zero (none) or positive, the smallest no greater than the largest.", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8,"networks":[{"name":"ERC20","confirmations":32},{"name":"BASE","min_deposit":"-1"}]}}}`},
	{"PATCH /v1/assets/{asset}/networks/{network}", "/v1/assets/ETH/networks/ERC20", `{"default":true}`, 200, "", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8,"networks":[{"name":"ERC20","default":true,"confirmations":32}]}}}`},
	{"PATCH /v1/assets/{asset}/networks/{network}", "/v1/assets/ETH/networks/ERC20", `{"confirmations_for_trading":33}`, 422, "Networks have different names, at most one default, and are tradable no later than confirmed.", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8,"networks":[{"name":"ERC20","default":true,"confirmations":32,"confirmations_for_trading":33}]}}}`},
	{"DELETE /v1/assets/{asset}/networks/{network}", "/v1/assets/ETH/networks/ERC20", "", 200, "", `{"set_asset":{"asset":{"ticker":"ETH","name":"Ether","class":1,"scale":18,"precision":8}}}`},
	{"PUT /v1/markets/{market}", "/v1/markets/ETH_USDT", `{"stock_prec":2,"money_prec":2}`, 200, "", `{"set_market":{"market":{"name":"ETH_USDT","base":5,"quote":2,"type":1,"stock_prec":2,"money_prec":2}}}`},
	{"PUT /v1/markets/{market}", "/v1/markets/ETH_BTC", `{"maker_fee":"50"}`, 422, "Fees are percents of less than 50 in either direction, with at most 16 decimals, and takers are not paid.", `{"set_market":{"market":{"name":"ETH_BTC","base":5,"quote":1,"type":1,"maker_fee":"50"}}}`},
	{"PATCH /v1/markets/{market}", "/v1/markets/ETH_USDT", `{"taker_band":"5"}`, 200, "", `{"set_market":{"market":{"name":"ETH_USDT","base":5,"quote":2,"type":1,"stock_prec":2,"money_prec":2,"taker_band":"5"}}}`},
	{"PATCH /v1/markets/{market}", "/v1/markets/ETH_USDT", `{"taker_band":"100"}`, 422, "The taker band is a percent from 0 to less than 100.", `{"set_market":{"market":{"name":"ETH_USDT","base":5,"quote":2,"type":1,"stock_prec":2,"money_prec":2,"taker_band":"100"}}}`},
	{"PUT /v1/markets/{market}/maintenance", "/v1/markets/BTC_USDT/maintenance", `{"from":1800000000,"to":1800000001}`, 200, "", `{"plan_maintenance":{"market":1,"from":1800000000000000,"to":1800000001000000}}`},
	{"PUT /v1/markets/{market}/maintenance", "/v1/markets/BTC_USDT/maintenance", `{"from":1,"to":1800000001}`, 422, "The plan must end after it begins and not lie in the past.", `{"plan_maintenance":{"market":1,"from":1000000,"to":1800000001000000}}`},
	{"DELETE /v1/markets/{market}/maintenance", "/v1/markets/BTC_USDT/maintenance", "", 200, "", `{"plan_maintenance":{"market":1}}`},
	{"DELETE /v1/markets/{market}/maintenance", "/v1/markets/OLD_USDT/maintenance", "", 422, "The market was delisted.", `{"plan_maintenance":{"market":2}}`},
	{"PUT /v1/markets/{market}/delisting", "/v1/markets/BTC_USDT/delisting", `{"at":1800000000}`, 200, "", `{"plan_delisting":{"market":1,"at":1800000000000000}}`},
	{"PUT /v1/markets/{market}/delisting", "/v1/markets/BTC_USDT/delisting", `{"at":1700000000}`, 422, "The plan must end after it begins and not lie in the past.", `{"plan_delisting":{"market":1,"at":1700000000000000}}`},
	{"DELETE /v1/markets/{market}/delisting", "/v1/markets/BTC_USDT/delisting", "", 200, "", `{"plan_delisting":{"market":1}}`},
	{"DELETE /v1/markets/{market}/delisting", "/v1/markets/OLD_USDT/delisting", "", 422, "The market was delisted.", `{"plan_delisting":{"market":2}}`},
	{"PUT /v1/markets/{market}/index", "/v1/markets/BTC_USDT/index", `{"price":"65000.5"}`, 200, "", `{"set_index":{"market":1,"price":"65000.5"}}`},
	{"PATCH /v1/collateral/{asset}", "/v1/collateral/ETH", `{"weight":"0.5"}`, 200, "", `{"set_collateral":{"asset":5,"weight":"0.5","rate":"0.000024375","index_max_age_us":30000000}}`},
	{"PATCH /v1/collateral/{asset}", "/v1/collateral/ETH", `{"weight":"2"}`, 422, "A weight is from 0 to 1 with at most 4 decimals, an hourly rate from 0 to less than 1, caps are not negative, and an index lasts 1 to 3600 seconds.", `{"set_collateral":{"asset":5,"weight":"2","rate":"0.000024375","index_max_age_us":30000000}}`},
	{"PATCH /v1/conversion", "/v1/conversion", `{"on":true,"hubs":["USDT"]}`, 200, "", `{"set_conversion":{"on":true,"spread":"0.002","hubs":[2],"open_most":"100000","day_most":"1000000","loss_most":"10000"}}`},
	{"PATCH /v1/conversion", "/v1/conversion", `{"on":false,"spread":"2"}`, 422, "Conversions have a spread below 1 with at most 6 decimals, at most 4 hubs that are assets and differ, and bounds above zero with at most 8 decimals.", `{"set_conversion":{"spread":"2","hubs":[2],"open_most":"100000","day_most":"1000000","loss_most":"10000"}}`},
	{"PUT /v1/markets/{market}/index", "/v1/markets/ETH_USDT/index", `{"price":"1","source":9}`, 422, "Sources of an index are 0 to 8, and only 0 where the asset is neither collateral nor under a future.", `{"set_index":{"market":5,"price":"1","source":9}}`},
	{"PUT /v1/markets/{market}/index", "/v1/markets/OLD_USDT/index", `{"price":"1"}`, 422, "The market was delisted.", `{"set_index":{"market":2,"price":"1"}}`},
	{"DELETE /v1/markets/{market}/index", "/v1/markets/BTC_USDT/index", "", 200, "", `{"set_index":{"market":1}}`},
	{"DELETE /v1/markets/{market}/index", "/v1/markets/OLD_USDT/index", "", 422, "The market was delisted.", `{"set_index":{"market":2}}`},
	{"DELETE /v1/accounts/{account}/positions/{position}", "/v1/accounts/alice/positions/1", "", 200, "", `{"close_position":{"account":101,"market":3,"position":1,"forced":true}}`},
	{"DELETE /v1/accounts/{account}/positions/{position}", "/v1/accounts/alice/positions/3", "", 422, "Trading in the market is not allowed.", `{"close_position":{"account":101,"market":4,"position":3,"forced":true}}`},
	{"POST /v1/funds/{fund}/deposits", "/v1/funds/insurance/deposits", `{"asset":"USDT","amount":"12.5"}`, 200, "", `{"fund_system":{"account":3,"asset":2,"amount":"12.5"}}`},
	{"POST /v1/funds/{fund}/deposits", "/v1/funds/lending/deposits", `{"asset":"BTC","amount":"0"}`, 422, "The amount must be at least 0.000000000000000001.", `{"fund_system":{"account":5,"asset":1}}`},
	{"POST /v1/funds/{fund}/withdrawals", "/v1/funds/insurance/withdrawals", `{"asset":"USDT","amount":"2.5"}`, 200, "", `{"fund_system":{"account":3,"asset":2,"amount":"-2.5"}}`},
	{"POST /v1/funds/{fund}/withdrawals", "/v1/funds/insurance/withdrawals", `{"asset":"USDT","amount":"10.1"}`, 422, "You don't have such amount for transfer (available 10)", `{"fund_system":{"account":3,"asset":2,"amount":"-10.1"}}`},
	{"PUT /v1/chains/{chain}", "/v1/chains/XRP", `{"family":"xrp","net":"testnet"}`, 200, "", `{"set_chain":{"chain":{"name":"XRP","driver":1,"family":4,"net":2}}}`},
	{"PUT /v1/chains/{chain}", "/v1/chains/xrp", `{"family":"xrp","net":"testnet"}`, 422, noChain, `{"set_chain":{"chain":{"name":"xrp","driver":1,"family":4,"net":2}}}`},
	{"PATCH /v1/chains/{chain}", "/v1/chains/XRP", `{"interval":"5"}`, 200, "", `{"set_chain":{"chain":{"name":"XRP","driver":1,"family":4,"net":2,"interval":5000000}}}`},
	{"PATCH /v1/chains/{chain}", "/v1/chains/XRP", `{"stuck":true}`, 200, "", `{"set_chain":{"chain":{"name":"XRP","driver":1,"family":4,"net":2,"interval":5000000,"stuck":true}}}`},
	{"PATCH /v1/chains/{chain}", "/v1/chains/XRP", `{"stuck":false}`, 200, "", `{"set_chain":{"chain":{"name":"XRP","driver":1,"family":4,"net":2,"interval":5000000}}}`},
	{"PATCH /v1/chains/{chain}", "/v1/chains/XRP", `{"interval":"0.01"}`, 422, noChain, `{"set_chain":{"chain":{"name":"XRP","driver":1,"family":4,"net":2,"interval":10000}}}`},
	{"POST /v1/chains/{chain}/payments", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"4","address":"` + ethereum(1) + `"}`, 200, "", `{"pay_sandbox":{"chain":1,"receipt":{"asset":2,"amount":"4","index":1,"text":"` + ethereum(1) + `"}}}`},
	{"POST /v1/chains/{chain}/payments", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"100000000000000000000","account":"bob"}`, 422, noBlock, `{"pay_sandbox":{"chain":1,"receipt":{"asset":2,"amount":"100000000000000000000","index":1,"text":"` + ethereum(1) + `"}}}`},
	{"POST /v1/accounts/{account}/faucet", "/v1/accounts/bob/faucet", `{"asset":"USDT","amount":"5"}`, 200, "", `{"pay_sandbox":{"chain":1,"receipt":{"asset":2,"amount":"5","index":1,"text":"` + ethereum(1) + `"}}}`},
	{"POST /v1/accounts/{account}/faucet", "/v1/accounts/bob/faucet", `{"asset":"USDT","amount":"100000000000000000000"}`, 422, noBlock, `{"pay_sandbox":{"chain":1,"receipt":{"asset":2,"amount":"100000000000000000000","index":1,"text":"` + ethereum(1) + `"}}}`},
	{"POST /v1/chains/{chain}/blocks", "/v1/chains/ETH/blocks", `{}`, 200, "", `{"mine_sandbox":{"chain":1,"blocks":1}}`},
	{"POST /v1/chains/{chain}/blocks", "/v1/chains/ETH/blocks", `{"blocks":101}`, 422, "At most 100 blocks can be asked for.", `{"mine_sandbox":{"chain":1,"blocks":101}}`},
	{"POST /v1/deposits/{deposit}/decision", "/v1/deposits/4/decision", `{"decision":"freeze"}`, 200, "", `{"decide_deposit":{"deposit":4,"decision":3}}`},
	{"POST /v1/deposits/{deposit}/decision", "/v1/deposits/4/decision", `{"decision":"credit","account":"alice"}`, 422, "A deposit that is nobody's is given to an account; others have theirs.", `{"decide_deposit":{"deposit":4,"decision":1,"account":101}}`},
	{"POST /v1/chains/{chain}/reorganisations", "/v1/chains/ETH/reorganisations", `{"depth":1,"drop":"x","drop_all":true}`, 200, "", `{"reorg_sandbox":{"chain":1,"depth":1,"drop":"x","drop_all":true}}`},
	{"POST /v1/chains/{chain}/reorganisations", "/v1/chains/ETH/reorganisations", `{}`, 422, "At most 49 blocks can be replaced.", `{"reorg_sandbox":{"chain":1}}`},
	{"POST /v1/withdrawals/{withdrawal}/decision", "/v1/withdrawals/2/decision", `{"decision":"approve"}`, 200, "", `{"decide_withdrawal":{"withdrawal":2,"decision":1}}`},
	{"POST /v1/withdrawals/{withdrawal}/decision", "/v1/withdrawals/3/decision", `{"decision":"release"}`, 422, notNow, `{"decide_withdrawal":{"withdrawal":3,"decision":4}}`},
	{"POST /v1/accounts/{account}/forgiveness", "/v1/accounts/bob/forgiveness", `{"asset":"USDT","amount":"400"}`, 200, "", `{"forgive_owed":{"account":102,"asset":2,"amount":"400"}}`},
	{"POST /v1/accounts/{account}/forgiveness", "/v1/accounts/bob/forgiveness", `{"asset":"USDT","amount":"601"}`, 422, "The account owes 600.", `{"forgive_owed":{"account":102,"asset":2,"amount":"601"}}`},
	{"PATCH /v1/platform", "/v1/platform", `{"step_rule":false}`, 200, "", `{"set_feature":{"feature":1}}`},
	{"PUT /v1/tiers/{tier}", "/v1/tiers/2", `{"day":"1000","month":"20000.5"}`, 200, "", `{"set_tier":{"tier":{"number":2,"day":"1000","month":"20000.5"}}}`},
	{"PUT /v1/tiers/{tier}", "/v1/tiers/2", `{"day":"5","month":"4"}`, 422, noTier, `{"set_tier":{"tier":{"number":2,"day":"5","month":"4"}}}`},
	{"POST /v1/accounts/{account}/credit", "/v1/accounts/dora/credit", `{"asset":"USDT","amount":"500","initial":"50","margin_call":"70","liquidation":"85"}`, 200, "", `{"open_credit":{"account":103,"asset":2,"amount":"500","initial":"50","margin_call":"70","liquidation":"85"}}`},
	{"POST /v1/accounts/{account}/credit", "/v1/accounts/dora/credit", `{"asset":"USDT","amount":"1","initial":"50","margin_call":"70","liquidation":"85"}`, 422, "The account has a credit: it must be repaid before the next.", `{"open_credit":{"account":103,"asset":2,"amount":"1","initial":"50","margin_call":"70","liquidation":"85"}}`},
	{"POST /v1/accounts/{account}/credit/charges", "/v1/accounts/dora/credit/charges", `{"amount":"2.5"}`, 200, "", `{"charge_credit":{"account":103,"amount":"2.5"}}`},
	{"POST /v1/accounts/{account}/credit/charges", "/v1/accounts/dora/credit/charges", `{"amount":"497.6"}`, 422, "Not enough money, balance = 497.5", `{"charge_credit":{"account":103,"amount":"497.6"}}`},
	{"POST /v1/accounts/{account}/credit/repayments", "/v1/accounts/dora/credit/repayments", `{"amount":"100"}`, 200, "", `{"repay_credit":{"account":103,"amount":"100"}}`},
	{"POST /v1/accounts/{account}/credit/repayments", "/v1/accounts/dora/credit/repayments", `{"amount":"400.1"}`, 422, "Only 400 of the credit is not repaid.", `{"repay_credit":{"account":103,"amount":"400.1"}}`},
	{"PUT /v1/verdicts/{address}", "/v1/verdicts/0xbad", `{"risk":"medium","description":"Funds of a mixer."}`, 200, "", `{"set_verdict":{"verdict":{"address":"0xbad","risk":2,"description":"Funds of a mixer."}}}`},
	{"PUT /v1/verdicts/{address}", "/v1/verdicts/0xbad", `{"fails":true,"description":"x"}`, 422, noVerdict, `{"set_verdict":{"verdict":{"address":"0xbad","fails":true,"description":"x"}}}`},
	{"DELETE /v1/verdicts/{address}", "/v1/verdicts/0xbad", "", 200, "", `{"set_verdict":{"verdict":{"address":"0xbad"}}}`},
	{"PUT /v1/vasps/{vasp}", "/v1/vasps/acme", `{"name":"Acme"}`, 200, "", `{"set_v_a_s_p":{"vasp":{"id":"acme","name":"Acme"}}}`},
	{"PUT /v1/vasps/{vasp}", "/v1/vasps/" + long, `{"name":"Acme"}`, 422, noVASP, `{"set_v_a_s_p":{"vasp":{"id":"` + long + `","name":"Acme"}}}`},
	{"DELETE /v1/vasps/{vasp}", "/v1/vasps/acme", "", 200, "", `{"set_v_a_s_p":{"vasp":{"id":"acme"}}}`},
	{"DELETE /v1/vasps/{vasp}", "/v1/vasps/" + long, "", 422, noVASP, `{"set_v_a_s_p":{"vasp":{"id":"` + long + `"}}}`},
	{"DELETE /v1/verdicts/{address}", "/v1/verdicts/" + long, "", 422, noVerdict, `{"set_verdict":{"verdict":{"address":"` + long + `"}}}`},
	{"POST /v1/withdrawals/{withdrawal}/settlement", "/v1/withdrawals/4/settlement", `{"outcome":"11"}`, 422, schema.Refuse(schema.SettlementInvalid).Text(), `{"settle_withdrawal":{"withdrawal":4,"amount":"11"}}`},
	{"POST /v1/withdrawals/{withdrawal}/settlement", "/v1/withdrawals/4/settlement", `{"outcome":"none"}`, 200, "", `{"settle_withdrawal":{"withdrawal":4}}`},
	{"POST /v1/invoices/{invoice}/settlement", "/v1/invoices/2/settlement", `{"outcome":"failed"}`, 422, schema.Refuse(schema.InvoiceSettled).Text(), `{"settle_invoice":{"invoice":2}}`},
	{"POST /v1/invoices/{invoice}/settlement", "/v1/invoices/3/settlement", `{"outcome":"paid"}`, 200, "", `{"settle_invoice":{"invoice":3,"paid":true}}`},
	{"PATCH /v1/platform", "/v1/platform", `{"bounded_work":true}`, 200, "", `{"set_feature":{"feature":3,"on":true}}`},
	{"PATCH /v1/platform", "/v1/platform", `{"exact_money":false}`, 422, "This feature cannot be switched off once it is on.", `{"set_feature":{"feature":4}}`},
	{"PATCH /v1/platform", "/v1/platform", `{"step_rule":false}`, 200, "", `{"set_feature":{"feature":1}}`}, // said again, it is an act again
	{"PATCH /v1/platform", "/v1/platform", `{"maintenance":true}`, 200, "", `{"set_feature":{"feature":2,"on":true}}`},
	{"PATCH /v1/platform", "/v1/platform", `{"maintenance":false}`, 200, "", `{"set_feature":{"feature":2}}`},

	{"PUT /v1/accounts/{account}/webhook", "/v1/accounts/alice/webhook", `{"url":"` + hookSite() + `/hook?token=of-the-customer","key":"hook-key","secret":"hush-hush-hook","events":["withdraw.pending"]}`, 200, "", `{"set_webhook":{"account":101,"url":"` + hookSite() + `","events":128,"on":true,"key":"hook-key"}}`},
	{"PUT /v1/accounts/{account}/webhook", "/v1/accounts/bob/webhook", `{"url":"` + hookSite() + `","key":"a b","secret":"hush-hush-hook"}`, 422, noWebhook, `{"set_webhook":{"account":102,"url":"` + hookSite() + `","events":32766,"on":true,"key":"a b"}}`},
	{"POST /v1/accounts/{account}/webhook/verification", "/v1/accounts/alice/webhook/verification", `{}`, 200, "", `{"verify_webhook":{"account":101,"host":"` + hookSite()[len("http://"):] + `","key":"hook-key"}}`},
	{"POST /v1/accounts/{account}/webhook/pause", "/v1/accounts/alice/webhook/pause", `{"paused":true}`, 200, "", `{"pause_webhook":{"account":101,"paused":true}}`},
	{"POST /v1/accounts/{account}/webhook/pause", "/v1/accounts/bob/webhook/pause", `{}`, 422, "The account has no webhook.", `{"pause_webhook":{"account":102,"paused":true}}`},
	{"POST /v1/accounts/{account}/webhook/resend", "/v1/accounts/alice/webhook/resend", `{"event":1}`, 200, "", `{"resend_webhook":{"account":101,"n":1}}`},
	{"DELETE /v1/accounts/{account}/webhook", "/v1/accounts/alice/webhook", "", 200, "", `{"set_webhook":{"account":101,"delete":true}}`},
	{"DELETE /v1/accounts/{account}/webhook", "/v1/accounts/alice/webhook", "", 422, "The account has no webhook.", `{"set_webhook":{"account":101,"delete":true}}`},

	{"PUT /v1/plans/{plan}", "/v1/plans/daily", `{"kind":"flex","asset":"BTC","rate":"0.05","min":"0.01"}`, 200, "", `{"set_plan":{"plan":{"name":"daily","kind":2,"asset":1,"payout":1,"rate":"0.05","min":"0.01","status":1}}}`},
	{"PUT /v1/plans/{plan}", "/v1/plans/daily", `{"kind":"flex","asset":"BTC","rate":"11","min":"0.01"}`, 422, schema.Refuse(schema.PlanInvalid).Text(), `{"set_plan":{"plan":{"id":1,"name":"daily","kind":2,"asset":1,"payout":1,"rate":"11","min":"0.01","status":1}}}`},
	{"PATCH /v1/plans/{plan}", "/v1/plans/daily", `{"private":true}`, 200, "", `{"set_plan":{"plan":{"id":1,"name":"daily","kind":2,"asset":1,"payout":1,"rate":"0.05","min":"0.01","status":1,"private":true}}}`},
	{"PATCH /v1/plans/{plan}", "/v1/plans/daily", `{"min":"0"}`, 422, schema.Refuse(schema.PlanInvalid).Text(), `{"set_plan":{"plan":{"id":1,"name":"daily","kind":2,"asset":1,"payout":1,"rate":"0.05","status":1,"private":true}}}`},
	{"PUT /v1/plans/{plan}/accounts/{account}", "/v1/plans/daily/accounts/alice", "", 200, "", `{"assign_plan":{"plan":1,"account":101,"on":true}}`},
	{"DELETE /v1/plans/{plan}/accounts/{account}", "/v1/plans/daily/accounts/alice", "", 200, "", `{"assign_plan":{"plan":1,"account":101}}`},
	{"PATCH /v1/pool", "/v1/pool", `{"open":true}`, 200, "", `{"set_pool":{"terms":{"open":true,"asset":1,"fee":"0.04","least":"0.001","accounts":10,"links":3}}}`},
	{"PATCH /v1/pool", "/v1/pool", `{"fee":"1"}`, 422, schema.Refuse(schema.PoolInvalid).Text(), `{"set_pool":{"terms":{"open":true,"asset":1,"fee":"1","least":"0.001","accounts":10,"links":3}}}`},
	{"PUT /v1/pool/rate", "/v1/pool/rate", `{"rate":"6.25"}`, 200, "", `{"set_pool_rate":{"rate":"6.25"}}`},
	{"PUT /v1/pool/rate", "/v1/pool/rate", `{"rate":"0"}`, 422, schema.Refuse(schema.PoolRateInvalid).Text(), `{"set_pool_rate":{}}`},
	{"PUT /v1/pool/accounts/{mining}/bar", "/v1/pool/accounts/rigs/bar", "", 200, "", `{"bar_mining":{"mining":1,"barred":true}}`},
	{"DELETE /v1/pool/accounts/{mining}/bar", "/v1/pool/accounts/rigs/bar", "", 200, "", `{"bar_mining":{"mining":1}}`},
	{"POST /v1/partners", "/v1/partners", `{"client":"tax","title":"Tax","uris":["https://tax.example/back"],"scopes":["users.orders.read"],"addresses":["192.0.2.1"]}`, 200, "", `{"set_partner":{"partner":{"client":"tax","title":"Tax","uris":["https://tax.example/back"],"scopes":["users.orders.read"],"addresses":["192.0.2.1"],"on":true}}}`},
	{"POST /v1/partners", "/v1/partners", `{"client":"none"}`, 422, schema.Refuse(schema.PartnerInvalid).Text(), `{"set_partner":{"partner":{"client":"none","on":true}}}`},
	{"PATCH /v1/partners/{partner}", "/v1/partners/tax", `{"title":"Taxes"}`, 200, "", `{"set_partner":{"partner":{"id":1,"client":"tax","title":"Taxes","uris":["https://tax.example/back"],"scopes":["users.orders.read"],"addresses":["192.0.2.1"],"on":true}}}`},
	{"PATCH /v1/partners/{partner}", "/v1/partners/tax", `{"addresses":[]}`, 422, schema.Refuse(schema.PartnerInvalid).Text(), `{"set_partner":{"partner":{"id":1,"client":"tax","title":"Taxes","uris":["https://tax.example/back"],"scopes":["users.orders.read"],"on":true}}}`},
	{"DELETE /v1/accounts/{account}/grants/{partner}", "/v1/accounts/bob/grants/tax", "", 404, schema.Refuse(schema.GrantUnknown).Text(), `{"revoke_partner":{"account":102,"partner":1,"whole":true}}`},
	{"DELETE /v1/accounts/{account}/grants/{partner}", "/v1/accounts/alice/grants/tax", "", 200, "", `{"revoke_partner":{"account":101,"partner":1,"whole":true}}`},

	{"POST /v1/payouts/{payout}/decision", "/v1/payouts/1/decision", `{"decision":"abandon"}`, 422, schema.Refuse(schema.PayoutDecided).Text(), `{"abandon_payout":{"payout":1,"dead":true}}`},
	{"POST /v1/payouts/{payout}/decision", "/v1/payouts/1/decision", `{"decision":"give up"}`, 200, "", `{"abandon_payout":{"payout":1}}`},
	{"POST /v1/chains/{chain}/refill", "/v1/chains/NODE/refill", `{"asset":"GAS","amount":"8"}`, 422, schema.Refuse(schema.RefillInvalid).Text(), `{"refill_hot":{"chain":4,"asset":6,"amount":"8"}}`},
	{"POST /v1/chains/{chain}/refill", "/v1/chains/NODE/refill", `{"asset":"GAS","amount":"7"}`, 200, "", `{"refill_hot":{"chain":4,"asset":6,"amount":"7"}}`},
	{"POST /v1/chains/{chain}/surplus", "/v1/chains/COINS/surplus", `{"asset":"COIN","amount":"0","address":"` + topUp + `","coin":"` + output + `"}`, 422, schema.Refuse(schema.SurplusInvalid).Text(), `{"book_surplus":{"chain":5,"asset":7,"own":1,"coin":"` + output + `","text":"` + topUp + `"}}`},
	{"POST /v1/chains/{chain}/surplus", "/v1/chains/COINS/surplus", `{"asset":"COIN","amount":"1","address":"` + topUp + `","coin":"` + output + `"}`, 200, "", `{"book_surplus":{"chain":5,"asset":7,"amount":"1","own":1,"coin":"` + output + `","text":"` + topUp + `"}}`},
	{"POST /v1/chains/{chain}/adoption", "/v1/chains/NODE/adoption", `{"tx":"theft"}`, 422, schema.Refuse(schema.ChainNotHalted).Text(), `{"adopt_spend":{"chain":4,"tx":"theft"}}`},
	{"POST /v1/chains/{chain}/resumption", "/v1/chains/NODE/resumption", firstOfNode, 422, schema.Refuse(schema.ChainNotHalted).Text(), `{"resume_chain":{"chain":4,"height":1,"hash":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`},
	{"POST /v1/chains/{chain}/resumption", "/v1/chains/NODE/resumption", firstOfNode, 200, "", `{"resume_chain":{"chain":4,"height":1,"hash":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`},
	{"POST /v1/chains/{chain}/adoption", "/v1/chains/NODE/adoption", `{"tx":"theft"}`, 200, "", `{"adopt_spend":{"chain":4,"tx":"theft"}}`},

	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"11"}`, 202, "", `{"deposit":{"account":102,"asset":7,"amount":"11"}}`},
	{"POST /v1/proposals/{proposal}/approve", "/v1/proposals/1/approve", `{}`, 200, "", `{"decide_proposal":{"proposal":1,"approve":true}}`},
	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"12"}`, 202, "", `{"deposit":{"account":102,"asset":7,"amount":"12"}}`},
	{"POST /v1/proposals/{proposal}/cancel", "/v1/proposals/2/cancel", `{}`, 200, "", `{"decide_proposal":{"proposal":2}}`},
	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"13"}`, 202, "", `{"deposit":{"account":102,"asset":7,"amount":"13"}}`},
	{"POST /v1/accounts/{account}/deposits", "/v1/accounts/bob/deposits", `{"asset":"COIN","amount":"10"}`, 200, "", `{"deposit":{"account":102,"asset":7,"amount":"10"}}`},
	{"POST /v1/proposals/{proposal}/approve", "/v1/proposals/3/approve", `{}`, 422, schema.Refuse(schema.ApprovedBefore).Text(), `{"decide_proposal":{"proposal":3,"approve":true}}`},
}

// firstOfNode is the block at which the chain of sweep stands.
var firstOfNode = `{"height":1,"hash":"01` + strings.Repeat("0", 62) + `"}`

// irrefutable are the acts whose commands the core takes whenever the door does.
var irrefutable = []string{
	"PATCH /v1/keys/{key}", "DELETE /v1/accounts/{account}/fees/{market}", "DELETE /v1/assets/{asset}/networks/{network}", "PATCH /v1/platform",
	"PUT /v1/pool/accounts/{mining}/bar", "DELETE /v1/pool/accounts/{mining}/bar", "PUT /v1/plans/{plan}/accounts/{account}", "DELETE /v1/plans/{plan}/accounts/{account}", "DELETE /v1/accounts/{account}/sessions", "POST /v1/accounts/{account}/webhook/verification", "POST /v1/accounts/{account}/webhook/resend",
	"POST /v1/proposals/{proposal}/cancel",
}

var long = strings.Repeat("k", 129)

// entry is what the audit must say of a trial.
type entry struct {
	Time     string          `json:"time"`
	Operator string          `json:"operator"`
	Refusal  string          `json:"refusal"`
	Command  json.RawMessage `json:"command"`
}

// retire makes a market that was delisted.
func (s *site) retire() {
	s.t.Helper()
	s.must("PUT", "/v1/assets/OLD", `{"name":"Old","class":"crypto","scale":18}`)
	s.must("PUT", "/v1/markets/OLD_USDT", `{"enabled":true}`)
	s.must("PUT", "/v1/markets/OLD_USDT/delisting", fmt.Sprintf(`{"at":%d}`, s.seconds()+1))
	s.pass(schema.Second)
	if !s.market("OLD_USDT").Delisted {
		s.t.Fatal("the market was not delisted")
	}
}

func (s *site) acts(query string) []entry {
	s.t.Helper()
	var list []entry
	r := s.must("GET", "/v1/audit?"+query, "")
	if err := json.Unmarshal([]byte(r.body), &list); err != nil {
		s.t.Fatal(err)
	}
	return list
}

// records holds the audit to a list of acts, oldest first.
func (s *site) records(query string, want []entry) {
	s.t.Helper()
	got := s.acts(query)
	slices.Reverse(got)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			s.t.Errorf("%s: the audit lacks %s", query, text(want[i]))
		case i >= len(want):
			s.t.Errorf("%s: the audit has %s too", query, text(got[i]))
		case text(got[i]) != text(want[i]):
			s.t.Errorf("%s: the audit has\n%s instead of\n%s", query, text(got[i]), text(want[i]))
		}
	}
}

func TestTheAuditIsComplete(t *testing.T) {
	s := found(t)
	s.retire()
	s.bet("BTC")
	s.bet("OLD")
	s.owe()
	s.leave()
	s.bill()
	s.suspend()
	s.submit(&schema.PlanMaintenance{Market: s.market("OLD_PERP").ID, From: schema.Time(s.now.Load()) + schema.Second, To: noon + 1000*schema.Second})
	s.pass(schema.Second)
	before := len(s.acts("limit=1000"))
	tokens := map[string]string{"olga": s.hire("olga"), "otto": s.hire("otto")}

	done, refused := map[string]bool{}, map[string]bool{}
	var want []entry
	answers := ""
	for i, c := range trials {
		switch i {
		case len(trials) - 17: // whose payout would take numbers of deposits from those before
			s.sweep()
			s.dig()
		case len(trials) - 9:
			s.halt()
		}
		if c.act == "POST /v1/accounts/{account}/webhook/resend" {
			s.departs()
		}
		if c.path == "/v1/pool/accounts/rigs/bar" && strings.HasPrefix(c.act, "PUT ") {
			s.submit(&schema.OpenMining{Account: s.account("alice").ID, Name: "rigs"})
		}
		if c.path == "/v1/accounts/alice/grants/tax" {
			s.consent()
		}
		s.now.Add(int64(schema.Second))
		who := []string{"olga", "otto"}[i%2]
		method, _, _ := strings.Cut(c.act, " ")
		r := s.send(method, c.path, c.body, bearer(tokens[who])).is(c.status)
		if c.refusal == "" {
			done[c.act] = true
		} else {
			refused[c.act] = true
			r.has(text(c.refusal), "message")
		}
		if c.act != "POST /v1/accounts/{account}/keys" && c.act != "POST /v1/accounts/{account}/invitations" && c.act != "PUT /v1/accounts/{account}/webhook" { // which show secrets, once
			answers += r.body
		}
		want = append(want, entry{Time: s.at(), Operator: who, Refusal: c.refusal, Command: json.RawMessage(c.command)})
	}
	for _, act := range operator.Acts() {
		name := act.Method + " " + act.Path
		if act.Changes && !done[name] {
			t.Errorf("%s was not tried", name)
		}
		if act.Changes && !refused[name] && !slices.Contains(irrefutable, name) {
			t.Errorf("%s was not refused", name)
		}
		if !act.Changes && !particular(act) {
			path := strings.NewReplacer("{account}", "alice", "{asset}", "BTC", "{market}", "BTC_USDT", "{chain}", "ETH", "{plan}", "daily").Replace(act.Path)
			answers += s.send(act.Method, path, "", bearer(tokens["olga"])).is(200).body
		}
	}
	answers += s.send("GET", "/v1/accounts/alice/statement", "", bearer(tokens["olga"])).body
	look := fmt.Sprintf("limit=%d", len(want))
	s.records(look, want)
	if n := len(s.acts("limit=1000")); n != before+len(want) {
		t.Errorf("there are %d acts instead of %d", n, before+len(want))
	}
	if !slices.IsSortedFunc(s.numbers(), func(a, b uint64) int { return int(b) - int(a) }) {
		t.Errorf("the numbers do not grow with time: %v", s.numbers())
	}

	t.Run("by operator and time, page by page", func(t *testing.T) {
		var olga []entry
		for i := range want {
			if i%2 == 0 {
				olga = append(olga, want[i])
			}
		}
		s.records("limit=1000&operator=olga", olga)
		s.records("operator=nobody", nil)
		first := s.seconds() - int64(len(want)) + 1 // of the session
		s.records(fmt.Sprintf("from=%d&limit=1000", first), want)
		s.records(fmt.Sprintf("from=%d&to=%d", first+3, first+5), want[3:6])
		s.records(fmt.Sprintf("from=%d&to=%d&operator=otto", first+3, first+5), []entry{want[3], want[5]})
		s.records(fmt.Sprintf("to=%d&limit=1", first), want[:1])
		s.records(fmt.Sprintf("from=%d", s.seconds()+1), nil)
		s.records("limit=3", want[len(want)-3:])
		s.records("limit=3&offset=2", want[len(want)-5:len(want)-2])
		s.records("limit=1&operator=olga&offset=1", olga[len(olga)-2:len(olga)-1])
		s.records("offset=100000", nil)
	})

	t.Run("what a set-up file does is recorded under its name", func(t *testing.T) {
		list := s.acts("limit=1000&operator=" + setup.Operator)
		if len(list) != 16 {
			t.Fatalf("%d acts: %s", len(list), text(list))
		}
		if got := string(list[len(list)-1].Command); got != `{"set_chain":{"chain":{"name":"ETH","driver":1,"family":2,"net":2}}}` {
			t.Errorf("the first is %s", got)
		}
		if list[0].Time != "2026-09-21T14:13:20Z" {
			t.Errorf("at %s", list[0].Time)
		}
	})

	t.Run("secrets are nowhere", func(t *testing.T) {
		everything := map[string]string{"answers": answers, "the audit": s.must("GET", "/v1/audit?limit=1000", "").body, "the log": s.log.String()}
		secrets := []string{"alice-secret", "bob-secret", "hush-hush", "sealed", s.token, tokens["olga"], tokens["otto"]}
		for _, k := range []string{"alice-key", "bob-key"} {
			sealed := s.key(k).Sealed
			secrets = append(secrets, string(sealed), base64.StdEncoding.EncodeToString(sealed), fmt.Sprintf("%x", sealed), base64.RawURLEncoding.EncodeToString(sealed))
		}
		for where, text := range everything {
			for _, secret := range secrets {
				text := strings.ReplaceAll(text, "has a sealed secret", "") // as a refusal says
				if strings.Contains(text, secret) {
					t.Errorf("%s: %q is there", where, secret)
				}
			}
		}
		if everything["the log"] == "" {
			t.Error("nothing was logged at all: nothing is proven")
		}
	})

	numbers := s.numbers()
	s.close()
	s.open(nil)
	s.records(look, want)
	s.close()
	if err := os.RemoveAll(filepath.Join(s.dir, "history")); err != nil {
		t.Fatal(err)
	}
	s.open(nil)
	s.records(look, want)
	if again := s.numbers(); !slices.Equal(again, numbers) {
		t.Errorf("the numbers became %v from %v", again, numbers)
	}
}

// at is the time of day as answers show it.
func (s *site) at() string {
	return s.clock().Format("2006-01-02T15:04:05Z")
}

// numbers are the ids of all acts, as they are listed.
func (s *site) numbers() (all []uint64) {
	var list []struct {
		ID uint64 `json:"id"`
	}
	if err := json.Unmarshal([]byte(s.must("GET", "/v1/audit?limit=1000", "").body), &list); err != nil {
		s.t.Fatal(err)
	}
	for _, a := range list {
		all = append(all, a.ID)
	}
	return all
}

// What is refused before it is a command is no act: there is nothing in the log.
func TestLookingLeavesNoRecord(t *testing.T) {
	s := found(t)
	s.must("PUT", "/v1/plans/daily", `{"kind":"flex","asset":"BTC","rate":"0.05","min":"0.01"}`)
	before := s.must("GET", "/v1/audit?limit=1000", "").body
	for _, act := range operator.Acts() {
		if !act.Changes && !particular(act) {
			path := strings.NewReplacer("{account}", "alice", "{asset}", "BTC", "{market}", "BTC_USDT", "{chain}", "ETH", "{plan}", "daily").Replace(act.Path)
			s.must(act.Method, path, "")
		}
	}
	s.ask("GET", "/v1/accounts/alice/statement", "")
	s.ask("PATCH", "/v1/accounts/nobody", "{}").is(http.StatusNotFound)
	s.ask("PATCH", "/v1/accounts/alice", "{").is(http.StatusBadRequest)
	s.send("PATCH", "/v1/accounts/alice", "{}", nil).is(http.StatusUnauthorized)
	s.pass(schema.Second)
	if after := s.must("GET", "/v1/audit?limit=1000", "").body; after != before {
		t.Errorf("the audit became %s", after)
	}
}

// TestADepositForTrading: the money arrives as a deposit and moves on as a transfer, and the audit has both; when the
// transfer would be refused, there is no deposit either.
func TestADepositForTrading(t *testing.T) {
	s := found(t)
	for _, held := range []string{"", `,"held":true`} {
		before := len(s.acts("limit=1000"))
		s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1.5","wallet":"trade"`+held+`}`)
		acts := s.acts("limit=1000")
		if n := len(acts) - before; n != 2 || !strings.HasPrefix(string(acts[0].Command), `{"transfer":{"account":101,"asset":1,"amount":"1.5","from":1,"to":2`) ||
			!strings.HasPrefix(string(acts[1].Command), `{"deposit":{"account":101,"asset":1,"amount":"1.5"`) {
			t.Errorf("%d acts more: %s", n, text(acts[:2]))
		}
	}
	s.holds("alice", schema.Main, "BTC", "6 0 1.5") // held money counts as lying in the main wallet
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"0.5","wallet":"main"}`)
	s.holds("alice", schema.Main, "BTC", "6.5 0 1.5")

	s.must("PATCH", "/v1/assets/BTC", `{"can_deposit":false}`)
	before := s.must("GET", "/v1/audit?limit=1000", "").body
	s.ask("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1","wallet":"trade"}`).is(422)
	if after := s.must("GET", "/v1/audit?limit=1000", "").body; after != before {
		t.Errorf("the audit became %s", after)
	}
	s.holds("alice", schema.Main, "BTC", "6.5 0 1.5")
}

func TestTheAuditNamesWhatItWasAbout(t *testing.T) {
	s := found(t)
	s.bet("BTC")
	s.leave()
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/v1/accounts", `{"name":"dora"}`, "dora"},
		{"POST", "/v1/accounts/dora/keys", `{"key":"k1"}`, "dora k1"},
		{"DELETE", "/v1/keys/k1", "", "k1"},
		{"PUT", "/v1/accounts/dora/fees/BTC_USDT", `{"maker":"0"}`, "dora BTC_USDT"},
		{"POST", "/v1/accounts/dora/deposits", `{"asset":"BTC","amount":"1","held":true}`, "dora BTC"},
		{"POST", "/v1/accounts/dora/confirmations", `{"asset":"BTC","amount":"1"}`, "dora BTC"},
		{"POST", "/v1/accounts/dora/withdrawals", `{"asset":"BTC","amount":"1"}`, "dora BTC"},
		{"PATCH", "/v1/assets/BTC", `{"name":"Bitcoin"}`, "BTC"},
		{"PATCH", "/v1/markets/BTC_USDT", `{"taker_band":"5"}`, "BTC_USDT"},
		{"DELETE", "/v1/markets/BTC_USDT/maintenance", "", "BTC_USDT"},
		{"DELETE", "/v1/markets/BTC_USDT/delisting", "", "BTC_USDT"},
		{"DELETE", "/v1/markets/BTC_USDT/index", "", "BTC_USDT"},
		{"POST", "/v1/funds/insurance/deposits", `{"asset":"BTC","amount":"1"}`, "insurance BTC"},
		{"POST", "/v1/funds/convert/deposits", `{"asset":"BTC","amount":"1"}`, "convert BTC"},
		{"PATCH", "/v1/conversion", `{"on":true}`, "conversion"},
		{"PATCH", "/v1/pool", `{"open":true}`, "BTC"},
		{"PUT", "/v1/pool/rate", `{"rate":"5"}`, "pool rate"},
		{"DELETE", "/v1/accounts/bob/positions/2", "", "bob BTC_PERP"},
		{"PATCH", "/v1/chains/ETH", `{"paused":false}`, "ETH"},
		{"POST", "/v1/accounts/dora/faucet", `{"asset":"USDT","amount":"5"}`, "USDT ETH"},
		{"POST", "/v1/chains/ETH/blocks", `{}`, "ETH"},
		{"POST", "/v1/deposits/1/decision", `{"decision":"freeze","account":"dora"}`, "dora deposit 1"},
		{"POST", "/v1/chains/ETH/reorganisations", `{"depth":1}`, "ETH"},
		{"POST", "/v1/withdrawals/2/decision", `{"decision":"freeze"}`, "withdrawal 2"},
		{"PUT", "/v1/tiers/3", `{"day":"1"}`, "tier 3"},
		{"PATCH", "/v1/accounts/dora", `{"credit_line":true}`, "dora"},
		{"POST", "/v1/accounts/dora/credit", `{"asset":"USDT","amount":"9","initial":"50","margin_call":"70","liquidation":"85"}`, "dora USDT"},
		{"POST", "/v1/accounts/dora/credit/charges", `{"amount":"1"}`, "dora"},
		{"POST", "/v1/accounts/dora/credit/repayments", `{"amount":"8"}`, "dora"},
		{"PUT", "/v1/verdicts/0xbad", `{"fails":true}`, "0xbad"},
		{"DELETE", "/v1/verdicts/0xbad", "", "0xbad"},
		{"PUT", "/v1/vasps/acme", `{"name":"Acme"}`, "acme"},
		{"DELETE", "/v1/vasps/acme", "", "acme"},
		{"PATCH", "/v1/platform", `{"maintenance":false}`, "platform maintenance"},
	} {
		s.must(c.method, c.path, c.body)
		s.must("GET", "/v1/audit?limit=1", "").has(text(c.want), 0, "subject")
	}
}
