package operator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"bourse/internal/schema"
)

// settings is a thing as the API shows it.
func (s *site) settings(path string) map[string]any {
	s.t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(s.must("GET", path, "").body), &all); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// Each setting of each thing is changed alone; all others stay as they are.
func TestAPatchChangesOnlyWhatItSays(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/accounts/alice", `{"retail":true,"maker_fee":"0.03","taker_fee":"0.04","verified":true,"restricted_until":"2026-10-01T00:00:00.000001Z"}`)
	s.must("PATCH", "/v1/markets/BTC_USDT", `{"rpi_premium":"0.01","regions":["global","eu"],"opens_at":1780000000}`)
	s.must("PUT", "/v1/markets/BTC_USDT/maintenance", `{"from":1800000000,"to":1800000001}`)
	s.must("PUT", "/v1/markets/BTC_USDT/delisting", `{"at":1900000000}`)
	s.must("PUT", "/v1/markets/BTC_USDT/index", `{"price":"65000"}`)
	s.trade("alice", "buy", "1", "100")
	s.trade("bob", "sell", "0.5", "100")

	for _, thing := range []struct {
		path    string
		changes map[string]string
		fixed   string // what cannot be changed by a patch
	}{
		{"/v1/accounts/alice", map[string]string{
			"region": `"eu"`, "blocked": "true", "retail": "false", "rpi": "true", "partner": "true", "mining": "true", "tradfi": "true",
			"maker_fee": `"0.01"`, "taker_fee": "null", "max_leverage": "5",
			"tier": "9", "verified": "false", "restricted_until": "null", "new_addresses": "true", "checker": "true", "credit_line": "true", "invoices": "true",
			"deposits": "true", "approvals": "true", "kyc_links": "true", "multi_invest": "true",
		}, "id name created"},
		{"/v1/assets/USDT", map[string]string{
			"name": `"Dollar"`, "precision": "5", "can_deposit": "false", "can_withdraw": "false", "min_deposit": `"1"`, "max_deposit": `"1000"`,
			"min_withdraw": `"2"`, "max_withdraw": `"2000"`, "unified_id": "825", "deposit_memo": "true", "payout_memo": "true",
			"networks": `[]`, "providers": `["SEPA","CARD"]`, "codes": "true", "min_code": `"0.5"`, "not_in_eu": "true",
		}, "ticker class scale"},
		{"/v1/markets/BTC_USDT", map[string]string{
			"tick_size": `"0.1"`, "step_size": `"0.001"`, "fee_prec": "6", "min_amount": `"0.01"`, "min_total": `"1"`, "max_total": `"0"`,
			"maker_fee": `"-0.01"`, "taker_fee": `"0.1"`, "rpi_premium": "null", "taker_band": `"0"`, "enabled": "false", "regions": `["eu"]`, "opens_at": "0", "max_orders": "500",
		}, "name type stock_prec money_prec delists_at delisted maintenance_from maintenance_to in_maintenance last_price index index_at open_orders"},
		{
			"/v1/chains/ETH",
			map[string]string{"interval": `"0.25"`, "paused": "true", "stuck": "true"},
			"name driver family net number fee_rate_max height hash busy halted resuming asked proposal adopted waiting bookings",
		},
		{"/v1/platform", map[string]string{"maintenance": "true", "step_rule": "false", "idle_keys": "false"}, "bounded_work exact_money exact_nonces judged_keys two_operators"},
	} {
		want := s.settings(thing.path)
		names := append(slices.Collect(maps.Keys(thing.changes)), strings.Fields(thing.fixed)...)
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s has %v, tested are %v", thing.path, slices.Sorted(maps.Keys(want)), names)
		}
		for _, name := range slices.Sorted(maps.Keys(thing.changes)) {
			value := thing.changes[name]
			if text(want[name]) == value {
				t.Errorf("%s of %s is %s already", name, thing.path, value)
			}
			want[name] = json.RawMessage(value)
			s.must("PATCH", thing.path, fmt.Sprintf("{%q:%s}", name, value)).has(text(want))
			if got := text(s.settings(thing.path)); got != text(want) {
				t.Errorf("after %s was set %s is\n%s instead of\n%s", name, thing.path, got, text(want))
			}
		}
		s.must("PATCH", thing.path, "{}").has(text(want))
		if thing.path == "/v1/accounts/alice" {
			s.must("PATCH", thing.path, `{"blocked":false}`)
		}
	}

	key := func(want string) {
		t.Helper()
		s.must("GET", "/v1/accounts/alice/keys", "").has(want, 0)
	}
	for _, c := range [][2]string{
		{`{"title":"new"}`, `{"account":"alice","addresses":[],"created":"2026-09-21T14:13:20Z","enabled":true,"key":"alice-key","title":"new","urls":["*"]}`},
		{`{"urls":["/api/v4/orders","/api/v4/jwt"]}`, `{"account":"alice","addresses":[],"created":"2026-09-21T14:13:20Z","enabled":true,"key":"alice-key","title":"new","urls":["/api/v4/orders","/api/v4/jwt"]}`},
		{`{"addresses":["10.0.0.1"]}`, `{"account":"alice","addresses":["10.0.0.1"],"created":"2026-09-21T14:13:20Z","enabled":true,"key":"alice-key","title":"new","urls":["/api/v4/orders","/api/v4/jwt"]}`},
		{`{"enabled":false}`, `{"account":"alice","addresses":["10.0.0.1"],"created":"2026-09-21T14:13:20Z","enabled":false,"key":"alice-key","title":"new","urls":["/api/v4/orders","/api/v4/jwt"]}`},
		{`{"urls":["wallet","account","/api/v4/jwt"]}`, `{"account":"alice","addresses":["10.0.0.1"],"created":"2026-09-21T14:13:20Z","enabled":false,"key":"alice-key","title":"new","urls":["/api/v4/main-account/balance","/api/v4/main-account/fee","/api/v4/main-account/history","/api/v4/main-account/withdrawable-balance","/api/v4/main-account/refund-history","/api/v4/credit-line/loans/info","/api/v4/travel-rule/vasps","/api/v4/jwt","/api/v4/profile/websocket_token"]}`},
		{`{"urls":[]}`, `{"account":"alice","addresses":["10.0.0.1"],"created":"2026-09-21T14:13:20Z","enabled":false,"key":"alice-key","title":"new","urls":[]}`},
	} {
		s.must("PATCH", "/v1/keys/alice-key", c[0])
		key(c[1])
	}
}

