package core

import (
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// TestEveryCommandIsDone: each command of the schema belongs to one product or to the machine.
func TestEveryCommandIsDone(t *testing.T) {
	m := New()
	known := 0
	for _, c := range schema.Commands() {
		if m.handlers[c.Kind()] == nil {
			t.Errorf("nobody does %T", c)
		}
		known++
	}
	for _, h := range m.handlers {
		if h != nil {
			known--
		}
	}
	if known != 0 {
		t.Errorf("%d commands more are known to the schema than to the products", known)
	}
}

// TestSectionsAreTagged: no two sections share a tag, and each has a version and a name.
func TestSectionsAreTagged(t *testing.T) {
	seen := map[uint64]string{}
	for _, p := range New().products {
		for _, s := range p.Sections() {
			if s.Tag == 0 || s.Version == 0 || s.Name == "" || seen[s.Tag] != "" {
				t.Errorf("section %d (%q) of version %d; %q has that tag", s.Tag, s.Name, s.Version, seen[s.Tag])
			}
			seen[s.Tag] = s.Name
		}
	}
	if seen[product.TagWorks] == "" {
		t.Error("unfinished work is in no snapshot")
	}
}
