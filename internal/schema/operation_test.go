package schema

import "testing"

// TestRightsAreNumberedOnce holds the list together: numbers and paths are unique, and in a set.
func TestRightsAreNumberedOnce(t *testing.T) {
	numbers, paths := map[Op]bool{}, map[string]bool{}
	for _, r := range Rights() {
		if r.Op == 0 || r.Op > MaxOp || numbers[r.Op] || paths[r.Path] {
			t.Errorf("%s has number %d, which is another's or none", r.Path, r.Op)
		}
		numbers[r.Op], paths[r.Path] = true, true
		only := OpsOf([]string{r.Path, "/api/v4/unknown"})
		for _, other := range Rights() {
			if only.Has(other.Op) != (other.Op == r.Op) {
				t.Errorf("the set of %s has %s: %v", r.Path, other.Path, only.Has(other.Op))
			}
		}
	}
	all, none := OpsOf([]string{AllURLs}), OpsOf(nil)
	for op := range Op(MaxOp + 1) {
		if !all.Has(op) || none.Has(op) {
			t.Errorf("operation %d", op)
		}
	}
	if all.Has(MaxOp + 1) {
		t.Error("a number beyond the highest is in a set")
	}
}

// TestTypesOfKeys pins which groups need a key of type 2.
func TestTypesOfKeys(t *testing.T) {
	for path, want := range map[string]uint8{
		"/api/v4/order/new": 1, "/api/v4/main-account/transfer": 1, "/api/v4/aml/checks/create": 1, "/api/v4/main-account/address": 2,
		"/api/v4/main-account/withdraw": 2, "/api/v4/main-account/codes/my": 2, "/api/v4/sub-account/list": 2,
	} {
		if got := RightTo(path).Type(); got != want {
			t.Errorf("%s needs type %d, want %d", path, got, want)
		}
	}
	if RightTo("/api/v4/public/ping") != nil {
		t.Error("keys are given what is public")
	}
}
