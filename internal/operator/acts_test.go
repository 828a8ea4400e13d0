package operator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/login"
	"bourse/internal/operator"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

// deed is an act with its blanks filled in, and what it brings about.
type deed struct {
	path, body string
	check      func(s *site, r reply)
}

// deeds has one for every row of the table of acts. They are done in the order of the table, on
// one exchange.
var deeds = map[string]deed{
	"GET /v1/accounts": {"/v1/accounts", "", func(s *site, r reply) {
		r.has(`"alice"`, 0, "name").has(`"bob"`, 1, "name").has("101", 0, "id").has(`"global"`, 0, "region").
			has("false", 0, "blocked").has("null", 0, "maker_fee").has(`"2026-09-21T14:13:20Z"`, 0, "created")
	}},
	"POST /v1/accounts": {"/v1/accounts", `{"name":"carol","region":"eu","retail":true,"rpi":true,"partner":true,"mining":true,"tradfi":true,"maker_fee":"0.05","taker_fee":"0","max_leverage":20,` +
		`"tier":3,"verified":true,"restricted_until":"2026-09-22T14:13:20Z","new_addresses":true,"checker":true,"credit_line":true,"invoices":true,"deposits":true,"approvals":true,"kyc_links":true}`, func(s *site, r reply) {
		r.has("3", "tier").has("true", "verified").has(`"2026-09-22T14:13:20Z"`, "restricted_until").has("true", "new_addresses").has("true", "checker").
			has("true", "credit_line").has("true", "invoices").has("true", "deposits").has("true", "approvals").has("true", "kyc_links")
		r.has("20", "max_leverage").has("103", "id").has(`"eu"`, "region").has(`"0.05"`, "maker_fee").has(`"0"`, "taker_fee").has("true", "retail")
		a := s.account("carol")
		if a.ID != 103 || a.Region != schema.EU || !a.Retail || !a.RPI || !a.Partner || !a.Mining || !a.TradFi || a.Blocked ||
			a.MakerFee.Value().String() != "0.05" || !a.TakerFee.Set() || !a.TakerFee.Value().IsZero() || a.Created != noon || a.MaxLeverage != 20 ||
			a.Tier != 3 || !a.Verified || a.RestrictedUntil != noon+24*3600*schema.Second || !a.NewAddresses || !a.Checker || !a.CreditLine || !a.Invoices ||
			!a.Deposits || !a.Approvals || !a.KYCLinks {
			s.t.Errorf("carol is %+v", a)
		}
	}},
	"GET /v1/accounts/{account}": {"/v1/accounts/carol", "", func(s *site, r reply) {
		r.has(`"carol"`, "name").has("103", "id").has("true", "rpi")
	}},
	"PATCH /v1/accounts/{account}": {"/v1/accounts/carol", `{"blocked":true,"taker_fee":null,"restricted_until":null}`, func(s *site, r reply) {
		r.has("null", "restricted_until").has("3", "tier").has("true", "verified").has("true", "credit_line")
		r.has("true", "blocked").has("null", "taker_fee").has(`"0.05"`, "maker_fee").has(`"eu"`, "region").has("true", "mining").has("true", "tradfi")
		if a := s.account("carol"); !a.Blocked || a.TakerFee.Set() || !a.MakerFee.Set() || a.Region != schema.EU || a.RestrictedUntil != 0 || a.Tier != 3 {
			s.t.Errorf("carol is %+v", a)
		}
	}},
	"GET /v1/accounts/{account}/keys": {"/v1/accounts/alice/keys", "", func(s *site, r reply) {
		r.has(`[{"account":"alice","addresses":[],"created":"2026-09-21T14:13:20Z","enabled":true,"key":"alice-key","title":"bot","urls":["*"]}]`)
	}},
	"POST /v1/accounts/{account}/keys": {
		"/v1/accounts/alice/keys", `{"key":"fresh","secret":"fresh-secret","title":"desk","urls":["/api/v4/orders"],"addresses":["10.0.0.1"]}`,
		func(s *site, r reply) {
			r.has(`{"account":"alice","addresses":["10.0.0.1"],"created":"2026-09-21T14:13:20Z","enabled":true,"key":"fresh","secret":"fresh-secret","title":"desk","urls":["/api/v4/orders"]}`)
			k := s.key("fresh")
			secret, err := s.x.Node.Key().Open(k.Sealed, directory.Purpose)
			if err != nil || string(secret) != "fresh-secret" || k.Account != 101 || !k.Enabled {
				s.t.Errorf("the key is %+v, its secret %q, %v", k, secret, err)
			}
		},
	},
	"PATCH /v1/keys/{key}": {"/v1/keys/fresh", `{"enabled":false,"addresses":[]}`, func(s *site, r reply) {
		r.has(`{"account":"alice","addresses":[],"created":"2026-09-21T14:13:20Z","enabled":false,"key":"fresh","title":"desk","urls":["/api/v4/orders"]}`)
		k := s.key("fresh")
		if secret, err := s.x.Node.Key().Open(k.Sealed, directory.Purpose); k.Enabled || len(k.Addresses) != 0 || string(secret) != "fresh-secret" {
			s.t.Errorf("the key is %+v, its secret %q, %v", k, secret, err)
		}
	}},
	"DELETE /v1/keys/{key}": {"/v1/keys/fresh", "", func(s *site, r reply) {
		r.has(`{"deleted":"fresh"}`)
		if k := s.key("fresh"); k != nil {
			s.t.Errorf("the key is still there: %+v", k)
		}
		s.must("GET", "/v1/accounts/alice/keys", "").has(`"alice-key"`, 0, "key")
	}},
	"POST /v1/accounts/{account}/invitations": {"/v1/accounts/alice/invitations", `{"login":"Alice@example.com"}`, func(s *site, r reply) {
		r.has(`"alice"`, "account").has(`"Alice@example.com"`, "login").has(`"2026-09-24T14:13:20Z"`, "expires")
		var made struct{ Link string }
		if err := json.Unmarshal([]byte(r.body), &made); err != nil {
			s.t.Fatal(err)
		}
		_, token, _ := strings.Cut(made.Link, "/welcome#")
		s.x.Node.Read(func(m core.View) {
			found, open := m.Identity().Invitation(login.Hash(token), m.Time())
			if !open || found.Account != 101 || found.Login != login.Digest(s.x.Node.Key(), "alice@EXAMPLE.com") {
				s.t.Errorf("the invitation is %+v, open %v", found, open)
			}
		})
		s.submit(&schema.Enrol{Digest: login.Hash(token), Factors: schema.Factors{Password: []byte("p"), TOTP: []byte("t"), Step: 1}, Session: login.Hash("x"), Device: "Chrome on Linux"})
	}},
	"GET /v1/users": {"/v1/users", "", func(s *site, r reply) {
		r.has(`[{"account":"alice","created":"2026-09-21T14:13:20Z","id":1,"locked_until":null,"login":"Alice@example.com","passkeys":0,"password":true,"sessions":1,"totp":true}]`)
	}},
	"GET /v1/accounts/{account}/sessions": {"/v1/accounts/alice/sessions", "", func(s *site, r reply) {
		r.has(`"Chrome on Linux"`, 0, "device").has(`"2026-09-21T14:13:20Z"`, 0, "last_used").has(`"2026-10-21T14:13:20Z"`, 0, "expires")
	}},
	"DELETE /v1/accounts/{account}/sessions": {"/v1/accounts/alice/sessions", "", func(s *site, r reply) {
		r.has("[]")
		s.must("GET", "/v1/accounts/alice/sessions", "").has("[]")
	}},
	"GET /v1/accounts/{account}/fees": {"/v1/accounts/alice/fees", "", func(s *site, r reply) { r.has("[]") }},
	"PUT /v1/accounts/{account}/fees/{market}": {"/v1/accounts/alice/fees/BTC_USDT", `{"maker":"-0.01","taker":"0.05"}`, func(s *site, r reply) {
		const want = `{"maker":"-0.01","market":"BTC_USDT","taker":"0.05"}`
		r.has(want)
		s.must("GET", "/v1/accounts/alice/fees", "").has("[" + want + "]")
		s.look(func(m core.View) {
			if fees := m.Trading().Fees(101); len(fees) != 1 || fees[0].Maker.Value().String() != "-0.01" || fees[0].Taker.Value().String() != "0.05" {
				s.t.Errorf("the fees are %+v", fees)
			}
		})
	}},
	"DELETE /v1/accounts/{account}/fees/{market}": {"/v1/accounts/alice/fees/BTC_USDT", "", func(s *site, r reply) {
		r.has(`{"maker":null,"market":"BTC_USDT","taker":null}`)
		s.must("GET", "/v1/accounts/alice/fees", "").has("[]")
		s.look(func(m core.View) {
			if fees := m.Trading().Fees(101); len(fees) != 0 {
				s.t.Errorf("the fees are %+v", fees)
			}
		})
	}},
	"GET /v1/accounts/{account}/balances": {"/v1/accounts/alice/balances", "", func(s *site, r reply) {
		r.has(`[{"asset":"BTC","available":"6","frozen":"0","held":"0","wallet":"main"},` +
			`{"asset":"USDT","available":"40000","frozen":"0","held":"0","wallet":"main"},` +
			`{"asset":"BTC","available":"4","frozen":"0","held":"0","wallet":"trade"},` +
			`{"asset":"USDT","available":"60000","frozen":"0","held":"0","wallet":"trade"}]`)
	}},
	"POST /v1/accounts/{account}/deposits": {"/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"12.5","held":true}`, func(s *site, r reply) {
		r.has(`"40012.5"`, 1, "available").has(`"12.5"`, 1, "held").has(`"USDT"`, 1, "asset").has(`"main"`, 1, "wallet")
		s.holds("alice", schema.Main, "USDT", "40012.5 0 12.5")
	}},
	"POST /v1/accounts/{account}/confirmations": {"/v1/accounts/alice/confirmations", `{"asset":"USDT","amount":"12"}`, func(s *site, r reply) {
		r.has(`"0.5"`, 1, "held")
		s.holds("alice", schema.Main, "USDT", "40012.5 0 0.5")
	}},
	"POST /v1/accounts/{account}/withdrawals": {"/v1/accounts/alice/withdrawals", `{"asset":"USDT","amount":"40012"}`, func(s *site, r reply) {
		r.has(`"0.5"`, 1, "available")
		s.holds("alice", schema.Main, "USDT", "0.5 0 0.5")
	}},
	"GET /v1/assets": {"/v1/assets", "", func(s *site, r reply) {
		r.has(`"BTC"`, 0, "ticker").has(`"USDT"`, 1, "ticker").has("6", 1, "precision").has(`"ERC20"`, 1, "networks", 0, "name")
	}},
	"GET /v1/assets/{asset}": {"/v1/assets/USDT", "", func(s *site, r reply) {
		r.has(`"Tether"`, "name").has(`["CARD"]`, "providers").has(`"5"`, "networks", 0, "min_deposit").has("32", "networks", 0, "confirmations")
	}},
	"PUT /v1/assets/{asset}": {"/v1/assets/ETH", `{"name":"Ether","class":"crypto","scale":18,"precision":8,"can_withdraw":true,"unified_id":1027}`, func(s *site, r reply) {
		r.has(`"ETH"`, "ticker").has("false", "can_deposit").has("true", "can_withdraw").has("[]", "networks")
		if a := s.asset("ETH"); a.ID != 3 || a.Name != "Ether" || a.Scale != 18 || a.Precision != 8 || a.CanDeposit || !a.CanWithdraw || a.UnifiedID != 1027 {
			s.t.Errorf("the asset is %+v", a)
		}
	}},
	"PATCH /v1/assets/{asset}": {"/v1/assets/ETH", `{"can_deposit":true,"min_withdraw":"0.1"}`, func(s *site, r reply) {
		r.has("true", "can_deposit").has(`"0.1"`, "min_withdraw").has(`"Ether"`, "name")
		if a := s.asset("ETH"); !a.CanDeposit || !a.CanWithdraw || a.MinWithdraw.String() != "0.1" || a.Name != "Ether" || a.UnifiedID != 1027 {
			s.t.Errorf("the asset is %+v", a)
		}
	}},
	"PUT /v1/assets/{asset}/networks/{network}": {"/v1/assets/ETH/networks/ERC20", `{"default":true,"can_deposit":true,"confirmations":32}`, func(s *site, r reply) {
		r.has(`"ERC20"`, "networks", 0, "name").has("true", "networks", 0, "default").has("32", "networks", 0, "confirmations").has(`"Ether"`, "name")
		if n := s.asset("ETH").Networks; len(n) != 1 || n[0].Name != "ERC20" || !n[0].Default || !n[0].CanDeposit || n[0].CanWithdraw || n[0].Confirmations != 32 {
			s.t.Errorf("the networks are %+v", n)
		}
	}},
	"PATCH /v1/assets/{asset}/networks/{network}": {"/v1/assets/ETH/networks/ERC20", `{"min_deposit":"0.01","hour_cap":"2.5"}`, func(s *site, r reply) {
		r.has(`"2.5"`, "networks", 0, "hour_cap").has(`"0.01"`, "networks", 0, "min_deposit").has("32", "networks", 0, "confirmations")
		if n := s.asset("ETH").Networks; len(n) != 1 || n[0].MinDeposit.String() != "0.01" || n[0].HourCap.String() != "2.5" || !n[0].Default || n[0].Confirmations != 32 {
			s.t.Errorf("the networks are %+v", n)
		}
	}},
	"DELETE /v1/assets/{asset}/networks/{network}": {"/v1/assets/ETH/networks/ERC20", "", func(s *site, r reply) {
		r.has("[]", "networks")
		if n := s.asset("ETH").Networks; len(n) != 0 {
			s.t.Errorf("the networks are %+v", n)
		}
	}},
	"GET /v1/assets/{asset}/index": {"/v1/assets/USDT/index", "", func(s *site, r reply) {
		r.has(`{"asset":"USDT","fresh":true,"max_age":30,"price":"1","sources":[]}`)
		s.must("GET", "/v1/assets/BTC/index", "").has(`{"asset":"BTC","fresh":false,"max_age":30,"price":null,"sources":[]}`)
	}},
	"GET /v1/collateral": {"/v1/collateral", "", func(s *site, r reply) { r.has("[]") }},
	"PATCH /v1/collateral/{asset}": {"/v1/collateral/ETH", `{"weight":"0.95"}`, func(s *site, r reply) {
		r.has(`{"account_cap":"0","asset":"ETH","index_max_age":30,"pool_cap":"0","rate":"0.000024375","weight":"0.95"}`)
		s.must("PATCH", "/v1/collateral/ETH", `{"pool_cap":"1000","account_cap":"5.5","index_max_age":60}`)
		s.look(func(m core.View) {
			if c, set := m.Prices().Collateral(3); !set || c.PoolCap.String() != "1000" || c.Weight.String() != "0.95" || c.IndexMaxAge != 60*schema.Second {
				s.t.Errorf("what is set is %+v", c)
			}
		})
	}},
	"GET /v1/collateral/{asset}": {"/v1/collateral/ETH", "", func(s *site, r reply) {
		const want = `{"account_cap":"5.5","asset":"ETH","index_max_age":60,"pool_cap":"1000","rate":"0.000024375","weight":"0.95"}`
		r.has(want)
		s.must("GET", "/v1/collateral", "").has("[" + want + "]")
	}},
	"GET /v1/conversion": {"/v1/conversion", "", func(s *site, r reply) {
		r.has(`{"day_most":"1000000","hubs":[],"loss_most":"10000","on":false,"open_most":"100000","spread":"0.002"}`)
		if c := s.conversion(); !c.OpenMost.IsZero() {
			s.t.Errorf("what is set is %+v", c)
		}
	}},
	"PATCH /v1/conversion": {"/v1/conversion", `{"on":true,"hubs":["USDT","BTC"]}`, func(s *site, r reply) {
		r.has(`{"day_most":"1000000","hubs":["USDT","BTC"],"loss_most":"10000","on":true,"open_most":"100000","spread":"0.002"}`)
		if c := s.conversion(); !c.On || len(c.Hubs) != 2 || c.Spread.String() != "0.002" || c.LossMost.String() != "10000" {
			s.t.Errorf("what is set is %+v", c)
		}
		const want = `{"day_most":"7","hubs":["USDT","BTC"],"loss_most":"6.5","on":true,"open_most":"5","spread":"0.25"}`
		s.must("PATCH", "/v1/conversion", `{"spread":"0.25","open_most":"5","day_most":"7","loss_most":"6.5"}`).has(want)
		s.must("GET", "/v1/conversion", "").has(want)
		s.must("PATCH", "/v1/conversion", `{"on":false,"hubs":[]}`).has("false", "on").has("[]", "hubs")
	}},
	"GET /v1/markets": {"/v1/markets", "", func(s *site, r reply) {
		r.has(`"BTC_USDT"`, 0, "name").has(`"0.01"`, 0, "tick_size").has("0", 0, "open_orders").has("null", 0, "index").has(`"0"`, 0, "last_price")
	}},
	"GET /v1/markets/{market}": {"/v1/markets/BTC_USDT", "", func(s *site, r reply) {
		r.has(`{"delisted":false,"delists_at":null,"enabled":true,"fee_prec":8,"in_maintenance":false,"index":null,"index_at":null,"last_price":"0",` +
			`"maintenance_from":null,"maintenance_to":null,"maker_fee":"0.1","max_orders":0,"max_total":"1000000","min_amount":"0.001","min_total":"5","money_prec":2,` +
			`"name":"BTC_USDT","open_orders":0,"opens_at":0,"regions":[],"rpi_premium":null,"step_size":"0.000001","stock_prec":6,"taker_band":"10",` +
			`"taker_fee":"0.2","tick_size":"0.01","type":"spot"}`)
	}},
	"PUT /v1/markets/{market}": {
		"/v1/markets/ETH_USDT", `{"stock_prec":4,"money_prec":2,"fee_prec":6,"min_amount":"0.01","maker_fee":"0.1","taker_fee":"0.1","rpi_premium":"0.02","enabled":true,"regions":["eu"],"opens_at":1790000100}`,
		func(s *site, r reply) {
			r.has(`"spot"`, "type").has(`["eu"]`, "regions").has("1790000100", "opens_at").has(`"0.02"`, "rpi_premium")
			m := s.market("ETH_USDT")
			if m.ID != 2 || m.Base != 3 || m.Quote != 2 || m.Type != schema.Spot || m.StockPrec != 4 || !m.Enabled || m.Regions != schema.In(schema.EU) || m.OpensAt != noon+100*schema.Second {
				s.t.Errorf("the market is %+v", m)
			}
		},
	},
	"PATCH /v1/markets/{market}": {"/v1/markets/ETH_USDT", `{"taker_fee":"0.3","regions":[],"rpi_premium":null}`, func(s *site, r reply) {
		r.has(`"0.3"`, "taker_fee").has("[]", "regions").has("null", "rpi_premium").has(`"0.1"`, "maker_fee").has("4", "stock_prec")
		if m := s.market("ETH_USDT"); m.TakerFee.String() != "0.3" || m.MakerFee.String() != "0.1" || m.Regions != 0 || m.RPIPremium.Set() || m.OpensAt != noon+100*schema.Second {
			s.t.Errorf("the market is %+v", m)
		}
	}},
	"PUT /v1/markets/{market}/maintenance": {"/v1/markets/BTC_USDT/maintenance", `{"from":1790000010,"to":1790000020}`, func(s *site, r reply) {
		r.has(`"2026-09-21T14:13:30Z"`, "maintenance_from").has(`"2026-09-21T14:13:40Z"`, "maintenance_to").has("false", "in_maintenance")
		if m := s.market("BTC_USDT"); m.MaintenanceFrom != noon+10*schema.Second || m.MaintenanceTo != noon+20*schema.Second {
			s.t.Errorf("the market is %+v", m)
		}
	}},
	"DELETE /v1/markets/{market}/maintenance": {"/v1/markets/BTC_USDT/maintenance", "", func(s *site, r reply) {
		r.has("null", "maintenance_from").has("null", "maintenance_to")
		if m := s.market("BTC_USDT"); m.MaintenanceFrom != 0 || m.MaintenanceTo != 0 {
			s.t.Errorf("the market is %+v", m)
		}
	}},
	"PUT /v1/markets/{market}/delisting": {"/v1/markets/BTC_USDT/delisting", `{"at":1790000060}`, func(s *site, r reply) {
		r.has(`"2026-09-21T14:14:20Z"`, "delists_at").has("false", "delisted")
		if m := s.market("BTC_USDT"); m.DelistsAt != noon+60*schema.Second {
			s.t.Errorf("the market is %+v", m)
		}
	}},
	"DELETE /v1/markets/{market}/delisting": {"/v1/markets/BTC_USDT/delisting", "", func(s *site, r reply) {
		r.has("null", "delists_at")
		if m := s.market("BTC_USDT"); m.DelistsAt != 0 {
			s.t.Errorf("the market is %+v", m)
		}
	}},
	"PUT /v1/markets/{market}/index": {"/v1/markets/BTC_USDT/index", `{"price":"65000.123456789"}`, func(s *site, r reply) {
		r.has(`"65000.123456789"`, "index").has(`"2026-09-21T14:13:20Z"`, "index_at")
		s.index("65000.123456789", noon)
	}},
	"DELETE /v1/markets/{market}/index": {"/v1/markets/BTC_USDT/index", "", func(s *site, r reply) {
		r.has("null", "index").has("null", "index_at")
		s.index("0", 0)
	}},
	"GET /v1/accounts/{account}/margin": {"/v1/accounts/alice/margin", "", func(s *site, r reply) {
		r.has(`"alice"`, "account").has(`"none"`, "risk").has("10", "leverage").has("false", "hedge_mode").has(`"20000"`, "equity").has(`"0"`, "unrealized").
			has(`"1"`, "margin").has(`"0.3"`, "maintenance").has("[]", "loans").
			has(`{"amount":"0.1","cost":"10","fees":"0","funding":"0","id":1,"liquidation_price":null,"mark":"100","market":"BTC_PERP",`+
				`"opened":"2026-09-21T14:13:20Z","realized":"0","side":"BOTH"}`, "positions", 0)
	}},
	"DELETE /v1/accounts/{account}/positions/{position}": {"/v1/accounts/alice/positions/1", "", func(s *site, r reply) {
		r.has("[]", "positions").has(`"alice"`, "account").has(`"0"`, "margin")
		s.look(func(m core.View) {
			if list := m.Collateral().Positions(101); len(list) != 0 {
				s.t.Errorf("alice has %+v", list)
			}
		})
	}},
	"GET /v1/funds": {"/v1/funds", "", func(s *site, r reply) { r.has("[]") }},
	"POST /v1/funds/{fund}/deposits": {"/v1/funds/insurance/deposits", `{"asset":"USDT","amount":"1000.5"}`, func(s *site, r reply) {
		r.has(`[{"asset":"USDT","clearing":"0","codes":"0","convert":"0","custody":"0","insurance":"1000.5","interest":"0","lending":"0","lent":"0","owed":"0","pool":"0","suspense":"0"}]`)
		s.must("POST", "/v1/funds/lending/deposits", `{"asset":"BTC","amount":"3"}`).
			has(`{"asset":"BTC","clearing":"0","codes":"0","convert":"0","custody":"0","insurance":"0","interest":"0","lending":"3","lent":"0","owed":"0","pool":"0","suspense":"0"}`, 0)
		s.must("GET", "/v1/accounts/lending/balances", "").has(`[{"asset":"BTC","available":"3","frozen":"0","held":"0","wallet":"main"}]`)
	}},
	"POST /v1/funds/{fund}/withdrawals": {"/v1/funds/insurance/withdrawals", `{"asset":"USDT","amount":"1000"}`, func(s *site, r reply) {
		r.has(`{"asset":"USDT","clearing":"0","codes":"0","convert":"0","custody":"0","insurance":"0.5","interest":"0","lending":"0","lent":"0","owed":"0","pool":"0","suspense":"0"}`, 1)
		s.must("GET", "/v1/accounts/insurance/balances", "").has(`[{"asset":"USDT","available":"0.5","frozen":"0","held":"0","wallet":"main"}]`)
	}},
	"GET /v1/chains": {"/v1/chains", "", func(s *site, r reply) {
		r.has(`[{"adopted":[],"asked":"","bookings":[],"busy":false,"driver":"sandbox","family":"evm","fee_rate_max":0,"halted":false,"hash":"` + strings.Repeat("0", 64) +
			`","height":0,"interval":"0","name":"ETH","net":"testnet","number":0,"paused":false,"proposal":"","resuming":"","stuck":false,"waiting":0}]`)
	}},
	"GET /v1/chains/{chain}": {"/v1/chains/ETH", "", func(s *site, r reply) { r.has(`"evm"`, "family").has("0", "height") }},
	"PUT /v1/chains/{chain}": {"/v1/chains/XRP", `{"family":"xrp","net":"testnet","interval":"2.5"}`, func(s *site, r reply) {
		r.has(`"sandbox"`, "driver").has(`"2.5"`, "interval")
		want := schema.Chain{ID: 2, Name: "XRP", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Interval: 2500 * schema.Second / 1000}
		if c := s.chain("XRP"); c != want {
			s.t.Errorf("the chain is %+v", c)
		}
	}},
	"PATCH /v1/chains/{chain}": {"/v1/chains/XRP", `{"paused":true,"stuck":true}`, func(s *site, r reply) {
		r.has("true", "paused").has("true", "stuck").has(`"2.5"`, "interval").has(`"xrp"`, "family")
		if c := s.chain("XRP"); !c.Paused || !c.Stuck || c.Interval != 2500*schema.Second/1000 {
			s.t.Errorf("the chain is %+v", c)
		}
	}},
	"POST /v1/chains/{chain}/payments": {"/v1/chains/ETH/payments", `{"asset":"USDT","amount":"100","account":"alice"}`, func(s *site, r reply) {
		r.has(`{"account":"alice","address":"` + ethereum(1) + `","amount":"100","asset":"USDT","chain":"ETH","memo":"","receipt":"` + schema.SandboxReceipt("ETH", 1) + `"}`)
		s.must("GET", "/v1/chains/ETH", "").has("1", "waiting").has(`[{"asset":"USDT","booked":"0","coins":"0","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
	}},
	"POST /v1/accounts/{account}/faucet": {"/v1/accounts/bob/faucet", `{"asset":"USDT","amount":"7"}`, func(s *site, r reply) {
		r.has(`{"account":"bob","address":"` + ethereum(2) + `","amount":"7","asset":"USDT","chain":"ETH","memo":"","receipt":"` + schema.SandboxReceipt("ETH", 2) + `"}`)
	}},
	"POST /v1/chains/{chain}/blocks": {"/v1/chains/ETH/blocks", `{"blocks":5}`, func(s *site, r reply) {
		hash := schema.SandboxBlock("ETH", 5, 5)
		r.has("5", "height").has(fmt.Sprintf("%q", fmt.Sprintf("%x", hash[:])), "hash").has("0", "waiting").
			has(`[{"asset":"USDT","booked":"0","coins":"107","cold":"0","difference":"107","wanted":"0"}]`, "bookings")
	}},
	"POST /v1/chains/{chain}/reorganisations": {"/v1/chains/ETH/reorganisations", `{"depth":1}`, func(s *site, r reply) {
		r.has("6", "height").has(`[{"asset":"USDT","booked":"107","coins":"107","cold":"0","difference":"0","wanted":"0"}]`, "bookings")
		s.holds("alice", schema.Main, "USDT", "100.5 0 100.5")
	}},
	"GET /v1/deposits": {"/v1/deposits", "", func(s *site, r reply) {
		r.has(`{"account":"bob","address":"`+ethereum(2)+`","amount":"7","asset":"USDT","chain":"ETH","changed":"2026-09-21T14:13:20Z","confirmations":6,`+
			`"created":"2026-09-21T14:13:20Z","fee":"0","height":1,"id":2,"memo":"","receipt":"`+schema.SandboxReceipt("ETH", 2)+`","reversed":false,"status":"held"}`, 0).
			has(`"alice"`, 1, "account")
		for query, want := range map[string]string{
			"account=alice": "1", "account=bob&status=held": "2", "status=lost": "", "chain=XRP": "", "chain=ETH": "2 1", "limit=1": "2", "limit=1&offset=1": "1", "offset=2": "",
		} {
			if got := s.must("GET", "/v1/deposits?"+query, "").every("id"); got != want {
				s.t.Errorf("%s: deposits %s instead of %s", query, got, want)
			}
		}
	}},
	"POST /v1/deposits/{deposit}/decision": {"/v1/deposits/3/decision", `{"decision":"freeze"}`, func(s *site, r reply) {
		r.has(`{"account":"alice","amount":"20","asset":"USDT","decision":"freeze","id":3}`)
		s.must("GET", "/v1/deposits?status=frozen", "").has("3", 0, "id")
	}},
	"GET /v1/withdrawals": {"/v1/withdrawals", "", func(s *site, r reply) {
		r.has(`{"account":"alice","address":"`+outside+`","amount":"20","approver":"","asset":"USDT","chain":"ETH","changed":"2026-09-21T14:13:20Z","confirmations":0,`+
			`"created":"2026-09-21T14:13:20Z","fee":"1","height":0,"id":3,"lacks":"","memo":"","needed":2,"payout":0,"refund":0,"signed":[],"status":"review","to":"","tx":"","unique":"three"}`, 0).
			has(`"queued"`, 2, "status").has(`"4"`, 2, "amount")
		for query, want := range map[string]string{
			"account=alice": "3 2 1", "account=bob": "", "status=review": "3 2", "status=queued&account=alice": "1", "status=done": "", "chain=XRP": "", "chain=ETH": "3 2 1",
			"limit=1": "3", "limit=1&offset=1": "2", "offset=3": "",
		} {
			if got := s.must("GET", "/v1/withdrawals?"+query, "").every("id"); got != want {
				s.t.Errorf("%s: withdrawals %s instead of %s", query, got, want)
			}
		}
	}},
	"POST /v1/withdrawals/{withdrawal}/decision": {"/v1/withdrawals/3/decision", `{"decision":"approve"}`, func(s *site, r reply) {
		r.has(`{"account":"alice","amount":"20","asset":"USDT","decision":"approve","id":3,"needed":1}`)
		s.must("GET", "/v1/withdrawals?status=review", "").has(`"operator"`, 0, "approver").has("1", 0, "needed")
	}},
	"GET /v1/owed": {"/v1/owed", "", func(s *site, r reply) { r.has(`[{"account":"bob","asset":"USDT","owed":"1000"}]`) }},
	"POST /v1/accounts/{account}/forgiveness": {"/v1/accounts/bob/forgiveness", `{"asset":"USDT","amount":"400"}`, func(s *site, r reply) {
		s.holds("bob", schema.Owed, "USDT", "600 0 0")
		r.has(`{"asset":"USDT","available":"600","frozen":"0","held":"0","wallet":"owed"}`, len(r.list())-1)
		s.must("GET", "/v1/owed", "").has(`[{"account":"bob","asset":"USDT","owed":"600"}]`)
		s.must("GET", "/v1/funds", "").has(`"600"`, 1, "owed")
	}},
	"GET /v1/tiers": {"/v1/tiers", "", func(s *site, r reply) {
		if got := r.every("tier"); got != "0 1 2 3 4 5 6 7 8 9" {
			s.t.Errorf("there are tiers %s", got)
		}
		r.has(`{"day":"0","month":"0","tier":0}`, 0).has(`{"day":"0","month":"0","tier":9}`, 9)
	}},
	"PUT /v1/tiers/{tier}": {"/v1/tiers/2", `{"day":"1000","month":"20000.5"}`, func(s *site, r reply) {
		const want = `{"day":"1000","month":"20000.5","tier":2}`
		r.has(want)
		s.must("PUT", "/v1/tiers/9", `{"tier":9,"month":"0.00000001"}`).has(`{"day":"0","month":"0.00000001","tier":9}`)
		s.must("GET", "/v1/tiers", "").has(`{"day":"0","month":"0","tier":1}`, 1).has(want, 2).has(`{"day":"0","month":"0.00000001","tier":9}`, 9)
		s.look(func(m core.View) {
			if all := m.Tiers().All(); len(all) != 2 || all[0].Day.String() != "1000" || all[0].Month.String() != "20000.5" || all[1].Number != 9 {
				s.t.Errorf("the tiers are %+v", all)
			}
		})
		s.must("PUT", "/v1/tiers/2", `{"month":"7"}`).has(`{"day":"0","month":"7","tier":2}`)
	}},
	"GET /v1/credits": {"/v1/credits", "", func(s *site, r reply) { r.has("[]") }},
	"POST /v1/accounts/{account}/credit": {
		"/v1/accounts/erin/credit", `{"asset":"USDT","amount":"500","initial":"50","margin_call":"70.5","liquidation":"85"}`,
		func(s *site, r reply) {
			const want = `{"account":"erin","amount":"500","asset":"USDT","created":"2026-09-21T14:13:20Z","funding":"0","initial":"50","liquidation":"85","ltv":"33.34","margin_call":"70.5"}`
			r.has(want)
			s.must("GET", "/v1/credits", "").has("[" + want + "]")
			s.holds("erin", schema.Main, "USDT", "1500 0 0")
		},
	},
	"POST /v1/accounts/{account}/credit/charges": {"/v1/accounts/erin/credit/charges", `{"amount":"20"}`, func(s *site, r reply) {
		r.has(`{"account":"erin","amount":"500","asset":"USDT","created":"2026-09-21T14:13:20Z","funding":"20","initial":"50","liquidation":"85","ltv":"33.79","margin_call":"70.5"}`)
		s.holds("erin", schema.Main, "USDT", "1480 0 0")
	}},
	"POST /v1/accounts/{account}/credit/repayments": {"/v1/accounts/erin/credit/repayments", `{"amount":"100"}`, func(s *site, r reply) {
		r.has(`{"account":"erin","amount":"400","asset":"USDT","created":"2026-09-21T14:13:20Z","funding":"20","initial":"50","liquidation":"85","ltv":"28.99","margin_call":"70.5"}`)
		s.holds("erin", schema.Main, "USDT", "1380 0 0")
	}},
	"GET /v1/verdicts": {"/v1/verdicts", "", func(s *site, r reply) { r.has("[]") }},
	"PUT /v1/verdicts/{address}": {"/v1/verdicts/0xbad", `{"risk":"high","description":"Funds of a thief."}`, func(s *site, r reply) {
		const want = `{"address":"0xbad","description":"Funds of a thief.","fails":false,"risk":"high"}`
		r.has(want)
		const broken = `{"address":"0xa/b","description":"","fails":true,"risk":""}`
		s.must("PUT", "/v1/verdicts/0xa%2Fb", `{"address":"0xa/b","fails":true}`).has(broken)
		s.must("GET", "/v1/verdicts", "").has("[" + broken + "," + want + "]")
		s.must("GET", "/v1/verdicts?limit=1&offset=1", "").has("[" + want + "]")
	}},
	"DELETE /v1/verdicts/{address}": {"/v1/verdicts/0xbad", "", func(s *site, r reply) {
		r.has(`{"address":"0xbad","description":"","fails":false,"risk":""}`)
		if got := s.must("GET", "/v1/verdicts", "").every("address"); got != "0xa/b" {
			s.t.Errorf("there are verdicts on %s", got)
		}
	}},
	"GET /v1/vasps": {"/v1/vasps", "", func(s *site, r reply) { r.has("[]") }},
	"PUT /v1/vasps/{vasp}": {"/v1/vasps/acme", `{"name":"Acme"}`, func(s *site, r reply) {
		r.has(`{"id":"acme","name":"Acme"}`)
		s.must("PUT", "/v1/vasps/a%2Fb", `{"id":"a/b","name":"AB"}`).has(`{"id":"a/b","name":"AB"}`)
		s.must("PUT", "/v1/vasps/acme", `{"name":"Acme Exchange"}`)
		s.must("GET", "/v1/vasps", "").has(`[{"id":"a/b","name":"AB"},{"id":"acme","name":"Acme Exchange"}]`)
		s.must("GET", "/v1/vasps?limit=1&offset=1", "").has(`[{"id":"acme","name":"Acme Exchange"}]`)
	}},
	"DELETE /v1/vasps/{vasp}": {"/v1/vasps/acme", "", func(s *site, r reply) {
		r.has(`{"id":"acme","name":""}`)
		s.must("GET", "/v1/vasps", "").has(`[{"id":"a/b","name":"AB"}]`)
		s.must("DELETE", "/v1/vasps/acme", "") // one that is not known
	}},
	"GET /v1/deposits/{deposit}/travel":       {"/v1/deposits/5/travel", "", func(s *site, r reply) { r.has(gretasSender) }},
	"GET /v1/withdrawals/{withdrawal}/travel": {"/v1/withdrawals/4/travel", "", func(s *site, r reply) { r.has(gretasReceiver) }},
	"GET /v1/platform": {"/v1/platform", "", func(s *site, r reply) {
		r.has(`{"bounded_work":true,"exact_money":true,"exact_nonces":true,"idle_keys":true,"judged_keys":true,"maintenance":false,"step_rule":true,"two_operators":true}`)
	}},
	"PATCH /v1/platform": {"/v1/platform", `{"maintenance":true,"step_rule":false}`, func(s *site, r reply) {
		r.has(`{"bounded_work":true,"exact_money":true,"exact_nonces":true,"idle_keys":true,"judged_keys":true,"maintenance":true,"step_rule":false,"two_operators":true}`)
		s.look(func(m core.View) {
			if !m.InMaintenance() || m.Features().StepRule {
				s.t.Errorf("maintenance is %v, the step rule %v", m.InMaintenance(), m.Features().StepRule)
			}
		})
	}},
	"GET /v1/withdrawals/{withdrawal}/approval": {"/v1/withdrawals/6/approval", "", func(s *site, r reply) { r.has(approvalOf(6)) }},
	"POST /v1/withdrawals/{withdrawal}/settlement": {"/v1/withdrawals/5/settlement", `{"outcome":"4"}`, func(s *site, r reply) {
		r.has(`{"account":"alice","amount":"4","asset":"EUR","decision":"4","id":5}`)
		s.holds("alice", schema.Main, "EUR", "16 0 0")
	}},
	"GET /v1/invoices": {"/v1/invoices", "", func(s *site, r reply) {
		r.has(`{"account":"alice","amount":"30","asset":"EUR","chain":"SEPA","changed":"2026-09-21T14:13:20Z","created":"2026-09-21T14:13:20Z",`+
			`"expires":"2026-09-22T14:13:20Z","fee":"0","id":6,"status":"open","unique":"order"}`, 0)
	}},
	"POST /v1/invoices/{invoice}/settlement": {"/v1/invoices/6/settlement", `{"outcome":"paid"}`, func(s *site, r reply) {
		r.has(`{"account":"alice","amount":"30","asset":"EUR","decision":"paid","id":6}`)
		s.holds("alice", schema.Main, "EUR", "46 0 0")
		s.must("GET", "/v1/invoices", "").has(`[]`)
	}},
	"GET /v1/chains/{chain}/payouts": {"/v1/chains/NODE/payouts", "", func(s *site, r reply) {
		r.has(`[{"approver":"","asset":"GAS","chain":"NODE","created":"2026-09-21T14:13:20Z","fee":"0.01","giving_up":false,"height":0,"id":1,"parent":0,"status":"planned","tx":"","variants":1,"withdrawals":[]}]`)
	}},
	"POST /v1/payouts/{payout}/decision": {"/v1/payouts/1/decision", `{"decision":"give up"}`, func(s *site, r reply) {
		r.has("true", "giving_up").has(`"planned"`, "status")
	}},
	"POST /v1/chains/{chain}/refill": {"/v1/chains/NODE/refill", `{"asset":"GAS","amount":"3"}`, func(s *site, r reply) {
		r.has(`[{"asset":"GAS","booked":"12","coins":"12","cold":"7","difference":"0","wanted":"3"}]`, "bookings")
	}},
	"POST /v1/chains/{chain}/resumption": {"/v1/chains/NODE/resumption", `{"height":1,"hash":"01` + strings.Repeat("0", 62) + `"}`, func(s *site, r reply) {
		r.has("true", "halted").has(`"operator"`, "resuming").has("1", "height")
	}},
	"POST /v1/chains/{chain}/adoption": {"/v1/chains/NODE/adoption", `{"tx":"theft"}`, func(s *site, r reply) {
		r.has("true", "halted").has(`"operator"`, "asked").has(`"adopt theft"`, "proposal")
	}},
	"POST /v1/chains/{chain}/surplus": {"/v1/chains/COINS/surplus", `{"asset":"COIN","amount":"1","address":"` + topUp + `","coin":"` + output + `"}`, func(s *site, r reply) {
		r.has("0", "deposit").has(`"1"`, "amount")
	}},
	"GET /v1/proposals": {"/v1/proposals", "", func(s *site, r reply) {
		r.has(`[{"approver":"","changes":["network COIN: approve_above from 10 to 12"],"created":"` + s.at() + `","due":null,"operator":"otto","proposal":1,"status":"asked","what":"asset COIN"},` +
			`{"approver":"","changes":[],"created":"` + s.at() + `","due":null,"operator":"otto","proposal":2,"status":"asked","what":"bring 11 COIN to bob"}]`)
	}},
	"POST /v1/proposals/{proposal}/approve": {"/v1/proposals/2/approve", "{}", func(s *site, r reply) {
		r.has(`"done"`, "status").has(`"operator"`, "approver").has(`"otto"`, "operator").has("2", "proposal")
		s.holds("bob", schema.Main, "COIN", "11 0 0")
	}},
	"POST /v1/proposals/{proposal}/cancel": {"/v1/proposals/1/cancel", "{}", func(s *site, r reply) {
		r.has(`"canceled"`, "status").has(`""`, "approver").has("1", "proposal")
		s.must("GET", "/v1/proposals", "").has("[]")
	}},
	"GET /v1/audit": {"/v1/audit?limit=2", "", func(s *site, r reply) {
		if got := r.every("operator"); got != "operator operator" {
			s.t.Errorf("the last acts are those of %s", got)
		}
		r.has(`{"set_feature":{"feature":1}}`, 0, "command").has(`{"set_feature":{"feature":2,"on":true}}`, 1, "command")
	}},

	"GET /v1/webhooks": {"/v1/webhooks", "", func(s *site, r reply) { r.has("[]") }},
	"GET /v1/accounts/{account}/webhook/deliveries": {"/v1/accounts/alice/webhook/deliveries", "", func(s *site, r reply) { r.has("[]") }},
	"PUT /v1/accounts/{account}/webhook": {"/v1/accounts/alice/webhook", `{"url":"` + hookSite() + `/hook?token=1","key":"hook-key","secret":"hook-secret","events":["deposit.accepted"]}`, func(s *site, r reply) {
		r.has(`"hook-secret"`, "secret").has(`["deposit.accepted"]`, "events").has("true", "on").has("false", "verified").has("false", "active").has(`"alice"`, "account")
		w := s.hook("alice")
		if secret, err := s.x.Node.Key().Open(w.Sealed, webhook.Purpose); err != nil || string(secret) != "hook-secret" || w.Key != "hook-key" || !w.On {
			s.t.Errorf("the webhook is %+v", w)
		}
		s.must("GET", "/v1/webhooks?account=alice", "").has(`"hook-key"`, 0, "key")
		s.must("GET", "/v1/webhooks?account=bob", "").has("[]")
	}},
	"POST /v1/accounts/{account}/webhook/verification": {"/v1/accounts/alice/webhook/verification", `{}`, func(s *site, r reply) {
		r.has("true", "verified").has("true", "active")
	}},
	"POST /v1/accounts/{account}/webhook/pause": {"/v1/accounts/alice/webhook/pause", `{"paused":true}`, func(s *site, r reply) {
		r.has("true", "paused").has("true", "active")
		if !s.hook("alice").Paused {
			s.t.Error("it is not paused")
		}
	}},
	"POST /v1/accounts/{account}/webhook/resend": {"/v1/accounts/alice/webhook/resend", `{"event":1}`, func(s *site, r reply) {
		r.has("1", "announced").has("1", "waiting")
		s.must("GET", "/v1/accounts/alice/webhook/deliveries", "").has("1", 0, "event").has(`"deposit.accepted"`, 0, "type").has(`"waiting"`, 0, "outcome").has("null", 0, "tried")
		s.must("GET", "/v1/accounts/alice/webhook/deliveries?before=1", "").has("[]")
	}},
	"DELETE /v1/accounts/{account}/webhook": {"/v1/accounts/alice/webhook", "", func(s *site, r reply) {
		r.has(`{"deleted":"alice"}`)
		s.must("GET", "/v1/webhooks", "").has("[]")
	}},

	"GET /v1/plans": {"/v1/plans", "", func(s *site, r reply) { r.has("[]") }},
	"PUT /v1/plans/{plan}": {"/v1/plans/ten-days", `{"kind":"fixed","asset":"USDT","percent":"1.5","minutes":14400,"min":"10","max":"100","cap":"500","regions":["global"],"private":true}`, func(s *site, r reply) {
		r.has(`"ten-days"`, "name").has(`"USDT"`, "payout").has(`"1"`, "ratio").has(`"active"`, "status").has(`["global"]`, "regions").has("[]", "accounts").has(`"0"`, "invested")
		s.must("PUT", "/v1/plans/daily", `{"kind":"flex","asset":"BTC","rate":"0.05","min":"0.01","status":"paused"}`).has(`"0.05"`, "rate").has(`"paused"`, "status").has("[]", "regions")
		s.x.Node.Read(func(m core.View) {
			if p := m.Earn().PlanByName("ten-days"); p.Percent.String() != "1.5" || p.Minutes != 14400 || p.Ratio.String() != "1" || !p.Private || p.Regions != schema.In(schema.Global) {
				s.t.Errorf("the plan is %+v", p)
			}
		})
	}},
	"GET /v1/plans/{plan}": {"/v1/plans/daily", "", func(s *site, r reply) { r.has(`"flex"`, "kind").has(`"0"`, "max") }},
	"PATCH /v1/plans/{plan}": {"/v1/plans/daily", `{"status":"active","rate":"0.04"}`, func(s *site, r reply) {
		r.has(`"active"`, "status").has(`"0.04"`, "rate").has(`"0.01"`, "min")
	}},
	"PUT /v1/plans/{plan}/accounts/{account}":    {"/v1/plans/ten-days/accounts/alice", "", func(s *site, r reply) { r.has(`["alice"]`, "accounts") }},
	"DELETE /v1/plans/{plan}/accounts/{account}": {"/v1/plans/ten-days/accounts/alice", "", func(s *site, r reply) { r.has("[]", "accounts") }},
	"GET /v1/accounts/{account}/investments":     {"/v1/accounts/alice/investments", "", func(s *site, r reply) { r.has("[]") }},
	"GET /v1/pool": {"/v1/pool", "", func(s *site, r reply) {
		r.has(`{"accounts":10,"asset":"BTC","blocks":[],"chain":"","day":null,"fee":"0.04","fund":"0","least":"0.001","links":3,"open":false,"pending":"0","rate":"0","rewards":0,"short":null,"unit":0,"unlucky":0,"worth":"0"}`)
		s.look(func(m core.View) {
			if t, _ := m.Mining().Terms(); t != (schema.PoolTerms{}) {
				s.t.Errorf("what is set is %+v", t)
			}
		})
	}},
	"PATCH /v1/pool": {"/v1/pool", `{"open":true,"unit":16,"accounts":2}`, func(s *site, r reply) {
		r.has("true", "open").has("16", "unit").has("2", "accounts").has(`"0.04"`, "fee")
		s.must("PATCH", "/v1/pool", `{"fee":"0.025","least":"0.5","links":7}`).has(`"0.025"`, "fee").has(`"0.5"`, "least").has("7", "links").has("true", "open").has("16", "unit")
		s.look(func(m core.View) {
			if t, _ := m.Mining().Terms(); !t.Open || t.Asset != 1 || t.Chain != 0 || t.Unit != 16 || t.Fee.String() != "0.025" || t.Least.String() != "0.5" || t.Accounts != 2 || t.Links != 7 {
				s.t.Errorf("what is set is %+v", t)
			}
		})
	}},
	"PUT /v1/pool/rate": {"/v1/pool/rate", `{"rate":"6.25"}`, func(s *site, r reply) {
		r.has(`"6.25"`, "rate").has("true", "open")
		s.must("PUT", "/v1/pool/rate", `{"rate":"3.125"}`).has(`"3.125"`, "rate")
		s.must("POST", "/v1/funds/pool/deposits", `{"asset":"BTC","amount":"2"}`)
		s.must("GET", "/v1/pool", "").has(`"2"`, "fund")
	}},
	"GET /v1/pool/accounts": {"/v1/pool/accounts", "", func(s *site, r reply) {
		r.has(`[{"account":"alice","address":"","barred":false,"created":"` + s.clock().Format(time.RFC3339) + `","expected":"0","found":0,"id":1,"name":"rigs","referral":"friend","since":null,"unlucky":false}]`)
		s.submit(&schema.OpenMining{Account: s.account("bob").ID, Name: "more"})
		s.must("GET", "/v1/pool/accounts?limit=1&offset=1", "").has(`"more"`, 0, "name").has("2", 0, "id")
		s.must("GET", "/v1/pool/accounts?offset=2", "").has("[]")
		s.must("POST", "/v1/funds/pool/withdrawals", `{"asset":"BTC","amount":"2"}`)
	}},
	"PUT /v1/pool/accounts/{mining}/bar":    {"/v1/pool/accounts/rigs/bar", "", func(s *site, r reply) { r.has("true", "barred").has(`"rigs"`, "name") }},
	"DELETE /v1/pool/accounts/{mining}/bar": {"/v1/pool/accounts/rigs/bar", "", func(s *site, r reply) { r.has("false", "barred").has(`"alice"`, "account") }},
	"GET /v1/partners":                      {"/v1/partners", "", func(s *site, r reply) { r.has("[]") }},
	"POST /v1/partners": {"/v1/partners", `{"client":"tax","title":"Tax","uris":["https://tax.example/back"],"scopes":["users.orders.read"],"addresses":["192.0.2.1"]}`, func(s *site, r reply) {
		r.has(`"tax"`, "client").has("true", "on")
		var made struct{ Secret string }
		if err := json.Unmarshal([]byte(r.body), &made); err != nil {
			s.t.Fatal(err)
		}
		s.x.Node.Read(func(m core.View) {
			if p := m.OAuth().Partner(1); p.Secret != login.Hash(made.Secret) || p.Client != "tax" {
				s.t.Errorf("the client is %+v", p)
			}
		})
		s.must("GET", "/v1/partners", "").has(`"Tax"`, 0, "title").has(`"192.0.2.1"`, 0, "addresses", 0)
		for _, uri := range []string{"http://tax.example/", "https://tax.example/#a", "https://u@tax.example/", "https://*.tax.example/", "https:tax", "http://127.0.0.1/"} {
			s.send("PATCH", "/v1/partners/tax", `{"uris":["`+uri+`"]}`, bearer(s.token)).is(422).has(`"uris"`, "field")
		}
	}},
	"PATCH /v1/partners/{partner}": {"/v1/partners/tax", `{"title":"Taxes"}`, func(s *site, r reply) {
		r.has(`"Taxes"`, "title").has(`""`, "secret").has(`"users.orders.read"`, "scopes", 0)
	}},
	"GET /v1/accounts/{account}/grants": {"/v1/accounts/alice/grants", "", func(s *site, r reply) { r.has("[]") }},
	"DELETE /v1/accounts/{account}/grants/{partner}": {"/v1/accounts/alice/grants/tax", "", func(s *site, r reply) {
		r.has("[]")
		s.x.Node.Read(func(m core.View) {
			if n := len(m.OAuth().Grants(101)); n != 0 {
				s.t.Errorf("%d grants are left", n)
			}
		})
	}},
}

// consent lets the client tax have data of alice.
func (s *site) consent() {
	s.t.Helper()
	key := s.x.Node.Key()
	s.submit(&schema.Invite{Account: 101, Digest: login.Hash("consent"), Login: login.Digest(key, "consent"), Name: login.SealName(key, "consent")})
	s.submit(&schema.Enrol{Digest: login.Hash("consent"), Factors: schema.Factors{Password: []byte("p"), TOTP: []byte("t"), Step: 1}, Session: login.Hash("consents"), Device: "Chrome"})
	var from schema.Origin
	command := &schema.AuthorizePartner{Account: 101, Partner: 1, Code: login.Hash("code"), Redirect: "https://tax.example/back"}
	s.x.Node.Read(func(m core.View) {
		from = schema.Origin{Key: m.Accounts().Sessions(101)[0], Once: login.Hash("once")}
		command.Since = m.Accounts().Session(from.Key).AuthAt
	})
	var result schema.Result
	if err := s.x.Node.SubmitFrom(context.Background(), from, command, &result); err != nil || result.Rejection.Refused() {
		s.t.Fatal(err, result.Rejection.Text())
	}
	s.submit(&schema.RedeemGrant{Partner: 1, Code: login.Hash("code"), Access: login.Hash("a"), Family: login.Hash("f"), Refresh: login.Hash("r")})
	s.must("GET", "/v1/accounts/alice/grants", "").has(`"tax"`, 0, "client").has("null", 0, "key")
}

// scenes are what has to be there before an act.
var scenes = map[string]func(*site){
	"DELETE /v1/accounts/{account}/grants/{partner}": (*site).consent,
	"POST /v1/accounts/{account}/webhook/resend": func(s *site) {
		s.must("POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"20","account":"alice"}`)
		s.must("POST", "/v1/chains/ETH/blocks", `{}`)
		s.now.Add(int64(schema.Second)) // the core keeps nothing of it but the time
	},
	"POST /v1/deposits/{deposit}/decision": func(s *site) {
		s.must("POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"20","account":"alice"}`)
		s.must("POST", "/v1/chains/ETH/blocks", `{}`).has("7", "height")
	},
	"GET /v1/withdrawals": (*site).leave,
	"GET /v1/pool/accounts": func(s *site) {
		s.submit(&schema.OpenMining{Account: s.account("alice").ID, Name: "rigs", Referral: "friend"})
	},
	"POST /v1/withdrawals/{withdrawal}/settlement": (*site).bill,
	"GET /v1/withdrawals/{withdrawal}/approval":    func(s *site) { s.vault() },
	"GET /v1/owed":                       (*site).owe,
	"GET /v1/chains/{chain}/payouts":     (*site).sweep,
	"POST /v1/chains/{chain}/resumption": (*site).halt,
	"POST /v1/chains/{chain}/adoption": func(s *site) {
		of := s.chain("NODE")
		s.look(func(m core.View) {
			if !m.Chains().Standing(of.ID).Halted {
				s.t.Error("the chain goes on, with the word of one operator")
			}
		})
	},
	"POST /v1/chains/{chain}/surplus":    (*site).dig,
	"GET /v1/proposals":                  (*site).propose,
	"POST /v1/accounts/{account}/credit": (*site).trust,
	"GET /v1/deposits/{deposit}/travel":  (*site).trace,
	"GET /v1/accounts/{account}/margin":  func(s *site) { s.bet("BTC") },
	"DELETE /v1/accounts/{account}/positions/{position}": func(s *site) {
		s.submit(&schema.PlaceOrder{Account: s.account("bob").ID, Order: schema.OrderRequest{
			Market: s.market("BTC_PERP").ID, Type: schema.Limit, Side: schema.Buy, Amount: fixed.MustParse("0.1"), Price: fixed.FromInt(100), Collateral: true,
		}})
	},
}

// scene prepares an act.
func (s *site) scene(act operator.Act) {
	if prepare := scenes[act.Method+" "+act.Path]; prepare != nil {
		prepare(s)
	}
}

func (s *site) holds(account string, w schema.Wallet, ticker, want string) {
	s.t.Helper()
	if got := s.balance(account, w, ticker); got != want {
		s.t.Errorf("%s has %s %s in %s instead of %s", account, got, ticker, w, want)
	}
}

func (s *site) index(price string, at schema.Time) {
	s.t.Helper()
	s.look(func(m core.View) {
		if i := m.Trading().Market(1).Index; i.Price.String() != price || i.At != at {
			s.t.Errorf("the index is %+v", i)
		}
	})
}

// conversion is what is set of conversions.
func (s *site) conversion() (c schema.SetConversion) {
	s.look(func(m core.View) { c = m.Conversion() })
	return c
}
