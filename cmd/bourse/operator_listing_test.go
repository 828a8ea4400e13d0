package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestOperatorAssets(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("assets", "list"), `
ticker  name       class   scale  precision  can deposit  can withdraw  networks      providers
BTC     Bitcoin    crypto     18          8  yes          yes           BTC           -
ETH     Ethereum   crypto     18          8  yes          yes           ERC20         -
USDT    Tether US  crypto     18          6  yes          yes           ERC20, TRC20  -
EUR     Euro       fiat       18          2  yes          yes           -             SEPA, VISAMASTER
`)
	d.same(d.json("assets", "list"), d.get("assets"))
	d.do("assets", "create", "SOL", "--name", "Solana", "--class", "crypto", "--scale", "18", "--precision", "9", "--can-deposit",
		"--min-deposit", "0.1", "--max-deposit", "1000", "--min-withdraw", "0.2", "--max-withdraw", "500", "--unified-id", "5426", "--deposit-memo", "--payout-memo",
		"--codes", "--min-code", "0.3", "--not-in-eu")
	d.has(d.get("assets/SOL"), `{"ticker":"SOL","name":"Solana","class":"crypto","scale":18,"precision":9,"can_deposit":true,"can_withdraw":false,
		"min_deposit":"0.1","max_deposit":"1000","min_withdraw":"0.2","max_withdraw":"500","unified_id":5426,"deposit_memo":true,"payout_memo":true,"networks":[],
		"codes":true,"min_code":"0.3","not_in_eu":true}`)
	d.do("assets", "set", "SOL", "--can-withdraw", "--no-payout-memo", "--no-codes", "--in-eu", "--provider", "A", "--provider", "B")
	d.has(d.get("assets/SOL"), `{"name":"Solana","can_deposit":true,"can_withdraw":true,"deposit_memo":true,"payout_memo":false,"codes":false,"not_in_eu":false,"providers":["A","B"]}`)

	d.do("assets", "networks", "add", "SOL", "MAIN", "--default", "--can-deposit", "--confirmations", "32", "--confirmations-for-trading", "1", "--min-deposit", "0.5")
	d.do("assets", "networks", "add", "SOL", "SIDE", "--default")
	d.do("assets", "networks", "set", "SOL", "MAIN", "--can-withdraw", "--chain", "ETH", "--deposit-fixed", "0.1", "--deposit-percent", "2",
		"--deposit-min-fee", "0.2", "--deposit-max-fee", "3", "--held-cap", "100", "--withdraw-fixed", "0.4", "--withdraw-percent", "5",
		"--withdraw-min-fee", "0.6", "--withdraw-max-fee", "7", "--approve-above", "80", "--approve2-above", "90", "--hour-cap", "70", "--hot-cap", "60")
	shown := d.get("assets/SOL")
	networks := shown.(map[string]any)["networks"].([]any)
	d.has(networks[0], `{"name":"MAIN","default":false,"can_deposit":true,"can_withdraw":true,"min_deposit":"0.5","confirmations":32,"confirmations_for_trading":1}`)
	d.has(networks[1], `{"name":"SIDE","default":true,"can_deposit":false}`)
	d.same(d.json("assets", "show", "SOL"), shown)
	d.prints(d.do("assets", "show", "SOL"), `
ticker        SOL
name          Solana
class         crypto
scale         18
precision     9
can deposit   yes
can withdraw  yes
min deposit   0.1
max deposit   1000
min withdraw  0.2
max withdraw  500
unified id    5426
deposit memo  yes
payout memo   no
networks      MAIN, SIDE
providers     A, B
codes         no
min code      0.3
not in eu     no

name  default  can deposit  can withdraw  min deposit  max deposit  min withdraw  max withdraw  confirmations  confirmations for trading  chain  deposit fixed  deposit percent  deposit min fee  deposit max fee  held cap  withdraw fixed  withdraw percent  withdraw min fee  withdraw max fee  approve above  approve2 above  hour cap  hot cap  contract  decimals
MAIN  no       yes          yes                   0.5            0             0             0             32                          1  ETH              0.1                2              0.2                3       100             0.4                 5               0.6                 7             80              90        70       60  -                0
SIDE  yes      no           no                      0            0             0             0              0                          0  -                  0                0                0                0         0               0                 0                 0                 0              0               0         0        0  -                0
`)
	d.do("assets", "networks", "remove", "SOL", "MAIN")
	if left := d.get("assets/SOL").(map[string]any)["networks"].([]any); len(left) != 1 {
		t.Errorf("got %v", left)
	}

	// A network that a file gives has nothing of the one that was in its place.
	file := `{"precision": 5, "name": "Solar", "networks": [{"name": "THIRD", "confirmations": 7}]}`
	if out, errs, code := d.try(file, "assets", "set", "SOL", "--file", "-", "--name", "Sun"); code != 0 {
		t.Fatalf("%q %q", out, errs)
	}
	d.has(d.get("assets/SOL"), `{"name":"Sun","precision":5,"min_deposit":"0.1"}`)
	d.has(d.get("assets/SOL").(map[string]any)["networks"].([]any)[0], `{"name":"THIRD","default":false,"confirmations":7}`)

	d.refuses(1, `asset "BTC" is there already`, "assets", "create", "BTC", "--name", "Other", "--class", "crypto", "--scale", "18")
	d.has(d.get("assets/BTC"), `{"name":"Bitcoin"}`)
	d.refuses(1, `there is no asset "XYZ"`, "assets", "set", "XYZ", "--name", "Y")
	d.refuses(1, `network "ERC20" is there already`, "assets", "networks", "add", "ETH", "ERC20")
	d.refuses(1, `there is no network "TRC"`, "assets", "networks", "set", "USDT", "TRC", "--no-can-deposit")
	d.refuses(1, `there is no network "TRC"`, "assets", "networks", "remove", "USDT", "TRC")
	d.refuses(1, `reading the settings: open /no-such-file: no such file or directory`, "assets", "set", "BTC", "--file", "/no-such-file")
	d.refuses(2, "operator assets set: there is nothing to change: give at least one setting", "assets", "set", "BTC")
	d.refuses(2, "operator assets networks set: there is nothing to change: give at least one setting", "assets", "networks", "set", "USDT", "TRC20")
}

