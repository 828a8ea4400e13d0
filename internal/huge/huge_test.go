package huge

import (
	"slices"
	"testing"
)

const maps = `00400000-00402000 r--p 00000000 fe:00 1031 /usr/bin/bourse
031c9000-05243000 rw-p 00000000 00:00 0
0c8ac000-0d8cd000 rw-p 00000000 00:00 0 [heap]
248d04000000-248d05400000 ---p 00000000 00:00 0
248d05400000-248d15c00000 rw-p 00000000 00:00 0
248d15c00000-248d15d00000 rw-p 00000000 00:00 0
248d15d00000-248d18000000 rw-p 00000000 00:00 0 [anon: Go: heap]
248d18000000-248d1c000000 ---p 00000000 00:00 0
7fa580000000-7fa580400000 rw-p 00000000 00:00 0
7fa580400000-7fa580800000 rw-p 00000000 00:00 0 /memfd:x (deleted)
nonsense
7ffd-zz rw-p 00000000 00:00 0
`

func TestHeapIsFound(t *testing.T) {
	for _, c := range []struct {
		address uint64
		want    []span
	}{
		{0x248d05400010, []span{{0x248d05400000, 0x248d15c00000}, {0x248d15d00000, 0x248d18000000}}}, // without what is smaller than a page
		{0x248d17ffffff, []span{{0x248d05400000, 0x248d15c00000}, {0x248d15d00000, 0x248d18000000}}},
		{0x7fa580000000, []span{{0x7fa580000000, 0x7fa580400000}}},
		{0x7fa580400000, nil}, // a file
		{0x0c8ac000, nil},     // the heap of somebody else
		{1, nil},
	} {
		if got := heapSpans(maps, c.address); !slices.Equal(got, c.want) {
			t.Errorf("%x: %x, want %x", c.address, got, c.want)
		}
	}
}

func TestPagesAreAskedForOnce(t *testing.T) {
	p := pages{}
	for _, c := range []struct {
		heap span
		want []span
	}{
		{span{page + 1, 5*page - 1}, []span{{2 * page, 4 * page}}}, // whole pages only
		{span{page + 1, 5*page - 1}, nil},
		{span{0, 7 * page}, []span{{0, 2 * page}, {4 * page, 7 * page}}},
		{span{page / 2, page}, nil},
	} {
		if got := p.add(c.heap); !slices.Equal(got, c.want) {
			t.Errorf("%x: %x, want %x", c.heap, got, c.want)
		}
	}
}
