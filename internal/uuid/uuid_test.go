package uuid

import (
	"testing"

	"bourse/internal/schema"
)

// The texts are for ever: clients keep them.
func TestTextsArePinned(t *testing.T) {
	at := schema.Time(1_700_000_000) * schema.Second
	for _, c := range []struct {
		kind Kind
		n    uint64
		want string
	}{
		{Transfer, 1, "018bcfe5-6800-8000-8000-000000000001"},
		{Code, 2, "018bcfe5-6800-8001-8000-000000000002"},
		{Deposit, 0xabc, "018bcfe5-6800-8002-8000-000000000abc"},
		{Withdrawal, 1<<60 - 1, "018bcfe5-6800-8003-8fff-ffffffffffff"},
		{Check, 7, "018bcfe5-6800-8004-8000-000000000007"},
		{Plan, 1, "018bcfe5-6800-8005-8000-000000000001"},
		{Investment, 8, "018bcfe5-6800-8006-8000-000000000008"},
		{Earned, 9, "018bcfe5-6800-8007-8000-000000000009"},
	} {
		got := Text(at, c.kind, c.n)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if n, ok := Read(got, c.kind); !ok || n != c.n {
			t.Errorf("%s is read as %d, %t", got, n, ok)
		}
		if moment := Time(got); moment != at {
			t.Errorf("%s is of %d, want %d", got, moment, at)
		}
		if _, ok := Read(got, c.kind+1); ok {
			t.Errorf("%s is read as another kind", got)
		}
	}
	for _, text := range []string{"", "018bcfe5-6800-8000-8000-000000000000", "018bcfe5-6800-8000-8000-00000000000g", "018bcfe568008000800000000000000001"} {
		if _, ok := Read(text, Transfer); ok {
			t.Errorf("%q is read", text)
		}
	}
}
