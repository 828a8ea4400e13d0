package huge

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// flagsOf are the flags of the mapping that has an address, as Linux prints them.
func flagsOf(t *testing.T, address uint64) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var first, end uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &first, &end); n == 2 {
			inside = first <= address && address < end
		}
		if flags, is := strings.CutPrefix(lines.Text(), "VmFlags:"); is && inside {
			return strings.Fields(flags)
		}
	}
	t.Fatalf("no mapping has %x", address)
	return nil
}

// TestHeapIsAdvised asks for the pages and looks whether Linux noted it. One without huge pages has
// nothing to note.
func TestHeapIsAdvised(t *testing.T) {
	grown := make([]byte, 32<<20)
	ask(pages{})
	_, err := os.Stat("/sys/kernel/mm/transparent_hugepage")
	flags := flagsOf(t, uint64(uintptr(unsafe.Pointer(&grown[len(grown)/2]))))
	if has := err == nil; slices.Contains(flags, "hg") != has {
		t.Errorf("the heap has the flags %v, and the system has huge pages: %v", flags, has)
	}
}
