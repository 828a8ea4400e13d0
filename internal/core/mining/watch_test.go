package mining

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func link(account schema.AccountID, name string, life uint32, minings ...schema.MiningID) *schema.WatchMining {
	return &schema.WatchMining{Account: account, Name: name, Minings: minings, Rights: schema.WatchDashboard, Life: life}
}

func TestLinks(t *testing.T) {
	x := open(t)
	with := func(rights schema.WatchRights) *schema.WatchMining {
		m := link(anna, "name", 60, rig)
		m.Rights = rights
		return m
	}
	var many []schema.MiningID
	for id := range schema.MiningID(51) {
		many = append(many, id+1)
	}
	for _, tt := range []struct {
		m    *schema.WatchMining
		want schema.Reason
	}{
		{link(9, "", 0), schema.AccountUnknown},
		{link(anna, "", 0, rig), schema.WatchInvalid},
		{link(anna, "a-b", 0, rig), schema.WatchInvalid},
		{link(anna, "é", 0, rig), schema.WatchInvalid},
		{link(anna, strings.Repeat("a", 256), 0, rig), schema.WatchInvalid},
		{link(anna, "name", 0), schema.WatchInvalid},
		{link(anna, "name", 0, rig, attic, rig), schema.WatchInvalid},
		{link(anna, "name", 0, many...), schema.WatchInvalid},
		{link(anna, "name", 604_801, rig), schema.WatchInvalid},
		{with(0), schema.WatchInvalid},
		{with(8), schema.WatchInvalid},
		{link(anna, "name", 0, many[:50]...), schema.MiningUnknown},
		{link(anna, "name", 0, rig, 0), schema.MiningUnknown},
		{link(anna, "name", 0, rig, barn), schema.MiningUnknown},
		{link(sub, "name", 0, rig), schema.MiningUnknown},
	} {
		x.do(noon, tt.m, tt.want)
	}
	m := link(anna, "A_9", 604_800, attic, rig)
	m.Rights = 7
	x.do(noon+5, m, schema.OK)
	x.tells("link 1")
	want := schema.Watch{ID: 1, Account: anna, Name: "A_9", Minings: []schema.MiningID{attic, rig}, Rights: 7, Until: noon + 5 + 7*day, Created: noon + 5}
	m.Minings[0] = barn // the command is its sender's
	if got, is := x.Watch(1); x.out.Result.ID != 1 || !is || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}
	x.do(noon+6, link(anna, "name", 0, rig), schema.OK)
	if r := x.do(noon+6, link(anna, "name", 0, attic, rig), schema.WatchesTooMany); r.Value != fixed.FromInt(2) {
		t.Errorf("of %s", r.Value)
	}
	x.do(noon+6, link(anna, "name", 1, attic), schema.OK)
	ids := func(id schema.MiningID) (list []schema.WatchID) {
		for _, w := range x.Watches(id) {
			list = append(list, w.ID)
		}
		return list
	}
	if !slices.Equal(ids(rig), []schema.WatchID{1, 2}) || !slices.Equal(ids(attic), []schema.WatchID{1, 3}) || ids(barn) != nil || ids(9) != nil {
		t.Errorf("%v and %v", ids(rig), ids(attic))
	}
	next := func(want schema.Time) {
		t.Helper()
		if at, running := x.NextTimer(); !running || at != want {
			t.Errorf("next at %d %t", at-noon, running)
		}
	}
	// It counts until a tick takes it away.
	next(noon + 6 + schema.Second)
	x.do(noon+6+2*schema.Second, link(anna, "name", 1, attic), schema.WatchesTooMany)
	x.at(noon + 6 + 2*schema.Second)
	x.tells()
	if !slices.Equal(ids(attic), []schema.WatchID{1}) {
		t.Errorf("%v", ids(attic))
	}
	x.do(noon+7+2*schema.Second, link(anna, "name", 3600, attic), schema.OK)
	next(noon + 7 + hour + 2*schema.Second)
	x.at(noon + 8*day)
	if _, is := x.Watch(1); is || !slices.Equal(ids(rig), []schema.WatchID{2}) || ids(attic) != nil {
		t.Errorf("%v and %v", ids(rig), ids(attic))
	}
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for a link without an end")
	}
}

// TestATickEndsLinks: a thousand, by their end and then by number.
func TestATickEndsLinks(t *testing.T) {
	x := open(t, func(m *schema.PoolTerms) { m.Links, m.Accounts = 100, 1000 })
	x.quiet = true
	for i := range 20 {
		x.must(noon, &schema.OpenMining{Account: ben, Name: fmt.Sprint("m", i)})
	}
	for i := range 1002 {
		life := uint32(60)
		if i == 0 {
			life = 61
		}
		x.must(noon, link(ben, "name", life, schema.MiningID(4+i%20)))
	}
	left := func(want ...schema.WatchID) {
		t.Helper()
		var got []schema.WatchID
		for id := schema.WatchID(1); id <= 1002; id++ {
			if _, is := x.Watch(id); is {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("left are %v, want %v", got, want)
		}
	}
	x.at(noon + 70*schema.Second)
	left(1, 1002)
	x.at(noon + 70*schema.Second + 1)
	left()
	x.quiet = false
	x.verify()
}
