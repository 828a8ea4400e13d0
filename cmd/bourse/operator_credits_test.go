package main

import (
	"strings"
	"testing"
)

func TestOperatorCredits(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("credit", "list"), "no credits\n")
	d.do("accounts", "create", "dave")
	d.do("deposit", "dave", "USDT", "1000")
	terms := []string{"--initial", "50", "--margin-call", "70.5", "--liquidation", "85"}
	open := append([]string{"credit", "open", "dave", "USDT", "500"}, terms...)
	d.refuses(1, "The account has no credit line. (account)", open...)
	d.do("accounts", "set", "dave", "--credit-line")
	lines := squeezed(d.do(open...))
	if want := "account dave|asset USDT|amount 500|funding 0|ltv 33.34|initial 50|margin call 70.5|liquidation 85"; len(lines) != 9 || strings.Join(lines[:8], "|") != want || !strings.HasPrefix(lines[8], "created 20") {
		t.Errorf("got %s", strings.Join(lines, "|"))
	}
	d.has(d.json("credit", "charge", "dave", "20"), `{"account":"dave","amount":"500","funding":"20","ltv":"33.79"}`)
	d.has(d.json("credit", "repay", "dave", "100"), `{"amount":"400","funding":"20","ltv":"28.99"}`)
	d.same(d.json("credit", "list"), d.get("credits"))
	list := squeezed(d.do("credit", "list"))
	if len(list) != 2 || list[0] != "account asset amount funding ltv initial margin call liquidation created" || !strings.HasPrefix(list[1], "dave USDT 400 20 28.99 50 70.5 85 20") {
		t.Errorf("got %s", strings.Join(list, "|"))
	}
	d.refuses(1, "The account has a credit: it must be repaid before the next. (account)", open...)
	d.refuses(1, "Only 400 of the credit is not repaid. (amount)", "credit", "repay", "dave", "401")
	d.refuses(1, "Not enough money, balance = 1380 (amount)", "credit", "charge", "dave", "1381")
	d.has(d.json("credit", "repay", "dave", "400"), `{"amount":"0","ltv":"0","funding":"20"}`)
	d.prints(d.do("credit", "list"), "no credits\n")
	d.refuses(1, "No active loan at the moment", "credit", "charge", "dave", "1")
	d.refuses(1, `there is no account "nobody"`, "credit", "repay", "nobody", "1")
	d.refuses(2, "missing flags: --initial=PERCENT, --liquidation=PERCENT, --margin-call=PERCENT", "credit", "open", "dave", "USDT", "500")
}
