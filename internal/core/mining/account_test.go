package mining

import (
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestOpening(t *testing.T) {
	x := open(t)
	try := func(m schema.OpenMining, want schema.Reason) schema.Rejection {
		t.Helper()
		return x.do(noon+1, &m, want)
	}
	try(schema.OpenMining{Account: 9, Name: "a"}, schema.AccountUnknown)
	try(schema.OpenMining{Account: carl, Name: ""}, schema.MiningInvalid)
	try(schema.OpenMining{Account: carl, Name: "a-b"}, schema.MiningInvalid)
	try(schema.OpenMining{Account: carl, Name: "ü"}, schema.MiningInvalid)
	try(schema.OpenMining{Account: carl, Name: strings.Repeat("a", 256)}, schema.MiningInvalid)
	try(schema.OpenMining{Account: carl, Name: "a", Referral: strings.Repeat("r", 51)}, schema.MiningInvalid)
	try(schema.OpenMining{Account: carl, Name: "rig"}, schema.MiningNameTaken)
	if r := try(schema.OpenMining{Account: anna, Name: "third"}, schema.MiningTooMany); r.Value != fixed.FromInt(2) {
		t.Errorf("of %s", r.Value)
	}
	try(schema.OpenMining{Account: anna, Name: "rig"}, schema.MiningNameTaken)
	try(schema.OpenMining{Account: sub, Name: "Rig", Referral: strings.Repeat("r", 50)}, schema.OK)
	x.tells("mining 4")
	if x.out.Result.ID != 4 {
		t.Errorf("number %d", x.out.Result.ID)
	}
	try(schema.OpenMining{Account: carl, Name: strings.Repeat("Z9_", 85)}, schema.OK)
	x.asOperator(noon, &schema.SetAccount{Account: schema.Account{ID: carl, Name: "carl", Region: schema.Global, Blocked: true}})
	try(schema.OpenMining{Account: carl, Name: "b"}, schema.AccountBlocked)
	terms := usual()
	terms.Open = false
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	try(schema.OpenMining{Account: 9, Name: "a"}, schema.AccountUnknown)
	try(schema.OpenMining{Account: ben, Name: ""}, schema.PoolOff)

	want := schema.MiningAccount{ID: 4, Account: sub, Name: "Rig", Referral: strings.Repeat("r", 50), Created: noon + 1}
	if got, is := x.Account(4); !is || got != want {
		t.Errorf("%+v", got)
	}
	if got, is := x.Named("Rig"); !is || got != want {
		t.Errorf("%+v", got)
	}
	for _, id := range []schema.MiningID{0, 6} {
		if _, is := x.Account(id); is {
			t.Errorf("there is %d", id)
		}
	}
	if _, is := x.Named("none"); is {
		t.Error("there is none")
	}
	var names []string
	for _, a := range x.Of(anna) {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"attic", "rig"}) || x.Of(9) != nil {
		t.Errorf("anna has %v", names)
	}
	for account, holds := range map[schema.AccountID]bool{anna: true, sub: true, ben: true, carl: true, 9: false} {
		if x.Holds(account) != holds {
			t.Errorf("account %d is held: %t", account, !holds)
		}
	}
	bare(t).do(noon, &schema.OpenMining{Account: anna, Name: "a"}, schema.PoolOff)
}

func TestBarring(t *testing.T) {
	x := open(t)
	x.do(noon, &schema.BarMining{Mining: 9, Barred: true}, schema.MiningUnknown)
	x.do(noon, &schema.BarMining{}, schema.MiningUnknown)
	x.do(noon, &schema.BarMining{Mining: rig, Barred: true}, schema.OK)
	x.tells("mining 1")
	if a, _ := x.Account(rig); !a.Barred {
		t.Error("it is not barred")
	}
	x.do(noon, &schema.BarMining{Mining: rig}, schema.OK)
	if a, _ := x.Account(rig); a.Barred {
		t.Error("it is barred")
	}
}

func TestPayoutDestination(t *testing.T) {
	x := open(t)
	long := strings.Repeat("a", schema.MaxAddressText)
	x.do(noon, external(9, rig, "a"), schema.AccountUnknown)
	x.do(noon, external(ben, rig, "a"), schema.MiningUnknown)
	x.do(noon, external(anna, 9, "a"), schema.MiningUnknown)
	x.do(noon, external(anna, rig, ""), schema.WithdrawAddressInvalid)
	x.do(noon, external(anna, rig, long+"a"), schema.WithdrawAddressInvalid)
	is := func(address string, index schema.AddressIndex, since schema.Time) {
		t.Helper()
		x.tells("mining 1")
		if a, _ := x.Account(rig); a.External != (address != "") || a.Address != address || a.Index != index || a.Since != since {
			t.Errorf("%+v", a)
		}
	}
	x.do(noon, external(anna, rig, long), schema.OK)
	is(long, 0, noon+day)
	x.do(noon+5, external(anna, rig, long), schema.OK)
	is(long, 0, noon+day)
	x.do(noon+6, external(anna, rig, "b"), schema.OK)
	is("b", 0, noon+6+day)
	other := external(anna, rig, "b")
	other.Index = 7
	x.do(noon+7, other, schema.OK)
	is("b", 7, noon+7+day)
	x.do(noon+8, other, schema.OK)
	is("b", 7, noon+7+day)
	ignored := inside(anna, rig)
	ignored.Address, ignored.Index = "c", 3
	x.do(noon+9, ignored, schema.OK)
	is("", 0, 0)
	x.do(noon+10, other, schema.OK)
	is("b", 7, noon+10+day)
	terms := usual()
	terms.Chain = 0
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.do(noon+11, external(anna, rig, ""), schema.PoolPayoutOff)
	x.do(noon+11, inside(anna, rig), schema.OK)
	is("", 0, 0)
}
