package license

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const program = "bourse/cmd/bourse"

// TestNothingStricterIsLinked lists what is linked into the program, on every platform that is
// released, with its licences.
func TestNothingStricterIsLinked(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
		modules, err := Linked(t.Context(), platform, program)
		if err != nil {
			t.Fatal(err)
		}
		if len(modules) < 20 {
			t.Errorf("only %d modules are linked", len(modules))
		}
		for _, m := range modules {
			var licenses []string
			for _, text := range m.Texts {
				found := Identify(text.Body)
				licenses = append(licenses, found...)
				if len(found) == 0 && strings.HasPrefix(strings.ToUpper(text.Name), "LICEN") {
					t.Errorf("%s: the licence in %s is not known", m.Path, text.Name)
				}
				for _, l := range found {
					if !slices.Contains(Permissive, l) {
						t.Errorf("%s stands under %s (%s), which asks for more than our own licence", m.Path, l, text.Name)
					}
				}
			}
			if len(licenses) == 0 {
				t.Errorf("%s has no licence", m.Path)
			}
			if platform == "linux/amd64" {
				t.Logf("%-50s %-45s %s", m.Path, m.Version, strings.Join(slices.Compact(slices.Sorted(slices.Values(licenses))), ", "))
			}
		}
	}
}

// changed are modules whose files still name a licence that has ended by its own terms.
var changed = map[string]string{
	"github.com/cockroachdb/logtags": "Change Date: 2022-10-01", // Apache-2.0 since then, as its LICENSE says
}

// TestNoLinkedFileSaysOtherwise looks at the heads of the files: a module may hold some under
// another licence than its own.
func TestNoLinkedFileSaysOtherwise(t *testing.T) {
	modules, err := Linked(t.Context(), "linux/amd64", program)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, m := range modules {
		for _, path := range m.Files {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			head, err := io.ReadAll(io.LimitReader(file, 2<<10))
			file.Close()
			if err != nil {
				t.Fatal(err)
			}
			files++
			if ended := changed[m.Path]; ended != "" && bytes.Contains(head, []byte(ended)) {
				continue
			}
			for _, l := range Identify(strings.ReplaceAll(string(head), "//", " ")) {
				if !slices.Contains(Permissive, l) {
					t.Errorf("%s: %s stands under %s", m.Path, filepath.Base(path), l)
				}
			}
		}
	}
	if files < 500 {
		t.Errorf("only %d files are linked", files)
	}
}

// TestTheListIsThatOfTheLinker: the program itself knows what it was made from.
func TestTheListIsThatOfTheLinker(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "bourse")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{Standard}
	for _, d := range info.Deps {
		want = append(want, d.Path)
	}
	slices.Sort(want)
	modules, err := Linked(t.Context(), runtime.GOOS+"/"+runtime.GOARCH, program)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range modules {
		got = append(got, m.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, linked %v", got, want)
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n    Version 2.0, January 2004":                                                     "Apache-2.0",
		"Permission is hereby granted, free of\n * charge, to any person\n * obtaining a copy":              "MIT",
		"Redistribution and use in source and binary forms, with or without\nmodification, are permitted":   "BSD",
		"Permission to use, copy, modify, and distribute this software for any purpose with or without fee": "ISC",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3":                                                             "GPL",
		"GNU Lesser General Public License":                                                                 "LGPL",
		"Mozilla Public License Version 2.0":                                                                "MPL",
		"Business Source License 1.1":                                                                       "BUSL",
		"licensed under the CockroachDB Software License":                                                   "CockroachDB",
		"Do what you want.": "",
		"Apache License, Version 2.0 with the Commons Clause; see also Business Source License": "Apache-2.0 BUSL Commons Clause",
	} {
		if got := strings.Join(Identify(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWriteKeepsTheTexts(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, []Module{{Path: "a.b/c", Version: "v1", Texts: []Text{{"LICENSE", "one\n"}, {"sub/NOTICE", "two"}}}})
	if err != nil || !strings.Contains(out.String(), "a.b/c v1, LICENSE\n") || !strings.Contains(out.String(), "\n\none\n") || !strings.Contains(out.String(), "a.b/c v1, sub/NOTICE\n") {
		t.Errorf("%v %s", err, out.String())
	}
}
