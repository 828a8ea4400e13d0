package naive

import (
	"math"
	"testing"

	"bourse/internal/schema"
)

// from sends a command from an origin.
func (w *world) from(o schema.Origin, c schema.Command) schema.Rejection {
	w.time++
	w.last = w.Exchange.Apply(w.time, o, c)
	return w.last.Result.Rejection
}

func (w *world) key(name string, a schema.AccountID, enabled bool) {
	w.t.Helper()
	w.must(&schema.SetKey{Key: schema.Key{Key: name, Account: a, Sealed: []byte("sealed"), Enabled: enabled}})
}

func TestNonces(t *testing.T) {
	w := newWorld(t)
	w.key("anna", anna, true)
	w.time = 20_000_000
	cancel := &schema.CancelAll{Account: anna}
	poor := order1(anna, limit(schema.Buy, "1", "1000000"))
	for i, step := range []struct {
		nonce  uint64
		window bool
		cmd    schema.Command
		want   schema.Reason
	}{
		{5, false, cancel, schema.OK},
		{5, false, cancel, schema.NonceUsed},
		{4, false, cancel, schema.NonceUsed},
		{6, false, poor, schema.NotEnoughBalance},
		{6, false, cancel, schema.NonceUsed}, // used up by what it came with
		{20_000, true, cancel, schema.OK},
		{20_000, true, cancel, schema.NonceUsed},
		{19_000, true, cancel, schema.OK}, // in any order
		{14_999, true, cancel, schema.NonceOutsideWindow},
		{15_000, true, poor, schema.NotEnoughBalance},
		{15_000, true, cancel, schema.NonceUsed},
		{25_000, true, cancel, schema.OK},
		{25_001, true, cancel, schema.NonceOutsideWindow},
		{math.MaxUint64, true, cancel, schema.NonceOutsideWindow},
		{24_999, false, cancel, schema.NonceUsed}, // not greater than all of the window
		{25_001, false, cancel, schema.OK},
		{16_000, true, cancel, schema.NonceUsed}, // not greater than an ordinary one
		{math.MaxUint64, false, cancel, schema.OK},
	} {
		if r := w.from(schema.Origin{Key: 1, Nonce: step.nonce, Window: step.window}, step.cmd); r.Reason != step.want {
			t.Errorf("step %d: got %d %q, want %d", i, r.Reason, r.Text(), step.want)
		}
	}
}

func TestKeysThatMaySign(t *testing.T) {
	w := newWorld(t)
	w.key("one", anna, true)
	w.key("off", anna, false)
	cancel := &schema.CancelAll{Account: anna}
	for key, want := range map[schema.KeyID]schema.Reason{1: schema.OK, 2: schema.KeyRefused, 3: schema.KeyRefused} {
		if r := w.from(schema.Origin{Key: key, Nonce: 7}, cancel); r.Reason != want {
			t.Errorf("key %d: %q", key, r.Text())
		}
	}
	w.refused(because(schema.KeyInvalid), &schema.SetKey{Key: schema.Key{Key: "one", Account: ben, Sealed: []byte("s")}})
	w.must(&schema.DeleteKey{Key: "one"})
	w.key("one", ben, true)
	// It is another key, with another id and no nonces.
	if r := w.from(schema.Origin{Key: 1, Nonce: 8}, cancel); r.Reason != schema.KeyRefused {
		t.Errorf("a deleted key: %q", r.Text())
	}
	if r := w.from(schema.Origin{Key: 3, Nonce: 7}, cancel); r.Reason != schema.OK {
		t.Errorf("the new key: %q", r.Text())
	}
}

func TestRegionOfTheDeployment(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}})
	listed := btcUSD()
	const global, eu schema.Regions = 2, 4
	rest := limit(schema.Buy, "1", "100")
	for _, tt := range []struct {
		account    schema.AccountID
		deployment schema.Region
		regions    schema.Regions
		want       schema.Reason
	}{
		{anna, 0, 0, schema.OK},
		{anna, schema.Global, global, schema.OK},
		{anna, schema.EU, 0, schema.OrderTypeUnavailable},
		{anna, schema.EU, global, schema.MarketUnavailable},
		{anna, schema.Global, eu, schema.MarketUnavailable},
		{ben, schema.Global, 0, schema.OrderTypeUnavailable},
		{ben, schema.Global, global, schema.MarketUnavailable},
		{ben, 0, eu, schema.OrderTypeUnavailable},
	} {
		listed.Regions = tt.regions
		w.must(&schema.SetMarket{Market: listed})
		if r := w.from(schema.Origin{Region: tt.deployment}, order1(tt.account, rest)); r.Reason != tt.want {
			t.Errorf("%+v: got %q", tt, r.Text())
		}
	}
}

func TestAuditRecords(t *testing.T) {
	w := newWorld(t)
	olga := schema.Origin{Operator: "olga"}
	record := func() *schema.AuditRecord {
		t.Helper()
		record, is := w.last.Events[len(w.last.Events)-1].(*schema.AuditRecord)
		if !is {
			t.Fatalf("the events are %+v", w.last.Events)
		}
		return record
	}
	w.from(olga, &schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}})
	if r := record(); r.Operator != "olga" || r.Made != 104 || r.Refusal != "" {
		t.Errorf("%+v", r)
	}
	w.from(olga, &schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}})
	if r := record(); r.Made != 0 || r.Refusal != "The name is taken." || len(w.last.Events) != 1 {
		t.Errorf("%+v", r)
	}
	set := &schema.SetKey{Key: schema.Key{Key: "k", Account: anna, Sealed: []byte("sealed")}}
	w.from(olga, set)
	if got := record().Command.(*schema.SetKey).Key; got.Sealed != nil || got.Key != "k" || set.Key.Sealed == nil {
		t.Errorf("%+v of %+v", got, set)
	}
}
