package driver_test

import (
	"math/big"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
)

func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		units    string
		decimals uint8
		amount   string
	}{
		{"1", 8, "0.00000001"},
		{"100000000", 8, "1"},
		{"0", 8, "0"},
		{"0", 0, "0"},
		{"7", 0, "7"},
		{"123456789", 6, "123.456789"},
		{"1", 18, "0.000000000000000001"},
		{"170141183460469231731687303715884105727", 18, "170141183460469231731.687303715884105727"},
	} {
		units, _ := new(big.Int).SetString(tt.units, 10)
		amount, ok := driver.Amount(units, tt.decimals)
		if want := fixed.MustParse(tt.amount); !ok || amount != want {
			t.Errorf("%s units of %d decimals are %s (%v), want %s", tt.units, tt.decimals, amount, ok, want)
		}
		back, ok := driver.UnitsOf(amount, tt.decimals)
		if !ok || back.Cmp(units) != 0 {
			t.Errorf("%s is %s units (%v), want %s", amount, back, ok, tt.units)
		}
	}
}

func TestUnitsThatCannotBe(t *testing.T) {
	large, _ := new(big.Int).SetString("170141183460469231731687303715884105728", 10)
	if d, ok := driver.Amount(large, 18); ok {
		t.Errorf("more than can be counted is %s", d)
	}
	if d, ok := driver.Amount(big.NewInt(1), 19); ok {
		t.Errorf("a unit of 19 decimals is %s", d)
	}
	for _, amount := range []string{"0.123456789", "-1"} {
		if u, ok := driver.UnitsOf(fixed.MustParse(amount), 8); ok {
			t.Errorf("%s is %s units of 8 decimals", amount, u)
		}
	}
}
