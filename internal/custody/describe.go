package custody

import (
	"fmt"
	"strings"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Describe says to a person what a request asks for.
func Describe(r *driver.Request) string {
	var b strings.Builder
	native := r.Asset
	if r.Contract != "" {
		native = "of the chain's own asset"
	}
	fmt.Fprintf(&b, "Payout %d, variant %d, on %s (%v %v", r.Payout, r.Variant, r.Chain.Name, r.Chain.Family, r.Chain.Net)
	if r.Chain.Number != 0 {
		fmt.Fprintf(&b, ", number %d", r.Chain.Number)
	}
	fmt.Fprintf(&b, ")\n\nIt spends: %s\n", r.Anchor)
	if r.Contract != "" {
		fmt.Fprintf(&b, "Token:     %s, contract %s\n", r.Asset, r.Contract)
	}
	upTo := ""
	if r.Chain.Family == schema.EVM {
		upTo = "at most "
	}
	fmt.Fprintf(&b, "It costs:  %s%s %s\n\n", upTo, r.Fee, native)
	for _, w := range r.Withdrawals {
		fmt.Fprintf(&b, "Withdrawal %d: %s %s to %s", w.ID, w.Amount, r.Asset, w.Address)
		if len(w.Approvals) > 0 {
			fmt.Fprintf(&b, ", approved by %s", strings.Join(w.Approvals, " and "))
		}
		b.WriteByte('\n')
	}
	for _, o := range r.Owns {
		whose := fmt.Sprintf("address %d of the exchange itself", o.Own)
		switch {
		case o.Own.IsCold():
			whose = fmt.Sprintf("address %d of cold storage", o.Own-schema.Cold)
		case o.Own == 0:
			whose = fmt.Sprintf("deposit address %d", o.Index)
		}
		fmt.Fprintf(&b, "Back to us: %s %s to %s\n", o.Amount, r.Asset, whose)
	}
	return b.String()
}
