package unique

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"bourse/internal/core/product"
)

func TestANameIsOfOneAccount(t *testing.T) {
	var s Names
	if s.Has(101, "rent") {
		t.Error("nobody gave it")
	}
	s.Add(101, "rent")
	if !s.Has(101, "rent") || s.Has(102, "rent") || s.Has(101, "ren") || s.Has(101+1<<24, "rent") {
		t.Error("another name or another account is taken for the same")
	}
	for n := range 5000 {
		text := fmt.Sprint(n)
		if s.Has(102, text) {
			t.Fatalf("%s was not given", text)
		}
		s.Add(102, text)
		if !s.Has(102, text) {
			t.Fatalf("%s is forgotten", text)
		}
	}
	if !s.Has(101, "rent") {
		t.Error("the first is forgotten")
	}
}

// TestNamesComeBack: as the first 16 bytes of the SHA-256 of the account and the name, which old snapshots have too.
func TestNamesComeBack(t *testing.T) {
	var s Names
	for n := range 3 {
		s.Add(0x01020304, fmt.Sprint(n))
	}
	sections := func(s *Names) []product.Section {
		return []product.Section{{Tag: product.TagUniques, Version: 1, Name: "names", Write: s.Write, Read: s.Read}}
	}
	w := &product.Writer{}
	w.Section(&sections(&s)[0])
	want := []byte{product.TagUniques, 1}
	for n := range 3 {
		hash := sha256.Sum256([]byte("\x04\x03\x02\x01" + fmt.Sprint(n)))
		want = append(append(want, 19, 1<<3|2, 16), hash[:16]...)
	}
	if want = append(want, 0); string(w.Bytes) != string(want) {
		t.Errorf("%x, want %x", w.Bytes, want)
	}
	var back Names
	if err := (&product.Reader{Rest: w.Bytes}).Sections(sections(&back)); err != nil {
		t.Fatal(err)
	}
	if !back.Has(0x01020304, "0") || !back.Has(0x01020304, "2") || back.Has(0x01020304, "3") {
		t.Error("other names came back")
	}
	if err := (&product.Reader{Rest: w.Bytes}).Sections(sections(&back)); err == nil || err.Error() != "names: a name stands there twice" {
		t.Error(err)
	}
}
