package api

import (
	"reflect"
	"testing"

	"bourse/internal/schema"
)

// Keys are offered what this exchange has, what the caller permits, and nothing else.
func TestKeyGroups(t *testing.T) {
	a := &API{byPath: map[string]*Operation{}}
	for _, path := range []string{"/api/v4/orders", "/api/v4/main-account/withdraw", "/api/v4/trade-account/balance", "/api/v4/sub-account/create", "/api/v4/public/ping"} {
		a.byPath[path] = &Operation{}
	}
	all := func(*schema.Right) bool { return true }
	want := []KeyGroup{
		{"trading", "Trading", []KeyURL{{"/api/v4/orders", false}}},
		{"trade_info", "Trade balance and order history", []KeyURL{{"/api/v4/trade-account/balance", true}}},
		{"withdraw", "Withdraw", []KeyURL{{"/api/v4/main-account/withdraw", false}}},
		{"sub_account", "Sub-accounts", []KeyURL{{"/api/v4/sub-account/create", false}}},
	}
	has := []string{"/api/v4/trade-account/balance", "/api/v4/sandbox/faucet"}
	if got := a.KeyGroups(all, has); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	few := func(r *schema.Right) bool { return r.Group != schema.GroupSubs && r.Path != "/api/v4/orders" }
	if got := a.KeyGroups(few, has); !reflect.DeepEqual(got, want[1:3]) {
		t.Errorf("got %v, want %v", got, want[1:3])
	}
}
