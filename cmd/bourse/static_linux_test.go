package main

import (
	"debug/elf"
	"testing"
)

// TestProgramNeedsNoLibraries: it runs in an image that holds nothing else.
func TestProgramNeedsNoLibraries(t *testing.T) {
	program, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("%v %v", libraries, err)
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("it is linked dynamically: %v", p.Type)
		}
	}
}
