package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// acts are the records of operators among the events of an outcome.
func acts(out *schema.Outcome) (list []*schema.AuditRecord) {
	for e := range out.Events.All() {
		if act, is := e.(*schema.AuditRecord); is {
			list = append(list, act)
		}
	}
	return list
}

func TestWhatOperatorsDoIsRecorded(t *testing.T) {
	m := signed(t)
	olga := schema.Origin{Operator: "olga"}

	set := &schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}}
	out := m.ApplyFrom(m.Time()+1, olga, set)
	list := acts(out)
	if len(list) != 1 || list[0].Operator != "olga" || list[0].Refusal != "" || list[0].Made != out.Result.ID {
		t.Fatalf("opening an account was recorded as %+v", list)
	}
	set.Account.Name = "another"
	if told := list[0].Command.(*schema.SetAccount).Account.Name; told != "dora" {
		t.Errorf("the record shares memory with the command: %q", told)
	}

	before := m.Hash()
	out = m.ApplyFrom(m.Time()+1, olga, &schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}})
	if list = acts(out); len(list) != 1 || list[0].Refusal != "The name is taken." || list[0].Made != 0 {
		t.Errorf("a refused act was recorded as %+v", list)
	}
	if m.Hash() != before {
		t.Error("a refused act changed the state")
	}

	out = m.ApplyFrom(m.Time()+1, olga, &schema.SetKey{Key: schema.Key{Key: "new", Account: 101, Sealed: []byte("sealed"), Enabled: true}})
	if list = acts(out); len(list) != 1 || list[0].Command.(*schema.SetKey).Key.Sealed != nil {
		t.Errorf("the record of a key is %+v", list)
	}
	if k := m.Accounts().Key("new"); string(k.Sealed) != "sealed" {
		t.Errorf("the key itself lost its secret: %+v", k)
	}

	if list = acts(m.Apply(m.Time()+1, &schema.DeleteKey{Key: "new"})); len(list) != 0 {
		t.Errorf("what no operator did was recorded as %+v", list)
	}
}

func TestIndexPrices(t *testing.T) {
	m := signed(t)
	price := fixed.MustParse("20123.456789")
	at := m.Time() + 5
	m.Apply(at, &schema.SetIndex{Market: 1, Price: price})
	if got := m.Trading().Market(1).Index; got.Price != price || got.At != at {
		t.Errorf("the index is %v", got)
	}
	if got := m.Trading().Market(2).Index; !got.Price.IsZero() {
		t.Errorf("another market has the index %v", got)
	}
	restored, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if got := restored.Trading().Market(1).Index; got.Price != price || got.At != at {
		t.Errorf("after a snapshot the index is %v", got)
	}
	m.Apply(at+1, &schema.SetIndex{Market: 1})
	if got := m.Trading().Market(1).Index; !got.Price.IsZero() || got.At != 0 {
		t.Errorf("a withdrawn index is %v", got)
	}
	for _, c := range []struct {
		command schema.SetIndex
		want    schema.Reason
	}{
		{schema.SetIndex{Market: 99, Price: price}, schema.MarketUnavailable},
		{schema.SetIndex{Market: 1, Price: price.Neg()}, schema.IndexInvalid},
	} {
		if r := m.Apply(at+2, &c.command).Result.Rejection; r.Reason != c.want {
			t.Errorf("%+v: %q", c.command, r.Text())
		}
	}
}

func TestMaintenanceOfThePlatformIsKept(t *testing.T) {
	m := signed(t)
	for _, on := range []bool{true, false} {
		done(t, m, &schema.SetFeature{Feature: schema.PlatformMaintenance, On: on})
		restored, err := Restore(m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		if m.InMaintenance() != on || restored.InMaintenance() != on {
			t.Errorf("maintenance %v became %v, and %v after a snapshot", on, m.InMaintenance(), restored.InMaintenance())
		}
	}
}