// Between look and command the exchange may change what it sets itself: commands name the key that was seen, and what nobody named is left
// as it is by then. Nodes of earlier versions could not read that, so it waits until keys are judged.
func TestWhatAPatchDoesNotName(t *testing.T) {
	s := found(t)
	command := func() (c struct {
		Account *struct {
			KeepRestriction bool `json:"keep_restriction"`
			KeepVerified    bool `json:"keep_verified"`
		} `json:"set_account"`
		Key *struct{ Key struct{ ID schema.KeyID } } `json:"set_key"`
	},
	) {
		t.Helper()
		if err := json.Unmarshal(s.acts("limit=1")[0].Command, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tt := range []struct {
		body                  string
		restriction, verified bool
	}{
		{`{"tier":1}`, true, true},
		{`{"verified":true}`, true, false},
		{`{"verified":true}`, true, false},
		{`{"restricted_until":"2026-10-01T00:00:00Z"}`, false, true},
		{`{"restricted_until":null}`, false, true},
		{`{"restricted_until":null,"verified":false}`, false, false},
	} {
		s.must("PATCH", "/v1/accounts/alice", tt.body)
		if c := command().Account; c.KeepRestriction != tt.restriction || c.KeepVerified != tt.verified {
			t.Errorf("%s: %+v", tt.body, c)
		}
	}
	s.must("PATCH", "/v1/keys/alice-key", `{"title":"new"}`)
	if c := command().Key; c.Key.ID == 0 {
		t.Errorf("the command is %+v", c)
	}
}

// An account that gets another name is the same under it, and its old name is free.
func TestRenaming(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/accounts/alice", `{"name":"alicia"}`).has("101", "id").has(`"alicia"`, "name")
	s.ask("GET", "/v1/accounts/alice", "").is(404)
	s.must("GET", "/v1/accounts/alicia/keys", "").has(`"alicia"`, 0, "account")
	s.holds("alicia", schema.Main, "BTC", "6 0 0")
	s.must("POST", "/v1/accounts", `{"name":"alice"}`).has("103", "id")
	if r := s.ask("GET", "/v1/accounts/alicia/statement", ""); strings.Count(r.body, "\n") != 6 {
		t.Errorf("the statement lost its beginning: %s", r.body)
	}
}

// Networks are a list: a new list is the new list, and nothing of the old one shines through.
func TestNetworksAreReplaced(t *testing.T) {
	s := found(t)
	r := s.must("PATCH", "/v1/assets/USDT", `{"networks":[{"name":"TRC20","can_deposit":true},{"name":"SOL","default":true}]}`)
	want := func(name string, can, is bool) string {
		return fmt.Sprintf(`{"approve2_above":"0","approve_above":"0","can_deposit":%v,"can_withdraw":false,"chain":"","confirmations":0,"confirmations_for_trading":0,"contract":"","decimals":0,"default":%v,`+
			`"deposit_fixed":"0","deposit_max_fee":"0","deposit_min_fee":"0","deposit_percent":"0","held_cap":"0","hot_cap":"0","hour_cap":"0",`+
			`"max_deposit":"0","max_withdraw":"0","min_deposit":"0","min_withdraw":"0","name":%q,`+
			`"withdraw_fixed":"0","withdraw_max_fee":"0","withdraw_min_fee":"0","withdraw_percent":"0"}`, can, is, name)
	}
	r.has("["+want("TRC20", true, false)+","+want("SOL", false, true)+"]", "networks")
	s.must("PATCH", "/v1/assets/USDT", `{"precision":5}`).has(`"SOL"`, "networks", 1, "name").has("5", "precision")
	s.must("PATCH", "/v1/assets/USDT", `{"networks":[]}`).has("[]", "networks")
	if a := s.asset("USDT"); len(a.Networks) != 0 {
		t.Errorf("the networks are %+v", a.Networks)
	}
}

// A restriction of an account ends at a moment that is kept to the microsecond, wherever on earth it was said, or is none.
func TestARestrictionIsKept(t *testing.T) {
	s := found(t)
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":"2026-09-22T16:13:20.000001+02:00"}`).has(`"2026-09-22T14:13:20.000001Z"`, "restricted_until")
	until := noon + 24*3600*schema.Second + 1
	s.must("PATCH", "/v1/accounts/alice", `{"tier":1}`).has(`"2026-09-22T14:13:20.000001Z"`, "restricted_until")
	if a := s.account("alice"); a.RestrictedUntil != until || a.Tier != 1 {
		t.Errorf("alice is %+v", a)
	}
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":"9999-12-31T23:59:59Z"}`)
	s.must("GET", "/v1/accounts", "").has(`"9999-12-31T23:59:59Z"`, 0, "restricted_until").has("null", 1, "restricted_until")
	s.must("PATCH", "/v1/accounts/alice", `{"restricted_until":null}`).has("null", "restricted_until").has("1", "tier")
	if a := s.account("alice"); a.RestrictedUntil != 0 {
		t.Errorf("alice is %+v", a)
	}
}

// Two who change different settings of one thing at the same time both have their way.
func TestPatchesAtTheSameTime(t *testing.T) {
	s := found(t)
	const rounds = 100
	var both sync.WaitGroup
	for _, name := range []string{"min_amount", "max_total"} {
		both.Go(func() {
			for i := range rounds {
				body := fmt.Sprintf(`{%q:"%d"}`, name, 1000+i)
				if r, err := s.try("PATCH", "/v1/markets/BTC_USDT", body, bearer(s.token)); err != nil || r.status != 200 || r.at(name) != fmt.Sprintf(`"%d"`, 1000+i) {
					t.Errorf("%s: %v %v", body, r, err)
				}
			}
		})
	}
	both.Wait()
	last := fmt.Sprint(1000 + rounds - 1)
	if m := s.market("BTC_USDT"); m.MinAmount.String() != last || m.MaxTotal.String() != last || m.MinTotal.String() != "5" {
		t.Errorf("the market is %+v", m)
	}
	// Each of the commands goes on from the one before: none takes back what the other did.
	var min, max int
	acts := s.acts("limit=1000&operator=operator")
	slices.Reverse(acts)
	for _, act := range acts {
		var command struct {
			Set struct {
				Market struct {
					MinAmount int `json:"min_amount,string"`
					MaxTotal  int `json:"max_total,string"`
				}
			} `json:"set_market"`
		}
		_ = json.Unmarshal(act.Command, &command) // at first MinAmount is no whole number
		now := command.Set.Market
		if now.MinAmount < min || now.MaxTotal < max && now.MaxTotal != 1000000 {
			t.Fatalf("%d and %d are followed by %s", min, max, act.Command)
		}
		min = now.MinAmount
		if now.MaxTotal != 1000000 {
			max = now.MaxTotal
		}
	}
	if len(acts) != 2*rounds {
		t.Errorf("%d acts", len(acts))
	}
}

// A PUT beside patches: what was put is not undone by a patch that had read what was before.
func TestAPutBesidePatches(t *testing.T) {
	s := found(t)
	const rounds = 50
	const put = `{"stock_prec":6,"money_prec":2,"fee_prec":8,"min_amount":"0.001","maker_fee":"0.1","taker_fee":"0.2","enabled":true,"taker_band":"%d"}`
	var both sync.WaitGroup
	both.Go(func() {
		for i := range rounds {
			_, _ = s.try("PATCH", "/v1/markets/BTC_USDT", fmt.Sprintf(`{"min_total":"%d"}`, 1+i), bearer(s.token))
		}
	})
	both.Go(func() {
		for i := range rounds {
			_, _ = s.try("PUT", "/v1/markets/BTC_USDT", fmt.Sprintf(put, 1+i), bearer(s.token))
		}
	})
	both.Wait()
	band, acts := 0, s.acts("limit=1000&operator=operator")
	slices.Reverse(acts)
	for _, act := range acts {
		var command struct {
			Set struct {
				Market struct {
					Band int `json:"taker_band,string"`
				}
			} `json:"set_market"`
		}
		if err := json.Unmarshal(act.Command, &command); err != nil {
			t.Fatal(err)
		}
		if now := command.Set.Market.Band; now < band && band != 10 {
			t.Fatalf("a band of %d is followed by %s", band, act.Command)
		}
		band = command.Set.Market.Band
	}
	if len(acts) != 2*rounds || band != rounds {
		t.Errorf("%d acts, the band is %d", len(acts), band)
	}
}

// A client that takes its time to say what it wants keeps nobody from changing things.
func TestSlowRequestsHoldNothing(t *testing.T) {
	s := found(t)
	for _, act := range []string{"PATCH /v1/markets/BTC_USDT", "PUT /v1/assets/BTC", "PATCH /v1/accounts/alice", "PATCH /v1/keys/alice-key", "PATCH /v1/platform"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.operators, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n", act, s.token); err != nil {
			t.Fatal(err)
		}
		// The server says so when it begins to read the body.
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("%s: %q, %v", act, line, err)
		}
	}
	s.must("PATCH", "/v1/markets/BTC_USDT", `{"taker_fee":"0.3"}`).has(`"0.3"`, "taker_fee")
	s.must("PATCH", "/v1/accounts/alice", `{"retail":true}`)
	s.must("POST", "/v1/accounts/alice/keys", `{"key":"another"}`)
}
