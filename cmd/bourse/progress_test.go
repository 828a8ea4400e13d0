package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressIsABarOnATerminalAndLinesElsewhere(t *testing.T) {
	var out bytes.Buffer
	lines := newProgress(&out)
	lines.show(64, 128)
	if out.Len() != 0 {
		t.Errorf("short work says %q", out.String())
	}
	lines.every, lines.next = 0, time.Time{}
	lines.show(64, 128)
	lines.show(65, 128)
	lines.show(128, 0)
	lines.clear()
	if out.String() != "batch 64 of 128, 50 %\n128 batches\n" {
		t.Errorf("got %q", out.String())
	}

	out.Reset()
	bar := &progress{out: &out, terminal: true}
	bar.show(64, 256)
	bar.clear()
	bar.clear()
	want := "\r" + strings.Repeat("█", 10) + strings.Repeat("░", 30) + " batch 64 of 256, 25 %\x1b[K\r\x1b[K"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
