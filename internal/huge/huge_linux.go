package huge

import (
	"os"
	"syscall"
	"unsafe"
)

// What Linux can be asked about memory: to use huge pages from now on, and to put together those pages that
// are in use already (since 6.1; an older one says no).
const (
	adviseHuge     = 14
	adviseCollapse = 25
)

// anchor is something on the heap, by which the heap is found.
var anchor = new([1 << 16]byte)

// ask asks for huge pages in the parts of the heap for which that has not been done. What a system refuses
// stays as it is.
func ask(asked pages) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for _, heap := range heapSpans(string(maps), uint64(uintptr(unsafe.Pointer(anchor)))) {
		for _, s := range asked.add(heap) {
			if advise(s, adviseHuge) {
				advise(s, adviseCollapse)
			}
		}
	}
}

func advise(s span, what uintptr) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, uintptr(s.first), uintptr(s.end-s.first), what)
	return errno == 0
}
