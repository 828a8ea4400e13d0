package table_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api/table"
)

var rewrite = flag.Bool("rewrite", false, "write the endpoints into the README again")

// index is every endpoint that clients of the API know. OAuth's own, whose answers are those of its standards, are
// tested where they are (conform, oauth_token_test.go and oauth_key_test.go).
var index = []struct{ about, method, prefix, names string }{
	{"Market data", "GET", "/api/v4/public/", "ping time platform/status markets ticker assets fee orderbook/{market} orderbook/depth/{market} trades/{market} " +
		"collateral/markets futures funding-history/{market} mining-pool"},
	{"The same, version 1", "GET", "/api/v1/public/", "markets tickers ticker kline symbols depth/result history"},
	{"Spot orders", "POST", "/api/v4/", "order/new order/bulk order/market order/stock_market order/stop_limit order/stop_market order/cancel order/cancel/bulk " +
		"order/cancel/all order/modify order/kill-switch order/kill-switch/status orders market/fee market/fee/single"},
	{"Spot account", "POST", "/api/v4/trade-account/", "balance executed-history order order/history order/history/query"},
	{"Collateral orders", "POST", "/api/v4/", "order/collateral/limit order/collateral/bulk order/collateral/market order/collateral/stop-limit " +
		"order/collateral/trigger-market order/collateral/oco order/conditional-cancel order/oco-cancel order/oto-cancel conditional-orders oco-orders"},
	{"Collateral account", "POST", "/api/v4/collateral-account/", "balance balance-summary summary leverage hedge-mode hedge-mode/update adl-quantile positions/open " +
		"position/close positions/history positions/closed-pnl funding-history borrow-history"},
	{"Convert", "POST", "/api/v4/convert/", "estimate confirm auto-confirm history"},
	{"Wallet", "POST", "/api/v4/main-account/", "balance withdrawable-balance address create-new-address fiat-deposit-url withdraw withdraw-pay " +
		"express-withdraw/token transfer transfer/history history fee refund-deposit refund-history codes codes/apply codes/my codes/history"},
	{"Around the wallet", "POST", "/api/v4/", "credit-line/loans/info travel-rule/vasps travel-rule/deposit/verification aml/checks/assets aml/checks/create " +
		"aml/checks/result aml/checks/history"},
	{"Earn", "POST", "/api/v4/main-account/", "smart/plans smart/investment smart/investment/close smart/investments smart/interest-payment-history smart-flex/plans " +
		"smart-flex/investments smart-flex/investments/history smart-flex/investments/payment-history smart-flex/investments/invest " +
		"smart-flex/investments/withdraw smart-flex/investments/close smart-flex/investments/auto-invest"},
	{"Mining pool", "POST", "/api/v4/mining/", "accounts accounts/create rewards hashrate payout-destination payout-destination/edit miners/info workers/names " +
		"workers/hashrate watcher-links/create watcher-links/list"},
	{"Sub-accounts", "POST", "/api/v4/sub-account/", "create delete edit list block unblock balances transfer transfer/history withdraw/unconfirmed-list " +
		"withdraw/confirm kyc-url api-key/create api-key/edit api-key/delete api-key/list api-key/reset api-key/ip-address/list api-key/ip-address/create " +
		"api-key/ip-address/delete"},
	{"By access token", "POST", "/api/v4/accounts/", "transactions converts orders deals balances/main balances/spot"},
	{"Tokens", "POST", "/api/", "v4/jwt v4/profile/websocket_token card-token"},
}

// TestEveryEndpointOfTheIndexIsThere, and no other is.
func TestEveryEndpointOfTheIndexIsThere(t *testing.T) {
	there := map[string]bool{}
	for _, o := range table.Operations() {
		there[o.Method+" "+o.Path] = true
	}
	for _, row := range index {
		for name := range strings.FieldsSeq(row.names) {
			at := row.method + " " + row.prefix + name
			if !there[at] {
				t.Errorf("%s is not there", at)
			}
			delete(there, at)
		}
	}
	for at := range there {
		t.Errorf("%s is in no row", at)
	}
}

// TestTheReadmeListsTheEndpoints that the table of operations has.
func TestTheReadmeListsTheEndpoints(t *testing.T) {
	const path, head = "../../../README.md", "| Endpoints | | |\n|---|---|---|\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	kept, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatal("the README has no table of endpoints")
	}
	want := strings.Join(endpoints(), "\n")
	if *rewrite {
		if err := os.WriteFile(path, []byte(before+head+want+"\n\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept != want {
		t.Error("the README lists other endpoints; look at the difference after go test ./internal/api/table -rewrite")
	}
}

// endpoints are the rows of the table: operations in its order, by what they are about.
func endpoints() (rows []string) {
	names := make([][]string, len(index))
	for _, o := range table.Operations() {
		at := slices.IndexFunc(index, func(row struct{ about, method, prefix, names string }) bool {
			name, is := strings.CutPrefix(o.Path, row.prefix)
			return is && o.Method == row.method && slices.Contains(strings.Fields(row.names), name)
		})
		if at >= 0 {
			names[at] = append(names[at], "`"+strings.TrimPrefix(o.Path, index[at].prefix)+"`")
		}
	}
	for i, row := range index {
		rows = append(rows, fmt.Sprintf("| %s | `%s %s…` | %s |", row.about, row.method, row.prefix, strings.Join(names[i], ", ")))
	}
	return rows
}
