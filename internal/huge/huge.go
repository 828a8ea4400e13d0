// Package huge asks the operating system to keep the heap in huge pages.
//
// The state of an exchange is many small things in large arrays, and a command touches a few of them, far
// apart. With pages of 4 KB each of these touches also misses the processor's table of pages, which on a virtual
// machine costs more than the miss of the cache: huge pages make the core about a quarter faster. Go leaves them to the
// system, and most systems give them only to those who ask.
//
// The price is that memory which the garbage collector has given back may be taken again in pieces of 2 MB. The
// heap of an exchange grows to a size and stays there.
package huge

import (
	"context"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// interval is how often it is looked whether the heap has grown.
const interval = 500 * time.Millisecond

// Watch asks for huge pages for the heap as it grows, until the context ends. A system that has none, or
// does not give them, is none the worse for it.
func Watch(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	var seen uint64
	asked := pages{}
	for {
		metrics.Read(sample)
		if size := sample[0].Value.Uint64(); size != seen {
			seen = size
			ask(asked)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// span is a piece of the address space, from the first address up to the one behind the last.
type span struct{ first, end uint64 }

// page is the size of a huge page.
const page = 2 << 20

// pages are numbers of huge pages.
type pages map[uint64]bool

// add takes in the whole pages of a span and returns those that are new, as spans. Mappings grow and merge, so
// that a span may have old pages in it.
func (p pages) add(s span) (fresh []span) {
	for n := (s.first + page - 1) / page; (n+1)*page <= s.end; n++ {
		if p[n] {
			continue
		}
		p[n] = true
		if last := len(fresh) - 1; last >= 0 && fresh[last].end == n*page {
			fresh[last].end += page
		} else {
			fresh = append(fresh, span{n * page, (n + 1) * page})
		}
	}
	return fresh
}

// heapSpans are the writable pieces of the heap in a list of mappings, as Linux prints it. The heap is
// mappings without a name that follow each other, and it has the given address.
func heapSpans(maps string, address uint64) []span {
	var run []span // writable pieces of mappings that follow each other
	var end uint64
	inside := false
	for line := range strings.Lines(maps) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		first, err := strconv.ParseUint(from, 16, 64)
		if err != nil {
			continue
		}
		last, err := strconv.ParseUint(to, 16, 64)
		if err != nil {
			continue
		}
		if anonymous := len(fields) == 5 || strings.HasPrefix(fields[5], "[anon:"); !anonymous || first != end {
			if inside {
				return run
			}
			run = run[:0]
			if !anonymous {
				continue
			}
		}
		end = last
		inside = inside || first <= address && address < last
		if strings.HasPrefix(fields[1], "rw") && last-first >= page {
			run = append(run, span{first, last})
		}
	}
	if !inside {
		return nil
	}
	return run
}
