package driver

import (
	"fmt"
	"math/big"
	"strings"

	"bourse/internal/fixed"
)

// Units is an amount as a chain counts it: in its smallest unit.
type Units = *big.Int

// Amount is what units are worth that have so many decimals. It is false if that is more than the exchange counts, or more precise.
func Amount(u Units, decimals uint8) (fixed.Decimal, bool) {
	d, err := fixed.Parse(scaled(u, int(decimals)))
	return d, err == nil
}

// scaled writes units with a point before the last decimals.
func scaled(u Units, decimals int) string {
	digits := fmt.Sprintf("%0*s", decimals+1, u.String())
	at := len(digits) - decimals
	if decimals == 0 {
		return digits
	}
	return digits[:at] + "." + digits[at:]
}

// UnitsOf is an amount in units; it is false if it has more decimals than those.
func UnitsOf(d fixed.Decimal, decimals uint8) (Units, bool) {
	if d.Sign() < 0 || d.Decimals() > int(decimals) {
		return nil, false
	}
	whole, part, _ := strings.Cut(d.String(), ".")
	return new(big.Int).SetString(whole+part+strings.Repeat("0", int(decimals)-len(part)), 10)
}
