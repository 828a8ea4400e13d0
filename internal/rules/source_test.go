package rules

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "bourse"

// pkg is a package of the module: its files that are not tests.
type pkg struct {
	path  string // the import path
	name  string
	files []*ast.File // all of them
	built []*ast.File // those that belong to the build without tags
}

// source is the module as it stands on disk.
type source struct {
	fset *token.FileSet
	pkgs map[string]*pkg // by import path
	std  types.Importer
	done map[string]*types.Package
	info types.Info
}

var load = sync.OnceValues(func() (*source, error) {
	s := &source{fset: token.NewFileSet(), pkgs: map[string]*pkg{}, done: map[string]*types.Package{}}
	s.std = importer.Default()
	s.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(root, file, entry.Name())
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		return s.add(root, file)
	})
	return s, err
})

// skip leaves out what is not of this module: hidden directories, data of tests, modules within.
func skip(root, dir, name string) error {
	if dir == root {
		return nil
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || err == nil {
		return filepath.SkipDir
	}
	return nil
}

func (s *source) add(root, file string) error {
	parsed, err := parser.ParseFile(s.fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(root, filepath.Dir(file))
	if err != nil {
		return err
	}
	at := path.Join(module, filepath.ToSlash(dir))
	if s.pkgs[at] == nil {
		s.pkgs[at] = &pkg{path: at, name: parsed.Name.Name}
	}
	s.pkgs[at].files = append(s.pkgs[at].files, parsed)
	built, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file))
	if built {
		s.pkgs[at].built = append(s.pkgs[at].built, parsed)
	}
	return err
}

// Import type-checks a package of the module, or asks the standard library.
func (s *source) Import(at string) (*types.Package, error) {
	p := s.pkgs[at]
	if p == nil {
		return s.std.Import(at)
	}
	if s.done[at] == nil {
		config := types.Config{Importer: s}
		checked, err := config.Check(at, s.fset, p.built, &s.info)
		if err != nil {
			return nil, err
		}
		s.done[at] = checked
	}
	return s.done[at], nil
}

func loaded(t *testing.T) *source {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// imports are the packages that a package imports.
func (p *pkg) imports() []string {
	var all []string
	for _, file := range p.files {
		for _, spec := range file.Imports {
			at, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				panic(err)
			}
			all = append(all, at)
		}
	}
	return all
}

// within reports whether a package is another or below it.
func within(at, root string) bool { return at == root || strings.HasPrefix(at, root+"/") }
