// Package license knows what is linked into the program and under which licences that stands, for
// releases, which carry the texts, and for a test, which refuses what is stricter than our own.
package license

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Module is one whose code is linked into the program.
type Module struct {
	Path, Version string
	Texts         []Text
	// Files are the source files that are linked.
	Files []string
}

// Text is a file of a module that says under which licence it stands.
type Text struct {
	Name string // below the module
	Body string
}

// Standard is the name under which Go's own library is listed.
const Standard = "Go"

// named are files that hold licences, or what must be passed on with them.
var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// Linked is what a program of this repository is linked from on a platform such as linux/amd64, in
// order of the paths, with the texts of all directories from the packages up to their modules.
func Linked(ctx context.Context, platform, program string) ([]Module, error) {
	system, architecture, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a platform such as linux/amd64", platform)
	}
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,GoFiles,Standard,Module", program)
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	var errs bytes.Buffer
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, errs.String())
	}
	modules := map[string]*Module{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linkedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what go list says: %w", err)
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &Module{Path: p.Module.Path, Version: p.Module.Version}
			modules[p.Module.Path] = m
		}
		if err := m.add(&p); err != nil {
			return nil, err
		}
	}
	standard, err := standardLibrary(ctx)
	if err != nil {
		return nil, err
	}
	all := []Module{standard}
	for _, m := range modules {
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// linkedPackage is what go list says of a package.
type linkedPackage struct {
	Dir      string
	GoFiles  []string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// add adds the texts that hold for a package.
func (m *Module) add(p *linkedPackage) error {
	for _, file := range p.GoFiles {
		m.Files = append(m.Files, filepath.Join(p.Dir, file))
	}
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("looking for the licence of %s: %w", m.Path, err)
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !named.MatchString(e.Name()) {
				continue
			}
			if err := m.read(p.Module.Dir, filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
		if dir == p.Module.Dir {
			return nil
		}
	}
}

func (m *Module) read(root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil || slices.ContainsFunc(m.Texts, func(t Text) bool { return t.Name == name }) {
		return err
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the licence of %s: %w", m.Path, err)
	}
	m.Texts = append(m.Texts, Text{name, string(body)})
	slices.SortFunc(m.Texts, func(a, b Text) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func standardLibrary(ctx context.Context) (Module, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return Module{}, fmt.Errorf("asking for Go's place: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	m := Module{Path: Standard, Version: version}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		if err := m.read(root, filepath.Join(root, name)); err != nil {
			return Module{}, err
		}
	}
	return m, nil
}

// marks are words that only one licence has.
var marks = []struct{ license, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"Apache-2.0", "apache license, version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{"GPL", "gnu general public license"},
	{"LGPL", "gnu lesser general public license"},
	{"AGPL", "gnu affero general public license"},
	{"MPL", "mozilla public license"},
	{"EPL", "eclipse public license"},
	{"BUSL", "business source license"},
	{"SSPL", "server side public license"},
	{"CockroachDB", "cockroachdb software license"},
	{"CockroachDB", "cockroachdb community license"},
	{"Commons Clause", "commons clause"},
}

// Identify names the licences of a text, each once.
func Identify(text string) (licenses []string) {
	words := strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("*", " ", "#", " ", ",", " , ").Replace(text))), " ")
	words = strings.ReplaceAll(words, " , ", ", ")
	for _, m := range marks {
		if strings.Contains(words, m.words) && !slices.Contains(licenses, m.license) {
			licenses = append(licenses, m.license)
		}
	}
	return licenses
}

// Permissive are licences that ask for no more than Apache-2.0, ours, does: to pass their texts on.
var Permissive = []string{"Apache-2.0", "MIT", "BSD", "ISC", "CC0-1.0"}

// Write writes all texts, one module after the other.
func Write(w io.Writer, modules []Module) error {
	var b strings.Builder
	for _, m := range modules {
		for _, t := range m.Texts {
			fmt.Fprintf(&b, "%s\n%s %s, %s\n%s\n\n%s\n\n", rule, m.Path, m.Version, t.Name, rule, strings.TrimSpace(t.Body))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var rule = strings.Repeat("-", 100)
