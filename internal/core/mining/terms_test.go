package mining

import (
	"testing"

	"bourse/internal/schema"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*schema.PoolTerms)
		want schema.Reason
	}{
		{"usual", func(*schema.PoolTerms) {}, schema.OK},
		{"closed", func(m *schema.PoolTerms) { m.Open = false }, schema.OK},
		{"no asset", func(m *schema.PoolTerms) { m.Asset = 0 }, schema.PoolInvalid},
		{"an asset that is not listed", func(m *schema.PoolTerms) { m.Asset = 9 }, schema.PoolInvalid},
		{"no chain", func(m *schema.PoolTerms) { m.Chain = 0 }, schema.OK},
		{"a chain that the asset is not on", func(m *schema.PoolTerms) { m.Asset = toy }, schema.PoolInvalid},
		{"another asset", func(m *schema.PoolTerms) { m.Asset, m.Chain = toy, 0 }, schema.OK},
		{"the largest unit", func(m *schema.PoolTerms) { m.Unit = 32 }, schema.OK},
		{"a larger one", func(m *schema.PoolTerms) { m.Unit = 33 }, schema.PoolInvalid},
		{"no fee", func(m *schema.PoolTerms) { m.Fee = d("0") }, schema.OK},
		{"a negative fee", func(m *schema.PoolTerms) { m.Fee = d("-0.01") }, schema.PoolInvalid},
		{"the largest fee", func(m *schema.PoolTerms) { m.Fee = d("0.9999") }, schema.OK},
		{"all of it", func(m *schema.PoolTerms) { m.Fee = d("1") }, schema.PoolInvalid},
		{"a fee too precise", func(m *schema.PoolTerms) { m.Fee = d("0.00001") }, schema.PoolInvalid},
		{"no least", func(m *schema.PoolTerms) { m.Least = d("0") }, schema.PoolInvalid},
		{"the finest least", func(m *schema.PoolTerms) { m.Least = d("0.00000001") }, schema.OK},
		{"a least too precise", func(m *schema.PoolTerms) { m.Least = d("0.000000001") }, schema.PoolInvalid},
		{"no accounts", func(m *schema.PoolTerms) { m.Accounts = 0 }, schema.PoolInvalid},
		{"most accounts", func(m *schema.PoolTerms) { m.Accounts = 1000 }, schema.OK},
		{"more accounts", func(m *schema.PoolTerms) { m.Accounts = 1001 }, schema.PoolInvalid},
		{"no links", func(m *schema.PoolTerms) { m.Links = 0 }, schema.PoolInvalid},
		{"most links", func(m *schema.PoolTerms) { m.Links = 100 }, schema.OK},
		{"more links", func(m *schema.PoolTerms) { m.Links = 101 }, schema.PoolInvalid},
	} {
		x := bare(t)
		terms := usual()
		tt.edit(&terms)
		t.Run(tt.name, func(t *testing.T) {
			x.t = t
			x.do(noon, &schema.SetPool{Terms: terms}, tt.want)
			if tt.want == schema.OK {
				x.tells("terms")
				if got, rate := x.Terms(); got != terms || !rate.IsZero() {
					t.Errorf("%+v, %s", got, rate)
				}
			}
		})
	}
}

// TestAssetAndUnitStay once work was counted, and all else can change.
func TestAssetAndUnitStay(t *testing.T) {
	x := open(t)
	change := func(edit func(*schema.PoolTerms), want schema.Reason) {
		t.Helper()
		terms := usual()
		edit(&terms)
		x.do(noon, &schema.SetPool{Terms: terms}, want)
	}
	other := func(m *schema.PoolTerms) { m.Asset, m.Chain = toy, 0 }
	unit := func(m *schema.PoolTerms) { m.Unit = 4 }
	change(other, schema.OK)
	change(unit, schema.OK)
	change(func(*schema.PoolTerms) {}, schema.OK)
	x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: one, Rejected: 7}), schema.OK)
	change(unit, schema.OK)
	change(func(*schema.PoolTerms) {}, schema.OK)
	x.brought(noon, rig, 1)
	change(other, schema.PoolInvalid)
	change(unit, schema.PoolInvalid)
	change(func(m *schema.PoolTerms) {
		m.Open, m.Chain, m.Fee, m.Least, m.Accounts, m.Links = false, 0, d("0.5"), d("1"), 1, 1
	}, schema.OK)
}

// TestTheRateIsWholeUnits of an asset that replaces another.
func TestTheRateIsWholeUnits(t *testing.T) {
	x := bare(t)
	terms := usual()
	terms.Asset, terms.Chain = toy, 0
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
	x.asOperator(noon, &schema.SetPoolRate{Rate: d("3.25")})
	x.must(noon, &schema.SetAsset{Asset: schema.Asset{Ticker: "ROUGH", Class: schema.Crypto, Scale: 1, Precision: 1, CanDeposit: true}})
	terms.Asset, terms.Least = 3, d("0.1")
	x.do(noon, &schema.SetPool{Terms: terms}, schema.PoolInvalid)
	terms.Asset = coin
	x.do(noon, &schema.SetPool{Terms: terms}, schema.OK)
}

func TestRates(t *testing.T) {
	x := bare(t)
	rate := func(amount string, want schema.Reason) {
		t.Helper()
		x.do(noon, &schema.SetPoolRate{Rate: d(amount)}, want)
	}
	rate("50", schema.PoolOff)
	x.do(noon, &schema.SetPool{Terms: usual()}, schema.OK)
	rate("50", schema.PoolRateJumps)
	for _, amount := range []string{"0", "-1", "0.000000001", "1000000.00000001"} {
		rate(amount, schema.PoolRateInvalid)
	}
	x.out.Operator = "oscar"
	rate("1000000", schema.OK)
	rate("0.00000001", schema.OK)
	rate("0", schema.PoolRateInvalid)
	rate("10", schema.OK)
	x.out.Operator = ""
	x.tells("terms")
	rate("15.00000001", schema.PoolRateJumps)
	rate("4.99999999", schema.PoolRateJumps)
	rate("15", schema.OK)
	rate("7.5", schema.OK)
	rate("7.5", schema.OK)
	if _, got := x.Terms(); got != d("7.5") {
		t.Errorf("a block is worth %s", got)
	}
}
