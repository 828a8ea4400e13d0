package siege

import (
	"encoding/json"
	"fmt"

	"bourse/internal/conform"
)

const (
	// attacked is the market where attacks happen, quiet that of the neighbour alone.
	attacked, quiet = "BTC_USDT", "ETH_USDT"
	// traders is how many accounts there are beside the neighbour's. Each has a key of its name.
	traders = 16
	// wealth is what each of them has of every asset in its trade wallet.
	wealth = 1_000_000_000
)

// afar is an address of the network of all assets that is nobody's.
const afar = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

type object = map[string]any

// trader is the name of an account, and of its key.
func trader(i int) string { return fmt.Sprint("trader", i) }

// secret is that of a key.
func secret(key string) string { return "secret of " + key }

// account is one with a key of its name, and others.
func account(name string, money int, more ...object) object {
	all := object{}
	if money > 0 {
		all = object{"BTC": fmt.Sprint(money), "ETH": fmt.Sprint(money), "USDT": fmt.Sprint(money)}
	}
	keys := append([]object{{"key": name}}, more...)
	for _, k := range keys {
		k["secret"], k["enabled"] = secret(k["key"].(string)), true
	}
	return object{"name": name, "region": "global", "new_addresses": true, "checker": true, "deposits": all, "trade": all, "keys": keys}
}

// world is the set-up that all attacks begin with; market changes the market that is attacked.
func (s *Siege) world(market object, accounts ...object) string {
	var assets, markets []object
	for _, ticker := range []string{"BTC", "ETH", "USDT"} {
		assets = append(assets, object{
			"ticker": ticker, "name": ticker, "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": true, "codes": true,
			"networks": []object{{"name": "ERC20", "chain": "ETH", "can_deposit": true, "can_withdraw": true, "confirmations": 2, "confirmations_for_trading": 1}},
		})
	}
	for _, name := range []string{attacked, quiet} {
		m := object{
			"name": name, "type": "spot", "stock_prec": 6, "money_prec": 2, "fee_prec": 8, "min_amount": "0.001", "min_total": "0.01",
			"maker_fee": "0", "taker_fee": "0", "enabled": true,
		}
		if name == attacked {
			for field, value := range market {
				m[field] = value
			}
		}
		markets = append(markets, m)
	}
	accounts = append(accounts, account(honest, wealth), account("penniless", 0))
	for i := range traders {
		accounts = append(accounts, account(trader(i), wealth))
	}
	chains := []object{{"name": "ETH", "driver": "sandbox", "family": "evm", "net": "mainnet", "interval": "0", "paused": false}}
	text, err := json.Marshal(object{"chains": chains, "assets": assets, "markets": markets, "accounts": accounts})
	s.must(err)
	return string(text)
}

// start runs an exchange with the usual world and without rate limits.
func (s *Siege) start(flags ...string) *conform.Venue {
	s.Helper()
	return conform.Start(s.TB, s.world(nil), append(flags, "--no-limits")...)
}
