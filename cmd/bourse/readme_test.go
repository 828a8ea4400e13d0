package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeTellsTheTruth plays the story of the README: what the program prints is what stands
// there.
func TestReadmeTellsTheTruth(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "$ cat > story.txt\n")
	story, rest, told := strings.Cut(rest, "$ bin/bourse play story.txt\n…\n")
	want, _, ended := strings.Cut(rest, "```")
	if !found || !told || !ended {
		t.Fatal("the README does not tell its story any more")
	}
	out, errs, code := run(t, story, "play", "-")
	if code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("%d %s\ngot\n%s\nwant the end to be\n%s", code, errs, out, want)
	}
}
