package core

import (
	"bytes"
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// compareTravel compares the VASPs, and what is kept of what was said about deposits and withdrawals, also of those that are forgotten.
func (tr *trial) compareTravel() error {
	chains := tr.fast.Chains()
	if got, want := chains.VASPs(), tr.slow.VASPs(); !slices.Equal(got, want) {
		return fmt.Errorf("VASPs:\n got %+v\nwant %+v", got, want)
	}
	deposits, withdrawals := schema.DepositID(0), schema.WithdrawalID(0)
	for _, c := range tr.slow.Chains() {
		for _, d := range tr.slow.ChainDeposits(c.ID) {
			deposits = max(deposits, d.ID)
		}
		for _, w := range tr.slow.Withdrawals(c.ID) {
			withdrawals = max(withdrawals, w.ID)
		}
	}
	for id := range deposits + 2 {
		if got, want := chains.Travel(id), tr.slow.Travel(id); !sameBytes(got, want) {
			return fmt.Errorf("said about deposit %d: got %q, want %q", id, got, want)
		}
	}
	for id := range withdrawals + 2 {
		if got, want := chains.TravelOf(id), tr.slow.TravelOf(id); !sameBytes(got, want) {
			return fmt.Errorf("said about withdrawal %d: got %q, want %q", id, got, want)
		}
	}
	return nil
}

// sameBytes reports whether two are the same, and nothing is not the same as an empty one.
func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }
