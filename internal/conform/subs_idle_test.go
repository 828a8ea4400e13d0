package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

var keyOff = refusal{401, 2, "This action is unauthorized. Enable your key in API settings", obj{}}

// activity is when the only key of a family was last used, and whether it is enabled.
func (f family) activity() (used, enabled any) {
	f.alice.t.Helper()
	key := f.alice.must("sub-account/api-key/list", nil)["data"].([]any)[0].(map[string]any)
	return key["lastActivity"], key["isEnabled"]
}

// TestReadingIsUsing: the log hears of a key that only reads, every ten minutes at most.
func TestReadingIsUsing(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	key := f.key(f.alice.opens("desk"), 1, "orders")
	f.clock.advance(schema.Second)
	first := f.clock.seconds()
	for range 3 {
		key.orders("DEP_USDT")
		f.Do(&schema.Tick{}) // behind what the log hears of the key
		used, _ := f.activity()
		is(t, "lastActivity", used, first)
		f.clock.advance(200 * schema.Second)
	}
	key.orders("DEP_USDT")
	f.Do(&schema.Tick{})
	used, _ := f.activity()
	is(t, "lastActivity", used, first+600)
}

// TestIdleKeysAreSwitchedOff: after 14 days, until their master edits them (authentication 5, inactivity).
func TestIdleKeysAreSwitchedOff(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	key := f.key(f.alice.opens("desk"), 1, "orders")
	key.orders("DEP_USDT")
	f.clock.advance(14*24*3600*schema.Second + 3600*schema.Second)
	f.Do(&schema.Tick{})
	refuses(t, key.ask("orders", obj{"market": "DEP_USDT"}), keyOff)
	if _, enabled := f.activity(); enabled != false {
		t.Errorf("an idle key is enabled: %v", enabled)
	}
	f.alice.orders("DEP_USDT") // those of operators stay
	f.alice.enables(key.id, "order/new")
	key.orders("DEP_USDT")
	if _, enabled := f.activity(); enabled != true {
		t.Errorf("a key that was edited is enabled: %v", enabled)
	}
}