func TestOperatorMarkets(t *testing.T) {
	d := openDesk(t)
	d.do("markets", "create", "BTC_EUR", "--tick", "0.01", "--step", "0.001", "--stock-prec", "6", "--money-prec", "2", "--fee-prec", "8", "--min-amount", "0.002",
		"--min-total", "5", "--max-total", "100000", "--maker-fee", "0.1", "--taker-fee", "0.2", "--taker-band", "5", "--rpi-premium", "0.02", "--region", "eu",
		"--opens-at", "2100-01-01T01:00:00+01:00")
	d.has(d.get("markets/BTC_EUR"), `{"name":"BTC_EUR","type":"spot","tick_size":"0.01","step_size":"0.001","stock_prec":6,"money_prec":2,"fee_prec":8,"min_amount":"0.002",
		"min_total":"5","max_total":"100000","maker_fee":"0.1","taker_fee":"0.2","taker_band":"5","rpi_premium":"0.02","enabled":false,"regions":["eu"],"opens_at":4102444800}`)
	d.do("markets", "set", "BTC_EUR", "--tick", "0.05", "--taker-band", "0", "--rpi-premium", "none", "--everywhere", "--maker-fee=-0.005")
	d.has(d.get("markets/BTC_EUR"), `{"tick_size":"0.05","step_size":"0.001","taker_band":"0","rpi_premium":null,"regions":[],"maker_fee":"-0.005","taker_fee":"0.2","opens_at":4102444800}`)
	d.do("markets", "enable", "BTC_EUR")
	d.has(d.get("markets/BTC_EUR"), `{"enabled":true,"tick_size":"0.05"}`)
	d.do("markets", "disable", "BTC_EUR")
	d.has(d.get("markets/BTC_EUR"), `{"enabled":false,"tick_size":"0.05"}`)

	before := time.Now().Add(2 * time.Hour).Unix()
	got := int64(d.json("markets", "set", "BTC_EUR", "--opens-at", "+2h").(map[string]any)["opens_at"].(float64))
	if after := time.Now().Add(2*time.Hour + time.Second).Unix(); got < before || got > after {
		t.Errorf("opens at %d, want %d to %d", got, before, after)
	}
	d.do("markets", "set", "BTC_EUR", "--opens-at", "4102444800")

	d.do("markets", "maintenance", "BTC_EUR", "--from", "2100-01-01T00:00:00Z", "--to", "4102448400")
	d.has(d.get("markets/BTC_EUR"), `{"maintenance_from":"2100-01-01T00:00:00Z","maintenance_to":"2100-01-01T01:00:00Z","in_maintenance":false}`)
	d.do("markets", "maintenance", "BTC_EUR", "--end")
	d.has(d.get("markets/BTC_EUR"), `{"maintenance_from":null,"maintenance_to":null}`)
	d.do("markets", "delist", "BTC_EUR", "--at", "4102444800")
	d.has(d.get("markets/BTC_EUR"), `{"delists_at":"2100-01-01T00:00:00Z","delisted":false}`)
	d.do("markets", "delist", "BTC_EUR", "--withdraw")
	d.has(d.get("markets/BTC_EUR"), `{"delists_at":null}`)
	d.do("index", "set", "BTC_EUR", "54321.987654321")
	d.has(d.get("markets/BTC_EUR"), `{"index":"54321.987654321"}`)
	d.do("index", "clear", "BTC_EUR")
	d.has(d.get("markets/BTC_EUR"), `{"index":null,"index_at":null}`)

	d.refuses(1, "Sources of an index are 0 to 8, and only 0 where the asset is neither collateral nor under a future. (source)", "index", "set", "BTC_EUR", "5", "--source", "3")

	opens := time.Unix(4102444800, 0).Local().Format(time.RFC3339)
	gap := strings.Repeat(" ", len(opens)-len("opens at"))
	none := strings.Repeat(" ", len(opens)-1)
	d.prints(d.do("markets", "list"), `
name      type  enabled  in maintenance  delisted  tick size  step size  maker fee  taker fee  taker band  regions  opens at`+gap+`  open orders  last price  index
BTC_USDT  spot  yes      no              no              0.5      0.005        0.1        0.1           5  -        -`+none+`            0           0  -
ETH_USDT  spot  yes      no              no             0.01     0.0001        0.1        0.1           0  -        -`+none+`            0           0  -
ETH_BTC   spot  yes      no              no         0.000001      0.001        0.1        0.1           0  -        -`+none+`            0           0  -
USDT_EUR  spot  yes      no              no           0.0001       0.01          0       0.05           0  -        -`+none+`            0           0  -
BTC_EUR   spot  no       no              no             0.05      0.001     -0.005        0.2           0  -        `+opens+`            0           0  -
`)
	d.same(d.json("markets", "list"), d.get("markets"))
	d.same(d.json("markets", "show", "BTC_EUR"), d.get("markets/BTC_EUR"))

	d.refuses(1, `market "BTC_USDT" is there already`, "markets", "create", "BTC_USDT", "--tick", "1")
	d.has(d.get("markets/BTC_USDT"), `{"tick_size":"0.5"}`)
	d.refuses(1, `there is no market "BTC_GOLD"`, "markets", "show", "BTC_GOLD")
	d.refuses(1, `there is no market "BTC_GOLD"`, "index", "set", "BTC_GOLD", "1")
	d.refuses(1, `an index price is greater than 0; DELETE withdraws it (price)`, "index", "set", "BTC_EUR", "0")
	d.refuses(2, "operator markets set: there is nothing to change: give at least one setting", "markets", "set", "BTC_EUR")
	d.refuses(2, "--region and --everywhere can't be used together", "markets", "set", "BTC_EUR", "--region", "eu", "--everywhere")
	d.refuses(2, "operator markets maintenance: maintenance wants --from and --to, or --end alone", "markets", "maintenance", "BTC_EUR", "--from", "+1h")
	d.refuses(2, "operator markets maintenance: maintenance wants --from and --to, or --end alone", "markets", "maintenance", "BTC_EUR", "--end", "--to", "+1h")
	d.refuses(2, "missing flags: --at=TIME or --withdraw", "markets", "delist", "BTC_EUR")
	for _, bad := range []string{"soon", "+soon", "2026-10-01", "10m", "+", ""} {
		d.refuses(2, fmt.Sprintf("--at: %q is not a time: write it like 2026-10-01T12:00:00Z, in Unix seconds, or from now like +10m or +2h", bad),
			"markets", "delist", "BTC_EUR", "--at="+bad)
	}
}
