package doublehash

import "testing"

// TestBothKindsOfProcessors hashes as those do that have AVX2 and no AVX-512; the other tests use what is there.
func TestBothKindsOfProcessors(t *testing.T) {
	if !abreast {
		t.Log("this processor has no AVX2: what is not used is not tested")
		return
	}
	defer func(was bool) { shorter = was }(shorter)
	shorter = false
	same(t, everyLength())
}
