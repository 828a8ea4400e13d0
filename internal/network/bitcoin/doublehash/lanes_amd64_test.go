package doublehash

import "testing"

// TestWithoutAVX512 hashes as processors do that have none; the other tests use what is there.
func TestWithoutAVX512(t *testing.T) {
	defer func(was bool) { shorter = was }(shorter)
	shorter = false
	same(t, everyLength())
}
